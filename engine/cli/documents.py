"""``rejoinder paragraphs``: a PDF read into paragraphs."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import click

from engine.cli.fields import paragraph_fields
from engine.cli.output import emit, remark
from engine.documents.service import DocumentService


@click.command()
@click.argument("path", metavar="FILE.pdf", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def paragraphs(path: Path, as_json: bool) -> None:
    """Read a PDF into paragraphs in reading order, with their sections and places on the pages.

    Exit 1 where the PDF has no text, or some of its pages could not be read or trusted.
    """
    with DocumentService() as service:
        parsed = service.parse(path)
    for warning in parsed.warnings:
        remark(warning)
    for doubt in parsed.doubtful:
        remark(doubt.sentence)
    if as_json:
        emit(
            {
                "pages": len(parsed.pages),
                "seconds": parsed.seconds,
                "title": parsed.title,
                "warnings": list(parsed.warnings),
                "doubtful_pages": [
                    {"page": d.page, "reason": d.reason, "share": d.share, "text": d.sentence} for d in parsed.doubtful
                ],
                "paragraphs": [paragraph_fields(p) for p in parsed.paragraphs],
            }
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
