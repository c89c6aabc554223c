"""``rejoinder paragraphs`` and ``inspect``: a PDF read into paragraphs, and the text that it hides."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import click

from engine.cli.output import PATH, emit, fields, json_option, paragraph_fields, remark
from engine.documents.hidden import Finding, unexamined_words
from engine.documents.service import DocumentService


@click.command()
@click.argument("path", metavar="FILE.pdf", type=PATH)
@json_option
def paragraphs(path: Path, as_json: bool) -> None:
    """Read a PDF into paragraphs in reading order, with their sections and positions on the pages.

    Exit code 1: the PDF has no text, or some of its pages could not be read reliably.
    """
    with DocumentService() as service:
        parsed = service.parse(path)
    remark(*parsed.warnings)
    remark(*(doubt.sentence for doubt in parsed.doubtful))
    if as_json:
        listed = [paragraph_fields(paragraph) for paragraph in parsed.paragraphs]
        doubts = [fields(doubt, "page reason share", text=doubt.sentence) for doubt in parsed.doubtful]
        emit(
            fields(parsed, "seconds title warnings", pages=len(parsed.pages), doubtful_pages=doubts, paragraphs=listed)
        )
    else:
        section = None
        for paragraph in parsed.paragraphs:
            if paragraph.section != section:
                section = paragraph.section
                click.echo(f"\n== {section} ==" if section else "")
            if paragraph.kind == "heading":
                continue
            click.echo(f"[{paragraph.id} p.{paragraph.page} {paragraph.kind}]")
            click.echo(textwrap.fill(paragraph.text, 100, initial_indent="  ", subsequent_indent="  "))
    if not parsed.paragraphs or parsed.warnings or parsed.doubtful:
        sys.exit(1)


@click.command()
@click.argument("path", metavar="FILE.pdf", type=PATH)
@json_option
def inspect(path: Path, as_json: bool) -> None:
    """Look for hidden text in a PDF and for instructions to its reviewer.

    Compares what the pages show with the text they contain. Exit code 1: something was found, or part of the PDF
    couldn't be examined.
    """
    with DocumentService() as service:
        seen = service.inspect(path)
    if as_json:
        if not seen.complete:
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
    elif seen.clean:
        click.echo(f"Nothing hidden in {seen.pages} page{'' if seen.pages == 1 else 's'}.")
    else:
        for title, findings in (("Hidden text", seen.hidden), ("Addressed to the reviewer", seen.injection)):
            for finding in findings:
                place = f"page {finding.page}" if finding.page else "the file"
                click.echo(f"{title}, {place}: {finding.why}\n  {finding.text[:300]}")
        for one in seen.unexamined:
            click.echo(f"Not examined, {f'page {one.page}' if one.page else 'the file'}: {one.why}")
        if not seen.hidden and not seen.injection:
            click.echo("Nothing was found in the parts that could be examined.")
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
