"""Statistics, analysis tables, silver labels and coverage on the real corpus: speed and results.

``python -m tests.benchmarks.analysis`` prints the aggregates given in docs/methods-analysis.md.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.research.alignment.corpus import read_papers
from engine.research.alignment.evaluation import AnnotatedPaper
from engine.reviews.records import Comment
from engine.revision.records import CommentJudgement, Edit, Link

ANALYSES = 200


def figures(data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns seconds on this machine; those of the corpus only if it is available."""
    from engine.measures.annotators import nominal_kappa
    from engine.revision.coverage import coverage
    from engine.revision.generation.tables import analysis_tables, corpus_statistics, doubly_judged
    from engine.revision.silver import silver_labels

    analyses = _analyses()
    found = {
        "tables_of_200_analyses": _timed(lambda: analysis_tables(analyses), 0.5),
        "kappas_of_200_analyses": _timed(
            lambda: [
                nominal_kappa([(str(one), str(other)) for one, other in pairs])
                for pairs in doubly_judged(analyses).values()
            ],
            3.0,
        ),
    }
    if data is None:
        return found
    papers = read_papers(data)
    corpus = [(paper, *records(data, paper)) for paper in papers]
    found["corpus_statistics"] = _timed(
        lambda: [corpus_statistics(comments, edits, links, states) for _, comments, edits, links, states in corpus], 3.0
    )
    found["silver_labels"] = _timed(
        lambda: [
            silver_labels(
                paper.queries,
                paper.candidates,
                review="\n\n".join(dict.fromkeys(query.context or query.comment for query in paper.queries)),
                letter=paper.letter,
            )
            for paper in papers
        ],
        5.0,
    )
    found["coverage"] = _timed(
        lambda: [
            coverage(comments, edits, _links(links), {state.comment_id: state for state in states}, {})
            for _, comments, edits, links, states in corpus
        ],
        0.5,
    )
    return found


def _timed(work: Callable[[], object], target: float) -> dict[str, Any]:
    started = time.perf_counter()
    work()
    return {"value": round(time.perf_counter() - started, 4), "unit": "s", "better": "lower", "target": target}


def records(
    data: Path, paper: AnnotatedPaper
) -> tuple[tuple[Comment, ...], tuple[Edit, ...], dict[str, list[str]], tuple[CommentJudgement, ...]]:
    """Converts a paper of the corpus to the project's records: comments, edits, links by comment, states."""
    folder = data / "revisions" / paper.id
    texts = {
        record["id"]: record["text"]
        for name in ("source_paragraphs", "target_paragraphs")
        for record in _lines(folder / f"{name}.jsonl")
    }
    edits = tuple(
        Edit(
            id=record["edit_id"],
            kind=record["kind"],
            operation=record["op"],
            moved=bool(record["moved"]),
            source_ids=tuple(record["source_ids"]),
            target_ids=tuple(record["target_ids"]),
            source_text="\n".join(texts[key] for key in record["source_ids"]),
            target_text="\n".join(texts[key] for key in record["target_ids"]),
            section="",
            tokens_removed=record["tokens_removed"],
            tokens_added=record["tokens_added"],
        )
        for record in _lines(folder / "gold_edits.jsonl")
    )
    comments = tuple(
        Comment(query.comment_id, "r", "", query.comment, query.context, query.response) for query in paper.queries
    )
    links = {q.comment_id: sorted(own) for q, own in zip(paper.queries, paper.positives, strict=True) if own}
    labels = {
        record["comment_id"]: record.get("state") or "undecided"
        for record in _lines(data / "revisions" / "edit_labels.jsonl")
    }
    states = tuple(CommentJudgement(query.comment_id, labels[query.comment_id]) for query in paper.queries)
    return comments, edits, links, states


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _links(links: dict[str, list[str]]) -> tuple[Link, ...]:
    return tuple(Link(f"{c}/{e}", c, e, "a", "person") for c, own in links.items() for e in own)


def _analyses() -> list[Any]:
    from engine.revision.generation.records import Analysis, Judgement

    chance = random.Random(5)

    def side() -> Judgement:
        return Judgement(chance.randint(1, 3), *(chance.random() < 0.5 for _ in range(3)))

    return [
        Analysis(
            f"c{n // 2}", f"p{n // 2}", "ab"[n % 2], side(), side(), chance.random() < 0.5,
            chance.choice(("generated", "real", "same")), chance.choice(("more", "less", "same")),
        )
        for n in range(ANALYSES)
    ]  # fmt: skip


def main() -> None:
    """Prints the aggregates: counts and means, never texts."""
    from engine.revision.generation.tables import corpus_statistics
    from tests.conftest import find_data_folder

    data = find_data_folder()
    if data is None:
        raise SystemExit("the measuring data is absent")
    comments: list[Comment] = []
    edits: list[Edit] = []
    links: dict[str, list[str]] = {}
    states: list[CommentJudgement] = []
    for paper in read_papers(data):
        own = records(data, paper)
        # Ids are unique only within a paper.
        for listed, found in ((comments, own[0]), (edits, own[1]), (states, own[3])):
            listed.extend(found)  # type: ignore[attr-defined]
        links |= own[2]
    corpus = corpus_statistics(comments, edits, links, states)
    print(len(comments), "comments", len(edits), "edits", len(corpus.overlap), "links")
    for row in corpus.actions:
        print(row.action, row.comments, row.addressed, row.guessed)
    for kind in corpus.kinds:
        print(kind.kind, kind.edits, kind.linked)
    print(corpus.token_summary())
    values = sorted(corpus.overlap)
    print("overlap: mean", sum(values) / len(values), "median", values[len(values) // 2])
    print(json.dumps(figures(data), indent=1))


if __name__ == "__main__":
    main()
