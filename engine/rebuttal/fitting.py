"""Finds the templates that fit a comment, by comparing it with sentences that make known requests."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.rebuttal.records import PERSONAL, Action, Counted, Template
from engine.rebuttal.slots import words_between
from engine.rebuttal.templates import requests
from engine.reviews.cues import ASKING, SILENT, sentence_role
from engine.reviews.sentences import split_sentences
from engine.text_search import folded

Vectors = NDArray[np.float32]
FITS_FROM = 0.32
"""The minimum similarity for offering a template; set on development letters."""
_RIVAL = 0.75
"""The share of the best similarity that another request needs to be considered as well."""
_PREFERRED, _USED = 0.04, 0.05
"""What a likely action, and successful use in earlier responses, add to the score."""
OPENINGS: frozenset[Action] = frozenset({"thanks", "summary", "structuring"})

_WORD = re.compile(r"[a-z]+")
_SMALL = frozenset(
    ("a", "an", "and", "are", "as", "at", "authors", "be", "by", "for", "from", "i", "in", "is", "it", "its", "of",
     "on", "or", "please", "that", "the", "their", "there", "these", "this", "those", "to", "was", "we", "were", "with",
     "you")
)  # fmt: skip
"""Words that say nothing about a request. Other function words ("why", "how", "should") do here."""
_ARROW = re.compile(r"^(?:.{0,200}?(?:->|–>|→)|.{1,200}?(?:=>|⇒)).{1,200}$")
_QUOTED = re.compile(r"“[^”]+”|\"[^\"]+\"|[‘’][^‘’]{1,80}’(?!\w)")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A template for a comment: ``score`` 0 to 1, and the reasons for it in words."""

    template: Template
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a template is needed for; ``root`` "" and ``themes`` () if unknown, ``action`` None while undecided.
    ``opening``: for the text before or after all replies. ``linked``: an edit of the paper is linked to the comment."""

    text: str
    root: str = ""
    themes: tuple[str, ...] = ()
    action: Action | None = None
    opening: bool = False
    linked: bool = False


class _Group(NamedTuple):
    """Templates that answer one request; its sentences are ``start`` to ``end`` of all sentences."""

    reason: str
    templates: tuple[Template, ...]
    start: int
    end: int


class TemplateRanker:
    """Indexes a set of templates, so that ranking them for a comment takes a few milliseconds."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self.templates = tuple(templates)
        self._texts: tuple[str, ...] = ()
        self._groups: list[_Group] = []
        listed: set[str] = set()
        for request in requests():
            at = {key: number for number, key in enumerate(request.templates)}
            own = sorted((t for t in templates if t.id in at), key=lambda t: at[t.id])
            self._add(f"for requests to {request.title}", own, request.sentences)
            listed |= at.keys()
        for template in templates:
            if template.id not in listed and template.action not in OPENINGS:
                words = " ".join(words_between(template.text))
                self._add("worded like the comment", [template], [words, *filter(None, [template.note])])
        stems = list(map(_stems, self._texts))
        spread = Counter(word for g in self._groups for word in frozenset().union(*stems[g.start : g.end]))
        self._columns = {word: number for number, word in enumerate(spread)}
        total = len(self._groups) + 1
        self._rarity = np.array([math.log(total / count) + 0.2 for count in spread.values()], dtype=np.float32)
        self._words = self._weighted(stems)

    def _add(self, reason: str, templates: Sequence[Template], sentences: Sequence[str]) -> None:
        if templates:
            start = len(self._texts)
            self._texts += tuple(plain_sentence(sentence) for sentence in sentences)
            self._groups.append(_Group(reason, tuple(templates), start, len(self._texts)))

    def rank(self, asked: Asked, counts: Mapping[str, Counted] | None = None) -> tuple[Ranked, ...]:
        """Returns the templates that fit, best first: with the chosen action, and not only for another aspect. For an
        opening, returns all thanks, summaries and sentences on structure."""
        if asked.opening:
            actions = OPENINGS if asked.action is None else {asked.action}
            return tuple(Ranked(t, 0.0, ()) for t in self.templates if t.action in actions)
        own = _parts(asked.text)
        if not own or not self._groups:
            return ()
        # einsum runs on one core: for products this small, threads cost more than they save.
        likeness = np.einsum("ij,kj->ik", self._weighted([_stems(part) for part in own]), self._words)
        # Two sentences that match are better evidence than one that happens to share its words.
        best = [np.sort(likeness[:, g.start : g.end], axis=1)[:, -2:].mean(axis=1) for g in self._groups]
        enough = max(FITS_FROM, _RIVAL * float(max(map(np.max, best))))
        found: list[Ranked] = []
        for group, scores in zip(self._groups, best, strict=True):
            if (score := float(scores.max())) >= enough:
                preferred = "task_done" if asked.linked else "answer" if "?" in own[int(scores.argmax())] else None
                for template in (one for one in group.templates if _may_stand(one, asked)):
                    more, used = _preference(template, asked, preferred, (counts or {}).get(template.source))
                    found.append(Ranked(template, min(score + more, 1.0), (group.reason, *used)))
        return tuple(sorted(found, key=lambda one: (-one.score, -(one.template.score or 0.0))))

    def search(self, text: str) -> tuple[Template, ...]:
        """Returns the templates that contain all words of a search in text, note, action, roots, themes or id."""
        wanted = folded(text).split()
        return tuple(t for t in self.templates if all(word in _haystack(t) for word in wanted))

    def _weighted(self, stems: Sequence[frozenset[str]]) -> Vectors:
        """Returns rows whose products are the weighted share of words that two sentences have in common, 0 to 1."""
        rows: Vectors = np.zeros((len(stems), len(self._columns)), dtype=np.float32)
        for number, words in enumerate(stems):
            known = [self._columns[word] for word in words if word in self._columns]
            unknown = 2.5 * (len(words) - len(known))  # words that occur in no request are weighted like rare ones
            weight = float(self._rarity[known].sum()) + unknown
            rows[number, known] = np.sqrt(self._rarity[known] / (weight or 1.0))
        return rows


