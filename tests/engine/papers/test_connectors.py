"""Looking papers up: off by default, asked politely when on, and its troubles told in sentences."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.jobs import QuietReport
from engine.papers.catalogues import atom_papers, openalex_paper
from engine.papers.connectors import LookupSettings, PaperLookup, look_up, settings_of
from engine.papers.records import LibraryPaper
from tests.engine.papers.catalogue_server import Answer, Catalogue

TITLE = "How readers find their way through a very long report"
ATOM = f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
 <entry>
  <id>http://arxiv.org/abs/2001.01234v2</id><published>2020-01-03T00:00:00Z</published>
  <title>{TITLE.replace(" find", chr(10) + "  find")}</title><summary> They
  turn back. </summary>
  <author><name>Ada Example</name></author><author><name>Bea Other</name></author>
  <arxiv:doi>10.1000/X</arxiv:doi><arxiv:journal_ref>Journal of Reading 1</arxiv:journal_ref>
 </entry>
</feed>"""
CROSSREF = {
    "DOI": "10.1000/x", "title": [TITLE], "container-title": ["Journal of Reading"],
    "abstract": "<jats:p>Says.</jats:p>",
    "author": [{"given": "Ada", "family": "Example"}], "issued": {"date-parts": [[2020]]},
}  # fmt: skip
SCHOLAR = {"paperId": "a" * 40, "title": TITLE, "abstract": "Says.", "externalIds": {"ArXiv": "2001.01234"}}
OPENALEX = {
    "id": "https://openalex.org/W123", "doi": "https://doi.org/10.1000/X", "display_name": TITLE,
    "publication_year": 2020, "authorships": [{"author": {"display_name": "Ada Example"}}, {"author": None}],
    "primary_location": {"source": {"display_name": "Journal of Reading"}, "landing_page_url": "https://arxiv.org/abs/2001.01234"},
    "open_access": {"is_oa": True, "oa_url": "https://example.org/x.pdf"},
    "abstract_inverted_index": {"turn": [1], "They": [0], "back.": [2, "x"], "far": [10**9]},
    "topics": [{"display_name": "Reading"}, {"display_name": "Reading"}],
}  # fmt: skip


@pytest.fixture
def catalogue() -> Iterator[Callable[[Answer], Catalogue]]:
    made: list[Catalogue] = []

    def make(answer: Answer) -> Catalogue:
        made.append(Catalogue(answer))
        return made[-1]

    yield make
    for one in made:
        one.close()


def _answers(path: str) -> tuple[int, bytes]:
    if path.startswith("/query"):
        return 200, ATOM.encode()
    if path.startswith("/works/doi:"):
        return 200, json.dumps(OPENALEX).encode()
    if path.startswith("/works?search="):
        return 200, json.dumps({"results": [OPENALEX, {"display_name": None}, 3]}).encode()
    if path.startswith("/works/"):
        return 200, json.dumps({"message": CROSSREF}).encode()
    if path.startswith("/works?"):
        return 200, json.dumps({"message": {"items": [{"title": ["Something else"]}, CROSSREF]}}).encode()
    if path.startswith("/paper/search"):
        return 200, json.dumps({"data": [SCHOLAR]}).encode()
    return 200, json.dumps(SCHOLAR).encode()


def test_nothing_is_asked_unless_a_connector_is_on() -> None:
    """The fixture no_network would fail this test for any socket."""
    for lookup in (PaperLookup(LookupSettings()), PaperLookup(settings_of([])), PaperLookup(settings_of(["unknown"]))):
        with pytest.raises(EnvironmentProblem, match="turned off"):
            lookup.find(LibraryPaper("", TITLE, doi="10.1000/x"))
        with pytest.raises(EnvironmentProblem, match="turned off"):
            lookup.search("reading")


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("paper", "first"),
    [
        (LibraryPaper("", "", arxiv_id="2001.01234"), "/query?id_list=2001.01234"),
        (LibraryPaper("", "", doi="10.1000/x"), "/works/10.1000%2Fx"),
        (LibraryPaper("", "", source_id="a" * 40), "/paper/" + "a" * 40),
        (LibraryPaper("", TITLE), "/works?query.bibliographic=How%20readers"),
    ],
)
def test_papers_are_found_by_what_is_known(
    catalogue: Callable[[Answer], Catalogue], paper: LibraryPaper, first: str
) -> None:
    served = catalogue(_answers)
    found = PaperLookup(served.settings(contact="me@example.org")).find(paper)
    assert found is not None and found.title == TITLE and found.abstract
    assert served.paths[0].startswith(first)
    assert served.agents[0].startswith("Rejoinder/") and "mailto:me@example.org" in served.agents[0]


@pytest.mark.loopback
def test_what_is_known_stays_and_one_answer_is_enough(catalogue: Callable[[Answer], Catalogue]) -> None:
    served = catalogue(_answers)
    mine = LibraryPaper("key", "My own spelling", year=1999, arxiv_id="2001.01234")
    found = PaperLookup(served.settings()).find(mine)
    assert found is not None
    assert (found.id, found.title, found.year) == ("key", "My own spelling", 1999)
    assert (found.abstract, found.authors) == ("They turn back.", ("Ada Example", "Bea Other"))
    assert (found.doi, found.venue) == ("10.1000/x", "Journal of Reading 1")
    assert len(served.paths) == 1


