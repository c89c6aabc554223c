"""The panes of a window, built when they are first needed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from desktop_app.commands import WINDOW, ActionBinder
from desktop_app.panes import PANES, PARTICIPANT, PaneSpec
from desktop_app.widgets.keys import ExportKey
from engine.lasting import lasting

if TYPE_CHECKING:
    from desktop_app.context import AppContext
    from desktop_app.panes.base import Pane


class PaneStack(QStackedWidget):
    """Shows one pane at a time; also the places where commands run (``desktop_app.commands.Places``).

    Attributes:
        made: the panes that have been built, by id.
        shown: the pane in front; None before the first one is shown.
    """

    status_changed = Signal(str)
    """The id of a pane whose status text is another one."""
    arranged = Signal()  # a border between the parts of a pane was moved

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
                self._keep_sizes(pane)
                pane.banner.show_if(False)
                pane.status_changed.connect(lambda _text: self.status_changed.emit(pane_id))
            pane.set_project(self._context.bridge.project)
        return self.made[pane_id]

    def _keep_sizes(self, pane: Pane) -> None:
        """Gives the parts of a pane the sizes that they had when the window was last used."""
        for number, parts in enumerate(pane.findChildren(QSplitter)):
            name = f"{pane.pane_id}.sizes.{number}.{parts.count()}.{parts.orientation().name}"
            parts.restoreState(self._context.state.bytes(name))
            parts.splitterMoved.connect(partial(self._moved, name, parts))

    def _moved(self, name: str, parts: QSplitter, _position: int, _border: int) -> None:
        self._context.state.set_bytes(name, parts.saveState())
        self.arranged.emit()

    def show_pane(self, pane_id: str) -> Pane:
        """Brings a pane to the front."""
        self.shown = self.load(pane_id)
        self.setCurrentWidget(self.shown)
        for pane in self.made.values():
            pane.banner.show_if(pane is self.shown)
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
        """The pane of this id, or the window."""
        return self._window if scope == WINDOW else self.load(scope)

    def could(self, scope: str) -> bool:
        """Whether a pane that has not been built may have something to do: most need a project."""
        spec = next(spec for spec in (*PANES, PARTICIPANT) if spec.id == scope)
        return self._context.bridge.project is not None or not spec.needs_project
