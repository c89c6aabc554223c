"""Exports the rebuttal to files or the clipboard, and imports responses from letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox

from desktop_app import if_any, present
from desktop_app.panes.base import ACT, PaneTools
from desktop_app.panes.rebuttal.sending import Sending, overwrite, responses, take_responses, words_on
from desktop_app.panes.rebuttal.state import RebuttalState
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.widgets.dialogs import ask_to_export
from desktop_app.widgets.fetcher import Fetcher, pdf_content
from desktop_app.widgets.fields import Whose
from desktop_app.widgets.file_dialogs import file_filter
from desktop_app.widgets.labels import replace_text
from desktop_app.writing import Written, free_folder, write_export
from engine.documents.service import DocumentService
from engine.documents.tasks import stopping
from engine.errors import about
from engine.jobs import Report
from engine.rebuttal.points import Row, Section
from engine.reviews.anonymity import Identifying, metadata_identifying
from engine.reviews.marks import MarkedText, Reading
from engine.shown import counted
from engine.statements.verdicts import counted_states

if TYPE_CHECKING:
    from desktop_app.panes.rebuttal.send_view import SendView
    from engine.exchange.rebuttal_forms import Form, Leaving
    from engine.exchange.records import Export
    from engine.operations.letters import Replies

WORK, EXPORT = "work", "export"
"""Keys of notices about actions of the user."""
QUOTES, LETTER, LETTER_FILE = "quotes", "letter", "letter file"


class Sender:
    """Shows the text to send in a view created on demand, copies and exports it."""

    def __init__(
        self, state: RebuttalState, sending: Sending, make_view: Callable[[], SendView], tools: PaneTools,
        fetcher: Fetcher,
    ) -> None:  # fmt: skip
        self._state, self.sending, self._tools, self._fetcher = state, sending, tools, fetcher
        self._make_view = make_view
        self.question: QMessageBox | None = None
        """The last confirmation dialog shown before an export."""

    @cached_property
    def view(self) -> SendView:
        view = self._make_view()
        view.names.committed.connect(
            lambda text, _key, of: self._tools.act(lambda: self.sending.set_names(text, of.record))
        )
        view.form.picked.connect(self.show)
        return view

    @property
    def _shown(self) -> bool:
        return "view" in self.__dict__ and self.view.isVisibleTo(self._tools.owner)

    def show(self) -> None:
        if self._shown:
            from engine.exchange.rebuttal_forms import preview_text

            self._tools.finish()
            paper = self._state.rebuttal.paper_id
            self.view.names.show_text("; ".join(self._state.rebuttal.plan.names), Whose(paper, paper))
            self.show_findings()
            replace_text(self.view.words, preview_text(self.view.chosen, self.sending.material))

    def show_findings(self) -> None:
        """Updates the findings only; does nothing while the view is hidden."""
        if self._shown:
            self.view.show_findings(self.sending.findings())

    def read_metadata(self) -> None:
        reader, target = self._state.reader, self._state.rebuttal.target
        self.sending.metadata = ()
        if reader is None or target is None:
            return
        service = self._tools.context.bridge.documents

        def read() -> tuple[Identifying, ...]:
            with about(target.filename):
                fields = service.metadata(pdf_content(reader.documents, target.document_id))
            return metadata_identifying(fields.items(), target.filename)

        def take(found: tuple[Identifying, ...]) -> None:
            self.sending.metadata = found
            self.show_findings()

        self._fetcher.fetch("metadata", read, take)

    def take_names(self) -> None:
        def take(found: Sequence[str]) -> None:
            fresh = self._tools.result(lambda: self.sending.add_names(found))
            if fresh is not None:
                self._tools.notify(WORK, f"Added: {', '.join(fresh)}." if fresh else "No more authors were found.")

        self._fetcher.fetch("names", self.sending.authors, take)

    def limit_changed(self) -> None:
        """Selects the format for the limit, and warns about quotes that leave little room for responses."""
        self.view.prefer(pages=self._state.rebuttal.limit.pages is not None)
        words = self.sending.heavy_quotes()
        if words:
            shorten = ("Refer to comments by number", self._quote_by_number)
            self._tools.notify(QUOTES, words, "", shorten)
        else:
            self._tools.banner.dismiss(QUOTES)

    def _quote_by_number(self) -> None:
        self._tools.banner.dismiss(QUOTES)
        self._tools.act(lambda: self._state.change_plan(quoting="number"))

    def write_matrix(self) -> None:
        """Checks all claims, then asks for a file and writes the response matrix."""
        self._tools.finish()
        self._checked(self._write_matrix)

    def _write_matrix(self) -> None:
        from engine.exchange.rebuttal_forms import write_matrix

        stem = self._tools.context.papers.file_name("response matrix")
        path = self._tools.context.files.save_file(self._tools.owner, "Export the response matrix", stem, ".csv")
        if path is not None:
            made = partial(write_matrix, self._state.matrix, path.name)
            job = write_export("rebuttal.matrix", path.parent, lambda _report: made(), path.name)
            self._tools.submit(job, lambda done: self._tools.banner.show_notice(written_notice(EXPORT, done)), EXPORT)

    def write_file(self) -> None:
        """Asks for a file and writes the chosen format, after confirmation if there are unfounded claims."""
        self._tools.finish()
        self._confirm(self._state.rebuttal.outline.rows, self._write_file)

    def _confirm(self, rows: Sequence[Row], then: Callable[[], object]) -> None:
        """Asks for confirmation if claims are contradicted or not found and the user hasn't confirmed them."""
        self._checked(lambda: self._ask(rows, then))

    def _checked(self, then: Callable[[], object]) -> None:
        """Checks all unchecked claims, then calls ``then``."""
        claims, now = self._state.claims, self._state.rebuttal
        wanted = claims.unchecked(now.outline)
        if not wanted:
            then()
            return
        check = partial(claims.check, wanted, now.all_edits, self._tools.context.bridge.documents)

        def checked(_none: None) -> None:
            self._state.update_matrix()
            then()

        self._fetcher.fetch("claims before export", check, checked)

    def _ask(self, rows: Sequence[Row], then: Callable[[], object]) -> None:
        ids = {row.comment.id for row in rows}
        claims = [(row.label, one) for row, one in self._state.matrix.unfounded if row.comment.id in ids]
        if not claims:
            then()
            return
        shown = [f"{label}: {one.said}" for label, one in claims]
        what = f"{counted(len(claims), 'claim')} to decide on: {counted_states(c.verdict for _, c in claims)}."
        self.question = ask_to_export(self._tools.owner, "rebuttal", what, shown, then)

    def _write_file(self) -> None:
        from engine.exchange.rebuttal_forms import INFO

        form, files, owner = self.view.chosen, self._tools.context.files, self._tools.owner
        if INFO[form].ending:
            stem = self._tools.context.papers.file_name("response")
            path = files.save_file(owner, "Export the rebuttal", stem, INFO[form].ending)
        else:
            path = files.choose_folder(owner, "Export the rebuttal")
        if_any(path, partial(self.export_to, form))

    def export_to(self, form: Form, path: Path) -> None:
        """Writes a format to a file, or posts into a new folder below ``path``, in a job."""
        self._tools.finish()
        folder, name = (free_folder(path, "rebuttal"), "") if form == "posts" else (path.parent, path.name)
        make = partial(_make, form, self.sending.material, name, self._tools.context.bridge.documents)
        self._tools.submit(write_export("rebuttal.export", folder, make, name), self._written, EXPORT)

    def _written(self, written: Written) -> None:
        self._note_sent(self._state.rebuttal.outline.sections)
        self._tools.banner.show_notice(self._warned(written_notice(EXPORT, written)))

    def _note_sent(self, sections: Sequence[Section]) -> None:
        self._tools.act(lambda: self.sending.note_sent(sections), EXPORT)

    def _warned(self, notice: Notice) -> Notice:
        """Adds to a notice about what was sent the issues that should have been fixed, with a button to show them."""
        issues = [one.words for one in self.sending.findings() if one.weight == "fix"]
        if not issues or self._shown:
            return notice
        first = "" if len(issues) == 1 else ", first"
        words = f"{counted(len(issues), 'issue')} to fix before sending{first}: {issues[0].rstrip('.')}."
        look = ("Show issues", lambda: self._tools.context.commands.run("rebuttal.send"))
        return replace(notice, means=" ".join(filter(None, (words, notice.means))), actions=(look, *notice.actions))

    def copy(self) -> None:
        """Copies the post to the current reviewer as pasted into the venue's form; repeat for the next of several."""
        self._tools.finish()
        found = self._state.found
        section = found[0] if found else self._state.rebuttal.outline.sections[0]
        self._confirm(section.rows, lambda: self._copy(section))

    def _copy(self, section: Section) -> None:
        post = self.sending.next_post(section)
        if post is None:
            self._tools.notify(ACT, f"Nothing has been written to {section.reviewer} yet.")
            return
        QGuiApplication.clipboard().setText(post.text)
        if post.number == post.of:
            self._note_sent([section])
        which = f"post {post.number} of {post.of} to" if post.of > 1 else "answer to"
        self._tools.banner.show_notice(self._warned(Notice(ACT, f"Copied: {which} {section.reviewer}.", kind="note")))


