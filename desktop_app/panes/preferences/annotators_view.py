"""The annotators of a cluster: habits, competence, kappa, and the pairs on which they differ."""

import html
from collections.abc import Sequence
from math import isnan

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.entry_list import EntryList
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.labels import HtmlPage, hairline, text_label
from desktop_app.widgets.layouts import Flow, column, command_button, row, splitter, surface
from engine.exchange.preference_study import Study
from engine.measures.competence import FEWEST_ANNOTATORS, FEWEST_ITEMS
from engine.measures.estimate import FEWEST
from engine.project import PARTY
from engine.rebuttal.preferences.annotators import Disagreement
from engine.rebuttal.preferences.records import Verdict
from engine.shown import counted, estimated

_MOST_ROWS = 6
_COLUMNS = ("Annotator", "Judged", "Skipped", "Neither", "Ties", "Left", "Consistent", "s per pair", "Competence, 95 %")
_HELP = {
    "Judged": "Pairs decided, repetitions included.",
    "Neither": "Pairs where both were called unsuitable.",
    "Left": "How often the left one was preferred, among pairs where one side was preferred.",
    "Consistent": "How many of the pairs shown again with sides swapped were judged the same.",
    "s per pair": "Median seconds from seeing a pair to pressing a key.",
    "Competence, 95 %": "MACE: the chance that an annotator knew the answer rather than guessed it, with its "
    "interval. It needs three annotators who all agree with each other beyond chance, and 20 pairs judged by three. "
    "The highest is marked if it's the highest in 95 % of resamples. “Rank by the most competent” ranks by that "
    "person alone.",
    "Kappa": "Cohen's kappa: agreement beyond chance, 1 for full agreement, 0 for none beyond chance. It needs"
    f" {FEWEST} pairs judged by both.",
    "Of": "What was compared: verdicts on pairs, or the blind choice between two descriptions.",
    "Units": "How many of them both annotators decided.",
}
"""Tooltips of the column headings."""
_BEST = "✓ "
_WORDS: dict[Verdict, str] = {"first": "A", "second": "B", "tie": "tie", "unsuitable": "unsuitable"}
_ALONE = (
    "There must be two annotators to compare. The second can judge in a copy of this project, or here under "
    "another name (top right). Mark the cluster as done under each name, then merge the copies."
)
_HIDDEN = "Others' work is hidden until you are done. If you only adjudicate, choose “Done with this cluster”."
_AGREED = "Annotators agree on every pair that two of them judged."
_BUTTONS = (
    ("adjudicate_first", "A is better"), ("adjudicate_second", "B is better"), ("adjudicate_tie", "Tie"),
    ("adjudicate_unsuitable", "Both unsuitable"), ("adjudicate_reopen", "Reopen"),
)  # fmt: skip


