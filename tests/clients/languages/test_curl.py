"""clients/curl/play.sh: bash, grep, sed and curl."""

import json
import re

from tests.clients.languages.conftest import ROOT, Run
from tests.matchmaking import create
from tests.serving import RestCaller, Serving

PLAY = ROOT / "clients" / "curl" / "play.sh"


def test_it_plays_a_match_of_its_own_making_to_the_end(run: Run, over_http: dict[str, str]) -> None:
    said = run(PLAY, **over_http).splitlines()
    assert "Draw a card" in said
    assert json.loads("{" + said[-1] + "}")["outcome"]["reason"]


def test_it_plays_the_seat_that_it_is_given(run: Run, serving: Serving) -> None:
    caller = RestCaller(serving)
    played = create(caller, seats=[{"houseBot": "random"}, {}])
    said = run(PLAY, SERVER=serving.http, MATCH=played.match_id, CREDENTIAL=played.credentials[2]).splitlines()
    updates = played.must("ListEvents", played.spectator, page_size=500)["updates"]
    outcome = played.view(played.spectator)["outcome"]
    caller.close()
    assert json.loads("{" + said[-1] + "}")["outcome"] == outcome
    assert len(said) - 1 == sum(update["cause"] == "CAUSE_PERSON" for update in updates)


def test_a_refusal_ends_it_and_is_shown(run: Run, serving: Serving) -> None:
    said = run(PLAY, fails=True, SERVER=serving.http, API_KEY="wrong")
    assert '"reason":"API_KEY_INVALID"' in said


def test_it_calls_no_other_interpreter() -> None:
    code = re.sub(r"^\s*#.*$", "", PLAY.read_text(), flags=re.MULTILINE)
    assert not re.search(r"\b(python3?|node|jq|perl|awk)\b", code)
