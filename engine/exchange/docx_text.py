"""Reads a Word document (OOXML, ISO/IEC 29500), such as a response letter or review, as marked text.

Headings, quotations, lists, tables, emphasis, colours, links and code are kept; margin comments follow their paragraph.
Pictures, notes and tracked deletions are left out.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import Any

from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.io import check_archive, unreadable
from engine.exchange.markdown_tokens import Block, BlockKind, Run, marked_of, with_formulas
from engine.reviews.marks import MarkedText

MOST_COLUMNS = 63
"""Maximum columns of a table in Word."""
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_INSIDE = {f"{_W}{name}" for name in ("ins", "moveTo", "smartTag", "fldSimple", "customXml", "dir", "bdo")}
_MONOSPACED = re.compile(r"courier|mono|consol|menlo|typewriter", re.IGNORECASE)


def is_docx(data: bytes) -> bool:
    if not data.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "word/document.xml" in archive.namelist()
    except zipfile.BadZipFile:
        return False


def docx_text(data: bytes, name: str) -> MarkedText:
    """Returns the text of a document as Markdown, with warnings about formulas and tracked changes.

    Raises BadInput if it can't be read.
    """
    import docx

    check_archive(data, name, "Word document", limits.DOCUMENT_XML)
    try:
        document = docx.Document(io.BytesIO(data))
        for span in document.element.body.iter(f"{_W}gridSpan", f"{_W}gridBefore", f"{_W}gridAfter"):
            columns = span.get(f"{_W}val") or "1"  # python-docx repeats a cell this many times
            if not columns.isdecimal() or len(columns) > 2 or int(columns) > MOST_COLUMNS:
                raise unreadable(name, "Word document")
        for control in [*document.element.body.iter(f"{_W}sdt")]:
            for part in control.iterfind(f"{_W}sdtContent/*"):  # python-docx doesn't look into content controls
                control.addprevious(part)
            control.getparent().remove(control)
        reader = _Reader(document)
        blocks = _body(reader.blocks(document))
    except BadInput:
        raise
    except Exception as error:
        raise unreadable(name, "Word document") from error
    warnings = []
    if reader.formulas:
        warnings.append("Word formulas were read as plain text. Enter them again.")
    if reader.tracked:
        warnings.append("The document has tracked changes. Deletions were left out and insertions kept.")
    return replace(marked_of(blocks), warnings=tuple(warnings))


def _body(blocks: list[Block]) -> list[Block]:
    """Turns headings into paragraphs if at least half of the text has a heading style."""
    titles = sum(len(run.text) for block in blocks if block.kind == "heading" for run in block.runs)
    if 2 * titles < sum(len(run.text) for block in blocks for run in block.runs):
        return blocks
    return [replace(block, kind="paragraph", level=1) if block.kind == "heading" else block for block in blocks]


class _Reader:
    """Converts paragraphs in document order, which list numbers depend on."""

    def __init__(self, document: Any) -> None:
        self._part = document.part
        # python-docx searches all styles for every paragraph and run, which takes minutes for a long letter.
        self._part.get_style = cache(self._part.get_style)
        self._comments = {comment.comment_id: comment for comment in document.comments}
        self._counts: dict[tuple[int, int], int] = {}
        self._quoted = False
        self._inherited: frozenset[str] = frozenset()
        self._column: frozenset[str] = frozenset()
        self.formulas = self.tracked = False

    def blocks(self, holder: Any) -> list[Block]:
        """Returns the blocks of a document or cell, including nested tables."""
        from docx.table import Table

        found: list[Block] = []
        for part in holder.iter_inner_content():
            found += self.table(part) if isinstance(part, Table) else self.paragraph(part)
        return found

    def paragraph(self, paragraph: Any) -> list[Block]:
        """Returns a paragraph's blocks, followed by its margin comments; empty for an empty paragraph."""
        found = self._paragraph(paragraph)
        for reference in paragraph._p.iter(f"{_W}commentReference"):
            comment = self._comments.get(int(reference.get(f"{_W}id") or -1))
            words = " ".join(part.text for part in comment.paragraphs).strip() if comment is not None else ""
            if words:
                found.append(Block("paragraph", (Run(words, marks=frozenset({"in the margin"})),)))
        return found

    def _paragraph(self, paragraph: Any) -> list[Block]:
        style = (paragraph.style.name or "").casefold() if paragraph.style is not None else ""
        self._inherited = self._column | _marks(paragraph.style.font) if style else self._column
        if style and not re.match(r"normal|body|text|default|list|heading|title|no spacing|standard", style):
            self._inherited |= {f"style {style}"}
        runs = tuple(part for run in self._runs(paragraph._p, paragraph) for part in with_formulas(run))
        before, self._quoted = self._quoted, False
        if not any(run.text.strip() for run in runs):
            return []
        level = re.fullmatch(r"heading (\d)", style)
        if level or style in ("title", "subtitle"):
            plain = tuple(Run(run.text, code=run.code, link=run.link, formula=run.formula) for run in runs)
            return [Block("heading", plain, min(6, int(level[1])) if level else 1)]
        if style in ("macro", "macro text", "html preformatted", "code", "source code"):
            return [Block("code", (Run("".join(run.text for run in runs), code=True),))]
        if re.fullmatch(r"[\s*]{3,}", paragraph.text):
            return [Block("rule", ())]
        if "quot" in style:
            self._quoted = True
            return [Block("quote", runs, opens=not before or runs[0].bold)]
        listed = self._listed(paragraph)
        if listed is not None:
            return [Block(listed[0], runs, listed[1], listed[2])]
        if (paragraph.paragraph_format.left_indent or 0) > 100_000:
            runs = tuple(replace(run, marks=run.marks | {"indented"}) for run in runs)
        return [Block("paragraph", part) for part in _at_empty_lines(runs)]

    def table(self, table: Any) -> list[Block]:
        """Returns the cells of a table in order, marked with their column numbers."""
        found: list[Block] = []
        for row in table.rows:
            cells = [cell for n, cell in enumerate(row.cells) if not n or cell._tc is not row.cells[n - 1]._tc]
            for n, cell in enumerate(cells, start=1):
                self._column = frozenset({f"column {n}"}) if len(cells) > 1 else frozenset()
                found += self.blocks(cell)
        self._column = frozenset()
        return found

    def _runs(self, element: Any, paragraph: Any, link: str = "") -> Iterator[Run]:
        for child in element:
            if child.tag == f"{_W}r":
                yield from self._run(child, paragraph, link)
            elif child.tag == f"{_W}hyperlink":
                relation = self._part.rels.get(child.get(f"{_R}id") or "")
                target = relation.target_ref if relation is not None and relation.is_external else ""
                yield from self._runs(child, paragraph, str(target))
            elif child.tag in _INSIDE:
                self.tracked |= child.tag in (f"{_W}ins", f"{_W}moveTo")
                yield from self._runs(child, paragraph, link)
            elif child.tag in (f"{_W}del", f"{_W}moveFrom"):
                self.tracked = True
            elif child.tag in (f"{_M}oMath", f"{_M}oMathPara"):
                self.formulas = True
                said = "".join(node.text or "" for node in child.iter(f"{_M}t"))
                if said.strip():
                    yield Run(f"${said.strip()}$")

    def _run(self, element: Any, paragraph: Any, link: str) -> Iterator[Run]:
        from docx.text.run import Run as WordRun

        run = WordRun(element, paragraph)
        if run.font.hidden:
            return
        style = (run.style.name or "").casefold() if run.style is not None else ""
        bold = run.bold if run.bold is not None else style in ("strong", "intense emphasis")
        italic = run.italic if run.italic is not None else style == "emphasis"
        code = bool(_MONOSPACED.search(run.font.name or "")) or style.endswith("code")
        text = run.text.replace("\t", " ").replace("\xa0", " ")
        if text:
            marks = _marks(run.font) if not link else frozenset()
            if style and style not in ("default paragraph font", "strong", "emphasis", "hyperlink"):
                marks |= {f"style {style}"}
            yield Run(text, bool(bold), bool(italic), code, link, marks=marks | self._inherited)

    def _listed(self, paragraph: Any) -> tuple[BlockKind, int, int] | None:
        """Returns list kind, level from 1, and number; None if the paragraph isn't in a list."""
        properties = _numbered(paragraph._p.pPr)
        style = paragraph.style
        while properties is None and style is not None:
            properties = _numbered(style.element.pPr)
            style = style.base_style
        if properties is None or properties.numId.val == 0:
            return None
        key = int(properties.numId.val)
        inner = int(properties.ilvl.val) if properties.ilvl is not None else 0
        named = re.search(r"\d$", (paragraph.style.name or "") if paragraph.style is not None else "")
        level = max(inner, int(named[0]) - 1 if named else 0)
        kind, start = self._numbering(key, inner)
        if kind == "bullet":
            return "bullet", level + 1, 0
        number = self._counts.get((key, inner), start - 1) + 1
        self._counts[key, inner] = number
        return "number", level + 1, number

    def _numbering(self, key: int, level: int) -> tuple[BlockKind, int]:
        try:
            numbering = self._part.numbering_part.element
        except (KeyError, NotImplementedError):  # python-docx adds no numbering part to a document without one
            return "bullet", 1
        num = next((one for one in numbering.num_lst if int(one.numId) == key), None)
        if num is None:
            return "bullet", 1
        start = next(iter(num.xpath(f"./w:lvlOverride[@w:ilvl='{level}']/w:startOverride/@w:val")), None)
        abstract = num.abstractNumId.val
        at = f"./w:abstractNum[@w:abstractNumId='{abstract}']/w:lvl[@w:ilvl='{level}']"
        form = next(iter(numbering.xpath(f"{at}/w:numFmt/@w:val")), "bullet")
        first = start or next(iter(numbering.xpath(f"{at}/w:start/@w:val")), "1")
        return ("bullet" if form in ("bullet", "none") else "number"), int(first)


