"""Whose turn it is where titles tell it, what can't be a response, and texts that were pasted."""

from __future__ import annotations

from pathlib import Path

from engine.documents.service import DocumentService
from engine.exchange.latex_text import latex_text
from engine.exchange.response_reading import letter_text
from engine.reviews.letter import read_letter
from engine.reviews.marks import MarkedText
from engine.reviews.records import ReviewBundle
from engine.reviews.roles import Letter


def said(text: str) -> list[tuple[str, str]]:
    return [(c.comment, c.response) for c in read_letter(text).comments]


def test_titles_that_name_the_point_and_its_response_tell_comments_from_responses() -> None:
    asked = "I am not sure about the split. Is it by basin?"
    answered = "I am grateful. My split is by lake. I do not think that a basin would do."
    part = "# Reviewer {n} comment {k}\n\n{asked}\n\n# Author response to Reviewer {n} comment {k}\n\n{answered}\n\n"
    text = "".join(part.format(n=n, k=k, asked=asked, answered=answered) for n in "12" for k in "12")
    bundle = read_letter(text)
    assert [(c.reviewer, c.comment, c.response) for c in bundle.comments] == [
        (f"Reviewer {n}", asked, answered) for n in "12" for _ in "12"
    ]


def test_a_comment_goes_on_to_the_title_of_its_response() -> None:
    text = "\n\n".join(
        f"**Reviewer #1**\n\n{n}. Which split?\n\nIt is in Section {n}.\n\n**Response**:\n\nIt is by lake."
        for n in "1234"
    )
    assert said(text) == [(f"Which split?\n\nIt is in Section {n}.", "It is by lake.") for n in "1234"]


def test_one_response_without_its_label_makes_no_review_of_a_letter_of_short_comments() -> None:
    answered = "We thank you. We have now described our split of the lakes and our measurements in Section 3."
    points = [f"C{n}: The split of the...\nAns: {answered}" for n in range(11, 26)]
    points.insert(5, "C9: The lakes are not...\n" + f"{answered} " * 6)
    bundle = read_letter("We thank the reviewers.\n\nReviewer1\n" + "\n\n".join(points))
    answers = [comment.response for comment in bundle.comments if comment.response]
    assert answers.count(answered) >= 15


def test_points_of_a_list_with_labelled_responses_of_their_own_are_comments() -> None:
    asked = ["Firstly, the number of lakes differs from the text.", "Secondly, the authors should explain the depths."]
    answers = ["There are 25 lakes.\n\n   1. Table 2 lists them.", "We thank you. We removed negative depths."]
    points = "\n\n".join(
        f"{n}. *{one}*\n\n   **Response:** {answer}"
        for n, (one, answer) in enumerate(zip(asked, answers, strict=True), 1)
    )
    around = "**Comment {n}:** *The notation of page {n} is unclear.*\n\n**Response:** We have revised it.\n\n"
    second = f"**Comment 2:** *The data are unclear:*\n\n{points}\n\n"
    found = dict(said(f"# Reviewer 1\n\n{around.format(n=1)}{second}{around.format(n=3)}"))
    assert found[asked[1]] == answers[1]
    assert len(found) >= 4 and not any("Table 2" in comment for comment in found)


def no_answers(bundle: ReviewBundle, count: int) -> bool:
    return len(bundle.comments) == count and not any(comment.response for comment in bundle.comments)


def test_the_authors_of_the_paper_under_review_are_no_label() -> None:
    form = "------- REVIEW {n} -------\nPAPER: 2\nTITLE: Splits of lakes\nAUTHORS: Ann Able, Bob Baker\n\n"
    asked = "The authors should explain the split.\n\nI could not follow the second part. Is it by basin?\n\n"
    assert no_answers(read_letter("".join(form.format(n=n) + asked for n in "123")), 6)
    labelled = "".join(f"REVIEWER: Which split is it in {n}?\nAUTHORS: It is by lake.\n\n" for n in "123")
    assert [response for _, response in said(labelled)] == 3 * ["It is by lake."]


def test_a_title_is_no_response() -> None:
    asked = [
        "This is a split of lakes, and the authors write well.",
        "I could not follow it. The authors should explain it.",
    ]
    asked += ["Please add units.", "Why is there no figure? It should be added."]
    titles = ("Overall merit", "Paper summary", "Rating rationale")
    parts = "\n\n".join(f"{asked[n]}\n\n## {title}\n\n{asked[n + 1]}" for n, title in enumerate(titles))
    assert no_answers(read_letter("\n\n".join(f"# Reviewer {n}\n\n{parts}" for n in "1234")), 24)


