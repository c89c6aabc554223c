"""What a table says to a clause: the first rule that fits it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from engine.statements.table_cells import Clause, Finding
from engine.statements.table_comparing import against_rivals, alone, comparison, difference, superlative, trend
from engine.statements.table_counting import bound, count, instead, range_, value
from engine.statements.table_labels import label_words
from engine.statements.table_phrases import ELSEWHERE, EXCEPT, comparison_in, extreme_in
from engine.statements.table_words import Mention


def says_nothing(clause: Clause) -> bool:
    """Whether a clause only says what is looked at: nothing in it compares or counts."""
    return not (clause.numbers or comparison_in(clause.text) or extreme_in(clause.text) or clause.vague())


def finding_of(clause: Clause) -> Finding | None:
    """What the table says to a clause; None where no part of it was understood."""
    if ELSEWHERE.search(clause.text):
        return None
    if (match := EXCEPT.search(clause.text)) and (left_out := clause.listed(match.end("but") + 1)):
        return _with_exceptions(clause, match, left_out)
    for rule in RULES if clause.mentions else (count,):
        found = rule(clause)
        if found is not None:
            found = _with_numbers(clause, found)
            # "BERT" may stand for the row "BERT + tagger" beside a row "BERT".
            if found.holds is False and any((other := rule(c)) and other.holds for c in _longer(clause)):
                return replace(found, holds=None)
            return found
    return None


def _with_exceptions(clause: Clause, found: re.Match[str], left_out: Sequence[Mention]) -> Finding | None:
    """ "A is better than B on all but X and Y": it holds for the others, and not for these."""
    dimension, labels = left_out[0].dimension, frozenset[str]().union(*(m.labels for m in left_out))
    rest = clause.text[found.end() :]

    def of(chosen: Callable[[str], bool], text: str) -> Finding | None:
        entries = tuple(e for e in clause.layout.entries if chosen(e.labels[dimension]))
        layout = replace(clause.layout, entries=entries, _labels={})
        return finding_of(Clause(layout, replace(clause.reading, text=text + rest)))

    others = of(lambda label: label not in labels, clause.text[: found.end("all")])
    these = [of(label.__eq__, clause.text[: found.start()]) for label in labels]
    open_ = re.search(r"[MN]\d", rest) or any(one is None or one.holds for one in these)
    return replace(others, holds=None) if others and others.holds and open_ else others


def _longer(clause: Clause) -> Iterator[Clause]:
    """The clause with a label replaced by one that begins with it and isn't named by itself."""
    named = frozenset[str]().union(*(m.labels for m in clause.reading.mentions if m.exact))
    for n, mention in enumerate(clause.reading.mentions):
        for label in mention.labels if mention.exact else ():
            words = label_words(label)
            for other in clause.layout.labels(mention.dimension):
                if (
                    other not in named
                    and label_words(other)[: len(words)] == words
                    and len(label_words(other)) > len(words)
                ):
                    mentions = [*clause.reading.mentions]
                    mentions[n] = replace(mention, labels=frozenset({other}))
                    yield Clause(clause.layout, replace(clause.reading, mentions=tuple(mentions)))


def _with_numbers(clause: Clause, found: Finding) -> Finding:
    """Numbers that the rule did not account for must be in the cells of what is named."""
    cells = clause.where(*clause.mentions)
    left = [n for n in range(len(clause.numbers)) if n not in found.used]
    wrong = [n for n in left if not any(clause.says(n, e) for e in cells)]
    if found.holds is not True or not wrong:
        return found
    sure = len(cells) == 1 and len(left) == 1 and clause.says(wrong[0], cells[0]) is False
    if sure and clause.role(wrong[0]) == "value" and not clause.reading.unknown:
        return replace(found, holds=False, entries=cells, why=instead(clause, wrong[0], cells[0]))
    return replace(found, holds=None)


RULES: tuple[Callable[[Clause], Finding | None], ...] = (
    range_,
    count,
    trend,
    difference,
    superlative,
    bound,
    comparison,
    against_rivals,
    alone,
    value,
)
"""In the order in which they are tried: what asks for more comes first."""
