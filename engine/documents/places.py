"""Lists what a parsed document contains, and resolves references in free text to places in it.

Nothing is guessed: a reference that matches nothing resolves to None. ``Places`` is pure and holds no PDF.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, takewhile

from engine.documents.numbers import Quantity, agrees, find_quantities, from_roman
from engine.documents.passages import Passages, key
from engine.documents.records import Box, Paragraph, ParsedDocument, Word
from engine.documents.references import PlaceKind, Reference, find_references
from engine.documents.search import boxes_for
from engine.documents.tables import Cell, Table, find_tables

__all__ = ["Place", "Places", "Reference", "find_references", "untitled_abstract"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a document: [start, end) of a paragraph's text, and the rectangles to show.

    ``number`` is as the document prints it ("" if it prints none), ``title`` a heading without its number, or the start
    of a caption.
    """

    kind: PlaceKind
    number: str
    title: str
    page: int
    boxes: tuple[Box, ...]
    paragraph_id: str
    start: int
    end: int

    @property
    def label(self) -> str:
        if self.kind == "quote":
            return f"page {self.page}"
        name = "Section" if self.kind == "section" else self.kind.capitalize()
        return f"{name} {self.number or self.title}"


_LABEL = re.compile(
    r"\W*(?P<supplement>(?:supplementary|supplemental|supporting|extended data|appendix)\s+)?"
    r"(?P<kind>figure|fig|table|tab|algorithm|listing|scheme|box|chart|theorem|lemma|corollary|proposition|definition"
    r"|assumption|remark)s?\b\.?\s*(?P<number>(?:SI\s|[A-Z]{1,2}[-.]?)?\d{1,3}(?:\.\d{1,3})*|[IVXL]{1,5}\b|[A-Z]\b)"
    r"(?P<stop>\s*(?:[.:|–—(]|-\s|$))?",
    re.IGNORECASE,
)
_OF_LABEL: dict[str, PlaceKind] = {
    "fig": "figure", "cha": "figure", "sch": "figure", "box": "figure", "tab": "table", "alg": "algorithm",
    "lis": "algorithm", "the": "statement", "lem": "statement", "cor": "statement", "pro": "statement",
    "def": "statement", "ass": "statement", "rem": "statement",
}  # fmt: skip
_NUMBERED = re.compile(
    r"(?:(?P<word>section|chapter|appendix|supplement)\s+)?(?P<number>\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){0,3}"
    r"|[IVX]{1,5})(?:[.:)]|\s[–—-])?(?:\s+|$)",
    re.IGNORECASE,
)
_REFERENCES = re.compile(
    r"(?:[\dIVXA-Z]{1,4}[.\s]+)?(?:references?|bibliography|works cited|literature(?: cited)?)", re.I
)
_EQUATION_NUMBER = re.compile(r"\((?P<number>[A-Z]?\.?\d{1,3}(?:\.\d{1,3})?[a-z]?)\)")
# Headings used for the same part of a paper.
_FAMILIES = (
    {"method", "methods", "methodology", "approach", "model", "materials and methods", "methods and materials"},
    {"experiment", "experiments", "experimental setup", "experimental results", "experimental evaluation", "evaluation",
     "result", "results", "results and discussion", "analysis"},
    {"related work", "related works", "prior work", "previous work", "background", "literature review"},
    {"conclusion", "conclusions", "concluding remarks", "discussion and conclusion", "conclusions and future work",
     "conclusion and future work"},
    {"data", "datasets", "dataset"},
    {"limitation", "limitations", "limitations and future work"},
    {"discussion", "results and discussion", "discussion and conclusion", "discussions"},
    {"acknowledgement", "acknowledgements", "acknowledgment", "acknowledgments"},
    {"ablation", "ablations", "ablation study", "ablation studies"},
)  # fmt: skip


def untitled_abstract(paragraphs: Sequence[Paragraph]) -> Paragraph | None:
    """Returns the only running paragraph before the first section, which is the abstract in journals that print no
    heading above it; None if there are several, or if there is such a heading."""
    front = [p for p in takewhile(lambda p: not p.section, paragraphs) if p.kind == "body"]
    headed = any(p.kind == "heading" and re.match(r"\W*(?:abstract|summary)\b", p.text, re.I) for p in paragraphs)
    return front[0] if len(front) == 1 and not headed and len(front[0].text.split()) >= _LEAST_ABSTRACT else None


