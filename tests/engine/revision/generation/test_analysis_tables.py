"""The tables of one's own analyses, against figures worked out by hand and by an independent library."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.revision.generation.records import Analysis, Judgement
from engine.revision.generation.tables import PRINTED_5, analysis_tables, doubly_judged, holm, sign_test


def analysis(number: int, real: Judgement, generated: Judgement, **rest: object) -> Analysis:
    return Analysis(f"c{number}", f"p{number}", "a", real, generated, **rest)  # type: ignore[arg-type]


FULL = Judgement(3, promises=False, paraphrases=False, technical=True)
THIN = Judgement(2, promises=False, paraphrases=True, technical=False)


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_test_is_the_binomial_one(wins: int, losses: int) -> None:
    from scipy.stats import binomtest

    expected = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(wins, losses) == pytest.approx(expected, abs=1e-9)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holms_correction_is_the_usual_one(values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(values) == pytest.approx(tuple(multipletests(values, method="holm")[1]), abs=1e-9)


def test_shares_and_means_of_both_sides() -> None:
    tables = analysis_tables(
        [analysis(n, FULL, THIN, answerable=n < 6, comprehensive="real", technicality="less") for n in range(8)]
    )
    rows = {row.property: row for row in tables.sides}
    assert (rows["compliance"].real, rows["compliance"].generated, rows["compliance"].count) == (3.0, 2.0, 8)
    assert (rows["paraphrases"].real, rows["paraphrases"].generated) == (0.0, 1.0)
    assert rows["promises"].p == 1.0
    # 8 of 8: 2 / 256, times the six tests of Holm's correction.
    assert rows["technical"].p == pytest.approx(6 * 2 / 256)
    assert tables.answerable == 0.75 and (tables.complete, tables.begun) == (8, 8)
    assert tables.comparisons[0].answers == (("generated", 0), ("real", 8), ("same", 0))


def test_table_5_crosses_comprehensiveness_with_answerability() -> None:
    said = [(True, "generated"), (True, "generated"), (True, "same"), (False, "real"), (None, "real"), (True, None)]
    tables = analysis_tables(
        analysis(n, FULL, THIN, answerable=yes, comprehensive=which) for n, (yes, which) in enumerate(said)
    )
    rows = {row.answer: row for row in tables.comprehensiveness}
    assert list(rows) == list(PRINTED_5)
    assert (rows["generated"].answerable, rows["generated"].not_answerable) == (pytest.approx(2 / 3), 0.0)
    assert (rows["real"].answerable, rows["real"].not_answerable, rows["real"].all) == (0.0, 1.0, 0.25)
    assert (rows["same"].answerable, rows["same"].all) == (pytest.approx(1 / 3), 0.25)
    assert (rows["frequency"].answerable, rows["frequency"].not_answerable, rows["frequency"].all) == (0.75, 0.25, 1.0)
    assert all(value != value for row in analysis_tables([]).comprehensiveness for value in (row.answerable, row.all))
    assert tables.fully == (0.0, 1.0), "THIN is generated, with compliance 2"


def test_what_is_undecided_is_left_out_of_its_own_row_only() -> None:
    tables = analysis_tables([analysis(1, FULL, THIN), analysis(2, replace(FULL, compliance=None), THIN)])
    rows = {row.property: row for row in tables.sides}
    assert (rows["compliance"].count, rows["technical"].count) == (1, 2)
    assert (tables.complete, tables.begun) == (0, 2)
    assert tables.answerable != tables.answerable, "not a number: nobody judged it"


def test_pairs_of_two_annotators_are_collected_for_kappa() -> None:
    mine = analysis(1, FULL, THIN, answerable=True)
    theirs = replace(mine, annotator_id="b", real=replace(FULL, compliance=2), answerable=None)
    alone = analysis(2, FULL, THIN)
    pairs = doubly_judged([mine, theirs, alone])
    assert pairs["Compliance, real"] == ((3, 2),) and "Answerable" not in pairs
