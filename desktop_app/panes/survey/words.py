"""How papers, times and texts of a study are written on screen."""

from __future__ import annotations

import html
import re

from engine.papers.records import LibraryPaper


def rich(text: str) -> str:
    """Paragraphs (separated by empty lines) and ``**bold**`` as HTML; everything else is escaped."""
    parts = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    escaped = (html.escape(part, quote=False).replace("\n", "<br>") for part in parts)
    bold = (re.sub(r"[*][*](.+?)[*][*]", r"<b>\1</b>", part) for part in escaped)
    return "".join(f'<p style="margin:0 0 10px 0; line-height:145%">{part}</p>' for part in bold)


def heading(paper: LibraryPaper) -> str:
    """A paper's title, or the identifier it was entered by."""
    return paper.title or paper.link or paper.doi or (f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else "Paper")


def details(paper: LibraryPaper) -> str:
    """Authors, year and venue in one line."""
    names = list(paper.authors[:3]) + (["et al."] if len(paper.authors) > 3 else [])
    parts = [", ".join(names), str(paper.year) if paper.year else "", paper.venue]
    return " · ".join(part for part in parts if part)


def address(paper: LibraryPaper) -> str:
    """The paper's web address; empty if it has none. A link may come from somebody else's file, hence only web
    addresses are returned, never a file or script."""
    if re.match(r"(?i)https?://", paper.link):
        return paper.link
    if re.match(r"(?i)(www\.|[\w-]+(\.[\w-]+)+/)", paper.link):
        return f"https://{paper.link}"
    if paper.arxiv_id:
        return f"https://arxiv.org/abs/{paper.arxiv_id}"
    return f"https://doi.org/{paper.doi}" if paper.doi else ""


def minutes(seconds: float) -> str:
    """A duration in words: "less than a minute", "4 min"."""
    whole = int(seconds // 60)
    return "less than a minute" if whole < 1 else f"{whole} min"
