"""The wording of a review's sentences: their function, and how they are phrased as questions."""

import re
from typing import Literal

from engine.documents.references import find_references
from engine.reviews.cues import sentence_role
from engine.statements.absences import absence

ClaimKind = Literal["assertion", "question", "suggestion", "praise", "meta"]

_ABOUT_PAPER = re.compile(
    r"\b(?:the|this|that|these|their|your|its|all|both|most|some)\s+(?:\w+\s+){0,2}(?:papers?|authors?"
    r"|manuscripts?|work"
    r"|submission|stud(?:y|ies)|methods?|models?|approach(?:es)?|algorithms?|experiments?|results?|evaluations?"
    r"|analys[ie]s"
    r"|sections?|tables?|figures?|baselines?|data ?sets?|data|proofs?|theorems?|claims?|contributions?|abstract"
    r"|introduction|conclusions?|ablations?|comparisons?|notation|equations?|assumptions?|related work|writing"
    r"|presentation|novelty|metrics?|performance|numbers?|improvements?|framework|system|architecture|training)\b"
    r"|\b(?:authors?|they|it)\s+(?:do|does|did|is|are|was|were|has|have|report|show|claim|use|state|argue"
    r"|propose|compare|evaluate|present|train|test|ignore|omit)s?\b",
    re.IGNORECASE,
)
_META = re.compile(
    r"^\W*(?:i (?:have|am|was|will|would) (?:not )?(?:read|checked|reviewed|willing|happy|raise|an expert"
    r"|familiar)|minor|major|typos?|other comments|detailed comments|disclaimer|note:?|overall,? i\b|i thank\b)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^\W*(?:#{1,6}\s|\*\*[^*]{1,60}\*\*:?\s*$)|^[\w /&-]{1,40}:?$")


def claim_kind(sentence: str) -> ClaimKind:
    """Returns the function of a review sentence, by its wording."""
    if _HEADING.match(sentence) or _META.match(sentence):
        return "meta"
    kind = _KINDS.get(sentence_role(sentence))
    if kind is None:
        named = _ABOUT_PAPER.search(sentence) or find_references(sentence) or absence(sentence)
        return "assertion" if named else "meta"
    return kind


_KINDS: dict[str, ClaimKind] = {
    "question": "question", "request": "suggestion", "praise": "praise", "verdict": "meta", "connective": "meta",
    "criticism": "assertion", "summary": "assertion",
}  # fmt: skip
_VERBS = (
    r"report|mention|discuss|cite|compare(?: (?:to|with|against))?|include|provide|describe|define|explain"
    r"|evaluate|state"
    r"|give|show|address|analy[sz]e|consider|present|specify|quantify|test|justify|acknowledge|release|list"
    r"|conduct|perform"
)
_LEAD = re.compile(
    r"^\s*(?:(?:however|moreover|furthermore|additionally|also|in addition|besides|finally|first(?:ly)?|second(?:ly)?"
    r"|third(?:ly)?|overall|in particular|specifically|thus|therefore|hence|and|but|yet|unfortunately|clearly"
    r"|obviously)\b,?\s+|(?:i (?:think|believe|feel|find|note|noticed)(?: that)?|it (?:seems|appears)(?: that)?)\s+)+",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    rf"^(?:the |this )?(?P<who>authors?|paper|manuscript|work|they|submission|study)\s+(?:do|does|did)(?: not"
    rf"|n['’]t)\s+(?P<verb>(?:{_VERBS})\b.*)$",
    re.IGNORECASE,
)
_NONE_THERE = re.compile(r"^there (?P<be>is|are|was|were) no(?:t any)?\s+(?P<what>.+)$", re.IGNORECASE)
_PROPER = re.compile(
    r"^(?:I\b|[A-Z][A-Z0-9]|(?:Table|Figure|Fig|Section|Eq|Equation|Algorithm|Appendix|Theorem|Lemma)\b)"
)


def question_of(sentence: str) -> str:
    """Rephrases a review sentence as a question to the authors, in its own words; a question is returned unchanged."""
    text = " ".join(sentence.split())
    if text.endswith("?"):
        return text
    body = _LEAD.sub("", text).rstrip(" .!;:")
    if not body:
        return text
    if (match := _NOT_DONE.match(body)) is not None:
        return f"Where does the paper {match['verb']}?"
    if (match := _NONE_THERE.match(body)) is not None:
        return f"Could the authors say where the paper has {match['what']}?"
    if not _PROPER.match(body):
        body = body[0].lower() + body[1:]
    return f"Could the authors clarify whether {body}?"
