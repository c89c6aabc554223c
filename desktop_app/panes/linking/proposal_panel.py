"""What one could answer and change for the comment at hand: proposed, never mixed up with what people did."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton, IconButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.tracked import tracked_html
from engine.documents.records import Paragraph
from engine.revision.generation.frames import ORIGIN
from engine.revision.generation.records import Proposal


def maker(proposal: Proposal) -> str:
    """Who made a proposal, for people."""
    if proposal.origin == ORIGIN:
        return "sentence frames"
    return proposal.origin.removeprefix("model:").rpartition("@")[0] or proposal.origin


def tracked_proposal(proposal: Proposal, paragraph: Paragraph | None, *, context: int = 0) -> str:
    """The proposed text as a tracked change of the paragraph; wholly new where it has none to change."""
    source = paragraph.text if paragraph is not None and proposal.placement == "change" else ""
    return tracked_html(source, proposal.text, context=context)


class ProposalPanel(QWidget):
    """Response, place, tracked change, reasons and origin of one proposal; several can be chosen from."""

    place_wanted = Signal(str)
    """The id of the paragraph whose place is wanted."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Proposed edit")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.proposals: tuple[Proposal, ...] = ()
        self._paragraphs: Mapping[str, Paragraph] = {}
        self._comment = ""
        self._written = ""
        self._busy = ""
        self.close_button = IconButton("x", "Close the proposal", parent=self)
        self.which = QComboBox(self)
        self.which.setAccessibleName("Which proposal")
        self.which.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.which.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.which.setMinimumContentsLength(12)
        self.which.currentIndexChanged.connect(lambda _at: self._write())
        KeepsKeys(self.which)
        self.page = HtmlPage("Proposed response and edit", self)
        self.page.anchorClicked.connect(self._link_clicked)
        self._told = text_label("", "small", wrap=True, parent=self)
        head = QHBoxLayout()
        head.setContentsMargins(12, 6, 8, 0)
        head.addWidget(text_label("Proposed edit", "section", parent=self), 1)
        head.addWidget(self.close_button)
        chooser = QHBoxLayout()
        chooser.setContentsMargins(12, 0, 12, 0)
        chooser.addWidget(self.which, 1)
        middle = QVBoxLayout()
        middle.setContentsMargins(8, 0, 8, 0)
        middle.addWidget(self.page)
        told = QHBoxLayout()
        told.setContentsMargins(12, 0, 12, 0)
        told.addWidget(self._told)
        acts = QGridLayout()
        acts.setContentsMargins(12, 0, 12, 8)
        acts.setSpacing(4)
        for at, (name, words) in enumerate(
            (
                ("propose_again", "Propose again"),
                ("stop_proposing", "Stop"),
                ("copy_response", "Copy response"),
                ("copy_edit", "Copy edit"),
            )
        ):
            button = CommandButton(registry, f"linking.{name}", text=words, show_key=False, parent=self)
            KeepsKeys(button)
            acts.addWidget(button, at // 2, at % 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addLayout(chooser)
        layout.addLayout(middle, 1)
        layout.addLayout(told)
        layout.addLayout(acts)
        theme().changed.connect(self._write)
        self._write()

    def show_proposals(
        self, comment_id: str, proposals: Sequence[Proposal], paragraphs: Mapping[str, Paragraph]
    ) -> None:
        """The proposals of a comment, the newest first; the newest is shown where others came."""
        if (comment_id, tuple(proposals)) == (self._comment, self.proposals) and paragraphs is self._paragraphs:
            return
        self._comment, self.proposals, self._paragraphs = comment_id, tuple(proposals), paragraphs
        self.which.blockSignals(True)
        self.which.clear()
        for number, proposal in enumerate(self.proposals):
            self.which.addItem(f"{len(self.proposals) - number} of {len(self.proposals)}: {maker(proposal)}")
        self.which.blockSignals(False)
        self.which.setEnabled(len(self.proposals) > 1)
        self._write()

    def show_work(self, busy: str, written: str) -> None:
        """What is being made, and what a model has written of it so far; both empty when nothing is."""
        if (busy, written) == (self._busy, self._written):
            return
        self._busy, self._written = busy, written
        self._write()
        bar = self.page.verticalScrollBar()
        if written:
            bar.setValue(bar.maximum())

    @property
    def proposal(self) -> Proposal | None:
        """The one that is shown."""
        at = self.which.currentIndex()
        return self.proposals[at] if 0 <= at < len(self.proposals) else None

    def copy(self, *, response: bool) -> None:
        """Copies the response, or the edit's new text."""
        if self.proposal is not None:
            QGuiApplication.clipboard().setText(self.proposal.response if response else self.proposal.text)

    def _link_clicked(self, url: QUrl) -> None:
        if self.proposal is not None and url.toString() == "place":
            self.place_wanted.emit(self.proposal.paragraph_id)

    def _write(self) -> None:
        tokens, found = theme().tokens, self.proposal
        self.page.setStyleSheet(
            f"QTextBrowser {{ border: 1px dashed {tokens.data['suggested'].mark}; border-radius: 6px; padding: 4px; }}"
        )
        self._told.setText(self._busy)
        self._told.setVisible(bool(self._busy))
        self.page.document().setDefaultFont(theme().reading_font(13))
        if self._written:
            words = html.escape(self._written).replace("\n", "<br>")
            self.page.setHtml(f"<p style='color:{tokens.muted}'>The model writes:</p><p>{words}</p>")
            return
        if found is None:
            self.page.setHtml(
                f"<p style='color:{tokens.muted}'>Nothing is proposed for this comment yet. Sentence frames always "
                "propose something; a language model does, too, where one is chosen under Models.</p>"
            )
            return
        paragraph = self._paragraphs.get(found.paragraph_id)
        muted = f"style='color:{tokens.muted}; font-size:{theme().px(11)}px'"
        parts = [
            f"<p {muted}>Proposed by {html.escape(maker(found))}, not by a person · {html.escape(found.action)}</p>"
        ]
        if found.response:
            parts.append(f"<p {muted}>Response to the reviewer</p><p>{html.escape(found.response)}</p>")
        if paragraph is not None:
            where = paragraph.section or "no section"
            verb = "After" if found.placement == "after" else "In"
            parts.append(
                f"<p {muted}>Place</p><p><a href='place' style='color:{tokens.accent}'>{verb} a paragraph of "
                f"{html.escape(where)}, page {paragraph.page}</a></p>"
            )
        else:
            parts.append(f"<p {muted}>Place</p><p>None was found; the text stands for itself.</p>")
        if found.reasons:
            parts.append(f"<p {muted}>Why there: {html.escape('; '.join(found.reasons))}</p>")
        parts.append(f"<p {muted}>Edit</p><p>{tracked_proposal(found, paragraph)}</p>")
        self.page.setHtml("".join(parts))
