"""What a reviewer will see: Markdown and formulas as OpenReview renders them, post by post."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget

from desktop_app.theme import theme
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import column
from desktop_app.widgets.plain import HtmlPage
from engine.rebuttal.letter import Post
from engine.reviews.formulas import FormulaPicture
from engine.reviews.preview import Preview, preview
from engine.shown import counted

_SCALE = 2
"""Formulas are drawn twice as large as they are shown, for fine screens."""


class PreviewView(QWidget):
    """Formulas that are ``wanted`` are drawn by others and come back by ``show_drawn``."""

    wanted = Signal(tuple, float)
    """The LaTeX of formulas, and their font size in points."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "surface")
        self._summary = text_label("", "small", wrap=True, parent=self)
        self._summary.setContentsMargins(16, 8, 16, 4)
        self.page = HtmlPage("Preview", self, padding="8px 16px")
        column(self._summary, (self.page, 1), of=self)
        self._head = ""
        self._posts: tuple[Post, ...] = ()
        self._previews: tuple[Preview, ...] = ()
        self._pictures: dict[tuple[str, float], FormulaPicture] = {}
        theme().changed.connect(self._write)

    def show_posts(self, posts: Sequence[Post], summary: str) -> None:
        """The posts to one reviewer; ``summary`` says how long they are."""
        self._head = summary
        if tuple(posts) != self._posts:
            self._posts = tuple(posts)
            self._previews = tuple(preview(post.text) for post in posts)
        self._write()

    def show_drawn(self, drawn: Mapping[tuple[str, float], FormulaPicture]) -> None:
        """Pictures of formulas, by LaTeX and size."""
        self._pictures |= dict(drawn)
        self._write(ask=False)

    @property
    def size_in_points(self) -> float:
        """How large formulas are drawn."""
        return theme().px(15) * 0.75 * _SCALE

    def _write(self, *, ask: bool = True) -> None:
        tokens, size = theme().tokens, self.size_in_points
        self.page.document().setDefaultFont(theme().reading_font(15))
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
