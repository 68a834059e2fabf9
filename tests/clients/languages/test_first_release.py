"""Stubs of the first release, frozen with it, still play: against today's service, and against a later one."""

from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass

from service.contract import COMPILED
from tests.clients.languages.newer_release import LATER, answers_as_later, later_pool, pool_of
from tests.clients.languages.relay import Relay
from tests.serving import API_KEY, Serving

FIRST_RELEASE = Path(__file__).with_name("first_release.binpb")
POOL = pool_of(FIRST_RELEASE)
SERVICES = ("umpire.v1.CatalogService", "umpire.v1.MatchService")


def message(name: str) -> Any:
    return GetMessageClass(POOL.FindMessageTypeByName(f"umpire.v1.{name}"))


class FirstRelease:
    """A client whose messages are those of the first release."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])

    def call(self, method: str, credential: str = "", **request: Any) -> Any:
        service = next(name for name in SERVICES if any(one.name == method for one in POOL.FindServiceByName(name).methods))
        run = self._channel.unary_unary(
            f"/{service}/{method}",
            request_serializer=message(f"{method}Request").SerializeToString,
            response_deserializer=message(f"{method}Response").FromString,
        )
        return run(message(f"{method}Request")(**request), metadata=(("authorization", f"Bearer {credential}"), ("x-api-key", API_KEY)), timeout=20)

    def create(self, **more: Any) -> Any:
        return self.call("CreateMatch", game="goldn_crash", seats=[{"display_name": "Ann"}, {"display_name": "Ben"}], **more)

    def play_out(self, created: Any) -> list[Any]:
        """Play both seats to the end, with typed moves: always the last legal one. Returns the answers to ApplyMove."""
        credentials = {access.seat: access.credential for access in created.seats}
        match_id, decisions, answers = created.match.match_id, list(created.match.decisions), []
        while decisions:
            asked = decisions[0]
            legal = self.call("ListLegalMoves", credentials[asked.seat], match_id=match_id).legal_moves
            wanted = {"match_id": match_id, "decision_id": asked.decision_id, "move": legal[-1].move, "request_id": f"move-{asked.decision_id}"}
            answers.append(self.call("ApplyMove", credentials[asked.seat], **wanted))
            decisions = list(answers[-1].updates[-1].decisions_opened)
        return answers

    def close(self) -> None:
        self._channel.close()


@pytest.fixture
def client(serving: Serving) -> Any:
    client = FirstRelease(serving.grpc)
    yield client
    client.close()


def test_the_frozen_image_is_the_first_release() -> None:
    assert [len(POOL.FindServiceByName(name).methods) for name in SERVICES] == [4, 8]


def test_it_plays_a_whole_match(client: FirstRelease) -> None:
    created = client.create()
    answers = client.play_out(created)
    last = answers[-1]
    assert last.status == message("Match").DESCRIPTOR.file.enum_types_by_name["MatchStatus"].values_by_name["MATCH_STATUS_FINISHED"].number
    assert last.outcome.reason
    assert [answer.version for answer in answers] == list(range(2, len(answers) + 2))
    assert last.view.goldn_crash.outcome.reason == last.outcome.reason


def test_every_other_call_of_it_is_answered(client: FirstRelease) -> None:
    game = "goldn_crash"
    assert game in [one.game for one in client.call("ListGames").games]
    card_set = client.call("GetGame", game=game).game.card_sets[0].card_set
    assert client.call("GetCardSet", game=game, card_set=card_set).card_set.cards[0].name
    assert client.call("ListRules", game=game).rules[0].text
    created = client.create(invite=True)
    match_id = created.match.match_id
    renewed = client.call("RenewInvite", created.creator_credential, match_id=match_id, seat=1)
    claimed = [client.call("ClaimSeat", match_id=match_id, invite=invite) for invite in (renewed.invite, created.seats[1].invite)]
    assert claimed[1].match.view.goldn_crash.turn == 1
    assert client.call("GetMatch", claimed[0].credential, match_id=match_id).match.viewer == 1
    assert client.call("ListEvents", created.spectator_credential, match_id=match_id).updates[0].events[0].WhichOneof("event") == "match"
    client.call("DeleteMatch", created.creator_credential, match_id=match_id)
    with pytest.raises(grpc.RpcError) as gone:
        client.call("GetMatch", claimed[0].credential, match_id=match_id)
    assert gone.value.code() is grpc.StatusCode.NOT_FOUND


def test_it_plays_a_whole_match_against_a_later_release(serving: Serving) -> None:
    later = later_pool(COMPILED)
    with Relay(serving.grpc, answers_as_later(later)) as relay:
        client = FirstRelease(relay.address)
        created = client.create()
        answers = client.play_out(created)
        client.close()
    assert answers[-1].outcome.reason
    assert created.match.seed_source == LATER  # a value without a name keeps its number
    for update in (update for answer in answers for update in answer.updates):
        assert update.cause == LATER
        assert update.events[-3].WhichOneof("event") is None  # a member that it does not know: nothing is set
        assert update.events[-2].match.WhichOneof("event") is None
        assert update.events[-1].goldn_crash.WhichOneof("event") is None
    # What it does not know, it hands on unharmed.
    whole = GetMessageClass(later.FindMessageTypeByName("umpire.v1.Match")).FromString(created.match.SerializeToString())
    assert whole.added_later
    assert whole.seats[0].added_later
