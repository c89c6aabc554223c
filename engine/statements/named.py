"""Places, quotations and numbers that a sentence names, each looked up in the paper."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.documents.numbers import Quantity, find_quantities
from engine.documents.passages import words_of
from engine.documents.places import Place, Places
from engine.documents.records import Paragraph
from engine.documents.references import PlaceKind, Reference
from engine.statements.table_doubts import doubt_of
from engine.statements.verdicts import Verdict
from engine.statements.words import CITED, stem, terms

PartKind = PlaceKind | Literal["number", "count", "name", "work", "passage"]


@dataclass(frozen=True, slots=True)
class Part:
    """Something that a statement names: [start, end) of the text, its ``place`` if found.

    ``why`` explains the verdict in a sentence. A place or quotation that exists is *place found*: what the statement
    says about it is a separate question. ``alone``: the statement consists of this count.
    """

    kind: PartKind
    ref: str
    start: int
    end: int
    verdict: Verdict
    why: str
    place: Place | None = None
    alone: bool = False

    @property
    def page(self) -> int:
        """The page of its place, 0 if none."""
        return self.place.page if self.place is not None else 0


_NEW = re.compile(
    r"\b(?:add|adding|new|additional|another|extra|include a|introduce a|extend with)\s+(?:an?\s+)?$"
    r"|\bas\s+(?:an?\s+)?new\s+$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:authors?|paper|manuscript|they|abstract|introduction|conclusion|section|text|sentence|phrase|wording|term|word"
    r"|caption|line|page|states?|stated|says?|said|writes?|written|wrote|claims?|claimed|reads?|reports?|argues?|quote"
    r"|mentions?|describes?|defines?|asserts?|concludes?)\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"(?:->|→|=>|\b(?:to|with|by|as|like|such as|e\.g\.,?|rather|instead|say|write|read|titled|called|named|rename it"
    r"|should (?:be|read|say)|replace(?:d)? (?:it )?with|would be|perhaps|suggest|better))\s*[:,]?\s*$",
    re.IGNORECASE,
)
_REWRITES = re.compile(
    r"\b(?:chang(?:e|ing)|replac(?:e|ed|ing)|re(?:phras|word|nam)(?:e|ed|ing)|rewrit(?:e|ing|ten)|instead|rather|suggest"
    r"|should (?:be|read|say)|would be|better|perhaps|titled?|call(?:ed)?|e\.g|such as|correct(?:ed)? to|typos?"
    r"|start|begin|insert|simplif(?:y|ied))\b"
    r"|->|→|=>",
    re.IGNORECASE,
)
_SERIES = re.compile(r"(?:[“\"][^“”\"]*[”\"],?\s*(?:and|or)?\s*)+$")
"""Quotations in one list, up to the next one."""
_WORK = re.compile(r"\b(?:papers?|articles?|books?)\s+$", re.IGNORECASE)
_OTHERS = re.compile(
    r"\bet al\b|\b(?:arXiv|Proceedings|NeurIPS|ICLR|ICML|ACL|CVPR)\b|\((?:[^()]{1,60}, )?(?:19|20)\d\d[a-z]?\)"
    r"|\breference list\b"
)
_DERIVED = re.compile(
    r"\b(?:differences?|gains?|improve(?:s|d|ments?)?|drops?|increases?d?|decreases?d?|gaps?|margins?|by|times|fold"
    r"|factor|about|approximately|roughly|around|circa|over|above|below|under|more than|(?:less|fewer) than|at least"
    r"|at most|nearly|almost|between|averages?|mean|total|sum|ratio|out of|up to|only|first|top|within|p\s*[<>=]"
    r"|percentage points?|relative)\b[^.;]{0,18}$",
    re.IGNORECASE,
)
_OF_SEVERAL = re.compile(
    r"\b(?:averaged?|mean|total|sum|together|combined|altogether|savings?|difference|gap|apart|ratio"
    r"|relatively speaking|relative terms)\b",
    re.I,
)
"""Words for a number that may have been computed from others."""
_OTHERWISE = re.compile(
    r"\s+(?:\w+\s+)?points?\b|(?:\s+(?:to|and|or)\s+[\d.,]+)?\s+(?:thousand|million|billion)\b", re.I
)
"""Follows a difference, or a number in another unit than a table's."""
_REPORTS = (
    r"\s+(?:\w+ )?(?:reports?|states?|claims?|gives?|says?|shows?|lists?|obtains?|achieves?|reach(?:es)?|writes?|uses?"
    r"|trains?|sets?|samples?|recruit(?:s|ed)?|collect(?:s|ed)?|applies|apply|choose|chose)\b"
)
_REPORTED = re.compile(
    rf"\b(?:authors?|paper|manuscript|they|abstract|introduction|conclusion|section(?: [\d.]+)?){_REPORTS}", re.I
)
_OURS = re.compile(rf"\bwe{_REPORTS}", re.I)
_WORD = re.compile(r"[^\W\d_]{2}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_CERTAIN_FROM = 100
_STATED_FROM = 10
_LEAST_WORDS = 3


# --- places and quotations -------------------------------------------------------------------------------------------


def quote_found(place: Place) -> str:
    return f"The quotation is on page {place.page}."


def named_place(sentence: str, reference: Reference, places: Places) -> Part | None:
    """Looks up a place or quotation that a sentence names; returns None for what it proposes itself, and for words in
    scare quotes."""
    quoted = reference.kind == "quote"
    label = f"“{reference.title}”" if quoted else reference.label
    place = places.resolve(reference)
    if place is not None:
        why = quote_found(place) if quoted else f"{label} {'are' if reference.last else 'is'} on page {place.page}."
        return Part(reference.kind, label, reference.start, reference.end, "place found", why, place)
    named = None if quoted or reference.supplement else places.mentioned(reference)
    found = _absent_quote(sentence, reference, places) if quoted else _absent_place(sentence, reference, places, named)
    return Part(reference.kind, label, reference.start, reference.end, *found) if found is not None else None


Absent = tuple[Verdict, str, Place | None]


def _absent_place(sentence: str, reference: Reference, places: Places, named: Place | None) -> Absent | None:
    label = reference.label
    if _NEW.search(sentence[: reference.start]):
        return None
    if reference.supplement:
        return "not checked", f"{label} isn't in this PDF. It may be a separate file.", None
    if named is not None:
        return (
            "not checked",
            f"The text names {label} on page {named.page}, but {label} itself couldn't be found.",
            named,
        )
    if reference.kind == "line" and not places.document.lines:
        return "not checked", "The pages have no line numbers.", None
    if reference.kind == "section" and reference.number and not any(p.number for p in places.sections):
        return "not found", f"The paper's sections aren't numbered, so there is no {label}.", None
    return "not found", f"{label} {'aren' if reference.last else 'isn'}'t in the paper.", None


def _absent_quote(sentence: str, reference: Reference, places: Places) -> Absent | None:
    words, before = words_of(reference.title), sentence[: reference.start]
    around = f"{before} {sentence[reference.end :]}"
    if words < _LEAST_WORDS and not (words == _LEAST_WORDS - 1 and _SAYS.search(around)):
        return None
    before = _SERIES.sub("", before)
    own = _WORD.search(around) is None  # all of them are the review's own words
    if own or (_INSTEAD.search(before) and _REWRITES.search(around)) or _OTHERS.search(around) or _WORK.search(before):
        return "not checked", "The words in quotation marks may not be the paper's.", None
    near = _nearest_words(reference.title, places) if words > _LEAST_WORDS else None
    if near is None:
        return "not found", "The quotation isn't in the paper.", None
    return "not found", f"The quotation isn't in the paper. The nearest words are “{near.title}”.", near


def _nearest_words(words: str, places: Places) -> Place | None:
    """Returns words of the paper that are similar to a quotation."""
    from rapidfuzz import fuzz

    best: tuple[float, Paragraph, int, int] | None = None
    for paragraph in places.document.paragraphs:
        if len(paragraph.text) >= len(words) // 2:
            found = fuzz.partial_ratio_alignment(words.casefold(), paragraph.text.casefold(), score_cutoff=80)
            if found is not None and (best is None or found.score > best[0]):
                best = found.score, paragraph, found.dest_start, found.dest_end
    if best is None:
        return None
    _, paragraph, start, end = best
    text = paragraph.text
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return places.find_quote(" ".join(text[start:end].split()))


# --- numbers ---------------------------------------------------------------------------------------------------------


def numbers_in_tables(
    sentence: str, references: Sequence[Reference], places: Places, *, english: bool = True
) -> Iterator[Part]:
    """Yields the numbers that a sentence gives for a table, with whether the table contains them."""
    named = [r for r in references if r.kind == "table"]
    tables = [t for r in named for t in places.tables_with(r.own_number)]
    own = [(t, [p for p in places.text_of(t) if p.id != t.caption_id]) for t in tables]
    read = [
        t for t, parts in own if places.cells_with_numbers[t.caption_id] or any(places.numbers[p.id] for p in parts)
    ]
    label = " and ".join(dict.fromkeys(f"Table {t.number}" for t in tables))
    for said in said_numbers(sentence, references, english=english) if tables else ():
        exact = _exact(said)
        ref, span = f"{said.text.strip()} in {label}", (said.start, said.end)
        place = next((p for t in read if (p := places.number_in_table(said, t)) is not None), None)
        if place is not None:
            why = (
                f"{said.text.strip()} is in {label}, but it wasn't decided whether it belongs to what the "
                "sentence refers to."
            )
            yield Part("number", ref, *span, "place found", why, place)
        elif read and len(read) == len(tables):
            if exact or _stated(sentence, said):
                derived = bool(_DERIVED.search(sentence[: said.start]) or _OF_SEVERAL.search(sentence))
                derived = derived or "point" in said.text or bool(_OTHERWISE.match(sentence, said.end))
                doubt = next(filter(None, map(doubt_of, tables)), "")
                why = f"{said.text.strip()} isn't in {label}. {doubt}".strip()
                yield Part("number", ref, *span, "not checked" if derived or doubt else "not found", why)
        elif exact:
            yield Part("number", ref, *span, "not checked", f"The numbers in {label} couldn't be read.")


def numbers_in_text(
    sentence: str,
    references: Sequence[Reference],
    places: Places,
    paragraphs: Sequence[Paragraph],
    *,
    english: bool = True,
) -> Iterator[Part]:
    """Yields the numbers that a sentence gives without a table, compared with those in the paper that count or measure
    the same. A number is *place found* only if a sentence of the paper has it next to a word for what it counts.
    ``paragraphs`` are those of the places that the sentence names, or all if it names none."""
    for said in said_numbers(sentence, references, english=english):
        number, span = said.text.strip(), (said.start, said.end)
        exact = _exact(said)
        reported = bool(_REPORTED.search(sentence[: said.start])) and not _DERIVED.search(sentence[: said.start])
        counted = _counted(sentence, said)
        if _YEAR.fullmatch(number) or not (exact or (reported and counted)):
            continue
        readings = said_as(said, english=english)
        there = [one for reading in readings for one in places.number_in(reading, paragraphs)]
        if not there and not references:
            cells = ((t, p) for t in places.tables for q in readings if (p := places.number_in_table(q, t)) is not None)
            table, cell = next(cells, (None, None))
            if table is not None:
                yield Part("number", number, *span, "place found", f"{number} is in Table {table.number}.", cell)
                continue
        if not there:
            verdict: Verdict = "not found" if reported or not english else "not checked"
            where = "at the place given" if any(p for r in references if (p := places.resolve(r))) else "in the paper"
            yield Part("number", number, *span, verdict, f"{number} is nowhere {where}.")
            continue
        around = {t.stem for t in terms(sentence)}
        best = max(there, key=lambda one: _shared(around, *one))
        place = places.stretch(best[0], best[1].start, best[1].end)
        beside = {s for p, q in there for s in _beside(p, q)}
        if reported and counted and counted not in beside:
            why = f"{number} is in the paper, but not next to “{_counted_word(sentence, said)}”."
            yield Part("number", number, *span, "not found", why, place)
        else:
            there_as = best[1].text.strip()  # "12" of "12 euros", where the sentence says "12 %"
            yield Part("number", number, *span, "place found", f"{there_as} is on page {place.page}.", place)


def _beside(paragraph: Paragraph, there: Quantity) -> set[str]:
    """Returns the stems of the words around a number of the paper, within its sentence as far as punctuation shows."""
    before = re.split(r"[.;!?]\s", paragraph.text[max(0, there.start - 160) : there.start])[-1]
    after = re.split(r"[.;!?](?:\s|$)", paragraph.text[there.end : there.end + 160])[0]
    return {t.stem for part in (before, after) for t in terms(part)} | {
        stem(w) for w in re.findall(r"[^\W\d_]+", after)
    }


def _shared(around: set[str], paragraph: Paragraph, there: Quantity) -> int:
    return len(around & _beside(paragraph, there))


_COUNTED = re.compile(
    r"\s*-?\s*(?:(?:of the|of|different|distinct|random|independent|unique)\s+)*(?P<what>[^\W\d_]{3,})"
)
_COUNTS_NOTHING = re.compile(
    r"\s+(?:without|with|in|for|as|and|but|or|which|that|while|when|where|on|at|by|to|from|is|are|was|were|under|than"
    r"|although|because)\b"
)


def _counted_word(sentence: str, said: Quantity) -> str:
    after = sentence[said.end :]
    match = _COUNTED.match(after)
    return match["what"] if match and not said.percent and not _COUNTS_NOTHING.match(after) else ""


def _counted(sentence: str, said: Quantity) -> str:
    """Returns the stem of what a number counts ("30 epochs"), "" if nothing follows it."""
    found = terms(_counted_word(sentence, said))
    return found[0].stem if found else ""


def _stated(sentence: str, said: Quantity) -> bool:
    """Returns whether a small whole number is stated as a value ("a value of 42", "reports 42 in") and isn't a count
    ("42 rows")."""
    before, after = sentence[: said.start], sentence[said.end :]
    given = re.search(
        r"\b(?:values?|scores?|entry|entries|cells?|numbers?|accuracy|precision|recall|f1|auc\w*|reports?|lists?|gives?"
        r"|shows?|as|of|is|are|equals?|=)\s*$",
        before.rstrip("(: "),
        re.IGNORECASE,
    )
    counts = re.match(r"\s+[a-z]", after) and not _COUNTS_NOTHING.match(after)
    return bool(given) and not counts and abs(said.value) >= _STATED_FROM


_NO_STATEMENT = re.compile(
    rf"{CITED.pattern}|^\W*\d{{1,2}}[.)]\s|https?://\S+|\b10\.\d{{4,}}/\S+|\b(?=\d*[a-f])[a-f]*\d[\da-f]{{6,39}}\b"
)
"""Citations, list numbers, URLs, and commit hashes."""
_NOUGHT = re.compile(r"(?<=(?<![\d.,])0),(?=\d)")
"""A decimal comma in any language."""


def said_numbers(sentence: str, references: Iterable[Reference], *, english: bool = True) -> Iterator[Quantity]:
    """Yields the numbers that a sentence itself states, excluding those of places, quotations, citations, lists and
    years."""
    taken = [(r.start, r.end) for r in references]
    taken += [m.span() for m in _NO_STATEMENT.finditer(sentence)]
    text = _NOUGHT.sub(".", sentence if english else decimal_points(sentence))
    for quantity in find_quantities(text):
        after, inside = text[quantity.end :], text[quantity.start - 1 : quantity.start] == "-"
        named = re.match(r"[A-Za-z]{0,2}-" if inside else "-", after)  # "the kl-004-128k-cased one"
        if any(a < quantity.end and quantity.start < b for a, b in taken) or named:
            continue
        yield quantity


def states_number(sentence: str, references: Iterable[Reference]) -> bool:
    """Returns whether authors give a number worth looking up: an exact one, or a count ("we use 30 epochs"), but not a
    year or the number of a place."""
    return any(
        not _YEAR.fullmatch(said.text.strip())
        and (_exact(said) or bool(_OURS.search(sentence[: said.start]) and _counted(sentence, said)))
        for said in said_numbers(sentence, references)
    )


def _exact(said: Quantity) -> bool:
    return said.decimals > 0 or said.percent or abs(said.value) >= _CERTAIN_FROM


def said_as(said: Quantity, *, english: bool) -> tuple[Quantity, ...]:
    """Returns the possible meanings of a number: "1.846" is also 1846 in languages with points between thousands."""
    grouped = not english and re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", said.text.strip())
    return (said, replace(said, value=said.value * 1000, decimals=0)) if grouped else (said,)


_GROUPED = r"(?<![\d.,])[1-9]\d{0,2}(?:(?:\.\d{3}){2,}|(?: \d{3})+)(?![\d.,]\d|\d)"
"""Thousands separated by points or spaces: "1.212.400", "24 310"."""


def decimal_points(text: str) -> str:
    """Converts decimal commas of a text to points ("85,2 %"); thousands ("1,204") stay."""

    def pointed(match: re.Match[str]) -> str:
        head, tail = match[1], match[2]
        return match[0] if len(tail) == 3 and head != "0" and len(head) <= 3 else f"{head}.{tail}"

    grouped = re.sub(_GROUPED, lambda m: re.sub(r"\D", ",", m[0]), text)
    return re.sub(r"(?<![\d,])(\d+),(\d+)(?![\d,])", pointed, grouped)
