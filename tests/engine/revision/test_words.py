from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.revision.words import SPACE, cites_by_raised_numbers, counted_tokens, counted_words, fold, tokens


@given(st.text())
def test_tokens_tile_any_text(text: str) -> None:
    found = tokens(text)
    assert "".join(text[token.start : token.end] for token in found) == text
    assert all(token.start < token.end for token in found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a ‘quoted’ word", "a 'quoted' word"),
        ("so – it — goes", "so - it -- goes"),
        ("the ﬁrst ﬂow", "the first flow"),
        ("soft\u00adly  spoken\nwords", "softly spoken words"),
        ("as shown [3].", "as shown [17]."),
        ("as shown [1–3,9].", "as shown [4, 8, 11, 12]."),
        ("by [12, Thm. 4] and [53, page 851]", "by [14, Thm. 4] and [48, page 851]"),
        ("under Assumption 2 and Remark 3.1", "under Assumption 4 and Remark 2.1"),
        ("see Figure 3B and Table 2", "see Figure 4B and Table 1"),
        ("see Figs. 2 and 3, Eq. (4)", "see Figs. 5 and 6, Eq. (7)"),
        ("in Section 3.2 we", "in Section 4.1 we"),
        ("old cells.12,13 Then", "old cells.14,15 Then"),
        ("one, two; three", "one two three"),
        ("well-known", "well known"),
        ("2) Mills", "Mills"),
        ("(b) Mills", "Mills"),
    ],
)
def test_what_only_the_page_decides_counts_as_the_same(one: str, other: str) -> None:
    assert counted_words(one) == counted_words(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 mice", "13 mice"),
        ("we a) go", "we b) go"),
        ("all 12 Mills", "all 13 Mills"),
        ("as shown [3].", "as shown [3,4]."),
        ("as shown [3].", "as shown."),
        ("by [12, Thm. 4]", "by [12, Thm. 5]"),
        ("see Figure 3A", "see Figure 3B"),
        ("p < 0.05", "p > 0.05"),
        ("x = 0.5", "x = 0.6"),
        ("not so", "so"),
        ("the House", "the house"),
        ("BRCA1 is", "BRCA2 is"),
    ],
)
def test_what_an_author_decides_counts_as_changed(one: str, other: str) -> None:
    assert counted_words(one) != counted_words(other)


def test_each_cited_work_counts_once() -> None:
    assert counted_words("so [2, 6–9]") == ("so", "¤", "¤", "¤", "¤", "¤")


def test_an_interval_of_years_is_no_citation() -> None:
    assert "¤" not in "".join(counted_words("in the years [1990-2400]"))


def test_fold_is_stable() -> None:
    assert fold(fold("“ﬁn” − ½")) == fold("“ﬁn” − ½")


def test_white_space_has_one_key() -> None:
    assert [token.key for token in tokens("a \n\t b")] == ["a", SPACE, "b"]


def test_raised_citations_are_known_by_the_whole_paper() -> None:
    raised = ["We used models12,13 and layers4.", "All cells.8 Then others5–7 came.", "In some (RNA)3 it holds14,15."]
    assert cites_by_raised_numbers(raised)
    assert not cites_by_raised_numbers(
        ["We use word2vec and layer3 [1].", "See [2, 3] and resnet50.", "As python3 [4]."]
    )
    assert not cites_by_raised_numbers(["It was 3.5 times as fast, i.e. 12,000 in all."])


def test_works_named_by_their_number_are_citations() -> None:
    assert counted_words("as in Ref. 6 and Refs. 7, 9–11 and 13.") == ("as", "in", "Ref", "¤", "and", "Refs", *"¤¤¤¤¤")
    assert counted_words("Noether et al.28 show") == ("Noether", "et", "al", "¤", "show")


def test_raised_citations_are_counted_where_the_paper_has_them() -> None:
    assert counted_words("models12,13 and (RNA)4 so", raised=True) == ("models", "¤", "¤", "and", "RNA", "¤", "so")
    assert counted_words("as Noether12 and SOLVE13 do by14", raised=True) == (
        *("as", "Noether", "¤", "and", "SOLVE", "¤", "do", "by", "¤"),
    )
    assert counted_words("Lee et al.,12 for b,3 of 3.4", raised=True) == (
        "Lee",
        "et",
        "al",
        "¤",
        "for",
        "b",
        "¤",
        "of",
        "3.4",
    )
    assert counted_words("used BRCA2 and Notch1", raised=True) == ("used", "BRCA2", "and", "Notch1")
    assert counted_words("models12 so") == ("models12", "so")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("TABLE VII: Sizes", "Table 11. Sizes"),
        ("see Fig. 3 and Sec. IV", "see Figure 5 and §2"),
        ("as Marrowby et al (2011) said", "as Quill and Ost (2014b) said"),
        ("as Marrowby et al. (2011) said", "as ? said"),
        ("said before (Marrowby et al, 2011)", "said before (?)"),
        ("(e.g. Quill Collaboration: Ost et al. 2011; Mill 2012)", "(e.g. ?; ?)"),
        ("(for a review, see Ost 2011; Mill et al. 2012)", "(for a review, see Mill 2014; Ost 2012)"),
        ("(for a review, see Ost 2011)", "(for a review, see ?)"),
        ("as Quill Collaboration et al. (2011) said", "as Mill (2012) said"),
        ("see Section 2, Figure 3 and Lemma 4", "see Section ??, Figure ?? and Lemma ??"),
        ("of a chain (NHC),24 so", "of a chain (NHC),25 so"),
        ("it follows from (12) that", "it follows from (A.3) that"),
        ("Abstract—We count", "We count"),
        ("12 We count the mills", "We count the mills"),
    ],
)
def test_a_change_of_style_counts_as_the_same(one: str, other: str) -> None:
    assert counted_words(one) == counted_words(other)


def test_the_marks_of_footnotes_are_no_words() -> None:
    bare = counted_words("the streets are counted")
    assert tuple(key for key, _ in counted_tokens("the streets2 are counted", marks={"2"})) == bare
    assert counted_words("the streets2 are counted") != bare


@pytest.mark.parametrize("marked", ["by (Mill)2 and on", "by Mill, Inc.2 and on", "by Mill. 2 And on", "by Mill. 2"])
def test_a_footnotes_mark_stands_after_any_sign(marked: str) -> None:
    found = [key for key, _ in counted_tokens(marked, marks={"2"})]
    assert "2" not in "".join(found)
    assert "".join(found) != "".join(counted_words(marked))


def test_the_number_of_an_index_is_no_mark() -> None:
    assert [key for key, _ in counted_tokens("with x2 of it", marks={"2"})][1] == "x2"


@pytest.mark.parametrize(
    ("one", "other"),
    [("see Footnote 7", "see Footnote 13"), ("in Alg. 2", "in Alg. 4"), ("lines 4–7 of Alg. 2", "lines 5–8 of Alg. 3")],
)
def test_numbers_of_footnotes_algorithms_and_lines_count_by_themselves(one: str, other: str) -> None:
    assert counted_words(one) == counted_words(other)
