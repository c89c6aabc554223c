"""Exports calibration results: tables (CSV, XLSX), figures, and a report (HTML, PDF)."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.calibration.decisions import (
    decide,
    decision_limits,
    disagreeing,
    disagreement,
    item_log_likelihood,
    knows_disagreement,
    knows_noise,
    referee_log_likelihood,
    weak_referees,
)
from engine.calibration.ranking import RankDoubt, ranks
from engine.calibration.records import Calibration, Floats, Reviews, ScoreProblem
from engine.calibration.registry import CALIBRATORS
from engine.exchange.figures import drawn, figure_files, styled
from engine.exchange.io import HeaderAndRows, csv_file, xlsx_file
from engine.exchange.records import ExportFile
from engine.measures.estimate import defined
from engine.resource_files import rendered
from engine.shown import estimated

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from engine.calibration.comparison import ComparisonRow
    from engine.calibration.scenarios import Scenario
    from engine.calibration.tasks import Refit
    from engine.documents.service import DocumentService

NINETY = 1.6449


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationExport:
    """The data of an export. ``original`` is the fit without changes; ``made`` the date as shown."""

    title: str
    refit: Refit
    original: Refit
    cutoff: int | None
    problems: tuple[ScoreProblem, ...] = ()
    comparison: tuple[ComparisonRow, ...] = ()
    made: str = ""
    reviews: tuple[tuple[str, str, str], ...] = ()
    """Key, item and referee of the table's reviews, for describing changes."""
    score: str = ""
    """The column of the table's main score, which is calibrated unless the scenario names another one."""


ITEM_COLUMNS = (
    "rank", "rank_low", "rank_high", "interval", "rank_before", "item", "score", "sd", "plain_mean", "above_cutoff",
    "decision", "accepted", "decision_change", "review_gain", "swap_with_next", "reviews", "disagreement",
    "reviews_disagree", "log_likelihood", "circle",
)  # fmt: skip
REFEREE_COLUMNS = (
    "referee", "bias", "bias_sd", "interval", "trust", "infinite_trust", "reviews", "log_likelihood", "flagged",
)  # fmt: skip


def item_records(
    reviews: Reviews, fit: Calibration, doubt: RankDoubt | None, cutoff: int | None
) -> Iterator[tuple[int, dict[str, object]]]:
    """Yields each item's index and results in order of rank; undefined values are None."""
    places, apart, likelihood = ranks(fit.score), disagreement(reviews, fit), item_log_likelihood(reviews, fit)
    differ = disagreeing(reviews, fit)
    made = None if doubt is None or not cutoff else decide(reviews, fit, doubt, cutoff)
    for i in np.argsort(np.nan_to_num(places, nan=np.inf), kind="stable").tolist():
        yield (
            i,
            {
                "item": reviews.items[i],
                "score": defined(fit.score[i]),
                "sd": defined(fit.score_sd[i]),
                "rank": defined(places[i]),
                "rank_low": None if doubt is None else defined(doubt.low[i]),
                "rank_high": None if doubt is None else defined(doubt.high[i]),
                "interval": None if np.isnan(fit.score_sd[i]) else fit.interval,
                "above_cutoff": None if doubt is None or not cutoff else defined(doubt.above[i]),
                "decision": None if made is None else made.standing[i],
                "accepted": None if made is None or made.standing[i] is None else bool(made.accepted[i]),
                "decision_change": None if made is None else defined(made.change[i]),
                "review_gain": None if made is None else defined(made.gain[i]),
                "swap_with_next": None if doubt is None else defined(doubt.swap[i]),
                "reviews": int(reviews.reviews_per_item[i]),
                "disagreement": defined(apart[i]),
                "reviews_disagree": bool(differ[i]),
                "log_likelihood": defined(likelihood[i]),
            },
        )


def referee_records(reviews: Reviews, fit: Calibration) -> list[dict[str, object]]:
    weak, likelihood = weak_referees(reviews, fit), referee_log_likelihood(reviews, fit)
    return [
        {
            "referee": name,
            "bias": defined(fit.bias[r]),
            "bias_sd": defined(fit.bias_sd[r]),
            "interval": None if np.isnan(fit.bias_sd[r]) else fit.interval or None,
            "trust": defined(fit.trust[r]),
            "infinite_trust": bool(fit.noise[r] == 0),
            "reviews": int(reviews.reviews_per_referee[r]),
            "log_likelihood": defined(likelihood[r]),
            "flagged": bool(weak[r]),
        }
        for r, name in enumerate(reviews.referees)
    ]


