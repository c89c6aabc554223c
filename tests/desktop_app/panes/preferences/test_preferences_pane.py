"""The preferences pane: one key a pair, instant undo, sides and times kept, work without the mouse."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop_app.panes.preferences.pane import PreferencesPane
from desktop_app.window import MainWindow
from engine.project import Project
from engine.rebuttal.preferences.records import NewCluster, NewSentence
from engine.rebuttal.preferences.store import PreferenceStore
from tests.desktop_app.pane_cases import PaneCases, assert_named

Key = Qt.Key


def new_cluster(candidates: int = 5, theme: str = "overall") -> NewCluster:
    return NewCluster(
        "clarity",
        theme,
        "concede_criticism",
        tuple(NewSentence(f"Part {n} of the paper is hard to follow.") for n in range(7)),
        tuple(NewSentence(f"We agree, and we will make part {n} clearer.") for n in range(candidates)),
        "The paper is not easy to follow.",
    )


class TestCases(PaneCases):
    pane_id = "preferences"
    huge = 300

    def fill(self, project: Project, count: int) -> None:
        PreferenceStore(project).add_clusters([new_cluster(6, f"theme {n}") for n in range(count)])


@pytest.fixture
def pane(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> PreferencesPane:
    path = tmp_path / "pairs.rejoinder"
    with Project.create(path, "Pairs", "Ada") as project:
        PreferenceStore(project).add_clusters([new_cluster(5), new_cluster(3, "results")])
    window.settings.set("annotator.name", "Ada")
    assert window.open_path(str(path))
    window.show_pane("preferences")
    found = window.panes["preferences"]
    assert isinstance(found, PreferencesPane)
    with qtbot.waitActive(window):
        window.activateWindow()
    found.take_focus()
    return found


def press(pane: PreferencesPane, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in keys:
        QTest.keyClick(pane.window().focusWidget() or pane, key, modifier)


def judgements(pane: PreferencesPane) -> tuple[str, ...]:
    assert pane.store is not None and pane.desk is not None
    return tuple(j.answer for j in pane.store.judgements(pane.desk.cluster.id))


def test_five_keys_decide_and_move_on(pane: PreferencesPane) -> None:
    assert pane.desk is not None and pane.store is not None
    pair = pane.desk.pair
    assert pair is not None
    assert pane.judging.left.toPlainText() == pane.desk.candidates[pair.left_id].text
    assert pane.judging.right.toPlainText() == pane.desk.candidates[pair.right_id].text
    pane.window().grab()
    press(pane, Key.Key_F, Key.Key_G, Key.Key_H, Key.Key_J, Key.Key_S)
    assert judgements(pane) == ("left", "tie", "unsuitable", "right", "skip")
    first = pane.store.judgements(pane.desk.cluster.id)[0]
    assert (first.left_id, first.right_id) == (pair.left_id, pair.right_id)
    assert first.milliseconds is not None and not first.repeat
    assert pane.status_text.startswith("4 of about")
    assert_named(pane)


def test_undo_brings_the_same_pair_back_with_the_same_sides(pane: PreferencesPane) -> None:
    assert pane.desk is not None
    seen = []
    for key in (Key.Key_F, Key.Key_J, Key.Key_G):
        seen.append(pane.desk.pair)
        press(pane, key)
    for pair in reversed(seen):
        press(pane, Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
        assert pane.desk.pair == pair
        assert pair is not None
        assert pane.judging.left.toPlainText() == pane.desk.candidates[pair.left_id].text
    assert judgements(pane) == ()


def test_a_note_is_kept_with_the_decision(pane: PreferencesPane, qtbot: QtBot) -> None:
    assert pane.desk is not None and pane.store is not None
    press(pane, Key.Key_M)
    qtbot.keyClicks(pane.judging.note, "both fj")
    assert judgements(pane) == (), "keys belong to the note while it is written"
    press(pane, Key.Key_Return, Key.Key_F)
    press(pane, Key.Key_S, modifier=Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(pane.judging.note, "odd pair")
    press(pane, Key.Key_Return)
    kept = pane.store.judgements(pane.desk.cluster.id)
    assert [(j.answer, j.note) for j in kept] == [("left", "both fj"), ("skip", "odd pair")]
    assert pane.judging.note.text() == "" and pane.judging.hasFocus()


def test_a_cluster_is_judged_to_its_end_and_the_next_follows(pane: PreferencesPane) -> None:
    assert pane.desk is not None
    total = pane.desk.step.total
    assert total >= 10, "five candidates are ten pairs"
    press(pane, *[Key.Key_F] * total)
    assert pane.desk.pair is None and "judged" in pane.judging.left.toPlainText()
    before = judgements(pane)
    press(pane, Key.Key_F)
    assert judgements(pane) == before, "nothing is judged where nothing is shown"
    press(pane, Key.Key_Space)
    assert pane.desk.cluster.theme == "results" and pane.desk.pair is not None
    press(pane, Key.Key_P)
    assert pane.desk.cluster.theme == "overall"


def test_a_cluster_is_made_named_and_deleted(pane: PreferencesPane, qtbot: QtBot) -> None:
    from desktop_app.panes.preferences.cluster_dialog import ClusterDialog

    assert pane.store is not None
    pane.add_cluster()
    dialog = pane.findChild(ClusterDialog)
    assert dialog is not None
    assert_named(dialog)
    dialog.boxes["root"].setEditText("Substance")
    dialog.boxes["action"].setEditText("Task done")
    dialog.candidates.setPlainText("We added it.\n\nWe added it.\nIt is in there now.")
    dialog.accept()
    made = pane.store.clusters()[-1]
    assert (made.root, made.theme, made.action) == ("substance", "", "task_done")
    assert pane.desk is not None and pane.desk.cluster == made and pane.desk.step.total >= 1
    pane.rename_cluster()
    naming = next(d for d in pane.findChildren(ClusterDialog) if d.isVisible())
    naming.boxes["theme"].setEditText("Results")
    naming.accept()
    assert pane.store.clusters()[-1].theme == "results"
    pane.delete_cluster()
    assert len(pane.store.clusters()) == 2
