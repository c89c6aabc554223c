"""Pages on screen: their positions, and the images of those nearby.

A loader thread requests images from a renderer (in the application the document service, which runs in another
process). The GUI thread uses what is available: a sharp image, a coarse one, or an empty page of the right size.
"""

import math
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, Protocol, get_args

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap

from desktop_app.posting import posted
from desktop_app.theme import theme
from engine.documents.records import Box, PageSize
from engine.errors import Cancelled, EnvironmentProblem

Look = Literal["paper", "sepia", "inverted"]
LOOKS: tuple[Look, ...] = get_args(Look)
PAPER: dict[Look, str] = {"paper": "#ffffff", "sepia": "#f6ecd6", "inverted": "#1b1d20"}
GAP = 12
"""Pixels between and around pages."""
_PREVIEW_WIDTH = 220
_MOST_PIXELS = 24_000_000
"""Pages with more pixels are rendered at a lower scale and enlarged."""


def wanted_look(dark: str) -> Look:
    """Returns the look of pages in the current colour scheme; ``dark`` is the setting for the dark scheme."""
    return next((look for look in LOOKS if look == dark and theme().tokens.scheme == "dark"), "paper")


class Picture(Protocol):
    """A rendered page: RGB, 8 bits per channel, ``stride`` bytes per row."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def stride(self) -> int: ...
    @property
    def samples(self) -> bytes: ...


class Renderer(Protocol):
    """Renders pages; called from loader threads, may raise EnvironmentProblem."""

    def render(self, sha: str, page: int, scale: float) -> Picture: ...


class PageLayout:
    """The positions of a document's pages in one column, in pixels of the content, at ``scale`` pixels per point."""

    def __init__(self, sizes: Sequence[PageSize], scale: float, room: float) -> None:
        self.sizes, self.scale = tuple(sizes), scale
        self.widths = [round(size.width * scale) for size in self.sizes]
        self.heights = [round(size.height * scale) for size in self.sizes]
        self.tops = [GAP + t for t in accumulate((h + GAP for h in self.heights), initial=0)][: len(self.sizes)]
        self.height = (self.tops[-1] + self.heights[-1] + GAP) if self.sizes else 0
        self.width = max(self.widths, default=0) + 2 * GAP
        room = max(room, self.width)
        self.lefts = [round((room - width) / 2) for width in self.widths]

    def page_rect(self, index: int) -> QRectF:
        return QRectF(self.lefts[index], self.tops[index], self.widths[index], self.heights[index])

    def index_at(self, y: float) -> int:
        """The page (from 0) at a height, or the one before a gap; 0 for an empty document."""
        return max(0, bisect_right(self.tops, y) - 1)

    def visible(self, top: float, bottom: float) -> range:
        """The pages (from 0) that touch [top, bottom]."""
        if not self.sizes:
            return range(0)
        first = self.index_at(top)
        if self.tops[first] + self.heights[first] < top:
            first += 1
        return range(first, min(len(self.sizes), self.index_at(bottom) + 1))

    def rect(self, box: Box) -> QRectF:
        """Returns a box on a page in pixels of the content; an empty rectangle if the page doesn't exist."""
        if not 1 <= box.page <= len(self.sizes):
            return QRectF()
        left, top, s = self.lefts[box.page - 1], self.tops[box.page - 1], self.scale
        return QRectF(left + box.x0 * s, top + box.y0 * s, (box.x1 - box.x0) * s, (box.y1 - box.y0) * s)

    def y_of(self, page: int, y: float) -> float:
        """Converts a vertical position in points on a page to pixels of the content."""
        index = min(max(page - 1, 0), len(self.sizes) - 1)
        return self.tops[index] + y * self.scale

    def point(self, at: QPointF) -> tuple[int, float, float]:
        """Converts a point of the content to page (from 1) and points on it (outside it for margins and gaps)."""
        index = self.index_at(at.y())
        rect = self.page_rect(index)
        return index + 1, (at.x() - rect.left()) / self.scale, (at.y() - rect.top()) / self.scale


@dataclass(frozen=True, slots=True)
class _Order:
    page: int
    scale: float
    look: Look
    preview: bool


class _Loader:
    """A thread that renders images one by one, most urgent first."""

    def __init__(self, renderer: Renderer, sha: str, deliver: Callable[[_Order, QImage | str], None]) -> None:
        self._renderer, self._sha, self._deliver = renderer, sha, deliver
        self._lock = threading.Condition()
        self._orders: list[_Order] = []
        self._busy: _Order | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._work, name="pdf pages", daemon=True)
        self._thread.start()

    def replace(self, orders: Iterable[_Order]) -> None:
        with self._lock:
            self._orders = [order for order in orders if order != self._busy]
            self._lock.notify()

    @property
    def busy(self) -> bool:
        with self._lock:
            return self._thread.is_alive() and bool(self._orders or self._busy)

    def stop(self) -> None:
        """Ends the thread. Nothing is delivered afterwards, even if an image is still being rendered."""
        with self._lock:
            self._stopped = True
            self._lock.notify()
        self._thread.join(timeout=2.0)

    def _work(self) -> None:
        while True:
            with self._lock:
                self._busy = None
                self._lock.wait_for(lambda: self._stopped or self._orders)
                if self._stopped:
                    return
                order = self._busy = self._orders.pop(0)
            try:
                made: QImage | str = _image(self._renderer.render(self._sha, order.page, order.scale), order.look)
            except Cancelled:
                return  # the service was closed with the window
            except EnvironmentProblem as problem:
                made = str(problem)
            with self._lock:
                if not self._stopped:
                    self._deliver(order, made)


