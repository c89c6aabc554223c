"""All aligners on the same annotated papers: the rows of ``rejoinder reproduce alignment``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from engine.errors import BadInput
from engine.exchange.io import read_table
from engine.models import Embedder
from engine.research.alignment.evaluation import (
    AnnotatedPaper,
    Judged,
    Measures,
    gather,
    leave_one_out,
    measure,
    score_matrix,
    with_threshold_of_others,
)
from engine.revision.aligners import STRATEGIES, Means, make_aligner
from engine.revision.aligners.selection import likely
from engine.revision.records import SilverKind, SilverLabel
from engine.revision.silver import KINDS, silver_labels
from engine.revision.source_alignment import SourceParagraph, source_scores

BY_THEIR_OWN = frozenset({"random", "human", "llm-pairwise", "llm-pairwise-1-shot", "llm-multi-edit"})
"""Strategies that say yes or no by themselves; all others are linked at the threshold that is best on the others."""
WITHOUT_RESPONSES = frozenset({"random", "bm25-generated", "human"})
"""Strategies that read no response."""


@dataclass(frozen=True, slots=True)
class Row:
    """A strategy's measures. ``note`` says what is particular about it; ``least_characters`` as in ``Strategy``."""

    strategy: str
    title: str
    use_responses: bool
    least_characters: int
    measures: Measures
    note: str = ""


@dataclass(frozen=True, slots=True)
class FilterRow:
    """What the BM25 filter keeps: share of the true pairs, and of all pairs."""

    use_responses: bool
    recall: float
    kept: float


def runnable(means: Means) -> tuple[str, ...]:
    """The strategies for which all that they need is there."""
    return tuple(entry.id for entry in STRATEGIES.values() if not any(means.lacks(need) for need in entry.needs))


def compare_strategies(
    papers: Sequence[AnnotatedPaper],
    means: Means,
    strategies: Sequence[str] | None = None,
    *,
    least_characters: int | None = None,
    progress: Callable[[str], None] = lambda _words: None,
) -> Iterator[Row]:
    """A row for every strategy, without and with responses, each paper judged with what the others taught.

    ``strategies`` None takes all that can run. With ``least_characters`` None the fused aligner is measured a second
    time without the edits that ARIES leaves out.
    """
    have_responses = any(query.response.strip() for paper in papers for query in paper.queries)
    for name in strategies or runnable(means):
        entry = STRATEGIES[name]
        for use_responses in (False, True) if have_responses and name not in WITHOUT_RESPONSES else (False,):
            progress(f"{entry.title}{', with responses' if use_responses else ''}")
            least = entry.least_characters if least_characters is None else least_characters
            asked = replace(means, use_responses=use_responses)
            yield _row(papers, asked, name, least)
            if name == "fused" and least_characters is None:
                yield _row(papers, asked, name, 100, "without edits under 100 characters, as in ARIES")


def _row(papers: Sequence[AnnotatedPaper], means: Means, name: str, least: int, note: str = "") -> Row:
    if name == "fused" and len(papers) > 1:
        judged = _fused(papers, means, least)
        note = note or "weights and threshold fitted on the other papers"
    else:
        aligner = make_aligner(name, means=means, least_characters=least)
        found = [score_matrix(aligner, paper) for paper in papers]
        if name in BY_THEIR_OWN:
            judged = tuple(Judged(p, scores, said) for p, (scores, said) in zip(papers, found, strict=True))
        else:
            judged = with_threshold_of_others(papers, [scores for scores, _ in found])
    return Row(name, STRATEGIES[name].title, means.use_responses, least, measure(judged), note)


def _fused(papers: Sequence[AnnotatedPaper], means: Means, least: int) -> tuple[Judged, ...]:
    assert means.embedder is not None
    gathered = [gather(paper, means.embedder) for paper in papers]
    judged = leave_one_out(gathered, use_responses=means.use_responses)
    if least <= 0:
        return judged
    return tuple(Judged(j.paper, np.where(j.paper.short, -np.inf, j.scores), j.said & ~j.paper.short) for j in judged)


