"""Compares all aligners on the same annotated papers with Tables 2, 3 and 8 of ARIES: ``rejoinder reproduce
alignment``."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from engine.models import Embedder
from engine.research.alignment.evaluation import (
    AnnotatedPaper,
    Judged,
    Measures,
    gather,
    leave_one_out,
    mean_measures,
    measure,
    score_matrix,
    with_threshold_of_others,
)
from engine.research.alignment.metrics import Mask
from engine.revision.aligners import STRATEGIES, Means, make_aligner
from engine.revision.aligners.lexical import pre_revision
from engine.revision.aligners.selection import SHORT, likely
from engine.revision.records import Candidate, SilverKind, SilverLabel
from engine.revision.silver import KINDS, silver_labels
from engine.revision.source_alignment import SourceParagraph, source_scores

BY_THEIR_OWN = frozenset({"random", "human", "llm-pairwise", "llm-pairwise-1-shot", "llm-multi-edit"})
"""Strategies that decide yes or no themselves; all others link at the threshold that is best on the other papers."""
WITHOUT_RESPONSES = frozenset({"random", "bm25-generated", "human"})
"""Strategies that don't read responses."""
OF_SOURCES = ("bm25", "bi-encoder", "cross-encoder")
"""Strategies that read an edit as one text, and can be given the source paragraph instead."""
CHANCE_SEEDS = (1, 2, 3)
"""Seeds of the random baseline, as many as ARIES has trials of trained models."""


@dataclass(frozen=True, slots=True)
class Row:
    """A strategy's measures, averaged over ``trials`` (their micro-F1) if there are several. ``note`` states its
    particular conditions; ``least_characters`` is as in ``Strategy``."""

    strategy: str
    title: str
    use_responses: bool
    least_characters: int
    measures: Measures
    trials: tuple[float, ...]
    note: str = ""


def runnable(means: Means) -> tuple[str, ...]:
    return tuple(entry.id for entry in STRATEGIES.values() if not any(means.lacks(need) for need in entry.needs))


def compare_strategies(
    papers: Sequence[AnnotatedPaper],
    means: Means,
    strategies: Sequence[str] | None = None,
    *,
    least_characters: int | None = None,
    trials: Sequence[Path] = (),
    progress: Callable[[str], None] = lambda _words: None,
) -> Iterator[Row]:
    """Yields a row for each strategy, without and with responses; each paper is judged using what was learned on the
    others.

    Without ``strategies``, all that can run are used. If ``least_characters`` is None, strategies that consider all
    edits are also measured without the edits that ARIES excludes. ``trials`` are further folders of the same kind of
    model, trained with other seeds. The random baseline links at the rate of links in these papers.
    """
    pairs, links = (sum(int(mask.sum()) for mask in masks) for masks in zip(*map(_pairs, papers), strict=True))
    means = replace(means, rate=links / max(1, pairs))
    have_responses = any(query.response.strip() for paper in papers for query in paper.queries)
    for name in strategies or runnable(means):
        entry = STRATEGIES[name]
        for use_responses in (False, True) if have_responses and name not in WITHOUT_RESPONSES else (False,):
            progress(f"{entry.title}{', with responses' if use_responses else ''}")
            least = entry.least_characters if least_characters is None else least_characters
            asked = replace(means, use_responses=use_responses)
            yield _row(papers, asked, name, least, trials=trials)
            if least_characters is None and least == 0:
                yield _row(papers, asked, name, SHORT, note="without edits under 100 characters, as in ARIES")


def _pairs(paper: AnnotatedPaper) -> tuple[Mask, Mask]:
    """Returns the pairs that count in ARIES, and the links among them."""
    known = paper.known & ~paper.short
    return known, known & paper.gold


def _row(
    papers: Sequence[AnnotatedPaper],
    means: Means,
    name: str,
    least: int,
    *,
    note: str = "",
    trials: Sequence[Path] = (),
) -> Row:
    ways = [means]
    if name == "random":
        ways = [replace(means, seed=seed) for seed in CHANCE_SEEDS]
    elif "model folder" in STRATEGIES[name].needs:
        ways += [replace(means, model_folder=folder) for folder in trials]
    if name == "fused" and len(papers) > 1:
        found = [measure(_fused(papers, means, least))]
        note = note or "weights and threshold fitted on the other papers"
    else:
        found = [measure(_judged(papers, way, name, least)) for way in ways]
    scores = tuple(one.f1 for one in found)
    return Row(name, STRATEGIES[name].title, means.use_responses, least, mean_measures(found), scores, note)


