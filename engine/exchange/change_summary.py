"""Exports how the authors addressed each reviewer's comments, as Markdown, PDF, table or letter.

Each comment is shown with its state, the authors' response, and the edits with section and page. These files are for
reviewers and editors and can't be imported.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.documents.records import Paragraph
from engine.documents.service import DocumentService
from engine.exchange.io import csv_file, markdown_file, xlsx_file
from engine.exchange.rebuttal_forms import html_of, pdf_page
from engine.exchange.records import Export, ExportFile
from engine.reviews.spans import unmarked
from engine.revision.coverage import Basis, Coverage, Covered, Request, counted_states, of_reviewer
from engine.revision.differences import word_changes
from engine.revision.records import CommentState, Edit, WordChange
from engine.shown import counted, escaped_markdown, inert_line, inert_markdown, shortened

STATES: Mapping[CommentState, str] = {
    "linked": "Answered by changes",
    "answered": "Answered without a change",
    "visual_only": "Answered by a visual change",
    "not_addressed": "Not addressed",
    "no_edit_found": "No change found",
    "undecided": "Open",
}
_QUOTE, _AROUND = 220, 4
"""Maximum length of a quoted change in characters, and unchanged words shown on either side of an insertion."""
DOUBTED = "read from a doubtful page"


@dataclass(frozen=True, slots=True)
class Summary:
    """The data of a summary: coverage, and the paragraphs of both versions, for the pages. ``made`` is the date as
    shown; ``doubts`` has the edits that were read from doubtful pages."""

    coverage: Coverage
    source: Sequence[Paragraph]
    target: Sequence[Paragraph]
    title: str = ""
    made: str = ""
    doubts: Mapping[str, Sequence[str]] = field(default_factory=dict)


def write_markdown(summary: Summary, name: str = "changes-by-comment.md", reviewer: str = "") -> Export:
    content = "\n\n".join([_head(summary), *_parts(summary, reviewer)]) + "\n"
    return Export((ExportFile(name, content.encode()),), _loss(summary, reviewer))


def write_pdf(
    summary: Summary, service: DocumentService, name: str = "changes-by-comment.pdf", reviewer: str = ""
) -> Export:
    """Returns the Markdown as an A4 PDF, typeset in the document worker, without breaks after a comment's heading."""
    pages = [pdf_page(html_of(part, titles=True)) for part in (_head(summary), *_parts(summary, reviewer))]
    content = service.typeset(summary.title or "How we addressed the comments", pages)
    return Export((ExportFile(name, content),), _loss(summary, reviewer))


def _head(summary: Summary) -> str:
    title = f"# How we addressed the comments{f': {inert_line(summary.title)}' if summary.title else ''}"
    return f"{title}\n\n{summary.made}".rstrip()


def _parts(summary: Summary, reviewer: str) -> Iterator[str]:
    """Yields a Markdown text for each comment; a reviewer's first one includes the reviewer's heading."""
    for heading, rows in _by_reviewer(summary.coverage, reviewer):
        lines = [f"## {inert_line(heading)}", "", _counted(rows), ""]
        for row in rows:
            lines += [f"### {inert_line(heading)}, comment {row.number}", ""]
            lines += [f"> {line}".rstrip() for line in inert_markdown(row.comment.comment.strip()).splitlines()]
            lines += ["", f"**{STATES[row.state]}.**"]
            if row.comment.response.strip():
                lines += ["", inert_markdown(row.comment.response.strip())]
            lines += [""] if row.edits else []
            lines += (
                f"- {escaped_markdown(where(edit, summary))}: {escaped_markdown(what(edit))}" for edit in row.edits
            )
            yield "\n".join(lines)
            lines = []


def _by_reviewer(coverage: Coverage, reviewer: str) -> list[tuple[str, tuple[Covered, ...]]]:
    names = (reviewer,) if reviewer else coverage.reviewers
    return [(name or "Reviewer", tuple(row for row in coverage.rows if row.comment.reviewer == name)) for name in names]


