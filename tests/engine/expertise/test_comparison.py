"""Two algorithms beside each other: what is counted adds up to what is lost, both ways round."""

from __future__ import annotations

import pytest

from engine.exchange.expertise_data import read_gold_standard
from engine.exchange.expertise_report import comparison_files
from engine.expertise.laboratory import (
    Choice,
    Data,
    Laboratory,
    Outcome,
    Setup,
    all_differences,
    compare,
    drilled,
    standings,
)
from engine.jobs import QuietReport
from engine.models import Embedder
from tests.engine.expertise.gold import write_gold_folder

NAMES = ("tpms", "bm25", "trivial")


def no_encoder() -> Embedder:
    raise AssertionError("lexical algorithms need no encoder")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    return Data("d", "Made up", read_gold_standard(write_gold_folder(tmp_path_factory.mktemp("lab") / "gold")))


@pytest.fixture(scope="module")
def outcomes(data: Data) -> dict[str, Outcome]:
    laboratory = Laboratory(data, no_encoder)
    return {name: laboratory.run(Choice(name), Setup(draws=1), QuietReport()) for name in NAMES}


def test_every_pair_is_counted_once_and_the_worth_is_the_difference(
    data: Data, outcomes: dict[str, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.expertise.evaluation.FEWEST", 2)
    found = compare(drilled(data, outcomes["tpms"]), drilled(data, outcomes["bm25"]))
    tally, pairs = found.tally, outcomes["tpms"].evaluation.pairs
    assert tally.both + tally.only_one + tally.only_other + tally.neither == pairs
    turned = compare(drilled(data, outcomes["bm25"]), drilled(data, outcomes["tpms"]))
    assert (turned.tally.only_one, turned.tally.only_other) == (tally.only_other, tally.only_one)
    assert turned.difference.value == pytest.approx(-found.difference.value)
    assert turned.difference.low == pytest.approx(-found.difference.high)


def test_against_one_score_for_all_only_the_other_is_ever_right(data: Data, outcomes: dict[str, Outcome]) -> None:
    tally = compare(drilled(data, outcomes["trivial"]), drilled(data, outcomes["tpms"])).tally
    assert tally.both == tally.only_one == 0 and tally.worth[0] == 0 < tally.worth[1]


def test_participants_stand_with_their_papers_in_both_orders(data: Data, outcomes: dict[str, Outcome]) -> None:
    found = standings(data, drilled(data, outcomes["tpms"]), drilled(data, outcomes["trivial"]))
    assert [standing.participant for standing in found] == [person.id for person in data.gold.participants]
    for standing in found:
        assert standing.loss == outcomes["tpms"].evaluation.losses[standing.participant]
        assert [paper.rank for paper in standing.order] == sorted(paper.rank for paper in standing.order)
        assert {p.paper for p in standing.order} == {p.paper for p in standing.other_order} and len(standing.order) == 6
        tied = [paper.rating for paper in standing.other_order]
        assert tied == sorted(tied), "one score for all is shown at its worst"
    assert standings(data, drilled(data, outcomes["tpms"]))[0].other_order == ()


def test_every_two_are_compared_and_written(outcomes: dict[str, Outcome]) -> None:
    shown = tuple(outcomes.values())
    found = all_differences(shown)
    assert [(one.run.algorithm, other.run.algorithm) for one, other, _ in found] == [
        ("tpms", "bm25"), ("tpms", "trivial"), ("bm25", "trivial"),
    ]  # fmt: skip
    files = {file.name: file.content.decode() for file in comparison_files(shown)}
    assert set(files) == {"differences.csv", "differences.tex"}
    assert len(files["differences.csv"].splitlines()) == 4 and "TPMS" in files["differences.tex"]
    assert comparison_files(shown[:1]) == ()
