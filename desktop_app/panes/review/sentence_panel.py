"""The sentence at hand: how it stands to the paper, why, where to look, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.panes.review.checking import FieldCheck
from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.panes.review.field_editor import WORDS, paint_sign
from desktop_app.theme import Meaning, theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.row_list import RowList, paint_row_ground
from engine.documents.records import Box
from engine.review_drafting.grounding import Claim
from engine.reviews.anonymity import Identifying
from engine.reviews.tone import ToneRemark

LOOK = int(Qt.ItemDataRole.UserRole)
_ROW = 52
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Look:
    """A row of the panel: something to look at. ``boxes`` are its place in the paper, empty for words of the review."""

    meaning: Meaning
    title: str
    words: str
    boxes: tuple[Box, ...] = ()
    mends: bool = False
    """The words of the review can be mended by key."""


def looks_of(claim: Claim | None, check: FieldCheck, desk: ReviewDesk) -> tuple[Look, ...]:
    """What there is to look at for a sentence: passages that may hold what it calls missing come first."""
    if claim is None:
        return ()
    found = [
        Look("attention", f"Nearest passage · page {p.page}", p.text, desk.boxes_of(p.paragraph_id, p.start, p.end))
        for p in claim.passages
    ]
    for anchor in claim.anchors:
        meaning: Meaning = "verified" if anchor.verified else "unsupported" if anchor.certain else "attention"
        page = f" · page {anchor.page}" if anchor.page and anchor.kind != "page" else ""
        boxes = anchor.place.boxes if anchor.place is not None else ()
        found.append(Look(meaning, f"{anchor.ref}{page}", anchor.why, boxes))
    found += [_tone(remark) for remark in check.tone if _inside(remark.span.start, claim)]
    found += [_identity(one) for one in check.identity if _inside(one.span.start, claim)]
    return tuple(found)


def _tone(remark: ToneRemark) -> Look:
    better = " or ".join(f"“{words.rstrip(',')}”" if words else "leave out" for words in remark.alternatives[:2])
    return Look(
        "attention", f"“{remark.words.rstrip(',')}” → {better}", f"{remark.kind.capitalize()}. {remark.why}", mends=True
    )


def _identity(one: Identifying) -> Look:
    return Look("attention", f"“{one.words}” shows who reviews", f"{one.kind.capitalize()}. {one.why}")


def _inside(position: int, claim: Claim) -> bool:
    return claim.start <= position < claim.end


class LookModel(QAbstractListModel):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[Look, ...] = ()

    def show_rows(self, rows: Sequence[Look]) -> None:
        if tuple(rows) != self.rows:
            self.beginResetModel()
            self.rows = tuple(rows)
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        look = self.rows[index.row()]
        if role == LOOK:
            return look
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{look.title}: {look.words}"
        return None


class LookDelegate(QStyledItemDelegate):
    """A sign in the colour of its meaning, what it is, and two lines of words."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(100, theme().px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look: Look = index.data(LOOK)
        t = theme()
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        data = t.data(look.meaning)
        box = QRect(option.rect).adjusted(12, 5, -8, -4)
        head = QRect(box.left(), box.top(), box.width(), t.px(15))
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(t.font("small", bold=True))
        painter.setPen(QColor(data.ink))
        painter.drawText(head, left, data.sign)
        title = head.adjusted(t.px(14), 0, 0, 0)
        painter.setPen(t.colour("ink"))
        elide = Qt.TextElideMode.ElideRight
        painter.drawText(title, left, painter.fontMetrics().elidedText(look.title, elide, title.width()))
        painter.setFont(t.font("small"))
        painter.setPen(t.colour("muted"))
        words = QRect(title.left(), head.bottom() + 2, title.width(), box.bottom() - head.bottom() - 1)
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, look.words)
        painter.restore()


class _Sign(QWidget):
    """The mark of the sentence at hand."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.colour = "none"
        self.setFixedSize(theme().px(14), theme().px(16))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_sign(painter, self.colour, QPointF(self.width() / 2, self.height() / 2), theme().px(10))
        painter.end()


class SentencePanel(QWidget):
    """Follows the caret of the form."""

    place_wanted = Signal(object)
    """Boxes of the paper to be shown."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("The sentence at hand")
        self._sign = _Sign(self)
        self._state = text_label("", "section", parent=self)
        self._state.setAccessibleName("How the sentence stands")
        self._why = text_label("", "small", wrap=True, parent=self)
        self._why.setAccessibleName("Why")
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self._sign)
        head.addWidget(self._state)
        head.addStretch(1)
        self.buttons = {
            name: CommandButton(registry, f"review.{name}", text=words, parent=self)
            for name, words in (("go", "Go there"), ("ask", "Ask instead"), ("drop", "Drop"), ("mend", "Mend"))
        }
        self._acts = QGridLayout()
        self._acts.setSpacing(6)
        self._acts.setColumnStretch(2, 1)
        for button in self.buttons.values():
            KeepsKeys(button)
        top = QVBoxLayout()
        top.setContentsMargins(12, 8, 10, 6)
        top.setSpacing(4)
        top.addLayout(head)
        top.addWidget(self._why)
        top.addLayout(self._acts)
        self.model = LookModel(self)
        self.list = RowList("What to look at for the sentence", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(LookDelegate(self.list))
        self.list.clicked.connect(self._wanted)
        self.list.activated_row.connect(self._wanted)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.list, 1)

    def show_claim(self, claim: Claim | None, looks: Sequence[Look], *, waiting: bool) -> None:
        """The sentence at hand; ``waiting``: it is not checked yet."""
        colour = claim.colour if claim is not None else "none"
        self._sign.colour = colour
        self._sign.setVisible(colour != "none")
        self._sign.update()
        if claim is not None:
            self._state.setText(WORDS[colour])
            self._why.setText(claim.why or "It asserts nothing of the paper that could be looked up.")
        else:
            self._state.setText("Sentence" if not waiting else "Checking…")
            self._why.setText("" if waiting else "Put the caret into a sentence to see how it stands to the paper.")
        asked = claim is not None and claim.kind == "question"
        self._show_buttons(
            go=claim is not None and any(look.boxes for look in looks),
            ask=colour in ("red", "amber") and not asked,
            drop=colour == "red",
            mend=any(look.mends for look in looks),
        )
        self.model.show_rows(looks)

    def _show_buttons(self, **wanted: bool) -> None:
        """Those that apply, two in a row."""
        shown = [button for name, button in self.buttons.items() if wanted[name]]
        for name, button in self.buttons.items():
            self._acts.removeWidget(button)
            button.setVisible(wanted[name])
        for number, button in enumerate(shown):
            self._acts.addWidget(button, number // 2, number % 2)

    def _wanted(self, index: QModelIndex) -> None:
        look: Look = index.data(LOOK)
        if look.boxes:
            self.place_wanted.emit(look.boxes)