class PageImages(QObject):
    """The images of one document's pages: requested by urgency, cached within ``budget`` bytes."""

    ready = Signal(int)
    """An image of this page arrived."""
    failed = Signal(int, str)
    """This page couldn't be rendered, and why."""

    def __init__(
        self,
        renderer: Renderer,
        sha: str,
        sizes: Sequence[PageSize],
        budget: int = 192 << 20,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._sizes, self._budget = tuple(sizes), budget
        self._sharp: OrderedDict[int, tuple[float, QPixmap]] = OrderedDict()
        self._coarse: OrderedDict[int, QPixmap] = OrderedDict()
        self._broken: dict[int, str] = {}
        self._scale = 1.0
        self._look: Look = "paper"
        self._ended = False
        loader = self._loader = _Loader(renderer, sha, posted(self, PageImages._take))
        self.destroyed.connect(loader.stop)

    def configure(self, scale: float, look: Look) -> None:
        """Sets the scale in device pixels per point, and the look; images in another look are dropped."""
        if look != self._look:
            self._sharp.clear()
            self._coarse.clear()
        self._scale, self._look = scale, look

    @property
    def bytes_held(self) -> int:
        maps = [p for _, p in self._sharp.values()] + list(self._coarse.values())
        return sum(4 * pixmap.width() * pixmap.height() for pixmap in maps)

    def picture(self, page: int) -> tuple[QPixmap, bool] | None:
        """Returns the best image of a page, and whether it has the current scale; None if there is none yet."""
        if page in self._sharp:
            scale, pixmap = self._sharp[page]
            self._sharp.move_to_end(page)
            return pixmap, scale == self._scale
        if page in self._coarse:
            return self._coarse[page], False
        return None

    def problem(self, page: int) -> str:
        """Returns why a page couldn't be rendered; empty if it could."""
        return self._broken.get(page, "")

    def want(self, sharp: Iterable[int], coarse: Iterable[int] = ()) -> None:
        """Replaces pending requests: first coarse images of pages without any, then sharp ones in the given order, then
        coarse ones of pages further away."""
        sharp = [page for page in sharp if page not in self._broken]
        orders = [self._coarse_order(p) for p in sharp if p not in self._sharp and p not in self._coarse]
        for page in sharp:
            scale = self._wanted_scale(page)
            if page not in self._sharp or self._sharp[page][0] != scale:
                orders.append(_Order(page, scale, self._look, False))
        orders += [self._coarse_order(p) for p in coarse if p not in self._coarse and p not in self._broken]
        self._loader.replace(orders)

    @property
    def busy(self) -> bool:
        return self._loader.busy

    def stop(self) -> None:
        """Ends the loader; nothing is delivered afterwards, even if it is already on its way."""
        self._ended = True
        self._loader.stop()

    def _wanted_scale(self, page: int) -> float:
        size = self._sizes[page - 1]
        pixels = max(1.0, size.width * size.height)
        return min(self._scale, math.sqrt(_MOST_PIXELS / pixels))

    def _coarse_order(self, page: int) -> _Order:
        return _Order(page, _PREVIEW_WIDTH / max(1.0, self._sizes[page - 1].width), self._look, True)

    def _take(self, order: _Order, made: QImage | str) -> None:
        if self._ended:
            return
        if isinstance(made, str):
            self._broken[order.page] = made
            self.failed.emit(order.page, made)
            return
        if order.look != self._look:
            return
        pixmap = QPixmap.fromImage(made, Qt.ImageConversionFlag.NoFormatConversion)
        if order.preview:
            self._coarse[order.page] = pixmap
        else:
            self._sharp[order.page] = (order.scale, pixmap)
            self._sharp.move_to_end(order.page)
        while self.bytes_held > self._budget and len(self._sharp) > 1:
            self._sharp.popitem(last=False)
        while self.bytes_held > self._budget and len(self._coarse) > 1:
            self._coarse.popitem(last=False)
        self.ready.emit(order.page)


def _image(picture: Picture, look: Look) -> QImage:
    raw = QImage(picture.samples, picture.width, picture.height, picture.stride, QImage.Format.Format_RGB888)
    image = raw.convertToFormat(QImage.Format.Format_RGB32)
    if look == "paper":
        return image
    if look == "inverted":
        image.invertPixels()
    painter = QPainter(image)
    modes = QPainter.CompositionMode
    painter.setCompositionMode(modes.CompositionMode_Screen if look == "inverted" else modes.CompositionMode_Multiply)
    painter.fillRect(image.rect(), QColor(PAPER[look]))
    painter.end()
    return image
