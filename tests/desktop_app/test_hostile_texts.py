"""Texts of others in every pane: shown as they are, never read as HTML, and nothing that they name is opened."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QCoreApplication, QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QImage, QTextBlock
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop_app.panes import PANES
from desktop_app.widgets.plain import HtmlLabel, HtmlPage, literal
from desktop_app.window import MainWindow
from engine.project import Project
from tests.desktop_app.panes.survey.surveys import open_survey, study
from tests.hostile import COLOUR, ESCAPE, MARK, OVERRIDE, hostile, hostile_project, write_picture

ROOT = Path(__file__).resolve().parents[2]
SHOWS_NOTHING_OF_OTHERS = {"settings", "models"}
_CELLS = 60


@pytest.fixture
def hostile_path(tmp_path: Path) -> Path:
    return hostile_project(tmp_path)


def drawn(widget: QWidget) -> bool:
    """Whether the picture is painted anywhere on a widget."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    step, wanted = image.bytesPerLine(), bytes(COLOUR)
    content = bytes(image.constBits())
    return any(
        wanted in content[row * step : row * step + 3 * image.width()] for row in range(0, image.height(), 8)
    )


def fragments(page: QTextEdit) -> Iterator[tuple[bool, str, str]]:
    """Whether it is a picture, its address, and the address of a link: of each piece of a document."""
    block: QTextBlock = page.document().begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            look = pieces.fragment().charFormat()
            yield look.isImageFormat(), look.toImageFormat().name(), look.anchorHref()
            pieces += 1
        block = block.next()


def cells(model: QAbstractItemModel, parent: QModelIndex | None = None) -> Iterator[QModelIndex]:
    parent = parent or QModelIndex()
    for row in range(min(model.rowCount(parent), _CELLS)):
        for column in range(model.columnCount(parent)):
            index = model.index(row, column, parent)
            yield index
        yield from cells(model, model.index(row, 0, parent))


def check_tooltip(text: str, widget: QWidget) -> None:
    """A tooltip with this text reads as it is written."""
    QToolTip.showText(QPoint(20, 20), text, widget)
    (shown,) = [label for label in QApplication.topLevelWidgets() if label.objectName() == "qtooltip_label"]
    assert isinstance(shown, QLabel) and shown.textFormat() == Qt.TextFormat.PlainText
    assert shown.text() == text and not drawn(shown)
    QToolTip.hideText()


def check(root: QWidget) -> set[str]:
    """Everything that is shown below a widget, whatever widgets it is made of; returns the texts of others in it."""
    seen: set[str] = set()
    tips: set[str] = set()
    models: set[QAbstractItemModel] = set()
    for widget in (root, *root.findChildren(QWidget)):
        tips |= {widget.toolTip(), widget.whatsThis()}
        if isinstance(widget, HtmlLabel):
            text = widget.text()
            assert "<img" not in text and "<a " not in text and "<style" not in text and "<script" not in text
            seen.add(text)
        elif isinstance(widget, QLabel):
            assert widget.textFormat() == Qt.TextFormat.PlainText, f"{widget!r}: {widget.text()!r}"
            assert OVERRIDE not in widget.text() and ESCAPE not in widget.text(), widget
            seen.add(widget.text())
        elif isinstance(widget, QTextEdit):
            for picture, address, link in fragments(widget):
                assert not picture or (isinstance(widget, HtmlPage) and address in widget.images), (widget, address)
                assert MARK not in link and "probe" not in link
            words = widget.toPlainText()
            # What Qt reads as HTML loses its tags.
            assert MARK not in words or words.count(f"<b>{MARK}") >= words.count(f"{MARK} &"), (widget, words)
            seen.add(words)
        elif isinstance(widget, QPlainTextEdit):
            seen.add(widget.toPlainText())
        elif isinstance(widget, QAbstractButton):
            check_title(widget.text(), widget)
            seen.add(widget.text())
        elif isinstance(widget, QTabBar):
            for at in range(widget.count()):
                check_title(widget.tabText(at), widget)
                tips.add(widget.tabToolTip(at))
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            models.add(widget.model())
    for action in root.findChildren(QAction):
        check_title(action.text(), action)
        tips.add(action.toolTip())
    for model in models:
        for index in cells(model):
            for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
                seen.add(str(index.data(role) or ""))
            tips.add(str(index.data(Qt.ItemDataRole.ToolTipRole) or ""))
    rich = sorted(tip for tip in tips if Qt.mightBeRichText(tip))
    for tip in rich[:3]:
        check_tooltip(tip, root)
    assert not drawn(root)
    return {text for text in (*seen, *tips) if MARK in text}


def check_title(text: str, where: object) -> None:
    """A text that Qt reads mnemonics in."""
    if MARK in text:
        assert "&" not in text.replace("&&", ""), (where, text)
        assert OVERRIDE not in text and "\n" not in text and ESCAPE not in text, (where, text)


def visit(window: MainWindow, pane: QWidget) -> Iterator[None]:
    """Each page of a pane: every tab is chosen, and in every list the first rows."""
    yield
    for bar in pane.findChildren(QTabBar):
        for at in range(bar.count()):
            if bar.isVisible() and bar.isTabEnabled(at):
                bar.setCurrentIndex(at)
                QCoreApplication.processEvents()
                yield
                yield from choose(pane)


def choose(pane: QWidget) -> Iterator[None]:
    for view in pane.findChildren(QAbstractItemView):
        model = view.model()
        if view.isVisible() and model is not None:
            for row in range(min(2, model.rowCount())):
                view.setCurrentIndex(model.index(row, 0))
                QCoreApplication.processEvents()
            yield


@pytest.mark.parametrize("pane_id", [spec.id for spec in PANES])
def test_a_pane_shows_texts_of_others_as_they_are(
    pane_id: str, window: MainWindow, hostile_path: Path, qtbot: QtBot
) -> None:
    assert window.open_path(hostile_path)
    window.show_pane(pane_id)
    pane = window.panes[pane_id]
    qtbot.wait(200)
    seen = check(window)
    for _ in (*visit(window, pane), *choose(pane)):
        seen |= check(pane)
    assert window.windowTitle().count(MARK) and OVERRIDE not in window.windowTitle()
    menu = window.menu()
    check(menu)
    menu.deleteLater()
    if pane_id not in SHOWS_NOTHING_OF_OTHERS:
        assert any(f"{MARK}<b>" in text or f"{MARK}&lt;b&gt;" in text for text in seen), sorted(seen)[:3]
