"""The current pair: the cluster on top, two cards of equal width, buttons below them, progress at the bottom."""

import html
import time
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPaintEvent, QResizeEvent, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.preferences.state import SHOWN, OpenCluster
from desktop_app.theme import theme
from desktop_app.timers import delayed
from desktop_app.widgets.fields import UndoLineEdit
from desktop_app.widgets.labels import ElidedLabel, HtmlPage, named, text_label
from desktop_app.widgets.layouts import (
    Flow,
    beside_or_below,
    column,
    command_button,
    row,
    stacked,
    surface,
    tall_enough,
)
from engine.rebuttal.preferences.candidates import cluster_title
from engine.rebuttal.preferences.scheduler import Pair
from engine.shown import counted, percent

_BUTTONS = (("left", "Prefer left"), ("tie", "Tie"), ("unsuitable", "Both unsuitable"), ("right", "Prefer right"))
_FURTHER = (("next_open", "Next open cluster"), ("done", "Done with this cluster"))
_SURE = 0.995
_CARD = 420
"""Maximum height of a card, so that on a large screen the buttons stay close to the texts."""
_BLIND = (
    "Which of the two describes these review sentences better? One was written, one extracted; the order is random."
)
SETTLE_MS = 120
TEXT, LINE_HEIGHT = 19, 145
_HEAD = 440
"""Width, at text size 1, from which the cluster's name and what is judged fit on one line."""
_HIGH = 520
"""Height from which the review sentences may take a third of the view."""


