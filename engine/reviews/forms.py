"""Recognises the lines of review forms, and references to places in papers ("Page 3")."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from engine.reviews.cues import sentence_role
from engine.reviews.layout import Unit
from engine.reviews.stretches import LIST_MARK, stretches

LOCATOR = re.compile(
    r"\W*(?:(?:p(?:age|g|p)?|l(?:ine|n)?s?|sec(?:tion|t)?|fig(?:ure)?s?|tab(?:le)?|eq(?:uation|n)?|par(?:agraph|a)?|ch(?:apter)?|"
    r"abstract|introduction|methods?|results|discussion|conclusions?|theorem|lemma|algorithm|column|ll)s?[ .:,#]*"
    r"(?:[ivx\d]+(?:\.\d+)*[a-z]?[ ,;:.–-]*(?:and|to|of|&)?[ ]*)*)+\W*",
    re.IGNORECASE,
)


def field_key(line: str) -> str:
    """Returns a line without the value of its field."""
    name, colon, value = line.strip().partition(":")
    return name + colon if len(value.split()) <= 3 and not LOCATOR.fullmatch(name) else line.strip()


def form_lines(text: str) -> frozenset[str]:
    """Returns the lines that occur more than once in a review, which are those of its form. Empty if much of the text
    is repeated."""
    lines = [*map(field_key, text.splitlines())]
    counts = Counter(lines)
    found = {
        line
        for line, count in counts.items()
        if count > 1 and _FORM_LINE.match(line) and not (LIST_MARK.match(line) and not line[0].isdigit())
    }
    found.update(line for before, line in pairwise(lines) if line and counts[line] > 1 and before in found)
    return frozenset(found if sum(len(line) * counts[line] for line in found) < 0.4 * len(text) else ())


_FORM_LINE = re.compile(r"[^\w\[>]*[A-Z\d][^\[]*[^\W\d_]{3}")
_SPACE = re.compile(r"\s*")


def lines_of(text: str, unit: Unit, form: frozenset[str]) -> Iterator[Unit]:
    """Splits a paragraph of a review at line ends that the reviewer intended, and around the lines of its form."""
    first, more, _ = text[unit.start : unit.end].partition("\n")
    if unit.kind != "text" or not more or (unit.label and field_key(first) not in form):
        yield unit
        return
    cuts = []
    for before, after in pairwise(stretches(text[unit.start : unit.end])):
        line, said = (
            text[unit.start + after.start : unit.start + after.end],
            text[unit.start + before.start : unit.start + before.end],
        )
        lead = re.match(r"[^:]{1,40}(?=:)", line)
        title = len(said) <= 60 and sentence_role(said) == "connective"
        if (
            title
            or LIST_MARK.match(line)
            or (lead and LOCATOR.fullmatch(lead[0]))
            or said[-1:] == ":"
            or said[-1:] == line[-1:] == "?"
        ):
            cuts.append(unit.start + after.start)
    for found in re.finditer(r"[^\r\n]*\S[^\r\n]*", text[unit.start : unit.end]) if form else ():
        if field_key(found[0]) in form:
            cuts += [unit.start + found.start(), unit.start + found.end()]
    places = sorted({unit.start, unit.end, *(_SPACE.match(text, cut).end() for cut in cuts)})  # type: ignore[union-attr]
    for number, (start, stop) in enumerate(pairwise(places)):
        end = start + len(text[start:stop].rstrip())
        yield (
            replace(unit, start=start, end=end, outer=start, list_mark="", label=None)
            if number
            else replace(unit, end=end)
        )
