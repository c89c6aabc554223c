"""An encoder fine-tuned end to end, and specialised by masked language modelling: a tiny one, for a few steps."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import QuietReport
from engine.research.labels.encoders import MaskedSettings, fine_tune, specialise
from engine.research.labels.heads import Examples, examples, layer_target, split
from engine.reviews.labels.classifier import FineTuneSettings, SentenceClassifier
from engine.reviews.labels.features import ReviewSentences
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.reviews.labels.invented_reviews import WordVectors, invented_reviews


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_encoder(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture(scope="module")
def data() -> Examples:
    targets = [layer_target("theme"), layer_target("polarity")]
    return examples(invented_reviews(10, sentences=6), targets, WordVectors(), QuietReport())


def test_the_loss_falls_and_the_best_epoch_is_kept(base: Path, data: Examples, tmp_path: Path) -> None:
    chosen, development, test = split(data, by="paper", seed=1)
    settings = FineTuneSettings(epochs=3, batch=6, learning_rate=5e-3, head_rate=1e-2, length=60, context_length=6)
    model, made = fine_tune(
        base, data, chosen=chosen, development=development, settings=settings, report=QuietReport(), device="cpu"
    )
    an_epoch = -(-len(chosen) // 6)
    assert made.step == 3 * an_epoch and made.best_step in {an_epoch, 2 * an_epoch, 3 * an_epoch}
    assert np.mean(made.losses[-an_epoch:]) < 0.9 * np.mean(made.losses[:an_epoch])
    model.save(tmp_path / "out")
    card = json.loads((tmp_path / "out" / "labels.json").read_text())
    assert card["targets"][0][0] == "theme"
    assert model.learnt["theme"] == ["methodology", "related-work", "datasets"], "what the invented reviews are about"
    chances = model.chances(data.reviews, QuietReport())
    assert chances["theme"].shape == data.truth["theme"].shape
    assert np.allclose(chances["polarity"].sum(axis=1), 1, atol=1e-4)
    again = SentenceClassifier.load(tmp_path / "out", "cpu").chances_of(model.inputs(data.reviews), test, QuietReport())
    assert np.allclose(again["theme"], chances["theme"][test], atol=2e-2), "batches and precision change little"


def test_training_stops_when_it_gains_nothing(base: Path, data: Examples) -> None:
    chosen, development, _ = split(data, by="paper", seed=1)
    settings = FineTuneSettings(epochs=9, batch=32, learning_rate=1e-9, head_rate=1e-9, patience=1, length=40)
    _, made = fine_tune(base, data, chosen=chosen, development=development, settings=settings, report=QuietReport())
    an_epoch = -(-len(chosen) // 32)
    assert made.step == 2 * an_epoch and made.best_step == an_epoch


def test_neighbours_are_read_and_not_judged(base: Path) -> None:
    settings = FineTuneSettings(length=40, context_length=5)
    model = SentenceClassifier(base, [layer_target("polarity")], settings, "cpu")
    inputs = model.inputs([ReviewSentences(("abc", "d" * 30, "xyz")), ReviewSentences(("alone",))])
    assert inputs.own == [5, 32, 5, 7]
    assert len(inputs.tokens[3]) == 7 and len(inputs.tokens[0]) == 5 + 6, "the neighbour and one divider"
    assert max(map(len, inputs.tokens)) <= 40
    longer = SentenceClassifier(base, [layer_target("polarity")], FineTuneSettings(length=500), "cpu")
    found = longer.chances([ReviewSentences(("word " * 400, "the end"))], QuietReport())
    assert found["polarity"].shape == (2, 3), "no more tokens than the encoder takes"


def test_reading_hidden_words_gets_better(base: Path, tmp_path: Path) -> None:
    texts = ["abcabcabcabcabc", "the cat sat on the mat", "review of a paper", ""] * 6
    losses = specialise(
        base,
        tmp_path / "special",
        texts,
        MaskedSettings(epochs=10, batch=6, learning_rate=1e-2, length=24),
        report=QuietReport(),
        device="cpu",
    )
    assert losses[-1] < 0.85 * losses[0]
    SentenceClassifier(tmp_path / "special", [layer_target("polarity")], FineTuneSettings(), "cpu")


def test_what_cannot_be_trained_is_told(base: Path, data: Examples, tmp_path: Path) -> None:
    nothing = np.zeros(0, dtype=np.intp)
    with pytest.raises(BadInput):
        fine_tune(base, data, chosen=nothing, development=nothing, settings=FineTuneSettings(), report=QuietReport())
    with pytest.raises(BadInput):
        specialise(base, tmp_path / "o", ["", " "], MaskedSettings(), report=QuietReport())
    (tmp_path / "empty").mkdir()
    for wrong in (tmp_path / "empty", tmp_path / "missing"):
        with pytest.raises(EnvironmentProblem):
            SentenceClassifier.load(wrong)
        with pytest.raises(EnvironmentProblem):
            specialise(wrong, tmp_path / "o", ["text"], MaskedSettings(), report=QuietReport())
