"""Rebuttal: every comment with its labels and edits, the reply to each, and a matrix in which no point is missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QSplitter, QVBoxLayout, QWidget

from desktop_app.commands import Command
from desktop_app.context import AppContext
from desktop_app.panes.base import Pane, preview
from desktop_app.panes.rebuttal.commands import rebuttal_commands
from desktop_app.panes.rebuttal.editor import ReplyEditor
from desktop_app.panes.rebuttal.entries import GROUPINGS, Entry, Grouping, entries, grouped, key_of, points_in_order
from desktop_app.panes.rebuttal.matrix_view import Head, Line, MatrixDelegate, MatrixModel, MatrixTitles, Word
from desktop_app.panes.rebuttal.reviews_column import CommentReader, ReviewDelegate, ReviewModel
from desktop_app.panes.rebuttal.templates_view import TemplatesView
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel, hairline, text_label
from desktop_app.widgets.row_list import RowList
from engine.errors import EnvironmentProblem
from engine.exchange.rebuttals import Rebuttal, Rebuttals, labels_of
from engine.rebuttal.budget import budgets, spent
from engine.rebuttal.fitting import Asked, Ranked, TemplateRanker
from engine.rebuttal.letter import quote
from engine.rebuttal.matrix import Matrix, MatrixRow, matrix, matrix_row
from engine.rebuttal.points import Outline, Row, Section, outline, sentences_of
from engine.rebuttal.records import ACTION_TITLES, Action, Point, Template
from engine.rebuttal.slots import fill, find_slots
from engine.rebuttal.templates import starter
from engine.reviews.limits import count, fits, presets, unit_name
from engine.reviews.records import Span

if TYPE_CHECKING:
    from engine.project import Changes

_ACT = "act"
_GROUPING = "rebuttal.grouping"
POINTS = frozenset({"rebuttal_point", "rebuttal_use", "rebuttal_draft"})


class RebuttalPane(Pane):
    """Three columns: reviews, the reply at hand with its templates, the matrix."""

    pane_id = "rebuttal"
    title = "Rebuttal"
    icon = "chat-centered-text"
    purpose = (
        "Answer every point of the reviews within the venue's limit, with replies that can be found in the revised "
        "paper. Start by adding the reviews."
    )
    tables = POINTS | {
        "rebuttal_plan", "rebuttal_template", "comment", "comment_span", "source_text", "edit_link", "edit", "revision",
        "paper", "paper_version", "sentence_label", "sentence_label_decision", "sentence_suggestion", "annotator",
    }  # fmt: skip
    first_step = "rebuttal.to_linking"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.reader: Rebuttals | None = None
        self.desk = Rebuttal()
        self.matrix = Matrix()
        self.entries: tuple[Entry, ...] = ()
        self.at_hand = ""
        self.grouping: Grouping = "reviewer"
        kept = context.state.text(_GROUPING)
        if kept in [by for _, by in GROUPINGS]:
            self.grouping = kept  # type: ignore[assignment]
        self._paper_id = ""
        self._filling = False
        self._points_only = False
        self._ranker = TemplateRanker(())
        self._build()

    # --- building -------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.paper = self._box("Paper", [], self._paper_chosen)
        self.group_box = self._box(
            "How comments are grouped", GROUPINGS, lambda: self.group_by(self.group_box.currentData())
        )
        limits = [(limit.title, limit.id) for limit in presets()]
        self.limit_box = self._box("Limit of the venue", limits, self._limit_chosen)
        head = QHBoxLayout()
        head.setContentsMargins(12, 6, 8, 6)
        head.setSpacing(8)
        head.addWidget(self.group_box)
        head.addWidget(self.paper)
        head.addStretch(1)
        head.addWidget(text_label("Limit", "muted", parent=self.body))
        head.addWidget(self.limit_box)
        columns = QSplitter(Qt.Orientation.Horizontal, self.body)
        columns.setChildrenCollapsible(False)
        columns.setHandleWidth(1)
        for column in (self._build_left(), self._build_centre(), self._build_right()):
            columns.addWidget(column)
        columns.setStretchFactor(1, 1)
        columns.setSizes([340, 520, 400])
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(hairline(parent=self.body))
        layout.addWidget(columns, 1)

    def _box(self, name: str, items: Sequence[tuple[str, str]], chosen: Callable[[], object]) -> QComboBox:
        box = QComboBox(self.body)
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for words, key in items:
            box.addItem(words, key)
        KeepsKeys(box)
        box.activated.connect(lambda _at: chosen())
        return box

    def _build_left(self) -> QWidget:
        self.model = ReviewModel(self)
        self.list = RowList("Comments of the reviews", self.body)
        self.list.setModel(self.model)
        self.list.setItemDelegate(ReviewDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._comment_chosen)
        self.comment = CommentReader(self.body)
        column = QSplitter(Qt.Orientation.Vertical, self.body)
        column.setChildrenCollapsible(False)
        column.setHandleWidth(1)
        column.addWidget(self.list)
        column.addWidget(self.comment)
        column.setSizes([460, 260])
        return column

    def _build_centre(self) -> QWidget:
        commands = self.context.commands
        self.editor = ReplyEditor(self.body)
        self.editor.committed.connect(self._written)
        self.editor.typed.connect(self._typed)
        self.editor.left.connect(self._leave_editor)
        self._title = ElidedLabel("section", self.body)
        self._length = text_label("", "muted", parent=self.body)
        self._length.setAccessibleName("Length of the reply")
        self._action = CommandButton(commands, "rebuttal.action", parent=self.body)
        self._accept = CommandButton(commands, "rebuttal.accept", text="Accept", parent=self.body)
        self._quote = CommandButton(commands, "rebuttal.quote", text="Quote", parent=self.body)
        for button in (self._action, self._accept, self._quote):
            KeepsKeys(button)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(8)
        head.addWidget(self._title, 1)
        head.addWidget(self._length)
        acts = QHBoxLayout()
        acts.setContentsMargins(0, 0, 0, 0)
        acts.setSpacing(8)
        acts.addWidget(self._action)
        acts.addWidget(self._quote)
        acts.addWidget(self._accept)
        acts.addStretch(1)
        top = QWidget(self.body)
        top.setProperty("role", "surface")
        top.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        inside = QVBoxLayout(top)
        inside.setContentsMargins(16, 10, 16, 10)
        inside.setSpacing(8)
        inside.addLayout(head)
        inside.addLayout(acts)
        inside.addWidget(self.editor, 1)
        self.templates = TemplatesView(self.body)
        self.templates.chosen.connect(self.put_in)
        self.templates.searched.connect(lambda _text: self._show_templates())
        centre = QSplitter(Qt.Orientation.Vertical, self.body)
        centre.setChildrenCollapsible(False)
        centre.setHandleWidth(1)
        centre.addWidget(top)
        centre.addWidget(self.templates)
        centre.setSizes([420, 300])
        return centre

    def _build_right(self) -> QWidget:
        self.matrix_model = MatrixModel(self)
        self.matrix_list = RowList("Response matrix", self.body)
        self.matrix_list.setModel(self.matrix_model)
        self.matrix_list.setItemDelegate(MatrixDelegate(self.matrix_list))
        self.matrix_list.selectionModel().currentChanged.connect(self._line_chosen)
        self._missing = text_label("", "section", parent=self.body)
        self._total = text_label("", "small", parent=self.body)
        right = QWidget(self.body)
        right.setProperty("role", "surface")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        told = QVBoxLayout()
        told.setContentsMargins(14, 10, 12, 6)
        told.setSpacing(2)
        told.addWidget(self._missing)
        told.addWidget(self._total)
        column.addLayout(told)
        column.addWidget(MatrixTitles(self.matrix_list, right))
        column.addWidget(self.matrix_list, 1)
        return right

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        return rebuttal_commands(self)

    def project_set(self) -> None:
        self.reader = Rebuttals(self.project) if self.project is not None else None
        self.desk, self.matrix, self.entries = Rebuttal(), Matrix(), ()
        self.at_hand, self._paper_id, self._points_only = "", "", False
        self.editor.show_reply("", ())
        self._show()

    def is_empty(self) -> bool:
        return self.reader is None or not self.reader.reviews.comments()

    def on_changes(self, changes: Changes) -> None:
        # While anything else is waiting to be read, the whole is.
        self._points_only = changes.tables <= POINTS and (self._points_only or not self._dirty)
        super().on_changes(changes)

    def refresh(self) -> None:
        assert self.reader is not None
        if self._points_only and self.desk.comments:
            store = self.reader.store
            made = outline(self.desk.comments, store.replies(), store.words(self.desk.paper_id))
            self.desk = replace(self.desk, outline=made)
        else:
            self.desk = self.reader.read(self._paper_id)
            templates = (*self.reader.store.templates(), *starter())
            if templates != self._ranker.templates:
                self._ranker = TemplateRanker(templates)
        self._points_only = False
        self._show()

    def take_focus(self) -> None:
        self.list.setFocus()

    def search(self, text: str) -> None:
        """Only comments that hold the text stay in the left column."""
        self._filter = text.casefold()
        self._show_reviews()

    # --- what can be done -----------------------------------------------------------------------------------------

    def has_comments(self) -> bool:
        return bool(self.desk.comments) and self.body.isVisibleTo(self)

    def can_write(self) -> bool:
        return self.has_comments() and self.project is not None and not self.project.read_only

    def has_point(self) -> bool:
        return self.can_write() and self.found is not None

    def has_reply(self) -> bool:
        return self.has_point() and self.row is not None

    def has_action(self) -> bool:
        return self.has_point() and self.point.action is not None

    def has_generated(self) -> bool:
        return self.has_point() and bool(self.point.generated)

    def has_template(self, number: int) -> bool:
        return self.has_point() and self.templates.template(number) is not None

    def action_words(self) -> str:
        """What the button of the action says."""
        action = self.point.action if self.found is not None else None
        return ACTION_TITLES[action] if action else "Choose an action"

    # --- the point at hand ----------------------------------------------------------------------------------------

    @property
    def found(self) -> tuple[Section, Point] | None:
        """The point at hand with its section."""
        for section, point in points_in_order(self.desk.outline.sections):
            if key_of(point) == self.at_hand:
                return section, point
        entry = self.entry
        if entry is None:
            return None
        # A remark that asks for nothing has no row until it is answered.
        reviewer = entry.comment.reviewer
        section = next((s for s in self.desk.outline if s.reviewer == reviewer), None)
        return (section or _bare(reviewer), Point("reply", entry.comment.id))

    @property
    def point(self) -> Point:
        """The point at hand. Only where there is one."""
        found = self.found
        assert found is not None
        return found[1]

    @property
    def row(self) -> Row | None:
        """The row of the comment at hand; None for openings and closings, and remarks without an answer."""
        return self.desk.outline.row(self.at_hand)

    @property
    def entry(self) -> Entry | None:
        """The comment at hand as the left column has it."""
        return next((entry for entry in self.entries if entry.comment.id == self.at_hand), None)

    # --- acts -----------------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """The next or previous point, in the order of the list that has the keyboard."""
        keys = self._order()
        if keys:
            at = keys.index(self.at_hand) + by if self.at_hand in keys else 0
            self.take(keys[min(max(at, 0), len(keys) - 1)])

    def _order(self) -> list[str]:
        if self.matrix_list.hasFocus() or self.editor.hasFocus():
            return [key_of(point) for _, point in points_in_order(self.desk.outline.sections)]
        return [row.comment.id for row in self.model.rows if isinstance(row, Entry)]

    def next_open(self) -> None:
        """The next comment without a reply, around the end."""
        self.editor.finish()
        keys = [line.row.comment.id for line in self.matrix.rows]
        open_ = {line.row.comment.id for line in self.matrix.unanswered}
        start = keys.index(self.at_hand) if self.at_hand in keys else -1
        for step in range(1, len(keys) + 1):
            key = keys[(start + step) % len(keys)]
            if key in open_ and key != self.at_hand:
                self.take(key)
                return
        self.banner.show_notice(Notice(_ACT, "No other comment is without a reply.", kind="note"))

    def edit(self) -> None:
        """Puts the cursor into the reply."""
        self.editor.setFocus()

    def take(self, key: str) -> None:
        """Brings a point to hand."""
        if key == self.at_hand:
            return
        self.editor.finish()
        self.at_hand = key
        self._select()
        self._show_point()
        self.context.commands.state_changed.emit()

    def choose_action(self, action: Action | None) -> None:
        """Says what the reply does."""
        self._act(lambda store, point: store.choose_action(self.desk.paper_id, point, action, initiator=self))

    def open_actions(self) -> None:
        """The actions as a menu under their button; letters and arrows choose."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        registry = self.context.commands
        for action, title in ACTION_TITLES.items():
            entry = menu.addAction(title)
            entry.setCheckable(True)
            entry.setChecked(self.point.action == action)
            entry.triggered.connect(lambda _checked=False, name=f"rebuttal.action_{action}": registry.run(name))
        menu.addSeparator()
        menu.addAction("Open").triggered.connect(lambda: registry.run("rebuttal.no_action"))
        menu.popup(self._action.mapToGlobal(QPoint(0, self._action.height())))

    def accept(self) -> None:
        """The person stands by what was generated."""
        self.editor.finish()
        self._act(lambda store, point: store.accept(self.desk.paper_id, point, initiator=self))

    def put_in_number(self, number: int) -> None:
        """Puts a template of the list in."""
        self.templates.put_in(number)

    def put_in(self, template: Template) -> None:
        """Puts a template into the reply where the cursor is; what is known fills its slots, the first open one is
        selected."""
        if not self.has_point():
            return
        self.put_in_text(fill(template.text, self.values()), template.source, template.action)

    def put_in_text(self, piece: str, source: str, action: Action | None) -> None:
        """Puts generated words in where the cursor is, in one undo step; the first open slot is selected."""
        self.editor.finish()
        text, here = self.editor.text, self.editor.selected
        before, after = text[: here.start], text[here.end :]
        gap = "" if not before or before.endswith("\n") else " " if not before.endswith(" ") else ""
        tail = "" if not after or after[:1].isspace() else " "
        written = f"{before}{gap}{piece}{tail}{after}"
        if not self._act(
            lambda store, point: store.put_in(
                self.desk.paper_id, point, written, piece=piece, sentences=sentences_of(piece), source=source,
                action=action, initiator=self,
            )
        ):  # fmt: skip
            return
        self.editor.setFocus()
        start = len(before) + len(gap)
        slot = next((s for s in find_slots(written) if start <= s.span.start < start + len(piece)), None)
        self.editor.select(slot.span if slot else Span(start + len(piece), start + len(piece)))

    def values(self) -> dict[str, str]:
        """What slots can be filled with at the point at hand."""
        return {}

    def quote(self) -> None:
        """Puts the reviewer's words in before the cursor's line."""
        row = self.row
        assert row is not None
        words = quote(row, "full").replace(f"**{row.label}** ", "", 1).rstrip()
        here = self.editor.selected
        before = self.editor.text[: here.start]
        gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
        self.editor.setFocus()
        self.editor.replace(here, f"{gap}{words}\n\n")

    def search_templates(self) -> None:
        """Puts the cursor into the search of templates."""
        self.templates.field.setFocus()
        self.templates.field.selectAll()

    def group_by(self, by: Grouping) -> None:
        """How the comments of the left column are grouped; kept for the next time."""
        self.grouping = by
        self.context.state.set_text(_GROUPING, by)
        self._show_reviews()

    def _leave_editor(self) -> None:
        self.list.setFocus()

    def _written(self, text: str, coalesce: str) -> None:
        self._act(lambda store, point: store.write(self.desk.paper_id, point, text, coalesce=coalesce, initiator=self))

    def _act(self, verb: Callable[..., object]) -> bool:
        if self.reader is None or self.found is None:
            return False
        try:
            verb(self.reader.store, self.point)
        except EnvironmentProblem as problem:
            self.show_problem(problem, _ACT)
            return False
        self.banner.dismiss(_ACT)
        return True

    # --- showing --------------------------------------------------------------------------------------------------

    _filter = ""

    def _show(self) -> None:
        self.entries = entries(self.desk)
        self._show_boxes()
        self._show_matrix()
        keys = [key_of(point) for _, point in points_in_order(self.desk.outline.sections)]
        known = {*keys, *(entry.comment.id for entry in self.entries)}
        if self.at_hand not in known:
            first = next((line.row.comment.id for line in self.matrix.unanswered), "")
            self.at_hand = first or next((e.comment.id for e in self.entries), "")
        self._show_reviews()
        self._show_point()
        self.context.commands.state_changed.emit()

    def _show_boxes(self) -> None:
        desk = self.desk
        listed = [(paper.title or "Untitled paper", paper.id) for paper in desk.papers]
        if [(self.paper.itemText(n), self.paper.itemData(n)) for n in range(self.paper.count())] != listed:
            self.paper.clear()
            for words, key in listed:
                self.paper.addItem(words, key)
        self.paper.setVisible(len(listed) > 1)
        self.paper.setCurrentIndex(max(0, self.paper.findData(desk.paper_id)))
        self.limit_box.setCurrentIndex(max(0, self.limit_box.findData(desk.plan.preset)))
        self.limit_box.setToolTip(f"Limit of the venue. {desk.limit.note}")

    def _show_matrix(self) -> None:
        desk = self.desk
        self.matrix = matrix(
            desk.outline, desk.edits, {}, desk.limit, desk.plan.quoting, revised=desk.target is not None
        )
        self._show_lines(desk.outline)

    def _show_lines(self, made: Outline) -> None:
        rows = {line.row.comment.id: line for line in self.matrix.rows}
        lines: list[Line] = []
        total = 0
        for section in made:
            taken = spent(section, self.desk.limit, self.desk.plan.quoting)
            total += taken.total
            lines.append(Head(section.reviewer, taken, self.desk.limit.unit))
            lines.append(self._word(section.opening))
            lines += [rows[row.comment.id] for row in section.rows]
            lines.append(self._word(section.closing))
        self._filling = True
        self.matrix_model.show_lines(lines)
        self._filling = False
        missing, all_ = len(self.matrix.unanswered), len(self.matrix.rows)
        wrong = sum(any(flag.grave for flag in line.flags) for line in self.matrix.rows)
        words = f"{missing} of {all_} unanswered" if missing else f"All {all_} answered" if all_ else ""
        self._missing.setText(words)
        of = f" of {self.desk.limit.total:,}" if self.desk.limit.total else ""
        unit = unit_name(self.desk.limit.unit, total)
        self._total.setText(f"{total:,}{of} {unit} in all" + (f" · {wrong} to mend" if wrong else ""))
        self.set_status(" · ".join(part for part in (words, f"{total:,}{of} {unit}" if all_ else "") if part))

    def _word(self, point: Point) -> Word:
        return Word(point, count(point.text.strip(), self.desk.limit.unit))

    def _show_reviews(self) -> None:
        shown = [e for e in self.entries if self._filter in f"{e.label} {e.comment.comment}".casefold()]
        self._filling = True
        self.model.show_groups(grouped(shown, self.grouping))
        self.group_box.setCurrentIndex(self.group_box.findData(self.grouping))
        self._filling = False
        self.list.set_message("" if shown else "No comment holds these words.")
        self._select()

    def _select(self) -> None:
        self._filling = True
        self.list.select_row(self.model.row_of(self.at_hand))
        self.matrix_list.select_row(self.matrix_model.row_of(self.at_hand))
        self._filling = False

    def _show_point(self) -> None:
        found, entry = self.found, self.entry
        labels = labels_of(self.desk, entry.comment) if entry else ()
        text = next((t.text for t in self.desk.texts if entry and t.id == entry.comment.source_id), "")
        edits = self.desk.edits.get(entry.comment.id, ()) if entry else ()
        self.comment.show_comment(entry, text, labels, edits, revised=self.desk.target is not None)
        self.editor.setEnabled(found is not None and self.can_write())
        if found is None:
            self._title.setText("")
            self.editor.show_reply("", ())
        else:
            section, point = found
            row = self.row
            name = f"{row.label}  ·  {section.reviewer}" if row else f"{point.kind.capitalize()} to {section.reviewer}"
            self._title.setText(name)
            self.editor.show_reply(point.text, point.generated)
        self._accept.setVisible(self.has_generated())
        self._show_length()
        self._show_templates()

    def _show_templates(self) -> None:
        found, entry = self.found, self.entry
        if found is None:
            self.templates.show_ranked((), 0)
            return
        words = self.templates.field.text().strip()
        of = len(self._ranker.templates)
        if words:
            self.templates.show_ranked([Ranked(t, 0.0, ()) for t in self._ranker.search(words)], of)
            return
        point = found[1]
        asked = Asked(
            entry.comment.comment if entry else "",
            entry.root if entry else "",
            entry.themes if entry else (),
            point.action,
            opening=point.kind != "reply",
        )
        self.templates.show_ranked(self._ranker.rank(asked), of)

    # --- while one types ------------------------------------------------------------------------------------------

    def _typed(self) -> None:
        """The counter, the bars and the row of the matrix follow each key; the project a pause later."""
        found = self.found
        if found is None or self.editor.text == found[1].text:
            self._show_length()
            return
        section, point = found
        live = replace(point, text=self.editor.text)
        changed = _with_point(section, live)
        sections = tuple(changed if s is section else s for s in self.desk.outline.sections)
        self._live(Outline(sections), live)
        self._show_length()

    def _live(self, made: Outline, live: Point) -> None:
        desk = replace(self.desk, outline=made)
        shares = budgets(made, desk.limit, desk.plan.quoting)
        rows = []
        for line in self.matrix.rows:
            if line.row.comment.id == live.comment_id:
                row = replace(line.row, point=live)
                line = matrix_row(  # noqa: PLW2901
                    row, line.edits, None, shares.get(live.comment_id), desk.limit.unit, revised=desk.target is not None
                )
            rows.append(line)
        self.matrix = Matrix(tuple(rows))
        self._show_lines(made)

    def _show_length(self) -> None:
        line = self._line()
        text = self.editor.text
        unit = self.desk.limit.unit
        length = count(text.strip(), unit)
        allotted = line.allotted if line is not None else None
        if allotted is None:
            self._length.setText(f"{length:,} {unit_name(unit, length)}" if self.found else "")
            self.editor.show_doubts((), None)
            return
        left = allotted - length
        self._length.setText(
            f"{length:,} of {allotted:,}  ·  {f'{left:,} left' if left >= 0 else f'{-left:,} too many'}"
        )
        beyond = fits(text, allotted, unit) if left < 0 else None
        self.editor.show_doubts((), beyond)

    def _line(self) -> MatrixRow | None:
        return self.matrix.of(self.at_hand)

    # --- choices with the mouse -----------------------------------------------------------------------------------

    def _comment_chosen(self, *_indices: object) -> None:
        row = self.list.currentIndex().row()
        if not self._filling and 0 <= row < len(self.model.rows):
            entry = self.model.rows[row]
            if isinstance(entry, Entry):
                self.take(entry.comment.id)

    def _line_chosen(self, *_indices: object) -> None:
        row = self.matrix_list.currentIndex().row()
        if not self._filling and 0 <= row < len(self.matrix_model.lines):
            line = self.matrix_model.lines[row]
            if isinstance(line, Word):
                self.take(key_of(line.point))
            elif isinstance(line, MatrixRow):
                self.take(line.row.comment.id)

    def _paper_chosen(self) -> None:
        self.editor.finish()
        self._paper_id = self.paper.currentData() or ""
        self.at_hand = ""
        self.refresh_now()

    def _limit_chosen(self) -> None:
        key = self.limit_box.currentData()
        if self.reader is None or key == self.desk.plan.preset:
            return
        plan = replace(self.desk.plan, preset=key, own_limits=())
        self._act(lambda store, _point: store.set_plan(self.desk.paper_id, plan, initiator=self))


def _bare(reviewer: str) -> Section:
    return Section(reviewer, Point("opening", reviewer=reviewer), (), Point("closing", reviewer=reviewer))


def _with_point(section: Section, point: Point) -> Section:
    """The section with a point in the place of the one that it is another state of."""
    key = key_of(point)
    if point.kind == "opening":
        return replace(section, opening=point)
    if point.kind == "closing":
        return replace(section, closing=point)
    rows = tuple(replace(row, point=point) if row.comment.id == key else row for row in section.rows)
    return replace(section, rows=rows)


if __name__ == "__main__":
    raise SystemExit(preview(RebuttalPane))
