"""One report on all published tables that run here: what is computed, and how it stands beside what was published."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from engine.exchange.figures import drawn, styled
from engine.expertise.algorithms.registry import ALGORITHMS
from engine.revision.aligners import STRATEGIES, Means

Rows = Sequence[Mapping[str, Any]]
_SEEDS = 20
_NO_FOLDER = "needs a model folder, and none ships"


@dataclass(frozen=True, slots=True)
class Part:
    """One call of ``rejoinder reproduce``: ``arguments`` after it; ``reads`` are folders of the data folder, of which
    ``data`` is given to the call ("" for the data folder itself, None for a call that reads no data)."""

    name: str
    paper: str
    title: str
    arguments: tuple[str, ...]
    data: str | None = None
    reads: tuple[str, ...] = ()

    def missing(self, data: Path) -> tuple[str, ...]:
        """The folders that it needs and that are not there."""
        return tuple(name for name in self.reads if not (data / name).is_dir())

    def call(self, data: str) -> list[str]:
        """The arguments of the call on a data folder."""
        return [*self.arguments, *([] if self.data is None else ["--data", str(Path(data, self.data))]), "--json"]

    def state(self, data: Path, version: str) -> str:
        """A digest of all that its result depends on: the call, the program's version, and the files that it reads."""
        files = sorted(path for name in self.reads for path in (data / name).rglob("*") if path.is_file())
        known = [(str(path.relative_to(data)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
        return hashlib.sha256(repr((version, self.arguments, known)).encode()).hexdigest()


def _rebuttal(task: str, title: str, *reads: str) -> Part:
    arguments = ("rebuttal", "--tasks", task, "--seed", "1")
    return Part(f"rebuttal-{task}", JITSUPEER, title, arguments, "", reads)


CALIBRATION = "Schraudolph (1998), Scoring Conference Submissions by Alternate Maximization of Likelihood"
EXPERTISE = "Stelmakh et al. (2023), A Gold Standard Dataset for the Reviewer Assignment Problem"
ARIES = "D'Arcy et al. (2024), ARIES: A Corpus of Scientific Paper Edits Made in Response to Peer Reviews"
JITSUPEER = "Purkayastha et al. (2023), Exploring Jiu-Jitsu Argumentation for Writing Peer Review Rebuttals"
PARTS = (
    Part("calibration", CALIBRATION, "Table 1", ("calibration-table-1", "--seeds", str(_SEEDS))),
    Part("similarity", EXPERTISE, "Tables 1 to 5, figures 1 and 2", ("similarity", "--lengths", "--seed", "0"),
         "expertise", ("expertise",)),
    Part("alignment", ARIES, "Table 2, on other papers", ("alignment",), "revisions", ("revisions",)),
    _rebuttal("theme", "Themes of review sentences (Table 1)", "peer_review_analyze"),
    _rebuttal("labels", "Labels of review sentences (Table 9, and DISAPERE)", "disapere"),
    _rebuttal("rebuttal-action", "Actions of rebuttal sentences (DISAPERE)", "disapere"),
    _rebuttal("answers", "What a rebuttal sentence answers (DISAPERE)", "disapere"),
    _rebuttal("scoring", "Scoring and ranking of canonical rebuttals (Tables 4 and 10)", "jitsupeer"),
    _rebuttal("descriptions", "Description generation (Table 11)", "jitsupeer"),
    _rebuttal("generation", "Generation of canonical rebuttals (Table 12)", "jitsupeer"),
)  # fmt: skip
"""Everything that runs without models that do not ship, the quick ones first."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the report; ``picture`` is an SVG."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    picture: bytes | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a part: its document, or ``problem``, why there is none; seconds when it was computed."""

    part: Part
    document: Mapping[str, Any] | None
    seconds: float = 0.0
    problem: str = ""


def not_run() -> tuple[tuple[str, str], ...]:
    """What the papers compare and the report cannot compute, with the reason."""
    nothing = Means()
    aligners = [
        (f"ARIES: {entry.title}", f"needs {' and '.join(need for need in entry.needs if need != 'encoder')}")
        for entry in STRATEGIES.values()
        if any(nothing.lacks(need) for need in entry.needs if need != "encoder")
    ]
    similarities = [(f"Gold standard: {e.title}", _NO_FOLDER) for e in ALGORITHMS.values() if e.needs == "folder"]
    return (
        *similarities,
        *aligners,
        ("Jiu-Jitsu: fine-tuned BERT, RoBERTa, SciBERT", f"{_NO_FOLDER} (reproduce rebuttal --fine-tune FOLDER)"),
        ("Jiu-Jitsu: BART, Pegasus, T5", f"{_NO_FOLDER} (reproduce rebuttal --seq2seq FOLDER)"),
    )


def render(outcomes: Sequence[Outcome], versions: Mapping[str, str], made: str) -> bytes:
    """The report as one HTML page without links to anything outside it."""
    from jinja2 import Environment, StrictUndefined

    papers: dict[str, list[dict[str, Any]]] = {}
    for found in outcomes:
        shown = {
            "title": found.part.title,
            "call": " ".join(["rejoinder reproduce", *found.part.call("DIR")]),
            "seconds": round(found.seconds, 1),
            "problem": found.problem,
            "tables": [
                {
                    "title": table.title,
                    "header": table.header,
                    "rows": table.rows,
                    "picture": table.picture and base64.b64encode(table.picture).decode(),
                }
                for table in ([] if found.document is None else TABLES[found.part.arguments[0]](found.document))
            ],
        }
        papers.setdefault(found.part.paper, []).append(shown)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    source = (resources.files("resources") / "templates" / "reproduction.html.jinja").read_text(encoding="utf-8")
    page = environment.from_string(source).render(
        papers=papers, not_run=not_run(), versions=versions, made=made, seconds=round(sum(o.seconds for o in outcomes))
    )
    return page.encode()


def _calibration(document: Mapping[str, Any]) -> Iterable[Table]:
    measures = {
        "average_log_likelihood": ("log-likelihood of a review", 3), "mean": ("mean rank difference", 1),
        "rms": ("RMS", 1), "max": ("maximum", 0),
    }  # fmt: skip
    header = ("", *(cell for title, _ in measures.values() for cell in (title, "published")))
    for generator in dict.fromkeys(row["generator"] for row in document["rows"]):
        rows = [row for row in document["rows"] if row["generator"] == generator]
        cells = tuple(
            (
                f"{row['strategy']}) {row['title']}",
                *(
                    cell
                    for name, (_, digits) in measures.items()
                    for cell in (
                        f"{row[name]:.{digits}f} ± {row['spread'][name]:.{digits}f}",
                        f"{row['published'][name]:.{digits}f}" if row["published"] else "",
                    )
                ),
            )
            for row in rows
        )
        points = [
            Point(cell[0], row["mean"], row["mean"] - spread, row["mean"] + spread, _there(published.get("mean")))
            for cell, row in zip(cells, rows, strict=True)
            for spread, published in ((row["spread"]["mean"], row["published"] or {}),)
        ]
        title = "eq. (12)" if generator == "none" else f"eq. (12), but {generator}"
        about = f"Generator: {title}; mean ± standard deviation over {document['seeds']} draws"
        yield Table(about, header, cells, _dots(points, "mean rank difference (bars: ± one standard deviation)"))


def _similarity(document: Mapping[str, Any]) -> Iterable[Table]:
    for number, about in (("1", "participants"), ("2", "papers and ratings")):
        facts = tuple(
            (row["name"], "not in the data" if row["value"] is None else f"{row['value']:g}", f"{row['printed']:g}")
            for row in document[f"table_{number}"]
        )
        yield Table(f"Table {number}: {about}", ("", "these participants", "published, all 58"), facts)
    for letter, name, count in (("a", "rating", "ratings"), ("b", "distance", "pairs")):
        counts = [(row[name], row[count]) for row in document[f"figure_1{letter}"]]
        cells = tuple((f"{value:g}", str(number)) for value, number in counts)
        yield Table(f"Figure 1{letter}: {count} by {name}", (name, count), cells, _bars(counts, name, count))
    for key, title in (("rows", "Table 3"), ("table_4", "Table 4: profiles of papers with full text only")):
        if document[key]:
            yield _losses(title, document[key])
    names = ("easy", "published_easy", "printed_easy", "hard", "published_hard", "printed_hard")
    triples = tuple((*_of(row), *(_number(row[name]) for name in names)) for row in document["rows"])
    beside = ("published, these people", "published, all 58")
    yield Table("Table 5: triples resolved", ("", "read", "easy", *beside, "hard", *beside), triples)
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in document.get("lengths", ()):
        curves.setdefault(", ".join(_of(row)), []).append((row["length"], row["loss"]))
    if curves:
        losses = tuple((name, *(_number(loss) for _, loss in points)) for name, points in curves.items())
        lengths = (f"{length:g}" for length, _ in next(iter(curves.values())))
        yield Table("Figure 2: loss by length of the profile", ("papers", *lengths), losses, _lines(curves))


def _of(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["algorithm"], row["representation"]


def _losses(title: str, rows: Rows) -> Table:
    names = ("loss", "published_loss", "printed_loss")
    differences = ("difference", "printed_difference")
    cells = tuple(
        (*_of(row), *(_between(row, name) for name in names), *(_between(row, name, "+") for name in differences))
        for row in rows
    )
    points = [
        Point(", ".join(_of(row)), row["loss"], row["loss_low"], row["loss_high"], _there(row["published_loss"]))
        for row in rows
        if row["loss"] is not None
    ]
    header = ("", "read", "loss", "published, these people", "published, all 58", "less TPMS", "published, all 58")
    return Table(title, header, cells, _dots(points, "loss (95 %); published on these people"))


def _alignment(document: Mapping[str, Any]) -> Iterable[Table]:
    measures = {
        "precision": "precision", "recall": "recall", "f1": "micro-F1", "macro_precision": "macro precision",
        "macro_recall": "macro recall", "macro_f1": "macro-F1", "addition_f1": "AO-F1",
    }  # fmt: skip
    rows = document["rows"]
    cells, points = [], []
    for row in rows:
        name = row["title"] + (", with responses" if row["responses"] else "")
        name += f" (edits of {row['least_characters']} characters and more)" if row["least_characters"] else ""
        both = ((row[key], row["published"].get(key)) for key in measures)
        cells.append((name, *(f"{100 * own:.1f}" + _beside(printed) for own, printed in both)))
        low, high = row["f1_low_over_papers"], row["f1_high_over_papers"]
        points.append(Point(name, row["f1"], low, high, _there(row["published"].get("f1"))))
    about = f"{len(document['papers'])} papers, one left out in turn; in brackets published, on other papers (percent)"
    picture = _dots(points, "micro-F1 (95 % over papers); published on other papers")
    yield Table(about, ("", *measures.values()), tuple(cells), picture)


def _by_task(document: Mapping[str, Any]) -> Iterable[Table]:
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in document["rows"]:
        groups.setdefault((row["task"], row["split"]), []).append(row)
    for (task, split), rows in groups.items():
        metrics = tuple(dict.fromkeys(row["metric"] for row in rows))
        own = {(row["title"], row["metric"]): row for row in rows}
        cells = [
            (title, *(_percent(own.get((title, metric))) for metric in metrics))
            for title in dict.fromkeys(row["title"] for row in rows)
        ]
        printed = {row["metric"]: row["published"] for row in rows}
        for system in dict.fromkeys(name for metric in metrics for name in printed[metric]):
            shown = (printed[metric].get(system) for metric in metrics)
            cells.append((f"published: {system}", *("" if v is None else f"{100 * v:.1f}" for v in shown)))
        points = [
            Point(row["title"], row["value"], row["low"], row["high"], tuple(row["published"].values()))
            for row in rows
            if row["metric"] == metrics[0]
        ]
        about = f"{task} ({split}; seed {rows[0]['seed']}), percent, 95 %; published figures are on the test part"
        yield Table(about, ("", *metrics), tuple(cells), _dots(points, f"{metrics[0]} (95 %); published"))


TABLES: Mapping[str, Callable[[Mapping[str, Any]], Iterable[Table]]] = {
    "calibration-table-1": _calibration,
    "similarity": _similarity,
    "alignment": _alignment,
    "rebuttal": _by_task,
}
"""By command, the tables of its document."""


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _between(row: Mapping[str, Any], name: str, sign: str = "-") -> str:
    value, low, high = (row.get(key) for key in (name, f"{name}_low", f"{name}_high"))
    if value is None:
        return ""
    return f"{value:{sign}.3f}" + ("" if low is None else f" [{low:{sign}.3f}, {high:{sign}.3f}]")


def _beside(published: float | None) -> str:
    return "" if published is None else f" ({100 * published:.1f})"


def _percent(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else f"{100 * row['value']:.1f} [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"


def _there(value: float | None) -> tuple[float, ...]:
    return () if value is None else (value,)


class Point(NamedTuple):
    """A value with its interval, and the published ones that belong beside it."""

    name: str
    value: float
    low: float
    high: float
    published: tuple[float, ...]


def _dots(points: Sequence[Point], label: str) -> bytes:
    """Values with their intervals, the first on top; a tick where a published figure lies."""
    with styled(6.2, 0.8 + 0.26 * max(len(points), 1)) as (figure, axes):
        for row, point in enumerate(reversed(points)):
            axes.plot([point.low, point.high], [row, row], color="C0", linewidth=2, solid_capstyle="round")
            axes.plot([point.value], [row], "o", color="C0")
            axes.plot(point.published, [row] * len(point.published), "|", color="black", markersize=10)
        axes.set_yticks(range(len(points)), [point.name for point in reversed(points)])
        axes.set_xlabel(f"{label}: |")
        return drawn(figure, "svg")


def _bars(points: Sequence[tuple[float, float]], x: str, y: str) -> bytes:
    with styled(6.2, 2.4) as (figure, axes):
        axes.bar([point[0] for point in points], [point[1] for point in points], width=0.2)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        return drawn(figure, "svg")


def _lines(curves: Mapping[str, Sequence[tuple[float, float]]]) -> bytes:
    with styled(6.2, 3.6) as (figure, axes):
        for name, points in curves.items():
            axes.plot(*zip(*points, strict=True), label=name)
        axes.set_xlabel("papers in a profile")
        axes.set_ylabel("loss")
        axes.legend()
        return drawn(figure, "svg")
