"""Tables and figures of the analyses and of the corpus."""

from collections import Counter
from math import isnan, nan

from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from desktop_app.widgets.bars import Bar, Bars
from desktop_app.widgets.edit_words import WORDS as KINDS
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import beside_or_below, column, row, surface
from engine.exchange.edit_research import SOURCE_MEASURES, Research
from engine.revision.generation.questions import WORDS
from engine.revision.generation.tables import CorpusStatistics, SideRow
from engine.revision.records import MISTAKES
from engine.shown import counted, percent


class FiguresView(QScrollArea):
    """A column for the analyses and one for the corpus; below each other if there is little width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Tables and figures")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        page = self._page = surface(QWidget(self), "Tables and figures")
        self.setWidget(page)
        self.sides = Bars("Real and generated edits", "pairs", page)
        self.side_table = FactTable("Table 6", ("Property", "Real", "Generated", "Judged", "p, corrected"), page)
        self.comprehensiveness = FactTable(
            "Table 5", ("More comprehensive", "Answerable", "Not answerable", "All"), page
        )
        self.comparisons = Bars("Direct comparisons", parent=page)
        self.comparison_table = FactTable("Direct comparisons", ("Comparison", "Judged", "p, corrected"), page)
        self.mistakes = FactTable("Mistakes in suggestions", ("Mistake", "Suggestions", "Share", "Published"), page)
        self.kappa_bars = Bars("Kappa by question", parent=page)
        self.kappas = FactTable("Kappa", ("Question", "Kappa", "95 % interval", "Judged twice"), page)
        self.method = text_label("", "small", wrap=True, parent=page)
        self.action_bars = Bars("Comments addressed by action", parent=page)
        self.kinds = Bars("Edits by kind", parent=page)
        self.token_bars = Bars("Mean tokens per edit", parent=page)
        self.tokens = FactTable("Tokens", ("Edits", "Added, mean", "median", "Deleted, mean", "median"), page)
        self.overlap = Bars("Overlap of comment and edit", parent=page)
        self.source_bars = Bars("Manual links and links from responses", "pairs", page)
        self.sources = FactTable(
            "Manual links and links from responses",
            ("Links", "Comments", "Links", "Edits per comment", "Overlap", "Added", "Deleted"),
            page,
        )
        self.silver = text_label("", "small", wrap=True, parent=page)
        left = (
            "Real and generated edits (circle: real, square: generated; compliance on its own scale)",
            self.sides, self.side_table, "More comprehensive edit, for answerable comments and others",
            self.comprehensiveness, "Direct comparisons", self.comparisons, self.comparison_table,
            "Agreement between two annotators (Cohen's kappa)", self.kappa_bars, self.kappas, self.method,
        )  # fmt: skip
        right = (
            "Comments addressed, by action", self.action_bars, "Edits by kind (blue: linked to a comment)", self.kinds,
            "Mean tokens added and deleted per edit", self.token_bars, self.tokens,
            "Comment words that the edit adds (share of linked pairs)", self.overlap,
            "Manual links (circle) and links from responses (square), each row on its own scale", self.source_bars,
            self.sources, self.silver, "Mistakes in rejected suggestions (several are possible)", self.mistakes,
        )  # fmt: skip
        sides = [[_heading(part, page) if isinstance(part, str) else part for part in side] for side in (left, right)]
        columns = [(column(*parts, None, spacing=4), 1) for parts in sides]
        beside_or_below(self, row(*columns, margins=(16, 12, 16, 12), spacing=24, of=page), 900)

    def show_research(self, found: Research | None) -> None:
        self._page.setVisible(found is not None)
        if found is None:
            return
        self._show_comparisons(found)
        self._show_corpus(found.corpus)
        self._show_sources(found)

    def _show_comparisons(self, found: Research) -> None:
        tables = found.tables
        self.sides.show_bars(
            [
                Bar(WORDS[r.property], _share(r, r.real), f"p {_p(r.p)} · n {r.count}", _share(r, r.generated))
                for r in tables.sides
                if r.count
            ]
        )
        self.side_table.show_all_rows(
            [(r.title, _n(r.real), _n(r.generated), str(r.count), _p(r.p)) for r in tables.sides]
        )
        self.comprehensiveness.show_all_rows(
            [
                (r.answer.capitalize(), *map(_n, (r.answerable, r.not_answerable, r.all)))
                for r in tables.comprehensiveness
            ]
        )
        judged = [row for row in tables.comparisons if row.count]
        self.comparisons.show_bars(
            [Bar(f"{r.title}: {a}", n / r.count, f"{n} of {r.count}") for r in judged for a, n in r.answers]
        )
        self.comparison_table.show_all_rows(  # the bars above have the answers
            [(r.title, str(r.count), _p(r.p)) for r in tables.comparisons]
        )
        some = any(k.known for k in found.kappas.values())  # otherwise the reason is given above
        self.kappas.show_all_rows(
            [(name, k.shown() if some else "–", k.span() or "–", str(k.n)) for name, k in found.kappas.items()]
            or [("Nobody else has judged these yet", "–", "–", "0")]
        )
        none = (f"No kappa: {k.shown()}" for k in found.kappas.values())
        self.kappa_bars.empty = next(none, "No data yet")
        self.kappa_bars.show_bars(
            [
                Bar(name, max(k.value, 0.0), f"{k.value:.2f}{k.span(', {:.2f} to {:.2f}')}")
                for name, k in found.kappas.items()
                if k.known
            ]
        )
        answerable = (
            "" if isnan(tables.answerable) else f"; {percent(tables.answerable)} answerable from the paper alone"
        )
        self.method.setText(
            f"{counted(found.papers, 'compared paper')}: {counted(tables.complete, 'comparison')} complete,"
            f" {tables.begun} started{answerable}. Exact paired sign tests (McNemar's test for yes and no), with Holm's"
            " correction over all tests."
        )

    def _show_corpus(self, corpus: CorpusStatistics) -> None:
        self.action_bars.show_bars(
            [
                Bar(r.action, r.share, f"{r.addressed} of {r.comments}{f' ({r.guessed} guessed)' if r.guessed else ''}")
                for r in corpus.actions
                if r.comments
            ]
        )
        self.kinds.show_bars(
            [Bar(KINDS[r.kind], r.linked, f"{r.linked} of {r.edits}", rest=r.edits - r.linked) for r in corpus.kinds],
            max([1, *(r.edits for r in corpus.kinds)]),
        )
        tokens = {{"linked": "linked", "other": "others"}[key]: v for key, v in corpus.token_summary().items()}
        self.tokens.show_all_rows([(name, *map(_n, values)) for name, values in tokens.items()])
        means = [
            Bar(f"{name}, {what}", values[at], f"{values[at]:.1f} · median {values[at + 1]:.1f}")
            for name, values in tokens.items()
            for at, what in ((0, "added"), (2, "deleted"))
            if not isnan(values[at])
        ]
        self.token_bars.show_bars(means, max((bar.value for bar in means), default=1.0))
        bins = Counter(min(int(5 * value), 4) for value in corpus.overlap)
        total = len(corpus.overlap)
        self.overlap.show_bars(
            [Bar(f"{n * 20} to {n * 20 + 20} %", bins[n] / total, f"{bins[n]} of {total}") for n in range(5)]
            if total
            else []
        )

    def _show_sources(self, found: Research) -> None:
        count, times = found.mistakes["all"]
        self.mistakes.show_all_rows(
            [
                (MISTAKES[name][0], f"{n} of {count}", _n(n / count if count else nan), _n(MISTAKES[name][2]))
                for name, n in times.items()
            ]
        )
        manual, silver = found.sources
        measures = SOURCE_MEASURES.items() if manual.links or silver.links else ()
        self.source_bars.show_bars([_compared(name, value(manual), value(silver)) for name, value in measures])
        self.sources.show_all_rows(
            [
                (s.name, str(s.comments), str(s.links), *map(_n, (s.edits_per_comment, s.overlap, s.added, s.deleted)))
                for s in found.sources
            ]
        )
        if isnan(found.precision):
            self.silver.setText("No links from responses yet.")
        elif isnan(found.recall):
            self.silver.setText("There are links from responses, but no manual links to compare them with yet.")
        else:
            self.silver.setText(
                f"For decided comments, {percent(found.precision)} of the links from responses match manual links, "
                f"and {percent(found.recall)} of the manual links are found."
            )


def _heading(text: str, parent: QWidget) -> QWidget:
    label = text_label(text, "section", wrap=True, parent=parent)
    label.setContentsMargins(0, 10, 0, 0)
    return label


def _compared(words: str, hand: float, responses: float) -> Bar:
    most = max((value for value in (hand, responses) if not isnan(value)), default=0.0) or 1.0
    return Bar(words, hand / most, f"{_short(hand)} and {_short(responses)}", responses / most)


def _short(value: float) -> str:
    return "–" if isnan(value) else f"{value:.3g}"


def _share(row: SideRow, value: float) -> float:
    return (value - 1) / 2 if row.property == "compliance" else value


def _n(value: float) -> str:
    return "–" if isnan(value) else f"{value:.2f}"


def _p(value: float) -> str:
    return "–" if isnan(value) else "< .001" if value < 0.001 else f"{value:.3f}"
