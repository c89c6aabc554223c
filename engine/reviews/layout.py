"""The outer form of a letter or review: paragraphs with their quote depth, indentation, list marks, emphasis and
labels.

Markdown is read tolerantly and without rewriting: every piece keeps its code-point offsets of the original text.
Nothing here decides what a paragraph means; that is the business of ``letter``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from engine.reviews.records import Span
from engine.reviews.stretches import LIST_MARK, QUOTE_MARKS

Wrap = Literal["", "italic", "bold", "quoted", "coloured"]
LabelKind = Literal["comment", "response", "code", "reviewer"]


@dataclass(frozen=True, slots=True)
class Label:
    """What a paragraph calls itself ("Comment 1.2:", "Response", "R2:"); ``reviewer`` names its speaker, if it does.

    ``code`` is a bare letter with a number (Q3:, R1:, C2:, A:), whose meaning the whole letter decides. ``end`` is the
    offset where the labelled text starts.
    """

    kind: LabelKind
    end: int
    word: str = ""
    reviewer: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """A paragraph, list item, heading or rule. [start, end) without quote marks; ``outer`` starts at the quote mark."""

    start: int
    end: int
    outer: int
    kind: Literal["text", "heading", "rule", "code"]
    depth: int
    indent: int
    quote: int
    """Number of the run of quoted lines this is in; 0 outside of quotes."""
    list_mark: str = ""
    wrap: Wrap = ""
    label: Label | None = None
    lazy: bool = False
    """Its last line carries no quote mark although its first one does."""


_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_SETEXT = re.compile(r"[ \t]{0,3}(?:={3,}|-{3,})[ \t]*$")
_RULE = re.compile(
    r"[ \t]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}|~{3,}|#{3,}|[─—–]{3,}|\+{3,})$"
)
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")

_NUMBER_WORDS = {
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "i": "1",
    "ii": "2",
    "iii": "3",
    "iv": "4",
    "v": "5",
}
_PERSON = (
    r"(?:reviewer|referee|review|rev\.|reviewing editor|handling editor|associate editor|academic editor|"
    r"senior editor|editor|"
    r"area chair|meta[- ]?review(?:er)?|AC|AE|SAC)"
)


def _who(suffix: str = "", *, numbered: bool = False) -> str:
    """A reviewer's name as a pattern with groups ``person`` and ``number``, each with ``suffix``."""
    optional = "" if numbered else "?"
    return (
        rf"(?P<person{suffix}>{_PERSON})(?:['’]s?)?[ \t]*(?:no\.?|number|num\.?|nr\.?|id)?[ \t]*[#:№]?[ \t]*"
        rf"(?P<number{suffix}>\d{{1,2}}|(?<=[\s#:№])(?:one|two|three|four|five|six|I{{1,3}}|IV|V|[A-Z]|[A-Z0-9]{{4}}))"
        rf"{optional}(?![\w])"
    )