def _counted(rows: Sequence[Covered]) -> str:
    answered = sum(row.standing == "answered" for row in rows)
    left = len(rows) - answered
    comments = f"{len(rows)} comment{'' if len(rows) == 1 else 's'}"
    return f"{comments}, {answered} answered" + (f", {left} not yet answered." if left else ".")


def where(edit: Edit, summary: Summary) -> str:
    """Returns section and page in the revised version (submitted for deletions), and if it is doubtful."""
    new = next((p.page for p in summary.target if p.id in edit.target_ids), None)
    old = next((p.page for p in summary.source if p.id in edit.source_ids), None)
    section = edit.section.replace(" > ", " › ") if edit.section else ""
    page = f"page {new}" if new else f"page {old} of the submitted version" if old else ""
    return (
        ", ".join(part for part in (section, page, DOUBTED if edit.id in summary.doubts else "") if part)
        or edit.label
        or edit.id
    )


def what(edit: Edit) -> str:
    """Describes a change: the new words if any, otherwise the deleted ones; for a passage, its text."""
    if edit.passage:
        return f"the paper says “{_short(edit.target_text)}”"
    changes = word_changes(edit.source_text, edit.target_text)
    gone = " … ".join(c.text.strip() for c in changes if c.operation == "delete" and c.text.strip())
    if edit.kind == "deleted":
        return f"deleted “{_short(gone)}”"
    if edit.kind == "moved":
        return "moved here, unchanged"
    if edit.kind == "added":
        return f"added “{_short(edit.target_text)}”"
    if not any(c.operation == "insert" and c.text.strip() for c in changes):
        return f"deleted “{_short(gone)}”"
    return f"now reads “{_short(_now_reads(changes))}”"


def _now_reads(changes: Sequence[WordChange]) -> str:
    """Returns the inserted words with a few unchanged ones around them."""
    parts: list[str] = []
    runs = [change for change in changes if change.operation != "delete"]
    for at, change in enumerate(runs):
        words = change.text.split()
        before = 0 if at == 0 else _AROUND
        after = 0 if at == len(runs) - 1 else _AROUND
        text = change.text
        if change.operation == "equal" and len(words) > before + after:
            shown = " ".join([*words[:before], "…", *words[len(words) - after :]])
            text = f"{' ' * text[0].isspace()}{shown}{' ' * text[-1].isspace()}"
        parts.append(text)
    return "".join(parts)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _QUOTE else words[:_QUOTE].rsplit(" ", 1)[0] + " …"


def _loss(summary: Summary, reviewer: str) -> tuple[str, ...]:
    sentences = []
    left = len(summary.coverage.unanswering)
    if left:
        sentences.append(f"{counted(left, 'edit without a comment was', 'edits without a comment were')} left out.")
    if reviewer:
        sentences.append(f"Only comments by {reviewer} are included.")
    return tuple(sentences)


# --- The second round: a table with a row per request, and a letter to the reviewers ---------------------------------
# Both distinguish what a person decided from what was suggested. Neither can be imported.

COLUMNS = (
    "reviewer", "number", "request", "state", "basis", "decision", "why", "place", "evidence", "response", "note",
    "comment_id",
)  # fmt: skip
BASES: Mapping[Basis, str] = {
    "decided": "decided by a person",
    "suggested": "suggested, not confirmed by a person",
    "not checked": "not checked",
}
_ROUND_QUOTE, _REASON = 400, 80
_EDITS = 3
"""Maximum number of suggested edits listed."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of evidence for a state; ``place`` is section and page, or "" if it isn't in the paper's text."""

    words: str
    place: str = ""


def evidence(one: Request, summary: Summary, *, scored: bool = True) -> tuple[Evidence, ...]:
    """Returns the evidence for a state: linked or suggested edits, then places that comment and response refer to.
    ``scored``: with the scores of suggestions and the reasons for them."""
    offered = {found.edit_id: found for found in one.suggestions}
    found = []
    for edit in one.edits if one.basis == "decided" else one.edits[:_EDITS]:
        by = offered.get(edit.id)
        kind = f"Linked {'passage' if edit.passage else 'edit'}" if by is None else "Suggested edit"
        if by is not None and scored:
            reasons = "; ".join(shortened(why, _REASON) for why in by.reasons[:2])
            kind += f", score {by.score:.2f}" + (f" ({reasons})" if reasons else "")
        found.append(Evidence(f"{kind}: {what(edit)}", where(edit, summary)))
    return (*found, *(Evidence(f"{words[:1].upper()}{words[1:]}") for words in one.places))


