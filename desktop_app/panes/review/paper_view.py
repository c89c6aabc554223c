"""The paper: its pages with the places that matter marked on them, or what a model gets of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.panes.review.model_view import ModelView, findings_of, summary
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel, hairline, set_role, text_label
from desktop_app.widgets.page_header import PageHeader
from desktop_app.widgets.pdf_marks import Mark
from desktop_app.widgets.pdf_pages import Look
from desktop_app.widgets.pdf_view import PdfView
from engine.documents.hidden import Finding
from engine.documents.records import Box
from engine.errors import BadInput
from engine.review_drafting.evidence import card_of
from engine.review_drafting.store import EvidenceCard

_LOOKS: tuple[Look, ...] = ("paper", "sepia", "inverted")
_PLACE, _CARDS, _FINDINGS = "place", "cards", "findings"


_LONGEST = 200
"""So many characters of what was found stand above the pages."""


def _lines(boxes: Sequence[Box]) -> tuple[Box, ...]:
    """Boxes of words as one box a line."""
    lines: list[Box] = []
    for box in boxes:
        last = lines[-1] if lines else None
        if last is not None and last.page == box.page and min(last.y1, box.y1) - max(last.y0, box.y0) > 0:
            lines[-1] = Box(
                box.page, min(last.x0, box.x0), min(last.y0, box.y0), max(last.x1, box.x1), max(last.y1, box.y1)
            )
        else:
            lines.append(box)
    return tuple(lines)


def _holds(outer: Box, inner: Box) -> bool:
    """Whether a line stands in another one; heights differ by how they were measured."""
    middle = (inner.y0 + inner.y1) / 2
    across = outer.x0 - 1 <= inner.x0 and inner.x1 <= outer.x1 + 1
    return outer.page == inner.page and across and outer.y0 <= middle <= outer.y1


class PaperView(QWidget):
    """Shows the paper at hand of a desk, and the place that is asked for."""

    left = Signal()
    """Escape: the keyboard goes back to the form."""
    selection_changed = Signal()
    card_chosen = Signal(str)
    """A click on the mark of an evidence card: its id."""

    def __init__(self, context: AppContext, desk: ReviewDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._desk = context, desk
        self.pages = PdfView("Paper", self)
        self.header = PageHeader("Paper", self.pages, self)
        self.model_view = ModelView(desk, self)
        self.model_view.place_wanted.connect(self.show_finding)
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self.pages)
        self.stack.addWidget(self.model_view)
        self._shown = ""
        self._text: object = None
        self._finding = -1
        self._place: tuple[Box, ...] = ()
        self.strip = self._build_strip(context)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(hairline(parent=self))
        layout.addWidget(self.strip)
        layout.addWidget(self.stack, 1)
        self.setMinimumWidth(300)
        self.pages.left.connect(self.left)
        self.pages.selection_changed.connect(self.selection_changed)
        self.pages.mark_chosen.connect(self._mark_chosen)
        desk.paper_changed.connect(self._show_paper)
        desk.cards_changed.connect(self._show_cards)
        desk.place_wanted.connect(self.show_place)
        theme().changed.connect(self._apply_look)
        self._apply_look()

    def _build_strip(self, context: AppContext) -> QWidget:
        """What is hidden in the file, in one line, with the keys that show it."""
        strip = QWidget(self)
        strip.setProperty("role", "surface")
        strip.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        rows = QVBoxLayout(strip)
        rows.setContentsMargins(12, 4, 8, 4)
        rows.setSpacing(2)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.warning = ElidedLabel("small", strip)
        self.warning.setAccessibleName("Hidden text in the paper")
        row.addWidget(self.warning, 1)
        self.detail = text_label("", "small", wrap=True, parent=strip)
        self.detail.setAccessibleName("The finding at hand")
        self.detail.hide()
        rows.addLayout(row)
        rows.addWidget(self.detail)
        for name, words in (("finding", "Show"), ("sees", "What the model sees")):
            button = CommandButton(context.commands, f"review.{name}", text=words, quiet=True, parent=strip)
            KeepsKeys(button)
            row.addWidget(button)
            if name == "finding":
                self._next = button
        return strip

    # --- places ---------------------------------------------------------------------------------------------------

    def show_place(self, boxes: Sequence[Box]) -> None:
        """Lights a place and brings it onto the screen."""
        self._place = tuple(boxes)
        self.show_pages()
        self._light()

    def _light(self) -> None:
        """Lights the place as soon as there are pages to light it on."""
        if not self._shown:
            return
        boxes = self._place
        self.pages.set_marks(_PLACE, [Mark("find", boxes, "attention"), Mark("bar", boxes, "attention")])
        if boxes:
            self.pages.reveal(boxes[0])

    def show_pages(self) -> None:
        """The pages as they are printed."""
        self.stack.setCurrentWidget(self.pages)

    @property
    def shows_model(self) -> bool:
        """Whether what the model sees is shown in the place of the pages."""
        return self.stack.currentWidget() is self.model_view

    def toggle_model(self) -> None:
        """Changes between the pages and what the model sees."""
        if self.shows_model:
            self.show_pages()
            self.pages.setFocus()
        else:
            self.stack.setCurrentWidget(self.model_view)
            self.model_view.show_paper()
            self.model_view.text.setFocus()

    def has_findings(self) -> bool:
        return bool(findings_of(self._desk.inspection))

    def next_finding(self) -> None:
        """Shows the next place where the file hides something or speaks to reviewers."""
        found = findings_of(self._desk.inspection)
        if found:
            self._finding = (self._finding + 1) % len(found)
            self.show_finding(found[self._finding])

    def show_finding(self, finding: Finding) -> None:
        """Shows where a finding stands, and says what it is."""
        where = f"Page {finding.page}" if finding.page else "The file"
        words = " ".join(finding.text.split())
        short = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
        self.detail.setText(f"{where}: {finding.why}: “{short}”")
        self.detail.setToolTip(words)
        if finding.boxes:
            self.show_place(_lines(finding.boxes))

    # --- evidence -------------------------------------------------------------------------------------------------

    def selected_card(self) -> EvidenceCard:
        """A card of what is selected, or of the sentence at the caret. Raises BadInput where there is neither."""
        pages, places = self.pages, self._desk.places
        chosen = pages.selection
        if chosen is None and pages.caret is not None:
            chosen = pages.text.around(pages.caret, "sentence")
        if chosen is None or places is None:
            raise BadInput(
                "Nothing is selected in the paper.", "No card was made.", "Select the words that matter first."
            )
        first, last = chosen
        return card_of(places, (first.paragraph, first.offset), (last.paragraph, last.offset))

    def has_selection(self) -> bool:
        return self.pages.selection is not None or self.pages.caret is not None

    def drop_selection(self) -> None:
        """What was selected became a card; the caret stays at its end."""
        if self.pages.selection is not None:
            self.pages.set_caret(self.pages.selection[1])

    def _mark_chosen(self, key: str) -> None:
        what, _, which = key.partition(":")
        if what == "card":
            self.card_chosen.emit(which)
        elif what == "finding":
            self._finding = int(which)
            self.show_finding(findings_of(self._desk.inspection)[self._finding])

    # --- showing --------------------------------------------------------------------------------------------------

    def _show_paper(self) -> None:
        desk = self._desk
        opened = desk.opened
        if opened is None:
            self._place, self._finding = (), -1
            if self._shown:
                self.pages.clear()
                self._shown, self._text = "", None
            self.header.set_name("")
        elif opened.sha256 != self._shown:
            self._shown, self._text = opened.sha256, None
            self.pages.show_pages(self._context.bridge.documents, opened.sha256, opened.pages)
            self.header.set_name(desk.paper.document.filename if desk.paper else "")
            self._light()
        if self._shown and desk.parsed is not None and desk.parsed is not self._text:
            self._text = desk.parsed
            self.pages.set_text(desk.parsed.paragraphs)
        self._show_findings()
        self._show_cards()

    def _show_findings(self) -> None:
        inspection = self._desk.inspection
        found = findings_of(inspection) if self._shown else ()
        marks: list[Mark] = []
        for number, finding in enumerate(found):
            lines, key = _lines(finding.boxes), f"finding:{number}"
            if any(_holds(other, line) for mark in marks for other in mark.boxes for line in lines[:1]):
                continue  # a phrase within what is hidden has its frame already
            note = f"{finding.why}: {finding.text}"
            marks.append(Mark("frame", lines, "unsupported", key, note=note))
            marks.append(Mark("bar", lines[:1], "unsupported", key, "!", note))
        self.pages.set_marks(_FINDINGS, marks)
        told = summary(inspection) if self._desk.paper is not None else ""
        missed = self._desk.paper is not None and inspection is not None and not inspection.complete
        self.warning.setText("Hidden text" if found else "Not fully examined" if missed else told)
        set_role(self.warning, "danger" if found or missed else "small")
        if self._finding < 0 or not found:
            self._finding = -1
            self.detail.setText(told)
        self.detail.setVisible(bool(found or missed))
        self._next.setVisible(bool(found))
        self._context.commands.state_changed.emit()

    def _show_cards(self) -> None:
        cards = self._desk.cards if self._shown else ()
        marks = [
            Mark(shape, card.boxes, "linked", f"card:{card.id}", str(number) if number < 10 else "", card.note)
            for number, card in enumerate(cards, start=1)
            for shape in ("wash", "bar")
        ]
        self.pages.set_marks(_CARDS, marks)

    def _apply_look(self) -> None:
        look: Look = "paper"
        if theme().tokens.scheme == "dark":
            chosen = self._context.settings.text("documents.dark_page")
            look = next((one for one in _LOOKS if one == chosen), "paper")
        self.pages.set_look(look)
