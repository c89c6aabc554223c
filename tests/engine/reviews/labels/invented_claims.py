"""Reviews in the layout of SubstanReview, invented: bare criticism, and criticism with a reason."""

from __future__ import annotations

import json
from pathlib import Path

BARE = ("The novelty is limited.", "The paper is poorly written.", "The contribution is incremental.")


def _line(review: str, *labels: tuple[str, str]) -> str:
    found = [[review.index(words), review.index(words) + len(words), name] for words, name in labels]
    return json.dumps({"id": 0, "review": review, "label": found})


def write_claims(path: Path) -> Path:
    """Writes forty reviews; returns the path."""
    lines = []
    for n in range(40):
        text = f"They study case {n}. {BARE[n % 3]} It is slow because of loop {n}. They end well."
        labels = [(BARE[n % 3][:-1], "Eval_neg_1"), ("It is slow", "Eval_neg_2"), (f"because of loop {n}", "Jus_neg_2")]
        lines.append(_line(text, *labels))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path
