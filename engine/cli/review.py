"""``rejoinder review``: drafting, checking and scoring reviews."""

from __future__ import annotations

import click

from engine.cli.review_check import check
from engine.cli.review_draft import draft
from engine.cli.review_score import score


@click.group()
def review() -> None:
    """Draft a review, and check that what a review says stands in the paper."""


review.add_command(check)
review.add_command(draft)
review.add_command(score)
