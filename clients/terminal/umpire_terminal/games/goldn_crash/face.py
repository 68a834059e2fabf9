"""How Gold'n Crash looks and speaks."""

from collections.abc import Mapping

from rich.console import RenderableType

from umpire.goldn_crash.v1 import goldn_crash_pb2 as gc
from umpire.v1.catalog_pb2 import Card
from umpire_terminal.games.generic import Face
from umpire_terminal.games.goldn_crash import wording
from umpire_terminal.games.goldn_crash.drawing import draw_table
from umpire_terminal.voice import Voice, sentence

# The sixteen colours that each terminal's theme fits to its background.
_STYLES = {"BOMB": "red", "BOARD": "blue", "FISH": "cyan", "REINFORCE": "green", "SECURE": "magenta", "GOLD": "yellow"}


class GoldnCrashFace(Face):
    """Gold'n Crash, face to face: the rival's side above, the own side below."""

    scores = "gold"

    def styles(self, cards: Mapping[str, Card]) -> dict[str, str]:
        types = {
            card_id: next((value.word for value in card.values if value.name == "type"), "") for card_id, card in cards.items() if card.kind == "CREW_CARD"
        }
        return {card_id: "bold" if card.kind == "GUEST" else _STYLES.get(types.get(card_id, ""), "") for card_id, card in cards.items()}

    def draw(self, view: gc.View | None, before: gc.View | None, voice: Voice, *, full: bool) -> RenderableType:
        return super().draw(view, before, voice, full=full) if view is None else draw_table(view, before, voice, full=full)

    def ask(self, kind: str, question: gc.Question | None, voice: Voice) -> str:
        asked = wording.QUESTIONS.get(question.WhichOneof("question") or "") if question is not None else None
        return asked(question) if asked and question is not None else super().ask(kind, question, voice)

    def heading(self, move_type: str) -> str:
        return wording.HEADINGS.get(move_type) or super().heading(move_type)

    def tell(self, event: gc.Event | None, voice: Voice) -> str | None:
        kind = event.WhichOneof("event") if event is not None else None
        if event is None or kind is None:
            return None
        told = wording.EVENTS.get(kind)
        return sentence(told(getattr(event, kind), voice)) if told else super().tell(event, voice)

    def reason(self, reason: str) -> str:
        return wording.REASONS.get(reason) or super().reason(reason)
