"""Merging answers files one after the other; the organiser decides if something is unclear."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QDialog, QDialogButtonBox, QRadioButton, QWidget

from desktop_app.engine_bridge import EngineBridge
from desktop_app.panes.survey.state import heading
from desktop_app.widgets.dialogs import DialogButtons, lay_out_scrolling
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.labels import literal, named, text_label
from desktop_app.widgets.layouts import Parts
from engine.errors import EnvironmentProblem
from engine.expertise.merge import MergePlan, difference_sentence
from engine.expertise.merge_store import MergeStore
from engine.expertise.records import MergeOutcome
from engine.jobs import DuplicatePolicy, Report, task
from engine.project import Project
from engine.shown import counted, shortened, visible_line


@dataclass(frozen=True, slots=True)
class Choice:
    """What to do with a file; None accepts the plan's default."""

    outcome: MergeOutcome | None
    twin_id: str = ""
    apart: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What was done with each file, which couldn't be read, and messages about files that needed no choice."""

    outcomes: tuple[str, ...] = ()
    problems: tuple[EnvironmentProblem, ...] = ()
    sentences: tuple[str, ...] = ()
    cancelled: bool = False

    @property
    def messages(self) -> tuple[str, ...]:
        """All messages, starting with the files that couldn't be read."""
        return (*map(str, self.problems), *self.sentences)

    def sentence(self) -> str:
        """Returns a summary, such as "5 files: 3 added, 1 already merged"."""
        parts = [f"{self.outcomes.count(kind)} {kind}" for kind in dict.fromkeys(self.outcomes)]
        parts += [f"{len(self.problems)} left out"] if self.problems else []
        return f"{counted(len(self.outcomes) + len(self.problems), 'file')}: {', '.join(parts)}."


@dataclass(frozen=True, slots=True)
class MergedSoFar:
    """The report so far; if a file needs a choice, also its plan and the files after it."""

    report: MergeReport
    question: MergePlan | None = None
    left: tuple[Path, ...] = ()


@task("survey.merge", "Merge answers", DuplicatePolicy.AFTER, "{study_id}")
def merge_files(  # noqa: PLR0917 (a report, then a store and parameters)
    report: Report,
    store: MergeStore,
    study_id: str,
    paths: tuple[Path, ...],
    done: MergeReport,
    chosen: tuple[MergePlan, Choice] | None = None,
) -> MergedSoFar:
    """Merges files until one needs a choice or all are merged; ``chosen`` is the user's choice for the preceding file.
    Each file is planned after the previous ones were merged, because it is compared with them."""
    from engine.exchange.study_file import read_answers_file

    if chosen is not None:
        done = _apply(store, done, *chosen)
    for place, path in enumerate(paths):
        report.progress(place / len(paths), path.name)
        try:
            plan = store.plan(study_id, read_answers_file(path), path.name)
        except EnvironmentProblem as problem:
            done = replace(done, problems=(*done.problems, problem))
            report.partial(MergedSoFar(done))
            continue
        if plan.needs_a_look:
            return MergedSoFar(done, plan, paths[place + 1 :])
        done = _apply(store, done, plan, Choice(None))
        done = replace(done, sentences=(*done.sentences, *(f"{path.name}: {said}" for said in plan.sentences)))
        report.partial(MergedSoFar(done))
    return MergedSoFar(done)


def _apply(store: MergeStore, done: MergeReport, plan: MergePlan, choice: Choice) -> MergeReport:
    if plan.kind == "identical":
        return replace(done, outcomes=(*done.outcomes, "already merged"))
    try:
        store.apply(plan, choice.outcome, twin_id=choice.twin_id, apart=choice.apart)
    except EnvironmentProblem as problem:
        return replace(done, problems=(*done.problems, problem))
    return replace(done, outcomes=(*done.outcomes, _DONE[choice.outcome or plan.default]))


STOPPED = 2
_DONE: dict[MergeOutcome, str] = {"added": "added", "replaced": "replaced", "kept": "set aside"}


