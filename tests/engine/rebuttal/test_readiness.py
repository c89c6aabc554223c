from __future__ import annotations

from engine.rebuttal.budget import budgets
from engine.rebuttal.matrix import matrix
from engine.rebuttal.readiness import Finding, findings
from engine.reviews.anonymity import metadata_identifying
from engine.reviews.limits import preset
from tests.engine.rebuttal.outlines import make_outline

FREE = preset("free")


def found(*replies: str, names: tuple[str, ...] = (), limit: str = "free") -> tuple[Finding, ...]:
    outline = make_outline(replies)
    made = matrix(outline, {}, {}, preset(limit), "short", revised=False)
    metadata = metadata_identifying([("author", "Ada Example"), ("creator", "LaTeX")], "revised.pdf")
    return findings(outline, made, preset(limit), "short", names=names, metadata=metadata)


def test_a_finished_rebuttal_has_nothing_to_mend() -> None:
    told = found("We did so.", "We ran it.")
    assert [one.weight for one in told] == ["look"], "only what the file says of its maker"
    assert "Ada Example" in told[0].words


def test_what_is_missing_stands_first_and_leads_to_its_point() -> None:
    told = found("We did so.", "", "")
    assert told[0].weight == "mend" and told[0].words == "2 comments have no reply"
    assert told[0].comment_id == "c2", "the first of them in the outline"
    assert "R1.2" in told[0].detail and "R2.1" in told[0].detail


def test_names_and_slots_are_told() -> None:
    told = found("Ben Example ran it.", "We report {number}.", names=("Ben Example",))
    words = [(one.weight, one.words) for one in told]
    assert ("mend", "R1.1: “Ben Example”") in words
    assert any(weight == "mend" and "open slot" in said for weight, said in words)


def test_links_of_one_owner_are_told_once() -> None:
    link = "https://github.com/someone"
    told = [one for one in found(f"See {link}/a and {link}/b.", f"See {link}/c.") if "github" in one.words]
    assert len(told) == 1 and told[0].words.startswith("3 links to github.com/someone")
    assert told[0].weight == "mend" and told[0].comment_id == "c0"
    other = "https://gitlab.com/other/x"
    assert len([one for one in found(f"See {link}/a.", f"See {other}.") if "git" in one.words]) == 2


def test_what_is_too_long_is_told_with_its_length() -> None:
    told = found("x" * 6000, "We did.", limit="openreview-5000")
    assert "too long" in told[0].words and told[0].weight == "mend"
    assert budgets(make_outline(["x"]), FREE, "short") == {}
