"""Papers that look stronger than they are by their wording alone, in two ways, and the same papers without it.

Nothing is hidden in them: a term that nothing explains, a claim put as common knowledge, key claims where nobody looks.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.engine.documents.typeset import Paper, prose


@dataclass(frozen=True)
class Worded:
    """A paper's PDF, and the words that were put into it."""

    way: str
    pdf: bytes
    planted: tuple[str, ...]


_SECTIONS = ("Abstract", "1 Introduction", "2 Method", "3 Experiments", "4 Discussion", "A Proofs")
_GRANTED = (
    "It is well established that our reader surpasses every other reader of pages.",
    "It is widely accepted that the proposed method is superior to all existing readers.",
    "Undoubtedly, our approach outperforms any competing system on pages of this kind.",
    "It is generally known that we improve on all previous parsers of letters.",
    "Needless to say, the proposed framework dominates every known alternative.",
)
_KEY = (
    "Our key contribution is a proof that column order determines the meaning of footnotes.",
    "For the first time, we recover the ink of erased annotations from compressed scans.",
    "A central finding is that our reader repairs broken fonts without any training.",
    "We claim that handwritten margins carry the opinion of the second editor.",
    "Our main innovation is a clock that orders revisions by the wear of paper.",
    "To the best of our knowledge, we are the first to weigh opinions by letter spacing.",
)


def _disguised(rng: random.Random, parts: dict[str, list[str]]) -> tuple[str, ...]:
    claim = rng.choice(_GRANTED)
    # A paragraph of its own: no number of the made-up prose stands beside it.
    parts[rng.choice(("2 Method", "3 Experiments", "4 Discussion"))].append(
        f"{claim} This is why the reader was built in this way and in no other."
    )
    return (claim,)


def _scattered(rng: random.Random, parts: dict[str, list[str]]) -> tuple[str, ...]:
    claims = tuple(rng.sample(_KEY, 3))
    for claim, name in zip(claims, ("2 Method", "3 Experiments", "A Proofs"), strict=True):
        _insert(rng, parts[name], claim)
    return claims


def _insert(rng: random.Random, paragraphs: list[str], sentence: str) -> None:
    at = rng.randrange(len(paragraphs))
    paragraphs[at] = f"{paragraphs[at]} {sentence}"


WORDINGS: dict[str, Callable[[random.Random, dict[str, list[str]]], tuple[str, ...]]] = {
    "disguised claims": _disguised,
    "scattered key claims": _scattered,
}


def worded(way: str, seed: int) -> Worded:
    """A paper worded in one of the two ways, or, with "", in none."""
    rng = random.Random(f"{way} {seed}")
    parts = {name: [prose(rng, 3) for _ in range(2 if name in ("Abstract", "A Proofs") else 4)] for name in _SECTIONS}
    planted = WORDINGS[way](rng, parts) if way else ()
    paper = Paper(columns=1 + seed % 2)
    paper.title("Reading Pages in Their Order", ["Ada Example and Ben Sample"])
    for name, paragraphs in parts.items():
        if name == "A Proofs":
            paper.heading("References")
            for year in range(2011, 2016):
                paper.reference(f"Cora Example. {year}. Letters and their readers. Journal of Tests, 3(1):1-9.")
        paper.heading(name)
        for number, text in enumerate(paragraphs):
            paper.paragraph(text, first=number == 0)
    return Worded(way, paper.finish(), planted)
