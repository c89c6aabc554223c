from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.records import DOUBTS, DoubtfulPage, Paragraph, ParagraphKind, ParsedDocument
from engine.revision.candidates import candidates
from engine.revision.edits import SEPARATOR, compare, edit_of
from engine.revision.groups import aligned_pairs, doubts
from engine.revision.records import RevisionDiff

VOCABULARY = [a + b for a in ("ba", "de", "ki", "lo", "mu", "ra", "so", "tu", "ve", "zi") for b in
              ("lan", "mer", "nos", "pik", "rud", "sel", "tam", "vor", "win", "yet")]  # fmt: skip


def prose(seed: int, words: int = 40) -> str:
    """A paragraph like no other."""
    generator = random.Random(seed)
    return " ".join(generator.choice(VOCABULARY) + generator.choice(VOCABULARY) for _ in range(words)) + "."


def paper(side: str, *texts: str | tuple[ParagraphKind, str]) -> list[Paragraph]:
    made = []
    for at, entry in enumerate(texts):
        kind, text = entry if isinstance(entry, tuple) else ("body", entry)
        made.append(Paragraph(f"{side}{at}", at, "Methods", kind, text, text, (), 1, ()))
    return made


def kinds(diff: RevisionDiff) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    return [(edit.kind, edit.operation, edit.source_ids, edit.target_ids) for edit in diff.edits]


def words_of(text: str) -> list[str]:
    return text.rstrip(".").split()


A, B, C, D, E = (prose(seed) for seed in range(5))


def test_nothing_changed() -> None:
    diff = compare(paper("s", A, B, C), paper("t", A, B, C))
    assert diff.edits == ()
    assert diff.unchanged == ((("s0",), ("t0",)), (("s1",), ("t1",)), (("s2",), ("t2",)))


def test_added_and_deleted_in_their_place() -> None:
    diff = compare(paper("s", A, B, C), paper("t", A, D, C))
    assert kinds(diff) == [("deleted", "delete", ("s1",), ()), ("added", "add", (), ("t1",))]
    assert [edit.id for edit in diff.edits] == ["e001", "e002"]
    assert (diff.edits[0].tokens_removed, diff.edits[1].tokens_added) == (40, 40)


@pytest.mark.parametrize(("changed", "kind"), [(1, "minor"), (4, "minor"), (5, "major"), (12, "major")])
def test_minor_below_ten_changed_tokens(changed: int, kind: str) -> None:
    words = words_of(B)
    for at in range(changed):
        words[3 * at] = f"other{at}"
    (edit,) = compare(paper("s", A, B, C), paper("t", A, " ".join(words), C)).edits
    assert (edit.kind, edit.tokens_removed, edit.tokens_added) == (kind, changed, changed)


@pytest.mark.parametrize(("changed", "kind"), [(0, "minor"), (4, "minor"), (5, "major")])
def test_an_edit_that_somebody_else_names_is_counted_like_ours(changed: int, kind: str) -> None:
    words = words_of(B)
    for at in range(changed):
        words[3 * at] = f"other{at}"
    edit = edit_of(paper("s", B), paper("t", " ".join(words) + "."))
    assert (edit.kind, edit.operation, edit.tokens_removed, edit.tokens_added) == (kind, "edit", changed, changed)
    assert (edit.source_ids, edit.target_ids, edit.section) == (("s0",), ("t0",), "Methods")


@pytest.mark.parametrize(
    ("old", "new", "kind", "operation"),
    [
        ((), (A,), "added", "add"), ((A,), (), "deleted", "delete"), ((A, B), (f"{A} {B}",), "minor", "merge"),
        ((f"{A} {B}",), (A, B), "minor", "split"), ((A, B), (B, C), "major", "split+merge"),
    ],
)  # fmt: skip
def test_what_an_edit_that_somebody_else_names_did(
    old: tuple[str, ...], new: tuple[str, ...], kind: str, operation: str
) -> None:
    source = [replace(one, section="Old") for one in paper("s", *old)]
    edit = edit_of(source, [replace(one, section="New") for one in paper("t", *new)])
    assert (edit.kind, edit.operation, edit.moved, edit.group) == (kind, operation, False, "text")
    assert edit.section == ("New" if new else "Old")
    assert (edit.source_text, edit.target_text) == (SEPARATOR.join(old), SEPARATOR.join(new))


