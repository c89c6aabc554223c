"""What free text names of a paper, and whether it stands there."""

from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.numbers import agrees, find_quantities
from engine.documents.passages import Passages, key
from engine.documents.places import Places, find_references
from engine.documents.records import PageSize, ParagraphKind, ParsedDocument
from engine.documents.service import DocumentService
from tests.engine.documents.laid_tables import paragraph
from tests.engine.documents.pages import document
from tests.engine.documents.typeset import Paper, prose


def named(text: str) -> list[str]:
    return [f"{r.label}" for r in find_references(text)]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Table 2 and Figure 3a agree.", ["Table 2", "Figure 3a"]),
        (
            "Tables 4, 5 and 6 do not; Figs. 1-3 do.",
            ["Table 4", "Table 5", "Table 6", "Figure 1", "Figure 2", "Figure 3"],
        ),
        ("See Sec. 3.1, Appendix B and Eq. (5).", ["Section 3.1", "Appendix B", "Equation 5"]),
        ("(L57) unclear; L123: why the L2 norm, an L21 norm, and L1?", ["Line 57", "Line 123"]),
        ("In Table 2, 5 of the baselines are missing.", ["Table 2"]),
        ("Figure 2 and 3 datasets", ["Figure 2"]),
        ("p. 5, lines 120-135, line 7", ["Page 5", "Lines 120–135", "Line 7"]),
        ("lines 120-35", ["Lines 120–135"]),
        ("186 Could the authors say so?", ["Line 186"]),
        ("27: birds", ["Line 27"]),
        ("203-206: Which share is it?", ["Lines 203–206"]),
        ("2019 Data are used, and 27 people; 300 of them", []),
        ("p < 0.05 and p = 5, the p53 gene, in line with 5 others", []),
        ("on APPS and FIGS, see App. S and Appendix A", ["Appendix S", "Appendix A"]),
        (
            "[Chem. Letters, 2018, 14 (10), pp 5262-5272] and Proc. 2013, pp. 9-12, as in Table 2, p. 7",
            ["Table 2", "Page 7"],
        ),
        ("section I think is table A is fine", []),
        ("Table I shows it, see Tab. IV and Fig. I.", ["Table I", "Table IV", "Figure I"]),
        ("In the table I saw no units, and figure I cannot read.", []),
        ("Table IV, Supplementary Table S3, Fig. 2(b)", ["Table IV", "Supplementary Table S3", "Figure 2b"]),
        ("Theorem 2 and Lemma 3; Algorithm 1", ["Theorem 2", "Lemma 3", "Algorithm 1"]),
        ("the Related Work section, §4.2", ["Section “Related Work”", "Section 4.2"]),
        ("the claim “better than before” holds", ["Quotation"]),
        ("the authors' model isn't bad, is it? It's 'fine'.", []),
    ],
)
def test_references_are_found(text: str, labels: list[str]) -> None:
    assert named(text) == labels


@given(st.text(max_size=200))
def test_references_stay_inside_the_text(text: str) -> None:
    for reference in find_references(text):
        assert 0 <= reference.start < reference.end <= len(text)
        assert reference.label


def paper() -> ParsedDocument:
    """A small paper with headings, a caption, a table, formulas and references."""
    parts: list[tuple[ParagraphKind, str]] = [
        ("heading", "Abstract"),
        ("body", "We present a parser that reads well-known layouts efficiently and costs 1,204 seconds."),
        ("heading", "1 Introduction"),
        ("body", "Naïve readers [12] lose 3.5% of the words, as Figure 9 shows (Example, 2019). They are slow."),
        ("heading", "2 Materials and Methods"),
        ("body", "Theorem 2. Every paragraph ends."),
        ("equation", "y = a + b x (4)"),
        ("caption", "Table 1: Results of all readers."),
        ("table", "name score ours 0.912 theirs 0.87"),
        ("caption", "Figure 2. A picture."),
        ("heading", "References"),
        ("reference", "Sample (2019). Figure 7 and Table 5 of others."),
        ("heading", "A Further Details"),
        ("body", "More of it."),
        ("heading", "B Data"),
        ("body", "Still more."),
    ]
    plain = document(*(text for _, text in parts))
    paragraphs = tuple(dataclasses.replace(p, kind=kind) for p, (kind, _) in zip(plain.paragraphs, parts, strict=True))
    return dataclasses.replace(plain, paragraphs=paragraphs)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Table 1", "Table 1"),
        ("Table I", "Table 1"),
        ("Table 2", None),
        ("Figure 2b", "Figure 2"),
        ("Figure 9", None),
        ("Figure 7", None),
        ("Eq. 4", "y = a"),
        ("Eq. 5", None),
        ("Theorem 2", "Theorem 2"),
        ("Lemma 2", None),
        ("Section 2", "2 Materials"),
        ("Section 3", None),
        ("Appendix B", "B Data"),
        ("Appendix C", None),
        ("the Methods section", "2 Materials"),
        ("the Discussion section", None),
        ("in the abstract", "Abstract"),
        ("“well known layouts e\ufb03ciently”", "We present"),
        ("“well-known layouts inefficiently”", None),
        ("“Naive readers lose 3.5% of the words”", "Naïve"),
        ("“Naive readers lose 35% of the words”", None),
        ("“reads well-known ... 1,204 seconds”", "We present"),
        ("“1,204 seconds ... reads well-known”", None),
        ("“ost 1,204 sec”", None),
        ("page 1", "Abstract"),
        ("page 2", None),
        ("line 3", None),
    ],
)
def test_a_reference_is_resolved_only_where_the_paper_has_it(text: str, start: str | None) -> None:
    places = Places(paper())
    (reference,) = find_references(text)
    place = places.resolve(reference)
    if start is None:
        assert place is None
    else:
        assert place is not None and place.boxes
        paragraph = next(p for p in places.document.paragraphs if p.id == place.paragraph_id)
        assert paragraph.text.startswith(start)


