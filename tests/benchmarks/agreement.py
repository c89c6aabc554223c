"""Speed of agreement on many pairs, and of the marked PDF."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import Any

PAIRS = 20_000
COMMENTS = 100
PAGES = 120


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns seconds on this machine."""
    found: dict[str, dict[str, Any]] = {"pairs_20000": _seconds(_agreement(), 2.0)}
    found["everybody_20_people_5000_decisions"] = _seconds(_everybody(), 60.0)
    marked = _marked(data_folder)
    if marked is not None:
        found["marked_pdf_120_pages"] = _seconds(marked, 10.0)
    return found


def _seconds(value: float, target: float) -> dict[str, Any]:
    return {"value": round(value, 4), "unit": "s", "better": "lower", "target": target}


def _agreement() -> float:
    """Computes all measures with intervals for two annotators on 100 comments by 200 edits."""
    from engine.agreement.linking import agreement
    from engine.agreement.records import PaperWork, Work

    chance = random.Random(7)
    comments = tuple(f"c{n}" for n in range(COMMENTS))
    edits = tuple(f"e{n}" for n in range(PAIRS // COMMENTS))
    truth = {(c, e) for c in comments for e in chance.sample(edits, 3)}

    def work(name: str) -> Work:
        links = frozenset(pair for pair in truth if chance.random() < 0.85)
        links |= {(chance.choice(comments), chance.choice(edits)) for _ in range(40)}
        return Work(name, name, links, tuple((c, "linked") for c in comments))

    paper = PaperWork("p", "Paper", "r", comments, edits, work("a"), work("b"))
    started = time.perf_counter()
    result = agreement([paper])
    seconds = time.perf_counter() - started
    assert sum(map(sum, result.overall.confusion)) == PAIRS
    return seconds


def _everybody() -> float:
    """Computes all measures and proposals for 20 people with 5,000 labels each in five layers, three per sentence."""
    from engine.agreement.compared import Decision
    from engine.exchange.adjudicated import decided
    from engine.operations.adjudicating import units_of

    chance, people = random.Random(5), [f"p{n}" for n in range(20)]
    made = []
    for layer, labels in (("polarity", 3), ("aspect", 8), ("review_action", 6), ("actionable", 2), ("action", 10)):
        skill = {who: chance.uniform(0.6, 0.95) for who in people}
        for sentence in range(len(people) * 1_000 // 3):
            true, text = chance.randrange(labels), f"t{sentence // 100}"
            for who in chance.sample(people, 3):
                said = true if chance.random() < skill[who] else chance.randrange(labels)
                at = (text, layer, str(sentence))
                made.append(Decision(layer, f"{text} {sentence}", text, who, f"label {said}", "2026", where=at))
    started = time.perf_counter()
    found = decided("labels", tuple(made), {}, ((), ()), {})
    units = units_of(found)
    seconds = time.perf_counter() - started
    assert len(units) == 5 * (len(people) * 1_000 // 3) and all(
        one.by_method.keys() >= {"mace"} for one in found.proposals
    )
    return seconds


def _marked(data_folder: Path | None) -> float | None:
    """Marks a revised manuscript of at least 120 pages, without comparison and parsing; the worker is warm."""
    from engine.documents.service import DocumentService
    from engine.revision.changes_report import marked_pdf
    from engine.revision.edits import compare

    if data_folder is None:
        return None
    folder = data_folder / "revisions" / "deep-review"
    with DocumentService() as service, tempfile.TemporaryDirectory() as out:
        old, new = (service.parse(folder / f"{name}.pdf") for name in ("submitted", "revised"))
        assert len(new.pages) >= PAGES
        diff = compare(old.paragraphs, new.paragraphs)
        pdf = (folder / "revised.pdf").read_bytes()
        started = time.perf_counter()
        made = marked_pdf(pdf, diff, old.paragraphs, new.paragraphs, service)
        (Path(out) / "marked.pdf").write_bytes(made.content)
        return time.perf_counter() - started
