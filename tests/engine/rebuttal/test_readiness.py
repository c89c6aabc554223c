from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from engine.documents.places import Places
from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.exchange.rebuttal_forms import FORMS, Leaving, make, preview_text
from engine.exchange.response_reading import letter_text
from engine.project import Project
from engine.rebuttal.budget import budgets, savings, shortenings
from engine.rebuttal.claims import check_claims
from engine.rebuttal.letter import posts
from engine.rebuttal.matrix import matrix
from engine.rebuttal.points import Outline, notes_in, said, without_notes
from engine.rebuttal.readiness import ClaimChecker, Finding, ToCheck, findings
from engine.rebuttal.records import Generated
from engine.reviews.anonymity import metadata_identifying
from engine.reviews.limits import Limit, preset
from engine.reviews.records import Comment
from engine.reviews.wording import check_wording
from tests.engine.rebuttal.outlines import make_outline

FREE = preset("free")


def found(*replies: str, names: tuple[str, ...] = (), limit: str = "free") -> tuple[Finding, ...]:
    outline = make_outline(replies)
    made = matrix(outline, {}, {}, preset(limit), "short", revised=False)
    metadata = metadata_identifying([("author", "Ada Example"), ("creator", "LaTeX")], "revised.pdf")
    return findings(outline, made, preset(limit), "short", names=names, metadata=metadata)


def test_a_finished_rebuttal_has_nothing_to_mend() -> None:
    heard = found("We did so.", "We ran it.")
    assert [one.weight for one in heard] == ["look"], "only what the file says of its maker"
    assert "Ada Example" in heard[0].words


def test_what_is_missing_stands_first_and_leads_to_its_point() -> None:
    heard = found("We did so.", "", "")
    assert heard[0].weight == "fix" and heard[0].words == "2 comments have no response"
    assert heard[0].comment_id == "c2", "the first of them in the outline"
    assert "R1.2" in heard[0].detail and "R2.1" in heard[0].detail


def test_names_and_slots_are_told() -> None:
    heard = found("Ben Example ran it.", "We report {number}.", names=("Ben Example",))
    words = [(one.weight, one.words) for one in heard]
    assert ("fix", "R1.1: “Ben Example”") in words
    assert any(weight == "fix" and "open slot" in one for weight, one in words)


def test_links_of_one_owner_are_told_once() -> None:
    link = "https://github.com/someone"
    heard = [one for one in found(f"See {link}/a and {link}/b.", f"See {link}/c.") if "github" in one.words]
    assert len(heard) == 1 and heard[0].words.startswith("3 links to github.com/someone")
    assert heard[0].weight == "fix" and heard[0].comment_id == "c0"
    other = "https://gitlab.com/other/x"
    single = [one.words for one in found(f"See {link}/a.", f"See {other}.") if "git" in one.words]
    assert len(single) == 2 and not any("links to" in words for words in single), "one link is not counted"


def test_what_is_too_long_is_told_with_its_length() -> None:
    heard = found("x" * 6000, "We did.", limit="openreview-5000")
    assert "too long" in heard[0].words and heard[0].weight == "fix"
    assert budgets(make_outline(["x"]), FREE, "short") == {}


def test_what_is_too_long_says_what_to_shorten_and_what_that_gains() -> None:
    limit = replace(preset("openreview-5000"), per_reply=1000)
    outline = make_outline(["x" * 1100, "y" * 300, ""])
    made = matrix(outline, {}, {}, limit, "full", revised=False)
    over = {one.row.label: one.spent - (one.allotted or 0) for one in made.rows}
    (long,) = [one for one in findings(outline, made, limit, "full") if "too long" in one.words]
    by_number = [sum(len(post.text) for post in posts(outline.sections[0], limit, way)) for way in ("full", "number")]
    numbered = f"name comments by number alone to save {by_number[0] - by_number[1]:,}."
    excess = int(long.words.split("is ")[1].split()[0].replace(",", ""))
    assert excess < over["R1.1"] and long.detail == f"Shorten R1.1 by {excess:,}; {numbered}", "no more than needed"
    assert shortenings(outline, limit, "full").startswith(f"Shorten R1.1 by {over['R1.1']:,} to its share; ")
    many = make_outline([word * 400 for word in "vwxyz"], reviewers=1)
    assert shortenings(many, limit, "none", excess=700).endswith(" to their shares."), "these three aren't enough"
    assert not shortenings(many, limit, "none", excess=300).endswith("shares.")
    assert shortenings(many, limit, "none", excess=100).count(" by ") == 1, "the others may stay as they are"
    two = make_outline(["x" * 1300, "", "y" * 1100])
    for one in findings(two, matrix(two, {}, {}, limit, "none", revised=False), limit, "none"):
        assert "too long" not in one.words or ("R1.1" in one.detail and "R1.2" in one.detail), "posts of their own"
    tight = replace(limit, per_reply=300)
    long = next(one for one in findings(outline, made, tight, "full") if "too long" in one.words)
    assert long.detail.startswith("Name comments by number") and "Shorten" not in long.detail, (
        "the quotes take the room"
    )
    reply = "> You never say why.\n\nThank you for this. We say so now, in Section 2."
    ways = dict(savings(reply, "code points"))
    assert ways == {"> You never say why.": 22, "Thank you for this.": 19}, "with the blanks around a quote"
    assert savings("It is so. It is so because of the draws.", "words") == (("It is so because of the draws.", 7),)
    assert savings("It is so.", "words") == ()


