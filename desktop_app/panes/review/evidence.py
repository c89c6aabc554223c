"""Evidence: a card for each place in the paper that matters, inserted by key or dragged into a field."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.review.choices import CARD_KEYS, STANCES
from desktop_app.panes.review.field_editor import EVIDENCE
from desktop_app.panes.review.layout import button, chooser, column, line, surface
from desktop_app.theme import theme
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.fields import CommittingLineEdit
from desktop_app.widgets.labels import KeyHint, hairline, text_label
from desktop_app.widgets.row_list import RowList, paint_row_ground
from engine.review_drafting.evidence import sentence_of
from engine.review_drafting.store import EvidenceCard, Stance

CARD = int(Qt.ItemDataRole.UserRole)
_ROW = 66
Index = QModelIndex | QPersistentModelIndex


def card_place(card: EvidenceCard) -> str:
    """Where a card's evidence is: "Section 3.1 · page 4"."""
    return " · ".join(part for part in (card.ref, f"page {card.page}" if card.page else "") if part)


class CardModel(QStandardItemModel):
    """The cards; dragging one carries its id, and its sentence for other programs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: tuple[EvidenceCard, ...] = ()
        self.titles: dict[str, str] = {}
        """The titles of the form's fields."""

    def show_cards(self, cards: Sequence[EvidenceCard], titles: dict[str, str]) -> None:
        """Shows cards; where only their words changed, the list keeps its place."""
        same = [card.id for card in cards] == [card.id for card in self.cards]
        self.cards, self.titles = tuple(cards), titles
        if not same:
            self.clear()
        for row, card in enumerate(cards):
            item = self.item(row) if same else QStandardItem()
            stance = next(words for key, words, _ in STANCES if key == card.stance)
            item.setText(f"{stance}, {card_place(card)}: {card.note or card.quote}")
            item.setAccessibleText(item.text())
            item.setToolTip(sentence_of(card))
            item.setData(card, CARD)
            if not same:
                self.appendRow(item)

    def row_of(self, card_id: str) -> int:
        return next((n for n, card in enumerate(self.cards) if card.id == card_id), -1)

    def mimeTypes(self) -> list[str]:
        return [EVIDENCE, "text/plain"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        card = self.cards[indexes[0].row()]
        data.setData(EVIDENCE, card.id.encode())
        data.setText(sentence_of(card))
        return data


class CardDelegate(QStyledItemDelegate):
    """Stance and place, the field it was inserted into, the card's key, and two lines of its words."""

    def __init__(self, registry: CommandRegistry, parent: QWidget) -> None:
        super().__init__(parent)
        self._registry = registry

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(160, theme().px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        card: EvidenceCard = index.data(CARD)
        model = index.model()
        assert isinstance(model, CardModel)
        t = theme()
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        box = QRect(option.rect).adjusted(12, 7, -10, -7)
        line = t.px(16)
        sign = next(sign for key, _, sign in STANCES if key == card.stance)
        painter.setFont(t.font("body", bold=True))
        painter.setPen(QColor(t.data("linked").ink))
        head = QRect(box.left(), box.top(), box.width(), line)
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, sign)
        painter.setFont(t.font("small", tabular=True))
        number = index.row() + 1
        room = head.adjusted(t.px(16), 0, 0, 0)
        if number <= CARD_KEYS:
            room.setRight(self._paint_key(painter, head, number) - 6)
        painter.setPen(t.colour("muted"))
        went = model.titles.get(card.field, "")
        words = " · ".join(part for part in (card_place(card), f"in {went}" if went else "") if part)
        elided = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)
        text = QRect(box.left(), head.bottom() + 3, box.width(), box.bottom() - head.bottom() - 2)
        painter.setPen(t.colour("ink"))
        painter.setFont(t.reading_font(13))
        said = f"{card.note} — “{card.quote}”" if card.note and card.quote else card.note or f"“{card.quote}”"
        _paint_lines(painter, text, said if card.note or card.quote else card_place(card), 2)
        painter.restore()

    def _paint_key(self, painter: QPainter, head: QRect, number: int) -> int:
        t = theme()
        key = self._registry.native_shortcut(f"review.insert_{number}").split(" or ")[0]
        cap = QRect(head)
        cap.setLeft(head.right() - painter.fontMetrics().horizontalAdvance(key) - 8)
        painter.setBrush(t.colour("ground"))
        painter.setPen(t.colour("control_border"))
        painter.drawRoundedRect(cap, 4, 4)
        painter.setPen(t.colour("ink"))
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key)
        return cap.left()


def _paint_lines(painter: QPainter, box: QRect, text: str, lines: int) -> None:
    """Draws words on a number of lines; the last one ends in an ellipsis where they don't fit."""
    metrics, words, y = painter.fontMetrics(), text.split(), box.top()
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    for number in range(lines):
        line = QRect(box.left(), y, box.width(), metrics.lineSpacing())
        if number == lines - 1:
            painter.drawText(line, left, metrics.elidedText(" ".join(words), Qt.TextElideMode.ElideRight, box.width()))
            return
        taken = 0
        while taken < len(words) and metrics.horizontalAdvance(" ".join(words[: taken + 1])) <= box.width():
            taken += 1
        painter.drawText(line, left, " ".join(words[: max(1, taken)]))
        words = words[max(1, taken) :]
        y += metrics.lineSpacing()
        if not words:
            return


