"""The pages of a PDF in one column with scrolling, zoom, marks and a minimap; ``PdfView`` adds the text.

The view draws the images it has and requests the others: it never renders and never waits. Pages have their true size
from the start, so that nothing moves when images arrive.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from PySide6.QtCore import QEasingCurve, QEvent, QPointF, QRect, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QHelpEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QScrollBar, QToolTip, QWidget

from desktop_app import motion
from desktop_app.accessibility import paint_focus
from desktop_app.theme import theme
from desktop_app.timers import delayed
from desktop_app.widgets.pdf_marks import MARK_ROOM, Mark, MarkIndex, Minimap, PagePainter
from desktop_app.widgets.pdf_marks import WIDTH as MAP_WIDTH
from desktop_app.widgets.pdf_pages import Look, PageImages, PageLayout, Renderer
from engine.documents.records import Box, PageSize

Fit = Literal["column", "text", "width", "page"]
ZOOM_STEPS = (0.25, 0.33, 0.5, 0.67, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
_PIXELS_PER_POINT = 96 / 72
_WHEEL_STEP = 96
_GLIDE_MS = 110
_SETTLE_MS = 25
_COARSE_AHEAD = 40
_READABLE = 0.8
"""Pixels per point below which text is hard to read; then only one of two columns is shown at a time."""
_SIGN_ROOM = 26
"""Width in pixels for signs of edits to the left of the text."""


class Glide(QVariantAnimation):
    def __init__(self, bar: QScrollBar) -> None:
        super().__init__(bar)
        self._bar = bar
        self.setDuration(_GLIDE_MS)
        self.setEasingCurve(QEasingCurve.Type.OutCubic)
        self.valueChanged.connect(lambda value: bar.setValue(round(value)))

    def by(self, pixels: float) -> None:
        """Scrolls by a number of pixels, starting from the end of a running animation."""
        bar = self._bar
        start = self.endValue() if self.state() == QVariantAnimation.State.Running else bar.value()
        self.stop()
        self.setStartValue(float(bar.value()))
        self.setEndValue(float(min(max(start + pixels, bar.minimum()), bar.maximum())))
        motion.start(self)


class PdfCanvas(QAbstractScrollArea):
    accessible_role = QAccessible.Role.Document

    scrolled = Signal()
    """The visible part changed."""
    page_changed = Signal(int)
    zoom_changed = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self.images: PageImages | None = None
        self.page_layout = PageLayout((), 1.0, 0)
        self.zoom_mode: float | Fit = "text"
        self._text_edges: tuple[float, float] | None = None
        self._column = 0.0
        self._by_column = False
        self._marks = MarkIndex()
        self._painter = PagePainter(self._marks)
        self.page = 0  # the page in the upper third of the view, from 1; 0 for an empty view
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportMargins(0, 0, MAP_WIDTH, 0)
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self._map = Minimap(lambda: (self._marks.ticks(self.page_layout), self._painter.lit_key), self)
        self._map.asked.connect(lambda at: self.scroll_to(at * self.page_layout.height - self.viewport().height() / 2))
        self._settle = delayed(self, _SETTLE_MS, self._want)
        self.glide = Glide(self.verticalScrollBar())
        theme().changed.connect(self.viewport().update)
        self._name()

    def show_pages(self, renderer: Renderer, sha: str, sizes: Sequence[PageSize]) -> None:
        """Shows a document's pages from the top; text and marks are set later."""
        self.clear()
        self.images = PageImages(renderer, sha, sizes, parent=self)
        self.images.ready.connect(self._picture_arrived)
        self.images.failed.connect(lambda _page, _why: self.viewport().update())
        self.page_layout = PageLayout(sizes, 1.0, 0)
        self._relayout(None)
        self._name()

    def clear(self) -> None:
        """Clears the view and stops the loader; also call this before the widget is deleted."""
        if self.images is not None:
            self.images.blockSignals(True)  # a pending page may be beyond the end of the next document
            self.images.stop()
            self.images.deleteLater()
        self.images = None
        self.page_layout = PageLayout((), 1.0, 0)
        self._marks.clear()
        self._painter.light("", (), dim=False)
        self.page = 0
        self._text_edges, self._column = None, 0.0
        self._relayout(None)
        self._map.invalidate()
        self._name()

    @property
    def pages(self) -> int:
        return len(self.page_layout.sizes)

    def set_marks(self, group: str, marks: Iterable[Mark]) -> None:
        changed = self._marks.put(group, marks)
        if changed and group not in ("words", "select"):
            self._map.invalidate()
        self._update_boxes(box for mark in changed for box in mark.boxes)

    def marks_of(self, group: str) -> tuple[tuple[Mark, Box], ...]:
        return tuple(self._marks.of(group))

    def light(self, key: str, boxes: tuple[Box, ...], *, dim: bool) -> None:
        """Highlights these boxes and the marks of ``key``; ``dim`` fades the rest."""
        self._painter.light(key, boxes, dim=dim)
        self._map.invalidate()
        self.viewport().update()

    def set_text_edges(self, edges: tuple[float, float] | None, column: float) -> None:
        """Sets the left and right edges of the text on a page, in points, and the width of its columns, for "fit text"
        and "fit column"."""
        if (edges, column) != (self._text_edges, self._column):
            self._text_edges, self._column = edges, column
            self._relayout(None)

    @property
    def top(self) -> int:
        """The vertical position of the view in the content, in pixels."""
        return self.verticalScrollBar().value()

    def scroll_to(self, y: float) -> None:
        """Scrolls immediately so that a position of the content is at the upper edge."""
        self.glide.stop()
        self.verticalScrollBar().setValue(round(y))

    def reveal(self, box: Box, at: float = 0.3) -> None:
        """Scrolls a box's upper edge to ``at`` (0 to 1) of the view's height."""
        self.scroll_to(self.page_layout.y_of(box.page, box.y0) - at * self.viewport().height())
        self._reveal_sideways(self.page_layout.rect(box))

    def _reveal_sideways(self, rect: QRectF) -> None:
        bar = self.horizontalScrollBar()
        if rect.left() < bar.value() or rect.right() > bar.value() + self.viewport().width():
            bar.setValue(round(rect.left()) - _SIGN_ROOM)

    def ensure_visible(self, box: Box) -> None:
        """Scrolls the minimum distance that shows a box with some margin."""
        rect, height = self.page_layout.rect(box), self.viewport().height()
        self._reveal_sideways(rect)
        if rect.top() - 40 < self.top:
            self.scroll_to(rect.top() - 0.25 * height)
        elif rect.bottom() + 40 > self.top + height:
            self.scroll_to(rect.bottom() - 0.75 * height)

    def go_to_page(self, page: int) -> None:
        """Scrolls to the upper edge of a page (from 1)."""
        if self.pages:
            self.scroll_to(self.page_layout.tops[min(max(page, 1), self.pages) - 1] - 6)

    @property
    def zoom(self) -> float:
        """The zoom factor; 1.0 is paper size at 96 dots per inch."""
        return self.page_layout.scale / _PIXELS_PER_POINT

    def set_zoom(self, zoom: float | Fit, around: QPointF | None = None) -> None:
        """Sets a factor (0.25 to 4) or a fit that follows the window, keeping the viewport's point ``around`` in
        place."""
        fits = isinstance(zoom, str)
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fits else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setHorizontalScrollBarPolicy(policy)  # may resize the viewport, so before the new zoom
        self.zoom_mode = zoom if isinstance(zoom, str) else min(max(zoom, ZOOM_STEPS[0]), ZOOM_STEPS[-1])
        self._relayout(around or QPointF(self.viewport().width() / 2, self.viewport().height() / 3))
        self.zoom_changed.emit()

    def step_zoom(self, step: int) -> None:
        """Zooms to the next larger (``step`` > 0) or smaller step."""
        larger = [zoom for zoom in ZOOM_STEPS if zoom > self.zoom * 1.01] or [ZOOM_STEPS[-1]]
        smaller = [zoom for zoom in ZOOM_STEPS if zoom < self.zoom * 0.99] or [ZOOM_STEPS[0]]
        self.set_zoom(larger[0] if step > 0 else smaller[-1])

    @property
    def look(self) -> Look:
        return self._painter.look

    def set_look(self, look: Look) -> None:
        self._painter.look = look
        self._want()
        self.viewport().update()

    def _name(self) -> None:
        where = f", page {self.page} of {self.pages}" if self.pages else ", no document"
        self.setAccessibleName(self._title + where)

    def _wanted_scale(self) -> float:
        if not isinstance(self.zoom_mode, str):
            return self.zoom_mode * _PIXELS_PER_POINT
        widest = max((size.width for size in self.page_layout.sizes), default=612.0)
        scale = (self.viewport().width() - 24) / widest
        if self.zoom_mode in ("text", "column") and self._text_edges is not None:
            left, right = self._text_edges
            room = self.viewport().width() - _SIGN_ROOM - 12
            # Never smaller than for the whole page; limited for narrow text in a wide window.
            text = min(max(scale, room / max(right - left, 1.0)), 1.6 * scale)
            self._by_column = self.zoom_mode == "column" or (text < _READABLE and self._column < 0.6 * (right - left))
            return min(max(text, room / self._column), 3.0 * scale) if self._by_column else text
        if self.zoom_mode == "page":
            tallest = max((size.height for size in self.page_layout.sizes), default=792.0)
            scale = min(scale, (self.viewport().height() - 24) / tallest)
        return max(scale, 0.05)

    def _relayout(self, around: QPointF | None) -> None:
        """Lays out the pages again, keeping what is at ``around`` in the viewport (None: its upper edge) in place."""
        anchor = around or QPointF(0, 0)
        offset = QPointF(self.horizontalScrollBar().value(), self.top)
        held = self.page_layout.point(offset + anchor) if self.pages else None
        self.page_layout = PageLayout(self.page_layout.sizes, self._wanted_scale(), self.viewport().width())
        size = self.viewport().size()
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setRange(0, max(0, round(self.page_layout.height) - size.height()))
        vertical.setPageStep(size.height())
        vertical.setSingleStep(40)
        horizontal.setRange(0, max(0, round(self.page_layout.width) - size.width()))
        horizontal.setPageStep(size.width())
        if held is not None:
            page, x, y = held
            vertical.setValue(round(self.page_layout.y_of(page, y) - anchor.y()))
            if around is not None and not isinstance(self.zoom_mode, str):
                horizontal.setValue(
                    round(self.page_layout.page_rect(page - 1).left() + x * self.page_layout.scale - anchor.x())
                )
        if self.zoom_mode in ("text", "column") and self._text_edges is not None and held is not None:
            left, right = self._text_edges
            if self._by_column:
                second = held[1] - anchor.x() / self.page_layout.scale > left + 0.3 * (right - left)
                left = right - self._column if second else left
                right = left + self._column
            spare = max(0.0, size.width() - (right - left) * self.page_layout.scale - _SIGN_ROOM - 12) / 2
            page_left = self.page_layout.page_rect(held[0] - 1).left()
            horizontal.setValue(round(page_left + left * self.page_layout.scale - _SIGN_ROOM - spare))
        self._marks.forget_ticks()
        self._map.invalidate()
        self._moved()

    def _moved(self) -> None:
        height = max(1.0, self.page_layout.height)
        self._map.set_window(self.top / height, (self.top + self.viewport().height()) / height)
        page = self.page_layout.index_at(self.top + self.viewport().height() / 3) + 1 if self.pages else 0
        if page != self.page:
            self.page = page
            self._name()
            self.page_changed.emit(page)
        self.viewport().update()
        if not self._settle.isActive():
            self._settle.start()
        self.scrolled.emit()

    def _want(self) -> None:
        if self.images is None:
            return
        self.images.configure(self.page_layout.scale * self.devicePixelRatioF(), self._painter.look)
        seen = self.page_layout.visible(self.top, self.top + self.viewport().height())
        shown = [index + 1 for index in seen]
        if not shown:
            return
        near = [p for p in (shown[-1] + 1, shown[0] - 1, shown[-1] + 2) if 1 <= p <= self.pages]
        far = [p for d in range(1, _COARSE_AHEAD) for p in (shown[-1] + d, shown[0] - d) if 1 <= p <= self.pages]
        self.images.want(shown + near, far)

    def _picture_arrived(self, page: int) -> None:
        rect = self.page_layout.page_rect(page - 1).translated(-self.horizontalScrollBar().value(), -self.top)
        self.viewport().update(rect.toAlignedRect())

    def _update_boxes(self, boxes: Iterable[Box]) -> None:
        """Repaints these boxes and the space that marks take around them."""
        left, screen, places = self.horizontalScrollBar().value(), self.viewport().rect(), QRegion()
        pages = {index + 1 for index in self.page_layout.visible(self.top, self.top + screen.height())}
        for box in boxes:
            if box.page in pages:
                where = self.page_layout.rect(box).translated(-left, -self.top)
                places += where.adjusted(*MARK_ROOM).toAlignedRect() & screen
        self.viewport().update(places)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        tokens = theme().tokens
        painter.fillRect(event.rect(), QColor(tokens.sunken))
        dx, dy = self.horizontalScrollBar().value(), self.top
        painter.translate(-dx, -dy)
        clip = QRectF(event.rect()).translated(dx, dy)
        for index in self.page_layout.visible(clip.top(), clip.bottom()):
            self._painter.paint(painter, self.page_layout, self.images, index, clip)
            self.paint_over(painter, index + 1)
        painter.end()
        paint_focus(self)

    def paint_over(self, painter: QPainter, page: int) -> None:
        """Draws over a page (from 1), in pixels of the content; for subclasses."""

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self._moved()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._map.setGeometry(QRect(area.right() - MAP_WIDTH + 1, area.top(), MAP_WIDTH, area.height()))
        self._relayout(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        angle, pixels = event.angleDelta(), event.pixelDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if angle.y():
                self.set_zoom(self.zoom * 1.0018 ** angle.y(), event.position())
        elif not pixels.isNull():
            self.glide.stop()
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - pixels.x())
            self.verticalScrollBar().setValue(self.top - pixels.y())
        elif angle.x() and not angle.y():
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - angle.x() // 2)
        else:
            self.glide.by(-angle.y() / 120 * _WHEEL_STEP)
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            note = "\n".join(dict.fromkeys(m.note for m in self.marks_at(QPointF(event.pos())) if m.note))
            if note:
                QToolTip.showText(event.globalPos(), note, self.viewport())
            else:
                QToolTip.hideText()
            return True
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.set_zoom(self.zoom * (1 + event.value()), event.position())
            return True
        return super().viewportEvent(event)

    def content_point(self, at: QPointF) -> QPointF:
        return at + QPointF(self.horizontalScrollBar().value(), self.top)

    def marks_at(self, at: QPointF) -> list[Mark]:
        if not self.pages:
            return []
        point = self.content_point(at)
        page = self.page_layout.point(point)[0]
        return [
            mark
            for mark, box in self._marks.on_page(page)
            if (mark.key or mark.note) and self.page_layout.rect(box).adjusted(-22, -3, 6, 3).contains(point)
        ]