def _judged(papers: Sequence[AnnotatedPaper], means: Means, name: str, least: int) -> tuple[Judged, ...]:
    aligner = make_aligner(name, means=means, least_characters=least)
    found = []
    for paper in papers:
        if STRATEGIES[name].whole_paper:
            aligner = make_aligner(name, means=replace(means, whole=paper.whole), least_characters=least)
        found.append(score_matrix(aligner, paper))
    if name in BY_THEIR_OWN:
        return tuple(Judged(paper, scores, said) for paper, (scores, said) in zip(papers, found, strict=True))
    return with_threshold_of_others(papers, [scores for scores, _ in found])


def _fused(papers: Sequence[AnnotatedPaper], means: Means, least: int) -> tuple[Judged, ...]:
    assert means.embedder is not None
    gathered = [gather(paper, means.embedder) for paper in papers]
    judged = leave_one_out(gathered, use_responses=means.use_responses)
    if least <= 0:
        return judged
    return tuple(Judged(j.paper, np.where(j.paper.short, -np.inf, j.scores), j.said & ~j.paper.short) for j in judged)


def filter_rows(papers: Sequence[AnnotatedPaper]) -> list[dict[str, float]]:
    """Returns what the high-recall BM25 filter keeps, without and with responses: the share of the true pairs
    ("recall") and of all pairs ("kept")."""
    rows = []
    for use_responses in (False, True):
        masks = [likely(paper.queries, paper.candidates, use_responses=use_responses) for paper in papers]
        true = sum(int((paper.gold & paper.known).sum()) for paper in papers)
        found = sum(int((mask & paper.gold & paper.known).sum()) for mask, paper in zip(masks, papers, strict=True))
        pairs, kept = (int(sum(count)) for count in ((m.size for m in masks), (m.sum() for m in masks)))
        shares = {"recall": found / true if true else 0.0, "kept": kept / pairs if pairs else 0.0}
        rows.append({"responses": use_responses, **shares})
    return rows


def row_fields(row: Row) -> dict[str, Any]:
    about = {"strategy": row.strategy, "title": row.title, "responses": row.use_responses}
    about |= {"least_characters": row.least_characters, "trials": list(row.trials)}
    return about | asdict(row.measures) | {"note": row.note, "published": PUBLISHED.get(row.strategy, {})}


def extras(papers: Sequence[AnnotatedPaper], embedder: Embedder) -> dict[str, Any]:
    """Returns further results: the papers, the BM25 filter, silver labels, and source paragraphs."""
    return {
        "table_2": [{"title": title, "strategy": name, **figures} for name, title, figures in TABLE_2],
        "table_3": TABLE_3,
        "table_8": [{"title": title, "strategy": name, **figures} for name, title, figures in TABLE_8],
        "papers": [
            {
                "paper": paper.id,
                "comments": len(paper.queries),
                "edits": len(paper.candidates),
                "links": int((paper.gold & paper.known).sum()),
            }
            for paper in papers
        ],
        "filter": filter_rows(papers),
        "silver": silver_rows(papers),
        "source_alignment": measure_sources(papers, embedder),
    }


