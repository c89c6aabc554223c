r"""Display of other people's text, without characters that disguise its content.

``evil\u202efdp.exe`` reads "evilexe.pdf" on screen, and terminals interpret what follows ``\x1b``.
"""

import base64
import codecs
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache, partial
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from engine.resource_files import resource_table

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_DISGUISING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]")
_ESCAPED = re.compile(f"{_DISGUISING.pattern}|[\ud800-\udfff]")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LINES = re.compile(r"[\t\r\n]+")


def visible(text: str) -> str:
    """Replaces control characters and writing-direction overrides by U+FFFD. Line ends, tabs and the marks that Arabic
    and Hebrew need are kept. See Unicode Technical Report 36, 2.5."""
    return _DISGUISING.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def visible_line(text: str) -> str:
    """Returns ``visible`` text on one line, for titles and names of people and files."""
    return visible(_LINES.sub(" ", text))


def local_time(stamp: str) -> str:
    """Formats an ISO 8601 time in the user's time zone, to the minute; always in English."""
    if not stamp:
        return ""
    at = datetime.fromisoformat(stamp).astimezone()
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}, {at:%H:%M}"


def today() -> str:
    """Returns today's date in the format of ``local_time``."""
    return local_time(datetime.now().astimezone().isoformat()).partition(",")[0]


def visible_json(text: str) -> str:
    """Makes JSON text encodable in UTF-8 and safe for a terminal. What ``visible`` would replace is escaped, so the
    data don't change."""
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_MARKUP = re.compile(r"[\\`*_\[\]<>#|]")
_ACTIVE = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)")


def inert_markdown(text: str) -> str:
    """Makes other people's Markdown safe for a Markdown file: HTML and images are escaped, so that no reader loads
    them. A text with neither is kept, including ``a<b`` in a formula and ``<T>`` in code."""
    if not _ACTIVE.search(text) or not any(_loads(given) for given in (text, f"x {text}")):
        return visible(text)
    return visible(_ACTIVE.sub(r"\\\g<0>", text))


def inert_line(text: str) -> str:
    return inert_markdown(visible_line(text))


def escaped_markdown(text: str) -> str:
    """Returns text on one line with all Markdown escaped, also for table cells."""
    return _MARKUP.sub(r"\\\g<0>", visible_line(text))


def _loads(text: str) -> bool:
    tokens = _reader().parse(text)
    return any(
        token.type in ("html_block", "html_inline", "image")
        for block in tokens
        for token in (block, *(block.children or ()))
    )


@cache
def _reader() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True})


def percent(share: float) -> str:
    """Formats a share in 0..1 as whole percent, such as "48 %". "0 %" and "100 %" are used only for none and all;
    values near these are "<1 %" and ">99 %"."""
    whole = f"{100 * share:.0f}"
    if whole == "0" and share > 1e-9:
        return "<1 %"
    return ">99 %" if whole == "100" and share < 1 - 1e-9 else f"{whole} %"


def estimated(share: float) -> str:
    """Formats a probability that was estimated from draws, which is never certain: "<1 %" and ">99 %" at the ends."""
    return percent(min(max(share, 0.001), 0.999))


def model_name(origin: str) -> str:
    """Returns the model that an origin names ("fused" for "model:fused@4"); other origins are returned unchanged."""
    name = origin.removeprefix("model:")
    return name.rpartition("@")[0] or name