def test_points_under_titles_of_their_own_are_not_left_out() -> None:
    point = "> Which split is it?\n\nResponse:\n\nIt is by lake."
    more = "".join(f"\n\n## {title}\n\n{point}" for title in ("The abstract", "The title", "The data", "The end"))
    text = "\n\n".join(f"# Reviewer {n}\n\n{point}{more}" for n in "123")
    assert said(text) == 15 * [("Which split is it?", "It is by lake.")]
    assert not Letter(MarkedText(text)).turned, "only the first point of each"


def test_a_cover_letter_that_refers_to_points_labels_none() -> None:
    cover = "\n\n".join(f"(Reviewer 2, point {n}). This was found to be wrong, and is corrected now." for n in "345")
    points = "\n\n".join(f"> Which split is it in {n}?\n\nWe split it by lake." for n in "123456")
    comments = said(f"{cover}\n\n# Reviewer 2\n\n{points}")
    assert comments[-6:] == [(f"Which split is it in {n}?", "We split it by lake.") for n in "123456"]


def test_numbered_comments_with_a_response_under_each_are_told_apart_by_their_titles() -> None:
    asked = "Line {}: is the split by lake, as in the earlier paper?"
    answered = "I agree that this is not clear.\n\n**Changes made:**\n\nThe phrase should be read as {} now."
    text = "\n\n".join(f"## Comment {n}\n\n{asked.format(n)}\n\n**Response:**\n\n{answered.format(n)}" for n in "1234")
    assert said(f"# Response to Reviewer 1\n\n{text}") == [(asked.format(n), answered.format(n)) for n in "1234"]


def test_quotations_make_no_letter_of_a_review() -> None:
    text = """# Reviewer 1

I could not follow the split. The authors should explain it.

# Reviewer 2

I would suggest these changes:

> The units are missing. Please add them.

The paper could be based on more of the literature, which I found lacking.

> The last part is unclear and should be rewritten.
"""
    assert no_answers(read_letter(text), 4)


def test_a_reviewer_who_says_we_answers_nothing() -> None:
    asked = ["The split is unclear and should be explained.", "Please add units.", "The title is too long."]
    asked += ["Why is there no figure?", "It is hard to read.", "The authors should cite more."]
    first = "\n\n".join([asked[0], "In our field, we split by lake.", *asked[1:]])
    second = "\n\n".join([*asked[:2], "We think that the data of our lakes may help.", *asked[2:]])
    assert no_answers(read_letter(f"# Reviewer 1\n\n{first}\n\n# Reviewer 2\n\n{second}"), 14)
    form = "PAPER: 2\nAUTHORS: Ann Able\n\n"
    assert no_answers(read_letter(f"# Reviewer 1\n\n{form}{first}\n\n# Reviewer 2\n\n{form}{second}"), 14)


def test_comments_in_blocks_of_code_are_comments_without_their_fences() -> None:
    text = "\n\n".join(
        f"```\nThe split of {n} is unclear.\n```\n\nWe split it by lake.\n\nIt is not by basin." for n in "123"
    )
    bundle = read_letter(f"# Reviewer 1\n\n{text}")
    assert bundle.reading is not None and "code" in bundle.reading.sentence()
    assert [(c.comment, c.response) for c in bundle.comments] == [
        (f"The split of {n} is unclear.", "We split it by lake.\n\nIt is not by basin.") for n in "123"
    ]


def test_markdown_with_tables_of_html_is_markdown(tmp_path: Path) -> None:
    table = "<table><tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table>\n\n"
    text = "# Reviewer 1\n\n" + "".join(f"**{n}- Why is it so long?**\n\nIt is short now.\n\n{table}" for n in "123")
    with DocumentService() as service:
        read = letter_text(text.encode(), "rebuttal.md", service, tmp_path)
        page = letter_text(f"<p>Why?</p>{table}<p>So.</p>".encode(), "page.html", service, tmp_path)
    assert read.text == text
    assert "<td>" not in page.text
    assert [c.comment for c in read_letter(read).comments] == [f"{n}- Why is it so long?" for n in "123"]


