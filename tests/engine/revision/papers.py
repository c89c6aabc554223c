"""Small annotated papers for tests, of our own words."""

from __future__ import annotations

import json
from types import SimpleNamespace

from engine.research.alignment.evaluation import AnnotatedPaper
from engine.revision.candidates import candidate
from engine.revision.comparison_store import ComparisonStore
from engine.revision.records import Candidate, Edit, Query

TOPICS = {
    "bees": ("hive temperature", "brood", "The colony sensor"),
    "rivers": ("sediment load", "delta", "The gauge station"),
    "looms": ("thread tension", "weave", "The pattern card"),
}


def make_edit(key: str, before: str, after: str, section: str = "") -> Candidate:
    kind = "added" if not before else "deleted" if not after else "major"
    operation = {"added": "add", "deleted": "delete", "major": "edit"}[kind]
    return candidate(Edit(key, kind, operation, False, (), (), before, after, section, 0, 0))  # type: ignore[arg-type]


def make_paper(topic: str) -> AnnotatedPaper:
    """Four comments, five edits: the first three comments have an edit each, the third two, the fourth none."""
    matter, part, tool = TOPICS[topic]
    edits = (
        make_edit(
            f"{topic}-1",
            "",
            f"The {matter} was measured every hour with a calibrated probe, and the readings were averaged over a day.",
            "Methods > Measurement",
        ),
        make_edit(
            f"{topic}-2",
            f"{tool} was used. Results follow.",
            f"{tool} was used, because the older kind drifts after some weeks of use. Its error is below two percent "
            "in all trials that we made. Results follow.",
            "Methods > Instruments",
        ),
        make_edit(
            f"{topic}-3",
            "",
            f"A limitation of our study is that the {part} was observed in one summer only, so seasons are unknown.",
            "Discussion > Limitations",
        ),
        make_edit(
            f"{topic}-4",
            f"We prove that every {part} behaves in this way.",
            f"Our data suggest that the {part} behaves in this way in one summer; other seasons remain to be seen.",
            "Conclusion",
        ),
        make_edit(f"{topic}-5", f"The the {part} fund paid.", f"The {part} fund paid.", "Acknowledgements"),
    )
    queries = (
        Query(
            f"{topic}-a",
            f"How was the {matter} measured, and how often?",
            response=f"We now say in the new section Measurement that the {matter} was measured every hour.",
        ),
        Query(
            f"{topic}-b",
            f"{tool} seems an odd choice; what is its error?",
            response="We added the error: “Its error is below two percent in all trials that we made.”",
        ),
        Query(
            f"{topic}-c",
            f"The claim about the {part} is too strong for one summer; discuss the limitation.",
            response="We have added this limitation to the discussion and weakened the conclusion.",
        ),
        Query(f"{topic}-d", "Have you considered another field of study altogether?", response="This is out of scope."),
    )
    return AnnotatedPaper(
        id=topic,
        queries=queries,
        candidates=edits,
        positives=(
            frozenset({f"{topic}-1"}),
            frozenset({f"{topic}-2"}),
            frozenset({f"{topic}-3", f"{topic}-4"}),
            frozenset(),
        ),
        unknown=(frozenset(), frozenset(), frozenset(), frozenset({f"{topic}-5"})),
        judged=(True, True, True, True),
        directness=("direct", "indirect", "direct", "indirect"),
        compliance=(3, 3, 2, 0),
    )


PAPERS = tuple(make_paper(topic) for topic in TOPICS)


def latest_run(store: ComparisonStore, revision_id: str, strategy: str | None = None) -> SimpleNamespace | None:
    """The newest complete pass over a revision, of any strategy or of one."""
    row = store._project.query_one(
        "SELECT * FROM suggestion_run WHERE revision_id = ? AND complete = 1 AND (? IS NULL OR strategy = ?)"
        " ORDER BY created_at DESC, id DESC LIMIT 1",
        (revision_id, strategy, strategy),
    )
    return None if row is None else SimpleNamespace(**dict(row) | {"parameters": json.loads(row["parameters"])})
