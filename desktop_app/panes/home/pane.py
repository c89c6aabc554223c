"""Home: recent projects, the ways in, and what is left to do in the project that is open."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.context import AppContext
from desktop_app.panes import PANES
from desktop_app.panes.base import Pane
from desktop_app.theme import ROW, theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.two_line_delegate import DETAIL, ROW_HEIGHT, TwoLineDelegate
from engine.shown import visible_line

if TYPE_CHECKING:
    from desktop_app.panes.home.left_to_do import Left

PATH = Qt.ItemDataRole.UserRole
LISTED = 4
"""So many recent projects are seen at once; the others are scrolled to."""


class HomePane(Pane):
    """Where every visit begins."""

    pane_id = "home"
    title = "Home"
    icon = "house"
    purpose = "Open a project, make one, or look at a worked sample."
    needs_project = False

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        page = QWidget(self.body)
        page.setMaximumWidth(theme().px(1160))
        centred = QHBoxLayout(self.body)
        centred.setContentsMargins(32, 32, 32, 24)
        centred.addWidget(page)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(text_label("Rejoinder", "title", parent=page))
        words = "Peer review on your own machine: papers, reviews and what you decide stay in one file of yours."
        column.addWidget(text_label(words, "muted", wrap=True, parent=page))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        commands = self.context.commands
        buttons.addWidget(CommandButton(commands, "project.new", primary=True, parent=page))
        buttons.addWidget(CommandButton(commands, "project.open", parent=page))
        buttons.addWidget(CommandButton(commands, "project.sample", parent=page))
        buttons.addStretch(1)
        column.addLayout(buttons)
        column.addSpacing(20)
        sides = QHBoxLayout()
        sides.setSpacing(32)
        sides.addLayout(self._build_recent(page), 3)
        sides.addLayout(self._build_left_to_do(page), 2)
        column.addLayout(sides, 1)
        theme().changed.connect(self.mark_dirty)

    def _build_recent(self, page: QWidget) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(12)
        column.addWidget(text_label("Recent projects", "section", parent=page))
        self.recent = QListWidget(page)
        self.recent.setAccessibleName("Recent projects")
        self.recent.setItemDelegate(TwoLineDelegate(self.recent))
        self.recent.setIconSize(QSize(16, 16))
        self.recent.setUniformItemSizes(True)
        self.recent.itemActivated.connect(self._open_item)
        self.recent.itemClicked.connect(self._open_item)
        column.addWidget(self.recent, 100)
        self._drop = text_label("Drop a .rejoinder file anywhere on this window to open it.", "muted", parent=page)
        self._drop.setWordWrap(True)
        self._drop.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self._drop)
        column.addSpacing(12)
        column.addWidget(text_label("What you can do", "section", parent=page))
        self.jobs = QListWidget(page)
        self.jobs.setAccessibleName("What you can do")
        self.jobs.setItemDelegate(TwoLineDelegate(self.jobs))
        self.jobs.setIconSize(QSize(16, 16))
        self.jobs.setUniformItemSizes(True)
        self.jobs.itemActivated.connect(self._go_to)
        self.jobs.itemClicked.connect(self._go_to)
        for spec in PANES:
            if spec.id != self.pane_id and not spec.below:
                item = QListWidgetItem(spec.title)
                item.setData(PATH, spec.id)
                item.setData(DETAIL, spec.help)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{spec.title}. {spec.help}")
                self.jobs.addItem(item)
        self.jobs.setMaximumHeight(self.jobs.count() * theme().px(ROW_HEIGHT) + 4)
        column.addWidget(self.jobs, 200)
        column.addStretch(1)
        return column

    def _build_left_to_do(self, page: QWidget) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(12)
        self._panel_title = text_label("Left to do", "section", parent=page)
        column.addWidget(self._panel_title)
        self._panel = QFrame(page)
        self._panel.setProperty("role", "panel")
        self._panel.setMinimumWidth(280)
        layout = QVBoxLayout(self._panel)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(8)
        self._project_title = text_label("", "section", wrap=True, parent=self._panel)
        self._project_path = text_label("", "small", wrap=True, parent=self._panel)
        layout.addWidget(self._project_title)
        layout.addWidget(self._project_path)
        layout.addSpacing(4)
        self._shown: list[LeftRow] = []
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        layout.addLayout(self._rows)
        column.addWidget(self._panel)
        column.addStretch(1)
        return column

    def take_focus(self) -> None:
        if self.recent.count():
            self.recent.setFocus()

    def refresh(self) -> None:
        self._show_recent()
        icons = {spec.id: spec.icon for spec in PANES}
        for row in range(self.jobs.count()):
            item = self.jobs.item(row)
            item.setIcon(theme().icon(icons[str(item.data(PATH))], "muted"))
        self._show_project()

    def _show_recent(self) -> None:
        chosen = self.recent.currentItem()
        kept = chosen.data(PATH) if chosen is not None else None
        self.recent.clear()
        for path in self.context.state.recent:
            item = QListWidgetItem(visible_line(path.stem))
            there = path.exists()
            item.setData(PATH, str(path))
            item.setData(DETAIL, visible_line(f"{_place(path)}   ·   {_when(path)}"))
            item.setIcon(theme().icon("file" if there else "file-dotted", "muted"))
            item.setToolTip(visible_line(str(path)))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{path.stem}, in {_place(path)}. {_when(path)}")
            self.recent.addItem(item)
            if str(path) == kept:
                self.recent.setCurrentItem(item)
        if self.recent.count() and self.recent.currentItem() is None:
            self.recent.setCurrentRow(0)
        some = self.recent.count() > 0
        self.recent.setVisible(some)
        self.recent.setMaximumHeight(min(self.recent.count(), LISTED) * theme().px(ROW_HEIGHT) + 4)
        if some:
            words = "Drop a .rejoinder file anywhere on this window to open it."
        elif self.project is not None:
            words = f"None yet: “{self.project.title}” is the worked sample, which is not listed."
        else:
            words = "None yet. Make a project, open one, or drop a .rejoinder file anywhere on this window."
        self._drop.setText(words)

    def _show_project(self) -> None:
        self._panel.setVisible(self.project is not None)
        self._panel_title.setVisible(self.project is not None)
        if self.project is None:
            self.set_status("No project is open")
            return
        from desktop_app.panes.home.left_to_do import left_to_do

        self._project_title.setText(self.project.title)
        self._project_path.setText(_place(self.project.path) + f"/{self.project.path.name}")
        self._project_path.setToolTip(str(self.project.path))
        for row in self._shown:
            self._rows.removeWidget(row)
            row.hide()
            row.deleteLater()
        things = left_to_do(self.project)
        self._shown = [LeftRow(left, self.context.show_pane, self._panel) for left in things]
        for row in self._shown:
            self._rows.addWidget(row)
        count = sum(left.count for left in things)
        self.set_status(f"{count} things left to do" if count != 1 else "1 thing left to do")

    def _go_to(self, item: QListWidgetItem) -> None:
        self.context.show_pane(str(item.data(PATH)))

    def _open_item(self, item: QListWidgetItem) -> None:
        self.context.open_path(str(item.data(PATH)))


class LeftRow(QWidget):
    """One line of what is left: a sign, the words, and the way there."""

    def __init__(self, left: Left, show_pane: Callable[[str], object], parent: QWidget) -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        self.setMinimumHeight(theme().px(ROW))
        self._left = left
        self._sign = QLabel(self)
        self._sign.setToolTip("Left to do" if left.count else "Done")
        self._sign.setAccessibleName("Left to do" if left.count else "Done")
        layout.addWidget(self._sign)
        layout.addWidget(text_label(left.words, wrap=True, parent=self), 1)
        if left.count:
            button = QPushButton(left.pane_title, self)
            button.setAccessibleName(f"Go to {left.pane_title}")
            button.setToolTip(f"Go to {left.pane_title}")
            button.clicked.connect(lambda _checked=False: show_pane(left.pane))
            layout.addWidget(button)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        sign = "circle" if self._left.count else "check-circle"
        self._sign.setPixmap(theme().icon(sign, "muted").pixmap(16, 16))


def _place(path: Path) -> str:
    try:
        return f"~/{path.parent.relative_to(Path.home())}"
    except ValueError:
        return str(path.parent)


def _when(path: Path) -> str:
    try:
        return f"Changed {datetime.fromtimestamp(path.stat().st_mtime).astimezone():%d %b %Y, %H:%M}"
    except OSError:
        return "Not there any more"
