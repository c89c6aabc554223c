"""Marking, splitting, merging and labelling comments in the reviews of a study. No Qt."""

from collections.abc import Callable
from typing import Literal, cast

from desktop_app import present
from desktop_app.panes.linking.study import Study, StudyReader
from engine.operations.comments import merge_comments
from engine.operations.removing import remove_comments
from engine.project import Project
from engine.reviews.layout import unassigned
from engine.reviews.records import ActionClass, Comment, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.text_search import occurrences

Field = Literal["comment", "response", "reviewer", "request", "action"]


class Marking:
    """Works on the reviews of a study; each operation is one undo step. Requests and others are treated alike."""

    def __init__(self, reader: StudyReader | None = None) -> None:
        self._reader = reader
        self._study = Study()
        self.text_id = ""
        self.comment_id = ""
        self._caret: int | None = None
        self._left: tuple[SourceText | None, tuple[Comment, ...], tuple[Span, ...]] = (None, (), ())

    def show(self, study: Study) -> None:
        """Shows another state of the study, keeping the current text and comment if they still exist. If all comments
        of the text are other ones, as after swapping comments and responses, the first is current."""
        before = {comment.id for comment in self.comments}
        self._study = study
        if self.text is None:
            self.text_id = study.texts[0].id if study.texts else ""
        if self.comment is None:
            now = [comment.id for comment in self.comments]
            self.comment_id = now[0] if now and before.isdisjoint(now) else ""

    @property
    def text(self) -> SourceText | None:
        return next((text for text in self._study.texts if text.id == self.text_id), None)

    @property
    def comments(self) -> list[Comment]:
        """The comments of the current text, by position."""
        every = (*self._study.comments, *self._study.remarks)
        found = (comment for comment in every if comment.source_id == self.text_id)
        return sorted(found, key=lambda comment: comment.spans[0].start if comment.spans else -1)

    @property
    def unassigned(self) -> tuple[Span, ...]:
        """The parts of the text that aren't in any comment, context or response."""
        text, comments = self.text, tuple(self.comments)
        if self._left[:2] != (text, comments):
            self._left = (text, comments, unassigned(text.text, comments) if text else ())
        return self._left[2]

    @property
    def comment(self) -> Comment | None:
        every = (*self._study.comments, *self._study.remarks)
        return next((comment for comment in every if comment.id == self.comment_id), None)

    def take_caret(self) -> int | None:
        """Returns the offset to move the caret to, once after a step to another comment; otherwise None."""
        caret, self._caret = self._caret, None
        return caret

    def choose_text(self, text_id: str) -> None:
        self.text_id = text_id
        self.comment_id = self.comments[0].id if self.comments else ""

    def show_words(self, text_id: str, words: str) -> None:
        """Shows a text with the caret at the first occurrence of some words, whose comment becomes current."""
        self.choose_text(text_id)
        place = next(occurrences(self.text.text, words), None) if self.text and words else None
        if place is not None:
            self._caret = place[0]
            here = (c.id for c in self.comments if any(span.start <= place[0] < span.end for span in c.spans))
            self.comment_id = next(here, self.comment_id)

    def choose(self, comment_id: str, *, move: bool = True) -> None:
        """Makes a comment current and shows its review; ``move`` also moves the caret to its start."""
        self.comment_id = comment_id
        comment = self.comment
        if comment is not None:
            self.text_id = comment.source_id
            if move and comment.spans:
                self._caret = comment.spans[0].start

    def step(self, by: int) -> None:
        comments, at = self.comments, self._at
        if comments:
            at = at if at >= 0 else -1 if by > 0 else len(comments)
            self.choose(comments[min(max(at + by, 0), len(comments) - 1)].id)

    @property
    def _at(self) -> int:
        return next((n for n, comment in enumerate(self.comments) if comment.id == self.comment_id), -1)

    def mark(self, span: Span) -> None:
        change = present(self._reader).reviews.add_comment(self.text_id, [span])
        self.choose(change.comments[0].id, move=False)

    def add_span(self, span: Span) -> None:
        self._change(lambda store, comment: store.add_span(comment.id, span))

    def set_context(self, span: Span) -> None:
        self._change(lambda store, comment: store.set_context(comment.id, [span]))

    def set_response(self, span: Span) -> None:
        self._change(lambda store, comment: store.set_response_spans(comment.id, [span]))

    def toggle_request(self) -> None:
        self._change(lambda store, comment: store.set_actionable([comment.id], not comment.actionable))

    def toggle_action(self, action: ActionClass) -> None:
        """Sets the action that the current comment requests; the same action again clears it."""
        self._change(
            lambda store, comment: store.set_action([comment.id], None if comment.action == action else action)
        )

    def edit(self, field: Field, value: str, comment_id: str) -> None:
        store = present(self._reader).reviews
        match field:
            case "comment":
                store.set_comment_text(comment_id, value)
            case "response":
                store.set_response(comment_id, value)
            case "reviewer":
                store.set_reviewer([comment_id], value)
            case "action":
                store.set_action([comment_id], cast("ActionClass | None", value or None))
            case "request":
                self.toggle_request()

    def split(self, place: int) -> None:
        """Splits the current comment at an offset of the text and goes to the second part, so that ``merge`` undoes
        it."""
        change = present(self._reader).reviews.split_comment(self.comment_id, place)
        self.choose(change.comments[1].id)

    def merge(self) -> None:
        at = self._at
        if at > 0:
            before = self.comments[at - 1].id
            merge_comments(self._project, [before, self.comments[at].id])
            self.choose(before)

    def delete(self) -> None:
        comments, at = self.comments, self._at
        following = comments[at + 1] if 0 <= at < len(comments) - 1 else comments[at - 1] if at > 0 else None
        if at >= 0:
            remove_comments(self._project, [self.comment_id])
        if following is not None:
            self.choose(following.id, move=False)

    @property
    def _project(self) -> Project:
        return present(self._reader).project

    def _change(self, verb: Callable[[ReviewStore, Comment], object]) -> None:
        comment = self.comment
        if comment is not None and self._reader is not None:
            verb(self._reader.reviews, comment)
