"""The export formats of a rebuttal (PDF, LaTeX, Word, Markdown, text), shared by the window and scripts."""

import html
import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, get_args

from engine.documents.records import Laid
from engine.documents.service import DocumentService
from engine.exchange.io import csv_file
from engine.exchange.latex import as_latex, latex_formula, latex_line
from engine.exchange.markdown_tokens import Block, Run, blocks_of
from engine.exchange.records import Export, ExportFile, FormInfo
from engine.exchange.response_letter import loss, write_letter, write_posts
from engine.rebuttal.letter import BREAK, TITLE, blocks, posts, replies
from engine.rebuttal.matrix import Matrix
from engine.rebuttal.points import Outline, Section, without_notes
from engine.rebuttal.records import Quoting
from engine.reviews.limits import Limit
from engine.shown import counted, inert_line, visible
from engine.statements.verdicts import GRAVEST

# --- PDF, typeset in the document worker: a letter on A4, or a page in a venue's format -------------------------------

_STYLE = (
    "<style>body{font-family:serif;font-size:10.5pt;line-height:1.4}h1{font-size:16pt;margin:0 0 6pt 0}"
    "h2{font-size:13pt;font-family:sans-serif;margin:8pt 0 4pt 0}p{margin:2pt 0 6pt 0}"
    ".q{font-style:italic;margin-left:12pt;color:#444444}.n{font-family:sans-serif;font-style:normal;font-weight:bold;"
    "font-size:9pt}.c{font-family:monospace;font-size:9pt}</style>"
)


def write_pdf(outline: Outline, service: DocumentService, name: str = "response.pdf") -> Export:
    """Returns the letter as one file without an author in its metadata. Formulas are written as LaTeX."""
    pages = [pdf_page(f"<h1>{TITLE}</h1>")]
    for section in outline:
        begin = f"<h2>{html.escape(section.reviewer)}</h2>"
        for words in _written(section):
            pages.append(pdf_page(begin + html_of(words)))
            begin = ""
    content = service.typeset(TITLE, pages)
    return Export((ExportFile(name, content),), loss(outline, raw_formulas=True))


_VENUE = (
    "<style>body{font-family:Times;font-size:10pt;line-height:1.1;margin:0}p{margin:0 0 5.5pt 0}.q{font-style:italic}"
    ".c{font-family:monospace;font-size:9pt}</style>"
)


def lay_out(outline: Outline, page: str, quoting: Quoting, service: DocumentService) -> Laid:
    """Typesets the whole rebuttal in a venue's page format (a kind of ``engine.documents.marking.PAGES``), by reviewer
    and point. Formulas are written as LaTeX, which takes about as much space."""
    parts = []
    for section in outline:
        own = [before + words for _, before, words in blocks(section, quoting)]
        parts += [f"<p><b>{html.escape(section.reviewer)}</b></p>"] if own else []
        parts += [html_of(words) for words in own]
    block = f"<html><head>{_VENUE}</head><body>{''.join(parts)}</body></html>"
    return service.lay_out("Author response", [block], page)


def write_page(outline: Outline, limit: Limit, quoting: Quoting, service: DocumentService, name: str) -> Export:
    """Returns the rebuttal in the page format of the venue's limit, by default that of NeurIPS, as one file."""
    laid = lay_out(outline, limit.page or "neurips", quoting, service)
    lost = loss(outline, raw_formulas=True)
    allowed = limit.pages or 1
    if laid.pages > allowed:
        lost = (*lost, f"It has {laid.pages} pages, but {counted(allowed, 'page is', 'pages are')} allowed.")
    return Export((ExportFile(name, laid.content),), lost)


def _written(section: Section) -> list[str]:
    """Returns a letter's texts for a reviewer by point, with comments quoted in full and a rule before the closing."""
    rule = {"closing": f"{BREAK}\n\n"}
    return [before + rule.get(point.kind, "") + words for point, before, words in blocks(section, "full")]


def filled(laid: Laid) -> float:
    """Returns the number of pages that a rebuttal takes, including the filled fraction of the last one."""
    return laid.pages - 1 + laid.filled


def html_of(markdown: str, *, titles: bool = False) -> str:
    """Converts Markdown to the HTML subset of the typesetter; ``titles`` keeps heading levels instead of bold."""
    return "".join(_pdf_block(block, titles=titles) for block in blocks_of(markdown))


def pdf_page(inner: str) -> str:
    return f"<html><head>{_STYLE}</head><body>{inner}</body></html>"


