"""What a language model gets of the paper: its visible text and nothing else; above it what was left out, and why."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QPlainTextEdit, QVBoxLayout, QWidget

from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.theme import theme
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from engine.documents.hidden import Finding, Inspection, unexamined_words

_FINDING = int(Qt.ItemDataRole.UserRole)
_SHOWN = 5


def findings_of(inspection: Inspection | None) -> tuple[Finding, ...]:
    """All findings in a PDF: what does not show, then what speaks to reviewers."""
    return (*inspection.hidden, *inspection.injection) if inspection is not None else ()


def summary(inspection: Inspection | None) -> str:
    """What was found, in a sentence."""
    if inspection is None:
        return "This file hasn't been examined for hidden text yet."
    if inspection.clean:
        return "Nothing is hidden in this file."
    missed = unexamined_words(inspection)
    if missed and not findings_of(inspection):
        return f"{missed} Models don't get the text of these pages."
    hidden, spoken = len(inspection.hidden), len(inspection.injection)
    parts = []
    if hidden:
        parts.append(f"{hidden} {'place holds' if hidden == 1 else 'places hold'} text that does not show")
    if spoken:
        parts.append(f"{spoken} {'passage speaks' if spoken == 1 else 'passages speak'} to the reviewer")
    return f"{' and '.join(parts)}.{' ' if missed else ''}{missed}"


class ModelView(QWidget):
    """Follows the paper at hand of a desk while it is shown."""

    place_wanted = Signal(object)
    """A Finding whose place should be shown."""
    left = Signal()

    def __init__(self, desk: ReviewDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._shown: object = None
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Hidden text")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setItemDelegate(TwoLineDelegate(self.list))
        self.list.itemActivated.connect(self._wanted)
        self.list.itemClicked.connect(self._wanted)
        self.text = QPlainTextEdit(self)
        self.text.setAccessibleName("What the model sees")
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setStyleSheet("QPlainTextEdit { border: none; border-radius: 0; padding: 8px 12px; }")
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByKeyboard | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.list)
        layout.addWidget(hairline(parent=self))
        layout.addWidget(self.text, 1)
        self._fetcher = Fetcher(self)
        self._fetcher.fetched.connect(lambda _name, text: self.text.setPlainText(cast("str", text)))
        desk.paper_changed.connect(self.show_paper)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_paper(self) -> None:
        """Shows the paper at hand, if this view is seen."""
        desk = self._desk
        parsed, inspection = desk.parsed, desk.inspection
        now = (parsed, inspection)
        if not self.isVisible() or now == self._shown:
            return
        self._shown = now
        self.list.clear()
        for finding in findings_of(inspection):
            item = QListWidgetItem(theme().icon("warning"), " ".join(finding.text.split()))
            page = f"Page {finding.page} · " if finding.page else ""
            item.setData(DETAIL, f"{page}{finding.why}")
            item.setData(_FINDING, finding)
            item.setToolTip(f"{page}{finding.why}: {finding.text}")
            self.list.addItem(item)
        for one in inspection.unexamined if inspection is not None else ():
            item = QListWidgetItem(theme().icon("warning"), f"Page {one.page}" if one.page else "Part of the file")
            item.setData(DETAIL, f"Not examined: {one.why}")
            item.setToolTip(f"Not examined: {one.why}")
            self.list.addItem(item)
        rows = min(self.list.count(), _SHOWN)
        self.list.setVisible(rows > 0)
        self.list.setFixedHeight(max(1, rows * self.list.sizeHintForRow(0)) if rows else 1)
        self.text.clear()
        if parsed is not None and inspection is not None:

            def visible() -> str:
                from engine.documents.hidden import visible_text

                return visible_text(parsed, inspection)

            self._fetcher.fetch("visible", visible)

    def _wanted(self, item: QListWidgetItem) -> None:
        finding = item.data(_FINDING)
        if finding is not None:
            self.place_wanted.emit(finding)

    def _restyle(self) -> None:
        self.text.setFont(theme().reading_font(14))
