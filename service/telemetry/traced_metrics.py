"""Metrics whose observations become spans too: who is told how long something took can also tell a trace."""

from service.telemetry.metrics import Metrics
from service.telemetry.tracing import current_span


class TracedMetrics(Metrics):
    """As Metrics; what the rules and the store do for a call that is traced becomes a child of its span. Without tracing nobody pays for this."""

    def engine_took(self, game: str, step: str, seconds: float, kind: str = "") -> None:
        super().engine_took(game, step, seconds, kind)
        span = current_span()
        if span is not None:
            span.rules(game, step, seconds, kind)

    def observe(self, command: str, seconds: float, outcome: str) -> None:
        super().observe(command, seconds, outcome)
        span = current_span()
        if span is not None:
            span.store(command, seconds, outcome)
