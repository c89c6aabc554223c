from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.service import DocumentService
from engine.exchange.markdown_tokens import blocks_of
from engine.exchange.openreview import read_openreview
from engine.exchange.rebuttal_forms import (
    filled,
    latex_of,
    lay_out,
    write_docx,
    write_latex,
    write_notes,
    write_page,
    write_pdf,
)
from engine.exchange.response_letter import read_replies, write_letter, write_posts
from engine.exchange.response_reading import letter_text
from engine.rebuttal.points import Outline, outline, with_labels, without_notes
from engine.rebuttal.records import Generated, Point
from engine.reviews.letter import read_letter
from engine.reviews.limits import Limit, preset
from engine.reviews.records import Comment
from tests.engine.rebuttal.outlines import ASKED, make_outline

REPLIES = (
    "We chose it **by hand**; Section 3.2 now says why.",
    "We have added the ablation ($p < 0.05$), see Table 3.",
    "",
    "- We added two papers,\n- and a third.",
    "About `two` minutes & a half_hour at most, 100 %.",
)
plain = st.lists(
    st.sampled_from(["We", "have", "added", "Table", "3", "to", "the", "paper,", "because", "it", "was"]),
    min_size=4, max_size=30,
).map(lambda parts: " ".join(parts) + ".")  # fmt: skip


def test_a_letter_is_read_back_into_its_replies() -> None:
    made = make_outline(REPLIES, opening="We thank the reviewer.")
    (file,) = write_letter(made).files
    found = read_replies(file.content.decode(), make_outline(["", "", "", "", ""]))
    assert all(one.point is not None for one in found)
    replies = {one.row.comment.id: one.reply for one in found if one.row}
    assert replies == {f"c{n}": reply for n, reply in enumerate(REPLIES) if reply}


def test_a_reply_to_a_comment_with_a_number_of_its_own_comes_back_from_a_pdf() -> None:
    comments = [Comment("c0", "r", "Reviewer 1", "1) The abstract says 3.5 % but Table 2 says 3.6 %. Which is right?")]
    replies = {"c0": Point("reply", "c0", text="Comment 3 of the editor is answered in Section 2.")}
    with DocumentService() as service:
        (file,) = write_pdf(outline(comments, replies, ()), service).files
        (found,) = read_replies(letter_text(file.content, file.name, service), outline(comments, {}, ()))
    assert found.row is not None and found.reply == replies["c0"].text


def test_a_signature_below_the_last_reply_is_no_part_of_it() -> None:
    comments = [Comment("c1", "s", "Reviewer 1", "Add units."), Comment("c2", "s", "Reviewer 2", "Why is it so cold?")]
    replies = {"c1": Point("reply", "c1", text="Done."), "c2": Point("reply", "c2", text="It is winter.\n\nSee Bell")}
    (file,) = write_letter(outline(comments, replies, ())).files
    text = f"{file.content.decode()}\n\nYours sincerely,\n\nAnn Bell and Bo Li\nLakeside University\n"
    found = read_replies(text, outline(comments, {}, ()))
    assert [one.reply for one in found] == ["Done.", "It is winter.\n\nSee Bell"]


def test_a_last_reply_that_begins_with_a_line_is_no_closing() -> None:
    made = make_outline([*REPLIES[:4], "* * *\n\nWe go on."])
    found = read_replies(write_letter(made).files[0].content.decode(), make_outline([""] * 5))
    assert {one.row.comment.id: one.reply for one in found if one.row}["c4"] == "* * *\n\nWe go on."
    assert not any(one.word for one in found)


@settings(max_examples=25, deadline=None)
@given(st.lists(plain, min_size=1, max_size=5))
def test_any_plain_replies_come_back(replies: list[str]) -> None:
    (file,) = write_letter(make_outline(replies)).files
    found = read_replies(file.content.decode(), make_outline([""] * len(replies)))
    assert {one.row.comment.id: one.reply for one in found if one.row} == {f"c{n}": r for n, r in enumerate(replies)}


def test_somebody_elses_letter_finds_its_comments_by_their_words() -> None:
    text = (
        "# Response\n\n## Reviewer 2\n\n> The evaluation lacks an ablation of the second stage\n\nDone, see Table 3."
        "\n\n## Reviewer 1\n\n> How long does the fitting take on an ordinary machine?\n\nTwo minutes.\n\n"
        "> Is the moon made of cheese, and if so, which?\n\nNo.\n"
    )
    found = read_replies(text, make_outline(["", "", "", "", ""]))
    assert {one.row.comment.id: one.reply for one in found if one.row} == {
        "c1": "Done, see Table 3.",
        "c4": "Two minutes.",
    }
    assert [one.reply for one in found if one.point is None] == ["No."]


