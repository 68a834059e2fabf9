"""The calls of both clients, on a live service."""

from datetime import timedelta
from typing import Any

import grpc
import pytest

from tests.clients.python.conftest import Connect
from tests.clients.python.fake_server import FakeServer
from tests.serving import Serving
from umpire.goldn_crash.v1 import goldn_crash_pb2
from umpire.v1.catalog_pb2 import Card, CardSet, CardSetSummary
from umpire.v1.catalog_service_pb2 import GetCardSetResponse
from umpire.v1.game_pb2 import Move, Options
from umpire.v1.match_pb2 import MATCH_STATUS_ACTIVE, MATCH_STATUS_WAITING, SEED_SOURCE_SERVER_AND_SEATS
from umpire.v1.match_service_pb2 import ApplyMoveResponse, GetMatchResponse, ListEventsResponse, ListLegalMovesResponse
from umpire_client import (
    ApiKeyRequired,
    CredentialInvalid,
    DecisionClosed,
    IllegalMove,
    MatchNotFound,
    NoOpenDecision,
    RetryPolicy,
    SeatClaimed,
    SpectatorCannotMove,
    Unavailable,
    VersionAhead,
    house_bot,
    person,
)

GAME = "goldn_crash"
DRAW = Move(goldn_crash=goldn_crash_pb2.Move(draw=goldn_crash_pb2.Draw()))


def two_people(client: Any, **more: Any) -> tuple[Any, Any, Any]:
    """A new match: what was created, the seat that is asked, the seat that is not."""
    created = client.create_match(GAME, [person("Ann"), person("Ben")], **more)
    asked = created.match.decisions[0].seat
    return created, created.seats[asked], created.seats[3 - asked]


def test_the_catalog(client: Any) -> None:
    assert GAME in [game.game for game in client.list_games()]
    assert client.get_game(GAME).card_sets[0].card_set == "arena"
    assert "PLAY-2" in [rule.rule for rule in client.list_rules(GAME)]


def test_cards_have_names_and_texts(client: Any) -> None:
    cards = client.cards(GAME, "arena")
    assert cards["BOMB_2"].name == "Bomb 2"
    assert cards["BOMB_2"].text
    assert cards.digest == client.get_game(GAME).card_sets[0].digest
    assert cards.name("BOMB_2") == "Bomb 2"
    assert cards.name("NEW_CARD") == "NEW_CARD"
    assert set(cards) == {card for card in cards if cards[card].card == card}
    assert len(cards) > 20


def test_cards_are_asked_for_once_a_digest(connect: Connect, fake: FakeServer) -> None:
    def released(digest: str) -> None:
        fake.answers["GetCardSet"] = GetCardSetResponse(
            card_set=CardSet(summary=CardSetSummary(card_set="wood", digest=digest), cards=[Card(card="A", name=digest)])
        )

    client = connect(fake.address)
    released("sha256:1")
    for digest in ("", "", "sha256:1"):
        assert client.cards("chess", "wood", digest)["A"].name == "sha256:1"
    assert len(fake.requests["GetCardSet"]) == 1
    client.cards("chess", "glass")
    assert len(fake.requests["GetCardSet"]) == 2
    released("sha256:2")
    for digest in ("sha256:2", "sha256:2", ""):
        assert client.cards("chess", "wood", digest)["A"].name == "sha256:2"
    assert client.cards("chess", "wood", "sha256:1")["A"].name == "sha256:1"
    assert len(fake.requests["GetCardSet"]) == 3


def test_without_a_name_the_cards_are_those_of_the_default_set(client: Any) -> None:
    assert client.cards(GAME).digest == client.get_game(GAME).card_sets[0].digest
    assert client.cards(GAME) is client.cards(GAME)


def test_a_creation_hands_out_what_opens_the_match(client: Any) -> None:
    created = client.create_match(GAME, [person("Ann", "note"), house_bot("keen")], ttl=timedelta(minutes=5))
    assert created.match.status == MATCH_STATUS_ACTIVE
    assert [(seat.display_name, seat.metadata, seat.house_bot) for seat in created.match.seats] == [("Ann", "note", ""), ("", "", "keen")]
    assert list(created.seats) == [1]
    assert created.invites == {}
    seat = created.seats[1]
    assert (seat.number, seat.match_id) == (1, created.match_id)
    assert seat.get().viewer == 1
    assert created.spectator.get().viewer == 0
    assert seat.get().view.goldn_crash.seats[0].HasField("own")
    assert not created.spectator.get().view.goldn_crash.seats[0].HasField("own")
    assert not seat.get(omit_view=True).HasField("view")
    lives = created.match.expire_time.ToDatetime() - created.match.create_time.ToDatetime()
    assert lives == timedelta(minutes=5)


def test_options_card_set_and_seed_are_those_that_were_asked_for(client: Any) -> None:
    options = Options(goldn_crash=goldn_crash_pb2.Options(first_seat=2, round_limit=10))
    one, two = (client.create_match(GAME, [person(), person()], options=options, card_set="arena", seed="11" * 32) for _ in range(2))
    assert one.match_id != two.match_id
    assert one.match.decisions[0].seat == 2
    assert one.match.view.goldn_crash.options.round_limit == 10
    assert one.seats[2].get().view == two.seats[2].get().view


