"""Reads reviews in plain text or Markdown, possibly several per file; writes comments with responses as a letter."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Literal

from engine.errors import BadInput
from engine.exchange.limits import LETTER_CHARACTERS, check_size
from engine.exchange.records import Export, ExportFile
from engine.reviews.letter import review_comments
from engine.reviews.marks import MarkedText
from engine.reviews.naming import FIELD, head_name, reviewer_name
from engine.reviews.records import Comment, ReviewBundle, SourceText
from engine.shown import inert_line, inert_markdown


def read_review(
    text: str, name: str, *, media_type: Literal["text/plain", "text/markdown"] = "text/plain", reviewer: str = ""
) -> ReviewBundle:
    """Reads a review text and the comments found in it, one per paragraph or list item.

    Praise, summaries and connecting phrases are marked as not requesting anything. The text is kept whole. Headings or
    lines that name a reviewer apply to the comments that follow; lines such as "Rating: 6" become fields. ``name`` is
    the file's name and becomes the text's id.

    Raises BadInput if the text is empty or too large.
    """
    check_size(len(text), LETTER_CHARACTERS, name, "characters")
    if not text.strip():
        raise BadInput(f"{name} is empty.", "Nothing was imported.", "Choose another file.")
    stem = PurePath(name).stem.replace("_", " ").replace("-", " ")
    speaker = reviewer or head_name(text) or reviewer_name(stem) or ""
    found, warnings = review_comments(MarkedText(text, converted=media_type == "text/markdown"), name)
    comments = tuple(replace(comment, reviewer=comment.reviewer or speaker) for comment in found)
    named = {comment.reviewer for comment in comments if comment.reviewer} or {speaker}
    source = SourceText(
        id=name,
        title=PurePath(name).stem,
        text=text,
        media_type=media_type,
        reviewer=named.pop() if len(named) == 1 else "",
        fields=tuple((m["name"].strip(), m["value"].strip()) for m in map(FIELD.match, text.splitlines()) if m),
    )
    return ReviewBundle((source,), comments, warnings)


def write_markdown_comments(comments: Sequence[Comment], name: str = "comments.md") -> Export:
    """Writes comments as a Markdown letter: a heading per reviewer, each comment quoted, followed by its response. A
    comment without a response is followed by empty lines."""
    lines = ["# Response to reviewers", ""]
    reviewer: str | None = None
    for comment in comments:
        if comment.reviewer != reviewer:
            reviewer = comment.reviewer
            lines += [f"## {inert_line(reviewer) or 'Reviewer'}", ""]
        for line in inert_markdown(comment.comment.strip()).splitlines():
            lines.append(f"> {line}".rstrip())
        lines += ["", inert_markdown(comment.response.strip()), ""]
    content = ("\n".join(lines).rstrip("\n") + "\n").encode()
    return Export((ExportFile(name, content),), comment_loss(comments))


def comment_loss(comments: Sequence[Comment]) -> tuple[str, ...]:
    """Returns sentences on what a letter of comments and responses leaves out."""
    sentences = ["Only the text of comments is kept, not their positions in the original reviews."]
    if any(c.action for c in comments):
        sentences.append("Action classes are left out.")
    if any(not c.actionable for c in comments):
        sentences.append("It isn't recorded which comments request nothing.")
    if any(len(c.spans) > 1 for c in comments):
        sentences.append("Comments of several spans are written as one text.")
    return tuple(sentences)
