"""Keyphrases of a paper: runs of content words that are frequent in its title, abstract and introduction.

After RAKE (Rose et al. 2010): candidates are between stop words and punctuation; their weight depends on frequency,
position, and number of words (the idea of C-value, Frantzi et al. 2000: a phrase that only occurs inside a longer one
is dropped).
"""

import re
from collections import defaultdict

from engine.review_drafting.anchoring import content_stems, stop_words
from engine.review_drafting.records import PaperReading

FEWEST, MOST = 3, 5
_BREAK = re.compile(r"[^\w\s-]|\d[\d.,]*%?|\s-\s")
_STOP = stop_words("phrases")


def keyphrases(paper: PaperReading) -> tuple[str, ...]:
    """Returns three to five keyphrases, the most important first; fewer only if the paper has no more words."""
    introduction = " . ".join(s.text for s in paper.sentences if s.part == "introduction")[:6000]
    body = " . ".join(s.text for s in paper.sentences if s.part not in ("abstract", "introduction"))
    abstract = paper.abstract or " . ".join(s.text for s in paper.sentences if s.part == "abstract")
    weights: defaultdict[str, float] = defaultdict(float)
    for text, weight in ((paper.title, 4.0), (abstract, 2.0), (introduction, 0.5)):
        for phrase in _candidates(text):
            weights[phrase] += weight
    words = re.findall(r"[\w-]+", f"{paper.title} {abstract} {introduction} {body}".casefold())
    everything = f" {' '.join(words)} "
    scored = {
        phrase: weight
        * (1.0 if " " in phrase or "-" in phrase or _names(phrase, paper) else 0.4)
        * (1.0 + 0.6 * (min(3, len(phrase.split())) - 1))
        * (1.0 + min(10, everything.count(f" {phrase} ")) / 4)
        for phrase, weight in weights.items()
    }
    taken: list[str] = []
    for phrase in sorted(scored, key=lambda p: (-scored[p], p)):
        stems = content_stems(phrase)
        if not stems or any(stems <= content_stems(other) or content_stems(other) <= stems for other in taken):
            continue
        taken.append(phrase)
        if len(taken) == MOST:
            break
    strongest = scored[taken[0]] if taken else 0.0
    return tuple(p for n, p in enumerate(taken) if n < FEWEST or scored[p] >= 0.15 * strongest)


def _names(word: str, paper: PaperReading) -> bool:
    """Returns whether a word is written as a name: with capitals inside, digits, or a capital within a sentence."""
    text = f"{paper.title}. {paper.abstract}"
    return any(
        sum(c.isupper() for c in found) > 1 or any(c.isdigit() for c in found) or found[:1].isupper()
        for found in re.findall(rf"(?<=[a-z,] ){re.escape(word)}\b", text, re.IGNORECASE)
    )


def _candidates(text: str) -> list[str]:
    found = []
    for stretch in _BREAK.split(text.casefold()):
        run: list[str] = []
        for word in [*stretch.split(), ""]:
            if word and word not in _STOP and len(word) > 2 and not word.endswith("ly"):
                run.append(word)
                continue
            if 0 < len(run) <= 4:
                found.append(" ".join(run))
            elif run:
                found.extend(" ".join(run[at : at + 3]) for at in range(len(run) - 2))
            run = []
    return [phrase for phrase in found if len(phrase) > 4]
