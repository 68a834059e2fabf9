"""The messages of ``umpire.v1`` as plain structs, one class a message, same names.

As long as the contract, whose order it keeps.
Handlers take and return these; the codec holds them against the contract's descriptors at start and translates them to protobuf and JSON.
Conventions: an absent message is None; an absent ``optional`` scalar is UNSET; timestamps and durations are milliseconds; a oneof of a game's messages
(Move, Event, View, Options, Question) is the engine's own struct. A field without a default is required of a request.
"""

from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType

from engines.kit.cards import Provenance
from engines.kit.structs import Event, Move, Options, Question, View


class Message(msgspec.Struct, kw_only=True, frozen=True):
    """A message of the contract."""


class Timestamp(int):
    """A google.protobuf.Timestamp, as milliseconds since 1970."""


class Duration(int):
    """A google.protobuf.Duration, as milliseconds."""


# ---- match.proto


class MatchStatus(StrEnum):
    """Where a match stands."""

    WAITING = "WAITING"
    ACTIVE = "ACTIVE"
    FINISHED = "FINISHED"
    ABANDONED = "ABANDONED"

    @property
    def is_over(self) -> bool:
        return self in (MatchStatus.FINISHED, MatchStatus.ABANDONED)


class SeedSource(StrEnum):
    """Who chose the seed."""

    SERVER = "SERVER"
    SERVER_AND_SEATS = "SERVER_AND_SEATS"
    CALLER = "CALLER"


class Controller(StrEnum):
    """Who answers a seat's decisions."""

    PERSON = "PERSON"
    HOUSE_BOT = "HOUSE_BOT"
    AUTOMATON = "AUTOMATON"


class Cause(StrEnum):
    """Why a step was taken."""

    SET_UP = "SET_UP"
    PERSON = "PERSON"
    BOT = "BOT"
    DEFAULT = "DEFAULT"
    LEAVE = "LEAVE"
    ADMIN = "ADMIN"


class Seat(Message, frozen=True):
    """A seat at the table."""

    seat: int
    display_name: str
    metadata: str
    controller: Controller
    house_bot: str
    claimed: bool
    left: bool


class Decision(Message, frozen=True):
    """An open decision."""

    decision_id: int
    seat: int
    as_seat: int
    kind: str
    question: Question
    deadline: Timestamp | None = None


class ClosedDecision(Message, frozen=True):
    """A decision that is open no more."""

    decision_id: int
    seat: int


class Outcome(Message, frozen=True):
    """How a match ended."""

    winners: tuple[int, ...]
    reason: str
    scores: tuple[int, ...]


class Match(Message, frozen=True):
    """A match as a viewer may see it."""

    match_id: str
    game: str
    mode: str
    version: int
    status: MatchStatus
    seats: tuple[Seat, ...]
    decisions: tuple[Decision, ...]
    view: View | None
    outcome: Outcome | None
    ruleset: int
    card_set: str
    card_set_digest: str
    seed_commitment: str
    seed_source: SeedSource
    create_time: Timestamp
    update_time: Timestamp
    expire_time: Timestamp
    viewer: int
    move_timeout: Duration | None = None


class Update(Message, frozen=True):
    """One step of a match."""

    version: int
    cause: Cause
    seat: int
    events: tuple[Event, ...]
    decisions_opened: tuple[Decision, ...]
    decisions_closed: tuple[ClosedDecision, ...]


class LegalMove(Message, frozen=True):
    """A move that can be made."""

    move_id: str
    move: Move
    label: str


class Violation(Message, frozen=True):
    """The rule that forbids a move."""

    code: str
    rule: str
    message: str
    field: str


class IllegalMove(Message, frozen=True):
    """A move that cannot be made, and why."""

    move_id: str
    move: Move
    label: str
    violation: Violation


# ---- match_event.proto


class MatchStarted(Event, frozen=True, tag="started"):
    """All seats are taken and the deal follows."""

    game: str
    seats: int


class SeatTimedOut(Event, frozen=True, tag="timed_out"):
    """A seat let the deadline of its decision pass."""

    seat: int


class SeatLeft(Event, frozen=True, tag="left"):
    """A seat has left for good."""

    seat: int


class MatchAbandoned(Event, frozen=True, tag="abandoned"):
    """No person is left at the table."""


class SeatTakenOver(Event, frozen=True, tag="taken_over"):
    """The creator has had a claimed seat given anew."""

    seat: int


MATCH_EVENTS: tuple[type[Event], ...] = (MatchStarted, SeatTimedOut, SeatLeft, MatchAbandoned, SeatTakenOver)


