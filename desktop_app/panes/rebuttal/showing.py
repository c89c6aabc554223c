"""The part of the pane that shows the rebuttal: what was read, and what follows each key while one types."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer

from desktop_app.panes.rebuttal.building import Built
from desktop_app.panes.rebuttal.entries import Grouping, entries, grouped, key_of
from desktop_app.panes.rebuttal.matrix_view import (
    Head,
    Line,
    Word,
    told_spent,
)
from desktop_app.panes.rebuttal.notes_view import notes_of
from engine.exchange.response_pdf import filled, lay_out
from engine.rebuttal.budget import Spent, budgets, reviewer_limit, spent
from engine.rebuttal.claims import Checked
from engine.rebuttal.fitting import Asked, Ranked, TemplateRanker
from engine.rebuttal.letter import posts
from engine.rebuttal.matrix import Matrix, matrix, matrix_row
from engine.rebuttal.points import Outline, Section, notes_in, said
from engine.rebuttal.records import Point
from engine.reviews.limits import count, fits, unit_name
from engine.reviews.preview import preview
from engine.reviews.tone import find_tone

WRITE, PREVIEW, SEND = range(3)
_FINE = 1000
"""Parts of a page that its bar tells apart."""


class Showing(Built):
    """Fills the widgets."""

    grouping: Grouping
    _filter: str
    _filling: bool
    _ranker: TemplateRanker
    _hearing: QTimer
    _laying: QTimer
    _laid: tuple[Outline, float, int] | None = None
    """What was laid out last, how many pages it fills, and its length."""
    _made = Outline()
    _written_in_all = 0

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
        self._written_in_all, self._made = total, made
        self._show_bar()
        if self.desk.limit.pages is not None:
            self._laying.start()
        self._total.setText(" · ".join(part for part in (length, mend) if part))
        self.set_status(" · ".join(part for part in (words, length, mend) if part))

    def _show_bar(self) -> None:
        """The budget of the reviewer at hand; of the whole where only that is limited."""
        limit, found = self.desk.limit, self.found
        if limit.total is not None and reviewer_limit(limit) is None:
            told, pages = self._told_pages(), self.filled_pages()
            whole = Spent("", self._written_in_all, 0, limit.total, 1)
            if pages is not None and limit.pages is not None:
                whole = replace(whole, total=round(_FINE * pages), allowed=_FINE * limit.pages)
            self.budget_bar.show_head(Head("Whole rebuttal", whole, limit.unit, told) if self.matrix.rows else None)
            return
        heads = [line for line in self.matrix_model.lines if isinstance(line, Head)]
        own = [head for head in heads if found is not None and head.reviewer == found[0].reviewer]
        self.budget_bar.show_head(next(iter(own), next(iter(heads), None)))

    # --- pages ----------------------------------------------------------------------------------------------------

    def filled_pages(self) -> float | None:
        """How many pages the rebuttal fills, reckoned from the last layout while one types; None before the first."""
        if self._laid is None or self.desk.limit.pages is None:
            return None
        of, pages, length = self._laid
        return pages if of == self._made else pages * self._written_in_all / max(1, length)

    def _told_pages(self) -> str:
        pages, allowed = self.filled_pages(), self.desk.limit.pages
        if pages is None or self._laid is None:
            return ""
        about = "" if self._laid[0] == self._made else "about "
        return f"{about}{pages:.2f} of {allowed} page{'' if allowed == 1 else 's'}"

    def _lay_out(self) -> None:
        """Has the rebuttal laid out on the venue's page, off the window's thread."""
        limit, made, quoting, length = self.desk.limit, self._made, self.desk.plan.quoting, self._written_in_all
        service = self.context.bridge.documents
        if limit.pages is not None and limit.page and (self._laid is None or self._laid[0] != made):
            page = limit.page
            self.fetcher.fetch("layout", lambda: (made, filled(lay_out(made, page, quoting, service)), length))

    def _word(self, point: Point) -> Word:
        return Word(point, count(said(point.text).strip(), self.desk.limit.unit))

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
        self.outcome_button.setVisible(self.row is not None)
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
        self.notes.show_notes(notes_of(tone, checked, flags, preview(_blanked(text)).troubles))
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
        length = count(said(text).strip(), unit)
        allotted = line.allotted if line is not None else None
        if allotted is None:
            self._length.setText(f"{length:,} {unit_name(unit, length)}" if self.found else "")
            self.editor.show_beyond(None)
            return
        left = allotted - length
        over = f"{-left:,} too many" if left < 0 else f"{left:,} left"
        self._length.setText(f"{length:,} of {allotted:,}  ·  {over}")
        self.editor.show_beyond(fits(text, allotted, unit) if left < 0 and not notes_in(text) else None)


def _blanked(text: str) -> str:
    """A text with blanks in the place of its notes, so that places in it stay."""
    for span in notes_in(text):
        text = f"{text[: span.start]}{' ' * (span.end - span.start)}{text[span.end :]}"
    return text


def _with_point(section: Section, point: Point) -> Section:
    """The section with a point in the place of the one that it is another state of."""
    if point.kind == "opening":
        return replace(section, opening=point)
    if point.kind == "closing":
        return replace(section, closing=point)
    rows = tuple(replace(r, point=point) if r.comment.id == point.comment_id else r for r in section.rows)
    return replace(section, rows=rows)
