"""Exporting a review: issues to fix, the exact text to export, and the statement of assistance."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QCheckBox, QMessageBox, QWidget

from desktop_app import if_any, present
from desktop_app.panes.review.layout import buttons, halves
from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.widgets.banner import written_notice
from desktop_app.widgets.dialogs import ask_to_export
from desktop_app.widgets.entry_list import TwoLineList, TwoLines
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import ElidedLabel, named, plain_text, replace_text
from desktop_app.widgets.layouts import Flow, row, surface
from desktop_app.writing import Written, write_export
from engine.documents.places import Places
from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.tasks import stopping
from engine.exchange.records import Export
from engine.exchange.review_leaving import INFO, Form, Leaving, make, preview_text
from engine.jobs import Report
from engine.review_drafting.disclosure import Disclosure, disclosure, statement
from engine.review_drafting.grounding import Decision
from engine.review_drafting.readiness import Finding, findings, settled
from engine.shown import counted
from engine.statements.verdicts import counted_states

EXPORT = "export"
_ICONS: dict[str, str] = {
    "contradicted": "x-circle", "not found": "prohibit", "not checked": "minus-circle", "form": "warning-octagon",
    "identity": "warning", "tone": "warning",
}  # fmt: skip
"""Icons by the state of a sentence, or else by the subject of a finding."""


class ExportView(QWidget):
    """Findings on the left, the text to export on the right. Exporting contradicted or unfounded sentences needs
    confirmation."""

    place_wanted = Signal(str, int, int)
    """A field of the review, and the words in it to show."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs, self._session, self._state = runs, runs.session, runs.state
        self.findings: tuple[Finding, ...] | None = None
        self.measured: Disclosure | None = None
        self._measured_of: tuple[object, ...] = (None,)
        self.question: QMessageBox | None = None
        """The last confirmation dialog shown before an export."""
        self._fetcher = Fetcher(self)
        self._registry = registry = self._session.context.commands
        self.title = ElidedLabel("section", self)
        self.list = TwoLineList("Issues to fix before export", _row, self)
        self.list.chosen.connect(registry.state_changed)
        self.list.activated_row.connect(lambda _index: self.go())
        self.format = ChoiceBox("Export format", [(info.title, form) for form, info in INFO.items()], letters=12)
        for number, info in enumerate(INFO.values()):
            self.format.setItemData(number, info.help, Qt.ItemDataRole.ToolTipRole)
        self.format.picked.connect(lambda _form: self.show_review())
        tip = "Which stages ran, and how many sentences were kept, rewritten or written by you"
        words = "Add statement of assistance"
        self.with_statement = named(QCheckBox(words, self), words, tip)
        self.with_statement.clicked.connect(lambda _on: self.show_review())
        self.words = plain_text("Text to export", self)
        surface(self, "Export")
        acts = buttons(registry, self, "write_review", copy_review="Copy", write_review="Export…")
        settle = buttons(registry, self, settle_drop="Delete", settle_ask="Make question", show_place="Show place")
        head = row((Flow(self.format, self.with_statement), 1))
        halves(self, (self.title, (self.list, 1), settle), (head, (self.words, 1), acts), (480, 560))
        for signal in (self._session.checker.checked, self._session.field_changed):
            signal.connect(lambda _field: self.show_review())
        for changed in (self._session.draft_changed, self._session.paper_changed, runs.changed):
            changed.connect(self.show_review)

    @property
    def chosen(self) -> Form:
        found: Form = self.format.value
        return found

    @property
    def finding(self) -> Finding | None:
        found: Finding | None = self.list.current
        return found

    @property
    def unfounded(self) -> int:
        return sum(one.subject == "claim" for one in self.findings or ())

    def _states(self) -> str:
        return counted_states(one.verdict for one in self.findings or () if one.subject == "claim" and one.verdict)

    @property
    def statement(self) -> str:
        return statement(self.measured) if self.measured is not None else ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_review()

    def show_review(self) -> None:
        state, checker = self._state, self._session.checker
        if not self.isVisible():
            return
        found: tuple[Finding, ...] = ()
        if state.form is not None:
            grounded = {key: one.grounded for key, one in checker.checks.items() if one.grounded is not None}
            found = findings(state.form, state.fields, grounded, names=checker.names)
            self._measure()
        if found != self.findings:
            self.findings = found
            self.list.show_rows(found)
        nothing = "No sentence is contradicted by the paper or missing from it, and the form is complete."
        self.list.set_message(nothing if state.form is not None else "Start a review first.")
        self._show_title(checking=state.form is not None and (checker.busy or state.places is None))
        words = preview_text(self.chosen, self._contents()) if state.form is not None else ""
        replace_text(self.words, words)
        self._registry.state_changed.emit()

    def _show_title(self, *, checking: bool) -> None:
        found = self.findings or ()
        fix = sum(one.weight == "fix" for one in found) - self.unfounded
        look = sum(one.weight == "look" for one in found)
        parts = [
            self._states(),
            f"{fix} to fix" if fix else "",
            f"{look} to check" if look else "",
            "checking…" if checking else "",
        ]
        nothing = "Ready to export" if self._state.form is not None else "No review yet"
        self.title.setText(" · ".join(part for part in parts if part) or nothing)

    def _measure(self) -> None:
        """Measures the assistance on another thread if text or runs changed."""
        form, draft, store = self._state.form, self._state.draft, self._state.store
        assert draft is not None
        values, runs = dict(self._state.fields), self._runs.runs
        subject = (draft.id, tuple(sorted(values.items())), runs, tuple(self._runs.decisions.items()))
        if subject == self._measured_of:
            return
        if self._measured_of[0] != draft.id:
            self.measured = None
        self._measured_of = subject

        def measure() -> Disclosure:
            decided = [one for run in runs for one in store.decisions(draft.id, run.id).values()]
            return disclosure(present(form), values, runs, decided)

        self._fetcher.fetch(EXPORT, measure, self._take)

    def _take(self, found: Disclosure) -> None:
        self.measured = found
        self.show_review()

    def _contents(self, confirmed: bool = False) -> Leaving:
        state, draft, form = self._state, self._state.draft, self._state.form
        assert draft is not None
        with_statement = self.with_statement.isChecked() or self.chosen == "disclosure"
        places = state.places or Places(ParsedDocument("", (), (), "", 0.0))
        pdf = partial(state.documents.pdf_bytes, draft.document_id)
        statement = self.statement if with_statement else ""
        return Leaving(draft.title, present(form), dict(state.fields), places, pdf, statement, confirmed=confirmed)

    def go(self) -> None:
        one = self.finding
        if one is not None:
            self.place_wanted.emit(one.field, one.start, one.end)

    @property
    def can_settle(self) -> bool:
        return self.finding is not None and self.finding.subject == "claim" and self._state.can_write

    def settle(self, decision: Decision) -> None:
        one, places = self.finding, self._state.places
        if one is None or places is None:
            return
        self._session.tools.finish()
        text = settled(self._state.fields.get(one.field, ""), one, places, decision)
        title = "Delete sentence" if decision == "drop" else "Turn sentence into question"
        self._session.together(title, lambda: self._state.set_field(one.field, text))

    @property
    def can_export(self) -> bool:
        if self._state.draft is None or self._state.places is None:
            return False
        if self.chosen == "disclosure":
            return bool(self.statement)
        return any(value.strip() for value in self._state.fields.values())

    def _confirm(self, then: Callable[[bool], object]) -> None:
        """Asks for confirmation if sentences are contradicted or not found; passes to ``then`` whether it was given."""
        self._session.tools.finish()
        if not self.unfounded or self.chosen == "disclosure":
            then(False)
            return
        claims = [one.words for one in self.findings or () if one.subject == "claim"]
        what = f"{counted(self.unfounded, 'sentence')} to decide on: {self._states()}."
        self.question = ask_to_export(self, "review", what, claims, lambda: then(True))

    def copy(self) -> None:
        self._confirm(self._copy)

    def _copy(self, confirmed: bool) -> None:
        chosen, contents, service = self.chosen, self._contents(confirmed), self._session.context.bridge.documents

        def copied() -> None:
            # Formatted like a file, which raises an error without the confirmation needed.
            make("markdown" if chosen == "pdf" else chosen, contents, "review", service)
            QGuiApplication.clipboard().setText(preview_text(chosen, contents))
            self._session.tools.notify(EXPORT, f"Copied: {INFO[chosen].title}.")

        self._session.act(copied, EXPORT)

    def ask_where(self) -> None:
        self._confirm(self._ask_where)

    def _ask_where(self, confirmed: bool) -> None:
        ending = INFO[self.chosen].ending
        stem = self._session.context.papers.file_name("review")
        path = self._session.context.files.save_file(self, "Export review", stem, ending)
        if_any(path, partial(self.write_to, self.chosen, confirmed=confirmed))

    def write_to(self, chosen: Form, path: Path, *, confirmed: bool = False) -> None:
        self._session.tools.finish()
        contents, draft, service = self._contents(confirmed), self._state.draft, self._session.context.bridge.documents
        assert draft is not None

        def done(written: Written) -> None:
            if self._state.draft is not None and self._state.draft.id == draft.id:  # the project may have been closed
                self._session.act(lambda: self._state.keep_version(f"exported as {INFO[chosen].title}"))
            self._session.tools.banner.show_notice(written_notice(EXPORT, written))

        files = partial(_make, chosen, contents, path.name, service)
        self._session.tools.submit(write_export("review.export", path.parent, files, path.name), done, EXPORT)


def _make(chosen: Form, contents: Leaving, name: str, service: DocumentService, report: Report) -> Export:
    return make(chosen, contents, name, stopping(service, report))


def _row(one: Finding) -> TwoLines:
    detail = one.detail or ("To fix" if one.weight == "fix" else "To check")
    return TwoLines(
        _ICONS[one.verdict or one.subject], one.words, detail, f"{one.words}. {detail}", f"{one.words}\n{detail}"
    )
