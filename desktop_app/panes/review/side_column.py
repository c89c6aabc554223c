"""The column beside the form: evidence cards, inserted by key or dragged into a field; and the current sentence:
whether the paper supports it, why, and where to look."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QModelIndex, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QAccessible, QFontMetrics, QPainter
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.review.choices import CARD_KEYS, STANCES
from desktop_app.panes.review.field_editor import EVIDENCE, NO_REASON
from desktop_app.panes.review.state import FieldCheck, ReviewState
from desktop_app.theme import Meaning, theme
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.fields import ChoiceBox, CommittingLineEdit, Whose
from desktop_app.widgets.keys import KeyHint
from desktop_app.widgets.labels import hairline, named, text_label
from desktop_app.widgets.layouts import (
    Flow,
    at_least,
    column,
    command_button,
    command_buttons,
    fix_height,
    fix_width,
    row,
    surface,
    tall_enough,
)
from desktop_app.widgets.painted import Painted
from desktop_app.widgets.record_list import LEFT, RecordList, draw_key, draw_lines, draw_text
from desktop_app.widgets.verdicts import paint_verdict, verdict_title
from engine.documents.records import Box
from engine.review_drafting.evidence import sentence_of
from engine.review_drafting.grounding import Claim
from engine.review_drafting.readiness import TELLS, certain
from engine.review_drafting.store import EvidenceCard, Stance
from engine.statements.verdicts import Verdict

if TYPE_CHECKING:
    from engine.operations.opinions import Opinion

_ROW = 66


@dataclass(frozen=True, slots=True)
class SignRow:
    """``sign`` is drawn in the ink of ``meaning``; ``key`` is shown as a keycap on the right, "" for none."""

    meaning: Meaning
    sign: str
    head: str
    text: str
    key: str = ""


def paint_sign_row(painter: QPainter, rect: QRect, row: SignRow, *, reading: bool = False) -> None:
    """Paints a row; with ``reading`` the text is in the reading font."""
    t, box = theme(), rect.adjusted(12, 6, -10, -5)
    ink, muted = t.tokens.ink, t.tokens.muted
    head = QRect(box.left(), box.top(), box.width(), t.px(16))
    draw_text(painter, head, LEFT, row.sign, t.font("body", bold=True), t.data(row.meaning).ink)
    head.setLeft(head.left() + t.px(16))
    if row.key:
        cap = _cap(rect, row.key)
        draw_key(painter, cap, row.key)
        head.setRight(cap.left() - 6)
    draw_text(painter, head, LEFT, row.head, t.font("small", bold=not reading, tabular=True), muted if reading else ink)
    box.setTop(head.bottom() + 3)
    if not reading:
        box.setLeft(head.left())
    painter.setPen(t.colour("ink" if reading else "muted"))
    draw_lines(painter, box, " ".join(row.text.split()), t.reading_font(13) if reading else t.font("small"), 2)


def _cap(rect: QRect, key: str) -> QRect:
    """Returns where the key of a row is drawn; empty without a key."""
    width = QFontMetrics(theme().font("small", tabular=True)).horizontalAdvance(key) + 8 if key else 0
    return QRect(rect.right() - 10 - width, rect.top() + 6, width, theme().px(16))


def card_place(card: EvidenceCard) -> str:
    """Returns the place of a card's evidence, such as "Section 3.1 · page 4"."""
    return " · ".join(part for part in (card.ref, f"page {card.page}" if card.page else "") if part)


@dataclass(frozen=True, slots=True)
class CardRow:
    card: EvidenceCard
    shown: SignRow
    spoken: str


def _carried(row: CardRow) -> QMimeData:
    """Returns the drag data of a card: its id, and its sentence for other programs."""
    data = QMimeData()
    data.setData(EVIDENCE, row.card.id.encode())
    data.setText(sentence_of(row.card))
    return data


