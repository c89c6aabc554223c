"""Every dialog and everything that floats over the window: what screen readers get, whether Tab reaches each control
and shows where it is, whether text is faint in either scheme, and whether any is cut at text sizes from 0.8 to 2.0."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QInputDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.headless import settle
from desktop_app.theme import theme
from desktop_app.widgets.dialogs import ask
from desktop_app.widgets.file_dialogs import save_dialog
from desktop_app.window import MainWindow
from engine.jobs import JobSnapshot, JobState
from engine.operations.erase import affected
from engine.operations.results import FileReport
from engine.packages.records import Round, Settings
from engine.papers.records import LibraryPaper
from engine.project import new_id
from tests.desktop_app.looks import cut, faint, in_sight, laid_out, plain_letters, spoken
from tests.desktop_app.pane_cases import assert_named, controls
from tests.desktop_app.panes.survey.surveys import answers_file, study
from tests.desktop_app.test_every_pane import SCALES, SILENT, assert_focus_seen, window

__all__ = ["window"]  # the fixture
APP = Path(__file__).resolve().parents[2] / "desktop_app"
LONG = "How few permanent counters does a town need to know its cyclists, and which of the streets should have them?"
Make = Callable[[MainWindow, Path], QWidget]


def bug_report(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.problems import Bug, BugReport

    return BugReport(Bug("ValueError", "Traceback\n" * 40), window)


def follow_up(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.panes.rebuttal.limits_dialog import FollowUpDialog

    return FollowUpDialog("R1.1", window)


def limits(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.panes.rebuttal.limits_dialog import LimitsDialog
    from desktop_app.panes.rebuttal.pane import RebuttalPane

    pane = window.show_pane("rebuttal")
    settle(window)
    assert isinstance(pane, RebuttalPane)
    return LimitsDialog(pane.state.rebuttal.plan, pane.state.rebuttal.limit, window)


def libraries(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.panes.rebuttal.libraries_dialog import LibrariesDialog

    return LibrariesDialog(window)


def places(window: MainWindow, folder: Path) -> QWidget:
    from desktop_app.panes.linking.files import PlacesDialog
    from engine.operations.incoming import propose

    assert window.bridge.project is not None
    letter = folder / "a letter that answers the reviewers of a paper.md"
    letter.write_text("# Reviewer 1\n\n> Please explain.\n\nWe explain it now.\n")
    return PlacesDialog(propose(window.bridge.project, [letter]), window)


def messages(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.widgets.dialogs import MessagesDialog

    return MessagesDialog("Messages", (f"{number}: {LONG}" for number in range(30)), window)


def merge(window: MainWindow, folder: Path) -> QWidget:
    from desktop_app.panes.survey.merging import MergeDialog
    from engine.exchange.study_file import read_answers_file
    from engine.expertise.merge_store import MergeStore
    from engine.expertise.store import SurveyStore

    assert window.bridge.project is not None
    of, first, second = study(new_id()), [4.0, 2.5, 1.25], [4.25, 2.5]
    store, key = MergeStore(window.bridge.project), SurveyStore(window.bridge.project).add_study(of)
    file = answers_file(folder, "Ben Example", first, of=of)
    store.apply(store.plan(key, read_answers_file(file), file.name))
    file = answers_file(folder, "Ben Example", second, of=of, written_at="2026-03-02T10:00:00+00:00")
    return MergeDialog(store.plan(key, read_answers_file(file), file.name), 3, window)


def paper(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.panes.survey.participant import PaperDialog

    return PaperDialog(LibraryPaper("", LONG, abstract=LONG, authors=("Ada Example",)), window)


def tuning(window: MainWindow, folder: Path) -> QWidget:
    from desktop_app.panes.models.tuning_dialog import Start, TuningDialog

    return TuningDialog([Start("An encoder", folder)], 12, 40, window.context.files, window)


def server(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.panes.models.language_part import ServerDialog

    return ServerDialog(window.bridge, window)


def cluster(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.panes.preferences.candidates_view import ClusterDialog

    return ClusterDialog(parent=window)


def scores(window: MainWindow, folder: Path) -> QWidget:
    from desktop_app.panes.calibration.importing import ImportDialog
    from engine.exchange.scores import read_score_table

    path = folder / "scores.csv"
    path.write_text("item;referee;score;confidence\nA;a0;3;1\nA;A0;4;2\nB;a0;none;2\nB;C;4;0\n")
    return ImportDialog(read_score_table(path), window.state, window)


def share(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.erase_and_share import ShareDialog
    from engine.operations.share import default_choice

    assert window.bridge.project is not None
    return ShareDialog([("a", LONG), ("b", "Another")], default_choice(window.bridge.project), window)


def erase(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.erase_and_share import EraseDialog

    project = window.bridge.project
    assert project is not None
    return EraseDialog(project, lambda _owner, target, then: then(affected(project, target)), window)


def create(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.work_package_dialogs import CreateDialog

    return CreateDialog((), window)


def results(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.work_package_dialogs import ImportDialog

    return ImportDialog([FileReport("ada.rejoinder-results", "new", "Ada", "Round 1", added=12)], window)


def progress(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.work_package_dialogs import ProgressDialog

    return ProgressDialog([], window)


def guidelines(window: MainWindow, _folder: Path) -> QWidget:
    from desktop_app.work_package_dialogs import GuidelinesDialog

    made = Round("r", "Round 1", "links", f"# What to do\n\n{LONG}\n", (), Settings(), "a", "2026-01-01T00:00:00Z")
    return GuidelinesDialog(made, (), window)


def question(window: MainWindow, _folder: Path) -> QWidget:
    return ask(window, "Jobs", LONG, LONG, {"Stop them": None, "Keep working": None})


def number(window: MainWindow, _folder: Path) -> QWidget:
    dialog = QInputDialog(window)
    dialog.setLabelText("Score from another referee for item 3:")
    dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
    return dialog


def file_to_save(window: MainWindow, folder: Path) -> QWidget:
    (folder / "a.csv").touch()
    return save_dialog(window, "Export", folder, "CSV file (*.csv)", suffix="csv", name="b.csv")


def palette(window: MainWindow, _folder: Path) -> QWidget:
    window.open_palette()
    return window.palette_view


def keys(window: MainWindow, _folder: Path) -> QWidget:
    window.toggle_keys()
    return window.keys


def tray(window: MainWindow, _folder: Path) -> QWidget:
    """With a job that waits for another one, as on a busy machine."""
    window.tray.show_job(JobSnapshot(0, "edits", "", LONG, JobState.QUEUED, 0, waits_for=LONG))
    window.tray.toggle()
    return window.tray


DIALOGS: tuple[Make, ...] = (
    bug_report, follow_up, limits, libraries, places, messages, merge, paper, tuning, server, cluster, scores, share,
    erase, create, results, progress, guidelines, question, number, file_to_save, palette, keys, tray,
)  # fmt: skip
OF_QT = {question, number, file_to_save}
"""Qt names the parts of its own dialogs and lays them out; only their colours are ours."""


def test_every_dialog_is_looked_at() -> None:
    kinds = {
        node.name
        for file in APP.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and {"QDialog", "TypingDialog"} & {getattr(base, "id", "") for base in node.bases}
    } - {"TypingDialog"}
    text = Path(__file__).read_text(encoding="utf-8")
    assert kinds and not [kind for kind in kinds if f"return {kind}(" not in text]


def each(window: MainWindow, folder: Path, kinds: Sequence[Make] = DIALOGS) -> Iterator[tuple[Make, QWidget]]:
    """Shows one dialog after the other over the sample project."""
    for make in kinds:
        (place := folder / f"{make.__name__}-{theme().zoom}").mkdir()
        dialog = make(window, place)
        dialog.show()
        laid_out(dialog)
        yield make, dialog
        dialog.close()


def test_names_and_tab_reach_every_control(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """Each has a name and a role, and Tab reaches each that takes it, and shows where it is."""
    for make, dialog in each(window, tmp_path):
        assert not isinstance(dialog, QDialog) or make in OF_QT or dialog.accessibleName() or dialog.windowTitle()
        if make not in OF_QT:
            assert_named(dialog)
        dialog.window().activateWindow()
        qtbot.waitUntil(dialog.window().isActiveWindow)
        if (focus := dialog.window().focusWidget()) is None or not dialog.isAncestorOf(focus):
            dialog.setFocus()
        reached: set[QWidget] = set()
        for _ in range(120):
            QTest.keyClick(dialog.window().focusWidget() or dialog, Qt.Key.Key_Tab)
            now = dialog.window().focusWidget()
            if now is None or now in reached:
                break
            reached.add(now)
        for widget in {*controls(dialog)} & {*in_sight(dialog)}:
            role, name, _value = spoken(widget)
            assert role not in SILENT and (name or make in OF_QT), (make, widget)
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isEnabled():
                assert {widget, widget.focusProxy()} & reached, f"{make.__name__}: {spoken(widget)} is not reached"
        assert_focus_seen(dialog)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_text_is_faint(window: MainWindow, tmp_path: Path, scheme: Literal["light", "dark"]) -> None:
    with plain_letters():
        theme().configure(scheme)
        found = {make.__name__: texts for make, dialog in each(window, tmp_path) if (texts := faint(dialog))}
    assert not found


@pytest.mark.parametrize("scale", SCALES)
def test_no_text_is_cut(window: MainWindow, tmp_path: Path, scale: float) -> None:
    """A dialog is made at the text size in use; one that is open follows no other size."""
    found = {}
    theme().configure(zoom=scale)
    for make, dialog in each(window, tmp_path):
        texts = [] if make in OF_QT else cut(dialog)
        if dialog.isWindow() and (dialog.width() > 1280 or dialog.height() > 800):
            texts.append(f"{dialog.size().toTuple()} on a screen of 1280 x 800")
        if texts:
            found[make.__name__] = texts
    assert not found
