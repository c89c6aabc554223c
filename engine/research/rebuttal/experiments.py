"""Runs the paper's tasks on annotated data: each strategy learns from one part and is evaluated on another.

All functions yield ``Row``s, so that results appear immediately. Seeds are fixed; candidates are shuffled first, since
the files are sorted by score and ties keep their order.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.rebuttal.answers.evidence import Passage, gather, rank_answers
from engine.rebuttal.canonical.records import AnsweredReview, DescribedReview, ScoredCandidate
from engine.rebuttal.records import stance_of
from engine.research.labels.heads import HeadSettings
from engine.research.rebuttal.acts import fit_acts, read_acts, what_is_answered
from engine.research.rebuttal.generation import DESCRIBERS, GENERATORS
from engine.research.rebuttal.kernels import Strategy
from engine.research.rebuttal.points import Exchange
from engine.research.rebuttal.ranker import TrainedRanker
from engine.research.rebuttal.scoring import SCORERS, evaluate, fine_tuned
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
from engine.reviews.labels.features import ReviewSentences
from engine.reviews.labels.heads import shipped_chances
from engine.revision.aligners.lexical import stems

_SCORING = """\
random 1.0 13.86 13.90
BERT 24.1 33.56 35.59
RoBERTa 44.7 35.41 35.40
SciBERT 47.0 36.73 36.72
BERT_ds_neg 38.3 39.20 39.13
RoBERTa_ds_neg 45.4 36.21 36.21
SciBERT_ds_neg 46.8 36.67 36.68
BERT_ds_all 48.8 38.37 38.37
RoBERTa_ds_all 32.3 37.82 37.67
SciBERT_ds_all 49.1 35.98 36.00"""
"""Purkayastha et al. (2023), Table 4; the paper gives r as a share of 1, MAP and MRR in percent."""
_RANKING = """\
BM25 20.9 21.1
allmini-lm 21.8 21.9
paraphrase-albert 19.5 19.6
bi-encoder-BERT 22.7 22.9
bi-encoder-RoBERTa 22.6 22.7
bi-encoder-SciBERT 20.9 20.9
bi-encoder-BERT_ds_neg 23.1 23.2
bi-encoder-RoBERTa_ds_neg 22.0 22.1
bi-encoder-SciBERT_ds_neg 22.0 22.2
bi-encoder-BERT_ds_all 22.9 23.0
bi-encoder-RoBERTa_ds_all 19.3 19.5
bi-encoder-SciBERT_ds_all 19.3 19.5"""
"""Table 10, with MRR before MAP as printed."""
_DESCRIPTIONS = """\
BART-0-shot 10.75 2.43 9.31 16
Pegasus-0-shot 10.28 2.30 8.96 16
T5-0-shot 5.29 0.93 4.87 -5
BART-1-shot 21.49 5.70 19.87 35.9
Pegasus-1-shot 17.26 6.06 16.58 31.4
T5-1-shot 16.79 4.21 15.94 26.0
BART-2-shot 19.11 5.26 18.42 34.2
Pegasus-2-shot 17.94 6.55 17.33 32.2
T5-2-shot 18.36 6.14 17.50 27.6
BART-full 42.36 33.64 42.17 49.6
Pegasus-full 45.73 37.83 46.36 51.6
T5-full 46.47 37.85 45.95 52.0"""
"""Table 11. Its BERTScore uses roberta-large, so ours isn't comparable."""
_GENERATION = """\
BART-0-shot 11.53 0.87 9.20 0.5
Pegasus-0-shot 10.97 0.16 2.73 -32
T5-0-shot 3.08 0.79 8.88 -0.2
BART-1-shot 13.43 2.40 11.01 13.2
Pegasus-1-shot 20.64 4.36 16.48 24.9
T5-1-shot 19.93 3.63 15.09 20.3
BART-2-shot 22.04 3.42 16.90 25.6
Pegasus-2-shot 23.26 4.94 18.18 27.0
T5-2-shot 20.23 3.59 16.27 22.4
BART-full 22.14 3.88 15.67 21.8
Pegasus-full 21.52 3.87 15.69 19.3
T5-full 21.58 3.86 15.98 19.5"""
"""Table 12."""
_TEXTS = ("rouge_1", "rouge_2", "rouge_l", "bert_score")


