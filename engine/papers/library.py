"""The index of the local library: which records are the same paper, and which paper a user means."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rapidfuzz import fuzz, process

from engine.papers.names import parse_name
from engine.papers.records import LibraryPaper
from engine.text_search import folded

MatchKind = Literal["id", "doi", "arxiv", "source", "title", "similar title"]
SAME_TITLE = 95.0
"""From this ratio (0 to 100), titles of 30 or more characters are considered spellings of the same title."""
SAME_WORD = 50.0
LONG_TITLE = 30
SHORT_TITLE = 12
"""Shorter titles ("Editorial") identify a paper only with a shared author."""
_ROMAN = frozenset({"i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"})

_ARXIV_NEW = r"\d{4}\.\d{4,5}"
_ARXIV_OLD = r"[a-z-]+(?:\.[A-Z]{2})?/\d{7}"
ARXIV_ID = re.compile(rf"(?<![\w./-])({_ARXIV_NEW}|{_ARXIV_OLD})(v\d+)?(?![\w/]|\.\d)")
DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}|\\^`]+", re.IGNORECASE)


_LASTING = re.compile(r"[0-9a-f]{32,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{6,}|dblp:\S+", re.IGNORECASE)
"""Source ids that are unique everywhere. BibTeX keys are unique only within their file, so they never match."""


@dataclass(frozen=True, slots=True)
class Match:
    paper: LibraryPaper
    by: MatchKind


def normal_doi(text: str) -> str:
    """Returns a DOI in lower case without an address or "doi:" in front; "" if there is none."""
    found = DOI.search(text.strip())
    if found is None:
        return ""
    doi = found[0].rstrip(".,;:'”’")
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;")
    return doi.lower()


def normal_arxiv(text: str) -> str:
    """Returns an arXiv identifier in the old (``hep-th/9901001``) or new scheme, without version and prefix; "" if
    there is none. See https://info.arxiv.org/help/arxiv_identifier.html"""
    text = re.sub(r"(?i)^\s*arxiv:\s*", "", text.strip())
    doi = re.search(r"10\.48550/arxiv\.(\S+)", text, re.IGNORECASE)
    if doi is not None:
        text = doi[1]
    text = re.sub(r"(?i)^(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html|ps|format)/", "", text)
    text = re.sub(r"(?i)\.pdf$", "", text.split("?")[0].split("#")[0])
    found = re.fullmatch(rf"({_ARXIV_NEW}|{_ARXIV_OLD})(?:v\d+)?", text)
    # The subject class of an old identifier (math.GT/0309136) isn't part of it.
    return re.sub(r"\.[A-Z]{2}/", "/", found[1]) if found else ""


def identifiers(paper: LibraryPaper) -> tuple[tuple[MatchKind, str], ...]:
    """Returns the identifiers that a paper has: DOI, arXiv id and unique source id."""
    kinds: tuple[tuple[MatchKind, str], ...] = (
        ("doi", paper.doi),
        ("arxiv", paper.arxiv_id),
        ("source", paper.source_id if _LASTING.fullmatch(paper.source_id) else ""),
    )
    return tuple((kind, value.lower()) for kind, value in kinds if value)


def title_key(title: str) -> str:
    """Returns a title's words, folded: equal for spellings that differ in accents, case and punctuation."""
    return " ".join(re.findall(r"\w+", folded(title)))


@dataclass(frozen=True, slots=True)
class _Title:
    """What titles are compared by, computed once per paper."""

    key: str
    families: frozenset[str]
    numbers: tuple[str, ...]

    @staticmethod
    def of(paper: LibraryPaper) -> "_Title":
        key = title_key(paper.title)
        families = frozenset(name.family for name in map(parse_name, paper.authors) if name.family)
        numbers = tuple(word for word in key.split() if word in _ROMAN or any(ch.isdigit() for ch in word))
        return _Title(key, families, numbers)

    def agrees(self, other: "_Title") -> bool:
        if not self.key or not other.key:
            return False
        known = bool(self.families and other.families)
        shared = not self.families.isdisjoint(other.families)
        if self.key == other.key:
            return shared if known else len(self.key) >= SHORT_TITLE
        lengths = sorted((len(self.key), len(other.key)))
        if lengths[0] < LONG_TITLE or self.numbers != other.numbers or (known and not shared):
            return False
        # The ratio is at most 200 * shorter / (shorter + longer).
        if 200 * lengths[0] < SAME_TITLE * (lengths[0] + lengths[1]):
            return False
        if fuzz.ratio(self.key, other.key, score_cutoff=SAME_TITLE) < SAME_TITLE:
            return False
        # "... vector spaces" and "... scalar spaces" are different papers, however long the rest: differing words must
        # be spellings of each other.
        words, others = Counter(self.key.split()), Counter(other.key.split())
        mine, theirs = "".join((words - others).elements()), "".join((others - words).elements())
        return not (mine and theirs) or fuzz.ratio(mine, theirs) >= SAME_WORD


def titles_agree(one: LibraryPaper, other: LibraryPaper) -> bool:
    """Returns whether title, and authors if both have them, indicate the same paper."""
    return _Title.of(one).agrees(_Title.of(other))


