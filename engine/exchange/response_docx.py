"""The rebuttal as a Word document (OOXML): headings for reviewers, comments in a quotation style, replies as text."""

from __future__ import annotations

import io
import re
from datetime import datetime
from typing import Any

from engine.exchange.markdown_tokens import Block, blocks_of
from engine.exchange.records import Export, ExportFile
from engine.exchange.response_letter import loss
from engine.rebuttal.letter import BREAK, TITLE
from engine.rebuttal.points import Outline
from engine.shown import visible

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def write_docx(outline: Outline, name: str = "response.docx") -> Export:
    """The letter as one file, without a name in its metadata. Formulas stay as LaTeX between dollar signs."""
    import docx

    document = docx.Document()
    properties = document.core_properties
    properties.author = properties.last_modified_by = properties.comments = ""
    properties.title = TITLE
    # No clock in the file: the same rebuttal gives the same bytes, and nobody's working hours.
    properties.created = properties.modified = datetime(2000, 1, 1)  # noqa: DTZ001 - OOXML keeps times without a zone
    document.add_heading(TITLE, level=0)
    for section in outline:
        if not any(point.text.strip() for point in section.points):
            continue
        document.add_heading(_clean(section.reviewer), level=1)
        _add(document, section.opening.text)
        for row in section.rows:
            if row.point.text.strip():
                said = document.add_paragraph(style="Intense Quote")
                said.add_run(_clean(f"{row.label}  ")).bold = True
                said.add_run(_clean(row.comment.comment.strip()))
                _add(document, row.point.text)
        if section.closing.text.strip():
            document.add_paragraph(BREAK).alignment = 1  # centred
            _add(document, section.closing.text)
    written = io.BytesIO()
    document.save(written)
    return Export((ExportFile(name, written.getvalue(), MEDIA_TYPE),), loss(outline, raw_formulas=True))


_STYLES = {"bullet": "List Bullet", "number": "List Number", "quote": "Quote", "code": "macro"}
_DEEPEST = 3
"""Levels of lists for which Word has styles."""


def _add(document: Any, markdown: str) -> None:
    numbered: dict[int, int] = {}
    before: Block | None = None
    for block in blocks_of(markdown):
        if block.kind == "heading":
            paragraph = document.add_heading(level=min(9, max(3, block.level)))
        else:
            style = _STYLES.get(block.kind)
            deep = min(_DEEPEST, block.level) if block.kind in ("bullet", "number") else 1
            paragraph = document.add_paragraph(style=f"{style} {deep}" if deep > 1 else style)
            if block.kind == "number":
                if before is None or before.kind not in ("number", "bullet") or block.number == 1:
                    numbered[deep] = _list_from(document, paragraph.style, block.number)
                if deep in numbered:
                    paragraph._p.get_or_add_pPr().get_or_add_numPr().get_or_add_numId().val = numbered[deep]
        if block.kind == "rule":
            paragraph.add_run(BREAK)
            paragraph.alignment = 1  # centred
        _fill(paragraph, block)
        before = block


def _list_from(document: Any, style: Any, start: int) -> int:
    """A numbering of its own for one list, so that the next one does not go on counting."""
    numbering = document.part.numbering_part.element
    known = next(num for num in numbering.num_lst if num.numId == style.element.pPr.numPr.numId.val)
    made = numbering.add_num(known.abstractNumId.val)
    made.add_lvlOverride(ilvl=0).add_startOverride(start)
    return int(made.numId)


_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML cannot hold: signs that steer printers, as they come along when one copies from a PDF."""


def _clean(text: str) -> str:
    return _UNWRITABLE.sub("", visible(text))


def _fill(paragraph: Any, block: Block) -> None:
    for part in block.runs:
        run = paragraph.add_run(_clean(part.text))
        run.bold = part.bold or None
        run.italic = part.italic or None
        if part.code and block.kind != "code":
            run.font.name = "Courier New"
        if part.link:
            _link(paragraph, run, part.link)


def _link(paragraph: Any, run: Any, address: str) -> None:
    """Wraps a run in a hyperlink, which the library writes no other way."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run.font.underline = True
    link.append(run._r)
    paragraph._p.append(link)
