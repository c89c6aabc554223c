"""Preferences between items as tables: CSV of our own, and the tables that crowd-kit reads.

Our CSV has a row a judgement: ``item_a,item_b,winner,annotator`` (item_a stood left) and, where known, ``repeat``,
``milliseconds`` and ``note``. ``winner`` is one of the two items, ``tie``, ``unsuitable`` or ``skip``. crowd-kit's
pairwise aggregators know no ties: its table ``worker,left,right,label`` has the decided pairs, a second file the ties.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.errors import not_imported, not_read
from engine.exchange.encoding import read_text
from engine.exchange.io import csv_file, parse_table
from engine.exchange.jitsupeer import is_collection, read_collection
from engine.exchange.records import Export, ExportFile
from engine.exchange.tables import Field, plan_columns
from engine.project import Project
from engine.rebuttal.canonical.records import CanonicalCollection
from engine.rebuttal.preferences.candidates import Part, identified
from engine.rebuttal.preferences.records import Answer, Comparison, NewCluster, NewSentence
from engine.rebuttal.preferences.store import PreferenceStore
from engine.shown import counted

COLUMNS = ("item_a", "item_b", "winner", "annotator", "repeat", "milliseconds", "note")
FIELDS = (
    Field("item_a", ("item a", "left", "first", "a")),
    Field("item_b", ("item b", "right", "second", "b")),
    Field("winner", ("winner", "label", "preferred")),
    Field("annotator", ("annotator", "worker", "judge"), needed=False),
    *(Field(name, (name,), needed=False) for name in COLUMNS[4:]),
)
Layout = Literal["csv", "crowd-kit"]
_LISTED = 10
"""From how many rows on one side's winning every time means that the columns tell no sides."""
_SIDES: dict[str, Answer] = {
    "a": "left", "item_a": "left", "left": "left", "b": "right", "item_b": "right", "right": "right",
    "tie": "tie", "both": "tie", "draw": "tie", "equal": "tie",
    "unsuitable": "unsuitable", "neither": "unsuitable", "skip": "skip",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PreferenceRow:
    """One judgement of two items by their names; ``item_a`` stood left."""

    item_a: str
    item_b: str
    answer: Answer
    annotator: str = ""
    repeat: bool = False
    milliseconds: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a table held: items in the order in which they appear, rows, and sentences on rows that were left out."""

    items: tuple[str, ...]
    rows: tuple[PreferenceRow, ...]
    warnings: tuple[str, ...] = ()

    @property
    def sides_known(self) -> bool:
        """Whether item_a can have stood left: not where one column won every time, as in lists of (winner, loser)."""
        decided = {row.answer for row in self.rows} & {"left", "right"}
        return len(decided) != 1 or len(self.rows) < _LISTED

    def comparisons(self) -> tuple[Comparison, ...]:
        """The rows that compare (or tie), by positions in ``items``; an annotator's first on each pair."""
        place = {item: at for at, item in enumerate(self.items)}
        winners: dict[Answer, Literal[0, 1] | None] = {"left": 0, "right": 1, "tie": None}
        first: dict[object, Comparison] = {}
        for at, row in enumerate(self.rows):
            if row.answer in winners:
                who = (row.annotator.casefold(), frozenset({row.item_a, row.item_b})) if row.annotator else at
                first.setdefault(who, Comparison(place[row.item_a], place[row.item_b], winners[row.answer]))
        return tuple(first.values())


def read_preferences(text: str, name: str) -> Preferences:
    """Reads either table. Rows without two different items or with an unknown winner are left out and named in the
    warnings.

    Raises:
        BadInput: the columns are not there, or the file is no CSV.
    """
    table = parse_table(text, name)
    plan = plan_columns(table, FIELDS)
    ties = plan.missing == ("winner",) and "worker" in table.columns  # which crowd-kit's own table cannot hold
    if plan.missing and not ties:
        raise not_read(
            f"{name} has no column named {' or '.join(plan.missing)}.",
            "The first line of judgements should read item_a,item_b,winner,annotator, that of clusters "
            f"{','.join(CLUSTER_COLUMNS)}.",
        )
    places = {field: table.columns.index(column) for field, column in plan.columns.items() if column}
    warnings = list(table.warnings)
    found = []
    for number, cells in zip(table.numbers, table.rows, strict=True):
        values = {field: cells[place].strip() for field, place in places.items()}
        found.append(_row({**values, **({"winner": "tie"} if ties else {})}, number, warnings))
    rows = tuple(row for row in found if row is not None)
    items = dict.fromkeys(item for row in rows for item in (row.item_a, row.item_b))
    return Preferences(tuple(items), rows, tuple(warnings))


def _row(values: dict[str, str], number: int, warnings: list[str]) -> PreferenceRow | None:
    first, second, winner = (values[column] for column in COLUMNS[:3])
    if not first or not second or first == second:
        warnings.append(f"Row {number} doesn't name two different items and was left out.")
        return None
    named: dict[str, Answer] = {first: "left", second: "right"}
    answer = named.get(winner) or _SIDES.get(winner.lower())
    if answer is None:
        warnings.append(f"Row {number} has the winner “{winner}”, which isn't one of its items, and was left out.")
        return None
    spent = values.get("milliseconds", "")
    return PreferenceRow(
        first,
        second,
        answer,
        values.get("annotator", ""),
        values.get("repeat", "").lower() in ("1", "yes", "true"),
        int(spent) if spent.isascii() and spent.isdigit() and len(spent) < 10 else None,
        values.get("note", ""),
    )


def write_preferences(rows: Sequence[PreferenceRow], layout: Layout = "csv", stem: str = "preferences") -> Export:
    """The files of a layout, named after ``stem``."""
    if layout == "csv":
        return Export((csv_file(f"{stem}.csv", COLUMNS, [_cells(row) for row in rows]),))
    decided = [row for row in rows if row.answer in ("left", "right")]
    ties = [row for row in rows if row.answer == "tie"]
    others = len(rows) - len(decided) - len(ties)
    files: tuple[ExportFile, ...] = (
        csv_file(
            f"{stem}-crowd-kit.csv",
            ("worker", "left", "right", "label"),
            [(row.annotator, row.item_a, row.item_b, _winner(row)) for row in decided],
        ),
        csv_file(
            f"{stem}-crowd-kit-ties.csv",
            ("worker", "left", "right"),
            [(row.annotator, row.item_a, row.item_b) for row in ties],
        ),
    )
    lost = ["Times, notes and repetition marks are left out."]
    if others:
        lost.append(f"{counted(others, 'skipped or unsuitable pair is', 'skipped or unsuitable pairs are')} left out.")
    return Export(files, tuple(lost))


def _cells(row: PreferenceRow) -> tuple[str, ...]:
    return (
        row.item_a, row.item_b, _winner(row), row.annotator, "1" if row.repeat else "",
        "" if row.milliseconds is None else str(row.milliseconds), row.note,
    )  # fmt: skip


def _winner(row: PreferenceRow) -> str:
    return {"left": row.item_a, "right": row.item_b}.get(row.answer, row.answer)


def merged(parts: Iterable[Preferences]) -> Preferences:
    found = tuple(parts)
    items = dict.fromkeys(item for part in found for item in part.items)
    return Preferences(
        tuple(items),
        tuple(row for part in found for row in part.rows),
        tuple(warning for part in found for warning in part.warnings),
    )


# Clusters with their candidates: a CSV of our own, the JitsuPeer layout, and files taken into a project.
# The CSV has a row a text: ``root,theme,action,kind,text`` with ``kind`` one of sentence, candidate, description.

CLUSTER_COLUMNS = ("root", "theme", "action", "kind", "text")
KINDS = ("sentence", "candidate", "description")
_PARTS: tuple[Part, ...] = ("root", "theme", "action")


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a file, in a sentence, and sentences on what was left out; ``cluster_id`` is one it went into."""

    words: str
    warnings: tuple[str, ...]
    cluster_id: str = ""


def write_clusters(clusters: Iterable[NewCluster], name: str = "clusters.csv") -> ExportFile:
    """Clusters as CSV; places in reviews and names in other files are left out."""
    rows = []
    for cluster in clusters:
        texts = [("description", cluster.description)] if cluster.description else []
        texts += [("sentence", entry.text) for entry in cluster.sentences]
        texts += [("candidate", entry.text) for entry in cluster.candidates]
        rows += [(cluster.root, cluster.theme, cluster.action, kind, text) for kind, text in texts]
    return csv_file(name, CLUSTER_COLUMNS, rows)


def clusters_of_project(project: Project, name: str = "clusters.csv") -> ExportFile:
    """All clusters of a project as CSV, each with its last description."""
    store = PreferenceStore(project)
    found = []
    for cluster in store.clusters():
        written = store.written(cluster.id)
        texts = [NewSentence(entry.text) for entry in store.sentences(cluster.id)]
        candidates = [NewSentence(entry.text) for entry in store.candidates(cluster.id)]
        found.append(
            NewCluster(
                cluster.root, cluster.theme, cluster.action, tuple(texts), tuple(candidates),
                written[-1].text if written else "",
            )
        )  # fmt: skip
    return write_clusters(found, name)


def read_clusters(text: str, name: str) -> tuple[tuple[NewCluster, ...], tuple[str, ...]]:
    """Clusters from CSV in the order of their first rows, and sentences on rows that were left out.

    Raises:
        BadInput: the columns are not there, or the file is no CSV.
    """
    records = parse_table(text, name).records(CLUSTER_COLUMNS, fold=True)
    found: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    warnings = []
    for number, values in records:
        kind, words = values["kind"].strip().lower(), values["text"].strip()
        root, theme, action = (identified(part, values[part].strip()) for part in _PARTS)
        names = (root, theme, action)
        if kind not in KINDS or not words or not any(names):
            warnings.append(f"Row {number} isn't a {', '.join(KINDS)} of a named cluster and was left out.")
            continue
        found.setdefault(names, {k: [] for k in KINDS})[kind].append(words)
    clusters = tuple(
        NewCluster(*names, _texts(parts["sentence"]), _texts(parts["candidate"], "in"), "\n".join(parts["description"]))
        for names, parts in found.items()
    )
    return clusters, tuple(warnings)


def of_collection(collection: CanonicalCollection) -> tuple[NewCluster, ...]:
    """The clusters of a JitsuPeer folder, one for each action that its rebuttals have (one without where none is
    known). Scores and canonical choices are not taken over: here they come from judgements.
    """
    made = []
    for cluster in collection.clusters:
        actions = cluster.actions or ("",) * len(cluster.rebuttals)
        by_action: dict[str, list[str]] = {}
        for action, text in zip(actions, cluster.rebuttals, strict=True):
            by_action.setdefault(action, []).append(text)
        for action, texts in by_action.items() or {"": []}.items():
            made.append(
                NewCluster(
                    cluster.root, cluster.theme, action, _texts(cluster.reviews), _texts(texts), cluster.description
                )
            )
    return tuple(made)


def import_into(project: Project, path: Path, cluster_id: str = "") -> Imported:
    """Takes a file or folder into a project, in one step: a JitsuPeer folder or our CSV as new clusters, a table of
    preferences as judgements in ``cluster_id`` (or in a cluster of its own).

    Raises:
        BadInput: it is none of these, or holds nothing.
    """
    store = PreferenceStore(project)
    if path.is_dir():
        if not is_collection(path):
            raise not_imported(
                f"{path.name} isn't a folder in the JitsuPeer layout.",
                "Choose the folder that contains one folder for each aspect.",
            )
        collection = read_collection(path)
        return _add(store, of_collection(collection), collection.warnings, path.name)
    text = read_text(path).text
    head = text.removeprefix("\ufeff").split("\n", 1)[0].lower()
    if "root" in head and "kind" in head:
        clusters, warnings = read_clusters(text, path.name)
        return _add(store, clusters, warnings, path.name)
    return _judgements(project, store, read_preferences(text, path.name), path.name, cluster_id)


def _add(store: PreferenceStore, clusters: Sequence[NewCluster], warnings: Sequence[str], name: str) -> Imported:
    if not clusters:
        raise not_imported(f"{name} contains no clusters.")
    made = store.add_clusters(clusters, origin=f"import:{name}")
    said = counted(len(made), "cluster was", "clusters were")
    return Imported(f"{said} imported from {name}.", tuple(warnings), made[0].id)


def _judgements(project: Project, store: PreferenceStore, found: Preferences, name: str, cluster_id: str) -> Imported:
    if not found.rows:
        raise not_imported(f"{name} contains no judgements.")
    acting = dict(project.annotators()).get(project.annotator_id, "")
    with project.action(f"Import judgements of {name}"):
        people = {row.annotator: project.add_annotator(row.annotator or acting) for row in found.rows}
        items = [NewSentence(item, decision="in") for item in found.items]
        if cluster_id:
            store.add_candidates(cluster_id, items, origin=f"import:{name}")
        else:
            (made,) = store.add_clusters(
                [NewCluster("", "", Path(name).stem, candidates=tuple(items))], origin=f"import:{name}"
            )
            cluster_id = made.id
        keys = {candidate.text: candidate.id for candidate in store.candidates(cluster_id)}
        store.decide_candidates([keys[item.strip()] for item in found.items], "in")
        rows: list[tuple[str, str, Answer, str]] = [
            (keys[row.item_a.strip()], keys[row.item_b.strip()], row.answer, people[row.annotator])
            for row in found.rows
        ]
        store.import_judgements(cluster_id, rows, name)
    said = counted(len(rows), "judgement was", "judgements were")
    return Imported(f"{said} imported from {name}.", found.warnings, cluster_id)


def _texts(texts: Iterable[str], decision: Literal["in"] | None = None) -> tuple[NewSentence, ...]:
    plain = (" ".join(text.split()) for text in texts)
    return tuple(NewSentence(text, decision=decision) for text in dict.fromkeys(plain) if text)
