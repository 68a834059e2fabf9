"""The parts of ``deploy/CAPACITY.md`` that come from the figures: written between markers, so that the page and the figures cannot differ."""

import re
from typing import Any

from loadtests.capacity.arithmetic import Figures

NAMES = {
    "redis_memory": "memory of one Redis, {redis_gb:g} GB, finished matches kept for {kept_days:g} days (the default)",
    "redis_memory_short": "memory of one Redis, {redis_gb:g} GB, finished matches kept for an hour",
    "worker_core": "one core for workers, used to {used_of_a_core:.0%}",
    "redis_thread": "the thread of one Redis, used to {used_of_a_core:.0%}",
    "network": "one network interface of {network_gbit:g} Gbit/s",
}


def fill(page: str, figures: Figures) -> str:
    """Write all parts anew.

    Raises:
        ValueError: the page has no place for one of them.
    """
    for name, text in _parts(figures).items():
        begin, end = f"<!-- capacity: {name} -->", f"<!-- end: {name} -->"
        if begin not in page or end not in page:
            raise ValueError(f"the page has no {begin} … {end}")
        page = re.sub(f"{begin}.*?{end}", lambda _, written=f"{begin}\n{text}\n{end}": written, page, flags=re.DOTALL)
    return page


def _parts(figures: Figures) -> dict[str, str]:
    measured, assumed, derived = figures["measured"], figures["assumptions"], figures["derived"]
    return {
        "where": _where(measured),
        "moves": _moves(measured),
        "sizes": _sizes(measured),
        "scaling": _scaling(measured),
        "averages": _averages(derived["averages"]),
        "needs": _needs(derived["needs"], assumed),
        "limits": _limits(derived, assumed),
    }


def _where(measured: Figures) -> str:
    machine, rounds = measured["machine"], measured["rounds"]
    counted = "one round" if rounds == 1 else f"medians of {rounds} rounds"
    return (
        f"Measured {machine['date']} on {machine['cores']} cores ({machine['cpu']}), Python {machine['python']}, Redis {machine['redis']}; "
        f"load average before it {machine['load']:.1f}. Workers, Redis and the program that plays share these cores. "
        f"{measured['matches']} matches a line, 16 at once, {counted}."
    )


def _moves(measured: Figures) -> str:
    names = [
        "game, mode",
        "door",
        "workers",
        "a match's calls",
        "spectator",
        "worker µs",
        "Redis µs",
        "Redis commands",
        "Redis bytes in / out",
        "bytes in / out",
        "moves/s",
    ]
    rows = [
        [
            row["kind"],
            row["door"],
            row["workers"],
            "to any worker" if row["spread"] else "to one worker",
            "one, SSE" if row["watched"] else "none",
            f"{row['server_us']:.0f}",
            f"{row['redis_us']:.0f}",
            f"{row['redis_commands']:.1f}",
            f"{row['redis_bytes_in']:.0f} / {row['redis_bytes_out']:.0f}",
            f"{row['bytes_in']:.0f} / {row['bytes_out']:.0f}",
            f"{row['per_second']:.0f}",
        ]
        for row in measured["moves"]
    ]
    return _table(names, rows)


def _sizes(measured: Figures) -> str:
    creation = {row["kind"]: row for row in measured["creation"]}
    plain = {row["kind"]: row for row in measured["moves"] if row["workers"] == 1 and row["door"] == "rest" and not row["spread"] and not row["watched"]}
    by_grpc = {row["kind"]: row for row in measured["moves"] if row["workers"] == 1 and row["door"] == "grpc" and not row["spread"] and not row["watched"]}
    names = [
        "game, mode",
        "moves",
        "creating it: worker / Redis µs",
        "worker CPU a match, REST / gRPC, ms",
        "Redis CPU a match, ms",
        "in Redis in mid-play, KB",
        "in Redis at its end, KB",
    ]
    rows = []
    for size in measured["sizes"]:
        made, rest, grpc = creation[size["kind"]], plain[size["kind"]], by_grpc[size["kind"]]
        moves = rest["moves_per_match"]
        cpu = [(made["server_us"] + moves * row["server_us"]) / 1e3 for row in (rest, grpc)]
        redis = (made["redis_us"] + moves * rest["redis_us"]) / 1e3
        kilobytes = [f"{size[name] / 1e3:.1f}" for name in ("running_bytes", "finished_bytes")]
        rows.append(
            [size["kind"], f"{moves:.0f}", f"{made['server_us']:.0f} / {made['redis_us']:.0f}", f"{cpu[0]:.1f} / {cpu[1]:.1f}", f"{redis:.1f}", *kilobytes]
        )
    workers = " and ".join(f"{megabytes:.0f} MB" for megabytes in measured["worker_mb"])
    return _table(names, rows) + f"\n\nA worker holds {workers} after all of this: it keeps no match for good."


