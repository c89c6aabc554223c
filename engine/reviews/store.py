# ruff: noqa: S608 (only column and table names of this module are put into statements; values are always bound)
"""The reviews of a project: texts as they came in, the comments marked in them, and the authors' responses."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from engine.errors import BadInput
from engine.project import Action, Project, new_id, now
from engine.reviews.layout import readable
from engine.reviews.records import ActionClass, Comment, ReviewBundle, ReviewChange, SourceText, Span
from engine.reviews.spans import cut, normalised, spoken

SpanRole = Literal["comment", "context", "response"]

_TEXT_COLUMNS = "id, title, text, media_type, reviewer, kind, fields"
_COMMENT_COLUMNS = (
    "c.id, c.source_id, c.external_id, c.reviewer, c.comment, c.context, c.response, c.actionable, c.action, c.extra"
)
# Comments stand where their first span stands; those without a span keep the order in which they came.
_ORDER = (
    "ORDER BY t.position, t.id, (SELECT min(s.start_offset) FROM comment_span s WHERE s.comment_id = c.id"
    " AND s.role = 'comment') NULLS LAST, c.position, c.id"
)
_TELLING = 20
"""Characters from which two comments of the same words are taken for one; "Typo." may be said twice."""


class ReviewStore:
    """Readers and verbs over ``source_text``, ``comment`` and ``comment_span``.

    What other work hangs on is removed and merged by ``engine.operations``.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    # readers --------------------------------------------------------------------------------------------------------

    def texts(self, paper_id: str | None = None) -> tuple[SourceText, ...]:
        """All texts in the order in which they came; with ``paper_id`` those of one paper."""
        where, values = ("", ()) if paper_id is None else ("WHERE paper_id = ?", (paper_id,))
        rows = self._project.query(f"SELECT {_TEXT_COLUMNS} FROM source_text {where} ORDER BY position, id", values)
        return tuple(map(_text_record, rows))

    def text(self, source_id: str) -> SourceText:
        """One text. Raises KeyError."""
        row = self._project.query_one(f"SELECT {_TEXT_COLUMNS} FROM source_text WHERE id = ?", (source_id,))
        if row is None:
            raise KeyError(source_id)
        return _text_record(row)

    def comments(
        self,
        *,
        paper_id: str | None = None,
        source_id: str | None = None,
        reviewer: str | None = None,
        actionable: bool | None = None,
        seen_by: Collection[str] | None = None,
    ) -> tuple[Comment, ...]:
        """Comments in order of their texts and places, narrowed by what is given.

        ``seen_by`` are annotators: comments that came from a file, and those that one of these marked.
        """
        conditions = {
            "t.paper_id": paper_id,
            "c.source_id": source_id,
            "c.reviewer": reviewer,
            "c.actionable": actionable,
        }
        given = {column: value for column, value in conditions.items() if value is not None}
        where = " AND ".join(f"{column} = ?" for column in given) or "1"
        people = tuple(seen_by or ())
        if seen_by is not None:
            where += f" AND (c.origin <> 'person' OR c.annotator_id IN ({', '.join('?' * len(people))}))"
        return self._comments(where, (*given.values(), *people))

    def markers(self) -> dict[str, str]:
        """Who marked each comment: the annotator's key. Those that came from a file are missing."""
        rows = self._project.query("SELECT id, annotator_id FROM comment WHERE origin = 'person'")
        return {row["id"]: row["annotator_id"] for row in rows}

    def comment(self, comment_id: str) -> Comment:
        """One comment. Raises KeyError."""
        found = self._comments("c.id = ?", (comment_id,))
        if not found:
            raise KeyError(comment_id)
        return found[0]

    def reviewers(self, paper_id: str | None = None) -> tuple[tuple[str, int], ...]:
        """Each reviewer with the number of their comments, in order of first appearance."""
        counts: dict[str, int] = {}
        for comment in self.comments(paper_id=paper_id):
            counts[comment.reviewer] = counts.get(comment.reviewer, 0) + 1
        return tuple(counts.items())

    def _comments(self, where: str, values: Sequence[Any]) -> tuple[Comment, ...]:
        source = f"FROM comment c JOIN source_text t ON t.id = c.source_id WHERE {where}"
        rows = self._project.query(f"SELECT {_COMMENT_COLUMNS} {source} {_ORDER}", values)
        spans: dict[str, dict[str, list[Span]]] = defaultdict(lambda: defaultdict(list))
        for row in self._project.query(
            "SELECT comment_id, role, start_offset, end_offset FROM comment_span"
            f" WHERE comment_id IN (SELECT c.id {source}) ORDER BY comment_id, role, position",
            values,
        ):
            spans[row["comment_id"]][row["role"]].append(Span(row["start_offset"], row["end_offset"]))
        return tuple(_comment_record(row, spans[row["id"]]) for row in rows)

    def _found(self, comment_ids: Iterable[str]) -> tuple[Comment, ...]:
        return tuple(self.comment(key) for key in comment_ids)

    # import ---------------------------------------------------------------------------------------------------------

    def import_bundle(
        self, bundle: ReviewBundle, filename: str, *, paper_id: str | None = None, initiator: object | None = None
    ) -> ReviewChange:
        """Takes over what an importer found, in one step. Texts and comments get keys of the project; the ids of the
        bundle stay as ``external_id``.

        Raises:
            BadInput: a comment names a text that the bundle lacks, or a span outside of it. Nothing is imported then.
        """
        keys = {text.id: new_id() for text in bundle.texts}
        by_id = {text.id: text for text in bundle.texts}
        origin = f"import:{filename}"
        made: list[str] = []
        with self._project.action(f"Import {filename}", initiator=initiator) as act:
            for text in bundle.texts:
                self._insert_text(act, replace(text, id=keys[text.id]), origin, paper_id)
            for comment in bundle.comments:
                if comment.source_id not in by_id:
                    raise BadInput(f"A comment of {filename} belongs to no text in it.", "Nothing was imported.")
                source = by_id[comment.source_id]
                for spans in (comment.spans, comment.context_spans, comment.response_spans):
                    normalised(source.text, spans)
                moved = replace(
                    comment,
                    id=new_id(),
                    source_id=keys[comment.source_id],
                    external_id=comment.external_id or comment.id,
                )
                self._insert_comment(act, moved, origin)
                made.append(moved.id)
        return ReviewChange(texts=tuple(self.text(k) for k in keys.values()), comments=self._found(made))

    def import_new(
        self,
        bundle: ReviewBundle,
        filename: str,
        *,
        paper_id: str | None = None,
        everywhere: bool = False,
        initiator: object | None = None,
    ) -> tuple[ReviewChange, int, int]:
        """``import_bundle`` of what the paper (or, with ``everywhere``, the project) does not have yet, in one step.

        A text that is there already, word for word, is left out with its comments. A comment of a new text that says
        what a known one says is that comment: its response goes to it where it has another. Returns what came in, how
        many texts were left out, and how many comments were known.

        Raises:
            BadInput: as ``import_bundle``.
        """
        among = None if everywhere else paper_id
        there = {(text.kind, _plain(text.text)) for text in self.texts(among)}
        fresh = tuple(text for text in bundle.texts if (text.kind, _plain(text.text)) not in there)
        left_out = {text.id for text in bundle.texts} - {text.id for text in fresh}
        known: dict[str, list[Comment]] = {}
        for comment in self.comments(paper_id=among):
            known.setdefault(_plain(comment.comment), []).append(comment)
        new: list[Comment] = []
        answers: list[tuple[str, str]] = []
        met = 0
        for comment in bundle.comments:
            if comment.source_id in left_out:
                continue
            same = known.get(_plain(comment.comment), [])
            if not same or len(comment.comment) < _TELLING:
                new.append(comment)
                continue
            found, met = same.pop(0), met + 1
            if comment.response and _plain(comment.response) != _plain(found.response):
                answers.append((found.id, comment.response))
        with self._project.action(f"Import {filename}", initiator=initiator):
            for key, response in answers:
                self.set_response(key, response, initiator=initiator)
            narrowed = replace(bundle, texts=fresh, comments=tuple(new))
            change = self.import_bundle(narrowed, filename, paper_id=paper_id, initiator=initiator)
        return change, len(left_out), met

    def add_text(
        self, title: str, text: str, *, reviewer: str = "", paper_id: str | None = None, initiator: object | None = None
    ) -> ReviewChange:
        """Adds a review that a person pasted or typed."""
        if not text.strip():
            raise BadInput("The review is empty.", "Nothing was added.", "Paste its text first.")
        record = SourceText(new_id(), title, text, reviewer=reviewer)
        with self._project.action(f"Add review “{title}”", initiator=initiator) as act:
            self._insert_text(act, record, "person", paper_id)
        return ReviewChange(texts=(record,))

    # comments -------------------------------------------------------------------------------------------------------

    def add_comment(
        self,
        source_id: str,
        spans: Sequence[Span],
        *,
        context: Sequence[Span] = (),
        reviewer: str | None = None,
        initiator: object | None = None,
    ) -> ReviewChange:
        """Marks spans of a text as one comment. Unless given, the reviewer is that of the comment before.

        Raises:
            BadInput: no text is marked, or a span lies outside of the text.
        """
        source = self.text(source_id)
        marked = _marked(source.text, spans)
        around = normalised(source.text, context)
        comment = Comment(
            id=new_id(),
            source_id=source_id,
            reviewer=self._reviewer_at(source, marked[0].start) if reviewer is None else reviewer,
            comment=spoken(source.text, marked),
            context=readable(source.text, around),
            spans=marked,
            context_spans=around,
        )
        with self._project.action("Mark comment", initiator=initiator) as act:
            self._insert_comment(act, comment, "person")
        return ReviewChange(comments=self._found([comment.id]))

    def set_spans(self, comment_id: str, spans: Sequence[Span], *, initiator: object | None = None) -> ReviewChange:
        """Says anew where a comment stands; its text follows."""
        return self._respan(comment_id, "comment", spans, "Change comment's place", initiator)

    def add_span(self, comment_id: str, span: Span, *, initiator: object | None = None) -> ReviewChange:
        """Adds a further place to a comment; what overlaps or touches becomes one span."""
        spans = (*self.comment(comment_id).spans, span)
        return self._respan(comment_id, "comment", spans, "Add span to comment", initiator)

    def remove_span(self, comment_id: str, span: Span, *, initiator: object | None = None) -> ReviewChange:
        """Takes one of several places away. Raises BadInput for the last one."""
        spans = tuple(s for s in self.comment(comment_id).spans if s != span)
        return self._respan(comment_id, "comment", spans, "Remove span from comment", initiator)

    def set_context(self, comment_id: str, spans: Sequence[Span], *, initiator: object | None = None) -> ReviewChange:
        """Says what stands around a comment and explains it; empty for nothing."""
        return self._respan(comment_id, "context", spans, "Set context of comment", initiator)

    def set_response_spans(
        self, comment_id: str, spans: Sequence[Span], *, initiator: object | None = None
    ) -> ReviewChange:
        """Says where the letter answers a comment; the response text follows. Empty for no response."""
        return self._respan(comment_id, "response", spans, "Set response of comment", initiator)

    def set_response(self, comment_id: str, text: str, *, initiator: object | None = None) -> ReviewChange:
        """Writes the response of a comment by hand; typing on is one undo step. Spans stay as they are."""
        return self._write(comment_id, "response", text, "Edit response", initiator)

    def set_comment_text(self, comment_id: str, text: str, *, initiator: object | None = None) -> ReviewChange:
        """Corrects how a comment reads; typing on is one undo step. Spans stay as they are.

        Raises:
            BadInput: ``text`` is empty.
        """
        if not text.strip():
            raise BadInput("A comment needs some text.", "It was left as it was.", "Delete the comment instead.")
        return self._write(comment_id, "comment", text, "Edit comment", initiator)

    def split_comment(self, comment_id: str, position: int, *, initiator: object | None = None) -> ReviewChange:
        """Cuts a comment in two at an offset of its text; context, response and reviewer stay with both.

        Raises:
            BadInput: one side would be empty.
        """
        comment = self.comment(comment_id)
        source = self.text(comment.source_id)
        first, second = (normalised(source.text, part) for part in cut(comment.spans, position))
        if not first or not second:
            raise BadInput(
                "The cut leaves one side empty.", "The comment was not split.", "Put the cursor inside of the comment."
            )
        new = replace(comment, id=new_id(), spans=second, comment=spoken(source.text, second), external_id="", extra=())
        with self._project.action("Split comment", initiator=initiator) as act:
            self._set_role(act, comment_id, "comment", source.text, first)
            # Both halves belong to whom the whole belonged: to everybody, where it came from a file.
            self._insert_comment(act, new, self._origin(comment_id))
        return ReviewChange(comments=self._found([comment_id, new.id]))

    def set_actionable(
        self, comment_ids: Sequence[str], actionable: bool, *, initiator: object | None = None
    ) -> ReviewChange:
        """Says whether comments ask for something."""
        title = "Mark as a request" if actionable else "Mark as no request"
        return self._set_column(comment_ids, "actionable", int(actionable), title, initiator)

    def set_action(
        self, comment_ids: Sequence[str], action: ActionClass | None, *, initiator: object | None = None
    ) -> ReviewChange:
        """Says what kind of act comments ask for (ARIES, appendix B.1); None takes the class away."""
        title = f"Set action “{action}”" if action else "Clear action"
        return self._set_column(comment_ids, "action", action, title, initiator)

    def set_reviewer(
        self, comment_ids: Sequence[str], reviewer: str, *, initiator: object | None = None
    ) -> ReviewChange:
        """Says whose comments these are."""
        return self._set_column(comment_ids, "reviewer", reviewer, f"Set reviewer “{reviewer}”", initiator)

    def rename_reviewer(
        self, old: str, new: str, *, paper_id: str | None = None, initiator: object | None = None
    ) -> ReviewChange:
        """Gives a reviewer another name, in all texts and comments (of one paper, if given)."""
        comments = [c.id for c in self.comments(paper_id=paper_id, reviewer=old)]
        texts = [t.id for t in self.texts(paper_id) if t.reviewer == old]
        moment = now()
        with self._project.action(f"Rename reviewer “{old}” to “{new}”", initiator=initiator) as act:
            for table, keys in (("comment", comments), ("source_text", texts)):
                act.executemany(
                    f"UPDATE {table} SET reviewer = ?, updated_at = ? WHERE id = ?", ((new, moment, k) for k in keys)
                )
        return ReviewChange(texts=tuple(map(self.text, texts)), comments=self._found(comments))

    # writing --------------------------------------------------------------------------------------------------------

    def _origin(self, comment_id: str) -> str:
        row = self._project.query_one("SELECT origin FROM comment WHERE id = ?", (comment_id,))
        return str(row[0]) if row is not None else "person"

    def _reviewer_at(self, source: SourceText, position: int) -> str:
        before = [c for c in self.comments(source_id=source.id) if c.spans and c.spans[0].start <= position]
        return before[-1].reviewer if before else source.reviewer

    def _insert_text(self, act: Action, text: SourceText, origin: str, paper_id: str | None) -> None:
        moment = now()
        act.execute(
            "INSERT INTO source_text(id, paper_id, title, kind, media_type, reviewer, text, fields, position, origin,"
            " annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?,"
            " (SELECT coalesce(max(position), 0) + 1 FROM source_text), ?, ?, ?, ?)",
            (
                text.id, paper_id, text.title, text.kind, text.media_type, text.reviewer, text.text,
                _pairs(text.fields), origin, self._project.annotator_id, moment, moment,
            ),
        )  # fmt: skip

    def _insert_comment(self, act: Action, comment: Comment, origin: str) -> None:
        moment = now()
        act.execute(
            "INSERT INTO comment(id, source_id, external_id, reviewer, comment, context, response, actionable, action,"
            " extra, position, origin, annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
            " (SELECT coalesce(max(position), 0) + 1 FROM comment), ?, ?, ?, ?)",
            (
                comment.id, comment.source_id, comment.external_id, comment.reviewer, comment.comment, comment.context,
                comment.response, int(comment.actionable), comment.action, _pairs(comment.extra), origin,
                self._project.annotator_id, moment, moment,
            ),
        )  # fmt: skip
        for role, spans in (
            ("comment", comment.spans),
            ("context", comment.context_spans),
            ("response", comment.response_spans),
        ):
            _insert_spans(act, comment.id, role, spans)

    def _respan(
        self, comment_id: str, role: SpanRole, spans: Sequence[Span], title: str, initiator: object | None
    ) -> ReviewChange:
        source = self.text(self.comment(comment_id).source_id)
        marked = _marked(source.text, spans) if role == "comment" else normalised(source.text, spans)
        with self._project.action(title, initiator=initiator) as act:
            self._set_role(act, comment_id, role, source.text, marked)
        return ReviewChange(comments=self._found([comment_id]))

    def _set_role(self, act: Action, comment_id: str, role: str, text: str, spans: Sequence[Span]) -> None:
        if role == "comment":
            content = spoken(text, spans)
        elif role == "context":
            content = readable(text, tuple(spans))
        else:
            content = "\n\n".join(text[s.start : s.end] for s in spans)
        act.execute(f"UPDATE comment SET {role} = ?, updated_at = ? WHERE id = ?", (content, now(), comment_id))
        act.execute("DELETE FROM comment_span WHERE comment_id = ? AND role = ?", (comment_id, role))
        _insert_spans(act, comment_id, role, spans)

    def _write(self, comment_id: str, column: str, text: str, title: str, initiator: object | None) -> ReviewChange:
        with self._project.action(title, coalesce=f"comment.{column}:{comment_id}", initiator=initiator) as act:
            act.execute(f"UPDATE comment SET {column} = ?, updated_at = ? WHERE id = ?", (text, now(), comment_id))
        return ReviewChange(comments=self._found([comment_id]))

    def _set_column(
        self, comment_ids: Sequence[str], column: str, value: str | int | None, title: str, initiator: object | None
    ) -> ReviewChange:
        with self._project.action(title, initiator=initiator) as act:
            act.executemany(
                f"UPDATE comment SET {column} = ?, updated_at = ? WHERE id = ? AND {column} IS NOT ?",
                ((value, now(), key, value) for key in comment_ids),
            )
        return ReviewChange(comments=self._found(comment_ids))


