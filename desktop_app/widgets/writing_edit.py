"""A text field with highlights drawn over its text. All positions are code points."""

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QShowEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.fields import CommittingTextEdit
from desktop_app.widgets.span_editor import CodePoints
from engine.reviews.records import Span

LineStyle = QTextCharFormat.UnderlineStyle


@dataclass(frozen=True, slots=True)
class Highlight:
    """A highlighted span: colours as hex, "" for none; ``style`` is the underline's, in the colour ``line``."""

    span: Span
    ground: str = ""
    line: str = ""
    style: LineStyle | None = None
    ink: str = ""


class WritingEdit(CommittingTextEdit):
    """``typed`` is emitted on every change of the text, ``left`` on Escape."""

    typed = Signal()
    left = Signal()

    def __init__(self, subject: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(subject, name, parent)
        self.textChanged.connect(self.changed)
        theme().follow(self.restyle, now=False)

    @property
    def unsaved(self) -> bool:
        """Whether typed text isn't in the project yet."""
        return self._visit.unsaved

    def finish(self) -> None:
        """Commits the typed text; later typing is another undo step."""
        self._visit.leave()

    @property
    def text(self) -> str:
        return self.toPlainText()

    @property
    def place(self) -> int:
        return CodePoints(self.text).from_units(self.textCursor().position())

    @property
    def selected(self) -> Span:
        cursor, points = self.textCursor(), CodePoints(self.text)
        return Span(points.from_units(cursor.selectionStart()), points.from_units(cursor.selectionEnd()))

    def select(self, span: Span) -> None:
        points, cursor = CodePoints(self.text), self.textCursor()
        cursor.setPosition(points.to_units(span.start))
        cursor.setPosition(points.to_units(span.end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def replace(self, span: Span, words: str) -> None:
        self.select(span)
        self.textCursor().insertText(words)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        shown = event.reason() == Qt.FocusReason.ShortcutFocusReason and not self.textCursor().position()
        if shown or event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.moveCursor(QTextCursor.MoveOperation.End)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def changed(self) -> None:
        self.mark()
        self.typed.emit()

    def mark(self) -> None:
        """Draws all marks; for subclasses."""

    def draw(self, highlights: Iterable[Highlight]) -> None:
        """Replaces the highlights; those behind the end of the text are skipped."""
        text = self.text
        points = CodePoints(text)
        marks: list[QTextEdit.ExtraSelection] = []
        for one in highlights:
            if one.span.start >= len(text):
                continue
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(points.to_units(one.span.start))
            cursor.setPosition(points.to_units(min(one.span.end, len(text))), QTextCursor.MoveMode.KeepAnchor)
            mark.cursor, mark.format = cursor, _format(one)
            marks.append(mark)
        self.setExtraSelections(marks)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.font() != theme().reading_font(15):
            self.restyle()  # the style sheet has replaced the font

    def restyle(self) -> None:
        self.document().setDefaultFont(theme().reading_font(15))
        self.setFont(theme().reading_font(15))
        self.mark()


def _format(one: Highlight) -> QTextCharFormat:
    look = QTextCharFormat()
    if one.ground:
        look.setBackground(QColor(one.ground))
    if one.style is not None:
        look.setUnderlineStyle(one.style)
        look.setUnderlineColor(QColor(one.line))
    if one.ink:
        look.setForeground(QColor(one.ink))
    return look
