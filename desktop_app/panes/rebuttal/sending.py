"""What is sent to the reviewers, its checks, and importing responses from letters. No Qt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from desktop_app.panes.rebuttal.lists import key_of
from desktop_app.panes.rebuttal.state import RebuttalState, filled_pages
from engine.exchange.rebuttals import critical_remarks
from engine.papers.pdf_metadata import pdf_paper
from engine.rebuttal.budget import quoted, reviewer_limit
from engine.rebuttal.letter import Post, posts
from engine.rebuttal.points import Section
from engine.rebuttal.readiness import Finding, findings
from engine.rebuttal.records import Point
from engine.reviews.anonymity import Identifying
from engine.reviews.limits import unit_name
from engine.shown import counted, local_time

if TYPE_CHECKING:
    from engine.exchange.rebuttal_forms import Leaving
    from engine.operations.letters import LetterTaken, Replies

_MUCH = 0.4
"""Share of the limit from which quotes are reported as long."""


class Sending:
    """Checks the rebuttal, and remembers on this computer what was copied or exported.

    ``load`` and ``keep`` read and write a text by name in the window state; ``metadata`` is what the revised PDF
    reveals about its authors, once read.
    """

    def __init__(self, state: RebuttalState, load: Callable[[str], str], keep: Callable[[str, str], object]) -> None:
        self._state, self._load, self._keep = state, load, keep
        self.metadata: tuple[Identifying, ...] = ()
        self._copied: tuple[Post, ...] = ()
        self._copied_at = 0

    @property
    def material(self) -> Leaving:
        from engine.exchange.rebuttal_forms import Leaving

        rebuttal = self._state.rebuttal
        return Leaving(rebuttal.outline, rebuttal.limit, rebuttal.plan.quoting)

    def can_send(self) -> bool:
        return self._state.has_comments() and any(point.text.strip() for _, point in self._state.points())

    def posts_to(self, section: Section) -> tuple[Post, ...]:
        return posts(section, self._state.rebuttal.limit, self._state.rebuttal.plan.quoting)

    def findings(self) -> tuple[Finding, ...]:
        rebuttal, state = self._state.rebuttal, self._state
        found = findings(
            rebuttal.outline, state.matrix, rebuttal.limit, rebuttal.plan.quoting, names=rebuttal.plan.names,
            metadata=self.metadata, pages=filled_pages(state), remarks=critical_remarks(rebuttal),
        )  # fmt: skip
        return (*found, *self._changed_since())

    def set_names(self, text: str, paper_id: str | None) -> None:
        """Stores the names that must not appear for a paper, which needn't be the current one."""
        store, names = self._state.store, (name.strip() for name in text.split(";"))
        plan = store.plan(paper_id)
        wanted = replace(plan, names=tuple(dict.fromkeys(name for name in names if name)))
        if wanted != plan:
            store.set_plan(paper_id, wanted)

    def authors(self) -> tuple[str, ...]:
        """Returns the authors named in the PDFs, and the acting annotator. Slow; can be called on any thread."""
        reader, rebuttal = self._state.reader, self._state.rebuttal
        assert reader is not None
        parsed = [reader.parsed(version) for version in (rebuttal.source, rebuttal.target)]
        names = [name for one in parsed if one is not None for name in pdf_paper(one).authors]
        return (*names, dict(reader.project.annotators()).get(reader.project.annotator_id, ""))

    def add_names(self, names: Sequence[str]) -> list[str]:
        """Adds names that must not appear; returns the new ones."""
        known = self._state.rebuttal.plan.names
        fresh = [name for name in dict.fromkeys(names) if name.strip() and name not in known]
        self._state.change_plan(names=(*known, *fresh))
        return fresh

    def heavy_quotes(self) -> str:
        """Returns a sentence if quotes leave little room for responses, else ""."""
        rebuttal = self._state.rebuttal
        limit, quoting = rebuttal.limit, rebuttal.plan.quoting
        each = reviewer_limit(limit)
        bound = limit.total if each is None else each * len(rebuttal.outline.sections)
        room = quoted(rebuttal.outline, limit.unit, quoting)
        if bound is None or quoting not in ("full", "short") or room <= _MUCH * bound:
            return ""
        return f"Quotes of the comments would take {room:,} of {bound:,} {unit_name(limit.unit, bound)}."

    def next_post(self, section: Section) -> Post | None:
        """Returns the post to copy: the first, or the one after the last copied; None if nothing is written."""
        made = self.posts_to(section)
        self._copied_at = (self._copied_at + 1) % len(made) if made and self._copied == made else 0
        self._copied = made
        return made[self._copied_at] if made else None

    @property
    def memory(self) -> str:
        """The key in the window state for what was sent."""
        project = self._state.project
        return f"rebuttal.left.{project.id if project else ''}.{self._state.rebuttal.paper_id or ''}"

    def _sent(self) -> dict[str, Any]:
        try:
            known = json.loads(self._load(self.memory) or "{}")
        except json.JSONDecodeError:
            return {}
        return known if isinstance(known, dict) else {}

    def note_sent(self, sections: Sequence[Section]) -> None:
        """Records when an answer was copied or exported with hashes of its posts, to report later changes; the project
        stores the labels of its comments."""
        when = local_time(datetime.now().astimezone().isoformat())
        sent = {section.reviewer: [when, *self._hashes(section)] for section in sections}
        self._keep(self.memory, json.dumps(self._sent() | sent, ensure_ascii=False))
        if self._state.can_write():
            labels = {row.comment.id: row.label for section in sections for row in section.rows}
            self._state.store.keep_labels(self._state.rebuttal.paper_id, labels)

    def _hashes(self, section: Section) -> list[str]:
        return [hashlib.sha256(post.text.encode()).hexdigest()[:16] for post in self.posts_to(section)]

    def _changed_since(self) -> list[Finding]:
        sent, found = self._sent(), []
        for section in self._state.rebuttal.outline:
            when, *hashes = sent.get(section.reviewer, [""])
            if hashes and hashes != self._hashes(section):
                row = next((row for row in section.rows if row.point.text.strip()), None)
                words = f"The answer to {section.reviewer} has changed since you last copied or exported it"
                found.append(Finding("look", words, f"That was on {when}.", row.comment.id if row else ""))
        return found


