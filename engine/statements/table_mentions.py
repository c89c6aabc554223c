"""Finds what a statement names of a table: runs of its words that match a label, wholly or in part."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from engine.statements.grids import Layout
from engine.statements.table_phrases import (
    EMPTY,
    LACK,
    bare,
    cut_short,
    fits,
    fold,
    forms_of,
    has_word,
    is_whole,
    label_words,
    same_letters,
    squeezed,
)

_PERCENT = frozenset({"%", "percent", "percentage", "share", "proportion", "fraction"})


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of a statement that names labels of one dimension; ``exact`` if it is a whole label."""

    dimension: int
    labels: frozenset[str]
    start: int
    end: int
    exact: bool
    share: float = 1.0
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Option:
    dimension: int
    label: str
    start: int
    end: int
    share: float
    head: bool
    count: int


def mentions_in(
    text: str, tokens: Sequence[tuple[int, int, str]], units: Collection[int], layout: Layout
) -> tuple[Mention, ...]:
    words = tuple(fold(t) for _, _, t in tokens)
    short = frozenset(
        n
        for n, (_, end, word) in enumerate(tokens[:-2])
        if tokens[n + 1] == (end, end + 1, ".") and len(word) <= 6 and not tokens[n + 2][2][0].isupper()
    )
    said = _Said(tokens, words, short, frozenset(words))
    options = [
        o
        for d in layout.dimensions
        for label in layout.labels(d)
        for o in _options(said, d, label, layout)
        if o.start not in units
    ]
    by_span: dict[tuple[int, int], list[_Option]] = defaultdict(list)
    for option in options:
        by_span[option.start, option.end].append(option)
    found: list[Mention] = []
    for start, end in sorted(
        by_span, key=lambda s: (-max(o.count for o in by_span[s]), -max(o.share for o in by_span[s]), s[1] - s[0], s[0])
    ):
        if any(m.start < end and start < m.end for m in found):
            continue
        here = by_span[start, end]
        best = max(o.share for o in here)
        chosen = [o for o in here if o.share == best] if best == 1 else [o for o in here if o.head] or here
        before = {w[:4] for w in words[max(0, start - 3) : start]}
        # A name of both rows and columns: "an AUC of 0.9", "the AUC of A on B".
        last = {*words[max(0, start - 1) : start]}
        across = bool({*words[end : end + 1]} & {"of", "for"} or last & {"on", "in", "a", "an", "the"})
        dimension = min(
            chosen,
            key=lambda o: (
                -o.share,
                not before & {w[:4] for w in label_words(layout.names[o.dimension])},
                across == (o.dimension < layout.rows),
                o.dimension,
            ),
        ).dimension
        labels = frozenset(o.label for o in chosen if o.dimension == dimension)
        in_percent = bool(_PERCENT.intersection(words[max(0, start - 3) :]))
        labels = frozenset(x for x in labels if ("%" in x) == in_percent) or labels
        labels = _as_written(labels, text[tokens[start][0] :]) if len(labels) > 1 else labels
        found.append(Mention(dimension, labels, start, end, best == 1, best, words[start:end]))
    found += [m for n in range(len(words)) if (m := _narrower(n, words, found))]
    sure = {m.dimension for m in found if m.exact}
    kept = [m for m in found if m.share >= 0.5 or m.dimension not in sure]
    sums = {(m.dimension, m.end) for m in kept if m.exact and _SUM.intersection(words[m.start : m.end])}
    kept = [m for m in kept if m.exact or (m.dimension, m.start) not in sums]  # "total cost" names "Total"
    heads = [m.labels for m in kept if _is_head(m, kept, words, layout)]
    kept = [m for m in kept if m.labels not in heads]
    # "The reference share" doesn't name "%" next to "reference (%)".
    kept = [
        m
        for m in kept
        if m.labels != {"%"} or not any(m.dimension == o.dimension and 0 <= m.start - o.end < _NEAR for o in kept)
    ]
    return _merged(sorted(kept, key=lambda m: m.start), words, layout)


_BRIDGE = frozenset(["a", "an", "the", "of", "with", "in", "on", "by", "for", "using", "-", "(", ")"])
_BRIDGE |= {"system", "model", "variant", "version", "assembly", "run", "data", "set"}
"""Words between the parts of one name."""


