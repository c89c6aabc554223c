"""What leaves the calibration: tables that read back, figures with their data, and a report that says what was done."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest

from engine.calibration.comparison import compare
from engine.calibration.records import ScoreProblem
from engine.calibration.scenarios import Change, Scenario, StoredReview
from engine.calibration.synthetic import Design, draw
from engine.calibration.tasks import Refit, refit
from engine.exchange.calibration import FIGURES, CalibrationExport, export_files, item_table, report_html
from engine.exchange.io import bare
from engine.exchange.records import ExportFile
from engine.jobs import QuietReport


def _no_service() -> None:
    raise AssertionError("only a PDF needs the documents service")


@pytest.fixture(scope="module")
def table() -> tuple[StoredReview, ...]:
    reviews = draw(Design(items=16, referees=6), np.random.default_rng(2)).reviews
    names = [f"=paper {n}" if n == 0 else f"paper {n} <b>" for n in range(16)]
    return tuple(
        StoredReview(names[i], reviews.referees[r], float(s), float(c), id=str(n))
        for n, (i, r, s, c) in enumerate(
            zip(reviews.item, reviews.referee, reviews.score, reviews.confidence, strict=True)
        )
    )


@pytest.fixture(scope="module")
def export(table: tuple[StoredReview, ...]) -> CalibrationExport:
    original = refit(Scenario("o", "t", "Original", "bayes"), table, 4).run(QuietReport())
    changes = (
        Change("1", "exclude_review", review_id="3"),
        Change("2", "pin_bias", referee="referee 2", value=0.5),
        Change("3", "add_review", item="paper 5 <b>", value=1.25),
    )
    changed: Refit = refit(Scenario("c", "t", "Harsh", "bayes", changes=changes), table, 4, original).run(QuietReport())
    rows = compare(changed.prepared.reviews, changed.calibration, 4, methods=("bayes", "mean"))
    problems = (ScoreProblem(7, "duplicate", "Row 7: again.", "mean"),)
    names = tuple((review.id, review.item, review.referee) for review in table)
    return CalibrationExport("Spring", changed, original, 4, problems, rows, "1 May 2026", names)


def _files(export: CalibrationExport, format_: str) -> dict[str, ExportFile]:
    return {file.name: file for file in export_files(export, format_, "spring", _no_service)}  # type: ignore[arg-type]


def test_csv_tables_hold_the_fit(export: CalibrationExport) -> None:
    files = _files(export, "csv")
    assert list(files) == ["spring-items.csv", "spring-referees.csv", "spring-reviews.csv"]
    items = list(csv.DictReader(io.StringIO(files["spring-items.csv"].content.decode())))
    fit = export.refit.calibration
    assert [float(row["rank"]) for row in items] == list(range(1, 17))
    scores = {bare(row["item"]): float(row["score"]) for row in items}
    assert "'=paper 0" in [row["item"] for row in items]  # a spreadsheet shows it and computes nothing
    assert [scores[name] for name in export.refit.prepared.reviews.items] == pytest.approx(fit.score.tolist())
    assert sum(float(row["above_cutoff"]) for row in items) == pytest.approx(4)
    reviews = list(csv.DictReader(io.StringIO(files["spring-reviews.csv"].content.decode())))
    assert [row["hypothetical"] for row in reviews].count("True") == 1 and len(reviews) == 48
    referees = list(csv.DictReader(io.StringIO(files["spring-referees.csv"].content.decode())))
    assert float(next(row["bias"] for row in referees if row["referee"] == "referee 2")) == 0.5


def test_the_workbook_says_what_was_done_and_runs_no_formula(export: CalibrationExport) -> None:
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(_files(export, "xlsx")["spring.xlsx"].content))
    assert book.sheetnames == ["items", "referees", "reviews", "about"]
    about = [tuple(row) for row in book["about"].iter_rows(values_only=True)]
    assert ("Scenario", "Harsh") in about and ("Change", "Bias of referee 2 pinned at +0.50") in about
    assert [value for name, value in about if name == "Limit"] == list(export.refit.calibration.warnings)
    cells = [cell for row in book["items"].iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    assert [cell.quotePrefix for cell in cells if cell.value == "=paper 0"] == [True]


@pytest.fixture(scope="module")
def figures(export: CalibrationExport) -> dict[str, ExportFile]:
    return _files(export, "figures")


def test_figures_come_in_three_formats_with_their_data(
    export: CalibrationExport, figures: dict[str, ExportFile]
) -> None:
    files = figures
    for name in ("ranking", "bias", "raw", "residuals"):
        assert files[f"spring-{name}.pdf"].content.startswith(b"%PDF")
        assert files[f"spring-{name}.png"].content.startswith(b"\x89PNG")
        assert b"<svg" in files[f"spring-{name}.svg"].content
        assert files[f"spring-{name}.csv"].content.count(b"\n") > 5
    assert _files(export, "figures")["spring-bias.png"].content == files["spring-bias.png"].content


def test_the_report_states_model_data_and_changes(export: CalibrationExport) -> None:
    page = report_html(export).decode()
    review = next(r for r in export.reviews if r[0] == "3")
    above = re.findall(r'<td class="n">([^<]*)</td></tr>', page.rpartition("Above the cut-off")[2])
    assert above[0] == "&gt;99 %" and above[-1] == "&lt;1 %", "no chance that was estimated is certain"
    for words in (
        "Improved model",
        "IDSIA-25-98",
        "Row 7: again.",
        f"Review excluded: {review[2]} on {review[1].replace('<b>', '&lt;b&gt;')}",
        "Bias of referee 2 pinned at +0.50",
        "Hypothetical review added: 1.25 on paper 5",
        "Plain mean",
        "1 May 2026",
    ):
        assert words in page, words
    assert "<b>" not in page and "http" not in page.replace("http://www.w3.org", "")


@pytest.mark.parametrize("cutoff", [None, 4])
def test_the_report_lists_reviews_that_disagree(cutoff: int | None) -> None:
    reviews = draw(Design(items=100, referees=40, per_item=5), np.random.default_rng(0)).reviews
    triples = zip(reviews.item, reviews.referee, reviews.score, reviews.confidence, strict=True)
    table = tuple(
        StoredReview(reviews.items[i], reviews.referees[r], float(s) + 12.0 * (n == 0), float(c), id=str(n))
        for n, (i, r, s, c) in enumerate(triples)
    )
    fit = refit(Scenario("o", "t", "Original", "bayes"), table, cutoff).run(QuietReport())
    export = CalibrationExport("Spring", fit, fit, cutoff)
    header, rows = item_table(export)
    found = [dict(zip(header, row, strict=True)) for row in rows]
    assert [row["item"] for row in found if row["reviews_disagree"]] == ["item 1"]
    first = next(row for row in found if row["item"] == "item 1")
    listed = report_html(export).decode().partition("disagree more than chance")[2].partition("<h2>")[0]
    cells = [f"{first['rank']:g}", f"{first['disagreement']:.2f}", "5"]
    assert re.findall(r"<td[^>]*>([^<]*)</td>", listed) == ["item 1", *cells]


def test_every_interval_that_was_not_found_to_hold_says_so(
    export: CalibrationExport, figures: dict[str, ExportFile]
) -> None:
    """Sixteen items: in both tables, the data of the figures, and over the ranking of the report."""
    files = _files(export, "csv") | figures
    for name, entries in (("items", "rank_low"), ("referees", "bias_sd"), ("ranking", "rank_low"), ("bias", "bias_sd")):
        rows = list(csv.DictReader(io.StringIO(files[f"spring-{name}.csv"].content.decode())))
        assert rows and all(row["interval"] == "nominal 90 %" for row in rows if row[entries]), name
    page = report_html(export).decode()
    assert '<th class="n">nominal 90 %</th>' in page and "fewer than 50 items" in page


def test_the_report_does_not_say_that_nothing_was_found_where_nothing_was_checked(
    table: tuple[StoredReview, ...], export: CalibrationExport
) -> None:
    plain = refit(Scenario("o", "t", "Original", "mean"), table, 4).run(QuietReport())
    assert report_html(replace(export, refit=plain)).decode().count("Not checked: with this method or table") == 2
    centred = refit(Scenario("o", "t", "Original", "normalised"), table, 4).run(QuietReport())
    page = report_html(replace(export, refit=centred, original=centred)).decode()
    assert "Not checked: with this method or table, the noise of single referees isn't known." in page
    assert "No referee is unusually noisy" not in page and '<td class="n">– to –</td>' not in page
    assert '<th class="n">Interval</th>' in page and "90 %" not in page
    assert "Row 7: again. Decision: take the mean of both." in page
    assert "Not checked" not in report_html(export).decode()


def test_figures_show_no_residuals_and_intervals_that_are_unknown(
    table: tuple[StoredReview, ...], export: CalibrationExport
) -> None:
    from matplotlib.figure import Figure

    centred = refit(Scenario("o", "t", "Original", "normalised"), table, 4).run(QuietReport())
    fit = centred.calibration
    unknown = replace(centred, calibration=replace(fit, residual=np.full_like(fit.residual, np.nan)))
    drawn = {"centred": replace(export, refit=centred, original=centred), "unknown": replace(export, refit=unknown)}
    axes = {(key, name): Figure().subplots() for key in ("known", *drawn) for name, *_ in FIGURES}
    for (key, figure), on in axes.items():
        next(draw for name, _, draw, _ in FIGURES if name == figure)(on, drawn.get(key, export))
    assert axes["known", "residuals"].patches and not axes["unknown", "residuals"].patches
    assert axes["known", "ranking"].get_ylabel() == "calibrated score, nominal 90 % interval"
    assert axes["centred", "ranking"].get_ylabel() == "calibrated score"
    assert axes["centred", "bias"].get_ylabel() == "bias"


def test_items_without_a_rank_are_neither_accepted_nor_rejected(
    table: tuple[StoredReview, ...], export: CalibrationExport
) -> None:
    apart = tuple(
        StoredReview(f"q{i}", f"apart {r}", float(i % 3 + r), 1.0, id=f"{i}-{r}") for i in range(5) for r in range(2)
    )
    both = refit(Scenario("o", "t", "Original", "bayes"), (*table, *apart), 4).run(QuietReport())
    found = replace(export, refit=both, original=both)
    items = csv.DictReader(io.StringIO(_files(found, "csv")["spring-items.csv"].content.decode()))
    assert {row["accepted"] for row in items if not row["rank"]} == {""}
    limit = "5 items have no rank and no decision. The cut-off and all chances refer to the 16 others only."
    assert f'<td class="muted">About the cut-off</td><td>{limit}</td>' in report_html(found).decode()


def test_borderline_items_are_exported_with_their_decision_for_now(export: CalibrationExport) -> None:
    files = _files(export, "csv")
    items = list(csv.DictReader(io.StringIO(files["spring-items.csv"].content.decode())))
    assert [row["accepted"] for row in items] == ["True"] * 4 + ["False"] * 12, "the first four"
    page = report_html(export).decode()
    for row in items:
        shown = row["decision"]
        if shown == "borderline":
            shown += " accept" if row["accepted"] == "True" else " reject"
        name = bare(row["item"]).replace("<", "&lt;").replace(">", "&gt;")
        ranking = page.partition("<h2>Ranking</h2>")[2]
        assert f"<td>{shown}</td>" in ranking.partition(f"<td>{name}</td>")[2].partition("\n")[0]
    without = report_html(replace(export, cutoff=None)).decode()
    assert "<th>Decision</th>" in page and "<th>Decision</th>" not in without


def test_exports_say_which_score_was_calibrated(table: tuple[StoredReview, ...], export: CalibrationExport) -> None:
    def facts(found: CalibrationExport) -> str:
        return report_html(found).decode().partition("<h2>What was done</h2>")[2].partition("</table>")[0]

    assert "rating" in facts(replace(export, score="rating")) and "without this score" not in facts(export)
    more = tuple(replace(one, further=(("soundness", one.score),) if n > 3 else ()) for n, one in enumerate(table))
    other = refit(Scenario("o", "t", "Original", "bayes", score_name="soundness"), more, 4).run(QuietReport())
    said = facts(replace(export, refit=other, original=other, score="rating"))
    assert '<td class="muted">Score</td><td>soundness</td>' in said
    assert '<td class="muted">Reviews without this score</td><td>4</td>' in said


def test_an_unfinished_calculation_is_called_preliminary_everywhere(export: CalibrationExport) -> None:
    unfinished = replace(export, refit=replace(export.refit, doubt=None))
    files = _files(unfinished, "csv") | _files(unfinished, "figures")
    for name in ("items", "referees", "ranking", "bias"):
        rows = list(csv.DictReader(io.StringIO(files[f"spring-{name}.csv"].content.decode())))
        assert rows and {row["interval"] for row in rows} == {"preliminary"}, name
    assert "preliminary: the calculation had not ended" in report_html(unfinished).decode()
    assert "preliminary" not in report_html(export).decode()


def test_formats_are_all_there(export: CalibrationExport) -> None:
    with pytest.raises(ValueError, match="odt"):
        _files(export, "odt")
    assert item_table(export)[0][:5] == ("rank", "rank_low", "rank_high", "interval", "rank_before")
