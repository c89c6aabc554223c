"""The text that a language model gets: what is visible in the paper; above it what was left out, and why."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from desktop_app.panes.review.layout import column, plain, surface
from desktop_app.theme import theme
from desktop_app.widgets.entry_list import DETAIL, TwoLineDelegate
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.labels import hairline
from engine.documents.hidden import Finding, Inspection, unexamined_words, visible_text
from engine.documents.records import ParsedDocument

_FINDING = int(Qt.ItemDataRole.UserRole)
_SHOWN = 5


def findings_of(inspection: Inspection | None) -> tuple[Finding, ...]:
    """All findings in a PDF: hidden text, then instructions to reviewers."""
    return (*inspection.hidden, *inspection.injection) if inspection is not None else ()


def summary(inspection: Inspection | None) -> str:
    """What was found, in a sentence."""
    if inspection is None:
        return "This file hasn't been examined for hidden text yet."
    if inspection.clean:
        return "This file has no hidden text."
    missed = unexamined_words(inspection)
    if missed and not findings_of(inspection):
        return f"{missed} Models don't get the text of these pages."
    hidden, spoken = len(inspection.hidden), len(inspection.injection)
    parts = [
        f"{hidden} {'place has' if hidden == 1 else 'places have'} hidden text" if hidden else "",
        f"{spoken} {'passage addresses' if spoken == 1 else 'passages address'} the reviewer" if spoken else "",
    ]
    return f"{' and '.join(part for part in parts if part)}.{' ' if missed else ''}{missed}"


class ModelView(QWidget):
    """Shows one paper."""

    place_wanted = Signal(object)
    """A Finding whose place should be shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: object = None
        surface(self)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Hidden text")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setItemDelegate(TwoLineDelegate(self.list))
        self.list.itemActivated.connect(self._wanted)
        self.list.itemClicked.connect(self._wanted)
        self.text = plain("What the model sees", self)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setStyleSheet("QPlainTextEdit { border: none; border-radius: 0; padding: 8px 12px; }")
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByKeyboard | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        column(self.list, hairline(parent=self), self.text, on=self).setStretch(0, 0)
        self._fetcher = Fetcher(self)
        self._fetcher.fetched.connect(lambda _name, text: self.text.setPlainText(cast("str", text)))
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_paper(self, parsed: ParsedDocument | None, inspection: Inspection | None) -> None:
        """Shows a paper, if this view is visible; nothing until the file was examined."""
        now = (parsed, inspection)
        if not self.isVisible() or now == self._shown:
            return
        self._shown = now
        self.list.clear()
        for finding in findings_of(inspection):
            page = f"Page {finding.page} · " if finding.page else ""
            self._add(" ".join(finding.text.split()), f"{page}{finding.why}").setData(_FINDING, finding)
        for one in inspection.unexamined if inspection is not None else ():
            self._add(f"Page {one.page}" if one.page else "Part of the file", f"Not examined: {one.why}")
        rows = min(self.list.count(), _SHOWN)
        self.list.setVisible(rows > 0)
        self.list.setFixedHeight(max(1, rows * self.list.sizeHintForRow(0)) if rows else 1)
        self.text.clear()
        if parsed is not None and inspection is not None:
            self._fetcher.fetch("visible", lambda: visible_text(parsed, inspection))

    def _add(self, words: str, detail: str) -> QListWidgetItem:
        item = QListWidgetItem(theme().icon("warning"), words)
        item.setData(DETAIL, detail)
        item.setToolTip(f"{detail}\n{words}")
        self.list.addItem(item)
        return item

    def _wanted(self, item: QListWidgetItem) -> None:
        finding = item.data(_FINDING)
        if finding is not None:
            self.place_wanted.emit(finding)

    def _restyle(self) -> None:
        self.text.setFont(theme().reading_font(14))
