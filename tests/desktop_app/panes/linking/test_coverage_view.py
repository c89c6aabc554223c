"""Coverage: every comment a cell, full or empty; filters, keys, the way to the place; and room for what is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.coverage_view import _row
from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.theme import theme
from engine.agreement.records import ADJUDICATED
from engine.documents.service import DocumentService
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.store import ReviewStore
from engine.revision.aligners import STRATEGIES
from engine.revision.records import RevisionDiff
from tests.desktop_app.pane_cases import assert_named
from tests.desktop_app.panes.linking.studies import add_comments
from tests.engine.revision.papers import latest_run

Key = Qt.Key


def press(pane: LinkingPane, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(pane.window().focusWidget() or pane, key)


def test_every_comment_is_a_cell(pane: LinkingPane) -> None:
    first, second = pane.study.comments[:2]
    pane.link()
    pane.state.reader.revisions.set_comment_state(pane.study.revision.id, second.id, "not_addressed")  # type: ignore[union-attr]
    press(pane, Key.Key_O)
    view = pane.coverage
    assert pane.state.mode == "coverage" and view.isVisible()
    assert [row.standing for row in view.coverage.rows] == ["answered", "attention", *["open"] * 4]
    assert view._counts.text() == "1 of 6 comments marked as answered · 4 undecided · 1 needs attention"
    assert len(view.edits.records) == len(pane.study.edits)  # one is answered, and there is a heading
    row = view.list.records[2].covered
    assert row.candidates and row.edits == ()
    assert_named(view)
    assert view.map.place(first.id).isValid() and not view.grab().isNull()
    QTest.mouseClick(
        view.map,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        view.map.place(second.id).center().toPoint(),
    )
    assert pane.state.comment_id == second.id


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_state_is_chosen_from_a_menu_by_mouse_and_by_shift_f10(pane: LinkingPane, qtbot: QtBot) -> None:
    press(pane, Key.Key_O)
    with qtbot.waitActive(pane.window()):
        pane.window().activateWindow()
    pane.coverage.list.setFocus()
    QTest.keyClick(pane.coverage.list, Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    chosen = next(entry for entry in menu.actions() if entry.text().startswith("Answered without an edit"))
    chosen.trigger()
    menu.close()
    assert pane.study.state(pane.study.comments[0].id) == "answered"


def test_states_are_given_where_one_sees_what_is_missing(pane: LinkingPane) -> None:
    press(pane, Key.Key_O, Key.Key_2)
    assert pane.study.state(pane.study.comments[0].id) == "answered"
    assert pane.coverage.list.records[0].covered.standing == "answered"
    assert pane.state.comment_id == pane.study.comments[1].id, "on to the next open one"
    press(pane, Key.Key_J)
    assert pane.state.comment_id == pane.study.comments[2].id
    press(pane, Key.Key_Up)
    assert pane.state.comment_id == pane.study.comments[1].id
    assert not pane.state.can_link() and not pane.state.can_unlink() and not pane.state.has_suggestion()


@pytest.mark.parametrize(
    ("origin", "score", "said"), [("model:fused@7", 1.0, "probability >99 %"), ("model:bm25@1", 0.83, "score 0.83")]
)
def test_a_suggested_edit_says_only_what_its_figure_can(
    pane: LinkingPane, monkeypatch: pytest.MonkeyPatch, origin: str, score: float, said: str
) -> None:
    press(pane, Key.Key_O)
    request = next(row.request for row in pane.coverage.list.records if row.covered.candidates)
    for linked, likelihood in ((True, "likely"), (False, "possible")):
        found = replace(request.row.candidates[0], origin=origin, score=score, linked=linked)
        row = _row(replace(request, row=replace(request.row, candidates=(found,))), pane.study)
        assert row.chips[-1][0].endswith(f"  {likelihood}") and row.numbers[-1].endswith(f": {said}")


def test_filters_and_the_way_to_the_place(pane: LinkingPane) -> None:
    press(pane, Key.Key_O)
    view = pane.coverage
    view.reviewer.setCurrentIndex(view.reviewer.findData("Reviewer 2"))
    assert [row.comment.reviewer for row in view.list.records] == ["Reviewer 2"] * 3
    view.map.chosen.emit(pane.study.comments[0].id)
    assert view.reviewer.currentIndex() == 0, "filters that hide it are cleared"
    view.standing.setCurrentIndex(view.standing.findData("answered"))
    assert not view.list.records and pane.state.comment_id == pane.study.comments[0].id
    view.standing.setCurrentIndex(0)
    view.search("baseline")
    assert pane.state.comment_id == pane.study.comments[4].id
    wanted = view.coverage.rows[4].candidates[0].edit_id
    press(pane, Key.Key_Return)
    assert pane.state.mode != "coverage"
    assert (pane.state.comment_id, pane.state.edit_id) == (pane.study.comments[4].id, wanted)
    press(pane, Key.Key_O)
    view.edits.activated_row.emit(view.edits.model().index(2, 0))
    assert pane.state.edit_id == view.edits.records[2].edit.id
    press(pane, Key.Key_V, Key.Key_O, Key.Key_O)
    assert pane.state.mode != "coverage" and pane.state.mode != "reviews"


def test_what_became_of_each_request_is_shown_and_filtered(pane: LinkingPane, tmp_path: Path, qtbot: QtBot) -> None:
    """With keys: a person's decision has no question mark, a suggestion has one."""
    view = pane.coverage
    press(pane, Key.Key_L, Key.Key_O)
    outcomes = {found.comment.id: found.outcome for found in view.list.records}
    first = pane.state.comment_id
    assert outcomes[pane.study.comments[0].id] == "Addressed"
    assert set(list(outcomes.values())[1:]) <= {"Addressed?", "Answered only?", "Not found?"}
    assert "suggested" in view.list.records[1].spoken and "suggested" not in view.list.records[0].spoken
    view.outcome.setFocus()
    keys = ["addressed", "answered only", "not found", "not checked"]
    for number, state in enumerate(keys, start=1):
        press(pane, Key.Key_Down)
        assert view.outcome.currentData() == state, number
        expected = [c for c, words in outcomes.items() if words.rstrip("?").lower() == state]
        assert [found.comment.id for found in view.list.records] == expected
        if expected:
            first = expected[0]
        assert pane.state.comment_id == first, "the first match is current"
    pane.files.export_to("requests_letter", tmp_path / "letter.md")
    qtbot.waitUntil((tmp_path / "letter.md").exists)
    letter = (tmp_path / "letter.md").read_text(encoding="utf-8")
    assert "Request 1: addressed (decided by a person)" in letter
    assert letter.count("(suggested, not confirmed by a person)") == len(outcomes) - 1


