"""Measures which parts of a review were assisted, from the runs made for it and its current text.

Each sentence is compared with everything that the stages offered: it was kept as offered, rewritten, or written by the
reviewer. Nothing beyond that is inferred, and other programs aren't covered.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.models.language import public_name
from engine.review_drafting.forms import ReviewForm
from engine.review_drafting.pipeline import Run
from engine.review_drafting.readiness import written_fields
from engine.review_drafting.records import (
    STAGE_TITLES,
    STAGES,
    Draft,
    InsightReport,
    LiteratureReport,
    ResultsReport,
    StageId,
    StageOutput,
    Way,
)
from engine.review_drafting.related import mention
from engine.reviews.sentences import split_sentences
from engine.reviews.stretches import LIST_MARK
from engine.shown import inert_line

Hand = Literal["kept", "rewritten", "written"]
REWRITTEN = 0.5
"""The minimum share of common words in the same order (of the longer sentence) for a sentence to count as rewritten."""
_LEAST_WORDS = 4
"""A shorter sentence can only count as kept: a few common words don't show where it comes from."""
_WORD = re.compile(r"\w+")
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StageUse:
    """A stage in one of its ways, in all runs of a review: ``prompt`` with version, ``model`` if there was one."""

    stage: StageId
    way: Way
    version: str
    prompt: str
    prompt_version: str
    model: str
    runs: int


@dataclass(frozen=True, slots=True)
class SentenceOrigin:
    """A sentence, [start, end) of a field, and its origin; ``stage`` and ``offered`` if it was assisted."""

    field: str
    start: int
    end: int
    text: str
    hand: Hand
    stage: StageId | None = None
    offered: str = ""


@dataclass(frozen=True, slots=True)
class Disclosure:
    """The measurements. ``taken`` and ``refused`` count the decisions on points that were offered."""

    stages: tuple[StageUse, ...]
    sentences: tuple[SentenceOrigin, ...]
    taken: int = 0
    refused: int = 0

    def count(self, hand: Hand) -> int:
        return sum(one.hand == hand for one in self.sentences)


@dataclass(frozen=True, slots=True)
class _Offer:
    stage: StageId
    text: str
    words: Words
    own: frozenset[Words]
    """The sentences that were in the fields before the run, which no stage offered."""


def disclosure(
    form: ReviewForm, values: Mapping[str, str], runs: Sequence[Run], decisions: Iterable[str] = ()
) -> Disclosure:
    """Measures a review from its form and values, the runs made for it, and the decisions on their points.

    ``decisions`` are "accepted" or "rejected", one per point.
    """
    offers = list(_offers(runs))
    exact: dict[Words, list[_Offer]] = {}
    for offer in offers:
        exact.setdefault(offer.words, []).append(offer)
    found = []
    for field in written_fields(form, values):
        text = values[field.key]
        for span in split_sentences(text):
            mark = LIST_MARK.match(text, span.start, span.end)
            start = mark.end() if mark else span.start
            said = text[start : span.end]
            if words := _words(said):
                found.append(SentenceOrigin(field.key, start, span.end, said, *_origin(words, exact, offers)))
    decided = list(decisions)
    return Disclosure(_uses(runs), tuple(found), decided.count("accepted"), decided.count("rejected"))


def _origin(
    words: Words, exact: Mapping[Words, Sequence[_Offer]], offers: Sequence[_Offer]
) -> tuple[Hand, StageId | None, str]:
    from rapidfuzz.distance import LCSseq

    same = next((offer for offer in exact.get(words, ()) if words not in offer.own), None)
    if same is not None:
        return "kept", same.stage, same.text
    best, likeness = None, REWRITTEN
    if len(words) >= _LEAST_WORDS:
        for offer in offers:
            if words in offer.own or len(offer.words) < _LEAST_WORDS:
                continue
            share = LCSseq.normalized_similarity(words, offer.words, score_cutoff=likeness)
            if share >= likeness and (best is None or share > likeness):
                best, likeness = offer, share
    return ("rewritten", best.stage, best.text) if best else ("written", None, "")


