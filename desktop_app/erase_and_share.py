"""The commands "Erase permanently" and "Share a copy", with their dialogs, jobs and notices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QListWidget, QListWidgetItem, QWidget

from desktop_app.engine_bridge import EngineBridge
from desktop_app.project_control import SUFFIX, ProjectControl, with_suffix
from desktop_app.settings import WindowState
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.widgets.dialogs import DialogButtons, lay_out_scrolling
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import named, text_label
from desktop_app.widgets.layouts import form_rows
from desktop_app.writing import Written
from engine.errors import Cancelled
from engine.jobs import DuplicatePolicy, Report, task
from engine.operations.targets import Target, targets
from engine.project import Project
from engine.project.erasing import finish

if TYPE_CHECKING:
    from engine.operations.erase import Affected
    from engine.operations.share import Choice

    Look = Callable[[QObject, Target, Callable[[Affected], None]], None]
    """Starts a job, owned by the first argument, that finds what erasing the target would delete."""


class ShareDialog(QDialog):
    """Emits ``chosen`` with the Choice. Papers can be selected if there are several."""

    chosen = Signal(object)

    def __init__(self, papers: Sequence[tuple[str, str]], choice: Choice, parent: QWidget | None = None) -> None:
        from engine.operations.share import PARTS

        super().__init__(parent)
        self.setWindowTitle("Share a copy")
        self.papers = named(QListWidget(), "Papers")
        for key, title in papers:
            item = QListWidgetItem(title, self.papers)
            item.setData(Qt.ItemDataRole.UserRole, key)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
        several = len(papers) > 1
        self.papers.setMaximumHeight(self.papers.sizeHintForRow(0) * min(5, len(papers)) + 8)
        self.parts = {part.id: _check(part.title, part.id in choice.parts) for part in PARTS}
        self.anonymous = _check("Number annotators instead of naming them", choice.anonymous)
        words = "The copy contains no history and nothing that identifies this computer. Your project isn't changed."
        note = "Names inside PDFs, reviews and other texts aren't changed."
        heading = text_label("Papers", "section")
        self.buttons = DialogButtons(self, "Save copy as…")
        parts = (
            text_label(words, wrap=True), heading, self.papers, text_label("Include", "section"), *self.parts.values(),
            text_label("Names", "section"), self.anonymous, text_label(note, "small", wrap=True), None,
        )  # fmt: skip
        lay_out_scrolling(self, parts, [self.buttons], 90, 36, spacing=6)
        heading.setVisible(several)
        self.papers.setVisible(several)
        self.papers.itemChanged.connect(lambda _item: self.buttons.ok.setEnabled(self._papers() != ()))
        self.accepted.connect(lambda: self.chosen.emit(self.choice()))

    def _papers(self) -> tuple[str, ...] | None:
        items = [self.papers.item(row) for row in range(self.papers.count())]
        chosen = [item for item in items if item.checkState() == Qt.CheckState.Checked]
        if len(chosen) == len(items):
            return None
        return tuple(item.data(Qt.ItemDataRole.UserRole) for item in chosen)

    def choice(self) -> Choice:
        from engine.operations.share import Choice

        parts = frozenset(key for key, box in self.parts.items() if box.isChecked())
        return Choice(self._papers(), parts, self.anonymous.isChecked())


def _check(title: str, on: bool) -> QCheckBox:
    box = named(QCheckBox(title), title)
    box.setChecked(on)
    return box


class EraseDialog(QDialog):
    """Emits ``wanted`` with the target and whether to erase it from copies beside the project, too."""

    wanted = Signal(object, bool)

    def __init__(self, project: Project, look: Look, parent: QWidget | None = None) -> None:
        from engine.operations.erase import KINDS, REMAINS

        super().__init__(parent)
        self.setWindowTitle("Erase permanently")
        self._project, self._look = project, look
        self._found: Affected | None = None
        self._shown: Target | None = None
        names = {"annotator": "Annotator's work", "review": "Review or letter"}
        kinds = [(names.get(kind, words), kind) for kind, words in KINDS.items()]
        self.kind = ChoiceBox("What to erase", kinds, letters=16, parent=self)
        self.target = ChoiceBox("Item", letters=16, parent=self)
        self.affected = named(text_label("", wrap=True), "What will be deleted")
        self.remains = text_label(REMAINS, "small", wrap=True)
        self.copies = QCheckBox("Also delete earlier copies next to the project")
        self.copies.setChecked(True)
        self.copy_names = text_label("", "small", wrap=True)
        self.sure = QCheckBox("I understand that this can't be undone")
        self.buttons = DialogButtons(self, "Erase permanently")
        self._lay_out()
        self.kind.picked.connect(lambda _kind: self._list())
        self.target.picked.connect(lambda _target: self._show())
        self.sure.toggled.connect(lambda _on: self._enable())
        self.accepted.connect(self._send)
        self._list()

    def _lay_out(self) -> None:
        form = form_rows(("Erase", self.kind), ("Item", self.target))
        for box in (self.copies, self.sure):
            box.setAccessibleName(box.text())
        parts = (form, self.affected, self.copies, self.copy_names, self.remains, None)
        lay_out_scrolling(self, parts, [self.sure, self.buttons], 90, 27)

    def _list(self) -> None:
        self.target.show_entries([(target.name, target) for target in targets(self._project, self.kind.value)])
        self._show()

    def _show(self) -> None:
        self._found = None
        self._shown = target = self.target.value
        self.sure.setChecked(False)
        self.copies.hide()
        self.copy_names.hide()
        if target is None:
            self.affected.setText("This project has none.")
        else:
            self.affected.setText("Counting…")
            self._look(self, target, lambda found: self._show_found(target, found))
        self._enable()

    def _show_found(self, target: Target, found: Affected) -> None:
        if target is not self._shown:
            return
        self._found = found
        self.affected.setText("\n\n".join(found.sentences))
        self.copies.setVisible(bool(found.copies))
        self.copy_names.setText(", ".join(file.name for file in found.copies))
        self.copy_names.setVisible(bool(found.copies))
        self._enable()

    def _enable(self) -> None:
        self.sure.setEnabled(self._found is not None)
        self.buttons.ok.setEnabled(self._found is not None and self.sure.isChecked())

    def _send(self) -> None:
        if self._found is not None and self.sure.isChecked():
            self.wanted.emit(self._found.target, self.copies.isChecked())


NOTICE = "erase-and-share"


@task("project.affected", "List what erasing would delete", DuplicatePolicy.REPLACE, "{project.path}")
def _look(_report: Report, project: Project, target: Target) -> Affected:
    from engine.operations.erase import affected

    return affected(project, target)


@task("project.erase", "Erase from {project.path.name}", DuplicatePolicy.DISCARD, alone=True)
def _erase(report: Report, project: Project, target: Target, copies: bool) -> Affected:
    from engine.operations.erase import erase_target

    return erase_target(project, target, copies=copies, progress=_uncancelled(report))


@task("project.erase", "Finish erasing in {project.path.name}", DuplicatePolicy.DISCARD, alone=True)
def _finish(report: Report, project: Project) -> bool:
    finish(project, _uncancelled(report))
    return True


@task("project.share", "Share a copy of {project.path.name}", DuplicatePolicy.AFTER)
def _share(report: Report, project: Project, path: Path, choice: Choice) -> tuple[str, ...]:
    from engine.operations.share import described, share

    return described(share(project, path, choice, report.progress), choice)


class EraseAndShare(QObject):
    notice = Signal(object)

    def __init__(self, bridge: EngineBridge, control: ProjectControl, state: WindowState, window: QWidget) -> None:
        super().__init__(window)
        self._bridge, self._control, self._state, self._window = bridge, control, state, window
        bridge.project_changed.connect(self._report_unfinished)

    def ask_erase(self) -> None:
        project = self._bridge.opened

        def look(owner: QObject, target: Target, then: Callable[[Affected], None]) -> None:
            self._bridge.submit(_look(project, target), owner, on_done=then)

        dialog = EraseDialog(project, look, self._window)
        dialog.wanted.connect(self.erase)
        dialog.open()

    def erase(self, target: Target, copies: bool) -> None:
        """Erases in a job and reopens the project, so that nothing on screen still shows the erased content."""
        project = self._bridge.opened

        def done(found: Affected) -> None:
            from engine.operations.erase import IN_WINDOW_STATE

            for kept in IN_WINDOW_STATE:
                self._state.forget(f"{kept}.{project.id}")
            self._control.reopen()
            self.notice.emit(Notice(NOTICE, *_erased(found, copies), kind="note"))

        self._bridge.submit(_erase(project, target, copies), self, on_done=done)

    def _report_unfinished(self, project: Project | None) -> None:
        if project is None or project.read_only or not project.info("erasing"):
            return
        what = "Erasing isn't finished: the file or its backups still contain what you erased."
        actions = (("Finish erasing", self.finish),)
        do = "Free some disk space first."
        self.notice.emit(Notice(NOTICE, what, "The data itself has been deleted.", do, actions=actions))

    def finish(self) -> None:
        def done(_result: bool) -> None:
            self.notice.emit(Notice(NOTICE, "Erasing finished.", kind="note"))

        self._bridge.submit(_finish(self._bridge.opened), self, on_done=done)

    def ask_share(self) -> None:
        from engine.operations.share import default_choice

        project = self._bridge.opened
        papers = tuple((paper.id, paper.name) for paper in targets(project, "paper"))
        dialog = ShareDialog(papers, default_choice(project), self._window)
        proposed = project.path.with_name(f"{project.path.stem} shared{SUFFIX}")
        dialog.chosen.connect(
            lambda choice: self._control.ask_new_file("Share a copy", lambda name: self.share(name, choice), proposed)
        )
        dialog.open()

    def share(self, path: Path | str, choice: Choice) -> None:
        path = with_suffix(path)

        def done(sentences: tuple[str, ...]) -> None:
            self.notice.emit(written_notice(NOTICE, Written.of(path, sentences)))

        self._bridge.submit(_share(self._bridge.opened, path, choice), self, on_done=done)


def _uncancelled(report: Report) -> Callable[[float], None]:
    """Returns a progress function that ignores cancellation, since erasing must not stop half way."""

    def progress(fraction: float) -> None:
        with suppress(Cancelled):
            report.progress(fraction, "Rebuilding the file and its backup")

    return progress


def _erased(found: Affected, copies: bool) -> tuple[str, str]:
    """Returns the notice's text: what was erased, and what the user still has to do."""
    kind = {"paper": "The paper", "review": "The review", "annotator": "The annotator's work"}[found.target.kind]
    left = "Copies you made or sent still contain it."
    if found.copies and not copies:
        left = f"These earlier copies still contain it: {', '.join(file.name for file in found.copies)}."
    return f"{kind} was erased, including from history and backups.", left
