"""Jobs: lanes, queues, progress, cancellation."""

from engine.jobs.engine import Job, JobEngine
from engine.jobs.progress import PartReport, QuietReport, RemainingTime
from engine.jobs.records import (
    DuplicatePolicy,
    Failure,
    JobSnapshot,
    JobState,
    Lane,
    Report,
    Task,
    require_frozen,
    task,
)

__all__ = [
    "DuplicatePolicy",
    "Failure",
    "Job",
    "JobEngine",
    "JobSnapshot",
    "JobState",
    "Lane",
    "PartReport",
    "QuietReport",
    "RemainingTime",
    "Report",
    "Task",
    "require_frozen",
    "task",
]
