"""Papers into the library that the Literature Searcher searches: from files, from a folder. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.documents.service import DocumentService
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.papers.store import LibraryStore

FILES = "Papers and lists (*.pdf *.bib *.bibtex *.ris *.json *.csv *.tsv)"


@dataclass(frozen=True, slots=True)
class AddPapers:
    """Files, or one folder with all that lies in it."""

    paths: tuple[str, ...]
    folder: bool = False


@dataclass(frozen=True, slots=True)
class AddedPapers:
    """How many papers were read, how many of them the library did not have, and what could not be read."""

    read: int
    added: int
    warnings: tuple[str, ...]


def add_papers(library: LibraryStore, service: DocumentService, params: AddPapers) -> Task[AddPapers, AddedPapers]:
    """The job that reads papers and adds them: one act, one undo step."""

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

    return Task("review.add_papers", "Add papers to the library", run, params, DuplicatePolicy.AFTER, lane=Lane.LONG)


def told(found: AddedPapers) -> str:
    """What came of it, in a sentence."""
    new = "1 is new" if found.added == 1 else f"{found.added} are new"
    return f"{found.read} paper{'s were' if found.read != 1 else ' was'} read, {new} in the library."
