"""A small typesetter for tests: papers of known paragraphs, set as the usual classes set them.

Words are placed one by one, justified, with line-end hyphenation, in one or two columns, with running heads, page
numbers, line numbers, footnotes, floats and displayed equations: what TeX does, as far as one can
tell from the page.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pymupdf


def _phrases(text: str) -> list[str]:
    return [" ".join(phrase.split()) for phrase in text.split("|")]


SUBJECTS = _phrases(
    "the model|our parser|this reader|the second annotator|each reviewer|the revised paper|a careful author"
)
VERBS = _phrases("compares|describes|rewrites|explains|confirms|measures|considers|improves|reconsiders|summarises")
OBJECTS = _phrases(
    """the alignment of paragraphs|several well-known measurements|an earlier interpretation|the remaining disagreements
    |its own assumptions|the experimental conditions|every difficult comparison|a representative selection
    |the reproducibility of results|all intermediate representations"""
)
TAILS = _phrases(
    """in the following section|with considerable attention|before the comparison begins|because it matters for readers
    |when the evidence is thin|as the reviewers had requested|although the difference is small
    |for both of the versions|without changing the conclusions|under the same conditions as before"""
)


def prose(rng: random.Random, sentences: int) -> str:
    """A paragraph of made-up sentences, each of them different."""
    made = []
    for _ in range(sentences):
        number = rng.randint(100, 9999)
        first, second = rng.choice(SUBJECTS), rng.choice(SUBJECTS)
        made.append(
            f"{first.capitalize()} {rng.choice(VERBS)} {rng.choice(OBJECTS)} {rng.choice(TAILS)}, and {second}"
            f" {rng.choice(VERBS)} {rng.choice(OBJECTS)} in {number} cases."
        )
    return " ".join(made)


@dataclass(frozen=True)
class Look:
    """How a kind of text is set: built-in font, size and leading in points."""

    font: str
    size: float
    leading: float


@cache
def _width(text: str, look: Look) -> float:
    return float(pymupdf.get_text_length(text, fontname=look.font, fontsize=look.size))


@dataclass
class Paper:
    """A document being set. ``known`` collects what a reader should find: type, text, section."""

    columns: int = 1
    width: float = 612
    height: float = 792
    margin: float = 72
    gutter: float = 18
    indent: float = 12
    skip: float = 0
    body: Look = field(default_factory=lambda: Look("tiro", 10, 12))
    justified: bool = True
    hyphenate: bool = True
    running_head: str = ""
    page_numbers: bool = True
    line_numbers: bool = False
    known: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._document = pymupdf.open()
        self.section: list[str] = []
        self._column = self.columns - 1
        self._counted = 0
        self._foot: list[str] = []
        self._page: Any = None
        self._text: Any = None
        self._top = self.margin
        self._y = 1e9
        self._bottom = self.height - self.margin
        self._fresh = True
        self._next_column()

    # --- pages and columns ---

    @property
    def document(self) -> Any:
        """The PDF, with everything that was set until now."""
        self._commit()
        return self._document

    @property
    def column_width(self) -> float:
        return (self.width - 2 * self.margin - (self.columns - 1) * self.gutter) / self.columns

    @property
    def left(self) -> float:
        return self.margin + self._column * (self.column_width + self.gutter)

    def _next_column(self) -> None:
        self._set_footnotes()
        self._column += 1
        if self._column >= self.columns:
            self._column = 0
            self._page = self.document.new_page(width=self.width, height=self.height)
            number = self.document.page_count
            self._top = self.margin
            if self.running_head:
                self._put(self.margin, self.margin - 24, self.running_head, Look("tiit", 9, 11))
            if self.page_numbers:
                self._put(self.width / 2 - 5, self.height - self.margin + 30, str(number), Look("tiro", 10, 12))
        self._y = self._top
        self._bottom = self.height - self.margin
        self._fresh = True

    def _put(self, x: float, y: float, text: str, look: Look) -> float:
        if self._text is None:
            self._text = self._page.new_shape()
        self._text.insert_text((x, y), text, fontname=look.font, fontsize=look.size)
        return x + _width(text, look)

    def _commit(self) -> None:
        """Puts words on their page, many at once: the library reads the whole page again each time."""
        if self._text is not None:
            self._text.commit()
            self._text = None

    def _line_number(self, y: float) -> None:
        self._counted += 1
        x = self.margin - 30 if self._column == 0 else self.width - self.margin + 14
        self._put(x, y, f"{self._counted:03}", Look("helv", 7, 9))

    # --- setting text ---

    def _break(self, text: str, look: Look, width: float, first_indent: float, rest_indent: float) -> list[list[str]]:
        lines: list[list[str]] = [[]]
        space = _width(" ", look)
        room = width - first_indent
        for word in text.split():
            length = _width(word, look)
            gap = space if lines[-1] else 0
            if length + gap <= room:
                lines[-1].append(word)
                room -= length + gap
                continue
            rest = word
            cut = word.find("-") + 1 or (5 if self.hyphenate and len(word) > 9 and word.isalpha() else 0)
            if 0 < cut < len(word):
                head = word[:cut] if word[cut - 1] == "-" else word[:cut] + "-"
                if _width(head, look) + gap <= room:
                    lines[-1].append(head)
                    rest = word[cut:]
            lines.append([rest])
            room = width - rest_indent - _width(rest, look)
        return lines

    def _set(
        self,
        text: str,
        look: Look,
        *,
        first_indent: float = 0,
        rest_indent: float = 0,
        justified: bool | None = None,
        width: float | None = None,
        x: float | None = None,
    ) -> None:
        justified = self.justified if justified is None else justified
        width = width or self.column_width
        lines = self._break(text, look, width, first_indent, rest_indent)
        for index, words in enumerate(lines):
            if self._y + look.leading > self._bottom - sum(10 for _ in self._foot):
                self._next_column()
            self._y += look.leading
            self._fresh = False
            indent = first_indent if index == 0 else rest_indent
            start = (x if x is not None else self.left) + indent
            lengths = [_width(w, look) for w in words]
            gap = _width(" ", look)
            if justified and index + 1 < len(lines) and len(words) > 1:
                gap = (width - indent - sum(lengths)) / (len(words) - 1)
            for word, length in zip(words, lengths, strict=True):
                self._put(start, self._y, word, look)
                start += length + gap
            if self.line_numbers:
                self._line_number(self._y)

    def _know(self, kind: str, text: str) -> None:
        number = f"K{len(self.known):03}"
        self.known.append({"id": number, "type": kind, "text": text, "section": " > ".join(self.section)})

    # --- what an author writes ---

    def title(self, text: str, authors: list[str]) -> None:
        """Title and authors over the full width, centred."""
        for line, look in [(text, Look("tibo", 16, 20)), *((a, Look("tiro", 11, 14)) for a in authors)]:
            length = _width(line, look)
            self._y += look.leading
            self._put((self.width - length) / 2, self._y, line, look)
        self._y += 14
        self._top = self._y

    def wide(self, text: str, kind: str = "paragraph", look: Look | None = None) -> None:
        """A paragraph over the full width, at the top of a page."""
        self._set(text, look or self.body, width=self.width - 2 * self.margin, x=self.margin)
        self._y += 10
        self._top = self._y
        self._know(kind, text)

    def heading(self, text: str, level: int = 1) -> None:
        """A heading: bold, 12 points at the first level, 10 below."""
        self.section = [*self.section[: level - 1], text]
        look = Look("tibo", 12 if level == 1 else self.body.size, 14)
        if self._y + 60 > self._bottom:
            self._next_column()
        if not self._fresh:
            self._y += 8
        self._set(text, look, justified=False)
        self._y += 4
        self._after_heading = True

    def paragraph(self, text: str, *, first: bool = False) -> None:
        """A body paragraph; ``first`` after a heading has no indent."""
        if not self._fresh:
            self._y += self.skip
        self._set(text, self.body, first_indent=0 if first else self.indent)
        self._know("paragraph", text)

    def split_paragraph(self, before: str, equation: str, after: str) -> None:
        """A paragraph with a displayed equation inside."""
        self._set(before, self.body, first_indent=self.indent)
        self.equation(equation)
        self._set(after, self.body)
        self._know("paragraph", f"{before} {after}")

    def equation(self, text: str, number: int = 1) -> None:
        """A displayed formula with its number at the right margin."""
        if self._y + 26 > self._bottom:
            self._next_column()
        self._y += 6
        length = pymupdf.get_text_length(text, fontname="tiit", fontsize=10)
        self._y += 12
        self._put(self.left + (self.column_width - length) / 2, self._y, text, Look("tiit", 10, 12))
        self._put(self.left + self.column_width - 14, self._y, f"({number})", self.body)
        self._y += 8

    def item(self, text: str, label: str = "\u2022") -> None:
        """An item of a list."""
        if not self._fresh:
            self._y += 3
        if self._y + self.body.leading > self._bottom:
            self._next_column()
        self._put(self.left + 10, self._y + self.body.leading, label, self.body)
        self._set(text, self.body, first_indent=22, rest_indent=22)
        self._know("list_item", text)

    def placed(self, cells: list[tuple[float, float, str]], height: float, size: float = 9) -> None:
        """Texts at their distances from the left and from here, in points, as a table or drawing has them."""
        for x, y, text in cells:
            self._put(self.left + x, self._y + y, text, Look(self.body.font, size, 12))
        self._y += height

    def caption(self, text: str, width: float | None = None) -> None:
        """A caption alone; what it belongs to is set with ``placed``."""
        self._y += 8
        self._set(text, Look(self.body.font, self.body.size - 1, self.body.leading - 1), width=width)
        self._y += 4

    def float(self, caption: str, *, height: float = 80, kind: str = "figure_caption") -> None:
        """A figure of which only axis labels are text, with a caption."""
        if self._y + height + 40 > self._bottom:
            self._next_column()
        self._y += 6
        for step in range(4):
            self._put(self.left + 20 + 40 * step, self._y + height - 8, f"{step * 10}%", Look("helv", 7, 8))
        self._commit()
        self._page.draw_rect(pymupdf.Rect(self.left, self._y, self.left + self.column_width, self._y + height))
        self._y += height + 4
        self._set(caption, Look(self.body.font, self.body.size - 1, self.body.leading - 1))
        self._y += 10
        self._know(kind, caption)

    def table(self, caption: str, rows: list[list[str]]) -> None:
        """A table with its caption above; a cell in ``**`` is set bold."""
        if self._y + 14 * len(rows) + 60 > self._bottom:
            self._next_column()
        self._y += 6
        self._set(caption, Look(self.body.font, self.body.size - 1, self.body.leading - 1))
        step = self.column_width / len(rows[0])
        for row in rows:
            self._y += 13
            for index, cell in enumerate(row):
                font = "tibo" if cell.startswith("**") else self.body.font
                self._put(self.left + index * step, self._y, cell.strip("*"), Look(font, self.body.size - 1, 12))
        self._y += 14
        self._know("table_caption", caption)
        self._know("table", " ".join(cell.strip("*") for row in rows for cell in row))

    def footnote(self, text: str) -> None:
        """A short footnote of this column."""
        self._foot.append(text)

    def reference(self, text: str) -> None:
        """An entry of the list of references, with a hanging indent."""
        self._y += 2
        self._set(text, Look(self.body.font, self.body.size - 1, self.body.leading - 1), rest_indent=12)
        self._know("reference", text)

    def _set_footnotes(self) -> None:
        y = self._bottom
        for number, text in enumerate(reversed(self._foot)):
            if number == len(self._foot) - 1:
                self._commit()
                self._page.draw_line((self.left, y - 11), (self.left + 60, y - 11))
            self._put(self.left, y - 4, str(len(self._foot) - number), Look("tiro", 5, 8))
            self._put(self.left + 5, y, text, Look("tiro", 8, 10))
            y -= 10
        self._foot = []

    def finish(self) -> bytes:
        """The PDF."""
        self._set_footnotes()
        data: bytes = self.document.tobytes(deflate=True)
        self.document.close()
        return data


def conference_paper(seed: int = 7, pages: float = 8, **options: Any) -> Paper:
    """A whole paper: title, authors, abstract, sections, floats, equations, footnotes, lists, references."""
    rng = random.Random(seed)
    paper = Paper(**options)
    paper.title(
        "A Reader of Pages That Was Tested on Itself", ["Ada Example and Ben Sample", "University of Somewhere"]
    )
    paper.heading("Abstract")
    paper.paragraph(prose(rng, 4), first=True)
    per_section = max(2, round(pages * 1.2))
    for number, name in enumerate(["Introduction", "Method", "Experiments", "Discussion"], start=1):
        paper.heading(f"{number} {name}")
        for index in range(per_section):
            paper.paragraph(prose(rng, rng.randint(2, 6)), first=index == 0)
            if index == 1:
                paper.footnote(f"See {rng.choice(OBJECTS)} {rng.choice(TAILS)}.")
            if index == 2:
                paper.float(f"Figure {number}: {prose(rng, 2)}")
            if index == 3 and number == 2:
                rest = prose(rng, 2)
                paper.split_paragraph(prose(rng, 2), "y = a + b x + e", f"where {rest[0].lower()}{rest[1:]}")
            if index == 3 and number == 3:
                rows = [["Name", "Pages", "Score"], *([f"row {i}", str(10 * i), f"0.{i}1"] for i in range(1, 6))]
                paper.table(f"Table 1: {prose(rng, 1)}", rows)
        paper.heading(f"{number}.1 A Closer Look", level=2)
        paper.paragraph(prose(rng, 4), first=True)
        for _ in range(3 if number == 1 else 0):
            paper.item(prose(rng, 2))
        paper.paragraph(prose(rng, 3))
    paper.heading("References")
    for index in range(12):
        paper.reference(f"Ada Example and Ben Sample. {2000 + index}. {prose(rng, 1)} Journal of Tests, 3(1):1-9.")
    return paper
