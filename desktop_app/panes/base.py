"""What every pane is: a title, commands, a banner, an empty page, and a refresh that happens only when it is seen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

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
from engine.shown import counted


@dataclass(frozen=True, slots=True)
class AppContext:
    """``papers`` knows the paper that is shown; ``show_pane`` brings a pane to the front by its id and returns it;
    ``open_path`` opens a project file given as text or Path."""

    bridge: EngineBridge
    settings: Settings
    state: WindowState
    commands: CommandRegistry
    files: FileDialogs
    papers: CurrentPaper
    messages: MessageArea
    show_pane: Callable[[str], Any]
    open_path: Callable[[str | Path], object]


_READING = "reading"
_KEPT = "kept"
ACT = "act"
"""What a store verb that a person asked for says in the banner."""
BURST_MS = 80


@dataclass(frozen=True, slots=True)
class PaneTools:
    """What the parts of a pane that act are given of it: ``owner`` is the parent of dialogs and jobs, ``finish`` stores
    what is being typed, the others are those of ``Pane``."""

    context: AppContext
    owner: QWidget
    banner: Banner
    act: Callable[..., bool]
    show_problem: Callable[[EnvironmentProblem, str], None]
    show_failure: Callable[[Failure, str], None]
    submit: Callable[..., BridgedJob]
    write_files: Callable[..., None]
    finish: Callable[[], None]

    def do(self, verb: Callable[..., object], *args: object, key: str = ACT) -> bool:
        """Stores what is being typed, then runs a verb."""
        self.finish()
        return self.act(lambda: verb(*args), key)

    def notify(self, key: str, what: str, means: str = "", *actions: tuple[str, Callable[[], object]]) -> None:
        self.banner.show_notice(Notice(key, what, means, kind="note", actions=actions))


class Pane(QWidget):
    """One job's place in the window.

    A pane builds its widgets into ``self.body`` in ``__init__``, reads records in ``refresh`` and writes through store
    verbs in its commands. It learns of a project (``project_set``) and of changes; both mark it dirty, and ``refresh``
    runs when it is visible. ``tables`` names the project's tables it shows (empty: all).
    """

    pane_id: ClassVar[str]
    purpose: ClassVar[str] = ""
    """What the pane is for, one or two sentences; shown on its empty page."""
    tables: ClassVar[frozenset[str]] = frozenset()
    shows_paper: ClassVar[bool] = True
    """Whether the pane shows something else when another paper is current."""
    first_step: ClassVar[str] = "project.open"
    """The command that the empty page offers when the project has nothing for this pane."""
    other_steps: ClassVar[tuple[str, ...]] = ()
    """Further commands that the empty page offers."""
    exported_as: ClassVar[str] = "bundle"
    """The format that the project's export proposes while the pane is in front."""
    search_hint: ClassVar[str] = ""
    """What the header's search field looks for here; empty if this pane has nothing to search."""

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
        """Why the last act couldn't be written: text fields try again."""
        self._calculated: dict[str, BridgedJob] = {}
        self.removal: Removal | None = None
        """What the pane removed last from a list outside the project: Undo brings it back while the pane is in front,
        unless something was done in the project since."""
        self._burst = delayed(self, BURST_MS, self.mark_dirty)
        self.setAccessibleName(self.title)
        self.setProperty("role", "ground")
        self.banner = context.messages.banner()
        self.banner.left.connect(self.enter)
        self.body = named(_Body(self), self.title)
        self.main: QWidget = self.body
        """What gets the keyboard when the pane comes to the front."""
        self._empty: EmptyPage | None = None
        self._pages = QStackedLayout()
        # Large text on a small screen: a pane scrolls rather than cuts words.
        self._area = scrolled(self.body, self.title, self, sideways=True)
        self._pages.addWidget(self._area)
        self.setLayout(self._pages)

    def paper_changed(self) -> None:
        """Another paper is the current one (``paper_id``), or papers were renamed. Panes that show a paper refresh."""
        if self.shows_paper:
            self.mark_dirty()

    def project_set(self) -> None:
        """``self.project`` is another one now (or None): forget what belongs to the old one. ``refresh`` follows."""

    def refresh(self) -> None:
        """Reads and shows; keeps place and selection. Called while the pane is visible and the project is not empty."""

    def is_empty(self) -> bool:
        """Whether the open project has nothing for this pane yet."""
        return False

    def search(self, text: str) -> None:
        """Shows what fits the header's search text; called as it is typed."""
        self.searched = text
        self.find_searched(0)

    def search_next(self, forward: bool = True) -> None:
        """Goes to the next (previous) place that fits; called for Enter in the search field."""
        self.find_searched(1 if forward else -1)

    def find_searched(self, by: int) -> None:
        """Goes to a place with ``searched``: the next (1), the previous (-1) or, from here on, the first (0)."""

    def show_found(self, found: Found) -> None:
        """Shows a result of a search across the project."""

    def take_focus(self) -> None:
        """Gives the keyboard to the pane's main widget."""
        self.main.setFocus()

    def enter(self) -> None:
        """Gives the keyboard to the pane when it is brought to the front: on its empty page to the first step."""
        if self._empty is not None and self._pages.currentWidget() is self._empty:
            self._empty.setFocus()
        else:
            self.take_focus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape, where nothing else takes it, gives the keyboard back to the pane's main widget; where it is already,
        it dismisses the latest note."""
        if event.key() == Qt.Key.Key_Escape:
            before = self.window().focusWidget()
            self.enter()
            if self.window().focusWidget() is before:
                self.banner.dismiss_note()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Qt moves on from a control that becomes unavailable or hidden to whatever comes next; the main widget is
        better."""
        focus = self.window().focusWidget()
        if focus is None or (focus.isEnabled() and focus.isVisible()):
            return super().focusNextPrevChild(forward)
        self.take_focus()
        return True

    def focus_view(self, _number: int = 0) -> None:
        """Another view is shown: where the keyboard was in the one before, it goes to the main widget; Qt would give it
        to the first control."""
        focus = self.window().focusWidget()
        if focus is not None and self.body.isAncestorOf(focus) and not isinstance(focus, QTabBar):
            self.take_focus()

    @property
    def paper_id(self) -> str:
        """The paper that the window shows; "" where the project has none."""
        return self.context.papers.id

    def set_status(self, text: str) -> None:
        if text != self.status_text:
            self.status_text = text
            self.status_changed.emit(text)

    def set_project(self, project: Project | None) -> None:
        for visit in self.findChildren(Visit):
            visit.forget()  # it was typed for another project
        self.stop_calculating()
        self.project = project
        self.banner.clear()
        self.project_set()
        self.mark_dirty()

    def on_changes(self, changes: Changes) -> None:
        """A commit happened, anywhere. A pane may override this to refresh less than everything."""
        if self.tables and not changes.tables & self.tables:
            return
        if changes.kind == "results":
            # Results come in many short transactions: the pane is shown again once for a burst.
            self._dirty = True
            if not self._burst.isActive():
                self._burst.start()
        else:
            self.mark_dirty()

    def mark_dirty(self) -> None:
        """What is shown is out of date: refresh now if anyone looks, otherwise when someone does."""
        self._dirty = True
        if self.isVisible():
            self.refresh_now()

    def refresh_now(self) -> None:
        """Refreshes at once; trouble while reading goes to the banner."""
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
            self.enter()  # what had the keyboard is out of sight

    def show_problem(self, problem: EnvironmentProblem, key: str = "") -> None:
        if isinstance(problem, FileChanged):
            self.context.bridge.file_changed.emit(problem)  # the window tells it, with what helps
            return
        copy = ("Save a copy…", lambda: self.context.commands.run("project.copy"))
        self.banner.show_notice(Notice.of(problem, key, *((copy,) if isinstance(problem, NotWritten) else ())))

    def show_failure(self, failure: Failure, key: str = "") -> None:
        """Says what went wrong with a job: trouble of the environment in the banner, a bug where bugs are reported."""
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        else:
            self.show_problem(failure.problem, key)

    def submit(self, task: Task[Any], done: Callable[[Any], None] | None = None, key: str = "work") -> BridgedJob:
        """Runs a job; trouble goes to the banner under ``key``."""
        return self.context.bridge.submit(task, self, on_done=done, on_error=partial(self.show_failure, key=key))

    def calculate(
        self, task: Task[Any], done: Callable[[Any], None], outdated: Callable[[], None], key: str = "work"
    ) -> None:
        """Runs a job for figures that the pane shows, in place of an earlier one of this key. If it ends without them,
        ``outdated`` is called, which must not leave figures that look current, and the banner offers to refresh."""

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
        """Asks where to write a format, for the command ``export_…``, and writes it."""
        title = self.context.commands.text(f"{self.pane_id}.export_{format_}").rstrip("…")
        if_any(self.context.files.save_file(self, title, f"{self.pane_id}-{format_}", ".csv"), partial(write, format_))

    def write_files(self, task: Task[Written], *loss: str) -> None:
        """Runs a job that writes files; says which, and what else they leave out."""
        self.submit(task, lambda made: self.banner.show_notice(written_notice("export", made, *loss)), "export")

    def act(self, verb: Callable[[], object], key: str = ACT) -> bool:
        """Runs a store verb; trouble goes to the banner, and its going well takes older trouble away."""
        try:
            verb()
        except EnvironmentProblem as problem:
            self.refused = None if isinstance(problem, BadInput) else problem
            self.show_problem(problem, key)
            return False
        self.banner.dismiss(key)
        return True

    def show_kept(self, problem: EnvironmentProblem | None) -> None:
        """Says how many typed texts aren't written yet, and why."""
        kept = sum(len(visit.kept) for visit in self.findChildren(Visit))
        if not kept:
            self.banner.dismiss(_KEPT)
        elif problem is not None:
            self.banner.dismiss(ACT)
            means = f"{counted(kept, 'text')} that you typed couldn't be saved yet. Rejoinder keeps trying."
            self.banner.show_notice(Notice(_KEPT, problem.what, means, problem.do))

    @property
    def topic(self) -> str:
        """What the guide explains about the pane as it is now: its id, or that of a page on its current mode."""
        return self.pane_id

    def make_tools(self, finish: Callable[[], None]) -> PaneTools:
        return PaneTools(
            self.context, self, self.banner, self.act, self.show_problem, self.show_failure, self.submit,
            self.write_files, finish,
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
    """A pane's content. The area around it scrolls only where even its least height has no room: Qt would ask for the
    height that it prefers."""

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()
        return layout.minimumHeightForWidth(width) if layout is not None else super().heightForWidth(width)


class EmptyPage(QWidget):
    """Icon, title, purpose, a button for the first step, and links to others."""

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
