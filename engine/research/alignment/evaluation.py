"""Evaluates aligners on annotated papers; each paper uses what was learned and tuned on the others (leave one out)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jobs import QuietReport, Report
from engine.models import Embedder
from engine.research.alignment import metrics
from engine.research.alignment.metrics import Mask, Matrix
from engine.revision.aligners.base import Aligner
from engine.revision.aligners.evidence import Gatherer
from engine.revision.aligners.head import FROM_COMMENTS, FROM_REPLIES, RIDGE, Example, Head, Heads, best_cut, fit, judge
from engine.revision.aligners.replies import content
from engine.revision.aligners.selection import SHORT, characters
from engine.revision.generation.records import FULLY
from engine.revision.records import Candidate, Query


@dataclass(frozen=True, slots=True)
class AnnotatedPaper:
    """A revision with known links.

    ``positives``, ``unknown``: for each comment, the edits that belong to it, and those about which nothing is known.
    ``judged`` is False for comments of which only positives are known. ``sources``: for each edit, the ids of its
    source paragraphs. ``paragraphs``: id, section and text of the paper before the revision. ``whole``: all paragraphs
    of the revised paper in order, edits and unchanged ones. ``letter``: the authors' whole letter, if available.
    """

    id: str
    queries: tuple[Query, ...]
    candidates: tuple[Candidate, ...]
    positives: tuple[frozenset[str], ...]
    unknown: tuple[frozenset[str], ...]
    judged: tuple[bool, ...]
    directness: tuple[str, ...] = ()
    compliance: tuple[int, ...] = ()
    sources: tuple[tuple[str, ...], ...] = ()
    paragraphs: tuple[tuple[str, str, str], ...] = field(default=(), repr=False)
    whole: tuple[Candidate, ...] = field(default=(), repr=False)
    letter: str = field(default="", repr=False)

    @property
    def gold(self) -> Mask:
        """Links as (comments, edits)."""
        return np.array([[c.edit_id in own for c in self.candidates] for own in self.positives], dtype=bool).reshape(
            len(self.queries), len(self.candidates)
        )

    @property
    def known(self) -> Mask:
        """Pairs to score, as (comments, edits)."""
        rows = [
            [c.edit_id not in unknown and (judged or c.edit_id in own) for c in self.candidates]
            for own, unknown, judged in zip(self.positives, self.unknown, self.judged, strict=True)
        ]
        return np.array(rows, dtype=bool).reshape(len(self.queries), len(self.candidates))

    @property
    def additions(self) -> NDArray[np.bool_]:
        """New paragraphs, as (edits,)."""
        return np.array([not c.deleted and not c.context for c in self.candidates], dtype=bool)

    @property
    def short(self) -> NDArray[np.bool_]:
        """Edits of paragraphs with fewer than ``SHORT`` characters, as (edits,)."""
        return np.array([characters(c) < SHORT for c in self.candidates], dtype=bool)


def score_matrix(aligner: Aligner, paper: AnnotatedPaper) -> tuple[Matrix, Mask]:
    """Returns an aligner's scores and its own decisions as arrays (comments, edits)."""
    rankings = aligner.score(paper.queries, paper.candidates, report=QuietReport())
    column = {found.edit_id: at for at, found in enumerate(paper.candidates)}
    scores = np.full((len(paper.queries), len(paper.candidates)), -np.inf)
    said = np.zeros(scores.shape, dtype=bool)
    for row, query in enumerate(paper.queries):
        for scored in rankings[query.comment_id]:
            scores[row, column[scored.edit_id]] = scored.score
            said[row, column[scored.edit_id]] = scored.linked
    return scores, said


@dataclass(frozen=True, slots=True)
class Judged:
    """A paper with an aligner's scores and resulting links. ``added`` has the links of new paragraphs, if these have a
    separate threshold."""

    paper: AnnotatedPaper
    scores: Matrix
    said: Mask
    added: Mask | None = None