def _may_stand(template: Template, asked: Asked) -> bool:
    aspect = asked.root in ("", "other") or not template.roots or asked.root in template.roots
    return aspect and asked.action in (None, template.action)


def _preference(
    template: Template, asked: Asked, action: str | None, counted: Counted | None
) -> tuple[float, tuple[str, ...]]:
    """Returns what a template gains among those that fit equally well, and a reason if earlier use contributes."""
    own = (template.library == PERSONAL) + bool(set(asked.themes) & set(template.themes))
    more = _PREFERRED * ((template.action == action) + own / 2)
    if counted is None or not counted.taken:
        return more, ()
    good = (counted.kept + counted.satisfied) / (counted.taken + counted.kept + 1)
    return more + _USED * good, (f"used {counted.taken}×",)


@lru_cache(maxsize=4096)
def _parts(comment: str) -> tuple[str, ...]:
    """Returns the sentences of a comment that ask for something, or else all but praise and summaries, normalised for
    comparison."""
    said = [comment[span.start : span.end] for span in split_sentences(comment)]
    asking = [one for one in said if sentence_role(one) in ASKING]
    found = list(map(plain_sentence, asking or [one for one in said if sentence_role(one) not in SILENT] or said))
    return tuple(part for part in found if len(_WORD.findall(part.casefold())) > 1) or tuple(found[:1])


def plain_sentence(text: str) -> str:
    """Normalises a sentence for comparison: a correction ("teh -> the") becomes words, and quotations are replaced."""
    words = " ".join(text.split())
    return "replace this by that" if _ARROW.match(words) else _QUOTED.sub("“this”", words)


def _stems(text: str) -> frozenset[str]:
    words = [word for word in _WORD.findall(text.casefold()) if word not in _SMALL]
    return frozenset(stemmer().stemWords(words))


@cache
def stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


def _haystack(template: Template) -> str:
    parts = (template.text, template.note, template.action.replace("_", " "), template.id, template.library)
    return folded(" ".join((*parts, *template.roots, *template.themes)))
