"""Papers come and go by keys alone and by mouse alone: files of two papers, whose places are asked for; a title is
corrected, a review removed and brought back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QApplication, QInputDialog, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.files import PlacesDialog
from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.project import Project
from tests.e2e.at_the_window import Visitor, open_window, watched, without

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"
FIRST = [SAMPLE / name for name in ("submitted.pdf", "revised.pdf", "response-letter.md")]
OTHER = "Herring gulls at the harbour wall"
Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Both versions of a paper with the letter, and another paper with a review."""
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 90), OTHER, fontsize=20)
        page.insert_text((72, 130), "We counted gulls at dawn on forty days and found fewer of them after rain.")
        document.save(tmp_path / "gulls.pdf")
    review = tmp_path / "review.md"
    review.write_text(
        f"# Review of {OTHER}\n\n## Reviewer 1\n\nHow many observers counted the gulls?\n\nPlease report the wind.\n"
    )
    return [*FIRST, tmp_path / "gulls.pdf", review]


@pytest.fixture
def reader(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    files: list[Path],
) -> Visitor:  # fmt: skip
    """Somebody with an empty project, who chooses these files."""
    monkeypatch.setattr(FileDialogs, "open_files", lambda *_: files)
    path = tmp_path / "papers.rejoinder"
    Project.create(path, "Two papers", "Ada").close()
    return open_window(path, make_window, qtbot)


def linking(me: Visitor) -> LinkingPane:
    pane = me.window.pane
    assert isinstance(pane, LinkingPane)
    return pane


def places(me: Visitor) -> PlacesDialog:
    """The question where the files belong."""
    dialog = me.dialog(PlacesDialog)
    assert isinstance(dialog, PlacesDialog)
    assert len({box.currentText() for box in dialog.boxes.values()}) == 2
    return dialog


def meanwhile(me: Visitor, act: Callable[[QInputDialog], object]) -> QTimer:
    """Does something in the next dialog that waits for an answer."""
    timer = QTimer(me.window)

    def look() -> None:
        dialog, focus = QApplication.activeModalWidget(), QApplication.focusWidget()
        if isinstance(dialog, QInputDialog) and focus is not None and dialog.isAncestorOf(focus):
            timer.stop()
            act(dialog)

    timer.timeout.connect(look)
    timer.start(20)
    return timer


def asked(me: Visitor) -> QMessageBox:
    """The question whether to remove something, in front."""
    me.until(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    box.activateWindow()
    me.until(box.isActiveWindow)
    return box


def reviews(me: Visitor) -> int:
    project = me.window.bridge.project
    assert project is not None
    return len(project.query("SELECT id FROM source_text WHERE paper_id = ?", (me.window.papers.id,)))


def test_papers_by_keys(reader: Visitor) -> None:
    me, window = reader, reader.window
    with watched(), without(QEvent.Type.MouseButtonPress):
        me.run("go.linking")
        me.run("linking.import")
        places(me)
        me.key(Key.Key_Return)
        me.until(lambda: len(window.papers.papers) == 2)
        me.front()
        (first,) = (paper for paper in window.papers.papers if paper.title != OTHER)
        assert first.title and ".pdf" not in first.title
        if window.papers.id == first.id:
            me.run("paper.next")
        assert window.papers.paper is not None and window.papers.paper.title == OTHER
        assert window.header.papers.currentText() == OTHER

        def rename(_dialog: QInputDialog) -> None:
            me.key(Key.Key_A, modifiers=CONTROL)
            me.type("Gulls and rain")
            me.key(Key.Key_Return)

        meanwhile(me, rename)
        me.palette("rename paper")
        me.front()
        assert window.header.papers.currentText() == "Gulls and rain"

        many = reviews(me)
        assert many == 1
        meanwhile(me, lambda _dialog: me.key(Key.Key_Return))
        me.palette("remove review")
        asked(me)
        me.key(Key.Key_Escape)
        assert reviews(me) == many, "nothing is removed unless it's confirmed"
        me.front()
        meanwhile(me, lambda _dialog: me.key(Key.Key_Return))
        me.palette("remove review")
        asked(me)
        me.key(Key.Key_Tab, Key.Key_Space)
        assert reviews(me) == 0
        me.front()
        me.key(Key.Key_Z, modifiers=CONTROL)
        assert reviews(me) == many
        me.idle()


def test_papers_by_mouse(reader: Visitor) -> None:
    me, window = reader, reader.window
    with watched(), without(QEvent.Type.KeyPress):
        me.click(window.side.buttons["linking"])
        me.press("Add files…")
        me.press("Add", places(me))
        me.until(lambda: len(window.papers.papers) == 2)
        me.front()
        box = window.header.papers
        me.settle()
        me.choose(box, box.findText(OTHER))
        assert window.papers.paper is not None and window.papers.paper.title == OTHER
        assert reviews(me) == 1

        def agree(dialog: QInputDialog) -> None:
            (button,) = [one for one in dialog.findChildren(QPushButton) if one.text().replace("&", "") == "OK"]
            me.click(button)

        meanwhile(me, agree)
        me.click(window.side.menu_button)
        me.pick("Edit", "Remove review")
        me.press("Remove", asked(me))
        assert reviews(me) == 0
        me.front()
        me.click(window.side.menu_button)
        me.pick("Edit", "Undo")
        assert reviews(me) == 1
        me.idle()
