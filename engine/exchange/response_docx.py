"""The rebuttal as a Word document (OOXML): headings for reviewers, comments in a quotation style, replies as text."""

from __future__ import annotations

import io
from datetime import datetime
from typing import Any

from engine.exchange.markdown_tokens import Block, blocks_of
from engine.exchange.records import Export, ExportFile, LossReport
from engine.exchange.response_letter import loss
from engine.rebuttal.points import Outline

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def write_docx(outline: Outline, name: str = "response.docx", title: str = "Response to reviewers") -> Export:
    """The letter as one file, without a name in its metadata. Formulas stay as LaTeX between dollar signs."""
    import docx

    document = docx.Document()
    properties = document.core_properties
    properties.author = properties.last_modified_by = properties.comments = ""
    properties.title = title
    # No clock in the file: the same rebuttal gives the same bytes, and nobody's working hours.
    properties.created = properties.modified = datetime(2000, 1, 1)  # noqa: DTZ001 - OOXML keeps times without a zone
    document.add_heading(title, level=0)
    formulas = False
    for section in outline:
        if not any(point.text.strip() for point in section.points):
            continue
        document.add_heading(section.reviewer, level=1)
        _add(document, section.opening.text)
        for row in section.rows:
            if row.point.text.strip():
                said = document.add_paragraph(style="Intense Quote")
                said.add_run(f"{row.label}  ").bold = True
                said.add_run(row.comment.comment.strip())
                _add(document, row.point.text)
                formulas |= "$" in row.point.text
        _add(document, section.closing.text)
    written = io.BytesIO()
    document.save(written)
    sentences = loss(outline).sentences
    if formulas:
        sentences = (*sentences, "Formulas stand in it as LaTeX between dollar signs.")
    return Export((ExportFile(name, written.getvalue(), MEDIA_TYPE),), LossReport(sentences))


_STYLES = {"bullet": "List Bullet", "number": "List Number", "quote": "Quote"}


def _add(document: Any, markdown: str) -> None:
    for block in blocks_of(markdown):
        _fill(document.add_paragraph(style=_STYLES.get(block.kind)), block)


def _fill(paragraph: Any, block: Block) -> None:
    for part in block.runs:
        run = paragraph.add_run(part.text)
        run.bold = part.bold or block.kind == "heading" or None
        run.italic = part.italic or None
        if part.code:
            run.font.name = "Courier New"