def test_a_figure_without_a_caption_is_known_as_mentioned() -> None:
    places = Places(paper())
    nine, seven = find_references("Figures 9 and 7")
    assert places.mentioned(nine) is not None
    assert places.mentioned(seven) is None  # only the reference list names it


@pytest.mark.parametrize(
    ("said", "stands", "same"),
    [
        ("0.912", "0.912", True),
        ("0.91", "0.912", True),
        ("0.92", "0.912", False),
        ("91.2%", "0.912", True),
        ("0.912", "91.2%", True),
        ("1204", "1,204", True),
        ("1.2", "-1.2", True),
        ("12", "1.2", False),
        ("9", "9.4", False),
        ("93", "93.4", True),
    ],
)
def test_numbers_agree_when_they_say_the_same(said: str, stands: str, same: bool) -> None:
    (a,), (b,) = find_quantities(said), find_quantities(stands)
    assert agrees(a, b) is same


def test_a_power_that_no_number_holds_is_left_out() -> None:
    assert [q.value for q in find_quantities("2 x 10 640 pages, 3e999 and 4 × 10^–400; 2 × 10^3")] == [2, 3, 4, 2000]


def test_numbers_are_looked_for_in_the_table_named() -> None:
    places = Places(paper())
    table = places.table("1")
    assert table is not None
    (right,), (wrong,), (own,) = find_quantities("0.87"), find_quantities("0.78"), find_quantities("1")
    assert places.number_in_table(right, table) is not None
    assert places.number_in_table(wrong, table) is None
    assert places.number_in_table(own, table) is None  # the table's own number is nothing that it reports


_TEXT = st.text(alphabet="abcdefgh é\ufb01ﬂ-–.,1234567890[]()“” ", min_size=1, max_size=80)


@given(st.lists(_TEXT, min_size=1, max_size=4), st.data())
def test_every_run_of_whole_words_is_found_where_it_stands(texts: list[str], data: st.DataObject) -> None:
    parsed = document(*texts)
    words = [w for w in parsed.paragraphs[0].words if key(parsed.paragraphs[0].text[w.start : w.end])]
    if not words:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    quote = parsed.paragraphs[0].text[words[first].start : words[last].end]
    if "[" in quote or ".." in quote or key(quote)[0] not in "abcdefgh" or key(quote)[-1] not in "abcdefgh":
        return
    found = Passages(parsed.paragraphs).find(quote)
    assert found
    assert key("".join(texts[s.paragraph][s.start : s.end] for s in found)) == key(quote)


def test_line_numbers_in_the_margin_can_be_found(service: DocumentService) -> None:
    rng = random.Random(5)
    made = Paper(line_numbers=True)
    for _ in range(6):
        made.paragraph(prose(rng, 4))
    parsed = service.parse(made.finish())
    assert [n.number for n in parsed.lines] == list(range(1, len(parsed.lines) + 1))
    place = Places(parsed).resolve(find_references("lines 10-12")[0])
    assert place is not None and len(place.boxes) == 3
    paragraph = next(p for p in parsed.paragraphs if p.id == place.paragraph_id)
    assert any(b.y0 <= place.boxes[0].y1 and place.boxes[0].y0 <= b.y1 for b in paragraph.boxes)
    assert place.boxes[0].x1 - place.boxes[0].x0 > 300  # the line, not its number
    assert Places(parsed).resolve(find_references(f"line {len(parsed.lines) + 1}")[0]) is None


def test_a_table_whose_caption_is_among_its_cells_is_found() -> None:
    texts = [("Kind", "Low", "Table 1: Costs of"), ("Wind", "800", "three kinds of"), ("Sun", "420", "plants")]
    lines = [
        (100 + 12 * n, [*zip((0, 80, 160), row, strict=True)]) for n, row in enumerate((*texts, ("Gas", "31", "")))
    ]
    only = ParsedDocument("", (PageSize(1, 600, 800, 0),), (paragraph(0, "table", lines, 21),), "", 0)
    place = Places(only).resolve(find_references("Table 1")[0])
    assert place is not None and (place.kind, place.number, place.page) == ("table", "1", 1)
    assert Places(only).resolve(find_references("Table 2")[0]) is None
