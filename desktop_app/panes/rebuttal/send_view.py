"""The rebuttal as reviewers will see it, and a check for missing parts and text that reveals the authors."""

import html
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.entry_list import TwoLineList, TwoLines
from desktop_app.widgets.fields import ChoiceBox, CommittingLineEdit
from desktop_app.widgets.labels import HtmlPage, plain_text, text_label
from desktop_app.widgets.layouts import (
    Flow,
    column,
    command_buttons,
    follow_width,
    form_rows,
    row,
    splitter,
    surface,
    tall_enough,
)  # fmt: skip
from desktop_app.widgets.record_list import ROW
from engine.exchange.rebuttal_forms import INFO, Form
from engine.rebuttal.letter import Post
from engine.rebuttal.readiness import Finding
from engine.reviews.formulas import FormulaPicture
from engine.reviews.preview import Preview, preview
from engine.shown import counted

_ICONS = {"fix": "x-circle", "look": "warning"}


class SendView(QWidget):
    """Findings, the format, the text, and buttons to export or copy it. Emits ``place_wanted`` with a point's key."""

    place_wanted = Signal(str)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Check and send")
        self.list = TwoLineList("Issues before sending", _row, self)
        self.list.set_message("Nothing is missing, and nothing was found that reveals the authors.")
        self.list.activated_row.connect(lambda index: self._go(index.data(ROW)))
        self._title = text_label("", "section", parent=self)
        self.names = CommittingLineEdit("rebuttal.names", "Names and affiliations that must not appear", self)
        self.names.setPlaceholderText("Ada Example; Ben Example; University of Exampleton")
        self.form = ChoiceBox("Format", [(info.title, form) for form, info in INFO.items()], letters=12, parent=self)
        for at, info in enumerate(INFO.values()):
            self.form.setItemData(at, info.help, Qt.ItemDataRole.ToolTipRole)
        self.words = plain_text("Text to send", self)
        words = {
            "write_file": "Export…", "copy": "Copy", "write_matrix": "Matrix (CSV)…", "take_names": "From the PDFs",
        }  # fmt: skip
        buttons = command_buttons(registry, "rebuttal", words, self, primary="write_file")
        form = form_rows(("Must not appear", row((self.names, 1), buttons["take_names"])), ("Format", self.form))
        top, bottom = QWidget(self), QWidget(self)
        column(self._title, (self.list, 1), margins=(16, 10, 16, 6), spacing=6, of=top)
        self._buttons = [buttons[name] for name in ("write_file", "copy", "write_matrix")]
        self._acts = Flow(*self._buttons)
        column(form, (self.words, 1), self._acts, margins=(16, 8, 16, 10), spacing=8, of=bottom)
        tall_enough(bottom)
        follow_width(self, self._fit)
        column(splitter((top, 280, 0), (bottom, 420, 0), vertical=True, parent=self), of=self)

    def _fit(self) -> None:
        """Fits the buttons on one line, without keys if these don't fit."""
        for keys in (True, False):
            if keys or self._acts.sizeHint().width() + 32 > self.width():
                for button in self._buttons:
                    button.show_key(keys)

    @property
    def chosen(self) -> Form:
        found: Form = self.form.currentData()
        return found

    def prefer(self, *, pages: bool) -> None:
        """Selects pages for a page limit and posts for other limits, unless the user chose another format."""
        wanted = "page" if pages else "posts"
        if self.chosen in ("page", "posts") and self.chosen != wanted:
            self.form.setCurrentIndex(self.form.findData(wanted))

    def show_findings(self, findings: Sequence[Finding]) -> None:
        if tuple(findings) != self.list.records or not self._title.text():
            grave = sum(one.weight == "fix" for one in findings)
            some = sum(one.weight == "look" for one in findings)
            parts = [f"{counted(grave, 'issue')} to fix" if grave else "", f"{some} to check" if some else ""]
            self._title.setText(" · ".join(part for part in parts if part) or "Ready to send")
            self.list.show_rows(findings)

    def _go(self, found: Finding) -> None:
        key = found.comment_id or (f"{found.kind}:{found.reviewer}" if found.kind else "")
        if key:
            self.place_wanted.emit(key)


