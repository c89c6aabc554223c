"""Answers that come back: merged one after the other; where something is doubtful, the person chooses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QFrame,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop_app.panes.survey.state import counted, heading
from desktop_app.widgets.dialog_buttons import DialogButtons
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.plain import literal
from engine.errors import EnvironmentProblem
from engine.expertise.merge import MergePlan
from engine.expertise.merge_store import MergeStore
from engine.expertise.records import MergeOutcome
from engine.jobs import DuplicatePolicy, Report, Task
from engine.shown import visible_line


@dataclass(frozen=True, slots=True)
class Choice:
    """What to do with a file; None: what the plan proposes."""

    outcome: MergeOutcome | None
    twin_id: str = ""
    apart: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What came of some files: how many were added, replaced, set aside and passed over, what could not be read, and
    what was told of files that needed no choice."""

    outcomes: tuple[str, ...] = ()
    problems: tuple[EnvironmentProblem, ...] = ()
    words: tuple[str, ...] = ()

    def sentence(self) -> str:
        """One line: "5 files: 3 added, 1 merged before"."""
        parts = [f"{self.outcomes.count(kind)} {kind}" for kind in dict.fromkeys(self.outcomes)]
        parts += [f"{len(self.problems)} not read"] if self.problems else []
        return f"{counted(len(self.outcomes) + len(self.problems), 'file', 'files')}: {', '.join(parts)}."


@dataclass(frozen=True, slots=True)
class MergeFiles:
    """Files to merge one after the other; ``chosen`` is what the person decided on the one before them."""

    study_id: str
    paths: tuple[str, ...]
    report: MergeReport = MergeReport()
    chosen: tuple[MergePlan, Choice] | None = None


@dataclass(frozen=True, slots=True)
class MergedSoFar:
    """The report; where a file needs a choice, its plan, and the files that wait behind it."""

    report: MergeReport
    asks: MergePlan | None = None
    left: tuple[str, ...] = ()


def merge_files(store: MergeStore, params: MergeFiles) -> Task[MergeFiles, MergedSoFar]:
    """Merges until a file needs a choice, or all are done. Each file is planned when those before it are merged, since
    what one brings may be what the next is compared with."""
    return Task(
        "survey.merge", "Merge answers", partial(_merge, store), params, DuplicatePolicy.AFTER, scope=params.study_id
    )


def _merge(store: MergeStore, params: MergeFiles, report: Report) -> MergedSoFar:
    from engine.exchange.study_file import read_answers_file

    done = params.report
    if params.chosen is not None:
        done = _apply(store, done, *params.chosen)
    for place, name in enumerate(params.paths):
        path = Path(name)
        report.progress(place / len(params.paths), path.name)
        try:
            plan = store.plan(params.study_id, read_answers_file(path), path.name)
        except EnvironmentProblem as problem:
            done = replace(done, problems=(*done.problems, problem))
            continue
        if plan.needs_a_look:
            return MergedSoFar(done, plan, params.paths[place + 1 :])
        done = _apply(store, done, plan, Choice(None))
        done = replace(done, words=(*done.words, *plan.sentences))
    return MergedSoFar(done)


def _apply(store: MergeStore, done: MergeReport, plan: MergePlan, choice: Choice) -> MergeReport:
    if plan.kind == "identical":
        return replace(done, outcomes=(*done.outcomes, "merged before"))
    try:
        store.apply(plan, choice.outcome, twin_id=choice.twin_id, apart=choice.apart)
    except EnvironmentProblem as problem:
        return replace(done, problems=(*done.problems, problem))
    return replace(done, outcomes=(*done.outcomes, _DONE[choice.outcome or plan.default]))


_DONE: dict[MergeOutcome, str] = {"added": "added", "replaced": "replaced", "kept": "set aside"}
LEFT_OUT = "left out"


class MergeDialog(QDialog):
    """One file that needs a choice: what it says, where it differs, and what to do."""

    def __init__(self, plan: MergePlan, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(visible_line(f"Merge {plan.filename}"))
        self.setAccessibleName("Merge answers")
        self.resize(660, 560)
        self._group = QButtonGroup(self)
        self._choices: list[tuple[MergeOutcome, str]] = []
        self._joins: list[tuple[int, QCheckBox]] = []
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 16, 16, 8)
        column.setSpacing(8)
        column.addWidget(text_label(plan.answers.participant.name or "No name is given", "section", parent=page))
        told = [sentence for sentence in plan.sentences if "becomes" not in sentence and "no longer" not in sentence]
        for sentence in told:
            column.addWidget(text_label(sentence, wrap=True, parent=page))
        if plan.differences and plan.participant is not None:
            self._add_differences(plan, column, page)
        unsure = [join for join in plan.joins if not join.sure]
        if unsure:
            column.addSpacing(4)
            column.addWidget(text_label("Are these the same papers?", "section", parent=page))
        for join in unsure:
            box = QCheckBox(literal(f"“{heading(join.returned)}”  is  “{heading(join.known)}”"), page)
            box.setAccessibleName(f"{heading(join.returned)} is the same paper as {heading(join.known)}")
            box.setChecked(True)
            self._joins.append((join.place, box))
            column.addWidget(box)
        column.addSpacing(4)
        column.addWidget(text_label("What shall be done?", "section", parent=page))
        self._add_choices(plan, column, page)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setAccessibleName("What the file says")
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll, 1)
        foot = QVBoxLayout()
        foot.setContentsMargins(16, 0, 16, 12)
        foot.addWidget(DialogButtons(self, "Do this", "Leave this file out"))
        layout.addLayout(foot)

    def _add_differences(self, plan: MergePlan, column: QVBoxLayout, page: QWidget) -> None:
        table = FactTable("Where the file differs", ("paper", "here", "in the file"), page)
        table.show_rows(
            [
                (heading(difference.paper), _figure(difference.stored), _figure(difference.returned))
                for difference in plan.differences
            ]
        )
        table.setMinimumHeight(min(8, len(plan.differences) + 1) * 26)
        column.addWidget(table)

    def _add_choices(self, plan: MergePlan, column: QVBoxLayout, page: QWidget) -> None:
        choices: list[tuple[MergeOutcome, str, str]] = []
        if plan.participant is None:
            choices.append(("added", "", "Add as a further participant"))
            choices += [
                ("replaced", twin.id, f"The same person: take the place of the answers of {twin.name}")
                for twin in plan.twins
            ]
        else:
            choices.append(("replaced", "", "Take the answers of this file"))
            choices.append(("kept", "", "Keep the answers that are here; only note that the file came"))
        for number, (outcome, twin, words) in enumerate(choices):
            button = QRadioButton(literal(words), page)
            button.setAccessibleName(words)
            button.setChecked(outcome == plan.default and not twin)
            self._group.addButton(button, number)
            self._choices.append((outcome, twin))
            column.addWidget(button)

    def choose(self, outcome: MergeOutcome, twin_id: str = "") -> None:
        """Marks a choice."""
        self._group.button(self._choices.index((outcome, twin_id))).setChecked(True)

    def choice(self) -> Choice:
        """What is marked."""
        outcome, twin = self._choices[max(self._group.checkedId(), 0)]
        return Choice(outcome, twin, tuple(place for place, box in self._joins if not box.isChecked()))


def _figure(value: float | None) -> str:
    return "not there" if value is None else f"{value:g}"
