"""Judges statements about a paper: takes one sentence; returns its verdict, the reason, and what it names.

Used for reviews and rebuttals. Places, quotations, numbers, counts, names, works and absences have their own rules; the
rest is compared with the passage that the sentence names, or with the whole paper if it names none. A sentence is only
supported if all of it was found in one place, never because what it names exists.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import dropwhile, pairwise

from engine.documents.passages import words_of
from engine.documents.places import Place, Places
from engine.documents.records import Paragraph
from engine.documents.references import Reference, find_references
from engine.reviews.language import is_english, may_turn
from engine.shown import shortened
from engine.statements.absences import NEAREST, Passage, absence, nearest_passages, passage_of, search
from engine.statements.facts import counts, names, works
from engine.statements.named import Part, decimal_points, named_place, numbers_in_tables, numbers_in_text, quote_found
from engine.statements.passages import LEAST_TERMS, Comparison, compare, statement_terms, windows
from engine.statements.table_doubts import doubt_of
from engine.statements.table_frames import says_only_remarks
from engine.statements.table_phrases import squeezed
from engine.statements.tables import judge_in_document
from engine.statements.verdicts import DECIDED, UNFOUNDED, UNRELIABLE, Verdict, reliable, wholly_read
from engine.statements.words import blanked, terms

_NEAR = 0.34
"""If no sentence of the paper has a larger share of a statement's words, it counts as not found."""
_CANDIDATES = 6
UNREAD = "Words aren't checked in this language; places, numbers, tables and quotations are."
_OPEN = "It wasn't decided whether the paper says this there."
_NOTHING = "It contains nothing that can be looked up in the paper."


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result for a sentence. ``missing`` is what it says the paper lacks, "" if nothing; ``passages`` are the
    closest ones."""

    verdict: Verdict
    why: str
    parts: tuple[Part, ...] = ()
    missing: str = ""
    passages: tuple[Passage, ...] = ()

    @property
    def place(self) -> Place | None:
        own = [p for p in self.parts if p.place is not None]
        return next((p.place for p in own if p.verdict == self.verdict), own[0].place if own else None)


def judge(sentence: str, places: Places, *, states: bool = True, around: str = "") -> Judgement:
    """Judges one sentence. ``states``: its wording states something about the paper; for a question or a suggestion,
    only what it names is looked up. ``around`` is the surrounding text, which determines the language if the sentence
    doesn't."""
    found = _with_the_rest(_judged(sentence, places, states, around), sentence, places, around)
    if wholly_read(places):
        return found
    parts = [_relied_on(part, places) for part in found.parts]
    decisive = next((n for n, part in enumerate(found.parts) if part.verdict == found.verdict), None)
    if decisive is None:
        verdict, why = reliable(found.verdict, found.why, found.place, places)
    else:
        verdict = parts[decisive].verdict
        why = found.why if parts[decisive] == found.parts[decisive] else parts[decisive].why
    return replace(found, verdict=verdict, why=why, parts=tuple(parts))


_JOINT = re.compile(
    r"[;:]\s+|,?\s+(?:and|but|yet|so|while|whereas|although|though|because|since)\s+"
    r"(?=(?:the|its?|their|they|there|this|these|we|no)\b)|,\s+(?=(?:which|who)\s)|,\s+(?=\w+s\s)",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|will|would|should)\b"
    r"|^(?:the authors?|it|they|we) ",
    re.IGNORECASE,
)
_LEAST = 2
"""A clause with fewer content words states nothing of its own."""
_COMPARES = re.compile(
    r"\d|\b(?:best|worst|than|most|least|more|less|same|all|every|each|both|only|outperform\w*|better|worse"
    r"|(?:high|low|larg|small|fast|slow|short|long|great|few|strong|weak)(?:er|est))\b",
    re.IGNORECASE,
)


def _with_the_rest(found: Judgement, sentence: str, places: Places, around: str) -> Judgement:
    """Judges the other statements of a sentence of which one was looked up: a number in a table, or something missing.
    The sentence is supported only if they all are."""
    cells = any(p.kind == "number" and p.verdict == "supported" for p in found.parts)
    if found.verdict != "supported" or not (cells or found.missing):
        return found
    ends = [(0, 0), *(match.span() for match in _JOINT.finditer(sentence)), (len(sentence),) * 2]
    for (_, start), (end, _) in pairwise(ends) if len(ends) > 2 else ():
        piece = sentence[start:end]
        checked = found.missing in piece if found.missing else _COMPARES.search(piece) is not None
        if checked or not _STATES.search(piece) or len(statement_terms(piece)[0]) < _LEAST or says_only_remarks(piece):
            continue
        other = judge(piece, places, around=around)
        if other.verdict in UNFOUNDED:
            parts = tuple(replace(p, start=p.start + start, end=p.end + start) for p in other.parts)
            return replace(other, parts=parts)
        if other.verdict != "supported":
            why = f"{found.why} It wasn't decided whether the paper says “{shortened(piece.strip(' ,.'), 60)}”."
            return replace(found, verdict="place found" if found.place else "not checked", why=why)
    return found


