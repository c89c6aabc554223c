"""Keys and times as every table writes them."""

import threading
from datetime import UTC, datetime, timedelta

import uuid_utils

_STAMP = "%Y-%m-%dT%H:%M:%S.%fZ"
_guard = threading.Lock()
_last = datetime.min.replace(tzinfo=UTC)


def new_id() -> str:
    """A UUIDv7 as text: unique across files, so that they merge, and sorted by time of creation (RFC 9562, 5.7)."""
    return str(uuid_utils.uuid7())


def now() -> str:
    """The present as ISO 8601 in UTC with microseconds, always the same width, so that text order is time order.

    Two calls never give the same time, and a later call gives a later time, also where the clock was set back: rows
    keep the order in which they were written.
    """
    global _last  # noqa: PLW0603 - the clock of this process
    with _guard:
        _last = max(datetime.now(UTC), _last + timedelta(microseconds=1))
        return _last.strftime(_STAMP)


def not_before(stamp: str) -> None:
    """Makes later calls of ``now`` give times after ``stamp`` (a time that ``now`` gave, here or on another machine).

    A stamp of more than a day ahead is from a machine whose clock was wrong and is ignored: times must stay credible.
    """
    global _last  # noqa: PLW0603
    try:
        known = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return
    with _guard:
        if known < datetime.now(UTC) + timedelta(days=1):
            _last = max(_last, known)
