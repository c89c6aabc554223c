"""Looks up papers at arXiv, Crossref, Semantic Scholar and OpenAlex, only with connectors that the user turned on.

Nothing else in the program looks up papers on the network. A request contains the identifier, title or search words
that the user entered or saw, the program's name, and a contact address if the user gave one; nothing from a review, a
rating or a project.
"""

import json
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import quote

from engine.errors import EnvironmentProblem
from engine.jobs import DuplicatePolicy, QuietReport, Report, task
from engine.papers.catalogues import atom_papers, csl_paper, openalex_paper, semantic_scholar_paper
from engine.papers.library import merged, titles_agree
from engine.papers.records import LibraryPaper

if TYPE_CHECKING:
    import httpx2

Connector = Literal["arxiv", "crossref", "semantic-scholar", "openalex"]
CONNECTORS: tuple[Connector, ...] = get_args(Connector)
TITLES: Mapping[Connector, str] = {
    "arxiv": "arXiv",
    "crossref": "Crossref",
    "semantic-scholar": "Semantic Scholar",
    "openalex": "OpenAlex",
}
ADDRESSES: Mapping[Connector, str] = {
    "arxiv": "https://export.arxiv.org/api",
    "crossref": "https://api.crossref.org",
    "semantic-scholar": "https://api.semanticscholar.org/graph/v1",
    "openalex": "https://api.openalex.org",
}
SPACING: Mapping[Connector, float] = {"arxiv": 3.0, "crossref": 0.2, "semantic-scholar": 1.0, "openalex": 0.2}
"""Seconds between two requests, as each service requests of clients."""

MOST_BYTES = 5_000_000
FIELDS = "title,abstract,year,venue,authors,externalIds,openAccessPdf,isOpenAccess,fieldsOfStudy"
OPENALEX_FIELDS = (
    "id,doi,display_name,publication_year,authorships,primary_location,open_access,abstract_inverted_index,ids,topics"
)
_POLL = 0.1


@dataclass(frozen=True, slots=True)
class LookupSettings:
    """What the user allows. ``on`` is empty by default; then no request is ever made. ``contact`` is an optional e-mail
    address for the catalogues. Addresses can be changed to a mirror."""

    on: frozenset[Connector] = frozenset()
    contact: str = ""
    addresses: Mapping[Connector, str] = field(default_factory=lambda: ADDRESSES)
    seconds: float = 15.0
    spacing: Mapping[Connector, float] = field(default_factory=lambda: SPACING)


class PaperLookup:
    """Lookup through the connectors that are on. Use it from one thread at a time."""

    def __init__(self, settings: LookupSettings) -> None:
        self._settings = settings
        self._last: dict[Connector, float] = {}

    def find(self, paper: LibraryPaper, report: Report = QuietReport()) -> LibraryPaper | None:
        """Returns ``paper`` completed with what the catalogues know, or None if none knows more.

        Identifiers are looked up first; otherwise a title, whose result counts only if the title, and the authors if
        both have them, agree. Existing values are never overwritten. Raises Cancelled, and EnvironmentProblem if no
        connector is on or none could be reached.
        """
        self.refuse_if_off()
        found, problems, asked = paper, list[EnvironmentProblem](), 0
        for connector in CONNECTORS:
            if connector not in self._settings.on or (found.title and found.abstract and found.authors):
                continue
            if not (found.arxiv_id if connector == "arxiv" else found.title or found.doi or _scholar_key(found)):
                continue  # nothing to look up there
            asked += 1
            try:
                more = self._ask(connector, found, report)
            except EnvironmentProblem as problem:
                problems.append(problem)
                continue
            if more is not None:
                found = merged(found, more)
        if problems and len(problems) == asked:
            raise problems[0]
        return found if found != paper else None

    def search(self, text: str, limit: int = 10, report: Report = QuietReport()) -> tuple[LibraryPaper, ...]:
        """Returns papers for search words, from the first connector that is on and answers, in its order. Raises like
        ``find``."""
        self.refuse_if_off()
        problem: EnvironmentProblem | None = None
        for connector in ("semantic-scholar", "openalex", "crossref", "arxiv"):
            if connector in self._settings.on:
                try:
                    return self._search(connector, text, limit, report)
                except EnvironmentProblem as error:
                    problem = problem or error
        assert problem is not None
        raise problem

    def refuse_if_off(self) -> None:
        if not self._settings.on:
            raise EnvironmentProblem(
                "Looking up papers is turned off.", "Nothing was looked up.", "Turn on a catalogue in Settings."
            )

    def _ask(self, connector: Connector, paper: LibraryPaper, report: Report) -> LibraryPaper | None:
        match connector:
            case "arxiv" if paper.arxiv_id:
                papers = atom_papers(self._get(connector, f"/query?id_list={quote(paper.arxiv_id)}", report) or "")
                return papers[0] if papers else None
            case "crossref" if paper.doi and not paper.doi.startswith("10.48550/"):
                answer = self._get(connector, f"/works/{quote(paper.doi, safe='')}", report)
                return None if answer is None else csl_paper(_object(connector, answer, "message"))
            case "semantic-scholar" if key := _scholar_key(paper):
                answer = self._get(connector, f"/paper/{quote(key, safe=':')}?fields={FIELDS}", report)
                return None if answer is None else semantic_scholar_paper(_object(connector, answer))
            case "openalex" if paper.doi:
                answer = self._get(
                    connector, f"/works/doi:{quote(paper.doi, safe='/')}?select={OPENALEX_FIELDS}", report
                )
                return None if answer is None else openalex_paper(_object(connector, answer))
        if not paper.title:
            return None
        candidates = self._search(connector, paper.title, 5, report)
        return next((candidate for candidate in candidates if titles_agree(paper, candidate)), None)

    def _search(self, connector: Connector, text: str, limit: int, report: Report) -> tuple[LibraryPaper, ...]:
        words = quote(" ".join(text.split())[:300])
        match connector:
            case "arxiv":
                answer = self._get(connector, f"/query?search_query=all:%22{words}%22&max_results={limit}", report)
                return atom_papers(answer) if answer else ()
            case "crossref":
                path = f"/works?query.bibliographic={words}&rows={limit}"
                found = map(csl_paper, self._works(connector, path, report, "message", "items"))
            case "semantic-scholar":
                path = f"/paper/search?query={words}&limit={limit}&fields={FIELDS}"
                found = map(semantic_scholar_paper, self._works(connector, path, report, "data"))
            case "openalex":
                path = f"/works?search={words}&per-page={limit}&select={OPENALEX_FIELDS}"
                found = map(openalex_paper, self._works(connector, path, report, "results"))
        return tuple(paper for paper in found if paper.title)

    def _works(self, connector: Connector, path: str, report: Report, *keys: str) -> list[dict[str, Any]]:
        """Returns the works listed under these keys of a response; none for "not found"."""
        answer = self._get(connector, path, report)
        if answer is None:
            return []
        *outer, last = keys
        items = _object(connector, answer, *outer).get(last)
        return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []

    def _get(self, connector: Connector, path: str, report: Report) -> str | None:
        """Returns the text of a response; None for "not found"."""
        self._wait_turn(connector, report)
        outcome: list[str | EnvironmentProblem | None] = []
        import httpx2

        # No proxy or settings from the environment: requests go directly to the catalogue.
        headers = {"User-Agent": self._agent()}
        with httpx2.Client(timeout=self._settings.seconds, headers=headers, trust_env=False) as client:

            def work() -> None:
                outcome.append(_fetch(client, connector, self._settings.addresses[connector].rstrip("/") + path))

            thread = threading.Thread(target=work, name="look-up", daemon=True)
            thread.start()
            while thread.is_alive():
                thread.join(_POLL)
                report.check()  # an exception closes the client and with it the connection
        self._last[connector] = time.monotonic()
        answer = outcome[0]
        if isinstance(answer, EnvironmentProblem):
            raise answer
        return answer

    def _wait_turn(self, connector: Connector, report: Report) -> None:
        report.check()
        if connector in self._last:
            due = self._last[connector] + self._settings.spacing.get(connector, 0.0)
            while (left := due - time.monotonic()) > 0:
                threading.Event().wait(min(left, _POLL))
                report.check()

    def _agent(self) -> str:
        try:
            version = metadata.version("rejoinder")
        except metadata.PackageNotFoundError:
            version = "0"
        return f"Rejoinder/{version}" + (f" (mailto:{self._settings.contact})" if self._settings.contact else "")