def _relied_on(part: Part, places: Places) -> Part:
    if part.kind == "number" and part.verdict == "not checked" and part.place is None:
        return replace(part, why=UNRELIABLE)
    verdict, why = reliable(part.verdict, part.why, None if part.kind == "count" else part.place, places)
    return replace(part, verdict=verdict, why=why)


def _judged(sentence: str, places: Places, states: bool, around: str) -> Judgement:
    english = is_english(sentence, around)
    references = [*find_references(sentence), *_own_titles(sentence, places)]
    parts = [part for r in references if (part := named_place(sentence, r, places)) is not None]
    lost = any(p.kind == "table" and p.place is None for p in parts)
    paragraphs = _named_paragraphs(references, places)
    tabled = any(r.kind == "table" for r in references)
    elsewhere = any(r.kind != "quote" or (words_of(r.title) > 2 and not _is_label(r.title, places)) for r in references)
    written = sentence if english else decimal_points(sentence)
    cells = _cells(written, places) if states and not lost and (tabled or not elsewhere) else None
    if cells is not None and not english and (cells.verdict == "supported" or may_turn(sentence)):
        cells = replace(cells, verdict="place found", why=f"{cells.why} {UNREAD}")  # unread words may deny the number
    if cells is not None:
        parts.append(cells)
    elif tabled and not lost:
        parts += numbers_in_tables(sentence, references, places, english=english)
    elif not tabled:
        parts += numbers_in_text(sentence, references, places, paragraphs or _searched(places), english=english)
    if cells is not None and _worst(parts) in (None, cells):
        return Judgement(cells.verdict, cells.why, tuple(parts))
    if not english or not _paper_is_english(places):
        return _combined(parts, states=False, unread=True)
    missing = absence(blanked(sentence, ((r.start, r.end) for r in references if r.kind == "quote"))) or ""
    facts = [*counts(sentence, places), *names(sentence, places), *works(sentence, places, missing=bool(missing))]
    parts = [p for p in parts if p.kind != "number" or not any(f.start < p.end and p.start < f.end for f in facts)]
    parts += facts
    if len(parts) == 1 and parts[0].alone:
        return Judgement(parts[0].verdict, parts[0].why, tuple(parts))
    if missing:
        return _missing(sentence, missing, parts, paragraphs, places)
    quotes = [p for p in parts if p.kind == "quote" and p.place is not None]
    if quotes and _worst(parts) is None and not sentence.rstrip().endswith("?") and _says_only(sentence, parts):
        return _quoted(quotes, references, parts, places)
    if not states:
        return _combined(parts, states=False)
    return _compared(sentence, parts, paragraphs, places)


# --- a statement and its table ---------------------------------------------------------------------------------------


def _is_label(quoted: str, places: Places) -> bool:
    """Returns whether a quotation is the text of a cell."""
    return any(
        squeezed(cell.text) == squeezed(quoted) for table in places.tables for row in table.rows for cell in row.cells
    )


def _cells(sentence: str, places: Places) -> Part | None:
    """Returns the cells that support or contradict a sentence; None if the table leaves it undecided. If the table may
    have been read wrongly, it decides nothing."""
    found = judge_in_document(sentence, places.tables, places.about)
    verdict = found.judgement.verdict if found else "not checked"
    doubt = doubt_of(found.table) if found and verdict not in DECIDED else ""
    if found is None or verdict not in (("place found",) if doubt else DECIDED):
        return None
    label = f"Table {found.table.number}"
    place = Place(
        "table", found.table.number, found.table.caption[:80], found.table.page, tuple(c.box for c in found.cells),
        found.cells[0].paragraph_id, found.cells[0].start, found.cells[0].end,
    ) if found.cells else places.resolve(Reference("table", found.table.number, 0, 0))  # fmt: skip
    return Part("number", label, 0, len(sentence), verdict, f"{doubt} {_OPEN}" if doubt else found.judgement.why, place)


# --- a statement and its passage -------------------------------------------------------------------------------------


