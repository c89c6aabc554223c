"""The linking guidelines, searchable, beside the edits."""

from collections.abc import Iterator

from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QLineEdit, QTextEdit, QWidget

from desktop_app.panes.linking.terms import STATES
from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.labels import HtmlPage, hairline, named, text_label
from desktop_app.widgets.layouts import column, row, surface
from desktop_app.widgets.span_editor import find_around, found_in
from engine.resource_files import resource_text
from engine.revision.records import CommentState


class Guidelines(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Guidelines")
        self._source = resource_text("guidelines/linking.md")
        words = "Search the guidelines"
        self.field = named(QLineEdit(self, clearButtonEnabled=True), words, hint=words)
        self.field.textChanged.connect(self._search)
        self.field.returnPressed.connect(self._next)
        self.close_button = IconButton("x", "Close the guidelines", parent=self)
        self.page = HtmlPage("Linking guidelines", self, padding="0 4px")
        column(
            row((text_label("Guidelines", "section", parent=self), 1), self.close_button, margins=(12, 6, 8, 0)),
            row(self.field, margins=(12, 0, 12, 8)), hairline(parent=self), (self.page, 1), spacing=6, of=self,
        )  # fmt: skip
        theme().follow(self._write)

    def show_state(self, state: CommentState) -> None:
        for block in self._blocks():
            if block.text() == STATES[state] and block.blockFormat().headingLevel() > 0:
                top = self.page.document().documentLayout().blockBoundingRect(block).top()
                self.page.verticalScrollBar().setValue(round(top) - 8)

    def matches(self) -> int:
        return len(self.page.extraSelections())

    def _blocks(self) -> Iterator[QTextBlock]:
        block = self.page.document().begin()
        while block.isValid():
            yield block
            block = block.next()

    def _write(self) -> None:
        place = self.page.verticalScrollBar().value()
        tokens = theme().tokens
        self.page.document().setDefaultFont(theme().font())
        self.page.setMarkdown(self._source)
        cursor = QTextCursor(self.page.document())
        for block in self._blocks():
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
        self.page.verticalScrollBar().setValue(place)
        self._search(self.field.text())

    def _search(self, text: str) -> None:
        found: list[QTextEdit.ExtraSelection] = []
        if len(text) > 1:
            for cursor in found_in(self.page.document(), text):
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
        if len(self.field.text()) > 1:
            find_around(self.page, self.field.text())