MEASURES = (
    "addition_f1", "addition_f1_low", "addition_f1_high", "precision", "recall", "f1", "f1_low", "f1_high",
    "addition_macro_f1", "addition_macro_f1_low", "addition_macro_f1_high",
    "macro_precision", "macro_recall", "macro_f1", "macro_f1_low", "macro_f1_high",
)  # fmt: skip
"""The columns of Table 2 (section 5.2) with the bounds of its intervals, named as in the rows."""
_TABLE_2 = """\
bm25|BM25|13.3 4.7 30.0 12.2 10.5 11.3 6.7 17.1 48.0 36.5 59.2 41.7 26.4 20.9 13.0 29.1
bm25-generated|BM25-generated|14.7 5.1 23.6 4.6 40.3 8.3 5.2 10.8 31.0 21.5 41.1 5.2 57.5 8.6 6.6 10.7
bi-encoder|Specter2 (no finetuning)|14.0 7.6 22.4 8.1 14.4 10.3 6.6 14.7 42.3 31.4 53.2 22.2 29.0 13.0 7.0 18.9
bi-encoder|Specter2 bi-encoder|19.6 12.8 27.0 17.0 29.3 21.5 16.0 27.4 40.2 31.4 49.6 34.6 38.1 22.6 17.1 28.3
bi-encoder|DeBERTa bi-encoder|3.1 0.0 8.6 9.9 12.2 10.8 6.0 18.3 42.8 31.5 54.2 52.4 22.0 18.6 11.0 26.1
cross-encoder|LinkBERT cross-encoder|2.8 0.5 8.4 10.1 28.4 14.4 9.2 20.6 41.0 30.3 51.7 14.7 40.8 12.9 9.8 16.2
cross-encoder|DeBERTa cross-encoder|8.5 5.2 12.5 7.4 25.6 10.0 6.8 13.5 42.6 33.3 52.3 13.2 40.4 10.7 8.1 13.4
llm-pairwise|GPT-4 cross-encoder 0-shot|38.7 27.8 51.9 - - - - - 50.8 40.9 60.9 - - - - -
llm-pairwise-1-shot|GPT-4 cross-encoder 1-shot|42.1 31.5 54.2 - - - - - 57.0 47.2 66.5 - - - - -
llm-multi-edit|GPT-4 multi-edit|36.2 22.0 53.4 24.2 30.4 27.0 18.2 39.4 50.6 40.5 60.8 31.6 28.2 26.3 19.4 33.2
random|Random|5.5 3.9 7.9 1.5 1.7 1.6 0.8 2.7 20.2 13.7 26.9 10.2 17.6 4.9 1.8 8.1
human|Human|70.6 52.0 83.4 65.6 76.8 70.7 54.9 81.0 75.4 66.8 84.0 84.0 69.2 67.0 58.4 76.0"""


def _printed(table: str, names: Sequence[str]) -> tuple[tuple[str, str, dict[str, float]], ...]:
    return tuple(
        (strategy, title, {name: float(n) / 100 for name, n in zip(names, cells.split(), strict=True) if n != "-"})
        for strategy, title, cells in (line.split("|") for line in table.splitlines())
    )


TABLE_2 = _printed(_TABLE_2, MEASURES)
"""ARIES, Table 2: strategy, title as printed, figures from 0 to 1."""
PUBLISHED: dict[str, dict[str, float]] = {
    name: figures for name, _, figures in sorted(TABLE_2, key=lambda one: one[2].get("f1", 0.0))
}
"""The best entry of Table 2 for each strategy by micro-F1: fine-tuned Specter2 as bi-encoder, LinkBERT as
cross-encoder."""
TABLE_3 = {
    "GPT-4": {"direct": 0.404, "indirect": 0.282, "3": 0.395, "<3": 0.301},
    "Human": {"direct": 0.786, "indirect": 0.613, "3": 0.715, "<3": 0.773},
}
"""ARIES, Table 3 (section 5.4): micro-F1 by the comment's directness and the edits' compliance; GPT-4 is multi-edit."""


_TABLE_8 = """\
bm25|BM25|5.0 3.5 4.1 57.9 43.7 26.2
bi-encoder|Specter2 no-finetune|3.5 22.8 6.1 15.1 54.4 16.7
bi-encoder|Specter2|3.0 13.5 4.8 24.6 45.8 14.8
bi-encoder|DeBERTa|0.4 0.6 0.5 51.0 40.6 22.4
cross-encoder|LinkBERT|1.4 0.6 0.8 54.9 40.9 22.4
cross-encoder|DeBERTa|2.3 7.6 3.0 39.6 43.8 16.9"""
SOURCE_MEASURES = ("precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1")
TABLE_8 = _printed(_TABLE_8, SOURCE_MEASURES)
"""ARIES, Table 8 (appendix G): finding the paragraph that a comment asks to change, among the changed ones."""