def _published() -> Mapping[str, Mapping[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for task, metrics, table in (
        ("scoring", ("pearson", "map", "mrr"), _SCORING),
        ("scoring", ("mrr", "map"), _RANKING),
        ("descriptions", _TEXTS, _DESCRIPTIONS),
        ("generation", _TEXTS, _GENERATION),
        ("rebuttal-action", ("macro_f1",), "BERT (Kennard et al. 2022) 31.2"),
        ("rebuttal-stance", ("macro_f1",), "BERT (Kennard et al. 2022) 43.5"),
    ):
        for line in table.splitlines():
            system, *values = line.rsplit(maxsplit=len(metrics))
            for metric, value in zip(metrics, values, strict=True):
                found.setdefault(f"{task}/{metric}", {})[system] = round(float(value) / 100, 6)
    return found


PUBLISHED = _published()
"""By "task/metric", on the test parts of the data sets."""


@dataclass(frozen=True, slots=True)
class Row:
    """A strategy's measure. ``published``: figures reported by the task's papers, by system, in the measure's unit
    (0..1). ``note``: what readers should know about the figure."""

    task: str
    strategy: str
    title: str
    split: str
    measured: Measured
    published: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class ExchangePair:
    """An annotated review and rebuttal. ``actions`` and ``answered`` are by rebuttal sentence; ``answered`` has the
    indexes of review sentences, empty if unknown or none."""

    paper: str
    review: tuple[Passage, ...]
    rebuttal: tuple[Passage, ...]
    actions: tuple[str, ...]
    answered: tuple[tuple[int, ...], ...]


def exchanges(pairs: Sequence[ExchangePair], embedder: Embedder, report: Report) -> list[Exchange]:
    """Returns annotated pairs with vectors and evidence; each sentence is encoded once."""
    texts = [p.text for pair in pairs for p in chain(pair.rebuttal, pair.review)]
    vectors = np.asarray(embedder.encode(texts, report), dtype=np.float64)
    sizes = [size for pair in pairs for size in (len(pair.rebuttal), len(pair.review))]
    parts = np.split(vectors, np.cumsum(sizes)[:-1])
    reviews = [ReviewSentences(tuple(passage.text for passage in pair.review)) for pair in pairs]
    labels = shipped_chances(reviews, np.concatenate(parts[1::2]).astype(np.float32), embedder.fingerprint)
    of_review = np.split(labels, np.cumsum([len(side) for side in parts[1::2]])[:-1])
    found = []
    for pair, own, other, chances in zip(pairs, parts[::2], parts[1::2], of_review, strict=True):
        evidence = gather(pair.rebuttal, pair.review, own, other)
        gold = np.zeros(evidence.shape, dtype=bool)
        for row, places in enumerate(pair.answered):
            gold[row, list(places)] = True
        answered = what_is_answered(evidence, pair.review, chances)
        found.append(
            Exchange(pair.paper, pair.rebuttal, evidence, gold, own.astype(np.float32), answered, pair.actions)
        )
    return found


def act_rows(
    learn: Sequence[Exchange], judge: Sequence[Exchange], split: str, seed: int, report: Report
) -> Iterator[Row]:
    """Evaluates rebuttal action and stance by macro-F1; resampled by paper."""
    fitted = fit_acts(learn, report, HeadSettings(seed=seed))
    said = [(act, stance_of(act)) for acts in read_acts(fitted, judge) for act in acts]
    gold = [(action, stance_of(action)) for pair in judge for action in pair.actions]
    parts = [pair.paper for pair in judge for _ in pair.actions]
    common = max(set(gold), key=gold.count)
    for strategy, title, guess in (
        ("majority", "Most common action (baseline)", [common] * len(gold)),
        ("heads", "Heads on encoder, words, structure and answered sentences", said),
    ):
        for at, task in enumerate(("rebuttal-action", "rebuttal-stance")):
            right, read = ([one[at] for one in side] for side in (gold, guess))
            yield _row(task, strategy, title, split, macro_f1("macro_f1", right, read, parts))


def answer_rows(
    learn: Sequence[Exchange], judge: Sequence[Exchange], split: str, seed: int, report: Report
) -> Iterator[Row]:
    """Evaluates which review sentences are answered: MAP and MRR over rebuttal sentences that answer any; resampled by
    paper."""

    def rows(strategy: str, title: str, scores: Sequence[Floats]) -> Iterator[Row]:
        precisions, ranks, parts = [], [], []
        for pair, score in zip(judge, scores, strict=True):
            for row in np.flatnonzero(pair.gold.any(1)):
                order = ranked(score[row], pair.gold[row])
                precisions.append(average_precision(order))
                ranks.append(reciprocal_rank(order))
                parts.append(pair.paper)
        for measured in (mean("map", precisions, parts), mean("mrr", ranks, parts)):
            yield _row("answers", strategy, title, split, measured)

    yield from rows("bm25", "BM25 (baseline)", [pair.evidence.words for pair in judge])
    yield from rows("bi-encoder", "Encoder, cosine", [pair.evidence.cosine for pair in judge])
    untrained = [rank_answers(pair.evidence) for pair in judge]
    yield from rows("untrained", "Quotes, carry-over, order and place; no training", untrained)
    ranker = TrainedRanker(seed=seed).fit(learn, report)
    yield from rows("trained", "Boosted trees in two passes", [ranker.rank(pair.evidence) for pair in judge])


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
    """Evaluates scoring and ranking of canonical rebuttals; resampled by description. ``bases``: encoders to fine-tune
    for it."""
    known, asked = _shuffled(learn, seed), _shuffled(judge, seed)
    scorers = [*SCORERS.values(), *map(fine_tuned, bases)]
    for number, scorer in enumerate(scorers):
        said = scorer.run(known, asked, embedder, seed, _begun(report, number, len(scorers), scorer.title))
        for measured in evaluate(asked, said):
            yield _row("scoring", scorer.id, scorer.title, split, measured)


def description_rows(
    learn: Sequence[DescribedReview], judge: Sequence[DescribedReview], split: str, **how: Any
) -> Iterator[Row]:
    """Evaluates descriptions of review sentences by ROUGE and BERTScore; resampled by sentence. ``how`` as in
    ``_text_rows``."""
    gold, asked = [one.description for one in judge], [one.review for one in judge]
    return _text_rows("descriptions", split, DESCRIBERS, describing, learn, asked, gold, range(len(gold)), **how)


def generation_rows(
    learn: Sequence[AnsweredReview], judge: Sequence[AnsweredReview], split: str, **how: Any
) -> Iterator[Row]:
    """Evaluates end-to-end canonical rebuttals by ROUGE and BERTScore; resampled by rebuttal. ``how`` as in
    ``_text_rows``."""
    gold, asked = [one.rebuttal for one in judge], [(one.review, one.action) for one in judge]
    note = partial(judgement, learn=learn, judge=judge)
    return _text_rows("generation", split, GENERATORS, answering, learn, asked, gold, gold, note=note, **how)


def _text_rows(  # noqa: PLR0917 (bound by the two tasks)
    task: str,
    split: str,
    own: Mapping[str, Strategy],
    write: Callable[..., Iterable[tuple[Shots, Sequence[str]]]],
    learn: Sequence[Any],
    asked: Sequence[Any],
    gold: Sequence[str],
    parts: Sequence[object],
    *,
    embedder: Embedder,
    report: Report,
    models: Sequence[Seq2Seq] = (),
    seed: int = 1,
    scorer: TokenScorer | None = None,
    note: Callable[[Sequence[str]], str] = lambda _said: "",
) -> Iterator[Row]:
    """Runs every strategy, and each of ``models`` with each number of examples; ``scorer`` adds BERTScore."""
    steps = len(own) + len(models)

    def said_by() -> Iterator[tuple[str, str, Sequence[str]]]:
        for at, one in enumerate(own.values()):
            yield one.id, one.title, one.run(learn, asked, embedder, _begun(report, at, steps, one.title))
        for at, model in enumerate(models, start=len(own)):
            for shots, said in write(model, learn, asked, seed=seed, report=_begun(report, at, steps, model.name)):
                yield f"{model.name}-{shots}", f"{model.name}, {_SHOT_TITLES[shots]}", said

    for strategy, title, said in said_by():
        for measured in texts_measured(said, gold, parts, scorer):
            yield replace(_row(task, strategy, title, split, measured), note=note(said))


def texts_measured(
    said: Sequence[str], gold: Sequence[str], parts: Sequence[object], scorer: TokenScorer | None = None
) -> Iterator[Measured]:
    """Returns ROUGE-1, -2 and -L, and BERTScore if there is a scorer."""
    sides = [(words(one), words(other)) for one, other in zip(said, gold, strict=True)]
    for name, rouge in ROUGE.items():
        yield mean(name, [rouge(one, other) for one, other in sides], parts)
    if scorer is not None:
        yield mean("bert_score", scorer.score(said, gold), parts)


def judgement(said: Sequence[str], learn: Sequence[AnsweredReview], judge: Sequence[AnsweredReview]) -> str:
    """Describes the answers in a sentence: how many different ones, whether they fit the action, and how much they
    share with the review. ROUGE shows none of this."""
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
    verdicts = ("generic: it would fit any review", "mostly generic", "uses the review's content")
    verdict = verdicts[(share >= 5) + (share >= 15)]
    fits = f"{100 * fitting / len(known):.0f} % known for the action asked for, " if known else ""
    return (
        f"{len(set(said))} different sentences for {len(said)} questions, {fits}"
        f"{share:.0f} % of their informative words are in the review: {verdict}."
    )


_SHOT_TITLES: Mapping[Shots, str] = {
    "zero": "as it is", "one": "one example of each text", "two": "two examples of each text", "all": "fine-tuned",
}  # fmt: skip


def _begun(report: Report, at: int, steps: int, words: str) -> Report:
    """Returns the part of the report for step ``at`` of ``steps``, showing ``words``."""
    part = report.part(at / steps, (at + 1) / steps)
    part.progress(0.0, words)
    return part


def _row(task: str, strategy: str, title: str, split: str, measured: Measured) -> Row:
    return Row(task, strategy, title, split, measured, PUBLISHED.get(f"{task}/{measured.name}", {}))


def _shuffled(candidates: Sequence[ScoredCandidate], seed: int) -> list[ScoredCandidate]:
    found = list(candidates)
    random.Random(seed).shuffle(found)
    return found