_LEAST_ABSTRACT = 40
"""Words; shorter paragraphs before the first section are notes."""


class Places:
    """The contents of one document. ``tables`` are those of ``find_tables``, computed if not given."""

    def __init__(self, document: ParsedDocument, tables: Sequence[Table] | None = None) -> None:
        self.document = document
        self._given_tables = tables
        self._by_id = {p.id: p for p in document.paragraphs}

    # --- what there is ---

    @cached_property
    def sections(self) -> tuple[Place, ...]:
        """The headings of the paper and its appendices, in order, without headings within reference lists."""
        found: list[Place] = []
        behind = False
        for paragraph in self.document.paragraphs:
            if paragraph.kind != "heading":
                continue
            if any(_REFERENCES.fullmatch(part.strip()) for part in paragraph.section.split(" > ")[:-1]):
                continue
            text = paragraph.text.strip()
            if _REFERENCES.fullmatch(text):
                behind = True
            # In a title such as "A study of ..." the first capital is no number; lettered appendices come last.
            match = _NUMBERED.match(text)
            number = match["number"] if match else ""
            word = (match["word"] or "").lower() if match else ""
            if number.isalpha() and not word and not from_roman(number):
                begun = behind or any(p.number for p in found)
                number = number if begun and self._letters_count(number) else ""
            if behind and number[:1].isdigit() and not self._continues(number, found):
                continue
            title = text[match.end() :].strip() if match and number else text
            kind: PlaceKind = (
                "appendix" if word in ("appendix", "supplement") or title.lower() == "appendix" else "section"
            )
            found.append(
                self._place(kind, paragraph, 0, len(paragraph.text), number=number.upper().rstrip("."), title=title)
            )
        return tuple(found)

    @cached_property
    def section_numbers(self) -> dict[str, str]:
        """Each numbered section's number in digits, by its heading's paragraph id: "5.1" for "A." below "V."."""
        found: dict[str, str] = {}
        top, letters = "", 0
        for place in self.sections:
            below = top and len(place.number) == 1 and ord(place.number) - ord("A") == letters
            letters = letters + 1 if below else 0
            number = f"{top}.{letters}" if below else _plain_number(place.number)
            if not below:
                top = number if from_roman(place.number) else ""
            found[place.paragraph_id] = number
        return found

    @cached_property
    def captioned(self) -> tuple[Place, ...]:
        """Tables, figures, algorithms and statements by their captions or first words, each number once."""
        found: dict[tuple[PlaceKind, str], Place] = {}
        sure: set[tuple[PlaceKind, str]] = set()
        for paragraph in self.document.paragraphs:
            if paragraph.kind in ("heading", "reference"):
                continue
            match = _LABEL.match(paragraph.text)
            # Running text also starts with "Table 2 shows", but a caption has punctuation after its number.
            if match is None or (paragraph.kind != "caption" and match["stop"] is None):
                continue
            kind = _OF_LABEL[match["kind"].lower()[:3]]
            if kind == "statement" and paragraph.kind == "caption":
                continue
            number = match["number"].upper().strip(".")
            if match["supplement"] and not number.startswith("S") and match["supplement"][0] in "sSeE":
                number = f"S{number}"
            place = self._place(kind, paragraph, 0, len(paragraph.text), number=number, title=paragraph.text[:80])
            identity = (kind, _plain_number(number))
            if identity not in found or (paragraph.kind == "caption" and identity not in sure):
                found[identity] = place
            if paragraph.kind == "caption":
                sure.add(identity)
        return tuple(found.values())

    @cached_property
    def equations(self) -> tuple[Place, ...]:
        """Displayed formulas with a number at the end of a line, each number once."""
        found: dict[str, Place] = {}
        for kinds in (("equation",), ("body", "other", "table")):
            for paragraph in self.document.paragraphs:
                if paragraph.kind not in kinds:
                    continue
                for match in _EQUATION_NUMBER.finditer(paragraph.text):
                    if match["number"] in found:
                        continue
                    if paragraph.kind == "equation" or _set_apart(paragraph, match.start(), match.end()):
                        found[match["number"]] = self._place(
                            "equation",
                            paragraph,
                            match.start(),
                            match.end(),
                            number=match["number"],
                            title=paragraph.text[:80],
                        )
        return tuple(found.values())

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        return tuple(self._given_tables) if self._given_tables is not None else find_tables(self.document)

    @cached_property
    def passages(self) -> Passages:
        return Passages(self.document.paragraphs)

    # --- what a reference means ---

    def resolve(self, reference: Reference) -> Place | None:
        """Returns the place that a reference names, or None if the document doesn't contain it."""
        match reference.kind:
            case "quote":
                return self.find_quote(reference.title)
            case "section" | "appendix":
                return self._section(reference)
            case "equation":
                return next((p for p in self.equations if p.number.upper() == reference.number.upper()), None)
            case "page":
                return self._page(reference)
            case "line":
                return self._line(reference)
            case _:
                return self._captioned(reference) or self._table(reference)

    def _table(self, reference: Reference) -> Place | None:
        """Returns where the rows of a table are whose caption wasn't parsed as a paragraph of its own."""
        table = self.table(reference.own_number) if reference.kind == "table" and not reference.last else None
        if table is None or not table.rows:
            return None
        boxes = tuple(cell.box for cell in table.cells)
        first = table.cells[0]
        return Place(
            "table", table.number, table.caption[:80], table.page, boxes, first.paragraph_id, first.start, first.end
        )

    def mentioned(self, reference: Reference) -> Place | None:
        """Returns where the text first names the same table, figure, equation etc., for use without a caption."""
        wanted = (reference.kind, _plain_number(reference.own_number), reference.title)
        return self.mentions.get(wanted)

    def find_quote(self, words: str, within: Sequence[Paragraph] = ()) -> Place | None:
        """Returns where words first occur in the document or in ``within``, tolerant as described in ``passages``."""
        paragraphs = within or self.document.paragraphs
        stretches = (Passages(within) if within else self.passages).find(words)
        if not stretches:
            return None
        first = stretches[0]
        paragraph = paragraphs[first.paragraph]
        boxes = tuple(box for s in stretches for box in boxes_for(paragraphs[s.paragraph], s.start, s.end))
        last = max((s.end for s in stretches if s.paragraph == first.paragraph), default=first.end)
        page = boxes[0].page if boxes else paragraph.page
        return Place("quote", "", words, page, boxes, paragraph.id, first.start, last)

    def table(self, number: str) -> Table | None:
        """Returns the table with a number, written as in the caption or in a reference."""
        return next(iter(self.tables_with(number)), None)

    def tables_with(self, number: str) -> tuple[Table, ...]:
        """Returns the tables with a number: several if a table goes on below another caption."""
        wanted = _plain_number(number)
        return tuple(t for t in self.tables if _plain_number(t.number) == wanted)

    @cached_property
    def numbers(self) -> dict[str, tuple[Quantity, ...]]:
        """The numbers in each paragraph by its id, without that of a caption's label."""
        found: dict[str, tuple[Quantity, ...]] = {}
        for paragraph in self.document.paragraphs:
            label = _LABEL.match(paragraph.text)
            first = label.end("number") if label is not None else 0
            found[paragraph.id] = tuple(q for q in find_quantities(paragraph.text) if q.start >= first)
        return found

    def number_in(self, said: Quantity, paragraphs: Iterable[Paragraph]) -> list[tuple[Paragraph, Quantity]]:
        """Returns where a stated number occurs in some paragraphs, compared with ``numbers.agrees``."""
        return [(p, there) for p in paragraphs for there in self.numbers[p.id] if agrees(said, there)]

    def text_of(self, table: Table) -> tuple[Paragraph, ...]:
        return tuple(self._by_id[part] for part in (*table.paragraph_ids, table.caption_id) if part in self._by_id)

    def about(self, table: Table) -> str:
        """Returns the title of the document and the paragraphs that mention a table, apart from itself."""
        return f"{self.document.title} {self._about.get(_plain_number(table.number), '')}"

    @cached_property
    def _about(self) -> dict[str, str]:
        within = {part for table in self.tables for part in (*table.paragraph_ids, table.caption_id)}
        texts: dict[str, list[str]] = defaultdict(list)
        for paragraph in self.document.paragraphs:
            if paragraph.kind == "body" and paragraph.id not in within:
                for number in {r.own_number for r in self.references[paragraph.id] if r.kind == "table"}:
                    texts[_plain_number(number)].append(paragraph.text)
        return {number: " ".join(own) for number, own in texts.items()}

    @cached_property
    def cells_with_numbers(self) -> dict[str, tuple[tuple[Cell, tuple[Quantity, ...]], ...]]:
        """The cells of each table that contain numbers, with these, by the id of its caption."""
        return {
            t.caption_id: tuple((c, found) for c in t.cells if (found := find_quantities(c.text))) for t in self.tables
        }

    def number_in_table(self, said: Quantity, table: Table) -> Place | None:
        """Returns where a stated number first occurs in a table, or None."""
        cells = (
            (self._by_id[c.paragraph_id], c.start, c.end)
            for c, numbers in self.cells_with_numbers[table.caption_id]
            if any(agrees(said, there) for there in numbers)
        )
        texts = ((p, q.start, q.end) for p, q in self.number_in(said, self.text_of(table)))
        if (found := next(chain(cells, texts), None)) is None:
            return None
        return self._place("table", *found, number=table.number, title=table.caption[:80])

    def stretch(self, paragraph: Paragraph, start: int, end: int) -> Place:
        """Returns [start, end) of a paragraph's text as a place."""
        return self._place("quote", paragraph, start, end, title=paragraph.text[start:end])

    # --- how ---

    @cached_property
    def references(self) -> dict[str, tuple[Reference, ...]]:
        """The places that each paragraph names, by paragraph id, without entries of reference lists."""
        return {p.id: find_references(p.text) for p in self.document.paragraphs if p.kind != "reference"}

    @cached_property
    def mentions(self) -> dict[tuple[PlaceKind, str, str], Place]:
        """Where running text first names each figure, table, section etc., by kind, number and title."""
        found: dict[tuple[PlaceKind, str, str], Place] = {}
        for paragraph in self.document.paragraphs:
            for r in self.references.get(paragraph.id, ()):
                if r.kind not in ("quote", "page", "line") and r.number:
                    identity = (r.kind, _plain_number(r.own_number), r.title)
                    if identity not in found:
                        found[identity] = self._place(r.kind, paragraph, r.start, r.end, number=r.number)
        return found

    def _place(
        self, kind: PlaceKind, paragraph: Paragraph, start: int, end: int, *, number: str = "", title: str = ""
    ) -> Place:
        boxes = boxes_for(paragraph, start, end) or paragraph.boxes
        page = boxes[0].page if boxes else paragraph.page
        return Place(kind, number, title, page, boxes, paragraph.id, start, end)

    def _letters_count(self, letter: str) -> bool:
        """Returns whether a heading with a neighbouring letter exists: "A ...", "B ..." are appendices."""
        letters = {
            m["number"][0].upper()
            for p in self.document.paragraphs
            if p.kind == "heading" and (m := _NUMBERED.match(p.text.strip())) and m["number"][0].isalpha()
        }
        neighbour = chr(ord(letter[0].upper()) + (1 if letter.upper() == "A" else -1))
        return letter.isupper() and neighbour in letters

    def _continues(self, number: str, found: Sequence[Place]) -> bool:
        """Returns whether a numbered heading after the references continues the numbering and is no list entry."""
        before = [int(p.number.split(".")[0]) for p in found if p.number[:1].isdigit()]
        return bool(before) and before[-1] <= int(number.split(".", maxsplit=1)[0]) <= before[-1] + 1

    def _section(self, reference: Reference) -> Place | None:
        if reference.number:
            top, _, letter = reference.number.replace("-", ".").partition(".")
            below = letter.isalpha() and from_roman(top)
            wanted = _plain_number(top) + f".{ord(letter) - ord('A') + 1}" if below else _plain_number(reference.number)
            for place in self.sections:
                numbered = place.number and wanted in (
                    self.section_numbers[place.paragraph_id], _plain_number(place.number),
                )  # fmt: skip
                if numbered and (reference.kind == "section" or not place.number[0].isdigit()):
                    return place
            return None
        return self._titled(reference.title)

    def _titled(self, title: str) -> Place | None:
        wanted = _heading_key(title)
        if wanted == "abstract":
            for paragraph in self.document.paragraphs:
                if re.match(r"\W*abstract\b", paragraph.text, re.IGNORECASE):
                    return self._place("section", paragraph, 0, len(paragraph.text), title="Abstract")
            if (untitled := untitled_abstract(self.document.paragraphs)) is not None:
                return self._place("section", untitled, 0, len(untitled.text), title="Abstract")
        if wanted == "appendix":
            lettered = re.compile(r"[A-HJ-Z](?:\.|$)")
            return next((p for p in self.sections if p.kind == "appendix" or lettered.match(p.number)), None)
        same = [p for p in self.sections if _heading_key(p.title) == wanted]
        family = set().union(*(f for f in _FAMILIES if wanted in f))
        kin = [p for p in self.sections if _heading_key(p.title) in family]
        words = f" {wanted} "
        inside = [p for p in self.sections if words in f" {_heading_key(p.title)} "]
        related = [p for p in self.sections if any(f" {name} " in f" {_heading_key(p.title)} " for name in family)]
        return next(iter((*same, *kin, *inside, *related)), None)

    def _captioned(self, reference: Reference) -> Place | None:
        wanted = _plain_number(reference.own_number)
        for place in self.captioned:
            if place.kind != reference.kind or _plain_number(place.number) != wanted:
                continue
            if reference.kind == "statement" and not place.title.lower().lstrip("( ").startswith(reference.title):
                continue
            return place
        return None

    def _page(self, reference: Reference) -> Place | None:
        numbers = [int(reference.number), int(reference.last or reference.number)]
        sizes = {p.number: p for p in self.document.pages}
        if any(n not in sizes for n in numbers):
            return None
        size = sizes[numbers[0]]
        on_page = next((p for p in self.document.paragraphs if p.page >= numbers[0]), None)
        box = Box(size.number, 0.0, 0.0, size.width, size.height)
        return Place("page", reference.number, "", size.number, (box,), on_page.id if on_page else "", 0, 0)

    def _line(self, reference: Reference) -> Place | None:
        low, high = int(reference.number), int(reference.last or reference.number)
        ends = [next((n for n in self.document.lines if n.number == number), None) for number in (low, high)]
        if None in ends:
            return None
        chosen = [n.box for n in self.document.lines if low <= n.number <= high][: high - low + 1]
        found = self._at(chosen[0])
        paragraph_id, start, end = (found[0].id, found[1].start, found[1].end) if found else ("", 0, 0)
        return Place("line", reference.number, "", chosen[0].page, tuple(chosen), paragraph_id, start, end)

    def _at(self, box: Box) -> tuple[Paragraph, Word] | None:
        """Returns the first word in a rectangle, and its paragraph."""
        for paragraph in self.document.paragraphs:
            if not any(b.page == box.page and b.y0 < box.y1 and b.y1 > box.y0 for b in paragraph.boxes):
                continue
            for word in paragraph.words:
                b = word.box
                if b.page == box.page and box.x0 - 1 <= b.x0 <= box.x1 and box.y0 < (b.y0 + b.y1) / 2 < box.y1:
                    return paragraph, word
        return None


def _set_apart(paragraph: Paragraph, start: int, end: int) -> bool:
    """Returns whether a number in brackets ends its line after a wide gap, as a formula's number does."""
    at = next((n for n, w in enumerate(paragraph.words) if w.start <= start and w.end >= end - 1), None)
    if at is None or at == 0:
        return False
    box, before = paragraph.words[at].box, paragraph.words[at - 1].box
    after = paragraph.words[at + 1].box if at + 1 < len(paragraph.words) else None
    on_line = abs(before.y0 - box.y0) < 0.7 * (box.y1 - box.y0)
    last = after is None or after.page != box.page or after.y0 > box.y1 - 1 or after.x0 < box.x0
    return last and on_line and box.x0 - before.x1 > 1.5 * (box.y1 - box.y0)


def _plain_number(number: str) -> str:
    """Normalises a number: Roman numerals to digits, no dot or dash after letters, upper case."""
    number = re.sub(r"(?<=[A-Z])[-.\s](?=\d)", "", number.upper().strip(". "))
    return str(from_roman(number) or number)


def _heading_key(title: str) -> str:
    return " ".join(key(word) for word in re.findall(r"[^\W_]+", title) if key(word))
