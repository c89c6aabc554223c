"""``rejoinder inspect`` and ``rejoinder review check``: what they print and how they exit."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pymupdf
import pytest
from click.testing import CliRunner

from engine.cli.main import rejoinder
from engine.documents.places import Places
from engine.documents.service import DocumentService
from engine.models.library import ModelLibrary
from engine.models.server_address import Server
from tests.engine.documents.attacks import attacked
from tests.engine.documents.honest import clean
from tests.engine.documents.more_attacks import bomb
from tests.engine.models.scripted_server import Script, scripted_server
from tests.engine.review_drafting.papers import placed_paper
from tests.engine.review_drafting.planted import Planted, planted

SAMPLE = Path(__file__).resolve().parents[3] / "resources" / "sample"


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(rejoinder, [str(a) for a in arguments])
    return done.exit_code, done.stdout, done.stderr


def test_inspect_prints_what_is_hidden(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    made = attacked("white", 0)
    path.write_bytes(made.pdf)
    code, out, _ = run("inspect", path, "--json")
    found = json.loads(out)
    assert code == 1
    assert {"hidden_text", "injection", "encrypted", "pages"} <= set(found)
    (hidden,) = found["hidden_text"]
    assert hidden["text"] == made.message and len(hidden["box"]) == 4 and hidden["page"] >= 1 and hidden["why"]
    assert found["injection"] and not found["encrypted"]
    assert "colour" in run("inspect", path)[1]


def test_inspect_of_a_clean_paper_ends_well(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(clean("dark figure", 0))
    code, out, _ = run("inspect", path)
    assert (code, out) == (0, "Nothing hidden in 1 page.\n")


def test_inspect_says_when_a_password_bars_it(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    with pymupdf.open() as made:
        made.new_page()
        path.write_bytes(made.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="a", owner_pw="b"))
    code, out, err = run("inspect", path, "--json")
    found = json.loads(out)
    assert code == 1 and found["encrypted"] is True and "password" in err
    assert found["complete"] is False and [one["page"] for one in found["unexamined"]] == [0]


def test_inspect_of_what_it_cannot_examine_is_no_all_clear(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pdf"
    path.write_bytes(bomb())
    code, out, _ = run("inspect", path, "--json")
    found = json.loads(out)
    assert (code, found["complete"], found["hidden_text"]) == (1, False, [])
    assert {one["page"] for one in found["unexamined"]} >= {1} and "MB" in found["unexamined"][0]["why"]
    text = run("inspect", path)[1]
    assert "Not examined, page 1" in text and "Nothing hidden" not in text


def test_check_marks_each_sentence(tmp_path: Path) -> None:
    review = tmp_path / "review.md"
    review.write_text("## Weaknesses\n\n- Table 77 shows no gain.\n- The novelty is limited.\n", encoding="utf-8")
    code, out, _ = run("review", "check", review, "--paper", SAMPLE / "submitted.pdf", "--json")
    found = json.loads(out)
    assert code == 1
    assert {"summary", "strengths", "weaknesses", "questions", "anchors", "unsupported"} <= set(found)
    assert found["weaknesses"] == ["Table 77 shows no gain.", "The novelty is limited."]
    (anchor,) = [a for a in found["anchors"] if a["kind"] == "table"]
    assert (anchor["ref"], anchor["state"], anchor["verified"], anchor["page"]) == (
        "Table 77",
        "not-found",
        False,
        None,
    )
    assert [c["claim"] for c in found["unsupported"]] == ["Table 77 shows no gain."]
    assert [c["claim"] for c in found["claims"] if c["no_reason"]] == ["The novelty is limited."]
    text = run("review", "check", review, "--paper", SAMPLE / "submitted.pdf")[1]
    assert "lack a reason" in text.split("The novelty is limited.")[1]
    assert "? Table 77" in text and "1 not found" in text


@pytest.mark.loopback
def test_check_shows_what_a_model_says_of_undecided_sentences_beside_their_states(tmp_path: Path) -> None:
    review = tmp_path / "review.md"
    review.write_text("## Weaknesses\n\n- Section 2 leaves the choice of factors to a guess.\n", encoding="utf-8")
    ask = ("review", "check", review, "--paper", SAMPLE / "submitted.pdf")
    said = {"judgement": "says otherwise", "reason": "It says how they are chosen."}
    answers = [json.dumps(said)]
    with scripted_server(Script(lambda _text: answers[-1])) as server:
        ModelLibrary().add_server(Server(server.url), "scripted", "m", 32_768)
        alone, out, _ = run(*ask, "--json")
        asked, judged, _ = run(*ask, "--model", "m", "--json")
        text = run(*ask, "--model", "m")[1]
        answers.append("Who knows?")
        review.write_text("## Weaknesses\n\n- Section 2 leaves the choice of counters to chance.\n", encoding="utf-8")
        silent, _, problem = run(*ask, "--model", "m")
    before, after = json.loads(out), json.loads(judged)
    assert (alone, asked, silent) == (0, 0, 1) and "The model couldn't judge some sentences" in problem
    assert before["states"] == after["states"] and after["claims"][0]["state"] == "place-found"
    assert after["claims"][0]["model"] == said | {"model": "m"} and "model" not in before["claims"][0]
    assert "judgement by m: The paper says otherwise. It says how they are chosen." in text


def test_check_lists_tone_and_identity(tmp_path: Path) -> None:
    review = tmp_path / "review.md"
    review.write_text("## Weaknesses\n\n- This is a stupid draft.\n- See my PhD thesis.\n", encoding="utf-8")
    found = json.loads(run("review", "check", review, "--paper", SAMPLE / "submitted.pdf", "--json")[1])
    assert [one["words"] for one in found["tone"]] == ["stupid"]
    assert [one["words"] for one in found["identity"]] == ["my PhD thesis"] and found["identity"][0]["why"]
    text = run("review", "check", review, "--paper", SAMPLE / "submitted.pdf")[1]
    assert "look: “stupid”" in text and "look: “my PhD thesis”" in text


@pytest.mark.parametrize("way", ["white", "tiny"])
def test_a_quotation_of_hidden_text_does_not_hold(tmp_path: Path, way: str) -> None:
    made = attacked(way, 1)
    paper, review = tmp_path / "paper.pdf", tmp_path / "review.md"
    paper.write_bytes(made.pdf)
    review.write_text(f"The authors write “{made.message.rstrip('.')}”.\n", encoding="utf-8")
    code, out, err = run("review", "check", review, "--paper", paper, "--json")
    assert code == 1 and len(json.loads(out)["unsupported"]) == 1
    assert "hidden text" in err


def _planted_review(paper: Path, seed: int, each: int) -> list[Planted]:
    with DocumentService() as service:
        places = Places(service.parse(paper))
    return list(planted(places, random.Random(seed), each))


def _checked(tmp_path: Path, paper: Path, cases: list[Planted]) -> tuple[float, list[str]]:
    """The share of false sentences that the command calls contradicted or not found, and the true ones among them."""
    review = tmp_path / "review.md"
    review.write_text("\n\n".join(case.text.replace("\n", " ") for case in cases) + "\n", encoding="utf-8")
    code, out, _ = run("review", "check", review, "--paper", paper, "--json")
    assert code == 1
    red = {" ".join(claim["claim"].split()) for claim in json.loads(out)["unsupported"]}

    def called(case: Planted) -> bool:
        text = " ".join(case.text.split()).removeprefix("- ")
        return any(text in claim or claim in text for claim in red)

    false = [case for case in cases if not case.true]
    return sum(map(called, false)) / len(false), [case.text for case in cases if case.true and called(case)]


def test_a_review_with_planted_errors_is_checked_whole(tmp_path: Path) -> None:
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(placed_paper(5, columns=2))
    caught, alarms = _checked(tmp_path, paper, _planted_review(paper, 5, 4))
    assert caught >= 0.95 and alarms == []


@pytest.mark.data
def test_reviews_of_real_papers_with_planted_errors_are_checked_whole(tmp_path: Path, data_folder: Path) -> None:
    papers = sorted(data_folder.glob("revisions/*/revised.pdf"))
    assert len(papers) == 3
    for number, paper in enumerate(papers):
        caught, alarms = _checked(tmp_path, paper, _planted_review(paper, 90 + number, 8))
        assert caught >= 0.95 and alarms == [], (paper.parent.name, caught, alarms)
