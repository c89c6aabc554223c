"""Sentences of a review, by code-point offsets of the text as it came in, and selections snapped to them.

The text is cut twice. Its layout first: blank lines, headings, list items, tables, displayed equations and code end a
stretch whatever the punctuation says, and Markdown quote marks stand outside of every sentence. Then each stretch is
cut at sentence ends, with citations, abbreviations, initials, numbers, links and formulas protected.

A rule set of its own rather than pysbd's: on reviews both find the ends of running sentences equally well (the
benchmark keeps the comparison), but pysbd takes quote marks for text and every line end for the end of a sentence, so
that quoted and wrapped letters fall to pieces, and it needs ten times as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.reviews.records import Span

_ABBREVIATION = re.compile(
    r"a\.k\.a|al|approx|apr|aug|avg|ca|cf|ch|chap|co|col|conf|corp|dec|def|dept|dr|e\.g|ed|eds|eg|eq|eqn|eqns|"
    r"eqs|et|etal|ex|exp|ext|feb|fig|figs|ft|gen|gov|i\.e|i\.i\.d|ie|inc|incl|jan|jr|jul|jun|lem|lett|lhs|ln|"
    r"max|min|mr|mrs|ms|mt|nat|nov|nr|obs|oct|op|p|par|para|paras|pg|pgs|pp|proc|prof|prop|ref|refs|reg|rep|"
    r"repr|res|resp|rev|rhs|s\.t|sci|sec|secs|sect|sep|sept|sr|st|supp|suppl|tab|tabs|th|thm|tr|trans|u\.k|"
    r"u\.s|univ|viz|vol|vols|vs|w\.r\.t|wrt"
)
# Abbreviations that also end sentences: a capital after them starts a new one.
_CLOSING_ABBREVIATIONS = frozenset({"etc", "no", "nos", "fig", "a.m", "p.m"})
_STARTERS = (
    "A|Additionally|After|All|Also|An|And|Another|Are|As|At|Because|But|By|Can|Could|Do|Does|Finally|"
    "First|For|From|"
    "Furthermore|Given|Hence|How|However|I|If|In|Instead|Is|It|Last|Lastly|Maybe|Minor|Moreover|My|"
    "Nevertheless|Next|No|"
    "Note|On|One|Or|Other|Otherwise|Our|Overall|Perhaps|Please|Second|Similarly|Since|So|Some|"
    "Specifically|Such|That|The|"
    "Table|Figure|Section|Then|There|Therefore|These|They|Third|This|Those|Though|Thus|To|We|Were|What|When|Where|Which|While|"
    "Why|With|Without|"
    "Would|Yes|Yet|You"
)
_STARTER = re.compile(rf"(?:{_STARTERS})\b")

QUOTE_MARKS = re.compile(r"[ \t]{0,3}>(?:[ \t]?>)*[ \t]?")
LIST_MARK = re.compile(
    r"[ \t]*(?:\\?[-*+•‣◦–—][ \t]+|\(?\d{1,3}(?:\\?[.)]\.?|:)[ \t]+|\(?(?:[a-z]|[ivx]{1,4})\)[ \t]+|"
    r"#\d{1,3}[.:)]?[ \t]+)(?=\S)"
)
_HEADING = re.compile(r"[ \t]{0,3}(?:#{1,6}(?:[ \t]|$)|#{2,6}[^\W\d])")
_SHORT_LINE = 60
"""Characters; a line that is shorter was ended by its writer, not wrapped."""
_FIELD = re.compile(r"(?:[*_]{1,2})?[A-Z][\w’'/-]*(?: [\w’'/&()-]+){0,3}(?:[*_]{1,2})?:(?:[*_]{1,2})?(?=\s|$)")
_RULE = re.compile(r"[ \t]{0,3}(?:(?:[-*_=~#][ \t]*){3,})$")
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
_TABLE_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_DISPLAY_OPEN = re.compile(r"[ \t]*(?:\$\$|\\\[|\\begin\{(?:equation|align|gather|eqnarray|multline)\*?\})")
_DISPLAY_CLOSE = re.compile(
    r"(?:\$\$|\\\]|\\end\{(?:equation|align|gather|eqnarray|"
    r"multline)\*?\})[.,;]?[ \t]*$"
)

_PROTECTED = re.compile(
    r"`[^`\n]+`"  # code
    r"|(?<!\\)\$\$[^$\n]{1,300}\$\$"  # displayed formula within a line
    r"|(?<![\\$\w])\$(?=\S)[^$\n]{1,200}?(?<=\S)\$(?!\d)"  # inline formula
    r"|\\\([^\n]{1,200}?\\\)"
    r"|!?\[[^\[\]\n]{0,300}\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+\"[^\"\n]*\")?\)"  # Markdown link
    r"|<https?://[^>\s]+>"
    r"|(?:https?://|www\.)[^\s<>\"“”]*[^\s<>\"“”.,;:!?)\]]"
    r"|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|“[^“”\n]{1,250}”"
    r"|(?<!\w)\"[^\"\n]{1,250}\"(?!\w)"
    r"|``[^`'\n]{1,250}''"  # quotation marks of TeX
    r"|\b(?:[Aa]pp|[Aa]lgs?|[Tt]bls?)\. ?(?:\d+|[A-Z](?:\.\d+)*)\b"  # places that also are words at a sentence's end
)
_END = re.compile(r"(?:[.!?…]+|[。！？])(?:[)\]}’”\"'*_»$]*)(?=\s|$|[。！？])|[。！？]")
_LINE_MARKS = re.compile(r"\s*(?:(?<=[\n\r])[ \t]{0,3}>[> \t]*)?\s*")
_GLUED_END = re.compile(rf"(?<=[a-z)\]][a-z)\]])[.?!](?={_STARTER.pattern}[ ,])")


def split_sentences(text: str) -> tuple[Span, ...]:
    """The sentences of ``text``: ordered, disjoint, trimmed of white space, covering everything but white space and
    Markdown quote marks at line starts. A sentence may run over line ends, and then holds the quote marks between them.
    """
    return tuple(span for start, end in _stretches(text) for span in _cut(text, start, end))


def stretches(text: str) -> tuple[Span, ...]:
    """The pieces that the layout alone sets apart (paragraphs, headings, list items, formulas), without quote marks."""
    return tuple(Span(start, end) for start, end in _stretches(text))


def snap_to_sentences(text: str, start: int, end: int) -> Span:
    """The smallest run of whole sentences that holds what is selected in [start, end).

    White space and stray punctuation at the ends of the selection pull in no further sentence. An empty selection (a
    cursor) takes the sentence it stands in or touches. A text without sentences gives an empty span at ``start``.
    """
    start, end = _ordered(text, start, end)
    sentences = split_sentences(text)
    if not sentences:
        return Span(start, start)
    inner_start, inner_end = _meaningful(text, start, end)
    touched = [s for s in sentences if s.start < inner_end and s.end > inner_start]
    if not touched:
        touched = [min(sentences, key=lambda s: (max(s.start - inner_start, inner_start - s.end, 0), s.start))]
    return Span(touched[0].start, touched[-1].end)


def snap_to_words(text: str, start: int, end: int) -> Span:
    """[start, end) grown to whole words and freed of white space at its ends; a cursor takes the word it touches."""
    start, end = _ordered(text, start, end)
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end and not (start < len(text) and _in_word(text, start)) and start and _in_word(text, start - 1):
        start -= 1
    while start > 0 and _in_word(text, start - 1) and start < len(text) and _in_word(text, start):
        start -= 1
    while end < len(text) and _in_word(text, end) and (end == start or _in_word(text, end - 1)):
        end += 1
    return Span(start, end)


def _ordered(text: str, start: int, end: int) -> tuple[int, int]:
    start, end = min(start, end), max(start, end)
    return max(0, min(start, len(text))), max(0, min(end, len(text)))


def _in_word(text: str, position: int) -> bool:
    """Word characters, and the marks inside of words and numbers: don't, state-of-the-art, 3.5."""
    char = text[position]
    if char.isalnum() or char == "_":
        return True
    inside = 0 < position < len(text) - 1 and text[position - 1].isalnum() and text[position + 1].isalnum()
    return inside and char in "-'’.‐‑"


