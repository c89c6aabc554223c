"""A PDF view whose text can be navigated, selected, copied, searched and read by screen readers, and its header."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.command_menu import add_choices, pop_up
from desktop_app.widgets.labels import ElidedLabel, text_label
from desktop_app.widgets.layouts import follow_width, row, surface
from desktop_app.widgets.pdf_canvas import PdfCanvas
from desktop_app.widgets.pdf_marks import Mark
from desktop_app.widgets.pdf_text import Place, ReadingText, TextCursor
from engine.documents.records import Box, DoubtfulPage, Paragraph


class PdfView(PdfCanvas):
    """Shows a document: pages (``show_pages``) once their sizes are known, text (``set_text``) once it was parsed, and
    marks (``set_marks``)."""

    mark_chosen = Signal(str)
    """A marked place was clicked: the mark's key."""
    paragraph_chosen = Signal(str)
    """A paragraph was clicked: its id."""
    selection_changed = Signal()
    menu_opening = Signal(object)
    """The context menu (a QMenu), still empty."""
    found = Signal(str)
    """What a search found, such as "2 of 7 found"; empty without one."""
    left = Signal()
    """Escape was pressed: the focus may return to where it was before."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        self._cursor = TextCursor(ReadingText(()))
        self._hits: tuple[tuple[Box, ...], ...] = ()
        """Where the words searched for are: one box per line of each hit."""
        self._hit = -1
        self._sought = False
        self._pressed: Place | None = None
        self._dragged = False
        self._pan: QPoint | None = None
        self._spoken = ""
        super().__init__(title, parent)
        self._triple = QTimer(self, singleShot=True)

    def set_text(self, paragraphs: Sequence[Paragraph], doubtful: Sequence[DoubtfulPage] = ()) -> None:
        """Sets the text of the pages in reading order, and marks pages whose text may be wrong."""
        pages = {size.number: Box(size.number, 0, 0, size.width, size.height) for size in self.page_layout.sizes}
        self.set_marks(
            "doubtful",
            [Mark("page", (pages[d.page],), "attention", note=d.sentence) for d in doubtful if d.page in pages],
        )
        self._cursor = TextCursor(ReadingText(paragraphs))
        if self._sought:
            self.find_text("")  # the hits are places in the previous text
        self.set_text_edges(*_edges(paragraphs))
        self.viewport().update()

    def clear(self) -> None:
        self.set_text(())
        self._spoken = ""
        super().clear()

    @property
    def text(self) -> ReadingText:
        return self._cursor.text

    @property
    def caret(self) -> Place | None:
        return self._cursor.caret

    @property
    def selection(self) -> tuple[Place, Place] | None:
        return self._cursor.selection

    @property
    def selected_text(self) -> str:
        return self._cursor.selected_text

    def set_caret(self, place: Place | None) -> None:
        if place is None:
            self._cursor.drop()
        else:
            self._cursor.place(place, keep_anchor=False)
            self._show_caret()
        self._selection_moved()

    def select(self, first: Place, last: Place) -> None:
        self._cursor.select(first, last)
        self._selection_moved()

    def start_caret(self) -> None:
        """Puts the caret at the first fully visible line, and takes the focus."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if self.pages and self._cursor.caret is None:
            page, x, y = self.page_layout.point(QPointF(0, self.top + 24))
            for index in range(page, self.pages + 1):
                place = self.text.place_at(index, x, y if index == page else 0)
                if place is not None:
                    self.set_caret(self.text.moved(place, "line edge", -1))
                    return

    def copy(self) -> None:
        if self.selected_text:
            QGuiApplication.clipboard().setText(self.selected_text)

    def find_text(self, query: str) -> int:
        """Marks all occurrences of ``query`` and goes to the first one in or below the view. Returns their number."""
        self._hits = tuple(self.text.boxes_between(*hit) for hit in self.text.find(query))
        self._hit, self._sought = -1, bool(query)
        if self._hits:
            below = (n for n, b in enumerate(self._hits) if b and self.page_layout.rect(b[0]).bottom() >= self.top)
            self._go_to_hit(next(below, 0))
        else:
            self._mark_hits()
        return len(self._hits)

    @property
    def has_hits(self) -> bool:
        return bool(self._hits)

    def find_next(self, step: int) -> None:
        """Goes to the next (1) or previous (-1) hit, wrapping around."""
        if self._hits:
            self._go_to_hit((self._hit + step) % len(self._hits))

    def _go_to_hit(self, hit: int) -> None:
        self._hit = hit
        if boxes := self._hits[hit]:
            self.ensure_visible(boxes[0])
        self._mark_hits()

    def _mark_hits(self) -> None:
        self.set_marks(
            "find",
            [Mark("find now" if n == self._hit else "find", boxes, "attention") for n, boxes in enumerate(self._hits)],
        )
        words = "No results" if self._sought else ""
        self.found.emit(f"{self._hit + 1} of {len(self._hits)} found" if self._hits else words)

    def speak(self, paragraph: int) -> None:
        """Sets the accessible description to the current paragraph."""
        text = self.text.paragraphs[paragraph].text
        if text != self._spoken:
            self._spoken = text
            self.setAccessibleDescription(text)
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def _selection_moved(self) -> None:
        self.set_marks("select", [Mark("select", self._cursor.boxes)])
        if self._cursor.caret is not None:
            self.speak(self._cursor.caret.paragraph)
        self.viewport().update()
        self.selection_changed.emit()

    def _show_caret(self) -> None:
        box = self.text.caret_box(self._cursor.caret) if self._cursor.caret else None
        if box is not None:
            self.ensure_visible(box)

    def paint_over(self, painter: QPainter, page: int) -> None:
        box = self.text.caret_box(self._cursor.caret) if self._cursor.caret is not None else None
        if box is not None and box.page == page:
            rect = self.page_layout.rect(box)
            colour = QColor("#6db3f8" if self.look == "inverted" else "#0a63bd")
            if not self.hasFocus():
                colour.setAlpha(110)
            painter.fillRect(QRectF(rect.left() - 1, rect.top() - 1, 2, rect.height() + 2), colour)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._owns(event):
            event.accept()
            return True
        return super().event(event)

    def _owns(self, event: QKeyEvent) -> bool:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if self._cursor.wants(event) or event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            return True
        if event.key() == Qt.Key.Key_C and control:
            return bool(self.selected_text)
        return event.key() == Qt.Key.Key_Escape and self._cursor.caret is not None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        height = self.viewport().height()
        if self._cursor.key(event):
            self._show_caret()
            self._selection_moved()
        elif event.key() == Qt.Key.Key_PageDown:
            self.glide.by(0.9 * height)
        elif event.key() == Qt.Key.Key_PageUp:
            self.glide.by(-0.9 * height)
        elif event.key() == Qt.Key.Key_C and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.copy()
        elif event.key() == Qt.Key.Key_Escape:
            self.set_caret(None)
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._cursor.caret is None:
            self.start_caret()
        elif event.key() == Qt.Key.Key_Home:
            self.scroll_to(0)
        elif event.key() == Qt.Key.Key_End:
            self.scroll_to(self.page_layout.height)
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.glide.by(60 if event.key() == Qt.Key.Key_Down else -60)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def _place(self, at: QPointF) -> Place | None:
        return self.text.place_at(*self.page_layout.point(self.content_point(at))) if self.pages else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pan = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        place = self._place(event.position())
        if place is None:
            return
        self._dragged = False
        if self._triple.isActive():
            self._triple.stop()
            self.select(*self.text.around(place, "paragraph"))
            self._pressed = None
            return
        self._pressed = place
        self._cursor.place(place, keep_anchor=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        self._selection_moved()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._pan is not None:
            move = at.toPoint() - self._pan
            self._pan = at.toPoint()
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - move.x())
            self.scroll_to(self.top - move.y())
        elif self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._drag_to(at, by_character=bool(event.modifiers() & Qt.KeyboardModifier.AltModifier))
        elif self.pages:
            over = self.text.paragraph_at(*self.page_layout.point(self.content_point(at))) is not None
            self.viewport().setCursor(Qt.CursorShape.IBeamCursor if over else Qt.CursorShape.ArrowCursor)

    def _drag_to(self, at: QPointF, *, by_character: bool) -> None:
        place = self._place(at)
        if place is None or self._pressed is None or (place == self._pressed and not self._dragged):
            return
        self._dragged = True
        if by_character:
            self._cursor.select(self._pressed, place)
        else:
            self._cursor.select_words(self._pressed, place)
        if at.y() < 12:
            self.scroll_to(self.top - 24)
        elif at.y() > self.viewport().height() - 12:
            self.scroll_to(self.top + 24)
        self._selection_moved()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pan = None
        if event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            return
        clicked, self._pressed = not self._dragged, None
        if clicked and not event.modifiers():
            key = next((mark.key for mark in self.marks_at(event.position()) if mark.key), "")
            if key:
                self.mark_chosen.emit(key)
            index = self.text.paragraph_at(*self.page_layout.point(self.content_point(event.position())))
            if index is not None:
                self.paragraph_chosen.emit(self.text.paragraphs[index].id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        place = self._place(event.position())
        if place is not None:
            self.select(*self.text.around(place, "word"))
            self._triple.start(QGuiApplication.styleHints().mouseDoubleClickInterval())

    def _select_around(self, caret: Place, unit: Literal["sentence", "paragraph"]) -> None:
        self.select(*self.text.around(caret, unit))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        self.menu_opening.emit(menu)
        copy = menu.addAction("Copy", self.copy)
        copy.setEnabled(bool(self.selected_text))
        if self._cursor.caret is not None:
            caret = self._cursor.caret
            menu.addAction("Select sentence", lambda: self._select_around(caret, "sentence"))
            menu.addAction("Select paragraph", lambda: self._select_around(caret, "paragraph"))
        menu.addSeparator()
        menu.addAction("Fit width", lambda: self.set_zoom("width"))
        menu.addAction("Fit page", lambda: self.set_zoom("page"))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())