def test_what_was_deleted_is_listed_after_the_text_that_stayed_before_it() -> None:
    diff = compare(paper("s", A, B, C, D, E), paper("t", A, D, E, B))
    assert kinds(diff) == [("deleted", "delete", ("s2",), ()), ("moved", "move", ("s1",), ("t3",))]
    diff = compare(paper("s", A, B, C, D), paper("t", E, A + " And more.", C))
    assert [edit.kind for edit in diff.edits] == ["added", "minor", "deleted", "deleted"]
    assert [edit.source_ids for edit in diff.edits[2:]] == [("s1",), ("s3",)]


def test_moved_and_moved_with_changes() -> None:
    diff = compare(paper("s", A, B, C, D), paper("t", B, C, D, A))
    assert kinds(diff) == [("moved", "move", ("s0",), ("t3",))]
    assert diff.edits[0].moved
    (edit,) = compare(paper("s", A, B, C, D), paper("t", B, C, D, A + " And more.")).edits
    assert (edit.kind, edit.moved) == ("minor", True)


@pytest.mark.parametrize("flip", [1, -1])
def test_of_two_that_changed_places_the_shorter_has_moved(flip: int) -> None:
    long, short = prose(70, 60), prose(71, 12)
    (edit,) = compare(paper("s", A, *(long, short)[::flip], B), paper("t", A, *(short, long)[::flip], B)).edits
    assert (edit.kind, edit.source_text) == ("moved", short)


def test_a_short_paragraph_elsewhere_has_not_moved() -> None:
    for words, moved in ((7, False), (8, True)):
        short = prose(77, words)
        diff = compare(paper("s", A, short, B, C), paper("t", A, B, C, short))
        assert [edit.moved for edit in diff.edits if edit.source_ids == ("s1",)] == [True] * moved


def test_a_float_elsewhere_has_not_moved() -> None:
    caption: tuple[ParagraphKind, str] = ("caption", "Figure 1: " + E)
    assert compare(paper("s", A, caption, B, C), paper("t", A, B, C, caption)).edits == ()


def test_captions_that_change_places_are_one_move() -> None:
    first: tuple[ParagraphKind, str] = ("caption", "Figure 1: " + D)
    second: tuple[ParagraphKind, str] = ("caption", "Figure 2: " + E)
    (edit,) = compare(paper("s", A, first, B, second, C), paper("t", A, B, second, first, C)).edits
    assert (edit.kind, edit.source_ids, edit.group) == ("moved", ("s1",), "captions"), (
        "the other one stayed in the text"
    )
    (edit,) = compare(paper("s", A, first, B, second, C), paper("t", A, second, first, B, C)).edits
    assert (edit.kind, edit.source_ids) == ("moved", ("s3",))


def test_floats_of_two_kinds_and_notes_to_tables_have_not_moved() -> None:
    figure: tuple[ParagraphKind, str] = ("caption", "Figure 1: " + D)
    table: tuple[ParagraphKind, str] = ("caption", "Table 1: " + E)
    note = "Notes: " + prose(78, 12)
    assert compare(paper("s", A, figure, table, note, B, C), paper("t", A, B, C, table, note, figure)).edits == ()


@pytest.mark.parametrize(("kind", "meets"), [("body", "t1"), ("footnote", "t1"), ("other", "t1"), ("caption", "t2")])
def test_of_two_texts_alike_the_one_of_its_kind_is_met(kind: ParagraphKind, meets: str) -> None:
    half = words_of(B)[:20]
    as_text, as_caption = (" ".join([*half, *words_of(other)[:20]]) + "." for other in (D, E))
    for swap in (False, True):
        pair: list[tuple[ParagraphKind, str]] = [("body", as_text), ("caption", as_caption)]
        diff = compare(paper("s", A, (kind, B), C), paper("t", A, *(reversed(pair) if swap else pair), C))
        (met,) = (edit.target_ids for edit in diff.edits if edit.source_ids)
        assert met == (meets if not swap else {"t1": "t2", "t2": "t1"}[meets],)


def test_items_of_a_list_are_one_unchanged_pair() -> None:
    items = f"1. {A} 2. {B} 3. {C}"
    assert compare(paper("s", items, D), paper("t", items, D)).unchanged == ((("s0",), ("t0",)), (("s1",), ("t1",)))
    changed = items.replace(words_of(B)[20], "otherwise")
    diff = compare(paper("s", items, D), paper("t", changed, D))
    assert [edit.source_ids for edit in diff.edits] == [("s0",)] and diff.unchanged == ((("s1",), ("t1",)),)
    divided = compare(paper("s", items, D), paper("t", f"1. {A}", f"2. {B}", f"3. {C}", D)).unchanged
    assert [new for _, new in divided] == [("t0",), ("t1",), ("t2",), ("t3",)], "each paragraph has its partner"
    again = compare(paper("s", f"1. {A}", f"2. {B}", f"3. {C}", D), paper("t", items, D)).unchanged
    assert [old for old, _ in again] == [("s0",), ("s1",), ("s2",), ("s3",)]


