"""How often the suggested state of a request agrees with the labels of the development papers, from PDFs on.

``python -m tests.benchmarks.second_round`` prints the figures of docs/methods-alignment.md. The labels were made by
language models, not by people. Each paper is judged with weights fitted on the other papers. Visual changes count as
addressed, and requests turned down in the response as answered only.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.cli.edits import read_pair
from engine.jobs import QuietReport
from engine.models import load_encoder
from engine.research.alignment.evaluation import fit_heads, gather
from engine.reviews.records import Comment
from engine.revision.aligners.head import FusedAligner
from engine.revision.candidates import candidates
from engine.revision.coverage import REQUEST_STATES, RequestState, coverage, second_round
from engine.revision.edits import compare
from engine.revision.groups import may_answer
from engine.revision.named_places import NamedEdits
from engine.revision.records import Suggestion
from tests.benchmarks.annotated_papers import annotated_papers
from tests.conftest import find_data_folder

LABELS: Mapping[str, RequestState] = {
    "linked": "addressed",
    "visual_only": "addressed",
    "answered_without_edit": "answered only",
    "not_addressed": "answered only",
    "no_edit_found": "not found",
}
_MOST = 5
"""Number of suggestions used per comment, as in the window."""

Table = Counter[tuple[RequestState, RequestState]]


def tables(data: Path) -> Iterator[tuple[str, Table]]:
    """Yields each paper with its counts of (label, suggested state)."""
    encoder = load_encoder(leave_free=0)
    gathered = [gather(paper, encoder) for paper in annotated_papers(data)]
    for own in gathered:
        folder = data / "links" / "dev" / own.paper.id
        if not folder.is_dir():
            continue
        lines = (folder / "edit_labels.jsonl").read_text(encoding="utf-8").splitlines()
        labels = {one["comment_id"]: LABELS[one["state"]] for one in map(json.loads, lines) if one["state"] in LABELS}
        aligner = FusedAligner(
            encoder, use_responses=True, heads=fit_heads([other for other in gathered if other is not own])
        )
        old, new = read_pair(folder / "submitted.pdf", folder / "revised.pdf")
        diff = compare(old.paragraphs, new.paragraphs)
        named = NamedEdits(old, new, diff.edits, diff.unchanged)
        queries = [
            replace(one, named=named.of_comment(one.comment), reply_named=named.of_reply(one.response))
            for one in own.paper.queries
        ]
        rankings = aligner.score(queries, candidates(diff, may_answer), report=QuietReport())
        suggestions = {
            key: tuple(
                Suggestion("run", key, one.edit_id, at, one.score, one.linked, aligner.origin)
                for at, one in enumerate(ranking[:_MOST], start=1)
            )
            for key, ranking in rankings.items()
        }
        comments = [Comment(one.comment_id, "", "", one.comment, response=one.response) for one in queries]
        found = second_round(coverage(comments, diff.edits, (), {}, {}).rows, diff.edits, suggestions)
        yield own.paper.id, Counter((labels[one.row.comment.id], one.state) for one in found)


def share(table: Table) -> float:
    """Returns how often label and suggested state agree, in percent."""
    return 100 * sum(n for (label, state), n in table.items() if label == state) / table.total()


def always(table: Table) -> float:
    """Returns the same for a program that suggests "addressed" for every request."""
    return 100 * sum(n for (label, _), n in table.items() if label == "addressed") / table.total()


def figures(data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the share over all requests and that of the worst paper; {} without the data."""
    if data is None:
        return {}
    found = dict(tables(data))
    values = {"state_agrees": share(sum(found.values(), Counter())), "worst_paper": min(map(share, found.values()))}
    return {
        name: {"value": round(value, 1), "unit": "%", "better": "higher", "target": target}
        for (name, value), target in zip(values.items(), (80.0, None), strict=True)
    }


def main() -> None:
    """Prints each paper, the total, and which states were confused."""
    data = find_data_folder()
    assert data is not None, "the measuring data is not there"
    whole: Table = Counter()
    for name, table in tables(data):
        whole += table
        print(f"{name:14} {table.total():4} requests  {share(table):5.1f} %  always addressed {always(table):5.1f} %")
    print(f"{'all':14} {whole.total():4} requests  {share(whole):5.1f} %  always addressed {always(whole):5.1f} %")
    for label in REQUEST_STATES[:3]:
        print(f"label {label:14}", {state: whole[label, state] for state in REQUEST_STATES[:3]})


if __name__ == "__main__":
    main()
