"""Splits a review into sentences, by code-point offsets of the original text, and snaps selections to them.

The text is split twice: first by layout (``stretches``), where what is set apart ends regardless of punctuation, and
Markdown quote marks are outside of sentences; then each stretch at sentence ends, with citations, abbreviations,
initials, numbers, links and formulas protected.

These are rules of our own rather than pysbd's: on reviews both find sentence ends in running text equally well (see the
benchmark), but pysbd treats quote marks as text and every line end as the end of a sentence, which breaks up quoted and
wrapped letters, and takes ten times as long.
"""

import re
from collections.abc import Iterable, Iterator

from engine.reviews.records import Span
from engine.reviews.stretches import cuttable_stretches

_ABBREVIATION = re.compile(
    r"a\.k\.a|al|approx|apr|aug|avg|ca|cf|ch|chap|co|col|conf|corp|dec|def|dept|dr|e\.g|ed|eds|eg|eq|eqn|eqns|"
    r"eqs|et|etal|ex|exp|ext|feb|fig|figs|ft|gen|gov|i\.e|i\.i\.d|ie|inc|incl|jan|jr|jul|jun|lem|lett|lhs|ln|"
    r"max|min|mr|mrs|ms|mt|nat|nov|nr|obs|oct|op|p|par|para|paras|pg|pgs|pp|proc|prof|prop|ref|refs|reg|rep|"
    r"repr|res|resp|rev|rhs|s\.t|sci|sec|secs|sect|sep|sept|sr|st|supp|suppl|tab|tabs|th|thm|tr|trans|u\.k|"
    r"u\.s|univ|viz|vol|vols|vs|w\.r\.t|wrt"
)
# Abbreviations that may also end sentences: a capital after them starts a new one.
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
_STARTER_IN_ANY_CASE = re.compile(_STARTER.pattern, re.IGNORECASE)

_PROTECTED = re.compile(
    r"`[^`\n]+`"  # code
    r"|(?<!\\)\$\$[^$\n]{1,300}\$\$"  # displayed formula within a line
    r"|(?<![\\$\w])\$(?=\S)[^$\n]{1,200}?(?<=\S)\$(?!\d)"  # inline formula
    r"|\\\([^\n]{1,200}?\\\)"
    r"|!?\[[^\[\]\n]{0,300}\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+\"[^\"\n]*\")?\)"  # Markdown link
    r"|<https?://[^>\s]+>|(?:https?://|www\.)[^\s<>\"“”]*[^\s<>\"“”.,;:!?)\]]|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|„[^„“”\n]{1,250}[“”]|«[^«»\n]{1,250}»|“[^“”\n]{1,250}”|(?<!\w)\"[^\"\n]{1,250}\"(?!\w)"
    r"|``[^`'\n]{1,250}''"  # TeX quotation marks
    r"|\b(?:[Aa]pp|[Aa]lgs?|[Tt]bls?)\. ?(?:\d+|[A-Z](?:\.\d+)*)\b"  # places that are also words ending sentences
)
_END = re.compile(
    r"(?:[.!?…]+|[。！？؟۔।])(?:[)\]}’”“\"'*_»$」』）】\u200e\u200f\u061c]|[ \xa0\u202f]»)*"
    r"(?:\[\d{1,3}(?: ?[,;–-] ?\d{1,3})*\]|</[a-z]+>)*"  # a citation after the full stop, or a closing HTML tag
    r"(?=\s|$|<[a-z]|[。！？])|[。！？][」』）】”’]*"
)
_EMOJI = re.compile(r"[ \t]?[\U0001f300-\U0001faff\u2639\u263a\u2764\ufe0f\u200d]+(?=\s|$)")
"""Emoji at the end of a sentence belong to it, not to the next one."""
_LONG_WORD = 200
"""Characters; anything longer isn't a word that could be an abbreviation or a number."""
_POINT = re.compile(
    r"[QWRCSP]?\d{1,2}(?:\.\d{1,2}){0,2}|(?:Comment|Point|Question|Weakness|Issue|Concern|Remark|Suggestion|Strength)"
    r" ?#?\d{1,2}"
)
"""The number of a point, at its beginning: "Q2. How ..."."""
_LINE_MARKS = re.compile(r"\s*(?:(?<=[\n\r])[ \t]{0,3}>[> \t]*)?\s*")
_GLUED_END = re.compile(rf"(?<=[a-z)\]][a-z)\]])[.?!](?={_STARTER.pattern}[ ,])")


