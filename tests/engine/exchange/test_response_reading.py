from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.exchange.docx_text import docx_text, is_docx
from engine.exchange.latex_text import is_latex, latex_text
from engine.exchange.markdown_tokens import Block, Run, blocks_of, marked_of
from engine.exchange.rebuttal_forms import write_docx, write_latex, write_notes, write_pdf
from engine.exchange.records import Export
from engine.exchange.response_letter import Matched, read_replies, same_words, write_letter, write_posts
from engine.exchange.response_reading import letter_text, table_text
from engine.exchange.sniff import sniff
from engine.rebuttal.points import Outline
from engine.rebuttal.points import outline as outlined
from engine.rebuttal.records import Point
from engine.reviews.letter import read_letter
from engine.reviews.limits import preset
from engine.reviews.records import Comment
from tests.engine.rebuttal.outlines import ASKED, make_outline

REPLIES = (
    "Chosen **by hand**; Section 3.2 now *says* why.\n\n> as you said\n\nMore: $\\{a_i*b_i\\}$ and $$x\\\\y$$ fine.",
    "See [Table 3](https://example.org/a_b) ($p < 0.05$).\n\n### A head\n\n3. three\n4. four\n\nAnd:\n\n1. one\n2. two",
    "It costs \\$5 & \\$6, 5 * 3, snake_case, ≥ α → “x”.\n\n```\ncode_block *x*\n```\n\nEnd.",
    "- We added two papers,\n- and a third.\n   - deep\n- last",
    "About `two` minutes & a half_hour at most, 100 %.",
)
BLANK = make_outline([""] * 5)


@pytest.fixture(scope="module")
def service() -> Iterator[DocumentService]:
    with DocumentService() as made:
        yield made


def outline() -> Outline:
    return make_outline(REPLIES, opening="We *thank* the reviewer.", closing="We hope that this answers all.")


def taken(export: Export, service: DocumentService) -> list[Matched]:
    found: list[Matched] = []
    for file in export.files:
        found += read_replies(letter_text(file.content, file.name, service), BLANK)
    assert all(one.point is not None for one in found)
    return found


def replies(found: list[Matched]) -> dict[str, str]:
    return {one.row.comment.id: one.reply for one in found if one.row}


def words(found: list[Matched]) -> list[tuple[str, str]]:
    return [(one.word.kind, one.reply) for one in found if one.word]


@pytest.mark.parametrize("write", [write_letter, write_latex, write_docx])
def test_letters_that_are_written_are_read_again(write: object, service: DocumentService) -> None:
    found = taken(write(outline()), service)  # type: ignore[operator]
    assert replies(found) == {f"c{n}": reply for n, reply in enumerate(REPLIES)}
    assert words(found) == [("opening", "We *thank* the reviewer."), ("closing", "We hope that this answers all.")]


def test_a_pdf_gives_the_words_of_each_reply(service: DocumentService) -> None:
    export = write_pdf(outline(), service)
    assert len(export.files[0].content) < 100_000, "a font has the letters that are used, not all it has"
    found = taken(export, service)
    assert words(found) == [("opening", "We *thank* the reviewer."), ("closing", "We hope that this answers all.")]
    made = replies(found)
    assert all(same_words(made[f"c{n}"], reply) for n, reply in enumerate(REPLIES) if n != 1)
    assert "See Table 3 (https://example.org/a_b) ($p < 0.05$)." in made["c1"]
    assert made["c3"] == "- We added two papers,\n- and a third.\n   - deep\n- last"
    assert "$\\{a_i*b_i\\}$" in made["c0"]


def test_a_long_pdf_keeps_replies_apart_over_pages(service: DocumentService) -> None:
    draw = random.Random(7)
    known = ["we", "looked", "at", "this", "again,", "rewrote", "Section 3", "with", "two", "seeds;", "it", "holds."]
    many = tuple(f"Reply {n}: {' '.join(draw.choices(known, k=500))}." for n in range(5))
    made = make_outline(many)
    found = replies(taken(write_pdf(made, service), service))
    assert all(same_words(found[f"c{n}"], reply) for n, reply in enumerate(many))


