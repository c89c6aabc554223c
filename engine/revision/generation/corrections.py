"""Corrections that a comment spells out: “replace A with B”, “A → B”, “A should be B”."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.revision.source_alignment import SourceParagraph

_ARROW = r"(?:-+>|=>|→|⟶|➔)"
_QUOTED = r"(?:[\"“”](?P<{0}_double>[^\"“”]+)[\"“”]|(?<!\w)['‘’`]+(?P<{0}_single>[^'‘’`]+)['’]+(?!\w))"
_OLD, _NEW = _QUOTED.format("old"), _QUOTED.format("new")
_QUOTATIONS = (
    re.compile(rf"{_OLD},?\s*(?:{_ARROW}|(?:should|must|has to) (?:be|read|say)(?: as)?|(?:in)?to|with|by)\s*{_NEW}"),
    re.compile(rf"{_NEW} (?:instead of|rather than) {_OLD}"),
)
_PLAIN = re.compile(
    r"\s*+(?!(?:add|delete|drop|insert|missing|omit|remove|should|must)\b)(.+?)[.;,]?\s*(?:$|[.;]\s|\()", re.I
)
"""The new words after an arrow, without what else is said there; a request there doesn't take the place of words."""
_SURE_WORDS = 3
"""Fewer words than this are corrected only where nothing else in the paper has them, or at the likeliest place."""


@dataclass(frozen=True, slots=True)
class Correction:
    """``old`` is in the paragraph once; ``text`` is the paragraph with ``new`` in its place."""

    paragraph_id: str
    old: str
    new: str
    text: str


def correction(comment: str, paragraphs: Sequence[SourceParagraph]) -> Correction | None:
    """Returns the correction that a comment spells out, or None. ``paragraphs``: the likeliest first.

    The words to replace must be in the paper exactly like this. Without quotation marks they are all
    words before the arrow, or those after a number or a punctuation mark: "p. 4, line 5: a set -> the set".
    """
    for olds, new in _wordings(comment):
        for old in (old for old in olds if new not in ("", old)):
            pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
            having = [p for p in paragraphs if old in p.text and len(pattern.findall(p.text)) == 1]
            if having and (len(old.split()) >= _SURE_WORDS or len(having) == 1 or having[0] is paragraphs[0]):
                return Correction(having[0].id, old, new, new.join(pattern.split(having[0].text)))
    return None


def _wordings(comment: str) -> Iterator[tuple[list[str], str]]:
    for form in _QUOTATIONS:
        for found in form.finditer(comment):
            said = found.groupdict()
            yield [_bare(said["old_double"] or said["old_single"])], _bare(said["new_double"] or said["new_single"])
    for line in re.sub(rf"\s*\n\s*(?={_ARROW})", " ", comment).splitlines():
        sides = re.split(_ARROW, line)
        if len(sides) == 2 and (new := _PLAIN.match(sides[1])):
            words = sides[0].split()
            starts = (at for at in range(len(words)) if not at or re.search(r"\d|[.:,;)\]]$", words[at - 1]))
            yield [old for at in starts if (old := _bare(" ".join(words[at:])))], _bare(new[1])


def _bare(words: str) -> str:
    return " ".join(words.split()).strip(" .;,“”\"'‘’`")
