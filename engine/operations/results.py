# ruff: noqa: S608 (only names of columns are put into statements)
"""Results of work packages: the file that a person returns, and merging such files into the project.

The same files give the same decisions, regardless of existing decisions and of the order and number of imports: see
``engine/packages/merging.py``. Files are checked against the package they name: only decisions on its items, of its
person and role count.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from engine.errors import BadInput
from engine.exchange.package_file import RESULTS_ENDING, Results, read_results, results_file
from engine.exchange.records import ExportFile
from engine.operations.package_content import PAPER_OF
from engine.operations.packages import units_of
from engine.packages.merging import KEYS, Entry, fold
from engine.packages.progress import answers
from engine.packages.records import DONE, Package, Return, Round, Task, pair_item, sentence_item, tables_of
from engine.packages.store import WorkStore, passage_of
from engine.project import Action, Project, now
from engine.shown import counted

_UNITS: dict[Task, str] = {
    "papers": "comment", "reviews": "comment", "sentences": "sentence", "pairs": "pair", "survey": "paper",
}  # fmt: skip
_MARKED: dict[Task, str] = {
    "sentences": "the reviews as done (“Mark as done” in Agreement)",
    "pairs": "the clusters as done (Shift+D in Preferences)",
}
Status = Literal["new", "known", "older", "refused"]


@dataclass(frozen=True, slots=True)
class Outgoing:
    file: ExportFile
    decisions: int
    sentences: tuple[str, ...]
    gaps: tuple[str, ...] = ()
    """The sentences about what is missing: undecided units, and the mark that the work is done."""


def outgoing(project: Project, *, notes: bool = True) -> Outgoing:
    """Exports the results of a package. Raises BadInput if the project isn't a package, or belongs to an observer."""
    own = WorkStore(project).own()
    if own is None:
        raise BadInput(
            f"{project.path.name} isn't a work package.", "There are no results to export.",
            "Open the package you received.",
        )  # fmt: skip
    made, package = own
    if package.role == "observer":
        raise BadInput("Observers don't decide anything.", "There are no results to export.")
    found = WorkStore(project).entries_with_history(package.annotator_id, tables_of(made.task, package.role))
    scope = _Scope(project, made, package)
    inside = [entry for entry in found if scope.has(entry)]
    if not notes:
        inside = [replace(e, row={**e.row, "note": ""}) if e.row and "note" in e.row else e for e in inside]
    decided = answers(made.task, inside)
    results = Results(package.id, project.id, made.task, package.role, now(), tuple(inside), "")
    live = sum(entry.row is not None for entry in inside)
    rest = sum(entry.row is not None for entry in found) - live
    what = f"{counted(live, 'decision or mark', 'decisions or marks')} on your {counted(len(package.items), 'item')}"
    gaps = []
    if package.role == "annotator":
        unit = _UNITS[made.task]
        what = f"your decisions on {counted(len(decided), unit)}"
        units = set[str]().union(*units_of(project, made.task, package.items).values())
        if undecided := len(units - decided.keys()):
            gaps = [f"{counted(undecided, f'{unit} is', f'{unit}s are')} still undecided."]
        done = {entry.table for entry in inside if entry.row}
        if made.task in DONE and "annotation_done" not in done:
            where = _MARKED.get(made.task, "the paper as done (Shift+D in Linking)")
            gaps.append(f"You haven't marked {where}, so nobody can compare yet.")
    sentences = [f"It contains {what}, {'with' if notes else 'without'} your notes.", *gaps]
    if rest:
        sentences.append(f"Not in the file: {counted(rest, 'decision')} on items outside the package.")
    name = project.path.stem + RESULTS_ENDING
    return Outgoing(ExportFile(name, results_file(results)), live, tuple(sentences), tuple(gaps))


@dataclass(frozen=True, slots=True)
class FileReport:
    """What a results file contains: the numbers of decisions that are new, changed, removed or the same, that have no
    place in the project (set aside), and that are left out because they aren't part of the package."""

    filename: str
    status: Status
    person: str = ""
    title: str = ""
    added: int = 0
    changed: int = 0
    removed: int = 0
    same: int = 0
    aside: int = 0
    left_out: int = 0
    problem: str = ""

    @property
    def sentence(self) -> str:
        if self.status == "refused":
            return f"{self.filename}: {self.problem}"
        parts = [
            f"{number:,} {words}"
            for number, words in (
                (self.added, "new"), (self.changed, "changed"), (self.removed, "withdrawn"), (self.same, "unchanged"),
                (self.aside, "set aside, because the items aren't in the project"),
                (self.left_out, "left out, because they aren't part of the package"),
            )
            if number
        ]  # fmt: skip
        when = {"known": ", imported before", "older": ", older than results already imported"}.get(self.status, "")
        return f"{self.filename}: {self.person}, {self.title}{when}: {', '.join(parts) or 'no decisions'}."