_OPEN = r"[ \t]*[*_`\[({<]*+[ \t]*"
_CLOSE = r"(?:[*_`\])}>])*"
_ASK = (
    r"(?:general|major|minor|specific|main|additional|other|detailed|overall|"
    r"technical)?[ \t]*(?:comments?|points?|questions?|concerns?|"
    r"issues?|remarks?|quer(?:y|ies)|critiques?|weakness(?:es)?|suggestions?|requests?|criticisms?|quote)"
)
_COUNT = (
    r"[ \t]*[#№]?[ \t]*(?:no\.?[ \t]*)?(?:[A-Z]{0,2}\d{1,3}|[IVXivx]{1,5}|"
    r"[a-z])(?:[.\-–][A-Z]{0,2}\d{1,3})*[a-z]?(?![\w])"
)
_SEPARATOR = (
    # After a number, a capital will do: "Point 2.1 The authors ..."
    rf"(?:(?<=\d)(?=[ \t]+(?-i:[A-Z“]))|"
    rf"[ \t]*{_CLOSE}[ \t]*(?:(?:[:.)\]–—]|-{{1,2}}(?=[ \t]|$))+{_CLOSE}(?=\s|$|[*_\"“‘'(A-Z])|$|"
    rf"(?<=[*_\]])(?=[ \t])))"
)
_RESPONSE_LABEL = re.compile(
    rf"{_OPEN}(?:(?:our|the|an)[ \t]+)?(?:authors?['’]?s?['’]?[ \t]+)?(?:response|reply|replies|answer|"
    rf"rebuttal|repsonse|reponse|resp\.)s?"
    rf"(?:[ \t]*(?:to|for|from)(?:[ \t]+(?:the|this|"
    rf"authors?))*(?:[ \t]+{_who('1')})?"
    rf"[,:;. \t\-–]*(?:{_ASK}|R\d|)(?:{_COUNT})?)?(?:{_COUNT})?"
    rf"(?:[ \t]*\([^()\n]{{1,40}}\))?{_SEPARATOR}"
    rf"|[ \t]*(?:-+>|=+>|[→➔⇒➜]|>>>)[ \t]*(?=\S)"
    rf"|{_OPEN}(?:authors?['’]?|au|AR|AU)(?:{_COUNT})?[ \t]*{_CLOSE}[ \t]*:{_CLOSE}"
    rf"|{_OPEN}(?:action(?:s)?(?: taken)?|changes?(?: made)?(?: in the (?:manuscript|paper))?|"
    rf"revision)[ \t]*{_CLOSE}:{_CLOSE}(?=\s|$)",
    re.IGNORECASE,
)
_COMMENT_LABEL = re.compile(
    rf"{_OPEN}(?:{_who()}['’]?s?[ \t]*{_CLOSE}[ \t]*[,:;.\-–—]*[ \t]*{_OPEN})?(?:the[ \t]+)?{_ASK}(?:{_COUNT})?"
    rf"(?:[ \t]*(?:from|by|of)[ \t]+(?:the[ \t]+)?{_who('1')})?[ \t]*(?:\([^()\n]{{1,60}}\))?{_SEPARATOR}"
    rf"|{_OPEN}{_who('2', numbered=True)}[ \t]*{_CLOSE}(?:[ \t]*[,:;.\-–—]+[ \t]*|[ \t]+){_OPEN}"
    rf"[#]?[CQP]?\d{{1,3}}(?:\.\d{{1,3}})*[a-z]?{_SEPARATOR}"
    rf"|{_OPEN}(?:R|Rev|Ref)[ \t]?(?P<number3>\d{{1,2}})[ \t]*(?:[.,:/\-–_ ]{{0,2}}(?:C|Q|P|comment|point)?"
    rf"[ \t#]*\d{{1,3}}[a-z]?)(?:\.\d{{1,3}})*{_SEPARATOR}",
    re.IGNORECASE,
)
_CODE_LABEL = re.compile(
    rf"{_OPEN}(?P<letter>[QACRWPE])(?P<count>\d{{0,3}}(?:\.\d{{1,3}})*)[ \t]*{_CLOSE}[:.)]{_CLOSE}(?=\s|$)"
)
_SPEAKER_LABEL = re.compile(
    rf"{_OPEN}(?:(?:comments?|remarks?|review)[ \t]+(?:from|by|"
    rf"of)[ \t]+(?:the[ \t]+)?)?{_who()}[ \t]*(?:wrote|writes|said|says|asks|comments?|"
    rf"\([^()\n]{{1,60}}\))?[ \t]*{_CLOSE}[ \t]*:{_CLOSE}(?=\s|$)",
    re.IGNORECASE,
)
_REVIEWER_TITLE = re.compile(
    # Possessive repeats (*+): a line that is no title must not be tried in every way.
    r"(?:[\W_]|(?:our|the|authors?|point|by|detailed|responses?|reply|replies|rebuttal|answers?|comments?|reviews?|"
    r"report|remarks|feedback|concerns|points|questions|raised|made|to|from|of|for|and|on|evaluations?)\b(?!\s*\d)"
    r"(?!\W*$))*?"
    rf"{_who()}(?:['’]?s?\b)?(?:\([^()]{{0,80}}\)|[\W_]|\d|(?:comments?|remarks?|reviews?|report|evaluation|general|major|"
    r"minor|specific|response|for|to|the|authors?|public|confidential|suggestions?|points?|questions?|concerns?|reply|"
    r"rebuttal|overall|summary|and|rating|score|confidence)\b)*+$",
    re.IGNORECASE,
)


def normal_number(number: str) -> str:
    """Numbers of reviewers in one form: 'two' and 'II' are '2'."""
    return _NUMBER_WORDS.get(number.lower(), number)


def reviewer_name(title: str) -> str | None:
    """The reviewer whom a heading or short line names ("Response to Referee #2" -> "Referee 2"), else None."""
    text = " ".join(title.split())
    if len(text) > 110:
        return None
    code = re.fullmatch(
        r"[\W_]*(?:response[s]? to |reply to |comments (?:from|by) )?R(?:ev|ef)?[ #.]?(\d{1,2})[\W_]*",
        text,
        re.IGNORECASE,
    )
    if code:
        return f"Reviewer {code[1]}"
    match = _REVIEWER_TITLE.match(text)
    if not match:
        return None
    return _named(match["person"], match["number"])