def item_table(export: CalibrationExport) -> HeaderAndRows:
    fit, reviews = export.refit.calibration, export.refit.prepared.reviews
    before, circle = ranks(export.original.calibration.score), export.refit.comparability.circle
    counts = reviews.reviews_per_item
    means = np.divide(reviews.per_item(reviews.score), counts, out=np.full(len(counts), np.nan), where=counts > 0)
    rows = []
    for i, record in item_records(reviews, fit, export.refit.doubt, export.cutoff):
        further = {
            "rank_before": defined(before[i]),
            "plain_mean": defined(means[i]),
            "circle": int(circle[i]) + 1 if circle[i] >= 0 else None,
        }
        whole = record | further | _preliminary(export)
        rows.append([whole[column] for column in ITEM_COLUMNS])
    return ITEM_COLUMNS, rows


def referee_table(export: CalibrationExport) -> HeaderAndRows:
    records = referee_records(export.refit.prepared.reviews, export.refit.calibration)
    return REFEREE_COLUMNS, [list((record | _preliminary(export)).values()) for record in records]


def _interval(export: CalibrationExport) -> str:
    """Returns the kind of interval, or "preliminary" if the calculation was cancelled or hasn't finished; "" if there
    is none."""
    return "preliminary" if export.refit.doubt is None else export.refit.calibration.interval


def _with_interval(words: str, export: CalibrationExport) -> str:
    return f"{words}, {kind} interval" if (kind := _interval(export)) else words


def _preliminary(export: CalibrationExport) -> dict[str, object]:
    """Returns the cells that mark a row as preliminary; empty if the calculation has finished."""
    return {"interval": _interval(export)} if export.refit.doubt is None else {}


def review_table(export: CalibrationExport) -> HeaderAndRows:
    fit, reviews = export.refit.calibration, export.refit.prepared.reviews
    header = ("item", "referee", "score", "confidence", "weight", "residual", "log_likelihood", "hypothetical")
    rows: list[list[object]] = [
        [
            reviews.items[reviews.item[n]], reviews.referees[reviews.referee[n]], float(reviews.score[n]),
            float(reviews.confidence[n]), defined(fit.weight[n]), defined(fit.residual[n]),
            defined(fit.log_likelihood[n]), bool(export.refit.prepared.source[n] < 0),
        ]
        for n in range(len(reviews))
    ]  # fmt: skip
    return header, rows


def tables_xlsx(export: CalibrationExport, stem: str) -> tuple[ExportFile, ...]:
    """Returns one workbook with items, referees, reviews, and a sheet on method, parameters and data."""
    about = [*_facts(export), *(("Change", words) for words in _changes(export))]
    about += (("Limit", words) for words in export.refit.calibration.warnings)
    facts: HeaderAndRows = ("what", "value"), [[name, value] for name, value in about]
    return (xlsx_file(f"{stem}.xlsx", {**{name: make(export) for name, make in TABLES}, "about": facts}),)


TABLES: tuple[tuple[str, Callable[[CalibrationExport], HeaderAndRows]], ...] = (
    ("items", item_table),
    ("referees", referee_table),
    ("reviews", review_table),
)


def _draw_ranking(axes: Axes, export: CalibrationExport) -> None:
    fit = export.refit.calibration
    order = np.argsort(-np.nan_to_num(fit.score, nan=-np.inf), kind="stable")
    place = np.arange(1, len(order) + 1)
    score, half = fit.score[order], NINETY * np.nan_to_num(fit.score_sd[order])
    axes.vlines(place, score - half, score + half, color="#56b4e9", linewidth=1.0 if len(order) < 300 else 0.4)
    axes.plot(place, score, ".", color="#0072b2")
    if export.cutoff is not None:
        axes.axvline(export.cutoff + 0.5, color="#835a00", linestyle="--", linewidth=1)
        axes.annotate("cut-off", (export.cutoff + 0.5, 1), xycoords=("data", "axes fraction"), ha="left", va="top")
    axes.set_xlabel("rank")
    axes.set_ylabel(_with_interval("calibrated score", export))


