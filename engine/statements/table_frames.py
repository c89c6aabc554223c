"""Leaves out of a statement what only introduces or follows what it says about a table: who says it, to whom, which
table is meant, and remarks on it ("We thank the reviewer; as Table 2 shows, ...", "..., which deserves mention")."""

import re
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

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
_NOTED = re.compile(
    r"\b[Ii]t (?:should|must|could|can|may|might) (?:also |perhaps )?be (?:noted|mentioned|stressed|emphasi[sz]ed"
    r"|added|said|remembered|recalled|remarked|pointed out|(?:kept|borne) in mind) that "
)
_HEADED = re.compile(r"^(?:The )?((?:[A-Z][a-z]+est|Best|Worst) [^:,;]{3,80}): ([^:,;]{2,60}?)\.?$")
"""What is said like a heading: "Lowest error: A"."""
_TABLE = (
    r"(?:tables?|list(?:ing)?|comparison|ablation|overview|summary|statistics|results?|breakdown|study|evaluation|data)"
)
_DEGREE = re.compile(
    r"\b(?:more|most|longer|(?<=for )raising|less|least|maximum|minimum|maximal|minimal|above|below|best)\b"
)
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
    statement = _HEADED.sub(lambda m: f"{m[2]} has the {m[1].lower()}.", _NOTED.sub("", statement))
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

    def explained(word: str) -> bool:
        return all(has_word(title, w) or has_word(about, w) for w in label_words(word))

    def is_left_out(part: str, rest: str) -> bool:
        if re.search(r"\bonly\b", part) or (compares(part.lower()) and not compares(rest.lower())):
            return False  # what is compared
        titled = re.search(rf"\b{_TABLE}\b", part) or any(map(known, _WORD.findall(part)))
        if not _is_frame(part, explained if titled else known) or any(
            _within(x, label_words(part)) and not _within(x, label_words(rest)) for x in labels
        ):
            return False
        named = [w for w in _WORD.findall(part) if known(w) and not _is_frame(w, lambda _word: False)]
        return not named or len(named) > 1 or bool(titled and re.search(rf"\b{_TABLE}\b", part))

    def of_title(part: str) -> int:
        return sum(known(w) and not _is_frame(w, lambda _word: False) for w in set(_WORD.findall(part)))

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
            count += of_title(part)
    text = ""
    for n, (part, mark) in enumerate(zip(parts, marks, strict=True)):
        if kept[n]:
            text += part + (mark if any(kept[n + 1 :]) else "")
    text = " ".join(text.split())
    for match in reversed(list(_LAST.finditer(text))):
        part, rest = text[match.end() :].rstrip(" ."), text[: match.start()]
        if len(label_words(rest)) > 3 and not rest.endswith(" than") and is_left_out(part, rest):
            text = rest
            count += of_title(part)
            break
    return text, count


_TITLES = (
    re.compile(
        r"^(?:Regarding|Looking at|Going by|Considering|Judging by|According to|Based on|With regard to|Per|From|In"
        r"|The (?:paper|authors?) (?:\w+ )?in|As the authors \w+ in) (?:the|its|their|this) (?P<title>[^,:;]{3,90}?)"
        r"(?:[,:]|(?: (?:we|one) \w+)? that\b) "
    ),
    re.compile(r"(?:,? according to| in| from) (?:the|their|its) (?P<title>(?:(?! in the )[^,:;]){3,90})(?=\.?$)"),
)


def untitled(statement: str, layout: Layout) -> tuple[str, int]:
    """Leaves out which table a statement is about, at its beginning or end, if that is said in words of the caption
    ("In the ablation study on news, ...") and no label is named only there; also returns the number of these words."""
    count = 0
    labels = {label_words(x) for d in layout.dimensions for x in layout.labels(d)}
    known = {*label_words(layout.caption)}
    for title in _TITLES:
        if found := title.search(statement):
            rest = f"{statement[: found.start()]} {statement[found.end() :]}".strip()
            said, left = label_words(found["title"]), label_words(rest)
            words = [w for w in said if w not in LITTLE and not re.fullmatch(_TABLE, w)]
            shared = sum(has_word(tuple(known), w) for w in words)
            alone = any(x and _within(x, said) and not _within(x, left) for x in labels)
            table = re.search(rf"\b{_TABLE}\b", found["title"])
            if not alone and len(left) > 3 and 2 * shared >= len(words) and (table or shared == len(words)):
                statement, count = rest[:1].upper() + rest[1:], count + shared
    return statement, count