class AnnotatorsView(QWidget):
    """Tables on top; below, the list of disagreements and the current pair."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Annotators")
        self._study: Study | None = None
        self._acting = ""
        self.people = FactTable("Annotators", _COLUMNS, self, _HELP)
        between = ("Annotators", "Of", "Kappa", "95 %", "Units")
        self.kappas = FactTable("Agreement between two annotators", between, self, _HELP)
        self._summary = text_label("", "small", wrap=True, parent=self)
        trust = command_button(registry, "preferences.trust", "Rank by the most competent", self)
        self.list = EntryList("Pairs on which annotators differ", self, Qt.TextElideMode.ElideRight)
        self.list.picked.connect(self._write)
        self.page = HtmlPage("The pair and each annotator's verdict", self, padding="3px 7px", reading=15)
        self.page.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        right = QWidget(self)
        self._why = text_label(PARTY, "muted", wrap=True, parent=right)
        self._why.setContentsMargins(12, 4, 12, 0)
        self._why.hide()
        keys = (command_button(registry, f"preferences.{name}", words, right) for name, words in _BUTTONS)
        column((self.page, 1), self._why, row((Flow(*keys, spacing=6), 1), margins=(12, 4, 12, 8)), of=right)
        column(
            self.people, hairline(), self.kappas, hairline(),
            row((self._summary, 1), trust, margins=(12, 4, 12, 4), spacing=12), hairline(),
            (splitter((self.list, 320, 0), (right, 640, 1), parent=self), 1), of=self,
        )  # fmt: skip
        theme().follow(self._write, now=False)

    @property
    def _entries(self) -> Sequence[Disagreement]:
        return self._study.agreement.disagreements if self._study is not None else ()

    @property
    def disagreement(self) -> Disagreement | None:
        at = self.list.currentIndex().row()
        return self._entries[at] if 0 <= at < len(self._entries) else None

    @property
    def party(self) -> bool:
        """Whether the acting annotator judged the current pair and therefore can't adjudicate it."""
        entry = self.disagreement
        return entry is not None and any(who == self._acting for who, _ in entry.verdicts)

    def show_study(self, study: Study | None, acting: str) -> None:
        """Shows who judged and where they differ, keeping position and selection. ``acting`` is the annotator's key."""
        self._study, self._acting = study, acting
        for table, rows in ((self.people, _people(study)), (self.kappas, _kappas(study))):
            table.show_all_rows(rows, _MOST_ROWS)  # the list below gets the rest of the height
        self.kappas.setVisible(self.kappas.rowCount() > 0)
        self._summary.setText(_summary(study) if study is not None else "")
        shown = []
        for entry in self._entries:
            assert study is not None
            said = ", ".join(f"{study.names.get(who, '')}: {_WORDS[verdict]}" for who, verdict in entry.verdicts)
            line = said if entry.decided is None else f"decided: {_WORDS[entry.decided]} · {said}"
            icon = "check" if entry.decided else "circle-dashed"
            shown.append(("|".join(entry.pair), " ".join(study.texts[entry.pair[0]].split()), line, icon))
        self.list.show_entries(shown, None)
        alone = study is not None and len(study.agreement.annotators) < 2
        others = _HIDDEN if study is not None and study.hidden else _ALONE
        self.list.set_message("" if study is None or shown else others if alone else _AGREED)
        self._write()

    def next_open(self) -> None:
        at = self.list.currentIndex().row() + 1
        places = (*range(at, len(self._entries)), *range(at))
        self.list.select_row(next((n for n in places if self._entries[n].decided is None), at - 1))

    def _write(self) -> None:
        study, entry, tokens = self._study, self.disagreement, theme().tokens
        self._why.setVisible(self.party)
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


def _people(study: Study | None) -> list[tuple[str, ...]]:
    if study is None:
        return []
    found, able = study.agreement, study.agreement.competence
    rows = []
    for at, h in enumerate(found.habits):
        competence = "–"
        if not isnan(able.competence[at]):
            best = _BEST if h.annotator_id == found.most_competent else ""
            low, high = able.low[at], able.high[at]
            span = "" if isnan(low) else f" ({estimated(low)} to {estimated(high)})"
            competence = f"{best}{estimated(able.competence[at])}{span}"
        counts = (h.judged, h.skipped, h.unsuitable, h.ties)
        seconds = "–" if isnan(h.median_seconds) else f"{h.median_seconds:.1f}"
        parts = (
            f"{h.left} of {h.decided}",
            f"{h.consistent} of {h.repeated}" if h.repeated else "–",
            seconds,
            competence,
        )
        rows.append((study.names.get(h.annotator_id, ""), *map(str, counts), *parts))
    return rows


def _kappas(study: Study | None) -> list[tuple[str, ...]]:
    if study is None:
        return []
    return [
        (
            f"{study.names.get(one, '')} and {study.names.get(two, '')}",
            what,
            k.shown(),
            k.span("{:.2f}–{:.2f}"),
            str(k.n),
        )
        for what, kappas in (("pairs", study.agreement.kappas), ("descriptions", study.descriptions))
        for (one, two), k in kappas.items()
    ]


def _summary(study: Study) -> str:
    found, parts = study.agreement, []
    open_ = sum(entry.decided is None for entry in found.disagreements)
    if len(found.annotators) > 1:
        parts.append(
            f"{counted(found.overlap, 'shared pair')}: {len(found.disagreements)} judged differently, {open_} open"
        )
    if found.disagreements:
        parts.append(
            "an annotator who didn't judge a pair can decide it below; “Everybody, adjudicated pairs as decided” in "
            "Ranking then uses that decision"
        )
    if found.annotators and all(map(isnan, found.competence.competence)):
        parts.append(
            f"competence can't be estimated: that takes {FEWEST_ANNOTATORS} annotators who all agree with each other "
            f"beyond chance, and {FEWEST_ITEMS} pairs judged by three; there are {found.shared}"
        )
    elif found.annotators and not found.most_competent:
        parts.append("it isn't clear who is most competent")
    if study.hidden:
        parts.append(
            f"{counted(study.hidden, 'other annotator')} judged; their work is shown once you and they are done"
        )
    return " · ".join(parts)