def test_a_list_of_which_an_item_changed_is_in_no_unchanged_pair() -> None:
    changed = B.replace(words_of(B)[20], "otherwise")
    parts, whole = (f"1. {A}", f"2. {changed}"), f"1. {A} 2. {B}"
    diff = compare(paper("s", whole, D), paper("t", *parts, D))
    assert [(edit.source_ids, edit.target_ids) for edit in diff.edits] == [(("s0",), ("t1",))]
    assert diff.unchanged == ((("s1",), ("t2",)),), "the list is in an edit, the item beside it is not"
    diff = compare(paper("s", *parts, D), paper("t", whole, D))
    assert [(edit.source_ids, edit.target_ids) for edit in diff.edits] == [(("s1",), ("t0",))]
    assert diff.unchanged == ((("s2",), ("t1",)),)


def test_a_table_in_pieces_is_one_edit_with_all_of_them() -> None:
    rows = [
        f"{name} {VOCABULARY[at]} {at}1.5 {at}2.5 {at}3.5 {at}4.5" for at, name in enumerate(("Ours", "Theirs", "None"))
    ]
    old: list[tuple[ParagraphKind, str]] = [("table", row) for row in rows]
    new: list[tuple[ParagraphKind, str]] = [("table", " ".join(rows).replace("12.5", "99.5"))]
    (edit,) = compare(paper("s", A, *old, B), paper("t", A, *new, B)).edits
    assert (edit.group, edit.source_ids, edit.target_ids) == ("tables", ("s1", "s2", "s3"), ("t1",))


def test_a_paragraph_that_begins_like_a_notice_is_text() -> None:
    long = f"Preprints give authors control over when their work is public. {A} {B} {C} {A} {B} {C} {A} {B}"
    assert len(long) > 400
    for begun, group in ((long, "text"), (f"Preprint. {D}"[:120], "other"), (f"Copyright 2026 {D}"[:120], "other")):
        (edit,) = compare(paper("s", A, begun, B), paper("t", A, f"{begun} Moreover, oil was dear.", B)).edits
        assert edit.group == group, begun


def test_without_running_text_nothing_is_before_it() -> None:
    note = "1 Department of Hydrology, University of " + A
    source, target = paper("s", ("footnote", note)), paper("t", ("footnote", note + " " + D))
    (edit,) = compare(source, target).edits
    assert edit.group == edit_of(source, target).group == "text"
    assert edit_of(source, []).group == edit_of([], target).group == "text"
    assert edit_of(paper("s", "* * *"), []).group == "text", "without a word"


def test_what_is_deleted_has_not_moved_and_the_time_is_a_span() -> None:
    diff = compare(paper("s", A, B, C), paper("t", A, C))
    assert [(edit.kind, edit.moved) for edit in diff.edits] == [("deleted", False)]
    assert [edit.moved for edit in compare(paper("s", A, C), paper("t", A, B, C)).edits] == [False]
    assert 0 <= diff.seconds < 60


def test_words_of_a_drawing_are_no_edit_on_either_side() -> None:
    caption: tuple[ParagraphKind, str] = ("caption", "Figure 1: " + E)
    old: tuple[ParagraphKind, str] = ("other", "Learning rate in steps")
    new: tuple[ParagraphKind, str] = ("other", "Learning rate in epochs")
    drawn = compare(paper("s", A, old, caption, B), paper("t", A, new, caption, B))
    assert drawn.edits == ()
    text = "Learning rate in epochs."
    said = compare(paper("s", A, old, caption, B), paper("t", A, text, caption, B))
    assert [edit.target_text for edit in said.edits] == [text], "running text beside a figure is an edit"


def test_paragraphs_cut_by_the_page_are_unchanged() -> None:
    words = words_of(B)
    first, rest = " ".join(words[:17]), " ".join(words[17:])
    diff = compare(paper("s", A, first, rest, C), paper("t", A, B, C))
    assert diff.edits == ()
    assert (("s1", "s2"), ("t1",)) in diff.unchanged
    diff = compare(paper("s", A, B, C), paper("t", A, first, rest, C))
    assert diff.edits == ()


def test_paragraphs_cut_at_different_places_are_unchanged() -> None:
    words = words_of(B)
    diff = compare(
        paper("s", A, " ".join(words[:14]), " ".join(words[14:]), C),
        paper("t", A, " ".join(words[:28]), " ".join(words[28:]), C),
    )
    assert diff.edits == ()


