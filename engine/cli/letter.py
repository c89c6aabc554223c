"""``rejoinder letter``: a response letter taken apart."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engine.cli.output import PATH, emit, remark
from engine.errors import BadInput
from engine.exchange.response_reading import read_letter_file
from engine.reviews.layout import unassigned
from engine.reviews.letter import read_letter
from engine.reviews.records import Comment
from engine.shown import counted


@click.command()
@click.argument("path", metavar="LETTER", type=PATH)
@click.option(
    "--reading", type=click.IntRange(1), default=1, show_default=True, help="Which reading to use; see --readings."
)
@click.option("--swap", is_flag=True, help="Swap comments and responses.")
@click.option("--readings", is_flag=True, help="List the possible readings of the letter, best first.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def letter(path: Path, reading: int, swap: bool, readings: bool, as_json: bool) -> None:
    """Split a response letter (Markdown, Org, plain text, Word, LaTeX, PDF, HTML, OpenReview notes) into the reviewers'
    comments and the authors' responses.

    Comments and responses are distinguished by the letter's own marks: colours, fonts, quotation marks, commands and
    labels. Text that belongs to neither is listed as not assigned.

    Offsets are code points in the file's text. For formats other than Markdown and plain text, they refer to the
    converted Markdown in "text". Exit code 1: no comment was recognised.
    """
    from engine.documents.service import DocumentService

    with DocumentService() as service:
        read = read_letter_file(path, service)
    bundle = read_letter(read, title=path.stem)
    if readings:
        for number, one in enumerate(bundle.readings, start=1):
            click.echo(f"{number}  {one.sentence()}")
        return
    if reading > 1 or swap:
        if reading > len(bundle.readings):
            raise BadInput(
                f"{path.name} has {counted(len(bundle.readings), 'reading')}.",
                "It was not read.",
                "List them with --readings.",
            )
        chosen = bundle.readings[reading - 1]
        bundle = read_letter(read, title=path.stem, reading=chosen.swap() if swap else chosen)
    left = unassigned(read.text, bundle.comments)
    remark(*read.warnings, *bundle.warnings)
    if as_json:
        whole = {"text": read.text} if read.converted else {}
        comments = [_fields(comment) for comment in bundle.comments]
        emit({
            "comments": comments,
            "warnings": [*read.warnings, *bundle.warnings],
            "reading": bundle.reading.sentence() if bundle.reading else "",
            "doubtful": bool(bundle.reading and bundle.reading.doubtful),
            "unassigned": [{"start": s.start, "end": s.end, "text": read.text[s.start : s.end]} for s in left],
            **whole,
        })  # fmt: skip
    else:
        for comment in bundle.comments:
            mark = "" if comment.actionable else " (no request)"
            click.echo(f"[{comment.id}] {comment.reviewer}{mark}\n{comment.comment}")
            click.echo(f"  -> {comment.response or '(no response)'}\n")
        for span in left:
            click.echo(f"Not assigned: {read.text[span.start : span.end]}\n")
        if bundle.reading:
            remark(f"Read as: {bundle.reading.remark()}")
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
