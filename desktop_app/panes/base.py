"""Base class of panes: title, commands, banner, page for empty projects, and refreshing only while visible."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QStackedLayout, QTabBar, QWidget

from desktop_app import if_any
from desktop_app.commands import CommandRegistry
from desktop_app.current_paper import CurrentPaper
from desktop_app.engine_bridge import BridgedJob, EngineBridge
from desktop_app.panes import PANES, PARTICIPANT
from desktop_app.settings import Settings, WindowState
from desktop_app.theme import theme
from desktop_app.timers import delayed
from desktop_app.undoing import Removal
from desktop_app.widgets.banner import Banner, MessageArea, Notice, written_notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fields import Visit
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.widgets.labels import named, scrolled, text_label
from desktop_app.widgets.layouts import Parts, column, row
from desktop_app.writing import Written
from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import Failure, Task
from engine.operations.search_store import Found
from engine.project import Changes, Project
from engine.project.database import NotWritten
from engine.project.watch import FileChanged
from engine.shown import counted, shortened

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AppContext:
    """What panes need of the window. ``papers`` holds the current paper; ``show_pane`` shows a pane by its id and
    returns it; ``open_path`` opens a project file; ``act_as`` changes the acting annotator."""

    bridge: EngineBridge
    settings: Settings
    state: WindowState
    commands: CommandRegistry
    files: FileDialogs
    papers: CurrentPaper
    messages: MessageArea
    show_pane: Callable[[str], Any]
    open_path: Callable[[str | Path], object]
    act_as: Callable[[str], None]


_READING = "reading"
_KEPT = "kept"
_SEARCHED = "searched"
ACT = "act"
"""Key of banner messages about an action the user requested."""
BURST_MS = 80


@dataclass(frozen=True, slots=True)
class PaneTools:
    """What parts of a pane may use: ``owner`` is the parent of dialogs and jobs, ``finish`` saves text being typed, the
    others are those of ``Pane``."""

    context: AppContext
    owner: QWidget
    banner: Banner
    act: Callable[..., bool]
    result: Callable[..., Any]
    show_problem: Callable[[EnvironmentProblem, str], None]
    show_failure: Callable[[Failure, str], None]
    submit: Callable[..., BridgedJob]
    write_files: Callable[..., None]
    finish: Callable[[], None]

    def do(self, verb: Callable[..., object], *args: object, key: str = ACT) -> bool:
        """Saves text being typed, then runs a store operation."""
        self.finish()
        return self.act(lambda: verb(*args), key)

    def notify(self, key: str, what: str, means: str = "", *actions: tuple[str, Callable[[], object]]) -> None:
        self.banner.show_notice(Notice(key, what, means, kind="note", actions=actions))


class Pane(QWidget):
    """Base class of panes.

    A pane builds its widgets into ``self.body`` in ``__init__``, reads records in ``refresh`` and writes through store
    operations in its commands. A new project (``project_set``) or changes mark it dirty, and ``refresh`` runs while it
    is visible. ``tables`` names the project's tables it shows (empty: all).
    """

    pane_id: ClassVar[str]
    purpose: ClassVar[str] = ""
    """The purpose of the pane in one or two sentences, shown on its empty page."""
    tables: ClassVar[frozenset[str]] = frozenset()
    shows_paper: ClassVar[bool] = True
    """Whether the pane depends on the current paper."""
    first_step: ClassVar[str] = "project.open"
    """The command offered on the empty page if the project has nothing for this pane."""
    other_steps: ClassVar[tuple[str, ...]] = ()
    """Further commands offered on the empty page."""
    exported_as: ClassVar[str] = "bundle"
    """The format preselected in the project's export while this pane is shown."""
    search_hint: ClassVar[str] = ""
    """Placeholder of the header's search field; empty if this pane has no search."""

    status_changed = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        listed = next(spec for spec in (*PANES, PARTICIPANT) if spec.id == self.pane_id)
        self.title, self.icon, self.needs_project = listed.title, listed.icon, listed.needs_project
        self.context = context
        self.project: Project | None = None
        self._dirty = True
        self.status_text = self.searched = ""
        self.refused: EnvironmentProblem | None = None
        """Why the last action couldn't be saved; text fields then try again."""
        self._calculated: dict[str, BridgedJob] = {}
        self.removal: Removal | None = None
        """What the pane last removed from a list outside the project. Undo restores it while the pane is shown, unless
        something was done in the project since."""
        self._burst = delayed(self, BURST_MS, self.mark_dirty)
        self.setAccessibleName(self.title)
        self.setProperty("role", "ground")
        self.banner = context.messages.banner()
        self.banner.left.connect(self.enter)
        self.body = named(_Body(self), self.title)
        self.main: QWidget = self.body
        """The widget that gets the focus when the pane is shown."""
        self.foot_line: tuple[QWidget, QWidget] | None = None
        """The line of buttons that the pane ends with, and its text, which messages may cover."""
        self._empty: EmptyPage | None = None
        self._pages = QStackedLayout()
        # With large text on a small screen, scroll instead of cutting off text.
        self._area = scrolled(self.body, self.title, self, sideways=True)
        self._pages.addWidget(self._area)
        self.setLayout(self._pages)

    def paper_changed(self) -> None:
        """Called when another paper is current (``paper_id``) or papers were renamed. Panes that show a paper
        refresh."""
        if self.shows_paper:
            self.mark_dirty()

    def project_set(self) -> None:
        """Called after ``self.project`` changed (None: closed), to clear data of the old one. ``refresh`` follows."""

    def refresh(self) -> None:
        """Reads and shows the data, keeping position and selection. Called while visible if the pane isn't empty."""

    def is_empty(self) -> bool:
        """Returns whether the open project has nothing for this pane yet."""
        return False

    def search(self, text: str) -> None:
        """Searches for the header's search text; called while it is typed."""
        self.searched = text
        self._find(0)

    def search_next(self, forward: bool = True) -> None:
        """Goes to the next (previous) match; called for Enter in the search field."""
        self._find(1 if forward else -1)

    def _find(self, by: int) -> None:
        if self.find_searched(by) or not self.searched.strip():
            self.banner.dismiss(_SEARCHED)
        else:
            self.note(f"No results for “{shortened(self.searched, 40)}”.", key=_SEARCHED)

    def find_searched(self, _by: int) -> bool:
        """Goes to a match of ``searched``: the next (1), the previous (-1), or the first from here on (0). Returns
        whether there is one."""
        return True

    def show_found(self, found: Found) -> None:
        """Shows a result of the search across the project."""

    def take_focus(self) -> None:
        self.main.setFocus()

    def enter(self) -> None:
        """Sets the focus when the pane is shown: on its empty page to the first step, else to the main widget."""
        if self._empty is not None and self._pages.currentWidget() is self._empty:
            self._empty.setFocus()
        else:
            self.take_focus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape, unless a widget handles it, moves the focus to the pane's main widget; if it is already there,
        dismisses the latest note."""
        if event.key() == Qt.Key.Key_Escape:
            before = self.window().focusWidget()
            self.enter()
            if self.window().focusWidget() is before:
                self.banner.dismiss_note()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Moves the focus from a control that was disabled or hidden to the main widget, instead of Qt's choice: the
        next control."""
        focus = self.window().focusWidget()
        if focus is None or (focus.isEnabled() and focus.isVisible()):
            return super().focusNextPrevChild(forward)
        self.take_focus()
        return True

    def focus_view(self, _number: int = 0) -> None:
        """Moves the focus to the main widget after another view was shown, if the pane had it; Qt would choose the
        first control."""
        focus = self.window().focusWidget()
        if focus is not None and self.body.isAncestorOf(focus) and not isinstance(focus, QTabBar):
            self.take_focus()

    @property
    def paper_id(self) -> str:
        """The current paper; "" if the project has none."""
        return self.context.papers.id

    def set_status(self, text: str) -> None:
        if text != self.status_text:
            self.status_text = text
            self.status_changed.emit(text)

    def set_project(self, project: Project | None) -> None:
        for visit in self.findChildren(Visit):
            visit.forget()  # it belongs to another project
        self.stop_calculating()
        self.project, self.removal = project, None
        self.banner.clear()
        self.project_set()
        self.mark_dirty()

    def on_changes(self, changes: Changes) -> None:
        """Called after each commit. Panes may override it to refresh only parts."""
        if self.tables and not changes.tables & self.tables:
            return
        if changes.kind == "results":
            # Results come in many short transactions: refresh once per burst.
            self._dirty = True
            if not self._burst.isActive():
                self._burst.start()
        else:
            self.mark_dirty()

    def mark_dirty(self) -> None:
        """Marks the content as outdated; refreshes now if visible, otherwise when shown."""
        self._dirty = True
        if self.isVisible():
            self.refresh_now()

    def refresh_now(self) -> None:
        """Refreshes now; problems while reading are shown in the banner."""
        self._dirty = False
        page, focus = self._pages.currentWidget(), self.window().focusWidget()
        inside = focus is not None and page is not None and page.isAncestorOf(focus)
        try:
            if not self._show_empty():
                self.refresh()
        except EnvironmentProblem as problem:
            self.show_problem(problem, _READING)
        else:
            self.banner.dismiss(_READING)
        if inside and self._pages.currentWidget() is not page:
            self.enter()  # the focus widget is no longer visible

    def show_problem(self, problem: EnvironmentProblem, key: str = "") -> None:
        if isinstance(problem, FileChanged):
            self.context.bridge.file_changed.emit(problem)  # the window shows it with buttons that help
            return
        copy = ("Save a copy…", lambda: self.context.commands.run("project.copy"))
        self.banner.show_notice(Notice.of(problem, key, *((copy,) if isinstance(problem, NotWritten) else ())))

    def show_failure(self, failure: Failure, key: str = "") -> None:
        """Reports a job's failure: environment problems in the banner, bugs as bugs."""
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        else:
            self.show_problem(failure.problem, key)

    def submit(self, task: Task[Any], done: Callable[[Any], None] | None = None, key: str = "work") -> BridgedJob:
        """Runs a job; failures, and that it was cancelled, are shown in the banner under ``key``."""
        cancelled = partial(self.banner.show_notice, Notice(key, f"“{task.title}” was cancelled.", kind="note"))
        failed = partial(self.show_failure, key=key)
        return self.context.bridge.submit(task, self, on_done=done, on_error=failed, on_cancelled=cancelled)

    def calculate(
        self, task: Task[Any], done: Callable[[Any], None], outdated: Callable[[], None], key: str = "work"
    ) -> None:
        """Runs a job that calculates figures, replacing an earlier one with this key. If it ends without a result,
        calls ``outdated``, which must clear figures that look current, and the banner offers to refresh."""

        def finished(result: object) -> None:
            self.banner.dismiss(key)
            done(result)

        def failed(failure: Failure) -> None:
            outdated()
            self.show_failure(failure, key)

        def cancelled() -> None:
            outdated()
            again = (("Calculate again", self.mark_dirty),)
            self.banner.show_notice(Notice(key, f"“{task.title}” was cancelled.", kind="attention", actions=again))

        self.stop_calculating(key)
        self._calculated[key] = self.context.bridge.submit(
            task, self, on_done=finished, on_error=failed, on_cancelled=cancelled
        )

    def stop_calculating(self, key: str = "") -> None:
        for one in [key] if key else list(self._calculated):
            if one in self._calculated:
                self._calculated.pop(one).cancel()

    def note(self, what: str, means: str = "", key: str = ACT) -> None:
        self.banner.show_notice(Notice(key, what, means, kind="note"))

    def export_as(self, format_: str, write: Callable[[str, Path], object]) -> None:
        """Asks for a file for the command ``export_…`` of a format, and calls ``write``."""
        title = self.context.commands.text(f"{self.pane_id}.export_{format_}").rstrip("…")
        if_any(self.context.files.save_file(self, title, f"{self.pane_id}-{format_}", ".csv"), partial(write, format_))

    def write_files(self, task: Task[Written], *loss: str) -> None:
        """Runs a job that writes files; the banner then names them and what they leave out (also ``loss``)."""
        self.submit(task, lambda made: self.banner.show_notice(written_notice("export", made, *loss)), "export")

    def act(self, verb: Callable[[], object], key: str = ACT) -> bool:
        """Runs a store operation; shows a problem in the banner, or dismisses an earlier one. Returns whether it
        worked."""
        try:
            verb()
        except EnvironmentProblem as problem:
            self.refused = None if isinstance(problem, BadInput) else problem
            self.show_problem(problem, key)
            return False
        self.banner.dismiss(key)
        return True

    def result(self, verb: Callable[[], T], key: str = ACT) -> T | None:
        """Like ``act``, but returns the operation's result, or None if it didn't work."""
        made: list[T] = []
        return made[0] if self.act(lambda: made.append(verb()), key) else None

    def show_kept(self, problem: EnvironmentProblem | None) -> None:
        """Shows how many typed texts aren't saved yet, and why."""
        kept = sum(len(visit.kept) for visit in self.findChildren(Visit))
        if not kept:
            self.banner.dismiss(_KEPT)
        elif problem is not None:
            self.banner.dismiss(ACT)
            means = f"{counted(kept, 'text')} that you typed couldn't be saved yet. Rejoinder keeps trying."
            self.banner.show_notice(Notice(_KEPT, problem.what, means, problem.do))

    @property
    def topic(self) -> str:
        """The guide page for the pane's current state: its id, or the page of its current mode."""
        return self.pane_id

    def make_tools(self, finish: Callable[[], None]) -> PaneTools:
        return PaneTools(
            self.context, self, self.banner, self.act, self.result, self.show_problem, self.show_failure,
            self.submit, self.write_files, finish,
        )  # fmt: skip

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._dirty:
            self.refresh_now()

    def _show_empty(self) -> bool:
        no_project = self.needs_project and self.project is None
        if not no_project and not self.is_empty():
            self._pages.setCurrentWidget(self._area)
            return False
        if self._empty is not None:
            self._pages.removeWidget(self._empty)
            self._empty.deleteLater()
        self._empty = EmptyPage(
            self.context.commands,
            self.icon,
            self.title,
            self.purpose,
            steps=("project.new", "project.open", "project.sample")
            if no_project
            else (self.first_step, *self.other_steps),
            parent=self,
        )
        self._pages.addWidget(self._empty)
        self._pages.setCurrentWidget(self._empty)
        self.set_status("No project is open" if no_project else "")
        return True


