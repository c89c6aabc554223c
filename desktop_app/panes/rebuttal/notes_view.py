"""What there is to say of the reply at hand: tone with an alternative, claims that do not hold, open slots, maths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

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


@dataclass(frozen=True, slots=True)
class Note:
    """One remark: what is meant stands at ``span``; ``of`` is what it was made from."""

    kind: NoteKind
    meaning: Meaning
    words: str
    span: Span | None = None
    of: ToneRemark | Checked | Flag | Trouble | None = None


def notes_of(
    tone: Sequence[ToneRemark], checked: Sequence[Checked], flags: Sequence[Flag], troubles: Sequence[Trouble]
) -> tuple[Note, ...]:
    """The notes on a reply, the gravest first."""
    found = [
        Note("flag", "unsupported" if flag.grave else "attention", flag.sentence, None, flag)
        for flag in flags
        if flag.cell != "verified"
    ]
    for one in checked:
        if one.verdict == "unsupported":
            found.append(Note("claim", "unsupported", one.why, one.claim.span, one))
        elif one.verdict == "unknown":
            found.append(Note("claim", "attention", one.why, one.claim.span, one))
    for remark in tone:
        instead = next((words for words in remark.alternatives if words), "")
        better = f" Better: “{instead}”." if instead else " Better left out."
        if remark.alternatives[0] == "" and instead:
            better = f" Better left out, or “{instead.rstrip(',')}”."
        found.append(
            Note(
                "tone",
                "attention",
                f"“{remark.words.rstrip(',')}”: {remark.kind}. {remark.why}{better}",
                remark.span,
                remark,
            )
        )
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
    """A sign in the colour of its meaning, and one line."""

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
        line = painter.fontMetrics().elidedText(note.words, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)
        painter.restore()


class NotesView(RowList):
    """As high as its notes, up to four; gone without any."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Notes on the reply", parent)
        self.notes = NoteModel(self)
        self.setModel(self.notes)
        self.setItemDelegate(NoteDelegate(self))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self._fit)
        self._fit()

    def show_notes(self, notes: Sequence[Note]) -> None:
        self.notes.show_notes(notes)
        self._fit()

    def _fit(self) -> None:
        rows = min(len(self.notes.rows), _SHOWN)
        self.setFixedHeight(max(1, rows * theme().px(_ROW)))
        self.setVisible(rows > 0)
