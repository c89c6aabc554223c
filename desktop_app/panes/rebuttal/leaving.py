"""The part of the pane that brings letters and libraries in and lets the rebuttal out, checked before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime
from PySide6.QtGui import QGuiApplication

from desktop_app.panes.base import ACT
from desktop_app.panes.rebuttal.desk import EXPORT, WORK
from desktop_app.panes.rebuttal.entries import key_of
from desktop_app.panes.rebuttal.exporting import file_task, folder_task
from desktop_app.panes.rebuttal.replying import Replying
from desktop_app.panes.rebuttal.sending import SendView
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.writing import free_folder
from engine.exchange.rebuttal_forms import INFO, Form, Leaving, lost, told
from engine.exchange.rebuttals import critical_remarks
from engine.exchange.response_letter import read_replies, same_words, unmatched
from engine.exchange.response_reading import ENDINGS, LetterText, read_letter_file
from engine.rebuttal.budget import quoted, reviewer_limit
from engine.rebuttal.letter import posts
from engine.rebuttal.points import Section, said
from engine.rebuttal.readiness import Finding, findings
from engine.rebuttal.records import Point
from engine.reviews.anonymity import Identifying, metadata_identifying
from engine.reviews.limits import unit_name

if TYPE_CHECKING:
    from desktop_app.writing import Written


QUOTES = "quotes"
_MUCH = 0.4
"""From this part of the room on, quotes take much of it."""
LETTER, LETTER_FILE = "letter", "letter file"


class Letting(Replying):
    """Files in and out."""

    sending: SendView

    def filled_pages(self) -> float | None:
        """How many pages the rebuttal fills, where that is limited and it was laid out."""
        raise NotImplementedError

    _metadata: tuple[Identifying, ...] = ()
    """What the PDFs say of their makers."""

    # --- before it leaves -----------------------------------------------------------------------------------------

    @property
    def leaving(self) -> Leaving:
        """The rebuttal as it is now."""
        return Leaving(self.desk.outline, self.desk.limit, self.desk.plan.quoting)

    def show_leaving(self) -> None:
        """Findings and words, as they are now."""
        self.editor.finish()
        self.sending.names.show_text("; ".join(self.desk.plan.names))
        self.sending.show_findings(self.findings())
        self.sending.show_words(told(self.sending.form_at_hand, self.leaving))

    def findings(self) -> tuple[Finding, ...]:
        """All that should be known before the rebuttal leaves; the revised PDF goes to the reviewers, too."""
        desk = self.desk
        found = findings(
            desk.outline,
            self.matrix,
            desk.limit,
            desk.plan.quoting,
            names=desk.plan.names,
            metadata=self._metadata,
            pages=self.filled_pages(),
            remarks=critical_remarks(desk),
        )
        return (*found, *self._changed_since())

    def set_names(self, text: str) -> None:
        """Keeps which names must not leave."""
        names = tuple(dict.fromkeys(name.strip() for name in text.split(";") if name.strip()))
        self._keep_names(names)

    def take_names(self) -> None:
        """Takes the names that the PDFs show of their authors, and that of the person at work."""
        reader = self.reader
        assert reader is not None
        desk = self.desk
        documents = [v.document_id for v in (desk.source, desk.target) if v is not None]
        who = dict(reader.project.annotators()).get(reader.project.annotator_id, "")

        def names() -> tuple[str, ...]:
            from engine.papers.pdf_metadata import pdf_paper

            parsed = [reader.documents.parsed(key) for key in documents]
            return (*(name for one in parsed if one for name in pdf_paper(one).authors), who)

        self.fetcher.fetch("names", names)

    def _names_found(self, names: Sequence[str]) -> None:
        known = self.desk.plan.names
        fresh = [name for name in dict.fromkeys(names) if name.strip() and name not in known]
        if fresh:
            self._keep_names((*known, *fresh))
        said = f"Found: {', '.join(fresh)}." if fresh else "The PDFs name no further author."
        self.banner.show_notice(Notice(WORK, said, kind="note"))

    def _keep_names(self, names: tuple[str, ...]) -> None:
        reader = self.reader
        if reader is not None and names != self.desk.plan.names:
            plan = replace(self.desk.plan, names=names)
            self.act(lambda: reader.store.set_plan(self.desk.paper_id, plan, initiator=self))

    def look_at_metadata(self) -> None:
        """Reads what the revised PDF says of its makers."""
        reader, target = self.reader, self.desk.target
        self._metadata = ()
        if reader is None or target is None:
            return
        service = self.context.bridge.documents

        def look() -> tuple[Identifying, ...]:
            fields = service.metadata(reader.documents.pdf_bytes(target.document_id))
            return metadata_identifying(fields.items(), target.filename)

        self.fetcher.fetch("metadata", look)

    def _fetched(self, name: str, found: object) -> None:
        if name == "names" and isinstance(found, tuple):
            self._names_found(found)
        elif name == LETTER_FILE and isinstance(found, tuple):
            self._take_letter(*found)
        elif name == "metadata" and isinstance(found, tuple):
            self._metadata = found
            if self.sending.isVisible():
                self.sending.show_findings(self.findings())
        else:
            super()._fetched(name, found)

    def limit_changed(self) -> None:
        """A page leaves as a page, posts as posts; any other form stays as it was chosen."""
        form = self.sending.form_at_hand
        wanted: Form = "page" if self.desk.limit.pages is not None else "posts"
        if form in ("page", "posts") and form != wanted:
            self.sending.form.setCurrentIndex(self.sending.form.findData(wanted))
        self._weigh_quotes()

    def _weigh_quotes(self) -> None:
        """Says so where quotes leave little room for replies."""
        limit, plan, outline = self.desk.limit, self.desk.plan, self.desk.outline
        each = reviewer_limit(limit)
        bound = limit.total if each is None else each * len(outline.sections)
        room = quoted(outline, limit.unit, plan.quoting)
        if bound is None or plan.quoting not in ("full", "short") or room <= _MUCH * bound:
            self.banner.dismiss(QUOTES)
            return
        said = f"Quotes of the comments would take {room:,} of {bound:,} {unit_name(limit.unit, bound)}."
        take = ("Recall comments by number", self._recall_by_number)
        self.banner.show_notice(Notice(QUOTES, said, actions=(take,), kind="note"))

    def _recall_by_number(self) -> None:
        reader, plan = self.reader, replace(self.desk.plan, quoting="number")
        assert reader is not None
        self.banner.dismiss(QUOTES)
        self.act(lambda: reader.store.set_plan(self.desk.paper_id, plan, initiator=self))

    # --- what left already ----------------------------------------------------------------------------------------

    def _left_key(self) -> str:
        return f"rebuttal.left.{self.project.id if self.project else ''}.{self.desk.paper_id or ''}"

    def _left(self) -> dict[str, list[str]]:
        """By reviewer: when an answer was copied or written last, and marks of its posts; the words are not kept."""
        try:
            known = json.loads(self.context.state.text(self._left_key()) or "{}")
        except json.JSONDecodeError:
            return {}
        return known if isinstance(known, dict) else {}

    def _note_left(self, sections: Sequence[Section]) -> None:
        """Remembers on this machine what left, to tell later what is no longer the same."""
        now = QDateTime.currentDateTime().toString("d MMMM, HH:mm")
        left = {section.reviewer: [now, *self._marks(section)] for section in sections}
        self.context.state.set_text(self._left_key(), json.dumps(self._left() | left, ensure_ascii=False))

    def _marks(self, section: Section) -> list[str]:
        made = posts(section, self.desk.limit, self.desk.plan.quoting)
        return [hashlib.sha256(post.text.encode()).hexdigest()[:16] for post in made]

    def _changed_since(self) -> list[Finding]:
        """The answers that are other ones than those that were copied or written here last."""
        left, found = self._left(), []
        for section in self.desk.outline:
            when, *marks = left.get(section.reviewer, [""])
            if marks and marks != self._marks(section):
                row = next((row for row in section.rows if row.point.text.strip()), None)
                words = f"The answer to {section.reviewer} has changed since it was copied or written here"
                found.append(Finding("look", words, f"Last on {when}.", row.comment.id if row else ""))
        return found

    # --- out ------------------------------------------------------------------------------------------------------

    def can_leave(self) -> bool:
        return self.has_comments() and any(point.text.strip() for _, point in self.all_points())

    def write_file(self) -> None:
        """Asks where to write the chosen form, and has it written."""
        form = self.sending.form_at_hand
        kind, files = INFO[form], self.context.files
        if kind.ending:
            path = files.save_file(self, "Export the rebuttal", "response", kind.ending)
        else:
            path = files.choose_folder(self, "Export the rebuttal")
        if path is not None:
            self.export_to(form, path)

    def export_to(self, form: Form, path: Path) -> None:
        """Has a form written: to a file, or for posts into a folder of its own below ``path``."""
        self.editor.finish()
        service, bridge = self.context.bridge.documents, self.context.bridge
        if form == "posts":
            task = folder_task(self.leaving, free_folder(path, "rebuttal"), service)
            bridge.submit(task, self, on_done=self._answers_written, on_error=lambda f: self.show_failure(f, EXPORT))
        else:
            sentences = lost(form, self.leaving)
            bridge.submit(
                file_task(form, self.leaving, path, service),
                self,
                on_done=lambda paths: self._letter_written(paths, sentences),
                on_error=lambda f: self.show_failure(f, EXPORT),
            )

    def _answers_written(self, written: Written) -> None:
        self._letter_written([str(Path(written.folder) / name) for name in written.names], written.loss)

    def _letter_written(self, paths: Sequence[str], sentences: Sequence[str]) -> None:
        self._note_left(self.desk.outline.sections)
        if paths:
            self.banner.show_notice(self._warned(written_notice(EXPORT, paths, sentences)))

    def _posts_written(self, written: Written) -> None:
        paths = [str(Path(written.folder) / name) for name in written.names]
        if paths:
            self.banner.show_notice(written_notice(EXPORT, paths, written.loss))

    def _warned(self, notice: Notice) -> Notice:
        """A notice about what left, with what should have been mended before, and the way there."""
        grave = [one.words for one in self.findings() if one.weight == "mend"]
        if not grave or self.sending.isVisible():
            return notice
        many = "This should" if len(grave) == 1 else f"{len(grave)} things should"
        said = f"{many} be mended before it leaves{'' if len(grave) == 1 else ', first'}: {grave[0].rstrip('.')}."
        look = ("See what", lambda: self.context.commands.run("rebuttal.send"))
        return replace(notice, means=" ".join(filter(None, (said, notice.means))), actions=(look, *notice.actions))

    def copy(self) -> None:
        """Copies the post to the reviewer at hand, as it is pasted into the form; again copies the next of several."""
        self.editor.finish()
        found = self.found
        section = found[0] if found else next(iter(self.desk.outline))
        made = posts(section, self.desk.limit, self.desk.plan.quoting)
        if not made:
            self.banner.show_notice(Notice(ACT, f"Nothing is written to {section.reviewer} yet.", kind="note"))
            return
        key = (section.reviewer, tuple(post.text for post in made))
        self._copied = (self._copied + 1) % len(made) if self._copied_of == key else 0
        self._copied_of = key
        post = made[self._copied]
        QGuiApplication.clipboard().setText(post.text)
        if post.number == post.of:
            self._note_left([section])
        which = f"post {post.number} of {post.of} to " if post.of > 1 else "answer to "
        copied = f"Copied: {which}{section.reviewer}."
        self.banner.show_notice(self._warned(Notice(ACT, copied, kind="note")))

    _copied = 0
    _copied_of: tuple[str, tuple[str, ...]] = ("", ())

    # --- letters in -----------------------------------------------------------------------------------------------

    def responses(self) -> list[tuple[Point, str]]:
        """What a letter of the project says to comments that have no reply yet."""
        return [
            (row.point, row.comment.response)
            for row in self.desk.outline.rows
            if row.comment.response.strip() and not row.point.text.strip()
        ]

    def can_take_responses(self) -> bool:
        return self.can_write() and bool(self.responses())

    def take_responses(self) -> None:
        """Takes the responses of the letter that came in with the comments over, where nothing is written yet."""
        reader = self.reader
        assert reader is not None
        self.editor.finish()
        self.act(
            lambda: reader.store.import_replies(self.desk.paper_id, self.responses(), "the letter", initiator=self),
            LETTER,
        )

    def offer_responses(self) -> None:
        """Says so where a letter has the replies and none is here yet."""
        if not any(point.text.strip() for _, point in self.all_points()) and self.can_take_responses():
            words = f"The response letter answers {len(self.responses())} of these comments."
            take = ("Take its responses", lambda: self.context.commands.run("rebuttal.take_responses"))
            self.banner.show_notice(Notice(LETTER, words, actions=(take,), kind="note"))
        else:
            self.banner.dismiss(LETTER)

    def ask_for_letter(self) -> None:
        """Asks for a letter whose replies shall be taken over."""
        kinds = " ".join(f"*.{ending}" for ending in ENDINGS)
        path = self.context.files.open_file(self, "Import responses from a letter", f"Letters ({kinds});;All files (*)")
        if path is not None:
            self.import_letter(path)

    def import_letter(self, path: Path) -> None:
        """Has a letter read (Markdown, text, Word, LaTeX, PDF, OpenReview notes); its replies go into points that have
        none."""
        self.editor.finish()
        service = self.context.bridge.documents
        self.fetcher.fetch(LETTER_FILE, lambda: (path.name, read_letter_file(path, service)))

    def _take_letter(self, name: str, letter: LetterText) -> None:
        """Takes the replies of a letter over, and says what was not taken; what differs from what is written here
        waits for a word."""
        reader, paper = self.reader, self.desk.paper_id
        assert reader is not None
        self.editor.finish()
        told_: list[str] = []
        differing: list[tuple[Point, str]] = []

        def take() -> None:
            found = read_replies(letter.text, self.desk.outline)
            replies = [(one.point, one.reply) for one in found if one.point is not None]
            differing.extend((p, text) for p, text in replies if p.text.strip() and not same_words(said(p.text), text))
            same = sum(bool(point.text.strip()) for point, _ in replies) - len(differing)
            taken = reader.store.import_replies(paper, replies, name, initiator=self)
            told_.append(f"{taken} repl{'y was' if taken == 1 else 'ies were'} taken from {name}.")
            if differing:
                told_.append(f"{_many(len(differing), 'differs', 'differ')} from what is written here, and stayed so.")
            if same:
                told_.append(f"{_many(same, 'says', 'say')} what stands here already.")
            if lost := len(unmatched(found)):
                told_.append(f"{_many(lost, 'answers', 'answer')} no comment of these reviews.")
            told_.extend(letter.warnings)

        if self.act(take, WORK):
            which = "that one" if len(differing) == 1 else f"all {len(differing)}"
            action = (f"Take {which} from the letter", lambda: self._take_over(paper, differing, name))
            notice = Notice(WORK, told_[0], " ".join(told_[1:]), actions=(action,) if differing else (), kind="note")
            self.banner.show_notice(notice)

    def _take_over(self, paper: str | None, replies: Sequence[tuple[Point, str]], name: str) -> None:
        """Puts a letter's replies in the place of those that are written here, in one step."""
        reader = self.reader
        assert reader is not None
        self.editor.finish()
        now = [
            (next((p for _, p in self.all_points() if key_of(p) == key_of(point)), point), t) for point, t in replies
        ]
        if self.act(lambda: reader.store.import_replies(paper, now, name, over=True, initiator=self), WORK):
            words = (
                f"{_many(len(now), 'reply is', 'replies are')} as {name} has {'it' if len(now) == 1 else 'them'} now."
            )
            self.banner.show_notice(Notice(WORK, words, "Undo brings back what stood here.", kind="note"))


def _many(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"
