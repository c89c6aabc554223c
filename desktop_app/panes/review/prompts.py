"""The prompts of a stage: the one in use, editing it, earlier versions, and restoring the default."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.panes.review.layout import buttons, plain
from desktop_app.panes.review.session import ReviewSession
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.labels import ElidedLabel
from desktop_app.widgets.layouts import column, row
from engine.models.prompts import shipped_prompt
from engine.review_drafting.prompts import PROMPTS, prompt_in_force
from engine.review_drafting.records import StageId


class PromptView(QWidget):
    """One prompt at a time. A text takes effect only when it is put to use."""

    def __init__(self, session: ReviewSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._stage: StageId | None = None
        self._used = ""
        registry = session.context.commands
        self.which = ChoiceBox("Prompt of the stage", letters=16, parent=self)
        self.versions = ChoiceBox("Versions of the prompt", letters=16, parent=self)
        self.versions.setToolTip("Earlier versions; choose Use to put one to use")
        self.status = ElidedLabel("muted", self)
        self.text = plain("Text of the prompt", self, read_only=False)
        self.which.picked.connect(lambda _key: self._read(replace=True))
        self.versions.picked.connect(self.text.setPlainText)
        self.text.textChanged.connect(self._typed)
        acts = buttons(registry, self, use_prompt="Use", ship_prompt="Restore default")
        column(row(self.which, self.versions, (self.status, 1)), (self.text, 1), acts, spacing=8, of=self)
        session.runs_changed.connect(lambda: self._read(replace=False))

    @property
    def prompt(self) -> str:
        """The key of the prompt that is shown, "" where the stage has none."""
        return self.which.value or ""

    @property
    def changed(self) -> bool:
        """Whether the text differs from the one in use."""
        text = self.text.toPlainText().strip()
        return bool(self.prompt and text) and text != self._used

    @property
    def edited(self) -> bool:
        """Whether a text other than the default is in use."""
        return bool(self.prompt) and self._used != shipped_prompt(self.prompt)

    def show_stage(self, stage: StageId) -> None:
        """Shows the first prompt of a stage."""
        if stage != self._stage:
            self._stage = stage
            self.which.show_entries([(title, key) for key, (owner, title) in PROMPTS.items() if owner == stage])
            self._read(replace=True)

    def use(self) -> None:
        """Puts the text to use, as a new version."""
        text = self.text.toPlainText().strip()
        if text == shipped_prompt(self.prompt):
            self.restore_default()
        else:
            self._session.act(lambda: self._session.state.store.edit_prompt(self.prompt, text))

    def restore_default(self) -> None:
        """Uses the default prompt again; versions are kept."""
        if self._session.act(lambda: self._session.state.store.edit_prompt(self.prompt, "")):
            self.text.setPlainText(shipped_prompt(self.prompt))

    def _read(self, *, replace: bool) -> None:
        """Reads the versions; replaces the text if asked to, or if it is not being edited."""
        state, key = self._session.state, self.prompt
        if not key:
            return
        kept = state.store.prompt_versions(key) if state.project is not None else ()
        edited = {key: (kept[0].version, kept[0].text)} if kept and kept[0].text else {}
        replace = replace or not self.changed
        self._used = prompt_in_force(key, edited).text
        edits = [(f"Edited {one.version}, {one.created_at[:10]}", one.text) for one in kept if one.text]
        self.versions.show_entries([*edits, ("Default", shipped_prompt(key))], self._used)
        if replace:
            self.text.setPlainText(self._used)
        self._typed()

    def _typed(self) -> None:
        used = "In use: your text" if self.edited else "In use: default"
        self.status.setText("Not in use yet" if self.changed else used)
        self.text.setReadOnly(not self._session.state.can_write)
        self._session.context.commands.state_changed.emit()
