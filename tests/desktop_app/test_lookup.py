"""The status bar says truly what may use a network: connectors, and language-model servers."""

from __future__ import annotations

import threading

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.lookup import network_words
from desktop_app.panes import PANES
from desktop_app.settings import SPEC
from desktop_app.window import MainWindow
from engine.jobs import DuplicatePolicy, Task
from engine.models.library import ModelLibrary
from engine.models.server_language import Server


def test_servers_of_language_models_count(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.status.network.text() == "network: none")
    window.show_pane("models")
    pane = window.panes["models"]
    library = ModelLibrary()
    local = library.add_server(Server("http://127.0.0.1:8080/v1"), "small")
    pane.refresh_now()
    assert window.status.network.text() == "network: local server"
    assert "on this computer" in window.status.network.toolTip()
    library.add_server(Server("https://models.example.org/v1", allow_remote=True), "large")
    pane.refresh_now()
    assert window.status.network.text() == "network: models.example.org, local server"
    assert "sent to models.example.org" in window.status.network.toolTip()
    library.remove(local.id)
    pane.refresh_now()
    assert window.status.network.text() == "network: models.example.org"


def test_a_server_that_another_program_added_counts_when_one_comes_back_and_before_a_job_uses_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: window.status.network.text() == "network: none")
    library = ModelLibrary()
    local = library.add_server(Server("http://127.0.0.1:8080/v1"), "small")
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowActivate))
    assert window.status.network.text() == "network: local server"
    library.remove(local.id)
    library.add_server(Server("https://models.example.org/v1", allow_remote=True), "large")
    asked = threading.Event()
    task = Task("test.asks", "Ask", lambda _report: asked.wait(30), DuplicatePolicy.AFTER)
    try:
        window.bridge.submit(task, window)
        qtbot.waitUntil(lambda: window.status.network.text() == "network: models.example.org")
    finally:
        asked.set()
    qtbot.waitUntil(lambda: all(job.state.ended for job in window.bridge.engine.jobs()))


def test_a_look_up_says_that_the_e_mail_address_is_sent_too(window: MainWindow) -> None:
    window.settings.set("network.crossref", True)
    assert "e-mail" not in window.status.network.toolTip()
    window.settings.set("network.contact", "ada@example.org")
    assert "are sent to Crossref with your e-mail address." in window.status.network.toolTip()
    described = next(one.description for one in SPEC if one.name == "network.crossref")
    assert "the e-mail address below" in described


def test_a_list_of_models_that_cannot_be_read_names_no_server(window: MainWindow) -> None:
    path = ModelLibrary().path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"models": [{"kind": "server"}]}')
    assert network_words(window.settings)[0] == "none"


def test_no_module_of_qt_that_speaks_to_a_network_is_loaded(window: MainWindow) -> None:
    """QtNetwork would find the proxies of the system and could look names up."""
    import sys

    for spec in PANES:
        window.stack.load(spec.id)
    assert not [name for name in sys.modules if name.startswith("PySide6.") and ("Network" in name or "Web" in name)]