def split_sentences(text: str) -> tuple[Span, ...]:
    """Returns the sentences of ``text``: ordered, disjoint, stripped of white space, covering everything but white
    space and quote marks at line starts. A sentence may span lines, and then contains the quote marks between them."""
    return tuple(span for stretch in cuttable_stretches(text) for span in _cut(text, *stretch))


def sentences_around(text: str, kept: Iterable[Span]) -> tuple[Span, ...]:
    """Returns the sentences of a text, with the ``kept`` ones as they are, however they were split, and the remaining
    parts of the others, in order. Parts without a letter or digit are left out."""
    given = sorted(set(kept), key=lambda span: (span.start, span.end))
    if not given:
        return split_sentences(text)
    found = list(given)
    at = 0
    for span in split_sentences(text):
        while at < len(given) and given[at].end <= span.start:
            at += 1
        position = span.start
        for one in given[at:]:
            if one.start >= span.end:
                break
            found += _piece(text, position, one.start)
            position = max(position, one.end)
        found += [span] if position == span.start else _piece(text, position, span.end)
    return tuple(sorted(found, key=lambda span: (span.start, span.end)))


def _piece(text: str, start: int, end: int) -> list[Span]:
    """Returns [start, end) stripped of white space and quote marks, or nothing if it has no letter or digit."""
    while start < end and (text[start].isspace() or text[start] == ">"):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [Span(start, end)] if any(char.isalnum() for char in text[start:end]) else []


def snap_to_sentences(text: str, start: int, end: int) -> Span:
    """Returns the smallest run of whole sentences that contains the selection [start, end).

    White space and punctuation at its ends don't add sentences. An empty selection (a cursor) selects the sentence that
    it is in or touches. In a text without sentences the result is an empty span at ``start``.
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
    """Expands [start, end) to whole words and strips white space; a cursor selects the word that it touches."""
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
    """Whether a character is part of a word, including signs inside words and numbers: don't, state-of-the-art, 3.5."""
    char = text[position]
    if char.isalnum() or char == "_":
        return True
    inside = 0 < position < len(text) - 1 and text[position - 1].isalnum() and text[position + 1].isalnum()
    return inside and char in "-'’.‐‑"