def test_split_and_merge_with_changes() -> None:
    words = words_of(B + " " + D)
    first, second = " ".join(words[:38]), " ".join(words[42:])
    (edit,) = compare(paper("s", A, " ".join(words), C), paper("t", A, first, second, C)).edits
    assert (edit.operation, edit.source_ids, edit.target_ids) == ("split", ("s1",), ("t1", "t2"))
    assert edit.target_text == first + SEPARATOR + second
    (edit,) = compare(paper("s", A, first, second, C), paper("t", A, " ".join(words), C)).edits
    assert (edit.operation, edit.source_ids, edit.target_ids) == ("merge", ("s1", "s2"), ("t1",))


def test_pieces_that_change_places_have_moved() -> None:
    words = words_of(B + " " + D)
    first, second = " ".join(words[:40]), " ".join(words[40:])
    (edit,) = compare(paper("s", A, " ".join(words), C), paper("t", A, second, first, C)).edits
    assert (edit.kind, edit.moved, edit.tokens_removed, edit.tokens_added) == ("moved", True, 0, 0)


def test_typesetting_is_no_edit() -> None:
    source = "The ﬁrst “run” – as in Figure 2 [3, 4] – was well-known.\nIt data-\nset " + A
    target = 'The first "run" — as in Figure 5 [11–12] — was well known. It data-set ' + A
    assert compare(paper("s", source), paper("t", target)).edits == ()


def test_renumbered_raised_citations_are_no_edit() -> None:
    old = [f"{A} As models1,2 have shown.3", f"{B} As in layers4–6 before.", f"{C} Such cells7 and others8,9 do."]
    new = [f"{A} As models2,5 have shown.7", f"{B} As in layers8–10 before.", f"{C} Such cells11 and others12,13 do."]
    assert compare(paper("s", *old), paper("t", *new)).edits == ()
    new[0] += " And more.14"
    (edit,) = compare(paper("s", *old), paper("t", *new)).edits
    assert edit.tokens_added == 3


def test_a_version_that_cites_little_cites_like_the_other() -> None:
    one = [f"{A[:-1]} models12,13 and layers4.", f"{B[:-1]} cells8.", f"{C[:-1]} dogs14,15."]
    other = [one[0], B, C]
    assert [edit.kind for edit in compare(paper("s", *one), paper("t", *other)).edits] == ["minor", "minor"]
    assert compare(paper("s", *one), paper("t", one[0].replace("12,13", "2,3"), B, C)).edits[0].source_ids == ("s1",)


def test_a_joined_hyphen_is_no_edit() -> None:
    assert compare(paper("s", A + " the dataset end"), paper("t", A + " the data-set end")).edits == ()


def test_headings_are_no_edits_and_references_are_in_a_group_of_their_own() -> None:
    source = paper("s", ("heading", "Methods"), A, ("reference", prose(8)))
    target = paper("t", ("heading", "Materials"), A, ("reference", prose(9)), ("other", "* * *"))
    assert {edit.group for edit in compare(source, target).edits} == {"references"}


@pytest.mark.parametrize(
    ("source", "target"), [([], []), ([A], []), ([], [A]), (["Yes."], ["No."]), (["Yes."], ["Yes."])]
)
def test_the_smallest_papers(source: list[str], target: list[str]) -> None:
    diff = compare(paper("s", *source), paper("t", *target))
    said = [i for edit in diff.edits for i in edit.source_ids] + [i for old, _ in diff.unchanged for i in old]
    assert len(said) == len(source)


def test_one_rewritten_paragraph_alone_is_a_pair() -> None:
    (edit,) = compare(paper("s", A + " " + B), paper("t", A + " " + C)).edits
    assert edit.kind == "major"


def test_equal_short_paragraphs_keep_their_neighbours() -> None:
    note = "All rights of this remark stay here."
    diff = compare(paper("s", A, note, B, note, C, note), paper("t", A, note, B, note, C, note))
    assert diff.edits == ()
    assert diff.unchanged[1] == (("s1",), ("t1",))
    assert diff.unchanged[3] == (("s3",), ("t3",))


SCRIPT = st.lists(st.sampled_from(["keep", "change", "delete", "insert", "cut"]), min_size=1, max_size=12)


