"""The judge without a language model: looks for each key point by rule, with reasons that name what was found. A point
is "said" if a sentence of the fields contains enough of its content words, or is close to it in meaning if there is an
encoder. That measures coverage and grounding, not quality of judgement; docs/methods-review-bench.md describes its
limits."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.review_drafting.anchoring import content_stems, nearest, resolve
from engine.review_drafting.benchmark.bearing import Bearing, ReadPoint, unfit
from engine.review_drafting.benchmark.records import Judgement, KeyPoint, PaperRubric, Test, score
from engine.review_drafting.benchmark.reference import Encode
from engine.review_drafting.records import Anchor, MetaRubric, PaperReading, Review
from engine.reviews.sentences import split_sentences
from engine.reviews.tone import find_tone
from engine.shown import counted
from engine.statements.absences import absence
from engine.statements.judge import judge
from engine.statements.verdicts import UNFOUNDED

VERSION = "checks@4"
SAID_BY_WORDS = 0.4
"""The share of a point's content stems that one sentence, or two consecutive ones, must contain."""
SAID_BY_MEANING = 0.6
"""The minimum cosine between a sentence and the point that it says."""
MOST = 0.5
"""The share of weaknesses that counts as "most"."""
_MATTER = 4
"""The number of content stems from which a criticism can be specific without referring to a place."""
_FIXES = re.compile(
    r"\b(?:should|could|would|may want|please|suggest|recommend|advise|consider|it would (?:help|be)|needs? to|add"
    r"|include|report|compare|clarify|provide|discuss|explain|extend|why|how|what|which)\b",
    re.IGNORECASE,
)
_FOUND_ANYWAY = 0.75
"""The share of the words of "X is missing" that a passage must contain for the claim to count as false."""
_QUOTED_WORDS = 4
"""Fewer words in quotation marks are a term of the reviewer, not a quotation."""
_NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?!\w|\.\w)")
_COVERS: dict[str, re.Pattern[str]] = {
    subject: re.compile(pattern, re.IGNORECASE)
    for subject, pattern in {
        "method": r"\b(?:method\w*|approach\w*|model\w*|algorithm\w*|architecture\w*|formulation"
                  r"|framework\w*|procedure\w*)\b",
        "experiments": r"\b(?:experiment\w*|result\w*|evaluat\w*|ablation\w*|baseline\w*|benchmark\w*|data ?sets?)\b",
        "related": r"\b(?:related work|prior work|previous work|literature|existing (?:work|methods?|approaches)"
                   r"|compar\w+ (?:to|with)|state[- ]of[- ]the[- ]art|novel\w*|cit(?:e|es|ed|ation|ations))\b",
        "comparisons": r"\b(?:baseline\w*|compar\w+|related work|prior work|previous work|state[- ]of[- ]the[- ]art)\b",
        "limitations": r"\b(?:limit\w*|assumption\w*|generali[sz]\w*|fail\w*|scope|caveat\w*)\b",
    }.items()
}  # fmt: skip
SEVERE: frozenset[Test] = frozenset(("absent place", "absent quote", "wrong number"))
"""Faults of which one is enough for -2: content that isn't in the paper, and a contradiction of a stated result."""
_PLACE, _QUOTE, _NUMBER_GIVEN = (
    KeyPoint(
        text="Refers to a table, figure, equation or section that doesn't exist in the paper.", test="absent place"
    ),
    KeyPoint(text="Quotes words that aren't in the paper.", test="absent quote"),
    KeyPoint(text="Attributes a number to a table that doesn't contain it.", test="wrong number"),
)
FAULTS = (
    _PLACE, _QUOTE, KeyPoint(text="Calls something missing that isn't.", test="false absence"), _NUMBER_GIVEN,
)  # fmt: skip
"""The key points of the pitfall that rules can check."""
MATERIAL: dict[str, tuple[KeyPoint, ...]] = {
    "core-contribution-accuracy": (_QUOTE,),
    "results-interpretation": (_NUMBER_GIVEN, _PLACE),
    "comparative-analysis": (
        KeyPoint(
            text="Calls a comparison missing that the paper contains.", test="false absence", subject="comparisons"
        ),
    ),
    "evidence-based-critique": FAULTS,
}
"""Incorrect claims that are material to a dimension: one of them in its fields means a score of 0."""
OWN_WORDS = frozenset(("core-contribution-accuracy", "results-interpretation"))
"""Dimensions in which rules only recognise the paper's wording, so that not finding anything proves nothing."""
FIELDS = ("summary", "strengths", "weaknesses", "questions")
CRITICISM = ("weaknesses", "questions")


