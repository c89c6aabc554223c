"""The content of a cluster: candidates with scores, sentences, description; and the dialog to enter one."""

import html
from dataclasses import replace
from typing import Literal

from PySide6.QtCore import QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QPlainTextEdit, QSpinBox, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.preferences.state import OpenCluster
from desktop_app.theme import theme
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.dialogs import DialogButtons, TypingDialog
from desktop_app.widgets.entry_list import Entry, EntryList
from desktop_app.widgets.fields import ChoiceBox, CommittingLineEdit, CommittingTextEdit
from desktop_app.widgets.labels import HtmlPage, hairline, named, text_label
from desktop_app.widgets.layouts import Flow, column, command_button, form_rows, row, splitter, tall_enough
from desktop_app.widgets.record_list import RecordList
from engine.rebuttal.preferences.candidates import Part, Scored, identified, options, title
from engine.rebuttal.preferences.records import Cluster, NewCluster, NewSentence, Sentence
from engine.rebuttal.preferences.scheduler import FEW, expected_pairs
from engine.shown import counted

_PARTS: tuple[tuple[Part, str], ...] = (("root", "Aspect"), ("theme", "Theme"), ("action", "Rebuttal action"))


class ClusterDialog(TypingDialog):
    """Asks for a cluster (``cluster()``). With ``known``, only for its names; with ``adds``, only for sentences and
    candidates."""

    def __init__(self, known: Cluster | None = None, parent: QWidget | None = None, *, adds: bool = False) -> None:
        words = "Add sentences and candidates" if adds else "New cluster" if known is None else "Rename cluster"
        super().__init__(words, parent)
        self.resize(620, 480 if known is None else 200)
        self.boxes: dict[Part, QComboBox] = {}
        form = form_rows()
        for part, name in _PARTS if not adds else ():
            box = self.boxes[part] = named(QComboBox(self, editable=True), name)
            for key, entry in options(part):
                box.addItem(entry, key)
            box.setCurrentIndex(-1)
            if known is not None:
                box.setEditText(title(part, getattr(known, part)))
            box.currentTextChanged.connect(self._check)
            form.addRow(name, box)
        self.sentences = self._lines("Review sentences", "What the reviewers said, one sentence per line")
        self.candidates = self._lines("Candidates", "Rebuttals to compare, one per line")
        for field in (self.sentences, self.candidates):
            if known is None:
                form.addRow(field.accessibleName(), field)
            field.setHidden(known is not None)
            field.textChanged.connect(self._check)
        self.missing, buttons = text_label("", "muted", wrap=True), DialogButtons(self, "Save" if known else "Add")
        self.ok = buttons.ok
        self._check()
        column((form, 1), self.missing, buttons, margins=(16, 16, 16, 16), spacing=12, of=self)

    def _check(self) -> None:
        """Enables the OK button only if something that can be added was entered, so that no input is lost."""
        names = (box.currentText() for box in self.boxes.values())
        texts = names if self.boxes else (field.toPlainText() for field in (self.sentences, self.candidates))
        there = any(map(str.strip, texts))
        what = "Enter an aspect, a theme or a rebuttal action." if self.boxes else "Enter a sentence or a candidate."
        self.missing.setText("" if there else what)
        self.ok.setEnabled(there)

    def _lines(self, name: str, hint: str) -> QPlainTextEdit:
        return named(QPlainTextEdit(self, tabChangesFocus=True), name, hint=hint)

    def cluster(self) -> NewCluster:
        """Returns the entered cluster; titles in the taxonomy are converted to ids."""
        root, theme, action = (identified(p, self.boxes[p].currentText()) if self.boxes else "" for p, _ in _PARTS)
        return NewCluster(root, theme, action, lines(self.sentences), lines(self.candidates, "in"))


def lines(field: QPlainTextEdit, decision: Literal["in"] | None = None) -> tuple[NewSentence, ...]:
    found = (" ".join(line.split()) for line in field.toPlainText().splitlines())
    return tuple(NewSentence(line, decision=decision) for line in dict.fromkeys(found) if line)


_SHOWN_REASONS = 3
_SCHEDULES = (("every pair, as in the paper", "exhaustive"), ("only those needed to find the winner", "adaptive"))
_SORTING = (("take_in", "Include"), ("leave_out", "Exclude"), ("by_scores", "By scores"))


