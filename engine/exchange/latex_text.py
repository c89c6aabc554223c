"""The text of a LaTeX file as Markdown: what response letters and reviews are made of.

Sections, quotations, lists, emphasis, links, code and formulas come over. Environments and commands of a letter's own
are known by their names: what is called comment, point or concern quotes a reviewer, what is called reply, response or
answer is the authors'. Nothing is run: definitions, inclusions and references to labels are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.markdown_tokens import Block, Run, markdown_of

_BEGIN = r"\begin{document}"
_QUOTES = re.compile(
    r"^(?:quote|quotation|displayquote|quoting|rc|\w*(?:comment|point|concern|question|remark|critique|query)s?(?:-of)?|"
    r"reviewertext|reviewer-?quote)\*?$",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"^(?:ar|\w*(?:reply|response|answer|rebuttal|authors?)s?)\*?$", re.IGNORECASE)
_CLOSES = "closing"
_HEADINGS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 3, "title": 1}
_NEXT_REVIEWER = re.compile(r"^(?:reviewer(?:section)?|newreviewer)$", re.IGNORECASE)
_SILENT = frozenset({
    "maketitle", "medskip", "bigskip", "smallskip", "noindent", "par", "clearpage", "newpage", "pagebreak", "label",
    "vspace", "hspace", "vskip", "color", "setlength", "centering", "normalfont", "small", "large", "footnotesize",
    "newcommand", "renewcommand", "newenvironment", "documentclass", "usepackage", "author", "date", "input",
    "include", "bibliography", "bibliographystyle", "thispagestyle", "pagestyle", "addtocounter", "hfill", "vfill",
    "quad", "qquad",
})  # fmt: skip
_DISPLAY = frozenset({
    "equation", "align", "gather", "multline", "eqnarray", "displaymath", "alignat", "flalign", "math",
})  # fmt: skip
_REFERENCES = frozenset({
    "ref", "eqref", "autoref", "cref", "Cref", "pageref", "nameref", "cite", "citep", "citet", "citealp",
    "parencite", "textcite",
})  # fmt: skip
_TAG = re.compile(r"\\label\{[^}]*\}|\\(?:nonumber|notag)\b")
_DEEPEST = 60


def is_latex(text: str) -> bool:
    """Whether a text is a LaTeX file."""
    head = re.sub(r"(?<!\\)%.*", "", text[:20_000])
    return _BEGIN in text or bool(re.search(r"^\s*\\documentclass\b", head, re.MULTILINE))


def latex_as_markdown(text: str, name: str) -> tuple[str, tuple[str, ...]]:
    """The text of a file as Markdown, and sentences about what did not come over.

    Raises BadInput where its braces and environments cannot be followed.
    """
    from pylatexenc.latexwalker import LatexWalkerError

    limits.check_size(len(text), limits.LETTER_CHARACTERS, name, "characters")

    start = text.find(_BEGIN)
    body = text[start + len(_BEGIN) :] if start >= 0 else text
    body = body.partition(r"\end{document}")[0]
    try:
        nodes, _, _ = _walker()(body, latex_context=_context()).get_latex_nodes()
    except (LatexWalkerError, IndexError, ValueError, RecursionError) as error:
        raise BadInput(
            f"{name} cannot be read as LaTeX.",
            "Nothing was imported.",
            "See whether each brace and each environment is closed, or import the PDF.",
        ) from error
    reader = _Reader()
    reader.read(nodes)
    reader.finish()
    warnings = []
    if reader.referred:
        warnings.append("References to labels (\\ref, \\cite) stand in it as their names.")
    if reader.cut:
        warnings.append(f"What is more than {_DEEPEST} groups deep in it was left out.")
    return markdown_of(reader.blocks), tuple(warnings)


_RUN = re.compile(r"[^\W_](?:[^\W_]|[,.;:]| (?=[^\W_]))*+")


_TOKENS = 1_000_000
"""Of a document; a long letter has a tenth of it."""


@cache
def _walker() -> Any:
    from pylatexenc.latexwalker import LatexToken, LatexWalker

    class Walker(LatexWalker):  # type: ignore[misc]
        """Takes words in running text as one token: the library's own way is one letter after the other, at 12 µs. An
        argument that is never closed is read again as text, and so is each one inside of it, so work is bounded.
        """

        taken = 0

        def get_token(self, pos: int, *arguments: Any, **given: Any) -> Any:
            self.taken += 1
            if self.taken > min(_TOKENS, 50_000 + 2 * len(self.s)):
                raise ValueError("brackets that are not closed")
            # Arguments without braces are read with environments=False, and are one letter long.
            run = None if arguments or given.get("environments") is False else _RUN.match(self.s, pos)
            if run is None:
                return super().get_token(pos, *arguments, **given)
            return LatexToken(tok="char", arg=run[0], pos=pos, len=len(run[0]), pre_space="")

    return Walker


@cache
def _context() -> Any:
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import EnvironmentSpec, MacroSpec

    context = get_default_latex_context_db()
    context.add_context_category(
        "letters",
        macros=[
            *(MacroSpec(word, "{") for word in ("url", "texttt", "underline", "enquote", "title", "author", "date")),
            *(MacroSpec(word, "{") for word in ("thispagestyle", "pagestyle", "input", "include", "bibliography")),
            *(MacroSpec(word, "*[{") for word in ("part", "chapter", "paragraph", "subparagraph")),
            *(MacroSpec(word, "{{") for word in ("href", "textcolor", "setcounter", "setlength")),
            MacroSpec("color", "[{"),
        ],
        environments=[EnvironmentSpec("comment-of", "{"), EnvironmentSpec("reply", "")],
        prepend=True,
    )
    return context


@dataclass(frozen=True, slots=True)
class _Look:
    """How letters look where they stand, and what they are part of."""

    bold: bool = False
    italic: bool = False
    code: bool = False
    link: str = ""
    quoted: bool = False
    lists: tuple[str, ...] = ()


class _Reader:
    """Goes through the nodes of a file and gathers paragraphs."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.referred = self.cut = False
        self._runs: list[Run] = []
        self._look = _Look()
        self._item: tuple[str, int] | None = None
        self._counts: list[int] = []
        self._opens = False
        self._reviewers = 0
        self._deep = 0

    # paragraphs -------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Ends the current paragraph."""
        runs = tuple(self._runs)
        self._runs = []
        if not any(run.text.strip() for run in runs):
            return
        if self._item is not None:
            kind, number = self._item
            self.blocks.append(
                Block("number" if kind == "enumerate" else "bullet", runs, len(self._look.lists), number)
            )
            self._item = None
        elif self._look.quoted:
            self.blocks.append(Block("quote", runs, opens=self._opens))
            self._opens = False
        else:
            self.blocks.append(Block("paragraph", runs))

    def _say(self, words: str, *, formula: bool = False) -> None:
        look = self._look
        if words:
            self._runs.append(Run(words, look.bold, look.italic, look.code, look.link, formula))

    def _heading(self, level: int, words: Sequence[Any]) -> None:
        self.finish()
        kept, self._look = self._look, _Look()
        self.read(words)
        runs, self._runs, self._look = tuple(self._runs), [], kept
        if any(run.text.strip() for run in runs):
            self.blocks.append(Block("heading", runs, level))

    # nodes ------------------------------------------------------------------------------------------------------

    def read(self, nodes: Sequence[Any]) -> None:
        """Takes nodes in one after the other; looks that a command switched on end with its group."""
        self._deep += 1
        kept = self._look
        waiting: str | None = None
        self.cut |= self._deep >= _DEEPEST and bool(nodes)
        for node in nodes if self._deep < _DEEPEST else ():
            kind = type(node).__name__
            if waiting is not None and not (kind == "LatexCharsNode" and not node.chars.strip()):
                if kind == "LatexGroupNode":
                    self._voice(waiting, node.nodelist)
                    waiting = None
                    continue
                self._switch(waiting)
                waiting = None
            if kind == "LatexMacroNode" and self._is_voice(node.macroname):
                waiting = node.macroname
            elif kind == "LatexCharsNode":
                self._chars(node.chars)
            elif kind == "LatexGroupNode":
                self.read(node.nodelist)
            elif kind == "LatexMathNode":
                self._math(node)
            elif kind == "LatexEnvironmentNode":
                self._environment(node)
            elif kind == "LatexMacroNode":
                self._macro(node)
            elif kind == "LatexSpecialsNode":
                self._special(node)
        if waiting is not None:
            self._switch(waiting)
        self._deep -= 1
        if self._deep:
            self._look = kept

    def _chars(self, chars: str) -> None:
        for number, part in enumerate(re.split(r"\n[ \t]*\n\s*", chars)):
            if number:
                self.finish()
            self._say(re.sub(r"\s*\n\s*|[ \t]+", " ", part))

    def _special(self, node: Any) -> None:
        chars = node.specials_chars
        if chars.strip(" \t") == "" or "\n\n" in chars or re.fullmatch(r"\s*\n\s*\n\s*", chars):
            self.finish()
            return
        self._say({"~": " ", "``": "“", "''": "”", "--": "–", "---": "—", "&": " "}.get(chars, chars))

    def _math(self, node: Any) -> None:
        source = "".join(part.latex_verbatim() for part in node.nodelist).strip()
        self._say(f"$${source}$$" if node.displaytype == "display" else f"${source}$", formula=True)

    def _macro(self, node: Any) -> None:
        name, inner = node.macroname, _inner(node)
        base = name.rstrip("*")
        if base in _HEADINGS and inner:
            self._heading(_HEADINGS[base], inner[-1])
        elif name in ("textbf", "strong"):
            self._within(replace(self._look, bold=True), inner)
        elif name in ("emph", "textit", "textsl"):
            self._within(replace(self._look, italic=True), inner)
        elif name in ("texttt", "verb", "lstinline"):
            self._within(replace(self._look, code=True), inner)
        elif name in ("bfseries", "bf"):
            self._look = replace(self._look, bold=True)
        elif name in ("itshape", "em", "it", "slshape"):
            self._look = replace(self._look, italic=True)
        elif name in ("url", "href") and inner:
            address = "".join(part.latex_verbatim() for part in inner[0]).replace("\\%", "%").replace("\\#", "#")
            look = replace(self._look, link=address)
            if name == "href" and len(inner) > 1:
                self._within(look, inner[1:])
            else:
                kept, self._look = self._look, look
                self._say(address)
                self._look = kept
        elif name == "item":
            self._next_item(inner)
        elif name in ("\\", "newline", "linebreak"):
            self._say("\n")
        elif base in _REFERENCES:
            self.referred = True
            self._say("".join(part.latex_verbatim() for part in inner[-1]) if inner else "")
        elif name == "enquote":
            self._say("“")
            self._within(self._look, inner)
            self._say("”")
        elif name == "textcolor":
            self._within(self._look, inner[1:])
        elif name == "par":
            self.finish()
        elif name == "hrule":
            self.finish()
            self.blocks.append(Block("rule", ()))
        elif name == "setcounter":
            value = "".join(part.latex_verbatim() for part in inner[-1]) if inner else ""
            if self._counts and value.strip().isdigit():
                self._counts[-1] = int(value)
        elif _NEXT_REVIEWER.match(name) and not inner:
            self._reviewers += 1
            self.finish()
            self.blocks.append(Block("heading", (Run(f"Reviewer {self._reviewers}"),), 2))
            self._look = replace(self._look, quoted=False)
        elif base not in _SILENT:
            self._say(_plain(node) if not inner or _is_sign(node) else "")
            if inner and not _is_sign(node):
                self._within(self._look, inner)

    def _within(self, look: _Look, inner: Sequence[Sequence[Any]]) -> None:
        kept, self._look = self._look, look
        for nodes in inner:
            self.read(nodes)
        self._look = kept

    def _next_item(self, inner: Sequence[Sequence[Any]]) -> None:
        self.finish()
        if not self._look.lists:
            return
        self._counts[-1] += 1
        self._item = (self._look.lists[-1], self._counts[-1])
        if inner and inner[0]:
            self._within(replace(self._look, bold=True), inner[:1])
            self._say(" ")

    def _environment(self, node: Any) -> None:
        name = node.environmentname
        base = name.rstrip("*")
        if base in _DISPLAY:
            source = "".join(part.latex_verbatim() for part in node.nodelist).strip()
            if base not in ("equation", "displaymath", "math"):
                source = f"\\begin{{aligned}}{source}\\end{{aligned}}"
            self._say(f"$${_TAG.sub('', source).strip()}$$", formula=True)
            return
        self.finish()
        if base in ("verbatim", "lstlisting", "Verbatim", "minted"):
            said = "".join(part.latex_verbatim() for part in node.nodelist) or _verbatim(node)
            self.blocks.append(Block("code", (Run(said.strip("\n"), code=True),)))
            return
        kept = self._look
        if base in ("itemize", "enumerate", "description", "compactitem", "compactenum"):
            kind = "enumerate" if "enum" in base else "itemize"
            self._look = replace(kept, lists=(*kept.lists, kind))
            self._counts.append(0)
            self._body(node)
            self._counts.pop()
        elif base == _CLOSES:
            self.blocks.append(Block("rule", ()))
            self._body(node)
        elif _QUOTES.match(base):
            self._look = replace(_Look(), quoted=True)
            self._opens = base not in ("quote", "quotation") or not kept.quoted
            label = _inner(node)
            if label:
                self._within(replace(self._look, bold=True), label)
                self._say(" ")
            self._body(node)
        elif _ANSWERS.match(base):
            self._look = _Look()
            self._body(node)
        elif base != "center" or not re.fullmatch(r"[\s*]*", "".join(part.latex_verbatim() for part in node.nodelist)):
            self._body(node)
        self._look = kept

    def _body(self, node: Any) -> None:
        self.read(node.nodelist)
        self.finish()

    # voices -----------------------------------------------------------------------------------------------------

    def _is_voice(self, name: str) -> bool:
        return bool((_QUOTES.match(name) or _ANSWERS.match(name)) and name not in ("quote", "author", "authors"))

    def _voice(self, name: str, nodes: Sequence[Any]) -> None:
        """A command of the letter's own with its argument."""
        self.finish()
        kept = self._look
        self._opens = True
        self._look = _Look(quoted=bool(_QUOTES.match(name)))
        self.read(nodes)
        self.finish()
        self._look = kept

    def _switch(self, name: str) -> None:
        """A command without one: from here on somebody else speaks."""
        self.finish()
        self._opens = True
        self._look = _Look(quoted=bool(_QUOTES.match(name)))


def _inner(node: Any) -> list[Sequence[Any]]:
    """The arguments that were given, each as its nodes."""
    given = node.nodeargd.argnlist if node.nodeargd is not None and node.nodeargd.argnlist else ()
    return [
        one.nodelist if type(one).__name__ == "LatexGroupNode" else [one]
        for one in given
        if one is not None and not (type(one).__name__ == "LatexCharsNode" and one.chars == "*")
    ]


def _verbatim(node: Any) -> str:
    return str(getattr(node.nodeargd, "verbatim_text", "") or "")


@cache
def _signs() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="verbatim", keep_comments=False)


def _plain(node: Any) -> str:
    """What a command says as letters; "" for one that nobody knows."""
    return f"{_signs().nodelist_to_text([node])}{node.macro_post_space}"


def _is_sign(node: Any) -> bool:
    """Whether a command with an argument makes a letter (an accent)."""
    return not node.macroname.isalpha() or node.macroname in ("c", "v", "u", "H", "k", "r", "b", "d", "t")
