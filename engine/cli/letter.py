"""``rejoinder letter``: a response letter taken apart."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engine.cli.output import emit, remark
from engine.exchange.response_reading import read_letter_file
from engine.reviews.letter import read_letter
from engine.reviews.records import Comment


@click.command()
@click.argument("path", metavar="LETTER", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def letter(path: Path, as_json: bool) -> None:
    """Take a response letter (Markdown, plain text, Word, LaTeX, PDF, OpenReview notes) apart into the reviewers'
    comments and the authors' responses.

    Offsets are code points of the file's text; of Word, LaTeX, PDF and notes, of the Markdown that was made of it,
    which is in "text" then. Exit 1 where no comment was recognised.
    """
    from engine.documents.service import DocumentService

    with DocumentService() as service:
        read = read_letter_file(path, service)
    bundle = read_letter(read, title=path.stem)
    for warning in (*read.warnings, *bundle.warnings):
        remark(warning)
    if as_json:
        whole = {"text": read.text} if read.converted else {}
        comments = [_fields(comment) for comment in bundle.comments]
        emit({"comments": comments, "warnings": [*read.warnings, *bundle.warnings], **whole})
    else:
        for comment in bundle.comments:
            mark = "" if comment.actionable else " (no request)"
            click.echo(f"[{comment.id}] {comment.reviewer}{mark}\n{comment.comment}")
            click.echo(f"  -> {comment.response or '(no response)'}\n")
    if not bundle.comments:
        sys.exit(1)


def _fields(comment: Comment) -> dict[str, object]:
    return {
        "comment_id": comment.id,
        "reviewer": comment.reviewer,
        "comment": comment.comment,
        "context": comment.context,
        "response": comment.response,
        "start": min(s.start for s in comment.spans),
        "end": max(s.end for s in comment.spans),
        "spans": [[s.start, s.end] for s in comment.spans],
        "context_spans": [[s.start, s.end] for s in comment.context_spans],
        "response_spans": [[s.start, s.end] for s in comment.response_spans],
        "actionable": comment.actionable,
    }
