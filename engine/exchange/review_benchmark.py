"""Exports benchmarks of reviews as tables and figures: comparison of sources, and agreement of judge and person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, pi
from typing import Any

from engine.exchange.figures import figure_files, styled
from engine.exchange.io import csv_file
from engine.exchange.latex import latex_file
from engine.exchange.records import Export, ExportFile
from engine.measures.estimate import Estimate, defined
from engine.project import Project
from engine.review_drafting.benchmark.comparison import agreement, numeric_rows, table
from engine.review_drafting.benchmark.records import (
    SCORE_FIELDS,
    AgreementRow,
    Judgement,
    NumericRow,
    ReviewSet,
    SourceRow,
)
from engine.review_drafting.benchmark.store import BenchmarkStore, JudgeRun
from engine.review_drafting.rubrics import meta_rubrics

BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """All results of one benchmark for one judge; ``judged_by`` is a run's key, or ``BY_HAND``. ``agreement`` compares
    a judge's run with the acting annotator's scores, and is empty unless both exist."""

    title: str
    whole: ReviewSet
    runs: tuple[JudgeRun, ...]
    judged_by: str
    judgements: Mapping[str, Mapping[str, Judgement]]
    rows: tuple[SourceRow, ...]
    numeric: tuple[NumericRow, ...]
    agreement: tuple[AgreementRow, ...]
    own: Mapping[str, Mapping[str, int]]
    baseline: str


def benchmark_report(project: Project, benchmark_id: str, judged_by: str = "", baseline: str = "") -> BenchmarkReport:
    """Reads a benchmark and computes its results. ``judged_by`` defaults to the newest run, or to the acting
    annotator's scores if there are no runs. Raises KeyError if the benchmark doesn't exist."""
    store = BenchmarkStore(project)
    title = next((one.title for one in store.benchmarks() if one.id == benchmark_id), None)
    if title is None:
        raise KeyError(benchmark_id)
    whole, runs = store.read(benchmark_id), store.runs(benchmark_id)
    own: dict[str, dict[str, int]] = {}
    for rating in store.ratings(benchmark_id, project.annotator_id):
        if rating.score is not None:
            own.setdefault(rating.review_id, {})[rating.dimension] = rating.score
    if judged_by not in {BY_HAND, *(run.id for run in runs)}:
        judged_by = runs[0].id if runs else BY_HAND
    run_id = judged_by if judged_by != BY_HAND else (runs[0].id if runs else "")
    judged = store.judgements(run_id) if run_id else {}
    by_judge = {key: {name: one.score for name, one in given.items()} for key, given in judged.items()}
    metas = meta_rubrics()
    by_rules = any(run.id == judged_by and run.judge == "checks" for run in runs)
    return BenchmarkReport(
        title=title,
        whole=whole,
        runs=runs,
        judged_by=judged_by,
        judgements=judged,
        rows=table(
            whole.reviews,
            own if judged_by == BY_HAND else by_judge,
            metas,
            baseline=baseline or None,
            complete=not by_rules,
        ),
        numeric=numeric_rows(whole),
        agreement=agreement(whole.reviews, by_judge, own, metas) if judged and own else (),
        own=own,
        baseline=baseline,
    )


def export_tables(report: BenchmarkReport) -> Export:
    """Returns every table as CSV, the table of sources as LaTeX too, and the benchmark itself as JSON Lines."""
    from engine.exchange.review_sets import write_review_set

    metas = meta_rubrics()
    header = ["source", "papers", "reviews", "overall", "low", "high"]
    header += ["substantiated", "substantiated_low", "substantiated_high"]
    header += [f"{meta.id}{end}" for meta in metas for end in ("", "_low", "_high")]
    header += [f"against_{report.baseline}", "against_low", "against_high"] if report.baseline else []
    rows: list[list[object]] = []
    for row in report.rows:
        cells: list[object] = [row.source, row.papers, row.reviews, *_cells(row.overall), *_cells(row.substantiated)]
        for meta in metas:
            cells += _cells(row.dimensions[meta.id])
        if report.baseline:
            cells += _cells(row.against) if row.against is not None else [None, None, None]
        rows.append(cells)
    names = {paper.id: paper.title for paper in report.whole.papers}
    files = [
        csv_file("sources.csv", header, rows),
        latex_file(
            "sources.tex",
            ["Source", "Overall", *(meta.title for meta in metas)],
            [
                [row.source, _words(row.overall), *(_words(row.dimensions[meta.id], short=True) for meta in metas)]
                for row in report.rows
            ],
        ),
        csv_file(
            "numeric.csv",
            ["source", "field", "papers", "mse", "mae", "pairwise", "accuracy", "f1"],
            [
                [row.source, field, row.n.get(field, 0), row.mse.get(field), row.mae.get(field),
                 row.pairwise.get(field), None, None]
                for row in report.numeric
                for field in SCORE_FIELDS
            ]
            + [
                [row.source, "decision", row.n.get("decision", 0), None, None, None, row.accuracy, row.f1]
                for row in report.numeric
            ],
        ),
        csv_file(
            "agreement.csv",
            ["dimension", "reviews", "mae", "spearman", "pearson", "pairwise_error", "pairwise_absolute"],
            [
                [row.dimension, row.n, defined(row.mae), defined(row.spearman), defined(row.pearson),
                 defined(row.pairwise_error), defined(row.pairwise_absolute)]
                for row in report.agreement
            ],
        ),
        csv_file(
            "reviews.csv",
            ["paper", "source", "reviewer", "kept", "why_left_out", "dimension", "judge", "rationale", "by_hand"],
            [
                [names[review.paper_id], review.source, review.reviewer, int(review.kept), review.why_left_out, meta.id,
                 one.score if (one := report.judgements.get(review.id, {}).get(meta.id)) else None,
                 one.rationale if one else None, report.own.get(review.id, {}).get(meta.id)]
                for review in report.whole.reviews
                for meta in metas
            ],
        ),
        ExportFile("benchmark.jsonl", write_review_set(report.whole).encode()),
    ]  # fmt: skip
    return Export(tuple(files), ("Scores by other people in this project aren't in these files.",))


def export_figures(report: BenchmarkReport) -> Export:
    """Returns three figures, each as PDF, SVG and PNG with its data: overall scores, dimensions, and a radar chart."""
    return Export((*_overall(report.rows), *_dimensions(report.rows), *_radar(report.rows)))


def _overall(rows: Sequence[SourceRow]) -> tuple[ExportFile, ...]:
    with styled(5.0, 0.9 + 0.32 * max(len(rows), 1)) as (figure, axes):
        places = list(range(len(rows)))[::-1]
        for place, row in zip(places, rows, strict=True):
            low, high = row.overall.low, row.overall.high
            axes.plot([low, high], [place, place], color="#57606a", linewidth=1.2)
            axes.plot([row.overall.value], [place], "o", color="#0072b2", markersize=5)
        axes.set_yticks(places, [row.source for row in rows])
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.grid(axis="x")
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("overall score, −2 to 14, with 95 % intervals over papers")
        return figure_files(
            "overall", figure, ["source", "overall", "low", "high"], [[r.source, *_cells(r.overall)] for r in rows]
        )


def _dimensions(rows: Sequence[SourceRow]) -> tuple[ExportFile, ...]:
    metas = meta_rubrics()
    with styled(6.4, 4.0) as (figure, axes):
        for at, row in enumerate(rows):
            shift = (at - (len(rows) - 1) / 2) * 0.7 / max(len(rows), 1)
            places = [number + shift for number in range(len(metas))][::-1]
            values = [row.dimensions[meta.id] for meta in metas]
            axes.hlines(places, [v.low for v in values], [v.high for v in values], color="#57606a", linewidth=0.8)
            axes.plot([v.value for v in values], places, "o", label=row.source)
        axes.set_yticks(range(len(metas)), [meta.title for meta in metas][::-1])
        axes.grid(axis="x")
        axes.grid(visible=False, axis="y")
        axes.set_xlim(-2.1, 2.1)
        axes.set_xlabel("mean score with 95 % intervals")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
        return figure_files(
            "dimensions",
            figure,
            ["source", "dimension", "mean", "low", "high"],
            [[row.source, meta.id, *_cells(row.dimensions[meta.id])] for row in rows for meta in metas],
        )


def _radar(rows: Sequence[SourceRow]) -> tuple[ExportFile, ...]:
    """Plots scores as shares of the best possible score, with a pitfall's best score 0 at the rim."""
    metas = meta_rubrics()
    angles = [2 * pi * number / len(metas) for number in range(len(metas))]
    with styled(5.0, 4.6) as (figure, axes):
        axes.remove()
        polar: Any = figure.add_subplot(projection="polar")
        polar.set_theta_offset(pi / 2)
        polar.set_theta_direction(-1)
        for row in rows:
            shares = radar_shares(row)
            polar.plot([*angles, angles[0]], [*shares, shares[0]], label=row.source)
        polar.set_xticks(angles, [meta.title.replace(" ", "\n", 1) for meta in metas], fontsize=7)
        polar.set_ylim(0, 1)
        polar.set_yticks([0.5, 1], ["half", "all"], fontsize=7)
        polar.legend(loc="upper left", bbox_to_anchor=(1.05, 1.1))
        data = [
            [row.source, meta.id, share] for row in rows for meta, share in zip(metas, radar_shares(row), strict=True)
        ]
        return figure_files("radar", figure, ["source", "dimension", "share"], data)


def radar_shares(row: SourceRow) -> list[float]:
    """Returns a source's mean scores as shares of the best possible score per dimension; may be negative."""
    return [(row.dimensions[meta.id].value + (2 if meta.kind == "pitfall" else 0)) / 2 for meta in meta_rubrics()]


def _cells(value: Estimate) -> list[object]:
    return [defined(value.value), defined(value.low), defined(value.high)]


def _words(value: Estimate, *, short: bool = False) -> str:
    if isnan(value.value):
        return "n/a"
    return f"{value.value:.2f}" + ("" if short else value.span(" ({:.2f}–{:.2f})"))
