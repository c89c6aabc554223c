"""Letting a review out: findings as they are now, sentences settled, files written; nothing red leaves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from desktop_app.panes.review.leaving_view import LeavingView
from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.writing import Beside, write_beside
from engine.exchange.review_leaving import INFO, Form, Leaving, make, told
from engine.jobs import Report, Task
from engine.review_drafting.disclosure import Disclosure, disclosure, statement
from engine.review_drafting.grounding import Decision
from engine.review_drafting.readiness import findings, settled

if TYPE_CHECKING:
    from engine.exchange.records import ExportFile
    from engine.jobs import Failure

EXPORT = "export"


class Letting(QObject):
    """What the Leaving page does; it knows the desk and the runs, and nothing of the pane."""

    notice = Signal(object)
    """A Notice for the banner."""

    def __init__(self, runs: ReviewRuns, view: LeavingView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs, self._desk, self.view = runs, runs.desk, view
        self.measured: Disclosure | None = None
        self._measured_of: object = None
        self._fetcher = Fetcher(self)
        self._fetcher.fetched.connect(self._fetched)
        view.wanted.connect(self.show)
        desk = self._desk
        desk.checker.checked.connect(lambda _field: self.show())
        desk.field_changed.connect(lambda _field: self.show())
        for signal in (desk.draft_changed, desk.paper_changed, runs.changed):
            signal.connect(self.show)

    # --- showing --------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Findings and words as they are now; only while somebody looks."""
        desk, form = self._desk, self._desk.form
        if not self.view.isVisible():
            return
        if desk.draft is None or form is None:
            self.view.show_findings((), checking=False)
            self.view.show_words("")
            return
        checks = desk.checker.checks
        grounded = {key: one.grounded for key, one in checks.items() if one.grounded is not None}
        found = findings(form, desk.fields, grounded, names=desk.checker.names)
        self.view.show_findings(found, checking=desk.checker.busy or desk.places is None)
        self._measure()
        self.view.show_words(told(self.view.form_at_hand, self.leaving))

    def _measure(self) -> None:
        """Measures what was assisted, beside the window's thread, where words or runs are others."""
        desk, form, draft = self._desk, self._desk.form, self._desk.draft
        assert form is not None and draft is not None
        values, runs, store = dict(desk.fields), self._runs.runs, desk.store
        subject = (draft.id, tuple(sorted(values.items())), runs, tuple(self._runs.decisions.items()))
        if subject == self._measured_of:
            return
        self._measured_of = subject

        def measure() -> Disclosure:
            decided = [one for run in runs for one in store.decisions(draft.id, run.id).values()]
            return disclosure(form, values, runs, decided)

        self._fetcher.fetch(EXPORT, measure)

    def _fetched(self, _name: str, found: object) -> None:
        self.measured = cast("Disclosure", found)
        self.show()

    @property
    def statement(self) -> str:
        """The statement of what was assisted, as it was measured last."""
        return statement(self.measured) if self.measured is not None else ""

    @property
    def leaving(self) -> Leaving:
        """The review as it is now. Only where there is one, of a paper that was read."""
        from engine.documents.places import Places
        from engine.documents.records import ParsedDocument

        desk = self._desk
        draft, form = desk.draft, desk.form
        assert draft is not None and form is not None
        with_it = self.view.statement.isChecked() or self.view.form_at_hand == "disclosure"
        places = desk.places or Places(ParsedDocument("", (), (), "", 0.0))
        documents, key = desk.documents, draft.document_id
        words = self.statement if with_it else ""
        return Leaving(draft.title, form, dict(desk.fields), places, lambda: documents.pdf_bytes(key), words)

    # --- settling -------------------------------------------------------------------------------------------------

    @property
    def can_settle(self) -> bool:
        one = self.view.finding
        return one is not None and one.subject == "claim" and self._desk.can_write and self.view.isVisible()

    def settle(self, decision: Decision) -> None:
        """Drops the sentence at hand, or asks instead of claiming: the person's decision, one undo step."""
        one, places = self.view.finding, self._desk.places
        if one is None or places is None:
            return
        self._runs.acting.emit()

        draft = self._desk.draft
        assert draft is not None

        def write() -> None:
            text = settled(self._desk.fields.get(one.field, ""), one, places, decision)
            self._desk.store.set_field(draft.id, one.field, text)

        self._desk.together("Drop a sentence" if decision == "drop" else "Ask instead of claiming", write)

    # --- out ------------------------------------------------------------------------------------------------------

    @property
    def can_leave(self) -> bool:
        """Whether it may be written: there are words, the paper was read, and nothing red is left."""
        desk = self._desk
        if desk.draft is None or desk.places is None:
            return False
        alone = self.view.form_at_hand == "disclosure"
        return bool(self.statement) if alone else not self.view.red and any(v.strip() for v in desk.fields.values())

    def copy(self) -> None:
        """Copies the words that leave."""
        self._runs.acting.emit()
        form = self.view.form_at_hand
        leaving = self.leaving

        def ready() -> None:
            # The same door as files: it refuses what is not in the paper.
            make("markdown" if form == "pdf" else form, leaving, "review", self._desk.context.bridge.documents)
            QGuiApplication.clipboard().setText(told(form, leaving))
            self.notice.emit(Notice(EXPORT, f"Copied: {INFO[form].title}.", kind="note"))

        self._desk.act(ready, EXPORT)

    def write_to(self, form: Form, path: Path) -> None:
        """Has a form written to a file; the review as it left is kept as a version."""
        self._runs.acting.emit()
        service, leaving = self._desk.context.bridge.documents, self.leaving
        lost: list[str] = []

        def files(_report: Report) -> Sequence[ExportFile]:
            export = make(form, leaving, path.name, service)
            lost.extend(export.loss.sentences)
            return export.files

        draft = self._desk.draft
        assert draft is not None

        def done(paths: tuple[str, ...]) -> None:
            if self._desk.draft is not None and self._desk.draft.id == draft.id:  # the project may be closed by now
                self._desk.act(lambda: self._desk.store.keep_version(draft.id, f"left as {INFO[form].title}"))
            self.notice.emit(written_notice(EXPORT, paths, lost))

        task: Task[Beside, tuple[str, ...]] = write_beside("review.export", path, files)
        self._desk.context.bridge.submit(task, self, on_done=done, on_error=self._failed)

    def _failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self._desk.fault.emit(failure)
        else:
            self._desk.failed.emit(failure.problem, EXPORT)
