"""Verbs that say how two values compare, in all their forms (``table_words.toml``)."""

from engine.resource_files import resource_table

VERBS: dict[str, str] = resource_table("table_words.toml")["verbs"]
"""Verbs by what they say about two values."""


def _inflected(kind: str) -> str:
    """Returns a pattern for the forms of verbs."""
    verbs = VERBS[kind].split()
    return "|".join(
        rf"{v[:-1]}(?:es?|ed|ing)" if v[-1] == "e" else rf"{v}(?:e?s|{v[-1]}?ed|en|{v[-1]}?ing)?" for v in verbs
    )


OVER, UNDER, RISE, FALL, IMPROVE = map(_inflected, ("over", "under", "rise", "fall", "improve"))
