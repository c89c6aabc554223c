"""Agreement of two annotators who link comments to edits.

**Which pairs count.** Every pair of a request that both decided on and a candidate edit of that paper. A request is a
comment that came from a file, or two comments that the annotators marked over each other. An annotator decided on a
comment when they gave it a state or linked an edit; a comment that one of them left out is missing, not "no edit", and
``Figures.left_out`` counts it. Pairs of one comment are resampled together, since they depend on each other.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.agreement.records import Agreement, Disagreement, Figures, Marked, Measure, PairedComment, PaperWork, Work
from engine.measures import annotators, bootstrap
from engine.measures.annotators import nominal_kappa
from engine.measures.estimate import Estimate, supported

Floats = NDArray[np.float64]
UNDECIDED = "undecided"


def agreement(papers: Sequence[PaperWork]) -> Agreement:
    """Returns all measures with intervals, per paper and overall, and all comments on which the two differ."""
    tables = [_tables(paper) for paper in papers]
    names = (papers[0].first.name, papers[0].second.name) if papers else ("", "")
    return Agreement(
        *names,
        overall=_figures("All papers", "", tables),
        papers=tuple(
            _figures(paper.title, paper.paper_id, [table]) for paper, table in zip(papers, tables, strict=True)
        ),
        disagreements=tuple(found for paper in papers for found in disagreements(paper)),
    )


def requests(paper: PaperWork) -> tuple[PairedComment, ...]:
    """Returns the comments that both could decide on: imported ones, then those whose markings overlap."""
    shared = tuple(PairedComment(comment, comment) for comment in paper.comments)
    return shared + pair_comments(paper.first.marked, paper.second.marked, dict(paper.texts))


def disagreements(paper: PaperWork) -> tuple[Disagreement, ...]:
    """Returns, in order, the comments that both decided on differently."""
    found = []
    first, second = _Sight(paper.first), _Sight(paper.second)
    order = {edit: at for at, edit in enumerate(paper.edits)}

    def place(edit: str) -> int:
        return order.get(edit, len(order))

    for pair in requests(paper):
        if not (first.decided(pair.first_id) and second.decided(pair.second_id)):
            continue
        one, two = first.edits(pair.first_id), second.edits(pair.second_id)
        states = first.state(pair.first_id), second.state(pair.second_id)
        if one == two and states[0] == states[1]:
            continue
        agreed, only_one, only_two = (tuple(sorted(own, key=place)) for own in (one & two, one - two, two - one))
        found.append(Disagreement(paper.paper_id, paper.revision_id, pair, agreed, only_one, only_two, *states))
    return tuple(found)


class _Sight:
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
    """The counts of one paper, one row per comment, so that papers are combined by concatenating rows."""

    def __init__(self) -> None:
        self.pairs: list[Floats] = []
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
            found.pairs.append(np.array([[both, only_one], [only_two, neither]], dtype=np.float64))
            found.states.append((first.state(pair.first_id), second.state(pair.second_id)))
        else:
            found.left_out += 1
    texts = dict(paper.texts)
    if paper.first.marked or paper.second.marked:
        found.overlaps = overlapping(paper.first.marked, paper.second.marked, texts)
        found.jaccards = [p.jaccard for p in pair_comments(paper.first.marked, paper.second.marked, texts)]
    return found


def _figures(title: str, paper_id: str, tables: Sequence[_Tables]) -> Figures:
    counts = [counts for table in tables for counts in table.pairs]
    pairs = np.stack(counts) if counts else np.zeros((0, 2, 2))
    # Each unit has two labels, so each pair of labels counts in both directions.
    coincidences = pairs + pairs.transpose(0, 2, 1)
    states = [state for table in tables for state in table.states]
    overlaps = np.array([met for table in tables for met in table.overlaps], dtype=np.float64)
    jaccards = np.array([value for table in tables for value in table.jaccards], dtype=np.float64)
    n = int(pairs.sum())
    estimates: dict[Measure, Estimate] = {
        "kappa": supported(bootstrap.estimate(pairs, annotators.kappa, n=n), len(pairs)),
        "percent": bootstrap.estimate(pairs, annotators.percent, n=n),
        "ac1": supported(bootstrap.estimate(pairs, annotators.ac1, n=n), len(pairs)),
        "alpha": supported(bootstrap.estimate(coincidences, annotators.alpha, n=n), len(pairs)),
        "states": nominal_kappa(states),
        "overlap": bootstrap.mean(overlaps),
        "jaccard": bootstrap.mean(jaccards),
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


# --- comments of two annotators that overlap ------------------------------------------------------------------------
_TOKEN = re.compile(r"\w+")


def tokens_of(marked: Marked, texts: Mapping[str, str]) -> frozenset[int]:
    """Returns the offsets, in the source text, of the words of which at least one character is marked."""
    words = _words(texts.get(marked.source_id, ""))
    found: set[int] = set()
    for start, end in marked.spans:
        at = bisect_right(words, (start, start))
        if at and words[at - 1][1] > start:
            at -= 1  # the span begins inside a word, which then counts
        while at < len(words) and words[at][0] < end:
            found.add(words[at][0])
            at += 1
    return frozenset(found)


@lru_cache(maxsize=64)
def _words(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(match.span() for match in _TOKEN.finditer(text))


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """Returns shared words divided by all words of both, 0..1; 0 if neither has a word."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def pair_comments(
    first: Sequence[Marked], second: Sequence[Marked], texts: Mapping[str, str]
) -> tuple[PairedComment, ...]:
    """Pairs overlapping comments, each at most once, starting with the pair with the highest Jaccard index."""
    one = [(m, tokens_of(m, texts)) for m in first]
    two = [(m, tokens_of(m, texts)) for m in second]
    scored = [
        (jaccard(a, b), i, j)
        for i, (m, a) in enumerate(one)
        for j, (o, b) in enumerate(two)
        if m.source_id == o.source_id and a & b
    ]
    taken: tuple[set[int], set[int]] = (set(), set())
    found = []
    for value, i, j in sorted(scored, key=lambda entry: (-entry[0], entry[1], entry[2])):
        if i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            found.append((i, PairedComment(one[i][0].comment_id, two[j][0].comment_id, value)))
    return tuple(pair for _, pair in sorted(found, key=lambda entry: entry[0]))


def overlapping(first: Sequence[Marked], second: Sequence[Marked], texts: Mapping[str, str]) -> list[bool]:
    """Returns, for each comment of both (the first's, then the second's), whether the other marked any of its words."""
    one = [(m.source_id, tokens_of(m, texts)) for m in first]
    two = [(m.source_id, tokens_of(m, texts)) for m in second]

    def met(mine: tuple[str, frozenset[int]], others: Sequence[tuple[str, frozenset[int]]]) -> bool:
        return any(source == mine[0] and words & mine[1] for source, words in others)

    return [met(m, two) for m in one] + [met(m, one) for m in two]
