"""Evidence that a comment and an edit belong together: each kind is an array (comments, edits).

Values are in natural units (cosines, shares of words, logarithms of counts), not standardised, so that they mean the
same in every paper. The two errors that ARIES finds in models (section 6.1) are being too topical and ignoring which
words of an edit are new; so added text, deleted text and the paragraph are compared separately.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.revision.aligners.base import Matrix
from engine.revision.aligners.lexical import (
    bm25,
    caption_of,
    post_revision,
    pre_revision,
    references,
    runs,
    stems,
    weights,
)
from engine.revision.aligners.replies import announcements, quoted_passages, sentences
from engine.revision.records import Candidate, PlaceReach, Query

# --- Shared words of all pairs at once (sparse matrices over a common vocabulary) -------------------------------------

UNKNOWN = 3.0
"""Weight of a stem that doesn't occur in the paper: about that of one that is in a few paragraphs."""


@lru_cache(maxsize=16384)
def stem_set(text: str) -> frozenset[str]:
    return frozenset(stem for stem, _ in stems(text))


class Vocabulary:
    """The stems of a paper with their weights (inverse document frequency over its paragraphs)."""

    def __init__(self, paragraphs: Sequence[str]) -> None:
        self._weights: Mapping[str, float] = weights(paragraphs)
        self._index: dict[str, int] = {}

    def incidence(self, texts: Sequence[str]) -> Any:
        """Returns a sparse matrix (texts, stems), 1 if a text contains a stem. Extends the vocabulary; rows stay
        comparable."""
        from scipy.sparse import csr_array

        rows: list[int] = []
        columns: list[int] = []
        for row, text in enumerate(texts):
            for stem in stem_set(text):
                rows.append(row)
                columns.append(self._index.setdefault(stem, len(self._index)))
        return csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(texts), len(self._index)))

    def telling(self) -> Matrix:
        return np.array([self._weights.get(stem, UNKNOWN) for stem in self._index])

    def found(self, wanted: Sequence[str], places: Sequence[str], *, slack: float = 0.0) -> Matrix:
        """Returns the share of each wanted text's stem weights that a place contains: (wanted, places), 0 to 1.

        ``slack`` is added to the denominator, so that a text of one common word isn't fully found everywhere.
        """
        asked, there = self._common(wanted, places)
        telling = self.telling()
        held = (asked * telling) @ there.T
        whole = asked @ telling + slack
        share: Matrix = held.toarray() / np.maximum(whole, 1e-9)[:, None]
        return share

    def _common(self, first: Sequence[str], second: Sequence[str]) -> tuple[Any, Any]:
        one, two = self.incidence(first), self.incidence(second)
        one.resize((len(first), len(self._index)))
        two.resize((len(second), len(self._index)))
        return one, two


def common_runs(first: Sequence[str], second: Sequence[str], length: int) -> Matrix:
    """Returns the number of different runs of ``length`` words that two texts share: (first, second)."""
    from scipy.sparse import csr_array

    index: dict[tuple[str, ...], int] = {}
    for text in first:
        for run in runs(text, length):
            index.setdefault(run, len(index))

    def incidence(texts: Sequence[str]) -> Any:
        pairs = [(row, index[run]) for row, text in enumerate(texts) for run in runs(text, length) if run in index]
        rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
        return csr_array((np.ones(len(pairs)), (rows, columns)), shape=(len(texts), max(1, len(index))))

    shared: Matrix = (incidence(first) @ incidence(second).T).toarray()
    return shared


Texts = Sequence[str]
REACH = 2.0
"""Distance, in edits, over which the weight of neighbours in the same section decays."""
SLACK = 3.0
"""Added to the denominator of shares of words (about one distinctive word), so that a one-word text is never fully
found."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The texts of all edits: added, deleted, the paragraph before and after, the section's title.

    ``changed`` is the added text, or the paragraph after if nothing was added.
    """

    added: tuple[str, ...]
    deleted: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    changed: tuple[str, ...]
    title: tuple[str, ...]
    section: tuple[str, ...]


def sides(candidates: Sequence[Candidate]) -> Sides:
    before = tuple(pre_revision(candidate) for candidate in candidates)
    after = tuple(post_revision(candidate) for candidate in candidates)
    added = tuple(candidate.added for candidate in candidates)
    return Sides(
        added=added,
        deleted=tuple(candidate.deleted for candidate in candidates),
        before=before,
        after=after,
        changed=tuple(a or w for a, w in zip(added, after, strict=True)),
        title=tuple(candidate.section.rsplit(" > ", 1)[-1] for candidate in candidates),
        section=tuple(candidate.section for candidate in candidates),
    )


