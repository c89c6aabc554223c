"""Maps the words of a statement to a table: its labels, numbers, and the rest."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.documents.numbers import Quantity
from engine.documents.references import find_references
from engine.resource_files import resource_table
from engine.statements.grids import Layout
from engine.statements.measures import better_values
from engine.statements.quantities import quantities_in, unit_of, whole_share
from engine.statements.table_phrases import (
    COUNTED,
    EMPTY,
    F1,
    LACK,
    LITTLE,
    MEASURED,
    NUMBER_OF,
    TOKEN,
    bare,
    cut_short,
    fits,
    fold,
    forms_of,
    has_word,
    is_whole,
    label_words,
    same_letters,
    says_little,
    squeezed,
)
from engine.statements.table_wording import in_letters, plainly, worded
from engine.statements.words import blanked, stem

_MINUS = "-−–"
_BRACKETED = re.compile(r"[(\[]([^()\[\]]{1,12})[)\]]")
_SQUARE = re.compile(r"\b([A-Z])\s?(?:\^\s?2|²)")
_IS = frozenset({"is", "are", "was", "were", "equals"})
_SCALE = re.compile(r"\b(thousand|million|billion)s?\b")
_MOST = frozenset({"maximum", "maximal", "minimum", "minimal"})
"""Words that are part of a measure's name if the caption has them."""
_IDLE = frozenset(map(stem, resource_table("table_words.toml")["idle"].split()))
"""Words that only say how something is reported or measured."""
_PERCENT = frozenset({"%", "percent", "percentage", "share", "proportion", "fraction"})
_CITATION = re.compile(
    r"\[[\d,;\s–-]+\]|\(\s*(?:19|20)\d\d[a-z]?\s*\)|(?<![\d.])\b(?:19|20)\d\d[a-z]?(?=\))|\[continue\]", re.IGNORECASE
)


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
class Reading:
    """A statement in terms of a table. ``text`` has M0, M1... for the mentions and N0, N1... for the numbers, its other
    words in lower case; ``unknown`` are content words that are neither in the table nor in its caption, ``known`` is
    the number of those that are, ``beside`` those that only the text about the table has, ``names`` the unknown ones
    that look like names or measures: with capitals (except the first word), digits, or known as a measure."""

    text: str
    mentions: tuple[Mention, ...]
    numbers: tuple[Quantity, ...]
    units: tuple[str, ...]
    unknown: tuple[str, ...]
    known: int
    names: tuple[str, ...]
    beside: tuple[str, ...] = ()


