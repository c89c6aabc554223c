"""What there is to say of the reply at hand: tone with an alternative, claims that do not hold, open slots, maths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import Meaning, theme
from desktop_app.widgets.row_list import RowList, paint_row_ground
from engine.rebuttal.claims import Checked
from engine.rebuttal.matrix import Flag
from engine.reviews.preview import Trouble
from engine.reviews.records import Span
from engine.reviews.tone import ToneRemark

NOTE = int(Qt.ItemDataRole.UserRole)
NoteKind = Literal["tone", "claim", "flag", "markup"]
Index = QModelIndex | QPersistentModelIndex
_SHOWN = 4
_ROW = 24
_BY = {"": "", "slots": "next_slot", "accept": "accept", "link": "go"}


@dataclass(frozen=True, slots=True)
class Note:
    """One remark: what is meant stands at ``span``; ``of`` is what it was made from."""

    kind: NoteKind
    meaning: Meaning
    words: str
    span: Span | None = None
    of: ToneRemark | Checked | Flag | Trouble | None = None
    command: str = ""
    """What mends it, by its name in the pane's commands; its key stands at the end of the line."""


def notes_of(
    tone: Sequence[ToneRemark], checked: Sequence[Checked], flags: Sequence[Flag], troubles: Sequence[Trouble]
) -> tuple[Note, ...]:
    """The notes on a reply, the gravest first."""
    found = [
        Note("flag", "unsupported" if flag.grave else "attention", flag.sentence, None, flag, _BY[flag.by])
        for flag in flags
        if flag.cell != "verified"
    ]
    for one in checked:
        if one.verdict == "unsupported":
            found.append(Note("claim", "unsupported", one.why, one.claim.span, one, "confirm"))
        elif one.verdict == "unknown":
            found.append(Note("claim", "attention", one.why, one.claim.span, one, "confirm"))
    for remark in tone:
        better = " or ".join(f"“{words.rstrip(',')}”" if words else "leave out" for words in remark.alternatives[:2])
        said = f"“{remark.words.rstrip(',')}” → {better} · {remark.kind}: {remark.why}"
        found.append(Note("tone", "attention", said, remark.span, remark, "tone"))
    found += [Note("markup", "attention", trouble.sentence, trouble.span, trouble) for trouble in troubles]
    for one in checked:
        if one.verdict in ("verified", "confirmed"):
            found.append(Note("claim", "verified", f"{one.claim.key}: {one.why}", one.claim.span, one))
    return tuple(sorted(found, key=lambda note: ("unsupported", "attention", "verified").index(note.meaning)))


class NoteModel(QAbstractListModel):
    def __init__(self, parent: object = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]
        self.rows: tuple[Note, ...] = ()

    def show_notes(self, notes: Sequence[Note]) -> None:
        if tuple(notes) != self.rows:
            self.beginResetModel()
            self.rows = tuple(notes)
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        note = self.rows[index.row()]
        if role == NOTE:
            return note
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return note.words
        return None


class NoteDelegate(QStyledItemDelegate):
    """A sign in the colour of its meaning, one line, and the key that mends it."""

    def __init__(self, key: Callable[[str], str], parent: QWidget) -> None:
        super().__init__(parent)
        self._key = key

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(100, theme().px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        note: Note = index.data(NOTE)
        t = theme()
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        data = t.data(note.meaning)
        box = QRect(option.rect).adjusted(8, 0, -8, -1)
        painter.setFont(t.font("body", bold=True))
        painter.setPen(QColor(data.ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, data.sign)
        painter.setFont(t.font("small"))
        painter.setPen(t.colour("ink"))
        words = box.adjusted(18, 0, 0, 0)
        key = self._key(note.command) if note.command else ""
        if key:
            cap = QRect(words)
            cap.setLeft(words.right() - painter.fontMetrics().horizontalAdvance(key) - 9)
            cap.adjust(0, 3, 0, -2)
            painter.setBrush(t.colour("ground"))
            painter.setPen(t.colour("control_border"))
            painter.drawRoundedRect(cap, 4, 4)
            painter.setPen(t.colour("ink"))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key)
            words.setRight(cap.left() - 8)
        line = painter.fontMetrics().elidedText(note.words, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)
        painter.restore()


class NotesView(RowList):
    """As high as its notes, up to four; gone without any."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__("Notes on the reply", parent)
        self._registry = registry
        self.notes = NoteModel(self)
        self.setModel(self.notes)
        self.setItemDelegate(NoteDelegate(self._key, self))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self._fit)
        self._fit()

    def show_notes(self, notes: Sequence[Note]) -> None:
        self.notes.show_notes(notes)
        self._fit()

    def _key(self, command: str) -> str:
        shortcuts = self._registry.native_shortcut(f"rebuttal.{command}").split(" or ")
        return shortcuts[-1]  # where there are two, the last works while one writes

    def _fit(self) -> None:
        rows = min(len(self.notes.rows), _SHOWN)
        self.setFixedHeight(max(1, rows * theme().px(_ROW)))
        self.setVisible(rows > 0)
