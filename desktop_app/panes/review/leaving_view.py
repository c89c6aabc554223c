"""Before a review leaves: what stands in its way, the very words that leave, and what was assisted."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.halves import Halves
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel
from desktop_app.widgets.row_list import RowList
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from engine.exchange.review_leaving import INFO, Form
from engine.review_drafting.readiness import Finding

_ICONS = {"claim": "x-circle", "form": "warning-octagon", "identity": "warning", "place": "circle", "tone": "warning"}


class LeavingView(QWidget):
    """Findings at the left, the words that leave at the right; a sentence that is not in the paper is settled here."""

    wanted = Signal()
    """Another form is chosen, or the statement goes along or not: the words are others."""
    place_wanted = Signal(str, int, int)
    """A field, and what of it is to be looked at."""

    def __init__(self, desk: ReviewDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        registry = desk.context.commands
        self._commands = registry
        self.findings: tuple[Finding, ...] = ()
        self.checking = False
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title = ElidedLabel("section", self)
        self.model = QStandardItemModel(self)
        self.list = RowList("What to know before it leaves", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list, Qt.TextElideMode.ElideRight))
        self.list.selectionModel().currentChanged.connect(lambda *_: registry.state_changed.emit())
        self.list.activated_row.connect(lambda _index: self.go())
        self.form = QComboBox(self)
        self.form.setAccessibleName("Form in which it leaves")
        self.form.setToolTip("Form in which it leaves")
        self.form.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for key, kind in INFO.items():
            self.form.addItem(kind.title, key)
            self.form.setItemData(self.form.count() - 1, kind.help, Qt.ItemDataRole.ToolTipRole)
        self.form.currentIndexChanged.connect(lambda _at: self.wanted.emit())
        self.statement = QCheckBox("With what was assisted", self)
        self.statement.setAccessibleName("With the statement of what was assisted")
        self.statement.setToolTip(
            "A statement of which stages ran and how many sentences were kept, rewritten, written"
        )
        self.statement.clicked.connect(lambda _on: self.wanted.emit())
        self.words = QPlainTextEdit(self)
        self.words.setAccessibleName("The words that leave")
        self.words.setReadOnly(True)
        self.words.setTabChangesFocus(True)
        for control in (self.form, self.statement):
            KeepsKeys(control)
        acts, head = QHBoxLayout(), QHBoxLayout()
        for row in (acts, head):
            row.setSpacing(8)
        for name, text, line in (
            ("settle_drop", "Drop", acts), ("settle_ask", "Ask instead", acts), ("show_place", "Go there", acts),
        ):  # fmt: skip
            line.addWidget(self._button(name, text))
        acts.addStretch(1)
        head.addWidget(self.form)
        head.addWidget(self.statement)
        head.addStretch(1)
        head.addWidget(self._button("copy_review", "Copy"))
        head.addWidget(self._button("write_review", "Write…", primary=True))
        left, right = QWidget(self), QWidget(self)
        column, beside = QVBoxLayout(left), QVBoxLayout(right)
        column.setContentsMargins(0, 0, 8, 0)
        beside.setContentsMargins(8, 0, 0, 0)
        for row_ in (column, beside):
            row_.setSpacing(6)
        column.addWidget(self.title)
        column.addWidget(self.list, 1)
        column.addLayout(acts)
        beside.addLayout(head)
        beside.addWidget(self.words, 1)
        halves = Halves(left, right, [480, 560], self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(halves)
        theme().changed.connect(self._fill)

    def _button(self, name: str, text: str, *, primary: bool = False) -> CommandButton:
        button = CommandButton(self._commands, f"review.{name}", text=text, primary=primary, parent=self)
        KeepsKeys(button)
        return button

    @property
    def form_at_hand(self) -> Form:
        """The form that is chosen."""
        found: Form = self.form.currentData()
        return found

    @property
    def finding(self) -> Finding | None:
        """The finding at hand."""
        at = self.list.currentIndex().row()
        return self.findings[at] if 0 <= at < len(self.findings) else None

    @property
    def red(self) -> int:
        """How many sentences cannot leave."""
        return sum(one.subject == "claim" for one in self.findings)

    def show_findings(self, findings: tuple[Finding, ...], *, checking: bool) -> None:
        """What is to be known, the gravest first; ``checking`` while fields are still being looked at."""
        self.checking = checking
        if findings != self.findings or not self.title.text():
            self.findings = findings
            self._fill()
        self._show_title()

    def show_words(self, words: str) -> None:
        """What leaves; the place in it stays."""
        if words != self.words.toPlainText():
            place = self.words.verticalScrollBar().value()
            self.words.setPlainText(words)
            self.words.verticalScrollBar().setValue(place)

    def _show_title(self) -> None:
        red = self.red
        grave = sum(one.weight == "mend" for one in self.findings) - red
        some = sum(one.weight == "look" for one in self.findings)
        parts = [
            f"{red} cannot leave" if red else "", f"{grave} to mend" if grave else "",
            f"{some} to look at" if some else "", "checking…" if self.checking else "",
        ]  # fmt: skip
        self.title.setText(" · ".join(part for part in parts if part) or "Ready to leave")
        self._commands.state_changed.emit()

    def _fill(self) -> None:
        before = self.list.currentIndex().row()
        self.list.set_message("Everything that the review points at was found in the paper, and the form is filled.")
        self.model.clear()
        for one in self.findings:
            item = QStandardItem(theme().icon(_ICONS[one.subject], "ink"), one.words)
            detail = f"Cannot leave: {one.detail}" if one.subject == "claim" else one.detail
            item.setData(detail or ("To mend" if one.weight == "mend" else "To look at"), int(DETAIL))
            item.setData(f"{one.words}. {detail}", int(Qt.ItemDataRole.AccessibleTextRole))
            item.setToolTip(f"{one.words}\n{detail}")
            self.model.appendRow(item)
        if self.findings:
            self.list.select_row(min(max(before, 0), len(self.findings) - 1))
        self._show_title()

    def go(self) -> None:
        """Goes to what the finding at hand speaks of."""
        one = self.finding
        if one is not None:
            self.place_wanted.emit(one.field, one.start, one.end)