def _offers(runs: Sequence[Run]) -> Iterator[_Offer]:
    """Yields every sentence that a stage offered, the earliest run first; it belongs to the first stage that said
    it."""
    said: set[tuple[Words, frozenset[Words]]] = set()
    for run in sorted(runs, key=lambda one: (one.created_at, one.id)):
        own = frozenset(_words(piece) for _, value in run.own for piece in _pieces(value))
        for stage in run.stages:
            for text in _texts(stage.output):
                for piece in _pieces(text):
                    words = _words(piece)
                    if words and words not in own and (words, own) not in said:
                        said.add((words, own))
                        yield _Offer(stage.stage, piece, words, own)


def _texts(output: StageOutput | None) -> Iterator[str]:
    """Yields the texts of a stage's output that could have been used in a review, without mere quotations of the
    paper."""
    match output:
        case Draft():
            for _, point in output.points():
                if point.origin != "reviewer":
                    yield point.text
                    yield point.suggestion
            yield from (item["question"] for item in output.checklist)
        case LiteratureReport():
            for work in output.found:
                yield from (mention(work), work.summary, work.main_methods, work.key_findings, work.relation)
        case InsightReport() | ResultsReport():
            yield from (fact.text for fact in output.facts)
            for check in output.checks if isinstance(output, ResultsReport) else ():
                yield from (check.text, check.suggestion)
            yield from (issue.why for issue in output.issues)
            yield from (rewrite.suggested_text for rewrite in output.rewrites)


def _pieces(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


def _words(text: str) -> Words:
    mark = LIST_MARK.match(text)
    return tuple(_WORD.findall((text[mark.end() :] if mark else text).casefold()))


def _uses(runs: Sequence[Run]) -> tuple[StageUse, ...]:
    counts = Counter(
        (info.stage, info.way, info.version, info.prompt, info.prompt_version, run.model_of(info))
        for run in runs
        for info in (stage.info for stage in run.stages)
    )
    ordered = sorted(counts.items(), key=lambda one: (STAGES.index(one[0][0]), one[0][1:]))
    return tuple(StageUse(*key, number) for key, number in ordered)


# --- in words ---------------------------------------------------------------------------------------------------------


def statement(found: Disclosure) -> str:
    """Returns the statement in Markdown: a paragraph, and a list of the stages that ran, if any."""
    total = len(found.sentences)
    if not found.stages:
        return (
            "No stage of Rejoinder drafted or checked this review; "
            f"{_many(total, 'its one sentence was', f'its {total} sentences were')} written manually.\n"
        )
    kept, rewritten, written = (found.count(hand) for hand in ("kept", "rewritten", "written"))
    lines = [
        "This review was prepared with Rejoinder. These of its stages ran over the paper:",
        "",
        *(f"- {_use(use)}" for use in found.stages),
        "",
        f"Of {_many(total, 'one sentence', f'{total} sentences')}, {kept} {_many(kept, 'is', 'are')} as a stage "
        f"offered {_many(kept, 'it', 'them')}, {rewritten} {_many(rewritten, 'was', 'were')} rewritten from what a "
        f"stage offered, and {written} {_many(written, 'was', 'were')} written manually.",
    ]
    if found.taken or found.refused:
        lines.append(f"Of the points offered, {found.taken} were taken and {found.refused} refused.")
    return "\n".join(lines) + "\n"


def _use(use: StageUse) -> str:
    times = "" if use.runs == 1 else f", {use.runs} times"
    if use.way == "deterministic":
        return f"{STAGE_TITLES[use.stage]}: by rules, without a language model (version {use.version}){times}"
    asked = f"language model {public_name(use.model)}, prompt {use.prompt} ({use.prompt_version})"
    return inert_line(f"{STAGE_TITLES[use.stage]}: {asked}{times}")


def _many(number: int, one: str, several: str) -> str:
    return one if number == 1 else several
