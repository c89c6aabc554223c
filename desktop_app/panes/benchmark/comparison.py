"""Sources side by side: scores with intervals, dimensions, numeric fields, and the judge held against a person."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop_app.panes.benchmark.board import Radar, SourceBoard
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from engine.exchange.review_benchmark import BY_HAND, BenchmarkReport
from engine.review_drafting.benchmark.records import SCORE_FIELDS
from engine.review_drafting.rubrics import meta_rubrics


class ChoiceBox(QComboBox):
    """A box of named choices that leaves the pane its keys."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(20)
        KeepsKeys(self)

    def offer(self, entries: Sequence[tuple[str, str]], chosen: str) -> None:
        """Shows these choices, words and key; the first where the chosen one is not among them."""
        if [(self.itemText(n), self.itemData(n)) for n in range(self.count())] != list(entries):
            self.clear()
            for words, key in entries:
                self.addItem(words, key)
        self.setCurrentIndex(max(0, self.findData(chosen)))


class ComparisonView(QScrollArea):
    """Everything that one report says; ``chosen`` asks for one by other scores or against another source."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Comparison of sources")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        page = QWidget(self)
        page.setProperty("role", "surface")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.judge_box, self.baseline_box = ChoiceBox("Whose scores", page), ChoiceBox("Compared with", page)
        for box in (self.judge_box, self.baseline_box):
            box.activated.connect(self._chosen)
        self.board, self.radar = SourceBoard(page), Radar(page)
        self.dimension_table = FactTable("Mean scores by dimension", ("Dimension",), page)
        self.numeric_table = FactTable(
            "Numeric fields against people", ("Source", "Field", "Papers", "MSE", "MAE", "Pairs in order"), page
        )
        self.agreement_table = FactTable(
            "Judge against your scores", ("Dimension", "Reviews", "MAE", "Spearman", "Pearson", "Pairs wrong"), page
        )
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(8)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(text_label("Sum of the eight scores, with 95 % intervals over papers", "section", parent=page))
        top.addStretch(1)
        top.addWidget(self.judge_box)
        top.addWidget(self.baseline_box)
        column.addLayout(top)
        column.addWidget(self.board)
        middle = QHBoxLayout()
        middle.setSpacing(24)
        middle.addWidget(self.radar, 1)
        right = QVBoxLayout()
        right.addWidget(text_label("Mean score, and share of reviews that meet half", "section", parent=page))
        right.addWidget(self.dimension_table)
        right.addStretch(1)
        middle.addLayout(right, 1)
        column.addLayout(middle)
        for title, table in (
            ("Numeric fields against the reviews by people", self.numeric_table),
            ("The judge against your own scores", self.agreement_table),
        ):
            column.addWidget(text_label(title, "section", parent=page))
            column.addWidget(table)
        column.addStretch(1)
        self.setWidget(page)

    def show_report(self, report: BenchmarkReport) -> None:
        """Shows a report."""
        judges = [
            *(
                (f"{run.origin.removeprefix('model:')}, {run.created_at[:16].replace('T', ' ')}", run.id)
                for run in report.runs
            ),
            ("My own scores", BY_HAND),
        ]
        self.judge_box.offer(judges, report.judged_by)
        sources = [("No baseline", ""), *((f"to {row.source}", row.source) for row in report.rows)]
        self.baseline_box.offer(sources, report.baseline)
        self.board.show_rows(report.rows)
        self.radar.show_rows(report.rows)
        self.dimension_table.setColumnCount(1 + len(report.rows))
        self.dimension_table.setHorizontalHeaderLabels(["Dimension", *(row.source for row in report.rows)])
        self.dimension_table.show_rows(
            [
                [
                    meta.title,
                    *(f"{_figure(row.dimensions[meta.id].value)}  {row.passed[meta.id]:.0%}" for row in report.rows),
                ]
                for meta in meta_rubrics()
            ]
        )
        self.numeric_table.show_rows(
            [
                [row.source, field, str(row.n[field]), _figure(row.mse[field]), _figure(row.mae[field]),
                 f"{row.pairwise[field]:.0%}" if field in row.pairwise else "–"]
                for row in report.numeric
                for field in SCORE_FIELDS
                if field in row.n
            ]
            + [
                [row.source, "decision", str(row.n["decision"]), f"accuracy {row.accuracy:.0%}", f"F1 {row.f1:.2f}", ""]
                for row in report.numeric
                if row.accuracy is not None
            ]
        )  # fmt: skip
        titles = {meta.id: meta.title for meta in meta_rubrics()}
        self.agreement_table.show_rows(
            [
                [titles.get(row.dimension, "Overall"), str(row.n), _figure(row.mae), _figure(row.spearman),
                 _figure(row.pearson), "–" if isnan(row.pairwise_error) else f"{row.pairwise_error:.0%}"]
                for row in report.agreement
            ]
        )  # fmt: skip

        for table in (self.dimension_table, self.numeric_table, self.agreement_table):
            rows = table.rowCount() * table.verticalHeader().defaultSectionSize()
            table.setFixedHeight(rows + table.horizontalHeader().sizeHint().height() + 8)

    def _chosen(self, _at: int) -> None:
        self.chosen.emit(self.judge_box.currentData() or "", self.baseline_box.currentData() or "")


def _figure(value: float) -> str:
    return "–" if isnan(value) else f"{value:.2f}".replace("-", "−")
