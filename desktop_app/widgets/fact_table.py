"""A plain table of texts, for reading and copying."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRect, QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QTableWidget, QTableWidgetItem, QWidget

from desktop_app.theme import ROW_COMPACT, theme
from desktop_app.timers import delayed
from engine.shown import visible

_PADDING = 20
"""Horizontal padding of a cell's text, both sides together, with some tolerance."""
_NAME = 120
"""Minimum width of the first column at text size 1, unless its texts are shorter; below it, the table scrolls."""
MEASURED = 40
"""Rows of a long table that are measured for the widths of columns: at most 40 of those in view. With 0, Qt measures
all rows of a hidden table."""


def plain_rows(table: QTableView) -> QHeaderView:
    """Sets up rows without grid and numbers, selected one at a time; Tab leaves the table. Returns the header."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)  # with word wrap, single-line rows cut text at a word, long before the cell's end
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.horizontalHeader().setHighlightSections(False)
    return table.horizontalHeader()


def fit_names(table: QTableView) -> bool:
    """Gives the first column the remaining width, or that of a name if less remains. Returns whether the table scrolls
    sideways."""
    header = table.horizontalHeader()
    least = min(max(table.sizeHintForColumn(0), header.sectionSizeHint(0)), theme().px(_NAME))
    scrolls = header.length() - header.sectionSize(0) + least > table.viewport().width()
    mode = QHeaderView.ResizeMode.Fixed if scrolls else QHeaderView.ResizeMode.Stretch
    if header.sectionResizeMode(0) != mode:
        header.setSectionResizeMode(0, mode)
    if scrolls:
        header.resizeSection(0, least)
    return scrolls


class FactTable(QTableWidget):
    """The first column takes the remaining width; the others contain numbers and are right-aligned. ``tips`` explain
    columns, by title. With ``wraps``, rows take as many lines as they need."""

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        parent: QWidget | None = None,
        tips: Mapping[str, str] | None = None,
        *,
        wraps: bool = False,
    ) -> None:
        super().__init__(0, len(columns), parent)
        self.setAccessibleName(name)
        self.setHorizontalHeaderLabels(list(columns))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header = plain_rows(self)
        self.setWordWrap(wraps)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        # Deferred, because column widths change several times during a resize.
        self._fitting = delayed(self, 0, self._fit)
        self._most: int | None = None
        if wraps:
            header.sectionResized.connect(lambda *_sizes: self._fitting.start())
        for column in range(len(columns)):
            item = self.horizontalHeaderItem(column)
            assert item is not None
            item.setTextAlignment(_alignment(column))
            item.setToolTip((tips or {}).get(columns[column], columns[column]))
        theme().follow(self._resize)

    def show_rows(self, rows: Sequence[Sequence[str]]) -> None:
        self.setRowCount(len(rows))
        # Measure the widths once, not after each cell.
        blocker = QSignalBlocker(self.model())
        for row, cells in enumerate(rows):
            for column, text in enumerate(cells):
                entry = QTableWidgetItem(visible(text))
                entry.setToolTip(entry.text())
                entry.setTextAlignment(_alignment(column))
                self.setItem(row, column, entry)
        blocker.unblock()
        self.model().layoutChanged.emit()
        self._fitting.start()

    def _fit(self) -> None:
        scrolls = fit_names(self)
        if self.wordWrap():
            self._fit_rows()
        if self._most is not None:
            rows = self.verticalHeader().defaultSectionSize() * min(max(self.rowCount(), 1), self._most)
            bar = self.horizontalScrollBar().sizeHint().height() if scrolls else 0
            self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows + bar + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fitting.start()

    def _fit_rows(self) -> None:
        # The delegate's size hint ignores the padding it paints with.
        metrics, usual = self.fontMetrics(), self.verticalHeader().defaultSectionSize()

        def height(text: str, width: int) -> int:
            return metrics.boundingRect(QRect(0, 0, width, 1 << 20), int(Qt.TextFlag.TextWordWrap), text).height()

        widths = [self.columnWidth(column) - theme().px(_PADDING) for column in range(self.columnCount())]
        line = height("X", 1 << 20)
        for row in range(self.rowCount()):
            items = ((self.item(row, column), width) for column, width in enumerate(widths))
            needed = max((height(item.text(), width) for item, width in items if item is not None), default=line)
            self.setRowHeight(row, usual + max(needed - line, 0))

    def show_all_rows(self, rows: Sequence[Sequence[str]], most: int = 1000) -> None:
        """Shows rows and sets the height to show all of them, or at most ``most``."""
        self._most = most
        self.show_rows(rows)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.currentRow() >= 0:
            cells = (self.item(self.currentRow(), column) for column in range(self.columnCount()))
            QGuiApplication.clipboard().setText("\t".join(cell.text() for cell in cells if cell is not None))
            return
        super().keyPressEvent(event)

    def _resize(self) -> None:
        self.verticalHeader().setDefaultSectionSize(theme().px(ROW_COMPACT))
        self._fitting.start()


def _alignment(column: int) -> Qt.AlignmentFlag:
    return (Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter
