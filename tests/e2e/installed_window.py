"""One person at the installed application, by keyboard alone; test_release_run.py starts it in the fresh environment.

    python -P installed_window.py JOB REPORT ARGUMENT...

It imports the installed program, PySide6 and the standard library, and nothing of the checkout. The application starts
as ``rejoinder-desktop`` starts it. Keys go where the keyboard is, also in file dialogs; none is pressed before what it
needs is on the screen. What was seen on the way is written to REPORT as JSON. Exit code 3: something did not come.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QTreeView,
    QWidget,
)

import engine
from desktop_app.main import main as start
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.labels import HtmlLabel
from desktop_app.window import MainWindow, application

Key, Keys = Qt.Key, Qt.KeyboardModifier
MOST_MS = 540_000
"""Two slow cores, with the encoder loaded for the first time."""
Steps = Generator[Callable[[], bool], None, None]
"""Acts, and yields what it waits for before the next one."""


class Mouse(QObject):
    """Counts what a mouse would do."""

    used = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.used += event.type() == QEvent.Type.MouseButtonPress
        return False


class Person:
    """Presses keys where the keyboard is, and waits for what is on the screen."""

    def __init__(self) -> None:
        self.report: dict[str, Any] = {}
        self._keys: deque[Callable[[], object]] = deque()

    @property
    def window(self) -> MainWindow:
        return next(one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow))

    def has_window(self) -> bool:
        return any(isinstance(one, MainWindow) for one in QApplication.topLevelWidgets())

    def starts(self) -> Steps:
        """Waits for the window."""
        yield lambda: self.has_window() and self.window.isActiveWindow()

    def send(self, acts: Iterable[Callable[[QWidget], object]]) -> Steps:
        """Does each in an event of its own: a key may open a dialog that has an event loop of its own."""
        for act in acts:
            yield self._has_keyboard
            sent = [False]

            def now(act: Callable[[QWidget], object] = act, sent: list[bool] = sent) -> None:
                sent[0] = True
                act(_keyboard())

            QTimer.singleShot(0, now)
            yield lambda sent=sent: sent[0]  # type: ignore[misc]

    def _has_keyboard(self) -> bool:
        """Whether a window is active. Desktops activate the one below a dialog that is gone; offscreen nobody does."""
        if QApplication.activeWindow() is None:
            (QApplication.activeModalWidget() or self.window).activateWindow()
        return QApplication.activeWindow() is not None

    def key(self, *keys: Qt.Key, modifiers: Qt.KeyboardModifier = Keys.NoModifier) -> Steps:
        yield from self.send(partial(_click, key=key, modifiers=modifiers) for key in keys)

    def type(self, words: str) -> Steps:
        yield from self.send([lambda at: QTest.keyClicks(at, words)])

    def run(self, command: str) -> Steps:
        """The key of a command; one that has none is found in the palette by its title."""
        window = self.window
        yield lambda: window.commands.enabled(command)
        keys = window.commands.native_shortcut(command).split(" or ")
        if not keys[-1]:
            yield from self.run("view.palette")
            yield window.palette_view.field.hasFocus
            title = window.commands.text(command)
            yield from self.type(title.rstrip("…"))
            yield lambda: title in window.palette_view.titles()
            yield from self.key(*[Key.Key_Down] * window.palette_view.titles().index(title), Key.Key_Return)
            return
        pressed = QKeySequence.fromString(keys[-1], QKeySequence.SequenceFormat.NativeText)[0]
        yield from self.key(pressed.key(), modifiers=pressed.keyboardModifiers())

    def name_files(self, *names: str) -> Steps:
        """Types names into the file dialog that is open, of files in the folder that it shows, and confirms them."""
        yield from self.dialog(QFileDialog)
        dialog = QApplication.activeWindow()
        assert isinstance(dialog, QFileDialog)
        if dialog.acceptMode() == QFileDialog.AcceptMode.AcceptOpen:
            listed = dialog.findChild(QTreeView)
            assert isinstance(listed, QTreeView)
            yield lambda: listed.model().rowCount(listed.rootIndex()) > 0
        yield from self.type(names[0] if len(names) == 1 else " ".join(f'"{name}"' for name in names))
        yield from self.key(Key.Key_Return)
        yield lambda: QApplication.activeWindow() is not dialog

    def dialog(self, kind: type[QDialog]) -> Steps:
        """Waits until a dialog has the keyboard."""
        yield lambda: isinstance(QApplication.activeWindow(), kind) and QApplication.focusWidget() is not None

    def back(self) -> Steps:
        """Waits until a dialog is gone."""
        yield lambda: self._has_keyboard() and self.window.isActiveWindow()

    def at(self, wanted: str | QWidget) -> Steps:
        """Presses Tab until a control, named or given, has the keyboard."""
        for _ in range(60):
            here = QApplication.focusWidget()
            named = here.text() if isinstance(here, QPushButton) else here.accessibleName() if here is not None else ""
            if wanted in {here, named}:
                return
            yield from self.key(Key.Key_Tab)
        raise AssertionError(f"Tab never leads to {wanted!r}")

    def said(self, words: str) -> Steps:
        """Waits for a notice of the banner."""
        yield lambda: any(words in f"{one.what} {one.means}" for one in self.window.banner.notices)

    def idle(self) -> Steps:
        yield lambda: not self.window.bridge.engine.busy()

    def choose(self, box: QComboBox, words: str) -> Steps:
        """Walks to a box and through its entries."""
        yield from self.at(box)
        at = box.findText(words)
        assert at >= 0, f"{words} is not among {[box.itemText(n) for n in range(box.count())]}"
        step = Key.Key_Down if at > box.currentIndex() else Key.Key_Up
        yield from self.key(*[step] * abs(at - box.currentIndex()))
        assert box.currentText() == words


def _keyboard() -> QWidget:
    """Where keys go."""
    at = QApplication.activePopupWidget() or QApplication.focusWidget() or QApplication.activeWindow()
    assert at is not None
    return at


def _click(at: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    QTest.keyClick(at, key, modifiers)


def _rows(dialog: QWidget | None) -> list[list[str]]:
    """The cells of a dialog's table."""
    table = dialog.findChild(FactTable) if dialog is not None else None
    assert isinstance(table, FactTable)
    cells = [[table.item(row, n) for n in range(table.columnCount())] for row in range(table.rowCount())]
    return [[cell.text() if cell is not None else "" for cell in row] for row in cells]


