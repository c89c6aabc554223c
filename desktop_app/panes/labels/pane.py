"""The Labels pane: the sentences of a review with suggested and decided labels in six layers."""

import html
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QLabel, QWidget

from desktop_app import present
from desktop_app.commands import CommandRegistry
from desktop_app.panes.base import ACT, AppContext, Pane
from desktop_app.panes.labels.state import LabelsState, Sentence, title_of
from desktop_app.theme import Meaning, theme
from desktop_app.widgets.banner import Kind, Notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.chips import LABELLED, chips_of
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.keys import Items, KeyBar
from desktop_app.widgets.label_chips import chip_html, draw_chips, open_label_menu
from desktop_app.widgets.labels import ElidedLabel, HtmlLabel, hairline, scrolled, text_label
from desktop_app.widgets.layouts import Flow, column, command_buttons, row, spaced_grid, surface
from desktop_app.widgets.model_jobs import LabelJobs
from desktop_app.widgets.origin_words import origin_words
from desktop_app.widgets.record_list import RIGHT, RecordList, draw_text, split_line
from engine.reviews.labels.records import LAYERS, Layer, SentenceLabels
from engine.reviews.labels.taxonomy import layer
from engine.shown import counted, problems_in_short

if TYPE_CHECKING:
    from engine.exchange.labelled_folders import FolderImported


WIDTH = 392


class Board(QWidget):
    """A button and the labels for each layer and, below, label counts for the project."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Labels of the sentence")
        inside = QWidget(self)
        self.title = text_label("", "section", parent=inside)
        self.open = text_label("", "muted", wrap=True, parent=inside)
        self.open.setAlignment(Qt.AlignmentFlag.AlignTop)
        grid = spaced_grid(12, 6)
        grid.setColumnStretch(1, 1)
        titles = {f"label_{name}": _SHORT.get(name, layer(name).title) for name, _words, _key in LABELLED}
        buttons = command_buttons(registry, "labels", titles, inside)
        self.said: dict[Layer, QLabel] = {}
        self.buttons: dict[Layer, CommandButton] = {}
        for at, (name, _words, _key) in enumerate(LABELLED):
            button, value = buttons[f"label_{name}"], HtmlLabel(inside)
            value.setAccessibleName(layer(name).title)
            grid.addWidget(button, at, 0, Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(value, at, 1, Qt.AlignmentFlag.AlignVCenter)
            self.said[name], self.buttons[name] = value, button
        decisions = {"accept": "Accept", "refuse": "Reject", "clear": "Clear"}
        project = {"learn_labels": "Learn from my labels", "fine_tune": "Fine-tune…", "export": "Export…"}
        self.counts = text_label("", "muted", wrap=True, parent=inside)
        column(
            self.title, grid,
            Flow(*command_buttons(registry, "labels", decisions, inside, primary="accept").values(), spacing=6),
            self.open,
            hairline(parent=inside), text_label("In this project", "section", parent=inside),
            Flow(*command_buttons(registry, "labels", project, inside).values(), spacing=6), self.counts, None,
            margins=(16, 12, 16, 12), spacing=10, of=inside,
        )  # fmt: skip
        column(scrolled(inside, "Labels of the sentence", self), of=self)
        self._shown: tuple[SentenceLabels | None, str, str] = (None, "", "")
        theme().follow(self._write)

    def show_sentence(self, labels: SentenceLabels | None, title: str, left: str) -> None:
        """Shows the labels of a sentence (None: none); ``left`` says which layers are open."""
        if (labels, title, left) != self._shown:
            self._shown = (labels, title, left)
            self._write()

    def _write(self) -> None:
        labels, title, left = self._shown
        self.title.setText(title)
        self.open.setText("X\nX")
        self.open.setMinimumHeight(self.open.heightForWidth(theme().px(WIDTH)))  # so that no button moves
        self.open.setText(left)
        self.setFixedWidth(theme().px(WIDTH))
        widest = max(button.sizeHint().width() for button in self.buttons.values())
        for name, label in self.said.items():
            self.buttons[name].setMinimumWidth(widest)
            label.setMinimumHeight(theme().px(_TWO))
            label.setText("" if labels is None else said_html(labels, name))


_TWO = 30
"""Height of a label and its origin, at text size 1, so that no row grows when they appear."""
_SHORT: dict[Layer, str] = {"action": "Requested", "actionable": "Request"}


def said_html(labels: SentenceLabels, name: Layer) -> str:
    """Returns HTML with chips over the origin of the labels; a dash without labels."""
    muted = f"color:{theme().tokens.muted}; font-size:{theme().px(11)}px"
    if name not in labels.origins:
        return f"<span style='{muted}'>—</span>"
    chips = " ".join(chip_html(chip) for chip in chips_of(labels, (name,)))
    said = chips or ("none" if name not in labels.offered else "")
    by = "suggested by " if name in labels.offered else ""
    words = by + origin_words(labels.origins[name])
    return f"{said}<br><span style='{muted}'>{html.escape(words)}</span>"


_MOST = 40
"""Maximum number of lines of a sentence in the list, enough for any real sentence."""
_MEASURE, _WIDE = 760, 340
"""Maximum line width (about 80 letters); list width from which states are beside the text. At text size 1."""


_HEADING = re.compile(r"^#{1,6}\s+")
"""Markdown heading marks, which aren't shown."""


