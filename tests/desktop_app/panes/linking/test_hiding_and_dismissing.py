"""What a study hides, what is dismissed, and passages, by real keys and clicks."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.pane import LinkingPane
from tests.desktop_app.panes.linking.test_linking_pane import Key, press, window_of

CONTROL = Qt.KeyboardModifier.ControlModifier


def from_palette(pane: LinkingPane, words: str) -> list[str]:
    """Types words into the palette and runs what comes first; returns what could be run."""
    press(pane, Key.Key_K, modifiers=CONTROL)
    palette = window_of(pane).palette_view
    QTest.keyClicks(QApplication.focusWidget(), words)
    items = [palette.list.item(row) for row in range(palette.list.count())]
    found = [item.text() for item in items if item.flags() & Qt.ItemFlag.ItemIsEnabled]
    press(pane, Key.Key_Return)
    return found


def test_suggestions_are_hidden_and_shown_from_the_palette(pane: LinkingPane, qtbot: QtBot) -> None:
    press(pane, Key.Key_D)
    assert pane.proposal.isVisible()
    assert "Hide suggestions" in from_palette(pane, "Hide suggestions")
    qtbot.waitUntil(lambda: pane.study.hides_suggestions)
    assert not pane.proposal.isVisible() and not pane.strategy.isVisible()
    assert pane.edits.phase.isVisible() and pane.edits.phase.text() == "Suggestions are hidden in this project."
    assert not {"accept, reject", "propose"} & {words for _, words in pane.key_bar.items()}
    assert pane.side._standing.suggested == frozenset()
    press(pane, Key.Key_A, Key.Key_R, Key.Key_D)
    assert not pane.study.links and not pane.proposal.isVisible() and pane.work.phase == ""
    commands = window_of(pane).commands
    for name in ("accept", "reject", "suggest", "propose", "propose_again", "propose_all", "mistake_other"):
        assert not commands.enabled(f"linking.{name}"), name
    from_palette(pane, "Show suggestions")
    qtbot.waitUntil(lambda: not pane.study.hides_suggestions)
    assert pane.strategy.isVisible() and not pane.edits.phase.isVisible()
    assert {"accept, reject", "propose"} <= {words for _, words in pane.key_bar.items()}
    press(pane, Key.Key_A)
    assert len(pane.study.links) == 1