def _named(person: str | None, number: str | None) -> str:
    if not person:
        return ""
    word = person.strip().rstrip(".")
    word = {"ac": "Area Chair", "ae": "Associate Editor", "sac": "Senior Area Chair", "rev": "Reviewer"}.get(
        word.lower(), word
    )
    word = word[:1].upper() + word[1:].lower() if word.isupper() or word.islower() else word
    # Four characters are an anonymous name (VZ5q), unless they are a word that happens to follow.
    if number and len(number) == 4 and number.lower() not in _NUMBER_WORDS and (number.islower() or number.istitle()):
        number = ""
    return f"{word} {normal_number(number)}" if number else word


_LABEL_LENGTH = 200
_LINE_END = re.compile(r"[\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029]")


def find_label(text: str, start: int, end: int) -> Label | None:
    """The label that the text in [start, end) opens with; only its first line is looked at."""
    # No label is longer; the bound keeps the patterns quick on lines that are no prose.
    line = _LINE_END.split(text[start : min(end, start + _LABEL_LENGTH)], maxsplit=1)[0]
    stop = len(line)
    for pattern, kind in ((_RESPONSE_LABEL, "response"), (_COMMENT_LABEL, "comment")):
        match = pattern.match(line)
        if match and match.end():
            groups = match.groupdict()
            person = groups.get("person") or groups.get("person2") or groups.get("person1")
            number = groups.get("number") or groups.get("number2") or groups.get("number1")
            who = _named(person, number) if kind == "comment" and number else ""
            if groups.get("number3"):
                who = f"Reviewer {groups['number3']}"
            return Label("response" if kind == "response" else "comment", start + _skip(line, match.end()), "", who)
    match = _CODE_LABEL.match(line)
    if match:
        return Label(
            "code", start + _skip(line, match.end()), match["letter"] + ("#" if match["count"] else ""), match["count"]
        )
    match = _SPEAKER_LABEL.match(line)
    if match and match.end() < stop:
        return Label("reviewer", start + _skip(line, match.end()), "", _named(match["person"], match["number"]))
    return None


def _skip(line: str, position: int) -> int:
    while position < len(line) and line[position] in " \t":
        position += 1
    return position


@dataclass(slots=True)
class _Line:
    start: int
    body: int
    end: int
    depth: int
    indent: int
    content: str


def _lines(text: str) -> Iterator[_Line]:
    position = 0
    for raw in text.splitlines(keepends=True):
        line = raw.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        marks = QUOTE_MARKS.match(line)
        after = marks.end() if marks else 0
        content = line[after:]
        width = len(content) - len(content.lstrip())
        indent = len(content[:width].expandtabs(4))
        start = position + (len(marks.group()) - len(marks.group().lstrip()) if marks else 0)
        yield _Line(
            start if marks else position + width,
            position + after + width,
            position + len(line.rstrip()),
            marks.group().count(">") if marks else 0,
            indent,
            content.strip(),
        )
        position += len(raw)


def read_units(text: str, *, lazy: bool = True) -> tuple[Unit, ...]:
    """The paragraphs of ``text`` in order. With ``lazy``, an unmarked line right under a quoted one still belongs to
    the quote, as in Markdown (unless it carries a response label); without, it starts a paragraph of its own, as in
    e-mail.
    """
    units: list[Unit] = []
    current: Unit | None = None
    quote = 0
    previous: _Line | None = None
    fence = ""
    number = 0  # of the last numbered list item

    def close() -> None:
        nonlocal current
        if current is not None:
            units.append(_finished(text, current))
        current = None

    for line in _lines(text):
        if fence:
            closed = line.content.startswith(fence)
            if current is not None and line.end > current.end:
                current = replace(current, end=line.end)
            if closed:
                close()
                fence = ""
            previous = line
            continue
        if not line.content:
            close()
            previous = line if line.depth else None
            continue
        continues_quote = (
            line.depth > 0
            and previous is not None
            and (previous.depth > 0 or (current is not None and current.quote > 0))
        )
        is_lazy = False
        if line.depth and not continues_quote:
            close()
            quote += 1
        label = find_label(text, line.body, line.end)
        mark = LIST_MARK.match(line.content + " ")
        if label and (label.kind != "code" or current is None or _fresh(text, current)):
            close()
        elif not line.depth and current is not None and current.quote:
            is_lazy = (
                lazy
                and not _HEADING.match(line.content)
                and not _RULE.match(line.content)
                and not (mark and line.indent < 1)
            )
            if not is_lazy:
                close()
        fenced = _FENCE.match(line.content)
        heading = _HEADING.match(line.content)
        if fenced:
            close()
            fence = fenced[1][:3]
            current = _started(line, "code", quote)
        elif heading:
            close()
            current = _started(line, "heading", quote)
            close()
        elif (
            current is not None
            and not line.depth
            and _SETEXT.match(line.content)
            and not _LINE_END.search(text, current.start, current.end)
            and current.kind == "text"
            and not current.quote
        ):
            units.append(replace(_finished(text, current), kind="heading"))
            current = None
        elif _RULE.match(line.content):
            close()
            current = _started(line, "rule", quote)
            close()
        else:
            if mark and current is not None and _opens_item(mark.group(), number, current):
                close()
            if current is None:
                current = _started(line, "text", quote)
                if mark:
                    digits = re.search(r"\d+", mark.group())
                    number = int(digits[0]) if digits else number
                    current = replace(current, list_mark=mark.group().strip())
            else:
                current = replace(current, end=line.end, lazy=current.lazy or is_lazy)
        previous = line
    close()
    return tuple(units)


