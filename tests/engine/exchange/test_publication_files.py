"""Publications from BibTeX, RIS, CSL-JSON, Semantic Scholar and tables: read as people write them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.bibtex import authors_of, decoded, looks_like_bibtex, read_bibtex
from engine.exchange.publications import (
    read_csl,
    read_publications,
    read_publications_text,
    read_ris,
    read_semantic_scholar,
    released_paper,
)

BIBTEX = r"""
@string{jrt = "Journal of {R}eading"}
@comment{nothing here}
@article{Mueller2020:x,
  title = {{\"U}ber {B}ayes: Caf\'e \& $\alpha$-divergences --- a {\emph{study}}},
  author = {M{\"u}ller, J{\"o}rg and {The ALPHA and BETA Collaboration} and \'{A}lvarez, Jos{\'e} and
            O'Neil, Se{\'a}n and {\O}rsted, H. C. and others},
  journal = jrt # " B", year = 2020, month = jan,
  doi = {10.1000/x\_y}, url={https://arxiv.org/abs/2001.01234}, eprint={2001.01234v2}, archivePrefix={arXiv},
  abstract = {We show 50% more ~ ok. "quoted" and \textit{x} {\ss} \c{c} \v{s} \aa},
}
@inproceedings(parens, title="Quoted {Title}" # " joined", author="A. Writer", year="2019")
@article{broken, title={no close
@article{after, title={After}, year={2001}}
@article{after, title={The key again}, year={2001}}
@misc{untitled, year=1999}
@article{scholar, title={As a search engine has it}, journal={arXiv preprint arXiv:1706.03762},
  author={de la Cruz, Jr., Juan}}
"""


def test_bibtex_as_people_have_it() -> None:
    found = read_bibtex(BIBTEX, "mine.bib")
    first, parens, after, again, scholar = found.papers
    assert first.title == "Über Bayes: Café & α-divergences — a study"
    assert first.authors == (
        "Jörg Müller", "The ALPHA and BETA Collaboration", "José Álvarez", "Seán O'Neil", "H. C. Ørsted",
    )  # fmt: skip
    assert (first.venue, first.year, first.doi, first.arxiv_id) == (
        "Journal of Reading B", 2020, "10.1000/x_y", "2001.01234",
    )  # fmt: skip
    assert first.abstract == 'We show 50% more ok. "quoted" and x ß ç š å'
    assert (parens.title, parens.authors) == ("Quoted Title joined", ("A. Writer",))
    assert (after.title, again.title) == ("After", "The key again")
    assert (scholar.arxiv_id, scholar.authors) == ("1706.03762", ("Juan de la Cruz, Jr.",))
    assert [re.search(r"line (\d+)", warning)[1] for warning in found.warnings] == ["13", "15", "16"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"G{\"o}del, {\L}ukasz, \v{S}\'{\i}", "Gödel, Łukasz, Ší"),
        (r"$O(n^2)$ for \'etale maps", "O(n^2) for étale maps"),
        (r"A 100\% \textbf{bold} ``claim''", "A 100% bold “claim”"),
        ("plain", "plain"),
        (r"{\broken", ""),
    ],
)
def test_latex_becomes_letters(latex: str, text: str) -> None:
    assert decoded(latex) == text


def test_names_are_split_where_bibtex_splits_them() -> None:
    assert authors_of("{Barnes and Noble} and Doe, Jane AND  Li Wei") == ("Barnes and Noble", "Jane Doe", "Li Wei")


def test_what_looks_like_bibtex() -> None:
    assert looks_like_bibtex(" \n@article{x, title={y}}") and not looks_like_bibtex("me@example.org {x}")
    assert not looks_like_bibtex("@comment{x}")


@pytest.mark.parametrize("kind", ["bib", "ris", "json", "csv"])
def test_a_doi_in_the_address_alone_is_the_same_from_every_format(kind: str) -> None:
    link = "https://example.org/doi/full/10.1080/016.2013?token=abc"
    text = {
        "bib": f"@article{{k, title={{One}}, url={{{link}}}}}",
        "ris": f"TY  - JOUR\nTI  - One\nUR  - {link}\nER  - \n",
        "json": f'[{{"type": "book", "title": "One", "URL": "{link}"}}]',
        "csv": f"title,link\nOne,{link}\n",
    }[kind]
    (paper,) = read_publications_text(text, f"x.{kind}").papers
    assert (paper.doi, paper.link) == ("10.1080/016.2013", link)


def test_an_address_over_two_lines_is_one() -> None:
    (paper,) = read_publications_text(
        "@misc{k, title={One}, url={http://a.org/1;\n    http://b.org/2}}", "x.bib"
    ).papers
    assert paper.link == "http://a.org/1; http://b.org/2"


def test_ris_with_what_databases_put_before_records() -> None:
    text = "Provider: Somebody\n\n1.\nTY  - JOUR\nT1  - One\nER  - \n\n2.\nTY  - JOUR\nT1  - Two\nER  - \n"
    assert [paper.title for paper in read_publications_text(text, "x.ris").papers] == ["One", "Two"]


def test_ris_as_libraries_write_it() -> None:
    text = (
        "TY  - JOUR\r\nAU  - Müller, Jörg\r\nAU  - Davis, Sammy, Jr.\r\nTI  - A title that\r\n goes on\r\n"
        "T2  - Journal of Reading\r\nPY  - 2019/05//\r\nDO  - https://doi.org/10.1000/ABC\r\nAB  - What it says.\r\n"
        "UR  - https://arxiv.org/abs/hep-th/9901001v2\r\nER  - \r\n\r\nTY  - CONF\r\nAU  - Nobody, A.\r\nER  -\r\n"
    )
    found = read_ris(text, "x.ris")
    (paper,) = found.papers
    assert paper.authors == ("Jörg Müller", "Sammy Davis, Jr.")
    assert (paper.title, paper.venue, paper.year) == ("A title that goes on", "Journal of Reading", 2019)
    assert (paper.doi, paper.arxiv_id) == ("10.1000/abc", "hep-th/9901001")
    assert len(found.warnings) == 1 and "line 13" in found.warnings[0]


def test_csl_json_of_processors_and_of_crossref() -> None:
    items = [
        {
            "id": "x", "type": "article-journal", "title": "About <i>reading</i>", "container-title": ["J. of Reading"],
            "author": [
                {"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van"}, {"literal": "A Group"},
            ],
            "issued": {"date-parts": [[2018, 5]]}, "DOI": "10.1000/X", "abstract": "<jats:p>It is <b>so</b>.</jats:p>",
        },
        {"id": "y", "type": "article", "issued": {"raw": "2001"}, "title": ["In a list"], "number": "arXiv:2001.01234"},
        {"type": "article"},
    ]  # fmt: skip
    found = read_csl(json.dumps(items), "x.json")
    first, second = found.papers
    assert (first.title, first.abstract, first.venue) == ("About reading", "It is so.", "J. of Reading")
    assert first.authors == ("Ludwig van Beethoven", "A Group") and first.year == 2018
    assert (second.title, second.arxiv_id) == ("In a list", "2001.01234")
    assert len(found.warnings) == 1
    with pytest.raises(BadInput, match="isn't CSL-JSON"):
        read_csl("[]", "x.json")


def test_semantic_scholar_of_the_api_and_of_the_released_data() -> None:
    author = {
        "authorId": "17",
        "name": "Ada Example",
        "papers": [
            {"paperId": "a" * 40, "title": "One", "externalIds": {"ArXiv": "2001.01234", "DOI": "10.1000/X"},
             "authors": [{"authorId": "17", "name": "Ada Example"}], "year": 2020, "isOpenAccess": True,
             "openAccessPdf": {"url": "https://example.org/x.pdf"}, "fieldsOfStudy": ["Computer Science"]},
            {"paperId": "b" * 40},
            "nonsense",
        ],
    }  # fmt: skip
    found = read_semantic_scholar(json.dumps(author), "a.json")
    one, bare = found.papers
    assert (found.author, found.author_id, one.doi, one.arxiv_id) == ("Ada Example", "17", "10.1000/x", "2001.01234")
    assert (one.open_access, one.areas, one.link) == (True, ("Computer Science",), "https://example.org/x.pdf")
    assert bare.source_id == "b" * 40 and len(found.warnings) == 2
    again = read_semantic_scholar(json.dumps([released_paper(one)]), "p.json").papers
    assert again == (one,)


def test_tables_in_several_hands() -> None:
    text = (
        "Title;Authors;Year;DOI\n"
        '\'=A formula;Doe, Jane; 2011 ;10.1000/x\n"Two, with comma";Jane Doe and A. Writer;(2012);\n;nobody;;\n'
    )
    found = read_publications_text(text, "x.csv")
    first, second = found.papers
    assert (first.title, first.authors, first.year, first.doi) == ("=A formula", ("Jane Doe",), 2011, "10.1000/x")
    assert (second.authors, second.year) == (("Jane Doe", "A. Writer"), 2012)
    assert found.warnings == ("x.csv, row 4: the title is missing.",)
    with pytest.raises(BadInput, match="no publications"):
        read_publications_text("a,b\n1,2\n", "x.csv")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.txt", BIBTEX),
        ("x.nbib", "TY  - JOUR\nTI  - After\nER  -\n"),
        ("x.json", '[{"type": "book", "title": "After"}]'),
        ("y.json", '{"name": "A", "papers": [{"paperId": "p", "title": "After"}]}'),
        ("x.csv", "\ufefftitle,year\nAfter,2001\n"),
    ],
)
def test_the_kind_of_a_file_is_told_from_what_is_in_it(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert "After" in [paper.title for paper in read_publications(tmp_path / name).papers]


@pytest.mark.parametrize("text", ['{"x": 1}', "[1, 2]", '"words"', "{broken", "", "\0"])
def test_what_holds_no_publications_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput):
        read_publications(tmp_path / "x.json")


@given(st.text(max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    for opening in ("", "@article{x, title=", "TY  - JOUR\n", "[{", "title,authors\n"):
        try:
            found = read_publications_text(opening + text, "x")
        except BadInput:
            continue
        assert all(paper.title or paper.source_id for paper in found.papers)