def filter_rows(papers: Sequence[AnnotatedPaper]) -> tuple[FilterRow, ...]:
    """How much the high-recall BM25 filter keeps, without and with responses."""
    rows = []
    for use_responses in (False, True):
        masks = [likely(paper.queries, paper.candidates, use_responses=use_responses) for paper in papers]
        true = sum(int((paper.gold & paper.known).sum()) for paper in papers)
        found = sum(int((mask & paper.gold & paper.known).sum()) for mask, paper in zip(masks, papers, strict=True))
        pairs, kept = (int(sum(count)) for count in ((m.size for m in masks), (m.sum() for m in masks)))
        rows.append(FilterRow(use_responses, found / true if true else 0.0, kept / pairs if pairs else 0.0))
    return tuple(rows)


def row_fields(row: Row) -> dict[str, Any]:
    """A row as the command prints it."""
    about = {"strategy": row.strategy, "title": row.title, "responses": row.use_responses}
    return about | {"least_characters": row.least_characters} | asdict(row.measures) | {"note": row.note}


def extras(papers: Sequence[AnnotatedPaper], embedder: Embedder) -> dict[str, Any]:
    """What is said beside the rows: the papers, the BM25 filter, silver labels, and source paragraphs."""
    return {
        "papers": [
            {
                "paper": paper.id,
                "comments": len(paper.queries),
                "edits": len(paper.candidates),
                "links": int((paper.gold & paper.known).sum()),
            }
            for paper in papers
        ],
        "filter": [
            {"responses": row.use_responses, "recall": row.recall, "kept": row.kept} for row in filter_rows(papers)
        ],
        "silver": silver_rows(papers),
        "source_alignment": asdict(measure_sources(papers, embedder)),
    }


MEASURES = ("f1", "precision", "recall", "macro_f1", "macro_precision", "macro_recall", "addition_f1")
"""What a table of published figures may hold; names as in the rows."""


_TABLE_2 = """\
bm25 11.3 12.2 10.5 20.9 41.7 26.4 13.3
bm25-generated 8.3 4.6 40.3 8.6 5.2 57.5 14.7
bi-encoder 21.5 17.0 29.3 22.6 34.6 38.1 19.6
cross-encoder 14.4 10.1 28.4 12.9 14.7 40.8 2.8
llm-pairwise - - - - - - 38.7
llm-pairwise-1-shot - - - - - - 42.1
llm-multi-edit 27.0 24.2 30.4 26.3 31.6 28.2 36.2
random 1.6 1.5 1.7 4.9 10.2 17.6 5.5
human 70.7 65.6 76.8 67.0 84.0 69.2 70.6"""
PUBLISHED: dict[str, dict[str, float]] = {
    name: {measure: float(cell) / 100 for measure, cell in zip(MEASURES, cells, strict=True) if cell != "-"}
    for name, *cells in map(str.split, _TABLE_2.splitlines())
}
"""ARIES, Table 2, of each kind of model the best: SPECTER2 as bi-encoder, LinkBERT as cross-encoder, GPT-4."""


def read_published(path: Path) -> dict[str, dict[str, float]]:
    """By strategy the published figures of a table (CSV, in percent), 0 to 1; cells may be empty.

    Raises BadInput for an unknown strategy or measure, and for what is no percentage.
    """
    table = read_table(path)
    unknown = [name for name in table.columns if name not in ("strategy", *MEASURES)]
    if "strategy" not in table.columns or unknown:
        wrong = f"has a column “{unknown[0]}”" if unknown else "has no column “strategy”"
        raise BadInput(
            f"{path.name} {wrong}.", "Nothing was computed.", f"Columns are strategy, {', '.join(MEASURES)}."
        )
    found: dict[str, dict[str, float]] = {}
    for number, record in table.records():
        name = record.pop("strategy").strip()
        if name not in STRATEGIES:
            known = f"Choose of {', '.join(STRATEGIES)}."
            raise BadInput(
                f"{path.name}, line {number}: there is no strategy “{name}”.", "Nothing was computed.", known
            )
        found[name] = {
            measure: _percentage(cell.strip(), f"{path.name}, line {number}")
            for measure, cell in record.items()
            if cell.strip()
        }
    return found


