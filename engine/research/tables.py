"""Converts documents of ``rejoinder reproduce`` to tables with the published figures, for terminal and report."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from engine.exchange.figures import drawn, styled

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title; ``picture`` draws it as SVG."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    picture: Callable[[], bytes] | None = None

    def as_text(self) -> str:
        """Formats the table for a terminal: first column left-aligned, others right-aligned."""
        lines = (self.header, *self.rows)
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.header))]
        cells = (
            [f"{cell:{'>' if at else '<'}{width}}" for at, (cell, width) in enumerate(zip(line, widths, strict=True))]
            for line in lines
        )
        return "\n".join([self.title, *("  " + "  ".join(line).rstrip() for line in cells)])


def tables(command: str, document: Mapping[str, Any]) -> tuple[Table, ...]:
    """Returns the tables of a document from ``rejoinder reproduce COMMAND --json``."""
    return tuple(_TABLES[command](document))


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
        yield Table(
            about, header, cells, partial(_dots, points, "mean rank difference (bars: ± one standard deviation)")
        )


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
        yield Table(f"Figure 1{letter}: {count} by {name}", (name, count), cells, partial(_bars, counts, name, count))
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
        yield Table("Figure 2: loss by length of the profile", ("papers", *lengths), losses, partial(_lines, curves))


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
    return Table(title, header, cells, partial(_dots, points, "loss (95 %); published on these people"))


_TABLE_2 = {
    "addition_f1": "AO-F1", "precision": "P", "recall": "R", "f1": "F1", "addition_macro_f1": "macro AO-F1",
    "macro_precision": "macro P", "macro_recall": "macro R", "macro_f1": "macro F1",
}  # fmt: skip
_RANKING = {
    "macro_f1_without_empty": "macro F1 without empty", "recall_at_1": "R@1", "recall_at_3": "R@3",
    "recall_at_5": "R@5", "all_in_5": "all in 5",
}  # fmt: skip


def _alignment(document: Mapping[str, Any]) -> Iterable[Table]:
    rows, count = document["rows"], f"{len(document['papers'])} papers"
    printed = [_cells(f"printed: {row['title']}", row, _TABLE_2) for row in document["table_2"]]
    own = [_cells(_strategy(row), row, _TABLE_2) for row in rows]
    points = [
        Point(_strategy(row), row["f1"], row["f1_low_over_papers"], row["f1_high_over_papers"],
              _there(row["published"].get("f1")))
        for row in rows
    ]  # fmt: skip
    picture = partial(_dots, points, "micro-F1 (95 % over papers); published on other papers")
    about = (
        f"Table 2: links of {count}, leaving out each in turn (percent, 95 % over comments); published: other papers"
    )
    yield Table(about, ("", *_TABLE_2.values()), (*own, *printed), picture)
    possible = max((row["recall_at_5_possible"] for row in rows), default=0.0)
    ranked = (
        _cells(
            _strategy(row),
            row | {end: row[f"{end}_over_papers"] for end in ("f1_low", "f1_high")},
            {"f1": "", **_RANKING},
        )
        for row in rows
    )
    about = f"Rankings (percent, 95 % over papers); no ranking can exceed an R@5 of {100 * possible:.1f} here"
    yield Table(about, ("", "F1", *_RANKING.values()), tuple(ranked))
    columns = {name: name for name in next(iter(document["table_3"].values()), ())}
    parts = [
        (*_cells(_strategy(row), row["by_directness"] | row["by_compliance"], columns), _percent(row, _WORST))
        for row in rows
    ]
    parts += [(*_cells(f"printed: {name}", figures, columns), "") for name, figures in document["table_3"].items()]
    about = "Table 3: micro-F1 by directness and by compliance (percent)"
    yield Table(about, ("", *columns, "errors in the worst fifth of comments"), tuple(parts))
    columns = {name: _TABLE_2[name] for name in ("precision", "recall", "f1", "macro_precision", "macro_recall")}
    columns["macro_f1"] = _TABLE_2["macro_f1"]
    sources = [_cells(_strategy(row), row, columns) for row in document["source_rows"]]
    sources += [_cells(f"printed: {row['title']}", row, columns) for row in document["table_8"]]
    about = "Table 8: the source paragraph among those that were changed (percent)"
    yield Table(about, ("", *columns.values()), tuple(sources))
    yield from _beside_links(document)


_WORST = "errors_in_worst_fifth"


def _beside_links(document: Mapping[str, Any]) -> Iterable[Table]:
    """Returns tables of what Rejoinder's aligner uses besides links: the filter, silver labels, and
    source paragraphs."""
    responses = {True: "with responses", False: "without responses"}
    kept = tuple(_cells(responses[row["responses"]], row, ("recall", "kept")) for row in document["filter"])
    yield Table("BM25 filter before language models (percent)", ("", "true pairs kept", "all pairs kept"), kept)
    silver = (
        (row["kind"], str(row["labels"]), *_cells("", row, ("precision", "recall"))[1:]) for row in document["silver"]
    )
    yield Table("Silver labels against the gold links (percent)", ("", "labels", "P", "R"), tuple(silver))
    found = document["source_alignment"]
    about = f"Source paragraph of {found['comments']} comments among {found['paragraphs']:.0f} each (percent)"
    hits = _cells("correct one among the first", found, ("hit_at_1", "hit_at_3", "hit_at_5"))
    yield Table(about, ("", "1", "3", "5"), (hits,))


def _strategy(row: Mapping[str, Any]) -> str:
    name: str = row["title"] + (", with responses" if row["responses"] else "")
    return name + (f" (edits of {row['least_characters']} characters and more)" if row["least_characters"] else "")


def _cells(name: str, row: Mapping[str, Any], columns: Iterable[str]) -> tuple[str, ...]:
    return (name, *(_percent(row, column) for column in columns))


def _percent(row: Mapping[str, Any], name: str) -> str:
    """Formats a share in percent with its interval, if any; "" if unknown."""
    values = (row.get(key) for key in (name, f"{name}_low", f"{name}_high"))
    return _spanned(*(value and 100 * value for value in values), form=".1f")


def _by_task(document: Mapping[str, Any]) -> Iterable[Table]:
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in document["rows"]:
        groups.setdefault((row["task"], row["split"]), []).append(row)
    for (task, split), rows in groups.items():
        metrics = tuple(dict.fromkeys(row["metric"] for row in rows))
        own = {(_named(row), row["metric"]): row for row in rows}
        cells = [
            (name, *(_value(own.get((name, metric))) for metric in metrics))
            for name in dict.fromkeys(map(_named, rows))
        ]
        printed = {row["metric"]: row["published"] for row in rows}
        for system in dict.fromkeys(name for metric in metrics for name in printed[metric]):
            shown = (printed[metric].get(system) for metric in metrics)
            cells.append((f"published: {system}", *("" if v is None else f"{100 * v:.1f}" for v in shown)))
        points = [
            Point(_named(row), row["value"], row["low"], row["high"], tuple(row["published"].values()))
            for row in rows
            if row["metric"] == metrics[0]
        ]
        about = f"{task} ({split}; seed {rows[0]['seed']}), percent, 95 %; published figures are for the test part"
        yield Table(about, ("", *metrics), tuple(cells), partial(_dots, points, f"{metrics[0]} (95 %); published"))


def _edit_generation(document: Mapping[str, Any]) -> Iterable[Table]:
    count = f"{document['complete']} analyses, in brackets as printed"
    for number, about in (("5", "which edit is more comprehensive"), ("6", "properties of both edits")):
        rows = [row for row in document["rows"] if row["table"] == number]
        names = tuple(rows[0]["published"])
        cells = tuple(
            (row["row"], *(f"{_number(row[name]) or '–'} ({row['published'][name]:g})" for name in names))
            for row in rows
        )
        yield Table(f"Table {number}: {about}; {count}", ("", *(name.replace("_", " ") for name in names)), cells)


def _review_bench(document: Mapping[str, Any]) -> Iterable[Table]:
    rows, printed = document["rows"], document["published"]
    dimensions = tuple(rows[0]["dimensions"]) if rows else ()
    own = [
        (row["configuration"], *(_share(row["dimensions"][name]) for name in dimensions), _share(row["overall"]),
         "" if row["against"] is None else _share(row["against"], "+"))
        for row in rows
    ]  # fmt: skip
    others = [
        (
            f"printed: {name}",
            *(f"{figures[name]:.2f}" if name in figures else "" for name in (*dimensions, "overall")),
            "",
        )
        for table in ("table-1", "table-3", "table-7")
        for name, figures in printed[table].items()
    ]
    points = [
        Point(row["configuration"], found["value"], found["low"], found["high"], _there(published.get("overall")))
        for row in rows
        for found, published in ((row["overall"], row["published"]),)
    ]
    about = (
        f"Tables 1, 3 and 7: rubric scores of drafts by rules, judged by rules; on {document['papers']} of our papers"
    )
    header = ("", *(name.replace("-", " ") for name in dimensions), "overall", "against full")
    yield Table(about, header, (*own, *others), partial(_dots, points, "overall (95 %); published, other papers"))


def _share(found: Mapping[str, float | None], sign: str = "-") -> str:
    return _spanned(found["value"], found["low"], found["high"], form=f"{sign}.2f", unknown="n/a")


def _named(row: Mapping[str, Any]) -> str:
    return f"{row['strategy']}: {row['title']}"


_TABLES: Mapping[str, Callable[[Mapping[str, Any]], Iterable[Table]]] = {
    "calibration-table-1": _calibration,
    "similarity": _similarity,
    "alignment": _alignment,
    "rebuttal": _by_task,
    "edit-generation": _edit_generation,
    "review-bench": _review_bench,
}


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _between(row: Mapping[str, Any], name: str, sign: str = "-") -> str:
    return _spanned(*(row.get(key) for key in (name, f"{name}_low", f"{name}_high")), form=f"{sign}.3f")


def _value(row: Mapping[str, Any] | None) -> str:
    values = (None, None, None) if row is None else (row["value"], row["low"], row["high"])
    return _spanned(*(value and 100 * value for value in values), form=".1f")


def _spanned(value: float | None, low: float | None, high: float | None, *, form: str, unknown: str = "") -> str:
    if value is None:
        return unknown
    return f"{value:{form}}" + ("" if low is None or high is None else f" [{low:{form}}, {high:{form}}]")


def _there(value: float | None) -> tuple[float, ...]:
    return () if value is None else (value,)


class Point(NamedTuple):
    """A value with its interval, and the corresponding published values."""

    name: str
    value: float
    low: float | None
    high: float | None
    published: tuple[float, ...]


def _dots(points: Sequence[Point], label: str) -> bytes:
    """Plots values with their intervals, the first on top, with ticks at published figures."""
    with styled(6.2, 0.8 + 0.26 * max(len(points), 1)) as (figure, axes):
        for row, point in enumerate(reversed(points)):
            if point.low is not None and point.high is not None:
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
