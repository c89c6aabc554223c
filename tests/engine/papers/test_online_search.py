"""Searching the catalogues: off by default, kept in the library, words asked once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import user_files
from engine.errors import EnvironmentProblem
from engine.jobs import QuietReport
from engine.papers.connectors import LookupSettings
from engine.papers.online import FoundOnline, search_online
from engine.papers.records import LibraryPaper
from engine.papers.store import LibraryStore
from engine.project import Project
from tests.engine.papers.catalogue_server import Catalogue


@pytest.fixture
def library(tmp_path: Path) -> Iterator[LibraryStore]:
    with Project.create(tmp_path / "library.rejoinder", annotator="Rita") as project:
        yield LibraryStore(project)


@pytest.fixture
def served() -> Iterator[Catalogue]:
    works = [
        {"id": f"https://openalex.org/W{n}", "display_name": f"A long title about letters, number {n}"} for n in (1, 2)
    ]
    server = Catalogue(lambda _: (200, json.dumps({"results": works}).encode()))
    yield server
    server.close()


def search(library: LibraryStore, settings: LookupSettings, *phrases: str) -> FoundOnline:
    return search_online(library, settings, phrases).run(QuietReport())


def test_nothing_is_asked_while_no_connector_is_on(library: LibraryStore) -> None:
    with pytest.raises(EnvironmentProblem, match="turned off"):
        search(library, LookupSettings(), "review letters")
    assert library.papers() == ()


@pytest.mark.loopback
def test_what_is_found_is_kept_and_not_asked_again(library: LibraryStore, served: Catalogue) -> None:
    library.add(LibraryPaper("", "A long title about letters, number 2", year=2001))
    settings = served.settings("openalex")
    found = search(library, settings, "review letters")
    assert (len(found.paper_ids), found.added, found.known) == (2, 1, ())
    assert [(p.title[-1], p.year, p.source_id) for p in library.papers()] == [("2", 2001, "W2"), ("1", 0, "W1")]
    assert served.paths[0].startswith("/works?search=review%20letters&per-page=10")
    again = search(library, settings, "Review  letters")
    assert (again.paper_ids, again.added, again.known) == (found.paper_ids, 0, ("Review  letters",))
    assert len(served.paths) == 1, "the library knew"
    kept = (user_files.cache_folder() / "online-searches.json").read_text()
    assert "letters" not in kept, "search words of a confidential paper are not kept in the clear"
