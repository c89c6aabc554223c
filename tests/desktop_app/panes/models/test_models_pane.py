"""The Models pane: folders and servers are added, refused, chosen, tried, and forgotten."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.models.details import size_words
from desktop_app.panes.models.language_part import ServerDialog
from desktop_app.panes.models.pane import ModelsPane
from desktop_app.theme import theme
from desktop_app.window import MainWindow
from engine.errors import BadInput
from engine.models.language import Completion, Manner
from engine.models.library import AddedFolder, AddedServer, ModelLibrary
from engine.papers.store import PaperStore
from engine.project import Project
from tests.desktop_app.pane_cases import PaneCases, assert_named
from tests.engine.models.faulty_server import Exchange, faulty_server
from tests.engine.models.scripted_server import Script, even, scripted_server
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.models.tiny_language_model import make_tiny_language_model


@pytest.fixture(scope="module")
def language_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_language_model(tmp_path_factory.mktemp("models") / "tiny-writer")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_encoder(tmp_path_factory.mktemp("models") / "tiny-encoder")


class TestModels(PaneCases):
    pane_id = "models"


@pytest.fixture
def pane(window: MainWindow) -> ModelsPane:
    window.show_pane("models")
    found = window.panes["models"]
    assert isinstance(found, ModelsPane)
    return found


def add(pane: ModelsPane, folder: Path, qtbot: QtBot) -> None:
    rows = pane.list.model().rowCount()
    pane.add_folder(folder)
    qtbot.waitUntil(lambda: pane.list.model().rowCount() == rows + 1)


def test_a_folder_is_dropped_looked_into_and_shown(
    pane: ModelsPane, language_model: Path, qtbot: QtBot, window: MainWindow
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(language_model))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(pane, enter)
    assert enter.isAccepted()
    rows = pane.list.model().rowCount()
    QApplication.sendEvent(pane, QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, buttons, keys))
    qtbot.waitUntil(lambda: pane.list.model().rowCount() == rows + 1)
    facts = pane.details.facts
    assert pane.details.title.text() == "tiny-writer"
    assert facts["Kind"].text() == "Language model, folder" and "512 tokens" in facts["Context"].text()
    assert facts["Licence"].text() == "not stated" and "free" in facts["Memory"].text()
    qtbot.waitUntil(lambda: len(facts["Hash"].text()) == 16)
    assert pane.status_text.startswith("1 added")


def test_a_refused_folder_is_said_in_the_banner(
    pane: ModelsPane, language_model: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "pickled"
    shutil.copytree(language_model, folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    pane.add_folder(folder)
    qtbot.waitUntil(lambda: bool(pane.banner.notices))
    assert "Python pickle" in pane.banner.notices[0].what
    assert ModelLibrary().added() == ()


def test_a_language_model_answers_piece_by_piece(pane: ModelsPane, language_model: Path, qtbot: QtBot) -> None:
    add(pane, language_model, qtbot)
    details = pane.details
    assert details.answer.isVisible() and not details.second.isVisible()
    qtbot.keyClick(details.first, Qt.Key.Key_Return)
    assert details.note.text() == "Enter a question."
    qtbot.keyClicks(details.first, "Sound?")
    could_stop: list[bool] = []  # at each piece: the whole answer may be there when a wait ends
    details.answer.textChanged.connect(lambda: could_stop.append(details.stop.isEnabled()))
    qtbot.keyClick(details.first, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: any(could_stop) and details.go.isEnabled(), timeout=60_000)
    assert details.answer.toPlainText() and "tokens in" in details.note.text()
    pane._tried(Completion("Yes", "stop", 3, 1, 0.2))
    assert details.note.text() == "1 token in 0.2 s"


def test_stop_ends_a_trial(pane: ModelsPane, language_model: Path, qtbot: QtBot) -> None:
    add(pane, language_model, qtbot)
    qtbot.keyClicks(pane.details.first, "Sound?")
    pane.details.go.click()
    assert pane.details.stop.isEnabled() and not pane.details.go.isEnabled()
    pane.details.stop.click()
    assert pane.details.note.text() == "Stopped" and pane.details.go.isEnabled()


def test_an_encoder_compares_two_texts(pane: ModelsPane, encoder: Path, qtbot: QtBot) -> None:
    add(pane, encoder, qtbot)
    details = pane.details
    qtbot.keyClicks(details.first, "the paper")
    details.go.click()
    assert details.note.text() == "Enter a text in each field."
    qtbot.keyClicks(details.second, "the paper")
    qtbot.keyClick(details.second, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: details.note.text() == "Similarity 1.000", timeout=60_000)


def test_a_task_uses_the_model_that_is_ticked(
    pane: ModelsPane, language_model: Path, encoder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other"
    shutil.copytree(language_model, other)
    add(pane, encoder, qtbot)
    assert not any(box.isVisible() for box in pane.details.boxes.values()), "no task takes just any encoder"
    assert pane.details._fixed_use.isVisible() and "Expertise" in pane.details._fixed_use.text()
    add(pane, language_model, qtbot)
    box = pane.details.boxes["edit-generation"]
    assert box.isVisible() and box.isChecked(), "the only one is used"
    add(pane, other, qtbot)
    assert not box.isChecked()
    box.click()
    chosen = ModelLibrary().chosen("edit-generation")
    assert chosen is not None and chosen.id == "other"
    box.click()
    assert ModelLibrary().chosen("edit-generation") is None


def test_removing_forgets_and_the_bundled_ones_stay(
    pane: ModelsPane, window: MainWindow, language_model: Path, qtbot: QtBot
) -> None:
    add(pane, language_model, qtbot)
    commands = window.context.commands
    assert commands.enabled("models.remove")
    commands.run("models.remove")
    assert ModelLibrary().added() == () and language_model.is_dir()
    assert all(not shown.key for shown in pane._shown.values())
    assert not commands.enabled("models.remove")


@pytest.mark.parametrize("by_button", [True, False])
def test_a_removed_model_comes_back_with_its_tasks(
    pane: ModelsPane, window: MainWindow, language_model: Path, qtbot: QtBot, by_button: bool
) -> None:
    add(pane, language_model, qtbot)
    library, commands = ModelLibrary(), window.context.commands
    (entry,) = library.added()
    library.choose("rebuttal-drafting", entry.id)
    commands.run("models.remove")
    assert library.added() == () and commands.text("edit.undo") == f"Undo “Remove {entry.title}”"
    if by_button:
        (notice,) = pane.banner.notices
        ((title, undo),) = notice.actions
        assert title == "Undo"
        undo()
    else:
        assert commands.run("edit.undo")
    assert library.added() == (entry,) and library.chosen("rebuttal-drafting") == entry
    assert pane.current is not None and pane.current.key == entry.id and pane.banner.notices == []
    assert not commands.enabled("edit.undo"), "no project is open, and the model is back"
    assert commands.text("edit.redo") == f"Redo “Remove {entry.title}”" and commands.run("edit.redo")
    assert library.added() == () and not commands.enabled("edit.redo")
    assert commands.run("edit.undo") and library.added() == (entry,)


def test_what_was_done_in_the_project_since_is_undone_first(
    pane: ModelsPane, window: MainWindow, language_model: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    project = Project.create(tmp_path / "p.rejoinder")
    window.context.bridge.set_project(project)
    add(pane, language_model, qtbot)
    window.context.commands.run("models.remove")
    PaperStore(project).add_paper("A paper")
    qtbot.waitUntil(lambda: pane.removal is None)
    assert window.context.commands.run("edit.undo") and PaperStore(project).papers() == ()
    assert ModelLibrary().added() == ()


@pytest.mark.loopback
def test_a_server_is_asked_for_its_models_and_added(
    pane: ModelsPane, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def handler(exchange: Exchange) -> None:
        exchange.say({"data": [{"id": "first"}, {"id": "second"}]})

    with faulty_server(handler) as (url, seen):
        window.context.commands.run("models.add_server")
        dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, ServerDialog))
        assert_named(dialog)
        assert not dialog.ok.isEnabled() and seen == []
        order, at = [dialog.url], dialog.url.nextInFocusChain()
        while at is not dialog.url:
            if at.focusPolicy() & Qt.FocusPolicy.TabFocus and at.focusProxy() is None:
                order.append(at)
            at = at.nextInFocusChain()
        wanted = [dialog.url, dialog.models, dialog.list, dialog.context, dialog.key, dialog.remote]
        assert [one for one in order if one in wanted] == wanted, "Tab goes from top to bottom"
        dialog.url.setText("http://192.0.2.1:80/v1")
        assert "another computer" in dialog.note.text() and not dialog.list.isEnabled()
        dialog.remote.click()
        assert "will be sent to that computer" in dialog.note.text()
        dialog.url.setText("192.0.2.1:80/v1")  # nobody wrote that it is sent unencrypted
        assert "isn't a server address" in dialog.note.text() and not dialog.list.isEnabled()
        dialog.remote.click()
        dialog.url.setText(url.removeprefix("http://"))
        assert dialog.list.isEnabled(), "an address as servers print it"
        dialog.list.click()
        qtbot.waitUntil(lambda: dialog.models.count() == 2)
        assert dialog.url.text() == url
        assert present(dialog.models.lineEdit()).selectedText() == "first", "typing replaces it"
        dialog.models.setCurrentText("second")
        assert not dialog.ok.isEnabled() and "doesn't guess" in dialog.note.text(), "the server says nothing of it"
        dialog.context.setValue(8192)
        assert dialog.ok.isEnabled()
        add = pane.library.add_server

        def refuse(*_: object, **_how: object) -> None:
            raise BadInput("The list of models can't be written.")

        monkeypatch.setattr(pane.library, "add_server", refuse)
        dialog.accept()
        assert dialog.isVisible() and dialog.model == "second", "what was typed isn't lost"
        monkeypatch.setattr(pane.library, "add_server", add)
        dialog.accept()
    (entry,) = ModelLibrary().added()
    assert isinstance(entry, AddedServer) and (entry.model, entry.server.url, entry.context) == ("second", url, 8192)
    assert pane.details.title.text() == "second" and pane.details.facts["Folder"].text().startswith(url)


@pytest.mark.loopback
def test_enter_lists_the_models_and_enter_adds_the_only_one(pane: ModelsPane, window: MainWindow, qtbot: QtBot) -> None:
    def handler(exchange: Exchange) -> None:
        exchange.say({"data": [{"id": "only", "owned_by": "vllm", "max_model_len": 4096}]})

    with faulty_server(handler) as (url, _):
        window.context.commands.run("models.add_server")
        dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, ServerDialog))
        qtbot.waitUntil(dialog.isActiveWindow)
        dialog.url.setFocus()
        dialog.url.selectAll()
        QTest.keyClicks(dialog.url, url)
        QTest.keyClick(dialog.url, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: dialog.model == "only")
        assert dialog.isVisible() and dialog.ok.hasFocus(), "the keyboard doesn't move to the next field by itself"
        QTest.keyClick(dialog.ok, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: not dialog.isVisible())
    assert [one.model for one in ModelLibrary().added() if isinstance(one, AddedServer)] == ["only"]


@pytest.mark.loopback
def test_a_server_that_does_not_answer_is_said_in_its_dialog(
    pane: ModelsPane, window: MainWindow, qtbot: QtBot
) -> None:
    with faulty_server(lambda exchange: exchange.say("<html>")) as (url, _):
        window.context.commands.run("models.add_server")
        dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, ServerDialog))
        dialog.url.setText(url)
        dialog.list.click()
        qtbot.waitUntil(lambda: "doesn't answer like a language-model server" in dialog.note.text())
        assert dialog.list.isEnabled() and dialog.focusWidget() is dialog.url
        dialog.reject()
    assert ModelLibrary().added() == ()


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_the_fields_of_the_dialog_keep_their_height_at_every_text_size(
    pane: ModelsPane, window: MainWindow, qtbot: QtBot, zoom: float
) -> None:
    theme().configure(zoom=zoom)
    try:
        window.context.commands.run("models.add_server")
        dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, ServerDialog))
        dialog.models.setEditText("a model without a context")
        fields = (dialog.url, dialog.models, dialog.context, dialog.key, dialog.note)
        qtbot.waitUntil(lambda: all(one.height() >= one.sizeHint().height() for one in fields))
        dialog.reject()
    finally:
        theme().configure(zoom=1.0)


@pytest.mark.loopback
def test_what_a_server_says_of_its_model_is_shown_checked_and_edited(
    pane: ModelsPane, window: MainWindow, qtbot: QtBot
) -> None:
    script = Script(even, "llama.cpp", context=16_384, style="reasoning_content", reasoning=30)
    with scripted_server(script) as server:
        window.context.commands.run("models.add_server")
        dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, ServerDialog))
        dialog.url.setText(server.url)
        dialog.list.click()
        qtbot.waitUntil(lambda: dialog.context.value() == 16_384)
        assert dialog.note.text() == "llama.cpp: 16,384 tokens, supports up to 131,072; reasoning, vision."
        listed = dialog.model
        dialog.models.setEditText("a model that it does not list")
        assert dialog.context.value() == 0 and not dialog.ok.isEnabled(), "its context is another one"
        assert dialog.note.text().startswith("The server doesn't list this model.")
        dialog.url.setText(f"{server.url}/")
        assert dialog.report is None and dialog.models.count() == 0, "what another server said isn't true of this one"
        dialog.url.setText(server.url)
        dialog.list.click()
        qtbot.waitUntil(lambda: dialog.context.value() == 16_384)
        assert dialog.model == listed
        dialog.accept()
        facts = pane.details.facts
        assert facts["Context"].text() == "16,384 tokens; supports up to 131,072"
        assert facts["Abilities"].text() == "Reasoning, vision"
        settings = pane.details.settings
        assert settings.context.value() == 16_384 and not settings.device.isVisibleTo(settings)
        settings.context.setValue(9000)
        settings.context.editingFinished.emit()
        settings.concurrency.setValue(3)
        settings.concurrency.editingFinished.emit()
        (entry,) = ModelLibrary().added()
        assert isinstance(entry, AddedServer) and (entry.context, entry.server.concurrency) == (9000, 3)
        script.context = 4096
        window.context.commands.run("models.check")
        said = "The server allows 4,096 tokens, but the context is set to 9,000"
        qtbot.waitUntil(lambda: pane.details.note.text().startswith(said))
        assert facts["Context"].text().startswith("9,000 tokens"), "what a person set stays"
        pane.details.first.setText("Is it even: 4")
        pane.details.try_it()
        qtbot.waitUntil(lambda: pane.details.fold.isVisibleTo(pane))
        assert pane.details.fold.text() == "Reasoning (40 words)" and not pane.details.reasoning.isVisibleTo(pane)
        assert "hmm" not in pane.details.answer.toPlainText() and "yes" in pane.details.answer.toPlainText()
        pane.details.fold.click()
        assert pane.details.reasoning.isVisibleTo(pane) and "hmm" in pane.details.reasoning.toPlainText()


def test_stages_ask_with_a_model_and_settings_of_their_own(
    pane: ModelsPane, language_model: Path, qtbot: QtBot
) -> None:
    add(pane, language_model, qtbot)
    settings = pane.details.settings
    settings.stage.setCurrentIndex(settings.stage.findData("insight"))
    settings.temperature.setValue(0.4)
    settings.temperature.editingFinished.emit()
    settings.tokens.setValue(900)
    settings.tokens.editingFinished.emit()
    settings.reasoning.setCurrentIndex(settings.reasoning.findData("off"))
    settings.model.setCurrentIndex(settings.model.findData("tiny-writer"))
    library = ModelLibrary()
    assert library.manner("review-drafting/insight") == Manner(0.4, 900, "off")
    assert library.manner("review-drafting/results") == Manner() and "review-drafting/insight" in library.own_choices()
    settings.stage.setCurrentIndex(0)
    assert settings.temperature.text() == "same as run"
    settings.stage.setCurrentIndex(settings.stage.findData("insight"))
    assert settings.temperature.value() == 0.4 and settings.model.currentData() == "tiny-writer"
    settings.precision.setCurrentIndex(settings.precision.findData("bfloat16"))
    settings.device.setCurrentIndex(settings.device.findData("cpu"))
    (entry,) = library.added()
    assert isinstance(entry, AddedFolder) and (entry.precision, entry.device) == ("bfloat16", "cpu")


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 KB"), (91e6, "91 MB"), (4.2e9, "4.2 GB")]
)
def test_sizes_read_well(size: float, words: str) -> None:
    assert size_words(size) == words