def test_nothing_is_said_to_be_missing_before_two_versions_were_compared(
    open_pane: Callable[[Path], LinkingPane], tmp_path: Path, qtbot: QtBot
) -> None:
    """Otherwise a letter would tell reviewers that both versions have the same text, with one version alone."""
    path = tmp_path / "one.rejoinder"
    with Project.create(path, "One version", "Ada") as project:
        add_comments(project, PaperStore(project).add_paper("One version"))
    pane = open_pane(path)
    qtbot.waitUntil(lambda: len(pane.study.comments) == 6)
    press(pane, Key.Key_O)
    assert {found.outcome for found in pane.coverage.list.records} == {"Not checked"}
    press(pane, Key.Key_2)
    pane.files.export_to("requests_letter", tmp_path / "letter.md")
    qtbot.waitUntil((tmp_path / "letter.md").exists)
    letter = (tmp_path / "letter.md").read_text(encoding="utf-8")
    assert "The two versions haven't been compared yet." in letter and "not found" not in letter


def test_a_longer_name_has_room_beside_the_cells(pane: LinkingPane) -> None:
    press(pane, Key.Key_O)
    first, name = pane.study.comments[0], "Reviewer x7Qp (Area Chair)"
    before = pane.coverage.map.place(first.id).left()
    assert pane.project is not None
    ReviewStore(pane.project).set_reviewer([first.id], name)
    width = QFontMetrics(theme().font("body", bold=True)).horizontalAdvance(name)
    assert pane.coverage.map.place(first.id).left() >= width + 20 > before


def test_a_reviewer_is_listed_from_the_first_comment_on(pane: LinkingPane, qtbot: QtBot) -> None:
    press(pane, Key.Key_O)
    view = pane.coverage
    pane.window().resize(1000, 420)
    press(pane, *[Key.Key_J] * 4)
    last = pane.study.comments[4]
    assert last.reviewer == view.reviewer.itemText(2) and pane.state.comment_id == last.id
    qtbot.waitUntil(lambda: view.list.verticalScrollBar().value() > 0)
    cell = view.map.place(last.id).toRect()
    qtbot.waitUntil(lambda: view.map.visibleRegion().contains(cell))
    view.reviewer.setFocus()
    press(pane, Key.Key_Down)
    assert view.list.current == view.list.records[0] and view.list.verticalScrollBar().value() == 0
    assert pane.state.comment_id == pane.study.comments[0].id, "the first match is current"


