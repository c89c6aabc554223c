"""State of the Linking pane and its operations. No Qt."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from desktop_app import present
from desktop_app.panes.linking.lists import Selection
from desktop_app.panes.linking.marking import Marking
from desktop_app.panes.linking.study import TABLES, Study, StudyReader
from desktop_app.panes.linking.terms import CHANGES, Format, Mode
from engine.agreement.records import ADJUDICATED
from engine.project import Project
from engine.reviews.records import Asks
from engine.revision.records import CommentState, Edit, Link, Mistake, NewPassage, Suggestion
from engine.revision.store import RevisionStore
from engine.shown import counted

__all__ = ["TABLES", "LinkingState"]


class LinkingState:
    """The current paper's study and the selection in it. Each decision is one store operation and one undo step.

    The pane calls ``mark_stale`` for each change of the project and ``refresh`` before showing anything. A store
    operation on the GUI thread triggers both before it returns, so code after it sees the updated study.
    """

    def __init__(self, project: Project | None = None) -> None:
        self.project = project
        self.reader = StudyReader(project) if project is not None else None
        self.study = Study()
        self.selection = Selection()
        self.marking = Marking(self.reader)
        self.mode: Mode = "linking"
        self._stale: set[str] = set(TABLES)
        self._paper_id = ""
        self._empty = self.reader is None or self.reader.is_empty()
        if self.reader is not None:
            self.reader.revisions.on_screen = lambda comment: bool(self.study.suggestions.get(comment))

    def mark_stale(self, tables: Collection[str]) -> bool:
        """Records which tables changed. Returns False if none of them is shown."""
        self._stale |= TABLES & set(tables)
        return bool(TABLES & set(tables))

    def is_empty(self) -> bool:
        """Whether the project has nothing to link yet, so that nothing can be decided."""
        self._empty = self.reader is None or self.reader.is_empty()
        return self._empty

    def refresh(self, paper_id: str) -> frozenset[str]:
        """Reads what changed of a paper's study; returns the tables that were read."""
        if paper_id != self._paper_id:
            self._paper_id, self._stale = paper_id, set(TABLES)
        stale, self._stale = frozenset(self._stale), set()
        self.study = present(self.reader).read(self.study, paper_id, stale)
        self.selection.show(self.study)
        self.marking.show(self.study)
        return stale

    def text_read(self) -> None:
        """Updates which edits are on doubtful pages, after a version's text was fetched."""
        if self.reader is not None:
            self.study = self.reader.with_doubts(self.study)
            self.selection.show(self.study)

    def follow(self, before: Study) -> None:
        """Goes to what an undo or redo changed."""
        comment, edit = self.study.first_difference(before)
        if comment and self.mode == "reviews":
            self.marking.choose(comment)
        elif comment:
            self.selection.choose_comment(comment)
        if edit:
            self.selection.choose_edit(edit)

    @property
    def comment_id(self) -> str:
        """The current comment of the list; empty if there is none."""
        return self.selection.comment_id

    @property
    def edit_id(self) -> str:
        return self.selection.edit_id

    @property
    def suggestion(self) -> Suggestion | None:
        offered = {s.edit_id: s for s in self.study.open_suggestions(self.comment_id)}
        found = offered.get(self.edit_id)
        return found if found is not None and found.decision is None else None

    @property
    def offered(self) -> Suggestion | None:
        """The suggestion of the current edit for the current comment, even if rejected; None if the two are linked."""
        found = (s for s in self.study.suggestions.get(self.comment_id, ()) if s.edit_id == self.edit_id)
        return None if self.is_linked else next(found, None)

    @property
    def is_linked(self) -> bool:
        return self.edit_id in self.study.linked_edits.get(self.comment_id, frozenset())

    @property
    def lost_link(self) -> Link | None:
        """The first link of the current comment whose edit is no longer found."""
        return next((link for link, _ in self.study.lost if link.comment_id == self.comment_id), None)

    @property
    def open_comments(self) -> tuple[str, ...]:
        """The comments not answered yet: undecided or not addressed."""
        return tuple(c.id for c in self.study.comments if self.study.state(c.id) in ("undecided", "not_addressed"))

    def whose(self) -> list[tuple[str, str]]:
        """Returns whose links can be exported: one's own, visible ones of others, and adjudicated ones."""
        if self.reader is None or self.study.paper is None or self.project is None:
            return []
        own, seen = self.project.annotator_id, self.reader.agreement.visible(self.study.paper.id)
        people = sorted((p for p in self.project.annotators() if p[0] in seen), key=lambda person: person[0] != own)
        return [*people, (ADJUDICATED, "Adjudicated")] if len(people) > 1 else people

    # availability of operations -----------------------------------------------------------------------------------

    def can_import(self) -> bool:
        return self.project is not None and not self.project.read_only

    def can_write(self) -> bool:
        return self.can_import() and not self._empty

    def can_decide(self) -> bool:
        shown = self.mode != "reviews" and self.study.revision is not None
        return shown and self.can_write() and bool(self.comment_id)

    def can_pair(self) -> bool:
        """Whether comment and edit are both visible: the coverage shows only the numbers of edits."""
        return self.can_decide() and self.mode == "linking"

    def can_link(self) -> bool:
        return self.can_pair() and self.edit_id in self.study.edit_by_id

    def can_dismiss_edit(self) -> bool:
        """Whether the current edit can be dismissed or restored."""
        return self.can_restore_edit() or (self.can_link() and not self.study.edit_by_id[self.edit_id].passage)

    def can_restore_edit(self) -> bool:
        return self.can_pair() and any(edit.id == self.edit_id for edit in self.study.dismissed)

    def can_unlink(self) -> bool:
        return self.can_pair() and self.is_linked

    def has_suggestion(self) -> bool:
        return self.can_pair() and self.suggestion is not None

    def can_compare(self) -> bool:
        return self.can_write() and self.study.revision is not None

    def can_suggest(self) -> bool:
        return self.can_compare() and not self.study.hides_suggestions

    def can_propose(self) -> bool:
        study = self.study
        return study.revision is not None and bool(study.comments) and not study.hides_suggestions

    def can_export(self, format_: Format) -> bool:
        """Whether there is anything to export in this format; what shows changes needs both versions."""
        study = self.study
        return (format_ not in CHANGES or study.revision is not None) and bool(study.comments or study.edits)

    def can_propose_all(self) -> bool:
        return self.can_suggest() and bool(self.open_comments)

    def can_show_suggestions(self) -> bool:
        return self.can_compare() and self._revisions.can_show_suggestions

    def can_mark(self) -> bool:
        return self.mode == "reviews" and self.can_write() and self.marking.text is not None

    def can_relabel(self) -> bool:
        return self.mode == "reviews" and self.can_write() and self.marking.comment is not None

    def can_dismiss(self) -> bool:
        """Whether the current comment of the list might not be a request."""
        return self.mode == "linking" and self.can_write() and bool(self.study.doubt(self.comment_id))

    def can_replace(self) -> bool:
        return self.can_write() and self.study.paper is not None

    def show_doubtful(self, found: Mapping[str, Asks]) -> None:
        self.study = replace(self.study, doubtful=found)
        self.selection.show(self.study)

    @property
    def _revisions(self) -> RevisionStore:
        return present(self.reader).revisions

    def link(self) -> str:
        """Links the current edit to the current comment, whatever its state, accepting a suggestion of it. Returns a
        message if they are already linked, else ""."""
        suggestion = self.suggestion
        if self.is_linked:
            return f"{self.study.edit_by_id[self.edit_id].label} is already linked to this comment."
        if suggestion is not None:
            self._revisions.accept_suggestion(suggestion, overrule=True)
        else:
            self._revisions.link_comment(self.comment_id, self.edit_id, overrule=True)
        return ""

    def link_passage(self, passage: NewPassage) -> str:
        """Links words of the revised version to the current comment. If they are in an edit, selects that edit instead.
        Returns a message if nothing was linked, else ""."""
        assert self.study.revision is not None
        inside = (e for e in self.study.edits if {*e.target_ids} & {*passage.paragraph_ids} and _share(e, passage))
        found = next(inside, None)
        if found is not None:
            self.selection.choose_edit(found.id)
            return f"These words are in {found.label}, which is now selected. Link that edit instead."
        made = self._revisions.link_passage(self.comment_id, self.study.revision.id, passage, overrule=True).links
        if not made:
            return "This passage is already linked to this comment."
        self.selection.choose_edit(made[0].edit_id)
        return ""

    def toggle_dismissed(self) -> str:
        """Dismisses the current edit with its links, or restores it, and goes to the next one. Returns a message about
        what was done."""
        edit = next(e for e in (*self.study.edits, *self.study.dismissed) if e.id == self.edit_id)
        restores = self.can_restore_edit()
        self.selection.step_edit(1)
        if restores:
            self._revisions.restore_edit(edit.id)
            said = f"{edit.label} was restored"
        else:
            removed = len(self._revisions.dismiss_edit(edit.id).removed)
            said = f"{edit.label} was dismissed" + (f" with {counted(removed, 'link')}" if removed else "")
        self.selection.filter_edits(self.selection.edit_filter)  # if it was the last one, selects another
        return said

    def toggle_request(self) -> None:
        """In the reviews, toggles whether the comment is a request; in the list, marks it as not a request."""
        if self.mode == "reviews":
            self.marking.toggle_request()
        else:
            comment = self.comment_id
            self.selection.leave_comment()
            present(self.reader).reviews.set_actionable([comment], False)

    def unlink(self) -> None:
        self._revisions.unlink_comment(self.comment_id, self.edit_id)

    def reattach(self) -> None:
        self._revisions.reattach_link(present(self.lost_link).id, self.edit_id)

    def accept(self) -> None:
        suggestion = present(self.suggestion)
        self._revisions.accept_suggestion(suggestion, overrule=True)
        self.selection.next_suggestion(suggestion.rank)

    def reject(self) -> None:
        suggestion = present(self.suggestion)
        self._revisions.reject_suggestion(suggestion)
        self.selection.next_suggestion(suggestion.rank)

    def toggle_mistake(self, mistake: Mistake) -> None:
        """Records what is wrong with the current suggestion, which rejects it; the same mistake again removes it."""
        self._revisions.toggle_mistake(present(self.offered), mistake)

    def contradicted(self, state: CommentState) -> int:
        """Returns how many links of the current comment contradict a state that says no edit answers it."""
        return 0 if state in ("linked", "undecided") else len(self.study.linked_edits.get(self.comment_id, ()))

    @property
    def denied(self) -> CommentState | None:
        """The current comment's state if it says that no edit answers the comment, else None."""
        state = self.study.state(self.comment_id)
        return state if state in ("answered", "visual_only", "not_addressed") else None

    def hide_suggestions(self) -> None:
        """Hides suggestions and proposals in the project and its shared copies, or shows them again."""
        self._revisions.hide_suggestions(not self.study.hides_suggestions)

    def set_state(self, state: CommentState) -> None:
        """Sets the state of the current comment, removing links that contradict it, and goes to the next undecided one
        (unless the state is "undecided")."""
        keep = not self.contradicted(state)
        self._revisions.set_comment_state(present(self.study.revision).id, self.comment_id, state, keep_links=keep)
        if state != "undecided":
            self.selection.next_undecided()


def _share(edit: Edit, passage: NewPassage) -> bool:
    """Returns whether an edit and a passage share words: an edit may concern another part of the paragraph."""
    pieces = passage.text.split("\n\n")
    return any(piece in edit.target_text or edit.target_text in piece for piece in pieces)
