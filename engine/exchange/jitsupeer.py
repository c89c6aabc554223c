"""Reads JitsuPeer (Purkayastha et al. 2023): a folder of clusters and canonical rebuttals, and its three tasks' files.

There is one folder per root (``Asp_clarity``, ``Arg_other``...), with ``review/<theme>.txt`` and
``rebuttal/<theme>.txt``, one sentence per line, and ``actions``: either ``<theme>.txt`` with the action of each line of
``rebuttal``, or folders ``<theme>/<action>.txt`` or ``<action>/<theme>.txt`` with the sentences. Next to the roots is
``canonical_rebuttals_and_descs`` with ``all_cluster_descs``, ``all_canonical_rebuttals`` and
``all_canonical_rebuttals_scores``, tables of the columns aspects, sections, action, canonical_rebuttal, scores, descs.

All tables are tab-separated, regardless of their file name ending. Collections can also be written.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from engine.errors import BadInput, not_imported, not_read
from engine.exchange.encoding import read_text
from engine.exchange.io import csv_text, read_csv
from engine.exchange.tables import table_of
from engine.rebuttal.canonical.records import (
    AnsweredReview,
    CanonicalCollection,
    CanonicalRebuttal,
    Cluster,
    DescribedReview,
    ScoredCandidate,
)
from engine.rebuttal.records import BY_CODE, BY_ID
from engine.reviews.labels.taxonomy import by_code, codes, layer
from engine.shown import counted

Part = Literal["train", "dev", "test"]

TABLES = "canonical_rebuttals_and_descs"
_DESCRIPTIONS, _CHOSEN, _SCORES = "all_cluster_descs", "all_canonical_rebuttals", "all_canonical_rebuttals_scores"
_UNFIT = re.compile(r"[^\w .,()&+-]")
_DIVIDER = re.compile(r"\s*\[SEP\]\s*")
_NO_REBUTTAL = "No rebuttal"
"""What the published code writes if a cluster has no canonical rebuttal for an action."""


def read_scoring(folder: Path, part: Part) -> tuple[ScoredCandidate, ...]:
    """Reads ``scoring_<part>.csv``: ``descs`` is "description [SEP] action [SEP] rebuttal", ``scores`` the PageRank.
    The file's rows are ordered by score, so shuffle before ranking, or the order of ties leaks. Raises BadInput."""
    found = []
    name = f"scoring_{part}.csv"
    for number, row in _rows(folder / name, ("descs", "scores")):
        pieces = _DIVIDER.split(row["descs"], maxsplit=2)
        if len(pieces) != 3:
            raise _bad(name, number, "isn't “description [SEP] action [SEP] rebuttal”")
        try:
            score = float(row["scores"])
        except ValueError as error:
            raise _bad(name, number, f"has “{row['scores']}” instead of a score") from error
        found.append(ScoredCandidate(pieces[0].strip(), _action(pieces[1]), pieces[2].strip(), score))
    return tuple(found)


def read_descriptions(folder: Path, part: Part) -> tuple[DescribedReview, ...]:
    rows = _rows(folder / f"descriptions_{part}.csv", ("reviews", "descs"))
    return tuple(DescribedReview(row["reviews"].strip(), row["descs"].strip()) for _, row in rows)


def read_answers(folder: Path, part: Part) -> tuple[AnsweredReview, ...]:
    """Reads ``canonical_rebuttals_<part>.csv``: ``reviews`` is "review' [SEP] 'action", with stray quotes."""
    found = []
    name = f"canonical_rebuttals_{part}.csv"
    for number, row in _rows(folder / name, ("reviews", "canonical_rebuttals")):
        review, divided, action = row["reviews"].rpartition("[SEP]")
        if not divided:
            raise _bad(name, number, "isn't “review [SEP] action”")
        rebuttal = row["canonical_rebuttals"].strip()
        if rebuttal != _NO_REBUTTAL:
            found.append(AnsweredReview(_without_quote(review), _action(action), rebuttal))
    return tuple(found)


