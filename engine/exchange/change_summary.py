"""What the authors did about each reviewer's comments, and where: as Markdown, and as PDF.

For each comment its state, the authors' response, and the edits with section and page. Written for reviewers and
editors; it is not read back.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.documents.records import Paragraph
from engine.documents.service import DocumentService
from engine.exchange.records import Export, ExportFile, LossReport
from engine.revision.coverage import Coverage, Covered
from engine.revision.differences import word_changes
from engine.revision.records import CommentState, Edit
from engine.shown import counted, escaped_markdown, inert_line, inert_markdown

STATES: Mapping[CommentState, str] = {
    "linked": "Answered by changes",
    "answered": "Answered without a change",
    "visual_only": "Answered by a visual change",
    "not_addressed": "Not addressed",
    "no_edit_found": "No change found",
    "undecided": "Open",
}
_QUOTE = 220


@dataclass(frozen=True, slots=True)
class Summary:
    """What a summary needs: the coverage, and the paragraphs of both versions, which know the pages. ``made`` is a date
    as it shall read.
    """

    coverage: Coverage
    source: Sequence[Paragraph]
    target: Sequence[Paragraph]
    title: str = ""
    made: str = ""


def write_markdown(summary: Summary, name: str = "changes-by-comment.md", reviewer: str = "") -> Export:
    """The summary as Markdown, of one reviewer or (with "") of all."""
    lines = [f"# How we addressed the comments{f': {inert_line(summary.title)}' if summary.title else ''}", ""]
    if summary.made:
        lines += [summary.made, ""]
    pages = pages_of(summary)
    for heading, rows in _by_reviewer(summary.coverage, reviewer):
        lines += [f"## {inert_line(heading)}", "", _counted(rows), ""]
        for row in rows:
            lines += [f"### {inert_line(heading)}, comment {row.number}", ""]
            lines += [f"> {line}".rstrip() for line in inert_markdown(row.comment.comment.strip()).splitlines()]
            lines += ["", f"**{STATES[row.state]}.**", ""]
            if row.comment.response.strip():
                lines += [inert_markdown(row.comment.response.strip()), ""]
            for edit in row.edits:
                lines.append(f"- {escaped_markdown(where(edit, pages))}: {escaped_markdown(what(edit))}")
            if row.edits:
                lines.append("")
    content = ("\n".join(lines).rstrip("\n") + "\n").encode()
    return Export((ExportFile(name, content, "text/markdown"),), _loss(summary, reviewer))


def write_pdf(
    summary: Summary, service: DocumentService, name: str = "changes-by-comment.pdf", reviewer: str = ""
) -> Export:
    """The summary as a PDF on A4, set in the document worker."""
    style = (
        "<style>body{font-family:serif;font-size:10pt;line-height:1.4}h1{font-size:16pt;margin:0 0 4pt 0}"
        "h2{font-size:13pt;font-family:sans-serif}p{margin:2pt 0 5pt 0}.n{font-family:sans-serif;font-size:8.5pt;"
        "color:#555555}.q{font-style:italic;margin-left:10pt}.s{font-family:sans-serif;font-size:9pt;font-weight:bold}"
        ".e{font-size:9pt;margin-left:10pt}.o{color:#a14400}</style>"
    )

    def block(inner: str) -> str:
        return f"<html><head>{style}</head><body>{inner}</body></html>"

    pages = pages_of(summary)
    blocks = [
        block(
            f"<h1>How we addressed the comments</h1><p>{html.escape(summary.title)}</p>"
            f"<p class='n'>{html.escape(summary.made)}</p>"
        )
    ]
    for heading, rows in _by_reviewer(summary.coverage, reviewer):
        begin = f"<h2>{html.escape(heading)}</h2><p class='n'>{html.escape(_counted(rows))}</p>"
        for row in rows:
            said = html.escape(row.comment.comment.strip()).replace("\n", "<br>")
            answer = html.escape(row.comment.response.strip()).replace("\n", "<br>")
            missing = " o" if row.standing != "answered" else ""
            edits = "".join(
                f"<p class='e'><b>{html.escape(where(edit, pages))}:</b> {html.escape(what(edit))}</p>"
                for edit in row.edits
            )
            blocks.append(
                block(
                    f"{begin}<p class='n'>Comment {row.number}</p><p class='q'>{said}</p>"
                    f"<p class='s{missing}'>{STATES[row.state]}</p>{f'<p>{answer}</p>' if answer else ''}{edits}"
                )
            )
            begin = ""
    content = service.typeset(summary.title or "How we addressed the comments", blocks)
    return Export((ExportFile(name, content, "application/pdf"),), _loss(summary, reviewer))


def _by_reviewer(coverage: Coverage, reviewer: str) -> list[tuple[str, tuple[Covered, ...]]]:
    names = (reviewer,) if reviewer else coverage.reviewers
    return [(name or "Reviewer", tuple(row for row in coverage.rows if row.comment.reviewer == name)) for name in names]


def _counted(rows: Sequence[Covered]) -> str:
    answered = sum(row.standing == "answered" for row in rows)
    left = len(rows) - answered
    comments = f"{len(rows)} comment{'' if len(rows) == 1 else 's'}"
    return f"{comments}, {answered} answered" + (f", {left} not yet answered." if left else ".")


def pages_of(summary: Summary) -> tuple[dict[str, int], dict[str, int]]:
    return {p.id: p.page for p in summary.source}, {p.id: p.page for p in summary.target}


def where(edit: Edit, pages: tuple[Mapping[str, int], Mapping[str, int]]) -> str:
    """Section and page of the revised version; of the submitted one for what is gone."""
    new = next((pages[1][key] for key in edit.target_ids if key in pages[1]), None)
    old = next((pages[0][key] for key in edit.source_ids if key in pages[0]), None)
    section = edit.section.replace(" > ", " › ") if edit.section else ""
    page = f"page {new}" if new else f"page {old} of the submitted version" if old else ""
    return ", ".join(part for part in (section, page) if part) or edit.label or edit.id


def what(edit: Edit) -> str:
    """What changed in a few words: the new words where there are some, or those that are gone; what a passage says."""
    if edit.passage:
        return f"the paper says “{_short(edit.target_text)}”"
    changes = word_changes(edit.source_text, edit.target_text)
    added = " … ".join(c.text.strip() for c in changes if c.operation == "insert" and c.text.strip())
    gone = " … ".join(c.text.strip() for c in changes if c.operation == "delete" and c.text.strip())
    if edit.kind == "deleted":
        return f"deleted “{_short(gone)}”"
    if edit.kind == "moved":
        return "moved here, unchanged"
    if edit.kind == "added":
        return f"added “{_short(edit.target_text)}”"
    return f"now reads “{_short(added)}”" if added else f"deleted “{_short(gone)}”"


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _QUOTE else words[:_QUOTE].rsplit(" ", 1)[0] + " …"


def _loss(summary: Summary, reviewer: str) -> LossReport:
    sentences = []
    left = len(summary.coverage.unanswering)
    if left:
        sentences.append(f"{counted(left, 'edit without a comment was', 'edits without a comment were')} left out.")
    if reviewer:
        sentences.append(f"Only comments by {reviewer} are included.")
    return LossReport(tuple(sentences))
