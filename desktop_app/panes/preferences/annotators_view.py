"""Several annotators of a cluster: habits, competence, kappa, and the pairs on which they differ."""

from __future__ import annotations

import html
from math import isnan

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import ROW_COMPACT, theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.entry_list import DETAIL, TwoLineDelegate
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.row_list import RowList
from engine.exchange.preference_study import Study
from engine.measures.estimate import Estimate
from engine.rebuttal.preferences.annotators import Disagreement
from engine.rebuttal.preferences.records import Verdict

_KEY = int(Qt.ItemDataRole.UserRole)
_FEW = 3
_MOST_ROWS = 6
_COLUMNS = (
    "Annotator", "Judged", "Skipped", "Neither", "Ties", "Left", "Same again", "s a pair", "Competence, 95 %",
)  # fmt: skip
_HELP = {
    "Judged": "Pairs decided, repetitions included.",
    "Neither": "Pairs of which both were called unsuitable.",
    "Left": "How often the left one was preferred, of the pairs in which one was.",
    "Same again": "Of the pairs shown twice with sides swapped, how many were judged alike.",
    "s a pair": "Median seconds from seeing a pair to the key.",
    "Competence, 95 %": "MACE: the chance that an annotator knew the answer rather than guessed it, with its interval."
    " The highest is marked; “Rank by the most competent” ranks by that person alone.",
    "Kappa": "Cohen's kappa: agreement beyond chance, 1 for full agreement, 0 for none beyond chance.",
    "Of": "What was compared: verdicts on pairs, or the blind choice between two descriptions.",
    "Units": "How many of them both decided.",
}
"""What the columns mean, at their heads."""
_BEST = "✓ "
_WORDS: dict[Verdict, str] = {"first": "A", "second": "B", "tie": "tie", "unsuitable": "unsuitable"}
_ALONE = (
    "Fewer than two annotators to compare. Another one judges in a copy of this project, or here under another name"
    " (top right); then each says “done” (Shift+D), and copies are merged into one."
)
_AGREED = "Nobody differs on a pair that two annotators judged."
_BUTTONS = (
    ("adjudicate_first", "A is better"), ("adjudicate_second", "B is better"), ("adjudicate_tie", "Tie"),
    ("adjudicate_unsuitable", "Both unsuitable"), ("adjudicate_reopen", "Take back"),
)  # fmt: skip


