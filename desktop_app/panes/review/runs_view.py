"""Stored runs, compared and repeated, and saved versions of the review, compared and restored."""

import html

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from desktop_app import present
from desktop_app.panes.review.layout import buttons, halves, reader
from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.panes.review.session import ReviewSession
from desktop_app.widgets.dialogs import ask
from desktop_app.widgets.edit_words import changes_of
from desktop_app.widgets.entry_list import TwoLineList, TwoLines
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import Flow, command_button, row, splitter, surface
from desktop_app.widgets.tracked import tracked_html
from engine.review_drafting.history import FieldDifference, differences
from engine.review_drafting.pipeline import Run, StageDifference, compare_runs
from engine.review_drafting.records import STAGE_TITLES, STAGES
from engine.review_drafting.store import DraftVersion
from engine.shown import counted, local_time

_ICONS = {"done": "check-circle", "failed": "x-circle"}


def run_title(run: Run) -> str:
    return f"{local_time(run.created_at)} · {run.model or 'rules'}"


class RunsView(QWidget):
    """Runs on the left, newest first; on the right, the selected run compared with another."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._other = ""
        self.differences: tuple[StageDifference, ...] = ()
        self.list = TwoLineList("Runs, newest first", _run_row, self)
        self.list.set_message("No runs for this review yet.")
        self.list.chosen.connect(lambda run: runs.choose(run.id))
        self.facts = text_label("", "muted", wrap=True, parent=self)
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.other = ChoiceBox("Run to compare with", letters=18, parent=self)
        self.other.setToolTip("The selected run is compared with this one")
        self.other.picked.connect(self._other_chosen)
        self.table = FactTable(
            "The two runs by stage: input, output, statements in one run only, seconds",
            ("Stage", "Input", "Output", "This / other", "Seconds"),
            self,
        )
        self.table.currentCellChanged.connect(lambda *_: self._show_stage())
        self.words = reader("Statements in only one of the runs", self)
        registry = runs.session.context.commands
        surface(self, "Runs")
        against = row(text_label("Compare with", "muted", parent=self), (self.other, 1))
        both = splitter((self.table, 460, 0), (self.words, 300, 0), parent=self)
        acts = buttons(registry, self, replay="Repeat", forget_run="Delete")
        halves(self, ((self.list, 1), acts), (self.facts, against, (both, 1)), (270, 790))
        runs.changed.connect(self.show_runs)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_runs()

    def show_runs(self) -> None:
        if not self.isVisible():
            return
        runs, run = self._runs.runs, self._runs.run
        self.list.show_records(runs, runs.index(run) if run is not None else -1)
        self._compare()

    @property
    def can_forget(self) -> bool:
        return self._runs.run is not None and self._runs.under_way is None and self._runs.state.can_write

    def forget(self) -> None:
        run, words = present(self._runs.run), "Its outputs can't be restored. Your review isn't changed."
        ask(self, "Delete run", "Delete this run?", words, {"Delete": lambda: self._runs.forget(run), "Cancel": None})

    def _other_chosen(self, run_id: str) -> None:
        self._other = run_id
        self._compare()

    @property
    def _rest(self) -> list[Run]:
        return [one for one in self._runs.runs if self._runs.run is not None and one.id != self._runs.run.id]

    @property
    def compared_with(self) -> Run | None:
        """The run chosen for comparison, by default the one before the selected run."""
        run, rest = self._runs.run, self._rest
        earlier = [one for one in rest if run is not None and one.created_at < run.created_at]
        return next((one for one in rest if one.id == self._other), next(iter(earlier or rest), None))

    def _compare(self) -> None:
        run, other, rest = self._runs.run, self.compared_with, self._rest
        self.other.show_entries([(run_title(one), one.id) for one in rest], other.id if other is not None else "")
        self.other.setEnabled(bool(rest))
        self.facts.setText(_facts(run) if run is not None else "")
        found = compare_runs(run, other) if run is not None and other is not None else ()
        if found != self.differences or not found:
            self.differences = found
            self.table.show_rows([_cells(one) for one in found])
            if found:
                self.table.setCurrentCell(0, 0)
            self._show_stage()

    def _show_stage(self) -> None:
        at = self.table.currentRow()
        if not 0 <= at < len(self.differences):
            self.words.setPlainText("There is no other run to compare with." if self._runs.run is not None else "")
            return
        one = self.differences[at]
        parts = [
            "\n".join([f"{title}:", *(f"– {text}" for text in texts)])
            for title, texts in (("Only in this run", one.only_first), ("Only in the other run", one.only_second))
            if texts
        ]
        self.words.setPlainText("\n\n".join(parts) or f"{STAGE_TITLES[one.stage]}: the same in both runs.")


def _run_row(run: Run) -> TwoLines:
    on = run.settings.on
    stages = "all stages" if on == frozenset(STAGES) else ", ".join(STAGE_TITLES[s] for s in STAGES if s in on)
    state = "ended early" if run.state == "running" else run.state
    detail = f"{state} · {run.seconds:.1f} s · {stages}"
    title = run_title(run)
    return TwoLines(_ICONS.get(run.state, "minus-circle"), title, detail, tip=f"{title}\n{detail}")


def _facts(run: Run) -> str:
    """Returns how a run was made: origin, devices, seed, prompts, models, settings, input hashes, and problems."""
    others, manners = dict(run.settings.models), dict(run.settings.manners)
    ways = [(s, ", ".join(filter(None, (others.get(s, ""), manners[s].words if s in manners else "")))) for s in STAGES]
    inputs = " · ".join(f"{name} {value[:8]}" for name, value in run.inputs if value)
    prompts = ", ".join(dict.fromkeys(s.info.prompt_version for s in run.stages if s.info.prompt_version))
    devices = dict.fromkeys(f"ran on {stage.device}" for stage in run.stages if stage.device)
    parts = [run.origin, *devices, f"seed {run.settings.seed}" if run.model else "",
             f"prompts {prompts}" if prompts else "",
             *(f"{STAGE_TITLES[stage]}: {words}" for stage, words in ways if words),
             inputs, *run.problems]  # fmt: skip
    return " · ".join(part for part in parts if part)


def _cells(one: StageDifference) -> tuple[str, ...]:
    return (
        STAGE_TITLES[one.stage],
        "same" if one.same_input else "different",
        "same" if one.same_output else "different",
        f"+{len(one.only_first)} / +{len(one.only_second)}",
        f"{one.seconds[0]:.1f} / {one.seconds[1]:.1f}",
    )


_SINCE, _BROUGHT = range(2)


class HistoryView(QWidget):
    """Versions on the left, newest first; tracked changes on the right."""

    def __init__(self, session: ReviewSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._state = session, session.state
        self.versions: tuple[DraftVersion, ...] = ()
        self.found: tuple[FieldDifference, ...] = ()
        self.list = TwoLineList("Saved versions, newest first", _row, self)
        self.list.set_message("No versions yet. Restoring a version saves the current text first.")
        self.list.chosen.connect(self._show)
        ways = (("Changes since this version", _SINCE), ("Changes in this version", _BROUGHT))
        self.against = ChoiceBox("Comparison", ways, letters=21, parent=self)
        self.field = ChoiceBox("Field to show and restore", letters=16, parent=self)
        for box in (self.against, self.field):
            box.picked.connect(lambda _value: self._show())
        self.count = text_label("", "muted", parent=self)
        self.words = reader("Changes by field", self)
        registry = session.context.commands
        restore = command_button(registry, "review.restore_version", "Restore", self)
        surface(self, "History")
        keep = buttons(registry, self, keep_version="Save version")
        head = Flow(self.against, self.field, self.count, None, restore)
        halves(self, ((self.list, 1), keep), (head, (self.words, 1)), (300, 760))
        session.versions_changed.connect(self.read)
        session.draft_changed.connect(self.read)
        session.field_changed.connect(lambda _field: self._show())

    @property
    def version(self) -> DraftVersion | None:
        found: DraftVersion | None = self.list.current
        return found

    @property
    def _only(self) -> str:
        """The key of the selected field; "" for all."""
        return self.field.value or ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.read()

    def read(self) -> None:
        """Reads the versions of the review if the page is visible, keeping the selection."""
        if not self.isVisible():
            return
        before, versions, form = self.version, self._state.versions(), self._state.form
        titles = [("All fields", ""), *((field.title, field.key) for field in (form.fields if form else ()))]
        self.field.show_entries(titles)
        if versions != self.versions:
            self.versions = versions
            current = next((n for n, one in enumerate(versions) if before is not None and one.id == before.id), 0)
            self.list.show_rows(versions, current)
        self._show()

    def _show(self) -> None:
        version, form = self.version, self._state.form
        if not self.isVisible():
            return
        if version is None or form is None:
            self.found = ()
            self.count.setText("")
            self.words.clear()
        else:
            order = [field.key for field in form.fields]
            if self.against.value == _BROUGHT:
                earlier = self.versions[self.list.row + 1 :]
                found = differences(dict(earlier[0].fields) if earlier else {}, dict(version.fields), order)
            else:
                found = differences(dict(version.fields), self._state.fields, order)
            self.found = tuple(one for one in found if self._only in ("", one.field))
            self._show_words({field.key: field.title for field in (*form.fields, *self._state.rest)})
        self._session.context.commands.state_changed.emit()

    def _show_words(self, titles: dict[str, str]) -> None:
        count, parts = {"insert": 0, "delete": 0}, []
        for one in self.found:
            for change in changes_of(one.before, one.after):
                if change.operation in count:
                    count[change.operation] += len(change.text.split())
            title = html.escape(titles.get(one.field, one.field))
            parts.append(f"<p><b>{title}</b></p><p>{tracked_html(one.before, one.after, context=240)}</p>")
        added = counted(count["insert"], "word")
        self.count.setText(f"{added} added, {count['delete']} deleted" if self.found else "")
        since = "No changes since this version." if self.against.value == _SINCE else "No changes."
        self.words.setHtml("".join(parts) or f"<p>{since}</p>")

    def keep(self) -> None:
        self._session.tools.do(self._state.keep_version)

    @property
    def can_restore(self) -> bool:
        version = self.version
        if version is None or not self._state.can_write:
            return False
        return any(self._only in ("", one.field) for one in differences(dict(version.fields), self._state.fields))

    def restore(self) -> None:
        version, only = present(self.version), self._only
        self._session.tools.do(self._state.store.restore_version, version.id, {only} if only else None)


def _row(version: DraftVersion) -> TwoLines:
    fields = sum(bool(value.strip()) for _, value in version.fields)
    words = sum(len(value.split()) for _, value in version.fields)
    return TwoLines(
        "clock-counter-clockwise",
        local_time(version.created_at),
        f"{version.reason} · {counted(words, 'word')} in {counted(fields, 'field')}",
    )