def test_lines_that_a_form_repeats_and_their_values_are_no_comments() -> None:
    form = (
        "Review #32{n}\nOverall merit\n{merit}. Weak reject\nPaper summary\n"
        "The paper splits lakes by basin {n}, {more}.\n"
        "Comments for author\nThe split of part {n}, {more}, is unclear and should be described.\n\n"
        "*** What are the major reasons to reject the paper? [Be brief.]\n\nIt lacks a baseline in part {n}.\n"
    )
    more = "which nobody knows nor has seen in any of the many papers on lakes and rivers and their banks"
    bundle = read_letter(
        "\n".join(form.format(n=n, merit=at, more=more.replace("n", n)) for at, n in enumerate("ABC", 1))
    )
    assert [(c.reviewer, c.comment) for c in bundle.comments[:3]] == [
        ("Review 32A", f"The paper splits lakes by basin A, {more.replace('n', 'A')}."),
        ("Review 32A", f"The split of part A, {more.replace('n', 'A')}, is unclear and should be described."),
        ("Review 32A", "It lacks a baseline in part A."),
    ]
    assert no_answers(bundle, 9)


def test_text_between_lines_is_the_response() -> None:
    asked = "The authors should explain the split of part {n}. I could not follow it."
    answered = "Part {n} is by lake, which Section {n} says."
    parts = [(asked.format(n=n), answered.format(n=n)) for n in "1234"]
    text = "\n\n".join(f"{comment}\n\n==========\n\n{response}\n\n========" for comment, response in parts)
    assert said(text) == parts


def test_notes_in_brackets_answer_a_review() -> None:
    asked = "Page {n}, line 2: the authors should say what the bound is. I could not follow it."
    notes = ("[fixed]", "[Ann: is it clear?]", "[we say it now]", "[fixed in Section 4]", "[added]", "[see Section 5]")
    text = "\n\n".join(f"{asked.format(n=n)}\n\n{note}" for n, note in enumerate(notes))
    assert said(text) == [(asked.format(n=n), note) for n, note in enumerate(notes)]


def test_letters_to_editors_and_answers_to_reviewers_without_comments_give_none() -> None:
    answers = "The new order of the sections should address the concern that you raised about the split of lakes."
    for text in (f"Dear Editors,\n\nI have addressed your own comments in Section 2. {answers}",
                 f"To reviewer #1:\n{answers}\n\nTo reviewer #2:\n{answers} You asked for it."):  # fmt: skip
        assert said(text) == []


def test_a_reviewer_named_in_plain_text_goes_on_under_titles() -> None:
    text = "Reviewer A:\n\nThe split is unclear.\n\n### First recommendation\n\nPlease add the units.\n\n"
    text += "Reviewer B:\n\nStrengths\n=========\n\nThe figures should be larger."
    asked = [(c.reviewer, c.comment) for c in read_letter(text).comments]
    assert ("Reviewer A", "Please add the units.") in asked
    assert ("Reviewer B", "The figures should be larger.") in asked


def test_quoted_comments_under_a_heading_of_their_reviewer_are_comments() -> None:
    part = (
        "## Referee: {n}\n\n### Comments for the Author\n> The split of part {n} is unclear.\n\nIt is by lake now.\n\n"
    )
    part += "> Which units are in Figure {n}?\n\nThey are metres.\n\n"
    found = read_letter("".join(part.format(n=n) for n in (1, 2, 3))).comments
    assert [(c.comment, c.response) for c in found[:2]] == [
        ("The split of part 1 is unclear.", "It is by lake now."),
        ("Which units are in Figure 1?", "They are metres."),
    ]
    assert len(found) == 6


def test_the_response_to_a_point_is_not_that_to_the_summary_above_it() -> None:
    part = (
        "## Reviewer {n}\n\n> The paper is about the ice of small lakes in part {n}.\n>\n> 1. Which units has {n}?\n\n"
    )
    part += "They are metres now.\n\n> 2. Please add a map of {n}.\n\nWe added one.\n\n"
    found = said("".join(part.format(n=n) for n in (1, 2)))
    assert found[:3] == [
        ("The paper is about the ice of small lakes in part 1.", ""),
        ("Which units has 1?", "They are metres now."),
        ("Please add a map of 1.", "We added one."),
    ]


def test_a_letter_that_answers_few_of_its_points_has_no_shared_responses() -> None:
    points = "".join(f"> {n}. Please explain the gap in year {n} of the series.\n\n" for n in range(1, 13))
    text = (
        f"## Reviewer 1\n\n{points}We now explain that the logger had failed.\n\n> 13. Please add units.\n\nWe did.\n"
    )
    assert [n for n, (_, response) in enumerate(said(text), start=1) if response] == [12, 13]


