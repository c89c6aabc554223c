"""Heads: learnt on invented reviews, the same twice, kept and read again; features; what damaged files say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.jobs import QuietReport
from engine.research.labels.heads import Examples, HeadSettings, examples, fit, layer_target, split
from engine.reviews.labels import measures
from engine.reviews.labels.features import (
    ReviewSentences,
    letter_grams,
    matrix,
    neighbours,
    positions,
    vocabulary,
    word_grams,
)
from engine.reviews.labels.heads import Heads, Target, decide, from_bytes, gelu, read, to_bytes, write
from tests.engine.reviews.labels.invented_reviews import WordVectors, invented_reviews

SMALL = HeadSettings(hidden=16, own_rounds=6, around_rounds=6, folds=3, least_letters=2, stack_cost=1.0)


@pytest.fixture(scope="module")
def data() -> Examples:
    targets = [layer_target("theme"), layer_target("polarity")]
    return examples(invented_reviews(), targets, WordVectors(), QuietReport())


@pytest.fixture(scope="module")
def heads(data: Examples) -> Heads:
    return fit(data, SMALL, QuietReport())[0]


def test_heads_learn_what_words_tell(data: Examples, heads: Heads) -> None:
    unseen = examples(invented_reviews(6, seed=99), data.targets, WordVectors(), QuietReport())
    chances = heads.chances(unseen.reviews, unseen.vectors)
    theme, polarity = heads.heads
    assert measures.micro_f1(unseen.truth["theme"], decide(theme, chances["theme"])) > 0.95
    assert measures.accuracy(unseen.truth["polarity"], decide(polarity, chances["polarity"])) > 0.95
    assert np.allclose(chances["polarity"].sum(axis=1), 1, atol=1e-5)
    assert chances["theme"].min() >= 0 and chances["theme"].max() <= 1
    assert heads.card["cross_validation"]["theme"]["micro_f1"] > 0.9
    assert heads.card["learnt"]["theme"] == ["methodology", "related-work", "datasets"]
    assert heads.card["sentences"] == len(data.texts)


def test_the_same_data_and_seed_give_the_same_heads(data: Examples, heads: Heads) -> None:
    assert to_bytes(fit(data, SMALL, QuietReport())[0]) == to_bytes(heads)
    assert to_bytes(fit(data, replace(SMALL, seed=2), QuietReport())[0]) != to_bytes(heads)


def test_what_reviews_bring_beside_their_words_is_read() -> None:
    rng = np.random.default_rng(1)
    heard = [rng.integers(0, 2, 5) for _ in range(20)]
    reviews = tuple(ReviewSentences(("the same words",) * 5, further=one[:, None].astype(np.float32)) for one in heard)
    target = Target("polarity", ("positive", "negative"), several=False)
    truth = np.eye(2, dtype=np.float32)[np.concatenate(heard)]
    whole = Examples(reviews, tuple(map(str, range(20))), (target,), {"polarity": truth}, np.ones((100, 4), np.float32))
    made, _, _ = fit(whole, replace(SMALL, softmax_cost=1.0), QuietReport(), chosen=np.arange(50))
    found = made.chances(reviews, whole.vectors)["polarity"]
    assert measures.accuracy(truth[50:], decide(made.heads[0], found)[50:]) > 0.9


def test_heads_are_kept_and_read_again(data: Examples, heads: Heads, tmp_path: Path) -> None:
    weights, card = write(replace(heads, card={"id": "own", "version": "3"}), tmp_path / "made", "own")
    again = read(weights.parent, "own")
    assert again.origin == "model:own@3" and json.loads(card.read_text())["id"] == "own"
    assert again.targets == heads.targets
    for name, chances in heads.chances(data.reviews, data.vectors).items():
        assert np.allclose(again.chances(data.reviews, data.vectors)[name], chances, atol=2e-3)
    with pytest.raises(EnvironmentProblem):
        read(tmp_path, "missing")


@given(damage=st.integers(0, 10_000), kept=st.integers(0, 400))
@settings(max_examples=40, deadline=None)
def test_damaged_weights_are_refused_not_believed(heads: Heads, damage: int, kept: int) -> None:
    whole = to_bytes(heads)
    header = 8 + int.from_bytes(whole[:8], "little")
    with pytest.raises(BadInput):
        from_bytes(whole[:kept], {})
    broken = bytearray(whole)
    broken[damage % header] ^= 0xFF
    try:
        from_bytes(bytes(broken), {})
    except BadInput as problem:
        assert "can't be read" in problem.what or "newer" in problem.what


def test_sentences_of_which_nothing_is_known_teach_nothing() -> None:
    """A layer that only some sentences carry is learnt from these alone."""
    reviews = invented_reviews()
    half = tuple(
        replace(
            review,
            sentences=tuple(
                replace(s, layers={"theme": s.layers["theme"]}) if at % 2 else s
                for at, s in enumerate(review.sentences)
            ),
        )
        for review in reviews
    )
    data = examples(half, [layer_target("theme"), layer_target("polarity")], WordVectors(), QuietReport())
    assert (data.truth["polarity"][:, 0] == -1).sum() == len(data.texts) // 2
    heads, _, _ = fit(data, SMALL, QuietReport())
    assert heads.card["cross_validation"]["polarity"]["sentences"] == len(data.texts) // 2
    assert heads.card["cross_validation"]["polarity"]["accuracy"] > 0.9


def test_too_few_labels_are_told() -> None:
    with pytest.raises(BadInput, match="no labelled sentence"):
        examples((), [layer_target("theme")], WordVectors(), QuietReport())
    few = examples(invented_reviews(2, sentences=5), [layer_target("theme")], WordVectors(), QuietReport())
    with pytest.raises(BadInput, match="too few"):
        fit(few, SMALL, QuietReport())


def test_heads_stand_on_others_and_say_so(data: Examples, heads: Heads) -> None:
    few = examples(invented_reviews(6, seed=11), data.targets, WordVectors(), QuietReport())
    alone, _, _ = fit(few, SMALL, QuietReport())
    standing, _, _ = fit(few, SMALL, QuietReport(), prior=heads)
    assert (alone.prior, standing.prior) == ("", heads.digest)
    assert from_bytes(to_bytes(standing), {}).prior == heads.digest == from_bytes(to_bytes(heads), {}).digest
    unseen = examples(invented_reviews(20, seed=12), data.targets, WordVectors(), QuietReport())

    def right(made: Heads, prior: Heads | None) -> float:
        chances = made.chances(unseen.reviews, unseen.vectors, prior)
        return measures.micro_f1(unseen.truth["theme"], decide(made.heads[0], chances["theme"]))

    assert right(standing, heads) > max(0.9, right(alone, None))


def test_a_label_that_holds_nowhere_is_never_read() -> None:
    two = [
        replace(review, sentences=tuple(s for s in review.sentences if s.layers["polarity"] != ("neutral",)))
        for review in invented_reviews(12)
    ]
    data = examples(two, [layer_target("polarity")], WordVectors(), QuietReport())
    made, _, _ = fit(data, SMALL, QuietReport())
    chances = made.chances(data.reviews, data.vectors)["polarity"]
    assert chances[:, 2].max() < 1e-6 and np.allclose(chances.sum(axis=1), 1, atol=1e-5)
    assert measures.accuracy(data.truth["polarity"], decide(made.heads[0], chances)) > 0.9


def test_by_sentence_no_view_is_asked_about_what_it_learnt(data: Examples) -> None:
    learn, development, test = split(data, by="sentence", seed=2)
    made, asked, _ = fit(data, SMALL, QuietReport(), chosen=learn, development=development, by_sentence=True)
    by_heart = made.chances(data.reviews, data.vectors)
    assert asked["theme"].shape == by_heart["theme"].shape
    assert not np.allclose(asked["theme"][test], by_heart["theme"][test], atol=1e-3), "neighbours differ"


class _Impatient(QuietReport):
    def progress(self, fraction: float, words: str = "") -> None:
        if "vectors" in words:
            raise Cancelled


def test_cancel_stops_the_training(data: Examples) -> None:
    with pytest.raises(Cancelled):
        fit(data, SMALL, _Impatient())


def test_splits_keep_papers_together(data: Examples) -> None:
    groups = data.sentence_groups()
    parts = split(data, by="paper", seed=5)
    assert sorted(np.concatenate(parts)) == list(range(len(data.texts)))
    held = [set(groups[part]) for part in parts]
    assert not (held[0] & held[1] or held[0] & held[2] or held[1] & held[2])
    sizes = [len(part) / len(data.texts) for part in split(data, by="sentence", seed=5)]
    assert sizes == pytest.approx([0.7, 0.1, 0.2], abs=0.02)
    few = examples(invented_reviews(10, sentences=2), data.targets, WordVectors(), QuietReport())
    assert [len(set(few.sentence_groups()[part])) for part in split(few, by="paper", seed=1)] == [3, 1, 1]


# features -------------------------------------------------------------------------------------------------------------


def test_numbers_count_alike_and_rare_grams_do_not_count() -> None:
    assert set(word_grams("see table 2")) == set(word_grams("See Table 17"))
    grams = [word_grams(text) for text in ("a gate", "a gate", "another thing")]
    words = vocabulary(grams, least=2)
    assert len(words.hashes) == 3, "a, gate, a gate"
    dense = matrix(words.rows(grams), len(words.hashes)).toarray()
    assert np.allclose(np.linalg.norm(dense, axis=1), [1, 1, 0])
    assert vocabulary([], least=1).rows([letter_grams("x")])[0][0].size == 0


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(-3, 3).filter(bool))
def test_neighbours_stay_in_their_review(sizes: list[int], distance: int) -> None:
    values = np.arange(1, sum(sizes) + 1, dtype=np.float32)[:, None]
    moved = neighbours(values, sizes, distance)
    start = 0
    for size in sizes:
        for at in range(size):
            other = at + distance
            assert moved[start + at, 0] == (values[start + other, 0] if 0 <= other < size else 0)
        start += size


def test_places_of_sentences() -> None:
    found = positions([ReviewSentences(("a", "b", "c")), ReviewSentences(("d",))])
    assert found[:, 0].tolist() == [0, 0.5, 1, 0] and found[:, 3].tolist() == [0, 0, 1, 1]


def test_gelu_is_that_of_torch() -> None:
    import torch

    values = np.linspace(-6, 6, 201, dtype=np.float32)
    assert np.allclose(gelu(values), torch.nn.functional.gelu(torch.from_numpy(values)).numpy(), atol=2e-6)


# measures -------------------------------------------------------------------------------------------------------------


def test_f1_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import f1_score

    rng = np.random.default_rng(4)
    truth, held = rng.random((200, 5)) < 0.3, rng.random((200, 5)) < 0.4
    given = truth.astype(np.float32)
    assert measures.micro_f1(given, held) == pytest.approx(f1_score(truth, held, average="micro"))
    assert measures.macro_f1(given, held) == pytest.approx(f1_score(truth, held, average="macro"))


def test_calibration_error_of_known_chances() -> None:
    truth = np.array([[1.0], [1.0], [1.0], [0.0]], dtype=np.float32)
    assert measures.calibration_error(truth, np.full((4, 1), 0.75, np.float32)) == pytest.approx(0.0)
    assert measures.calibration_error(truth, np.full((4, 1), 0.25, np.float32)) == pytest.approx(0.5)


def test_thresholds_gain_and_intervals_hold_the_value() -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random((400, 3)) < [0.5, 0.2, 0.05]).astype(np.float32)
    chances = np.clip(0.6 * truth + 0.4 * rng.random((400, 3)) - 0.25, 0, 1).astype(np.float32)
    cuts = measures.best_thresholds(truth, chances)
    tuned = measures.micro_f1(truth, chances >= cuts)
    assert tuned > measures.micro_f1(truth, chances >= 0.5)
    figure = measures.bootstrap(
        measures.micro_f1, truth, chances >= cuts, np.arange(400) // 10, rng=np.random.default_rng(1), rounds=100
    )
    assert figure.low <= figure.value == tuned <= figure.high


def test_balance_helps_rare_classes() -> None:
    rng = np.random.default_rng(0)
    which = rng.choice(3, 600, p=[0.8, 0.15, 0.05])
    truth = np.eye(3, dtype=np.float32)[which]
    chances = np.abs(0.25 * truth + 0.2 * rng.random((600, 3)) + [0.3, 0.05, 0.0]).astype(np.float32)
    weights = measures.best_balance(truth, chances)

    def macro(by: np.ndarray) -> float:
        return measures.macro_f1(truth, np.arange(3) == np.argmax(chances / by, axis=1)[:, None])

    assert macro(weights) > macro(np.ones(3)) + 0.05


def test_outer_folds_share_views_and_learn_nothing_of_their_own(data: Examples) -> None:
    fold = data.sentence_groups() % 3
    fitted: dict[bytes, Any] = {}
    turned = {**data.truth, "polarity": data.truth["polarity"].copy()}
    turned["polarity"][fold == 0] = np.roll(turned["polarity"][fold == 0], 1, axis=1)
    found = []
    for known in (data, replace(data, truth=turned)):
        learn = np.flatnonzero(fold != 0)
        shared = fitted if known is data else None
        found.append(fit(known, SMALL, QuietReport(), chosen=learn, dealt=fold, fitted=shared)[1]["polarity"])
    assert np.array_equal(*found), "the outer fold's labels count nowhere"
    assert len(fitted) == 3, "one without each of the two inner folds, and one for both"
    fit(data, SMALL, QuietReport(), chosen=np.flatnonzero(fold != 1), dealt=fold, fitted=fitted)
    assert len(fitted) == 5, "views without folds 0 and 1 are known"


def test_labels_are_suggested_from_where_enough_of_them_are_right() -> None:
    rng = np.random.default_rng(1)
    chances = rng.uniform(0.5, 1, (2000, 1)).astype(np.float32)
    held, units = np.ones((2000, 1), dtype=np.bool_), np.arange(2000) % 40
    honest = (rng.random((2000, 1)) < chances).astype(np.float32)
    assert measures.promise(honest, chances, held, units)["from"] == 0.7
    sure = (rng.random((2000, 1)) < chances - 0.2).astype(np.float32)
    made = measures.promise(sure, chances, held, units)
    assert made["from"] > 0.7 and made["tried"][-1][2] >= 0.7 > made["tried"][-2][2]
    (limit, right, *_), offered = made["tried"][-1], chances >= made["from"]
    assert limit == made["from"] and right == round(float(sure[offered].mean()), 4)
    assert measures.promise(1 - honest, chances, held, units)["from"] is None
    assert measures.promise(honest, chances, held, units % 4)["from"] is None, "too few papers"
