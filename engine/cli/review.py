"""``rejoinder review``: drafting, checking and scoring reviews, and the care of those of a project."""

from __future__ import annotations

import click

from engine.cli.papers import move_review_command, remove_review, rename_review
from engine.cli.review_check import check
from engine.cli.review_draft import draft
from engine.cli.review_score import score


@click.group()
def review() -> None:
    """Draft, check and score reviews; move, rename and remove those of a project."""


review.add_command(check)
review.add_command(draft)
review.add_command(score)
review.add_command(move_review_command)
review.add_command(remove_review)
review.add_command(rename_review)
