"""How Monster Mash-Up looks and speaks."""

from collections.abc import Mapping

from rich.console import RenderableType

from umpire.monster_mash_up.v1 import monster_mash_up_pb2 as mm
from umpire.v1.catalog_pb2 import Card
from umpire_terminal.games.generic import Face
from umpire_terminal.games.monster_mash_up import events, questions
from umpire_terminal.games.monster_mash_up.drawing import draw_table
from umpire_terminal.voice import Voice, sentence

# Of the sixteen colours that each terminal's theme fits to its background.
_STYLES = {"MONSTER": "green", "SCIENTIST": "magenta"}


class MonsterMashUpFace(Face):
    """Monster Mash-Up, side by side: the own monster on the left, the other one on the right."""

    scores = "heads"
    automaton = "Dr. Entropy"

    def styles(self, cards: Mapping[str, Card]) -> dict[str, str]:
        return {card_id: _STYLES.get(card.kind, "") for card_id, card in cards.items()}

    def draw(self, view: mm.View | None, before: mm.View | None, voice: Voice, *, full: bool) -> RenderableType:
        return super().draw(view, before, voice, full=full) if view is None else draw_table(view, before, voice, full=full)

    def ask(self, kind: str, question: mm.Question | None, voice: Voice) -> str:
        asked = questions.QUESTIONS.get(question.WhichOneof("question") or "") if question is not None else None
        return asked(question, voice) if asked and question is not None else super().ask(kind, question, voice)

    def heading(self, move_type: str) -> str:
        return questions.HEADINGS.get(move_type) or super().heading(move_type)

    def note(self, move: mm.Move | None, view: mm.View | None, voice: Voice) -> str:
        kind = move.WhichOneof("move") if move is not None else None
        noted = questions.NOTES.get(kind or "")
        if noted is None or view is None or not 1 <= voice.me <= len(view.seats):
            return ""
        return noted(getattr(move, kind or ""), view.seats[voice.me - 1], voice)

    def tell(self, event: mm.Event | None, voice: Voice) -> str | None:
        kind = event.WhichOneof("event") if event is not None else None
        if event is None or kind is None:
            return None
        told = events.EVENTS.get(kind)
        return sentence(told(getattr(event, kind), voice)) if told else super().tell(event, voice)

    def reason(self, reason: str) -> str:
        return questions.REASONS.get(reason) or super().reason(reason)
