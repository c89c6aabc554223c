"""Opens, creates, closes, copies and recovers projects: the File commands and dropped files."""

import hashlib
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QInputDialog, QWidget

from desktop_app import present
from desktop_app.engine_bridge import EngineBridge
from desktop_app.regular_backups import backup_task
from desktop_app.settings import Settings, WindowState
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.dialogs import ask
from desktop_app.widgets.fields import Visit
from desktop_app.widgets.file_dialogs import documents_folder, file_dialog, save_dialog
from engine import user_files
from engine.errors import BadInput, EnvironmentProblem
from engine.files import make_private_folder, whole_file
from engine.jobs import DuplicatePolicy, Report, task
from engine.operations import identity
from engine.project import Backup, DamagedProject, Project, last_good_backup, restore
from engine.project.database import NotWritten
from engine.project.invariants import CHECKED, violations
from engine.project.salvage import Salvaged, salvage
from engine.project.schema import ForeignSchema
from engine.project.watch import FileChanged
from engine.shown import counted, listed, local_time, shortened, visible_line

SUFFIX = ".rejoinder"
STUDY_SUFFIX, ANSWERS_SUFFIX = ".rejoinder-study", ".rejoinder-answers"
PACKAGE_SUFFIX, RESULTS_SUFFIX = ".rejoinder-package", ".rejoinder-results"
NEW = f"Rejoinder projects (*{SUFFIX})"
FILTER = f"Rejoinder projects, work packages and surveys (*{SUFFIX} *{PACKAGE_SUFFIX} *{STUDY_SUFFIX})"
SAMPLES = Path(__file__).resolve().parent.parent / "resources" / "sample"


def openable(dropped: QMimeData) -> list[Path]:
    """Returns the dropped files that the window itself opens; panes accept other types."""
    paths = [Path(url.toLocalFile()) for url in dropped.urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix in (SUFFIX, STUDY_SUFFIX, PACKAGE_SUFFIX, RESULTS_SUFFIX)]


def shipped_sample() -> Path | None:
    """Returns the sample project of this installation, or None."""
    return next(iter(sorted(SAMPLES.glob(f"*{SUFFIX}"))), None)


NOT_WRITTEN = "not-written"
"""Key of the notice about a change that wasn't saved; the next successful change dismisses it."""


def private_sample(folder: Path | None = None) -> Path:
    """Returns the user's own copy of the sample, made at the first call; changes in it are kept.

    ``folder`` replaces the default folder for the copy.
    """
    shipped = shipped_sample()
    if shipped is None:
        raise BadInput("This installation has no sample project.", "Nothing was opened.", "Run “make sample” first.")
    mark = hashlib.sha256(shipped.read_bytes()).hexdigest()[:8]
    own = (folder or user_files.data_folder() / "samples") / f"{shipped.stem}-{mark}{SUFFIX}"
    if not own.exists():
        make_private_folder(own.parent)
        with whole_file(own, replace=True) as unfinished:
            shutil.copyfile(shipped, unfinished)
    return own


def with_suffix(path: Path | str) -> Path:
    """Appends the project suffix if it is missing."""
    path = Path(path)
    return path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)


def surveys_folder() -> Path:
    """Returns the folder with answers to surveys, one small project per survey."""
    return user_files.data_folder() / "surveys"


def holds_answers(project: Project | None) -> bool:
    return project is not None and project.path.parent == surveys_folder()


def answers_project(study_key: str, title: str) -> Path:
    """Returns the file for answers to a study: an existing one, even if the study's title changed since, or a new
    name."""
    mark = hashlib.sha256(study_key.encode("utf-8")).hexdigest()[:8]
    words = "-".join(re.findall(r"\w+", title.lower()))[:40].strip("-") or "survey"
    there = sorted(surveys_folder().glob(f"*-{mark}{SUFFIX}"))
    return there[0] if there else surveys_folder() / f"{words}-{mark}{SUFFIX}"


