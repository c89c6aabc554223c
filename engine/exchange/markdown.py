"""Reviews as Markdown, and comments with responses as a Markdown letter of quote blocks."""

from __future__ import annotations

from collections.abc import Sequence

from engine.exchange.plain_text import comment_loss
from engine.exchange.records import Export, ExportFile
from engine.reviews.records import Comment
from engine.shown import inert_line, inert_markdown


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
