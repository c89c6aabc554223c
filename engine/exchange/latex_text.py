r"""The text of a LaTeX file as marked text: what response letters and reviews are made of.

Sections, quotations, lists, emphasis, links, code, tables and formulas become Markdown. The commands and environments
that a letter defines itself are expanded; what each stretch is in ("in reply", "by rc") and its colours are marks.
``\input`` and ``\include`` are followed within the letter's folder. Nothing else is run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.encoding import decode, read_bytes
from engine.exchange.markdown_tokens import Block, BlockKind, Run, marked_of
from engine.reviews.marks import MarkedText

_BEGIN = r"\begin{document}"
_HEADINGS = {"part": 1, "chapter": 1, "title": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 3}
_QUOTES = frozenset({"quote", "quotation", "displayquote", "quoting", "comment-of"})
_LISTS = {"itemize": "bullet", "compactitem": "bullet", "description": "bullet", "enumerate": "number",
          "compactenum": "number", "inparaenum": "number", "enumerate*": "number"}  # fmt: skip
_TABLES = frozenset({"tabular", "tabular*", "tabularx", "longtable", "tabulary", "supertabular"})
_DISPLAY = frozenset({
    "equation", "align", "gather", "multline", "eqnarray", "displaymath", "alignat", "flalign", "math",
})  # fmt: skip
_VERBATIM = frozenset({"verbatim", "lstlisting", "Verbatim", "minted", "alltt"})
_PLAIN = frozenset({
    "document", "center", "flushleft", "flushright", "letter", "minipage", "figure", "table", "small", "spacing",
    "multicols", "adjustwidth", "table*", "figure*", "sloppypar", "singlespace",
})  # fmt: skip
_STYLES = {"textbf": "bold", "strong": "bold", "emph": "italic", "textit": "italic", "textsl": "italic",
           "texttt": "code", "lstinline": "code", "underline": "underlined", "uline": "underlined", "hl": "highlighted",
           "textsc": "small capitals", "textsf": "sans serif"}  # fmt: skip
_SWITCHES = {"bfseries": "bold", "bf": "bold", "itshape": "italic", "it": "italic", "em": "italic", "slshape": "italic",
             "sl": "italic", "ttfamily": "code", "tt": "code", "sffamily": "sans serif", "sf": "sans serif",
             "scshape": "small capitals"}  # fmt: skip
_TAKEN = {
    "vspace": 1, "hspace": 1, "vskip": 0, "label": 1, "setlength": 2, "addtolength": 2, "usepackage": 1,
    "thispagestyle": 1, "pagestyle": 1, "bibliography": 1, "bibliographystyle": 1, "includegraphics": 1, "author": 1,
    "date": 1, "signature": 1, "address": 1, "documentclass": 1, "definecolor": 3, "hypersetup": 1, "newlength": 1,
    "pagenumbering": 1, "geometry": 1, "addcontentsline": 3, "hyphenation": 1, "graphicspath": 1, "setstretch": 1,
    "fontsize": 2, "rule": 2, "phantom": 1, "vphantom": 1, "hphantom": 1, "nocite": 1, "index": 1, "cline": 1,
    "lhead": 1, "chead": 1, "rhead": 1, "lfoot": 1, "cfoot": 1, "rfoot": 1, "fancyhf": 1, "fancyhead": 1,
    "fancyfoot": 1, "selectlanguage": 1, "captionsetup": 1, "raisebox": 1, "resizebox": 2, "scalebox": 1, "parbox": 1,
    "makebox": 0, "framebox": 0, "theoremstyle": 1, "newtheorem": 2, "pagecolor": 1, "hypertarget": 1, "hyperlink": 1,
    "newlist": 3, "setlist": 1, "tcbset": 1, "tcbuselibrary": 1, "lstset": 1, "cc": 1, "encl": 1, "ps": 1,
    "tikzset": 1, "counterwithin": 2, "numberwithin": 2, "colorbox": 1,
}  # fmt: skip
"""How many arguments of a command are no words of the letter."""
_SILENT = frozenset({
    "maketitle", "medskip", "bigskip", "smallskip", "noindent", "indent", "clearpage", "newpage", "pagebreak",
    "centering", "normalfont", "small", "large", "Large", "LARGE", "huge", "Huge", "footnotesize", "scriptsize",
    "tiny", "normalsize", "hfill", "vfill", "quad", "qquad", "begingroup", "endgroup", "raggedright", "raggedleft",
    "doublespacing", "onehalfspacing", "singlespacing", "selectfont", "upshape", "mdseries", "rmfamily",
    "makeatletter", "makeatother", "frenchspacing", "sloppy", "nopagebreak", "newline", "linebreak",
    "tableofcontents", "appendix", "leavevmode", "protect", "relax", "ignorespaces", "unskip", "null", "hline",
    "toprule", "midrule", "bottomrule", "endhead", "endfirsthead", "boldmath", "strut", "xspace", "parindent",
    "parskip", "justifying", "allowbreak", "columnbreak", "rm", "global", "long", "today", "fill", "dotfill",
    "hrulefill",
})  # fmt: skip
_REFERENCES = frozenset({
    "ref", "eqref", "autoref", "cref", "Cref", "pageref", "nameref", "cite", "citep", "citet", "citealp", "citeauthor",
    "citeyear", "parencite", "textcite", "autocite", "lineref", "linenumber", "vref", "citealt",
})  # fmt: skip
_SIGNS = {
    "&": "&", "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", " ": " ", ",": " ", ";": " ", ":": " ",
    "!": "", "/": "", "-": "", "@": "", "\n": " ", "dots": "…", "ldots": "…", "textbackslash": "\\", "S": "§",
    "P": "¶", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">", "slash": "/",
    "LaTeX": "LaTeX", "TeX": "TeX", "nobreakspace": " ", "space": " ", "enspace": " ", "textquotedblleft": "“",
    "textquotedblright": "”", "textquoteright": "’", "textquoteleft": "‘", "lq": "‘", "rq": "’", "guillemotleft": "«",
    "guillemotright": "»",
}  # fmt: skip
_TAG = re.compile(r"\\label\{[^}]*\}|\\(?:nonumber|notag)\b")
_TOKEN = re.compile(
    r"%[^\n]*(?:\n[ \t]*(?!\n)|\Z)?|(?P<para>\n[ \t]*\n\s*)|\\(?P<edge>begin|end)[ \t]*\{(?P<name>[^{}\n]*)\}"
    r"|\\(?P<macro>[A-Za-z@]+\*?)"
    r"|\\(?P<sign>[^A-Za-z@])|(?P<brace>[{}])|(?P<math>\$\$?)|(?P<tie>~)|(?P<quote>``|'')|(?P<dash>---?)|(?P<cell>&)"
    r"|(?P<text>[^\\%{}$~`'&\n-]+|[`'\n-])",
)
_OWN = ("comment-of", "closing")
"""Environments of letters that were written here."""
_DEEPEST = 60
_TOKENS = 1_000_000
_ARGUMENT = re.compile(r"\s*")
_MACRO_NAME = re.compile(r"\s*\{?\s*\\([A-Za-z@]+\*?|.)\s*\}?")
_DEFINING = re.compile(
    r"(?:re)?newcommand|providecommand|DeclareRobustCommand|def|gdef|NewDocumentCommand|RenewDocumentCommand"
)
_ENVIRONING = re.compile(
    r"(?:re)?newenvironment|(?:New|Renew)DocumentEnvironment|(?:re)?newtcolorbox|newmdenv|newtcbox|newtheorem"
)
_UNSAFE = re.compile(r"@|\\(?:if|expandafter|csname|let|catcode|futurelet|loop)")


def is_latex(text: str) -> bool:
    """Whether a text is a LaTeX file; a part of one that has no preamble counts where it is full of commands."""
    head = re.sub(r"(?<!\\)%.*", "", text[:20_000])
    if _BEGIN in text or re.search(r"^\s*\\documentclass\b", head, re.MULTILINE):
        return True
    commands = len(re.findall(r"\\[a-zA-Z]+(?=[{\[\s])", head))
    return commands >= 6 and bool(re.search(r"\\(?:begin|section|textbf|emph|item)\b", head))


def latex_text(text: str, name: str, folder: Path | None = None) -> MarkedText:
    """The text of a file, and sentences about what did not come over; ``folder`` is where its parts may be.

    Raises BadInput where it is too large or its commands cannot be followed.
    """
    limits.check_size(len(text), limits.LETTER_CHARACTERS, name, "characters")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    reader = _Reader(folder)
    start = text.find(_BEGIN)
    try:
        if start >= 0:
            reader.define(text[:start])
        reader.read(text[start + len(_BEGIN) :] if start >= 0 else text)
    except (_TooMuch, RecursionError) as error:
        raise BadInput(
            f"{name} cannot be read as LaTeX.",
            "Nothing was imported.",
            "See whether each brace and each environment is closed, or import the PDF.",
        ) from error
    reader.finish()
    marked = marked_of(reader.blocks)
    warnings = []
    if reader.referred:
        warnings.append("References to labels (\\ref, \\cite) are shown as their names.")
    if reader.missing:
        warnings.append(f"Not found beside it, and left out: {', '.join(sorted(reader.missing))}.")
    return replace(marked, warnings=tuple(warnings), converted=True)


class _TooMuch(Exception):
    """Commands that expand without an end."""


@dataclass(frozen=True, slots=True)
class _Definition:
    count: int
    default: str | None
    body: str
    end: str = ""


@dataclass(frozen=True, slots=True)
class _Look:
    """How letters look where they are, and what they are part of."""

    styles: frozenset[str] = frozenset()
    link: str = ""
    quoted: bool = False
    lists: tuple[BlockKind, ...] = ()
    marks: frozenset[str] = frozenset()
    switch: str = ""
    within: tuple[tuple[str, int], ...] = ()
    column: int = 0


@dataclass(slots=True)
class _Reader:
    """Goes through a file's tokens and gathers paragraphs."""

    folder: Path | None
    blocks: list[Block] = field(default_factory=list)
    referred: bool = False
    missing: set[str] = field(default_factory=set)
    macros: dict[str, _Definition] = field(default_factory=dict)
    environments: dict[str, _Definition] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    ended: bool = False
    _runs: list[Run] = field(default_factory=list)
    _look: _Look = field(default_factory=_Look)
    _stack: list[tuple[str, _Look]] = field(default_factory=list)
    _counts: list[int] = field(default_factory=list)
    _item: tuple[BlockKind, int] | None = None
    _opens: bool = False
    _instances: int = 0
    _deep: int = 0
    _taken: int = 0
    _read: int = 0

    # paragraphs -------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Ends the current paragraph."""
        runs, self._runs = tuple(self._runs), []
        look = self._look
        if not any(run.text.strip() for run in runs):
            return
        if self._item is not None:
            kind, number = self._item
            self._item = None
            block = Block(kind, runs, max(1, len(look.lists)), number, within=look.within)
        elif look.quoted:
            block = Block("quote", runs, opens=self._opens, within=look.within)
            self._opens = False
        else:
            block = Block("paragraph", runs, within=look.within)
        self.blocks.append(block)

    def _say(self, words: str, *, formula: bool = False) -> None:
        if words[:1] == " " and self._runs and self._runs[-1].text[-1:].isspace():
            words = words.lstrip(" ")
        if not words:
            return
        look = self._look
        marks = look.marks | ({look.switch} if look.switch else set())
        styles = look.styles
        self._runs.append(
            Run(words, "bold" in styles, "italic" in styles, "code" in styles, look.link, formula, frozenset(marks))
        )

    def _heading(self, level: int, words: str) -> None:
        self.finish()
        kept, self._look = self._look, _Look(marks=self._look.marks)
        self.read(words)
        runs, self._runs, self._look = tuple(self._runs), [], kept
        if any(run.text.strip() for run in runs):
            self.blocks.append(Block("heading", runs, level))
        self._look = replace(self._look, switch="")

    # tokens -----------------------------------------------------------------------------------------------------

    def define(self, preamble: str) -> None:
        """Takes in the definitions of a preamble, and of the style files beside the letter that it uses."""
        for match in re.finditer(
            r"(?<!\\)\\usepackage(?:\s*\[[^\]]*\])?\s*\{([^}]*)\}", re.sub(r"(?<!\\)%.*", "", preamble)
        ):
            for name in match[1].split(","):
                part = self._part(name.strip(), ".sty", quiet=True)
                if part:
                    self._definitions(part, safe=True)
        self._definitions(preamble, safe=False)

    def _definitions(self, text: str, *, safe: bool) -> None:
        text = re.sub(r"(?<!\\)%.*", "", text)
        position = 0
        while match := re.compile(r"\\([A-Za-z]+)\*?").search(text, position):
            position = match.end()
            if _DEFINING.fullmatch(match[1]) or _ENVIRONING.fullmatch(match[1]):
                position = self._define(match[1], text, position, safe=safe)
            elif match[1] in ("input", "include") and not safe:
                name, position = _argument(text, position)
                self._definitions(self._part(name, ".tex", quiet=True), safe=True)
            elif match[1] == "newcounter":
                name, position = _argument(text, position)
                self.counters.setdefault(name, 0)

    def _define(self, kind: str, text: str, position: int, *, safe: bool = False) -> int:
        """One definition; where it ends. One that only TeX can follow is known by its name and number of arguments."""
        while position < len(text) and text[position] == "*":
            position += 1
        if kind == "newmdenv":
            _, position = _option(text, position)
        if _ENVIRONING.fullmatch(kind):
            name, position = _argument(text, position)
        else:
            match = _MACRO_NAME.match(text, position)
            if match is None:
                return position
            name, position = match[1], match.end()
        if kind == "newtheorem":
            _, position = _argument(text, position)
            return position
        count, default = 0, None
        if kind in ("def", "gdef"):
            arguments = re.compile(r"[^{]*").match(text, position)
            count = len(re.findall(r"#\d", arguments[0])) if arguments else 0
            position = arguments.end() if arguments else position
        elif "Document" in kind:
            pattern, position = _argument(text, position)
            letters = re.sub(r"\{[^}]*\}|[+!\s]", "", pattern)
            count = len(letters)
            default = "" if letters[:1] in ("o", "O") else None
        elif kind != "newmdenv":
            number, position = _option(text, position)
            count = int(number) if number.strip().isdigit() else 0
            if count:
                given, after = _option(text, position)
                if after != position:
                    default, position = given, after
        body, end = "", ""
        if kind != "newmdenv":
            body, position = _argument(text, position)
        if kind.endswith(("environment", "Environment")):
            end, position = _argument(text, position)
        if kind.endswith(("tcolorbox", "tcbox")):
            body = ""
        if _UNSAFE.search(body + end) or (safe and len(body) > 400):
            body, end = "".join(f"#{n}" for n in range(1, count + 1)) if not _ENVIRONING.fullmatch(kind) else "", ""
            if not _ENVIRONING.fullmatch(kind) and not count:
                return position
        if name in _OWN:
            return position
        made = _Definition(min(count, 9), default, body, end)
        (self.environments if _ENVIRONING.fullmatch(kind) else self.macros)[name] = made
        return position

    def read(self, source: str) -> None:
        """Takes a text in, token by token."""
        self._deep += 1
        self._read += len(source)
        if self._deep > _DEEPEST or self._read > 40 * limits.LETTER_CHARACTERS:
            raise _TooMuch
        position = 0
        depth = len(self._stack)
        while position < len(source) and not self.ended:
            match = _TOKEN.match(source, position)
            self._taken += 1
            if match is None or self._taken > _TOKENS:
                raise _TooMuch
            position = match.end()
            kind = match.lastgroup
            token = match[0]
            if kind == "text":
                self._say(re.sub(r"\s+", " ", token))
            elif kind == "para":
                self.finish()
            elif kind == "macro":
                position = self._macro(match["macro"], source, position)
            elif kind == "sign":
                position = self._sign(match["sign"], source, position)
            elif kind == "name":
                edge = self._begin if match["edge"] == "begin" else self._end
                position = edge(match["name"].strip(), source, position)
            elif kind == "brace":
                if token == "{":  # noqa: S105 - a brace
                    self._stack.append(("{", self._look))
                elif len(self._stack) > depth and self._stack[-1][0] == "{":
                    self._leave()
            elif kind == "math":
                position = self._math(token, token, source, position)
            elif kind in ("tie", "quote", "dash"):
                self._say({"~": " ", "``": "“", "''": "”", "--": "–", "---": "—"}[token])
            elif kind == "cell":
                if self._look.column:
                    self.finish()
                    self._look = replace(self._look, column=self._look.column + 1)
                    self._mark_column()
                else:
                    self._say("&")
        self._deep -= 1

    def _leave(self) -> None:
        """Ends the innermost group or environment; its paragraph, too, if it was something of its own."""
        name, look = self._stack.pop()
        if name != "{" or (look.quoted, look.within) != (self._look.quoted, self._look.within):
            self.finish()
        self._look = look

    def _math(self, opening: str, closing: str, source: str, position: int) -> int:
        end = position
        while (end := source.find(closing, end)) > 0 and source[end - 1] == "\\" and closing[0] == "$":
            end += 1
        if end < 0 or end - position > 20_000:
            self._say("$" if opening[0] == "$" else "")
            return position
        inner = _TAG.sub("", source[position:end]).strip()
        display = opening in ("$$", "\\[")
        self._say(f"$${inner}$$" if display else f"${inner}$" if inner else "", formula=True)
        return end + len(closing)

    def _sign(self, sign: str, source: str, position: int) -> int:
        if sign in "([":
            return self._math(f"\\{sign}", "\\)" if sign == "(" else "\\]", source, position)
        if sign == "\\":
            _, position = _option(source, position + (source[position : position + 1] == "*"))
            if self._look.column:
                self.finish()
                self._look = replace(self._look, column=1)
                self._mark_column()
            elif self._runs and self._runs[-1].text.rstrip(" ").endswith("\n"):
                self.finish()  # an empty line
            else:
                self._say("\n")
        elif sign in _SIGNS:
            self._say(_SIGNS[sign])
        elif sign in "'`\"^~=.":
            letter, position = _argument(source, position)
            self._say(_letter(f"\\{sign}{{{letter}}}"))
        return position

    def _mark_column(self) -> None:
        others = frozenset(mark for mark in self._look.marks if not mark.startswith("column "))
        self._look = replace(self._look, marks=others | {f"column {self._look.column}"})

    def _macro(self, name: str, source: str, position: int) -> int:
        base = name.rstrip("*")
        if base in self.macros or name in self.macros:
            return self._expand(base, self.macros.get(name) or self.macros[base], source, position)
        if base == "RJargument":
            mark, position = _argument(source, position)
            words, position = _argument(source, position)
            self._inside(words, mark)
        elif base in _HEADINGS:
            _, position = _option(source, position)
            words, position = _argument(source, position)
            self._heading(_HEADINGS[base], words)
        elif base in _STYLES:
            words, position = _argument(source, position)
            self._styled(_STYLES[base], words)
        elif base in _SWITCHES:
            position = _blank(source, position)
            self._style(_SWITCHES[base])
        elif base in ("color", "textcolor"):
            _, position = _option(source, position)
            colour, position = _argument(source, position)
            if base == "textcolor":
                words, position = _argument(source, position)
                self._inside(words, f"colour {colour}")
            else:
                self._colour(colour)
        elif base in ("input", "include", "subfile"):
            part, position = _argument(source, position)
            self.finish()
            self.read(self._part(part, ".tex"))
        elif _DEFINING.fullmatch(base) or _ENVIRONING.fullmatch(base):
            position = self._define(base, source, position)
        elif base in ("setcounter", "addtocounter", "stepcounter", "refstepcounter", "newcounter"):
            position = self._count(base, source, position)
        elif base in ("arabic", "value", "roman", "alph", "Roman", "Alph"):
            counter, position = _argument(source, position)
            self._say(str(self.counters.get(counter, 0)))
        elif base.startswith("the") and base[3:] in self.counters:
            self._say(str(self.counters[base[3:]]))
        elif base in ("url", "href"):
            address, position = _argument(source, position)
            address = address.replace("\\%", "%").replace("\\#", "#").replace("\\_", "_")
            words = address
            kept, self._look = self._look, replace(self._look, link=address)
            if base == "href":
                words, position = _argument(source, position)
                self.read(words)
            else:
                self._say(words)
            self._look = kept
        elif base == "item":
            position = self._next_item(source, position)
        elif base in (
            "par",
            "pagebreak",
            "newpage",
            "clearpage",
            "bigskip",
            "medskip",
            "smallskip",
            "vspace",
            "maketitle",
        ):
            self.finish()
            if base == "vspace":
                _, position = _argument(source, position)
        elif base == "hrule":
            self.finish()
            self.blocks.append(Block("rule", ()))
        elif base in ("newline", "linebreak"):
            self._say("\n")
        elif base == "verb":
            end = source.find(source[position : position + 1], position + 1) if position < len(source) else -1
            if end > 0:
                kept, self._look = self._look, replace(self._look, styles=self._look.styles | {"code"})
                self._say(source[position + 1 : end])
                self._look, position = kept, end + 1
        elif base in _REFERENCES:
            position = _past_options(source, position)
            label, position = _argument(source, position)
            self.referred = True
            self._say(label)
        elif base in ("enquote", "textquote"):
            words, position = _argument(source, position)
            self.read(f"``{words}''")
        elif base in ("opening", "closing"):
            self.finish()
            words, position = _argument(source, position)
            self.read(words)
            self.finish()
        elif base in _TAKEN:
            position = _past_options(source, position)
            for _ in range(_TAKEN[base]):
                _, position = _argument(source, position)
        elif base in _SILENT:
            position = _blank(source, position)
        elif base in _SIGNS:
            self._say(_SIGNS[base])
            position = _blank(source, position)
        else:
            position = self._unknown(base, source, position)
        return position

    def _unknown(self, base: str, source: str, position: int) -> int:
        """A command that nobody defined: a sign or accent, one with words in braces, or one that switches."""
        if len(base) == 1 and source[position : position + 1] in (" ", "{") and base in "cvuHkrbdt":
            letter, position = _argument(source, position)
            self._say(_letter(f"\\{base}{{{letter}}}"))
            return position
        position = _past_options(source, position)
        after = re.compile(r"[ \t]*").match(source, position).end()  # type: ignore[union-attr]
        words: list[str] = []
        while source[after : after + 1] == "{" and len(words) < 4:
            word, position = _argument(source, after)
            words.append(word)
            after = position
        if words:
            if words == [""]:
                self._say(_letter(f"\\{base}"))
            elif (
                base.lower().startswith("review")
                and len(words) == 1
                and len(words[0]) <= 20
                and len(words[0].split()) < 4
            ):
                self._heading(2, f"Reviewer {words[0]}")
            else:
                for number, word in enumerate(words, start=1):
                    self._inside(word, f"by {base} {number}" if len(words) > 1 else f"by {base}")
            return position
        letter = _letter(f"\\{base}")
        if letter:
            self._say(letter + (" " if source[position : position + 1] == " " and letter.isalnum() else ""))
        elif re.fullmatch(r"(?:new)?reviewer(?:section)?", base, re.IGNORECASE):
            self.counters["reviewer"] = self.counters.get("reviewer", 0) + 1
            self._heading(2, f"Reviewer {self.counters['reviewer']}")
        else:
            if len(base) > 1:
                self.finish()
                self._look = replace(self._look, switch=f"by {base}")
            position = _blank(source, position)
        return position

    def _expand(self, name: str, made: _Definition, source: str, position: int) -> int:
        """A command of the letter's own: its body, each argument with the command's mark."""
        arguments, position = self._arguments(made, source, position)
        body = re.sub(r"\s*\n\s*\n\s*", "\n\n", made.body)
        if not made.count:
            self.read(body)
            return _blank(source, position) if re.match(r"[A-Za-z]", name) and body.endswith(" ") else position
        several = made.count > 1
        for number, given in enumerate(arguments, start=1):
            mark = f"by {name} {number}" if several else f"by {name}"
            whole = re.fullmatch(r"[\w.\- ]{0,6}", given)
            body = body.replace(f"#{number}", given if whole else f"\\RJargument{{{mark}}}{{{given}}}")
        self._stack.append(("{", self._look))
        depth = len(self._stack)
        self.read(body)
        while len(self._stack) >= depth:
            self._leave()
        return position

    def _arguments(self, made: _Definition, source: str, position: int) -> tuple[list[str], int]:
        found: list[str] = []
        for number in range(made.count):
            if not number and made.default is not None:
                given, after = _option(source, position)
                found.append(given if after != position else made.default)
                position = after
            else:
                given, position = _argument(source, position)
                found.append(given)
        return found, position

    def _styled(self, style: str, words: str) -> None:
        kept = self._look
        self._style(style)
        self.read(words)
        self._look = replace(kept, switch=self._look.switch)

    def _style(self, style: str) -> None:
        if style in ("bold", "italic", "code"):
            self._look = replace(self._look, styles=self._look.styles | {style})
        else:
            self._look = replace(self._look, marks=self._look.marks | {style})

    def _colour(self, colour: str) -> None:
        others = frozenset(mark for mark in self._look.marks if not mark.startswith("colour "))
        self._look = replace(self._look, marks=others if colour == "black" else others | {f"colour {colour}"})

    def _inside(self, words: str, mark: str) -> None:
        """Words with a mark on them; words of several paragraphs are parted from what is around them."""
        kept = self._look
        if mark.startswith("colour "):
            self._colour(mark.removeprefix("colour "))
        else:
            self._look = replace(kept, marks=kept.marks | {mark})
        apart = "\n\n" in words
        if apart:
            self.finish()
        self.read(words)
        if apart:
            self.finish()
        self._look = kept

    def _next_item(self, source: str, position: int) -> int:
        self.finish()
        label, position = _option(source, position)
        if self._look.lists:
            kind = self._look.lists[-1]
            self._counts[-1] += kind == "number" and not label
            self._item = (kind if not label else "bullet", self._counts[-1])
        if label:
            kept = self._look
            self._styled("bold", label)
            self._look = kept
            self._say(" ")
        return position

    def _count(self, verb: str, source: str, position: int) -> int:
        counter, position = _argument(source, position)
        value = ""
        if verb in ("setcounter", "addtocounter"):
            value, position = _argument(source, position)
        number = int(value) if re.fullmatch(r"\s*-?\d{1,6}\s*", value) else 0
        if verb == "newcounter":
            _, position = _option(source, position)
        before = self.counters.get(counter, 0)
        self.counters[counter] = number if verb in ("setcounter", "newcounter") else before + (number if value else 1)
        if verb == "setcounter" and counter.startswith("enum") and self._counts:
            self._counts[-1] = number
        return position

    def _begin(self, name: str, source: str, position: int) -> int:
        base = name.rstrip("*")
        if base in _DISPLAY and name not in self.environments:
            end = source.find(f"\\end{{{name}}}", position)
            end = end if end >= 0 else len(source)
            inner = _TAG.sub("", source[position:end]).strip()
            inner = (
                inner if base in ("equation", "displaymath", "math") else f"\\begin{{aligned}}{inner}\\end{{aligned}}"
            )
            self._say(f"$${inner}$$", formula=True)
            return end + len(f"\\end{{{name}}}")
        self.finish()
        if base in _VERBATIM:
            end = source.find(f"\\end{{{name}}}", position)
            end = end if end >= 0 else len(source)
            inner = re.sub(r"^\s*(?:\[[^\]]*\]|\{[^}]*\})*", "", source[position:end], count=1)
            self.blocks.append(Block("code", (Run(inner.strip("\n"), code=True),), within=self._look.within))
            return end + len(f"\\end{{{name}}}")
        if len(self._stack) > 200:
            raise _TooMuch
        self._stack.append((name, self._look))
        made = self.environments.get(name)
        look = self._look
        if base not in _PLAIN and name not in _LISTS and base not in _QUOTES and name not in _TABLES:
            self._instances += 1
            look = replace(look, within=(*look.within, (f"in {base}", self._instances)), switch="")
        if made is not None:
            self._look = look
            arguments, position = self._arguments(made, source, position)
            body = made.body
            for number, given in enumerate(arguments, start=1):
                body = body.replace(f"#{number}", given)
            self.read(body)
        elif name in _LISTS:
            _, position = _option(source, position)
            self._look = replace(look, lists=(*look.lists, _LISTS[name]))  # type: ignore[arg-type]
            self._counts.append(0)
        elif base in _QUOTES:
            self._opens = base not in ("quote", "quotation")
            self._instances += 1
            within = (*look.within, ("quoted", self._instances))
            self._look = replace(look, quoted=True, switch="", within=within)
            if base == "comment-of":
                label, position = _argument(source, position)
                self._styled("bold", label)
                self._say(" ")
        elif name in _TABLES:
            _, position = _option(source, position)
            for _ in range(2 if name in ("tabular*", "tabularx", "tabulary") else 1):
                _, position = _argument(source, position)
            self._look = replace(look, column=1)
            self._mark_column()
        else:
            self._look = look
            _, position = _option(source, position)
            if base == "closing":
                self.blocks.append(Block("rule", ()))
            if source[position : position + 1] == "{":
                label, position = _argument(source, position)
                if base not in _PLAIN and 0 < len(label) < 60:
                    self._styled("bold", label)
                    self._say(" ")
        return position

    def _end(self, name: str, source: str, position: int) -> int:
        if name == "document":
            self.finish()
            self.ended = True
            return len(source)
        if not any(entry[0] == name for entry in self._stack):
            return position
        made = self.environments.get(name)
        if made is not None and made.end:
            self.read(made.end)
        while any(entry[0] == name for entry in self._stack):
            inner = self._stack[-1][0]
            if inner in _LISTS and self._counts:
                self.finish()
                self._counts.pop()
            self._leave()
            if inner == name:
                break
        return position

    def _part(self, name: str, ending: str, *, quiet: bool = False) -> str:
        """The text of another file of the letter: only of its own folder, and not for ever."""
        name = name.strip().strip('"')
        if self.folder is None or not name:
            self.missing |= set() if quiet or not name else {name}
            return ""
        home = self.folder.resolve()
        for candidate in (name, f"{name}{ending}"):
            path = (home / candidate).resolve()
            if path.is_relative_to(home) and path.is_file():
                self._deep += 1
                try:
                    return decode(read_bytes(path), path.name).text.replace("\r\n", "\n").replace("\r", "\n")
                finally:
                    self._deep -= 1
        self.missing |= set() if quiet else {name}
        return ""