@pytest.mark.parametrize("quoting", ["full", "short", "number"])
def test_posts_and_notes_are_read_again(quoting: str, service: DocumentService) -> None:
    made = make_outline(REPLIES, opening="Thanks.")
    limit = preset("openreview-5000")
    posts = taken(write_posts(made, limit, quoting), service)  # type: ignore[arg-type]
    notes = taken(write_notes(made, limit, quoting), service)  # type: ignore[arg-type]
    wanted = {f"c{n}": reply for n, reply in enumerate(REPLIES)}
    assert replies(posts) == replies(notes) == wanted
    assert words(posts) == words(notes) == [("opening", "Thanks.")]


@pytest.mark.parametrize("quoting", ["full", "short", "number", "none"])
def test_a_response_that_comments_share_is_sent_once_and_comes_back_to_each(
    quoting: str, service: DocumentService
) -> None:
    both = "Both: we added it, in Section 3.2 and in the appendix."
    texts = (both, "Other.", both, "Fourth.", both)
    made, blank = make_outline(texts, shared=(0, 2)), make_outline([""] * 5, shared=(0, 2))
    wanted = {f"c{n}": text for n, text in enumerate(texts)}
    writers = (write_letter, write_latex, write_docx, lambda o: write_pdf(o, service))
    limit = preset("openreview-5000")
    exports = [write(made) for write in writers] if quoting == "full" else []
    exports.append(write_posts(made, limit, quoting))  # type: ignore[arg-type]
    for export in exports:
        read = [letter_text(file.content, file.name, service) for file in export.files]
        assert sum("".join(one.text.split()).count("Section3.2") for one in read) == 2, "once for two, once for itself"
        if quoting != "none":
            found = [match for one in read for match in read_replies(one, blank)]
            assert {m.row.comment.id: m.reply for m in found if m.row} == wanted, export.files[0].name


def test_labels_that_name_other_comments_are_not_believed() -> None:
    text = f"> **R1.1** {ASKED[1]}\n\nDone.\n\n> **R2.1** {ASKED[0]}\n\nBy hand.\n"
    assert replies(list(read_replies(text, BLANK))) == {"c1": "Done.", "c0": "By hand."}


@settings(deadline=None)
@given(st.text("ab*_`>-1.) \n#$[]()&<\\~!=;", min_size=1, max_size=40))
@example("1. a")
@example("a *b* _c_")
@example("$5 and $6")
@example("[[]]()")
def test_words_that_look_like_markup_come_through(text: str) -> None:
    words = " ".join(text.split())
    made = blocks_of(marked_of([Block("paragraph", (Run(words),))]).text)
    assert "".join(run.text for block in made for run in block.runs) == words
    assert all(block.kind == "paragraph" for block in made)


def test_blocks_are_written_as_they_are_read() -> None:
    for text in (*REPLIES, "# Head\n\nA *b* **c** `d` [e](http://f).\n\n> q\n\n* * *\n\n3. x\n4. y"):
        assert blocks_of(marked_of(blocks_of(text)).text) == blocks_of(text)


# --- letters of other hands -------------------------------------------------------------------------------------------


def saved(document: object) -> bytes:
    written = io.BytesIO()
    document.save(written)  # type: ignore[attr-defined]
    return written.getvalue()


def test_a_word_letter_that_tells_voices_apart_by_colour(service: DocumentService) -> None:
    import docx
    from docx.shared import RGBColor

    document = docx.Document()
    document.add_heading("Response to Reviewer 2", level=1)
    for asked, said in ((ASKED[1], "We have added the ablation of the second stage."), (ASKED[3], "We now cite it.")):
        document.add_paragraph(asked)
        document.add_paragraph().add_run(said).font.color.rgb = RGBColor(0x1F, 0x4E, 0xC8)
    found = read_replies(letter_text(saved(document), "x.docx", service), BLANK)
    assert replies(list(found)) == {
        "c1": "We have added the ablation of the second stage.", "c3": "We now cite it.",
    }  # fmt: skip


@pytest.mark.parametrize(("mark", "said"), [("highlight", "highlighted"), ("u", "underlined"), ("color", "colour")])
@pytest.mark.parametrize("value", ["none", "heather"])
def test_a_word_letter_with_a_look_that_is_not_in_the_standard_is_read(mark: str, said: str, value: str) -> None:
    import docx
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    document = docx.Document()
    run = document.add_paragraph(ASKED[0]).add_run(" We added it.")
    look = OxmlElement(f"w:{mark}")
    look.set(qn("w:val"), value)
    run._r.get_or_add_rPr().append(look)
    read = docx_text(saved(document), "x.docx")
    assert read.text == f"{ASKED[0]} We added it."
    assert [one.name for one in read.marks if one.name.startswith(said)] == (
        [said] if value != "none" and mark != "color" else []
    )