def _edges(paragraphs: Sequence[Paragraph]) -> tuple[tuple[float, float] | None, float]:
    """Returns the left and right edges of text on most pages (ignoring a few outliers), and the width of a column."""
    boxes = [box for paragraph in paragraphs for box in paragraph.boxes if box.x1 - box.x0 > 20]
    if not boxes:
        return None, 0.0
    lefts, rights = sorted(box.x0 for box in boxes), sorted(box.x1 for box in boxes)
    widths = sorted(box.x1 - box.x0 for p in paragraphs if p.kind == "body" for box in p.boxes if len(p.text) > 60)
    column = widths[len(widths) * 3 // 4] if widths else rights[-1] - lefts[0]
    return (lefts[len(lefts) // 50], rights[-1 - len(rights) // 50]), column


_ROOM_FOR_ZOOM = 360
"""Width below which the header hides the zoom buttons, so that the file name stays readable."""


class PageHeader(QWidget):
    """The header of a PdfView; with more than two versions, a menu offers the others."""

    version_wanted = Signal(str)
    """The key of the version to show here."""

    def __init__(self, version: str, view: PdfView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        surface(self, f"{version} version")
        title = text_label(version, "body", parent=self)
        title.setFont(theme().font("body", bold=True))
        self._name = ElidedLabel("muted", self)
        self._hits = text_label("", "small", parent=self)
        self._found = ""
        self._page = text_label("", "small", parent=self)
        self._page.setFont(theme().font("small", tabular=True))
        self._versions: tuple[tuple[str, str], ...] = ()
        self._shown = ""
        self._others = IconButton(
            "files", f"Other versions: {version.lower()}", f"Choose the {version.lower()} version", parent=self
        )
        self._others.clicked.connect(self.open_versions)
        self._others.setVisible(False)
        self._zooms: list[IconButton] = []
        for icon, name, act in (
            ("minus", "Smaller", lambda: view.step_zoom(-1)),
            ("plus", "Larger", lambda: view.step_zoom(1)),
            ("arrows-out-line-horizontal", "Fit width", self._fit),
        ):
            button = IconButton(icon, f"{name}: {version.lower()} version", name, parent=self)
            button.clicked.connect(act)
            self._zooms.append(button)
        row(
            title, self._others, (self._name, 1), self._hits, self._page, *self._zooms,
            margins=(12, 0, 8, 0), spacing=4, of=self,
        )  # fmt: skip
        view.page_changed.connect(self._refresh)
        view.found.connect(self._show_hits)
        follow_width(self, self._fold)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme().px(32))

    def _fit(self) -> None:
        self._view.set_zoom("text" if self._view.zoom_mode == "width" else "width")

    def set_name(self, name: str) -> None:
        self._name.setText(name)
        self._refresh()

    def set_versions(self, versions: Sequence[tuple[str, str]], shown: str) -> None:
        """Sets the available versions (key, name) and the key of the one shown."""
        self._versions, self._shown = tuple(versions), shown
        self._others.setVisible(len(self._versions) > 2)

    def open_versions(self) -> None:
        menu = QMenu(self)
        wanted = self.version_wanted.emit
        add_choices(menu, ((name, key == self._shown, partial(wanted, key)) for key, name in self._versions))
        pop_up(menu, self._others)

    def _fold(self) -> None:
        for button in self._zooms:
            button.setVisible(self._is_wide())
        self._show_hits(self._found)

    def _is_wide(self) -> bool:
        return self.width() >= theme().px(_ROOM_FOR_ZOOM)

    def _refresh(self) -> None:
        self._page.setText(f"{self._view.page} / {self._view.pages}" if self._view.pages else "")

    def _show_hits(self, words: str) -> None:
        self._found = words
        self._hits.setText(words if self._is_wide() else words.removesuffix(" found"))
        self._hits.setToolTip(words)