def _compared(sentence: str, parts: list[Part], paragraphs: Sequence[Paragraph], places: Places) -> Judgement:
    bad = _worst(parts)
    named = [p for p in parts if p.kind not in ("quote", "number", "count", "name", "work")]
    if named and not paragraphs and all(p.place is None for p in named):
        return _combined(parts, states=True)  # content of a separate file isn't searched elsewhere
    if bad is None and len(parts) == 1 and (said_by := _by_title(sentence, parts[0], places)) is not None:
        return said_by
    said, numbers = statement_terms(sentence)
    if bad is not None and bad.kind == "number" and len(said) >= LEAST_TERMS:
        # The passage may give another number instead.
        found = _in(sentence, paragraphs) if paragraphs else _anywhere(sentence, places)
        if found is not None and found[0].verdict == "contradicted":
            parts, bad = [p for p in parts if p is not bad], _worst([p for p in parts if p is not bad])
    if bad is not None:
        return Judgement(bad.verdict, bad.why, tuple(parts))
    if len(said) + len(numbers) < LEAST_TERMS:
        return _combined(parts, states=bool(parts))
    found = _in(sentence, paragraphs) if paragraphs else _anywhere(sentence, places)
    if found is None:
        return _combined(parts, states=True)
    compared, paragraph = found
    place = places.stretch(paragraph, compared.start, compared.end)
    passage = Part("passage", f"page {place.page}", 0, len(sentence), compared.verdict, compared.why, place)
    counted = any(p.kind == "count" for p in parts)  # its number isn't a number of the passage
    in_table = any(p.kind == "table" for p in named) and any(p.kind == "number" and p.place is not None for p in parts)
    refuted = compared.verdict == "contradicted" and not in_table
    if compared.verdict == "supported" or (refuted and not counted):
        return Judgement(
            compared.verdict, f"On page {place.page}, {compared.why[:1].lower()}{compared.why[1:]}", (*parts, passage)
        )
    if parts:
        made = _combined(parts, states=True)
        if refuted or compared.share < _NEAR or made.verdict != "place found":
            return made
        why = made.why.removesuffix(_OPEN) + compared.why
        return replace(made, why=why, parts=(*parts, passage))
    shown = (Passage(paragraph.id, compared.start, compared.end, paragraph.text[compared.start : compared.end],
                     place.page, compared.share),)  # fmt: skip
    return Judgement(
        "not checked",
        "It doesn't refer to a place in the paper, and no passage says exactly this.",
        (),
        "",
        shown if compared.share else (),
    )


_PUT = (
    r"(?:described|shown|given|presented|reported|discussed|drawn|plotted|listed|found|reviewed|explained|introduced)"
)
_SHOWS = re.compile(
    r"\W*(?:shows?|describes?|presents?|reports?|gives?|contains?|discuss(?:es)?|reviews?|covers?|plots?|compares?|lists?"
    r"|introduces?|explains?|deals with|is(?: about)?|illustrates?) (?P<what>[^,;]+)"
)
_IS_IN = re.compile(rf"(?P<what>[^,;]+?) (?:is|are|was|were) (?:{_PUT} )?in (?:the )?")


def _by_title(sentence: str, part: Part, places: Places) -> Judgement | None:
    """Judges a sentence that only says what is at a place, by the place's heading or the beginning of its caption."""
    before, after = sentence[: part.start], sentence[part.end :]
    found = _IS_IN.fullmatch(before) if not after.strip(" .") else None
    found = found or (_SHOWS.fullmatch(after.rstrip(" .")) if not before.strip(" \t“(") else None)
    if found is None or part.place is None or part.kind not in ("section", "appendix", "figure", "table", "algorithm"):
        return None
    said = [t.stem for t in terms(found["what"])]
    titled = part.kind in ("section", "appendix")
    text = (
        part.place.title
        if titled
        else next(p.text for p in places.document.paragraphs if p.id == part.place.paragraph_id)
    )
    there = [t.stem for t in statement_terms(text)[0]]
    rest = iter(there)
    if said and said[:1] == there[:1] and all(stem in rest for stem in said):
        what = f"{part.ref} is titled" if titled else f"The caption of {part.ref} is"
        return Judgement("supported", f"{what} “{shortened(text, 80)}”.", (replace(part, verdict="supported"),))
    others = [s for s in places.sections if titled and s.number and [t.stem for t in terms(s.title)] == said]
    if len(others) == 1 and not others[0].number.startswith(part.place.number or " ") and not {*said} & {*there}:
        held = {t.stem for p in _named_paragraphs(find_references(sentence), places) for t in terms(p.text)}
        if not held.intersection(said):
            why = f"“{others[0].title}” is {others[0].label}; {part.ref} is titled “{text}”."
            return Judgement("contradicted", why, (replace(part, verdict="contradicted", why=why),))
    return None


