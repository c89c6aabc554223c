"""The line above a document: its version, page, zoom and search hits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.command_menu import pop_up
from desktop_app.widgets.labels import ElidedLabel, literal, text_label
from desktop_app.widgets.layouts import row, surface
from desktop_app.widgets.pdf_view import PdfView

_ROOM_FOR_ZOOM = 360
"""Narrower headers hide the zoom buttons to keep the file's name readable."""


class PageHeader(QWidget):
    """Follows one PdfView; with more than two versions, a menu offers the others."""

    version_wanted = Signal(str)
    """The key of the version to show here."""

    def __init__(self, version: str, view: PdfView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        surface(self, f"{version} version")
        title = text_label(version, "body", parent=self)
        title.setFont(theme().font("body", bold=True))
        self._name = ElidedLabel("muted", self)
        self._hits = text_label("", "small", parent=self)
        self._found = (0, 0)
        self._page = text_label("", "small", parent=self)
        self._page.setFont(theme().font("small", tabular=True))
        self._versions: tuple[tuple[str, str], ...] = ()
        self._shown = ""
        self._others = IconButton(
            "files", f"Other versions: {version.lower()}", f"Choose the {version.lower()} version", parent=self
        )
        self._others.clicked.connect(self.open_versions)
        self._others.setVisible(False)
        self._zooms: list[IconButton] = []
        for icon, name, act in (
            ("minus", "Smaller", lambda: view.step_zoom(-1)),
            ("plus", "Larger", lambda: view.step_zoom(1)),
            ("arrows-out-line-horizontal", "Fit width", self._fit),
        ):
            button = IconButton(icon, f"{name}: {version.lower()} version", name, parent=self)
            button.clicked.connect(act)
            self._zooms.append(button)
        row(
            title, self._others, (self._name, 1), self._hits, self._page, *self._zooms,
            margins=(12, 0, 8, 0), spacing=4, of=self,
        )  # fmt: skip
        view.page_changed.connect(self._refresh)
        view.found.connect(self._show_hits)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme().px(32))

    def _fit(self) -> None:
        self._view.set_zoom("text" if self._view.zoom_mode == "width" else "width")

    def set_name(self, name: str) -> None:
        self._name.setText(name)
        self._name.setToolTip(name)
        self._refresh()

    def set_versions(self, versions: Sequence[tuple[str, str]], shown: str) -> None:
        """Sets the available versions (key, name) and the key of the one shown."""
        self._versions, self._shown = tuple(versions), shown
        self._others.setVisible(len(self._versions) > 2)

    def open_versions(self) -> None:
        menu = QMenu(self)
        for key, name in self._versions:
            entry = menu.addAction(literal(name))
            entry.setCheckable(True)
            entry.setChecked(key == self._shown)
            entry.triggered.connect(lambda _checked=False, wanted=key: self.version_wanted.emit(wanted))
        pop_up(menu, self._others)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for button in self._zooms:
            button.setVisible(self._is_wide())
        self._show_hits(*self._found)

    def _is_wide(self) -> bool:
        return self.width() >= theme().px(_ROOM_FOR_ZOOM)

    def _refresh(self) -> None:
        self._page.setText(f"{self._view.page} / {self._view.pages}" if self._view.pages else "")

    def _show_hits(self, current: int, total: int) -> None:
        self._found = (current, total)
        words = f"{current} of {total} found" if total else ""
        self._hits.setText(words if self._is_wide() else words.removesuffix(" found"))
        self._hits.setToolTip(words)