def test_colours_of_a_theme_are_named_and_black_is_none() -> None:
    import docx
    from docx.enum.dml import MSO_THEME_COLOR
    from docx.oxml.ns import qn
    from docx.shared import RGBColor

    document = docx.Document()
    for words, theme in (("One.", MSO_THEME_COLOR.ACCENT_2), ("Two.", MSO_THEME_COLOR.TEXT_1)):
        run = document.add_paragraph().add_run(words)
        run.font.color.theme_color = theme
        run._r.rPr.find(qn("w:color")).set(qn("w:val"), "auto")
    for words, rgb in (("Three.", (0, 0, 0)), ("Four.", (200, 0, 16))):
        document.add_paragraph().add_run(words).font.color.rgb = RGBColor(*rgb)
    read = docx_text(saved(document), "x.docx")
    marks = [(read.text[one.start : one.end], one.name) for one in read.marks if one.name.startswith("colour")]
    assert marks == [("One.", "colour accent 2"), ("Four.", "colour #c80010")]


def test_a_word_letter_of_headings_alone_is_read_as_paragraphs() -> None:
    import docx

    document = docx.Document()
    for asked in ASKED[:3]:
        document.add_heading(asked, level=1)
        document.add_heading("We have added it.", level=2)
    assert "#" not in docx_text(saved(document), "x.docx").text
    for _ in range(3):
        document.add_paragraph(" ".join(ASKED))
    assert docx_text(saved(document), "x.docx").text.startswith("# ")


def test_empty_lines_within_a_word_paragraph_part_a_name_from_what_it_says() -> None:
    import docx

    document = docx.Document()
    paragraph = document.add_paragraph()
    for number, words in enumerate(("Reviewer #1:", "", "All is said now.", "Or nearly.")):
        run = paragraph.add_run(words)
        run.bold = True
        if number < 3:
            run.add_break()
    assert docx_text(saved(document), "x.docx").text.splitlines() == [
        "**Reviewer #1:**", "", "**All is said now.\\", "Or nearly.**",
    ]  # fmt: skip


def test_a_word_table_of_comments_and_responses(service: DocumentService) -> None:
    import docx

    document = docx.Document()
    table = document.add_table(rows=3, cols=3)
    rows = (("No.", "Reviewer comment", "Our response"), ("1", ASKED[0], "By hand."), ("2", ASKED[4], "Two minutes."))
    for row, said in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, said, strict=True):
            cell.text = text
    found = read_replies(letter_text(saved(document), "x.docx", service), BLANK)
    assert replies(list(found)) == {"c0": "By hand.", "c4": "Two minutes."}


MARKDOWN_TABLE = """# Reviewer 1

| Request | Our response |
|---|:-:|
| Please give the unit of the tide gauge. | It is metres; $a \\| b$ is gone.
| Why were two sites left out? | They had no gauge. |

# Reviewer 2

| Comment | Response |
| --- | --- |
| The map is too small. | It is larger now. |
"""


def test_a_markdown_table_of_comments_and_responses(service: DocumentService) -> None:
    found = read_letter(letter_text(MARKDOWN_TABLE.encode(), "reply.md", service)).comments
    assert [(c.reviewer, c.comment, c.response) for c in found] == [
        ("Reviewer 1", "Please give the unit of the tide gauge.", "It is metres; $a \\| b$ is gone."),
        ("Reviewer 1", "Why were two sites left out?", "They had no gauge."),
        ("Reviewer 2", "The map is too small.", "It is larger now."),
    ]
    empty = MARKDOWN_TABLE.replace("| Why were two sites left out? |", "||")
    first = read_letter(letter_text(empty.encode(), "reply.md", service)).comments[0]
    assert "They had no gauge." in first.response, "an empty cell is one"
    results = "## Reviewer 1\n\n> Is it fast?\n\nIt is:\n\n| method | time |\n|---|---|\n| ours | 1 s |\n"
    assert letter_text(results.encode(), "reply.md", service).text == results, "other tables stay as they are"


