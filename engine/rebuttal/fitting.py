"""Which templates fit a comment: by what the reply shall do, the comment's root and themes, and its words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from engine.rebuttal.records import PERSONAL, STANCES, Action, Counted, Template
from engine.rebuttal.slots import SLOTS
from engine.revision.words import STOP_WORDS

_WORD = re.compile(r"[a-z]{3,}")
_ACTION, _STANCE, _ROOT, _THEME, _WORDS, _USE = 0.40, 0.08, 0.22, 0.13, 0.20, 0.05
"""How much each kind of fit counts; a template for any root or theme gets half of that."""
_TELLING = 0.9
FITS = ("action", "root", "theme")
"""Reasons that are kinds of fit; the others are sentences."""
OPENINGS: frozenset[Action] = frozenset({"thanks", "summary", "structuring"})


@dataclass(frozen=True, slots=True)
class Ranked:
    """A template for a comment: ``score`` 0 to 1, and what it rests on, for people."""

    template: Template
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a template is wanted for; ``root`` "" and ``themes`` () where nobody knows, ``action`` None while open.

    ``opening``: for the words before or after all replies. ``linked``: an edit of the paper answers the comment.
    """

    text: str
    root: str = ""
    themes: tuple[str, ...] = ()
    action: Action | None = None
    opening: bool = False
    linked: bool = False


class TemplateRanker:
    """Holds the words of a set of templates, so that ranking them for a comment takes a few milliseconds."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self.templates = tuple(templates)
        self._words = [Counter(_words(f"{t.text} {t.note} {' '.join(t.themes)}")) for t in self.templates]
        documents = Counter(word for words in self._words for word in words)
        total = len(self.templates) + 1
        self._rarity = {word: math.log(total / count) for word, count in documents.items()}
        self._norms = [_norm(words, self._rarity) for words in self._words]

    def rank(self, asked: Asked, counts: Mapping[str, Counted] | None = None) -> tuple[Ranked, ...]:
        """All templates that may stand there, best first; ties by the score of their ranking, then by their order.

        An opening wants thanks, summaries and words on structure; a reply wants the other actions. Templates whose
        stance is against the chosen action are left out.
        """
        said = dict(zip(_words(asked.text), _plain_words(asked.text), strict=True))
        query = Counter(_words(asked.text))
        norm = _norm(query, self._rarity)
        found = []
        for at, template in enumerate(self.templates):
            if (template.action in OPENINGS) != asked.opening and template.action != asked.action:
                continue
            if asked.action is not None and STANCES[asked.action] != STANCES[template.action]:
                continue
            shared = query.keys() & self._words[at].keys()
            cosine = 0.0
            if shared and norm and self._norms[at]:
                dot = sum(query[w] * self._words[at][w] * self._rarity[w] ** 2 for w in shared)
                cosine = dot / (norm * self._norms[at])
            counted = (counts or {}).get(template.source)
            rare = [w for w in sorted(shared, key=lambda w: -self._rarity[w]) if self._rarity[w] > 2 and len(w) > 3]
            found.append(_scored(template, asked, cosine, [said[w] for w in rare], counted))
        return tuple(sorted(found, key=lambda one: (-one.score, -(one.template.score or 0.0))))

    def search(self, text: str) -> tuple[Template, ...]:
        """The templates that hold all words of a search, in text, note, action, roots, themes or id."""
        wanted = text.casefold().split()
        return tuple(t for t in self.templates if all(word in _haystack(t) for word in wanted))


def _scored(template: Template, asked: Asked, cosine: float, shared: Sequence[str], counted: Counted | None) -> Ranked:
    score, reasons = _WORDS * cosine, []
    if asked.action is not None:
        if template.action == asked.action:
            score += _ACTION
            reasons.append("action")
        else:
            score += _STANCE
    elif not asked.opening:
        why, weights = _likely(asked)
        score += _ACTION * weights.get(template.action, 0.0)
        if weights.get(template.action, 0.0) >= _TELLING:
            reasons.append(why)
    if asked.root:
        if asked.root in template.roots:
            score += _ROOT
            reasons.append("root")
        elif not template.roots:
            score += _ROOT / 2
    if asked.themes:
        if set(asked.themes) & set(template.themes):
            score += _THEME
            reasons.append("theme")
        elif not template.themes:
            score += _THEME / 2
    if shared:
        reasons.append("words: " + ", ".join(shared[:3]))
    if counted is not None and counted.taken:
        score += _USE * (counted.kept + counted.satisfied) / (counted.taken + counted.kept + 1)
        reasons.append(f"used {counted.taken}×")
    if template.library == PERSONAL:
        score += _USE / 2
    return Ranked(template, min(score, 1.0), tuple(reasons))


def _likely(asked: Asked) -> tuple[str, Mapping[str, float]]:
    """Which actions a comment calls for, by rules of thumb, while the person has chosen none; 0 to 1."""
    if asked.linked:
        return "an edit is linked", {"task_done": 1.0, "concede_criticism": 0.5, "answer": 0.4}
    if "?" in asked.text:
        likely = {"answer": 1.0, "task_will_be_done": 0.5, "future_work": 0.4, "mitigate_criticism": 0.3}
        return "it is a question", likely
    return "", {"task_will_be_done": 0.6, "concede_criticism": 0.6, "task_done": 0.5, "mitigate_criticism": 0.4}


def _words(text: str) -> list[str]:
    stems: list[str] = stemmer().stemWords(_plain_words(text))
    return stems


def _plain_words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in SLOTS and word not in STOP_WORDS]


@cache
def stemmer() -> Any:
    """Snowball's English stemmer."""
    import Stemmer

    return Stemmer.Stemmer("english")


def _norm(words: Mapping[str, int], rarity: Mapping[str, float]) -> float:
    return math.sqrt(sum((count * rarity.get(word, 0.0)) ** 2 for word, count in words.items()))


def _haystack(template: Template) -> str:
    parts = (template.text, template.note, template.action.replace("_", " "), template.id, template.library)
    return " ".join((*parts, *template.roots, *template.themes)).casefold()