def counted(number: int, one: str, many: str = "") -> str:
    """Returns a number with its noun in the right form: "1 paper", "2 papers"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def left_out(number: int, one: str, many: str = "", where: str = "") -> tuple[str, ...]:
    """Returns a sentence about the number of things left out; empty for 0."""
    return (f"{where}{counted(number, one, many)} left out.",) if number else ()


def problems_in_short(problems: Sequence[str]) -> str:
    """Returns the number of problems and the first three sentences; empty without problems."""
    return f"{counted(len(problems), 'problem')}: {' '.join(problems[:3])}" if problems else ""


def listed(parts: Sequence[str]) -> str:
    """Joins parts of a sentence: "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def shortened(text: str, most: int) -> str:
    """Returns text on one line, shortened to ``most`` characters with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


# --- text addressed to a model ----------------------------------------------------------------------------------------
TAGS = re.compile("[\U000e0020-\U000e007f]+")
_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u180e\U000e0100-\U000e01ef"
ZERO_WIDTH = re.compile(f"[{_INVISIBLE}]+")
LEFT_OUT = "[text addressed to a language model was left out]"
_ENDS = re.compile(r"(?<=[.!?])\s|\n|(?<=[。！？])")
_USUAL = re.compile(r"\b(?:the|of|and|to|in|is|that|for|we|are|with)\b", re.IGNORECASE)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}|\b(?:[0-9a-f]{2}){20,}\b")
_LOOKALIKES = str.maketrans("0134578@$", "oieastbas")
_MIXED = re.compile(r"\b[^\W\d_]*(?:[^\W\d_][\d@$]|[\d@$][^\W\d_])[\w@$]*")
_FIGURES = re.compile(r"[\d@$]")
_SPELLED = re.compile(r"(?:\b[a-z]\b[ -]){12,}\b[a-z]\b", re.IGNORECASE)
_OF_REVIEWS = re.compile(r"ignor|instruct|accept|rat(?:e|ing)|scor|review|grade|praise|positiv|weakness", re.IGNORECASE)


def _uncased(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern for text in lower case, which is searched in half the time that IGNORECASE takes."""
    return re.compile(re.sub(r"(\\.)|([A-Z]+)", lambda found: found[1] or found[2].lower(), pattern))


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...]:
    found = resource_table("injection_phrases.toml")["phrase"]
    return tuple((_uncased(p["pattern"]), _uncased(p.get("unless", r"(?!)")), p["why"]) for p in found)


@cache
def _from_words() -> re.Pattern[str]:
    """Returns the phrases that begin with a word as one pattern, which shows in a quarter of the time if there is
    none."""
    words = (pattern.pattern[2:] for pattern, *_ in _phrases() if pattern.pattern.startswith(r"\b"))
    return re.compile(rf"\b(?=\w)(?:{'|'.join(f'(?:{word})' for word in words)})")


@cache
def _together() -> tuple[tuple[tuple[re.Pattern[str], ...], re.Pattern[str], str], ...]:
    return tuple(
        (tuple(map(_uncased, entry["patterns"])), _uncased(entry.get("without", r"(?!)")), entry["why"])
        for entry in resource_table("injection_phrases.toml")["together"]
    )


def _plain_hits(text: str, *, said_by_reviewer: bool = False) -> Iterator[tuple[int, int, str]]:
    text = text.replace("İ", "I").replace("ſ", "s").lower()  # has as many characters as before
    some = _from_words().search(text)
    for pattern, unless, why in _phrases():
        if some or not pattern.pattern.startswith(r"\b"):
            hits = (match.span() for match in pattern.finditer(text))
            own = said_by_reviewer and unless.search
            yield from ((at, end, why) for at, end in hits if not (own and own(text, max(0, at - 64), at)))
    ends = [0, *(m.end() for m in _ENDS.finditer(text)), len(text)]
    for patterns, without, why in _together():
        first = patterns[0].finditer(text)
        found_in = {at for m in first for at in range(bisect_right(ends, m.start()), bisect_left(ends, m.end()) + 1)}
        for start, end in ((ends[at - 1], ends[at]) for at in sorted(found_in)):
            found = list(takewhile(bool, (pattern.search(text, start, end) for pattern in patterns)))
            if len(found) == len(patterns) and not without.search(text, start, end):
                places = [place for one in found if one for place in one.span()]
                yield min(places), max(places), why


