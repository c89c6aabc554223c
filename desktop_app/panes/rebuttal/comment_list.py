"""The left column: grouping and views, the comments under headings, and the current comment with its edits."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.rebuttal.choices import GROUPINGS, Grouping
from desktop_app.panes.rebuttal.lists import Entry, Group
from desktop_app.theme import theme
from desktop_app.widgets.chips import chips_of
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.label_chips import chip_html, draw_chips
from desktop_app.widgets.labels import HtmlPage
from desktop_app.widgets.layouts import command_buttons, follow_width, row, tabs
from desktop_app.widgets.record_list import LEFT, RIGHT, RecordList, draw_lines, draw_text
from desktop_app.widgets.tracked import edit_html
from engine.rebuttal.records import Plan
from engine.reviews.labels.records import SentenceLabels
from engine.reviews.limits import presets
from engine.reviews.records import DOUBTS, Comment
from engine.reviews.spans import sentence, unmarked
from engine.revision.records import Edit
from engine.shown import counted

_LINES = 3


class CommentList(RecordList):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Review comments", _paint, _height, _spoken, key=_key,
            shape=lambda row: isinstance(row, Entry) and bool(row.chips), heading=lambda row: isinstance(row, Group),
            parent=parent,
        )  # fmt: skip

    def show_groups(self, groups: Sequence[Group], current: str) -> None:
        """Shows groups of comments; ``current`` is the id of the comment to select."""
        rows: list[Group | Entry] = []
        for group in groups:
            rows += [group, *group.entries]
        self.show_records(rows)
        self.set_message("No comments found.")
        self.select(current)

    def keys(self) -> list[str]:
        return [row.comment.id for row in self.records if isinstance(row, Entry)]


def _key(row: Group | Entry) -> str:
    return f"head {row.title}" if isinstance(row, Group) else row.comment.id


def _spoken(row: Group | Entry) -> str:
    if isinstance(row, Group):
        return row.title
    doubt = f", {DOUBTS[row.doubt]}" if row.doubt else ""
    state = f"not answered{doubt}" if row.label else "needs no response"
    if row.answered != "empty":
        state = "answered" if row.answered == "good" else "response started"
    chips = ", ".join(chip.spoken for chip in row.chips)
    edits = counted(row.edits, "linked edit")
    return f"{row.label} {state}, {edits}. {chips}. {unmarked(row.comment.comment)}"


def _height(row: Group | Entry) -> int:
    return theme().px(30 if isinstance(row, Group) else 32 + _LINES * 17 + (24 if row.chips else 0))


def _paint(painter: QPainter, rect: QRect, row: Group | Entry, _selected: bool) -> None:
    if isinstance(row, Group):
        _paint_group(painter, rect, row)
    else:
        _paint_entry(painter, rect.adjusted(14, 6, -12, -6), row)


def _paint_entry(painter: QPainter, inner: QRect, entry: Entry) -> None:
    t = theme()
    ink, font = t.tokens.ink if entry.label else t.tokens.muted, t.font("small", bold=True, tabular=True)
    top = QRect(inner.left(), inner.top(), inner.width(), QFontMetrics(font).height() + 4)
    draw_text(painter, top, LEFT, entry.label or "needs no response", font, ink)
    words, state_ink = _state(entry)
    draw_text(painter, top, RIGHT, words, t.font("small"), state_ink)
    painter.setPen(QColor(ink))
    text = " ".join(unmarked(entry.comment.comment).split())
    box = QRect(inner.left(), top.bottom() + 1, inner.width(), 0)
    height = draw_lines(painter, box, text, t.reading_font(13), _LINES)
    draw_chips(painter, entry.chips, inner.left(), top.bottom() + 5 + height, inner.width())


def _state(entry: Entry) -> tuple[str, str]:
    tokens = theme().tokens
    edits = f"{counted(entry.edits, 'edit')} · " if entry.edits else ""
    if entry.answered == "attention":
        return f"{edits}◐ started", tokens.data["attention"].ink
    if entry.answered == "good":
        return f"{edits}● answered", tokens.data["verified"].ink
    if entry.doubt:
        doubt = "criticism" if entry.doubt == "criticism" else "doubtful request"
        return f"{edits}? {doubt}", tokens.data["attention"].ink
    if entry.label:
        return f"{edits}○ open", tokens.data["attention"].ink
    return edits.rstrip(" ·"), tokens.muted


def _paint_group(painter: QPainter, rect: QRect, group: Group) -> None:
    t = theme()
    painter.fillRect(rect, t.colour("ground"))
    box, needed = rect.adjusted(14, 0, -12, 0), [entry for entry in group.entries if entry.label]
    draw_text(painter, box, LEFT, group.title, t.font("small", bold=True), t.tokens.muted)
    words = f"{sum(entry.answered == 'good' for entry in needed)} of {len(needed)} answered"
    draw_text(painter, box, RIGHT, words, t.font("small", tabular=True), t.tokens.muted)


_VIEWS = (("write", "Write"), ("preview", "Preview"), ("send", "Send"))


def _preset_entries() -> list[tuple[str, str]]:
    return [(limit.title, limit.id) for limit in presets()]


class HeadBar(QWidget):
    """Boxes ``grouping`` and ``limit``, and the views as ``tabs``. Uses two rows if one is too narrow."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.grouping = ChoiceBox("Group comments", GROUPINGS, letters=0, parent=self)
        self.limit = ChoiceBox("Venue limit", _preset_entries(), letters=0, parent=self)
        buttons = command_buttons(registry, "rebuttal", {"suggest_labels": "Suggest labels", "limits": "Limits"}, self)
        self.tabs = tabs("Views of the rebuttal", [words for _name, words in _VIEWS], self)
        self._left = row(self.grouping, buttons["suggest_labels"], None, self.tabs)
        self._rows = row(self._left, None, row(None, self.limit, buttons["limits"]), margins=(12, 4, 8, 4), of=self)
        registry.changed.connect(self._fold)
        follow_width(self, self._fold)

    @property
    def view(self) -> int:
        return self.tabs.currentIndex()

    def show_choices(self, grouping: Grouping, plan: Plan, note: str) -> None:
        """``note`` is the source of the preset's figures. A preset with changed values isn't shown as the preset."""
        self.grouping.show_value(grouping)
        own = [("Own limits", "")] if plan.own_limits else []
        self.limit.show_entries([*own, *_preset_entries()], "" if own else plan.preset)
        self.limit.setToolTip(f"Venue limit. {note}")

    def _fold(self) -> None:
        self._name_views(keys=True)
        self._rows.setDirection(QBoxLayout.Direction.LeftToRight)
        if self._rows.sizeHint().width() > self.width():
            self._rows.setDirection(QBoxLayout.Direction.TopToBottom)
            self._name_views(keys=False)

    def _name_views(self, *, keys: bool) -> None:
        for at, (name, words) in enumerate(_VIEWS):
            key = self._registry.native_shortcut(f"rebuttal.{name}")
            self.tabs.setTabText(at, f"{words}   {key}" if key and keys else words)
            self.tabs.setTabToolTip(at, self._registry.tooltip(f"rebuttal.{name}"))
        self._left.invalidate()  # its size hint is read next


