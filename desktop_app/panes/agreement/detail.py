"""One disagreement to be decided: the comment as both see it, what both linked, and the text of the disputed edits."""

from __future__ import annotations

import html
from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.terms import STATES
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.fields import CommittingLineEdit
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.tracked import tracked_html
from engine.agreement.records import Adjudication, Disagreement
from engine.reviews.records import Comment
from engine.revision.records import CommentState, Edit

_CONTEXT = 240


class DisagreementDetail(QWidget):
    """The texts, the note, and the keys that decide."""

    noted = Signal(str)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The disagreement at hand")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._shown: tuple[object, ...] = ()
        self._title = text_label("", "section", parent=self)
        self.page = HtmlPage("Comment and edits", self)
        self.note = CommittingLineEdit("adjudication.note", "Note", self)
        self.note.setAccessibleName("Note on this disagreement")
        self.note.setPlaceholderText("Note")
        self.note.committed.connect(lambda text, _key: self.noted.emit(text))
        acts = QGridLayout()
        acts.setSpacing(8)
        # Names of people may be long: the buttons stand in two columns.
        for at, name in enumerate(("first", "second", "both", "neither", "reopen", "skip")):
            button = CommandButton(registry, f"agreement.{name}", parent=self)
            KeepsKeys(button)
            acts.addWidget(button, at // 2, at % 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addWidget(self.page, 1)
        layout.addWidget(hairline(parent=self))
        layout.addWidget(self.note)
        layout.addLayout(acts)
        theme().changed.connect(self._restyle)

    def show_disagreement(
        self,
        found: Disagreement | None,
        names: tuple[str, str],
        comments: Mapping[str, Comment],
        edits: Mapping[str, Edit],
        *,
        ruling: Adjudication | None,
        at_hand: str,
    ) -> None:
        """``at_hand`` is the disputed edit that single choices are about."""
        shown = (found, names, ruling, at_hand, edits if found else None)
        if shown == self._shown:
            return
        fresh = found != (self._shown[0] if self._shown else None)
        self._shown = shown
        self._comments, self._edits = comments, edits
        self.note.setEnabled(found is not None)
        self.note.show_text(ruling.note if ruling else "")
        place = 0 if fresh else self.page.verticalScrollBar().value()
        self._write(found, names, ruling, at_hand)
        self.page.verticalScrollBar().setValue(place)

    _comments: Mapping[str, Comment] = {}
    _edits: Mapping[str, Edit] = {}

    def _restyle(self) -> None:
        if self._shown:
            found, names, ruling, at_hand, _ = self._shown
            self._write(found, names, ruling, at_hand)  # type: ignore[arg-type]

    def _write(
        self, found: Disagreement | None, names: tuple[str, str], ruling: Adjudication | None, at_hand: str
    ) -> None:
        if found is None:
            self._title.setText("Nothing to adjudicate")
            self.page.clear()
            return
        tokens = theme().tokens
        first, second = (self._comments.get(key) for key in (found.comment.first_id, found.comment.second_id))
        self._title.setText(f"{first.reviewer or 'Reviewer'}: one comment, two readings" if first else "One comment")
        said = html.escape(first.comment if first else "")
        parts = [f"<p style='font-size:{theme().px(14)}px'>{said}</p>"]
        if second is not None and first is not None and second.id != first.id:
            parts.append(
                f"<p style='color:{tokens.muted}'>{html.escape(names[1])} marked: {html.escape(second.comment)}</p>"
            )
        if first is not None and first.response:
            parts.append(f"<p style='color:{tokens.muted}'>Response: {html.escape(first.response)}</p>")
        for name, edits, state in (
            (names[0], (*found.agreed, *found.only_first), found.first_state),
            (names[1], (*found.agreed, *found.only_second), found.second_state),
        ):
            labels = ", ".join(self._label(key) for key in edits) or "no edit"
            words = STATES.get(_state(state), state)
            parts.append(f"<p><b>{html.escape(name)}</b>: {html.escape(words)} · {html.escape(labels)}</p>")
        if ruling is not None and ruling.verdict is not None:
            labels = ", ".join(self._label(key) for key in ruling.edit_ids) or "no edit"
            words = STATES.get(_state(ruling.state), ruling.state)
            parts.append(
                f"<p style='color:{tokens.data['linked'].ink}'><b>✓ Decided</b>: {html.escape(words)} · "
                f"{html.escape(labels)}</p>"
            )
        for key in found.disputed:
            parts.append(self._edit(key, names[0] if key in found.only_first else names[1], ruling, key == at_hand))
        self.page.document().setDefaultFont(theme().reading_font(13))
        self.page.setHtml("".join(parts))

    def _label(self, key: str) -> str:
        edit = self._edits.get(key)
        return edit.label if edit else key[:8]

    def _edit(self, key: str, who: str, ruling: Adjudication | None, at_hand: bool) -> str:
        edit, tokens = self._edits.get(key), theme().tokens
        if edit is None:
            return f"<p>An edit that the newest comparison no longer finds, linked by {html.escape(who)}.</p>"
        runs = tracked_html(edit.source_text, edit.target_text, context=_CONTEXT)
        mark = "▸ " if at_hand else ""
        held = " · holds" if ruling is not None and ruling.verdict is not None and key in ruling.edit_ids else ""
        head = f"{mark}{edit.label} · {WORDS[edit.kind]} · {edit.section or 'no section'} · only {who}{held}"
        ground = tokens.accent_wash if at_hand else tokens.ground
        return (
            f"<table width='100%' cellpadding='8' style='margin-top:8px' bgcolor='{ground}'><tr><td>"
            f"<p style='color:{tokens.muted}'>{html.escape(head)}</p><p>{runs}</p></td></tr></table>"
        )


def _state(name: str) -> CommentState:
    return name if name in STATES else "undecided"  # type: ignore[return-value]