def write_table(requests: Sequence[Request], summary: Summary, name: str, reviewer: str = "") -> Export:
    """Returns a table with a row per request, in the format of ``name``'s ending: .xlsx, .md, otherwise CSV."""
    rows = [_cells(one, summary) for one in of_reviewer(requests, reviewer)]
    if name.lower().endswith(".xlsx"):
        return Export((xlsx_file(name, {"Requests": (COLUMNS, rows)}),), _round_loss(reviewer))
    write = markdown_file if name.lower().endswith(".md") else csv_file
    return Export((write(name, COLUMNS, rows),), _round_loss(reviewer))


def write_letter(requests: Sequence[Request], summary: Summary, name: str, reviewer: str = "") -> Export:
    """Returns a letter to the reviewers in Markdown: each request, its outcome, where, and the authors' response.

    Scores and annotators' notes aren't meant for reviewers and are left out.
    """
    of = f" “{inert_line(summary.title)}”" if summary.title else ""
    lines: list[str] = [f"# The revised paper{of}", ""]
    lines += [summary.made, ""] if summary.made else []
    lines += ["Each outcome is marked as decided by a person or only suggested by the program.", ""]
    own = of_reviewer(requests, reviewer)
    lines += [] if reviewer else [state_counts(own), ""]
    for name_of in dict.fromkeys(one.row.comment.reviewer for one in own):
        mine = tuple(one for one in own if one.row.comment.reviewer == name_of)
        lines += [f"## {inert_line(name_of or 'Reviewer')}", "", state_counts(mine), ""]
        for one in mine:
            comment = one.row.comment
            lines += [f"### Request {one.row.number}: {one.state} ({BASES[one.basis]})", ""]
            lines += [f"> {line}".rstrip() for line in inert_markdown(comment.comment.strip()).splitlines()]
            lines += ["", said(one), ""]
            for found in evidence(one, summary, scored=False):
                place = f"{escaped_markdown(found.place)}. " if found.place else ""
                lines.append(f"- {place}{escaped_markdown(found.words)}")
            if comment.response.strip():
                lines.append(f"- The authors’ response: {inert_line(shortened(comment.response, _ROUND_QUOTE))}")
            lines += [""] if lines[-1] else []
    content = ("\n".join(lines).rstrip("\n") + "\n").encode()
    return Export((ExportFile(name, content),), _round_loss(reviewer))


def state_counts(requests: Sequence[Request]) -> str:
    """Returns a sentence with the number of requests in each state, and how many of them a person decided."""
    parts = [
        f"{number} {state}" + (f" ({decided} by a person)" if decided else "")
        for state, (number, decided) in counted_states(requests).items()
        if number
    ]
    return f"{counted(len(requests), 'request')}: {', '.join(parts)}." if parts else "No requests."


def said(one: Request) -> str:
    """Returns why a request is in its state: the person's decision, or the reason for the suggestion."""
    return f"{STATES[one.row.state]}." if one.basis == "decided" else one.why


def _cells(one: Request, summary: Summary) -> tuple[object, ...]:
    found, comment = evidence(one, summary), one.row.comment
    return (
        comment.reviewer or "Reviewer", one.row.number, unmarked(comment.comment), one.state, BASES[one.basis],
        STATES[one.row.state] if one.basis == "decided" else "", one.why,
        "\n".join(dict.fromkeys(e.place for e in found if e.place)), "\n".join(e.words for e in found),
        comment.response, one.row.note, comment.id,
    )  # fmt: skip


def _round_loss(reviewer: str) -> tuple[str, ...]:
    return (f"Only requests by {reviewer} are included.",) if reviewer else ()