class CandidatesView(QWidget):
    """Candidates and reasons for their inclusion on the left; the cluster and its judging settings on the right."""

    thresholds_changed = Signal(float, float)
    plan_changed = Signal(object)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Candidates")
        self._opened: OpenCluster | None = None
        self.list = EntryList("Candidates", self, Qt.TextElideMode.ElideRight)
        self.list.picked.connect(self._write)
        offer_commands(
            self.list, registry, [f"preferences.{name}" if name else "" for name in (
                "take_in", "leave_out", "by_scores", "", "remove_candidate",
            )],
        )  # fmt: skip
        self.suitable, self.specific = (
            QDoubleSpinBox(self, maximum=1.0, singleStep=0.05, decimals=2) for _ in range(2)
        )
        for limit, name in ((self.suitable, "Suitability at least"), (self.specific, "Specificity at most")):
            named(limit, name).editingFinished.connect(self._thresholds)
        self._summary = text_label("", "small", wrap=True, parent=self)
        self.page = HtmlPage("Candidate and its scores", self, padding="3px 7px", reading=15)
        self.page.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

        def button(name: str, words: str) -> QWidget:
            return command_button(registry, f"preferences.{name}", words, self)

        left, right, suited, common = (QWidget(self) for _ in range(4))
        row(text_label("Suitability ≥"), self.suitable, of=suited)
        row(text_label("Specificity ≤"), self.specific, of=common)
        column(
            row((Flow(suited, common), 1), margins=(12, 6, 12, 6)),
            row((self._summary, 1), button("find_candidates", "Find"), button("add_texts", "Add…"),
                margins=(12, 0, 12, 6)),
            hairline(), (self.list, 3), hairline(), (self.page, 1),
            row((Flow(*(button(*way) for way in _SORTING)), 1), margins=(12, 4, 12, 4)), of=left,
        )  # fmt: skip
        hint = "What do these sentences say, in one sentence?"
        self.description = CommittingTextEdit("preferences.description", "Written description", right, hint)
        self.description.setMaximumHeight(theme().px(76))
        self._extracted = text_label("", "muted", wrap=True, parent=right)
        self._others, self._expected = (text_label("", "small", wrap=True, parent=right) for _ in range(2))
        self.sentences = RecordList(
            "Review sentences", self._paint_sentence, self._sentence_height, _line, key=lambda one: one.id,
            shape=lambda one: one.text, parent=right,
        )  # fmt: skip
        # Row heights assume the width without the scroll bar; if it appeared later, long rows would be cut off.
        self.sentences.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        offer_commands(self.sentences, registry, ("preferences.remove_sentence",))
        column(
            row((text_label("Description", "section"), 1), button("extract", "Extract")), self.description,
            self._extracted, self._others, hairline(), text_label("Review sentences", "section"), (self.sentences, 1),
            hairline(), text_label("Judging", "section"), self._plan_form(right), self._expected,
            margins=(12, 8, 12, 8), spacing=6, of=right,
        )  # fmt: skip
        tall_enough(right)
        column(splitter((left, 540, 3), (right, 420, 2), folding=True, parent=self), of=self)
        theme().follow(self._write, now=False)

    def _plan_form(self, parent: QWidget) -> QFormLayout:
        self.schedule = ChoiceBox("Schedule", _SCHEDULES, letters=10, parent=parent)
        self.schedule.picked.connect(self._plan)
        self.repeats, self.overlap = (QSpinBox(parent, maximum=100, suffix=" %") for _ in range(2))
        self.team = CommittingLineEdit("preferences.team", "Annotators who share the other pairs", parent, "Ada, Ben")
        self.team.setToolTip("Divides the other pairs among these annotators. If empty, everyone judges all pairs.")
        self.team.committed.connect(self._plan)
        for spin, name, tip in (
            (self.repeats, "Pairs shown again",
             "Share of pairs shown again with sides swapped, to measure consistency."),
            (self.overlap, "Pairs that everybody judges",
             "Share of pairs that everybody judges, to measure agreement."),
        ):  # fmt: skip
            named(spin, name, tip)
            spin.editingFinished.connect(self._plan)
        form = QFormLayout(
            rowWrapPolicy=QFormLayout.RowWrapPolicy.DontWrapRows,
            fieldGrowthPolicy=QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow,
        )
        form.setSpacing(6)
        form.addRow("Pairs", self.schedule)
        form.addRow("Shown twice", self.repeats)
        form.addRow("Judged by all", self.overlap)
        form.addRow("Others shared by", self.team)
        return form

    def _thresholds(self) -> None:
        opened = self._opened
        values = (round(self.suitable.value(), 2), round(self.specific.value(), 2))
        if opened is not None and values != (opened.cluster.suitable_from, opened.cluster.specific_to):
            self.thresholds_changed.emit(*values)

    def _plan(self) -> None:
        if self._opened is None:
            return
        team = tuple(dict.fromkeys(name.strip() for name in self.team.text().split(",") if name.strip()))
        plan = replace(
            self._opened.cluster.plan, schedule=self.schedule.value, repeats=self.repeats.value() / 100,
            overlap=self.overlap.value() / 100, team=team,
        )  # fmt: skip
        if plan != self._opened.cluster.plan:
            self.plan_changed.emit(plan)

    @property
    def candidate(self) -> Scored | None:
        return self._opened.candidates.get(self.list.key) if self._opened is not None else None

    @property
    def sentence_id(self) -> str:
        """The id of the selected review sentence; "" for none."""
        return self.sentences.current.id if self.sentences.current is not None else ""

    def show_cluster(self, opened: OpenCluster | None) -> None:
        self._opened = opened
        self.setEnabled(opened is not None)
        entries = [_entry(shown) for shown in opened.candidates.values()] if opened is not None else []
        self.list.show_entries(entries, None)
        self.list.set_message("" if entries else "No candidates yet. Find the answers to these sentences, or add some.")
        sentences, place = opened.sentences if opened is not None else (), self.sentences.currentIndex().row()
        self.sentences.show_records(sentences)
        if sentences and self.sentences.current is None:  # it was removed: select the one in its place
            self.sentences.select_row(min(place, len(sentences) - 1))
        self.sentences.set_message("" if sentences else "No review sentences yet.")
        if opened is not None:
            self._show_about(opened)
        self._write()

    def _show_about(self, opened: OpenCluster) -> None:
        cluster, plan, extract = opened.cluster, opened.cluster.plan, opened.extract
        for limit, value in ((self.suitable, cluster.suitable_from), (self.specific, cluster.specific_to)):
            with QSignalBlocker(limit):
                limit.setValue(value)
        for spin, share in ((self.repeats, plan.repeats), (self.overlap, plan.overlap)):
            with QSignalBlocker(spin):
                spin.setValue(round(100 * share))
        self.schedule.show_value(plan.schedule)
        self.team.show_text(", ".join(plan.team))
        self._expected.setText(_expectation(len(opened.judged), adaptive=plan.schedule == "adaptive"))
        own = next((w.text for w in opened.written if w.annotator_id == opened.annotator_id), "")
        self.description.show_text(own, cluster.id)
        self._extracted.setText(
            f"Most central: “{extract.text}” (mean cosine {extract.mean_cosine:.2f} over {extract.sentences})"
            if extract is not None
            else "The most central sentence has not been extracted yet."
        )
        others = [written.text for written in opened.written if written.annotator_id != opened.annotator_id]
        taken = [choice.choice for choice in opened.choices]
        parts = [f"By others: {'; '.join(others).rstrip('.')}"] if others else []
        if taken:
            parts.append(f"Chosen blind: {taken.count('written')} written, {taken.count('extracted')} extracted")
        self._others.setText(". ".join(parts))
        self._others.setVisible(bool(parts))
        self._summary.setText(f"{len(opened.judged)} of {len(opened.candidates)} included")

    def _write(self) -> None:
        tokens, shown = theme().tokens, self.candidate
        plain = f"font-family: '{theme().font('body').family()}'; font-size: {theme().px(12)}px"
        if shown is None:
            self.page.clear()
            return
        parts = [f"<p>{html.escape(shown.candidate.text)}</p>"]
        for name, score in (("Suitability", shown.suitability), ("Specificity", shown.specificity)):
            reasons = score.reasons[:_SHOWN_REASONS]
            said = "; ".join(f"{why} {weight:+.1f}" if name == "Suitability" else why for why, weight in reasons)
            parts.append(
                f'<p style="color:{tokens.muted}; margin:2px 0; {plain}">{name} {score.value:.2f}'
                f"{': ' + html.escape(said) if said else ''}</p>"
            )
        self.page.setHtml("".join(parts))

    def _sentence_height(self, sentence: Sentence) -> int:
        room = QRect(0, 0, max(self.sentences.viewport().width() - theme().px(24), 40), 10_000)
        words = self.sentences.fontMetrics().boundingRect(room, int(Qt.TextFlag.TextWordWrap), _line(sentence))
        return words.height() + theme().px(10)

    def _paint_sentence(self, painter: QPainter, box: QRect, sentence: Sentence, _selected: bool) -> None:
        painter.setFont(self.sentences.font())
        painter.setPen(theme().colour("ink"))
        flags = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(box.adjusted(theme().px(12), 0, -theme().px(12), 0), flags, _line(sentence))


def _line(sentence: Sentence) -> str:
    return " ".join(sentence.text.split())


def _entry(shown: Scored) -> Entry:
    words = ("included" if shown.judged else "excluded") + (" manually" if shown.decided else "")
    detail = f"{words} · suitability {shown.suitability.value:.2f} · specificity {shown.specificity.value:.2f}"
    icon = "check" if shown.judged else "minus"
    return shown.candidate.id, " ".join(shown.candidate.text.split()), detail, icon


def _expectation(n: int, *, adaptive: bool) -> str:
    """Describes the number of pairs to judge with a schedule, and its limitations."""
    every = counted(n * (n - 1) // 2, "pair")
    if n < 2:
        return ""
    if not adaptive:
        return f"All {every}, plus those shown twice."
    if n < FEW:
        return f"With {n} candidates, skipping pairs saves little. Judge all {every}."
    close, careless = expected_pairs(n)
    return (
        f"About {close} of {every} if your answers vary only on close calls, about {careless} if they also "
        "vary on clear ones. In simulations, the winner was the same as with all pairs in about 95 of 100 clusters. "
        "The order of the others isn't determined."
    )
