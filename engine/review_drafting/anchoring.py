"""Finds the places in the paper that a review sentence refers to, and the sentence closest to it."""

import re
from functools import cache, lru_cache
from typing import Literal

from engine.documents.places import Place
from engine.documents.references import Reference, find_references
from engine.resource_files import resource_table
from engine.review_drafting.reading import place as section_label
from engine.review_drafting.records import NOT_FOUND, Anchor, PaperReading, Sentence


@cache
def stop_words(which: Literal["content", "phrases"]) -> frozenset[str]:
    """Returns words without content (``resources/stop_words.toml``): "content" for comparing texts, "phrases" for words
    that no keyphrase contains."""
    return frozenset(resource_table("stop_words.toml")[which].split())


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_STOP = stop_words("content")


@lru_cache(maxsize=20_000)
def content_stems(text: str) -> frozenset[str]:
    from Stemmer import Stemmer

    words = [word.casefold() for word in _WORD.findall(text)]
    return frozenset(Stemmer("english").stemWords([word for word in words if len(word) > 1 and word not in _STOP]))


def resolve(paper: PaperReading, text: str) -> tuple[Anchor, ...]:
    """Returns what a review sentence refers to (tables, sections, quotations...), each looked up in the paper.

    An anchor that isn't found names something that the paper doesn't contain.
    """
    found = (_anchor(paper, reference, paper.places.resolve(reference)) for reference in find_references(text))
    return tuple(dict.fromkeys(found))


def find_quote(paper: PaperReading, words: str) -> Anchor:
    """Returns the anchor of a quotation, which isn't found if it isn't in the paper."""
    reference = Reference("quote", "", 0, len(words), title=words)
    found = None if words.strip() in ("", NOT_FOUND) else paper.places.find_quote(words)
    return _anchor(paper, reference, found)


def _anchor(paper: PaperReading, reference: Reference, found: Place | None) -> Anchor:
    quote = reference.title if reference.kind == "quote" else ""
    if found is None:
        return Anchor(kind=reference.kind, ref="" if quote else reference.label, quote=quote)
    paragraph = next(p for p in paper.places.document.paragraphs if p.id == found.paragraph_id)
    return Anchor(
        kind=reference.kind,
        ref=section_label(paragraph.section) if quote else reference.label,
        quote=quote,
        paragraph_id=found.paragraph_id,
        start=found.start,
        end=found.end,
        page=found.page,
        found=True,
    )


def nearest(paper: PaperReading, text: str) -> tuple[float, Sentence] | None:
    """Returns the sentence with the largest share of a text's content words, and that share; None if there are no such
    words."""
    wanted = content_stems(text)
    if not wanted:
        return None
    shares = ((len(wanted & content_stems(sentence.text)) / len(wanted), sentence) for sentence in paper.sentences)
    return max(shares, key=lambda found: found[0], default=None)
