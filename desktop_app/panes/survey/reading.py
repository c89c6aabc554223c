"""The jobs that read papers from files: title, abstract and authors of a PDF, or a list of papers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import Cancelled, EnvironmentProblem
from engine.jobs import DuplicatePolicy, Report, Task

if TYPE_CHECKING:
    from engine.documents.service import DocumentService
    from engine.papers.records import LibraryPaper
    from engine.project import Project


@dataclass(frozen=True, slots=True)
class ReadPaper:
    """The PDF to read."""

    path: str


def read_paper(path: Path, service: Callable[[], DocumentService]) -> Task[ReadPaper, LibraryPaper]:
    """Reads a PDF in the document process; the result isn't in the library yet."""

    def run(params: ReadPaper, report: Report) -> LibraryPaper:
        from engine.documents.codec import decode
        from engine.papers.pdf_metadata import pdf_paper

        def cancelled() -> bool:
            try:
                report.check()
            except Cancelled:
                return True
            return False

        file = Path(params.path)
        try:
            content = file.read_bytes()
        except OSError as error:
            raise EnvironmentProblem(
                f"Rejoinder couldn't read {file.name}: {error.strerror}.",
                "Nothing was added.",
                "Check the file, then add it again.",
            ) from error
        packed = service().read(content, progress=report.progress, cancelled=cancelled)
        found = pdf_paper(decode(packed.content))
        return found if found.title else replace(found, title=file.stem)

    return Task(
        "survey.read_paper", f"Read {path.name}", run, ReadPaper(str(path)), DuplicatePolicy.DISCARD, scope=str(path)
    )


@dataclass(frozen=True, slots=True)
class AddList:
    """A file with papers: the participant's own, or papers to rate."""

    path: str
    participant_id: str
    own: bool


@dataclass(frozen=True, slots=True)
class ListAdded:
    """Keys of the new rows (papers to rate only), and sentences on what couldn't be read."""

    rows: tuple[str, ...]
    warnings: tuple[str, ...]


def add_list(project: Project, params: AddList) -> Task[AddList, ListAdded]:
    """Adds the papers of a bibliography or table in one undo step."""

    def run(params: AddList, report: Report) -> ListAdded:
        from engine.exchange.publications import read_publications
        from engine.expertise.store import SurveyStore

        path, store = Path(params.path), SurveyStore(project)
        report.progress(0.1, "Reading")
        found = read_publications(path)
        report.progress(0.4, "Adding")
        rows: list[str] = []
        origin = f"import:{path.name}"
        if params.own:
            store.add_publications(params.participant_id, found.papers, origin=origin)
        else:
            with project.action(f"Add papers from {path.name}"):
                rows.extend(store.add_row(params.participant_id, paper, origin=origin) for paper in found.papers)
        return ListAdded(tuple(rows), tuple(dict.fromkeys(found.warnings)))

    path = Path(params.path)
    return Task("survey.add_list", f"Read {path.name}", run, params, DuplicatePolicy.DISCARD, scope=params.path)
