"""The history of a draft: what was kept of it, how it differs from what stands there now, and putting it back."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.panes.review.runs_view import moment_of
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.edit_words import changes_of
from desktop_app.widgets.halves import Halves
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.row_list import RowList
from desktop_app.widgets.tracked import tracked_html
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from engine.review_drafting.history import FieldDifference, differences
from engine.review_drafting.store import DraftVersion

_NOW, _BEFORE = range(2)


class HistoryView(QWidget):
    """Versions at the left, the newest first; at the right what changed, as tracked changes."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._desk = desk = runs.desk
        self.versions: tuple[DraftVersion, ...] = ()
        self.found: tuple[FieldDifference, ...] = ()
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = QStandardItemModel(self)
        self.list = RowList("Versions of the review, the newest first", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list, Qt.TextElideMode.ElideRight))
        self.list.set_message("Nothing was kept yet. Keep a version, and each restoring keeps what stood there.")
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show())
        self.against = self._box("What the version is compared with", ["Changes since then", "Changes it brought"])
        self.field = self._box("Field that is shown and restored", ["All fields"])
        self.told = text_label("", "muted", parent=self)
        self.words = HtmlPage("The changes, field by field", self, padding="4px 8px")
        self.words.setTabChangesFocus(True)
        acts, head = QHBoxLayout(), QHBoxLayout()
        for row in (acts, head):
            row.setSpacing(8)
        for name, text in (("keep_version", "Keep a version"), ("restore_version", "Restore")):
            button = CommandButton(desk.context.commands, f"review.{name}", text=text, parent=self)
            KeepsKeys(button)
            (acts if name == "keep_version" else head).addWidget(button)
        acts.addStretch(1)
        head.insertWidget(0, self.against)
        head.insertWidget(1, self.field)
        head.insertWidget(2, self.told, 1)
        left, right = QWidget(self), QWidget(self)
        column, beside = QVBoxLayout(left), QVBoxLayout(right)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        column.addWidget(self.list, 1)
        column.addLayout(acts)
        beside.setContentsMargins(8, 0, 0, 0)
        beside.setSpacing(6)
        beside.addLayout(head)
        beside.addWidget(self.words, 1)
        halves = Halves(left, right, [300, 760], self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(halves)
        desk.versions_changed.connect(self.read)
        desk.draft_changed.connect(self.read)
        desk.field_changed.connect(lambda _field: self._show())
        theme().changed.connect(self._fill)

    def _box(self, name: str, items: list[str]) -> QComboBox:
        box = QComboBox(self)
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        box.addItems(items)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(16)
        box.activated.connect(lambda _at: self._show())
        KeepsKeys(box)
        return box

    # --- showing --------------------------------------------------------------------------------------------------

    @property
    def version(self) -> DraftVersion | None:
        """The version at hand."""
        at = self.list.currentIndex().row()
        return self.versions[at] if 0 <= at < len(self.versions) else None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.read()

    def read(self) -> None:
        """The versions of the draft at hand, while somebody looks; the one at hand stays."""
        if not self.isVisible():
            return
        desk, at_hand = self._desk, self.version
        draft = desk.draft
        versions = desk.store.versions(draft.id) if draft is not None and desk.project is not None else ()
        form = desk.form
        titles = [("All fields", "")]
        if form is not None:
            titles += [(field.title, field.key) for field in form.fields]
        if [(self.field.itemText(n), self.field.itemData(n) or "") for n in range(self.field.count())] != titles:
            self.field.clear()
            for title, key in titles:
                self.field.addItem(title, key)
        if versions != self.versions:
            self.versions = versions
            self._fill(at_hand.id if at_hand is not None else "")
        else:
            self._show()

    def _fill(self, at_hand: str = "") -> None:
        at_hand = at_hand or (self.version.id if self.version is not None else "")
        self.model.clear()
        for version in self.versions:
            said = sum(bool(value.strip()) for _, value in version.fields)
            words = sum(len(value.split()) for _, value in version.fields)
            item = QStandardItem(theme().icon("clock-counter-clockwise", "ink"), moment_of(version.created_at))
            detail = f"{version.reason} · {words} words in {said} field{'s' if said != 1 else ''}"
            item.setData(detail, int(DETAIL))
            item.setData(f"{moment_of(version.created_at)}: {detail}", int(Qt.ItemDataRole.AccessibleTextRole))
            self.model.appendRow(item)
        if self.versions:
            rows = [n for n, version in enumerate(self.versions) if version.id == at_hand]
            self.list.select_row(rows[0] if rows else 0)
        self._show()

    def _show(self) -> None:
        desk, version = self._desk, self.version
        if not self.isVisible():
            return
        desk.context.commands.state_changed.emit()
        if version is None or desk.form is None:
            self.found = ()
            self.told.setText("")
            self.words.clear()
            return
        order = [field.key for field in desk.form.fields]
        at = self.list.currentIndex().row()
        if self.against.currentIndex() == _BEFORE:
            earlier = dict(self.versions[at + 1].fields) if at + 1 < len(self.versions) else {}
            found = differences(earlier, dict(version.fields), order)
        else:
            found = differences(dict(version.fields), desk.fields, order)
        only = self.field.currentData() or ""
        self.found = tuple(one for one in found if not only or one.field == only)
        self._show_words()

    def _show_words(self) -> None:
        form = self._desk.form
        assert form is not None
        titles = {field.key: field.title for field in form.fields}
        added = deleted = 0
        parts = []
        for one in self.found:
            for change in changes_of(one.before, one.after):
                words = len(change.text.split())
                added += words * (change.operation == "insert")
                deleted += words * (change.operation == "delete")
            title = html.escape(titles.get(one.field, one.field))
            parts.append(f"<p><b>{title}</b></p><p>{tracked_html(one.before, one.after, context=240)}</p>")
        self.told.setText(f"{added} words added, {deleted} deleted" if self.found else "")
        same = "Nothing has changed since this version." if self.against.currentIndex() == _NOW else "No change."
        self.words.setHtml("".join(parts) or f"<p>{same}</p>")

    # --- acting ---------------------------------------------------------------------------------------------------

    @property
    def can_keep(self) -> bool:
        return self._desk.draft is not None and self._desk.can_write

    def keep(self) -> None:
        """Keeps the fields as they are."""
        draft = self._desk.draft
        if draft is not None:
            self._runs.acting.emit()
            self._desk.act(lambda: self._desk.store.keep_version(draft.id, "kept by hand"))

    @property
    def can_restore(self) -> bool:
        version, desk = self.version, self._desk
        only = self.field.currentData() or ""
        if version is None or not desk.can_write:
            return False
        changed = differences(dict(version.fields), desk.fields)
        return any(not only or one.field == only for one in changed)

    def restore(self) -> None:
        """Puts the version at hand back, whole or the field that is shown; one undo takes it back."""
        version, desk = self.version, self._desk
        only = self.field.currentData() or ""
        if version is not None:
            self._runs.acting.emit()
            desk.act(lambda: desk.store.restore_version(version.id, {only} if only else None))
