from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.reviews.anonymity import find_identifying, metadata_identifying

NAMES = ("Zoë Quillfeather", "Institute for Tidal Studies")


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("As Zoe Quillfeather says", "name", "Zoe Quillfeather"),
        ("see Z. Quillfeather", "name", "Z. Quillfeather"),
        ("the Quillfeather bound", "name", "Quillfeather"),
        ("at the Institute for Tidal Studies.", "affiliation", "Institute for Tidal Studies"),
        ("write to zq@tidal.example please", "e-mail", "zq@tidal.example"),
        ("code at https://github.com/zoeq/tides.", "link", "https://github.com/zoeq/tides"),
        ("code at github.com/zoeq/tides today", "link", "github.com/zoeq/tides"),
        ("0000-0002-1825-0097", "link", "0000-0002-1825-0097"),
        ("in /home/zoe/runs/a.log we", "path", "/home/zoe/runs/a.log"),
        (r"in C:\Users\Zoe we", "path", r"C:\Users\Zoe we"),
        ("As in our previous work, we", "self-citation", "in our previous work"),
        ("This was funded by the Moon", "acknowledgement", "funded by the Moon"),
        ("Thank you.\n\nSincerely, Ada Quill", "self-citation", "Sincerely, Ada Quill"),
    ],
)
def test_what_gives_authors_away_is_found(text: str, kind: str, words: str) -> None:
    (found,) = find_identifying(text, NAMES)
    assert (found.kind, found.words) == (kind, words)
    assert text[found.span.start : found.span.end] == words


@pytest.mark.parametrize(
    "text",
    [
        "see https://anonymous.4open.science/r/x-1234 for the code",
        "as in https://doi.org/10.1000/182 and https://arxiv.org/abs/1706.03762",
        "the institute for tidal power, quillfeathers, and ours",
        "The value is 0.3 and/or 0.5.",
        "The claim is supported by a variety of runs.",
        "This was left open, since the authors of [10] had no data.",
        "Please add the grant number before publication.",
    ],
)
def test_what_is_safe_passes(text: str) -> None:
    assert find_identifying(text, NAMES) == ()


def test_a_name_in_other_writing_is_the_same() -> None:
    (found,) = find_identifying("Zoë  QUILLFEATHER", ("Zoe Quillfeather",))
    assert found.sure and found.words == "Zoë  QUILLFEATHER"
    (surname,) = find_identifying("after Quillfeather (2020)", NAMES)
    assert not surname.sure


def test_metadata_names_persons_and_not_programs() -> None:
    fields = [("Author", "Zoë Quillfeather"), ("Creator", "LaTeX with hyperref"), ("Title", "Tides"), ("Company", " ")]
    (found,) = metadata_identifying(fields, "tides.pdf")
    assert found.kind == "metadata" and "tides.pdf" in found.why and "Zoë" in found.why


@given(st.text("Zoë Quillfeather@.com/:\\éq \n", max_size=60))
def test_spans_cut_out_the_words(text: str) -> None:
    for one in find_identifying(text, NAMES):
        assert text[one.span.start : one.span.end] == one.words and one.why
