"""Drawing over pages: shapes of marks, painting of pages and marks in each look, and the minimap.

A mark shows its meaning by its shape (underline, strike, side bar with a sign, frame) and by the theme's colour for
that meaning.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QBrush,
    QColor,
    QFont,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from desktop_app.theme import DARK, LIGHT, DataColour, Meaning, theme
from desktop_app.widgets.pdf_pages import PAPER, Look, PageImages, PageLayout
from engine.documents.records import Box
from engine.shown import counted, percent

Shape = Literal["underline", "strike", "bar", "wash", "frame", "dot", "page", "find", "find now", "select"]
_SELECTION = (DataColour("#5b9bd8", "", "#b9d7f5", "solid"), DataColour("#5b9bd8", "", "#2c5a86", "solid"))
_BAR_GAP, _BAR_WIDTH = 9.0, 3.0
_SIGN_SCALE = 0.75
_VEIL: Mapping[Look, int] = {"paper": 90, "sepia": 90, "inverted": 100}
LANES: Mapping[Shape, int] = {"page": -1, "bar": 0, "frame": 1, "dot": 1, "find": 1, "find now": 1}
"""The lane in the minimap for each shape it shows."""
MARK_ROOM = (-24, -8, 8, 28)
"""Margins in pixels (left, top, right, bottom) to add to a box for its mark: signs beside it, a dot below its upper
edge."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Boxes of a document drawn in one shape. ``key`` is the id of the object it represents (an edit); ``sign`` is a
    letter on a side bar."""

    shape: Shape
    boxes: tuple[Box, ...]
    meaning: Meaning = "added"
    key: str = ""
    sign: str = ""
    note: str = ""


class MarkIndex:
    """Marks by page, in named groups that are replaced one at a time."""

    def __init__(self) -> None:
        self._groups: dict[str, dict[int, list[tuple[Mark, Box]]]] = {}
        self._marks: dict[str, frozenset[Mark]] = {}
        self._ticks: dict[str, list[Tick]] = {}

    def put(self, group: str, marks: Iterable[Mark]) -> frozenset[Mark]:
        """Replaces a group; returns the marks added and removed."""
        marks, pages = tuple(marks), defaultdict[int, list[tuple[Mark, Box]]](list)
        for mark in marks:
            for box in mark.boxes:
                pages[box.page].append((mark, box))
        self._groups[group] = pages
        self._ticks.pop(group, None)
        before, self._marks[group] = self._marks.get(group, frozenset()), frozenset(marks)
        return before ^ self._marks[group]

    def clear(self) -> None:
        self._groups.clear()
        self._marks.clear()

    def on_page(self, page: int) -> Iterable[tuple[Mark, Box]]:
        for pages in self._groups.values():
            yield from pages.get(page, ())

    def of(self, group: str) -> Iterable[tuple[Mark, Box]]:
        for entries in self._groups.get(group, {}).values():
            yield from entries

    def ticks(self, layout: PageLayout) -> "list[Tick]":
        """Returns the minimap's ticks, cached until a group or the layout changes."""
        return [t for group in self._groups for t in self._group_ticks(group, layout)]

    def forget_ticks(self) -> None:
        """Clears cached ticks after the layout changed."""
        self._ticks.clear()

    def _group_ticks(self, group: str, layout: PageLayout) -> "list[Tick]":
        if group in self._ticks:
            return self._ticks[group]
        height, ticks, pages = max(1.0, layout.height), [], range(1, len(layout.sizes) + 1)
        for mark, box in self.of(group):
            if mark.shape in LANES and box.page in pages:
                top, bottom = (layout.y_of(box.page, y) / height for y in (box.y0, box.y1))
                ticks.append(Tick(top, bottom, mark.meaning, LANES[mark.shape], mark.key, mark.note))
        self._ticks[group] = ticks
        return ticks


