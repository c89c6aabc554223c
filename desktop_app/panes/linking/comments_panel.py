"""The left side: the comment at hand in full with its states and keys, and the list of all comments under it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.comment_list import COMMENT, CommentDelegate, CommentModel, state_chip
from desktop_app.panes.linking.study import SHORT_STATES, STATES, Study, reviewer_name
from desktop_app.theme import READING_LINE_HEIGHT, theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.row_list import RowList
from engine.reviews.records import Comment
from engine.revision.records import CommentState


class CommentsPanel(QWidget):
    """Shows the comments of a study. Which one is at hand is the selection of its list."""

    chosen = Signal(str)
    """Another comment is at hand: its id, or empty."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Comments")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = CommentModel(self)
        self.list = RowList("Comments", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(CommentDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._row_chosen)
        self.card = CommentCard(registry, self)
        self._filling = False
        self._at_hand = ""
        self._build()

    def _build(self) -> None:
        self.reviewer = QComboBox(self)
        self.reviewer.setAccessibleName("Only comments of this reviewer")
        self.state = QComboBox(self)
        self.state.setAccessibleName("Only comments in this state")
        for words, value in (("All states", ""), ("Without a link", "unlinked"), *((w, s) for s, w in STATES.items())):
            self.state.addItem(words, value)
        self.reviewer.addItem("Everyone", "")
        for box in (self.reviewer, self.state):
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(6)
            KeepsKeys(box)
            box.currentIndexChanged.connect(self._filter)
        self._count = text_label("", "small", parent=self)
        filters = QHBoxLayout()
        filters.setContentsMargins(12, 8, 12, 8)
        filters.setSpacing(8)
        filters.addWidget(self.reviewer, 1)
        filters.addWidget(self.state, 1)
        lower = QWidget(self)
        lower.setAccessibleName("List of comments")
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(hairline(parent=lower))
        below.addLayout(filters)
        below.addWidget(self.list, 1)
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        self.splitter.addWidget(self.card)
        self.splitter.addWidget(lower)
        self.splitter.setStretchFactor(0, 0)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([420, 280])
        self.splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.splitter)

    # what it shows ---------------------------------------------------------------------------------------------

    def show_study(self, study: Study) -> None:
        """Another state of the study; the comment at hand, the place in the list and the filters stay."""
        self._filling = True
        self._fill_reviewers(study)
        place = self.list.verticalScrollBar().value()
        self.model.keep(self._at_hand)
        self.model.show_study(study)
        self.list.verticalScrollBar().setValue(place)
        self._filling = False
        if self._at_hand not in study.comment_by_id:
            self._at_hand = ""
        self._select(self._at_hand or (self.model.rows[0].id if self.model.rows else ""))
        self._show_card()

    @property
    def at_hand(self) -> str:
        """The id of the comment at hand, or empty."""
        return self._at_hand

    def choose(self, comment_id: str) -> None:
        """Brings a comment to hand; filters that hide it are taken off."""
        if self.model.row_of(comment_id) < 0 and comment_id in self.model.study.comment_by_id:
            self._filling = True
            self.reviewer.setCurrentIndex(0)
            self.state.setCurrentIndex(0)
            self._filling = False
            self.model.set_filter()
        self._select(comment_id)

    def step(self, by: int) -> None:
        """The next or previous comment of the list."""
        row = self.model.row_of(self._at_hand)
        target = min(max(row + by, 0), len(self.model.rows) - 1) if row >= 0 else 0
        if self.model.rows:
            self._select(self.model.rows[target].id)

    def next_undecided(self) -> bool:
        """The next comment without a decision after this one, around the end; whether there is one."""
        rows, study = self.model.study.comments, self.model.study
        start = next((n for n, c in enumerate(rows) if c.id == self._at_hand), -1)
        for offset in range(1, len(rows) + 1):
            comment = rows[(start + offset) % len(rows)]
            if study.state(comment.id) == "undecided" and comment.id != self._at_hand:
                self.choose(comment.id)
                return True
        return False

    def search(self, text: str) -> None:
        """Only comments that hold a text."""
        self._text = text
        self._filter()

    _text = ""

    def _fill_reviewers(self, study: Study) -> None:
        names = list(dict.fromkeys(map(reviewer_name, study.comments)))
        listed = [self.reviewer.itemData(n) for n in range(1, self.reviewer.count())]
        if names != listed:
            kept = self.reviewer.currentData()
            self.reviewer.clear()
            self.reviewer.addItem("Everyone", "")
            for name in names:
                self.reviewer.addItem(name, name)
            self.reviewer.setCurrentIndex(max(0, self.reviewer.findData(kept)))

    def _filter(self) -> None:
        if self._filling:
            return
        self.model.set_filter(self.reviewer.currentData() or "", self.state.currentData() or "", self._text)
        self.list.set_message("No comment passes the filters." if self.model.study.comments else "")
        if self.model.row_of(self._at_hand) >= 0:
            self._select(self._at_hand)
        elif self.model.rows:
            self._select(self.model.rows[0].id)

    def _select(self, comment_id: str) -> None:
        row = self.model.row_of(comment_id)
        if self.list.currentIndex().row() != row:
            self.list.select_row(row)
        elif row < 0:
            self._take(comment_id if row >= 0 else "")

    def _row_chosen(self, current: QModelIndex, _before: QModelIndex) -> None:
        if self._filling:
            return
        comment: Comment | None = current.data(COMMENT) if current.isValid() else None
        self._take(comment.id if comment else "")

    def _take(self, comment_id: str) -> None:
        if comment_id != self._at_hand:
            self._at_hand = comment_id
            self._show_card()
            self.chosen.emit(comment_id)

    def _show_card(self) -> None:
        study = self.model.study
        comment = study.comment_by_id.get(self._at_hand)
        links = len(study.linked_edits.get(self._at_hand, ()))
        label = self.model.label(comment) if comment else ""
        self.card.show_comment(comment, label, study.state(self._at_hand), links)


