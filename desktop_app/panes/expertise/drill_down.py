"""The right column: a participant's results for the selected algorithm; and loss by profile length."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from math import isnan

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from desktop_app.panes.expertise.board import OrderView
from desktop_app.theme import theme
from desktop_app.widgets.bars import LINE, Axes
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import HtmlPage, scrolled
from desktop_app.widgets.layouts import at_least, column, row, tabbed
from desktop_app.widgets.painted import Painted
from engine.expertise.algorithms.base import Evidence
from engine.expertise.evaluation import Evaluation, Pair
from engine.expertise.laboratory import Data, Drill, Outcome, drill, matched
from engine.expertise.records import PaperText
from engine.shown import counted, percent

MOST_PAPERS, MOST_PAIRS = 3, 12


def reasons_html(evidence: Sequence[Evidence], papers: Mapping[str, PaperText], paper: str) -> str:
    """Returns HTML with the profile's papers that contributed most to a score, their passages, and the shared words."""
    tokens = theme().tokens
    if not evidence:
        return f"<p style='color:{tokens.muted}'>This participant's profile has no paper to compare with.</p>"
    parts = [f"<p style='color:{tokens.muted}'>Profile papers that drive the score of “{_title(papers, paper)}”:</p>"]
    for found in evidence[:MOST_PAPERS]:
        parts.append(f"<p><b>{percent(found.share)}</b> · {_title(papers, found.paper)}</p>")
        for theirs, own, alike in found.passages:
            parts.append(
                f"<table width='100%' cellpadding='4' bgcolor='{tokens.ground}'><tr><td>"
                f"<p>{mark_words(theirs, found.words)}</p>"
                f"<p style='color:{tokens.muted}'>{alike:.2f} · {mark_words(own, found.words)}</p></td></tr></table>"
            )
        if found.words:
            words = ", ".join(html.escape(word) for word in found.words)
            parts.append(f"<p style='color:{tokens.muted}'>words: {words}</p>")
    rest = sum(found.share for found in evidence[MOST_PAPERS:])
    if rest > 0.005:
        parts.append(
            f"<p style='color:{tokens.muted}'>{counted(len(evidence) - MOST_PAPERS, 'more paper')}: {percent(rest)}</p>"
        )
    return "".join(parts)


def mark_words(text: str, stems: Sequence[str]) -> str:
    """Returns a passage as HTML; words that begin with one of the stems are bold."""
    known = tuple(stem.casefold() for stem in stems if len(stem) > 2)
    return "".join(
        f"<b>{html.escape(piece)}</b>" if known and piece.casefold().startswith(known) else html.escape(piece)
        for piece in re.split(r"(\w+)", text)
    )


def pairs_html(pairs: Sequence[Pair], papers: Mapping[str, PaperText]) -> str:
    tokens = theme().tokens
    wrong = [pair for pair in pairs if pair.cost > 0]
    if not wrong:
        return f"<p style='color:{tokens.muted}'>Every pair is in the right order.</p>"
    parts = [f"<p style='color:{tokens.muted}'>{len(wrong)} of {counted(len(pairs), 'pair')} wrong or tied:</p>"]
    for pair in wrong[:MOST_PAIRS]:
        tie = " (tie)" if pair.cost < pair.difference else ""
        parts.append(
            f"<p><b>{pair.cost:g}</b>{tie} · {_title(papers, pair.better)}"
            f" <span style='color:{tokens.muted}'>should come before</span> {_title(papers, pair.worse)}</p>"
        )
    if len(wrong) > MOST_PAIRS:
        parts.append(f"<p style='color:{tokens.muted}'>… and {len(wrong) - MOST_PAIRS} more</p>")
    return "".join(parts)


def comparison_html(
    mine: Sequence[Pair], theirs: Sequence[Pair], papers: Mapping[str, PaperText], names: tuple[str, str]
) -> str:
    """Returns HTML of the pairs that only one of the algorithms orders correctly, the most costly first."""
    tokens = theme().tokens
    both = matched(mine, theirs)
    parts = []
    for title, found in (
        (f"Only {names[0]} is right", [one for one, two in both if one.cost == 0 < two.cost]),
        (f"Only {names[1]} is right", [one for one, two in both if two.cost == 0 < one.cost]),
    ):
        found.sort(key=lambda pair: -pair.difference)
        worth = sum(pair.difference for pair in found)
        pairs = f"{counted(len(found), 'pair')} (rating differences: {worth:g} in total)"
        parts.append(f"<p><b>{html.escape(title)}</b>: {pairs}</p>")
        for pair in found[:MOST_PAIRS]:
            parts.append(
                f"<p>{pair.difference:g} · {_title(papers, pair.better)}"
                f" <span style='color:{tokens.muted}'>before</span> {_title(papers, pair.worse)}</p>"
            )
    return "".join(parts)