def with_threshold_of_others(papers: Sequence[AnnotatedPaper], scores: Sequence[Matrix]) -> tuple[Judged, ...]:
    """Links each paper at the threshold that is best on the others (a single paper at its own best): one threshold for
    all edits and, as in ARIES's addition-only setting, one for new paragraphs alone."""
    pairs = list(zip(papers, scores, strict=True))
    found = []
    for held, (paper, own) in enumerate(pairs):
        others = [(s, p) for at, (p, s) in enumerate(pairs) if at != held] or [(own, paper)]
        cut = metrics.best_threshold([(s, p.gold, p.known) for s, p in others])
        only = [(s, p.gold, p.known & p.additions) for s, p in others]
        cut_added = metrics.best_threshold(only) if any(known.any() for _, _, known in only) else cut
        found.append(Judged(paper, own, own >= cut, own >= cut_added))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The features of a paper, computed once for all fits; ``content`` as in ``judge``."""

    paper: AnnotatedPaper
    evidence: Mapping[str, Matrix]
    content: NDArray[np.float64]


def gather(paper: AnnotatedPaper, embedder: Embedder, report: Report = QuietReport()) -> Gathered:
    """Computes all features of one paper. Raises Cancelled."""
    gatherer = Gatherer(paper.queries, paper.candidates, embedder, report)
    evidence = gatherer.of_comments() | gatherer.of_replies()
    said = np.array([content(query.response, query.comment, len(query.reply_named)) for query in paper.queries])
    return Gathered(paper, evidence, said)


def fit_heads(
    gathered: Sequence[Gathered],
    *,
    from_comments: Sequence[str] = FROM_COMMENTS,
    from_replies: Sequence[str] = FROM_REPLIES,
    ridge: Mapping[str, float] = RIDGE,
) -> Heads:
    """Fits the heads of the fused aligner on annotated papers."""
    comments = _fit_one(gathered, from_comments, ridge, "comments")
    # Papers without replies can't train a head for replies.
    replies = any((own.paper.gold & (own.content > 0.0)[:, None]).any() for own in gathered)
    return Heads(comments, _fit_one(gathered, from_replies, ridge, "replies") if replies else comments)


def _fit_one(gathered: Sequence[Gathered], names: Sequence[str], ridge: Mapping[str, float], kind: str) -> Head:
    rows = [g.content > 0.0 if kind == "replies" else np.ones(len(g.content), dtype=bool) for g in gathered]
    examples = [
        Example({name: g.evidence[name][r] for name in names}, g.paper.gold[r], g.paper.known[r])
        for g, r in zip(gathered, rows, strict=True)
        if r.any()
    ]
    return fit(examples, names, ridge[kind])


def leave_one_out(
    gathered: Sequence[Gathered], *, use_responses: bool, fit_on: Callable[[Sequence[Gathered]], Heads] = fit_heads
) -> tuple[Judged, ...]:
    """Judges each paper with heads fitted on the others. Raises ValueError for fewer than two papers."""
    if len(gathered) < 2:
        raise ValueError("Leaving one paper out needs at least two papers.")
    found: list[Judged] = []
    for held, own in enumerate(gathered):
        heads = fit_on([other for at, other in enumerate(gathered) if at != held])
        found += judged(heads, [own], use_responses=use_responses)
    return tuple(found)


def judged(heads: Heads, gathered: Sequence[Gathered], *, use_responses: bool) -> tuple[Judged, ...]:
    odds = [judge(heads, own.evidence, own.content * use_responses) for own in gathered]
    return tuple(Judged(own.paper, of, of >= best_cut(of)) for own, of in zip(gathered, odds, strict=True))


@dataclass(frozen=True, slots=True)
class Measures:
    """The results, 0 to 1, under the names that the command prints.

    ``low`` and ``high`` are 95 % intervals by bootstrap over comments (or papers), ``addition_...`` covers only new
    paragraphs, ``..._possible`` is the highest recall that any ranking can reach, ``errors_in_worst_fifth`` the share
    of wrong and missed links in the fifth of the comments with the most of them, ``by_...`` are micro-F1 of subsets.
    """

    f1: float
    f1_low: float
    f1_high: float
    f1_low_over_papers: float
    f1_high_over_papers: float
    precision: float
    recall: float
    macro_precision: float
    macro_recall: float
    macro_f1: float
    macro_f1_low: float
    macro_f1_high: float
    macro_f1_without_empty: float
    exact: float
    addition_f1: float
    addition_f1_low: float
    addition_f1_high: float
    addition_macro_f1: float
    addition_macro_f1_low: float
    addition_macro_f1_high: float
    errors_in_worst_fifth: float
    recall_at_1: float
    recall_at_3: float
    recall_at_5: float
    recall_at_5_low: float
    recall_at_5_high: float
    recall_at_5_possible: float
    all_in_5: float
    average_precision: float
    by_paper: Mapping[str, float]
    by_directness: Mapping[str, float]
    by_compliance: Mapping[str, float]


def measure(judged: Sequence[Judged], *, samples: int = 1000, seed: int = 20) -> Measures:
    """Computes all measures over all papers; recalls are means over comments with links."""

    def interval(
        groups: Sequence[NDArray[np.float64]] | Sequence[metrics.Tally],
        value: Callable[[NDArray[np.float64]], float],
        over: metrics.Over,
    ) -> tuple[float, float]:
        return metrics.interval(groups, value, over=over, rng=np.random.default_rng(seed), samples=samples)

    def micro_f1(rows: NDArray[np.float64]) -> float:
        return metrics.micro(rows.astype(np.int64)).f1

    def mean(rows: NDArray[Any]) -> float:
        return float(rows.mean()) if len(rows) else 0.0

    papers = [j.paper for j in judged]
    tallies = [metrics.tally(j.said, j.paper.gold, j.paper.known) for j in judged]
    pooled = np.concatenate(tallies)
    recalls = {k: [metrics.recall_at(j.scores, j.paper.gold, j.paper.known, k) for j in judged] for k in (1, 3, 5)}
    added = [
        metrics.tally(j.said if j.added is None else j.added, j.paper.gold, j.paper.known & j.paper.additions)
        for j in judged
    ]
    precisions = [metrics.average_precision(j.scores, j.paper.gold, j.paper.known) for j in judged]
    micro, macro = metrics.micro(pooled), metrics.macro(pooled)
    complied = [value for paper in papers for value in paper.compliance]
    errors = np.sort(pooled[:, 1:].sum(axis=1))[::-1]
    found: dict[str, float] = {}
    measured: tuple[tuple[str, Sequence[Any], Callable[[NDArray[Any]], float]], ...] = (
        ("f1", tallies, micro_f1), ("macro_f1", [metrics.f1_of_each(of) for of in tallies], mean),
        ("addition_f1", added, micro_f1), ("addition_macro_f1", [metrics.f1_of_each(of) for of in added], mean),
        ("recall_at_5", recalls[5], mean),
    )  # fmt: skip
    for name, groups, value in measured:
        found[name] = value(np.concatenate(groups))
        found[f"{name}_low"], found[f"{name}_high"] = interval(groups, value, "comments")
    found["f1_low_over_papers"], found["f1_high_over_papers"] = interval(tallies, micro_f1, "papers")
    return Measures(
        **found,
        precision=micro.precision,
        recall=micro.recall,
        macro_precision=macro.precision,
        macro_recall=macro.recall,
        macro_f1_without_empty=metrics.macro(pooled, "left-out").f1,
        exact=metrics.exact(pooled),
        errors_in_worst_fifth=float(errors[: round(len(errors) / 5)].sum() / max(1, errors.sum())),
        recall_at_1=mean(np.concatenate(recalls[1])),
        recall_at_3=mean(np.concatenate(recalls[3])),
        recall_at_5_possible=mean(np.concatenate([metrics.recall_ceiling(p.gold, p.known, 5) for p in papers])),
        all_in_5=mean(np.concatenate(recalls[5]) == 1.0),
        average_precision=float(np.mean(precisions)),
        by_paper={paper.id: metrics.micro(own).f1 for paper, own in zip(papers, tallies, strict=True)},
        by_directness=_broken_down(pooled, [value for paper in papers for value in paper.directness]),
        by_compliance=_broken_down(pooled, [str(value or "") for value in complied])
        | _broken_down(pooled, ["<3" if 0 < value < FULLY else "" for value in complied]),
    )


def mean_measures(trials: Sequence[Measures]) -> Measures:
    """Returns each measure's mean over trials (ARIES: three seeds), including the bounds of intervals."""

    def mean(values: Sequence[Any]) -> Any:
        if isinstance(values[0], Mapping):
            return {key: mean([one[key] for one in values]) for key in values[0]}
        return float(np.mean(values))

    return Measures(**{one.name: mean([getattr(trial, one.name) for trial in trials]) for one in fields(Measures)})


def _broken_down(pooled: metrics.Tally, labels: Sequence[str]) -> dict[str, float]:
    """Returns micro-F1 of the comments with each label; comments without a label are ignored."""
    if len(labels) != len(pooled):
        return {}
    listed = np.array(labels, dtype=object)
    return {name: metrics.micro(pooled[listed == name]).f1 for name in sorted({label for label in labels if label})}
