"""Facts about a paper in a sentence that can be counted or looked up: numbers of figures, names, cited works."""

import operator
import re
from collections.abc import Callable, Iterator

from engine.documents.places import Place, Places
from engine.papers.pdf_metadata import pdf_paper
from engine.statements.named import Part
from engine.statements.words import terms, word_list, word_set

# --- counts ----------------------------------------------------------------------------------------------------------

_NUMBERS = {word: value for value, word in enumerate(word_list("numbers"))}
_COUNT = re.compile(
    r"\b(?P<about>about|around|roughly|approximately|some|over|more than|at least|fewer than|less than|only|nearly"
    r"|almost)?"
    rf"\s*\b(?P<number>\d{{1,3}}|{'|'.join(_NUMBERS)})\s+(?:numbered\s+|main\s+|top-level\s+)?"
    r"(?P<what>figures?|tables?|sections?|references|citations|cited works|bibliography entries|authors?|pages?)\b"
    r"(?!\s+(?:\d|of the (?:\w+ )?(?:figures|tables|sections|authors)|and \d))",
    re.IGNORECASE,
)
_HAS = re.compile(
    r"\b(?:paper|manuscript|submission|article|study|work|it|text|document|authors?|there (?:is|are))\b[^.;]{0,40}?"
    r"(?:\b(?:has|have|contains?|includes?|comprises?|consists? of|lists?|cites?|with|is|are|spans?|shows?|presents?"
    r"|provides?|runs? to|was written by|by)\b\s*)$"
    r"|\bthere (?:is|are)\s*$|\breference list\b[^.;]{0,30}$|\bwritten by\s*$"
    r"|^\W*with\s*$|\b(?:I|we) count(?:ed)?\s*$",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\W*(?:the|this)?\s*(?:paper|manuscript|submission|article|work|it|text|authors?|reference list|there|I|we)\s+"
    r"(?:has|have|counted|comes? with|contains?|includes?|comprises?|consists? of"
    r"|lists?|cites?|is|are|shows?|presents?|provides?|spans?"
    r"|was written by)\s+(?:of\s+|by\s+|written by\s+)?(?:only\s+|a total of\s+)?",
    re.IGNORECASE,
)
_REST = re.compile(
    r"(?: (?:in (?:this|the) (?:paper|manuscript|article|text)|in total|in all|overall|here))?[\s.]*", re.I
)


def counts(sentence: str, places: Places) -> Iterator[Part]:
    """Yields the numbers of figures, tables, sections, references, authors and pages that a sentence states."""
    for match in _COUNT.finditer(sentence):
        if not _HAS.search(sentence[: match.start()].rstrip() + " "):
            continue
        word = match["number"].casefold()
        said = _NUMBERS[word] if word in _NUMBERS else int(word)
        what = next(name for name in _COUNTED if match["what"].casefold().startswith(name[:4]))
        found = _COUNTED[what](places)
        start, end = match.start("number"), match.end()
        ref = sentence[start:end]
        if found is None:
            yield Part("count", ref, start, end, "not checked", f"The {what} of this PDF could not be counted.")
            continue
        there, place = found
        about = (match["about"] or "").casefold()
        right = _fits(said, there, about)
        lead = sentence[: match.start("about" if about else "number")]
        whole = bool(_WHOLE.fullmatch(lead) and _REST.fullmatch(sentence[end:]))
        why = f"The paper has {there} {what if there != 1 else what.removesuffix('s')}."
        yield Part("count", ref, start, end, "supported" if right else "contradicted", why, place, alone=whole)


def _fits(said: int, there: int, about: str) -> bool:
    test = _TESTS.get(about)
    return test(there, said) if test else abs(there - said) <= max(1, 0.1 * said)


_TESTS = {
    "": operator.eq, "only": operator.eq, "over": operator.gt, "more than": operator.gt, "at least": operator.ge,
    "fewer than": operator.lt, "less than": operator.lt,
}  # fmt: skip


