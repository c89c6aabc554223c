"""What a reply says of the revised paper: “we added Table 4”, “Section 3.2 now says …”, found so as to be checked.

Rules over words, not a model: a place ("Table 4", "Section 3.2", "line 120", a quotation) is a claim where its sentence
says that something was done, or is there. A place of the submitted version, or in a quoted comment, is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine.rebuttal.points import spans_of
from engine.reviews.records import Span

ClaimKind = Literal[
    "section", "appendix", "table", "figure", "equation", "algorithm", "page", "line", "quote"
]  # fmt: skip
Verdict = Literal["verified", "unsupported", "unknown", "confirmed"]

_KINDS: dict[str, ClaimKind] = {
    "section": "section", "sections": "section", "sec": "section", "sect": "section", "secs": "section",
    "subsection": "section", "§": "section", "§§": "section",
    "appendix": "appendix", "appendices": "appendix", "app": "appendix", "supplement": "appendix",
    "table": "table", "tables": "table", "tab": "table", "tabs": "table",
    "figure": "figure", "figures": "figure", "fig": "figure", "figs": "figure",
    "equation": "equation", "equations": "equation", "eq": "equation", "eqs": "equation", "eqn": "equation",
    "algorithm": "algorithm", "algorithms": "algorithm", "alg": "algorithm",
    "page": "page", "pages": "page", "p": "page", "pp": "page",
    "line": "line", "lines": "line", "l": "line", "ll": "line",
}  # fmt: skip
_NUMBER = r"\(?(?-i:[A-Z]{1,2}(?:\.\d+)*|[A-Z]?\d+(?:\.\d+)*[a-z]?|[IVXL]+)\)?"
_PLACE = re.compile(
    r"(?<![\w-])(§{1,2}|(?:sub)?sections?|sects?\.|secs?\.|appendi(?:x|ces)|app\.|tables?|tabs?\.|figures?|figs?\.|"
    r"equations?|eqs?\.|eqn\.|algorithms?|alg\.|pages?|pp?\.|lines?|ll?\.)[\s~]*"
    rf"({_NUMBER})((?:\s*(?:,|and|&|to|or|[-–—])\s*{_NUMBER})*)(?![\w])",
    re.IGNORECASE,
)
_MORE = re.compile(_NUMBER)
_QUOTED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTE = re.compile(r"[“\"«]([^“”\"«»\n]{12,400})[”\"»]")
_DONE = re.compile(
    r"\b(?:(?P<added>added|included|inserted|introduced|new|additional)|"
    r"(?P<changed>now|revised|rewrote|rewritten|re-?phrased|extended|expanded|updated|corrected|fixed|clarified|changed|"
    r"replaced|reorgani[sz]ed|moved|removed|deleted|split|merged)|"
    r"adds|includes?|clarifies|reports?|reported|shows?|shown|states?|stated|says?|said|explains?|explained|describes?|"
    r"described|discuss(?:es|ed)?|contains?|gives?|given|lists?|listed|defines?|defined|reads?|see|found|appears?|"
    r"compar(?:es|ed))\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"[\s,)]*(?:\([^)]*\)\s*)?(?:(?:is|are|has|have|was|were|been|also|which|and)\s+){0,3}", re.IGNORECASE
)
"""What may stand between a place and a verb of its own ("Table 4 is new")."""
_BEFORE = re.compile(
    r"\b(?:submitted|original|previous|earlier|first|old) (?:version|submission|manuscript|draft)\b|\bpreviously\b|"
    r"\bused to\b",
    re.IGNORECASE,
)
_WILL = re.compile(r"\b(?:will|shall|plan to|intend to|are going to)\b", re.IGNORECASE)
_ROMAN_OR_LETTER = re.compile(r"[A-Z]{1,2}(?:\.\d+)*|[IVXL]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A place that a reply speaks of. ``text`` is how it stands there ("Table 4", the words of a quotation), ``ref``
    its number or the quoted words. ``added``: the sentence says that it is new; ``changed``: that it was worked on.
    """

    kind: ClaimKind
    ref: str
    text: str
    span: Span
    added: bool = False
    changed: bool = False

    @property
    def key(self) -> str:
        """What confirmations name it by."""
        return f"{self.kind} {self.ref}" if self.kind != "quote" else f"“{self.ref}”"


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim and what the revised paper says to it. ``page`` from 1 where it stands, 0 where nowhere; ``why`` for
    people; ``place`` is the id of a paragraph there, "" where none is known.
    """

    claim: Claim
    verdict: Verdict
    why: str
    page: int = 0
    place: str = ""


def find_claims(text: str) -> tuple[Claim, ...]:
    """The claims of a reply in order; spans in code points. Lines of quoted comments (“> …”) are left out, and so are
    sentences that promise, and that speak of the submitted version.
    """
    found: list[Claim] = []
    quoted = [Span(*match.span()) for match in _QUOTED.finditer(text)]
    for sentence in spans_of(text):
        words = text[sentence.start : sentence.end]
        if any(span.start <= sentence.start < span.end for span in quoted):
            continue
        if _BEFORE.search(words) or not _DONE.search(words):
            continue
        if _WILL.search(words) and not re.search(r"\b(?:added|now|have)\b", words, re.IGNORECASE):
            continue
        places = list(_places(words, sentence.start))
        for match in _QUOTE.finditer(words):
            start, end = match.span(1)
            places.append(("quote", match[1].strip(" ."), Span(sentence.start + start, sentence.start + end)))
        for kind, ref, span in places:
            verb = _verb_of(words, span.start - sentence.start, span.end - sentence.start)
            found.append(
                Claim(kind, ref, text[span.start : span.end], span, bool(verb["added"]), bool(verb["changed"]))
            )
    return tuple(sorted(found, key=lambda claim: claim.span.start))


def _verb_of(words: str, start: int, end: int) -> re.Match[str]:
    """The verb that a place belongs to: one that follows it closely, else the nearest before it, else the first."""
    verbs = list(_DONE.finditer(words))
    close = next((v for v in verbs if v.start() >= end and _BETWEEN.fullmatch(words, end, v.start())), None)
    before = next((verb for verb in reversed(verbs) if verb.end() <= start), None)
    return close or before or verbs[0]


def _places(words: str, offset: int) -> Iterator[tuple[ClaimKind, str, Span]]:
    for match in _PLACE.finditer(words):
        kind = _KINDS[match[1].rstrip(".").casefold()]
        first = match[2].strip("()")
        letters = bool(_ROMAN_OR_LETTER.fullmatch(first))
        if letters and kind not in ("appendix", "section", "table", "figure", "algorithm"):
            continue  # "line I", "page A" are words
        if letters and first in ("I", "A") and kind != "appendix":
            continue
        yield kind, first, Span(offset + match.start(), offset + match.end(2))
        if match[3] and kind not in ("page", "line"):
            for more in _MORE.finditer(words, match.start(3), match.end(3)):
                yield kind, more[0].strip("()"), Span(offset + more.start(), offset + more.end())
