"""The rebuttal as a PDF, set in the document worker: a letter on A4, or the one page that a venue asks for."""

from __future__ import annotations

import html

from engine.documents.service import DocumentService
from engine.documents.typesetting import Laid
from engine.exchange.markdown_tokens import Block, Run, blocks_of
from engine.exchange.records import Export, ExportFile, LossReport
from engine.exchange.response_letter import loss
from engine.rebuttal.letter import BREAK, TITLE
from engine.rebuttal.letter import blocks as blocks_to
from engine.rebuttal.points import Outline
from engine.rebuttal.records import Quoting
from engine.reviews.limits import Limit
from engine.shown import counted

_STYLE = (
    "<style>body{font-family:serif;font-size:10.5pt;line-height:1.4}h1{font-size:16pt;margin:0 0 6pt 0}"
    "h2{font-size:13pt;font-family:sans-serif;margin:8pt 0 4pt 0}p{margin:2pt 0 6pt 0}"
    ".q{font-style:italic;margin-left:12pt;color:#444444}.n{font-family:sans-serif;font-style:normal;font-weight:bold;"
    "font-size:9pt}.c{font-family:monospace;font-size:9pt}</style>"
)


def write_pdf(outline: Outline, service: DocumentService, name: str = "response.pdf") -> Export:
    """The letter as one file, without a name in its metadata. Formulas stand in it as they were written."""
    blocks = [_page(f"<h1>{TITLE}</h1>")]
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
                quoted = f"<p class='q'><span class='n'>{html.escape(row.label)}</span>&nbsp; {said}</p>"
                blocks.append(_page(begin + quoted + html_of(row.point.text)))
                begin = ""
        if section.closing.text.strip():
            rule = f"<p style='text-align:center'>{BREAK}</p>"
            blocks.append(_page(begin + rule + html_of(section.closing.text)))
    content = service.typeset(TITLE, blocks)
    return Export((ExportFile(name, content, "application/pdf"),), loss(outline, raw_formulas=True))


_VENUE = (
    "<style>body{font-family:Times;font-size:10pt;line-height:1.1;margin:0}p{margin:0 0 5.5pt 0}.q{font-style:italic}"
    ".c{font-family:monospace;font-size:9pt}</style>"
)


def lay_out(outline: Outline, page: str, quoting: Quoting, service: DocumentService) -> Laid:
    """The whole rebuttal in the type of a venue's page (a kind of ``engine.documents.typesetting.PAGES``), point by
    point, each reviewer under their name. Formulas stand in it as they were written, so they take about their room.
    """
    parts = []
    for section in outline:
        own = [before + words for _, before, words in blocks_to(section, quoting)]
        parts += [f"<p><b>{html.escape(section.reviewer)}</b></p>"] if own else []
        parts += [html_of(words) for words in own]
    block = f"<html><head>{_VENUE}</head><body>{''.join(parts)}</body></html>"
    return service.lay_out("Author response", [block], page)


def write_page(outline: Outline, limit: Limit, quoting: Quoting, service: DocumentService, name: str) -> Export:
    """The rebuttal on the venue's page, as one file; on NeurIPS's where the limit names none."""
    laid = lay_out(outline, limit.page or "neurips", quoting, service)
    lost = loss(outline, raw_formulas=True).sentences
    allowed = limit.pages or 1
    if laid.pages > allowed:
        lost = (*lost, f"It has {laid.pages} pages, but {counted(allowed, 'page is', 'pages are')} allowed.")
    return Export((ExportFile(name, laid.content, "application/pdf"),), LossReport(lost))


def filled(laid: Laid) -> float:
    """How many pages a rebuttal takes, with the part of the last one."""
    return laid.pages - 1 + laid.filled


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
