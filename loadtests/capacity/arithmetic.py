"""From what was measured to many matches: pure, and all of it can be worked out again from the figures on the page."""

from statistics import mean
from typing import Any

Figures = dict[str, Any]

ASSUMPTIONS: Figures = {
    "seconds_a_move": 10.0,
    "watchers_a_match": 1.0,
    "used_of_a_core": 0.6,
    "kept_days": 7.0,
    "kept_days_short": 1 / 24,
    "redis_gb": 32.0,
    "network_gbit": 10.0,
}
"""A match's moves come so many seconds apart; so many spectators beside the seats; no core is used beyond this share; how long finished matches are kept; what
one Redis and one network interface hold."""

SCALES = (10_000, 1_000_000)


def averages(measured: Figures) -> Figures:
    """Average over the games' modes and both doors, with calls spread over workers as a balancing proxy spreads them, where that was measured."""
    costs = measured["moves"]
    most = max(row["workers"] for row in costs)
    plain = [row for row in costs if row["workers"] == most and not row["watched"] and row["spread"] == (most > 1)]
    names = ("server_us", "redis_us", "redis_commands", "redis_bytes_in", "redis_bytes_out", "bytes_in", "bytes_out", "moves_per_match")
    found = {name: mean(row[name] for row in plain) for name in names}
    found |= {name: mean(row[name] for row in measured["sizes"]) for name in ("running_bytes", "finished_bytes")}
    watched = [(row, _without_watcher(row, costs)) for row in costs if row["watched"]]
    found["watch_us"] = max(mean(row["server_us"] - bare["server_us"] for row, bare in watched), 0.0)
    found["watch_bytes"] = mean(row["bytes_out"] - bare["bytes_out"] for row, bare in watched)
    found["create_us"] = mean(row["server_us"] for row in measured["creation"])
    found["create_redis_us"] = mean(row["redis_us"] for row in measured["creation"])
    found |= {f"idle_{name}": mean(row[name] for row in measured["idle"]) for name in measured["idle"][0]}
    return {name: round(value, 2) for name, value in found.items()}


def _without_watcher(row: Figures, costs: list[Figures]) -> Figures:
    same = ("kind", "door", "workers", "spread")
    return next(bare for bare in costs if not bare["watched"] and all(bare[name] == row[name] for name in same))


def needs(matches: int, average: Figures, assumed: Figures) -> Figures:
    """Say what so many matches at once need."""
    moves = matches / assumed["seconds_a_move"]
    created = moves / average["moves_per_match"]
    watched = moves * assumed["watchers_a_match"]
    server = moves * average["server_us"] + watched * average["watch_us"] + created * average["create_us"]
    workers = server / 1e6 / (assumed["used_of_a_core"] - average["idle_server_us"] / 1e6)
    redis = moves * average["redis_us"] + created * average["create_redis_us"] + workers * average["idle_redis_us"]
    to_redis = moves * (average["redis_bytes_in"] + average["redis_bytes_out"]) + workers * (average["idle_redis_bytes_in"] + average["idle_redis_bytes_out"])
    running = matches * average["running_bytes"]

    def memory_gb(days: float) -> float:
        return (running + created * days * 86_400 * average["finished_bytes"]) / 1e9

    return {
        "matches": matches,
        "moves_s": moves,
        "created_s": created,
        "worker_cores": workers,
        "redis_threads": redis / 1e6 / assumed["used_of_a_core"],
        "redis_commands_s": moves * average["redis_commands"] + workers * average["idle_redis_commands"],
        "redis_gb": memory_gb(assumed["kept_days"]),
        "redis_gb_short": memory_gb(assumed["kept_days_short"]),
        "in_mbit_s": moves * average["bytes_in"] * 8 / 1e6,
        "out_mbit_s": (moves * average["bytes_out"] + watched * average["watch_bytes"]) * 8 / 1e6,
        "redis_mbit_s": to_redis * 8 / 1e6,
    }


def limits(average: Figures, assumed: Figures) -> list[Figures]:
    """Say at how many matches at once one of each thing is full, the smallest first: all needs grow with the number of matches."""
    one = needs(1, average, assumed)
    full = {
        "redis_memory": assumed["redis_gb"] / one["redis_gb"],
        "redis_memory_short": assumed["redis_gb"] / one["redis_gb_short"],
        "worker_core": 1 / one["worker_cores"],
        "redis_thread": 1 / one["redis_threads"],
        "network": assumed["network_gbit"] * 1e3 / max(one["out_mbit_s"], one["in_mbit_s"], one["redis_mbit_s"]),
    }
    return [{"what": what, "matches": int(number)} for what, number in sorted(full.items(), key=lambda item: item[1])]


def derive(measured: Figures, assumed: Figures) -> Figures:
    """Do all of the arithmetic."""
    average = averages(measured)
    scaled = [{name: round(value, 3) for name, value in needs(matches, average, assumed).items()} for matches in SCALES]
    return {"averages": average, "needs": scaled, "limits": limits(average, assumed)}
