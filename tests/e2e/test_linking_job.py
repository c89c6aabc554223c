"""The first whole job: two PDFs and the response letter come in by a drop, comments are linked by keyboard, some of it
is undone, the project is closed, opened again, and exported.

It runs on the sample paper everywhere, and on a real manuscript where the measuring data are present.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.exchange import aries, links_csv, web_annotation
from engine.project import Project

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_MS = 180_000
"""Reading, comparing and suggesting on two slow cores, with the encoder loaded for the first time."""
Key = Qt.Key


def drop(pane: LinkingPane, paths: Sequence[Path]) -> None:
    """Drops files on the pane as a file manager would."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPoint(200, 200), Qt.DropAction.CopyAction, data, buttons, modifiers)
    QApplication.sendEvent(pane, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(pane, QDropEvent(QPointF(200, 200), Qt.DropAction.CopyAction, data, buttons, modifiers))


def press(pane: LinkingPane, *keys: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in keys:
        QTest.keyClick(QApplication.focusWidget() or pane, key, modifiers)


def open_pane(qtbot: QtBot, window: MainWindow, path: Path) -> LinkingPane:
    assert window.open_path(str(path))
    window.show_pane("linking")
    qtbot.waitActive(window)
    pane = window.panes["linking"]
    assert isinstance(pane, LinkingPane)
    return pane


def wait_for_suggestions(qtbot: QtBot, window: MainWindow, pane: LinkingPane) -> None:
    def there() -> bool:
        return bool(pane.study.edits and pane.study.suggestions) and not window.bridge.engine.busy()

    qtbot.waitUntil(there, timeout=PATIENCE_MS)


def pairs(pane: LinkingPane) -> set[tuple[str, str]]:
    return {(link.comment_id, link.edit_id) for link in pane.study.links}


def link_ten(pane: LinkingPane) -> set[tuple[str, str]]:
    """Links the edit at hand (the best suggestion) to ten comments: L, then on to the next undecided one."""
    made: set[tuple[str, str]] = set()
    for _ in range(10):
        made.add((pane.state.comment_id, pane.state.edit_id))
        press(pane, Key.Key_L, Key.Key_Space)
    return made


MANUSCRIPTS = {
    "sample": ("submitted.pdf", "revised.pdf", "response-letter.md", 20),
    "iscb-diversity": ("submitted.pdf", "revised.pdf", "response_letter.md", 30),
}


@pytest.mark.parametrize("manuscript", [pytest.param("sample"), pytest.param("iscb-diversity", marks=pytest.mark.data)])
def test_from_two_pdfs_and_a_letter_to_exported_links(
    manuscript: str,
    make_window: Callable[[], MainWindow],
    qtbot: QtBot,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if manuscript == "sample":
        folder = ROOT / "resources" / "sample"
    else:
        folder = request.getfixturevalue("data_folder") / "revisions" / manuscript
    submitted, revised, letter, floor = MANUSCRIPTS[manuscript]
    path = tmp_path / "study.rejoinder"
    Project.create(path, "A real revision", "Ada").close()

    window = make_window()
    pane = open_pane(qtbot, window, path)
    drop(pane, [folder / submitted, folder / revised, folder / letter])
    wait_for_suggestions(qtbot, window, pane)
    assert pane.study.source is not None and pane.study.source.filename == submitted
    assert pane.study.target is not None and pane.study.target.filename == revised
    assert len(pane.study.comments) >= floor
    assert any(comment.response for comment in pane.study.comments)
    assert not [notice for notice in window.banner.notices if notice.key == "bug"]

    made = link_ten(pane)
    qtbot.waitUntil(lambda: pairs(pane) == made)
    assert len(made) == 10
    control = Qt.KeyboardModifier.ControlModifier
    for _ in range(3):
        press(pane, Key.Key_Z, modifiers=control)
    qtbot.waitUntil(lambda: len(pairs(pane)) == 7)
    press(pane, Key.Key_Z, modifiers=control | Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: len(pairs(pane)) == 8)
    kept = pairs(pane)
    assert kept < made
    press(pane, Key.Key_Space, Key.Key_4)  # the next undecided comment was refused by the authors
    qtbot.waitUntil(lambda: "not_addressed" in {state.state for state in pane.study.states.values()})
    window.stop_work()
    window.close()

    again = make_window()
    pane = open_pane(qtbot, again, path)
    qtbot.waitUntil(lambda: bool(pane.study.suggestions), timeout=PATIENCE_MS)
    assert pairs(pane) == kept
    assert sum(pane.study.state(comment.id) != "undecided" for comment in pane.study.comments) == 9
    assert again.bridge.project is not None
    titles = [entry.title for entry in again.bridge.project.history()]
    assert titles[-1].startswith("Add 3 files") and len(titles) >= 11

    exported = tmp_path / "exported"
    exported.mkdir()

    def save(_files: object, _parent: object, _title: str, _stem: str, ending: str) -> Path:
        return exported / f"links{ending}"

    monkeypatch.setattr(FileDialogs, "choose_folder", lambda *_: exported)
    monkeypatch.setattr(FileDialogs, "save_file", save)
    for format_ in ("aries", "annotations", "csv", "changes_html", "changes_pdf"):
        again.commands.run(f"linking.export_{format_}")
    wanted = {"links.jsonld", "links.csv", "links.html", "links.pdf"}

    def written() -> bool:
        return wanted <= {file.name for file in exported.iterdir()} and not again.bridge.engine.busy()

    qtbot.waitUntil(written, timeout=PATIENCE_MS)
    files = {file.name: file for file in exported.iterdir()}
    labels = next(file for name, file in files.items() if "labels" in name)
    positives = [json.loads(line)["positive_edits"] for line in labels.read_text().splitlines()]
    assert sum(map(len, positives)) == 8
    assert len(aries.edit_labels(aries.read_file(labels.read_bytes(), labels.name))) == len(positives)
    for text, reader in ((files["links.csv"], links_csv), (files["links.jsonld"], web_annotation)):
        read = reader.read_links(text.read_text(encoding="utf-8"), text.name).links
        assert {(link.comment_id, link.edit_id) for link in read if link.edit_id} == kept
    assert files["links.pdf"].read_bytes().startswith(b"%PDF")
    text_edits = [edit for edit in pane.study.edits if edit.group == "text"]
    assert len(text_edits) == files["links.html"].read_text(encoding="utf-8").count('class="edit ')
