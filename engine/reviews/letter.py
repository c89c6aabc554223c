"""Splits response letters that quote the reviewers, and reviews, into comments, their contexts and responses."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import groupby, zip_longest

from engine.errors import not_imported
from engine.reviews.blocks import Block, blocks_of
from engine.reviews.cues import asks_much, sentence_role
from engine.reviews.items import content_start, find_items
from engine.reviews.labels.heads import calm
from engine.reviews.layout import Unit
from engine.reviews.marks import MarkedText, Reading
from engine.reviews.proposing import REVIEW, as_review, propose
from engine.reviews.records import SAME_RESPONSE, Comment, ReviewBundle, SourceText, Span
from engine.reviews.roles import Placed
from engine.reviews.sentences import split_sentences
from engine.reviews.spans import readable
from engine.reviews.stretches import LIST_MARK


def read_letter(
    letter: MarkedText | str, *, title: str = "Response letter", reading: Reading | None = None
) -> ReviewBundle:
    """Splits a letter into comments with their spans, contexts and responses, according to ``reading`` or else the best
    one.

    Comment ids are ``letter-<n>``, n from 1 in document order. If no comment is recognised, the bundle has only the
    text and a warning. Raises BadInput for an empty text.
    """
    marked = MarkedText(letter) if isinstance(letter, str) else letter
    text = marked.text
    if not text.strip():
        raise not_imported("The letter is empty.", "Choose the file with the response letter.")
    found, proposal = propose(marked)
    chosen = reading or marked.reading or (proposal.readings[0] if proposal.readings else None)
    placed = found.placed(chosen) if chosen is not None else ()
    blocks = tuple(blocks_of(placed))
    comments: list[Comment] = []
    for block, after in zip_longest(blocks, blocks[1:]):
        goes_on = after is not None and bool(after.comment[0].list_mark) and not after.comment[0].label
        comments.extend(_comments(text, block, "letter", len(comments), goes_on=goes_on))
    source = SourceText("letter", title, text, "text/markdown", "", "letter")
    shared = tuple(_sharing(text, comments))
    alone = sum(bool(a.response_spans) and not b.response_spans for a, b in zip(comments, shared, strict=True))
    said = [f"{alone} comments are only followed by other comments, so they have no response."] if alone else []
    return ReviewBundle((source,), shared, (*said, *_warnings(text, placed, blocks)), proposal.readings, chosen)


def _sharing(text: str, comments: Sequence[Comment]) -> Iterator[Comment]:
    """Yields the comments; consecutive ones with the same response are marked by a key that no other letter has, unless
    it numbers an answer to each. If many have none of their own, the letter answers only some of its points, and only
    the last of each group keeps it."""
    digest = sha256(text.encode()).hexdigest()
    groups = [(spans, tuple(group)) for spans, group in groupby(comments, key=lambda comment: comment.response_spans)]
    waiting = sum(len(same) - 1 for spans, same in groups if spans)
    for spans, same in groups:
        if not spans or len(same) == 1:
            yield from same
        elif len(spans) == 1 and (answers := _each(text, spans[0], len(same))):
            for comment, own in zip(same, answers, strict=True):
                response = "\n\n".join(text[span.start : span.end] for span in own)
                yield replace(comment, response=response, response_spans=own)
        elif waiting > max(_FEW, len(comments) // 4):
            yield from (*(replace(comment, response="", response_spans=()) for comment in same[:-1]), same[-1])
        else:
            key = sha256(f"{spans[0].start} {digest}".encode()).hexdigest()[:16]
            yield from (replace(comment, extra=((SAME_RESPONSE, key),)) for comment in same)


def _each(text: str, span: Span, count: int) -> list[tuple[Span, ...]]:
    """Returns the parts of a response if it has a numbered one for each of at least three comments; what precedes these
    belongs to the first."""
    lines = re.compile(r"^", re.MULTILINE).finditer(text, span.start, span.end)
    marks = [mark for line in lines if (mark := LIST_MARK.match(text, line.start())) and re.search(r"\d", mark[0])]
    if count < 3 or [int(re.sub(r"\D", "", mark[0])) for mark in marks] != [*range(1, count + 1)]:
        return []
    begins, ends = [span.start, *(mark.end() for mark in marks)], [*(mark.start() for mark in marks), span.end]
    lead, *rest = (Span(a, a + len(text[a:b].rstrip())) for a, b in zip(begins, ends, strict=True))
    return [(lead, rest[0]) if lead.start < lead.end else (rest[0],), *((one,) for one in rest[1:])]


_FEW = 7
"""Maximum number of points of a letter that are answered together with the next, however few it has."""


def review_comments(marked: MarkedText, source_id: str) -> tuple[tuple[Comment, ...], tuple[str, ...]]:
    """Returns the comments of a review without responses: its points and paragraphs except titles and fields; and
    warnings."""
    placed = as_review(marked).placed(REVIEW)
    comments: list[Comment] = []
    blocks = tuple(blocks_of(placed))
    for at, block in enumerate(blocks):
        # Criticism in the opening paragraph of a review is usually repeated as a request further down, except under
        # "Weaknesses".
        above = marked.text[max(0, block.comment[0].outer - 200) : block.comment[0].outer].rstrip()
        opens = (
            not asks_much(above[above.rfind("\n") + 1 :])
            and not block.comment[0].list_mark
            and all(c.reviewer != block.reviewer for c in comments)
        )
        opens = opens and any(further.reviewer == block.reviewer for further in blocks[at + 1 :])
        read = replace(block, silent=block.silent or opens)
        comments.extend(_comments(marked.text, read, source_id, len(comments)))
    return tuple(replace(c, actionable=c.actionable and not _calm(c.comment)) for c in comments), tuple(
        _left_over(placed)
    )


def _calm(comment: str) -> bool:
    """Returns whether a comment has no question or request by its wording, and nothing negative by its words."""
    said = [comment[span.start : span.end] for span in split_sentences(comment)]
    return not {"question", "request"}.intersection(map(sentence_role, said)) and calm(said)


def _comments(text: str, block: Block, source_id: str, known: int, *, goes_on: bool = False) -> Iterator[Comment]:
    """``goes_on``: the next comment is an item of the list in this one."""
    items = find_items(text, block.comment, silent=block.silent, split=goes_on)
    context = Span(block.comment[0].outer, block.comment[-1].end)
    context_text = _plain(readable(text, (Span(content_start(text, block.comment[0]), context.end),)))
    whole = _response_spans(text, block.response)
    depth = min((unit.depth for unit in block.response), default=0)
    for number, item in enumerate(items, start=1):
        response = whole if number == len(items) or item.listed else ()
        yield Comment(
            id=f"{source_id}-{known + number}",
            source_id=source_id,
            reviewer=block.reviewer,
            comment=_plain(readable(text, (item.span,))),
            context=context_text,
            response=_unquoted("\n\n".join(text[s.start : s.end] for s in response), depth),
            spans=(item.span,),
            context_spans=(context,),
            response_spans=response,
            actionable=item.actionable,
        )


def _response_spans(text: str, units: Sequence[Unit]) -> tuple[Span, ...]:
    """Returns one span from the first to the last paragraph of the answer, without its label; none if there is only a
    placeholder."""
    units = [u for u in units if content_start(text, u) < u.end]
    if not units or all(_PLACEHOLDER.fullmatch(text, content_start(text, u), u.end) for u in units):
        return ()
    return (Span(content_start(text, units[0]), units[-1].end),)


def _unquoted(response: str, depth: int) -> str:
    """Removes the marks of ``depth`` quotes around a whole response, as in a letter that was quoted as a whole."""
    return re.sub(rf"^(?:[ \t]{{0,3}}>[ \t]?){{1,{depth}}}", "", response, flags=re.MULTILINE) if depth else response


_PLACEHOLDER = re.compile(r"[\W_]*(?:(?:[Xx]{3,}+|TODO|TBD|TBA|FIXME)[\W_]*)+")

_FENCES = re.compile(r"^(?:`{3,}|~{3,})\w*\s+|\s*(?:`{3,}|~{3,})$")
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(?=\S)")


def _plain(content: str) -> str:
    """Removes code fences, and emphasis around whole paragraphs or left open by a cut."""
    paragraphs = _FENCES.sub("", content).split("\n\n")
    return "\n\n".join(map(_unemphasised, paragraphs))


def _unemphasised(paragraph: str) -> str:
    for opening in (_EMPHASIS.match(paragraph), _EMPHASIS.match(paragraph[::-1])):
        mark = opening[1] if opening else ""
        inner = paragraph.removeprefix(mark).removesuffix(mark)
        # Marks inside belong to emphasised words; then those at the ends may, too.
        if mark and inner.strip() and mark[0] not in inner:
            return inner.strip()
    if _ALL_BOLD.fullmatch(paragraph):
        return _STARS.sub(lambda match: match[0][2:], paragraph).strip()
    return paragraph


_ALL_BOLD = re.compile(r"(?:\*{2,3}[^*\n]+\*{2,3}[\s.,;:)]*)+")
_STARS = re.compile(r"\*{2,3}")


def _warnings(text: str, placed: Sequence[Placed], blocks: Sequence[Block]) -> tuple[str, ...]:
    if not blocks:
        return ("No reviewer comments were recognised in this letter. Mark them manually.",)
    silent = sum(not _response_spans(text, block.response) for block in blocks)
    have = "has" if silent == 1 else "have"
    said = [f"{silent} of {len(blocks)} comment blocks {have} no response in the letter."] if silent else []
    return (*said, *_left_over(placed))


def _left_over(placed: Sequence[Placed]) -> Iterator[str]:
    """Yields a warning if so much of a text is in no comment or response that it was hardly understood."""
    said = [p for p in placed if p.unit.kind not in ("heading", "rule")]
    left, whole = (sum(p.unit.end - p.unit.start for p in some) for some in ((p for p in said if p.role is None), said))
    if 3 * left > whole:
        yield "More than a third of the text is in no comment: check what is not assigned."
