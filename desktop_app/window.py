"""The main window: side bar, header, the current pane, job tray and status bar."""

import sys
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QMessageBox, QWidget

from desktop_app import accessibility, motion
from desktop_app.commands import WINDOW, ActionBinder, CommandRegistry
from desktop_app.current_paper import CurrentPaper
from desktop_app.device import device
from desktop_app.engine_bridge import EngineBridge
from desktop_app.erase_and_share import EraseAndShare
from desktop_app.frame import Appearance, Header, SideBar, StatusLine
from desktop_app.guide import page_of
from desktop_app.lookup import network_words
from desktop_app.pane_stack import PaneStack, ProjectSearch
from desktop_app.panes import PANES, PARTICIPANT
from desktop_app.panes.base import ACT, BURST_MS, AppContext, Pane
from desktop_app.paper_actions import READING, PaperActions
from desktop_app.problems import Bug, BugReport, Problems
from desktop_app.project_control import (
    ANSWERS_SUFFIX,
    NOT_WRITTEN,
    PACKAGE_SUFFIX,
    RESULTS_SUFFIX,
    STUDY_SUFFIX,
    ProjectControl,
    holds_answers,
    openable,
)
from desktop_app.project_formats import ProjectFormats
from desktop_app.regular_backups import RegularBackups
from desktop_app.settings import Settings, WindowState
from desktop_app.timers import delayed
from desktop_app.undoing import Removal, Undoing
from desktop_app.widgets.banner import MessageArea, Notice
from desktop_app.widgets.buttons import presses_button
from desktop_app.widgets.command_menu import pop_up, window_menu
from desktop_app.widgets.dialogs import ask
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.widgets.floating import KeyOverview
from desktop_app.widgets.guide_sheet import GuideSheet
from desktop_app.widgets.job_tray import JobTray
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.layouts import column, row
from desktop_app.widgets.palette import Palette
from desktop_app.widgets.tab_order import step
from desktop_app.window_commands import PANE_COMMANDS, WINDOW_COMMANDS
from desktop_app.work_packages import WorkPackages
from engine.errors import EnvironmentProblem
from engine.jobs import Failure, JobSnapshot
from engine.project import Changes, Project
from engine.shown import visible, visible_line

REMEMBER_MS = 1000
"""Delay until a change of size or pane is saved, in case the program doesn't end normally."""
_UNDONE = "undone"
IN_A_SURVEY = frozenset(
    {
        "edit.undo", "edit.redo", "view.larger", "view.smaller", "view.normal_text", "view.scheme", "view.full_screen",
        "help.guide", "help.keys", "app.quit", "project.leave_survey",
    }
)  # fmt: skip
"""The window commands available while answering a survey."""


