"""Groups lines in reading order into blocks: paragraphs, captions, headings or cells."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from string import ascii_lowercase

from engine.documents.glyphs import Reading
from engine.documents.listings import fixed_fonts
from engine.documents.page_text import Line, commonest

ENDS_SENTENCE = re.compile(
    r"(?<!\bal)(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\b[Ff]ig)(?<!\bvs)(?<!\b[Ee]q)(?<!\bSec)[.!?:;。！？：；][\"'”’)\]\u2009]*(?:\[?[\d,–-]+\]?)?$"
)
EQUATION_NUMBER = re.compile(r"\((?:[A-Z]{1,2}[.-]?)?\d{1,3}(?:[.-]\d{1,2})*[a-z]?[′']?\)")
STATEMENT = re.compile(
    r"(?:Theorem|Lemma|Corollary|Proposition|Definition|Assumption|Remark|Example|Claim|Conjecture)s? [\dA-Z]|Proof\b",
    re.IGNORECASE,
)
"""The start of a theorem or the like, or of a proof."""
_BULLET = re.compile(r"[\u2022\u00b7\u25aa\u25cf\u25cb\u25e6\u2023\u2043\u25a0\u25b6\u2212*]|[–—-]")
CAPTION = re.compile(
    r"(?:(?:supplementary|supplemental|supporting|extended data|appendix)\s+)?"
    r"(figur[ea]|fig\.?|tab(?:leau|le|l?a|ell?[ae]?)|tab\.|algorithm|listing|scheme|box|chart|plate|abbildung|abb\.|tabelle|tableau|tabl?a|图|図|表)\s*"
    r"(?:(?:SI\s|[A-Z]{0,2}[-.]?)\d{1,3}(?:[.-]\d{1,3})?[a-z]?|[IVX]{1,7}|(?-i:[A-Z]))\s*(?:[:.|–—](?!\w)|\s-\s|$)",
    re.I,
)
PART = re.compile(r"\([a-z]\) (?=.*[^\W\d_]{2})")
"""The start of the caption of a part of a figure: "(a) Before training"."""
_UNKNOWN = re.compile(r"[\ue000-\uf8ff]")
_WORDS = re.compile(r"[^\W\d_]{2,}\W+[^\W\d_]{2,}")
_SECTION = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){1,3}\.?|[A-Z](?:\.\d{1,2}){1,3}\.?|\d{1,2}\.?)\s+[A-Z]")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]|\[\d{1,3}\]")


@dataclass(eq=False)
class Block:
    """Lines that belong together; ``kind``, ``section`` and the other attributes are set later."""

    lines: list[Line]
    kind: str = "body"
    section: str = ""
    level: int = 0
    listed: bool = False
    parts: "list[Block]" = field(default_factory=list)

    @property
    def first(self) -> Line:
        return self.lines[0]

    @property
    def last(self) -> Line:
        return self.lines[-1]

    @property
    def page(self) -> int:
        return self.lines[0].page

    @property
    def letters(self) -> int:
        return sum(line.letters for line in self.lines)

    @property
    def size(self) -> float:
        return commonest((line.size, line.letters) for line in self.lines)

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)


@dataclass(frozen=True, slots=True)
class Style:
    """A document's usual style: size and font of the body, line distance per size (points), and paragraph indents."""

    size: float
    font: str
    leading: dict[float, float]
    indents: bool
    slack: dict[float, float] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    justified: bool = False
    """Without indents, but with even lines: only those that end paragraphs stop short of the margin."""

    def line_gap(self, size: float) -> float:
        return self.leading.get(size, 1.2 * size)

    def widest_gap(self, size: float) -> float:
        """Returns the largest line distance in a paragraph; little above the usual one if lines are set evenly."""
        usual = self.line_gap(size)
        return self.slack.get(size, max(1.33 * usual, usual + 0.25 * size))


def unbolden(lines: list[Line]) -> None:
    """Clears the bold flag of fonts that set over 40 % of the text in bold: some producers flag every font as bold."""
    fonts: Counter[str] = Counter()
    for line in lines:
        for token in line.tokens:
            fonts[token.font] += len(token.text) if token.bold else 0
    total = sum(line.letters for line in lines)
    loud = {font for font, letters in fonts.items() if letters > 0.4 * total}
    for line in lines:
        for token in line.tokens:
            if token.font in loud:
                token.bold = False
        if loud:
            line.forget()


