"""Real file dialogs: what is chosen, where they start, and that no file of the folder they show is opened."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QModelIndex, QSettings, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMessageBox, QTreeView
from pytestqt.qtbot import QtBot

from desktop_app.widgets import file_dialogs
from desktop_app.widgets.file_dialogs import FileDialogs, file_name
from desktop_app.window import MainWindow
from engine import user_files
from engine.project import Project

# The offscreen platform says so where the list of completions opens.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
ROOT = Path(__file__).resolve().parents[3]
Act = Callable[[QFileDialog], None]
STILL_LOCKED = """
import fcntl, sys
for name in sys.argv[1:]:
    with open(name, "r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print(name)
"""


@pytest.fixture(autouse=True)
def own_qt_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Qt's dialog keeps its last folder in the person's settings."""
    path = str(tmp_path_factory.mktemp("qt"))
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, path)


@pytest.fixture
def files(window: MainWindow, project_path: Path) -> FileDialogs:
    """The dialogs of a window with an open project."""
    assert window.open_path(project_path)
    return window.context.files


@pytest.fixture
def during(qtbot: QtBot) -> Iterator[Callable[[Act], None]]:
    """Has something done to the next file dialog while it is open; it is closed afterwards in any case.

    Questions that it asks meanwhile are answered with No.
    """
    acts: list[Act] = []
    done: list[bool] = []
    # Two, since a timer does not fire again while what it called still runs.
    timers = QTimer(), QTimer()

    def answer() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            box.reject()

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QFileDialog) and acts:
            act = acts.pop()
            done.append(False)
            try:
                act(dialog)
                done[-1] = True
            finally:
                if shiboken6.isValid(dialog) and dialog.isVisible():
                    dialog.reject()

    for timer, handler in zip(timers, (look, answer), strict=True):
        timer.timeout.connect(handler)
        timer.start(10)
    yield acts.append
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)
    for timer in timers:
        timer.stop()
    assert done and all(done) and not acts


def choose(words: str) -> Act:
    """Enters a name and presses Enter."""

    def act(dialog: QFileDialog) -> None:
        line = dialog.findChild(QLineEdit, "fileNameEdit")
        assert isinstance(line, QLineEdit)
        # At once, as pasted: letter by letter, the offscreen platform gives the keys to the list of completions.
        line.setText(words)
        QTest.keyClick(line, Qt.Key.Key_Return)

    return act


def row(dialog: QFileDialog, name: str) -> QModelIndex | None:
    view = dialog.findChild(QTreeView, "treeView")
    assert isinstance(view, QTreeView)
    model, top = view.model(), view.rootIndex()
    rows = (model.index(number, 0, top) for number in range(model.rowCount(top)))
    return next((index for index in rows if index.data() == name), None)


def browse(qtbot: QtBot, names: list[str]) -> Act:
    """Looks at a folder in every way that the dialog has, and chooses nothing."""

    def act(dialog: QFileDialog) -> None:
        folder, line = dialog.directory().absolutePath(), dialog.findChild(QLineEdit, "fileNameEdit")
        view = dialog.findChild(QTreeView, "treeView")
        assert isinstance(view, QTreeView) and isinstance(line, QLineEdit)
        for mode in (QFileDialog.ViewMode.List, QFileDialog.ViewMode.Detail):
            dialog.setViewMode(mode)
            qtbot.waitUntil(lambda: all(row(dialog, name) is not None for name in names))
        assert view.columnWidth(0) > view.viewport().width() / 2, "names have the most room"
        for name in names:
            index = row(dialog, name)
            assert index is not None and index.siblingAtColumn(2).data(), "the column of types is filled"
            QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(index).center())
        QTest.keyClicks(line, "l")
        dialog.setDirectory(str(Path(folder).parent))
        qtbot.waitUntil(lambda: row(dialog, Path(folder).name) is not None)
        dialog.setDirectory(folder)
        qtbot.waitUntil(lambda: all(row(dialog, name) is not None for name in names))
        dialog.reject()

    return act


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX locks")
@pytest.mark.parametrize("way", ["open_file", "open_files", "save_file", "choose_folder", "ask_open"])
def test_browsing_keeps_every_lock_on_the_files_of_the_folder(
    files: FileDialogs, window: MainWindow, project_path: Path, during: Callable[[Act], None], qtbot: QtBot, way: str
) -> None:
    """The locks of a process on a file go when the process opens and closes it, so each lost lock is a file that was
    opened. That of the project is SQLite's own."""
    import fcntl

    folder = project_path.parent
    names = ["a.pdf", "scores.csv", "a.docx", "a.xlsx", "a.md", "no-suffix", "odd.xyz", "other.rejoinder"]
    held = []
    for name in names:
        (folder / name).write_bytes(b"SQLite format 3\0")
        held.append((folder / name).open("r+b"))
        fcntl.lockf(held[-1], fcntl.LOCK_EX)
    (folder / "link").symlink_to(project_path)
    (folder / "link.xyz").symlink_to(folder / "odd.xyz")
    (folder / "gone").symlink_to(folder / "nothing")
    os.mkfifo(folder / "pipe")
    (folder / "below").mkdir()
    locked = sorted(str(path) for path in (project_path, *(folder / name for name in names)))

    def still_locked() -> list[str]:
        command = [sys.executable, "-c", STILL_LOCKED, *locked]
        return sorted(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines())

    assert still_locked() == locked
    shown = {"choose_folder": ["below"], "ask_open": [project_path.name, "other.rejoinder"]}.get(
        way, [*names, project_path.name, "link", "link.xyz", "below"]
    )
    during(browse(qtbot, shown))
    if way == "ask_open":
        window.control.ask_open()
        qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
        qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)
    elif way == "save_file":
        assert files.save_file(window, "Save", "new", "") is None
    else:
        ask = {"open_file": files.open_file, "open_files": files.open_files}.get(way)
        assert not (ask(window, "Open", "All files (*)") if ask else files.choose_folder(window, "Choose"))
    assert still_locked() == locked
    for file in held:
        file.close()


