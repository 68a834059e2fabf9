"""Whether the servers behind an address fit together, and what was found at each of them in as few lines as possible."""

from collections.abc import Iterator, Sequence

import msgspec

from service.doctor.finding import Finding, error, ok, warning
from service.doctor.look_at_group import Group
from service.redis_place import Kind

_ALL_SLOTS = 16_384


def judge_group(group: Group) -> Iterator[Finding]:
    """Judge what the sentinels or the nodes of a cluster say."""
    match group.kind:
        case Kind.SENTINEL:
            yield from _sentinels(group)
        case Kind.CLUSTER:
            yield from _slots(group)


def together(found: Sequence[tuple[str, Sequence[Finding]]]) -> Iterator[Finding]:
    """Put the findings of several servers together, check by check: what is the same everywhere is said once, else it is said of whom."""
    checks = dict.fromkeys(finding.check for _, findings in found for finding in findings)
    for check in checks:
        servers: dict[Finding, list[str]] = {}
        for server, findings in found:
            for finding in findings:
                if finding.check == check:
                    servers.setdefault(finding, []).append(server)
        for finding, of in servers.items():
            yield finding if len(of) == len(found) else msgspec.structs.replace(finding, found=f"{', '.join(of)}: {finding.found}")


def _sentinels(group: Group) -> Iterator[Finding]:
    check, master = "redis.sentinels", group.masters[0]
    asked = sum(group.named.values()) + len(group.silent)
    if len(group.named) > 1:
        yield error(check, f"they name different masters: {', '.join(group.named)}", "wait for the fail-over to end; else see to the sentinels' quorum")
    elif group.silent:
        silent = ", ".join(f"{address} ({problem})" for address, problem in group.silent.items())
        yield warning(check, f"{master.shown} is the master, but of {asked} sentinels these do not say so: {silent}", "bring them back: a fail-over needs most")
    elif asked < 3:
        yield warning(check, f"{master.shown} is the master, by {asked} named", "name three sentinels or more: a fail-over needs most of them")
    else:
        yield ok(check, f"{master.shown} is the master, by all {asked}; it is the one looked at")


def _slots(group: Group) -> Iterator[Finding]:
    check, shown = "redis.slots", ", ".join(master.shown for master in group.masters)
    if group.slots < _ALL_SLOTS:
        yield error(
            check, f"{_ALL_SLOTS - group.slots} slots have no master: their matches are away", "see `CLUSTER SHARDS`; bring masters back or assign the slots"
        )
    else:
        yield ok(check, f"{len(group.masters)} masters have all slots, and each is looked at: {shown}")
    alone = [master.shown for master in group.masters if not master.replicas]
    if alone:
        found = f"no replica stands by for {', '.join(alone)}: when it dies, its matches are away until it is back"
        yield warning("redis.standby", found, "give each master a replica")
    else:
        yield ok("redis.standby", "each master has a replica")
    if group.silent:
        silent = ", ".join(f"{address} ({problem})" for address, problem in group.silent.items())
        yield warning("redis.nodes", f"of those named these do not answer: {silent}", "bring them back, or name others")
