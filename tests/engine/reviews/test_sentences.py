"""Sentences keep their places in the text as it came in, whatever the text."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.reviews.records import Span
from engine.reviews.sentences import sentences_around, snap_to_sentences, snap_to_words, split_sentences
from engine.reviews.spans import sentence

PIECES = st.sampled_from(
    ["The loss", " is ", "e.g. ", "et al. ", "Fig. 3", ". ", "? ", "! ", "\n", "\n\n", "> ", "- ", "1. ", "## ",
     "$x. Y$ ", "`a. B` ", "“So. It” ", '"', "(", ") ", "[", "](http://a.b/c. D) ", "```\n", "$$", "| a | b |\n",
     "  ", "\r\n", "…", "é", "。", "\u2028", "***\n", "J. Smith", "3.5", "\\[", "**", "…\n>> ", "a. ", "\nb. ",
     "\nII. ", "**W1.** ", "\nPros\n", "\nSUMMARY\n", "a | b\n", "--- | ---\n", " 😀", "؟ ", "[3]", "<br>", "</p>",
     "\xa0", "\u200f", "\nTypo here", "Q1: "]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=60)


def said(text: str) -> list[str]:
    return [text[s.start : s.end] for s in split_sentences(text)]


@given(TEXTS)
@example("> a\n> b. C\n")
@example("\x0c> .\x85")
def test_sentences_cover_all_text_in_order(text: str) -> None:
    spans = split_sentences(text)
    covered = [False] * len(text)
    end = 0
    for span in spans:
        assert end <= span.start < span.end <= len(text)
        assert not text[span.start].isspace() and not text[span.end - 1].isspace()
        covered[span.start : span.end] = [True] * (span.end - span.start)
        end = span.end
    rest = "".join(char if not inside else " " for char, inside in zip(text, covered, strict=True))
    assert not rest.replace(">", "").strip()


@given(TEXTS, st.lists(st.tuples(st.integers(0, 80), st.integers(1, 20)), max_size=4))
def test_sentences_that_are_given_stay_and_the_rest_is_cut_around_them(
    text: str, places: list[tuple[int, int]]
) -> None:
    kept = [Span(start, min(start + size, len(text))) for start, size in places if start < len(text)]
    kept = [one for at, one in enumerate(kept) if all(one.end <= k.start or k.end <= one.start for k in kept[:at])]
    found = sentences_around(text, kept)
    assert set(kept) <= set(found)
    assert all(one.end <= other.start for one, other in pairwise(found)), "in order, and none over another"
    inside = {place for span in found for place in range(span.start, span.end)}
    assert {place for place, char in enumerate(text) if char.isalnum()} <= inside | {
        place for span in kept for place in range(span.start, span.end)
    }
    assert sentences_around(text, split_sentences(text)) == split_sentences(text) == sentences_around(text, ())


@given(TEXTS, st.integers(0, 80), st.integers(0, 80))
def test_snapping_holds_the_selection_and_is_stable(text: str, first: int, second: int) -> None:
    start, end = sorted((min(first, len(text)), min(second, len(text))))
    snapped = snap_to_sentences(text, first, second)
    assert 0 <= snapped.start <= snapped.end <= len(text)
    sentences = split_sentences(text)
    if sentences:
        assert snapped.start in {s.start for s in sentences}
        assert snapped.end in {s.end for s in sentences}
        assert snap_to_sentences(text, snapped.start, snapped.end) == snapped
        for place in range(start, end):
            if text[place].isalnum() and any(s.start <= place < s.end for s in sentences):
                assert snapped.start <= place < snapped.end
    words = snap_to_words(text, first, second)
    for place in range(start, end):
        if not text[place].isspace():
            assert words.start <= place < words.end
    assert snap_to_words(text, words.start, words.end) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See Fig. 3 and Sec. 2. Then stop.", ["See Fig. 3 and Sec. 2.", "Then stop."]),
        ("As Smith et al. (2019) say, it fails. We agree.", ["As Smith et al. (2019) say, it fails.", "We agree."]),
        ("It was done by Smith et al. However, it failed.", ["It was done by Smith et al.", "However, it failed."]),
        (
            "Use a prior, e.g. a Gaussian, i.e. the usual one. Why?",
            ["Use a prior, e.g. a Gaussian, i.e. the usual one.", "Why?"],
        ),
        ("It rose by 3.5 points. 40 papers were read.", ["It rose by 3.5 points.", "40 papers were read."]),
        ("J. Smith and A. B. Jones wrote it. Good.", ["J. Smith and A. B. Jones wrote it.", "Good."]),
        ("What is the length? and how are loops treated?", ["What is the length?", "and how are loops treated?"]),
        (
            "The words “It is so. It was so.” stand there. Fine.",
            ["The words “It is so. It was so.” stand there.", "Fine."],
        ),
        ("We (see A. B) go on (cf. Eq. 2. It holds.). Next.", ["We (see A. B) go on (cf. Eq. 2. It holds.).", "Next."]),
        ("The loss $L = a. B$ is odd. Why `x. Y`?", ["The loss $L = a. B$ is odd.", "Why `x. Y`?"]),
        ("See [the page](http://x.org/a.B) now. Thanks!", ["See [the page](http://x.org/a.B) now.", "Thanks!"]),
        ("It ends here [1, 2]. Then [3]. So.", ["It ends here [1, 2].", "Then [3].", "So."]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("It is missing.The rest is fine.", ["It is missing.", "The rest is fine."]),
        ("Typos etc. The rest is fine, p. 3.", ["Typos etc.", "The rest is fine, p. 3."]),
        ("p. 4, paragraph 2: cite it. p. 5: too.", ["p. 4, paragraph 2: cite it. p. 5: too."]),
        ("Is it so?! (I doubt it.) Well.", ["Is it so?!", "(I doubt it.)", "Well."]),
        ("The score is 0.5. The rate is <.05. Why?", ["The score is 0.5.", "The rate is <.05.", "Why?"]),
        ("See Sec. 3.2. Also Eq. (4) and Tab. 1. Fine.", ["See Sec. 3.2.", "Also Eq. (4) and Tab. 1.", "Fine."]),
        ("P. 3, l. 12: it is odd. Table. 3 too.", ["P. 3, l. 12: it is odd.", "Table. 3 too."]),
        ("Q1: Why is it so? Q2. How large is it?", ["Q1: Why is it so?", "Q2. How large is it?"]),
        ("Let $$ x = y. $$ Then it holds. So.", ["Let $$ x = y. $$ Then it holds.", "So."]),
        ("It is $a + b.$ The rest costs $5. And more.", ["It is $a + b.$", "The rest costs $5.", "And more."]),
        ("*It is odd.* **It is new.** Fine.", ["*It is odd.*", "**It is new.**", "Fine."]),
        ("They say ``it is so.'' I doubt it [3]. Ok.", ["They say ``it is so.''", "I doubt it [3].", "Ok."]),
        ("1) It is bad. It is long. 2) It is short.", ["1) It is bad.", "It is long.", "2) It is short."]),
        (
            "The U.S. data, the Ph.D. thesis (cf. [A. B, 2010]). End.",
            ["The U.S. data, the Ph.D. thesis (cf. [A. B, 2010]).", "End."],
        ),
        ("(i) It is odd. (ii) It is old.", ["(i) It is odd.", "(ii) It is old."]),
        ("We (i) do so, (ii) do not. And (iii).", ["We (i) do so, (ii) do not.", "And (iii)."]),
        ("**W1.** It is slow. **W2.** It is old.", ["**W1.** It is slow.", "**W2.** It is old."]),
        ("* **Q1. Why so?** It is odd. **Q2**: how?", ["* **Q1. Why so?**", "It is odd.", "**Q2**: how?"]),
        ("**1. Novelty.** It is old. Yes.", ["**1. Novelty.**", "It is old.", "Yes."]),
        ("1.1. It is slow. 1.2. It is old.", ["1.1. It is slow.", "1.2. It is old."]),
        ("Comment 1. It is bad. Comment 2. So too.", ["Comment 1. It is bad.", "Comment 2. So too."]),
        ("Is it so? No. Not at all. See no. 3 there.", ["Is it so?", "No.", "Not at all.", "See no. 3 there."]),
        ("It holds.[1] It fails.[2,3] So.", ["It holds.[1]", "It fails.[2,3]", "So."]),
        ("Good work! 😀 I like it. ❤️ But it is old. 😕", ["Good work! 😀", "I like it. ❤️", "But it is old. 😕"]),
        ("It is new.<br>It is old.<br/>So.", ["It is new.", "<br>It is old.", "<br/>So."]),
        ("<p>It is new. It is old.</p>", ["<p>It is new.", "It is old.</p>"]),
        ("In Fig. 3b. the line is red, i.e., bad vs. It all.", ["In Fig. 3b. the line is red, i.e., bad vs. It all."]),
        ("At p < .05. Use v2.0. Then 1.2.3. Fine.", ["At p < .05.", "Use v2.0.", "Then 1.2.3.", "Fine."]),
        ("See doi:10.1000/182.A12. Next.", ["See doi:10.1000/182.A12.", "Next."]),
        ("See (https://doi.org/10.1/a.B). Next.", ["See (https://doi.org/10.1/a.B).", "Next."]),
        ('They say "it is new. It works. So." Why?', ['They say "it is new. It works. So."', "Why?"]),
        (
            "it is nice. the gain is small. however it is new.",
            ["it is nice.", "the gain is small.", "however it is new."],
        ),
        ("the acc. is 5 pts. higher than the min. of it", ["the acc. is 5 pts. higher than the min. of it"]),
        ("هذا جيد. هذا سيئ؟ نعم.", ["هذا جيد.", "هذا سيئ؟", "نعم."]),
        ("\u200fזה טוב.\u200f זה רע? כן", ["\u200fזה טוב.\u200f", "זה רע?", "כן"]),
        ("全角。「そうです。」と言った。", ["全角。", "「そうです。」", "と言った。"]),
        ("Fig.\xa03 is bad.\xa0See it.\xa0", ["Fig.\xa03 is bad.", "See it."]),
        ("One.\r\nTwo here\r\n\r\nthree", ["One.", "Two here", "three"]),
    ],
)
def test_running_text(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_layout() -> None:
    text = """# A heading. With a stop

