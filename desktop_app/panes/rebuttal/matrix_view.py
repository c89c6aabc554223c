"""The response matrix: a row per comment with cells for its text, linked edits and checked claims, under headings that
show each reviewer's use of the limit. Missing cells are highlighted."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QAccessible, QBrush, QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QWidget

from desktop_app.panes.rebuttal.lists import COLUMNS, OUTCOMES, EndLine, Line, ReviewerLine, line_key, spoken, tip
from desktop_app.theme import theme
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import column, fix_height, surface
from desktop_app.widgets.painted import Painted
from desktop_app.widgets.record_list import CENTRE, LEFT, RIGHT, RecordList, draw_box, draw_text
from desktop_app.widgets.verdicts import paint_verdict
from engine.rebuttal.matrix import MatrixRow
from engine.rebuttal.points import Cell
from engine.rebuttal.records import ACTION_TITLES, Action

CELL, COUNT, NAME, SIDE = 42, 76, 70, 28
LINE, HEAD, END, BAR = 58, 34, 26, 46
"""Widths and heights in pixels."""
_SHOWN = 300
"""Maximum number of characters of a response shown in a row."""
STANCES = {"concur": "+", "dispute": "−", "neither": "·", None: ""}
"""Sign that shows whether a response concurs with the comment."""
SIGNS: dict[Cell, str] = {"empty": "", "good": "●", "attention": "!", "wrong": "✗", "none": "·"}
SHORT: dict[Action, str] = {
    "task_done": "Done", "task_will_be_done": "Will be done", "concede_criticism": "Concede",
    "mitigate_criticism": "Mitigate", "reject_criticism": "Reject", "reject_request": "Reject request",
    "refute_question": "Refute", "contradict_assertion": "Contradict",
}  # fmt: skip
"""Short titles that fit beside the cells; tooltips and screen readers use the full titles."""


class MatrixPart(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Response matrix")
        self._answered = text_label("", "section", wrap=True, parent=self)
        self._length = text_label("", "small", wrap=True, parent=self)
        self._claims = text_label("", "small", wrap=True, parent=self)
        self.bar = BudgetBar(self)
        self.list = RecordList(
            "Response matrix", self._paint, _height, spoken, key=line_key, tip=tip,
            heading=lambda line: isinstance(line, ReviewerLine), parent=self,
        )  # fmt: skip
        words = column(self._answered, self._length, self._claims, margins=(14, 10, 12, 6), spacing=2)
        column(words, self.bar, MatrixTitles(self.list, self), (self.list, 1), of=self)

    def show_lines(self, lines: Sequence[Line], answered: str, length: str, claims: str) -> None:
        self.list.show_records(lines)
        self._answered.setText(answered)
        self._length.setText(length)
        self._claims.setText(claims)

    def show_head(self, head: ReviewerLine | None) -> None:
        """Shows a line in the bar; the list then doesn't repeat its figures."""
        changed = (self.bar.head, head) if head != self.bar.head else ()
        self.bar.show_head(head)
        for row, line in enumerate(self.list.records if changed else ()):
            if line in changed:
                self.list.update(self.list.model().index(row, 0))

    def _paint(self, painter: QPainter, rect: QRect, line: Line, _selected: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(line, ReviewerLine):
            _paint_head(painter, rect, line, 3, name_only=line == self.bar.head)
        elif isinstance(line, EndLine):
            _paint_end(painter, rect, line)
        else:
            _paint_row(painter, rect, line)


def _height(line: Line) -> int:
    return theme().px(HEAD if isinstance(line, ReviewerLine) else END if isinstance(line, EndLine) else LINE)


def columns(rect: QRect) -> tuple[QRect, list[QRect], QRect]:
    """Splits a row's rectangle into name, three cells and count."""
    t = theme()
    count = t.px(COUNT)
    inner = rect.adjusted(14, 0, -12, 0)
    cell = min(max((inner.width() - count - t.px(NAME)) // 3, t.px(SIDE) + 10), t.px(CELL))
    last = QRect(inner.right() - count, inner.top(), count, inner.height())
    cells = [QRect(last.left() - 6 - (3 - n) * cell, inner.top(), cell, inner.height()) for n in range(3)]
    return QRect(inner.left(), inner.top(), cells[0].left() - inner.left() - 4, inner.height()), cells, last


def _paint_head(painter: QPainter, rect: QRect, head: ReviewerLine, thick: int = 8, *, name_only: bool = False) -> None:
    t = theme()
    painter.fillRect(rect, t.colour("ground"))
    box = rect.adjusted(14, 6, -12, -6)
    top = Qt.AlignmentFlag.AlignTop
    draw_text(painter, box, Qt.AlignmentFlag.AlignLeft | top, head.reviewer, t.font("body", bold=True), t.tokens.ink)
    if name_only:
        return
    used, allowed = head.spent, head.spent.allowed
    over = used.beyond > 0 or (allowed is not None and used.posts == 1 and used.total > allowed)
    ink = t.data("unsupported").ink if over else t.tokens.muted
    beside = box.adjusted(QFontMetrics(t.font("body", bold=True)).horizontalAdvance(head.reviewer) + 12, 0, 0, 0)
    draw_text(painter, beside, Qt.AlignmentFlag.AlignRight | top, head.used, t.font("small", tabular=True), ink)
    if allowed is not None:
        bar = QRect(box.left(), box.bottom() - t.px(thick) - 1, box.width(), t.px(thick))
        room = used.total - used.beyond if used.beyond else allowed * (max(1, used.posts) if used.each else 1)
        paint_bar(painter, bar, used.total, room)


def paint_bar(painter: QPainter, bar: QRect, spent: int, allowed: int) -> None:
    """Paints a progress bar. The part over the limit is vermilion and hatched, with a line at the limit."""
    t = theme()
    draw_box(painter, bar, t.tokens.sunken, corner=3)
    scale = bar.width() / max(spent, allowed, 1)
    good = QRect(bar.left(), bar.top(), round(min(spent, allowed) * scale), bar.height())
    if good.width():
        draw_box(painter, good, t.data("linked").mark, corner=3)
    if spent > allowed:
        over = QRect(good.right() + 1, bar.top(), bar.right() - good.right(), bar.height())
        painter.setBrush(QColor(t.data("unsupported").mark))
        painter.drawRect(over)
        painter.setBrush(QBrush(t.colour("ink"), Qt.BrushStyle.BDiagPattern))
        painter.drawRect(over)
        painter.setPen(QPen(t.colour("ink"), 2))
        painter.drawLine(over.left(), bar.top() - 2, over.left(), bar.bottom() + 2)


def _paint_end(painter: QPainter, rect: QRect, line: EndLine) -> None:
    t = theme()
    name, _, last = columns(rect)
    words = line.point.kind.capitalize() if line.point.text.strip() else f"+ {line.point.kind}"
    name.setRight(last.left() - 8)  # there are no cells in between
    draw_text(painter, name, LEFT, words, t.font("small"), t.tokens.muted)
    if line.length:
        draw_text(painter, last, RIGHT, f"{line.length:,}", t.font("small", tabular=True), t.tokens.muted)


def _paint_row(painter: QPainter, rect: QRect, line: MatrixRow) -> None:
    t = theme()
    foot = rect.adjusted(14, rect.height() - t.px(20), -12, -4)
    name, cells, last = columns(rect.adjusted(0, 0, 0, -t.px(18)))
    point = line.row.point
    ink, muted, half = t.tokens.ink, t.tokens.muted, name.height() // 2
    top = name.adjusted(0, 3, 0, -half)
    draw_text(painter, top, LEFT, line.row.label, t.font("body", bold=True, tabular=True), ink)
    said = SHORT.get(point.action, ACTION_TITLES[point.action]) if point.action else ""
    words = f"{STANCES[point.stance]} {said}" if said else "no action"
    draw_text(painter, name.adjusted(0, half, 0, -1), LEFT, words, t.font("small"), ink if said else muted)
    many = f"{len(line.edits)}" if len(line.edits) > 1 else ""
    side = min(cells[0].height() - 6, t.px(SIDE))
    places = [QRect(b.center().x() - side // 2 - 4, b.center().y() - side // 2 + 1, side + 8, side) for b in cells]
    paint_cell(painter, places[0], line.answered)
    paint_cell(painter, places[1], line.linked, many)
    paint_claims(painter, places[2], line)
    over = line.allotted is not None and line.spent > line.allotted
    of = f" / {line.allotted:,}" if line.allotted is not None else ""
    spent_ink = t.data("unsupported").ink if over else ink if line.spent else muted
    box = last.adjusted(-20, 4, 0, -half)
    draw_text(painter, box, RIGHT, f"{line.spent:,}{of}", t.font("small", bold=over, tabular=True), spent_ink)
    if line.allotted is not None:
        bar = QRect(last.left() + 8, last.top() + half + 5, last.width() - 8, t.px(5))
        paint_bar(painter, bar, line.spent, line.allotted)
    outcome = OUTCOMES.get(point.outcome, "")
    if outcome:
        outcome_ink = t.data("verified" if point.outcome == "satisfied" else "attention").ink
        draw_text(painter, foot, RIGHT, outcome, t.font("small"), outcome_ink)
        foot.setRight(foot.right() - painter.fontMetrics().horizontalAdvance(outcome) - 8)
    said = " ".join(point.text[:_SHOWN].split()) or "no response yet"
    draw_text(painter, foot, LEFT, said, t.reading_font(12), muted)


def paint_cell(painter: QPainter, box: QRect, cell: Cell, number: str = "") -> None:
    """Paints a cell; a missing one is solid amber, the brightest element of the pane. ``number`` follows the sign."""
    t = theme()
    if cell == "none":
        draw_text(painter, box, CENTRE, SIGNS[cell], t.font("body"), t.tokens.muted)
        return
    meaning = {"empty": "attention", "good": "verified", "attention": "attention", "wrong": "unsupported"}[cell]
    data = t.data(meaning)  # type: ignore[arg-type]
    if cell == "empty":
        draw_box(painter, box.adjusted(1, 1, -1, -1), data.mark, data.ink, 2)
        return
    draw_box(painter, box, data.wash, data.mark)
    font = t.font("body" if number else "section", bold=True)
    draw_text(painter, box, CENTRE, f"{SIGNS[cell]}{number}", font, data.ink)


def paint_claims(painter: QPainter, box: QRect, line: MatrixRow) -> None:
    """Paints the state of a response's claims that needs attention most, and the number of claims in it."""
    t, state = theme(), line.checked
    if state == "none":
        paint_cell(painter, box, "none")
        return
    draw_box(painter, box, t.tokens.surface, t.tokens.control_border)
    if state == "confirmed":
        draw_text(painter, box, CENTRE, "you", t.font("small"), t.tokens.muted)
    else:
        many = sum(one.verdict == state and not one.confirmed for one in line.claims)
        centre = QRectF(box).center()
        if many > 1:
            half = box.adjusted(box.width() // 2, 0, -4, 0)
            draw_text(painter, half, CENTRE, f"{many}", t.font("small", tabular=True), t.tokens.ink)
            centre.setX(box.left() + box.width() / 4 + 2)
        paint_verdict(painter, state, centre, t.px(10))


class BudgetBar(Painted):
    """Use of the limit; stays in place while the list scrolls."""

    accessible_role = QAccessible.Role.ProgressBar

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Budget", parent)
        self.head: ReviewerLine | None = None
        fix_height(self, BAR)

    def show_head(self, head: ReviewerLine | None) -> None:
        if head != self.head:
            self.head = head
            self.setAccessibleDescription(spoken(head) if head else "")
            self.update()

    def paint(self, painter: QPainter) -> None:
        if self.head is not None:
            _paint_head(painter, self.rect(), self.head)


class MatrixTitles(Painted):
    accessible_role = QAccessible.Role.ColumnHeader

    def __init__(self, view: QAbstractItemView, parent: QWidget | None = None) -> None:
        super().__init__(", ".join(("Comment", *COLUMNS, "Length")), parent)
        self._view = view
        fix_height(self, 22)

    def paint(self, painter: QPainter) -> None:
        t = theme()
        font, ink = t.font("small"), t.tokens.muted
        # Align with the cells, excluding the list's scroll bar.
        name, cells, last = columns(QRect(0, 0, self._view.viewport().width(), self.height()))
        draw_text(painter, name, LEFT, "Comment", font, ink)
        for words, box in zip(COLUMNS, cells, strict=True):
            draw_text(painter, box.adjusted(-6, 0, 6, 0), Qt.AlignmentFlag.AlignCenter, words, font, ink)
        draw_text(painter, last, RIGHT, "Length", font, ink)