def _captioned(kind: str) -> Callable[[Places], tuple[int, Place | None] | None]:
    def count(places: Places) -> tuple[int, Place | None] | None:
        own = [p for p in places.captioned if p.kind == kind and p.number.isdigit()]
        others = [p for p in places.captioned if p.kind == kind and not p.number.isdigit()]
        numbers = {int(p.number) for p in own}
        # Missed captions leave gaps in the numbering; those of a supplement may or may not be counted.
        sure = numbers == set(range(1, len(numbers) + 1)) and not others
        named = [
            int(number) for (what, number, _) in places.mentions if what == kind and number.isdigit() and number != "0"
        ]
        return (len(numbers), own[-1] if own else None) if sure and max(named, default=0) <= len(numbers) else None

    return count


def _sections(places: Places) -> tuple[int, Place | None] | None:
    top = [p for p in places.sections if p.kind == "section" and re.fullmatch(r"\d{1,2}|[IVX]{1,5}", p.number)]
    return (len(top), top[-1]) if top and len({p.number for p in top}) == len(top) else None


def _references(places: Places) -> tuple[int, Place | None] | None:
    """Counts the entries of a numbered list only: in others, an entry may not be exactly one paragraph."""
    entries = [p for p in places.document.paragraphs if p.kind == "reference"]
    numbers = [int(m[1]) for p in entries if (m := _ENTRY.match(p.text))]
    sure = len(numbers) >= 3 and numbers == list(range(1, len(numbers) + 1)) and len(entries) <= len(numbers) + 1
    return (len(numbers), None) if sure else None


def _authors(places: Places) -> tuple[int, Place | None] | None:
    names = pdf_paper(places.document).authors
    return (len(names), None) if names else None


def _pages(places: Places) -> tuple[int, Place | None] | None:
    return (len(places.document.pages), None) if places.document.pages else None


_COUNTED: dict[str, Callable[[Places], tuple[int, Place | None] | None]] = {
    "figures": _captioned("figure"), "tables": _captioned("table"), "sections": _sections, "references": _references,
    "citations": _references, "cited works": _references, "bibliography entries": _references, "authors": _authors,
    "pages": _pages,
}  # fmt: skip
_ENTRY = re.compile(r"\W{0,2}(\d{1,3})\W")

# --- names and cited works -------------------------------------------------------------------------------------------

_DOES = re.compile(
    r"\b(?:authors?|paper|manuscript|they|methods?|models?|approach|systems?|network|architecture|experiments?|evaluation|study|work|it"
    r"|abstract|introduction|section|table|figure|algorithm|results?)\b(?:\s+\S+){0,4}?\s+(?P<verb>uses?|used|employs?|evaluates?"
    r"|evaluated|trains?|trained|tests?|tested|compares?|compared|cites?|cited|reports?|reported|introduces?|proposes?"
    r"|presents?|calls?|builds? on|relies|rely|relied|adopts?|adopted|applies|applied|extends?|fine-tunes?|runs?|ran"
    r"|includes?|contains?|covers?|recruit(?:s|ed)?|discusses|describes?|mentions?|considers?)\b",
    re.IGNORECASE,
)
_IS = re.compile(
    r"\W*(?:(?:the|all|both)\s+)?(?P<subject>[A-Za-z][a-z]+(?:\s[a-z]+){0,2}?)\s+(?:is|are|was|were|uses?|used|relies|comes?)\b",
    re.I,
)
"""States what something in the paper is or uses; then only names with a distinctive form count."""
_COMMON = re.compile(
    r"\b(?:standard|usual\w*|common\w*|popular|known|widely|better|stronger|recent|prior|previous|other|missing|existing|similar"
    r"|than|such as|like|e\.g|instead|already|more|less|state[- ]of[- ]the[- ]art)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|no|without|should|could|would|might|may|fails?|lacks?|ignores?|omits?)\b|n['’]t", re.I
)
_NAME = re.compile(
    r"(?<![\w-])(?=[^\s]*[A-Z])(?:[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}[A-Za-z]*(?:-?\d+\w*)?|[a-z]+[A-Z]\w+"
    r"|[A-Z][a-z]{3,}(?:-?\d+\w*)?)"
    r"(?:-[A-Z0-9]\w*)*(?![\w])"
)
_ELSE = re.compile(r"[,;:]\s+(?:but|while|whereas|unlike|which|as)\b|\b(?:but|whereas|unlike)\b")
_WORK = re.compile(
    r"(?P<name>[A-Z][\w'’-]+)(?:\s+et\s+al\.?|\s+(?:and|&)\s+[A-Z][\w'’-]+)?,?\s*[(\[]?(?P<year>(?:19|20)\d\d)[a-z]?[)\]]?"
)
_CITES = re.compile(
    r"\b(?:cit(?:es?|ed|ing|ations?)|referenc(?:es?|ed|ing)|compar\w+|builds? on|follow(?:s|ing)?|discuss\w*|refers? to"
    r"|mention\w*|attributed to|taken from|overlook\w*)\b",
    re.I,
)