def test_a_comment_that_is_quoted_in_parts_gets_the_responses_to_all() -> None:
    asked = "Why is the margin fixed during training? And please report the variance over five random seeds."
    made = outline([Comment("c0", "s", "Reviewer 1", asked)], {}, ())
    letter = (
        "## Reviewer 1\n\n> Why is the margin fixed during training?\n\nIt no longer is.\n\n"
        "> And please report the variance over five random seeds.\n\nTable 2 has it.\n\n"
        "> Who wrote the code of this other paper?\n\nNobody.\n"
    )
    first, other = read_replies(letter, made)
    assert (
        first.row is not None and first.row.comment.id == "c0" and first.reply == "It no longer is.\n\nTable 2 has it."
    )
    assert other.row is None and other.reply == "Nobody."


def test_a_response_to_a_comment_that_requests_nothing_is_matched() -> None:
    comments = [
        Comment("c1", "s", "Reviewer 1", "The maps are a pleasure to read.", actionable=False),
        Comment("c2", "s", "Reviewer 1", "Please add the units to all axes."),
    ]
    text = "# Reviewer 1\n\n> The maps are a pleasure to read.\n\nThank you!\n\n> Please add the units to all axes.\n\n"
    made = outline(comments, {}, ())
    found = read_replies(f"{text}We added them.\n\n> Is the moon made of cheese?\n\nNo.\n", made)
    assert [(one.row.comment.id, one.row.label, one.reply) for one in found if one.row] == [
        ("c1", "", "Thank you!"),
        ("c2", "R1.1", "We added them."),
    ]
    assert [one.reply for one in found if one.point is None] == ["No."]
    assert [one.id for one in with_labels(without_notes(made), {}).silent] == ["c1"]
    joined = "# Reviewer 1\n\n> The maps are a pleasure to read. Please add units to all the axes.\n\nWe added them.\n"
    assert [one.row.comment.id for one in read_replies(joined, made) if one.row] == ["c2"], "requests come first"


def test_posts_are_files_as_they_are_pasted() -> None:
    made = make_outline(["x" * 80, "y" * 80, "z" * 80, "w" * 10])
    export = write_posts(made, Limit("x", "X", per_reply=150), "number")
    assert [file.name for file in export.files] == ["reviewer-1-1.md", "reviewer-1-2.md", "reviewer-2.md"]
    assert export.files[0].content.decode().startswith("(1/2)\n\n**R1.1** xxx")
    assert all(len(file.content.decode()) <= 150 for file in export.files)


def test_what_is_lacking_is_told() -> None:
    comments = [Comment("c0", "s", "Reviewer 1", ASKED[0]), Comment("c1", "s", "Reviewer 1", ASKED[1])]
    text = "See {table}. It is new."
    made = outline(comments, {"c0": Point("reply", "c0", text=text, generated=(Generated("It is new.", "x"),))}, ())
    assert write_letter(made).loss == (
        "1 unanswered comment is left out.", "1 slot is still open.", "1 generated sentence is not accepted yet.",
    )  # fmt: skip


def test_latex_keeps_formulas_and_escapes_the_rest() -> None:
    assert latex_of("50 % of **all** & $x_i$") == r"50 \% of \textbf{all} \& $x_i$"
    assert latex_of("1. one\n2. two") == "\\begin{enumerate}\n\\item one\n\\item two\n\\end{enumerate}"
    assert latex_of("a_b `c_d`") == r"a\_b \texttt{c\_d}"
    (file,) = write_latex(make_outline(REPLIES)).files
    text = file.content.decode()
    assert text.count(r"\begin{reply}") == text.count(r"\end{reply}") == 4
    assert len(re.findall(r"\\begin\{", text)) == len(re.findall(r"\\end\{", text))
    assert r"\begin{comment-of}{R1.1}" in text and "$p < 0.05$" in text


def test_word_holds_the_words_and_nobodys_name() -> None:
    import docx

    export = write_docx(make_outline(REPLIES, opening="Thanks."))
    document = docx.Document(io.BytesIO(export.files[0].content))
    said = [paragraph.text for paragraph in document.paragraphs]
    assert "Thanks." in said and any(ASKED[0] in line for line in said)
    assert any(line.startswith("We chose it by hand") for line in said)
    styles = {paragraph.style.name for paragraph in document.paragraphs}
    assert {"Intense Quote", "List Bullet", "Heading 1"} <= styles
    properties = document.core_properties
    assert properties.author == properties.last_modified_by == ""
    assert "Formulas are written as LaTeX between dollar signs." in export.loss
    with zipfile.ZipFile(io.BytesIO(export.files[0].content)) as archive:
        assert {part.date_time[0] for part in archive.infolist()} == {1980}, "no clock"
    assert write_docx(make_outline(REPLIES)).files[0].content == write_docx(make_outline(REPLIES)).files[0].content