def neighbours(texts: Sides) -> Matrix:
    """Returns weights (edits, edits) of the other edits of the same section, decaying with distance; rows sum to 1 or
    are 0."""
    at = np.arange(len(texts.section))
    sections = np.unique(np.array(texts.section, dtype=object).astype(str), return_inverse=True)[1]
    near = (sections[:, None] == sections[None, :]) * np.exp(-np.abs(at[:, None] - at[None, :]) / REACH)
    return _rows_to_one(near)


class Gatherer:
    """Computes the evidence of one revision. Every text is encoded once."""

    def __init__(
        self, queries: Sequence[Query], candidates: Sequence[Candidate], embedder: Embedder, report: Report
    ) -> None:
        self.texts = sides(candidates)
        self.comments = [query.comment for query in queries]
        self.contexts = [query.context or query.comment for query in queries]
        self.replies = [query.response for query in queries]
        self._places = [(query.named, query.reply_named) for query in queries]
        self._edit_ids = [candidate.edit_id for candidate in candidates]
        self._report = report
        self._words = Vocabulary([*self.texts.after, *self.texts.before])
        self._added_sentences = [sentences(text) for text in self.texts.changed]
        self._vectors = Vectors(embedder, self._all_texts(), report.part(0.0, 0.7))
        self._near = neighbours(self.texts)

    def _all_texts(self) -> list[str]:
        texts = self.texts
        listed = [*texts.changed, *texts.title, *self.comments, *self.contexts, *self.replies]
        for text in self.comments:
            listed.extend(sentences(text))
        for reply in self.replies:
            listed.extend(announcements(reply))
        for group in self._added_sentences:
            listed.extend(group)
        return listed

    def of_comments(self) -> dict[str, Matrix]:
        texts, words = self.texts, self._words
        asked = words.found(self.comments, texts.added, slack=SLACK)
        self._report.check()
        return {
            "comment_sentences": self._nearest_sentences(self.comments),
            "comment_words": asked,
            "comment_sentence_words": self._best_sentence(self.comments, sentences, texts.added),
            "comment_deleted_words": words.found(self.comments, texts.deleted, slack=SLACK),
            "comment_quotes_source": np.log1p(common_runs(self.comments, texts.before, 4)),
            "comment_bm25_paragraph": np.sqrt(bm25(self.comments, texts.after)),
            "comment_section_words": asked @ self._near.T,
            "context_added": self._vectors(self.contexts) @ self._vectors(texts.changed).T,
            "context_title": words.found(texts.title, self.contexts).T,
            "context_caption": self._captions(self.contexts, of_reply=False),
            "comment_place": self._named_places(of_reply=False, reach="exact"),
            "comment_region": self._named_places(of_reply=False, reach="region"),
        }

    def of_replies(self) -> dict[str, Matrix]:
        """Returns the evidence in the replies; 0 in the row of a comment without one."""
        texts, words = self.texts, self._words
        cosine = self._vectors(self.replies) @ self._vectors(texts.changed).T
        quoted = self._quoted()
        self._report.check()
        elsewhere = quoted.max(axis=1, keepdims=True, initial=0.0) * (quoted == 0.0)
        named = self._named(self.replies)
        return {
            "reply_covers": words.found(texts.added, self.replies, slack=SLACK).T,
            "reply_caption": self._captions(self.replies, of_reply=True),
            "reply_section": cosine @ self._near.T,
            "reply_sentence_title": self._best_sentence(self.replies, sentences, texts.title, of_place=True) * named,
            "claim_meaning": self._best_vector(texts.changed),
            "claim_title_meaning": self._best_vector(texts.title),
            "claim_words": self._best_sentence(self.replies, announcements, texts.added),
            "claim_title": self._best_sentence(self.replies, announcements, texts.title, of_place=True) * named,
            "claim_deleted_words": self._best_sentence(self.replies, announcements, texts.deleted),
            "quoted": quoted,
            "not_quoted_elsewhere": 1.0 - elsewhere,
            "reply_place": self._named_places(of_reply=True, reach="exact"),
            "reply_region": self._named_places(of_reply=True, reach="region"),
        }

    def _named(self, asked: Texts) -> Matrix:
        """Returns 0 where a one-word title occurs in a text only by its stem ("limited" doesn't name "Limitations"),
        else 1."""
        named = np.ones((len(asked), len(self.texts.title)))
        spoken = [{_singular(word) for _, word in stems(text)} for text in asked]
        for column, title in enumerate(self.texts.title):
            own = [word for _, word in stems(title)]
            if len(own) == 1:
                named[:, column] = [_singular(own[0]) in words for words in spoken]
        return named

    def _nearest_sentences(self, asked: Texts) -> Matrix:
        """Returns the highest cosine between a sentence of the comment and an added sentence."""
        of_asked = [sentences(text) for text in asked]
        flat = self._vectors([s for group in of_asked for s in group])
        added = self._vectors([s for group in self._added_sentences for s in group])
        best = np.zeros((len(asked), len(self._added_sentences)))
        if flat.size and added.size:
            by_edit = _grouped(flat @ added.T, self._added_sentences, axis=1)
            best = _grouped(by_edit, of_asked, axis=0)
        return best

    def _best_sentence(
        self, asked: Texts, cut: Callable[[str], tuple[str, ...]], places: Texts, *, of_place: bool = False
    ) -> Matrix:
        """Returns for the best sentence of a text the share of its words in the place, or (``of_place``) of the place's
        words in it."""
        groups = [tuple(s for s in cut(text) if len(s) > 15) for text in asked]
        flat = [s for group in groups for s in group]
        share = self._words.found(places, flat).T if of_place else self._words.found(flat, places, slack=SLACK)
        return _grouped(share, groups, axis=0)

    def _best_vector(self, places: Texts) -> Matrix:
        """Returns the highest cosine between a sentence that announces a change and a place."""
        groups = [announcements(reply) for reply in self.replies]
        flat = self._vectors([s for group in groups for s in group])
        return _grouped(flat @ self._vectors(places).T, groups, axis=0)

    def _quoted(self) -> Matrix:
        """Returns how much of a passage quoted by the reply is in the edit's paragraph, if part of it is new."""
        groups = [quoted_passages(reply) for reply in self.replies]
        flat = [passage for group in groups for passage in group]
        whole = np.maximum(1.0, np.diag(common_runs(flat, flat, 3)))[:, None]
        stands = common_runs(flat, self.texts.after, 3) / whole
        new = common_runs(flat, self.texts.added, 3) / whole
        return _grouped(stands * ((stands >= 0.5) & (new >= 0.15)), groups, axis=0)

    def _named_places(self, *, of_reply: bool, reach: PlaceReach) -> Matrix:
        """Returns 1 where a text names a place at which the edit is."""
        named = [[place for place in both[of_reply] if place.reach == reach] for both in self._places]
        return np.array(
            [[float(any(edit in place.edit_ids for place in own)) for edit in self._edit_ids] for own in named]
        ).reshape(len(named), len(self._edit_ids))

    def _captions(self, asked: Texts, *, of_reply: bool) -> Matrix:
        """Returns 1 where a text names the figure or table whose caption (or rows, if both PDFs are available) the edit
        is."""
        captions = [caption_of(text) for text in self.texts.after]
        said = [[float(bool(references(text) & own)) for own in captions] for text in asked]
        found: Matrix = np.maximum(
            np.array(said).reshape(len(asked), len(captions)), self._named_places(of_reply=of_reply, reach="caption")
        )
        return found


