"""Links that the authors' responses suggest, to be confirmed or refused; the words that show it are highlighted."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.analysis.state import DECISIONS
from desktop_app.panes.linking.study import reviewer_name
from desktop_app.theme import theme
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.entry_list import EntryList
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.layouts import column, command_buttons, row, splitter, surface
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.tracked import lit_html, tracked_html
from engine.reviews.records import Comment
from engine.revision.records import Edit, SilverPair

_KINDS = {
    "quoted text": "the response quotes words that are new in the edit",
    "quoted comment": "the response quotes the comment, and its answer shares words with the edit",
    "reply": "the response shares words with the edit",
}


class LabelsView(QWidget):
    """The labels on the left, the surest first; comment, response and edit of the selected one on the right."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Labels from responses")
        self.list = EntryList("Labels from responses", self, Qt.TextElideMode.ElideRight)
        self.list.set_message("No labels yet. Press F to find them in the authors' responses.")
        self._title = text_label("", "section", parent=self)
        self.page = HtmlPage("Comment, response and edit", self)
        right = surface(QWidget(self), "Selected label")
        names = ("confirm", "refuse", "reopen", "find_labels")
        buttons = command_buttons(registry, "analysis", dict.fromkeys(names, ""), right)
        column(
            self._title, (self.page, 1), hairline(parent=right), row(*buttons.values(), None),
            margins=(16, 12, 16, 12), spacing=8, of=right,
        )  # fmt: skip
        column(splitter((self.list, 320, 0), (right, 800, 1), parent=self), of=self)
        self._shown: tuple[SilverPair | None, Comment | None, Edit | None] = (None, None, None)
        theme().changed.connect(self._write)

    def show_pair(self, pair: SilverPair | None, comment: Comment | None, edit: Edit | None) -> None:
        """The selected label; None for none."""
        self._shown = (pair, comment, edit)
        self._write()

    def _write(self) -> None:
        pair, comment, edit = self._shown
        if pair is None or comment is None or edit is None:
            self._title.setText("No label selected")
            self.page.clear()
            return
        self._title.setText(f"{reviewer_name(comment)} and {edit.label}: {DECISIONS[pair.decision]}")
        evidence = [label.evidence for label in pair.labels]
        parts = [("Comment", lit_html(comment.comment, evidence))]
        if comment.response:
            parts.append(("The authors' response", lit_html(comment.response, evidence)))
        parts += [
            (f"Why: {_KINDS[label.kind]} ({label.strength:.2f})", lit_html(label.evidence, [label.evidence]))
            for label in pair.labels
        ]
        head = f"{edit.label} · {WORDS[edit.kind]} · {edit.section or 'no section'}"
        parts.append((head, tracked_html(edit.source_text, edit.target_text, evidence=evidence)))
        self.page.document().setDefaultFont(theme().reading_font(13))
        muted = theme().tokens.muted
        self.page.setHtml("".join(f"<p style='color:{muted}'>{html.escape(h)}</p><p>{text}</p>" for h, text in parts))
