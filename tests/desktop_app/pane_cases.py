"""What every pane must bear: no project, an empty one, a broken one, a huge one; and what every control must have.

A pane's tests subclass ``PaneCases``, set ``pane_id``, and fill a project in ``fill`` if the pane shows anything.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop_app.panes.base import Pane
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.window import MainWindow
from engine.errors import EnvironmentProblem
from engine.project import Changes, Project
from engine.reviews.store import ReviewStore
from tests.engine.reviews.made_review import review

CONTROLS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit)


def _inside_another_control(widget: QWidget) -> bool:
    parent: QObject | None = widget.parent()
    while parent is not None:
        # A spin box's line, a table's corner, a tab bar's arrows: parts that the outer control speaks for.
        if isinstance(parent, (QAbstractSpinBox, QComboBox, QAbstractItemView, QLineEdit, QTabBar)):
            return True
        parent = parent.parent()
    return isinstance(widget, QAbstractSlider)


def controls(root: QWidget) -> list[QWidget]:
    """Every control below a widget that a person can reach."""
    return [w for w in root.findChildren(QWidget) if isinstance(w, CONTROLS) and not _inside_another_control(w)]


def assert_named(root: QWidget) -> None:
    """Every control has a name for screen readers; every button without a word has a tooltip."""
    for widget in controls(root):
        assert widget.accessibleName(), f"{widget!r} below {root!r} has no name for screen readers"
        if isinstance(widget, QAbstractButton) and not widget.text():
            assert widget.toolTip(), f"{widget.accessibleName()} has no tooltip"
        assert "<" not in widget.accessibleName()


def assert_words_whole(pane: Pane, qtbot: QtBot) -> None:
    """With large text in a window of 1280 x 800, no button and no tab in sight is too small for its words
    or under another part."""

    def is_whole() -> None:
        for part in (*pane.findChildren(CommandButton), *pane.findChildren(QTabBar)):
            least, size = part.minimumSizeHint(), part.size()
            assert not part.isVisible() or least.boundedTo(size) == least, part.accessibleName()
            beside = part.parentWidget().findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
            over = [one for one in beside if one is not part and one.geometry().intersects(part.geometry())]
            assert not part.isVisible() or not any(one.isVisible() for one in over), part.accessibleName()

    for zoom in (1.5, 1.75, 2.0):
        theme().configure(zoom=zoom)
        pane.window().resize(1280, 800)
        qtbot.waitUntil(is_whole)


def refreshes(pane: Pane) -> list[int]:
    """A list that grows by one with each refresh from now on."""
    seen: list[int] = []
    before = pane.refresh_now

    def counted() -> None:
        seen.append(1)
        before()

    pane.refresh_now = counted  # type: ignore[method-assign]
    return seen


class PaneCases:
    """The cases of one pane."""

    pane_id: ClassVar[str]
    huge: ClassVar[int] = 2000
    huge_seconds: ClassVar[float] = 5.0  # the benchmarks hold the real figures; this catches what grows by the square

    def fill(self, project: Project, count: int) -> None:
        """Puts ``count`` things of the pane's kind into the project: here, comments of a review."""
        ReviewStore(project).import_bundle(review(count), "review.txt")

    def pane(self, window: MainWindow) -> Pane:
        window.show_pane(self.pane_id)
        return window.panes[self.pane_id]

    def check(self, window: MainWindow) -> None:
        """What holds in every case: controls have names, both schemes and a large text paint."""
        pane = self.pane(window)
        assert_named(pane)
        for scheme, zoom in (("dark", 1.5), ("light", 1.0)):
            theme().configure(scheme, zoom)  # type: ignore[arg-type]
            assert not window.grab().isNull()

    def test_without_a_project(self, window: MainWindow) -> None:
        pane = self.pane(window)
        assert pane.isVisible() and pane.project is None
        if pane.needs_project:
            steps = [b.text().partition("…")[0] for b in pane.findChildren(CommandButton) if b.isVisible()]
            assert steps[:2] == ["New project", "Open project"], "an empty page offers a first step"
        self.check(window)

    def test_with_an_empty_project(self, window: MainWindow, project_path: Path) -> None:
        window.open_path(project_path)
        self.check(window)

    def test_with_things_and_without_them_again(self, window: MainWindow, project_path: Path) -> None:
        with Project.open(project_path) as project:
            self.fill(project, 3)
        window.open_path(project_path)
        self.check(window)
        window.control.close()
        self.check(window)

    def test_a_file_that_breaks_while_it_is_open_is_told(self, window: MainWindow, project_path: Path) -> None:
        """Reading fails at some moment: the pane stays, and its banner speaks."""
        window.open_path(project_path)
        pane = self.pane(window)
        before = pane.refresh

        def broken() -> None:
            raise EnvironmentProblem("The file can't be read.", "Nothing was changed.", "Restore a backup.")

        pane.refresh = pane.is_empty = broken  # type: ignore[method-assign, assignment]
        pane.mark_dirty()
        assert [n.what for n in pane.banner.notices] == ["The file can't be read."]
        assert pane.isVisible()
        pane.refresh, pane.is_empty = before, lambda: False  # type: ignore[method-assign]
        pane.mark_dirty()
        assert pane.banner.notices == []

    def test_with_a_huge_project(self, window: MainWindow, project_path: Path) -> None:
        with Project.open(project_path) as project:
            self.fill(project, self.huge)
        window.open_path(project_path)
        self.pane(window)
        window.show_pane("home" if self.pane_id != "home" else "settings")
        started = time.process_time()
        pane = self.pane(window)
        pane.mark_dirty()
        window.grab()
        assert time.process_time() - started < self.huge_seconds
        self.check(window)

    def test_it_refreshes_only_when_seen(self, window: MainWindow, project_path: Path) -> None:
        window.open_path(project_path)
        pane = self.pane(window)
        seen = refreshes(pane)
        window.show_pane("home" if self.pane_id != "home" else "history")
        pane.mark_dirty()
        pane.mark_dirty()
        assert seen == []
        self.pane(window)
        assert seen == [1]

    def test_a_burst_of_results_is_shown_once(self, window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
        window.open_path(project_path)
        pane = self.pane(window)
        seen = refreshes(pane)
        table = next(iter(pane.tables), "revision")
        for number in range(40):
            pane.on_changes(Changes("Suggest", "results", {table: frozenset({str(number)})}))
        qtbot.waitUntil(lambda: not pane._burst.isActive())
        assert len(seen) <= 3  # a pane may have results of its own under way

    def test_every_reachable_control_can_be_reached_by_tab(
        self, window: MainWindow, project_path: Path, qtbot: QtBot
    ) -> None:
        window.open_path(project_path)
        pane = self.pane(window)
        window.activateWindow()
        pane.setFocus()
        reached: set[QWidget] = set()
        for _ in range(200):
            now = window.focusWidget()
            if now in reached:
                break
            if now is not None:
                reached.add(now)
            qtbot.keyClick(now or window, Qt.Key.Key_Tab)
        for widget in controls(pane):
            wants = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            if widget.isVisible() and widget.isEnabled() and wants:
                proxy = widget.focusProxy() or widget
                assert widget in reached or proxy in reached, f"{widget.accessibleName()} is not reached by Tab"