def learn_style(lines: list[Line], running: list[Line]) -> Style:
    """Measures the usual style. Size and font are those of most characters of ``running``, the text without the list of
    references, which may be most of a short paper."""
    sizes: Counter[float] = Counter()
    fonts: Counter[tuple[float, str]] = Counter()
    for line in running:
        sizes[line.size] += line.letters
        fonts[(line.size, line.font)] += line.letters
    size = sizes.most_common(1)[0][0] if sizes else 10.0
    font = next((f for (s, f), _ in fonts.most_common() if s == size), "")
    gaps: dict[float, Counter[float]] = defaultdict(Counter)
    within: dict[float, list[float]] = defaultdict(list)  # from a full line that ends no sentence to the next
    inside: dict[float, Counter[float]] = defaultdict(Counter)  # the same in the running text
    indented = flush = short = 0
    for at, (a, b) in enumerate(pairwise(lines), start=1):
        if a.page != b.page or a.column != b.column or a.band != b.band or a.size != b.size:
            continue
        gap = b.base - a.base
        if not 0.9 * a.size < gap < 3.3 * a.size or abs(a.x0 - b.x0) > 4 * a.size:
            continue
        gaps[a.size][round(gap * 2) / 2] += 1
        ended = bool(ENDS_SENTENCE.search(a.text))
        if (
            not ended
            and a.right - a.x1 < a.size
            and abs(a.x0 - b.x0) < 0.3 * a.size
            and a.rise == b.rise == a.drop == 0
        ):
            within[a.size].append(gap)
            inside[a.size][round(gap * 2) / 2] += at < len(running)
            short += a.size == size and a.right - a.x1 > 0.3 * size
        if a.size == size and ended and at < len(running):
            if 0.6 * size < b.x0 - b.left < 3.5 * size and a.x0 - a.left < 0.5 * size:
                indented += 1
            elif a.x1 < a.right - 5 * size and b.x0 - b.left < 0.5 * size:
                flush += 1
    leading, slack = {}, {}
    for s, every in gaps.items():
        # The smallest frequent gap: paragraphs of one or two lines may make a larger one as frequent. What is set more
        # closely in the same size, such as lists and references, doesn't count if there is enough running text.
        counts = inside[s] if inside[s].total() >= 20 else every
        most = counts.most_common(1)[0][1]
        leading[s] = min(g for g, n in counts.items() if n >= 0.3 * most)
        if len(within[s]) >= 20:
            most_within = sorted(within[s])[int(0.96 * len(within[s]))]
            slack[s] = min(max(1.15 * leading[s], most_within + 0.1 * s), max(1.33 * leading[s], leading[s] + 0.25 * s))
    indents = indented >= 3 and indented > flush
    justified = not indents and len(within[size]) >= 200 and short < 0.04 * len(within[size])
    return Style(size, font, leading, indents, slack, fixed_fonts(lines), justified)


def group(lines: list[Line], style: Style, reading: Reading) -> list[Block]:
    """Splits the lines into blocks. Each cell of a table row becomes a block; ``kinds`` combines them."""
    blocks: list[Block] = []
    current: list[Line] = []
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else None
        if current and not _continues(current, line, following, style, reading):
            blocks.append(Block(current))
            current = []
        current.append(line)
    if current:
        blocks.append(Block(current))
    for block in blocks:
        block.listed = starts_item(block.first)
        if block.first.code:
            block.kind = "code"
    return blocks


def is_bullet(line: Line) -> bool:
    """Returns whether a line's first word is just a bullet: a known one, or an unmapped glyph of another font before
    words."""
    if len(line.tokens) < 2:
        return False
    label, word = line.tokens[:2]
    if _UNKNOWN.fullmatch(label.text):
        return label.font != word.font and word.x0 - label.x1 > 0.3 * line.size and bool(_WORDS.search(line.text))
    return _BULLET.fullmatch(label.text) is not None


