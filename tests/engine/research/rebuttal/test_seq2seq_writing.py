"""Encoder-decoders of local folders: as they are, after a few shots, and fine-tuned; tiny ones with random weights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.jobs import QuietReport
from engine.research.rebuttal.experiments import generation_rows
from engine.research.rebuttal.seq2seq import SHOTS, Seq2Seq, Seq2SeqSettings, _divided, answering, few
from tests.engine.expertise.word_embedder import WordEmbedder
from tests.engine.rebuttal.invented_dialogues import answered
from tests.engine.research.rebuttal.tiny_seq2seq import FAMILIES, Family, make_tiny_seq2seq

QUICK = Seq2SeqSettings(epochs=2, batch=4, gather=1, learning_rate=5e-3, length=48, written=16, left_out=0.25, beams=2)


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[Family, Path]:
    place = tmp_path_factory.mktemp("seq2seq")
    return {family: make_tiny_seq2seq(place / family, family) for family in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_learns_to_write_and_forgets_again(folders: dict[Family, Path], family: Family) -> None:
    model = Seq2Seq(folders[family], QUICK)
    asked = ["the data is not clear", "why?"]
    first = model.write(asked, QuietReport(), prefix="Generate Rebuttal")
    assert len(first) == 2
    examples = [(f"the data is not clear {n}", "we will clarify the data") for n in range(16)]
    losses = model.fine_tune(examples, QuietReport(), prefix="Generate Rebuttal")
    assert len(losses) > 1 and min(losses) < 0.9 * losses[0]
    assert model.write(asked, QuietReport(), prefix="Generate Rebuttal") != first
    model.forget()
    assert model.write(asked, QuietReport(), prefix="Generate Rebuttal") == first


def test_the_same_seed_writes_the_same(folders: dict[Family, Path]) -> None:
    examples = [(f"case {n}", f"we will clarify it {n % 2}") for n in range(8)]
    said = []
    for _ in range(2):
        model = Seq2Seq(folders["bart"], QUICK)
        said.append((model.fine_tune(examples, QuietReport()), model.write(["case 3"], QuietReport())))
    assert said[0] == said[1]


def test_a_prefix_is_for_t5_alone(folders: dict[Family, Path]) -> None:
    for family, differs in (("t5", True), ("bart", False)):
        model = Seq2Seq(folders[family], QUICK)  # type: ignore[index]
        model.write(["x"], QuietReport())
        plain, marked = (model._read(["it is unclear"], prefix)["input_ids"].tolist() for prefix in ("", "Do"))
        assert (plain != marked) == differs


def test_few_takes_so_many_of_each() -> None:
    examples = [(f"q{n}", f"a{n % 3}") for n in range(12)]
    one, two = few(examples, 1, 5), few(examples, 2, 5)
    assert sorted(answer for _, answer in one) == ["a0", "a1", "a2"] and len(two) == 6
    assert few(examples, None, 5) == examples and few(examples, 0, 5) == []
    assert few(examples, 1, 5) == one and set(one) <= set(two)


def test_what_is_left_out_is_dealt_by_the_text_to_be_written() -> None:
    examples = [(f"q{n}", f"a{n % 5}") for n in range(20)]
    learnt, held = _divided(examples, 0.2, Random(1))
    assert len(learnt) + len(held) == 20 and len(held) >= 4
    assert not {answer for _, answer in learnt} & {answer for _, answer in held}
    learnt, held = _divided([("a", "x"), ("b", "x"), ("c", "x")], 0.1, Random(1))
    assert len(learnt) == 2 and len(held) == 1


def test_all_shots_make_rows(folders: dict[Family, Path]) -> None:
    model = Seq2Seq(folders["t5"], replace(QUICK, epochs=1, learning_rate=2e-2, written=6, beams=1))
    known, asked = answered(0, 6), answered(8, 2)
    said = dict(answering(model, known, [(one.review, one.action) for one in asked], seed=1, report=QuietReport()))
    assert list(said) == list(SHOTS) and all(len(texts) == 2 for texts in said.values())
    assert said["zero"] != said["all"]
    rows = list(generation_rows(known, asked, "s", embedder=WordEmbedder(), report=QuietReport(), models=[model]))
    assert [row.strategy for row in rows if row.measured.name == "rouge_1"][3:] == [f"t5-{shots}" for shots in SHOTS]


def test_cancelling_leaves_the_model_as_it_was(folders: dict[Family, Path]) -> None:
    model = Seq2Seq(folders["bart"], QUICK)
    first = model.write(["it is unclear"], QuietReport())

    class Stopped(QuietReport):
        calls = 0

        def progress(self, fraction: float, words: str = "") -> None:
            Stopped.calls += 1
            if Stopped.calls > 3:
                raise Cancelled

        def part(self, start: float, end: float) -> Stopped:
            return self

    with pytest.raises(Cancelled):
        model.fine_tune([(f"q{n}", f"a{n % 4}") for n in range(24)], Stopped())
    assert model.write(["it is unclear"], QuietReport()) == first


def test_folders_without_a_model_and_too_little_are_refused(folders: dict[Family, Path], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(EnvironmentProblem, match="can't be loaded"):
        Seq2Seq(tmp_path, QUICK).write(["x"], QuietReport())
    with pytest.raises(BadInput, match="fewer than two"):
        Seq2Seq(folders["bart"], QUICK).fine_tune([("a", "b")], QuietReport())
