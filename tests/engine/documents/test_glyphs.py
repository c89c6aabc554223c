"""Ligatures, wrongly mapped glyphs, and line-end hyphens, on lines made by hand."""

from __future__ import annotations

import pymupdf
import pytest

from engine.documents.extraction import _look, _translate, read_page
from engine.documents.glyphs import STEMS, find_repairs, learn, whole_letters
from engine.documents.page_text import Line, Token


def line(text: str, font: str = "Times") -> Line:
    tokens = [
        Token(w, 10.0 * i, 0, 10.0 * i + 8, 10, 9, 10, font, bold=False, italic=False, pieces=((font, w),))
        for i, w in enumerate(text.split())
    ]
    return Line(1, tokens)


def lines_of(commands: str) -> list[str]:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((20, 50), " ", fontname="helv")
        page.insert_text((20, 50), " ", fontname="tiro")
        document.update_stream(page.get_contents()[-1], f"BT 40 700 Td {commands} ET".encode())
        return [" ".join(token.text for token in line.tokens) for line in read_page(page).lines]


def test_gaps_of_a_tight_line_part_words_and_those_of_a_loose_word_do_not() -> None:
    tight = "-135 ".join(
        f"({word})" for word in ("the", "weights", "of", "all", "pears", "were", "read", "off", "twice")
    )
    assert lines_of(f"/tiro 10 Tf [{tight}] TJ") == ["the weights of all pears were read off twice"]
    loose = "-130 ".join("(" + c + ")" for c in "abstractions of words")
    assert lines_of(f"/tiro 10 Tf [{loose}] TJ") == ["abstractions of words"]


@pytest.mark.parametrize(
    ("commands", "wanted"),
    [
        ("[(s) 330 (,) 70 (i)] TJ", "s\u0326i"),
        ("[(S) 445 <b8> 112 (ule)] TJ", "S\u0327ule"),
        ("[(T) 110 (, and)] TJ", "T, and"),
        ("[(Marque) 390 <b4> -57 (s)] TJ", "Marque\u0301s"),
        ("[(Marque) 390 <b4> 57 ( ) 136 (s and more)] TJ", "Marque\u0301s and more"),
        ("[(Marqu) <b4> 390 (es)] TJ", "Marqu\u00b4es"),
    ],
)
def test_marks_that_are_set_at_a_letter_belong_to_it(commands: str, wanted: str) -> None:
    assert lines_of(f"/tiro 10 Tf {commands}") == [wanted]


@pytest.mark.parametrize(
    ("commands", "wanted"),
    [
        ("[(both dif) ( ) 250 (fer in this)] TJ", "both differ in this"),
        ("[(both dif) ( ) 205 (fer in this)] TJ", "both dif fer in this"),
        ("[(both) ( ) 250 (differ) ( ) 250 (in) ( ) 250 (this)] TJ", "both differ in this"),
    ],
)
def test_a_space_between_letters_that_touch_is_none_unless_all_are(commands: str, wanted: str) -> None:
    assert lines_of(f"/tiro 10 Tf {commands}") == [wanted]


@pytest.mark.parametrize(("words", "gap", "wanted"), [
    ("(in context:) {} (one field)", 0.13, "in context: one field"),
    ("(in context:) {} (one field)", 0.0, "in context:one field"),
    ("(in con) {} (text: one)", 0.13, "in context: one"),
    ("(at f\\(x;) {} (y\\))", 0.13, "at f(x;y)"),
])  # fmt: skip
def test_a_narrow_gap_parts_words_only_after_a_mark(words: str, gap: float, wanted: str) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((20, 50), " ", fontname="helv")
        text = f"BT /helv 16 Tf 40 700 Td [{words.format(-1000 * gap)}] TJ ET"
        document.update_stream(page.get_contents()[-1], text.encode())
        (found,) = read_page(page).lines
        assert " ".join(token.text for token in found.tokens) == wanted


