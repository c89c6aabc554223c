"""Language models as aligners: one question per pair, or all comments and edits of a paper at once.

Both follow D'Arcy et al. 2024 (ARIES), section 5.1 and appendix C, with prompts of our own (``resources/prompts``): a
comment comes with its context, an edit with its section, and the question about all edits also contains the paper's
unchanged paragraphs. Answers about comments or edits that weren't in the question, and lines that can't be read, are
dropped and counted. A pair without a usable answer is in no ranking: only a "no" counts as "no".
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.jobs import Report
from engine.models.answer_text import json_parts, said_once
from engine.models.language import ContextTooLong, LanguageModel, Message, Prompt, context_of
from engine.models.prompts import FENCE_TOKENS, cut, fence_rule, fenced, shipped_prompt, tokens_in
from engine.models.questions import Asked, Question, Tally, ask_all, usable_or_raise
from engine.revision.aligners.base import Matrix, Rankings
from engine.revision.aligners.lexical import bm25, post_revision
from engine.revision.aligners.selection import by_comment, likely, with_the_rest
from engine.revision.records import Candidate, Query, Scored
from engine.shown import counted, left_out, orders

ANSWER = {"pairwise": 24, "multi-edit": 600}
"""Token budgets of answers."""
_YES_NO = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
TRIED = "check this yourself: its text tries to instruct a language model"
"""The reason shown for a pair if one of its texts tries to instruct the model."""
TO_ALL = "check this yourself: the model says yes to every edit"
FOR_ALL = "check this yourself: the model names this edit for every comment"
"""The reasons shown for links if the model says yes to all edits of a comment, or to one edit for all comments; a text
may demand that in words that aren't recognised."""
_MANY = 4
"""A comment is unlikely to have led to this many edits, and an edit to answer this many comments."""
_AGAIN = 'Answer with JSON alone: {"answer": "yes"} or {"answer": "no"}.'
_PER_COMMENT = 40
"""Tokens that the line of one comment may take."""
_FEWEST, _NUMBER = 70, 6
"""Minimum tokens of a truncated text, and tokens of its number."""
OnRanking = Callable[[str, tuple[Scored, ...]], None]
_Piece = tuple[Mapping[int, str], Mapping[int, str]]
"""Comments and edits by number."""
_ALONE = re.compile(r"\W*(?:(?:the |my |final )*answer(?: is)?\W+)?(yes|no)\W*", re.IGNORECASE)

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
"""Comment, edit and answer; the negative example first (ARIES, appendix C). The first is related only by topic."""


def instructions(name: str) -> str:
    """Returns the system prompt ``resources/prompts/<name>.md``, with the rule that fenced text gives no
    instructions."""
    return f"{shipped_prompt(name)}\n\n{fence_rule()}"


def pair(comment: str, edit: str) -> str:
    return f"{fenced('Comment', comment.strip(), said_by_reviewer=True)}\n\n{fenced('Edit', edit.strip())}"


def read_yes_no(text: str) -> bool | None:
    """Returns the answer in a text: in JSON, or alone. None if there is none, or several that differ; "there is no
    doubt" and "no, I can't judge that" are no answers."""
    found = [_object(part) for part in json_parts(text)]
    said = {str(one.get("answer")).strip().casefold() if one is not None else "" for one in found}
    if said == {""} and (alone := _ALONE.fullmatch(text)):
        said = {alone[1].casefold()}
    return None if len(said) != 1 or not said <= {"yes", "no"} else said == {"yes"}


def _parameters(model: LanguageModel, use_responses: bool) -> dict[str, str]:
    made = {"model": model.info.title, "model_version": model.info.version, "use_responses": str(use_responses)}
    return made | ({"device": model.info.used} if model.info.used else {})


