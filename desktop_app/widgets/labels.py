"""Labels, hairlines and scroll areas; untrusted text as plain text, or escaped in HTML that loads nothing.

Labels, message boxes and tooltips are plain text by the application's stylesheet (``qproperty-textFormat``).
"""

import re
from typing import TypeVar

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, QUrl
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QTextDocument
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QTextBrowser,
    QTextEdit,
    QWidget,
)

from desktop_app.accessibility import paint_focus
from desktop_app.theme import theme
from engine.shown import visible, visible_line


def literal(text: str) -> str:
    """Returns text for a menu, button or tab: on one line, with ampersands escaped."""
    return visible_line(text).replace("&", "&&")


_FROM_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FIRST_FROM_RIGHT = re.compile(rf"[\W\d_]*{_FROM_RIGHT.pattern}")
_LEFT_TO_RIGHT_MARK = "\u200e"


def direction(text: str) -> Qt.LayoutDirection:
    """Returns right-to-left if most letters are Arabic, Hebrew or similar. Qt uses the first letter, which reverses an
    English sentence that starts with such a name."""
    from_right = len(_FROM_RIGHT.findall(text))
    most = from_right and 2 * from_right > sum(map(str.isalpha, text))
    return Qt.LayoutDirection.RightToLeft if most else Qt.LayoutDirection.LeftToRight


def keep_direction(edit: QTextEdit | QPlainTextEdit) -> None:
    """Keeps the ``direction`` of an editor up to date with its text."""

    def follow() -> None:
        document = edit.document()
        option, wanted = document.defaultTextOption(), direction(edit.toPlainText())
        if option.textDirection() != wanted:
            option.setTextDirection(wanted)
            document.setDefaultTextOption(option)

    follow()
    edit.textChanged.connect(follow)


class HtmlLabel(QLabel):
    """A label for HTML generated here from escaped parts. Images in it aren't loaded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("html", True)  # exempts it from the stylesheet's plain-text format
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)


class HtmlPage(QTextBrowser):
    """A page of HTML generated here from escaped parts. It follows no links and loads only ``images``. Uses the reading
    font in size ``reading``, or with 0 the window's font."""

    def __init__(self, name: str, parent: QWidget | None = None, padding: str = "0", reading: int = 0) -> None:
        super().__init__(parent)
        self._reading = reading
        self.images: dict[str, QImage] = {}
        """The images that may be shown, by their address in the HTML."""
        named(self, name).setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setStyleSheet(f"QTextBrowser {{ border: none; border-radius: 0; padding: {padding}; }}")

    def setHtml(self, text: str) -> None:
        """Shows a page in the current theme's font, which the style sheet would replace for a page without text."""
        face = theme().reading_font(self._reading) if self._reading else theme().font()
        if self.document().defaultFont() != face:  # setting it would lay out the old text
            self.document().setDefaultFont(face)
        super().setHtml(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_focus(self)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Returns one of ``images``, else a transparent pixel: without a result, Qt would open the file itself."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return QByteArray()
        found = self.images.get(name.toString() if isinstance(name, QUrl) else name)
        if found is None:
            found = QImage(1, 1, QImage.Format.Format_ARGB32)
            found.fill(Qt.GlobalColor.transparent)
        return found


def plain_text(name: str, parent: QWidget, *, read_only: bool = True) -> QPlainTextEdit:
    """Returns a multi-line plain-text field that Tab leaves."""
    text = named(QPlainTextEdit(parent), name)
    text.setReadOnly(read_only)
    text.setTabChangesFocus(True)
    return text


def replace_text(edit: QPlainTextEdit, text: str) -> None:
    """Replaces the text, keeping the scroll position."""
    if text != edit.toPlainText():
        place = edit.verticalScrollBar().value()
        edit.setPlainText(text)
        edit.verticalScrollBar().setValue(place)


W = TypeVar("W", bound=QWidget)


class PlainLabel(QLabel):
    """A label for untrusted text. It keeps line breaks, is left-aligned, and makes characters visible that could
    disguise the text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:
        shown = visible(text)
        super().setText(f"{_LEFT_TO_RIGHT_MARK}{shown}" if _FIRST_FROM_RIGHT.match(shown) else shown)


def text_label(text: str = "", role: str = "body", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """Returns a plain-text label in one of the theme's roles: title, section, body, muted, small, danger."""
    label = PlainLabel(parent)
    label.setText(text)
    label.setProperty("role", role)
    label.setWordWrap(wrap)
    return label


class ElidedLabel(PlainLabel):
    """A single line that is elided if it doesn't fit; the tooltip has the full text."""

    shortening = Qt.TextElideMode.ElideRight

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(self.text())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        box = self.contentsRect()
        words = self.fontMetrics().elidedText(visible_line(self.text()), self.shortening, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


class _PassesWheel(QObject):
    """Passes the wheel over numbers and choices on to the scroll area, so that values don't change by accident."""

    def __init__(self, control: QWidget) -> None:
        super().__init__(control)
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        control.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Wheel:
            return False
        event.ignore()
        return True


def named(widget: W, name: str, tip: str = "", hint: str = "") -> W:
    """Sets a control's accessible name, tooltip, and placeholder; returns the control."""
    if isinstance(widget, QAbstractSpinBox | QComboBox):
        _PassesWheel(widget)
    if isinstance(widget, QTextEdit | QPlainTextEdit):
        keep_direction(widget)
    widget.setAccessibleName(name)
    widget.setToolTip(tip)
    widget.setProperty("placeholderText", hint or None)
    return widget


def hairline(vertical: bool = False, parent: QWidget | None = None) -> QFrame:
    line = QFrame(parent)
    line.setProperty("role", "line")
    if vertical:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line


def set_role(widget: QWidget, role: str) -> None:
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def say(label: QLabel, words: str, *, bad: bool = False) -> None:
    """Shows a message or, with ``bad``, an error in another colour."""
    label.setText(words)
    set_role(label, "danger" if bad else "muted")


class ScrolledColumn(QScrollArea):
    """A vertical scroll area as wide as its content needs; it never takes the focus itself."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, name).setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def minimumSizeHint(self) -> QSize:
        page = self.widget()
        width = page.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width() if page else 0
        return QSize(width, super().minimumSizeHint().height())


def scrolled(content: QWidget, name: str, parent: QWidget, *, sideways: bool = False) -> QScrollArea:
    """Returns a scroll area, vertical or, with ``sideways``, also horizontal; it never takes the focus itself."""
    area = named(QScrollArea(parent), name)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area
