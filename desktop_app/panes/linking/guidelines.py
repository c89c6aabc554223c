"""The rules of linking beside the work: readable, searchable, and open at the rule that one needs."""

from __future__ import annotations

from importlib import resources

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QTextEdit, QVBoxLayout, QWidget

from desktop_app.panes.linking.study import STATES
from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.plain import HtmlPage
from engine.revision.records import CommentState


class Guidelines(QWidget):
    """Shows resources/guidelines/linking.md."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Guidelines")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._source = (resources.files("resources") / "guidelines" / "linking.md").read_text(encoding="utf-8")
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Search the guidelines")
        self.field.setAccessibleName("Search the guidelines")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._search)
        self.field.returnPressed.connect(self._next)
        self.close_button = IconButton("x", "Close the guidelines", parent=self)
        self.page = HtmlPage("Guidelines of linking", self, padding="0 4px")
        head = QHBoxLayout()
        head.setContentsMargins(12, 6, 8, 0)
        head.addWidget(text_label("Guidelines", "section", parent=self), 1)
        head.addWidget(self.close_button)
        search = QHBoxLayout()
        search.setContentsMargins(12, 0, 12, 8)
        search.addWidget(self.field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addLayout(search)
        layout.addWidget(hairline(parent=self))
        layout.addWidget(self.page, 1)
        theme().changed.connect(self._write)
        self._write()

    def show_state(self, state: CommentState) -> None:
        """Opens the page at the rule of a state."""
        block = self.page.document().begin()
        while block.isValid():
            if block.text() == STATES[state] and block.blockFormat().headingLevel() > 0:
                self._go_to(block)
                return
            block = block.next()

    def matches(self) -> int:
        """How many places the search marks."""
        return len(self.page.extraSelections())

    def _go_to(self, block: QTextBlock) -> None:
        bar = self.page.verticalScrollBar()
        bar.setValue(round(self.page.document().documentLayout().blockBoundingRect(block).top()) - 8)

    def _write(self) -> None:
        place = self.page.verticalScrollBar().value()
        tokens = theme().tokens
        self.page.document().setDefaultFont(theme().font())
        self.page.setMarkdown(self._source)
        cursor = QTextCursor(self.page.document())
        block = self.page.document().begin()
        while block.isValid():
            level = block.blockFormat().headingLevel()
            shape = block.blockFormat()
            shape.setBottomMargin(6)
            shape.setTopMargin({1: 4, 2: 14, 3: 8}.get(level, 0))
            shape.setLineHeight(130, 1)
            cursor.setPosition(block.position())
            cursor.setBlockFormat(shape)
            if level:
                look = QTextCharFormat()
                look.setFont(theme().font("section" if level < 3 else "body", bold=True))
                look.setForeground(QColor(tokens.ink))
                look.setProperty(QTextFormat.Property.FontSizeAdjustment, 0)
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(look)
            block = block.next()
        self.page.verticalScrollBar().setValue(place)
        self._search(self.field.text())

    def _search(self, text: str) -> None:
        found: list[QTextEdit.ExtraSelection] = []
        if len(text) > 1:
            cursor = QTextCursor(self.page.document())
            while not (cursor := self.page.document().find(text, cursor)).isNull():
                mark = QTextEdit.ExtraSelection()
                mark.cursor = cursor
                look = QTextCharFormat()
                look.setBackground(QColor(theme().data("attention").wash))
                look.setForeground(QColor(theme().data("attention").ink))
                look.setFontUnderline(True)
                mark.format = look
                found.append(mark)
        self.page.setExtraSelections(found)
        if found:
            self.page.moveCursor(QTextCursor.MoveOperation.Start)
            self._next()

    def _next(self) -> None:
        text = self.field.text()
        if len(text) < 2:
            return
        if not self.page.find(text, QTextDocument.FindFlag(0)):
            self.page.moveCursor(QTextCursor.MoveOperation.Start)
            self.page.find(text, QTextDocument.FindFlag(0))
