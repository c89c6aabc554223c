"""What an authors' reply says explicitly: sentences that announce a change, and quotations of new text."""

import re
from functools import lru_cache

from engine.documents.references import find_references
from engine.reviews.sentences import split_sentences
from engine.revision.aligners.lexical import stems
from engine.revision.words import STOP_WORDS

CHANGES = (
    "add|revis|rework|rewrot|rewrit|updat|clarif|includ|remov|drop|delet|correct|fix|chang|modif|expand|extend|"
    "introduc|refram|replac|mov|renam|perform|conduct|specif|referenc|cit|limit|provid|describ|discuss|explain|"
    "elaborat|report|mention|not|emphasi|highlight|shorten|split|merg|restructur|reorgani|incorporat|rephras|reword|"
    "acknowledg|select|focus|complement|adjust|adapt|amend|improv|refin|simplif|illustrat|summari"
)
_ANNOUNCES = re.compile(
    r"\b(?:we|i|the authors?)(?:['’]ve|\s+(?:have|has|had|now|also|further|additionally|therefore|thus|did|then))*"
    rf"\s+(?:{CHANGES})\w*"
    r"|\b(?:new|newly|revised|updated|added|now|extra)\b"
    r"|\bin th(?:e|is|our) (?:revis|updated|new|current)\w*|\bduring (?:the )?revision\b"
    r"|\b(?:has|have|had) (?:now |also )*been\b",
    re.IGNORECASE,
)
NEGATED = re.compile(r"\bnot\b|n['’]t\b", re.IGNORECASE)
_DONE = re.compile(rf"\b(?:done|(?:{CHANGES})\w*ed)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"«`]([^“”\"«»`]{20,3000})[”\"»`]|^[ \t]*>[ \t]*(.+)$", re.MULTILINE)
_GAP = re.compile(r"\[\s*(?:\.\.\.|…)\s*\]")
_WORD = re.compile(r"\w+")
_COURTESY = """
above accept accepted accordingly add added address addressed adjust adjusted adopt adopted advice advise agree agreed
amend amended answer apologise apologize appreciate attention below bringing care careful catch change changed changes
clarified clarify comment complete completed correct corrected correction corrections done edit edited error errors
fix fixed follow followed following good great helpful implement implemented incorporate incorporated indeed made make
manuscript mistake modified modify new nice note noted ok okay paper please point pointing points proposed raising
reading recommendation recommended referee referee's referee’s remark remarks remove removed reply request requested
resolve resolved response reviewer's reviewers' reviewer’s revise revised revision right see sentence solved sorry
suggest suggested suggestion suggestions taken text thank thanks true typo update updated useful valuable version word
yes
"""
"""Words that responses contain without naming anything in the paper."""
ENOUGH = 5
"""Number of distinctive words of its own from which a response counts fully."""
_READABLE = 0.2
"""Minimum share of known words (common ones, courtesies, the comment's) for a response to be in the expected
language."""
_BRIEF = 6
"""Up to this many words a response needs no subject to announce a change ("Citation adjusted.")."""
LEAST_WORDS = 4
"""A quotation of fewer words is a name, not new text."""


@lru_cache(maxsize=2048)
def sentences(text: str) -> tuple[str, ...]:
    """Returns the sentences of a text that are longer than a few letters; the text itself if there are none."""
    found = tuple(text[span.start : span.end] for span in split_sentences(text) if span.end - span.start > 15)
    return found or ((text,) if text.strip() else ())


@lru_cache(maxsize=2048)
def announcements(reply: str) -> tuple[str, ...]:
    """Returns the sentences of a reply that announce a change ("We have added...", "The new Table 2...").

    Quotations are ignored: they are the change itself, not an announcement.
    """
    return tuple(sentence for sentence in sentences(_QUOTED.sub(" ", reply)) if _ANNOUNCES.search(sentence))


@lru_cache(maxsize=2048)
def quoted_passages(text: str) -> tuple[str, ...]:
    """Returns what is in quotation marks, in code marks or after ">", split at "[...]"; pieces of four words or
    more."""
    found = []
    for inline, block in _QUOTED.findall(text):
        for piece in _GAP.split(inline or block):
            if len(_WORD.findall(piece)) >= LEAST_WORDS:
                found.append(" ".join(piece.split()))
    return tuple(found)


def _own(reply: str, comment: str) -> set[str]:
    """Returns the stems of a response that are neither courtesies nor the comment's."""
    return {stem for stem, _ in stems(reply)} - {stem for text in (comment, _COURTESY) for stem, _ in stems(text)}


def content(reply: str, comment: str, named: int = 0) -> float:
    """Returns how much a response says beyond courtesies and the comment's words: 0 (nothing, or a single word) to 1
    (``ENOUGH`` words and places, of which ``named`` were found in the paper). Responses in another language count as 0
    unless they name places, since texts are compared word by word."""
    words = [word.casefold() for word in _WORD.findall(reply)]
    known = STOP_WORDS.union(word.casefold() for text in (comment, _COURTESY) for word in _WORD.findall(text))
    places = max(named, len(find_references(reply)))
    if sum(word in known for word in words) < _READABLE * len(words) and not places:
        return 0.0
    return max(0.0, min(1.0, (len(_own(reply, comment)) + 2 * places - 1) / (ENOUGH - 1)))


def announces_change(reply: str, comment: str) -> bool:
    """Returns whether a response says that the paper was changed; this includes one that says nothing of its own
    ("Agreed.")."""
    brief = len(reply.split()) <= _BRIEF and bool(_DONE.search(reply))
    said = any(not NEGATED.search(sentence) for sentence in announcements(reply))
    return bool(reply.strip()) and (said or brief or not _own(reply, comment))