def _merged(mentions: Sequence[Mention], words: Sequence[str], layout: Layout) -> tuple[Mention, ...]:
    """Joins two mentions next to each other that together name one label: "the mouse assembly with Trinity"."""
    found: list[Mention] = []
    for m in mentions:
        last = found[-1] if found else m
        alike = last is not m and last.dimension == m.dimension and not (last.exact and m.exact)
        if alike and _BRIDGE.issuperset(words[last.end : m.start]):
            said = [w for w in (*last.words, *m.words) if w not in _BRIDGE]
            names = [x for x in layout.labels(m.dimension) if all(has_word(label_words(x), w) for w in said)]
            if len(names) == 1:
                whole = all(form in _BRIDGE or any(fits(form, w) for w in said) for form in label_words(names[0]))
                share = 1.0 if whole else max(last.share, m.share)
                found[-1] = Mention(
                    m.dimension, frozenset(names), last.start, m.end, whole, share, last.words + m.words
                )
                continue
        found.append(m)
    return tuple(found)


_NEAR = 4
"""How many words may be between the words of one name: "the reference share in the population"."""
_SUM = frozenset({"total", "overall", "average", "mean", "median"})
_COUNTS = frozenset({"number", "many", "few", "fewer", "more", "most", "fewest"})


def _is_head(mention: Mention, among: Sequence[Mention], words: Sequence[str], layout: Layout) -> bool:
    """Returns whether a mention is only the noun of a row: "small firms" if a column "Firms" counts them, "charter
    schools" next to a row "Home-schooled"."""
    label, rows = next(iter(mention.labels)), [m for m in among if m.dimension < layout.rows and m.exact]
    after = any(m.end == mention.start for m in rows)
    if mention.dimension < layout.rows:
        return after and not mention.exact
    of = any(0 < m.start - mention.end < 3 and {*words[mention.end : m.start]} <= _OF for m in rows)
    lead = words[: next((m.start for m in rows if m.end == mention.start), mention.start)][-2:]
    counted = bool(_COUNTS.intersection(lead)) or any(word[0].isdigit() for word in lead[-1:])
    if counted or not (after or of) or not label.isalpha() or not label.endswith("s"):
        return False
    numbers = [e.quantity for e in layout.entries if e.labels[mention.dimension] == label]
    return all(q.decimals <= 0 and not q.percent for q in numbers)


_OF = frozenset({"of", "from", "in", "on", "at", "with", "the"})


def _as_written(labels: frozenset[str], text: str) -> frozenset[str]:
    """Returns, of labels with the same words, the longest that matches the beginning of a text including signs,
    otherwise all: "A (+)"."""
    begins = squeezed(text)
    signs = {label: squeezed(label).rstrip("↑↓") for label in labels}
    written = {label: len(own) for label, own in signs.items() if begins.startswith(own)}
    return frozenset(x for x, length in written.items() if length == max(written.values())) or labels


def _narrower(n: int, words: Sequence[str], found: Sequence[Mention]) -> Mention | None:
    """Returns a word that distinguishes some of the labels that another mention leaves open ("throughput on the
    balanced set")."""
    word = words[n]
    if (len(word) < 3 and not word.isdigit()) or word in EMPTY or any(m.start <= n < m.end for m in found):
        return None
    for mention in found:
        if len(mention.labels) > 1 and not mention.exact:
            own = frozenset(x for x in mention.labels if any(fits(form, word) for form in label_words(x)))
            if own and own < mention.labels:
                return Mention(mention.dimension, own, n, n + 1, exact=False, share=0.5)
    return None


_JOINING = frozenset({"on", "with", "of", "for", "in", "using"})


@dataclass(frozen=True, slots=True)
class _Said:
    """The tokens of a statement, each normalised, and those before the full stop of an abbreviation ("tot.")."""

    tokens: Sequence[tuple[int, int, str]]
    words: tuple[str, ...]
    short: frozenset[int]
    different: frozenset[str]


