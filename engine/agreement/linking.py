"""What two annotators agree on when they link comments to edits.

**Which pairs count.** Every pair of a request that both decided on and a candidate edit of that paper. A request is a
comment that came from a file, or two comments that the annotators marked over each other. An annotator decided on a
comment when they gave it a state or linked an edit; a comment that one of them left out is missing, not "no edit", and
``Figures.left_out`` counts it. Pairs of one comment are resampled together, since they depend on each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.agreement.records import (
    Agreement,
    Disagreement,
    Figures,
    Measure,
    PairedComment,
    PaperWork,
    Work,
)
from engine.agreement.spans import overlapping, pair_comments
from engine.measures import bootstrap, coefficients
from engine.measures.estimate import Estimate
from engine.measures.nominal import nominal_kappa

Floats = NDArray[np.float64]
UNDECIDED = "undecided"


def agreement(papers: Sequence[PaperWork], *, seed: int = bootstrap.SEED) -> Agreement:
    """All measures with intervals, per paper and over all papers, and every comment on which the two differ."""
    tables = [_tables(paper) for paper in papers]
    names = (papers[0].first.name, papers[0].second.name) if papers else ("", "")
    return Agreement(
        *names,
        overall=_figures("All papers", "", tables, seed),
        papers=tuple(
            _figures(paper.title, paper.paper_id, [table], seed) for paper, table in zip(papers, tables, strict=True)
        ),
        disagreements=tuple(found for paper in papers for found in disagreements(paper)),
    )


def requests(paper: PaperWork) -> tuple[PairedComment, ...]:
    """The comments that both could decide on: those of files, then those that they marked over each other."""
    shared = tuple(PairedComment(comment, comment) for comment in paper.comments)
    return shared + pair_comments(paper.first.marked, paper.second.marked, dict(paper.texts))


def disagreements(paper: PaperWork) -> tuple[Disagreement, ...]:
    """The comments on which both decided, and differently, in order."""
    found = []
    first, second = _Sight(paper.first), _Sight(paper.second)
    order = {edit: at for at, edit in enumerate(paper.edits)}
    for pair in requests(paper):
        if not (first.decided(pair.first_id) and second.decided(pair.second_id)):
            continue
        one, two = first.edits(pair.first_id), second.edits(pair.second_id)
        states = first.state(pair.first_id), second.state(pair.second_id)
        if one == two and states[0] == states[1]:
            continue

        def listed(edits: set[str]) -> tuple[str, ...]:
            return tuple(sorted(edits, key=lambda edit: order.get(edit, len(order))))

        found.append(
            Disagreement(
                paper.paper_id,
                paper.revision_id,
                pair,
                listed(one & two),
                listed(one - two),
                listed(two - one),
                *states,
            )
        )
    return tuple(found)


class _Sight:
    """An annotator's work, to be asked about comments."""

    def __init__(self, work: Work) -> None:
        self._states = dict(work.states)
        self._edits: dict[str, set[str]] = {}
        for comment, edit in work.links:
            self._edits.setdefault(comment, set()).add(edit)

    def edits(self, comment_id: str) -> set[str]:
        return self._edits.get(comment_id, set())

    def state(self, comment_id: str) -> str:
        return self._states.get(comment_id, UNDECIDED)

    def decided(self, comment_id: str) -> bool:
        return self.state(comment_id) != UNDECIDED or bool(self.edits(comment_id))


class _Tables:
    """What one paper contributes: a row for each comment, so that papers are put together by joining rows."""

    def __init__(self) -> None:
        self.pairs: list[Floats] = []
        self.coincidences: list[Floats] = []
        self.states: list[tuple[str, str]] = []
        self.overlaps: list[bool] = []
        self.jaccards: list[float] = []
        self.left_out = 0


def _tables(paper: PaperWork) -> _Tables:
    found = _Tables()
    first, second = _Sight(paper.first), _Sight(paper.second)
    candidates = set(paper.edits)
    for pair in requests(paper):
        seen = first.decided(pair.first_id), second.decided(pair.second_id)
        if not any(seen):
            continue
        one, two = first.edits(pair.first_id) & candidates, second.edits(pair.second_id) & candidates
        both, only_one, only_two = len(one & two), len(one - two), len(two - one)
        neither = len(candidates) - both - only_one - only_two
        if all(seen):
            counts = np.array([[both, only_one], [only_two, neither]], dtype=np.float64)
            found.pairs.append(counts)
            # Two labels a unit: each pair of labels counts in both directions.
            found.coincidences.append(counts + counts.T)
            found.states.append((first.state(pair.first_id), second.state(pair.second_id)))
        else:
            found.left_out += 1
    texts = dict(paper.texts)
    if paper.first.marked or paper.second.marked:
        found.overlaps = overlapping(paper.first.marked, paper.second.marked, texts)
        found.jaccards = [p.jaccard for p in pair_comments(paper.first.marked, paper.second.marked, texts)]
    return found


def _figures(title: str, paper_id: str, tables: Sequence[_Tables], seed: int) -> Figures:
    pairs = _stacked([counts for table in tables for counts in table.pairs])
    coincidences = _stacked([counts for table in tables for counts in table.coincidences])
    states = [state for table in tables for state in table.states]
    overlaps = np.array([met for table in tables for met in table.overlaps], dtype=np.float64)
    jaccards = np.array([value for table in tables for value in table.jaccards], dtype=np.float64)
    n = int(pairs.sum())
    estimates: dict[Measure, Estimate] = {
        "kappa": bootstrap.estimate(pairs, coefficients.kappa, n=n, seed=seed),
        "percent": bootstrap.estimate(pairs, coefficients.percent, n=n, seed=seed),
        "ac1": bootstrap.estimate(pairs, coefficients.ac1, n=n, seed=seed),
        "alpha": bootstrap.estimate(coincidences, coefficients.alpha, n=n, seed=seed),
        "states": nominal_kappa(states, seed),
        "overlap": bootstrap.mean(overlaps, seed=seed),
        "jaccard": bootstrap.mean(jaccards, seed=seed),
    }
    (both, one), (two, neither) = pairs.sum(0).astype(int).tolist() if len(pairs) else ((0, 0), (0, 0))
    return Figures(
        title,
        paper_id,
        estimates,
        ((both, one), (two, neither)),
        dict(Counter(states)),
        len(pairs),
        sum(table.left_out for table in tables),
    )


def _stacked(rows: Sequence[Floats]) -> Floats:
    return np.stack(rows) if rows else np.zeros((0, 2, 2))