def is_collection(folder: Path) -> bool:
    return (folder / TABLES).is_dir()


def read_collection(folder: Path) -> CanonicalCollection:
    """Reads a whole collection. Missing tables and unusable actions are reported in ``warnings``.

    Known roots and themes are converted to ids of the review labels, others are kept as they are. Raises BadInput if
    the folder of tables is missing or a table can't be read.
    """
    tables = folder / TABLES
    if not tables.is_dir():
        raise not_imported(
            f"{folder} has no folder {TABLES}.", "Choose the folder that contains one folder for each aspect."
        )
    warnings: list[str] = []
    descriptions: dict[tuple[str, str], str] = {}
    for _, row in _table_rows(tables, _DESCRIPTIONS, ("aspects", "sections", "descs"), warnings):
        descriptions[row["aspects"], row["sections"]] = row["descs"].strip()
    columns = ("aspects", "sections", "action", "canonical_rebuttal")
    chosen = [_canonical(row) for _, row in _table_rows(tables, _CHOSEN, columns, warnings)]
    scored = []
    for number, row in _table_rows(tables, _SCORES, (*columns, "scores"), warnings):
        try:
            scored.append(_canonical(row, float(row["scores"])))
        except ValueError as error:
            raise _bad(_SCORES, number, f"has “{row['scores']}” instead of a score") from error
    clusters = [
        _cluster(root, theme, descriptions.pop((root.name, theme), ""), warnings)
        for root in sorted(path for path in folder.iterdir() if (path / "review").is_dir())
        for theme in sorted({file.stem for kind in ("review", "rebuttal") for file in (root / kind).glob("*.txt")})
    ]
    clusters += [
        Cluster(_root(root), _theme(theme), (), description=text) for (root, theme), text in descriptions.items()
    ]
    return CanonicalCollection(
        tuple(clusters),
        tuple(c for c in chosen if c.text != _NO_REBUTTAL),
        tuple(c for c in scored if c.text != _NO_REBUTTAL),
        tuple(warnings),
    )


def write_collection(collection: CanonicalCollection) -> dict[str, str]:
    """Returns a collection's files by path inside its folder. Line ends inside a sentence become spaces."""
    files: dict[str, str] = {}
    for cluster in collection.clusters:
        root, theme = _root_folder(cluster.root), _theme_code(cluster.theme)
        parts: tuple[tuple[str, Sequence[str]], ...] = (
            ("review", cluster.reviews),
            ("rebuttal", cluster.rebuttals),
            ("actions", [_code(action) for action in cluster.actions]),
        )
        for kind, lines in parts:
            if lines:
                files[f"{root}/{kind}/{theme}.txt"] = "".join(f"{' '.join(line.split())}\n" for line in lines)

    def place(item: Cluster | CanonicalRebuttal) -> tuple[str, str]:
        return _root_folder(item.root), _theme_code(item.theme)

    columns = ("aspects", "sections", "action", "canonical_rebuttal")
    files[f"{TABLES}/{_DESCRIPTIONS}.tsv"] = _table(
        ("aspects", "sections", "descs"), ((*place(c), c.description) for c in collection.clusters if c.description)
    )
    files[f"{TABLES}/{_CHOSEN}.tsv"] = _table(
        columns, ((*place(c), _code(c.action), c.text) for c in collection.canonical)
    )
    files[f"{TABLES}/{_SCORES}.tsv"] = _table(
        (*columns, "scores"),
        ((*place(c), _code(c.action), c.text, repr(c.score)) for c in collection.scored if c.score is not None),
    )
    return files


def _cluster(root: Path, theme: str, description: str, warnings: list[str]) -> Cluster:
    reviews, rebuttals = _lines(root / "review" / f"{theme}.txt"), _lines(root / "rebuttal" / f"{theme}.txt")
    actions = _lines(root / "actions" / f"{theme}.txt")
    if actions and len(actions) != len(rebuttals):
        warnings.append(
            f"{root.name}/{theme}: {counted(len(actions), 'action')} for "
            f"{counted(len(rebuttals), 'rebuttal sentence')}; left out."
        )
        actions = ()
    elif not actions:
        sorted_out = _sorted_by_action(root / "actions", theme)
        if sorted_out:
            rebuttals, actions = zip(*sorted_out, strict=True)
    return Cluster(
        _root(root.name), _theme(theme), reviews, rebuttals, tuple(_action(name) for name in actions), description
    )


