"""Every pane on the sample project, each of its views: what screen readers get of every widget, where the focus shows,
whether text is faint in either scheme, and whether any is cut at text sizes from 0.8 to 2.0."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import QAbstractButton, QComboBox, QFrame, QLabel, QLineEdit, QTabBar, QWidget

from desktop_app.headless import settle
from desktop_app.panes import PANES
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.keys import LINE, KeyBar
from desktop_app.window import MainWindow
from tests.desktop_app.looks import (
    cut,
    faint,
    laid_out,
    out_of_reach,
    paints_itself,
    plain_letters,
    sideways,
    spoken,
    views,
)
from tests.desktop_app.pane_cases import controls

SCALES = (0.8, 1.0, 1.25, 1.5, 1.75, 2.0)
FURTHER = (1.5, 2.0)
"""The text sizes at which views behind further tabs are looked at."""
EXTREMES = (0.8, 1.0, 2.0)
"""The text sizes at which tabs are looked for in smaller windows: between them a tab takes less room than at 2.0."""
SIZES = ((1280, 800), (1024, 700), (800, 600))
SILENT = {QAccessible.Role.Client, QAccessible.Role.NoRole, QAccessible.Role.Border}


@pytest.fixture
def window(sample_window: MainWindow) -> MainWindow:
    return sample_window


def shown(window: MainWindow, pane: str) -> QWidget:
    window.show_pane(pane)
    settle(window)
    return window.panes[pane]


@pytest.mark.parametrize("pane", [spec.id for spec in PANES])
def test_screen_readers_know_every_widget_and_the_focus_shows(window: MainWindow, pane: str) -> None:
    """In one test, as showing a pane takes most of the time."""
    window.activateWindow()
    for _view in views(shown(window, pane)):
        laid_out(window)
        assert_spoken(window)
        assert_focus_seen(window)


def assert_spoken(window: QWidget) -> None:
    """Each control and each widget that paints itself has a role, a name, and the value that it shows."""
    seen = [widget for widget in window.findChildren(QWidget) if widget.isVisible()]
    for widget in {*controls(window), *filter(paints_itself, seen)} & {*seen}:
        role, name, value = spoken(widget)
        assert role not in SILENT, f"{widget!r} has no role"
        if role is QAccessible.Role.Chart:
            assert widget.accessibleDescription(), f"{name} doesn't say what it shows"
        assert name or (isinstance(widget, QLabel) and not widget.text()), f"{widget!r} has no name"
        if isinstance(widget, QComboBox):
            assert value == widget.currentText()
        if isinstance(widget, QLineEdit):
            assert value == widget.text()


def picture(widget: QWidget) -> QImage:
    return (
        widget.window().grab(widget.rect().translated(widget.mapTo(widget.window(), widget.rect().topLeft()))).toImage()
    )


def assert_focus_seen(window: QWidget) -> None:
    """Each control that Tab reaches, and each such widget that paints itself, looks different with the focus."""
    for widget in {*controls(window), *filter(paints_itself, window.findChildren(QWidget))}:
        wants = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if not (wants and widget.isVisible() and widget.isEnabled()) or widget.visibleRegion().isEmpty():
            continue
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if widget.window().focusWidget() is not widget:
            continue  # it has given the focus on, to a part of its own
        with_focus = picture(widget)
        widget.clearFocus()
        assert picture(widget) != with_focus, f"{spoken(widget)} looks the same with the focus"


@pytest.mark.parametrize("pane", ["linking", "calibration", "models", "preferences"])
def test_what_becomes_unavailable_gives_the_keyboard_to_the_main_widget(window: MainWindow, pane: str) -> None:
    """Qt would give it to whatever control comes next, where Space or Return may do something unexpected."""
    window.activateWindow()
    part = shown(window, pane)
    buttons = [one for one in part.findChildren(QAbstractButton) if one.isVisible() and one.isEnabled()]
    assert buttons
    for button in buttons:
        window.pane.take_focus()
        main = window.focusWidget()
        if button is main:
            continue
        button.setFocus()
        button.setEnabled(False)
        assert window.focusWidget() is main, spoken(button)


@pytest.mark.parametrize("pane", [spec.id for spec in PANES])
def test_a_message_moves_nothing_and_hides_no_control(window: MainWindow, pane: str) -> None:
    """It would come under the pointer just as one clicks. It lies over the words of the status bar, and the lines of
    keys."""
    part = shown(window, pane)
    banners = (window.banner, window.pane.banner)
    for banner in banners:
        banner.clear()
    settle(window)
    laid_out(window)
    kinds = (QAbstractButton, QComboBox, QLineEdit, QTabBar)
    widgets = [one for kind in kinds for one in part.findChildren(kind) if one.isVisible()]
    before = [one.mapTo(window, QPoint()) for one in widgets]
    for banner in banners:
        banner.show_notice(Notice("", "Something happened.", "It means this.", actions=(("Do it", lambda: None),)))
        settle(window)
        laid_out(window)
        assert [one.mapTo(window, QPoint()) for one in widgets] == before
        row = banner.findChild(QFrame, "notice")
        top = row.mapTo(window, QPoint()).y()
        jobs, end = window.status.jobs, row.mapTo(window, QPoint(row.width(), 0)).x()
        assert top + row.height() == window.height() and end <= jobs.mapTo(window, QPoint()).x(), "jobs stay in sight"
        assert not cut_off(window) or pane == "settings"  # a page that scrolls
        banner.show_notice(Notice("", "Much happened.\n" * 6))
        settle(window)
        assert window.messages.height() > 90, "trouble is told in full"
        assert [one.mapTo(window, QPoint()) for one in widgets] == before
        banner.clear()
        settle(window)
        assert not window.messages.isVisible()
    for number, banner in enumerate((*banners, banners[1])):
        banner.show_notice(
            Notice(
                str(number), "Something happened.", "It means this. " * 40, kind="attention" if number == 2 else "note"
            )
        )
        settle(window)
        laid_out(window)
        assert not cut_off(window) or pane == "settings"
        assert [one.mapTo(window, QPoint()) for one in widgets] == before
    low = window.messages.height()
    assert low > 30
    window.messages.more.click()
    settle(window)
    assert window.messages.height() > 3 * low and window.messages.more.accessibleName() == "Show less"
    assert [one.mapTo(window, QPoint()) for one in widgets] == before
    window.messages.more.click()
    settle(window)
    assert window.messages.height() == low
    window.messages.more.click()
    banners[0].show_notice(Notice("later", "Something else happened.", "It means this. " * 40, kind="note"))
    settle(window)
    assert window.messages.height() == low, "only the messages that were there had been unfolded"


def cut_off(window: MainWindow) -> list[object]:
    """Controls that the messages cover, and lines of keys that they cover in part."""
    top = window.messages.mapTo(window, QPoint()).y()
    window.messages.setVisible(False)  # what is under them counts as visible now
    kinds = (QAbstractButton, QComboBox, QLineEdit, QTabBar)
    controls = [one for kind in kinds for one in window.pane.findChildren(kind) if seen(one)]
    found = [spoken(one) for one in controls if one.mapTo(window, QPoint()).y() + low(one) > top]
    bars = [bar.mapTo(window, QPoint()).y() for bar in window.pane.findChildren(KeyBar) if seen(bar)]
    window.messages.setVisible(True)
    return [*found, *(bar for bar in bars if bar < top < bar + theme().px(LINE))]


def low(widget: QWidget) -> int:
    """Where what is seen of a widget ends."""
    return widget.visibleRegion().boundingRect().bottom()


def seen(widget: QWidget) -> bool:
    return not widget.visibleRegion().isEmpty()


@pytest.mark.parametrize("pane", [spec.id for spec in PANES])
def test_no_text_is_cut_and_every_tab_can_be_reached(window: MainWindow, pane: str) -> None:
    """In one test, as laying out a window at another text size takes most of the time. Texts are looked at in the
    largest window only: in smaller ones a pane may scroll."""
    cut_texts, unreached, too_wide = {}, {}, {}
    window.banner.show_notice(
        Notice("second", "There is a second message.", "It needs two lines. " * 8, kind="attention")
    )
    for scale in SCALES:
        theme().configure(zoom=scale)
        for size in SIZES if scale in EXTREMES else SIZES[:1]:
            window.resize(*size)
            bars = [bar for bar in shown(window, pane).findChildren(QTabBar) if bar.isVisible() and bar.count()]
            if away := [tab for bar in bars for tab in out_of_reach(bar)]:
                unreached[scale, size] = away
            if size != SIZES[0]:
                continue
            for view in views(window.panes[pane]):
                if view and scale not in FURTHER:
                    break
                laid_out(window)
                if texts := cut(window):
                    cut_texts[scale, view] = texts
                if wide := sideways(window.panes[pane]):
                    too_wide[scale, view] = wide
    assert not cut_texts
    assert not unreached
    assert not too_wide, "scrolls sideways at 1280x800"


VIEWS = {
    "linking": ("linking.reviews", "linking.coverage", "linking.coverage", "linking.guidelines", "linking.propose"),
    "review": ("review.begin_iclr", *(f"review.show_{page}" for page in ("stages", "literature", "runs", "export"))),
}
"""The commands that show what isn't a tab, one after the other."""


@pytest.mark.parametrize("pane", VIEWS)
def test_no_view_of_a_pane_is_cut_or_scrolls_sideways(window: MainWindow, pane: str) -> None:
    trouble = {}
    for scale in (1.0, 1.5, 1.75, 2.0):
        theme().configure(zoom=scale)
        for command in VIEWS[pane]:
            shown(window, pane)
            if not command.startswith("review.begin") or scale == 1.0:
                window.commands.run(command)
            settle(window)
            if found := (*cut(window), *sideways(window.panes[pane])):
                trouble[scale, command] = found
    assert not trouble


@pytest.mark.parametrize("pane", [spec.id for spec in PANES])
def test_no_text_is_faint(window: MainWindow, pane: str) -> None:
    found = {}
    with plain_letters():
        for scheme in ("light", "dark"):
            theme().configure(scheme)  # type: ignore[arg-type]
            for view in views(shown(window, pane)):
                laid_out(window)
                if texts := faint(window):
                    found[scheme, view] = texts
    assert not found
