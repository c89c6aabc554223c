"""Evidence that a rebuttal sentence answers a review sentence: words, quotations, numbering, position.

Computed for all pairs of two texts at once, as an array (rebuttal sentences, review sentences, kinds of evidence).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.jobs import QuietReport, Report
from engine.models import Embedder
from engine.reviews.cues import sentence_role
from engine.revision.aligners.lexical import bm25, plain, stems, weights

Floats = NDArray[np.float64]

RUN = 3
"""Length in words of the runs that a quotation is matched by."""
_ANCHOR = 0.5
"""Share of a sentence's runs from which it counts as quoted."""

_LABEL = re.compile(
    r"^[\s*_#>\"“'(\[]*(?:(?:re(?:sponse|ply)?(?: to)?|answer|ans|question|comment|point|concern|issue|weakness|minor|"
    r"major|con|[QARCW])[\s.:#-]*)*(?P<number>\d{1,2})(?:[.:)\]\-–—]|\s*[.:)]|(?=\s))",
    re.IGNORECASE,
)
_HEADING = re.compile(r"[:：]\W*$|^[\s>]*[*_#]{1,3}\S.*[*_#]\W*$")
_QUOTING = re.compile(r"^\s*(?:>|[“\"«]|[*_]{1,2}[“\"]|Q\d*[.:)]|\[?(?:comment|question|concern)\b)", re.IGNORECASE)

_OPENING_SIGNS = {
    "numbered": _LABEL,
    "heading": _HEADING,
    "quoting": _QUOTING,
    "answers": re.compile(r"^\W*(?:(?:our|author) )?(?:A\d*|answer|ans|response|reply|re)\b", re.IGNORECASE),
    "bullet": re.compile(r"^\s*[-•*—–]"),
    "goes_on": re.compile(
        r"^\W*(?:this|these|that|those|it|they|however|therefore|thus|hence|also|moreover|furthermore|in addition|"
        r"additionally|specifically|for example|for instance|note|indeed|in particular|as|such|because|so|but|and|then|"
        r"consequently|similarly|besides|while|although)\b",
        re.IGNORECASE,
    ),
    "thanks": re.compile(r"thank|appreciat|grateful", re.IGNORECASE),
    "reference": re.compile(r"^\W*\[\d+\]"),
    "addresses": re.compile(r"\b(?:reviewer|you|your|point|question|concern|comment|suggest)\b", re.IGNORECASE),
    "asks": re.compile(r"\?"),
    "colon": re.compile(r":$"),
}

ROLES = ("request", "criticism", "question", "praise", "summary", "verdict", "connective", "other")


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence and the white space after it, whose line breaks separate paragraphs."""

    text: str
    suffix: str = " "


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of the sentences of one text. ``paragraph``, ``label`` (n,): the numbers of the paragraph and of the
    latest list item, -1 before the first; ``first`` (n,): is the first in its paragraph."""

    paragraph: NDArray[np.int64]
    label: NDArray[np.int64]
    first: NDArray[np.bool_]


