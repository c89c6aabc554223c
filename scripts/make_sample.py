"""Builds the sample project from its sources: python scripts/make_sample.py

Reads resources/sample/source and writes to resources/sample: submitted.pdf and revised.pdf (the invented paper),
review-1.md to review-3.md, response-letter.md, scores.csv, survey.rejoinder-study, truth.json (paragraphs, edits,
links: correct by construction), and sample.rejoinder. The same sources give the same bytes, except for times and new
keys in the project file.
"""

import json
import sys
from pathlib import Path
from typing import Any

from sample_paper.letters import Letters, read_letters
from sample_paper.paper import set_paper
from sample_paper.project import build_project
from sample_paper.scores import scores_csv
from sample_paper.simulation import build_city, run_study
from sample_paper.source import Version, read_version
from sample_paper.survey import study_bytes
from sample_paper.truth import edits, paragraphs

SAMPLE = Path(__file__).resolve().parent.parent / "resources" / "sample"
REPEATS = {"submitted": 40, "revised": 150}


def read_versions(source: Path = SAMPLE / "source") -> tuple[Version, Version]:
    """Reads both versions of the paper, with the results of the study filled in."""
    city = build_city()
    return (
        read_version(source / "paper.txt", "submitted", run_study(city, REPEATS["submitted"])),
        read_version(source / "paper.txt", "revised", run_study(city, REPEATS["revised"])),
    )


def truth_of(submitted: Version, revised: Version, letters: Letters) -> dict[str, Any]:
    """Returns the ground truth of the sample, the content of truth.json."""
    found, unchanged = edits(submitted, revised)
    title = next(block.text for block in revised.blocks if block.kind == "title")
    return {
        "title": title,
        "submitted": paragraphs(submitted),
        "revised": paragraphs(revised),
        "edits": found,
        "unchanged": unchanged,
        "comments": letters.comments(found),
        "remarks": letters.remarks(),
    }


def build_texts(target: Path, source: Path = SAMPLE / "source") -> dict[str, Any]:
    """Writes everything except the project file to ``target`` and returns the truth."""
    target.mkdir(parents=True, exist_ok=True)
    submitted, revised = read_versions(source)
    letters = read_letters(source / "reviews.txt")
    for version in (submitted, revised):
        (target / f"{version.name}.pdf").write_bytes(set_paper(version))
    for number, review in enumerate(letters.reviews(), start=1):
        (target / f"review-{number}.md").write_text(review, encoding="utf-8")
    (target / "response-letter.md").write_text(letters.letter(), encoding="utf-8")
    (target / "scores.csv").write_text(scores_csv(), encoding="utf-8")
    (target / "survey.rejoinder-study").write_bytes(study_bytes())
    truth = truth_of(submitted, revised, letters)
    (target / "truth.json").write_text(json.dumps(truth, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return truth


def main() -> int:
    """Builds everything in resources/sample."""
    truth = build_texts(SAMPLE)
    build_project(SAMPLE / "sample.rejoinder", SAMPLE, truth)
    (SAMPLE / ".sample.rejoinder.lock").unlink(missing_ok=True)  # nothing else may be in the folder
    print(f"{len(truth['submitted'])} and {len(truth['revised'])} paragraphs, {len(truth['edits'])} edits, "
          f"{len(truth['comments'])} comments in {SAMPLE}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
