"""What flows between the rooms of rebuttal drafting: templates, points, plans."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

# What a rebuttal sentence does: the 17 actions of DISAPERE (Kennard et al. 2022, table 2), and the stance of each.
# Ids are those of the templates (``Action``) where there is one; the four others have no
# canonical answer. Stance is a function of action.

ActStance = Literal["concur", "dispute", "none-arguing", "other"]


@dataclass(frozen=True, slots=True)
class ActInfo:
    """One action: its id, what people read, what DISAPERE and JitsuPeer call it, and the stance it takes."""

    id: str
    title: str
    code: str
    stance: ActStance


ACTS: tuple[ActInfo, ...] = (
    ActInfo("answer", "Answer", "rebuttal_answer", "concur"),
    ActInfo("task_done", "Task done", "rebuttal_done", "concur"),
    ActInfo("task_will_be_done", "Task will be done", "rebuttal_by-cr", "concur"),
    ActInfo("concede_criticism", "Concede criticism", "rebuttal_concede-criticism", "concur"),
    ActInfo("future_work", "Future work", "rebuttal_future", "concur"),
    ActInfo("accept_praise", "Accept praise", "rebuttal_accept-praise", "concur"),
    ActInfo("mitigate_criticism", "Mitigate criticism", "rebuttal_mitigate-criticism", "dispute"),
    ActInfo("reject_criticism", "Reject criticism", "rebuttal_reject-criticism", "dispute"),
    ActInfo("reject_request", "Reject request", "rebuttal_reject-request", "dispute"),
    ActInfo("refute_question", "Refute question", "rebuttal_refute-question", "dispute"),
    ActInfo("contradict_assertion", "Contradict assertion", "rebuttal_contradict-assertion", "dispute"),
    ActInfo("structuring", "Structuring", "rebuttal_structuring", "none-arguing"),
    ActInfo("summary", "Summary", "rebuttal_summary", "none-arguing"),
    ActInfo("thanks", "Social", "rebuttal_social", "none-arguing"),
    ActInfo("follow_up", "Follow-up question", "rebuttal_followup", "none-arguing"),
    ActInfo("other", "Other", "rebuttal_other", "none-arguing"),
    ActInfo("none", "None", "rebuttal_none", "other"),
)
BY_ID: Mapping[str, ActInfo] = {act.id: act for act in ACTS}
BY_CODE: Mapping[str, ActInfo] = {act.code: act for act in ACTS}


def stance_of(action: str) -> ActStance:
    """The stance of an action. Raises KeyError for an unknown id."""
    return BY_ID[action].stance


Action = Literal[
    "answer", "task_done", "task_will_be_done", "concede_criticism", "mitigate_criticism", "reject_criticism",
    "reject_request", "refute_question", "contradict_assertion", "future_work", "structuring", "summary", "thanks",
]  # fmt: skip
"""Rebuttal actions: those of DISAPERE (Kennard et al. 2022) for which a canonical answer makes sense."""
ACTIONS: tuple[Action, ...] = get_args(Action)

Stance = Literal["concur", "dispute", "neither"]
Register = Literal["formal", "neutral", "warm"]
REGISTERS: tuple[Register, ...] = get_args(Register)
PointKind = Literal["reply", "opening", "closing"]
Quoting = Literal["full", "short", "number", "none"]
Outcome = Literal["", "satisfied", "partly", "unmoved"]

ACTION_TITLES: Mapping[Action, str] = {action: BY_ID[action].title for action in ACTIONS} | {"thanks": "Thanks"}
_STANCES: Mapping[ActStance, Stance] = {"concur": "concur", "dispute": "dispute"}
STANCES: Mapping[Action, Stance] = {action: _STANCES.get(BY_ID[action].stance, "neither") for action in ACTIONS}
"""Whether the authors go along with the reviewer (Kennard et al. 2022); mitigating disputes how much it weighs."""

STARTER = "starter"
"""The library that ships; it cannot be changed, only copied from."""
PERSONAL = "personal"
"""The library of the person, the same in every project."""


@dataclass(frozen=True, slots=True)
class Template:
    """A canonical rebuttal with slots. Empty ``roots`` or ``themes`` fit any.

    ``id`` is unique in its ``library``. ``score`` is its place in a ranking by preferences, None where it has none.
    ``key`` is the row's key in a project, "" outside of one.
    """

    id: str
    action: Action
    text: str
    roots: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    register: Register = "neutral"
    provenance: str = ""
    version: int = 1
    library: str = STARTER
    score: float | None = None
    note: str = ""
    key: str = ""

    @property
    def source(self) -> str:
        """What uses and generated sentences name it by."""
        return f"template:{self.library}/{self.id}"


class Generated(NamedTuple):
    """A sentence of a reply that a template or a model wrote, and that nobody has edited or accepted yet."""

    sentence: str
    origin: str


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the outline: the reply to a comment, or an opening or closing word to a reviewer.

    ``budget`` is in the unit of the plan's limit; None leaves the point its share of what is free. ``confirmed`` are
    claims of the text that the person confirmed where no check could. ``id`` is "" while nothing was written.
    """

    kind: PointKind
    comment_id: str = ""
    reviewer: str = ""
    action: Action | None = None
    text: str = ""
    budget: int | None = None
    generated: tuple[Generated, ...] = ()
    confirmed: tuple[str, ...] = ()
    outcome: Outcome = ""
    id: str = ""

    @property
    def stance(self) -> Stance | None:
        """Whether the reply goes along with the reviewer; None while no action is chosen."""
        return None if self.action is None else STANCES[self.action]


@dataclass(frozen=True, slots=True)
class Plan:
    """What holds for a whole rebuttal. ``own_limits`` changes single values of the preset: (name, value) pairs, a value
    of "" lifts the limit. ``names`` are the names and affiliations that must not leave. ``sent`` are the labels that
    comments had when they were exported; they stay.
    """

    preset: str = "openreview-5000"
    own_limits: tuple[tuple[str, str], ...] = ()
    quoting: Quoting = "short"
    names: tuple[str, ...] = ()
    sent: tuple[tuple[str, str], ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class Use:
    """A template or a draft that was put into a point, or refused; ``text`` is what was put in."""

    source: str
    comment_id: str
    point_id: str
    verdict: Literal["taken", "refused"]
    text: str
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """How a template fared: how often it was taken, and what became of its words and of the points."""

    taken: int = 0
    kept: int = 0
    """Its words stand in the reply as they were put in, but for filled slots."""
    changed: int = 0
    dropped: int = 0
    satisfied: int = 0
    """Replies after which the reviewer was satisfied, was so in part, or was not moved."""
    partly: int = 0
    unmoved: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """What a language model wrote for a comment; ``raw`` is all of it, ``text`` what can be put into the reply."""

    comment_id: str
    origin: str
    text: str
    raw: str = ""
    prompt_version: str = ""
    seconds: float = 0.0
    id: str = ""
    created_at: str = ""