def _at_empty_lines(runs: Iterable[Run]) -> Iterator[tuple[Run, ...]]:
    """Splits a paragraph at empty lines made by line breaks."""
    lines: list[list[Run]] = [[]]
    for run in runs:
        first, *more = run.text.split("\n")
        lines[-1].append(replace(run, text=first))
        lines += [[replace(run, text=words)] for words in more]
    for written, part in groupby(lines, lambda line: any(run.text.strip() for run in line)):
        if written:
            *before, last = part
            ended = [(*line[:-1], replace(line[-1], text=f"{line[-1].text}\n")) for line in before]
            yield tuple(run for line in (*ended, last) for run in line if run.text)


def _numbered(properties: Any) -> Any:
    """Returns the numbering of paragraph properties, or None."""
    number = properties.numPr if properties is not None else None
    return number if number is not None and number.numId is not None else None


def _marks(font: Any) -> frozenset[str]:
    """Returns marks for a font's colour, name, highlight and underline, read here because python-docx refuses documents
    with values that it doesn't know."""
    properties = font.element.rPr
    said = {part.tag.removeprefix(_W): part for part in properties} if properties is not None else {}
    value = {name: part.get(f"{_W}val") for name, part in said.items()}
    found = {mark for mark, key in _LINES if key in value and value[key] not in ("none", "0", "false")}
    theme = said["color"].get(f"{_W}themeColor", "") if "color" in said else ""
    if re.fullmatch(r"[0-9A-Fa-f]{6}", rgb := value.get("color") or ""):
        found |= {f"colour #{rgb.lower()}"} if max(bytes.fromhex(rgb)) > 40 else set()
    elif theme not in ("", "none", "dark1", "text1"):
        found.add(f"colour {re.sub(r'(?<=[a-z])(?=[A-Z0-9])', ' ', theme).lower()}")
    return frozenset(found | ({f"font {font.name}"} if font.name else set()))


_LINES = (("highlighted", "highlight"), ("underlined", "u"), ("struck", "strike"))
