"""One disagreement to decide: the comment as both see it, what both linked, and the text of the disputed edits."""

from __future__ import annotations

import html
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.agreement.state import Dispute
from desktop_app.panes.linking.terms import STATES
from desktop_app.theme import theme
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.fields import CommittingLineEdit
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.layouts import column, command_grid, surface, tall_enough
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.tracked import edit_html
from engine.project import PARTY
from engine.revision.records import CommentState

_CONTEXT = 240


class DisagreementDetail(QWidget):
    """The texts, the note, and the buttons that decide."""

    noted = Signal(str)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Current disagreement")
        self._shown: Dispute | None = None
        self._title = text_label("Nothing to adjudicate", "section", wrap=True, parent=self)
        self.page = HtmlPage("Comment and edits", self)
        self._why = text_label(PARTY, "muted", wrap=True, parent=self)
        self._why.hide()
        self.note = CommittingLineEdit("adjudication.note", "Note on this disagreement", self, "Note")
        self.note.committed.connect(lambda text, _key: self.noted.emit(text))
        # The names of people may be long: two columns.
        verbs = [(name, "") for name in ("first", "second", "both", "neither", "reopen", "skip")]
        column(
            self._title, (self.page, 1), hairline(parent=self), self._why, self.note,
            command_grid(registry, "agreement", verbs, self), margins=(16, 12, 16, 12), spacing=8, of=self,
        )  # fmt: skip
        tall_enough(self)
        theme().changed.connect(self._write)

    def show_dispute(self, shown: Dispute | None) -> None:
        """Shows a disagreement, at its beginning if it is another one; None for none."""
        before, self._shown = self._shown, shown
        self._why.setVisible(shown is not None and shown.party)
        self.note.setEnabled(shown is not None and not shown.party)
        self.note.show_text(shown.ruling.note if shown and shown.ruling else "")
        if shown != before:
            same = shown is not None and before is not None and shown.found == before.found
            place = self.page.verticalScrollBar().value() if same else 0
            self._write()
            self.page.verticalScrollBar().setValue(place)

    def _write(self) -> None:
        self.page.setMinimumHeight(theme().px(140))
        shown = self._shown
        self.page.document().setDefaultFont(theme().reading_font(13))
        self.page.setHtml("".join(_parts(shown)) if shown else "")
        first = shown.comments[0] if shown else None
        named = f"Comment by {first.reviewer}" if first and first.reviewer else "Comment"
        self._title.setText(named if shown else "Nothing to adjudicate")


def _parts(shown: Dispute) -> list[str]:
    found, names, ruling, (first, second) = shown.found, shown.names, shown.ruling, shown.comments
    muted = f"<p style='color:{theme().tokens.muted}'>"
    parts = [f"<p style='font-size:{theme().px(14)}px'>{html.escape(first.comment if first else '')}</p>"]
    if first is not None and second is not None and second.id != first.id:
        parts.append(f"{muted}{html.escape(names[1])} marked: {html.escape(second.comment)}</p>")
    for name, edits, state in (
        (names[0], (*found.agreed, *found.only_first), found.first_state),
        (names[1], (*found.agreed, *found.only_second), found.second_state),
    ):
        parts.append(f"<p><b>{html.escape(name)}</b>: {_decision(shown, state, edits)}</p>")
    if ruling is not None and ruling.verdict is not None:
        colour, decision = theme().tokens.data["linked"].ink, _decision(shown, ruling.state, ruling.edit_ids)
        parts.append(f"<p style='color:{colour}'><b>✓ Decided</b>: {decision}</p>")
    parts += [_edit(shown, key) for key in found.disputed]
    if first is not None and first.response:  # may be long: below what has to be decided
        parts.append(f"{muted}Response: {html.escape(first.response)}</p>")
    return parts


def _decision(shown: Dispute, state: str, edits: tuple[str, ...]) -> str:
    labels = [shown.edits[key].label if key in shown.edits else key[:8] for key in edits]
    words = STATES.get(cast("CommentState", state), state)
    return html.escape(f"{words} · {', '.join(labels) or 'no edit'}")


def _edit(shown: Dispute, key: str) -> str:
    edit, tokens, ruling = shown.edits.get(key), theme().tokens, shown.ruling
    who = shown.names[0] if key in shown.found.only_first else shown.names[1]
    if edit is None:
        return f"<p>Linked by {html.escape(who)} to an edit that the latest comparison no longer finds.</p>"
    runs, current = edit_html(edit, context=_CONTEXT), key == shown.edit_id
    kept = " · kept" if ruling is not None and ruling.verdict is not None and key in ruling.edit_ids else ""
    place = f"{edit.label} · {WORDS[edit.sort]} · {edit.section or 'no section'}"
    head = f"{'▸ ' if current else ''}{place} · only {who}{kept}"
    return (
        f"<table width='100%' cellpadding='8' style='margin-top:8px' "
        f"bgcolor='{tokens.accent_wash if current else tokens.ground}'><tr><td>"
        f"<p style='color:{tokens.muted}'>{html.escape(head)}</p><p>{runs}</p></td></tr></table>"
    )
