"""Review: the paper, the venue's form, and evidence in between, so that every criticism points at a place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QInputDialog,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop_app.context import AppContext
from desktop_app.panes.base import Pane
from desktop_app.panes.review.begin_page import BeginPage
from desktop_app.panes.review.commands import KEYS_SHOWN, NEW_MENU, REVIEW_MENU
from desktop_app.panes.review.desk import ACT, TABLES, ReviewDesk
from desktop_app.panes.review.drawer import Drawer
from desktop_app.panes.review.drawer_commands import DRAWER_MENU
from desktop_app.panes.review.evidence import EvidenceView
from desktop_app.panes.review.form_view import FormView
from desktop_app.panes.review.paper_view import PaperView
from desktop_app.panes.review.sentence_panel import Look, SentencePanel, looks_of
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.command_menu import CommandMenuButton
from desktop_app.widgets.key_bar import KeyBar
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline
from engine.errors import EnvironmentProblem
from engine.exchange.encoding import read_text
from engine.exchange.review_form import read_form
from engine.review_drafting.forms import shipped, state
from engine.review_drafting.grounding import Decision
from engine.review_drafting.store import EvidenceCard, Stance

if TYPE_CHECKING:
    from engine.project import Changes

_COLUMNS = "review.columns"


class ReviewPane(Pane):
    """Paper left, form in the middle, evidence and the sentence at hand right; every act is a verb of the desk."""

    pane_id = "review"
    title = "Review"
    icon = "note-pencil"
    purpose = (
        "Write a review of a PDF that does not leave this machine. What you say of the paper is looked for in it, and "
        "every criticism that leaves points at its place. Start with the paper."
    )
    tables = TABLES
    first_step = "review.import"
    search_hint = "Find in the paper"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.desk = ReviewDesk(context, self)
        self._stale: set[str] = set(TABLES)
        self._looks: tuple[Look, ...] = ()
        self._look = -1
        self._build()
        desk = self.desk
        desk.failed.connect(self.show_problem)
        desk.fault.connect(context.bridge.job_failed)
        for signal in (desk.paper_changed, desk.draft_changed):
            signal.connect(self._show)
        desk.field_changed.connect(lambda _field: self._show_standing())
        self.setAcceptDrops(True)

    # --- building -------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        registry = self.context.commands
        self.paper_box = self._box("Paper to review", self.desk.choose_paper)
        self.draft_box = self._box("Review at hand", self.desk.choose_draft)
        self.new_button = self._menu("New", NEW_MENU)
        self.draft_button = self._menu("This review", REVIEW_MENU)
        self.drawer_button = self._menu("Drawer", DRAWER_MENU)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 4)
        head.setSpacing(8)
        head.addWidget(self.paper_box, 3)
        head.addWidget(self.draft_box, 2)
        head.addWidget(self.new_button)
        head.addWidget(self.draft_button)
        head.addWidget(self.drawer_button)
        self.paper_view = PaperView(self.context, self.desk, self.body)
        self.paper_view.left.connect(self.write)
        self.paper_view.selection_changed.connect(registry.state_changed)
        self.form_view = FormView(self.desk, self.body)
        self.form_view.claim_changed.connect(self._show_claim)
        self.form_view.checked.connect(self._show_standing)
        self.form_view.go_wanted.connect(self.go_to_place)
        self.begin_page = BeginPage(registry, self.body)
        self.form_stack = QStackedWidget(self.body)
        self.form_stack.addWidget(self.begin_page)
        self.form_stack.addWidget(self.form_view)
        self.evidence = EvidenceView(registry, self.desk, self.body)
        self.evidence.insert_wanted.connect(self.insert_card_id)
        self.evidence.chosen.connect(lambda _card: registry.state_changed.emit())
        self.paper_view.card_chosen.connect(self.evidence.choose)
        self.form_view.left.connect(self.evidence.list.setFocus)
        self.sentence = SentencePanel(registry, self.body)
        self.sentence.place_wanted.connect(self.desk.show)
        self.side = QSplitter(Qt.Orientation.Vertical, self.body)
        self.side.addWidget(self.evidence)
        self.side.addWidget(self.sentence)
        self.side.setSizes([380, 300])
        self.columns = QSplitter(Qt.Orientation.Horizontal, self.body)
        for widget, stretch in ((self.paper_view, 6), (self.form_stack, 5), (self.side, 2)):
            self.columns.addWidget(widget)
            self.columns.setStretchFactor(self.columns.indexOf(widget), stretch)
        self.columns.setSizes([460, 400, 250])
        saved = self.context.state.bytes(_COLUMNS)
        if not saved.isEmpty():
            self.columns.restoreState(saved)
        self.columns.splitterMoved.connect(lambda: self.context.state.set_bytes(_COLUMNS, self.columns.saveState()))
        self.split = QSplitter(Qt.Orientation.Vertical, self.body)
        self.split.addWidget(self.columns)
        self.split.setStretchFactor(0, 1)
        self.drawer = Drawer(self.desk, self.body)
        self.drawer.acting.connect(self.form_view.finish)
        self.drawer.field_wanted.connect(self.form_view.choose_span)
        self.drawer.notice.connect(self.banner.show_notice)
        self.drawer.closed.connect(self.write)
        self.split.addWidget(self.drawer)
        for splitter in (self.side, self.columns, self.split):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.split, 1)
        layout.addWidget(KeyBar(registry, self.pane_id, KEYS_SHOWN, self.body))

    def _box(self, name: str, chosen: Callable[[str], object]) -> QComboBox:
        box = QComboBox(self.body)
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(12)
        KeepsKeys(box)
        box.activated.connect(lambda _at: self._taken(chosen, box.currentData()))
        return box

    def _taken(self, chosen: Callable[[str], object], key: str) -> None:
        self.form_view.finish()
        chosen(key)

    def _menu(self, words: str, commands: Sequence[str]) -> CommandMenuButton:
        button = CommandMenuButton(self.context.commands, commands, words, self.body)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        KeepsKeys(button)
        return button

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self._stale = set(TABLES)
        self.desk.set_project(self.project)

    def is_empty(self) -> bool:
        return not self.desk.has_papers()

    def on_changes(self, changes: Changes) -> None:
        touched = changes.tables & TABLES
        if touched:
            self._stale |= touched
            super().on_changes(changes)

    def refresh(self) -> None:
        stale, self._stale = self._stale, set()
        self.desk.read(stale)
        self._show()

    def search(self, text: str) -> None:
        self.paper_view.show_pages()
        self.paper_view.pages.find_text(text)

    def search_next(self, forward: bool = True) -> None:
        self.paper_view.pages.find_next(1 if forward else -1)

    def take_focus(self) -> None:
        self.write()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.can_write() and _pdfs(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for path in _pdfs(event):
            self.desk.add_paper(path)
        event.acceptProposedAction()

    # --- what can be done -----------------------------------------------------------------------------------------

    def can_write(self) -> bool:
        return self.desk.can_write

    def has_paper(self) -> bool:
        return self.desk.paper is not None

    def can_begin(self) -> bool:
        return self.can_write() and self.has_paper()

    def has_draft(self) -> bool:
        return self.desk.draft is not None

    def can_edit(self) -> bool:
        return self.can_write() and self.has_draft()

    def can_make_card(self) -> bool:
        return self.can_edit() and self.desk.places is not None and self.paper_view.has_selection()

    def has_card(self) -> bool:
        return self.can_edit() and self.evidence.at_hand is not None

    def has_number(self, number: int) -> bool:
        return self.can_edit() and number < len(self.desk.cards)

    def has_claim(self) -> bool:
        claim = self.form_view.claim
        return self.can_edit() and claim is not None and claim.colour in ("red", "amber")

    def can_ask(self) -> bool:
        claim = self.form_view.claim
        return self.has_claim() and claim is not None and claim.kind != "question"

    def has_place(self) -> bool:
        return any(look.boxes for look in self._looks)

    def has_tone(self) -> bool:
        return self.can_edit() and bool(self.form_view.check.tone)

    def has_findings(self) -> bool:
        return self.paper_view.has_findings()

    def model_words(self) -> str:
        return "The pages as printed" if self.paper_view.shows_model else "What the model sees"

    # --- the paper and its reviews --------------------------------------------------------------------------------

    def ask_for_paper(self) -> None:
        """Asks which PDF is to be reviewed."""
        path = self.context.files.open_file(self, "Add a paper", "PDF (*.pdf)")
        if path is not None:
            self.form_view.finish()
            self.desk.add_paper(path)
            self.write()

    def begin(self, key: str) -> None:
        """Begins a review on a form that ships."""
        self.form_view.finish()
        self.desk.begin(shipped(key))
        self.write()

    def change_form(self, key: str) -> None:
        """Puts the review on a form that ships."""
        self.form_view.finish()
        self.desk.set_form(shipped(key))

    def ask_for_form(self) -> None:
        """Asks for the file of a form."""
        path = self.context.files.open_file(self, "Import a review form", "OpenReview form (*.json)")
        if path is not None:
            self.import_form(path)

    def import_form(self, path: Path) -> None:
        """Puts the review on a form from a file, or begins one on it."""
        self.form_view.finish()
        try:
            form = read_form(read_text(path).text, path.name)
        except EnvironmentProblem as problem:
            self.show_problem(problem, ACT)
            return
        if self.desk.draft is None:
            self.desk.begin(form)
        else:
            self.desk.set_form(form)
        self.write()

    def ask_for_title(self) -> None:
        """Asks what the review is to be called."""
        draft = self.desk.draft
        if draft is not None:
            title, taken = QInputDialog.getText(self, "Rename the review", "Title", text=draft.title)
            if taken:
                self.desk.rename(title)

    # --- going about ----------------------------------------------------------------------------------------------

    def read_paper(self) -> None:
        """Puts the caret into the pages."""
        self.paper_view.show_pages()
        self.paper_view.pages.start_caret()

    def write(self) -> None:
        """Puts the cursor into the form."""
        if self.desk.draft is not None:
            self.form_view.take_focus()
        elif self.can_begin():
            self.begin_page.take_focus()
        else:
            self.paper_view.pages.setFocus()

    def step_field(self, by: int) -> None:
        self.form_view.step(by)

    def step_open(self, by: int) -> None:
        """The next sentence that wants a look."""
        if self.form_view.step_open(by):
            self.banner.dismiss(ACT)
        else:
            self.banner.show_notice(Notice(ACT, "No sentence wants a look.", kind="note"))

    def toggle_model(self) -> None:
        self.paper_view.toggle_model()
        self.context.commands.state_changed.emit()

    def next_finding(self) -> None:
        self.paper_view.next_finding()

    # --- evidence -------------------------------------------------------------------------------------------------

    def make_card(self) -> None:
        """A card of what is selected in the paper."""
        try:
            card = self.paper_view.selected_card()
        except EnvironmentProblem as problem:
            self.show_problem(problem, ACT)
            return
        made = self.desk.add_card(card)
        if made is not None:
            self.banner.dismiss(ACT)
            self.paper_view.drop_selection()
            self.evidence.choose(made.id)

    def edit_note(self) -> None:
        """Puts the cursor into the note of the card at hand."""
        self.evidence.note.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.evidence.note.selectAll()

    def step_card(self, by: int) -> None:
        self.evidence.step(by)

    def insert_card(self) -> None:
        """The card at hand goes into the review."""
        self._insert(self.evidence.at_hand)

    def insert_number(self, number: int) -> None:
        """A card by its place in the list goes into the review."""
        self._insert(self.desk.cards[number])

    def insert_card_id(self, card_id: str) -> None:
        """A card by its id goes into the review."""
        self._insert(self.desk.card(card_id))

    def _insert(self, card: EvidenceCard | None) -> None:
        if card is not None:
            self.form_view.insert(card)

    def show_card_place(self) -> None:
        """Where the card at hand stands."""
        card = self.evidence.at_hand
        if card is not None:
            self.desk.place_card(card.id)

    def set_stance(self, stance: Stance) -> None:
        self.evidence.set_stance(stance)

    def move_card(self, by: int) -> None:
        self.evidence.move_card(by)

    def remove_card(self) -> None:
        card = self.evidence.at_hand
        if card is not None:
            self.desk.remove_card(card.id)

    # --- the sentence at hand -------------------------------------------------------------------------------------

    def go_to_place(self) -> None:
        """Shows what the sentence at hand points at; again the next of its places."""
        places = [n for n, look in enumerate(self._looks) if look.boxes]
        if places:
            self._look = next((n for n in places if n > self._look), places[0])
            self.sentence.list.select_row(self._look)
            self.desk.show(self._looks[self._look].boxes)

    def decide(self, decision: Decision) -> None:
        self.form_view.decide(decision)

    def mend_tone(self) -> None:
        self.form_view.mend_tone()

    def _show_claim(self) -> None:
        form = self.form_view
        looks = looks_of(form.claim, form.check, self.desk)
        if looks != self._looks:
            self._looks, self._look = looks, -1
        self.sentence.show_claim(form.claim, looks, waiting=form.check.waiting)
        self.context.commands.state_changed.emit()

    # --- showing --------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        desk = self.desk
        _fill(self.paper_box, [(p.title, p.id) for p in desk.papers], desk.paper.id if desk.paper else "")
        _fill(self.draft_box, [(d.title, d.id) for d in desk.own_drafts], desk.draft.id if desk.draft else "")
        begun = desk.draft is not None
        self.draft_box.setVisible(begun)
        self.draft_button.setVisible(begun)
        self.form_stack.setCurrentWidget(self.form_view if begun else self.begin_page)
        self.side.setVisible(begun)
        self._show_standing()
        self.context.commands.state_changed.emit()

    def _show_standing(self) -> None:
        """How the review stands, in the status bar."""
        desk, form = self.desk, self.desk.form
        if desk.draft is None or form is None:
            self.set_status("No review of this paper was begun" if desk.paper is not None else "")
            return
        checks = [desk.checker.of(field.key) for field in form.fields]
        green, amber, red = (sum(check.count(c) for check in checks) for c in ("green", "amber", "red"))
        parts = [
            f"{green} verified" if green else "",
            f"{amber} without a place" if amber else "",
            f"{red} not in the paper" if red else "",
        ]
        missing = sum(bool(state(field, desk.fields.get(field.key, "")).problem) for field in form.fields)
        parts.append(
            f"{missing} field{'' if missing == 1 else 's'} to fill or mend" if missing else "all fields filled"
        )
        self.set_status(" · ".join(part for part in parts if part))


def _fill(box: QComboBox, listed: list[tuple[str, str]], chosen: str) -> None:
    if [(box.itemText(n), box.itemData(n)) for n in range(box.count())] != listed:
        box.clear()
        for words, key in listed:
            box.addItem(words, key)
    box.setCurrentIndex(box.findData(chosen))


def _pdfs(event: QDropEvent) -> list[Path]:
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() == ".pdf"]