def _marked(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    marked = normalised(text, spans)
    if not marked:
        raise BadInput("No text is marked.", "Nothing was changed.", "Select some words of the review first.")
    return marked


def _insert_spans(act: Action, comment_id: str, role: str, spans: Sequence[Span]) -> None:
    act.executemany(
        "INSERT INTO comment_span(id, comment_id, role, position, start_offset, end_offset) VALUES (?, ?, ?, ?, ?, ?)",
        ((new_id(), comment_id, role, number, s.start, s.end) for number, s in enumerate(spans)),
    )


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    return json.dumps([list(pair) for pair in pairs], ensure_ascii=False)


def _text_record(row: sqlite3.Row) -> SourceText:
    return SourceText(
        id=row["id"],
        title=row["title"],
        text=row["text"],
        media_type=row["media_type"],
        reviewer=row["reviewer"],
        kind=row["kind"],
        fields=tuple((name, value) for name, value in json.loads(row["fields"])),
    )


def _comment_record(row: sqlite3.Row, spans: dict[str, list[Span]]) -> Comment:
    return Comment(
        id=row["id"],
        source_id=row["source_id"],
        reviewer=row["reviewer"],
        comment=row["comment"],
        context=row["context"],
        response=row["response"],
        spans=tuple(spans.get("comment", ())),
        context_spans=tuple(spans.get("context", ())),
        response_spans=tuple(spans.get("response", ())),
        actionable=bool(row["actionable"]),
        action=row["action"],
        extra=tuple((name, value) for name, value in json.loads(row["extra"])),
        external_id=row["external_id"],
    )


def _plain(text: str) -> str:
    """A text without its line ends and the case of its letters."""
    return " ".join(text.split()).casefold()
