"""The generator of statements about passages: deterministic, and each rule keeps or changes what it says it does."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from engine.documents.records import Box, Paragraph, ParsedDocument
from tests.benchmarks.paraphrases import CORRUPTIONS, names_in, reworded, usable
from tests.benchmarks.passage_statements import FALSE_KINDS, passage_statements, read_paper, statements

LIGHTHOUSE = {
    "1 Introduction": [
        "We propose a lantern controller called Fresno to reduce the power that a lighthouse requires at night.",
        "Because storms are frequent on the northern coast, the lantern often runs for sixteen hours unattended.",
        "Many keepers still use the older Argand burner, which needs fresh oil, and they compare it with Fresno.",
        "For every harbour in the survey, we measured the brightness of the beam before midnight.",
        "The Fresno controller is more reliable than the Argand burner in heavy fog.",
    ],
    "2.1 Beam model": [
        "In calm weather, the rotating lens spreads the light over 340 degrees of the horizon.",
        "The maximum range depends on the height of the tower and the clarity of the air.",
        "We computed the range for twelve towers using the Allard equation and the measured height.",
        "The calibrated photometer determines the exposure time of every recording at the Bodie station.",
        "Although the Bodie station is small, its lantern provides the highest intensity of all towers.",
    ],
}
BAKERY = {
    "1 Introduction": [
        "Sourdough bakers describe fermentation schedules that produce an open crumb and a blistered crust.",
        "The starter culture contains lactobacilli that acidify wholemeal flour faster than commercial yeast.",
        "We evaluated four flour blends using a texture analyser and a panel of nine trained tasters.",
        "Longer proofing increases the volume of rye loaves, although the crumb becomes softer afterwards.",
        "When the hydration exceeds eighty percent, the dough spreads sideways and the loaf remains flat.",
    ]
}


def folder_of(root: Path, name: str, sections: dict[str, list[str]]) -> Path:
    folder = root / name
    folder.mkdir()
    (folder / "paper.pdf").write_bytes(b"%PDF-")
    records = [
        {"type": "paragraph", "section": heading.split(" ", 1)[1], "text": " ".join(sentences)}
        for heading, sentences in sections.items()
    ]
    (folder / "paragraphs.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return folder


def read(pdf: Path) -> ParsedDocument:
    """A document with one paragraph for each section, its number and page from its place."""
    sections = LIGHTHOUSE if pdf.parent.name == "lighthouse" else BAKERY
    paragraphs = []
    for at, (heading, sentences) in enumerate(sections.items()):
        text = " ".join(sentences)
        box = Box(at + 1, 0, 0, 1, 1)
        paragraphs.append(Paragraph(f"p{at}", at, f"0 Title > {heading}", "body", text, text, (), at + 1, (box,)))
    return ParsedDocument("", (), tuple(paragraphs), "invented", 0.0)


@pytest.fixture
def styles(tmp_path: Path) -> Path:
    folder_of(tmp_path, "lighthouse", LIGHTHOUSE)
    folder_of(tmp_path, "bakery", BAKERY)
    return tmp_path


def test_statements_are_deterministic_and_name_their_place(styles: Path) -> None:
    first, again, other = (list(statements(styles, seed, 12, read)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    for statement in first:
        number = statement.section.split(" ")[0]
        assert f"Section {number}" in statement.text
        assert statement.page == int(statement.paragraph_id[1]) + 1
        assert statement.source != statement.text


def test_half_are_false_and_of_every_kind_the_text_gives(styles: Path) -> None:
    made = [s for seed in range(6) for s in statements(styles, seed, 10, read)]
    assert Counter(s.true for s in made)[False] >= 25
    assert {s.kind for s in made if not s.true} <= set(FALSE_KINDS)
    assert {"other paper", "number", "negated", "comparative"} <= {s.kind for s in made}
    assert not {s.kind for s in made if s.true} & set(FALSE_KINDS)


def test_sentences_come_from_the_right_paper(styles: Path) -> None:
    texts = {
        name: " ".join(sentence for part in sections.values() for sentence in part)
        for name, sections in (("lighthouse", LIGHTHOUSE), ("bakery", BAKERY))
    }
    for seed in range(8):
        for statement in statements(styles, seed, 12, read):
            if statement.kind == "invented":
                assert statement.source == ""
            else:
                assert (statement.source in texts[statement.paper]) is (statement.kind != "other paper")


def test_a_sentence_in_another_section_than_the_source_has_it_is_left_out(tmp_path: Path) -> None:
    moved = {"1 Introduction": LIGHTHOUSE["2.1 Beam model"], "2.1 Beam model": LIGHTHOUSE["1 Introduction"]}
    assert not read_paper(folder_of(tmp_path, "lighthouse", moved), read).passages


def test_no_sentence_is_used_twice(styles: Path) -> None:
    papers = [read_paper(styles / name, read) for name in ("lighthouse", "bakery")]
    made = list(passage_statements(papers, 5, 40))
    sources = [s.source for s in made if s.source]
    assert len(sources) == len(set(sources))
    assert 8 <= len(made) < 40


@pytest.mark.parametrize(
    ("sentence", "said", "kind"),
    [
        (
            "If the lamp fails, the keeper of the tower lights a second flame.",
            "the keeper of the tower lights a second flame if the lamp fails",
            "reordered",
        ),
        (
            "We use a polished mirror to send the light of the lamp to the ships.",
            "a polished mirror is .* by the authors to send the light of the lamp to the ships",
            "voice",
        ),
        (
            "The brightness of the beam was measured with a photometer on the pier.",
            "the authors measured the brightness of the beam with a photometer on the pier",
            "voice",
        ),
        (
            "The tower on the northern cliff has a lamp with a polished mirror (see plan), and we clean it at dawn.",
            "the tower on the northern cliff has a lamp with a polished mirror",
            "shortened",
        ),
    ],
)
def test_rewording_by_structure(sentence: str, said: str, kind: str) -> None:
    found = [one for seed in range(20) if (one := reworded(sentence, random.Random(seed))) is not None]
    assert any(how == kind and re.fullmatch(said, text) for text, how in found)


def test_rewording_replaces_words_and_the_first_person() -> None:
    sentence = "However, we propose a novel method for our lamp because many towers are difficult to reach."
    said = {reworded(sentence, random.Random(seed)) for seed in range(30)}
    texts = " | ".join(text for text, _ in filter(None, said))
    assert "the authors" in texts
    assert "their lamp" in texts
    assert "suggest" in texts
    assert "hard to reach" in texts
    assert " we " not in texts
    assert "However" not in texts


@pytest.mark.parametrize(
    ("kind", "sentence", "changed"),
    [
        ("number", "the lens has 340 panes", {f"the lens has {n} panes" for n in (102, 170, 238, 510, 680, 1020)}),
        ("number", "as Figure 3 shows the lens rotates", set()),
        ("number", "the lens has more than 30 panes", set()),
        ("number", "the lens has 30 or more panes", set()),
        ("comparative", "the range is higher at night", {"the range is lower at night"}),
        ("comparative", "the beam is higher or lower at night", set()),
        ("swapped", "heat flows from the well to the tank", {"heat flows from the tank to the well"}),
        ("swapped", "the range varying from low tide to high tide is large", set()),
        ("swapped", "the tower determines the range", {"the range determines the tower"}),
        ("negated", "the lamp is visible at sea", {"the lamp is not visible at sea"}),
        ("negated", "the lamp is not visible at sea", {"the lamp is visible at sea"}),
        ("negated", "the authors used the lamp at sea", {"the authors did not use the lamp at sea"}),
        ("negated", "None of the towers have a lamp", set()),
        ("name", "the beam of Bodie is strong", {"the beam of Nauset is strong"}),
        ("name", "the beam of Fresno is strong", set()),
    ],
)  # fmt: skip
def test_corruptions(kind: str, sentence: str, changed: set[str]) -> None:
    found = {CORRUPTIONS[kind](sentence, sentence, ("Bodie", "Nauset"), random.Random(n)) for n in range(40)}
    assert found <= {*changed, None}
    assert not changed or found & changed


def test_usable_sentences_stand_alone() -> None:
    assert usable("The rotating lens spreads the light over the horizon in calm weather.")
    assert not usable("This lens spreads the light over the horizon in calm weather at night.")
    assert not usable("The rotating lens [3] spreads the light over the horizon in calm weather.")
    assert not usable("The lens rotates.")
    assert not usable("Does the rotating lens spread the light over the horizon in calm weather?")


def test_names_are_words_that_the_paper_never_writes_in_lower_case() -> None:
    texts = ["We visit Bodie and the Light at Bodie.", "Then Bodie again, by the light of the Light."]
    assert names_in(texts) == ("Bodie",)