class MainWindow(QMainWindow):
    """The main window, for one project. Panes are imported when first shown."""

    def __init__(self, settings: Settings | None = None, state: WindowState | None = None) -> None:
        super().__init__()
        accessibility.install()
        self.settings = settings or Settings()
        self.settings.setParent(self)
        self.state = state or WindowState()
        self.appearance = Appearance(self.settings)
        self.commands = CommandRegistry(self)
        self.commands.load_overrides(self.settings.shortcuts)
        self.bridge = EngineBridge(self)
        self.problems = Problems(self)
        self.papers = CurrentPaper(self.bridge, self.state)
        files, self.messages = FileDialogs(self.bridge), MessageArea(self)
        self.control = ProjectControl(self.bridge, self.settings, self.state, self)
        shown = self.papers, self.messages, self.show_pane, self.open_path, self.control.act_as
        self.context = AppContext(self.bridge, self.settings, self.state, self.commands, files, *shown)
        self.erase_and_share = EraseAndShare(self.bridge, self.control, self.state, self)
        self.work_packages = WorkPackages(self.bridge, self.control, files, self)
        self.formats = ProjectFormats(self.bridge, self.control, self.papers, self)
        self.backups = RegularBackups(self.bridge, self)
        self.paper_actions = PaperActions(self.bridge, self.papers, self.context.files, self)
        self.undoing = Undoing(self.bridge, self.keyboard, self.show_problem, self._removal)
        self.stack = PaneStack(self.context, self)
        self.commands.places = self.stack
        self.panes = self.stack.made
        self._burst = delayed(self, BURST_MS, self.commands.state_changed.emit)
        self._closing = False
        self._remembering = delayed(self, REMEMBER_MS, self._remember)
        self._asking: QMessageBox | None = None
        self.in_survey = False
        """Whether the window shows only a participant's answers to a survey."""
        self._pane_before = "home"

        self.setWindowTitle("Rejoinder")
        self.setAccessibleName("Rejoinder")
        self.setAcceptDrops(True)
        self.setMinimumSize(960, 560)
        self._build()
        self._connect()
        if not self.restoreGeometry(self.state.bytes("geometry")):
            self.resize(1280, 800)
        for problem in self.settings.trouble:
            self.show_problem(problem)
        self.show_pane("home")

    def _build(self) -> None:
        self.tray = JobTray(self.stack)
        self.commands.register((*WINDOW_COMMANDS, *PANE_COMMANDS))
        self.side = SideBar(PANES, self.commands, self)
        self.side.show_words(self.settings.flag("appearance.side_bar_words"))
        self.side.menu_button.clicked.connect(self.open_menu)
        self.header = Header(self.commands, self)
        self.banner = self.messages.banner()
        self.status = StatusLine(self.commands, self)
        lines = [hairline(parent=self), hairline(parent=self), hairline(vertical=True, parent=self)]
        self._frame: tuple[QWidget, ...] = (self.side, self.header, self.status, *lines)
        centre = QWidget(self)
        centre.setProperty("role", "ground")
        main = column(self.header, lines[0], (self.stack, 1), lines[1], self.status)
        row(self.side, lines[2], (main, 1), spacing=0, of=centre)
        self.setCentralWidget(centre)
        self.messages.follow(self.stack, self.status, self.status.words)
        self._centre = centre
        self.palette_view = Palette(self.commands, {spec.id: spec.title for spec in PANES}, centre)
        self.keys = KeyOverview(self.commands, centre)
        self.help: GuideSheet | None = None
        self.project_search = ProjectSearch(self.bridge, self.papers, self.stack, centre)
        self.binder = ActionBinder(self.commands, self, WINDOW)

    def _connect(self) -> None:
        self.header.papers.picked.connect(self.papers.choose)
        self.header.search.textChanged.connect(lambda text: self.pane.search(text) if self.pane else None)
        self.header.search_stepped.connect(lambda forward: self.pane.search_next(forward) if self.pane else None)
        self.header.search_left.connect(self._focus_pane)
        self.banner.left.connect(self._focus_pane)
        self.palette_view.chosen.connect(self.run_command)
        self.project_search.pane_wanted.connect(self.show_pane)
        self.tray.cancel_wanted.connect(self.bridge.cancel_job)
        self.bridge.project_changed.connect(self._project_changed)
        self.bridge.changes.connect(self._changed)
        self.bridge.job_changed.connect(self._job_changed)
        self.bridge.job_failed.connect(self._job_failed)
        self.bridge.file_changed.connect(self.show_problem)
        # The user may be about to copy the project file with another program.
        application().applicationStateChanged.connect(
            lambda state: None if state == Qt.ApplicationState.ApplicationActive else self.bridge.save_everything()
        )
        self.control.notice.connect(self.banner.show_notice)
        self.paper_actions.problem.connect(self.show_problem)
        self.paper_actions.notice.connect(self.banner.show_notice)
        self.erase_and_share.notice.connect(self.banner.show_notice)
        self.work_packages.notice.connect(self.banner.show_notice)
        self.work_packages.opened.connect(self.show_pane)
        self.control.chosen.connect(self.open_path)
        self.formats.notice.connect(self.banner.show_notice)
        self.control.remark.connect(self.status.say)
        self.control.dismissed.connect(self.banner.dismiss)
        self.problems.environment.connect(self.show_problem)
        self.problems.bug.connect(self.show_bug)
        self.settings.changed.connect(self._setting_changed)
        self.settings.problem.connect(self.show_problem)
        self.papers.changed.connect(self._paper_changed)
        self.stack.status_changed.connect(self._show_status)
        self.stack.arranged.connect(self._remembering.start)
        self.commands.changed.connect(lambda: self.settings.set_shortcuts(self.commands.overrides))
        # After the first paint, because finding the device reads package metadata.
        QTimer.singleShot(0, self, self._show_facts)

    @property
    def pane(self) -> Pane | None:
        return self.stack.shown

    def show_pane(self, pane_id: str) -> Pane:
        if pane_id == "settings":  # its shortcut editor lists the commands of all panes
            self.stack.list_commands()
        for sheet in (self.keys, self.help):  # they describe the previous pane and would cover the new one
            if sheet is not None and sheet.isVisible():
                sheet.leave()
        pane = self.stack.show_pane(pane_id)
        if pane_id in self.side.buttons:
            self.side.choose(pane_id)
        self._show_place()
        self._show_status()
        self._remembering.start()
        if self.isVisible():
            pane.enter()
        self.commands.state_changed.emit()
        return pane

    def _show_place(self) -> None:
        project = self.bridge.project
        title = "" if project is None else project.title + (" (read-only)" if project.read_only else "")
        if self.pane is not None:
            self.header.show_place(self.pane.title, title, self.pane.search_hint if self.can_search() else "")
        # Qt uses [*] in titles as placeholder of its mark for unsaved work.
        shown = visible_line(title).replace("[*]", "[*][*]")
        self.setWindowTitle(f"{shown} – Rejoinder" if shown else "Rejoinder")

    def _show_status(self, pane_id: str = "") -> None:
        if pane_id == "models":  # servers may have been added or removed
            self._show_facts()
        self.status.show_words(self.pane.status_text if self.pane else "")

    def _show_facts(self) -> None:
        self.status.show_network(*network_words(self.settings))
        self.status.show_device(*device())

    def open_path(self, path: Path | str, *more: Path) -> bool:
        """Opens a project, a work package, or a study file as its participant. Answers go to the survey pane of the
        open project; results of work packages (several with ``more``) are shown before they are imported."""
        suffix = (path := Path(path)).suffix
        if suffix == STUDY_SUFFIX:
            return self.control.open_study(path)
        if suffix == PACKAGE_SUFFIX:
            return self.work_packages.open_package(path)
        if suffix == RESULTS_SUFFIX:
            return self.work_packages.open_results([path, *more])
        if suffix == ANSWERS_SUFFIX and not self.in_survey:
            return bool(self.context.show_pane("survey").add_files([path]))
        return self.control.open(path)

    def _show_survey_alone(self, alone: bool) -> None:
        """Shows only the survey and hides the rest of the application, or restores it."""
        if alone == self.in_survey:
            return
        self.in_survey = alone
        if alone and self.pane is not None:
            self._pane_before = self.pane.pane_id
        for widget in self._frame:
            widget.setHidden(alone)
        offered = (lambda c: c.scope == PARTICIPANT.id or c.id in IN_A_SURVEY) if alone else None
        self.commands.restrict(offered)
        self.show_pane(PARTICIPANT.id if alone else self._pane_before)

    def _project_changed(self, project: Project | None) -> None:
        self.papers.read(project)
        self.header.show_papers(self.papers.papers, self.papers.id)
        self._show_survey_alone(holds_answers(project))
        for pane in self.panes.values():
            pane.set_project(project)
        self._show_place()
        self.commands.state_changed.emit()
        for notice in self.banner.notices:
            if notice.kind == "note":  # it reports on what was open before
                self.banner.dismiss(notice.key)
        self.paper_actions.offer_reading()

    def _changed(self, changes: Changes) -> None:
        self.papers.on_changes(changes)
        if changes.touches("document") and not self.paper_actions.reads_earlier():
            self.banner.dismiss(READING)
        for pane in self.panes.values():
            pane.on_changes(changes)
            if changes.kind == "action":
                pane.removal = None
            if changes.kind in {"undo", "redo"}:  # it describes an action that may no longer exist
                pane.banner.dismiss(ACT)
        self._say_what_was_undone(changes)
        if changes.touches("project_info"):
            self._show_place()
        if changes.kind == "results":
            if not self._burst.isActive():
                self._burst.start()
        else:
            self.commands.state_changed.emit()

    def _say_what_was_undone(self, changes: Changes) -> None:
        """Names what was undone or redone: in a notice if the current pane doesn't show such things, otherwise in the
        status bar."""
        self.banner.dismiss(_UNDONE)
        if changes.kind == "action":
            self.banner.dismiss(NOT_WRITTEN)
            self.banner.dismiss("who")  # they have chosen by working on it
        shown = self.pane.tables if self.pane is not None else frozenset[str]()
        done, self.undoing.done = self.undoing.done, ""
        if changes.kind not in {"undo", "redo"} or not done:  # History goes through many steps
            return
        if shown and not changes.touches(*shown):
            self.banner.show_notice(Notice(_UNDONE, done, kind="note"))
        else:
            self.status.say(done)

    def _paper_changed(self) -> None:
        self._remembering.start()
        self.header.show_papers(self.papers.papers, self.papers.id)
        for pane in self.panes.values():
            pane.paper_changed()

    def _job_changed(self, job: JobSnapshot) -> None:
        self.tray.show_job(job)
        self.status.jobs.show_job(job)
        if job.state.ended or job.fraction is None:  # it starts: a server may have been added on the command line
            self.status.show_network(*network_words(self.settings))

    def _job_failed(self, failure: Failure) -> None:
        if failure.problem is not None:
            self.show_problem(failure.problem)
        else:
            self.show_bug(Bug(failure.summary, failure.traceback))

    def show_problem(self, problem: EnvironmentProblem) -> None:
        self.banner.show_notice(self.control.notice_of(problem))

    def show_bug(self, bug: Bug) -> None:
        what = f"Something went wrong in Rejoinder ({bug.summary})."
        means = "Your earlier changes are saved. The last one may not be."
        report = ("Show report", lambda: BugReport(bug, self).show())
        self.banner.show_notice(Notice("bug", what, means, actions=(report,)))

    def _setting_changed(self, name: str) -> None:
        match name:
            case "appearance.scheme" | "appearance.zoom":
                self.appearance.apply()
            case "appearance.side_bar_words":
                self.side.show_words(self.settings.flag(name))
            case "annotator.name":
                self.control.act_as(self.settings.text(name))
            case _ if name.startswith("network."):
                self._show_facts()

    def run_command(self, name: str) -> bool:
        """Runs a command from the palette, showing the command's pane first, which says so if it can't be run."""
        scope, pane = self.commands[name].scope, self.pane
        if scope != WINDOW and (pane is None or pane.pane_id != scope):
            pane = self.show_pane(scope)
        if not (ran := self.commands.run(name)) and pane is not None:
            pane.banner.show_notice(Notice(ACT, f"“{self.commands.text(name)}” isn't available now.", kind="note"))
        return ran

    def keyboard(self) -> QWidget | None:
        # While the palette is open, commands apply to the widget that had the focus before.
        return self.palette_view.before if self.palette_view.isVisible() else self.focusWidget()

    def _removal(self) -> Removal | None:
        return self.pane.removal if self.pane is not None else None

    def can_search(self) -> bool:
        pane = self.pane
        return pane is not None and bool(pane.search_hint) and not (pane.needs_project and pane.project is None)

    def focus_search(self) -> None:
        self.header.search.setFocus()
        self.header.search.selectAll()

    def open_palette(self) -> None:
        if self.palette_view.isVisible():
            self.palette_view.leave()
        else:
            self.stack.list_commands()
            self.palette_view.open(self.pane.pane_id if self.pane else "")

    def _focus_pane(self) -> None:
        if self.pane is not None:
            self.pane.enter()

    def toggle_keys(self) -> None:
        if self.pane is not None:
            self.keys.toggle(self.pane.pane_id, self.pane.title)

    def open_help(self) -> None:
        if self.help is None:
            self.help = GuideSheet(self._centre)
        if self.help.isVisible():
            self.help.leave()
        elif self.pane is not None:
            self.help.enter()
            self.help.open_page(page_of(self.pane.topic))

    def toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def menu(self) -> QMenu:
        return window_menu(self, self.commands, (self.pane.pane_id, self.pane.title) if self.pane else None)

    def open_menu(self) -> None:
        button = self.side.menu_button
        pop_up(self.menu(), button)

    def event(self, event: QEvent) -> bool:
        if presses_button(event, self.focusWidget()):
            return True
        if event.type() == QEvent.Type.WindowActivate:
            self._show_facts()
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize):
            self._remembering.start()
        return super().event(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step(self, forward) or super().focusNextPrevChild(forward)

    def showEvent(self, event: QShowEvent) -> None:
        """Gives the pane shown at startup the focus, like panes chosen later."""
        super().showEvent(event)
        if self.focusWidget() is None:
            self._focus_pane()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if openable(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = openable(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.open_path(*paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        busy = self.bridge.engine.busy()
        if busy and not self._closing:
            event.ignore()
            self._ask_about(busy)
            return
        if not self.control.may_leave(self.close):
            event.ignore()
            return
        self._closing = True
        focus = self.focusWidget()
        if focus is not None:
            focus.clearFocus()
        self._remember()
        self.bridge.close()
        self.problems.remove()
        event.accept()

    def stop_work(self) -> None:
        """Makes closing stop running jobs without asking."""
        self._closing = True

    def _ask_about(self, busy: tuple[JobSnapshot, ...]) -> None:
        if self._asking is not None:
            return

        def stop() -> None:
            self.stop_work()
            self.close()

        titles = "\n".join(f"•  {job.title}" for job in busy[:12])
        self._asking = ask(
            self,
            "Work in progress",
            "1 job is still running." if len(busy) == 1 else f"{len(busy)} jobs are still running.",
            f"{visible(titles)}\n\nIf you close the window now, unfinished work stops. Results saved so far are kept.",
            {"Stop and close": stop, "Keep working": None},
        )
        self._asking.finished.connect(lambda: setattr(self, "_asking", None))

    def _remember(self) -> None:
        self._remembering.stop()
        self.state.set_bytes("geometry", self.saveGeometry())
        self.state.set_text("pane", self.pane.pane_id if self.pane else "home")
        project = self.bridge.project
        self.state.set_text("project", str(project.path) if project is not None else "")
        self.settings.flush()
        try:
            self.state.save()
        except EnvironmentProblem as problem:
            self.show_problem(problem)

    def resume(self) -> None:
        """Opens the last project and pane if the settings say so."""
        path = self.state.text("project")
        if path and self.settings.flag("work.reopen_last") and Path(path).exists() and self.open_path(path):
            pane = self.state.text("pane", "home")
            if pane in {spec.id for spec in PANES}:
                self.show_pane(pane)


def application() -> QApplication:
    """Returns the QApplication, created at the first call."""
    app = QApplication.instance()
    if isinstance(app, QApplication):
        return app
    app = QApplication(["rejoinder"])
    app.setApplicationName("Rejoinder")
    app.setDesktopFileName("rejoinder")
    motion.read_setting(app)
    # Threads that read files hold the GIL; painting acquires it often and would wait 5 ms each time.
    sys.setswitchinterval(0.0005)
    active = Qt.ApplicationState.ApplicationActive
    app.applicationStateChanged.connect(lambda state: motion.read_setting(app) if state == active else None)
    return app
