"""Agreement: what two annotators agree on, with intervals; where they differ; and what holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QSplitter, QVBoxLayout, QWidget

from desktop_app.context import AppContext
from desktop_app.panes.agreement.charts import IntervalBars, PairTable
from desktop_app.panes.agreement.commands import EXPORTS
from desktop_app.panes.agreement.detail import DisagreementDetail
from desktop_app.panes.agreement.queue import QueueDelegate, QueueModel
from desktop_app.panes.agreement.work import compare_task, export_task, merge_task
from desktop_app.panes.base import ACT, Pane
from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.widgets.annotator_button import AnnotatorButton
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.widgets.buttons import CommandButton, IconButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.row_list import RowList
from engine.agreement.records import Adjudication, Agreement, Disagreement, Figures, Verdict
from engine.exchange.agreement import AgreementExport
from engine.exchange.studies import Standing, Studies

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from engine.project import Changes
    from engine.project.merge import MergeReport
    from engine.reviews.records import Comment
    from engine.revision.records import Edit

_COMPARE, _MERGE, _EXPORT = "compare", "merge", "export"
_WORK = frozenset({"edit_link", "comment_state", "comment", "comment_span", "annotation_done", "annotator", "edit"})
_SHOWN_CONFLICTS = 3


class AgreementPane(Pane):
    """Measures at the left, the queue of disagreements in the middle, the one at hand at the right."""

    pane_id = "agreement"
    title = "Agreement"
    icon = "handshake"
    purpose = (
        "See how far two annotators agree on the links of a paper, and decide where they differ. Each works unseen by "
        "the other until both say that they are done. Start by linking under two names, or bring in the other "
        "annotator's file."
    )
    tables = _WORK | {"adjudication", "paper", "paper_version", "revision"}
    first_step = "agreement.merge"
    search_hint = "Find a disagreement"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.studies: Studies | None = None
        self.standings: tuple[Standing, ...] = ()
        self.found: Agreement | None = None
        self.names = ("", "")
        self._pair = ("", "")
        self._stale = True
        self._job: BridgedJob | None = None
        self._comments: dict[str, Comment] = {}
        self._edits: dict[str, Edit] = {}
        self._decided: dict[str, Adjudication] = {}
        self._at_hand = ""
        self._edit_at = 0
        self._wanted = ""
        self._build()

    def _build(self) -> None:
        registry = self.context.commands
        self.first, self.second = QComboBox(self.body), QComboBox(self.body)
        self.paper = QComboBox(self.body)
        for box, name in ((self.first, "First annotator"), (self.second, "Second annotator"), (self.paper, "Paper")):
            box.setAccessibleName(name)
            box.setToolTip(name)
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            box.setMinimumContentsLength(8)
            KeepsKeys(box)
        self.first.activated.connect(self._pair_chosen)
        self.second.activated.connect(self._pair_chosen)
        self.paper.activated.connect(lambda _at: self._show_figures())
        self.annotator = AnnotatorButton(self.context, self._paper_at_hand, self.body)
        self.merge_button = CommandButton(registry, "agreement.merge", text="Bring in a file", parent=self.body)
        KeepsKeys(self.merge_button)
        self._export = IconButton(
            "export", "Export", "Write measures, disagreements, figures", text="Export", parent=self.body
        )
        self._export.clicked.connect(self._open_exports)
        KeepsKeys(self._export)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 4)
        head.setSpacing(8)
        head.addWidget(self.first)
        head.addWidget(text_label("and", "muted", parent=self.body))
        head.addWidget(self.second)
        head.addStretch(1)
        head.addWidget(self.merge_button)
        head.addWidget(self._export)
        head.addWidget(self.annotator)
        self._standing = text_label("", "small", wrap=True, parent=self.body)
        self._standing.setContentsMargins(12, 4, 12, 6)
        self.bars = IntervalBars(self.body)
        self.pairs = PairTable(self.body)
        self._counts = text_label("", "small", wrap=True, parent=self.body)
        self._counts.setContentsMargins(12, 4, 12, 8)
        left = QWidget(self.body)
        left.setAccessibleName("Measures")
        left.setProperty("role", "surface")
        left.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(4)
        choose = QHBoxLayout()
        choose.setContentsMargins(12, 0, 12, 4)
        choose.addWidget(self.paper, 1)
        column.addLayout(choose)
        column.addWidget(self.bars)
        column.addWidget(self.pairs)
        column.addWidget(self._counts)
        column.addStretch(1)
        self.model = QueueModel(self)
        self.list = RowList("Disagreements", self.body)
        self.list.setModel(self.model)
        self.list.setItemDelegate(QueueDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._row_chosen)
        self.list.activated_row.connect(lambda _row: self.go())
        self.detail = DisagreementDetail(registry, self.body)
        self.detail.noted.connect(self._noted)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self.body)
        self.splitter.setChildrenCollapsible(False)
        for widget, least, stretch in ((left, 380, 0), (self.list, 220, 0), (self.detail, 320, 1)):
            widget.setMinimumWidth(least)
            self.splitter.addWidget(widget)
            self.splitter.setStretchFactor(self.splitter.indexOf(widget), stretch)
        self.splitter.setSizes([400, 240, 530])
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._standing)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(self.splitter, 1)

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def project_set(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None
        self.studies = Studies(self.project) if self.project is not None else None
        self.standings, self.found, self._stale = (), None, True
        self._decided, self._at_hand, self._pair = {}, "", ("", "")
        self._show_found()
        self.annotator.refresh()

    def is_empty(self) -> bool:
        return self.studies is None or not any(standing.worked for standing in self.studies.standings())

    def on_changes(self, changes: Changes) -> None:
        self._stale |= bool(changes.tables & _WORK)
        super().on_changes(changes)

    def refresh(self) -> None:
        assert self.studies is not None
        self.standings = self.studies.standings()
        self.annotator.refresh()
        self._show_people()
        self._show_standing()
        self._read_decided()
        if self._stale:
            self._stale = False
            self._compare()
        self._show_found()

    def search(self, text: str) -> None:
        self._wanted = text.casefold()
        self._find(0)

    def search_next(self, forward: bool = True) -> None:
        self._find(1 if forward else -1)

    def _find(self, by: int) -> None:
        rows, start = self.model.rows, max(0, self.list.currentIndex().row())
        for step in range(len(rows)) if by == 0 else range(1, len(rows) + 1):
            at = (start + step * (by or 1)) % len(rows)
            comment = self._comments.get(rows[at].comment.first_id)
            if self._wanted and comment is not None and self._wanted in comment.comment.casefold():
                self.list.select_row(at)
                return

    def take_focus(self) -> None:
        self.list.setFocus()

    # --- what can be done -----------------------------------------------------------------------------------------

    @property
    def disagreement(self) -> Disagreement | None:
        """The one at hand."""
        row = self.model.row_of(self._at_hand)
        return self.model.rows[row] if row >= 0 else None

    def has_disagreement(self) -> bool:
        return self.disagreement is not None and self.body.isVisibleTo(self)

    def can_decide(self) -> bool:
        return self.has_disagreement() and self.project is not None and not self.project.read_only

    def can_choose_edit(self) -> bool:
        return self.can_decide() and self.disagreement is not None and bool(self.disagreement.disputed)

    def is_decided(self) -> bool:
        return self.can_decide() and self._at_hand in self._decided

    def has_figures(self) -> bool:
        return self.found is not None and bool(self.found.papers)

    def can_merge(self) -> bool:
        return self.project is not None and not self.project.read_only

    # --- acts -----------------------------------------------------------------------------------------------------

    def decide(self, verdict: Verdict) -> None:
        """Decides, and goes on to the next open disagreement."""
        found, studies = self.disagreement, self.studies
        assert found is not None
        assert studies is not None
        if self.act(lambda: studies.agreement.adjudicate(found, self._pair, verdict, initiator=self)):
            self.skip()

    def toggle_edit(self) -> None:
        """Of the disputed edits the one at hand holds, or holds no more; the others stay as they are."""
        found, studies = self.disagreement, self.studies
        assert found is not None
        assert studies is not None
        ruling = self._decided.get(self._at_hand)
        held = set(ruling.edit_ids) & set(found.disputed) if ruling and ruling.verdict else set()
        held ^= {self._disputed()}
        verdict: Verdict = "neither"
        for name, edits in (("first", found.only_first), ("second", found.only_second), ("both", found.disputed)):
            if held and held == set(edits):
                verdict = name  # type: ignore[assignment]
        self.act(
            lambda: studies.agreement.adjudicate(found, self._pair, verdict, edit_ids=sorted(held), initiator=self)
        )

    def write_note(self) -> None:
        """Puts the cursor into the note."""
        self.detail.note.setFocus()

    def _noted(self, text: str) -> None:
        found, studies = self.disagreement, self.studies
        if found is not None and studies is not None and self.can_decide():
            self.act(lambda: studies.agreement.note(found, self._pair, text, initiator=self))

    def reopen(self) -> None:
        """Takes a decision back."""
        ruling, studies = self._decided.get(self._at_hand), self.studies
        assert ruling is not None
        assert studies is not None
        self.act(lambda: studies.agreement.reopen(ruling, initiator=self))

    def step(self, by: int) -> None:
        """The next or previous disagreement."""
        if self.model.rows:
            row = self.list.currentIndex().row()
            self.list.select_row(min(max(row + by, 0), len(self.model.rows) - 1))

    def step_edit(self, by: int) -> None:
        """The next or previous of the disputed edits."""
        found = self.disagreement
        if found is not None and found.disputed:
            self._edit_at = min(max(self._edit_at + by, 0), len(found.disputed) - 1)
            self._show_detail()

    def skip(self) -> None:
        """The next open disagreement after this one, around the end."""
        rows, start = self.model.rows, self.list.currentIndex().row()
        for step in range(1, len(rows) + 1):
            at = (start + step) % len(rows)
            if not self.model.is_decided(rows[at]) and at != start:
                self.list.select_row(at)
                return
        if rows and all(map(self.model.is_decided, rows)):
            self.banner.show_notice(Notice(ACT, "Every disagreement is decided.", kind="note"))

    def go(self) -> None:
        """Shows comment and edit in the Linking pane."""
        found = self.disagreement
        if found is None:
            return
        edit = self._disputed() or next(iter(found.agreed), "")
        self.context.show_pane("linking")
        pane = getattr(self.window(), "panes", {}).get("linking")
        if isinstance(pane, LinkingPane):
            pane.go_to(found.comment.first_id, edit)

    def _disputed(self) -> str:
        found = self.disagreement
        return found.disputed[min(self._edit_at, len(found.disputed) - 1)] if found and found.disputed else ""

    # --- files ----------------------------------------------------------------------------------------------------

    def ask_for_file(self) -> None:
        """Asks for another annotator's project file."""
        path = self.context.files.open_file(
            self, "Merge another annotator's project", "Rejoinder project (*.rejoinder)"
        )
        if path is not None:
            self.merge(path)

    def merge(self, path: Path) -> None:
        """Brings another annotator's file in, in a job."""
        if self.project is not None:
            self.context.bridge.submit(
                merge_task(self.project, path),
                self,
                on_done=self._merged,
                on_error=lambda f: self.show_failure(f, _MERGE),
            )

    def _merged(self, report: MergeReport) -> None:
        people = " and ".join(report.annotators)
        what = f"{report.filename} is in: {report.rows:,} rows" + (f" of {people}." if people else ".")
        if not report.rows:
            what = f"{report.filename} has nothing that is not here."
        if report.conflicts:
            count = len(report.conflicts)
            told = " ".join(conflict.sentence() for conflict in report.conflicts[:_SHOWN_CONFLICTS])
            more = f" And {count - _SHOWN_CONFLICTS} more." if count > _SHOWN_CONFLICTS else ""
            means = f"{count} conflict{'' if count == 1 else 's'}: this file's rows stayed, the others are kept."
            self.banner.show_notice(Notice(_MERGE, what, f"{means} {told}{more}", kind="attention"))
        else:
            self.banner.show_notice(Notice(_MERGE, what, "Undo takes it out again.", kind="note"))

    def export(self, format_: str) -> None:
        """Asks where to write a format, and has it written."""
        path = self.context.files.save_file(self, EXPORTS[format_][0].rstrip("…"), "agreement", ".csv")
        if path is not None:
            self.export_to(format_, path)

    def export_to(self, format_: str, path: Path) -> None:
        """Has the files of a format written, named after ``path``."""
        assert self.found is not None
        export = AgreementExport(self.found, self._comments, self._edits, self._decided)
        self.context.bridge.submit(
            export_task(export, format_, path),
            self,
            on_done=self._exported,
            on_error=lambda f: self.show_failure(f, _EXPORT),
        )

    def _exported(self, paths: tuple[str, ...]) -> None:
        self.banner.show_notice(written_notice(_EXPORT, paths))

    def _open_exports(self) -> None:
        menu = QMenu(self)
        menu.setAccessibleName("Exports")
        for name, (title, words) in EXPORTS.items():
            action = menu.addAction(title)
            action.triggered.connect(
                lambda _checked=False, which=name: self.context.commands.run(f"agreement.export_{which}")
            )
            action.setToolTip(words)
            action.setEnabled(self.has_figures())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._export.mapToGlobal(QPoint(0, self._export.height())))

    # --- showing --------------------------------------------------------------------------------------------------

    def _paper_at_hand(self) -> tuple[str, str]:
        """What "done" is about: the paper that is chosen, or the only one."""
        wanted = self.paper.currentData() or ""
        papers = [standing.paper for standing in self.standings]
        found = next((p for p in papers if p.id == wanted), papers[0] if len(papers) == 1 else None)
        return (found.id, found.title) if found else ("", "")

    def _show_people(self) -> None:
        """The annotators whose work may be compared: done, and not hidden."""
        assert self.project is not None
        names = dict(self.project.annotators())
        open_ = [k for k in names if any(k in s.worked and k in s.done & s.visible for s in self.standings)]
        for box, fallback in ((self.first, 0), (self.second, 1)):
            if [box.itemData(n) for n in range(box.count())] != open_:
                kept = box.currentData()
                box.clear()
                for key in open_:
                    box.addItem(names[key], key)
                at = box.findData(kept)
                box.setCurrentIndex(at if at >= 0 else min(fallback, len(open_) - 1))
        pair = (str(self.first.currentData() or ""), str(self.second.currentData() or ""))
        if pair != self._pair:
            self._pair, self._stale = pair, True
        self.names = (names.get(pair[0], ""), names.get(pair[1], ""))

    def _pair_chosen(self, _at: int) -> None:
        if self.first.currentData() == self.second.currentData() and self.second.count() > 1:
            self.second.setCurrentIndex((self.first.currentIndex() + 1) % self.second.count())
        self._at_hand = ""
        self.refresh_now()

    def _show_standing(self) -> None:
        assert self.project is not None
        names = dict(self.project.annotators())
        parts = []
        for standing in self.standings:
            people = [f"{names[key]}{' ✓ done' if key in standing.done else ' at work'}" for key in standing.worked]
            parts.append(f"{standing.paper.title or 'Untitled paper'}: {', '.join(people) or 'nobody yet'}")
        hidden = any(len(s.worked) > 1 and not set(s.worked) <= s.visible for s in self.standings)
        words = " · ".join(parts)
        if hidden:
            words += ". What the others did is hidden from you until you and they are done."
        self._standing.setText(words)

    def _compare(self) -> None:
        first, second = self._pair
        if self._job is not None:
            self._job.cancel()
            self._job = None
        if self.project is None or not first or not second or first == second:
            self.found = None
            return
        self._job = self.context.bridge.submit(
            compare_task(self.project, first, second),
            self,
            on_done=self._compared,
            on_error=lambda failure: self.show_failure(failure, _COMPARE),
        )

    def _compared(self, found: Agreement) -> None:
        self._job, self.found = None, found
        assert self.studies is not None
        self._comments = {comment.id: comment for comment in self.studies.reviews.comments()}
        revisions = {one.revision_id for one in found.disagreements}
        self._edits = {edit.id: edit for key in revisions for edit in self.studies.revisions.edits(key)}
        self._read_decided()
        self._show_found()

    def _read_decided(self) -> None:
        assert self.studies is not None
        self._decided = {}
        for standing in self.standings:
            self._decided |= self.studies.agreement.adjudications(standing.revision.id)

    def _show_found(self) -> None:
        found = self.found
        titles = [("All papers", ""), *((f.title, f.paper_id) for f in found.papers)] if found else []
        if [self.paper.itemData(n) for n in range(self.paper.count())] != [key for _, key in titles]:
            kept = self.paper.currentData()
            self.paper.clear()
            for title, key in titles:
                self.paper.addItem(title, key)
            self.paper.setCurrentIndex(max(0, self.paper.findData(kept)))
        self._show_figures()
        self.annotator.refresh()
        self.context.commands.state_changed.emit()

    def _figures(self) -> Figures | None:
        if self.found is None:
            return None
        wanted = self.paper.currentData()
        return next((f for f in self.found.papers if f.paper_id == wanted), self.found.overall)

    def _show_figures(self) -> None:
        figures = self._figures()
        self.bars.show_figures(figures)
        self.pairs.show_figures(figures, *self.names)
        rows: list[Disagreement] = []
        if figures is None or self.found is None:
            self._counts.setText("")
            message = "Two annotators who are done with a paper can be compared here."
            self.set_status("")
        else:
            pairs = sum(map(sum, figures.confusion))
            left = f"; {figures.left_out} comments that one of both left out do not count" if figures.left_out else ""
            self._counts.setText(
                f"{pairs:,} pairs of a comment and an edit, of {figures.comments} comments that both decided on{left}. "
                "Bars: 95 % intervals, resampled by comment."
            )
            rows = [r for r in self.found.disagreements if not figures.paper_id or r.paper_id == figures.paper_id]
            message = (
                "They agree on every comment that both decided on."
                if figures.comments
                else ("Both are done, but there is no comment that both decided on.")
            )
            open_ = sum(self._decided.get(r.comment.first_id, None) is None for r in rows)
            self.set_status(f"{len(rows)} disagreements · {open_} open")
        self._filling = True
        self.model.show_rows(rows, self._comments, self._decided, self.names)
        at = self.model.row_of(self._at_hand)
        if at < 0 and rows:
            at = next((n for n, row in enumerate(rows) if not self.model.is_decided(row)), 0)
        self.list.select_row(at)
        self._filling = False
        self._take(rows[at].comment.first_id if at >= 0 else "")
        self.list.set_message(message)
        self._show_detail()

    _filling = False

    def _row_chosen(self, *_indices: object) -> None:
        if not self._filling:
            row = self.list.currentIndex().row()
            self._take(self.model.rows[row].comment.first_id if 0 <= row < len(self.model.rows) else "")
            self._show_detail()
            self.context.commands.state_changed.emit()

    def _take(self, comment_id: str) -> None:
        if comment_id != self._at_hand:
            self._at_hand, self._edit_at = comment_id, 0

    def _show_detail(self) -> None:
        self.detail.show_disagreement(
            self.disagreement,
            self.names,
            self._comments,
            self._edits,
            ruling=self._decided.get(self._at_hand),
            at_hand=self._disputed(),
        )