class PagePainter:
    """Paints a page with its marks; everything except highlighted boxes can be faded by a veil."""

    def __init__(self, marks: MarkIndex) -> None:
        self._marks = marks
        self.look: Look = "paper"
        self.light("", (), dim=False)

    def light(self, key: str, boxes: tuple[Box, ...], *, dim: bool) -> None:
        """Highlights boxes and the marks of ``key``; ``dim`` fades the rest."""
        self.lit_key, self._lit, self._dim = key, boxes, dim

    def paint(self, painter: QPainter, layout: PageLayout, images: PageImages | None, index: int, clip: QRectF) -> None:
        """Paints the page ``index`` (from 0) in pixels of the content; ``clip`` is the visible part."""
        rect, page = layout.page_rect(index), index + 1
        picture = images.picture(page) if images else None
        if picture is None:
            painter.fillRect(rect, QColor(PAPER[self.look]))
        else:
            _paint_picture(painter, rect, *picture)
        problem = images.problem(page) if images else ""
        if problem:
            painter.setPen(QColor("#57606a" if self.look != "inverted" else "#a3abb5"))
            painter.setFont(theme().font())
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(rect.adjusted(24, 24, -24, -24), flags, problem)
        painter.setPen(QColor(theme().tokens.hairline))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5))
        if self._dim:
            lit = (layout.rect(box) for box in self._lit if box.page == page)
            self._paint_veil(painter, rect, lit)
        for mark, box in self._marks.on_page(page):
            where = layout.rect(box)
            if where.adjusted(*MARK_ROOM).intersects(clip):
                strong, first = bool(mark.key) and mark.key == self.lit_key, box is mark.boxes[0]
                paint_mark(painter, mark, where, self.look, scale=layout.scale, strong=strong, first=first)

    def _paint_veil(self, painter: QPainter, rect: QRectF, lit: Iterable[QRectF]) -> None:
        dim = QRegion(rect.toAlignedRect())
        for where in lit:
            dim -= QRegion(where.adjusted(-7, -4, 7, 4).toAlignedRect())
        veil = QColor(PAPER[self.look])
        veil.setAlpha(_VEIL[self.look])
        painter.setClipRegion(dim)
        painter.fillRect(rect, veil)
        painter.setClipping(False)


def _paint_picture(painter: QPainter, rect: QRectF, pixmap: QPixmap, sharp: bool) -> None:
    ratio = painter.device().devicePixelRatioF()
    # After a zoom, the image of the previous size is scaled until the new one arrives.
    if sharp and abs(pixmap.width() / ratio - rect.width()) < 2:
        pixmap.setDevicePixelRatio(ratio)
        painter.drawPixmap(rect.topLeft(), pixmap)
    else:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(rect, pixmap, QRectF(QPointF(0, 0), QRectF(pixmap.rect()).size()))


def colours(look: Look) -> Mapping[Meaning, DataColour]:
    return (DARK if look == "inverted" else LIGHT).data


