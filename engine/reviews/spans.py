"""Sets of spans in one text: validated, sorted, merged if they touch, or split."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from engine.errors import not_changed
from engine.reviews.records import Span
from engine.reviews.stretches import LIST_MARK, QUOTE_MARKS

_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+\"[^\"\n]*\")?\)")
_BREAK = re.compile(r"(?<!\\)((?:\\\\)*)\\$")
"""A line break within a Markdown paragraph."""
_EMPHASIS = re.compile(r"^[*_]{1,3}(?=\S)|(?<=[.?!:;,)”\"'])[*_]{1,3}$")
"""Markdown emphasis at the ends of a sentence, whose other half is often in another sentence."""
_MARKED = re.compile(r"(?<![\w*_])([*_]{1,3})(?=\S)((?:(?!\1).){1,400}?)(?<=\S)\1(?![\w*_])|`([^`\n]{1,200})`")
_LINE_NUMBER = re.compile(r"\d{2,3}:")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE)
GAP = " [...] "
"""Separates the spans of one comment when they are shown as one text."""


def normalised(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Returns the spans in text order, stripped of white space, without empty ones; overlapping and touching ones are
    merged.

    Raises:
        BadInput: a span reaches beyond the text.
    """
    trimmed = []
    for span in spans:
        if not 0 <= span.start <= span.end <= len(text):
            raise not_changed(
                f"The span {span.start} to {span.end} isn't inside its text of {len(text)} characters.",
                "Mark the place again.",
            )
        start, end = span.start, span.end
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if start < end:
            trimmed.append(Span(start, end))
    joined: list[Span] = []
    for span in sorted(trimmed, key=lambda s: (s.start, s.end)):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def bridged(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Like ``normalised``, and spans with only white space and quote marks between them are merged."""
    joined: list[Span] = []
    for span in normalised(text, spans):
        if joined and not text[joined[-1].end : span.start].strip(" \t\r\n>"):
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return tuple(joined)


def cut(spans: Sequence[Span], position: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Splits spans at ``position`` into those before it and those after it."""
    before = tuple(Span(s.start, min(s.end, position)) for s in spans if s.start < position)
    after = tuple(Span(max(s.start, position), s.end) for s in spans if s.end > position)
    return before, after


def readable(text: str, spans: tuple[Span, ...], joiner: str = "\n\n") -> str:
    """Returns the text of spans for reading: without quote marks, list marks, escapes, line breaks and link targets."""
    pieces = []
    for span in spans:
        paragraphs: list[str] = []
        running, dashed = "", False
        # If the span starts inside a line, its first line has no quote mark.
        for line in text[span.start : span.end].splitlines():
            marks = QUOTE_MARKS.match(line)
            content = _BREAK.sub(r"\1", line[marks.end() if marks else 0 :].strip())
            mark = LIST_MARK.match(content + " ") if content else None
            dash = mark is not None and mark[0].strip() in {"–", "—"}
            if dash and running and not dashed and running[-1] not in ":;":
                mark = None  # a dash within a sentence
            dashed = dash if mark or not running else dashed
            if (not content or mark) and running:
                paragraphs.append(running)
                running = ""
            if mark and not _LINE_NUMBER.match(content):
                content = content[mark.end() :].strip()
            running = f"{running} {' '.join(content.split())}".strip()
        paragraphs.append(running)
        pieces.append("\n\n".join(p for p in paragraphs if p))
    joined = joiner.join(p for p in pieces if p)
    joined = _LINK.sub(r"\1", joined)
    return re.sub(r"\\([\\`*_{}\[\]()#+\-.!<>~|])", r"\1", joined).strip()


def spoken(text: str, spans: Sequence[Span]) -> str:
    """Returns the spans as one readable text, with ``[...]`` between them."""
    return readable(text, tuple(spans), GAP)


@lru_cache(maxsize=4096)
def unmarked(text: str) -> str:
    """Returns a comment as plain text: without Markdown's marks of headings, emphasis and code."""
    return _MARKED.sub(lambda found: found[2] or found[3], _HEADING.sub("", text))


def sentence(text: str, span: Span) -> str:
    """Returns one sentence on one line: as ``readable``, without emphasis that belongs to the whole passage."""
    return _EMPHASIS.sub("", " ".join(unmarked(readable(text, (span,))).split()))


def common_ends(old: str, new: str) -> tuple[int, int]:
    """Returns the number of characters that two texts share at the beginning and at the end, without overlap."""
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n] != new[n]), most)
    most -= head
    tail = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
    return head, tail
