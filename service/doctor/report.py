"""Findings as lines for people and as one JSON document."""

import json
from collections.abc import Iterable, Sequence

import msgspec

from service.doctor.finding import Finding, Level

_WIDTH = 24


def line(finding: Finding) -> str:
    """Write a finding in one line; what could move a terminal's cursor is written out."""
    text = f"{finding.found}; {finding.advice}" if finding.advice else finding.found
    shown = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return f"{finding.level.value:<8} {finding.check:<{_WIDTH}} {shown}"


def summary(findings: Sequence[Finding]) -> str:
    """Count the findings."""
    counts = {level: sum(finding.level is level for finding in findings) for level in Level}
    return f"errors: {counts[Level.ERROR]}, warnings: {counts[Level.WARNING]}, unknown: {counts[Level.UNKNOWN]}, ok: {counts[Level.OK]}"


def worst(findings: Iterable[Finding]) -> Level:
    """Return the level of the whole: UNKNOWN counts as OK."""
    levels = {finding.level for finding in findings}
    return next((level for level in (Level.ERROR, Level.WARNING) if level in levels), Level.OK)


def document(command: str, findings: Sequence[Finding]) -> str:
    """Write all findings as JSON: ``{"as": "worker", "status": "error", "findings": [{"check", "level", "found", "advice"}]}``."""
    content = {"as": command, "status": worst(findings).value, "findings": [msgspec.structs.asdict(finding) for finding in findings]}
    return json.dumps(content, indent=2)