@pytest.mark.parametrize("title", ["Reviewer", "Referee no."])
def test_the_numbers_in_a_column_of_reviewers_are_names(title: str) -> None:
    rows = (("1", "Please report the depth.", "We do."), ("#1", "Add units.", "Added."), ("2", "Is it public?", "Yes."))
    lines = (f"| {who} | {asked} | {said} |" for who, asked, said in rows)
    read = read_letter(table_text("\n".join((f"| {title} | Comment | Response |", "|---|---|---|", *lines))))
    assert [(c.reviewer, c.comment, c.response) for c in read.comments] == [
        (f"Reviewer {who[-1]}", asked, said) for who, asked, said in rows
    ]


def test_tracked_changes_are_read_as_accepted() -> None:
    import docx
    from docx.oxml import parse_xml

    document = docx.Document()
    paragraph = document.add_paragraph("We ")
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    paragraph._p.append(parse_xml(f"<w:del {space} w:id='1'><w:r><w:delText>never</w:delText></w:r></w:del>"))
    paragraph._p.append(parse_xml(f"<w:ins {space} w:id='2'><w:r><w:t>always</w:t></w:r></w:ins>"))
    read = docx_text(saved(document), "x.docx")
    assert read.text == "We always" and any("tracked" in one for one in read.warnings)


LATEX = r"""\documentclass{article}
\newcommand{\reviewcomment}[1]{\textit{#1}} % \RC
\begin{document}
\section*{Reviewer 1}
We thank the reviewer. % not this
\begin{point}
Why was the threshold set to three quarters, and how were the two sites chosen?
\end{point}
\begin{reply}
By \emph{hand}: 50\,\% of $x_i$; see Table~\ref{tab:one} and ``here''.
\begin{enumerate}
\item one
\item two
\end{enumerate}
\end{reply}
\reviewcomment{Figure 2 is too small to read in print.}
\response{It is larger now, cf.\ M\"uller.}
\section*{Reviewer 2}
\RC The evaluation lacks an ablation of the second stage; please add one.
\AR We have added it:
\begin{equation}\label{eq:a} a = b \end{equation}
\end{document} \section{After}
"""


def test_latex_letters_by_the_names_of_their_commands() -> None:
    assert is_latex(LATEX) and not is_latex("A letter about \\documentclass.")
    read = latex_text(LATEX, "x.tex")
    text = read.text
    assert read.warnings and "After" not in text and "not this" not in text
    found = replies(list(read_replies(read, BLANK)))
    assert found["c0"].startswith("By *hand*: 50 % of $x_i$; see Table tab:one and “here”.\n\n1. one\n2. two")
    assert found["c2"] == "It is larger now, cf. Müller."
    assert found["c1"].split() == ["We", "have", "added", "it:", "$$a", "=", "b$$"]


BOXES = r"""\documentclass{article}
\begin{document}
\section*{Reviewer 1}
%s
\end{document}
"""
BOX = r"""\begin{tcolorbox}[enhanced, title={Comment %d}]
Site %d is never described, and its tides are not in the table.
\end{tcolorbox}
\textbf{Response.} \textit{What was done.} It is described now.

\textit{Where.} {\color{red}Section %d}

\textit{Change.} {\color{blue}A column for the tides}
"""


def test_boxes_before_labelled_responses_are_the_comments_and_their_titles_are_read() -> None:
    read = latex_text(BOXES % "".join(BOX % (n, n, n) for n in range(1, 6)), "x.tex")
    assert read.text.count("Comment") == 5
    comments = read_letter(read).comments
    asked = [f"Site {n} is never described, and its tides are not in the table." for n in range(1, 6)]
    assert [c.comment for c in comments] == asked
    assert all("Section" in c.response and "column" in c.response for c in comments)


@settings(max_examples=60, deadline=None)
@given(st.text("a\\{}[]$%&_^~\n-`'begindocumtxRCAR", max_size=80))
def test_any_latex_is_read_or_refused(text: str) -> None:
    try:
        latex_text(text, "x.tex")
    except BadInput:
        return


@settings(max_examples=30, deadline=None)
@given(
    st.binary(max_size=200), st.sampled_from([b"", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"{\\rtf1", b"{", b"%PDF-1.4\n"])
)
def test_any_bytes_are_read_or_refused(service: DocumentService, data: bytes, head: bytes) -> None:
    assert not is_docx(head + data)
    if not head.startswith(b"%PDF"):
        try:
            letter_text(head + data, "x", service)
        except BadInput:
            return


