"""Papers set for the tests of review drafting: one with planted faults, the same without, and readings made by hand."""

from __future__ import annotations

import random
from typing import Any

from engine.documents.records import Box, ParsedDocument
from engine.documents.tables import Cell, Row, number_in
from engine.review_drafting.reading import quote
from engine.review_drafting.records import (
    Anchor,
    Caption,
    CellReading,
    Check,
    PaperReading,
    Part,
    Point,
    RowReading,
    Sentence,
    TableReading,
)
from tests.engine.documents.typeset import Paper, prose

TITLE = "Careful Reading of Review Letters by Small Neural Parsers"
ABSTRACT = (
    "Review letters are long and hard to follow. We ask whether small parsers can tell comments from replies. "
    "We propose the careful reader, a novel parser for review letters. We train it on letters that were marked by"
    " hand. "
    "Our method reaches an accuracy of {abstract} on the letters of the test set. "
    "The results show that small parsers read letters well."
)
INTRODUCTION = (
    "Peer review letters hold comments, replies and quotations. Earlier work by Miller et al. [3] reads single"
    " reviews. "
    "Our main contribution is the careful reader, which parses whole letters in one pass.",
    "To the best of our knowledge, this is the first parser that reads quoted replies. Smith et al. [4] needed"
    " templates. "
    "Letters differ between journals, as Table 2 shows.",
)
METHOD = (
    "We train the careful reader with a loss over sentence borders. We assume that every reply follows its comment. "
    "The parser consists of an encoder and a small head. {tuning}",
    "We collected 60 letters from open journals. Of these, {share} were written by several authors. "
    "The Letters dataset is split into training and test letters.",
)
RESULTS = (
    "We compared the careful reader with logistic regression on the test set. Table 1 shows that the careful reader "
    "reaches an accuracy of 91.4%. The margin over the baselines is clear in every journal.",
    "{pointer} We found that quotations cause most of the errors.",
)
CONCLUSION = (
    "We presented the careful reader. One limitation of our work is the small number of journals. "
    "The code is available at https://example.org/reader under a free licence.",
)
FAULTS = {
    "abstract": "94.1%",
    "tuning": "The learning rate was tuned on the test set.",
    "share": "45 of 60 letters (80%)",
    "pointer": "Table 3 lists the errors by journal.",
}
CLEAN = {
    "abstract": "91.4%",
    "tuning": "The learning rate was tuned on a development set.",
    "share": "45 of 60 letters (75%)",
    "pointer": "The errors differ by journal.",
}
FAULTY_ROWS = [
    ["Method", "Accuracy", "F1"],
    ["logistic regression", "85.2", "80.1"],
    ["templates", "**92.0**", "**81.5**"],
    ["careful reader", "91.4", "88.3"],
]
CLEAN_ROWS = [
    ["Method", "Accuracy", "F1"],
    ["logistic regression", "85.2 ± 0.4", "80.1 ± 0.5"],
    ["templates", "87.0 ± 0.6", "81.5 ± 0.3"],
    ["careful reader", "**91.4 ± 0.2**", "**88.3 ± 0.4**"],
]


def letter_paper(*, faulty: bool, more: str = "") -> bytes:
    """The PDF; ``more`` is a further paragraph of the discussion."""
    words = FAULTS if faulty else CLEAN
    paper = Paper()
    paper.title(TITLE, ["Ada Example and Ben Sample", "University of Somewhere"])
    for number, (heading, paragraphs) in enumerate(
        (
            ("Abstract", (ABSTRACT,)),
            ("1 Introduction", INTRODUCTION),
            ("2 Method", METHOD),
            ("3 Results", RESULTS),
            ("4 Conclusion", (*CONCLUSION, *([more] if more else []))),
        )
    ):
        paper.heading(heading)
        for place, text in enumerate(paragraphs):
            paper.paragraph(text.format(**words), first=place == 0)
        if number == 1:
            paper.table("Table 2: Letters by journal.", [["Journal", "Letters"], ["first", "35"], ["second", "25"]])
        if number == 3:
            paper.table(
                "Table 1: Accuracy and F1 of three methods on the test letters.", FAULTY_ROWS if faulty else CLEAN_ROWS
            )
            paper.paragraph("The figures of the table were computed once for all journals together.")
    paper.heading("References")
    paper.reference("Cora Miller and Dan Other. 2019. Reading single reviews with rules. Journal of Tests, 3(1):1-9.")
    paper.reference("Eve Smith and Fay Other. 2021. Templates for letters of response. Journal of Tests, 5(1):1-9.")
    return paper.finish()