class CommentCard(QFrame):
    """The comment at hand to be read: who, where, what was asked, what the authors answered; and its six states."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The comment at hand")
        self._shown: tuple[object, ...] = ()
        self._comment: Comment | None = None
        self._title = text_label("", "section", parent=self)
        self._chip = text_label("", "small", parent=self)
        self._words = HtmlPage("Comment and response", self)
        self._words.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._words.document().setDocumentMargin(0)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title, 1)
        head.addWidget(self._chip)
        grid = self._grid = QGridLayout()
        grid.setSpacing(4)
        self._states = QButtonGroup(self)
        self._buttons: Mapping[CommentState, StateButton] = {
            state: StateButton(registry, state, key, self) for key, state in enumerate(STATES, start=1)
        }
        for at, button in enumerate(self._buttons.values()):
            self._states.addButton(button)
            grid.addWidget(button, at // 2, at % 2)
        self._columns = 2
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        propose = CommandButton(registry, "linking.propose", quiet=True, parent=self)
        KeepsKeys(propose)
        offer = QHBoxLayout()
        offer.addWidget(propose)
        offer.addStretch(1)
        layout.addLayout(head)
        layout.addWidget(self._words, 1)
        layout.addLayout(offer)
        layout.addLayout(grid)
        theme().changed.connect(self._restyle)

    def show_comment(self, comment: Comment | None, label: str, state: CommentState, links: int) -> None:
        shown = (comment, label, state, links)
        if shown == self._shown:
            return
        fresh = comment != self._comment
        self._shown, self._comment = shown, comment
        self._title.setText(label or "No comment")
        self._chip.setText(state_chip(state, links) if comment else "")
        for key, button in self._buttons.items():
            button.setEnabled(comment is not None)
            button.set_chosen(key == state and comment is not None)
        if fresh:
            self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Two buttons side by side where their words fit, else one under the other."""
        buttons = list(self._buttons.values())
        widest = max(map(StateButton.room, buttons))
        columns = 2 if 2 * widest + 4 + 24 <= self.width() else 1
        if columns != self._columns:
            self._columns = columns
            for at, button in enumerate(buttons):
                self._grid.addWidget(button, at // columns, at % columns)

    def _restyle(self) -> None:
        self._arrange()
        self._write()

    def _write(self) -> None:
        self._words.clear()
        comment = self._comment
        if comment is None:
            return
        cursor = QTextCursor(self._words.document())
        self._paragraph(cursor, comment.comment, "ink", reading=True)
        if comment.context and " ".join(comment.context.split()) != " ".join(comment.comment.split()):
            self._paragraph(cursor, "Context", "muted", reading=False)
            self._paragraph(cursor, comment.context, "muted", reading=True)
        if comment.response:
            self._paragraph(cursor, "The authors' response", "muted", reading=False)
            self._paragraph(cursor, comment.response, "ink", reading=True)
        self._words.moveCursor(QTextCursor.MoveOperation.Start)
        self.setAccessibleDescription(comment.comment)

    def _paragraph(self, cursor: QTextCursor, text: str, token: str, *, reading: bool) -> None:
        block = QTextBlockFormat()
        block.setLineHeight(READING_LINE_HEIGHT * 100 - 15, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        block.setBottomMargin(6 if reading else 2)
        block.setTopMargin(0 if reading else 6)
        look = cursor.charFormat()
        look.setFont(theme().reading_font(13) if reading else theme().font("small", bold=True))
        look.setForeground(theme().colour(token))
        if not cursor.atStart():
            cursor.insertBlock()
        cursor.setBlockFormat(block)
        cursor.insertText(text.strip(), look)


_CHOSEN = "✓"


class StateButton(QPushButton):
    """One of the six states, with its key printed on it; checked where it is in force."""

    def __init__(self, registry: CommandRegistry, state: CommentState, key: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._registry, self._command, self._state, self._key = registry, f"linking.state_{state}", state, key
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        KeepsKeys(self)
        self.clicked.connect(self._run)
        registry.changed.connect(self._refresh)
        theme().changed.connect(self._refresh)
        self._chosen = False
        self._refresh()

    def set_chosen(self, chosen: bool) -> None:
        if chosen != self._chosen or chosen != self.isChecked():
            self._chosen = chosen
            self.setChecked(chosen)
            self._refresh()

    def room(self) -> int:
        """The width in which its words are whole, with the key or with the check in its place."""
        metrics = self.fontMetrics()
        widest = max(metrics.horizontalAdvance(end) for end in (_CHOSEN, self._registry_key()))
        return metrics.horizontalAdvance(f"{SHORT_STATES[self._state]} ") + widest + 10

    def _registry_key(self) -> str:
        return self._registry.native_shortcut(self._command).split(" or ")[0]

    def _run(self) -> None:
        self.setChecked(self._chosen)
        self._registry.run(self._command)

    def _refresh(self) -> None:
        end = _CHOSEN if self._chosen else self._registry_key()
        self.setText(f"{SHORT_STATES[self._state]} {end}".rstrip())
        self.setAccessibleName(STATES[self._state])
        if self._command in self._registry:
            self.setToolTip(self._registry.tooltip(self._command))
        tokens = theme().tokens
        ground = tokens.accent_wash if self._chosen else "transparent"
        edge = tokens.accent if self._chosen else tokens.hairline
        self.setStyleSheet(
            f"QPushButton {{ padding: 2px 4px; text-align: left; background: {ground}; border: 1px solid {edge}; }}"
            f"QPushButton:focus {{ border: 2px solid {tokens.focus}; padding: 1px 3px; }}"
        )
