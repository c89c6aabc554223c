"""Statements about how many cells of a row or column pass a test (all, none, only some, all but some, a number or share
of them), and about their average, smallest and largest value.

The whole statement is read at once. What decides is which cells, numbers, tests and quantifiers it contains, not their
order.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter

from engine.statements.grids import Entry, Layout
from engine.statements.table_cells import Clause, Finding, named
from engine.statements.table_counting import is_total, judged_cases
from engine.statements.table_frames import says_only_remarks
from engine.statements.table_mentions import Mention
from engine.statements.table_parts import MEANING
from engine.statements.table_phrases import (
    CHANGES,
    COUNTED,
    comparison_in,
    extreme_in,
    fold,
    has_word,
    label_words,
    says_little,
    statistics_in,
)
from engine.statements.table_quantifier_words import (
    ALL,
    AVERAGE,
    COUNT,
    EACH,
    ECHO,
    ENDS,
    EXCEPT,
    FILLER,
    KIND_ENDS,
    LOOSE,
    MOST,
    NAMELY,
    NEARLY,
    NEGATED,
    NONE,
    NUMBER,
    ONE,
    ONLY,
    OTHERS,
    SHARE,
    TESTS,
    THE_REST,
    TOTAL,
    WHEN,
    WITH,
    WITHIN,
    bounded,
    inside,
)
from engine.statements.table_words import Reading, read


def quantified(statement: str, layout: Layout) -> tuple[Finding, Reading] | None:
    """Returns the finding for a statement that quantifies over a row or column of a table, with its reading; None for
    other statements."""
    body = MEANING.sub("", statement)
    reading = read(body if len(body.split()) > 5 else statement, layout)
    text = reading.text
    for words, plain in ONE:
        text = re.sub(words, plain, text)
    if NEARLY.search(text):
        return Finding("count", None), reading
    if LOOSE.search(text):
        return None
    clause = Clause(layout, replace(reading, text=text))
    return _Statement(clause, text).finding()


class _Statement:
    def __init__(self, clause: Clause, text: str) -> None:
        self.clause, self.text = clause, text
        self.used: set[int] = set()
        self.kinds: list[list[str]] = []
        self.special: list[Mention] = []
        self.always = False
        self.named: set[str] = set()

    # --- what is said ---

    def _take(self, found: re.Match[str]) -> None:
        """Removes what was understood from the text."""
        self.text = f"{self.text[: found.start()]} § {self.text[found.end() :]}"

    def _count(self, word: str | None) -> int | None:
        """Returns the integer of a number word or of a number that may count things."""
        if word is None or word in COUNTED:
            return None if word is None else COUNTED.index(word)
        said = self.clause.numbers[int(word[1:])]
        whole = said.decimals <= 0 and not said.percent and not self.clause.reading.units[int(word[1:])]
        return int(said.value) if whole and 0 < said.value < 1000 else None

    def _who(self, patterns: Sequence[re.Pattern[str]]) -> list[list[Mention]]:
        """Returns the mentions of a list found by one of some patterns, each with those directly after it."""
        found = next(filter(None, (p.search(self.text) for p in patterns)), None)
        if found is None:
            return []
        groups: list[list[Mention]] = []
        for part in re.findall(rf"M\d+(?: (?:{WITH})?M\d+)*", found["who"]):
            own = [self.clause.reading.mentions[int(n)] for n in re.findall(r"M(\d+)", part)]
            self.special += own
            self.named |= {*part.split()}
            if len({m.dimension for m in own}) == len(own):
                groups.append(own)
            elif re.search(WITH, part) and len(own) == 2:  # "the base model with extras" for "Base + extras"
                both = own[0].labels & own[1].labels
                groups.append([replace(own[0], labels=both)] if both else sorted(own, key=lambda m: m.exact)[:1])
            else:
                groups += [[m] for m in own]
        noun = re.match(r" ((?!M)[a-z]+s)\b", self.text[found.end("who") :])
        if noun and not says_little(noun[1]) and fold(noun[1]) not in FILLER and len(groups) == 1:
            groups.append([])  # "only the Sund harbours": which they are is unknown
        self._take(found)
        return groups

    def _kind(self, start: int) -> None:
        """Notes the words that follow a quantifier, which say what is counted."""
        words = []
        for word in re.sub(r"^ ?(?:of )?(?:the |these |all |our |its )*", "", self.text[start:]).split()[:5]:
            if KIND_ENDS.match(word) or re.match(r"M\d", word):
                break
            words.append(word)
        self.kinds.append(words)

    def _tests(self) -> list[Callable[[Entry], bool | None]]:
        tests: list[Callable[[Entry], bool | None]] = []
        while found := WITHIN.search(self.text):
            negated = bool(NEGATED.search(self.text[: found.start()])) or found["how"] == "leaves"
            outside = found["how"][:7] in ("outside", "beyond", "leaves", "leave")
            ends = [int(found["low"]), int(found["high"])]
            tests.append(inside(self.clause, ends, outside != (negated and found["how"][:5] != "leave")))
            self.used |= {*ends}
            self.always = self.always or "never" in self.text[: found.start()].split()[-3:]
            self._take(found)
        for words, test in TESTS:
            while found := next((m for m in words.finditer(self.text) if self._is_bound(m)), None):
                n = int(found["n"])
                before = self.text[: found.start()]
                negated = bool(NEGATED.search(before))
                self.always = self.always or bool(negated and re.search(r"\bnever(?: [a-z]+){0,2} $", before))
                tests.append(bounded(self.clause, test, n, negated))
                self.used.add(n)
                cut = NEGATED.search(before)
                self.text = f"{before[: cut.start()] if cut else before} § {self.text[found.end() :]}"
        return tests

    def _is_bound(self, found: re.Match[str]) -> bool:
        """Returns whether a number after "at least" isn't a count ("at least 3 of the rows")."""
        number = self.clause.numbers[int(found["n"])]
        share = number.percent and re.match(r" of (?:the|all|our|their|its|these|them)\b", self.text[found.end() :])
        counts = re.match(r" (?:out )?of (?:the|all|our|their|its|these|N|[a-z]+s\b)", self.text[found.end() :])
        step = re.match(
            r" (?:%|points?)? ?(?:times|fold|more|less|higher|lower|better|worse|faster|slower)\b",
            self.text[found.end() :],
        )
        return not share and not step and not (counts and self._count(f"N{found['n']}") is not None)

    # --- the cells ---

    def _groups(self, chosen: Sequence[Mention], total: int | None) -> list[tuple[Entry, ...]]:
        """Returns the cells that may be meant: those of one row or column without totals, or those whose labels have
        the words for what is counted; of several, those that are as many as is said."""
        return [g for cells in self._lines(chosen) for g in self._among(cells, total)]

    def _among(self, cells: tuple[Entry, ...], total: int | None) -> list[tuple[Entry, ...]]:
        across = 0 if len({e.column for e in cells}) == 1 else self.clause.layout.rows
        plain = tuple(e for e in cells if not is_total(self.clause, e, across))
        plain = plain if len(plain) > 1 else cells
        words = [fold(w) for kind in self.kinds for w in kind if not says_little(w) or len(w) > 4]
        labels = range(self.clause.layout.rows) if across == 0 else range(across, len(self.clause.layout.names))
        of_kind = tuple(
            e for e in cells if words and any(has_word(label_words(e.labels[d]), w) for d in labels for w in words)
        )
        odd = self._without_odd(plain, labels)
        if total is not None:
            own = [g for g in dict.fromkeys((plain, of_kind)) if len(g) == total]
            return own or next(([g] for g in (odd, cells) if len(g) == total), [])
        return [of_kind] if 1 < len(of_kind) < len(plain) else list(dict.fromkeys((plain, odd)))

    def _without_odd(self, cells: tuple[Entry, ...], labels: range) -> tuple[Entry, ...]:
        """Returns cells without those whose labels lack the word of a series ("20 MB", "40 MB", "untrimmed")."""
        own = [{w for d in labels for w in label_words(e.labels[d]) if not w.isdigit()} for e in cells]
        if 4 * sum(any(map(str.isdigit, " ".join(e.labels[d] for d in labels))) for e in cells) < 3 * len(cells):
            return cells
        common = {w for words in own for w in words if 4 * sum(w in other for other in own) >= 3 * len(own)}
        kept = tuple(e for e, words in zip(cells, own, strict=True) if common <= words)
        return kept if len(kept) > 1 else cells

    def _lines(self, chosen: Sequence[Mention]) -> list[tuple[Entry, ...]]:
        """Returns the cells that mentions select if they are in one row or column, or without the mentions that only
        name a part of a label; otherwise those of each column that may be meant."""
        exact = [m for m in chosen if m.exact]
        units = sorted(self.used) if self.used else range(len(self.clause.numbers))
        several: list[tuple[Entry, ...]] = []
        for own in (chosen, exact):
            cells = self.clause.where(*own)
            for n in units:
                cells = self.clause.measured(n, cells)
            columns = {e.column for e in cells}
            if len(columns) == 1 or len({e.row for e in cells}) == 1:
                several = [cells]
                break
            if own and not several and 1 < len(columns) < 4:
                several = [tuple(e for e in cells if e.column == c) for c in sorted(columns)]
        return several if all(len(cells) > 1 for cells in several) else []

    # --- the finding ---

    def finding(self) -> tuple[Finding, Reading] | None:
        echo = ECHO.search(self.text)
        if echo:
            self._take(echo)
        rest = THE_REST.search(self.text)
        if rest:
            self._take(rest)
        tests = self._tests()
        if len(tests) > 1:
            return self._open()  # which of them each row has to pass is unknown
        before = self.text
        left_out, only = self._who(EXCEPT), self._who(ONLY)
        related = comparison_in(self.text) or extreme_in(self.text)
        if not tests and not (related and (left_out or only)):
            self.text = before
            return self._summary()
        share = next((m for m in SHARE.finditer(self.text) if self.clause.numbers[int(m["n"])].percent), None)
        most = MOST.search(self.text)
        if share:
            self._kind(share.end())
            self.used.add(int(share["n"]))
            self._take(share)
        elif most:
            self._kind(most.end())
            self._take(most)
        named_ = self._who((NAMELY,))
        total, count, how = self._numbers()
        if rest and rest["n"] and count is not None:
            total = total if total is not None else count + (self._count(rest["n"]) or 0)
        if rest and rest["n"] and re.match(r"N", rest["n"]):
            self.used.add(int(rest["n"][1:]))
        all_, none = ALL.search(self.text), NONE.search(self.text)
        for found in (all_, none):
            if found:
                self._kind(found.end())
        every = bool(all_) or self.always
        if not (only or share or most or count is not None or every or none):
            return None
        if count is not None and (every or none) and not left_out:
            return self._result(None, ())
        if count is not None and (only or share or most):
            if not (only and count == len(only)):
                return self._result(None, ())
            count = None
        parts = [p for p in re.split(r"[,:;()—]|\. ", self.text) if re.search(r"§|[MN]\d", p)]
        said = re.sub(r"\b(?:(?:max|min)im(?:um|al)|not (?:a single|one|any))\b", "", " , ".join(parts))
        if self._left() or OTHERS.search(said) or (tests and (comparison_in(said) or extreme_in(said))):
            return None
        if not tests:
            return self._related(left_out, only, total, count, every=every, none=bool(none))
        echoed = [self.clause.reading.mentions[int(n)] for n in re.findall(r"M(\d+)", echo["who"])] if echo else []
        chosen = [m for m in self.clause.mentions if m not in self.special and m not in echoed]
        chosen = [m for m in chosen if not self._is_kind(m)]
        groups = self._groups(chosen, total)
        if total is not None and not groups:
            return self._open()
        results: set[bool | None] = set()
        shown: tuple[Entry, ...] = ()
        for cells in groups:
            cases = [tests[0](e) for e in cells]
            own = [self._places(cells, who) for who in (left_out, only, named_)]
            if None in cases or None in own:
                return self._result(None, cells[:4])
            outs, onlys, names = (frozenset(o or ()) for o in own)
            true = frozenset(n for n, case in enumerate(cases) if case)
            if share or most:
                holds = self._is_share(len(true) / len(cells), share, most)
            elif only:
                holds = true == onlys
            elif none and not (every and count is not None):
                holds = true == outs
            elif count is not None and not (every and left_out):
                holds = {"least": len(true) >= count, "most": len(true) <= count}.get(how, len(true) == count)
                holds = holds and (not names or true == names)
            else:
                holds = true == frozenset(range(len(cells))) - outs
            results.add(holds)
            shown = shown or tuple(e for e, case in zip(cells, cases, strict=True) if case)[:4] or cells[:1]
        if len(results) > 1:
            return self._open()
        holds = next(iter(results), None)
        universal = not (only or share or most) and (count is None or left_out)
        if total is None and self._narrowed() and not (holds and universal):
            holds = None
        return self._result(holds, shown)

    def _is_share(self, part: float, share: re.Match[str] | None, most: re.Match[str] | None) -> bool | None:
        """Returns whether a share of the cells is above or below the one that is said."""
        if share is None:
            return part < 0.5 if most and most["small"] else part > 0.5
        said = self.clause.numbers[int(share["n"])].value / 100
        if share["ge"]:
            return part >= said if share["ge"] == "at least" else part <= said
        return None if not share["how"] else part > said if share["how"] == "more" else part < said

    def _related(
        self,
        left_out: Sequence[Sequence[Mention]],
        only: Sequence[Sequence[Mention]],
        total: int | None,
        count: int | None,
        *,
        every: bool,
        none: bool,
    ) -> tuple[Finding, Reading] | None:
        """Checks a comparison or superlative that is said to hold only for some rows or columns, or for all others."""
        text = re.sub(r"§ ?,?|(?<=[a-z]) ,(?= ?$)", "", self.text)
        clause = Clause(self.clause.layout, replace(self.clause.reading, text=text))
        clause.mentions = [m for m in clause.mentions if m not in self.special]
        cases, cells = judged_cases(clause, [])
        own = [self._places(cells, who) for who in (left_out, only)]
        if len(cells) < 3 or None in cases or None in own or total not in (None, len(cells)):
            return self._result(None, cells[:4])
        outs, onlys = (frozenset(o or ()) for o in own)
        true = frozenset(n for n, case in enumerate(cases) if case)
        holds: bool | None
        if outs & true and not frozenset(range(len(cells))) - true - outs:
            holds = None  # more is left out than need be
        elif only:
            holds = true == onlys and count in (None, len(true))
        elif none:
            holds = true == outs
        elif every or (total and count):
            holds = true == frozenset(range(len(cells))) - outs and (every or count == len(true))
        else:
            return None
        return self._result(holds, [e for n, e in enumerate(cells) if n in (outs or onlys)][:4])

    def _numbers(self) -> tuple[int | None, int | None, str]:
        """Returns how many there are in all, how many are said to pass, and whether at least or at most so many."""
        total = count = None
        how = ""
        if (found := TOTAL.search(self.text)) and self._count(found["n"]) is not None:
            total = self._count(found["n"])
            self._kind(found.end())
            self._use(found["n"])
            self.text = f"{self.text[: found.start('n')]}{self.text[found.end('n') :]}"
        for found in NUMBER.finditer(self.text):
            if self._is_count(found):
                count = self._count(found["n"])
                said = found["how"] or ""
                how = "least" if re.match(r"at least|no (?:fewer|less)|a min", said) else "most" if said else ""
                self._use(found["n"])
                if total is None:
                    self._kind(found.end())
                self._take(found)
                break
        return total, count, how

    def _is_count(self, found: re.Match[str]) -> bool:
        return self._count(found["n"]) is not None and bool(
            re.match(r" (?:(?:out )?of\b|(?!M|and\b|or\b)[a-z]+\b)", self.text[found.end() :])
            or (
                re.match(r"\W*$", self.text[found.end() :])
                and re.search(r"\b(?:is|gives|equals|makes|yields|by|for|in) (?:[a-z]+ )?$", self.text[: found.start()])
            )
        )

    def _left(self) -> list[int]:
        """Returns the numbers of the statement that weren't understood yet."""
        said = {int(n) for n in re.findall(r"\bN(\d+)\b", self.clause.text)}
        names = {part for m in self.clause.mentions for x in m.labels for part in re.findall(r"\d+", x)}
        return sorted(n for n in said - self.used if self.clause.numbers[n].text.strip() not in names)

    def _use(self, word: str) -> None:
        if word[0] == "N":
            self.used.add(int(word[1:]))

    def _is_kind(self, mention: Mention) -> bool:
        """Returns whether a part of a label is only a word for what is counted: "of the four blocking strategies"."""
        at = f"M{self.clause.reading.mentions.index(mention)}"
        after = rf"\b(?:of|all|each|every|no|among)(?: the| all| our| {COUNT})* {at} (?:(?!stays|is\b)[a-z]+\b|§)"
        counted = rf"\b{COUNT} {at} (?:with|have|has|whose)\b"
        return not mention.exact and bool(re.search(after, self.text) or re.search(counted, self.clause.text))

    def _narrowed(self) -> bool:
        """Returns whether a word that the table doesn't have may say which of its rows are meant."""
        unknown = {w.lower() for w in (*self.clause.reading.unknown, *self.clause.reading.beside)}
        return any(w in unknown for kind in self.kinds for w in kind[:-1])

    def _places(self, cells: Sequence[Entry], groups: Sequence[Sequence[Mention]]) -> frozenset[int] | None:
        """Returns the positions of the cells that lists of mentions name; None if one of them names none or several."""
        found: set[int] = set()
        for group in groups:
            own = [n for n, e in enumerate(cells) if all(e.labels[m.dimension] in m.labels for m in group)]
            if len(own) != 1:
                return None
            found |= {*own}
        return frozenset(found)

    def _summary(self) -> tuple[Finding, Reading] | None:
        """Checks an average, a sum, or the smallest and largest number."""
        average, ends = AVERAGE.search(self.text), ENDS.search(self.text)
        if not (average or ends) or CHANGES.search(self.text):
            return None
        total = None
        if (found := TOTAL.search(self.text)) and (total := self._count(found["n"])) is not None:
            self._kind(found.end())
            self._use(found["n"])
        elif group := EACH.search(self.text):
            self._kind(group.end())
        left = self._left()
        chosen = [m for m in self.clause.mentions if not self._is_kind(m)]
        if len(left) != (2 if ends else 1) or (average and ends):
            return None
        if average and (comparison_in(self.text) or re.search(r"\b(?:\w+est|best|worst)\b", self.text)):
            return None
        if average and (not (found or group) or any("mean" in statistics_in(x) for m in chosen for x in m.labels)):
            return None
        self.used = set(left)
        groups = self._groups(chosen, total)
        results: set[bool | None] = set()
        for cells in groups:
            low, high = (min(cells, key=attrgetter("value")), max(cells, key=attrgetter("value")))
            if average:
                results.add(self._is_mean(left[0], cells))
                continue
            said = sorted(left, key=lambda n: self.clause.numbers[n].value)
            own = [self.clause.says(n, e) for n, e in zip(said, (low, high), strict=True)]
            results.add(False if False in own else None if None in own else True)
        if not groups or min(map(len, groups)) < 3:
            return None
        holds = next(iter(results)) if len(results) == 1 else None
        holds = None if total is None and self._narrowed() else holds
        cells = groups[0]
        shown = cells[:4] if average else (min(cells, key=attrgetter("value")), max(cells, key=attrgetter("value")))
        return self._result(holds, shown)

    def _is_mean(self, n: int, cells: Sequence[Entry]) -> bool | None:
        """Returns whether a number is the mean of cells as rounded; None if it is only close to it."""
        mean = sum(e.quantity.value for e in cells) / len(cells)
        if len({(e.unit, e.quantity.percent) for e in cells}) > 1:
            return None
        cell = replace(cells[0], quantity=replace(cells[0].quantity, value=mean, decimals=9, text=""))
        if self.clause.says(n, cell) is not False:
            return self.clause.says(n, cell)
        said = self.clause.converted(n, cell)
        return None if said is None or abs(said - mean) <= 0.005 * abs(mean) else False

    def _open(self) -> tuple[Finding, Reading]:
        """Returns that no other rule should decide the statement."""
        return Finding("count", None), self.clause.reading

    def _result(self, holds: bool | None, cells: Sequence[Entry]) -> tuple[Finding, Reading] | None:
        reading = self.clause.reading
        kinds = self.named.union(*self.kinds)
        parts = [p for p in re.split(r"[,:;()—]", self.text) if not re.search(r"§|[MN]\d", p) and not WHEN.match(p)]
        framing = {w for part in parts for w in part.split()}
        left = [w for w in reading.unknown if w.lower() not in kinds and fold(w) not in FILLER]
        left = [w for w in left if w.lower() not in framing or not says_only_remarks(w)]
        layout = self.clause.layout
        described = "".join(w[0] for w in label_words(" ".join((layout.caption, layout.about))))
        left = [w for w in left if not (w.isupper() and len(w) > 2 and w.casefold() in described)]
        names = [w for w in reading.names if w in left and w.lower() not in FILLER and fold(w) not in FILLER]
        if self._beside_labels() or (holds is not None and (left or names)):
            return self._open()
        if holds is None:
            return None
        why = f"The table has {', '.join(map(named, cells))}." if cells else "The table has no such cell."
        return Finding("count", holds, tuple(cells), why), replace(reading, unknown=tuple(left))

    def _beside_labels(self) -> bool:
        """Returns whether a column of numbers that was read as labels is named."""
        layout = self.clause.layout
        said = {fold(w) for w in re.findall(r"[a-z]+", self.clause.text)}
        for d in range(1, layout.rows - 2):
            labels = layout.labels(d)
            numbers = sum(bool(re.match(r"[\d.,]+\s?[a-zA-Z%]", x)) for x in labels)
            if 2 * numbers > len(labels) and said & {*label_words(layout.names[d])}:
                return True
        return False