class _Body(QWidget):
    """A pane's content. The surrounding area scrolls only if even the minimum height doesn't fit; Qt by default would
    use the preferred height."""

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()
        return layout.minimumHeightForWidth(width) if layout is not None else super().heightForWidth(width)


class EmptyPage(QWidget):
    """Page for a pane without content: icon, title, purpose, a button for the first step, links to others."""

    def __init__(
        self, registry: CommandRegistry, icon: str, title: str, purpose: str, *, steps: Sequence[str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon
        self.setAccessibleName(f"{title}. {purpose}")
        centre = Qt.AlignmentFlag.AlignHCenter
        self._icon = named(QLabel(), title, title)
        self._icon.setAlignment(centre)
        heading = text_label(title, "title")
        heading.setAlignment(centre)
        self._words = text_label(purpose, "muted", wrap=True)
        self._words.setAlignment(centre | Qt.AlignmentFlag.AlignTop)
        parts: list[Parts] = [(None, 2), self._icon, heading, row(None, self._words, None, spacing=0), 8]
        first, *others = (
            CommandButton(registry, step, primary=step == steps[0], quiet=step != steps[0]) for step in steps
        )
        self.setFocusProxy(first)
        parts += [(button, centre) for button in (first, *others)]
        column(*parts, (None, 3), margins=(32, 32, 32, 32), spacing=12, of=self)
        theme().follow(self._restyle)

    def _restyle(self) -> None:
        self._icon.setPixmap(theme().icon(self._icon_name, "control_border").pixmap(QSize(48, 48)))
        self._words.setFixedWidth(theme().px(440))
        self._words.setMinimumHeight(self._words.heightForWidth(theme().px(440)))
