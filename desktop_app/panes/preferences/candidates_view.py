"""A cluster's material: candidates with the scores that take them in or leave them out, sentences, description."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QListView,
    QSpinBox,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.panes.preferences.state import OpenCluster
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.entry_list import DETAIL, TwoLineDelegate
from desktop_app.widgets.fields import CommittingLineEdit, CommittingTextEdit
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.row_list import RowList
from engine.rebuttal.preferences.candidates import Scored
from engine.rebuttal.preferences.scheduler import FEW, expected_pairs

_KEY = int(Qt.ItemDataRole.UserRole)
_SHOWN_REASONS = 3
_TEXT_MARGIN = 24
_SCHEDULES = (("exhaustive", "every pair, as in the paper"), ("adaptive", "those that tell the winner"))


class CandidatesView(QWidget):
    """Left the candidates and why they are in or out; right what the cluster is and how it is judged."""

    thresholds_changed = Signal(float, float)
    plan_changed = Signal(object)
    described = Signal(str, str)
    chosen = Signal()

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Candidates")
        self._opened: OpenCluster | None = None
        self._filling = False
        self.model = QStandardItemModel(self)
        self.list = RowList("Candidates", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._chosen)
        offer_commands(
            self.list,
            registry,
            (
                "preferences.take_in",
                "preferences.leave_out",
                "preferences.by_scores",
                "",
                "preferences.remove_candidate",
            ),
        )
        self.suitable, self.specific = self._share("Suitability at least"), self._share("Specificity at most")
        for field in (self.suitable, self.specific):
            field.editingFinished.connect(self._thresholds)
        self._summary = text_label("", "small", wrap=True, parent=self)
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 6, 12, 6)
        bar.setSpacing(8)
        for words, field in (("Suitability ≥", self.suitable), ("Specificity ≤", self.specific)):
            bar.addWidget(text_label(words, "body", parent=self))
            bar.addWidget(field)
        bar.addStretch(1)
        line = QHBoxLayout()
        line.setContentsMargins(12, 0, 12, 6)
        line.setSpacing(8)
        line.addWidget(self._summary, 1)
        for name, words in (("find_candidates", "Find"), ("add_texts", "Add…")):
            button = CommandButton(registry, f"preferences.{name}", text=words, parent=self)
            KeepsKeys(button)
            line.addWidget(button)
        self.page = HtmlPage("Candidate and its scores", self, padding="3px 7px")
        self.page.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        keys = QHBoxLayout()
        keys.setContentsMargins(12, 4, 12, 4)
        keys.setSpacing(8)
        for name, words in (("take_in", "Include"), ("leave_out", "Exclude"), ("by_scores", "By scores")):
            button = CommandButton(registry, f"preferences.{name}", text=words, parent=self)
            KeepsKeys(button)
            keys.addWidget(button)
        keys.addStretch(1)
        left = QWidget(self)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addLayout(line)
        column.addWidget(hairline(parent=left))
        column.addWidget(self.list, 3)
        column.addWidget(hairline(parent=left))
        column.addWidget(self.page, 1)
        column.addLayout(keys)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(self._about(registry))
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([540, 420])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)
        theme().changed.connect(self._write)

    def _about(self, registry: CommandRegistry) -> QWidget:
        side = QWidget(self)
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        head = QHBoxLayout()
        head.addWidget(text_label("Description", "section", parent=side), 1)
        extract = CommandButton(registry, "preferences.extract", text="Extract", parent=side)
        KeepsKeys(extract)
        head.addWidget(extract)
        column.addLayout(head)
        self.description = CommittingTextEdit("preferences.description", "Description by hand", side)
        self.description.setPlaceholderText("What do these sentences say, in one sentence?")
        self.description.setMaximumHeight(theme().px(76))
        self.description.committed.connect(self.described)
        self._extracted = text_label("", "muted", wrap=True, parent=side)
        self._others = text_label("", "small", wrap=True, parent=side)
        for widget in (self.description, self._extracted, self._others):
            column.addWidget(widget)
        column.addWidget(hairline(parent=side))
        column.addWidget(text_label("Review sentences", "section", parent=side))
        self.sentence_model = QStandardItemModel(self)
        self.sentences = RowList("Review sentences", side)
        self.sentences.setModel(self.sentence_model)
        self.sentences.setWordWrap(True)
        # Rows are measured for the width without the bar: it is always visible, or long rows lose their last words.
        self.sentences.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.sentences.setSpacing(2)
        self.sentences.setItemDelegate(WrappedDelegate(self.sentences))
        offer_commands(self.sentences, registry, ("preferences.remove_sentence",))
        column.addWidget(self.sentences, 1)
        column.addWidget(hairline(parent=side))
        column.addWidget(text_label("How it is judged", "section", parent=side))
        self.schedule = QComboBox(side)
        self.schedule.setAccessibleName("Schedule")
        self.schedule.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        KeepsKeys(self.schedule)
        for key, words in _SCHEDULES:
            self.schedule.addItem(words, key)
        self.repeats, self.overlap = self._percent("Pairs shown again"), self._percent("Pairs that everybody judges")
        self.repeats.setToolTip("The share of pairs that come again with sides swapped, to see how consistent one is.")
        self.overlap.setToolTip("The share of pairs that everybody judges, to see how far annotators agree.")
        self.team = CommittingLineEdit("preferences.team", "Annotators who share the other pairs", side)
        self.team.setToolTip("The other pairs are dealt among these annotators; without names everybody judges all.")
        self.team.setPlaceholderText("Ada, Ben")
        form = QFormLayout()
        form.setSpacing(6)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for words, field in (
            ("Pairs", self.schedule), ("Shown twice", self.repeats), ("Judged by all", self.overlap),
            ("Others by", self.team),
        ):  # fmt: skip
            form.addRow(words, field)
        column.addLayout(form)
        self._expected = text_label("", "small", wrap=True, parent=side)
        column.addWidget(self._expected)
        self.schedule.activated.connect(lambda _at: self._plan())
        self.repeats.editingFinished.connect(self._plan)
        self.overlap.editingFinished.connect(self._plan)
        self.team.committed.connect(lambda _text, _key: self._plan())
        return side

    def _share(self, name: str) -> QDoubleSpinBox:
        field = QDoubleSpinBox(self)
        field.setAccessibleName(name)
        field.setRange(0.0, 1.0)
        field.setSingleStep(0.05)
        field.setDecimals(2)
        return field

    def _percent(self, name: str) -> QSpinBox:
        field = QSpinBox(self)
        field.setAccessibleName(name)
        field.setRange(0, 100)
        field.setSuffix(" %")
        return field

    # --- what a person changes ------------------------------------------------------------------------------------

    def _thresholds(self) -> None:
        opened = self._opened
        values = (round(self.suitable.value(), 2), round(self.specific.value(), 2))
        if opened is not None and values != (opened.cluster.suitable_from, opened.cluster.specific_to):
            self.thresholds_changed.emit(*values)

    def _plan(self) -> None:
        opened = self._opened
        if opened is None:
            return
        team = tuple(dict.fromkeys(name.strip() for name in self.team.text().split(",") if name.strip()))
        plan = replace(
            opened.cluster.plan, schedule=self.schedule.currentData(), repeats=self.repeats.value() / 100,
            overlap=self.overlap.value() / 100, team=team,
        )  # fmt: skip
        if plan != opened.cluster.plan:
            self.plan_changed.emit(plan)

    def _chosen(self, *_indices: object) -> None:
        if not self._filling:
            self._write()
            self.chosen.emit()

    # --- showing --------------------------------------------------------------------------------------------------

    @property
    def candidate(self) -> Scored | None:
        """The selected candidate."""
        return self._opened.candidates.get(self.candidate_id) if self._opened is not None else None

    @property
    def candidate_id(self) -> str:
        """The key of the selected candidate, "" for none."""
        index = self.list.currentIndex()
        return str(index.data(_KEY)) if index.isValid() else ""

    @property
    def sentence_id(self) -> str:
        """The selected review sentence, "" for none."""
        index = self.sentences.currentIndex()
        return str(index.data(_KEY)) if index.isValid() else ""

    def show_cluster(self, opened: OpenCluster | None) -> None:
        """Shows a cluster; place and selection stay."""
        self._opened, self._filling = opened, True
        self.setEnabled(opened is not None)
        entries = tuple(opened.candidates.values()) if opened is not None else ()
        self._rows(self.model, [entry.candidate.id for entry in entries], self.list)
        for row, entry in enumerate(entries):
            self._fill(self.model.item(row), entry)
        if entries and not self.list.currentIndex().isValid():
            self.list.select_row(0)
        self.list.set_message("" if entries else "No candidates yet. Find the answers to these sentences, or add some.")
        sentences = opened.sentences if opened is not None else ()
        self._rows(self.sentence_model, [sentence.id for sentence in sentences], self.sentences)
        for row, sentence in enumerate(sentences):
            self.sentence_model.item(row).setText(" ".join(sentence.text.split()))
        self.sentences.set_message("" if sentences else "No review sentences yet.")
        if opened is not None:
            self._show_about(opened)
        self._filling = False
        self._write()

    def _rows(self, model: QStandardItemModel, keys: Sequence[str], view: RowList) -> None:
        if [str(model.item(row).data(_KEY)) for row in range(model.rowCount())] == list(keys):
            return
        row = view.currentIndex().row()
        model.clear()
        for key in keys:
            entry = QStandardItem()
            entry.setEditable(False)
            entry.setData(key, _KEY)
            model.appendRow(entry)
        view.select_row(min(row, len(keys) - 1))

    def _fill(self, entry: QStandardItem, shown: Scored) -> None:
        words = ("included" if shown.judged else "excluded") + (" by hand" if shown.decided else "")
        detail = f"{words} · suitability {shown.suitability.value:.2f} · specificity {shown.specificity.value:.2f}"
        text = " ".join(shown.candidate.text.split())
        for role, value in (
            (int(Qt.ItemDataRole.DisplayRole), text),
            (int(DETAIL), detail),
            (int(Qt.ItemDataRole.AccessibleTextRole), f"{detail}. {text}"),
            (int(Qt.ItemDataRole.DecorationRole), theme().icon("check" if shown.judged else "minus", "muted")),
        ):
            entry.setData(value, role)

    def _show_about(self, opened: OpenCluster) -> None:
        cluster, plan = opened.cluster, opened.cluster.plan
        for field, value in ((self.suitable, cluster.suitable_from), (self.specific, cluster.specific_to)):
            blocker = QSignalBlocker(field)
            field.setValue(value)
            blocker.unblock()
        self.schedule.setCurrentIndex(max(0, self.schedule.findData(plan.schedule)))
        for spin, share in ((self.repeats, plan.repeats), (self.overlap, plan.overlap)):
            blocker = QSignalBlocker(spin)
            spin.setValue(round(100 * share))
            blocker.unblock()
        self.team.show_text(", ".join(plan.team))
        self._expected.setText(_expectation(len(opened.judged), adaptive=plan.schedule == "adaptive"))
        own = next((w.text for w in opened.written if w.annotator_id == opened.annotator_id), "")
        self.description.show_text(own)
        extract = opened.extract
        self._extracted.setText(
            f"Most central: “{extract.text}” (mean cosine {extract.mean_cosine:.2f} over {extract.sentences})"
            if extract is not None
            else "The most central sentence has not been extracted yet."
        )
        others = [written.text for written in opened.written if written.annotator_id != opened.annotator_id]
        taken = [choice.choice for choice in opened.choices]
        parts = [f"By others: {'; '.join(others)}"] if others else []
        if taken:
            parts.append(f"Chosen blind: {taken.count('written')} written, {taken.count('extracted')} extracted")
        self._others.setText(". ".join(parts))
        self._others.setVisible(bool(parts))
        learnt = f"learnt from {opened.head.decisions} decisions" if opened.head.decisions else "by rules"
        self._summary.setText(f"{len(opened.judged)} of {len(opened.candidates)} are judged · suitability {learnt}")

    def _write(self) -> None:
        tokens, shown = theme().tokens, self.candidate
        self.page.document().setDefaultFont(theme().reading_font(15))
        plain = f"font-family: '{theme().font('body').family()}'; font-size: {theme().px(12)}px"
        if shown is None:
            self.page.clear()
            return
        parts = [f"<p>{html.escape(shown.candidate.text)}</p>"]
        for name, score in (("Suitability", shown.suitability), ("Specificity", shown.specificity)):
            words = "; ".join(_reason(name, *reason) for reason in score.reasons[:_SHOWN_REASONS])
            parts.append(
                f'<p style="color:{tokens.muted}; margin:2px 0; {plain}">{name} {score.value:.2f}'
                f"{': ' + html.escape(words) if words else ''}</p>"
            )
        self.page.setHtml("".join(parts))


class WrappedDelegate(QStyledItemDelegate):
    """Rows as high as their whole text: QListView measures them for more room than it draws them in."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        view = self.parent()
        assert isinstance(view, QListView)
        room = view.viewport().width() - 2 * view.spacing() - theme().px(_TEXT_MARGIN)
        flags = int(Qt.TextFlag.TextWordWrap)
        box = option.fontMetrics.boundingRect(QRect(0, 0, max(room, 40), 10_000), flags, str(index.data()))
        return QSize(room, box.height() + theme().px(6))


def _expectation(n: int, *, adaptive: bool) -> str:
    """What a schedule asks for, and what it cannot promise."""
    every = n * (n - 1) // 2
    if n < 2:
        return ""
    if not adaptive:
        return f"All {every} pairs, and those shown twice."
    if n < FEW:
        return f"With {n} candidates there is little to save: judge all {every} pairs."
    close, careless = expected_pairs(n)
    return (
        f"About {close} of {every} pairs where your answers vary on close calls only, about {careless} where they vary"
        " on clear ones too. In simulations the winner was that of all pairs in about 95 of 100 clusters; the order"
        " of the others is not looked for."
    )


def _reason(name: str, words: str, weight: float) -> str:
    return f"{words} {weight:+.1f}" if name == "Suitability" else words
