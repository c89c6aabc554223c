"""The common input of every kind of concealment: a host paper, words to conceal and a place for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.benchmarks.concealment import wording
from tests.benchmarks.concealment.faces import Face, any_face, standard_face
from tests.benchmarks.concealment.paper import STYLES, Box, Line, Page, Paper, fitted, host, shown
from tests.benchmarks.concealment.writer import number, numbers


@dataclass(frozen=True)
class Case:
    """A PDF, the words concealed in it, and how; ``why`` ends with the name of an extractor that yields the words."""

    pdf: bytes
    concealed: str
    why: str


@dataclass(frozen=True)
class Setting:
    """A paper, and words to conceal in a box on one of its pages."""

    paper: Paper
    page: Page
    box: Box
    text: str
    face: Face
    font: str
    lines: Sequence[Line]
    style: str

    def ops(self, state: str = "") -> str:
        """Returns the text object with the words; ``state`` contains operators for its text state."""
        return shown(self.font, self.face, self.lines, self.style, state)

    def ink(self) -> Box:
        """Returns the rectangle that the words cover."""
        right = max(line.x + self.face.width(line.text) * line.size for line in self.lines)
        size = self.lines[0].size
        return Box(self.lines[0].x, self.lines[-1].y - 0.3 * size, right, self.lines[0].y + size)

    def case(self, why: str, extractor: str = "get_text") -> Case:
        return Case(self.paper.finish(), self.text, f"{why}; yielded by {extractor}")


def setting(
    rng: Random,
    *,
    sizes: tuple[float, float] = (4, 11),
    longest: int = 60,
    tallest: float = 1000,
    paper: Paper | None = None,
) -> Setting:
    """Returns a setting with a secret in one of the free places of ``paper`` or of a new host."""
    paper = paper or host(rng)
    text = wording.secret(rng, longest)
    page = rng.choice(paper.pages)
    box = rng.choice(page.free)
    box = box._replace(y0=max(box.y0, box.y1 - tallest))
    face = any_face(paper.pdf, rng)
    lines = fitted(text, face, rng.uniform(*sizes), box)
    return Setting(paper, page, box, text, face, paper.font(face), lines, rng.choice(STYLES))


def over_prose(rng: Random, *, longest: int = 30) -> Setting:
    """Returns a setting with a secret set over visible prose instead of into free space."""
    paper = host(rng)
    text = wording.secret(rng, longest)
    page = rng.choice(paper.pages)
    first = rng.choice([line for line, _ in page.lines if line.size > 8 and len(line.text) > 20])
    box = Box(first.x, first.y - 40, first.x + 220, first.y + first.size)
    face = standard_face(paper.pdf, rng.choice(("Times-Roman", "Helvetica")))
    return Setting(paper, page, box, text, face, paper.font(face), fitted(text, face, 8, box), rng.choice(STYLES))


def gray_rgb(rng: Random, level: float, spread: float = 0) -> tuple[float, float, float]:
    """Returns a colour whose components are within ``spread`` of ``level``."""
    red, green, blue = (min(1.0, max(0.0, level + rng.uniform(-spread, spread))) for _ in range(3))
    return red, green, blue


def rgb(colour: Sequence[float], stroke: bool = False) -> str:
    """Returns the operator that sets this colour."""
    return f"{numbers(*colour)} {'RG' if stroke else 'rg'}"


def white(rng: Random) -> str:
    """Returns one of the ways to set the fill colour to white."""
    return rng.choice(("1 g", "1 1 1 rg", "0 0 0 0 k", "/DeviceRGB cs 1 1 1 sc", "/DeviceGray cs 1 scn"))


def rectangle(rng: Random, box: Box) -> str:
    """Returns one of the ways to fill a rectangle."""
    corners = ((box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1))
    around = " ".join(f"{numbers(*corner)} {'l' if row else 'm'}" for row, corner in enumerate(corners))
    middle = f"{numbers(box.x0, (box.y0 + box.y1) / 2)} m {numbers(box.x1, (box.y0 + box.y1) / 2)} l S"
    return rng.choice((f"{box.path()} f", f"{box.path()} f*", f"{around} h f", f"q {number(box.height)} w {middle} Q"))
