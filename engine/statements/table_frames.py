"""Leaves out of a statement what only introduces or follows what it says about a table: who says it, to whom, in which
table, and remarks on it ("We thank the reviewer; as Table 2 shows, ...", "..., which deserves mention")."""

import re
from collections.abc import Callable, Collection, Sequence

from engine.documents.references import find_references
from engine.resource_files import resource_table
from engine.statements.grids import Layout
from engine.statements.table_parts import MEANING
from engine.statements.table_phrases import LITTLE, comparison_in, extreme_in, has_word, label_words
from engine.statements.words import blanked, stem

_WORDS = resource_table("table_words.toml")
_SAYING = frozenset(_WORDS["saying"].split()) | frozenset(map(stem, _WORDS["saying"].split()))
_REMARKS = frozenset(map(stem, _WORDS["remarks"].split()))
_FUNCTION = frozenset(_WORDS["function"].split())
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BREAK = re.compile(
    r"\s*[;:]\s+|\.\s+(?=[A-Z])|,\s+(?:(?:and|but|so|yet)\s+)?(?:that|where|there|here)\s*,?\s+|,\s+|\s+[–—]+\s+"
    r"|\s+(?:that|where)\s*,?\s+"
)
"""Where parts of a sentence may end: punctuation, or "that" and "where" before what is said."""
_ASIDE = re.compile(r"\(([^()]*)\)")
_NOT = re.compile(
    r"\b(?:no|not|never|cannot|nor|neither|hardly|without|\w+n['’]t|would (?:like|love|prefer) to (?:see|read))\b",
    re.IGNORECASE,
)
"""Words by which a part of a sentence denies or wishes what the next one says."""
_SURE = re.compile(
    r"\b(?:(?:no|not? (?:\w+ )?) ?(?:doubt|secret|surprise|surprising|wonder|accident|coincidence)"
    r"|not (?:\w+ )?(?:forget|overlook\w*|hide|omit|neglect\w*|fail to (?:see|notice|note|mention)))\b",
    re.IGNORECASE,
)
"""Negations that don't deny what follows."""
_TABLE = (
    r"(?:tables?|list(?:ing)?|comparison|ablation|overview|summary|statistics|results?|breakdown|study|evaluation|data)"
)
_DEGREE = re.compile(r"\b(?:more|most|less|least|maximum|minimum|maximal|minimal|above|below|best)\b")
"""Words that compare, but often nothing that a table has."""
_LAST = re.compile(
    r"\s(?:in|for|on|from|under|within|per|by|across|according to|(?:as )?(?:shown|listed|reported) in)\s"
    r"(?=(?:the|their|its|our|this)\s)"
)
"""Where a phrase at the end may begin that says which table is meant."""


def says_only_remarks(text: str) -> bool:
    """Returns whether a part of a sentence only remarks on what is reported, or who reports it: "which deserves to be
    mentioned"."""
    return _is_frame(text, lambda _word: False) and not _NOT.search(_SURE.sub("", text))


def _is_frame(text: str, known: Callable[[str], bool]) -> bool:
    """Returns whether all words of a text are about reporting, or known as those of the table's title."""
    if re.search(r"\d", text):
        return False
    words = [w.casefold() for w in _WORD.findall(text)]
    return all(w in _FUNCTION or {w, stem(w)} & _SAYING or stem(w) in _REMARKS or known(w) for w in words)


def core_of(statement: str, layout: Layout) -> tuple[str, int]:
    """Returns what a statement says of a table without its frame, and how many words of the frame are the caption's.

    Parts between commas, dashes, brackets, before "that" or a colon, and a last phrase ("in the comparison of ...") are
    left out if they only have words about reporting or of the table's title, and name no number or label that the rest
    doesn't name.
    """
    blank = blanked(statement, ((r.start, r.end) for r in find_references(statement) if r.kind == "table"))
    labels = {x for d in layout.dimensions for label in layout.labels(d) if (x := label_words(label))}
    title = tuple(sorted({*label_words(layout.caption)} - LITTLE))
    about = tuple(sorted({*label_words(layout.about)} - LITTLE))
    count = 0

    def compares(text: str) -> bool:
        text = _DEGREE.sub("", text)
        return bool(comparison_in(text) or extreme_in(text))

    def known(word: str) -> bool:
        return all(has_word(title, w) for w in label_words(word))

    def told(word: str) -> bool:
        return all(has_word(title, w) or has_word(about, w) for w in label_words(word))

    def is_left_out(part: str, rest: str) -> bool:
        if re.search(r"\bonly\b", part) or (compares(part.lower()) and not compares(rest.lower())):
            return False  # what is compared
        titled = re.search(rf"\b{_TABLE}\b", part) or any(map(known, _WORD.findall(part)))
        if not _is_frame(part, told if titled else known) or any(
            _within(x, label_words(part)) and not _within(x, label_words(rest)) for x in labels
        ):
            return False
        named = [w for w in _WORD.findall(part) if known(w) and not _is_frame(w, lambda _word: False)]
        return not named or len(named) > 1 or bool(titled and re.search(rf"\b{_TABLE}\b", part))

    parts: list[str] = []
    marks: list[str] = []
    at = 0
    for aside in reversed(list(_ASIDE.finditer(blank))):
        if not re.search(r"[^\w\s,.;’'-]", aside[1]) and is_left_out(
            aside[1], blank[: aside.start()] + blank[aside.end() :]
        ):
            blank = blanked(blank, [aside.span()])
    signs = [re.escape(x) for d in layout.dimensions for x in layout.labels(d) if re.search(r"[^\w\s-]", x)]
    whole = [m.span() for m in re.finditer("|".join([*signs, _ASIDE.pattern]), blank, re.IGNORECASE)]
    for match in _BREAK.finditer(blank):
        if any(a < match.end() and match.start() < b for a, b in whole):
            continue
        parts.append(blank[at : match.start()])
        marks.append(match[0])
        at = match.end()
    parts.append(blank[at:])
    marks.append("")
    kept = [True] * len(parts)
    for n, (part, mark) in enumerate(zip(parts, marks, strict=True)):
        rest = " ".join(p for k, p in enumerate(parts) if k != n and kept[k])
        denies = bool(_NOT.search(_SURE.sub("", part))) and (
            "that" in mark
            or (":" in mark)
            or (n > 0 and "," in marks[n - 1] and not re.search(r"[;.]", mark) and part[:3] != "so ")
        )
        if (
            _WORD.search(part)
            and not denies
            and not MEANING.match(f", {part}{mark}")
            and is_left_out(part, rest)
            and len(label_words(rest)) > 2
        ):
            kept[n] = False
            count += sum(known(w) and not _is_frame(w, lambda _word: False) for w in set(_WORD.findall(part)))
    text = ""
    for n, (part, mark) in enumerate(zip(parts, marks, strict=True)):
        if kept[n]:
            text += part + (mark if any(kept[n + 1 :]) else "")
    text = " ".join(text.split())
    for match in reversed(list(_LAST.finditer(text))):
        part, rest = text[match.end() :].rstrip(" ."), text[: match.start()]
        if len(label_words(rest)) > 3 and not rest.endswith(" than") and is_left_out(part, rest):
            text = rest
            count += sum(known(w) and not _is_frame(w, lambda _word: False) for w in set(_WORD.findall(part)))
            break
    return text, count


def _within(words: Sequence[str], others: Collection[str]) -> bool:
    others = tuple(others)
    return any(others[at : at + len(words)] == tuple(words) for at in range(len(others)))
