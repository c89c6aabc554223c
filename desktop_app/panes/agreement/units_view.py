"""Views of all annotators' decisions (a page of measures, a page of units) and of one disagreement with its texts."""

import html
from typing import cast

from PySide6.QtCore import QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QComboBox, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.agreement.choices import MOST_VALUES
from desktop_app.panes.agreement.everybody import COLUMNS, NOT_YET, EverybodyState
from desktop_app.panes.agreement.state import GROUP_CHOICES, GROUPS_BOX, Dispute
from desktop_app.panes.agreement.units_state import DecisionRow, ShownUnit, part_title
from desktop_app.panes.linking.terms import STATES
from desktop_app.theme import theme
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.fields import ChoiceBox, CommittingLineEdit, Whose
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import HtmlPage, hairline, named, text_label
from desktop_app.widgets.layouts import (
    Flow,
    at_least,
    column,
    command_button,
    command_grid,
    row,
    splitter,
    stacked,
    surface,
    tabs,
    tall_enough,
)
from desktop_app.widgets.record_list import RecordList, draw_text
from desktop_app.widgets.tracked import edit_html
from engine.agreement.units import ORDERS, SHOWN
from engine.project import PARTY
from engine.revision.records import CommentState

VALUES = ("first", "second", "both", "neither", *(f"take_{number}" for number in range(5, MOST_VALUES + 1)))
"""The commands that choose a value, by its number; the first four also decide between two annotators."""
NOT_LISTED = "No units match. Choose “All units” to see everything that two or more people decided on."
NOTHING = "Nothing has been decided by two people whose work you can see."


def decision_list(name: str, parent: QWidget) -> RecordList:
    return RecordList(
        name, _paint, lambda _found: theme().px(48), lambda found: f"{found.head}. {found.words}",
        key=lambda found: found.key, parent=parent,
    )  # fmt: skip


def _paint(painter: QPainter, rect: QRect, found: DecisionRow, _selected: bool) -> None:
    """Paints two lines: what is disputed or decided, then the beginning of the text concerned."""
    tokens, inner, left = theme().tokens, rect.adjusted(12, 6, -12, -6), Qt.AlignmentFlag.AlignLeft
    head, ink = theme().font("small", bold=not found.decided), tokens.muted if found.decided else tokens.ink
    state = tokens.data["linked" if found.decided else "attention"].ink
    draw_text(painter, inner, left | Qt.AlignmentFlag.AlignTop, found.head, head, state)
    words = " ".join(found.words.split())
    draw_text(painter, inner, left | Qt.AlignmentFlag.AlignBottom, words, theme().font("body"), ink)


class OtherValue(QComboBox):
    """Choice or entry of another value. Return adjudicates to it, Escape leaves the field."""

    entered = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(14)
        named(self, "Another value", "Choose or type another value, then press Return")
        field = self.lineEdit()
        assert field is not None
        named(field, "Another value", hint="Another value")
        field.setPlaceholderText("Another value")
        field.returnPressed.connect(self._enter)
        KeepsKeys(self)
        self.activated.connect(lambda _at: self._enter())

    def offer(self, choices: tuple[str, ...]) -> None:
        with QSignalBlocker(self):
            if [self.itemText(at) for at in range(self.count())] != list(choices):
                self.clear()
                self.addItems(list(choices))
            self.setCurrentIndex(-1)
            self.setEditText("")

    def _enter(self) -> None:
        words = self.currentText().strip()
        if words:
            self.entered.emit(words)


