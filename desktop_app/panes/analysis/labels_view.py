"""Links that the authors' responses suggest, to be confirmed or refused; the words that show it are highlighted."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.analysis.state import DECISIONS
from desktop_app.panes.linking.study import reviewer_name
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.entry_list import EntryList
from desktop_app.widgets.halves import Halves
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
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
        right = QWidget(self)
        right.setAccessibleName("Selected label")
        right.setProperty("role", "surface")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for name in ("confirm", "refuse", "reopen", "find_labels"):
            button = CommandButton(registry, f"analysis.{name}", parent=right)
            KeepsKeys(button)
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(right)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        column.addWidget(self._title)
        column.addWidget(self.page, 1)
        column.addWidget(hairline(parent=right))
        column.addLayout(buttons)
        splitter = Halves(self.list, right, [320, 800], self)
        splitter.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)
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
