"""What can be seen of a part of the window: texts that are cut or faint, what scrolls sideways, and what screen readers
get."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from PySide6.QtCore import QCoreApplication, QRect, QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QAccessible, QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QScrollArea,
    QTabBar,
    QToolButton,
    QWidget,
)

from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import ElidedLabel

ENOUGH = 4.5
"""The least contrast of text (WCAG 2.2, 1.4.3)."""
_ROWS = 6
"""Rows of a list that are looked at: further ones look the same."""


def luminance(colour: QColor) -> float:
    """Relative luminance in 0..1 (WCAG 2.2, definition of relative luminance)."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())


def contrast(one: QColor, other: QColor) -> float:
    """Contrast ratio in 1..21 (WCAG 2.2, 1.4.3)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def spoken(widget: QWidget) -> tuple[QAccessible.Role, str, str]:
    """Role, name and value, as a screen reader has them."""
    found = QAccessible.queryAccessibleInterface(widget)
    assert found is not None, widget
    return found.role(), found.text(QAccessible.Text.Name), found.text(QAccessible.Text.Value)


def paints_itself(widget: QWidget) -> bool:
    own = (kind for kind in type(widget).__mro__ if kind.__module__.startswith("desktop_app"))
    return any("paintEvent" in vars(kind) for kind in own)


def in_sight(root: QWidget) -> list[QWidget]:
    return [one for one in root.findChildren(QWidget) if one.isVisible() and not one.visibleRegion().isEmpty()]


def laid_out(window: QWidget) -> None:
    """Lays out what was shown a moment ago, so that everything has its place."""
    for _ in range(2):
        QCoreApplication.sendPostedEvents()
        window.window().grab()


# --- texts that are cut -----------------------------------------------------------------------------------------------


def cut(root: QWidget) -> list[str]:
    """The visible texts that do not fit into their widgets."""
    found = []
    for widget in in_sight(root):
        text, room = "", widget.contentsRect().size()
        metrics = widget.fontMetrics()
        need = metrics.size(0, text)
        if isinstance(widget, QLabel) and widget.text() and not isinstance(widget, ElidedLabel):
            text = widget.text()
            if widget.wordWrap():
                if widget.heightForWidth(widget.width()) > widget.height() + 1:
                    found.append(f"{text!r}: {widget.heightForWidth(widget.width())} in {widget.height()}")
                continue
            need = widget.sizeHint() if widget.textFormat() == Qt.TextFormat.RichText else metrics.size(0, text)
        elif isinstance(widget, QToolButton):
            if widget.toolButtonStyle() != Qt.ToolButtonStyle.ToolButtonIconOnly:
                text = widget.text()
                need = metrics.size(Qt.TextFlag.TextShowMnemonic, text)
                if widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon:
                    need.setWidth(need.width() + widget.iconSize().width())
        elif isinstance(widget, QAbstractButton):
            text = widget.text()
            need = metrics.size(Qt.TextFlag.TextShowMnemonic, text)
        elif isinstance(widget, QComboBox) and not widget.isEditable() and not isinstance(widget, ChoiceBox):
            found.append(f"{widget.accessibleName()} does not shorten its entry")
        elif isinstance(widget, QTabBar):
            for at in range(widget.count()):
                wide = metrics.size(Qt.TextFlag.TextShowMnemonic, widget.tabText(at))
                if wide.boundedTo(widget.tabRect(at).size()) != wide:
                    found.append(f"tab {widget.tabText(at)!r}")
        if text and need.boundedTo(room) != need:
            found.append(f"{type(widget).__name__} {text!r}: {need.toTuple()} in {room.toTuple()}")
        elif isinstance(widget, QScrollArea) and widget.horizontalScrollBar().maximum() > 0:
            if widget.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff:
                found.append(f"{widget.accessibleName()}: too wide, without a scroll bar")
        elif isinstance(widget, ElidedLabel) and widget.text() and not widget.toolTip():
            found.append(f"{widget.text()!r} is shortened, and nothing shows all of it")
    return found + [f"painted {words!r}" for words, _colour, _place, fits in _written(root.window())[0] if not fits]


def out_of_reach(bar: QTabBar) -> list[str]:
    """The tabs of a bar that neither arrow keys nor the mouse bring into sight whole; a pane may scroll."""
    found, before, name = [], bar.currentIndex(), bar.accessibleName()
    if not bar.visibleRegion().boundingRect().contains(bar.rect()) and not scrolls(bar):
        found.append(f"{name}: cut, and nothing scrolls")
    with QSignalBlocker(bar):
        for at in range(bar.count()):
            bar.setCurrentIndex(at)
            arrows = [one for one in bar.findChildren(QToolButton) if one.isVisible()]
            room, tab = bar.rect().adjusted(-1, 0, 1 - sum(arrow.width() for arrow in arrows), 0), bar.tabRect(at)
            if not (room.left() <= tab.left() and tab.right() <= room.right()):
                found.append(f"{name}: {bar.tabText(at)}")
        hidden = [at for at in range(bar.count()) if not bar.rect().contains(bar.tabRect(at).center())]
        if hidden and not any(arrow.isEnabled() for arrow in bar.findChildren(QToolButton) if arrow.isVisible()):
            found.append(f"{name}: no arrows to {[bar.tabText(at) for at in hidden]}")
        bar.setCurrentIndex(before)
    return found


def sideways(root: QWidget) -> list[str]:
    """The parts in sight that scroll sideways."""
    areas = (area for area in root.findChildren(QScrollArea) if area.isVisible())
    return [area.accessibleName() for area in areas if area.horizontalScrollBar().maximum() > 0]


def scrolls(widget: QWidget | None) -> bool:
    while widget is not None and not isinstance(widget, QScrollArea):
        widget = widget.parentWidget()
    return widget is not None and max(widget.horizontalScrollBar().maximum(), widget.verticalScrollBar().maximum()) > 0


# --- texts that are faint ---------------------------------------------------------------------------------------------


@contextmanager
def plain_letters() -> Iterator[None]:
    """Letters without soft edges, so that their pixels have the colour of the text."""
    before, font = QApplication.font(), QApplication.font()
    font.setStyleStrategy(QFont.StyleStrategy.NoAntialias)
    QApplication.setFont(font)
    try:
        yield
    finally:
        QApplication.setFont(before)


def faint(root: QWidget) -> list[str]:
    """The visible texts whose contrast is below ENOUGH, with it; inside ``plain_letters``."""
    found, window = [], root.window()
    image = window.grab().toImage()
    for widget in in_sight(root):
        for words, place in _texts(widget):
            whole = QRect(widget.mapTo(window, place.topLeft()), place.size())
            ratio = _ratio(image, whole) if _seen(widget).contains(whole) else None
            if ratio is not None and ratio < ENOUGH:
                found.append(f"{type(widget).__name__} {words!r}: {ratio:.2f}")
    return found + _painted(window)


def _seen(widget: QWidget) -> QRect:
    """Which part of its window a widget is seen in."""
    part = widget.visibleRegion().boundingRect()
    return QRect(widget.mapTo(widget.window(), part.topLeft()), part.size())


def _texts(widget: QWidget) -> Iterator[tuple[str, QRect]]:
    """The texts of a widget of Qt's, and where they are."""
    inner = widget.rect().adjusted(6, 4, -6, -4)
    if isinstance(widget, QLabel) and widget.text().strip():
        yield widget.text(), widget.contentsRect()
    elif isinstance(widget, QLineEdit):
        if widget.text() or widget.placeholderText():
            yield widget.text() or widget.placeholderText(), inner
    elif isinstance(widget, QComboBox):
        if widget.currentText():
            yield widget.currentText(), inner.adjusted(0, 0, -24, 0)
    elif isinstance(widget, QAbstractButton) and widget.text():
        yield widget.text(), inner
    elif isinstance(widget, QTabBar):
        arrows = [one.geometry() for one in widget.findChildren(QToolButton) if one.isVisible()]
        for at in range(widget.count()):
            if not any(place.intersects(widget.tabRect(at)) for place in arrows):
                yield widget.tabText(at), widget.tabRect(at).adjusted(4, 4, -4, -4)
    elif isinstance(widget, QHeaderView):
        yield "heading", widget.rect()
    elif isinstance(widget.parentWidget(), QAbstractItemView):
        view = widget.parentWidget()
        assert isinstance(view, QAbstractItemView)
        model = view.model()
        for row in range(min(model.rowCount() if model is not None else 0, _ROWS)):
            index = model.index(row, 0)
            place = view.visualRect(index) & widget.rect()
            if index.data() and place.height() > 20 and widget is view.viewport():
                yield str(index.data()), place.adjusted(4, 3, -4, -3)