def paint_mark(
    painter: QPainter, mark: Mark, rect: QRectF, look: Look, *, scale: float, strong: bool, first: bool
) -> None:
    """Draws one box of a mark over ``rect`` (pixels) at ``scale`` pixels per point: ``strong`` for the current edit,
    ``first`` for the mark's first box, which shows the sign if pages are large enough."""
    colour = colours(look)[mark.meaning]
    ink = QColor(colour.mark)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if mark.shape in ("underline", "strike"):
        _wash(painter, rect, colour, look, 130 if strong else 0)
        painter.setPen(_pen(ink, 2.0 if strong else 1.4))
        y = rect.bottom() + 0.5 if mark.shape == "underline" else rect.center().y() + rect.height() * 0.04
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
    elif mark.shape == "bar":
        on_ink = QColor("#101214" if look == "inverted" or mark.meaning in ("deleted", "moved") else "#ffffff")
        sign = mark.sign if first and scale >= _SIGN_SCALE else ""
        _bar(painter, sign, rect, ink, on_ink, size=min(1.0, 0.35 + 0.55 * scale), strong=strong)
    elif mark.shape == "wash":
        _wash(painter, rect.adjusted(-3, -2, 3, 2), colour, look, 150 if strong else 90)
    elif mark.shape == "frame":
        pen = _pen(ink, 2.0 if strong else 1.4)
        if mark.meaning == "suggested":
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(rect.adjusted(-4, -3, 4, 3), 4, 4)
    elif mark.shape == "page":
        painter.setPen(_pen(ink, 2.0))
        painter.drawRect(rect.adjusted(1, 1, -1, -1))
        painter.setFont(theme().font("small", bold=True))
        lines = painter.fontMetrics()
        head = QRectF(rect.left(), rect.top(), rect.width(), lines.height() + 8)
        painter.fillRect(head, QColor(colour.wash))
        seen = painter.worldTransform().inverted()[0].mapRect(QRectF(painter.viewport()))
        head = head.intersected(seen)  # zoomed to its text, a page starts left of the visible part
        painter.setPen(QColor(colour.ink))
        words = lines.elidedText(f"!  {mark.note}", Qt.TextElideMode.ElideRight, round(head.width()) - 16)
        painter.drawText(head.adjusted(8, 0, -8, 0), Qt.AlignmentFlag.AlignVCenter, words)
    elif mark.shape == "dot" and first:
        painter.setPen(_pen(QColor(PAPER[look]), 1.5))
        painter.setBrush(ink)
        painter.drawEllipse(QPointF(rect.left() - _BAR_GAP + _BAR_WIDTH / 2, rect.top() + 20), 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
    elif mark.shape in ("find", "find now"):
        found = colours(look)["attention"]
        _wash(painter, rect.adjusted(-1, 0, 1, 0), found, look, 255)
        if mark.shape == "find now":
            painter.setPen(_pen(QColor(found.ink), 2))
            painter.drawRoundedRect(rect.adjusted(-2, -1, 2, 1), 3, 3)
    elif mark.shape == "select":
        _wash(painter, rect, _SELECTION[look == "inverted"], look, 255)
    painter.setOpacity(1.0)


def _pen(colour: QColor, width: float) -> QPen:
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def _wash(painter: QPainter, rect: QRectF, colour: DataColour, look: Look, alpha: int) -> None:
    """Tints the background of glyphs: darker than light paper, lighter than dark; text keeps its contrast."""
    if not alpha:
        return
    tint = QColor(colour.wash)
    tint.setAlpha(alpha)
    modes = QPainter.CompositionMode
    painter.setCompositionMode(modes.CompositionMode_Lighten if look == "inverted" else modes.CompositionMode_Darken)
    painter.fillRect(rect, tint)
    painter.setCompositionMode(modes.CompositionMode_SourceOver)


def _bar(painter: QPainter, sign: str, rect: QRectF, ink: QColor, on_ink: QColor, *, size: float, strong: bool) -> None:
    width = size * _BAR_WIDTH + (1 if strong else 0)
    bar = QRectF(rect.left() - size * _BAR_GAP, rect.top(), width, max(rect.height(), 4))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawRoundedRect(bar, 1.5, 1.5)
    if sign:
        chip = QRectF(bar.center().x() - 6, rect.top() - 1, 12, 13)  # on the bar: gutters of columns are narrow
        painter.drawRoundedRect(chip, 3, 3)
        font = QFont(painter.font())
        font.setPixelSize(11)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(on_ink)
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, sign)
    painter.setBrush(Qt.BrushStyle.NoBrush)