class UnitDetail(QWidget):
    """A unit: its text, all decisions, proposals, and the buttons to adjudicate."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Current unit")
        self._registry = registry
        self._title = text_label("", "section", wrap=True, parent=self)
        self.page = HtmlPage("Decisions on the unit", self, reading=13)
        self._why = text_label(PARTY, "muted", wrap=True, parent=self)
        self.buttons = {name: command_button(registry, f"agreement.{name}", "", self) for name in VALUES}
        self.other = OtherValue(self)
        acts = [command_button(registry, f"agreement.{name}", words, self) for name, words in _ACTS]
        column(
            self._title, (self.page, 1), hairline(parent=self), self._why, Flow(*self.buttons.values(), spacing=6),
            Flow(self.other, *acts, spacing=6), margins=(16, 12, 16, 12), spacing=8, of=self,
        )  # fmt: skip
        self._shown: ShownUnit | None = None
        theme().follow(self._write, now=False)

    def show_unit(self, shown: ShownUnit | None, writable: bool) -> None:
        decides = shown is not None and not shown.party and writable
        self._why.setVisible(shown is not None and shown.party)
        for number, button in enumerate(self.buttons.values()):
            button.setVisible(decides and shown is not None and number < len(shown.values))
        self.other.setVisible(decides)
        if shown != self._shown:
            self._shown = shown
            self.other.offer(tuple(map(shown.words, shown.choices)) if shown else ())
            self._write()

    def _write(self) -> None:
        shown = self._shown
        self._title.setText((shown.title or "Unit") if shown else "No disagreement selected")
        self.page.setHtml(_html(shown) if shown else "")


_ACTS = (("reopen", "Reopen"), ("skip", "Skip"))


def _html(shown: ShownUnit) -> str:
    """Returns the unit's own text, the decisions on it, and last the surrounding text, which may be long."""
    tokens, (before, words, after) = theme().tokens, (html.escape(part) for part in shown.passage)
    muted = f"color:{tokens.muted}"
    parts = [f"<p style='font-size:{theme().px(14)}px; white-space:pre-wrap'><b>{words}</b></p>"]
    if shown.unit.how == "adjudicated":
        ink = tokens.data["linked"].ink
        parts.append(f"<p style='color:{ink}'><b>✓ Adjudicated</b>: {html.escape(shown.words(shown.unit.value))}</p>")
    rows = [(f"<b>{html.escape(who)}</b>", html.escape(value), "") for who, value in shown.said()]
    rows += [(f"{html.escape(method)} proposes", html.escape(value), muted) for method, value in shown.proposals()]
    cells = "".join(
        f"<tr><td style='padding-right:16px;{look}'>{who}</td><td style='{look}'>{value}</td></tr>"
        for who, value, look in rows
    )
    parts.append(f"<table style='margin-top:8px;margin-bottom:8px'>{cells}</table>")
    if before or after:
        around = f"{before}<b>{words}</b>{after}" if shown.in_text else after
        parts.append(f"<p style='{muted}'>{around}</p>")
    return "".join(parts)


class EverybodyView(QWidget):
    """The page of measures and the page of units with its filters."""

    filtered = Signal()
    turned = Signal()

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tabs = tabs("What to show", ("Measures", "Units"), self)
        self.table = FactTable("Agreement among all annotators", COLUMNS, self)
        left = QWidget(self)
        self.shown = ChoiceBox("Units to list", [(words, key) for key, words in SHOWN.items()], letters=8, parent=left)
        self.order = ChoiceBox("Unit order", [(words, key) for key, words in ORDERS.items()], letters=8, parent=left)
        self.part = ChoiceBox("Layer or scale", letters=8, parent=left)
        self.list = decision_list("Units", left)
        boxes = Flow(self.shown, self.order, self.part, spacing=6)
        column(row((boxes, 1), margins=(12, 6, 12, 6)), hairline(parent=left), (self.list, 1), of=left)
        self.detail = UnitDetail(registry, self)
        at_least(left, 260)
        at_least(self.detail, 320)
        tall_enough(self.detail)
        units = splitter((left, 420, 1), (self.detail, 640, 1), parent=self)
        self.pages = stacked(self, self.table, units)
        self.group = ChoiceBox(GROUPS_BOX, GROUP_CHOICES, letters=8, parent=self)
        self.done = command_button(registry, "agreement.done", "", self)
        column(
            row(self.tabs, self.group, None, self.done, margins=(12, 2, 12, 2)),
            hairline(parent=self),
            (self.pages, 1),
            of=self,
        )
        self.tabs.currentChanged.connect(self._turn)
        for box in (self.shown, self.order, self.part):
            box.picked.connect(lambda _value: self.filtered.emit())

    @property
    def on_units(self) -> bool:
        return self.tabs.currentIndex() == 1

    def turn(self) -> None:
        self.tabs.setCurrentIndex(1 - self.tabs.currentIndex())

    def _turn(self, page: int) -> None:
        self.pages.setCurrentIndex(page)
        self.turned.emit()

    def show_state(self, everybody: EverybodyState) -> None:
        units = everybody.units
        self.table.show_rows(everybody.rows())
        self.done.setVisible(everybody.can_set_done())
        self.group.setVisible(everybody.of == "links")
        self.group.show_value(everybody.group)
        self.shown.show_value(units.shown)
        self.order.show_value(units.order)
        everything = "All layers" if everybody.of == "labels" else "All scales"
        parts = ((part_title(units.of, part), part) for part in units.parts)
        self.part.show_entries([(everything, ""), *parts], units.part)
        self.part.setVisible(len(units.parts) > 1)
        self.list.set_message(NOT_LISTED if units.all else NOTHING if everybody.found else NOT_YET)
        self.list.show_records(units.rows, units.at)
        self.detail.show_unit(units.current(), everybody.can_write())


_CONTEXT = 240


