"""Right: the response matrix. A row for each comment, a cell each for answered, edit linked, verified; an empty cell is
a bright hole. Heads carry the reviewer's budget as a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.panes.rebuttal.entries import key_of
from desktop_app.theme import theme
from desktop_app.widgets.row_list import paint_row_ground
from engine.rebuttal.budget import Spent
from engine.rebuttal.matrix import Cell, MatrixRow
from engine.rebuttal.records import ACTION_TITLES, Action, Point
from engine.reviews.limits import Unit, unit_name

LINE = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex
CELL, COUNT = 42, 76
ROW, HEAD, WORD, BAR = 58, 34, 26, 46
_SHOWN = 300
"""Characters of a reply that a row may show."""
STANCES = {"concur": "+", "dispute": "−", "neither": "·", None: ""}
"""How a reply stands to the comment: it goes along with it, or against it."""
SIGNS: dict[Cell, str] = {"empty": "", "good": "✓", "attention": "!", "wrong": "✗", "none": "–"}
SAID: dict[Cell, str] = {
    "empty": "missing", "good": "done", "attention": "needs a look", "wrong": "does not hold", "none": "not needed",
}  # fmt: skip
TITLES = ("Reply", "Edit", "Holds")
SHORT: dict[Action, str] = {
    "task_done": "Done", "task_will_be_done": "Will be done", "concede_criticism": "Concede",
    "mitigate_criticism": "Mitigate", "reject_criticism": "Reject", "reject_request": "Reject request",
    "refute_question": "Refute", "contradict_assertion": "Contradict",
}  # fmt: skip
"""What fits beside the cells; the tooltip and screen readers have the whole."""
OUTCOMES = {"satisfied": "satisfied", "partly": "partly satisfied", "unmoved": "unmoved"}


@dataclass(frozen=True, slots=True)
class Head:
    """A reviewer: what is spent of what is allowed."""

    reviewer: str
    spent: Spent
    unit: Unit
    told: str = ""
    """What is said instead of figures: of a rebuttal that is laid out, its pages."""


@dataclass(frozen=True, slots=True)
class Word:
    """An opening or closing."""

    point: Point
    spent: int


Line = Head | Word | MatrixRow


class MatrixModel(QAbstractListModel):
    """The lines of the matrix."""

    def __init__(self, parent: object = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]
        self.lines: tuple[Line, ...] = ()

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Other lines; those that stay in their places are painted anew only where they say something else."""
        before, self.lines = self.lines, tuple(lines)
        if [line_key(line) for line in before] != [line_key(line) for line in lines]:
            self.beginResetModel()
            self.endResetModel()
            return
        for at, (old, new) in enumerate(zip(before, lines, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(at), self.index(at), [int(Qt.ItemDataRole.DecorationRole)])

    def row_of(self, key: str) -> int:
        """The row of a point, -1 where it has none."""
        return next((n for n, line in enumerate(self.lines) if line_key(line) == key), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if isinstance(self.lines[index.row()], Head):
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.lines[index.row()]
        if role == LINE:
            return line
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return spoken(line)
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(line, MatrixRow):
            edits = ", ".join(edit.label for edit in line.edits)
            told = (told_action(line), f"Linked edits: {edits}" if edits else "")
            return "\n".join((*filter(None, told), *(flag.sentence for flag in line.flags)))
        return None


def line_key(line: Line) -> str:
    """What a line is known by."""
    if isinstance(line, Head):
        return f"head:{line.reviewer}"
    return line.row.comment.id if isinstance(line, MatrixRow) else key_of(line.point)


def spoken(line: Line) -> str:
    """A line in words, for screen readers."""
    if isinstance(line, Head):
        return f"{line.reviewer}: {line.told or told_spent(line.spent, line.unit)}"
    if isinstance(line, Word):
        return f"{line.point.kind.capitalize()}, {line.spent} characters"
    cells = zip(TITLES, (line.answered, line.linked, line.verified), strict=True)
    said = ", ".join(f"{title} {SAID[cell]}" for title, cell in cells)
    return f"{line.row.label}, {told_action(line)}: {said}. {' '.join(flag.sentence for flag in line.flags)}".rstrip()


def told_action(line: MatrixRow) -> str:
    """What the reply does, how it stands to the comment, and what came of it."""
    point = line.row.point
    if point.action is None:
        return "no action yet"
    stance = {"concur": ", concurs", "dispute": ", disputes"}.get(point.stance or "", "")
    outcome = f", reviewer {OUTCOMES[point.outcome]}" if point.outcome else ""
    return f"{ACTION_TITLES[point.action]}{stance}{outcome}"


def told_spent(spent: Spent, unit: Unit) -> str:
    """“3,210 of 5,000 characters”; “8,672 characters in 2 posts of 5,000” where there are several."""
    words = unit_name(unit, spent.total)
    if spent.allowed is None:
        return f"{spent.total:,} {words}"
    if spent.posts > 1:
        return f"{spent.total:,} {words} in {spent.posts} posts of {spent.allowed:,}"
    return f"{spent.total:,} of {spent.allowed:,} {words}"


class MatrixDelegate(QStyledItemDelegate):
    """Paints heads, words and rows."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        line = index.data(LINE)
        return QSize(100, theme().px(HEAD if isinstance(line, Head) else WORD if isinstance(line, Word) else ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(LINE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(line, Head):
            _paint_head(painter, QRect(option.rect), line, 3)
        else:
            paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
            if isinstance(line, Word):
                _paint_word(painter, QRect(option.rect), line)
            else:
                _paint_row(painter, QRect(option.rect), line)
        painter.restore()


def columns(rect: QRect) -> tuple[QRect, list[QRect], QRect]:
    """Name, three cells, count, of a row's rectangle."""
    t = theme()
    cell, count = t.px(CELL), t.px(COUNT)
    inner = rect.adjusted(14, 0, -12, 0)
    last = QRect(inner.right() - count, inner.top(), count, inner.height())
    cells = [QRect(last.left() - 6 - (3 - n) * cell, inner.top(), cell, inner.height()) for n in range(3)]
    return QRect(inner.left(), inner.top(), cells[0].left() - inner.left() - 4, inner.height()), cells, last


def _paint_head(painter: QPainter, rect: QRect, head: Head, thick: int = 8) -> None:
    t = theme()
    painter.fillRect(rect, t.colour("ground"))
    box = rect.adjusted(14, 6, -12, -6)
    painter.setFont(t.font("body", bold=True))
    painter.setPen(t.colour("ink"))
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, head.reviewer)
    over = head.spent.allowed is not None and head.spent.posts == 1 and head.spent.total > head.spent.allowed
    painter.setFont(t.font("small", tabular=True))
    painter.setPen(QColor(t.data("unsupported").ink if over else t.tokens.muted))
    painter.drawText(
        box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, head.told or told_spent(head.spent, head.unit)
    )
    if head.spent.allowed is not None:
        bar = QRect(box.left(), box.bottom() - t.px(thick) - 1, box.width(), t.px(thick))
        paint_bar(painter, bar, head.spent.total, head.spent.allowed * max(1, head.spent.posts))


def paint_bar(painter: QPainter, bar: QRect, spent: int, allowed: int) -> None:
    """A bar that fills; what is too much is vermilion and hatched, and the limit a line in it."""
    t = theme()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(t.colour("sunken"))
    painter.drawRoundedRect(bar, 3, 3)
    scale = bar.width() / max(spent, allowed, 1)
    good = QRect(bar.left(), bar.top(), round(min(spent, allowed) * scale), bar.height())
    painter.setBrush(QColor(t.data("linked").mark))
    if good.width():
        painter.drawRoundedRect(good, 3, 3)
    if spent > allowed:
        over = QRect(good.right() + 1, bar.top(), bar.right() - good.right(), bar.height())
        painter.setBrush(QColor(t.data("unsupported").mark))
        painter.drawRect(over)
        painter.setBrush(Qt.BrushStyle.BDiagPattern)
        painter.setPen(QPen(t.colour("ink"), 2))
        painter.drawLine(over.left(), bar.top() - 2, over.left(), bar.bottom() + 2)


def _paint_word(painter: QPainter, rect: QRect, word: Word) -> None:
    t = theme()
    name, _, last = columns(rect)
    painter.setFont(t.font("small"))
    painter.setPen(t.colour("muted"))
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(name, left, word.point.kind.capitalize() if word.point.text.strip() else f"+ {word.point.kind}")
    if word.spent:
        painter.setFont(t.font("small", tabular=True))
        painter.drawText(last, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{word.spent:,}")


def _paint_row(painter: QPainter, rect: QRect, line: MatrixRow) -> None:
    t = theme()
    foot = rect.adjusted(14, rect.height() - t.px(20), -12, -4)
    name, cells, last = columns(rect.adjusted(0, 0, 0, -t.px(18)))
    point = line.row.point
    painter.setFont(t.font("body", bold=True, tabular=True))
    painter.setPen(t.colour("ink"))
    half = name.height() // 2
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(name.adjusted(0, 3, 0, -half), left, line.row.label)
    painter.setFont(t.font("small"))
    painter.setPen(t.colour("ink" if point.action else "muted"))
    said = SHORT.get(point.action, ACTION_TITLES[point.action]) if point.action else ""
    words = f"{STANCES[point.stance]} {said}" if said else "no action"
    words = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, name.width())
    painter.drawText(name.adjusted(0, half, 0, -1), left, words)
    many = f"{len(line.edits)}" if len(line.edits) > 1 else ""
    for cell, box, number in zip((line.answered, line.linked, line.verified), cells, ("", many, ""), strict=True):
        side = min(box.height() - 6, t.px(28))
        place = QRect(box.center().x() - side // 2 - 4, box.center().y() - side // 2 + 1, side + 8, side)
        paint_cell(painter, place, cell, number)
    over = line.allotted is not None and line.spent > line.allotted
    painter.setFont(t.font("small", bold=over, tabular=True))
    painter.setPen(QColor(t.data("unsupported").ink if over else t.tokens.ink if line.spent else t.tokens.muted))
    of = f" / {line.allotted:,}" if line.allotted is not None else ""
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(last.adjusted(-20, 4, 0, -half), right, f"{line.spent:,}{of}")
    if line.allotted is not None:
        bar = QRect(last.left() + 8, last.top() + half + 5, last.width() - 8, t.px(5))
        paint_bar(painter, bar, line.spent, line.allotted)
    outcome = OUTCOMES.get(point.outcome, "")
    if outcome:
        painter.setFont(t.font("small"))
        painter.setPen(QColor(t.data("verified" if point.outcome == "satisfied" else "attention").ink))
        painter.drawText(foot, right, outcome)
        foot.setRight(foot.right() - painter.fontMetrics().horizontalAdvance(outcome) - 8)
    painter.setFont(t.reading_font(12))
    painter.setPen(t.colour("muted"))
    said = " ".join(point.text[:_SHOWN].split()) or "no reply yet"
    painter.drawText(foot, left, painter.fontMetrics().elidedText(said, Qt.TextElideMode.ElideRight, foot.width()))


def paint_cell(painter: QPainter, box: QRect, cell: Cell, number: str = "") -> None:
    """One cell: an empty one is filled amber with a thick edge, the brightest thing in the pane. ``number`` stands
    beside its sign."""
    t = theme()
    if cell == "none":
        painter.setPen(t.colour("muted"))
        painter.setFont(t.font("body"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, SIGNS[cell])
        return
    meaning = {"empty": "attention", "good": "verified", "attention": "attention", "wrong": "unsupported"}[cell]
    data = t.data(meaning)  # type: ignore[arg-type]
    if cell == "empty":
        painter.setPen(QPen(QColor(data.ink), 2))
        painter.setBrush(QColor(data.mark))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 5, 5)
        return
    painter.setPen(QPen(QColor(data.mark), 1))
    painter.setBrush(QColor(data.wash))
    painter.drawRoundedRect(box, 5, 5)
    painter.setPen(QColor(data.ink))
    painter.setFont(t.font("body" if number else "section", bold=True))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{SIGNS[cell]}{number}")


class BudgetBar(QWidget):
    """What the reviewer of the point at hand is told, of what is allowed, or the whole rebuttal where only that is
    limited; stays where it is while the rows scroll."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head: Head | None = None
        self.setAccessibleName("Budget")
        theme().changed.connect(self._fit)
        self._fit()

    def show_head(self, head: Head | None) -> None:
        """The reviewer; None for none."""
        if head != self.head:
            self.head = head
            self.setAccessibleDescription(spoken(head) if head else "")
            self.update()

    def _fit(self) -> None:
        self.setFixedHeight(theme().px(BAR))

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.head is not None:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            _paint_head(painter, self.rect(), self.head)
            painter.end()


class MatrixTitles(QWidget):
    """The names of the columns, over the list."""

    def __init__(self, view: QAbstractItemView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        theme().changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(theme().px(22))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        t = theme()
        painter.setFont(t.font("small"))
        painter.setPen(t.colour("muted"))
        # A scroll bar beside the rows must not shift the titles against them.
        name, cells, last = columns(QRect(0, 0, self._view.viewport().width(), self.height()))
        centre = Qt.AlignmentFlag.AlignCenter
        painter.drawText(name, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "Comment")
        for words, box in zip(TITLES, cells, strict=True):
            painter.drawText(box, centre, words)
        painter.drawText(last, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "Length")
        painter.end()