def test_what_is_written_is_limited_to_the_reviewer_that_is_listed(
    pane: LinkingPane, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor's letter to one reviewer has no other reviewer's comments, no scores and no annotator's notes."""
    asked: list[str] = []

    def save_file(_parent: object, _title: str, stem: str, ending: str) -> Path:
        asked.append(stem)
        return tmp_path / f"{len(asked)}{ending}"

    monkeypatch.setattr(pane.context.files, "save_file", save_file)
    press(pane, Key.Key_O)
    view = pane.coverage
    view.reviewer.setFocus()
    press(pane, Key.Key_Down, Key.Key_Down)
    assert view.reviewer.currentData() == "Reviewer 2"
    for at, name in enumerate(("requests_letter", "requests_csv", "summary_md"), start=1):
        assert pane.context.commands.run(f"linking.export_{name}")
        qtbot.waitUntil(lambda at=at: any(tmp_path.glob(f"{at}.*")))
        written = next(tmp_path.glob(f"{at}.*")).read_text(encoding="utf-8")
        assert "Reviewer 2" in written and "Reviewer 1" not in written, name
        assert asked[-1].endswith(", Reviewer 2")
    letter = (tmp_path / "1.md").read_text(encoding="utf-8")
    assert "Suggested edit" in letter and "score" not in letter and "score" in (tmp_path / "2.csv").read_text("utf-8")
    qtbot.waitUntil(lambda: any("Only" in notice.means for notice in pane.banner.notices))
    pane.take_focus()
    press(pane, Key.Key_O)
    pane.files.export_to("requests_letter", tmp_path / "all.md")
    qtbot.waitUntil((tmp_path / "all.md").exists)
    everyone = (tmp_path / "all.md").read_text(encoding="utf-8")
    assert "Reviewer 1" in everyone, "Linking itself lists everyone's"


@pytest.mark.parametrize(("format_", "words"), [("summary_md", "## Reviewer 1"), ("summary_pdf", "How we addressed")])
def test_summaries_are_written(pane: LinkingPane, tmp_path: Path, qtbot: QtBot, format_: str, words: str) -> None:
    target = tmp_path / "summary"
    revision = pane.study.revision
    assert pane.state.reader is not None and revision is not None
    entry = replace(pane.study.edits[0], id="", label="e101", group="references")
    pane.state.reader.revisions.save_diff(
        revision.source_document_id,
        revision.target_document_id,
        RevisionDiff((*pane.study.edits, entry), revision.unchanged),
        dict(revision.parameters),
    )
    pane.refresh_now()
    pane.files.export_to(format_, target)  # type: ignore[arg-type]
    qtbot.waitUntil(target.exists)
    assert words in target.read_text(encoding="utf-8")
    qtbot.waitUntil(lambda: any("Saved" in n.what for n in pane.banner.notices))
    left = f"{len(pane.study.edits)} edits without a comment were left out."
    assert any(left in notice.means for notice in pane.banner.notices), "as many as the status bar says"


def test_the_marked_pdf_shows_the_edits_that_the_filters_show(pane: LinkingPane, tmp_path: Path, qtbot: QtBot) -> None:
    pane.edits.kind.setCurrentIndex(pane.edits.kind.findData("added"))
    added = sum(edit.kind == "added" for edit in pane.study.edits)
    hidden = len(pane.study.edits) - added
    assert added and hidden > 1
    with pymupdf.open() as document:
        for _ in range(4):
            document.new_page(width=600, height=800)
        real = document.tobytes()
    service = pane.context.bridge.documents
    with DocumentService() as worker:
        service.mark = lambda _pdf, *rest, **how: worker.mark(real, *rest, **how)  # type: ignore[method-assign]
        service.typeset = worker.typeset  # type: ignore[method-assign]
        pane.files.export_to("marked", tmp_path / "marked.pdf")
        qtbot.waitUntil((tmp_path / "marked.pdf").exists, timeout=30000)
        qtbot.waitUntil(lambda: any("Saved" in n.what for n in pane.banner.notices))
    assert any(f"{hidden} edits hidden by the filters left out." in notice.means for notice in pane.banner.notices)
    with pymupdf.open(tmp_path / "marked.pdf") as document:
        assert any(page.first_annot for page in document)


def test_another_person_takes_over_and_sees_nothing_of_the_first(pane: LinkingPane, qtbot: QtBot) -> None:
    pane.context.act_as("Ada")
    assert pane.annotator.text() == "Ada"
    pane.link()
    pane.context.act_as("Ben")
    assert pane.study.links == () and "Ben" in pane.annotator.text()
    assert [name for _, name in pane.state.whose()] == ["Ben"]
    press(pane, Key.Key_L)
    qtbot.keyClick(pane.window().focusWidget() or pane, Key.Key_D, Qt.KeyboardModifier.ShiftModifier)
    assert "done" in pane.annotator.text()
    said = next(notice for notice in pane.banner.notices if notice.key == "done")
    left = [comment.id for comment in pane.study.comments if pane.study.state(comment.id) == "undecided"]
    assert f"{len(left)} comment" in said.what and said.means.count("·") == len(left) > 0
    assert [name for _, name in pane.state.whose()] == ["Ben"], "Ada is not done yet"
    pane.context.act_as("Ada")
    assert len(pane.study.links) == 1 and "done" not in pane.annotator.text()
    pane.annotator.toggle_done()
    assert [name for _, name in pane.state.whose()] == ["Ada", "Ben", "Adjudicated"]
    assert pane.state.whose()[-1][0] == ADJUDICATED
    pane.context.bridge.project.undo()  # type: ignore[union-attr]
    assert not pane.annotator.is_done()


def test_pages_keep_their_room_beside_the_guidelines(pane: LinkingPane) -> None:
    window = pane.window()
    window.resize(1280, 800)
    before = pane.side.width()
    pane.toggle_guidelines()
    assert pane.guidelines.isVisible() and not pane.edits.isVisible()
    assert pane.side.width() > before - 60
    window.resize(1920, 1200)
    assert pane.guidelines.isVisible() and pane.edits.isVisible()
    window.resize(1280, 800)
    pane.toggle_guidelines()
    assert pane.edits.isVisible() and not pane.guidelines.isVisible()


def test_the_words_of_the_states_are_whole_in_a_narrow_window(pane: LinkingPane, qtbot: QtBot) -> None:
    card = pane.comments.card
    buttons = tuple(card._buttons.values())
    # As wide as this system's font needs: less than two words beside each other, these, and with their keys.
    bare, full = (2 * max(button.room(key=key) for button in buttons) + 32 for key in (False, True))
    widest = max(range(len(buttons)), key=lambda at: buttons[at].room(key=False))
    one, other = buttons[widest // 2 * 2 : widest // 2 * 2 + 2]
    for width, beside, keys in ((bare - 40, False, False), (bare, True, False), (full, True, True)):
        card.setFixedWidth(width)
        qtbot.waitUntil(lambda beside=beside: (one.y() == other.y()) == beside)
        assert buttons[widest].text().startswith(f"{widest + 1}") == keys
        for button in buttons:
            assert button.fontMetrics().horizontalAdvance(button.text()) + 8 <= button.width()


@pytest.mark.qt_log_ignore("This plugin does not support")  # of a list that pops up, on the offscreen platform
def test_the_aligner_is_chosen_where_it_can_run(
    open_pane: Callable[[Path], LinkingPane], study_path: Path, qtbot: QtBot
) -> None:
    pane = open_pane(study_path)
    assert pane.strategy.currentText() == STRATEGIES["fused"].title, "before the aligners are loaded"
    pane.strategy.showPopup()
    qtbot.waitUntil(pane.strategy.view().isVisible, timeout=20_000)
    pane.strategy.hidePopup()
    assert pane.strategy.currentText() == STRATEGIES["fused"].title
    names = [pane.strategy.itemText(n) for n in range(pane.strategy.count())]
    usable = [
        n
        for n in range(pane.strategy.count())
        if pane.strategy.model().flags(pane.strategy.model().index(n, 0)) & Qt.ItemFlag.ItemIsEnabled
    ]
    assert "BM25" in [names[n] for n in usable] and "Chance" not in names
    assert (
        "Bi-encoder (add an encoder in Models)" in names
        and "BM25 with a generated edit (have edits proposed first)" in names
    )
    assert pane.state.reader is not None
    pane.strategy.setCurrentIndex(names.index("BM25"))
    pane.strategy.activated.emit(names.index("BM25"))
    assert pane.work.strategy == "bm25"
    revisions, revision = pane.state.reader.revisions, pane.study.revision
    assert revision is not None
    qtbot.waitUntil(lambda: latest_run(revisions, revision.id, "bm25") is not None, timeout=20000)
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy())