def _in(sentence: str, paragraphs: Sequence[Paragraph]) -> tuple[Comparison, Paragraph] | None:
    """Compares a statement with paragraphs: returns the one that supports it, otherwise contradicts it, otherwise is
    closest."""
    found = [(compare(sentence, p.text), p) for p in paragraphs if p.kind not in ("table", "equation")]
    order = {"supported": 2, "contradicted": 1}
    return max(found, key=lambda one: (order.get(one[0].verdict, 0), one[0].share), default=None)


def _anywhere(sentence: str, places: Places) -> tuple[Comparison, Paragraph] | None:
    """As ``_in`` for the whole paper: for the paragraphs with a sentence that shares most words."""
    return _in(sentence, [p for _, p in _ranked(sentence, _stems(places))[:_CANDIDATES]])


def nearest_paragraphs(sentence: str, places: Places, most: int) -> list[Paragraph]:
    """Returns the paragraphs at the places that a sentence names, otherwise those that share a word with it; those with
    a sentence that shares most words first."""
    named = _named_paragraphs(find_references(sentence), places)
    ranked = _ranked(sentence, [_stemmed(p) for p in named] or _stems(places))
    return [p for shared, p in ranked[:most] if named or shared]


def _ranked(sentence: str, index: Iterable[tuple[Paragraph, list[frozenset[str]]]]) -> list[tuple[int, Paragraph]]:
    wanted = {t.stem for t in statement_terms(sentence)[0]}
    shared = [(max((len(wanted & held) for held in stems), default=0), p) for p, stems in index]
    return sorted(shared, key=lambda one: -one[0])


@lru_cache(maxsize=4)
def _stems(places: Places) -> list[tuple[Paragraph, list[frozenset[str]]]]:
    return [_stemmed(p) for p in _searched(places)]


def _stemmed(paragraph: Paragraph) -> tuple[Paragraph, list[frozenset[str]]]:
    """Returns a paragraph with the stems of each of its sentences."""
    return paragraph, [frozenset(t.stem for t in w.terms) for w in windows(paragraph.text)]


@lru_cache(maxsize=4)
def _paper_is_english(places: Places) -> bool:
    return is_english(" ".join(p.text for p in places.document.paragraphs if p.kind == "body")[:20_000])


def _searched(places: Places) -> list[Paragraph]:
    return [p for p in places.document.paragraphs if p.kind not in ("reference", "table", "equation", "heading")]


def _own_titles(sentence: str, places: Places) -> Iterator[Reference]:
    """Yields sections named by titles that only this paper has: “(Section Oil Changes, p. 3)”."""
    titles = {section.title.casefold() for section in places.sections if section.title}
    for match in re.finditer(r"\bSection (?P<title>[^,()“”]{3,100})(?=, p\.)", sentence):
        if match["title"].casefold() in titles and not find_references(match[0]):
            yield Reference("section", "", *match.span(), title=match["title"])


def _says_only(sentence: str, parts: Sequence[Part]) -> bool:
    """Returns whether a sentence says nothing besides its quotations and the places that it names, with their
    titles."""
    spans = []
    for part in parts:
        if part.kind in ("number", "count", "name", "work"):
            continue
        title = part.place.title if part.place is not None and part.kind in ("section", "appendix") else ""
        following = sentence[part.end :].lstrip(" :.–-")
        titled = len(sentence) - len(following) + len(title) if title and following.startswith(title) else part.end
        spans.append((part.start, titled))
    said, numbers = statement_terms(re.sub(r"\b(?:statement|sentence|phrase|wording)\b", "", blanked(sentence, spans)))
    return not said and not numbers


def _quoted(quotes: Sequence[Part], references: Sequence[Reference], parts: list[Part], places: Places) -> Judgement:
    """Judges a sentence that only says that words are in the paper, or at a place in it."""
    found = {quote: quote for quote in quotes}
    for reference in references:
        if reference.kind in ("quote", "table", "figure"):
            continue
        held = _named_paragraphs([reference], places)
        for own, quote in found.items():
            if not held or quote.place is None or quote.place.paragraph_id in {p.id for p in held}:
                continue
            there = places.find_quote(quote.place.title, held)  # the words may occur in several places
            if there is None:
                return Judgement("place found", f"{quote.why[:-1]}, not in {reference.label}.", tuple(parts))
            found[own] = replace(quote, place=there, why=quote_found(there))
    return Judgement("supported", found[quotes[0]].why, tuple(found.get(p, p) for p in parts))


