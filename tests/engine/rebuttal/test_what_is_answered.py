"""Which review sentence a rebuttal sentence answers: evidence, the untrained ranker, the trained one, links."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import Cancelled
from engine.jobs import QuietReport
from engine.rebuttal.answers.evidence import (
    Evidence,
    Passage,
    chances,
    gather,
    layout,
    link_answers,
    posterior,
    rank_answers,
    shifted,
)
from engine.research.rebuttal.experiments import exchanges
from engine.research.rebuttal.points import REACH, Exchange, Points, read_in_order, same_point
from engine.research.rebuttal.ranker import TrainedRanker
from engine.research.rebuttal.text_metrics import average_precision, ranked
from tests.engine.expertise.word_embedder import WordEmbedder
from tests.engine.rebuttal.invented_dialogues import dialogue, dialogues


def evidence_of(rebuttal: list[str], review: list[str]) -> Evidence:
    own, other = [Passage(text, "\n") for text in rebuttal], [Passage(text, "\n") for text in review]
    vectors = WordEmbedder().encode([*rebuttal, *review]).astype(np.float64)
    return gather(own, other, vectors[: len(own)], vectors[len(own) :])


def precision(linked: list[Exchange], scores: list[np.ndarray]) -> float:
    found = [
        average_precision(ranked(score[row], pair.gold[row]))
        for pair, score in zip(linked, scores, strict=True)
        for row in np.flatnonzero(pair.gold.any(1))
    ]
    return float(np.mean(found))


def test_paragraphs_and_numbers_of_lists_are_read() -> None:
    found = layout(
        [Passage("Q1: Why?", "\n"), Passage("It is so.", " "), Passage("And so.", "\n\n"), Passage("(2) Add it.", "")]
    )
    assert found.paragraph.tolist() == [0, 1, 1, 2] and found.first.tolist() == [True, True, False, True]
    assert found.label.tolist() == [1, 1, 1, 2]
    assert layout([Passage("In 3 runs it failed.")]).label.tolist() == [-1]


def test_a_quotation_is_seen_and_carried_on() -> None:
    review = ["The method is sound and new.", "The choice of the threshold is never explained anywhere."]
    rebuttal = ["“The choice of the threshold is never explained anywhere.”", "True.", "It is now."]
    found = evidence_of(rebuttal, review)
    assert found.quoted[0].tolist() == [0.0, 1.0]
    anchored = found.of("anchored")
    assert (anchored[:, 1] == 1).all() and (anchored[:, 0] == 0).all()
    assert found.of("since_anchor")[:, 0].tolist() == [0, 1, 2]
    assert (rank_answers(found).argmax(1) == 1).all(), "what follows a quotation answers it"


def test_same_numbers_belong_together() -> None:
    review = ["1. It is long.", "2. It is dull.", "3. It is odd."]
    rebuttal = ["1. Yes.", "2. Yes.", "3. Yes."]
    same = evidence_of(rebuttal, review).of("same_label")
    assert np.array_equal(same, np.eye(3))
    assert rank_answers(evidence_of(rebuttal, review)).argmax(1).tolist() == [0, 1, 2]


def test_the_posterior_goes_on_and_sums_to_one() -> None:
    support = np.zeros((4, 6))
    support[0, 1] = support[3, 4] = 6.0
    found = posterior(support)
    assert found.sum(1) == pytest.approx(1) and found[0].argmax() == 1 and found[3].argmax() == 4
    assert found[1].argmax() in (1, 2) and found[:, 5].max() < 0.5
    assert posterior(np.zeros((0, 3))).shape == (0, 3) and posterior(np.zeros((2, 0))).shape == (2, 0)


def test_moved_tables_keep_their_edges_empty() -> None:
    table = np.arange(6.0).reshape(2, 3)
    assert shifted(table, 1, 0).tolist() == [[3, 4, 5], [0, 0, 0]]
    assert shifted(table, 0, -1, fill=9).tolist() == [[9, 0, 1], [9, 3, 4]]
    assert shifted(table, 5, 5).tolist() == np.zeros((2, 3)).tolist()


def test_untrained_beats_words_alone_and_training_helps() -> None:
    learn = exchanges(dialogues(10), WordEmbedder(), QuietReport())
    judge = exchanges(dialogues(4, 10), WordEmbedder(), QuietReport())
    untrained = precision(judge, [rank_answers(pair.evidence) for pair in judge])
    assert untrained > precision(judge, [pair.evidence.words for pair in judge]) + 0.05
    ranker = TrainedRanker(seed=1, trees=15).fit(learn)
    said = [ranker.rank(pair.evidence) for pair in judge]
    assert precision(judge, said) >= 0.9
    assert all(((one >= 0) & (one <= 1)).all() for one in said)
    again = TrainedRanker(seed=1, trees=15).fit(learn).rank(judge[0].evidence)
    assert np.array_equal(again, said[0]), "the same seed gives the same ranking"


def test_how_a_sentence_opens_is_seen() -> None:
    found = evidence_of(["2. “Why is it slow?”", "A: It is not.", "However, 3 / 12.5", "Thanks!"], ["Why is it slow?"])

    def sign(name: str) -> list[float]:
        return [float(value) for value in found.sign(name)]

    assert found.opening.shape == (4, len(found.signs))
    assert sign("numbered") == [1, 0, 0, 0] and sign("asks") == [1, 0, 0, 0]
    assert sign("answers") == [0, 1, 0, 0] and sign("after_answers") == [0, 0, 1, 0]
    assert sign("goes_on") == [0, 0, 1, 0] and sign("thanks") == [0, 0, 0, 1]
    assert sign("since_quoted") == [0, 1, 2, 3] and sign("breaks_before") == [3, 1, 1, 1]
    assert sign("digits")[2] > sign("digits")[3] == 0


def test_sentences_are_of_one_point_as_long_as_none_begins_another() -> None:
    found = same_point(np.array([1.0, 0.0, 0.5, 0.0]))
    assert found[0, 1] == 1 and found[2, 3] == 1 and found[0, 2] == pytest.approx(0.5)
    assert np.allclose(found, found.T) and np.allclose(np.diag(found), 1)


def test_reading_in_order_moves_where_a_point_begins_and_only_there() -> None:
    steps = np.full(2 * REACH + 1, 0.01)
    steps[REACH + 1] = 1.0
    support = np.zeros((4, 5))
    support[0, 1] = 8.0
    found = read_in_order(support, np.array([1.0, 0.0, 1.0, 0.0]), steps)
    assert found.sum(1) == pytest.approx(1)
    assert found.argmax(1).tolist() == [1, 1, 2, 2], "the second point is about the next sentence"
    assert read_in_order(np.zeros((2, 0)), np.zeros(2), steps).shape == (2, 0)


def test_where_points_begin_is_learnt() -> None:
    learn = exchanges(dialogues(30), WordEmbedder(), QuietReport())
    judge = exchanges(dialogues(1, 40), WordEmbedder(), QuietReport())[0]
    points = Points.fit(learn, [pair.evidence.cosine for pair in learn], seed=1)
    begins = points.begins(judge.evidence, judge.evidence.cosine)
    assert (begins[[1, 4, 5]] > 0.5).all() and (begins[[2, 3]] < 0.5).all()
    ahead = points.steps[REACH + 1 :].sum()
    assert points.steps.sum() == pytest.approx(1) and ahead > 0.7, "the invented rebuttals go on in order"
    table = points.table(judge.evidence, judge.evidence.cosine, begins)
    assert table.shape[:2] == judge.evidence.shape and np.isfinite(table).all()
    alone = Points.fit([replace(learn[0], gold=np.eye(6, 5, dtype=bool))], [learn[0].evidence.cosine], seed=1)
    assert alone.begins(judge.evidence, judge.evidence.cosine).tolist() == [1.0] * 6, "each sentence was a point"


def test_training_refuses_too_little_and_can_be_cancelled() -> None:
    few = exchanges(dialogues(4), WordEmbedder(), QuietReport())
    with pytest.raises(ValueError, match="3 papers"):
        TrainedRanker().fit(few)
    with pytest.raises(ValueError, match="trained yet"):
        TrainedRanker().rank(few[0].evidence)
    many = exchanges(dialogues(8), WordEmbedder(), QuietReport())
    with pytest.raises(Cancelled):
        TrainedRanker(trees=1).fit(many, _Stopped())


class _Stopped(QuietReport):
    def check(self) -> None:
        raise Cancelled


def test_links_name_sentences() -> None:
    pair = dialogue(3)
    found = link_answers(pair.rebuttal, pair.review, WordEmbedder())
    assert len(found) == len(pair.rebuttal) and all(found)
    assert 1 in found[1] and 3 in found[5]
    assert link_answers((), pair.review, WordEmbedder()) == []
    assert chances(np.zeros((0, 2))).shape == (0, 2)


def test_one_sentence_each_can_be_ranked() -> None:
    assert rank_answers(evidence_of(["Yes."], ["Is it?"])).shape == (1, 1)
