"""Evidence: a card for each place in the paper that matters, inserted by key or dragged into a field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.review.choices import CARD_KEYS, STANCES
from desktop_app.panes.review.field_editor import EVIDENCE
from desktop_app.panes.review.layout import SignRow, paint_sign_row
from desktop_app.theme import theme
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.fields import ChoiceBox, CommittingLineEdit, Whose
from desktop_app.widgets.keys import KeyHint
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.layouts import Flow, at_least, column, command_button, row, surface, tall_enough
from desktop_app.widgets.record_list import RecordList
from engine.review_drafting.evidence import sentence_of
from engine.review_drafting.store import EvidenceCard, Stance

_ROW = 66


def card_place(card: EvidenceCard) -> str:
    """Where a card's evidence is: "Section 3.1 · page 4"."""
    return " · ".join(part for part in (card.ref, f"page {card.page}" if card.page else "") if part)


@dataclass(frozen=True, slots=True)
class CardRow:
    """A card as it is listed."""

    card: EvidenceCard
    shown: SignRow
    spoken: str


def _carried(row: CardRow) -> QMimeData:
    """Dragging a card carries its id, and its sentence for other programs."""
    data = QMimeData()
    data.setData(EVIDENCE, row.card.id.encode())
    data.setText(sentence_of(row.card))
    return data


class EvidenceView(QWidget):
    """The cards of the review, and below them the note and the stance of the selected card."""

    chosen = Signal(str)
    """Another card is selected: its id, or ""."""
    insert_wanted = Signal(str)
    """Enter or a double click: insert the card with this id."""
    changed = Signal(object, object)
    """A card, and its new ``note`` or ``stance`` by name."""
    moved = Signal(str, object)
    """A card's id, and that of the card to put it before (None: at the end)."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self.cards: tuple[EvidenceCard, ...] = ()
        surface(self, "Evidence")
        self._count = text_label("", "small", parent=self)
        self._count.setAccessibleName("Number of evidence cards")
        self.list = RecordList(
            "Evidence cards", lambda painter, rect, row, _on: paint_sign_row(painter, rect, row.shown, reading=True),
            lambda _row: theme().px(_ROW), lambda row: row.spoken, key=lambda row: row.card.id,
            tip=lambda row: sentence_of(row.card), drag=_carried, parent=self,
        )  # fmt: skip
        at_least(self.list, 1, 130)
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self.list.activated_row.connect(lambda index: self.insert_wanted.emit(self.cards[index.row()].id))
        menu = ["insert", "card_place", "", "card_up", "card_down", "remove_card"]
        offer_commands(self.list, registry, [name and f"review.{name}" for name in menu])
        self.note = CommittingLineEdit("card", "What this shows", self)
        self.note.setPlaceholderText("What this shows, in your words")
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
        """Shows the cards of a review; ``titles`` are those of its form's fields, empty where there is no review."""
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

    def _chosen(self) -> None:
        self._show_card()
        self.chosen.emit(self.card.id if self.card is not None else "")

    def _show_card(self) -> None:
        card = self.card
        self._details.setVisible(card is not None)
        if card is not None:
            self.note.show_text(card.note, Whose(card.id, card))
            self.stance.show_value(card.stance)
