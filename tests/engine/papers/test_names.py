"""Names of one person in several spellings, and of several persons."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.exchange.expertise_data import read_gold_standard
from engine.papers.names import parse_name, same_person


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jörg Müller", "Joerg Mueller"),
        ("Jörg Müller", "Muller, J."),
        ("José Álvarez", "Jose Alvarez"),
        ("Ada B. Example", "A. Example"),
        ("Ada B. Example", "Example AB"),
        ("Ada Bea Example", "Example, A. B."),
        ("Ludwig van Beethoven", "Beethoven, Ludwig"),
        ("Juan de la Cruz", "J. Cruz"),
        ("Wei Li", "Li Wei"),
        ("Łukasz Nowak", "Lukasz Nowak"),
        ("Jean-Luc Martin", "J.-L. Martin"),
        ("Jean-Luc Martin", "Jean Luc Martin"),
        ("Seán O'Neil", "Sean ONeil"),
        ("Sammy Davis, Jr.", "Sammy Davis"),
        ("Xiao-Ming Wang", "Xiaoming Wang"),
        ("Søren Ørsted", "Soren Orsted"),
        ("ÅSA ÖBERG", "Åsa Öberg"),
        ("Prof. Dr. Ada Example", "Ada Example, PhD"),
    ],
)
def test_one_person(one: str, other: str) -> None:
    assert same_person(one, other) and same_person(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada Example", "Bea Example"),
        ("Ada B. Example", "Ada C. Example"),
        ("Ada Example", "Ada Exampler"),
        ("Example", "Ada Example"),
        ("", "Ada Example"),
        ("Ada Example", "Ada"),
        ("A. Li", "L. A"),
        ("Wei Zhang", "Wei Li"),
        ("12 34", "12 34"),
    ],
)
def test_not_the_same(one: str, other: str) -> None:
    assert not same_person(one, other) and not same_person(other, one)


def test_names_come_apart() -> None:
    assert parse_name("van der Berg, Anna M.").family == "berg"
    assert parse_name("Anna van der Berg").given == ("anna",)
    assert parse_name("Müller JW").given == ("j", "w")


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_texts_can_be_compared_either_way_round(one: str, other: str) -> None:
    assert same_person(one, other) == same_person(other, one)


@pytest.mark.data
def test_real_authors_know_their_papers(data_folder: Path) -> None:
    """Nearly all publications of a profile carry the person's name; hardly any paper that was rated does."""
    gold = read_gold_standard(data_folder / "expertise")
    own = [
        any(same_person(person.name, author) for author in paper.authors)
        for person in gold.participants
        for key in person.papers
        if (paper := gold.papers.get(key)) is not None and paper.authors
    ]
    names = {person.id: person.name for person in gold.participants}
    rated = [
        any(same_person(names[rating.participant], author) for author in gold.papers[rating.paper].authors)
        for rating in gold.ratings
    ]
    assert sum(own) / len(own) > 0.99 and sum(rated) / len(rated) < 0.01
