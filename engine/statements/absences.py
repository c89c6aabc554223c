"""Recognises what a sentence says a paper lacks, and searches the paper for it. Nothing is called missing because a
single word wasn't found: topics that reviewers often miss are searched for in all the words that papers use for them
(``resources/absences.toml``), and the reason names these; anything else stays undecided."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from engine.documents.places import Place, Places
from engine.documents.records import Paragraph
from engine.papers.retrieval import hybrid
from engine.resource_files import resource_table
from engine.reviews.sentences import split_sentences
from engine.shown import counted
from engine.statements.verdicts import UNRELIABLE, Verdict
from engine.statements.words import terms

NEAREST = 3
"""Number of passages shown for what is said to be missing."""
HOLDS = 0.75
"""The share of the missing thing's words from which a passage is worth a warning."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph of the paper that is close to a query, with [start, end) its closest sentence; ``share`` is the share
    of the query's words that it contains, 0 to 1."""

    paragraph_id: str
    start: int
    end: int
    text: str
    page: int
    share: float


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of a search: ``why`` says how it was done, ``place`` is where something was found."""

    verdict: Verdict
    why: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class _Topic:
    asked: re.Pattern[str]
    sure: re.Pattern[str]
    near: re.Pattern[str]
    only: re.Pattern[str]
    words: tuple[str, ...]
    valued: bool
    """Only a sentence with a number says what it is."""


# --- recognising what is called missing ------------------------------------------------------------------------------

_VERBS = (
    r"report|mention|discuss|cite|compare(?: (?:to|with|against))?|include|provide|describe|define|explain|evaluate"
    r"|state|give|show|address|analy[sz]e|consider|present|specify|quantify|test|justify|acknowledge|release|list|conduct"
    r"|perform|contain|publish|share|offer"
)
_ABSENT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:do|does|did|has|have|had|is|are|was|were)(?: not|n['’]t|\s+never)\s+(?:\w+ly )?(?:{_VERBS})(?:ed|d)?\s+"
        r"(?P<what>.+)",
        rf"\b(?:never|fails? to|failed to|neglects? to|omits? to|without)\s+(?:{_VERBS}|(?:{_VERBS})(?:s|ing))\s+"
        r"(?P<what>.+)",
        r"\bthere (?:is|are|was|were) (?:no|not any|neither)\s+(?P<what>.+)",
        r"\bno (?P<what>(?:[\w-]+ ){1,7}?)(?:is|are|was|were) (?:reported|given|provided|mentioned|shown|included"
        r"|discussed|presented|described|released|available)\b",
        r"\b(?:lacks?|lacking|omits?|omitted|no mention of|missing(?: is| are)?)\s+(?P<what>.+)",
        r"\b(?:has|have|contains?|includes?|provides?|gives?|reports?|offers?)\s+no\s+(?P<what>.+)",
        rf"^(?P<what>.+?)\s+(?:is|are|was|were|has been|have been)\s+(?:(?:not|never)\s+(?:\w+ly |made )?(?:{_VERBS}"
        r"|given|shown|available|public|open)(?:d|ed)?|missing|absent|omitted|lacking|unavailable)\b",
        r"^no (?P<what>[^,;:]+)$",
        r"\boverlooks? (?P<what>[A-Z].+)",
    )
)


def absence(sentence: str) -> str | None:
    """Returns what a sentence says the paper lacks ("does not report X" gives X), or None."""
    if "?" in sentence:
        return None
    for pattern in _ABSENT:
        match = pattern.search(sentence)
        if match is not None:
            what = match["what"]
            if match.end("what") < match.end():  # its verb is in the last clause
                what = re.split(r"[;:.!]\s|, (?:so|and|but|although|because)\b", what)[-1]
            what = re.split(r"[;:.!]\s|[.!]$|, (?:which|so|and|but|making|although|because)\b", what)[0]
            if re.search(r"[^\W\d_]{3,}", what):
                return what.strip(" ,.")
    return None


# --- searching -------------------------------------------------------------------------------------------------------


@cache
def _topics() -> tuple[_Topic, ...]:
    return tuple(
        _Topic(
            _any(topic["asked"]),
            _any(topic["sure"]),
            _any(topic["near"]),
            _any(topic.get("only", [])),
            (*topic["sure"], *topic["near"]),
            topic.get("valued", False),
        )
        for topic in resource_table("absences.toml").values()
    )


def _any(words: Iterable[str]) -> re.Pattern[str]:
    def one(word: str) -> str:
        plain = re.escape(word).replace(r"\*", r"\w*").replace(r"\ ", r"\s+").replace(r"\-", r"[-\s]?")
        before, after = r"(?<!\w)" if word[0].isalnum() else "", r"(?!\w)" if word[-1].isalnum() else ""
        return f"{before}{plain}{after}"

    return re.compile("|".join(one(word) for word in words), re.IGNORECASE)


_LACK = re.compile(r"\b(?:no|not|without|never|cannot|lack\w*|absence|n['’]t|future work|beyond)\b", re.IGNORECASE)


def search(
    sentence: str, missing: str, places: Places, nearest: tuple[Passage, ...], held: Sequence[Paragraph] = ()
) -> Searched:
    """Searches a paper for what a sentence calls ``missing``; ``held`` are the paragraphs of the place that it names,
    empty for the whole paper. The paper must lack everything called missing, otherwise what exists is returned."""
    if not held or _EVERYWHERE.search(sentence):
        held = [p for p in places.document.paragraphs if p.kind not in ("reference", "table", "equation")]
    all_missing = sentence[sentence.find(missing) :] if _AND_NO.search(sentence) else missing
    topics = [t for t in _topics() if t.asked.search(all_missing) and t.only.search(sentence)]
    if held and not topics:
        return _by_words(missing, nearest, len(held))
    deeper = bool(_DEEPER.search(sentence.replace(missing, " ")))
    found = [_of_topic(topic, missing, places, held, deeper=deeper) for topic in topics]
    there = sorted((one for one in found if one is not None), key=lambda one: one.verdict)
    words = ", ".join(map(_quoted, topics))
    if there:
        return there[0]
    if places.document.doubtful or not held:
        return Searched("not checked", UNRELIABLE)
    return Searched("supported", f"Searched {counted(len(held), 'paragraph')} for {words}: none has any of them.")


_DEEPER = re.compile(
    r"\b(?:explain|justif|motivat|defin|describ|specif|quantif|analy[sz]|elaborat|clarif)\w*", re.IGNORECASE
)
"""What a paper can lack although it has the word."""
_AND_NO = re.compile(r"\b(?:and|or) no\b|\bnor\b", re.IGNORECASE)
_EVERYWHERE = re.compile(r"\b(?:anywhere|nowhere|in the text)\b", re.IGNORECASE)
"""Words that extend the absence beyond the place that the sentence names."""


def _quoted(topic: _Topic) -> str:
    return ", ".join(f"“{word.rstrip('*')}”" for word in topic.words)


def _of_topic(
    topic: _Topic, missing: str, places: Places, held: Sequence[Paragraph], *, deeper: bool
) -> Searched | None:
    """Returns what the paragraphs contain of a topic, or None. ``deeper``: more than the word is called missing."""
    sure = [(p, m) for p in held for m in topic.sure.finditer(p.text)]
    sure.sort(key=lambda one: one[1][0].casefold() not in missing.casefold())
    near = [(p, m) for p in held for m in topic.near.finditer(p.text)]
    said = [(p, m) for p, m in sure if not _denied(p, m)]
    # Words beyond the topic ("ablation of the encoder") must occur next to it.
    more = [t.stem for t in terms(topic.asked.sub(" ", missing))]
    for paragraph, match in said if not deeper else ():
        holds = _sentence(paragraph, match.start())
        stems = {t.stem for t in terms(holds)}
        if all(stem in stems for stem in more) and not (topic.valued and not re.search(r"\d", holds)):
            place = places.stretch(paragraph, match.start(), match.end())
            return Searched("contradicted", f"The paper has “{match[0]}” on page {place.page}.", place)
    if sure:
        # A “not” next to the word may not negate it: limitations of a method are worded with one.
        paragraph, match = (said or sure)[0]
        place = places.stretch(paragraph, match.start(), match.end())
        return Searched("place found", f"The paper mentions “{match[0]}” on page {place.page}. Read it first.", place)
    if near:
        paragraph, match = near[0]
        place = places.stretch(paragraph, match.start(), match.end())
        why = f"The paper has “{match[0]}” on page {place.page}, which may be what is meant."
        return Searched("place found", f"{why} Searched for {_quoted(topic)}.", place)
    return None


def _by_words(missing: str, nearest: tuple[Passage, ...], count: int) -> Searched:
    if nearest and nearest[0].share >= HOLDS:
        return Searched("place found", f"The paper may contain what this calls missing: see page {nearest[0].page}.")
    near = " The nearest passages are shown." if nearest else ""
    return Searched(
        "not checked",
        f"Searched {counted(count, 'paragraph')} for the words of “{missing}”: no passage has most of them, which "
        f"doesn't show that it is missing.{near}",
    )


def _sentence(paragraph: Paragraph, at: int) -> str:
    spans = split_sentences(paragraph.text)
    span = next((s for s in spans if s.start <= at < s.end), None)
    return paragraph.text[span.start : span.end] if span is not None else paragraph.text


def _denied(paragraph: Paragraph, match: re.Match[str]) -> bool:
    return bool(_LACK.search(_sentence(paragraph, match.start()).replace(match[0], " ")))


# --- the closest passages --------------------------------------------------------------------------------------------


def nearest_passages(query: str, places: Places) -> tuple[Passage, ...]:
    """Returns the passages of the paper closest to a query by BM25 that have a word of it, those with most first."""
    held = [p for p in places.document.paragraphs if p.kind in ("body", "caption", "footnote") and len(p.text) > 20]
    if not held:
        return ()
    scores = hybrid([query], [p.text for p in held], None)
    order = sorted(range(len(held)), key=lambda n: -float(scores[n]))[:NEAREST]
    near = (passage_of(query, held[n]) for n in order if scores[n] > 0)
    return tuple(sorted((passage for passage in near if passage.share), key=lambda p: -p.share))


def passage_of(query: str, paragraph: Paragraph) -> Passage:
    """Returns the sentence of a paragraph that has most words of a query, with the share of these words."""
    wanted = {t.stem for t in terms(query)}
    best, share = None, -1.0
    for span in split_sentences(paragraph.text):
        there = {t.stem for t in terms(paragraph.text[span.start : span.end])}
        held = len(wanted & there) / len(wanted) if wanted else 0.0
        if held > share:
            best, share = span, held
    start, end = (best.start, best.end) if best is not None else (0, len(paragraph.text))
    page = next((w.box.page for w in paragraph.words if w.end > start), paragraph.page)
    return Passage(paragraph.id, start, end, paragraph.text[start:end], page, max(0.0, round(share, 3)))
