"""Candidates of a cluster: decided by scores and by hand, added, removed, offered by preference."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.panes.preferences.pane import PreferencesPane
from engine.rebuttal.preferences.records import Extract
from engine.rebuttal.store import RebuttalStore
from tests.desktop_app.pane_cases import assert_named
from tests.desktop_app.panes.preferences.judged import Key, judgements, press, show


def test_candidates_are_decided_by_scores_and_by_hand(pane: PreferencesPane, qtbot: QtBot) -> None:
    assert pane.state.opened is not None and pane.state.store is not None
    show(pane, 2)
    entry = pane.candidates.candidate
    assert entry is not None and entry.judged and "speaks for the authors" in pane.candidates.page.toPlainText()
    press(pane, Key.Key_X)
    assert not pane.state.opened.candidates[entry.candidate.id].judged and len(pane.state.opened.judged) == 4
    assert pane.candidates.candidate is not None and pane.candidates.candidate.candidate.id != entry.candidate.id
    pane.candidates.list.select_row(0)
    press(pane, Key.Key_0)
    assert len(pane.state.opened.judged) == 5
    pane.candidates.specific.setValue(0.01)
    pane.candidates.specific.editingFinished.emit()
    assert pane.state.opened.cluster.specific_to == 0.01 and len(pane.state.opened.judged) < 5
    press(pane, Key.Key_Y)
    assert pane.state.opened.candidates[entry.candidate.id].judged
    pane.candidates.schedule.setCurrentIndex(1)
    pane.candidates.team.setText("Ada, Ben")
    pane.candidates.team.editingFinished.emit()
    pane.candidates.team.clearFocus()
    assert pane.state.opened.cluster.plan.schedule == "adaptive" and pane.state.opened.step.confidence is not None
    assert_named(pane)


def test_texts_are_added_and_removed(pane: PreferencesPane, qtbot: QtBot) -> None:
    from desktop_app.panes.preferences.candidates_view import ClusterDialog

    assert pane.state.opened is not None and pane.state.store is not None
    show(pane, 2)
    pane.add_texts()
    dialog = pane.findChild(ClusterDialog)
    assert dialog is not None
    assert not dialog.ok.isEnabled() and dialog.missing.text() == "Enter a sentence or a candidate."
    dialog.sentences.setPlainText("One more is unclear.")
    dialog.candidates.setPlainText("It is in.")
    dialog.ok.click()
    assert len(pane.state.opened.sentences) == 8 and len(pane.state.opened.judged) == 6
    show(pane, 2)
    pane.candidates.list.select_row(5)
    pane.context.commands.run("preferences.remove_candidate")
    pane.candidates.sentences.select_row(7)
    pane.context.commands.run("preferences.remove_sentence")
    assert len(pane.state.opened.sentences) == 7 and len(pane.state.opened.candidates) == 5
    pane.find_candidates()
    qtbot.waitUntil(lambda: any("No more candidates" in notice.what for notice in pane.banner.notices))


def test_two_descriptions_are_chosen_blind(pane: PreferencesPane) -> None:
    assert pane.state.opened is not None and pane.state.store is not None
    key = pane.state.opened.cluster.id
    pane.state.store.keep_extract(key, Extract("s", "Part 3 of the paper is hard to follow.", 0.9, 7, "model:x@1"))
    pane.refresh_now()
    assert pane.state.opened.description == "" and not pane.judging.note.isEnabled()
    asked = pane.judging._description.text()
    assert asked.startswith("Which of the two describes") and asked.endswith("You wrote one of them yourself.")
    texts = {pane.judging.left.toPlainText(), pane.judging.right.toPlainText()}
    assert texts == {"Part 3 of the paper is hard to follow.", "The paper is not easy to follow."}
    left = pane.judging.left.toPlainText()
    press(pane, Key.Key_H, Key.Key_F)
    (choice,) = pane.state.store.choices(key)[key]
    assert {"written": choice.written, "extracted": choice.extracted}[choice.choice] == left
    assert pane.state.opened.description == left and pane.state.opened.descriptions is None and judgements(pane) == ()
    assert pane.judging._description.text() == f"“{left}”"
    press(pane, Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    assert pane.state.opened.descriptions is not None


def test_what_is_first_by_preference_is_offered_first(pane: PreferencesPane, qtbot: QtBot) -> None:
    assert pane.state.opened is not None and pane.project is not None
    while pane.state.opened.pair is not None:
        press(pane, Key.Key_F if pane.state.opened.text_left < pane.state.opened.text_right else Key.Key_J)
    for method in ("pagerank", "bradley-terry"):
        pane.choose_method(method)
        show(pane, 3)
        qtbot.waitUntil(
            lambda m=method: pane.state.study is not None and pane.state.study.ranking.method == m, timeout=30_000
        )
        pane.ranking.bars.setFocus()
        press(pane, Key.Key_Home, Key.Key_T, Key.Key_End, Key.Key_T)
        assert pane.state.study is not None
        rows = pane.state.study.ranking.rows
        found = {t.id: t for t in RebuttalStore(pane.project).library.templates()}
        first, last = (found[f"preference-{pane.state.study.items[rows[at].item]}"] for at in (0, -1))
        assert first.score is not None and last.score is not None and 1 >= first.score > last.score >= 0
        assert "rank 1 " in first.provenance
        assert first.version == (1 if method == "pagerank" else 2), "a later ranking brings it up to date"
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy())
