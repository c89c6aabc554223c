"""Inserting into the current response: templates, quotations, drafts by a language model; and confirming claims."""

from typing import TYPE_CHECKING

from desktop_app import present
from desktop_app.panes.base import PaneTools
from desktop_app.panes.rebuttal.comment_list import CommentReader
from desktop_app.panes.rebuttal.libraries_dialog import TemplatesView
from desktop_app.panes.rebuttal.response_part import ResponsePart
from desktop_app.panes.rebuttal.state import RebuttalState
from desktop_app.panes.rebuttal.templates import Templates
from desktop_app.panes.rebuttal.transfer import WORK
from engine.rebuttal.claims import Checked
from engine.rebuttal.points import sentences_of
from engine.rebuttal.records import Action, Template
from engine.rebuttal.slots import OUTLINE, fill

if TYPE_CHECKING:
    from engine.models.library import Added

USE = "rebuttal-drafting"
"""The Models pane's key for the language model that drafts responses."""


class Writing:
    """Connects the response with the templates, quotations and drafts inserted into it."""

    def __init__(
        self,
        state: RebuttalState,
        templates: Templates,
        parts: tuple[ResponsePart, TemplatesView, CommentReader],
        tools: PaneTools,
    ) -> None:
        self._state, self._templates, self._tools = state, templates, tools
        self._part, self._list, self._reader = parts
        self._list.chosen.connect(self.put_in)
        self._list.field.textChanged.connect(lambda _text: self.show_templates())
        self._part.strip.failed.connect(lambda failure: tools.show_failure(failure, WORK))

    def show_templates(self) -> None:
        words = self._list.field.text().strip()
        found = self._templates.fitting(words)
        self._list.show_ranked(found, self._templates.heading(words, found))

    def has_template(self, number: int) -> bool:
        return self._state.has_point() and self._list.template(number) is not None

    def put_in_number(self, number: int) -> None:
        template = self._list.template(number)
        if template is not None:
            self.put_in(template)

    def put_in(self, template: Template) -> None:
        """Inserts a template at the caret; slots are filled where possible, and the first open one is selected."""
        if self._state.has_point():
            done = template.library != OUTLINE or self._state.edits  # an outline alone doesn't report anything done
            action = template.action if done else None
            self._put_in(fill(template.text, self._templates.values()), template.source, action)

    def _put_in(self, piece: str, source: str, action: Action | None) -> None:
        self._tools.finish()
        text, start = self._part.with_piece(piece)
        named = {"piece": piece, "sentences": sentences_of(piece), "source": source, "action": action}
        if self._tools.act(lambda: self._state.on_point(self._state.store.put_in, text, **named)):
            self._part.select_slot(start, start + len(piece))

    @property
    def selection(self) -> str:
        """The selected words of the response, or else the whole response."""
        here, text = self._part.editor.selected, self._part.editor.text
        return text[here.start : here.end] or text

    def quote(self) -> None:
        row = present(self._state.row)
        self._part.quote(self._reader.selected or row.words)

    def confirm_claim(self) -> None:
        note = present(self._part.note("claim"))
        assert isinstance(note.of, Checked)
        self._tools.do(self._state.on_point, self._state.store.confirm, note.of.claim.key, True)

    def can_draft(self) -> bool:
        return self._state.has_point() and not self._part.strip.busy

    def has_draft(self) -> bool:
        return self._state.has_point() and self._part.strip.draft is not None

    def draft(self) -> None:
        from engine.models.library import ModelLibrary
        from engine.rebuttal.tasks import draft_reply

        chosen: list[Added | None] = []
        if not self._tools.act(lambda: chosen.append(ModelLibrary().chosen(USE)), WORK):
            return
        model = chosen[0]
        if model is None or self._state.entry is None:
            words = "No language model is chosen for drafts under Models, and there is no template to insert yet."
            if self._list.template(0) is not None:
                self.put_in_number(0)
                words = "The first template was inserted, because no language model is chosen for drafts under Models."
            self._tools.notify(WORK, words)
            return
        self._tools.finish()
        store = self._state.store
        brief, seed = self._templates.brief(self._part.editor.text), len(store.drafts(self._state.current))
        self._part.strip.begin(self._tools.context.bridge, draft_reply(store, brief, model, seed=seed), model.title)

    def take_draft(self) -> None:
        """Inserts the draft; its sentences stay marked until they are edited or accepted."""
        draft = present(self._part.strip.draft)
        self._put_in(draft.text, draft.origin, None)
        self._part.strip.clear()

    def refuse_draft(self) -> None:
        draft = present(self._part.strip.draft)
        if self._tools.act(lambda: self._state.store.refuse(self._state.point, draft.origin, draft.text)):
            self._part.strip.clear()

    def point_changed(self) -> None:
        strip = self._part.strip
        if strip.draft is not None and strip.draft.comment_id != self._state.current:
            strip.clear()
