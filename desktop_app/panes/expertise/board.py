"""The leaderboard: one row per algorithm with losses on a common axis; and a participant's papers in both orders."""

from collections.abc import Callable, Mapping, Sequence
from math import isnan

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.expertise.state import HINT, SORTS
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import scrolled, text_label
from desktop_app.widgets.layouts import column, row
from desktop_app.widgets.painted import Painted
from desktop_app.widgets.record_list import LEFT, RIGHT, draw_text
from engine.expertise.evaluation import Difference
from engine.expertise.laboratory import Drill, Outcome, RankedPaper
from engine.measures.estimate import FEWEST
from engine.shown import counted, visible_line

_ROW, _HEAD, GAP = 34, 24, 56


class OrderView(Painted):
    """The same papers in the participant's and the algorithm's order; one paper is selected."""

    chosen = Signal(str)
    """The paper that was selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("True order and the algorithm's order", parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._drill: Drill | None = None
        self.selected = ""

    def show_drill(self, drill: Drill | None) -> None:
        """Shows a participant, keeping the selected paper if it is still present."""
        self._drill = drill
        keys = [paper.paper for paper in drill.papers] if drill else []
        if self.selected not in keys:
            self.selected = keys[0] if keys else ""
        self.setAccessibleDescription(
            "; ".join(f"{p.title}: rated {p.rating:g}, rank {p.rank:g}" for p in drill.papers) if drill else ""
        )
        self.updateGeometry()
        self.update()

    def choose(self, paper: str) -> None:
        if paper != self.selected:
            self.selected = paper
            self.update()
            self.chosen.emit(paper)

    def sizeHint(self) -> QSize:
        rows = len(self._drill.papers) if self._drill else 8
        return QSize(theme().px(380), theme().px(_HEAD + _ROW * rows + 8))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is None or self._drill is None or not self._drill.papers:
            super().keyPressEvent(event)
            return
        keys = [paper.paper for paper in self._drill.papers]
        self.choose(keys[min(max(keys.index(self.selected) + by, 0), len(keys) - 1)])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = (event.position().y() - theme().px(_HEAD)) // theme().px(_ROW)
        left, right = self._sides()
        order = left if event.position().x() < self.width() / 2 else right
        if 0 <= row < len(order):
            self.choose(order[int(row)].paper)

    def _sides(self) -> tuple[list[RankedPaper], list[RankedPaper]]:
        papers = list(self._drill.papers) if self._drill else []
        return papers, sorted(papers, key=lambda paper: (paper.rank, paper.true_rank))

    def paint(self, painter: QPainter) -> None:
        tokens, row, head = theme().tokens, theme().px(_ROW), theme().px(_HEAD)
        painter.fillRect(self.rect(), QColor(tokens.surface))
        left, right = self._sides()
        if self._drill is None or not left:
            return
        column = (self.width() - theme().px(GAP)) / 2
        for left_end, words in ((12, "rated"), (self.width() - column, "by the algorithm")):
            box = QRectF(left_end, 0, column - 12, head)
            draw_text(painter, box, LEFT, words, theme().font("small"), tokens.muted)
        cost: dict[str, float] = {}
        for pair in self._drill.pairs:
            for key in (pair.better, pair.worse):
                cost[key] = cost.get(key, 0.0) + pair.cost
        dearest = max([*cost.values(), 1e-9])
        places = {paper.paper: number for number, paper in enumerate(right)}
        for number, paper in enumerate(left):
            share = cost.get(paper.paper, 0.0) / dearest
            tint = tokens.data["attention"].mark if share > 0 else tokens.control_border
            pen = QPen(QColor(tokens.accent if paper.paper == self.selected else tint), 1 + 3.5 * share)
            painter.setPen(pen)
            painter.drawLine(
                QPointF(column, head + (number + 0.5) * row),
                QPointF(self.width() - column, head + (places[paper.paper] + 0.5) * row),
            )
        for number, (one, other) in enumerate(zip(left, right, strict=True)):
            self._paint_paper(painter, QRectF(0, head + number * row, column, row), one, f"{one.rating:g}")
            place = QRectF(self.width() - column, head + number * row, column, row)
            self._paint_paper(painter, place, other, f"{other.score:.3f}")
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _paint_paper(self, painter: QPainter, place: QRectF, paper: RankedPaper, figure: str) -> None:
        tokens = theme().tokens
        if paper.paper == self.selected:
            painter.fillRect(place.adjusted(0, 1, 0, -1), QColor(tokens.accent_wash))
        width = theme().px(40)
        box = QRectF(place.left() + 12, place.top(), width, place.height())
        draw_text(painter, box, LEFT, figure, theme().font("small", tabular=True), tokens.muted)
        painter.setFont(theme().font("small", bold=paper.paper == self.selected))
        painter.setPen(QColor(tokens.ink))
        room = QRectF(place.left() + 12 + width, place.top(), place.width() - width - 18, place.height())
        painter.drawText(room, LEFT | Qt.TextFlag.TextWordWrap, two_lines(paper.title, painter, room.width()))


def two_lines(text: str, painter: QPainter, width: float) -> str:
    """Wraps whole words into two lines, with an ellipsis if they don't fit."""
    measure = painter.fontMetrics().horizontalAdvance
    lines = [""]
    for word in visible_line(text).split():
        longer = f"{lines[-1]} {word}".strip()
        if measure(longer) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) == 1:
            lines.append(word)
        else:
            lines[-1] = painter.fontMetrics().elidedText(f"{lines[-1]} {word}", Qt.TextElideMode.ElideRight, int(width))
            break
    return "\n".join(painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, int(width)) for line in lines)


