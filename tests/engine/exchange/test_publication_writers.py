"""The library as BibTeX, RIS and CSL-JSON: it comes back, and what does not is said."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.exchange.publications import Style, read_publications_text, write_publications
from engine.papers.records import LibraryPaper

SIGNS = "ab Z-'`?!,<>\\{}$%&#_~^\"@=;:é\u2028\n\t中🚲"
LINE = st.text(st.sampled_from(SIGNS) | st.characters(categories=["L", "N", "P", "S"]), max_size=30).map(
    lambda text: " ".join(text.split())
)
WORD = st.text(st.characters(categories=["L"], exclude_characters="ºª"), min_size=1, max_size=8)
NAMES = st.one_of(
    st.builds("{} {}".format, WORD, WORD), WORD, st.builds("{} {}, Jr.".format, WORD, WORD),
    st.sampled_from(["Ludwig van Beethoven", "Jean-Luc O’Neil", "The ALPHA and BETA Group", "A & B_1", "others"]),
)  # fmt: skip
PAPERS = st.builds(
    LibraryPaper, id=st.just(""), title=LINE.filter(lambda text: any(ch.isalpha() for ch in text)), abstract=LINE,
    year=st.just(0) | st.integers(1000, 9999), venue=LINE, authors=st.lists(NAMES, max_size=3).map(tuple),
    doi=st.sampled_from(["", "10.1000/x_y(1)", "10.1234/a-b.c_d"]),
    arxiv_id=st.sampled_from(["", "2001.01234", "hep-th/9901001"]),
    source_id=st.sampled_from(["", "one", "Two:2020", "a key", "ünï"]),
    link=st.sampled_from(["", "https://example.org/a_b?c=%20d&e={f}#g~h"]),
)  # fmt: skip


def back(papers: list[LibraryPaper], style: Style) -> tuple[LibraryPaper, ...]:
    export = write_publications(papers, style, "library")
    read = read_publications_text(export.files[0].content.decode(), "library")
    assert read.warnings == ()
    return read.papers


def expected(paper: LibraryPaper, style: Style) -> LibraryPaper:
    link = paper.link.replace("{", "%7B").replace("}", "%7D") if style == "bibtex" else paper.link
    venue = "" if style == "ris" and paper.venue == paper.title else paper.venue
    names = tuple(name for name in paper.authors if style != "bibtex" or name != "others")  # "and others" in BibTeX
    if style == "csl":  # rich text: what looks like a tag of HTML
        tags = re.compile(r"</?[a-zA-Z][\w:-]*(?: [^<>]*)?/?>")
        plain = {name: " ".join(tags.sub("", getattr(paper, name)).split()) for name in ("title", "abstract")}
        paper = replace(paper, **plain)
        venue = " ".join(tags.sub("", venue).split())
    return replace(paper, link=link, venue=venue, authors=names, source_id="")


@pytest.mark.parametrize("style", ["bibtex", "ris", "csl"])
@given(papers=st.lists(PAPERS, min_size=1, max_size=4))
@example(papers=[LibraryPaper("", "A -- ``b'' ?` {c} \\d $x$ 50% {", authors=("A {B} C",), venue="--")])
@settings(deadline=None, max_examples=60)
def test_a_library_comes_back(style: Style, papers: list[LibraryPaper]) -> None:
    found = back(papers, style)
    assert [replace(paper, source_id="") for paper in found] == [expected(paper, style) for paper in papers]
    keys = [paper.source_id for paper in found]
    assert len({key.lower() for key in keys}) == len(keys) and all(keys), "keys are unique"
    first = {key: number for number, key in reversed([*enumerate(paper.source_id for paper in papers)])}
    for key in ("one", "Two:2020"):
        assert key not in first or keys[first[key]] == key, "a key that fits stays"


def test_what_is_left_out_is_said() -> None:
    paper = LibraryPaper("", "T", open_access=True, text_sha256="ab", areas=("Law",))
    loss = " ".join(write_publications([paper], "ris", "x").loss)
    for words in ("1 full text is", "1 paper has areas", "1 paper has an open-access status"):
        assert words in loss
    assert not write_publications([LibraryPaper("", "T")], "csl", "x").loss


def test_kinds_and_names_are_what_other_programs_expect() -> None:
    paper = LibraryPaper(
        "", "T", venue="Proceedings of X", authors=("Ludwig van Beethoven", "Ada King, Jr."), year=1999
    )
    text = {
        style: write_publications([paper], style, "x").files[0].content.decode() for style in ("bibtex", "ris", "csl")
    }
    assert text["bibtex"].startswith("@inproceedings{") and "booktitle = {Proceedings of X}" in text["bibtex"]
    assert "TY  - CPAPER" in text["ris"] and "AU  - van Beethoven, Ludwig\nAU  - King, Ada, Jr." in text["ris"]
    assert '"family": "van Beethoven", "given": "Ludwig"' in text["csl"] and '"paper-conference"' in text["csl"]