class DisagreementDetail(QWidget):
    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Current disagreement")
        self._shown: Dispute | None = None
        self._title = text_label("No disagreement selected", "section", wrap=True, parent=self)
        self.page = HtmlPage("Comment and edits", self, reading=13)
        self._why = text_label(PARTY, "muted", wrap=True, parent=self)
        self._why.hide()
        self.note = CommittingLineEdit("adjudication.note", "Note on this disagreement", self, "Note")
        # Names may be long, hence two columns.
        verbs = [*((name, "") for name in ("first", "second", "both", "neither")), *_ACTS]
        column(
            self._title, (self.page, 1), hairline(parent=self), self._why, self.note,
            command_grid(registry, "agreement", verbs, self), margins=(16, 12, 16, 12), spacing=8, of=self,
        )  # fmt: skip
        tall_enough(self)
        theme().follow(self._write, now=False)

    def show_dispute(self, shown: Dispute | None) -> None:
        """Shows a disagreement, scrolled to the top if it differs from the one before; None clears the view."""
        before, self._shown = self._shown, shown
        self._why.setVisible(shown is not None and shown.party)
        self.note.setEnabled(shown is not None and not shown.party)
        whose = Whose(shown.found.comment, (shown.found, shown.pair)) if shown else None
        self.note.show_text(shown.ruling.note if shown and shown.ruling else "", whose)
        if shown != before:
            same = shown is not None and before is not None and shown.found == before.found
            place = self.page.verticalScrollBar().value() if same else 0
            self._write()
            self.page.verticalScrollBar().setValue(place)

    def _write(self) -> None:
        self.page.setMinimumHeight(theme().px(140))
        shown = self._shown
        self.page.setHtml("".join(_parts(shown)) if shown else "")
        first = shown.comments[0] if shown else None
        named = f"Comment by {first.reviewer}" if first and first.reviewer else "Comment"
        self._title.setText(named if shown else "No disagreement selected")


_SHORT, _LINE = 270, 35
"""Letters of a comment and its readings (each a line), at text size 1, up to which they come first, above what has to
be decided."""


def _parts(shown: Dispute) -> list[str]:
    found, names, ruling, (first, second) = shown.found, shown.names, shown.ruling, shown.comments
    muted = f"<p style='color:{theme().tokens.muted}'>"
    said = first.comment if first else ""
    comment = [f"<p style='font-size:{theme().px(14)}px'>{html.escape(said)}</p>"]
    if first is not None and second is not None and second.id != first.id:
        comment.append(f"{muted}{html.escape(names[1])} marked: {html.escape(second.comment)}</p>")
    readings: list[str] = []
    edits = [_edit(shown, key) for key in found.disputed]
    for name, linked, state in (
        (names[0], (*found.agreed, *found.only_first), found.first_state),
        (names[1], (*found.agreed, *found.only_second), found.second_state),
    ):
        readings.append(f"<p><b>{html.escape(name)}</b>: {_decision(shown, state, linked)}</p>")
    if ruling is not None and ruling.verdict is not None:
        colour, decision = theme().tokens.data["linked"].ink, _decision(shown, ruling.state, ruling.edit_ids)
        readings.append(f"<p style='color:{colour}'><b>✓ Decided</b>: {decision}</p>")
    short = (len(said) + _LINE * len(readings)) * theme().px(100) ** 2 <= _SHORT * 100**2
    parts = [*comment, *readings, *edits] if short else [*edits, *readings, *comment]
    if first is not None and first.response:
        parts.append(f"{muted}Response: {html.escape(first.response)}</p>")
    return parts


def _decision(shown: Dispute, state: str, edits: tuple[str, ...]) -> str:
    labels = [shown.edits[key].label if key in shown.edits else key[:8] for key in edits]
    words = STATES.get(cast("CommentState", state), state)
    return html.escape(f"{words} · {', '.join(labels) or 'no edit'}")


def _edit(shown: Dispute, key: str) -> str:
    edit, tokens, ruling = shown.edits.get(key), theme().tokens, shown.ruling
    who = shown.names[0] if key in shown.found.only_first else shown.names[1]
    if edit is None:
        return f"<p>Linked by {html.escape(who)} to an edit that the latest comparison no longer finds.</p>"
    runs, current = edit_html(edit, context=_CONTEXT), key == shown.edit_id
    kept = " · kept" if ruling is not None and ruling.verdict is not None and key in ruling.edit_ids else ""
    place = f"{edit.label} · {WORDS[edit.sort]} · {edit.section or 'no section'}"
    head = f"{'▸ ' if current else ''}{place} · only {who}{kept}"
    return (
        f"<table width='100%' cellpadding='8' style='margin-top:8px' "
        f"bgcolor='{tokens.accent_wash if current else tokens.ground}'><tr><td>"
        f"<p style='color:{tokens.muted}'>{html.escape(head)}</p><p>{runs}</p></td></tr></table>"
    )
