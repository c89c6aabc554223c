"""What summaries for reviewers say about a change."""

from __future__ import annotations

from engine.exchange.change_summary import what
from tests.engine.revision.studies import make_edit


def test_quoted_words_have_spaces_where_the_text_has_them() -> None:
    before = (
        "Blocks were assigned to conditions. The water (of a well) was metered by the hour on all of the four farms."
    )
    after = "Blocks were assigned to conditions at random. The water (of a well) was metered by the hour on two farms."
    assert what(make_edit(1, after, before)) == (
        "now reads “… were assigned to conditions at random. The water (of … by the hour on two farms.”"
    )
