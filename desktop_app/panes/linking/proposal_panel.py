"""A proposed response and edit for the current comment, always marked as a proposal."""

import html
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import HtmlPage, text_label
from desktop_app.widgets.layouts import column, command_button, row, surface
from desktop_app.widgets.tracked import tracked_html
from engine.documents.records import Paragraph
from engine.revision.generation.records import FRAMES, Change, Proposal
from engine.shown import model_name

_CONTEXT = 80
"""Characters shown on either side of a change; the place leads to the whole paragraph."""


def maker(origin: str) -> str:
    return "sentence frames" if origin == FRAMES else model_name(origin)


def tracked_proposal(change: Change, paragraph: Paragraph | None, *, context: int) -> str:
    """Returns the proposed text as HTML: a tracked change of its paragraph, or all inserted if it changes none."""
    source = paragraph.text if paragraph is not None and change.placement == "change" else ""
    return tracked_html(source, change.text, context=context)


class ProposalPanel(QWidget):
    """Shows one of a comment's proposals: response, place, tracked change, reasons and origin."""

    place_wanted = Signal(str)
    """The user wants to see this paragraph."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Proposed edit")
        self.proposals: tuple[Proposal, ...] = ()
        self._paragraphs: Mapping[str, Paragraph] = {}
        self._comment, self._written, self._busy = "", "", ""
        self.close_button = IconButton("x", "Close the proposal", parent=self)
        self.which = ChoiceBox("Proposal to show", letters=12, parent=self)
        self.which.picked.connect(lambda _at: self._write())
        self.page = HtmlPage("Proposed response and edit", self, reading=13)
        self.page.anchorClicked.connect(self._link_clicked)
        self._progress = text_label("", "small", wrap=True, parent=self)
        acts = ("propose_again", "Propose again"), ("stop_proposing", "Stop")
        self._again, self._stop = (command_button(registry, f"linking.{name}", words, self) for name, words in acts)
        column(
            row((text_label("Proposed edit", "section", parent=self), 1), self.close_button, margins=(12, 6, 8, 0)),
            row((self.which, 1), margins=(12, 0, 12, 0)),
            (row((self.page, 1), margins=(8, 0, 8, 0)), 1),
            row((self._progress, 1), margins=(12, 0, 12, 0)),
            row((self._again, 1), (self._stop, 1), margins=(12, 0, 12, 8)),
            spacing=6, of=self,
        )  # fmt: skip
        theme().follow(self._write)

    def show_proposals(
        self, comment_id: str, proposals: Sequence[Proposal], paragraphs: Mapping[str, Paragraph]
    ) -> None:
        """Sets the proposals of a comment, newest first; if they changed, shows the newest."""
        if (comment_id, tuple(proposals)) == (self._comment, self.proposals) and paragraphs is self._paragraphs:
            return
        self._comment, self.proposals, self._paragraphs = comment_id, tuple(proposals), paragraphs
        count = len(self.proposals)
        self.which.show_entries(
            [(f"{count - at} of {count}: {maker(p.origin)}", at) for at, p in enumerate(self.proposals)], 0
        )
        self.which.setEnabled(len(self.proposals) > 1)
        self._write()

    def show_work(self, busy: str, written: str) -> None:
        """Shows what is being proposed and the model's output so far; both are empty if nothing is running."""
        if (busy, written) == (self._busy, self._written):
            return
        self._busy, self._written = busy, written
        self._write()
        bar = self.page.verticalScrollBar()
        if written:
            bar.setValue(bar.maximum())

    @property
    def proposal(self) -> Proposal | None:
        at = self.which.currentIndex()
        return self.proposals[at] if 0 <= at < len(self.proposals) else None

    def copy(self, *, response: bool) -> None:
        if self.proposal is not None:
            edits = "\n\n".join(change.text for change in self.proposal.changes)
            text = self.proposal.response if response else edits
            if text:
                QGuiApplication.clipboard().setText(text)
                if not self._busy:
                    self._progress.setText("Response copied" if response else "Edit copied")
                    self._progress.show()

    def _link_clicked(self, url: QUrl) -> None:
        if url.scheme() == "copy":
            self.copy(response=url.path() == "response")
        elif self.proposal is not None:
            self.place_wanted.emit(self.proposal.changes[int(url.path())].paragraph_id)

    def _write(self) -> None:
        tokens, found = theme().tokens, self.proposal
        self.page.setStyleSheet(
            f"QTextBrowser {{ border: 1px dashed {tokens.data['suggested'].mark}; border-radius: 6px; padding: 4px; }}"
        )
        self._progress.setText(self._busy)
        self._progress.setVisible(bool(self._busy))
        self._again.setHidden(bool(self._busy))  # one gives its place to the other
        self._stop.setVisible(bool(self._busy))
        if self._written:
            words = html.escape(self._written).replace("\n", "<br>")
            self.page.setHtml(f"<p style='color:{tokens.muted}'>The model writes:</p><p>{words}</p>")
            return
        if found is None:
            self.page.setHtml(
                f"<p style='color:{tokens.muted}'>Nothing has been proposed for this comment yet. Sentence frames "
                "always propose something, and so does a language model if you chose one in Models.</p>"
            )
            return
        muted = f"style='color:{tokens.muted}; font-size:{theme().px(11)}px'"
        link = f"style='color:{tokens.accent}'"
        parts = [
            f"<p {muted}>Proposed by {html.escape(maker(found.origin))}, not by a person · requested action: "
            f"{html.escape(found.action)}</p>"
        ]
        for at, change in enumerate(found.changes):
            copies = "" if at else f" · <a href='copy:edit' {link}>{'Copy all edits' if found.more else 'Copy'}</a>"
            paragraph = self._paragraphs.get(change.paragraph_id)
            place = "No place was found for this text."
            if paragraph is not None:
                verb = "After" if change.placement == "after" else "In"
                where = f" of “{html.escape(paragraph.section)}”" if paragraph.section else ""
                words = f"{verb} a paragraph{where}, page {paragraph.page}"
                place = f"<a href='place:{at}' {link}>{words}</a>"
            parts.append(f"<p {muted}>Edit{f' {at + 1}' if found.more else ''}{copies}</p><p>{place}</p>")
            parts.append(f"<p>{tracked_proposal(change, paragraph, context=_CONTEXT)}</p>")
            if found.reasons and not at:
                parts.append(f"<p {muted}>Why there: {html.escape('; '.join(found.reasons))}</p>")
        if found.response:
            copies = f"<a href='copy:response' {link}>Copy</a>"
            parts.append(f"<p {muted}>Response to the reviewer · {copies}</p><p>{html.escape(found.response)}</p>")
        self.page.setHtml("".join(parts))