def _draw_bias(axes: Axes, export: CalibrationExport) -> None:
    fit = export.refit.calibration
    order = np.argsort(fit.bias)
    place = np.arange(1, len(order) + 1)
    half = NINETY * np.nan_to_num(fit.bias_sd[order])
    axes.vlines(place, fit.bias[order] - half, fit.bias[order] + half, color="#56b4e9", linewidth=0.8)
    axes.plot(place, fit.bias[order], ".", color="#0072b2")
    axes.axhline(0, color="#57606a", linewidth=0.8)
    axes.set_xlabel("referees, strictest first")
    axes.set_ylabel(_with_interval("bias", export))


def _draw_raw(axes: Axes, export: CalibrationExport) -> None:
    table = item_table(export)
    means, scores = _column(table, "plain_mean"), _column(table, "score")
    axes.plot(means, scores, ".", color="#0072b2", alpha=0.7)
    known = scores[np.isfinite(scores)]
    if len(known):
        axes.plot([known.min(), known.max()], [known.min(), known.max()], "--", color="#57606a", linewidth=0.8)
    axes.set_xlabel("plain mean of reviews")
    axes.set_ylabel("calibrated score")


def _draw_residuals(axes: Axes, export: CalibrationExport) -> None:
    fit = export.refit.calibration
    standard = fit.residual * np.sqrt(fit.weight)
    known = standard[np.isfinite(standard)]
    if len(known):
        axes.hist(known, bins=40, color="#0072b2", density=True)
    grid = np.linspace(-4, 4, 200)
    axes.plot(grid, np.exp(-0.5 * grid**2) / np.sqrt(2 * np.pi), color="#d55e00")
    axes.annotate("standard normal", (1.1, 0.24), color="#a14400")
    axes.set_xlabel("standardised residual")
    axes.set_ylabel("density of reviews")


FIGURES: tuple[
    tuple[str, str, Callable[[Axes, CalibrationExport], None], Callable[[CalibrationExport], HeaderAndRows]], ...
] = (
    ("ranking", "Scores in order of rank", _draw_ranking, item_table),
    ("bias", "Referee bias", _draw_bias, referee_table),
    ("raw", "Plain means and calibrated scores", _draw_raw, item_table),
    ("residuals", "Residuals of the reviews", _draw_residuals, review_table),
)


def _column(table: HeaderAndRows, name: str) -> Floats:
    at = table[0].index(name)
    return np.array([np.nan if row[at] is None else row[at] for row in table[1]], dtype=np.float64)


def figures(export: CalibrationExport, stem: str) -> tuple[ExportFile, ...]:
    """Returns each figure as PDF, SVG and PNG, with its data as CSV."""
    files: list[ExportFile] = []
    for name, _title, draw, table in FIGURES:
        with styled() as (figure, axes):
            draw(axes, export)
            files.extend(figure_files(f"{stem}-{name}", figure, *table(export)))
    return tuple(files)


_CHANGES = {
    "exclude_review": "Review excluded: {referee} on {item}",
    "exclude_referee": "Referee excluded: {referee}",
    "set_score": "Score set to {value:g}: {referee} on {item}",
    "add_review": "Hypothetical review added: {value:g} on {item} {referee}",
    "pin_score": "Score of {item} pinned at {value:.2f}",
    "pin_bias": "Bias of {referee} pinned at {value:+.2f}",
    "pin_trust": "Trust of {referee} pinned at {value:.2f}",
}


def change_sentences(
    scenario: Scenario, names: Mapping[str, tuple[str, str]], most: int | None = None
) -> tuple[str, ...]:
    """Describes each change of a scenario; ``names`` maps a review's key to its item and referee. Names longer than
    ``most`` are shortened in the middle, since items may differ only at the end. Changes of another score than the
    calibrated one say so."""

    def brief(name: str) -> str:
        return name if most is None or len(name) <= most else f"{name[: most // 2]}…{name[1 + most // 2 - most :]}"

    said = []
    for change in scenario.changes:
        item, referee = map(brief, names.get(change.review_id, (change.item, change.referee)))
        words = _CHANGES[change.kind].format(item=item, referee=referee, value=change.value or 0.0).strip()
        other = "" if change in scenario.in_force else f" (only for {brief(change.score_name or 'the main score')})"
        said.append(f"{words}{other}")
    return tuple(said)


