"""A review beside its rubrics: eight dimensions with scores, key points, the judge's reasons, a note."""

import html

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.benchmark.state import ScoredReview, scores_of
from desktop_app.theme import theme
from desktop_app.widgets.fields import ChoiceBox, CommittingLineEdit, CommittingTextEdit, Whose
from desktop_app.widgets.labels import HtmlPage, hairline, named, text_label
from desktop_app.widgets.layouts import Flow, column, command_button, fix_width, row, splitter, surface, tall_enough
from engine.review_drafting.benchmark.records import BenchmarkReview, KeyPoint
from engine.review_drafting.records import MetaRubric
from engine.review_drafting.rubrics import meta_rubrics


class DimensionRow(QWidget):
    """A dimension's name, a button for each score, and the judge's score."""

    scored = Signal(str, int)
    chosen = Signal(str)

    def __init__(self, meta: MetaRubric, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.meta = meta
        self.setAccessibleName(meta.title)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        name = text_label(meta.title, "body", parent=self)
        name.setToolTip(f"{meta.kind.capitalize()}: {meta.description}")
        self._judge = QLabel("", self)
        fix_width(self._judge, 66)
        self._judge.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.buttons = []
        for score in scores_of(meta):
            button = QPushButton(f"{score}".replace("-", "−"), self)
            button.setCheckable(True)
            fix_width(button, 46)
            named(button, f"{meta.title}: {score}", f"Key {abs(score)}")
            button.clicked.connect(lambda _on, value=score: self.scored.emit(meta.id, value))
            self.buttons.append(button)
        row((name, 1), *self.buttons, self._judge, margins=(8, 2, 8, 2), spacing=4, of=self)

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        self.chosen.emit(self.meta.id)

    def show_scores(self, own: int | None, judged: int | str, *, selected: bool, enabled: bool) -> None:
        """Shows the annotator's and the judge's scores (``judged``: "n/a" if not judged, "" without a judge)."""
        for button, score in zip(self.buttons, scores_of(self.meta), strict=True):
            button.setChecked(own == score)
            button.setEnabled(enabled)
        t = theme().tokens
        self._judge.setText("" if judged == "" else f"judge {judged}".replace("-", "−"))
        self._judge.setFont(theme().font("small", tabular=True))
        look = (
            f"DimensionRow {{ background: {t.accent_wash if selected else t.surface}; }}"
            f"QPushButton:checked {{ background: {t.accent}; color: {t.surface}; font-weight: 600; }}"
        )
        if look != self.styleSheet():  # setting an equal style sheet would restyle all children
            self.setStyleSheet(look)
        self.setAccessibleDescription(
            f"{'selected, ' if selected else ''}{'not scored' if own is None else f'scored {own}'}"
        )


class RatingView(QWidget):
    """The review on the left; its dimensions, the rubric and the judge's reasons on the right."""

    scored = Signal(str, int)
    """A score was clicked: dimension and score."""
    chosen = Signal(str)
    rubric_edited = Signal(str, object)
    """A paper, and its PaperRubric with the user's key points."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Review and its scores")
        self._written: tuple[object, ...] = ()
        self.page = HtmlPage("Review", self, padding="8px")
        self.page.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.rows = {meta.id: DimensionRow(meta, self) for meta in meta_rubrics()}
        side = QWidget(self)
        for dimension in self.rows.values():
            dimension.scored.connect(self.scored)
            dimension.chosen.connect(self.chosen)
        self._description = text_label("", "small", wrap=True, parent=side)
        keys = "Key points of the rubric, one per line"
        self.points = CommittingTextEdit("benchmark.rubric", keys, side, "Key points, one per line")
        self.points.setMaximumHeight(theme().px(130))
        self.points.committed.connect(self._points_entered)
        self.why = HtmlPage("The judge's reasons", side, padding="4px")
        self.why.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.note = CommittingLineEdit("benchmark.note", "Note on this score", side, "Note on this score")
        below = column(self._description, self.points, (self.why, 1), self.note, margins=(8, 8, 0, 0), spacing=6)
        column(*self.rows.values(), hairline(parent=side), (below, 1), margins=(0, 4, 8, 8), of=side)
        tall_enough(side)
        self.document = ChoiceBox("The paper's PDF", letters=8, parent=self)
        out = command_button(registry, "benchmark.leave_out", "", self)
        head = row((Flow(self.document, out), 1), margins=(8, 4, 8, 4))  # wraps instead of taking the list's room
        column(head, (splitter((self.page, 560, 1), (side, 420, 0), parent=self), 1), of=self)

    def show_review(self, shown: ScoredReview) -> None:
        written = (shown.review, shown.name, theme().tokens.scheme)
        if written != self._written:
            self._written = written
            self.page.setHtml(_page(shown.review, shown.name) if shown.review else "<p>Add reviews to score them.</p>")
        enabled, dimension = shown.writable and shown.review is not None, shown.dimension
        for key, one in self.rows.items():
            one.show_scores(
                shown.ratings[key].score if key in shown.ratings else None,
                shown.judged[key].score if key in shown.judged else "n/a" if shown.judged else "",
                selected=shown.review is not None and key == dimension,
                enabled=enabled,
            )
        self.document.show_entries([("No PDF chosen", ""), *shown.documents], shown.document)
        self.document.setEnabled(enabled and bool(shown.documents))
        rubric = shown.rubrics.get(dimension)
        meta = self.rows[dimension].meta
        made = f"{rubric.description} Key points by {rubric.author}." if rubric else "No rubric for this paper yet."
        self._description.setText(made if rubric else f"{meta.description} {made}")
        self.points.setEnabled(rubric is not None and shown.writable)
        paper = shown.review.paper_id if shown.review else ""
        points = "\n".join(point.text for point in rubric.key_points) if rubric else ""
        self.points.show_text(points, Whose((paper, dimension), (paper, rubric)) if rubric else None)
        self.why.setPlainText(shown.judged[dimension].rationale if dimension in shown.judged else "")
        self.note.setEnabled(enabled)
        whose = (shown.review.id, dimension) if shown.review else None
        self.note.show_text(shown.ratings[dimension].note if dimension in shown.ratings else "", whose)

    def _points_entered(self, text: str, _key: str, whose: Whose | None) -> None:
        if whose is None:
            return
        paper, rubric = whose.record
        known = {point.text: point for point in rubric.key_points}
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        points = tuple(known.get(line, KeyPoint(text=line)) for line in lines)
        self.rubric_edited.emit(paper, rubric.model_copy(update={"key_points": points}))


def _page(review: BenchmarkReview, name: str) -> str:
    t, made = theme(), review.review
    parts = [f"<h2>{html.escape(name)}</h2>"]
    if review.why_left_out:
        parts.append(f"<p style='color:{t.data('attention').ink}'>Excluded: {html.escape(review.why_left_out)}</p>")
    if made.summary:
        parts.append(f"<h3>Summary</h3><p>{html.escape(made.summary)}</p>")
    for part in ("strengths", "weaknesses", "questions"):
        if points := getattr(made, part):
            listed = "".join(f"<li>{html.escape(point)}</li>" for point in points)
            parts.append(f"<h3>{part.capitalize()}</h3><ul>{listed}</ul>")
    given = [(key, value) for key, value in made.scores.model_dump().items() if value is not None]
    if given:
        scores = ", ".join(
            f"{key} {value:g}" if isinstance(value, int | float) else f"{key} {value}" for key, value in given
        )
        parts.append(f"<p style='color:{t.tokens.muted}'>{html.escape(scores)}</p>")
    font = t.reading_font(15)
    style = f"font-family:'{font.family()}'; font-size:{t.px(15)}px; line-height:150%; color:{t.tokens.ink}"
    return f'<div style="{style}">{"".join(parts)}</div>'
