"""One paper of the survey: its title, details, link and rating. The current row shows everything."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.words import address, details, heading
from desktop_app.theme import theme
from desktop_app.widgets.fields import CommittingLineEdit
from desktop_app.widgets.labels import ElidedLabel, text_label
from desktop_app.widgets.layouts import TOP, column, command_buttons, row
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
        left = column(
            self.short, self.title, self.typed_title, self.details, self.link, self.tools, None, spacing=1
        )  # fmt: skip
        head = row((self.number, TOP), (self.mark, TOP), (left, 1), spacing=4)
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 6, 4, 2)
        grid.setHorizontalSpacing(12)
        grid.setColumnStretch(0, TITLE_SHARE)
        grid.setColumnStretch(1, STRIP_SHARE)
        self._grid, self._head = grid, head
        self._stacked: bool | None = None
        self._arrange()
        self.paper_title = ""
        theme().changed.connect(self._restyle)
        self.show_current(False)

    def show_row(self, number: int, row: SurveyRow, remarks: Sequence[Remark]) -> None:
        """Shows a paper, its rating and the remarks about it."""
        paper = row.paper
        self.paper_title = heading(paper)
        self.number.setText(str(number))
        self.short.setText(self.paper_title)
        self.title.setText(self.paper_title)
        self.short.setToolTip(self.paper_title)
        self.typed_title.show_text(paper.title)
        self._untitled = not paper.title.strip()
        said = "\n".join(f"{remark.sentence} {remark.advice}".strip() for remark in remarks)
        self.mark.setText("!" if said else "")
        self.mark.setToolTip(said)
        self.mark.setAccessibleName(f"Remark: {said}" if said else "No remark")
        self.details.setText(details(paper) or ("Authors and year unknown" if paper.title else ""))
        found = address(paper)
        self.link.setText(found.removeprefix("https://").removeprefix("http://") if found != self.paper_title else "")
        self.link.setToolTip(found)
        self.scale.set_name(f"Rating of {self.paper_title}")
        self.scale.set_value(row.value)
        self._show_parts()

    _untitled = False

    def show_current(self, current: bool) -> None:
        """The current row shows the whole title, the link, what the ratings mean, and buttons."""
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
        # Every row keeps room for the buttons of the current one, which aligns the scales.
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
