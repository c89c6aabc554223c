"""Labels, hairlines and scroll areas; text of others as plain text, or in HTML of our own that loads nothing.

Labels, message boxes and tooltips are plain by the application's stylesheet (``qproperty-textFormat``).
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
    """``text`` for a menu, a button or a tab: on one line, and with ampersands that underline nothing."""
    return visible_line(text).replace("&", "&&")


_FROM_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FIRST_FROM_RIGHT = re.compile(rf"[\W\d_]*{_FROM_RIGHT.pattern}")
_LEFT_TO_RIGHT_MARK = "\u200e"


def direction(text: str) -> Qt.LayoutDirection:
    """From right to left if most letters are Arabic, Hebrew or the like. Qt goes by the first letter, which turns an
    English sentence round that begins with a name."""
    from_right = len(_FROM_RIGHT.findall(text))
    most = from_right and 2 * from_right > sum(map(str.isalpha, text))
    return Qt.LayoutDirection.RightToLeft if most else Qt.LayoutDirection.LeftToRight


def keep_direction(edit: QTextEdit | QPlainTextEdit) -> None:
    """Lets a text run in the ``direction`` of what it says, also while it is typed."""

    def follow() -> None:
        document = edit.document()
        option, wanted = document.defaultTextOption(), direction(edit.toPlainText())
        if option.textDirection() != wanted:
            option.setTextDirection(wanted)
            document.setDefaultTextOption(option)

    follow()
    edit.textChanged.connect(follow)


class HtmlLabel(QLabel):
    """A label that shows HTML of our own, made of escaped pieces. Pictures in it are not loaded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("html", True)  # the stylesheet leaves its format alone
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)


class HtmlPage(QTextBrowser):
    """A page of HTML of our own, made of escaped pieces. It follows no link and loads nothing but ``images``. It is in
    the reading font of this size, or with 0 in that of the window."""

    def __init__(self, name: str, parent: QWidget | None = None, padding: str = "0", reading: int = 0) -> None:
        super().__init__(parent)
        self._reading = reading
        self.images: dict[str, QImage] = {}
        """The pictures that may be shown, by the address that the HTML gives them."""
        named(self, name).setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setStyleSheet(f"QTextBrowser {{ border: none; border-radius: 0; padding: {padding}; }}")

    def setHtml(self, text: str) -> None:
        """Shows a page in the font of the present theme; the style sheet replaces it where there is no text yet."""
        face = theme().reading_font(self._reading) if self._reading else theme().font()
        if self.document().defaultFont() != face:  # it would lay out what goes
            self.document().setDefaultFont(face)
        super().setHtml(text)

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
    text = named(QPlainTextEdit(parent), name)
    text.setReadOnly(read_only)
    text.setTabChangesFocus(True)
    return text


def replace_text(edit: QPlainTextEdit, text: str) -> None:
    """Shows another text at the same place."""
    if text != edit.toPlainText():
        place = edit.verticalScrollBar().value()
        edit.setPlainText(text)
        edit.verticalScrollBar().setValue(place)


W = TypeVar("W", bound=QWidget)


class PlainLabel(QLabel):
    """A label for text from anyone. It keeps line ends, begins at the left and shows characters that could disguise the
    text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:
        shown = visible(text)
        super().setText(f"{_LEFT_TO_RIGHT_MARK}{shown}" if _FIRST_FROM_RIGHT.match(shown) else shown)


def text_label(text: str = "", role: str = "body", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A plain-text label in one of the theme's roles: title, section, body, muted, small, danger."""
    label = PlainLabel(parent)
    label.setText(text)
    label.setProperty("role", role)
    label.setWordWrap(wrap)
    return label


class ElidedLabel(PlainLabel):
    """One line that is shortened if the room is too small; the tooltip has all of it."""

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
    """Leaves the wheel to what scrolls around a number or a choice, which would change under the pointer."""

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
    """A control with its name for screen readers, a tooltip, and a hint that is shown while it is empty."""
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
    """Writes a remark or, in another colour, what is wrong."""
    label.setText(words)
    set_role(label, "danger" if bad else "muted")


class ScrolledColumn(QScrollArea):
    """Scrolls down only and is as wide as its content needs; it never takes the focus itself."""

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
    """Content that scrolls vertically, or ``sideways`` too; the area never takes the focus itself."""
    area = named(QScrollArea(parent), name)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area
