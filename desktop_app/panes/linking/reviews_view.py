"""The full reviews: the list of texts, one of them with its comments marked, and a form for the current comment."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.marking import Marking
from desktop_app.panes.linking.study import Study
from desktop_app.panes.linking.terms import ACTIONS
from desktop_app.widgets.entry_list import EntryList
from desktop_app.widgets.fields import ChoiceBox, CommittingLineEdit, CommittingTextEdit
from desktop_app.widgets.labels import ElidedLabel, named, text_label
from desktop_app.widgets.layouts import column, command_grid, row, splitter, surface
from desktop_app.widgets.span_editor import Highlight, Role, SpanEditor
from engine.reviews.records import Comment, Span
from engine.shown import counted

_KINDS = {"review": "Review", "letter": "Response letter", "meta-review": "Meta-review", "reply": "Reply"}
_ACTS = (
    ("mark", "Mark"), ("add_span", "Add span"), ("set_context", "Context"), ("set_response", "Response"),
    ("split", "Split"), ("merge", "Merge"), ("next_unassigned", "Unassigned"), ("delete", "Delete"),
)  # fmt: skip


class ReviewsView(QWidget):
    """Texts on the left, the current text in the middle, the current comment on the right."""

    comment_reached = Signal(str)
    """The caret was moved into this comment."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Reviews and comments")
        self._searched, self._current, self._showing = "", "", False
        self.left: tuple[Span, ...] = ()  # parts that aren't in any comment, context or response
        self.list = EntryList("Reviews and letters", self, Qt.TextElideMode.ElideRight)
        self.list.set_message("No reviews yet. Add files, or paste a review here.")
        self.editor = SpanEditor("Text of the review", self)
        self.editor.place_moved.connect(self._place_moved)
        self.form = CommentForm(registry, self)
        parts = splitter((self.list, 200, 0), (self.editor, 640, 1), (self.form, 320, 0), parent=self)
        for part in (self.list, self.editor):
            part.setMinimumWidth(200)
        column(parts, of=self)

    def show_marking(self, shown: Marking, study: Study) -> None:
        """Shows a text with its comments; the caret moves only after a step to another comment."""
        self._showing, self._current = True, shown.comment_id
        counts = Counter(comment.source_id for comment in (*study.comments, *study.remarks))
        self.left = shown.unassigned
        left = {shown.text_id: f"{len(self.left)} not assigned · "} if self.left else {}  # first, as lists are narrow
        rows = [
            (t.id, t.title, f"{left.get(t.id, '')}{_KINDS[t.kind]} · {counted(counts[t.id], 'comment')}", "chats")
            for t in study.texts
        ]
        self.list.show_entries(rows, shown.text_id)
        text, comments = shown.text, shown.comments
        self.editor.show_text(text.text if text else "")
        highlights = [Highlight(span, "unassigned", "") for span in self.left]
        self.editor.show_highlights([*highlights, *_highlights(comments, shown.comment_id)])
        at = next((n for n, c in enumerate(comments, start=1) if c.id == shown.comment_id), 0)
        self.form.show_comment(shown.comment, at, len(comments))
        caret = shown.take_caret()
        if caret is not None:
            self.editor.go_to(caret)
        self._showing = False

    def next_unassigned(self) -> None:
        """Selects the next unassigned part of the text, so that it can be marked or made a response."""
        place = self.editor.selected.start
        if self.left:
            self.editor.setFocus()
            self.editor.select(next((span for span in self.left if span.start > place), self.left[0]))

    def search(self, text: str) -> None:
        self._searched = text
        self.editor.find_from_here(text)

    def search_next(self, by: int) -> None:
        self.editor.find_next(self._searched, forward=by > 0)

    def _place_moved(self, place: int) -> None:
        if not self._showing and self.editor.hasFocus():
            keys = self.editor.keys_at(place)
            if keys and self._current not in keys:
                self.comment_reached.emit(keys[0])


def _highlights(comments: Sequence[Comment], current_id: str) -> list[Highlight]:
    """Returns the highlights of all comments and, for the current one, its context and response."""
    found: list[Highlight] = []
    for comment in comments:
        current = comment.id == current_id
        role: Role = "comment" if comment.actionable else "remark"
        found += [Highlight(span, role, comment.id, current) for span in comment.spans]
        if current:
            found += [Highlight(span, "context", comment.id, True) for span in comment.context_spans]
            found += [Highlight(span, "response", comment.id, True) for span in comment.response_spans]
    return found


class CommentForm(QWidget):
    """A form for the current comment: request or not, action, text, response."""

    edited = Signal(str, str, str)
    """The field (``marking.Field``), the new value, and the comment's key."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Current comment")
        self._comment_id = ""
        self._title = text_label("", "section", parent=self)
        self.reviewer = CommittingLineEdit("comment.reviewer", "Reviewer", self, "Reviewer")
        self.request = named(QCheckBox("Request", self), "This comment is a request")
        actions = [("No action class", ""), *((name.capitalize(), name) for name in ACTIONS)]
        self.action = ChoiceBox("Requested action", actions, parent=self)
        self.comment = CommittingTextEdit("comment.comment", "Text of the comment", self)
        self.response = CommittingTextEdit("comment.response", "Authors' response", self)
        self._context = ElidedLabel("small", self)
        for name, field in (("comment", self.comment), ("response", self.response), ("reviewer", self.reviewer)):
            field.committed.connect(lambda text, _key, of, name=name: self.edited.emit(name, text, of))
        self.request.clicked.connect(lambda: self.edited.emit("request", "", self._comment_id))
        self.action.picked.connect(lambda action: self.edited.emit("action", action, self._comment_id))
        column(
            self._title, self.reviewer, row(self.request, (self.action, 1)),
            text_label("Comment", "small", parent=self), (self.comment, 2), self._context,
            text_label("Authors' response", "small", parent=self), (self.response, 3),
            command_grid(registry, "linking", _ACTS, self, primary=True, least=2),
            margins=(12, 12, 12, 12), spacing=8, of=self,
        )  # fmt: skip

    def show_comment(self, comment: Comment | None, number: int, total: int) -> None:
        """Shows a comment and its number among those of its text; None clears the form."""
        self._title.setText(f"Comment {number} of {total}" if comment else "No comment selected")
        for field in (self.reviewer, self.request, self.action, self.comment, self.response):
            field.setEnabled(comment is not None)
        key = self._comment_id = comment.id if comment else ""
        self.reviewer.show_text(comment.reviewer if comment else "", key)
        self.request.setChecked(bool(comment and comment.actionable))
        self.action.show_value(comment.action if comment and comment.action else "")
        self.comment.show_text(comment.comment if comment else "", key)
        self.response.show_text(comment.response if comment else "", key)
        context = " ".join(comment.context.split()) if comment else ""
        self._context.setText(f"Context: {context}" if context else "")