def _ratio(image: QImage, part: QRect) -> float | None:
    """The contrast between the commonest colour and the one that differs most from it; None where there is one only."""
    colours = _colours(image, part)
    return max(contrast(QColor(colour), QColor(colours[0])) for colour in colours) if len(colours) > 1 else None


def _colours(image: QImage, part: QRect) -> list[int]:
    """The colours in a part of a picture, the commonest first."""
    picture = image.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(picture.constBits(), np.uint32).reshape(picture.height(), picture.bytesPerLine() // 4)
    seen = rows[part.top() : part.bottom() + 1, part.left() : part.right() + 1]
    colours, counts = np.unique(seen, return_counts=True)
    return [int(colour) for colour in colours[np.argsort(-counts)]]


def _painted(window: QWidget) -> list[str]:
    """Faint texts among those that are painted by us: each is compared with what is below it."""
    found = []
    written, image = _written(window)
    for words, colour, place, _fits in written:
        below = _colours(image, place)
        if below and contrast(colour, QColor(below[0])) < ENOUGH:
            found.append(f"painted {words!r}: {contrast(colour, QColor(below[0])):.2f}")
    return found


def _written(window: QWidget) -> tuple[list[tuple[str, QColor, QRect, bool]], QImage]:
    """The texts painted by us, their colour and place, and whether it is large enough; and a picture without them."""
    written: list[tuple[str, QColor, QRect, bool]] = []
    draw = QPainter.drawText

    def note(painter: QPainter, *given: object) -> object:
        words, on = next((one for one in given if isinstance(one, str)), ""), painter.device()
        place = next((QRectF(one) for one in given if isinstance(one, QRect | QRectF)), None)
        if any(letter.isalnum() for letter in words) and place is not None and isinstance(on, QWidget):
            flags = next((one for one in given if isinstance(one, int | Qt.AlignmentFlag | Qt.TextFlag)), 0)
            how = flags if isinstance(flags, int) else flags.value
            whole = painter.boundingRect(place, how, words)
            fits = bool(how & Qt.TextFlag.TextDontClip.value) or place.adjusted(-2, -2, 2, 2).contains(whole)
            place = painter.deviceTransform().mapRect(whole & place)
            seen = place.toRect() & _seen(on)
            if seen.height() > place.height() / 2:
                written.append((words, QColor(painter.pen().color()), seen, fits))
        return None

    QPainter.drawText = note  # type: ignore[assignment, method-assign]
    try:
        image = window.grab().toImage()
    finally:
        QPainter.drawText = draw  # type: ignore[method-assign]
    return written, image


# --- every view of a pane ---------------------------------------------------------------------------------------------


def views(root: QWidget) -> Iterator[str]:
    """Shows each tab of each visible row of tabs, one after the other, and says which; the first of each at the end."""
    yield ""
    for bar in [bar for bar in root.findChildren(QTabBar) if bar.isVisible()]:
        first = bar.currentIndex()
        try:
            for at in range(bar.count()):
                if at != first and bar.isVisible() and bar.isTabEnabled(at):
                    bar.setCurrentIndex(at)
                    yield bar.tabText(at)
        finally:
            bar.setCurrentIndex(first)