_CITED = re.compile(r"\W*(?:is|are|was|were) (?:\w+ )?(?:cited|discussed|mentioned|referenced)\b")


def names(sentence: str, places: Places) -> Iterator[Part]:
    """Yields the names that a sentence says the paper uses, tests or cites, if they are nowhere in the paper."""
    does = _DOES.search(sentence)
    exact = does is None
    if exact and (does := _IS.match(sentence)) is not None:
        own = {t.stem for t in terms(does["subject"])}
        held = (
            (t.stem for p in places.document.paragraphs for t in terms(p.text)) if not _COMMON.search(sentence) else ()
        )
        does = does if own and own <= set(held) else None
    if does is None or _NOT.search(sentence[: does.end() + 1]):
        return
    works = [m.span() for m in _WORK.finditer(sentence)]
    rest = _ELSE.split(sentence[does.end() :])[0]
    for match in _NAME.finditer(rest):
        start, end = does.end() + match.start(), does.end() + match.end()
        if (
            (exact and not re.search(r".[A-Z\d]", match[0]))
            or match[0] in word_set("unnamed")
            or any(a <= start < b for a, b in works)
            or _NOT.search(rest[: match.start()])
        ):
            continue
        if re.search(r"[“\"«‘]\s*[^”\"»’]*$", sentence[:start]):
            continue  # within a quotation
        place = places.find_quote(match[0])
        if place is None:
            why = f"“{match[0]}” isn't in the paper."
            yield Part("name", match[0], start, end, "not found", why)
        else:
            yield Part("name", match[0], start, end, "place found", f"“{match[0]}” is on page {place.page}.", place)


def works(sentence: str, places: Places, *, missing: bool) -> Iterator[Part]:
    """Yields works by author and year that a sentence says the paper cites, or (``missing``) doesn't cite."""
    entries = [p for p in places.document.paragraphs if p.kind == "reference"]
    cites = _CITES.search(sentence)
    if not entries or cites is None:
        return
    for match in _WORK.finditer(sentence.replace("’", "'")):
        passive = _CITED.match(sentence, match.end())
        if (match.start() < cites.start() and not passive) or (not missing and _NOT.search(sentence[: match.start()])):
            continue
        start, end = match.span()
        ref = " ".join(match[0].split())
        entry = next(
            (
                p
                for p in entries
                if match["year"] in p.text and re.search(rf"\b{re.escape(match['name'])}\b", p.text.replace("’", "'"))
            ),
            None,
        )
        if entry is not None:
            place = Place("quote", "", entry.text[:80], entry.page, entry.boxes, entry.id, 0, len(entry.text))
            why = f"The reference list has it on page {entry.page}."
            yield Part("work", ref, start, end, "contradicted" if missing else "place found", why, place)
        else:
            why = f"None of the {len(entries)} entries of the reference list has {match['name']} and {match['year']}."
            yield Part("work", ref, start, end, "supported" if missing else "not found", why)
