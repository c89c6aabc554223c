"""Reviews as Markdown, and comments with responses as a Markdown letter of quote blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.exchange.plain_text import combine, comment_loss, read_review
from engine.exchange.records import Export, ExportFile
from engine.reviews.records import Comment, ReviewBundle
from engine.shown import inert_line, inert_markdown


def read_reviews(files: Iterable[tuple[str, str]]) -> ReviewBundle:
    """Reviews from (file name, text) pairs as Markdown; see ``plain_text.read_review``."""
    return combine(read_review(text, name, media_type="text/markdown") for name, text in files)


def write_comments(
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
