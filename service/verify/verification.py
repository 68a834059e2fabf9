"""The order of the checks: how the match begins, each step, how it stands at the end."""

from typing import NamedTuple

from service import messages
from service.matches.access import PUBLIC
from service.matches.library import Library
from service.matches.match import Match
from service.matches.present import present_match
from service.verify.comparing import Difference, first_difference
from service.verify.head import begin
from service.verify.proof_file import Proof, Trees
from service.verify.steps import check_step


class Verified(NamedTuple):
    """A proof that holds: the match that it is of, and the client seeds, of which only their seats know whether they are theirs."""

    match: messages.Match
    client_seeds: tuple[messages.ClientSeed, ...]
    digest: str


def verify(proof: Proof, library: Library, trees: Trees) -> Verified:
    """Replay a proof and compare everything.

    Raises:
        Difference: the first one there is.
        Unusable: this release does not know the match's rules.
    """
    match = begin(proof.content, library)
    digest = b""
    for told, tree in proof.steps:
        digest = check_step(match, told, tree, digest, trees)
    _check_end(match, proof, digest, trees)
    return Verified(proof.content.match, proof.content.client_seeds, proof.content.digest)


def _check_end(match: Match, proof: Proof, digest: bytes, trees: Trees) -> None:
    version = match.record.version
    if proof.content.match.version != version:
        raise Difference(version + 1, "steps", f"the match has {proof.content.match.version} steps, the proof {version}")
    if not match.record.status.is_over:
        raise Difference(version, "match.status", "the match is not over after the last step", expected=match.record.status.value)
    place = first_difference(trees.of(present_match(match, PUBLIC)), proof.tree["match"], "match")
    if place is not None:
        raise Difference(version, place.path, "the replay ends differently", expected=place.expected, found=place.found)
    if proof.content.digest != digest.hex():
        raise Difference(version, "digest", "is not that of the last step", expected=digest.hex(), found=proof.content.digest)
