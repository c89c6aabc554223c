"""Erase permanently, and share a copy: the two commands, from their dialogs to the notice that says what was done."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.engine_bridge import EngineBridge
from desktop_app.project_control import SUFFIX, ProjectControl, with_suffix
from desktop_app.regular_backups import OfProject
from desktop_app.state import WindowState
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.widgets.file_dialogs import save_dialog
from engine.errors import Cancelled
from engine.jobs import DuplicatePolicy, Report, Task

if TYPE_CHECKING:
    from engine.operations.erase import Affected
    from engine.operations.share import Choice
    from engine.operations.targets import Target
    from engine.project import Project

NOTICE = "erase-and-share"


@dataclass(frozen=True, slots=True)
class ToErase:
    """What to erase, and whether copies beside the project go, too."""

    target: Target
    copies: bool = True


@dataclass(frozen=True, slots=True)
class ToShare:
    """What to write where."""

    path: str
    choice: Choice


class EraseAndShare(QObject):
    """One window's erasing and sharing."""

    notice = Signal(object)

    def __init__(self, bridge: EngineBridge, control: ProjectControl, state: WindowState, window: QWidget) -> None:
        super().__init__(window)
        self._bridge, self._control, self._state, self._window = bridge, control, state, window
        bridge.project_changed.connect(self._report_unfinished)

    # --- erasing --------------------------------------------------------------------------------------------------

    def can_erase(self) -> bool:
        """Whether a project is open for writing."""
        return self._bridge.project is not None and not self._bridge.project.read_only

    def ask_erase(self) -> None:
        from desktop_app.erase_and_share_dialogs import EraseDialog
        from engine.operations.erase import affected

        project = self._bridge.opened

        def look(owner: QObject, target: Target, then: Callable[[Affected], None]) -> None:
            task = Task(
                "project.affected", "List what erasing would delete",
                lambda params, _report: affected(project, params.target), ToErase(target), DuplicatePolicy.REPLACE,
                scope=str(project.path),
            )  # fmt: skip
            self._bridge.submit(task, owner, on_done=then)

        dialog = EraseDialog(project, look, self._window)
        dialog.wanted.connect(self.erase)
        dialog.open()

    def erase(self, target: Target, copies: bool) -> None:
        """Erases in a job, and opens the project again, so that nothing on screen still has it."""
        from engine.operations.erase import erase_target

        project = self._bridge.opened

        def run(params: ToErase, report: Report) -> Affected:
            return erase_target(project, params.target, copies=params.copies, progress=_uncancelled(report))

        def done(found: Affected) -> None:
            self._state.forget(f"rebuttal.left.{project.id}.")
            self._control.reopen()
            self.notice.emit(Notice(NOTICE, *_erased(found, copies), kind="note"))

        title = f"Erase from {project.path.name}"
        task = Task("project.erase", title, run, ToErase(target, copies), DuplicatePolicy.DISCARD, alone=True)
        self._bridge.submit(task, self, on_done=done)

    def _report_unfinished(self, project: Project | None) -> None:
        if project is None or project.read_only or not project.info("erasing"):
            return
        what = "Erasing isn't finished: the file or its backups still contain what you erased."
        actions = (("Finish erasing", self.finish),)
        do = "Free some disk space first."
        self.notice.emit(Notice(NOTICE, what, "The data itself has been deleted.", do, actions=actions))

    def finish(self) -> None:
        """Does the rest of an erase that was cut short."""
        from engine.project.erasing import finish

        project = self._bridge.opened

        def run(_params: OfProject, report: Report) -> bool:
            finish(project, _uncancelled(report))
            return True

        def done(_result: bool) -> None:
            self.notice.emit(Notice(NOTICE, "Erasing finished.", kind="note"))

        title, params = f"Finish erasing in {project.path.name}", OfProject(str(project.path))
        task = Task("project.erase", title, run, params, DuplicatePolicy.DISCARD, alone=True)
        self._bridge.submit(task, self, on_done=done)

    # --- sharing --------------------------------------------------------------------------------------------------

    def ask_share(self) -> None:
        """Asks what is to be in the copy, then where to write it."""
        from desktop_app.erase_and_share_dialogs import ShareDialog
        from engine.operations.share import default_choice
        from engine.operations.targets import targets

        project = self._bridge.opened
        papers = tuple((paper.id, paper.name) for paper in targets(project, "paper"))
        dialog = ShareDialog(papers, default_choice(project), self._window)
        dialog.chosen.connect(self._ask_where)
        dialog.open()

    def _ask_where(self, choice: Choice) -> None:
        project = self._bridge.opened
        name = file_to_write(self._window, str(project.path.with_name(f"{project.path.stem} shared{SUFFIX}")))
        if name:
            self.share(Path(name), choice)

    def share(self, path: Path, choice: Choice) -> None:
        """Writes the copy in a job."""
        from engine.operations.share import described, share

        project = self._bridge.opened
        path = with_suffix(path)

        def run(params: ToShare, report: Report) -> tuple[str, ...]:
            return described(share(project, Path(params.path), params.choice, report.progress), params.choice)

        def done(sentences: tuple[str, ...]) -> None:
            self.notice.emit(written_notice(NOTICE, [str(path)], sentences))

        title, params = f"Share a copy of {project.path.name}", ToShare(str(path), choice)
        self._bridge.submit(Task("project.share", title, run, params, DuplicatePolicy.AFTER), self, on_done=done)


def _uncancelled(report: Report) -> Callable[[float], None]:
    """Progress of what must not stop half way: half an erase is no use to anybody."""

    def progress(fraction: float) -> None:
        with suppress(Cancelled):
            report.progress(fraction, "Rebuilding the file and its backup")

    return progress


def file_to_write(window: QWidget, proposed: str) -> str:
    """Asks for the name of a new project file; "" where the person cancels."""
    path, chosen = Path(proposed), [""]
    filters = f"Rejoinder project (*{SUFFIX})"
    how = {"suffix": SUFFIX[1:], "name": path.name}
    dialog = save_dialog(window, "Share a copy", path.parent, filters, **how, overwrites=False)
    dialog.fileSelected.connect(chosen.append)
    dialog.exec()
    return chosen[-1]


def _erased(found: Affected, copies: bool) -> tuple[str, str]:
    """What was done, and what is left to the person."""
    kind = {"paper": "The paper", "review": "The review", "annotator": "The annotator's work"}[found.target.kind]
    left = "Copies you made or sent still contain it."
    if found.copies and not copies:
        left = f"These earlier copies still contain it: {', '.join(file.name for file in found.copies)}."
    return f"{kind} was erased, including from history and backups.", left
