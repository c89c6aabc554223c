"""The current comment, sentence by sentence with its labels, and the edits that are linked to it or suggested."""

from __future__ import annotations

import html
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.theme import theme
from desktop_app.widgets.chips import chips_of
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.label_chips import chip_html
from desktop_app.widgets.labels import HtmlPage
from desktop_app.widgets.tracked import edit_html
from engine.reviews.labels.records import SentenceLabels
from engine.reviews.records import Comment
from engine.reviews.spans import sentence
from engine.revision.records import Edit

_CONTEXT = 90


@dataclass(frozen=True, slots=True)
class Shown:
    """``text`` is the whole review, ``at`` the number of the current sentence; ``revised`` says whether there is a
    revised paper, ``key`` how the suggested edit is linked."""

    comment: Comment
    text: str
    sentences: tuple[SentenceLabels, ...]
    at: int
    edits: tuple[Edit, ...]
    suggested: tuple[Edit, ...]
    revised: bool
    key: str


class CommentReader(HtmlPage):
    """Text that can be selected and copied."""

    link_wanted = Signal()
    """The first suggested edit is to be linked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Comment and its edits", parent, padding="4px 8px")
        self._shown: Shown | None = None
        self.anchorClicked.connect(lambda _address: self.link_wanted.emit())
        theme().changed.connect(self._write)

    def show_comment(self, shown: Shown | None) -> None:
        """Another comment, or another state of the same, which keeps its place; None for none."""
        before, self._shown = self._shown, shown
        if shown != before:
            same = shown is not None and before is not None and shown.comment.id == before.comment.id
            place = self.verticalScrollBar().value() if same else 0
            self._write()
            self.verticalScrollBar().setValue(place)

    @property
    def selected(self) -> str:
        """The selected words; "" for none."""
        return self.textCursor().selection().toPlainText().strip()

    def _write(self) -> None:
        shown = self._shown
        face = theme().reading_font(13)
        if self.document().defaultFont() != face:  # it would lay out what goes
            self.document().setDefaultFont(face)
        if shown is None:
            self.setHtml("")
            return
        tokens = theme().tokens
        small = f"font-size:{theme().px(11)}px; font-family:sans-serif"
        muted = f"style='color:{tokens.muted}; {small}'"
        parts = []
        for number, one in enumerate(shown.sentences):
            words = html.escape(sentence(shown.text, one.span))
            here = number == shown.at and len(shown.sentences) > 1
            ground = f" style='background-color:{tokens.accent_wash}'" if here else ""
            chips = " ".join(chip_html(chip) for chip in chips_of(one))
            chips = chips or (f"<span {muted}>no label</span>" if number == shown.at else "")
            parts.append(f"<p{ground}>{words}{'<br>' if chips else ''}{chips}</p>")
        if not parts:
            parts.append(f"<p>{html.escape(shown.comment.comment)}</p>")

        def listed(heading: str, edits: tuple[Edit, ...], ink: str) -> None:
            parts.append(f"<p {muted}>{heading}</p>")
            for edit in edits:
                where = edit.section.rpartition(" > ")[2] or "no section"
                head = html.escape(f"{edit.label} · {WORDS[edit.sort]} · {where}")
                change = edit_html(edit, context=_CONTEXT)
                parts.append(f"<p><span style='color:{ink}; {small}'>{head}</span><br>{change}</p>")

        if shown.edits:
            listed("In the revised paper", shown.edits, tokens.data["linked"].ink)
        elif shown.revised and not shown.suggested:
            listed("No edit is linked to this comment.", (), "")
        if shown.suggested:
            words = html.escape(f"Link the first one ({shown.key})" if shown.key else "Link the first one")
            heading = "Also suggested:" if shown.edits else "No edit is linked yet. Suggested:"
            listed(
                f"{heading} <a href='link' style='color:{tokens.accent}'>{words}</a>",
                shown.suggested,
                tokens.data["suggested"].ink,
            )
        self.setHtml("".join(parts))