class _Undone(Exception):
    """Ends a preview and rolls it back."""


def preview(project: Project, paths: Sequence[Path]) -> tuple[FileReport, ...]:
    """Returns what importing the files would do. The import is run and rolled back, so the result is exact."""
    found: list[FileReport] = []
    try:
        with project.action("Preview results"):
            found += _merge(project, paths)
            raise _Undone
    except _Undone:
        return tuple(found)


def import_results(project: Project, paths: Sequence[Path]) -> tuple[FileReport, ...]:
    """Imports results into the project in which the packages were created, as one undo step. Files that can't be used
    are reported as refused; the others are imported."""
    what = paths[0].name if len(paths) == 1 else f"{len(paths)} files"
    with project.action(f"Import results of {what}"):
        return tuple(_merge(project, paths))


def _merge(project: Project, paths: Sequence[Path]) -> list[FileReport]:
    found = []
    for path in paths:
        try:
            with project.action("Import results") as act:
                found.append(_merge_one(project, act, read_results(path), path.name))
        except BadInput as problem:
            found.append(FileReport(path.name, "refused", problem=f"{problem.what} {problem.do}".strip()))
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError, UnicodeEncodeError):
            said = "It has a decision with invalid values. Ask for the file again."
            found.append(FileReport(path.name, "refused", problem=said))
    return found


def _merge_one(project: Project, act: Action, results: Results, name: str) -> FileReport:
    store = WorkStore(project)
    package = next((one for one in store.packages() if one.id == results.package), None)
    if package is None or results.project != project.id:
        raise BadInput(
            "It belongs to a package that isn't in this project.", "Nothing was imported from it.",
            "Open the project in which the package was created.",
        )  # fmt: skip
    made = next(one for one in store.rounds() if one.id == package.round_id)
    tables = tables_of(made.task, package.role)
    if foreign := {entry.table for entry in results.entries} - set(tables):
        raise BadInput(f"It has decisions that aren't part of its package: {', '.join(sorted(foreign))}.")
    person, scope = package.annotator_id, _Scope(project, made, package)
    before = {entry.place: entry for entry in store.entries(person, tables)}
    coming = [entry for entry in store.completed(results.entries) if scope.has(entry, before.get(entry.place))]
    held = {entry.place: entry for entry in store.held(person)}
    known = fold([*before.values(), *held.values()])
    after = fold([*known.values(), *coming])
    placed = store.placeable(person, after)
    store.write(act, person, before, (e for place, e in after.items() if placed[place]))
    aside = [entry for place, entry in after.items() if entry.row is None or not placed[place]]
    if {entry.place: entry for entry in aside} != held:
        store.set_held(act, person, sorted(aside, key=lambda entry: entry.place))
    returns = [one for one in store.returns() if one.package_id == package.id]
    status: Status = "new"
    if any(one.content_hash == results.content_hash for one in returns):
        status = "known"
    else:
        if any(one.written_at > results.written_at for one in returns):
            status = "older"
        live = sum(entry.row is not None for entry in coming)
        store.add_return(act, Return(package.id, results.content_hash, name, results.written_at, live, ""), person)
    counts: Counter[str] = Counter()
    for entry in {entry.place: entry for entry in coming}.values():
        old, new = before.get(entry.place), after[entry.place]
        if new.row is None:
            counts["removed"] += old is not None
        elif not placed[entry.place]:
            counts["aside"] += 1
        else:
            counts["added" if old is None else "same" if old.row == new.row else "changed"] += 1
    left_out = len(results.entries) - len(coming)
    return FileReport(
        name, status, dict(project.annotators())[person], made.title, left_out=left_out, problem="", **counts
    )


