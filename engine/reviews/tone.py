"""Finds wording that may cause offence, with alternatives: blunt, defensive, over-grateful, dismissive.

Rules over words (``resources/tone.toml``), not a model, so only part of what a reader would notice is found.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from engine.resource_files import resource_table
from engine.reviews.records import Span

ToneKind = Literal["blunt", "defensive", "over-grateful", "dismissive"]
Side = Literal["author", "reviewer"]
_QUOTED = re.compile(r"^[ \t]*(?:>|%%).*$|[“\"][^“”\"\n]{3,400}[”\"]|\$[^$\n]+\$|`[^`\n]+`", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ToneRemark:
    """Words of doubtful tone: their kind, the reason, and alternatives (the best first; "" means leaving them out)."""

    span: Span
    kind: ToneKind
    words: str
    why: str
    alternatives: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: ToneKind
    side: str
    pattern: re.Pattern[str]
    why: str
    alternatives: tuple[str, ...]


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            entry["kind"],
            entry["side"],
            re.compile(rf"(?<!\w)(?:{entry['pattern']})(?!\w)", re.IGNORECASE),
            entry["why"],
            tuple(entry["alternatives"]),
        )
        for entry in resource_table("tone.toml")["remark"]
    )


def find_tone(text: str, side: Side) -> tuple[ToneRemark, ...]:
    """Returns the remarks on a text by authors (or reviewers), in order; spans in code points. Quotations, quoted
    comments, notes (lines that begin with %%), code and formulas are skipped. Of overlapping remarks the longest is
    kept."""
    apart = [Span(*match.span()) for match in _QUOTED.finditer(text)]
    found = []
    for rule in _rules():
        if rule.side not in (side, "both"):
            continue
        for match in rule.pattern.finditer(text):
            if not any(a.start < match.end() and match.start() < a.end for a in apart):
                found.append(ToneRemark(Span(*match.span()), rule.kind, match[0], rule.why, rule.alternatives))
    found.sort(key=lambda one: (one.span.start - one.span.end, one.span.start))
    kept: list[ToneRemark] = []
    for one in found:
        if not any(k.span.start < one.span.end and one.span.start < k.span.end for k in kept):
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: one.span.start))


def replaced(text: str, remark: ToneRemark, alternative: str) -> tuple[Span, str]:
    """Returns the span to replace and its replacement, adjusting capitals, spaces and commas."""
    start, end = remark.span.start, remark.span.end
    begins = not text[:start].strip() or text[:start].rstrip()[-1] in ".?!:\n" or text[:start].endswith("\n")
    if alternative:
        words = alternative[0].upper() + alternative[1:] if begins and remark.words[:1].isupper() else alternative
        return Span(start, end), words
    while end < len(text) and text[end] in ", ":
        end += 1
    if begins and end < len(text):
        return Span(start, end + 1), text[end].upper()
    if end == remark.span.end:
        while start and text[start - 1] in ", ":
            start -= 1
    return Span(start, end), ""
