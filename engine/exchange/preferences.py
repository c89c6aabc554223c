"""Reads and writes preferences between items: Rejoinder's CSV, and the tables of crowd-kit.

The CSV has one row per judgement: ``item_a,item_b,winner,annotator`` (item_a was shown on the left) and, if known,
``repeat``, ``milliseconds`` and ``note``. ``winner`` is one of the items, ``tie``, ``unsuitable`` or ``skip``.
crowd-kit's pairwise aggregators don't support ties: its table ``worker,left,right,label`` has the decided pairs, a
second file has the ties.
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
"""Minimum number of rows for concluding that the columns don't show sides if the same one always wins."""
_SIDES: dict[str, Answer] = {
    "a": "left", "item_a": "left", "left": "left", "b": "right", "item_b": "right", "right": "right",
    "tie": "tie", "both": "tie", "draw": "tie", "equal": "tie",
    "unsuitable": "unsuitable", "neither": "unsuitable", "skip": "skip",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PreferenceRow:
    """One judgement of two items by name; ``item_a`` was shown on the left."""

    item_a: str
    item_b: str
    answer: Answer
    annotator: str = ""
    repeat: bool = False
    milliseconds: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Preferences:
    """The content of a table: items in order of appearance, rows, and warnings about rows left out."""

    items: tuple[str, ...]
    rows: tuple[PreferenceRow, ...]
    warnings: tuple[str, ...] = ()

    @property
    def sides_known(self) -> bool:
        """Returns whether item_a may have been on the left: not if one column always won (winner, loser)."""
        decided = {row.answer for row in self.rows} & {"left", "right"}
        return len(decided) != 1 or len(self.rows) < _LISTED

    def comparisons(self) -> tuple[Comparison, ...]:
        """Returns decided and tied rows by positions in ``items``; per annotator and pair, only the first one."""
        place = {item: at for at, item in enumerate(self.items)}
        winners: dict[Answer, Literal[0, 1] | None] = {"left": 0, "right": 1, "tie": None}
        first: dict[object, Comparison] = {}
        for at, row in enumerate(self.rows):
            if row.answer in winners:
                who = (row.annotator.casefold(), frozenset({row.item_a, row.item_b})) if row.annotator else at
                first.setdefault(who, Comparison(place[row.item_a], place[row.item_b], winners[row.answer]))
        return tuple(first.values())


def read_preferences(text: str, name: str) -> Preferences:
    """Reads either table. Rows without two different items or with an unknown winner are left out with a warning.
    Raises BadInput if columns are missing or the file isn't CSV."""
    table = parse_table(text, name)
    plan = plan_columns(table, FIELDS)
    ties = plan.missing == ("winner",) and "worker" in table.columns  # crowd-kit's file of ties
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
    """Returns the files of a layout, named after ``stem``."""
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


# Clusters with their candidates: Rejoinder's CSV, the JitsuPeer layout, and import into a project. The CSV has one row
# per text: ``root,theme,action,kind,text`` with ``kind`` sentence, candidate or description.

CLUSTER_COLUMNS = ("root", "theme", "action", "kind", "text")
KINDS = ("sentence", "candidate", "description")
_PARTS: tuple[Part, ...] = ("root", "theme", "action")


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import as a sentence, with warnings; ``cluster_id`` is one of the clusters imported into."""

    words: str
    warnings: tuple[str, ...]
    cluster_id: str = ""


def write_clusters(clusters: Iterable[NewCluster], name: str = "clusters.csv") -> ExportFile:
    """Returns clusters as CSV without their positions in reviews and names in other files."""
    rows = []
    for cluster in clusters:
        texts = [("description", cluster.description)] if cluster.description else []
        texts += [("sentence", entry.text) for entry in cluster.sentences]
        texts += [("candidate", entry.text) for entry in cluster.candidates]
        rows += [(cluster.root, cluster.theme, cluster.action, kind, text) for kind, text in texts]
    return csv_file(name, CLUSTER_COLUMNS, rows)


def clusters_of_project(project: Project, name: str = "clusters.csv") -> ExportFile:
    """Returns all clusters of a project as CSV, each with its last description."""
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
    """Returns clusters from CSV in the order of their first rows, and warnings about rows left out. Raises BadInput if
    columns are missing or the file isn't CSV."""
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
    """Returns the clusters of a JitsuPeer folder, split by the action of their rebuttals ("" if unknown). Scores and
    canonical choices aren't imported, since Rejoinder derives them from judgements."""
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
    """Imports a file or folder in one step: a JitsuPeer folder or Rejoinder's CSV as new clusters, a table of
    preferences as judgements in ``cluster_id`` or in a new cluster.

    Raises BadInput if it is none of these, or empty.
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
