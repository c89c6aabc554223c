"""acl: learned from abstracts alone, the same each time, saved and read back, better than its random start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.expertise.algorithms.acl import CARD, WEIGHTS, Acl, AclModel, load_acl
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.records import PaperText
from engine.jobs import QuietReport
from engine.research.acl_training import AclTraining, train_acl
from tests.engine.expertise.invented_papers import PROFILES, SUBMISSIONS, invented_papers

SMALL = AclTraining(dimension=32, pieces=200, batch=4, epochs=30, learning_rate=0.05)


def abstracts() -> list[str]:
    return [paper.abstract for paper in invented_papers().values()]


@pytest.fixture(scope="module")
def model() -> AclModel:
    return train_acl(abstracts(), SMALL, report=QuietReport())


def test_the_published_settings_are_the_defaults() -> None:
    settings = AclTraining()
    assert (settings.dimension, settings.pieces, settings.margin) == (1024, 20_000, 0.4)
    assert (settings.batch, settings.epochs) == (64, 20)


def test_training_brings_halves_together_and_fields_apart(model: AclModel) -> None:
    assert model.card["last_epoch_loss"] < 0.5 * model.card["first_epoch_loss"]
    start = train_acl(abstracts(), replace(SMALL, epochs=1, learning_rate=1e-9), report=QuietReport())

    def apart(made: AclModel) -> float:
        vectors = made.encode(abstracts())
        alike = vectors @ vectors.T
        return float(alike[:5, :5].mean() + alike[5:, 5:].mean() - 2 * alike[:5, 5:].mean())

    assert apart(model) > apart(start) + 0.05


def test_equal_input_gives_equal_weights_and_another_seed_others(model: AclModel) -> None:
    again = train_acl(abstracts(), SMALL, report=QuietReport())
    assert again.fingerprint == model.fingerprint and again.pieces == model.pieces
    other = train_acl(abstracts(), replace(SMALL, seed=2), report=QuietReport())
    assert other.fingerprint != model.fingerprint


def test_negatives_from_a_larger_batch_train_too() -> None:
    made = train_acl(abstracts(), replace(SMALL, batch=2, megabatch=3, anneal=2), report=QuietReport())
    assert made.card["last_epoch_loss"] < made.card["first_epoch_loss"] and np.isfinite(made.weights).all()


def test_vectors_have_length_one_and_what_has_no_piece_is_zero(model: AclModel) -> None:
    vectors = model.encode(["warbler songs", "", "\ud800 broken ▁ mark", "东京"])
    lengths = np.linalg.norm(vectors, axis=1)
    assert lengths[[0, 2, 3]] == pytest.approx(1.0, abs=1e-5) and lengths[1] == 0


def test_scores_and_reasons(model: AclModel) -> None:
    algorithm = Acl(model)
    assert algorithm.info.id == "acl" and ("pooling", "acl") in algorithm.info.parameters
    scorer = algorithm.read(invented_papers(), "title+abstract", report=QuietReport())
    scores = scorer.score({**PROFILES, "nobody": ()}, SUBMISSIONS, report=QuietReport())
    assert np.isnan(scores[2]).all()
    vectors = model.encode([f"{p.title}. {p.abstract}" for p in invented_papers().values()])
    best = sorted((vectors[:3] @ vectors[3]).tolist(), reverse=True)
    assert scores[0, 0] == pytest.approx(best[0] + best[1] / 2 + best[2] / 3, abs=1e-5)
    first = scorer.explain(PROFILES["ornithologist"], "b3")[0]
    assert first.share > 0.3 and first.passages and first.words
    assert first.passages[0][2] >= first.passages[-1][2]


def test_missing_abstracts_and_pooling_of_ones_own_choice(model: AclModel) -> None:
    papers = {**invented_papers(), "bare": PaperText("bare", "Warbler songs"), "none": PaperText("none", "")}
    scorer = Acl(model, Pooling("max")).read(papers, "title+abstract", report=QuietReport())
    scores = scorer.score({"a": ["bare", "none"], "b": ["none"]}, ["b0", "none"], report=QuietReport())
    assert np.isfinite(scores[0]).all() and scores[0, 1] == 0.0 and np.isnan(scores[1]).all()


def test_saved_and_read_back(model: AclModel, tmp_path: Path) -> None:
    model.save(tmp_path / "acl")
    back = load_acl(tmp_path / "acl")
    assert back.fingerprint == model.fingerprint and back.card == dict(model.card)
    (tmp_path / "acl" / CARD).write_text("{")
    with pytest.raises(BadInput, match="no acl model"):
        load_acl(tmp_path / "acl")
    replace(model, weights=model.weights[:-1]).save(tmp_path / "acl")
    with pytest.raises(BadInput, match="don't belong together"):
        load_acl(tmp_path / "acl")
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblem, match="couldn't be written"):
        model.save(tmp_path / "file" / WEIGHTS)


@pytest.mark.parametrize("texts", [[], ["one abstract"], ["twice", "twice "]])
def test_too_little_to_learn_from(texts: list[str]) -> None:
    with pytest.raises(BadInput, match="to learn from"):
        train_acl(texts, SMALL, report=QuietReport())


def test_it_can_be_cancelled() -> None:
    class Stop(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            if "tep 3 of" in words:
                raise Cancelled

        def part(self, start: float, end: float) -> Stop:
            return self

    with pytest.raises(Cancelled):
        train_acl(abstracts(), SMALL, report=Stop())