def layout(passages: Sequence[Passage]) -> Layout:
    """Returns the paragraphs and list numbers of a text."""
    paragraph, label, first = [], [], []
    number, current, starts = 0, -1, True
    for passage in passages:
        if starts and (found := _LABEL.match(passage.text)):
            current = int(found["number"])
        paragraph.append(number)
        label.append(current)
        first.append(starts)
        starts = "\n" in passage.suffix
        number += starts
    return Layout(np.array(paragraph, dtype=np.int64), np.array(label, dtype=np.int64), np.array(first, dtype=bool))


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one review and rebuttal.

    ``values`` (rebuttal, review, kinds), the kinds listed in ``names``; ``cosine``, ``words``, ``quoted`` (rebuttal,
    review): the three that can rank on their own, each 0..1 (cosine -1..1). ``opening`` (rebuttal, signs), listed in
    ``signs``: layout and wording of each rebuttal sentence. ``rebuttal``, ``review``: the layouts.
    """

    names: tuple[str, ...]
    values: NDArray[np.float32]
    cosine: Floats
    words: Floats
    quoted: Floats
    signs: tuple[str, ...]
    opening: Floats
    rebuttal: Layout
    review: Layout

    def of(self, name: str) -> Floats:
        """Returns one kind of evidence (rebuttal, review)."""
        return np.asarray(self.values[..., self.names.index(name)], dtype=np.float64)

    def sign(self, name: str) -> Floats:
        """Returns one sign of each rebuttal sentence (rebuttal,)."""
        return np.asarray(self.opening[:, self.signs.index(name)])

    @property
    def shape(self) -> tuple[int, int]:
        return self.cosine.shape[0], self.cosine.shape[1]


def gather(
    rebuttal: Sequence[Passage], review: Sequence[Passage], rebuttal_vectors: Floats, review_vectors: Floats
) -> Evidence:
    """Computes all evidence; the vectors (n, d) have unit length, one per sentence."""
    n, m = len(rebuttal), len(review)
    own, other = layout(rebuttal), layout(review)
    said, asked = [p.text for p in rebuttal], [p.text for p in review]
    cosine = np.asarray(rebuttal_vectors @ review_vectors.T, dtype=np.float64)
    raw = bm25(said, asked)
    words = raw / np.maximum(raw.max(1, keepdims=True), 1e-9)
    of_review, of_rebuttal = _shared(said, asked)
    quoted = np.maximum(of_review, np.where(_lengths(said)[:, None] >= 6, of_rebuttal, 0.0))
    telling = _telling(said, asked)

    blocks = _means(own.paragraph, n)
    block_vectors = _unit(blocks @ rebuttal_vectors)
    items = _means(other.paragraph, m)
    item_vectors = _unit(items @ review_vectors)
    block_text = [" ".join(said[k] for k in np.flatnonzero(own.paragraph == own.paragraph[i])) for i in range(n)]
    raw_block = bm25(block_text, asked)
    block_words = raw_block / np.maximum(raw_block.max(1, keepdims=True), 1e-9)
    anchor, since = _anchors(quoted)

    rows, columns = np.arange(n)[:, None], np.arange(m)[None, :]
    place = (rows + 0.5) / max(n, 1) - (columns + 0.5) / max(m, 1)
    roles = np.array([ROLES.index(sentence_role(text)) for text in asked], dtype=np.float64)
    whole = np.ones((n, m))
    same_label = (own.label[:, None] == other.label[None, :]) & (own.label[:, None] >= 0)
    features = {
        "cosine": cosine,
        "cosine_rank": _ranks(cosine),
        "words": words,
        "words_raw": np.log1p(raw),
        "of_review": of_review,
        "of_rebuttal": of_rebuttal,
        "telling": telling,
        "block_cosine": block_vectors @ review_vectors.T,
        "block_cosine_rank": _ranks(block_vectors @ review_vectors.T),
        "block_words": block_words,
        "block_quoted": best_over_paragraphs(quoted, own.paragraph),
        "block_best_cosine": best_over_paragraphs(cosine, own.paragraph),
        "item_cosine": rebuttal_vectors @ item_vectors.T,
        "block_item_cosine": block_vectors @ item_vectors.T,
        "item_quoted": best_over_paragraphs(quoted.T, other.paragraph).T,
        "anchored": anchor,
        "since_anchor": since[:, None] * whole,
        "same_label": same_label.astype(float),
        "label_difference": np.where(
            (own.label[:, None] >= 0) & (other.label[None, :] >= 0), own.label[:, None] - other.label[None, :], -99
        ).astype(float),
        "rebuttal_label": own.label[:, None] * whole,
        "review_label": other.label[None, :] * whole,
        "place": place,
        "distance": np.abs(place),
        "rebuttal_place": (rows + 0.5) / max(n, 1) * whole,
        "review_place": (columns + 0.5) / max(m, 1) * whole,
        "rebuttal_length": n * whole,
        "review_length": m * whole,
        "rebuttal_words": _lengths(said)[:, None] * whole,
        "review_words": _lengths(asked)[None, :] * whole,
        "review_role": roles[None, :] * whole,
        "review_question": np.array(["?" in text for text in asked], dtype=float)[None, :] * whole,
        "review_heading": np.array([bool(_HEADING.search(t)) for t in asked], dtype=float)[None, :] * whole,
        "review_first": other.first[None, :] * whole,
        "review_paragraph": other.paragraph[None, :] * whole,
        "rebuttal_heading": np.array([bool(_HEADING.search(t)) for t in said], dtype=float)[:, None] * whole,
        "rebuttal_quoting": np.array([bool(_QUOTING.match(t)) for t in said], dtype=float)[:, None] * whole,
        "rebuttal_first": own.first[:, None] * whole,
        "rebuttal_paragraph": own.paragraph[:, None] * whole,
        "best_cosine": cosine.max(1, initial=0.0)[:, None] * whole,
        "column_best_cosine": cosine.max(0, initial=0.0)[None, :] * whole,
        "best_quoted": quoted.max(1, initial=0.0)[:, None] * whole,
        "column_best_quoted": quoted.max(0, initial=0.0)[None, :] * whole,
    }
    for name, table in (("cosine", cosine), ("quoted", quoted), ("words", words)):
        for down, across in ((-1, 0), (1, 0), (-2, 0), (0, -1), (0, 1), (-1, -1), (1, 1)):
            features[f"{name}{down:+d}{across:+d}"] = shifted(table, down, across)
    values = np.stack([np.asarray(table, dtype=np.float32) for table in features.values()], axis=-1)
    signs = _openings(rebuttal, own, quoted.max(1, initial=0.0), cosine.max(1, initial=0.0), rebuttal_vectors)
    opening = np.column_stack([np.asarray(one, dtype=np.float64) for one in signs.values()])
    return Evidence(tuple(features), values, cosine, words, quoted, tuple(signs), opening, own, other)


def _openings(
    rebuttal: Sequence[Passage], own: Layout, quoted: Floats, cosine: Floats, vectors: Floats
) -> dict[str, Floats | NDArray[np.bool_]]:
    """Returns signs in layout and wording (n,) that a rebuttal sentence begins a new point. ``quoted`` and ``cosine``
    (n,) are the highest of each sentence."""
    texts = [passage.text for passage in rebuttal]
    n = len(texts)
    signs = {
        name: np.array([bool(pattern.search(text)) for text in texts], dtype=np.float64)
        for name, pattern in _OPENING_SIGNS.items()
    }
    breaks = np.array([passage.suffix.count("\n") for passage in rebuttal], dtype=np.float64)
    words = _lengths(texts)
    size = np.maximum([len(text) for text in texts], 1)
    rows = np.arange(n)
    ended = np.where(quoted >= _ANCHOR, rows, -1)
    last = np.maximum.accumulate(ended) if n else ended
    like = np.array([float(vectors[i] @ vectors[i - 1]) if i else 0.0 for i in range(n)])
    return {
        "breaks_before": _before(breaks, 3.0),
        "first": own.first,
        "numbered": signs["numbered"],
        "numbered_first": signs["numbered"] * own.first,
        "other_number": np.append(0.0, own.label[1:] != own.label[:-1])[:n],
        "heading": signs["heading"],
        "quoting": signs["quoting"],
        "after_heading": _before(signs["heading"]),
        "after_quoting": _before(signs["quoting"]),
        "answers": signs["answers"],
        "after_answers": _before(signs["answers"]),
        "quoted": quoted,
        "quoted_before": _before(quoted),
        "words": words,
        "words_before": _before(words),
        "digits": np.array([sum(map(str.isdigit, text)) for text in texts]) / size,
        "letters": np.array([sum(map(str.isalpha, text)) for text in texts]) / size,
        "bullet": signs["bullet"],
        "goes_on": signs["goes_on"],
        "thanks": signs["thanks"],
        "reference": signs["reference"],
        "addresses": signs["addresses"],
        "asks": signs["asks"],
        "asked_before": _before(signs["asks"]),
        "colon": signs["colon"],
        "colon_before": _before(signs["colon"]),
        "like_before": like,
        "best_cosine": cosine,
        "best_cosine_before": _before(cosine),
        "place": rows / max(n, 1),
        "length": np.full(n, float(n)),
        "breaks_after": breaks,
        "since_quoted": np.where(last >= 0, rows - last, -1),
        "short_line": (breaks > 0) & (words < 10),
    }


def _before(values: Floats, fill: float = 0.0) -> Floats:
    """Returns the value of the preceding sentence, ``fill`` for the first."""
    return np.append(fill, values[:-1])[: len(values)]


def shifted(table: Floats, down: int, across: int, fill: float = 0.0) -> Floats:
    """Returns the table (n, m) shifted: the value at (i + down, j + across), ``fill`` beyond its edges."""
    n, m = table.shape
    beside = [(max(-step, 0), max(step, 0)) for step in (down, across)]
    padded = np.pad(table, beside, constant_values=fill)
    return np.asarray(padded[max(down, 0) :, max(across, 0) :][:n, :m])


def over_paragraphs(table: Floats, paragraph: NDArray[np.int64]) -> Floats:
    """Replaces each row (n, m) by the mean of the rows of its paragraph."""
    return np.asarray(_means(paragraph, len(table)) @ table)


def best_over_paragraphs(table: Floats, paragraph: NDArray[np.int64]) -> Floats:
    """Replaces each row (n, m) by the maximum of the rows of its paragraph."""
    _, group = np.unique(paragraph, return_inverse=True)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    return np.asarray(np.maximum.reduceat(table, starts)[group]) if len(table) else table


def _shared(said: Sequence[str], asked: Sequence[str]) -> tuple[Floats, Floats]:
    """Returns the share of each review sentence's runs of words that occur in each rebuttal sentence, and vice
    versa."""
    own, other = [_runs(text) for text in said], [_runs(text) for text in asked]
    common = np.array([[len(a & b) for b in other] for a in own], dtype=float).reshape(len(own), len(other))
    return (
        common / np.maximum([len(b) for b in other], 1.0)[None, :],
        common / np.maximum([len(a) for a in own], 1.0)[:, None],
    )


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """Returns the runs of three words of a text; a shorter text is one run."""
    words = plain(text).split()
    if len(words) < RUN:
        return frozenset({tuple(words)} if words else ())
    return frozenset(zip(*(words[start:] for start in range(RUN)), strict=False))


def _telling(said: Sequence[str], asked: Sequence[str]) -> Floats:
    """Returns the share of each rebuttal sentence's stems, weighted by how distinctive they are in both texts, that a
    review sentence contains."""
    weight = weights([*said, *asked])
    own, other = [{s for s, _ in stems(t)} for t in said], [{s for s, _ in stems(t)} for t in asked]
    whole = np.array([sum(weight[s] for s in a) for a in own])
    common = np.array([[sum(weight[s] for s in a & b) for b in other] for a in own]).reshape(len(own), len(other))
    return np.asarray(common / np.maximum(whole, 1e-9)[:, None])


def _anchors(quoted: Floats) -> tuple[Floats, Floats]:
    """Returns what the latest block of quotations quotes, carried over to the sentences after it, and how many
    sentences ago it ended (-1 before the first)."""
    n = len(quoted)
    carried, since = np.zeros_like(quoted), np.full(n, -1.0)
    current = np.zeros(quoted.shape[1])
    last = -1
    for i in range(n):
        if quoted[i].max(initial=0.0) >= _ANCHOR:
            # Consecutive quotations form one block.
            current = np.maximum(current, quoted[i]) if last == i - 1 and last >= 0 else quoted[i].copy()
            last = i
        carried[i] = current
        since[i] = i - last if last >= 0 else -1.0
    # All sentences of a block of quotations get what the whole block quotes.
    for i in range(n - 2, -1, -1):
        if since[i] == 0 and since[i + 1] == 0:
            carried[i] = np.maximum(carried[i], carried[i + 1])
    return carried, since


def _means(groups: NDArray[np.int64], n: int) -> Floats:
    same = groups[:, None] == groups[None, :]
    return np.asarray(same / np.maximum(same.sum(1, keepdims=True), 1)).reshape(n, n)


def _ranks(table: Floats) -> Floats:
    """Returns the rank in each row, 0 best, divided by the row's length."""
    order = np.argsort(np.argsort(-table, axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(order / max(table.shape[1], 1), dtype=np.float64)


def _lengths(texts: Sequence[str]) -> Floats:
    return np.array([len(text.split()) for text in texts], dtype=np.float64)


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9))