def _blank(source: str, position: int) -> int:
    """Past the blanks after a command's name, but not past the end of a paragraph."""
    match = re.compile(r"[ \t]*(?:\n(?![ \t]*\n)[ \t]*)?").match(source, position)
    return match.end() if match else position


def _argument(source: str, position: int) -> tuple[str, int]:
    """The argument that comes next, without its braces, and where it ends."""
    begin = _blank(source, position)
    if begin >= len(source) or source[begin] in "}\n":
        return "", position
    if source[begin] == "\\":
        match = re.compile(r"\\(?:[A-Za-z@]+|.)").match(source, begin)
        return (match[0], match.end()) if match else ("", position)
    if source[begin] != "{":
        return source[begin], begin + 1
    end = _closing(source, begin)
    return (source[begin + 1 : end], end + 1) if end >= 0 else (source[begin + 1 :], len(source))


def _option(source: str, position: int) -> tuple[str, int]:
    """The optional argument, if one comes next."""
    begin = _blank(source, position)
    if source[begin : begin + 1] != "[":
        return "", position
    depth = 0
    for match in re.compile(r"\\.|[{}\]]", re.DOTALL).finditer(source, begin + 1, begin + 4000):
        if match[0] == "]" and depth <= 0:
            return source[begin + 1 : match.start()], match.end()
        depth += {"{": 1, "}": -1}.get(match[0], 0)
    return "", position


def _past_options(source: str, position: int) -> int:
    """Past all optional arguments that come next; one that never ends is none."""
    while source[position : position + 1] == "[":
        _, after = _option(source, position)
        if after == position:
            break
        position = after
    return position


_BRACES = re.compile(r"\\.|(?<!\\)%[^\n]*|[{}]", re.DOTALL)


def _closing(source: str, begin: int) -> int:
    depth = 0
    for match in _BRACES.finditer(source, begin):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    return -1


@lru_cache(maxsize=2000)
def _letter(source: str) -> str:
    """What a sign or accented letter looks like; "" for a command that nobody knows."""
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexWalkerError

    try:
        return str(LatexNodes2Text(math_mode="verbatim", keep_comments=False).latex_to_text(source)).strip()
    except (LatexWalkerError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
