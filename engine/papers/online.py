"""Searches the catalogues for related work, only at the user's request and with connectors that are on.

Requests contain only the search words, which the user sees beforehand. Results are kept in the library, so that later
searches find them there. The same words aren't sent a second time.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from engine import user_files
from engine.errors import EnvironmentProblem
from engine.jobs import DuplicatePolicy, Report, task
from engine.papers.connectors import LookupSettings, PaperLookup
from engine.papers.store import LibraryStore

EACH = 10
"""Papers taken per search phrase."""
_REMEMBERED = 2000


@dataclass(frozen=True, slots=True)
class FoundOnline:
    """The result of a search: keys of the library papers found, how many are new, and phrases that
    weren't sent again."""

    paper_ids: tuple[str, ...]
    added: int
    known: tuple[str, ...] = ()


@task("papers.search_online", "Search the catalogues", DuplicatePolicy.REPLACE)
def search_online(
    report: Report, library: LibraryStore, settings: LookupSettings, phrases: tuple[str, ...]
) -> FoundOnline:
    """Searches the catalogues for the phrases the user saw, and keeps the results in the library. Raises
    EnvironmentProblem if no connector is on or none can be reached."""
    lookup = PaperLookup(settings)
    lookup.refuse_if_off()
    asked = AskedBefore(library.id, settings)
    before = {paper.id for paper in library.papers()}
    found: dict[str, None] = {}
    known = []
    for number, phrase in enumerate(phrases):
        report.progress(number / max(1, len(phrases)), f"Searching for “{phrase}”")
        remembered = asked.get(phrase)
        if remembered is not None and set(remembered) <= before | set(found):
            known.append(phrase)
            found.update(dict.fromkeys(remembered))
            continue
        papers = lookup.search(phrase, EACH, report)
        kept = library.add_all(papers, origin="import:online search") if papers else ()
        keys = tuple(paper.id for paper in kept)
        asked.remember(phrase, keys)
        found.update(dict.fromkeys(keys))
    return FoundOnline(tuple(found), len(set(found) - before), tuple(known))


class AskedBefore:
    """A small cache file: which phrases were searched for a library, and the papers they led to."""

    def __init__(self, library_id: str, settings: LookupSettings) -> None:
        self._path = user_files.cache_folder() / "online-searches.json"
        self._scope = f"{library_id}|{','.join(sorted(settings.on))}"

    def get(self, phrase: str) -> tuple[str, ...] | None:
        """Returns the papers that a phrase led to; None if it wasn't searched yet."""
        try:
            kept = user_files.read(self._path).get(self._key(phrase))
        except EnvironmentProblem:
            return None  # an unreadable cache counts as empty
        return tuple(str(key) for key in kept) if isinstance(kept, list) else None

    def remember(self, phrase: str, keys: Sequence[str]) -> None:
        """Stores the papers that a phrase led to."""
        try:
            content = user_files.read(self._path)
        except EnvironmentProblem:
            content = {}
        content.pop(self._key(phrase), None)
        content[self._key(phrase)] = list(keys)
        for old in list(content)[:-_REMEMBERED]:
            del content[old]
        user_files.write(self._path, content)

    def _key(self, phrase: str) -> str:
        # Hashed, so that words of a confidential paper are never stored as text.
        words = " ".join(phrase.casefold().split())
        return hashlib.sha256(f"{self._scope}|{words}".encode()).hexdigest()
