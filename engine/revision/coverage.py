"""Whether all comments were answered: each comment with its state, its edits and the best unlinked candidates; and the
edits that answer no comment."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from engine.documents.references import find_references
from engine.reviews.language import is_english
from engine.reviews.records import Comment
from engine.revision.aligners.replies import announces_change
from engine.revision.groups import in_groups
from engine.revision.named_places import LEAST_QUOTED
from engine.revision.records import CommentJudgement, CommentState, Edit, Link, Suggestion
from engine.shown import shortened

Standing = Literal["answered", "attention", "open"]
"""``open``: nobody decided on the comment. ``attention``: a person decided that nothing answers it."""
CANDIDATES = 3
_ANSWERED: frozenset[CommentState] = frozenset({"linked", "answered", "visual_only"})


@dataclass(frozen=True, slots=True)
class Covered:
    """A comment and its outcome."""

    comment: Comment
    number: int
    """Its number among its reviewer's comments, from 1."""
    state: CommentState
    note: str
    edits: tuple[Edit, ...]
    candidates: tuple[Suggestion, ...]
    """The best suggestions that are neither linked nor rejected, best first."""

    @property
    def standing(self) -> Standing:
        """Whether it is answered, needs attention, or is open."""
        if self.state == "undecided":
            return "open"
        return "answered" if self.state in _ANSWERED else "attention"


@dataclass(frozen=True, slots=True)
class Coverage:
    """All comments that ask for something, in order, and the edits that answer none of them."""

    rows: tuple[Covered, ...]
    unanswering: tuple[Edit, ...]

    def of(self, reviewer: str) -> tuple[Covered, ...]:
        """Returns the rows of one reviewer, or all for ""."""
        return tuple(row for row in self.rows if not reviewer or row.comment.reviewer == reviewer)

    @property
    def reviewers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.comment.reviewer for row in self.rows))

    def count(self, standing: Standing) -> int:
        return sum(row.standing == standing for row in self.rows)


def coverage(
    comments: Iterable[Comment],
    edits: Sequence[Edit],
    links: Iterable[Link],
    states: Mapping[str, CommentJudgement],
    suggestions: Mapping[str, Sequence[Suggestion]],
    *,
    groups: Collection[str] = ("text",),
) -> Coverage:
    """Computes the coverage. Comments that ask for nothing are left out; edits are in order of the revised text, and
    only those of ``groups`` ("all": every group) are listed as answering no comment."""
    order = {edit.id: at for at, edit in enumerate(edits)}
    linked: dict[str, set[str]] = {}
    for link in links:
        if link.edit_id in order:
            linked.setdefault(link.comment_id, set()).add(link.edit_id)
    numbers: dict[str, int] = {}
    rows = []
    for comment in comments:
        if not comment.actionable:
            continue
        numbers[comment.reviewer] = numbers.get(comment.reviewer, 0) + 1
        own = linked.get(comment.id, set())
        judgement = states.get(comment.id)
        rows.append(
            Covered(
                comment,
                numbers[comment.reviewer],
                judgement.state if judgement else "undecided",
                judgement.note if judgement else "",
                tuple(edits[order[key]] for key in sorted(own, key=order.__getitem__)),
                tuple(
                    s
                    for s in suggestions.get(comment.id, ())
                    if s.edit_id not in own and s.edit_id in order and s.decision is None
                )[:CANDIDATES],
            )
        )
    answering = {edit.id for row in rows for edit in row.edits}
    return Coverage(tuple(rows), in_groups([edit for edit in edits if edit.id not in answering], groups))


# The second round: the outcome of each request, for editors and authors. A person's decision comes first; otherwise the
# outcome is suggested from the ranked edits and the response, and marked as such.

RequestState = Literal["addressed", "answered only", "not found", "not checked"]
REQUEST_STATES: tuple[RequestState, ...] = get_args(RequestState)
Basis = Literal["decided", "suggested", "not checked"]

_DECIDED: Mapping[CommentState, RequestState] = {
    "linked": "addressed",
    "visual_only": "addressed",
    "answered": "answered only",
    "no_edit_found": "not found",
}
LIKELY = 0.1
"""Minimum probability of the best edit for a change that the response announces. With edits from the sources the state
agreed with the labels for 87.6, 86.0 and 83.9 % of the requests at 0.05, 0.1 and 0.15; scores of the default aligner
are probabilities."""
UNRELIABLE = "No edit fits it, but some pages couldn't be read reliably."
ON_DOUBTFUL_PAGES = "The edits that fit it are on pages that couldn't be read reliably."
UNSUGGESTED = "No edits were suggested for it yet."
FOREIGN = "No edit fits it, but it isn't in the language of the paper, and words are compared in one language."
_SHOWN = 60
_NONE = ("No edit fits it.", "Both versions have the same text.")
_PROBABILITIES = "model:fused@"


