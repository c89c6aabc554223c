"""Score tables in, by the import dialog; tables, figures and reports out."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from desktop_app.context import AppContext
from desktop_app.panes.calibration.importing import ImportDialog
from desktop_app.writing import write_beside
from engine.errors import EnvironmentProblem

if TYPE_CHECKING:
    from engine.exchange.calibration import CalibrationExport

TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".xlsx", ".xls", ".parquet", ".json", ".jsonl")


class ScoreFiles(QObject):
    """Asks for files, reads and writes them; dialogs belong to ``over``."""

    imported = Signal(object, object, object)
    """A ScoreImport that the person confirmed, its path, and its columns by the names of the fields."""
    unreadable = Signal(object)
    """An EnvironmentProblem."""
    written = Signal(object)
    failed = Signal(object)
    """A Failure of an export."""

    def __init__(self, context: AppContext, over: QWidget) -> None:
        super().__init__(over)
        self._context, self._over = context, over

    def ask_for_table(self) -> None:
        """Asks for a file, then which column holds what."""
        endings = " ".join("*" + ending for ending in TABLE_ENDINGS)
        path = self._context.files.open_file(
            self._over, "Import scores", f"Tables and notes ({endings});;All files (*)"
        )
        if path is not None:
            self.import_table(path)

    def import_table(self, path: Path) -> None:
        """Reads a file and asks which column holds what."""
        from engine.exchange.scores import read_score_table

        try:
            table = read_score_table(path)
        except EnvironmentProblem as problem:
            self.unreadable.emit(problem)
            return
        dialog = ImportDialog(table, self._context.state, self._over)
        dialog.accepted.connect(lambda: self.imported.emit(dialog.result_import, path, dialog.mapping()))
        dialog.open()

    def ask_where(self, kind: str, title: str) -> Path | None:
        """Asks for the name of an exported file."""
        ending = {"csv": ".csv", "figures": ".svg"}.get(kind, f".{kind}")
        return self._context.files.save_file(self._over, "Export calibration", title, ending)

    def export(self, export: CalibrationExport, kind: str, path: Path) -> None:
        """Writes the files of a format beside ``path`` in a job, named after it."""
        from engine.exchange.calibration import export_files

        bridge = self._context.bridge
        bridge.submit(
            write_beside(
                "calibration.export",
                path,
                lambda _report: export_files(export, kind, path.stem, lambda: bridge.documents),
            ),
            self,
            on_done=self.written.emit,
            on_error=self.failed.emit,
        )


def today() -> str:
    """The date of a report."""
    return f"{datetime.now().astimezone():%d %B %Y}"


def dropped_table(event: QDropEvent) -> Path | None:
    """The first dropped file that can hold a table."""
    paths = (Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile())
    return next((path for path in paths if path.suffix.lower() in TABLE_ENDINGS), None)
