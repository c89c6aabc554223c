"""Adding papers to the library that the Literature Searcher searches, from files or a folder. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.documents.service import DocumentService
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.papers.store import LibraryStore

FILES = "Papers and lists (*.pdf *.bib *.bibtex *.ris *.json *.csv *.tsv)"


@dataclass(frozen=True, slots=True)
class AddPapers:
    """Files, or one folder with everything in it."""

    paths: tuple[str, ...]
    folder: bool = False


@dataclass(frozen=True, slots=True)
class AddedPapers:
    """How many papers were read and how many of them are new in the library; what could not be read."""

    read: int
    added: int
    warnings: tuple[str, ...]


def add_papers(library: LibraryStore, service: DocumentService, params: AddPapers) -> Task[AddPapers, AddedPapers]:
    """The job that reads papers and adds them in one undo step."""

    def run(params: AddPapers, report: Report) -> AddedPapers:
        from engine.exchange.paper_folder import read_paper_files, read_paper_folder

        paths = [Path(path) for path in params.paths]
        part = report.part(0.0, 0.9)
        if params.folder:
            found = read_paper_folder(paths[0], lambda: service, report=part)
        else:
            found = read_paper_files(paths, lambda: service, report=part)
        before = len(library.papers())
        library.add_all(found.papers, origin=f"import:{paths[0].name}", texts=dict(found.texts))
        return AddedPapers(len(found.papers), len(library.papers()) - before, found.warnings)

    return Task("review.add_papers", "Add papers to library", run, params, DuplicatePolicy.AFTER, lane=Lane.LONG)


def added_words(found: AddedPapers) -> str:
    """What was added, in a sentence."""
    read = "1 paper" if found.read == 1 else f"{found.read} papers"
    return f"Read {read}; {found.added} new in the library."
