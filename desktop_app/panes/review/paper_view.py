"""The paper: its pages with marks for evidence and hidden text, or the text that a model would see."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from desktop_app.panes.review.session import ReviewSession
from desktop_app.theme import theme
from desktop_app.widgets.entry_list import ROW_HEIGHT, TwoLineList, TwoLines
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.labels import ElidedLabel, hairline, named, plain_text, set_role, text_label
from desktop_app.widgets.layouts import Flow, column, command_button, stacked, surface, tall_enough
from desktop_app.widgets.pdf_marks import Mark
from desktop_app.widgets.pdf_pages import wanted_look
from desktop_app.widgets.pdf_view import PageHeader, PdfView
from desktop_app.widgets.record_list import ROW
from engine.documents.hidden import Finding, Inspection, Unexamined, unexamined_words, visible_text
from engine.documents.records import Box, ParsedDocument
from engine.documents.search import by_line
from engine.errors import BadInput
from engine.review_drafting.evidence import card_of
from engine.review_drafting.store import EvidenceCard

_PLACE, _CARDS, _FINDINGS = "place", "cards", "findings"
_SHOWN = 5
_LONGEST = 200
"""Maximum number of characters of a finding shown above the pages."""


def findings_of(inspection: Inspection | None) -> tuple[Finding, ...]:
    """Returns all findings in a PDF: hidden text, then instructions to reviewers."""
    return (*inspection.hidden, *inspection.injection) if inspection is not None else ()


def summary(inspection: Inspection | None) -> str:
    if inspection is None:
        return "This file hasn't been examined for hidden text yet."
    if inspection.clean:
        return "No hidden text was found."
    missed = unexamined_words(inspection)
    if missed and not findings_of(inspection):
        return f"{missed} Models don't see the text of these pages."
    hidden, spoken = len(inspection.hidden), len(inspection.injection)
    parts = [
        f"{hidden} {'place has' if hidden == 1 else 'places have'} hidden text" if hidden else "",
        f"{spoken} {'passage addresses' if spoken == 1 else 'passages address'} the reviewer" if spoken else "",
    ]
    return f"{' and '.join(part for part in parts if part)}.{' ' if missed else ''}{missed}"


class ModelView(QWidget):
    place_wanted = Signal(object)
    """A Finding whose place should be shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: object = None
        surface(self, "What the model sees")
        self.list = TwoLineList("Hidden text", _row, self)
        self.list.activated_row.connect(self._wanted)
        self.list.clicked.connect(self._wanted)
        self.text = plain_text("What the model sees", self)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setStyleSheet("QPlainTextEdit { border: none; border-radius: 0; padding: 8px 12px; }")
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByKeyboard | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        column(self.list, hairline(parent=self), (self.text, 1), of=self)
        self._fetcher = Fetcher(self)
        theme().follow(self._restyle)

    def show_paper(self, parsed: ParsedDocument | None, inspection: Inspection | None) -> None:
        now = (parsed, inspection)
        if not self.isVisible() or now == self._shown:
            return
        self._shown = now
        rows = (*findings_of(inspection), *(inspection.unexamined if inspection is not None else ()))
        self.list.show_rows(rows)
        self.list.setVisible(bool(rows))
        self.list.setFixedHeight(min(len(rows), _SHOWN) * theme().px(ROW_HEIGHT) + 1)
        self._fetcher.forget()
        self.text.clear()
        if parsed is not None and inspection is not None:
            self._fetcher.fetch("visible", lambda: visible_text(parsed, inspection), self.text.setPlainText)

    def _wanted(self, index: QModelIndex) -> None:
        if isinstance(found := index.data(ROW), Finding):
            self.place_wanted.emit(found)

    def _restyle(self) -> None:
        self.text.setFont(theme().reading_font(14))


def _row(one: Finding | Unexamined) -> TwoLines:
    if not isinstance(one, Finding):
        return TwoLines("warning", f"Page {one.page}" if one.page else "Part of the file", f"Not examined: {one.why}")
    detail, words = f"{f'Page {one.page} · ' if one.page else ''}{one.why}", " ".join(one.text.split())
    return TwoLines("warning", words, detail, tip=f"{detail}\n{words}")


def _holds(outer: Box, inner: Box) -> bool:
    """Returns whether a line is inside another; heights are ignored because they are measured differently."""
    middle = (inner.y0 + inner.y1) / 2
    across = outer.x0 - 1 <= inner.x0 and inner.x1 <= outer.x1 + 1
    return outer.page == inner.page and across and outer.y0 <= middle <= outer.y1


