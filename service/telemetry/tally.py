"""Counters and histograms that cost next to nothing, in the form that prometheus_client writes out.

Its own are made for threads: each count takes a lock, and a call counts ten times. A worker counts in its loop's thread alone, and is scraped there too.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry
from prometheus_client.utils import floatToGoString

C = TypeVar("C")


class Count:
    """A count, of what never gets less."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class Spread:
    """How often a duration fell into which bucket, and the sum of all, in seconds."""

    __slots__ = ("_bounds", "falls", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self.falls = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, seconds: float) -> None:
        """Add a duration; a bucket holds what is no longer than its bound."""
        self.falls[bisect_left(self._bounds, seconds)] += 1
        self.total += seconds


class _Family(Collector, Generic[C]):
    """One metric with its labels; ``of`` gives the part for some values of them, which is to be kept where it is counted often."""

    def __init__(self, name: str, text: str, labels: Sequence[str], registry: CollectorRegistry, make: Callable[[], C]) -> None:
        self._name, self._text, self._labels, self._make = name, text, labels, make
        self._parts: dict[tuple[str, ...], C] = {}
        registry.register(self)

    def describe(self) -> Iterable[Metric]:
        """Say the metric's names, so that a second one of the same name is refused."""
        return self.collect()

    def of(self, *values: str) -> C:
        """Return the part for the labels' values, in the order of the labels."""
        part = self._parts.get(values)
        if part is None:
            part = self._parts[values] = self._make()
        return part


class Counts(_Family[Count]):
    """A counter by labels."""

    def __init__(self, name: str, text: str, labels: Sequence[str], registry: CollectorRegistry) -> None:
        super().__init__(name, text, labels, registry, Count)

    def collect(self) -> Iterable[Metric]:
        """Write the counter as it stands."""
        family = CounterMetricFamily(self._name, self._text, labels=self._labels)
        for values, count in self._parts.items():
            family.add_metric(values, count.value)
        yield family


class Spreads(_Family[Spread]):
    """A histogram of seconds by labels."""

    def __init__(self, name: str, text: str, labels: Sequence[str], registry: CollectorRegistry, bounds: Sequence[float]) -> None:
        super().__init__(name, text, labels, registry, lambda: Spread(bounds))
        self._bounds = [*map(floatToGoString, bounds), "+Inf"]

    def collect(self) -> Iterable[Metric]:
        """Write the histogram as it stands: buckets add up."""
        family = HistogramMetricFamily(self._name, self._text, labels=self._labels)
        for values, spread in self._parts.items():
            buckets, so_far = [], 0
            for bound, fell in zip(self._bounds, spread.falls, strict=True):
                so_far += fell
                buckets.append((bound, so_far))
            family.add_metric(values, buckets, spread.total)
        yield family


class Level(Collector):
    """A gauge without labels: what it was ``set`` to, or what ``read`` says when it is scraped."""

    def __init__(self, name: str, text: str, registry: CollectorRegistry) -> None:
        self._name, self._text = name, text
        self.read: Callable[[], float] = lambda: 0.0
        registry.register(self)

    def describe(self) -> Iterable[Metric]:
        """Say the metric's name, so that a second one of the same name is refused."""
        yield GaugeMetricFamily(self._name, self._text)

    def set(self, value: float) -> None:
        """Let it stand at a value."""
        self.read = lambda: value

    def collect(self) -> Iterable[Metric]:
        """Write the gauge as it stands."""
        yield GaugeMetricFamily(self._name, self._text, value=self.read())


class Levels(Collector):
    """A gauge by one label: what ``read`` says when it is scraped. Of what it does not name any more, nothing is shown any more."""

    def __init__(self, name: str, text: str, label: str, registry: CollectorRegistry) -> None:
        self._name, self._text, self._label = name, text, label
        self.read: Callable[[], Mapping[str, float]] = dict
        registry.register(self)

    def describe(self) -> Iterable[Metric]:
        """Say the metric's name, so that a second one of the same name is refused."""
        yield GaugeMetricFamily(self._name, self._text, labels=[self._label])

    def collect(self) -> Iterable[Metric]:
        """Write the gauge as it stands."""
        family = GaugeMetricFamily(self._name, self._text, labels=[self._label])
        for value, level in self.read().items():
            family.add_metric([value], level)
        yield family
