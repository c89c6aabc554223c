"""The layout of a letter or review: paragraphs with their quote depth, indentation, list marks, emphasis and labels.

Markdown is parsed tolerantly and without rewriting: every piece keeps its code-point offsets in the original text. What
a paragraph means isn't decided here but in ``letter``.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from engine.reviews.marks import Mark, MarkedText
from engine.reviews.naming import FIELD, Label, find_label, reviewer_name
from engine.reviews.records import Comment, Span
from engine.reviews.spans import normalised
from engine.reviews.stretches import LETTERED, LIST_MARK, QUOTE_MARKS, lettered_items


@dataclass(frozen=True, slots=True)
class Unit:
    """A paragraph, list item, heading or rule. [start, end) excludes quote marks; ``outer`` starts at the quote
    mark."""

    start: int
    end: int
    outer: int
    kind: Literal["text", "heading", "rule", "code"]
    depth: int
    indent: int
    quote: int
    """The number of its run of quoted lines; 0 outside of quotes."""
    list_mark: str = ""
    label: Label | None = None
    level: int = 0
    """The level of a heading."""
    marks: frozenset[str] = frozenset()
    """The marks on all of it."""
    begins: frozenset[str] = frozenset()
    """The marks that begin where it begins."""
    alone: bool = False
    """A line that is never part of a paragraph: a field such as "Rating: 6", the name of a reviewer."""

    @property
    def number(self) -> int:
        """The number of a list item; 0 without one."""
        return int(re.sub(r"\D", "", self.list_mark) or 0)


def listed(unit: Unit) -> bool:
    """Returns whether a paragraph has a list mark, or the label of a comment."""
    return bool(unit.list_mark or (unit.label and unit.label.kind == "comment"))


_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_RULE = re.compile(
    r"[ \t]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}|~{3,}|#{3,}|[─—–]{3,}|\+{3,}|"
    r":{3,}[ \t]*(?:\{[^{}\n]{0,80}\}|[\w-]{0,40})[ \t]*:*)$"
)
_CLASS = re.compile(r"[A-Za-z][\w-]*")
"""The class of a division in Markdown (::: comment)."""
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_DASHED = re.compile(r"(?P<sign>[-=*_#~])(?P=sign){2,}[ \t]*(?P<title>[^\W_a-z][^\n]{0,80}?):?[ \t]*(?P=sign)*$")
"""A title between dashes: "----- REVIEW 1 -----", "----- TEXT:"."""


_WRAPPED_FROM = 50
"""Characters; a shorter quoted line wasn't wrapped."""
_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]+(?:\r\n?|[\n\x85\u2028\u2029])?|\r\n?|[\n\x85\u2028\u2029]")


@dataclass(slots=True)
class _Line:
    start: int
    body: int
    end: int
    depth: int
    indent: int
    content: str
    opener: str


@lru_cache(maxsize=1)
def _lines(text: str) -> tuple[_Line, ...]:
    return tuple(_each_line(text))


def _each_line(text: str) -> Iterator[_Line]:
    position = 0
    for raw in _LINE.findall(text):
        line = raw.rstrip("\r\n\x85\u2028\u2029")
        marks = QUOTE_MARKS.match(line)
        after = marks.end() if marks else 0
        content = line[after:]
        width = len(content) - len(content.lstrip())
        start = position + (len(marks.group()) - len(marks.group().lstrip()) if marks else width)
        depth = marks.group().count(">") if marks else 0
        indent = len(content[:width].expandtabs(4))
        body = content.strip()
        yield _Line(start, position + after + width, position + len(line.rstrip()), depth, indent, body, opener(body))
        position += len(raw)


def read_units(marked: MarkedText, *, lazy: bool = True, turns: bool = False) -> tuple[Unit, ...]:
    """Returns the paragraphs of a text in order, split where a mark or a label begins or ends at a sentence. With
    ``lazy``, an unmarked line directly below a quoted one still belongs to the quote, as in Markdown (unless it has a
    response label); without, it starts a new paragraph, as in e-mail, unless it's the rest of a wrapped line. With
    ``turns``, so does each line that begins a sentence."""
    text = marked.text
    looks = _Looks(marked)
    lines = _lines(text)
    openers = _openers(lines)
    paragraphs = tuple(_paragraphs(text, lines, openers, lazy=lazy, turns=turns))
    rules = Counter(text[unit.start] for unit in paragraphs if unit.kind == "rule" and text[unit.start] != ":")
    sign, count = rules.most_common(1)[0] if rules else ("", 0)
    units: list[Unit] = []
    enclosed = False
    divisions: list[str] = []
    for paragraph in paragraphs:
        if paragraph.kind == "rule" and text[paragraph.start] == ":":
            if name := _CLASS.search(text, paragraph.start, paragraph.end):
                divisions.append(f"in {name[0]}")
            elif divisions:
                divisions.pop()
        enclosed ^= paragraph.kind == "rule" and text[paragraph.start] == sign
        for piece in _pieces(text, paragraph, looks, openers):
            between = enclosed and count > 3 and not count % 2 and piece.kind == "text"
            marks = {"between lines", *divisions} if between else set(divisions)
            units.append(replace(piece, marks=piece.marks | marks) if marks else piece)
    return tuple(units)


