"""Files of an organiser: the study that goes out, the answers that come back, data sets and figures in and out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMenu, QTabBar

from desktop_app.panes.base import Pane
from desktop_app.panes.survey.data_sets import KINDS, import_data_set, maker
from desktop_app.panes.survey.merging import LEFT_OUT, MergeDialog, MergedSoFar, MergeFiles, MergeReport, merge_files
from desktop_app.panes.survey.state import counted
from desktop_app.project_control import ANSWERS_SUFFIX
from desktop_app.widgets.banner import Kind, Notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.writing import Written, free_folder, write_export
from engine import user_files
from engine.errors import EnvironmentProblem
from engine.expertise.merge_store import MergeStore
from engine.files import make_private_folder, write_whole

if TYPE_CHECKING:
    from engine.expertise.records import Study
    from engine.expertise.store import SurveyStore
    from engine.jobs import Failure

ACT, MERGE = "act", "merge"
TOLD = 6
"""Sentences that the banner tells of a merge; all stand in the list of answers."""
STUDY, PEOPLE, RESULTS = range(3)


class OrganiserFiles(Pane):
    """The part of the pane that deals with files."""

    store: SurveyStore | None
    study: Study | None
    tabs: QTabBar
    export_button: CommandButton
    _wanted: str
    can_write: Callable[[], bool]
    choose_study: Callable[[str], None]
    _write: Callable[[Callable[[SurveyStore, str], object]], bool]

    def ask_where_to_write_study(self) -> None:
        from engine.exchange.study_file import STUDY_ENDING

        assert self.study is not None
        path = self.context.files.save_file(self, "Save the study file", self.study.title, STUDY_ENDING)
        if path is not None:
            self.write_study(path)

    def write_study(self, path: Path) -> bool:
        """Writes the study file; the banner says what to do with it."""
        from engine.exchange.study_file import STUDY_ENDING, content_hash_of, study_file

        study = self.study
        assert study is not None
        if path.suffix != STUDY_ENDING:
            path = path.with_name(path.name + STUDY_ENDING)
        file = study_file(study)
        if not self._written(path, file.content):
            return False
        self._write(lambda store, key: store.set_content_hash(key, content_hash_of(file.content)))
        see = ("See it as a participant", lambda: self.context.open_path(path))
        show = ("Show the folder", lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent))))
        words = "Send it to your participants. They open it with Rejoinder, and send back one answers file each."
        self.banner.show_notice(Notice("export", f"{path.name} is written.", words, kind="note", actions=(see, show)))
        return True

    def try_study(self) -> None:
        """Opens the study as a participant would; its key is another one, so that nothing of a trial can be merged."""
        from engine.exchange.study_file import STUDY_ENDING, study_file

        assert self.study is not None
        trial = replace(self.study, key=f"{self.study.key}-trial", title=f"{self.study.title} (trial)")
        path = user_files.data_folder() / "tried" / f"{self.study.id}{STUDY_ENDING}"
        make_private_folder(path.parent)
        if self._written(path, study_file(trial).content):
            self.context.open_path(path)

    def ask_for_answers(self) -> None:
        filters = f"Answers (*{ANSWERS_SUFFIX});;All files (*)"
        self.add_files(self.context.files.open_files(self, "Merge answers", filters))

    def add_files(self, paths: Sequence[Path]) -> bool:
        """Merges answers files into the study that they belong to, and says in the banner how it went. False where no
        project can take them."""
        project, studies = self.project, self.store.studies("organiser") if self.store is not None else ()
        if project is None or project.read_only or not studies:
            words = "Answers are merged into the project that holds their study."
            self.banner.show_notice(Notice(MERGE, words, "", "Open that project first, or import a data set."))
            return False
        if paths:
            self._choose_study_of(paths[0])
            assert self.study is not None
            self._merge(MergeFiles(self.study.id, tuple(map(str, paths))))
        return True

    def _merge(self, params: MergeFiles) -> None:
        assert self.project is not None
        self.banner.dismiss(MERGE)
        task = merge_files(MergeStore(self.project), params)
        done = lambda so_far: self._merged_so_far(params.study_id, so_far)  # noqa: E731
        self.context.bridge.submit(task, self, on_done=done, on_error=self._job_failed)

    def _choose_study_of(self, path: Path) -> None:
        """Turns to the study that the first file belongs to."""
        from engine.exchange.study_file import read_answers_file

        assert self.store is not None
        with suppress(EnvironmentProblem):  # it is told when the file is merged
            study = self.store.study_by_key(read_answers_file(path).study_key, "organiser")
            if study is not None:
                self._wanted = study.id
        self.refresh_now()

    def _merged_so_far(self, study_id: str, so_far: MergedSoFar) -> None:
        """Asks about the file that needs a choice, and goes on with those behind it."""
        plan = so_far.asks
        if plan is None:
            self._merged(so_far.report)
            return
        dialog = MergeDialog(plan, self)

        def taken() -> None:
            self._merge(MergeFiles(study_id, so_far.left, so_far.report, (plan, dialog.choice())))

        def left_out() -> None:
            report = replace(so_far.report, outcomes=(*so_far.report.outcomes, LEFT_OUT))
            self._merge(MergeFiles(study_id, so_far.left, report))

        dialog.accepted.connect(taken)
        dialog.rejected.connect(left_out)
        dialog.open()

    def _merged(self, report: MergeReport) -> None:
        self.tabs.setCurrentIndex(PEOPLE)
        kind: Kind = "attention" if report.problems else "note"
        self.banner.show_notice(
            Notice(
                MERGE,
                report.sentence(),
                " ".join(report.words[:TOLD]),
                " ".join(str(problem) for problem in report.problems[:TOLD]),
                kind,
            )
        )

    def ask_for_data_set(self) -> None:
        folder = self.context.files.choose_folder(self, "Import a data set")
        if folder is not None:
            self.import_data_set(folder)

    def import_data_set(self, folder: Path) -> None:
        """Brings a folder in as a study, in the released layout or that of OpenReview."""
        assert self.project is not None
        self.context.bridge.submit(
            import_data_set(self.project, folder), self, on_done=self._imported, on_error=self._job_failed
        )

    def _imported(self, study_id: str) -> None:
        self.banner.dismiss(ACT)
        self.choose_study(study_id)
        self.tabs.setCurrentIndex(PEOPLE)

    def open_exports(self) -> None:
        """A menu of what can be written."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for kind in KINDS:
            action = menu.addAction(KINDS[kind].title)
            action.triggered.connect(lambda _checked=False, kind=kind: self.ask_where_to_export(kind))
            action.setToolTip(KINDS[kind].help)
        menu.popup(self.export_button.mapToGlobal(QPoint(0, self.export_button.height())))

    def ask_where_to_export(self, kind: str) -> None:
        folder = self.context.files.choose_folder(self, "Choose where to create the export folder")
        if folder is not None:
            self.export_to(kind, folder)

    def export_to(self, kind: str, parent: Path) -> None:
        """Has the files of an export written into a new folder."""
        assert self.project is not None
        assert self.study is not None
        stem = "-".join(re.findall(r"\w+", self.study.title.lower()))[:60] or "survey"
        folder = free_folder(parent, f"{stem}-{KINDS[kind].ending}")
        task = write_export("survey.export", folder, maker(kind, self.project, self.study.id, stem))
        self.context.bridge.submit(task, self, on_done=self._exported, on_error=self._job_failed)

    def _exported(self, written: Written) -> None:
        folder = Path(written.folder)
        show = ("Show the folder", lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))))
        words = f"{counted(len(written.names), 'file is', 'files are')} written in {folder.name}."
        self.banner.show_notice(Notice("export", words, " ".join(written.loss), kind="note", actions=(show,)))

    def _job_failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        else:
            self.show_problem(failure.problem, ACT)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.can_write() and _dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.add_files(_dropped(event))
        event.acceptProposedAction()

    def _written(self, path: Path, content: bytes) -> bool:
        try:
            write_whole(path, content)
        except EnvironmentProblem as problem:
            self.show_problem(problem, ACT)
            return False
        return True


def _dropped(event: QDropEvent) -> list[Path]:
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix == ANSWERS_SUFFIX]
