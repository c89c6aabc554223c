"""A library of papers as BibTeX, RIS and CSL-JSON; ``publications`` reads all three back.

Names stay as they are in the library, "First von Last, Jr.": RIS and CSL get the family name apart, by the last word
and particles in small letters before it. Keys are those of the file that a paper came from, where they are unique and
fit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from engine.exchange.records import Export, ExportFile, LossReport
from engine.papers.names import folded
from engine.papers.records import LibraryPaper
from engine.shown import counted

Style = Literal["bibtex", "ris", "csl"]
_TEX = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "$": r"\$", "%": r"\%", "&": r"\&",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=`)(?=`)|(?<=[?!])(?=`)|(?<=<)(?=<)|(?<=>)(?=>)|(?<=,)(?=,)")
_KEY = re.compile(r"[A-Za-z0-9][\w:.+/-]{0,100}", re.ASCII)
_MEETING = re.compile(r"\b(proceedings|conference|workshop|symposium|meeting|findings)\b", re.IGNORECASE)


def write_publications(papers: Sequence[LibraryPaper], style: Style, name: str) -> Export:
    """The papers in one file, in their order."""
    make: Mapping[Style, tuple[Callable[[LibraryPaper, str], str], str]] = {
        "bibtex": (_bibtex, "application/x-bibtex"),
        "ris": (_ris, "application/x-research-info-systems"),
        "csl": (lambda paper, key: json.dumps(_csl(paper, key), ensure_ascii=False), "application/json"),
    }
    write, media_type = make[style]
    entries = [write(_plain(paper), key) for paper, key in zip(papers, _keys(papers), strict=True)]
    text = "[" + ",\n".join(entries) + "]\n" if style == "csl" else "\n".join(entries)
    return Export((ExportFile(name, text.encode("utf-8", "replace"), media_type),), _loss(papers))


def _loss(papers: Sequence[LibraryPaper]) -> LossReport:
    found = (
        (sum(bool(paper.text_sha256) for paper in papers), "full text is", "full texts are", "left out."),
        (sum(bool(paper.areas) for paper in papers), "paper has", "papers have", "areas, which are left out."),
        (
            sum(paper.open_access is not None for paper in papers),
            "paper has", "papers have", "an open-access status, which is left out.",
        ),
    )  # fmt: skip
    return LossReport(tuple(f"{counted(number, one, many)} {words}" for number, one, many, words in found if number))


def _line(text: str) -> str:
    return " ".join(text.split())


def _plain(paper: LibraryPaper) -> LibraryPaper:
    """The paper with its texts on one line each."""
    return replace(
        paper, title=_line(paper.title), abstract=_line(paper.abstract), venue=_line(paper.venue),
        link=_line(paper.link), authors=tuple(_line(name) for name in paper.authors if name.strip()),
    )  # fmt: skip


def _keys(papers: Sequence[LibraryPaper]) -> Iterator[str]:
    taken = {paper.source_id.lower() for paper in papers if _KEY.fullmatch(paper.source_id)}
    used: set[str] = set()
    for paper in papers:
        key = paper.source_id
        if not _KEY.fullmatch(key) or key.lower() in used:
            family = re.sub(r"[^a-z]", "", folded(paper.authors[0].split(",")[0].split()[-1])) if _named(paper) else ""
            word = next((w for w in re.findall(r"[a-z]{4,}", folded(paper.title))), "")
            stem = f"{family or 'anonymous'}{paper.year or ''}{word}"
            key, number = stem, 1
            while key in used or key in taken:
                number += 1
                key = f"{stem}{number}"
        used.add(key.lower())
        yield key


def _named(paper: LibraryPaper) -> bool:
    return bool(paper.authors and paper.authors[0].split(",")[0].strip())


# --- BibTeX -----------------------------------------------------------------------------------------------------------


def tex(value: str) -> str:
    """Text as BibTeX and LaTeX read it: special characters escaped, nothing that they would join or count."""
    return "".join(_TEX.get(letter, letter) for letter in _LIGATURES.sub("\0", value)).replace("\0", "{}")


def _bibtex(paper: LibraryPaper, key: str) -> str:
    meeting = bool(_MEETING.search(paper.venue))
    kind = "misc" if not paper.venue else "inproceedings" if meeting else "article"
    fields = {
        "title": tex(paper.title),
        "author": " and ".join(_bibtex_name(name) for name in paper.authors),
        "year": str(paper.year or ""),
        "booktitle" if meeting else "journal": tex(paper.venue),
        "doi": paper.doi,
        "eprint": paper.arxiv_id,
        "archiveprefix": "arXiv" if paper.arxiv_id else "",
        "url": re.sub(r"([_%&#~])", r"\\\1", paper.link.replace("{", "%7B").replace("}", "%7D")),
        "abstract": tex(paper.abstract),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join((f"@{kind}{{{key},", *lines, "}", ""))


def _bibtex_name(name: str) -> str:
    """A name; one that BibTeX would take for several, or for one turned round, in braces."""
    whole = "," in name or re.search(r"(?i)\band\b|^others$", name)
    return f"{{{tex(name)}}}" if whole else tex(name)


# --- RIS and CSL ------------------------------------------------------------------------------------------------------


def _parts(name: str) -> tuple[str, str, str]:
    """Given name, family name and suffix; a name of one word is a family name."""
    base, _, suffix = name.partition(",")
    words = base.split()
    start = len(words) - 1
    while start > 1 and words[start - 1].islower():
        start -= 1
    return " ".join(words[:start]), " ".join(words[start:]), suffix.strip()


def _ris(paper: LibraryPaper, key: str) -> str:
    kind = "GEN" if not paper.venue else "CPAPER" if _MEETING.search(paper.venue) else "JOUR"
    lines = [("TY", kind), ("ID", key), ("TI", paper.title)]
    for name in paper.authors:
        given, family, suffix = _parts(name)
        lines.append(("AU", ", ".join(filter(None, (family, given, suffix)))))
    lines += [
        ("PY", str(paper.year or "")), ("T2", paper.venue), ("DO", paper.doi),
        ("AN", f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else ""), ("UR", paper.link), ("AB", paper.abstract),
    ]  # fmt: skip
    return "\n".join((*(f"{tag}  - {value}" for tag, value in lines if value), "ER  - ", ""))


def _csl(paper: LibraryPaper, key: str) -> dict[str, Any]:
    meeting = bool(_MEETING.search(paper.venue))
    item = {
        "id": key,
        "type": "article" if not paper.venue else "paper-conference" if meeting else "article-journal",
        "title": paper.title,
        "author": [_csl_name(name) for name in paper.authors],
        "issued": {"date-parts": [[paper.year]]} if paper.year else None,
        "container-title": paper.venue,
        "DOI": paper.doi,
        "number": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else "",
        "URL": paper.link,
        "abstract": paper.abstract,
    }
    return {name: value for name, value in item.items() if value}


def _csl_name(name: str) -> dict[str, str]:
    given, family, suffix = _parts(name)
    if not given or suffix:
        return {"literal": name}
    return {"family": family, "given": given}