def _paragraphs(
    text: str, lines: Sequence[_Line], openers: frozenset[str], *, lazy: bool, turns: bool
) -> Iterator[Unit]:
    current: Unit | None = None
    quote = 0
    previous: _Line | None = None
    fence = ""
    end = 0  # of the current paragraph
    number = 0  # of the latest numbered list item
    items = lettered_items(text)
    for line in lines:
        if fence:
            end = line.end if line.content else end
            if line.content.startswith(fence) and current is not None:
                yield replace(current, end=end)
                current, fence = None, ""
            previous = line
            continue
        if not line.content:
            if current is not None:
                yield replace(current, end=end)
            current = None
            previous = line if line.depth else None
            continue
        before = previous is not None and (previous.depth > 0 or (current is not None and current.quote > 0))
        opens_quote = line.depth > 0 and not before
        quote += opens_quote
        begins = line.opener
        mark = LIST_MARK.match(line.content + " ") or (LETTERED.match(line.content) if line.body in items else None)
        fenced, heading, rule = (
            pattern.match(line.content) if line.content[0] in signs else None
            for pattern, signs in ((_FENCE, "`~"), (_HEADING, "#"), (_RULE, "*-_=~#─—–+:"))
        )
        dashed = None if rule or begins in openers else _DASHED.match(line.content)
        alone = (
            bool(dashed)
            or _is_field(line.content, after=current is not None and current.alone, initials=begins in openers)
            or (len(line.content) < 60 and _NAMES.fullmatch(line.content))
        )
        if current is not None:
            starts = (
                opens_quote
                or bool(fenced or heading or rule or alone)
                or current.alone
                or 0 < line.depth != current.depth > 0
                or bool(mark and _opens_item(mark.group(), number, current))
                or begins in openers
                or _labelled(text, line)
                or (turns and text[end - 1] in ".?!" and line.content[0].isupper())
            )
            if not line.depth and current.quote and not starts:
                starts = bool(mark and line.indent < 1) if lazy else not _wrapped(previous, line)
            if starts:
                yield replace(current, end=end)
                current = None
        end = line.end
        if current is None:
            kind = "code" if fenced else "heading" if heading else "rule" if rule else "text"
            level = len(heading[1]) if heading else 0
            listed = mark.group() if mark and kind == "text" else ""
            digits = re.search(r"\d+", listed)
            number = int(digits[0]) if digits else number
            current = Unit(
                line.body, end, line.start, kind, line.depth, line.indent, quote if line.depth else 0,  # type: ignore[arg-type]
                list_mark=listed.strip(), level=level, alone=bool(alone),
            )  # fmt: skip
            if dashed:
                current = replace(current, kind="heading", level=3 if reviewer_name(dashed["title"]) is None else 2)
            fence = fenced[1][:3] if fenced else ""
            if heading or dashed or (rule and not fenced):
                yield current
                current = None
        previous = line
    if current is not None:
        yield replace(current, end=end)


def _wrapped(previous: _Line | None, line: _Line) -> bool:
    """Returns whether a line is the rest of a quoted one that an e-mail program wrapped without a quote mark."""
    before = previous.content if previous is not None else ""
    return len(before) >= _WRAPPED_FROM and before[-1] not in ".?!:;" and line.content[0].islower()


def _labelled(text: str, line: _Line) -> bool:
    """Returns whether a line begins with a label; a line that consists only of a code such as "(R2)" says whose text
    precedes it."""
    label = find_label(text, line.body, line.end)
    return label is not None and (label.kind != "code" or label.end < line.end)


_NAMES = re.compile(
    r"[-=*_#~ ]*(?:anonymous |workshop )?(?:reviewer|referee|review|area chair|editor)s?[ #.:]*"
    r"(?:\d{1,4}[A-Z]?|[A-Z])?[-=*_#~ :]*",
    re.IGNORECASE,
)


