"""The rebuttal as a LaTeX response letter that compiles by itself: each comment in a box of its own, then the reply.

Markdown of the replies becomes LaTeX; formulas stay as they were written.
"""

from __future__ import annotations

import re

from engine.exchange.latex import as_latex, latex_formula, latex_line
from engine.exchange.markdown_tokens import Block, Run, blocks_of
from engine.exchange.records import Export, ExportFile
from engine.exchange.response_letter import loss
from engine.rebuttal.points import Outline
from engine.shown import visible

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
    """The letter as one file."""
    parts = [_HEAD]
    for section in outline:
        if not any(point.text.strip() for point in section.points):
            continue
        parts.append(f"\\section*{{{latex_line(section.reviewer)}}}\n")
        if section.opening.text.strip():
            parts.append(latex_of(section.opening.text) + "\n")
        for row in section.rows:
            if row.point.text.strip():
                said = latex_of(row.comment.comment)
                parts.append(f"\\begin{{comment-of}}{{{latex_line(row.label)}}}\n{said}\n\\end{{comment-of}}\n")
                parts.append(f"\\begin{{reply}}\n{latex_of(row.point.text)}\n\\end{{reply}}\n")
        if section.closing.text.strip():
            parts.append(f"\\begin{{closing}}\n{latex_of(section.closing.text)}\n\\end{{closing}}\n")
    parts.append("\\end{document}\n")
    content = "\n".join(parts).encode()
    return Export((ExportFile(name, content, "application/x-tex"),), loss(outline))


def latex_of(markdown: str) -> str:
    """A Markdown text as LaTeX; formulas between dollar signs pass as they are."""
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
        # Only these letters end it, so a blank among them keeps the rest inside.
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
"""Letters that pdfLaTeX does not set by itself."""


def _set(text: str) -> str:
    """Words as LaTeX sets them; signs of mathematics and Greek letters become their commands."""
    words = as_latex(text)
    if not _UNKNOWN.search(words):
        return words
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    encoder = UnicodeToLatexEncoder(non_ascii_only=True, unknown_char_policy="keep", unknown_char_warning=False)
    return _UNKNOWN.sub(lambda match: str(encoder.unicode_to_latex(match[0])), words)
