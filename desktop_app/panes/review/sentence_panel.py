"""The current sentence of the review: whether the paper supports it, why, where to look, and what you can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPointF, QRect, Signal
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.review.field_editor import NO_REASON
from desktop_app.panes.review.layout import SignRow, paint_sign_row
from desktop_app.panes.review.state import FieldCheck, ReviewState
from desktop_app.theme import theme
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import Flow, column, command_buttons, row, surface, tall_enough
from desktop_app.widgets.record_list import RecordList
from desktop_app.widgets.verdicts import paint_verdict, verdict_title
from engine.documents.records import Box
from engine.review_drafting.grounding import Claim
from engine.statements.verdicts import Verdict

if TYPE_CHECKING:
    from engine.operations.entailment import Opinion

_ROW = 52


@dataclass(frozen=True, slots=True)
class Look:
    """A row of the panel. ``boxes`` are its place in the paper, empty for words of the review."""

    title: str
    words: str
    boxes: tuple[Box, ...] = ()
    verdict: Verdict | None = None
    """The state of something that the sentence names."""
    opinion: bool = False
    """What a language model makes of the sentence: nothing that calls for attention."""
    tone: bool = False
    """Dismissive words, which have a neutral alternative."""

    @property
    def spoken(self) -> str:
        state = f"{verdict_title(self.verdict)}. " if self.verdict is not None else ""
        return f"{state}{self.title}: {self.words}"


def looks_of(
    claim: Claim | None, check: FieldCheck, state: ReviewState, opinion: Opinion | None = None
) -> tuple[Look, ...]:
    """What to look at for a sentence; passages that may have what it calls missing come first, then what a model makes
    of it."""
    if claim is None:
        return ()
    found = [
        Look(f"Nearest passage · page {p.page}", p.text, state.boxes_of(p.paragraph_id, p.start, p.end))
        for p in claim.passages
    ]
    if opinion is not None:
        found.append(Look(f"Judgement by {opinion.model}", opinion.words, opinion=True))
    if check.no_reason(claim):
        found.append(Look(NO_REASON, "Say what in the paper makes you think so, or give an example."))
    for part in claim.parts:
        page = f" · page {part.page}" if part.page and part.kind not in ("page", "passage") else ""
        name = "Passage" if part.kind == "passage" else ""
        title = f"{name or part.ref}{f' · {part.ref}' if name else page}"
        found.append(Look(title, part.why, part.place.boxes if part.place is not None else (), part.verdict))
    for remark in check.tone:
        if claim.start <= remark.span.start < claim.end:
            better = " or ".join(
                f"“{words.rstrip(',')}”" if words else "leave out" for words in remark.alternatives[:2]
            )
            title = f"“{remark.words.rstrip(',')}” → {better}"
            found.append(Look(title, f"{remark.kind.capitalize()}. {remark.why}", tone=True))
    for one in check.identity:
        if claim.start <= one.span.start < claim.end:
            found.append(Look(f"“{one.words}” identifies you", f"{one.kind.capitalize()}. {one.why}"))
    return tuple(found)


def _paint(painter: QPainter, rect: QRect, look: Look, _selected: bool) -> None:
    sign = theme().data("attention").sign if look.verdict is None and not look.opinion else ""
    paint_sign_row(painter, rect, SignRow("attention", sign, look.title, look.words))
    if look.verdict is not None:
        centre = QPointF(rect.left() + 12 + theme().px(5), rect.top() + 6 + theme().px(8))
        paint_verdict(painter, look.verdict, centre, theme().px(9))


class _Sign(QWidget):
    """The mark of the current sentence."""

    accessible_role = QAccessible.Role.Graphic

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.verdict: Verdict = "not checked"
        self.setAccessibleName("State of the sentence")
        theme().follow(self._resize)

    def accessible_value(self) -> str:
        return verdict_title(self.verdict)

    def _resize(self) -> None:
        self.setFixedSize(theme().px(14), theme().px(16))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_verdict(painter, self.verdict, QPointF(self.width() / 2, self.height() / 2), theme().px(10))
        painter.end()


class SentencePanel(QWidget):
    """Shows the sentence in which the caret of the form is."""

    place_wanted = Signal(object)
    """Boxes of the paper to be shown."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Current sentence")
        self.looks: tuple[Look, ...] = ()
        self._look = -1
        self._sign = _Sign(self)
        self._state = text_label("", "section", parent=self)
        self._state.setAccessibleName("Support for the sentence")
        self._why = text_label("", "small", wrap=True, parent=self)
        self._why.setAccessibleName("Why")
        texts = {"go": "Show place", "ask": "Make question", "drop": "Delete", "tone": "Improve tone"}
        self.buttons = command_buttons(registry, "review", texts, self)
        head = row(self._sign, self._state, None, spacing=6)
        acts = Flow(*self.buttons.values(), spacing=6)
        top = column(head, self._why, acts, margins=(12, 8, 10, 6), spacing=4)
        self.list = RecordList(
            "Places and words to check", _paint, lambda _look: theme().px(_ROW), lambda look: look.spoken,
            tip=lambda look: look.spoken, parent=self,
        )  # fmt: skip
        self.list.clicked.connect(self._wanted)
        self.list.activated_row.connect(self._wanted)
        column(top, (self.list, 1), of=self)
        tall_enough(self)

    @property
    def has_place(self) -> bool:
        return any(look.boxes for look in self.looks)

    def next_place(self) -> tuple[Box, ...]:
        """Selects the next place in the paper and returns it; empty where there is none."""
        places = [n for n, look in enumerate(self.looks) if look.boxes]
        if not places:
            return ()
        self._look = next((n for n in places if n > self._look), places[0])
        self.list.select_row(self._look)
        return self.looks[self._look].boxes

    def show_claim(self, claim: Claim | None, looks: tuple[Look, ...], *, waiting: bool) -> None:
        """Shows a sentence; ``waiting``: it is not checked yet."""
        self._sign.setVisible(claim is not None)
        if claim is not None:
            self._sign.verdict = claim.verdict
            self._sign.update()
            self._state.setText(verdict_title(claim.verdict))
            self._why.setText(claim.why)
        else:
            self._state.setText("Sentence" if not waiting else "Checking…")
            self._why.setText("" if waiting else "Put the cursor in a sentence to see whether the paper supports it.")
        if looks != self.looks:
            self.looks, self._look = looks, -1
            self.list.show_records(looks, -1)
        wanted = {
            "go": self.has_place,
            "ask": claim is not None and claim.open and claim.kind != "question",
            "drop": claim is not None and claim.unfounded,
            "tone": any(look.tone for look in looks),
        }
        for name, one in self.buttons.items():
            one.setVisible(wanted[name])

    def _wanted(self, index: QModelIndex) -> None:
        look = self.looks[index.row()]
        if look.boxes:
            self.place_wanted.emit(look.boxes)
