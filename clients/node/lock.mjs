// Takes out of package-lock.json what installing does not need and what names hosts: where a package asks for money. Run by `npm run lock`.
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));
for (const one of Object.values(lock.packages)) {
  delete one.funding;
  delete one.resolved;
}
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