def _is_field(content: str, *, after: bool, initials: bool) -> bool:
    """``after``: below another field, where "AUTHORS: A and B" doesn't label a response. ``initials``: many lines begin
    like this."""
    match = FIELD.match(content) if len(content) < 220 else None
    return bool(
        match
        and not (initials and match["capitals"])
        and match["name"][:1].isupper()
        and (len(match["value"].split()) <= 12 or re.match(r"-?\d", match["value"]))
        and ((after and match["name"].isupper()) or find_label(content, 0, len(content)) is None)
    )


def _opens_item(mark: str, number: int, current: Unit) -> bool:
    """Returns whether a list mark within a paragraph starts an item; a wrapped line may begin with a number by
    accident."""
    digits = re.search(r"\d+", mark)
    if not digits:
        return mark.strip() not in {"–", "—"} or bool(current.list_mark)
    return int(digits[0]) == 1 or int(digits[0]) == number + 1


# --- recurring beginnings of paragraphs -------------------------------------------------------------------------------

_OPENER = re.compile(
    r"[ \t]*(?:(?P<sign>(?=\S{2,14}(?:\s|$))[^\w\s\"'“”‘’(\[$\\|.,…<`*_-]{1,3}[A-Z]*[^\w\s\"'“”‘’)\]]{0,3}(?=\s|$))|"
    r"(?P<dash>-{1,3}(?=[A-Z“\"]))|(?P<name>[A-Z]{2,8}(?:/[A-Z]{2,8})*)(?=[:\s>\])]|$)|"
    r"(?P<code>`\[?[\w .#-]{1,20}\]?`)|(?P<boxed>\[[A-Za-z]{1,8}[ #-]?\d{1,2}(?:[.-]\d{1,2})?\])|"
    r"(?P<word>[*_\[]{0,3}[^\W\d_](?:[^\W\d_]|[’' ]){0,24}?(?:[ #-]*\d+(?:[.-]\d+)*)?[*_\]]{0,3})(?:：|:{1,2}"
    r"(?=[*_]{0,3}(?:\s|$)))|:(?=\s)|[*_]{1,3}[A-Za-z][A-Za-z’' ]{0,24}[*_]{1,3}(?=\s)|"
    r"[A-Z][A-Za-z’' ]{1,24}(?=[\r\n]|$))"
)


_BULLET = re.compile(r"^[ \t]*[-*+•][ \t]+")
_SHOUTED = re.compile(r"\w[^:]{3,}$")
_UNCASED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def opener(content: str) -> str:
    """Returns the sign, initials or word with a colon that a paragraph begins with, without its number; "" if there is
    none. A line in capitals begins with "CAPITALS"."""
    if content.isupper() and _SHOUTED.match(content) and not _UNCASED.search(content):
        return "CAPITALS"
    match = _OPENER.match(_BULLET.sub("", content))
    if match is None:
        return ""
    key = re.sub(r"\d+(?:[.-]\d+)*", "#", match[0].strip(" \t*_[]:：") or match[0].strip())
    return key if match["name"] else key.casefold()


def _openers(lines: Sequence[_Line]) -> frozenset[str]:
    """Returns what at least four paragraphs of this letter begin with; for code signs (`), at least two."""
    found = Counter(line.opener for line in lines if line.opener)
    return frozenset(key for key, count in found.items() if count >= (2 if key[0] == "`" else 4))


# --- marks of paragraphs ----------------------------------------------------------------------------------------------

_INLINE = (  # patterns must not search all of a text for a missing end
    (
        "bold",
        re.compile(r"\*\*(?!\s)(?:(?!\*\*).)+(?<!\s)\*\*\*?|(?<![_\w])__(?!\s)(?:(?!__).)+(?<!\s)__(?!\w)", re.DOTALL),
    ),
    (
        "italic",
        re.compile(
            r"(?<![*\w\\])\*(?![*\s])(?:[^*]|\*\*[^*]+\*\*)+?(?<![\s*])\*(?![*\w])|(?<![*\w])\*\*\*(?!\s)(?:(?!\*\*\*).)+(?<!\s)\*\*\*|"
            r"(?<![_\w])_(?![_\s])(?:[^_]|(?<=\w)_(?=\w))+?(?<!\s)_(?![_\w])",
            re.DOTALL,
        ),
    ),
    (
        "coloured",
        re.compile(
            r"<(span|font|div|p)\b(?=[^<>]{0,500}\bcolou?r\b)[^<>]{0,500}>.{0,5000}?</\1>|\{\\color\{\w+\}.*?\}|\\textcolor\{\w+\}\{.*?\}",
            re.DOTALL,
        ),
    ),
)
_STRUCK = re.compile(r"~~(?!\s)(?:(?!~~).)+(?<!\s)~~", re.DOTALL)
_QUOTED = re.compile(r"(?:[“„«][^“”„«»]*(?:“[^“”]*”[^“”]*)*[”“»]|\"[^\"]*\"|\'\'.*\'\'|‘.{20,}’)[.,;:?!]?", re.DOTALL)
_BRACKETED = re.compile(r"(?:\[(?!\d)(?:[^\[\]]|\[[^\[\]]*\])+\]\.?|\{(?:>>|\+\+)[^{}]+\})")
_COVERS = 0.75
"""The minimum share of a paragraph's letters for a mark to apply to the whole paragraph."""


