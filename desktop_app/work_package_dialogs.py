"""Dialogs of work packages (creating, importing results, progress, guidelines with training), and their jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from desktop_app.widgets.dialogs import DialogButtons, TypingDialog, close_button, lay_out_scrolling
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.fields import ChoiceBox, number_box
from desktop_app.widgets.labels import HtmlLabel, named, text_label
from desktop_app.widgets.layouts import Part, form_rows, row
from engine.jobs import DuplicatePolicy, Report, task
from engine.packages.records import ADJUDICATIONS, ROLES, TASKS, Role, Round, Settings
from engine.packages.store import WorkStore
from engine.project import Project
from engine.reviews.preview import preview
from engine.shown import counted, percent

if TYPE_CHECKING:
    from engine.operations.packages import Feedback, Plan
    from engine.operations.results import FileReport
    from engine.packages.progress import Progress


PANE_OF = {"papers": "linking", "reviews": "linking", "sentences": "labels", "pairs": "preferences", "survey": "survey"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The packages to write: by the ``plan`` of a new round, for ``people`` who join a round in a ``role``, or
    ``again`` for people who already have one."""

    folder: str
    plan: Plan | None = None
    round_id: str = ""
    role: Role = "annotator"
    people: tuple[str, ...] = ()
    again: bool = False


@task("packages.create", "Create work packages", DuplicatePolicy.DISCARD)
def create(report: Report, project: Project, wanted: Wanted) -> tuple[str, ...]:
    from engine.operations.packages import add_people, write_again
    from engine.operations.packages import create as deal

    if wanted.plan is not None:
        made = deal(project, wanted.plan, Path(wanted.folder), report.progress)
    else:
        round_ = next(one for one in WorkStore(project).rounds() if one.id == wanted.round_id)
        folder = Path(wanted.folder)
        if wanted.again:
            made = write_again(project, round_, wanted.people, folder)
        else:
            made = add_people(project, round_, wanted.role, wanted.people, folder)
    return tuple(map(str, made))


@task("packages.import", "Preview results", DuplicatePolicy.AFTER)
def look_into(_report: Report, project: Project, files: tuple[str, ...]) -> tuple[FileReport, ...]:
    from engine.operations.results import preview

    return preview(project, [Path(one) for one in files])


@task("packages.import", "Import results", DuplicatePolicy.AFTER)
def bring_in(_report: Report, project: Project, files: tuple[str, ...]) -> tuple[FileReport, ...]:
    from engine.operations.results import import_results

    return import_results(project, [Path(one) for one in files])


@task("packages.progress", "Progress of work packages", DuplicatePolicy.REPLACE)
def progress(_report: Report, project: Project) -> tuple[tuple[Round, tuple[Progress, ...]], ...]:
    from engine.operations.packages import progress as found

    return tuple((made, found(project, made)) for made in reversed(WorkStore(project).rounds()))


def people_of(text: str) -> tuple[str, ...]:
    """Parses names, one per line, without duplicates."""
    return tuple(dict.fromkeys(name for line in text.splitlines() if (name := " ".join(line.split()))))


def progress_row(one: Progress) -> tuple[str, ...]:
    """Returns a person's row of the table, with dashes for unknown values."""
    rate, alike, kappa = one.pace.per_hour, one.agreed, one.kappa
    return (
        one.person, one.role, f"{one.decided:,} of {one.units:,}", f"{rate:,.0f}" if rate == rate else "–",  # noqa: PLR0124
        f"{one.right} of {one.training}" if one.training else "–",
        f"{percent(alike.value)} of {alike.n:,}" if alike.known else "–",
        f"{kappa.shown()}{kappa.span(' ({:.2f} to {:.2f})')}" if kappa.n else "–", one.came[:10] or "–",
    )  # fmt: skip


