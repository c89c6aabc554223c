"""Duration of a deterministic draft of a review: a paper of 30 pages, with a library of 200 papers."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from engine.documents.service import DocumentService
from engine.models import load_encoder
from engine.review_drafting.crews import deterministic_crew
from engine.review_drafting.pipeline import StageRun, run_stages
from engine.review_drafting.records import LibraryEntry, PaperReading
from engine.review_drafting.tasks import reading_of
from tests.engine.documents.typeset import conference_paper

LIBRARY = 200


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns seconds from the PDF to the draft and to the first stage, and the share of correct anchors."""
    paper = conference_paper(seed=11, pages=48, columns=2)
    pdf = paper.finish()
    library = tuple(
        LibraryEntry(
            id=str(n),
            title=f"Reading of pages, part {n}",
            abstract=f"We compare reader {n} with others. It reads pages.",
        )
        for n in range(LIBRARY)
    )
    first: list[float] = []
    with DocumentService() as service:
        service.warm()
        started = time.perf_counter()

        def read() -> PaperReading:
            return reading_of(service.parse(pdf), pdf, service)

        def heard(_: StageRun) -> None:
            first.append(time.perf_counter() - started)

        with ThreadPoolExecutor(1) as pool:  # the encoder loads while the PDF is read, as on the command line
            coming = pool.submit(read)
            encoder = load_encoder()
            encoder.encode(["warm"])
            reading = coming.result()
        run_stages(deterministic_crew(lambda: encoder, encoder.fingerprint), reading, library=library, on_stage=heard)
        seconds = time.perf_counter() - started
        made = {
            "deterministic_seconds": _figure(seconds, "s", "lower", 20.0),
            "first_stage_seconds": _figure(first[0], "s", "lower", 10.0),
            "pages": {"value": reading.pages, "unit": "pages", "better": "higher", "target": None},
        }
        if data_folder is not None:
            made["real_anchors_verified"] = _figure(_verified(data_folder, service), "share", "higher", 1.0)
    return made


def _verified(data_folder: Path, service: DocumentService) -> float:
    """Returns the share of anchors in drafts on the real papers whose words are at the given place."""
    held = total = 0
    for path in sorted((data_folder / "revisions").glob("*/*.pdf")):
        parsed = service.parse(path)
        reading = reading_of(parsed, path, service)
        texts = {p.id: p.text for p in parsed.paragraphs}
        for _, point in run_stages(deterministic_crew(), reading).draft.points():
            for anchor in point.anchors:
                total += 1
                held += not anchor.quote or texts[anchor.paragraph_id][anchor.start : anchor.end] == anchor.quote
    return held / total if total else 0.0


def _figure(value: float, unit: str, better: str, target: float) -> dict[str, Any]:
    return {"value": round(value, 3), "unit": unit, "better": better, "target": target}
