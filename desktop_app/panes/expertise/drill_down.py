"""The right column: one participant under the algorithm at hand."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from desktop_app.panes.expertise.order_view import OrderView
from desktop_app.panes.expertise.reasons import TextPage, comparison_html, pairs_html, reasons_html
from desktop_app.theme import theme
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from engine.expertise.algorithms.base import Evidence
from engine.expertise.laboratory import Data, Drill, Outcome, drill

_WHY = 1


class DrillDown(QWidget):
    """Participant, both orders, and below them wrong pairs, reasons, and a comparison with another algorithm."""

    paper_chosen = Signal(str)
    """A paper is at hand; its reasons are wanted where ``wants_reasons``."""
    person_shown = Signal(str)
    """The participant at hand is another one."""
    other_chosen = Signal(str)
    """The run that the one at hand is compared with."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("One participant")
        self._data: Data | None = None
        self._outcome: Outcome | None = None
        self._drill: Drill | None = None
        self._others: tuple[Outcome, ...] = ()
        self._reasons: tuple[str, Sequence[Evidence]] = ("", ())
        self.people = QComboBox(self)
        self.people.setAccessibleName("Participant")
        self.people.activated.connect(lambda _at: self._show_person())
        KeepsKeys(self.people)
        self.order = OrderView(self)
        self.order.chosen.connect(self._paper)
        scroll = QScrollArea(self)
        scroll.setAccessibleName("Both orders")
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self.order)
        self.pairs, self.why, self.against = (
            TextPage(name, self) for name in ("Wrong pairs", "Why this score", "Pair by pair")
        )
        self.other = QComboBox(self)
        self.other.setAccessibleName("Compare with")
        self.other.activated.connect(lambda _at: self.other_chosen.emit(self.other.currentData() or ""))
        KeepsKeys(self.other)
        comparison = QWidget(self)
        column = QVBoxLayout(comparison)
        column.setContentsMargins(8, 8, 8, 0)
        row = QHBoxLayout()
        row.addWidget(text_label("against", "muted", parent=comparison))
        row.addWidget(self.other, 1)
        column.addLayout(row)
        column.addWidget(self.against, 1)
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName("Details")
        self.tabs.tabBar().setAccessibleName("Details")
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self.pairs, "Wrong pairs")
        self.tabs.addTab(self.why, "Why this score")
        self.tabs.addTab(comparison, "Against")
        self.tabs.setTabToolTip(2, "Pair by pair against another algorithm")
        self.tabs.currentChanged.connect(lambda _at: self._ask())
        theme().changed.connect(self._repaint_pages)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.setSpacing(8)
        head = QHBoxLayout()
        head.setContentsMargins(12, 0, 12, 0)
        head.addWidget(self.people, 1)
        layout.addLayout(head)
        layout.addWidget(scroll, 3)
        layout.addWidget(self.tabs, 2)

    @property
    def participant(self) -> str:
        """The participant at hand."""
        return self.people.currentData() or ""

    @property
    def wants_reasons(self) -> bool:
        """Whether “Why this score” is open."""
        return self.tabs.currentIndex() == _WHY and self.isVisible()

    def choose_person(self, participant: str) -> None:
        """Brings a participant to hand."""
        at = self.people.findData(participant)
        if at >= 0 and at != self.people.currentIndex():
            self.people.setCurrentIndex(at)
            self._show_person()

    def step(self, by: int) -> None:
        """Brings the next or previous participant to hand."""
        at = min(max(self.people.currentIndex() + by, 0), self.people.count() - 1)
        if at >= 0:
            self.choose_person(self.people.itemData(at))

    def show_outcome(
        self, data: Data | None, outcome: Outcome | None, others: Sequence[Outcome], against: str = ""
    ) -> None:
        """The participants by how much was lost on them, the one at hand kept; ``against`` is the other run's id."""
        self._data, self._outcome = data, outcome
        kept = self.participant
        self._others = tuple(o for o in others if outcome is not None and o.run.id != outcome.run.id)
        with QSignalBlocker(self.people), QSignalBlocker(self.other):
            self.people.clear()
            self.other.clear()
            if data is not None and outcome is not None:
                names = {person.id: person.name or person.id for person in data.gold.participants}
                losses = sorted(outcome.evaluation.losses.items(), key=lambda pair: -pair[1])
                for person, loss in losses:
                    self.people.addItem(f"{names.get(person, person)} · loss {loss:.2f}", person)
                for o in self._others:
                    self.other.addItem(f"{o.run.label}, {o.run.representation}", o.run.id)
            self.people.setCurrentIndex(max(self.people.findData(kept), 0 if self.people.count() else -1))
            self.other.setCurrentIndex(max(self.other.findData(against), 0 if self.other.count() else -1))
        self._show_person()

    def show_reasons(self, paper: str, evidence: Sequence[Evidence]) -> None:
        self._reasons = (paper, evidence)
        if self._data is not None and paper == self.order.at_hand:
            self.why.show_html(reasons_html(evidence, self._data.gold.papers, paper))

    def show_reasons_awaited(self) -> None:
        self.why.show_html("<p>Looking for passages…</p>")

    def show_no_reasons(self, why: str) -> None:
        self.why.setPlainText(why)

    def _show_person(self) -> None:
        if self._data is None or self._outcome is None or not self.participant:
            self._drill = None
            self.order.show_drill(None)
            for page in (self.pairs, self.why, self.against):
                page.clear()
            return
        self._drill = drill(self._data, self._outcome, self.participant)
        self.person_shown.emit(self.participant)
        self.order.show_drill(self._drill)
        self.pairs.show_html(pairs_html(self._drill.pairs, self._data.gold.papers))
        self._compare()
        self._ask()

    def _repaint_pages(self) -> None:
        """Pages are texts with their colours in them: another theme writes them anew."""
        if self._drill is None or self._data is None:
            return
        self.pairs.show_html(pairs_html(self._drill.pairs, self._data.gold.papers))
        self._compare()
        paper, evidence = self._reasons
        if evidence and paper == self.order.at_hand:
            self.why.show_html(reasons_html(evidence, self._data.gold.papers, paper))

    def _compare(self) -> None:
        other = next((o for o in self._others if o.run.id == self.other.currentData()), None)
        if other is None or self._drill is None or self._data is None or self._outcome is None:
            self.against.show_html("<p>Run a second algorithm to compare with.</p>")
            return
        theirs = drill(self._data, other, self.participant)
        names = (self._outcome.run.label, other.run.label)
        self.against.show_html(comparison_html(self._drill.pairs, theirs.pairs, self._data.gold.papers, names))

    def _paper(self, paper: str) -> None:
        self._reasons = ("", ())
        self.why.clear()
        self.paper_chosen.emit(paper)

    def _ask(self) -> None:
        if self.order.at_hand:
            self.paper_chosen.emit(self.order.at_hand)
