"""A rating scale from 1 to 5 in quarter steps, for keyboard and mouse, with sentences explaining the values."""

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.theme import theme

LOWEST, HIGHEST, STEP = 1.0, 5.0, 0.25
_STRIP, _VALUE_WIDTH, _GAP = 44, 52, 6


class RatingScale(QWidget):
    """A rating, or none yet. Optionally shows sentences (one per whole number) below the scale.

    Keys: arrows by a quarter, 1 to 5, typed values like "3.25" or "3,25", Home and End, Page keys by one, Backspace to
    clear. Clicking or dragging chooses a value.
    """

    accessible_role = QAccessible.Role.Slider

    rated = Signal(object)
    """The chosen rating: a float, or None. ``value`` is already set; the receiver may correct it."""
    focused = Signal()

    def __init__(self, name: str, sentences: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._sentences = name, tuple(sentences)
        self.value: float | None = None
        self._hover: float | None = None
        self._dragging = False
        self._typed = ""
        self._shown = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme().follow(self._resize, now=False)
        self.set_name(name)
        self._resize()

    def set_value(self, value: float | None) -> None:
        if value != self.value:
            self.value = value
            self._typed = self._typed if self._typed and _figure(self._typed) == value else ""
            self._describe()
            self.update()

    def accessible_value(self) -> str:
        return "" if self.value is None else f"{self.value:g}"

    def set_name(self, name: str) -> None:
        self._name = name
        self.setAccessibleName(name)
        self._describe()

    def show_sentences(self, shown: bool) -> None:
        """Shows or hides the sentences. Reserves height for the longest in bold, so that choosing moves nothing."""
        if shown != self._shown:
            self._shown = shown
            self._resize()

    @property
    def in_force(self) -> int:
        """The whole number whose sentence applies (the upper one at a half); 0 without a rating."""
        return 0 if self.value is None else min(5, max(1, int(self.value + 0.5)))

    def _describe(self) -> None:
        if self.value is None:
            words = "Not rated yet. Type a number from 1 to 5."
        else:
            sentence = self._sentences[self.in_force - 1] if self._sentences else ""
            words = f"{self.value:g} of 5. {sentence}".strip()
        self.setAccessibleDescription(words)
        self.setToolTip("" if self._shown else words)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(560), self._wanted_height(theme().px(560)))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(300), self._wanted_height(theme().px(300)))

    def x_of(self, value: float) -> float:
        """The position of a value, in pixels from the left."""
        column = self._column()
        return column / 2 + (value - LOWEST) / (HIGHEST - LOWEST) * 4 * column

    def value_at(self, x: float) -> float:
        column = self._column()
        steps = round((x - column / 2) / (4 * column) * 16)
        return LOWEST + STEP * min(max(steps, 0), 16)

    def _column(self) -> float:
        return max(20.0, (self.width() - theme().px(_VALUE_WIDTH)) / 5)

    def _wanted_height(self, width: int) -> int:
        height = theme().px(_STRIP)
        if self._shown and self._sentences:
            column = (width - theme().px(_VALUE_WIDTH)) / 5
            metrics = QFontMetrics(theme().font("small", bold=True))
            room = QRectF(0, 0, column - 2 * _GAP, 2000).toRect()
            flags = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignHCenter)
            height += 8 + max(metrics.boundingRect(room, flags, text).height() for text in self._sentences)
        return height

    def _resize(self) -> None:
        wanted = self._wanted_height(self.width())
        if self.minimumHeight() != wanted or self.maximumHeight() != wanted:
            self.setFixedHeight(wanted)
            self.updateGeometry()
        self._describe()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._resize()

    def _choose(self, value: float | None) -> None:
        if value != self.value:
            self.set_value(value)
            self.rated.emit(value)

    def step(self, steps: int) -> None:
        """Changes the rating by quarters; without a rating, starts at the near end of the scale."""
        if self.value is None:
            self._choose(LOWEST if steps > 0 else HIGHEST)
        else:
            self._choose(min(HIGHEST, max(LOWEST, self.value + steps * STEP)))

    def _type(self, mark: str) -> bool:
        """Handles a typed character. Returns False if it isn't part of a number."""
        longer = self._typed + mark
        if _figure(longer) is None:
            longer = mark
        found = _figure(longer)
        if found is None:
            return False
        self._typed = longer
        self._choose(found)
        self.update()
        return True

    def event(self, event: QEvent) -> bool:
        # While focused, the scale handles its keys before the pane's commands.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._is_own(event):
            event.accept()
            return True
        return super().event(event)

    def _is_own(self, event: QKeyEvent) -> bool:
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        figure = bool(event.text()) and event.text() in "0123456789.,"
        return plain and (event.key() in _STEPS or event.key() in _ENDS or figure or event.key() == _CLEAR)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._is_own(event):
            self._typed = ""
            super().keyPressEvent(event)
            return
        key = event.key()
        if key in _STEPS:
            self._typed = ""
            self.step(_STEPS[Qt.Key(key)])
        elif key in _ENDS:
            self._typed = ""
            self._choose(_ENDS[Qt.Key(key)])
        elif key == _CLEAR:
            self._typed = ""
            self._choose(None)
        elif not self._type(event.text()):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or event.position().x() > 5 * self._column():
            super().mousePressEvent(event)
            return
        self._dragging, self._typed = True, ""
        self._hover = self.value_at(event.position().x())
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        inside = self.rect().contains(event.position().toPoint()) and event.position().x() <= 5 * self._column()
        hover = self.value_at(event.position().x()) if inside or self._dragging else None
        if hover != self._hover:
            self._hover = hover
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._dragging = False
            self._choose(self.value_at(event.position().x()))
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover = None
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._typed = ""
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        t, px = theme().tokens, theme().px
        shown = self._hover if self._dragging else self.value
        line, column = px(16), self._column()
        if self.hasFocus():
            painter.setPen(QPen(QColor(t.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(1, 1, self.width() - 2, px(_STRIP) - 2), 6, 6)
        painter.setPen(QPen(QColor(t.control_border), 1))
        painter.drawLine(QPointF(self.x_of(LOWEST), line), QPointF(self.x_of(HIGHEST), line))
        for number in range(17):
            x, whole = self.x_of(LOWEST + number * STEP), number % 4 == 0
            half = px(5) if whole else px(3) if number % 2 == 0 else px(2)
            painter.setPen(QPen(QColor(t.muted if whole else t.control_border), 1))
            painter.drawLine(QPointF(x, line - half), QPointF(x, line + half))
        for figure in range(1, 6):
            current = shown is not None and min(5, int(shown + 0.5)) == figure
            painter.setFont(theme().font("small", bold=current, tabular=True))
            painter.setPen(QColor(t.ink if current else t.muted))
            area = QRectF(self.x_of(figure) - 12, line + px(7), 24, px(15))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, str(figure))
        if self._hover is not None and not self._dragging and self._hover != self.value:
            painter.setPen(QPen(QColor(t.accent), 1, Qt.PenStyle.DashLine))
            painter.setBrush(QColor(t.surface))
            painter.drawEllipse(QPointF(self.x_of(self._hover), line), px(6), px(6))
        if shown is not None:
            painter.setPen(QPen(QColor(t.surface), 2))
            painter.setBrush(QColor(t.accent))
            painter.drawEllipse(QPointF(self.x_of(shown), line), px(7), px(7))
        self._paint_value(painter, shown, line, column)
        if self._shown:
            self._paint_sentences(painter, shown, column)

    def _paint_value(self, painter: QPainter, shown: float | None, line: int, column: float) -> None:
        t, px = theme().tokens, theme().px
        painter.setFont(theme().font("section", bold=True, tabular=True))
        painter.setPen(QColor(t.ink if shown is not None else t.muted))
        words = "–" if shown is None else f"{shown:.2f}"
        if self._typed and self._typed[-1] in ".,":
            words = self._typed
        area = QRectF(5 * column, line - px(11), px(_VALUE_WIDTH) - 8, px(22))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_sentences(self, painter: QPainter, shown: float | None, column: float) -> None:
        t, top = theme().tokens, theme().px(_STRIP) + 2
        in_force = 0 if shown is None else min(5, int(shown + 0.5))
        for number, sentence in enumerate(self._sentences, start=1):
            bold = number == in_force
            painter.setFont(theme().font("small", bold=bold))
            painter.setPen(QColor(t.ink if bold else t.muted))
            area = QRectF((number - 1) * column + _GAP, top, column - 2 * _GAP, self.height() - top)
            painter.drawText(area, int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignHCenter), sentence)


_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageDown: -4, Qt.Key.Key_PageUp: 4}
_ENDS = {Qt.Key.Key_Home: LOWEST, Qt.Key.Key_End: HIGHEST}
_CLEAR = Qt.Key.Key_Backspace


def _figure(typed: str) -> float | None:
    """Parses a typed rating ("3", "3.", "3,2", "3.25") to the nearest quarter, at most 5; None if it isn't one."""
    found = re.fullmatch(r"([1-5])(?:[.,](\d{0,2}))?", typed)
    if found is None:
        return None
    return min(HIGHEST, int(float(f"{found[1]}.{found[2] or 0}") / STEP + 0.5) * STEP)
