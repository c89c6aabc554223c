"""Fine-tuning from the Models pane: the dialog, the job with its end in the banner, stopping, and the new model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.panes.models.details import tuned_values
from desktop_app.panes.models.pane import ModelsPane
from desktop_app.panes.models.tuning_dialog import FOLDER, OWN, TuningDialog
from desktop_app.window import MainWindow
from engine.errors import Cancelled
from engine.jobs import Report
from engine.models.library import AddedFolder
from engine.project import Project
from engine.research.labels.encoders import LEAST_SENTENCES, TunedEncoder, Tuning, tune
from engine.reviews.labels.classifier import USE
from engine.reviews.labels.records import LabelledReview
from engine.reviews.labels.store import LabelStore
from tests.desktop_app.pane_cases import assert_named
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.reviews.labels.invented_reviews import invented_reviews, write_disapere, write_peer_review_analyze

Beside = Callable[[Sequence[LabelledReview], Tuning, Report], TunedEncoder]


@pytest.fixture
def pane(window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> ModelsPane:
    monkeypatch.setattr("engine.research.tasks.tune_beside", tune)  # a process of its own has its own test
    window.show_pane("models")
    found = window.panes["models"]
    assert isinstance(found, ModelsPane)
    found.add_folder(make_tiny_encoder(tmp_path / "tiny"))
    qtbot.waitUntil(lambda: found.current is not None and found.current.title == "tiny")
    return found


def dialog_of(pane: ModelsPane) -> TuningDialog:
    pane.context.commands.run("models.fine_tune")
    dialog = pane.tuner.dialog
    assert dialog is not None and dialog.isVisible()
    return dialog


def begin(pane: ModelsPane, tmp_path: Path) -> None:
    """Fine-tunes the tiny encoder on invented reviews."""
    if not (tmp_path / "data").is_dir():
        write_peer_review_analyze(tmp_path / "data", invented_reviews(20, sentences=12, seed=6))
    dialog = dialog_of(pane)
    dialog.start_box.setCurrentIndex(dialog.start_box.findText("tiny"))
    dialog.data_line.setText(str(tmp_path / "data"))
    dialog.out_line.setText(str(tmp_path / "new encoder"))
    dialog.epoch_box.setValue(1)
    dialog.accept()


def test_the_dialog_says_what_is_missing(pane: ModelsPane, tmp_path: Path) -> None:
    dialog = dialog_of(pane)
    assert_named(dialog)
    assert dialog.source == FOLDER and not dialog.ok.isEnabled() and "data set" in dialog.note.text()
    assert dialog.out.parent.name == "models" and dialog.out.name.endswith("-labels")
    dialog.data_line.setText(str(tmp_path))
    assert dialog.ok.isEnabled() and "in the background" in dialog.note.text()
    write_disapere(tmp_path / "disapere", invented_reviews(2))
    dialog.data_line.setText(str(tmp_path / "disapere"))
    assert dialog.ok.isEnabled() and "research use only" in dialog.note.text()
    dialog.source_box.setCurrentIndex(1)
    assert dialog.source == OWN and not dialog.ok.isEnabled() and str(LEAST_SENTENCES) in dialog.note.text()
    dialog.start_box.setCurrentIndex(dialog.start_box.findText("tiny"))
    assert dialog.out.name == "tiny-labels" and dialog.start.folder == tmp_path / "tiny"
    dialog.reject()


def test_a_project_with_labels_enough_is_offered_first(
    pane: ModelsPane, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    project = Project.create(tmp_path / "p.rejoinder")
    LabelStore(project).import_reviews(invented_reviews(24, sentences=10), "mine.json")
    window.context.bridge.set_project(project)
    qtbot.waitUntil(lambda: pane.project is project)
    dialog = dialog_of(pane)
    assert dialog.source == OWN and "240 sentences" in dialog.source_box.currentText() and dialog.ok.isEnabled()
    dialog.reject()


def test_a_tuned_encoder_is_listed_chosen_described_and_told(pane: ModelsPane, tmp_path: Path, qtbot: QtBot) -> None:
    begin(pane, tmp_path)
    assert pane.tuner.busy and not pane.context.commands.enabled("models.fine_tune")
    qtbot.waitUntil(lambda: not pane.tuner.busy, timeout=120_000)
    (notice,) = pane.banner.notices
    assert "now suggests labels" in notice.what and "held-out" in notice.means and "Theme" in notice.means
    shown = pane.current
    assert shown is not None and shown.kind == "label encoder" and shown.title == "new encoder"
    entry = pane.library.chosen(USE)
    assert isinstance(entry, AddedFolder) and entry.folder == tmp_path / "new encoder"
    details = pane.details
    assert details.boxes[USE].isVisibleTo(pane) and details.boxes[USE].isChecked()
    assert details.facts["Measured"].text().startswith("Polarity: micro-F1")
    assert "from tiny" in details.facts["Trained on"].text()
    details.boxes[USE].click()
    assert pane.library.chosen(USE) is None
    assert tuned_values(tmp_path / "nothing")["Measured"] == "not stated"


@pytest.mark.parametrize("where", ["banner", "tray"])
def test_a_training_is_stopped_and_can_be_begun_again(
    pane: ModelsPane, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    begun = threading.Event()

    def endless(_reviews: Any, _tuning: Tuning, report: Report) -> TunedEncoder:
        begun.set()
        pause = threading.Event()
        while not pause.wait(0.01):
            report.check()
        raise Cancelled

    monkeypatch.setattr("engine.research.tasks.tune_beside", endless)
    begin(pane, tmp_path)
    qtbot.waitUntil(begun.is_set)
    if where == "banner":
        (stop,) = (call for words, call in pane.banner.notices[0].actions if words == "Stop")
        stop()
    else:
        bridge = pane.context.bridge
        bridge.cancel_job(max(bridge._handles))
    qtbot.waitUntil(lambda: not pane.tuner.busy and pane.context.commands.enabled("models.fine_tune"))
    assert "Training stopped" in pane.banner.notices[0].what
    assert not (tmp_path / "new encoder").exists() and pane.library.chosen(USE) is None


def test_what_cannot_be_trained_is_told(pane: ModelsPane, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "data").mkdir()
    begin(pane, tmp_path)
    qtbot.waitUntil(lambda: not pane.tuner.busy, timeout=60_000)
    assert "contains no annotated reviews" in pane.banner.notices[0].what
