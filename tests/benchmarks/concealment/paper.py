"""The generated host documents: short papers with visible prose, and places where text can be added.

Coordinates are those of the page as displayed: points, with the origin in the lower left corner of the visible page.
Rotation and a crop box smaller than the media box are added when the file is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from tests.benchmarks.concealment import wording
from tests.benchmarks.concealment.faces import Face, any_face, standard_face
from tests.benchmarks.concealment.writer import Writer, number, numbers


class Box(NamedTuple):
    """A rectangle, in points."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    def grown(self, by: float) -> Box:
        return Box(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)

    def path(self) -> str:
        """Returns the operands and operator that append this rectangle to the path."""
        return f"{numbers(self.x0, self.y0, self.width, self.height)} re"

    def array(self) -> str:
        return f"[{numbers(*self)}]"


class Line(NamedTuple):
    """A line of text: the start of its baseline, its size in points and its words."""

    x: float
    y: float
    size: float
    text: str


@dataclass
class Page:
    """One page: its content in painting order, and its free places."""

    width: float
    height: float
    blocks: list[str] = field(default_factory=list)
    lines: list[tuple[Line, str]] = field(default_factory=list)
    free: list[Box] = field(default_factory=list)
    entries: dict[str, str] = field(default_factory=dict)
    annotations: list[int] = field(default_factory=list)
    rotation: int = 0
    bleed: tuple[float, float, float, float] = (0, 0, 0, 0)
    ref: int = 0
    contents: int = 0

    @property
    def bounds(self) -> Box:
        return Box(0, 0, self.width, self.height)

    def insert(self, rng: Random, ops: str, where: str = "any") -> None:
        """Adds operators at the ``start``, the ``end`` or a random place of the painting order."""
        place = {"start": 0, "end": len(self.blocks)}.get(where)
        if place is None:
            place = rng.choice((0, len(self.blocks), rng.randint(0, len(self.blocks))))
        self.blocks.insert(place, ops)

    def replace(self, line: Line, ops: str) -> None:
        """Paints these operators instead of a line of visible prose."""
        old = next(drawn for known, drawn in self.lines if known is line)
        self.blocks[self.blocks.index(old)] = ops

    def matrix(self) -> tuple[float, float, float, float, float, float]:
        """Returns the matrix from displayed coordinates to those of the file."""
        left, bottom, right, top = self.bleed
        return {
            0: (1, 0, 0, 1, left, bottom),
            90: (0, 1, -1, 0, self.height + top, left),
            180: (-1, 0, 0, -1, self.width + right, self.height + top),
            270: (0, -1, 1, 0, bottom, self.width + right),
        }[self.rotation]

    def in_file(self, box: Box) -> Box:
        """Converts a rectangle to the coordinates of the file, for annotations."""
        a, b, c, d, e, f = self.matrix()
        xs = sorted((a * box.x0 + c * box.y0 + e, a * box.x1 + c * box.y1 + e))
        ys = sorted((b * box.x0 + d * box.y0 + f, b * box.x1 + d * box.y1 + f))
        return Box(xs[0], ys[0], xs[1], ys[1])