# --- what is missing -------------------------------------------------------------------------------------------------


def _missing(
    sentence: str, missing: str, parts: list[Part], paragraphs: Sequence[Paragraph], places: Places
) -> Judgement:
    passages = nearest_passages(missing, places)
    work = next((p for p in parts if p.kind == "work"), None)
    bad = _worst([p for p in parts if p.kind != "work"])
    if bad is not None and bad.place is None and bad.kind not in ("quote", "number") and bad.ref.endswith(missing):
        return Judgement("supported", bad.why, tuple(parts), missing, passages)
    if work is not None or bad is not None:
        decisive = bad or work
        assert decisive is not None
        return Judgement(decisive.verdict, decisive.why, tuple(parts), missing, passages)
    found = search(sentence, missing, places, passages, paragraphs)
    if found.place is not None:
        place = found.place
        passages = _with_the_place(missing, passages, place, places)
        parts = [*parts, Part("passage", f"page {place.page}", 0, len(sentence), found.verdict, found.why, place)]
    return Judgement(found.verdict, found.why, tuple(parts), missing, passages)


def _with_the_place(missing: str, passages: tuple[Passage, ...], place: Place, places: Places) -> tuple[Passage, ...]:
    """Adds the passage where something was found, for a heading the one below it, unless it is among the nearest."""
    shown = {passage.paragraph_id for passage in passages}
    after = dropwhile(lambda p: p.id != place.paragraph_id, places.document.paragraphs)
    first = next((p for p in after if p.kind not in ("heading", "table", "equation")), None)
    if first is None or first.id in shown:
        return passages
    return (passage_of(missing, first), *passages)[:NEAREST]


# --- combining parts -------------------------------------------------------------------------------------------------


def _combined(parts: Sequence[Part], *, states: bool, unread: bool = False) -> Judgement:
    """Returns the verdict of a sentence of which only what it names was looked up."""
    own = tuple(parts)
    bad = _worst(own)
    if bad is not None:
        return Judgement(bad.verdict, bad.why, own)
    open_ones = [p for p in own if p.verdict == "not checked" and p.kind != "quote"]
    found = [p for p in own if p.place is not None and p.verdict in ("place found", "supported")]
    if open_ones or not found:
        if open_ones:
            why = open_ones[0].why
        elif unread:
            why = UNREAD
        elif own:
            why = own[0].why
        else:
            why = "It doesn't refer to a place in the paper." if states else _NOTHING
        return Judgement("not checked", why, own)
    last = UNREAD if unread else _OPEN
    return Judgement("place found", f"{found[0].why} {last}" if unread or states else found[0].why, own)


def _worst(parts: Iterable[Part]) -> Part | None:
    """Returns the first contradicted part, otherwise the first one that wasn't found."""
    own = list(parts)
    wanted: tuple[Verdict, ...] = ("contradicted", "not found")
    return next((p for verdict in wanted for p in own if p.verdict == verdict), None)


# --- the paragraphs of a place ---------------------------------------------------------------------------------------


def _named_paragraphs(references: Iterable[Reference], places: Places) -> list[Paragraph]:
    """Returns the paragraphs at the places that a sentence names, for figures and tables also those that mention them.
    A page next to another place ("Table 2 (p. 4)") is ignored."""
    found = [(r, p) for r in references if r.kind != "quote" and (p := places.resolve(r)) is not None]
    exact = [(r, p) for r, p in found if r.kind != "page"] or found
    return list({p.id: p for r, place in exact for p in paragraphs_at(r, place, places)}.values())


def paragraphs_at(reference: Reference, place: Place, places: Places) -> list[Paragraph]:
    paragraphs = places.document.paragraphs
    own = next((p for p in paragraphs if p.id == place.paragraph_id), None)
    if reference.kind in ("section", "appendix"):
        if own is None:
            return []
        if own.kind != "heading":  # an abstract without its own heading
            return [own]
        return [p for p in paragraphs if own.text.strip() in [part.strip() for part in p.section.split(" > ")]]
    if reference.kind == "page":
        last = int(reference.last or reference.number)
        return [p for p in paragraphs if any(place.page <= box.page <= last for box in p.boxes)]
    mention = (reference.kind, reference.number)
    speaking = [
        p
        for p in _searched(places)
        if reference.kind in ("figure", "table", "algorithm", "equation", "statement")
        and any((r.kind, r.number) == mention for r in places.references[p.id])
    ]
    table = places.table(reference.number) if reference.kind == "table" else None
    cells = [p for p in paragraphs if table is not None and p.id in table.paragraph_ids]
    return [p for p in (own, *cells, *speaking) if p is not None]
