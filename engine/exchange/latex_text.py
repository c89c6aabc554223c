r"""Reads a LaTeX file, such as a response letter or review, as marked text.

Sections, quotations, lists, emphasis, links, code, tables and formulas become Markdown. Commands and environments
defined by the letter are expanded; enclosing environments, commands ("in reply", "by rc") and colours become marks.
``\input`` and ``\include`` are followed within the letter's folder. Nothing else is executed.
"""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import BadInput
from engine.exchange import latex_source as commands
from engine.exchange import limits
from engine.exchange.latex_source import (
    DEFINING,
    ENVIRONING,
    Definition,
    Definitions,
    Parts,
    Source,
    TooMuch,
    letter_of,
)
from engine.exchange.markdown_tokens import Block, Look, Paragraphs, Run, marked_of
from engine.reviews.marks import MarkedText
from engine.reviews.naming import reviewer_name
from engine.shown import visible_line

_BEGIN = r"\begin{document}"
_TAG = re.compile(r"\\label\{[^}]*\}|\\(?:nonumber|notag)\b")
_TOKEN = re.compile(
    r"%[^\n]*(?:\n[ \t]*(?!\n)|\Z)?|(?P<para>\n[ \t]*\n\s*)|\\(?P<edge>begin|end)[ \t]*\{(?P<name>[^{}\n]*)\}"
    r"|\\(?P<macro>[A-Za-z@]+\*?)"
    r"|\\(?P<sign>[^A-Za-z@])|(?P<brace>[{}])|(?P<math>\$\$?)|(?P<tie>~)|(?P<quote>``|'')|(?P<dash>---?)|(?P<cell>&)"
    r"|(?P<text>[^\\%{}$~`'&\n-]+|[`'\n-])"
)
_LENGTH = re.compile(r"\s*(?:=?\s*-?[\d.]+\s*(?:[a-z]{2}\b|(?=\\))(?:\s*(?:plus|minus)\s*-?[\d.]+\s*[a-z]{2,5}\b)*)?")


def _names_reviewer(title: str) -> bool:
    return reviewer_name(title.replace("\\", "")) is not None


_PARTED = re.compile(r"\n[ \t]*\n|\\\\\s*\\\\|\\begin\b")
"""Matches text that spans several paragraphs."""
_MARKDOWN = re.compile(r"^#{1,6} \w.*\n(?:.*\n)*?#{1,6} \w", re.MULTILINE)
"""Markdown headings; such a file may contain tables and figures in LaTeX."""
_DEEPEST = 60
_OPEN = 200
_TOKENS = 1_000_000
_LONGEST_FORMULA = 20_000
_ARGUMENT = "RJargument"
"""An internal command that adds a mark to an argument of a macro."""


def is_latex(text: str) -> bool:
    """Returns whether a text is a LaTeX file, or a part without a preamble that has many commands."""
    head = re.sub(r"(?<!\\)%.*", "", text[:20_000])
    if _BEGIN in text or re.search(r"^\s*\\documentclass\b", head, re.MULTILINE):
        return True
    found = len(re.findall(r"\\[a-zA-Z]+(?=[{\[\s])", head)) if not _MARKDOWN.search(head) else 0
    return found >= 6 and bool(re.search(r"\\(?:begin|section|textbf|emph|item)\b", head))


def latex_text(text: str, name: str, folder: Path | None = None) -> MarkedText:
    """Returns the text of a file, with warnings about what is missing; ``folder`` has the files that it includes.

    Raises BadInput if it is too large or its commands can't be resolved.
    """
    limits.check_size(len(text), limits.LETTER_CHARACTERS, name, "characters")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    parts = Parts(folder)
    reader = _Reader(parts, Definitions(parts))
    start = text.find(_BEGIN)
    try:
        if start >= 0:
            reader.defined.read(text[:start])
        reader.read(text[start + len(_BEGIN) :] if start >= 0 else text)
    except (TooMuch, RecursionError) as error:
        raise BadInput(
            f"{name} can't be read as LaTeX.",
            "Nothing was imported.",
            "Check that all braces and environments are closed, or import the PDF.",
        ) from error
    reader.page.finish()
    marked = marked_of(reader.page.blocks)
    warnings = []
    if reader.referred:
        warnings.append("References to labels (\\ref, \\cite) are shown as their names.")
    if parts.missing:
        names = ", ".join(visible_line(one)[:60] for one in sorted(parts.missing)[:10])
        warnings.append(f"Left out because they weren't found as text files in its folder: {names}.")
    return replace(marked, warnings=tuple(warnings), converted=True)


