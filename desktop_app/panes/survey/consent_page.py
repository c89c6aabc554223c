"""The first page: what the study is, who runs it, what it asks, and what becomes of the answers."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.state import SurveyState, rich
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.plain import HtmlLabel

WIDTH = 1120


class ConsentPage(QScrollArea):
    """Everything to read in one view: instructions at the left, consent and release at the right."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("About the study")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        page = QWidget()
        page.setProperty("role", "surface")
        self._inner = QWidget(page)
        centred = QHBoxLayout(page)
        centred.setContentsMargins(32, 24, 32, 24)
        centred.addStretch(1)
        centred.addWidget(self._inner, 100, Qt.AlignmentFlag.AlignTop)
        centred.addStretch(1)
        self.title = text_label("", "title", wrap=True, parent=self._inner)
        self.who = text_label("", "muted", wrap=True, parent=self._inner)
        self.instructions = self._reading()
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.instructions)
        left.addStretch(1)
        self.consent, self.agreed = self._reading(), text_label("", "muted", wrap=True)
        self.released, self.withheld = self._reading(), self._reading()
        self.take_back = CommandButton(registry, "participant.take_back", quiet=True)
        right = QVBoxLayout()
        right.setSpacing(12)
        right.addWidget(self._panel("What will be made public", self.released))
        right.addWidget(self._panel("What will not", self.withheld))
        right.addWidget(self._panel("Your consent", self.consent, self.agreed, self.take_back))
        right.addStretch(1)
        columns = QHBoxLayout()
        columns.setSpacing(32)
        columns.addLayout(left, 6)
        columns.addLayout(right, 5)
        column = QVBoxLayout(self._inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.title)
        column.addWidget(self.who)
        column.addSpacing(12)
        column.addLayout(columns)
        self.setWidget(page)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _reading(self) -> QLabel:
        label = HtmlLabel(self._inner)
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _panel(self, title: str, *widgets: QWidget) -> QFrame:
        panel = QFrame(self._inner)
        panel.setProperty("role", "panel")
        column = QVBoxLayout(panel)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(4)
        column.addWidget(text_label(title, "section", parent=panel))
        for widget in widgets:
            column.addWidget(
                widget, 0, Qt.AlignmentFlag.AlignLeft if isinstance(widget, CommandButton) else Qt.AlignmentFlag(0)
            )
        return panel

    def _restyle(self) -> None:
        self._inner.setMaximumWidth(theme().px(WIDTH))
        for label in (self.instructions, self.consent, self.released, self.withheld):
            label.setFont(theme().reading_font(14))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._restyle()  # the stylesheet has polished the labels by now, and would have taken their face away

    def show_state(self, state: SurveyState) -> None:
        study = state.study
        self.title.setText(study.title)
        by = [f"Run by {study.organiser}" if study.organiser else "", study.contact]
        self.who.setText(" · ".join(part for part in by if part))
        self.who.setHidden(not self.who.text())
        self.instructions.setText(rich(study.instructions))
        self.consent.setText(rich(study.consent))
        self.released.setText(rich(study.released))
        self.withheld.setText(rich(study.withheld))
        for label in (self.consent, self.released, self.withheld):
            panel = label.parentWidget()
            assert panel is not None
            panel.setHidden(not label.text())
        given = state.participant.consented_at
        when = f"{datetime.fromisoformat(given).astimezone():%d %B %Y, %H:%M}" if given else ""
        self.agreed.setText(f"✓ You agreed on {when}." if given else "")
        self.agreed.setHidden(not given)
        self.take_back.setHidden(not given)

    def take_focus(self) -> None:
        self.setFocus()