class _Looks:
    """The marks of a text by position."""

    def __init__(self, marked: MarkedText) -> None:
        self._converted = marked.converted
        self._marks = sorted(marked.marks, key=lambda mark: mark.start)
        self._ends: list[int] = []
        furthest = 0
        for mark in self._marks:
            furthest = max(furthest, mark.end)
            self._ends.append(furthest)

    def within(self, text: str, start: int, end: int) -> list[Mark]:
        """Returns the marks on [start, end), clipped to it; one that started earlier begins one letter before."""
        found = []
        for at in range(bisect_right(self._ends, start), len(self._marks)):
            mark = self._marks[at]
            if mark.start >= end:
                break
            if mark.end > start:
                found.append(Mark(mark.name, max(mark.start, start - 1), min(mark.end, end)))
        content = text[start:end]
        if "~~" in content:
            found += [Mark("struck", start + m.start(), start + m.end()) for m in _STRUCK.finditer(content)]
        if not self._converted and ("*" in content or "_" in content or "color" in content):
            for name, pattern in _INLINE:
                found += [Mark(name, start + m.start(), start + m.end()) for m in pattern.finditer(content)]
        return found


def _pieces(text: str, unit: Unit, looks: _Looks, openers: frozenset[str]) -> Iterator[Unit]:
    if unit.kind in ("rule", "code"):
        marks = {mark.name for mark in looks.within(text, unit.start, unit.end)}
        own = {"quoted"} if unit.depth else {"in code"} if unit.kind == "code" else set()
        yield replace(unit, marks=frozenset(marks | own))
        return
    found = looks.within(text, unit.start, unit.end)
    start = unit.start
    if unit.kind == "heading":
        match = _HEADING.match(text[start : unit.end])
        start += match.start(2) if match else 0
    first = start
    cuts = {first} if unit.kind == "heading" else {first, *_cuts(text, unit, first, found, openers)}
    places = sorted(cuts)
    for number, (begin, stop) in enumerate(zip(places, [*places[1:], unit.end], strict=True)):
        end = begin + len(text[begin:stop].rstrip())
        label = find_label(text, begin, end)
        body = label.end if label else begin
        mark = LIST_MARK.match(text, body, end)
        if mark and not label:
            body = mark.end()
            label = find_label(text, body, end)
            label = label if label and label.kind in {"comment", "response"} else None
            body = label.end if label else body
        piece = replace(
            unit,
            start=unit.start if not number and unit.kind != "heading" else begin,
            outer=unit.outer if not number else begin,
            end=end,
            label=label,
            list_mark="" if number else unit.list_mark,
        )
        begun = (
            frozenset(mark.name for mark in found if unit.start <= mark.start <= body + 3)
            if not number
            else frozenset()
        )
        yield replace(piece, marks=_marks_of(text, piece, body, found, openers), begins=begun)


_ENDED = re.compile(r"[.?!][\"”)]? +(?=[A-Z][A-Za-z]{2,9}:)")


