"""Compares a statement with a passage: word by word in order, with negations, opposites, numbers and names.

A statement is only supported if one sentence of the passage, or two consecutive ones, contain all of its content words
in the same order, its numbers and its negations, without a contrast between them. Anything left over keeps it
undecided; only a negation, an opposite or another number, with everything else the same, contradicts it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from engine.documents.numbers import Quantity, agrees, find_quantities
from engine.documents.references import find_references
from engine.reviews.sentences import split_sentences
from engine.statements.verdicts import Verdict
from engine.statements.words import CITED, Term, blanked, opposite, terms

LEAST_TERMS = 3
"""Minimum number of content words for a statement to be compared."""
MOST_BETWEEN = 1.0
"""Maximum words of the passage between those of the statement, as a share of the statement's."""
_CONDITION = re.compile(r"\b(?:if|unless|only|may|might|could|would|should|hypothesi[sz]e)\b", re.IGNORECASE)
"""Words that weaken a statement: if only the passage has them, it stays undecided."""
_DENIES = re.compile(
    r"\b(?:is|are|can|could|will|would|should)(?:\s+\w+)?\s+not\b|\b(?:is|are|ca|could|wo|would|should)n['’]t\b|\bcannot\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:authors?|papers?|manuscript|they|we|section|abstract|introduction|conclusions?|table|figure)\b",
    re.IGNORECASE,
)
"""Who or what says something in the paper."""
_REACH = 24
"""Characters around the words in question in which a condition counts."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing a statement with a passage: [start, end) of it is the closest sentence, ``share`` the
    part of the statement's words that it contains, 0 to 1, ``why`` the reason in a sentence."""

    verdict: Verdict
    why: str
    start: int
    end: int
    share: float


@dataclass(frozen=True, slots=True)
class Window:
    start: int
    end: int
    text: str
    terms: tuple[Term, ...]
    numbers: tuple[Quantity, ...]


def statement_terms(statement: str) -> tuple[tuple[Term, ...], tuple[Quantity, ...]]:
    """Returns the content words and numbers of a statement, without the places and works that it names."""
    return _read(_FRAME.sub(lambda m: " " * len(m[0]), statement))


_FRAME = re.compile(
    r"\b(?:they|we|one|authors?|paper|manuscript|discussion|section|introduction|abstract|conclusions?"
    r"|(?:figure|table|algorithm)\s+\d+)\s+(?:also\s+|here\s+)?"
    r"(?:admit|acknowledge|concede|warn|caution|stress|emphasi[sz]e|remark|add|promise|read|call|put it)"
    r"(?:s|ed)?\b(?:\s+that\b)?"
    r"|\b(?:is|are|was|were)\s+(?:described|regarded|considered|seen|viewed|presented|characteri[sz]ed)\s+(?:as|to\s+be)\b"
    r"|\b(?:figure|table|algorithm|fig\.|tab\.)\s+\d+\s+(?:plots?|lists?|gives?|illustrates?|compares?|displays?|depicts?"
    r"|summari[sz]es)\b(?:\s+that\b)?",
    re.IGNORECASE,
)
"""Phrases that only introduce what is said."""


def compare(statement: str, passage: str) -> Comparison:
    """Compares a statement with a passage; *place found* if undecided."""
    said, numbers = statement_terms(statement)
    parts = windows(passage)
    stems, figures = {t.stem for w in parts for t in w.terms}, [q for w in parts for q in w.numbers]
    lacking = [t.word for t in said if t.stem not in stems]
    lacking += [q.text.strip() for q in numbers if not any(agrees(q, there) for there in figures)]
    why = f"The passage doesn't contain “{lacking[0]}”, so this wasn't decided." if lacking else _APART
    best: Comparison | None = None
    for window in parts:
        found = _compare(statement, said, numbers, window, why)
        if best is None or _rank(found) > _rank(best):
            best = found
    return best or Comparison("place found", "The passage has no text to compare.", 0, len(passage), 0.0)


_APART = "The passage has these words, but not in one statement."


def _rank(found: Comparison) -> tuple[bool, bool, float, int]:
    return found.verdict == "supported", found.verdict == "contradicted", found.share, found.start - found.end


@lru_cache(maxsize=4096)
def windows(passage: str) -> tuple[Window, ...]:
    """Returns the sentences of a passage, each pair of consecutive ones, and each sentence with the part before its
    first or after its last comma moved to the other end ("In X, we do Y" equals "we do Y in X")."""
    spans = [(s.start, s.end) for s in split_sentences(passage)]
    both = [(a[0], b[1]) for a, b in pairwise(spans)]
    found = [Window(a, b, passage[a:b], *_read(passage[a:b])) for a, b in (*spans, *both)]
    for window in found[: len(spans)]:
        commas = [m.start() for m in re.finditer(r",\s", window.text)]
        for comma in dict.fromkeys((*commas[:1], *commas[-1:])):
            head = tuple(t for t in window.terms if t.end <= comma)
            tail = window.terms[len(head) :]
            if len(head) > 1 and len(tail) > 1:
                found.append(replace(window, terms=(*tail, *head)))
    return tuple(found)