def _spoken(row: Sentence) -> str:
    chips = ", ".join(chip.spoken for chip in row.chips)
    return f"{row.number}. {row.text} {chips or 'no label'}. {row.progress or _state(row)[0]}".rstrip()


class SentenceList(RecordList):
    """Rows with a number, the sentence on as many lines as it needs, and chips."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Sentences of the review", self._draw, self._height, _spoken, key=lambda row: (row.labels.span, row.text),
            tip=lambda row: row.progress, parent=parent,
        )  # fmt: skip
        self._lines: dict[tuple[str, int], list[str]] = {}
        theme().changed.connect(self._lines.clear)

    def _height(self, row: Sentence) -> int:
        # Reserves height for chips: if a row grew, the next one would move away from the mouse.
        return len(self._split(row.text)) * _step() + theme().px(36 if self._wide else 54)

    @property
    def _wide(self) -> bool:
        """Whether the state is shown beside the text instead of below the chips."""
        return self.viewport().width() >= theme().px(_WIDE)

    def _room(self) -> QRect:
        left, right = theme().px(44), theme().px(104 if self._wide else 12)
        return QRect(left, 0, min(self.viewport().width() - left - right, theme().px(_MEASURE)), 0)

    def _split(self, text: str) -> list[str]:
        width = max(80, self._room().width())
        known = self._lines.get((text, width))
        if known is None:
            advance = QFontMetricsF(theme().reading_font(14)).horizontalAdvance
            known, rest = [], _HEADING.sub("", text)
            while rest and len(known) < _MOST:
                line, rest = split_line(rest, width, advance)
                known.append(line)
            if rest:
                known[-1] = f"{known[-1].rstrip()} …"
            if len(self._lines) > 20_000:
                self._lines.clear()
            self._lines[text, width] = known
        return known

    def _draw(self, painter: QPainter, rect: QRect, row: Sentence, _selected: bool) -> None:
        t, room, step, lines = theme(), self._room(), _step(), self._split(row.text)
        top, small = rect.top() + t.px(7), t.font("small", tabular=True)
        draw_text(painter, QRect(rect.left(), top, t.px(34), step), RIGHT, str(row.number), small, t.tokens.muted)
        chips_top = top + len(lines) * step + t.px(2)
        words, meaning = _state(row)
        state_top = top if self._wide else chips_top + t.px(17)
        draw_text(
            painter,
            QRect(rect.right() - t.px(104), state_top, t.px(92), step),
            RIGHT,
            words,
            small,
            t.data(meaning).ink,
        )
        painter.setFont(t.reading_font(14))
        painter.setPen(t.colour("ink"))
        ascent = painter.fontMetrics().ascent()
        for number, line in enumerate(lines):
            painter.drawText(rect.left() + room.left(), top + number * step + ascent, line)
        draw_chips(painter, row.chips, rect.left() + room.left(), chips_top, rect.width() - room.left() - t.px(12))


def _step() -> int:
    return round(QFontMetricsF(theme().reading_font(14)).lineSpacing() * 1.15)


def _state(row: Sentence) -> tuple[str, Meaning]:
    if not row.open:
        return "✓ decided", "verified"
    begun = f"{row.decided} of {len(LAYERS)}" if row.decided else ""
    return (f"○ {begun or f'{row.offered} suggested'}", "attention") if row.offered else (begun, "unsupported")


KEYS: Items = (
    (("next", "previous"), "sentence"), (("next_open",), "next suggestion"), (("accept", "refuse"), "accept, reject"),
    (("accept_all",), "accept all"), (("label_aspect",), "aspect"), (("label_theme",), "theme"),
    (("label_polarity",), "polarity"), (("label_review_action",), "review action"),
    (("label_actionable",), "request"), (("label_action",), "requested action"), (("clear",), "clear"),
    (("previous_review", "next_review"), "review"),
)  # fmt: skip


class LabelsPane(Pane):
    """The review's sentences on the left, the current sentence on the right."""

    pane_id = "labels"
    purpose = (
        "Label what each review sentence evaluates, which aspect it addresses and what it requests. Rejoinder suggests "
        "labels on this computer; you decide. Start by adding reviews, or import annotated ones."
    )
    tables = frozenset(
        {
            "source_text", "sentence_label", "sentence_label_decision", "sentence_suggestion", "trained_heads",
            "annotator",
        }
    )  # fmt: skip
    first_step = "labels.to_linking"
    exported_as = "disapere"
    search_hint = "Find in the sentences"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        registry, body = context.commands, self.body
        self.state = LabelsState()
        self.jobs = LabelJobs(self.make_tools(lambda: None), self.pane_id)
        self.review = ChoiceBox("Review", letters=24, parent=body)
        self.review.picked.connect(self.show_review)
        self.progress = ElidedLabel("muted", body)
        self.jobs.changed.connect(self._show_progress)
        words = {"accept_all": "Accept all", "suggest_labels": "Suggest labels"}
        buttons = command_buttons(registry, self.pane_id, words, body).values()
        head = row(self.review, (self.progress, 1), Flow(*buttons), margins=(12, 4, 8, 4))
        self.main = self.list = SentenceList(body)
        self.list.chosen.connect(lambda _row: self._show_sentence())
        self.board = Board(registry, body)
        middle = row((self.list, 1), hairline(vertical=True, parent=body), self.board, spacing=0)
        keys = KeyBar(registry, self.pane_id, KEYS, body)
        column(head, hairline(parent=body), (middle, 1), keys, of=body)
        for button in body.findChildren(CommandButton):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click, Space is still the next suggestion

    def project_set(self) -> None:
        self.jobs.stop()
        self.state.open(self.project)
        self.list.show_records(())

    def is_empty(self) -> bool:
        empty = not self.state.reviews_of(self.paper_id)
        if empty:
            self.state.open(self.project)
        return empty

    def refresh(self) -> None:
        self.state.read(self.paper_id)
        titles = [(title_of(text), text.id) for text in self.state.texts]
        self.review.show_entries(titles, self.state.current)
        self._show_progress()
        self.board.counts.setText(self.state.counts())
        self._show_sentences()

    def _show_progress(self) -> None:
        words, suggested = self.state.progress()
        rest = "model is working…" if self.jobs.busy else f"{suggested} with suggestions" if suggested else ""
        self.progress.setText(" · ".join(filter(None, (words, rest))))
        self.set_status(words)

    def search(self, text: str) -> None:
        self.state.filter = text
        self._show_sentences()

    def _show_sentences(self) -> None:
        before, shown = self.row, self.state.shown()
        self.list.show_records(shown)
        self.list.set_message("No sentences found." if self.state.sentences else "This text is empty.")
        kept = next((row for row in shown if before is not None and row.labels.span == before.labels.span), None)
        first = kept or next(iter(shown), None)
        self.list.select((first.labels.span, first.text) if first is not None else None)
        self._show_sentence()

    def _show_sentence(self) -> None:
        row, many = self.row, len(self.list.records)
        title = f"Sentence {self.list.currentIndex().row() + 1} of {many}" if row is not None else "No sentence"
        self.board.show_sentence(
            row.labels if row is not None else None, title, row.progress if row is not None else ""
        )
        self.context.commands.state_changed.emit()

    @property
    def row(self) -> Sentence | None:
        found: Sentence | None = self.list.current
        return found

    def can_label(self) -> bool:
        return self.state.can_write() and self.row is not None

    def has_suggestion(self) -> bool:
        return self.can_label() and bool(self.row and self.row.offered)

    def can_suggest(self) -> bool:
        return self.state.can_write() and not self.jobs.busy

    def can_import(self) -> bool:
        return self.project is not None and not self.project.read_only and not self.jobs.busy

    def next_open(self) -> None:
        """Goes to the next sentence with a suggestion: in this review, wrapping around, else in another one."""
        rows, at = self.list.records, self.list.currentIndex().row()
        found = next((one for one in (*range(at + 1, len(rows)), *range(at)) if rows[one].offered), None)
        if found is None and at >= 0 and rows[at].offered:
            return
        if found is None:
            review = "" if self.state.filter else self.state.next_with_suggestions()
            if not review:
                self.note(f"No more suggestions{' in the sentences found' if self.state.filter else ''}.")
                return
            self.show_review(review)
            found = next((one for one, row in enumerate(self.list.records) if row.offered), 0)
        self.list.select_row(found)

    def show_review(self, key: str) -> None:
        if key != self.state.current:
            self.state.current = key
            self.list.select_row(-1)
            self.refresh_now()
            self.take_focus()

    def decide(self, verb: Callable[[SentenceLabels], object]) -> None:
        row = self.row
        if row is not None and self.act(lambda: verb(row.labels)):
            self.next_open()

    def accept_all(self) -> None:
        if self.act(lambda: self.state.store.accept_all(self.state.current)):
            self.note("All suggestions in this review were accepted. You can undo this.")

    def open_labels(self, name: Layer) -> None:
        button, held = self.board.buttons[name], present(self.row).labels.decided(name)
        place = QPoint(0, button.height())
        open_label_menu(button, place, name, held, lambda labels: self.set_label(name, labels))

    def set_label(self, name: Layer, labels: Sequence[str]) -> None:
        row = present(self.row)
        self.act(lambda: self.state.set_label(row.labels, name, labels))

    def clear(self) -> None:
        row = present(self.row)
        self.act(lambda: self.state.clear(row.labels))

    def import_folder(self, folder: Path) -> None:
        from engine.exchange.labelled_folders import import_folder_task

        self.jobs.submit(import_folder_task(present(self.project), folder), self._imported)

    def _imported(self, made: "FolderImported") -> None:
        folder, known = made.folder, len(made.folder.reviews) - made.new
        sentences = counted(sum(len(one.sentences) for one in folder.reviews), "labelled sentence")
        words = f"Added {counted(made.new, 'review')} of {folder.data_set.title} with {sentences}."
        before = f" {known:,} were already in the project; their labels were updated." if known else ""
        only = "The data set's licence doesn't allow commercial use of the data or of models trained on it."
        licence = (only,) if folder.data_set.research_only else ()
        means = " ".join((problems_in_short(folder.problems), *folder.loss, *licence)).strip()
        unread = f" {counted(len(folder.problems), 'mark')} couldn't be read." if folder.problems else ""
        kind: Kind = "attention" if folder.problems else "note"
        self.banner.show_notice(Notice(ACT, words + before + unread, means, kind=kind))

    def suggest_labels(self) -> None:
        self.jobs.suggest(present(self.project), tuple(text.id for text in self.state.texts))

    def fine_tune(self) -> None:
        self.context.show_pane("models")
        self.context.commands.run("models.fine_tune")
