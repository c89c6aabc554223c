"""Work packages as people use them: dealt by a lead, worked on, sent back, previewed, imported, looked at."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop_app import main
from desktop_app.panes.labels.pane import LabelsPane
from desktop_app.panes.preferences.state import read_cluster
from desktop_app.project_control import openable
from desktop_app.widgets.labels import HtmlLabel
from desktop_app.window import MainWindow
from desktop_app.work_package_dialogs import (
    CreateDialog,
    GuidelinesDialog,
    ImportDialog,
    ProgressDialog,
    Wanted,
    people_of,
)
from engine.operations.packages import Plan, open_package
from engine.packages.records import Settings
from engine.packages.store import WorkStore
from engine.project import Project
from engine.rebuttal.preferences.store import PreferenceStore
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from tests.engine.operations.packaged import at, dealt, lead_project


@pytest.fixture
def lead(window: MainWindow, tmp_path: Path) -> Project:
    path = tmp_path / "lead.rejoinder"
    lead_project(path).close()
    assert window.open_path(path)
    project = window.bridge.project
    assert project is not None
    window.control.act_as("Lea")
    return project


def said(window: MainWindow, qtbot: QtBot, words: str) -> None:
    qtbot.waitUntil(lambda: any(words in f"{one.what} {one.means}" for one in window.banner.notices), timeout=20_000)


def test_a_lead_deals_imports_and_sees_progress(
    window: MainWindow, lead: Project, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not window.commands.enabled("packages.import") and not window.commands.enabled("packages.results")
    window.run_command("packages.create")
    (dialog,) = window.findChildren(CreateDialog)
    assert dialog.focusWidget() is dialog.role
    dialog.people.setPlainText("Ann\n\n  Ann \n")
    assert not dialog.buttons.ok.isEnabled(), "two people are needed where items are given to two"
    assert dialog.about.text().endswith("Enter at least 2 names.") and not dialog.about.visibleRegion().isEmpty()
    dialog.people.setPlainText("Ann\nBen")
    assert dialog.buttons.ok.isEnabled() and "at least" not in dialog.about.text()
    dialog.raters.setValue(3)
    assert not dialog.buttons.ok.isEnabled(), "and three where items are given to three"
    assert dialog.choice().plan.settings.raters == 3
    dialog.overlap.setValue(0)
    assert dialog.buttons.ok.isEnabled() and not dialog.raters.isEnabled()
    dialog.raters.setValue(2)
    dialog.task.setCurrentIndex(dialog.task.findData("sentences"))
    dialog.overlap.setValue(100)
    QTest.keyClick(dialog.people, Qt.Key.Key_Tab)
    assert "\t" not in dialog.people.toPlainText(), "Tab leads on"
    dialog.guidelines.setPlainText("Read <b>all</b> of it.")
    over: list[QWidget] = []
    monkeypatch.setattr(window.context.files, "choose_folder", lambda parent, _title: over.append(parent))
    dialog.accept()
    assert over == [dialog] and dialog.isVisible(), "without a folder, what was typed isn't lost"
    monkeypatch.setattr(window.context.files, "choose_folder", lambda *_: tmp_path / "out")
    dialog.accept()
    said(window, qtbot, "Saved: ann.rejoinder-package")
    packages = sorted((tmp_path / "out").glob("*.rejoinder-package"))
    assert [one.stem for one in packages] == ["ann", "ben"]
    files = [
        at(one, tmp_path / f"{one.stem}.rejoinder", lambda person: [person.decide(n, n) for n in range(4)])
        for one in packages
    ]
    monkeypatch.setattr(window.context.files, "open_files", lambda *_: files)
    window.run_command("packages.import")
    qtbot.waitUntil(lambda: bool(window.findChildren(ImportDialog)), timeout=20_000)
    (preview,) = window.findChildren(ImportDialog)
    assert [preview.table.item(row, 2).text() for row in range(2)] == ["4", "4"]  # type: ignore[union-attr]
    assert WorkStore(lead).returns() == (), "a preview imports nothing"
    preview.accept()
    said(window, qtbot, "Results were imported.")
    assert len(WorkStore(lead).returns()) == 2
    window.run_command("packages.progress")
    qtbot.waitUntil(lambda: bool(window.findChildren(ProgressDialog)), timeout=20_000)
    (progress,) = window.findChildren(ProgressDialog)
    table = progress.tables[0]
    assert [table.item(row, 0).text() for row in range(2)] == ["Ann", "Ben"]  # type: ignore[union-attr]
    assert table.item(0, 2).text().startswith("4 of ")  # type: ignore[union-attr]
    assert table.item(0, 3).text() == "–", "four decisions are no pace"  # type: ignore[union-attr]
    assert table.horizontalHeaderItem(2).text() == "With labels"  # type: ignore[union-attr]
    progress.reject()
    before = lead.undo_title
    window.work_packages._import([str(one) for one in files[::-1]])
    said(window, qtbot, "There was nothing new to import.")
    assert lead.undo_title == before
    window.run_command("edit.undo")
    assert WorkStore(lead).returns() == ()


def test_a_lost_package_is_written_again_from_the_progress(
    window: MainWindow, lead: Project, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, ben = dealt(lead, tmp_path / "out", "sentences")
    first, _ = open_package(ben, tmp_path / "first.rejoinder")
    ben.unlink()
    window.run_command("packages.progress")
    qtbot.waitUntil(lambda: bool(window.findChildren(ProgressDialog)), timeout=20_000)
    (dialog,) = window.findChildren(ProgressDialog)
    (table,), (button,) = dialog.tables, dialog.rewriting
    assert not button.isEnabled(), "nobody is chosen"
    table.selectRow(1)
    monkeypatch.setattr(window.context.files, "choose_folder", lambda *_: tmp_path / "out")
    button.click()
    said(window, qtbot, "Saved: ben.rejoinder-package")
    again, _ = open_package(ben, tmp_path / "again.rejoinder")
    with Project.open(first) as one, Project.open(again) as other:
        assert WorkStore(one).own() == WorkStore(other).own()


def test_results_that_are_opened_or_dropped_are_shown_and_then_imported(
    window: MainWindow, lead: Project, tmp_path: Path, qtbot: QtBot
) -> None:
    files = [
        at(one, tmp_path / f"{one.stem}.rejoinder", lambda person: person.decide(0, 0))
        for one in dealt(lead, tmp_path / "out", "sentences")
    ]
    assert window.open_path(files[0], *files[1:])
    qtbot.waitUntil(lambda: bool(window.findChildren(ImportDialog)), timeout=20_000)
    (preview,) = window.findChildren(ImportDialog)
    assert preview.table.rowCount() == 2
    preview.accept()
    said(window, qtbot, "Results were imported.")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in (*files, tmp_path / "notes.txt")])
    assert openable(data) == files
    window.control.close()
    assert not window.open_path(files[0])
    said(window, qtbot, "no project with work packages is open")


def test_results_from_the_command_line_go_into_the_last_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a double click starts the program."""
    done: list[object] = []
    shown = SimpleNamespace(
        problems=SimpleNamespace(install=lambda: None),
        resume=lambda: done.append("resume"), open_path=done.append,
    )  # fmt: skip
    monkeypatch.setattr("desktop_app.window.MainWindow", lambda: shown)
    monkeypatch.setattr("desktop_app.window.application", lambda: SimpleNamespace(exec=lambda: 0))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(main, "show_whole", lambda _window: None)
    assert main.main(["a.rejoinder-results"]) == main.main(["a.rejoinder-package"]) == 0
    assert done == ["resume", "a.rejoinder-results", "a.rejoinder-package"]