# ---- match_service.proto


class SeatRequest(Message, frozen=True):
    """A seat as the creator wants it."""

    display_name: str = ""
    metadata: str = ""
    house_bot: str = ""


class SeatAccess(Message, frozen=True):
    """What opens a seat."""

    seat: int
    credential: str
    invite: str


class CreateMatchRequest(Message, frozen=True):
    """Asks for a new match."""

    game: str = ""
    options: Options | None = None
    card_set: str = ""
    seats: tuple[SeatRequest, ...] = ()
    invite: bool = False
    request_id: str = ""
    ttl: Duration | None = None
    seed: str = ""
    hot_seat: bool = False
    move_timeout: Duration | None = None
    without_proof: bool = False


class CreateMatchResponse(Message, frozen=True):
    """The new match and the keys to it."""

    match: Match
    creator_credential: str
    spectator_credential: str
    seats: tuple[SeatAccess, ...]


class ClaimSeatRequest(Message, frozen=True):
    """Turns an invite into a credential."""

    match_id: str = ""
    invite: str = ""
    display_name: str = ""
    client_seed: str = ""
    request_id: str = ""


class ClaimSeatResponse(Message, frozen=True):
    """A seat is taken."""

    seat: int
    credential: str
    match: Match


class RenewInviteRequest(Message, frozen=True):
    """Asks for a new invite."""

    seat: int
    match_id: str = ""


class RenewInviteResponse(Message, frozen=True):
    """A new invite."""

    seat: int
    invite: str


class GetMatchRequest(Message, frozen=True):
    """Asks for a match."""

    match_id: str = ""
    seat: int | UnsetType = UNSET
    omit_view: bool = False
    at_version: int | UnsetType = UNSET


class GetMatchResponse(Message, frozen=True):
    """A match."""

    match: Match


class ListLegalMovesRequest(Message, frozen=True):
    """Asks what the caller's seat can do."""

    match_id: str = ""
    seat: int | UnsetType = UNSET
    include_illegal: bool = False


class ListLegalMovesResponse(Message, frozen=True):
    """What the caller's seat can do."""

    version: int
    decision: Decision | None
    legal_moves: tuple[LegalMove, ...]
    illegal_moves: tuple[IllegalMove, ...]


class ApplyMoveRequest(Message, frozen=True):
    """Asks to apply a move."""

    decision_id: int
    match_id: str = ""
    seat: int | UnsetType = UNSET
    move_id: str | UnsetType = UNSET
    move: Move | None = None
    request_id: str = ""
    omit_view: bool = False
    omit_legal_moves: bool = False


class ApplyMoveResponse(Message, frozen=True):
    """A move was applied."""

    applied_version: int
    version: int
    updates: tuple[Update, ...]
    status: MatchStatus
    view: View | None
    decision: Decision | None
    legal_moves: tuple[LegalMove, ...]
    outcome: Outcome | None


class ListEventsRequest(Message, frozen=True):
    """Asks for the history."""

    match_id: str = ""
    seat: int | UnsetType = UNSET
    since_version: int = 0
    page_size: int = 0


class ListEventsResponse(Message, frozen=True):
    """A page of the history."""

    updates: tuple[Update, ...]
    version: int
    next_since_version: int


class WatchMatchRequest(Message, frozen=True):
    """Asks to watch a match."""

    match_id: str = ""
    seat: int | UnsetType = UNSET
    since_version: int | UnsetType = UNSET
    with_view: bool = False


class WatchMatchResponse(Message, frozen=True):
    """What a watcher gets: the match, a step, or neither in a heartbeat."""

    version: int
    match: Match | None = None
    update: Update | None = None
    view: View | None = None
    outcome: Outcome | None = None


class PlayOpen(Message, frozen=True):
    """Opens a stream."""

    match_id: str = ""
    seat: int | UnsetType = UNSET
    since_version: int = 0
    omit_view: bool = False


class PlayMove(Message, frozen=True):
    """A move on a stream."""

    decision_id: int
    move_id: str | UnsetType = UNSET
    move: Move | None = None
    request_id: str = ""


class PlayMatchRequest(Message, frozen=True):
    """What a seat sends."""

    open: PlayOpen | None = None
    move: PlayMove | None = None


class PlayQuestion(Message, frozen=True):
    """The seat is asked."""

    version: int
    decision: Decision
    legal_moves: tuple[LegalMove, ...]
    view: View | None


