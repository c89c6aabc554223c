"""The reviews in full: comments are marked, cut, joined and labelled here, and responses put right."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast, get_args

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.reader import Reader
from desktop_app.panes.linking.study import Study
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fields import CommittingLineEdit, CommittingTextEdit
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.row_list import RowList, paint_row_ground
from desktop_app.widgets.span_editor import Highlight, Role, SpanEditor
from engine.operations.comments import merge_comments
from engine.operations.removing import remove_comments
from engine.reviews.records import ActionClass, Comment, SourceText, Span

TEXT = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex
Act = Callable[[Callable[[], object]], bool]
ACTIONS: tuple[ActionClass, ...] = get_args(ActionClass)
_KINDS = {"review": "Review", "letter": "Response letter", "meta-review": "Meta-review", "reply": "Reply"}


class TextModel(QAbstractListModel):
    """The reviews and letters, each with the number of its comments."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.texts: tuple[SourceText, ...] = ()
        self.counts: dict[str, int] = {}

    def show_study(self, study: Study) -> None:
        counts: dict[str, int] = {}
        for comment in (*study.comments, *study.remarks):
            counts[comment.source_id] = counts.get(comment.source_id, 0) + 1
        same = [t.id for t in study.texts] == [t.id for t in self.texts]
        if not same:
            self.beginResetModel()
        self.texts, self.counts = study.texts, counts
        if not same:
            self.endResetModel()
        elif self.texts:
            self.dataChanged.emit(self.index(0), self.index(len(self.texts) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.texts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        text = self.texts[index.row()]
        if role == TEXT:
            return text
        if role == Qt.ItemDataRole.DisplayRole:
            return text.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{text.title}, {self.line(text)}"
        return None

    def line(self, text: SourceText) -> str:
        """What stands under a title."""
        number = self.counts.get(text.id, 0)
        return f"{_KINDS[text.kind]} · {number} comment{'' if number == 1 else 's'}"


class TextDelegate(QStyledItemDelegate):
    """Title and kind."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(100, theme().px(48))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, TextModel)
        text: SourceText = index.data(TEXT)
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        inner = QRect(option.rect).adjusted(12, 6, -12, -6)
        painter.setFont(theme().font())
        painter.setPen(QColor(theme().tokens.ink))
        metrics = painter.fontMetrics()
        title = metrics.elidedText(text.title, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, title)
        painter.setFont(theme().font("small"))
        painter.setPen(QColor(theme().tokens.muted))
        painter.drawText(inner, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, model.line(text))
        painter.restore()


class ReviewsView(QWidget):
    """Texts on the left, one of them in the middle, the comment at hand on the right."""

    chosen = Signal(str)
    """Another comment is at hand."""

    def __init__(self, registry: CommandRegistry, act: Act, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Reviews and comments")
        self._act = act
        self._study = Study()
        self.reader: Reader | None = None
        self._at_hand = ""
        self._following = False
        self.model = TextModel(self)
        self.list = RowList("Reviews and letters", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TextDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._text_chosen)
        self.list.set_message("No reviews yet. Add review files or a response letter.")
        self.editor = SpanEditor("Text of the review", self)
        self.editor.place_moved.connect(self._place_moved)
        self.editor.mark_wanted.connect(self.mark)
        self.form = CommentForm(registry, self)
        self.form.acted.connect(self._form_acted)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.setChildrenCollapsible(False)
        for widget, width in ((self.list, 200), (self.editor, 640), (self.form, 320)):
            widget.setMinimumWidth(min(width, 200))
            self.splitter.addWidget(widget)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([200, 640, 320])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)

    # what it shows ---------------------------------------------------------------------------------------------

    def show_study(self, study: Study, reader: Reader | None) -> None:
        """Another state of the study; text, place and comment at hand stay."""
        self._study, self.reader = study, reader
        self.model.show_study(study)
        if self._at_hand and self.comment() is None:
            self._at_hand = ""
        if not self.list.currentIndex().isValid() and study.texts:
            self.list.select_row(0)
        self._show()

    def comments(self) -> list[Comment]:
        """The comments of the text that is shown, in order of their places."""
        text = self.text()
        if text is None:
            return []
        found = [c for c in (*self._study.comments, *self._study.remarks) if c.source_id == text.id]
        return sorted(found, key=lambda c: c.spans[0].start if c.spans else -1)

    @property
    def at_hand(self) -> str:
        """The id of the comment at hand, or empty."""
        return self._at_hand

    def search(self, text: str) -> None:
        """Goes to the first place at or below the caret where a text stands."""
        self._wanted = text
        self.editor.find_from_here(text)

    def search_next(self, forward: bool) -> None:
        self.editor.find_next(self._wanted, forward=forward)

    _wanted = ""

    def text(self) -> SourceText | None:
        index = self.list.currentIndex()
        return self.model.texts[index.row()] if index.isValid() and index.row() < len(self.model.texts) else None

    def comment(self) -> Comment | None:
        """The comment at hand."""
        every = (*self._study.comments, *self._study.remarks)
        return next((c for c in every if c.id == self._at_hand), None)

    def choose(self, comment_id: str, *, move: bool = True) -> None:
        """Brings a comment to hand, with its text; ``move`` puts the caret to where it begins."""
        self._at_hand = comment_id
        comment = self.comment()
        if comment is not None:
            row = next((n for n, t in enumerate(self.model.texts) if t.id == comment.source_id), -1)
            if row != self.list.currentIndex().row():
                self._following = True
                self.list.select_row(row)
                self._following = False
        self._show()
        if comment is not None and move and comment.spans:
            self._following = True
            self.editor.go_to(comment.spans[0].start)
            self._following = False
        self.chosen.emit(comment_id)

    def step(self, by: int) -> None:
        """The next or previous comment of the text."""
        comments = self.comments()
        at = next((n for n, c in enumerate(comments) if c.id == self._at_hand), -1 if by > 0 else len(comments))
        if comments:
            self.choose(comments[min(max(at + by, 0), len(comments) - 1)].id)

    # what commands do ------------------------------------------------------------------------------------------

    def has_text(self) -> bool:
        return self.text() is not None

    def has_comment(self) -> bool:
        return self.comment() is not None

    def mark(self) -> None:
        """The sentences that are selected become a comment."""
        self._mark(self.editor.sentences_selected())

    def mark_words(self) -> None:
        """The words that are selected become a comment."""
        self._mark(self.editor.words_selected())

    def _mark(self, span: Span) -> None:
        text, reader = self.text(), self.reader
        if text is None or reader is None:
            return
        made: list[str] = []

        def verb() -> None:
            change = reader.reviews.add_comment(text.id, [span], initiator=self)
            made.extend(comment.id for comment in change.comments)

        if self._act(verb) and made:
            self.choose(made[0], move=False)

    def add_span(self) -> None:
        """The sentences that are selected belong to the comment at hand, too."""
        self._on_comment(lambda r, c: r.reviews.add_span(c.id, self.editor.sentences_selected(), initiator=self))

    def set_context(self) -> None:
        """The sentences that are selected are the context of the comment at hand."""
        self._on_comment(lambda r, c: r.reviews.set_context(c.id, [self.editor.sentences_selected()], initiator=self))

    def set_response(self) -> None:
        """The sentences that are selected are the authors' response to the comment at hand."""
        self._on_comment(
            lambda r, c: r.reviews.set_response_spans(c.id, [self.editor.sentences_selected()], initiator=self)
        )

    def toggle_request(self) -> None:
        """Whether the comment at hand asks for something."""
        self._on_comment(lambda r, c: r.reviews.set_actionable([c.id], not c.actionable, initiator=self))

    def set_action(self, action: ActionClass | None) -> None:
        """What the comment at hand asks for; the same again takes it away."""
        self._on_comment(
            lambda r, c: r.reviews.set_action([c.id], None if c.action == action else action, initiator=self)
        )

    def split(self) -> None:
        """Cuts the comment at hand in two at the caret."""
        self._on_comment(lambda r, c: r.reviews.split_comment(c.id, self.editor.place, initiator=self))

    def merge(self) -> None:
        """Joins the comment at hand with the one before it."""
        comments = self.comments()
        at = next((n for n, c in enumerate(comments) if c.id == self._at_hand), -1)
        if at > 0:
            before = comments[at - 1].id
            self._on_comment(lambda r, c: merge_comments(r.project, [before, c.id], initiator=self))
            self.choose(before)

    def delete(self) -> None:
        """Takes the comment at hand away; undo brings it back with its links."""
        comments = self.comments()
        at = next((n for n, c in enumerate(comments) if c.id == self._at_hand), -1)
        following = comments[at + 1] if 0 <= at < len(comments) - 1 else comments[at - 1] if at > 0 else None
        self._on_comment(lambda r, c: remove_comments(r.project, [c.id], initiator=self))
        if following is not None:
            self.choose(following.id, move=False)

    def _on_comment(self, verb: Callable[[Reader, Comment], object]) -> None:
        comment, reader = self.comment(), self.reader
        if comment is not None and reader is not None:
            self._act(lambda: verb(reader, comment))

    def _form_acted(self, what: str, value: object) -> None:
        if what == "comment":
            self._on_comment(lambda r, c: r.reviews.set_comment_text(c.id, str(value), initiator=self))
        elif what == "response":
            self._on_comment(lambda r, c: r.reviews.set_response(c.id, str(value), initiator=self))
        elif what == "reviewer":
            self._on_comment(lambda r, c: r.reviews.set_reviewer([c.id], str(value), initiator=self))
        elif what == "request":
            self.toggle_request()
        else:
            action = cast("ActionClass | None", value or None)
            self._on_comment(lambda r, c: r.reviews.set_action([c.id], action, initiator=self))

    # showing ---------------------------------------------------------------------------------------------------

    def _text_chosen(self, _current: QModelIndex, _before: QModelIndex) -> None:
        if not self._following:
            first = next(iter(self.comments()), None)
            self._at_hand = first.id if first else ""
        self._show()

    def _place_moved(self, place: int) -> None:
        if self._following or not self.editor.hasFocus():
            return
        keys = self.editor.keys_at(place)
        if keys and self._at_hand not in keys:
            self._at_hand = keys[0]
            self._show()
            self.chosen.emit(self._at_hand)

    def _show(self) -> None:
        text = self.text()
        self.editor.show_text(text.text if text else "")
        highlights: list[Highlight] = []
        comments = self.comments()
        for comment in comments:
            current = comment.id == self._at_hand
            said: Role = "comment" if comment.actionable else "remark"
            highlights += [Highlight(span, said, comment.id, current) for span in comment.spans]
            if current:
                highlights += [Highlight(span, "context", comment.id, True) for span in comment.context_spans]
                highlights += [Highlight(span, "response", comment.id, True) for span in comment.response_spans]
        self.editor.show_highlights(highlights)
        at = next((n for n, c in enumerate(comments, start=1) if c.id == self._at_hand), 0)
        self.form.show_comment(self.comment(), at, len(comments))


class CommentForm(QWidget):
    """The comment at hand: what kind it is, how it reads, what the authors answered."""

    acted = Signal(str, object)
    """What was changed (comment, response, reviewer, request, action), and to what."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The comment at hand")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._filling = False
        self._title = text_label("", "section", parent=self)
        self.reviewer = CommittingLineEdit("comment.reviewer", "Reviewer", self)
        self.request = QCheckBox("Asks for something", self)
        self.request.setAccessibleName("The comment asks for something")
        self.action = QComboBox(self)
        self.action.setAccessibleName("What the comment asks for")
        self.action.addItem("No action class", "")
        for name in ACTIONS:
            self.action.addItem(name.capitalize(), name)
        self.action.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        KeepsKeys(self.action)
        KeepsKeys(self.request)
        self.comment = CommittingTextEdit("comment.comment", "How the comment reads", self)
        self.response = CommittingTextEdit("comment.response", "The authors' response", self)
        self._context = text_label("", "small", wrap=True, parent=self)
        self.comment.committed.connect(lambda text, _key: self._tell("comment", text))
        self.response.committed.connect(lambda text, _key: self._tell("response", text))
        self.reviewer.committed.connect(lambda text, _key: self._tell("reviewer", text))
        self.request.clicked.connect(lambda: self._tell("request", None))
        self.action.activated.connect(lambda _at: self._tell("action", self.action.currentData()))
        acts = QGridLayout()
        acts.setSpacing(6)
        names = ("mark", "add_span", "set_context", "set_response", "split", "merge", "toggle_request", "delete")
        words = ("Mark", "Further span", "Context", "Response", "Split", "Merge", "Request", "Delete")
        for at, (verb, word) in enumerate(zip(names, words, strict=True)):
            button = CommandButton(registry, f"linking.{verb}", text=word, primary=verb == "mark", parent=self)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            KeepsKeys(button)
            acts.addWidget(button, at // 2, at % 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addWidget(self.reviewer)
        layout.addWidget(self.request)
        layout.addWidget(self.action)
        layout.addWidget(text_label("Comment", "small", parent=self))
        layout.addWidget(self.comment, 2)
        layout.addWidget(self._context)
        layout.addWidget(text_label("The authors' response", "small", parent=self))
        layout.addWidget(self.response, 3)
        layout.addLayout(acts)

    def show_comment(self, comment: Comment | None, number: int, total: int) -> None:
        self._filling = True
        self._title.setText(f"Comment {number} of {total}" if comment else "No comment at hand")
        for field in (self.reviewer, self.request, self.action, self.comment, self.response):
            field.setEnabled(comment is not None)
        self.reviewer.show_text(comment.reviewer if comment else "")
        self.request.setChecked(bool(comment and comment.actionable))
        self.action.setCurrentIndex(max(0, self.action.findData(comment.action if comment else "")))
        self.comment.show_text(comment.comment if comment else "")
        self.response.show_text(comment.response if comment else "")
        context = " ".join(comment.context.split()) if comment else ""
        self._context.setText(f"Context: {context[:160]}{'…' if len(context) > 160 else ''}" if context else "")
        self._context.setToolTip(context)
        self._filling = False

    def _tell(self, what: str, value: object) -> None:
        if not self._filling:
            self.acted.emit(what, value)