@dataclass(frozen=True)
class Reviewed:
    """A review with its paper, caching what several tests need."""

    review: Review
    paper: PaperReading
    bearing: Bearing
    encode: Encode | None = None

    @cached_property
    def points(self) -> dict[str, tuple[ReadPoint, ...]]:
        """The statements of each field: the summary's sentences, otherwise its items."""
        texts = {name: getattr(self.review, name) for name in FIELDS}
        texts["summary"] = [self.review.summary[s.start : s.end] for s in split_sentences(self.review.summary)]
        return {name: tuple(self.bearing.read(text) for text in held) for name, held in texts.items()}

    @cached_property
    def unfit(self) -> str:
        """Why it isn't a review of this paper, "" if it is one."""
        return unfit(self.bearing, [point for points in self.points.values() for point in points])

    def items(self, fields: Sequence[str]) -> list[str]:
        """Returns the items of these fields that can be judged."""
        return [point.text for name in fields for point in self.points[name] if point.counts]

    def sentences(self, fields: Sequence[str]) -> list[str]:
        """Returns the sentences of these fields that can be judged."""
        return [text[s.start : s.end] for text in self.items(fields) for s in split_sentences(text)]

    @cached_property
    def anchors(self) -> tuple[tuple[str, str, tuple[Anchor, ...]], ...]:
        """Field, sentence, and what the sentence refers to, for the whole review."""
        return tuple(
            (name, sentence, resolve(self.paper, sentence))
            for name, points in self.points.items()
            for point in points
            for sentence in (point.text[s.start : s.end] for s in split_sentences(point.text))
        )


def judged(
    review: Review,
    paper: PaperReading,
    rubrics: Sequence[PaperRubric],
    metas: Sequence[MetaRubric],
    *,
    encode: Encode | None = None,
    bearing: Bearing | None = None,
) -> tuple[Judgement, ...]:
    """Scores a review on every dimension that rules can judge, with the key points that were met and those that
    weren't.

    A dimension is left out (not applicable) if its rubric has no key points for this paper, if the review has nothing
    in its fields, or if the review may say in its own words what rules didn't find. A text that isn't a review of this
    paper scores 0 on every positive dimension. ``bearing`` is the paper's, for callers who judge several reviews of it.
    """
    reviewed = Reviewed(review, paper, bearing or Bearing(paper), encode)
    by_id = {meta.id: meta for meta in metas}
    found = []
    for rubric in rubrics:
        meta = by_id[rubric.dimension]
        pitfall = meta.kind == "pitfall"
        about = [name for name in meta.fields if reviewed.points[name]]
        if not rubric.key_points or not (about or set(meta.fields) & set(CRITICISM)):
            continue
        answers = _answers(reviewed, rubric.key_points, meta)
        if pitfall:
            pairs = zip(rubric.key_points, answers, strict=True)
            wrong = [answer for point, answer in pairs if point.test in SEVERE and answer]
        else:
            wrong = [answer for answer in _answers(reviewed, MATERIAL.get(meta.id, ()), meta) if answer]
        rationale = _rationale(rubric.key_points, answers, pitfall=pitfall)
        points = score([bool(answer) for answer in answers], meta, wrong=bool(wrong))
        if meta.id in OWN_WORDS and not any(answers) and not wrong and not reviewed.unfit:
            continue
        if reviewed.unfit and not pitfall:
            points, rationale = 0, f"Score 0, because this isn't a review of the paper: {reviewed.unfit}"
        elif wrong and not pitfall:
            rationale += f"\nScore 0 for a material incorrect claim: {wrong[0]}."
        found.append(Judgement(dimension=rubric.dimension, score=points, rationale=rationale))
    return tuple(found)


def _answers(reviewed: Reviewed, points: Sequence[KeyPoint], meta: MetaRubric) -> list[str]:
    return [_TESTS[point.test](reviewed, point, meta.fields) for point in points]


def _rationale(points: Sequence[KeyPoint], answers: Sequence[str], *, pitfall: bool) -> str:
    met = [(point, answer) for point, answer in zip(points, answers, strict=True) if answer]
    head = f"{len(met)} of {len(points)} {'faults found' if pitfall else 'key points met'}."
    lines = [head, *(f"{point.text} → {answer}" for point, answer in met)]
    if not pitfall:
        lines += [f"Not met: {point.text}" for point, answer in zip(points, answers, strict=True) if not answer]
    return "\n".join(lines)


# --- tests: each returns what it found, "" for no ---------------------------------------------------------------------


