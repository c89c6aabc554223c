"""LaTeX commands and environments that letters use, by what becomes of them when their text is read."""

from __future__ import annotations

from engine.exchange.markdown_tokens import BlockKind

HEADINGS = {"part": 1, "chapter": 1, "title": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 3}
QUOTES = frozenset({"quote", "quotation", "displayquote", "quoting", "comment-of"})
LISTS: dict[str, BlockKind] = {"itemize": "bullet", "compactitem": "bullet", "description": "bullet",
          "enumerate": "number", "compactenum": "number", "inparaenum": "number", "enumerate*": "number"}  # fmt: skip
TABLES = frozenset({"tabular", "tabular*", "tabularx", "longtable", "tabulary", "supertabular"})
DISPLAY = frozenset({
    "equation", "align", "gather", "multline", "eqnarray", "displaymath", "alignat", "flalign", "math",
})  # fmt: skip
VERBATIM = frozenset({"verbatim", "lstlisting", "Verbatim", "minted", "alltt"})
PLAIN = frozenset({
    "document", "center", "flushleft", "flushright", "letter", "minipage", "figure", "table", "small", "spacing",
    "multicols", "adjustwidth", "table*", "figure*", "sloppypar", "singlespace",
})  # fmt: skip
BREAKS = {"par": 0, "pagebreak": 0, "newpage": 0, "clearpage": 0, "bigskip": 0, "medskip": 0, "smallskip": 0,
          "maketitle": 0, "vspace": 1}  # fmt: skip
"""Commands that end a paragraph, and how many arguments they have."""
STYLES = {"textbf": "bold", "strong": "bold", "emph": "italic", "textit": "italic", "textsl": "italic",
           "texttt": "code", "lstinline": "code", "underline": "underlined", "uline": "underlined", "hl": "highlighted",
           "textsc": "small capitals", "textsf": "sans serif"}  # fmt: skip
SWITCHES = {"bfseries": "bold", "bf": "bold", "itshape": "italic", "it": "italic", "em": "italic", "slshape": "italic",
             "sl": "italic", "ttfamily": "code", "tt": "code", "sffamily": "sans serif", "sf": "sans serif",
             "scshape": "small capitals"}  # fmt: skip
TAKEN = {
    "hspace": 1, "label": 1, "setlength": 2, "addtolength": 2, "usepackage": 1,
    "thispagestyle": 1, "pagestyle": 1, "bibliography": 1, "bibliographystyle": 1, "includegraphics": 1, "author": 1,
    "date": 1, "signature": 1, "address": 1, "documentclass": 1, "definecolor": 3, "hypersetup": 1, "newlength": 1,
    "pagenumbering": 1, "geometry": 1, "addcontentsline": 3, "hyphenation": 1, "graphicspath": 1, "setstretch": 1,
    "fontsize": 2, "rule": 2, "phantom": 1, "vphantom": 1, "hphantom": 1, "nocite": 1, "index": 1, "cline": 1,
    "lhead": 1, "chead": 1, "rhead": 1, "lfoot": 1, "cfoot": 1, "rfoot": 1, "fancyhf": 1, "fancyhead": 1,
    "fancyfoot": 1, "selectlanguage": 1, "captionsetup": 1, "raisebox": 1, "resizebox": 2, "scalebox": 1, "parbox": 1,
    "makebox": 0, "framebox": 0, "theoremstyle": 1, "newtheorem": 2, "pagecolor": 1, "hypertarget": 1, "hyperlink": 1,
    "newlist": 3, "setlist": 1, "tcbset": 1, "tcbuselibrary": 1, "lstset": 1, "cc": 1, "encl": 1, "ps": 1,
    "tikzset": 1, "counterwithin": 2, "numberwithin": 2, "colorbox": 1, "newtcbtheorem": 4, "linespread": 1,
}  # fmt: skip
"""How many arguments of a command are no words of the letter."""
LENGTHS = frozenset({"vskip", "hskip", "kern", "parindent", "parskip", "baselineskip", "columnsep", "itemsep"})
SILENT = frozenset({
    "noindent", "indent",
    "centering", "normalfont", "small", "large", "Large", "LARGE", "huge", "Huge", "footnotesize", "scriptsize",
    "tiny", "normalsize", "hfill", "vfill", "quad", "qquad", "begingroup", "endgroup", "raggedright", "raggedleft",
    "doublespacing", "onehalfspacing", "singlespacing", "selectfont", "upshape", "mdseries", "rmfamily",
    "makeatletter", "makeatother", "frenchspacing", "sloppy", "nopagebreak",
    "tableofcontents", "appendix", "leavevmode", "protect", "relax", "ignorespaces", "unskip", "null", "hline",
    "toprule", "midrule", "bottomrule", "endhead", "endfirsthead", "boldmath", "strut", "xspace",
    "justifying", "allowbreak", "columnbreak", "rm", "global", "long", "today", "fill", "dotfill",
    "hrulefill",
})  # fmt: skip
REFERENCES = frozenset({
    "ref", "eqref", "autoref", "cref", "Cref", "pageref", "nameref", "cite", "citep", "citet", "citealp", "citeauthor",
    "citeyear", "parencite", "textcite", "autocite", "lineref", "linenumber", "vref", "citealt",
})  # fmt: skip
WORDS = frozenset({"ensuremath", "mbox", "hbox", "text", "textrm", "textnormal", "textup", "textmd"})
"""Commands that leave their argument as it is."""
SIGNS = {
    "&": "&", "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", " ": " ", ",": " ", ";": " ", ":": " ",
    "!": "", "/": "", "-": "", "@": "", "\n": " ", "dots": "…", "ldots": "…", "textbackslash": "\\", "S": "§",
    "P": "¶", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">", "slash": "/",
    "LaTeX": "LaTeX", "TeX": "TeX", "nobreakspace": " ", "space": " ", "enspace": " ", "textquotedblleft": "“",
    "textquotedblright": "”", "textquoteright": "’", "textquoteleft": "‘", "lq": "‘", "rq": "’", "guillemotleft": "«",
    "guillemotright": "»",
}  # fmt: skip
