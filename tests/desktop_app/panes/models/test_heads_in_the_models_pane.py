"""Heads for review labels in the Models pane: their card, a trial, those of the open project."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.panes.models.details import HeadsEntry, learnt_words, measured_words
from desktop_app.panes.models.pane import ModelsPane
from desktop_app.window import MainWindow
from engine.jobs import QuietReport
from engine.project import Project
from engine.research.labels.own import fit_own
from engine.research.tasks import train_own_heads
from engine.reviews.labels import heads as head_files
from engine.reviews.labels.heads import to_bytes
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.tasks import try_heads
from tests.engine.reviews.labels.invented_reviews import WordVectors, invented_reviews


@pytest.fixture(scope="module")
def made() -> head_files.Heads:
    return fit_own(invented_reviews(12), ("theme", "polarity"), WordVectors(), QuietReport(), title="My labels")


@pytest.fixture
def pane(
    window: MainWindow, made: head_files.Heads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> ModelsPane:
    head_files.write(made, tmp_path / "heads", head_files.SHIPPED)
    monkeypatch.setattr(head_files, "shipped_folder", lambda: tmp_path / "heads")
    for function in (try_heads, train_own_heads):
        monkeypatch.setitem(function.__wrapped__.__kwdefaults__, "encoder", WordVectors)
    window.show_pane("models")
    found = window.panes["models"]
    assert isinstance(found, ModelsPane)
    return found


def titles(pane: ModelsPane) -> list[str]:
    return [f"{shown.title}, {shown.where}" for shown in pane._shown.values() if isinstance(shown.entry, HeadsEntry)]


def select(pane: ModelsPane, where: str) -> None:
    keys = [key for key, shown in pane._shown.items() if shown.kind == "heads" and where in shown.where]
    pane.list.pick(keys[0])


def test_heads_show_their_card_and_read_a_sentence(pane: ModelsPane, tmp_path: Path, qtbot: QtBot) -> None:
    select(pane, "bundled")
    facts = pane.details.facts
    assert facts["Kind"].text() == "Heads, bundled" and facts["Folder"].text() == str(tmp_path / "heads")
    assert "KB" in facts["On disk"].text() and facts["Measured"].text().startswith("Theme: micro-F1")
    assert facts["Trained on"].text().endswith("sentences; seed 1") and not pane.details.own_use.isVisibleTo(pane)
    qtbot.waitUntil(lambda: len(facts["Hash"].text()) == 16)
    assert not pane.context.commands.enabled("models.remove")
    pane.details.try_it()
    assert pane.details.note.text() == "Enter a sentence."
    qtbot.keyClicks(pane.details.first, "The loss is odd, which is a pity. Please compare with baselines.")
    pane.details.try_it()
    qtbot.waitUntil(pane.details.go.isEnabled, timeout=30_000)
    answer = pane.details.answer.toPlainText()
    assert "Polarity: Negative" in answer and "(heads)" in answer and "Please compare with baselines." in answer


def test_heads_of_the_project_are_listed_chosen_and_removed(
    pane: ModelsPane, window: MainWindow, made: head_files.Heads, tmp_path: Path, qtbot: QtBot
) -> None:
    assert len(titles(pane)) == 1
    project = Project.create(tmp_path / "p.rejoinder")
    store = LabelStore(project)
    store.use_heads(store.save_heads("My labels", made.card, to_bytes(made)).id)
    window.context.bridge.set_project(project)
    qtbot.waitUntil(lambda: titles(pane)[1:] == ["My labels, in this project, used"])
    select(pane, "in this project")
    details = pane.details
    assert details.own_use.isVisibleTo(pane) and details.own_use.isChecked()
    assert details.facts["Folder"].text() == "in the open project"
    details.own_use.click()
    assert not any(own.used for own in store.own_heads())
    qtbot.waitUntil(lambda: titles(pane)[1:] == ["My labels, in this project"])
    assert pane.current is not None and pane.current.title == "My labels"
    details.own_use.click()
    assert [own.used for own in store.own_heads()] == [True]
    qtbot.keyClicks(details.first, "The loss is odd, which is a pity.")
    details.try_it()
    qtbot.waitUntil(details.go.isEnabled, timeout=30_000)
    assert "Theme: Methodology" in details.answer.toPlainText()
    window.context.commands.run("models.remove")
    qtbot.waitUntil(lambda: len(titles(pane)) == 1)
    assert store.own_heads() == ()
    window.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: titles(pane)[1:] == ["My labels, in this project, used"])
    assert store.heads_weights(store.own_heads()[0].id) == to_bytes(made)


def test_a_card_in_words() -> None:
    card = {
        "data": "Some reviews",
        "data_licence": "MIT",
        "reviews": 7200,
        "sentences": 90000,
        "seed": 3,
        "suggestions": {
            "theme": {"from": 0.85},
            "polarity": {"labels": {"positive": {"from": 0.85}, "negative": {"from": None}, "neutral": {"from": 0.7}}},
            "else": {"from": None},
        },
        "cross_validation": {
            "theme": {"micro_f1": 0.651, "macro_f1": 0.55},
            "polarity": {"micro_f1": 0.5, "macro_f1": 0.5},
            "else": {"micro_f1": 1, "macro_f1": 1},
            "unmeasured": {"micro_f1": 1, "macro_f1": 1},
        },
        "figures": [
            {
                "task": "theme",
                "strategy": "heads",
                "split": "by paper",
                "metric": "micro-F1",
                "value": 65,
                "low": 62.5,
                "high": 68,
            }
        ],
    }
    assert learnt_words(card) == "Some reviews (MIT): 7,200 reviews, 90,000 sentences; seed 3"
    assert measured_words(card).splitlines() == [
        "Theme: micro-F1 65.1, macro-F1 55.0 (cross-validated); suggested from 85 %",
        "Polarity: micro-F1 50.0, macro-F1 50.0 (cross-validated); suggested from 70 % to 85 %",
        "else: micro-F1 100.0, macro-F1 100.0 (cross-validated); not suggested: too few of its labels are right",
        "unmeasured: micro-F1 100.0, macro-F1 100.0 (cross-validated); not suggested: how many of its labels are right"
        " is unknown",
        "Theme, heads, by paper: micro-F1 65.0 [62.5, 68.0]",
    ]
    assert learnt_words({}) == "not stated: ; seed not stated"
