"""Checks of a paper by rule: each finds something that a reader can look up, and says where.

A finding is ``certain`` where the paper contradicts itself; else it is something to ask. Whoever adds a check prefers
silence: a false alarm costs a reviewer more than a finding that is missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.review_drafting.records import Check, PaperReading
from engine.review_drafting.stages.table_checks import bold_not_best, table_totals, unmentioned_tables, variance
from engine.review_drafting.stages.text_checks import absent_references, abstract_numbers, percentages, train_and_test
from engine.review_drafting.stages.wording_checks import bare_claims, claims_apart, undefined_terms

CHECKS: tuple[Callable[[PaperReading], Iterable[Check]], ...] = (
    abstract_numbers, percentages, absent_references, bold_not_best, table_totals, train_and_test, variance,
    unmentioned_tables, bare_claims, undefined_terms, claims_apart,
)  # fmt: skip