@pytest.mark.loopback
def test_a_title_must_agree(catalogue: Callable[[Answer], Catalogue]) -> None:
    served = catalogue(_answers)
    lookup = PaperLookup(served.settings())
    assert lookup.find(LibraryPaper("", "A title that no catalogue has ever heard of")) is None
    assert [p.title for p in lookup.search("long report")] == [TITLE]


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("status", "content", "words"),
    [
        (429, b"", "is limiting requests"),
        (500, b"", "answered with 500"),
        (302, b"", "answered with 302"),
        (200, b"<html>", "can't be read"),
        (200, b'{"message": 3}', "can't be read"),
        (200, b"x" * 5_000_001, "too large"),
    ],
)
def test_trouble_is_told_in_a_sentence(
    catalogue: Callable[[Answer], Catalogue], status: int, content: bytes, words: str
) -> None:
    served = catalogue(lambda _: (status, content))
    with pytest.raises(EnvironmentProblem, match=words):
        PaperLookup(served.settings("crossref")).find(LibraryPaper("", "", doi="10.1000/x"))


@pytest.mark.loopback
def test_one_catalogue_in_trouble_leaves_the_others(catalogue: Callable[[Answer], Catalogue]) -> None:
    served = catalogue(lambda path: (503, b"") if path.startswith("/works") else _answers(path))
    found = PaperLookup(served.settings()).find(LibraryPaper("", "", doi="10.1000/x"))
    assert found is not None and found.title == TITLE
    nowhere = catalogue(lambda _: (404, b""))
    assert PaperLookup(nowhere.settings()).find(LibraryPaper("", "", doi="10.1000/x")) is None


@pytest.mark.loopback
def test_a_server_that_is_not_there(catalogue: Callable[[Answer], Catalogue]) -> None:
    served = catalogue(_answers)
    served.close()
    with pytest.raises(EnvironmentProblem, match="couldn't be reached"):
        PaperLookup(served.settings()).find(LibraryPaper("", "", doi="10.1000/x"))


class _CancelledSoon(QuietReport):
    """Cancelled once the request has arrived."""

    def __init__(self, arrived: threading.Event) -> None:
        self._arrived = arrived

    def check(self) -> None:
        if self._arrived.is_set():
            raise Cancelled


@pytest.mark.loopback
def test_cancel_does_not_wait_for_the_answer(catalogue: Callable[[Answer], Catalogue]) -> None:
    arrived, free = threading.Event(), threading.Event()

    def slow(_: str) -> tuple[int, bytes]:
        arrived.set()
        free.wait(10)
        return 200, b"{}"

    served = catalogue(slow)
    task = look_up(LibraryPaper("", "", doi="10.1000/x"), PaperLookup(served.settings("crossref")))
    with pytest.raises(Cancelled):
        task.run(_CancelledSoon(arrived))
    assert not free.is_set()
    free.set()


@pytest.mark.loopback
def test_requests_keep_their_distance(catalogue: Callable[[Answer], Catalogue]) -> None:
    served = catalogue(_answers)
    lookup = PaperLookup(replace(served.settings("arxiv"), spacing={"arxiv": 0.15}))
    import time

    started = time.monotonic()
    for _ in range(2):
        lookup.find(LibraryPaper("", "", arxiv_id="2001.01234"))
    assert time.monotonic() - started >= 0.15


def test_what_arxiv_answers() -> None:
    (paper,) = atom_papers(ATOM)
    assert (paper.title, paper.year, paper.arxiv_id, paper.open_access) == (TITLE, 2020, "2001.01234", True)
    error = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>http://arxiv.org/api/errors#x</id></entry></feed>"
    assert atom_papers(error) == ()
    with pytest.raises(BadInput, match="arXiv"):
        atom_papers("no xml")


@pytest.mark.loopback
@pytest.mark.parametrize("paper", [LibraryPaper("", "", doi="10.1000/x"), LibraryPaper("", TITLE)])
def test_openalex_in_its_own_words(catalogue: Callable[[Answer], Catalogue], paper: LibraryPaper) -> None:
    served = catalogue(_answers)
    found = PaperLookup(served.settings("openalex")).find(paper)
    assert found == LibraryPaper(
        "", TITLE, "They turn back.", 2020, "Journal of Reading", ("Ada Example",), "10.1000/x", "2001.01234", "W123",
        "https://example.org/x.pdf", True, areas=("Reading",),
    )  # fmt: skip
    assert len(served.paths) == 1


@pytest.mark.parametrize("item", [{}, {"abstract_inverted_index": [1]}, {"authorships": {}, "primary_location": 3}])
def test_openalex_works_of_any_shape(item: dict[str, object]) -> None:
    assert openalex_paper(item).title == ""