class Card(HtmlPage):
    """One of two texts in large type; its frame briefly shows that it was chosen. Records when it was first painted,
    because the time of a judgement starts then."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(name, parent)
        self.painted_at: float | None = None
        self.setUndoRedoEnabled(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMaximumHeight(theme().px(_CARD))
        self._settling = delayed(self, SETTLE_MS, self._dress)
        theme().follow(self._dress)

    def show_text(self, text: str, caption: str = "") -> None:
        """Shows another text; ``caption`` describes it for screen readers."""
        self.painted_at = None
        self.document().setDefaultFont(theme().reading_font(TEXT))
        self.setPlainText(text)
        spacing = QTextBlockFormat()
        spacing.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(spacing)
        self.setAccessibleDescription(f"{caption}: {text}" if caption else text)

    def settle(self) -> None:
        """Highlights the card briefly as chosen."""
        self._dress(chosen=True)
        self._settling.start()

    def _dress(self, *, chosen: bool = False) -> None:
        tokens, font = theme().tokens, theme().reading_font(TEXT)
        edge, inside = (f"3px solid {tokens.accent}", 18) if chosen else (f"1px solid {tokens.control_border}", 20)
        self.document().setDefaultFont(font)
        # Text set before the style keeps the application's font unless the style names the reading font.
        self.setStyleSheet(
            f"QTextBrowser {{ background: {tokens.raised}; border: {edge}; border-radius: 6px; padding: {inside}px;"
            f" font-family: '{font.family()}'; font-size: {theme().px(TEXT)}px; }}"
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.painted_at is None:
            self.painted_at = time.monotonic()


class JudgingView(QWidget):
    """Shows a cluster's pair. It takes the focus itself, so that all keys are commands of the pane."""

    note_left = Signal()
    """Escape was pressed in the note field."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Pair of rebuttals").setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._opened: OpenCluster | None = None
        self._pair: Pair | None = None
        self.notes: dict[Pair | None, str] = {}
        """Notes on pairs that weren't judged yet."""
        self._name = ElidedLabel("section", self)
        self._where, self._summary = (text_label("", role, parent=self) for role in ("muted", "small"))
        self._description = named(text_label(wrap=True, parent=self), "Description of the cluster")
        self._sentences = HtmlPage("Review sentences of the cluster", self)
        self._sentences.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._sentences.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._sentences.document().setDocumentMargin(0)
        self.left, self.right = Card("Left rebuttal", self), Card("Right rebuttal", self)
        # Buttons for judging, or for where to go when all pairs are judged; both pages have the same size.
        self._keys = stacked(self, QWidget(), QWidget())
        for at, buttons in enumerate((_BUTTONS, _FURTHER)):
            page = self._keys.widget(at)
            made = (command_button(registry, f"preferences.{name}", words, page) for name, words in buttons)
            row(None, Flow(*made), None, of=page)
        self._keys.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        note = "Note on this pair", registry.tooltip("preferences.note"), "Note, saved with your decision"
        self.note = named(UndoLineEdit(self), *note)
        self.note.installEventFilter(self)
        self.note.setMaximumWidth(theme().px(620))
        skip = command_button(registry, "preferences.skip", "Skip", self)
        self._progress = named(QProgressBar(self, textVisible=False), "Progress")
        head = row(
            (self._name, 1), row(self._where, None, command_button(registry, "edit.undo", "Undo", self)), spacing=12
        )
        beside_or_below(self, head, _HEAD)
        column(
            head, self._description, self._sentences, (row((self.left, 1), (self.right, 1), spacing=16), 100),
            self._keys, row(None, (self.note, 2), skip, None), None, self._progress, self._summary,
            margins=(24, 12, 24, 12), spacing=10, of=self,
        )  # fmt: skip
        tall_enough(self)
        theme().follow(self._restyle)

    def show_cluster(self, opened: OpenCluster | None) -> None:
        self._opened = opened
        name = cluster_title(opened.cluster) if opened is not None else ""
        self._name.setText(name)
        text = f"“{opened.description}”" if opened is not None and opened.description else ""
        if opened is not None and opened.descriptions is not None:
            text = _BLIND + " You wrote one of them yourself." * opened.wrote_description
        self._description.setText(text)
        self._description.setVisible(bool(text))
        self._show_sentences()
        self.show_pair()

    def show_pair(self, chosen: str = "") -> None:
        """Updates only the current pair; ``chosen`` is the answer given to the previous one."""
        opened = self._opened
        left = right = ("", "")
        if opened is None:
            left = ("No cluster is selected.", "")
        elif opened.descriptions is not None:
            (_, one), (_, other) = opened.descriptions
            left, right = (one, "Left description"), (other, "Right description")
        elif opened.pair is None:
            left, right = (_finished(opened), ""), (_outcome(opened), "")
        else:
            left, right = (opened.text_left, "Left"), (opened.text_right, "Right")
        self.left.show_text(*left)
        self.right.show_text(*right)
        decides = bool(right[1])
        self._keys.setCurrentIndex(0 if decides else 1)
        self.note.setEnabled(decides and opened is not None and opened.descriptions is None)
        self.right.setVisible(bool(right[0]))
        pair = opened.pair if opened is not None else None
        if pair != self._pair:  # otherwise the note may be being typed
            self.notes[self._pair], self._pair = self.note.text(), pair
            self.note.setText(self.notes.pop(pair, ""))
        for side, card in (("left", self.left), ("right", self.right)):
            if chosen in (side, "tie"):
                card.settle()
        self._show_progress(opened)

    def _show_progress(self, opened: OpenCluster | None) -> None:
        where, tip, done, total = "", "", 0, 0
        if opened is not None:
            step, done, total = opened.step, opened.step.judged, opened.step.total
            where = f"{counted(done, 'pair')} judged"
            if opened.descriptions is not None:
                where = "description before the first pair"
            elif step.pair is not None:
                where = f"pair {done + 1} of about {total}{' · ↔' if step.pair.repeat else ''}"
                tip = "You saw this pair before, with sides swapped." if step.pair.repeat else ""
        self._where.setText(where)
        self._where.setToolTip(tip)
        self._progress.setMaximum(max(total, 1))
        self._progress.setValue(min(done, total))
        self._progress.setAccessibleDescription(f"{done} of about {counted(total, 'pair')} judged")
        self._summary.setText(opened.summary() if opened is not None else "")

    def milliseconds(self) -> int | None:
        """Returns the milliseconds since both cards were painted; None before."""
        seen = [card.painted_at for card in (self.left, self.right) if card.painted_at is not None]
        return round(1000 * (time.monotonic() - max(seen))) if len(seen) == 2 else None

    def _show_sentences(self) -> None:
        sentences: Sequence[str] = [s.text for s in self._opened.sentences[:SHOWN]] if self._opened is not None else ()
        items = "".join(f"<li>{html.escape(' '.join(text.split()))}</li>" for text in sentences)
        self._sentences.setVisible(bool(sentences))
        self._sentences.setHtml(
            f"<p style='color:{theme().tokens.muted}; margin:0'>Review sentences of this kind</p>"
            f"<ul style='margin:2px 0 0 -22px'>{items}</ul>"
        )
        self._fit()

    def _restyle(self) -> None:
        font = theme().reading_font(17)
        self._description.setFont(font)
        self._description.setStyleSheet(f"font-size: {theme().px(17)}px; font-family: '{font.family()}';")
        self._show_sentences()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leaves the note field on Escape; the text is kept for the decision."""
        if not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Escape:
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.KeyPress:
            self.note_left.emit()
        event.accept()
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Sets the height of the sentences to what they need, at most a third of the view, or a sixth in a low one; the
        cards get the rest. In a low view, the cluster's longest text has precedence."""
        document, most = self._sentences.document(), self.height() // 3
        document.setTextWidth(max(self.width() - 56, 100))
        if self.height() < theme().px(_HIGH):
            opened = self._opened
            texts = [opened.candidates[key].candidate.text for key in opened.judged] if opened is not None else []
            metrics, words = QFontMetrics(theme().reading_font(TEXT)), int(Qt.TextFlag.TextWordWrap)
            room = QRect(0, 0, self.left.width() - 50, 1 << 20)
            card = LINE_HEIGHT / 100 * metrics.boundingRect(room, words, max(texts, key=len, default="")).height() + 76
            free = self._sentences.height() + self.left.height() - round(card)
            most = min(self.height() // 6, max(free, 2 * self._sentences.fontMetrics().height() + 8))
        self._sentences.setFixedHeight(min(most, round(document.size().height()) + 4))


def _finished(opened: OpenCluster) -> str:
    n, judged = len(opened.judged), len({j.pair for j in opened.own if j.answer != "skip"})
    if n < 2:
        return "This cluster has fewer than two candidates to judge. Find or add some, or include more of them."
    if opened.step.confidence is None:
        return "You've judged all your pairs in this cluster."
    every = n * (n - 1) // 2
    if judged >= every:
        return f"You've judged all {every:,} pairs." if every > 1 else "You've judged the only pair."
    fewer = f", {percent(1 - judged / every)} fewer" if judged else ""
    return f"A candidate that wins or ties for first is known after {judged} of {counted(every, 'pair')}{fewer}."


def _outcome(opened: OpenCluster) -> str:
    winner, sure = opened.candidates.get(opened.step.winner), opened.step.confidence
    if sure is None or winner is None or len(opened.judged) < 2:
        return ""
    cases = f"in {'more than 99' if sure > _SURE else f'{100 * sure:.0f}'} of 100 cases"
    return f"If you judged every pair, this one would win or tie for first {cases}:\n\n{winner.candidate.text}"
