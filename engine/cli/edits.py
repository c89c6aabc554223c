"""``rejoinder edits``: the paragraph edits between two versions of a paper."""

from __future__ import annotations

import datetime
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from engine.cli.fields import paragraph_fields
from engine.cli.output import emit, remark
from engine.documents.records import Paragraph, ParsedDocument
from engine.documents.service import DocumentService
from engine.files import write_whole
from engine.revision.changes_report import ChangeList, changes_html, changes_pdf
from engine.revision.differences import diff_form, word_changes
from engine.revision.edits import compare
from engine.revision.records import Edit, RevisionDiff


@click.command()
@click.argument("old", metavar="OLD.pdf", type=click.Path(path_type=Path))
@click.argument("new", metavar="NEW.pdf", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), help="Write the list of changes as a web page."
)
@click.option("--pdf", type=click.Path(path_type=Path, dir_okay=False), help="Write the list of changes as a PDF.")
def edits(old: Path, new: Path, as_json: bool, html: Path | None, pdf: Path | None) -> None:
    """List the paragraph edits between two versions of a paper.

    Exit 1 where a version has no text to compare.
    """
    started = time.perf_counter()
    source, target = read_pair(old, new)
    diff = compare(source.paragraphs, target.paragraphs)
    seconds = time.perf_counter() - started
    for path, document in ((old, source), (new, target)):
        for warning in document.warnings:
            remark(f"{path.name}: {warning}")
    listed = ChangeList(
        diff.edits,
        source.paragraphs,
        target.paragraphs,
        subtitle=target.title,
        source_name=old.name,
        target_name=new.name,
        made=f"{datetime.datetime.now().astimezone():%Y-%m-%d}",
    )
    if html is not None:
        _write(html, changes_html(listed).encode())
    if pdf is not None:
        with DocumentService() as service:
            _write(pdf, changes_pdf(listed, service))
    if as_json:
        emit(_document(source, target, diff, seconds))
    elif html is None and pdf is None:
        _print(diff, source, target)
    if not (source.paragraphs and target.paragraphs):
        sys.exit(1)


def read_pair(old: Path, new: Path) -> tuple[ParsedDocument, ParsedDocument]:
    """Both versions, read at the same time in processes of their own."""
    with DocumentService() as first, DocumentService() as second, ThreadPoolExecutor(2) as pool:
        readings = [pool.submit(service.parse, path) for service, path in ((first, old), (second, new))]
        source, target = (reading.result() for reading in readings)
    return source, target


def _document(source: ParsedDocument, target: ParsedDocument, diff: RevisionDiff, seconds: float) -> dict[str, object]:
    return {
        "seconds": round(seconds, 3),
        "source_paragraphs": [paragraph_fields(paragraph) for paragraph in source.paragraphs],
        "target_paragraphs": [paragraph_fields(paragraph) for paragraph in target.paragraphs],
        "edits": [_fields(edit, source, target) for edit in diff.edits],
        "unchanged": len(diff.unchanged),
        "unchanged_pairs": [[list(old), list(new)] for old, new in diff.unchanged],
    }


def _fields(edit: Edit, source: ParsedDocument, target: ParsedDocument) -> dict[str, object]:
    source_pages, target_pages = _pages(source.paragraphs), _pages(target.paragraphs)
    return {
        "edit_id": edit.id,
        "kind": edit.kind,
        "moved": edit.moved,
        "source_ids": list(edit.source_ids),
        "target_ids": list(edit.target_ids),
        "source_text": edit.source_text,
        "target_text": edit.target_text,
        "operation": edit.operation,
        "section": edit.section,
        "source_pages": sorted({source_pages[i] for i in edit.source_ids}),
        "target_pages": sorted({target_pages[i] for i in edit.target_ids}),
        "tokens_removed": edit.tokens_removed,
        "tokens_added": edit.tokens_added,
        "doubts": list(edit.doubts(source, target)),
    }


def _pages(paragraphs: tuple[Paragraph, ...]) -> dict[str, int]:
    return {paragraph.id: paragraph.page for paragraph in paragraphs}


def _print(diff: RevisionDiff, source: ParsedDocument, target: ParsedDocument) -> None:
    for edit in diff.edits:
        place = f" [{edit.section}]" if edit.section else ""
        moved = ", moved" if edit.moved and edit.kind != "moved" else ""
        click.echo(f"{edit.id} {edit.kind}{moved}{place}")
        for doubt in edit.doubts(source, target):
            click.echo(f"  ! {doubt}")
        click.echo(f"  {diff_form(word_changes(edit.source_text, edit.target_text))}\n")
    click.echo(f"{len(diff.edits)} edits; {len(diff.unchanged)} paragraphs did not change.")


def _write(path: Path, content: bytes) -> None:
    write_whole(path, content)
    remark(f"Wrote {path}.")
