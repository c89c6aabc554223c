"""Parses the LaTeX source of a letter: groups, included files, macro definitions, and known commands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.encoding import decode, read_bytes
from engine.exchange.limits import LETTER_CHARACTERS
from engine.exchange.markdown_tokens import BlockKind

_EDGES = re.compile(
    r"\\(?:url|href|nolinkurl)[ \t]*(?P<open>\{)[^{}]*(?P<close>\})|\\.|%[^\n]*|[{}\[\]]",
    re.DOTALL,  # a percent sign in a URL starts no comment
)
_BLANK = re.compile(r"[ \t]*(?:\n(?![ \t]*\n)[ \t]*)?")
_SPACE = re.compile(r"[ \t]*")
_FILE = re.compile(r"[ \t]+([^\s{}\\%]+)")
_SOURCE_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|.)", re.DOTALL)
_LONGEST_OPTION = 4_000
_INCLUSIONS = 500
_PARTS = frozenset({".tex", ".ltx", ".sty", ".cls", ".txt", ".md", ".bbl", ".inc"})
"""Endings of files that a letter may include."""


class TooMuch(Exception):
    """Macros expand, or files include each other, without end."""


class Source:
    """LaTeX text with the ends of its groups and options, all of which are found in one pass."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: dict[int, int] | None = None
        self._found: dict[str, tuple[int, int]] = {}

    def find(self, words: str, position: int) -> int:
        """Returns the next position of ``words``, or -1. Cached, so that repeated searches take linear time."""
        asked, at = self._found.get(words, (position + 1, 0))
        if position < asked or 0 <= at < position:
            at = self.text.find(words, position)
            self._found[words] = position, at
        return at

    def blank(self, position: int, *, lines: bool = True) -> int:
        """Returns the position after blanks and, with ``lines``, after a line end that doesn't end the paragraph."""
        match = (_BLANK if lines else _SPACE).match(self.text, position)
        return match.end() if match else position

    def file_name(self, position: int) -> tuple[str, int]:
        """Like ``argument``, but a file name without braces ends at whitespace, as in TeX."""
        match = _FILE.match(self.text, position)
        return (match[1], match.end()) if match else self.argument(position)

    def argument(self, position: int) -> tuple[str, int]:
        """Returns the next argument without its braces, and where it ends."""
        begin = self.blank(position)
        if begin >= len(self.text) or self.text[begin] in "}\n":
            return "", position
        if match := _SOURCE_COMMAND.match(self.text, begin):
            return match[0], match.end()
        if self.text[begin] != "{":
            return self.text[begin], begin + 1
        end = self._end(begin)
        return (self.text[begin + 1 : end], end + 1) if end >= 0 else (self.text[begin + 1 :], len(self.text))

    def option(self, position: int) -> tuple[str, int]:
        """Returns the next optional argument and where it ends; "" and ``position`` if there is none, it isn't closed
        within its group, or it is longer than ``_LONGEST_OPTION``."""
        begin = self.blank(position)
        end = self._end(begin) if self.text[begin : begin + 1] == "[" else -1
        return (self.text[begin + 1 : end], end + 1) if 0 <= end - begin <= _LONGEST_OPTION else ("", position)

    def past_options(self, position: int) -> int:
        """Returns the position after all optional arguments that follow without blanks."""
        while self.text[position : position + 1] == "[":
            _, after = self.option(position)
            if after == position:
                break
            position = after
        return position

    def _end(self, begin: int) -> int:
        if self._ends is None:
            self._ends = dict(_ends(self.text))
        return self._ends.get(begin, -1)


def _ends(text: str) -> list[tuple[int, int]]:
    """Returns each opening brace or bracket with its closing one; an option ends at its group's first "]"."""
    found: list[tuple[int, int]] = []
    groups: list[int] = []
    options: list[list[int]] = [[]]
    for match in _EDGES.finditer(text):
        sign, at = match[0], match.start()
        if match.lastgroup:
            found.append((match.start("open"), match.start("close")))
        elif sign == "{":
            groups.append(at)
            options.append([])
        elif sign == "}" and groups:
            found.append((groups.pop(), at))
            options.pop()
        elif sign == "[":
            options[-1].append(at)
        elif sign == "]":
            found += [(begin, at) for begin in options[-1]]
            options[-1] = []
    return found


