"""Rebuttal: every comment with its labels and edits, the reply to each, and a matrix in which no point is missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop_app.commands import Command
from desktop_app.context import AppContext
from desktop_app.panes.base import ACT
from desktop_app.panes.base import preview as preview_pane
from desktop_app.panes.rebuttal.building import Built
from desktop_app.panes.rebuttal.commands import rebuttal_commands
from desktop_app.panes.rebuttal.entries import GROUPINGS, Entry, Grouping, entries, grouped, key_of
from desktop_app.panes.rebuttal.matrix_view import (
    Head,
    Line,
    Word,
    told_spent,
)
from desktop_app.panes.rebuttal.notes_view import notes_of
from desktop_app.widgets.banner import Notice
from engine.exchange.rebuttals import Rebuttal, Rebuttals
from engine.rebuttal.budget import budgets, spent
from engine.rebuttal.checking import ClaimChecker, ToCheck
from engine.rebuttal.claims import Checked, find_claims
from engine.rebuttal.fitting import Asked, Ranked, TemplateRanker
from engine.rebuttal.letter import posts
from engine.rebuttal.matrix import Matrix, matrix, matrix_row
from engine.rebuttal.points import Outline, Section, outline
from engine.rebuttal.records import Point
from engine.reviews.limits import count, fits, unit_name
from engine.reviews.preview import preview
from engine.reviews.tone import find_tone

if TYPE_CHECKING:
    from engine.project import Changes
    from engine.reviews.formulas import FormulaPicture

_GROUPING = "rebuttal.grouping"
_HEARING_MS = 150
"""Tone and markup are looked at after so short a pause in typing."""
WRITE, PREVIEW, SEND = range(3)
POINTS = frozenset({"rebuttal_point", "rebuttal_use", "rebuttal_draft"})


class RebuttalPane(Built):
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
        "paper", "paper_version", "parsed_document", "sentence_label", "sentence_label_decision", "sentence_suggestion",
        "annotator",
    }  # fmt: skip
    first_step = "rebuttal.to_linking"
    search_hint = "Find in the comments"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.grouping: Grouping = next((by for _, by in GROUPINGS if by == context.state.text(_GROUPING)), "reviewer")
        self.checked: dict[str, tuple[str, tuple[Checked, ...]]] = {}
        self._revised = {}
        self._checker: ClaimChecker | None = None
        self._paper_id, self._filter = "", ""
        self._filling = False
        self._points_only = False
        self._ranker = TemplateRanker(())
        self._hearing = QTimer(self)
        self._hearing.setSingleShot(True)
        self._hearing.setInterval(_HEARING_MS)
        self._hearing.timeout.connect(self._show_notes)
        self._build()

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        return rebuttal_commands(self)

    def project_set(self) -> None:
        self.fetcher.forget()
        self.stop_drafting()
        self.stop_labelling()
        self.strip.show_draft(None)
        self.reader = Rebuttals(self.project) if self.project is not None else None
        self.desk, self.matrix, self.entries, self.checked = Rebuttal(), Matrix(), (), {}
        self._checker, self._revised, self._metadata = None, {}, ()
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
            before = self.desk
            self.desk = self.reader.read(self._paper_id)
            if (before.source, before.target) != (self.desk.source, self.desk.target) or not self._revised:
                self._read_versions()
            self._read_templates()
        self._points_only = False
        self._show()
        self.offer_responses()
        self._check_claims()

    def _read_versions(self) -> None:
        """The versions are others, or were read meanwhile: what is checked begins anew."""
        assert self.reader is not None
        source, target = self.desk.source, self.desk.target
        self.checked, self._revised = {}, {}
        self._checker = ClaimChecker(
            self.reader.documents, source.document_id if source else "", target.document_id if target else ""
        )
        if target is not None:
            self.fetcher.fetch("revised", self._checker.revised_paragraphs)
        self.look_at_metadata()

    def _read_templates(self) -> None:
        assert self.reader is not None
        templates = self.all_templates()
        if templates != self._ranker.templates:
            self._ranker = TemplateRanker(templates)

    def templates_changed(self) -> None:
        self._read_templates()
        self._show_templates()

    def take_focus(self) -> None:
        self.list.setFocus()

    def search(self, text: str) -> None:
        self._filter = text.casefold()
        self._show_reviews()

    # --- going about ----------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """The next or previous point, in the order of the list that has the keyboard."""
        keys = self._order()
        if keys:
            at = keys.index(self.at_hand) + by if self.at_hand in keys else 0
            self.take(keys[min(max(at, 0), len(keys) - 1)])

    def _order(self) -> list[str]:
        if self.matrix_list.hasFocus() or self.editor.hasFocus():
            return [key_of(point) for _, point in self.all_points()]
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
        self.banner.show_notice(Notice(ACT, "No other comment is without a reply.", kind="note"))

    def edit(self) -> None:
        """Puts the cursor into the reply."""
        self.show_view(WRITE)
        self.editor.setFocus()

    def take(self, key: str) -> None:
        """Brings a point to hand."""
        if key == self.at_hand:
            return
        self.editor.finish()
        self.at_hand, self.sentence = key, 0
        if self.strip.draft is not None and self.strip.draft.comment_id != key:
            self.strip.show_draft(None)
        self._select()
        self._show_point()
        self._show_view()
        self.context.commands.state_changed.emit()

    def show_view(self, number: int) -> None:
        """Brings writing, the preview or sending to the front; again the same goes back to writing."""
        self.tabs.setCurrentIndex(WRITE if number == self.tabs.currentIndex() else number)

    def _view_changed(self, number: int) -> None:
        self.editor.finish()
        self.views.setCurrentIndex(number)
        self._show_view()
        (self.editor if number == WRITE else self.preview.page if number == PREVIEW else self.sending.list).setFocus()
        self.context.commands.state_changed.emit()

    def _go_to_point(self, key: str) -> None:
        self.take(key)
        self.tabs.setCurrentIndex(WRITE)

    def group_by(self, by: Grouping) -> None:
        """How the comments of the left column are grouped; kept for the next time."""
        self.grouping = by
        self.context.state.set_text(_GROUPING, by)
        self._show_reviews()

    def go_to_linking(self) -> None:
        """Shows the comment at hand in Linking, where edits are linked."""
        from desktop_app.panes.linking.pane import LinkingPane

        self.editor.finish()
        comment = self.at_hand
        edits = self.desk.edits.get(comment, ())
        self.context.show_pane("linking")
        pane = getattr(self.window(), "panes", {}).get("linking")
        if isinstance(pane, LinkingPane) and self.entry is not None:
            pane.go_to(comment, edits[0].id if edits else "")

    def _leave_editor(self) -> None:
        self.list.setFocus()

    def _written(self, text: str, coalesce: str) -> None:
        reader, found = self.reader, self.found
        if reader is not None and found is not None:
            self.act(lambda: reader.store.write(self.desk.paper_id, found[1], text, coalesce=coalesce, initiator=self))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._select()  # the point at hand stays in sight

    # --- showing --------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        self.entries = entries(self.desk)
        self._show_boxes()
        self._show_matrix()
        known = {*(key_of(point) for _, point in self.all_points()), *(e.comment.id for e in self.entries)}
        if self.at_hand not in known:
            first = next((line.row.comment.id for line in self.matrix.unanswered), "")
            self.at_hand = first or next((e.comment.id for e in self.entries), "")
        self._show_reviews()
        self._show_point()
        self._show_view()
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
        own = " Some of its figures are your own." if desk.plan.own_limits else ""
        self.limit_box.setToolTip(f"Limit of the venue. {desk.limit.note}{own}")

    def _fitting(self) -> dict[str, tuple[Checked, ...]]:
        """What was checked of the replies as they are now."""
        found = {}
        for row in self.desk.outline.rows:
            text, checked = self.checked.get(row.comment.id, ("", ()))
            if text == f"{row.point.text}\0{row.point.confirmed}":
                found[row.comment.id] = checked
        return found

    def _show_matrix(self) -> None:
        desk = self.desk
        self.matrix = matrix(
            desk.outline, desk.edits, self._fitting(), desk.limit, desk.plan.quoting, revised=desk.target is not None
        )
        self._show_lines(desk.outline)

    def _show_lines(self, made: Outline) -> None:
        rows = {line.row.comment.id: line for line in self.matrix.rows}
        lines: list[Line] = []
        total, unit = 0, self.desk.limit.unit
        for section in made:
            taken = spent(section, self.desk.limit, self.desk.plan.quoting)
            total += taken.total
            lines.append(Head(section.reviewer, taken, unit))
            lines.append(self._word(section.opening))
            lines += [rows[row.comment.id] for row in section.rows]
            lines.append(self._word(section.closing))
        self._filling = True
        self.matrix_model.show_lines(lines)
        self._filling = False
        missing, all_ = len(self.matrix.unanswered), len(self.matrix.rows)
        wrong = sum(any(flag.grave for flag in line.flags) for line in self.matrix.rows)
        words = f"{missing} of {all_} unanswered" if missing else f"All {all_} answered" if all_ else ""
        of = f" of {self.desk.limit.total:,}" if self.desk.limit.total else ""
        length = f"{total:,}{of} {unit_name(unit, total)} in all" if all_ else ""
        mend = f"{wrong} to mend" if wrong else ""
        self._missing.setText(words)
        self._show_bar()
        self._total.setText(" · ".join(part for part in (length, mend) if part))
        self.set_status(" · ".join(part for part in (words, length, mend) if part))

    def _show_bar(self) -> None:
        """The budget of the reviewer at hand."""
        found = self.found
        heads = [line for line in self.matrix_model.lines if isinstance(line, Head)]
        own = [head for head in heads if found is not None and head.reviewer == found[0].reviewer]
        self.budget_bar.show_head(next(iter(own), next(iter(heads), None)))

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
        found = self.found
        self._show_bar()
        self.show_comment()
        self.editor.setEnabled(found is not None and self.can_write())
        self.budget.setVisible(self.row is not None and self.desk.limit.tightest is not None)
        if found is None:
            self._title.setText("")
            self.editor.show_reply("", ())
        else:
            section, point = found
            row = self.row
            self._title.setText(row.label if row else f"{point.kind.capitalize()} to {section.reviewer}")
            self.editor.show_reply(point.text, point.generated)
            if not self.budget.hasFocus():
                self.budget.setValue(point.budget or 0)
        self._show_length()
        self._show_notes()
        self._show_templates()

    def _show_templates(self) -> None:
        found, entry = self.found, self.entry
        if found is None:
            self.templates.show_ranked((), 0)
            return
        words, of = self.templates.field.text().strip(), len(self._ranker.templates)
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
            linked=entry is not None and entry.edits > 0,
        )
        counts = self.reader.store.counts() if self.reader is not None else {}
        self.templates.show_ranked(self._ranker.rank(asked, counts), of)

    def _show_view(self) -> None:
        view = self.tabs.currentIndex()
        found = self.found
        if view == SEND:
            self.show_leaving()
        elif view == PREVIEW and found is not None:
            section = found[0]
            made = posts(section, self.desk.limit, self.desk.plan.quoting)
            taken = spent(section, self.desk.limit, self.desk.plan.quoting)
            told = f"To {section.reviewer}, as OpenReview shows it · {told_spent(taken, self.desk.limit.unit)}"
            self.preview.show_posts(made, told)

    def _show_notes(self) -> None:
        text, line = self.editor.text, self.line
        if self.found is None:
            self.notes.show_notes(())
            return
        tone = find_tone(text, "author")
        checked = line.claims if line is not None else ()
        flags = line.flags if line is not None else ()
        self.notes.show_notes(notes_of(tone, checked, flags, preview(text).troubles))
        self.editor.show_tone([remark.span for remark in tone])
        self.context.commands.state_changed.emit()

    # --- while one types ------------------------------------------------------------------------------------------

    def _typed(self) -> None:
        """The counter, the bars and the row of the matrix follow each key; tone a moment later, the project a pause."""
        found = self.found
        if found is not None and self.editor.text != found[1].text:
            section, point = found
            live = replace(point, text=self.editor.text)
            changed = _with_point(section, live)
            self._live(Outline(tuple(changed if s is section else s for s in self.desk.outline.sections)), live)
        self._show_length()
        self._hearing.start()

    def _live(self, made: Outline, live: Point) -> None:
        desk = self.desk
        shares = budgets(made, desk.limit, desk.plan.quoting)
        rows = tuple(
            matrix_row(
                replace(line.row, point=live), line.edits, None, shares.get(live.comment_id), desk.limit.unit,
                revised=desk.target is not None, before=line,
            )
            if line.row.comment.id == live.comment_id
            else line
            for line in self.matrix.rows
        )  # fmt: skip
        self.matrix = Matrix(rows)
        self._show_lines(made)

    def _show_length(self) -> None:
        line, text, unit = self.line, self.editor.text, self.desk.limit.unit
        length = count(text.strip(), unit)
        allotted = line.allotted if line is not None else None
        if allotted is None:
            self._length.setText(f"{length:,} {unit_name(unit, length)}" if self.found else "")
            self.editor.show_beyond(None)
            return
        left = allotted - length
        over = f"{-left:,} too many" if left < 0 else f"{left:,} left"
        self._length.setText(f"{length:,} of {allotted:,}  ·  {over}")
        self.editor.show_beyond(fits(text, allotted, unit) if left < 0 else None)

    # --- claims and formulas: off the window's thread -------------------------------------------------------------

    def _check_claims(self) -> None:
        checker, edits = self._checker, self.desk.all_edits
        if checker is None or self.desk.target is None:
            return
        known = self._fitting()
        wanted = [
            ToCheck(row.comment.id, row.point.text, row.point.confirmed)
            for row in self.desk.outline.rows
            if row.comment.id not in known and find_claims(row.point.text)
        ]
        if wanted:
            keys = {one.comment_id: f"{one.text}\0{one.confirmed}" for one in wanted}
            self.fetcher.fetch("claims", lambda: (keys, checker.check(wanted, edits)))

    def _draw_formulas(self, formulas: Sequence[str], size: float) -> None:
        def drawn() -> Mapping[tuple[str, float], FormulaPicture]:
            from engine.reviews.formulas import draw

            return {(tex, size): draw(tex, size) for tex in formulas}

        self.fetcher.fetch("formulas", drawn)

    def _fetched(self, name: str, found: object) -> None:
        if name == "claims" and isinstance(found, tuple):
            keys, checked = found
            self.checked |= {comment: (keys[comment], own) for comment, own in checked.items()}
            if not self.editor.unsaved:
                self._show_matrix()
                self._select()
            self._show_notes()
        elif name == "revised" and isinstance(found, dict):
            self._revised = found
            self._check_claims()
        elif name == "formulas" and isinstance(found, dict):
            self.preview.show_drawn(found)
        else:
            super()._fetched(name, found)

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
            if not isinstance(line, Head):
                self.take(key_of(line.point) if isinstance(line, Word) else line.row.comment.id)

    def _paper_chosen(self) -> None:
        self.editor.finish()
        self._paper_id = self.paper.currentData() or ""
        self.at_hand = ""
        self.refresh_now()

    def _limit_chosen(self) -> None:
        self.choose_preset(self.limit_box.currentData())

    def _budget_chosen(self) -> None:
        if self.has_reply():
            self.set_budget(self.budget.value())


def _with_point(section: Section, point: Point) -> Section:
    """The section with a point in the place of the one that it is another state of."""
    if point.kind == "opening":
        return replace(section, opening=point)
    if point.kind == "closing":
        return replace(section, closing=point)
    rows = tuple(replace(r, point=point) if r.comment.id == point.comment_id else r for r in section.rows)
    return replace(section, rows=rows)


if __name__ == "__main__":
    raise SystemExit(preview_pane(RebuttalPane))
