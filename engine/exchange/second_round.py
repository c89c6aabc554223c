"""The second round written out: a table with a row for each request, and a letter to the reviewers.

What a person decided and what was suggested have different words in both. Neither is read back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.exchange.change_summary import STATES, Summary, pages_of, what, where
from engine.exchange.io import csv_file, markdown_file, xlsx_file
from engine.exchange.records import Export, ExportFile, LossReport
from engine.revision.second_round import Basis, Request, counted_states, of_reviewer
from engine.shown import counted, escaped_markdown, inert_line, inert_markdown, shortened

COLUMNS = (
    "reviewer", "number", "request", "state", "basis", "decision", "why", "place", "evidence", "response", "note",
    "comment_id",
)  # fmt: skip
BASES: Mapping[Basis, str] = {
    "decided": "decided by a person",
    "suggested": "suggested, not confirmed by a person",
    "not checked": "not checked",
}
_QUOTE, _REASON = 400, 80
_EDITS = 3
"""So many suggested edits are named."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that a state rests on; ``place`` is section and page, "" for what is not in the paper's text."""

    words: str
    place: str = ""


def evidence(one: Request, summary: Summary) -> tuple[Evidence, ...]:
    """What a state rests on: linked or suggested edits, then the places that comment and response name."""
    pages, offered = pages_of(summary), {found.edit_id: found for found in one.suggestions}
    found = []
    for edit in one.edits if one.basis == "decided" else one.edits[:_EDITS]:
        by = offered.get(edit.id)
        reasons = f" ({'; '.join(shortened(why, _REASON) for why in by.reasons[:2])})" if by and by.reasons else ""
        kind = (
            f"Linked {'passage' if edit.passage else 'edit'}"
            if by is None
            else f"Suggested edit, score {by.score:.2f}{reasons}"
        )
        found.append(Evidence(f"{kind}: {what(edit)}", where(edit, pages)))
    return (*found, *(Evidence(f"{words[:1].upper()}{words[1:]}") for words in one.places))


def write_table(requests: Sequence[Request], summary: Summary, name: str, reviewer: str = "") -> Export:
    """A row for each request, as the kind of file that ``name`` ends in: .csv, .xlsx or .md."""
    rows = [_cells(one, summary) for one in of_reviewer(requests, reviewer)]
    if name.lower().endswith(".xlsx"):
        return Export((xlsx_file(name, {"Requests": (COLUMNS, rows)}),), _loss(reviewer))
    write = markdown_file if name.lower().endswith(".md") else csv_file
    return Export((write(name, COLUMNS, rows),), _loss(reviewer))


def write_letter(requests: Sequence[Request], summary: Summary, name: str, reviewer: str = "") -> Export:
    """A letter to the reviewers in Markdown: each request, what became of it, where, and the authors' response."""
    of = f" “{inert_line(summary.title)}”" if summary.title else ""
    lines: list[str] = [f"# The revised paper{of}", ""]
    lines += [summary.made, ""] if summary.made else []
    lines += ["Each outcome is marked as decided by a person or only suggested by the program.", ""]
    own = of_reviewer(requests, reviewer)
    for name_of in dict.fromkeys(one.row.comment.reviewer for one in own):
        mine = tuple(one for one in own if one.row.comment.reviewer == name_of)
        lines += [f"## {inert_line(name_of or 'Reviewer')}", "", state_counts(mine), ""]
        for one in mine:
            comment = one.row.comment
            lines += [f"### Request {one.row.number}: {one.state} ({BASES[one.basis]})", ""]
            lines += [f"> {line}".rstrip() for line in inert_markdown(comment.comment.strip()).splitlines()]
            lines += ["", said(one), ""]
            for found in evidence(one, summary):
                place = f"{escaped_markdown(found.place)}. " if found.place else ""
                lines.append(f"- {place}{escaped_markdown(found.words)}")
            if comment.response.strip():
                lines.append(f"- The authors’ response: {inert_line(shortened(comment.response, _QUOTE))}")
            if one.row.note.strip():
                lines.append(f"- Note: {inert_line(one.row.note)}")
            lines += [""] if lines[-1] else []
    content = ("\n".join(lines).rstrip("\n") + "\n").encode()
    return Export((ExportFile(name, content, "text/markdown"),), _loss(reviewer))


def state_counts(requests: Sequence[Request]) -> str:
    """How many requests are in each state, in a sentence that says how many of those a person decided."""
    parts = [
        f"{number} {state}" + (f" ({decided} by a person)" if decided else "")
        for state, (number, decided) in counted_states(requests).items()
        if number
    ]
    return f"{counted(len(requests), 'request')}: {', '.join(parts)}." if parts else "No requests."


def said(one: Request) -> str:
    """Why a request is in its state, as a sentence: what a person decided, or what speaks for the suggestion."""
    return f"{STATES[one.row.state]}." if one.basis == "decided" else one.why


def _cells(one: Request, summary: Summary) -> tuple[object, ...]:
    found, comment = evidence(one, summary), one.row.comment
    return (
        comment.reviewer or "Reviewer", one.row.number, comment.comment, one.state, BASES[one.basis],
        STATES[one.row.state] if one.basis == "decided" else "", one.why,
        "\n".join(dict.fromkeys(e.place for e in found if e.place)), "\n".join(e.words for e in found),
        comment.response, one.row.note, comment.id,
    )  # fmt: skip


def _loss(reviewer: str) -> LossReport:
    return LossReport((f"Only requests by {reviewer} are included.",) if reviewer else ())
