"""A list of records painted by a function, and functions to paint with."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.accessibility import paint_focus
from desktop_app.theme import theme
from desktop_app.widgets.labels import direction
from engine.shown import visible_line
from engine.text_search import next_match

Index = QModelIndex | QPersistentModelIndex


def paint_row_ground(painter: QPainter, option: QStyleOptionViewItem, *, selected: bool) -> None:
    """Paints a row's background and hairline; the selected row has a bar on the left and a tint."""
    tokens, rect = theme().tokens, QRect(option.rect)
    if selected:
        painter.fillRect(rect, QColor(tokens.accent_wash))
        painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), QColor(tokens.accent))
    elif option.state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(rect, QColor(tokens.ground))
    painter.fillRect(QRect(rect.left() + 12, rect.bottom(), rect.width() - 24, 1), QColor(tokens.hairline))


Paint = Callable[[QPainter, QRect, Any, bool], None]
"""Paints a record into a rectangle; the last argument says whether it is selected."""
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
ROW = int(Qt.ItemDataRole.UserRole)
"""The item role of the record itself."""
_SPOKEN = (int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.AccessibleTextRole))


class _Model(QAbstractListModel):
    """A model that keeps position and selection when rows change, by repainting instead of resetting if possible."""

    def __init__(
        self,
        spoken: Callable[[Any], str],
        key: Callable[[Any], object],
        shape: Callable[[Any], object],
        tip: Callable[[Any], str],
        heading: Callable[[Any], bool],
    ) -> None:
        super().__init__()
        self.rows: tuple[Any, ...] = ()
        self.drag: Callable[[Any], QMimeData] | None = None
        self._spoken, self._tip, self._shape, self.key, self.heading = spoken, tip, shape, key, heading

    def show_rows(self, rows: tuple[Any, ...]) -> None:
        before = self.rows
        if [self.key(row) for row in before] != [self.key(row) for row in rows]:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
            return
        self.rows = rows
        if [self._shape(row) for row in before] != [self._shape(row) for row in rows]:
            self.layoutChanged.emit()
        for at, (old, new) in enumerate(zip(before, rows, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(at), self.index(at), [int(Qt.ItemDataRole.DecorationRole)])

    def at(self, index: Index) -> Any:
        """Returns the record of an index; None for invalid indexes and headings."""
        row = self.rows[index.row()] if 0 <= index.row() < len(self.rows) else None
        return None if row is None or self.heading(row) else row

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        enabled = Qt.ItemFlag.ItemIsEnabled | (Qt.ItemFlag.ItemIsDragEnabled if self.drag else Qt.ItemFlag(0))
        return enabled if self.heading(self.rows[index.row()]) else enabled | Qt.ItemFlag.ItemIsSelectable

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        assert self.drag is not None
        return self.drag(self.rows[indexes[0].row()])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role in _SPOKEN:
            return self._spoken(row)
        return (self._tip(row) or None) if role == Qt.ItemDataRole.ToolTipRole else None


class _Delegate(QStyledItemDelegate):
    def __init__(self, paint: Paint, height: Callable[[Any], int], heading: Callable[[Any], bool], of: QObject) -> None:
        super().__init__(of)
        self._paint, self._height, self._heading = paint, height, heading

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, self._height(index.data(ROW)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        record, selected = index.data(ROW), bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if not self._heading(record):
            paint_row_ground(painter, option, selected=selected)
        self._paint(painter, QRect(option.rect), record, selected)
        painter.restore()


class RecordList(QListView):
    """A frameless list that scrolls by pixels and signals Enter. ``height`` is a row's height in pixels. ``key``
    identifies a row; ``shape`` is anything else its height depends on; ``spoken`` is its accessible text, ``tip`` its
    tooltip. Rows with ``heading`` can't be current; ``drag`` returns the data of a dragged record; ``cap`` returns
    where in the rectangle of its row a key is drawn, which works as a button (empty: nowhere)."""

    activated_row = Signal(QModelIndex)
    """Enter, a double click, or a click on the row's key."""
    chosen = Signal(object)
    """The record that the user made current; not emitted when the program does."""

    def __init__(
        self,
        name: str,
        paint: Paint,
        height: Callable[[Any], int],
        spoken: Callable[[Any], str],
        *,
        key: Callable[[Any], object] = lambda record: record,
        shape: Callable[[Any], object] = lambda _record: None,
        tip: Callable[[Any], str] = lambda _record: "",
        heading: Callable[[Any], bool] = lambda _record: False,
        drag: Callable[[Any], QMimeData] | None = None,
        cap: Callable[[QRect, Any], QRect] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._cap, self._pressed = cap, QModelIndex()
        self._first: object = None
        self._spent = False
        self.setAccessibleName(name)
        self.setFrameShape(self.Shape.NoFrame)
        self.setStyleSheet("QListView { border: none; border-radius: 0; }")
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(24)
        self._skeleton = 0
        self._message = ""
        self._showing = False
        self._model = _Model(spoken, key, shape, tip, heading)
        self._model.setParent(self)
        self._model.drag = drag
        self.setModel(self._model)
        if drag is not None:
            self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setItemDelegate(_Delegate(paint, height, heading, self))
        self.doubleClicked.connect(self.activated_row)
        self.selectionModel().currentChanged.connect(self._moved)
        theme().follow(self._relayout, now=False)

    @property
    def records(self) -> tuple[Any, ...]:
        return self._model.rows

    @property
    def current(self) -> Any:
        return self._model.at(self.currentIndex())

    def row_of(self, key: object) -> int:
        """Returns the row of a key; -1 if it isn't shown."""
        return next((at for at, record in enumerate(self.records) if self._model.key(record) == key), -1)

    def show_records(self, records: Sequence[Any], current: int | None = None) -> None:
        """Shows records, and makes a row current (-1: none; None: unchanged). The scroll position is kept if the
        current record stays the same."""
        self._showing = True
        place, before = self.verticalScrollBar().value(), self.current
        if self.records is not records:
            self._model.show_rows(tuple(records))
        if current is not None and self.currentIndex().row() != current:
            key, there = self._model.key, 0 <= current < len(records)
            same = before is not None and there and key(records[current]) == key(before)
            if not same and not self.currentIndex().isValid():  # different records
                self.scrollToTop()
            self.select_row(current)
            if same:
                self.verticalScrollBar().setValue(place)
        self._showing = False

    def select(self, key: object) -> None:
        """Makes the row of a key current; none if it isn't shown."""
        self._showing = True
        self.select_row(self.row_of(key))
        self._showing = False

    def step(self, by: int) -> None:
        """Goes to the next or previous record, as if by the user; stays at the ends."""
        if self.records:
            self.select_row(min(max(self.currentIndex().row() + by, 0), len(self.records) - 1))

    def _moved(self, current: QModelIndex, before: QModelIndex) -> None:
        if self._showing:
            return
        record = self._model.at(current)
        if record is not None:
            self.chosen.emit(record)
        elif current.isValid():  # a heading
            self._showing = True
            self.select_row(before.row())
            self._showing = False

    def set_skeleton(self, rows: int) -> None:
        """Draws this many grey placeholder rows while the list is empty."""
        if rows != self._skeleton:
            self._skeleton = rows
            self.viewport().update()

    def set_message(self, text: str) -> None:
        if text != self._message:
            self._message = text
            self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Also shows which row is current: Qt makes the first one current here, without selecting it."""
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.MouseFocusReason and not self.selectionModel().hasSelection():
            self.selectionModel().select(self.currentIndex(), QItemSelectionModel.SelectionFlag.Select)

    def select_row(self, row: int) -> None:
        """Selects a row and scrolls to it; -1 for none."""
        index = self.model().index(row, 0) if row >= 0 else QModelIndex()
        self.setCurrentIndex(index)
        if index.isValid():
            self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def find_record(self, text: str, by: int, words: Callable[[Any], str]) -> bool:
        """Selects a record by its ``words``, as ``next_match``; returns whether there is one."""
        rows = self.records
        at = next_match(text, len(rows), max(0, self.currentIndex().row()), by, lambda row: words(rows[row]))
        if at is not None:
            self.select_row(at)
        return at is not None

    def dataChanged(self, top: Index, bottom: Index, roles: Sequence[int] = ()) -> None:
        """Repaints these rows if only the decoration role changed; QListView would lay out the whole list."""
        if list(roles) != [int(Qt.ItemDataRole.DecorationRole)]:
            super().dataChanged(top, bottom, roles)
            return
        for row in range(top.row(), bottom.row() + 1):
            self.update(self.model().index(row, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activated_row.emit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def _on_cap(self, event: QMouseEvent) -> QModelIndex:
        """Returns the row whose key is under the pointer."""
        at = event.position().toPoint()
        index = self.indexAt(at)
        record = self._model.at(index)
        on = self._cap and record is not None and self._cap(self.visualRect(index), record).contains(at)
        return index if on else QModelIndex()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed, self._first = self._on_cap(event), self._under(event)
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, QModelIndex()
        if self._spent:
            self._spent = False
            return
        super().mouseReleaseEvent(event)
        if pressed.isValid() and pressed == self._on_cap(event) and event.button() == Qt.MouseButton.LeftButton:
            self.activated_row.emit(pressed)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The second click does nothing if the first one was on a key or put another row under the pointer."""
        self._spent = self._on_cap(event).isValid() or self._under(event) != self._first
        if not self._spent:
            super().mouseDoubleClickEvent(event)

    def _under(self, event: QMouseEvent) -> object:
        """Returns the key of the record under the pointer; None for a heading or below the rows."""
        record = self._model.at(self.indexAt(event.position().toPoint()))
        return None if record is None else self._model.key(record)

    def _relayout(self) -> None:
        """Lays out rows for another text size, keeping the current one visible."""
        self.scheduleDelayedItemsLayout()
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex(), QAbstractItemView.ScrollHint.EnsureVisible)

    def resizeEvent(self, event: QResizeEvent) -> None:
        row = self.visualRect(self.currentIndex())
        seen = row.isValid() and row.top() >= 0 and row.bottom() < event.oldSize().height()
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()  # lines wrap differently; Qt lays out again only if the height changes
        if seen:  # such as when a message reduces the height
            self.scrollTo(self.currentIndex(), QAbstractItemView.ScrollHint.EnsureVisible)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_focus(self)
        if self.records:
            return
        painter = QPainter(self.viewport())
        if self._skeleton:
            self._paint_skeleton(painter)
        elif self._message:
            painter.setPen(QColor(theme().tokens.muted))
            painter.setFont(theme().font())
            area = self.viewport().rect().adjusted(8, 4, -8, -4)
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
            spare = area.height() - painter.boundingRect(area, flags, self._message).height()
            painter.drawText(area.adjusted(0, max(0, min(20, spare)), 0, 0), flags, self._message)
        painter.end()

    def _paint_skeleton(self, painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().tokens.sunken))
        width = self.viewport().width() - 24
        for row in range(self._skeleton):
            top = row * theme().px(60) + 10
            for line, share in enumerate((0.35, 0.95, 0.6 + 0.3 * (row % 2))):
                painter.drawRoundedRect(QRect(12, top + line * 16, round(width * share), 9), 4, 4)


def draw_text(  # noqa: PLR0917 - like QPainter.drawText
    painter: QPainter, box: QRect | QRectF, align: Qt.AlignmentFlag, words: str, font: QFont, ink: str
) -> None:
    painter.setFont(font)
    painter.setPen(QColor(ink))
    shown = painter.fontMetrics().elidedText(visible_line(words), Qt.TextElideMode.ElideRight, round(box.width()))
    painter.drawText(box, align, shown)


def draw_box(
    painter: QPainter, box: QRect | QRectF, ground: str, edge: str = "", width: float = 1, *, dashed: bool = False,
    corner: int = 5,
) -> None:  # fmt: skip
    """Draws a box with rounded corners; ``ground`` or ``edge`` may be "" for none."""
    line = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    painter.setPen(QPen(QColor(edge), width, line) if edge else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ground) if ground else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, corner, corner)