def _percentage(cell: str, place: str) -> float:
    try:
        value = float(cell.removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 100.0:
        raise BadInput(f"{place}: “{cell}” is no percentage.", "Nothing was computed.")
    return value / 100.0


def silver_rows(papers: Sequence[AnnotatedPaper]) -> list[dict[str, Any]]:
    """Precision and recall of silver labels against the gold links, by kind."""
    labels, gold, unknown = [], set(), set()
    for paper in papers:
        review = "\n\n".join(dict.fromkeys(query.context or query.comment for query in paper.queries))
        for label in silver_labels(paper.queries, paper.candidates, review=review, letter=paper.letter):
            # Ids of comments are unique within a paper only.
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
    """How the labels of a kind agree with gold links: precision over those that gold knows, recall over all gold."""

    kind: SilverKind | Literal["all"]
    labels: int
    precision: float
    recall: float


def quality(
    labels: Sequence[SilverLabel], gold: Collection[tuple[str, str]], unknown: Collection[tuple[str, str]] = ()
) -> tuple[SilverQuality, ...]:
    """For each kind, and for all together. ``gold`` and ``unknown`` are pairs of comment and edit."""
    found = []
    for kind in (*KINDS, None):
        pairs = {(label.comment_id, label.edit_id) for label in labels if kind in (None, label.kind)}
        judged = pairs - set(unknown)
        right = len(judged & set(gold))
        shares = (right / len(side) if side else 0.0 for side in (judged, gold))
        found.append(SilverQuality(kind or "all", len(pairs), *shares))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class SourceMeasures:
    """Over the comments whose edits touch paragraphs that stood there: share with a right one first, among the first
    three and five, recall at 5, and the mean of 1 / rank of the first right one.
    """

    comments: int
    paragraphs: float
    hit_at_1: float
    hit_at_3: float
    hit_at_5: float
    recall_at_5: float
    reciprocal_rank: float


def measure_sources(papers: Sequence[AnnotatedPaper], embedder: Embedder) -> SourceMeasures:
    """How well the right paragraphs are found; ``paragraphs`` is the mean number to choose from."""
    ranks: list[list[int]] = []
    sizes: list[int] = []
    for paper in papers:
        paragraphs = [SourceParagraph(*paragraph) for paragraph in paper.paragraphs if paragraph[2].strip()]
        place = {paragraph.id: at for at, paragraph in enumerate(paragraphs)}
        # A paper may come without the ids of source paragraphs.
        sources = dict(zip((c.edit_id for c in paper.candidates), paper.sources, strict=False))
        scores = source_scores(paper.queries, paragraphs, embedder)
        for row, positives in enumerate(paper.positives):
            right = {place[key] for edit in positives for key in sources.get(edit, ()) if key in place}
            if right:
                order = np.argsort(-scores[row], kind="stable").tolist()
                ranks.append(sorted(order.index(at) for at in right))
                sizes.append(len(paragraphs))
    if not ranks:
        return SourceMeasures(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    first = np.array([own[0] for own in ranks])
    return SourceMeasures(
        comments=len(ranks),
        paragraphs=float(np.mean(sizes)),
        hit_at_1=float((first < 1).mean()),
        hit_at_3=float((first < 3).mean()),
        hit_at_5=float((first < 5).mean()),
        recall_at_5=float(np.mean([sum(at < 5 for at in own) / len(own) for own in ranks])),
        reciprocal_rank=float((1.0 / (first + 1)).mean()),
    )
