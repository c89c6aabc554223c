"""Converts a PDF to a ParsedDocument: runs the steps of this package in order."""

import html
import re
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pymupdf

from engine.documents.assembly import join_blocks, to_paragraphs
from engine.documents.bibliography import TITLE
from engine.documents.columns import order_pages, rejoin, set_margins
from engine.documents.drop_capitals import restore_drop_capitals
from engine.documents.extraction import read_page
from engine.documents.furniture import remove_line_numbers, remove_running_heads
from engine.documents.glyphs import Reading, learn
from engine.documents.grouping import ENDS_SENTENCE, Block, Style, group, learn_style, unbolden
from engine.documents.kinds import classify
from engine.documents.listings import mark_code
from engine.documents.page_text import Line, PageText
from engine.documents.records import (
    PARSER,
    Box,
    Doubt,
    DoubtfulPage,
    MarginLine,
    PageSize,
    Paragraph,
    ParsedDocument,
    pages_named,
)
from engine.documents.turned import UP, to_show

# --- Pages whose text may differ from what they show, and why, judged by evidence on the page itself ------------------

_VOWEL = re.compile("[aeiouyæœøаеиоуыэюяіїєαεηιουω]")
_HEAVY = re.compile("[bcdfghjklmnpqrstvwxz]{6}")
_LATIN = re.compile(r"[^\W\d_]+(?:['’‐-][^\W\d_]+)*")
_PLAIN = re.compile(r"[\W\d_]*|.*(?:\d[.,:/–-]?\d|://|@|www\.|[=<>+*/_{}\\|^()\[\]~]).*", re.DOTALL)
_LEAST = 40
_LEAST_LINES = 20
"""Least number of lines before the list of references that show the style of the running text."""
_SMALL_WORDS = """
ako al als an and are as at att au auch auf aus av avec az be bei bir bu by can ce che cho com como con csak cu các
có că của da daha dan dans dari das dat de dei del della dem den dengan der des det di die din dla do dos du een egy
ei ein eine el em en er es est et että ez ezek for from für gibi göre has have her het hogy ikke il ile ili im in
ini is ise ist it için ja je jest jsou kadar které kuin kun la las le les lo los là med meg met mint mit mutta myös
más một na ne nel nem những nicht nie no non not não och od of og olan olarak oli on op or oraz os ou our ovat par
para pas pe per plus po por pour pro przez på que qui sa se si sich się som sono sont su sur tai te that the this
til till to trong um uma un una und une untuk vagy van ve volt von voor và với was we werden were which with yang za
zijn zu är çok és în được że že și από για και με να οι στη την της το του των для до из как на не от по та что що
это
"""
_SMALL = frozenset(_SMALL_WORDS.split())
"""Function words of the languages that papers are written in; no text goes without them for long."""
_STRETCH, _STRANGE = 60, 0.98
"""Words per stretch, and the share of them, neither function words nor on other pages, that makes a page strange. In 86
real PDFs (1,951 pages) none exceeds 0.95 (formulas); capitalised words, as in lists of names, aren't counted."""
_ABSURD = 0.15
"""No page of 85 real PDFs (1,930 pages) reaches it, of 516 of them none 0.1; letters swapped at random: median 0.31."""


def find_doubts(
    pages: Sequence[PageText], blocks: Sequence[Block], style: Style, reading: Reading
) -> tuple[DoubtfulPage, ...]:
    """Returns the doubtful pages of a document in order, each with the first reason that applies.

    ``scan``: a picture covers the page, and its text, if any, may come from OCR. ``unmapped font``: letters of a text
    font have no meaning. ``absurd words``: many words are unpronounceable, or sixty in a row are on no other page. ``no
    text``: much is drawn, but no text can be extracted. ``order``: sentences break off and others start in the middle.
    Pages with few words, and figures without lines of text, aren't judged.
    """
    broken, strange = _broken_pages(blocks, reading), _strange_pages(blocks, reading)
    found = []
    for page in pages:
        reason, share = _doubt(page, style, reading)
        if reason is None and page.number in strange:
            reason, share = "absurd words", strange[page.number]
        if reason is None and page.number in broken:
            reason, share = "order", min(1.0, broken[page.number])
        if reason:
            found.append(DoubtfulPage(page.number, reason, round(share, 2)))
    return tuple(found)


