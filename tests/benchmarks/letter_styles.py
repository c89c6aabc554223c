"""The same letters in other layouts: real comments and responses are written in the styles that authors use, and read
again.

The hand-marked letters are few and all quote with ``>``. Here their blocks are laid out again in eleven styles, and
must be read as the same blocks with the same responses. Words are compared, since positions differ.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.reviews.letter import read_letter
from tests.benchmarks.letter_quality import f1

Pair = tuple[str, str, str]
"""Reviewer, comment block, response: plain paragraphs."""


def gold_pairs(folder: Path) -> list[Pair]:
    """Returns the blocks of a hand-marked letter with their responses, without quote marks."""
    text = (folder / "response_letter.md").read_text(encoding="utf-8")
    found: dict[tuple[int, int], tuple[str, tuple[int, int]]] = {}
    for line in (folder / "review_comments.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record.get("block_response_span"):
            found[tuple(record["block_span"])] = (record["reviewer"], tuple(record["block_response_span"]))
    pairs = []
    for (start, end), (reviewer, (first, last)) in sorted(found.items()):
        block = re.sub(r"(?m)^[ \t]*>[ \t]?", "", text[start:end])
        pairs.append(
            (
                reviewer,
                _plain(block.replace("`[review]`", "")),
                _plain(re.sub(r"(?m)^[ \t]*>[ \t]?", "", text[first:last])),
            )
        )
    return pairs


def _plain(text: str) -> str:
    """Returns single-line paragraphs without list marks, quote marks, links, emphasis and escapes."""
    text = re.sub(r"\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)", r"\1", text)
    paragraphs = [" ".join(p.split()) for p in re.split(r"\n[ \t]*\n|\n(?=[ \t]*\\?[-*][ \t])", text)]
    bare = [re.sub(r"^(?:(?:\\?[-*>]|\d+\\?\.)[ \t]+)+", "", p) for p in paragraphs]
    return "\n\n".join(re.sub(r"\\(.)", r"\1", b).replace("*", "").replace("_", "") for b in bare if b)


def _each(mark: str, text: str, end: str = "") -> str:
    return "\n\n".join(f"{mark}{p}{end}" for p in text.split("\n\n"))


def _quoted(text: str) -> str:
    return "\n>\n".join(f"> {p}" for p in text.split("\n\n"))


STYLES: dict[str, Callable[[int, str, str], str]] = {
    "quotes": lambda n, c, r: f"{_quoted(c)}\n\n{r}",
    "quotes, labelled answer": lambda n, c, r: f"{_quoted(c)}\n\n**Response:** {r}",
    "e-mail": lambda n, c, r: f"{_quoted(c)}\n{r}",
    "labels": lambda n, c, r: f"Comment {n}: {c}\n\nResponse: {r}",
    "bold labels": lambda n, c, r: f"**Point {n}.** {c}\n\n**Reply:** {r}",
    "Q and A": lambda n, c, r: f"Q{n}: {c}\n\nA{n}: {r}",
    "headings": lambda n, c, r: f"### Comment {n}\n\n{c}\n\n#### Response\n\n{r}",
    "italics": lambda n, c, r: f"{_each('*', c, '*')}\n\n{r}",
    "bold": lambda n, c, r: f"{_each('**', c, '**')}\n\n{r}",
    "answers in bold": lambda n, c, r: f"{c}\n\n{_each('**', r, '**')}",
    "indented": lambda n, c, r: f"{_each('    ', c)}\n\n{r}",
}


def dressed(pairs: Sequence[Pair], style: str) -> str:
    """Returns a letter with these blocks in that style, with a heading per reviewer."""
    parts = ["# Response to reviewers", "We thank the editor and all reviewers. Our answers follow below."]
    number = 0
    previous = None
    for reviewer, comment, response in pairs:
        if reviewer != previous:
            previous, number = reviewer, 0
            parts.append(f"## {reviewer}")
        number += 1
        parts.append(STYLES[style](number, comment, response))
    return "\n\n".join(parts) + "\n"


def _words(text: str) -> str:
    return "".join(re.findall(r"\w+", text.lower()))


def score(pairs: Sequence[Pair], style: str) -> float:
    """Returns the F1 of blocks read with their whole comment and whole response."""
    expected = [(_words(c), _words(r)) for _, c, r in pairs]
    found: dict[tuple[int, int], tuple[str, str]] = {}
    for comment in read_letter(dressed(pairs, style)).comments:
        span = comment.context_spans[0]
        found[(span.start, span.end)] = (_words(comment.context), _words(comment.response))
    left = list(found.values())
    right = 0
    for pair in expected:
        if pair in left:
            left.remove(pair)
            right += 1
    return f1(right, len(expected), len(found))


def styles(root: Path) -> dict[str, float]:
    """Returns for each style the mean over the letters under ``root``."""
    letters = [gold_pairs(p.parent) for p in sorted(root.glob("*/response_letter.md"))]
    return {style: sum(score(pairs, style) for pairs in letters) / len(letters) for style in STYLES}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(styles(Path(sys.argv[1])), indent=2) + "\n")
