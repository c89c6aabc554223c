"""The right side: suggested edits, then all edits, with filters and search."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QTextCharFormat
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.lists import DISMISSED, EditFilter, EditRow, Run, Selection, group_entries
from desktop_app.theme import theme
from desktop_app.widgets.edit_words import SIGNS, WORDS
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import hairline, named, text_label
from desktop_app.widgets.layouts import column, command_grid, row, surface
from desktop_app.widgets.record_list import CENTRE, LEFT, RIGHT, RecordList, draw_box, draw_text, laid_text
from desktop_app.widgets.side_by_side import meaning
from engine.revision.records import Edit
from engine.shown import counted

_KINDS = (
    ("All kinds", ""), ("Added", "added"), ("Deleted", "deleted"), ("Changed", "major"), ("Small changes", "minor"),
    ("Moved", "moved"), ("Dismissed", DISMISSED),
)  # fmt: skip
_PHASES: Mapping[str, str] = {
    "reading": "Reading the PDFs…",
    "comparing": "Comparing the versions…",
    "suggesting": "Suggesting edits…",
}
_HIDDEN = "Suggestions are hidden in this project."
_SKELETON_ROWS = 8


def edit_list(name: str, parent: QWidget) -> RecordList:
    return RecordList(
        name, _paint, _height, lambda row: row.spoken, key=lambda row: row.key, tip=lambda row: row.tip,
        shape=_height, heading=lambda row: row.edit is None, parent=parent,
    )  # fmt: skip


def _height(row: EditRow) -> int:
    return theme().px(30 if row.edit is None else 80 if row.why else 62)


def _paint(painter: QPainter, rect: QRect, row: EditRow, _selected: bool) -> None:
    if row.edit is not None:
        _paint_edit(painter, rect.adjusted(12, 7, -12, -6), row, row.edit)
        return
    painter.fillRect(rect, QColor(theme().tokens.ground))
    box, font = rect.adjusted(12, 0, -12, 0), theme().font("small", bold=True)
    draw_text(painter, box, LEFT, row.heading, font, theme().tokens.muted)


def _paint_edit(painter: QPainter, rect: QRect, row: EditRow, edit: Edit) -> None:
    tokens = theme().tokens
    colour = tokens.data[meaning(edit, source=edit.kind == "deleted")]
    small = theme().font("small", tabular=True)
    painter.setFont(small)
    metrics = painter.fontMetrics()
    line = max(metrics.height(), 16)
    chip = QRectF(rect.left(), rect.top() + (line - 16) / 2, 16, 16)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    suggested = row.suggestion is not None and not row.linked_here
    draw_box(painter, chip, colour.wash, colour.mark, 1.4, dashed=suggested, corner=4)
    painter.setPen(QColor(colour.ink))
    painter.setFont(theme().font("body", bold=True))
    painter.drawText(chip, CENTRE, SIGNS[edit.sort])
    painter.setFont(small)
    words = WORDS[edit.sort] + (" · moved" if edit.moved and edit.kind != "moved" else "")
    head = f"{edit.label}  {words}" + (f"  ·  {edit.section}" if edit.section else "")
    head = f"! doubtful page  ·  {head}" if row.doubts else head
    left, room = rect.left() + 24, rect.width() - 24 - metrics.horizontalAdvance(head)
    right = _paint_right(painter, rect, line, row, room)
    tint = tokens.data["attention"].ink if row.doubts else tokens.muted
    draw_text(painter, QRect(left, rect.top(), max(0, right - left - 8), line), LEFT, head, small, tint)
    body = QRect(left, rect.top() + line + 2, rect.width() - 24, theme().px(34))
    _draw_runs(painter, body, row.runs)
    if row.why:
        foot = QRect(left, rect.bottom() - metrics.height() + 1, rect.width() - 24, metrics.height())
        draw_text(painter, foot, LEFT, f"why: {row.why}", small, tokens.muted)


def _paint_right(painter: QPainter, rect: QRect, line: int, row: EditRow, room: int) -> int:
    """Paints the edit's links or the suggestion's likelihood, right-aligned on the first line, with a bar if ``room``
    (pixels) allows. Returns the left edge."""
    tokens, x = theme().tokens, rect.right()

    def write(words: str, colour: str) -> int:
        width = painter.fontMetrics().horizontalAdvance(words)
        painter.setPen(QColor(colour))
        painter.drawText(QRect(x - width, rect.top(), width + 1, line), RIGHT, words)
        return width

    if row.linked_here:
        width = write("! lost" if row.lost else "linked", tokens.data["attention" if row.lost else "linked"].ink)
        theme().icon("link", "ink").paint(painter, QRect(x - width - 18, rect.top() + (line - 14) // 2, 14, 14))
        x -= width + 24
    elif row.answers and row.suggestion is None:
        x -= write(counted(row.answers, "comment"), tokens.muted) + 8
    elif row.suggestion is not None:
        score = min(max(row.suggestion.score, 0.0), 1.0)
        write(row.likelihood, tokens.ink)
        x -= painter.fontMetrics().horizontalAdvance("possible")
        if room < rect.right() - x + 62:
            return x - 8
        bar = QRectF(x - 46, rect.top() + line / 2 - 2.5, 40, 5)
        painter.setPen(Qt.PenStyle.NoPen)
        for share, colour in ((1.0, tokens.sunken), (score, tokens.data["suggested"].mark)):
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(QRectF(bar.left(), bar.top(), bar.width() * share, bar.height()), 2.5, 2.5)
        x = round(bar.left()) - 8
    return x


def _draw_runs(painter: QPainter, rect: QRect, runs: Sequence[Run]) -> None:
    """Draws a word difference on two lines: additions underlined, deletions struck out."""
    tokens, at = theme().tokens, 0
    marks: list[tuple[int, int, QTextCharFormat]] = []
    for operation, piece in runs:
        look = QTextCharFormat()
        if operation == "insert":
            look.setForeground(QColor(tokens.data["added"].ink))
            look.setFontUnderline(True)
            look.setUnderlineColor(QColor(tokens.data["added"].mark))
        elif operation == "delete":
            look.setForeground(QColor(tokens.data["deleted"].ink))
            look.setFontStrikeOut(True)
        else:
            look.setForeground(QColor(tokens.muted))
        units = len(piece.encode("utf-16-le")) // 2
        marks.append((at, units, look))
        at += units
    text = "".join(piece for _, piece in runs).rstrip()
    laid_text(text, theme().font("body"), rect.width(), marks, most=2).draw(painter, QPointF(rect.topLeft()))


class EditsPanel(QWidget):
    filtered = Signal(object)
    """An EditFilter was chosen."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Edits")
        self.search = named(QLineEdit(self, clearButtonEnabled=True), "Filter edits by a word", hint="Filter edits")
        self.search.textChanged.connect(self._filter)
        self.unlinked = named(QCheckBox("Unlinked", self), "Show only edits without a comment")
        self.unlinked.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.unlinked.toggled.connect(self._filter)
        self.group = ChoiceBox("Show only edits of this group", parent=self)
        self.kind = ChoiceBox("Show only edits of this kind", _KINDS, parent=self)
        self.section = ChoiceBox("Show only edits in this section", parent=self)
        for box in (self.group, self.kind, self.section):
            box.picked.connect(self._filter)
        self._filling = False
        self.list = edit_list("Edits", self)
        self.phase = text_label("", "small", parent=self)
        self.phase.setContentsMargins(12, 0, 12, 8)
        self.phase.setVisible(False)
        filters = QGridLayout()
        filters.setContentsMargins(12, 8, 12, 8)
        filters.setSpacing(8)
        filters.addWidget(self.search, 0, 0, 1, 2)
        filters.addWidget(self.unlinked, 0, 2)
        filters.addWidget(self.group, 1, 0)
        filters.addWidget(self.kind, 1, 1, 1, 2)
        filters.addWidget(self.section, 2, 0, 1, 3)
        filters.setColumnStretch(0, 1)
        filters.setColumnStretch(1, 1)
        verbs = [(name, name.capitalize()) for name in ("link", "unlink", "accept", "reject")]
        acts = row((command_grid(registry, "linking", verbs, self, primary=True), 1), margins=(12, 8, 12, 8))
        column(filters, self.phase, (self.list, 1), hairline(parent=self), acts, of=self)

    def show_selection(self, shown: Selection, phase: str) -> None:
        """Shows the edits that match the filters, and what is being computed for them."""
        study, chosen = shown.study, shown.edit_filter
        sections = dict.fromkeys(edit.section for edit in study.edits if edit.section)
        self._filling = True
        self.section.show_entries([("All sections", ""), *((name, name) for name in sections)], chosen.section)
        self.group.show_entries(group_entries(study.edits), chosen.group)
        self.kind.show_value(chosen.kind)
        self.unlinked.setChecked(chosen.unlinked)
        if self.search.text().strip() != chosen.text:
            self.search.setText(chosen.text)
        self._filling = False
        words = _PHASES.get(phase, _HIDDEN if study.hides_suggestions else "")
        self.phase.setText(words)
        self.phase.setVisible(bool(words))
        self.list.set_skeleton(_SKELETON_ROWS if phase in ("reading", "comparing") else 0)
        nothing = "The two versions have the same text. There are no edits." if study.revision is not None else ""
        missing = "submitted" if study.source is None else "revised" if study.target is None else ""
        nothing = f"There is no {missing} version yet. Add its PDF to see the edits." if missing else nothing
        found = "No edits were dismissed." if chosen.kind == DISMISSED else "No edits match the filters."
        self.list.set_message(found if study.edits or study.dismissed else nothing)
        self.list.show_records(shown.edit_rows, shown.edit_at)

    def _filter(self) -> None:
        if not self._filling:
            text = self.search.text().strip()
            group, kind, section = (box.currentData() for box in (self.group, self.kind, self.section))
            self.filtered.emit(EditFilter(group, kind, section, self.unlinked.isChecked(), text))
