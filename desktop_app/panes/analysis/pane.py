"""Analysis: real edits beside proposed ones, labels from responses, and what the corpus looks like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from desktop_app.context import AppContext
from desktop_app.panes.analysis.commands import EXPORTS
from desktop_app.panes.analysis.figures_view import FiguresView
from desktop_app.panes.analysis.judging import JudgingView
from desktop_app.panes.analysis.labels_view import LabelsView
from desktop_app.panes.analysis.reader import Desk, Item, Reader
from desktop_app.panes.analysis.work import count_task, export_task
from desktop_app.panes.base import ACT, Pane
from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.panes.linking.proposing import Proposing
from desktop_app.panes.linking.study import reviewer_name
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.row_list import RowList
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from engine.revision.generation.questions import QUESTIONS, answered, first_open, given, swapped

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from engine.documents.records import Paragraph, ParsedDocument
    from engine.exchange.edit_research import Research
    from engine.project import Changes
    from engine.revision.generation.records import Analysis

_WORK, _EXPORT = "work", "export"
_BLIND = "analysis.blind"
_JUDGING, _LABELS, _FIGURES = range(3)


class AnalysisPane(Pane):
    """Three views of one paper: comparing, reviewing labels, tables and figures."""

    pane_id = "analysis"
    title = "Analysis"
    icon = "chart-bar"
    purpose = (
        "Compare the real edits of a comment with a proposed one, review the links that responses give away, and see "
        "what the comments and edits of a corpus look like. Start by linking edits to comments."
    )
    tables = frozenset(
        {
            "proposal", "edit_analysis", "silver_label", "silver_decision", "edit_link", "comment_state", "comment",
            "comment_span", "edit", "revision", "paper", "paper_version", "annotation_done", "annotator",
        }
    )  # fmt: skip
    first_step = "analysis.to_linking"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.reader: Reader | None = None
        self.desk = Desk()
        self.found: Research | None = None
        self.question = 0
        self.blind = not context.state.bytes(_BLIND).isEmpty()
        self._at_hand = ""
        self._paper_id, self._origin = "", ""
        self._paragraphs: dict[str, Paragraph] = {}
        self._document = ""
        self._stale, self._filling = True, False
        self._job: BridgedJob | None = None
        self.fetcher = Fetcher(self)
        self.fetcher.fetched.connect(self._fetched)
        self.fetcher.failed.connect(lambda name, problem: self.show_problem(problem, name))
        self.proposing = Proposing(context.bridge, self)
        self.proposing.moved.connect(self._show_working)
        self.proposing.failed.connect(lambda failure: self.show_failure(failure, _WORK))
        self._build()

    def _build(self) -> None:
        registry = self.context.commands
        self.tabs = QTabBar(self.body)
        self.tabs.setAccessibleName("Views of the analysis")
        self.tabs.setDrawBase(False)
        for words in ("Real and generated edits", "Labels from responses", "Tables and figures"):
            self.tabs.addTab(words)
        self.tabs.currentChanged.connect(self._view_changed)
        self.paper, self.origin = QComboBox(self.body), QComboBox(self.body)
        for box, name in ((self.paper, "Paper"), (self.origin, "Whose proposals are compared")):
            box.setAccessibleName(name)
            box.setToolTip(name)
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(14)
            KeepsKeys(box)
            box.activated.connect(self._choice_changed)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 4)
        head.setSpacing(8)
        head.addWidget(self.tabs)
        head.addStretch(1)
        head.addWidget(self.paper)
        head.addWidget(self.origin)
        self._head_buttons: dict[str, CommandButton] = {}
        for name, words in (
            ("propose", "Propose"), ("stop", "Stop"), ("blind", "Blind"),
            ("export_tables", "Tables"), ("export_figures", "Figures"),
        ):  # fmt: skip
            button = self._head_buttons[name] = CommandButton(
                registry, f"analysis.{name}", text=words, parent=self.body
            )
            KeepsKeys(button)
            head.addWidget(button)
        self._head_buttons["blind"].setCheckable(True)
        self._told = text_label("", "small", wrap=True, parent=self.body)
        self._told.setContentsMargins(12, 0, 12, 6)
        self.model = QStandardItemModel(self)
        self.list = RowList("Comments with real and generated edits", self.body)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._row_chosen)
        self.judging = JudgingView(registry, self.body)
        self.judging.answered.connect(self._clicked)
        self.judging.noted.connect(self._noted)
        splitter = QSplitter(Qt.Orientation.Horizontal, self.body)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.list)
        splitter.addWidget(self.judging)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([260, 900])
        self.labels = LabelsView(registry, self.body)
        self.labels.chosen.connect(registry.state_changed.emit)
        self.figures = FiguresView(self.body)
        self.views = QStackedWidget(self.body)
        for view in (splitter, self.labels, self.figures):
            self.views.addWidget(view)
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._told)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.views, 1)
        self._show_head()

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        self.fetcher.forget()
        self.proposing.stop()
        if self._job is not None:
            self._job.cancel()
            self._job = None
        self.reader = Reader(self.project) if self.project is not None else None
        self.desk, self.found, self._stale = Desk(), None, True
        self._at_hand, self._paper_id, self._origin, self._document = "", "", "", ""
        self._paragraphs, self.question = {}, 0
        self._show()

    def is_empty(self) -> bool:
        return self.reader is None or not self.reader.studies.compared()

    def on_changes(self, changes: Changes) -> None:
        self._stale |= bool(changes.tables & self.tables)
        super().on_changes(changes)

    def refresh(self) -> None:
        assert self.reader is not None
        self.desk = self.reader.read(self._paper_id, self._origin)
        study = self.desk.study
        if study is not None and study.source.document_id != self._document:
            self._document, self._paragraphs = study.source.document_id, {}
            documents, key = self.reader.studies.documents, self._document
            self.fetcher.fetch("text", lambda: documents.parsed(key))
        self._show()
        self._count_if_seen()

    def take_focus(self) -> None:
        view = self.tabs.currentIndex()
        (self.list if view == _JUDGING else self.labels.list if view == _LABELS else self.figures).setFocus()

    # --- what can be done -----------------------------------------------------------------------------------------

    @property
    def item(self) -> Item | None:
        """The comment at hand with its edits."""
        return next((item for item in self.desk.items if item.comment.id == self._at_hand), None)

    @property
    def swap(self) -> bool:
        """Whether the generated edit stands at the left now."""
        assert self.project is not None
        return self.blind and swapped(self._at_hand, self.project.annotator_id)

    def has_study(self) -> bool:
        return self.desk.study is not None and self.body.isVisibleTo(self)

    def can_write(self) -> bool:
        return self.has_study() and self.project is not None and not self.project.read_only

    def can_judge(self) -> bool:
        return self.can_write() and self.tabs.currentIndex() == _JUDGING and self.item is not None

    def can_review(self) -> bool:
        return self.can_write() and self.tabs.currentIndex() == _LABELS and self.labels.pair is not None

    def is_refused(self) -> bool:
        return self.can_review() and self.labels.pair is not None and self.labels.pair.decision == "rejected"

    def can_propose(self) -> bool:
        return self.can_write() and self.desk.linked > 0 and not self.is_proposing()

    def is_proposing(self) -> bool:
        return bool(self.proposing.busy)

    def has_place(self) -> bool:
        return self.has_study() and bool(self._place()[0])

    def has_figures(self) -> bool:
        return self.found is not None and self.has_study()

    # --- acts -----------------------------------------------------------------------------------------------------

    def show_view(self, number: int) -> None:
        """Brings one of the three views to the front."""
        self.tabs.setCurrentIndex(number)

    def step(self, by: int) -> None:
        """The next or previous comment, or label."""
        if self.tabs.currentIndex() == _LABELS:
            self.labels.step(by)
        elif self.desk.items:
            row = self.list.currentIndex().row()
            self.list.select_row(min(max(row + by, 0), len(self.desk.items) - 1))

    def next_open(self) -> None:
        """The next comment or label that is not decided, around the end."""
        if self.tabs.currentIndex() == _LABELS:
            if not self.labels.next_open():
                self.banner.show_notice(Notice(ACT, "No other label is open.", kind="note"))
            return
        items, start = self.desk.items, self.list.currentIndex().row()
        for step in range(1, len(items) + 1):
            at = (start + step) % len(items)
            if not items[at].analysis.complete and at != start:
                self.list.select_row(at)
                return
        if items:
            self.banner.show_notice(Notice(ACT, "No other comment is undecided.", kind="note"))

    def step_question(self, by: int) -> None:
        """The next or previous question about the comment at hand."""
        self.question = min(max(self.question + by, 0), len(QUESTIONS) - 1)
        self._show_item()

    def answer(self, answer: int) -> None:
        """Answers the question at hand, and goes on to the next open one."""
        if answer < len(QUESTIONS[self.question].answers("", "")):
            self._clicked(self.question, answer)

    def _clicked(self, number: int, answer: int) -> None:
        item = self.item
        if item is None or not self.can_judge():
            self._show_item()
            return
        swap, asked = self.swap, QUESTIONS[number]
        self.question = number
        if given(item.analysis, asked, swap=swap) == answer or self._judge(
            answered(item.analysis, asked, answer, swap=swap)
        ):
            now = self.item
            following = first_open(now.analysis, swap=swap, after=number) if now else None
            if following is not None:
                self.question = following
        self._show_item()

    def clear(self) -> None:
        """Takes the answer to the question at hand back."""
        item = self.item
        assert item is not None
        self._judge(answered(item.analysis, QUESTIONS[self.question], None, swap=self.swap))

    def write_note(self) -> None:
        """Puts the cursor into the note."""
        self.judging.note.setFocus()

    def _noted(self, text: str) -> None:
        item = self.item
        if item is not None and self.can_judge() and text != item.analysis.note:
            self._judge(replace(item.analysis, note=text))

    def toggle_blind(self) -> None:
        """Sides by name, or as A and B in a hidden order; kept for the next time."""
        self.blind = not self.blind
        self.context.state.set_bytes(_BLIND, QByteArray(b"1") if self.blind else QByteArray())
        self._show()

    def confirm(self) -> None:
        """Makes the label a link, and goes on to the next open one."""
        self._review(lambda reader, pair: reader.silver.confirm(pair, initiator=self))

    def refuse(self) -> None:
        """Keeps that the label is wrong, and goes on to the next open one."""
        self._review(lambda reader, pair: reader.silver.refuse(pair, initiator=self))

    def reopen(self) -> None:
        """Takes a refusal back."""
        reader, pair = self.reader, self.labels.pair
        assert reader is not None
        assert pair is not None
        self.act(lambda: reader.silver.reopen(pair, initiator=self))

    def _review(self, verb: Callable[..., object]) -> None:
        reader, pair = self.reader, self.labels.pair
        assert reader is not None
        assert pair is not None
        if self.act(lambda: verb(reader, pair)):
            self.labels.next_open()

    def find_labels(self) -> None:
        """Looks for labels anew; what was decided stays."""
        from engine.revision.tasks import find_silver_labels

        reader, study = self.reader, self.desk.study
        assert reader is not None
        assert study is not None
        self.context.bridge.submit(
            find_silver_labels(reader.studies.reviews, reader.studies.revisions, reader.silver, study.revision.id),
            self,
            on_done=self._labels_found,
            on_error=lambda failure: self.show_failure(failure, _WORK),
        )

    def _labels_found(self, found: object) -> None:
        pairs = getattr(found, "pairs", 0)
        what = f"{pairs} pairs of a comment and an edit were found in responses." if pairs else "No labels were found."
        self.banner.show_notice(Notice(_WORK, what, kind="note"))

    def propose(self) -> None:
        """Has edits proposed for every comment with links."""
        reader, study = self.reader, self.desk.study
        assert reader is not None
        assert study is not None
        linked = {link.comment_id for link in study.links}
        comments = [comment.id for comment in study.comments if comment.id in linked]
        self.act(lambda: self.proposing.propose(reader.project, study.revision.id, comments))

    def go(self) -> None:
        """Shows comment and edit in the Linking pane."""
        comment, edit = self._place()
        self.context.show_pane("linking")
        pane = getattr(self.window(), "panes", {}).get("linking")
        if isinstance(pane, LinkingPane):
            pane.go_to(comment, edit)

    def _place(self) -> tuple[str, str]:
        pair = self.labels.pair
        if self.tabs.currentIndex() == _LABELS:
            return (pair.comment_id, pair.edit_id) if pair else ("", "")
        return (self.item.comment.id, self.item.edits[0].id) if self.item else ("", "")

    def _judge(self, analysis: Analysis) -> bool:
        reader = self.reader
        assert reader is not None
        return self.act(lambda: reader.generation.judge(analysis, initiator=self))

    # --- files ----------------------------------------------------------------------------------------------------

    def export(self, format_: str) -> None:
        """Asks where to write, and has it written."""
        path = self.context.files.save_file(self, EXPORTS[format_][0].rstrip("…"), "analysis", ".csv")
        if path is not None:
            self.export_to(format_, path)

    def export_to(self, format_: str, path: Path) -> None:
        """Has the files of a format written, named after ``path``."""
        assert self.found is not None
        self.context.bridge.submit(
            export_task(self.found, format_, path),
            self,
            on_done=self._exported,
            on_error=lambda failure: self.show_failure(failure, _EXPORT),
        )

    def _exported(self, paths: tuple[str, ...]) -> None:
        self.banner.show_notice(written_notice(_EXPORT, paths))

    # --- showing --------------------------------------------------------------------------------------------------

    def _fetched(self, _name: str, found: object) -> None:
        parsed = cast("ParsedDocument | None", found)
        self._paragraphs = {paragraph.id: paragraph for paragraph in parsed.paragraphs} if parsed else {}
        self._show_item()

    def _choice_changed(self, _at: int) -> None:
        self._paper_id, self._origin = self.paper.currentData() or "", self.origin.currentData() or ""
        self._stale = True
        self.refresh_now()

    def _view_changed(self, number: int) -> None:
        self.views.setCurrentIndex(number)
        self._show_head()
        self._count_if_seen()
        self.take_focus()
        self.context.commands.state_changed.emit()

    def _show_head(self) -> None:
        view = self.tabs.currentIndex()
        self.paper.setVisible(len(self.desk.papers) > 1 and view != _FIGURES)
        self.origin.setVisible(view == _JUDGING)
        for name, button in self._head_buttons.items():
            wanted = {"propose": _JUDGING, "stop": _JUDGING, "blind": _JUDGING}.get(name, _FIGURES)
            button.setVisible(view == wanted and (name != "stop" or self.is_proposing()))
        self._head_buttons["blind"].setChecked(self.blind)

    def _show_working(self) -> None:
        self._show_told()
        self._show_head()
        self.context.commands.state_changed.emit()

    def _show(self) -> None:
        desk = self.desk
        self._fill(self.paper, [(paper.title or "Untitled paper", paper.id) for paper in desk.papers], self._paper_id)
        makers = [
            ("All, the newest", ""),
            *((origin.removeprefix("model:"), origin) for origin in desk.origins),
        ]
        self._fill(self.origin, makers, self._origin)
        self._filling = True
        row = next((at for at, item in enumerate(desk.items) if item.comment.id == self._at_hand), -1)
        if row < 0 and desk.items:
            row = next((at for at, item in enumerate(desk.items) if not item.analysis.complete), 0)
        if [item.comment.id for item in desk.items] != [self._key(at) for at in range(self.model.rowCount())]:
            self.model.clear()
            for _ in desk.items:
                self.model.appendRow(QStandardItem())
        for at, item in enumerate(desk.items):
            entry = self.model.item(at)
            told = "✓ judged" if item.analysis.complete else self._left(item)
            for role, value in (
                (int(Qt.ItemDataRole.UserRole), item.comment.id),
                (int(Qt.ItemDataRole.DisplayRole), " ".join(item.comment.comment.split())),
                (int(DETAIL), f"{reviewer_name(item.comment)} · {told}"),
                (int(Qt.ItemDataRole.AccessibleTextRole), f"{told}. {item.comment.comment}"),
                (
                    int(Qt.ItemDataRole.DecorationRole),
                    theme().icon("check" if item.analysis.complete else "circle-dashed", "muted"),
                ),
            ):
                entry.setData(value, role)
        self.list.select_row(row)
        self._filling = False
        self._take(desk.items[row].comment.id if row >= 0 else "")
        self.list.set_message("" if desk.items else self._empty_words())
        self._show_item()
        self.labels.show_pairs(desk.pairs, desk.comments, desk.edits)
        self._show_told()
        self._show_head()
        self.context.commands.state_changed.emit()

    def _key(self, row: int) -> str:
        return str(self.model.item(row).data(int(Qt.ItemDataRole.UserRole)))

    def _left(self, item: Item) -> str:
        done = sum(given(item.analysis, question, swap=False) is not None for question in QUESTIONS)
        return f"{done} of {len(QUESTIONS)} answered" if done else "open"

    def _empty_words(self) -> str:
        if not self.desk.linked:
            return "No comment has a link yet. Link edits to comments first."
        return "No edits are proposed yet. Have them proposed with P."

    def _show_told(self) -> None:
        complete = sum(item.analysis.complete for item in self.desk.items)
        open_ = sum(pair.decision is None for pair in self.desk.pairs)
        parts = [
            f"{complete} of {len(self.desk.items)} comparisons judged",
            f"{open_} of {len(self.desk.pairs)} labels open",
        ]
        if self.proposing.busy:
            parts.insert(0, self.proposing.busy)
        words = " · ".join(parts) if self.desk.study else ""
        self._told.setText(words)
        self.set_status(words)

    @staticmethod
    def _fill(box: QComboBox, entries: Sequence[tuple[str, str]], chosen: str) -> None:
        if [(box.itemText(n), box.itemData(n)) for n in range(box.count())] != list(entries):
            box.clear()
            for words, key in entries:
                box.addItem(words, key)
        box.setCurrentIndex(max(0, box.findData(chosen)))

    def _row_chosen(self, *_indices: object) -> None:
        if not self._filling:
            row = self.list.currentIndex().row()
            self._take(self.desk.items[row].comment.id if 0 <= row < len(self.desk.items) else "")
            self._show_item()
            self.context.commands.state_changed.emit()

    def _take(self, comment_id: str) -> None:
        if comment_id != self._at_hand:
            self._at_hand = comment_id
            item = self.item
            self.question = (first_open(item.analysis, swap=self.swap) or 0) if item else 0

    def _show_item(self) -> None:
        item = self.item
        self.judging.show_item(
            item,
            self._paragraphs,
            blind=self.blind,
            swap=self.swap if item else False,
            question=self.question,
            empty=self._empty_words(),
        )

    def _count_if_seen(self) -> None:
        if self.tabs.currentIndex() != _FIGURES or not self._stale or self.project is None or not self.isVisible():
            return
        self._stale = False
        self._job = self.context.bridge.submit(
            count_task(self.project),
            self,
            on_done=self._counted,
            on_error=lambda failure: self.show_failure(failure, _WORK),
        )

    def _counted(self, found: Research) -> None:
        self._job, self.found = None, found
        self.figures.show_research(found)
        self.context.commands.state_changed.emit()