class CreateDialog(TypingDialog):
    """Asks what to write (``choice()``); its folder isn't chosen yet."""

    def __init__(self, rounds: Sequence[Round], parent: QWidget | None = None) -> None:
        super().__init__("Create work packages", parent)
        roles = [(words, role) for role, words in _ROLE_NAMES.items() if role == "annotator" or rounds]
        self.role = ChoiceBox("For", roles, letters=14, parent=self)
        self.round = ChoiceBox("Round", [(made.title, made) for made in reversed(rounds)], letters=24, parent=self)
        self.title = named(QLineEdit(), "Title")
        self.task = ChoiceBox("Task", [(words, task) for task, words in TASKS.items()], letters=30, parent=self)
        self.task.setCurrentIndex(1)
        self.people = named(QPlainTextEdit(), "People, one name per line")
        self.people.setPlaceholderText("One name per line")
        self.overlap = number_box("Share of items given to several people", 0, 100, suffix=" %", value=20)
        self.raters = number_box("How many people get each of these items", 2, 50)
        self.training = number_box("Items you have already decided, for training", 0, 500)
        self.seed = number_box("Seed", 0, 999_999)
        self.authors = named(QCheckBox("Hide authors and leave out PDFs"), "Hide authors and leave out PDFs")
        self.names = named(QLineEdit(), "More names to hide, separated by semicolons")
        self.names.setPlaceholderText("More names, separated by semicolons")
        self.guidelines = named(QPlainTextEdit(), "Guidelines")
        self.guidelines.setPlaceholderText("Instructions for everyone (Markdown)")
        self.about = text_label("", "small", wrap=True)
        self.buttons = DialogButtons(self, "Choose folder…")
        self._lay_out()
        self.role.picked.connect(lambda _role: self._enable())
        self.round.picked.connect(lambda _round: self._enable())
        self.people.textChanged.connect(self._enable)
        self.overlap.valueChanged.connect(self._enable)
        self.raters.valueChanged.connect(self._enable)
        self._enable()

    def _lay_out(self) -> None:
        self._form = form = form_rows(
            ("For", self.role), ("Round", self.round), ("Task", self.task), ("Title", self.title),
            ("People", self.people), ("Shared items", self.overlap), ("People per shared item", self.raters),
            ("Training set", self.training), ("Seed", self.seed), ("Authors", self.authors), ("Names", self.names),
            ("Guidelines", self.guidelines),
        )  # fmt: skip
        for text in (self.people, self.guidelines):
            text.setFixedHeight(text.fontMetrics().lineSpacing() * 6)
            text.setTabChangesFocus(True)
        words = "Each person gets one file with their own items and nobody else's work."
        lay_out_scrolling(self, (text_label(words, wrap=True), form, None), [self.about, self.buttons], 90, 40)
        self.role.setFocus()  # instead of Cancel, which would have the focus

    def _enable(self) -> None:
        first = self.role.value == "annotator"
        of_round = (
            self.task, self.title, self.overlap, self.raters, self.training, self.seed, self.authors, self.names
        )  # fmt: skip
        for field in of_round:
            self._form.setRowVisible(field, first)
        self.raters.setEnabled(self.overlap.value() > 0)
        self._form.setRowVisible(self.guidelines, first)
        self._form.setRowVisible(self.round, not first)
        people = people_of(self.people.toPlainText())
        needed = self.raters.value() if first and self.overlap.value() else 1
        task = self.round.value.task if not first and self.round.value is not None else ""
        adjudicates = self.role.value != "adjudicator" or task in ADJUDICATIONS
        words = "." if adjudicates else ". These decisions have no adjudication."
        names = f" Enter at least {counted(needed, 'name')}." if len(people) < needed else ""
        self.about.setText(f"{ROLES[self.role.value]}{words}{names}")
        self.buttons.ok.setEnabled(len(people) >= needed and adjudicates)

    def choice(self) -> Wanted:
        from engine.operations.packages import Plan

        people = people_of(self.people.toPlainText())
        if self.role.value != "annotator":
            return Wanted("", None, self.round.value.id, self.role.value, people)
        names = tuple(name.strip() for name in self.names.text().split(";") if name.strip())
        overlap, raters = self.overlap.value() / 100, self.raters.value()
        settings = Settings(overlap, raters, self.seed.value(), self.authors.isChecked(), names)
        title = self.title.text().strip() or TASKS[self.task.value]
        guidelines = self.guidelines.toPlainText()
        return Wanted("", Plan(title, self.task.value, people, settings, (), guidelines, self.training.value()))


_ROLE_NAMES = {"annotator": "Annotators", "adjudicator": "Adjudicators", "observer": "Observers"}


