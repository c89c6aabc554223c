"""The engine thread: queue, progress, cancellation."""

from engine.jobs.engine import Job, JobEngine
from engine.jobs.progress import PartReport, QuietReport, RemainingTime
from engine.jobs.records import DuplicatePolicy, Failure, JobSnapshot, JobState, Report, Task, require_frozen

__all__ = [
    "DuplicatePolicy",
    "Failure",
    "Job",
    "JobEngine",
    "JobSnapshot",
    "JobState",
    "PartReport",
    "QuietReport",
    "RemainingTime",
    "Report",
    "Task",
    "require_frozen",
]