def test_a_limit_in_pages_counts_laid_out_pages_and_no_estimate() -> None:
    limit = Limit("x", "X", total=100, pages=2)
    outline = make_outline(["x" * 300])
    made = matrix(outline, {}, {}, limit, "none", revised=False)

    def too_long(limit: Limit, pages: float | None) -> list[str]:
        return [one.words for one in findings(outline, made, limit, "none", pages=pages) if "too long" in one.words]

    assert too_long(limit, 2.0) == [], "full pages are allowed, whatever the estimate says"
    assert too_long(limit, 2.01) == ["The rebuttal is too long: it fills 2.01 pages, and 2 pages are allowed."]
    assert too_long(replace(limit, pages=1), 1.5)[0].endswith("1 page is allowed.")
    (estimated,) = too_long(limit, None)
    assert "pages" not in estimated, "before it is laid out the characters count"
    assert too_long(replace(limit, pages=None), 9.0) == [estimated]
    per_reply = replace(limit, total=None, per_reply=100)
    assert len(too_long(per_reply, 2.5)) == 2, "limits of single replies hold beside the pages"


def test_the_first_six_comments_are_named_and_the_rest_counted() -> None:
    (six,) = (one for one in found(*[""] * 6) if "no response" in one.words)
    (seven,) = (one for one in found(*[""] * 7) if "no response" in one.words)
    assert "more" not in six.detail and six.detail.count("R") == 6
    assert seven.detail.endswith(" and 1 more") and seven.detail.count("R") == 6


def test_every_warning_of_the_editor_is_repeated_before_export() -> None:
    outline = make_outline(["We added a section on it.", "The set $\\{a\\}$ is closed.", "We will add a table."])
    first = outline.sections[0]
    opening = replace(first.opening, text="See {section}, we did it.", generated=(Generated("we did it.", "x"),))
    outline = Outline((replace(first, opening=opening), *outline.sections[1:]))
    made = matrix(outline, {}, {}, FREE, "none", revised=True)
    words = [one.words for one in findings(outline, made, FREE, "none")]
    promises = "The response mentions or promises a change, but no edit is linked."
    assert [one for one in words if promises in one] == [f"R1.1: {promises}", f"R1.2: {promises}"]
    assert any(one.startswith("R2.1: ") and "the backslash" in one for one in words), "a formula"
    assert "Opening to Reviewer 1: open slots: {section}" in words
    assert "Opening to Reviewer 1: generated text hasn't been accepted yet" in words
    leads = {one.words: (one.comment_id, one.kind, one.reviewer) for one in findings(outline, made, FREE, "none")}
    assert leads["Opening to Reviewer 1: open slots: {section}"] == ("", "opening", "Reviewer 1")
    assert leads[next(one for one in words if one.startswith("R2.1: "))] == ("c1", "", ""), "a reply by its comment"


def test_many_replies_that_nobody_accepted_are_told_together() -> None:
    def made(many: int) -> tuple[Finding, ...]:
        outline = make_outline(["We did."] * many)
        sections = tuple(
            replace(
                section,
                rows=tuple(
                    replace(row, point=replace(row.point, generated=(Generated("We did.", "x"),)))
                    for row in section.rows
                ),
            )
            for section in outline
        )
        outline = Outline(sections)
        return findings(outline, matrix(outline, {}, {}, FREE, "short", revised=False), FREE, "short")

    assert len(made(2)) == 2 and len(made(3)) == 1
    (heard,) = made(5)
    assert heard.comment_id == "c0"
    assert heard.words.startswith("5 generated sentences in 5 responses")
    assert heard.detail == "R1.1, R1.2, R1.3, R2.1, R2.2"


