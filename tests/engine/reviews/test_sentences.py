"""Sentences keep their places in the text as it came in, whatever the text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.reviews.records import Span
from engine.reviews.sentences import snap_to_sentences, snap_to_words, split_sentences

PIECES = st.sampled_from(
    ["The loss", " is ", "e.g. ", "et al. ", "Fig. 3", ". ", "? ", "! ", "\n", "\n\n", "> ", "- ", "1. ", "## ",
     "$x. Y$ ", "`a. B` ", "“So. It” ", '"', "(", ") ", "[", "](http://a.b/c. D) ", "```\n", "$$", "| a | b |\n",
     "  ", "\r\n", "…", "é", "。", "\u2028", "***\n", "J. Smith", "3.5", "\\[", "**", "…\n>> "]
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
    assert said(text) == [
        "\U0001f600 One \U0001d4b3 here.",
        "Zwei \u00e4\u0308 dort.",
        "\u4f60\u597d\u3002",
        "\U0001f600",
    ]
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