class PairwiseAligner:
    """Asks about each likely pair; BM25 with high recall filters out the others.

    Pairs that the model says yes to come first, followed by those with no; among equals the order is BM25's. After a
    run ``remarks`` says what got no answer; ``on_ranking`` is called with each comment's ranking once it is complete.
    """

    def __init__(
        self, model: LanguageModel, *, shots: int = 0, use_responses: bool = False, on_ranking: OnRanking | None = None
    ) -> None:
        self._model = model
        self._shots = shots
        self._use_responses = use_responses
        self._on_ranking = on_ranking
        self.remarks: tuple[str, ...] = ()
        way = "llm-pairwise-1-shot" if shots else "llm-pairwise"
        self.origin = f"model:{way}@4+{model.info.version}"

    @property
    def parameters(self) -> dict[str, str]:
        return _parameters(self._model, self._use_responses) | {"shots": str(self._shots)}

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        split = by_comment(queries, candidates, likely(queries, candidates, use_responses=self._use_responses))
        nearness = _nearness(queries, candidates)
        column = {candidate.edit_id: at for at, candidate in enumerate(candidates)}
        pairs = [(row, one) for row, query in enumerate(queries) for one in split[query.comment_id][0]]
        questions = [Question(self._prompt(queries[row], one), _decided, _AGAIN) for row, one in pairs]
        answers: list[dict[str, bool | None]] = [{} for _ in queries]
        rankings: dict[str, tuple[Scored, ...]] = {}
        spoken = [orders(asked_of(query, self._use_responses), said_by_reviewer=True) for query in queries]

        def on_answer(place: int, asked: Asked[bool]) -> None:
            row, candidate = pairs[place]
            answers[row][candidate.edit_id] = asked.value
            kept, rest = split[queries[row].comment_id]
            if len(answers[row]) < len(kept):
                return
            scored = []
            for one in kept:
                answer, near = answers[row][one.edit_id], float(nearness[row, column[one.edit_id]]) / 2
                if answer is not None:
                    why = (*(("the model says yes",) if answer else ()), *_warned(spoken[row], one))
                    scored.append(Scored(one.edit_id, 0.5 + near if answer else near, answer, why))
            key = queries[row].comment_id
            rankings[key] = with_the_rest(_ranked(scored), rest, "left out: shares too few words")
            if self._on_ranking is not None:
                self._on_ranking(key, rankings[key])

        tally = Tally()
        answered = ask_all(self._model, questions, report=report, on_answer=on_answer, words="pairs")
        tally.add(answered)
        usable_or_raise(answered)
        self.remarks = (*tally.remarks(), *_spoken_remarks(queries, candidates, self._use_responses))
        report.progress(1.0)
        found = _demanded({query.comment_id: rankings.get(query.comment_id, ()) for query in queries})
        for key, ranking in found.items():
            if self._on_ranking is not None and ranking != rankings.get(key, ()):
                self._on_ranking(key, ranking)
        return found

    def _prompt(self, query: Query, candidate: Candidate) -> Prompt:
        asked = asked_of(query, self._use_responses)
        shown: list[Message] = []
        for comment, edit, answer in EXAMPLES if self._shots else ():
            shown.append(Message("user", pair(comment, edit)))
            shown.append(Message("assistant", json.dumps({"answer": answer})))
        room = _room(self._model, [instructions("align-pairwise"), *(m.content for m in shown), asked], "pairwise")
        edit = cut(_placed(candidate), max(_FEWEST, room))
        messages = (Message("system", instructions("align-pairwise")), *shown, Message("user", pair(asked, edit)))
        return Prompt(messages, ANSWER["pairwise"], schema=_YES_NO)


def _decided(text: str) -> bool:
    answer = read_yes_no(text)
    if answer is None:
        raise ValueError("it says neither yes nor no, or both")
    return answer


@dataclass(frozen=True, slots=True)
class Lines:
    """The content of a multi-edit answer: (comment, edit) by number, and how much had to be dropped."""

    pairs: tuple[tuple[int, int], ...]
    broken: int
    unknown: int
    answered: frozenset[int] = frozenset()
    """The comments that have a line, including those without an edit."""