class EvidenceView(QWidget):
    """The cards of the review and, below, note and stance of the selected card."""

    insert_wanted = Signal(str)
    """Enter, a double click or a click on its key: the id of the card to insert."""
    changed = Signal(object, object)
    """A card, and its new ``note`` or ``stance`` as a mapping."""
    moved = Signal(str, object)
    """The ids of a card and of the card to move it before (None: to the end)."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self.cards: tuple[EvidenceCard, ...] = ()
        surface(self, "Evidence")
        self._count = named(text_label("", "small", parent=self), "Number of evidence cards")
        self.list = RecordList(
            "Evidence cards", lambda painter, rect, row, _on: paint_sign_row(painter, rect, row.shown, reading=True),
            lambda _row: theme().px(_ROW), lambda row: row.spoken, key=lambda row: row.card.id,
            tip=lambda row: sentence_of(row.card), drag=_carried, cap=lambda rect, row: _cap(rect, row.shown.key),
            parent=self,
        )  # fmt: skip
        at_least(self.list, 1, 130)
        self.list.selectionModel().currentChanged.connect(self._show_card)
        self.list.activated_row.connect(lambda index: self.insert_wanted.emit(self.cards[index.row()].id))
        menu = ["insert", "card_place", "", "card_up", "card_down", "remove_card"]
        offer_commands(self.list, registry, [name and f"review.{name}" for name in menu])
        self.note = CommittingLineEdit("card", "What this shows", self, "What this shows, in your words")
        self.note.committed.connect(lambda text, _key, of: self.changed.emit(of.record, {"note": text}))
        stances = [(f"{sign}  {words}", key) for key, words, sign in STANCES]
        self.stance = ChoiceBox("What the evidence supports", stances, letters=8, parent=self)
        self.stance.picked.connect(self.set_stance)
        self._details = QWidget(self)
        column(
            row(self.note, KeyHint(registry, "review.note", self), spacing=6),
            Flow(self.stance, command_button(registry, "review.insert", "Insert", self)),
            margins=(10, 8, 10, 8), spacing=6, of=self._details,
        )  # fmt: skip
        heading = text_label("Evidence", "section", parent=self)
        add = command_button(registry, "review.card", "Add card", self)
        head = row(Flow(heading, self._count, add), margins=(12, 8, 10, 4))
        column(head, (self.list, 1), hairline(parent=self), self._details, of=self)
        tall_enough(self)
        self._show_card()

    @property
    def card(self) -> EvidenceCard | None:
        row = self.list.current
        return row.card if row is not None else None

    def choose(self, card_id: str) -> None:
        self.list.select_row(self.list.row_of(card_id))

    def edit_note(self) -> None:
        self.note.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.note.selectAll()

    def step(self, by: int) -> None:
        self.list.step(by if self.list.current is not None else 1)

    def set_stance(self, stance: Stance) -> None:
        if self.card is not None:
            self.changed.emit(self.card, {"stance": stance})

    def move_card(self, by: int) -> None:
        """Moves the selected card up (-1) or down (1)."""
        at, cards = self.list.currentIndex().row(), self.cards
        target = at + by
        if 0 <= at < len(cards) and 0 <= target < len(cards):
            after = target + (1 if by > 0 else 0)
            self.moved.emit(cards[at].id, cards[after].id if after < len(cards) else None)

    def show_cards(self, cards: Sequence[EvidenceCard], titles: dict[str, str], *, can_write: bool) -> None:
        """Shows the cards of a review; ``titles`` are those of its form's fields, empty without a review."""
        before, self.cards = self.card, tuple(cards)
        self.list.show_records([self._row(at, card, titles) for at, card in enumerate(cards)])
        self._count.setText(str(len(cards)) if cards else "")
        key = self._registry.native_shortcut("review.card").split(" or ")[0]
        how = f"Select words in the paper and press {key} to make a card. Then insert it as a sentence with its place."
        self.list.set_message(how if titles else "")
        if before is not None and self.card is None:
            at = self.list.row_of(before.id)
            self.list.select_row(at if at >= 0 else len(cards) - 1)
        for control in (self.note, self.stance):
            control.setEnabled(can_write)
        self._show_card()

    def _row(self, at: int, card: EvidenceCard, titles: dict[str, str]) -> CardRow:
        stance, sign = next((words, sign) for key, words, sign in STANCES if key == card.stance)
        place = card_place(card)
        said = f"{card.note} — “{card.quote}”" if card.note and card.quote else card.note or f"“{card.quote}”"
        head = " · ".join(part for part in (place, f"in {titles[card.field]}" if card.field in titles else "") if part)
        key = self._registry.native_shortcut(f"review.insert_{at + 1}").split(" or ")[0] if at < CARD_KEYS else ""
        shown = SignRow("linked", sign, head, said if card.note or card.quote else place, key)
        return CardRow(card, shown, f"{stance}, {place}: {card.note or card.quote}")

    def _show_card(self) -> None:
        card = self.card
        self._details.setVisible(card is not None)
        if card is not None:
            self.note.show_text(card.note, Whose(card.id, card))
            self.stance.show_value(card.stance)
        self._registry.state_changed.emit()