def _pdf_block(block: Block, *, titles: bool) -> str:
    if block.kind == "rule":
        return f"<p style='text-align:center'>{BREAK}</p>"
    words = "".join(map(_pdf_run, block.runs))
    if block.kind == "quote":
        return f"<p class='q'>{words}</p>"
    if block.kind in ("bullet", "number"):
        mark = f"{block.number}." if block.kind == "number" else "•"
        return f"<p style='margin-left:{14 * block.level}pt'>{mark}&nbsp; {words}</p>"
    if block.kind == "code":
        return f"<p class='c'>{words}</p>"
    if block.kind == "heading":
        return f"<h{block.level}>{words}</h{block.level}>" if titles else f"<p><b>{words}</b></p>"
    return f"<p>{words}</p>"


def _pdf_run(run: Run) -> str:
    said = f"{run.text} ({run.link})" if run.link and run.link != run.text else run.text
    words = html.escape(said).replace("\n", "<br>")
    if run.code:
        words = f"<span class='c'>{words}</span>"
    if run.bold:
        words = f"<b>{words}</b>"
    return f"<i>{words}</i>" if run.italic else words


# --- LaTeX: a letter that compiles on its own, each comment in an environment followed by the reply -------------------

_HEAD = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb,xcolor,hyperref}
\setlength{\parindent}{0pt}\setlength{\parskip}{6pt}
\newenvironment{comment-of}[1]{\par\medskip\begingroup\color[gray]{0.35}\textbf{#1}\quad\itshape}{\par\endgroup}
\newenvironment{reply}{\par}{\par\medskip}
\newenvironment{closing}{\par\begin{center}* * *\end{center}}{\par}
\title{Response to reviewers}
\author{}
\date{}
\begin{document}
\maketitle
"""


def write_latex(outline: Outline, name: str = "response.tex") -> Export:
    parts = [_HEAD]
    for section in outline:
        if not any(point.text.strip() for point in section.points):
            continue
        parts.append(f"\\section*{{{latex_line(section.reviewer)}}}\n")
        if section.opening.text.strip():
            parts.append(latex_of(section.opening.text) + "\n")
        for rows in replies(section):
            for row in rows:
                said = latex_of(re.sub(r"(?m)^#{1,6}(?=\s)", r"\\\g<0>", row.words))  # its headings end no reply
                parts.append(f"\\begin{{comment-of}}{{{latex_line(row.label)}}}\n{said}\n\\end{{comment-of}}\n")
            parts.append(f"\\begin{{reply}}\n{latex_of(rows[-1].point.text)}\n\\end{{reply}}\n")
        if section.closing.text.strip():
            parts.append(f"\\begin{{closing}}\n{latex_of(section.closing.text)}\n\\end{{closing}}\n")
    parts.append("\\end{document}\n")
    content = "\n".join(parts).encode()
    return Export((ExportFile(name, content),), loss(outline))


def latex_of(markdown: str) -> str:
    """Converts Markdown to LaTeX; formulas between dollar signs are kept if they are safe (``latex_formula``)."""
    lines: list[str] = []
    open_: list[str] = []
    for block in blocks_of(markdown):
        kind = _ENVIRONMENTS.get(block.kind, "")
        depth = block.level if block.kind in ("bullet", "number") else 1 if kind else 0
        while len(open_) > depth or (open_ and len(open_) == depth and open_[-1] != kind):
            lines.append(f"\\end{{{open_.pop()}}}")
        while len(open_) < depth:
            open_.append(kind)
            lines.append(f"\\begin{{{kind}}}")
            if block.number > 1:
                lines.append(f"\\setcounter{{{_COUNTERS[min(len(open_), len(_COUNTERS)) - 1]}}}{{{block.number - 1}}}")
        lines.append(_block(block))
    lines += [f"\\end{{{kind}}}" for kind in reversed(open_)]
    return "\n".join(lines).strip()


_ENVIRONMENTS = {"bullet": "itemize", "number": "enumerate", "quote": "quote"}
_COUNTERS = ("enumi", "enumii", "enumiii", "enumiv")
_HEADINGS = {1: "subsection*", 2: "subsubsection*"}


def _block(block: Block) -> str:
    if block.kind == "rule":
        return "\\par\\medskip\\hrule\\medskip\n"
    if block.kind == "code":
        # Only this exact string ends the environment, so inserting a space prevents it.
        code = visible(block.runs[0].text).replace("\ufffd", "").replace("\\end{verbatim}", "\\end {verbatim}")
        return f"\\begin{{verbatim}}\n{code}\n\\end{{verbatim}}\n"
    words = "".join(map(_run, block.runs))
    if block.kind == "heading":
        return f"\\{_HEADINGS.get(block.level, 'paragraph')}{{{words}}}\n"
    if block.kind in ("bullet", "number"):
        return f"\\item {'{}' if words.startswith('[') else ''}{words}"
    return f"{words}\n"


def _run(run: Run) -> str:
    words = latex_formula(run.text) if run.formula else _set(run.text).replace("\n", "\\\\\n")
    if run.code:
        words = f"\\texttt{{{words}}}"
    if run.bold:
        words = f"\\textbf{{{words}}}"
    if run.italic:
        words = f"\\emph{{{words}}}"
    return (
        f"\\href{{{run.link.replace('%', chr(92) + '%').replace('#', chr(92) + '#')}}}{{{words}}}"
        if run.link
        else words
    )


_UNKNOWN = re.compile("[^\x00-\xff\u0100-\u017f\u2010-\u2026\u20ac]")
"""Characters that pdfLaTeX can't typeset by default."""


def _set(text: str) -> str:
    """Escapes text for LaTeX; mathematical symbols and Greek letters become commands."""
    words = as_latex(text)
    if not _UNKNOWN.search(words):
        return words
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    encoder = UnicodeToLatexEncoder(non_ascii_only=True, unknown_char_policy="keep", unknown_char_warning=False)
    return _UNKNOWN.sub(lambda match: str(encoder.unicode_to_latex(match[0])), words)


# --- Word (OOXML): headings for reviewers, comments in a quotation style, replies as text -----------------------------


def write_docx(outline: Outline, name: str = "response.docx") -> Export:
    """Returns the letter as one file without an author in its metadata. Formulas are LaTeX between dollar signs."""
    import docx

    document = docx.Document()
    properties = document.core_properties
    properties.author = properties.last_modified_by = properties.comments = ""
    properties.title = TITLE
    # A fixed time, so that the same rebuttal gives the same bytes and reveals no working hours.
    properties.created = properties.modified = datetime(2000, 1, 1)  # noqa: DTZ001 - OOXML keeps times without a zone
    document.add_heading(TITLE, level=0)
    for section in outline:
        own = _written(section)
        if own:
            document.add_heading(_clean(section.reviewer), level=1)
        for words in own:
            _add(document, words)
    written, dated = io.BytesIO(), io.BytesIO()
    document.save(dated)
    with zipfile.ZipFile(dated) as parts, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in parts.namelist():
            archive.writestr(zipfile.ZipInfo(part), parts.read(part), zipfile.ZIP_DEFLATED)  # dated 1980
    return Export((ExportFile(name, written.getvalue()),), loss(outline, raw_formulas=True))


_STYLES = {"bullet": "List Bullet", "number": "List Number", "quote": "Intense Quote", "code": "macro"}
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
        for part in block.runs:
            run = paragraph.add_run(_clean(part.text))
            run.bold = part.bold or None
            run.italic = part.italic or None
            if part.code and block.kind != "code":
                run.font.name = "Courier New"
            if part.link.startswith(("https://", "http://", "mailto:")):  # others may be the author's local files
                _link(paragraph, run, part.link)
        before = block


def _list_from(document: Any, style: Any, start: int) -> int:
    """Adds a numbering for one list, so that it doesn't continue the previous one."""
    numbering = document.part.numbering_part.element
    known = next(num for num in numbering.num_lst if num.numId == style.element.pPr.numPr.numId.val)
    made = numbering.add_num(known.abstractNumId.val)
    made.add_lvlOverride(ilvl=0).add_startOverride(start)
    return int(made.numId)


_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that aren't allowed in XML, such as control characters copied from a PDF."""


def _clean(text: str) -> str:
    return _UNWRITABLE.sub("", visible(text))


def _link(paragraph: Any, run: Any, address: str) -> None:
    """Wraps a run in a hyperlink, which python-docx doesn't support directly."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run.font.underline = True
    link.append(run._r)
    paragraph._p.append(link)


Form = Literal["posts", "letter", "latex", "docx", "pdf", "page", "notes"]
FORMS: tuple[Form, ...] = get_args(Form)
_ID = re.compile(r"([\w-]{8,12})-\d+")
_FIELD = "rebuttal"
INFO: Mapping[Form, FormInfo] = {
    "posts": FormInfo("Posts for the form", "A Markdown file for each post, ready to paste into the form.", ""),
    "letter": FormInfo("Letter, Markdown", "One letter that quotes every comment.", ".md"),
    "latex": FormInfo("Letter, LaTeX", "One self-contained LaTeX letter with quoted comments.", ".tex"),
    "docx": FormInfo("Letter, Word", "One letter as a Word document.", ".docx"),
    "pdf": FormInfo("Letter, PDF", "One letter in A4 format.", ".pdf"),
    "page": FormInfo(
        "One page, PDF",
        "The rebuttal in the type and margins of the NeurIPS author response, for a page limit.",
        ".pdf",
    ),
    "notes": FormInfo("OpenReview notes", "A JSON file with one note per post, for your own scripts.", ".json"),
}


@dataclass(frozen=True, slots=True)
class Leaving:
    outline: Outline
    limit: Limit
    quoting: Quoting


def make(form: Form, leaving: Leaving, name: str, service: DocumentService) -> Export:
    """Returns the files of a format, without notes to co-authors; ``name`` is the name of a single file. ``service``
    typesets PDFs."""
    leaving = replace(leaving, outline=without_notes(leaving.outline))
    if form == "docx":
        return write_docx(leaving.outline, name)
    if form == "pdf":
        return write_pdf(leaving.outline, service, name)
    if form == "page":
        return write_page(leaving.outline, leaving.limit, leaving.quoting, service, name)
    return _as_text(form, leaving, name)


def _as_text(form: Form, leaving: Leaving, name: str) -> Export:
    """Returns the files of a text format; for Word and PDF, those of the Markdown letter."""
    if form == "posts":
        return write_posts(leaving.outline, leaving.limit, leaving.quoting)
    if form == "notes":
        return write_notes(leaving.outline, leaving.limit, leaving.quoting, name)
    return write_latex(leaving.outline, name) if form == "latex" else write_letter(leaving.outline, name)


def whole(section: Section, quoting: Quoting) -> str:
    """Returns all text for one reviewer under their name; "" if there is none."""
    own = [before + words for _, before, words in blocks(section, quoting)]
    return "\n\n".join((f"**{inert_line(section.reviewer)}**", *own)) if own else ""


def preview_text(form: Form, leaving: Leaving) -> str:
    """Returns the content as text for review before export: text formats as they are, Word and PDF as plain text."""
    leaving = replace(leaving, outline=without_notes(leaving.outline))
    if form == "page":
        return "\n\n".join(filter(None, (whole(section, leaving.quoting) for section in leaving.outline)))
    files = _as_text(form, leaving, "").files
    if form != "posts":
        return files[0].content.decode()
    return "\n\n".join(f"──── {file.name} ────\n\n{file.content.decode()}" for file in files)


def write_notes(outline: Outline, limit: Limit, quoting: Quoting, name: str = "rebuttal-notes.json") -> Export:
    """Returns OpenReview notes (API version 2), one per post, as one file, which ``openreview`` can read. ``replyto``
    is the review's id if the review came from OpenReview."""
    notes: list[dict[str, Any]] = []
    unknown = 0
    for section in outline:
        reply_to = review_id(section)
        for post in posts(section, limit, quoting):
            number = f" ({post.number}/{post.of})" if post.of > 1 else ""
            unknown += not reply_to
            notes.append(
                {
                    "replyto": reply_to,
                    "signatures": ["Authors"],
                    "content": {
                        "title": {"value": f"Rebuttal to {section.reviewer}{number}"},
                        _FIELD: {"value": post.text},
                    },
                }
            )
    sentences = loss(outline)
    if unknown:
        many = "1 note has no link to its review" if unknown == 1 else f"{unknown} notes have no link to their review"
        sentences = (*sentences, f"{many}. Enter the review's id in “replyto”.")
    sentences = (*sentences, "Fill in the venue's forum, invitation and signatures before you send the notes.")
    content = (json.dumps({"notes": notes}, ensure_ascii=False, indent=2) + "\n").encode()
    return Export((ExportFile(name, content),), sentences)


def review_id(section: Section) -> str:
    """Returns the id of the OpenReview note that a reviewer's comments came from; "" if they didn't."""
    ids = {match[1] for row in section.rows if (match := _ID.fullmatch(row.comment.external_id))}
    return ids.pop() if len(ids) == 1 else ""


def write_matrix(matrix: Matrix, name: str) -> Export:
    """Returns the response matrix as a table for the authors: one row per comment, with the number of its response's
    claims in each state, and the claims as text."""
    states = [state.replace(" ", "_") for state in GRAVEST]
    header = ("comment_id", "label", "reviewer", "action", "text", "edit", "linked_edits", *states,
              "confirmed_by_a_person", "length", "share", "claims", "response")  # fmt: skip
    rows = [
        (
            line.row.comment.id, line.row.label, line.row.comment.reviewer, line.row.point.action or "", line.answered,
            line.linked, " ".join(edit.label for edit in line.edits),
            *(sum(one.verdict == state for one in line.claims) for state in GRAVEST),
            sum(one.confirmed for one in line.claims), line.spent, line.allotted,
            "\n".join(f"{one.verdict}: {one.said}" for one in line.claims), line.row.point.text,
        )
        for line in matrix.rows
    ]  # fmt: skip
    return Export((csv_file(name, header, rows),))