# --- The ranker without training: combines the evidence of each pair along the text ----------------------------------
# A rebuttal mostly goes through a review from beginning to end and stays with a point for several sentences. So the
# review sentence being answered is the hidden state of a Markov chain along the rebuttal: it stays, moves on a little,
# seldom back, rarely elsewhere. The support of a pair is a weighted sum of evidence; the chain's posterior
# (forward-backward, Rabiner 1989, section III) carries a quotation over to the sentences after it. Neighbours of a
# likely sentence gain as well, since whole list items are answered. The constants are round numbers set by judgement,
# in log odds, and not fitted to any data set: annotated rebuttals may be used to measure, not for what ships.

STAY, ONWARD, BACK, ANYWHERE = 0.8, 0.15, 0.03, 0.02
"""Weights of the chain's steps; those onward and back fall by a factor of e every two sentences."""
_STEP = 2.0

WEIGHTS = {
    "cosine": 1.0, "words": 1.0, "block_cosine": 1.0, "block_words": 0.5, "item_cosine": 0.5, "block_item_cosine": 0.5,
    "telling": 1.0, "same_label": 1.0, "distance": -0.5,
}  # fmt: skip
QUOTED, ANCHORED, ANCHOR_FADES = 8.0, 1.0, 10.0
"""A full quotation; and what the latest quotation covers, which fades by a factor of e over so many sentences."""
BEGINNING, BEGINNING_ENDS = 0.5, 8.0
"""Reviews begin with a summary that rebuttals rarely answer."""
ROLE = {"request": 0.2, "criticism": 0.2, "question": 0.2, "praise": -0.5, "summary": -0.5, "verdict": -0.5,
        "connective": -0.5, "other": 0.0}  # fmt: skip
