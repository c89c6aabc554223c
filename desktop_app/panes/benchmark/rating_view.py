"""A review beside its rubric: eight dimensions with a score each by key, key points, the judge's reasons, a note."""

from __future__ import annotations

import html
from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.fields import CommittingLineEdit, CommittingTextEdit
from desktop_app.widgets.halves import Halves
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.plain import HtmlPage
from engine.review_drafting.benchmark.records import BenchmarkReview, Judgement, KeyPoint, PaperRubric
from engine.review_drafting.benchmark.store import Rating
from engine.review_drafting.records import MetaRubric
from engine.review_drafting.rubrics import meta_rubrics

_PARTS = ("strengths", "weaknesses", "questions")


def scores_of(meta: MetaRubric) -> tuple[int, ...]:
    """The scores that a dimension can have, the key 0 first."""
    return (0, -1, -2) if meta.kind == "pitfall" else (0, 1, 2)


class DimensionRow(QWidget):
    """One dimension: its name, its three scores, the judge's beside them."""

    scored = Signal(str, int)
    chosen = Signal(str)

    def __init__(self, meta: MetaRubric, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.meta = meta
        self.setAccessibleName(meta.title)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._name = text_label(meta.title, "body", parent=self)
        self._name.setToolTip(f"{meta.kind.capitalize()}: {meta.description}")
        self._judge = QLabel("", self)
        self._judge.setFixedWidth(theme().px(54))
        self._judge.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.buttons = []
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 2)
        row.setSpacing(4)
        row.addWidget(self._name, 1)
        for score in scores_of(meta):
            button = QPushButton(f"{score}".replace("-", "−"), self)
            button.setCheckable(True)
            button.setFixedWidth(theme().px(46))
            button.setAccessibleName(f"{meta.title}: {score}")
            button.setToolTip(f"Key {abs(score)}")
            button.clicked.connect(lambda _on, value=score: self.scored.emit(meta.id, value))
            KeepsKeys(button)
            self.buttons.append(button)
            row.addWidget(button)
        row.addWidget(self._judge)

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        self.chosen.emit(self.meta.id)

    def show_state(self, own: int | None, judged: int | None, *, at_hand: bool, enabled: bool) -> None:
        """The person's score, the judge's, and whether keys go here."""
        for button, score in zip(self.buttons, scores_of(self.meta), strict=True):
            button.setChecked(own == score)
            button.setEnabled(enabled)
        self._judge.setText("" if judged is None else f"judge {judged}".replace("-", "−"))
        self._judge.setFont(theme().font("small", tabular=True))
        wash = theme().tokens.accent_wash if at_hand else theme().tokens.surface
        t = theme().tokens
        self.setStyleSheet(
            f"DimensionRow {{ background: {wash}; }}"
            f"QPushButton:checked {{ background: {t.accent}; color: {t.surface}; font-weight: 600; }}"
        )
        self.setAccessibleDescription(
            f"{'at hand, ' if at_hand else ''}{'not scored' if own is None else f'scored {own}'}"
        )