def source_papers(papers: Sequence[AnnotatedPaper]) -> tuple[AnnotatedPaper, ...]:
    """Returns the papers with edits reduced to their source paragraphs, without new paragraphs (ARIES, appendix G)."""
    found = []
    for paper in papers:
        texts = {c: text for c in paper.candidates if (text := pre_revision(c))}
        keys = {c.edit_id for c in texts}
        seen = tuple(Candidate(c.edit_id, text, "", "", text, c.section) for c, text in texts.items())
        found.append(
            replace(
                paper,
                candidates=seen,
                positives=tuple(own & keys for own in paper.positives),
                unknown=tuple(own & keys for own in paper.unknown),
                sources=(),
                whole=(),
            )
        )
    return tuple(found)


def silver_rows(papers: Sequence[AnnotatedPaper]) -> list[dict[str, Any]]:
    """Returns precision and recall of silver labels against the gold links, by kind."""
    labels, gold, unknown = [], set(), set()
    for paper in papers:
        review = "\n\n".join(dict.fromkeys(query.context or query.comment for query in paper.queries))
        for label in silver_labels(paper.queries, paper.candidates, review=review, letter=paper.letter):
            # Comment ids are only unique within a paper.
            labels.append(replace(label, comment_id=f"{paper.id}/{label.comment_id}"))
        known = paper.known
        for row, query in enumerate(paper.queries):
            for column, candidate in enumerate(paper.candidates):
                pair = (f"{paper.id}/{query.comment_id}", candidate.edit_id)
                if not known[row, column]:
                    unknown.add(pair)
                elif candidate.edit_id in paper.positives[row]:
                    gold.add(pair)
    return [asdict(found) for found in quality(labels, gold, unknown)]


@dataclass(frozen=True, slots=True)
class SilverQuality:
    """Agreement of a kind of label with gold links: precision over pairs that the gold data decide, recall over all
    gold links."""

    kind: SilverKind | Literal["all"]
    labels: int
    precision: float
    recall: float


def quality(
    labels: Sequence[SilverLabel], gold: Collection[tuple[str, str]], unknown: Collection[tuple[str, str]] = ()
) -> tuple[SilverQuality, ...]:
    """Returns the quality of each kind, and of all together. ``gold`` and ``unknown`` are (comment, edit) pairs."""
    found = []
    for kind in (*KINDS, None):
        pairs = {(label.comment_id, label.edit_id) for label in labels if kind in (None, label.kind)}
        judged = pairs - set(unknown)
        right = len(judged & set(gold))
        shares = (right / len(side) if side else 0.0 for side in (judged, gold))
        found.append(SilverQuality(kind or "all", len(pairs), *shares))
    return tuple(found)


def measure_sources(papers: Sequence[AnnotatedPaper], embedder: Embedder) -> dict[str, float]:
    """Measures how well the paragraphs that edits change are found, over comments whose edits touch existing ones: the
    share with a correct one first, among the first three and five, recall at 5, and the mean of 1 / rank of the first
    correct one. ``paragraphs`` is the mean number to choose from."""
    ranks: list[list[int]] = []
    sizes: list[int] = []
    for paper in papers:
        paragraphs = [SourceParagraph(*paragraph) for paragraph in paper.paragraphs if paragraph[2].strip()]
        place = {paragraph.id: at for at, paragraph in enumerate(paragraphs)}
        # A paper may lack the ids of source paragraphs.
        sources = dict(zip((c.edit_id for c in paper.candidates), paper.sources, strict=False))
        scores = source_scores(paper.queries, paragraphs, embedder)
        for row, positives in enumerate(paper.positives):
            right = {place[key] for edit in positives for key in sources.get(edit, ()) if key in place}
            if right:
                order = np.argsort(-scores[row], kind="stable").tolist()
                ranks.append(sorted(order.index(at) for at in right))
                sizes.append(len(paragraphs))
    first = np.array([own[0] for own in ranks])
    values: dict[str, npt.ArrayLike] = {
        "paragraphs": sizes,
        **{f"hit_at_{most}": first < most for most in (1, 3, 5)},
        "recall_at_5": [sum(at < 5 for at in own) / len(own) for own in ranks],
        "reciprocal_rank": 1.0 / (first + 1),
    }
    return {
        "comments": len(ranks),
        **{name: float(np.asarray(of).mean()) if ranks else 0.0 for name, of in values.items()},
    }