class Paper:
    """A document under construction; all pages share its resources."""

    def __init__(self) -> None:
        self.pdf = Writer()
        self.pages: list[Page] = []
        self.catalog: dict[str, str] = {}
        self.info: dict[str, str] = {}
        self.root = self.pdf.reserve()
        self._resources: dict[str, dict[str, str]] = {}
        self._resources_ref = self.pdf.reserve()
        self._tree = self.pdf.reserve()

    def resource(self, category: str, value: str | int) -> str:
        """Adds a value or object and returns its name in content streams."""
        known = self._resources.setdefault(category, {})
        name = f"/{category[0]}{category[1]}{len(known) + 1}"
        known[name] = f"{value} 0 R" if isinstance(value, int) else value
        return name

    def font(self, face: Face) -> str:
        return self.resource("Font", face.ref)

    def form(self, ops: str, box: Box, entries: str = "") -> int:
        """Adds a form XObject with the resources of the paper and returns its number."""
        resources = f"/Resources {self._resources_ref} 0 R"
        return self.pdf.stream(ops, f"/Type /XObject /Subtype /Form /BBox {box.array()} {resources} {entries}")

    def painted_form(self, ops: str, box: Box, entries: str = "") -> str:
        """Adds such a form and returns its name."""
        return self.resource("XObject", self.form(ops, box, entries))

    def finish(self) -> bytes:
        """Returns the file. May be called once."""
        for page in self.pages:
            page.ref = page.ref or self.pdf.reserve()
        for page in self.pages:
            content = "\n".join(page.blocks)
            matrix = page.matrix()
            if matrix != (1, 0, 0, 1, 0, 0):
                content = f"q {numbers(*matrix)} cm\n{content}\nQ"
            page.contents = self.pdf.stream(content)
            media = page.in_file(
                Box(-page.bleed[0], -page.bleed[1], page.width + page.bleed[2], page.height + page.bleed[3])
            )
            entries = {"MediaBox": media.array(), "Contents": f"{page.contents} 0 R"}
            if any(page.bleed):
                entries["CropBox"] = page.in_file(page.bounds).array()
            if page.rotation:
                entries["Rotate"] = str(page.rotation)
            if page.annotations:
                entries["Annots"] = "[" + " ".join(f"{ref} 0 R" for ref in page.annotations) + "]"
            self.pdf.put(
                page.ref,
                f"<</Type /Page /Parent {self._tree} 0 R /Resources {self._resources_ref} 0 R"
                f" {_entries(entries | page.entries)}>>",
            )
        kids = " ".join(f"{page.ref} 0 R" for page in self.pages)
        self.pdf.put(self._tree, f"<</Type /Pages /Count {len(self.pages)} /Kids [{kids}]>>")
        self.pdf.put(
            self._resources_ref,
            "<<" + " ".join(f"/{name} <<{_names(known)}>>" for name, known in self._resources.items()) + ">>",
        )
        self.pdf.put(self.root, f"<</Type /Catalog /Pages {self._tree} 0 R {_entries(self.catalog)}>>")
        info = self.pdf.add(f"<<{_entries(self.info)}>>") if self.info else None
        return self.pdf.finish(self.root, info)


def _entries(entries: dict[str, str]) -> str:
    return " ".join(f"/{key} {value}" for key, value in entries.items())


def _names(entries: dict[str, str]) -> str:
    return " ".join(f"{key} {value}" for key, value in entries.items())


def wrapped(text: str, face: Face, size: float, width: float) -> list[str]:
    """Splits the text into lines of at most ``width`` points; a longer word gets its own line."""
    lines, line = [], ""
    for word in text.split():
        if line and face.width(f"{line} {word}") * size > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line] if line else lines


def fitted(text: str, face: Face, size: float, box: Box) -> list[Line]:
    """Sets the text into the box from its top, at ``size`` or smaller if it needs to fit."""
    while True:
        lines, leading = wrapped(text, face, size, box.width), 1.2 * size
        if len(lines) * leading <= box.height or size < 2:
            return [Line(box.x0, box.y1 - size - row * leading, size, line) for row, line in enumerate(lines)]
        size *= 0.92


STYLES = ("lines", "matrix", "kerned", "next", "words")


def shown(name: str, face: Face, lines: Sequence[Line], style: str, state: str = "") -> str:
    """Returns a text object for these lines; ``style`` selects the operators that show text."""
    ops = ["BT", state]
    if not lines:
        return ""
    x = y = 0.0
    size = lines[0].size
    ops.append(f"{name} {number(size)} Tf")
    for row, line in enumerate(lines):
        if style == "matrix":
            ops.append(f"1 0 0 1 {numbers(line.x, line.y)} Tm {face.encode(line.text)} Tj")
            continue
        if style == "next" and row:
            ops.append(f"{face.encode(line.text)} '")
            continue
        ops.append(f"{numbers(line.x - x, line.y - y)} Td")
        x, y = line.x, line.y
        if style == "kerned":
            parts = (face.encode(word + " ") for word in line.text.split(" "))
            ops.append("[" + " -20 ".join(parts) + "] TJ")
        elif style == "next":
            ops.append(f"{number(1.2 * size)} TL {face.encode(line.text)} Tj")
        elif style == "words":
            for word in line.text.split(" "):
                ops.append(f"{face.encode(word)} Tj {numbers(face.width(word + ' ') * size, 0)} Td")
                x += face.width(word + " ") * size
        else:
            ops.append(f"{face.encode(line.text)} Tj")
    return " ".join([*ops, "ET"])


def host(
    rng: Random,
    *,
    pages: int | None = None,
    upright: bool = False,
    bleed: tuple[float, float, float, float] | None = None,
    faces: tuple[Face, Face] | None = None,
    pdf: Paper | None = None,
) -> Paper:
    """Returns a paper of one to four pages in one or two columns; some are rotated or cropped unless ``upright``."""
    paper = pdf or Paper()
    width, height = rng.choice(((595, 842), (612, 792)))
    columns, size = rng.choice((1, 2)), rng.choice((9, 9.5, 10, 10.5, 11))
    body = faces[0] if faces else any_face(paper.pdf, rng)
    bold = faces[1] if faces else standard_face(paper.pdf, rng.choice(("Helvetica-Bold", "Times-Bold")))
    rotation = 0 if upright else rng.choice((0, 0, 0, 0, 0, 90, 180, 270))
    if bleed is None:
        bleed = (0, 0, 0, 0) if upright or rng.random() < 0.75 else tuple(rng.randint(8, 40) for _ in range(4))
    _Typesetter(paper, rng, Box(0, 0, width, height), columns, size, body, bold).set(
        pages or rng.choice((1, 1, 2, 2, 3, 4))
    )
    for page in paper.pages:
        page.rotation, page.bleed = rotation, bleed
    return paper


