"""A study's tables and figures as files: Tables 1 and 2 (CSV, LaTeX), Figures 1a and 1b (PDF, SVG, PNG, CSV)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.exchange.figures import figure_files, styled
from engine.exchange.io import csv_file
from engine.exchange.latex import latex_file
from engine.exchange.records import ExportFile
from engine.expertise.store import SurveyStore
from engine.expertise.summary import GAPS, SummaryRow, SurveySummary, summarise
from engine.expertise.survey import GRID, STEP
from engine.project import Project

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CAPTION_1 = "Who took part."
CAPTION_2 = "Which papers were rated."
HEADER = ("group", "name", "value", "share")


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
    """A table's cells under ``HEADER``: whole numbers whole, others to one digit, shares to three."""
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
    """Figure 1a: how many ratings stand at each point of the scale."""
    axes.bar(GRID, summary.ratings, width=STEP * 0.8, color="#0072b2")
    axes.set_xlim(GRID[0] - STEP, GRID[-1] + STEP)
    axes.set_xticks([1, 2, 3, 4, 5])
    axes.set_xlabel("expertise, as participants rated it")
    axes.set_ylabel("ratings")
    _whole_numbers(axes)


def draw_gaps(axes: Axes, summary: SurveySummary) -> None:
    """Figure 1b: how many pairs of papers of one participant lie how far apart; ties stand at 0."""
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


Draw = Callable[["Axes", SurveySummary], None]
Data = Callable[[SurveySummary], list[list[object]]]
FIGURES: tuple[tuple[str, str, Draw, tuple[str, str], Data], ...] = (
    (
        "figure-1a", "Distribution of the ratings", draw_ratings, ("rating", "ratings"),
        lambda summary: [[value, count] for value, count in zip(GRID, summary.ratings, strict=True)],
    ),
    (
        "figure-1b", "Distances between one participant's ratings", draw_gaps, ("distance", "pairs"),
        lambda summary: [[gap, count] for gap, count in zip(GAPS, summary.gaps, strict=True)],
    ),
)  # fmt: skip
"""Name, title, how it is drawn, and its data's header and rows."""


def summary_files(summary: SurveySummary, stem: str) -> tuple[ExportFile, ...]:
    """All tables and figures as files, named after ``stem``."""
    files: list[ExportFile] = []
    for name, rows, caption in (("table-1", summary.table_1, CAPTION_1), ("table-2", summary.table_2, CAPTION_2)):
        cells = table_cells(rows)
        files.append(csv_file(f"{stem}-{name}.csv", HEADER, cells))
        files.append(latex_file(f"{stem}-{name}.tex", HEADER, cells, caption))
    for name, _title, draw, header, data in FIGURES:
        with styled(4.0, 2.8) as (figure, axes):
            draw(axes, summary)
            files.extend(figure_files(f"{stem}-{name}", figure, header, data(summary)))
    return tuple(files)