# --- the jobs ---------------------------------------------------------------------------------------------------------


def begin(me: Person, project: str, folder: str, *files: str) -> Steps:
    """The lead makes a project of a paper with reviews, and work packages for five people."""
    yield from me.starts()
    yield from me.run("project.new")
    yield from me.name_files(project)
    yield lambda: me.window.bridge.project is not None
    yield from me.run("go.linking")
    yield from me.run("linking.import")
    yield from me.name_files(*files)
    linking: Any = me.window.panes["linking"]
    yield lambda: bool(linking.study.edits and linking.study.comments)
    yield from me.idle()
    yield from me.run("packages.create")
    from desktop_app.work_package_dialogs import CreateDialog

    yield from me.dialog(CreateDialog)
    yield from me.at("People, one name per line")
    for name in ("Ada", "Ben", "Cleo", "Dan", "Eve"):
        yield from me.type(name)
        yield from me.key(Key.Key_Return)
    yield from me.at("Share of items given to several people")
    yield from me.type("100")
    yield from me.at("Guidelines")
    yield from me.type("# How to link")
    yield from me.key(Key.Key_Return, Key.Key_Return)
    yield from me.type("Link each comment to the edits that answer it.")
    yield from me.at("Choose folder…")
    yield from me.key(Key.Key_Space)
    yield from me.name_files(folder)
    yield from me.said("Exported 5 files to the folder")