def _doubt(page: PageText, style: Style, reading: Reading) -> tuple[Doubt | None, float]:
    tokens = [t for line in page.lines for t in line.tokens]
    letters: Counter[str] = Counter()
    for token in tokens:
        letters[token.font] += len(token.text)
    total = letters.total()
    if page.written:
        if (page.picture > 0.3 and total == 0) or (page.picture > 0.5 and page.within > 0.8 and total > 200):
            return "scan", page.picture
        if page.drawn:
            return "no text", 1.0
    strange = 0
    known = 0
    for token in tokens:
        if letters[token.font] < 0.15 * total or token.font in style.fixed:
            continue  # formulas and marks have separate fonts
        known += len(token.text)
        if not token.text.isascii():
            strange += sum(_meaningless(c) for c in reading.text(token))
    if known > 150 and strange > 0.03 * known:
        return "unmapped font", strange / known
    running = [line for line in page.lines if len(line.tokens) >= 6 and abs(line.size - style.size) < 0.2 * style.size]
    # A word in several fonts is a formula.
    words = [reading.text(t) for line in running for t in line.tokens if len(t.text) >= 4 and len(t.pieces) == 1]
    words = [w.strip(".,;:!?()[]\"'“”‘’") for w in words if not _PLAIN.fullmatch(w) and not _capitals(w)]
    if len(words) >= _LEAST:
        absurd = sum(not _speakable(w) for w in words) / len(words)
        if absurd > _ABSURD:
            return "absurd words", absurd
    return None, 0.0


def _capitals(word: str) -> bool:
    """Returns whether a word is an abbreviation or a person's initials."""
    return len(word.replace(".", "")) < 7 and word.upper() == word


def _meaningless(c: str) -> bool:
    return c == "\ufffd" or "\u2600" <= c <= "\u27bf" or unicodedata.category(c) in ("Co", "Cn", "Cc")


def _speakable(word: str) -> bool:
    """Returns whether a text looks like an alphabetic word: letters, with vowels, without long consonant clusters."""
    if not _LATIN.fullmatch(word):
        return False
    folded = "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))
    if not folded.isascii() and not re.search("[a-zа-яα-ω]", folded):
        return True  # scripts without vowel letters
    return bool(_VOWEL.search(folded)) and not _HEAVY.search(folded)