class _Typesetter:
    """Sets paragraphs in columns and records the free places."""

    def __init__(
        self, paper: Paper, rng: Random, sheet: Box, columns: int, size: float, body: Face, bold: Face
    ) -> None:
        self.paper, self.rng, self.sheet, self.size, self.body, self.bold = paper, rng, sheet, size, body, bold
        self.body_name, self.bold_name = paper.font(body), paper.font(bold)
        self.margin = rng.choice((60, 68, 72))
        gutter = 18
        self.column_width = (sheet.width - 2 * self.margin - gutter * (columns - 1)) / columns
        self.lefts = [self.margin + column * (self.column_width + gutter) for column in range(columns)]
        self.floor = self.margin + 4

    def set(self, pages: int) -> None:
        rng, first = self.rng, True
        heading = 0
        for number_of_page in range(1, pages + 1):
            page = Page(self.sheet.width, self.sheet.height)
            self.paper.pages.append(page)
            top = self.sheet.y1 - self.margin
            page.free += [
                Box(self.margin, 14, self.sheet.x1 / 2 - 20, self.margin - 12),
                Box(self.sheet.x1 / 2 + 20, 14, self.sheet.x1 - self.margin, self.margin - 12),
                Box(self.margin, top + 12, self.sheet.x1 - self.margin, self.sheet.y1 - 16),
            ]
            self._line(page, self.sheet.x1 / 2 - 3, 0.6 * self.margin, 9, str(number_of_page), self.body)
            if first:
                top = self._front(page, top)
            first = False
            gap_column, gap_row = rng.randrange(len(self.lefts)), rng.randint(1, 2)
            for column, left in enumerate(self.lefts):
                y, row = top, 0
                # The last column of the last page is partly empty, as in most papers.
                floor = self.floor
                if number_of_page == pages and column == len(self.lefts) - 1:
                    floor += rng.choice((0, 90, 200))
                while y > floor + 60:
                    if row % 3 == 0:
                        text = f"{heading + 1} {wording.HEADINGS[heading % len(wording.HEADINGS)]}"
                        y = self._line(page, left, y - 1.6 * self.size, self.size + 1, text, self.bold) - 4
                        heading += 1
                    y = self._paragraph(page, left, y, floor)
                    if column == gap_column and row == gap_row and y > floor + 150:
                        gap = Box(left, y - 74, left + self.column_width, y - 4)
                        page.free.append(gap)
                        y = gap.y0 - 4
                    row += 1
                if y > self.floor + 60:
                    page.free.append(Box(left, self.floor, left + self.column_width, y - 8))

    def _front(self, page: Page, top: float) -> float:
        rng, y = self.rng, top
        for text in wrapped(wording.title(rng), self.bold, 16, self.sheet.width - 2 * self.margin):
            y = self._line(page, self.margin, y - 19, 16, text, self.bold)
        y = self._line(page, self.margin, y - 20, 10, ", ".join(rng.sample(wording.AUTHORS, 3)), self.body)
        y = self._line(page, self.margin, y - 26, 10, "Abstract", self.bold) - 2
        for text in wrapped(
            wording.visible_paragraph(rng), self.body, self.size - 0.5, self.sheet.width - 2 * self.margin
        ):
            y = self._line(page, self.margin, y - 1.2 * self.size, self.size - 0.5, text, self.body)
        return y - 12

    def _paragraph(self, page: Page, left: float, y: float, floor: float) -> float:
        for text in wrapped(wording.visible_paragraph(self.rng), self.body, self.size, self.column_width):
            if y - 1.2 * self.size < floor:
                break
            y = self._line(page, left, y - 1.2 * self.size, self.size, text, self.body)
        return y - 0.5 * self.size

    def _line(self, page: Page, x: float, y: float, size: float, text: str, face: Face) -> float:
        line = Line(x, y, size, text)
        name = self.bold_name if face is self.bold else self.body_name
        ops = shown(name, face, [line], "lines")
        page.blocks.append(ops)
        page.lines.append((line, ops))
        return y
