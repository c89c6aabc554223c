"""Splits a text into stretches by layout alone, in code points of the original text. Blank lines, headings, titles,
list items, fields, tables, displayed formulas and code end a stretch regardless of punctuation; Markdown quote marks
are excluded. A line end that the writer intended, rather than a wrapped line, also ends one."""

import re
from collections.abc import Iterator
from itertools import pairwise

from engine.documents.numbers import from_roman
from engine.reviews.records import Span

QUOTE_MARKS = re.compile(r"[ \t]{0,3}>(?:[ \t]?>)*[ \t]?")
LIST_MARK = re.compile(
    r"[ \t]*(?:\[[ xX?]\][ \t]+)?(?:\\?[-*+•‣◦–—●○▪■∙·][ \t]+(?:\[[ xX]\][ \t]+)?|・[ \t]*|"
    r"\(?\d{1,3}(?:\\?[.)]\.?|:)[ \t]+|\(?(?:[a-z]|[ivx]{1,4})\)[ \t]+|"
    r"#\d{1,3}[.:)]?[ \t]+|[A-Z]\.\d{1,2}(?:\.\d{1,2})*[.:)][ \t]+|\d{1,2}(?:[-–]|[ ]-(?=[ ]\W*[A-Z]))[ \t]+)(?=\S)"
)
LETTERED = re.compile(r"[ \t]*(?:([a-z])|([A-Z])|([ivx]{2,5})|([IVX]{2,5}))\.[ \t]+(?=\S)")
"""An item of a list numbered "a.", "B." or "iv."; a single one isn't a list, since a wrapped line may begin with an
initial."""
HEADING = re.compile(r"[ \t]{0,3}(?:#{1,6}(?:[ \t]|$)|#{2,6}[^\W\d])")
_SHORT_LINE = 60
"""Characters; the end of a shorter line was intended, not wrapped."""
_LONG_LINE = 100
"""Characters; a longer line was never wrapped."""
_GOES_ON = re.compile(
    r"(?:^|\s)(?:the|an?|of|in|on|and|or|by|to|with|for|from|as|that|is|are|was|were|be|see|at|than|this|these|we|our|"
    r"their|its|et|both|between|using|via|not|no|sections?|figures?|tables?|equations?|al\.|figs?\.|eqs?\.|secs?\.|"
    r"tabs?\.|e\.g\.|i\.e\.|cf\.|vs\.)$",
    re.IGNORECASE,
)
"""Words that don't end a line whose end was intended."""
_FIELD = re.compile(r"(?:[*_]{1,2})?[A-Z][\w’'/-]*(?: [\w’'/&()-]+){0,3}(?:[*_]{1,2})?:(?:[*_]{1,2})?(?=\s|$)")
_RULE = re.compile(r"[ \t]{0,3}(?:(?:[-*_=~#][ \t]*){3,})$")
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
_TABLE_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$")
_TITLE = re.compile(
    r"[ \t]*(?:(?P<bold>\*\*|__)(?=\S)(?:(?!\*\*|__).){1,80}(?<=\S)(?P=bold)"
    r"|(?=[^a-z]{4,60}$)(?=.*[A-Z]{4})[^\W\d_].*"
    r"|(?:(?:Major|Minor|Main|General|Specific|Detailed|Additional|Other|Further|Key|Technical)[ ])?(?i:summary|"
    r"strengths?(?: and weaknesses)?|weakness(?:es)?|pros|cons|positives?|negatives?|questions?(?: for (?:the )?"
    r"authors?)?|comments?|concerns?|issues?|remarks?|suggestions?|typos|limitations?|recommendation|originality|"
    r"quality|clarity|significance|novelty|soundness|presentation|contributions?|evaluation|overall|conclusions?)"
    r")[ \t]*:?[ \t]*$"
)
"""A line that looks like a title: all bold, all in capitals, or a usual heading of reviews."""
_DISPLAY_OPEN = re.compile(r"[ \t]*(?:\$\$|\\\[|\\begin\{(?:equation|align|gather|eqnarray|multline)\*?\})")
_DISPLAY_CLOSE = re.compile(r"(?:\$\$|\\\]|\\end\{(?:equation|align|gather|eqnarray|multline)\*?\})[.,;]?[ \t]*$")


def stretches(text: str) -> tuple[Span, ...]:
    """Returns the pieces that the layout sets apart (paragraphs, headings, list items, formulas), without quote
    marks."""
    return tuple(Span(start, end) for start, _, end in cuttable_stretches(text))


