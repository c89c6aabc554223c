"""A comment's real and generated edits side by side, and the questions about them, each answered with one key."""

import html
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from desktop_app.panes.analysis.state import Comparison, Item
from desktop_app.panes.linking.proposal_panel import maker, tracked_proposal
from desktop_app.panes.linking.study import reviewer_name
from desktop_app.theme import theme
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.fields import CommittingLineEdit, Whose
from desktop_app.widgets.labels import HtmlPage, hairline, scrolled, text_label
from desktop_app.widgets.layouts import Flow, beside_or_below, column, row, spaced_grid, surface
from desktop_app.widgets.tracked import tracked_html
from engine.revision.generation.questions import MEANINGS, QUESTIONS, given
from engine.revision.generation.questions import WORDS as ASKED

_CONTEXT = 120
_COLUMNS = ("left", "right", "both")
_THREE = 475
"""Width, at text size 1, from which the three columns of questions are placed side by side."""


class JudgingView(QWidget):
    """The comment on top, both sides below it, then the questions: a column for each side and one for both."""

    answered = Signal(int, int)
    """The question's and the answer's numbers, from 0."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Real and generated edits")
        self._shown = Comparison(None, {}, blind=False, swap=False, question=0, empty="")
        self._title = text_label("", "section", parent=self)
        self._comment = self._browser("Reviewer's comment")
        self._comment.setMaximumHeight(theme().px(130))
        self.left, self.right = self._browser("Left side"), self._browser("Right side")
        self._names = (text_label("", "section", parent=self), text_label("", "section", parent=self))
        sides = spaced_grid(12, 4)
        for at, (name, page) in enumerate(zip(self._names, (self.left, self.right), strict=True)):
            sides.addWidget(name, 0, at)
            sides.addWidget(page, 1, at)
            sides.setColumnStretch(at, 1)
        sides.setRowStretch(1, 1)
        self.rows = [QuestionRow(at, self) for at in range(len(QUESTIONS))]
        for question in self.rows:
            question.answered.connect(self.answered)
        self._heads = [text_label("", "small", parent=self) for _ in _COLUMNS]
        columns = [
            (column(head, *(one for one in self.rows if QUESTIONS[one.number].place == place), None, spacing=4), 1)
            for head, place in zip(self._heads, _COLUMNS, strict=True)
        ]
        self._asked = surface(QWidget(self), "Questions")
        beside_or_below(self._asked, row(*columns, spacing=16, of=self._asked), _THREE)
        self._questions = scrolled(self._asked, "Questions", self, sideways=True)
        self.note = CommittingLineEdit("analysis.note", "Note on this comparison", self, "Note")
        column(
            self._title, self._comment, hairline(parent=self), (sides, 1), hairline(parent=self),
            self._questions, self.note, margins=(16, 8, 16, 12), spacing=6, of=self,
        )  # fmt: skip
        theme().follow(self._write, now=False)

    def _browser(self, name: str) -> HtmlPage:
        page = HtmlPage(name, self, reading=13)
        page.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        return page

    def show_item(self, shown: Comparison) -> None:
        before, self._shown = self._shown, shown
        item = shown.item
        self.note.setEnabled(item is not None)
        whose = Whose(item.comment.id, item.analysis) if item else None
        self.note.show_text(item.analysis.note if item else "", whose)
        if _texts(before) != _texts(shown):
            self._write()
        else:
            self._show_answers()

    def sides(self) -> tuple[str, str]:
        return ("A", "B") if self._shown.blind else ("Real edit", "Generated edit")

    def _show_answers(self) -> None:
        shown, (left, right) = self._shown, self.sides()
        for head, words in zip(self._heads, (left, right, "Both sides"), strict=True):
            head.setText(words)
        for one in self.rows:
            asked = QUESTIONS[one.number]
            answer = given(shown.item.analysis, asked, swap=shown.swap) if shown.item else None
            one.show_answer(
                [words.removesuffix(" edit") for words in asked.answers(left, right)],
                answer,
                selected=shown.item is not None and one.number == shown.question,
                enabled=shown.item is not None,
            )
        self._questions.ensureWidgetVisible(self.rows[shown.question])

    def _write(self) -> None:
        item, blind = self._shown.item, self._shown.blind
        for label, words in zip(self._names, self.sides(), strict=True):
            label.setText(words if item else "")
        tokens = theme().tokens
        self._show_answers()
        if item is None:
            self._title.setText("Nothing to judge")
            self._comment.setHtml(f"<p style='color:{tokens.muted}'>{html.escape(self._shown.empty)}</p>")
            self.left.clear()
            self.right.clear()
            return
        self._title.setText(f"Comment by {reviewer_name(item.comment)}")
        self._comment.setHtml(f"<p>{html.escape(item.comment.comment)}</p>")
        self._fit()
        real, generated = self._real(item, blind=blind), self._generated(item, blind=blind)
        first, second = (generated, real) if self._shown.swap else (real, generated)
        self.left.setHtml(first)
        self.right.setHtml(second)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Gives the comment and the questions the height they need, up to a limit; the edits get the rest."""
        document = self._comment.document()
        document.setTextWidth(self.width() - 56)  # minus margins and a scroll bar
        self._comment.setFixedHeight(min(theme().px(130), round(document.size().height()) + 4))
        self._questions.setFixedHeight(min(self._asked.heightForWidth(self.width() - 56), 2 * self.height() // 5))

    def _real(self, item: Item, *, blind: bool) -> str:
        parts = []
        for edit in item.edits:
            if not blind:
                head = f"{edit.label} · {WORDS[edit.sort]} · {edit.section or 'no section'}"
                parts.append(_muted(head))
            parts.append(f"<p>{tracked_html(edit.source_text, edit.target_text, context=_CONTEXT)}</p>")
        return "".join(parts)

    def _generated(self, item: Item, *, blind: bool) -> str:
        parts = []
        for change in item.proposal.changes:
            paragraph = self._shown.paragraphs.get(change.paragraph_id)
            if not blind:
                where = paragraph.section if paragraph is not None and paragraph.section else "no section"
                parts.append(_muted(f"by {maker(item.proposal.origin)} · {where}"))
            parts.append(f"<p>{tracked_proposal(change, paragraph, context=_CONTEXT)}</p>")
        return "".join(parts)


def _muted(words: str) -> str:
    return f"<p style='color:{theme().tokens.muted}'>{html.escape(words)}</p>"


_MARK = "▸\N{NO-BREAK SPACE}"


def _texts(shown: Comparison) -> tuple[object, ...]:
    item = shown.item
    texts = (item.comment, item.edits, item.proposal) if item else shown.empty
    return (texts, shown.blind, shown.swap, id(shown.paragraphs))


class QuestionRow(QWidget):
    """A question and its answers; the selected question is marked and shows the keys."""

    answered = Signal(int, int)

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.number = number
        asked = QUESTIONS[number]
        self._words = text_label(ASKED[asked.topic], "body", wrap=True, parent=self)
        self._words.setToolTip(MEANINGS[asked.topic])
        self._shown: tuple[object, ...] = ()
        self.buttons = []
        for answer in range(len(asked.answers("", ""))):
            button = QPushButton(self)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _checked=False, at=answer: self.answered.emit(self.number, at))
            self.buttons.append(button)
        # Three answers don't fit next to their question.
        laid = row if len(self.buttons) == 2 else column
        laid((self._words, 1), Flow(*self.buttons, spacing=4), margins=(6, 1, 2, 1), spacing=4, of=self)

    def show_answer(self, answers: Sequence[str], answer: int | None, *, selected: bool, enabled: bool) -> None:
        tokens, place = theme().tokens, QUESTIONS[self.number].place
        shown = (*answers, answer, selected, enabled, tokens, theme().font("body"))
        if shown == self._shown:
            return
        self._shown = shown
        for at, (button, words) in enumerate(zip(self.buttons, answers, strict=True)):
            chosen = at == answer
            shapes = (words, f"✓ {words}", f"{words} {at + 1}")
            button.setText(shapes[1 if chosen else 2 if selected else 0])
            # Reserve width for the mark or key, so that buttons don't move under the pointer.
            button.setMinimumWidth(max(map(button.fontMetrics().horizontalAdvance, shapes)) + 14)
            button.setAccessibleName(f"{ASKED[QUESTIONS[self.number].topic]}, {place}: {words}")
            button.setChecked(chosen)
            button.setEnabled(enabled)
            edge = tokens.accent if chosen else tokens.hairline
            ground = tokens.accent_wash if chosen else "transparent"
            button.setStyleSheet(
                f"QPushButton {{ padding: 1px 6px; background: {ground}; border: 1px solid {edge}; }}"
                f"QPushButton:focus {{ border: 2px solid {tokens.focus}; padding: 0 5px; }}"
            )
        bold, marked = theme().font("body", bold=True), f"{_MARK}{ASKED[QUESTIONS[self.number].topic]}"
        self._words.setMinimumWidth(max(map(QFontMetrics(bold).horizontalAdvance, marked.split(" "))))
        self._words.setText(marked if selected else marked.removeprefix(_MARK))
        self._words.setFont(bold if selected else theme().font("body"))