def _fresh(text: str, current: Unit) -> bool:
    """A bare code such as "A:" opens a paragraph within running lines only after a finished sentence."""
    return text[current.end - 1 : current.end] in set('.?!:)*_"”')


def _started(line: _Line, kind: Literal["text", "heading", "rule", "code"], quote: int) -> Unit:
    return Unit(line.body, line.end, line.start, kind, line.depth, line.indent, quote if line.depth else 0)


def _opens_item(mark: str, number: int, current: Unit) -> bool:
    """Whether a list mark under a running paragraph starts an item; a wrapped line may begin with a number by
    accident.
    """
    digits = re.search(r"\d+", mark)
    if not digits:
        return mark.strip() not in {"–", "—"} or bool(current.list_mark)
    return int(digits[0]) == 1 or int(digits[0]) == number + 1


_ITALIC = re.compile(
    r"(?<![*\w])\*(?![*\s])(?:[^*]|\*\*[^*]+\*\*)+?(?<![\s*])\*(?![*\w])|"
    r"(?<![_\w])_(?![_\s])[^_]+?(?<!\s)_(?![_\w])",
    re.DOTALL,
)
_BOLD = re.compile(r"\*\*(?!\s).+?(?<!\s)\*\*|(?<![_\w])__(?!\s).+?(?<!\s)__(?!\w)", re.DOTALL)
_COLOUR = re.compile(
    r"<(span|font|div|p)\b[^>]*\bcolou?r\b[^>]*>.*?</\1>|\{\\color\{\w+\}.*?\}|\\textcolor\{\w+\}\{.*?\}", re.DOTALL
)
_QUOTED = re.compile(
    r"[“„«][^“”„«»]*(?:“[^“”]*”[^“”]*)*[”“»][.,;:]?|\"[^\"]*\"[.,;:]?|''.*''[.,;:]?|‘.{20,}’[.,;:]?", re.DOTALL
)


def _finished(text: str, unit: Unit) -> Unit:
    if unit.kind in {"rule", "code"}:
        return unit
    start = unit.start
    if unit.kind == "heading":
        match = _HEADING.match(text[start : unit.end])
        start += match.start(2) if match else 0
    label = find_label(text, start, unit.end)
    body = label.end if label else start
    mark = LIST_MARK.match(text, body, unit.end)
    if mark and not label:
        body = mark.end()
        label = find_label(text, body, unit.end)
        label = label if label and label.kind in {"comment", "response"} else None
        body = label.end if label else body
    return replace(unit, label=label, wrap=_wrap(text[body : unit.end].strip()))


def _wrap(content: str) -> Wrap:
    """The emphasis that covers at least four fifths of a paragraph's letters."""
    letters = sum(map(str.isalnum, content))
    if not letters:
        return ""
    for name, pattern in (("coloured", _COLOUR), ("bold", _BOLD), ("italic", _ITALIC)):
        covered = sum(sum(map(str.isalnum, m.group())) for m in pattern.finditer(content))
        if covered >= 0.8 * letters:
            return name  # type: ignore[return-value]
    return "quoted" if _QUOTED.fullmatch(content) else ""


_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+\"[^\"\n]*\")?\)")


def readable(text: str, spans: tuple[Span, ...], joiner: str = "\n\n") -> str:
    """What the spans say, for reading: without quote marks, list marks, escapes and link targets, with lines joined."""
    pieces = []
    for span in spans:
        paragraphs: list[str] = []
        running = ""
        # Where the span starts inside a line, its first line has no quote mark of its own.
        for line in text[span.start : span.end].splitlines():
            marks = QUOTE_MARKS.match(line)
            content = line[marks.end() if marks else 0 :].strip()
            mark = LIST_MARK.match(content + " ") if content else None
            if (not content or mark) and running:
                paragraphs.append(running)
                running = ""
            if mark:
                content = content[mark.end() :].strip()
            running = f"{running} {' '.join(content.split())}".strip()
        paragraphs.append(running)
        pieces.append("\n\n".join(p for p in paragraphs if p))
    joined = joiner.join(p for p in pieces if p)
    joined = _LINK.sub(r"\1", joined)
    return re.sub(r"\\([\\`*_{}\[\]()#+\-.!<>~|])", r"\1", joined).strip()
