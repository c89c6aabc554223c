"""Keys and times as every table writes them."""

from __future__ import annotations

from datetime import UTC, datetime

import uuid_utils


def new_id() -> str:
    """A UUIDv7 as text: unique across files, so that they merge, and sorted by time of creation (RFC 9562, 5.7)."""
    return str(uuid_utils.uuid7())


def now() -> str:
    """The present as ISO 8601 in UTC with microseconds, always the same width, so that text order is time order."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
