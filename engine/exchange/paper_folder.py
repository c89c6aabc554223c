"""Reads a folder of papers for the library: PDFs, bibliographies, or the released expertise data set.

From PDFs, title, authors and abstract are read off the first pages, and the full text. Other files are read by
``publications`` (BibTeX, RIS, CSL-JSON, Semantic Scholar JSON, tables). A folder with ``evaluations.csv`` is the
expertise data set, of which only the papers are read, not the ratings.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.documents.service import DocumentService
from engine.errors import BadInput, EnvironmentProblem
from engine.exchange.expertise_data import paper_records
from engine.exchange.publications import read_publications
from engine.jobs import QuietReport, Report
from engine.papers.catalogues import semantic_scholar_paper
from engine.papers.pdf_metadata import pdf_paper
from engine.papers.records import LibraryPaper

LISTS = frozenset((".bib", ".bibtex", ".ris", ".json", ".csv", ".tsv"))
_NOT_TEXT = frozenset(("reference", "footnote"))


@dataclass(frozen=True, slots=True)
class PaperFolder:
    """The papers read; ``texts`` has pairs of index in ``papers`` and full text."""

    papers: tuple[LibraryPaper, ...]
    texts: tuple[tuple[int, str], ...] = ()
    warnings: tuple[str, ...] = ()


def read_paper_folder(
    folder: Path, service: Callable[[], DocumentService] | None = None, *, report: Report = QuietReport()
) -> PaperFolder:
    """Reads a folder and its subfolders, sorted by path: first the bibliographies, then the PDFs.

    Unreadable files are skipped with a warning. ``service`` returns a running document service and is only called if
    there is a PDF; by default one is started temporarily.

    Raises BadInput if the folder doesn't exist or contains nothing readable, and Cancelled if the user cancels.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} isn't a folder.", "No paper was read.", "Choose the folder with the papers.")
    if (folder / "evaluations.csv").is_file():
        papers = []
        for key, record in paper_records(folder):
            paper = semantic_scholar_paper({"arXivId": record.get("arxivId"), **record})
            if paper.title:
                papers.append(replace(paper, source_id=paper.source_id or key))
        if not papers:
            raise BadInput(f"{folder} contains ratings but no papers.", "No paper was read.")
        return PaperFolder(tuple(papers))
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return _papers(files, f"{folder} holds", service, report)


def read_paper_files(
    paths: Sequence[Path], service: Callable[[], DocumentService] | None = None, *, report: Report = QuietReport()
) -> PaperFolder:
    """Like ``read_paper_folder``, for individual files."""
    return _papers(paths, "The files hold", service, report)


def _papers(
    files: Sequence[Path], subject: str, service: Callable[[], DocumentService] | None, report: Report
) -> PaperFolder:
    pdfs = [path for path in files if path.suffix.lower() == ".pdf"]
    lists = [path for path in files if path.suffix.lower() in LISTS]
    papers: list[LibraryPaper] = []
    texts: list[tuple[int, str]] = []
    warnings: list[str] = []
    for path in lists:
        report.check()
        try:
            found = read_publications(path)
        except BadInput as problem:
            warnings.append(problem.what)
            continue
        papers.extend(found.papers)
        warnings.extend(found.warnings)
    with contextlib.ExitStack() as stack:
        reader = None
        for number, path in enumerate(pdfs):
            report.progress(number / len(pdfs), f"Reading {path.name}")
            if reader is None:
                reader = stack.enter_context(DocumentService()) if service is None else service()
            try:
                parsed = reader.parse(path)
            except EnvironmentProblem as problem:
                named = problem.what if path.name in problem.what else f"{path.name}: {problem.what}"
                warnings.append(f"{named} It was left out.")
                continue
            paper = pdf_paper(parsed)
            if not paper.title:
                warnings.append(f"{path.name}: no title was found, so the file name is used.")
            text = "\n\n".join(p.text for p in parsed.paragraphs if p.kind not in _NOT_TEXT and p.text.strip())
            texts.append((len(papers), text))
            papers.append(replace(paper, title=paper.title or path.stem, source_id=path.name))
    if not papers:
        raise BadInput(
            f"{subject} no paper that could be read.",
            "No paper was read." + (f" {warnings[0]}" if warnings else ""),
            "Choose a folder of PDFs or of BibTeX, RIS or CSL-JSON files.",
        )
    return PaperFolder(tuple(papers), tuple(texts), tuple(warnings))
