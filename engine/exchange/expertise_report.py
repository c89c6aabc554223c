"""Exports expertise results: the laboratory's leaderboard and curve, a survey's tables 1, 2 and figures 1a, 1b."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

from engine.exchange.figures import figure_files, styled
from engine.exchange.io import csv_file
from engine.exchange.latex import latex_file
from engine.exchange.records import ExportFile
from engine.expertise.evaluation import Difference, Evaluation
from engine.expertise.laboratory import Outcome, all_differences
from engine.expertise.store import SurveyStore
from engine.expertise.summary import GAPS, SummaryRow, SurveySummary, summarise
from engine.expertise.survey import GRID, STEP
from engine.measures.estimate import defined
from engine.project import Project

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEADER = (
    "algorithm", "parameters", "representation", "profile_length", "loss", "low", "high", "published", "difference",
    "difference_low", "difference_high", "easy", "hard", "participants", "seconds",
)  # fmt: skip
TITLES = ("Algorithm", "Representation", "Loss", "95 % interval", "Published", "Easy", "Hard")


def leaderboard_rows(outcomes: Sequence[Outcome], differences: Mapping[str, Difference]) -> list[tuple[object, ...]]:
    """Returns one row per outcome in the given order, with the cells of ``HEADER``."""
    rows: list[tuple[object, ...]] = []
    for outcome in outcomes:
        found, apart = outcome.evaluation, differences.get(outcome.run.id)
        ends = map(defined, (apart.value, apart.low, apart.high)) if apart is not None else (None, None, None)
        rows.append(
            (
                outcome.run.algorithm, "; ".join(f"{name}={value}" for name, value in outcome.run.parameters),
                outcome.run.representation, outcome.run.profile_length, defined(found.loss),
                defined(found.loss_low), defined(found.loss_high), outcome.published,
                *ends,
                defined(found.easy), defined(found.hard), found.participants, outcome.run.seconds,
            )
        )  # fmt: skip
    return rows


def leaderboard_files(outcomes: Sequence[Outcome], differences: Mapping[str, Difference]) -> tuple[ExportFile, ...]:
    """Returns the table as CSV and LaTeX, and the figure as PDF, SVG and PNG."""
    rows = leaderboard_rows(outcomes, differences)
    table = [
        [
            outcome.run.label,
            outcome.run.representation,
            _shown(outcome.evaluation.loss, 3),
            outcome.evaluation.span() or "–",
            "" if outcome.published is None else f"{outcome.published:.3f}",
            _shown(outcome.evaluation.easy),
            _shown(outcome.evaluation.hard),
        ]
        for outcome in outcomes
    ]
    with styled(5.5, 0.7 + 0.34 * max(len(outcomes), 1)) as (figure, axes):
        draw_leaderboard(axes, outcomes)
        files = figure_files("leaderboard", figure, HEADER, rows)
    return (*files, latex_file("leaderboard.tex", TITLES, table))


def _shown(value: float, digits: int = 2) -> str:
    return "–" if isnan(value) else f"{value:.{digits}f}"


def draw_leaderboard(axes: Axes, outcomes: Sequence[Outcome]) -> None:
    """Plots each loss with its interval, in the given order from the top, and a tick at the published loss."""
    for row, outcome in enumerate(reversed(outcomes)):
        found = outcome.evaluation
        axes.plot([found.loss_low, found.loss_high], [row, row], color="C0", linewidth=2, solid_capstyle="round")
        axes.plot([found.loss], [row], "o", color="C0")
        if outcome.published is not None:
            axes.plot([outcome.published], [row], "|", color="black", markersize=12)
    axes.set_yticks(range(len(outcomes)), [o.run.label for o in reversed(outcomes)])
    axes.set_xlabel("loss (0 perfect, 0.5 chance); | published")


def curve_files(curves: Mapping[str, Sequence[tuple[int, Evaluation]]]) -> tuple[ExportFile, ...]:
    """Returns figure and data of each algorithm's loss by profile length."""
    rows = [
        (algorithm, length, *map(defined, (found.loss, found.loss_low, found.loss_high, found.easy, found.hard)))
        for algorithm, points in curves.items()
        for length, found in points
    ]
    with styled() as (figure, axes):
        for number, (algorithm, points) in enumerate(curves.items()):
            lengths = [length for length, _ in points]
            axes.plot(lengths, [found.loss for _, found in points], "o-", color=f"C{number}", markersize=3)
            axes.annotate(
                algorithm, (lengths[-1], points[-1][1].loss), xytext=(4, 0), textcoords="offset points",
                va="center", color=f"C{number}",
            )  # fmt: skip
        axes.set_xlabel("papers in the profile")
        axes.set_ylabel("loss")
        header = ("algorithm", "profile_length", "loss", "low", "high", "easy", "hard")
        return figure_files("profile-length", figure, header, rows)


