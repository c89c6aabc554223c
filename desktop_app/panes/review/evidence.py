"""The evidence: a card for each place of the paper that matters, inserted by key or dragged into a field."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.panes.review.field_editor import EVIDENCE
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.fields import CommittingLineEdit
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import KeyHint, hairline, text_label
from desktop_app.widgets.row_list import RowList, paint_row_ground
from engine.review_drafting.evidence import sentence_of
from engine.review_drafting.store import EvidenceCard, Stance

CARD = int(Qt.ItemDataRole.UserRole)
STANCES: tuple[tuple[Stance, str, str], ...] = (
    ("strength", "Strength", "+"), ("weakness", "Weakness", "−"), ("question", "Question", "?"), ("note", "Note", "·"),
)  # fmt: skip
KEYS = 9
"""So many cards have a key of their own."""
_ROW = 66
Index = QModelIndex | QPersistentModelIndex


def card_place(card: EvidenceCard) -> str:
    """Where a card's evidence stands, for people: "Section 3.1 · page 4"."""
    return " · ".join(part for part in (card.ref, f"page {card.page}" if card.page else "") if part)


class CardModel(QAbstractListModel):
    """The cards; what is dragged is a card's id, and its sentence for other programs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: tuple[EvidenceCard, ...] = ()
        self.titles: dict[str, str] = {}
        """The titles of the form's fields."""

    def show_cards(self, cards: Sequence[EvidenceCard], titles: dict[str, str]) -> None:
        """Shows cards; where only their words are others, the list keeps its place."""
        same = [card.id for card in cards] == [card.id for card in self.cards]
        if not same:
            self.beginResetModel()
        self.cards, self.titles = tuple(cards), titles
        if not same:
            self.endResetModel()
        elif self.cards:
            self.dataChanged.emit(self.index(0), self.index(len(self.cards) - 1))

    def row_of(self, card_id: str) -> int:
        return next((n for n, card in enumerate(self.cards) if card.id == card_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.cards)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        card = self.cards[index.row()]
        if role == CARD:
            return card
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            stance = next(words for key, words, _ in STANCES if key == card.stance)
            return f"{stance}, {card_place(card)}: {card.note or card.quote}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return sentence_of(card)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:
        return [EVIDENCE, "text/plain"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        card = self.cards[indexes[0].row()]
        data.setData(EVIDENCE, card.id.encode())
        data.setText(sentence_of(card))
        return data


class CardDelegate(QStyledItemDelegate):
    """Stance and place, two lines of the words, the field that they went into, and the card's key."""

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
        if number <= KEYS:
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
    """Draws words over so many lines; the last one ends in an ellipsis where that is too little."""
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
    """The cards of the draft at hand, and below them the words and the stance of the card at hand."""

    chosen = Signal(str)
    """The card at hand is another one."""
    insert_wanted = Signal(str)
    """Enter or a double click: the card goes into the review."""
    left = Signal()

    def __init__(self, registry: CommandRegistry, desk: ReviewDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._registry = registry
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._count = text_label("", "small", parent=self)
        self._count.setAccessibleName("Number of evidence cards")
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 10, 4)
        head.setSpacing(8)
        head.addWidget(text_label("Evidence", "section", parent=self))
        head.addWidget(self._count)
        head.addStretch(1)
        make = CommandButton(registry, "review.card", text="Card", parent=self)
        KeepsKeys(make)
        head.addWidget(make)
        self.model = CardModel(self)
        self.list = RowList("Evidence cards", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(CardDelegate(registry, self.list))
        self.list.setDragEnabled(True)
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self.list.activated_row.connect(lambda index: self.insert_wanted.emit(index.data(CARD).id))
        offer_commands(
            self.list, registry, ["review.insert", "review.card_place", "", "review.card_up", "review.card_down",
                                  "review.remove_card"],
        )  # fmt: skip
        self.note = CommittingLineEdit("card", "What this shows", self)
        self.note.setPlaceholderText("What this shows, in your words")
        self.note.committed.connect(self._noted)
        self._note_key = KeyHint(registry, "review.note", self)
        self.stance = QComboBox(self)
        self.stance.setAccessibleName("What the evidence is for")
        self.stance.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for key, words, sign in STANCES:
            self.stance.addItem(f"{sign}  {words}", key)
        KeepsKeys(self.stance)
        self.stance.activated.connect(lambda _at: self.set_stance(self.stance.currentData()))
        self._insert = CommandButton(registry, "review.insert", text="Insert", parent=self)
        KeepsKeys(self._insert)
        self._details = QWidget(self)
        rows = QVBoxLayout(self._details)
        rows.setContentsMargins(10, 8, 10, 8)
        rows.setSpacing(6)
        line = QHBoxLayout()
        line.setSpacing(6)
        line.addWidget(self.note, 1)
        line.addWidget(self._note_key)
        rows.addLayout(line)
        acts = QHBoxLayout()
        acts.addWidget(self.stance, 1)
        acts.addWidget(self._insert)
        rows.addLayout(acts)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.list, 1)
        layout.addWidget(hairline(parent=self))
        layout.addWidget(self._details)
        self.setMinimumWidth(200)
        desk.cards_changed.connect(self._show)
        desk.draft_changed.connect(self._show)
        registry.changed.connect(self._show)
        self._show()

    @property
    def at_hand(self) -> EvidenceCard | None:
        """The card at hand."""
        row = self.list.currentIndex().row()
        return self.model.cards[row] if 0 <= row < len(self.model.cards) else None

    def choose(self, card_id: str) -> None:
        """Brings a card to hand."""
        self.list.select_row(self.model.row_of(card_id))

    def step(self, by: int) -> None:
        """The next or previous card."""
        last = len(self.model.cards) - 1
        if last >= 0:
            row = self.list.currentIndex().row()
            self.list.select_row(0 if row < 0 else min(max(row + by, 0), last))

    def set_stance(self, stance: Stance) -> None:
        """Says what the card at hand is evidence for."""
        card = self.at_hand
        if card is not None:
            self._desk.update_card(card.id, stance=stance)

    def move_card(self, by: int) -> None:
        """Moves the card at hand up (-1) or down (1)."""
        row, cards = self.list.currentIndex().row(), self.model.cards
        target = row + by
        if 0 <= row < len(cards) and 0 <= target < len(cards):
            after = target + (1 if by > 0 else 0)
            self._desk.move_card(cards[row].id, cards[after].id if after < len(cards) else None)

    def _noted(self, text: str, _coalesce: str) -> None:
        card = self.at_hand
        if card is not None:
            self._desk.update_card(card.id, note=text)

    def _show(self) -> None:
        desk, at_hand = self._desk, self.at_hand
        form = desk.form
        titles = {field.key: field.title for field in form.fields} if form is not None else {}
        self.model.show_cards(desk.cards, titles)
        count = len(desk.cards)
        self._count.setText(str(count) if count else "")
        key = self._registry.native_shortcut("review.card").split(" or ")[0] if "review.card" in self._registry else ""
        self.list.set_message(
            ""
            if desk.draft is None
            else f"Select words in the paper and press {key}. Each card becomes a sentence that points at its place."
        )
        if at_hand is not None and self.at_hand is None:
            row = self.model.row_of(at_hand.id)
            self.list.select_row(row if row >= 0 else count - 1)
        self._show_card()

    def _chosen(self) -> None:
        self._show_card()
        card = self.at_hand
        self.chosen.emit(card.id if card is not None else "")

    def _show_card(self) -> None:
        card = self.at_hand
        self._details.setVisible(card is not None)
        if card is not None:
            self.note.show_text(card.note)
            self.note.setEnabled(self._desk.can_write)
            self.stance.setEnabled(self._desk.can_write)
            self.stance.setCurrentIndex(self.stance.findData(card.stance))
