"""Brings tables of scores into one layout: a row for each review, with columns for item, referee, score and confidence.

It recognises EasyChair's cells with several scores, columns for reviewers ("Reviewer 1", "Ann") and reviews side by
side.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.exchange.tables import Field, Table, is_numeric, likeness

_ITEM = (
    "item", "submission id", "paper id", "submission number", "paper number", "submission no", "paper no",
    "submission", "paper", "forum", "manuscript", "proposal", "abstract id", "no title", "title", "=forum id", "entry",
    "article", "einreichung", "manuskript", "soumission", "manuscrit", "envío", "manuscrito", "inzending", "статья",
    "论文", "稿件", "論文", "논문",
)  # fmt: skip
_REFEREE = (
    "referee", "reviewer", "reviewer id", "reviewer name", "assessor", "evaluator", "judge", "signature", "rater",
    "panelist", "member name", "pc member", "=member", "=signatures", "=email address", "=email", "=username",
    "=your name", "=name", "gutachter", "gutachterin", "=nutzername", "=nom d'utilisateur", "relecteur", "rapporteur",
    "évaluateur", "revisor", "beoordelaar", "рецензент", "审稿人", "评审人", "査読者", "심사위원",
)  # fmt: skip
SCORE = (
    "final score", "score", "overall", "rating", "recommendation", "overall score", "overall rating",
    "overall evaluation", "overall assessment", "overall recommendation", "overall merit", "=ove mer", "total score",
    "evaluation", "grade", "mark", "gesamtbewertung", "bewertung", "=note", "note globale", "=nota", "nota global",
    "=cijfer", "оценка", "балл", "评分", "分数", "評点", "評価", "점수",
)  # fmt: skip
_CONFIDENCE = (
    "confidence", "reviewer confidence", "confident", "certainty", "expertise", "=rev exp", "familiarity", "familiar",
    "weight", "=conf", "sure", "sicherheit", "sicher", "confiance", "certitude", "confianza",
    "zekerheid", "уверенность", "置信度", "信心", "確信度", "확신도",
)  # fmt: skip
FIELDS = (
    Field("item", _ITEM, "name"),
    Field("referee", _REFEREE, "name"),
    Field("score", SCORE, "number", unless=tuple(word for word in _CONFIDENCE if word not in ("weight", "expertise"))),
    Field("confidence", _CONFIDENCE, "number", needed=False),
)
"""The columns of a table of scores, for ``plan_columns``. HotCRP shortens "Overall merit" and "Reviewer expertise"."""
_EASYCHAIR = (
    "#", "submission #", "member #", "member name", "number", "version", "text", "scores", "reviewer first name",
    "reviewer last name", "reviewer email", "reviewer person #", "date", "time", "attachment?",
)  # fmt: skip
"""The columns of EasyChair's review.csv, which has no header; newer files have the total score after the scores."""
_PART = re.compile(r"\s*([^\s:\d][^:\n]*):[ \t]*([-+\u2212]?\d+(?:[.,]\d+)?)[ \t]*(?:[:(][^\n]{0,80})?")
_REVIEWER = re.compile(
    r"(?:(?:reviewer|referee|rev|assessor|judge|rater|panelist|gutachter)\W{0,2}|r)(?:\d{1,2}|[A-Z])"
    r"(?:[\W_]*(?:score|rating)s?)?",
    re.IGNORECASE,
)
"""A column for the scores of one reviewer."""
_ASPECTS = (
    "clarity", "novelty", "originality", "soundness", "significance", "impact", "quality", "relevance", "presentation",
    "correctness", "contribution", "reproducibility", "ethics", "writing", "style", "method", "methodology", "result",
    "strength", "interest", "technical", "excitement", "readability", "page", "word", "length", "count", "vote", "rank",
)  # fmt: skip
"""Words in columns of numbers that are no reviewers' names."""
_NUMBERED = re.compile(r"(.*[^\W\d_])[\s_#.-]*(\d{1,2})(?!\d)[\s_.:-]*(.*)")
"""A column of one of several reviews side by side: what it is called before and after the number."""
SUMMARY = re.compile(
    r"(?:(?:grand|overall|weighted|simple|arithmetic)\s+)?(?:averages?|avg|mean|median|total|subtotal|std?\.? ?dev|std|"
    r"standard deviation|variance|mittelwert|durchschnitt|summe|moyenne|promedio|平均|合計)"
    r"(?:\s+(?:score|rating|value)s?)?\W*",
    re.IGNORECASE,
)
"""Names of summary rows that spreadsheets compute."""
NO_SCORE = re.compile(r"#|.*(?:#|\b(?:id|no|number|version|year))", re.IGNORECASE)
"""Names of columns with numbers that aren't scores."""


def _parted(table: Table) -> Table:
    """Splits columns whose cells have several scores, as EasyChair's ("Overall evaluation: 2", line break, "Reviewer's
    confidence: 4"), into one column per score; names EasyChair's columns if they have no header."""
    table = _named(table)
    names = list(table.columns)
    if names[:1] == ["column 1"] and len(names) in {15, 16} and any(map(_parts, table.column("column 8"))):
        names = [*_EASYCHAIR[:8], *["total score"] * (len(names) - 15), *_EASYCHAIR[8:]]
    columns: dict[str, list[str]] = {}
    for name, *cells in zip(names, *table.rows, strict=True):
        parts = [_parts(cell) for cell in cells]
        if not any(parts) or any(cell.strip() and not found for cell, found in zip(cells, parts, strict=True)):
            columns[name] = cells
            continue
        for part in dict.fromkeys(key for found in parts for key in found):
            columns[part if part not in names else f"{name}: {part}"] = [found.get(part, "") for found in parts]
    return replace(table, columns=tuple(columns), rows=tuple(zip(*columns.values(), strict=True)))


