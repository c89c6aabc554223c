"""In which forms a rebuttal leaves, and the job that writes them. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from desktop_app.writing import Beside, IntoFolder, Written, write_beside, write_export
from engine.documents.service import DocumentService
from engine.exchange.openreview_replies import write_notes
from engine.exchange.records import Export
from engine.exchange.response_docx import write_docx
from engine.exchange.response_latex import write_latex
from engine.exchange.response_letter import write_letter, write_posts
from engine.exchange.response_pdf import write_pdf
from engine.jobs import Task
from engine.rebuttal.points import Outline
from engine.rebuttal.records import Quoting
from engine.reviews.limits import Limit

Format = Literal["posts", "letter", "latex", "docx", "pdf", "notes"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A form as it is offered; ``ending`` "" where a folder is chosen."""

    title: str
    help: str
    ending: str


KINDS: Mapping[Format, Kind] = {
    "posts": Kind("Posts for the form", "A Markdown file for each post, exactly as it is pasted into the form.", ""),
    "letter": Kind("Letter, Markdown", "One letter in which every comment is quoted.", ".md"),
    "latex": Kind("Letter, LaTeX", "One letter that compiles by itself, with quoted comments.", ".tex"),
    "docx": Kind("Letter, Word", "One letter as a Word document.", ".docx"),
    "pdf": Kind("Letter, PDF", "One letter, set on A4.", ".pdf"),
    "notes": Kind("OpenReview notes", "A JSON file of notes, one for each post, for a script of yours.", ".json"),
}


@dataclass(frozen=True, slots=True)
class Leaving:
    """What leaves: everything as it is now."""

    outline: Outline
    limit: Limit
    quoting: Quoting


def make(format_: Format, leaving: Leaving, name: str, service: DocumentService) -> Export:
    """The files of a form; ``name`` is the file's, where there is one."""
    makers: Mapping[Format, Callable[[], Export]] = {
        "posts": lambda: write_posts(leaving.outline, leaving.limit, leaving.quoting),
        "letter": lambda: write_letter(leaving.outline, name),
        "latex": lambda: write_latex(leaving.outline, name),
        "docx": lambda: write_docx(leaving.outline, name),
        "pdf": lambda: write_pdf(leaving.outline, service, name),
        "notes": lambda: write_notes(leaving.outline, leaving.limit, leaving.quoting, name),
    }
    return makers[format_]()


def folder_task(leaving: Leaving, folder: Path, service: DocumentService) -> Task[IntoFolder, Written]:
    """The job that writes the posts into a folder."""
    return write_export("rebuttal.export", folder, lambda _report: make("posts", leaving, "", service))


def file_task(format_: Format, leaving: Leaving, path: Path, service: DocumentService) -> Task[Beside, tuple[str, ...]]:
    """The job that writes one file; it returns its path."""
    return write_beside("rebuttal.export", path, lambda _report: make(format_, leaving, path.name, service).files)


def told(format_: Format, leaving: Leaving) -> str:
    """What leaves, as text to be read before: posts and letters as they are, of Word and PDF the letter's words."""
    if format_ == "posts":
        export = write_posts(leaving.outline, leaving.limit, leaving.quoting)
        return "\n\n".join(f"──── {file.name} ────\n\n{file.content.decode()}" for file in export.files)
    if format_ == "latex":
        export = write_latex(leaving.outline)
    elif format_ == "notes":
        export = write_notes(leaving.outline, leaving.limit, leaving.quoting)
    else:
        export = write_letter(leaving.outline)
    return export.files[0].content.decode()
