"""Removes papers, versions, reviews, comments and surveys, with all dependent human work, in one undo step.

Results of models are kept, since undo may restore their input. For permanent erasure, see ``erase``.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from engine.errors import not_changed
from engine.operations.targets import Kind, Target, in_words
from engine.project import Action, Project
from engine.project.closure import MATERIAL, MATERIAL_IF_IMPORTED, References, Rows, closure, points_of_reviewer
from engine.project.invariants import ON_COMPARISONS
from engine.reviews.records import FOLLOWS
from engine.reviews.store import named_comment
from engine.shown import counted, listed

_COPIES = frozenset({"cluster_sentence", "rebuttal_candidate"})
"""Tables with copies of sentences, which are kept when the review is removed."""
_NO_WORK = frozenset({"annotation_done", "merge_conflict"})
_PARTS = frozenset({"comment_span", "rebuttal_use", "merge_conflict"})
"""Tables whose rows are part of something that is already counted."""


@dataclass(frozen=True, slots=True)
class Affected:
    """What an operation removes or removed: keys by table, numbers of other annotators' rows by name and table, and
    notes."""

    title: str
    """The step's title in History."""
    rows: Mapping[str, frozenset[str]] = field(default_factory=dict)
    others: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        return {table: len(keys) for table, keys in self.rows.items() if keys and table not in _PARTS}

    @property
    def sentences(self) -> tuple[str, ...]:
        parts, said = in_words(self.counts), []
        if parts:
            said.append(f"{listed(parts)} will be removed. You can undo this.")
        if self.others:
            said.append(f"This includes other annotators' work: {self.others_in_words()}.")
        return (*said, *self.notes)

    def others_in_words(self) -> str:
        """Describes other annotators' work: "2 links and 1 comment by Bo"."""
        return "; ".join(f"{listed(in_words(counts))} by {name}" for name, counts in self.others.items())


def affected(project: Project, *targets: Target) -> Affected:
    """Returns what removing the targets would remove, without changing anything."""
    doomed: dict[str, set[str]] = {}
    for target in targets:
        for table, ids in _doomed(project, target).items():
            doomed.setdefault(table, set()).update(ids)
    kept = [f"{target.name.rpartition(': ')[2]}: the PDF is kept, because it's used elsewhere in this project."
            for target in targets if target.kind == "version" and not doomed.get("document")]  # fmt: skip
    return affects(project, _title(project, targets), doomed, kept + _freed(project, doomed.get("comment", set())))


def _freed(project: Project, doomed: Collection[str]) -> list[str]:
    """Returns a note about follow-up comments that are kept although the comment they follow is removed."""
    rows = project.query("SELECT id, extra FROM comment WHERE instr(extra, ?)", (FOLLOWS,)) if doomed else ()
    freed = sum(row["id"] not in doomed and dict(json.loads(row["extra"])).get(FOLLOWS) in doomed for row in rows)
    one, more = "follow-up stays as a separate comment", "follow-ups stay as separate comments"
    return [f"{counted(freed, one, more)}."] if freed else []


def remove(project: Project, *targets: Target, others: bool = False) -> Affected:
    """Removes the targets and dependent work; returns what was removed. Raises BadInput if other annotators' work would
    be removed and ``others`` doesn't allow that."""
    found = affected(project, *targets)
    with project.action(found.title) as act:
        carry_out(act, found, others=others)
    return found


def remove_comments(project: Project, comment_ids: Iterable[str], *, others: bool = False) -> Affected:
    """Calls ``remove`` for comments by their keys."""
    return remove(project, *(Target("comment", key, "") for key in comment_ids), others=others)


def affects(project: Project, title: str, rows: Mapping[str, Collection[str]], notes: Iterable[str] = ()) -> Affected:
    """Returns the record of rows that a step removes; only human work counts, and it is counted by annotator."""
    human = {row[0] for row in project.query("SELECT name FROM journalled_table")}
    gone = {table: frozenset(ids) for table, ids in sorted(rows.items()) if ids and table in human}
    references, names = References(project.connection()), dict(project.annotators())
    theirs: dict[str, Counter[str]] = {}
    for table, ids in gone.items():
        columns = references.columns[table]
        if "annotator_id" not in columns or table in MATERIAL | _NO_WORK:
            continue
        imported = table in MATERIAL_IF_IMPORTED
        for row in references.rows(table, ("annotator_id", "origin" if imported else "id"), "id", ids):
            if row["annotator_id"] != project.annotator_id and not (imported and row[1].startswith("import:")):
                theirs.setdefault(names.get(row["annotator_id"], "?"), Counter())[table] += 1
    return Affected(title, gone, theirs, tuple(notes))


