"""What goes into the job engine and what comes out of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePath
from typing import Any, Generic, Protocol, TypeVar

from engine.errors import EnvironmentProblem

Params = TypeVar("Params")
Result = TypeVar("Result")


class JobState(Enum):
    """The state of a job; the last three are end states, and a job reaches exactly one of them."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        return self not in (JobState.QUEUED, JobState.RUNNING)


class DuplicatePolicy(Enum):
    """What happens to a task when one of the same kind and scope is already waiting or running.

    DISCARD: the new one is not taken; the existing job is returned (and also tells the new listeners, if the
    parameters are the same). REPLACE: those that wait are cancelled and the new one takes their place; one
    that runs goes on. AFTER: the new one waits its turn.
    """

    DISCARD = "discard"
    REPLACE = "replace"
    AFTER = "after"


class Lane(Enum):
    """The three lanes, each a thread of its own that runs one job after the other.

    INTERACTIVE is for what somebody waits for (a parse, suggestions, a calibration), LONG for runs over a data set or a
    venue and drafts of whole reviews, TRAINING for fitting models.
    """

    INTERACTIVE = "interactive"
    LONG = "long"
    TRAINING = "training"


class Report(Protocol):
    """What a running task reports to. Every call but ``part`` raises ``Cancelled`` once the job is cancelled.

    A task calls ``progress`` or ``check`` at least every half second, so that Cancel works within one.
    """

    def progress(self, fraction: float, words: str = "") -> None:
        """``fraction`` in 0..1 of the whole task; ``words`` say what goes on, for people."""
        ...

    def check(self) -> None: ...

    def partial(self, value: Any) -> None:
        """Hands over a frozen partial result."""
        ...

    def part(self, start: float, end: float) -> Report:
        """A report for a step of the task: its 0..1 is ``start``..``end`` of this one."""
        ...


@dataclass(frozen=True)
class Task(Generic[Params, Result]):
    """Work for a lane of the job engine.

    ``kind`` names the task ("documents.parse"), ``scope`` what it works on ("doc:<id>"); the two together
    decide what a duplicate is. ``title`` is what people read in the job tray. ``run(params, report)`` takes
    frozen parameters and returns a frozen result; it reads and writes through stores, never through live
    objects of the window. A task that must run ``alone`` (erasing) starts when no other lane runs anything, and keeps
    the other lanes from starting the next job meanwhile.
    """

    kind: str
    title: str
    run: Callable[[Params, Report], Result] = field(repr=False)
    params: Params
    duplicate: DuplicatePolicy
    scope: str = ""
    lane: Lane = Lane.INTERACTIVE
    alone: bool = False

    def __post_init__(self) -> None:
        if not self.kind or not self.title:
            raise ValueError("a task needs a kind and a title")
        require_frozen(self.params, f"the parameters of {self.kind}")


@dataclass(frozen=True)
class Failure:
    """Why a job failed: the world's ``problem``, or, where that is None, a bug with its ``traceback``."""

    problem: EnvironmentProblem | None
    summary: str
    traceback: str = ""


@dataclass(frozen=True)
class JobSnapshot:
    """A job at one moment.

    ``fraction`` is 0..1, or None where the task has not said; ``remaining`` in seconds, None until there is
    evidence. ``sequence`` grows with every snapshot of the engine: of two snapshots of one job the higher one
    is the newer. ``cancelling``: Cancel was requested and the task has not yet stopped. ``waits_for``: the title of the
    job that must end before a queued one can start; empty where nothing is ahead of it.
    """

    id: int
    kind: str
    scope: str
    title: str
    state: JobState
    sequence: int
    fraction: float | None = None
    words: str = ""
    elapsed: float = 0.0
    remaining: float | None = None
    cancelling: bool = False
    failure: Failure | None = None
    waits_for: str = ""


_IMMUTABLE = (str, bytes, int, float, complex, bool, type(None), Enum, PurePath)


def require_frozen(value: object, what: str) -> None:
    """Raises TypeError unless ``value`` is of an immutable type, as everything that crosses threads must be."""
    if isinstance(value, _IMMUTABLE):
        return
    if isinstance(value, tuple | frozenset):
        for item in value:
            require_frozen(item, what)
        return
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parameters = type(value).__dataclass_params__  # type: ignore[attr-defined]
        if parameters.frozen:
            return
    raise TypeError(f"{what} must be frozen (a frozen dataclass, a tuple, a plain value), not {type(value).__name__}")
