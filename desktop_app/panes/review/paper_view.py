"""The paper: its pages with the places that matter marked on them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.theme import theme
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.page_header import PageHeader
from desktop_app.widgets.pdf_marks import Mark
from desktop_app.widgets.pdf_pages import Look
from desktop_app.widgets.pdf_view import PdfView
from engine.documents.records import Box

_LOOKS: tuple[Look, ...] = ("paper", "sepia", "inverted")
_PLACE, _CARDS = "place", "cards"


class PaperView(QWidget):
    """Shows the paper at hand of a desk, and the place that is asked for."""

    left = Signal()
    """Escape: the keyboard goes back to the form."""
    selection_changed = Signal()

    def __init__(self, context: AppContext, desk: ReviewDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._desk = context, desk
        self.pages = PdfView("Paper", self)
        self.header = PageHeader("Paper", self.pages, self)
        self._shown = ""
        self._text: object = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(hairline(parent=self))
        layout.addWidget(self.pages, 1)
        self.pages.left.connect(self.left)
        self.pages.selection_changed.connect(self.selection_changed)
        desk.paper_changed.connect(self._show_paper)
        desk.cards_changed.connect(self._show_cards)
        desk.place_wanted.connect(self.show_place)
        theme().changed.connect(self._apply_look)
        self._apply_look()

    def show_place(self, boxes: Sequence[Box]) -> None:
        """Lights a place and brings it onto the screen."""
        boxes = tuple(boxes)
        self.pages.set_marks(_PLACE, [Mark("wash", boxes, "verified"), Mark("bar", boxes, "verified")])
        if boxes:
            self.pages.reveal(boxes[0])

    def _show_paper(self) -> None:
        desk = self._desk
        opened = desk.opened
        if opened is None:
            if self._shown:
                self.pages.clear()
                self._shown, self._text = "", None
            self.header.set_name("")
        elif opened.sha256 != self._shown:
            self._shown, self._text = opened.sha256, None
            self.pages.show_pages(self._context.bridge.documents, opened.sha256, opened.pages)
            self.header.set_name(desk.paper.document.filename if desk.paper else "")
        if self._shown and desk.parsed is not None and desk.parsed is not self._text:
            self._text = desk.parsed
            self.pages.set_text(desk.parsed.paragraphs)
        self._show_cards()

    def _show_cards(self) -> None:
        cards = self._desk.cards if self._shown else ()
        marks = [
            Mark("bar", card.boxes, "linked", f"card:{card.id}", str(number) if number < 10 else "")
            for number, card in enumerate(cards, start=1)
        ]
        self.pages.set_marks(_CARDS, marks)

    def _apply_look(self) -> None:
        look: Look = "paper"
        if theme().tokens.scheme == "dark":
            chosen = self._context.settings.text("documents.dark_page")
            look = next((one for one in _LOOKS if one == chosen), "paper")
        self.pages.set_look(look)
