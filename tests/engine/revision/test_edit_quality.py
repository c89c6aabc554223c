from __future__ import annotations

from pathlib import Path

import pytest

from engine.documents.records import Paragraph
from engine.revision.edits import compare
from engine.revision.records import Edit, EditKind
from tests.benchmarks.edit_quality import Gold, counted, from_paragraphs, manuscripts, mapped, same_names, score, total
from tests.benchmarks.edit_styles import confirmed, letters

FIRST = "The passages were drawn by lot from all of the papers and every reading was made twice."
SECOND = "A reviewer who had seen a paper before was not asked about it again in the same year."
THIRD = "What remains are two hundred judgements that nobody has looked at since the day they were given."


def paper(side: str, *texts: str) -> tuple[Paragraph, ...]:
    return tuple(Paragraph(f"{side}{at}", at, "", "body", text, text, (), 1, ()) for at, text in enumerate(texts))


def key(source: str, target: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(source.split()), frozenset(target.split())


def test_the_measure_sees_wrong_and_missing_edits() -> None:
    source, target = paper("s", FIRST, SECOND), paper("t", FIRST, THIRD)
    truth = {key("s1", ""): "deleted", key("", "t1"): "added"}
    gold = Gold("made", Path(), source, target, truth, frozenset(), (("s0", "t0"),))
    names = same_names((*source, *target))
    assert score(gold, compare(source, target), names).f1 == 1.0
    nothing = score(gold, compare(source, source), names)
    assert (nothing.recall, nothing.f1) == (0.0, 0.0)
    other = Gold("made", Path(), source, target, {key("s1", "t1"): "major"}, frozenset(), (("s1", "t1"),))
    counts = score(other, compare(source, target), names)
    assert (counts.right, counts.reported, counts.edited_unchanged) == (0, 2, 1)


def test_related_paragraphs_are_not_punished() -> None:
    source, target = (
        paper("s", FIRST, SECOND),
        paper("t", FIRST, SECOND.replace("reviewer who", "person that") + " " + THIRD),
    )
    truth = {key("s1", ""): "deleted", key("", "t1"): "added"}
    gold = Gold("made", Path(), source, target, truth, frozenset({key("s1", "t1")}), (("s0", "t0"),))
    counts = score(gold, compare(source, target), same_names((*source, *target)))
    assert (counts.found, counts.gold, counts.reported) == (2, 2, 0)


def test_parsed_paragraphs_stand_for_what_they_cover() -> None:
    gold = paper("g", FIRST, SECOND, THIRD)
    words = THIRD.split()
    parsed = paper("p", FIRST + " " + SECOND, " ".join(words[:9]), " ".join(words[9:]), "An author, and another")
    names = mapped(parsed, gold, counted)
    assert names == {"p0": frozenset({"g0", "g1"}), "p1": frozenset({"g2"}), "p2": frozenset({"g2"}), "p3": frozenset()}


def test_an_edit_is_confirmed_by_words_that_one_whole_text_has_and_the_other_lacks() -> None:
    before, after = f"{FIRST} {SECOND}", f"{FIRST} {SECOND.replace('seen', 'read')} {THIRD}"
    old, new = ((letters(text), letters(text.upper())) for text in (before, after))

    def edit(kind: EditKind, source: str, target: str) -> Edit:
        return Edit("e", kind, "edit", False, ("s0",) * bool(source), ("t0",) * bool(target), source, target, "", 1, 1)

    assert confirmed(edit("minor", SECOND, SECOND.replace("seen", "read")), old, new)
    assert confirmed(edit("minor", FIRST, FIRST.replace(".", "!")), old, new), "marks are in neither text"
    assert not confirmed(edit("minor", FIRST, FIRST.replace("lot", "telescope")), old, new)
    assert not confirmed(edit("minor", SECOND.replace("seen", "read"), SECOND), old, new), "the wrong way round"
    assert confirmed(edit("added", "", THIRD), old, new) and not confirmed(edit("added", "", FIRST), old, new)
    assert not confirmed(edit("deleted", THIRD, ""), old, new) and confirmed(edit("deleted", THIRD, ""), new, old)
    assert not confirmed(edit("moved", THIRD, THIRD), old, new)


@pytest.mark.data
def test_edits_of_real_revisions_are_found(data_folder: Path) -> None:
    counts = total(from_paragraphs(gold).exact for gold in manuscripts(data_folder))
    assert counts.f1 >= 0.95, counts.misses
    assert counts.edited_unchanged == 0, counts.misses