class EvidenceView(QWidget):
    """The cards of the review, and below them the note and the stance of the selected card."""

    chosen = Signal(str)
    """Another card is selected: its id, or ""."""
    insert_wanted = Signal(str)
    """Enter or a double click: insert the card with this id."""
    changed = Signal(str, object)
    """A card's id, and its new ``note`` or ``stance`` by name."""
    moved = Signal(str, object)
    """A card's id, and that of the card to put it before (None: at the end)."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        surface(self)
        self._count = text_label("", "small", parent=self)
        self._count.setAccessibleName("Number of evidence cards")
        self.model = CardModel(self)
        self.list = RowList("Evidence cards", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(CardDelegate(registry, self.list))
        self.list.setDragEnabled(True)
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self.list.activated_row.connect(lambda index: self.insert_wanted.emit(index.data(CARD).id))
        menu = ["insert", "card_place", "", "card_up", "card_down", "remove_card"]
        offer_commands(self.list, registry, [name and f"review.{name}" for name in menu])
        self.note = CommittingLineEdit("card", "What this shows", self)
        self.note.setPlaceholderText("What this shows, in your words")
        self.note.committed.connect(lambda text, _coalesce: self._change(note=text))
        self.stance = chooser("What the evidence supports", self)
        for key, words, sign in STANCES:
            self.stance.addItem(f"{sign}  {words}", key)
        self.stance.activated.connect(lambda _at: self.set_stance(self.stance.currentData()))
        self._details = QWidget(self)
        self.stance.setMinimumContentsLength(8)
        column(
            line(self.note, KeyHint(registry, "review.note", self), spacing=6),
            line(self.stance, None, button(registry, "insert", "Insert", self)),
            margins=(10, 8, 10, 8), spacing=6, on=self._details,
        )  # fmt: skip
        heading = text_label("Evidence", "section", parent=self)
        add = button(registry, "card", "Add card", self)
        column(
            line(heading, self._count, None, add, margins=(12, 8, 10, 4)),
            self.list, hairline(parent=self), self._details, on=self,
        )  # fmt: skip
        self.setMinimumWidth(200)
        self._show_card()

    @property
    def card(self) -> EvidenceCard | None:
        """The selected card."""
        row = self.list.currentIndex().row()
        return self.model.cards[row] if 0 <= row < len(self.model.cards) else None

    def choose(self, card_id: str) -> None:
        """Selects a card."""
        self.list.select_row(self.model.row_of(card_id))

    def edit_note(self) -> None:
        """Puts the cursor in the note of the selected card."""
        self.note.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.note.selectAll()

    def step(self, by: int) -> None:
        """Selects the next or previous card."""
        last = len(self.model.cards) - 1
        if last >= 0:
            row = self.list.currentIndex().row()
            self.list.select_row(0 if row < 0 else min(max(row + by, 0), last))

    def set_stance(self, stance: Stance) -> None:
        """Changes what the selected card supports."""
        self._change(stance=stance)

    def move_card(self, by: int) -> None:
        """Moves the selected card up (-1) or down (1)."""
        row, cards = self.list.currentIndex().row(), self.model.cards
        target = row + by
        if 0 <= row < len(cards) and 0 <= target < len(cards):
            after = target + (1 if by > 0 else 0)
            self.moved.emit(cards[row].id, cards[after].id if after < len(cards) else None)

    def _change(self, **values: str) -> None:
        if self.card is not None:
            self.changed.emit(self.card.id, values)

    def show_cards(self, cards: Sequence[EvidenceCard], titles: dict[str, str], *, can_write: bool) -> None:
        """Shows the cards of a review; ``titles`` are those of its form's fields, empty where there is no review."""
        before = self.card
        self.model.show_cards(cards, titles)
        self._count.setText(str(len(cards)) if cards else "")
        key = self._registry.native_shortcut("review.card").split(" or ")[0]
        how = (
            f"Select words in the paper and press {key} to make a card of them. Insert it as a sentence with its place."
        )
        self.list.set_message(how if titles else "")
        if before is not None and self.card is None:
            row = self.model.row_of(before.id)
            self.list.select_row(row if row >= 0 else len(cards) - 1)
        for control in (self.note, self.stance):
            control.setEnabled(can_write)
        self.list.viewport().update()
        self._show_card()

    def _chosen(self) -> None:
        self._show_card()
        self.chosen.emit(self.card.id if self.card is not None else "")

    def _show_card(self) -> None:
        card = self.card
        self._details.setVisible(card is not None)
        if card is not None:
            self.note.show_text(card.note)
            self.stance.setCurrentIndex(self.stance.findData(card.stance))