def _read(text: str) -> tuple[tuple[Term, ...], tuple[Quantity, ...]]:
    places = ((r.start, r.end) for r in find_references(text) if r.kind != "quote")
    plain = blanked(text, (*places, *(m.span() for m in CITED.finditer(text))))
    return terms(plain), find_quantities(plain)


def _compare(
    statement: str, said: Sequence[Term], numbers: Sequence[Quantity], window: Window, incomplete: str
) -> Comparison:
    """Compares a statement with a window; ``incomplete`` is the reason if the window lacks words or numbers."""
    pairs = _aligned([t.stem for t in said], [t.stem for t in window.terms])
    missing = [term for n, term in enumerate(said) if n not in dict(pairs)]
    absent = [q for q in numbers if not any(agrees(q, there) for there in window.numbers)]
    total = len(said) + len(numbers)
    share = (total - len(missing) - len(absent)) / total if total else 0.0

    def made(verdict: Verdict, why: str) -> Comparison:
        return Comparison(verdict, why, window.start, window.end, round(share, 3))

    if total < LEAST_TERMS:
        return made("place found", "The statement has too few words to compare.")
    if not pairs:
        return made("place found", "The passage says something else.")
    turned = _turned(said, window.terms, pairs)
    between = window.terms[pairs[0][1] : pairs[-1][1] + 1]
    if missing or absent:
        opposites = [_instead(n, window.terms, pairs, said) for n in range(len(said)) if said[n] in missing]
        if not absent and not turned and opposites and all(opposites):
            mine, theirs = next(pair for pair in opposites if pair)
            return made("contradicted", f"The passage says “{theirs.word}”, not “{mine.word}”.")
        if (
            not missing
            and len(absent) == 1
            and not turned
            and (other := _other(absent[0], numbers, said, window, pairs))
        ):
            return made("contradicted", f"The passage says {other.text.strip()}, not {absent[0].text.strip()}.")
        return made("place found", incomplete)
    if turned:
        # "Traits are not uniform" may disagree with the paper rather than misread it.
        denies = turned.endswith("negation") and _DENIES.search(statement) and not _TOLD.search(statement)
        return made("place found" if denies else "contradicted", f"The passage says {turned}.")
    if [said[a].negated for a, _ in pairs] != [window.terms[b].negated for _, b in pairs]:
        return made("place found", "The passage negates something else.")
    if len(between) - len(pairs) > MOST_BETWEEN * len(pairs) or _broken(said, window, pairs):
        return made("place found", _APART)
    first, last = min(t.start for t in between), max(t.end for t in between)
    held = {w.casefold() for w in _CONDITION.findall(window.text[max(0, first - _REACH) : last + _REACH])}
    if held - {w.casefold() for w in _CONDITION.findall(statement)}:
        return made("place found", "The passage says this under a condition.")
    if not _belong(said, numbers, window, pairs):
        return made("place found", "The passage has these numbers, but not with these words.")
    return made("supported", "The passage says this.")