> A quoted line that goes
> on here. And a second
sentence, lazily.
>
> - first item
> - second item. It has two.

1. One
2. Two (a)
   goes on

Summary:
The paper is fine.

$$
a = b. C
$$

| a. B | c |
```
code. Here
```
last"""
    assert said(text) == [
        "# A heading. With a stop",
        "A quoted line that goes\n> on here.",
        "And a second\nsentence, lazily.",
        "- first item",
        "- second item.",
        "It has two.",
        "1. One",
        "2. Two (a)\n   goes on",
        "Summary:",
        "The paper is fine.",
        "$$\na = b. C\n$$",
        "| a. B | c |",
        "```\ncode. Here\n```",
        "last",
    ]


def test_titles_on_lines_of_their_own() -> None:
    text = "**Weaknesses**\nIt is old.\nSTRENGTHS\nIt is new.\nPros\n- fast\nCons\n- dear\n1. **Novelty**\nIt has some."
    assert said(text) == [
        "**Weaknesses**", "It is old.", "STRENGTHS", "It is new.", "Pros", "- fast", "Cons", "- dear",
        "1. **Novelty**", "It has some.",
    ]  # fmt: skip
    assert said("**It is old. It is slow.**\nYes.") == ["**It is old.", "It is slow.**", "Yes."]
    # Within a wrapped sentence, emphasis and capitals are no titles.
    for wrapped in ("We think that\n**the method**\nis slow.", "we take what is called\nBERT\nand find it good."):
        assert said(wrapped) == [wrapped]


def test_lists_by_letters_and_roman_numbers() -> None:
    assert said("a. one\nb. two\n   goes on\nc. three") == ["a. one", "b. two\n   goes on", "c. three"]
    assert said("> I. One is\n> II. Two are\n> III. Three") == ["I. One is", "II. Two are", "III. Three"]
    assert said("iii. one\niv. two") == ["iii. one", "iv. two"]
    assert said("1- one\n2- two") == ["1- one", "2- two"]
    # An initial at the beginning of a wrapped line is no item.
    names = "The proof by A. Smith and\nB. Jones is wrong."
    assert said(names) == [names]


def test_lines_that_their_writer_ended() -> None:
    text = "Typo in line 3\nFig 2 lacks a legend\nTable 3 is unreadable"
    assert said(text) == text.splitlines()
    for wrapped in (
        "we follow the method of\nSmith and find it good",
        "we follow what was published some time ago by\nSmith, who finds it good",
        "It is a sentence as long as lines are where mail is wrapped by a\nProgramme of old.",
    ):
        assert said(wrapped) == [wrapped]


def test_tables_without_borders() -> None:
    text = "a | b\n:-- | --:\n1. It is. So | 2\nAfter it. Done."
    assert said(text) == ["a | b", ":-- | --:", "1. It is. So | 2", "After it.", "Done."]
    assert said("p(a | b)\n---\nIt is.") == ["p(a | b)", "---", "It is."]


def test_fields_and_headings_of_review_forms() -> None:
    text = "##Summary\nIt is ok.\n\nRating: 6\nConfidence: 4\nPros:\n+ new idea\n+ clear\nCons:\n1). slow\n2). dear"
    assert said(text) == [
        "##Summary", "It is ok.", "Rating: 6", "Confidence: 4", "Pros:", "+ new idea", "+ clear", "Cons:",
        "1). slow", "2). dear",
    ]  # fmt: skip
    # A wrapped line may begin with what looks like a field; the line before it is as long as lines get.
    wrapped = "The gain that the authors report is far smaller than the one of\nTable 3: it vanishes. So."
    assert said(wrapped) == [wrapped[:-4], "So."]


def test_offsets_count_code_points() -> None:
    text = "\U0001f600 One \U0001d4b3 here. Zwei \u00e4\u0308 dort. \u4f60\u597d\u3002\U0001f600"
    assert said(text) == ["\U0001f600 One \U0001d4b3 here.", "Zwei \u00e4\u0308 dort.", "\u4f60\u597d\u3002\U0001f600"]
    assert split_sentences(text)[1].start == 14
    assert said("Fine. \U0001d499 is odd. and so on. 𝑎 b.") == ["Fine.", "\U0001d499 is odd. and so on.", "𝑎 b."]


def test_snapping() -> None:
    text = "> First one here. Second one\n> there. Third."
    assert snap_to_sentences(text, 4, 10) == Span(2, 17)
    second = text.index("Second")
    assert snap_to_sentences(text, second + 2, second + 2) == Span(second, text.index(" Third"))
    assert snap_to_sentences(text, text.index("here"), second + 1) == Span(2, text.index(" Third"))
    # The space after a sentence does not pull in the next one.
    assert snap_to_sentences(text, 2, second) == Span(2, 17)
    assert snap_to_sentences("   ", 1, 2) == Span(1, 1)
    words = "It's state-of-the-art, at 3.5 points."
    assert [words[s.start : s.end] for s in (snap_to_words(words, 2, 3), snap_to_words(words, 8, 12))] == [
        "It's",
        "state-of-the-art",
    ]
    at = words.index("3.5")
    assert snap_to_words(words, at + 1, at + 1) == Span(at, at + 3)
    assert snap_to_words(words, at, at + 4) == Span(at, at + 3)
    assert snap_to_words(words, at - 1, at - 1) == Span(at - 3, at - 1)


def test_long_texts_stay_fast() -> None:
    import time

    text = "It is (unclear [how “the split was made, e.g. by J. Smith et al. in Fig. 3. " * 3000
    started = time.process_time()
    spans = split_sentences(text)
    assert time.process_time() - started < 5, "a pattern that tries again and again takes minutes here"
    assert re.sub(r"\s", "", text) == re.sub(r"\s", "", "".join(text[s.start : s.end] for s in spans))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("_The proof is short. What follows from it?_", ["The proof is short.", "What follows from it?"]),
        ("> **Why so few?** Please\n> add [more](https://example.org/a_b).", ["Why so few?", "Please add more."]),
        ("The rate is 3 * x_i and *p* is small.", ["The rate is 3 * x_i and p is small."]),
    ],
)
def test_a_sentence_is_read_without_the_marks_of_its_passage(text: str, shown: list[str]) -> None:
    assert [sentence(text, span) for span in split_sentences(text)] == shown
