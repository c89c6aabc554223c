"""The current pair: the cluster above, two cards of equal width, the keys under them, progress below."""

from __future__ import annotations

import html
import time
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.panes.preferences.card import Card
from desktop_app.panes.preferences.state import SHOWN, OpenCluster
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fields import UndoLineEdit
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel, text_label
from desktop_app.widgets.plain import HtmlPage
from engine.rebuttal.preferences.naming import cluster_title

_BUTTONS = (("left", "Prefer left"), ("tie", "Tie"), ("unsuitable", "Both unsuitable"), ("right", "Prefer right"))
_FURTHER = (
    ("next_open", "Next open cluster"), ("done", "Done with this cluster"), ("show_candidates", "Candidates"),
    ("show_ranking", "Ranking"),
)  # fmt: skip
_SURE = 0.995
_CARD = 420
"""How high a card is at most: on a large screen the keys stay near what they decide on."""
_BLIND = "Which of the two describes these review sentences better? One was written, one extracted; sides are drawn."


class JudgingView(QWidget):
    """Shows a opened's pair. It takes the keyboard itself, so that every key is a command of the pane."""

    note_entered = Signal(str)
    """Enter was pressed in the note."""
    note_left = Signal()
    """Escape was pressed in the note."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Pair of rebuttals")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._opened: OpenCluster | None = None
        self._empty = ""
        self._name = ElidedLabel("section", self)
        self._where = text_label("", "muted", parent=self)
        self._summary = text_label("", "small", parent=self)
        undo = CommandButton(registry, "edit.undo", text="Undo", parent=self)
        KeepsKeys(undo)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self._name, 1)
        head.addWidget(self._where)
        head.addWidget(undo)
        self._description = text_label(parent=self)
        self._description.setWordWrap(True)
        self._description.setAccessibleName("Description of the cluster")
        self._sentences = HtmlPage("Review sentences of the cluster", self)
        self._sentences.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._sentences.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._sentences.document().setDocumentMargin(0)
        self.left, self.right = Card("Left rebuttal", self), Card("Right rebuttal", self)
        for card in (self.left, self.right):
            card.setMaximumHeight(theme().px(_CARD))
        cards = QHBoxLayout()
        cards.setSpacing(16)
        cards.addWidget(self.left, 1)
        cards.addWidget(self.right, 1)
        # Under the cards: what decides, or where to go when all is decided. Both take the same room.
        self._keys = QStackedWidget(self)
        for buttons in (_BUTTONS, _FURTHER):
            self._keys.addWidget(self._row_of(registry, buttons))
        self._keys.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.note = UndoLineEdit(self)
        self.note.setAccessibleName("Note on this pair")
        self.note.setPlaceholderText("Note on this pair (M); kept with your decision")
        self.note.returnPressed.connect(lambda: self.note_entered.emit(self.note.text()))
        self.note.installEventFilter(self)
        self.note.setMaximumWidth(theme().px(620))
        skip = CommandButton(registry, "preferences.skip", text="Skip", parent=self)
        KeepsKeys(skip)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(self.note, 2)
        foot.addWidget(skip)
        foot.addStretch(1)
        self._progress = ProgressLine(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 12, 24, 12)
        layout.setSpacing(10)
        layout.addLayout(head)
        layout.addWidget(self._description)
        layout.addWidget(self._sentences)
        layout.addLayout(cards, 1)
        layout.addWidget(self._keys)
        layout.addLayout(foot)
        layout.addStretch()
        layout.addWidget(self._progress)
        layout.addWidget(self._summary)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _row_of(self, registry: CommandRegistry, buttons: Sequence[tuple[str, str]]) -> QWidget:
        holder = QWidget(self._keys)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addStretch(1)
        for name, words in buttons:
            button = CommandButton(registry, f"preferences.{name}", text=words, parent=holder)
            KeepsKeys(button)
            row.addWidget(button)
        row.addStretch(1)
        return holder

    # --- showing --------------------------------------------------------------------------------------------------

    def show_cluster(self, opened: OpenCluster | None, empty: str = "") -> None:
        """Shows a cluster from its head to its pair; ``empty`` says why there is none."""
        self._opened, self._empty = opened, empty
        self._name.setText(cluster_title(opened.cluster) if opened is not None else "")
        self._name.setToolTip(cluster_title(opened.cluster) if opened is not None else "")
        self._show_description(opened)
        self._show_sentences([s.text for s in opened.sentences[:SHOWN]] if opened is not None else [])
        self.show_pair()

    def show_pair(self, chosen: str = "") -> None:
        """Shows the current pair alone; ``chosen`` is the answer that was given to the one before."""
        opened = self._opened
        if opened is None:
            self.left.show_text(self._empty)
            self.right.show_text("")
        elif opened.descriptions is not None:
            (_, left), (_, right) = opened.descriptions
            self.left.show_text(left, "Left description")
            self.right.show_text(right, "Right description")
        elif opened.pair is None:
            self.left.show_text(self._finished(opened))
            self.right.show_text(self._outcome(opened))
        else:
            self.left.show_text(opened.text_left, "Left")
            self.right.show_text(opened.text_right, "Right")
        open_ = opened is not None and (opened.pair is not None or opened.descriptions is not None)
        self._keys.setCurrentIndex(0 if open_ else 1)
        self.note.setEnabled(open_ and opened is not None and opened.descriptions is None)
        self.right.setVisible(open_ or bool(self.right.toPlainText()))
        self.note.clear()
        for side, card in (("left", self.left), ("right", self.right)):
            if chosen in (side, "tie"):
                card.settle()
        self._show_progress()

    def _finished(self, opened: OpenCluster) -> str:
        n, judged = len(opened.judged), len({j.pair for j in opened.own if j.answer != "skip"})
        if n < 2:
            return "Fewer than two candidates of this cluster are judged. Find or add some, or take more of them in."
        if opened.step.confidence is None:
            return "Every pair of this cluster that is yours is judged."
        every = n * (n - 1) // 2
        if judged >= every:
            return f"All {every} pairs were needed to name the winner."
        fewer = f"{100 * (1 - judged / every):.0f} % fewer" if judged else "none of them"
        return f"Enough is known to name the winner: {judged} of {every} pairs were judged, {fewer}."

    def _outcome(self, opened: OpenCluster) -> str:
        winner, sure = opened.candidates.get(opened.step.winner), opened.step.confidence
        if sure is None or winner is None or len(opened.judged) < 2:
            return ""
        cases = "in every case" if sure > _SURE else f"in {100 * sure:.0f} of 100 cases"
        return f"If you judged the other pairs as well, this one would win {cases}:\n\n{winner.candidate.text}"

    def _show_progress(self) -> None:
        opened = self._opened
        if opened is None:
            self._where.setText("")
            self._summary.setText("")
            self._progress.show_share(0, 0)
            return
        step = opened.step
        if opened.descriptions is not None:
            self._where.setText("description, before the first pair")
        elif step.pair is not None:
            self._where.setText(f"pair {step.judged + 1} of about {step.total}{' · ↔' if step.pair.repeat else ''}")
            self._where.setToolTip("You saw this pair before, with sides swapped." if step.pair.repeat else "")
        else:
            self._where.setText(f"{step.judged} pairs judged")
        self._progress.show_share(step.judged, step.total)
        self._summary.setText(opened.summary())

    def milliseconds(self) -> int | None:
        """From the moment when both cards of the pair were painted until now; None before."""
        seen = [card.painted_at for card in (self.left, self.right)]
        if None in seen:
            return None
        return round(1000 * (time.monotonic() - max(at for at in seen if at is not None)))

    def _show_description(self, opened: OpenCluster | None) -> None:
        """The description, or the question which of two it shall be."""
        if opened is not None and opened.descriptions is not None:
            own = " You wrote one of them yourself." if opened.wrote_description else ""
            self._description.setText(_BLIND + own)
            self._description.show()
            return
        text = opened.description if opened is not None else ""
        self._description.setText(f"“{text}”" if text else "")
        self._description.setVisible(bool(text))

    def _show_sentences(self, sentences: Sequence[str]) -> None:
        muted = theme().tokens.muted
        rows = "".join(f"<li>{html.escape(' '.join(text.split()))}</li>" for text in sentences)
        self._sentences.setVisible(bool(sentences))
        self._sentences.setHtml(
            f"<p style='color:{muted}; margin:0'>Review sentences of this kind</p>"
            f"<ul style='margin:2px 0 0 -22px'>{rows}</ul>"
        )
        self._fit()

    def _restyle(self) -> None:
        self._description.setFont(theme().reading_font(17))
        self._description.setStyleSheet(
            f"font-size: {theme().px(17)}px; font-family: '{theme().reading_font().family()}';"
        )
        self._sentences.document().setDefaultFont(theme().font("body"))
        if self._opened is not None:
            self._show_sentences([s.text for s in self._opened.sentences[:SHOWN]])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape leaves the note; its words stay for the decision."""
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if watched is self.note and escape and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if watched is self.note and escape and event.type() == QEvent.Type.KeyPress:
            self.note_left.emit()
            return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as the sentences are, up to a third of the view: the cards get the rest."""
        document = self._sentences.document()
        document.setTextWidth(max(self.width() - 56, 100))
        self._sentences.setFixedHeight(min(self.height() // 3, round(document.size().height()) + 4))


class ProgressLine(QWidget):
    """A thin line that fills."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._share = 0.0
        self.setAccessibleName("Progress")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(100, 4)

    def show_share(self, done: int, total: int) -> None:
        self._share = done / total if total else 0.0
        self.setAccessibleDescription(f"{done} of about {total} pairs judged")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for share, token in ((1.0, "sunken"), (self._share, "accent")):
            painter.setBrush(QColor(getattr(theme().tokens, token)))
            painter.drawRoundedRect(QRectF(0, 0, self.width() * share, self.height()), 2, 2)
        painter.end()
