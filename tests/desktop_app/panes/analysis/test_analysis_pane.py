"""The analysis pane: one key a judgement, blind where one likes, labels confirmed and refused, figures drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.analysis.pane import AnalysisPane
from desktop_app.theme import theme
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.exchange.edit_research import FIGURES
from engine.measures.estimate import NOTHING, Estimate
from engine.project import Project
from engine.reviews.store import ReviewStore
from engine.revision.generation.questions import QUESTIONS, swapped
from engine.revision.generation.records import Proposal
from engine.revision.generation.store import GenerationStore
from engine.revision.generation.tasks import ProposalsMade
from engine.revision.records import SilverLabel
from engine.revision.store import RevisionStore, SilverStore
from engine.shown import counted
from tests.desktop_app.pane_cases import PaneCases, assert_named
from tests.desktop_app.panes.linking.studies import FlatService, make_study, versions
from tests.desktop_app.shell_helpers import on_screen

Key = Qt.Key


def furnish(project: Project) -> None:
    """Two comments with links and proposals, and two labels from responses."""
    revisions, comments = RevisionStore(project), ReviewStore(project).comments()
    (revision,) = revisions.revisions()
    edits = revisions.edits(revision.id)
    source, _ = versions()
    for at in (0, 1):
        revisions.link_comment(comments[at].id, edits[at].id)
        paragraph = source[at + 2]
        text = f"{paragraph.text} The split was drawn [how]."
        GenerationStore(project).save(
            revision.id,
            Proposal(comments[at].id, "model:frames@1", "We say so now.", paragraph.id, "change", text, "explain"),
        )
    SilverStore(project, revisions).save(
        revision.id,
        [
            SilverLabel(comments[3].id, edits[1].id, "reply", 0.5, "a good deal more"),
            SilverLabel(comments[5].id, edits[0].id, "reply", 0.3, "removed it"),
        ],
    )


class TestCases(PaneCases):
    pane_id = "analysis"
    huge = 300


@pytest.fixture
def pane(make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path) -> AnalysisPane:
    path = tmp_path / "study.rejoinder"
    make_study(path)
    with Project.open(path, annotator="Ada") as project:
        furnish(project)
    window = make_window()
    window.bridge._documents = FlatService()  # type: ignore[assignment]
    window.settings.set("annotator.name", "Ada")
    assert window.open_path(str(path))
    window.show_pane("analysis")
    found = window.panes["analysis"]
    assert isinstance(found, AnalysisPane)
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.waitUntil(lambda: bool(found.state.paragraphs))
    return found


def press(pane: AnalysisPane, *keys: Qt.Key, alt: bool = False) -> None:
    modifier = Qt.KeyboardModifier.AltModifier if alt else Qt.KeyboardModifier.NoModifier
    for key in keys:
        QTest.keyClick(pane.window().focusWidget() or pane, key, modifier)


def test_both_sides_stand_beside_each_other(pane: AnalysisPane) -> None:
    assert [item.comment.comment[:10] for item in pane.state.paper.items] == ["It is uncl", "The second"]
    assert "The split was drawn [how]." in pane.judging.right.toPlainText()
    assert "underline" in pane.judging.right.toHtml() and "underline" in pane.judging.left.toHtml()
    assert pane.judging.sides() == ("Real edit", "Generated edit")
    assert pane.status_text == "0 of 2 comparisons judged · 0 of 2 links decided"
    assert_named(pane)


def test_whether_the_order_is_blind_is_visible_on_its_button(pane: AnalysisPane) -> None:
    button = pane._buttons["blind"]

    def ground() -> str:
        return on_screen(button).pixelColor(6, button.height() // 2).name()

    before = ground()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.isChecked() and ground() == QColor(theme().tokens.accent_wash).name() != before
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not button.isChecked() and ground() == before


def test_one_comparison_and_one_link_are_counted_as_one(pane: AnalysisPane) -> None:
    whole = pane.state.paper
    pane.state.paper = replace(whole, items=whole.items[:1], pairs=whole.pairs[:1])
    assert pane.state.status() == "0 of 1 comparison judged · 0 of 1 link decided"
    pane.state.paper = replace(whole, items=(), pairs=(), linked=1)
    assert pane.state.status() == "1 comment linked, no edits proposed"


def test_the_answers_to_a_question_are_on_one_line(pane: AnalysisPane, qtbot: QtBot) -> None:
    pane.window().resize(1280, 800)
    qtbot.waitUntil(lambda: pane.window().width() == 1280)
    QCoreApplication.sendPostedEvents()
    for row in pane.judging.rows:
        assert len({button.geometry().top() for button in row.buttons}) == 1, row.number


def test_no_answer_moves_under_the_pointer(pane: AnalysisPane, qtbot: QtBot) -> None:
    pane.window().resize(1280, 800)

    def places() -> list[QPoint]:
        for _ in range(2):
            QCoreApplication.sendPostedEvents()  # lays out
        return [button.mapTo(pane, QPoint()) for row in pane.judging.rows for button in row.buttons]

    before = places()
    for number in range(3):
        answer = pane.judging.rows[number].buttons[0]
        QTest.mouseClick(answer, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda chosen=answer: "✓" in chosen.text())
        assert pane.state.question == number + 1 and places() == before


def test_edits_stay_in_sight_with_large_text_and_the_questions_scroll(pane: AnalysisPane, qtbot: QtBot) -> None:
    pane.window().resize(1280, 800)
    theme().configure(zoom=1.5)
    for _ in range(3):
        QCoreApplication.sendPostedEvents()
        pane.window().grab()
    view = pane.judging
    assert view.left.visibleRegion().boundingRect().height() > theme().px(80)
    for number in (0, 4, 8):
        pane.state.question = number
        view.show_item(pane.state.comparison())
        qtbot.waitUntil(lambda at=number: not view.rows[at].visibleRegion().isEmpty())


def test_a_comment_is_judged_by_keys_alone_and_undone(pane: AnalysisPane) -> None:
    answers = (3, 2, 2, 1, 1, 1, 1, 2, 2, 1, 3)
    for number, answer in enumerate(answers):
        assert pane.state.question == number
        press(pane, Key(int(Key.Key_0) + answer))
    item = pane.state.item
    assert item is not None and item.analysis.complete and pane.project is not None
    assert (item.analysis.real.compliance, item.analysis.generated.compliance) == (3, 1)
    assert item.analysis.real.technical is True and item.analysis.generated.promises is True
    assert (item.analysis.answerable, item.analysis.comprehensive) == (False, "real")
    assert item.analysis.technicality == "same"
    pane.project.undo()
    assert pane.state.item is not None and pane.state.item.analysis.technicality is None
    press(pane, Key.Key_3, Key.Key_Space)
    assert (
        pane.state.item is not None
        and pane.state.item.comment.comment.startswith("The second")
        and pane.state.question == 0
    )
    press(pane, Key.Key_Space)
    assert any("No other undecided comments" in notice.what for notice in pane.banner.notices)
    press(pane, Key.Key_K, Key.Key_Up, Key.Key_0)
    assert pane.state.item is not None and not pane.state.item.analysis.complete


def test_blind_sides_are_judged_without_knowing_and_stored_resolved(pane: AnalysisPane) -> None:
    press(pane, Key.Key_B)
    assert pane.judging.sides() == ("A", "B") and pane.project is not None
    for _ in range(2):
        item = pane.state.item
        assert item is not None
        swap = swapped(item.comment.id, pane.project.annotator_id)
        generated = pane.judging.left if swap else pane.judging.right
        assert "The split was drawn [how]." in generated.toPlainText()
        words = pane.judging.left.toPlainText() + pane.judging.right.toPlainText()
        assert "frames" not in words and item.edits[0].label not in words, "nothing tells which is which"
        press(pane, Key.Key_3)
        assert pane.state.item is not None
        judged = pane.state.item.analysis.generated if swap else pane.state.item.analysis.real
        assert judged.compliance == 3
        press(pane, Key.Key_J)
    assert not pane.context.state.bytes("analysis.blind").isEmpty()


def test_a_click_answers_and_a_note_is_kept(pane: AnalysisPane, qtbot: QtBot) -> None:
    at = next(n for n, question in enumerate(QUESTIONS) if question.topic == "comprehensive")
    pane.judging.rows[at].buttons[1].click()
    assert pane.state.item is not None and pane.state.item.analysis.comprehensive == "generated"
    press(pane, Key.Key_M)
    qtbot.keyClicks(pane.judging.note, "close call")
    press(pane, Key.Key_Return)
    assert pane.state.item.analysis.note == "close call"


def test_labels_are_confirmed_and_refused_by_one_key(pane: AnalysisPane) -> None:
    press(pane, Key.Key_2, alt=True)
    first = pane.state.pair
    assert first is not None and first.labels[0].strength == 0.5
    assert "background-color" in pane.labels.page.toHtml(), "the words that show it are lit"
    shown = pane.labels.page.toPlainText()
    assert shown.index(f"{pane.labels._title.text().split()[-2].rstrip(':')} · ") < shown.index("Why: ")
    press(pane, Key.Key_Y)
    origins = {link.origin for link in pane.state.studies.revisions.links(first.revision_id)}
    assert "model:silver-reply@1" in origins
    second = pane.state.pair
    assert second is not None and second != first
    press(pane, Key.Key_N)
    assert [pair.decision for pair in pane.state.paper.pairs] == ["accepted", "rejected"]
    assert pane.project is not None
    press(pane, Key.Key_R)
    assert pane.state.paper.pairs[1].decision is None
    assert_named(pane)


def test_what_came_of_proposing_is_said(pane: AnalysisPane) -> None:
    proposal = pane.state.paper.items[0].proposal
    pane.proposing.done.emit(ProposalsMade((proposal, proposal)))
    assert pane.banner.notices[-1].what == "Edits were proposed for 1 linked comment."
    pane.proposing.done.emit(ProposalsMade((proposal,), unusable=("a", "b")))
    assert pane.banner.notices[-1].what == "The model gave no usable edit for 2 comments."


@pytest.mark.parametrize("answered", [True, False])
def test_links_in_responses_are_sought_and_counted(pane: AnalysisPane, qtbot: QtBot, *, answered: bool) -> None:
    assert pane.project is not None and pane.state.paper.study is not None
    words = next(edit.target_text for edit in pane.state.paper.study.edits if edit.kind == "added")
    if answered:
        ReviewStore(pane.project).set_response(pane.state.paper.items[0].comment.id, f"Now: “{words}”")
    press(pane, Key.Key_2, alt=True)
    press(pane, Key.Key_F)
    qtbot.waitUntil(lambda: any("responses" in notice.what for notice in pane.banner.notices))
    found = len(pane.state.silver.pairs(pane.state.paper.study.revision.id))
    said = f"Found {counted(found, 'link')} in responses." if found else "No links found in responses."
    assert (found > 0) == answered and pane.banner.notices[-1].what == said


def test_tables_and_figures_are_drawn_and_written(pane: AnalysisPane, tmp_path: Path, qtbot: QtBot) -> None:
    press(pane, Key.Key_3, Key.Key_2, Key.Key_2, Key.Key_1, Key.Key_1)
    press(pane, Key.Key_3, alt=True)
    qtbot.waitUntil(lambda: pane.state.found is not None)
    assert pane.figures.side_table.item(0, 3).text() == "1"
    assert "of" in pane.figures.action_bars.accessibleDescription()
    assert not pane.grab().isNull()
    folder = tmp_path / "out"
    folder.mkdir()
    pane.export_to("tables", folder / "a.csv")
    qtbot.waitUntil(lambda: len(list(folder.iterdir())) == 11)
    pane.export_to("figures", folder / "a.csv")
    qtbot.waitUntil(lambda: any("24 files" in notice.what for notice in pane.banner.notices), timeout=60000)
    drawn = {path.stem.rpartition("-")[2] for path in folder.glob("a-*.pdf")}
    assert drawn == {*FIGURES} - {"comparisons", "kappas"}, "neither was answered: nothing is drawn, and there's no p"
    assert "p" in (header := (folder / "a-comparisons.csv").read_text().splitlines())[0].split(",")
    assert all(line.split(",")[-2] == "" for line in header[1:])
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy())


def test_an_export_from_another_view_has_the_answers_given_since(
    pane: AnalysisPane, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(to: str) -> str:
        (folder := tmp_path / to).mkdir()
        monkeypatch.setattr(FileDialogs, "save_file", lambda *_: folder / "a.csv")
        pane.banner.clear()
        QTest.keyClick(pane.list, Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: bool(pane.banner.notices))
        return (folder / "a-sides.csv").read_text()

    before = written("before")
    press(pane, Key.Key_3, Key.Key_2, Key.Key_2, Key.Key_1, Key.Key_1)
    assert written("after") != before


def test_makers_of_proposals_are_named_as_on_the_page(pane: AnalysisPane) -> None:
    assert [pane.origin.itemText(at) for at in range(pane.origin.count())] == ["All, newest first", "sentence frames"]


def test_too_few_judgements_for_kappa_are_not_called_no_data(pane: AnalysisPane, qtbot: QtBot) -> None:
    press(pane, Key.Key_3, alt=True)
    qtbot.waitUntil(lambda: pane.state.found is not None)
    five = {"Promises, real": replace(NOTHING, n=5)}
    pane.figures.show_research(replace(present(pane.state.found), kappas=five))
    assert pane.figures.kappa_bars.accessibleDescription() == "No kappa: fewer than 6 units"
    assert [present(pane.figures.kappas.item(0, at)).text() for at in (1, 3)] == ["–", "5"]
    known = {**five, "Promises, generated": Estimate(0.5, 0.2, 0.8, 9)}
    pane.figures.show_research(replace(present(pane.state.found), kappas=known))
    assert [present(pane.figures.kappas.item(at, 1)).text() for at in (0, 1)] == ["fewer than 6 units", "0.50"]


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_no_row_of_a_table_is_cut_with_large_text(pane: AnalysisPane, qtbot: QtBot, zoom: float) -> None:
    theme().configure(zoom=zoom)
    pane.window().resize(1280, 800)
    press(pane, Key.Key_3, alt=True)
    qtbot.waitUntil(lambda: pane.figures.side_table.rowCount() > 0)
    QCoreApplication.sendPostedEvents()
    table = pane.figures.side_table
    words = [table.item(row, 0).text() for row in range(table.rowCount())]  # type: ignore[union-attr]
    assert max(map(table.fontMetrics().horizontalAdvance, words)) < table.columnWidth(0)


def test_the_place_is_one_key_away(pane: AnalysisPane, qtbot: QtBot) -> None:
    item = pane.state.item
    assert item is not None
    press(pane, Key.Key_G)
    linking = pane.window().panes["linking"]  # type: ignore[attr-defined]
    assert linking.isVisible() and linking.state.comment_id == item.comment.id
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy())
