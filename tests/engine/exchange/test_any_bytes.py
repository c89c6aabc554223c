"""Whatever a file holds, an importer reads it or says plainly that it cannot."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange import aries, links_csv, openreview, sniff, web_annotation
from engine.exchange.aries import read_s2orc

KEYS = st.sampled_from(
    ["id", "content", "value", "review", "notes", "details", "directReplies", "replyto", "invitations", "signatures",
     "type", "items", "target", "selector", "exact", "motivation", "body", "edits", "doc_id", "comment_id", "comment",
     "positive_edits", "comment_spans", "block_span", "pdf_parse", "body_text", "back_matter", "text", "source_pdf_id",
     "target_pdf_id", "edit_id", "source_idxs", "target_idxs", "creator", "abstract", "number", "first"]
)  # fmt: skip
WORDS = st.sampled_from(
    ["", "Annotation", "AnnotationPage", "linking", "assessing", "V/-/Official_Review", "Say why.", "8: Top"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)
READERS: dict[str, Callable[[str], Any]] = {
    "openreview": lambda text: openreview.read_openreview(text, "f"),
    "web annotation": lambda text: web_annotation.read_links(text, "f"),
    "s2orc": lambda text: read_s2orc(text, "f"),
    "csv": lambda text: links_csv.read_links(text, "f"),
    "aries comments": lambda text: aries.review_comments(aries.read_file(text.encode(), "f")),
    "aries edits": lambda text: aries.paper_edits(aries.read_file(text.encode(), "f")),
    "aries labels": lambda text: aries.edit_labels(aries.read_file(text.encode(), "f")),
}


@pytest.mark.parametrize("reader", READERS)
@given(document=JSON)
def test_any_json(reader: str, document: Any) -> None:
    with suppress(BadInput):
        READERS[reader](json.dumps(document))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=60) | JSON.map(lambda d: json.dumps(d).encode()) | st.text(max_size=60).map(str.encode)
)
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with suppress(BadInput):
        sniff.sniff(path)
