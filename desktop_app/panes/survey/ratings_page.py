"""The papers and their ratings: an entry field, one row a paper, the ruler beside them, and gentle remarks below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.entry_field import EntryField
from desktop_app.panes.survey.paper_row import PaperRow
from desktop_app.panes.survey.ruler import Mark, Ruler
from desktop_app.panes.survey.state import ABOUT_LATER, SurveyState, heading
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import ElidedLabel, hairline, scrolled, text_label
from engine.expertise.records import Remark
from engine.expertise.study_texts import anchors
from engine.papers.records import LibraryPaper

HINT = "Paste a link, arXiv id, DOI or BibTeX, or type a title, then Enter"
KEYS = "A  another paper  ·  ← → a quarter  ·  1 to 5, or 3.25  ·  ↑ ↓ Enter  other papers  ·  Backspace  no rating"
SHOWN_REMARKS = 2


class RatingsPage(QWidget):
    """Keeps its rows by key, so that focus and place survive every refresh."""

    rated = Signal(str, object)
    titled = Signal(str, str)
    entered = Signal(str)
    picked = Signal(object)
    came_to_hand = Signal()
    online_chosen = Signal(bool)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Papers and ratings")
        self._registry = registry
        self._rows: dict[str, PaperRow] = {}
        self._order: list[str] = []
        self._wanted = ""
        self._said: list[Remark] = []
        self._marks: list[Mark] = []
        self.at_hand = ""
        self.entry = EntryField("Add a paper", HINT, self)
        self.entry.entered.connect(self.entered)
        self.entry.picked.connect(self.picked)
        self.entry.left_downwards.connect(lambda: self.go_to(0))
        self.add_file = CommandButton(registry, "participant.add_file", text="PDF or BibTeX file…", parent=self)
        self.said = ElidedLabel("small", self)
        self.online = QCheckBox("Look papers up online", self)
        self.online.setAccessibleName("Look papers up online")
        self.online.setToolTip(
            "Off: nothing leaves this computer.\nOn: the identifier or title of a paper that you enter is sent to arXiv"
            " or Crossref, which send back title, authors and abstract. Ratings are never sent."
        )
        self.online.clicked.connect(self.online_chosen)
        self.ruler = Ruler(self)
        self.ruler.chosen.connect(self.bring_to_hand)
        self.remarks = [RemarkLine(self) for _ in range(SHOWN_REMARKS)]
        self.more = text_label("", "small", parent=self)
        self._build()

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(16, 10, 16, 2)
        top.setSpacing(8)
        top.addWidget(self.entry, 1)
        top.addWidget(self.add_file)
        said = QHBoxLayout()
        said.setContentsMargins(18, 0, 16, 6)
        said.addWidget(self.said, 1)
        said.addWidget(self.online)
        self._list = QWidget()
        self._list.setProperty("role", "surface")
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._none = self._first_words()
        self._column.addWidget(self._none)
        self._column.addStretch(1)
        self.scroller = scrolled(self._list, "Papers", self)
        lines = QVBoxLayout()
        lines.setSpacing(2)
        for line in self.remarks:
            lines.addWidget(line)
        below = QHBoxLayout()
        below.setContentsMargins(16, 6, 16, 6)
        below.setSpacing(12)
        below.addLayout(lines, 1)
        below.addWidget(self.more, 0, Qt.AlignmentFlag.AlignBottom)
        left = QVBoxLayout()
        left.setSpacing(0)
        left.addLayout(top)
        left.addLayout(said)
        left.addWidget(hairline(parent=self))
        left.addWidget(self.scroller, 1)
        left.addWidget(hairline(parent=self))
        left.addLayout(below)
        right = QVBoxLayout()
        right.setContentsMargins(12, 12, 8, 12)
        right.setSpacing(4)
        right.addWidget(text_label("All ratings so far", "muted", parent=self))
        right.addWidget(self.ruler, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(left, 1)
        layout.addWidget(hairline(vertical=True, parent=self))
        layout.addLayout(right)
        theme().changed.connect(self._resize)
        self._resize()

    def _first_words(self) -> QWidget:
        """What stands in the empty list: what to enter, and what the figures mean."""
        page = QWidget(self._list)
        column = QVBoxLayout(page)
        column.setContentsMargins(32, 32, 32, 32)
        column.setSpacing(8)
        column.addWidget(text_label("Which papers did you read in the last year?", "section", parent=page))
        words = (
            "Enter the first one above. Take some close to your field, some farther off, a few that are hard to tell"
            " apart. Then say of each how well you could review it:"
        )
        column.addWidget(text_label(words, "muted", wrap=True, parent=page))
        column.addSpacing(4)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        for place, (value, sentence) in enumerate(reversed(anchors())):
            grid.addWidget(text_label(f"{value}", "section", parent=page), place, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text_label(sentence, wrap=True, parent=page), place, 1)
        grid.setColumnStretch(1, 1)
        column.addLayout(grid)
        column.addStretch(1)
        return page

    def _resize(self) -> None:
        self.ruler.setFixedWidth(max(theme().px(270), min(theme().px(420), self.width() // 5)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resize()

    # --- what it shows --------------------------------------------------------------------------------------------

    def set_search(self, search: Callable[[str], Sequence[LibraryPaper]]) -> None:
        self.entry.set_search(search)

    def show_state(self, state: SurveyState) -> None:
        """Shows the rows as they stand; the row at hand stays."""
        about: dict[str, list[Remark]] = {}
        said = [remark for remark in state.remarks if remark.kind not in ABOUT_LATER]
        for remark in said:
            for key in remark.rows:
                about.setdefault(key, []).append(remark)
        self._order = [row.id for row in state.rows]
        for gone in [key for key in self._rows if key not in self._order]:
            removed = self._rows.pop(gone)
            self._column.removeWidget(removed)
            removed.hide()
            removed.deleteLater()
        for place, row in enumerate(state.rows):
            shown = self._rows.get(row.id) or self._make(row.id)
            if self._column.indexOf(shown) != place:
                self._column.insertWidget(place, shown)
                shown.show()  # now, since it may get the keyboard at once
            shown.show_row(place + 1, row, about.get(row.id, ()))
        self._none.setVisible(not state.rows)
        if self._wanted in self._rows:
            wanted, self._wanted = self._wanted, ""
            self.bring_to_hand(wanted)
        elif self.at_hand not in self._rows:
            self._take_to_hand(self._order[-1] if self._order else "")
        self._said = said
        self._marks = [Mark(row.id, heading(row.paper), row.value) for row in state.rows if row.value is not None]
        self._show_at_hand()
        self._keep_tab_order()

    def _show_at_hand(self) -> None:
        """What depends on the row at hand outside of the rows."""
        self._show_remarks(self._said)
        self.ruler.show_marks(self._marks, self.at_hand)

    def _make(self, key: str) -> PaperRow:
        row = PaperRow(key, self._registry, self._list)
        row.rated.connect(self.rated)
        row.titled.connect(self.titled)
        row.came_to_hand.connect(self._take_to_hand)
        row.walked.connect(self._walk)
        self._rows[key] = row
        return row

    def _keep_tab_order(self) -> None:
        self.setTabOrder(self.add_file, self.online)
        before: QWidget = self.online
        for key in self._order:
            self.setTabOrder(before, self._rows[key].scale)
            before = self._rows[key].scale

    def _show_remarks(self, said: Sequence[Remark]) -> None:
        """What is about the row at hand first; what finds no room is counted."""
        ordered = sorted(said, key=lambda remark: self.at_hand not in remark.rows)
        for number, line in enumerate(self.remarks):
            line.show_remark(ordered[number] if number < len(ordered) else None)
        rest = ordered[SHOWN_REMARKS:]
        self.more.setText(f"and {len(rest)} more" if rest else "")
        self.more.setToolTip("\n".join(f"{remark.sentence} {remark.advice}".strip() for remark in rest))

    def say(self, words: str = "") -> None:
        """A line under the entry field: what is going on, or the keys of the strips."""
        self.said.setText(words or KEYS)
        self.said.setToolTip(words)

    # --- walking --------------------------------------------------------------------------------------------------

    def want(self, row_id: str) -> None:
        """Brings a row to hand as soon as it is shown."""
        self._wanted = row_id
        if row_id in self._rows:
            self._wanted = ""
            self.bring_to_hand(row_id)

    def bring_to_hand(self, row_id: str) -> None:
        """Gives the keyboard to a row's strip (to its title, where that is not known yet)."""
        row = self._rows.get(row_id)
        if row is None:
            return
        self._take_to_hand(row_id)
        field = row.typed_title if not row.typed_title.isHidden() and not row.typed_title.text() else row.scale
        field.setFocus()

    def go_to(self, place: int) -> None:
        """Brings the row at a place to hand; before the first one lies the entry field, and after the last one, too."""
        if 0 <= place < len(self._order):
            self.bring_to_hand(self._order[place])
        else:
            self.entry.setFocus()

    def _walk(self, row_id: str, step: int) -> None:
        self.go_to(self._order.index(row_id) + step)

    def _take_to_hand(self, row_id: str) -> None:
        if row_id == self.at_hand:
            return
        self.at_hand = row_id
        for key, row in self._rows.items():
            row.show_at_hand(key == row_id)
        if row_id in self._rows:
            self._column.activate()
            self.scroller.ensureWidgetVisible(self._rows[row_id], 0, 24)
        self._show_at_hand()
        self.came_to_hand.emit()

    def take_focus(self) -> None:
        """To the first paper without a rating; to the entry field where there is none."""
        for key in self._order:
            if self._rows[key].scale.value is None:
                self.bring_to_hand(key)
                return
        self.entry.setFocus()

    def sizeHint(self) -> QSize:
        return QSize(1100, 600)


class RemarkLine(QWidget):
    """One remark in one line whose room is kept while there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self._sign = text_label("", "body", parent=self)
        self._sign.setFixedWidth(12)
        self.words = ElidedLabel("body", self)
        row.addWidget(self._sign)
        row.addWidget(self.words, 1)
        theme().changed.connect(self._restyle)
        self._restyle()
        self.show_remark(None)

    def _restyle(self) -> None:
        self._sign.setStyleSheet(f"color: {theme().data('attention').ink}; font-weight: 600;")
        self.setFixedHeight(theme().px(20))

    def show_remark(self, remark: Remark | None) -> None:
        words = f"{remark.sentence} {remark.advice}".strip() if remark is not None else ""
        self._sign.setText("!" if words else "")
        self._sign.setAccessibleName("Remark" if words else "No remark")
        self.words.setText(words)
        self.words.setToolTip(words)
