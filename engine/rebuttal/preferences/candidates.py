"""Which rebuttal sentences can be canonical: suitable as an answer on its own, and general enough.

Suitability is a linear head over a few features that a person can read, with weights of our own: learnt from a person's
decisions, they were worse on other clusters (docs/methods-preferences.md). Specificity counts what ties a sentence to
one paper: figures, citations, formulas, names, words that canonical rebuttals do not use. Both are in 0..1 and come
with their reasons.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.rebuttal.fitting import stemmer
from engine.rebuttal.preferences.records import Candidate, Cluster, Extract, NewCluster, Sentence
from engine.rebuttal.records import ACTION_TITLES
from engine.rebuttal.templates import starter
from engine.resource_files import resource_table
from engine.reviews.labels.taxonomy import layer
from engine.shown import counted

FEATURES: Mapping[str, tuple[float, str]] = {
    "speaks": (1.4, "speaks for the authors (“we”, “our”, “I”)"),
    "answers": (1.2, "acts like a rebuttal: thanks, agrees, adds, explains, declines"),
    "whole": (0.8, "is a whole sentence"),
    "fragment": (-1.8, "is a fragment or a heading"),
    "long": (-1.2, "is longer than forty words"),
    "question": (-1.6, "is a question"),
    "quotes": (-1.6, "quotes the review"),
    "leans": (-1.3, "depends on the previous sentence (starts with “This”, “It” or “These”)"),
    "points": (-1.0, "refers to another part of the reply (“see above”, “as stated below”)"),
    "lists": (-1.0, "is a list item or a label (“Q1:”, “(2)”)"),
}
"""Each feature's weight in logits, and its description."""
BIAS = -0.6

