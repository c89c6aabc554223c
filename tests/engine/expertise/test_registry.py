"""The list of algorithms: whom each is of, what it can be told, and that it does as told."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.expertise.algorithms.registry import (
    ALGORITHMS,
    Entry,
    changed_options,
    complete_options,
    label,
    make_algorithm,
)
from tests.engine.expertise.word_embedder import WordEmbedder

HERE = [entry for entry in ALGORITHMS.values() if entry.needs != "folder"]


@pytest.mark.parametrize("entry", ALGORITHMS.values(), ids=lambda entry: entry.id)
def test_every_algorithm_is_cited_and_its_defaults_are_possible(entry: Entry) -> None:
    assert any(year.strip(";)").isdigit() for year in entry.citation.split()) or entry.id == "trivial"
    assert complete_options(entry.id, {}) == {option.name: option.default for option in entry.options}
    assert all(option.default in option.choices for option in entry.options)
    assert all(option.takes(choice) for option in entry.options for choice in option.choices)


@pytest.mark.parametrize("entry", HERE, ids=lambda entry: entry.id)
def test_what_an_algorithm_is_told_stands_in_what_it_says_of_itself(entry: Entry) -> None:
    plain = make_algorithm(entry.id, embedder=WordEmbedder())
    assert plain.info.id == entry.id
    assert changed_options(entry.id, dict(plain.info.parameters)) == ()
    for option in entry.options:
        other = next(choice for choice in option.choices if choice != option.default)
        heard = make_algorithm(entry.id, embedder=WordEmbedder(), options={option.name: other})
        assert changed_options(entry.id, dict(heard.info.parameters)) == ((option.name, other),)


def test_labels_name_what_was_changed() -> None:
    assert label("bm25") == "BM25" and label("of another program") == "of another program"
    assert label("bm25", (("k1", "0.9"), ("b", "1"))) == "BM25 (k1 0.9, b 1)"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k2": "1"}, "no parameter"),
        ({"k1": "much"}, "from 0 to 10"),
        ({"b": "1.5"}, "from 0 to 1"),
        ({"pooling": "none"}, "log-sum-exp"),
    ],
)
def test_what_cannot_be_told_is_said(options: dict[str, str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        make_algorithm("bm25", options=options)


def test_whole_numbers_stay_whole_and_fixed_algorithms_take_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Neighbours"):
        complete_options("fusion", {"neighbours": "2.5"})
    with pytest.raises(BadInput, match="has no parameters"):
        make_algorithm("tpms", folder=tmp_path, options={"stems": "no"})
