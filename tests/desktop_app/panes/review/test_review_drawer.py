"""The drawer of the review pane by keyboard: stages run, compared and replayed; literature; history."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from desktop_app.panes.review.choices import PAGES
from desktop_app.panes.review.outputs import rows_of, where
from desktop_app.panes.review.pane import ReviewPane
from desktop_app.theme import theme
from desktop_app.widgets.file_dialogs import FileDialogs
from engine.models.prompts import shipped_prompt
from engine.papers.online import FoundOnline
from engine.papers.store import LibraryStore
from engine.review_drafting.records import STAGES, ResultsReport
from tests.desktop_app.pane_cases import assert_named
from tests.desktop_app.panes.review.steps import (
    ALT,
    CONTROL,
    FIELDS,
    LIBRARY,
    PATIENCE,
    Key,
    choose,
    opened,
    press,
    run,
)


@pytest.fixture
def pane(pane_with_run: ReviewPane) -> ReviewPane:
    return pane_with_run


def test_pages_open_by_their_keys_and_close_again(pane: ReviewPane) -> None:
    drawer = pane.drawer
    assert not drawer.isVisible()
    for key, page in zip((Key.Key_S, Key.Key_L, Key.Key_R, Key.Key_H, Key.Key_E), PAGES, strict=True):
        opened(pane, key)
        assert drawer.page == page
        assert drawer.stack.currentWidget().isAncestorOf(QApplication.focusWidget())
        assert_named(drawer)
    assert drawer.tabs.tabText(0).endswith("Alt+S"), "keys stand on the tabs"
    press(pane, Key.Key_E, ALT)
    assert not drawer.isVisible(), "the key of the page at hand closes it"
    assert pane.form_view.isAncestorOf(QApplication.focusWidget()), "and one writes on"


def test_drafting_shows_what_it_does(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer = pane.drawer
    press(pane, Key.Key_R, CONTROL)
    assert drawer.isVisible() and drawer.page == "stages" and drawer.runs.can_cancel
    qtbot.waitUntil(lambda: len(drawer.runs.runs) == 2, timeout=PATIENCE)


def test_who_clicks_run_keeps_the_focus_there(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer = opened(pane, Key.Key_S)
    table = drawer.stages.table
    qtbot.mouseClick(table.run, Qt.MouseButton.LeftButton)
    assert table.stop.hasFocus() and not table.run.isVisible()
    qtbot.waitUntil(lambda: len(drawer.runs.runs) == 2, timeout=PATIENCE)
    assert table.run.hasFocus() and not table.stop.isVisible()


def test_stages_run_stream_and_are_kept(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer = opened(pane, Key.Key_S)
    heard: list[tuple[str, ...]] = []
    drawer.runs.progressed.connect(lambda: heard.append(tuple(drawer.runs.live)))
    run(pane, qtbot)
    states = [drawer.stages.table.table.item(row, 1).text() for row in range(len(STAGES))]
    assert all(words.startswith("done") for words in states)
    assert {tuple(STAGES[:n]) for n in range(1, 6)} <= set(heard), "each stage is told as soon as it is done"
    assert len(drawer.runs.runs) == 2 and drawer.runs.run == drawer.runs.runs[0]
    assert dict(drawer.runs.runs[0].own) == FIELDS
    kinds = {row.kind for row in drawer.stages.rows}
    assert {"Summary", "Weakness", "Question"} <= kinds
    checks = rows_of(drawer.runs.run.output("results"))
    assert any(row.kind in ("Finding", "To ask") and row.anchors for row in checks)


def test_a_stage_is_left_out_by_space_and_two_runs_compared(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer = opened(pane, Key.Key_S)
    table = drawer.stages.table.table
    table.setFocus()
    table.setCurrentCell(STAGES.index("results"), 0)
    assert drawer.stages.stage == "results"
    press(pane, Key.Key_Space)
    assert drawer.runs.on == frozenset(STAGES) - {"results"}
    run(pane, qtbot)
    assert table.item(STAGES.index("results"), 1).text() == "skipped"
    opened(pane, Key.Key_R)
    shown = drawer.kept
    assert shown.compared_with == drawer.runs.runs[1], "the run before it is the other one"
    by_stage = {one.stage: one for one in shown.differences}
    assert by_stage["drafter"].same_output and not by_stage["results"].same_output
    shown.table.setCurrentCell(list(by_stage).index("results"), 0)
    assert "Only in the other run" in shown.words.toPlainText()


def test_a_run_is_made_again_as_it_was(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer = opened(pane, Key.Key_S)
    drawer.runs.switch("literature", on=False)
    run(pane, qtbot)
    pane.state.set_field("summary", "Other words.")
    opened(pane, Key.Key_R)
    press(pane, Key.Key_R)
    qtbot.waitUntil(lambda: drawer.runs.under_way is None and len(drawer.runs.runs) == 3, timeout=PATIENCE)
    assert all(one.same_input and one.same_output for one in drawer.kept.differences)
    assert "the same in both" in drawer.kept.words.toPlainText()
    for answer, left in (("Cancel", 3), ("Delete", 2)):
        pane.context.commands.run("review.forget_run")
        (question,) = [one for one in pane.findChildren(QMessageBox) if one.isVisible()]
        next(button for button in question.buttons() if button.text() == answer).click()
        qtbot.waitUntil(lambda left=left: len(drawer.runs.runs) == left, timeout=PATIENCE)


def test_a_run_cancelled_in_the_job_tray_ends_with_a_note(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer = opened(pane, Key.Key_S)
    press(pane, Key.Key_R, CONTROL)
    job = drawer.runs._job
    assert job is not None
    pane.context.bridge.cancel_job(job.id)
    qtbot.waitUntil(lambda: drawer.runs.under_way is None, timeout=PATIENCE)
    assert [(one.kind, one.what.endswith("was cancelled.")) for one in pane.banner.notices] == [("note", True)]
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy(), timeout=PATIENCE)


def test_a_cancelled_run_keeps_what_it_made(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer = opened(pane, Key.Key_S)
    press(pane, Key.Key_R, CONTROL)
    assert drawer.stages.table.stop.isVisible()
    press(pane, Key.Key_Period, CONTROL)
    assert drawer.runs.under_way is None and drawer.stages.table.run.isVisible()
    store, draft = pane.state.store, pane.state.draft
    assert draft is not None
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy(), timeout=PATIENCE)
    assert all(one.state in ("done", "cancelled") for one in store.runs(draft_id=draft.id))


def test_a_stage_that_was_not_reached_was_not_skipped_and_the_newest_words_are_shown(pane: ReviewPane) -> None:
    drawer = opened(pane, Key.Key_S)
    runs, stages = drawer.runs, drawer.stages
    runs.runs = (replace(runs.runs[0], stages=runs.runs[0].stages[:1], state="cancelled"),)
    runs.changed.emit()
    assert stages.table.table.item(len(STAGES) - 1, 1).text() == "not run"
    assert stages.stage == "aggregator" and "ended before this stage" in stages.list._message
    runs.under_way = frozenset(STAGES)
    runs.written = f"{'old ' * 40}newest words"
    runs.progressed.emit()
    assert stages.table.ahead.isVisible() and stages.table.ahead.text().endswith("old newest words")
    runs.under_way, runs.written = None, ""


def test_pages_that_no_check_read_are_listed_first() -> None:
    first, *_ = rows_of(ResultsReport(unread=(3, 5)))
    assert first.words == "Not checked: pages 3 and 5" and "called missing" in first.detail
    assert rows_of(ResultsReport(unread=(3,)))[0].words == "Not checked: page 3" and rows_of(ResultsReport()) == ()


def test_a_point_is_taken_refused_and_taken_back(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer = opened(pane, Key.Key_S)
    assert drawer.stages.list.row > 0 and drawer.stages.can_decide, (
        "A and X work at once, not only after one's own words"
    )
    row = choose(drawer, "Weakness")
    assert row.point is not None
    press(pane, Key.Key_A)
    written = pane.state.fields["weaknesses"]
    assert written.startswith(FIELDS["weaknesses"]) and f"\n- {row.words}" in written
    assert drawer.runs.decisions[row.point.id] == "accepted"
    assert pane.project is not None and pane.state.draft is not None
    versions = pane.state.store.versions(pane.state.draft.id)
    assert [one.reason for one in versions] == ["before accepting points"]
    assert dict(versions[0].fields) == FIELDS
    pane.project.undo()
    qtbot.waitUntil(lambda: not drawer.runs.decisions, timeout=PATIENCE)
    assert pane.state.fields["weaknesses"] == FIELDS["weaknesses"], "one step took both back"
    choose(drawer, "Weakness")
    press(pane, Key.Key_X)
    assert drawer.runs.decisions == {row.point.id: "rejected"}
    choose(drawer, "Weakness")
    press(pane, Key.Key_X)
    assert drawer.runs.decisions == {}
    drawer.stages.list.select_row(0)
    own = drawer.stages.row
    assert own is not None and own.words == FIELDS["summary"] and not own.offered and not drawer.stages.can_decide, (
        "one's own words are nothing to take"
    )


def test_what_was_rejected_stays_rejected_after_another_run(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer, store, draft = opened(pane, Key.Key_S), pane.state.store, pane.state.draft
    row = choose(drawer, "Weakness")
    press(pane, Key.Key_X)
    first = drawer.runs.run
    assert row.point is not None and first is not None and draft is not None
    second = store.begin_run(replace(first, id=""), draft.id)
    for stage in first.stages:
        store.save_stage(second.id, stage)
    store.end_run(second.id, "done", 1.0)
    qtbot.waitUntil(lambda: drawer.runs.run is not None and drawer.runs.run.id == second.id, timeout=PATIENCE)
    assert drawer.runs.decisions == {row.point.id: "rejected"}
    choose(drawer, "Weakness")
    press(pane, Key.Key_X)
    assert drawer.runs.decisions == {}, "a second time reopens it"


def test_deciding_keeps_the_keyboard_in_the_drawer(pane: ReviewPane) -> None:
    drawer = opened(pane, Key.Key_S)
    row = choose(drawer, "Weakness")
    press(pane, Key.Key_A)
    written = pane.state.fields["weaknesses"]
    assert f"- {row.words}" in written
    assert QApplication.focusWidget() is drawer.stages.list, "the next key decides on the next point"
    assert pane.form_view.field == "weaknesses", "the form shows where it went"
    choose(drawer, "Question")
    press(pane, Key.Key_X)
    press(pane, Key.Key_G)
    assert pane.state.fields["weaknesses"] == written and sorted(drawer.runs.decisions.values()) == [
        "accepted",
        "rejected",
    ]
    opened(pane, Key.Key_L)
    press(pane, Key.Key_I)
    assert QApplication.focusWidget() is drawer.literature.list


def test_the_place_of_a_row_is_shown(pane: ReviewPane) -> None:
    drawer = opened(pane, Key.Key_S)
    shown: list[object] = []
    pane.session.place_wanted.connect(shown.append)
    row = choose(drawer, "Weakness")
    assert ", p. 1" in where(row.anchors)
    press(pane, Key.Key_G)
    press(pane, Key.Key_Return)
    assert len(shown) == 2 and shown[0] == shown[1] and shown[0]


def test_a_prompt_is_edited_put_in_force_and_put_back(pane: ReviewPane) -> None:
    drawer = opened(pane, Key.Key_S)
    table, view = drawer.stages.table.table, drawer.stages.prompt
    table.setCurrentCell(STAGES.index("insight"), 0)
    press(pane, Key.Key_F4)
    assert view.prompt == "review-insight" and view.text.hasFocus()
    assert view.text.toPlainText() == shipped_prompt("review-insight") and not view.changed
    view.text.appendPlainText("Be brief.")
    assert view.changed and view.status.text() == "Not in use yet"
    table.setCurrentCell(STAGES.index("literature"), 0)
    assert view.text.toPlainText() == shipped_prompt("review-keywords")
    table.setCurrentCell(STAGES.index("insight"), 0)
    assert view.changed and view.text.toPlainText().endswith("Be brief."), "kept while another stage was looked at"
    view.versions.setCurrentIndex(view.versions.findText("Default"))
    view.versions.picked.emit(view.versions.value)
    assert not view.changed
    view.text.undo()
    assert view.changed and view.text.toPlainText().endswith("Be brief."), "undo brings it back"
    assert pane.state.store.edited_prompts() == {}, "typing alone changes nothing"
    press(pane, Key.Key_Return, CONTROL)
    assert pane.state.store.edited_prompts()["review-insight"].text.endswith("Be brief.")
    assert view.edited and not view.changed
    pane.context.commands.run("review.ship_prompt")
    assert pane.state.store.edited_prompts() == {}
    assert view.text.toPlainText() == shipped_prompt("review-insight")
    assert [view.versions.itemText(n)[:8] for n in range(view.versions.count())] == ["Edited 1", "Default"]
    table.setCurrentCell(STAGES.index("literature"), 0)
    assert view.which.count() == 2 and view.prompt == "review-keywords"


def test_literature_found_becomes_a_question(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer = opened(pane, Key.Key_L)
    view = drawer.literature
    assert view.note.text().startswith("Searched 2 papers in the library for")
    work = view.work
    assert work is not None and work.title == LIBRARY[0].title
    assert "Relation: Both mention" in view.words.toPlainText()
    press(pane, Key.Key_I)
    assert "“Parsing review letters with templates” (Example and Sample, 2021)" in pane.state.fields["questions"]
    qtbot.waitUntil(lambda: not pane.session.checker.busy and pane.session.checker.of("questions").grounded is not None)
    assert not any(claim.unfounded for claim in pane.session.checker.of("questions").claims)
    assert pane.form_view.field == "questions", "the form shows where it went"


def test_papers_are_added_to_the_library(
    pane: ReviewPane, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawer = opened(pane, Key.Key_L)
    listed = tmp_path / "mine.bib"
    listed.write_text("@article{a, title={Reading Letters}, author={Example, Ada}, year={2020}}", encoding="utf-8")
    (tmp_path / "odd.pdf").write_bytes(b"no pdf")
    monkeypatch.setattr(FileDialogs, "open_files", lambda *_: [listed, tmp_path / "odd.pdf"])
    pane.context.commands.run("review.add_papers")
    qtbot.waitUntil(lambda: any(n.key == "library" for n in pane.banner.notices), timeout=PATIENCE)
    reported = pane.banner.notices[0]
    assert reported.what == "Read 1 paper; added 1 to the library."
    assert "odd.pdf is not a PDF. It was left out." in reported.means
    assert pane.project is not None
    assert [paper.title for paper in LibraryStore(pane.project).papers()] == ["Reading Letters"]
    pane.project.undo()
    assert LibraryStore(pane.project).papers() == ()
    assert "review letters" in drawer.literature.words_to_search
    assert not drawer.can_search(), "no catalogue is asked before the person switches one on"
    pane.context.settings.set("network.openalex", True)
    assert drawer.can_search()
    drawer._added(FoundOnline(("one", "two"), 0, ("review letters",)))
    (notice,) = [one for one in pane.banner.notices if one.key == "library"]
    assert (notice.what, notice.means) == (
        "Found 2 papers; added 0 to the library.", "1 search was made before and not sent again.",
    )  # fmt: skip


def test_history_shows_changes_and_restores(pane: ReviewPane, qtbot: QtBot) -> None:
    drawer = opened(pane, Key.Key_H)
    view = drawer.history
    press(pane, Key.Key_V)
    assert [version.reason for version in view.versions] == ["saved by hand"]
    assert "No changes since" in view.words.toPlainText() and not view.can_restore
    pane.state.set_field("summary", "The paper parses long letters with a small parser (Section 2).")
    pane.state.set_field("strengths", "It is clear.")
    assert [one.field for one in view.found] == ["summary", "strengths"]
    assert view.count.text() == "4 words added, 0 deleted"
    view.list.setFocus()
    view.field.setCurrentIndex(view.field.findData("strengths"))
    view.field.activated.emit(view.field.currentIndex())
    press(pane, Key.Key_B)
    assert pane.state.fields["strengths"] == "" and "long" in pane.state.fields["summary"], "one field alone"
    view.field.setCurrentIndex(0)
    view.field.activated.emit(0)
    view.list.select_row(len(view.versions) - 1)
    press(pane, Key.Key_B)
    assert pane.state.fields["summary"] == FIELDS["summary"]
    assert [version.reason for version in view.versions].count("before restoring") == 2
    assert pane.project is not None
    pane.project.undo()
    assert "long" in pane.state.fields["summary"]
    view.against.setCurrentIndex(1)
    view.against.activated.emit(1)
    view.list.select_row(len(view.versions) - 1)
    assert "weaknesses" in [one.field for one in view.found], "the first version brought everything"


def test_points_are_readable_with_large_text(pane_with_run: ReviewPane, qtbot: QtBot) -> None:
    theme().configure(zoom=1.5)
    pane_with_run.window().resize(1280, 800)
    drawer = opened(pane_with_run, Key.Key_S)
    stages = drawer.stages
    stages.show_runs()
    qtbot.waitUntil(lambda: stages.list.width() > theme().px(160))