def test_options_can_be_written_as_a_dict(client: Any) -> None:
    options = {"goldn_crash": {"first_seat": 2, "bomb_strength": "BOMB_STRENGTH_BOMB_CARDS"}}
    in_force = client.create_match(GAME, [person(), person()], options=options).match.view.goldn_crash.options
    assert (in_force.first_seat, in_force.bomb_strength) == (2, goldn_crash_pb2.BOMB_STRENGTH_BOMB_CARDS)


def test_the_same_request_id_answers_the_same_match(client: Any) -> None:
    one, two = (client.create_match(GAME, [person(), person()], request_id=f"twice-{id(client)}") for _ in range(2))
    assert one.match_id == two.match_id
    assert one.seats[1].credential == two.seats[1].credential


def test_creating_without_the_key_is_refused(connect: Connect, serving: Serving) -> None:
    with pytest.raises(ApiKeyRequired):
        connect(serving.grpc).create_match(GAME, [person(), person()])


def test_invites_become_seats_once(client: Any) -> None:
    created = client.create_match(GAME, [person(), person()], invite=True)
    assert created.match.status == MATCH_STATUS_WAITING
    assert created.seats == {}
    one = client.claim_seat(created.match_id, created.invites[1], display_name="Ann", client_seed="clover")
    with pytest.raises(TimeoutError):
        one.wait(timeout=0.1)
    two = client.claim_seat(created.match_id, created.invites[2])
    assert (one.number, two.number) == (1, 2)
    match = one.get()
    assert match.seats[0].display_name == "Ann"
    assert match.seed_source == SEED_SOURCE_SERVER_AND_SEATS
    with pytest.raises(SeatClaimed):
        client.claim_seat(created.match_id, created.invites[1])


def test_a_renewed_invite_revokes_the_seat(client: Any) -> None:
    created, asked, _ = two_people(client)
    invite = created.creator.renew_invite(asked.number)
    with pytest.raises(CredentialInvalid):
        asked.get()
    again = client.claim_seat(created.match_id, invite)
    assert again.number == asked.number
    assert again.legal_moves().legal_moves


def test_a_seat_comes_back_from_its_credential_and_learns_its_number(client: Any) -> None:
    created, asked, idle = two_people(client)
    for seat in (asked, idle):
        again = client.seat(created.match_id, seat.credential)
        assert again.number == 0
        assert again.get().viewer == seat.number
        assert again.number == seat.number
    again = client.seat(created.match_id, asked.credential)
    again.legal_moves()
    assert again.number == asked.number


def test_one_credential_for_several_seats(client: Any) -> None:
    created = client.create_match(GAME, [person(), person()], hot_seat=True)
    for number in (1, 2):
        assert created.seats[number].get().viewer == number
        assert client.seat(created.match_id, created.seats[1].credential, number).get().viewer == number
    asked = created.match.decisions[0].seat
    created.seats[asked].apply("draw", decision_id=1)


def test_a_move_can_be_one_of_the_legal_moves_a_text_or_typed(client: Any) -> None:
    for wanted in ("draw", DRAW):
        _, asked, _ = two_people(client)
        assert asked.apply(wanted, decision_id=1).updates[0].events[-1].goldn_crash.HasField("cards_drawn")
    _, asked, _ = two_people(client)
    turn = asked.legal_moves()
    answer = asked.apply(turn.legal_moves[-1], decision_id=turn.decision.decision_id)
    assert answer.applied_version == 2
    assert answer.decision.seat == asked.number
    assert answer.legal_moves
    assert answer.HasField("view")
    lean = asked.apply(answer.legal_moves[0], decision_id=answer.decision.decision_id, omit_view=True, omit_legal_moves=True)
    assert not lean.HasField("view")
    assert not lean.legal_moves


def test_a_refused_move_says_why_and_changes_nothing(client: Any) -> None:
    created, asked, idle = two_people(client)
    with pytest.raises(IllegalMove, match="There are only columns 1, 2 and 3.") as caught:
        asked.apply("play_card(card=GOLD_4,column=4)", decision_id=1)
    assert (caught.value.violation, caught.value.rule, caught.value.field) == ("NO_SUCH_COLUMN", "COL-1", "column")
    with pytest.raises(NoOpenDecision):
        idle.apply("draw", decision_id=1)
    with pytest.raises(DecisionClosed) as closed:
        asked.apply("draw", decision_id=7)
    assert closed.value.decision_id == 1
    assert created.spectator.get().version == 1


def test_illegal_moves_are_listed_with_their_rules_if_wanted(client: Any) -> None:
    _, asked, idle = two_people(client)
    assert not asked.legal_moves().illegal_moves
    assert all(move.violation.rule for move in asked.legal_moves(include_illegal=True).illegal_moves)
    assert not idle.legal_moves().HasField("decision")