def _make(form: Form, material: Leaving, name: str, service: DocumentService, report: Report) -> Export:
    from engine.exchange.rebuttal_forms import make

    return make(form, material, name, stopping(service, report))


class LetterImport:
    """Imports responses from letters without overwriting existing ones unless the user asks for it."""

    def __init__(self, state: RebuttalState, tools: PaneTools, fetcher: Fetcher) -> None:
        self._state, self._tools, self._fetcher = state, tools, fetcher
        self.swap: Callable[[], None] | None = None
        """Swaps comments and responses of the last imported letter."""

    def can_take(self) -> bool:
        return self._state.can_write() and bool(responses(self._state))

    def take(self) -> None:
        """Uses the responses of the letter that came with the comments, where there is none yet."""
        self._tools.do(take_responses, self._state, key=LETTER)

    def offer(self) -> None:
        """Offers to use a letter's responses while no response has been written."""
        if not any(point.text.strip() for _, point in self._state.points()) and self.can_take():
            words = f"The response letter answers {len(responses(self._state)):,} of these comments."
            run = ("Use its responses", lambda: self._tools.context.commands.run("rebuttal.take_responses"))
            self._tools.notify(LETTER, words, "", run)
        else:
            self._tools.banner.dismiss(LETTER)

    def ask(self) -> None:
        from engine.exchange.response_reading import ENDINGS

        kinds = file_filter("Letters", ENDINGS)
        path = self._tools.context.files.open_file(self._tools.owner, "Import responses from a letter", kinds)
        if path is not None:
            self.read(path)

    def read(self, path: Path) -> None:
        from engine.exchange.response_reading import read_letter_file
        from engine.reviews.proposing import letter_readings

        self._tools.finish()
        service, paper = self._tools.context.bridge.documents, self._state.rebuttal.paper_id

        def look() -> tuple[MarkedText, Reading | None]:
            letter = read_letter_file(path, service)
            return letter, next(iter(letter_readings(letter)), None)

        self._fetcher.fetch(LETTER_FILE, look, lambda found: self._take(paper, path.name, *found))

    def _take(
        self, paper: str | None, name: str, letter: MarkedText, reading: Reading | None, before: Replies | None = None
    ) -> None:
        """Imports, and reports the result and how the letter was read, with buttons to change both. ``before`` is what
        another reading brought. By now, another paper or pane may be shown, so the rebuttal is read."""
        from engine.operations.letters import take_letter

        self._tools.finish()
        chosen = None if before is None else reading
        reader = present(self._state.reader)
        if paper is not None and paper not in {one.id for one in reader.papers.papers()}:
            return  # it was removed
        outline = reader.read(paper).outline
        take = partial(take_letter, reader.project, paper, outline, letter, name, reading=chosen, before=before or ())
        made = self._tools.result(take, WORK)
        if made is None:
            return
        (what, *rest), actions = (*words_on(made, name), *letter.warnings), []
        self.swap = None
        if many := len(made.differing):
            which = "that one" if many == 1 else f"all {many}"
            again = partial(self._overwrite, paper, made.differing, name)
            actions.append((f"Use {which} from the letter", again))
        if reading is not None and not made.by_labels:
            rest.append(reading.remark())
            self.swap = partial(self._take, paper, name, letter, reading.swap(), made.taken)
            actions.append(("Swap comments and responses", self.swap))
        self._tools.notify(WORK, what, " ".join(rest), *actions)

    def _overwrite(self, paper: str | None, differing: Replies, name: str) -> None:
        if self._tools.do(overwrite, self._state, paper, differing, name, key=WORK):
            many = counted(len(differing), "response was", "responses were")
            self._tools.notify(
                WORK, f"{many} replaced with text from {name}.", "To restore the previous text, choose Undo."
            )
