"""The first page: what the study is, who runs it, what it involves, and what happens to the answers."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.state import Survey
from desktop_app.panes.survey.words import rich
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import LEFT, TOP, column, panel, row
from desktop_app.widgets.plain import HtmlLabel

WIDTH = 1120


class ConsentPage(QScrollArea):
    """Everything to read in one view: instructions on the left, consent and publication on the right."""

    def __init__(self, registry: CommandRegistry) -> None:
        super().__init__()
        self.setAccessibleName("About the study")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.title = text_label("", "title", wrap=True)
        self.who = text_label("", "muted", wrap=True)
        self.instructions, self.consent, self.released, self.withheld = (_reading() for _ in range(4))
        self.agreed = text_label("", "muted", wrap=True)
        self.take_back = CommandButton(registry, "participant.take_back", quiet=True)
        self._panels = {
            self.released: panel("What will be made public", self.released),
            self.withheld: panel("What will stay private", self.withheld),
            self.consent: panel("Your consent", self.consent, self.agreed, (self.take_back, LEFT)),
        }
        columns = row(
            (column(self.instructions, None), 6), (column(*self._panels.values(), None, spacing=12), 5), spacing=32
        )
        self._inner = QWidget()
        column(self.title, self.who, 12, columns, spacing=4, of=self._inner)
        page = QWidget()
        page.setProperty("role", "surface")
        row(None, (column(self._inner, None), 100), None, margins=(32, 24, 32, 24), of=page, spacing=0)
        self.setWidget(page)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self._inner.setMaximumWidth(theme().px(WIDTH))
        for label in (self.instructions, *self._panels):
            label.setFont(theme().reading_font(14))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._restyle()  # the stylesheet, applied by now, has replaced the labels' font

    def show_survey(self, survey: Survey) -> None:
        study, given = survey.study, survey.participant.consented_at
        self.title.setText(study.title)
        by = [f"Run by {study.organiser}" if study.organiser else "", study.contact]
        self.who.setText(" · ".join(part for part in by if part))
        self.who.setHidden(not self.who.text())
        self.instructions.setText(rich(study.instructions))
        for label, text in (
            (self.consent, study.consent),
            (self.released, study.released),
            (self.withheld, study.withheld),
        ):
            label.setText(rich(text))
            self._panels[label].setHidden(not text.strip())
        when = f"{datetime.fromisoformat(given).astimezone():%d %B %Y, %H:%M}" if given else ""
        self.agreed.setText(f"✓ You agreed on {when}." if given else "")
        self.agreed.setHidden(not given)
        self.take_back.setHidden(not given)

    def take_focus(self) -> None:
        self.setFocus()


def _reading() -> QLabel:
    label = HtmlLabel()
    label.setAlignment(TOP)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