def test_old_word_files_say_what_to_do(service: DocumentService) -> None:
    with pytest.raises(BadInput, match="unsupported format") as caught:
        letter_text(b"\xd0\xcf\x11\xe0" + bytes(600), "old.doc", service)
    assert "docx" in caught.value.do


def test_reviews_and_letters_in_word_and_latex_are_told_apart(tmp_path: Path) -> None:
    import docx

    (file,) = write_docx(outline()).files
    (tmp_path / "a.docx").write_bytes(file.content)
    letter = sniff(tmp_path / "a.docx")
    assert letter.kind == "letter" and letter.markdown and "> **R1.1**" in (letter.text or "")
    (tmp_path / "b.tex").write_text(LATEX)
    assert sniff(tmp_path / "b.tex").kind == "letter"
    document = docx.Document()
    for said in ASKED:
        document.add_paragraph(said, style="List Bullet")
    (tmp_path / "c.docx").write_bytes(saved(document))
    review = sniff(tmp_path / "c.docx")
    assert review.kind == "review" and (review.text or "").startswith(f"- {ASKED[0]}\n- {ASKED[1]}")


@settings(max_examples=40, deadline=None)
@given(st.text("ab*_`>-1. \n#$[]()\\\x00\x0b\x0c\ufffe😀", max_size=60))
@example("a\n-")  # a line of dashes makes a heading of what is above it
def test_any_reply_is_written_to_word_and_read_again(reply: str) -> None:
    (file,) = write_docx(make_outline([f"So. {reply}"])).files
    text = docx_text(file.content, "x.docx").text
    found = replies(list(read_replies(text, make_outline([""]))))
    assert found["c0"].lstrip("# ").startswith("So.")


@pytest.mark.parametrize("text", ["{}", "[]", '{"a": 1}', '{"notes": [{"id": "x"}]}', '[{"content": "x"}]'])
def test_json_of_other_programs_is_no_letter(text: str, service: DocumentService) -> None:
    with pytest.raises(BadInput, match=r"letter\.json is JSON but contains no OpenReview notes"):
        letter_text(text.encode(), "letter.json", service)


def test_visible_soft_hyphens_of_a_pdf_are_kept(service: DocumentService) -> None:
    import pymupdf

    said = "The rate of each lake is now a maximum\u00adlikelihood estimate."
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 100), said, fontsize=10)
        data = document.tobytes()
    assert letter_text(data, "letter.pdf", service).text == said.replace("\u00ad", "-")


def test_the_page_number_of_a_single_page_is_not_part_of_the_last_reply(service: DocumentService) -> None:
    import pymupdf

    def page(number_at: float) -> bytes:
        with pymupdf.open() as document:
            sheet = document.new_page()
            for y, said in ((80, "Reviewer 1"), (110, "Please report the depth."), (140, "We do.")):
                sheet.insert_text((72, y), said)
            sheet.insert_text((300, number_at), "1")
            return bytes(document.tobytes())

    assert "1" not in letter_text(page(780), "letter.pdf", service).text.replace("Reviewer 1", "")
    assert "1" in letter_text(page(155), "letter.pdf", service).text.replace("Reviewer 1", ""), "a line of the text"


def test_a_comment_that_begins_in_bold_keeps_its_label_in_latex() -> None:
    comments = [
        Comment(f"c{n}", "s", "Reviewer 1", f"**R1** Please report the {what}.")
        for n, what in enumerate(("depth", "seed"))
    ]
    said = {comment.id: Point("reply", comment.id, text=f"It is on page {comment.id}.") for comment in comments}
    (file,) = write_latex(outlined(comments, said, ())).files
    with DocumentService() as service:
        found = read_replies(letter_text(file.content, file.name, service), outlined(comments, {}, ()))
    assert {one.row.comment.id: one.reply for one in found if one.row} == {key: one.text for key, one in said.items()}


def test_a_reply_behind_a_comment_that_was_cut_is_no_quotation() -> None:
    reply = "This was changed for all basins, and the appendix now says which of the older surveys had been left out"
    text, want = "", {}
    for at, row in enumerate(row for section in BLANK for row in section.rows):
        words = " ".join(row.comment.comment.split())
        shown = f"*{words}*\n\n" if at % 2 == 0 else f"*{words[:25]} …* "
        text += f"> **{row.label}**  {shown}{reply} ({row.label}).\n\n"
        want[row.label] = f"{reply} ({row.label})."
    assert {one.row.label: one.reply for one in read_replies(text, BLANK) if one.row} == want
