"""The rebuttal as a PDF letter on A4, set in the document worker."""

from __future__ import annotations

import html

from engine.documents.service import DocumentService
from engine.exchange.markdown_tokens import Block, Run, blocks_of
from engine.exchange.records import Export, ExportFile, LossReport
from engine.exchange.response_letter import loss
from engine.rebuttal.letter import BREAK
from engine.rebuttal.points import Outline

_STYLE = (
    "<style>body{font-family:serif;font-size:10.5pt;line-height:1.4}h1{font-size:16pt;margin:0 0 6pt 0}"
    "h2{font-size:13pt;font-family:sans-serif;margin:8pt 0 4pt 0}p{margin:2pt 0 6pt 0}"
    ".q{font-style:italic;margin-left:12pt;color:#444444}.n{font-family:sans-serif;font-style:normal;font-weight:bold;"
    "font-size:9pt}.c{font-family:monospace;font-size:9pt}</style>"
)


def write_pdf(
    outline: Outline, service: DocumentService, name: str = "response.pdf", title: str = "Response to reviewers"
) -> Export:
    """The letter as one file, without a name in its metadata. Formulas stand in it as they were written."""
    blocks = [_page(f"<h1>{html.escape(title)}</h1>")]
    formulas = False
    for section in outline:
        if not any(point.text.strip() for point in section.points):
            continue
        begin = f"<h2>{html.escape(section.reviewer)}</h2>"
        if section.opening.text.strip():
            blocks.append(_page(begin + html_of(section.opening.text)))
            begin = ""
        for row in section.rows:
            if row.point.text.strip():
                said = html.escape(row.comment.comment.strip()).replace("\n", "<br>")
                quoted = f"<p class='q'><span class='n'>{row.label}</span>&nbsp; {said}</p>"
                blocks.append(_page(begin + quoted + html_of(row.point.text)))
                begin = ""
                formulas |= "$" in row.point.text
        if section.closing.text.strip():
            rule = f"<p style='text-align:center'>{BREAK}</p>"
            blocks.append(_page(begin + rule + html_of(section.closing.text)))
    sentences = loss(outline).sentences
    if formulas:
        sentences = (*sentences, "Formulas stand in it as LaTeX between dollar signs.")
    content = service.typeset(title, blocks)
    return Export((ExportFile(name, content, "application/pdf"),), LossReport(sentences))


def html_of(markdown: str) -> str:
    """A Markdown text as the little HTML that the typesetter knows."""
    return "".join(map(_block, blocks_of(markdown)))


def _page(inner: str) -> str:
    return f"<html><head>{_STYLE}</head><body>{inner}</body></html>"


def _block(block: Block) -> str:
    if block.kind == "rule":
        return f"<p style='text-align:center'>{BREAK}</p>"
    words = "".join(map(_run, block.runs))
    if block.kind == "quote":
        return f"<p class='q'>{words}</p>"
    if block.kind in ("bullet", "number"):
        mark = f"{block.number}." if block.kind == "number" else "•"
        return f"<p style='margin-left:{14 * block.level}pt'>{mark}&nbsp; {words}</p>"
    if block.kind == "code":
        return f"<p class='c'>{words}</p>"
    return f"<p><b>{words}</b></p>" if block.kind == "heading" else f"<p>{words}</p>"


def _run(run: Run) -> str:
    said = f"{run.text} ({run.link})" if run.link and run.link != run.text else run.text
    words = html.escape(said).replace("\n", "<br>")
    if run.code:
        words = f"<span class='c'>{words}</span>"
    if run.bold:
        words = f"<b>{words}</b>"
    return f"<i>{words}</i>" if run.italic else words