def _strange_pages(blocks: Sequence[Block], reading: Reading) -> dict[int, float]:
    """Returns pages with sixty words in a row that are neither function words nor on another page of prose."""
    words: dict[int, list[str]] = defaultdict(list)
    for block in blocks:
        if block.kind not in ("reference", "code", "table"):
            for line in (x for x in block.lines if len(x.tokens) >= 6):
                read = (reading.text(t).strip(".,;:!?()[]\"'“”‘’") for t in line.tokens)
                words[line.page] += [w for w in read if len(w) > 1 and not _PLAIN.fullmatch(w) and not w[0].isupper()]
    sound = {page: set(said) for page, said in words.items() if sum(w in _SMALL for w in said) > 0.1 * len(said)}
    strange: dict[int, float] = {}
    for page, said in words.items() if sound else ():
        known = _SMALL.union(*(held for other, held in sound.items() if other != page))
        starts = range(0, len(said) - _STRETCH + 1, _STRETCH // 3)
        share = max((sum(w not in known for w in said[at : at + _STRETCH]) / _STRETCH for at in starts), default=0.0)
        if share >= _STRANGE:
            strange[page] = share
    return strange


def _broken_pages(blocks: Sequence[Block], reading: Reading) -> dict[int, float]:
    """Returns pages where sentences break off and others start midway, at least a third as many as paragraphs."""
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
        # A formula or listing may end a sentence or be part of it.
        if full and not ENDS_SENTENCE.search(reading.text(last.tokens[-1])) and (after is None or after.kind == "body"):
            broken[last.page] += 1
    loose = {page: begun[page] + broken[page] for page in begun.keys() & broken.keys()}
    return {p: n / len(known[p]) for p, n in loose.items() if n >= 0.34 * len(known[p])}


def parse_document(document: Any, sha256: str, progress: Callable[[float, str], None]) -> ParsedDocument:
    """Parses an open ``pymupdf.Document``. Pages that MuPDF can't read are kept empty and marked, with a warning."""
    started = time.perf_counter()
    pages: list[PageText] = []
    unreadable: list[int] = []
    count = int(document.page_count)
    for index in range(count):
        try:
            pages.append(read_page(document.load_page(index)))
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
            unreadable.append(index + 1)
            pages.append(PageText(index + 1, 595.0, 842.0, 0))
        if index % 10 == 9:
            progress(0.7 * (index + 1) / count, f"page {index + 1} of {count}")
    shown = ((p.height, p.width) if p.turn else (p.width, p.height) for p in pages)
    sizes = tuple(
        PageSize(p.number, round(x, 2), round(y, 2), p.rotation) for p, (x, y) in zip(pages, shown, strict=True)
    )
    warnings = _warnings(document, pages, unreadable)
    # A page of a repaired file may be empty because its content is lost.
    lost = [p.number for p in pages if document.is_repaired and not p.lines]
    sideways = [*_sideways(pages), *(DoubtfulPage(number, "no text", 1.0) for number in (*unreadable, *lost))]
    progress(0.7, "paragraphs")
    paragraphs, title, numbered, doubts = analyse(pages)
    doubtful = tuple({doubt.page: doubt for doubt in sorted((*doubts, *sideways), key=lambda one: one.page)}.values())
    stated = " ".join(html.unescape(str((document.metadata or {}).get("title") or "")).split())
    if stated and (not title or _shows(stated, [p.text for p in paragraphs if p.page <= paragraphs[0].page + 1])):
        title = stated
    seconds = time.perf_counter() - started
    rules, bold = (
        tuple(Box(p.number, *(round(v, 2) for v in place)) for p in pages for place in getattr(p, name))
        for name in ("rules", "bold")
    )
    seconds = round(seconds, 3)
    if turned := {p.number: (p.turn, p.width if p.turn == UP else p.height) for p in pages if p.turn}:

        def back(box: Box) -> Box:
            return to_show(box, *turned[box.page]) if box.page in turned else box

        rules, bold = tuple(map(back, rules)), tuple(map(back, bold))
        numbered = tuple(replace(line, box=back(line.box)) for line in numbered)
        paragraphs = tuple(
            replace(p, boxes=tuple(map(back, p.boxes)), words=tuple(w._replace(box=back(w.box)) for w in p.words))
            for p in paragraphs
        )
    return ParsedDocument(sha256, sizes, paragraphs, PARSER, seconds, warnings, title, numbered, doubtful, rules, bold)


def _shows(title: str, texts: Iterable[str]) -> bool:
    """Returns whether texts contain a title: many programs write a file's name or a template's title into the PDF."""
    words, shown = ("".join(re.findall(r"[^\W_]+", text.casefold())) for text in (title, " ".join(texts)))
    return words in shown and (" " in title or title.isalpha())


def analyse(
    pages: list[PageText],
) -> tuple[tuple[Paragraph, ...], str, tuple[MarginLine, ...], tuple[DoubtfulPage, ...]]:
    """Returns paragraphs, title, numbered lines and doubtful pages, given pages of words and lines.

    Pure, except that the pages are modified.
    """
    numbered = tuple(remove_line_numbers(pages))
    remove_running_heads(pages)
    restore_drop_capitals(pages)
    ordered = order_pages(pages)
    set_margins(ordered)
    lines: list[Line] = [line for page in ordered for line in rejoin(page)]
    if not lines:
        silent = [p for p in pages if p.written and (p.picture > 0.3 or p.drawn)]
        doubts = tuple(DoubtfulPage(p.number, "scan" if p.picture > 0.3 else "no text", p.picture) for p in silent)
        return (), "", numbered, doubts
    unbolden(lines)
    reading = learn(lines)
    listed = max((n for n, line in enumerate(lines) if TITLE.fullmatch(line.text.strip())), default=0)
    style = learn_style(lines, lines[:listed] if listed >= _LEAST_LINES else lines)
    mark_code(lines, style.fixed, style.font, pages)
    blocks = _without_deletions(group(lines, style, reading))
    blocks, title = classify(blocks, style, reading, {p.number: p.height for p in pages})
    blocks = join_blocks(blocks, style, reading)
    return to_paragraphs(blocks, reading), title, numbered, find_doubts(pages, blocks, style, reading)


def _without_deletions(blocks: list[Block]) -> list[Block]:
    """Leaves out text marked as deleted, after it has shown which lines belong together."""
    for block in blocks:
        for line in block.lines:
            if any(token.struck for token in line.tokens):
                line.tokens = [token for token in line.tokens if not token.struck]
                line.forget()
        block.lines = [line for line in block.lines if line.tokens]
    return [block for block in blocks if block.lines]


def _warnings(document: Any, pages: list[PageText], unreadable: list[int]) -> tuple[str, ...]:
    found: list[str] = []
    if document.is_repaired:
        found.append("The PDF is damaged; what could be repaired was read.")
    if unreadable:
        found.append(
            f"{pages_named(unreadable)} couldn't be read and {'is' if len(unreadable) == 1 else 'are'} left out."
        )
    silent = [p.number for p in pages if p.picture > 0.3 and not p.lines and p.number not in unreadable]
    if silent and len(silent) == len(pages):
        found.append("The PDF holds pictures of pages without text, as a scan does; it can be looked at, not searched.")
    elif silent:
        found.append(f"{pages_named(silent)} {'is a picture' if len(silent) == 1 else 'are pictures'} without text.")
    elif not any(p.lines for p in pages):
        found.append("The PDF contains no text.")
    if struck := [p.number for p in pages if any(token.struck for line in p.lines for token in line.tokens)]:
        shows = "shows" if len(struck) == 1 else "show"
        found.append(f"{pages_named(struck)} {shows} deletions in red, struck through; they were left out.")
    return tuple(found)


def _sideways(pages: Sequence[PageText]) -> Iterator[DoubtfulPage]:
    for page in pages:
        upright = sum(line.letters for line in page.lines)
        if page.sideways > max(200, upright):
            yield DoubtfulPage(page.number, "sideways", round(page.sideways / (page.sideways + upright), 2))
