"""clients/typescript/chance.ts: the generator, in Node, against the vectors that the service's own is held to."""

import json

from tests.clients.languages.conftest import ROOT, Run

CHANCE = ROOT / "clients" / "typescript" / "chance.ts"
VECTORS = ROOT / "tests" / "engines" / "kit" / "chance_vectors.json"

DRAWS = f"""
import {{ commitment, fromHex, Generator, matchKey, toHex }} from "{CHANCE.as_uri()}";

const found = [];
for (const vector of JSON.parse(process.env.VECTORS)) {{
  const key = await matchKey(fromHex(vector.seed), vector.clientSeeds);
  const generator = new Generator(key);
  const below = [];
  for (const [bound] of vector.below) {{
    const value = bound.length < 10 ? await generator.below(Number(bound)) : await generator.draw(BigInt(bound));
    below.push([bound, String(value)]);
  }}
  const shuffle = await generator.shuffle([...vector.shuffle.keys()]);
  const {{ name, seed, clientSeeds }} = vector;
  found.push({{ name, seed, commitment: await commitment(fromHex(seed)), clientSeeds, key: toHex(key), below, shuffle, position: generator.position }});
}}
console.log(JSON.stringify(found));
"""


def test_it_has_at_most_forty_lines() -> None:
    assert len(CHANCE.read_text().splitlines()) <= 40


def test_it_gives_what_the_vectors_say(run: Run) -> None:
    vectors = json.loads(VECTORS.read_text())
    for vector in vectors:
        vector["below"] = [[str(bound), str(value)] for bound, value in vector["below"]]  # some do not fit into a number of JavaScript
    assert any(vector["clientSeeds"] for vector in vectors)
    assert json.loads(run("node", "--input-type=module", text=DRAWS, VECTORS=json.dumps(vectors))) == vectors


def test_its_types_are_right(run: Run) -> None:
    run("tsc", "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", CHANCE)
