"""Reviews as plain text or Markdown, each perhaps with the reports of several reviewers; comments with responses as
letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from engine.errors import BadInput
from engine.exchange.limits import LETTER_CHARACTERS, check_size
from engine.exchange.records import Export, ExportFile, LossReport
from engine.reviews.cues import asks_nothing
from engine.reviews.items import find_placed_items
from engine.reviews.layout import Unit, read_units, readable, reviewer_name
from engine.reviews.marks import MarkedText
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.shown import inert_line, inert_markdown

_FIELD = re.compile(
    r"^[ \t>*_#-]*+(rating|(?:overall )?score|confidence|recommendation|decision|soundness|presentation|contribution|"
    r"originality|significance|clarity|quality|overall (?:merit|evaluation|recommendation)|expertise)"
    r"[ \t*_]*+[:：][ \t*_]*+(\S[^\r\n]{0,160}?)[ \t*_]*+$",
    re.IGNORECASE | re.MULTILINE,
)


def read_review(
    text: str,
    name: str,
    *,
    media_type: Literal["text/plain", "text/markdown"] = "text/plain",
    source_id: str = "",
    reviewer: str = "",
) -> ReviewBundle:
    """One review text with the comments that it seems to hold, one per paragraph or list item.

    Praise, summaries and connecting phrases are marked as no request.

    The text stays whole. Headings or lines that name a reviewer say whose the following comments are; lines such as
    "Rating: 6" become fields. ``name`` is the file's name; without ``source_id`` it is the text's id too.

    Raises:
        BadInput: the text is empty.
    """
    check_size(len(text), LETTER_CHARACTERS, name, "characters")
    if not text.strip():
        raise BadInput(f"{name} is empty.", "Nothing was imported.", "Choose another file.")
    key = source_id or name
    fields = tuple((m[1].strip(), m[2].strip()) for m in _FIELD.finditer(text))
    speaker = reviewer or reviewer_name(PurePath(name).stem.replace("_", " ").replace("-", " ")) or ""
    named = {speaker} if speaker else set()
    comments: list[Comment] = []
    for section in _sections(text):
        title = section.title
        if title is not None:
            speaker = reviewer_name(title) or speaker
            named |= {speaker} if speaker else set()
        silent = title is not None and asks_nothing(title)
        named |= {u.label.reviewer for u in section.units if u.label and u.label.reviewer}
        spoken = [u for u in section.units if _FIELD.sub("", text[u.start : u.end]).strip()]
        for unit, item in find_placed_items(text, spoken, silent=silent):
            context = Span(unit.outer, unit.end)
            comments.append(
                Comment(
                    id=f"{key}-{len(comments) + 1}",
                    source_id=key,
                    reviewer=(unit.label.reviewer if unit.label else "") or speaker,
                    comment=readable(text, (item.span,)),
                    context=readable(text, (context,)),
                    spans=(item.span,),
                    context_spans=(context,),
                    actionable=item.actionable,
                )
            )
    source = SourceText(
        id=key,
        title=PurePath(name).stem,
        text=text,
        media_type=media_type,
        reviewer=named.pop() if len(named) == 1 else "",
        fields=fields,
    )
    return ReviewBundle((source,), tuple(comments))


@dataclass(slots=True)
class _Section:
    title: str | None
    units: list[Unit]


def _sections(text: str) -> list[_Section]:
    """The paragraphs under each title; headings and short lines that name a reviewer are titles."""
    sections = [_Section(None, [])]
    for unit in read_units(MarkedText(text)):
        content = text[unit.start : unit.end]
        short = len(content.splitlines()) == 1 and len(content) <= 80
        if unit.kind == "heading" or (unit.kind == "text" and short and reviewer_name(content) is not None):
            sections.append(_Section(content.lstrip("# "), []))
        elif unit.kind == "text":
            sections[-1].units.append(unit)
    return sections


def write_markdown_comments(
    comments: Sequence[Comment], name: str = "comments.md", title: str = "Response to reviewers"
) -> Export:
    """Comments with their responses as a Markdown letter: a heading per reviewer, each comment quoted, then the answer.

    Comments without a response get an empty place to write in.
    """
    lines = [f"# {inert_line(title)}", ""]
    reviewer: str | None = None
    for comment in comments:
        if comment.reviewer != reviewer:
            reviewer = comment.reviewer
            lines += [f"## {inert_line(reviewer) or 'Reviewer'}", ""]
        for line in inert_markdown(comment.comment.strip()).splitlines():
            lines.append(f"> {line}".rstrip())
        lines += ["", inert_markdown(comment.response.strip()), ""]
    content = ("\n".join(lines).rstrip("\n") + "\n").encode()
    return Export((ExportFile(name, content, "text/markdown"),), comment_loss(comments))


def comment_loss(comments: Sequence[Comment]) -> LossReport:
    """What a letter of comments and responses cannot say."""
    sentences = ["The places of comments in the original reviews are not kept, only their words."]
    if any(c.action for c in comments):
        sentences.append("Action classes are left out.")
    if any(not c.actionable for c in comments):
        sentences.append("Which comments ask for nothing is left out.")
    if any(len(c.spans) > 1 for c in comments):
        sentences.append("Comments of several spans are written as one text.")
    return LossReport(tuple(sentences))
