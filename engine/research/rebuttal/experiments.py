"""The paper's tasks on annotated data: each strategy learns from one part and is measured on another.

Everything is a generator of ``Row``s, so that what is done is seen at once. Seeds are given; candidates are shuffled
before anything else, since the files follow the scores and equal values keep their order.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.rebuttal.act_codes import stance_of
from engine.rebuttal.answers.evidence import Evidence, Passage, gather
from engine.rebuttal.answers.untrained import rank_answers
from engine.rebuttal.canonical.records import AnsweredReview, DescribedReview, ScoredCandidate
from engine.research.rebuttal.acts import ActPair, fit_acts, read_acts, what_is_answered
from engine.research.rebuttal.bi_encoder import fine_tuned
from engine.research.rebuttal.descriptions import DESCRIBERS, Describer
from engine.research.rebuttal.generation import GENERATORS, Generator
from engine.research.rebuttal.published import PUBLISHED
from engine.research.rebuttal.ranker import LinkedPair, TrainedRanker
from engine.research.rebuttal.scoring import SCORERS, evaluate
from engine.research.rebuttal.seq2seq import Seq2Seq, Shots, answering, describing
from engine.research.rebuttal.text_metrics import (
    ROUGE,
    Floats,
    Measured,
    TokenScorer,
    average_precision,
    macro_f1,
    mean,
    ranked,
    reciprocal_rank,
    words,
)
from engine.reviews.labels.features import ReviewSentences, Vectors
from engine.reviews.labels.heads import shipped_chances
from engine.revision.aligners.lexical import stems


@dataclass(frozen=True, slots=True)
class Row:
    """A strategy's measure. ``published``: what the task's papers report, by system, in the measure's unit (0..1).

    ``note``: what a person should know beside the figure.
    """

    task: str
    strategy: str
    title: str
    split: str
    measured: Measured
    published: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class ExchangePair:
    """An annotated review and rebuttal. ``actions`` and ``answered`` by rebuttal sentence; ``answered`` holds the
    places of review sentences, empty where it is not known or answers none.
    """

    paper: str
    review: tuple[Passage, ...]
    rebuttal: tuple[Passage, ...]
    actions: tuple[str, ...]
    answered: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Exchanges:
    """Annotated pairs with what the encoder and the evidence say of them, in the same order."""

    pairs: tuple[ExchangePair, ...]
    evidence: tuple[Evidence, ...]
    vectors: tuple[Floats, ...]
    answered: tuple[Vectors, ...]

    @classmethod
    def of(cls, pairs: Sequence[ExchangePair], embedder: Embedder, report: Report) -> Exchanges:
        """Encodes every sentence once."""
        texts = [p.text for pair in pairs for p in chain(pair.rebuttal, pair.review)]
        vectors = np.asarray(embedder.encode(texts, report), dtype=np.float64)
        sizes = [size for pair in pairs for size in (len(pair.rebuttal), len(pair.review))]
        parts = np.split(vectors, np.cumsum(sizes)[:-1])
        own, other = parts[::2], parts[1::2]
        reviews = [ReviewSentences(tuple(passage.text for passage in pair.review)) for pair in pairs]
        labels = shipped_chances(reviews, np.concatenate(other).astype(np.float32), embedder.fingerprint)
        of_review = np.split(labels, np.cumsum([len(side) for side in other])[:-1])
        found = [gather(p.rebuttal, p.review, mine, asked) for p, mine, asked in zip(pairs, own, other, strict=True)]
        answered = [
            what_is_answered(evidence, pair.review, chances)
            for evidence, pair, chances in zip(found, pairs, of_review, strict=True)
        ]
        return cls(tuple(pairs), tuple(found), tuple(own), tuple(answered))

    def linked(self) -> list[LinkedPair]:
        """The pairs as the ranker learns from them."""
        found = []
        for pair, evidence in zip(self.pairs, self.evidence, strict=True):
            gold = np.zeros(evidence.shape, dtype=bool)
            for row, places in enumerate(pair.answered):
                gold[row, list(places)] = True
            found.append(LinkedPair(pair.paper, evidence, gold))
        return found

    def acts(self) -> list[ActPair]:
        """The pairs as the heads learn from them."""
        return [
            ActPair(pair.paper, pair.rebuttal, evidence, vectors.astype(np.float32), answered, pair.actions)
            for pair, evidence, vectors, answered in zip(
                self.pairs, self.evidence, self.vectors, self.answered, strict=True
            )
        ]


def act_rows(learn: Exchanges, judge: Exchanges, split: str, seed: int, report: Report) -> Iterator[Row]:
    """Rebuttal action and stance, macro-F1; parts are papers."""
    from engine.research.labels.heads import HeadSettings

    fitted = fit_acts(learn.acts(), report, HeadSettings(seed=seed))
    said = [(act.action, act.stance) for acts in read_acts(fitted, judge.acts()) for act in acts]
    gold = [(action, stance_of(action)) for pair in judge.pairs for action in pair.actions]
    parts = [pair.paper for pair in judge.pairs for _ in pair.actions]
    common = max(set(gold), key=gold.count)
    for strategy, title, guess in (
        ("majority", "The commonest action (baseline)", [common] * len(gold)),
        ("heads", "Heads on encoder, words, structure and what is answered", said),
    ):
        for at, task in enumerate(("rebuttal-action", "rebuttal-stance")):
            right, read = ([one[at] for one in side] for side in (gold, guess))
            yield _row(task, strategy, title, split, macro_f1("macro_f1", right, read, parts))


def answer_rows(learn: Exchanges, judge: Exchanges, split: str, seed: int, report: Report) -> Iterator[Row]:
    """Which review sentences are answered: MAP and MRR over rebuttal sentences that answer any; parts are papers."""
    judged = judge.linked()

    def rows(strategy: str, title: str, scores: Sequence[Floats]) -> Iterator[Row]:
        precisions, ranks, parts = [], [], []
        for pair, score in zip(judged, scores, strict=True):
            for row in np.flatnonzero(pair.gold.any(1)):
                order = ranked(score[row], pair.gold[row])
                precisions.append(average_precision(order))
                ranks.append(reciprocal_rank(order))
                parts.append(pair.paper)
        for measured in (mean("map", precisions, parts), mean("mrr", ranks, parts)):
            yield _row("answers", strategy, title, split, measured)

    yield from rows("bm25", "BM25 (baseline)", [pair.evidence.words for pair in judged])
    yield from rows("bi-encoder", "Encoder, cosine", [pair.evidence.cosine for pair in judged])
    untrained = [rank_answers(pair.evidence) for pair in judged]
    yield from rows("untrained", "Quotes, carry-over, order and place; no training", untrained)
    ranker = TrainedRanker(seed=seed).fit(learn.linked(), report)
    yield from rows("trained", "Boosted trees in two passes", [ranker.rank(pair.evidence) for pair in judged])


def scoring_rows(
    learn: Sequence[ScoredCandidate],
    judge: Sequence[ScoredCandidate],
    split: str,
    *,
    seed: int,
    embedder: Embedder,
    report: Report,
    bases: Sequence[Path] = (),
) -> Iterator[Row]:
    """Canonical rebuttal scoring and ranking; parts are descriptions. ``bases``: encoders to be fine-tuned for it."""
    known, asked = _shuffled(learn, seed), _shuffled(judge, seed)
    scorers = [*SCORERS.values(), *map(fine_tuned, bases)]
    for number, scorer in enumerate(scorers):
        said = scorer.score(known, asked, embedder, seed, _begun(report, number, len(scorers), scorer.title))
        for measured in evaluate(asked, said):
            yield _row("scoring", scorer.id, scorer.title, split, measured)


def description_rows(
    learn: Sequence[DescribedReview],
    judge: Sequence[DescribedReview],
    split: str,
    *,
    embedder: Embedder,
    report: Report,
    models: Sequence[Seq2Seq] = (),
    seed: int = 1,
    scorer: TokenScorer | None = None,
) -> Iterator[Row]:
    """Descriptions of review sentences, by ROUGE and BERTScore; each sentence is a part. ``models`` write them, too."""
    gold, asked = [one.description for one in judge], [one.review for one in judge]
    said_by = _answers_of(
        tuple(DESCRIBERS.values()), lambda one, part: one.describe(learn, asked, embedder, part),
        models, lambda model, part: describing(model, learn, asked, seed=seed, report=part), report,
    )  # fmt: skip
    for strategy, title, said in said_by:
        for measured in texts_measured(said, gold, list(range(len(gold))), scorer):
            yield _row("descriptions", strategy, title, split, measured)


def generation_rows(
    learn: Sequence[AnsweredReview],
    judge: Sequence[AnsweredReview],
    split: str,
    *,
    embedder: Embedder,
    report: Report,
    models: Sequence[Seq2Seq] = (),
    seed: int = 1,
    scorer: TokenScorer | None = None,
) -> Iterator[Row]:
    """End-to-end canonical rebuttals, by ROUGE and BERTScore; parts are canonical rebuttals. ``models`` write, too."""
    gold, asked = [one.rebuttal for one in judge], [(one.review, one.action) for one in judge]
    said_by = _answers_of(
        tuple(GENERATORS.values()), lambda one, part: one.answer(learn, asked, embedder, part),
        models, lambda model, part: answering(model, learn, asked, seed=seed, report=part), report,
    )  # fmt: skip
    for strategy, title, said in said_by:
        note = judgement(said, learn, judge)
        for measured in texts_measured(said, gold, gold, scorer):
            yield replace(_row("generation", strategy, title, split, measured), note=note)


def _answers_of(
    own: Sequence[Describer | Generator],
    ask: Callable[[Any, Report], Sequence[str]],
    models: Sequence[Seq2Seq],
    have_written: Callable[[Seq2Seq, Report], Iterable[tuple[Shots, Sequence[str]]]],
    report: Report,
) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Id, title and texts of every strategy, and of every model with every number of examples."""
    steps = len(own) + len(models)
    for at, one in enumerate(own):
        yield one.id, one.title, ask(one, _begun(report, at, steps, one.title))
    for at, model in enumerate(models, start=len(own)):
        for shots, said in have_written(model, _begun(report, at, steps, model.name)):
            yield *_named(model, shots), said