class AnnotatorsView(QWidget):
    """Tables above; below, the queue of disagreements and the current pair."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Annotators")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._registry = registry
        self._study: Study | None = None
        self._filling = False
        self.people = FactTable("Annotators", _COLUMNS, self)
        self.kappas = FactTable("Agreement of two annotators", ("Annotators", "Of", "Kappa", "95 %", "Units"), self)
        for table in (self.people, self.kappas):
            for at in range(table.columnCount()):
                head = table.horizontalHeaderItem(at)
                assert head is not None
                head.setToolTip(_HELP.get(head.text(), ""))
        self._fit(self.people, 2)
        self._fit(self.kappas, 1)
        self._summary = text_label("", "small", wrap=True, parent=self)
        trust = CommandButton(registry, "preferences.trust", text="Rank by the most competent", parent=self)
        KeepsKeys(trust)
        line = QHBoxLayout()
        line.setContentsMargins(12, 4, 12, 4)
        line.setSpacing(12)
        line.addWidget(self._summary, 1)
        line.addWidget(trust)
        self.model = QStandardItemModel(self)
        self.list = RowList("Pairs on which annotators differ", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self.page = HtmlPage("The pair and what each said", self, padding="3px 7px")
        self.page.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        keys = QHBoxLayout()
        keys.setContentsMargins(12, 4, 12, 8)
        keys.setSpacing(6)
        for name, words in _BUTTONS:
            button = CommandButton(registry, f"preferences.{name}", text=words, parent=self)
            KeepsKeys(button)
            keys.addWidget(button)
        keys.addStretch(1)
        right = QWidget(self)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.page, 1)
        column.addLayout(keys)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.list)
        splitter.addWidget(right)
        splitter.setSizes([320, 640])
        splitter.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.people)
        layout.addWidget(hairline(parent=self))
        layout.addWidget(self.kappas)
        layout.addWidget(hairline(parent=self))
        layout.addLayout(line)
        layout.addWidget(hairline(parent=self))
        layout.addWidget(splitter, 1)
        theme().changed.connect(self._write)

    @property
    def disagreement(self) -> Disagreement | None:
        """The current pair."""
        row = self.list.currentIndex().row()
        found = self._study.agreement.disagreements if self._study is not None else ()
        return found[row] if 0 <= row < len(found) else None

    def show_study(self, study: Study | None) -> None:
        """Shows who judged and where they differ; place and selection stay."""
        self._study, self._filling = study, True
        if study is None:
            self.people.show_rows([])
            self.kappas.show_rows([])
            self._summary.setText("")
            self.model.clear()
            self.list.set_message("")
            self._filling = False
            self._write()
            return
        found, names = study.agreement, study.names
        self.people.show_rows(
            [
                (
                    names.get(h.annotator_id, ""),
                    str(h.judged), str(h.skipped), str(h.unsuitable), str(h.ties),
                    f"{h.left} of {h.decided}", f"{h.consistent} of {h.repeated}",
                    "–" if isnan(h.median_seconds) else f"{h.median_seconds:.1f}",
                    # A single annotator can't be distinguished from one who guesses.
                    (_BEST if h.annotator_id == found.most_competent else "")
                    + _span(found.competence.competence[at], found.competence.low[at], found.competence.high[at])
                    if len(found.annotators) > 1 else "–",
                )
                for at, h in enumerate(found.habits)
            ]
        )  # fmt: skip
        self.kappas.show_rows(
            [
                (f"{names.get(one, '')} and {names.get(two, '')}", what, *_cells(estimate))
                for what, kappas in (("pairs", found.kappas), ("descriptions", study.descriptions))
                for (one, two), estimate in kappas.items()
            ]
        )
        self.kappas.setVisible(self.kappas.rowCount() > 0)
        self._fit(self.people, len(found.habits))
        self._fit(self.kappas, len(found.kappas) + len(study.descriptions))
        self._summary.setText(self._words(study))
        self._show_list(study)
        self._filling = False
        self._write()

    def _fit(self, table: FactTable, rows: int) -> None:
        """As high as its rows, within reason: what is decided below gets the rest."""
        table.setFixedHeight(theme().px(ROW_COMPACT) * (min(max(rows, 1), _MOST_ROWS) + 1) + 12)

    def _words(self, study: Study) -> str:
        found = study.agreement
        open_ = sum(entry.decided is None for entry in found.disagreements)
        parts = []
        if len(found.annotators) > 1:
            parts.append(
                f"{found.overlap} pairs judged by more than one, {len(found.disagreements)} differ, {open_} open"
            )
        if found.disagreements:
            parts.append("decide them below; “Everybody, adjudicated pairs as decided” in Ranking then goes by that")
        if 1 < len(found.annotators) < _FEW:
            parts.append("with two annotators, competence (MACE) rests on its assumptions more than on the answers")
        if study.hidden:
            parts.append(f"{study.hidden} others judged; their work is shown once you and they are done")
        return " · ".join(parts)

    def _show_list(self, study: Study) -> None:
        entries = study.agreement.disagreements
        before = self.list.currentIndex().row()
        if self.model.rowCount() != len(entries):
            self.model.clear()
            for _ in entries:
                self.model.appendRow(QStandardItem())
        for row, entry in enumerate(entries):
            said = ", ".join(f"{study.names.get(who, '')}: {_WORDS[verdict]}" for who, verdict in entry.verdicts)
            line = said if entry.decided is None else f"decided: {_WORDS[entry.decided]} · {said}"
            text = " ".join(study.texts[entry.pair[0]].split())
            for role, value in (
                (_KEY, "|".join(entry.pair)),
                (int(Qt.ItemDataRole.DisplayRole), text),
                (int(DETAIL), line),
                (int(Qt.ItemDataRole.AccessibleTextRole), f"{line}. {text}"),
                (
                    int(Qt.ItemDataRole.DecorationRole),
                    theme().icon("check" if entry.decided else "circle-dashed", "muted"),
                ),
            ):
                self.model.item(row).setData(value, role)
        if entries:
            self.list.select_row(min(max(before, 0), len(entries) - 1))
        self.list.set_message("" if entries else _ALONE if len(study.agreement.annotators) < 2 else _AGREED)

    def next_open(self) -> None:
        """Goes to the next pair that is not decided, around the end."""
        entries = self._study.agreement.disagreements if self._study is not None else ()
        start = self.list.currentIndex().row()
        for step in range(1, len(entries) + 1):
            at = (start + step) % len(entries)
            if entries[at].decided is None:
                self.list.select_row(at)
                return

    def _chosen(self, *_indices: object) -> None:
        if not self._filling:
            self._write()
            self._registry.state_changed.emit()

    def _write(self) -> None:
        study, entry, tokens = self._study, self.disagreement, theme().tokens
        self.page.document().setDefaultFont(theme().reading_font(15))
        if study is None or entry is None:
            self.page.clear()
            return
        parts = []
        for name, key in zip("AB", entry.pair, strict=True):
            marks = [study.names.get(who, "") for who, verdict in entry.verdicts if _WORDS[verdict] == name]
            line = f" · preferred by {', '.join(marks)}" if marks else ""
            parts.append(
                f"<p style='color:{tokens.muted}; margin-bottom:0'>{name}{html.escape(line)}</p>"
                f"<p style='margin-top:2px'>{html.escape(study.texts[key])}</p>"
            )
        others = [f"{study.names.get(w, '')}: {_WORDS[v]}" for w, v in entry.verdicts if v in ("tie", "unsuitable")]
        if others:
            parts.append(f"<p style='color:{tokens.muted}'>{html.escape(', '.join(others))}</p>")
        if entry.decided is not None:
            parts.append(f"<p><b>Decided: {_WORDS[entry.decided]}</b></p>")
        self.page.setHtml("".join(parts))


def _span(value: float, low: float, high: float) -> str:
    return "–" if isnan(value) else f"{value:.2f} ({low:.2f}–{high:.2f})"


def _cells(estimate: Estimate) -> tuple[str, str, str]:
    if not estimate.known:
        return "–", "", str(estimate.n)
    span = "" if isnan(estimate.low) else f"{estimate.low:.2f}–{estimate.high:.2f}"
    return f"{estimate.value:.2f}", span, str(estimate.n)
