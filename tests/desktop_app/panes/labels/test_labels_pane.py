"""The labels pane, driven by keys: every sentence of every review, in every layer, without the mouse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from desktop_app.panes.labels.pane import LabelsPane, _step
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.chips import LABELLED
from desktop_app.widgets.model_jobs import KEY
from desktop_app.widgets.origin_words import origin_words
from desktop_app.window import MainWindow
from engine.project import Project
from engine.reviews.labels.heads import Heads
from engine.reviews.labels.records import LAYERS, LabelledSentence, LayerLabel, Suggestion
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.tasks import label_texts
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from tests.desktop_app.looks import cut, laid_out
from tests.desktop_app.pane_cases import PaneCases
from tests.desktop_app.shell_helpers import open_pane
from tests.engine.reviews.labels.invented_reviews import WordVectors, invented_reviews, ship, write_disapere

FIRST = "The model has a gate, which is a pity. Please compare with other baselines. Thank you for the work."
SECOND = "# Summary\n\nThe corpus is small, as it stands.\n\n- **Clarity.** It is clear, e.g. in $x. y$ (Fig. 3)."


class TestLabelsPane(PaneCases):
    pane_id = "labels"

    def fill(self, project: Project, count: int) -> None:
        reviews = ReviewStore(project)
        text = " ".join(f"Sentence {number} says that the loss is odd." for number in range(count))
        source = reviews.add_text("Review", text, reviewer="Reviewer 1").texts[0].id
        labels = LabelStore(project)
        spans = labels.sentence_spans(source)
        labels.save_suggestions(
            source, [Suggestion(source, s, LayerLabel("polarity", ("negative",), (0.8,), "rules:x@1")) for s in spans]
        )


@pytest.fixture
def pane(
    make_window: Callable[[], MainWindow], made: Heads, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> LabelsPane:
    ship(made, tmp_path / "heads", monkeypatch)
    path = tmp_path / "labels.rejoinder"
    with Project.create(path) as project:
        reviews = ReviewStore(project)
        reviews.add_text("Review 1", FIRST, reviewer="Reviewer 1")
        reviews.add_text("Review 2", SECOND, reviewer="Reviewer 2")
    found = open_pane(make_window(), path, "labels", qtbot)
    assert isinstance(found, LabelsPane)
    found.take_focus()
    return found


def press(pane: LabelsPane, key: Qt.Key, more: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(QApplication.focusWidget() or pane, key, more)


def suggest(pane: LabelsPane, qtbot: QtBot) -> None:
    press(pane, Qt.Key.Key_L)
    qtbot.waitUntil(lambda: not pane.jobs.busy and pane.state.has_suggestions(), timeout=30_000)


def said(pane: LabelsPane) -> str:
    assert pane.row is not None
    return pane.row.text


def test_all_sentences_are_there_before_anything_is_said(pane: LabelsPane) -> None:
    assert [row.text for row in pane.list.records] == [
        "The model has a gate, which is a pity.", "Please compare with other baselines.", "Thank you for the work.",
    ]  # fmt: skip
    assert pane.progress.text() == "0 of 3 sentences decided" and not pane.has_suggestion()
    assert pane.review.currentText() == "Reviewer 1 · Review 1"
    press(pane, Qt.Key.Key_J)
    assert said(pane).startswith("Please") and pane.board.title.text() == "Sentence 2 of 3"
    press(pane, Qt.Key.Key_BracketRight)
    assert [row.text for row in pane.list.records] == [
        "Summary", "The corpus is small, as it stands.", "Clarity.", "It is clear, e.g. in $x. y$ (Fig. 3).",
    ]  # fmt: skip
    press(pane, Qt.Key.Key_BracketLeft)
    assert said(pane).startswith("The model")


def test_suggestions_are_taken_and_refused_and_the_next_one_comes_by_itself(pane: LabelsPane, qtbot: QtBot) -> None:
    suggest(pane, qtbot)
    assert all(chip.confidence >= 0.7 for row in pane.list.records for chip in row.chips if chip.suggested)
    assert "⟨Negative" in pane.board.said["polarity"].text() and "your labels" in pane.board.said["polarity"].text()
    press(pane, Qt.Key.Key_Y)
    assert pane.list.records[0].decided and not pane.list.records[0].offered
    assert said(pane).startswith("Please"), "the next suggestion is at hand"
    press(pane, Qt.Key.Key_N)
    assert not pane.list.records[1].offered and said(pane).startswith("Thank")
    press(pane, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert pane.list.records[1].offered
    press(pane, Qt.Key.Key_Y, Qt.KeyboardModifier.ShiftModifier)
    assert not pane.state.has_suggestions() and all(row.decided for row in pane.list.records)
    assert pane.progress.text() == "0 of 3 sentences decided, 3 partly"
    assert pane.row is not None and pane.board.open.text() == pane.row.progress and "aspect" in pane.row.progress
    row = pane.list.model().index(0, 0)
    assert row.data(int(Qt.ItemDataRole.ToolTipRole)).startswith("Open: ")
    assert "Open: " in row.data(int(Qt.ItemDataRole.AccessibleTextRole))
    press(pane, Qt.Key.Key_Space)
    assert pane.state.current == pane.state.texts[1].id and pane.has_suggestion(), "on to the next review"
    press(pane, Qt.Key.Key_BracketLeft)
    press(pane, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert sum(bool(row.offered) for row in pane.list.records) == 2, "all of a review is one step"


def test_accepting_the_last_suggestion_of_a_review_goes_on_in_the_next(pane: LabelsPane, qtbot: QtBot) -> None:
    suggest(pane, qtbot)
    for _ in range(len(pane.list.records)):
        press(pane, Qt.Key.Key_Y)
    assert pane.state.current == pane.state.texts[1].id and pane.has_suggestion()


def test_while_one_searches_suggestions_end_with_what_is_found(pane: LabelsPane, qtbot: QtBot) -> None:
    suggest(pane, qtbot)
    review = pane.state.current
    pane.search(pane.list.records[1].text[:12])
    press(pane, Qt.Key.Key_Y)
    assert len(pane.list.records) == 1 and pane.state.current == review and pane.state.has_suggestions()
    assert [one.what for one in pane.banner.notices][-1:] == ["No more suggestions in the sentences found."]


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)")  # the offscreen platform, of any menu
def test_every_layer_is_decided_by_a_key_and_cleared_by_one(pane: LabelsPane, qtbot: QtBot) -> None:
    chosen = {
        "aspect": "Clarity", "theme": "Datasets", "polarity": "Neutral", "review_action": "Request",
        "actionable": "Requests something", "action": "Define",
    }  # fmt: skip
    for name, _, key in LABELLED:
        press(pane, getattr(Qt.Key, f"Key_{key}"))
        qtbot.waitUntil(lambda: any(menu.isVisible() for menu in pane.findChildren(QMenu)))
        menu = next(menu for menu in pane.findChildren(QMenu) if menu.isVisible())
        next(entry for entry in menu.actions() if entry.text() == chosen[name]).trigger()
        menu.close()
        qtbot.waitUntil(lambda: not any(menu.isVisible() for menu in pane.findChildren(QMenu)))
        assert "decided by you" in pane.board.said[name].text() and chosen[name] in pane.board.said[name].text()
    assert pane.row is not None and pane.row.decided == len(LAYERS)
    assert "Polarity 1" in pane.board.counts.text()
    press(pane, Qt.Key.Key_U)
    assert not pane.row.decided and "—" in pane.board.said["aspect"].text()


def test_sentences_of_a_file_stay_as_they_are_cut(pane: LabelsPane) -> None:
    pane.state.store.import_reviews(invented_reviews(1, sentences=3), "theirs.json")
    pane.show_review(pane.state.neighbour(5))
    assert len(pane.list.records) == 3 and "from theirs.json" in pane.board.said["polarity"].text()
    pane.search("nothing of the kind")
    assert not pane.list.records and pane.board.title.text() == "No sentence"
    pane.search("")
    assert len(pane.list.records) == 3


def _learn(pane: LabelsPane, qtbot: QtBot, words: str) -> Notice:
    """Trains heads; the notice that says ``words``."""
    pane.context.commands.run("labels.learn_labels")
    qtbot.waitUntil(lambda: any(words in one.what + one.means + one.do for one in pane.banner.notices), timeout=60_000)
    qtbot.waitUntil(lambda: not pane.jobs.busy)
    (notice,) = (one for one in pane.banner.notices if one.key == KEY)
    return notice


def test_own_heads_are_proposed_where_they_are_better_and_wait(pane: LabelsPane, qtbot: QtBot) -> None:
    labels = pane.state.store
    _learn(pane, qtbot, "too few labels")
    turned = {"positive": "negative", "negative": "positive", "neutral": "neutral"}
    for review in invented_reviews(12, seed=2):
        tones = [(s.span, turned[s.layers["polarity"][0]]) for s in review.sentences]
        sentences = tuple(LabelledSentence(span, {"polarity": (tone,)}) for span, tone in tones)
        labels.import_reviews([replace(review, sentences=sentences)], "mine.json")
    notice = _learn(pane, qtbot, "Heads were trained on 96")
    found = labels.own_heads()[0].card["comparison"]["layers"]["polarity"]
    assert f"Polarity {100 * found['old']:.0f} → {100 * found['new']:.0f} (difference +" in notice.means
    assert "6 papers" in notice.means and "better for Polarity" in notice.do
    assert [title for title, _ in notice.actions] == ["Use for Polarity", "Keep the ones in use", "All heads"]
    assert not labels.own_heads()[0].used, "nothing is replaced before the click"
    _use, keep, models = (call for _, call in notice.actions)
    keep()
    assert not labels.own_heads()[0].used and "in use before" in pane.banner.notices[0].what
    _use()
    assert labels.own_heads()[0].used and labels.own_heads()[0].card["answers"] == ["polarity"]
    again, undo = (call for _, call in pane.banner.notices[0].actions)
    again()
    qtbot.waitUntil(lambda: not pane.jobs.busy and pane.state.has_suggestions(), timeout=30_000)
    offered = [s.label for text in pane.state.texts for s in labels.suggestions(text.id)]
    assert {label.origin.split("@")[0] for label in offered if label.layer == "polarity"} == {"model:own-labels"}
    undo()
    assert not labels.own_heads()[0].used
    labels.remove_heads(labels.own_heads()[0].id)
    _use()
    assert "were removed" in pane.banner.notices[0].what
    models()
    assert not pane.isVisible()


def test_heads_that_are_no_better_are_not_proposed(pane: LabelsPane, qtbot: QtBot) -> None:
    labels = pane.state.store
    labels.import_reviews(invented_reviews(10, seed=2), "mine.json")
    notice = _learn(pane, qtbot, "Heads were trained on 80")
    assert "keep the ones in use" in notice.do and "Theme" in notice.means
    assert [title for title, _ in notice.actions] == ["All heads"] and not labels.own_heads()[0].used


def test_a_job_that_is_stopped_in_the_tray_can_be_asked_for_again(
    pane: LabelsPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    let, heard = threading.Event(), threading.Event()

    class Waiting(WordVectors):
        def encode(self, texts: Any, report: Any = None) -> Any:
            heard.set()
            let.wait(20)
            return super().encode(texts, report)

    monkeypatch.setitem(label_texts.__wrapped__.__kwdefaults__, "encoder", Waiting)
    press(pane, Qt.Key.Key_L)
    assert pane.jobs.busy and not pane.can_suggest() and pane.progress.text().endswith("model is working…")
    qtbot.waitUntil(heard.is_set)
    bridge = pane.context.bridge
    bridge.cancel_job(next(iter(bridge._handles)))
    let.set()
    qtbot.waitUntil(lambda: not pane.jobs.busy and pane.can_suggest())
    assert "working" not in pane.progress.text()
    suggest(pane, qtbot)


def test_a_data_set_is_imported_from_a_folder_and_again_without_doubles(
    pane: LabelsPane, tmp_path: Path, qtbot: QtBot
) -> None:
    write_disapere(tmp_path / "data", invented_reviews(4, sentences=5))
    for added, here in ((4, 0), (0, 4)):
        pane.import_folder(tmp_path / "data")
        qtbot.waitUntil(lambda: not pane.jobs.busy, timeout=30_000)
        (notice,) = pane.banner.notices
        assert f"{added} reviews of DISAPERE" in notice.what and "doesn't allow commercial use" in notice.means
        assert "all stances and actions of rebuttals" in notice.means
        assert f"{here} were already in the project" in notice.what or not here
        assert pane.review.count() == 6 and pane.state.store.counts()["polarity"] == 20
    assert len({review.paper for review in pane.state.store.labelled_reviews()}) == 2, (
        "reviews of a paper stay together"
    )
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks" / "R_annotated.txt").write_text("Bad, [CRT]]  Good.[[RES-POS], [null]]", encoding="utf-8")
    pane.import_folder(tmp_path / "marks")
    qtbot.waitUntil(lambda: any("1 problem: R_annotated: the mark" in n.means for n in pane.banner.notices))
    (notice,) = pane.banner.notices
    assert notice.kind == "attention" and "1 mark couldn't be read." in notice.what
    pane.import_folder(tmp_path / "heads")
    qtbot.waitUntil(lambda: any("no annotated reviews" in n.what for n in pane.banner.notices), timeout=30_000)


def test_who_said_it_in_words() -> None:
    assert origin_words("person") == "decided by you" and origin_words("import:a.json") == "from a.json"
    assert origin_words("rules:wording@1") == "wording rules"
    assert origin_words("model:peer-review-analyze@1+fine-tuned") == "the bundled heads and a fine-tuned encoder"
    assert origin_words("model:own-labels@90-1") == "heads trained on your labels"
    assert origin_words("model:fine-tuned") == "a fine-tuned encoder"


def test_a_menu_of_several_keeps_the_others(pane: LabelsPane) -> None:
    pane.set_label("theme", ("datasets",))
    pane.set_label("theme", ("datasets", "methodology"))
    assert pane.row is not None and set(pane.row.labels.themes) == {"datasets", "methodology"}
    assert pane.row.labels.span == Span(0, FIRST.index(" Please"))


def decide_polarity(pane: LabelsPane, qtbot: QtBot) -> None:
    """By the key of the layer and an entry of its menu."""
    press(pane, Qt.Key.Key_P)
    qtbot.waitUntil(lambda: any(menu.isVisible() for menu in pane.findChildren(QMenu)))
    menu = next(menu for menu in pane.findChildren(QMenu) if menu.isVisible())
    next(entry for entry in menu.actions() if entry.text() == "Negative").trigger()
    menu.close()
    qtbot.waitUntil(lambda: not any(menu.isVisible() for menu in pane.findChildren(QMenu)))


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)")  # the offscreen platform, of any menu
def test_it_is_kept_whether_a_suggestion_was_on_screen(pane: LabelsPane, qtbot: QtBot) -> None:
    def kept() -> list[tuple[str, int]]:
        assert pane.project is not None
        rows = pane.project.query("SELECT labels, suggested FROM sentence_label WHERE layer = 'polarity' ORDER BY id")
        return [(row[0], row[1]) for row in rows]

    decide_polarity(pane, qtbot)
    ((_, shown),) = kept()
    assert shown == 0, "nothing was suggested yet"
    pane.project.undo()  # type: ignore[union-attr]
    suggest(pane, qtbot)
    pane.set_label("polarity", ("positive",))
    assert [shown for _, shown in kept()] == [1], "decided otherwise than suggested"
    press(pane, Qt.Key.Key_Y)
    assert {shown for _, shown in kept()} == {1}


def test_a_long_sentence_is_shown_whole_with_large_text(pane: LabelsPane) -> None:
    theme().configure(zoom=1.5)
    words = " ".join(f"the {number}th street has many counters," for number in range(20))
    lines = pane.list._split(f"We think that {words} which is a pity.")
    assert len(lines) > 8 and " ".join(line.strip() for line in lines).endswith("which is a pity.")
    huge = pane.list._split("counters " * 20_000)
    assert len(huge) < 60 and huge[-1].endswith("…"), "what is no sentence at all is cut"


def test_a_narrow_list_leaves_its_width_to_the_words(pane: LabelsPane) -> None:
    """The state of a sentence is below its chips then."""
    rows = pane.list
    heights = []
    for zoom in (1.0, 2.0):
        theme().configure(zoom=zoom)
        rows.setFixedWidth(400)
        words, room = rows.records[0], rows._room()
        heights.append((rows._height(words) - len(rows._split(words.text)) * _step()) / zoom)
    assert room.width() > rows.viewport().width() / 2
    assert heights[1] > heights[0]


@pytest.mark.parametrize("zoom", [1.0, 1.75, 2.0])
def test_a_label_and_who_decided_it_fit_into_their_row(pane: LabelsPane, zoom: float) -> None:
    theme().configure(zoom=zoom)
    laid_out(pane)
    small, board = f"font-size:{theme().px(11)}px", pane.board
    before = [button.y() for button in board.buttons.values()]
    for label in board.said.values():
        label.setText(f"<span style='{small}'>⟨Neutral&nbsp;91&nbsp;%⟩</span><br><span style='{small}'>by rules</span>")
    laid_out(pane)
    assert not cut(board)
    assert [button.y() for button in board.buttons.values()] == before


def test_rows_stay_where_they_are_while_sentences_are_labelled(pane: LabelsPane) -> None:
    places = [pane.list.visualRect(pane.list.model().index(number, 0)) for number in range(3)]
    assert pane.row is not None and not pane.row.chips
    pane.set_label("polarity", ("positive",))
    assert pane.row.chips
    assert [pane.list.visualRect(pane.list.model().index(number, 0)) for number in range(3)] == places


def test_labels_are_exported_with_the_mouse(pane: LabelsPane, qtbot: QtBot) -> None:
    button = next(one for one in pane.findChildren(CommandButton) if one.text().startswith("Export…"))
    assert button.isVisible() and button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    (dialog,) = [one for one in pane.window().findChildren(QFileDialog) if one.isVisible()]
    assert dialog.selectedNameFilter().startswith("DISAPERE")
    dialog.reject()


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)")  # the offscreen platform, of any menu
def test_after_a_label_is_chosen_with_the_mouse_the_keys_go_to_the_sentences(pane: LabelsPane, qtbot: QtBot) -> None:
    """Space opened the menu again instead of going on to the next suggestion."""
    button = pane.board.buttons["aspect"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: any(menu.isVisible() for menu in pane.findChildren(QMenu)))
    menu = next(menu for menu in pane.findChildren(QMenu) if menu.isVisible())
    entry = next(entry for entry in menu.actions() if entry.text() == "Clarity")
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry).center())
    qtbot.waitUntil(lambda: pane.row is not None and pane.row.labels.aspect == "clarity")
    assert pane.list.hasFocus()


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_no_button_moves_when_a_sentence_gets_its_first_label(pane: LabelsPane, zoom: float) -> None:
    pane.window().resize(1280, 800)
    theme().configure(zoom=zoom)
    laid_out(pane.window())

    def places() -> dict[str, int]:
        buttons = pane.board.findChildren(CommandButton)
        return {button.accessibleName(): button.mapTo(pane.board, button.rect().topLeft()).y() for button in buttons}

    before = places()
    pane.set_label("aspect", ["clarity"])
    laid_out(pane.window())
    assert pane.board.open.text().startswith("Open: ") and places() == before
