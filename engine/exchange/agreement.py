"""Exports the agreement between two annotators as tables and figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

from engine.agreement.records import MEASURES, PUBLISHED, Adjudication, Agreement, Figures
from engine.errors import not_written
from engine.exchange.figures import figure_files, styled
from engine.exchange.io import csv_file
from engine.exchange.records import ExportFile
from engine.measures.estimate import Estimate, defined
from engine.reviews.records import Comment
from engine.revision.records import Edit

FORMATS = ("table", "disagreements", "figures")
"""Export formats: the measures, all disagreements with their adjudication, and both figures with their data."""
_INK, _MUTED = "#0072b2", "#555555"
_MEASURES = ("paper", "measure", "value", "low", "high", "units", "published")


@dataclass(frozen=True, slots=True)
class AgreementExport:
    """Agreement figures with the comments and edits by id, and the adjudications by comment id."""

    found: Agreement
    comments: Mapping[str, Comment] = field(default_factory=dict)
    edits: Mapping[str, Edit] = field(default_factory=dict)
    decided: Mapping[str, Adjudication] = field(default_factory=dict)
    group: str = "Text"
    """Title of the group of edits whose pairs were counted."""


def export_files(export: AgreementExport, format_: str, name: str) -> tuple[ExportFile, ...]:
    """Returns the files of one of ``FORMATS``, named after ``name``. Raises ValueError for any other format."""
    match format_:
        case "table":
            rows = [(*row, export.group) for row in measure_rows(export.found)]
            return (csv_file(f"{name}.csv", (*_MEASURES, "edits"), rows),)
        case "disagreements":
            return (disagreements_file(export, f"{name}.csv"),)
        case "figures":
            if not export.found.overall.measured:
                raise not_written(nothing_shared(export.found))
            return (
                *interval_figure(export.found, f"{name}-intervals"),
                *confusion_figure(export.found, f"{name}-pairs"),
            )
    raise ValueError(format_)


def nothing_shared(found: Agreement) -> str:
    return f"{found.first} and {found.second} decided on none of the same comments, so nothing can be measured."


def measure_rows(found: Agreement) -> list[tuple[object, ...]]:
    """Returns a row per measure for all papers together and for each paper, with the published value."""
    return [
        (figures.title, measure, *cells(figures.estimates[measure]), PUBLISHED.get(measure))
        for figures in (found.overall, *found.papers)
        for measure in MEASURES
    ]


def disagreements_file(export: AgreementExport, name: str) -> ExportFile:
    """Returns a CSV with a row per comment on which the annotators differ; edits are given by their labels."""
    found, comments, edits, decided = export.found, export.comments, export.edits, export.decided

    def labels(keys: Sequence[str]) -> str:
        return " ".join(edits[key].label or key if key in edits else key for key in keys)

    titles = {figures.paper_id: figures.title for figures in found.papers}
    rows = []
    for one in found.disagreements:
        comment = comments.get(one.comment.first_id)
        ruling = decided.get(one.comment.first_id)
        rows.append(
            (
                titles.get(one.paper_id, ""),
                comment.reviewer if comment else "",
                comment.comment if comment else "",
                labels(one.agreed),
                labels(one.only_first),
                labels(one.only_second),
                one.first_state,
                one.second_state,
                (ruling.verdict or "") if ruling else "",
                labels(ruling.edit_ids) if ruling and ruling.verdict else "",
                ruling.state if ruling and ruling.verdict else "",
                ruling.note if ruling else "",
            )
        )
    header = (
        "paper", "reviewer", "comment", "both", f"only {found.first}", f"only {found.second}", f"state {found.first}",
        f"state {found.second}", "verdict", "adjudicated", "adjudicated state", "note",
    )  # fmt: skip
    return csv_file(name, header, rows)


def interval_figure(found: Agreement, name: str) -> tuple[ExportFile, ...]:
    """Plots each measure over all papers as a point with its 95 % interval; grey ticks show the published values."""
    shown = [(measure, words, found.overall.estimates[measure]) for measure, words in MEASURES.items()]
    shown = [entry for entry in shown if entry[2].known]
    with styled(5.0, 0.8 + 0.34 * max(len(shown), 1)) as (figure, axes):
        for at, (measure, _, estimate) in enumerate(reversed(shown)):
            axes.plot([estimate.low, estimate.high], [at, at], color=_INK, linewidth=2)
            axes.plot([estimate.value], [at], "o", color=_INK)
            axes.annotate(
                f"{estimate.value:.2f}", (estimate.value, at), (0, 5), textcoords="offset points", ha="center"
            )
            if measure in PUBLISHED:
                axes.plot([PUBLISHED[measure]] * 2, [at - 0.28, at + 0.28], color=_MUTED, linewidth=1)
        axes.set_yticks(range(len(shown)), [words for _, words, _ in reversed(shown)])
        axes.set_ylim(-0.6, len(shown) - 0.2)
        lows = [estimate.low for _, _, estimate in shown if not isnan(estimate.low)]
        axes.set_xlim(min([0.0, *lows]) - 0.02, 1.04)
        axes.set_xlabel("agreement, with 95 % interval; grey: published")
        rows = [(measure, *cells(estimate), PUBLISHED.get(measure)) for measure, _, estimate in shown]
        return figure_files(name, figure, _MEASURES[1:], rows)


def confusion_figure(found: Agreement, name: str) -> tuple[ExportFile, ...]:
    """Plots pairs of comment and edit by both annotators' decisions: a 2 × 2 table shaded by each row's shares."""
    counts = found.overall.confusion
    words = ("linked", "not linked")
    with styled(3.4, 2.8) as (figure, axes):
        shares = [[n / (sum(row) or 1) for n in row] for row in counts]
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1.6)
        axes.grid(visible=False)
        for i, row in enumerate(counts):
            for j, n in enumerate(row):
                axes.text(j, i, f"{n:,}", ha="center", va="center")
        axes.set_xticks((0, 1), words)
        axes.set_yticks((0, 1), words)
        axes.set_xlabel(found.second)
        axes.set_ylabel(found.first)
        rows = [(words[i], words[j], n) for i, row in enumerate(counts) for j, n in enumerate(row)]
        return figure_files(name, figure, (found.first or "first", found.second or "second", "pairs"), rows)


def figures_fields(figures: Figures) -> dict[str, object]:
    """Returns the figures of a paper as JSON fields; undefined measures are None."""
    return {
        "paper": figures.title,
        "comments": figures.comments,
        "left_out": figures.left_out,
        "pairs": {
            "both": figures.confusion[0][0],
            "first_only": figures.confusion[0][1],
            "second_only": figures.confusion[1][0],
            "neither": figures.confusion[1][1],
        },
        "measures": {measure: estimate_fields(estimate) for measure, estimate in figures.estimates.items()},
    }


def cells(estimate: Estimate) -> tuple[float | None, float | None, float | None, int]:
    """Returns value, interval bounds and number of units, rounded to 6 digits; undefined numbers are None."""
    return defined(estimate.value, 6), defined(estimate.low, 6), defined(estimate.high, 6), estimate.n


def estimate_fields(estimate: Estimate) -> dict[str, float | int | None]:
    return dict(zip(("value", "low", "high", "units"), cells(estimate), strict=True))