def _lines(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    for line in text.splitlines(keepends=True):
        stripped = line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        yield position, position + len(stripped)
        position += len(line)


def cuttable_stretches(text: str) -> Iterator[tuple[int, int, int]]:
    """Yields for each stretch its start, the position from which sentences may end within it (its end if nowhere), and
    its end."""
    opened: tuple[int, int, int] | None = None  # the stretch being collected
    depth = 0
    inside = ""  # "fence", "display" or "table": in code, a displayed formula or a table without borders
    items = lettered_items(text)
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
        if inside == "table" and "|" not in content:
            inside = ""
        if inside == "table":
            yield (body, stop, stop)
            continue
        if inside:
            opened = (opened[0] if opened else body, stop, stop)
            closes = _FENCE.match(content) if inside == "fence" else _DISPLAY_CLOSE.search(content)
            if closes:
                yield opened
                opened, inside = None, ""
            continue
        fence, display = _FENCE.match(content), _DISPLAY_OPEN.match(content)
        if fence or display:
            if opened:
                yield opened
            opened = (body, stop, stop)
            one_line = display and _DISPLAY_CLOSE.search(content, display.end())
            if one_line:
                yield opened
                opened = None
            else:
                inside = "fence" if fence else "display"
            continue
        if opened and _TABLE_RULE.match(content) and "|" in text[opened[0] : opened[2]]:
            yield (opened[0], opened[2], opened[2])
            yield (body, stop, stop)
            opened, inside = None, "table"
            continue
        mark = LIST_MARK.match(content) or (LETTERED.match(content) if body in items else None)
        if mark and opened and mark[0].strip() in {"–", "—"} and text[opened[2] - 1] not in ":;":
            mark = mark if text[opened[0]] in "–—" else None  # otherwise a dash within a sentence
        whole = HEADING.match(content) or _RULE.match(content) or _TABLE_ROW.match(content)
        first = start + mark.end() if mark else body
        alone = whole or (_TITLE.match(text, first, stop) and _stands_alone(text, opened, line_end))
        # A quote's first line and its lazy continuation differ in depth and form one paragraph; a deeper quote doesn't.
        if opened and (alone or mark or line_depth > depth or _begins_field(text, opened[2], content)):
            yield opened
            opened = None
        if alone:
            yield (body, stop if whole else first, stop)
            continue
        if opened and _ended(text, opened[2], content, line_end):
            yield opened
            opened = None
        if opened and text[opened[2] - 1] == ":" and opened[2] - opened[0] <= 60 and content.lstrip()[0].isupper():
            yield opened  # a title on a separate line: "Summary:"
            opened = None
        depth = line_depth if marks or not opened else depth
        opened = (opened[0], opened[1], stop) if opened else (body, first, stop)
    if opened:
        yield opened


def lettered_items(text: str) -> frozenset[int]:
    """Returns the starts of lines that are items "a.", "b." of one list, i.e. that are adjacent to another one."""
    found: dict[int, tuple[int, int]] = {}
    for match in re.finditer(rf"^(?:{QUOTE_MARKS.pattern})?(?:{LETTERED.pattern})", text, re.MULTILINE):
        kind = next(at for at, letters in enumerate(match.groups()) if letters)
        letters = match.groups()[kind]
        at = match.start(kind + 1)
        found[at] = (kind, from_roman(letters.upper()) if kind > 1 else ord(letters))
    kept = set()
    for (one, (kind, number)), (other, (theirs, following)) in pairwise(found.items()):
        after_one = chr(number) in "iI" and (theirs, following) == (kind + 2, 2)  # "i." is a letter, too
        if (kind, number + 1) == (theirs, following) or after_one:
            kept |= {one, other}
    return frozenset(kept)


def _stands_alone(text: str, opened: tuple[int, int, int] | None, line_end: int) -> bool:
    """Returns whether a line that looks like a title isn't part of a wrapped sentence: the text before has ended, and
    the text after doesn't continue in lower case."""
    if opened is None and text[:line_end].rstrip().endswith(("**", "__", ":")):
        return True
    if opened and text[opened[2] - 1] not in '.!?:)*”"' and not _is_short_line(text, opened[2]):
        return False
    return not _goes_on(text, line_end)


def _goes_on(text: str, line_end: int) -> bool:
    """Returns whether the next line begins in lower case."""
    return text[line_end : line_end + 200].lstrip()[:1].islower()


def _is_short_line(text: str, end: int) -> bool:
    """Returns whether the line that ends here is too short to have been wrapped."""
    return end - (text.rfind("\n", 0, end) + 1) < _SHORT_LINE


def _begins_field(text: str, end: int, content: str) -> bool:
    """Returns whether a line begins a new field ("Rating: 6", "Cons:") after a line that wasn't wrapped."""
    return _is_short_line(text, end) and bool(_FIELD.match(content.lstrip()))


def _ended(text: str, end: int, content: str, line_end: int) -> bool:
    """Returns whether the line before ``content`` was ended on purpose, without a full stop: its length shows that it
    wasn't wrapped, it doesn't end with a word that needs a continuation, and a capital or a number follows. If
    ``content``, up to ``line_end``, continues in lower case on the next line, the text is wrapped."""
    line = text[text.rfind("\n", 0, end) + 1 : end]
    begins = content.lstrip()[0]
    if not (begins.isupper() or begins.isdigit()) or line[-1] in ",;-(/&=+" or _goes_on(text, line_end):
        return False
    return not _SHORT_LINE <= len(line) <= _LONG_LINE and not _GOES_ON.search(line)
