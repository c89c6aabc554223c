"""Keys and times in the format that all tables use."""

import threading
from datetime import UTC, datetime, timedelta

import uuid_utils

_STAMP = "%Y-%m-%dT%H:%M:%S.%fZ"
_guard = threading.Lock()
_last = datetime.min.replace(tzinfo=UTC)


def new_id() -> str:
    """Returns a UUIDv7 as text: unique across files, so that they can be merged, and sorted by creation time (RFC 9562,
    5.7)."""
    return str(uuid_utils.uuid7())


def now() -> str:
    """Returns the current time as ISO 8601 in UTC with microseconds; the fixed width makes text order time order.

    Each call returns a later time than the one before, even if the clock was set back, so that rows keep the order in
    which they were written.
    """
    global _last  # noqa: PLW0603 - the clock of this process
    with _guard:
        _last = max(datetime.now(UTC), _last + timedelta(microseconds=1))
        return _last.strftime(_STAMP)


def not_before(stamp: str) -> None:
    """Makes later calls of ``now`` return times after ``stamp`` (a result of ``now``, here or on another machine). A
    stamp more than a day ahead comes from a machine with a wrong clock and is ignored, to keep times plausible."""
    global _last  # noqa: PLW0603
    try:
        known = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return
    with _guard:
        if known < datetime.now(UTC) + timedelta(days=1):
            _last = max(_last, known)