def read_lines(text: str, comments: Iterable[int], edits: Iterable[int]) -> Lines:
    """Reads JSON lines whatever surrounds them (fences, list marks, trailing commas, a truncated last line).

    ``comments`` and ``edits`` are the numbers in the question; all others count as unknown.
    """
    known_comments, known_edits = set(comments), set(edits)
    pairs: dict[tuple[int, int], None] = {}
    broken = unknown = 0
    answered = set()
    for line in text.splitlines():
        if "_id" not in line:  # words around the answer
            continue
        values = _object(line[max(0, line.find("{")) :])
        numbers = _numbers(values.get("edit_ids")) if values is not None else None
        comment = _number(values.get("comment_id")) if values is not None else None
        if comment is None or numbers is None:
            broken += 1
            continue
        answered |= {comment} & known_comments
        for edit in numbers:
            if comment in known_comments and edit in known_edits:
                pairs[comment, edit] = None
            else:
                unknown += 1
    return Lines(tuple(pairs), broken, unknown, frozenset(answered))


class MultiEditAligner:
    """Asks about all comments and edits of a paper, in as many pieces as the model's context needs.

    After a run ``remarks`` says what was dropped.
    """

    def __init__(self, model: LanguageModel, *, use_responses: bool = False, whole: Sequence[Candidate] = ()) -> None:
        """``whole``: the paper's paragraphs in order, of which the unchanged ones are shown between the edits."""
        self._model = model
        self._use_responses = use_responses
        self._whole = whole
        self.remarks: tuple[str, ...] = ()
        self.origin = f"model:llm-multi-edit@4+{model.info.version}"

    @property
    def parameters(self) -> dict[str, str]:
        return _parameters(self._model, self._use_responses)

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        texts = [asked_of(query, self._use_responses) for query in queries]
        asked = {number: " ".join(text.split()) for number, text in enumerate(texts, start=1)}
        shown = self._shown(candidates)
        edits = {number: _placed(one) for number, one in enumerate(shown, start=1)}
        said, unanswered, tally = self._ask(list(self._pieces(asked, edits)), report)
        named = {(comment, shown[edit - 1].edit_id) for lines in said for comment, edit in lines.pairs}
        keys = {candidate.edit_id for candidate in candidates}
        broken, unknown = sum(lines.broken for lines in said), sum(lines.unknown for lines in said)
        unchanged = sum(key not in keys for _, key in named)
        self.remarks = (
            *tally.remarks(),
            *left_out(broken, "unreadable line", "unreadable lines"),
            *left_out(
                unknown,
                "link to a comment or edit that wasn't in the question",
                "links to comments or edits that weren't in the question",
            ),
            *left_out(unchanged, "link to a paragraph that didn't change", "links to paragraphs that didn't change"),
            *_spoken_remarks(queries, candidates, self._use_responses),
        )
        nearness = _nearness(queries, candidates)
        numbers = {one.edit_id: number for number, one in enumerate(shown, start=1)}
        rankings = {}
        for row, query in enumerate(queries):
            scored, spoken = [], orders(texts[row], said_by_reviewer=True)
            for column, candidate in enumerate(candidates):
                yes = (row + 1, candidate.edit_id) in named
                if not yes and (row + 1, numbers[candidate.edit_id]) in unanswered:
                    continue
                near = float(nearness[row, column]) / 2
                why = (*(("the model names it",) if yes else ()), *_warned(spoken, candidate))
                scored.append(Scored(candidate.edit_id, 0.5 + near if yes else near, yes, why))
            rankings[query.comment_id] = tuple(_ranked(scored))
        report.progress(1.0)
        return _demanded(rankings)

    def _shown(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Returns the candidates in the order of the paper, with the unchanged paragraphs between them."""
        keys = {candidate.edit_id for candidate in candidates}
        shown = [one for one in self._whole if one.unchanged or one.edit_id in keys]
        placed = {one.edit_id for one in shown}
        return [*shown, *(candidate for candidate in candidates if candidate.edit_id not in placed)]

    def _pieces(
        self, asked: Mapping[int, str], edits: Mapping[int, str]
    ) -> Iterator[tuple[dict[int, str], dict[int, str]]]:
        """Yields comments and edits in pieces that fit: comments take at most half of the space, the edits the rest."""
        room = _room(self._model, [instructions("align-multi-edit")], "multi-edit")
        each = _NUMBER + _PER_COMMENT
        for some in _packed(asked, room // 2, each):
            left = max(2 * _FEWEST, room - sum(tokens_in(text) + each for text in some.values()))
            for chunk in _packed(edits, left, _NUMBER):
                yield some, chunk

    def _ask(self, pieces: Sequence[_Piece], report: Report) -> tuple[list[Lines], set[tuple[int, int]], Tally]:
        """Returns the answers' contents, the pairs without an answer, and the counts. A piece whose answer was cut off,
        or which turns out too long for the model, is halved, down to one comment and one edit."""
        said: list[Lines] = []
        unanswered: set[tuple[int, int]] = set()
        tally = Tally()
        todo, done, failed = [(piece, False) for piece in pieces], 0.0, []
        while todo:
            part = report.part(done, done := done + (1 - done) / 2)
            questions = [self._question(*piece) for piece, _ in todo]
            more: list[tuple[_Piece, bool]] = []
            for ((some, chunk), last), asked in zip(
                todo, ask_all(self._model, questions, report=part, words="parts"), strict=True
            ):
                halves = _halves(some, chunk) if asked.cut or isinstance(asked.error, ContextTooLong) else []
                missing = set(some) - (asked.value.answered if asked.value is not None else set())
                if halves:
                    more += [(half, last) for half in halves]
                elif asked.value is not None and missing and not last:
                    said.append(asked.value)
                    more.append((({number: some[number] for number in missing}, chunk), True))
                else:
                    failed += [asked] if asked.value is None else []
                    said += [asked.value] if asked.value is not None else []
                    unanswered |= {(comment, edit) for comment in missing for edit in chunk}
                    tally.add([asked])
                    if asked.value is not None and missing:
                        tally.unanswered.append(f"{counted(len(missing), 'comment', 'comments')} left out")
            tally.again += len(more)
            todo = more
        if failed and not said:
            usable_or_raise(failed)
        return said, unanswered, tally

    def _question(self, some: Mapping[int, str], chunk: Mapping[int, str]) -> Question[Lines]:
        comments = "\n".join(f"{number}. {text}" for number, text in some.items())
        edits = "\n\n".join(f"{number}. {text}" for number, text in chunk.items())
        messages = (
            Message("system", instructions("align-multi-edit")),
            Message("user", f"{fenced('Paragraphs', edits)}\n\n{fenced('Comments', comments, said_by_reviewer=True)}"),
        )

        def read(text: str) -> Lines:
            lines = read_lines(text, some, chunk)
            if not lines.answered:
                raise ValueError("it isn't in the requested form")
            return lines

        budget = ANSWER["multi-edit"] + _PER_COMMENT * len(some)
        return Question(
            Prompt(messages, budget), read, "Answer again with one line of JSON for each comment, and nothing else."
        )


def _halves(some: Mapping[int, str], chunk: Mapping[int, str]) -> list[_Piece]:
    """Splits a piece in two: the comments, or if there is only one, the edits; returns nothing for one of each."""
    larger = some if len(some) > 1 else chunk
    if len(larger) < 2:
        return []
    numbers = list(larger)
    parts = [
        {number: larger[number] for number in half}
        for half in (numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :])
    ]
    return [(part, dict(chunk)) if larger is some else (dict(some), part) for part in parts]


def asked_of(query: Query, use_response: bool) -> str:
    """Returns a comment for the prompt, with the authors' reply if that may be used."""
    reply = query.response.strip() if use_response else ""
    return f"{query.in_context}\n(The authors replied: {reply})" if reply else query.in_context


def _placed(candidate: Candidate) -> str:
    return f"(section: {candidate.section}) {candidate.diff_text}" if candidate.section else candidate.diff_text


def _room(model: LanguageModel, texts: Sequence[str], use: str) -> int:
    """Returns the tokens left for the rest of a prompt."""
    return context_of(model) - ANSWER[use] - sum(map(tokens_in, texts)) - 2 * FENCE_TOKENS


def _warned(spoken: Sequence[str], candidate: Candidate) -> tuple[str, ...]:
    """Returns the reason that marks a pair if one of its texts tries to instruct the model."""
    return (TRIED,) if spoken or orders(_placed(candidate)) else ()


def _ranked(scored: Iterable[Scored]) -> list[Scored]:
    """Returns a comment's edits, the likeliest first; marked if the model says yes to all of many."""
    found = sorted(scored, key=lambda item: -item.score)
    if len(found) < _MANY or not all(one.linked for one in found):
        return found
    return [replace(one, reasons=(*one.reasons, TO_ALL)) for one in found]


def _demanded(rankings: Rankings) -> dict[str, tuple[Scored, ...]]:
    """Returns the rankings with the edits marked to which the model says yes for all of many comments."""
    yes = Counter(one.edit_id for ranking in rankings.values() for one in ranking if one.linked)
    no = {one.edit_id for ranking in rankings.values() for one in ranking if not one.linked and not one.reasons}
    return {
        key: tuple(
            replace(one, reasons=(*one.reasons, FOR_ALL))
            if one.linked and yes[one.edit_id] >= _MANY and one.edit_id not in no
            else one
            for one in ranking
        )
        for key, ranking in rankings.items()
    }


def _spoken_remarks(queries: Sequence[Query], candidates: Sequence[Candidate], use_responses: bool) -> tuple[str, ...]:
    count = sum(bool(orders(asked_of(query, use_responses), said_by_reviewer=True)) for query in queries)
    count += sum(bool(orders(_placed(candidate))) for candidate in candidates)
    words = "try to instruct a language model; such passages were left out, and what was said about them is marked."
    return (f"{counted(count, 'text', 'texts')} {words}",) if count else ()


def _packed(texts: Mapping[int, str], room: int, each: int) -> Iterator[dict[int, str]]:
    """Yields the texts in order, in groups of at most ``room`` tokens; a longer text is truncated. ``each`` is added
    per text."""
    group: dict[int, str] = {}
    size = 0
    for number, text in texts.items():
        part = cut(text, max(_FEWEST, room - each))
        if group and size + tokens_in(part) + each > room:
            yield group
            group, size = {}, 0
        group[number] = part
        size += tokens_in(part) + each
    if group:
        yield group


def _nearness(queries: Sequence[Query], candidates: Sequence[Candidate]) -> Matrix:
    """Returns BM25 scaled from 0 to just under 1, to order what the model calls equal."""
    scores = bm25([query.comment for query in queries], [post_revision(candidate) for candidate in candidates])
    nearness: Matrix = scores / (np.max(scores, initial=0.0) + 1.0)
    return nearness


def _object(text: str) -> Mapping[str, object] | None:
    """Returns the JSON object at the start of a text, or None."""
    try:
        value, _ = json.JSONDecoder(object_pairs_hook=said_once).raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.strip().isdecimal() else None


def _numbers(value: object) -> tuple[int, ...] | None:
    """Returns the integers of a list, or None if it isn't a list; other items become -1 (unknown)."""
    if not isinstance(value, list):
        return None
    return tuple(-1 if (number := _number(item)) is None else number for item in value)