def responses(state: RebuttalState) -> list[tuple[Point, str]]:
    return [
        (row.point, row.comment.response)
        for row in state.rebuttal.outline.rows
        if row.comment.response.strip() and not row.point.text.strip()
    ]


def take_responses(state: RebuttalState) -> None:
    state.store.import_replies(state.rebuttal.paper_id, responses(state), "the letter")


def words_on(made: LetterTaken, name: str) -> tuple[str, ...]:
    """Returns what importing a letter did, in sentences."""
    ends = sum(point.kind != "reply" for point, _ in made.taken)
    imported = f"{counted(len(made.taken) - ends, 'response was', 'responses were')} imported from {name}."
    if not made.taken and not made.differing and not made.same:
        imported = f"Nothing was imported from {name}: no response in it answers a comment of these reviews."
    removed = f"{counted(made.removed, 'response was', 'responses were')} removed. " if made.removed else ""
    words = [removed + imported]
    if ends:
        words.append(f"{counted(ends, 'opening or closing was', 'openings and closings were')} imported, too.")
    if many := len(made.differing):
        words.append(
            f"{counted(many, 'differs', 'differ')} from what you've written and {'was' if many == 1 else 'were'} not "
            "imported."
        )
    if made.same:
        words.append(f"{counted(made.same, 'is', 'are')} already here.")
    if lost := len(made.unmatched):
        words.append(f"{counted(lost, 'answers', 'answer')} no comment in these reviews.")
    if made.silent:
        words.append(f"For {counted(len(made.silent), 'comment')} of these reviews, no response was found.")
    return tuple(words)


def overwrite(state: RebuttalState, paper_id: str | None, replies: Replies, name: str) -> None:
    """Replaces existing responses by those of a letter, in one undo step."""
    points = {key_of(point): point for _, point in state.points()}
    now = [(points.get(key_of(point), point), text) for point, text in replies]
    state.store.import_replies(paper_id, now, name, over=True)