_OWN, _AROUND = 0.5, 1.0
_REACH, _SAME_ITEM = 4.0, 1.0


def rank_answers(evidence: Evidence) -> Floats:
    """Returns scores (rebuttal, review), higher for likelier answers; only their order within a row is meaningful."""
    said = support(evidence)
    found = posterior(said)
    m = found.shape[1]
    item = evidence.review.paragraph
    near = np.exp(-np.abs(np.arange(m)[:, None] - np.arange(m)[None, :]) / _REACH)
    near *= 1 + _SAME_ITEM * (item[:, None] == item[None, :])
    around = found @ (near / np.maximum(near.sum(1, keepdims=True), 1e-12))
    return np.asarray(np.log(found + 1e-6) + _OWN * said + _AROUND * np.log(around + 1e-4))


def chances(scores: Floats) -> Floats:
    """Converts scores (n, m) to shares of each row, 0..1 (softmax)."""
    if not scores.size:
        return scores
    found = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(found / found.sum(1, keepdims=True))


def support(evidence: Evidence) -> Floats:
    """Returns the support for each pair on its own (rebuttal, review), in log odds."""
    found = QUOTED * evidence.quoted
    for name, weight in WEIGHTS.items():
        found = found + weight * evidence.of(name)
    since = evidence.of("since_anchor")
    found += ANCHORED * evidence.of("anchored") * np.where(since >= 0, np.exp(-since / ANCHOR_FADES), 0.0)
    found -= BEGINNING * np.exp(-BEGINNING_ENDS * evidence.of("review_place"))
    return np.asarray(found + np.array([ROLE[role] for role in ROLES])[evidence.of("review_role").astype(int)])