@dataclass(frozen=True, slots=True)
class Request:
    """A request and its outcome. ``basis``: who decided it; ``why`` explains it in a sentence.

    ``edits`` are the evidence: linked ones if a person decided, otherwise the suggested ones, best first, whose scores
    and reasons are in ``suggestions``. ``places``: places named by comment and response, in their words.
    """

    row: Covered
    state: RequestState
    basis: Basis
    why: str
    edits: tuple[Edit, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    places: tuple[str, ...] = ()


def request(
    row: Covered,
    edits: Mapping[str, Edit],
    suggestions: Sequence[Suggestion],
    *,
    doubtful: bool = False,
    doubts: Collection[str] = (),
    compared: bool = True,
    foreign: bool = False,
) -> Request:
    """Determines the outcome of one request. ``edits``: all between two compared versions, by id; ``suggestions``: all
    that were made for it, including decided ones. ``doubtful``: a version has pages whose text may not match what they
    show; ``doubts`` are the edits on such pages, which alone decide nothing. ``compared``: there are two versions, and
    their edits are known. ``foreign``: the request isn't in the paper's language, so that an edit that answers it may
    not be found."""
    comment, response = row.comment.comment, row.comment.response
    places = _places(comment, response)
    if row.edits or row.state != "undecided":
        state = "addressed" if row.edits else _DECIDED.get(row.state)
        # A request that was declined with an answer counts as answered.
        state = state or ("answered only" if response.strip() else "not found")
        return Request(row, state, "decided", "Decided by a person.", row.edits, (), places)
    if not compared or (edits and not suggestions):
        why = UNSUGGESTED if compared else "The two versions haven't been compared yet."
        return Request(row, "not checked", "not checked", why, places=places)
    announced = announces_change(response, comment)
    open_ = [one for one in suggestions if one.decision is None and one.edit_id in edits]
    found, why = tuple(one for one in open_ if one.linked), "The suggested edits fit it."
    if not found and announced:
        found = tuple(one for one in open_[:1] if one.score >= LIKELY and one.origin.startswith(_PROBABILITIES))
        why = "The response says that the paper was changed. The suggested edit is the best match but isn't certain."
    if found:
        own = tuple(edits[one.edit_id] for one in found)
        if all(edit.id in doubts for edit in own):
            return Request(row, "not checked", "not checked", ON_DOUBTFUL_PAGES, own, found, places)
        return Request(row, "addressed", "suggested", why, own, found, places)
    if doubtful or foreign:
        return Request(row, "not checked", "not checked", UNRELIABLE if doubtful else FOREIGN, places=places)
    state, why = "not found", f"There is no response. {_NONE[not edits]}"
    if announced:
        why = f"The response says that the paper was changed. {_NONE[not edits]}"
    elif response.strip():
        state, why = "answered only", f"There is a response. {_NONE[not edits]}"
    return Request(row, state, "suggested", why, places=places)


def second_round(
    rows: Iterable[Covered],
    edits: Iterable[Edit],
    suggestions: Mapping[str, Sequence[Suggestion]],
    *,
    doubtful: bool = False,
    doubts: Collection[str] = (),
    compared: bool = True,
) -> tuple[Request, ...]:
    by_id = {edit.id: edit for edit in edits}
    how = partial(request, edits=by_id, doubtful=doubtful, doubts=doubts, compared=compared)
    english = is_english(" ".join(edit.target_text or edit.source_text for edit in by_id.values())[:20_000])

    def foreign(comment: Comment) -> bool:
        return bool(by_id) and is_english(comment.comment, comment.response) != english

    return tuple(
        how(row, suggestions=suggestions.get(row.comment.id, ()), foreign=foreign(row.comment)) for row in rows
    )


def of_reviewer(requests: Sequence[Request], reviewer: str) -> tuple[Request, ...]:
    """Returns the requests of one reviewer, or all for ""."""
    return tuple(one for one in requests if not reviewer or one.row.comment.reviewer == reviewer)


def counted_states(requests: Iterable[Request]) -> dict[RequestState, tuple[int, int]]:
    """Returns the number of requests in each state, and how many of them a person decided."""
    found = dict.fromkeys(REQUEST_STATES, (0, 0))
    for one in requests:
        all_, decided = found[one.state]
        found[one.state] = all_ + 1, decided + (one.basis == "decided")
    return found


def _places(comment: str, response: str) -> tuple[str, ...]:
    return tuple(
        f"{whose} names {', '.join(names)}"
        for whose, text in (("the comment", comment), ("the response", response))
        if (names := dict.fromkeys(_named(text)))
    )


def _named(text: str) -> Iterable[str]:
    for one in find_references(text):
        if one.kind != "quote":
            yield one.label
        elif len(one.title.split()) >= LEAST_QUOTED:  # fewer words are a term
            yield f"“{shortened(one.title, _SHOWN)}”"