def comparison_files(outcomes: Sequence[Outcome]) -> tuple[ExportFile, ...]:
    """Returns all pairwise differences as CSV and LaTeX; empty if there are no pairs."""
    found = all_differences(outcomes)
    if not found:
        return ()
    rows = [
        (one.run.label, other.run.label, defined(apart.value), defined(apart.low), defined(apart.high))
        for one, other, apart in found
    ]
    cells = [
        [
            one.run.label,
            other.run.label,
            "–" if isnan(apart.value) else f"{apart.value:+z.3f}",
            (apart.span() or "–") + " *" * apart.certain,
        ]
        for one, other, apart in found
    ]
    return (
        csv_file("differences.csv", ("algorithm", "other", "difference", "low", "high"), rows),
        latex_file("differences.tex", ("Algorithm", "Other", "Difference of loss", "95 % interval"), cells),
    )


def scores_file(outcome: Outcome) -> ExportFile:
    """Returns all scores of a run: draw, participant, paper, score."""
    rows = [
        (draw, person, paper, score)
        for draw, people in enumerate(outcome.predictions)
        for person, own in people.items()
        for paper, score in own.items()
    ]
    name = "-".join((outcome.run.algorithm, *(part for option in outcome.run.options for part in option if part)))
    return csv_file(f"scores-{name}.csv", ("draw", "participant", "paper", "score"), rows)


SUMMARY_HEADER = ("group", "name", "value", "share")


def summary_of(project: Project, study_id: str) -> SurveySummary:
    store = SurveyStore(project)
    people = store.participants(study_id)
    return summarise(
        store.study(study_id),
        people,
        {p.id: store.rows(p.id) for p in people},
        {p.id: store.profile(p.id) for p in people},
    )


def table_cells(rows: tuple[SummaryRow, ...]) -> list[list[object]]:
    """Returns a table's rows under ``SUMMARY_HEADER``: values as integers or with one decimal, shares with three."""
    return [
        [
            row.group,
            row.name,
            int(row.value) if row.value == int(row.value) else round(row.value, 1),
            None if row.share is None else round(row.share, 3),
        ]
        for row in rows
    ]


def draw_ratings(axes: Axes, summary: SurveySummary) -> None:
    """Figure 1a: number of ratings at each point of the scale."""
    axes.bar(GRID, summary.ratings, width=STEP * 0.8, color="#0072b2")
    axes.set_xlim(GRID[0] - STEP, GRID[-1] + STEP)
    axes.set_xticks([1, 2, 3, 4, 5])
    axes.set_xlabel("expertise, as participants rated it")
    axes.set_ylabel("ratings")
    _whole_numbers(axes)


def draw_gaps(axes: Axes, summary: SurveySummary) -> None:
    """Figure 1b: number of pairs of a participant's papers by difference of their ratings; ties are at 0."""
    axes.bar(GAPS, summary.gaps, width=STEP * 0.8, color=["#835a00", *["#0072b2"] * (len(GAPS) - 1)])
    axes.set_xlim(GAPS[0] - STEP, GAPS[-1] + STEP)
    axes.set_xticks([0, 1, 2, 3, 4])
    axes.set_xlabel("distance between two ratings of one participant")
    axes.set_ylabel("pairs of papers")
    if summary.ties:
        axes.annotate("ties", (0, summary.ties), ha="center", va="bottom", color="#835a00")
    _whole_numbers(axes)


def _whole_numbers(axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
    axes.set_ylim(bottom=0)


def summary_files(summary: SurveySummary, stem: str) -> tuple[ExportFile, ...]:
    """Returns all tables and figures as files, named after ``stem``."""
    files: list[ExportFile] = []
    for name, rows, caption in (
        ("table-1", summary.table_1, "Who took part."),
        ("table-2", summary.table_2, "Which papers were rated."),
    ):
        cells = table_cells(rows)
        files.append(csv_file(f"{stem}-{name}.csv", SUMMARY_HEADER, cells))
        files.append(latex_file(f"{stem}-{name}.tex", SUMMARY_HEADER, cells, caption))
    for name, draw, header, values, counts in (
        ("figure-1a", draw_ratings, ("rating", "ratings"), GRID, summary.ratings),
        ("figure-1b", draw_gaps, ("distance", "pairs"), GAPS, summary.gaps),
    ):
        with styled(4.0, 2.8) as (figure, axes):
            draw(axes, summary)
            files.extend(figure_files(f"{stem}-{name}", figure, header, [*zip(values, counts, strict=True)]))
    return tuple(files)
