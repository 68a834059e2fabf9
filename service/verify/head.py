"""What a match begins with, from a proof: a match before its deal that can be played again."""

import msgspec

from engines.kit.chance import commitment
from engines.kit.contract import Mode
from engines.kit.options import OptionsError
from service import messages
from service.matches.library import HostedGame, Library, encode
from service.matches.match import Match
from service.matches.record import FORMAT, SeatRecord, Snapshot, nothing_dealt
from service.messages import Controller, SeedSource
from service.verify.comparing import Difference
from service.verify.proof_file import Unusable

_SEED_BYTES = 32


def begin(proof: messages.GetProofResponse, library: Library) -> Match:
    """Check what a match begins with and make it, before its deal.

    Raises:
        Difference: something does not fit together.
        Unusable: this release does not know the game, its ruleset or its card set.
    """
    told = proof.match
    hosted = library.games.get(told.game)
    if hosted is None or told.ruleset > hosted.game.ruleset or told.card_set not in hosted.game.card_sets:
        what = f"game {told.game!r}, ruleset {told.ruleset}, card set {told.card_set!r}"
        raise Unusable(f"this release does not know {what}; verify it with the release that played it, or a newer one")
    if told.ruleset < 1:
        raise Difference(0, "match.ruleset", "there is no such ruleset", found=told.ruleset)
    cards = hosted.game.card_sets[told.card_set]
    if told.card_set_digest != cards.digest:
        why = f"the card set {cards.id} has another content here"
        raise Difference(0, "match.cardSetDigest", why, expected=cards.digest, found=told.card_set_digest)
    mode = _mode(hosted, told)
    seed = _seed(proof)
    client_seeds = _client_seeds(proof)
    record = Snapshot(
        format=FORMAT,
        match_id=told.match_id,
        game=told.game,
        mode=mode.id,
        ruleset=told.ruleset,
        card_set=cards.id,
        card_set_digest=cards.digest,
        seats=[_seat(seat, client_seeds.get(seat.seat, "")) for seat in told.seats],
        seed=seed,
        seed_source=told.seed_source,
        created=told.create_time,
        updated=told.create_time,
        ttl=told.expire_time - told.update_time,
        create_request=b"",
        hot_seat=False,
        options=_options(proof, hosted),
        move_timeout=told.move_timeout or 0,
        **nothing_dealt(),
    )
    return Match(record, hosted, hosted.engine(mode.id, cards))


def _mode(hosted: HostedGame, told: messages.Match) -> Mode:
    if [seat.seat for seat in told.seats] != list(range(1, len(told.seats) + 1)):
        raise Difference(0, "match.seats", "the seats are not numbered from 1")
    automata = sum(seat.controller is Controller.AUTOMATON for seat in told.seats)
    others = len(told.seats) - automata
    mode = hosted.game.mode_for(others)
    if mode is None or len(mode.automata) != automata:
        raise Difference(0, "match.seats", f"the game is not played with {others} seats and {automata} automata")
    if mode.id != told.mode:
        raise Difference(0, "match.mode", "the number of seats makes another mode", expected=mode.id, found=told.mode)
    return mode


def _seed(proof: messages.GetProofResponse) -> bytes:
    try:
        seed = bytes.fromhex(proof.seed)
    except ValueError:
        seed = b""
    if len(seed) != _SEED_BYTES or proof.seed != seed.hex():
        raise Difference(0, "seed", f"is not {2 * _SEED_BYTES} hexadecimal digits", found=proof.seed)
    if commitment(seed) != proof.match.seed_commitment:
        why = "its SHA-256 is not what the server committed to (match.seedCommitment)"
        raise Difference(0, "seed", why, expected=proof.match.seed_commitment, found=commitment(seed))
    return seed


def _client_seeds(proof: messages.GetProofResponse) -> dict[int, str]:
    seats = [given.seat for given in proof.client_seeds]
    persons = {seat.seat for seat in proof.match.seats if seat.controller is Controller.PERSON}
    if seats != sorted(set(seats)) or not persons.issuperset(seats) or not all(given.text for given in proof.client_seeds):
        raise Difference(0, "clientSeeds", "are not one text each of some persons' seats, by seat")
    source = proof.match.seed_source
    if source is not SeedSource.CALLER and (source is SeedSource.SERVER_AND_SEATS) is not bool(seats):
        expected = SeedSource.SERVER_AND_SEATS if seats else SeedSource.SERVER
        raise Difference(0, "match.seedSource", f"there are {len(seats)} client seeds", expected=expected.value, found=source.value)
    return {given.seat: given.text for given in proof.client_seeds}


def _options(proof: messages.GetProofResponse, hosted: HostedGame) -> msgspec.Raw:
    field, cards = f"options.{hosted.game.id}", hosted.game.card_sets[proof.match.card_set]
    if not isinstance(proof.options, hosted.game.options):
        raise Difference(0, "options", f"are not of the game {hosted.game.id}")
    try:
        filled_in = hosted.game.fill_in_options(cards, msgspec.structs.asdict(proof.options))
    except OptionsError as error:
        raise Difference(0, f"{field}.{error.problems[0][0]}", error.problems[0][1]) from None
    return msgspec.Raw(encode(filled_in))


def _seat(seat: messages.Seat, client_seed: str) -> SeatRecord:
    return SeatRecord(
        controller=seat.controller,
        house_bot=seat.house_bot,
        display_name=seat.display_name,
        metadata=seat.metadata,
        claimed=seat.claimed,
        client_seed=client_seed,
    )
