"""``rejoinder marked``: the revised PDF with the changes marked on it."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from engine.cli.edits import read_pair
from engine.cli.output import emit, remark
from engine.documents.service import DocumentService
from engine.files import write_whole
from engine.revision.edits import compare
from engine.revision.marked import marked_pdf


@click.command()
@click.argument("old", metavar="OLD.pdf", type=click.Path(path_type=Path))
@click.argument("new", metavar="NEW.pdf", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The PDF to write; NEW.pdf stays."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def marked(old: Path, new: Path, out: Path, as_json: bool) -> None:
    """Mark on the revised PDF what was added, deleted and moved.

    The marks are PDF annotations that every reader shows. Exit 1 where a version has no text to compare, or where a
    damaged page took no marks.
    """
    started = time.perf_counter()
    source, target = read_pair(old, new)
    diff = compare(source.paragraphs, target.paragraphs)
    with DocumentService() as service:
        made = marked_pdf(
            new.read_bytes(),
            diff,
            source.paragraphs,
            target.paragraphs,
            service,
            title=target.title or new.stem,
            source_name=old.name,
        )
    write_whole(out, made.content)
    if made.left_out:
        remark(f"{made.left_out} marks were left out: their pages are damaged.")
    document = {
        "path": str(out.absolute()),
        "seconds": round(time.perf_counter() - started, 3),
        "edits": len(diff.edits),
        "marks": made.marks,
        "left_out": made.left_out,
    }
    emit(document) if as_json else click.echo(f"Wrote {out}: {len(diff.edits)} edits, {made.marks} marks.")
    sys.exit(0 if source.paragraphs and target.paragraphs and not made.left_out else 1)
