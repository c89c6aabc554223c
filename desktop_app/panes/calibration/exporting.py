"""The job that writes a scenario to files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import EnvironmentProblem
from engine.exchange.calibration import CalibrationExport, export_files
from engine.jobs import DuplicatePolicy, Report, Task

if TYPE_CHECKING:
    from desktop_app.engine_bridge import EngineBridge
    from engine.documents.service import DocumentService


@dataclass(frozen=True)
class Writing:
    """What the job gets: everything as it is now, frozen."""

    export: CalibrationExport
    format: str
    path: str


@dataclass(frozen=True)
class Written:
    """The files that were written."""

    paths: tuple[str, ...]


def export_task(export: CalibrationExport, format_: str, path: Path, bridge: EngineBridge) -> Task[Writing, Written]:
    """Writes the files of ``format_`` into the folder of ``path``, named after it."""
    return Task(
        kind="calibration.export",
        title=f"Write {path.name}",
        run=partial(_write, lambda: bridge.documents),
        params=Writing(export, format_, str(path)),
        duplicate=DuplicatePolicy.AFTER,
        scope=str(path),
    )


def _write(service: Callable[[], DocumentService], params: Writing, report: Report) -> Written:
    report.progress(0.1, "Writing")
    path = Path(params.path)
    written = []
    for file in export_files(params.export, params.format, path.stem, service):
        report.check()
        target = path.parent / file.name
        try:
            target.write_bytes(file.content)
        except OSError as error:
            raise EnvironmentProblem(
                f"{target.name} could not be written: {error.strerror}.",
                "Files before it were written.",
                "Choose another folder.",
            ) from error
        written.append(str(target))
    return Written(tuple(written))