def _said(reviewed: Reviewed, point: KeyPoint, fields: Sequence[str]) -> str:
    sentences = reviewed.sentences(fields)
    wanted = content_stems(point.wanted)
    if not sentences or not wanted:
        return ""
    for first, second in zip(sentences, [*sentences[1:], ""], strict=True):
        if len(wanted & (content_stems(first) | content_stems(second))) / len(wanted) >= SAID_BY_WORDS:
            return f"“{first}”"
    if reviewed.encode is not None:
        vectors = reviewed.encode([point.wanted, *sentences])
        nearness = vectors[1:] @ vectors[0]
        best = int(nearness.argmax())
        if nearness[best] >= SAID_BY_MEANING:
            return f"“{sentences[best]}”"
    return ""


def _most(reviewed: Reviewed, fields: Sequence[str], test: Callable[[str], bool]) -> str:
    """Returns whether the test is true for most items of these fields; items that can't be judged fail it."""
    items = [point for name in fields for point in reviewed.points[name]]
    met = sum(point.counts and test(point.text) for point in items)
    return f"{met} of {len(items)}" if items and met / len(items) >= MOST else ""


def _specific(reviewed: Reviewed, *_: object) -> str:
    known = frozenset().union(*(content_stems(sentence.text) for sentence in reviewed.paper.sentences))
    return _most(
        reviewed,
        CRITICISM,
        lambda text: bool(resolve(reviewed.paper, text)) or len(content_stems(text) & known) >= _MATTER,
    )


def _covers(reviewed: Reviewed, point: KeyPoint, _: object) -> str:
    pattern = _COVERS.get(point.subject)
    if pattern is None:
        return _said(reviewed, point, FIELDS)
    return next((f"“{text}”" for text in reviewed.sentences(FIELDS) if pattern.search(text)), "")


def _courteous(reviewed: Reviewed, *_: object) -> str:
    return "" if any(find_tone(text, "reviewer") for text in reviewed.sentences(FIELDS)) else "nothing found"


def _absent(reviewed: Reviewed, fields: Sequence[str], *, quoted: bool) -> str:
    absent = ((text, a) for name, text, anchors in reviewed.anchors if name in fields for a in anchors if not a.found)
    for text, anchor in absent:
        if not quoted and anchor.kind != "quote":
            return f"“{text}”: {anchor.ref} was not found"
        if quoted and anchor.kind == "quote" and len(anchor.quote.split()) >= _QUOTED_WORDS:
            return f"“{anchor.quote}” was not found"
    return ""


def _false_absence(reviewed: Reviewed, point: KeyPoint, fields: Sequence[str]) -> str:
    about = _COVERS.get(point.subject)
    for text in reviewed.sentences([name for name in CRITICISM if name in fields]):
        missing = absence(text) or ""
        if len(content_stems(missing)) < 2 or (about is not None and not about.search(text)):
            continue
        found = nearest(reviewed.paper, missing)
        if found is not None and found[0] >= _FOUND_ANYWAY and absence(found[1].text) is None:
            return f"“{text}”, but page {found[1].page} says “{found[1].text}”"
    return ""


def _wrong_number(reviewed: Reviewed, _: object, fields: Sequence[str]) -> str:
    tables = {f"Table {table.number}": table for table in reviewed.paper.tables}
    for name, text, anchors in reviewed.anchors:
        if name not in fields:
            continue
        named = [tables[anchor.ref] for anchor in anchors if anchor.kind == "table" and anchor.ref in tables]
        for table in named:
            held = {cell.text for row in table.rows for cell in row.cells}
            for number in _NUMBER.findall(text):
                if held and not any(number in cell for cell in held) and _unfounded(text, reviewed.paper):
                    return f"“{text}”: {number} is not in Table {table.number}"
    return ""


def _unfounded(text: str, paper: PaperReading) -> bool:
    """Returns whether a number that isn't in the table is unfounded: it may be a difference, or from the text."""
    parts = judge(text, paper.places).parts if paper.places.tables else ()
    return not parts or any(part.kind == "number" and part.verdict in UNFOUNDED for part in parts)


_TESTS: dict[Test, Callable[[Reviewed, KeyPoint, Sequence[str]], str]] = {
    "says": _said,
    "raises": lambda reviewed, point, _: _said(reviewed, point, CRITICISM),
    "anchored": lambda reviewed, *_: _most(
        reviewed, CRITICISM, lambda text: any(anchor.found for anchor in resolve(reviewed.paper, text))
    ),
    "specific": _specific,
    "covers": _covers,
    "courteous": _courteous,
    "praises": lambda reviewed, *_: counted(n, "strength") if (n := len(reviewed.items(("strengths",)))) else "",
    "suggests": lambda reviewed, *_: _most(reviewed, CRITICISM, lambda text: bool(_FIXES.search(text))),
    "absent place": lambda reviewed, _, fields: _absent(reviewed, fields, quoted=False),
    "absent quote": lambda reviewed, _, fields: _absent(reviewed, fields, quoted=True),
    "false absence": _false_absence,
    "wrong number": _wrong_number,
}
