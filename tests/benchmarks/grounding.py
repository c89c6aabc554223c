"""Grounding and hidden text: speed, and shares of errors caught and of false alarms by kind.

Errors are planted by seed into the real papers of the measuring data (tests/engine/review_drafting/planted.py);
attacked and honest PDFs come from the tests' generators (tests/engine/documents/attacks.py, honest.py).
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from engine.documents.places import Places
from engine.documents.service import DocumentService
from engine.review_drafting.grounding import ground
from engine.review_drafting.stages.wording_checks import bare_claims
from engine.review_drafting.tasks import reading_of
from tests.benchmarks.documents import figure, seconds, two_column_pdf
from tests.engine.documents.attacks import SPEAKING, WAYS
from tests.engine.documents.rates import alarms, found
from tests.engine.review_drafting.content_attacks import worded
from tests.engine.review_drafting.papers import placed_paper
from tests.engine.review_drafting.planted import Tally, planted

EACH = 6
SEEDS = 1000
CASES = 60


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the figures on grounding; those of planted errors and of real papers need ``data_folder``."""
    result: dict[str, dict[str, Any]] = {}
    with DocumentService() as service:
        service.warm()
        thirty = two_column_pdf(30)
        service.inspect(two_column_pdf(1))
        result["hidden_text_30_pages"] = figure(seconds(lambda: service.inspect(thirty)), "s", "lower", 2)
        places = Places(service.parse(thirty))
        review = _review(places, 1000)
        result["check_1000_words"] = figure(seconds(lambda: ground(review, Places(places.document))), "s", "lower", 1)
        result |= _hidden(service)
        made = [placed_paper(seed, columns=1 + seed % 2, line_numbers=seed == 2) for seed in range(20, 24)]
        result |= _planted([Places(service.parse(pdf)) for pdf in made], "made", 1000)
        result |= _wording(service)
        if data_folder is not None:
            papers = sorted(data_folder.glob("revisions/*/*.pdf"))
            alarms = sum(not service.inspect(paper).clean for paper in papers)
            result["real_papers_alarmed"] = figure(alarms, "papers", "lower", 0)
            result |= _planted(
                [Places(service.parse(paper)) for paper in papers if paper.stem == "revised"], "real", 1000
            )
    return result


def _hidden(service: DocumentService) -> dict[str, dict[str, Any]]:
    """Measures hidden text with seeds that no test uses, so that fixes for the tests are measured on unseen input."""
    shares = found(service, EACH, SEEDS)
    false = alarms(service, EACH, SEEDS)
    result = {f"found: {way}": figure(100 * share, "%", "higher", 75) for way, share in shares.items()}
    hidden = [shares[way] for way in WAYS]
    result["attacked_pdfs"] = figure(EACH * len(shares), "PDFs", "higher", 60)
    result["hidden_text_found"] = figure(100 * sum(hidden) / len(hidden), "%", "higher", 95)
    result["injection_found"] = figure(100 * sum(shares[way] for way in SPEAKING) / len(SPEAKING), "%", "higher", 95)
    result["clean_pdfs"] = figure(EACH * len(false), "PDFs", "higher", 60)
    result["hidden_text_false_alarms"] = figure(100 * sum(false.values()) / len(false), "%", "lower", 2)
    return result


def _wording(service: DocumentService) -> dict[str, dict[str, Any]]:
    """Returns the share of planted phrases presenting claims as common knowledge that the check questions."""

    def asked(pdf: bytes) -> str:
        paper = reading_of(service.parse(pdf), pdf, service)
        return " ".join(check.text for check in bare_claims(paper))

    made = [worded("disguised claims", seed) for seed in range(SEEDS, SEEDS + EACH)]
    found = [words.rstrip(".") in text for one in made for text in [asked(one.pdf)] for words in one.planted]
    result = {"asked about: disguised claims": figure(100 * sum(found) / len(found), "%", "higher", 95)}
    alarms = sum(bool(asked(worded("", seed).pdf)) for seed in range(SEEDS, SEEDS + 2 * EACH))
    result["plain papers asked about their wording"] = figure(100 * alarms / (2 * EACH), "%", "lower", 2)
    return result


def _planted(papers: list[Places], name: str, least: int) -> dict[str, dict[str, Any]]:
    tally = Tally()
    for number, places in enumerate(papers):
        tally.judge(places, planted(places, random.Random(1000 + number), CASES))
    result = {}
    for (kind, true), right in tally.shares().items():
        share = 100 * right
        figure = f"{name}: true {kind}, alarms" if true else f"{name}: caught: {kind}"
        result[figure] = figure(100 - share if true else share, "%", "lower" if true else "higher", 0 if true else 95)
    for true in (True, False):
        right = sum(n for (_, t), n in tally.right.items() if t == true)
        count = sum(n for (_, t), n in tally.count.items() if t == true)
        share = 100 * right / count
        all_of = f"{name}: all true, alarms" if true else f"{name}: all false, caught"
        result[all_of] = figure(100 - share if true else share, "%", "lower" if true else "higher", 0 if true else 95)
    result[f"{name}: cases"] = figure(sum(tally.count.values()), "cases", "higher", least)
    return result


def _review(places: Places, words: int) -> str:
    """Returns a review with at least this many words of the usual mixture."""
    rng = random.Random(4)
    parts: list[str] = []
    while sum(len(part.split()) for part in parts) < words:
        parts += [case.text for case in planted(places, rng, 1)]
        parts.append("The paper does not report the run time of the baselines on the larger collections.")
    return " ".join(parts)