def test_a_package_opens_with_its_items_alone_and_sends_them_back(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lead_project(tmp_path / "lead.rejoinder") as project:
        ann, _ = dealt(project, tmp_path / "out", "sentences", overlap=0.0, guidelines="Read <b>all</b> of it.")
        items = WorkStore(project).packages()[0].items
    assert window.open_path(ann)
    project = window.bridge.project
    said(window, qtbot, f"“Round of sentences”: {len(items)} sentences for Ann.")
    assert project is not None and project.path == ann.with_suffix(".rejoinder")
    assert dict(project.annotators())[project.annotator_id] == "Ann"
    assert not any("Who are you" in notice.what for notice in window.banner.notices)
    pane = window.panes["labels"]
    assert isinstance(pane, LabelsPane) and window.stack.shown is pane
    shown = [(s.labels.source_id, s.labels.span.start, s.labels.span.end) for s in pane.state.sentences]
    here = [tuple(item.split(":")) for item in items if item.startswith(pane.state.current)]
    assert [(source, str(start), str(end)) for source, start, end in shown] == here
    assert not window.commands.enabled("packages.create") and not window.commands.enabled("packages.import")
    window.run_command("packages.guidelines")
    (dialog,) = window.findChildren(GuidelinesDialog)
    (shown_text,) = dialog.findChildren(HtmlLabel)
    assert "&lt;b&gt;" in shown_text.text() and "<b>" not in shown_text.text(), "what a lead wrote runs nothing"
    dialog.reject()
    target = tmp_path / "back.rejoinder-results"
    monkeypatch.setattr(window.context.files, "save_file", lambda *_: target)
    pane.state.set_label(pane.state.sentences[0].labels, "polarity", ["negative"])
    window.run_command("packages.results")
    said(window, qtbot, "Saved: back.rejoinder-results")
    assert b"negative" in target.read_bytes()
    (note,) = window.banner.notices
    assert "still undecided. You haven't marked the reviews as done" in note.what, "what folded messages show, too"
    assert "undecided" not in note.means and "with your notes." in note.means
    assert window.open_path(tmp_path / "lead.rejoinder")
    assert note not in window.banner.notices, "it was about the package"


def test_the_training_set_says_what_was_right(window: MainWindow, tmp_path: Path) -> None:
    """Nothing beforehand; of a decision whether it is the lead's, and where not what the lead's is."""
    with lead_project(tmp_path / "lead.rejoinder") as project:
        dealt(project, tmp_path / "none", "sentences")
        of_lead = WorkStore(project).packages()[0].items[:2]
        for item in of_lead:
            source, start, end = item.split(":")
            LabelStore(project).set_label(source, Span(int(start), int(end)), "polarity", ["positive"])
        ann, _ = dealt(project, tmp_path / "out", "sentences", training=2)
    assert window.open_path(ann)
    pane = window.panes["labels"]
    assert isinstance(pane, LabelsPane)

    def feedback() -> str:
        window.run_command("packages.guidelines")
        dialog = window.findChildren(GuidelinesDialog)[-1]
        said = "\n".join(label.text() for label in dialog.findChildren(QLabel))
        dialog.reject()
        return said

    assert "0 of 2 correct, 2 not decided yet" in feedback() and "positive" not in feedback()
    first = pane.state.sentences[0].labels
    assert f"{first.source_id}:{first.span.start}:{first.span.end}" in of_lead
    pane.state.set_label(first, "polarity", ["negative"])
    assert "you chose polarity: negative; the correct answer is polarity: positive" in feedback()
    pane.state.set_label(first, "polarity", ["positive"])
    assert "1 of 2 correct, 1 not decided yet" in feedback() and ": correct" in feedback()


def test_pairs_are_those_of_the_package_in_its_order(tmp_path: Path) -> None:
    with lead_project(tmp_path / "lead.rejoinder") as project:
        ann, _ = dealt(project, tmp_path / "out", "pairs", overlap=0.0)
        items = WorkStore(project).packages()[0].items
    path, _ = open_package(ann)
    with Project.open(path, annotator="Ann") as package:
        store = PreferenceStore(package)
        pairs = read_cluster(package, store, store.clusters()[0].id).queue.pairs
    assert [":".join(pair) for pair in pairs] == list(items) and len(items) == 3


def test_a_damaged_package_is_a_message(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "broken.rejoinder-package"
    path.write_bytes(b"PK nothing")
    assert not window.open_path(path)
    assert any("broken.rejoinder-package" in notice.what for notice in window.banner.notices)


def test_what_cannot_be_dealt_is_a_message_and_leaves_nothing(
    window: MainWindow, lead: Project, tmp_path: Path, qtbot: QtBot
) -> None:
    plan = Plan("Too much", "reviews", ("Ann", "Ben"), Settings(), training=99)
    window.work_packages.create(Wanted(str(tmp_path / "out"), plan))
    said(window, qtbot, "training set")
    assert WorkStore(lead).rounds() == () and not list(tmp_path.glob("out/*"))


def test_names_are_one_to_a_line() -> None:
    assert people_of(" Ada  Lovelace\n\nBen\nBen\n") == ("Ada Lovelace", "Ben")


def test_a_field_that_is_typed_in_is_in_sight(window: MainWindow, lead: Project, qtbot: QtBot) -> None:
    window.resize(960, 560)
    window.run_command("packages.create")
    (create,) = window.findChildren(CreateDialog)
    create.activateWindow()
    field = create.guidelines
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    assert field.visibleRegion().boundingRect().height() < field.height(), "it begins at the foot of the page"
    QTest.keyClicks(field, "a")
    assert field.visibleRegion().boundingRect().size() == field.size()
    create.reject()


@pytest.mark.parametrize("steps", [0, 6])
def test_the_dialogs_fit_the_smallest_window(window: MainWindow, lead: Project, qtbot: QtBot, steps: int) -> None:
    window.resize(960, 560)
    for _ in range(steps):
        window.appearance.zoom(1)
    window.run_command("packages.create")
    (create,) = window.findChildren(CreateDialog)
    progress = ProgressDialog([], window)
    progress.open()
    for dialog in (create, progress):
        assert dialog.width() <= window.width() and dialog.height() <= window.height()
        assert all(button.isVisible() for button in dialog.buttons.buttons())
        dialog.reject()
