"""All targets of fuzzing by name."""

from __future__ import annotations

from tests.fuzz import marked_targets, program_targets, review_targets, table_targets
from tests.fuzz.target import Target

TARGETS = {
    found.name: found
    for module in (review_targets, marked_targets, table_targets, program_targets)
    for found in vars(module).values()
    if isinstance(found, Target)
}
