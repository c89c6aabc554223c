"""Builds the sample project: an invented paper in two versions, its reviews, the response letter, and the truth."""

import engine  # noqa: F401 - before any library: it blocks what could use the network
