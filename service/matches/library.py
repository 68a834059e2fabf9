"""The games on offer, each with its engines and with the decoders of what is stored of it."""

from collections.abc import Mapping
from typing import Any, Union

import msgspec

from engines.kit.cards import CardSet
from engines.kit.contract import Engine, Game
from engines.kit.structs import Options, State
from service.errors import NotFound, SnapshotUnreadable, Unavailable
from service.matches.ports import EngineObserver, NobodyAsks
from service.matches.record import FORMAT, LogEntry, Snapshot
from service.messages import MATCH_EVENTS

Entry = LogEntry[Any, Any, Any]

_snapshots = msgspec.msgpack.Decoder(Snapshot)

encode = msgspec.msgpack.Encoder().encode
"""Encode a snapshot, a log entry, a state or options for the store."""


class HostedGame:
    """A registered game with what it takes to host it; ``observer`` is told how long its rules take."""

    def __init__(self, game: Game, observer: EngineObserver) -> None:
        self.game = game
        self.observer = observer
        self._engines: dict[tuple[str, str], Engine[Any]] = {}
        # The unions are made here, from what the game registered, so they are Any to the checker.
        events: Any = Union[(*game.events, *MATCH_EVENTS)]
        moves: Any = Union[tuple(game.moves)]  # noqa: UP007
        questions: Any = Union[tuple(game.questions)]  # noqa: UP007
        self._states: msgspec.msgpack.Decoder[State] = msgspec.msgpack.Decoder(game.state)
        self._options: msgspec.msgpack.Decoder[Options] = msgspec.msgpack.Decoder(game.options)
        self._entries: Any = msgspec.msgpack.Decoder(LogEntry[events, moves, questions])

    def engine(self, mode: str, cards: CardSet) -> Engine[Any]:
        """Return the rules of a mode with a card set of this game."""
        key = mode, cards.id
        if key not in self._engines:
            chosen = next(candidate for candidate in self.game.modes if candidate.id == mode)
            self._engines[key] = chosen.engine(cards)
        return self._engines[key]

    def card_set(self, name: str) -> CardSet:
        """Return a card set by id; "" is the default.

        Raises:
            NotFound: CARD_SET_NOT_FOUND.
        """
        return self.named_card_set(name) if name else self.game.default_card_set

    def named_card_set(self, name: str) -> CardSet:
        """Return a card set by id.

        Raises:
            NotFound: CARD_SET_NOT_FOUND.
        """
        cards = self.game.card_sets.get(name)
        if cards is None:
            raise NotFound("CARD_SET_NOT_FOUND", f"{self.game.title} has no card set {name!r}", {"game": self.game.id, "card_set": name})
        return cards

    def decode_state(self, data: msgspec.Raw) -> State:
        return self._states.decode(data)

    def decode_options(self, data: msgspec.Raw) -> Options:
        return self._options.decode(data)

    def decode_entry(self, data: bytes) -> Entry:
        entry: Entry = self._entries.decode(data)
        return entry


class Library:
    """All games on offer."""

    def __init__(self, games: Mapping[str, Game], observer: EngineObserver | None = None) -> None:
        self.games = {game_id: HostedGame(game, observer or NobodyAsks()) for game_id, game in games.items()}

    def find(self, game: str) -> HostedGame:
        """Return a game that a caller names.

        Raises:
            NotFound: GAME_NOT_FOUND.
        """
        try:
            return self.games[game]
        except KeyError:
            raise NotFound("GAME_NOT_FOUND", f"there is no game {game!r}", {"game": game}) from None

    def host(self, snapshot: Snapshot) -> tuple[HostedGame, Engine[Any]]:
        """Return the game and the rules by which a stored match is played.

        Raises:
            Unavailable: RULESET_UNKNOWN_HERE: a newer release made it, with a game, a ruleset or a card set that this one does not have, or wrote more than
                this one knows.
        """
        hosted = self.games.get(snapshot.game)
        cards = hosted.game.card_sets.get(snapshot.card_set) if hosted else None
        if hosted is None or cards is None or cards.digest != snapshot.card_set_digest or snapshot.ruleset > hosted.game.ruleset:
            raise Unavailable("RULESET_UNKNOWN_HERE", "this worker does not know the match's rules; another may", ruleset=str(snapshot.ruleset))
        if snapshot.format > FORMAT:
            raise Unavailable("RULESET_UNKNOWN_HERE", "a newer release wrote this match; another worker may know it", ruleset=str(snapshot.ruleset))
        return hosted, hosted.engine(snapshot.mode, cards)


def decode_snapshot(match_id: str, data: bytes) -> Snapshot:
    """Decode a snapshot.

    Raises:
        SnapshotUnreadable: it is no snapshot.
    """
    try:
        snapshot = _snapshots.decode(data)
    except msgspec.MsgspecError as error:
        raise SnapshotUnreadable(match_id) from error
    if snapshot.format < 1:
        raise SnapshotUnreadable(match_id)
    return snapshot
