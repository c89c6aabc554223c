"""The page of papers and ratings: an entry field, a row per paper, the ruler beside them, remarks below."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QSizePolicy, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.entry_field import EntryField
from desktop_app.panes.survey.ruler import Mark, Ruler
from desktop_app.panes.survey.state import Survey, address, details, heading
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fields import CommittingLineEdit
from desktop_app.widgets.labels import ElidedLabel, hairline, named, scrolled, text_label
from desktop_app.widgets.layouts import TOP, column, command_buttons, row, spaced_grid
from desktop_app.widgets.rating_scale import RatingScale
from engine.expertise.records import Remark, SurveyRow
from engine.expertise.survey import anchors

TITLE_SHARE, STRIP_SHARE, LEAST_LEFT, NARROW = 38, 62, 356, 800


class PaperRow(QFrame):
    """Shows a paper to rate, and emits what the participant did with it."""

    rated = Signal(str, object)
    titled = Signal(str, str)
    """Row key, and the title typed for a paper without one."""
    focused = Signal(str)
    walked = Signal(str, int)
    """Row key, and the direction of the next row: 1 down, -1 up."""

    def __init__(self, row_id: str, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row_id = row_id
        self._current: bool | None = None
        self.setObjectName("paper-row")
        self.mark = text_label("!", "section", parent=self)
        self.mark.setObjectName("mark")
        self.mark.setFixedWidth(theme().px(12))
        self.number = text_label("", "muted", parent=self)
        self.number.setFixedWidth(theme().px(20))
        self.short = ElidedLabel("body", self)
        self.title = text_label("", "body", wrap=True, parent=self)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.typed_title = CommittingLineEdit("title", "Title of the paper", self)
        self.typed_title.setPlaceholderText("Enter the title")
        self.typed_title.committed.connect(lambda text, _key: self.titled.emit(self.row_id, text))
        self.details = ElidedLabel("small", self)
        self.link = ElidedLabel("small", self)
        self.scale = RatingScale("Rating", [sentence for _value, sentence in anchors()], self)
        self.scale.rated.connect(lambda value: self.rated.emit(self.row_id, value))
        self.scale.focused.connect(self._scale_focused)
        self.tools = QWidget(self)
        names = {"open_link": "Open", "edit": "Edit", "remove": "Remove"}
        buttons = command_buttons(registry, "participant", names, quiet=True).values()
        row(*buttons, None, margins=(0, 2, 0, 0), spacing=4, of=self.tools)
        self.tools.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        left = column(self.short, self.title, self.typed_title, self.details, self.link, self.tools, None, spacing=1)
        head = row((self.number, TOP), (self.mark, TOP), (left, 1), spacing=4)
        grid = QGridLayout(self)
        grid.setHorizontalSpacing(12)
        grid.setContentsMargins(12, 6, 4, 2)
        grid.setColumnStretch(0, TITLE_SHARE)
        grid.setColumnStretch(1, STRIP_SHARE)
        self._grid, self._head = grid, head
        self._stacked: bool | None = None
        self._arrange()
        self.paper_title = ""
        theme().follow(self._restyle, now=False)
        self.show_current(False)

    def show_row(self, number: int, row: SurveyRow, remarks: Sequence[Remark]) -> None:
        paper = row.paper
        self.paper_title = heading(paper)
        self.number.setText(str(number))
        self.short.setText(self.paper_title)
        self.title.setText(self.paper_title)
        self.typed_title.show_text(paper.title)
        self._untitled = not paper.title.strip()
        said = "\n".join(f"{remark.sentence} {remark.advice}".strip() for remark in remarks)
        self.mark.setText("!" if said else "")
        named(self.mark, f"Remark: {said}" if said else "No remark", said)
        self.details.setText(details(paper) or ("Authors and year unknown" if paper.title else ""))
        found = address(paper)
        self.link.setText(found.removeprefix("https://").removeprefix("http://") if found != self.paper_title else "")
        self.link.setToolTip(found)
        self.scale.set_name(f"Rating of {self.paper_title}")
        self.scale.set_value(row.value)
        self._show_parts()

    _untitled = False

    def show_current(self, current: bool) -> None:
        """Expands the row if it is current: whole title, link, meanings of the ratings, and buttons."""
        if current != self._current:
            self._current = current
            self.scale.show_sentences(current)
            self._show_parts()
            self._restyle()

    def _scale_focused(self) -> None:
        self._show_parts()  # hides the field of a title that was just typed
        self.focused.emit(self.row_id)

    def _show_parts(self) -> None:
        current = bool(self._current)
        self.short.setHidden(current)
        self.title.setHidden(not current)
        self.typed_title.setHidden(not current or not (self._untitled or self.typed_title.hasFocus()))
        self.details.setHidden(current and not self.details.text())
        self.link.setHidden(not current or not self.link.text())
        self.tools.setHidden(not current)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Puts the title beside the rating scale; above it in a narrow window or with large text."""
        stacked = self.width() < theme().px(NARROW)
        # All rows reserve the width of the current row's buttons, which aligns the scales.
        self._grid.setColumnMinimumWidth(0, 0 if stacked else theme().px(LEAST_LEFT))
        if stacked == self._stacked:
            return
        self._stacked = stacked
        self._grid.removeItem(self._head)
        self._grid.removeWidget(self.scale)
        self._grid.addLayout(self._head, 0, 0, 1, 2 if stacked else 1)
        if stacked:
            self._grid.addWidget(self.scale, 1, 0, 1, 2)
        else:
            self._grid.addWidget(self.scale, 0, 1, Qt.AlignmentFlag.AlignTop)

    def _restyle(self) -> None:
        t = theme().tokens
        self._arrange()
        ground = t.accent_wash if self._current else t.surface
        edge = t.accent if self._current else "transparent"
        self.setStyleSheet(
            f"#paper-row {{ background: {ground}; border: none; border-left: 3px solid {edge};"
            f" border-bottom: 1px solid {t.hairline}; }}"
            f" #paper-row #mark {{ color: {t.data['attention'].ink}; font-weight: 600; }}"
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.scale.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Keys that the scale ignores move between rows.
        if self.typed_title.hasFocus():
            self.scale.setFocus()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.walked.emit(self.row_id, 1)
        elif event.key() == Qt.Key.Key_Up:
            self.walked.emit(self.row_id, -1)
        else:
            super().keyPressEvent(event)


HINT = "Paste a link, arXiv ID, DOI or BibTeX, or type a title, then press Enter"
KEYS = "A  add paper  ·  ← → change by ¼  ·  1 to 5, or 3.25  ·  ↑ ↓ Enter  other papers  ·  Backspace  clear rating"
SHOWN_REMARKS = 2
FOR_THE_END = frozenset({"consent", "no name", "no profile", "no rating", "no paper"})
"""Kinds of remarks shown only on the last page, so that they don't distract while the form is being filled in."""


class RatingsPage(QWidget):
    """Keeps its rows by key: focus and scroll position survive a refresh."""

    rated = Signal(str, object)
    titled = Signal(str, str)
    current_changed = Signal()

    def __init__(self, registry: CommandRegistry) -> None:
        super().__init__()
        self.setAccessibleName("Papers and ratings")
        self._registry = registry
        self._rows: dict[str, PaperRow] = {}
        self._order: list[str] = []
        self._wanted = ""
        self._said: list[Remark] = []
        self._marks: list[Mark] = []
        self.current = ""
        self.entry = EntryField("Add a paper", HINT)
        self.entry.left_downwards.connect(lambda: self.go_to(0))
        self.add_file = CommandButton(registry, "participant.add_file", text="PDF or BibTeX file…")
        self.said = ElidedLabel("small")
        self.online = named(QCheckBox("Look up papers online"), "Look up papers online")
        self.online.setToolTip(
            "Off: nothing leaves this computer.\nOn: the identifier or title of each paper you enter is sent to arXiv"
            " or Crossref, which return its title, authors and abstract. Ratings are never sent."
        )
        self.ruler = Ruler()
        self.ruler.chosen.connect(self.focus_row)
        self.remarks = [RemarkLine() for _ in range(SHOWN_REMARKS)]
        self.more = text_label("", "small")
        self._list = QWidget()
        self._list.setProperty("role", "surface")
        self._none = _introduction()
        self._column = column(self._none, None, of=self._list)
        self.scroller = scrolled(self._list, "Papers", self)
        left = column(
            row((self.entry, 1), self.add_file, margins=(16, 10, 16, 2), spacing=8),
            row((self.said, 1), self.online, margins=(18, 0, 16, 6), spacing=6),
            hairline(), (self.scroller, 1), hairline(),
            row((column(*self.remarks, spacing=2), 1), (self.more, Qt.AlignmentFlag.AlignBottom),
                margins=(16, 6, 16, 6), spacing=12),
        )  # fmt: skip
        right = column(text_label("All ratings so far", "muted"), (self.ruler, 1), margins=(12, 12, 8, 12), spacing=4)
        row((left, 1), hairline(vertical=True), right, of=self, spacing=0)
        theme().follow(self._resize)

    def _resize(self) -> None:
        self.ruler.setFixedWidth(max(theme().px(270), min(theme().px(420), self.width() // 5)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resize()

    def show_survey(self, survey: Survey) -> None:
        about: dict[str, list[Remark]] = {}
        said = [remark for remark in survey.remarks if remark.kind not in FOR_THE_END]
        for remark in said:
            for key in remark.rows:
                about.setdefault(key, []).append(remark)
        self._order = [row.id for row in survey.rows]
        for gone in [key for key in self._rows if key not in self._order]:
            removed = self._rows.pop(gone)
            self._column.removeWidget(removed)
            removed.hide()
            removed.deleteLater()
        for place, stored in enumerate(survey.rows):
            shown = self._rows.get(stored.id) or self._make(stored.id)
            if self._column.indexOf(shown) != place:
                self._column.insertWidget(place, shown)
                shown.show()  # it may get the focus below
            shown.show_row(place + 1, stored, about.get(stored.id, ()))
        self._none.setVisible(not survey.rows)
        if self._wanted in self._rows:
            wanted, self._wanted = self._wanted, ""
            self.focus_row(wanted)
        elif self.current not in self._rows:
            self._make_current(self._order[-1] if self._order else "")
        self._said = said
        self._marks = [Mark(row.id, heading(row.paper), row.value) for row in survey.rows if row.value is not None]
        self._show_current()

    def _show_current(self) -> None:
        self._show_remarks(self._said)
        self.ruler.show_marks(self._marks, self.current)

    def _make(self, key: str) -> PaperRow:
        row = PaperRow(key, self._registry, self._list)
        row.rated.connect(self.rated)
        row.titled.connect(self.titled)
        row.focused.connect(self._make_current)
        row.walked.connect(lambda row_id, step: self.go_to(self._order.index(row_id) + step))
        self._rows[key] = row
        return row

    def _show_remarks(self, said: Sequence[Remark]) -> None:
        """Shows remarks about the current row first, and the number of those that don't fit."""
        ordered = sorted(said, key=lambda remark: self.current not in remark.rows)
        for number, line in enumerate(self.remarks):
            line.show_remark(ordered[number] if number < len(ordered) else None)
        rest = ordered[SHOWN_REMARKS:]
        self.more.setText(f"and {len(rest)} more" if rest else "")
        self.more.setToolTip("\n".join(f"{remark.sentence} {remark.advice}".strip() for remark in rest))

    def say(self, text: str = "") -> None:
        """Shows a status line under the entry field; without text, the keys for rating."""
        self.said.setText(text or KEYS)

    def select(self, row_id: str) -> None:
        """Focuses a row, once it is shown; "" focuses the entry field."""
        self._wanted = row_id
        if row_id in self._rows:
            self._wanted = ""
            self.focus_row(row_id)
        elif not row_id:
            self.entry.setFocus()

    def focus_row(self, row_id: str) -> None:
        row = self._rows.get(row_id)
        if row is None:
            return
        self._make_current(row_id)
        field = row.typed_title if not row.typed_title.isHidden() and not row.typed_title.text() else row.scale
        field.setFocus()

    def go_to(self, place: int) -> None:
        if 0 <= place < len(self._order):
            self.focus_row(self._order[place])
        else:
            self.entry.setFocus()

    def _make_current(self, row_id: str) -> None:
        if row_id == self.current:
            return
        self.current = row_id
        for key, shown in self._rows.items():
            shown.show_current(key == row_id)
        if row_id in self._rows:
            self._column.activate()
            width = self._list.width()  # the row is about to grow: apply its new height before scrolling
            self._list.resize(width, max(self._list.height(), self._column.totalHeightForWidth(width)))
            self.scroller.ensureWidgetVisible(self._rows[row_id], 0, 24)
        self._show_current()
        self.current_changed.emit()

    def take_focus(self) -> None:
        for key in self._order:
            if self._rows[key].scale.value is None:
                self.focus_row(key)
                return
        self.entry.setFocus()

    def sizeHint(self) -> QSize:
        return QSize(1100, 600)


class RemarkLine(QWidget):
    """A remark on one line; keeps its height when empty."""

    def __init__(self) -> None:
        super().__init__()
        self._sign = text_label("", "body")
        self._sign.setFixedWidth(12)
        self.words = ElidedLabel("body")
        row(self._sign, (self.words, 1), spacing=6, of=self)
        theme().follow(self._restyle)
        self.show_remark(None)

    def _restyle(self) -> None:
        self._sign.setStyleSheet(f"color: {theme().data('attention').ink}; font-weight: 600;")
        self.setFixedHeight(theme().px(20))

    def show_remark(self, remark: Remark | None) -> None:
        words = f"{remark.sentence} {remark.advice}".strip() if remark is not None else ""
        self._sign.setText("!" if words else "")
        self._sign.setAccessibleName("Remark" if words else "No remark")
        self.words.setText(words)


def _introduction() -> QWidget:
    """Returns the widget shown in the empty list: what to enter, and what the ratings mean."""
    text = (
        "Enter the first one above. Choose some close to your field, some farther away, and a few that are hard to"
        " tell apart. Then rate how well you could review each of them:"
    )
    grid = spaced_grid(12, 6)
    for place, (value, sentence) in enumerate(reversed(anchors())):
        grid.addWidget(text_label(f"{value}", "section"), place, 0, TOP)
        grid.addWidget(text_label(sentence, wrap=True), place, 1)
    grid.setColumnStretch(1, 1)
    page = QWidget()
    question = text_label("Which papers have you read in the last year?", "section")
    column(question, text_label(text, "muted", wrap=True), 4, grid, None, margins=(32, 32, 32, 32), spacing=8, of=page)
    return page
