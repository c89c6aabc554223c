"""Links that the authors' responses give away, to be confirmed or refused, one key each; the words that show it lit."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.study import reviewer_name
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.row_list import RowList, paint_row_ground
from desktop_app.widgets.tracked import lit_html, tracked_html
from engine.reviews.records import Comment
from engine.revision.records import Edit, SilverPair

Index = QModelIndex | QPersistentModelIndex
_DECIDED = {"accepted": "✓ confirmed", "rejected": "✕ refused", None: "open"}
_KINDS = {
    "quoted text": "the response quotes words that are new in the edit",
    "quoted comment": "the response quotes the comment, and its answer shares words with the edit",
    "reply": "the response shares words with the edit",
}


class PairModel(QAbstractListModel):
    """The queue, the surest first; what was decided keeps its place."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[SilverPair, ...] = ()
        self.comments: Mapping[str, Comment] = {}
        self.edits: Mapping[str, Edit] = {}

    def show_rows(self, rows: Sequence[SilverPair], comments: Mapping[str, Comment], edits: Mapping[str, Edit]) -> None:
        same = [(p.comment_id, p.edit_id) for p in rows] == [(p.comment_id, p.edit_id) for p in self.rows]
        if not same:
            self.beginResetModel()
        self.rows, self.comments, self.edits = tuple(rows), comments, edits
        if not same:
            self.endResetModel()
        elif rows:
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1), [int(Qt.ItemDataRole.DecorationRole)])

    def row_of(self, pair: SilverPair | None) -> int:
        if pair is None:
            return -1
        key = (pair.comment_id, pair.edit_id)
        return next((at for at, row in enumerate(self.rows) if (row.comment_id, row.edit_id) == key), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def words(self, row: SilverPair) -> str:
        """Which edit, how sure, what was decided."""
        edit = self.edits.get(row.edit_id)
        surest = row.labels[0]
        return f"{_DECIDED[row.decision]} · {edit.label if edit else ''} · {surest.kind} {surest.strength:.2f}"

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        comment = self.comments.get(row.comment_id)
        if role == Qt.ItemDataRole.DisplayRole:
            return comment.comment if comment else ""
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.words(row)}. {comment.comment if comment else ''}"
        return None


class PairDelegate(QStyledItemDelegate):
    """What was decided and how it was found, then the comment's beginning."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(160, theme().px(48))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, PairModel)
        row = model.rows[index.row()]
        tokens, rect = theme().tokens, QRect(option.rect)
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        inner = rect.adjusted(12, 6, -12, -6)
        for at, (words, tint) in enumerate(
            (
                (model.words(row), tokens.data["linked"].ink if row.decision == "accepted" else tokens.muted),
                (" ".join(str(index.data()).split()), tokens.muted if row.decision else tokens.ink),
            )
        ):
            painter.setFont(theme().font("body" if at else "small", tabular=True))
            painter.setPen(QColor(tint))
            side = Qt.AlignmentFlag.AlignBottom if at else Qt.AlignmentFlag.AlignTop
            fits = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | side, fits)
        painter.restore()


class LabelsView(QWidget):
    """The queue at the left; comment, response and edit of the pair at hand at the right."""

    chosen = Signal()

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Labels from responses")
        self.model = PairModel(self)
        self.list = RowList("Labels from responses", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(PairDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._row_chosen)
        self._title = text_label("", "section", parent=self)
        self.page = HtmlPage("Comment, response and edit", self)
        acts = QHBoxLayout()
        acts.setSpacing(8)
        for name in ("confirm", "refuse", "reopen", "find_labels"):
            button = CommandButton(registry, f"analysis.{name}", parent=self)
            KeepsKeys(button)
            acts.addWidget(button)
        acts.addStretch(1)
        right = QWidget(self)
        right.setAccessibleName("The pair at hand")
        right.setProperty("role", "surface")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(right)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        column.addWidget(self._title)
        column.addWidget(self.page, 1)
        column.addWidget(hairline(parent=right))
        column.addLayout(acts)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.list)
        splitter.addWidget(right)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([320, 800])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)
        self._filling = False
        theme().changed.connect(self._write)

    @property
    def pair(self) -> SilverPair | None:
        """The one at hand."""
        row = self.list.currentIndex().row()
        return self.model.rows[row] if 0 <= row < len(self.model.rows) else None

    def show_pairs(
        self, pairs: Sequence[SilverPair], comments: Mapping[str, Comment], edits: Mapping[str, Edit]
    ) -> None:
        """Another state of the queue; the pair at hand stays, else the first open one comes."""
        before = self.pair
        self._filling = True
        self.model.show_rows(pairs, comments, edits)
        row = self.model.row_of(before)
        if row < 0 and pairs:
            row = next((at for at, pair in enumerate(pairs) if pair.decision is None), 0)
        self.list.select_row(row)
        self._filling = False
        self.list.set_message("" if pairs else "No labels yet. They are found in the authors' responses.")
        self._write()

    def step(self, by: int) -> None:
        """The next or previous pair."""
        if self.model.rows:
            self.list.select_row(min(max(self.list.currentIndex().row() + by, 0), len(self.model.rows) - 1))

    def next_open(self) -> bool:
        """The next pair that nobody decided on, around the end; whether there is one."""
        rows, start = self.model.rows, self.list.currentIndex().row()
        for step in range(1, len(rows) + 1):
            at = (start + step) % len(rows)
            if rows[at].decision is None and at != start:
                self.list.select_row(at)
                return True
        return False

    def _row_chosen(self, *_indices: object) -> None:
        if not self._filling:
            self._write()
            self.chosen.emit()

    def _write(self) -> None:
        pair = self.pair
        comment = self.model.comments.get(pair.comment_id) if pair else None
        edit = self.model.edits.get(pair.edit_id) if pair else None
        if pair is None or comment is None or edit is None:
            self._title.setText("Nothing to review")
            self.page.clear()
            return
        tokens = theme().tokens
        self._title.setText(f"{reviewer_name(comment)} and {edit.label}: {_DECIDED[pair.decision]}")
        evidence = [label.evidence for label in pair.labels]
        muted = f"style='color:{tokens.muted}'"
        parts = [
            f"<p {muted}>Comment</p><p>{lit_html(comment.comment, evidence)}</p>",
            f"<p {muted}>The authors' response</p><p>{lit_html(comment.response, evidence)}</p>"
            if comment.response
            else "",
        ]
        for label in pair.labels:
            why = f"Why: {_KINDS[label.kind]} ({label.strength:.2f})"
            parts.append(f"<p {muted}>{why}</p><p>{lit_html(label.evidence, [label.evidence])}</p>")
        head = f"{edit.label} · {WORDS[edit.kind]} · {edit.section or 'no section'}"
        marked = tracked_html(edit.source_text, edit.target_text, evidence=evidence)
        parts.append(f"<p {muted}>{html.escape(head)}</p><p>{marked}</p>")
        self.page.document().setDefaultFont(theme().reading_font(13))
        self.page.setHtml("".join(parts))
