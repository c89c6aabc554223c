"""The captions of tables: how they start, and the numbers they give."""

import re
from dataclasses import dataclass

from engine.documents.records import Box, Paragraph

CAPTION = re.compile(
    r"^(?P<part>(?:supplementary|supplemental|supporting|extended data|appendix)\s+)?"
    r"(?P<kind>Tab(?:leau|le|l?a|ell?[ae]?|\.)|Figure|Fig\.?|Algorithm|Scheme|Listing)\s*"
    r"(?P<number>(?:SI\s?|[A-Z]\.?)?\d+(?:\.\d+)*|[IVXL]+\b|(?-i:[A-Z])\d*\b)\s*[.:|–—-]?",
    re.IGNORECASE,
)
STOPPED = re.compile(CAPTION.pattern.removesuffix("?"), re.IGNORECASE)
INSIDE = re.compile(r"\btab(?:leau|le|l?a|ell?[ae]?|\.)\s*[\dA-Z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Caption:
    number: str
    text: str
    paragraph: Paragraph
    box: Box
    inside: bool = False
    """Whether it was parsed as cells of its table, because it is beside them."""


def label_of_table(text: str) -> re.Match[str] | None:
    found = CAPTION.match(text)
    return found if found and found["kind"].lower().startswith("tab") else None


def number_in_label(label: re.Match[str]) -> str:
    """Returns the number of a table, with "S" for one of a supplement, which would be that of another table."""
    number = label["number"].rstrip(".")
    return f"S{number}" if (label["part"] or "a")[0] in "sSeE" and number[0] not in "sS" else number