def _options(said: _Said, dimension: int, label: str, layout: Layout) -> Iterator[_Option]:
    """Yields the runs of words that match a label, wholly or in part."""
    words, short = said.words, said.short
    if layout.names[dimension : dimension + 1] and dimension == layout.rows - 1:
        return  # a parent row is named by its own label
    name = bare(label, layout, dimension)
    wanted = label_words(name)
    joins = {*"-()+:=&", *("/" if len(wanted) < 3 else ""), "the", *(c for c in same_letters(label) if not c.isalnum())}
    if len(wanted) > 1:  # "DNN on TF-IDF" for "DNN (TF-IDF)", "A to B" for "A_B"
        joins |= _JOINING | ({"to", "vs", "versus", "and"} if re.search(r"\w[_→/–-]\w", label) else set())
    for forms in (forms_of(label, layout.caption) | {wanted}) - {()}:
        own = {word for word in said.different if has_word(forms, word)}
        article = forms[:1] != ("a",)  # "a score B" isn't "score A"
        starts = [n for n, word in enumerate(words) if (word in own and not (article and word == "a")) or n in short]
        for start in starts:
            left, end, matched = list(forms), start, start
            while end < len(words):
                word = words[end]
                form = next((w for w in left if fits(w, word) or (end in short and cut_short(word, w))), None)
                if form is not None:
                    left.remove(form)
                    matched = end = end + 1 + (end in short and (not fits(form, word) or "." in label or bool(left)))
                elif word in joins and end > start and not (word in "+/&" and not left):
                    end += 1
                else:
                    break
            if matched == start:
                continue
            bracketed = label[0] in "([" and words[start - 1 : start] == (label[0],)
            if matched < len(words) and words[matched] in ")]" and ("(" in words[start:matched] or bracketed):
                matched += 1
            if matched < len(words) - 1 and words[matched] == label[-1] in ".*†‡+":
                matched += 1
            first = start - bracketed
            if lacked := LACK.intersection(left):
                at = start - 1
                while at > 0 and words[at] in ("the", "a", "an", "any", "-"):
                    at -= 1
                if at < 0 or not (words[at] in LACK or words[max(0, at - 2) : at + 1] == ("w", "/", "o")):
                    continue  # "with states" isn't "No states"
                left = [form for form in left if form not in lacked]
                first = at if words[at] in LACK else at - 2
            beside = (*words[max(0, start - 1) : start], *words[matched : matched + 1])
            if any(form.isdigit() for form in left) and any(map(str.isdigit, beside)):
                continue  # "2020 series" isn't "2021 series"
            share = 1 - len(left) / len(forms)
            if left and not EMPTY.issuperset(forms) and all(w in EMPTY or len(w) == 1 for w in left):
                share = max(share, 0.9)  # "reads" for "number of reads"
            while share < 1 and matched > start + 1 and words[matched - 1] in EMPTY - {"no", "none", "not"}:
                matched -= 1
            run = words[start:matched]
            lead = start - 2 if words[start - 1 : start] == ("-",) else start  # "before fine-tuning"
            if share < 1 and (run[0] in EMPTY or {*words[max(0, lead - 1) : lead]} & {"before", "without"}):
                continue  # "before normalization" isn't "Normalized data"
            written = "".join(said.tokens[n][2] for n in range(start, matched))
            near = words[max(0, start - 3) : matched + 2]
            if share == 1 and forms == wanted and not is_whole(name, written, near, layout, dimension):
                continue
            if share < 1 and {*run} <= {*label_words(layout.names[dimension])}:
                continue  # "school types" next to a row "Home-schooled"
            if share < 1 and all(w in EMPTY or w.isdigit() or not w[0].isalnum() or len(w) < 2 for w in run):
                continue
            head = fits(forms[0], words[start])
            if share < 1 and forms == wanted and _only_here(run, dimension, layout):
                share = max(share, 0.5)
            if share < 1 and (forms != wanted or not (head or share >= 0.5 or re.search(r"[A-Z\d]", written))):
                continue
            yield _Option(dimension, label, first, matched, share, head, len(forms) - len(left))


def _only_here(run: Sequence[str], dimension: int, layout: Layout) -> bool:
    """Returns whether a word of a run belongs to only one label of its dimension."""
    described = label_words(layout.caption)
    words = [w for w in run if len(w) > 3 and w not in EMPTY and w not in described]
    labels = [label_words(label) for label in layout.labels(dimension)]
    return any(sum(has_word(own, w) for own in labels) == 1 for w in words)
