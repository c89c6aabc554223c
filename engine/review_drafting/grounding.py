"""Checks each sentence of a review against the paper, and produces the text after a person's decisions.

The verdicts are those of ``engine.statements``. Pure: text and places in, records out.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.documents.places import Places
from engine.review_drafting.claims import ClaimKind, claim_kind, question_of
from engine.reviews.sentences import split_sentences
from engine.reviews.stretches import HEADING, LIST_MARK
from engine.statements.absences import Passage
from engine.statements.named import Part
from engine.statements.verdicts import UNFOUNDED, Verdict

Decision = Literal["drop", "question"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a review, [start, end) of it, its verdict, and what it names in the paper (``parts``). ``missing``
    is what it says the paper lacks, "" for other sentences; ``passages`` are the closest ones."""

    start: int
    end: int
    text: str
    kind: ClaimKind
    verdict: Verdict
    parts: tuple[Part, ...]
    why: str
    missing: str = ""
    passages: tuple[Passage, ...] = ()

    @property
    def unfounded(self) -> bool:
        return self.verdict in UNFOUNDED

    @property
    def open(self) -> bool:
        """Whether a person should look at it: unfounded, or an assertion that couldn't be checked."""
        return self.unfounded or (self.verdict == "not checked" and self.kind == "assertion")


@dataclass(frozen=True, slots=True)
class GroundedReview:
    """A review's sentences in order; ``seconds`` is the duration of the check."""

    text: str
    claims: tuple[Claim, ...]
    seconds: float = 0.0

    @property
    def unfounded(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if claim.unfounded)


_ONLY_PLACE = re.compile(r"\((?:Sec|pp?\.|[Pp]age|Tab|Fig|Eq|App).*\)\.?")
"""A place in parentheses after a sentence, which has no content of its own."""


def ground(text: str, places: Places) -> GroundedReview:
    """Checks every sentence of a review against a paper. Horizontal rules and headings with nothing to check are left
    out."""
    started = time.perf_counter()
    # A sentence begins after its list mark.
    spans: list[tuple[int, int]] = []
    for span in split_sentences(text):
        mark = LIST_MARK.match(text, span.start, span.end)
        if spans and _ONLY_PLACE.fullmatch(text, span.start, span.end) and "\n" not in text[spans[-1][1] : span.start]:
            spans[-1] = (spans[-1][0], span.end)
        else:
            spans.append((mark.end() if mark else span.start, span.end))
    claims = (_claim(text, start, end, places) for start, end in spans if any(map(str.isalnum, text[start:end])))
    said = tuple(c for c in claims if c.verdict != "not checked" or not HEADING.match(c.text))
    return GroundedReview(text, said, round(time.perf_counter() - started, 4))


def _claim(text: str, start: int, end: int, places: Places) -> Claim:
    from engine.statements.judge import judge  # a third of a second of patterns, which a display doesn't need

    sentence = text[start:end]
    kind = claim_kind(sentence)
    judged = judge(sentence, places, states=kind not in ("question", "suggestion"), around=text)
    parts = tuple(replace(part, start=start + part.start, end=start + part.end) for part in judged.parts)
    # A question claims nothing; what its parts name may still be missing.
    verdict: Verdict = "not checked" if kind == "question" and judged.verdict in UNFOUNDED else judged.verdict
    return Claim(start, end, sentence, kind, verdict, parts, judged.why, judged.missing, judged.passages)


# --- the text to submit ----------------------------------------------------------------------------------------------


def decided_text(review: GroundedReview, decisions: Mapping[int, Decision]) -> str:
    """Returns the text with the decided sentences removed or turned into questions.

    A list item, quoted line or paragraph that contained only a removed sentence is removed, too.
    """
    parts: list[str] = []
    at = 0
    for claim in review.claims:
        decision = decisions.get(claim.start)
        if decision is None:
            continue
        start, end = claim.start, claim.end
        if decision == "drop":
            start, end = _with_its_line(review.text, start, end)
        parts.append(review.text[at : max(at, start)])
        at = max(at, end)
        if decision == "question":
            parts.append(question_of(claim.text))
        elif parts[-1].endswith(" ") and review.text[at : at + 1] in (" ", "\n", ""):
            parts[-1] = parts[-1].rstrip(" ")
    return "".join([*parts, review.text[at:]])


def _with_its_line(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns [start, end), or the whole line with its end if it contains nothing else but a list mark."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    mark = LIST_MARK.match(text, first)
    alone = not text[mark.end() if mark and mark.end() <= start else first : start].strip(" >\t")
    return (first, min(last + 1, len(text))) if alone and not text[end:last].strip() else (start, end)
