"""The results of a search across the project: a list below the search field."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from desktop_app.theme import theme
from desktop_app.timers import delayed
from desktop_app.widgets.entry_list import FoundList
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import column
from desktop_app.widgets.record_list import draw_text, laid_text
from desktop_app.widgets.span_editor import CodePoints
from engine.operations.search_store import KINDS, Found

WAIT_MS = 60
"""Delay in milliseconds between the last key and the search."""


def title_of(one: Found | str) -> str:
    """Returns the title of a row; a text is a heading."""
    if isinstance(one, str):
        return one
    return f"{one.title} · page {one.page}" if one.page else one.title


def _spoken(one: Found | str) -> str:
    return one if isinstance(one, str) else f"{one.title}. {one.snippet}"


def _height(one: Found | str) -> int:
    return theme().px(28 if isinstance(one, str) else 44)


def _paint(painter: QPainter, rect: QRect, one: Found | str, _selected: bool) -> None:
    """Paints title and place and, below, the snippet with matches in bold."""
    t, box = theme(), rect.adjusted(16, 4, -16, -4)
    if isinstance(one, str):
        draw_text(painter, box, Qt.AlignmentFlag.AlignBottom, one, t.font("small"), t.tokens.muted)
        return
    draw_text(painter, box, Qt.AlignmentFlag.AlignTop, title_of(one), t.font(), t.tokens.ink)
    painter.setPen(t.colour("muted"))
    painter.setClipRect(box)
    layout = _snippet(one, t.font("small"))
    layout.draw(painter, QPointF(box.left(), box.bottom() - layout.boundingRect().height()))


def _snippet(found: Found, font: QFont) -> QTextLayout:
    """Lays out the text around the matches on one line of any length."""
    bold, points = QTextCharFormat(), CodePoints(found.snippet)
    bold.setFontWeight(QFont.Weight.Bold)
    places = [(points.to_units(start), points.to_units(end)) for start, end in found.matches]
    return laid_text(found.snippet, font, 1 << 20, [(start, end - start, bold) for start, end in places], most=1)


class SearchResults(QFrame):
    """A floating list below ``field``. Typing in the field searches; Up, Down, Page Up and Page Down select, Enter
    chooses, Escape closes. ``search`` must be fast: it is called on the GUI thread."""

    chosen = Signal(object)
    """A Found."""

    def __init__(self, field: QLineEdit, search: Callable[[str], Sequence[Found]], parent: QWidget) -> None:
        super().__init__(parent)
        self._field, self._search = field, search
        self.setProperty("role", "floating")
        self.setAccessibleName("Search results")
        self.setAutoFillBackground(True)
        self.list = FoundList(
            "Search results", _paint, _height, _spoken, heading=lambda one: isinstance(one, str), parent=self
        )
        self.list.clicked.connect(lambda _index: self._choose())
        self.note = text_label("", "muted", wrap=True, parent=self)
        column((self.list, 1), self.note, margins=(8, 8, 8, 8), spacing=6, of=self)
        self._timer = delayed(self, WAIT_MS, self.search)
        field.textEdited.connect(lambda _text: self._timer.start())
        field.installEventFilter(self)
        self.hide()

    @property
    def results(self) -> list[Found]:
        return [one for one in self.list.records if not isinstance(one, str)]

    def search(self) -> None:
        """Searches for the text of the field and shows the results; hides the list if the field is empty."""
        query = self._field.text().strip()
        if not query:
            self.hide()
            return
        found = self._search(query)
        rows: list[Found | str] = []
        for kind, heading in KINDS.items():
            of_kind = [one for one in found if one.kind == kind]
            rows += [heading, *of_kind] if of_kind else []
        self.list.show_records(rows, -1)
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
        rows = sum(self.list.sizeHintForRow(row) for row in range(len(self.list.records)))
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
                else:
                    self._choose()
                return True
            if key == Qt.Key.Key_Escape and self.isVisible():
                self.hide()
                return True
        return super().eventFilter(watched, event)

    def _choose(self) -> None:
        found = self.list.current
        if found is not None:
            self.hide()
            self.chosen.emit(found)
