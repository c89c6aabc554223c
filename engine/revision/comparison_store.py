"""Stores results: comparisons of two versions with their edits, and the suggestions of each aligner run.

An edit keeps its key when the versions are compared again: new edits are matched to old ones by their text, and edits
that are no longer found stay in the table, marked, so that links, decisions and the undo history stay valid.
"""

# ruff: noqa: S608 (only marks for values are put into statements; values are always bound)
import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice, pairwise
from operator import attrgetter

from engine.documents.records import Paragraph
from engine.errors import BadInput
from engine.project import Project, new_id, now, record, records, values_of
from engine.project.tables import Row
from engine.revision.records import (
    Edit,
    Mistake,
    NewPassage,
    Revision,
    RevisionDiff,
    SavedDiff,
    Scored,
    Suggestion,
    SuggestionDecision,
)

# Matches edits of a new comparison to those of the old one, so that people's links are kept.

_WORD = re.compile(r"\w+")
LEAST_OVERLAP = 0.5


def match_edits(old: Sequence[Edit], new: Sequence[Edit], least: float = LEAST_OVERLAP) -> tuple[int | None, ...]:
    """Returns for each new edit the index of the old edit that it continues, or None; no old edit is used twice.

    Edits are compared by the text of their paragraphs, never by position or number, which change with every parser and
    threshold. Equal texts are matched first (in order, if a text occurs twice). The rest are paired greedily by the
    Dice overlap of their word bigrams, which are distinguished by side, from 1 down to ``least``; below that a link
    would point at something that its author didn't see.
    """
    taken: set[int] = set()
    found: list[int | None] = [None] * len(new)
    same: dict[tuple[str, ...], list[int]] = defaultdict(list)
    old_words = [_sides(edit) for edit in old]
    for index, words in enumerate(old_words):
        same[words].append(index)
    new_words = [_sides(edit) for edit in new]
    for index, words in enumerate(new_words):
        if same.get(words):
            found[index] = same_index = same[words].pop(0)
            taken.add(same_index)
    old_bigrams = [set[tuple[str, str]]() if i in taken else _bigrams(words) for i, words in enumerate(old_words)]
    postings: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, bigrams in enumerate(old_bigrams):
        for bigram in bigrams:
            postings[bigram].append(index)
    pairs: list[tuple[float, int, int]] = []
    for index, words in enumerate(new_words):
        if found[index] is not None:
            continue
        bigrams = _bigrams(words)
        shared: Counter[int] = Counter()
        for bigram in bigrams:
            shared.update(postings.get(bigram, ()))
        for other, common in shared.items():
            overlap = 2 * common / (len(bigrams) + len(old_bigrams[other]))
            if overlap >= least:
                pairs.append((-overlap, index, other))
    for _, index, other in sorted(pairs):
        if found[index] is None and other not in taken:
            found[index] = other
            taken.add(other)
    return tuple(found)


def _sides(edit: Edit) -> tuple[str, ...]:
    """Returns the words of both sides, with a mark for each side."""
    source = (f"-{word}" for word in _WORD.findall(edit.source_text.casefold()))
    target = (f"+{word}" for word in _WORD.findall(edit.target_text.casefold()))
    return (*source, *target)


def _bigrams(words: Sequence[str]) -> set[tuple[str, str]]:
    return set(pairwise(words)) or {(word, "") for word in words}


KEPT_SUGGESTIONS = 30
"""The number of edits stored per comment in a run; those over the threshold are always stored."""
PASSAGE = {
    "kind": "minor", "operation": "edit", "moved": 0, "source_ids": "[]", "source_text": "", "tokens_removed": 0,
    "tokens_added": 0, "passage": 1,
}  # fmt: skip
"""The values that all passages share in the table of edits."""
_CHUNK = 200  # rows per transaction: a few milliseconds, so that user actions don't wait for results