_TABLES = re.compile(
    r"(?:comparisons?|table|listing|overview|breakdown|summary|statistics|experiments?|study|studies|ablation"
    r"|compilation|survey|list)"
)
_TELLS = (
    r"\b(?:is|are|was|were|has|have|had|that|which|rests?|shows?|says?|tells?|gives?|indicates?|settles?|reports?|lists?"
    r"|documents?|credits?|supplies|informs?|assigns?)\b"
)
_TITLE = re.compile(
    r"(?:^|[,(;:]|(?<=\S)(?= (?:in|from|across|within|under|by|according to|per|of)"
    r" (?:the|its|their|our|this|that|a)\b))"
    rf"(?P<words>(?:(?!{_TELLS})[^,();:\d])*?\b{_TABLES.pattern}\b"
    rf"(?:(?!{_TELLS})[^,();:\d]|,(?= [\w -]+ (?:and|or) ))*)"
    rf"(?: ?(?:that|which) (?:includes?|contains?|covers?|lists?|also|gives?|shows?|reports?)\b[^,();:\d]*)?"
    rf"(?=[,();:]|\.?$| ?{_TELLS})(?! ?\d)"
)
"""What a table is called in a phrase of its own, at the beginning or the end: the labels in it are no subject."""
_ARTICLES = frozenset(("the", "a", "an", "our", "its", "their"))
_LEADS = frozenset(
    ("of", "on", "for", "with", "in", "from", "between", "and", "or", "across", "at", "to", "by", "under", "includes")
) | {"include", "contains", "covers", "lists", "gives", "shows", "reports", "within", "over", "than", "after", "using"}
"""Words after which a noun with its article is part of the same phrase."""
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|(?:head|top|lead|open|close|end|rank)s?(?: \w+)?"
    r" (?:the|this|our) (?:list|table|comparison))\b"
)
_WITHIN = re.compile(rf" (?:in|from|across|within|under|by|per) (?:the|its|their|our|this)\b(?=[^,]*{_TABLES.pattern})")
_COUNTS = re.compile(r"\b(?:none|no|not|never|nowhere|only|any|all|every|each|both|most|few|half|one)\b", re.IGNORECASE)


def without_title(statement: str, labels: Collection[tuple[str, ...]] = ()) -> str:
    """Leaves out phrases that only say which table is meant, but none that names one of ``labels`` alone."""
    for found in reversed(list(_TITLE.finditer(statement))):
        start, end = found.start("words"), found.end()
        words = list(re.finditer(r"[\w-]+", statement[start:end]))
        at = next((n for n, word in enumerate(words) if _TABLES.fullmatch(word[0])), len(words))
        for before, word in pairwise(words[at:]):  # "In the ablation the lowest error on A": another subject begins
            if word[0] in _ARTICLES and before[0] not in _LEADS:
                end = start + word.start()
                break
        if _says_more(statement, start, end, labels) and (lead := list(_WITHIN.finditer(statement, start, end))):
            start = lead[-1].start()  # "The worst error in the comparison is that of A"
        rest = f"{statement[:start]} {statement[end:]}"
        more = _says_more(statement, start, end, labels)
        if not more and len(label_words(rest)) > 3 and not _STATES.search(statement[start:end]):
            statement = rest
    return statement


def _says_more(statement: str, start: int, end: int, labels: Collection[tuple[str, ...]]) -> bool:
    """Returns whether a part of a statement compares, counts, or names a label that the rest doesn't name."""
    part, left = label_words(statement[start:end]), label_words(f"{statement[:start]} {statement[end:]}")
    compares = comparison_in(statement[start:end]) or extreme_in(statement[start:end])
    alone = any(_within(x, part) and not _within(x, left) for x in labels)
    return bool(compares or _COUNTS.search(statement[start:end]) or alone)


def _within(words: Sequence[str], others: Sequence[str]) -> bool:
    return any(tuple(others[at : at + len(words)]) == tuple(words) for at in range(len(others)))
