"""RIS, as reference managers and digital libraries write it: papers in.

One tag a line, two letters, two blanks, a dash, a blank; a record ends with ``ER``. See the RIS Format Specifications
of Research Information Systems (2011).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.exchange.records import Publications
from engine.papers.library import normal_arxiv, normal_doi
from engine.papers.records import LibraryPaper

_TAG = re.compile(r"^\s*([A-Z][A-Z0-9])\s{1,2}-\s?(.*)$")
_TITLES, _AUTHORS, _VENUES = ("TI", "T1", "CT", "BT"), ("AU", "A1"), ("T2", "JO", "JF", "JA", "J2", "BT", "PB")
_YEARS, _ABSTRACTS, _LINKS = ("PY", "Y1", "DA"), ("AB", "N2"), ("UR", "L1", "L2")


def looks_like_ris(text: str) -> bool:
    """Whether a text begins like a RIS file."""
    return bool(re.match(r"\s*TY\s{1,2}-", text.lstrip("\ufeff")))


def read_ris(text: str, name: str = "RIS") -> Publications:
    """The papers of a RIS file in its order; records without a title are left out with a warning."""
    papers, warnings = [], []
    for line, fields in _records(text):
        paper = _paper(fields)
        if paper.title:
            papers.append(paper)
        else:
            warnings.append(f"{name}, line {line}: the record has no title.")
    return Publications(tuple(papers), tuple(warnings))


def _records(text: str) -> Iterator[tuple[int, Mapping[str, Sequence[str]]]]:
    fields: dict[str, list[str]] = defaultdict(list)
    begun, last = 0, ""
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        found = _TAG.match(line)
        if found is None:
            if last and line.strip():  # a long value goes on in the next line
                fields[last][-1] += " " + line.strip()
            continue
        tag, value = found[1], found[2].strip()
        if tag == "TY" and fields:
            yield begun, fields
            fields = defaultdict(list)
        if tag == "TY":
            begun = number
        if tag == "ER":
            if fields:
                yield begun, fields
            fields, last = defaultdict(list), ""
            continue
        fields[tag].append(value)
        last = tag
    if fields:
        yield begun, fields


def _first(fields: Mapping[str, Sequence[str]], tags: Iterable[str]) -> str:
    return next((" ".join(value.split()) for tag in tags for value in fields.get(tag, ()) if value), "")


def _paper(fields: Mapping[str, Sequence[str]]) -> LibraryPaper:
    title = _first(fields, _TITLES)
    numbers = (_first(fields, _LINKS), *fields.get("AN", ()), *fields.get("M1", ()))
    year = re.search(r"\d{4}", _first(fields, _YEARS))
    link = _first(fields, _LINKS)
    return LibraryPaper(
        id="",
        title=title,
        abstract=_first(fields, _ABSTRACTS),
        year=int(year[0]) if year else 0,
        venue=next((v for tag in _VENUES if (v := _first(fields, (tag,))) and v != title), ""),
        authors=tuple(_turned(name) for tag in _AUTHORS for name in fields.get(tag, ()) if name.strip()),
        doi=normal_doi(_first(fields, ("DO",))) or normal_doi(link),
        arxiv_id=next((found for value in numbers if (found := normal_arxiv(value))), ""),
        source_id=_first(fields, ("ID",)),
        link=link,
    )  # fmt: skip


def _turned(name: str) -> str:
    parts = [part.strip() for part in name.split(",") if part.strip()]
    if len(parts) == 2:
        return f"{parts[1]} {parts[0]}"
    return f"{parts[1]} {parts[0]}, {parts[2]}" if len(parts) == 3 else " ".join(name.split())
