"""Sources side by side: scores with intervals, dimensions, numeric fields, and the judge compared with a person."""

from __future__ import annotations

from math import isnan

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop_app.panes.benchmark.board import Radar, SourceBoard
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.labels import text_label
from engine.exchange.review_benchmark import BY_HAND, BenchmarkReport
from engine.review_drafting.benchmark.records import SCORE_FIELDS
from engine.review_drafting.rubrics import meta_rubrics


class ComparisonView(QScrollArea):
    """Shows a report. ``chosen`` is emitted with the judge and the baseline that the user chose."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Comparison of sources")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        page = QWidget(self)
        page.setProperty("role", "surface")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.judge_box = ChoiceBox("Scores by", page, 20)
        self.baseline_box = ChoiceBox("Compared with", page, 20)
        self.board, self.radar = SourceBoard(page), Radar(page)
        self.dimension_table = FactTable("Mean scores by dimension", ("Dimension",), page)
        self.numeric_table = FactTable(
            "Numeric fields compared with human reviews", ("Source", "Field", "Papers", "MSE", "MAE", "Pairs in order"),
            page,
        )  # fmt: skip
        self.agreement_table = FactTable(
            "Judge compared with your scores", ("Dimension", "Reviews", "MAE", "Spearman", "Pearson", "Pairs wrong"),
            page,
        )  # fmt: skip
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(8)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(text_label("Sum of the eight scores, with 95 % intervals over papers", "section", parent=page))
        top.addStretch(1)
        for box in (self.judge_box, self.baseline_box):
            box.picked.connect(lambda _key: self.chosen.emit(self.judge_box.key, self.baseline_box.key))
            top.addWidget(box)
        column.addLayout(top)
        column.addWidget(self.board)
        middle = QHBoxLayout()
        middle.setSpacing(24)
        middle.addWidget(self.radar, 1)
        right = QVBoxLayout()
        right.addWidget(text_label("Mean score, and share of reviews with at least half of it", "section", parent=page))
        right.addWidget(self.dimension_table)
        right.addStretch(1)
        middle.addLayout(right, 1)
        column.addLayout(middle)
        for table in (self.numeric_table, self.agreement_table):
            column.addWidget(text_label(table.accessibleName(), "section", parent=page))
            column.addWidget(table)
        column.addStretch(1)
        self.setWidget(page)

    def show_report(self, report: BenchmarkReport) -> None:
        judges = [
            (f"{run.origin.removeprefix('model:')}, {run.created_at[:16].replace('T', ' ')}", run.id)
            for run in report.runs
        ]
        self.judge_box.offer([*judges, ("My own scores", BY_HAND)], report.judged_by)
        self.baseline_box.offer(
            [("No baseline", ""), *((f"Compared with {row.source}", row.source) for row in report.rows)],
            report.baseline,
        )
        self.board.show_rows(report.rows)
        self.radar.show_rows(report.rows)
        self.dimension_table.setColumnCount(1 + len(report.rows))
        self.dimension_table.setHorizontalHeaderLabels(["Dimension", *(row.source for row in report.rows)])
        metas = meta_rubrics()
        self.dimension_table.show_all_rows(
            [
                (m.title, *(f"{_figure(r.dimensions[m.id].value)}  {r.passed[m.id]:.0%}" for r in report.rows))
                for m in metas
            ]
        )
        numeric = [
            (row.source, field, str(row.n[field]), _figure(row.mse[field]), _figure(row.mae[field]),
             f"{row.pairwise[field]:.0%}" if field in row.pairwise else "–")
            for row in report.numeric
            for field in SCORE_FIELDS
            if field in row.n
        ]  # fmt: skip
        decisions = [
            (row.source, "decision", str(row.n["decision"]), f"accuracy {row.accuracy:.0%}", f"F1 {row.f1:.2f}", "")
            for row in report.numeric
            if row.accuracy is not None
        ]
        self.numeric_table.show_all_rows(numeric + decisions)
        titles = {meta.id: meta.title for meta in metas}
        self.agreement_table.show_all_rows(
            [
                (titles.get(row.dimension, "Overall"), str(row.n), _figure(row.mae), _figure(row.spearman),
                 _figure(row.pearson), "–" if isnan(row.pairwise_error) else f"{row.pairwise_error:.0%}")
                for row in report.agreement
            ]
        )  # fmt: skip


def _figure(value: float) -> str:
    return "–" if isnan(value) else f"{value:.2f}".replace("-", "−")
