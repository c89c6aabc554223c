"""Home: recent projects, the ways in, and what is left to do in the project that is open."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop_app.context import AppContext
from desktop_app.panes.base import Pane, preview
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import text_label

if TYPE_CHECKING:
    from desktop_app.panes.home.left_to_do import Left

_PATH = Qt.ItemDataRole.UserRole


class HomePane(Pane):
    """Where every visit begins."""

    pane_id = "home"
    title = "Home"
    icon = "house"
    purpose = "Open a project, make one, or look at a worked sample."
    needs_project = False

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        outer = QHBoxLayout(self.body)
        outer.setContentsMargins(32, 32, 32, 24)
        outer.setSpacing(32)
        outer.addLayout(self._build_left(), 3)
        outer.addLayout(self._build_right(), 2)

    def _build_left(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(12)
        column.addWidget(text_label("Rejoinder", "title", parent=self.body))
        column.addWidget(
            text_label(
                "Peer review on your own machine: papers, reviews and what you decide stay in one file of yours.",
                "muted",
                wrap=True,
                parent=self.body,
            )
        )
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        commands = self.context.commands
        buttons.addWidget(CommandButton(commands, "project.new", primary=True, parent=self.body))
        buttons.addWidget(CommandButton(commands, "project.open", parent=self.body))
        buttons.addWidget(CommandButton(commands, "project.sample", parent=self.body))
        buttons.addStretch(1)
        column.addLayout(buttons)
        column.addSpacing(12)
        column.addWidget(text_label("Recent projects", "section", parent=self.body))
        self.recent = QListWidget(self.body)
        self.recent.setAccessibleName("Recent projects")
        self.recent.setUniformItemSizes(True)
        self.recent.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.recent.itemActivated.connect(self._open_item)
        self.recent.itemClicked.connect(self._open_item)
        column.addWidget(self.recent, 1)
        self._no_recent = text_label(
            "None yet. Drop a .rejoinder file anywhere on this window to open it.", "muted", wrap=True, parent=self.body
        )
        self._no_recent.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self._no_recent, 1)
        column.addWidget(
            text_label("Drop a .rejoinder file anywhere on the window to open it.", "small", parent=self.body)
        )
        return column

    def _build_right(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(12)
        self._panel = QFrame(self.body)
        self._panel.setProperty("role", "panel")
        self._panel.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._panel_layout = QVBoxLayout(self._panel)
        self._panel_layout.setContentsMargins(16, 16, 16, 16)
        self._panel_layout.setSpacing(12)
        self._project_title = text_label("", "section", wrap=True, parent=self._panel)
        self._project_path = text_label("", "small", wrap=True, parent=self._panel)
        self._panel_layout.addWidget(self._project_title)
        self._panel_layout.addWidget(self._project_path)
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(12)
        self._rows.setVerticalSpacing(8)
        self._rows.setColumnStretch(1, 1)
        self._panel_layout.addLayout(self._rows)
        column.addWidget(self._panel)
        column.addStretch(1)
        return column

    def take_focus(self) -> None:
        if self.recent.count():
            self.recent.setFocus()

    def refresh(self) -> None:
        self._show_recent()
        self._show_project()

    def _show_recent(self) -> None:
        chosen = self.recent.currentItem()
        kept = chosen.data(_PATH) if chosen is not None else None
        self.recent.clear()
        for path in self.context.state.recent:
            item = QListWidgetItem(f"{path.stem}    {_place(path)}")
            item.setData(_PATH, str(path))
            item.setIcon(theme().icon("file" if path.exists() else "file-dotted", "muted"))
            item.setToolTip(f"{path}\n{_when(path)}")
            self.recent.addItem(item)
            if str(path) == kept:
                self.recent.setCurrentItem(item)
        if self.recent.count() and self.recent.currentItem() is None:
            self.recent.setCurrentRow(0)
        self.recent.setIconSize(QSize(16, 16))
        self.recent.setVisible(self.recent.count() > 0)
        self._no_recent.setVisible(self.recent.count() == 0)

    def _show_project(self) -> None:
        self._panel.setVisible(self.project is not None)
        if self.project is None:
            self.set_status("No project is open")
            return
        from desktop_app.panes.home.left_to_do import left_to_do

        self._project_title.setText(self.project.title)
        self._project_path.setText(str(self.project.path))
        while self._rows.count():
            widget = self._rows.takeAt(0).widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        things = left_to_do(self.project)
        for number, left in enumerate(things):
            self._add_row(number, left)
        open_things = sum(left.count for left in things)
        self.set_status(f"{open_things} things left to do" if open_things else "Nothing is left to do")

    def _add_row(self, number: int, left: Left) -> None:
        sign = QLabel(self._panel)
        sign.setPixmap(theme().icon("circle" if left.count else "check-circle", "ink").pixmap(16, 16))
        sign.setToolTip("Left to do" if left.count else "Done")
        sign.setAccessibleName("Left to do" if left.count else "Done")
        words = text_label(left.words, wrap=True, parent=self._panel)
        self._rows.addWidget(sign, number, 0)
        self._rows.addWidget(words, number, 1)
        if left.count:
            button = QPushButton(left.pane_title, self._panel)
            button.setAccessibleName(f"Go to {left.pane_title}")
            button.setToolTip(f"Go to {left.pane_title}")
            button.clicked.connect(lambda _checked=False, pane=left.pane: self.context.show_pane(pane))
            self._rows.addWidget(button, number, 2)

    def _open_item(self, item: QListWidgetItem) -> None:
        self.context.open_path(str(item.data(_PATH)))


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


if __name__ == "__main__":
    raise SystemExit(preview(HomePane))