def _fetch(client: "httpx2.Client", connector: Connector, url: str) -> str | EnvironmentProblem | None:
    import httpx2

    name = TITLES[connector]
    try:
        with client.stream("GET", url) as response:
            if response.status_code == 404:
                return None
            if response.status_code == 429:
                return EnvironmentProblem(
                    f"{name} is limiting requests.", "Nothing was looked up there.", "Try again later."
                )
            if response.status_code != 200:
                return EnvironmentProblem(
                    f"{name} answered with {response.status_code}.", "Nothing was looked up there.", "Try again later."
                )
            content = bytearray()
            for piece in response.iter_bytes():
                content += piece
                if len(content) > MOST_BYTES:
                    return EnvironmentProblem(f"The answer from {name} was too large.", "Its answer was not used.")
            return content.decode("utf-8", "replace")
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, RuntimeError) as error:
        # RuntimeError: the client was closed during the request, because the user cancelled.
        return EnvironmentProblem(
            f"{name} couldn't be reached ({type(error).__name__}).",
            "Nothing was looked up there.",
            "Enter title and abstract manually, or try again later.",
        )


def _object(connector: Connector, answer: str, key: str = "") -> dict[str, Any]:
    try:
        document = json.loads(answer)
        value = document[key] if key else document
    except (ValueError, KeyError, TypeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise EnvironmentProblem(
            f"The answer from {TITLES[connector]} can't be read.", "Nothing was looked up there.", "Try again later."
        )
    return value


def _scholar_key(paper: LibraryPaper) -> str:
    if len(paper.source_id) == 40:
        return paper.source_id
    if paper.arxiv_id:
        return f"ARXIV:{paper.arxiv_id}"
    return f"DOI:{paper.doi}" if paper.doi else ""


@task(
    "papers.look_up",
    lambda paper, **_: f"Look up {_name(paper)}",
    DuplicatePolicy.DISCARD,
    lambda paper, **_: f"paper:{_name(paper)}",
)
def look_up(report: Report, paper: LibraryPaper, lookup: PaperLookup) -> LibraryPaper | None:
    """Looks a paper up; the result isn't added to the library."""
    return lookup.find(paper, report)


def _name(paper: LibraryPaper) -> str:
    return paper.title or paper.arxiv_id or paper.doi or paper.link


def settings_of(on: Collection[str], contact: str = "") -> LookupSettings:
    """Returns settings from stored names, ignoring names that aren't connectors."""
    return replace(LookupSettings(contact=contact.strip()), on=frozenset(c for c in CONNECTORS if c in on))
