"""The rules index: the table of rules in a game's RULES.md, which is what ListRules serves.

A rule is a table row ``| id | sentence | section |`` under the heading "## Rules"; a sentence that ends with "[H]" is a house rule.
"""

import re
from pathlib import Path

import msgspec

_ROW = re.compile(r"\| *(?P<rule>[A-Z0-9]+-[0-9]+) *\| *(?P<text>.+?) *\| *(?P<section>.+?) *\|")
_HOUSE = "[H]"


class Rule(msgspec.Struct, frozen=True):
    """A rule: its id, what it says in one sentence, the section of the printed rules, and whether it is this service's own."""

    rule: str
    text: str
    section: str
    house: bool


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Read the rules of a RULES.md, in order.

    Raises:
        ValueError: there are none, or an id stands twice.
    """
    _, _, after = path.read_text(encoding="utf-8").partition("\n## Rules\n")
    table, _, _ = after.partition("\n## ")
    rules = tuple(_rule(row) for line in table.splitlines() if (row := _ROW.fullmatch(line.strip())))
    ids = [rule.rule for rule in rules]
    if not rules or len(set(ids)) != len(ids):
        raise ValueError(f"{path}: no rules, or an id twice: {sorted(i for i in set(ids) if ids.count(i) > 1)}")
    return rules


def _rule(row: re.Match[str]) -> Rule:
    text, section = row["text"], row["section"]
    house = _HOUSE in text or section == "(house)"
    return Rule(row["rule"], text.replace(_HOUSE, "").replace(" .", ".").strip(), section.strip("()"), house)
