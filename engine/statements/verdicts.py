"""The five states of a statement that was held against its paper."""

from __future__ import annotations

from typing import Literal

Verdict = Literal["supported", "contradicted", "place found", "not found", "not checked"]
"""What a check came to.

- ``supported``: the paper says this, at the place shown.
- ``contradicted``: the paper says otherwise, at the place shown.
- ``place found``: the place that the statement names exists; whether it says this was not decided.
- ``not found``: what the statement names is not in the paper.
- ``not checked``: nothing in the statement could be checked.
"""