def _changes(export: CalibrationExport) -> tuple[str, ...]:
    return change_sentences(export.refit.scenario, {key: (i, r) for key, i, r in export.reviews})


def _facts(export: CalibrationExport) -> list[tuple[str, object]]:
    fit, reviews = export.refit.calibration, export.refit.prepared.reviews
    entry = CALIBRATORS[fit.method]
    given = export.refit.scenario.prior_precision
    return [
        ("Scenario", export.refit.scenario.name),
        *([("Figures", "preliminary: the calculation had not ended")] if export.refit.doubt is None else []),
        *([("Score", score)] if (score := export.refit.scenario.score_name or export.score) else []),
        ("Method", entry.title),
        ("Source", entry.citation),
        ("Assumes", entry.assumes),
        ("Reviews", len(reviews)),
        *([("Reviews without this score", missing)] if (missing := export.refit.prepared.missing) else []),
        ("Items", len(reviews.items)),
        ("Referees", int((reviews.reviews_per_referee > 0).sum())),
        ("Prior precision of the biases", "the method's own choice" if given is None else given),
        *((f"Parameter: {name}", round(value, 6)) for name, value in fit.parameters.items()),
        ("Log-likelihood", round(float(fit.log_likelihood.sum()), 4)),
        ("Cut-off", export.cutoff if export.cutoff is not None else "none"),
        *(("About the cut-off", said) for said in decision_limits(fit, export.cutoff)),
    ]


def _report_blocks(export: CalibrationExport, picture: str) -> list[str]:
    from engine.exchange.scores import DECISIONS  # imports the rules for letters, which a first display doesn't need

    items, referees = (
        [dict(zip(header, row, strict=True)) for row in rows]
        for header, rows in (item_table(export), referee_table(export))
    )
    fit = export.refit.calibration
    pictures = []
    for name, title, draw, _ in FIGURES:
        with styled(6.2, 3.2) as (figure, axes):
            draw(axes, export)
            media = "image/svg+xml" if picture == "svg" else "image/png"
            encoded = base64.b64encode(drawn(figure, "svg" if picture == "svg" else "png")).decode()
        pictures.append({"name": name, "title": title, "source": f"data:{media};base64,{encoded}"})
    page = rendered(
        "calibration.html.jinja",
        title=export.title,
        made=export.made,
        facts=_facts(export),
        changes=_changes(export),
        warnings=fit.warnings,
        interval=_interval(export),
        problems=export.problems,
        pictures=pictures,
        flagged=[row for row in referees if row["flagged"]],
        apart=sorted(
            (row for row in items if row["reviews_disagree"]), key=lambda row: -float(str(row["disagreement"]))
        ),
        items=items,
        decided=any(row["decision"] for row in items),
        comparison=export.comparison,
        decisions=DECISIONS,
        noise_known=knows_noise(fit),
        disagreement_known=knows_disagreement(fit),
        shown=lambda value, form=".2f": "–" if value is None else format(value, form).replace("-", "−"),
        chance=lambda value: "–" if value is None else estimated(value),
    )
    return page.split("<!-- block -->")


def report_html(export: CalibrationExport) -> bytes:
    """Returns the report as one HTML page that loads no external resources."""
    return "".join(_report_blocks(export, "svg")).encode("utf-8")


def report_pdf(export: CalibrationExport, service: DocumentService) -> bytes:
    """Returns the report on A4, typeset by MuPDF in the service's worker process."""
    head, *blocks = _report_blocks(export, "png")
    return service.typeset(export.title, [f"{head}{block}</body></html>" for block in blocks])


def export_files(
    export: CalibrationExport, format_: str, stem: str, service: Callable[[], DocumentService]
) -> tuple[ExportFile, ...]:
    """Returns the files of a format ("csv", "xlsx", "figures", "html", "pdf"), named after ``stem``. ``service``
    typesets PDFs. Raises ValueError for any other format."""
    if format_ == "csv":
        return tuple(csv_file(f"{stem}-{name}.csv", *make(export)) for name, make in TABLES)
    if format_ == "xlsx":
        return tables_xlsx(export, stem)
    if format_ == "figures":
        return figures(export, stem)
    if format_ == "html":
        return (ExportFile(f"{stem}.html", report_html(export)),)
    if format_ == "pdf":
        return (ExportFile(f"{stem}.pdf", report_pdf(export, service())),)
    raise ValueError(format_)
