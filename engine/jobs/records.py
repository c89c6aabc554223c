"""What goes into the job engine and what comes out of it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePath
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from engine.errors import EnvironmentProblem

Given = ParamSpec("Given")
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

    def say(self, words: str) -> None:
        """What goes on, where it is as far as it was."""
        ...

    def check(self) -> None: ...

    def partial(self, value: Any) -> None: ...

    def part(self, start: float, end: float) -> Report:
        """A report for a step of the task: its 0..1 is ``start``..``end`` of this one."""
        ...


@dataclass(frozen=True)
class Task(Generic[Result]):
    """Work for a lane of the job engine, as a rule made by a function under ``@task``.

    ``kind`` names the task ("documents.parse"), ``scope`` what it works on ("doc:<id>"); the two together
    decide what a duplicate is. ``title`` is what people read in the job tray. ``run(report)`` returns a frozen result;
    it reads and writes through stores, never through live objects of the window. ``params`` are the frozen values that
    it was given. A task that must run ``alone`` (erasing) starts when no other lane runs anything, and keeps the other
    lanes from starting the next job meanwhile.
    """

    kind: str
    title: str
    run: Callable[[Report], Result] = field(repr=False)
    duplicate: DuplicatePolicy
    scope: str = ""
    lane: Lane = Lane.INTERACTIVE
    alone: bool = False
    params: tuple[object, ...] = ()

    def __post_init__(self) -> None:
        if not self.kind or not self.title:
            raise ValueError("a task needs a kind and a title")


def task(
    kind: str,
    title: str | Callable[..., str],
    duplicate: DuplicatePolicy,
    scope: str | Callable[..., str] = "",
    lane: Lane | Callable[..., Lane] = Lane.INTERACTIVE,
    *,
    alone: bool = False,
) -> Callable[[Callable[Concatenate[Report, Given], Result]], Callable[Given, Task[Result]]]:
    """Makes a function of a report and parameters one that returns the ``Task`` of running it with these parameters.

    ``title`` and ``scope`` are formatted with the parameters ("Read {path.name}"); what is called is called with them,
    by name. Stores, services and loaders may be among the parameters; everything else must be frozen.
    """

    def said(of: str | Callable[..., str], given: dict[str, Any]) -> str:
        return of.format(**given) if isinstance(of, str) else of(**given)

    def decorated(function: Callable[Concatenate[Report, Given], Result]) -> Callable[Given, Task[Result]]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def made(*args: Given.args, **kwargs: Given.kwargs) -> Task[Result]:
            bound = signature.bind(None, *args, **kwargs)
            bound.apply_defaults()
            given = dict(list(bound.arguments.items())[1:])
            for name, value in given.items():
                if (isinstance(value, _CONTAINERS) or _is_record(value)) and not is_frozen(value):
                    raise TypeError(f"{name} of {kind} must be frozen, not {type(value).__name__}")
            return Task(
                kind,
                said(title, given),
                lambda report: function(report, *args, **kwargs),
                duplicate,
                said(scope, given),
                lane if isinstance(lane, Lane) else lane(**given),
                alone,
                tuple(value for value in given.values() if is_frozen(value)),
            )

        return made

    return decorated


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
_CONTAINERS = (tuple, frozenset, list, dict, set, bytearray)


def _is_record(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def is_frozen(value: object) -> bool:
    """Whether a value is of an immutable type, as everything that crosses threads must be."""
    if isinstance(value, tuple | frozenset):
        return all(map(is_frozen, value))
    if _is_record(value):
        return bool(type(value).__dataclass_params__.frozen)  # type: ignore[attr-defined]
    return isinstance(value, _IMMUTABLE)


def require_frozen(value: object, what: str) -> None:
    """Raises TypeError unless ``value`` is frozen."""
    if not is_frozen(value):
        raise TypeError(
            f"{what} must be frozen (a frozen dataclass, a tuple, a plain value), not {type(value).__name__}"
        )