_LOOK = 52


@dataclass(frozen=True, slots=True)
class Look:
    """A row of the panel. ``boxes`` is its place in the paper; empty for words of the review."""

    title: str
    words: str
    boxes: tuple[Box, ...] = ()
    verdict: Verdict | None = None
    """The state of something the sentence refers to."""
    opinion: bool = False
    """A language model's judgement of the sentence, shown without emphasis."""
    tone: bool = False
    """Dismissive words, with a neutral alternative."""

    @property
    def spoken(self) -> str:
        state = f"{verdict_title(self.verdict)}. " if self.verdict is not None else ""
        return f"{state}{self.title}: {self.words}"


def looks_of(
    claim: Claim | None, check: FieldCheck, state: ReviewState, opinion: "Opinion | None" = None
) -> tuple[Look, ...]:
    """Returns what to look at for a sentence: first passages that may contain what it says is missing, then the model's
    judgement."""
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
            found.append(Look(f"“{one.words}” {'identifies' if certain(one) else 'may identify'} you", TELLS[one.kind]))
    return tuple(found)


def _paint(painter: QPainter, rect: QRect, look: Look, _selected: bool) -> None:
    sign = theme().data("attention").sign if look.verdict is None and not look.opinion else ""
    paint_sign_row(painter, rect, SignRow("attention", sign, look.title, look.words))
    if look.verdict is not None:
        centre = QPointF(rect.left() + 12 + theme().px(5), rect.top() + 6 + theme().px(8))
        paint_verdict(painter, look.verdict, centre, theme().px(9))


class _Sign(Painted):
    accessible_role = QAccessible.Role.Graphic

    def __init__(self, parent: QWidget) -> None:
        super().__init__("State of the sentence", parent)
        self.verdict: Verdict = "not checked"
        fix_width(self, 14)
        fix_height(self, 16)

    def accessible_value(self) -> str:
        return verdict_title(self.verdict)

    def paint(self, painter: QPainter) -> None:
        paint_verdict(painter, self.verdict, QPointF(self.width() / 2, self.height() / 2), theme().px(10))


class SentencePanel(QWidget):
    place_wanted = Signal(object)
    """Boxes of the paper to show."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Current sentence")
        self.looks: tuple[Look, ...] = ()
        self._look = -1
        self._sign = _Sign(self)
        self._state = named(text_label("", "section", parent=self), "Support for the sentence")
        self._why = named(text_label("", "small", wrap=True, parent=self), "Why")
        texts = {"go": "Show place", "ask": "Make question", "drop": "Delete", "tone": "Improve tone"}
        self.buttons = command_buttons(registry, "review", texts, self)
        head = row(self._sign, self._state, None, spacing=6)
        acts = Flow(*self.buttons.values(), spacing=6)
        top = column(head, self._why, acts, margins=(12, 8, 10, 6), spacing=4)
        self.list = RecordList(
            "Places and words to check", _paint, lambda _look: theme().px(_LOOK), lambda look: look.spoken,
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
        """Selects the next place in the paper and returns it; empty if there is none."""
        places = [n for n, look in enumerate(self.looks) if look.boxes]
        if not places:
            return ()
        self._look = next((n for n in places if n > self._look), places[0])
        self.list.select_row(self._look)
        return self.looks[self._look].boxes

    def show_claim(self, claim: Claim | None, looks: tuple[Look, ...], *, waiting: bool) -> None:
        """Shows a sentence; ``waiting``: it hasn't been checked yet."""
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
