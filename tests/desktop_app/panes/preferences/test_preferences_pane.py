"""The preferences pane: one key a pair, instant undo, sides and times kept, work without the mouse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.headless import settle
from desktop_app.panes.preferences import state
from desktop_app.panes.preferences.pane import PreferencesPane
from desktop_app.theme import theme
from desktop_app.window import MainWindow
from engine.project import Project
from engine.rebuttal.preferences.annotators import habits
from engine.rebuttal.preferences.records import NewCluster, NewSentence, Plan
from engine.rebuttal.preferences.scheduler import expected_pairs
from engine.rebuttal.preferences.store import PreferenceStore
from engine.rebuttal.store import RebuttalStore
from engine.shown import percent
from tests.desktop_app.looks import sideways
from tests.desktop_app.pane_cases import PaneCases, assert_named
from tests.desktop_app.panes.preferences.judged import WAYS, Key, judgements, new_cluster, numbered, press, ranked, show


class TestCases(PaneCases):
    pane_id = "preferences"
    huge = 300

    def fill(self, project: Project, count: int) -> None:
        PreferenceStore(project).add_clusters([new_cluster(6, f"theme {n}") for n in range(count)])


def test_five_keys_decide_and_move_on(pane: PreferencesPane) -> None:
    assert pane.state.opened is not None and pane.state.store is not None
    pair = pane.state.opened.pair
    assert pair is not None
    assert pane.judging.left.toPlainText() == pane.state.opened.candidates[pair.left_id].candidate.text
    assert pane.judging.right.toPlainText() == pane.state.opened.candidates[pair.right_id].candidate.text
    pane.window().grab()
    press(pane, Key.Key_F, Key.Key_G, Key.Key_H, Key.Key_J, Key.Key_S)
    assert judgements(pane) == ("left", "tie", "unsuitable", "right", "skip")
    first = pane.state.store.judgements(pane.state.opened.cluster.id)[0]
    assert (first.left_id, first.right_id) == (pair.left_id, pair.right_id)
    assert first.milliseconds is not None and not first.repeat
    assert pane.status_text.startswith("4 of about")
    for _ in range(2):  # as it was judged, and as it is read
        assert "4 judged" in pane.list.rows.model().index(0, 0).data(int(Qt.ItemDataRole.AccessibleTextRole))
        pane.refresh_now()
    assert [entry.title.split()[0] for entry in pane.context.bridge.opened.history()][:2] == ["Skip", "Prefer"]
    assert_named(pane)


def test_the_median_is_that_of_the_table_of_annotators(pane: PreferencesPane) -> None:
    opened = pane.state.opened
    assert opened is not None and pane.state.store is not None
    for (one, two), seconds in zip(opened.queue.pairs[:2], (1, 3), strict=True):
        pane.state.store.judge(opened.cluster.id, one, two, "tie", milliseconds=seconds * 1000)
    opened = pane.state.opened
    assert opened is not None and "median 2.0 s per pair" in opened.summary()
    assert habits("", opened.own).median_seconds == 2.0


def test_undo_brings_the_same_pair_back_with_the_same_sides(pane: PreferencesPane) -> None:
    assert pane.state.opened is not None
    seen = []
    for key in (Key.Key_F, Key.Key_J, Key.Key_G):
        seen.append(pane.state.opened.pair)
        press(pane, key)
    for pair in reversed(seen):
        press(pane, Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
        assert pane.state.opened.pair == pair
        assert pair is not None
        assert pane.judging.left.toPlainText() == pane.state.opened.candidates[pair.left_id].candidate.text
    assert judgements(pane) == ()


def test_a_note_is_kept_with_the_decision(pane: PreferencesPane, qtbot: QtBot) -> None:
    assert pane.state.opened is not None and pane.state.store is not None
    press(pane, Key.Key_M)
    qtbot.keyClicks(pane.judging.note, "both fj")
    assert judgements(pane) == (), "keys belong to the note while it is written"
    press(pane, Key.Key_Return, Key.Key_F)
    press(pane, Key.Key_S, modifier=Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(pane.judging.note, "odd pair")
    press(pane, Key.Key_Return)
    kept = pane.state.store.judgements(pane.state.opened.cluster.id)
    assert [(j.answer, j.note) for j in kept] == [("left", "both fj"), ("skip", "odd pair")]
    assert pane.judging.note.text() == "" and pane.judging.hasFocus()


def test_a_note_on_a_skipped_pair_is_cleared_when_the_pair_comes_at_once_again(pane: PreferencesPane) -> None:
    pane.state.verbs.set_plan(pane.state.key, Plan(repeats=0.0))
    opened = present(pane.state.opened)
    while opened.step.judged < opened.step.total - 1:
        pane.judge("left")
    last = present(opened.pair)
    pane.judging.note.setText("not today")
    pane.judge("skip")
    assert opened.pair == last and pane.judging.note.text() == ""


def test_a_cluster_is_judged_to_its_end_and_the_next_follows(pane: PreferencesPane) -> None:
    assert pane.state.opened is not None
    total = pane.state.opened.step.total
    assert total >= 10, "five candidates are ten pairs"
    press(pane, *[Key.Key_F] * total)
    assert pane.state.opened.pair is None and "judged" in pane.judging.left.toPlainText()
    assert pane.status_text == f"{total} pairs judged"
    before = judgements(pane)
    press(pane, Key.Key_F)
    assert judgements(pane) == before, "nothing is judged where nothing is shown"
    theme().configure(zoom=1.5)
    pane.window().resize(1280, 800)
    window = pane.window()
    assert isinstance(window, MainWindow)
    settle(window)
    assert sideways(pane) == []
    press(pane, Key.Key_Space)
    assert pane.state.opened.cluster.theme == "results" and pane.state.opened.pair is not None
    for card in (pane.judging.left, pane.judging.right):
        assert card.verticalScrollBar().maximum() == 0, "the texts to compare are visible as a whole"
    pane.judging.resize(pane.judging.width(), 571)  # with a message of two lines
    assert pane.judging._sentences.height() <= 571 // 6, "the texts to compare get the room"
    press(pane, Key.Key_P)
    assert pane.state.opened.cluster.theme == "overall"


def test_a_cluster_is_made_named_and_deleted(pane: PreferencesPane, qtbot: QtBot) -> None:
    from desktop_app.panes.preferences.candidates_view import ClusterDialog

    assert pane.state.store is not None
    pane.add_cluster()
    dialog = pane.findChild(ClusterDialog)
    assert dialog is not None
    assert_named(dialog)
    dialog.candidates.setPlainText("We added it.\n\nWe added it.\nIt is in there now.")
    assert not dialog.ok.isEnabled() and "Enter an aspect" in dialog.missing.text(), "what was typed isn't lost"
    dialog.boxes["root"].setEditText("Substance")
    dialog.boxes["action"].setEditText("Task done")
    assert not dialog.missing.text()
    dialog.ok.click()
    made = pane.state.store.clusters()[-1]
    assert (made.root, made.theme, made.action) == ("substance", "", "task_done")
    assert pane.state.opened is not None and pane.state.opened.cluster == made and pane.state.opened.step.total >= 1
    pane.rename_cluster()
    naming = next(d for d in pane.findChildren(ClusterDialog) if d.isVisible())
    naming.boxes["theme"].setEditText("Results")
    naming.ok.click()
    assert pane.state.store.clusters()[-1].theme == "results"
    pane.context.commands.run("preferences.delete_cluster")
    assert len(pane.state.store.clusters()) == 2


@pytest.mark.parametrize(
    ("cluster", "shown"),
    [
        (NewCluster("clarity", "", ""), ("Clarity", "0 candidates")),
        (NewCluster("", "", "task_done"), ("task done", "0 candidates")),
        (NewCluster("clarity", "results", "task_done"), ("Clarity · Results", "“task done” · 0 candidates")),
    ],
)
def test_a_cluster_is_listed_by_what_it_has(pane: PreferencesPane, cluster: NewCluster, shown: tuple[str, str]) -> None:
    assert pane.state.store is not None
    pane.state.store.add_clusters([cluster])
    listed = pane.list.rows.model()
    text = listed.index(listed.rowCount() - 1, 0).data(int(Qt.ItemDataRole.AccessibleTextRole))
    assert text == ". ".join(shown)


def test_escape_leaves_the_note_and_its_words_stay(pane: PreferencesPane, qtbot: QtBot) -> None:
    assert pane.state.opened is not None and pane.state.store is not None
    press(pane, Key.Key_S, modifier=Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(pane.judging.note, "unsure")
    press(pane, Key.Key_Escape)
    assert pane.judging.hasFocus() and judgements(pane) == ()
    pane.mark_dirty()
    assert pane.judging.note.text() == "unsure", "a refresh isn't another pair"
    for row, note in ((1, ""), (0, "unsure")):
        pane.list.rows.select_row(row)
        assert pane.judging.note.text() == note
    press(pane, Key.Key_M, Key.Key_Return)
    assert judgements(pane) == (), "Escape took back that the pair shall be skipped"
    press(pane, Key.Key_J)
    (kept,) = pane.state.store.judgements(pane.state.opened.cluster.id)
    assert kept.note == "unsure" and kept.answer == "right"
    assert pane.judging.note.text() == "" and not any(pane.judging.notes.values())


def test_clusters_and_candidates_are_searched(pane: PreferencesPane) -> None:
    assert pane.state.opened is not None
    pane.search("RESULTS clar")
    assert pane.list.rows.currentIndex().row() == 1 and pane.state.opened.cluster.theme == "results"
    pane.search("concede")
    assert pane.list.rows.currentIndex().row() == 1, "the row at hand fits already"
    pane.search_next()
    assert pane.list.rows.currentIndex().row() == 0
    pane.search("nowhere")
    assert pane.list.rows.currentIndex().row() == 0
    show(pane, 2)
    pane.search("four ways")
    assert pane.candidates.candidate is not None and "in four ways" in pane.candidates.candidate.candidate.text


def test_done_is_said_by_a_key(pane: PreferencesPane) -> None:
    press(pane, Key.Key_D, modifier=Qt.KeyboardModifier.ShiftModifier)
    assert pane.annotator.is_done() and "✓ done" in pane.annotator.text()
    assert str(pane.list.rows.model().index(0, 0).data(int(Qt.ItemDataRole.AccessibleTextRole))).endswith(" · done")
    press(pane, Key.Key_D, modifier=Qt.KeyboardModifier.ShiftModifier)
    assert not pane.annotator.is_done()


def test_a_long_name_with_its_state_has_room_in_large_text(window: MainWindow, pane: PreferencesPane) -> None:
    pane.context.act_as("Maximiliane with a second name and a third")
    press(pane, Key.Key_D, modifier=Qt.KeyboardModifier.ShiftModifier)
    assert "… ✓ done" in pane.annotator.text()
    theme().configure(zoom=1.75)
    window.resize(1280, 800)
    settle(window)
    assert not sideways(pane)


def test_the_adaptive_schedule_says_what_it_asks_and_what_it_found(
    pane: PreferencesPane, window: MainWindow, qtbot: QtBot
) -> None:
    assert pane.state.store is not None and pane.state.opened is not None
    (key,) = [
        cluster.id
        for cluster in pane.state.store.add_clusters([NewCluster("clarity", "analysis", "answer", (), numbered(10))])
    ]
    pane.refresh_now()
    pane.list.rows.select_row(2)
    assert pane.state.opened.cluster.id == key
    expected = pane.candidates._expected
    assert expected.text().startswith("All 45 pairs")
    pane.candidates.schedule.setCurrentIndex(1)
    low, high = expected_pairs(10)
    assert low < high < 45 and expected.text().startswith(f"About {low} of 45 pairs") and f"{high} " in expected.text()
    assert "order of the others isn't determined" in expected.text()
    while pane.state.opened.pair is not None:
        press(pane, Key.Key_F if pane.state.opened.text_left < pane.state.opened.text_right else Key.Key_J)
    asked = len({judgement.pair for judgement in pane.state.opened.own})
    assert f"{asked} of 45 pairs" in pane.judging.left.toPlainText()
    assert f"{percent(1 - asked / 45)} fewer" in pane.judging.left.toPlainText()
    assert pane.judging.right.toPlainText().endswith("in way number 0.")
    show(pane, 3)
    ranked(pane, qtbot)
    assert "chosen to find the winner" in pane.ranking.warnings.text()
    show(pane, 1)
    pane.list.rows.select_row(1)
    assert "3 candidates" in pane.list.rows.model().index(1, 0).data(int(Qt.ItemDataRole.ToolTipRole))
    pane.candidates.schedule.setCurrentIndex(1)
    assert "saves little" in expected.text()


def test_candidates_that_tie_are_not_called_a_clear_winner(pane: PreferencesPane) -> None:
    assert pane.state.store is not None
    plan = Plan("adaptive", 0.0)
    (made,) = pane.state.store.add_clusters([NewCluster("clarity", "analysis", "answer", (), numbered(5))])
    pane.state.store.set_plan(made.id, plan)
    pane.state.key = made.id
    pane.refresh_now()
    while pane.state.opened is not None and pane.state.opened.pair is not None:
        press(pane, Key.Key_G)
    words = pane.judging.left.toPlainText()
    assert words.startswith("A candidate that wins or ties for first is known") and "clear" not in words
    assert "this one would win or tie for first" in pane.judging.right.toPlainText()


def test_judgements_are_written_without_a_look_at_the_ranking(
    pane: PreferencesPane, qtbot: QtBot, tmp_path: Path
) -> None:
    press(pane, Key.Key_F)
    assert pane.state.study is None and pane.context.commands.enabled("preferences.export_judgements")
    pane.files.export("judgements", tmp_path / "p.csv")
    qtbot.waitUntil(lambda: len(list(tmp_path.glob("*.csv"))) == 1, timeout=20_000)
    assert len(next(tmp_path.glob("*.csv")).read_text(encoding="utf-8").splitlines()) == 2
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy())


def written(pane: PreferencesPane, qtbot: QtBot) -> None:
    """The first figures of a process import what draws them, which may take half a minute while others compute."""
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy(), timeout=120_000)
    settle(pane.window())


def test_the_ranking_shows_its_doubt_and_is_written(
    pane: PreferencesPane, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pane.state.opened is not None and pane.project is not None
    press(pane, *[Key.Key_F] * 12)
    show(pane, 3)
    ranked(pane, qtbot)
    assert pane.state.study is not None
    rows = pane.state.study.ranking.rows
    assert len(rows) == 5 and "side was preferred" in pane.ranking.warnings.text()
    assert "between" in pane.ranking.bars.model().index(0, 0).data(int(Qt.ItemDataRole.AccessibleTextRole))
    pane.ranking.bars.setFocus()
    press(pane, Key.Key_Down)
    assert pane.ranking.candidate_id == pane.state.study.items[rows[1].item]
    assert pane.ranking.text.text() == pane.state.study.texts[pane.state.study.items[rows[1].item]]
    assert not pane.grab().isNull()
    pane.choose_method("bradley-terry")
    qtbot.waitUntil(
        lambda: pane.state.study is not None and pane.state.study.ranking.method == "bradley-terry", timeout=30_000
    )
    assert "side effect" in pane.ranking._summary.text()
    folder = tmp_path / "out"
    folder.mkdir()
    stems: list[str] = []
    monkeypatch.setattr(pane.context.files, "save_file", lambda _parent, _title, stem, _ending: stems.append(stem))
    for kind in ("clusters", "ranking"):
        assert pane.context.commands.run(f"preferences.export_{kind}")
    assert stems == ["preferences", "Clarity, Overall, concede criticism"], "not the files of another cluster again"
    for format_, count in (("judgements", 1), ("crowd-kit", 3), ("ranking", 6), ("figures", 10), ("clusters", 11)):
        pane.files.export(format_, folder / ("clusters.csv" if format_ == "clusters" else "p.csv"))
        written(pane, qtbot)
        assert len(list(folder.iterdir())) == count, format_
    pane.files.export("jitsupeer", folder / "jitsupeer")
    written(pane, qtbot)
    assert any("to the folder “jitsupeer”" in notice.what for notice in pane.banner.notices)
    assert len(list((folder / "jitsupeer").rglob("*.tsv"))) == 3
    press(pane, Key.Key_T)
    (template,) = RebuttalStore(pane.project).library.templates()
    assert template.roots == ("clarity",) and template.score is not None and "rank" in template.provenance
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy())
    assert_named(pane)


def test_a_ranking_that_is_cancelled_can_be_calculated_again(
    pane: PreferencesPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    press(pane, Key.Key_F, Key.Key_F)
    go_on, whole = Event(), state.read_study
    monkeypatch.setattr(state, "read_study", lambda *given: go_on.wait(20) and whole(*given))
    show(pane, 3)
    assert not pane.ranking.warnings.isVisibleTo(pane) and pane.ranking.bars._message == "Calculating…"
    pane.context.bridge.cancel_job(max(pane.context.bridge._handles))
    go_on.set()
    qtbot.waitUntil(lambda: any("was cancelled" in notice.what for notice in pane.banner.notices), timeout=20_000)
    assert pane.ranking.bars._message == ""
    monkeypatch.undo()
    again = next(button for button in pane.banner.findChildren(QPushButton) if button.text() == "Calculate again")
    qtbot.mouseClick(again, Qt.MouseButton.LeftButton)
    ranked(pane, qtbot)
    assert not any("was cancelled" in notice.what for notice in pane.banner.notices)


def test_two_annotators_meet_when_both_are_done(pane: PreferencesPane, qtbot: QtBot) -> None:
    assert pane.state.opened is not None and pane.project is not None and pane.state.store is not None
    press(pane, *[Key.Key_F] * 8)
    pane.annotator.toggle_done()
    pane.context.act_as("Ben")
    press(pane, *[Key.Key_F] * 2, *[Key.Key_G] * 6)  # ties differ, on whichever side Ada's choices were
    show(pane, 4)
    ranked(pane, qtbot)
    assert pane.state.study is not None
    assert pane.state.study.agreement.annotators == (pane.project.annotator_id,) and pane.state.study.hidden == 1
    last = pane.annotators.people.item(0, pane.annotators.people.columnCount() - 1)
    assert last is not None and last.text() == "–", "one annotator alone has no competence"
    assert not pane.annotators.kappas.isVisible()
    pane.annotator.toggle_done()
    qtbot.waitUntil(lambda: pane.state.study is not None and len(pane.state.study.agreement.annotators) == 2)
    found = pane.state.study.agreement
    assert pane.annotators.people.rowCount() == 2 and found.overlap > 0
    assert found.disagreements
    assert pane.annotators.kappas.isVisible() and "can decide it below" in pane.annotators._summary.text()
    first = pane.annotators.disagreement
    assert first is not None
    pane.annotators.list.setFocus()
    press(pane, Key.Key_2)
    assert pane.state.store.adjudications(pane.state.opened.cluster.id) == {}, "Ben is a party"
    assert pane.annotators._why.isVisible()
    pane.context.act_as("Dea")
    pane.annotator.toggle_done()
    qtbot.waitUntil(lambda: pane.state.study is not None and len(pane.state.study.agreement.disagreements) > 0)
    pane.annotators.list.setFocus()
    first = pane.annotators.disagreement
    assert first is not None and not pane.annotators._why.isVisible()
    press(pane, Key.Key_2)
    assert pane.state.store.adjudications(pane.state.opened.cluster.id)[first.pair].verdict == "second"
    qtbot.waitUntil(
        lambda: pane.state.study is not None and pane.state.study.agreement.disagreements[0].decided == "second"
    )
    press(pane, Key.Key_R)
    assert pane.state.store.adjudications(pane.state.opened.cluster.id) == {}
    ranked(pane, qtbot)
    press(pane, Key.Key_C)
    assert pane.state.store.cluster(pane.state.opened.cluster.id).basis == "all", "nobody is known to be more competent"
    assert "competence can't be estimated" in pane.annotators._summary.text()
    people = pane.annotators.people
    cells = [people.item(at, people.columnCount() - 1) for at in range(2)]
    assert [cell.text() for cell in cells if cell is not None] == ["–", "–"]
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy())
    assert_named(pane)


def test_clusters_and_judgements_come_from_files(pane: PreferencesPane, qtbot: QtBot, tmp_path: Path) -> None:
    assert pane.state.opened is not None and pane.state.store is not None
    table = tmp_path / "clusters.csv"
    table.write_text("descs,scores\nToo few runs.,0.5\n")
    pane.files.import_from(table)
    qtbot.waitUntil(lambda: bool(pane.banner.notices))
    assert "item_a,item_b,winner,annotator, that of clusters root,theme,action,kind,text" in pane.banner.notices[0].do
    table.write_text(
        "root,theme,action,kind,text\nsubstance,results,task_done,sentence,Too few runs.\n"
        "substance,results,task_done,candidate,We did more.\nsubstance,results,task_done,candidate,We ran ten.\n"
        "substance,results,task_done,remark,Of no known kind.\n"
    )
    pane.files.import_from(table)
    qtbot.waitUntil(lambda: pane.state.opened is not None and pane.state.opened.cluster.root == "substance")
    assert len(pane.state.opened.judged) == 2
    said = "1 cluster was imported from clusters.csv, with 1 problem."
    qtbot.waitUntil(lambda: said in {notice.what for notice in pane.banner.notices})
    preferences = tmp_path / "preferences.csv"
    preferences.write_text("item_a,item_b,winner,annotator\nWe did more.,We ran ten.,We ran ten.,Eva\n")
    pane.files.import_from(preferences)
    qtbot.waitUntil(
        lambda: pane.state.store is not None and bool(pane.state.store.judgements(pane.state.opened.cluster.id))
    )
    (made,) = pane.state.store.judgements(pane.state.opened.cluster.id)
    assert made.answer == "right" and dict(pane.project.annotators())[made.annotator_id] == "Eva"
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("a,b\n1,2\n")
    pane.files.import_from(wrong)
    qtbot.waitUntil(lambda: any("no column" in notice.what for notice in pane.banner.notices))
    pane.from_labels()
    qtbot.waitUntil(lambda: any("No aspect and theme" in notice.what for notice in pane.banner.notices))
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy())


def test_large_text_shows_both_texts_as_a_whole_at_the_cost_of_the_review_sentences(pane: PreferencesPane) -> None:
    window, store = pane.window(), present(pane.state.store)
    assert isinstance(window, MainWindow)
    long = tuple(
        NewSentence(
            f"Thank you for this remark; in {way} places we say much more about each single step and why it is there."
        )
        for way in WAYS
    )
    store.add_clusters([replace(new_cluster(0, "datasets"), candidates=long)])
    window.resize(1280, 800)
    theme().configure(zoom=1.5)
    settle(window)
    press(pane, Key.Key_N, Key.Key_N)
    settle(window)
    for card in (pane.judging.left, pane.judging.right):
        assert card.toPlainText().startswith("Thank you") and card.verticalScrollBar().maximum() == 0
