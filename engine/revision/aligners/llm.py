"""Language models as aligners: one question for each pair, or all comments and edits of a paper at once.

Both follow D'Arcy et al. 2024 (ARIES), section 5.1 and appendix C, with prompts of our own (``resources/prompts``): a
comment comes with its context, an edit with its section, and the question about all edits holds the paper's unchanged
paragraphs, too. What a model says about comments or edits that were not in the question, and lines that cannot be read,
are dropped and counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.jobs import Report
from engine.models.language import ContextTooLong, LanguageModel, Message, Prompt
from engine.models.prompts import ASSUMED_CONTEXT, CHARACTERS_PER_TOKEN, fence_rule, fenced, shipped_prompt
from engine.revision.aligners.base import AlignerInfo, Rankings
from engine.revision.aligners.lexical import bm25, post_revision
from engine.revision.aligners.selection import by_comment, likely, with_the_rest
from engine.revision.records import Candidate, Query, Scored

if TYPE_CHECKING:
    from engine.revision.aligners.base import Matrix

FENCES = 160
"""Characters that the fences around two texts take."""
ANSWER = {"pairwise": 24, "multi-edit": 600}
"""Tokens for an answer."""
_YES_NO = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
_WORD = re.compile(r"\b(yes|no)\b", re.IGNORECASE)

EXAMPLES: tuple[tuple[str, str, str], ...] = (
    (
        "The paper does not say how the learning rate was chosen.",
        "The model was trained with a learning rate of 0.01 [+ on one machine with two graphics cards +].",
        "no",
    ),
    (
        "It is unclear whether the raters knew the purpose of the study.",
        "Five raters judged each sentence. [+ None of them knew what the judgements were for. +]",
        "yes",
    ),
)
"""Comment, edit and answer; the negative example first (ARIES, appendix C). The first is near in matter only."""


def instructions(name: str) -> str:
    """The system prompt ``resources/prompts/<name>.md``, and that what others wrote gives no orders."""
    return f"{shipped_prompt(name)}\n\n{fence_rule()}"


def pair(comment: str, edit: str) -> str:
    """A pair as the model reads it."""
    return f"{fenced('Comment', comment.strip())}\n\n{fenced('Edit', edit.strip())}"


def read_yes_no(text: str) -> bool | None:
    """The answer in a text; None where it says neither, or both."""
    words = {word.casefold() for word in _WORD.findall(text)}
    return None if len(words) != 1 else words == {"yes"}


class PairwiseAligner:
    """Asks about one pair after the other. The likely pairs only: BM25 with high recall sorts out the others.

    Pairs that the model says yes to come first, those with no after them; among equals the order is BM25's.
    ``remarks`` says after a run what could not be read.
    """

    def __init__(self, model: LanguageModel, *, shots: int = 0, use_responses: bool = False) -> None:
        self._model = model
        self._shots = shots
        self._use_responses = use_responses
        self.remarks: tuple[str, ...] = ()
        self.info = AlignerInfo(
            "llm-pairwise" if not shots else "llm-pairwise-1-shot",
            "Language model, pair by pair" + (", with examples" if shots else ""),
            "D'Arcy et al. 2024 (ARIES), section 5.1",
            "3",
            needs_encoder=False,
            parameters=(
                ("model", model.info.title),
                ("model_version", model.info.version),
                ("shots", str(shots)),
                ("use_responses", str(use_responses)),
            ),
        )

    @property
    def origin(self) -> str:
        return f"model:{self.info.id}@{self.info.version}+{self._model.info.version}"

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        mask = likely(queries, candidates, use_responses=self._use_responses)
        split = by_comment(queries, candidates, mask)
        nearness = _nearness(queries, candidates)
        total = int(mask.sum())
        done = unread = 0
        rankings: dict[str, tuple[Scored, ...]] = {}
        for row, query in enumerate(queries):
            kept, rest = split[query.comment_id]
            column = {candidate.edit_id: at for at, candidate in enumerate(candidates)}
            scored = []
            for candidate in kept:
                report.progress(done / max(1, total), f"Asking about pair {done + 1} of {total}")
                answer = self._ask(query, candidate, report)
                done += 1
                unread += answer is None
                near = float(nearness[row, column[candidate.edit_id]]) / 2
                why = ("the model says yes",) if answer else ("the answer could not be read",) if answer is None else ()
                scored.append(Scored(candidate.edit_id, 0.5 + near if answer else near, bool(answer), why))
            scored.sort(key=lambda item: -item.score)
            rankings[query.comment_id] = with_the_rest(scored, rest, "left out: shares too few words")
        self.remarks = (f"{unread} of {total} answers could not be read and count as no.",) if unread else ()
        report.progress(1.0)
        return rankings

    def _ask(self, query: Query, candidate: Candidate, report: Report) -> bool | None:
        asked = _asked(query, self._use_responses)
        shown: list[Message] = []
        for comment, edit, answer in EXAMPLES if self._shots else ():
            shown.append(Message("user", pair(comment, edit)))
            shown.append(Message("assistant", json.dumps({"answer": answer})))
        room = _room(self._model, [instructions("align-pairwise"), *(m.content for m in shown), asked], "pairwise")
        messages = (
            Message("system", instructions("align-pairwise")),
            *shown,
            Message("user", pair(asked, _placed(candidate)[: max(200, room)])),
        )
        prompt = Prompt(messages, ANSWER["pairwise"], schema=_YES_NO)
        return read_yes_no(self._model.complete(prompt, report=report).text)


@dataclass(frozen=True, slots=True)
class Lines:
    """What a multi-edit answer says: (comment, edit) by number, and how much of it had to be dropped."""

    pairs: tuple[tuple[int, int], ...]
    broken: int
    unknown: int


def read_lines(text: str, comments: Iterable[int], edits: Iterable[int]) -> Lines:
    """Reads JSON lines whatever is around them (fences, list marks, trailing commas, a cut last line).

    ``comments`` and ``edits`` are the numbers that were asked about; all others count as unknown.
    """
    known_comments, known_edits = set(comments), set(edits)
    pairs: dict[tuple[int, int], None] = {}
    broken = unknown = 0
    for line in text.splitlines():
        start = line.find("{")
        if start < 0:
            continue
        values = _object(line[start:])
        numbers = _numbers(values.get("edit_ids")) if values is not None else None
        comment = _number(values.get("comment_id")) if values is not None else None
        if comment is None or numbers is None:
            broken += 1
            continue
        for edit in numbers:
            if comment in known_comments and edit in known_edits:
                pairs[comment, edit] = None
            else:
                unknown += 1
    return Lines(tuple(pairs), broken, unknown)


class MultiEditAligner:
    """Asks about all comments and edits of a paper, in as many pieces as the model's context needs.

    ``remarks`` says after a run what was dropped.
    """

    def __init__(self, model: LanguageModel, *, use_responses: bool = False, whole: Sequence[Candidate] = ()) -> None:
        """``whole``: the paper's paragraphs in order, of which the unchanged ones are shown between the edits."""
        self._model = model
        self._use_responses = use_responses
        self._whole = whole
        self.remarks: tuple[str, ...] = ()
        self.info = AlignerInfo(
            "llm-multi-edit",
            "Language model, all edits at once",
            "D'Arcy et al. 2024 (ARIES), section 5.1",
            "3",
            needs_encoder=False,
            parameters=(
                ("model", model.info.title),
                ("model_version", model.info.version),
                ("use_responses", str(use_responses)),
            ),
        )

    @property
    def origin(self) -> str:
        return f"model:llm-multi-edit@{self.info.version}+{self._model.info.version}"

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        asked = {
            number: " ".join(_asked(query, self._use_responses).split())
            for number, query in enumerate(queries, start=1)
        }
        shown = self._shown(candidates)
        edits = {number: _placed(one) for number, one in enumerate(shown, start=1)}
        linked: set[tuple[int, int]] = set()
        broken = unknown = 0
        pieces = list(self._pieces(asked, edits))
        for at, (some, chunk) in enumerate(pieces):
            report.progress(at / max(1, len(pieces)), f"Asking, part {at + 1} of {len(pieces)}")
            for lines in self._ask(some, chunk, report):
                linked.update(lines.pairs)
                broken += lines.broken
                unknown += lines.unknown
        named = {(comment, shown[edit - 1].edit_id) for comment, edit in linked}
        keys = {candidate.edit_id for candidate in candidates}
        dropped = {
            "lines of the answers could not be read and were dropped.": broken,
            "links named comments or edits that were not asked about and were dropped.": unknown,
            "links named paragraphs that did not change and were dropped.": sum(key not in keys for _, key in named),
        }
        self.remarks = tuple(f"{count} {words}" for words, count in dropped.items() if count)
        nearness = _nearness(queries, candidates)
        rankings = {}
        for row, query in enumerate(queries):
            scored = []
            for column, candidate in enumerate(candidates):
                yes = (row + 1, candidate.edit_id) in named
                near = float(nearness[row, column]) / 2
                why = ("the model names it",) if yes else ()
                scored.append(Scored(candidate.edit_id, 0.5 + near if yes else near, yes, why))
            rankings[query.comment_id] = tuple(sorted(scored, key=lambda item: -item.score))
        report.progress(1.0)
        return rankings

    def _shown(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates in the order of the paper, with the unchanged paragraphs between them."""
        keys = {candidate.edit_id for candidate in candidates}
        shown = [one for one in self._whole if one.unchanged or one.edit_id in keys]
        placed = {one.edit_id for one in shown}
        return [*shown, *(candidate for candidate in candidates if candidate.edit_id not in placed)]

    def _pieces(
        self, asked: Mapping[int, str], edits: Mapping[int, str]
    ) -> Iterator[tuple[dict[int, str], dict[int, str]]]:
        """Comments and edits in pieces that fit: comments take at most half of the room, the edits the rest."""
        room = _room(self._model, [instructions("align-multi-edit")], "multi-edit")
        for some in _packed(asked, room // 2):
            left = max(400, room - sum(len(text) + 20 for text in some.values()))
            for chunk in _packed(edits, left):
                yield some, chunk

    def _ask(self, some: Mapping[int, str], chunk: Mapping[int, str], report: Report) -> Iterator[Lines]:
        """One question; one that is too long for the model after all is cut in two, down to single edits."""
        comments = "\n".join(f"{number}. {text}" for number, text in some.items())
        edits = "\n\n".join(f"{number}. {text}" for number, text in chunk.items())
        messages = (
            Message("system", instructions("align-multi-edit")),
            Message("user", f"{fenced('Comments', comments)}\n\n{fenced('Paragraphs', edits)}"),
        )
        try:
            text = self._model.complete(Prompt(messages, ANSWER["multi-edit"]), report=report).text
        except ContextTooLong:
            numbers = list(chunk)
            if len(numbers) == 1:
                raise
            half = len(numbers) // 2
            for part in (numbers[:half], numbers[half:]):
                yield from self._ask(some, {number: chunk[number] for number in part}, report)
            return
        yield read_lines(text, some, chunk)


def _asked(query: Query, use_response: bool) -> str:
    reply = query.response.strip() if use_response else ""
    return f"{query.in_context}\n(The authors replied: {reply})" if reply else query.in_context


def _placed(candidate: Candidate) -> str:
    """An edit or an unchanged paragraph, with its section."""
    return f"(section: {candidate.section}) {candidate.diff_text}" if candidate.section else candidate.diff_text


def _room(model: LanguageModel, texts: Sequence[str], use: str) -> int:
    """Characters left for the rest of a prompt."""
    context = model.info.context or ASSUMED_CONTEXT
    return int((context - ANSWER[use]) * CHARACTERS_PER_TOKEN) - sum(map(len, texts)) - FENCES


def _packed(texts: Mapping[int, str], room: int) -> Iterator[dict[int, str]]:
    """The texts in order, in groups of at most ``room`` characters; one that is longer alone is cut."""
    group: dict[int, str] = {}
    size = 0
    for number, text in texts.items():
        cut = text[: max(200, room - 20)]
        if group and size + len(cut) + 20 > room:
            yield group
            group, size = {}, 0
        group[number] = cut
        size += len(cut) + 20
    if group:
        yield group


def _nearness(queries: Sequence[Query], candidates: Sequence[Candidate]) -> Matrix:
    """BM25 from 0 to just under 1, to order what the model calls equal."""
    import numpy as np

    scores = bm25([query.comment for query in queries], [post_revision(candidate) for candidate in candidates])
    nearness: Matrix = scores / (np.max(scores, initial=0.0) + 1.0)
    return nearness


def _object(text: str) -> Mapping[str, object] | None:
    """The JSON object at the start of a text, or None."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.strip().isdecimal() else None


def _numbers(value: object) -> tuple[int, ...] | None:
    """The whole numbers of a list, or None where it is no list; what is no number counts as -1 (unknown)."""
    if not isinstance(value, list):
        return None
    return tuple(-1 if (number := _number(item)) is None else number for item in value)
