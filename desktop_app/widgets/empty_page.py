"""The page of an empty pane: what the pane is for, the first step, and a sample project."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import Parts, column, row


class EmptyPage(QWidget):
    """Icon, title, purpose, a button for the first step, and a link to the sample project."""

    def __init__(
        self,
        registry: CommandRegistry,
        icon: str,
        title: str,
        purpose: str,
        *,
        first_step: str = "",
        sample: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon
        self.setAccessibleName(f"{title}. {purpose}")
        centre = Qt.AlignmentFlag.AlignHCenter
        self._icon = QLabel()
        self._icon.setAlignment(centre)
        self._icon.setAccessibleName(title)
        self._icon.setToolTip(title)
        heading = text_label(title, "title")
        heading.setAlignment(centre)
        self._words = text_label(purpose, "muted", wrap=True)
        self._words.setAlignment(centre | Qt.AlignmentFlag.AlignTop)
        parts: list[Parts] = [(None, 2), self._icon, heading, row(None, self._words, None, spacing=0), 8]
        if first_step:
            parts.append((CommandButton(registry, first_step, primary=True), centre))
        if sample:
            link = CommandButton(registry, sample, text="Open the sample project", quiet=True, show_key=False)
            parts.append((link, centre))
        column(*parts, (None, 3), margins=(32, 32, 32, 32), spacing=12, of=self)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self._icon.setPixmap(theme().icon(self._icon_name, "control_border").pixmap(QSize(48, 48)))
        self._words.setFixedWidth(theme().px(440))
        self._words.setMinimumHeight(self._words.heightForWidth(theme().px(440)))
