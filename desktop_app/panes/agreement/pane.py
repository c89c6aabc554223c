"""Agreement: measures with intervals for two or all annotators, their disagreements, and adjudication."""

from collections.abc import Callable
from functools import partial
from math import nan
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.panes.agreement.everybody import ADJUDICATIONS, CHOICES, TABLES, EverybodyState, to_adjudicate
from desktop_app.panes.agreement.state import GROUP_CHOICES, GROUPS_BOX, WORK, AgreementState
from desktop_app.panes.agreement.units_view import VALUES, DisagreementDetail, EverybodyView, decision_list
from desktop_app.panes.base import ACT, AppContext, Pane
from desktop_app.theme import theme
from desktop_app.widgets.annotator_button import AnnotatorButton
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.bars import Bar, Bars
from desktop_app.widgets.command_menu import CommandMenuButton
from desktop_app.widgets.dialogs import MessagesDialog
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import hairline, scrolled, text_label
from desktop_app.widgets.layouts import Flow, at_least, column, command_button, row, sized, splitter, surface
from desktop_app.widgets.painted import Painted
from desktop_app.widgets.record_list import LEFT, RecordList, draw_text
from engine.agreement.records import MEASURES, PUBLISHED, Figures, Subject, Verdict
from engine.exchange.agreement import FORMATS
from engine.project import Changes
from engine.project.merge import MergeReport
from engine.shown import counted

WIDEST = 900
"""Width of the current disagreement in pixels at the normal text size, so that its lines can be read."""


def interval_bars(figures: Figures) -> list[Bar]:
    """Returns a bar for each measure with its 95 % interval and, if there is one, the published value."""
    bars = []
    for measure, words in MEASURES.items():
        found = figures.estimates[measure]
        text = f"{found.shown()}{found.span(' {:.2f}–{:.2f}')}".replace("0.", ".")
        known = PUBLISHED.get(measure, nan)
        bars.append(Bar(words, found.value, text, low=found.low, high=found.high, reference=known))
    return bars


