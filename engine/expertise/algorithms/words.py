"""Texts of papers, and their word counts as matrices for lexical algorithms."""

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from engine.expertise.records import PaperText, Representation
from engine.jobs import Report
from engine.resource_files import resource_text

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_LETTERS = re.compile("[^a-zA-Z]+")
_LIGATURES = str.maketrans({"æ": "ae", "ø": "o", "¨": "o", "ß": "ss", "Ø": "o"})
_REFERENCES = re.compile(r"\n\s*(?:\d+\.?\s*)?(?:references|bibliography|literature cited)\s*\n", re.IGNORECASE)
_BODY_SHARE = 0.4  # an earlier heading "References" is in a table of contents


def paper_text(
    paper: PaperText, representation: Representation, separator: str = ". ", *, references: bool = True
) -> str:
    """Returns the title, or also the abstract, or also the body (with or without its list of ``references``), as far as
    available."""
    body = paper.body if references else without_references(paper.body)
    parts = {"title": (paper.title,), "title+abstract": (paper.title, paper.abstract)}.get(
        representation, (paper.title, paper.abstract, body)
    )
    return separator.join(part for part in map(str.strip, parts) if part)


def without_references(text: str) -> str:
    """Returns the text before its list of references; the whole text if its later part has no such heading."""
    for found in _REFERENCES.finditer(text, int(len(text) * _BODY_SHARE)):
        return text[: found.start()]
    return text


def plain_words(text: str) -> list[str]:
    """Returns lower-case words of unaccented letters, split like the reference implementation of TPMS."""
    if not text.isascii():
        text = unicodedata.normalize("NFD", text.translate(_LIGATURES))
        text = text.translate(_marks())
    return [word for word in _LETTERS.split(text.lower()) if word]


@cache
def _marks() -> dict[int, None]:
    return {code: None for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Mn"}


@cache
def stop_words() -> frozenset[str]:
    """Returns the list from the TPMS reference implementation (``resources/expertise``)."""
    text = resource_text("expertise/tpms_stop_words.txt")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


@cache
def _porter() -> Callable[[str], str]:
    from nltk.stem.porter import PorterStemmer

    stemmer: Callable[[str], str] = PorterStemmer().stem
    return cache(stemmer)


def count_stems(text: str, spellings: dict[str, tuple[int, str]] | None = None) -> Counter[str]:
    """Counts Porter stems (NLTK's variant) in a text, without stop words and single letters. ``spellings`` collects,
    for each stem, the word with the highest count in one text, with that count."""
    stem, stop = _porter(), stop_words()
    found: Counter[str] = Counter()
    for word, count in Counter(plain_words(text)).items():
        if len(word) > 1 and word not in stop:
            root = stem(word)
            found[root] += count
            if spellings is not None and count > spellings.get(root, (0, ""))[0]:
                spellings[root] = (count, word)
    return found


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Counts of stems, papers x vocabulary. ``rows`` maps papers to rows; ``spellings`` comes from ``count_stems``."""

    rows: Mapping[str, int]
    vocabulary: Sequence[str]
    matrix: "csr_matrix"
    spellings: Mapping[str, tuple[int, str]] = field(default_factory=dict)

    def spelling(self, column: int) -> str:
        """Returns a word with the stem of a column."""
        stem = self.vocabulary[column]
        return self.spellings.get(stem, (0, stem))[1]

    def has_words(self, key: str) -> bool:
        """Returns whether a paper has any counted words. Raises KeyError for one that wasn't read."""
        row = self.rows[key]
        return bool(self.matrix.indptr[row + 1] > self.matrix.indptr[row])

    def of(self, keys: Sequence[str]) -> "csr_matrix":
        """Returns the rows of these papers. Raises KeyError for one that wasn't counted."""
        return self.matrix[[self.rows[key] for key in keys]]


def count_words(
    papers: Mapping[str, PaperText], representation: Representation, *, report: Report, references: bool = False
) -> WordCounts:
    """Counts the stems of all papers; ``references`` includes the list of references. Raises Cancelled."""
    from scipy.sparse import csr_matrix

    vocabulary: dict[str, int] = {}
    spellings: dict[str, tuple[int, str]] = {}
    columns: list[int] = []
    counts: list[int] = []
    starts = [0]
    for number, paper in enumerate(papers.values()):
        report.progress(number / len(papers), "Counting words")
        text = paper_text(paper, representation, "\n", references=references)
        for word, count in count_stems(text, spellings).items():
            columns.append(vocabulary.setdefault(word, len(vocabulary)))
            counts.append(count)
        starts.append(len(columns))
    matrix = csr_matrix(
        (np.array(counts, dtype=np.float64), np.array(columns, dtype=np.int32), np.array(starts)),
        shape=(len(papers), len(vocabulary)),
    )
    return WordCounts({key: row for row, key in enumerate(papers)}, list(vocabulary), matrix, spellings)
