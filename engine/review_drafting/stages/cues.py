"""Finds statements of a paper by the words that introduce them, best first.

Rules, not a model: a pattern determines the kind of statement, the part of the paper how likely the sentence is about
the paper itself (an introduction also reports others' work).
"""

import re
from collections.abc import Container, Iterable, Sequence
from typing import Literal

from engine.review_drafting.records import PaperReading, Part, Sentence

Statement = Literal["aim", "contribution", "method", "assumption", "novelty", "result", "limitation", "resource"]

_OWN = (
    r"(?:we|this (?:paper|work|study|article|manuscript|review|survey)|our (?:work|study|paper|method|approach|model))"
)
_PATTERNS: dict[Statement, tuple[tuple[str, float], ...]] = {
    "aim": (
        (rf"\b{_OWN} (?:ask|aim|seek|sought|address|investigate|examine|study|explore|evaluate|assess"
         r"|consider)\w*\b", 2.0),
        (r"\b(?:the (?:aim|goal|purpose|objective)|our (?:aim|goal|objective|hypothesis|question))"
         r" (?:of|is|was)\b", 2.5),
        (r"\bresearch questions?\b|\bin order to (?:assess|understand|determine)\b", 1.0),
    ),
    "contribution": (
        (rf"\b{_OWN} (?:propose|introduce|present|develop|contribute|provide|offer|describe|created?|built|construct)"
         r"(?:s|d|ed)?\b", 2.5),
        (r"\b(?:our|(?:main|key) contributions?(?: of (?:this|our))?) contributions?\b|\bcontributions? of (?:this"
         r"|our)\b", 3.0),
        (r"\bwe (?:show|demonstrate|prove|establish|find|found|identify|conclude|applied|predicted"
         r"|integrated)\w*\b", 1.0),
    ),
    "method": (
        (r"\bwe (?:use|used|train|trained|apply|applied|compute|computed|fit|fitted|estimate|estimated|model|modell?ed"
         r"|optimi[sz]ed?|adopt|adopted|employ|employed|implement|implemented|calculated|built|constructed|predicted"
         r"|encoded|extracted|collected|sampled)\b", 2.0),
        (r"\b(?:our|the proposed) (?:method|approach|model|algorithm|framework|pipeline|architecture) (?:is|was|uses?"
         r"|used|learns?|consists|works|takes|combines?|computes?|predicts?|reads?|first|then)\b", 2.0),
        (r"\b(?:our|the proposed) (?:method|approach|model|algorithm|framework|pipeline|architecture)\b", 0.8),
        (r"\b(?:is|are|was|were) (?:trained|computed|estimated|optimi[sz]ed|initiali[sz]ed|implemented|calculated"
         r"|fitted)\b",
         1.5),
        (r"\b(?:consists of|is based on|is defined as|loss function|objective function)\b", 1.0),
    ),
    "assumption": (
        (r"\b(?:we|our \w+) (?:assumes?|assumed|suppose|restrict|restricted|limit ourselves|focus(?:ed)? only"
         r"|only (?:consider|considered|include|included|use|used))\b", 3.0),
        (r"\b(?:under the assumption|assuming that|our assumptions?|is assumed|are assumed|it is assumed)\b", 2.5),
        (r"\b(?:i\.i\.d\.|independent and identically|we excluded|(?:was|were) excluded"
         r"|does not (?:account|consider|apply|include))\b", 1.0),
    ),
    "limitation": (
        (r"\b(?:limitations?|caveats?|shortcomings?) (?:of|to|in) (?:our|this|the (?:present|current))\b"
         r"|\bour \w+(?: \w+){0,4} (?:is|are|was|were) (?:\w+ )?limited\b|\b(?:one|a|another|main|major)"
         r" limitation\b", 2.5),
        (r"\bwe (?:could|can|did|do) not\b|\bwe (?:were|are) (?:unable|not able)\b|\bbeyond the scope of (?:this|our)\b"
         r"|\bour \w+(?: \w+){0,3} (?:do|does|did|could|can) ?not\b", 1.5),
        (r"\b(?:we leave|is left for|are left for|for|in) future (?:work|research|studies)\b", 1.5),
    ),
    "novelty": (
        (r"\b(?:for the first time|the first (?:to|method|work|study|approach|\w+ to)|to (?:the best of )?our"
         r" knowledge)\b",
         3.0),
        (r"\b(?:a|our|this|these|the|two|three|several|and) novel (?:\w+[ -]){0,3}?(?:method|approach|model"
         r"|algorithm|framework"
         r"|architecture|technique|data ?set|resource|benchmark|perspective|task|loss|measure|metric|theory)s?\b", 2.0),
        (r"\b(?:unlike|in contrast to) (?:previous|prior|existing|earlier|other)\b|\bno (?:previous|prior|existing)\b"
         r"|\bhas not (?:yet )?been\b|\bhave not (?:yet )?been\b", 2.0),
        (r"\b(?:we|our \w+)\b.*\b(?:state[- ]of[- ]the[- ]art|outperform\w*)\b", 1.5),
        (r"\bnew (?:method|approach|model|algorithm|dataset|resource|benchmark|framework|perspective)\b", 1.5),
    ),
    "result": (
        (r"\b(?:outperform\w*|improv\w+|increas\w+|decreas\w+|reduc\w+|exceed\w*)\b.*\d", 2.0),
        (r"\b(?:accuracy|auroc|auc|f1|precision|recall|error|bleu|rouge|correlation|r2|odds ratio|p ?[<=])\b.*\d", 2.0),
        (r"\bwe (?:found|find|observed?|identified|achieved?|obtained?|recovered)\b", 1.5),
        (r"\bresults? (?:show|suggest|indicate|demonstrate|reveal)\w*\b", 2.0),
        (r"\bsignificantly\b|\b(?:statistically|(?:is|are|was|were|not)(?: \w+ly)?) significant\b|\bsignificant"
         r" (?:\w+ )?(?:differences?|effects?|improvements?|gains?|increases?|decreases?|reductions?|correlations?"
         r"|associations?|trends?)\b|\bover-?represent\w*\b|\bunder-?represent\w*\b", 1.0),
    ),
    "resource": (
        (r"\b(?:code|software|source|data|datasets?|scripts?|notebooks?|models?|predictions)\b.{0,80}"
         r"\b(?:available|released?|github|zenodo|figshare|public domain|open source|open-source|repository)\b", 2.5),
        (r"github\.com|zenodo\.org|figshare\.com|doi\.org/10\.5281", 2.0),
    ),
}  # fmt: skip
CUES: dict[Statement, tuple[tuple[re.Pattern[str], float], ...]] = {
    kind: tuple((re.compile(pattern, re.IGNORECASE), weight) for pattern, weight in cues)
    for kind, cues in _PATTERNS.items()
}

