"""A text field of the review, as tall as its text, with marks for the state of each sentence in the margin."""

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QDropEvent, QFocusEvent, QMouseEvent, QPainter, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from desktop_app.panes.review.state import FieldCheck
from desktop_app.theme import theme
from desktop_app.widgets.painted import Painted, show_tip
from desktop_app.widgets.span_editor import CodePoints
from desktop_app.widgets.verdicts import paint_verdict, verdict_colour, verdict_title
from desktop_app.widgets.writing_edit import Highlight, LineStyle, WritingEdit
from engine.review_drafting.forms import FormField
from engine.review_drafting.grounding import Claim
from engine.reviews.limits import fits
from engine.reviews.records import Span

EVIDENCE = "application/x-rejoinder-evidence"
"""MIME type of dragged cards; the data is the card's id."""
NO_REASON = "No reason given"
_STEP, _SIZE = 14, 9
_MOST = 4
"""Number of marks that fit side by side in the margin."""
_LEAST_LINES = 3
_UNBOUNDED = 16_000


def described(claim: Claim | None) -> str:
    return f"{verdict_title(claim.verdict)}. {claim.why}".strip() if claim is not None else ""


class _Margin(Painted):
    accessible_role = QAccessible.Role.Graphic

    def __init__(self, editor: "FieldEditor") -> None:
        super().__init__("Checked sentences", editor)
        self._editor = editor
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def accessible_value(self) -> str:
        return "; ".join(verdict_title(claim.verdict) for claim, _ in self._editor.signs) or "No marks"

    def sizeHint(self) -> QSize:
        return QSize(self._editor.margin, 0)

    def paint(self, painter: QPainter) -> None:
        for claim, rect in self._editor.signs:
            paint_verdict(painter, claim.verdict, QRectF(rect).center(), theme().px(_SIZE))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        claim = self._at(event.position().toPoint())
        if claim is not None:
            self._editor.mark_chosen.emit(claim)

    def tip_at(self, place: QPoint) -> str:
        return described(self._at(place))

    def _at(self, at: QPoint) -> Claim | None:
        return next((claim for claim, rect in self._editor.signs if rect.adjusted(-2, -5, 2, 5).contains(at)), None)