class ComparisonStore:
    """Reads and writes comparisons and suggestions."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._edits: dict[str, tuple[object, tuple[tuple[Edit, ...], tuple[Edit, ...]]]] = {}

    def revisions(self) -> tuple[Revision, ...]:
        """Returns all comparisons, oldest first."""
        return tuple(records(Revision, self._project.query("SELECT * FROM revision ORDER BY created_at, id")))

    def revision(self, revision_id: str) -> Revision:
        """Raises KeyError if there is none."""
        return record(Revision, self._project.row("revision", revision_id))

    def revision_of(self, source_document_id: str, target_document_id: str) -> Revision | None:
        row = self._project.query_one(
            "SELECT * FROM revision WHERE source_document_id = ? AND target_document_id = ?",
            (source_document_id, target_document_id),
        )
        return None if row is None else record(Revision, row)

    def texts_of(self, revision_id: str) -> str | None:
        """Returns the paper whose reviews belong to a revision; None if all do, since there is only one paper.

        Reviews that were imported before there was a paper belong to the only one. Raises KeyError.
        """
        revision = self.revision(revision_id)
        papers = self._project.query("SELECT id FROM paper")
        rows = self._project.query(
            "SELECT paper_id FROM paper_version WHERE document_id IN (?, ?) GROUP BY paper_id"
            " ORDER BY count(DISTINCT document_id) DESC, min(created_at), paper_id",
            (revision.source_document_id, revision.target_document_id),
        )
        return str(rows[0][0]) if len(papers) > 1 and rows else None

    def edits(self, revision_id: str, *, dismissed_by: Collection[str] | None = None) -> tuple[Edit, ...]:
        """Returns the current edits in order of the revised text, without those that all of ``dismissed_by`` (by
        default the acting annotator; for () nobody) dismissed and that aren't linked; cached until the next
        comparison."""
        return self._current_edits(revision_id, dismissed_by)[0]

    def dismissed_edits(self, revision_id: str) -> tuple[Edit, ...]:
        """Returns the current edits that the acting annotator dismissed."""
        return self._current_edits(revision_id, None)[1]

    def _current_edits(
        self, revision_id: str, dismissed_by: Collection[str] | None
    ) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
        people = sorted([self._project.annotator_id] if dismissed_by is None else dismissed_by)
        rows = self._project.query(
            "SELECT d.edit_id FROM dismissed_edit d JOIN edit e ON e.id = d.edit_id WHERE e.revision_id = ?"
            " AND NOT EXISTS (SELECT 1 FROM edit_link l WHERE l.edit_id = e.id AND l.annotator_id = d.annotator_id)"
            f" AND d.annotator_id IN ({', '.join('?' * len(people))}) GROUP BY d.edit_id HAVING count(*) = ?",
            (revision_id, *people, len(people)),
        )
        gone = frozenset(row[0] for row in rows)
        stamp = self._project.row("revision", revision_id)["updated_at"], gone
        cached = self._edits.get(revision_id)
        if cached is None or cached[0] != stamp:
            rows = self._project.query(
                "SELECT * FROM edit WHERE revision_id = ? AND current = 1 AND passage = 0 ORDER BY position",
                (revision_id,),
            )
            found = tuple(records(Edit, rows))
            parts = tuple(e for e in found if e.id not in gone), tuple(e for e in found if e.id in gone)
            cached = self._edits[revision_id] = (stamp, parts)
        return cached[1]

    def passages(self, revision_id: str, annotators: Collection[str] | None = None) -> tuple[Edit, ...]:
        """Returns the passages that some of these annotators (by default the acting one) linked, in order of the
        revised text. If two have the same label from different files, the later one gets another."""
        people = sorted([self._project.annotator_id] if annotators is None else annotators)
        rows = self._project.query(
            "SELECT * FROM edit WHERE revision_id = ? AND passage = 1 ORDER BY id", (revision_id,)
        )
        if not rows:
            return ()
        labels, named = Counter[str](), []
        for edit in records(Edit, rows):
            labels[edit.label] += 1
            again = labels[edit.label]
            named.append(replace(edit, label=f"{edit.label}-{again}") if again > 1 else edit)
        linked = {
            row[0]
            for row in self._project.query(
                f"SELECT edit_id FROM edit_link WHERE annotator_id IN ({', '.join('?' * len(people))})", people
            )
        }
        at = {row["id"]: (row["position"], row["id"]) for row in rows}
        return tuple(sorted((one for one in named if one.id in linked), key=lambda one: at[one.id]))

    def targets(self, revision_id: str, annotators: Collection[str] | None = None) -> tuple[Edit, ...]:
        """Returns what the acting annotator can link: edits, then the passages linked by ``annotators`` (by default the
        acting one)."""
        return (*self.edits(revision_id), *self.passages(revision_id, annotators))

    def keep_passage(self, revision_id: str, new: NewPassage) -> str:
        """Stores a passage and returns its key; the same words in the same paragraphs share one."""
        place = {"revision_id": revision_id, "target_text": new.text, "target_ids": list(new.paragraph_ids)}
        rows = self._project.query("SELECT * FROM edit WHERE revision_id = ? AND passage = 1", (revision_id,))
        for known in records(Edit, rows):
            if (known.target_text, known.target_ids) == (new.text, new.paragraph_ids):
                return known.id
        with self._project.results("Store passage") as write:
            return write.insert(
                "edit",
                place | PASSAGE | {
                    "position": new.position, "label": f"p{len(rows) + 1}", "section": new.section
                },
            )  # fmt: skip

    def place_passages(self, revision_id: str, paragraphs: Sequence[Paragraph]) -> None:
        """Finds the passages again in the revised version as it is now parsed; if the words are gone, their links need
        attention."""
        for key, found, length in self.passages_in(revision_id, paragraphs):
            with self._project.results("Place passages") as write:
                if found is None:
                    write.update("edit", key, {"current": 0})
                else:
                    ids = [paragraph.id for paragraph in paragraphs[found : found + length]]
                    write.update("edit", key, {"current": 1, "target_ids": ids, "position": found})
                write.touched("edit", [key])

    def passages_in(self, revision_id: str, paragraphs: Sequence[Paragraph]) -> Iterator[tuple[str, int | None, int]]:
        """Yields for each passage its key, the index of its first paragraph if its words are found, and its number of
        paragraphs."""
        rows = self._project.query("SELECT * FROM edit WHERE revision_id = ? AND passage = 1", (revision_id,))
        by_id = {paragraph.id: at for at, paragraph in enumerate(paragraphs)}
        for edit in records(Edit, rows):
            pieces = edit.target_text.split("\n\n")
            starts = [by_id[i] for i in edit.target_ids[:1] if i in by_id]
            found = (
                at
                for at in (*starts, *range(len(paragraphs)))
                if len(held := paragraphs[at : at + len(pieces)]) == len(pieces)
                and all(words in paragraph.text for words, paragraph in zip(pieces, held, strict=True))
            )
            yield edit.id, next(found, None), len(pieces)

    def edit(self, edit_id: str) -> Edit:
        """Returns an edit by its key, even if it is no longer current. Raises KeyError if there is none."""
        return record(Edit, self._project.row("edit", edit_id))

    def save_diff(
        self,
        source_document_id: str,
        target_document_id: str,
        diff: RevisionDiff,
        parameters: Mapping[str, str] | None = None,
    ) -> SavedDiff:
        """Stores a comparison; known edits keep their key, and with it their links."""
        with self._project.results("Compare versions") as write:
            documents = {"source_document_id": source_document_id, "target_document_id": target_document_id}
            revision_id = write.keep("revision", documents, {})
        rows = self._project.query(
            "SELECT * FROM edit WHERE revision_id = ? AND passage = 0 ORDER BY current DESC, position", (revision_id,)
        )
        before = records(Edit, rows)
        was_current = {row["id"] for row in rows if row["current"]}
        matches = match_edits(before, diff.edits)
        keys = [new_id() if match is None else before[match].id for match in matches]
        wanted = {
            key: values_of(edit) | {"id": key, "label": edit.label or edit.id, "position": position}
            for position, (key, edit) in enumerate(zip(keys, diff.edits, strict=True))
        }
        fresh = [key for key, match in zip(keys, matches, strict=True) if match is None]
        # New rows are inserted hidden (current = 0), a few at a time; a short last transaction shows the new
        # comparison.
        for chunk in _chunks(wanted[key] | {"revision_id": revision_id, "current": 0} for key in fresh):
            with self._project.results("Compare versions") as write:
                write.insert_all("edit", chunk)
        with self._project.results("Compare versions") as write:
            for key in was_current.difference(keys):
                write.update("edit", key, {"current": 0})
            for key in wanted.keys() - set(fresh):
                write.update("edit", key, wanted[key] | {"current": 1})
            for key in fresh:
                write.update("edit", key, {"current": 1})
            compared = {"parameters": dict(parameters or {}), "unchanged": diff.unchanged, "seconds": diff.seconds}
            write.update("revision", revision_id, compared | {"updated_at": now()})
            write.touched("edit", {*keys, *was_current})
            write.touched("revision", [revision_id])
        return SavedDiff(
            revision_id=revision_id,
            kept=len(keys) - len(fresh),
            new=len(fresh),
            retired=len(was_current.difference(keys)),
            needs_attention=self._lost_links(revision_id),
        )

    def _lost_links(self, revision_id: str) -> int:
        row = self._project.query_one(
            "SELECT count(*) FROM edit_link l JOIN edit e ON e.id = l.edit_id"
            " WHERE e.revision_id = ? AND l.annotator_id = ? AND e.current = 0",
            (revision_id, self._project.annotator_id),
        )
        return int(row[0]) if row is not None else 0

    @property
    def hides_suggestions(self) -> bool:
        """Whether suggestions are hidden from everyone who works in this file or in a shared copy: reading returns
        none."""
        return self._project.info("suggestions") in ("hidden", "locked")

    @property
    def can_show_suggestions(self) -> bool:
        """Whether this file may change that; a copy that was shared with hidden suggestions may not."""
        return not self._project.read_only and self._project.info("suggestions") != "locked"

    def hide_suggestions(self, hidden: bool) -> None:
        """Hides suggestions, their scores and proposals, or shows them again.

        Raises BadInput if the file is a copy that was shared with hidden suggestions.
        """
        if not self.can_show_suggestions:
            raise BadInput(
                "The person who shared this copy has hidden suggestions.", "They stay hidden.",
                "Ask for a copy with suggestions.",
            )  # fmt: skip
        self._project.set_info("suggestions", "hidden" if hidden else "shown")

    def save_suggestions(
        self,
        revision_id: str,
        strategy: str,
        origin: str,
        rankings: Mapping[str, Sequence[Scored]],
        *,
        use_responses: bool,
        parameters: Mapping[str, str] | None = None,
        seconds: float = 0.0,
        partial: bool = False,
    ) -> None:
        """Stores a run of an aligner, best first for each comment, and shows it once it is complete; ``origin`` is the
        provenance of accepted links.

        Comments that a ``partial`` run didn't reach keep their suggestions from the previous run.
        """
        with self._project.results("Suggest links") as write:
            write.delete("suggestion_run", revision_id=revision_id, complete=0)
            run = {
                "revision_id": revision_id, "strategy": strategy, "origin": origin, "seconds": seconds,
                "parameters": dict(parameters or {}) | ({"partial": "yes"} if partial else {}),
                "use_responses": use_responses,
            }  # fmt: skip
            run_id = write.insert("suggestion_run", run)
        rows = (
            {"run_id": run_id, "comment_id": comment_id, "rank": rank} | values_of(scored)
            for comment_id, ranking in rankings.items()
            for rank, scored in enumerate(ranking, start=1)
            if rank <= KEPT_SUGGESTIONS or scored.linked
        )
        for chunk in _chunks(rows):
            with self._project.results("Suggest links") as write:
                write.insert_all("suggestion", chunk)
        with self._project.results("Suggest links") as write:
            write.update("suggestion_run", run_id, {"complete": 1})
            write.touched("suggestion_run", [run_id])
            write.touched("suggestion", rankings)

    def suggestions(self, revision_id: str, comment_id: str, strategy: str | None = None) -> tuple[Suggestion, ...]:
        """Returns the newest run's suggestions for a comment, best first, each with the decision on it."""
        return self.all_suggestions(revision_id, strategy, [comment_id]).get(comment_id, ())

    def all_suggestions(
        self,
        revision_id: str,
        strategy: str | None = None,
        comment_ids: Sequence[str] | None = None,
        *,
        top: int | None = None,
    ) -> dict[str, tuple[Suggestion, ...]]:
        """Returns the newest suggestions by comment: for all comments, or the given ones; ``top`` limits their number,
        not counting those over the threshold. Empty if the project hides them."""
        if self.hides_suggestions:
            return {}
        found: dict[str, tuple[Suggestion, ...]] = {}
        runs = self._project.query(
            "SELECT id, origin, parameters FROM suggestion_run WHERE revision_id = ? AND complete = 1"
            " AND (? IS NULL OR strategy = ?) ORDER BY created_at DESC, id DESC",
            (revision_id, strategy, strategy),
        )
        for run in runs:
            found = self._offered(run["id"], run["origin"], comment_ids, top) | found
            if "partial" not in json.loads(run["parameters"]):
                break
        return found

    def _offered(
        self, run_id: str, origin: str, comment_ids: Sequence[str] | None, top: int | None
    ) -> dict[str, tuple[Suggestion, ...]]:
        some = "" if comment_ids is None else f" AND s.comment_id IN ({', '.join('?' * len(comment_ids))})"
        rows = self._project.query(
            "SELECT s.*, d.decision, coalesce(d.mistakes, '[]') AS mistakes FROM suggestion s"
            " JOIN edit e ON e.id = s.edit_id AND e.current = 1"
            " AND NOT EXISTS (SELECT 1 FROM dismissed_edit x WHERE x.edit_id = e.id AND x.annotator_id = ?)"
            " LEFT JOIN suggestion_decision d ON d.comment_id = s.comment_id AND d.edit_id = s.edit_id"
            " AND d.annotator_id = ? WHERE s.run_id = ? AND (? IS NULL OR s.rank <= ? OR s.linked = 1)"
            f"{some} ORDER BY s.comment_id, s.rank",
            (self._project.annotator_id, self._project.annotator_id, run_id, top, top, *(comment_ids or ())),
        )
        found = groupby(records(Suggestion, rows, origin=origin), key=attrgetter("comment_id"))
        return {comment_id: tuple(listed) for comment_id, listed in found}

    def decisions(self, revision_id: str) -> tuple[tuple[str, str, SuggestionDecision, str, tuple[Mistake, ...]], ...]:
        """Returns (comment, edit, decision, origin, mistakes) of the acting annotator's decisions on a revision, oldest
        first."""
        rows = self._project.query(
            "SELECT d.comment_id, d.edit_id, d.decision, d.origin, d.mistakes FROM suggestion_decision d"
            " JOIN edit e ON e.id = d.edit_id WHERE e.revision_id = ? AND d.annotator_id = ?"
            " ORDER BY d.created_at, d.id",
            (revision_id, self._project.annotator_id),
        )
        return tuple((*row[:4], tuple(json.loads(row[4]))) for row in rows)


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yields the rows in chunks for one short transaction each."""
    left = iter(rows)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk
