"""Assigns edits to the groups of the list: running text, or one of the kinds of changes that are folded by default.

The kinds of paragraphs from the parser decide first; for "body" or "other", the words do, since a reference list, a
formula or a table may be parsed as running text in one version and not in the other.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Protocol

from engine.documents.records import DoubtfulPage, Paragraph
from engine.revision.parts import Part
from engine.revision.records import GROUP_TITLES, GROUPS, Edit, EditGroup, EditKind, RevisionDiff
from engine.revision.words import CITATION, NUMBER

_BY_KIND: dict[str, EditGroup] = {
    "caption": "captions",
    "table": "tables",
    "equation": "mathematics",
    "code": "code",
    "reference": "references",
}
_CAPTION = re.compile(
    r"(?:(?:Supplementary|Supporting|Extended Data|Appendix|S\d+)\s+)?"
    r"(?:Fig(?:ure)?|Table|Tab|Algorithm|Listing|Scheme|Box)"
    r"\b\.?\s*[A-Z]{0,2}\d*(?:[.-]\d+)*[a-z]?\s*[:.|–—]\s|S\d+\s+(?:Fig|Table|Text|File)\b",
    re.IGNORECASE,
)
_NOTE = re.compile(r"Notes?\s*[.:]|[a-h](?=[A-Z][a-z])|a [A-Z][^;]*; b [A-Z]")
"""Notes below a table or figure: "Notes: ...", or with superscript letters."""
_EMAIL = re.compile(r"\S+@\S+\.\w|\bORCID\b|\bE-?mail\b|Corresponding author", re.IGNORECASE)
_ENTRY_START = re.compile(
    r"\s*(?:\[[\w+-]{1,12}\]|\(?\d{1,3}[.)]?\s)?\s*(?:[A-Z][\w’'-]+,? (?:[A-Z]\.|[A-Z]{1,3}\b)|[A-Z]\. ?[A-Z-])"
)
_ENTRY_SIGNS = re.compile(
    r"\bdoi\b|https?://|arXiv|\bpp?\. ?\d|\bvol\.|\bIn:? (?:Proc|Advances|[A-Z]\w+ed)|\bet al\b|\b\d+ ?\(\d+\)|"
    r"\b\d{1,4}[:,] ?[A-Z]?\d+\s?[-–]\s?[A-Z]?\d+|\b(?:Press|Journal|Trans|Proceedings|URL|ISBN|PhD thesis)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d[a-z]?\b")
_WORD = re.compile(r"[^\W\d_]{3,}")
_FUNCTIONS = frozenset(
    {"exp", "log", "sin", "cos", "tan", "max", "min", "arg", "sup", "inf", "lim", "det", "var", "cov", "diag"}
)
_SHORT_WORDS = frozenset(
    re.findall(r"\w+", "a i am an as at be by do eg go he ie if in is it me my no of on or so to up us vs we")
)
_PROSE = re.compile(
    r"(?=.*[aeiouy\u00c0-\u024f])[A-Za-z\u00c0-\u024f][a-z\u00df-\u024f'’]{2,}\d*|[A-Z]{3,}s?\d*|"
    r".*[^\W\d_]{4}[\W_]+[^\W\d_]{3}.*"
)
"""A word of three letters or more, with a vowel unless it is all capitals, optionally followed by a number; or an
address or a name of several words."""
_PLACES = frozenset(
    ["figure", "table", "section", "equation", "algorithm", "listing", "theorem", "lemma", "appendix", "and"]
)
_FIGURE_OR_SIGN = re.compile(r"[\d.,]+|[^\w]+|№")
_NOTICE = re.compile(
    r"Permission to make digital|©|\(c\) ?\d{4}|Copyright|All rights reserved|Manuscript (?:received|submitted)|"
    r"(?:Received|Accepted):?\s|Preprint|Under review|Licen[sc]ed under|This (?:is an open access|work is licen[sc]ed)|"
    r"Creative Commons|https?://(?:dx\.)?doi\.org/\S*\s*$|\d{4}\. Manuscript|ACM Reference|"
    r"(?:Corresponding|Handling) editor|Citation:",
    re.IGNORECASE,
)
_LONGEST_NOTICE = 400
"""Characters of a notice; longer text that begins alike ("Preprints give authors ...") is prose, except permissions."""
_MATHEMATICAL = re.compile(r"[=<>≤≥≠≈±×÷∈∉⊂⊆∪∩∑∏∫√∞∂∇→←↔∥|+\u0370-\u03ff\ue000-\uf8ff\U0001d400-\U0001d7ff]")

FEW_WORDS = 3
"""Text with fewer words of three letters or more isn't running text: labels, numbers, parts of formulas."""


def group_of_edit(
    source: Sequence[Part], target: Sequence[Part], removed: Sequence[str], added: Sequence[str]
) -> EditGroup:
    """Returns the group of an edit; ``removed`` and ``added`` are the keys of the changed words."""
    weights: Counter[EditGroup] = Counter()
    for part in (*source, *target):
        weights[group_of_part(part)] += part.end - part.start
    group = weights.most_common(1)[0][0]
    if group == "text" and source and target and (removed or added):
        return _group_of_words([*removed, *added])
    return group


def may_answer(edit: Edit) -> bool:
    """Returns whether an edit may be suggested as an answer to comments: not entries of the reference list, authors and
    notices, which follow from other changes."""
    entry = edit.group == "references" and looks_like_reference(edit.target_text or edit.source_text)
    return not entry and edit.group not in ("authors", "other")


def only_reordered_formulas(removed: Sequence[str], added: Sequence[str]) -> bool:
    """Returns whether the change only reorders the symbols of formulas, whose lines may be read in another order."""
    return Counter(removed) == Counter(added) and all(map(_in_formula, removed))


def _group_of_words(changed: Sequence[str]) -> EditGroup:
    """Returns the group of an edit of running text by its changed words: only citations and references to figures,
    sections and the like, only formulas, or text."""
    left = [
        key
        for key, following in zip_longest(changed, changed[1:], fillvalue="")
        if not (key == NUMBER or key.startswith(CITATION) or (following == NUMBER and key in _PLACES) or key == "see")
    ]
    if not left:
        return "references"
    if all(map(_in_formula, left)) and any(not _FIGURE_OR_SIGN.fullmatch(key) for key in left):
        return "mathematics"
    return "text"


def _in_formula(key: str) -> bool:
    short = key.lower() in _SHORT_WORDS and key != "i"  # an index
    return key in _FUNCTIONS or not (_PROSE.fullmatch(key) or short or key == "%")


def group_of_part(part: Part) -> EditGroup:
    text, kind = part.text, part.paragraph.kind
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    if _NOTICE.match(text) and (len(text) <= _LONGEST_NOTICE or text.startswith("Permission to make")):
        return "other"
    if part.paragraph.page == 1 and len(text) < 400 and (_EMAIL.search(text) or _is_address(text)):
        return "authors"
    if _CAPTION.match(text) or _NOTE.match(text):
        return "captions"
    if looks_like_reference(text):
        return "references"
    words = [word for word in _WORD.findall(text) if word.lower() not in _FUNCTIONS]
    tokens = len(text.split())
    if len(re.findall(r"(?<!\S)[±(]?\d+(?:[.,]\d+)*[%)]?(?!\S)", text)) >= max(0.5 * tokens, FEW_WORDS):
        return "tables"
    if len(words) < 0.3 * tokens:
        return "mathematics" if _MATHEMATICAL.search(text) else "tables" if kind == "other" else "other"
    if kind == "other" and len(words) >= FEW_WORDS and text.isupper():
        return "captions"  # "TABLE II" is above it
    if kind == "other" or len(words) < FEW_WORDS:
        return "mathematics" if "=" in text else "other"
    return "text"


def _is_address(text: str) -> bool:
    """Returns whether a text consists of names or a place: mostly capitalised words, not ending like a sentence."""
    words = _WORD.findall(text)
    return len(text) < 100 and text[-1:] != "." and sum(map(str.islower, words)) <= 0.4 * len(words)


def looks_like_reference(text: str) -> bool:
    """Returns whether a paragraph looks like an entry of a reference list: names first, a year, and typical
    elements."""
    if len(text) > 1200 or not _ENTRY_START.match(text) or not _YEAR.search(text):
        return False
    return len(_ENTRY_SIGNS.findall(text)) >= (1 if len(text) < 400 else 2)


# Presentation of edits: selected groups, corresponding paragraphs, and what is unreliable about an edit.


@dataclass(frozen=True, slots=True)
class Aligned:
    """Paragraphs that correspond; ``kind`` is that of the edit, or "unchanged"."""

    source_ids: tuple[str, ...]
    target_ids: tuple[str, ...]
    kind: EditKind | str
    edit_id: str = ""


def aligned_pairs(diff: RevisionDiff, source: Sequence[Paragraph], target: Sequence[Paragraph]) -> tuple[Aligned, ...]:
    """Returns corresponding paragraphs in order of the revised text, with deletions in place, for synchronised
    scrolling. Every compared paragraph is in exactly one entry (changed words in drawings are in none). Entries with
    both sides that didn't move ascend on both sides, except footnotes and floats; positions between them are
    interpolated."""
    order = {paragraph.id: at for at, paragraph in enumerate(target)}
    source_order = {paragraph.id: at for at, paragraph in enumerate(source)}
    entries = [Aligned(old, new, "unchanged") for old, new in diff.unchanged]
    entries += [Aligned(edit.source_ids, edit.target_ids, edit.kind, edit.id) for edit in diff.edits if edit.target_ids]
    entries.sort(key=lambda entry: order[entry.target_ids[0]])
    gone = [Aligned(edit.source_ids, (), edit.kind, edit.id) for edit in diff.edits if not edit.target_ids]
    moved = {edit.id for edit in diff.edits if edit.moved}
    place: dict[int, int] = {}
    for at, entry in enumerate(entries):
        if entry.source_ids and entry.edit_id not in moved:
            place.setdefault(source_order[entry.source_ids[-1]], at)
    return _with_deletions(entries, gone, place, source_order)


class Version(Protocol):
    @property
    def paragraphs(self) -> Sequence[Paragraph]: ...
    @property
    def doubtful(self) -> Sequence[DoubtfulPage]: ...


def doubts(edits: Iterable[Edit], source: Version, target: Version) -> dict[str, tuple[str, ...]]:
    """Returns by edit, as sentences, what is unreliable about the pages that it was read from, or on which its other
    side may be: what seems deleted next to a scanned page may be on it."""
    found: dict[str, tuple[str, ...]] = {}
    edits = tuple(edits)
    for name, version, other in (("Submitted", source, target), ("Revised", target, source)):
        said = {doubt.page: f"{name} version: {doubt.sentence}" for doubt in version.doubtful}
        if not said:
            continue
        sides = [
            (e, e.source_ids, e.target_ids) if version is source else (e, e.target_ids, e.source_ids) for e in edits
        ]
        pages = {p.id: {p.page, *(box.page for box in p.boxes)} for p in version.paragraphs}
        same = {p.text: pages[p.id] for p in version.paragraphs}
        opposite = {p.id: same.get(p.text, set()) for p in other.paragraphs}
        for _, here, there in sides:
            opposite.update(dict.fromkeys(there, set().union(*(pages.get(key, ()) for key in here))))
        place, known = {key: at for at, key in enumerate(opposite)}, list(opposite.values())
        for edit, here, there in sides:
            own = set().union(*(pages.get(key, ()) for key in here))
            near = {page for page in own if page in said}
            if at := [place[key] for key in there if key in place]:
                # The pages between the preceding and the following text; for an edit with this side, those without
                # either.
                low = max(own) + 1 if own else max(next(filter(None, reversed(known[: at[0]])), {0}))
                high = min(next(filter(None, known[at[-1] + 1 :]), {max(said) + 1})) - bool(own)
                near |= {page for page in said if low <= page <= high}
            if near:
                found[edit.id] = (*found.get(edit.id, ()), *(said[page] for page in sorted(near)))
    return found


def _with_deletions(
    entries: Sequence[Aligned], gone: Sequence[Aligned], place: Mapping[int, int], source_order: Mapping[str, int]
) -> tuple[Aligned, ...]:
    follow: dict[int, list[Aligned]] = {}
    known = sorted(place)
    for entry in sorted(gone, key=lambda entry: source_order[entry.source_ids[0]]):
        before = bisect(known, source_order[entry.source_ids[0]])
        follow.setdefault(place[known[before - 1]] if before else -1, []).append(entry)
    result = list(follow.get(-1, ()))
    for at, entry in enumerate(entries):
        result.append(entry)
        result.extend(follow.get(at, ()))
    return tuple(result)


def in_groups(edits: Iterable[Edit], groups: Collection[str]) -> tuple[Edit, ...]:
    """Returns the edits in some of the groups, or all if these include "all"."""
    return tuple(edit for edit in edits if edit.group in groups or "all" in groups)


def folded(edits: Iterable[Edit], groups: Collection[str]) -> str:
    """Describes what a list of these groups leaves out: "12 in references, 1 in tables"; "" if nothing."""
    left = Counter(edit.group for edit in edits if edit.group not in groups and "all" not in groups)
    return ", ".join(f"{left[group]} in {GROUP_TITLES[group].lower()}" for group in GROUPS if left[group])