@dataclass(slots=True)
class _Reader:
    """Reads tokens and builds paragraphs."""

    parts: Parts
    defined: Definitions
    page: Paragraphs = field(default_factory=Paragraphs)
    referred: bool = False
    ended: bool = False
    _stack: list[tuple[str, Look]] = field(default_factory=list)
    _deep: int = 0
    _taken: int = 0
    _read: int = 0

    def read(self, text: str) -> None:
        self._deep += 1
        self._read += len(text)
        if self._deep > _DEEPEST or self._read > 40 * limits.LETTER_CHARACTERS:
            raise TooMuch
        source = Source(text)
        position = 0
        depth = len(self._stack)
        while position < len(text) and not self.ended:
            match = _TOKEN.match(text, position)
            self._taken += 1
            if match is None or self._taken > _TOKENS:
                raise TooMuch
            position = match.end()
            kind = match.lastgroup
            token = match[0]
            if kind == "text":
                self.page.say(re.sub(r"\s+", " ", token))
            elif kind == "para":
                self.page.finish()
            elif kind == "macro":
                position = self._macro(match["macro"], source, position)
            elif kind == "sign":
                position = self._sign(match["sign"], source, position)
            elif kind == "name":
                edge = self._begin if match["edge"] == "begin" else self._end
                position = edge(match["name"].strip(), source, position)
            elif kind == "brace":
                if token == "{":  # noqa: S105 - a brace
                    self._stack.append(("{", self.page.look))
                elif len(self._stack) > depth and self._stack[-1][0] == "{":
                    self._leave()
            elif kind == "math":
                position = self._math(token, token, source, position)
            elif kind in ("tie", "quote", "dash"):
                self.page.say({"~": " ", "``": "“", "''": "”", "--": "–", "---": "—"}[token])
            elif kind == "cell":
                if self.page.look.column:
                    self.page.finish()
                    self.page.column(self.page.look.column + 1)
                else:
                    self.page.say("&")
        self._deep -= 1

    def _leave(self) -> None:
        """Ends the innermost group or environment, and the paragraph if its environment or quotation ends too."""
        name, look = self._stack.pop()
        now = self.page.look
        if name != "{" or (look.quoted, look.within) != (now.quoted, now.within):
            self.page.finish()
        self.page.look = look

    def _read_as(self, look: Look, words: str) -> None:
        """Reads text with another look than the text around it."""
        kept, self.page.look = self.page.look, look
        self.read(words)
        self.page.look = kept

    def _label(self, words: str) -> None:
        self._read_as(self.page.look.styled("bold"), words)
        self.page.say(" ")

    def _title(self, words: str) -> None:
        """Reads the title of a box, which is a paragraph of its own if it names a reviewer."""
        if words.strip():
            self._label(words)
            if _names_reviewer(words):
                self.page.finish()

    def _heading(self, level: int, words: str) -> None:
        self.page.finish()
        kept, self.page.look = self.page.look, Look(marks=self.page.look.marks)
        self.read(words)
        self.page.heading = level
        self.page.finish()
        self.page.heading, self.page.look = 0, replace(kept, switch="")

    def _math(self, opening: str, closing: str, source: Source, position: int) -> int:
        end = position
        while (end := source.find(closing, end)) > 0 and source.text[end - 1] == "\\" and closing[0] == "$":
            end += 1
        if end < 0 or end - position > _LONGEST_FORMULA:
            self.page.say("$" if opening[0] == "$" else "")
            return position
        inner = _TAG.sub("", source.text[position:end]).strip()
        if re.fullmatch(r"\\[#%&]", inner):
            self.page.say(inner[1])  # a sign in the text, as in "Reviewer $\#$2"
            return end + len(closing)
        display = opening in ("$$", "\\[")
        self.page.say(f"$${inner}$$" if display else f"${inner}$" if inner else "", formula=True)
        return end + len(closing)

    def _sign(self, sign: str, source: Source, position: int) -> int:
        if sign in "([":
            return self._math(f"\\{sign}", "\\)" if sign == "(" else "\\]", source, position)
        if sign == "\\":
            _, position = source.option(position + (source.text[position : position + 1] == "*"))
            if self.page.look.column:
                self.page.finish()
                self.page.column(1)
            elif self.page.said.rstrip(" ").endswith("\n"):
                self.page.finish()  # an empty line
            else:
                self.page.say("\n")
        elif sign in commands.SIGNS:
            self.page.say(commands.SIGNS[sign])
        elif sign in "'`\"^~=.":
            letter, position = source.argument(position)
            self.page.say(letter_of(f"\\{sign}{{{letter}}}"))
        return position

    def _macro(self, name: str, source: Source, position: int) -> int:
        base, page = name.rstrip("*"), self.page
        if made := self.defined.macros.get(name) or self.defined.macros.get(base):
            return self._expand(base, made, source, position)
        if base in commands.HEADINGS:
            _, position = source.option(position)
            words, position = source.argument(position)
            self._heading(commands.HEADINGS[base], words)
        elif base in commands.STYLES:
            words, position = source.argument(position)
            kept, page.look = page.look, page.look.styled(commands.STYLES[base])
            self.read(words)
            page.look = replace(kept, switch=page.look.switch)
        elif base in commands.SWITCHES:
            position = source.blank(position)
            page.look = page.look.styled(commands.SWITCHES[base])
        elif base in ("color", "textcolor", _ARGUMENT):
            _, position = source.option(position)
            mark, position = source.argument(position)
            mark = mark if base == _ARGUMENT else f"colour {mark}"
            if base == "color":
                page.look = page.look.instead("colour", mark if mark != "colour black" else "")
            else:
                words, position = source.argument(position)
                self._inside(words, mark)
        elif base in ("input", "include", "subfile"):
            part, position = source.file_name(position)
            page.finish()
            self.read(self.parts.text(part, ".tex"))
        elif DEFINING.fullmatch(base) or ENVIRONING.fullmatch(base):
            position = self.defined.define(base, source, position)
        elif base in ("setcounter", "addtocounter", "stepcounter", "refstepcounter", "newcounter"):
            counter, position = self.defined.count(base, source, position)
            if base == "setcounter" and counter.startswith("enum") and page.counts:
                page.counts[-1] = self.defined.counters[counter]
        elif base in ("arabic", "value", "roman", "alph", "Roman", "Alph"):
            counter, position = source.argument(position)
            page.say(str(self.defined.counters.get(counter, 0)))
        elif base.startswith("the") and base[3:] in self.defined.counters:
            page.say(str(self.defined.counters[base[3:]]))
        elif base in ("url", "href"):
            address, position = source.argument(position)
            address = re.sub(r"\\([%#_])", r"\1", address)
            kept, page.look = page.look, replace(page.look, link=address)
            if base == "href":
                words, position = source.argument(position)
                self.read(words)
            else:
                page.say(address)
            page.look = kept
        elif base == "item":
            position = self._next_item(source, position)
        elif base in commands.BREAKS:
            page.finish()
            for _ in range(commands.BREAKS[base]):
                _, position = source.argument(position)
        elif base == "hrule":
            page.rule()
        elif base in ("newline", "linebreak"):
            page.say("\n")
        elif base == "verb":
            end = source.find(source.text[position : position + 1] or "\n", position + 1)
            if end > 0:
                kept, page.look = page.look, page.look.styled("code")
                page.say(source.text[position + 1 : end])
                page.look, position = kept, end + 1
        elif base in commands.REFERENCES:
            label, position = source.argument(source.past_options(position))
            self.referred = True
            page.say(label)
        elif base in ("enquote", "textquote"):
            words, position = source.argument(position)
            self.read(f"``{words}''")
        elif base in ("opening", "closing"):
            page.finish()
            words, position = source.argument(position)
            self.read(words)
            page.finish()
        elif base in commands.WORDS:
            words, position = source.argument(position)
            self._read_as(page.look, words)
        elif base in commands.TAKEN:
            position = source.past_options(position)
            for _ in range(commands.TAKEN[base]):
                _, position = source.argument(position)
        elif base in commands.SILENT:
            position = source.blank(position)
        elif base in commands.LENGTHS:
            if base == "vskip":
                page.finish()
            if length := _LENGTH.match(source.text, position):
                position = length.end()
        elif base in commands.SIGNS:
            page.say(commands.SIGNS[base])
            position = source.blank(position)
        else:
            position = self._unknown(base, source, position)
        return position

    def _unknown(self, base: str, source: Source, position: int) -> int:
        """Handles an undefined command: a symbol or accent, one with arguments in braces, or a switch."""
        if len(base) == 1 and source.text[position : position + 1] in (" ", "{") and base in "cvuHkrbdt":
            letter, position = source.argument(position)
            self.page.say(letter_of(f"\\{base}{{{letter}}}"))
            return position
        position = source.past_options(position)
        words: list[str] = []
        after = source.blank(position, lines=False)
        while len(words) < 4 and source.text.startswith("{", after):
            word, position = source.argument(after)
            words.append(word)
            after = position
        letter = letter_of(f"\\{base}") if words in ([], [""]) else ""
        if letter or words == [""]:
            blank = not words and source.text[position : position + 1] == " " and letter.isalnum()
            self.page.say(f"{letter} " if blank else letter)
        elif (
            base.lower().startswith("review")
            and len(words) == 1
            and re.fullmatch(r"(?=.{1,20}$)\S*(?:\s+\S+){0,2}\s*", words[0])
        ):
            self._heading(2, f"Reviewer {words[0]}")
        elif words:
            long = len(words) > 1 and all(len(word.split()) > 2 for word in words)
            for number, word in enumerate(words, start=1):
                if long:
                    self.page.finish()
                self.page.say(" " if number > 1 else "")
                self._inside(word, f"by {base} {number}" if len(words) > 1 else f"by {base}")
        elif re.fullmatch(r"(?:new)?reviewer(?:section)?", base, re.IGNORECASE):
            self.defined.counters["reviewer"] = self.defined.counters.get("reviewer", 0) + 1
            self._heading(2, f"Reviewer {self.defined.counters['reviewer']}")
        else:
            if len(base) > 1 and not self.page.said.strip():
                self.page.finish()
                self.page.switch(f"by {base}")
            position = source.blank(position)
        return position

    def _expand(self, name: str, made: Definition, source: Source, position: int) -> int:
        """Expands a command defined by the letter, marking each argument with the command's name."""
        arguments, position = made.arguments(source, position)
        for number, given in enumerate(arguments, start=1):
            mark = f"by {name} {number}" if made.count > 1 else f"by {name}"
            if not re.fullmatch(r"(?![A-Z][a-z]+\.?$)[\w.\- ]{0,6}", given):  # a number or a name, but not "Done."
                arguments[number - 1] = f"\\{_ARGUMENT}{{{mark}}}{{{given}}}"
        body = made.filled(arguments)
        if not made.count and body.strip()[1:] in commands.STYLES and source.text.startswith("{", position):
            words, position = source.argument(position)
            self._inside(words, f"by {name}")
            return position
        if not made.count:
            self.read(body)
            return source.blank(position) if re.match(r"[A-Za-z]", name) and body.endswith(" ") else position
        self._stack.append(("{", self.page.look))
        depth = len(self._stack)
        self.read(body)
        while len(self._stack) >= depth:
            self._leave()
        return position

    def _inside(self, words: str, mark: str) -> None:
        """Reads text with a mark; text of several paragraphs is separated from the text around it."""
        kept = self.page.look
        apart = bool(_PARTED.search(words))
        if apart:
            self.page.finish()
        if mark.startswith("colour "):
            self.page.look = kept.instead("colour", "" if mark == "colour black" else mark)
        elif apart and mark[:3] == "by ":
            self.page.enter(mark)  # one mark, so that its paragraphs are one comment or response
        else:
            self.page.look = kept.styled(mark)
        self.read(words)
        if apart:
            self.page.finish()
        self.page.look = kept

    def _next_item(self, source: Source, position: int) -> int:
        self.page.finish()
        label, position = source.option(position)
        if self.page.look.lists:
            kind = self.page.look.lists[-1]
            self.page.counts[-1] += kind == "number" and not label
            self.page.item = ("bullet" if label else kind, self.page.counts[-1])
        if label:
            self._label(label)
        return position

    def _begin(self, name: str, source: Source, position: int) -> int:
        base, page = name.rstrip("*"), self.page
        whole = base in commands.VERBATIM or (base in commands.DISPLAY and name not in self.defined.environments)
        if whole:
            end = source.find(f"\\end{{{name}}}", position)
            end = end if end >= 0 else len(source.text)
            inner = source.text[position:end]
            if base in commands.VERBATIM:
                page.finish()
                inner = re.sub(r"^\s*(?:\[[^\]]*\]|\{[^}]*\})*", "", inner, count=1).strip("\n")
                page.blocks.append(Block("code", (Run(inner, code=True),), within=page.look.within))
            else:
                inner = _TAG.sub("", inner).strip()
                lines = base not in ("equation", "displaymath", "math")
                page.say(f"$$\\begin{{aligned}}{inner}\\end{{aligned}}$$" if lines else f"$${inner}$$", formula=True)
            return end + len(f"\\end{{{name}}}")
        page.finish()
        if len(self._stack) > _OPEN:
            raise TooMuch
        self._stack.append((name, page.look))
        made = self.defined.environments.get(name)
        known = base in commands.PLAIN or base in commands.QUOTES or name in commands.LISTS or name in commands.TABLES
        if not known:
            page.enter(f"in {base}")
            page.look = replace(page.look, switch="")
        if made is not None:
            arguments, position = made.arguments(source, position)
            for number, argument in enumerate(arguments, start=1):
                if (
                    f"#{number}" not in made.body + made.end
                    and re.match(r"Review|Referee", argument)
                    and _names_reviewer(argument)
                ):
                    self._title(argument)
            (self._title if made.box else self.read)(made.filled(arguments))
        elif name in commands.LISTS:
            _, position = source.option(position)
            page.look = replace(page.look, lists=(*page.look.lists, commands.LISTS[name]))
            page.counts.append(0)
        elif base in commands.QUOTES:
            page.quote(opens=base not in ("quote", "quotation"))
            if base == "comment-of":
                label, position = source.argument(position)
                self._label(label)
        elif name in commands.TABLES:
            _, position = source.option(position)
            for _ in range(2 if name in ("tabular*", "tabularx", "tabulary") else 1):
                _, position = source.argument(position)
            page.column(1)
        else:
            options, position = source.option(position)
            if title := commands.BOX_TITLE.search(options):
                self._title(title[1] or title[2] or "")
            if base == "closing":
                page.rule()
            for _ in range(commands.ARGUMENTS.get(base, 0)):
                _, position = source.argument(position)
            if not known and source.text[position : position + 1] == "{":
                label, after = source.argument(position)
                if len(label) < 60:  # otherwise it is a group of the text
                    position = after
                    if label:
                        self._label(label)
        return position

    def _end(self, name: str, source: Source, position: int) -> int:
        if name == "document":
            self.page.finish()
            self.ended = True
            return len(source.text)
        if not any(entry[0] == name for entry in self._stack):
            return position
        made = self.defined.environments.get(name)
        if made is not None and made.end:
            self.read(made.end)
        inner = ""
        while inner != name and self._stack:
            inner = self._stack[-1][0]
            if inner in commands.LISTS and self.page.counts:
                self.page.finish()
                self.page.counts.pop()
            self._leave()
        return position
