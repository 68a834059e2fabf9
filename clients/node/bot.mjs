// A complete bot. npm ci && SERVER=127.0.0.1:50051 node bot.mjs: it makes a match against a house bot; with MATCH and CREDENTIAL it sits down there.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const { SERVER = "127.0.0.1:50051", API_KEY, GAME = "goldn_crash", MATCH, CREDENTIAL, PROTO = fileURLToPath(new URL("../../proto", import.meta.url)) } = process.env;
const { umpire } = grpc.loadPackageDefinition(loader.loadSync("umpire/v1/match_service.proto", { includeDirs: [PROTO], enums: String, defaults: true }));
const policy = readFileSync(`${PROTO}/umpire/v1/retry_policy.json`, "utf8");
const service = new umpire.v1.MatchService(SERVER, grpc.credentials.createInsecure(), { "grpc.service_config": policy });

const metadata = new grpc.Metadata();
const call = (method, request) => new Promise((resolve, reject) => service[method](request, metadata, (error, answer) => (error ? reject(error) : resolve(answer))));

let [matchId, credential] = [MATCH, CREDENTIAL];
if (!matchId) {
  if (API_KEY) metadata.set("x-api-key", API_KEY);
  const seats = [{ displayName: "A bot in Node" }, { houseBot: "random" }];
  const created = await call("createMatch", { game: GAME, seats, requestId: randomUUID() });
  [matchId, credential] = [created.match.matchId, created.seats[0].credential];
}
metadata.set("authorization", `Bearer ${credential}`);

// The plainest way, without a stream (WatchMatch, PlayMatch): look whether the match is over or this seat is asked; once asked, each answer says whether it is asked again.
for (;;) {
  const { match } = await call("getMatch", { matchId, omitView: true });
  if (match.outcome) console.log(`${match.outcome.reason}, won by: ${match.outcome.winners.join(", ") || "nobody"}`);
  if (["MATCH_STATUS_FINISHED", "MATCH_STATUS_ABANDONED"].includes(match.status)) break;
  const asked = match.decisions.some(({ seat }) => seat === match.viewer);
  let turn = asked ? await call("listLegalMoves", { matchId }) : await sleep(100, {});
  while (turn.decision) {
    const move = turn.legalMoves[Math.floor(Math.random() * turn.legalMoves.length)];
    const answer = { matchId, decisionId: turn.decision.decisionId, moveId: move.moveId, requestId: randomUUID(), omitView: true };
    turn = await call("applyMove", answer).catch((error) => (error.code === grpc.status.ABORTED ? {} : Promise.reject(error))); // closed meanwhile: read again
    if (turn.appliedVersion) console.log(move.label);
  }
}
