"""Every metric of a worker: its name, type, labels and meaning. The worker makes them from this, and deploy/METRICS.md is written from it."""

from typing import NamedTuple

_CALL = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
_ENGINE = (0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1)
_LAG = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_PATIENCE = (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400)

COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"

DOORS = {"grpc": "grpc", "rest": "http", "connect": "connect"}
"""The prefix of a door's metrics, by the transport."""


class Declared(NamedTuple):
    """A metric as it is scraped. ``bounds`` are a histogram's buckets, in seconds; ``is_given`` says that a library makes it."""

    name: str
    kind: str
    labels: tuple[str, ...]
    meaning: str
    bounds: tuple[float, ...] = ()
    is_given: bool = False


def _door(prefix: str, of: str) -> tuple[Declared, ...]:
    labels = (f"{prefix}_type", f"{prefix}_service", f"{prefix}_method")
    return (
        Declared(f"{prefix}_server_started_total", COUNTER, labels, f"Calls over {of} begun."),
        Declared(f"{prefix}_server_handled_total", COUNTER, (*labels, f"{prefix}_code"), f"Calls over {of} answered, by code; CANCELLED: a stream was left."),
        Declared(f"{prefix}_server_handling_seconds", HISTOGRAM, labels, f"Seconds from a call over {of} to its answer, or to its stream's end.", _CALL),
    )


def _given(name: str, kind: str, meaning: str) -> Declared:
    return Declared(name, kind, (), meaning, is_given=True)


RPC = (
    *_door("grpc", "gRPC"),
    *_door("http", "REST"),
    *_door("connect", "Connect"),
    Declared("umpire_refusals_total", COUNTER, ("reason",), "Calls, and moves on streams, that were refused, by reason."),
)

RULES = (
    Declared("umpire_matches_created_total", COUNTER, ("game", "mode"), "Matches created."),
    Declared("umpire_matches_finished_total", COUNTER, ("game", "mode", "reason"), "Matches that reached an outcome, by how."),
    Declared("umpire_moves_total", COUNTER, ("game", "kind", "cause"), "Moves applied, by the kind of decision and by the cause; never by what was chosen."),
    Declared(
        "umpire_decision_seconds", HISTOGRAM, ("game", "kind"), "Seconds that a decision stood open until it was answered, by whom or what ever.", _PATIENCE
    ),
    Declared("umpire_deadlines_missed_total", COUNTER, ("game", "kind"), "Deadlines that passed, and for which the game made its default move."),
    Declared(
        "umpire_open_windows",
        GAUGE,
        (),
        "Matches that wait for a deadline (or for a house bot), in this worker's share of the buckets: the sum over workers is all.",
    ),
    Declared("umpire_oldest_overdue_seconds", GAUGE, (), "Seconds for which the oldest missed deadline of all has not been dealt with; up to 2 are usual."),
    Declared(
        "umpire_engine_seconds",
        HISTOGRAM,
        ("game", "step"),
        "Seconds that the rules took to apply a move, list legal moves, make a view, choose for a bot.",
        _ENGINE,
    ),
)

STORE = (
    Declared("umpire_commits_total", COUNTER, ("game", "outcome"), "Commits of matches, by what became of them."),
    Declared("umpire_commit_conflicts_total", COUNTER, ("game",), "Commits that lost a race and were begun again."),
    Declared("umpire_store_seconds", HISTOGRAM, ("command", "outcome"), "Seconds that a command of the store took.", _CALL),
    Declared("umpire_store_waiting", GAUGE, (), "Commands that were sent to the store and are not answered."),
    Declared("umpire_store_connections_lost_total", COUNTER, (), "Connections to the store that broke."),
    Declared("umpire_redis_used_memory_bytes", GAUGE, ("node",), "Memory that a master of the store holds. Each worker asks every 15 seconds."),
    Declared("umpire_redis_max_memory_bytes", GAUGE, ("node",), "Its `maxmemory`; 0: it has no limit, and what the machine has is not known."),
    Declared(
        "umpire_redis_disk_fails", GAUGE, ("node",), "1 while its last write to the append-only file, its last rewriting of it or its last snapshot failed."
    ),
    Declared("umpire_redis_replicas", GAUGE, ("node",), "Replicas that follow it and have all that it holds."),
)

STREAMS = (
    Declared("umpire_watchers", GAUGE, (), "Streams that watch or play a match now."),
    Declared("umpire_streams_total", COUNTER, ("door", "end"), "Streams that have ended, by how."),
    Declared("umpire_updates_sent_total", COUNTER, (), "Steps of matches that were sent over streams."),
    Declared("umpire_watch_lag_seconds", HISTOGRAM, (), "Seconds from a step to its being handed to a stream; not for what a watcher catches up with.", _LAG),
    Declared("umpire_watchers_too_slow_total", COUNTER, (), "Streams cut off because their caller did not read."),
)

WORKER = (
    Declared("umpire_ready", GAUGE, (), "1 while this worker takes calls: what `/readyz` says. It looks every 5 seconds, and whenever it is asked."),
    Declared("umpire_build_info", GAUGE, ("version",), "1; the release that runs."),
    Declared("umpire_loop_lag_seconds", HISTOGRAM, (), "Seconds by which the event loop was late, looked at four times a second.", _LAG),
    _given("process_cpu_seconds_total", COUNTER, "Seconds of CPU that the process has used."),
    _given("process_resident_memory_bytes", GAUGE, "Memory of the process."),
    _given("process_virtual_memory_bytes", GAUGE, "Address space of the process."),
    _given("process_open_fds", GAUGE, "Open files and connections of the process."),
    _given("process_max_fds", GAUGE, "How many it may open."),
    _given("process_start_time_seconds", GAUGE, "When the process began, in seconds since 1970."),
)

GROUPS = {"Calls": RPC, "Rules": RULES, "Store": STORE, "Streams": STREAMS, "The worker": WORKER}

DECLARED = {metric.name: metric for group in GROUPS.values() for metric in group}


def metrics_tables() -> str:
    """Write the metrics as Markdown tables, a group each."""
    return "\n".join(f"### {title}\n\n{_table(group)}\n" for title, group in GROUPS.items())


def _table(group: tuple[Declared, ...]) -> str:
    rows = [f"| `{metric.name}` | {metric.kind} | {', '.join(f'`{label}`' for label in metric.labels)} | {metric.meaning} |" for metric in group]
    return "\n".join(["| name | type | labels | meaning |", "| --- | --- | --- | --- |", *rows])
