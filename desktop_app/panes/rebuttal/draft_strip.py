"""What a language model writes for the current response, as it comes; dashed, since nobody has accepted it yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import column, command_buttons, row
from engine.rebuttal.records import Draft

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob, EngineBridge
    from engine.jobs import Failure, Task
    from engine.rebuttal.tasks import Drafting, DraftReply


class DraftStrip(QWidget):
    """Runs one drafting job at a time and shows its draft; hidden while there is none."""

    changed = Signal()
    """A draft began, ended, came or went."""
    failed = Signal(object)
    """The Failure of the job."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.draft: Draft | None = None
        self._job: BridgedJob | None = None
        self._origin = text_label("", "small", parent=self)
        self.words = QPlainTextEdit(self)
        self.words.setAccessibleName("Draft by a language model")
        self.words.setReadOnly(True)
        self.words.setTabChangesFocus(True)
        self.words.setFixedHeight(theme().px(120))
        words = {"take_draft": "Insert", "refuse_draft": "Reject", "stop_drafting": "Stop"}
        self.buttons = command_buttons(registry, "rebuttal", words, self)
        column(self.words, row((self._origin, 1), *self.buttons.values()), spacing=4, of=self)
        self.setVisible(False)
        theme().changed.connect(self._restyle)
        self._restyle()

    @property
    def busy(self) -> bool:
        """Whether a model is writing."""
        return self._job is not None

    def begin(self, bridge: EngineBridge, task: Task[DraftReply, Draft], title: str) -> None:
        """Starts a drafting job with the model of this title."""
        self.draft = None
        self.words.setPlainText("")
        self._origin.setText(f"Loading {title}…")
        self._show(writing=True)
        self._job = bridge.submit(
            task, self, on_done=self._done, on_error=self._failed, on_partial=self.hear,
            on_cancelled=lambda: self._end(None),
        )  # fmt: skip
        self.changed.emit()

    def stop(self) -> None:
        """Stops the model and discards what it wrote."""
        if self._job is not None:
            self._job.cancel()
            self._end(None)

    def clear(self) -> None:
        """Removes the draft."""
        self._end(None)

    def hear(self, piece: Drafting) -> None:
        """A further piece; an empty one starts over."""
        if not piece.text:
            self.words.setPlainText("")
            return
        cursor = self.words.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        cursor.insertText(piece.text)
        self.words.ensureCursorVisible()

    def _done(self, draft: Draft) -> None:
        self._end(draft)

    def _failed(self, failure: Failure) -> None:
        self._end(None)
        self.failed.emit(failure)

    def _end(self, draft: Draft | None) -> None:
        self.draft, self._job = draft, None
        if draft is None:
            self.setVisible(False)
        else:
            self.words.setPlainText(draft.text)
            model = draft.origin.removeprefix("model:").rpartition("@")[0]
            self._origin.setText(f"Written by {model} in {draft.seconds:.0f} s, not by a person")
            self._show(writing=False)
        self.changed.emit()

    def _show(self, *, writing: bool) -> None:
        for name, button in self.buttons.items():
            button.setVisible((name == "stop_drafting") == writing)
        self.setVisible(True)

    def _restyle(self) -> None:
        self.words.document().setDefaultFont(theme().reading_font(13))
        self.words.setStyleSheet(
            "QPlainTextEdit { border-radius: 6px; padding: 4px; border: 1px dashed "
            f"{theme().data('suggested').mark}; }}"
        )
