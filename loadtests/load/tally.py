"""What a run counts beside Locust's own figures. It can be put together from several processes' parts."""

from collections import Counter
from typing import Any

from loadtests.load.ledger import Finding

_MOST_FINDINGS = 200


class Tally:
    """Counts of one process: matches by game, mode and ending; illegal moves that were refused as they must be; calls that were repeated; findings."""

    def __init__(self) -> None:
        self.finished: Counter[str] = Counter()
        self.unfinished: Counter[str] = Counter()
        self.expected: Counter[str] = Counter()
        self.repeated: Counter[str] = Counter()
        self.checked: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self.unjudged: list[str] = []

    def take(self) -> dict[str, Any]:
        """Give what was counted since the last time, as plain data."""
        taken = {name: dict(getattr(self, name)) for name in _COUNTERS}
        taken |= {"findings": [list(finding) for finding in self.findings], "unjudged": self.unjudged}
        self.__init__()  # type: ignore[misc]  # begins anew
        return taken

    def add(self, taken: dict[str, Any]) -> None:
        """Add what another process has counted."""
        for name in _COUNTERS:
            getattr(self, name).update(taken[name])
        self.find([Finding(*finding) for finding in taken["findings"]])
        self.unjudged += taken["unjudged"]

    def find(self, findings: list[Finding]) -> None:
        """Keep findings, not more than anybody reads; those that are left out are counted."""
        room = _MOST_FINDINGS - len(self.findings)
        self.findings += findings[: max(room, 0)]
        self.checked["findings left out"] += len(findings[max(room, 0) :])


_COUNTERS = ("finished", "unfinished", "expected", "repeated", "checked")
