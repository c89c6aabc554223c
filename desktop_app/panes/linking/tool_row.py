"""The slim line at the head of the pane: which paper, files in and out, and what is shown beside the pages."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.exporting import KINDS
from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.plain import literal

_ROOM_FOR_WORDS = 1000
"""From this width on the buttons have their words beside their icons."""


class ToolRow(QWidget):
    """Buttons that run the pane's commands; their words carry the keys."""

    def __init__(
        self,
        registry: CommandRegistry,
        paper: QComboBox,
        strategy: QComboBox,
        annotator: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._registry = registry
        self.whose: Callable[[], list[tuple[str, str]]] = list
        """Whose links can be exported: (key, name), the annotator in force first."""
        self.setAccessibleName("Tools")
        self._title = text_label("", "muted", parent=self)
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._title.installEventFilter(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 2, 8, 2)
        row.setSpacing(2)
        row.addWidget(paper)
        row.addWidget(self._title, 1)
        self._buttons: dict[str, QToolButton] = {}
        row.addWidget(strategy)
        self._add(row, "import", "file-plus", "Add files")
        self._export = IconButton(
            "export", "Export", "Write links, comments or changes to files", text="Export", parent=self
        )
        self._export.clicked.connect(self._open_exports)
        KeepsKeys(self._export)
        row.addWidget(self._export)
        self._add(row, "reviews", "chats", "Reviews", checkable=True)
        self._add(row, "coverage", "checks", "Coverage", checkable=True)
        self._add(row, "guidelines", "book-open", "Guidelines", checkable=True)
        self._add(row, "couple", "link-simple", "Together", checkable=True)
        self._buttons["couple"].setChecked(True)
        self._add(row, "look", "moon", "Look")
        row.addWidget(annotator)
        registry.changed.connect(self._refresh)
        registry.state_changed.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(400, theme().px(34))

    def show_title(self, title: str) -> None:
        """The paper's title, where there is only one."""
        self._title.setToolTip(title)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        style = beside if self.width() >= theme().px(_ROOM_FOR_WORDS) else Qt.ToolButtonStyle.ToolButtonIconOnly
        for button in (*self._buttons.values(), self._export):
            if button.toolButtonStyle() != style:
                button.setToolButtonStyle(style)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:  # of the title: what stands beside it grew, or the window
            self._elide()
        return super().eventFilter(watched, event)

    def _elide(self) -> None:
        fits = self._title.fontMetrics().elidedText(
            self._title.toolTip(), Qt.TextElideMode.ElideRight, max(0, self._title.width() - 8)
        )
        # A few letters tell nothing; the tooltip has the whole title.
        self._title.setText(fits if self._title.width() >= theme().px(80) else "")

    def show_state(self, **states: bool) -> None:
        """Which of the things that can be switched are on, by command."""
        for name, on in states.items():
            self._buttons[name].setChecked(on)

    def _add(self, row: QHBoxLayout, name: str, icon: str, words: str, *, checkable: bool = False) -> None:
        button = IconButton(icon, words, text=words, parent=self)
        button.setCheckable(checkable)
        button.clicked.connect(lambda: self._run(name))
        KeepsKeys(button)
        self._buttons[name] = button
        row.addWidget(button)

    def _run(self, name: str) -> None:
        button = self._buttons[name]
        if button.isCheckable():
            button.setChecked(not button.isChecked())  # the command itself says how things stand afterwards
        self._registry.run(f"linking.{name}")

    def _refresh(self) -> None:
        for name, button in self._buttons.items():
            command = f"linking.{name}"
            if command in self._registry:
                button.setToolTip(self._registry.tooltip(command))
                button.setEnabled(self._registry.enabled(command))

    def _open_exports(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, kind in KINDS.items():
            command = f"linking.export_{name}"
            action = menu.addAction(kind.title)
            action.setToolTip(kind.help)
            action.setEnabled(self._registry.enabled(command))
            action.triggered.connect(lambda _checked=False, run=command: self._registry.run(run))
        people = self.whose()
        if len(people) > 1:
            menu.addSection("Whose links")
            for at, (who, person) in enumerate(people):
                entry = menu.addAction(literal(person))
                entry.setCheckable(True)
                entry.setChecked(who == self.chosen if self.chosen in dict(people) else at == 0)
                entry.triggered.connect(lambda _checked=False, whose=who: self._choose(whose))
        menu.popup(self._export.mapToGlobal(QPoint(0, self._export.height())))

    chosen = ""
    """Whose links are exported; empty for the annotator in force."""

    def _choose(self, key: str) -> None:
        self.chosen = key
        self._open_exports()
