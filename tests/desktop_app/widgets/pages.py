"""Documents made up for tests of page views: a renderer that draws flat pages, and paragraphs set in two columns."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from engine.documents.records import Box, PageSize, Paragraph, Word
from engine.errors import EnvironmentProblem

WIDTH, HEIGHT = 600.0, 800.0
LINE, CHAR = 14.0, 6.0


@dataclass(frozen=True)
class Flat:
    width: int
    height: int
    stride: int
    samples: bytes


class FlatRenderer:
    """Grey pages; remembers what it was asked for; ``broken`` pages cannot be drawn; ``gate`` holds it back."""

    def __init__(self, broken: frozenset[int] = frozenset(), gate: threading.Event | None = None) -> None:
        self.broken, self.gate = broken, gate
        self.asked: list[tuple[int, float]] = []

    def render(self, sha: str, page: int, scale: float) -> Flat:
        self.asked.append((page, scale))
        if self.gate is not None:
            self.gate.wait(10)
        if page in self.broken:
            raise EnvironmentProblem(f"Page {page} can't be drawn.")
        width, height = round(WIDTH * scale), round(HEIGHT * scale)
        return Flat(width, height, width * 3, bytes([200]) * (width * height * 3))


def sizes(pages: int) -> tuple[PageSize, ...]:
    return tuple(PageSize(number, WIDTH, HEIGHT, 0) for number in range(1, pages + 1))


def paragraph(
    index: int, text: str, places: list[tuple[int, float, float, float]], prefix: str = "p", section: str = "1 Intro"
) -> Paragraph:
    """Sets ``text`` into ``places`` (page, left, top, width), one line after another, whole words only."""
    words: list[Word] = []
    boxes: list[Box] = []
    spots = iter(places)
    page, left, top, width = next(spots)
    x, y, used = left, top, [top]
    at = 0
    for word in text.split(" "):
        length = len(word) * CHAR
        if x + length > left + width:
            x, y = left, y + LINE
            following = next(spots, None) if len(used) >= 3 and len(places) > len(boxes) + 1 else None
            if following is not None:
                boxes.append(Box(page, left, top, left + width, used[-1] + 12))
                page, left, top, width = following
                x, y, used = left, top, []
            used.append(y)
        words.append(Word(at, at + len(word), Box(page, x, y, x + length, y + 12)))
        x += length + CHAR
        at += len(word) + 1
    boxes.append(Box(page, left, top, left + width, y + 12))
    return Paragraph(
        f"{prefix}{index}", index, section, "body", text, text, tuple(range(len(text) + 1)), words[0].box.page,
        tuple(boxes), tuple(words),
    )  # fmt: skip


def column_text(pages: int, prefix: str = "p", skip: frozenset[int] = frozenset()) -> tuple[Paragraph, ...]:
    """Four paragraphs a page, two in each column, numbered through; those in ``skip`` are left out."""
    found = []
    for index in range(pages * 4):
        if index in skip:
            continue
        page, slot = divmod(index, 4)
        left = 40.0 if slot < 2 else 320.0
        top = 60.0 if slot % 2 == 0 else 400.0
        text = f"Paragraph {index} begins here. It has a second sentence about topic{index} and then it ends."
        found.append(paragraph(index, text, [(page + 1, left, top, 240.0)], prefix))
    return tuple(found)