def _row(one: Finding) -> TwoLines:
    words = one.words
    return TwoLines(_ICONS[one.weight], words, one.detail, f"{words}. {one.detail}", f"{words}\n{one.detail}")


_SCALE = 2
"""Formulas are rendered at twice their size, for high-resolution screens."""


class PreviewView(QWidget):
    """Preview of posts. Emits ``wanted`` with formulas to render; ``show_drawn`` receives the images."""

    wanted = Signal(tuple, float)
    """The formulas in LaTeX, and their font size in points."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "surface")
        self._summary = text_label("", "small", wrap=True, parent=self)
        self._summary.setContentsMargins(16, 8, 16, 4)
        self.page = HtmlPage("Preview", self, padding="8px 16px", reading=15)
        column(self._summary, (self.page, 1), of=self)
        self._head = ""
        self._posts: tuple[Post, ...] = ()
        self._previews: tuple[Preview, ...] = ()
        self._pictures: dict[tuple[str, float], FormulaPicture] = {}
        theme().follow(self._write, now=False)

    def show_posts(self, posts: Sequence[Post], summary: str) -> None:
        """Shows the posts to one reviewer; ``summary`` describes their length."""
        self._head = summary
        if tuple(posts) != self._posts:
            self._posts = tuple(posts)
            self._previews = tuple(preview(post.text) for post in posts)
        self._write()

    def show_drawn(self, drawn: Mapping[tuple[str, float], FormulaPicture]) -> None:
        self._pictures |= dict(drawn)
        self._write(ask=False)

    def _write(self, *, ask: bool = True) -> None:
        tokens, size = theme().tokens, theme().px(15) * 0.75 * _SCALE  # points
        missing = []
        undrawn = 0
        parts = []
        self.page.images.clear()
        for number, (post, made) in enumerate(zip(self._posts, self._previews, strict=True)):
            if post.of > 1:
                parts.append(
                    f"<p style='color:{tokens.muted}; font-size:{theme().px(11)}px'>Post {post.number} of {post.of}</p>"
                )
            body = made.html
            for at, formula in enumerate(made.formulas):
                picture = self._pictures.get((formula.tex, size))
                name = f"formula:{number}-{at}"
                if picture is None:
                    missing.append(formula.tex)
                undrawn += picture is not None and not picture.width
                if picture is None or not picture.width:
                    body = _without_picture(body, at, formula.tex)
                    continue
                self.page.images[name] = _image(picture, tokens.ink)
                wide, high = round(picture.width / _SCALE), round(picture.height / _SCALE)
                body = body.replace(
                    f'<img src="formula:{at}"',
                    f'<img style="vertical-align:middle" width="{wide}" height="{high}" src="{name}"',
                    1,
                )
            parts.append(body.replace("<blockquote>", f"<blockquote style='color:{tokens.muted}'>"))
        many = counted(undrawn, "formula")
        self._summary.setText(f"{self._head} · {many} couldn't be rendered here" if undrawn else self._head)
        empty = f"<p style='color:{tokens.muted}'>Nothing has been written to this reviewer yet.</p>"
        place = self.page.verticalScrollBar().value()
        self.page.setHtml("<hr>".join(parts) or empty)
        self.page.verticalScrollBar().setValue(place)
        if ask and missing:
            self.wanted.emit(tuple(dict.fromkeys(missing)), size)


def _without_picture(body: str, at: int, tex: str) -> str:
    start = body.index(f'<img src="formula:{at}"')
    end = body.index(">", start) + 1
    return f"{body[:start]}<code>{html.escape(tex)}</code>{body[end:]}"


def _image(picture: FormulaPicture, ink: str) -> QImage:
    alpha = QImage(picture.ink, picture.width, picture.height, picture.width, QImage.Format.Format_Alpha8)
    made = QImage(picture.width, picture.height, QImage.Format.Format_ARGB32_Premultiplied)
    made.fill(QColor(ink))
    made.setAlphaChannel(alpha)
    made.setDevicePixelRatio(1.0)
    return made