def carry_out(act: Action, found: Affected, *, others: bool) -> None:
    """Deletes the rows. Raises BadInput if other annotators' work needs consent."""
    if found.others and not others:
        who = "Another annotator has" if len(found.others) == 1 else "Other annotators have"
        raise not_changed(
            f"{who} worked on this: {found.others_in_words()}.",
            "Confirm that you want to remove their work as well, or mark comments as no request instead.",
        )
    act.execute("PRAGMA defer_foreign_keys = ON")
    for table, ids in found.rows.items():
        act.executemany(f'DELETE FROM "{table}" WHERE id = ?', ((key,) for key in sorted(ids)))  # noqa: S608


def work_across(project: Project, comments: str, revisions: str, *values: str) -> Rows:
    """Returns human work on comments and comparisons, both given as SQL conditions on
    ``comment_id`` and ``revision``."""
    found: Rows = {}
    for table, revision in ON_COMPARISONS.items():
        rows = project.query(
            f"SELECT id FROM (SELECT w.id, w.comment_id, {revision} AS revision FROM {table} w)"  # noqa: S608
            f" WHERE ({comments}) AND ({revisions})",
            values,
        )
        found[table] = {row[0] for row in rows}
    return found


def _doomed(project: Project, target: Target) -> Rows:
    references, seeds = References(project.connection()), _seeds(project, target)
    for table in _COPIES:
        references.of[table] = [key for key in references.of[table] if key[0] != "source_id"]
    return closure(references, seeds, past=False)


def _seeds(project: Project, target: Target) -> Rows:
    match target.kind:
        case "paper":
            documents = {row[0] for row in project.query(_OWN_DOCUMENTS, (target.id, target.id))}
            return {"paper": {target.id}, "document": documents}
        case "version":
            return _version(project, target.id)
        case "review":
            points = points_of_reviewer(References(project.connection()), target.id)
            return {"source_text": {target.id}, "rebuttal_point": points}
        case "comment" | "study":
            return {target.kind: {target.id}}
        case "annotator":
            raise ValueError(target.kind)


_OWN_DOCUMENTS = (
    "SELECT document_id FROM paper_version v WHERE paper_id = ? AND NOT EXISTS (SELECT 1 FROM paper_version o"
    " WHERE o.document_id = v.document_id AND o.paper_id <> ?)"
    " AND document_id NOT IN (SELECT document_id FROM review_draft)"
    " AND document_id NOT IN (SELECT document_id FROM benchmark_paper WHERE document_id IS NOT NULL)"
)
"""The documents of a paper that nothing else in the project uses."""


def _version(project: Project, version_id: str) -> Rows:
    row = project.query_one("SELECT paper_id, document_id FROM paper_version WHERE id = ?", (version_id,))
    if row is None:
        raise KeyError(version_id)
    paper, document = row
    again = "SELECT count(*) FROM paper_version WHERE paper_id = ? AND document_id = ?"
    if project.query(again, (paper, document))[0][0] > 1:
        return {"paper_version": {version_id}}
    own = {key for (key,) in project.query(_OWN_DOCUMENTS, (paper, paper))} & {document}
    return {"paper_version": {version_id}, "document": own, **compared_with(project, paper, document)}


def compared_with(project: Project, paper_id: str, document_id: str) -> Rows:
    return work_across(
        project,
        "comment_id IN (SELECT c.id FROM comment c JOIN source_text t ON t.id = c.source_id"
        " WHERE coalesce(t.paper_id, ?1) = ?1)",
        "revision IN (SELECT id FROM revision WHERE ?2 IN (source_document_id, target_document_id))",
        paper_id, document_id,
    )  # fmt: skip


def _title(project: Project, targets: tuple[Target, ...]) -> str:
    words: Mapping[Kind, tuple[str, str]] = {
        "paper": ("paper", "papers"), "version": ("version", "versions"), "review": ("review", "reviews"),
        "comment": ("comment", "comments"), "study": ("survey", "surveys"),
    }  # fmt: skip
    verb = "Delete" if targets[0].kind == "comment" else "Remove"
    if len(targets) > 1:
        return f"{verb} {counted(len(targets), *words[targets[0].kind])}"
    if targets[0].kind == "comment":
        return f"Delete comment {named_comment(project, targets[0].id)}"
    name = targets[0].name.partition(": ")[0] if targets[0].kind == "review" else targets[0].name
    return f"{verb} {words[targets[0].kind][0]}" + (f" “{name}”" if name else "")