class ImportDialog(QDialog):
    """Shows what results files contain; accepting it imports them."""

    def __init__(self, found: Sequence[FileReport], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import results")
        usable = sum(one.status != "refused" for one in found)
        self.table = FactTable(
            "Contents of the files", ("File", "From", "New", "Changed", "Withdrawn", "Unchanged", "Set aside")
        )
        counts = ("added", "changed", "removed", "same", "aside")
        self.table.show_all_rows(
            [(f.filename, f.person or "not usable", *(f"{getattr(f, name):,}" for name in counts)) for f in found]
        )
        remarks = [text_label(one.sentence, "small", wrap=True) for one in found if one.status != "new" or one.left_out]
        words = (
            "The latest version of each decision counts. You can import files in any order and more than once, "
            "and you can undo the import."
        )
        self.buttons = DialogButtons(self, "Import")
        self.buttons.ok.setEnabled(usable > 0)
        parts = (text_label(words, wrap=True), self.table, *remarks, None)
        lay_out_scrolling(self, parts, [self.buttons], 110, 24)


_COMPARED = ("Agreement", "Kappa", "Results from")


def _decided(made: Round) -> str:
    """Returns the heading for the count of decided items; sentences may lack labels in some layers."""
    return "With labels" if made.task == "sentences" else "Decided"


class ProgressDialog(QDialog):
    """Shows people's progress in each round, newest first. Emits ``again`` with the package to write again; its folder
    isn't chosen yet."""

    again = Signal(object)

    def __init__(self, rounds: Sequence[tuple[Round, Sequence[Progress]]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Progress of work packages")
        self.tables = [
            FactTable(made.title, ("Person", "Role", _decided(made), "Per hour", "Training", *_COMPARED))
            for made, _ in rounds
        ]
        self.rewriting = [QPushButton("Recreate package…") for _ in rounds]
        parts: list[Part] = []
        for table, button, (made, people) in zip(self.tables, self.rewriting, rounds, strict=True):
            table.show_all_rows([progress_row(one) for one in people])
            button.setAccessibleName(f"Recreate the selected person's package of {made.title}")
            button.setToolTip(
                "Use this if someone lost their package: same items, with the results they've sent so far."
            )
            button.setEnabled(False)
            table.itemSelectionChanged.connect(lambda t=table, b=button: b.setEnabled(bool(t.selectedItems())))
            button.clicked.connect(partial(self._rewrite, table, made))
            parts += [text_label(made.title, "section"), table, row(button, None)]
        self.buttons = close_button(self)
        lay_out_scrolling(self, (*parts, None), [self.buttons], 130, 24)

    def _rewrite(self, table: FactTable, made: Round) -> None:
        person = table.item(table.currentRow(), 0)
        if person is not None:
            self.accept()
            self.again.emit(Wanted("", None, made.id, people=(person.text(),), again=True))


class GuidelinesDialog(QDialog):
    """Shows the guidelines, and the training set with the right decisions."""

    def __init__(self, made: Round, feedback: Sequence[Feedback], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Guidelines and training")
        right = sum(one.right is True for one in feedback)
        open_ = sum(one.right is None for one in feedback)
        parts = [text_label(made.title, "title", wrap=True)]
        guidelines = HtmlLabel()
        guidelines.setText(preview(made.guidelines or "This round has no guidelines.").html)
        parts.append(guidelines)
        if feedback:
            said = f"{right} of {len(feedback)} correct, {open_} not decided yet. The first items are the training set."
            parts += [text_label("Training", "section"), text_label(said, wrap=True)]
        for number, one in enumerate(feedback, start=1):
            if one.right is not None:
                words = (
                    "correct"
                    if one.right
                    else f"you chose {_words(one.own)}; the correct answer is {_words(one.known)}"
                )
                parts.append(text_label(f"{number}: {words}", wrap=True))
        self.buttons = close_button(self)
        lay_out_scrolling(self, (*parts, None), [self.buttons], 90, 30)


def _words(value: object) -> str:
    """Returns a decision as text: for links the state and number of edits, for labels the labels by layer."""
    if isinstance(value, dict) and "edits" in value:
        return f"{str(value['state']).replace('_', ' ')}, {counted(len(value['edits']), 'edit')}"
    if isinstance(value, dict):
        return "; ".join(f"{layer}: {', '.join(labels) or 'none'}" for layer, labels in value.items())
    return str(value)