def test_native_dialogs_are_used_only_where_no_lock_can_be_lost(files: FileDialogs, window: MainWindow) -> None:
    dialog = file_dialogs.file_dialog(window, "Open", Path.home())
    native = not QCoreApplication.testAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    assert native is (sys.platform == "win32")
    dialog.deleteLater()


def test_no_other_module_makes_a_file_dialog() -> None:
    sniffing = re.compile(r"\b(QFileDialog|QFileIconProvider|QFileSystemModel|QMimeDatabase)\b")
    found = {path.name for path in (ROOT / "desktop_app").rglob("*.py") if sniffing.search(path.read_text("utf-8"))}
    assert found == {"file_dialogs.py"}


def test_files_are_chosen_by_name(
    files: FileDialogs, window: MainWindow, project_path: Path, during: Callable[[Act], None]
) -> None:
    (project_path.parent / "paper one.pdf").touch()
    (project_path.parent / "two.pdf").touch()
    during(choose("two.pdf"))
    assert files.open_file(window, "Add a paper", "PDF (*.pdf)") == project_path.parent / "two.pdf"
    during(choose('"two.pdf" "paper one.pdf"'))
    assert {path.name for path in files.open_files(window, "Add", "PDF (*.pdf)")} == {"two.pdf", "paper one.pdf"}


def test_a_file_to_save_gets_the_suffix_and_is_not_overwritten_unasked(
    files: FileDialogs, window: MainWindow, project_path: Path, during: Callable[[Act], None], qtbot: QtBot
) -> None:
    there = project_path.parent / "table.csv"
    during(choose("table"))
    assert files.save_file(window, "Export", "scores", ".csv") == there
    there.touch()

    def refuse(dialog: QFileDialog) -> None:
        choose("table")(dialog)
        assert dialog.isVisible()
        dialog.reject()

    during(refuse)
    assert files.save_file(window, "Export", "scores", ".csv") is None
    suggested: list[str] = []

    def look(dialog: QFileDialog) -> None:
        suggested.extend(dialog.selectedFiles())
        dialog.reject()

    during(look)
    files.save_file(window, "Export", "Rate/limits: a study", ".csv")
    assert suggested == [str(project_path.parent / "Rate-limits- a study.csv")]


def test_dialogs_start_where_that_kind_of_file_was_chosen_before(
    files: FileDialogs,
    window: MainWindow,
    project_path: Path,
    during: Callable[[Act], None],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other, documents = tmp_path_factory.mktemp("other"), tmp_path_factory.mktemp("documents")
    monkeypatch.setattr(file_dialogs, "documents_folder", lambda: documents)
    (other / "a.pdf").touch()
    (other / "out").mkdir()
    started: list[str] = []

    def then(act: Act) -> Act:
        def both(dialog: QFileDialog) -> None:
            started.append(dialog.directory().absolutePath())
            act(dialog)

        return both

    def cancel(dialog: QFileDialog) -> None:
        dialog.reject()

    def ask(act: Act, filters: str) -> None:
        during(then(act))
        files.open_file(window, "Open", filters)

    ask(choose(str(other / "a.pdf")), "PDF (*.pdf)")
    ask(cancel, "PDF (*.pdf)")
    ask(cancel, "Tables (*.csv)")
    during(then(choose(str(other / "out"))))
    assert files.choose_folder(window, "Export templates") == other / "out"
    during(then(cancel))
    assert files.choose_folder(window, "Export templates") is None
    window.control.close()
    ask(cancel, "Tables (*.csv)")
    own = user_files.data_folder() / "samples" / "sample.rejoinder"
    own.parent.mkdir(parents=True)
    Project.create(own, "Sample", "Ada").close()
    assert window.open_path(own)
    ask(cancel, "Tables (*.csv)")
    home = str(project_path.parent)
    assert started == [home, str(other), home, home, str(other / "out"), str(documents), str(documents)]


def test_projects_are_made_and_opened_by_name(
    window: MainWindow, project_path: Path, tmp_path: Path, during: Callable[[Act], None], qtbot: QtBot
) -> None:
    def at() -> Path | None:
        return window.bridge.project.path if window.bridge.project is not None else None

    during(choose(str(tmp_path / "second study")))
    window.control.ask_new()
    qtbot.waitUntil(lambda: at() == tmp_path / "second study.rejoinder")
    during(choose(project_path.name))
    window.control.ask_open()
    qtbot.waitUntil(lambda: at() == project_path)
    during(choose("copy of it"))
    window.control.ask_copy()
    qtbot.waitUntil(lambda: at() == tmp_path / "copy of it.rejoinder")


@pytest.mark.parametrize(
    ("words", "ending", "name"),
    [
        ("A/B tests", ".csv", "A-B tests.csv"),
        ('What is "it"?\n', ".pdf", "What is it.pdf"),
        ("Who knows what? (sample)", ".csv", "Who knows what (sample).csv"),
        ("  ..", ".csv", "untitled.csv"),
        ("x" * 300, ".docx", "x" * file_dialogs.LONGEST_NAME + ".docx"),
        ("study.rejoinder-study", ".rejoinder-study", "study.rejoinder-study"),
    ],
)
def test_suggested_names_fit_every_file_system(words: str, ending: str, name: str) -> None:
    assert file_name(words, ending) == name
