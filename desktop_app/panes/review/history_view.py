"""Saved versions of a review, how they differ from its text now, and restoring one."""

from __future__ import annotations

import html

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from desktop_app.panes.review.layout import buttons, halves, reader
from desktop_app.panes.review.runs_view import local_time
from desktop_app.panes.review.session import ReviewSession
from desktop_app.widgets.edit_words import changes_of
from desktop_app.widgets.entry_list import TwoLineList, TwoLines
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import command_button, row, surface
from desktop_app.widgets.tracked import tracked_html
from engine.review_drafting.history import FieldDifference, differences
from engine.review_drafting.store import DraftVersion
from engine.shown import counted

_SINCE, _BROUGHT = range(2)


class HistoryView(QWidget):
    """Versions at the left, the newest first; at the right tracked changes."""

    def __init__(self, session: ReviewSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._state = session, session.state
        self.versions: tuple[DraftVersion, ...] = ()
        self.found: tuple[FieldDifference, ...] = ()
        self.list = TwoLineList("Saved versions, newest first", self)
        self.list.set_message("No versions yet. Restoring a version saves the current text first.")
        self.list.chosen.connect(self._show)
        ways = (("Changes since this version", _SINCE), ("Changes in this version", _BROUGHT))
        self.against = ChoiceBox("Comparison", ways, letters=21, parent=self)
        self.field = ChoiceBox("Field to show and restore", letters=16, parent=self)
        for box in (self.against, self.field):
            box.picked.connect(lambda _value: self._show())
        self.count = text_label("", "muted", parent=self)
        self.words = reader("Changes by field", self)
        registry = session.context.commands
        restore = command_button(registry, "review.restore_version", "Restore", self)
        surface(self, "History")
        keep = buttons(registry, self, keep_version="Save version")
        head = row(self.against, self.field, self.count, None, restore)
        halves(self, ((self.list, 1), keep), (head, (self.words, 1)), (300, 760))
        session.versions_changed.connect(self.read)
        session.draft_changed.connect(self.read)
        session.field_changed.connect(lambda _field: self._show())

    @property
    def version(self) -> DraftVersion | None:
        at = self.list.row
        return self.versions[at] if 0 <= at < len(self.versions) else None

    @property
    def _only(self) -> str:
        """The field that is shown, "" for all."""
        return self.field.value or ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.read()

    def read(self) -> None:
        """Reads the versions of the review while the page is visible; the selected one stays selected."""
        if not self.isVisible():
            return
        before, versions, form = self.version, self._state.versions(), self._state.form
        titles = [("All fields", ""), *((field.title, field.key) for field in (form.fields if form else ()))]
        self.field.show_entries(titles)
        if versions != self.versions:
            self.versions = versions
            current = next((n for n, one in enumerate(versions) if before is not None and one.id == before.id), 0)
            self.list.show_rows([_row(version) for version in versions], current)
        self._show()

    def _show(self) -> None:
        version, form = self.version, self._state.form
        if not self.isVisible():
            return
        if version is None or form is None:
            self.found = ()
            self.count.setText("")
            self.words.clear()
        else:
            order = [field.key for field in form.fields]
            if self.against.value == _BROUGHT:
                earlier = self.versions[self.list.row + 1 :]
                found = differences(dict(earlier[0].fields) if earlier else {}, dict(version.fields), order)
            else:
                found = differences(dict(version.fields), self._state.fields, order)
            self.found = tuple(one for one in found if self._only in ("", one.field))
            self._show_words({field.key: field.title for field in form.fields})
        self._session.context.commands.state_changed.emit()

    def _show_words(self, titles: dict[str, str]) -> None:
        count, parts = {"insert": 0, "delete": 0}, []
        for one in self.found:
            for change in changes_of(one.before, one.after):
                if change.operation in count:
                    count[change.operation] += len(change.text.split())
            title = html.escape(titles.get(one.field, one.field))
            parts.append(f"<p><b>{title}</b></p><p>{tracked_html(one.before, one.after, context=240)}</p>")
        added = counted(count["insert"], "word")
        self.count.setText(f"{added} added, {count['delete']} deleted" if self.found else "")
        since = "No changes since this version." if self.against.value == _SINCE else "No changes."
        self.words.setHtml("".join(parts) or f"<p>{since}</p>")

    def keep(self) -> None:
        self._session.tools.do(self._state.keep_version)

    @property
    def can_restore(self) -> bool:
        version = self.version
        if version is None or not self._state.can_write:
            return False
        return any(self._only in ("", one.field) for one in differences(dict(version.fields), self._state.fields))

    def restore(self) -> None:
        """Restores the selected version, all of it or the field that is shown, in one undo step."""
        version, only = self.version, self._only
        if version is not None:
            self._session.tools.do(self._state.store.restore_version, version.id, {only} if only else None)


def _row(version: DraftVersion) -> TwoLines:
    fields = sum(bool(value.strip()) for _, value in version.fields)
    words = sum(len(value.split()) for _, value in version.fields)
    return TwoLines(
        "clock-counter-clockwise",
        local_time(version.created_at),
        f"{version.reason} · {counted(words, 'word')} in {counted(fields, 'field')}",
    )
