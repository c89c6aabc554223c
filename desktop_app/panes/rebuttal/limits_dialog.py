"""The dialogs for limits and quoting and for reviewers' follow-ups, and the menu to share a response."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLineEdit, QMenu, QPlainTextEdit, QWidget

from desktop_app import if_any
from desktop_app.panes.base import PaneTools
from desktop_app.panes.rebuttal.state import RebuttalState
from desktop_app.widgets.command_menu import pop_up
from desktop_app.widgets.dialogs import DialogButtons, TypingDialog
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import literal, named, text_label
from desktop_app.widgets.layouts import column, form_rows
from engine.rebuttal.records import Plan, Quoting
from engine.reviews.limits import UNITS, Limit, preset, presets, with_own
from engine.shown import shortened

_BOUNDS = (("per_reply", "One post"), ("per_reviewer", "One reviewer, all posts"), ("total", "The whole rebuttal"))
_QUOTINGS: tuple[tuple[str, Quoting], ...] = (
    ("the whole comment", "full"), ("its beginning", "short"), ("its number", "number"), ("nothing", "none"),
)  # fmt: skip
_UNIT_TITLES = {
    "code points": "characters (code points)",
    "utf-16": "characters as browsers count (UTF-16 units)",
    "words": "words",
}


class LimitsDialog(TypingDialog):
    """Asks for limits and quoting. ``plan()`` returns them; it raises BadInput for a value that isn't a number."""

    def __init__(self, plan: Plan, limit: Limit, parent: QWidget | None = None) -> None:
        super().__init__("Venue limits", parent)
        self._plan = plan
        self.preset = ChoiceBox("Preset", [(one.title, one.id) for one in presets()], letters=0, parent=self)
        self.preset.show_value(plan.preset)
        units = [(_UNIT_TITLES[unit], unit) for unit in UNITS]
        self.unit = ChoiceBox("Counted in", units, letters=0, parent=self)
        self.bounds = {name: named(QLineEdit(self), title, hint="no limit") for name, title in _BOUNDS}
        self.quoting = ChoiceBox("Quote before each response", _QUOTINGS, letters=0, parent=self)
        self.quoting.show_value(plan.quoting)
        self._note = text_label(limit.note, "small", wrap=True, parent=self)
        bounds = ((title, self.bounds[name]) for name, title in _BOUNDS)
        form = form_rows(
            ("Preset", self.preset), ("", self._note), ("Counted in", self.unit), *bounds,
            ("Quote before each response", self.quoting),
        )  # fmt: skip
        buttons = DialogButtons(self, "Use these limits")
        column((form, 1), buttons, margins=(16, 16, 16, 16), spacing=12, of=self)
        self.preset.activated.connect(lambda _at: self._show(preset(self.preset.currentData())))
        self._show(limit)

    def _show(self, limit: Limit) -> None:
        self._note.setText(limit.note)
        self.unit.show_value(limit.unit)
        for name, field in self.bounds.items():
            bound = getattr(limit, name)
            field.setText("" if bound is None else str(bound))

    def plan(self) -> Plan:
        chosen = preset(self.preset.currentData())
        said = {name: field.text().replace(",", "").strip() for name, field in self.bounds.items()}
        said["unit"] = self.unit.currentData()
        shipped = {name: "" if (v := getattr(chosen, name)) is None else str(v) for name in said}
        own = tuple(sorted((name, value) for name, value in said.items() if value != shipped[name]))
        with_own(chosen, own)
        return replace(self._plan, preset=chosen.id, own_limits=own, quoting=self.quoting.currentData())


_WORDS = 60


class FollowUpDialog(TypingDialog):
    def __init__(self, label: str, parent: QWidget) -> None:
        super().__init__(f"Follow-up to {label}", parent)
        self.words = named(QPlainTextEdit(self, tabChangesFocus=True), "What the reviewer wrote")
        self.words.setPlaceholderText("Paste what the reviewer wrote after your response.")
        hint = text_label(f"It becomes a separate comment under {label}.", "small", wrap=True, parent=self)
        buttons = DialogButtons(self, "Add")
        buttons.ok.setEnabled(False)
        self.words.textChanged.connect(lambda: buttons.ok.setEnabled(bool(self.words.toPlainText().strip())))
        column(hint, (self.words, 1), buttons, margins=(16, 16, 16, 16), spacing=12, of=self)
        self.resize(520, 300)


class Threads:
    """Operations on the current comment; ``part`` is the parent of menus and dialogs, ``take`` goes to a comment."""

    def __init__(self, state: RebuttalState, part: QWidget, tools: PaneTools, take: Callable[[str], object]) -> None:
        self._state, self._part, self._tools, self._take = state, part, tools, take

    def ask_follow_up(self) -> None:
        row = self._state.row
        assert row is not None
        dialog = FollowUpDialog(row.label, self._part)

        def add() -> None:
            self._tools.finish()
            if_any(self._state.add_follow_up(row.comment.id, dialog.words.toPlainText()), self._take)

        dialog.save = add
        dialog.open()

    def open_responses(self) -> None:
        """Opens a menu of written responses; the chosen one is shared with the current comment."""
        menu = QMenu(self._part)
        for row in self._state.others():
            words = f"{row.label}  {shortened(row.comment.comment, _WORDS)}"
            entry = menu.addAction(literal(words))
            entry.triggered.connect(lambda _=False, key=row.comment.id: self._tools.do(self._state.share, key))
        pop_up(menu, self._part, QPoint(16, 40))
