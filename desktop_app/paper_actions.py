"""Renaming and removing papers and reviews: says beforehand what is affected, and whose work that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from desktop_app.current_paper import CurrentPaper
from desktop_app.engine_bridge import EngineBridge
from desktop_app.widgets.dialog_buttons import ask
from engine.errors import EnvironmentProblem
from engine.shown import visible_line

if TYPE_CHECKING:
    from engine.operations.targets import Kind, Target


class PaperActions(QObject):
    """The window's commands on the current paper and its reviews."""

    problem = Signal(object)
    """An EnvironmentProblem."""

    def __init__(self, bridge: EngineBridge, papers: CurrentPaper, over: QWidget) -> None:
        super().__init__(over)
        self._bridge, self._papers, self._over = bridge, papers, over

    @property
    def can(self) -> bool:
        """Whether there is a paper that can be changed."""
        project = self._bridge.project
        return project is not None and not project.read_only and self._papers.paper is not None

    def _targets(self, kind: Kind) -> list[Target]:
        from engine.operations.targets import targets

        assert self._bridge.project is not None
        return list(targets(self._bridge.project, kind))

    def ask_name(self) -> None:
        """Asks for another title of the current paper."""
        from engine.operations.papers import rename

        project, target = self._bridge.project, self._current()
        assert project is not None
        name, agreed = QInputDialog.getText(self._over, "Rename paper", "Title:", text=target.name)
        if agreed and name.strip():
            self._do(lambda: rename(project, target, name.strip()))

    def ask_to_remove(self) -> None:
        """Says what removing the current paper affects, and removes it if that is confirmed."""
        self._ask(self._current())

    def ask_which_review(self) -> None:
        """Asks for a review or letter, and then whether to remove it."""
        found = self._targets("review")
        names = [visible_line(target.name) for target in found]
        name, agreed = QInputDialog.getItem(self._over, "Remove review", "Review or letter:", names, 0, False)
        if agreed and name in names:
            self._ask(found[names.index(name)])

    def has_reviews(self) -> bool:
        """Whether there is a review to remove."""
        return self.can and bool(self._targets("review"))

    def _current(self) -> Target:
        return next(target for target in self._targets("paper") if target.id == self._papers.id)

    def _ask(self, target: Target) -> None:
        from engine.operations.removing import affected, remove

        project = self._bridge.project
        assert project is not None
        found = affected(project, target)
        ask(
            self._over,
            found.title,
            f"{visible_line(found.title)}?",
            visible_line(" ".join(found.sentences)),
            {"Remove": lambda: self._do(lambda: remove(project, target, others=True)), "Cancel": None},
        )

    def _do(self, verb: Callable[[], object]) -> None:
        try:
            verb()
        except EnvironmentProblem as problem:
            self.problem.emit(problem)
