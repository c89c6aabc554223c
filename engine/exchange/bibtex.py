"""Reads papers from BibTeX. LaTeX accents and symbols become Unicode; unreadable entries are reported by line."""

import logging
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from engine.exchange.records import Publications
from engine.papers.entry import doi_in_link
from engine.papers.library import normal_arxiv, normal_doi
from engine.papers.records import LibraryPaper

_VENUES = ("journal", "journaltitle", "booktitle", "publisher", "school", "institution", "howpublished")
_ENTRY = re.compile(r"@\s*[A-Za-z]+\s*[{(]")
_NO_PAPERS = frozenset({"comment", "preamble", "string"})


def looks_like_bibtex(text: str) -> bool:
    return any(found[0].strip("@{( \t").lower() not in _NO_PAPERS for found in _ENTRY.finditer(text))


def read_bibtex(text: str, name: str = "BibTeX") -> Publications:
    """Returns the papers of a BibTeX file in its order, with the entry's key as source id.

    Truncated entries and duplicate keys are reported in warnings; entries with a duplicate key are still read. Entries
    without a title are skipped with a warning.
    """
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry

    # The library logs failed blocks to the terminal, which the warnings already report.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    library = parse_string(text.replace("\r\n", "\n"), parse_stack=[])
    strings = {key.lower(): string.value for key, string in library.strings_dict.items()}
    found: list[tuple[int, Entry]] = [(entry.start_line or 0, entry) for entry in library.entries]
    warnings = []
    for block in library.failed_blocks:
        line = (block.start_line or 0) + 1
        if isinstance(block, DuplicateBlockKeyBlock) and isinstance(block.ignore_error_block, Entry):
            found.append((block.start_line or 0, block.ignore_error_block))
            warnings.append(
                f"{name}, line {line}: the key {block.ignore_error_block.key} appears twice; both entries were read."
            )
        else:
            warnings.append(f"{name}, line {line}: an entry couldn't be read and was left out.")
    papers = []
    for line, entry in sorted(found, key=lambda pair: pair[0]):
        fields = {field.key.lower(): _value(str(field.value), strings) for field in entry.fields}
        paper = _paper(entry.key, fields)
        if paper.title:
            papers.append(paper)
        else:
            warnings.append(f"{name}, line {line + 1}: the entry {entry.key or 'without key'} has no title.")
    return Publications(tuple(papers), tuple(warnings))


def _value(raw: str, strings: Mapping[str, str], depth: int = 0) -> str:
    """Resolves a field's value: removes braces or quotation marks, inserts strings, joins parts at #."""
    parts = []
    for part in _split(raw, "#", quotes=True):
        if len(part) > 1 and part[0] + part[-1] in {"{}", '""'}:
            parts.append(part[1:-1])
        elif part.lower() in strings and depth < 8:
            parts.append(_value(strings[part.lower()], strings, depth + 1))
        else:
            parts.append(part)
    return "".join(parts)


def _split(value: str, divider: str, *, quotes: bool = False) -> list[str]:
    """Splits at matches of the pattern ``divider`` outside braces, and outside quotation marks if ``quotes``."""
    parts, depth, quoted, start = [], 0, False, 0
    for found in re.finditer(rf'[{{}}"]|{divider}', value, re.IGNORECASE):
        if found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
        elif found[0] == '"':
            quoted ^= quotes and depth == 0
        elif depth == 0 and not quoted:
            parts.append(value[start : found.start()].strip())
            start = found.end()
    return [*parts, value[start:].strip()]


def _paper(key: str, fields: Mapping[str, str]) -> LibraryPaper:
    link = _plain_link(fields.get("url", ""))
    eprint = fields.get("eprint", "")
    archive = fields.get("archiveprefix", fields.get("eprinttype", ""))
    arxiv = normal_arxiv(eprint) if archive.lower() in {"", "arxiv"} else ""
    year = re.search(r"\d{4}", fields.get("year", "") or fields.get("date", ""))
    venue = next((decoded(fields[name]) for name in _VENUES if fields.get(name)), "")
    return LibraryPaper(
        id="",
        title=decoded(fields.get("title", "")),
        abstract=decoded(fields.get("abstract", "")),
        year=int(year[0]) if year else 0,
        venue=venue,
        authors=authors_of(fields.get("author", "")),
        doi=normal_doi(_plain_link(fields.get("doi", ""))) or doi_in_link(link),
        arxiv_id=arxiv or normal_arxiv(link) or _arxiv_in(fields.get("journal", "") + " " + fields.get("note", "")),
        source_id=key,
        link=link,
    )


def _arxiv_in(text: str) -> str:
    """Returns the identifier in a journal as written by Google Scholar: "arXiv preprint arXiv:1706.03762"."""
    found = re.search(r"arxiv:\s*(\S+)", text, re.IGNORECASE)
    return normal_arxiv(found[1].rstrip(".,;")) if found else ""


def _plain_link(value: str) -> str:
    value = re.sub(r"^\\url\{(.*)\}$", r"\1", " ".join(value.split()))
    return re.sub(r"\\([_%&#~])", r"\1", value).strip("{} ")


def authors_of(value: str) -> tuple[str, ...]:
    """Returns a BibTeX author list as "First von Last, Jr."; a name in braces is kept, "others" dropped."""
    names = []
    for part in filter(None, _split(value, r"\s+and\s+")):
        if part.startswith("{") and part.endswith("}") and _closes_at_end(part):
            name = decoded(part)
        else:
            pieces = [decoded(piece) for piece in _split(part, ",")]
            if len(pieces) == 2:
                name = f"{pieces[1]} {pieces[0]}"
            elif len(pieces) >= 3:
                name = f"{pieces[2]} {pieces[0]}, {pieces[1]}"
            else:
                name = pieces[0]
        name = name.strip()
        if name and name != "others":
            names.append(name)
    return tuple(names)


def _closes_at_end(part: str) -> bool:
    depth = 0
    for place, letter in enumerate(part):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return place == len(part) - 1
    return False


@cache
def _converter() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="text", keep_braced_groups=False)


def decoded(value: str) -> str:
    """Converts LaTeX to plain text with single spaces: accents, dashes, quotation marks, Greek in formulas."""
    if re.search(r"[\\{}$~^_`%&#]|--|''", value):
        from pylatexenc.latexwalker import LatexWalkerParseError

        # BibTeX has no comments in values, so a percent sign is literal.
        escaped = re.sub(r"(?<!\\)((?:\\\\)*)%", r"\1\\%", value)
        escaped = escaped.replace(r"\textbraceleft", r"\lbrace").replace(r"\textbraceright", r"\rbrace")
        try:
            value = _converter().latex_to_text(escaped).replace("ˆ", "^")
        except (LatexWalkerParseError, IndexError, ValueError, RecursionError):
            value = re.sub(r"[{}]", "", value)
    return " ".join(value.split())
