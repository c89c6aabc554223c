"""The page that stands where there is nothing yet: what the pane is for, the first step, and a worked sample."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import text_label


class EmptyPage(QWidget):
    """Icon, title, purpose, and commands as buttons: the first is the next step, ``sample`` (if any) a quiet link."""

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
        layout = QVBoxLayout(self)
        layout.setContentsMargins(32, 32, 32, 32)
        layout.setSpacing(12)
        layout.addStretch(2)
        self._icon = QLabel(self)
        self._icon.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._icon.setAccessibleName(title)
        self._icon.setToolTip(title)
        layout.addWidget(self._icon)
        heading = text_label(title, "title", parent=self)
        heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(heading)
        words = text_label(purpose, "muted", wrap=True, parent=self)
        words.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._words = words
        centred = QHBoxLayout()
        centred.addStretch(1)
        centred.addWidget(words)
        centred.addStretch(1)
        layout.addLayout(centred)
        layout.addSpacing(8)
        if first_step:
            button = CommandButton(registry, first_step, primary=True, parent=self)
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        if sample:
            link = CommandButton(registry, sample, text="See a worked sample", quiet=True, show_key=False, parent=self)
            layout.addWidget(link, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self._icon.setPixmap(theme().icon(self._icon_name, "control_border").pixmap(QSize(48, 48)))
        self._words.setFixedWidth(theme().px(440))
        self._words.setMinimumHeight(self._words.heightForWidth(theme().px(440)))
