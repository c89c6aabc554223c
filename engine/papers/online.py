"""Searching the catalogues for related work: only when a person asks for it, and only at connectors that are on.

What leaves the machine are the search words, which the person sees before; what comes back is kept in the library, so
that every later search finds it without asking again. Words that were asked before are not asked a second time.
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
"""Papers taken for each of the search words."""
_REMEMBERED = 2000


@dataclass(frozen=True, slots=True)
class FoundOnline:
    """What came of it: keys of library papers that were found, how many are new, and which words were not asked."""

    paper_ids: tuple[str, ...]
    added: int
    known: tuple[str, ...] = ()


@task("papers.search_online", "Search the catalogues", DuplicatePolicy.REPLACE)
def search_online(
    report: Report, library: LibraryStore, settings: LookupSettings, phrases: tuple[str, ...]
) -> FoundOnline:
    """Asks the catalogues for search words, as the person saw them, and keeps what they know in the library.

    Raises EnvironmentProblem while no connector is on, or where none can be reached.
    """
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
    """Which words were asked for a library, and which of its papers came of it; a small file among the caches."""

    def __init__(self, library_id: str, settings: LookupSettings) -> None:
        self._path = user_files.cache_folder() / "online-searches.json"
        self._scope = f"{library_id}|{','.join(sorted(settings.on))}"

    def get(self, phrase: str) -> tuple[str, ...] | None:
        """The keys that words led to; None where they were not asked."""
        try:
            kept = user_files.read(self._path).get(self._key(phrase))
        except EnvironmentProblem:
            return None  # a cache that cannot be read is one that knows nothing
        return tuple(str(key) for key in kept) if isinstance(kept, list) else None

    def remember(self, phrase: str, keys: Sequence[str]) -> None:
        """Keeps what words led to."""
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
        # The words of a confidential paper stand nowhere in the clear.
        words = " ".join(phrase.casefold().split())
        return hashlib.sha256(f"{self._scope}|{words}".encode()).hexdigest()
