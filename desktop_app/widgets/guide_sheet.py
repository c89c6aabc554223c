"""The user guide on a sheet over the window: a page, the list of pages, and a search."""

import re
from operator import itemgetter

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QUrl
from PySide6.QtGui import QFontMetrics, QImage, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop_app import guide
from desktop_app.problems import version
from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.entry_list import FoundList
from desktop_app.widgets.fields import UndoLineEdit
from desktop_app.widgets.floating import FloatingSheet
from desktop_app.widgets.labels import HtmlPage, named, text_label
from desktop_app.widgets.layouts import column, row, splitter

_SMOOTH = Qt.TransformationMode.SmoothTransformation
_Listed = tuple[str, tuple[str, str]]
"""A title, with its page and section."""
_PICTURE = re.compile(r'src="(images/[^"]+)"')


class GuideSheet(FloatingSheet):
    """``open_page`` shows a page; Escape closes the sheet. Links lead to other pages of the guide only."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Help", parent)
        self.page = ""
        self.field = named(UndoLineEdit(self), "Search the help", hint="Search the help")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._list)
        self.field.installEventFilter(self)
        self.setFocusProxy(self.field)
        self.list = FoundList(
            "Pages of the help",
            self._paint,
            self._height,
            itemgetter(0),
            key=itemgetter(1),
            tip=itemgetter(0),
            parent=self,
        )
        self.list.set_message("Nothing found")
        self.list.chosen.connect(self._choose)
        self.list.clicked.connect(lambda _index: self._choose(self.list.current))  # for the current row, too
        self.text = HtmlPage("Help page", self, padding="0 12px")
        self.text.anchorClicked.connect(self._follow)
        self.text.installEventFilter(self)
        close = IconButton("x", "Close the help")
        close.clicked.connect(self.leave)
        head = row(
            text_label("Help", "section"),
            (text_label(f"Rejoinder {version()}", "small"), 1),
            (self.field, 2),
            close,
            spacing=12,
        )
        self._sides = splitter((self.list, 240, 0), (self.text, 640, 1), parent=self)
        column(head, (self._sides, 1), margins=(16, 12, 12, 16), spacing=8, of=self)
        self._list("")
        theme().follow(self._rezoom)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(980), theme().px(1200))

    def enter(self) -> None:
        self.field.clear()
        super().enter()

    def open_page(self, page: str, section: str = "") -> None:
        if page != self.page:
            self.page = page
            self._render()
            self._mark()
        if section:
            self.text.scrollToAnchor(section)
        else:
            self.text.verticalScrollBar().setValue(0)

    def _render(self) -> None:
        """Renders the page, with images no wider than the text."""
        room = max(200, self.text.width() - 48)
        self.text.images = {}
        page = guide.html(self.page)
        for name in _PICTURE.findall(page):
            picture = QImage(str((guide.DOCS / self.page).parent / name))
            self.text.images[name] = picture.scaledToWidth(min(room, picture.width()), _SMOOTH)
        self.text.setHtml(page)

    def _restyle(self) -> None:
        """Renders the page again for another text size, width or theme, keeping the relative position."""
        if self.page:
            bar = self.text.verticalScrollBar()
            share = bar.value() / max(1, bar.maximum())
            self._render()
            bar.setValue(round(share * bar.maximum()))

    def _rezoom(self) -> None:
        self._sides.setSizes([theme().px(240), theme().px(700)])
        self._restyle()

    def _mark(self) -> None:
        """Selects the open page in the list of pages, unless search results are shown."""
        if not self.field.text().strip():
            self.list.select((self.page, ""))

    def _list(self, words: str) -> None:
        if words.strip():
            shown = [(self._named(part), (part.page, part.anchor)) for part in guide.found(words)]
        else:
            shown = [(guide.sections(page)[0].title, (page, "")) for page in guide.pages()]
        self.list.show_records(shown, -1)
        self._mark()

    @staticmethod
    def _named(part: guide.Section) -> str:
        title = guide.sections(part.page)[0].title
        return title if part.title == title else f"{title}: {part.title}"

    def _height(self, listed: _Listed) -> int:
        room = QRect(0, 0, self.list.viewport().width() - 24, 10_000)
        words = QFontMetrics(theme().font()).boundingRect(room, Qt.TextFlag.TextWordWrap, listed[0])
        return words.height() + theme().px(12)

    @staticmethod
    def _paint(painter: QPainter, rect: QRect, listed: _Listed, _selected: bool) -> None:
        painter.setFont(theme().font())
        painter.setPen(theme().colour("ink"))
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect.adjusted(12, 0, -12, 0), flags, listed[0])

    def _choose(self, listed: _Listed) -> None:
        self.open_page(*listed[1])

    def _follow(self, link: QUrl) -> None:
        page, section = guide.linked(self.page, link.toString())
        if page:
            self.open_page(page, section)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handles the field's navigation keys, and renders the page again when its width changes."""
        if watched is self._over:  # possibly before the widgets below exist
            return super().eventFilter(watched, event)
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if self.list.records:
                    self._choose(self.list.current or self.list.records[0])
                return True
            if self.list.take_key(event):
                return True
        if watched is self.text and isinstance(event, QResizeEvent) and event.size().width() != event.oldSize().width():
            self._restyle()
        return super().eventFilter(watched, event)