def _title(papers: Mapping[str, PaperText], key: str) -> str:
    paper = papers.get(key)
    return html.escape(paper.title if paper is not None and paper.title else key)


_WHY = 1
_NOBODY = "Run an algorithm to compare its order of the papers with that of each participant."


class DrillDown(QWidget):
    """A participant's papers in both orders; below: wrong pairs, reasons, a comparison with another algorithm."""

    paper_chosen = Signal(str)
    """The selected paper; its reasons are needed if ``wants_reasons``."""
    person_shown = Signal(str)
    """Another participant is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("One participant")
        self._shown: tuple[Data, Outcome, Outcome | None] | None = None
        self._drill: Drill | None = None
        self._reasons: tuple[str, Sequence[Evidence]] = ("", ())
        self.people = ChoiceBox("Participant", letters=14, parent=self)
        self.people.picked.connect(lambda _key: self._show_person())
        self.order = OrderView(self)
        self.order.chosen.connect(self._paper_chosen)
        self.pairs, self.why, self.against = (
            HtmlPage(name, self, padding="4px") for name in ("Wrong pairs", "Why this score", "Pair by pair")
        )
        self.other = ChoiceBox("Compare with", letters=14, parent=self)
        comparison = QWidget(self)
        column(self.other, (self.against, 1), margins=(8, 8, 8, 0), spacing=8, of=comparison)
        pages = {"Wrong pairs": self.pairs, "Why this score": self.why, "Compare": comparison}
        self.tabs = tabbed("Details", pages, self)
        self.tabs.setTabToolTip(2, "Pair by pair, compared with another algorithm")
        self.tabs.currentChanged.connect(lambda _at: self._ask())
        theme().follow(self._write, now=False)
        orders = scrolled(self.order, "Both orders", self)
        at_least(orders, 0, 180)
        at_least(self.tabs, 0, 160)
        head = row(self.people, margins=(12, 0, 12, 0))
        column(head, (orders, 3), (self.tabs, 2), margins=(0, 8, 0, 0), spacing=8, of=self)

    @property
    def participant(self) -> str:
        return self.people.value or ""

    @property
    def wants_reasons(self) -> bool:
        return self.tabs.currentIndex() == _WHY and self.isVisible()

    def choose_person(self, participant: str) -> None:
        if (at := self.people.findData(participant)) >= 0:
            self.people.setCurrentIndex(at)

    def step(self, by: int) -> None:
        self.people.setCurrentIndex(min(max(self.people.currentIndex() + by, 0), self.people.count() - 1))

    def show_outcome(
        self, data: Data | None, outcome: Outcome | None, others: Sequence[Outcome], against: str = ""
    ) -> None:
        """Lists the participants, highest loss first, keeping the current one. ``against`` is the other run's id."""
        people = []
        self._shown = None
        self.other.show_entries([(f"{o.run.label}, {o.run.representation}", o.run.id) for o in others], against)
        if data is not None and outcome is not None:
            self._shown = (data, outcome, next((o for o in others if o.run.id == self.other.value), None))
            names = {person.id: person.name or person.id for person in data.gold.participants}
            losses = sorted(outcome.evaluation.losses.items(), key=lambda pair: -pair[1])
            people = [(f"{names.get(person, person)} · loss {loss:.2f}", person) for person, loss in losses]
        self.people.show_entries(people, self.participant)
        self.people.setEnabled(bool(people))
        self._show_person()

    def show_reasons(self, paper: str, evidence: Sequence[Evidence]) -> None:
        self._reasons = (paper, evidence)
        if self._shown is not None and paper == self.order.selected:
            self.why.setHtml(reasons_html(evidence, self._shown[0].gold.papers, paper))

    def _show_person(self) -> None:
        if self._shown is None or not self.participant:
            self._drill = None
            self.order.show_drill(None)
            for page in (self.pairs, self.why, self.against):
                page.setHtml(f"<p style='color:{theme().tokens.muted}'>{_NOBODY}</p>")
            return
        self._drill = drill(self._shown[0], self._shown[1], self.participant)
        self.person_shown.emit(self.participant)
        self.order.show_drill(self._drill)
        self._write()
        self._ask()

    def _write(self) -> None:
        """Writes the pages, which contain colours and so depend on the theme."""
        if self._drill is None or self._shown is None:
            return
        data, outcome, other = self._shown
        papers = data.gold.papers
        self.pairs.setHtml(pairs_html(self._drill.pairs, papers))
        if other is None:
            self.against.setHtml("<p>Run a second algorithm to compare with.</p>")
        else:
            theirs = drill(data, other, self.participant)
            names = (outcome.run.label, other.run.label)
            self.against.setHtml(comparison_html(self._drill.pairs, theirs.pairs, papers, names))
        paper, evidence = self._reasons
        if evidence and paper == self.order.selected:
            self.why.setHtml(reasons_html(evidence, papers, paper))

    def _paper_chosen(self, paper: str) -> None:
        self._reasons = ("", ())
        self.why.clear()
        self.paper_chosen.emit(paper)

    def _ask(self) -> None:
        if self.order.selected:
            self.paper_chosen.emit(self.order.selected)


