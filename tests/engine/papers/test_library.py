"""Which papers are the same: identifiers, titles, and what must not be joined."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.papers.library import Library, duplicates, merged, normal_arxiv, normal_doi, same_paper, title_key
from engine.papers.records import LibraryPaper
from engine.papers.store import LibraryStore
from engine.project import Project

LONG = "How readers find their way through a very long report"


def _paper(key: str = "", title: str = "", **more: object) -> LibraryPaper:
    return LibraryPaper(key, title, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1000/ABC.1", "10.1000/abc.1"),
        ("doi:10.1000/x.", "10.1000/x"),
        ("https://doi.org/10.1000/a(b)c", "10.1000/a(b)c"),
        ("(see https://dx.doi.org/10.1000/x)", "10.1000/x"),
        ("no doi 10.1/x", ""),
        ("", ""),
    ],
)
def test_dois(text: str, doi: str) -> None:
    assert normal_doi(text) == doi


@pytest.mark.parametrize(
    ("text", "arxiv"),
    [
        ("2001.01234v3", "2001.01234"),
        ("arXiv:0704.0001", "0704.0001"),
        ("https://arxiv.org/abs/2001.01234", "2001.01234"),
        ("http://arxiv.org/pdf/2001.01234v2.pdf", "2001.01234"),
        ("https://arxiv.org/pdf/hep-th/9901001v1", "hep-th/9901001"),
        ("arxiv.org/abs/math.GT/0309136?context=x", "math/0309136"),
        ("cs/0112017", "cs/0112017"),
        ("10.48550/arXiv.2001.01234", "2001.01234"),
        ("2001.012345678", ""),
        ("https://example.org/2001.01234", ""),
        ("", ""),
    ],
)
def test_arxiv_identifiers(text: str, arxiv: str) -> None:
    assert normal_arxiv(text) == arxiv


def test_titles_are_compared_by_their_letters() -> None:
    assert title_key("  The “Café”: α/β—Study. ") == "the cafe α β study"


@pytest.mark.parametrize(
    ("one", "other", "by"),
    [
        (_paper(doi="10.1/x"), _paper(doi="10.1/X"), "doi"),
        (_paper(arxiv_id="2001.01234"), _paper(arxiv_id="2001.01234", doi="10.1/y"), "arxiv"),
        (_paper(source_id="a" * 40), _paper(source_id="a" * 40), "source"),
        (_paper(source_id="smith2020"), _paper(source_id="smith2020"), None),
        (_paper(title=LONG), _paper(title=LONG.upper() + "!"), "title"),
        (_paper(title=LONG), _paper(title=LONG.replace("readers", "reader")), "similar title"),
        (_paper(title=LONG), _paper(title=LONG.replace("very long", "verylong")), "similar title"),
        (_paper(title=LONG), _paper(title=LONG.replace("report", "letter")), None),
        (_paper(title=LONG + " II"), _paper(title=LONG + " III"), None),
        (_paper(title=LONG + " 2019"), _paper(title=LONG + " 2020"), None),
        (_paper(title=LONG, authors=("A. One",)), _paper(title=LONG, authors=("B. Two",)), None),
        (_paper(title=LONG, authors=("Ann One", "C. D")), _paper(title=LONG, authors=("A One",)), "title"),
        (_paper(title="Editorial"), _paper(title="Editorial"), None),
        (_paper(title="Editorial", authors=("A. One",)), _paper(title="Editorial", authors=("A. One",)), "title"),
        (_paper(), _paper(), None),
    ],
)
def test_the_same_paper_or_not(one: LibraryPaper, other: LibraryPaper, by: str | None) -> None:
    assert same_paper(one, other) == same_paper(other, one) == by
    assert bool(duplicates([_with(one, "1"), _with(other, "2")])) == (by is not None)
    found = Library([_with(one, "1")]).find(other)
    assert (found.by if found else None) == by


def _with(paper: LibraryPaper, key: str) -> LibraryPaper:
    return replace(paper, id=key)


def test_what_is_the_same_is_carried_on() -> None:
    papers = [
        _paper("1", LONG, doi="10.1/x"), _paper("2", "Something else entirely, with a title"),
        _paper("3", LONG + " ", arxiv_id="2001.01234"), _paper("4", "", arxiv_id="2001.01234"),
    ]  # fmt: skip
    assert [[p.id for p in group] for group in duplicates(papers)] == [["1", "3", "4"]]


def test_merging_completes_and_overwrites_nothing() -> None:
    kept = _paper("1", "A title", year=2020)
    other = _paper("2", "Another", abstract="Says", year=2021, open_access=False, areas=("Reading",))
    both = merged(kept, other)
    assert (both.id, both.title, both.year, both.abstract, both.open_access, both.areas) == (
        "1", "A title", 2020, "Says", False, ("Reading",),
    )  # fmt: skip


def test_searching_as_one_types() -> None:
    index = Library(
        [_paper("1", LONG, authors=("Ada Example",)), _paper("2", "Bread and how to bake it"), _paper("3", "Bridges")]
    )
    assert [p.id for p in index.search("readers way through")] == ["1"]
    assert [p.id for p in index.search("example report")] == ["1"]
    assert index.search("  ") == () and len(index) == 3


_SMALL = st.builds(
    _paper,
    st.uuids().map(str),
    st.sampled_from(["", LONG, LONG + " II", "Bread and how to bake it", "Editorial"]),
    doi=st.sampled_from(["", "10.1000/x", "10.1000/y"]),
    arxiv_id=st.sampled_from(["", "2001.01234"]),
    authors=st.sampled_from([(), ("Ada Example",), ("Bea Other",)]),
)


@given(st.lists(_SMALL, max_size=8))
@settings(max_examples=80, deadline=None)
def test_groups_hold_all_pairs_and_each_paper_once(papers: list[LibraryPaper]) -> None:
    groups = duplicates(papers)
    place = {paper.id: number for number, group in enumerate(groups) for paper in group}
    assert len(place) == sum(map(len, groups))
    for one in papers:
        for other in papers:
            if one.id != other.id and same_paper(one, other):
                assert place[one.id] == place[other.id]


def test_the_index_of_a_project_follows_every_change(tmp_path: Path) -> None:
    """It is kept between two looks; undo, a failed step and other stores must not leave it behind."""
    with Project.create(tmp_path / "p.rejoinder") as project:
        store, other = LibraryStore(project), LibraryStore(project)
        first = store.add(_paper("", LONG))
        assert store.index() is store.index() and store.find(_paper("", LONG)) == first
        project.undo()
        assert store.find(_paper("", LONG)) is None
        project.redo()
        other.add(_paper("", "Another one, by another store"))
        assert [p.title for p in store.search("another store")] == ["Another one, by another store"]
        store.update(_paper(first.id, "A corrected title of the first"))
        assert store.find(_paper("", LONG)) is None
        with pytest.raises(RuntimeError), project.action("Outer"):
            store.add(_paper("", "A paper of a step that fails"))
            raise RuntimeError
        assert store.find(_paper("", "A paper of a step that fails")) is None
        assert len(store.index()) == len(store.papers()) == 2


def test_completing_adds_and_overwrites_nothing(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder") as project:
        store = LibraryStore(project)
        paper = store.add(_paper("", "", arxiv_id="2001.01234", year=2020))
        assert store.complete(_paper(paper.id, LONG, year=1999, abstract="Says."))
        assert (store.paper(paper.id).title, store.paper(paper.id).year) == (LONG, 2020)
        assert not store.complete(_paper(paper.id, "Other")) and not store.complete(_paper("gone", LONG))
        project.undo()
        assert store.paper(paper.id).title == ""


def test_papers_that_a_catalogue_tells_apart(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder") as project:
        store = LibraryStore(project)
        twins = [_paper("", LONG, source_id="a" * 40), _paper("", LONG, source_id="b" * 40)]
        assert len({p.id for p in store.add_all(twins, join="sources")}) == 2
        assert [len(group) for group in duplicates(store.papers())] == [2]
        assert len({p.id for p in store.add_all(twins)}) == 2, "each is found by its own id"
        assert store.add(_paper("", LONG)).id in {p.id for p in store.papers()}
        assert len(store.papers()) == 2
        apart = store.add_all([_paper("", LONG)], apart=[0])
        assert len(store.papers()) == 3 and apart[0].id
