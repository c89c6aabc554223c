"""The widgets of the rebuttal pane and how they stand: three columns, the middle one with three views."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from desktop_app.panes.rebuttal.draft_strip import DraftStrip
from desktop_app.panes.rebuttal.editor import ReplyEditor
from desktop_app.panes.rebuttal.entries import GROUPINGS
from desktop_app.panes.rebuttal.labelling import Labelling
from desktop_app.panes.rebuttal.matrix_view import BudgetBar, MatrixDelegate, MatrixModel, MatrixTitles
from desktop_app.panes.rebuttal.notes_view import NOTE, NotesView
from desktop_app.panes.rebuttal.preview_view import PreviewView
from desktop_app.panes.rebuttal.reviews_column import CommentReader, ReviewDelegate, ReviewModel
from desktop_app.panes.rebuttal.sending import SendView
from desktop_app.panes.rebuttal.templates_view import TemplatesView
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.key_bar import Items, KeyBar
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel, hairline, text_label
from desktop_app.widgets.row_list import RowList
from engine.rebuttal.records import ACTION_TITLES
from engine.reviews.limits import presets

VIEWS = (("write", "Write"), ("preview", "Preview"), ("send", "Send"))
KEYS: Items = (
    (("next", "previous"), "point"),
    (("next_open",), "next unanswered"),
    (("next_todo",), "next to mend"),
    (("edit",), "write"),
    (("suggest_labels",), "suggest labels"),
    (("previous_sentence", "next_sentence"), "sentence"),
    (("accept_labels", "refuse_labels"), "accept, refuse label"),
    (("label_aspect",), "root"),
    (("label_theme",), "theme"),
    (("label_polarity",), "polarity"),
    (("go",), "link edits"),
    (("must_answer",), "must be answered"),
    (("spread_left",), "spread what is left"),
    (("keep_template",), "keep as template"),
    (("libraries",), "libraries"),
)


class Built(Labelling):
    """Builds the widgets; what they do when they are used is the pane's."""

    def _build(self) -> None:
        registry = self.context.commands
        self.paper = self._box("Paper", [], self._paper_chosen)
        self.group_box = self._box(
            "How comments are grouped", GROUPINGS, lambda: self.group_by(self.group_box.currentData())
        )
        limits = [(limit.title, limit.id) for limit in presets()]
        self.limit_box = self._box("Limit of the venue", limits, self._limit_chosen)
        self.tabs = QTabBar(self.body)
        self.tabs.setAccessibleName("Views of the rebuttal")
        self.tabs.setDrawBase(False)
        for _name, words in VIEWS:
            self.tabs.addTab(words)
        registry.changed.connect(self._name_views)
        self.tabs.currentChanged.connect(self._view_changed)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 4)
        head.setSpacing(8)
        self._suggest = CommandButton(registry, "rebuttal.suggest_labels", text="Suggest labels", parent=self.body)
        KeepsKeys(self._suggest)
        for widget in (self.group_box, self._suggest, self.paper):
            head.addWidget(widget)
        head.addStretch(1)
        head.addWidget(self.tabs)
        head.addStretch(1)
        head.addWidget(self.limit_box)
        self._limits_button = CommandButton(registry, "rebuttal.limits", text="Limits", parent=self.body)
        KeepsKeys(self._limits_button)
        head.addWidget(self._limits_button)
        columns = QSplitter(Qt.Orientation.Horizontal, self.body)
        columns.setChildrenCollapsible(False)
        columns.setHandleWidth(1)
        for column in (self._build_left(), self._build_centre(), self._build_right()):
            columns.addWidget(column)
        columns.widget(0).setMinimumWidth(theme().px(240))
        columns.widget(2).setMinimumWidth(theme().px(318))
        columns.setStretchFactor(1, 1)
        columns.setSizes([286, 510, 334])
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(columns, 1)
        layout.addWidget(KeyBar(registry, self.pane_id, KEYS, self.body))
        self._name_views()

    def _name_views(self) -> None:
        """The views say their keys, as they are mapped now."""
        for at, (name, words) in enumerate(VIEWS):
            key = self.context.commands.native_shortcut(f"rebuttal.{name}")
            self.tabs.setTabText(at, f"{words}   {key}" if key else words)

    def _box(self, name: str, items: Sequence[tuple[str, str]], chosen: Callable[[], object]) -> QComboBox:
        box = QComboBox(self.body)
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for words, key in items:
            box.addItem(words, key)
        KeepsKeys(box)
        box.activated.connect(lambda _at: chosen())
        return box

    def _build_left(self) -> QWidget:
        self.model = ReviewModel(self)
        self.list = RowList("Comments of the reviews", self.body)
        self.list.setModel(self.model)
        self.list.setItemDelegate(ReviewDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._comment_chosen)
        self.comment = CommentReader(self.body)
        column = QSplitter(Qt.Orientation.Vertical, self.body)
        column.setChildrenCollapsible(False)
        column.setHandleWidth(1)
        column.addWidget(self.list)
        column.addWidget(self.comment)
        column.setSizes([430, 290])
        return column

    def _build_centre(self) -> QWidget:
        registry = self.context.commands
        self.editor = ReplyEditor(self.body)
        self.editor.committed.connect(self._written)
        self.editor.typed.connect(self._typed)
        self.editor.left.connect(self._leave_editor)
        self._title = ElidedLabel("section", self.body)
        self._length = text_label("", "muted", parent=self.body)
        self._length.setAccessibleName("Length of the reply")
        self.budget = QSpinBox(self.body)
        self.budget.setAccessibleName("Room for this reply")
        self.budget.setToolTip("How long this reply may be; 0 gives it its share of what is free")
        self.budget.setRange(0, 99_999)
        self.budget.setSingleStep(50)
        self.budget.setSpecialValueText("its share")
        self.budget.setKeyboardTracking(False)
        self.budget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.budget.setMinimumWidth(theme().px(104))
        self.budget.lineEdit().setTextMargins(6, 0, 0, 0)
        self.budget.editingFinished.connect(self._budget_chosen)
        buttons = {
            name: CommandButton(registry, f"rebuttal.{name}", text=words, parent=self.body)
            for name, words in (("action", ""), ("quote", "Quote"), ("draft", "Draft"))
        }
        self.action_button = buttons["action"]
        longest = max(ACTION_TITLES.values(), key=self.action_button.fontMetrics().horizontalAdvance)
        wide = self.action_button.fontMetrics().horizontalAdvance(f"{longest}   Alt+R") + theme().px(28)
        self.action_button.setMinimumWidth(wide)  # the buttons beside it stay in their places
        head, acts = QHBoxLayout(), QHBoxLayout()
        for row in (head, acts):
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(8)
        self.outcome_button = CommandButton(registry, "rebuttal.outcome", parent=self.body)
        KeepsKeys(self.outcome_button)
        self._title.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        head.addWidget(self._title)
        head.addWidget(self.outcome_button)
        head.addStretch(1)
        head.addWidget(self._length)
        head.addWidget(self.budget)
        for button in buttons.values():
            KeepsKeys(button)
            acts.addWidget(button)
        acts.addStretch(1)
        self.notes = NotesView(registry, self.body)
        self.notes.activated_row.connect(lambda index: self.use_note(index.data(NOTE)))
        self.strip = DraftStrip(registry, self.body)
        top = self._surface()
        inside = QVBoxLayout(top)
        inside.setContentsMargins(16, 10, 16, 8)
        inside.setSpacing(8)
        inside.addLayout(head)
        inside.addLayout(acts)
        inside.addWidget(self.editor, 1)
        inside.addWidget(self.notes)
        inside.addWidget(self.strip)
        self.templates = TemplatesView(registry, self.body)
        self.templates.chosen.connect(self.put_in)
        self.templates.searched.connect(lambda _text: self._show_templates())
        writing = QSplitter(Qt.Orientation.Vertical, self.body)
        writing.setChildrenCollapsible(False)
        writing.setHandleWidth(1)
        writing.addWidget(top)
        writing.addWidget(self.templates)
        writing.setSizes([400, 320])
        self.preview = PreviewView(self.body)
        self.preview.wanted.connect(self._draw_formulas)
        self.sending = SendView(registry, self.body)
        self.sending.names_changed.connect(self.set_names)
        self.sending.form_chosen.connect(self._show_view)
        self.sending.place_wanted.connect(self._go_to_point)
        self.views = QStackedWidget(self.body)
        for view in (writing, self.preview, self.sending):
            self.views.addWidget(view)
        return self.views

    def _build_right(self) -> QWidget:
        self.matrix_model = MatrixModel(self)
        self.matrix_list = RowList("Response matrix", self.body)
        self.matrix_list.setModel(self.matrix_model)
        self.matrix_list.setItemDelegate(MatrixDelegate(self.matrix_list))
        self.matrix_list.selectionModel().currentChanged.connect(self._line_chosen)
        self.matrix_list.activated_row.connect(lambda _index: self.edit())
        self._missing = text_label("", "section", parent=self.body)
        self._total = text_label("", "small", parent=self.body)
        right = self._surface()
        told = QVBoxLayout()
        told.setContentsMargins(14, 10, 12, 6)
        told.setSpacing(2)
        told.addWidget(self._missing)
        told.addWidget(self._total)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.budget_bar = BudgetBar(right)
        column.addLayout(told)
        column.addWidget(self.budget_bar)
        column.addWidget(MatrixTitles(self.matrix_list, right))
        column.addWidget(self.matrix_list, 1)
        return right

    def _surface(self) -> QWidget:
        panel = QWidget(self.body)
        panel.setProperty("role", "surface")
        panel.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        return panel
