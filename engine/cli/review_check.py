"""``rejoinder review``: all its commands, and ``review check``: whether what a review says is in the paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from engine.cli.output import emit, fields, json_option, remark
from engine.cli.papers import move_review_command, remove_review, rename_review
from engine.cli.review_draft import draft
from engine.cli.review_score import score
from engine.documents.places import Places
from engine.documents.service import DocumentService
from engine.exchange.encoding import read_text
from engine.review_drafting.grounding import CheckedAnchor, Claim, ground

_SIGNS = {"green": "+", "amber": "o", "red": "x", "none": " "}


@click.group()
def review() -> None:
    """Draft, check and score reviews; move, rename and remove those of a project."""


for _command in (draft, score, move_review_command, remove_review, rename_review):
    review.add_command(_command)


@review.command()
@click.argument("path", metavar="REVIEW.md", type=click.Path(path_type=Path))
@click.option("--paper", required=True, metavar="PAPER.pdf", type=click.Path(path_type=Path), help="The paper's PDF.")
@json_option
def check(path: Path, paper: Path, as_json: bool) -> None:
    """Verify each place, quotation and number that a review of any origin points at.

    Each sentence is marked + (what it points at was found), o (says something of the paper and points nowhere) or x
    (points at something that is not there). Only what the PDF shows counts. Exit 1 where a sentence is marked x.
    """
    from engine.documents.hidden import unexamined_words, visible_document
    from engine.exchange.review_markdown import read_review

    decoded = read_text(path)
    for warning in decoded.warnings:
        remark(warning)
    with DocumentService() as service:
        parsed, seen = service.parse(paper), service.inspect(paper)
    if seen.hidden or seen.injection:
        remark(f"The PDF hides text or speaks to its reviewer; see rejoinder inspect {paper.name}.")
    if not seen.complete:
        remark(f"{unexamined_words(seen)} Text on such pages does not count; see rejoinder inspect {paper.name}.")
    found = ground(decoded.text, Places(visible_document(parsed, seen)))
    if as_json:
        emit(
            {
                **read_review(decoded.text).model_dump(),
                "anchors": [_anchor(claim, a) for claim in found.claims for a in claim.anchors],
                "unsupported": [_claim(claim) for claim in found.unsupported],
                "claims": [_claim(claim) for claim in found.claims],
                "hidden_text": len(seen.hidden),
                "complete": seen.complete,
                "seconds": found.seconds,
            }
        )
    else:
        for claim in found.claims:
            click.echo(f"{_SIGNS[claim.colour]} {' '.join(claim.text.split())}")
            if claim.colour in ("red", "amber"):
                click.echo(f"    {claim.why}")
            for passage in claim.passages:
                click.echo(f"    nearest, page {passage.page}: {passage.text[:160]}")
        counts = {colour: sum(c.colour == colour for c in found.claims) for colour in ("green", "amber", "red")}
        click.echo(f"\n{counts['green']} verified, {counts['amber']} without a place, {counts['red']} unsupported.")
    if found.unsupported:
        sys.exit(1)


def _anchor(claim: Claim, anchor: CheckedAnchor) -> dict[str, Any]:
    return fields(
        anchor,
        "kind ref verified certain start end why",
        claim=claim.text,
        page=anchor.page or None,
        boxes=[[b.page, b.x0, b.y0, b.x1, b.y1] for b in anchor.place.boxes] if anchor.place else [],
    )


def _claim(claim: Claim) -> dict[str, Any]:
    nearest = [fields(passage, "page text share") for passage in claim.passages]
    return fields(claim, "start end kind colour why missing", claim=claim.text, nearest=nearest)
