"""The rebuttal as a LaTeX response letter that compiles by itself: each comment in a box of its own, then the reply.

Markdown of the replies becomes LaTeX; formulas stay as they were written.
"""

from __future__ import annotations

import re

from engine.exchange.latex import latex_text
from engine.exchange.markdown_tokens import Block, Run, blocks_of
from engine.exchange.records import Export, ExportFile
from engine.exchange.response_letter import loss
from engine.rebuttal.points import Outline

_MATH = re.compile(r"(?<!\\)\$\$.+?\$\$|(?<![\\$])\$[^$\n]+?\$(?!\$)", re.DOTALL)
_HEAD = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb,xcolor,hyperref}
\setlength{\parindent}{0pt}\setlength{\parskip}{6pt}
\newenvironment{comment-of}[1]{\par\medskip\begingroup\color[gray]{0.35}\textbf{#1}\quad\itshape}{\par\endgroup}
\newenvironment{reply}{\par}{\par\medskip}
\title{%s}
\author{}
\date{}
\begin{document}
\maketitle
"""


def write_latex(outline: Outline, name: str = "response.tex", title: str = "Response to reviewers") -> Export:
    """The letter as one file."""
    parts = [_HEAD % latex_text(title)]
    for section in outline:
        if not any(point.text.strip() for point in section.points):
            continue
        parts.append(f"\\section*{{{latex_text(section.reviewer)}}}\n")
        if section.opening.text.strip():
            parts.append(latex_of(section.opening.text) + "\n")
        for row in section.rows:
            if row.point.text.strip():
                said = latex_of(row.comment.comment)
                parts.append(f"\\begin{{comment-of}}{{{row.label}}}\n{said}\n\\end{{comment-of}}\n")
                parts.append(f"\\begin{{reply}}\n{latex_of(row.point.text)}\n\\end{{reply}}\n")
        if section.closing.text.strip():
            parts.append(latex_of(section.closing.text) + "\n")
    parts.append("\\end{document}\n")
    content = "\n".join(parts).encode()
    return Export((ExportFile(name, content, "application/x-tex"),), loss(outline))


def latex_of(markdown: str) -> str:
    """A Markdown text as LaTeX; formulas between dollar signs pass as they are."""
    formulas: list[str] = []

    def keep(match: re.Match[str]) -> str:
        formulas.append(match[0])
        return f"\ue000{len(formulas) - 1}\ue001"

    found = blocks_of(_MATH.sub(keep, markdown))
    lines: list[str] = []
    open_ = ""
    for block in found:
        wanted = {"bullet": "itemize", "number": "enumerate", "quote": "quote"}.get(block.kind, "")
        if wanted != open_:
            if open_:
                lines.append(f"\\end{{{open_}}}")
            if wanted:
                lines.append(f"\\begin{{{wanted}}}")
            open_ = wanted
        lines.append(_block(block))
    if open_:
        lines.append(f"\\end{{{open_}}}")
    text = "\n".join(lines).strip()
    return re.sub("\ue000(\\d+)\ue001", lambda match: formulas[int(match[1])], text)


def _block(block: Block) -> str:
    if block.kind == "code":
        return f"\\begin{{verbatim}}\n{block.runs[0].text}\n\\end{{verbatim}}\n"
    words = "".join(map(_run, block.runs))
    if block.kind == "heading":
        return f"\\paragraph{{{words}}}\n"
    return f"\\item {words}" if block.kind in ("bullet", "number") else f"{words}\n"


def _run(run: Run) -> str:
    words = latex_text(run.text).replace("\n", "\\\\\n")
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