def annotate(me: Person, results: str, bent: str) -> Steps:
    """Somebody reads the guidelines of the package, decides on all its comments, and writes the results.

    ``bent`` is how this person sees things, a number: people differ in the edit or the state on some comments.
    """
    yield from me.starts()
    yield lambda: me.window.bridge.project is not None
    yield from me.run("packages.guidelines")
    from desktop_app.work_package_dialogs import GuidelinesDialog

    yield from me.dialog(GuidelinesDialog)
    dialog = QApplication.activeWindow()
    assert dialog is not None
    me.report["guidelines"] = [one.text() for one in dialog.findChildren(HtmlLabel)]
    yield from me.key(Key.Key_Escape)
    linking: Any = me.window.panes["linking"]
    yield from me.back()
    yield lambda: bool(linking.study.edits) and bool(linking.state.comment_id)
    yield from me.idle()
    comments = [one.id for one in linking.study.comments]
    me.report["comments"], me.report["decided"] = comments, {}
    for number in range(len(comments)):
        yield lambda: bool(linking.state.edit_id)
        comment = linking.state.comment_id
        assert linking.study.state(comment) == "undecided", "Space leads to what is undecided"
        if (number + int(bent)) % 4 == 3:
            yield from me.run("linking.state_answered")
            yield lambda comment=comment: linking.study.state(comment) == "answered"  # type: ignore[misc]
            me.report["decided"][comment] = "answered"
        else:
            if (number * int(bent)) % 3 == 2:
                yield from me.run("linking.next_edit")
            edit = linking.state.edit_id
            yield from me.run("linking.link")
            yield lambda comment=comment: linking.study.state(comment) == "linked"  # type: ignore[misc]
            me.report["decided"][comment] = edit
        yield from me.run("linking.next_undecided")
    yield from me.run("linking.done")
    yield from me.run("packages.results")
    yield from me.name_files(results)
    yield from me.said(f"Saved: {results}")


def lead(me: Person, *results: str) -> Steps:
    """The lead imports the results, looks at progress and agreement, adjudicates, and exports for three tools."""
    yield from me.starts()
    yield lambda: me.window.bridge.project is not None
    yield from me.run("packages.import")
    yield from me.name_files(*results)
    from desktop_app.work_package_dialogs import ImportDialog, ProgressDialog

    yield from me.dialog(ImportDialog)
    me.report["preview"] = _rows(QApplication.activeWindow())
    yield from me.at("Import")
    yield from me.key(Key.Key_Space)
    yield from me.said("Results were imported.")
    yield from me.run("packages.progress")
    yield from me.dialog(ProgressDialog)
    me.report["progress"] = _rows(QApplication.activeWindow())
    yield from me.key(Key.Key_Escape)
    yield from me.back()
    yield from me.run("go.linking")
    linking: Any = me.window.panes["linking"]
    yield lambda: bool(linking.study.comments and linking.study.edits)
    me.report["labels"] = {edit.label: edit.id for edit in linking.study.edits}
    yield from me.run("linking.done")
    yield from _adjudicate(me)
    folder = me.window.bridge.project.path.parent  # type: ignore[union-attr]
    for format_, name in (("UIMA CAS JSON", "inception"), ("brat", "brat"), ("Web Annotations", "links.jsonld")):
        yield from me.run("project.export")
        yield from me.dialog(QFileDialog)
        dialog: Any = QApplication.activeWindow()
        filters = dialog.nameFilters()
        wanted = next(n for n, words in enumerate(filters) if words.startswith(format_))
        yield from me.at(dialog.findChild(QComboBox, "fileTypeCombo"))
        yield from me.key(*[Key.Key_Down] * wanted)
        assert dialog.selectedNameFilter() == filters[wanted]
        yield from me.at(dialog.findChild(QLineEdit, "fileNameEdit"))
        yield from me.key(Key.Key_A, modifiers=Keys.ControlModifier)
        yield from me.name_files(name)
        yield from me.dialog(QMessageBox)
        yield from me.at("Adjudicated")
        yield from me.key(Key.Key_Space)
        yield from me.back()
        yield lambda name=name: Path(folder, name).exists()  # type: ignore[misc]
        yield from me.idle()


