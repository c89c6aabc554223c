"""The tables of the analyses and of the corpus, drawn and written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.theme import Meaning, theme
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.labels import text_label
from engine.exchange.edit_research import SOURCE_MEASURES, Research
from engine.revision.generation.questions import WORDS
from engine.revision.generation.tables import PROPERTIES

_ROW = 28
_SHORT = {key: WORDS[key] for key in PROPERTIES}


@dataclass(frozen=True, slots=True)
class Bar:
    """A row: one or two marks on an axis, and what stands at its end. NaN draws nothing."""

    title: str
    value: float
    told: str
    second: float = float("nan")
    rest: float = 0.0
    """A quiet continuation of the bar, such as the edits that answer nothing."""


class Bars(QWidget):
    """Bars from 0 (or, with ``dots``, a disc and a square joined by a line), labelled directly."""

    def __init__(self, name: str, *, dots: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._bars: tuple[Bar, ...] = ()
        self._dots = dots
        self._most = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.updateGeometry)

    def show_bars(self, bars: Sequence[Bar], most: float = 1.0) -> None:
        """``most`` is the value at the right end of the axis."""
        self._bars, self._most = tuple(bars), max(most, 1e-9)
        self.setAccessibleDescription("; ".join(f"{bar.title}: {bar.told}" for bar in bars))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(360, theme().px(_ROW) * max(len(self._bars), 1) + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, row = theme().tokens, theme().px(_ROW)
        painter.fillRect(self.rect(), QColor(tokens.surface))
        painter.setFont(theme().font("body"))
        words = max((painter.fontMetrics().horizontalAdvance(bar.title) for bar in self._bars), default=0)
        right = self.width() - theme().px(150)
        if words + 32 > right - self.width() // 3:  # names need the room more than what is told at the end
            figures = QFontMetrics(theme().font("small", tabular=True))
            told = max(figures.horizontalAdvance(bar.told) for bar in self._bars)
            right = max(right, self.width() - told - 28)
        # Names are shown whole where that leaves the axis a quarter of the width.
        left = max(theme().px(176), min(words + 32, right - self.width() // 4))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        if not self._bars:
            painter.setPen(QColor(tokens.muted))
            painter.setFont(theme().font("body"))
            painter.drawText(self.rect().adjusted(12, 0, 0, 0), flags, "Nothing to draw yet")
        for at, bar in enumerate(self._bars):
            y = at * row + row / 2
            painter.setFont(theme().font("body"))
            painter.setPen(QColor(tokens.ink))
            name = painter.fontMetrics().elidedText(bar.title, Qt.TextElideMode.ElideRight, left - 20)
            painter.drawText(QRectF(12, at * row, left - 16, row), flags, name)
            painter.setPen(QPen(QColor(tokens.hairline), 1))
            painter.drawLine(left, round(y), right, round(y))
            if self._dots:
                self._draw_dots(painter, bar, left, right, y)
            else:
                width = (right - left) * bar.value / self._most if not isnan(bar.value) else 0
                painter.fillRect(QRectF(left, y - 7, width, 14), QColor(tokens.data["added"].mark))
                rest = (right - left) * bar.rest / self._most
                painter.fillRect(QRectF(left + width, y - 7, rest, 14), QColor(tokens.hairline))
            painter.setPen(QColor(tokens.ink))
            painter.setFont(theme().font("small", tabular=True))
            painter.drawText(QRectF(right + 12, at * row, self.width() - right - 16, row), flags, bar.told)
        painter.end()

    def _draw_dots(self, painter: QPainter, bar: Bar, left: float, right: float, y: float) -> None:
        tokens = theme().tokens

        def x(value: float) -> float:
            return left + (right - left) * value / self._most

        if isnan(bar.value) or isnan(bar.second):
            return
        painter.setPen(QPen(QColor(tokens.muted), 2))
        painter.drawLine(round(x(bar.value)), round(y), round(x(bar.second)), round(y))
        painter.setPen(Qt.PenStyle.NoPen)
        meanings: tuple[Meaning, Meaning] = ("added", "deleted")
        painter.setBrush(QColor(tokens.data[meanings[1]].mark))
        painter.drawRect(QRectF(x(bar.second) - 5, y - 5, 10, 10))
        painter.setBrush(QColor(tokens.data[meanings[0]].mark))
        painter.drawEllipse(QRectF(x(bar.value) - 5, y - 5, 10, 10))


class FiguresView(QScrollArea):
    """Two columns: what the analyses say, what the corpus looks like."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Tables and figures")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self._page = QWidget(self)
        self._page.setProperty("role", "surface")
        self._page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page.setAccessibleName("Tables and figures")
        self.setWidget(self._page)
        self.sides = Bars("Real and generated edits", dots=True, parent=self._page)
        self.side_table = FactTable("Table 5", ("Property", "Real", "Generated", "Judged", "p, corrected"), self._page)
        self.comparisons = Bars("Direct comparisons", parent=self._page)
        self.comparison_table = FactTable("Table 6", ("Comparison", "Judged", "p, corrected"), self._page)
        self.kappas = FactTable("Kappa", ("Question", "Kappa", "95 % interval", "Judged twice"), self._page)
        self.action_bars = Bars("Comments addressed by action", parent=self._page)
        self.kinds = Bars("Edits by kind", parent=self._page)
        self.tokens = FactTable("Tokens", ("Edits", "Added, mean", "median", "Deleted, mean", "median"), self._page)
        self.kappa_bars = Bars("Kappa by question", parent=self._page)
        self.token_bars = Bars("Mean tokens of edits", parent=self._page)
        self.source_bars = Bars("By hand and from responses", dots=True, parent=self._page)
        self.overlap = Bars("Overlap of comment and edit", parent=self._page)
        self.sources = FactTable(
            "Links by hand and from responses",
            ("Links", "Comments", "Links", "Edits a comment", "Overlap", "Added", "Deleted"),
            self._page,
        )
        self._told = text_label("", "small", wrap=True, parent=self._page)
        self._silver = text_label("", "small", wrap=True, parent=self._page)
        grid = QGridLayout(self._page)
        grid.setContentsMargins(16, 12, 16, 12)
        grid.setHorizontalSpacing(24)
        for column, parts in enumerate(
            (
                (
                    ("Real and generated edits (disc real, square generated; compliance on its range)", self.sides),
                    ("", self.side_table),
                    ("Direct comparisons", self.comparisons),
                    ("", self.comparison_table),
                    ("Agreement of two analysts (Cohen's kappa)", self.kappa_bars),
                    ("", self.kappas),
                    ("", self._told),
                ),
                (
                    ("Comments addressed, by action", self.action_bars),
                    ("Edits by kind (blue: answer a comment)", self.kinds),
                    ("Tokens that edits add and delete (means)", self.token_bars),
                    ("", self.tokens),
                    ("Words of a comment that its edit adds (share of linked pairs)", self.overlap),
                    ("Links by hand (disc) and from responses (square); each row on its own scale", self.source_bars),
                    ("", self.sources),
                    ("", self._silver),
                ),
            )
        ):
            stack = QVBoxLayout()
            stack.setSpacing(4)
            for title, widget in parts:
                if title:
                    label = text_label(title, "section", wrap=True, parent=self._page)
                    label.setContentsMargins(0, 10, 0, 0)
                    stack.addWidget(label)
                stack.addWidget(widget)
            stack.addStretch(1)
            grid.addLayout(stack, 0, column)
            grid.setColumnStretch(column, 1)

    def show_research(self, found: Research | None) -> None:
        """All tables and figures; None while they are being computed."""
        self._page.setVisible(found is not None)
        if found is None:
            return
        tables, corpus = found.tables, found.corpus
        self.sides.show_bars(
            [
                Bar(
                    _SHORT[r.property],
                    _share(r.property, r.real),
                    f"p {_p(r.p)} · n {r.count}",
                    _share(r.property, r.generated),
                )
                for r in tables.sides
                if r.count
            ]
        )
        _fill(
            self.side_table,
            [(r.title, _n(r.real), _n(r.generated), str(r.count), _p(r.p) if r.count else "–") for r in tables.sides],
        )
        self.comparisons.show_bars(
            [
                Bar(f"{r.title}: {a}", n / r.count, f"{n} of {r.count}")
                for r in tables.comparisons
                if r.count
                for a, n in r.answers
            ]
        )
        _fill(
            self.comparison_table,
            [
                (r.title, str(r.count), _p(r.p) if r.count else "–")  # the bars above have the answers
                for r in tables.comparisons
            ],
        )
        _fill(
            self.kappas,
            [
                (name, _n(k.value), "–" if isnan(k.low) else f"{k.low:.2f} to {k.high:.2f}", str(k.n))
                for name, k in found.kappas.items()
            ]
            or [("Nobody else has judged these yet", "–", "–", "0")],
        )
        self.kappa_bars.show_bars(
            [
                Bar(name, max(k.value, 0.0), f"{k.value:.2f}, {k.low:.2f} to {k.high:.2f}")
                for name, k in found.kappas.items()
                if k.known
            ]
        )
        answerable = "" if isnan(tables.answerable) else f"; {tables.answerable:.0%} answerable from the paper alone"
        self._told.setText(
            f"Over {found.papers} compared paper{'' if found.papers == 1 else 's'}: {tables.complete} comparisons "
            f"complete, {tables.begun} begun{answerable}. Exact sign tests (McNemar's "
            "for yes and no) on pairs, corrected after Holm over all rows of both tables."
        )
        self.action_bars.show_bars(
            [
                Bar(r.action, r.share, f"{r.addressed} of {r.comments}{_guessed(r.guessed)}")
                for r in corpus.actions
                if r.comments
            ]
        )
        self.kinds.show_bars(
            [Bar(r.kind, r.linked, f"{r.linked} of {r.edits}", rest=r.edits - r.linked) for r in corpus.kinds],
            max([1, *(r.edits for r in corpus.kinds)]),
        )
        names = {"linked": "linked", "other": "others"}
        _fill(self.tokens, [(names[k], *map(_n, v)) for k, v in corpus.token_summary().items()])
        means = [
            Bar(f"{names[k]}, {what}", v[at], f"{v[at]:.1f} · median {v[at + 1]:.1f}")
            for k, v in corpus.token_summary().items()
            for at, what in ((0, "added"), (2, "deleted"))
            if not isnan(v[at])
        ]
        self.token_bars.show_bars(means, max((bar.value for bar in means), default=1.0))
        bins = [sum(n / 5 <= v < (n + 1) / 5 or (n == 4 and v == 1) for v in corpus.overlap) for n in range(5)]
        total = len(corpus.overlap)
        self.overlap.show_bars(
            [Bar(f"{n * 20} to {n * 20 + 20} %", count / total, f"{count} of {total}") for n, count in enumerate(bins)]
            if total
            else []
        )
        self.source_bars.show_bars(
            [
                _compared(words, value(found.sources[0]), value(found.sources[1]))
                for words, value in SOURCE_MEASURES.items()
            ]
            if any(source.links for source in found.sources)
            else []
        )
        _fill(
            self.sources,
            [
                (
                    s.name,
                    str(s.comments),
                    str(s.links),
                    _n(s.edits_per_comment),
                    _n(s.overlap),
                    _n(s.added),
                    _n(s.deleted),
                )
                for s in found.sources
            ],
        )
        self._silver.setText(
            "No labels were found in responses yet."
            if isnan(found.precision)
            else f"Of the labels from responses, on comments that were decided, {found.precision:.0%} are links by "
            f"hand, too; they find {found.recall:.0%} of these."
            if not isnan(found.recall)
            else "Labels were found in responses, but nothing was linked by hand yet."
        )


def _fill(table: FactTable, rows: Sequence[Sequence[str]]) -> None:
    """The table shows all its rows: the page scrolls, not the table."""
    table.show_rows(rows)
    header = table.horizontalHeader().sizeHint().height()
    table.setFixedHeight(header + table.verticalHeader().defaultSectionSize() * len(rows) + 4)


def _compared(words: str, hand: float, responses: float) -> Bar:
    most = max((value for value in (hand, responses) if not isnan(value)), default=0.0) or 1.0
    return Bar(words, hand / most, f"{_short(hand)} against {_short(responses)}", responses / most)


def _short(value: float) -> str:
    return "–" if isnan(value) else f"{value:.3g}"


def _share(name: str, value: float) -> float:
    return (value - 1) / 2 if name == "compliance" else value


def _guessed(number: int) -> str:
    return f" ({number} guessed)" if number else ""


def _n(value: float) -> str:
    return "–" if isnan(value) else f"{value:.2f}"


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}"