class PairTable(Painted):
    """Counts of pairs of comment and edit by both annotators' decisions; shaded by the cell's share of its row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Pairs by both annotators' decisions", parent)
        self._figures: Figures | None = None
        self._names = ("first", "second")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_figures(self, figures: Figures | None, first: str, second: str) -> None:
        self._figures, self._names = figures, (first, second)
        self.setAccessibleDescription("No data yet")
        if figures is not None:
            (both, one), (two, none) = figures.confusion
            self.setAccessibleDescription(f"linked by both {both}, by {first} {one}, by {second} {two}, neither {none}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(360, theme().px(136))

    def paint(self, painter: QPainter) -> None:
        tokens = theme().tokens
        painter.fillRect(self.rect(), QColor(tokens.surface))
        if self._figures is None:
            return
        line, left = theme().px(18), theme().px(176)
        cell_width, cell_height = (self.width() - left - 16) / 2, theme().px(34)
        flags = Qt.AlignmentFlag.AlignCenter
        first, second = self._names
        small, muted = theme().font("small"), tokens.muted
        draw_text(painter, QRect(left, 4, round(2 * cell_width), line), flags, second, small, muted)
        draw_text(painter, QRect(12, 4 + line, left - 20, line), LEFT, first, small, muted)
        for j, words in enumerate(("linked", "not linked")):
            head = QRect(round(left + j * cell_width), 4 + line, round(cell_width), line)
            draw_text(painter, head, flags, words, small, muted)
        for i, words in enumerate(("linked", "not linked")):
            place = QRect(12, 4 + 2 * line + i * (cell_height + 3), left - 20, cell_height)
            draw_text(painter, place, LEFT, words, small, muted)
            row = self._figures.confusion[i]
            for j, count in enumerate(row):
                cell = QRectF(left + j * cell_width + 1, place.top(), cell_width - 3, cell_height)
                shade = QColor(tokens.data["linked" if i == j else "attention"].mark)
                shade.setAlphaF(0.12 + 0.35 * count / (sum(row) or 1))
                painter.fillRect(cell, shade)
                font = theme().font("section", bold=i != j, tabular=True)
                draw_text(painter, cell, flags, f"{count:,}", font, tokens.ink)


_MERGE = "merge"
_TICKS = (0.0, 0.5, 1.0)


class AgreementPane(Pane):
    """Measures on the left, disagreements in the middle, the current disagreement on the right."""

    pane_id = "agreement"
    purpose = (
        "See how well annotators agree on links, labels, preferences and scores, and adjudicate where they differ. "
        "Annotators can't see each other's work until both are done. Start by linking under two names, or merge "
        "another annotator's file."
    )
    tables = WORK | TABLES | ADJUDICATIONS | {"paper", "paper_version", "revision"}
    first_step = "agreement.merge"
    search_hint = "Find a disagreement"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        registry, body = context.commands, self.body
        self.state, self.everybody = AgreementState(), EverybodyState()
        self._chosen = False
        """Whether the user chose which decisions to compare."""
        self.subject = ChoiceBox("Decisions to compare", CHOICES, letters=16, parent=body)
        self.first = ChoiceBox("First annotator", letters=12, parent=body)
        self.second = ChoiceBox("Second annotator", letters=12, parent=body)
        self.annotator = AnnotatorButton(context, self._paper, body)
        self.exports = exports = CommandMenuButton(
            registry, [f"agreement.export_{name}" for name in (*FORMATS, "data")], "Export…", body
        )
        exports.setToolTip("Export measures, disagreements, figures or a data set")
        exports.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._progress = text_label("", "small", wrap=True, parent=body)
        self._progress.setContentsMargins(12, 4, 12, 6)
        left = surface(QWidget(body), "Measures")
        self.paper = ChoiceBox("Papers to compare on", letters=8, parent=left)
        self.group = ChoiceBox(GROUPS_BOX, GROUP_CHOICES, letters=8, parent=left)
        self.bars, self.pairs = Bars("Agreement with intervals", "intervals", left), PairTable(left)
        self._counts = text_label("", "small", wrap=True, parent=left)
        self._counts.setContentsMargins(12, 4, 12, 8)
        column(
            row((self.paper, 1), (self.group, 1), margins=(12, 0, 12, 4)), self.bars, self.pairs, self._counts, None,
            margins=(0, 8, 0, 0), spacing=4, of=left,
        )  # fmt: skip
        self.list = decision_list("Disagreements", body)
        self.detail = DisagreementDetail(registry, body)
        measures = scrolled(left, "Measures", body)
        found = splitter((self.list, 240, 1), (self.detail, 530, 2), folding=True, parent=body)
        parts = splitter((measures, 400, 1), (found, 770, 3), parent=body)
        sized(self.detail, WIDEST, self.detail.setMaximumWidth)
        at_least(measures, 350)
        at_least(self.list, 165, 96)
        merge = command_button(registry, "agreement.merge", "Merge a file…", body)
        self.between = text_label("and", "muted", parent=body)
        choices = (self.subject, self.first, self.between, self.second)
        head = row((Flow(*choices, None, merge, exports, self.annotator), 1), margins=(12, 4, 8, 4))
        self.two = scrolled(parts, "Agreement", body, sideways=True)
        self.all = EverybodyView(registry, body)
        column(head, self._progress, hairline(parent=body), (self.two, 1), (self.all, 1), of=body)
        self.subject.picked.connect(self._subject_chosen)
        self.first.picked.connect(self._pair_chosen)
        self.second.picked.connect(self._pair_chosen)
        self.paper.picked.connect(lambda paper: self.do(lambda: self.state.choose_scope(paper)))
        self.group.picked.connect(self._group_chosen)
        self.list.chosen.connect(lambda found: self.do(lambda: self.state.choose(found.key)))
        self.list.activated_row.connect(lambda _row: self.go())
        self.detail.note.committed.connect(
            lambda text, _key, of: of and self.do(lambda: self.state.note(text, *of.record))
        )
        self.detail.note.left.connect(self.take_focus)
        self.all.list.chosen.connect(lambda found: self.do(lambda: self.everybody.units.choose(found.key)))
        self.all.filtered.connect(self._filtered)
        self.all.group.picked.connect(self._group_chosen)
        self.all.turned.connect(self._show)
        self.all.turned.connect(self.focus_view)
        self.all.detail.other.entered.connect(lambda words: self.take(self.everybody.units.value_of(words)))

    def project_set(self) -> None:
        self._chosen = False
        self.state, self.everybody = AgreementState(self.project), EverybodyState(self.project)
        if self.project is not None and (of := to_adjudicate(self.project)):
            self.subject.show_value(of)
            self._chosen = True
            self.all.tabs.setCurrentIndex(1)
        self.everybody.choose(self.subject.value, self.state.group)
        self._show()

    def is_empty(self) -> bool:
        self.state.read()
        return not self.state.somebody_worked and not self.everybody.first_subject()

    def on_changes(self, changes: Changes) -> None:
        self.state.mark_stale(changes.tables)
        self.everybody.mark_stale(changes.tables)
        super().on_changes(changes)

    def refresh(self) -> None:
        if not self._chosen and not self.state.somebody_worked:  # without links, show the kind of decision that exists
            self.subject.show_value(of := self.everybody.first_subject())
            self.everybody.choose(of, self.state.group)
        if self.state.refresh():
            compared, outdated = (partial(self._after, verb) for verb in (self.state.compared, self.state.outdated))
            self.calculate(self.state.compare_task(), compared, outdated, "compare")
        elif not all(self.state.pair):
            self.stop_calculating("compare")
        if self.everybody.refresh():
            outdated = partial(self.everybody.mark_stale, TABLES)
            compared = partial(self._after, self.everybody.compared)
            self.calculate(self.everybody.compare_task(), compared, outdated, "everybody")
        self._show()

    def find_searched(self, by: int) -> bool:
        return self.current_list.find_record(self.searched, by, lambda found: found.words)

    def take_focus(self) -> None:
        (self.all.table if self.everybody.of and not self.all.on_units else self.current_list).setFocus()

    def has_disagreement(self) -> bool:
        return not self.everybody.of and self.state.disagreement is not None and self.body.isVisibleTo(self)

    @property
    def current_list(self) -> RecordList:
        return self.all.list if self.everybody.of else self.list

    def has_unit(self) -> bool:
        return bool(self.everybody.of) and self.all.on_units and self.everybody.units.unit is not None

    def can_adjudicate(self) -> bool:
        return self.has_unit() and self.everybody.units.can_decide()

    def can_take(self, number: int) -> bool:
        return self.can_adjudicate() and bool(self.everybody.units.value(number))

    def can_reopen(self) -> bool:
        if self.everybody.of:
            return self.has_unit() and self.everybody.units.can_reopen()
        return self.state.is_decided()

    def has_figures(self) -> bool:
        """Returns whether measures of two annotators' links are shown; only these can be exported as measures."""
        return not self.everybody.of and self.state.found is not None and bool(self.state.found.papers)

    def do(self, verb: Callable[[], object]) -> bool:
        """Runs a method of the state and shows the changes; problems are shown in the banner."""
        done = self.act(verb)
        self._show()
        return done

    def mark_done(self) -> None:
        if self.do(self.everybody.set_done):
            self.note("What you decided is marked as done.")

    def choose(self, verdict: Verdict) -> None:
        """Decides between two annotators, or takes the value with that number; then goes to the next open one."""
        if self.everybody.of:
            self.take(self.everybody.units.value(VALUES.index(verdict)))
        elif self.do(lambda: self.state.decide(verdict)):
            self.skip()

    def take(self, value: str) -> None:
        """Adjudicates the current unit to a value and goes to the next open one."""
        if self.can_adjudicate() and self.do(lambda: self.everybody.units.take(value)):
            self.current_list.setFocus()
            self.skip()

    def reopen(self) -> None:
        units = self.everybody.units
        self.do((lambda: units.take(None)) if self.everybody.of else self.state.reopen)

    def skip(self) -> None:
        if (self.everybody.units if self.everybody.of else self.state).next_open():
            self.note("Every disagreement listed here is decided.")
        self._show()

    def go(self) -> None:
        found = self.state.disagreement
        if found is None:
            return
        edit = self.state.edit_id or next(iter(found.agreed), "")
        self.context.papers.choose(found.paper_id)
        self.context.show_pane("linking").go_to(found.comment.first_id, edit)

    def merge(self, path: Path) -> None:
        if self.project is not None:
            self.submit(self.state.merge_task(path), self._merged, _MERGE)

    def _merged(self, report: MergeReport) -> None:
        of = f" of {' and '.join(report.annotators)}" if report.annotators else ""
        rows, conflicts = counted(report.rows, "row"), report.conflicts
        what = f"{report.filename} was merged: {rows}{of}." if report.rows else f"{report.filename} has nothing new."
        what = " ".join([what, *report.notes])
        if not conflicts:
            self.note(what, "You can undo this." if report.rows else "", _MERGE)
            return
        means = f"{counted(len(conflicts), 'conflict')}. Your versions were kept. All other rows were merged."
        listed = [conflict.sentence() for conflict in conflicts]
        show = ("Show conflicts", lambda: MessagesDialog("Conflicts", listed, self).open())
        self.banner.show_notice(Notice(_MERGE, what, means, kind="attention", actions=(show,)))

    def export_to(self, format_: str, path: Path) -> None:
        """Starts a job that writes the files of a format, named after ``path``."""
        self.write_files(self.state.export_task(format_, path))

    def export_data(self, folder: Path) -> None:
        self.write_files(self.everybody.export_task(folder))

    def _after(self, verb: Callable[..., object], *made: object) -> None:
        verb(*made)
        self._show()

    def _subject_chosen(self, of: Subject | Literal[""]) -> None:
        self._chosen = True
        self.banner.dismiss(ACT)  # it was about the previous kind of decision
        self.everybody.choose(of, self.state.group)
        self.refresh_now()

    def _filtered(self) -> None:
        self.everybody.units.choose_shown(self.all.shown.value, self.all.order.value, self.all.part.value)
        self._show()

    def _pair_chosen(self, _value: object) -> None:
        self.state.choose_pair(self.first.currentData(), self.second.currentData())
        self.refresh_now()

    def _group_chosen(self, group: str) -> None:
        self.state.choose_group(group)
        self.everybody.choose(self.everybody.of, group)
        self.refresh_now()

    def _paper(self) -> tuple[str, str]:
        """Returns key and title of the paper that "done" applies to: the current one, if its versions were compared."""
        found = next((s.paper for s in self.state.standings if s.paper.id == self.paper_id), None)
        return (found.id, found.title) if found else ("", "")

    def _show(self) -> None:
        state, of = self.state, self.everybody.of
        self.group.show_value(state.group)
        for part in (self.first, self.between, self.second, self.two):
            part.setVisible(not of)
        self.all.setVisible(bool(of))
        if of:
            self.all.show_state(self.everybody)
        people = [(name, key) for key, name in state.people]
        self.first.show_entries(people, state.pair[0])
        self.second.show_entries(people if len(people) > 1 else (), state.pair[1])
        self._progress.setText(self.everybody.summary() if of else state.progress())
        papers = state.found.papers if state.found else ()
        self.paper.show_entries([("All papers", ""), *((f.title, f.paper_id) for f in papers)], state.scope)
        figures, rows = state.figures, state.rows
        self.bars.empty = "Calculating…" if state.calculating else "No data yet"
        drawn = figures if figures is not None and figures.measured else None
        self.bars.show_bars(interval_bars(drawn) if drawn else (), ticks=_TICKS)
        self.pairs.show_figures(drawn, *state.names)
        if figures is None:
            counts, status = "", ""
            hint = " If you only adjudicate, choose “Done with this paper” under your name." * state.hides
            message = f"Two annotators who are done with a paper can be compared here.{hint}"
            message = "Calculating…" * state.calculating if all(state.pair) else message
        else:
            pairs = sum(map(sum, figures.confusion))
            omitted = f"; not counted: {counted(figures.left_out, 'comment')} that only one of them decided on"
            edits = f"{state.group_title.lower()}, or linked by either" if state.group else "all groups"
            same = sum(n for (one, other), n in figures.states.items() if one == other)
            counts = (
                f"{counted(pairs, 'pair')} of a comment and an edit ({edits}), for "
                f"{counted(figures.comments, 'comment')} that both decided on, "
                f"{same} of them in the same state{omitted * bool(figures.left_out)}. "
                "Bars: 95 % intervals, resampled by comment. Ticks: published for ARIES."
            )
            open_ = sum(not found.decided for found in rows)
            status = f"{counted(len(rows), 'disagreement')} · {open_} open"
            nothing = "Both are done, but they haven't decided any of the same comments."
            message = "They agree on every comment that both decided." if figures.comments else nothing
        self._counts.setText(counts)
        self.set_status(self.everybody.units.progress() if of else status)
        self.list.set_message(message)
        self.list.show_records(rows, state.at)
        self.detail.show_dispute(state.dispute)
        self.annotator.refresh()
        self.context.commands.state_changed.emit()