class AnswersMerge(QObject):
    """Merges files as jobs, and asks about those that need a choice."""

    merged = Signal(object)
    """The MergeReport, once all files are done."""
    failed = Signal(object)

    def __init__(self, bridge: EngineBridge, window: QWidget) -> None:
        super().__init__(window)
        self._bridge, self._window = bridge, window

    def merge(self, project: Project, study_id: str, paths: Sequence[Path]) -> None:
        self._submit(MergeStore(project), study_id, tuple(paths), MergeReport())

    def _submit(
        self,
        store: MergeStore,
        study_id: str,
        paths: tuple[Path, ...],
        report: MergeReport,
        chosen: tuple[MergePlan, Choice] | None = None,
    ) -> None:
        known = [report]

        def done(so_far: MergedSoFar) -> None:
            self._merged_so_far(store, study_id, so_far)

        self._bridge.submit(
            merge_files(store, study_id, paths, report, chosen),
            self,
            on_done=done,
            on_error=self.failed.emit,
            on_partial=lambda so_far: known.append(so_far.report),
            on_cancelled=lambda: self.merged.emit(replace(known[-1], cancelled=True)),
        )

    def _merged_so_far(self, store: MergeStore, study_id: str, so_far: MergedSoFar) -> None:
        plan, report = so_far.question, so_far.report
        if plan is None:
            self.merged.emit(report)
            return
        skipped = replace(report, outcomes=(*report.outcomes, "skipped"))
        dialog = MergeDialog(plan, len(so_far.left), self._window)
        stopped = replace(report, cancelled=True)
        dialog.finished.connect(lambda code: self.merged.emit(stopped) if code == STOPPED else None)
        dialog.accepted.connect(lambda: self._submit(store, study_id, so_far.left, report, (plan, dialog.choice())))
        dialog.rejected.connect(lambda: self._submit(store, study_id, so_far.left, skipped))
        dialog.open()


class MergeDialog(QDialog):
    """A file that needs a choice: its content, differences, and options. ``left`` files follow; the result is
    ``STOPPED`` if neither this file nor they should be merged."""

    def __init__(self, plan: MergePlan, left: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(visible_line(f"Merge {plan.filename}"))
        self._group = QButtonGroup(self)
        self._joins: list[tuple[int, QCheckBox]] = []
        unsure = [join for join in plan.joins if not join.sure]
        below = tuple(f"“{join.returned.title or join.returned.link}” is treated as" for join in unsure)
        listed = set(map(difference_sentence, plan.differences))  # already listed in the table
        said = [one for one in plan.sentences if one not in listed and not one.startswith(below)]
        parts: list[Parts] = [text_label(plan.answers.participant.name or "No name given", "section")]
        parts += [text_label(sentence, wrap=True) for sentence in said]
        if plan.differences:
            parts.append(_differences(plan))
        if unsure:
            parts += [4, text_label("Are these the same papers?", "section")]
        for join in unsure:
            parts.append(text_label(f"“{heading(join.returned)}” and “{heading(join.known)}”", wrap=True))
            box = named(QCheckBox("Same paper"), f"{heading(join.returned)} is the same paper as {heading(join.known)}")
            box.setChecked(True)
            self._joins.append((join.place, box))
            parts.append(box)
        if choices := self._buttons(plan):
            parts += [4, text_label("What do you want to do?", "section"), *choices]
        parts.append(None)
        buttons = DialogButtons(self, "Continue", "Skip this file")
        foot: list[QWidget] = [buttons]
        if left:
            foot.insert(0, text_label(f"{counted(left, 'more file')} to merge after this one.", "muted"))
            stop = named(buttons.addButton("Stop merging", QDialogButtonBox.ButtonRole.ResetRole), "Stop merging")
            stop.clicked.connect(lambda: self.done(STOPPED))
        lay_out_scrolling(self, parts, foot, 100, 32)

    def _buttons(self, plan: MergePlan) -> list[QRadioButton]:
        """Returns a button for each option; none if there is only one."""
        choices: list[tuple[MergeOutcome, str, str]] = [
            ("replaced", "", "Use the answers in this file"),
            ("kept", "", "Keep the existing answers and only record that this file arrived"),
        ]
        if plan.participant is None:
            same = "Replace the answers of"
            choices = [("added", "", "Add as another participant")]
            choices += [("replaced", twin.id, f"{same} {shortened(twin.name, 60)}") for twin in plan.twins]
        self._choices = [(outcome, twin_id) for outcome, twin_id, _text in choices]
        found = []
        for number, (outcome, twin_id, text) in enumerate(choices if len(choices) > 1 else ()):
            button = named(QRadioButton(literal(text)), text)
            button.setChecked(outcome == plan.default and not twin_id)
            self._group.addButton(button, number)
            found.append(button)
        return found

    def choose(self, outcome: MergeOutcome, twin_id: str = "") -> None:
        self._group.button(self._choices.index((outcome, twin_id))).setChecked(True)

    def choice(self) -> Choice:
        outcome, twin = self._choices[max(self._group.checkedId(), 0)]
        return Choice(outcome, twin, tuple(place for place, box in self._joins if not box.isChecked()))


def _differences(plan: MergePlan) -> FactTable:
    def figure(value: float | None) -> str:
        return "none" if value is None else f"{value:g}"

    table = FactTable("Where the file differs", ("Paper", "Here", "In the file"))
    table.show_all_rows([(heading(d.paper), figure(d.stored), figure(d.returned)) for d in plan.differences])
    return table