WIDTH = 18


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark from ``top`` to ``bottom``, as fractions of the document (0 to 1). ``lane``: 0 for edits, 1 for links and
    search hits, -1 for whole pages, behind both; ``note`` is its tooltip."""

    top: float
    bottom: float
    meaning: Meaning
    lane: int = 0
    key: str = ""
    note: str = ""


class Minimap(QWidget):
    """Draws ticks and the visible part; clicking or dragging scrolls there."""

    accessible_role = QAccessible.Role.Indicator

    asked = Signal(float)
    """The fraction (0 to 1) of the document to show in the middle of the view."""

    def __init__(self, ask: Callable[[], tuple[Sequence[Tick], str]], parent: QWidget | None = None) -> None:
        """``ask`` returns the ticks and the key of the current edit, whose ticks take the whole width."""
        super().__init__(parent)
        self._ask = ask
        self._ticks: tuple[Tick, ...] = ()
        self._current = ""
        self._window = (0.0, 1.0)
        self._drawn: QPixmap | None = None
        self.setFixedWidth(WIDTH)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Overview of the document")
        theme().follow(self.invalidate, now=False)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 200)

    def accessible_value(self) -> str:
        """The visible part of the document, and the marks."""
        top, bottom = self._window
        return f"{percent(top)} to {percent(bottom)} visible, {counted(len(self._ticks), 'mark')}"

    def invalidate(self) -> None:
        """Marks the ticks as changed: they are read before the next painting."""
        self._drawn = None
        self.update()

    def set_window(self, top: float, bottom: float) -> None:
        """Sets the visible part, as fractions of the document."""
        if (top, bottom) != self._window:
            self._window = (top, bottom)
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._drawn = None
        super().resizeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._point(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._point(event)
            return
        share = event.position().y() / max(1, self.height())
        near = [t for t in self._ticks if t.note and t.top - 0.006 <= share <= t.bottom + 0.006]
        self.setToolTip("\n".join(dict.fromkeys(t.note for t in near[:6])))

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._drawn is None or self._drawn.devicePixelRatio() != self.devicePixelRatioF():
            ticks, self._current = self._ask()
            self._ticks = tuple(ticks)
            self._drawn = self._draw()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._drawn)
        top, bottom = (share * self.height() for share in self._window)
        shade = QColor(theme().tokens.ink)
        shade.setAlpha(28)
        window = QRectF(0.5, top, self.width() - 1, max(8.0, bottom - top))
        painter.fillRect(window, shade)
        shade.setAlpha(150)
        painter.setPen(shade)
        painter.drawRect(window.adjusted(0, 0.5, 0, -0.5))
        painter.end()

    def _point(self, event: QMouseEvent) -> None:
        self.asked.emit(min(max(event.position().y() / max(1, self.height()), 0.0), 1.0))

    def _draw(self) -> QPixmap:
        tokens, ratio = theme().tokens, self.devicePixelRatioF()
        pixmap = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(QColor(tokens.ground))
        painter = QPainter(pixmap)
        painter.fillRect(QRectF(0, 0, 1, self.height()), QColor(tokens.hairline))
        lane = (self.width() - 5) / 2
        for tick in sorted(self._ticks, key=lambda t: (t.lane >= 0, t.key == self._current)):
            top, height = tick.top * self.height(), max(2.0, (tick.bottom - tick.top) * self.height())
            rect = QRectF(3 + tick.lane * lane, top, lane - 1, height)
            if tick.lane < 0:
                _hatch(painter, QRectF(1, top, self.width() - 1, height), QColor(tokens.data[tick.meaning].mark))
                continue
            if tick.key and tick.key == self._current:
                rect = QRectF(1, top - 1, self.width() - 1, max(4.0, height))
            painter.fillRect(rect, QColor(tokens.data[tick.meaning].mark))
        painter.end()
        return pixmap


def _hatch(painter: QPainter, rect: QRectF, colour: QColor) -> None:
    painter.setPen(QPen(colour, 1.5))
    painter.setBrush(QBrush(colour, Qt.BrushStyle.BDiagPattern))
    painter.drawRect(rect.adjusted(0.5, 0.5, -1, -0.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
