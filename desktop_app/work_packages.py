"""Work packages in the window: leads create them and import results; annotators see guidelines and export results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from desktop_app import if_any
from desktop_app.engine_bridge import EngineBridge
from desktop_app.project_control import RESULTS_SUFFIX, ProjectControl
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.widgets.file_dialogs import FileDialogs, file_filter
from desktop_app.work_package_dialogs import (
    PANE_OF,
    CreateDialog,
    GuidelinesDialog,
    ImportDialog,
    ProgressDialog,
    Wanted,
    bring_in,
    create,
    look_into,
    progress,
)
from desktop_app.writing import Written
from engine.errors import EnvironmentProblem
from engine.files import write_whole
from engine.packages.records import Round
from engine.packages.store import PACKAGE, WorkStore
from engine.shown import counted

if TYPE_CHECKING:
    from engine.operations.results import FileReport
    from engine.packages.progress import Progress

NOTICE = "work-packages"


class WorkPackages(QObject):
    """The work packages of one window. Emits ``opened`` with the pane for the work in a package."""

    notice = Signal(object)
    opened = Signal(str)

    def __init__(self, bridge: EngineBridge, control: ProjectControl, files: FileDialogs, window: QWidget) -> None:
        super().__init__(window)
        self._bridge, self._control, self._files, self._window = bridge, control, files, window

    def can_lead(self) -> bool:
        project = self._bridge.project
        return project is not None and not project.read_only and not project.info(PACKAGE)

    def has_rounds(self) -> bool:
        return self.can_lead() and WorkStore(self._bridge.opened).has_rounds()

    def in_package(self) -> bool:
        return self._bridge.project is not None and bool(self._bridge.project.info(PACKAGE))

    def ask_create(self) -> None:
        dialog = CreateDialog(WorkStore(self._bridge.opened).rounds(), self._window)
        dialog.save = lambda: self._ask_folder(dialog, dialog.choice())
        dialog.open()

    def _ask_folder(self, dialog: QDialog, wanted: Wanted) -> bool:
        folder = self._files.choose_folder(dialog, "Folder for the work packages")
        if_any(folder, lambda found: self.create(replace(wanted, folder=str(found))))
        return folder is not None

    def create(self, wanted: Wanted) -> None:
        def done(paths: tuple[str, ...]) -> None:
            words = "Send each person their file. Import results when they come back."
            names = tuple(Path(path).name for path in paths)
            self.notice.emit(written_notice(NOTICE, Written(wanted.folder, names, (words,))))

        self._bridge.submit(create(self._bridge.opened, wanted), self, on_done=done)

    def ask_import(self) -> None:
        filters = file_filter("Results of work packages", ("rejoinder-results",))
        files = self._files.open_files(self._window, "Import results", filters)
        if files:
            self.preview([str(path) for path in files])

    def open_results(self, files: Sequence[Path]) -> bool:
        """Previews results that were opened or dropped. Returns whether the open project has rounds for them."""
        if not self.has_rounds():
            what = f"{files[0].name} contains the results of a work package."
            do = "Open the project in which you created the packages, then choose Import results…."
            self.notice.emit(Notice(NOTICE, what, "They weren't imported: no project with work packages is open.", do))
            return False
        self.preview([str(path) for path in files if path.suffix == RESULTS_SUFFIX])
        return True

    def preview(self, files: list[str]) -> None:
        def done(found: tuple[FileReport, ...]) -> None:
            dialog = ImportDialog(found, self._window)
            dialog.accepted.connect(partial(self._import, files))
            dialog.open()

        self._bridge.submit(look_into(self._bridge.opened, tuple(files)), self, on_done=done)

    def _import(self, files: list[str]) -> None:
        def done(found: tuple[FileReport, ...]) -> None:
            refused = any(one.status == "refused" for one in found)
            words = " ".join(one.sentence for one in found)
            new = any(one.added or one.changed or one.removed or one.aside for one in found)
            what = "Results were imported." if new else "There was nothing new to import."
            what = "Not all results were imported." if refused else what
            self.notice.emit(Notice(NOTICE, what, words, kind="attention" if refused else "note"))

        self._bridge.submit(bring_in(self._bridge.opened, tuple(files)), self, on_done=done)

    def show_progress(self) -> None:
        def done(rounds: tuple[tuple[Round, tuple[Progress, ...]], ...]) -> None:
            dialog = ProgressDialog(rounds, self._window)
            dialog.again.connect(partial(self._ask_folder, dialog))
            dialog.open()

        self._bridge.submit(progress(self._bridge.opened), self, on_done=done)

    def open_package(self, path: Path) -> bool:
        """Unpacks a package next to its file, or continues an unpacked one, and opens it. Returns whether it's open."""
        from engine.operations.packages import open_package

        try:
            project, manifest = open_package(path)
        except EnvironmentProblem as problem:
            self.notice.emit(Notice.of(problem, "open"))
            return False
        except OSError as error:
            what = f"Couldn't unpack {path.name}: {error.strerror}."
            self.notice.emit(Notice("open", what, "Nothing was opened.", "Copy the package to a folder of your own."))
            return False
        if not self._control.open(project):
            return False
        unit = "paper" if manifest.task == "survey" else manifest.task.removesuffix("s")
        what = f"“{manifest.title}”: {counted(manifest.items, unit)} for {manifest.person}."
        actions = (("Guidelines and training", self.show_guidelines), ("Export results…", self.ask_results))
        means = "Everything is saved as you go. Export results to send back at any time."
        self.notice.emit(Notice(NOTICE, what, means, kind="note", actions=actions))
        self.opened.emit(PANE_OF[manifest.task] if manifest.role == "annotator" else "agreement")
        return True

    def show_guidelines(self) -> None:
        from engine.operations.packages import feedback

        own = WorkStore(self._bridge.opened).own()
        assert own is not None
        GuidelinesDialog(own[0], feedback(self._bridge.opened), self._window).open()

    def ask_results(self) -> None:
        project = self._bridge.opened
        path = self._files.save_file(self._window, "Export results", project.path.stem, ".rejoinder-results")
        if path is not None:
            self.write_results(path)

    def write_results(self, path: Path) -> None:
        from engine.operations.results import outgoing

        try:
            made = outgoing(self._bridge.opened)
            write_whole(path, made.file.content)
        except EnvironmentProblem as problem:
            self.notice.emit(Notice.of(problem, NOTICE))
            return
        saved = written_notice(NOTICE, Written.of(path, tuple(s for s in made.sentences if s not in made.gaps)))
        self.notice.emit(replace(saved, what=" ".join((saved.what, *made.gaps))))
