"""Dependent rows: everything to be removed with a paper, a review or an annotator's work, derived from the schema.

Foreign keys are read from the schema. References that the schema doesn't declare (results refer to human work by a
plain key) are listed in ``PLAIN_KEYS``. Rows that exist only in the journal, for undo, are found as well.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

Rows = dict[str, set[str]]
"""Keys by table."""

PLAIN_KEYS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "anchor": (("owner_id", "*"),),
    "annotation_done": (("subject_id", "*"),),
    "cluster_sentence": (("source_id", "source_text"),),
    "extracted_description": (("cluster_id", "preference_cluster"), ("sentence_id", "cluster_sentence")),
    "judge_run": (("benchmark_id", "benchmark"),),
    "judge_score": (("review_id", "benchmark_review"),),
    "merge_conflict": (("row_id", "*"),),
    "proposal": (("comment_id", "comment"),),
    "rebuttal_candidate": (("source_id", "source_text"),),
    "rebuttal_draft": (("comment_id", "comment"),),
    "rebuttal_use": (("point_id", "rebuttal_point"),),
    "review_run": (("draft_id", "review_draft"),),
    "review_suggestion_decision": (("run_id", "review_run"),),
    "revision": (("source_document_id", "document"), ("target_document_id", "document")),
    "sentence_suggestion": (("source_id", "source_text"),),
    "silver_label": (("comment_id", "comment"),),
    "similarity_result": (("participant", "participant"), ("paper", "library_paper")),
    "similarity_run": (("data_id", "study"),),
    "suggestion": (("comment_id", "comment"),),
    "survey_sitting": (("participant_id", "participant"),),
    "unit_adjudication": (("subject_id", "*"), ("unit", "*")),
}
"""Columns that refer to a row of another table ("*": any table) without a foreign key. The row is removed with that
one. Clusters consist of copies of sentences, so these are removed with the review they were copied from."""

LISTS: Mapping[str, tuple[str, ...]] = {
    "adjudication": ("edit_ids",), "work_round": ("training",), "work_package": ("items", "held"),
}  # fmt: skip
"""Columns with a JSON list: entries that name a removed key are removed, the row is kept."""

MATERIAL = frozenset(
    {
        "paper", "document", "paper_version", "library_paper", "study", "participant", "participant_contact",
        "profile_paper", "returned_file", "score_table", "score_review", "benchmark_paper",
    }
)  # fmt: skip
"""Tables of shared material: it isn't the work of the annotator who added it, and is kept without their name."""
MATERIAL_IF_IMPORTED = frozenset(
    {
        "source_text", "comment", "rating", "benchmark_review", "preference_cluster", "cluster_sentence",
        "rebuttal_candidate",
    }
)  # fmt: skip
"""Tables whose rows are shared material if they were imported from a file, and the annotator's work otherwise."""

_OF_THE_FILE = frozenset(
    {"project_info", "action", "journal", "journal_real", "journal_context", "journalled_table", "blob"}
)
_AT_ONCE = 500


class References:
    """The references between tables in the released schema, and the journal's images of rows that no longer exist."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.columns: dict[str, tuple[str, ...]] = {}
        self.of: dict[str, list[tuple[str, str]]] = {}
        """(column, referenced table) pairs by table, except references to annotators."""
        self.people: dict[str, list[str]] = {}
        """The columns that refer to an annotator, by table."""
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
        for (table,) in names:
            if table in _OF_THE_FILE or table.startswith("sqlite_"):
                continue
            self.columns[table] = tuple(row["name"] for row in connection.execute(f'PRAGMA table_info("{table}")'))
            keys = [(r["from"], r["table"]) for r in connection.execute(f'PRAGMA foreign_key_list("{table}")')]
            self.people[table] = [column for column, parent in keys if parent == "annotator"]
            self.of[table] = [key for key in keys if key[1] != "annotator"] + list(PLAIN_KEYS.get(table, ()))
        self._journal: list[tuple[str, str, dict[str, Any]]] | None = None
        self._living: Rows = {}

    @property
    def keyed(self) -> list[str]:
        """The tables whose rows have a key named ``id``. Rows of other tables are never referred to."""
        return [table for table, columns in self.columns.items() if "id" in columns and table != "annotator"]

    def ids(self, table: str, column: str = "", values: Collection[str] = ()) -> set[str]:
        if not column:
            return {row[0] for row in self._connection.execute(f'SELECT id FROM "{table}"')}
        return {row["id"] for row in self.rows(table, ("id",), column, values)}

    def rows(self, table: str, names: Iterable[str], column: str, values: Collection[str]) -> Iterator[sqlite3.Row]:
        listed, wanted = ", ".join(f'"{name}"' for name in names), list(values)
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            yield from self._connection.execute(f'SELECT {listed} FROM "{table}" WHERE "{column}" IN ({marks})', some)

    def past(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Returns (table, key, values) for each image in the journal of a row that no longer exists."""
        if self._journal is None:
            self._journal = []
            for row in self._connection.execute("SELECT table_name, row_id, before, after FROM journal"):
                table, key = row["table_name"], row["row_id"]
                if table not in self._living:
                    self._living[table] = self.ids(table) if table in self.columns else set()
                if key not in self._living[table]:
                    images = (json.loads(image) for image in (row["before"], row["after"]) if image is not None)
                    self._journal += [(table, key, image) for image in images]
        return self._journal