def read(statement: str, layout: Layout) -> Reading:
    """Finds the labels and numbers of a table in a statement."""
    statement = _put(NUMBER_OF, "number ", _put(_SQUARE, r"\g<1>2", same_letters(statement)))
    named_words = {word for d in layout.dimensions for label in layout.labels(d) for word in label_words(label)}
    heads = named_words.union(*map(label_words, layout.names))
    statement = in_letters(statement, heads)
    statement = re.sub(r"\w+_\w+", lambda m: x if fold(x := m[0].replace("_", "")) in heads else m[0], statement)
    for scale in {*_SCALE.findall(layout.caption)} if all(e.unit not in ("k", "M") for e in layout.entries) else ():
        statement = _put(re.compile(rf"(?<=\d) {scale}\b"), "", statement)  # "2.2 million tonnes" in such a column
    blank = _put(F1, "f1", _put(_CITATION, "", statement.replace("_", " ")))
    blank = blanked(blank, ((r.start, r.end) for r in find_references(statement) if r.kind != "quote"))
    for given in re.findall(r"\b[A-Za-z]+ ?= ?\d[\d.]*\b", layout.caption):  # "the top invaders for N = 3"
        blank = blank.replace(given, " " * len(given))
    blank = worded(blank, layout, named_words)
    tokens = _joined([(m.start(), m.end(), m[0]) for m in TOKEN.finditer(blank)], named_words)
    alone = {label_words(x) for d in layout.dimensions for x in layout.labels(d)}
    quantities = [_without(q, unit, blank, alone) for q, unit in quantities_in(blank)]
    # A unit after a number doesn't name a label with the same unit.
    behind = [(q.start + len(re.sub(r"[a-z ]+$", "", q.text)), q.end) for q, _ in quantities]
    units = {n for n, (start, end, _) in enumerate(tokens) if any(a <= start and end <= b for a, b in behind)}
    found = _mentions(blank, tokens, units, layout)
    kinds = list(_KIND.finditer(blank))
    many = {str(n) for n in range(len({e.row for e in layout.entries}) + 1)}
    found = tuple(
        m
        for m in found
        for start, end in [(tokens[m.start][0], tokens[m.end - 1][1])]
        # "4 models" is no "Model 4".
        if not (tokens[m.start][2] in many and all(label[0].isalpha() for label in m.labels))
        and not any(
            (start < k.end() and k.start("words") < end and not m.exact)
            or k.start() <= start < end <= k.start("words")  # "3 of the 4 strategies" names no row 4
            for k in kinds
        )
    )
    mentions = tuple(
        _numbered(m, tokens, layout, max((x.end for x in found if x.end <= m.start), default=0)) for m in found
    )
    mentions = tuple(m for m in mentions if not _is_value(m, tokens, mentions, layout))
    named = [(tokens[m.start][0], tokens[m.end - 1][1]) for m in mentions]
    stated = [
        (whole_share(q, blank), unit)
        for q, unit in quantities
        if not any(a < q.end and q.start < b for a, b in named) and not re.search(r"[^\W\d]-$", blank[: q.start])
    ]
    numbers = [q for q, _ in stated]
    said = {fold(t) for t in TOKEN.findall(layout.caption)} | {w for name in layout.names for w in label_words(name)}
    said |= {w for unit in {e.unit for e in layout.entries} for w in MEASURED.get(unit, "").split()}
    caption = tuple(sorted(said))
    about = {fold(t) for t in TOKEN.findall(layout.about)}
    measures = " ".join(label for d in layout.dimensions for label in layout.labels(d))
    labels = (label for d in layout.dimensions for label in layout.labels(d))
    in_brackets = {word for label in labels for part in _BRACKETED.findall(label) for word in label_words(part)}
    in_brackets |= {w for x in alone for w in x if len(x) == 1}  # the noun for rows may also be the label of a column
    inner = {n for m in mentions for n in range(m.start, m.end)}
    described = {n for m in mentions for n in _described(m, tokens)} - inner
    parts: list[str] = []
    unknown: list[str] = []
    names: list[str] = []
    beside: list[str] = []
    known = at = 0
    for n, (start, end, word) in enumerate(tokens):
        part = word.lower() in _MOST and fold(word) in said and any(m.start == n + 1 for m in mentions)
        if n in described or part:
            continue
        inside = next((k for k, m in enumerate(mentions) if m.start <= n < m.end), None)
        number = next((k for k, q in enumerate(numbers) if q.start < end and start < q.end), None)
        if inside is not None:
            if mentions[inside].start == n:
                parts.append(f"M{inside}")
            known += 1
        elif number is not None:
            if at <= number:
                parts.append(f"N{number}")
                at = number + 1
        else:
            parts.append(word.lower())
            little = (
                says_little(word)
                or (word.lower() not in named_words and stem(word.lower()) in _IDLE)
                or any(k.start("noun") == start for k in kinds)
                or fold(word) in in_brackets
                or (unit_of(word) and len(word) > 1)
            )
            if word[0].isalnum() and not little:
                if has_word(caption, fold(word)):
                    known += 1
                elif fold(word) in about and not (
                    better_values(word) and (better_values(measures) or word.lower() in measures.lower())
                ):
                    beside.append(word)
                else:
                    unknown.append(word)
                    if better_values(word) or re.search(
                        r".[A-Z]|\d|[^\x00-\x7f]" if not n else r"[A-Z]|\d|[^\x00-\x7f]", word
                    ):
                        names.append(word)
    return Reading(
        plainly(" ".join(parts)),
        mentions,
        tuple(numbers),
        tuple(u for _, u in stated),
        tuple(unknown),
        known,
        tuple(names),
        tuple(beside),
    )


_KIND = re.compile(
    rf"(?:\b(?:[oO]f|[oO]ver|[aA]mong|[aA]cross|[fF]or) (?:(?:the|all|other|these|\d+|{'|'.join(COUNTED[2:])}) )+"
    rf"|\b(?:[aA]ll|(?:[eE]xactly|[aA]re) (?:\d+|{'|'.join(COUNTED[2:])})) (?:the )?)"
    r"(?P<words>(?:[a-z]+(?: |-|–|/)){0,2}?(?P<noun>[a-z]{3,}s|data sets))"
    r"(?= ?(?:[.,;)]|$|(?:is|are|ha[sd]|have|shows?|exceed|reach|with|in|on|when|according)\b))"
)
"""What the rows are: "3 of the 4 blocking strategies"."""


def _without(quantity: Quantity, unit: str, text: str, alone: Collection[tuple[str, ...]]) -> tuple[Quantity, str]:
    """Returns a number and its unit, without the unit if that is a whole label: "402 hours" for a column "Hours"."""
    end = quantity.start + len(quantity.text)
    named = label_words(text[end : quantity.end]) in alone
    return (replace(quantity, end=end), "") if unit and named else (quantity, unit)