def _meaningful(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns [start, end) without white space, quote marks and punctuation at its ends, unless nothing else
    remains."""
    inner_start, inner_end = start, end
    while inner_start < inner_end and (text[inner_start].isspace() or text[inner_start] in ">.,;:!?"):
        inner_start += 1
    while inner_end > inner_start and text[inner_end - 1].isspace():
        inner_end -= 1
    return (inner_start, inner_end) if inner_start < inner_end else (start, end)


def _cut(text: str, start: int, first: int, end: int) -> Iterator[Span]:
    if first >= end:
        yield Span(start, end)
        return
    stretch = text[start:end]
    guarded = _guarded(stretch)
    first -= start
    begin = 0
    ends = sorted(
        {m.end() for m in _END.finditer(stretch, first)} | {m.end() for m in _GLUED_END.finditer(stretch, first)}
    )
    for end_mark in ends:
        if end_mark <= begin or guarded[end_mark - 1] == 2 or not _ends_sentence(stretch, begin, end_mark, guarded):
            continue
        emoji = _EMOJI.match(stretch, end_mark)
        stop = emoji.end() if emoji else end_mark
        following = skip_marks(stretch, stop)
        if following >= len(stretch):
            break
        yield Span(start + begin, start + stop)
        begin = following
    yield Span(start + begin, end)


def skip_marks(text: str, position: int, end: int | None = None) -> int:
    """Returns where text continues from ``position``, skipping white space and the quote mark of the next line."""
    mark = _LINE_MARKS.match(text, position, len(text) if end is None else end)
    return mark.end() if mark else position


_BRACKET = re.compile(r"[()\[\]{}]")


def _guarded(stretch: str) -> bytearray:
    """Marks each character: 2 inside code, formulas, links, short quotations; 1 inside short parentheses."""
    guarded = bytearray(len(stretch))
    for match in _PROTECTED.finditer(stretch):
        # The last character isn't protected, so that a quotation's own full stop can end the sentence.
        last = match.end() - 1
        guarded[match.start() : last] = b"\x02" * (last - match.start())
    opened: list[int] = []
    for match in _BRACKET.finditer(stretch):
        position = match.start()
        if guarded[position] == 2:
            continue
        if match[0] in "([{":
            opened.append(position)
        elif opened:
            begin = opened.pop()
            if position - begin <= 300 and not opened:
                for inner in range(begin, position):
                    guarded[inner] = max(guarded[inner], 1)
    return guarded


def _ends_sentence(stretch: str, begin: int, stop: int, guarded: bytearray) -> bool:
    mark = stop - 1
    while mark > begin and stretch[mark] not in ".!?…。！？؟۔।":
        mark -= 1
    if guarded[mark] == 1 and guarded[stop - 1] == 1:
        return False
    following = skip_marks(stretch, stop)
    if following >= len(stretch):
        return True
    after = stretch[following]
    if guarded[mark] == 2:  # the full stop is inside a quotation that closes here
        # Where quotation marks aren't English, the next word isn't either.
        return (
            after.isupper()
            and stretch[mark - 1].isalnum()
            and (stretch[stop - 1] in "“»" or bool(_STARTER.match(stretch, following)))
        )
    if stretch[mark] in "!?。！？؟۔।":
        return not (after in ",;)" or (after.islower() and stretch[stop - 1] != stretch[mark]))
    if stretch[mark] == "…" or stretch[mark - 1 : mark] == ".":
        return after.isupper()
    first = mark
    while first > max(begin, mark - _LONG_WORD) and (stretch[first - 1].isalnum() or stretch[first - 1] in "_.’'-"):
        first -= 1
    before = stretch[first:mark].strip("'’-")
    # Patterns of short beginnings are only tried on short ones: many full stops may follow one beginning.
    lead = stretch[begin:mark].lstrip("*_-+•([ \t") if mark - begin <= _LONG_WORD else ""
    if _POINT.fullmatch(lead):
        return False
    if lead in {"No", "no"} and not after.isdigit():
        return True
    if _starts_in_lower_case(stretch, following, before):
        return True
    if (after.islower() and not "\U0001d400" <= after <= "\U0001d7ff") or after in ",;:)]%":
        return False  # lower case continues the sentence, except in formulas
    if not before:
        return True
    plain = before.lower().lstrip(".")
    if after.isdigit() and (plain in {"l", "ll"} or before in {"Table", "Figure", "Section", "Equation"}):
        return False  # line 12
    if plain in _CLOSING_ABBREVIATIONS:
        return after.isupper() and not (plain in {"fig", "no", "nos"} and not _STARTER.match(stretch, following))
    if _ABBREVIATION.fullmatch(plain.rsplit("-", 1)[-1]) or re.fullmatch(r"(?:[^\W\d]\.)+[^\W\d]", plain):
        if after.isdigit() or after in "([":
            return False
        return plain in {"al", "et", "i.i.d", "u.s", "u.k"} and bool(_STARTER.match(stretch, following))
    if len(before) == 1 and before.isalpha() and before.isupper():
        # An initial (J. Smith), unless what follows opens a sentence (theorem A. The ...).
        return bool(_STARTER.match(stretch, following)) and before != "I"
    # A number in the running text: "... 2. the" never has a capital before the number's full stop.
    return not (before.isdigit() and len(before) <= 2 and _opens_list(stretch, begin, mark - len(before)))


def _opens_list(stretch: str, begin: int, stop: int) -> bool:
    if re.search(r"\d,$", stretch[max(begin, stop - 2) : stop]):
        return False  # "0,61" in other languages
    while stop > begin and stretch[stop - 1].isspace():
        stop -= 1
    return stop == begin or stretch[stop - 1] in ":;,("


def _starts_in_lower_case(stretch: str, following: int, before: str) -> bool:
    """Returns whether a sentence starts here in lower case: a common first word, after a complete word."""
    return (
        len(before) > 3
        and before.isalpha()
        and not _ABBREVIATION.fullmatch(before.lower())
        and stretch[following].islower()
        and bool(_STARTER_IN_ANY_CASE.match(stretch, following))
    )