def placed_paper(seed: int, **options: Any) -> bytes:
    """A paper with numbered sections, equations, figures, tables of decimals, references, appendices behind."""
    rng = random.Random(seed)
    paper = Paper(**options)
    paper.title("A Study of Places in Papers", ["Ada Example and Ben Sample"])
    paper.heading("Abstract")
    paper.paragraph(prose(rng, 4), first=True)
    figure = equation = 0
    for number, name in enumerate(("Introduction", "Method", "Experiments", "Discussion"), start=1):
        paper.heading(f"{number} {name}")
        for _ in range(3):
            paper.paragraph(prose(rng, rng.randint(2, 5)))
        for below in (1, 2):
            paper.heading(f"{number}.{below} {('A Closer Look', 'Further Remarks')[below - 1]} at the {name}", level=2)
            paper.paragraph(prose(rng, 3), first=True)
        if number in (1, 3):
            figure += 1
            paper.float(f"Figure {figure}: {prose(rng, 1)}")
        if number in (2, 3):
            equation += 1
            paper.equation("y = a + b x + e", equation)
            paper.paragraph(f"Here {prose(rng, 2).lower()}", first=True)
            rows = [["Method", "Pages", "Accuracy", "Error"]]
            for row in range(5):
                figures = (f"{rng.uniform(0.5, 0.99):.3f}", f"{rng.uniform(1, 90):.2f}")
                rows.append([f"method {'abcde'[row]}", str(rng.randint(100, 9999)), *figures])
            paper.table(f"Table {number - 1}: Accuracy of {name.lower()} by method.", rows)
            paper.paragraph(prose(rng, 3))
    paper.heading("References")
    for year in range(2001, 2009):
        paper.reference(f"Ada Example. {year}. {prose(rng, 1)} Journal of Tests, 3(1):1-9.")
    for letter, name in (("A", "Proofs"), ("B", "Further Results")):
        paper.heading(f"{letter} {name}")
        paper.paragraph(prose(rng, 4), first=True)
        paper.heading(f"{letter}.1 Details of the {name}", level=2)
        paper.paragraph(prose(rng, 3), first=True)
    return paper.finish()


def reading(
    *sentences: tuple[Part, str],
    tables: tuple[TableReading, ...] = (),
    title: str = "",
    abstract: str = "",
    references: tuple[str, ...] = (),
) -> PaperReading:
    """A paper of sentences that stand one in a paragraph, ten on a page."""
    made = tuple(
        Sentence(
            paragraph_id=f"p{n:04}", start=0, end=len(text), text=text, section=part.capitalize(), part=part,
            page=1 + n // 10,
        )
        for n, (part, text) in enumerate(sentences)
    )  # fmt: skip
    captions = tuple(
        Caption(kind="table", number=t.number, text=t.caption, paragraph_id=t.caption_id, page=t.page) for t in tables
    )
    about = abstract or " ".join(text for part, text in sentences if part == "abstract")
    return PaperReading(
        sha256="0" * 64, title=title, abstract=about, pages=1 + len(made) // 10, sentences=made, tables=tables,
        captions=captions, references=references,
    )  # fmt: skip


def table(number: str, rows: list[list[str]], caption: str = "", part: Part = "results") -> TableReading:
    """A table of cells; the first row is the heading."""
    made = []
    for place, row in enumerate(rows):
        cells = []
        for column, text in enumerate(row):
            bare = text.strip("*")
            value = number_in(bare)
            cells.append(
                CellReading(
                    text=bare, column=column,
                    number=value[0] if value else None, percent=bool(value and value[1]),
                    spread=bool(value and value[2]),
                )
            )  # fmt: skip
        made.append(RowReading(cells=tuple(cells), header=place == 0, label=row[0].strip("*")))
    words = caption or f"Table {number}: Accuracy of methods."
    return TableReading(
        number=number, caption=words, caption_id=f"c{number}", page=5, section="Results", part=part, rows=tuple(made)
    )


def point(key: str, text: str, *, origin: str = "reviewer", anchors: tuple[Anchor, ...] = ()) -> Point:
    return Point(id=key, text=text, origin=origin, anchors=anchors)


def anchored(sentence: Sentence) -> tuple[Anchor, ...]:
    return (quote(sentence),)


def stands_there(document: ParsedDocument, anchor: Anchor) -> bool:
    """Whether the words of an anchor are those of its place."""
    text = next(p.text for p in document.paragraphs if p.id == anchor.paragraph_id)
    return not anchor.quote or text[anchor.start : anchor.end] == anchor.quote


def rows_of(*rows: list[str]) -> tuple[Row, ...]:
    boxes = [[Box(1, 60.0 * c, 20.0 * r, 60.0 * c + 40, 20.0 * r + 10) for c in range(9)] for r in range(len(rows))]
    return tuple(
        Row(
            tuple(Cell(t, boxes[r][c], c, "p", 0, 0, float(t) if t[0].isdigit() else None) for c, t in enumerate(row)),
            header=not r,
        )
        for r, row in enumerate(rows)
    )


def texts(checks: object) -> list[str]:
    found = list(checks)  # type: ignore[call-overload]
    assert all(isinstance(check, Check) and check.anchors and check.suggestion for check in found)
    return [check.text for check in found]
