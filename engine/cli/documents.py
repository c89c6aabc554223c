"""``rejoinder paragraphs`` and ``inspect``: parses a PDF into paragraphs, and lists the text that it hides."""

import sys
import textwrap
from pathlib import Path

import click

from engine.cli.output import PATH, Command, emit, fields, hint, paragraph_fields, remark, say, wants_json
from engine.documents.hidden import Finding, unexamined_words
from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.exchange.response_reading import read_letter_file
from engine.reviews.items import asks
from engine.reviews.layout import unassigned
from engine.reviews.letter import read_letter
from engine.reviews.records import Comment
from engine.shown import counted


@click.command(cls=Command)
@click.argument("path", metavar="FILE.pdf", type=PATH)
def paragraphs(path: Path) -> None:
    """Read a PDF into paragraphs in reading order, with their sections and positions on the pages.

    Exit code 1: the PDF has no text, or some of its pages could not be read reliably.
    """
    with DocumentService() as service:
        parsed = service.parse(path)
    remark(*parsed.warnings)
    remark(*(doubt.sentence for doubt in parsed.doubtful))
    listed = [paragraph_fields(paragraph) for paragraph in parsed.paragraphs]
    doubts = [fields(doubt, "page reason share", text=doubt.sentence) for doubt in parsed.doubtful]
    emit(fields(parsed, "seconds title warnings", pages=len(parsed.pages), doubtful_pages=doubts, paragraphs=listed))
    section = None
    for paragraph in parsed.paragraphs:
        if paragraph.section != section:
            section = paragraph.section
            say(f"\n== {section} ==" if section else "")
        if paragraph.kind == "heading":
            continue
        say(f"[{paragraph.id} p.{paragraph.page} {paragraph.kind}]")
        say(textwrap.fill(paragraph.text, 100, initial_indent="  ", subsequent_indent="  "))
    if not parsed.paragraphs or parsed.warnings or parsed.doubtful:
        sys.exit(1)


@click.command(cls=Command)
@click.argument("path", metavar="FILE.pdf", type=PATH)
def inspect(path: Path) -> None:
    """Look for hidden text in a PDF and for instructions to its reviewer.

    Compares what the pages show with the text they contain. Exit code 1: something was found, or part of the PDF
    couldn't be examined.
    """
    with DocumentService() as service:
        seen = service.inspect(path)
    if wants_json() and not seen.complete:
        remark(unexamined_words(seen))
    emit(
        fields(
            seen,
            "encrypted pages complete seconds",
            hidden_text=[_fields(finding) for finding in seen.hidden],
            injection=[_fields(finding) for finding in seen.injection],
            unexamined=[fields(one, "page why") for one in seen.unexamined],
        )
    )
    if seen.clean:
        say(f"Nothing hidden in {seen.pages} page{'' if seen.pages == 1 else 's'}.")
    else:
        for title, findings in (("Hidden text", seen.hidden), ("Addressed to the reviewer", seen.injection)):
            for finding in findings:
                place = f"page {finding.page}" if finding.page else "the file"
                say(f"{title}, {place}: {finding.why}\n  {finding.text[:300]}")
        for one in seen.unexamined:
            say(f"Not examined, {f'page {one.page}' if one.page else 'the file'}: {one.why}")
        if not seen.hidden and not seen.injection:
            say("Nothing was found in the parts that could be examined.")
    if not seen.clean:
        sys.exit(1)


def _fields(finding: Finding) -> dict[str, object]:
    box = finding.box
    return fields(
        finding,
        "page text why way",
        box=[box.x0, box.y0, box.x1, box.y1] if box is not None else None,
        boxes=[[b.page, b.x0, b.y0, b.x1, b.y1] for b in finding.boxes],
    )


@click.command(cls=Command)
@click.argument("path", metavar="LETTER", type=PATH)
@click.option("--reading", type=click.IntRange(1), default=1, help="Which reading to use; see --readings.")
@click.option("--swap", is_flag=True, help="Swap comments and responses.")
@click.option("--readings", is_flag=True, help="List the possible readings of the letter, best first.")
def letter(path: Path, reading: int, swap: bool, readings: bool) -> None:
    """Split a response letter (Markdown, Org, plain text, Word, LaTeX, PDF, HTML, OpenReview notes) into the reviewers'
    comments and the authors' responses.

    Comments and responses are distinguished by the letter's own marks: colours, fonts, quotation marks, commands and
    labels. Text that belongs to neither is listed as not assigned.

    Offsets are code points in the file's text. For formats other than Markdown and plain text, and for Markdown with
    tables of comments, they refer to the converted Markdown in "text". Exit code 1: no comment was recognised.
    """
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
    whole = {"text": read.text} if read.converted or read.marks else {}
    comments = [_letter_fields(comment) for comment in bundle.comments]
    emit({
        "comments": comments,
        "warnings": [*read.warnings, *bundle.warnings],
        "reading": bundle.reading.sentence() if bundle.reading else "",
        "doubtful": bool(bundle.reading and bundle.reading.doubtful),
        "unassigned": [{"start": s.start, "end": s.end, "text": read.text[s.start : s.end]} for s in left],
        **whole,
    })  # fmt: skip
    for comment in bundle.comments:
        mark = "" if comment.actionable else " (no request)"
        say(f"[{comment.id}] {comment.reviewer}{mark}\n{comment.comment}")
        say(f"  -> {comment.response or '(no response)'}\n")
    for span in left:
        say(f"Not assigned: {read.text[span.start : span.end]}\n")
    if bundle.reading:
        hint(f"Read as: {bundle.reading.remark()}")
    if not bundle.comments:
        sys.exit(1)


def _letter_fields(comment: Comment) -> dict[str, object]:
    spans = {
        name: [[s.start, s.end] for s in getattr(comment, name)]
        for name in ("spans", "context_spans", "response_spans")
    }
    return fields(
        comment,
        "reviewer comment context response actionable",
        asks=asks(comment.comment) if comment.actionable else "no",
        comment_id=comment.id,
        start=min(s.start for s in comment.spans),
        end=max(s.end for s in comment.spans),
        **spans,
    )
