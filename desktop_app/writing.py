"""The job that writes an export's files, in subfolders if their names contain them, and reports what was left out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.errors import BadInput
from engine.exchange.records import Export
from engine.files import write_whole
from engine.jobs import DuplicatePolicy, Report, Task


@dataclass(frozen=True, slots=True)
class Written:
    """The files written, and sentences about what they leave out."""

    folder: str
    names: tuple[str, ...]
    loss: tuple[str, ...]
    new_folder: bool = False
    """Whether the folder was created for them."""

    @classmethod
    def of(cls, path: Path, loss: tuple[str, ...] = ()) -> "Written":
        return cls(str(path.parent), (path.name,), loss)


def free_folder(parent: Path, name: str, ending: str = "") -> Path:
    """Returns a folder (or file) of this name that doesn't exist yet, with a number appended if necessary."""
    found, number = parent / f"{name}{ending}", 1
    while found.exists():
        number += 1
        found = parent / f"{name}-{number}{ending}"
    return found


def write_export(kind: str, folder: Path, make: Callable[[Report], Export], name: str = "") -> Task[Written]:
    """Returns a task that makes the export and writes its files into ``folder``, which is created; if ``name``, a file
    the user chose, is given, into an existing folder."""
    target = folder / name
    run = partial(_write_export, make, folder, name)
    return Task(kind, f"Save {target.name}", run, DuplicatePolicy.AFTER, str(target))


def _write_export(make: Callable[[Report], Export], folder: Path, name: str, report: Report) -> Written:
    report.progress(0.05, "Preparing")
    export = make(report.part(0.05, 0.8))
    names = [file.name for file in export.files]
    there = [one for one in names if (folder / one).exists()]
    if there and name not in there:  # with the chosen name, the dialog asked whether to overwrite
        more = f" and {len(there) - 1} more" if there[1:] else ""
        raise BadInput(f"Already there: {there[0]}{more}.", "Nothing was saved.", "Choose another name or folder.")
    writing = report.part(0.8, 1.0)
    for number, file in enumerate(export.files):
        writing.progress(number / len(export.files), file.name)
        write_whole(folder / file.name, file.content, make_folders=not name)
    return Written(str(folder), tuple(file.name for file in export.files), export.loss, not name)
