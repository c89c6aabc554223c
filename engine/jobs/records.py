"""Input and output of the job engine."""

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
    """The state of a job. The last three are end states, of which a job reaches exactly one."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        return self not in (JobState.QUEUED, JobState.RUNNING)


class DuplicatePolicy(Enum):
    """What happens to a task if a job of the same kind and scope is already queued or running.

    DISCARD: the new task is dropped and the existing job returned (it also notifies the new listeners if the parameters
    are equal). REPLACE: queued jobs are cancelled and the new one takes their place; a running one continues. AFTER:
    the new one is queued.
    """

    DISCARD = "discard"
    REPLACE = "replace"
    AFTER = "after"


class Lane(Enum):
    """The three lanes, each a thread that runs one job after the other.

    INTERACTIVE is for results that a user is waiting for (a parse, suggestions, a calibration), LONG for runs over a
    data set or venue and drafts of whole reviews, TRAINING for fitting models.
    """

    INTERACTIVE = "interactive"
    LONG = "long"
    TRAINING = "training"


class Report(Protocol):
    """The interface through which a running task reports. All methods but ``part`` raise ``Cancelled`` once the job is
    cancelled. A task calls ``progress`` or ``check`` at least every half second, so that Cancel responds quickly."""

    def progress(self, fraction: float, words: str = "") -> None:
        """``fraction`` of the whole task in 0..1; ``words`` describe the current step for users."""
        ...

    def say(self, words: str) -> None:
        """Describes the current step without changing the fraction."""
        ...

    def check(self) -> None: ...

    def partial(self, value: Any) -> None: ...

    def part(self, start: float, end: float) -> "Report":
        """Returns a report for a step of the task, whose 0..1 corresponds to ``start``..``end`` of this one."""
        ...


@dataclass(frozen=True)
class Task(Generic[Result]):
    """Work for a lane of the job engine, normally made by a function under ``@task``.

    ``kind`` names the task ("documents.parse"), ``scope`` what it works on ("doc:<id>"); tasks equal in both are
    duplicates. ``title`` is shown in the job tray. ``run(report)`` returns a frozen result; it reads and writes through
    stores, never through live objects of the window. ``params`` are its frozen parameters. A task that must run
    ``alone`` (erasing) starts when no other lane is running anything, and meanwhile keeps the other lanes from starting
    jobs.
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
    """Turns a function of a report and parameters into one that takes the parameters and returns the ``Task`` to run
    it.

    ``title`` and ``scope`` are formatted with the parameters ("Read {path.name}"); callables are called with them as
    keyword arguments. Parameters may be stores, services and loaders; dataclasses and containers must be frozen.
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
    """Why a job failed: an external ``problem``, or, if that is None, a bug with its ``traceback``."""

    problem: EnvironmentProblem | None
    summary: str
    traceback: str = ""


@dataclass(frozen=True)
class JobSnapshot:
    """A job's state at one moment.

    ``fraction`` is 0..1, or None before the first report; ``remaining`` is in seconds, None until it can be estimated.
    ``sequence`` increases with each snapshot of the engine, so the higher of two snapshots of a job is newer.
    ``cancelling``: cancellation was requested and the task hasn't stopped yet. ``waits_for``: the title of the job that
    must end before a queued one can start; "" if there is none.
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
    """Returns whether a value is of an immutable type, as required of everything that is passed between threads."""
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