class _Scope:
    """What belongs to a package, as seen in a given project. References to things that the project lacks can't be
    checked, so they are accepted; such entries are set aside later."""

    def __init__(self, project: Project, made: Round, package: Package) -> None:
        self._task, self._package, self._items = made.task, package, set(package.items)
        query = project.query
        if made.task in DONE:
            self._known = {row[0] for row in query(f'SELECT id FROM "{DONE[made.task][1]}"')}
            self._subjects: Collection[str | None] = {item.split(":")[0] for item in package.items}  # texts
        if made.task in {"papers", "reviews"}:
            paper_of = {row[0]: row[1] for row in query(f"SELECT id, {PAPER_OF} FROM source_text t")}
            self._texts = {
                text for text, paper in paper_of.items() if (text if made.task == "reviews" else paper) in self._items
            }
            self._papers = {paper_of[text] for text in self._texts} | (self._items if made.task == "papers" else set())
            self._subjects = self._papers
            self._lengths = {row["id"]: len(row["text"]) for row in query("SELECT id, text FROM source_text")}
            self._source = {row[0]: row[1] for row in query("SELECT id, source_id FROM comment")}
            documents = {
                row[0] for row in query("SELECT document_id, paper_id FROM paper_version") if row[1] in self._papers
            }
            self._revisions = {
                row[0]: row[1] in documents and row[2] in documents
                for row in query("SELECT id, source_document_id, target_document_id FROM revision")
            }
            self._edits = {row[0]: self._revisions.get(row[1]) for row in query("SELECT id, revision_id FROM edit")}
        elif made.task == "pairs":
            self._clusters = {row[0]: row[1] for row in query("SELECT id, cluster_id FROM rebuttal_candidate")}
            self._subjects = {self._clusters.get(one) for item in package.items for one in item.split(":")}

    def has(self, entry: Entry, known: Entry | None = None) -> bool:
        """Returns whether a decision is on an item of the package; for a removed decision, its ``known`` earlier row is
        checked."""
        row = entry.row if entry.row is not None or known is None else known.row
        if row is None:
            if KEYS[entry.table] == ("id",):
                return True
            row = dict(zip(KEYS[entry.table], json.loads(entry.key), strict=True))
        match entry.table:
            case "comment":
                length = self._lengths.get(row["source_id"], 10**9)
                here = row["source_id"] in self._texts or row["source_id"] not in self._lengths
                return here and row["origin"] == "person" and all(
                    0 <= start <= end <= length for _, _, start, end in row["spans"]
                )  # fmt: skip
            case "annotation_done":
                gone = row["subject_id"] not in self._known
                return row["task"] == DONE[self._task][0] and (gone or row["subject_id"] in self._subjects)
            case "sentence_label" | "sentence_label_decision":
                item = sentence_item(row["source_id"], row["start_offset"], row["end_offset"])
                return item in self._items and not row.get("imported")
            case "preference_judgement":
                pair = pair_item(row["left_id"], row["right_id"])
                return pair in self._items and self._clusters.get(row["left_id"]) == row["cluster_id"]
            case "preference_adjudication":
                return pair_item(row["first_id"], row["second_id"]) in self._items
            case "unit_adjudication":
                return self._has_unit(row)
            case "participant":
                return bool(row["person_key"] == self._package.id)
            case "rating":
                return row["paper_id"] in self._items
            case "dismissed_edit":
                return bool(self._edits.get(row["edit_id"], True))
        if row["comment_id"] not in self._source:
            return True
        edits = [row["edit_id"]] if "edit_id" in row else []
        passage = passage_of(row)
        revision = (passage or row).get("revision_id")
        revision = self._revisions.get(revision, True) if revision is not None else True
        return (
            self._source[row["comment_id"]] in self._texts
            and bool(revision)
            and all(self._edits.get(edit, True) for edit in edits)
        )

    def _has_unit(self, row: Mapping[str, Any]) -> bool:
        """Returns whether an adjudication of a unit is on an item, and of a kind that the package is about."""
        match self._task, row["kind"]:
            case "sentences", "labels":
                return f"{row['subject_id']}:{row['unit'].replace('-', ':')}" in self._items
            case "survey", "ratings":
                return row["unit"] in self._items
            case "papers" | "reviews", "spans":
                return row["subject_id"] in self._texts or row["subject_id"] not in self._lengths
            case "papers" | "reviews", "links" | "states":
                return self._source.get(row["subject_id"]) in self._texts or row["subject_id"] not in self._source
        return False