@settings(deadline=None, max_examples=60)
@given(SCRIPT)
def test_a_made_revision_is_read_back(script: list[str]) -> None:
    source: list[str] = []
    target: list[str] = []
    expected: list[str] = []
    for at, act in enumerate(script):
        text = prose(100 + at)
        words = words_of(text)
        if act != "insert":
            source.append(text)
        if act == "cut":
            target += [" ".join(words[:22]), " ".join(words[22:])]
        elif act == "change":
            target.append(" ".join(["Quite", "another", "start", *words[3:]]))
        elif act != "delete":
            target.append(text)
        expected += {"change": ["minor"], "delete": ["deleted"], "insert": ["added"]}.get(act, [])
    old, new = paper("s", *source), paper("t", *target)
    diff = compare(old, new)
    assert sorted(edit.kind for edit in diff.edits) == sorted(expected)
    seen_old = [i for e in diff.edits for i in e.source_ids] + [i for pair in diff.unchanged for i in pair[0]]
    seen_new = [i for e in diff.edits for i in e.target_ids] + [i for pair in diff.unchanged for i in pair[1]]
    assert sorted(seen_old) == sorted(p.id for p in old)
    assert sorted(seen_new) == sorted(p.id for p in new)

    aligned = aligned_pairs(diff, old, new)
    assert [i for entry in aligned for i in entry.target_ids] == [p.id for p in new]
    assert [i for entry in aligned for i in entry.source_ids] == [p.id for p in old]
    assert len(candidates(diff)) == len(diff.edits)


def test_candidates_carry_what_changed() -> None:
    diff = compare(paper("s", A, B), paper("t", A + " Folds were drawn by venue.", B))
    (candidate,) = candidates(diff)
    assert candidate.edit_id == "e001"
    assert candidate.added == "Folds were drawn by venue."
    assert candidate.diff_text.endswith("[+ Folds were drawn by venue. +]")
    assert candidate.section == "Methods"
    assert candidates(diff, lambda edit: edit.kind == "added") == ()


def test_a_book_of_equal_lines_keeps_its_order() -> None:
    lines = ["See the note below."] * 2000
    diff = compare(paper("s", *lines, A), paper("t", *lines[:1990], A))
    assert sorted({edit.kind for edit in diff.edits}) == ["deleted"]
    assert len(diff.edits) == 10
    assert diff.unchanged[1234] == (("s1234",), ("t1234",))


def test_a_long_paper() -> None:
    texts = [prose(seed, 120) for seed in range(400)]
    diff = compare(paper("s", *texts), paper("t", *texts[:150], prose(9000), *texts[150:]))
    assert [edit.kind for edit in diff.edits] == ["added"]
    assert diff.edits[0].target_ids == ("t150",)


def test_an_edit_of_a_doubtful_page_says_so() -> None:
    source, target = paper("s", A, B, C), paper("t", A, D, C)
    target[1] = replace(target[1], page=3)
    diff = compare(source, target)
    gone, new = (next(edit for edit in diff.edits if edit.kind == kind) for kind in ("deleted", "added"))
    doubtful = DoubtfulPage(3, next(iter(DOUBTS)), 0.4)
    before = ParsedDocument("", (), tuple(source), "", 0.0)
    after = ParsedDocument("", (), tuple(target), "", 0.0, doubtful=(doubtful, replace(doubtful, page=7)))
    assert doubts((new, gone), before, after) == {new.id: (f"Revised version: {doubtful.sentence}",)}


def test_what_may_be_on_a_page_without_text_is_doubtful() -> None:
    """The last two paragraphs of the submitted version seem deleted, and the one before cut off: a scanned page."""
    source = paper("s", A, B, longer := C + " It goes on over the page.", D, "Nothing else was changed at all here.")
    target = paper("t", "Something entirely new stands here now.", A, B + " Two more words.", C)
    diff = compare(source, target)
    scan = DoubtfulPage(2, next(iter(DOUBTS)), 1.0)
    before = ParsedDocument("", (), tuple(source), "", 0.0)
    after = ParsedDocument("", (), tuple(target), "", 0.0, doubtful=(scan,))
    found = doubts(diff.edits, before, after)
    doubted = {edit.kind: edit.source_text for edit in diff.edits if edit.id in found}
    assert len(found) == 3 and doubted["deleted"] == source[-1].text
    assert {edit.source_text for edit in diff.edits if edit.id not in found} == {"", B}
    assert set(found.values()) == {(f"Revised version: {scan.sentence}",)}
    after = replace(after, paragraphs=(*target, replace(source[-1], id="t9", page=3)))
    diff = compare(source, after.paragraphs)
    assert {edit.source_text for edit in diff.edits if edit.id in doubts(diff.edits, before, after)} == {longer, D}
    assert doubts(diff.edits, before, replace(after, doubtful=(replace(scan, page=4),))) == {}
