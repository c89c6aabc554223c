"""The Review pane: the paper, the venue's form, and evidence that connects criticism with places in the paper."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QWidget

from desktop_app import if_any, present
from desktop_app.commands import CommandRegistry
from desktop_app.panes.base import ACT, AppContext, Pane
from desktop_app.panes.review.choices import DRAWER_MENU
from desktop_app.panes.review.drawer import Drawer
from desktop_app.panes.review.form_view import FormView
from desktop_app.panes.review.paper_view import PaperView
from desktop_app.panes.review.session import ReviewOpinions, ReviewSession
from desktop_app.panes.review.side_column import EvidenceView, SentencePanel, looks_of
from desktop_app.panes.review.state import TABLES
from desktop_app.widgets.banner import Notice, show_folder
from desktop_app.widgets.command_menu import CommandMenuButton
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.keys import FileDrop, Items, KeyBar
from desktop_app.widgets.labels import ScrolledColumn, hairline, scrolled, text_label
from desktop_app.widgets.layouts import Parts, column, command_button, row, splitter, stacked, surface
from engine import user_files
from engine.exchange.encoding import read_text
from engine.exchange.review_form import own_forms, read_form
from engine.operations.search_store import Found
from engine.project import Changes
from engine.review_drafting.form_files import FORMS, folder
from engine.review_drafting.forms import ReviewForm, shipped
from engine.review_drafting.store import EvidenceCard
from engine.shown import counted


class BeginPage(QWidget):
    def __init__(
        self, registry: CommandRegistry, forms: Mapping[str, ReviewForm], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        page = surface(QWidget(), "Start a review")
        offered = [(f"begin_{key}", form.title, form.note) for key, form in forms.items()]
        imported = ("import_form", "Other form from OpenReview…", "An OpenReview invitation as a JSON file.")
        words = "Choose the form of the venue. You can change it later and keep your text."
        rows: list[Parts] = [
            None, text_label("Start a review", "title", parent=page), text_label(words, "muted", wrap=True), 12,
        ]  # fmt: skip
        self.buttons = []
        for name, title, note in (*offered, imported):
            self.buttons.append(command_button(registry, f"review.{name}", title, page))
            notes = [text_label(note, "small", wrap=True, parent=page)] if note else []
            rows += [self.buttons[-1], *notes, 8]
        column(*rows, (None, 2), margins=(24, 24, 24, 24), spacing=6, of=page)
        column(scrolled(page, "Start a review", self, sideways=True), of=self)

    def take_focus(self) -> None:
        self.buttons[0].setFocus(Qt.FocusReason.ShortcutFocusReason)


_KEYS_SHOWN: Items = (
    (("read",), "paper"), (("write",), "review"), (("card",), "add card"), (("note",), "edit note"),
    (("insert_1",), "insert card 1"), (("next_open",), "next to check"), (("go",), "show place"),
    (("ask", "drop"), "ask, delete"), (("previous_field", "next_field"), "field"), (("sees",), "what the model sees"),
    (("drawer",), "drawer"),
)  # fmt: skip


_FOLDER = "forms_folder"


def _ids(*verbs: str) -> tuple[str, ...]:
    """Returns the command ids of a menu; "" is a separator."""
    return tuple(f"review.{verb}" if verb else "" for verb in verbs)


class ReviewPane(Pane):
    """Paper on the left, form in the middle, evidence and current sentence on the right, drawer below."""

    pane_id = "review"
    purpose = (
        "Write a review of a PDF that stays on this computer. Rejoinder checks each sentence against the paper, and "
        "asks before it exports one that is contradicted or not found. Start by adding the paper."
    )
    tables = TABLES
    first_step = "review.import"
    search_hint = "Find in the paper"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.session = ReviewSession(self.make_tools(self._finish))
        self.state = self.session.state
        self._stale: set[str] = set(TABLES)
        self._make_parts()
        self._lay_out()
        self._connect()
        FileDrop(self, lambda path: path.suffix.lower() == ".pdf", lambda: self.state.can_write, self.add_papers)

    def _make_parts(self) -> None:
        registry, own = self.context.commands, own_forms()
        ways = {key: form for key, form in own.forms.items() if f"{self.pane_id}.begin_{key}" in registry}
        self.forms: Mapping[str, ReviewForm] = {key: shipped(key) for key in FORMS} | ways
        self._unread = own.problems
        self.paper_box = self._box("Paper to review", self.session.choose_paper)
        self.draft_box = self._box("Review", self.session.choose_draft)
        self.new_button = self._menu("New", _ids("import", "", *(f"begin_{key}" for key in self.forms), "", _FOLDER))
        changes = (*(f"form_{key}" for key in self.forms), "import_form", _FOLDER)
        self.draft_button = self._menu("This review", _ids("rename", "", *changes, "", "ask_model", "", "remove_draft"))
        self.drawer_button = self._menu("Tools", DRAWER_MENU)
        self.paper_view = PaperView(self.session, self.body)
        self.form_view = FormView(self.session, self.body)
        self.begin_page = BeginPage(registry, self.forms, self.body)
        self.evidence = EvidenceView(registry, self.body)
        self.sentence = SentencePanel(registry, self.body)
        self.opinions = ReviewOpinions(self.session)
        self.drawer = Drawer(self.session, self.body)

    def _lay_out(self) -> None:
        body = self.body
        self.form_stack = stacked(body, self.begin_page, self.form_view)
        self.side = splitter((self.evidence, 380, 0), (self.sentence, 300, 0), vertical=True, parent=body)
        beside = ScrolledColumn("Evidence and sentence", body)  # scrolls, so that the drawer keeps its height
        beside.setWidget(self.side)
        self.columns = splitter((self.paper_view, 460, 6), (self.form_stack, 400, 5), (beside, 250, 2), parent=body)
        split = splitter((self.columns, 500, 1), (self.drawer, 272, 0), vertical=True, parent=body)
        head = row(
            (self.paper_box, 3), (self.draft_box, 2), self.new_button, self.draft_button, self.drawer_button,
            margins=(12, 4, 8, 4),
        )  # fmt: skip
        keys = KeyBar(self.context.commands, self.pane_id, _KEYS_SHOWN, body)
        column(head, hairline(parent=body), (split, 1), keys, of=body)

    def _connect(self) -> None:
        session, state, form = self.session, self.state, self.form_view
        state_changed = self.context.commands.state_changed
        session.paper_changed.connect(self._show)
        session.draft_changed.connect(self._show)
        session.cards_changed.connect(self._show_cards)
        session.field_changed.connect(lambda _field: self._show_status())
        self.context.commands.changed.connect(self._show_cards)
        self.paper_view.pages.left.connect(self.write)
        self.paper_view.pages.selection_changed.connect(state_changed)
        self.paper_view.card_chosen.connect(self.evidence.choose)
        form.claim_changed.connect(self._show_claim)
        self.opinions.changed.connect(self._show_claim)
        form.checked.connect(self._show_status)
        form.go_wanted.connect(self.go_to_place)
        form.left.connect(self.evidence.list.setFocus)
        self.evidence.insert_wanted.connect(lambda key: self.insert_card(state.card(key)))
        self.evidence.changed.connect(lambda *change: session.act(lambda: state.update_card(*change)))
        self.evidence.moved.connect(lambda key, before: session.act(lambda: state.store.move_card(key, before)))
        self.sentence.place_wanted.connect(session.show)
        self.drawer.field_wanted.connect(form.choose_span)
        self.drawer.runs.inserted.connect(form.show_end)
        self.drawer.closed.connect(self.write)

    def _box(self, name: str, chosen: Callable[[str], object]) -> ChoiceBox:
        box = ChoiceBox(name, letters=12, parent=self.body)
        box.picked.connect(self._finish)
        box.picked.connect(chosen)
        return box

    def _finish(self) -> None:
        self.form_view.finish()

    def _menu(self, words: str, commands: Sequence[str]) -> CommandMenuButton:
        button = CommandMenuButton(self.context.commands, commands, words, self.body)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def project_set(self) -> None:
        self._stale = set(TABLES)
        self.session.set_project(self.project)
        self._show_unread()

    def is_empty(self) -> bool:
        return not self.state.has_papers()

    def on_changes(self, changes: Changes) -> None:
        touched = changes.tables & TABLES
        if touched:
            self._stale |= touched
            super().on_changes(changes)

    def paper_changed(self) -> None:
        self.form_view.finish()
        self._stale.add("paper")
        super().paper_changed()

    def refresh(self) -> None:
        stale, self._stale = self._stale, set()
        self.state.follow(self.paper_id)
        self.session.read(stale)
        self._show()

    def search(self, text: str) -> None:
        self.paper_view.show_pages()
        self.paper_view.pages.find_text(text)

    def search_next(self, forward: bool = True) -> None:
        self.paper_view.pages.find_next(1 if forward else -1)

    def show_found(self, found: Found) -> None:
        self.form_view.finish()
        self.session.choose_draft(found.id)

    def take_focus(self) -> None:
        self.write()

    def ask_for_paper(self) -> None:
        path = self.context.files.open_file(self, "Add paper", "PDF (*.pdf)")
        if path is not None:
            self.form_view.finish()
            self.add_paper(path)
            self.write()

    def add_papers(self, paths: Sequence[Path]) -> None:
        for path in paths:
            self.add_paper(path)

    def add_paper(self, path: Path) -> None:
        if self.session.act(lambda: self.state.add_paper(path)):
            self.session.read()

    def begin(self, key: str) -> None:
        self.form_view.finish()
        self._begin(self.forms[key])

    def _begin(self, form: ReviewForm) -> None:
        if self.session.act(lambda: self.state.begin(form)):
            self.session.read()
        self.write()

    def change_form(self, key: str) -> None:
        self.session.tools.do(self.state.set_form, self.forms[key])

    def import_form(self, path: Path) -> None:
        self.form_view.finish()
        form = self.result(lambda: read_form(read_text(path).text, path.name))
        if form is None:
            return
        if self.state.draft is None:
            self._begin(form)
        elif self.session.act(lambda: self.state.set_form(form)):
            self.write()

    def open_forms_folder(self) -> None:
        if self.act(lambda: user_files.make_folder(folder())):
            show_folder(folder())

    def _show_unread(self) -> None:
        if self._unread:
            what = f"{counted(len(self._unread), 'review form')} of yours couldn't be read: {' '.join(self._unread)}"
            means, do = "The other forms can be used.", "Correct the file or move it away, then restart Rejoinder."
            shown = ("Open forms folder", self.open_forms_folder)
            self.banner.show_notice(Notice("forms", what, means, do, actions=(shown,)))

    def ask_for_title(self) -> None:
        before = present(self.state.draft).title
        title, accepted = QInputDialog.getText(self, "Rename review", "Title:", text=before)
        if accepted:
            self.session.act(lambda: self.state.rename(title))

    def read_paper(self) -> None:
        self.paper_view.show_pages()
        self.paper_view.pages.start_caret()

    def write(self) -> None:
        if self.state.draft is not None:
            self.form_view.take_focus()
        elif self.state.can_begin:
            self.begin_page.take_focus()
        else:
            self.paper_view.pages.setFocus()

    def step_open(self, by: int) -> None:
        if self.form_view.step_open(by):
            self.banner.dismiss(ACT)
        else:
            self.banner.show_notice(Notice(ACT, "No sentences to check.", kind="note"))

    def go_to_place(self) -> None:
        self.session.show(self.sentence.next_place())

    def make_card(self) -> None:
        card = self.result(lambda: self.state.add_card(self.paper_view.selected_card()))
        if card is not None:
            self.paper_view.drop_selection()
            self.evidence.choose(card.id)

    def insert_card(self, card: EvidenceCard | None) -> None:
        if_any(card, self.form_view.insert)

    def remove_card(self) -> None:
        card = present(self.evidence.card)
        self.session.act(lambda: self.state.store.remove_card(card.id))

    def _show_claim(self) -> None:
        form = self.form_view
        looks = looks_of(form.claim, form.check, self.state, self.opinions.on(form.claim))
        self.sentence.show_claim(form.claim, looks, waiting=form.check.waiting)
        self.context.commands.state_changed.emit()

    def _show_cards(self) -> None:
        titles = {field.key: field.title for field in self.state.form.fields} if self.state.form is not None else {}
        self.evidence.show_cards(self.state.cards, titles, can_write=self.state.can_write)

    def _show(self) -> None:
        state = self.state
        self.paper_box.show_entries([(p.title, p.id) for p in state.papers], state.paper.id if state.paper else "")
        self.draft_box.show_entries([(d.title, d.id) for d in state.own_drafts], state.draft.id if state.draft else "")
        begun = state.draft is not None
        for part in (self.draft_box, self.draft_button, self.side):
            part.setVisible(begun)
        self.form_stack.setCurrentWidget(self.form_view if begun else self.begin_page)
        self._show_cards()
        self._show_status()
        self.context.commands.state_changed.emit()

    def _show_status(self) -> None:
        self.set_status(self.state.summary(self.session.checker.checks))
