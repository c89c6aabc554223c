"""Reads and writes links as CSV, one row per link or comment without a link, and matches links of any file to a project
by id, or else by the words quoted."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from engine.errors import not_imported
from engine.exchange.io import csv_text, parse_table
from engine.exchange.records import Export, ExportFile, Linking, OutsideLink, OutsideLinks
from engine.exchange.tables import number
from engine.reviews.records import Comment
from engine.revision.groups import doubts
from engine.revision.records import CommentJudgement, CommentState, Edit, NewLink
from engine.shown import counted

COLUMNS = (
    "comment_id", "reviewer", "comment", "response", "actionable", "action", "state", "edit_id", "edit_label",
    "edit_kind", "edit_group", "section", "source_text", "target_text", "confidence", "note", "origin", "annotator",
    "doubt",
)  # fmt: skip


_EDIT = ("id", "label", "sort", "group", "section", "source_text", "target_text")


def write_links(linking: Linking, name: str = "links.csv") -> Export:
    """Returns a revision's links in UTF-8 with a byte order mark (for spreadsheets), separated by commas."""
    rows: list[tuple[str, ...]] = []
    edits = {e.id: e for e in linking.edits}
    doubted = doubts(linking.edits, linking.source, linking.target)
    states = {s.comment_id: s.state for s in linking.states}
    for comment in linking.comments:
        own = [link for link in linking.links if link.comment_id == comment.id and link.edit_id in edits]
        cells = (
            comment.id, comment.reviewer, comment.comment, comment.response, "yes" if comment.actionable else "no",
            comment.action or "", states.get(comment.id, "undecided"),
        )  # fmt: skip
        rows += [
            (
                *cells,
                *(getattr(edits[link.edit_id], name) for name in _EDIT),
                "" if link.confidence is None else repr(link.confidence),
                *(link.note, link.origin, linking.annotator_name(link.annotator_id)),
                " ".join(doubted.get(link.edit_id, ())),
            )
            for link in own
        ]
        if not own:
            rows.append((*cells, *("",) * (len(COLUMNS) - len(cells))))
    content = csv_text(rows, COLUMNS, line_end="\r\n").encode("utf-8-sig", "replace")
    return Export((ExportFile(name, content),), _loss(linking))


def _loss(linking: Linking) -> tuple[str, ...]:
    sentences = ["Positions in reviews and papers are left out. The texts are written instead."]
    if any(s.note for s in linking.states):
        sentences.append("Notes on states are left out.")
    linked = {link.edit_id for link in linking.links}
    bare = sum(e.id not in linked for e in linking.edits)
    if bare:
        sentences.append(f"{counted(bare, 'edit without a comment is', 'edits without a comment are')} left out.")
    return tuple(sentences)


def read_links(text: str, name: str) -> OutsideLinks:
    """Reads links from a table with a header line. ``comment_id`` and ``edit_id``, or columns with the texts, are
    required; other columns are optional or ignored. Raises BadInput if columns are missing or the file isn't CSV."""
    table = parse_table(text, name)
    records = table.records(fold=True)
    header = {column.lower().replace(" ", "_") for column in table.columns}
    if not ({"comment_id", "comment"} & header and {"edit_id", "target_text", "source_text"} & header):
        raise not_imported(f"{name} has no columns comment_id and edit_id.", "Add them to the first line.")
    links = []
    warnings = list(table.warnings)
    for at, cells in records:
        state = cells.get("state", "")
        known: CommentState | None = state if state in get_args(CommentState) else None  # type: ignore[assignment]
        if state and known is None:
            warnings.append(f"Row {at} has the unknown state “{state}” and was left out.")
        given = cells.get("confidence", "")
        confidence = number(given)
        if given.strip() and confidence is None:
            warnings.append(f"Row {at} has the confidence “{given}”, which isn't a number, so it was left out.")
        links.append(
            OutsideLink(
                comment_id=cells.get("comment_id", ""),
                edit_id=cells.get("edit_id", ""),
                comment_quote=cells.get("comment", ""),
                edit_quote=cells.get("target_text", "") or cells.get("source_text", ""),
                confidence=confidence,
                note=cells.get("note", ""),
                state=known,
            )
        )
    return OutsideLinks(tuple(links), tuple(warnings))


@dataclass(frozen=True, slots=True)
class Resolved:
    """Links and states that can be imported into a project, and warnings about others."""

    links: tuple[NewLink, ...]
    states: tuple[CommentJudgement, ...]
    warnings: tuple[str, ...] = ()


def resolve_links(links: Sequence[OutsideLink], comments: Sequence[Comment], edits: Sequence[Edit]) -> Resolved:
    """Finds the comments and edits of ``links``: by key, by external id or label, or by quoted words that occur in
    exactly one comment or edit. Unknown or ambiguous ones are counted in a warning."""
    comment_ids = _unique([(c.id, c.id) for c in comments] + [(c.external_id, c.id) for c in comments if c.external_id])
    edit_ids = _unique([(e.id, e.id) for e in edits] + [(e.label, e.id) for e in edits if e.label])
    comment_words = [(_plain(c.comment), c.id) for c in comments]
    edit_words = [(_plain(side), e.id) for e in edits for side in (e.target_text, e.source_text) if side]
    found: dict[tuple[str, str], NewLink] = {}
    states: dict[str, CommentJudgement] = {}
    unknown_comments = unknown_edits = 0
    for link in links:
        comment = comment_ids.get(link.comment_id) or _quoted(link.comment_quote, comment_words)
        if comment is None:
            unknown_comments += 1
            continue
        if link.state is not None:
            states[comment] = CommentJudgement(comment, link.state)
        if not link.edit_id and not link.edit_quote:
            continue
        edit = edit_ids.get(link.edit_id) or _quoted(link.edit_quote, edit_words)
        if edit is None:
            unknown_edits += 1
            continue
        found.setdefault((comment, edit), NewLink(comment, edit, link.confidence, link.note))
    warnings = []
    if unknown_comments:
        warnings.append(f"{unknown_comments} of {len(links)} rows name a comment that isn't in this project.")
    if unknown_edits:
        warnings.append(f"{unknown_edits} of {len(links)} rows name an edit that isn't in this comparison.")
    return Resolved(tuple(found.values()), tuple(states.values()), tuple(warnings))


def _unique(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Returns the names that refer to exactly one key."""
    meant: dict[str, set[str]] = {}
    for name, key in pairs:
        meant.setdefault(name, set()).add(key)
    return {name: next(iter(keys)) for name, keys in meant.items() if len(keys) == 1}


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _quoted(quote: str, words: Sequence[tuple[str, str]]) -> str | None:
    plain = _plain(quote)
    if not plain:
        return None
    same = {key for text, key in words if text == plain}
    if len(same) == 1:
        return next(iter(same))
    if same or len(plain) < 20:
        return None
    within = {key for text, key in words if plain in text}
    return next(iter(within)) if len(within) == 1 else None