def read(lines: list[Line]) -> list[str]:
    reading = learn(lines)
    return [" ".join(reading.text(t) for t in one.tokens) for one in lines]


@pytest.mark.parametrize("ligature", STEMS)
def test_every_stem_holds_its_ligature(ligature: str) -> None:
    assert [stem for stem in STEMS[ligature] if ligature not in stem] == []


def test_ligature_characters_are_opened() -> None:
    assert read([line("a \ufb01eld of e\ufb00ects and o\ufb03ces")]) == ["a field of effects and offices"]


def test_a_glyph_mapped_to_a_stray_letter_is_repaired_by_its_words() -> None:
    broken = [
        line("the Õrst scientiÕc Õeld is speciÕc"),
        line("a diàerent eàect of oàers"),
        line("with aÞliation eÞcient"),
    ]
    assert read(broken) == [
        "the first scientific field is specific",
        "a different effect of offers",
        "with affiliation efficient",
    ]


def test_letters_of_real_names_stay() -> None:
    names = [
        line("Jäger Schäfer Bäcker and Käfer met Márquez, Sánchez, Gómez and Løvborg in Åre"),
        line("the first field"),
    ]
    assert read(names)[0] == "Jäger Schäfer Bäcker and Käfer met Márquez, Sánchez, Gómez and Løvborg in Åre"
    assert find_repairs(names) == {}
    assert find_repairs([line("de León, J. and León (2020) of Oró")]) == {}, "one word counts once, whatever its comma"


def test_a_symbol_with_letters_of_another_font_beside_it_is_no_ligature() -> None:
    symbols = [
        Token("τ" + index, 0, 0, 8, 10, 9, 10, "CMMI10", bold=False, italic=True,
              pieces=(("CMMI10", "τ"), ("CMMI7", index)))
        for index in ("em", "ese", "is")
    ]  # fmt: skip
    lines = [line("Them These This"), Line(1, symbols)]
    assert find_repairs(lines) == {}
    assert read(lines)[1] == "τem τese τis"


def test_a_repair_holds_for_its_font_alone() -> None:
    lines = [line("Õrst Õeld speciÕc scientiÕc", font="Broken"), line("Õunapuu and Põld", font="Sound")]
    assert read(lines)[1] == "Õunapuu and Põld"


@pytest.mark.parametrize(
    ("elsewhere", "before", "after", "dropped"),
    [
        ("the measurement is here", "measure-", "ment", True),
        ("a well-known fact", "well-", "known", False),
        ("nothing that helps", "COVID-", "19", False),
        ("nothing that helps", "non-", "English", False),
    ],
)
def test_a_hyphen_is_judged_by_the_document(elsewhere: str, before: str, after: str, *, dropped: bool) -> None:
    reading = learn([line(elsewhere), line(f"some words {before}"), line(f"{after} and more")])
    assert reading.joins(before, after) is dropped


def test_without_evidence_a_document_that_breaks_no_words_keeps_the_hyphen() -> None:
    lines = [line("a high-throughput method"), line("with high-"), line("throughput and cross-"), line("lingual words")]
    assert not learn(lines).joins("cross-", "lingual")


def test_without_evidence_a_document_that_breaks_words_drops_it() -> None:
    lines = [line("an alignment of representation"), line("the align-"), line("ment and repre-"), line("sentation")]
    reading = learn(lines)
    assert reading.joins("hypothe-", "ses")


@pytest.mark.parametrize(
    ("before", "after", "dropped"),
    [
        ("decision-", "making", False), ("meas-", "ured", True), ("out-of-", "distribution", False),
        ("general-pur-", "pose,", True), ("rapid-on-", "the-fly", False), ("GPU-", "accelerated", False),
        ("X-", "rayed", False), ("https://example.org/pear-", "orchards", False), ("anna-", "lopez@example.org", False),
    ],
)  # fmt: skip
def test_words_that_the_document_does_not_have_are_judged_by_their_parts(
    before: str, after: str, *, dropped: bool
) -> None:
    evidence = [
        line("an alignment of the representation"),
        line("the align-"),
        line("ment and repre-"),
        line("sentation"),
    ]
    assert learn(evidence).joins(before, after) is dropped