def draw_key(painter: QPainter, cap: QRect, key: str) -> None:
    t = theme()
    draw_box(painter, cap, t.tokens.ground, t.tokens.control_border, corner=4)
    draw_text(painter, cap, CENTRE, key, t.font("small", tabular=True), t.tokens.ink)


def split_line(text: str, width: int, measure: Callable[[str], float]) -> tuple[str, str]:
    """Splits off the words that fit into ``width`` pixels; returns them and the rest. A longer word, such as an
    address, is split after at least one character."""
    line = ""
    for word in text[:200].split(" "):
        longer = f"{line} {word}" if line else word
        if line and measure(longer) > width:
            break
        line = longer
    if measure(line) > width:
        line = line[: max(1, bisect_left(range(1, len(line) + 1), True, key=lambda end: measure(line[:end]) > width))]
    return line, text[len(line) :].strip()


def draw_lines(painter: QPainter, rect: QRect, text: str, font: QFont, most: int) -> int:
    """Draws the start of a text on up to ``most`` lines, eliding the last. Returns the height in pixels."""
    painter.setFont(font)
    metrics, text = painter.fontMetrics(), visible_line(text)
    step, top = metrics.lineSpacing(), rect.top()
    for number in range(most):
        if not text:
            return number * step
        if number == most - 1:
            line, text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width()), ""
        else:
            line, text = split_line(text, rect.width(), metrics.horizontalAdvance)
        painter.drawText(rect.left(), top + number * step + metrics.ascent(), line)
    return most * step


def laid_text(
    text: str, font: QFont, width: int, marks: Sequence[tuple[int, int, QTextCharFormat]], most: int = 0
) -> QTextLayout:
    """Lays out a text in lines of this width, at most ``most`` (0: all); ``marks`` are ranges (start and length in
    UTF-16 units) with their formats."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setTextDirection(direction(text))
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    formats = []
    for start, length, look in marks:
        found = QTextLayout.FormatRange()
        found.start, found.length, found.format = start, length, look
        formats.append(found)
    layout.setFormats(formats)
    layout.beginLayout()
    height, lines = 0.0, 0
    while (not most or lines < most) and (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, height))
        height += line.height() * (1.0 if most else 1.15)
        lines += 1
    layout.endLayout()
    return layout
