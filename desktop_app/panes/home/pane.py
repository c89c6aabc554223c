"""Home: recent projects, how to start, and what is left to do in the open project."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QPushButton, QWidget

from desktop_app.panes import PANES
from desktop_app.panes.base import AppContext, Pane
from desktop_app.theme import ROW, theme
from desktop_app.widgets.entry_list import ROW_HEIGHT, EntryList
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.labels import ElidedLabel, named, text_label
from desktop_app.widgets.layouts import TOP, Flow, column, command_buttons, row
from engine.lasting import lasting
from engine.project import Project
from engine.shown import counted, local_time, visible_line

if TYPE_CHECKING:
    from desktop_app.panes.home.left_to_do import Left


_EMPTY = "The project is empty. Choose what you want to do from the list on the left."
LISTED = 4
"""Number of recent projects visible without scrolling."""


class HomePane(Pane):
    pane_id = "home"
    shows_paper = False
    purpose = "Open or create a project, or look at the sample."

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._here = ""
        self._fetcher = Fetcher(self)
        self._read: Callable[[Project], tuple[Left, ...]] | None = None
        words = {"new": "", "open": "", "sample": "", "tour": ""}
        buttons = command_buttons(context.commands, "project", words, primary="new").values()
        about = "Peer review on your own computer. Papers, reviews and your decisions stay in one file that you own."
        page = self._page = QWidget(self.body)
        column(
            text_label("Rejoinder", "title"), text_label(about, "muted", wrap=True), Flow(*buttons), 20,
            (row((self._build_recent(), 3), (self._build_left_to_do(), 2), spacing=32), 1), spacing=12, of=page,
        )  # fmt: skip
        row(page, margins=(32, 32, 32, 24), of=self.body)
        theme().follow(self.mark_dirty, now=False)

    def _build_recent(self) -> QBoxLayout:
        self.recent = _list("Recent projects", self.context.open_path)
        self._drop = text_label("", "muted", wrap=True)
        self._drop.setAlignment(TOP)
        self.jobs = _list("What you can do", self.context.show_pane, Qt.TextElideMode.ElideRight)
        jobs = [
            (spec.id, spec.title, spec.help, spec.icon) for spec in PANES if spec.id != self.pane_id and not spec.below
        ]
        self.jobs.show_entries(jobs, "")
        return column(
            text_label("Recent projects", "section"), (self.recent, 100), self._drop, 12,
            text_label("What you can do", "section"), (self.jobs, 200), None, spacing=12,
        )  # fmt: skip

    def _build_left_to_do(self) -> QWidget:
        self._project_title = text_label("", "section", wrap=True)
        self._project_path = ElidedLabel("small")
        self._project_path.shortening = Qt.TextElideMode.ElideMiddle
        self._shown: list[QWidget] = []
        self._rows = column(spacing=4)
        self._panel = QFrame()
        self._panel.setProperty("role", "panel")
        self._panel.setMinimumWidth(280)
        column(
            self._project_title, self._project_path, 4, self._rows, margins=(16, 16, 16, 16), spacing=8, of=self._panel
        )
        self._left_to_do = QWidget()
        column(text_label("Left to do", "section"), self._panel, None, spacing=12, of=self._left_to_do)
        return self._left_to_do

    def take_focus(self) -> None:
        (self.recent if self.recent.key else self.jobs).setFocus()

    def refresh(self) -> None:
        self._show_recent()
        self._show_project()

    def _show_recent(self) -> None:
        paths, titles = self.context.state.recent, self.context.state.titles
        entries = [
            (
                str(path),
                visible_line(titles.get(str(path), path.stem)),
                visible_line(f"{_place(path)}   ·   {_when(path)}"),
                "file" if path.exists() else "file-dotted",
            )
            for path in paths
        ]
        here = "" if self.project is None else str(self.project.path)
        kept, self._here = self.recent.key if here == self._here else here, here
        self.recent.show_entries(entries, kept if kept in map(str, paths) else str(next(iter(paths), "")))
        some = bool(paths)
        self.recent.setVisible(some)
        self._page.setMaximumWidth(theme().px(1160))
        self.recent.setFixedHeight(min(len(paths), LISTED) * theme().px(ROW_HEIGHT) + 4)
        self.jobs.setMaximumHeight(self.jobs.model().rowCount() * theme().px(ROW_HEIGHT) + 4)
        if some:
            words = "To open a .rejoinder file, drop it anywhere on this window."
        elif self.project is not None:
            words = f"None yet. “{self.project.title}” is the sample project, which isn't listed."
        else:
            words = "None yet. Create or open a project, or drop a .rejoinder file anywhere on this window."
        self._drop.setText(words)

    def _show_project(self) -> None:
        self._left_to_do.setVisible(self.project is not None)
        if self.project is None:
            self.set_status("No project is open")
            return
        self._project_title.setText(self.project.title)
        self._project_path.setText(_place(self.project.path))
        for shown in self._shown:
            self._rows.removeWidget(shown)
            shown.hide()
            shown.deleteLater()
        self._shown = []
        if self._read is None:
            self.set_status("")
            self._fetcher.fetch("left", _reader, self._imported)
            return
        things = self._read(self.project)
        self._shown = [_left_row(left, self.context.show_pane, self._panel) for left in things]
        if not things:
            self._shown = [text_label(_EMPTY, "muted", wrap=True, parent=self._panel)]
        for shown in self._shown:
            self._rows.addWidget(shown)
        count = sum(left.count for left in things)
        words = f"{counted(count, 'thing')} left to do" if count else "Nothing left to do"
        self.set_status(words if things else "The project is empty")

    def hideEvent(self, event: QHideEvent) -> None:
        """Another pane that is shown at once shares no processor with an import for this one."""
        super().hideEvent(event)
        if self._read is None:
            self._fetcher.forget()
            self._dirty = True

    def _imported(self, read: "Callable[[Project], tuple[Left, ...]]") -> None:
        self._read = read
        self.mark_dirty()


def _reader() -> "Callable[[Project], tuple[Left, ...]]":
    with lasting():
        from desktop_app.panes.home.left_to_do import left_to_do
    return left_to_do


def _left_row(left: "Left", show_pane: Callable[[str], object], parent: QWidget) -> QWidget:
    """Returns a row of the to-do list: an icon for the state, the text, and a button to the pane."""
    shown, state = QWidget(parent), "Left to do" if left.count else "Done"
    shown.setMinimumHeight(theme().px(ROW))
    sign = named(QLabel(shown), state, state)
    sign.setPixmap(theme().icon("circle" if left.count else "check-circle", "muted").pixmap(16, 16))
    layout = row(sign, (text_label(left.words, wrap=True), 1), spacing=12, of=shown)
    if left.count:
        words = f"Go to {left.pane_title}"
        button = named(QPushButton(left.pane_title, shown), words, words)
        button.clicked.connect(lambda _checked=False: show_pane(left.pane))
        layout.addWidget(button)
    return shown


def _list(
    name: str, chosen: Callable[[str], object], elide: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle
) -> EntryList:
    found = EntryList(name, elide=elide)
    found.setStyleSheet("")  # keep the frame
    found.activated_row.connect(lambda _at: chosen(found.key))
    found.clicked.connect(lambda _at: chosen(found.key))
    return found


def _place(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)


def _when(path: Path) -> str:
    try:
        changed = path.stat().st_mtime
    except OSError:
        return "File not found"
    log = path.with_name(f"{path.name}-wal")  # SQLite's, with the latest changes while the project is open
    if log.is_file() and (there := log.stat()).st_size:
        changed = max(changed, there.st_mtime)
    return f"Changed {local_time(datetime.fromtimestamp(changed, UTC).isoformat())}"
