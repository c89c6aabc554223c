"""The job that writes the files of an export, in folders where their names say so, and tells what they do not hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.files import write_whole
from engine.jobs import DuplicatePolicy, Report, Task

if TYPE_CHECKING:
    from engine.exchange.records import Export, ExportFile


@dataclass(frozen=True, slots=True)
class IntoFolder:
    """Where to write."""

    folder: str


@dataclass(frozen=True, slots=True)
class Beside:
    """Where to write: into the folder of this path."""

    path: str


@dataclass(frozen=True, slots=True)
class Written:
    """The files that were written, and sentences on what they do not hold."""

    folder: str
    names: tuple[str, ...]
    loss: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The files' whole paths."""
        return tuple(str(Path(self.folder) / name) for name in self.names)


def free_folder(parent: Path, name: str) -> Path:
    """A folder of this name, or with a number behind it, that does not exist yet: nothing is ever overwritten."""
    found, number = parent / name, 1
    while found.exists():
        number += 1
        found = parent / f"{name}-{number}"
    return found


def write_export(
    kind: str, folder: Path, make: Callable[[Report], Export], name: str = ""
) -> Task[IntoFolder, Written]:
    """Makes the export in a job and writes its files into ``folder``, which is made for it; with the ``name`` of a file
    that the person chose, into one that exists."""
    target = folder / name
    run = partial(_write_export, make, not name)
    return Task(kind, f"Write {target.name}", run, IntoFolder(str(folder)), DuplicatePolicy.AFTER, scope=str(target))


def _write_export(make: Callable[[Report], Export], make_folders: bool, params: IntoFolder, report: Report) -> Written:
    report.progress(0.05, "Gathering")
    export, folder = make(report.part(0.05, 0.8)), Path(params.folder)
    write_files(export.files, folder, report.part(0.8, 1.0), make_folders=make_folders)
    return Written(str(folder), tuple(file.name for file in export.files), export.loss.sentences)


def write_beside(
    kind: str, path: Path, make: Callable[[Report], Sequence[ExportFile]]
) -> Task[Beside, tuple[str, ...]]:
    """Makes files in a job and writes them into the folder of ``path``; returns their paths."""
    run = partial(_write_beside, make)
    return Task(kind, f"Write {path.name}", run, Beside(str(path)), DuplicatePolicy.AFTER, scope=str(path))


def _write_beside(make: Callable[[Report], Sequence[ExportFile]], params: Beside, report: Report) -> tuple[str, ...]:
    report.progress(0.1, "Writing")
    return write_files(make(report.part(0.1, 0.8)), Path(params.path).parent, report.part(0.8, 1.0))


def write_files(
    files: Sequence[ExportFile], folder: Path, report: Report, *, make_folders: bool = True
) -> tuple[str, ...]:
    """Writes files into a folder, in folders of their own where their names say so; returns their paths.

    Raises EnvironmentProblem where one cannot be written, and Cancelled between two.
    """
    written = []
    for number, file in enumerate(files):
        report.progress(number / len(files), file.name)
        path = folder / file.name
        write_whole(path, file.content, make_folders=make_folders)
        written.append(str(path))
    return tuple(written)