class Parts:
    """Reads a letter's other files: only text files in its folder, with symbolic links and ``..`` resolved."""

    def __init__(self, folder: Path | None) -> None:
        self.missing: set[str] = set()
        self._home = folder.resolve() if folder is not None else None
        self._read: dict[Path, str] = {}
        self._inclusions = 0

    def text(self, name: str, ending: str, *, quiet: bool = False) -> str:
        """Returns the text of file ``name``, with or without ``ending``, or "" if it can't be read; a file that isn't
        found is added to ``missing`` unless ``quiet``.

        Raises TooMuch after ``_INCLUSIONS`` inclusions, and BadInput if the files are too large in total.
        """
        name = name.strip().strip('"')
        self._inclusions += bool(name)
        if self._inclusions > _INCLUSIONS:
            raise TooMuch
        for candidate in (name, f"{name}{ending}") if name and self._home else ():
            path = _inside(self._home, candidate)
            if path is None:
                continue
            if path not in self._read:
                try:
                    said = decode(read_bytes(path, 4 * limits.LETTER_CHARACTERS), path.name).text
                except BadInput:  # empty, or not text
                    said = ""
                self._read[path] = said.replace("\r\n", "\n").replace("\r", "\n")
                size = sum(map(len, self._read.values()))
                limits.check_size(size, limits.LETTER_CHARACTERS, f"Included from {path.name}", "characters")
            return self._read[path]
        self.missing |= {name} if name and not quiet else set()
        return ""


def _inside(home: Path | None, name: str) -> Path | None:
    """Returns the path of a text file in a folder with links resolved; None if it doesn't exist or lies outside."""
    try:
        path = (home / name).resolve() if home else Path()
        if home and path.is_relative_to(home) and path.suffix.lower() in _PARTS and path.is_file():
            return path
    except (OSError, ValueError, RuntimeError):  # an invalid name, or circular links
        return None
    return None