def _scaling(measured: Figures) -> str:
    rows = []
    for two in (row for row in measured["moves"] if row["workers"] == 2 and not row["watched"]):
        one = next(row for row in measured["moves"] if row["workers"] == 1 and not row["watched"] and (row["kind"], row["door"]) == (two["kind"], two["door"]))
        change = (two["server_us"] / one["server_us"] - 1, two["redis_us"] / one["redis_us"] - 1, two["per_second"] / one["per_second"] - 1)
        rows.append([two["kind"], two["door"], "to any worker" if two["spread"] else "to one worker", *(f"{part:+.0%}" for part in change)])
    return _table(["game, mode", "door", "a match's calls", "worker µs a move", "Redis µs a move", "moves/s"], rows)


def _averages(average: Figures) -> str:
    names = {
        "server_us": "worker µs a move",
        "watch_us": "worker µs a step and spectator",
        "create_us": "worker µs a creation",
        "redis_us": "Redis µs a move",
        "create_redis_us": "Redis µs a creation",
        "redis_commands": "Redis commands a move",
        "redis_bytes_in": "bytes to Redis a move",
        "redis_bytes_out": "bytes from Redis a move",
        "bytes_in": "bytes to the workers a move",
        "bytes_out": "bytes from the workers a move",
        "watch_bytes": "bytes a step and spectator",
        "moves_per_match": "moves a match",
        "running_bytes": "bytes in Redis, mid-play",
        "finished_bytes": "bytes in Redis, finished",
        "idle_server_us": "worker µs a second at rest",
        "idle_redis_us": "Redis µs a second for a worker at rest",
        "idle_redis_commands": "Redis commands a second for a worker at rest",
    }
    return _table(["figure", "average"], [[text, f"{average[name]:,.1f}"] for name, text in names.items()])


def _needs(needs: list[Figures], assumed: Figures) -> str:
    short = f"{assumed['kept_days_short'] * 24:g} h"
    lines = {
        "moves a second": ("moves_s", "{:,.0f}"),
        "matches created a second": ("created_s", "{:,.1f}"),
        f"cores for workers, used to {assumed['used_of_a_core']:.0%}": ("worker_cores", "{:,.1f}"),
        f"Redis threads, used to {assumed['used_of_a_core']:.0%}": ("redis_threads", "{:,.2f}"),
        "Redis commands a second": ("redis_commands_s", "{:,.0f}"),
        f"GB in Redis, finished matches kept for {assumed['kept_days']:g} days": ("redis_gb", "{:,.1f}"),
        f"GB in Redis, finished matches kept for {short}": ("redis_gb_short", "{:,.1f}"),
        "Mbit/s from clients": ("in_mbit_s", "{:,.0f}"),
        "Mbit/s to clients": ("out_mbit_s", "{:,.0f}"),
        "Mbit/s between workers and Redis": ("redis_mbit_s", "{:,.0f}"),
    }
    rows = [[text, *(form.format(need[name]) for need in needs)] for text, (name, form) in lines.items()]
    assumptions = (
        f"Assumed: a move every {assumed['seconds_a_move']:g} seconds in each match, {assumed['watchers_a_match']:g} spectator a match, half of the calls "
        "over gRPC and half over REST, all games and modes alike, calls of a match on any worker."
    )
    return assumptions + "\n\n" + _table(["matches at once", *(f"{need['matches']:,}" for need in needs)], rows)


def _limits(derived: Figures, assumed: Figures) -> str:
    limits, average = derived["limits"], derived["averages"]
    rows: list[list[Any]] = [[number, NAMES[limit["what"]].format(**assumed), f"{limit['matches']:,}"] for number, limit in enumerate(limits, 1)]
    first = NAMES[limits[0]["what"]].format(**assumed)
    rounds = assumed["used_of_a_core"] * 1e6 / average["idle_redis_us"]
    return "\n\n".join(
        (
            f"**The first bottleneck: {first}**, at {limits[0]['matches']:,} matches at once.",
            _table(["", "what is full", "at so many matches at once"], rows),
            f"Beside these: {rounds:,.0f} workers at rest fill the thread of one Redis with their rounds for what is due.",
        )
    )


def _table(names: list[str], rows: list[list[Any]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