def test_a_spectator_sees_and_cannot_move(client: Any) -> None:
    created, _, _ = two_people(client)
    with pytest.raises(SpectatorCannotMove):
        client.seat(created.match_id, created.spectator.credential).legal_moves()
    assert client.spectator(created.match_id, created.spectator.credential).get().match_id == created.match_id


def test_the_history_as_each_may_know_it(client: Any) -> None:
    created, asked, idle = two_people(client)
    asked.apply("draw", decision_id=1)
    own, others, public = (list(one.events()) for one in (asked, idle, created.spectator))
    assert [update.version for update in own] == [1, 2]
    assert own[1].events[-1].goldn_crash.cards_drawn.cards
    assert not others[1].events[-1].goldn_crash.cards_drawn.cards
    assert not public[1].events[-1].goldn_crash.cards_drawn.cards
    assert [update.version for update in asked.events(since_version=1)] == [2]
    assert list(asked.events(since_version=2)) == []
    with pytest.raises(VersionAhead) as caught:
        list(asked.events(since_version=3))
    assert caught.value.version == 2


def test_the_history_is_followed_over_all_pages(connect: Connect, fake: FakeServer) -> None:
    pages = {0: ListEventsResponse(next_since_version=2), 2: ListEventsResponse(next_since_version=3), 3: ListEventsResponse()}
    for since, page in pages.items():
        page.updates.add(version=since + 1)
    fake.script["ListEvents"].extend([lambda _server, _rpc, request, _context: pages[request.since_version]] * 3)
    assert [update.version for update in connect(fake.address).spectator("m", "c").events()] == [1, 3, 4]


def test_waiting_ends_when_the_seat_is_asked(client: Any) -> None:
    _, asked, idle = two_people(client)
    assert asked.wait().decision.decision_id == 1
    with pytest.raises(TimeoutError):
        idle.wait(timeout=0.2)
    while (turn := asked.legal_moves()).HasField("decision"):
        asked.apply(turn.legal_moves[0], decision_id=turn.decision.decision_id)
    turn = idle.wait()
    assert turn.decision.seat == idle.number
    assert turn.legal_moves


def test_waiting_ends_when_the_match_is_over(client: Any) -> None:
    created, asked, idle = two_people(client, options=Options(goldn_crash=goldn_crash_pb2.Options(round_limit=10)))
    while (turn := asked.wait()).HasField("decision"):
        asked.apply(turn.legal_moves[0], decision_id=turn.decision.decision_id)
        asked, idle = (asked, idle) if asked.legal_moves().HasField("decision") else (idle, asked)
    assert not idle.wait().HasField("decision")
    assert created.spectator.get().HasField("outcome")


def test_a_secure_channel_is_used_if_it_is_wanted(connect: Connect, fake: FakeServer) -> None:
    secure = FakeServer(grpc.local_server_credentials())
    assert connect(secure.address, tls=grpc.local_channel_credentials()).list_games() == []
    secure.stop()
    with pytest.raises(Unavailable):
        connect(fake.address, tls=True, retry=RetryPolicy(deadline=0.5)).list_games()
    assert not fake.requests


def test_only_its_creator_deletes_a_match_and_then_it_is_gone(client: Any) -> None:
    created, asked, _ = two_people(client)
    client.creator(created.match_id, created.creator.credential).delete()
    for gone in (asked.get, asked.wait, created.creator.delete):
        with pytest.raises(MatchNotFound):
            gone()


def test_what_an_answer_has_more_than_the_client_knows_is_ignored(connect: Connect, fake: FakeServer) -> None:
    new_field = bytes([0xFA, 0x3F, 2, 8, 1])  # field 1023, a message
    event_of_a_new_game = bytes([0x22, len(new_field), *new_field])  # an Event in Update.events
    update = bytes([0x1A, len(event_of_a_new_game), *event_of_a_new_game])  # an Update in ApplyMoveResponse.updates
    known = ApplyMoveResponse(applied_version=3, version=4).SerializeToString()
    fake.script["ApplyMove"].append(lambda *_: known + update + new_field)
    answer = connect(fake.address).seat("m", "c").apply("draw", decision_id=2)
    assert (answer.applied_version, answer.version) == (3, 4)
    assert answer.updates[0].events[0].WhichOneof("event") is None


def test_a_status_that_the_client_does_not_know_is_not_the_end(connect: Connect, fake: FakeServer) -> None:
    unknown = GetMatchResponse()
    unknown.match.ParseFromString(bytes([0x28, 77]))  # status = 77
    asked = ListLegalMovesResponse(version=5)
    asked.decision.decision_id = 5
    fake.script["ListLegalMoves"].extend([lambda *_: ListLegalMovesResponse(), lambda *_: asked])
    seen, history = GetMatchResponse(), ListEventsResponse()
    seen.match.version = 5
    history.updates.add(version=5).decisions_opened.add(seat=1)
    fake.script["GetMatch"].extend([lambda *_: unknown, lambda *_: seen])
    fake.answers["ListEvents"] = history
    assert connect(fake.address).seat("m", "c", 1).wait() == asked