@lru_cache(maxsize=2000)
def letter_of(command: str) -> str:
    """Returns the character for an accent or symbol command; "" for an unknown command."""
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexWalkerError

    try:
        return str(LatexNodes2Text(math_mode="verbatim", keep_comments=False).latex_to_text(command)).strip()
    except (LatexWalkerError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""


DEFINING = re.compile(
    r"(?:re)?newcommand|providecommand|DeclareRobustCommand|def|gdef|NewDocumentCommand|RenewDocumentCommand"
)
ENVIRONING = re.compile(
    r"(?:re)?newenvironment|(?:New|Renew)DocumentEnvironment|(?:re)?newtcolorbox|newmdenv|newtcbox|newtheorem"
)
BOX_TITLE = re.compile(r"\b(?:frame)?title\s*=\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|([^,\]{}]+))")
"""The title among the options of a box."""
_PLACE = re.compile(r"(?<!\\)#(#?\d)")
_NAME = re.compile(r"\s*\{?\s*\\([A-Za-z@]+\*?|.)\s*\}?")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
_UNSAFE = re.compile(r"@|\\(?:if|expandafter|csname|let|catcode|futurelet|loop)")
_OWN = ("comment-of", "closing")
"""Environments of letters written by Rejoinder, which aren't redefined."""
_LONGEST_FOREIGN = 400


@dataclass(frozen=True, slots=True)
class Definition:
    """A command or environment: number of arguments, default of the first one, and replacement text, which is the title
    of a ``box``."""

    count: int
    default: str | None
    body: str
    end: str = ""
    box: bool = False

    def arguments(self, source: Source, position: int) -> tuple[list[str], int]:
        """Returns the arguments at a position, and where they end."""
        found: list[str] = []
        for number in range(self.count):
            if not number and self.default is not None:
                given, after = source.option(position)
                found.append(given if after != position else self.default)
                position = after
            else:
                given, position = source.argument(position)
                found.append(given)
        return found, position

    def filled(self, arguments: Sequence[str]) -> str:
        """Returns the body with the arguments inserted. Raises TooMuch if they are longer than any letter."""
        places = _PLACE.findall(self.body)
        given = {str(number): argument for number, argument in enumerate(arguments, start=1)}
        if sum(len(given.get(place, "")) for place in places) > LETTER_CHARACTERS:
            raise TooMuch
        return _PLACE.sub(lambda place: given.get(place[1], place[1] if place[1][0] == "#" else place[0]), self.body)


class Definitions:
    """The commands, environments and counters that a letter and its own style files define."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.macros: dict[str, Definition] = {}
        self.environments: dict[str, Definition] = {}
        self.counters: dict[str, int] = {}

    def read(self, text: str, *, foreign: bool = False) -> None:
        """Reads the definitions of a preamble and of the files in the letter's folder that it loads. In ``foreign``
        files commands with a long body are replaced as in ``define``."""
        source = Source(re.sub(r"(?<!\\)%.*", "", text))
        position = 0
        while match := _COMMAND.search(source.text, position):
            position = match.end()
            if DEFINING.fullmatch(match[1]) or ENVIRONING.fullmatch(match[1]):
                position = self.define(match[1], source, position, foreign=foreign)
            elif match[1] in ("usepackage", "RequirePackage") and not foreign:
                names, position = source.argument(source.past_options(position))
                for name in names.split(","):
                    self.read(self._parts.text(name, ".sty", quiet=True), foreign=True)
            elif match[1] in ("input", "include") and not foreign:
                name, position = source.argument(position)
                self.read(self._parts.text(name, ".tex", quiet=True), foreign=True)
            elif match[1] == "newcounter":
                name, position = source.argument(position)
                self.counters.setdefault(name, 0)

    def define(self, kind: str, source: Source, position: int, *, foreign: bool = False) -> int:
        """Reads one definition and returns where it ends. A command that needs TeX programming is replaced by its
        arguments, and ignored if it has none; such an environment gets an empty body."""
        environment = ENVIRONING.fullmatch(kind) is not None
        while source.text[position : position + 1] == "*":
            position += 1
        box = kind == "newmdenv" or kind.endswith(("tcolorbox", "tcbox"))
        if box:
            shown, position = source.option(position)
        if environment:
            name, position = source.argument(position)
        else:
            match = _NAME.match(source.text, position)
            if match is None:
                return position
            name, position = match[1], match.end()
        if kind == "newtheorem":
            return source.argument(position)[1]
        count, default, position = _takes(kind, source, position)
        body = end = ""
        if kind != "newmdenv":
            body, position = source.argument(position)
            body = re.sub(r"\s*\n\s*\n\s*", "\n\n", body)
        if kind.endswith(("environment", "Environment")):
            end, position = source.argument(position)
        if box:
            title = BOX_TITLE.search(body or shown)
            body = (title[1] or title[2] or "") if title else ""
        if _UNSAFE.search(body + end) or (foreign and len(body) > _LONGEST_FOREIGN):
            body, end = "".join(f"#{n}" for n in range(1, count + 1)) if not environment else "", ""
            if not environment and not count:
                return position
        if name not in _OWN:
            made = Definition(min(count, 9), default, body, end, box)
            (self.environments if environment else self.macros)[name] = made
        return position

    def count(self, verb: str, source: Source, position: int) -> tuple[str, int]:
        """Executes one counter command; returns the counter's name and where the command ends."""
        counter, position = source.argument(position)
        value = ""
        if verb in ("setcounter", "addtocounter"):
            value, position = source.argument(position)
        number = int(value) if re.fullmatch(r"\s*-?\d{1,6}\s*", value) else 0
        if verb == "newcounter":
            _, position = source.option(position)
        before = self.counters.get(counter, 0)
        self.counters[counter] = number if verb in ("setcounter", "newcounter") else before + (number if value else 1)
        return counter, position


def _takes(kind: str, source: Source, position: int) -> tuple[int, str | None, int]:
    """Returns the number of arguments of a definition, the first one's default, and where its body starts."""
    if kind in ("def", "gdef"):
        end = source.find("{", position)
        end = end if end >= 0 else len(source.text)
        return len(re.findall(r"#\d", source.text[position:end])), None, end
    if "Document" in kind:
        pattern, position = source.argument(position)
        letters = re.sub(r"\{[^}]*\}|[+!\s]", "", pattern)
        return len(letters), "" if letters[:1] in ("o", "O") else None, position
    if kind == "newmdenv":
        return 0, None, position
    number, position = source.option(position)
    count = int(number) if re.fullmatch(r"\s*\d{1,2}\s*", number) else 0
    default, after = source.option(position) if count else ("", position)
    return count, default if after != position else None, after


# --- LaTeX commands and environments in letters, by how they are converted to text -----------------------------------

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
ARGUMENTS = {"letter": 1, "minipage": 1, "spacing": 1, "multicols": 1, "adjustwidth": 2}
"""The number of arguments of plain environments."""
BREAKS = {"par": 0, "pagebreak": 0, "newpage": 0, "clearpage": 0, "bigskip": 0, "medskip": 0, "smallskip": 0,
          "maketitle": 0, "vspace": 1}  # fmt: skip
"""Commands that end a paragraph, with their number of arguments."""
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
    "cellcolor": 1, "rowcolor": 1, "multirow": 2, "multicolumn": 2,
    "IfValueT": 1, "IfValueTF": 1, "IfNoValueF": 1, "IfNoValueTF": 2, "IfNoValueT": 2,
}  # fmt: skip
"""Commands whose arguments aren't part of the letter's text, with the number of those arguments."""
LENGTHS = frozenset({
    "vskip", "hskip", "kern", "parindent", "parskip", "baselineskip", "columnsep", "itemsep", "hsize", "leftmargin",
    "leftmargini", "textwidth", "linewidth", "leftskip", "rightskip", "parsep", "topsep",
})  # fmt: skip
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
"""Commands that leave their argument unchanged."""
SIGNS = {
    "&": "&", "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", " ": " ", ",": " ", ";": " ", ":": " ",
    "!": "", "/": "", "-": "", "@": "", "\n": " ", "dots": "…", "ldots": "…", "textbackslash": "\\", "S": "§",
    "P": "¶", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">", "slash": "/",
    "LaTeX": "LaTeX", "TeX": "TeX", "nobreakspace": " ", "space": " ", "enspace": " ", "textquotedblleft": "“",
    "textquotedblright": "”", "textquoteright": "’", "textquoteleft": "‘", "lq": "‘", "rq": "’", "guillemotleft": "«",
    "guillemotright": "»",
}  # fmt: skip