class ProjectControl(QObject):
    """Manages the project of a window. Problems are emitted as notices for the window's banner."""

    notice = Signal(object)
    dismissed = Signal(str)
    chosen = Signal(str)
    """The user chose this file to open: a project, a study or a work package."""
    remark = Signal(str)
    """Success message for the status bar."""

    def __init__(self, bridge: EngineBridge, settings: Settings, state: WindowState, window: QWidget) -> None:
        super().__init__(window)
        self._bridge, self._settings, self._state, self._window = bridge, settings, state, window
        self._before_survey: Path | None = None

    def may_leave(self, again: Callable[[], object]) -> bool:
        """Returns whether all typed text was saved. If not, asks; calls ``again`` if the user discards the text."""
        visits = self._window.findChildren(Visit)
        for visit in visits:
            visit.commit()
        texts = [text for visit in visits for text, _key in visit.kept.values()]

        def discard() -> None:
            for visit in visits:
                visit.forget()
            again()

        if texts:
            listed_texts = "\n".join(f"•  {shortened(visible_line(text), 60)}" for text in texts[:12])
            ask(
                self._window,
                "Text that isn't saved",
                f"{counted(len(texts), 'text')} that you typed couldn't be saved in this project.",
                f"{listed_texts}\n\nFree some space, or copy the text and keep it elsewhere.",
                {
                    "Close without it": discard,
                    "Copy the text": lambda: QGuiApplication.clipboard().setText("\n\n".join(texts)),
                    "Keep the project open": None,
                },
            )
        return not texts

    def open(self, path: Path | str) -> bool:
        """Opens a project file instead of the current one. Returns whether it is open."""
        path = Path(path).resolve()
        current = self._bridge.project
        if current is not None and current.path == path:
            return True
        if not self.may_leave(lambda: self.open(path)):
            return False
        self.dismissed.emit("open")
        try:
            project = Project.open(path, annotator=self._settings.text("annotator.name"))
        except ForeignSchema as problem:
            salvage = ("Recover data…", lambda: self.ask_salvage(path))
            self.notice.emit(Notice.of(problem, "open", salvage))
            return False
        except EnvironmentProblem as problem:
            self._explain(path, problem, damaged=isinstance(problem, DamagedProject))
            return False
        self._take(project)
        return True

    def create(self, path: Path | str, title: str = "") -> bool:
        path = with_suffix(path)
        if not self.may_leave(lambda: self.create(path, title)):
            return False
        self.dismissed.emit("open")
        try:
            project = Project.create(path, title or path.stem, self._settings.text("annotator.name"))
        except EnvironmentProblem as problem:
            self.notice.emit(Notice.of(problem, "open"))
            return False
        identity.remember(project)
        self._take(project)
        return True

    def open_study(self, path: Path | str) -> bool:
        """Opens a study file as its participant, with existing or new answers. Returns whether it is open."""
        from engine.exchange.study_file import read_study_file
        from engine.expertise.store import SurveyStore

        path, current = Path(path).absolute(), self._bridge.project
        if not self.may_leave(lambda: self.open_study(path)):
            return False
        self.dismissed.emit("open")
        try:
            study = read_study_file(path)
            own = answers_project(study.key, study.title)
            if current is not None and current.path == own:
                return True
            make_private_folder(own.parent)
            name = self._settings.text("annotator.name")
            project = Project.open(own, annotator=name) if own.exists() else Project.create(own, study.title, name)
            if not project.read_only:
                SurveyStore(project).open_study(study, filename=path.name)
        except OSError as error:
            words = f"Couldn't save answers to {path.name}: {error.strerror}."
            self.notice.emit(
                Notice("open", words, "Nothing was opened.", f"Make sure there's free space in {surveys_folder()}.")
            )
            return False
        except EnvironmentProblem as problem:
            self.notice.emit(Notice.of(problem, "open"))
            return False
        if not holds_answers(current):
            self._before_survey = current.path if current is not None else None
        self._take(project)
        return True

    def leave_survey(self) -> None:
        if not self.may_leave(self.leave_survey):
            return
        before, self._before_survey = self._before_survey, None
        if before is None or not before.exists() or not self.open(before):
            self.close()

    def close(self) -> None:
        if not self.may_leave(self.close):
            return
        self.dismissed.emit("open")
        self.dismissed.emit("read-only")
        self._bridge.set_project(None)

    def open_sample(self, folder: Path | None = None) -> bool:
        """Opens the user's own copy of the sample project, made in ``folder`` or in the data folder."""
        try:
            opened = self.open(private_sample(folder))
            project = self._bridge.project
            if opened and project is not None and not project.read_only:
                # Continue as the sample's annotator, so that its decisions are visible and editable.
                for act in project.history(1):
                    project.set_annotator(act.annotator)
                identity.remember(project)
                self.dismissed.emit("who")
                self._bridge.project_changed.emit(project)
            return opened
        except OSError as error:
            what = f"Couldn't copy the sample project: {error.strerror}."
            self.notice.emit(Notice("open", what, "Nothing was opened."))
        except EnvironmentProblem as problem:
            self.notice.emit(Notice.of(problem, "open"))
        return False

    def _take(self, project: Project) -> None:
        self.dismissed.emit("read-only")
        self.dismissed.emit("who")
        self._settle_annotator(project)
        self._remember(project)
        self._bridge.set_project(project)
        if project.read_only:
            what, do = f"{project.path.name} is open read-only.", "You can view everything."
            actions = (("Save a copy…", self.ask_copy),)
            self.notice.emit(Notice("read-only", what, project.read_only_reason, do, "attention", actions))

    def _remember(self, project: Project) -> None:
        """Adds a project to the recent ones with its title, except the sample and surveys."""
        if not project.path.is_relative_to(user_files.data_folder()):
            self._state.add_recent(project.path, project.title)
            # Saved now so that a crash doesn't lose it.
            with suppress(EnvironmentProblem):
                self._state.save()

    def _settle_annotator(self, project: Project) -> None:
        """Continues as the annotator last used in the project, or asks who the user is. Doesn't write to the file."""
        name = self._settings.text("annotator.name")
        who = identity.acting(project, name)
        if project.read_only:
            people = {known: key for key, known in project.annotators()}
            project.annotator_id = people.get(who.name, project.annotator_id)
        elif who.known:
            project.set_annotator(who.name)
            return
        acting = dict(project.annotators()).get(project.annotator_id, "")
        if not project.read_only and who.choices and acting not in who.choices and not holds_answers(project):
            what = f"Who are you? You haven't worked on “{shortened(project.title, 60)}” on this computer yet."
            means = f"You're working as a new annotator, {acting}, and don't see the work of {listed(who.choices)}."
            actions = tuple((one, partial(self.act_as, one)) for one in (*who.choices[:4], acting))
            self.notice.emit(Notice("who", what, means, kind="attention", actions=actions))

    def act_as(self, name: str) -> None:
        """Sets the acting annotator, as chosen by the user, and remembers it on this computer."""
        project = self._bridge.project
        if project is None or project.read_only or not name.strip():
            return
        changed = project.annotator_id != project.set_annotator(name)
        identity.remember(project)
        self.dismissed.emit("who")
        if changed:
            self._bridge.project_changed.emit(project)  # all panes reload: the work is another annotator's

    def _forget(self, path: Path) -> None:
        self._state.forget_recent(path)
        self.dismissed.emit("open")
        self._bridge.project_changed.emit(self._bridge.project)

    def _explain(self, path: Path, problem: EnvironmentProblem, *, damaged: bool) -> None:
        """Shows a notice saying why a project can't be opened and what may help."""
        notice = self._with_backup(path, problem)
        if damaged and not notice.actions:
            notice = replace(notice, do="No backup was found on this computer. The file hasn't been changed.")
        if path in self._state.recent and not path.exists():
            forget = ("Remove from recent projects", lambda: self._forget(path))
            notice = replace(notice, actions=(*notice.actions, forget))
        self.notice.emit(notice)

    def _with_backup(self, path: Path, problem: EnvironmentProblem) -> Notice:
        """Returns the problem as a notice that offers the last good backup, if there is one."""
        actions: list[tuple[str, Callable[[], object]]] = []
        do, backup = problem.do, last_good_backup(path)
        if backup is not None:
            when = local_time(backup.created_at)
            kept = ". The current file will be kept" if path.exists() else ""
            do = f"The last good backup is from {when}{kept}."
            actions.append((f"Restore backup from {when}", lambda: self.restore(path, backup)))
        return Notice("open", problem.what, problem.means, do, "problem", tuple(actions))

    def notice_of(self, problem: EnvironmentProblem) -> Notice:
        """Returns a problem with the open project as a notice, with a helpful button if there is one."""
        project = self._bridge.project
        if project is None:
            return Notice.of(problem)
        if isinstance(problem, DamagedProject):
            return self._with_backup(project.path, problem)
        if isinstance(problem, FileChanged):
            actions = (("Save a copy…", self.ask_copy), ("Close and reopen", self.reopen))
            return Notice.of(problem, "gone", *actions)
        if isinstance(problem, NotWritten):
            return Notice.of(problem, NOT_WRITTEN, ("Save a copy…", self.ask_copy))
        return Notice.of(problem)

    def reopen(self) -> None:
        """Closes the project and opens the current file at its path."""
        project = self._bridge.project
        if project is not None and self.may_leave(self.reopen):
            self.close()
            self.dismissed.emit("gone")
            self.open(project.path)

    def salvage(self, path: Path, target: Path | str) -> None:
        new = with_suffix(target)

        def done(found: Salvaged) -> None:
            if self.open(new):
                left = f"Left out: {'; '.join(found.left_out)}." if found.left_out else "Nothing was left out."
                self.notice.emit(
                    Notice(
                        "open",
                        f"{counted(found.rows, 'row was', 'rows were')} recovered from {path.name}.",
                        left,
                        kind="note",
                    )
                )

        self._bridge.submit(_salvage(path, new), self, on_done=done)

    def restore(self, path: Path, backup: Backup) -> bool:
        current = self._bridge.project
        if current is not None and current.path == path.absolute():
            if not self.may_leave(lambda: self.restore(path, backup)):
                return False
            self.close()
        try:
            kept = restore(path, backup.path)
        except EnvironmentProblem as problem:
            self.notice.emit(Notice.of(problem, "open"))
            return False
        opened = self.open(path)
        if opened and kept is not None:
            what = f"The backup is open. The previous file was kept as {kept.name}."
            self.notice.emit(Notice("open", what, kind="note"))
        return opened

    def back_up(self) -> None:
        project = self._bridge.project
        if project is None:
            return

        def done(path: str) -> None:
            self.remark.emit(f"Backed up and verified: {Path(path).name}, in the project's folder")

        self._bridge.submit(backup_task(project, "asked"), self, on_done=done)

    def check(self) -> None:
        project = self._bridge.project
        if project is None:
            return

        def done(result: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
            damage, wrong = result
            if wrong:
                words = f"Some entries in {project.path.name} are inconsistent: {'; '.join(wrong)}."
                means = "The file isn't damaged, and everything can be read."
                self.notice.emit(Notice("care", words, means, "Undo your last steps, or report this.", "attention"))
            elif not damage:
                self.remark.emit(f"No problems found in {project.path.name}. Checked: the file, {listed(CHECKED)}.")
            else:
                what = f"{project.path.name} is damaged: {'; '.join(damage)}."
                do = "Close the project and open it again to restore the last good backup."
                self.notice.emit(Notice("care", what, "Part of it can't be read.", do))

        self._bridge.submit(_check(project), self, on_done=done)

    def save_copy(self, path: Path | str) -> bool:
        project = self._bridge.project
        if project is None:
            return False
        path = with_suffix(path)
        try:
            project.save_copy(path)
        except EnvironmentProblem as problem:
            self.notice.emit(Notice.of(problem, "care"))
            return False
        return self.open(path)

    def ask_open(self) -> None:
        dialog = file_dialog(self._window, "Open a project", self._folder(), FILTER)
        dialog.fileSelected.connect(self.chosen)
        dialog.open()

    def ask_new(self) -> None:
        self.ask_new_file("Create a project", self.create)

    def can_rename(self) -> bool:
        return self._bridge.project is not None and not self._bridge.project.read_only

    def ask_title(self) -> None:
        project = self._bridge.opened
        name, agreed = QInputDialog.getText(self._window, "Rename project", "Title:", text=project.title)
        if agreed and name.strip() and not project.read_only:
            self.rename(name)

    def rename(self, title: str) -> None:
        project = self._bridge.opened
        try:
            project.set_title(" ".join(title.split()))
        except EnvironmentProblem as problem:
            self.notice.emit(self.notice_of(problem))
            return
        self._remember(project)

    def ask_annotator(self) -> None:
        """Asks which annotator to act as; offers the project's annotators, the acting one first."""
        project = self._bridge.opened
        known = sorted(project.annotators(), key=lambda one: one[0] != project.annotator_id)
        names = [name for _key, name in known]
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle("Change annotator")
        dialog.setLabelText("Annotator's name:")
        dialog.setComboBoxItems(names)
        dialog.setComboBoxEditable(True)
        box = present(dialog.findChild(QComboBox))
        box.setMinimumWidth(theme().px(300))
        box.setCompleter(None)  # type: ignore[arg-type]  # a new name would become a longer known one
        if dialog.exec():
            self.act_as(dialog.textValue())
        dialog.deleteLater()

    def ask_copy(self) -> None:
        project = self._bridge.project
        name = f"{project.path.stem} copy{SUFFIX}" if project is not None else ""
        self.ask_new_file("Save a copy", self.save_copy, self._folder() / name)

    def ask_salvage(self, path: Path) -> None:
        new = path.with_name(f"{path.stem} recovered{SUFFIX}")
        self.ask_new_file("Recover into a new project", lambda chosen: self.salvage(path, chosen), new)

    def ask_new_file(self, title: str, then: Callable[[str], object], proposed: Path | None = None) -> None:
        """Asks for the name of a new project file and calls ``then`` with it."""
        folder, name = (proposed.parent, proposed.name) if proposed else (self._folder(), "")
        dialog = save_dialog(self._window, title, folder, NEW, suffix=SUFFIX[1:], name=name, overwrites=False)
        dialog.fileSelected.connect(then)
        dialog.open()

    def _folder(self) -> Path:
        recent = next((path.parent for path in self._state.recent if path.parent.is_dir()), None)
        return recent or documents_folder()


@task("project.salvage", "Recover {path.name}", DuplicatePolicy.DISCARD)
def _salvage(report: Report, path: Path, new: Path) -> Salvaged:
    return salvage(path, new, report.progress)


@task("project.check", "Check {project.path.name}", DuplicatePolicy.DISCARD)
def _check(_report: Report, project: Project) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns damage and, if there is none, inconsistencies."""
    damage = project.check()
    return damage, () if damage else violations(project)
