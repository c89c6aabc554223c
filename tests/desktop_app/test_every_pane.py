"""Every pane on the sample project: what screen readers get of every widget, where the focus shows, and whether any
text is cut at text sizes from 0.8 to 2.0."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QTabBar,
    QToolButton,
    QWidget,
)

from desktop_app.headless import settle
from desktop_app.panes import PANES
from desktop_app.project_control import shipped_sample
from desktop_app.theme import theme
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.labels import ElidedLabel
from desktop_app.window import MainWindow
from tests.desktop_app.pane_cases import controls

SCALES = (0.8, 1.0, 1.25, 1.5, 1.75, 2.0)
SIZES = ((1280, 800), (1024, 700), (800, 600))
SILENT = {QAccessible.Role.Client, QAccessible.Role.NoRole, QAccessible.Role.Border}


@pytest.fixture
def window(make_window: Callable[[], MainWindow], tmp_path: Path) -> Iterator[MainWindow]:
    """A window with a copy of the sample project."""
    sample = shipped_sample()
    assert sample is not None
    path = tmp_path / "sample.rejoinder"
    shutil.copyfile(sample, path)
    window = make_window()
    window.resize(1280, 800)
    window.open_path(path)
    yield window
    window.control.close()


def shown(window: MainWindow, pane: str) -> QWidget:
    window.show_pane(pane)
    settle(window)
    return window.panes[pane]


def paints_itself(widget: QWidget) -> bool:
    own = (kind for kind in type(widget).__mro__ if kind.__module__.startswith("desktop_app"))
    return any("paintEvent" in vars(kind) for kind in own)


def spoken(widget: QWidget) -> tuple[QAccessible.Role, str, str]:
    """Role, name and value, as a screen reader has them."""
    found = QAccessible.queryAccessibleInterface(widget)
    assert found is not None, widget
    return found.role(), found.text(QAccessible.Text.Name), found.text(QAccessible.Text.Value)


@pytest.mark.parametrize("pane", [spec.id for spec in PANES])
def test_screen_readers_know_every_widget(window: MainWindow, pane: str) -> None:
    shown(window, pane)
    seen = [widget for widget in window.findChildren(QWidget) if widget.isVisible()]
    for widget in {*controls(window), *filter(paints_itself, seen)} & {*seen}:
        role, name, value = spoken(widget)
        assert role not in SILENT, f"{widget!r} has no role"
        assert name or (isinstance(widget, QLabel) and not widget.text()), f"{widget!r} has no name"
        if isinstance(widget, QComboBox):
            assert value == widget.currentText()
        if isinstance(widget, QLineEdit):
            assert value == widget.text()


def picture(widget: QWidget) -> QImage:
    return (
        widget.window().grab(widget.rect().translated(widget.mapTo(widget.window(), widget.rect().topLeft()))).toImage()
    )


@pytest.mark.parametrize("pane", [spec.id for spec in PANES])
def test_the_focus_can_be_seen(window: MainWindow, pane: str) -> None:
    shown(window, pane)
    window.activateWindow()
    for widget in controls(window):
        wants = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if not (wants and widget.isVisible() and widget.isEnabled()) or widget.visibleRegion().isEmpty():
            continue
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if window.focusWidget() is not widget:
            continue  # it has given the focus on, to a part of its own
        with_focus = picture(widget)
        widget.clearFocus()
        assert picture(widget) != with_focus, f"{spoken(widget)} looks the same with the focus"


def cut(root: QWidget) -> list[str]:
    """The visible texts that do not fit into their widgets."""
    found = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or widget.visibleRegion().isEmpty():
            continue
        text, room = "", widget.contentsRect().size()
        metrics = widget.fontMetrics()
        need = metrics.size(0, text)
        if isinstance(widget, QLabel) and widget.text() and not isinstance(widget, ElidedLabel):
            text = widget.text()
            if widget.wordWrap():
                if widget.heightForWidth(widget.width()) > widget.height() + 1:
                    found.append(f"{text!r}: {widget.heightForWidth(widget.width())} in {widget.height()}")
                continue
            need = widget.sizeHint() if widget.textFormat() == Qt.TextFormat.RichText else metrics.size(0, text)
        elif isinstance(widget, QToolButton):
            if widget.toolButtonStyle() != Qt.ToolButtonStyle.ToolButtonIconOnly:
                text = widget.text()
                need = metrics.size(Qt.TextFlag.TextShowMnemonic, text)
                if widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon:
                    need.setWidth(need.width() + widget.iconSize().width())
        elif isinstance(widget, QAbstractButton):
            text = widget.text()
            need = metrics.size(Qt.TextFlag.TextShowMnemonic, text)
        elif isinstance(widget, QComboBox) and not isinstance(widget, ChoiceBox):
            found.append(f"{widget.accessibleName()} does not shorten its entry")
        elif isinstance(widget, QTabBar):
            for at in range(widget.count()):
                wide = metrics.size(Qt.TextFlag.TextShowMnemonic, widget.tabText(at))
                if wide.boundedTo(widget.tabRect(at).size()) != wide:
                    found.append(f"tab {widget.tabText(at)!r}")
        if text and need.boundedTo(room) != need:
            found.append(f"{type(widget).__name__} {text!r}: {need.toTuple()} in {room.toTuple()}")
    return found


def out_of_reach(bar: QTabBar) -> list[str]:
    """The tabs of a bar that neither arrow keys nor the mouse bring into sight whole; a pane may scroll."""
    found, before, name = [], bar.currentIndex(), bar.accessibleName()
    if not bar.visibleRegion().boundingRect().contains(bar.rect()) and not scrolls(bar):
        found.append(f"{name}: cut, and nothing scrolls")
    with QSignalBlocker(bar):
        for at in range(bar.count()):
            bar.setCurrentIndex(at)
            arrows = [one for one in bar.findChildren(QToolButton) if one.isVisible()]
            room, tab = bar.rect().adjusted(-1, 0, 1 - sum(arrow.width() for arrow in arrows), 0), bar.tabRect(at)
            if not (room.left() <= tab.left() and tab.right() <= room.right()):
                found.append(f"{name}: {bar.tabText(at)}")
        hidden = [at for at in range(bar.count()) if not bar.rect().contains(bar.tabRect(at).center())]
        if hidden and not any(arrow.isEnabled() for arrow in bar.findChildren(QToolButton) if arrow.isVisible()):
            found.append(f"{name}: no arrows to {[bar.tabText(at) for at in hidden]}")
        bar.setCurrentIndex(before)
    return found


def sideways(root: QWidget) -> list[str]:
    """The parts in sight that scroll sideways."""
    areas = (area for area in root.findChildren(QScrollArea) if area.isVisible())
    return [area.accessibleName() for area in areas if area.horizontalScrollBar().maximum() > 0]


def scrolls(widget: QWidget | None) -> bool:
    while widget is not None and not isinstance(widget, QScrollArea):
        widget = widget.parentWidget()
    return widget is not None and max(widget.horizontalScrollBar().maximum(), widget.verticalScrollBar().maximum()) > 0


@pytest.mark.parametrize("pane", [spec.id for spec in PANES])
def test_no_text_is_cut_and_every_tab_can_be_reached(window: MainWindow, pane: str) -> None:
    """In one test, as laying out a window at another text size takes most of the time. Texts are looked at in the
    largest window only: in smaller ones a pane may scroll."""
    cut_texts, unreached, too_wide = {}, {}, {}
    for scale in SCALES:
        theme().configure(zoom=scale)
        for size in SIZES:
            window.resize(*size)
            bars = [bar for bar in shown(window, pane).findChildren(QTabBar) if bar.isVisible() and bar.count()]
            if size == SIZES[0] and (texts := cut(window)):
                cut_texts[scale] = texts
            if size == SIZES[0] and scale <= 1.5 and (wide := sideways(window.panes[pane])):
                too_wide[scale] = wide
            if away := [tab for bar in bars for tab in out_of_reach(bar)]:
                unreached[scale, size] = away
    assert not cut_texts
    assert not unreached
    assert not too_wide, "scrolls sideways at 1280x800"


VIEWS = {
    "linking": ("linking.reviews", "linking.coverage", "linking.coverage", "linking.guidelines", "linking.propose"),
    "preferences": ("preferences.show_candidates", "preferences.show_ranking", "preferences.show_annotators"),
    "rebuttal": ("rebuttal.preview", "rebuttal.send"),
    "review": ("review.begin_iclr", *(f"review.show_{page}" for page in ("stages", "literature", "runs", "export"))),
    "benchmark": ("benchmark.show_reviews",),
}
"""The commands that show further views of a pane, one after the other."""


@pytest.mark.parametrize("pane", VIEWS)
def test_no_view_of_a_pane_is_cut_or_scrolls_sideways(window: MainWindow, pane: str) -> None:
    trouble = {}
    for scale in (1.0, 1.5):
        theme().configure(zoom=scale)
        for command in VIEWS[pane]:
            shown(window, pane)
            if not command.startswith("review.begin") or scale == 1.0:
                window.commands.run(command)
            settle(window)
            if found := (*cut(window), *sideways(window.panes[pane])):
                trouble[scale, command] = found
    assert not trouble
