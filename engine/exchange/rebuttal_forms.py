"""In which forms a rebuttal leaves: one list, for the window and for scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from engine.documents.service import DocumentService
from engine.exchange.records import Export, ExportFile, FormInfo, LossReport
from engine.exchange.response_docx import write_docx
from engine.exchange.response_latex import write_latex
from engine.exchange.response_letter import loss, write_letter, write_posts
from engine.exchange.response_pdf import write_page, write_pdf
from engine.rebuttal.letter import blocks, posts
from engine.rebuttal.points import Outline, Section, without_notes
from engine.rebuttal.records import Quoting
from engine.reviews.limits import Limit
from engine.shown import inert_line

Form = Literal["posts", "letter", "latex", "docx", "pdf", "page", "notes"]
FORMS: tuple[Form, ...] = get_args(Form)
_ID = re.compile(r"([\w-]{8,12})-\d+")
_FIELD = "rebuttal"
INFO: Mapping[Form, FormInfo] = {
    "posts": FormInfo("Posts for the form", "A Markdown file for each post, ready to paste into the form.", ""),
    "letter": FormInfo("Letter, Markdown", "One letter that quotes every comment.", ".md"),
    "latex": FormInfo("Letter, LaTeX", "One self-contained LaTeX letter with quoted comments.", ".tex"),
    "docx": FormInfo("Letter, Word", "One letter as a Word document.", ".docx"),
    "pdf": FormInfo("Letter, PDF", "One letter in A4 format.", ".pdf"),
    "page": FormInfo(
        "One page, PDF",
        "The rebuttal in the type and margins of the NeurIPS author response, for a page limit.",
        ".pdf",
    ),
    "notes": FormInfo("OpenReview notes", "A JSON file with one note per post, for your own scripts.", ".json"),
}


@dataclass(frozen=True, slots=True)
class Leaving:
    """What leaves: everything as it is now."""

    outline: Outline
    limit: Limit
    quoting: Quoting


def make(form: Form, leaving: Leaving, name: str, service: DocumentService) -> Export:
    """The files of a form, without notes to co-authors; ``name`` is the file's, where it is one. ``service`` sets the
    PDF.
    """
    leaving = replace(leaving, outline=without_notes(leaving.outline))
    makers: Mapping[Form, Callable[[], Export]] = {
        "posts": lambda: write_posts(leaving.outline, leaving.limit, leaving.quoting),
        "letter": lambda: write_letter(leaving.outline, name),
        "latex": lambda: write_latex(leaving.outline, name),
        "docx": lambda: write_docx(leaving.outline, name),
        "pdf": lambda: write_pdf(leaving.outline, service, name),
        "page": lambda: write_page(leaving.outline, leaving.limit, leaving.quoting, service, name),
        "notes": lambda: write_notes(leaving.outline, leaving.limit, leaving.quoting, name),
    }
    return makers[form]()


def whole(section: Section, quoting: Quoting) -> str:
    """All that goes to one reviewer, under their name; "" for nothing."""
    own = [before + words for _, before, words in blocks(section, quoting)]
    return "\n\n".join((f"**{inert_line(section.reviewer)}**", *own)) if own else ""


def preview_text(form: Form, leaving: Leaving) -> str:
    """What leaves, as text to be read before: posts, LaTeX and notes as they are, of Word and PDF the words."""
    leaving = replace(leaving, outline=without_notes(leaving.outline))
    if form == "posts":
        export = write_posts(leaving.outline, leaving.limit, leaving.quoting)
        return "\n\n".join(f"──── {file.name} ────\n\n{file.content.decode()}" for file in export.files)
    if form == "latex":
        export = write_latex(leaving.outline)
    elif form == "notes":
        export = write_notes(leaving.outline, leaving.limit, leaving.quoting)
    elif form == "page":
        parts = [whole(section, leaving.quoting) for section in leaving.outline]
        return "\n\n".join(part for part in parts if part)
    else:
        export = write_letter(leaving.outline)
    return export.files[0].content.decode()


def write_notes(outline: Outline, limit: Limit, quoting: Quoting, name: str = "rebuttal-notes.json") -> Export:
    """OpenReview notes (API version 2), a note for each post, as one file; ``openreview`` reads them back.
    ``replyto`` is the review's id where the reviews came from OpenReview.
    """
    notes: list[dict[str, Any]] = []
    unknown = 0
    for section in outline:
        reply_to = review_id(section)
        for post in posts(section, limit, quoting):
            number = f" ({post.number}/{post.of})" if post.of > 1 else ""
            unknown += not reply_to
            notes.append(
                {
                    "replyto": reply_to,
                    "signatures": ["Authors"],
                    "content": {
                        "title": {"value": f"Rebuttal to {section.reviewer}{number}"},
                        _FIELD: {"value": post.text},
                    },
                }
            )
    sentences = loss(outline).sentences
    if unknown:
        many = "1 note has no link to its review" if unknown == 1 else f"{unknown} notes have no link to their review"
        sentences = (*sentences, f"{many}. Enter the review's id in “replyto”.")
    sentences = (*sentences, "Fill in the venue's forum, invitation and signatures before you send the notes.")
    content = (json.dumps({"notes": notes}, ensure_ascii=False, indent=2) + "\n").encode()
    return Export((ExportFile(name, content, "application/json"),), LossReport(sentences))


def review_id(section: Section) -> str:
    """The note that a reviewer's comments came from; "" where they came from elsewhere."""
    ids = {match[1] for row in section.rows if (match := _ID.fullmatch(row.comment.external_id))}
    return ids.pop() if len(ids) == 1 else ""
