"""Checks of the wording of a paper's claims: claims without evidence, and key claims in unexpected places.

They address attacks of ReviewGrounder's robustness study (disguised claims, scattered key claims). Its third attack,
pseudo-terms, has no check, since a rule for it found proper names. Nothing here implies intent to deceive: each finding
is a question with its places. See ``pointers.py``.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from engine.review_drafting.anchoring import content_stems
from engine.review_drafting.reading import in_quotes, quote, where
from engine.review_drafting.records import Check, PaperReading, Sentence
from engine.review_drafting.stages.pointers import finding

MOST_CLAIMS = 2
_CITED = re.compile(r"\[\d+(?:[,;–-]\s*\d+)*\]|\((?:[^()]{0,80}\b)?(?:19|20)\d\d[a-z]?\)|\bet al\b")


# --- claims without evidence ------------------------------------------------------------------------------------------
_GRANTED = re.compile(
    r"\b(?:it is|as is)\s+(?:\w+ly )?(?:(?:well|widely|generally|commonly|universally|long)[- ])?(?:known|accepted"
    r"|established|acknowledged|recogni[sz]ed|understood|agreed|undisputed|beyond (?:doubt|dispute))(?: that\b|,)"
    r"|\b(?:undoubtedly|unquestionably|undeniably|needless to say|without (?:any )?doubt|as everyone knows)\b",
    re.IGNORECASE,
)
_CLEARLY = re.compile(
    r"\b(?:clearly|obviously|evidently|certainly|of course|by (?:far|a (?:large|wide) margin))\b", re.IGNORECASE
)
_OF_OWN = re.compile(
    r"\b(?:our|the proposed|the present|this|the new) (?:\w+[ -]){0,2}(?:method|approach|model|algorithm|framework"
    r"|system|architecture|reader|parser|technique|work|theory|procedure)s?\b",
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
_PLACE = re.compile(r"\b(?:Tables?|Fig(?:ure|s|\.)|Section|Appendix|Theorem|Lemma|Equation|Eq\.)", re.IGNORECASE)
_EVIDENCE = re.compile(rf"\d|{_PLACE.pattern}", re.IGNORECASE)


def bare_claims(paper: PaperReading) -> Iterator[Check]:
    """Yields claims about the paper's own work stated as common knowledge, without number, reference or source in the
    sentence or the next; what is "clearly" better may be seen in a table or figure named before in its paragraph."""
    found: list[Sentence] = []
    for n, sentence in enumerate(paper.sentences):
        text = sentence.text
        after = "".join(s.text for s in paper.sentences[n + 1 : n + 2] if s.paragraph_id == sentence.paragraph_id)
        shown = _CITED.search(text) or _EVIDENCE.search(text) or _EVIDENCE.search(_CITED.sub("", after))
        if _HEDGED.search(text) or shown or sentence.part == "related":
            continue
        own, better = _OF_OWN.search(text), _BETTER.search(text)
        if (_GRANTED.search(text) and (own or better or re.search(r"\b[Ww]e\b", text))) or (
            better
            and _CLEARLY.search(text)
            and not re.search(r"\bno(?:ne)?\b", text)
            and not _PLACE.search(_before(paper.sentences, n))
        ):
            found.append(sentence)
    for sentence in found[:MOST_CLAIMS]:
        anchor = quote(sentence)
        said = f"{in_quotes(sentence.text)} {where(anchor)} is presented as common knowledge"
        claim = f"{said}, without a number, table, figure or source."
        yield finding("bare-claim", claim, "Say which result or source shows this, or weaken the statement.", anchor)


def _before(sentences: Sequence[Sentence], n: int) -> str:
    """Returns what precedes a sentence in its paragraph, which may have begun on the page before."""
    start = n
    while start > 0 and (
        sentences[start].paragraph_id == sentences[start - 1].paragraph_id or sentences[start].text[0].islower()
    ):
        start -= 1
    return " ".join(s.text for s in sentences[start:n])


# --- key claims in unexpected places ----------------------------------------------------------------------------------
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
"""A paragraph of the front mentions a claim if it contains this share of its words."""


def scattered_claims(paper: PaperReading) -> tuple[Sentence, ...]:
    """Returns sentences that announce a key claim outside of abstract, introduction, discussion and conclusion, none of
    which mentions it; in the order of the paper."""
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
        words = content_stems(_KEY_CLAIM.sub(" ", text))  # the announcement itself doesn't count
        claimed = _KEY_CLAIM.search(text) and _SPEAKS_OF_ITSELF.search(text)
        elsewhere = sentence.part not in (*_FRONT, "related", "back", "limitations")
        if not (elsewhere and claimed and words) or _CITED.search(text) or _HEDGED.search(text):
            continue
        if max(len(words & said) for said in front) / len(words) < _SPOKEN_OF:
            found.append(sentence)
    return tuple(found)
