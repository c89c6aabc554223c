"""The results of a search across the project: a list under the field in which the search is typed."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop_app.theme import theme
from desktop_app.timers import delayed
from desktop_app.widgets.entry_list import FoundList
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import column
from desktop_app.widgets.record_list import Index, laid_text
from desktop_app.widgets.span_editor import CodePoints
from engine.operations.search_store import KINDS, Found

FOUND = Qt.ItemDataRole.UserRole
WAIT_MS = 60
"""Milliseconds without another key before a search starts."""


class _Row(QStyledItemDelegate):
    """Title and place, and below them the snippet with its matches in bold; a heading is a row without a result."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, theme().px(44 if index.data(FOUND) is not None else 28))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = theme()
        found: Found | None = index.data(FOUND)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, t.colour("accent_wash"))
        box = option.rect.adjusted(16, 4, -16, -4)
        painter.setFont(t.font("body" if found is not None else "small"))
        painter.setPen(t.colour("ink" if found is not None else "muted"))
        title = painter.fontMetrics().elidedText(str(index.data()), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignTop if found is not None else Qt.AlignmentFlag.AlignBottom, title)
        if found is not None:
            painter.setPen(t.colour("muted"))
            painter.setClipRect(box)
            layout = _snippet(found, t.font("small"))
            layout.draw(painter, QPointF(box.left(), box.bottom() - layout.boundingRect().height()))
        painter.restore()


def _snippet(found: Found, font: QFont) -> QTextLayout:
    """The words around the matches, on one line however long."""
    bold, points = QTextCharFormat(), CodePoints(found.snippet)
    bold.setFontWeight(QFont.Weight.Bold)
    places = [(points.to_units(start), points.to_units(end)) for start, end in found.matches]
    return laid_text(found.snippet, font, 1 << 20, [(start, end - start, bold) for start, end in places], most=1)


class SearchResults(QFrame):
    """A floating list below ``field``. Typing in the field searches; Up, Down, Page Up and Page Down select, Enter
    chooses, Escape closes. ``search`` must answer at once: it is called on the GUI thread.
    """

    chosen = Signal(object)
    """A Found."""

    def __init__(self, field: QLineEdit, search: Callable[[str], Sequence[Found]], parent: QWidget) -> None:
        super().__init__(parent)
        self._field, self._search = field, search
        self.setProperty("role", "floating")
        self.setAccessibleName("Search results")
        self.setAutoFillBackground(True)
        self.list = FoundList("Search results", _Row(), self)
        self.list.itemClicked.connect(self._choose)
        self.note = text_label("", "muted", wrap=True, parent=self)
        column((self.list, 1), self.note, margins=(8, 8, 8, 8), spacing=6, of=self)
        self._timer = delayed(self, WAIT_MS, self.search)
        field.textEdited.connect(lambda _text: self._timer.start())
        field.installEventFilter(self)
        self.hide()

    @property
    def results(self) -> list[Found]:
        items = (self.list.item(row).data(FOUND) for row in range(self.list.count()))
        return [found for found in items if found is not None]

    def search(self) -> None:
        """Searches for the text of the field and shows the results; hides the list where the field is empty."""
        query = self._field.text().strip()
        if not query:
            self.hide()
            return
        found = self._search(query)
        self.list.clear()
        for kind, heading in KINDS.items():
            of_kind = [one for one in found if one.kind == kind]
            if of_kind:
                head = QListWidgetItem(heading)
                head.setFlags(Qt.ItemFlag.NoItemFlags)
                self.list.addItem(head)
            for one in of_kind:
                item = QListWidgetItem(f"{one.title} · page {one.page}" if one.page else one.title)
                item.setData(FOUND, one)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{one.title}. {one.snippet}")
                self.list.addItem(item)
        self.list.setVisible(bool(found))
        self.note.setText("" if found else "No results")
        self.note.setVisible(not found)
        self.list.step(1)
        self._place()
        self.show()
        self.raise_()

    def _place(self) -> None:
        parent = self.parentWidget()
        assert parent is not None
        corner = self._field.mapTo(parent, QPoint(0, self._field.height() + 4))
        width = min(max(self._field.width(), theme().px(480)), parent.width() - 16)
        rows = sum(self.list.sizeHintForRow(row) for row in range(self.list.count()))
        height = min(rows + theme().px(24) if rows else theme().px(56), parent.height() - corner.y() - 16)
        self.setGeometry(min(corner.x(), parent.width() - width - 8), corner.y(), width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self._field:
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.FocusOut and not self.underMouse():
            self.hide()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if self.isVisible() and self.list.take_key(event):
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if self._timer.isActive() or not self.isVisible():
                    self._timer.stop()
                    self.search()
                elif (item := self.list.currentItem()) is not None:
                    self._choose(item)
                return True
            if key == Qt.Key.Key_Escape and self.isVisible():
                self.hide()
                return True
        return super().eventFilter(watched, event)

    def _choose(self, item: QListWidgetItem) -> None:
        found = item.data(FOUND)
        if found is not None:
            self.hide()
            self.chosen.emit(found)
