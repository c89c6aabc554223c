"""An annotator's way with labels by keys alone and by mouse alone: reviews in, suggestions across reviews accepted and
rejected, layers decided through menus, one act taken back, the labelled reviews written as a data set; opened again,
all of it is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.labels.pane import LabelsPane
from desktop_app.window import MainWindow
from engine.jobs import QuietReport
from engine.project import Project
from engine.research.labels.own import fit_own
from engine.reviews.labels import heads as head_files
from engine.reviews.labels.tasks import label_texts
from tests.e2e.at_the_window import Visitor, answer_dialogs, first_palette, open_window, watched, without
from tests.engine.reviews.labels.invented_reviews import WordVectors, invented_reviews

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
LAYER_KEYS = ("aspect", "theme", "polarity", "review_action", "actionable", "action")


def reviews(folder: Path) -> list[Path]:
    made = []
    for number, review in enumerate(invented_reviews(2, sentences=4), start=1):
        made.append(folder / f"review-{number}.md")
        made[-1].write_text(review.text.text, encoding="utf-8")
    return made


def shown(window: MainWindow) -> LabelsPane:
    pane = window.pane
    assert isinstance(pane, LabelsPane)
    return pane


def export_labels(annotator: Visitor, path: Path) -> None:
    """Ctrl+E proposes a format of labels: a name, Return."""
    annotator.key(Key.Key_E, modifiers=CONTROL)
    dialog = annotator.dialog(QFileDialog)
    kinds = dialog.findChild(QComboBox, "fileTypeCombo")
    name = dialog.findChild(QLineEdit, "fileNameEdit")
    assert isinstance(kinds, QComboBox) and isinstance(name, QLineEdit)
    assert Path(dialog.directory().path()) == path.parent, "the dialog opens beside the project"
    assert kinds.currentText().startswith("DISAPERE")
    name.setFocus()
    annotator.key(Key.Key_A, modifiers=CONTROL)
    annotator.type(path.name)
    annotator.key(Key.Key_Return)
    annotator.until(path.is_dir)
    annotator.front()
    annotator.idle()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project; labels are suggested by small heads over word vectors."""
    made = fit_own(invented_reviews(12), ("theme", "polarity"), WordVectors(), QuietReport())
    head_files.write(made, tmp_path / "heads", head_files.SHIPPED)
    monkeypatch.setattr(head_files, "shipped_folder", lambda: tmp_path / "heads")
    monkeypatch.setitem(label_texts.__wrapped__.__kwdefaults__, "encoder", WordVectors)
    path = tmp_path / "labels.rejoinder"
    Project.create(path, "Labels of two reviews", "Ada").close()
    answer_dialogs(monkeypatch, tmp_path / "out", reviews(tmp_path))
    return path


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_from_reviews_to_a_labelled_data_set(
    make_window: Callable[[], MainWindow], qtbot: QtBot, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watched(), without(QEvent.Type.MouseButtonPress):
        annotator = open_window(path, make_window, qtbot)
        window = annotator.window
        first_palette(annotator)
        linking = annotator.import_files(reviews(path.parent), monkeypatch)
        annotator.until(lambda: len(linking.study.comments) > 0)
        annotator.front()
        annotator.palette("go to labels")
        pane = shown(window)
        annotator.until(lambda: pane.review.count() == 2)
        assert pane.progress.text().startswith("0 of 4 sentences decided")
        annotator.look()

        # suggested in both reviews; Y and N go on, also into the next review, and say when none is left
        pane.take_focus()
        annotator.key(Key.Key_L)
        annotator.until(lambda: not pane.jobs.busy and pane.state.has_suggestions())
        seen = set()
        for number in range(20):
            row = pane.row
            if row is None or not row.offered:
                break
            seen.add((pane.state.current, row.text))
            with annotator.still(pane.list, pane.board):
                annotator.key(Key.Key_N if number == 1 else Key.Key_Y)
        assert len(seen) == 8 and len({review for review, _ in seen}) == 2, "every sentence of both reviews"
        assert any("No more suggestions" in one.what for one in pane.banner.notices)

        # two of six layers were suggested: nothing is called decided before all six are
        assert pane.progress.text().startswith("0 of 4 sentences decided")
        annotator.key(Key.Key_Home)
        assert pane.list.currentIndex().row() == 0
        assert pane.row is not None and pane.row.decided and "Open: " in pane.board.open.text()
        for layer in LAYER_KEYS:
            if layer not in pane.row.labels.origins:
                annotator.run(f"labels.label_{layer}")
                annotator.key(Key.Key_Down, Key.Key_Return)
                annotator.front()
        annotator.look()
        assert pane.progress.text().startswith("1 of 4 sentences decided"), pane.board.open.text()
        annotator.key(Key.Key_Z, modifiers=CONTROL)
        assert pane.progress.text().startswith("0 of 4 sentences decided")
        annotator.key(Key.Key_Y, modifiers=CONTROL)
        assert pane.progress.text().startswith("1 of 4 sentences decided")

        out = path.parent / "labelled"
        export_labels(annotator, out)
        written = "".join(file.read_text(encoding="utf-8") for file in out.rglob("*.json"))
        assert all(text in written for _, text in seen)
    window.stop_work()
    window.close()

    again = open_window(path, make_window, qtbot).window
    again.show_pane("labels")
    decided = dict.fromkeys((text.id for text in shown(again).state.texts), 0)
    for review in decided:
        shown(again).show_review(review)
        decided[review] = sum(row.decided == 6 for row in shown(again).state.sentences)
    assert sorted(decided.values()) == [0, 1]


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_same_by_mouse(make_window: Callable[[], MainWindow], qtbot: QtBot, path: Path) -> None:
    with watched(), without(QEvent.Type.KeyPress):
        annotator = open_window(path, make_window, qtbot)
        annotator.click(annotator.window.side.buttons["labels"])
        annotator.press("Add reviews")
        annotator.press("Add files…")
        annotator.idle()
        annotator.click(annotator.window.side.buttons["labels"])
        pane = shown(annotator.window)
        annotator.until(lambda: pane.review.count() == 2)
        annotator.press("Suggest labels")
        annotator.until(lambda: not pane.jobs.busy and pane.state.has_suggestions())
        annotator.row(pane.list, 1)
        assert pane.row is not None
        accepted = pane.row.text
        annotator.press("Accept")
        assert pane.row.text != accepted, "it goes on by itself"
        refused = pane.row.text
        annotator.press("Reject")
        rows = {row.text: row for row in pane.state.sentences}
        assert rows[accepted].decided and not rows[accepted].offered and not rows[refused].offered
        annotator.row(pane.list, 1)
        for layer in LAYER_KEYS:
            if layer not in pane.row.labels.origins:
                annotator.click(pane.board.buttons[layer])
                annotator.pick(next(one.text() for one in annotator.entries() if one.text() != "None"))
        assert pane.progress.text().startswith("1 of 4 sentences decided"), pane.board.open.text()
        annotator.press("Clear")
        assert pane.progress.text().startswith("0 of 4 sentences decided")
        annotator.choose(pane.review, 1)
        annotator.until(lambda: accepted not in {row.text for row in pane.list.records})
        annotator.press("Accept all")
        labelled = [row.text for row in pane.state.sentences if row.decided]
        assert labelled and not any(row.offered for row in pane.state.sentences)

        annotator.click(annotator.window.side.menu_button)
        annotator.pick("File", "Export…")
        annotator.until(lambda: isinstance(QApplication.activeModalWidget(), QFileDialog))
        dialog = present(QApplication.activeModalWidget())
        (save,) = [one for one in dialog.findChildren(QAbstractButton) if one.text().replace("&", "") == "Save"]
        annotator.click(save)
        annotator.front()

        def written() -> str:
            return "".join(file.read_text(encoding="utf-8") for file in path.parent.rglob("*.json"))

        annotator.until(lambda: all(words in written() for words in labelled))
        annotator.idle()
    annotator.window.stop_work()
    annotator.window.close()
