"""What is fuzzed: a target reads a folder of files as the program would, a single file by its first name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.fuzz.seeds import Files

if TYPE_CHECKING:
    from engine.documents.service import DocumentService
    from engine.project import Project


class Context:
    """What inputs share within one process: a document service and a project, made when they are first used."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._service: DocumentService | None = None
        self._project: Project | None = None

    @property
    def service(self) -> DocumentService:
        """A running document service."""
        from engine.documents.service import DocumentService

        if self._service is None:
            self._service = DocumentService()
            self._service.__enter__()
        return self._service

    @property
    def project(self) -> Project:
        """An open project."""
        from engine.project import Project

        if self._project is None:
            self._project = Project.create(self.place / "fuzz.rejoinder", "Fuzz", "Ada")
        return self._project

    @contextmanager
    def importing(self) -> Iterator[Project]:
        """The project, for an import that must leave all rows as they were where it fails."""
        before = self._rows()
        try:
            yield self.project
        except BaseException as error:
            after = self._rows()
            changed = [name for name in after if after[name] != before[name]]
            assert not changed, f"half imported into {changed}: {error!r}"
            raise

    def _rows(self) -> dict[str, int]:
        tables = self.project.query("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {name: self.project.query(f'SELECT count(*) FROM "{name}"')[0][0] for (name,) in tables}

    def close(self) -> None:
        """Ends what was started."""
        if self._service is not None:
            self._service.__exit__(None, None, None)
        if self._project is not None:
            self._project.close()


Read = Callable[[Path, Path, Context], Any]
"""The folder, the file of the first name in it, and what inputs share."""


@dataclass(frozen=True)
class Target:
    """``make`` gives valid inputs; ``read`` raises nothing but our errors on whatever became of them."""

    name: str
    make: Callable[[], list[Files]]
    read: Read
    data: tuple[str, ...] = field(default=())
    """Patterns of further seeds in the measuring data, where it is present; single files only."""


def target(name: str, *made: Files | Callable[[], Files], data: tuple[str, ...] = ()) -> Callable[[Read], Target]:
    """Makes a target of a reader, with its valid inputs."""
    return lambda read: Target(name, lambda: [one() if callable(one) else one for one in made], read, data)


def one(name: str, content: bytes | str) -> Files:
    """A folder of one file."""
    return {name: content.encode() if isinstance(content, str) else content}