def in_latex(part: str, *more: str) -> list[tuple[str, str]]:
    parts = "".join(one.replace("NUMBER", str(n)) for n, one in enumerate((part, *more), start=1))
    marked = latex_text(f"\\documentclass{{article}}\\begin{{document}}{parts}\\end{{document}}", "x.tex")
    return [(c.comment, c.response) for c in read_letter(marked).comments]


POINTS = (
    "\\begin{rev}Which units has Figure NUMBER?\\end{rev}\n\nWe use metres now.\n\n"
    "\\begin{rev}Please add a map of part NUMBER.\\end{rev}\n\nWe added one.\n\n"
)


def test_a_marked_summary_has_no_share_in_the_response_to_the_first_point() -> None:
    summary = "The paper is about the ice of small lakes in part NUMBER."
    part = f"\\section*{{Reviewer NUMBER}}\\begin{{rev}}{summary}\\end{{rev}}\n\n{POINTS}"
    found = in_latex(part, part, part)
    assert found[:2] == [
        ("The paper is about the ice of small lakes in part 1.", ""),
        ("Which units has Figure 1?", "We use metres now."),
    ]
    assert len(found) == 9


def test_what_stands_unmarked_between_a_name_and_the_first_mark_is_a_comment() -> None:
    name, asked = "\\section*{Reviewer NUMBER}\n\n", "The authors should say in the title that it is about lakes."
    rest = [name + POINTS] * 3
    for answer in ("We now say so.", ""):
        found = in_latex(f"{name}{asked}\n\n{answer}\n\n{POINTS}", *rest)
        assert found[:2] == [(asked, answer), ("Which units has Figure 1?", "We use metres now.")]
        assert len(found) == 9


def test_a_table_in_a_response_does_not_end_it() -> None:
    rows = "\\begin{tabular}{ll}Site & Mean\\\\ \\hline North & 2.1\\\\ South & 3.4\\\\ \\end{tabular}"
    text = (
        "\\documentclass{article}\\newcommand{\\reply}[1]{#1}\\begin{document}\\section*{Reviewer 1}\n"
        "Please report the means of all sites.\n\n"
        f"\\reply{{We report them now.\n\n{rows}\n\nThe appendix has them, too.}}\n\n"
        "Please shorten the title.\n\n\\reply{We have shortened it.}\n\\end{document}"
    )
    (first, second) = read_letter(latex_text(text, "x.tex")).comments
    assert first.response.startswith("We report them now.") and first.response.endswith("The appendix has them, too.")
    assert second.response == "We have shortened it."


def test_responses_directly_below_their_comments_are_read() -> None:
    lines = (
        "Please add units to the plots.", "We have added units to all plots.",
        "How many sites were there?", "We now say that there were twelve.",
        "The title is too long for a note.", "We have shortened it.",
    )  # fmt: skip
    pairs = zip(lines[::2], lines[1::2], strict=True)
    text = "Reviewer 1\n" + "".join(f"{n}. {asked}\n{answer}\n" for n, (asked, answer) in enumerate(pairs, start=1))
    assert said(text) == [(lines[0], lines[1]), (lines[2], lines[3]), (lines[4], lines[5])]


def test_a_title_with_the_marks_of_responses_is_in_the_response() -> None:
    quoted = "**We have added,**\n\n**The lakes are cold in both years.**\n\n**and**\n\n**All of them are small.**\n\n"
    point = "The authors should say which units Figure {n} has.\n\n**We use metres now, in Figure {n}, too.**\n\n"
    points = "".join(point.format(n=n) for n in (1, 2, 3))
    (*_, (asked, response)) = said(f"## Reviewer 1\n\n{points}The authors should describe the lakes.\n\n{quoted}")
    assert (asked, response) == ("The authors should describe the lakes.", quoted.strip())


def test_a_command_for_comments_has_comments_before_the_first_reviewer_too() -> None:
    editor = "\\section*{Editorial matters}\n\n\\begin{rev}Please shorten the title.\\end{rev}\n\n"
    name = "\\section*{Reviewer NUMBER}\n\n"
    found = in_latex(f"{editor}{name}{POINTS}", name + POINTS)
    assert found[0] == ("Please shorten the title.", "")
    assert len(found) == 5