_WEIGHTS: dict[Statement, dict[Part, float]] = {
    "aim": {"abstract": 2.0, "introduction": 1.2, "discussion": 0.3, "method": 0.3},
    "contribution": {"abstract": 2.0, "introduction": 1.3, "conclusion": 1.2, "discussion": 0.8, "method": 0.4},
    "method": {"method": 1.5, "abstract": 1.3, "introduction": 0.6, "data": 1.0, "results": 0.5},
    "assumption": {"method": 1.5, "data": 1.2, "limitations": 1.2, "discussion": 0.8, "introduction": 0.6},
    "limitation": {"limitations": 2.0, "discussion": 1.5, "conclusion": 1.3, "method": 0.8, "results": 0.7},
    "novelty": {"abstract": 1.8, "introduction": 1.3, "conclusion": 1.2, "discussion": 0.8, "related": 0.6},
    "result": {"abstract": 2.0, "results": 1.3, "conclusion": 1.2, "discussion": 1.0, "introduction": 0.6},
    "resource": {"abstract": 1.2, "data": 1.5, "conclusion": 1.0},
}
_ELSEWHERE = 0.3
_OWN_PARTS: frozenset[Part] = frozenset(
    ("abstract", "method", "data", "results", "limitations", "conclusion", "appendix")
)
_ANYBODY: frozenset[Statement] = frozenset(("resource",))
_OTHERS = re.compile(r"\bet al\b|\[\d+|\b(?:19|20)\d\d[a-z]?\)")
_NO_CLAIM = re.compile(
    r"\bwe (?:next |first |then |now |briefly |also )?(?:introduce|describe|present|discuss|review|summari[sz]e"
    r"|mention) (?:previous|prior|existing|related|earlier|these|several|how|the)\b|\bnot (?:just )?limited to\b"
    r"|\b(?:how|way|whether|if|before) (?:we|they) \w+|[:?]$|^For (?:example|instance)\b",
    re.IGNORECASE,
)
_FRONT: frozenset[Part] = frozenset(("abstract", "conclusion"))
_NUMBERED = re.compile(
    r"\b(?:Tables?|Fig(?:ures?|s?\.)|Sections?|Eqs?\.|Appendix)\s*\(?\d[\w.]*(?:(?:,| and|[–-])\s*\d[\w.]*)*"
    r"|\[\d[^\]]*\]",
    re.IGNORECASE,
)
"""Numbers that aren't results."""
_POINTS = re.compile(r"\b(?:Tables?|Fig(?:ure|s|\.))", re.IGNORECASE)
_FIRST_PERSON = re.compile(rf"\b{_OWN}\b|\bour\b", re.IGNORECASE)
_SAME = 82.0
"""The similarity (0 to 100) from which two sentences count as equivalent."""