def _meaningful(text: str, start: int, end: int) -> tuple[int, int]:
    """[start, end) without white space, quote marks and punctuation at its ends, unless nothing else is left."""
    inner_start, inner_end = start, end
    while inner_start < inner_end and (text[inner_start].isspace() or text[inner_start] in ">.,;:!?"):
        inner_start += 1
    while inner_end > inner_start and text[inner_end - 1].isspace():
        inner_end -= 1
    return (inner_start, inner_end) if inner_start < inner_end else (start, end)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    for line in text.splitlines(keepends=True):
        stripped = line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        yield position, position + len(stripped)
        position += len(line)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    opened: tuple[int, int] | None = None  # the stretch that is being gathered
    depth = 0
    inside = ""  # "fence" or "display" while within code or a displayed formula
    for line_start, line_end in _lines(text):
        marks = QUOTE_MARKS.match(text, line_start, line_end)
        start = marks.end() if marks else line_start
        line_depth = marks.group().count(">") if marks else 0
        content = text[start:line_end]
        body = start + len(content) - len(content.lstrip())
        stop = start + len(content.rstrip())
        if body >= stop:
            if inside != "fence":
                if opened:
                    yield opened
                opened, inside = None, ""
            continue
        if inside:
            opened = (opened[0] if opened else body, stop)
            closes = _FENCE.match(content) if inside == "fence" else _DISPLAY_CLOSE.search(content)
            if closes:
                yield opened
                opened, inside = None, ""
            continue
        fence, display = _FENCE.match(content), _DISPLAY_OPEN.match(content)
        if fence or display:
            if opened:
                yield opened
            opened = (body, stop)
            one_line = display and _DISPLAY_CLOSE.search(content, display.end())
            if one_line:
                yield opened
                opened = None
            else:
                inside = "fence" if fence else "display"
            continue
        alone = _HEADING.match(content) or _RULE.match(content) or _TABLE_ROW.match(content)
        # A quote's first line and its lazy continuation differ in depth and are one paragraph; a deeper quote is not.
        if opened and (
            alone or LIST_MARK.match(content) or line_depth > depth or _begins_field(text, opened[1], content)
        ):
            yield opened
            opened = None
        if alone:
            yield (body, stop)
            continue
        if opened and text[opened[1] - 1] == ":" and opened[1] - opened[0] <= 60 and content.lstrip()[0].isupper():
            yield opened  # a title on a line of its own: "Summary:"
            opened = None
        depth = line_depth if marks or not opened else depth
        opened = (opened[0] if opened else body, stop)
    if opened:
        yield opened


