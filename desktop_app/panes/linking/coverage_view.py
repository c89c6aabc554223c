"""Coverage: a map of all comments showing which are answered, the comments as rows, and edits without a comment."""

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.edits_panel import edit_list
from desktop_app.panes.linking.lists import (
    EditFilter,
    EditRow,
    edit_rows,
    group_entries,
    likelihood_of,
    number_of,
    state_chip,
)
from desktop_app.panes.linking.study import Study, reviewer_name
from desktop_app.panes.linking.terms import STATES
from desktop_app.theme import Meaning, theme
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import hairline, named, scrolled, text_label
from desktop_app.widgets.layouts import Flow, column, command_button, follow_width, row, splitter, surface
from desktop_app.widgets.painted import Painted
from desktop_app.widgets.record_list import CENTRE, LEFT, RecordList, draw_box, draw_lines, draw_text
from engine.reviews.records import Comment
from engine.reviews.spans import unmarked
from engine.revision.coverage import REQUEST_STATES, Coverage, Covered, Request, Standing, coverage, of_reviewer
from engine.shown import counted

_CELL, _GAP, _NAME = 26, 5, 120
_CELLS: dict[Standing, tuple[Meaning, str]] = {
    "answered": ("linked", "✓"),
    "attention": ("attention", "!"),
    "open": ("unsupported", ""),
}
_STANDINGS = (("All comments", ""), ("Answered", "answered"), ("Needs attention", "attention"), ("Undecided", "open"))
_ROW_HEIGHT = 84


def paint_cell(painter: QPainter, rect: QRectF, standing: Standing, *, chosen: bool = False) -> None:
    """Paints a comment's cell: filled if answered, marked if it needs attention, empty and dashed if open."""
    tokens, (meaning, sign) = theme().tokens, _CELLS[standing]
    colour, answered = theme().data(meaning), standing == "answered"
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ground = colour.mark if answered else colour.wash if sign else tokens.surface
    draw_box(painter, rect.adjusted(2, 2, -2, -2), ground, colour.mark, 2, dashed=standing == "open", corner=4)
    ink = tokens.surface if answered else colour.ink
    draw_text(painter, rect, CENTRE, sign, theme().font("body", bold=True), ink)
    if chosen:
        draw_box(painter, rect, "", tokens.focus, 2)