def _sorted_by_action(folder: Path, theme: str) -> list[tuple[str, str]]:
    """Returns rebuttal sentences with their actions from files named by action, in ``<theme>/`` or ``<action>/``."""
    found = [(line, file.stem) for file in sorted((folder / theme).glob("*.txt")) for line in _lines(file)]
    found += [(line, file.parent.name) for file in sorted(folder.glob(f"*/{theme}.txt")) for line in _lines(file)]
    return found


def _lines(path: Path) -> tuple[str, ...]:
    text = read_text(path, empty=True).text if path.is_file() else ""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _canonical(row: Mapping[str, str], score: float | None = None) -> CanonicalRebuttal:
    text = row["canonical_rebuttal"].strip()
    return CanonicalRebuttal(_root(row["aspects"]), _theme(row["sections"]), _action(row["action"]), text, score)


def _table_rows(
    folder: Path, name: str, columns: Sequence[str], warnings: list[str]
) -> list[tuple[int, dict[str, str]]]:
    # The release and the published code differ in the file name ending.
    for ending in (".tsv", ".txt", ".csv"):
        if (folder / f"{name}{ending}").is_file():
            return _rows(folder / f"{name}{ending}", columns)
    warnings.append(f"{TABLES} has no table {name}.")
    return []


def _rows(path: Path, columns: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """Returns rows with their numbers (the header is line 1; a row may span lines). Raises BadInput."""
    # A truncated row would otherwise be read with empty cells.
    rows = list(read_csv(read_text(path).text, path.name, delimiter="\t", guard=False))
    for line, cells in rows[1:]:
        if 0 < len(cells) < len(rows[0][1]):
            raise _bad(path.name, line, f"has {len(cells)} cells instead of {len(rows[0][1])}")
    return list(table_of(path.name, rows, "", guess=False).records(columns))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    # The published code trains on these texts verbatim.
    return csv_text(rows, head, delimiter="\t", guard=False)


def _bad(name: str, number: int, what: str) -> BadInput:
    return not_read(f"{name}, line {number} {what}.", "Correct the line, or get the file again.")


def _without_quote(review: str) -> str:
    """Removes the quote that the published code wrote after the review's text but not before it."""
    review = review.strip()
    return review[:-1].strip() if review.endswith("'") else review


def _action(code: str) -> str:
    """Converts an action's code to its id; unknown ones are kept."""
    bare = code.strip(" '\"\t")
    return BY_CODE[bare].id if bare in BY_CODE else bare


def _code(action: str) -> str:
    return BY_ID[action].code if action in BY_ID else action


def _root(folder: str) -> str:
    return by_code("aspect", "disapere").get(folder.lower(), folder)


def _root_folder(root: str) -> str:
    # "other" has two codes, and the folder is named after the second one.
    if root == "other":
        return "Arg_other"
    known = codes("aspect", (root,), "disapere") if _is("aspect", root) else ()
    return known[0][:1].upper() + known[0][1:] if known else _path_part(root)


def _theme(code: str) -> str:
    return by_code("theme", "peer_review_analyze").get(code.upper(), code)


def _theme_code(theme: str) -> str:
    known = codes("theme", (theme,), "peer_review_analyze") if _is("theme", theme) else ()
    return known[0] if known else _path_part(theme)


def _path_part(words: str) -> str:
    """Makes a safe file or folder name that can't leave the folder."""
    return _UNFIT.sub("-", words).strip(" .") or "-"


def _is(name: Literal["aspect", "theme"], label: str) -> bool:
    return any(option.id == label for option in layer(name).labels)