class Vectors:
    """Vectors by text; that of an empty text is zero."""

    def __init__(self, embedder: Embedder, texts: Texts, report: Report) -> None:
        unique = list(dict.fromkeys(text for text in texts if text.strip()))
        vectors = embedder.encode(unique, report)
        self._rows = {text: row for row, text in enumerate(unique)}
        self._vectors = np.vstack([vectors, np.zeros((1, vectors.shape[1]))]).astype(np.float64)

    def __call__(self, texts: Texts) -> Matrix:
        rows: Matrix = self._vectors[[self._rows.get(text, -1) for text in texts]]
        return rows


def _singular(word: str) -> str:
    return word.casefold().removesuffix("s")


def _grouped(values: Matrix, groups: Sequence[Sequence[object]], *, axis: int) -> Matrix:
    """Returns the maximum of each group along an axis, at least 0; 0 for an empty group."""
    sizes = np.array([len(group) for group in groups], dtype=int)
    shape = (len(groups), values.shape[1]) if axis == 0 else (values.shape[0], len(groups))
    best = np.zeros(shape)
    filled = np.flatnonzero(sizes)
    if filled.size:
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])[filled]
        highest = np.maximum(0.0, np.maximum.reduceat(values, starts, axis=axis))
        if axis == 0:
            best[filled] = highest
        else:
            best[:, filled] = highest
    return best


def _rows_to_one(matrix: Matrix) -> Matrix:
    """Zeroes the diagonal and divides each row by its sum; rows without any weight stay 0."""
    others = matrix.astype(float)
    np.fill_diagonal(others, 0.0)
    total = others.sum(axis=1, keepdims=True)
    shares: Matrix = np.divide(others, total, out=np.zeros_like(others), where=total > 1e-9)
    return shares
