"""Our counters read, to Prometheus, exactly as prometheus_client's own do."""

import re

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from service.telemetry.tally import Counts, Levels, Spreads

BOUNDS = (0.0005, 0.25, 1, 5)
DURATIONS = (0.0, 0.0005, 0.00051, 0.3, 1.0, 4.9, 5.0, 5.1, 1000.0)
ODD = 'a "quoted"\\ value\nof two lines'


def exposed(registry: CollectorRegistry) -> str:
    """The text that is scraped, without the times at which prometheus_client's own parts were made."""
    return re.sub(r"(?m)^.*_created.*\n", "", generate_latest(registry).decode())


def test_counters_are_written_as_prometheus_clients_own() -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    count = Counts("calls", "Calls, by code.", ["code", "rpc"], ours)
    counter = Counter("calls", "Calls, by code.", ["code", "rpc"], registry=theirs)
    for code, rpc in (("OK", "Get"), ("OK", "Get"), ("ABORTED", ODD), ("OK", "Put")):
        count.of(code, rpc).value += 1
        counter.labels(code, rpc).inc()
    assert exposed(ours) == exposed(theirs)
    assert 'calls_total{code="OK",rpc="Get"} 2.0' in exposed(ours)


def test_histograms_are_written_as_prometheus_clients_own_also_at_the_bounds_of_buckets() -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    spread = Spreads("seconds", "Seconds a call.", ["rpc"], ours, BOUNDS)
    histogram = Histogram("seconds", "Seconds a call.", ["rpc"], registry=theirs, buckets=BOUNDS)
    for rpc in ("Get", ODD):
        for seconds in DURATIONS:
            spread.of(rpc).observe(seconds)
            histogram.labels(rpc).observe(seconds)
    assert exposed(ours) == exposed(theirs)
    assert 'seconds_bucket{le="0.0005",rpc="Get"} 2.0' in exposed(ours)
    assert 'seconds_count{rpc="Get"} 9.0' in exposed(ours)


def test_a_part_that_was_asked_for_is_shown_at_zero() -> None:
    registry = CollectorRegistry()
    Counts("calls", "Calls.", ["code"], registry).of("OK")
    assert 'calls_total{code="OK"} 0.0' in exposed(registry)


def test_a_gauge_that_is_read_shows_what_is_named_now_and_no_more() -> None:
    registry, known = CollectorRegistry(), {"a:1": 7.0, ODD: 8.0}
    Levels("held_bytes", "Bytes held.", "node", registry).read = lambda: known
    gauge = Gauge("held_bytes", "Bytes held.", ["node"], registry=(theirs := CollectorRegistry()))
    for node, held in known.items():
        gauge.labels(node).set(held)
    assert exposed(registry) == exposed(theirs)
    del known["a:1"]
    gauge.remove("a:1")
    assert exposed(registry) == exposed(theirs)
    assert "a:1" not in exposed(registry)
