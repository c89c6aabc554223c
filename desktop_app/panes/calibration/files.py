"""Scores in, by the import dialog or dropped onto the pane; tables, figures and reports out."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.base import ACT
from desktop_app.panes.calibration.importing import ImportDialog
from desktop_app.panes.calibration.scenario_pane import ScenarioPane
from desktop_app.widgets.banner import written_notice
from desktop_app.writing import write_beside
from engine.errors import EnvironmentProblem
from engine.exchange.calibration import FORMATS, CalibrationExport, export_files

if TYPE_CHECKING:
    from engine.calibration.comparison import ComparisonRow
    from engine.exchange.scores import ScoreImport
    from engine.jobs import Failure

FIT = "fit"
"""The key of the notice about a calculation or a file that failed."""
TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".xlsx", ".parquet", ".json", ".jsonl")


class ScoreFilesPane(ScenarioPane):
    """Takes files in and writes them; ``comparison`` goes into the report where it was calculated."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.comparison: tuple[ComparisonRow, ...] = ()
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.can_import() and _dropped(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = _dropped(event)
        if path is not None:
            event.acceptProposedAction()
            self.import_table(path)

    def _job_failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        else:
            self.show_problem(failure.problem, FIT)

    def ask_for_table(self) -> None:
        endings = " ".join("*" + ending for ending in TABLE_ENDINGS)
        path = self.context.files.open_file(self, "Import scores", f"Tables and notes ({endings});;All files (*)")
        if path is not None:
            self.import_table(path)

    def import_table(self, path: Path) -> None:
        """Reads a file and asks which column holds what."""
        from engine.exchange.scores import read_score_table

        try:
            table = read_score_table(path)
        except EnvironmentProblem as problem:
            self.show_problem(problem, ACT)
            return
        self.banner.dismiss(ACT)
        dialog = ImportDialog(table, self.context.state, self)
        dialog.accepted.connect(lambda: self._import(path, dialog))
        dialog.open()

    def _import(self, path: Path, dialog: ImportDialog) -> None:
        found, store = dialog.result_import, self.store
        assert found is not None
        assert store is not None
        mapping = {name: column for name, column in dialog.chosen().columns.items() if column}

        def write(read: ScoreImport = found) -> None:
            self._wanted_scenario = ""
            self._wanted_table = store.add_table(
                path.stem, read.rows, origin=f"import:{path.name}", columns=mapping, problems=read.problems
            )

        if self.act(write):
            self.mark_dirty()
            self.take_focus()

    def open_exports(self) -> None:
        """A menu of the formats."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, title in FORMATS:
            menu.addAction(title, lambda format_=name: self.ask_where(format_))
        menu.popup(self.bar.mapToGlobal(QPoint(self.bar.width() - 220, self.bar.height())))

    def ask_where(self, format_: str) -> None:
        assert self.table is not None
        ending = {"csv": ".csv", "figures": ".svg"}.get(format_, f".{format_}")
        path = self.context.files.save_file(self, "Export the calibration", self.table.title, ending)
        if path is not None:
            self.export_to(format_, path)

    def export_to(self, format_: str, path: Path) -> None:
        """Has the files of a format written beside ``path``, named after it."""
        assert self.board is not None
        assert self.table is not None
        export = CalibrationExport(
            self.table.title,
            self.board.current,
            self.board.original,
            self.board.cutoff,
            self.table.problems,
            self.comparison,
            f"{datetime.now().astimezone():%d %B %Y}",
            tuple((review.id, review.item, review.referee) for review in self.reviews),
        )
        self.context.bridge.submit(
            write_beside(
                "calibration.export",
                path,
                lambda _report: export_files(export, format_, path.stem, lambda: self.context.bridge.documents),
            ),
            self,
            on_done=self._exported,
            on_error=self._job_failed,
        )

    def _exported(self, paths: tuple[str, ...]) -> None:
        self.banner.show_notice(written_notice("export", paths))


def _dropped(event: QDropEvent) -> Path | None:
    """The first dropped file that can hold a table."""
    paths = (Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile())
    return next((path for path in paths if path.suffix.lower() in TABLE_ENDINGS), None)