class FieldEditor(WritingEdit):
    mark_chosen = Signal(object)
    """The mark of this Claim was clicked."""
    card_dropped = Signal(str, int)
    """An evidence card was dropped: its id, and the offset in code points."""
    caret_moved = Signal()
    entered = Signal()
    """The field got the focus."""

    def __init__(self, field: FormField, parent: QWidget | None = None) -> None:
        self.field = field
        self.check = FieldCheck("")
        self._margin: _Margin | None = None
        self._laying_out = False
        self.signs: tuple[tuple[Claim, QRect], ...] = ()
        self.margin = 0
        """Width of the margin in pixels."""
        self._current: Span | None = None
        super().__init__(field.key, field.title, parent)
        self.setPlaceholderText(field.help)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAcceptDrops(True)
        self._margin = _Margin(self)
        self.cursorPositionChanged.connect(self._moved)
        self.restyle()

    def show_check(self, check: FieldCheck) -> None:
        self.check = check
        self.mark()
        self._lay_out()

    def show_current(self, claim: Claim | None) -> None:
        """Highlights the sentence shown beside the form and describes it for screen readers."""
        words = described(claim)
        if claim is not None and self.check.no_reason(claim):
            words = f"{words} {NO_REASON}."
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)
        span = Span(claim.start, claim.end) if claim is not None else None
        if span != self._current:
            self._current = span
            self.mark()

    def _place_signs(self) -> None:
        """Finds the line of each mark, and sets the margin's width for the line with the most marks."""
        step, size = theme().px(_STEP), theme().px(_SIZE)
        height, taken = self.fontMetrics().height(), dict[int, int]()
        found: list[tuple[Claim, QRect]] = []
        if self.check.text == self.text:
            points, cursor, above = CodePoints(self.text), QTextCursor(self.document()), self.viewport().y()
            for claim in self.check.claims:
                cursor.setPosition(points.to_units(claim.start))
                top = int(self.cursorRect(cursor).top()) + above
                number = taken[top] = taken.get(top, 0) + 1
                box = QRect(6 + (min(number, _MOST) - 1) * step, top + (height - size) // 2, size, size)
                found.append((claim, box))
        self.signs = tuple(found)
        # It never shrinks: a narrower margin would move line breaks and might then have to grow again.
        self.margin = max(self.margin, step * min(_MOST, max(taken.values(), default=1)) + 8)

    def mark(self) -> None:
        text, tokens = self.text, theme().tokens
        marks: list[Highlight] = []
        if self._current is not None:
            marks.append(Highlight(self._current, tokens.accent_wash))
        if self.check.text == text:
            for claim in self.check.claims:
                if claim.open:
                    style = LineStyle.WaveUnderline if claim.unfounded else LineStyle.DotLine
                    line = verdict_colour(claim.verdict)
                    marks.append(Highlight(Span(claim.start, claim.end), line=line, style=style))
            attention = tokens.data["attention"]
            dashed = LineStyle.DashUnderline
            marks += [Highlight(span, line=attention.mark, style=dashed) for span in self.check.unreasoned]
            for marked in (*(t.span for t in self.check.tone), *(i.span for i in self.check.identity)):
                marks.append(Highlight(marked, attention.wash, attention.mark, LineStyle.DashUnderline))
        field = self.field
        if field.limit is not None:
            beyond = fits(text, field.limit, field.unit)
            if beyond < len(text):
                marks.append(Highlight(Span(beyond, len(text)), ink=tokens.data["unsupported"].ink))
        self.draw(marks)
        if self._margin is not None:
            self._margin.update()

    def changed(self) -> None:
        self.typed.emit()  # listeners show the check of the new text, including marks
        if self.check.text != self.text:
            self.mark()
            self._lay_out()

    def restyle(self) -> None:
        super().restyle()
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        """Fits the height to the text, and the margin to the marks."""
        if self._margin is None or self._laying_out:
            return
        self._laying_out = True
        self._fit()
        self._laying_out = False

    def _fit(self) -> None:
        assert self._margin is not None
        self._place_signs()
        while self.viewportMargins().left() != self.margin:
            self.setViewportMargins(self.margin, 0, 0, 0)
            self._place_signs()  # line breaks may have moved
        line = self.fontMetrics().lineSpacing()
        block, height = self.document().firstBlock(), 0.0
        while block.isValid():
            height += self.blockBoundingRect(block).height()
            block = block.next()
        frame = self.height() - self.contentsRect().height()
        if not self.text:
            box = QRect(0, 0, self.viewport().width() - 2 * round(self.document().documentMargin()), _UNBOUNDED)
            words = self.fontMetrics().boundingRect(box, Qt.TextFlag.TextWordWrap, self.placeholderText())
            height = max(height, words.height())
        room = max(height, _LEAST_LINES * line) + 2 * self.document().documentMargin() + frame + 4
        if round(room) != self.height():
            self.setFixedHeight(round(room))
        inner = self.contentsRect()
        self._margin.setGeometry(QRect(inner.left(), inner.top(), self.margin, inner.height()))
        self._margin.update()

    def _moved(self) -> None:
        if self.hasFocus():
            self.caret_moved.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.entered.emit()

    def viewportEvent(self, event: QEvent) -> bool:
        return show_tip(event, self._tip_at, self) or super().viewportEvent(event)

    def _tip_at(self, place: QPoint) -> str:
        at = CodePoints(self.text).from_units(self.cursorForPosition(place).position())
        return described(self.check.at(at) if self.check.text == self.text else None)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasFormat(EVIDENCE) or super().canInsertFromMimeData(source)

    def dropEvent(self, event: QDropEvent) -> None:
        data = event.mimeData()
        if not data.hasFormat(EVIDENCE):
            super().dropEvent(event)
            return
        units = self.cursorForPosition(event.position().toPoint()).position()
        card = bytes(data.data(EVIDENCE).data()).decode()
        event.acceptProposedAction()
        self.card_dropped.emit(card, CodePoints(self.text).from_units(units))
