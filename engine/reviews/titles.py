"""Recognises titles, closing phrases and places in letters by their wording."""

import re

from engine.reviews.forms import LOCATOR
from engine.reviews.layout import Unit
from engine.reviews.naming import reviewer_name

PART_OF_REVIEW = re.compile(
    r"(?!\([\d\W]+$)(?:(?:major|minor|general|specific|other|detailed|additional|further|technical|main|overall|summary|"
    r"strengths?|weakness(?:es)?|comments?|questions?|points?|concerns?|issues?|remarks?|typos?|limitations?|public|"
    r"evaluation|suggestions?|recommendations?|essential|revisions?|requests?|and|of|the|for|to|on|from|authors?|"
    r"editorial)\b|[\W\d])+",
    re.IGNORECASE,
)
REFERENCES = re.compile(
    r"(?:list of )?(?:references?|bibliography|(?:works|literature|references) cited)", re.IGNORECASE
)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
ONE_AUTHOR = re.compile(
    r"\bI (?:would (?:also )?like to |wish to |sincerely |am (?:very )?grateful to )?(?:thank )?(?:both |all |the |my |"
    r"two |three |four |anonymous |associate |editor and |and )+(?:reviewers?|referees?)\b"
)
SAYS_RESPONSE = re.compile(r"(?i)^(?!.*(?:action|change|revision)).*[a-z]")
HEADS = re.compile(r"(?=.{5,60}$)[A-Z][\w’'/-]*(?: [\w’'/&()-]+){1,7}")
REPLY_TITLE = re.compile(
    r"[\W\d]*(?:our |my |the |general |overall |authors?['’]?s?['’]? )?"
    r"(?:response|reply|replies|answer|rebuttal)s?(?: (?:of|by|from) (?:the )?authors?)?[\W\d]*",
    re.IGNORECASE,
)
WHO = re.compile(r"(?:reviewer|referee)s?(?: (?:no|number|id|#)\.?)?", re.IGNORECASE)
"""The title of a table's column of reviewers."""
ANSWERING = re.compile(r"\W*(?:to\b|(?:our |the |authors?\W{0,2}s? )?(?:response|reply|answer))", re.IGNORECASE)
COMMENT_TITLE = re.compile(
    r"\W*(?P<number>\d[\d,.) ]*)?"
    r"(?:(?:[A-Z][\w/&’'. #]{1,30} ?[,:–—-]+ ?|reviewer|referee)?['’]?s? ?)?"
    r"(?:comment|point|question|concern|issue|remark|weakness)s?[ #]*"
    r"(?(number)\W*|[A-Z]?\d+(?:[.\-]\d+)*[a-z]?(?:\W.{0,140})?)",
    re.IGNORECASE,
)
CLOSING = re.compile(
    r"\W*(?:sincerely|yours (?:sincerely|truly|faithfully)|(?:with )?(?:very )?(?:best|kind|warm)(?:est)? (?:regards|"
    r"wishes)|regards,?$|respectfully|cordially|(?:best|cheers|(?:many |with )?thanks)(?=,? *(?:\n|$)))\b"
    r"(?=.{0,100}$).{0,60}(?:\n.{0,60}){0,6}",
    re.I | re.S,
)
PARTING = re.compile(
    r"\W*(?:(?:we|i)(?: \w+)? (?:hope|trust|believe)(?: that)? .{0,200}(?:publication|publish\w*|accept\w*|suitable|"
    r"satisf\w+).{0,120}|(?:we|i)(?: \w+)? look forward to .{0,120}|(?:(?:we|i) )?thank(?:s| you| (?:all |both |the )*"
    r"(?:anonymous )?(?:reviewers?|referees?|editors?)(?: and (?:the )?\w+)?)(?: all)? (?:once )?"
    r"again .{0,200}|on behalf of .{0,60}|the authors|this (?:e-?mail|message) (?:was|is|and) .{0,300}|"
    r".{0,40}privacy (?:notice|policy).{0,200}|--?\s*\n.{0,200})",
    re.I | re.S,
)
NAME = re.compile(r"(?=.{2,200}$)(?:[A-Z\d(][^.?!:;\n]{0,60}(?:\. ?[^.?!:;\n]{1,40}){0,4}(?:\n|$)){1,5}", re.S)
"""Lines of a signature."""
GREETING = re.compile(r"\W*(?:dear|to (?:the )?(?:editor|reviewers?|whom))\b", re.IGNORECASE)


_WORDS = r"[“\"][^“”\"]{1,120}[”\"][^\w?]*"
WHERE = re.compile(rf"(?=.{{1,40}}$){LOCATOR.pattern}|{LOCATOR.pattern}{_WORDS}", re.IGNORECASE)
"""A place in the paper, with or without the words there."""
ANNOUNCES = re.compile(
    r"[:,：]$|\b(?:reads?|follows|sentence|paragraph|text|states?|stating|wrote|says|(?<=\s)added|as)$", re.IGNORECASE
)


def is_title(text: str, unit: Unit, bare: str) -> bool:
    """Returns whether a paragraph is a heading, or a single short line that serves as a title."""
    if len(bare) <= 40 and LOCATOR.fullmatch(bare):
        return False
    if unit.kind == "heading":
        # In documents with mixed-up styles, sentences may be headings.
        ends = bare.rstrip("*_”’\"' ")[-1:] in (".", "?", "!") or len(bare) > 110
        sentence = ends and not unit.label and len(bare.split()) > 7
        return not sentence or reviewer_name(bare) is not None or bool(COMMENT_TITLE.fullmatch(bare))
    content = text[unit.start : unit.end].strip()
    if unit.kind != "text" or not bare or len(content.splitlines()) > 1:
        return False
    if reviewer_name(content) is not None:
        return True
    if len(bare) > 110:
        return False
    if (unit.label and (unit.label.kind != "comment" or unit.label.end < unit.end)) or unit.list_mark or unit.depth:
        return False
    if len(bare) <= 60 and PART_OF_REVIEW.fullmatch(bare) and not bare.endswith((".", "?")):
        return "bold" in unit.marks or any(map(str.isalpha, bare))
    return "bold" in unit.marks and len(bare) <= 60 and not bare.endswith((".", "?", "!"))