def _begins_field(text: str, end: int, content: str) -> bool:
    """Whether a line begins a field of its own ("Rating: 6", "Cons:") after a line that was not wrapped."""
    before = text.rfind("\n", 0, end) + 1
    return end - before < _SHORT_LINE and bool(_FIELD.match(content.lstrip()))


def _cut(text: str, start: int, end: int) -> Iterator[Span]:
    stretch = text[start:end]
    if any(p.match(stretch) for p in (_FENCE, _DISPLAY_OPEN, _HEADING, _TABLE_ROW)):
        yield Span(start, end)
        return
    guarded = _guarded(stretch)
    mark = LIST_MARK.match(stretch)
    first = mark.end() if mark else 0
    begin = 0
    ends = sorted(
        {m.end() for m in _END.finditer(stretch, first)} | {m.end() for m in _GLUED_END.finditer(stretch, first)}
    )
    for stop in ends:
        if stop <= begin or guarded[stop - 1] == 2 or not _ends_sentence(stretch, begin, stop, guarded):
            continue
        following = skip_marks(stretch, stop)
        if following >= len(stretch):
            break
        yield Span(start + begin, start + stop)
        begin = following
    yield Span(start + begin, end)


def skip_marks(text: str, position: int, end: int | None = None) -> int:
    """Where text goes on from ``position``, past white space and the quote mark of a further line."""
    mark = _LINE_MARKS.match(text, position, len(text) if end is None else end)
    return mark.end() if mark else position