def starts_item(line: Line) -> bool:
    """Returns whether a line starts with a bullet or enumerator followed by text."""
    if len(line.tokens) < 2:
        return False
    label, word = line.tokens[:2]
    return is_bullet(line) or (bool(_ENUMERATOR.fullmatch(label.text)) and word.x0 - label.x1 > 0.2 * line.size)


def _same_style(a: Line, b: Line) -> bool:
    if abs(a.size - b.size) > 0.08 * max(a.size, b.size):
        # In a line with much mathematics or a superscript run, the main size may be unusual.
        odd = min(len(a.tokens), len(b.tokens)) <= 2 and not (a.bold and b.bold)
        return odd and a.font == b.font and abs(a.size - b.size) < 0.2 * a.size
    if a.bold == b.bold or min(a.boldness, b.boldness) > 0.5:
        return True
    # A single bold word on a line may end a sentence; a heading follows the end of one.
    return len((a if a.bold else b).tokens) == 1 and not ENDS_SENTENCE.search(a.text)


def _all_differ(a: Line, b: Line) -> bool:
    """Returns whether no word of one line has the font of a word of the other."""
    fonts = [{t.font for t in line.tokens if re.search(r"[^\W\d_]{3}", t.text)} for line in (a, b)]
    return bool(fonts[0] and fonts[1]) and not fonts[0] & fonts[1]


def _continues(current: list[Line], line: Line, following: Line | None, style: Style, reading: Reading) -> bool:
    last = current[-1]
    if line.page != last.page or line.column != last.column or line.band != last.band:
        return False
    gap = line.base - last.base
    size = max(line.size, last.size)
    if line.code or last.code:
        return line.code and last.code and gap < 2.6 * style.line_gap(size)
    if gap < 0.5 * size:  # beside, not below: cells of a row
        return False
    usual = max(style.line_gap(line.size), style.line_gap(last.size))
    room = last.right - last.x1
    full = room <= (0.3 * size if style.justified else _first_word_width(line) + 0.6 * size)
    widest = max(style.widest_gap(line.size), style.widest_gap(last.size))
    goes_on = full and not _ends(last, reading) and not line.text[:1].isupper()
    flush = last.x0 if CAPTION.match(current[0].text) else last.left
    if goes_on and abs(line.x0 - flush) < 0.6 * size:
        widest = max(widest, 1.9 * usual)  # a tall formula, or the spacing of a caption, widens the line distance
    if gap - last.drop - line.rise > widest:
        return False
    bold = last.bold and last.size == line.size and full and not _ends(last, reading)
    plain = not last.bold and line.font not in style.fixed and abs(last.size - line.size) < 0.12 * size
    if not (_same_style(last, line) or bold or (plain and goes_on and line.text[0].islower())):
        return False  # a full bold line may start a paragraph or caption, and a bold one go on with a sentence
    if not full and (_all_differ(last, line) or (last.bold and line.bold and _SECTION.match(line.text))):
        return False
    if last.bold and not line.tokens[0].bold and (gap > 1.15 * usual or _SECTION.match(current[0].text)):
        return False  # a heading that fills its line
    if EQUATION_NUMBER.fullmatch(last.tokens[-1].text) and not _WORDS.search(last.text):
        return False
    if line.x0 > last.x1 or line.x1 < last.x0 - size * (abs(line.x0 - line.left) < 1):
        return False
    first = current[0]
    # Lines of a paragraph fill their column: if the next word would have fitted, the break is intended.
    if not full:
        if _ends(last, reading):
            return False
        flush = max(abs(last.x0 - last.left), abs(line.x0 - line.left)) < 1
        if room > 0.3 * (last.right - last.left) and (flush or not (first.bold and line.bold)):
            return False
    shift = line.x0 - last.x0
    if CAPTION.match(first.text) and room > 0.3 * size and _centred(last) and _centred(line):
        return True
    if (
        goes_on
        and line.text[0].islower()
        and shift > 0.6 * size
        and abs(line.x0 + line.x1 - last.x0 - last.x1) < 0.3 * size
    ):
        return True  # the last line is centred below justified ones
    if (
        len(current) == 1
        and abs(shift) < 1
        and line.x0 - line.left > 0.6 * size
        and _ends(last, reading)
        and following is not None
        and (following.page, following.column) == (line.page, line.column)
        and 0 < following.base - line.base <= widest
        and following.x0 < line.x0 - 0.6 * size
    ):
        return False  # a paragraph of one line above the first line of another
    if (starts_item(line) and _label_breaks(current, line, following)) or (
        CAPTION.match(line.text) and _ends(last, reading)
    ):
        return False
    if 0.6 * size < shift < 6 * size:
        # Indented: the first line of a new paragraph, unless lines hang after a label or a first line.
        labelled = CAPTION.match(first.text) and any(abs(t.x0 - line.x0) < 1 for t in first.tokens[1:4])
        if len(current) == 1 and (starts_item(first) or labelled or _hangs(line, following)):
            return True
        if abs(line.x0 - first.x0) < 1.5 and len(current) > 1:
            return False
        return len(current) == 1 and _hangs(line, following)
    if shift < -0.6 * size:
        if len(current) > 1:
            return False  # the end of a hanging indent or quotation
        # The end of a list item from the previous page, followed by the indented first line of a paragraph.
        return not (line.x0 - line.left > 0.5 * size and following is not None and following.x0 < line.x0 - 0.5 * size)
    return shift < 6 * size or bool(_WORDS.search(line.text))