def closure(references: References, seeds: Mapping[str, Iterable[str]], *, past: bool = True) -> Rows:
    """Returns the seeds and all keyed rows that refer to one of them, directly or indirectly. With ``past``, rows that
    exist only in the journal are included."""
    found: Rows = {}
    todo: list[tuple[str, set[str]]] = []

    def add(table: str, ids: Iterable[str]) -> None:
        new = set(ids) - found.get(table, set())
        if new:
            found.setdefault(table, set()).update(new)
            todo.append((table, new))

    for table, ids in seeds.items():
        add(table, ids)
    former: dict[str, set[tuple[str, str]]] = {}
    for table, key, image in references.past() if past else ():
        for column, _ in references.of.get(table, ()):
            if isinstance(value := image.get(column), str):
                former.setdefault(value, set()).add((table, key))
    while todo:
        parent, ids = todo.pop()
        for table in references.keyed:
            for column, target in references.of[table]:
                if target in (parent, "*"):
                    add(table, references.ids(table, column, ids))
        for table, key in {entry for value in ids for entry in former.get(value, ())}:
            add(table, [key])
        if parent == "cluster_sentence":  # a choice between descriptions contains copies of the cluster's sentences
            clusters = {row[0] for row in references.rows(parent, ("cluster_id",), "id", ids)}
            add("description_choice", references.ids("description_choice", "cluster_id", clusters))
    return found


def of_papers(references: References, papers: Collection[str]) -> Rows:
    """Returns papers (or documents that belong to no paper) with all dependent rows.

    A document is removed with its papers unless another paper has a version of it. This includes documents that used to
    be a version of the paper and were replaced or removed.
    """
    documents: set[str] = references.ids("document", "id", papers)
    documents |= {row[0] for row in references.rows("paper_version", ("document_id",), "paper_id", papers)}
    kept = {
        row[0]
        for row in references.rows("paper_version", ("document_id",), "paper_id", references.ids("paper") - set(papers))
    }
    for table, _, image in references.past():
        if table == "paper_version" and image.get("paper_id") in papers:
            documents.add(image["document_id"])
    for paper in papers:
        documents |= _replaced(references, paper)
    documents -= kept
    hashes = {row[0] for row in references.rows("document", ("sha256",), "id", documents)}
    others = references.ids("document") - documents
    hashes -= {row[0] for row in references.rows("document", ("sha256",), "id", others)}
    runs = references.ids("review_run", "document_sha256", hashes)
    seeds = {"paper": references.ids("paper", "id", papers) or set(papers), "document": documents, "review_run": runs}
    return closure(references, seeds)


def _replaced(references: References, paper: str) -> set[str]:
    """Returns the documents that versions of the paper had before they were replaced."""
    versions = references.ids("paper_version", "paper_id", [paper])
    rows = references._connection.execute("SELECT row_id, before FROM journal WHERE table_name = 'paper_version'")
    return {json.loads(row["before"])["document_id"] for row in rows if row["row_id"] in versions and row["before"]}


def of_review(references: References, review: str) -> Rows:
    """Returns a review or letter with all dependent rows, including responses to its reviewer if they wrote no other
    review of the paper."""
    return closure(references, {"source_text": {review}, "rebuttal_point": points_of_reviewer(references, review)})


def points_of_reviewer(references: References, review: str) -> set[str]:
    """Returns the rebuttal points addressed to the reviewer of a review, if they wrote no other review of the paper."""
    for row in references.rows("source_text", ("paper_id", "reviewer"), "id", [review]):
        theirs = [
            {r["id"] for r in references.rows(table, ("id", "paper_id"), "reviewer", [row["reviewer"]])
             if r["paper_id"] == row["paper_id"]}
            for table in ("source_text", "rebuttal_point")
        ]  # fmt: skip
        if row["reviewer"] and theirs[0] == {review}:
            return theirs[1]
    return set()


def of_annotator(references: References, annotator: str) -> Rows:
    """Returns an annotator's work with all dependent rows. Excludes shared material that they added (``MATERIAL``) and
    rows that other annotators' work depends on."""
    theirs: Rows = {}
    for table in references.keyed:
        if "annotator_id" in references.columns[table] and table not in MATERIAL:
            names = ("id", "origin") if "origin" in references.columns[table] else ("id",)
            found = references.rows(table, names, "annotator_id", [annotator])
            imported = table in MATERIAL_IF_IMPORTED
            theirs[table] = {r["id"] for r in found if not (imported and r["origin"].startswith("import:"))}
    while True:
        held: Rows = {}
        for table in references.keyed:
            if "annotator_id" not in references.columns[table]:
                continue
            for column, parent in references.of[table]:
                if theirs.get(parent) and (table not in PLAIN_KEYS or (column, parent) not in PLAIN_KEYS[table]):
                    for row in references.rows(table, ("id", column), column, theirs[parent]):
                        if row["id"] not in theirs.get(table, ()):
                            held.setdefault(parent, set()).add(row[column])
        if not held:
            break
        for table, ids in held.items():
            theirs[table] -= ids
    for table, key, image in references.past():
        if image.get("annotator_id") == annotator:
            theirs.setdefault(table, set()).add(key)
    return closure(references, theirs)


def mentions(image: str | None, ids: Collection[str]) -> bool:
    """Returns whether a row's JSON contains one of the keys, in any column or nested list or object."""
    if image is None:
        return False
    todo: list[Any] = [json.loads(image)]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            if any(part in ids for part in value.split(":")):  # items of work packages are joined from several keys
                return True
            if value[:1] in ("[", "{"):
                try:
                    todo.append(json.loads(value))
                except ValueError:
                    continue
        elif isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return False
