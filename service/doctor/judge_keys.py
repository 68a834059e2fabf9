"""What the sample of keys says."""

from collections.abc import Iterator

from service.doctor.finding import Finding, error, ok, unknown, warning
from service.doctor.look_at_keys import KeyFacts

_LOOK = "look at it with `umpire admin match show`"


def judge_keys(facts: KeyFacts | None) -> Iterator[Finding]:
    """Judge a sample; None: it could not be taken."""
    if facts is None:
        yield unknown("redis.keys", "this user may not list keys (SCAN)")
        return
    counted = ", ".join(f"{count} {status}" for status, count in sorted(facts.statuses.items()))
    extent = "all" if facts.is_complete else "a sample of"
    yield ok("redis.keys", f"{extent} {facts.seen} keys, {facts.matches} matches{f': {counted}' if counted else ''}")
    if facts.foreign:
        shown = ", ".join(f"{count} like {name}" for name, count in facts.foreign.most_common(3))
        advice = "give Umpire a prefix of its own (--key-prefix), or remove them"
        yield warning("redis.foreign_keys", f"{facts.foreign.total()} keys under the prefix are none of Umpire's: {shown}", advice)
    if facts.never_expiring:
        advice = "something took their time to live away (PERSIST, or a restore without it); set it again with PEXPIRE"
        yield warning("redis.expiry", f"{facts.never_expiring} keys never expire", advice)
    if facts.unreadable:
        yield error(
            "redis.unreadable",
            f"{_named(facts.unreadable)} cannot be read",
            "restore from a backup, or delete: calls for such a match fail with SNAPSHOT_UNREADABLE",
        )
    if facts.unknown_rules:
        found = f"{_named(facts.unknown_rules)} by rules or cards that are not known here"
        yield error("redis.rulesets", found, f"run the release that made it, or a newer one; {_LOOK}")
    if facts.short_logs:
        yield error("redis.logs", f"{_named(facts.short_logs)} with a log that ends too early", f"its history is lost; {_LOOK}")


def _named(matches: list[str]) -> str:
    return f"{len(matches)} {'match' if len(matches) == 1 else 'matches'} (such as {matches[0]})"