Points = Sequence[tuple[int, Evaluation]]
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def _colour(number: int) -> QColor:
    """Returns a line's colour, lighter on a dark background."""
    colour = QColor(_COLOURS[number % len(_COLOURS)])
    return colour.lighter(140) if theme().tokens.scheme == "dark" else colour


_NO_CURVES = "Choose “Profile lengths” on the leaderboard to see how much a longer profile helps."


class CurveView(Painted):
    """Figure 2 of Stelmakh et al. (2023) for any data set."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Loss by profile length", parent)
        self._curves: Mapping[str, Points] = {}
        self._selected = ""

    def show_curves(self, curves: Mapping[str, Points], selected: str = "") -> None:
        self._curves, self._selected = dict(curves), selected
        lines = [
            f"{name}: " + ", ".join(f"{counted(length, 'paper')} {found.loss:.3f}" for length, found in points)
            for name, points in curves.items()
        ]
        self.setAccessibleDescription("; ".join(lines) or _NO_CURVES)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(460), theme().px(320))

    def paint(self, painter: QPainter) -> None:
        tokens = theme().tokens
        painter.fillRect(self.rect(), QColor(tokens.surface))
        painter.setFont(theme().font("small", tabular=True))
        if not self._curves:
            painter.setPen(QColor(tokens.muted))
            painter.drawText(self.rect().adjusted(32, 32, -32, -32), Qt.TextFlag.TextWordWrap, _NO_CURVES)
            return
        measure, line = painter.fontMetrics().horizontalAdvance, theme().px(LINE)
        names = min(max(measure(name) for name in self._curves) + 24, round(0.4 * self.width()))
        losses = [v for points in self._curves.values() for _, e in points for v in (e.loss, e.loss_low, e.loss_high)]
        losses = [value for value in losses if not isnan(value)] or [0.5]
        longest = max(length for points in self._curves.values() for length, _ in points)
        area = QRectF(self.rect()).adjusted(64, 16, -names, -(2 * line + 12))
        axes = Axes(area, (1, max(longest, 2)), (min(losses) - 0.01, max(losses) + 0.01))
        levels = [n / 20 for n in range(int(20 * axes.y[0]) + 1, int(20 * axes.y[1]) + 1)]
        lengths = [(length, str(length)) for length in (1, 5, 10, 15, 20) if length <= longest]
        axes.paint(painter, ("papers in the profile", "loss"), lengths, [(level, f"{level:.2f}") for level in levels])
        at = axes.at
        for number, (name, points) in enumerate(self._curves.items()):
            colour = _colour(number)
            if name == self._selected and not any(isnan(e.loss_low) for _, e in points):
                lower = [at(length, e.loss_low) for length, e in points]
                band = QPolygonF(lower + [at(length, e.loss_high) for length, e in reversed(points)])
                wash = QColor(colour)
                wash.setAlphaF(0.14)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(wash)
                painter.drawPolygon(band)
            painter.setPen(QPen(colour, 2.5 if name == self._selected else 1.5))
            painter.drawPolyline(QPolygonF([at(length, e.loss) for length, e in points]))
            painter.setBrush(colour)
            for length, e in points:
                painter.drawEllipse(at(length, e.loss), 3, 3)
        self._paint_names(painter, at, area.right() + 10, line)

    def _paint_names(self, painter: QPainter, at: Callable[[int, float], QPointF], left: float, line: int) -> None:
        """Paints names at the ends of the lines, moved apart where they would overlap."""
        ends = sorted(
            (at(points[-1][0], points[-1][1].loss).y(), number, name)
            for number, (name, points) in enumerate(self._curves.items())
        )
        lowest = -1e9
        for y, number, name in ends:
            lowest = max(y, lowest + line)
            painter.setPen(_colour(number))
            place = QRectF(left, lowest - line / 2, self.width() - left - 4, line)
            words = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, round(place.width()))
            painter.drawText(place, 0, words)