def _centred(line: Line) -> bool:
    return abs((line.x0 - line.left) - (line.right - line.x1)) < 1


def _ends(line: Line, reading: Reading) -> bool:
    return bool(ENDS_SENTENCE.search(reading.text(line.tokens[-1])))


def _hangs(line: Line, following: Line | None) -> bool:
    """Returns whether the next line has the same indent: a hanging indent, not a first line."""
    return (
        following is not None
        and following.page == line.page
        and following.column == line.column
        and abs(following.x0 - line.x0) < 1.5
        and 0 < following.base - line.base < 2 * line.size
    )


def _label_breaks(current: list[Line], line: Line, following: Line | None) -> bool:
    """Returns whether a line that looks like a list item is one, rather than a wrapped "3." or dash."""
    label = line.tokens[0].text
    first, last = current[0], current[-1]
    if label in "–—-−*" or not is_bullet(line):
        if starts_item(first) and abs(first.x0 - line.x0) < 3:
            return True
        if label.startswith("["):  # a citation, unless the previous items start with one
            return False
        hanging = following is not None and abs(following.x0 - line.tokens[1].x0) < 2
        indented = line.x0 - last.left > 0.5 * line.size and abs(line.x0 - last.x0) > 2
        return bool(ENDS_SENTENCE.search(last.text)) and (indented or hanging)
    return True


def _first_word_width(line: Line) -> float:
    """Returns the width of the unbreakable start of a line, including the space before it."""
    end = line.tokens[0].x1
    for a, b in pairwise(line.tokens):
        if not a.glued:
            break
        end = b.x1
    return end - line.x0 + 0.25 * line.size


def mark_parts(blocks: list[Block], is_text: Callable[[Block], bool]) -> None:
    """Marks "(a) Before training", "(b) After training" and so on, above the caption of their figure, unless
    text is between them."""
    labels: dict[Block, list[Block]] = {}  # with their further lines
    for block in [*blocks]:
        if labels and next(iter(labels)).page != block.page:
            labels = {}
        if (of := CAPTION.match(block.text)) and of[1].lower() not in ("table", "tab.", "algorithm", "listing"):
            letters = "".join(sorted({label.text[1] for label in labels}))
            for label, rest in labels.items() if len(letters) > 1 and ascii_lowercase.startswith(letters) else ():
                label.kind = "caption"
                for piece in rest:
                    label.lines += piece.lines
                    blocks.remove(piece)
        elif PART.match(block.text) and not is_text(block):
            labels[block] = []
            continue
        elif not is_text(block):
            for label, rest in labels.items():
                line, above = block.first, [label, *rest][-1].last
                apart = max(line.x0 - label.first.x1, label.first.x0 - line.x1)
                if line.size == above.size and apart < 0 < line.base - above.base < 1.9 * line.size:
                    rest.append(block)
                    break
            continue
        labels = {}