def test_pdf_holds_the_words_and_nobodys_name() -> None:
    service = DocumentService()
    try:
        export = write_pdf(make_outline(REPLIES, opening="Thanks."), service)
        parsed = service.parse(export.files[0].content)
        text = " ".join(" ".join(p.text for p in parsed.paragraphs).split())
        assert "Thanks." in text and "We chose it by hand" in text and "ablation of the second stage" in text
        assert b"/Author" not in export.files[0].content
    finally:
        service.close()


def test_a_page_of_the_venue_is_laid_out_and_measured() -> None:
    limit = preset("neurips-page")
    assert (limit.pages, limit.page) == (1, "neurips")
    words = "We have looked at this again, and rewrote the section on it with two further runs. "
    with DocumentService() as service:
        short = filled(lay_out(make_outline([words] * 2), limit.page, "number", service))
        some = filled(lay_out(make_outline([words * 12] * 4), limit.page, "number", service))
        long = make_outline([words * 40] * 5)
        assert 0 < short < 0.3 < some < 1 < filled(lay_out(long, limit.page, "number", service))
        heard = write_page(long, limit, "number", service, "x.pdf")
        assert heard.loss[-1].endswith("pages, but 1 page is allowed.")
        parsed = service.parse(
            write_page(make_outline([words] * 2), limit, "number", service, "x.pdf").files[0].content
        )
    assert (parsed.pages[0].width, parsed.pages[0].height) == (612.0, 792.0)
    text = " ".join(paragraph.text for paragraph in parsed.paragraphs)
    assert "R1.1 We have looked" in text and "Reviewer 2" in text and "1 / 1" not in text


def test_openreview_notes_are_read_back() -> None:
    comments = [
        Comment(f"c{n}", "s", "Reviewer aB3x", said, external_id=f"Hk3j_x9Qz1-{n}") for n, said in enumerate(ASKED)
    ]
    made = outline(comments, {"c1": Point("reply", "c1", text=REPLIES[1])}, ())
    export = write_notes(made, preset("openreview-5000"), "full")
    notes = json.loads(export.files[0].content)["notes"]
    assert notes[0]["replyto"] == "Hk3j_x9Qz1" and "aB3x" in notes[0]["content"]["title"]["value"]
    bundle = read_openreview(export.files[0].content.decode(), "notes.json")
    assert REPLIES[1] in bundle.texts[0].text
    unknown = write_notes(make_outline(REPLIES), preset("openreview-5000"), "full")
    assert any("replyto" in sentence for sentence in unknown.loss)


def test_blocks_of_markdown() -> None:
    found = blocks_of("# Head\n\nA *b* **c** `d` [e](http://f).\n\n> q\n\n3. x\n4. y\n\n- z\n\n```\ncode\n```")
    assert [(block.kind, block.number) for block in found] == [
        ("heading", 0), ("paragraph", 0), ("quote", 0), ("number", 3), ("number", 4), ("bullet", 0), ("code", 0),
    ]  # fmt: skip
    runs = {run.text: run for run in found[1].runs}
    assert runs["b"].italic and runs["c"].bold and runs["d"].code and runs["e"].link == "http://f"


@given(st.text("ab*_`>-1. \n#$[]()", max_size=50))
def test_any_markdown_has_blocks(text: str) -> None:
    for block in blocks_of(text):
        assert block.runs is not None
    latex_of(text)


def test_an_empty_rebuttal_leaves_nothing_behind() -> None:
    made = make_outline(["", ""])
    assert write_posts(made, preset("free"), "full").files == ()
    assert write_letter(Outline()).files[0].content == b"# Response to reviewers\n"


def test_an_imported_letter_with_a_shared_response_makes_the_round_with_one_response() -> None:
    reply = "We added both, see Section 3.2 and the appendix."
    text = f"## Reviewer 1\n\n> 1. {ASKED[0]}\n\n> 2. {ASKED[1]}\n\n{reply}\n\n> 3. {ASKED[2]}\n\nNo.\n"
    made = outline(read_letter(text).comments, {}, ())
    ids = [row.comment.id for row in made.rows]
    found = read_replies(text, made)
    assert {m.row.comment.id: m.reply for m in found if m.row} == {ids[0]: reply, ids[1]: reply, ids[2]: "No."}
    answered = outline(
        [row.comment for row in made.rows],
        {m.row.comment.id: replace(m.row.point, text=m.reply) for m in found if m.row},
        (),
    )
    (file,) = write_letter(answered).files
    assert file.content.decode().count(reply) == 1
    again = read_replies(file.content.decode(), made)
    assert {m.row.comment.id: m.reply for m in again if m.row} == {ids[0]: reply, ids[1]: reply, ids[2]: "No."}
