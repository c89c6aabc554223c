from __future__ import annotations

from dataclasses import replace

from engine.documents.records import Paragraph, ParagraphKind
from engine.revision.edits import compare
from engine.revision.groups import aligned_pairs
from engine.revision.parts import figure_words, runs

LINES = (
    "choose every reviewer who reads the abstract",
    "return nothing where the list is empty",
    "sort by distance and keep the first twelve",
)
BODY = (
    "Reviewers were asked to name the passages that their comment speaks about before they wrote anything else.",
    "Each paper was read twice by people who did not know its authors and had not seen the other reading.",
)
CAPTION = "Table 1: What each of the four groups of reviewers had read before the survey began."


def paper(*entries: tuple[ParagraphKind, str]) -> list[Paragraph]:
    return [Paragraph(f"p{at}", at, "Methods", kind, text, text, (), 1, ()) for at, (kind, text) in enumerate(entries)]


def body(at: int) -> tuple[ParagraphKind, str]:
    return ("body", BODY[at])


def test_runs_take_neighbouring_fragments_together_and_prose_apart() -> None:
    paragraphs = paper(("other", "a"), ("other", "b"), ("body", "c"), ("body", "d"), ("table", "e"), ("other", "f"))
    assert runs(paragraphs, {0, 1, 2, 3, 4, 5}) == [(0, 1), (2,), (3,), (4,), (5,)]
    assert runs(paragraphs, {1, 5}) == [(1,), (5,)]
    assert runs(paragraphs[:1], {0}) == [(0,)]
    notes = paper(("other", "1 Hill School"), ("other", "2 Mill School"), ("other", "These two contributed equally."))
    assert runs([*notes, *paper(("other", "a@hill.example"))], range(4)) == [(0, 1), (2,), (3,)]


FIGURE: tuple[ParagraphKind, str] = ("caption", "Figure 2: Answers by group of reviewers.")


def test_words_in_a_drawing_are_no_edits() -> None:
    ticks: list[tuple[ParagraphKind, str]] = [
        ("other", "answers, percent"),
        ("other", "40"),
        ("other", "20 early late 0 1 2 3 4 5 6 7"),
    ]
    old = paper(body(0), ("other", "30"), FIGURE, body(1))
    new = paper(body(0), *ticks, FIGURE, body(1))
    assert figure_words(new) == {"p1", "p2", "p3"}
    assert compare(old, new).edits == ()
    assert [entry.kind for entry in aligned_pairs(compare(old, new), old, new)] == ["unchanged"] * 3


def test_a_listing_beside_a_figure_and_pieces_of_a_table_are_texts() -> None:
    long: tuple[ParagraphKind, str] = ("other", "return the list of all the reviewers who have read the paper twice")
    for pieces in (
        paper(("other", "40"), ("caption", CAPTION)),
        paper(long, FIGURE),
        paper(("other", "They agree."), FIGURE),
        paper(("other", "40"), body(0), FIGURE),
        [*paper(("other", "40")), replace(paper(FIGURE)[0], id="next", page=2)],
    ):
        assert figure_words(pieces) == frozenset()
    below = paper(FIGURE, ("other", "early"), ("other", "late"), body(0), ("other", "40"))
    assert figure_words(below) == {"p1", "p2"}


def test_an_added_listing_is_one_edit() -> None:
    old = paper(body(0), body(1))
    new = paper(body(0), *(("other", line) for line in LINES), body(1))
    (edit,) = compare(old, new).edits
    assert (edit.kind, edit.target_ids, edit.tokens_added) == ("added", ("p1", "p2", "p3"), 22)


def test_a_rewritten_table_belongs_to_its_caption() -> None:
    old = paper(body(0), ("caption", CAPTION), ("table", "north 12 14 south 9 8"), body(1))
    new = paper(body(0), ("caption", CAPTION), ("table", "first 301 second 77"), ("table", "third 61 5"), body(1))
    (edit,) = compare(old, new).edits
    assert (edit.kind, edit.source_ids, edit.target_ids) == ("major", ("p2",), ("p2", "p3"))


def test_tables_of_other_captions_are_not_paired() -> None:
    other = "Table 2: Hours spent on discussion, by year, without those papers that were withdrawn."
    old = paper(body(0), ("caption", CAPTION), ("table", "north 12 14 south 9 8"), body(1))
    new = paper(body(0), body(1), ("caption", other), ("table", "first 301 second 77"))
    assert sorted(edit.kind for edit in compare(old, new).edits) == ["added", "added", "deleted", "deleted"]


def test_a_caption_cut_in_two_stays_with_its_rest() -> None:
    start, rest = CAPTION.split(" had read ")
    resembling = "Table 2: Reports that none of them had read before, counted by year and venue."
    old = paper(body(0), ("caption", start), ("body", "had read " + rest), body(1))
    new = paper(body(0), ("caption", CAPTION), body(1), ("caption", resembling))
    diff = compare(old, new)
    assert [(edit.kind, edit.target_ids) for edit in diff.edits] == [("added", ("p3",))]
    assert (("p1", "p2"), ("p1",)) in diff.unchanged


def test_renumbered_list_items_are_unchanged() -> None:
    old = paper(*(("body", f"{at}. {line}") for at, line in enumerate(LINES, start=1)))
    new = paper(*(("body", f"{at}. {line}") for at, line in enumerate(LINES, start=4)))
    assert compare(old, new).edits == ()
