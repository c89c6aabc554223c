"""Measures of the paper's four tasks: generated texts, rankings, classes, numbers.

Each is a ``Measured``: the contributions of independent parts, and a function of their sum, so that a bootstrap over
the parts is one call.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Tokens = tuple[str, ...]

_WORD = re.compile(r"[a-z0-9]+")
_STEMMED_FROM = 4  # letters; shorter words aren't stemmed, as in the reference implementation


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure over independent parts (papers, groups, canonical sentences). ``parts`` (n, ...): each one's
    contribution. ``statistic`` maps sums (r, ...) to values (r,), NaN if undefined."""

    name: str
    parts: Floats
    statistic: Callable[[Floats], Floats]

    @property
    def value(self) -> float:
        return float(self.statistic(self.parts.sum(0)[None])[0])


# Texts


def words(text: str) -> Tokens:
    """Returns lower-case runs of ASCII letters and digits, Porter-stemmed from four characters on: the tokens of the
    paper's ROUGE (google-research ``rouge``, with ``use_stemmer``)."""
    return tuple(_stem(word) for word in _WORD.findall(text.lower()))


def rouge_n(candidate: Tokens, reference: Tokens, n: int) -> float:
    """Returns ROUGE-N as F1 of n-grams, counted with multiplicity (Lin, 2004, section 2), 0..1."""
    one, other = _grams(candidate, n), _grams(reference, n)
    return _f1((one & other).total(), one.total(), other.total())


def rouge_l(candidate: Tokens, reference: Tokens) -> float:
    """Returns ROUGE-L of one sentence as F1 of the longest common subsequence (Lin, 2004, section 3.1), 0..1."""
    from rapidfuzz.distance import LCSseq

    return _f1(LCSseq.similarity(candidate, reference), len(candidate), len(reference))


ROUGE: Mapping[str, Callable[[Tokens, Tokens], float]] = {
    "rouge_1": lambda c, r: rouge_n(c, r, 1),
    "rouge_2": lambda c, r: rouge_n(c, r, 2),
    "rouge_l": rouge_l,
}


class TokenScorer:
    """BERTScore with a local encoder (Zhang et al., 2020, section 3): each token greedily matched by cosine, F1.

    No IDF weights and no baseline rescaling, so values are high and only differences are meaningful. The encoder's
    special tokens are ignored.
    """

    def __init__(self, folder: Path) -> None:
        """``folder``: a sentence-transformers or plain transformers encoder. Loaded at its first use."""
        self._folder = folder
        self._model: Any = None
        self._known: dict[str, Floats] = {}

    def score(self, candidates: Sequence[str], references: Sequence[str]) -> Floats:
        """Returns F1 of each pair (n,), about 0.2..1; 0 if one of them has no tokens."""
        self._read({*candidates, *references})
        found = np.zeros(len(candidates))
        for at, (candidate, reference) in enumerate(zip(candidates, references, strict=True)):
            one, other = self._known[candidate], self._known[reference]
            if len(one) and len(other):
                cosines = one @ other.T
                precision, recall = cosines.max(1).mean(), cosines.max(0).mean()
                found[at] = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
        return found

    def _read(self, texts: set[str]) -> None:
        missing = sorted(texts - self._known.keys())
        if not missing:
            return
        if self._model is None:
            from engine.models.embedders import load_sentence_transformer

            self._model = load_sentence_transformer(self._folder)
        specials = set(self._model.tokenizer.all_special_ids)
        features = self._model.encode(
            missing, output_value=None, convert_to_numpy=False, normalize_embeddings=False, show_progress_bar=False
        )
        for text, one in zip(missing, features, strict=True):
            vectors = one["token_embeddings"].float().cpu().numpy().astype(np.float64)
            ids = one["input_ids"].tolist()[: len(vectors)]
            vectors = vectors[[token not in specials for token in ids]]
            self._known[text] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


# Data sets


def mean(name: str, values: Sequence[float] | Floats, parts: Sequence[Hashable]) -> Measured:
    """Returns the mean of values (n,); ``parts`` (n,) are the part of each value."""
    rows = np.column_stack([np.asarray(values, dtype=np.float64), np.ones(len(parts))])
    return Measured(name, _by_part(rows, parts), _ratio)


def macro_f1(name: str, gold: Sequence[str], said: Sequence[str], parts: Sequence[Hashable]) -> Measured:
    """Returns F1 averaged over the classes that occur in ``gold`` or ``said``, both (n,)."""
    classes = {label: at for at, label in enumerate(sorted({*gold, *said}))}
    rows = np.zeros((len(parts), len(classes), 3))
    for at, (true, guess) in enumerate(zip(gold, said, strict=True)):
        rows[at, classes[true], 1] += 1
        rows[at, classes[guess], 2] += 1
        rows[at, classes[true], 0] += true == guess
    return Measured(name, _by_part(rows, parts), _macro)


def pearson(name: str, gold: Floats, said: Floats, parts: Sequence[Hashable]) -> Measured:
    """Returns Pearson's correlation of two series (n,)."""
    # Centred first, because sums of squares of values far from zero would lose precision.
    x, y = gold - gold.mean(), said - said.mean()
    rows = np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
    return Measured(name, _by_part(rows, parts), _correlation)


def average_precision(relevant: NDArray[np.bool_]) -> float:
    """Returns the mean precision at each relevant position of one ranking, best first; 0 if nothing is relevant."""
    at = np.flatnonzero(relevant)
    return float(((np.arange(len(at)) + 1) / (at + 1)).mean()) if len(at) else 0.0


def reciprocal_rank(relevant: NDArray[np.bool_]) -> float:
    """Returns 1 / the rank of the first relevant item of one ranking; 0 if nothing is relevant."""
    at = np.flatnonzero(relevant)
    return 1.0 / (float(at[0]) + 1) if len(at) else 0.0


def ranked(scores: Floats, relevant: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Returns relevance sorted by decreasing score (n,). Ties keep the given order, which must not
    depend on relevance."""
    return np.asarray(relevant[np.argsort(-scores, kind="stable")])


def _by_part(rows: Floats, parts: Sequence[Hashable]) -> Floats:
    order = {part: at for at, part in enumerate(dict.fromkeys(parts))}
    found = np.zeros((len(order), *rows.shape[1:]))
    np.add.at(found, [order[part] for part in parts], rows)
    return found


def _ratio(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def _macro(sums: Floats) -> Floats:
    right, gold, said = sums[..., 0], sums[..., 1], sums[..., 2]
    seen = gold + said > 0
    each = np.divide(2 * right, gold + said, out=np.zeros_like(right), where=seen)
    with np.errstate(invalid="ignore"):
        return np.asarray(each.sum(-1) / seen.sum(-1))


def _correlation(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt((xx - x * x / n) * (yy - y * y / n))
        return np.asarray(np.where(spread > 1e-12, (xy - x * y / n) / spread, np.nan))


def _grams(tokens: Tokens, n: int) -> Counter[Tokens]:
    return Counter(tokens[at : at + n] for at in range(len(tokens) - n + 1))


def _f1(common: float, candidate: float, reference: float) -> float:
    return 2 * common / (candidate + reference) if common else 0.0


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    from nltk.stem.porter import PorterStemmer

    return str(PorterStemmer().stem(word)) if len(word) >= _STEMMED_FROM else word