def posterior(support: Floats) -> Floats:
    """Returns the probability of each review sentence being the one answered (rebuttal, review); rows sum to 1."""
    n, m = support.shape
    if not n or not m:
        return np.zeros((n, m))
    steps = np.arange(m)[None, :] - np.arange(m)[:, None]
    chain = np.full((m, m), ANYWHERE / m) + STAY * (steps == 0)
    chain += np.where(steps > 0, ONWARD * np.exp(-(np.maximum(steps, 1) - 1) / _STEP), 0.0)
    chain += np.where(steps < 0, BACK * np.exp(-(-np.minimum(steps, -1) - 1) / _STEP), 0.0)
    return read_along(support, chain / chain.sum(1, keepdims=True), np.ones(n))


def read_along(support: Floats, moves: Floats, begins: Floats) -> Floats:
    """Returns the probability of each review sentence being the one answered (rebuttal, review), rows sum to 1:
    forward-backward over a chain that moves by ``moves`` (review, review) with probability ``begins`` (rebuttal,), that
    a sentence begins a point, and otherwise stays."""
    n, m = support.shape
    seen = np.exp(support - support.max(1, keepdims=True))
    forward, backward = np.zeros((n, m)), np.ones((n, m))
    before = np.full(m, 1 / m)
    for i in range(n):
        if i:
            before = (1 - begins[i]) * forward[i - 1] + begins[i] * (forward[i - 1] @ moves)
        forward[i] = before * seen[i]
        forward[i] /= forward[i].sum()
    for i in range(n - 2, -1, -1):
        after = seen[i + 1] * backward[i + 1]
        backward[i] = (1 - begins[i + 1]) * after + begins[i + 1] * (moves @ after)
        backward[i] /= backward[i].sum()
    both = forward * backward
    return np.asarray(both / both.sum(1, keepdims=True))


# --- from scores to links: which review sentences count as answered ---------------------------------------------------
LEAST_SHARE = 0.4
"""A sentence also counts as answered if its share is at least this fraction of the likeliest one's."""
_MOST = 8


def link_answers(
    rebuttal: Sequence[Passage], review: Sequence[Passage], encoder: Embedder, report: Report = QuietReport()
) -> list[tuple[int, ...]]:
    """Returns for each rebuttal sentence the indices of the review sentences that it answers, likeliest first, by the
    untrained ranker. Every sentence gets at least one, even thanks and headings, so filter by the sentences' function.
    Returns an empty list if either text is empty. Raises Cancelled."""
    if not rebuttal or not review:
        return []
    vectors = np.asarray(encoder.encode([p.text for p in (*rebuttal, *review)], report), dtype=np.float64)
    evidence = gather(rebuttal, review, vectors[: len(rebuttal)], vectors[len(rebuttal) :])
    found = []
    for share in chances(rank_answers(evidence)):
        order = np.argsort(-share, kind="stable")[:_MOST]
        found.append(tuple(int(j) for j in order if share[j] >= LEAST_SHARE * share[order[0]]))
    return found
