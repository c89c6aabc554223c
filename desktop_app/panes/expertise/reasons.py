"""Why a score is what it is, and which pairs an algorithm got wrong, as text."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from desktop_app.theme import theme
from desktop_app.widgets.plain import HtmlPage
from engine.expertise.algorithms.base import Evidence
from engine.expertise.comparison import matched
from engine.expertise.evaluation import Pair
from engine.expertise.records import PaperText

MOST_PAPERS, MOST_PAIRS = 3, 12


class TextPage(HtmlPage):
    """A page of text."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent, padding="4px")

    def show_html(self, text: str) -> None:
        self.document().setDefaultFont(theme().font("body"))
        self.setHtml(text)


def reasons_html(evidence: Sequence[Evidence], papers: Mapping[str, PaperText], paper: str) -> str:
    """The profile's papers that drove a score, their passages, and the words, highlighted in them."""
    tokens = theme().tokens
    if not evidence:
        return f"<p style='color:{tokens.muted}'>This participant's profile has no paper to compare with.</p>"
    parts = [f"<p style='color:{tokens.muted}'>Profile papers that drive the score of “{_title(papers, paper)}”:</p>"]
    for found in evidence[:MOST_PAPERS]:
        parts.append(f"<p><b>{found.share:.0%}</b> · {_title(papers, found.paper)}</p>")
        for theirs, own, alike in found.passages:
            parts.append(
                f"<table width='100%' cellpadding='4' bgcolor='{tokens.ground}'><tr><td>"
                f"<p>{mark_words(theirs, found.words)}</p>"
                f"<p style='color:{tokens.muted}'>{alike:.2f} · {mark_words(own, found.words)}</p></td></tr></table>"
            )
        if found.words:
            words = ", ".join(html.escape(word) for word in found.words)
            parts.append(f"<p style='color:{tokens.muted}'>words: {words}</p>")
    rest = sum(found.share for found in evidence[MOST_PAPERS:])
    if rest > 0.005:
        parts.append(f"<p style='color:{tokens.muted}'>{len(evidence) - MOST_PAPERS} more papers: {rest:.0%}</p>")
    return "".join(parts)


def mark_words(text: str, stems: Sequence[str]) -> str:
    """A passage as HTML; words that begin with one of the stems are bold."""
    known = tuple(stem.casefold() for stem in stems if len(stem) > 2)
    return "".join(
        f"<b>{html.escape(piece)}</b>" if known and piece.casefold().startswith(known) else html.escape(piece)
        for piece in re.split(r"(\w+)", text)
    )


def pairs_html(pairs: Sequence[Pair], papers: Mapping[str, PaperText]) -> str:
    """The pairs that were ordered wrongly, the most costly first."""
    tokens = theme().tokens
    wrong = [pair for pair in pairs if pair.cost > 0]
    if not wrong:
        return f"<p style='color:{tokens.muted}'>Every pair is in the right order.</p>"
    parts = [f"<p style='color:{tokens.muted}'>{len(wrong)} of {len(pairs)} pairs are wrong or tied:</p>"]
    for pair in wrong[:MOST_PAIRS]:
        tie = " (tie)" if pair.cost < pair.difference else ""
        parts.append(
            f"<p><b>{pair.cost:g}</b>{tie} · {_title(papers, pair.better)}"
            f" <span style='color:{tokens.muted}'>should come before</span> {_title(papers, pair.worse)}</p>"
        )
    if len(wrong) > MOST_PAIRS:
        parts.append(f"<p style='color:{tokens.muted}'>… and {len(wrong) - MOST_PAIRS} more</p>")
    return "".join(parts)


def comparison_html(
    mine: Sequence[Pair], theirs: Sequence[Pair], papers: Mapping[str, PaperText], names: tuple[str, str]
) -> str:
    """Pair by pair: what one algorithm gets right and the other wrong, both ways, the most costly first."""
    tokens = theme().tokens
    both = matched(mine, theirs)
    parts = []
    for title, found in (
        (f"Only {names[0]} is right", [one for one, two in both if one.cost == 0 < two.cost]),
        (f"Only {names[1]} is right", [one for one, two in both if two.cost == 0 < one.cost]),
    ):
        found.sort(key=lambda pair: -pair.difference)
        worth = sum(pair.difference for pair in found)
        parts.append(f"<p><b>{html.escape(title)}</b>: {len(found)} pairs, worth {worth:g}</p>")
        for pair in found[:MOST_PAIRS]:
            parts.append(
                f"<p>{pair.difference:g} · {_title(papers, pair.better)}"
                f" <span style='color:{tokens.muted}'>before</span> {_title(papers, pair.worse)}</p>"
            )
    return "".join(parts)


def _title(papers: Mapping[str, PaperText], key: str) -> str:
    paper = papers.get(key)
    return html.escape(paper.title if paper is not None and paper.title else key)