def _guarded(stretch: str) -> bytearray:
    """Per character: 2 inside code, formulas, links, short quotations; 1 inside short parentheses."""
    guarded = bytearray(len(stretch))
    for match in _PROTECTED.finditer(stretch):
        # The last character stays open, so that a quotation's own full stop can end the sentence.
        last = match.end() - 1
        guarded[match.start() : last] = b"\x02" * (last - match.start())
    opened: list[int] = []
    for position, char in enumerate(stretch):
        if guarded[position] == 2:
            continue
        if char in "([{":
            opened.append(position)
        elif char in ")]}" and opened:
            begin = opened.pop()
            if position - begin <= 300 and not opened:
                for inner in range(begin, position):
                    guarded[inner] = max(guarded[inner], 1)
    return guarded


def _ends_sentence(stretch: str, begin: int, stop: int, guarded: bytearray) -> bool:
    mark = stop - 1
    while mark > begin and stretch[mark] not in ".!?…。！？":
        mark -= 1
    if guarded[mark] == 1 and guarded[stop - 1] == 1:
        return False
    following = skip_marks(stretch, stop)
    if following >= len(stretch):
        return True
    after = stretch[following]
    if guarded[mark] == 2:  # the stop is inside a quotation that closes here
        return after.isupper() and stretch[mark - 1].isalnum() and bool(_STARTER.match(stretch, following))
    if stretch[mark] in "!?。！？":
        return not (after in ",;)" or (after.islower() and stretch[stop - 1] != stretch[mark]))
    if stretch[mark] == "…" or stretch[mark - 1 : mark] == ".":
        return after.isupper()
    word = re.search(r"[\w.’'-]*$", stretch[begin:mark])
    before = word.group().strip("'’-") if word else ""
    if (after.islower() and not "\U0001d400" <= after <= "\U0001d7ff") or after in ",;:)]%":
        return False  # lower case, but for the letters of formulas, goes on
    if not before:
        return True
    plain = before.lower().lstrip(".")
    if after.isdigit() and (plain in {"l", "ll"} or before in {"Table", "Figure", "Section", "Equation"}):
        return False  # line 12
    if re.fullmatch(r"[QWRCSP]\d{1,2}", stretch[begin:mark]):
        return False  # "Q2. How ...": the number of a point
    if plain in _CLOSING_ABBREVIATIONS:
        return after.isupper() and not (plain in {"fig", "no", "nos"} and not _STARTER.match(stretch, following))
    if _ABBREVIATION.fullmatch(plain.rsplit("-", 1)[-1]) or re.fullmatch(r"(?:[^\W\d]\.)+[^\W\d]", plain):
        if after.isdigit() or after in "([":
            return False
        return plain in {"al", "et", "i.i.d", "u.s", "u.k"} and bool(_STARTER.match(stretch, following))
    if len(before) == 1 and before.isalpha() and before.isupper():
        # An initial (J. Smith), unless what follows opens a sentence (theorem A. The ...).
        return bool(_STARTER.match(stretch, following)) and before != "I"
    # An enumeration inside the running text: "... 2. the" never has a capital before its number's stop.
    return not (
        before.isdigit() and len(before) <= 2 and re.search(r"(?:^|[:;,(])\s*$", stretch[begin : mark - len(before)])
    )