class PlayRefusal(Message, frozen=True):
    """Why a move was refused."""

    code: int
    reason: str
    message: str
    violation: Violation | None


class PlayVerdict(Message, frozen=True):
    """What became of a move."""

    decision_id: int
    request_id: str
    applied_version: int
    refusal: PlayRefusal | None


class PlayEnd(Message, frozen=True):
    """The match is over."""

    status: MatchStatus
    outcome: Outcome | None


class PlayMatchResponse(Message, frozen=True):
    """What a seat gets: all that there is to say at a time."""

    verdict: PlayVerdict | None = None
    updates: tuple[Update, ...] = ()
    question: PlayQuestion | None = None
    end: PlayEnd | None = None


class ResignSeatRequest(Message, frozen=True):
    """Leaves a match."""

    match_id: str = ""
    seat: int | UnsetType = UNSET


class ResignSeatResponse(Message, frozen=True):
    """The seat has left."""

    match: Match


class GetProofRequest(Message, frozen=True):
    """Asks for the proof of a match."""

    match_id: str = ""


class ClientSeed(Message, frozen=True):
    """A seat's own contribution to the generator."""

    seat: int
    text: str


class ProofDraw(Message, frozen=True):
    """A draw from the match's generator."""

    name: str
    values: tuple[int, ...]


class ProofStep(Message, frozen=True):
    """One step, with all that it held."""

    version: int
    cause: Cause
    seat: int
    time: Timestamp
    move: Move | None
    move_id: str
    draws: tuple[ProofDraw, ...]
    events: tuple[Event, ...]
    entry: str
    digest: str


class GetProofResponse(Message, frozen=True):
    """The proof of a match."""

    match: Match
    seed: str
    client_seeds: tuple[ClientSeed, ...]
    options: Options | None
    steps: tuple[ProofStep, ...]
    digest: str


class DeleteMatchRequest(Message, frozen=True):
    """Deletes a match."""

    match_id: str = ""


class DeleteMatchResponse(Message, frozen=True):
    """The match is gone."""


# ---- catalog.proto


class Mode(Message, frozen=True):
    """A way to play a game."""

    mode: str
    title: str
    min_seats: int
    max_seats: int


class GameSummary(Message, frozen=True):
    """A game in one line."""

    game: str
    title: str
    modes: tuple[Mode, ...]
    house_bots: tuple[str, ...]
    ruleset: int


class OptionInfo(Message, frozen=True):
    """An option of a game."""

    name: str
    description: str
    default_value: str
    values: tuple[str, ...]
    minimum: int | UnsetType
    maximum: int | UnsetType


class DecisionKind(Message, frozen=True):
    """A kind of decision."""

    kind: str
    move_types: tuple[str, ...]


class CardSetSummary(Message, frozen=True):
    """A card set in one line."""

    card_set: str
    title: str
    digest: str


class Game(Message, frozen=True):
    """A game without its rules and cards."""

    summary: GameSummary
    options: tuple[OptionInfo, ...]
    card_sets: tuple[CardSetSummary, ...]
    decision_kinds: tuple[DecisionKind, ...]
    end_reasons: tuple[str, ...]


class Rule(Message, frozen=True):
    """A rule."""

    rule: str
    text: str
    section: str
    house: bool


class CardValue(Message, frozen=True):
    """A value of a card."""

    name: str
    number: int | UnsetType = UNSET
    word: str | UnsetType = UNSET


class Card(Message, frozen=True):
    """A card."""

    card: str
    kind: str
    name: str
    text: str
    values: tuple[CardValue, ...]
    copies: int
    provenance: Provenance


class CardSet(Message, frozen=True):
    """A card set."""

    summary: CardSetSummary
    cards: tuple[Card, ...]


# ---- catalog_service.proto


class ListGamesRequest(Message, frozen=True):
    """Asks for the games."""


class ListGamesResponse(Message, frozen=True):
    """The games."""

    games: tuple[GameSummary, ...]


class GetGameRequest(Message, frozen=True):
    """Asks for a game."""

    game: str = ""


class GetGameResponse(Message, frozen=True):
    """A game."""

    game: Game


class ListRulesRequest(Message, frozen=True):
    """Asks for the rules of a game."""

    game: str = ""


class ListRulesResponse(Message, frozen=True):
    """The rules of a game."""

    rules: tuple[Rule, ...]


class GetCardSetRequest(Message, frozen=True):
    """Asks for a card set."""

    game: str = ""
    card_set: str = ""


class GetCardSetResponse(Message, frozen=True):
    """A card set."""

    card_set: CardSet