def _adjudicate(me: Person) -> Steps:
    yield from me.run("go.agreement")
    pane: Any = me.window.panes["agreement"]
    yield lambda: bool(pane.state.found)
    people = [name for _, name in pane.state.people]
    me.report["verdicts"], me.report["agreement"] = {}, []
    keys = (("first", "1"), ("second", "2"), ("both", "3"), ("neither", "4"))
    for one, first in enumerate(people):
        for second in people[one + 1 :]:
            yield from me.choose(pane.second, second)
            yield from me.choose(pane.first, first)
            yield lambda pair=(first, second): pane.state.found is not None and pane.state.names == pair  # type: ignore[misc]
            yield from me.idle()
            figures = pane.state.figures
            me.report["agreement"].append([first, second, figures.comments])
            if pane.state.disagreement is not None:
                yield from me.at("Disagreements")  # a box of values keeps letters and digits for itself
            while pane.state.disagreement is not None and not pane.state.is_decided():
                found = pane.state.disagreement
                verdict, _ = keys[len(me.report["verdicts"]) % len(keys)]
                yield from me.run(f"agreement.{verdict}")
                comment = found.comment.first_id
                yield lambda comment=comment: comment in pane.state.decided  # type: ignore[misc]
                me.report["verdicts"][comment] = [first, second, verdict]


JOBS: dict[str, tuple[Callable[..., Steps], int]] = {"begin": (begin, 0), "annotate": (annotate, 1), "lead": (lead, 1)}
"""Each with how many of its arguments are for the application itself: files to open."""


def main() -> int:
    job, report, *arguments = sys.argv[1:]
    steps, opened = JOBS[job]
    me, mouse, app = Person(), Mouse(), application()
    app.installEventFilter(mouse)

    def whole() -> Steps:
        yield from steps(me, *arguments[opened:])
        yield from me.idle()
        me.report |= {"mouse": mouse.used, "engine": engine.__file__, "network": me.window.status.network.text()}
        me.report["problems"] = [one.what for one in me.window.banner.notices if one.kind == "problem"]
        Path(report).write_text(json.dumps(me.report), encoding="utf-8")
        yield from me.run("app.quit")

    going, waiting = whole(), [lambda: True]

    def look() -> None:
        try:
            if waiting[0]():
                waiting[0] = next(going)
        except StopIteration:
            timer.stop()
        except BaseException:  # the application shows what is raised in it, and goes on
            fail(traceback.format_exc())

    def late() -> None:
        lines: list[str] = []
        inner: Any = going
        while inner is not None and inner.gi_frame is not None:
            lines.append(f"{inner.gi_frame.f_code.co_name}, line {inner.gi_frame.f_lineno}")
            inner = inner.gi_yieldfrom
        fail(f"still waits in {'; '.join(lines)}")

    def fail(what: str) -> None:
        said = [one.what for one in me.window.banner.notices] if me.has_window() else []
        keyboard = f"{QApplication.focusWidget()} of {QApplication.activeWindow()}"
        sys.stderr.write(f"{job}: {what}\nThe keyboard is in {keyboard}. The banner says {said}.\n")
        sys.stderr.flush()
        os._exit(3)

    timer = QTimer(app)
    timer.timeout.connect(look)
    timer.start(10)
    QTimer.singleShot(int(os.environ.get("MOST_MS", MOST_MS)), app, late)
    return start(arguments[:opened])


if __name__ == "__main__":
    sys.exit(main())
