"""What a run says in the end: the table for people, the same as data, and the exit status."""

from typing import Any, NamedTuple

from locust.env import Environment

from loadtests.load.tally import Tally


class Row(NamedTuple):
    """One line of the table: a call by its door and rpc; milliseconds."""

    door: str
    call: str
    calls: int
    per_second: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    failed: int


COLUMNS = ("door", "call", "calls", "1/s", "p50 ms", "p95 ms", "p99 ms", "failed")


def summarise(environment: Environment, tally: Tally, *, generator_core: float | None = None) -> dict[str, Any]:
    """Put a run together as plain data."""
    stats = environment.stats
    seconds = max((stats.last_request_timestamp or 0) - stats.start_time, 1.0)
    rows = [
        Row(
            entry.method,
            entry.name,
            entry.num_requests,
            round(entry.num_requests / seconds, 2),
            *(round(float(entry.get_response_time_percentile(part) or 0), 1) for part in (0.5, 0.95, 0.99)),
            entry.num_failures,
        )
        for entry in stats.entries.values()
    ]
    failures = {f"{error.method} {error.name}: {_reason(error.error)}": error.occurrences for error in stats.errors.values()}
    faults = [f"{fault['count']}x {fault['msg']}" for fault in getattr(environment.runner, "exceptions", {}).values()]
    summary = {
        "seconds": round(seconds, 1),
        "calls": [row._asdict() for row in sorted(rows)],
        "failures": failures,
        "faults": faults,
        "finished": dict(sorted(tally.finished.items())),
        "unfinished": dict(sorted(tally.unfinished.items())),
        "expected_refusals": dict(tally.expected),
        "repeated": dict(sorted(tally.repeated.items())),
        "checked": dict(tally.checked),
        "findings": [finding._asdict() for finding in tally.findings],
        "unjudged": tally.unjudged,
        "generator_core": None if generator_core is None else round(generator_core, 2),
    }
    return summary | {"status": status_of(summary)}


def status_of(summary: dict[str, Any]) -> int:
    """Say how the process ends: 1 if a match was lost or contradictory, a call failed, a client broke down, or nothing was checked."""
    bad = summary["findings"] or summary["failures"] or summary["faults"] or summary["unjudged"]
    return 1 if bad or not summary["checked"].get("moves") else 0


def tell(summary: dict[str, Any]) -> None:
    """Print a run."""
    print(f"\n{COLUMNS[0]:6}{COLUMNS[1]:40}" + "".join(f"{name:>9}" for name in COLUMNS[2:]))
    for row in (Row(**found) for found in summary["calls"]):
        figures = f"{row.calls:9}{row.per_second:9.1f}{row.p50_ms:9.1f}{row.p95_ms:9.1f}{row.p99_ms:9.1f}{row.failed:9}"
        print(f"{row.door:6}{row.call:40}{figures}")
    _list("failures, by reason", summary["failures"])
    _list("matches finished, by game, mode and ending", summary["finished"])
    _list("matches not finished", summary["unfinished"])
    _list("refused as it must be", summary["expected_refusals"])
    _list("tried again by the clients, by what happened", summary["repeated"])
    _list("compared", summary["checked"])
    for finding in summary["findings"]:
        print(f"\n{finding['kind'].upper()} match {finding['match_id']}: {finding['what']}")
    for fault in summary["faults"]:
        print(f"\nFAULT of the load test: {fault}")
    for unjudged in summary["unjudged"]:
        print(f"\nCOULD NOT BE COMPARED: match {unjudged}")
    busy = summary["generator_core"]
    used = "" if busy is None else f"; the load test itself used {busy:.0%} of a core{': it may be what limits' if busy > _BUSY else ''}"
    print(f"\n{summary['seconds']:.0f} s{used}")
    print("ok" if summary["status"] == 0 else "FAILED")


_BUSY = 0.85


def _reason(error: Any) -> str:
    reason = getattr(error, "reason", None)
    return str(reason) if reason else str(error)


def _list(title: str, counts: dict[str, int]) -> None:
    if counts:
        print(f"\n{title}")
        for name, count in counts.items():
            print(f"  {count:8}  {name}")