def _named(table: Table) -> Table:
    """Joins columns of first and last names into one, except EasyChair's, which name subreviewers."""
    first, last = (
        next((n for n, column in enumerate(table.columns) if re.fullmatch(name, column.strip(), re.IGNORECASE)), -1)
        for name in (r"(?:reviewer )?(?:first|given)[ _]name", r"(?:reviewer )?(?:last|family)[ _]name|surname")
    )
    if (
        min(first, last) < 0
        or "member name" in table.columns
        or not any(row[first].strip() and row[last].strip() for row in table.rows)
    ):
        return table
    columns = tuple("Reviewer name" if n == first else name for n, name in enumerate(table.columns) if n != last)
    rows = (
        tuple(f"{cell} {row[last]}".strip() if n == first else cell for n, cell in enumerate(row) if n != last)
        for row in table.rows
    )
    return replace(table, columns=columns, rows=tuple(rows))


def one_review_a_row(table: Table) -> Table:
    return _long(_side_by_side(_parted(table)))


def _long(table: Table) -> Table:
    """Converts a table with one column per reviewer ("Reviewer 1", "Reviewer 2", …) to one row per score."""
    places = {n: name for n, name in enumerate(table.columns) if _REVIEWER.fullmatch(name.strip())} or _people(table)
    scores = (
        c for c in table.columns if likeness(c, SCORE)[0] and c not in places.values() and not SUMMARY.fullmatch(c)
    )
    if len(places) < 2 or any(scores) or not is_numeric([row[n] for row in table.rows for n in places]):
        return table
    sources = [(name, at) for at, name in places.items()]
    return _melted(table, ("Reviewer (column)", "Score (cell)"), sources, "a column for each reviewer")


def _people(table: Table) -> dict[int, str]:
    """Returns the columns that are probably called after reviewers ("Ann", "Ben"): the columns of numbers of a table
    with an item in each row, if none of them is called something else."""
    if any(
        likeness(column, words)[0] for column in table.columns for words in (_REFEREE, SCORE, _CONFIDENCE, _ASPECTS)
    ):
        return {}
    items = [n for n, column in enumerate(table.columns) if likeness(column, _ITEM)[0]]
    named = table.column(table.columns[items[0]]) if items else []
    found = {
        n: column
        for n, column in enumerate(table.columns)
        if n not in items and not SUMMARY.fullmatch(column) and is_numeric(table.column(column))
    }
    fits = len(set(named)) == len(named) > 1 and len(found) > 1 and not any(map(NO_SCORE.fullmatch, found.values()))
    return found if fits else {}


def _side_by_side(table: Table) -> Table:
    """Returns the table with a row for each review if reviews are side by side ("Reviewer 1", "Score 1", "Reviewer 2",
    "Score 2", ...)."""
    groups: dict[str, dict[str, int]] = {}
    for place, column in enumerate(table.columns):
        if named := _NUMBERED.fullmatch(column.strip()):
            groups.setdefault(f"{named[1]} {named[3]}".strip(), {})[named[2]] = place
    numeric = {base for base, at in groups.items() if is_numeric([row[n] for row in table.rows for n in at.values()])}
    people = (base for base in groups if likeness(base, _REFEREE)[0] and base not in numeric)
    numbers = groups[base].keys() if (base := next(people, "")) else set()
    together = {base: at for base, at in groups.items() if at.keys() == numbers}
    if len(numbers) < 2 or not any(likeness(base, SCORE)[0] and base in numeric for base in together):
        return table
    sources = [tuple(at[number] for at in together.values()) for number in numbers]
    return _melted(table, tuple(together), sources, "reviews side by side")


def _melted(table: Table, names: Sequence[str], sources: Sequence[tuple[int | str, ...]], how: str) -> Table:
    """Returns the table with a row for each of ``sources`` that has a filled cell: columns, or fixed texts, under
    ``names``. Other columns are repeated, except averages."""
    taken = {place for source in sources for place in source if isinstance(place, int)}
    kept = [n for n, name in enumerate(table.columns) if n not in taken and not SUMMARY.fullmatch(name)]
    found = [
        (number, (*(row[n] for n in kept), *(row[at] if isinstance(at, int) else at for at in source)))
        for number, row in zip(table.numbers, table.rows, strict=True)
        for source in sources
        if any(row[at].strip() for at in source if isinstance(at, int))
    ]
    return replace(
        table,
        columns=(*(table.columns[n] for n in kept), *names),
        rows=tuple(row for _, row in found),
        numbers=tuple(number for number, _ in found),
        assumed=f"{table.assumed[:-1]}; {how}: {', '.join(table.columns[n] for n in sorted(taken))}.",
    )


def _parts(cell: str) -> dict[str, str]:
    """Returns the scores of a cell in which all lines have names and at least half have numbers; else an empty dict."""
    lines = cell.strip().splitlines()
    found = {part[1].strip(): part[2] for part in map(_PART.fullmatch, lines) if part}
    return (
        found if 2 * len(found) >= len(lines) and all(re.match(r"[^\s:\d][^:]{0,60}:", line) for line in lines) else {}
    )
