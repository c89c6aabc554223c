"""The ranking of a cluster: warnings, then each candidate with rank and interval."""

from math import isnan
from typing import Any

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import ElidedLabel, hairline, named, text_label
from desktop_app.widgets.layouts import TOP, Flow, column, command_button, fix_width, row, surface
from desktop_app.widgets.record_list import LEFT, RIGHT, RecordList, draw_text
from engine.exchange.preference_study import Study
from engine.rebuttal.preferences.ranking import METHODS, Ranked
from engine.rebuttal.preferences.records import ADJUDICATED, ALL
from engine.shown import counted, estimated

_ADAPTIVE = (
    "Pairs were chosen to find the winner, so the order of the others is approximate. Intervals here come from "
    "resampling the judgements. Judge shows how likely the first candidate is to win with all pairs judged."
)
_ROW = 44
_RANK, _FIRST = 88, 62
_WAYS = (("to_library", "Add to library"), ("export_ranking", "Tables…"), ("export_figures", "Figures…"))


class RankingView(QWidget):
    """Method and basis on top, then warnings, then a row per candidate: rank with interval, text above the score's
    interval, and the chance of rank 1."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Ranking of candidates")
        self._study: Study | None = None
        methods = [(words, key) for key, words in METHODS.items()]
        self.method = ChoiceBox("Method", methods, letters=12, parent=self)
        self.basis = ChoiceBox("Judgements to rank by", letters=20, parent=self)
        ways = (command_button(registry, f"preferences.{name}", words, self) for name, words in _WAYS)
        self.warnings = named(text_label(wrap=True, parent=self), "Warnings")
        rank, first = (text_label(words, "small", parent=self) for words in ("rank, 95 %", "first"))
        self._score = ElidedLabel("small", self)
        fix_width(rank, _RANK - 12)
        self.bars = RecordList(
            "Candidates by rank", self._paint, lambda _entry: theme().px(_ROW), self.describe, key=lambda one: one[0],
            tip=self.describe, parent=self,
        )  # fmt: skip
        self.bars.chosen.connect(lambda _entry: self._show_text())
        # Shows a candidate that its row cuts off in full, in reserved space.
        self.text = named(text_label(wrap=True, parent=self), "The selected candidate")
        self.text.setAlignment(TOP)
        self._summary = text_label("", "small", wrap=True, parent=self)
        column(
            row((Flow(self.method, self.basis, *ways), 1), margins=(12, 6, 12, 6)), hairline(), self.warnings,
            row(rank, (self._score, 1), first, margins=(12, 4, 12, 4), spacing=0), hairline(), (self.bars, 1),
            hairline(), column(self.text, self._summary, margins=(12, 6, 12, 6), spacing=4), of=self,
        )  # fmt: skip
        theme().follow(self._dress)
        self.show_study(None)

    @property
    def candidate_id(self) -> str:
        return self.bars.current[0] if self.bars.current is not None else ""

    def show_study(self, study: Study | None) -> None:
        """Shows a ranking, keeping the selected candidate; None while it is being calculated."""
        selected, self._study = self.candidate_id, study
        entries = [(study.items[one.item], one) for one in study.ranking.rows] if study is not None else []
        at = next((at for at, (key, _) in enumerate(entries) if key == selected), 0 if entries else -1)
        self.bars.show_records(entries, at)
        empty = "Nothing to rank: this cluster has no candidates."
        self.bars.set_message(empty if study is not None else "Calculating…")
        self._show_text()
        warnings, parts = [], []
        if study is not None:
            ranking, side = study.ranking, study.ranking.side
            self.method.show_value(ranking.method)
            people = sorted({study.names.get(j.annotator_id, "") for j in study.judgements})
            everybody = [("Everybody", ALL), ("Everybody, adjudicated pairs as decided", ADJUDICATED)]
            self.basis.show_entries([*everybody, *((f"{name} alone", name) for name in people)], study.cluster.basis)
            down = "← PageRank (lower values, on the right, are more canonical)"
            self._score.setText("strength (log odds) →" if ranking.method == "bradley-terry" else down)
            warnings = list(ranking.warnings)
            if study.cluster.plan.schedule == "adaptive" and ranking.comparisons:
                warnings.append(_ADAPTIVE)
            parts.append(f"{counted(ranking.comparisons, 'comparison')} of {counted(ranking.pairs, 'pair')}")
            if side.decided:
                of = " of ranked candidates" if len(ranking.groups) > 1 else ""
                parts.append(f"left preferred in {side.left} of {side.decided} decided pairs{of} (p = {side.p:.2g})")
            if not isnan(side.effect):
                parts.append(f"side effect {side.effect:+z.2f} ({side.low:+z.2f} to {side.high:+z.2f})")
            if study.hidden:
                parts.append(
                    f"{counted(study.hidden, 'other annotator')} judged; their work is shown once you and they are done"
                )
        self.warnings.setText("\n".join(f"! {warning}" for warning in warnings))
        self.warnings.setVisible(bool(warnings))
        self._summary.setText(" · ".join(parts))

    def describe(self, entry: tuple[str, Ranked]) -> str:
        key, one = entry
        assert self._study is not None
        unsuitable = self._study.unsuitable.get(key)
        place, score = "No rank", ""
        if one.rank is not None:
            place, score = f"Rank {one.rank}", f"; score {one.score:.3g}"
        if one.rank_low is not None:
            place += f", between {one.rank_low} and {one.rank_high} with 95 %"
            score += f", from {one.low:.3g} to {one.high:.3g}"
        unfit = f"; judged unsuitable {counted(unsuitable, 'time')}" if unsuitable else ""
        return f"{place}{score}; {one.wins} won, {one.losses} lost, {one.ties} tied{unfit}. {self._study.texts[key]}"

    def _show_text(self) -> None:
        key = self.candidate_id
        self.text.setText(" ".join(self._study.texts[key].split()) if self._study is not None and key else "")

    def _dress(self) -> None:
        tokens = theme().tokens
        self.text.setMinimumHeight(2 * self.text.fontMetrics().lineSpacing())
        self.warnings.setStyleSheet(
            f"background: {tokens.attention_wash}; color: {tokens.ink};"
            f" border-left: 3px solid {tokens.data['attention'].ink}; padding: 6px 12px 6px 9px;"
        )

    def _paint(self, painter: QPainter, box: QRect, entry: tuple[str, Ranked], _selected: bool) -> None:
        study, tokens, px, (key, one) = self._study, theme().tokens, theme().px, entry
        assert study is not None
        rows, small = study.ranking.rows, theme().font("small", tabular=True)
        known = [end for row in rows for end in (row.low, row.high, row.score) if not isnan(end)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        left, right, top, half = px(_RANK), box.right() - px(_FIRST), box.top(), box.height() // 2
        room = right - left - 8

        def x(value: float) -> float:
            share = (value - low) / ((high - low) or 1.0)
            return left + (share if study.ranking.method == "bradley-terry" else 1 - share) * room

        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        number = theme().font("section", bold=one.rank == 1, tabular=True)
        last = QRect(right - px(60), top, box.right() - 12 - right + px(60), half + 2)
        span = "" if one.rank_low is None else f"{one.rank_low}–{one.rank_high}"
        cells: tuple[tuple[QRect, Any, str, Any, str], ...] = (
            (
                QRect(12, top, px(28), box.height()),
                LEFT,
                "–" if one.rank is None else str(one.rank),
                number,
                tokens.ink,
            ),
            (QRect(12 + px(28), top, left, box.height()), LEFT, span, small, tokens.muted),
            (QRect(left, top, room, half + 2), LEFT, " ".join(study.texts[key].split()), theme().font(), tokens.ink),
            (last, RIGHT, "" if isnan(one.best) else estimated(one.best), small, tokens.ink),
        )
        for cell in cells:
            draw_text(painter, *cell)
        if key in study.unsuitable:
            note, ink = f"✗ unsuitable {study.unsuitable[key]}×", tokens.data["unsupported"].ink
            draw_text(painter, last.adjusted(-px(60), half, 0, -2), RIGHT, note, small, ink)
        if one.rank is None:
            return
        line = top + half + half / 2 - 1
        if not isnan(one.low):
            pen = QPen(QColor(tokens.data["suggested"].mark), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLine(round(x(one.low)), round(line), round(x(one.high)), round(line))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour("accent"))
        painter.drawEllipse(QRectF(x(one.score) - 4, line - 4, 8, 8))
