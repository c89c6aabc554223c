# ruff: noqa: S608 (only conditions of this module are put into statements; values are always bound)
"""Stores a project's reviews: the imported texts, the comments marked in them, and the authors' responses."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from engine.errors import BadInput, not_changed, not_imported
from engine.project import Action, Project, Store, new_id, record, records, values_of
from engine.project.tables import Row
from engine.reviews.records import (
    FOLLOWS,
    SAME_RESPONSE,
    ActionClass,
    Comment,
    ReviewBundle,
    ReviewChange,
    SourceText,
    Span,
)
from engine.reviews.sentences import split_sentences
from engine.reviews.spans import cut, normalised, readable, spoken
from engine.shown import counted, shortened

SpanRole = Literal["comment", "context", "response"]

_SPANS: dict[SpanRole, str] = {"comment": "spans", "context": "context_spans", "response": "response_spans"}
"""The field of a comment that contains the spans of each role."""
# Comments are ordered by their first span; those without a span keep their order of creation.
_ORDER = (
    "ORDER BY t.position, t.id, (SELECT min(s.start_offset) FROM comment_span s WHERE s.comment_id = c.id"
    " AND s.role = 'comment') NULLS LAST, c.position, c.id"
)
_TELLING = 20
"""Minimum characters for two comments with the same text to count as one; "Typo." may be said twice."""

_NAMED = 40
"""The longest quotation in the title of an action, in characters."""


def quoted(words: str) -> str:
    """Returns the first words of a text in quotes, for the title of an action."""
    return f"“{shortened(words, _NAMED)}”"


def named_comment(project: Project, comment_id: str) -> str:
    """Returns the first words of a comment in quotes."""
    row = project.query_one("SELECT comment FROM comment WHERE id = ?", (comment_id,))
    return quoted(str(row[0])) if row is not None else "comment"


class ReviewStore(Store):
    """Reads and writes ``source_text``, ``comment`` and ``comment_span``.

    Comments and texts that other work refers to are removed and merged by ``engine.operations``.
    """

    def texts(self, paper_id: str | None = None) -> tuple[SourceText, ...]:
        """Returns all texts in the order they were added; with ``paper_id`` those of one paper."""
        where, values = ("", ()) if paper_id is None else ("WHERE paper_id = ?", (paper_id,))
        rows = self._project.query(f"SELECT * FROM source_text {where} ORDER BY position, id", values)
        return tuple(records(SourceText, rows))

    def text(self, source_id: str) -> SourceText:
        """Returns one text. Raises KeyError."""
        return record(SourceText, self._project.row("source_text", source_id))

    def comments(
        self,
        *,
        paper_id: str | None = None,
        source_id: str | None = None,
        reviewer: str | None = None,
        actionable: bool | None = None,
        seen_by: Collection[str] | None = None,
    ) -> tuple[Comment, ...]:
        """Returns comments in the order of their texts and positions, filtered by the arguments.

        ``seen_by`` are annotators: returns comments from files, and those that one of them marked.
        """
        wanted = {"t.paper_id": paper_id, "c.source_id": source_id, "c.reviewer": reviewer, "c.actionable": actionable}
        given = {column: value for column, value in wanted.items() if value is not None}
        where = " AND ".join(f"{column} = ?" for column in given) or "1"
        people = tuple(seen_by or ())
        if seen_by is not None:
            where += f" AND (c.origin <> 'person' OR c.annotator_id IN ({', '.join('?' * len(people))}))"
        return self._comments(where, (*given.values(), *people))

    def markers(self) -> dict[str, str]:
        """Returns the key of the annotator who marked each comment. Comments from files are left out."""
        rows = self._project.query("SELECT id, annotator_id FROM comment WHERE origin = 'person'")
        return {row["id"]: row["annotator_id"] for row in rows}

    def has_comments(self, paper_id: str | None = None) -> bool:
        """Returns whether a paper (None: any text) has comments."""
        rows = self._project.query(
            "SELECT 1 FROM comment c JOIN source_text t ON t.id = c.source_id"
            " WHERE ? IS NULL OR t.paper_id = ? LIMIT 1",
            (paper_id, paper_id),
        )
        return bool(rows)

    def marked_papers(self) -> frozenset[tuple[str, str | None]]:
        """Returns annotators with the papers in whose texts they marked comments other than follow-ups; None for texts
        that belong to no paper."""
        rows = self._project.query(
            "SELECT DISTINCT c.annotator_id, t.paper_id FROM comment c JOIN source_text t ON t.id = c.source_id"
            " WHERE c.origin = 'person' AND instr(c.extra, ?) = 0",
            (f'"{FOLLOWS}"',),
        )
        return frozenset((key, paper) for key, paper in rows)

    def comment(self, comment_id: str) -> Comment:
        """Returns one comment. Raises KeyError."""
        return self._found([comment_id])[0]

    def reviewers(self, paper_id: str | None = None) -> tuple[tuple[str, int], ...]:
        """Returns each reviewer with the number of their comments, in order of first appearance."""
        return tuple(Counter(comment.reviewer for comment in self.comments(paper_id=paper_id)).items())

    def _comments(self, where: str, values: Sequence[Any]) -> tuple[Comment, ...]:
        source = f"FROM comment c JOIN source_text t ON t.id = c.source_id WHERE {where}"
        rows = self._project.query(f"SELECT c.* {source} {_ORDER}", values)
        spans: dict[str, dict[str, list[Span]]] = defaultdict(lambda: defaultdict(list))
        for row in self._project.query(
            "SELECT comment_id, role, start_offset, end_offset FROM comment_span"
            f" WHERE comment_id IN (SELECT c.id {source}) ORDER BY comment_id, role, position",
            values,
        ):
            spans[row["comment_id"]][_SPANS[row["role"]]].append(Span(row["start_offset"], row["end_offset"]))
        return tuple(records(Comment, [dict(zip(row.keys(), row, strict=True)) | spans[row["id"]] for row in rows]))

    def _found(self, comment_ids: Iterable[str]) -> tuple[Comment, ...]:
        wanted = list(comment_ids)
        found = self._comments("c.id IN (SELECT value FROM json_each(?))", (json.dumps(wanted),))
        by_key = {comment.id: comment for comment in found}
        return tuple(by_key[key] for key in wanted)

    def import_bundle(self, bundle: ReviewBundle, filename: str, *, paper_id: str | None = None) -> ReviewChange:
        """Stores the result of an import in one step. Texts and comments get keys of the project; the ids in the bundle
        become ``external_id``.

        Raises BadInput, with nothing imported, if a comment refers to a text that isn't in the bundle, or has a span
        outside of it.
        """
        keys = {text.id: new_id() for text in bundle.texts}
        by_id = {text.id: text for text in bundle.texts}
        origin = f"import:{filename}"
        made: list[Comment] = []
        for comment in bundle.comments:
            if comment.source_id not in by_id:
                raise not_imported(f"A comment in {filename} doesn't belong to any of its texts.")
            for field in _SPANS.values():
                normalised(by_id[comment.source_id].text, getattr(comment, field))
            external_id = comment.external_id or comment.id
            made.append(replace(comment, id=new_id(), source_id=keys[comment.source_id], external_id=external_id))
        with self._project.action(f"Import {filename}") as act:
            texts = (values_of(text) | {"id": keys[text.id]} for text in bundle.texts)
            act.insert_all("source_text", (row | {"origin": origin, "paper_id": paper_id} for row in texts))
            _insert_comments(act, made, origin)
        return ReviewChange(tuple(self.text(k) for k in keys.values()), self._found(c.id for c in made))

    def import_new(
        self, bundle: ReviewBundle, filename: str, *, paper_id: str | None = None, everywhere: bool = False
    ) -> tuple[ReviewChange, int, int, int]:
        """As ``import_bundle``, for what the paper (or, with ``everywhere``, the project) doesn't contain yet, in one
        step.

        A text that already exists word for word is left out with its comments. A comment of a new text with the wording
        of an existing comment counts as that comment, which gets its response if they differ. Returns the change, the
        number of texts left out, of comments that already existed, and of these that got a response.

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
        sharing: dict[str, list[str]] = {}
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
            if comment.same_response and not found.same_response:
                sharing.setdefault(comment.same_response, []).append(found.id)
        with self._project.action(f"Import {filename}"):
            for key, response in answers:
                self.set_response(key, response)
            for shared, keys in sharing.items():
                self._set_extra(keys, SAME_RESPONSE, shared)
            narrowed = replace(bundle, texts=fresh, comments=tuple(new))
            change = self.import_bundle(narrowed, filename, paper_id=paper_id)
        return change, len(left_out), met, len(answers)

    def add_text(self, title: str, text: str, *, reviewer: str = "", paper_id: str | None = None) -> ReviewChange:
        """Adds a review that the user pasted or typed."""
        if not text.strip():
            raise BadInput("The review is empty.", "Nothing was added.", "Paste its text first.")
        made = SourceText(new_id(), title, text, reviewer=reviewer)
        with self._project.action(f"Add review “{title}”") as act:
            act.insert("source_text", values_of(made) | {"origin": "person", "paper_id": paper_id})
        return ReviewChange(texts=(made,))

    def add_comment(
        self, source_id: str, spans: Sequence[Span], *, context: Sequence[Span] = (), reviewer: str | None = None
    ) -> ReviewChange:
        """Marks spans of a text as one comment. By default, the reviewer is that of the preceding comment.

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
        with self._project.action(f"Mark comment: {quoted(comment.comment)}") as act:
            _insert_comments(act, [comment], "person")
        return ReviewChange(comments=self._found([comment.id]))

    def add_follow_up(self, comment_id: str, text: str) -> ReviewChange:
        """Adds a reviewer's reaction to the answer to a comment, as a review with a new comment that follows it."""
        before = self.comment(comment_id)
        paper = self._project.row("source_text", before.source_id)["paper_id"]
        with self._project.action(f"Add follow-up: {quoted(text)}"):
            (made,) = self.add_text("Follow-up", text.strip(), reviewer=before.reviewer, paper_id=paper).texts
            span = Span(0, len(made.text))
            (comment,) = self.add_comment(made.id, [span], reviewer=before.reviewer).comments
            self._set_extra([comment.id], FOLLOWS, comment_id)
        return ReviewChange(texts=(made,), comments=self._found([comment.id]))

    def share_response(self, comment_id: str, other_id: str) -> ReviewChange:
        """Makes a comment share the response of another one."""
        with self._project.action("Share response"):
            same = self.comment(other_id).same_response or new_id()
            return self._set_extra([comment_id, other_id], SAME_RESPONSE, same)

    def part_response(self, comment_id: str) -> ReviewChange:
        """Gives a comment its own response again."""
        with self._project.action(self._titled("Respond on its own", comment_id)):
            return self._set_extra([comment_id], SAME_RESPONSE, "")

    def _set_extra(self, comment_ids: Sequence[str], name: str, value: str) -> ReviewChange:
        with self._project.action(f"Set {name}") as act:
            for comment in map(self.comment, comment_ids):
                kept = {key: said for key, said in comment.extra if key != name} | ({name: value} if value else {})
                act.update("comment", comment.id, {"extra": tuple(kept.items())})
        return ReviewChange(comments=self._found(comment_ids))

    def set_spans(self, comment_id: str, spans: Sequence[Span]) -> ReviewChange:
        """Changes the spans of a comment; its text is updated."""
        return self._respan(comment_id, "comment", spans, "Change comment position")

    def add_span(self, comment_id: str, span: Span) -> ReviewChange:
        """Adds a span to a comment; overlapping or touching spans are merged."""
        spans = (*self.comment(comment_id).spans, span)
        return self._respan(comment_id, "comment", spans, "Add span to comment")

    def set_context(self, comment_id: str, spans: Sequence[Span]) -> ReviewChange:
        """Sets the surrounding text that explains a comment; empty for none."""
        return self._respan(comment_id, "context", spans, "Set comment context")

    def set_response_spans(self, comment_id: str, spans: Sequence[Span]) -> ReviewChange:
        """Sets where the letter answers a comment; the response's text is updated. Empty for no response."""
        return self._respan(comment_id, "response", spans, "Set comment response")

    def set_response(self, comment_id: str, text: str) -> ReviewChange:
        """Edits the response of a comment; continued typing is one undo step. Spans don't change."""
        return self._write(comment_id, "response", text, "Edit response")

    def set_comment_text(self, comment_id: str, text: str) -> ReviewChange:
        """Edits the text of a comment; continued typing is one undo step. Spans don't change.

        Raises:
            BadInput: ``text`` is empty.
        """
        if not text.strip():
            raise BadInput("The comment is empty.", "It wasn't changed.", "Delete the comment instead.")
        return self._write(comment_id, "comment", text, "Edit comment")

    def split_comment(self, comment_id: str, position: int) -> ReviewChange:
        """Splits a comment at the start of a sentence, the one nearest to an offset of its text; a single sentence is
        split at the offset. Both parts keep context, response, reviewer and the comment that they follow.

        Raises:
            BadInput: one side would be empty.
        """
        comment = self.comment(comment_id)
        source = self.text(comment.source_id)
        inner = [
            s.start for s in split_sentences(source.text) if any(at.start <= s.start < at.end for at in comment.spans)
        ]
        if len(inner) > 1 and comment.spans[0].start < position < comment.spans[-1].end:
            position = min(inner[1:], key=lambda start: abs(start - position))
        first, second = (normalised(source.text, part) for part in cut(comment.spans, position))
        if not first or not second:
            raise BadInput(
                "One side would be empty.", "The comment wasn't split.", "Put the cursor inside the comment."
            )
        own = tuple(entry for entry in comment.extra if entry[0] == FOLLOWS)
        new = replace(
            comment, id=new_id(), spans=second, comment=spoken(source.text, second), external_id="", extra=own
        )
        with self._project.action(self._titled("Split comment", comment_id)) as act:
            self._set_role(act, comment_id, "comment", source.text, first)
            # Both parts keep the origin of the whole: if it is from a file, they belong to everyone.
            _insert_comments(act, [new], self._project.row("comment", comment_id)["origin"])
        return ReviewChange(comments=self._found([comment_id, new.id]))

    def set_actionable(self, comment_ids: Sequence[str], actionable: bool) -> ReviewChange:
        """Sets whether comments ask for something."""
        title = "Mark as a request" if actionable else "Mark as no request"
        return self._set_column(comment_ids, "actionable", actionable, title)

    def set_action(self, comment_ids: Sequence[str], action: ActionClass | None) -> ReviewChange:
        """Sets the class of action that comments ask for (ARIES, appendix B.1); None clears it."""
        title = f"Set action “{action}”" if action else "Clear action"
        return self._set_column(comment_ids, "action", action, title)

    def set_reviewer(self, comment_ids: Sequence[str], reviewer: str) -> ReviewChange:
        """Sets the reviewer of comments."""
        return self._set_column(comment_ids, "reviewer", reviewer, f"Set reviewer “{reviewer}”")

    def rename_reviewer(self, old: str, new: str, *, paper_id: str | None = None) -> ReviewChange:
        """Renames a reviewer in all texts and comments (of one paper, if given)."""
        comments = [c.id for c in self.comments(paper_id=paper_id, reviewer=old)]
        texts = [t.id for t in self.texts(paper_id) if t.reviewer == old]
        with self._project.action(f"Rename reviewer “{old}” to “{new}”") as act:
            for table, keys in (("comment", comments), ("source_text", texts)):
                for key in keys:
                    act.update(table, key, {"reviewer": new})
        return ReviewChange(texts=tuple(map(self.text, texts)), comments=self._found(comments))

    def _reviewer_at(self, source: SourceText, position: int) -> str:
        before = [c for c in self.comments(source_id=source.id) if c.spans and c.spans[0].start <= position]
        return before[-1].reviewer if before else source.reviewer

    def _respan(self, comment_id: str, role: SpanRole, spans: Sequence[Span], title: str) -> ReviewChange:
        source = self.text(self.comment(comment_id).source_id)
        marked = _marked(source.text, spans) if role == "comment" else normalised(source.text, spans)
        with self._project.action(self._titled(title, comment_id)) as act:
            self._set_role(act, comment_id, role, source.text, marked)
        return ReviewChange(comments=self._found([comment_id]))

    def _set_role(self, act: Action, comment_id: str, role: SpanRole, text: str, spans: Sequence[Span]) -> None:
        if role == "comment":
            content = spoken(text, spans)
        elif role == "context":
            content = readable(text, tuple(spans))
        else:
            content = "\n\n".join(text[s.start : s.end] for s in spans)
        act.update("comment", comment_id, {role: content})
        act.delete("comment_span", comment_id=comment_id, role=role)
        act.insert_all("comment_span", _span_rows(comment_id, role, spans))

    def _titled(self, title: str, *comment_ids: str) -> str:
        one = len(comment_ids) == 1
        return f"{title}: {named_comment(self._project, *comment_ids) if one else counted(len(comment_ids), 'comment')}"

    def _write(self, comment_id: str, column: str, text: str, title: str) -> ReviewChange:
        with self._project.action(self._titled(title, comment_id), coalesce=f"comment.{column}:{comment_id}") as act:
            act.update("comment", comment_id, {column: text})
        return ReviewChange(comments=self._found([comment_id]))

    def _set_column(self, comment_ids: Sequence[str], column: str, value: str | int | None, title: str) -> ReviewChange:
        with self._project.action(self._titled(title, *comment_ids)) as act:
            for key in comment_ids:
                act.update("comment", key, {column: value})
        return ReviewChange(comments=self._found(comment_ids))


def _marked(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    marked = normalised(text, spans)
    if not marked:
        raise not_changed("No text is marked.", "Select some words of the review first.")
    return marked


def _insert_comments(act: Action, comments: Sequence[Comment], origin: str) -> None:
    act.insert_all("comment", (values_of(comment, *_SPANS.values()) | {"origin": origin} for comment in comments))
    act.insert_all(
        "comment_span",
        (
            row
            for comment in comments
            for role, field in _SPANS.items()
            for row in _span_rows(comment.id, role, getattr(comment, field))
        ),
    )


def _span_rows(comment_id: str, role: SpanRole, spans: Iterable[Span]) -> list[Row]:
    return [
        {"comment_id": comment_id, "role": role, "position": at, "start_offset": span.start, "end_offset": span.end}
        for at, span in enumerate(spans)
    ]


def _plain(text: str) -> str:
    """Normalises white space and case of a text for comparison."""
    return " ".join(text.split()).casefold()
