"""Texts of papers, and their words as matrices of counts, which lexical algorithms start from."""

from __future__ import annotations

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
_BODY_SHARE = 0.4  # a heading "References" before this part of a text is a table of contents


def paper_text(
    paper: PaperText, representation: Representation, separator: str = ". ", *, references: bool = True
) -> str:
    """Title, or title and abstract, or these and the body (with the list of ``references``), whatever is there."""
    body = paper.body if references else without_references(paper.body)
    parts = {"title": (paper.title,), "title+abstract": (paper.title, paper.abstract)}.get(
        representation, (paper.title, paper.abstract, body)
    )
    return separator.join(part for part in map(str.strip, parts) if part)


def without_references(text: str) -> str:
    """The text up to its list of references; whole where no such heading is found in its later part."""
    for found in _REFERENCES.finditer(text, int(len(text) * _BODY_SHARE)):
        return text[: found.start()]
    return text


def plain_words(text: str) -> list[str]:
    """Lower-case words of unaccented letters, as the reference implementation of TPMS cuts them."""
    if not text.isascii():
        text = unicodedata.normalize("NFD", text.translate(_LIGATURES))
        text = text.translate(_marks())
    return [word for word in _LETTERS.split(text.lower()) if word]


@cache
def _marks() -> dict[int, None]:
    return {code: None for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Mn"}


@cache
def stop_words() -> frozenset[str]:
    """The list of the TPMS reference implementation (``resources/expertise``)."""
    text = resource_text("expertise/tpms_stop_words.txt")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


@cache
def _porter() -> Callable[[str], str]:
    from nltk.stem.porter import PorterStemmer

    stemmer: Callable[[str], str] = PorterStemmer().stem
    return cache(stemmer)


def count_stems(text: str, spellings: dict[str, tuple[int, str]] | None = None) -> Counter[str]:
    """How often each Porter stem (NLTK's variant) is in a text, without stop words and single letters. ``spellings``
    gathers, for each stem, its most frequent word in one text, with how often."""
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
    """Counts of stems, papers x vocabulary; ``rows`` says which row is which paper, ``spellings`` is gathered by
    ``count_stems``."""

    rows: Mapping[str, int]
    vocabulary: Sequence[str]
    matrix: csr_matrix
    spellings: Mapping[str, tuple[int, str]] = field(default_factory=dict)

    def spelling(self, column: int) -> str:
        """A word that people write for the stem of a column."""
        stem = self.vocabulary[column]
        return self.spellings.get(stem, (0, stem))[1]

    def has_words(self, key: str) -> bool:
        """Whether anything was counted in a paper. Raises KeyError for one that was not read."""
        row = self.rows[key]
        return bool(self.matrix.indptr[row + 1] > self.matrix.indptr[row])

    def of(self, keys: Sequence[str]) -> csr_matrix:
        """Rows of these papers. Raises KeyError for one that was not counted."""
        return self.matrix[[self.rows[key] for key in keys]]


def count_words(
    papers: Mapping[str, PaperText], representation: Representation, *, report: Report, references: bool = False
) -> WordCounts:
    """Counts the stems of every paper; ``references`` keeps the list of references. Raises Cancelled."""
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
