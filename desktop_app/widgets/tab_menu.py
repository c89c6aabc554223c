"""A menu of all tabs, for a bar that has no room to show them at once."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QMenu, QTabBar, QWidget

from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.command_menu import pop_up


class TabMenu(IconButton):
    """A button to put beside a bar; shown only while the bar's tabs need more room than it has."""

    def __init__(self, bar: QTabBar, parent: QWidget | None = None) -> None:
        super().__init__("caret-down", f"All tabs: {bar.accessibleName()}", "Show all tabs", parent=parent)
        self._bar = bar
        self.setVisible(False)
        self.clicked.connect(self._open)
        # Not while the bar is being laid out: the layout would not hear of another visible part.
        self._laid_out = QTimer(self, singleShot=True, interval=0)
        self._laid_out.timeout.connect(self._refresh)
        bar.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._bar and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._laid_out.start()
        return super().eventFilter(watched, event)

    def _refresh(self) -> None:
        bar = self._bar
        needed = sum(bar.tabRect(at).width() for at in range(bar.count()))
        room = bar.width() + (self.sizeHint().width() if self.isVisible() else 0)
        self.setVisible(needed > room)

    def _open(self) -> None:
        menu, bar = QMenu(self), self._bar
        for at in range(bar.count()):
            entry = menu.addAction(bar.tabText(at))
            entry.setCheckable(True)
            entry.setChecked(at == bar.currentIndex())
            entry.triggered.connect(lambda _checked=False, tab=at: bar.setCurrentIndex(tab))
        pop_up(menu, self)