def test_remarks_that_criticise_are_told() -> None:
    outline = make_outline(["We did."])
    remark = Comment("r", "s", "Reviewer 1", "The novelty is small.", actionable=False)
    made = matrix(outline, {}, {}, FREE, "short", revised=False)
    (heard,) = findings(outline, made, FREE, "short", remarks=[remark])
    assert heard.weight == "look" and heard.comment_id == "r" and "The novelty is small." in heard.detail
    assert heard.words.startswith("1 other comment may")
    (both,) = findings(outline, made, FREE, "short", remarks=[remark, replace(remark, id="q")])
    assert both.words.startswith("2 other comments may") and both.comment_id == "r"


def test_notes_in_openings_and_closings_stay_too() -> None:
    outline = make_outline(["We did.\n%% A"], opening="Thanks.\n%% B", closing="Best.\n%% C")
    (section,) = [section for section in without_notes(outline) if section.reviewer == "Reviewer 1"]
    assert [point.text for point in section.points] == ["Thanks.", "We did.", "Best."]


def test_a_response_that_comments_share_is_counted_and_reported_once() -> None:
    words = "We {change}; see Table 9. The reviewer fails to understand this."
    outline = make_outline([words, "", words], shared=(0, 2))
    checked = {key: check_claims(words, Places(ParsedDocument("", (), (), "", 0.0))) for key in ("c0", "c2")}
    made = matrix(outline, {}, checked, FREE, "short", revised=True)
    assert [one.verdict for one in made.claims] == [one.verdict for one in checked["c0"]] != []
    heard = [one.words for one in findings(outline, made, FREE, "short")]
    assert "R1.1, R1.2: 1 open slot: {change}." in heard
    for part in ("Table 9", "fails to understand"):
        assert sum(part in one for one in heard) == 1


def test_notes_to_co_authors_stay() -> None:
    text = "We did.\n\n%% Ben Example: which runs? {table} See Table 9.\n\nIt holds."
    assert said(text) == "We did.\n\nIt holds." and [text[s.start : s.end][:5] for s in notes_in(text)] == ["%% Be"]
    assert said("100 %% sure") == "100 %% sure"
    outline = make_outline([text])
    made = matrix(outline, {}, {}, preset("openreview-5000"), "none", revised=True)
    (line,) = made.rows
    assert line.spent == len("We did.\n\nIt holds.") and line.checked == "none" and line.answered == "attention"
    heard = findings(outline, made, FREE, "none", names=["Ben Example"])
    assert [one.words for one in heard] == ["R1.1: 1 note to co-authors stays here when you send it."]
    assert posts(outline.sections[0], FREE, "none")[0].text == "We did.\n\nIt holds."
    only = make_outline(["%% later"])
    assert matrix(only, {}, {}, FREE, "none", revised=False).unanswered
    with DocumentService() as service:
        for form in FORMS:
            for file in make(form, Leaving(outline, FREE, "none"), "x", service).files:
                text = letter_text(file.content, file.name, service).text
                assert "Ben" not in text and "It holds" in text
            assert "Ben" not in preview_text(form, Leaving(outline, FREE, "none"))


def test_tone_and_identity_are_reported_before_a_rebuttal_leaves() -> None:
    reply = "The reviewer fails to understand this. My PhD thesis shows it."
    wording = check_wording(reply, "author")
    assert wording.tone and wording.identity
    heard = [one for one in found(reply) if one.comment_id]
    for remark in (*wording.tone, *wording.identity):
        assert any(f"“{remark.words}”" in one.words and one.detail == remark.why for one in heard)


HIDDEN = "The accuracy of the river model on the second basin is 97.4 percent in all four summers."


@pytest.mark.parametrize(("colour", "size", "state"), [((0, 0, 0), 11, "supported"), ((1, 1, 1), 11, "not found"),
                                                       ((0, 0, 0), 0.5, "not found")])  # fmt: skip
def test_a_response_is_checked_against_what_the_pages_show(
    tmp_path: Path, colour: tuple[float, ...], size: float, state: str
) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for line in range(20):
            page.insert_text((72, 100 + 14 * line), f"We counted the birds of plot {line} in every summer again.")
        page.insert_text((72, 500), HIDDEN, color=colour, fontsize=size)
        content = pdf.tobytes()
    with Project.create(tmp_path / "one.rejoinder") as project:
        store = DocumentStore(project)
        key = store.add_document(content, "revised.pdf")
        with DocumentService() as service:
            store.save_packed(key, service.read(content))
            checker, reply = ClaimChecker(store, "", key), ToCheck("c", f"We now say: “{HIDDEN}”")
            (checked,) = checker.check([reply], [], service)["c"]
            paragraphs = checker.revised_paragraphs(service).values()
    assert checked.verdict == state
    assert any(HIDDEN in one.text for one in paragraphs) == (state == "supported")
