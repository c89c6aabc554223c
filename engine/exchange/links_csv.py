"""Links as CSV: a row per link, and one for each comment without a link, for spreadsheets and scripts."""

from __future__ import annotations

from typing import get_args

from engine.errors import BadInput
from engine.exchange.io import csv_text, parse_table
from engine.exchange.records import Export, ExportFile, Linking, LossReport, OutsideLink, OutsideLinks
from engine.exchange.tables import number
from engine.reviews.records import Comment
from engine.revision.records import CommentState, Edit, Link

COLUMNS = (
    "comment_id", "reviewer", "comment", "response", "actionable", "action", "state", "edit_id", "edit_label",
    "edit_kind", "section", "source_text", "target_text", "confidence", "note", "origin", "annotator",
)  # fmt: skip


def write_links(linking: Linking, name: str = "links.csv") -> Export:
    """The links of a revision: UTF-8 with a byte order mark (for spreadsheets), comma, quotes where needed."""
    rows: list[tuple[str, ...]] = []
    edits = {e.id: e for e in linking.edits}
    states = {s.comment_id: s.state for s in linking.states}
    for comment in linking.comments:
        own = [link for link in linking.links if link.comment_id == comment.id and link.edit_id in edits]
        for link in own:
            rows.append(
                (
                    *_comment_cells(comment, states.get(comment.id, "undecided")),
                    *_edit_cells(edits[link.edit_id]),
                    *_link_cells(link, linking.annotator_name(link.annotator_id)),
                )
            )
        if not own:
            cells = _comment_cells(comment, states.get(comment.id, "undecided"))
            rows.append((*cells, *("",) * (len(COLUMNS) - len(cells))))
    content = csv_text(rows, COLUMNS, line_end="\r\n").encode("utf-8-sig", "replace")
    return Export((ExportFile(name, content, "text/csv"),), _loss(linking))


def _comment_cells(comment: Comment, state: str) -> tuple[str, ...]:
    actionable = "yes" if comment.actionable else "no"
    return (
        comment.id, comment.reviewer, comment.comment, comment.response, actionable, comment.action or "", state,
    )  # fmt: skip


def _edit_cells(edit: Edit) -> tuple[str, ...]:
    return edit.id, edit.label, edit.kind, edit.section, edit.source_text, edit.target_text


def _link_cells(link: Link, annotator: str) -> tuple[str, ...]:
    return "" if link.confidence is None else repr(link.confidence), link.note, link.origin, annotator


def _loss(linking: Linking) -> LossReport:
    sentences = ["Places in the reviews and in the papers are left out; the texts stand in their place."]
    if any(s.note for s in linking.states):
        sentences.append("Notes on states are left out.")
    linked = {link.edit_id for link in linking.links}
    bare = sum(e.id not in linked for e in linking.edits)
    if bare:
        sentences.append(f"{bare} edits without a comment are left out.")
    return LossReport(tuple(sentences))


def read_links(text: str, name: str) -> OutsideLinks:
    """Links from a table with a header line. ``comment_id`` and ``edit_id`` (or the texts in their place) are needed,
    other columns may be missing or further.

    Raises:
        BadInput: the columns are not there, or the file is no CSV.
    """
    table = parse_table(text, name)
    records = table.records(fold=True)
    header = {column.lower().replace(" ", "_") for column in table.columns}
    if not ({"comment_id", "comment"} & header and {"edit_id", "target_text", "source_text"} & header):
        raise BadInput(
            f"{name} has no columns comment_id and edit_id.", "Nothing was imported.", "Name them in the first line."
        )
    links = []
    warnings = list(table.warnings)
    for at, cells in records:
        state = cells.get("state", "")
        known: CommentState | None = state if state in get_args(CommentState) else None  # type: ignore[assignment]
        if state and known is None:
            warnings.append(f"Row {at} has the unknown state “{state}”; it was left out.")
        given = cells.get("confidence", "")
        confidence = number(given)
        if given.strip() and confidence is None:
            warnings.append(f"Row {at} has the confidence “{given}”, which is no number; it was left out.")
        links.append(
            OutsideLink(
                comment_id=cells.get("comment_id", ""),
                edit_id=cells.get("edit_id", ""),
                comment_quote=cells.get("comment", ""),
                edit_quote=cells.get("target_text", "") or cells.get("source_text", ""),
                confidence=confidence,
                note=cells.get("note", ""),
                annotator=cells.get("annotator", ""),
                state=known,
            )
        )
    return OutsideLinks(tuple(links), tuple(warnings))
