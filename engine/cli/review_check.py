"""``rejoinder review check``: whether what a review says is in the paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from engine.cli.output import emit, remark
from engine.documents.places import Places
from engine.documents.service import DocumentService
from engine.exchange.encoding import read_text
from engine.review_drafting.grounding import CheckedAnchor, Claim, ground

_SIGNS = {"green": "+", "amber": "o", "red": "x", "none": " "}


@click.command()
@click.argument("path", metavar="REVIEW.md", type=click.Path(path_type=Path))
@click.option("--paper", required=True, metavar="PAPER.pdf", type=click.Path(path_type=Path), help="The paper's PDF.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
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
    review = ground(decoded.text, Places(visible_document(parsed, seen)))
    if as_json:
        emit(
            {
                **read_review(decoded.text).model_dump(),
                "anchors": [_anchor(claim, a) for claim in review.claims for a in claim.anchors],
                "unsupported": [_claim(claim) for claim in review.unsupported],
                "claims": [_claim(claim) for claim in review.claims],
                "hidden_text": len(seen.hidden),
                "complete": seen.complete,
                "seconds": review.seconds,
            }
        )
    else:
        for claim in review.claims:
            click.echo(f"{_SIGNS[claim.colour]} {' '.join(claim.text.split())}")
            if claim.colour in ("red", "amber"):
                click.echo(f"    {claim.why}")
            for passage in claim.passages:
                click.echo(f"    nearest, page {passage.page}: {passage.text[:160]}")
        counts = {colour: sum(c.colour == colour for c in review.claims) for colour in ("green", "amber", "red")}
        click.echo(f"\n{counts['green']} verified, {counts['amber']} without a place, {counts['red']} unsupported.")
    if review.unsupported:
        sys.exit(1)


def _anchor(claim: Claim, anchor: CheckedAnchor) -> dict[str, Any]:
    return {
        "claim": claim.text,
        "kind": anchor.kind,
        "ref": anchor.ref,
        "verified": anchor.verified,
        "page": anchor.page or None,
        "certain": anchor.certain,
        "start": anchor.start,
        "end": anchor.end,
        "why": anchor.why,
        "boxes": [[b.page, b.x0, b.y0, b.x1, b.y1] for b in anchor.place.boxes] if anchor.place else [],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "start": claim.start,
        "end": claim.end,
        "claim": claim.text,
        "kind": claim.kind,
        "colour": claim.colour,
        "why": claim.why,
        "missing": claim.missing,
        "nearest": [{"page": p.page, "text": p.text, "share": p.share} for p in claim.passages],
    }
