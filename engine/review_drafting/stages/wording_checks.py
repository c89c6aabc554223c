"""Checks of how a paper words its claims: acronyms that nothing spells out, claims that replace their evidence, and key
claims that are where nobody looks for them.

Two of them answer attacks of ReviewGrounder's robustness study (disguised claims, scattered key claims). Its third
attack, pseudo-terms, has no check: a rule for it found proper names. Nothing here says that somebody meant to deceive:
each finding is a question with its places. See ``pointers.py``.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache

from engine.review_drafting.anchoring import content_stems, stop_words
from engine.review_drafting.reading import in_quotes, quote, stretch, where
from engine.review_drafting.records import Check, PaperReading, Sentence
from engine.review_drafting.stages.pointers import finding, listed
from engine.reviews.labels.heads import shipped

MOST_CLAIMS = 2
_OFTEN = 3
"""A term that is used less often carries nothing."""

_CITED = re.compile(r"\[\d+(?:[,;–-]\s*\d+)*\]|\((?:[^()]{0,80}\b)?(?:19|20)\d\d[a-z]?\)|\bet al\b")


# --- acronyms ---------------------------------------------------------------------------------------------------------
# Names that can be spoken are mostly just names.
_ACRONYM = re.compile(r"(?<![\w&/.@#-])(?P<name>[A-Z]{3,6})(?P<many>s?)(?![\w&/@-]|\.\w)")
_ARTICLE = re.compile(r"\b(?:an?|the|each|every|all|any|these|those|our|two|several)\s$", re.IGNORECASE)
_SPELLED_NEAR = 60
MOST_ACRONYMS = 3


def undefined_acronyms(paper: PaperReading) -> Iterator[Check]:
    """Acronyms that the paper uses again and again without spelling them out, as one question.

    Not names (used without an article and never of several), those that reviews use, that stand for nothing here (a
    name with a source, in the references, in code), that are in the title, or whose letters begin words in a row
    somewhere in the paper.
    """
    whole = " ".join(p.text for p in paper.places.document.paragraphs if p.kind != "reference")
    listed_names = " ".join(paper.references)
    used: defaultdict[str, list[tuple[Sentence, int, int]]] = defaultdict(list)
    nouns: Counter[str] = Counter()
    for sentence in paper.sentences:
        if not sentence.text.isupper():
            for match in _ACRONYM.finditer(sentence.text):
                used[match["name"]].append((sentence, match.start(), match.end()))
                nouns[match["name"]] += bool(match["many"] or _ARTICLE.search(sentence.text[: match.start()]))
    found = [
        (name, places)
        for name, places in used.items()
        if len(places) >= _OFTEN + 2
        and nouns[name] >= 2
        and len({sentence.paragraph_id for sentence, _, _ in places}) >= 2
        and 3 * len(re.findall("[AEIOUY]", name)) <= len(name)
        and not _well_known(name)
        and name not in paper.title
        and not re.search(rf"\b{name}", listed_names)
        and not _spelled_out(name, whole)
    ]
    found.sort(key=lambda one: -len(one[1]))
    shown = found[:MOST_ACRONYMS]
    # Where many stand alone, it is the habit of a field, or of the text that was read.
    if shown and len(found) <= _HABIT:
        anchors = [stretch(*places[0]) for _, places in shown]
        named = listed([f"“{a.quote}” {where(a)}" for a in anchors])
        words = f"{named} {'are' if len(shown) > 1 else 'is'} used throughout but never spelled out."
        yield finding("acronym", words, "Say what they stand for where they first appear.", *anchors)


_HABIT = 4


@cache
def _known_words() -> frozenset[int]:
    words = shipped().words
    return frozenset(int(key) for key in words.hashes)


def _well_known(name: str) -> bool:
    """Whether reviewers use it: it is among the words of the review sentences that the shipped heads learnt from."""
    return zlib.crc32(name.casefold().encode()) in _known_words() or name.casefold() in stop_words("acronyms")


def _spelled_out(name: str, text: str) -> bool:
    """Whether the text says somewhere what the letters stand for, cites a source right behind it, or defines it."""
    if re.search(
        rf"\(\s*(?:the |a |or |i\.e\.,? |hereafter |henceforth )?[“\"‘']?{name}s?\b|\b{name}s?[”\"’']?\s*[(\[]", text
    ):
        return True
    says = (
        rf"\b{name}s?\b,? (?:stands|standing|denot\w+|means|refers|is (?:a|an|the|short)|short for|for short|which)\b",
        r"(?:call(?:s|ed)?(?: it| this| them)?|named|termed|dubbed|known as|abbreviated(?: as| to)?|denoted(?: by| as)?"
        rf"|i\.e\.,?|or) {name}\b",
        rf"\b{name}\s*[:=–—]|\b{name} (?:by |of )?[A-Z][\w-]+ (?:et al|and [A-Z]|\()",
    )
    if any(re.search(pattern, text) for pattern in says):
        return True
    letters = r"[^\s]*[\s/–-]+(?:(?:of|and|the|for|in|to|with|on|a|an|by)[\s-]+)?".join(re.escape(c) for c in name)
    if re.search(rf"\b{letters}\w+", text, re.IGNORECASE):
        return True
    # Letters of one or two long words: "deoxyribonucleic acid".
    spread = r"\w*[\s-]?\w*?".join(re.escape(c) for c in name)
    return any(
        re.search(rf"\b{spread}", text[max(0, m.start() - _SPELLED_NEAR) : m.start()], re.IGNORECASE)
        for m in list(re.finditer(rf"\b{name}", text))[:1]
    )


# --- claims that stand in for their evidence --------------------------------------------------------------------------
_GRANTED = re.compile(
    r"\b(?:it is|as is)\s+(?:\w+ly )?(?:(?:well|widely|generally|commonly|universally|long)[- ])?(?:known|accepted"
    r"|established|acknowledged|recogni[sz]ed|understood|agreed|undisputed|beyond (?:doubt|dispute))(?: that\b|,)"
    r"|\b(?:undoubtedly|unquestionably|undeniably|needless to say|without (?:any )?doubt|as everyone knows"
    r"|obviously)\b",
    re.IGNORECASE,
)
_OF_OWN = re.compile(
    r"\b(?:our|the proposed|the present|this|the new) (?:\w+[ -]){0,2}(?:method|approach|model|algorithm|framework"
    r"|system|architecture|reader|parser|technique|work|theory|procedure)s?\b|\bwe\b",
    re.IGNORECASE,
)
_BETTER = re.compile(
    r"\b(?:outperform\w*|surpass\w*|superior to|exceed\w*|beat\w*|dominat\w+|better than|improves? (?:up)?on)\b"
    r"[^.]{0,40}\b(?:all|every|any|existing|previous|prior|other|competing|known|current|state[- ]of[- ]the[- ]art)\b"
    r"|\b(?:unmatched|unrivall?ed|unprecedented|unparalleled|unsurpassed|revolutionary|groundbreaking)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:may|might|could|should|would|whether|if|not|hypothes\w+|expect\w*|aim\w*|hope\w*|unless|future|"
    r"can(?:not)?|potential\w*|promis\w+|chances?|opportunit\w+)\b|\?",
    re.IGNORECASE,
)
_EVIDENCE = re.compile(r"\d|\b(?:Tables?|Fig(?:ure|s|\.)|Section|Appendix|Theorem|Lemma|Equation|Eq\.)", re.IGNORECASE)


def bare_claims(paper: PaperReading) -> Iterator[Check]:
    """Claims about the paper's own work put as common knowledge or as plain superiority, with no number, place or
    source in the paragraph, nor in the one that it continues."""
    found: list[tuple[Sentence, str]] = []
    paragraphs: defaultdict[str, list[Sentence]] = defaultdict(list)
    for sentence in paper.sentences:
        paragraphs[sentence.paragraph_id].append(sentence)
    shown: dict[str, bool] = {}
    before = False
    for key, read in paragraphs.items():
        shown[key] = any(_EVIDENCE.search(s.text) or _CITED.search(s.text) for s in read)
        if not read[0].caption:
            # What follows a sentence without its end goes on behind a column, a page or a figure.
            shown[key] |= before
            before = shown[key] and not read[-1].text.rstrip().endswith((".", "!", "?", ":"))
    for sentence in paper.sentences:
        text = sentence.text
        if _HEDGED.search(text) or shown[sentence.paragraph_id] or sentence.part == "related":
            continue
        if _GRANTED.search(text) and (_OF_OWN.search(text) or _BETTER.search(text)):
            found.append((sentence, "is presented as common knowledge"))
        elif (
            sentence.part not in ("abstract", "introduction", "conclusion")
            and _BETTER.search(text)
            and _OF_OWN.search(text)
        ):
            found.append((sentence, "claims to be better than others"))
    for sentence, words in found[:MOST_CLAIMS]:
        anchor = quote(sentence)
        said = f"{in_quotes(sentence.text)} {where(anchor)}"
        claim = f"{said} {words}; no number, table, figure or source is in its paragraph."
        yield finding("bare-claim", claim, "Say which result or source shows this, or weaken the statement.", anchor)


# --- key claims where nobody looks for them ---------------------------------------------------------------------------
_KEY_CLAIM = re.compile(
    r"\b(?:our|the|a|another) (?:key|main|central|core|principal|most important) (?:\w+ )?(?:claim|contribution|finding"
    r"|insight|advance|innovation|novelty)s?\b"
    r"|\bfor the first time\b|\b(?:is|are|we are|was) the first (?:to|that|\w+ (?:to|that))\b"
    r"|\bwe (?:claim|prove) that\b|\bbreakthrough\b|\bto (?:the best of )?our knowledge\b",
    re.IGNORECASE,
)
_SPEAKS_OF_ITSELF = re.compile(r"\b(?:we|our|this (?:paper|work|study|article))\b", re.IGNORECASE)
_FRONT = frozenset(("abstract", "introduction", "conclusion", "discussion"))
_SPOKEN_OF = 0.5
"""A paragraph of the front that holds this share of a claim's words speaks of it."""


def scattered_claims(paper: PaperReading) -> tuple[Sentence, ...]:
    """Sentences that announce a key claim outside of abstract, introduction, discussion and conclusion, none of which
    speaks of it; in the order of the paper."""
    paragraphs: defaultdict[str, list[str]] = defaultdict(list)
    for sentence in paper.sentences:
        if sentence.part in _FRONT:
            paragraphs[sentence.paragraph_id].append(sentence.text)
    front = [content_stems(" ".join(texts)) for texts in paragraphs.values()]
    if not front:
        return ()
    found = []
    for sentence in paper.sentences:
        text = sentence.text
        words = content_stems(_KEY_CLAIM.sub(" ", text))  # that it is the central claim is said only here
        claimed = _KEY_CLAIM.search(text) and _SPEAKS_OF_ITSELF.search(text)
        elsewhere = sentence.part not in (*_FRONT, "related", "back", "limitations")
        if not (elsewhere and claimed and words) or _CITED.search(text) or _HEDGED.search(text):
            continue
        if max(len(words & said) for said in front) / len(words) < _SPOKEN_OF:
            found.append(sentence)
    return tuple(found)
