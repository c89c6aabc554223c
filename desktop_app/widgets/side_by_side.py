"""Two versions of a paper side by side, with their edits."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QWidget

from desktop_app.theme import Meaning
from desktop_app.timers import delayed
from desktop_app.widgets.edit_words import SIGNS, WORDS, changes_of
from desktop_app.widgets.layouts import column, follow_width, row
from desktop_app.widgets.pdf_canvas import Fit
from desktop_app.widgets.pdf_marks import Mark, Shape
from desktop_app.widgets.pdf_pages import Look, Renderer
from desktop_app.widgets.pdf_view import PageHeader, PdfView
from desktop_app.widgets.ribbon import Band, Pair, Ribbon, ScrollMap
from engine.documents.records import Box, PageSize, ParsedDocument
from engine.revision.groups import Aligned
from engine.revision.parts import places
from engine.revision.records import Edit

_ANCHOR = 0.3
"""Fraction of the height at which both sides are aligned and a selected edit is shown."""

BESIDE = 516
"""Width in pixels, at any text size, that both versions need for one column each at 0.8 pixels per point."""


def meaning(edit: Edit, *, source: bool) -> Meaning:
    """Returns the colour of an edit on one side: moved, or else deleted on the source side, added on the target
    side."""
    if edit.passage:
        return "linked"
    if edit.moved or edit.kind == "moved":
        return "moved"
    return "deleted" if source and edit.kind != "added" else "added"


@dataclass(frozen=True, slots=True)
class Standing:
    """Ids of edits by their relation to the current comment or to any comment."""

    linked: frozenset[str] = frozenset()
    suggested: frozenset[str] = frozenset()
    linked_elsewhere: frozenset[str] = frozenset()


class SideBySideView(QWidget):
    """Submitted | ribbon | revised; if that is too narrow, the submitted version above the revised one. Scrolling one
    side scrolls the other unless ``set_coupled(False)``."""

    edit_chosen = Signal(str)
    """An edit was clicked: on a page, in the ribbon or in a minimap."""
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.source = PdfView("Submitted version", self)
        self.target = PdfView("Revised version", self)
        self.source_header = PageHeader("Submitted", self.source, self)
        self.target_header = PageHeader("Revised", self.target, self)
        self.ribbon = Ribbon(self)
        self._edits: dict[str, Edit] = {}
        self._unmarked: frozenset[str] = frozenset()
        self._pairs: tuple[Pair, ...] = ()
        self._extents: list[tuple[Pair, tuple[int, float, float] | None, tuple[int, float, float] | None]] = []
        self._map = ScrollMap((), (1.0, 1.0))
        self._map_for: tuple[float, float] | None = None
        self.coupled, self._carrying = True, False
        self._tops: dict[PdfView, float] = {}
        self.current = ""  # the id of the highlighted edit
        self._standing = Standing()
        self._word_marks: dict[str, tuple[tuple[Mark, ...], tuple[Mark, ...]]] = {}
        self._views = {self.source: self.source_header, self.target: self.target_header}
        left, right = (column(header, (view, 1)) for view, header in self._views.items())
        self._sides = row((left, 1), self.ribbon, (right, 1), of=self, spacing=0)
        self._drawing = delayed(self, 0, self._draw_ribbon)
        for view in self._views:
            view.scrolled.connect(partial(self._carried, view))
            view.mark_chosen.connect(self.edit_chosen)
            view.left.connect(self.left)
        self.ribbon.chosen.connect(self.edit_chosen)
        follow_width(self, self._turn)

    def _turn(self) -> None:
        beside = self.width() >= BESIDE
        self._sides.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)
        self.ribbon.setVisible(beside)

    def show_side(self, view: PdfView, renderer: Renderer, sha: str, sizes: Sequence[PageSize], name: str) -> None:
        """Shows the pages of one side (``self.source`` or ``self.target``); text and edits are set later."""
        view.show_pages(renderer, sha, sizes)
        self._views[view].set_name(name)
        self._forget_edits()

    def clear(self) -> None:
        self._forget_edits()
        for view, header in self._views.items():
            view.clear()
            header.set_name("")

    def set_texts(self, source: ParsedDocument | None, target: ParsedDocument | None) -> None:
        self._forget_edits()
        for view, parsed in ((self.source, source), (self.target, target)):
            view.set_text(*((parsed.paragraphs, parsed.doubtful) if parsed else ((), ())))

    def set_edits(self, edits: Sequence[Edit], aligned: Sequence[Aligned], *, unmarked: Sequence[Edit] = ()) -> None:
        """Sets the edits between both texts and all aligned paragraphs; ``unmarked`` edits can only be chosen."""
        self._edits = {edit.id: edit for edit in (*edits, *unmarked)}
        self._unmarked = frozenset(edit.id for edit in unmarked)
        self._word_marks = {}
        self._pairs = tuple(self._pair(entry) for entry in aligned)
        self._extents = [
            (pair, _extent(self.source, pair.source), _extent(self.target, pair.target)) for pair in self._pairs
        ]
        self._map_for = None
        if self.current not in self._edits:
            self._light("")
        self._mark_edits()
        self._drawing.start()

    def set_standing(self, standing: Standing) -> None:
        """Sets which edits are linked to, or suggested for, the current comment."""
        if standing != self._standing:
            self._standing = standing
            self._mark_standing()

    def choose(self, edit_id: str) -> None:
        """Highlights an edit and aligns both sides at it; "" clears the highlight."""
        self._light(edit_id)
        edit = self._edits.get(edit_id)
        if edit is None:
            return
        left, right = self._first_box(self.source, edit.source_ids), self._first_box(self.target, edit.target_ids)
        found = [(view, box) for view, box in ((self.source, left), (self.target, right)) if box is not None]
        heights = [view.page_layout.rect(box).top() - view.top for view, box in found]
        level = bool(heights) and max(heights) - min(heights) < 2
        if not level or not all(self._is_seen(view, box) for view, box in found):
            self._bring(edit)
        self._speak(edit)

    def show_paragraph(self, paragraph_id: str) -> None:
        """Scrolls to a paragraph of the submitted version; the other version follows if both are coupled."""
        box = self._first_box(self.source, (paragraph_id,))
        if box is not None:
            self.source.reveal(box, _ANCHOR)
            self.source.speak(self.source.text.position[paragraph_id])

    def _bring(self, edit: Edit) -> None:
        """Scrolls both sides to an edit at the same height."""
        left, right = self._first_box(self.source, edit.source_ids), self._first_box(self.target, edit.target_ids)
        with self._uncarried():
            if left is not None:
                self.source.reveal(left, _ANCHOR)
            if right is not None:
                self.target.reveal(right, _ANCHOR)
        if left is None:
            self._carry(self.target)
        elif right is None:
            self._carry(self.source)
        self._drawing.start()

    def set_coupled(self, coupled: bool) -> None:
        self.coupled = coupled
        if coupled:
            self._carry(self.target if self.target.hasFocus() else self.source)

    def set_look(self, look: Look) -> None:
        for view in self._views:
            view.set_look(look)

    def set_zoom(self, zoom: float | Fit) -> None:
        """Sets a factor or a fit for both sides, keeping the current edit visible."""
        self._both(lambda view: view.set_zoom(zoom))
        if self.current:
            self._bring(self._edits[self.current])

    def step_zoom(self, step: int) -> None:
        self._both(lambda view: view.step_zoom(step))

    def step_page(self, step: int) -> None:
        """Turns the page on the focused side (the revised one if neither has the focus); the other follows."""
        view = self.source if self.source.hasFocus() else self.target
        view.go_to_page(view.page + step)

    def find_text(self, query: str) -> tuple[int, int]:
        """Marks all hits on both sides and goes to the next on each. Returns the number of hits per side."""
        self._drawing.start()
        with self._uncarried():
            return self.source.find_text(query), self.target.find_text(query)

    def find_next(self, step: int) -> None:
        """Goes to the next (previous) hit on the focused side (default: revised), or on the other if that has none."""
        view = self.source if self.source.hasFocus() else self.target
        if not view.has_hits:
            view = self.source if view is self.target else self.target
        view.find_next(step)

    def _forget_edits(self) -> None:
        self._edits, self._pairs, self._extents, self._word_marks = {}, (), [], {}
        self.current, self._standing, self._map_for = "", Standing(), None
        self.ribbon.set_bands((), "")
        for view in self._views:
            for layer in ("edits", "links", "words"):
                view.set_marks(layer, ())
            view.light("", (), dim=False)

    def _pair(self, entry: Aligned) -> Pair:
        edit = self._edits.get(entry.edit_id)
        colour: Meaning | None = None
        if edit is not None and edit.id not in self._unmarked:
            colour = meaning(edit, source=edit.kind == "deleted")
        source = tuple(p for i in entry.source_ids if (p := self.source.text.position.get(i)) is not None)
        target = tuple(p for i in entry.target_ids if (p := self.target.text.position.get(i)) is not None)
        return Pair(source, target, entry.edit_id, colour)

    def _mark_edits(self) -> None:
        for view in self._views:
            bars = []
            for edit in self._edits.values():
                boxes = self._boxes(view, edit)
                if boxes and edit.id not in self._unmarked:
                    words = WORDS[edit.sort] + (", moved" if edit.moved and edit.kind != "moved" else "")
                    note = f"{edit.label} · {words} · {edit.section}".rstrip(" ·")
                    bars.append(
                        Mark("bar", boxes, meaning(edit, source=view is self.source), edit.id, SIGNS[edit.sort], note)
                    )
            view.set_marks("edits", bars)
        self._mark_standing()

    def _mark_standing(self) -> None:
        standing = self._standing
        shapes: list[tuple[frozenset[str], Shape, Meaning]] = [
            (standing.linked, "frame", "linked"),
            (standing.suggested, "frame", "suggested"),
            (standing.linked_elsewhere, "dot", "linked"),
        ]
        for view in self._views:
            marks = [
                Mark(shape, boxes, colour, key)
                for ids, shape, colour in shapes
                for key in ids
                if key in self._edits and (boxes := self._boxes(view, self._edits[key]))
            ]
            view.set_marks("links", marks)

    def _light(self, edit_id: str) -> None:
        edit = self._edits.get(edit_id)
        self.current = edit_id if edit else ""
        words = self._words(edit) if edit else ((), ())
        for view, marks in zip(self._views, words, strict=True):
            view.set_marks("words", marks)
            view.light(self.current, self._boxes(view, edit) if edit else (), dim=edit is not None)
        self._drawing.start()

    def _words(self, edit: Edit) -> tuple[tuple[Mark, ...], tuple[Mark, ...]]:
        """Returns the word differences of an edit as marks on each side; computed on first use."""
        if edit.id not in self._word_marks:
            old: list[Box] = []
            new: list[Box] = []
            for change in changes_of(edit.source_text, edit.target_text):
                if change.operation == "delete":
                    old += _range_boxes(self.source, edit.source_ids, edit.source_text, *change.source)
                elif change.operation == "insert":
                    new += _range_boxes(self.target, edit.target_ids, edit.target_text, *change.target)
            self._word_marks[edit.id] = (
                (Mark("strike", tuple(old), "deleted", edit.id),),
                (Mark("underline", tuple(new), "linked" if edit.passage else "added", edit.id),),
            )
        return self._word_marks[edit.id]

    def _boxes(self, view: PdfView, edit: Edit) -> tuple[Box, ...]:
        return _boxes(view, edit.source_ids if view is self.source else edit.target_ids)

    def _first_box(self, view: PdfView, ids: Iterable[str]) -> Box | None:
        return next((box for box in _boxes(view, ids) if box.page <= view.pages), None)

    def _speak(self, edit: Edit) -> None:
        for view, ids in ((self.source, edit.source_ids), (self.target, edit.target_ids)):
            position = view.text.position.get(ids[0]) if ids else None
            if position is not None:
                view.speak(position)

    @contextmanager
    def _uncarried(self) -> Iterator[None]:
        self._carrying = True
        try:
            yield
        finally:
            self._carrying = False

    def _both(self, act: Callable[[PdfView], object]) -> None:
        with self._uncarried():
            for view in self._views:
                act(view)
        self._carry(self.source)

    def _is_seen(self, view: PdfView, box: Box) -> bool:
        rect, left = view.page_layout.rect(box), view.horizontalScrollBar().value()
        sideways = left <= rect.left() and rect.left() + 40 < left + view.viewport().width()
        return sideways and 0.05 * view.height() < rect.top() - view.top < 0.7 * view.height()

    def _carried(self, view: PdfView) -> None:
        moved, self._tops[view] = self._tops.get(view) != view.top, view.top
        if moved and self.coupled and not self._carrying:  # not if only the height changed
            self._carry(view)
        self._drawing.start()

    def _carry(self, view: PdfView) -> None:
        other = self.target if view is self.source else self.source
        if not self._pairs or not view.pages or not other.pages:
            return
        scroll, share = self._scroll_map(), _held_share(view)
        held = view.top + share * view.viewport().height()
        there = scroll.to_right(held) if view is self.source else scroll.to_left(held)
        with self._uncarried():
            other.scroll_to(there - share * other.viewport().height())

    def _scroll_map(self) -> ScrollMap:
        left, right = self.source.page_layout, self.target.page_layout
        if self._map_for != (left.scale, right.scale):
            points = [
                (left.y_of(a[0], a[1]), right.y_of(b[0], b[1]))
                for pair, a, b in self._extents
                if a is not None and b is not None and pair.meaning != "moved"
            ]
            self._map = ScrollMap(points, (left.height, right.height))
            self._map_for = (left.scale, right.scale)
        return self._map

    def _draw_ribbon(self) -> None:
        left, right = self.source.page_layout, self.target.page_layout
        if not self._pairs or not left.sizes or not right.sizes:
            self.ribbon.set_bands((), "")
            return
        drop = self.source.y() - self.ribbon.y()
        height = self.source.viewport().height()
        scroll = self._scroll_map()
        bands = []
        for pair, a, b in self._extents:
            if a is None and b is None:
                continue
            here = (left.y_of(a[0], a[1]), left.y_of(a[0], a[2])) if a else None
            there = (right.y_of(b[0], b[1]), right.y_of(b[0], b[2])) if b else None
            if here is None and there is not None:
                here = (scroll.to_left(there[0]),) * 2
            if there is None and here is not None:
                there = (scroll.to_right(here[0]),) * 2
            assert here is not None
            assert there is not None
            shown_left = (here[0] - self.source.top, here[1] - self.source.top)
            shown_right = (there[0] - self.target.top, there[1] - self.target.top)
            if any(y1 >= 0 and y0 <= height for y0, y1 in (shown_left, shown_right)):
                ends = [(top + drop, bottom + drop) for top, bottom in (shown_left, shown_right)]
                bands.append(Band(ends[0], ends[1], pair.key, pair.meaning))
        self.ribbon.set_bands(bands, self.current)


def _held_share(view: PdfView) -> float:
    """Returns the fraction of the height at which both sides are aligned. It moves to the upper edge at the start and
    to the lower edge at the end, so that both documents start and end together."""
    height = max(1, view.viewport().height())
    left = view.verticalScrollBar().maximum() - view.top
    return max(min(_ANCHOR, view.top / height), 1 - left / height, 0.0)


def _boxes(view: PdfView, ids: Iterable[str]) -> tuple[Box, ...]:
    text = view.text
    return tuple(box for i in ids if (p := text.position.get(i)) is not None for box in text.paragraphs[p].boxes)


def _extent(view: PdfView, positions: Sequence[int]) -> tuple[int, float, float] | None:
    """Returns page, top and bottom (points) of the first of several paragraphs, on the page where it starts."""
    boxes = view.text.paragraphs[positions[0]].boxes if positions else ()
    return (boxes[0].page, boxes[0].y0, boxes[0].y1) if boxes else None


def _range_boxes(view: PdfView, ids: Sequence[str], text: str, start: int, end: int) -> list[Box]:
    """Returns the boxes of [start, end) of an edit's text, given the edit's paragraphs."""
    found: list[Box] = []
    known = [position for name in ids if (position := view.text.position.get(name)) is not None]
    for first, last, at, begins in places(text, [view.text.paragraphs[position].text for position in known]):
        low, high = max(start, first) - first + begins, min(end, last) - first + begins
        if low < high:
            found += view.text.boxes(known[at], low, high)
    return found