ROW, HEAD = 40, 28
_NAME, _FIGURES = 134, 252  # widths of the names on the left and the figures on the right
CHANCE = 5  # loss at chance level, in tenths
_COLUMNS = ("loss", "difference", "easy", "hard")
Place = Callable[[float], float]
"""Maps a loss to its horizontal position in pixels."""


class LeaderBoard(Painted):
    """One row per algorithm in the given order; arrow keys or the mouse select one."""

    chosen = Signal(str)
    """The id of the run that the user selected."""
    sort_chosen = Signal(str)
    """The column whose heading was clicked, one of ``SORTS``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Leaderboard", parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.setMouseTracking(True)
        self.outcomes: tuple[Outcome, ...] = ()
        self._differences: Mapping[str, Difference] = {}
        self._rows: tuple[Outcome | str, ...] = ()
        self._sorted = "loss"
        self.selected = ""

    def show_outcomes(
        self, outcomes: Sequence[Outcome], differences: Mapping[str, Difference], awaited: Sequence[str], sorted_by: str
    ) -> None:
        """Shows results, followed by the labels of algorithms that are still running (``awaited``)."""
        self.outcomes, self._differences, self._sorted = tuple(outcomes), differences, sorted_by
        self._rows = (*(outcome for outcome in outcomes if outcome.run.label not in awaited), *awaited)
        self.setAccessibleDescription("; ".join(self._words(outcome) for outcome in outcomes))
        self.updateGeometry()
        self.update()

    def select(self, run_id: str) -> None:
        self.selected = run_id
        self.update()

    def step(self, by: int) -> None:
        ids = [row.run.id for row in self._rows if not isinstance(row, str)]
        if ids:
            at = ids.index(self.selected) if self.selected in ids else 0
            self.chosen.emit(ids[min(max(at + by, 0), len(ids) - 1)])

    def sizeHint(self) -> QSize:
        return QSize(theme().px(560), theme().px(HEAD * 2 + ROW * max(len(self._rows), 1)))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(450), self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        else:
            self.step(by)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        if place.y() < theme().px(HEAD):
            columns = zip(_COLUMNS, self._rights(), strict=True)
            name = next((name for name, right in columns if right - theme().px(46) < place.x() <= right), "")
            self.sort_chosen.emit(name or ("algorithm" if place.x() < theme().px(_NAME) else "loss"))
            return
        found = self._row_at(place)
        if found is not None:
            self.chosen.emit(found.run.id)

    def tip_at(self, place: QPoint) -> str:
        found = self._row_at(place)
        return self._words(found) if found is not None else ""

    def _row_at(self, place: QPoint) -> Outcome | None:
        at = (place.y() - theme().px(HEAD)) // theme().px(ROW)
        row = self._rows[at] if 0 <= at < len(self._rows) else ""
        return None if isinstance(row, str) else row

    def _words(self, outcome: Outcome) -> str:
        found, apart = outcome.evaluation, self._differences.get(outcome.run.id)
        words = (
            f"{outcome.run.label}, {outcome.run.representation}: loss {_figure(found.loss, 3)},"
            f" {found.span('95 % interval {:.3f} to {:.3f}') or _no_interval(found.participants)},"
            f" {counted(found.participants, 'participant')}"
        )
        if outcome.published is not None:
            words += f"; published scores for the same participants {outcome.published:.3f}"
        if apart is not None:
            words += f"; {apart.value:+z.3f} compared with the baseline ({apart.span() or 'no interval'})"
        parameters = ", ".join(f"{name} {value}" for name, value in outcome.run.parameters)
        return f"{words}. Parameters: {parameters}" if parameters else words

    def paint(self, painter: QPainter) -> None:
        tokens, row = theme().tokens, theme().px(ROW)
        painter.fillRect(self.rect(), QColor(tokens.surface))
        if not self._rows:
            painter.setPen(QColor(tokens.muted))
            painter.setFont(theme().font("body"))
            room = self.rect().adjusted(32, 32, -32, -32)
            painter.drawText(room, Qt.TextFlag.TextWordWrap, HINT)
            return
        left, right = theme().px(_NAME), self.width() - theme().px(_FIGURES)
        low, high = self._range()

        def x(loss: float) -> float:
            return left + (loss - low) / (high - low) * (right - left)

        top = theme().px(HEAD)
        bottom = top + row * len(self._rows)
        self._paint_axis(painter, x, (low, high), (top, bottom))
        for number, shown in enumerate(self._rows):
            if not isinstance(shown, str):
                self._paint_row(painter, QRectF(0, top + number * row, self.width(), row), shown, x)
                continue
            place = QRectF(12, top + number * row, left - 18, row)
            self._paint_name(painter, place, shown, tokens.muted)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.sunken))
            painter.drawRoundedRect(QRectF(left, place.center().y() - 4, (right - left) * 0.6, 8), 4, 4)

    @staticmethod
    def _paint_name(painter: QPainter, place: QRectF, name: str, ink: str) -> None:
        painter.setFont(theme().font("body"))
        painter.setPen(QColor(ink))
        painter.drawText(place, LEFT, two_lines(name, painter, place.width()))

    def _range(self) -> tuple[float, float]:
        figures = [(o.evaluation, o.published or 0.3) for o in self.outcomes]
        values = [v for e, known in figures for v in (e.loss, e.loss_low, e.loss_high, known) if not isnan(v)]
        low, high = min([0.2, *values]), max([0.4, *values])
        return max(0.0, low - 0.02), min(1.0, high + 0.02)

    def _paint_axis(self, painter: QPainter, x: Place, span: tuple[float, float], rows: tuple[int, int]) -> None:
        tokens = theme().tokens
        painter.setFont(theme().font("small", tabular=True))
        small = painter.fontMetrics().height()
        taken: list[QRectF] = []
        # The label of chance has priority; others are drawn if they fit.
        for tenth in sorted(range(1, 11), key=lambda tenth: tenth != CHANCE):
            if not span[0] <= tenth / 10 <= span[1]:
                continue
            place = round(x(tenth / 10))
            painter.setPen(QPen(QColor(tokens.hairline), 1))
            painter.drawLine(place, rows[0], place, rows[1])
            words = f"{tenth / 10:.1f}" + (" chance" if tenth == CHANCE else "")
            wide = painter.fontMetrics().horizontalAdvance(words) + 8
            room = QRectF(place - wide / 2, rows[1] + 4, wide, small)
            if not any(room.intersects(other) for other in taken):
                taken.append(room)
                painter.setPen(QColor(tokens.muted))
                painter.drawText(room, Qt.AlignmentFlag.AlignHCenter, words)
        px = theme().px
        heads = [(12.0, px(122), self._head("algorithm"), LEFT), (px(_NAME), px(140), "loss, 95 %", LEFT)]
        columns = zip(_COLUMNS, self._rights(), strict=True)
        heads += [(right - px(110), px(110), self._head(name), RIGHT) for name, right in columns]
        for left, width, words, side in heads:
            draw_text(painter, QRectF(left, 0, width, px(HEAD)), side, words, painter.font(), tokens.muted)

    def _head(self, name: str) -> str:
        arrow = " ▾" if name in ("easy", "hard") else " ▴"
        return SORTS[name] + (arrow if name == self._sorted else "")

    def _rights(self) -> tuple[float, ...]:
        end, px = self.width() - theme().px(12), theme().px
        return (end - px(190), end - px(92), end - px(46), end)

    def _paint_row(self, painter: QPainter, place: QRectF, outcome: Outcome, x: Place) -> None:
        tokens, found = theme().tokens, outcome.evaluation
        middle = place.center().y()
        if outcome.run.id == self.selected:
            painter.fillRect(place, QColor(tokens.accent_wash))
            painter.fillRect(QRectF(0, place.top(), 3, place.height()), QColor(tokens.accent))
            if self.hasFocus():
                painter.setPen(QPen(QColor(tokens.focus), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(place.adjusted(0.5, 0.5, -1, -1))
        name = QRectF(12, place.top(), theme().px(_NAME) - 18, place.height())
        self._paint_name(painter, name, outcome.run.label, tokens.ink)
        if not isnan(found.loss_low):
            mark = QColor(tokens.data["suggested"].mark)
            painter.setPen(QPen(mark, 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(round(x(found.loss_low)), round(middle), round(x(found.loss_high)), round(middle))
        if outcome.published is not None:
            painter.setPen(QPen(QColor(tokens.muted), 2))
            tick = round(x(outcome.published))
            painter.drawLine(tick, round(middle - 9), tick, round(middle + 9))
        if not isnan(found.loss):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent))
            painter.drawEllipse(QRectF(x(found.loss) - 5, middle - 5, 10, 10))
        apart = self._differences.get(outcome.run.id)
        small, width = theme().font("small", tabular=True), theme().px(110)
        base = "" if apart is not None else "baseline"
        cells = (_figure(found.loss, 3), base, _figure(found.easy), _figure(found.hard))
        for cell, right in zip(cells, self._rights(), strict=True):
            box = QRectF(right - width, place.top(), width, place.height())
            draw_text(painter, box, RIGHT, cell, small, tokens.ink if cell != "baseline" else tokens.muted)
        if apart is not None:
            half = QRectF(self._rights()[1] - width, place.top() + 3, width, place.height() / 2 - 3)
            value = "–" if isnan(apart.value) else f"{'* ' if apart.certain else ''}{apart.value:+z.3f}"
            span = apart.span("{:+z.2f} to {:+z.2f}")
            for words, down, ink in ((value, 0, tokens.ink), (span, half.height(), tokens.muted)):
                draw_text(painter, half.translated(0, down), RIGHT, words.replace("-", "−"), small, ink)


def _no_interval(participants: int) -> str:
    few = participants < FEWEST
    return f"no interval with fewer than {FEWEST} participants" if few else "no interval, since all samples are equal"


def _figure(value: float, digits: int = 2) -> str:
    return "–" if isnan(value) else f"{value:.{digits}f}"


class BoardPage(QWidget):
    def __init__(self, registry: CommandRegistry, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Leaderboard page")
        self.board = LeaderBoard(self)
        self.baseline = ChoiceBox("Baseline", letters=5, parent=self)
        self.baseline.setToolTip("Differences are relative to this algorithm, on the same bootstrap samples")
        names = (("expertise.curve", ""), ("expertise.export", "Export…"))
        buttons = (CommandButton(registry, name, text=words, show_key=False, parent=self) for name, words in names)
        baseline = text_label("Baseline", "muted", parent=self)
        legend = text_label(
            "Loss: share of rating differences that are ordered wrongly. │: published scores for the same "
            "participants. *: the interval of the difference excludes 0.",
            "small", wrap=True, parent=self,
        )  # fmt: skip
        column(
            row(baseline, self.baseline, None, *buttons, margins=(12, 0, 12, 0)),
            (scrolled(self.board, "Leaderboard", self), 1),
            row(legend, margins=(12, 4, 12, 8)),
            margins=(0, 8, 0, 0), spacing=8, of=self,
        )  # fmt: skip