def same_paper(one: LibraryPaper, other: LibraryPaper) -> MatchKind | None:
    """Returns why two records are the same paper, or None: a shared identifier, otherwise title and authors. A preprint
    and its published version share a title, so they count as the same paper despite different identifiers."""
    if one.id and one.id == other.id:
        return "id"
    theirs = dict(identifiers(other))
    for kind, value in identifiers(one):
        if theirs.get(kind) == value:
            return kind
    if titles_agree(one, other):
        return "title" if title_key(one.title) == title_key(other.title) else "similar title"
    return None


def told_apart(one: LibraryPaper, other: LibraryPaper) -> bool:
    """Returns whether both have source ids and these differ."""
    return bool(one.source_id and other.source_id) and one.source_id.lower() != other.source_id.lower()


def merged(kept: LibraryPaper, other: LibraryPaper) -> LibraryPaper:
    """Returns ``kept`` with values that only ``other`` has; existing values aren't overwritten."""
    changes = {
        name: getattr(other, name)
        for name in (
            "title", "abstract", "year", "venue", "authors", "doi", "arxiv_id", "source_id", "link", "text_sha256",
            "areas",
        )
        if not getattr(kept, name) and getattr(other, name)
    }  # fmt: skip
    if kept.open_access is None and other.open_access is not None:
        changes["open_access"] = other.open_access
    return replace(kept, **changes) if changes else kept


class Library:
    """Papers indexed by their identifiers and titles. Finding an exact identifier or title takes constant time."""

    def __init__(self, papers: Iterable[LibraryPaper] = ()) -> None:
        self._papers: dict[str, LibraryPaper] = {}
        self._by: dict[tuple[MatchKind, str], str] = {}
        self._by_title: dict[str, list[str]] = defaultdict(list)
        self._titles: dict[str, _Title] = {}
        self._words: dict[str, str] = {}
        for paper in papers:
            self.add(paper)

    def __len__(self) -> int:
        return len(self._papers)

    def add(self, paper: LibraryPaper) -> None:
        """Adds a paper, replacing one with the same key."""
        self._papers[paper.id] = paper
        for identifier in identifiers(paper):
            self._by.setdefault(identifier, paper.id)
        title = self._titles[paper.id] = _Title.of(paper)
        self._words[paper.id] = f"{title.key} {' '.join(sorted(title.families))}".strip()
        if title.key and paper.id not in self._by_title[title.key]:
            self._by_title[title.key].append(paper.id)

    def find(self, paper: LibraryPaper, *, fuzzy: bool = True) -> Match | None:
        """Returns the library's record of ``paper``; with ``fuzzy``, also one with a slightly different spelling of the
        title."""
        if paper.id in self._papers:
            return Match(self._papers[paper.id], "id")
        for identifier in identifiers(paper):
            if (found := self._by.get(identifier)) is not None:
                return Match(self._papers[found], identifier[0])
        title = _Title.of(paper)
        for candidate in self._by_title.get(title.key, ()):
            if self._titles[candidate].agrees(title):
                return Match(self._papers[candidate], "title")
        if fuzzy and len(title.key) >= LONG_TITLE:
            near = process.extract(
                title.key, self._by_title.keys(), scorer=fuzz.ratio, score_cutoff=SAME_TITLE, limit=5
            )
            for key, _score, _place in near:
                for candidate in self._by_title[key]:
                    if self._titles[candidate].agrees(title):
                        return Match(self._papers[candidate], "similar title")
        return None

    def search(self, text: str, limit: int = 8) -> tuple[LibraryPaper, ...]:
        """Returns papers whose title and authors contain the words of ``text``, best match first."""
        wanted = title_key(text)
        if not wanted:
            return ()
        found = process.extract(wanted, self._words, scorer=fuzz.token_set_ratio, score_cutoff=70.0, limit=limit)
        return tuple(self._papers[key] for _words, _score, key in found)


def duplicates(papers: Sequence[LibraryPaper]) -> tuple[tuple[LibraryPaper, ...], ...]:
    """Returns groups of records of the same paper, each in the given order; papers without a duplicate are omitted.
    Records match by identifier or title, transitively."""
    parent = list(range(len(papers)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    seen: dict[tuple[MatchKind, str], int] = {}
    titles = [_Title.of(paper) for paper in papers]
    ends: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, (paper, title) in enumerate(zip(papers, titles, strict=True)):
        for identifier in identifiers(paper):
            parent[root(place)] = root(seen.setdefault(identifier, place))
        # Spellings of a long title share their first or last letters; comparing only those is fast.
        mine = {("first", title.key[:8]), ("last", title.key[-8:])} if title.key else set()
        for end in mine:
            for other in ends[end]:
                if titles[other].agrees(title):
                    parent[root(place)] = root(other)
        for end in mine:
            ends[end].append(place)
    groups: dict[int, list[LibraryPaper]] = defaultdict(list)
    for place, paper in enumerate(papers):
        groups[root(place)].append(paper)
    found = [tuple(group) for group in groups.values() if len(group) > 1]
    order = {paper.id: place for place, paper in enumerate(papers)}
    return tuple(sorted(found, key=lambda group: order[group[0].id]))
