"""Text of others in widgets: as plain text, or in HTML of our own that loads nothing.

Labels, message boxes and tooltips are plain by the application's stylesheet (``qproperty-textFormat``); a label that
shows HTML of our own says so with ``show_html``.
"""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt, QUrl
from PySide6.QtGui import QImage, QPaintEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QTextBrowser, QWidget

from desktop_app.accessibility import paint_focus
from engine.shown import visible_line


def literal(text: str) -> str:
    """``text`` for a menu, a button or a tab: on one line, and with ampersands that underline nothing."""
    return visible_line(text).replace("&", "&&")


class HtmlLabel(QLabel):
    """A label that shows HTML of our own, made of escaped pieces. Pictures in it are not loaded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("html", True)  # the stylesheet leaves its format alone
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)


class HtmlPage(QTextBrowser):
    """A page of HTML of our own, made of escaped pieces. It follows no link and loads nothing but ``images``."""

    def __init__(self, name: str, parent: QWidget | None = None, padding: str = "0") -> None:
        super().__init__(parent)
        self.images: dict[str, QImage] = {}
        """The pictures that may be shown, by the address that the HTML gives them."""
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setStyleSheet(f"QTextBrowser {{ border: none; border-radius: 0; padding: {padding}; }}")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_focus(self)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """One of ``images``, else one clear pixel: given nothing, Qt opens the file itself."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return QByteArray()
        found = self.images.get(name.toString() if isinstance(name, QUrl) else name)
        if found is None:
            found = QImage(1, 1, QImage.Format.Format_ARGB32)
            found.fill(Qt.GlobalColor.transparent)
        return found


def plain_text(name: str, parent: QWidget, *, read_only: bool = True) -> QPlainTextEdit:
    """Plain text on several lines, which Tab leaves."""
    text = QPlainTextEdit(parent)
    text.setAccessibleName(name)
    text.setReadOnly(read_only)
    text.setTabChangesFocus(True)
    return text