class PaperView(QWidget):
    """Shows the paper of a session and highlights places in it."""

    card_chosen = Signal(str)
    """The mark of the evidence card with this id was clicked."""

    def __init__(self, session: ReviewSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._state = session.context, session.state
        self.pages = PdfView("Paper", self)
        self.header = PageHeader("Paper", self.pages, self)
        self.model_view = ModelView(self)
        self.model_view.place_wanted.connect(self.show_finding)
        self.stack = stacked(self, self.pages, self.model_view)
        self._shown = ""
        self._text: object = None
        self._finding = -1
        self._place: tuple[Box, ...] = ()
        self.strip = self._build_strip()
        column(self.header, hairline(parent=self), self.strip, (self.stack, 1), of=self)
        self.pages.mark_chosen.connect(self._mark_chosen)
        session.paper_changed.connect(self._show_paper)
        session.cards_changed.connect(self._show_cards)
        session.place_wanted.connect(self.show_place)
        theme().follow(self._apply_look)

    def _build_strip(self) -> QWidget:
        """Builds a line that says whether the file contains hidden text, with commands to show it."""
        strip, registry = surface(QWidget(self), "Hidden text"), self._context.commands
        self.warning = named(ElidedLabel("small", strip), "Hidden text in the paper")
        self.detail = named(text_label("", "small", wrap=True, parent=strip), "Hidden text found")
        self.detail.hide()
        self._next = command_button(registry, "review.finding", "Show", strip, quiet=True)
        sees = command_button(registry, "review.sees", "What the model sees", strip, quiet=True, show_key=False)
        self.warning.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        line = Flow(self.warning, None, self._next, sees)
        column(line, self.detail, margins=(12, 4, 8, 4), spacing=2, of=strip)
        tall_enough(strip)
        return strip

    def show_place(self, boxes: Sequence[Box]) -> None:
        self._place = tuple(boxes)
        self.show_pages()
        self._light()

    def _light(self) -> None:
        """Highlights the place as soon as pages are available."""
        if not self._shown:
            return
        boxes = self._place
        self.pages.set_marks(_PLACE, [Mark("find", boxes, "attention"), Mark("bar", boxes, "attention")])
        if boxes:
            self.pages.reveal(boxes[0])

    def show_pages(self) -> None:
        self.stack.setCurrentWidget(self.pages)

    @property
    def shows_model(self) -> bool:
        return self.stack.currentWidget() is self.model_view

    def toggle_model(self) -> None:
        if self.shows_model:
            self.show_pages()
            self.pages.setFocus()
        else:
            self.stack.setCurrentWidget(self.model_view)
            self.model_view.show_paper(self._state.parsed, self._state.inspection)
            self.model_view.text.setFocus()

    def has_findings(self) -> bool:
        return bool(findings_of(self._state.inspection))

    def next_finding(self) -> None:
        found = findings_of(self._state.inspection)
        if found:
            self._finding = (self._finding + 1) % len(found)
            self.show_finding(found[self._finding])

    def show_finding(self, finding: Finding) -> None:
        where = f"Page {finding.page}" if finding.page else "The file"
        words = " ".join(finding.text.split())
        short = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
        self.detail.setText(f"{where}: {finding.why}: “{short}”")
        self.detail.setToolTip(words)
        if finding.boxes:
            self.show_place(by_line(finding.boxes))

    def selected_card(self) -> EvidenceCard:
        """Returns a card for the selected words, or the sentence at the caret. Raises BadInput if there is neither."""
        pages, places = self.pages, self._state.places
        chosen = pages.selection
        if chosen is None and pages.caret is not None:
            chosen = pages.text.around(pages.caret, "sentence")
        if chosen is None or places is None:
            raise BadInput(
                "No words are selected in the paper.", "No card was added.", "Select the relevant words first."
            )
        first, last = chosen
        return card_of(places, (first.paragraph, first.offset), (last.paragraph, last.offset))

    def has_selection(self) -> bool:
        return self.pages.selection is not None or self.pages.caret is not None

    def drop_selection(self) -> None:
        """Clears the selection; the caret stays at its end."""
        if self.pages.selection is not None:
            self.pages.set_caret(self.pages.selection[1])

    def _mark_chosen(self, key: str) -> None:
        what, _, which = key.partition(":")
        if what == "card":
            self.card_chosen.emit(which)
        elif what == "finding":
            self._finding = int(which)
            self.show_finding(findings_of(self._state.inspection)[self._finding])

    def _show_paper(self) -> None:
        state = self._state
        opened = state.opened
        if opened is None:
            self._place, self._finding = (), -1
            if self._shown:
                self.pages.clear()
                self._shown, self._text = "", None
            self.header.set_name("")
        elif opened.sha256 != self._shown:
            self._shown, self._text = opened.sha256, None
            self.pages.show_pages(self._context.bridge.documents, opened.sha256, opened.pages)
            self.header.set_name(state.paper.document.filename if state.paper else "")
            self._light()
        if self._shown and state.parsed is not None and state.parsed is not self._text:
            self._text = state.parsed
            self.pages.set_text(state.parsed.paragraphs, state.parsed.doubtful)
        self.model_view.show_paper(state.parsed, state.inspection)
        self._show_findings()
        self._show_cards()

    def _show_findings(self) -> None:
        inspection = self._state.inspection
        found = findings_of(inspection) if self._shown else ()
        marks: list[Mark] = []
        for number, finding in enumerate(found):
            lines, key = by_line(finding.boxes), f"finding:{number}"
            if any(_holds(other, line) for mark in marks for other in mark.boxes for line in lines[:1]):
                continue  # part of hidden text that is already framed
            note = f"{finding.why}: {finding.text}"
            marks.append(Mark("frame", lines, "unsupported", key, note=note))
            marks.append(Mark("bar", lines[:1], "unsupported", key, "!", note))
        self.pages.set_marks(_FINDINGS, marks)
        said = summary(inspection) if self._state.paper is not None else ""
        missed = self._state.paper is not None and inspection is not None and not inspection.complete
        self.warning.setText("Hidden text" if found else "Not fully examined" if missed else said)
        set_role(self.warning, "danger" if found or missed else "small")
        if self._finding < 0 or not found:
            self._finding = -1
            self.detail.setText(said)
        self.detail.setVisible(bool(found or missed))
        self._next.setVisible(bool(found))
        self._context.commands.state_changed.emit()

    def _show_cards(self) -> None:
        cards = self._state.cards if self._shown else ()
        marks = [
            Mark(shape, card.boxes, "linked", f"card:{card.id}", str(number) if number < 10 else "", card.note)
            for number, card in enumerate(cards, start=1)
            for shape in ("wash", "bar")
        ]
        self.pages.set_marks(_CARDS, marks)

    def _apply_look(self) -> None:
        self.pages.set_look(wanted_look(self._context.settings.text("documents.dark_page")))
