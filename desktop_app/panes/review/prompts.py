"""The prompts of a stage: what is in force, edited by a person, earlier texts, and the one that ships put back."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel
from engine.models.prompts import shipped_prompt
from engine.review_drafting.prompts import PROMPTS, prompt_in_force
from engine.review_drafting.records import StageId
from engine.review_drafting.run_store import PromptVersion


class PromptView(QWidget):
    """One prompt at a time. Nothing is in force before it is put there; typing alone changes no run."""

    def __init__(self, desk: ReviewDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._stage: StageId | None = None
        self._in_force = ""
        registry = desk.context.commands
        self.which = QComboBox(self)
        self.which.setAccessibleName("Prompt of the stage")
        self.which.setToolTip("Which of the stage's prompts is shown")
        self.versions = QComboBox(self)
        self.versions.setAccessibleName("Versions of the prompt")
        self.versions.setToolTip("Earlier texts of the prompt; one is in force only when it is put there")
        for box in (self.which, self.versions):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(16)
            KeepsKeys(box)
        self.text = QPlainTextEdit(self)
        self.which.activated.connect(lambda _at: self._read(anew=True))
        self.versions.activated.connect(lambda _at: self.text.setPlainText(self.versions.currentData()))
        self.told = ElidedLabel("muted", self)
        self.text.setAccessibleName("Text of the prompt")
        self.text.setTabChangesFocus(True)
        self.text.textChanged.connect(self._typed)
        head, acts = QHBoxLayout(), QHBoxLayout()
        for row in (head, acts):
            row.setSpacing(8)
        head.addWidget(self.which)
        head.addWidget(self.versions)
        head.addWidget(self.told, 1)
        for name, words in (("use_prompt", "Put in force"), ("ship_prompt", "Put back as it ships")):
            button = CommandButton(registry, f"review.{name}", text=words, parent=self)
            KeepsKeys(button)
            acts.addWidget(button)
        acts.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self.text, 1)
        layout.addLayout(acts)
        desk.runs_changed.connect(lambda: self._read(anew=False))

    @property
    def prompt(self) -> str:
        """The prompt at hand, "" where the stage has none."""
        return self.which.currentData() or ""

    @property
    def changed(self) -> bool:
        """Whether the text shown is another one than that in force."""
        text = self.text.toPlainText().strip()
        return bool(self.prompt and text) and text != self._in_force

    @property
    def edited(self) -> bool:
        """Whether a text of the person's own is in force."""
        return bool(self.prompt) and self._in_force != shipped_prompt(self.prompt)

    def show_stage(self, stage: StageId) -> None:
        """Another stage: its first prompt."""
        if stage == self._stage:
            return
        self._stage = stage
        self.which.clear()
        for key, (owner, title) in PROMPTS.items():
            if owner == stage:
                self.which.addItem(title, key)
        self._read(anew=True)

    def use(self) -> None:
        """Puts the text into force, as a new version."""
        text = self.text.toPlainText().strip()
        if text == shipped_prompt(self.prompt):
            self.ship()
        else:
            self._desk.act(lambda: self._desk.store.edit_prompt(self.prompt, text))

    def ship(self) -> None:
        """Puts the prompt that ships back into force; versions stay."""
        if self._desk.act(lambda: self._desk.store.edit_prompt(self.prompt, "")):
            self.text.setPlainText(shipped_prompt(self.prompt))

    def _read(self, *, anew: bool) -> None:
        desk, key = self._desk, self.prompt
        if not key:
            return
        kept: tuple[PromptVersion, ...] = desk.store.prompt_versions(key) if desk.project is not None else ()
        edited = {key: (kept[0].version, kept[0].text)} if kept and kept[0].text else {}
        force = prompt_in_force(key, edited)
        was_shown = not self.changed
        self._in_force = force.text
        self.versions.clear()
        for version in kept:
            if version.text:
                self.versions.addItem(f"Edited {version.version}, {version.created_at[:10]}", version.text)
        self.versions.addItem("As it ships", shipped_prompt(key))
        self.versions.setCurrentIndex(max(0, self.versions.findData(force.text)))
        if anew or was_shown:
            self.text.setPlainText(force.text)
        self._typed()

    def _typed(self) -> None:
        kind = "your own text" if self.edited else "the text that ships"
        self.told.setText("Not in force yet" if self.changed else f"In force: {kind}")
        self.text.setReadOnly(not self._desk.can_write)
        self._desk.context.commands.state_changed.emit()