def texts_measured(
    said: Sequence[str], gold: Sequence[str], parts: Sequence[object], scorer: TokenScorer | None = None
) -> Iterator[Measured]:
    """ROUGE-1, -2 and -L, and BERTScore where there is an encoder for it."""
    sides = [(words(one), words(other)) for one, other in zip(said, gold, strict=True)]
    for name, rouge in ROUGE.items():
        yield mean(name, [rouge(one, other) for one, other in sides], parts)
    if scorer is not None:
        yield mean("bert_score", scorer.score(said, gold), parts)


def judgement(said: Sequence[str], learn: Sequence[AnsweredReview], judge: Sequence[AnsweredReview]) -> str:
    """What the answers are like, in a sentence for people: how many there are, whether they fit the action and take up
    what the review is about. ROUGE sees none of it."""
    acts: dict[str, set[str]] = {}
    for one in learn:
        acts.setdefault(one.rebuttal, set()).add(one.action)
    known = [(text, one.action) for text, one in zip(said, judge, strict=True) if text in acts]
    fitting = sum(action in acts[text] for text, action in known)
    shared = []
    for text, one in zip(said, judge, strict=True):
        own = {stem for stem, _ in stems(text)}
        shared.append(len(own & {stem for stem, _ in stems(one.review)}) / max(len(own), 1))
    share = 100 * float(np.mean(shared)) if shared else 0.0
    verdict = (
        "generic: one could send it to any review"
        if share < 5
        else "mostly generic"
        if share < 15
        else "takes up what the review says"
    )
    fits = f"{100 * fitting / len(known):.0f} % known for the action asked for, " if known else ""
    return (
        f"{len(set(said))} different sentences for {len(said)} questions, {fits}"
        f"{share:.0f} % of their telling words stand in the review: {verdict}."
    )


_SHOT_TITLES: Mapping[Shots, str] = {
    "zero": "as it is", "one": "one example of each text", "two": "two examples of each text", "all": "fine-tuned",
}  # fmt: skip


def _named(model: Seq2Seq, shots: Shots) -> tuple[str, str]:
    return f"{model.name}-{shots}", f"{model.name}, {_SHOT_TITLES[shots]}"


def _begun(report: Report, at: int, steps: int, words: str) -> Report:
    """The part of the report for step ``at`` of ``steps``, which begins with ``words``."""
    part = report.part(at / steps, (at + 1) / steps)
    part.progress(0.0, words)
    return part


def _row(task: str, strategy: str, title: str, split: str, measured: Measured) -> Row:
    return Row(task, strategy, title, split, measured, PUBLISHED.get(f"{task}/{measured.name}", {}))


def _shuffled(candidates: Sequence[ScoredCandidate], seed: int) -> list[ScoredCandidate]:
    found = list(candidates)
    random.Random(seed).shuffle(found)
    return found