_CONTEXT = 90


@dataclass(frozen=True, slots=True)
class Shown:
    """``text`` is the whole review, ``at`` the index of the current sentence; ``revised`` says whether there is a
    revised paper, ``key`` is the shortcut for linking the suggested edit."""

    comment: Comment
    text: str
    sentences: tuple[SentenceLabels, ...]
    at: int
    edits: tuple[Edit, ...]
    suggested: tuple[Edit, ...]
    revised: bool
    key: str


class CommentReader(HtmlPage):
    """Text that can be selected and copied; its only link links the first suggested edit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Comment and its edits", parent, padding="4px 8px", reading=13)
        self._shown: Shown | None = None
        theme().follow(self._write, now=False)

    def show_comment(self, shown: Shown | None) -> None:
        """Shows a comment; an update of the same comment keeps the scroll position. None clears the view."""
        before, self._shown = self._shown, shown
        if shown != before:
            same = shown is not None and before is not None and shown.comment.id == before.comment.id
            place = self.verticalScrollBar().value() if same else 0
            self._write()
            self.verticalScrollBar().setValue(place)

    @property
    def selected(self) -> str:
        return self.textCursor().selection().toPlainText().strip()

    def _write(self) -> None:
        shown = self._shown
        if shown is None:
            self.setHtml("")
            return
        tokens = theme().tokens
        small = f"font-size:{theme().px(11)}px; font-family:sans-serif"
        muted = f"style='color:{tokens.muted}; {small}'"
        parts = []
        for number, one in enumerate(shown.sentences):
            words = html.escape(sentence(shown.text, one.span))
            here = number == shown.at and len(shown.sentences) > 1
            ground = f" style='background-color:{tokens.accent_wash}'" if here else ""
            chips = " ".join(chip_html(chip) for chip in chips_of(one))
            chips = chips or (f"<span {muted}>no label</span>" if number == shown.at else "")
            parts.append(f"<p{ground}>{words}{'<br>' if chips else ''}{chips}</p>")
        if not parts:
            parts.append(f"<p>{html.escape(unmarked(shown.comment.comment))}</p>")

        def listed(heading: str, edits: tuple[Edit, ...], ink: str) -> None:
            parts.append(f"<p {muted}>{heading}</p>")
            for edit in edits:
                where = edit.section.rpartition(" > ")[2] or "no section"
                head = html.escape(f"{edit.label} · {WORDS[edit.sort]} · {where}")
                change = edit_html(edit, context=_CONTEXT)
                parts.append(f"<p><span style='color:{ink}; {small}'>{head}</span><br>{change}</p>")

        if shown.edits:
            listed("In the revised paper", shown.edits, tokens.data["linked"].ink)
        elif shown.revised and not shown.suggested:
            listed("No edit is linked to this comment.", (), "")
        if shown.suggested:
            words = html.escape(f"Link the first one ({shown.key})" if shown.key else "Link the first one")
            heading = "Also suggested:" if shown.edits else "No edit is linked yet. Suggested:"
            listed(
                f"{heading} <a href='link' style='color:{tokens.accent}'>{words}</a>",
                shown.suggested,
                tokens.data["suggested"].ink,
            )
        self.setHtml("".join(parts))
