"""The panes of a window: built when they are first needed, informed of projects, changes and papers."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop_app.commands import WINDOW, ActionBinder
from desktop_app.panes import PANES, PARTICIPANT, PaneSpec
from desktop_app.panes.base import AppContext, Pane
from desktop_app.widgets.keys import ExportKey
from engine.lasting import lasting
from engine.project import Changes, Project


class PaneStack(QStackedWidget):
    """Shows one pane at a time; also the places where commands run (``desktop_app.commands.Places``).

    Attributes:
        made: the panes that have been built, by id.
        shown: the pane in front; None before the first one is shown.
    """

    status_changed = Signal(str)
    """The id of a pane whose status text is another one."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Pane")
        self._context, self._window = context, parent
        ExportKey(self)
        self._listed: set[str] = set()
        self.made: dict[str, Pane] = {}
        self.shown: Pane | None = None

    def load(self, pane_id: str) -> Pane:
        """A pane by its id, imported and built at the first call."""
        if pane_id not in self.made:
            spec = next(spec for spec in (*PANES, PARTICIPANT) if spec.id == pane_id)
            with lasting():
                self._list((spec,))
                pane = spec.load()(self._context, self)
                self.made[pane_id] = pane
                self.addWidget(pane)
                ActionBinder(self._context.commands, pane, pane_id)
                pane.status_changed.connect(lambda _text: self.status_changed.emit(pane_id))
            pane.set_project(self._context.bridge.project)
        return self.made[pane_id]

    def show_pane(self, pane_id: str) -> Pane:
        self.shown = self.load(pane_id)
        self.setCurrentWidget(self.shown)
        return self.shown

    def list_commands(self) -> None:
        """Lists the commands of all panes, for the palette and the shortcut editor; builds no pane."""
        self._list(PANES)

    def _list(self, specs: Iterable[PaneSpec]) -> None:
        new = [spec for spec in specs if spec.id not in self._listed]
        if new:
            self._listed.update(spec.id for spec in new)
            self._context.commands.register(command for spec in new for command in spec.commands())

    # --- where commands run ---------------------------------------------------------------------------------------

    def built(self, scope: str) -> object | None:
        """The pane of this id if it has been built, or the window."""
        return self._window if scope == WINDOW else self.made.get(scope)

    def build(self, scope: str) -> object:
        return self._window if scope == WINDOW else self.load(scope)

    def could(self, scope: str) -> bool:
        """Whether a pane that has not been built may have something to do: most need a project."""
        spec = next(spec for spec in (*PANES, PARTICIPANT) if spec.id == scope)
        return self._context.bridge.project is not None or not spec.needs_project

    # --- what panes are informed of -------------------------------------------------------------------------------

    def set_project(self, project: Project | None) -> None:
        for pane in self.made.values():
            pane.set_project(project)

    def on_changes(self, changes: Changes) -> None:
        for pane in self.made.values():
            pane.on_changes(changes)

    def on_paper(self) -> None:
        for pane in self.made.values():
            pane.paper_changed()