def _aligned(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Returns the longest common subsequence of stems, as pairs of positions, starting as late as possible."""
    rows, columns = len(first), len(second)
    length = [[0] * (columns + 1) for _ in range(rows + 1)]
    for a in range(rows - 1, -1, -1):
        for b in range(columns - 1, -1, -1):
            same = length[a + 1][b + 1] + 1 if first[a] == second[b] else 0
            length[a][b] = max(same, length[a + 1][b], length[a][b + 1])
    pairs: list[tuple[int, int]] = []
    a = b = 0
    while a < rows and b < columns and length[a][b]:
        if first[a] == second[b] and length[a][b] == length[a + 1][b + 1] + 1:
            later = next(
                (c for c in range(columns - 1, b, -1) if second[c] == first[a] and length[a][c] == length[a][b]), b
            ) if not pairs else b  # fmt: skip
            pairs.append((a, later))
            a, b = a + 1, later + 1
        elif length[a + 1][b] >= length[a][b + 1]:
            a += 1
        else:
            b += 1
    return pairs


def _instead(
    at: int, there: Sequence[Term], pairs: Sequence[tuple[int, int]], said: Sequence[Term]
) -> tuple[Term, Term] | None:
    """Returns a word of the statement and its opposite in the same position of the passage, if there is one."""
    if any(t.stem == said[at].stem for t in there):
        return None  # said elsewhere in the passage: "twelve in A and nine in B"
    low = max((b for a, b in pairs if a < at), default=-1)
    high = min((b for a, b in pairs if a > at), default=len(there))
    stop = next((n for n in range(low + 2, high) if there[n].apart), high)  # a contrast starts a different topic
    other = next((t for t in there[low + 1 : stop] if opposite(said[at].stem, t.stem)), None)
    return (said[at], other) if other is not None else None


def _turned(said: Sequence[Term], there: Sequence[Term], pairs: Sequence[tuple[int, int]]) -> str:
    """Returns what is negated on one side only, as a phrase; "" if the negations agree."""
    mine = [said[a] for a, b in pairs if said[a].negated and not there[b].negated]
    theirs = [there[b] for a, b in pairs if there[b].negated and not said[a].negated]
    low, high = pairs[0][1], pairs[-1][1]
    if bool(mine) == bool(theirs):
        return ""
    if any(t.negated for t in (there[low : high + 1] if mine else said)):
        return ""  # something else is negated, which may mean the same
    return f"“{mine[0].word}” without the negation" if mine else f"“not {theirs[0].word}”"


_JOINS = re.compile(r",|;|\b(?:and|or|but)\b")


def _broken(said: Sequence[Term], window: Window, pairs: Sequence[tuple[int, int]]) -> bool:
    """Returns whether a contrast or full stop separates words of the passage that are adjacent in the statement, or
    they belong to different parts of a list: "A fell in B and rose in C"."""
    there = window.terms
    for (a, b), (c, d) in pairwise(pairs):
        skipped = [(t.start, t.end) for t in there[b + 1 : d]]
        skipped += [(q.start, q.end) for q in window.numbers if there[b].end <= q.start < there[d].start]
        for join in _JOINS.finditer(window.text, there[b].end, max(there[b].end, there[d].start)) if c == a + 1 else ():
            sides = {start < join.start() for start, _ in skipped}
            if len(sides) == 2:
                return True
        if any(t.apart for t in there[b + 1 : d + 1]) and not any(t.apart for t in said[a + 1 : c + 1]):
            return True
    return False


def _other(
    mine: Quantity, numbers: Sequence[Quantity], said: Sequence[Term], window: Window, pairs: Sequence[tuple[int, int]]
) -> Quantity | None:
    """Returns the passage's number that corresponds to one of the statement: the only one that the statement lacks,
    otherwise the one directly before the word that follows the statement's, unless another is among the words."""
    left = [q for q in window.numbers if not any(agrees(one, q) for one in numbers) and q.percent == mine.percent]
    left = [q for q in left if (q.decimals > 0) == (mine.decimals > 0)]  # 4,000 isn't another value of what is 82.1
    if len(left) == 1:
        return left[0]
    last = next((b for a, b in reversed(pairs) if said[a].end <= mine.start), None)
    after = next((b for a, b in pairs if said[a].start >= mine.end), None)
    if after is None and last is not None:
        next_ = min((t.start for t in window.terms[last + 1 :]), default=len(window.text))
        behind = [q for q in left if window.terms[last].end <= q.start < next_]
        return behind[0] if len(behind) == 1 else None
    if after is None:
        return None
    word = window.terms[after]
    before = [
        q
        for q in window.numbers
        if q.end <= word.start and not any(q.end <= t.start < word.start for t in window.terms)
    ]
    low, high = window.terms[pairs[0][1]].start, window.terms[pairs[-1][1]].end
    others = [q for q in left if low <= q.start < high and q not in before[-1:]]
    return before[-1] if before and before[-1] in left and not others else None


def _belong(
    said: Sequence[Term], numbers: Sequence[Quantity], window: Window, pairs: Sequence[tuple[int, int]]
) -> bool:
    """Returns whether the passage contains the numbers in the statement's order, each next to the same words: no other
    number is between a number and the statement's next word on either side."""
    rest = iter(window.numbers)
    there = [next((q for q in rest if agrees(mine, q)), None) for mine in numbers]
    for mine, other in zip(numbers, there, strict=True):
        if other is None:
            return False
        before = [(a, b) for a, b in pairs if said[a].end <= mine.start]
        after = [(a, b) for a, b in pairs if said[a].start >= mine.end]
        for a, b in (*before[-1:], *after[:1]):
            low, high = sorted((window.terms[b].start, other.start))
            strange = [q for q in window.numbers if low < q.start < high and q not in there]
            if strange and abs(said[a].start - mine.start) < high - low:
                return False
    return True
