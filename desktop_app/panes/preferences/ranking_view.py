"""The ranking of a cluster: each candidate with its rank, its interval, and what to beware of above all."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QComboBox, QHBoxLayout, QToolTip, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from engine.exchange.preference_study import Study
from engine.rebuttal.preferences.ranking import METHODS, Ranked
from engine.rebuttal.preferences.records import ADJUDICATED, ALL

_ADAPTIVE = (
    "Pairs were chosen to tell the winner: the order of the others is rough. Intervals here resample the judgements;"
    " Judge shows how likely it is that this is the winner of all pairs."
)
_ROW, _HEAD = 44, 26
_RANK, _FIRST = 88, 62


class RankingView(QWidget):
    """Method and basis above, warnings under them, then the bars."""

    method_changed = Signal(str)
    basis_changed = Signal(str)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Ranking of candidates")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.method, self.basis = QComboBox(self), QComboBox(self)
        for box, name in ((self.method, "Method"), (self.basis, "Whose judgements rank")):
            box.setAccessibleName(name)
            box.setToolTip(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            KeepsKeys(box)
        for key, words in METHODS.items():
            self.method.addItem(words, key)
        self.method.activated.connect(lambda _at: self.method_changed.emit(self.method.currentData()))
        self.basis.activated.connect(lambda _at: self.basis_changed.emit(self.basis.currentData()))
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 6, 12, 6)
        bar.setSpacing(8)
        bar.addWidget(self.method)
        bar.addWidget(self.basis)
        bar.addStretch(1)
        for name, words in (
            ("to_library", "Put into the library"), ("export_ranking", "Tables"), ("export_figures", "Figures"),
        ):  # fmt: skip
            button = CommandButton(registry, f"preferences.{name}", text=words, parent=self)
            KeepsKeys(button)
            bar.addWidget(button)
        self.warnings = text_label(parent=self)
        self.warnings.setWordWrap(True)
        self.warnings.setAccessibleName("What to beware of")
        self.bars = RankBars(self)
        self.bars.moved.connect(self._show_text)
        # The row cuts a long candidate: here it is shown in full, in space reserved for it.
        self.text = text_label("", "body", wrap=True, parent=self)
        self.text.setAccessibleName("The selected candidate")
        self.text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._summary = text_label("", "small", wrap=True, parent=self)
        line = QVBoxLayout()
        line.setContentsMargins(12, 6, 12, 6)
        line.setSpacing(4)
        line.addWidget(self.text)
        line.addWidget(self._summary)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(hairline(parent=self))
        layout.addWidget(self.warnings)
        layout.addWidget(self.bars, 1)
        layout.addWidget(hairline(parent=self))
        layout.addLayout(line)
        theme().changed.connect(self._dress)
        self._dress()

    def show_study(self, study: Study | None) -> None:
        """Shows a ranking; None while it is computed or there is none."""
        self.bars.show_study(study)
        self._show_text()
        if study is None:
            self.warnings.setVisible(False)
            self._summary.setText("")
            return
        ranking = study.ranking
        self.method.setCurrentIndex(self.method.findData(ranking.method))
        entries = [("Everybody", ALL), ("Everybody, adjudicated pairs as decided", ADJUDICATED)]
        people = sorted({study.names.get(j.annotator_id, "") for j in study.judgements})
        entries += [(f"{name} alone", name) for name in people]
        if [(self.basis.itemText(n), self.basis.itemData(n)) for n in range(self.basis.count())] != entries:
            self.basis.clear()
            for words, key in entries:
                self.basis.addItem(words, key)
        self.basis.setCurrentIndex(max(0, self.basis.findData(study.cluster.basis)))
        warnings = list(ranking.warnings)
        if study.cluster.plan.schedule == "adaptive" and ranking.comparisons:
            warnings.append(_ADAPTIVE)
        self.warnings.setText("\n".join(f"! {warning}" for warning in warnings))
        self.warnings.setVisible(bool(warnings))
        side = ranking.side
        parts = [f"{ranking.comparisons} comparisons of {ranking.pairs} pairs"]
        if side.decided:
            parts.append(f"left preferred in {side.left} of {side.decided} decided pairs (p = {side.p:.2g})")
        if not isnan(side.effect):
            parts.append(f"side effect {side.effect:+.2f} ({side.low:+.2f} to {side.high:+.2f})")
        if study.hidden:
            parts.append(f"{study.hidden} others judged; their work is shown once you and they are done")
        self._summary.setText(" · ".join(parts))

    def _show_text(self) -> None:
        study, key = self.bars.study, self.bars.candidate_id
        self.text.setText(" ".join(study.texts[key].split()) if study is not None and key else "")

    def _dress(self) -> None:
        tokens = theme().tokens
        self.text.setMinimumHeight(2 * self.text.fontMetrics().lineSpacing())
        self.warnings.setStyleSheet(
            f"background: {tokens.attention_wash}; color: {tokens.ink};"
            f" border-left: 3px solid {tokens.data['attention'].ink}; padding: 6px 12px 6px 9px;"
        )


class RankBars(QAbstractScrollArea):
    """One row a candidate: rank and its interval, text over the score's interval, and the chance of the first rank."""

    moved = Signal()
    """Another candidate is selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._study: Study | None = None
        self._at = 0
        self.setAccessibleName("Candidates by rank")
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme().changed.connect(self._relayout)

    @property
    def study(self) -> Study | None:
        """What is shown."""
        return self._study

    @property
    def candidate_id(self) -> str:
        """The selected candidate, "" for none."""
        study = self._study
        if study is None or not study.ranking.rows:
            return ""
        return study.items[study.ranking.rows[self._at].item]

    def show_study(self, study: Study | None) -> None:
        before = self.candidate_id
        self._study = study
        rows = study.ranking.rows if study is not None else ()
        self._at = next((n for n, row in enumerate(rows) if study and study.items[row.item] == before), 0)
        self._relayout()

    def sizeHint(self) -> QSize:
        return QSize(520, 400)

    @property
    def _row(self) -> int:
        return theme().px(_ROW)

    def _relayout(self) -> None:
        count = len(self._study.ranking.rows) if self._study is not None else 0
        page = self.viewport().height() - theme().px(_HEAD)
        self.verticalScrollBar().setRange(0, max(count * self._row - page, 0))
        self.verticalScrollBar().setPageStep(max(page, 1))
        self.verticalScrollBar().setSingleStep(self._row)
        self.setAccessibleDescription(self.describe(self._at) if count else "Nothing to rank.")
        self.viewport().update()

    def describe(self, at: int) -> str:
        """A row in words."""
        study = self._study
        assert study is not None
        row = study.ranking.rows[at]
        key = study.items[row.item]
        words = (
            f"Rank {row.rank}, between {row.rank_low} and {row.rank_high} with 95 %; score {row.score:.3g}, from"
            f" {row.low:.3g} to {row.high:.3g}; {row.wins} won, {row.losses} lost, {row.ties} ties"
        )
        if key in study.unsuitable:
            words += f"; {study.unsuitable[key]} times judged unsuitable"
        return f"{words}. {study.texts[key]}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._relayout()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def _place(self, y: float) -> int:
        head = theme().px(_HEAD)
        return int((y - head + self.verticalScrollBar().value()) // self._row) if y >= head else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(self._place(event.position().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self._study.ranking.rows) - 1 if self._study is not None else 0
        page = max(self.verticalScrollBar().pageStep() // self._row, 1)
        to = {
            Qt.Key.Key_Up: self._at - 1, Qt.Key.Key_Down: self._at + 1, Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
            Qt.Key.Key_PageUp: max(self._at - page, 0), Qt.Key.Key_PageDown: min(self._at + page, last),
        }.get(Qt.Key(event.key()))  # fmt: skip
        if to is None:
            super().keyPressEvent(event)
        else:
            self._go(to)

    def _go(self, at: int) -> None:
        if self._study is None or not 0 <= at < len(self._study.ranking.rows):
            return
        self._at = at
        bar, top = self.verticalScrollBar(), at * self._row
        if top < bar.value():
            bar.setValue(top)
        elif top + self._row > bar.value() + bar.pageStep():
            bar.setValue(top + self._row - bar.pageStep())
        self.setAccessibleDescription(self.describe(at))
        self.viewport().update()
        self.moved.emit()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._study is not None:
            at = self._place(event.pos().y())
            if 0 <= at < len(self._study.ranking.rows):
                QToolTip.showText(event.globalPos(), self.describe(at), self.viewport())
            return True
        return super().viewportEvent(event)

    # --- painting -------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, study = theme().tokens, self._study
        width, height, head = self.viewport().width(), self.viewport().height(), theme().px(_HEAD)
        painter.fillRect(self.viewport().rect(), QColor(tokens.surface))
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        if study is None or not study.ranking.rows:
            painter.setPen(QColor(tokens.muted))
            painter.setFont(theme().font())
            words = "Nothing to rank: this cluster has no candidates." if study is not None else ""
            painter.drawText(self.viewport().rect(), int(Qt.AlignmentFlag.AlignCenter), words)
            painter.end()
            return
        rows = study.ranking.rows
        left, right = theme().px(_RANK), width - theme().px(_FIRST)
        low, high = min(row.low for row in rows), max(row.high for row in rows)
        span = (high - low) or 1.0
        ascending = study.ranking.method == "bradley-terry"

        def x(value: float) -> float:
            share = (value - low) / span
            return left + (share if ascending else 1 - share) * (right - left - 8)

        painter.save()
        painter.setClipRect(0, head, width, height - head)
        for at, row in enumerate(rows):
            top = head - self.verticalScrollBar().value() + at * self._row
            if -self._row < top < height:
                self._paint_row(painter, study, row, QRectF(0, top, width, self._row), at == self._at, x)
        painter.restore()
        painter.setFont(theme().font("small"))
        painter.setPen(QColor(tokens.muted))
        score = "strength (log odds) →" if ascending else "← PageRank: lower, at the right, is more canonical"
        painter.drawText(QRectF(12, 0, left, head), middle, "rank, 95 %")
        painter.drawText(QRectF(left, 0, right - left, head), middle, score)
        painter.drawText(QRectF(right, 0, width - right - 12, head), middle | int(Qt.AlignmentFlag.AlignRight), "first")
        painter.setPen(QPen(QColor(tokens.hairline), 1))
        painter.drawLine(0, head - 1, width, head - 1)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1))
        painter.end()

    def _paint_row(  # noqa: PLR0917 - what one row needs
        self, painter: QPainter, study: Study, row: Ranked, box: QRectF, at_hand: bool, x: Callable[[float], float]
    ) -> None:
        tokens = theme().tokens
        left, right = theme().px(_RANK), box.width() - theme().px(_FIRST)
        half = box.height() / 2
        if at_hand:
            painter.fillRect(box, QColor(tokens.accent_wash))
        painter.fillRect(QRectF(12, box.bottom() - 1, box.width() - 24, 1), QColor(tokens.hairline))
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        painter.setFont(theme().font("section", bold=row.rank == 1, tabular=True))
        painter.setPen(QColor(tokens.ink))
        painter.drawText(QRectF(12, box.top(), theme().px(28), box.height()), middle, str(row.rank))
        painter.setFont(theme().font("small", tabular=True))
        painter.setPen(QColor(tokens.muted))
        painter.drawText(
            QRectF(12 + theme().px(28), box.top(), left, box.height()), middle, f"{row.rank_low}–{row.rank_high}"
        )
        key = study.items[row.item]
        painter.setFont(theme().font("body"))
        painter.setPen(QColor(tokens.ink))
        note = f"  ✗ unsuitable {study.unsuitable[key]}×" if key in study.unsuitable else ""
        room = right - left - 8
        text = painter.fontMetrics().elidedText(
            " ".join(study.texts[key].split()), Qt.TextElideMode.ElideRight, round(room) - 8
        )
        painter.drawText(QRectF(left, box.top(), room, half + 2), middle, text)
        line = box.top() + half + half / 2 - 1
        painter.setPen(QPen(QColor(tokens.data["suggested"].mark), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(round(x(row.low)), round(line), round(x(row.high)), round(line))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent))
        painter.drawEllipse(QRectF(x(row.score) - 4, line - 4, 8, 8))
        painter.setFont(theme().font("small", tabular=True))
        painter.setPen(QColor(tokens.ink))
        right_side = middle | int(Qt.AlignmentFlag.AlignRight)
        painter.drawText(
            QRectF(right, box.top(), box.width() - right - 12, half + 2), right_side, f"{100 * row.best:.0f} %"
        )
        if note:
            painter.setPen(QColor(tokens.data["unsupported"].ink))
            painter.drawText(
                QRectF(right - theme().px(120), box.top() + half, box.width() - right + theme().px(108), half),
                right_side,
                note,
            )
