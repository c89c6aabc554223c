"""``rejoinder inspect``: the text that a PDF holds and does not show."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engine.cli.output import emit, remark
from engine.documents.hidden import Finding, unexamined_words
from engine.documents.service import DocumentService


@click.command()
@click.argument("path", metavar="FILE.pdf", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def inspect(path: Path, as_json: bool) -> None:
    """Compare what a PDF draws with the text that it yields, and look for words that speak to its reviewer.

    Exit 1 if something was found, or if anything could not be examined: that nothing was found there says nothing.
    """
    with DocumentService() as service:
        seen = service.inspect(path)
    if as_json:
        if not seen.complete:
            remark(unexamined_words(seen))
        emit(
            {
                "hidden_text": [_fields(f) for f in seen.hidden],
                "injection": [_fields(f) for f in seen.injection],
                "encrypted": seen.encrypted,
                "pages": seen.pages,
                "complete": seen.complete,
                "unexamined": [{"page": one.page, "why": one.why} for one in seen.unexamined],
                "seconds": seen.seconds,
            }
        )
    elif seen.clean:
        click.echo(f"Nothing hidden in {seen.pages} page{'' if seen.pages == 1 else 's'}.")
    else:
        for title, findings in (("Hidden text", seen.hidden), ("Words to the reviewer", seen.injection)):
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
    return {
        "page": finding.page,
        "box": [box.x0, box.y0, box.x1, box.y1] if box is not None else None,
        "boxes": [[b.page, b.x0, b.y0, b.x1, b.y1] for b in finding.boxes],
        "text": finding.text,
        "why": finding.why,
        "way": finding.way,
    }