_SPEAKS = re.compile(r"\b(?:we|our|us|ours|i|my|the authors?)\b", re.IGNORECASE)
_ANSWERS = re.compile(
    r"\b(?:thank\w*|appreciat\w*|grateful|agree\w*|acknowledg\w*|apologi[sz]e\w*|sorry|add(?:ed|ing)?|includ\w+|revis\w+|"
    r"updat\w+|clarif\w+|correct\w*|fix\w*|rewr\w+|will|plan|explain\w*|discuss\w*|report\w*|disagree\w*|believe|argue|"
    r"respectfully|beyond|leave|future work|however|unfortunately|conduct\w*|ran|perform\w*|compar\w+|provid\w+|"
    r"mention\w*|emphasi[sz]e\w*|note that|intend\w*)\b",
    re.IGNORECASE,
)
_LEANS = re.compile(r"(?:This|That|These|Those|It|They|Thus|Hence|Therefore|So|Also|And|But|Here|There|Such)\b")
_POINTS = re.compile(
    r"\b(?:see|as (?:stated|mentioned|explained|discussed|noted))\s+"
    r"(?:above|below|earlier|our (?:response|reply|answer))"
    r"|\b(?:response|reply|answer) to (?:R\d|reviewer|Q\d|the other)|\bour (?:response|reply) (?:above|below)",
    re.IGNORECASE,
)
_LISTS = re.compile(r"(?:[QARW]\d+\b|\(?\d{1,2}[.):]|[-*•]|re:|response:|comment:)", re.IGNORECASE)
_QUOTES = re.compile(
    r"^\s*>|^[“\"'«].{15,}[”\"'»][.:]?$|\b(?:reviewer|you) (?:wrote|writes?|said|says?)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_TIES: tuple[tuple[str, float, re.Pattern[str]], ...] = (
    ("figures", 0.9, re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*\s?%?(?![\w])")),
    ("citations", 0.9, re.compile(r"\[\d+(?:[,;–-]\s?\d+)*\]|\(\w[\w\s.&,]*\b(?:19|20)\d\d\w?\)|\bet al\b")),
    ("formulas", 1.2, re.compile(r"\$[^$]+\$|\\\w+\{|[=≤≥∑∈≈]|\b\w+_\w+\b")),
    ("URLs", 1.5, re.compile(r"https?://\S+|\bwww\.\S+|\barxiv\b", re.IGNORECASE)),
    ("quotations", 0.4, re.compile(r"[“\"][^”\"]{3,}[”\"]")),
)
_NAME = re.compile(r"(?<=[\w,;:] )(?!I\b)(?:[A-Z][a-z]*[A-Z]\w*|[A-Z]{2,}\w*|[A-Z][a-z]+(?:-[A-Z]\w*)*)")
_PLACES = frozenset(
    {
        "Section", "Sec", "Table", "Tab", "Figure", "Fig", "Appendix", "Equation", "Eq", "Page", "Line", "Reviewer",
        "Reviewers", "Lemma", "Theorem",
    }
)  # fmt: skip
_NAME_WEIGHT, _RARE_WEIGHT, _REFERENCE_WEIGHT = 0.6, 0.22, 0.25
_HALF = 1.6
"""The weight of ties at which specificity is one half."""


@dataclass(frozen=True, slots=True)
class Score:
    """A score in 0..1, and the reasons for and against: (words, contribution), the largest first."""

    value: float
    reasons: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with both scores; ``judged``: it takes part in judging; ``decided``: a person decided that."""

    candidate: Candidate
    suitability: Score
    specificity: Score
    judged: bool
    decided: bool


def features(text: str) -> dict[str, float]:
    """Returns for each of ``FEATURES`` whether a sentence has it (1 or 0)."""
    plain = " ".join(text.split())
    words = _WORD.findall(plain)
    starts, ends = plain[:1].isupper(), plain.endswith((".", "!", "?", ".”", '."', ".)"))
    return {
        "speaks": float(bool(_SPEAKS.search(plain))),
        "answers": float(bool(_ANSWERS.search(plain))),
        "whole": float(starts and ends and len(words) >= 4),
        "fragment": float(len(words) < 4 or (not starts and not ends) or plain.endswith(":")),
        "long": float(len(words) > 40),
        "question": float(plain.endswith("?")),
        "quotes": float(bool(_QUOTES.search(plain))),
        "leans": float(bool(_LEANS.match(plain))),
        "points": float(bool(_POINTS.search(plain))),
        "lists": float(bool(_LISTS.match(plain))),
    }


def suitability(text: str) -> Score:
    found = features(text)
    reasons = sorted(
        ((said, weight * found[name]) for name, (weight, said) in FEATURES.items() if found[name]),
        key=lambda r: -abs(r[1]),
    )
    return Score(1 / (1 + exp(-sum(part for _, part in reasons) - BIAS)), tuple(reasons))


def specificity(text: str) -> Score:
    """Scores how much a sentence is tied to one paper: 0 if not at all, 1/2 at a total weight of ``_HALF``."""
    plain = " ".join(text.split())
    parts: list[tuple[str, float]] = []
    rest = plain
    for words, weight, pattern in _TIES:
        found = pattern.findall(rest)
        if found:
            parts.append((counted(len(found), words.removesuffix("s"), words), weight * len(found)))
            rest = pattern.sub(" ", rest)
    named = [match.group() for match in _NAME.finditer(rest)]
    places = [name for name in named if name in _PLACES]
    names = [name for name in named if name not in _PLACES]
    if names:
        parts.append((f"names: {', '.join(names[:4])}", _NAME_WEIGHT * len(names)))
    if places:
        slots = f"{counted(len(places), 'place')} in the paper, possible slots"
        parts.append((slots, _REFERENCE_WEIGHT * len(places)))
    known = _general_words()
    rare = [w for w in dict.fromkeys(_WORD.findall(rest)) if w not in named and _stem(w) not in known]
    if rare:
        parts.append((f"distinctive words: {', '.join(rare[:5])}", _RARE_WEIGHT * len(rare)))
    total = sum(weight for _, weight in parts)
    return Score(1 - 0.5 ** (total / _HALF), tuple(sorted(parts, key=lambda part: -part[1])))


def scored(cluster: Cluster, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
    """All candidates with their scores; a person's word goes before the thresholds of the cluster."""
    found = []
    for candidate in candidates:
        suitable, specific = suitability(candidate.text), specificity(candidate.text)
        by_scores = suitable.value >= cluster.suitable_from and specific.value <= cluster.specific_to
        judged = by_scores if candidate.decision is None else candidate.decision == "in"
        found.append(Scored(candidate, suitable, specific, judged, candidate.decision is not None))
    return tuple(found)


@lru_cache(maxsize=1)
def _general_words() -> frozenset[str]:
    """Returns the words of the starter library, which was written to be general, and common English words."""
    words = {_stem(word) for template in starter() for word in _WORD.findall(template.text)}
    common = resource_table("stop_words.toml")["general"]
    return frozenset(words | {_stem(word) for word in common.split()})


def _stem(word: str) -> str:
    return str(stemmer().stemWord(word.lower().replace("’", "'")))


# Names and descriptions of clusters: labels of the taxonomy and rebuttal actions by their titles, other words
# unchanged; and the most central sentence, the one with the highest mean cosine to the others (JitsuPeer).

Part = Literal["root", "theme", "action"]


def options(part: Part) -> tuple[tuple[str, str], ...]:
    """Returns (id, title) of every root, theme or action that the taxonomy allows for a cluster."""
    if part == "action":
        return tuple((name, title) for name, title in ACTION_TITLES.items())
    labels = layer("aspect" if part == "root" else "theme").labels
    return tuple((label.id, label.title) for label in labels)


def title(part: Part, value: str) -> str:
    """Returns the title of an id, or the words themselves if the taxonomy doesn't contain them."""
    return dict(options(part)).get(value, value)


def identified(part: Part, words: str) -> str:
    """Returns the id for an id or a title, ignoring case, spaces and hyphens; other words are returned unchanged."""
    plain = _plain(words)
    for key, name in options(part):
        if plain in (_plain(key), _plain(name)):
            return key
    return words.strip()


def cluster_title(cluster: Cluster | NewCluster) -> str:
    parts = (title("root", cluster.root), title("theme", cluster.theme), title("action", cluster.action).lower())
    return " · ".join(part for part in parts if part)


def most_central(sentences: Sequence[Sentence], vectors: NDArray[np.float32], origin: str) -> Extract | None:
    """Returns the most central of ``sentences``, whose ``vectors`` (n, d) have length 1; the first of equal ones; None
    if there are none. A sentence isn't compared with itself, which would raise every mean by the same 1 / n."""
    n = len(sentences)
    if not n:
        return None
    similar = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    mean = (similar.sum(1) - np.diag(similar)) / max(n - 1, 1)
    best = int(mean.argmax())
    return Extract(sentences[best].id, sentences[best].text, float(mean[best]), n, origin)


def _plain(words: str) -> str:
    return "".join(letter for letter in words.lower() if letter.isalnum())