def _described(mention: Mention, tokens: Sequence[tuple[int, int, str]]) -> Iterator[int]:
    """Yields the words directly before a mention in parentheses or a symbol, which describe it: "the model with cyclic
    loss (M2)", "the eccentricity e"."""
    before, after = ([t[2] for t in tokens[n : n + 1]] for n in (max(0, mention.start - 1), mention.end))
    symbol = {tokens[mention.start][2]} == mention.labels and len(tokens[mention.start][2]) < 3 and before[:1] != ["."]
    if mention.start > 1 and ((before, after) == (["("], [")"]) or symbol):
        first = start = mention.start - (before == ["("])
        while first and re.match(r"[^\W\d]|-", tokens[first - 1][2]) and not says_little(tokens[first - 1][2]):
            first -= 1
        if first or before == ["("]:  # "Removing A changes e" doesn't describe e
            yield from range(first, start)


def _joined(tokens: Sequence[tuple[int, int, str]], known: Collection[str]) -> list[tuple[int, int, str]]:
    """Joins a letter or word with its index, and the parts of a hyphenated word, if a label contains them as one: "T
    eff", "log 10", "e-mail"."""
    found: list[tuple[int, int, str]] = []
    for start, end, text in tokens:
        letter = found[-1][2] if found else ""
        index = letter.isalpha() and (text.isdigit() or (len(letter) == 1 and text.isalnum()))
        if index and fold(letter + text) in known:
            found[-1] = (found[-1][0], end, letter + text)
        elif letter == "-" and len(found) > 1 and text.isalpha() and fold(found[-2][2] + text) in known:
            found[-2:] = [(found[-2][0], end, found[-2][2] + text)]
        else:
            found.append((start, end, text))
    return found


def _numbered(mention: Mention, tokens: Sequence[tuple[int, int, str]], layout: Layout, last: int) -> Mention:
    """Extends a mention of "iteration" by the number that identifies it ("iteration is set to 3"), and a number by the
    word before it that it belongs to ("example 3"), from ``last`` on."""
    before = tokens[mention.start - 1][2] if mention.start > last else ""
    signs = _MINUS if before in _MINUS else before
    if before and not before.isalnum() and all(label[0] in signs for label in mention.labels):
        mention = replace(mention, start=mention.start - 1)
    if mention.exact and tokens[mention.end - 1][2][0].isdigit() and mention.end - mention.start < 3:
        name = layout.names[mention.dimension]
        names = {*label_words(name), *label_words(layout.caption)} - LITTLE - {"from", "than", "between"}
        between = {"of", "=", "is", *(c for c in name if not c.isalnum())}
        start = at = mention.start
        while at > last and (fold(tokens[at - 1][2]) in names or tokens[at - 1][2] in between):
            at -= 1
            start = at if fold(tokens[at][2]) in names else start
        return replace(mention, start=start)
    if mention.exact:
        return mention
    for n in range(mention.end, min(mention.end + 5, len(tokens))):
        word = tokens[n][2]
        same = frozenset(x for x in mention.labels if word[0].isdigit() and re.findall(r"[\d.]+", x) == [word])
        if same:
            return Mention(mention.dimension, same, mention.start, n + 1, exact=True)
        if not re.fullmatch(r"is|are|set|to|of|=|was|equals", word.lower()):
            break
    return mention


def _is_value(
    mention: Mention, tokens: Sequence[tuple[int, int, str]], among: Sequence[Mention], layout: Layout
) -> bool:
    """Returns whether a number that is also a label is the value of another one: "J = 1", "J of example 1 is 1"; not if
    the other one is the heading above it."""
    before = tokens[mention.start - 1][2] if tokens[mention.start][2].isdigit() else ""
    named = any(m.dimension == mention.dimension and m.end < mention.start for m in among)
    last = next((m for m in among if before == "=" and m.end == mention.start - 1), mention)
    above = any(
        e.labels[last.dimension] in last.labels and e.labels[mention.dimension] in mention.labels
        for e in layout.entries
        if layout.rows <= last.dimension < mention.dimension
    )
    return (before in _IS and named) or (last is not mention and not above)


def _put(words: re.Pattern[str], other: str, text: str) -> str:
    """Replaces words in a text; shorter replacements are padded, so that later positions don't change."""
    return words.sub(lambda m: m.expand(other).ljust(len(m[0])), text)


@dataclass(frozen=True, slots=True)
class _Option:
    dimension: int
    label: str
    start: int
    end: int
    share: float
    head: bool


def _mentions(
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
    for start, end in sorted(by_span, key=lambda s: (-(s[1] - s[0]), -max(o.share for o in by_span[s]), s[0])):
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
    return tuple(sorted(kept, key=lambda m: m.start))


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
            yield _Option(dimension, label, first, matched, share, head)


def _only_here(run: Sequence[str], dimension: int, layout: Layout) -> bool:
    """Returns whether a word of a run belongs to only one label of its dimension."""
    described = label_words(layout.caption)
    words = [w for w in run if len(w) > 3 and w not in EMPTY and w not in described]
    labels = [label_words(label) for label in layout.labels(dimension)]
    return any(sum(has_word(own, w) for own in labels) == 1 for w in words)
