"""``rejoinder edits`` and ``marked``: the paragraph edits between two versions of a paper, as a list and on the PDF."""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import click

from engine.cli.output import FILE, PATH, emit, fields, group_option, json_option, paragraph_fields, remark, write
from engine.documents.records import Paragraph, ParsedDocument
from engine.documents.service import DocumentService
from engine.revision.cells import cell_changes
from engine.revision.changes_report import ChangeList, changes_html, changes_pdf
from engine.revision.differences import diff_form, word_changes
from engine.revision.edits import compare
from engine.revision.marked import marked_pdf
from engine.revision.presentation import doubts, folded, in_groups
from engine.revision.records import GROUPS, Edit, RevisionDiff
from engine.shown import counted


@click.command()
@click.argument("old", metavar="OLD.pdf", type=PATH)
@click.argument("new", metavar="NEW.pdf", type=PATH)
@json_option
@click.option("--html", type=FILE, help="Write the list of changes as a web page.")
@click.option("--pdf", type=FILE, help="Write the list of changes as a PDF.")
@group_option("List edits in this group and only count the others. Repeatable. JSON always has all edits.")
def edits(*, old: Path, new: Path, as_json: bool, html: Path | None, pdf: Path | None, groups: tuple[str, ...]) -> None:
    """List the paragraph edits between two versions of a paper.

    Exit code 1: a version has no text to compare.
    """
    started = time.perf_counter()
    source, target = read_pair(old, new)
    diff = compare(source.paragraphs, target.paragraphs)
    seconds = time.perf_counter() - started
    for path, document in ((old, source), (new, target)):
        remark(*(f"{path.name}: {warning}" for warning in document.warnings))
    shown = in_groups(diff.edits, groups)
    listed = ChangeList(
        shown,
        source.paragraphs,
        target.paragraphs,
        subtitle=target.title,
        source_name=old.name,
        target_name=new.name,
        made=f"{datetime.datetime.now().astimezone():%Y-%m-%d}",
        folded=folded(diff.edits, groups),
    )
    if html is not None:
        write(html, changes_html(listed).encode())
    if pdf is not None:
        with DocumentService() as service:
            write(pdf, changes_pdf(listed, service))
    if as_json:
        emit(_document(source, target, diff, seconds))
    elif html is None and pdf is None:
        _print(shown, diff, listed.folded, lambda edit: doubts(edit, source, target))
    if not (source.paragraphs and target.paragraphs):
        sys.exit(1)


@click.command()
@click.argument("old", metavar="OLD.pdf", type=PATH)
@click.argument("new", metavar="NEW.pdf", type=PATH)
@click.option("--out", required=True, type=FILE, help="The PDF to write. NEW.pdf isn't changed.")
@json_option
def marked(old: Path, new: Path, out: Path, as_json: bool) -> None:
    """Mark additions, deletions and moves on the revised PDF.

    The marks are PDF annotations that every reader shows. Exit code 1: a version has no text to compare, or a damaged
    page couldn't be marked.
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
    write(out, made.content, quiet=True)
    if made.left_out:
        remark(f"{made.left_out} marks were left out because their pages are damaged.")
    document = {
        "path": str(out.absolute()),
        "seconds": round(time.perf_counter() - started, 3),
        "edits": len(diff.edits),
        "marks": made.marks,
        "left_out": made.left_out,
    }
    emit(document) if as_json else click.echo(
        f"Wrote {out}: {counted(len(diff.edits), 'edit')}, {counted(made.marks, 'mark')}."
    )
    sys.exit(0 if source.paragraphs and target.paragraphs and not made.left_out else 1)


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
        "groups": {group: sum(edit.group == group for edit in diff.edits) for group in GROUPS},
        "unchanged": len(diff.unchanged),
        "unchanged_pairs": [[list(old), list(new)] for old, new in diff.unchanged],
    }


def _fields(edit: Edit, source: ParsedDocument, target: ParsedDocument) -> dict[str, object]:
    source_pages, target_pages = _pages(source.paragraphs), _pages(target.paragraphs)
    return fields(
        edit,
        "kind group moved source_ids target_ids source_text target_text operation section tokens_removed tokens_added",
        edit_id=edit.id,
        source_pages=sorted({source_pages[i] for i in edit.source_ids}),
        target_pages=sorted({target_pages[i] for i in edit.target_ids}),
        cells=[asdict(cell) for cell in cell_changes(edit)],
        doubts=list(doubts(edit, source, target)),
    )


def _pages(paragraphs: tuple[Paragraph, ...]) -> dict[str, int]:
    return {paragraph.id: paragraph.page for paragraph in paragraphs}


def _print(
    shown: Sequence[Edit], diff: RevisionDiff, folded_away: str, doubts_of: Callable[[Edit], Sequence[str]]
) -> None:
    for edit in shown:
        place = f" [{edit.section}]" if edit.section else ""
        moved = ", moved" if edit.moved and edit.kind != "moved" else ""
        click.echo(f"{edit.id} {edit.kind}{moved}{place}")
        for sentence in doubts_of(edit):
            click.echo(f"  ! {sentence}")
        cells = cell_changes(edit)
        for cell in cells:
            click.echo(f"  {cell.place}: {cell.old or '(none)'} → {cell.new or '(none)'}")
        if not cells:
            click.echo(f"  {diff_form(word_changes(edit.source_text, edit.target_text))}")
        click.echo()
    left = f" Not listed: {folded_away} (--group all lists them)." if folded_away else ""
    click.echo(f"{counted(len(shown), 'edit')}; {counted(len(diff.unchanged), 'paragraph')} unchanged.{left}")
