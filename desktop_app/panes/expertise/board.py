"""The leaderboard: one row an algorithm, all losses with their intervals on one axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop_app.panes.expertise.order_view import two_lines
from desktop_app.theme import theme
from engine.expertise.evaluation import Difference
from engine.expertise.laboratory import Outcome

ROW, HEAD = 40, 28
_AXIS = "95 %   │ published"
_NAME, _FIGURES = 134, 252  # room at the left for names, at the right for figures
CHANCE = 5  # tenths of loss
SORTS = ("loss", "difference", "easy", "hard", "algorithm")
_HEADS = {"loss": "loss", "difference": "± baseline", "easy": "easy", "hard": "hard"}
Place = Callable[[float], float]
"""Where a loss lies across, in pixels."""


class LeaderBoard(QWidget):
    """One row an algorithm; the one at hand is chosen by arrows or mouse.

    Rows stand where they stood while results arrive, and are put in order when a person asks for it (``sort``).
    """

    chosen = Signal(str)
    """The id of the run at hand."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Leaderboard")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.setMouseTracking(True)
        self._outcomes: tuple[Outcome, ...] = ()
        self._differences: Mapping[str, Difference] = {}
        self._awaited: tuple[str, ...] = ()
        self._order: list[str] = []
        self._sorted = "loss"
        self._at = ""
        theme().changed.connect(self.updateGeometry)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The rows, as they stand."""
        return self._outcomes

    @property
    def at_hand(self) -> str:
        """The id of the run at hand, "" for none."""
        return self._at

    def show_outcomes(
        self, outcomes: Sequence[Outcome], differences: Mapping[str, Difference], awaited: Sequence[str] = ()
    ) -> None:
        """``awaited``: labels of algorithms that still run; their rows stand there already."""
        by_label = {outcome.run.label: outcome for outcome in sorted(outcomes, key=self._rank)}
        known = dict.fromkeys((*by_label, *awaited))
        kept = [name for name in self._order if name in known]
        self._order = [*kept, *(name for name in known if name not in kept)]
        self._outcomes = tuple(by_label[name] for name in self._order if name in by_label)
        self._differences, self._awaited = differences, tuple(name for name in awaited if name in self._order)
        if self._at not in {outcome.run.id for outcome in self._outcomes}:
            self._at = self._outcomes[0].run.id if self._outcomes else ""
        self.setAccessibleDescription("; ".join(self._words(outcome) for outcome in self._outcomes))
        self.updateGeometry()
        self.update()

    @property
    def sorted_by(self) -> str:
        """The column of the last sorting, one of ``SORTS``."""
        return self._sorted

    def sort(self, column: str) -> None:
        """Puts the rows in the order of a column, the best first; rows that are awaited go below."""
        self._sorted = column
        self._outcomes = tuple(sorted(self._outcomes, key=self._rank))
        done = [outcome.run.label for outcome in self._outcomes]
        self._order = [*done, *(name for name in self._order if name not in done)]
        self.update()

    def _rank(self, outcome: Outcome) -> tuple[float, str]:
        found, name = outcome.evaluation, outcome.run.label
        apart = self._differences.get(outcome.run.id)
        value = {
            "loss": found.loss,
            "difference": apart.value if apart is not None else 0.0,
            "easy": -found.easy,
            "hard": -found.hard,
            "algorithm": 0.0,
        }[self._sorted]
        return (1e9 if isnan(value) else value, name)

    def choose(self, run_id: str) -> None:
        """Brings a row to hand."""
        if run_id != self._at and any(outcome.run.id == run_id for outcome in self._outcomes):
            self._at = run_id
            self.update()
            self.chosen.emit(run_id)

    def step(self, by: int) -> None:
        """Brings the next or previous row to hand."""
        ids = [outcome.run.id for outcome in self._outcomes]
        if ids:
            at = ids.index(self._at) if self._at in ids else 0
            self.choose(ids[min(max(at + by, 0), len(ids) - 1)])

    def sizeHint(self) -> QSize:
        rows = max(len(self._order), 1)
        return QSize(theme().px(560), theme().px(HEAD * 2 + ROW * rows))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(460), self.sizeHint().height())

    # --- input ----------------------------------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        else:
            self.step(by)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        if place.y() < theme().px(HEAD):
            columns = zip(_HEADS, self._columns(), strict=True)
            name = next((name for name, right in columns if right - theme().px(46) < place.x() <= right), "")
            self.sort(name or ("algorithm" if place.x() < theme().px(_NAME) else "loss"))
            return
        found = self._row_at(place)
        if found is not None:
            self.choose(found.run.id)

    def event(self, event: object) -> bool:
        if isinstance(event, QHelpEvent):
            found = self._row_at(event.pos())
            QToolTip.showText(event.globalPos(), self._words(found) if found is not None else "", self)
            return True
        return super().event(event)  # type: ignore[arg-type]

    def _row_at(self, place: QPoint) -> Outcome | None:
        row = (place.y() - theme().px(HEAD)) // theme().px(ROW)
        name = self._order[row] if 0 <= row < len(self._order) else ""
        return next((o for o in self._outcomes if o.run.label == name and name not in self._awaited), None)

    def _words(self, outcome: Outcome) -> str:
        found, apart = outcome.evaluation, self._differences.get(outcome.run.id)
        words = (
            f"{outcome.run.label}, {outcome.run.representation}: loss {found.loss:.3f}, 95 % from"
            f" {found.loss_low:.3f} to {found.loss_high:.3f}, {found.participants} participants"
        )
        if outcome.published is not None:
            words += f"; published scores of the same people {outcome.published:.3f}"
        if apart is not None:
            words += f"; {apart.value:+.3f} against the baseline ({apart.low:+.3f} to {apart.high:+.3f})"
        told = ", ".join(f"{name} {value}" for name, value in outcome.run.parameters)
        words += f". Parameters: {told}" if told else ""
        return words

    # --- paint ----------------------------------------------------------------------------------------------------
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, row = theme().tokens, theme().px(ROW)
        painter.fillRect(self.rect(), QColor(tokens.surface))
        if not self._order:
            painter.setPen(QColor(tokens.muted))
            painter.setFont(theme().font("body"))
            room = self.rect().adjusted(32, 32, -32, -32)
            painter.drawText(room, Qt.TextFlag.TextWordWrap, "Tick algorithms at the left and press Run.")
            painter.end()
            return
        left, right = theme().px(_NAME), self.width() - theme().px(_FIGURES)
        low, high = self._range()

        def x(loss: float) -> float:
            return left + (loss - low) / (high - low) * (right - left)

        top = theme().px(HEAD)
        bottom = top + row * len(self._order)
        self._paint_axis(painter, x, (low, high), (top, bottom))
        done = {o.run.label: o for o in self._outcomes if o.run.label not in self._awaited}
        for number, name in enumerate(self._order):
            if name in done:
                self._paint_row(painter, QRectF(0, top + number * row, self.width(), row), done[name], x)
                continue
            place = QRectF(12, top + number * row, left - 18, row)
            painter.setFont(theme().font("body"))
            painter.setPen(QColor(tokens.muted))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, two_lines(name, painter, place.width()))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.sunken))
            painter.drawRoundedRect(QRectF(left, place.center().y() - 4, (right - left) * 0.6, 8), 4, 4)
        painter.end()

    def _range(self) -> tuple[float, float]:
        values = [
            v for o in self._outcomes for v in (o.evaluation.loss_low, o.evaluation.loss_high, o.published or 0.3)
        ]
        low, high = min([0.2, *values]), max([0.4, *values])
        return max(0.0, low - 0.02), min(1.0, high + 0.02)

    def _paint_axis(self, painter: QPainter, x: Place, span: tuple[float, float], rows: tuple[int, int]) -> None:
        tokens = theme().tokens
        painter.setFont(theme().font("small", tabular=True))
        small = painter.fontMetrics().height()
        taken: list[QRectF] = []
        # Chance is told first; of the others as many as have room.
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
        painter.setPen(QColor(tokens.muted))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        height = theme().px(HEAD)
        painter.drawText(QRectF(12, 0, 140, height), Qt.AlignmentFlag.AlignVCenter, self._head("algorithm"))
        painter.drawText(QRectF(theme().px(_NAME), 0, 140, height), Qt.AlignmentFlag.AlignVCenter, "loss, 95 %")
        for name, right in zip(_HEADS, self._columns(), strict=True):
            painter.drawText(QRectF(right - 110, 0, 110, height), flags, self._head(name))

    def _head(self, name: str) -> str:
        return _HEADS.get(name, name) + (" ▾" if name == self._sorted else "")

    def _columns(self) -> tuple[float, ...]:
        end, px = self.width() - theme().px(12), theme().px
        return (end - px(190), end - px(92), end - px(46), end)

    def _paint_row(self, painter: QPainter, place: QRectF, outcome: Outcome, x: Place) -> None:
        tokens, found = theme().tokens, outcome.evaluation
        middle = place.center().y()
        if outcome.run.id == self._at:
            painter.fillRect(place, QColor(tokens.accent_wash))
            painter.fillRect(QRectF(0, place.top(), 3, place.height()), QColor(tokens.accent))
            if self.hasFocus():
                painter.setPen(QPen(QColor(tokens.focus), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(place.adjusted(0.5, 0.5, -1, -1))
        painter.setFont(theme().font("body"))
        painter.setPen(QColor(tokens.ink))
        name = QRectF(12, place.top(), theme().px(_NAME) - 18, place.height())
        painter.drawText(name, Qt.AlignmentFlag.AlignVCenter, two_lines(outcome.run.label, painter, name.width()))
        painter.setPen(QPen(QColor(tokens.data["suggested"].mark), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(round(x(found.loss_low)), round(middle), round(x(found.loss_high)), round(middle))
        if outcome.published is not None:
            painter.setPen(QPen(QColor(tokens.muted), 2))
            tick = round(x(outcome.published))
            painter.drawLine(tick, round(middle - 9), tick, round(middle + 9))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent))
        painter.drawEllipse(QRectF(x(found.loss) - 5, middle - 5, 10, 10))
        apart = self._differences.get(outcome.run.id)
        painter.setFont(theme().font("small", tabular=True))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        cells = (
            f"{found.loss:.3f}",
            "" if apart is not None else "baseline",
            "–" if isnan(found.easy) else f"{found.easy:.2f}",
            "–" if isnan(found.hard) else f"{found.hard:.2f}",
        )
        for cell, right in zip(cells, self._columns(), strict=True):
            painter.setPen(QColor(tokens.ink if cell != "baseline" else tokens.muted))
            painter.drawText(QRectF(right - 90, place.top(), 90, place.height()), flags, cell)
        if apart is not None:
            half = QRectF(self._columns()[1] - 110, place.top() + 3, 110, place.height() / 2 - 3)
            marked = "* " if apart.low > 0 or apart.high < 0 else ""
            painter.setPen(QColor(tokens.ink))
            painter.drawText(half, flags, f"{marked}{apart.value:+.3f}")
            painter.setPen(QColor(tokens.muted))
            painter.drawText(half.translated(0, half.height()), flags, f"{apart.low:+.2f} to {apart.high:+.2f}")
