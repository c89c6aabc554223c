"""Records of rebuttal drafting: templates, points, plans."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

# The function of a rebuttal sentence: the 17 actions of DISAPERE (Kennard et al. 2022, table 2), and the stance of
# each. Ids are those of the templates (``Action``) where there is one; the four others have no canonical answer. The
# action determines the stance.

ActStance = Literal["concur", "dispute", "none-arguing", "other"]


@dataclass(frozen=True, slots=True)
class ActInfo:
    """One action: its id, its title, its name in DISAPERE and JitsuPeer, and its stance."""

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
    """Returns the stance of an action. Raises KeyError for an unknown id."""
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
"""Whether the authors agree with the reviewer (Kennard et al. 2022); mitigating disputes how serious the criticism
is."""

STARTER = "starter"
"""The bundled library; it can't be changed, only copied from."""
PERSONAL = "personal"
"""The user's own library, the same in every project."""


@dataclass(frozen=True, slots=True)
class Template:
    """A canonical rebuttal with slots. Empty ``roots`` or ``themes`` fit any.

    ``id`` is unique in its ``library``. ``score`` is its score in a ranking by preferences, None if it has none.
    ``key`` is the row's key in a project, "" elsewhere.
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
        """The name under which uses and generated sentences refer to it."""
        return f"template:{self.library}/{self.id}"


class Generated(NamedTuple):
    """A sentence of a reply that comes from a template or a model and that nobody has edited or accepted yet."""

    sentence: str
    origin: str


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the outline: the reply to a comment, or an opening or closing text for a reviewer.

    ``budget`` is in the unit of the plan's limit; None gives the point its share of what is free. ``confirmed`` are
    claims of the text that the user confirmed where no check could. ``id`` is "" until something is stored.
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
        """Whether the reply agrees with the reviewer; None until an action is chosen."""
        return None if self.action is None else STANCES[self.action]


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of a whole rebuttal. ``own_limits`` changes single values of the preset: (name, value) pairs, where ""
    removes the limit. ``names`` are names and affiliations that must not appear. ``sent`` are the comments' labels at
    export, which don't change afterwards."""

    preset: str = "openreview-5000"
    own_limits: tuple[tuple[str, str], ...] = ()
    quoting: Quoting = "short"
    names: tuple[str, ...] = ()
    sent: tuple[tuple[str, str], ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class Use:
    """A template or draft that was inserted into a point, or rejected; ``text`` is the inserted text."""

    source: str
    comment_id: str
    point_id: str
    verdict: Literal["taken", "refused"]
    text: str
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """How often a template was inserted, and what became of its text and of the responses."""

    taken: int = 0
    kept: int = 0
    """Its text is still in the reply unchanged, apart from filled slots."""
    changed: int = 0
    dropped: int = 0
    satisfied: int = 0
    """Replies after which the reviewer was satisfied, partly satisfied, or not."""
    partly: int = 0
    unmoved: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A language model's draft for a comment; ``raw`` is its whole output, ``text`` what can be inserted into the
    reply."""

    comment_id: str
    origin: str
    text: str
    raw: str = ""
    prompt_version: str = ""
    seconds: float = 0.0
    id: str = ""
    created_at: str = ""