def _cuts(text: str, unit: Unit, first: int, found: list[Mark], openers: frozenset[str]) -> Iterator[int]:
    """Yields where, inside a paragraph, a mark on a whole sentence ends or begins, or a recurring label of responses
    follows a sentence."""
    for ended in _ENDED.finditer(text, first, unit.end) if openers else ():
        begun = find_label(text, ended.end(), unit.end)
        if begun and begun.kind == "response" and opener(text[ended.end() : ended.end() + 60]) in openers:
            yield ended.end()
    if not found:
        return
    label = find_label(text, first, unit.end)
    body = label.end if label else first
    mark = LIST_MARK.match(text, body, unit.end)
    body = mark.end() if mark else body
    for one in found:
        begun = find_label(text, one.start, unit.end) if one.start > body else None
        if begun and begun.kind == "response" and begun.end >= one.end and text[begun.end - 1 :][:1].isspace():
            yield one.start  # "... is missing. **Response:** We ..."
        if one.end - one.start < 4 or (one.start <= body and one.end >= unit.end - 2):
            continue
        said = text[one.start : one.end].strip("*_ \n[]{}<>~")
        whole = len(said.split()) >= 4 or said[-1:] in ".?!" or (one.name[:3] == "by " and said[:1].isupper())
        whole = bool(said) and whole and not re.fullmatch(r"\([^()]*\)", said)
        if not whole or text[one.start : one.end].rstrip("*_ ")[-1:] == ":":
            continue
        after = one.end
        while after < unit.end and (text[after].isspace() or text[after] in "\\*_"):
            after += 1
        if one.start <= body + 3 and after < unit.end:
            if not text[after].islower() and text[after] not in ":–—":  # otherwise it goes on or is explained
                yield after
        elif one.end >= unit.end - 3 and text[body : one.start].rstrip()[-1:] in set('.?!…:”")\\'):
            yield one.start


def _marks_of(text: str, unit: Unit, body: int, found: list[Mark], openers: frozenset[str]) -> frozenset[str]:
    """Returns the marks of a whole paragraph."""
    covered: Counter[str] = Counter()
    for mark in found:
        covered[mark.name] += max(0, min(mark.end, unit.end) - max(mark.start, body))
    length = max(1, unit.end - body)
    names = {name for name, letters in covered.items() if letters >= _COVERS * length}
    if unit.depth:
        names.add("quoted" if unit.depth == 1 else "quoted twice")
    if _QUOTED.fullmatch(text, body, unit.end):
        names.add("in quotation marks")
    if text[body : body + 1] in ("[", "{") and _BRACKETED.fullmatch(text, body, unit.end):
        names.add("in brackets")
    if unit.indent >= 2 and unit.kind == "text":
        names.add("indented")
    if unit.list_mark:
        sign = unit.list_mark.strip("\\")
        names.add("numbered" if sign[:1].isalnum() or sign[:1] in "(#" else f"bullet {sign}")
    if unit.kind == "heading":
        names.add(f"heading {unit.level}")
    if (key := opener(text[unit.start : unit.start + 60])) in openers and key:
        names.add(f"begins {key}")
    return frozenset(names)


def decoded(text: str, units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """Interprets bare letters ("R1:", "Q2:", "A:") as this letter uses them: R is a response if C or Q occur, otherwise
    a reviewer."""
    letters = {u.label.word[0] for u in units if u.label and u.label.kind == "code"}
    kinds = Counter(u.label.kind for u in units if u.label)
    asking = {"Q", "C", "P"} & letters
    answering = {"A", "R"} & letters if asking or 3 * kinds["comment"] > kinds["code"] else {"A"} & letters
    if "R" in letters and "response" in kinds:
        answering -= {"R"}
    found = []
    for unit in units:
        label = unit.label
        if label and label.kind == "code":
            letter, count = label.word[0], label.reviewer
            if label.word == "A" and not asking and text[unit.start : label.end].rstrip()[-1] in ".)":
                label = None  # the number of a point: "A. The introduction ..."
            elif letter in answering:
                label = replace(label, kind="response", reviewer="")
            elif letter == "R":
                label = replace(label, kind="comment", reviewer=f"Reviewer {count.split('.')[0]}" if count else "")
            elif letter in asking:
                label = replace(label, kind="comment", reviewer="")
            else:
                label = None
        found.append(unit if label is unit.label else replace(unit, label=label))
    return tuple(found)


def unassigned(text: str, comments: Iterable[Comment]) -> tuple[Span, ...]:
    """Returns the parts of a review or letter that are in no comment or response, in order. Rules are left out, and if
    there are comments, so are names of reviewers and labels, since comments contain that information."""
    taken = normalised(text, (span for c in comments for span in (*c.spans, *c.context_spans, *c.response_spans)))
    starts, ends = [span.start for span in taken], [span.end for span in taken]
    found: list[Span] = []
    for unit in read_units(MarkedText(text)):
        begin = unit.label.end if unit.label and taken else unit.start
        if unit.kind == "rule" or (taken and reviewer_name(text[unit.start : unit.end]) is not None):
            continue
        for span in taken[bisect_right(ends, begin) : bisect_left(starts, unit.end)]:
            found.append(Span(begin, span.start))
            begin = span.end
        found.append(Span(begin, unit.end))
    return tuple(
        span
        for span in normalised(text, (s for s in found if s.start < s.end))
        if any(map(str.isalnum, text[span.start : span.end]))
    )
