"""Comparison of sources: scores with intervals, dimensions, numeric fields, and the judge against a person."""

from collections.abc import Sequence
from math import cos, isnan, pi, sin

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.bars import Bar, Bars, series_colour
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import Flow, beside_or_below, column, row, surface
from desktop_app.widgets.painted import Painted
from engine.exchange.review_benchmark import BY_HAND, BenchmarkReport, radar_shares
from engine.measures.estimate import FEWEST
from engine.review_drafting.benchmark.records import SCORE_FIELDS, SourceRow
from engine.review_drafting.rubrics import meta_rubrics
from engine.shown import counted, local_time, model_name, percent

TICKS = range(-2, 15, 2)
"""Ticks over the range of the sum of eight scores."""


class Radar(Painted):
    """Radar chart of the eight dimensions as shares of the best score; for the pitfall, the best means no fault."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Dimensions by source", parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._rows: tuple[SourceRow, ...] = ()

    def show_rows(self, rows: Sequence[SourceRow]) -> None:
        self._rows = tuple(rows)
        self.setAccessibleDescription(
            "; ".join(
                f"{row.source}: "
                + ", ".join(f"{meta.title} {_figure(row.dimensions[meta.id].value)}" for meta in meta_rubrics())
                for row in rows
            )
        )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(440), theme().px(340))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(320), theme().px(300))

    def paint(self, painter: QPainter) -> None:
        t, tokens, metas = theme(), theme().tokens, meta_rubrics()
        centre = QPointF(self.width() / 2, self.height() / 2)
        radius = max(min(self.width() / 2 - t.px(120), self.height() / 2 - t.px(50)), t.px(40))

        def at(number: int, share: float) -> QPointF:
            angle = 2 * pi * number / len(metas) - pi / 2
            return QPointF(centre.x() + radius * share * cos(angle), centre.y() + radius * share * sin(angle))

        painter.setPen(QPen(QColor(tokens.hairline), 1))
        for ring in (0.5, 1.0):
            painter.drawPolygon(QPolygonF([at(number, ring) for number in range(len(metas))]))
        painter.setFont(t.font("small"))
        for number, meta in enumerate(metas):
            painter.setPen(QPen(QColor(tokens.hairline), 1))
            painter.drawLine(centre, at(number, 1))
            painter.setPen(QColor(tokens.muted))
            place = at(number, 1.08)
            width, height = t.px(112), t.px(44)
            across = place.x() - centre.x()
            box = QRectF(place.x() - width / 2, place.y() - height / 2, width, height)
            flags = Qt.AlignmentFlag.AlignHCenter
            if abs(across) > radius * 0.2:
                flags = Qt.AlignmentFlag.AlignLeft if across > 0 else Qt.AlignmentFlag.AlignRight
                box.moveLeft(place.x() + 4 if across > 0 else place.x() - width - 4)
            else:
                box.moveTop(place.y() - height if place.y() < centre.y() else place.y())
            painter.drawText(box, flags | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap, meta.title)
        for number, source in reversed(list(enumerate(self._rows))):
            shares = radar_shares(source)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(series_colour(number), 2))
            points = [at(place, share) for place, share in enumerate(shares) if not isnan(share)]
            painter.drawPolygon(QPolygonF(points))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(series_colour(number))
            for point in points:
                painter.drawEllipse(point, 3, 3)


class ComparisonView(QScrollArea):
    """Shows a report. Emits ``chosen`` with the judge and the baseline that the user chose."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Comparison of sources")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        page = self._page = QWidget(self)
        self.judge_box = ChoiceBox("Scores by", letters=20, parent=page)
        self.baseline_box = ChoiceBox("Compared with", letters=20, parent=page)
        self.board = Bars("Overall scores by source", "intervals", page)
        self.board.empty = "No scores yet. Make rubrics, then score the reviews."
        self.radar = Radar(page)
        self.dimension_table = FactTable("Mean scores by dimension", ("Dimension",), page)
        self.numeric_table = FactTable(
            "Numeric fields compared with human reviews", ("Source", "Field", "Papers", "MSE", "MAE", "Pairs in order"),
            page,
        )  # fmt: skip
        self.agreement_table = FactTable(
            f"Judge compared with your scores (correlations need {FEWEST} reviews)",
            ("Dimension", "Reviews", "MAE", "Spearman", "Pearson", "Pairwise error", "Pairs wrong"), page,
        )  # fmt: skip
        for box in (self.judge_box, self.baseline_box):
            box.picked.connect(lambda _key: self.chosen.emit(self.judge_box.value, self.baseline_box.value))
        means = text_label(
            "Mean score, and share of reviews with at least half the points", "section", wrap=True, parent=page
        )
        sums = text_label(
            f"Overall score (−2 to 14; what isn't judged counts as the mean of the rest); 95 % intervals need {FEWEST}"
            " papers", "section", wrap=True, parent=page,
        )  # fmt: skip
        numeric, agreement = (
            text_label(table.accessibleName(), "section", parent=page)
            for table in (self.numeric_table, self.agreement_table)
        )
        pair = row((self.radar, 1), (column(means, self.dimension_table, None, spacing=8), 1), spacing=24)
        column(
            row((sums, 1), Flow(self.judge_box, self.baseline_box)),
            self.board,
            pair,
            numeric, self.numeric_table, agreement, self.agreement_table, None,
            margins=(16, 12, 16, 16), spacing=8, of=page,
        )  # fmt: skip
        self.waiting = text_label("", "muted")
        whole = surface(QWidget(self), "Comparison of sources")
        column(row(self.waiting, margins=(16, 12, 16, 0)), (page, 1), of=whole)
        self.setWidget(whole)
        beside_or_below(self, pair, 900)

    def show_report(self, report: BenchmarkReport | None) -> None:
        self._page.setVisible(report is not None)
        self.waiting.setVisible(report is None)
        if report is None:
            return
        judges = [
            (
                f"{'Rules' if run.judge == 'checks' else model_name(run.origin)}, "
                f"{local_time(run.created_at)}"
                f"{'' if run.complete else ', unfinished'}",
                run.id,
            )
            for run in report.runs
        ]
        self.judge_box.show_entries([*judges, ("My own scores", BY_HAND)], report.judged_by)
        self.baseline_box.show_entries(
            [("No baseline", ""), *((f"Compared with {row.source}", row.source) for row in report.rows)],
            report.baseline,
        )
        bars = [
            Bar(row.source, row.overall.value, _overall(row), low=row.overall.low, high=row.overall.high, series=number)
            for number, row in enumerate(report.rows)
        ]
        self.board.show_bars(bars, ticks=TICKS)
        self.radar.show_rows(report.rows)
        self.dimension_table.setColumnCount(1 + len(report.rows))
        self.dimension_table.setHorizontalHeaderLabels(["Dimension", *(row.source for row in report.rows)])
        metas = meta_rubrics()
        reasons = (
            "Criticism with a reason",
            *("n/a" if isnan(r.substantiated.value) else percent(r.substantiated.value) for r in report.rows),
        )
        self.dimension_table.show_all_rows(
            [*((m.title, *(_mean(r, m.id) for r in report.rows)) for m in metas), reasons]
        )
        numeric = [
            (row.source, field, str(row.n[field]), _figure(row.mse[field]), _figure(row.mae[field]),
             percent(row.pairwise[field]) if field in row.pairwise else "–")
            for row in report.numeric
            for field in SCORE_FIELDS
            if field in row.n
        ]  # fmt: skip
        decisions = [
            (
                row.source, "decision", str(row.n["decision"]), f"accuracy {percent(row.accuracy)}",
                f"F1 {row.f1:.2f}", "",
            )
            for row in report.numeric
            if row.accuracy is not None
        ]  # fmt: skip
        self.numeric_table.show_all_rows(numeric + decisions)
        titles = {meta.id: meta.title for meta in metas}
        self.agreement_table.show_all_rows(
            [
                (titles.get(row.dimension, "Overall"), str(row.n), _figure(row.mae), _figure(row.spearman),
                 _figure(row.pearson), _figure(row.pairwise_absolute),
                 "–" if isnan(row.pairwise_error) else percent(row.pairwise_error))
                for row in report.agreement
            ]
        )  # fmt: skip


def _mean(row: SourceRow, dimension: str) -> str:
    value = row.dimensions[dimension].value
    return _figure(value) if isnan(value) else f"{_figure(value)}  {percent(row.passed[dimension])}"


def _figure(value: float) -> str:
    return "n/a" if isnan(value) else f"{value:.2f}".replace("-", "−")


def _overall(row: SourceRow) -> str:
    value = row.overall
    text = _figure(value.value)
    if not isnan(value.low):
        text += f"  [{_figure(value.low)}, {_figure(value.high)}]"
    if row.against is not None and not isnan(row.against.value):
        text += f"  {row.against.value:+z.2f}{row.against.span(' ({:+z.2f} to {:+z.2f})')} to baseline"
    return f"{text} · {counted(row.papers, 'paper')}"