def _disguised_hits(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields what matches once decoded: encoded or spelled-out text, and, in parts without common English words,
    reversed, ROT13 or look-alike text."""
    for match in _ENCODED.finditer(text):
        for decode in (bytes.fromhex, partial(base64.b64decode, validate=True)):
            try:
                said = decode(match[0]).decode("utf-8")
            except ValueError:
                continue
            if said.isprintable() and said.count(" ") > 2:
                yield match.start(), match.end(), "has encoded text"
    for match in _SPELLED.finditer(text):
        if _OF_REVIEWS.search(re.sub(r"[ -]", "", match[0])):
            yield match.start(), match.end(), "spells words letter by letter"
    respelled: list[tuple[int, int, str]] = []
    for start, end in pairwise([0, *(m.end() for m in _ENDS.finditer(text)), len(text)]):
        part = text[start:end]
        others = [codecs.encode(part, "rot13"), part[::-1]] if part.count(" ") > 2 and not _USUAL.search(part) else []
        if _FIGURES.search(part) and len(_MIXED.findall(part)) > 2:
            others.append(_MIXED.sub(lambda word: word[0].translate(_LOOKALIKES), part))
        respelled += ((start, end, other) for other in others)
    if next(_plain_hits(". ".join(other for *_, other in respelled)), None):  # rare, so first all at once
        for start, end, other in respelled:
            if next(_plain_hits(other), None):
                yield start, end, "hides words from a search"


def find_phrases(text: str, *, said_by_reviewer: bool = False) -> tuple[tuple[int, int, str], ...]:
    """Returns [start, end) of each passage addressed to a reviewer or model, and why; overlapping ones are joined. A
    verdict in the first person ("before I can recommend acceptance") is one, unless a reviewer may have written it."""
    found: list[tuple[int, int, str]] = []
    hits = (*_plain_hits(text, said_by_reviewer=said_by_reviewer), *_disguised_hits(text))
    for start, end, why in sorted(hits):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]), found[-1][2])
        else:
            found.append((start, end, why))
    return tuple(found)


def without_invisible(text: str) -> str:
    """Returns the text without tag characters and zero-width characters."""
    return ZERO_WIDTH.sub("", TAGS.sub("", text))


def orders(text: str, *, said_by_reviewer: bool = False) -> tuple[str, ...]:
    """Returns the sentences of a text that address a language model or a reviewer instead of describing something; see
    ``find_phrases``."""
    shown = " ".join(without_invisible(text).split())
    return tuple(shown[start:end] for start, end in _sentences_with(shown, said_by_reviewer=said_by_reviewer))


def without_orders(text: str, *, said_by_reviewer: bool = False) -> str:
    """Returns other people's text for a model: sentences that try to instruct it are replaced by a note."""
    shown = without_invisible(text)
    words = list(re.finditer(r"\S+", shown))  # the patterns assume single spaces
    places = [at for word in words for at in range(word.start(), word.end() + 1)]
    for start, end in reversed(_sentences_with(" ".join(word[0] for word in words), said_by_reviewer=said_by_reviewer)):
        shown = f"{shown[: places[start]]}{LEFT_OUT}{shown[places[end - 1] + 1 :]}"
    return shown


def unread_by_models(text: str, name: str, *, said_by_reviewer: bool = True) -> tuple[str, ...]:
    """Returns a sentence about what ``without_orders`` leaves out of the text in a file; empty if nothing."""
    if not (found := orders(text, said_by_reviewer=said_by_reviewer)):
        return ()
    many = counted(len(found), "passage that language models don't get", "passages that language models don't get")
    because = f"because {'it' if len(found) == 1 else 'they'} may be meant to instruct them"
    return (f"{name} has {many} to read, {because}: “{shortened(found[0], 120)}”.",)


def _sentences_with(text: str, *, said_by_reviewer: bool) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, end, _ in find_phrases(text, said_by_reviewer=said_by_reviewer):
        first = max((m.end() for m in _ENDS.finditer(text, 0, start)), default=0)
        after = _ENDS.search(text, end)
        last = after.start() if after is not None else len(text)
        if spans and first <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return spans
