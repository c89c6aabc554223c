"""Tables 1 and 2 and Figures 1a and 1b of a study, counted by hand."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.exchange.expertise_report import summary_files
from engine.exchange.latex import latex_table
from engine.expertise.records import ProfileRow, SurveyParticipant, SurveyRow
from engine.expertise.summary import GAPS, SurveySummary, summarise
from engine.expertise.survey import GRID, new_study
from engine.papers.records import LibraryPaper

STUDY = new_study(key="k")
A = LibraryPaper("a", "A paper that two have read", "Says.", 2020, arxiv_id="2001.00001", areas=("Reading",))
A2 = LibraryPaper("a2", "The same in a journal", year=2021, arxiv_id="2001.00001")
B = LibraryPaper("b", "Another paper behind a wall", year=2019, open_access=False, areas=("Reading", "Walls"))
C = LibraryPaper("c", "A third paper of no known year")


def _person(key: str, **answers: str) -> SurveyParticipant:
    return SurveyParticipant(key, "s", key, key, "2026", tuple(answers.items()))


def _row(person: str, number: int, paper: LibraryPaper, value: float | None) -> SurveyRow:
    return SurveyRow(f"{person}{number}", person, paper, value)


@pytest.fixture
def summary() -> SurveySummary:
    people = [_person("p", position="Faculty", country="Norway"), _person("q", position="Postdoc"), _person("silent")]
    rows = {
        "p": [_row("p", 1, A, 4.0), _row("p", 2, B, 4.0), _row("p", 3, C, 1.5), _row("p", 4, C, 2.0)],
        "q": [_row("q", 1, A2, 5.0), _row("q", 2, B, None)],
    }
    own = {"p": [ProfileRow("1", "p", A), ProfileRow("2", "p", B, kept=False)]}
    return summarise(STUDY, people, rows, own)


def _table(rows: object) -> dict[tuple[str, str], tuple[float, float | None]]:
    return {(r.group, r.name): (r.value, r.share) for r in rows}  # type: ignore[attr-defined]


def test_who_took_part(summary: SurveySummary) -> None:
    table = _table(summary.table_1)
    assert summary.participants == 2, "who rated nothing does not count"
    assert table["Your position", "Faculty"] == (1, 0.5)
    assert table["The country you work in", "Norway"] == (1, 0.5)
    assert table["The country you work in", "not answered"] == (1, 0.5)
    assert table["Your gender", "not answered"] == (2, 1.0)
    assert [table["ratings per participant", n][0] for n in ("least", "most", "mean", "median")] == [1, 3, 2, 2]
    assert [table["own publications", n][0] for n in ("least", "most")] == [0, 1]


def test_what_was_rated(summary: SurveySummary) -> None:
    table = _table(summary.table_2)
    assert summary.papers == 3, "two records of one paper count once"
    assert table["papers", "ratings"] == (4, None)
    assert table["papers", "rated by more than one"] == (1, 1 / 3)
    assert table["text", "freely available"] == (1, 1 / 3)
    assert table["text", "not freely available"] == (1, 1 / 3)
    assert table["text", "availability not known"] == (1, 1 / 3)
    assert table["research area", "Reading"] == (2, 2 / 3)
    assert [r.name for r in summary.table_2 if r.group == "year of publication"] == ["2020", "2019", "not known"]


def test_distributions(summary: SurveySummary) -> None:
    assert {v: n for v, n in zip(GRID, summary.ratings, strict=True) if n} == {2.0: 1, 4.0: 2, 5.0: 1}
    assert {v: n for v, n in zip(GAPS, summary.gaps, strict=True) if n} == {0.0: 1, 2.0: 2}
    assert (summary.pairs, summary.ties) == (3, 1)


def test_an_empty_study_has_empty_tables() -> None:
    found = summarise(STUDY, [], {}, {})
    assert (found.participants, found.papers, found.pairs) == (0, 0, 0)
    assert len(summary_files(found, "x")) == 12


@given(st.lists(st.lists(st.sampled_from(GRID), max_size=6), max_size=5))
def test_counts_add_up(values: list[list[float]]) -> None:
    people = [_person(str(n)) for n in range(len(values))]
    rows = {
        str(n): [_row(str(n), i, LibraryPaper(f"{n}-{i}", ""), v) for i, v in enumerate(given)]
        for n, given in enumerate(values)
    }
    found = summarise(STUDY, people, rows, {})
    assert sum(found.ratings) == sum(map(len, values)) == found.papers
    assert found.pairs == sum(len(given) * (len(given) - 1) // 2 for given in values)
    assert found.participants == sum(bool(given) for given in values)


def test_files_hold_the_figures(summary: SurveySummary) -> None:
    files = {file.name: file.content for file in summary_files(summary, "s")}
    assert {name.rpartition(".")[2] for name in files} == {"csv", "tex", "pdf", "svg", "png"}
    rows = list(csv.reader(io.StringIO(files["s-figure-1b.csv"].decode())))
    assert rows[0] == ["distance", "pairs"] and rows[1] == ["0.0", "1"] and len(rows) == 18
    assert files["s-figure-1a.pdf"].startswith(b"%PDF") and b"<svg" in files["s-figure-1a.svg"]
    assert b"Norway & 1 & 0.5" in files["s-table-1.tex"]


def test_latex_is_set_as_it_reads() -> None:
    text = latex_table(("a_b", "n"), [["50% & {x}", 1], ["y", None]], "What it & is")
    assert r"a\_b & n \\" in text and r"50\% \& \{x\} & 1 \\" in text and r"y &  \\" in text
    assert r"{lr}" in text and r"\caption{What it \& is}" in text
