"""How a review mentions a paper that the Literature Searcher found."""

import re

from engine.review_drafting.records import RelatedWork

_SHARED = re.compile(r"Both (?:mention|speak of) (.+?)\.(?= |$)")
"""Matches the relation written by the Literature Searcher, including the earlier wording in stored projects."""


def named(work: RelatedWork) -> str:
    """Returns title, authors and year, as far as known."""
    family = work.authors[0].split()[-1] if work.authors else ""
    who = f"{family} et al." if len(work.authors) > 2 else " and ".join(name.split()[-1] for name in work.authors)
    details = ", ".join(part for part in (who, str(work.year or "")) if part)
    return f"“{work.title}”" + (f" ({details})" if details else "")


def shared_phrases(work: RelatedWork) -> list[str]:
    """Returns the phrases that both papers mention, in quotation marks."""
    found = _SHARED.match(work.relation)
    return re.findall(r"“[^”]+”", found[1]) if found else []


def mention(work: RelatedWork) -> str:
    """Returns one question to the authors that names the work and what it shares with theirs, without further
    claims."""
    shared = " and ".join(phrase.strip("“”") for phrase in shared_phrases(work))
    also = f"also speaks of {shared} and " if shared else ""
    if work.cited:
        return f"How does the work differ from {named(work)}, which {also}is in the reference list?"
    return f"How does the work relate to {named(work)}, which {also}doesn't seem to be in the reference list?"