class RatingView(QWidget):
    """Left the review, right its dimensions; below them what the rubric asks and why the judge scored as it did."""

    scored = Signal(str, int)
    """(dimension, score) was clicked."""
    chosen = Signal(str)
    noted = Signal(str)
    rubric_edited = Signal(object)
    """A PaperRubric, with the key points as a person wrote them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Review and its scores")
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._rubric: PaperRubric | None = None
        self.page = HtmlPage("Review", self, padding="8px")
        self.page.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.rows = {meta.id: DimensionRow(meta, self) for meta in meta_rubrics()}
        side = QWidget(self)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 4, 8, 8)
        column.setSpacing(0)
        for row in self.rows.values():
            row.scored.connect(self.scored)
            row.chosen.connect(self.chosen)
            column.addWidget(row)
        column.addWidget(hairline(parent=side))
        below = QVBoxLayout()
        below.setContentsMargins(8, 8, 0, 0)
        below.setSpacing(6)
        column.addLayout(below, 1)
        self._asks = text_label("", "small", wrap=True, parent=side)
        below.addWidget(self._asks)
        self.points = CommittingTextEdit("benchmark.rubric", "Key points of the rubric, one a line", side)
        self.points.setAccessibleName("Key points of the rubric, one a line")
        self.points.setPlaceholderText("Key points, one a line")
        self.points.setMaximumHeight(theme().px(130))
        self.points.committed.connect(self._points_written)
        below.addWidget(self.points)
        self.why = HtmlPage("The judge's reasons", side, padding="4px")
        self.why.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        below.addWidget(self.why, 1)
        self.note = CommittingLineEdit("benchmark.note", "Note", side)
        self.note.setAccessibleName("Note on this score")
        self.note.setPlaceholderText("Note on this score")
        self.note.committed.connect(lambda text, _key: self.noted.emit(text))
        below.addWidget(self.note)
        splitter = Halves(self.page, side, [560, 420], self)
        splitter.setStretchFactor(0, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)
        self._shown_review: tuple[object, ...] = ()

    def show_review(  # noqa: PLR0917 - what one review is shown with
        self,
        review: BenchmarkReview | None,
        name: str,
        rubrics: Mapping[str, PaperRubric],
        ratings: Mapping[str, Rating],
        judged: Mapping[str, Judgement],
        dimension: str,
        *,
        writable: bool,
        empty: str,
    ) -> None:
        """``name`` is what the review is called here; ``dimension`` the one at hand; ``empty`` says why none is."""
        shown = (review, name, empty, theme().tokens.scheme)
        if shown != self._shown_review:
            self._shown_review = shown
            self.page.setHtml(_page(review, name) if review else f"<p>{html.escape(empty)}</p>")
        for key, row in self.rows.items():
            own = ratings[key].score if key in ratings else None
            row.show_state(
                own,
                judged[key].score if key in judged else None,
                at_hand=review is not None and key == dimension,
                enabled=writable and review is not None,
            )
        self._rubric = rubrics.get(dimension)
        meta = self.rows[dimension].meta
        asks = self._rubric.description if self._rubric else f"{meta.description} No rubric for this paper yet."
        self._asks.setText(asks)
        self.points.setEnabled(self._rubric is not None and writable)
        self.points.show_text("\n".join(point.text for point in self._rubric.key_points) if self._rubric else "")
        self.why.setPlainText(judged[dimension].rationale if dimension in judged else "")
        self.note.setEnabled(writable and review is not None)
        self.note.show_text(ratings[dimension].note if dimension in ratings else "")

    def _points_written(self, text: str, _key: str) -> None:
        if self._rubric is None:
            return
        known = {point.text: point for point in self._rubric.key_points}
        points = tuple(
            known.get(line.strip(), KeyPoint(text=line.strip())) for line in text.splitlines() if line.strip()
        )
        self.rubric_edited.emit(self._rubric.model_copy(update={"key_points": points}))


def _page(review: BenchmarkReview, name: str) -> str:
    t = theme()
    made = review.review
    parts = [f"<h2>{html.escape(name)}</h2>"]
    if review.why_left_out:
        parts.append(f"<p style='color:{t.data('attention').ink}'>Left out: {html.escape(review.why_left_out)}</p>")
    if made.summary:
        parts.append(f"<h3>Summary</h3><p>{html.escape(made.summary)}</p>")
    for part in _PARTS:
        points = getattr(made, part)
        if points:
            listed = "".join(f"<li>{html.escape(point)}</li>" for point in points)
            parts.append(f"<h3>{part.capitalize()}</h3><ul>{listed}</ul>")
    given = {key: value for key, value in made.scores.model_dump().items() if value is not None}
    if given:
        told = ", ".join(
            f"{key} {value:g}" if isinstance(value, (int, float)) else f"{key} {value}" for key, value in given.items()
        )
        parts.append(f"<p style='color:{t.tokens.muted}'>{html.escape(told)}</p>")
    font = t.reading_font(15)
    return (
        f"<div style=\"font-family:'{font.family()}'; font-size:{t.px(15)}px; line-height:150%; color:{t.tokens.ink}\">"
        + "".join(parts)
        + "</div>"
    )