def strength(sentence: Sentence, kind: Statement) -> float:
    """Returns how certain it is that a sentence makes a statement of that kind about the paper; 0: it doesn't."""
    text = _NUMBERED.sub(" ", sentence.text) if kind == "result" else sentence.text
    said = sum(weight for pattern, weight in CUES[kind] if pattern.search(text))
    if not said:
        return 0.0
    if _NO_CLAIM.search(sentence.text) or not (own(sentence) or kind in _ANYBODY):
        return 0.0
    words = len(sentence.text.split())
    size = 1.0 if 8 <= words <= 45 else 0.6
    first = 1.15 if _FIRST_PERSON.search(sentence.text) else 1.0
    caption = 0.3 if sentence.caption else 1.0
    return said * _WEIGHTS[kind].get(sentence.part, _ELSEWHERE) * size * first * caption


def own(sentence: Sentence) -> bool:
    """Returns whether a sentence is about the paper's own work: it says "we", or cites nobody in a part about own
    work."""
    if _FIRST_PERSON.search(sentence.text):
        return True
    return not _OTHERS.search(sentence.text) and sentence.part in _OWN_PARTS


def statements(
    paper: PaperReading, kind: Statement, most: int, *, parts: Iterable[Part] | None = None, least: float = 1.0
) -> tuple[Sentence, ...]:
    """Returns the most certain statements of that kind, in the order of the paper, without repetitions."""
    allowed = None if parts is None else frozenset(parts)
    telling = {s.paragraph_id for s in paper.sentences if s.part not in _FRONT and _OTHERS.search(s.text)}
    scored = [
        (score, -place, sentence)
        for place, sentence in enumerate(paper.sentences)
        if (allowed is None or sentence.part in allowed)
        and (score := strength(sentence, kind) * _mine(sentence, telling)) >= least
    ]
    scored.sort(key=lambda item: (-item[0], -item[1]))
    taken: list[tuple[int, Sentence]] = []
    for _, place, sentence in scored:
        if not any(says_the_same(sentence.text, other.text) for _, other in taken):
            taken.append((-place, sentence))
        if len(taken) == most:
            break
    return tuple(sentence for _, sentence in sorted(taken, key=lambda item: item[0]))


def _mine(sentence: Sentence, telling: Container[str]) -> float:
    """Returns how certain a sentence is about the paper itself if its paragraph reports others' work (``telling``)."""
    if sentence.paragraph_id not in telling or _FIRST_PERSON.search(sentence.text) or _POINTS.search(sentence.text):
        return 1.0
    return 1.0 if sentence.part == "results" and re.search(r"\d", sentence.text) else 0.4


def says_the_same(first: str, second: str) -> bool:
    """Returns whether two sentences have nearly the same words, and the same numbers as far as both have any."""
    from rapidfuzz import fuzz

    one, other = (set(re.findall(r"\d+(?:\.\d+)?", text)) for text in (first, second))
    return (one <= other or other <= one) and float(fuzz.token_set_ratio(first.casefold(), second.casefold())) >= _SAME


def opening(paper: PaperReading, part: Part, most: int) -> Sequence[Sentence]:
    return [s for s in paper.sentences if s.part == part and not s.caption][:most]