def test_the_rest_of_a_broken_word_is_no_word() -> None:
    lines = [line("an alignment of the representation"), line("the align-"), line("ment and repre-"), line("sentation")]
    assert learn(lines).joins("refresh-", "ment"), "both parts would be words"
    assert not learn([line("высокие булки"), line("бу-"), line("лок и хлеба")]).joins("Saint-", "Étienne")
    assert learn([line("хлеб и бу-"), line("лок и хлеба")]).joins("бу-", "лок"), "neither part is a word"


def test_letters_of_another_language_and_signs_that_are_signs_stay() -> None:
    czech = [line("žluťoučký čtenář a článku"), line("the first field")]
    assert find_repairs(czech) == {}
    assert read([line("o$en a$er le$ shi$")]) == ["often after left shift"]
    assert read([line("o$en a$er le$ shi$ for $19")]) == ["o$en a$er le$ shi$ for $19"]


def test_letters_of_formulas_cut_to_sixteen_bits_are_whole_again_unless_the_text_is_korean() -> None:
    cut, whole = "the matrices \ud414 and \ud415", "the matrices \U0001d414 and \U0001d415"
    assert read([line(cut)]) == [whole] and cut.translate(whole_letters(cut)) == whole
    korean = f"\uc6b0\ub9ac {cut}"
    assert read([line(korean)]) == [korean] and not whole_letters(korean)


def test_what_has_no_width_goes() -> None:
    assert read([line("conf\u200bigu\u00adra\u2060tion")]) == ["configuration"]


def test_bytes_exchanged_by_ghostscript_are_put_right() -> None:
    def span(text: str) -> dict[str, object]:
        return {"font": "F", "chars": [{"c": c} for c in text]}

    spans = [span("sta\u6600\u6600 \u6600\u6900ve"), span("\u6600 \u4e2d\u6587\u5b57"), span("na\u00efve")]
    _translate(spans)
    said = ["".join(char["c"] for char in one["chars"]) for one in spans]  # type: ignore[attr-defined]
    assert said == ["staff five", "\u6600 \u4e2d\u6587\u5b57", "na\u00efve"]


def test_accents_apart_from_their_letter_are_put_on_it() -> None:
    assert read([line("Go\u0301mez")]) == ["Gómez"]


@pytest.mark.parametrize(
    ("font", "text", "wanted"),
    [
        ("AdvP4C4E74", "\u00f0\u00de\u00bcj\u00fe", "()=|+"),
        ("AdvTimes", "\u00fea\u00f0", "\u00fea\u00f0"),
        ("Times", "\u00fe\u00f0", "\u00fe\u00f0"),
    ],
)
def test_signs_of_formulas_in_fonts_of_3b2_are_read(font: str, text: str, wanted: str) -> None:
    chars = [{"c": c} for c in text]
    _translate([{"font": font, "chars": chars}])
    assert "".join(char["c"] for char in chars) == wanted


def test_the_names_of_fonts_tell_bold_and_italic() -> None:
    assert [_look(font) for font in ("AdvOTbd.B", "AdvOT7d.I", "AdvOT7d.BI", "AdvOT1e")] == [
        (True, False), (False, True), (True, True), (False, False)
    ]  # fmt: skip


def test_a_glyph_that_breaks_known_words_at_line_ends_is_a_hyphen() -> None:
    halves = [("algo;", "rithmes"), ("compa;", "rent"), ("princi;", "pales")]
    broken = [line(text) for pair in halves for text in (f"les {pair[0]}", f"{pair[1]} et")]
    known = [line("algorithmes comparent principales"), line("au sommet ;")]
    assert read([*broken, *known])[0::7] == ["les algo-", "au sommet ;"]
    assert read(broken)[0] == "les algo;"
    assert read([line("gauges; tides; and"), *broken, *known])[1] == "les algo;"
