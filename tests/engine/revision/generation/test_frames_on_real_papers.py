"""Frames on real papers: every comment gets a proposal, and its place is often the paragraph that was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.models import load_encoder
from engine.research.alignment.corpus import read_papers
from engine.revision.generation.writing import propose
from engine.revision.source_alignment import SourceParagraph, rank_sources

LEAST = 0.4
"""Chance is below 0.03: a paper has some sixty paragraphs. When this was written it was 0.54."""


@pytest.mark.data
def test_places_and_texts(data_folder: Path) -> None:
    right = asked = 0
    encoder = load_encoder()
    for paper in read_papers(data_folder / "revisions")[:4]:
        paragraphs = [SourceParagraph(*entry) for entry in paper.paragraphs]
        sources = dict(zip((c.edit_id for c in paper.candidates), paper.sources, strict=True))
        ranks = rank_sources(paper.queries, paragraphs, encoder)
        for query, linked in zip(paper.queries, paper.positives, strict=True):
            made = propose(query.comment_id, query.comment, ranks[query.comment_id], paragraphs)
            assert made.text and made.response and made.paragraph_id in {p.id for p in paragraphs}
            true = {key for edit in linked for key in sources[edit]}
            if true:
                asked += 1
                right += made.paragraph_id in true
    print(f"{right} of {asked} places are right")
    assert asked and right / asked >= LEAST
