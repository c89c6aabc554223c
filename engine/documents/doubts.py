"""Pages whose text may not be what they show, and why. A verdict needs evidence on the page itself."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence

from engine.documents.glyphs import Reading
from engine.documents.grouping import ENDS_SENTENCE, Block, Style
from engine.documents.page_text import PageText
from engine.documents.records import Doubt, DoubtfulPage

_VOWEL = re.compile("[aeiouyæœøаеиоуыэюяіїєαεηιουω]")
_HEAVY = re.compile("[bcdfghjklmnpqrstvwxz]{6}")
_LATIN = re.compile(r"[^\W\d_]+(?:['’‐-][^\W\d_]+)*")
_PLAIN = re.compile(r"[\W\d_]*|.*(?:\d[.,:/–-]?\d|://|@|www\.|[=<>+*/_{}\\|^()\[\]~]).*", re.DOTALL)
_LEAST = 40
_ABSURD = 0.15
"""No page of 85 real PDFs (1,930 pages) reaches it, of 516 of them none 0.1; letters swapped at random: median 0.31."""


def find_doubts(
    pages: Sequence[PageText], blocks: Sequence[Block], style: Style, reading: Reading
) -> tuple[DoubtfulPage, ...]:
    """The doubtful pages of a document in order, each with the first reason that holds.

    ``scan``: a picture covers the page, from which its text, if any, may have been recognised. ``unmapped font``:
    letters of a text font have no meaning. ``absurd words``: many words can't be spoken. ``order``: sentences break off
    and others begin in the middle. Texts of few words give no verdict.
    """
    broken = _broken_pages(blocks, reading)
    found = []
    for page in pages:
        reason, share = _doubt(page, style, reading, broken.get(page.number, 0.0))
        if reason:
            found.append(DoubtfulPage(page.number, reason, round(share, 2)))
    return tuple(found)


def _doubt(page: PageText, style: Style, reading: Reading, broken: float) -> tuple[Doubt | None, float]:
    tokens = [t for line in page.lines for t in line.tokens]
    letters: Counter[str] = Counter()
    for token in tokens:
        letters[token.font] += len(token.text)
    total = letters.total()
    if page.picture > 0.85 and (total == 0 or total > 200):
        return "scan", page.picture
    strange = 0
    known = 0
    for token in tokens:
        if letters[token.font] < 0.15 * total or token.font in style.fixed:
            continue  # formulas and marks have fonts of their own
        known += len(token.text)
        if not token.text.isascii():
            strange += sum(_meaningless(c) for c in reading.text(token))
    if known > 150 and strange > 0.03 * known:
        return "unmapped font", strange / known
    running = [line for line in page.lines if len(line.tokens) >= 6 and abs(line.size - style.size) < 0.2 * style.size]
    # What has several fonts is a formula.
    words = [reading.text(t) for line in running for t in line.tokens if len(t.text) >= 4 and len(t.pieces) == 1]
    words = [w.strip(".,;:!?()[]\"'“”‘’") for w in words if not _PLAIN.fullmatch(w) and not _capitals(w)]
    if len(words) >= _LEAST:
        absurd = sum(not _speakable(w) for w in words) / len(words)
        if absurd > _ABSURD:
            return "absurd words", absurd
    return ("order", broken) if broken else (None, 0.0)


def _capitals(word: str) -> bool:
    return len(word) < 7 and word.upper() == word


def _meaningless(c: str) -> bool:
    return c == "\ufffd" or unicodedata.category(c) in ("Co", "Cn", "Cc")


def _speakable(word: str) -> bool:
    """Whether something looks like a word of an alphabet: letters only, with vowels and without piles of consonants."""
    if not _LATIN.fullmatch(word):
        return False
    folded = "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))
    if not folded.isascii() and not re.search("[a-zа-яα-ω]", folded):
        return True  # scripts without letters for vowels
    return bool(_VOWEL.search(folded)) and not _HEAVY.search(folded)


def _broken_pages(blocks: Sequence[Block], reading: Reading) -> dict[int, float]:
    """Pages on which sentences break off and others begin in the middle: both, and a third of the paragraphs."""
    begun, broken = Counter[int](), Counter[int]()
    known: dict[int, set[int]] = defaultdict(set)
    texts = [b for b in blocks if b.kind in ("equation", "code") or (b.kind == "body" and b.letters >= 60)]
    for before, block, after in zip([None, *texts], texts, [*texts[1:], None], strict=False):
        if block.kind != "body":
            continue
        for line in (block.first, block.last):
            known[line.page].add(id(block))
        begins = reading.text(block.first.tokens[0])
        if before and before.kind == "body" and not block.listed and len(begins) > 1 and begins[0].islower():
            begun[block.page] += 1
        last = block.last
        full = last.right - last.x1 < last.size
        # A formula or listing may end a sentence, or be a part of it.
        if full and not ENDS_SENTENCE.search(reading.text(last.tokens[-1])) and (after is None or after.kind == "body"):
            broken[last.page] += 1
    loose = {page: begun[page] + broken[page] for page in begun.keys() & broken.keys()}
    return {p: n / len(known[p]) for p, n in loose.items() if n >= 0.34 * len(known[p])}