class CoverageMap(Painted):
    """Map of all comments, as high as its rows need. Clicking a cell selects its comment."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Coverage of all comments", parent)
        self._coverage, self._current = Coverage((), ()), ""
        follow_width(self, self._fit)

    def show_coverage(self, found: Coverage, current: str) -> None:
        """Shows all comments; ``current`` is the id of the outlined one."""
        self._coverage, self._current = found, current
        counts = f"{found.count('answered')} of {len(found.rows)} marked as answered, {found.count('open')} undecided"
        self.setAccessibleDescription(counts)
        self._fit()
        self.update()

    def heightForWidth(self, width: int) -> int:
        return max((round(rect.bottom()) for _, rect in self._cells(width)), default=theme().px(_CELL)) + 8

    def _fit(self) -> None:
        self.setFixedHeight(self.heightForWidth(self.width()))

    def place(self, comment_id: str) -> QRectF:
        """Returns the rectangle of a comment's cell; empty if there is none."""
        return next((rect for covered, rect in self._cells(self.width()) if covered.comment.id == comment_id), QRectF())

    def _cells(self, width: int) -> list[tuple[Covered, QRectF]]:
        cell, name = theme().px(_CELL), self._room_for_names(width)
        found: list[tuple[Covered, QRectF]] = []
        y = 8.0
        for reviewer in self._coverage.reviewers:
            x = float(name)
            for covered in self._coverage.rows:
                if covered.comment.reviewer != reviewer:
                    continue
                if x + cell > width - 8 and x > name:
                    x, y = float(name), y + cell + _GAP
                found.append((covered, QRectF(x, y, cell, cell)))
                x += cell + _GAP
            y += cell + _GAP + 3
        return found

    def _room_for_names(self, width: int) -> int:
        metrics = QFontMetrics(theme().font("body", bold=True))
        names = {reviewer_name(covered.comment) for covered in self._coverage.rows}
        widest = max(map(metrics.horizontalAdvance, names), default=0) + 24
        return max(theme().px(_NAME), min(widest, width // 3))

    def _at(self, place: QPoint) -> Covered | None:
        return next((covered for covered, rect in self._cells(self.width()) if rect.contains(place)), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        covered = self._at(event.position().toPoint())
        if covered is not None:
            self.chosen.emit(covered.comment.id)

    def tip_at(self, place: QPoint) -> str:
        at = self._at(place)
        return f"{reviewer_name(at.comment)}, comment {at.number}: {STATES[at.state]}" if at is not None else ""

    def paint(self, painter: QPainter) -> None:
        tokens = theme().tokens
        painter.fillRect(self.rect(), QColor(tokens.surface))
        named: set[str] = set()
        room = self._room_for_names(self.width())
        for covered, rect in self._cells(self.width()):
            name = reviewer_name(covered.comment)
            if name not in named:
                named.add(name)
                place = QRectF(12, rect.top(), room - 20, rect.height())
                draw_text(painter, place, LEFT, name, theme().font("body", bold=True), tokens.ink)
            paint_cell(painter, rect, covered.standing, chosen=covered.comment.id == self._current)


@dataclass(frozen=True, slots=True)
class CoverageRow:
    request: Request
    chips: tuple[tuple[str, Meaning], ...]
    """Linked edits, then the best suggestions and how likely they are."""
    numbers: tuple[str, ...] = ()
    """The suggestions with the numbers behind that."""

    @property
    def covered(self) -> Covered:
        return self.request.row

    @property
    def comment(self) -> Comment:
        return self.covered.comment

    @property
    def outcome(self) -> str:
        """The outcome of the request, with a question mark if it is only suggested."""
        return f"{self.request.state.capitalize()}{'?' if self.request.basis == 'suggested' else ''}"

    @property
    def spoken(self) -> str:
        edits = ", ".join(edit.label for edit in self.covered.edits) or "no edits"
        name = f"{reviewer_name(self.comment)}, comment {self.covered.number}"
        suggested = ", suggested" if self.request.basis == "suggested" else ""
        outcome = f"request {self.request.state}{suggested}"
        return f"{name}, {STATES[self.covered.state]}, {outcome}, {edits}. {unmarked(self.comment.comment)}"


def _row(request: Request, study: Study) -> CoverageRow:
    covered = request.row
    chips: list[tuple[str, Meaning]] = [(edit.label, "linked") for edit in covered.edits]
    numbers: list[str] = []
    for found in covered.candidates:
        name = edit.label if (edit := study.edit_by_id.get(found.edit_id)) else ""
        chips.append((f"{name}  {likelihood_of(found)}", "suggested"))
        numbers.append(f"{name}: {number_of(found)}")
    return CoverageRow(request, tuple(chips), tuple(numbers))


def _paint(painter: QPainter, rect: QRect, found: CoverageRow, _selected: bool) -> None:
    """Paints the cell, the comment on two lines, and its edits or, with dashed outlines, the best suggestions."""
    covered, cell = found.covered, theme().px(34)
    paint_cell(painter, QRectF(rect.left() + 12, rect.top() + 10, cell, cell), covered.standing)
    inner = rect.adjusted(12 + cell + 10, 7, -12, -6)
    painter.setFont(theme().font("small"))
    line = painter.fontMetrics().height()
    painter.setPen(QColor(theme().tokens.muted))
    head = f"{reviewer_name(found.comment)} · {covered.number}   {state_chip(covered.state, len(covered.edits))}"
    place = QRect(inner.left(), inner.top(), inner.width(), line)
    painter.drawText(place, Qt.AlignmentFlag.AlignLeft, head)
    if painter.fontMetrics().horizontalAdvance(f"{head}   {found.outcome}") <= inner.width():
        painter.drawText(place, Qt.AlignmentFlag.AlignRight, found.outcome)
    body = QRect(inner.left(), inner.top() + line + 1, inner.width(), theme().px(34))
    painter.setPen(QColor(theme().tokens.ink))
    draw_lines(painter, body, " ".join(unmarked(found.comment.comment).split()), theme().font("body"), 2)
    small = theme().font("small", tabular=True)
    painter.setFont(small)
    place, x = QRect(inner.left(), inner.bottom() - line - 1, inner.width(), line + 2), inner.left()
    for words, meaning in found.chips:
        colour, linked = theme().data(meaning), meaning == "linked"
        width = painter.fontMetrics().horizontalAdvance(words) + 12
        if x + width > place.right():
            draw_text(painter, QRect(x, place.top(), 20, place.height()), LEFT, "…", small, theme().tokens.muted)
            return
        box = QRectF(x + 0.5, place.top() + 0.5, width - 1, place.height() - 1)
        draw_box(painter, box, colour.wash if linked else "", colour.mark, 1.2, dashed=not linked, corner=4)
        draw_text(painter, QRect(x, place.top(), width, place.height()), CENTRE, words, small, colour.ink)
        x += width + 6


class CoverageView(QWidget):
    """The map at the top, the comments below, and edits without a comment on the right."""

    chosen = Signal(str)
    """The user selected this comment."""
    wanted = Signal(str, str)
    """The user wants to see a comment and an edit on the pages (either may be empty)."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Coverage")
        self._study, self._current, self._kept, self._searched = Study(), "", "", ""
        self.coverage = Coverage((), ())
        self.requests: tuple[Request, ...] = ()
        self.map = CoverageMap(self)
        self.map.chosen.connect(self._cell_chosen)
        self._scroll = scrolled(self.map, "Coverage of all comments", self)
        left = named(QWidget(self), "Comments")
        self.reviewer = ChoiceBox("Show only comments of this reviewer", letters=14, parent=left)
        self.standing = ChoiceBox("Show only comments in this state", _STANDINGS, letters=14, parent=left)
        outcomes = [("All requests", ""), *((state.capitalize(), state) for state in REQUEST_STATES)]
        self.outcome = ChoiceBox("Show only requests with this outcome", outcomes, letters=14, parent=left)
        for box in (self.reviewer, self.outcome, self.standing):
            box.picked.connect(self._filtered)
        self.list = RecordList(
            "Comments and their answers", _paint, lambda _found: theme().px(_ROW_HEIGHT),
            lambda found: found.spoken, key=lambda found: found.comment.id,
            tip=lambda found: "\n".join((f"{found.outcome}: {found.request.why}", *found.numbers)), parent=left,
        )  # fmt: skip
        self.list.chosen.connect(lambda found: self.chosen.emit(found.comment.id))
        self.list.activated_row.connect(lambda _row: self._go())
        self.edits = edit_list("Edits without a comment", self)
        self.edits.activated_row.connect(lambda index: self._go_to_edit(self.edits.records[index.row()]))
        right = named(QWidget(self), "Edits")
        self.group = ChoiceBox("Show only edits of this group", letters=18, parent=right)
        self.group.picked.connect(self._show_edits)
        column(row(self.group, None, margins=(12, 6, 12, 6)), (self.edits, 1), of=right)
        self._counts = text_label("", "section", wrap=True, parent=self)
        boxes = row((Flow(self.reviewer, self.standing, self.outcome), 1), margins=(12, 6, 12, 6))
        column(boxes, (self.list, 1), of=left)
        exports = (("export_summary_pdf", "Summary (PDF)"), ("export_marked", "Marked PDF"))
        buttons = [command_button(registry, f"linking.{name}", words, self) for name, words in exports]
        head = row((self._counts, 1), *buttons, margins=(12, 8, 12, 4))
        parts = splitter((left, 720, 3), (right, 420, 2), parent=self)
        column(head, (self._scroll, 1), hairline(parent=self), (parts, 2), of=self)

    def show_study(self, study: Study, current: str) -> None:
        """Shows a study and the current comment; filters that hide the comment are cleared."""
        if study is not self._study:
            self._study, self._kept = study, self._current if self.list.currentIndex().isValid() else ""
            self._show_coverage()
        if current != self._current:
            self._uncover(current)
        self.map.show_coverage(self.coverage, current)
        self._scroll.setMaximumHeight(self.map.heightForWidth(max(self.map.width(), 400)))
        cell = self.map.place(current).center().toPoint()
        self._scroll.ensureVisible(cell.x(), cell.y())
        self._show_rows()

    def _uncover(self, comment_id: str) -> None:
        self._current = self._kept = comment_id
        if not any(found.comment.id == comment_id for found in self._rows()):
            for box in (self.reviewer, self.outcome, self.standing):
                box.show_value("")

    def _cell_chosen(self, comment_id: str) -> None:
        self._uncover(comment_id)
        self._show_rows()
        self.chosen.emit(comment_id)

    def search(self, text: str) -> None:
        """Goes to the first comment, from the current one on, that contains a text."""
        self._searched = text
        self.search_next(0)

    def search_next(self, by: int) -> None:
        """Goes to the next (1) or previous (-1) match."""
        self.list.find_record(self._searched, by, lambda found: f"{found.comment.comment}\n{found.comment.response}")

    def _show_coverage(self) -> None:
        study = self._study
        found = coverage(study.comments, study.targets, study.links, study.states, study.suggestions)
        self.coverage = found
        self.requests = study.requests(found)
        names = [("All reviewers", ""), *((name or "Reviewer", name) for name in found.reviewers)]
        self.reviewer.show_entries(names)
        answered, open_, look = (found.count(standing) for standing in ("answered", "open", "attention"))
        needs = f" · {look:,} {'needs' if look == 1 else 'need'} attention" if look else ""
        self._counts.setText(
            f"{answered:,} of {counted(len(found.rows), 'comment')} marked as answered · {open_:,} undecided{needs}"
        )
        self.group.show_entries(group_entries(study.edits))
        self._show_edits()

    def _show_edits(self) -> None:
        study, chosen = self._study, EditFilter(group=self.group.currentData(), unlinked=True)
        # Without a current comment, unlinked edits are those that answer no comment.
        self.edits.show_records(edit_rows(study, "", chosen, "Edits without a comment"), -1)
        self.edits.set_message("Every edit answers a comment." if study.edits else "No edits yet.")

    def _rows(self) -> list[CoverageRow]:
        standing = self.standing.currentData()
        outcome, found = self.outcome.currentData(), of_reviewer(self.requests, self.reviewer.currentData() or "")
        # The current comment stays listed when it no longer matches the filters.
        return [
            _row(one, self._study)
            for one in found
            if one.row.comment.id == self._kept or (standing in ("", one.row.standing) and outcome in ("", one.state))
        ]

    @property
    def listed(self) -> str:
        """The reviewer whose comments alone are listed, while the coverage is shown; otherwise "" (everyone's)."""
        return self.reviewer.value or "" if self.isVisible() else ""

    def _filtered(self) -> None:
        """Shows only comments that match; the first one becomes current if the current one doesn't match."""
        self._kept = ""
        self._show_rows()
        if self.list.current is None and self.list.records:
            self.chosen.emit(self.list.records[0].comment.id)

    def _show_rows(self) -> None:
        rows = self._rows()
        at = next((n for n, found in enumerate(rows) if found.comment.id == self._current), -1)
        self.list.show_records(rows, at)
        self.list.set_message("No comments match the filters." if self.coverage.rows else "No comments yet.")

    def _go(self) -> None:
        found = next((one for one in self.coverage.rows if one.comment.id == self._current), None)
        if found is not None:
            edits = [edit.id for edit in found.edits] or [one.edit_id for one in found.candidates]
            self.wanted.emit(found.comment.id, edits[0] if edits else "")

    def _go_to_edit(self, found: EditRow) -> None:
        if found.edit is not None:
            self.wanted.emit("", found.edit.id)
