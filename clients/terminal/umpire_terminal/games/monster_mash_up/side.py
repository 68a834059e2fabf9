"""One side of the table: who sits there, the scientist, the monster, the dice. Lines of text, to be stood in a column."""

from collections.abc import Iterator
from textwrap import wrap

from rich.text import Text

from umpire.monster_mash_up.v1 import monster_mash_up_pb2 as mm
from umpire_terminal.games.generic import CHANGED
from umpire_terminal.games.monster_mash_up.cards import SIDES, ability, counted, front_name, monster_name, said
from umpire_terminal.games.monster_mash_up.events import choice_in_words
from umpire_terminal.voice import Voice, sentence

_WIDTH = 36
_MOST_ENERGY = 8
_LABEL = 7


class SideOfTable:
    """What lies on the side of one seat, as far as the view says it."""

    def __init__(self, view: mm.View, before: mm.View | None, seat: int, voice: Voice) -> None:
        self._seat, self._voice = seat, voice
        self._now = view.seats[seat - 1]
        self._old = before.seats[seat - 1] if before is not None and len(before.seats) >= seat else None

    def headline(self) -> list[Text]:
        """Say who it is, with which scientist, the heads won, the Energy, and what the side of the scientist does."""
        now, voice = self._now, self._voice
        heads = ", ".join(front_name(voice, head) for head in now.heads)
        energy = Text(f"{'Energy':<{_LABEL}}{now.energy:>2} ").append_text(_bar(now.energy, _MOST_ENERGY, "yellow"))
        return [
            Text(sentence(voice.who(self._seat)), "bold").append_text(self._scientist()),
            marked(Text(f"{'Heads':<{_LABEL}}{len(now.heads):>2}{f' {heads}' if heads else ''}"), changed=self._differs("heads")),
            marked(energy, changed=self._differs("energy")),
            *_wrapped("", sentence(ability(voice, now.scientist, now.side))),
        ]

    def monster(self) -> list[Text]:
        """Show the monster with its Life, its values, its If and Then, and where the disc is."""
        now, voice = self._now, self._voice
        if not now.HasField("monster"):
            chosen = now.own.committed_monster if now.own.HasField("committed_monster") else None
            name = f": the {monster_name(voice, chosen.front, chosen.back)}" if chosen else ""
            return [Text(f"A monster is chosen, in secret{name}" if now.committed else "No monster", "dim")]
        front, back = now.monster.front, now.monster.back
        most = counted(voice, front, "life")
        life = Text(f"{'Life':<{_LABEL}}{now.life:>2} ").append_text(_bar(now.life, most or now.life, "red"))
        values = (("Int", front, "intelligence"), ("Special Attack", back, "special_attack"), ("Speed", back, "speed"))
        numbers = [f"{word} {number}" for word, card, name in values if (number := said(voice, card, name))]
        return [
            marked(Text(monster_name(voice, front, back), "bold green"), changed=self._differs("monster")),
            marked(life, changed=self._differs("life")),
            *_wrapped("", ", ".join(numbers)),
            *_wrapped("If", said(voice, front, "if")),
            *_wrapped("Then", said(voice, back, "then")),
            self._disc(),
        ]

    def dice(self) -> list[Text]:
        """Show the Attack Dice, what is chosen in the Boost Phase, and what else counts this round."""
        now = self._now
        if not now.dice:
            return []
        old = list(self._old.dice) if self._old is not None else list(now.dice)
        fresh = [place >= len(old) or old[place] != face for place, face in enumerate(now.dice)]
        words = [Text(f"  Attack {sum(now.dice)}"), Text("  ").append_text(self._choice()), self._total()]
        lines = [Text(" ".join([edge] * len(now.dice))) for edge in ("╭───╮", "", "╰───╯")]
        lines[1] = Text(" ").join(
            Text("│").append_text(Text(f" {face}{'*' if is_new else ' '}", f"bold {CHANGED}" if is_new else "bold")).append("│")
            for face, is_new in zip(now.dice, fresh, strict=True)
        )
        return [*(line.append_text(word) for line, word in zip(lines, words, strict=True)), *_wrapped("", self._marks())]

    def _scientist(self) -> Text:
        """Name the scientist and its side; nothing where there is none."""
        now = self._now
        if not now.scientist:
            return Text()
        line = Text(": ", "not bold").append_text(self._voice.card(now.scientist))
        line.append(f", side {SIDES.get(now.side, '?')}{', used' if now.scientist_used else ''}", "default not bold")
        return marked(line, changed=self._differs("scientist", "side", "scientist_used"))

    def _disc(self) -> Text:
        now = self._now
        if now.disc:
            line = Text("Disc on the monster: power ready", "bold")
        else:
            line = Text("Disc used or gone for this round" if now.disc_earned else "Disc waits for the If", "dim")
        return marked(line, changed=self._differs("disc", "disc_earned"))

    def _choice(self) -> Text:
        """Say what is chosen, as far as it is open; the own choice is known before."""
        now = self._now
        if now.HasField("choice"):
            return marked(Text(choice_in_words(now.choice), "bold"), changed=self._differs("choice"))
        if now.own.HasField("committed_choice"):
            return Text(f"{choice_in_words(now.own.committed_choice)}, in secret", "italic")
        return Text("has chosen, in secret" if now.committed else "", "italic")

    def _total(self) -> Text:
        now = self._now
        if not now.HasField("choice"):
            return Text()
        return Text(f"  Attack Total {sum(now.dice) + now.choice.fingers + now.attack_bonus}")

    def _marks(self) -> str:
        now = self._now
        marks = (
            (now.attack_bonus, f"Attack Total +{now.attack_bonus}"),
            (now.damage_bonus, f"damage +{now.damage_bonus}"),
            (now.shield, f"shield {now.shield}"),
            (now.rerolls, f"{now.rerolls} paid re-roll{'s' if now.rerolls > 1 else ''}"),
            (now.one_shown, "had its 1"),
        )
        return ", ".join(text for counts, text in marks if counts)

    def _differs(self, *fields: str) -> bool:
        return self._old is not None and any(getattr(self._old, field) != getattr(self._now, field) for field in fields)


def marked(text: Text, *, changed: bool) -> Text:
    """Mark a text as new, in place, if it is."""
    if changed:
        text.stylize(CHANGED)
        text.append(" *")
    return text


def _bar(value: int, most: int, colour: str) -> Text:
    """Draw a track: full cells, then empty ones."""
    return Text("■" * value, colour).append("·" * max(0, most - value), "dim default")


def _wrapped(label: str, text: str) -> Iterator[Text]:
    """Wrap a text beside its label, or alone."""
    indent = f"{label:<5}" if label else ""
    for number, line in enumerate(wrap(text, _WIDTH - len(indent))):
        yield Text(indent if number == 0 else " " * len(indent), "bold").append(line, "not bold italic" if label else "not bold")
