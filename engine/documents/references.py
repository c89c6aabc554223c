"""Finds references of a free text (a review, a letter) to places: "Table 2", "lines 120-135", “quoted words”.

Only the wording is analysed; ``places.py`` decides whether the place exists.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

PlaceKind = Literal[
    "section", "appendix", "table", "figure", "algorithm", "equation", "statement", "page", "line", "quote"
]
"""``statement`` is a theorem, lemma, definition and the like."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A place named in a text: [start, end) of the text, and its description.

    ``number`` is as the paper would print it ("2", "3.1", "S1", "A", "IV"), "" for a section named by its title;
    ``last`` ends a range of pages or lines; ``title`` is a section's title, a statement's kind ("theorem") or the words
    of a quotation without quotation marks; ``part`` is the panel of a figure ("b").
    """

    kind: PlaceKind
    number: str
    start: int
    end: int
    last: str = ""
    title: str = ""
    part: str = ""
    supplement: bool = False

    @property
    def label(self) -> str:
        """The place as people name it: "Table 2", "Section 3.1", "Section “Methods”", "Lines 120–135"."""
        if self.kind == "quote":
            return "Quotation"
        if self.kind == "section" and not self.number:
            return "The appendix" if self.supplement else f"Section “{self.title[:1].upper()}{self.title[1:]}”"
        name = self.title.capitalize() if self.kind == "statement" else self.kind.capitalize()
        if self.last:
            return f"{name}s {self.number}–{self.last}"
        return f"{'Supplementary ' if self.supplement else ''}{name} {self.number}{self.part}"

    @property
    def own_number(self) -> str:
        """The number in the paper: with "S" for "Supplementary Table 1"."""
        return f"S{self.number}" if self.supplement and not self.number.startswith("S") else self.number


_KINDS: dict[str, PlaceKind] = {
    "fig": "figure", "tab": "table", "tbl": "table", "sec": "section", "sub": "section", "§": "section",
    "cha": "section", "eq": "equation", "equ": "equation", "for": "equation", "app": "appendix", "alg": "algorithm",
    "pag": "page", "p": "page", "pp": "page", "pg": "page", "lin": "line", "l": "line", "ll": "line",
    "the": "statement", "thm": "statement", "lem": "statement", "cor": "statement", "pro": "statement",
    "def": "statement", "ass": "statement", "rem": "statement", "lis": "algorithm",
}  # fmt: skip
_STATEMENTS = {
    "the": "theorem", "thm": "theorem", "lem": "lemma", "cor": "corollary", "pro": "proposition", "def": "definition",
    "ass": "assumption", "rem": "remark",
}  # fmt: skip
_WORD = (
    r"fig(?:ure|s)?s?|tab(?:le)?s?|tbls?|(?:sub)*sec(?:tion|t)?s?|chapters?|eq(?:uatio)?n?s?|formulas?|append(?:ix|ices)"
    r"|app|alg(?:orithm|o)?s?|listings?|pages?|pp|pgs?|p|lines?|ll|l|theorems?|thms?|lemmas?|lemmata|corollar(?:y|ies)"
    r"|propositions?|props?|definitions?|defs?|assumptions?|remarks?"
)
_NUMBER = (
    r"[IVXL]{1,6}[-.][A-Z]\b|(?:SI\s|[A-Z]{1,2}[-.]?)?\d{1,4}(?:[.–-]?(?<=\.)\d{1,3})*(?:\.\d{1,3})*|[IVXL]{1,6}\b"
    r"|[A-Z](?:\.\d{1,3})*\b"
)
_ONE = rf"\(?(?P<number>{_NUMBER})(?:\((?=[a-hA-H]\)))?(?P<part>[a-h]\b|[A-H]\b)?\)?"
_MENTION = re.compile(
    rf"(?<![\w.])(?P<supplement>(?:supp?l?(?:ementa(?:ry|l))?\.?|extended\s+data|supporting)\s+)?"
    rf"(?:(?P<word>{_WORD})(?P<stop>\.)?[\s~\u00a0]*|(?P<sign>§+)\s*)"
    rf"(?:no\.?\s*|number\s+|\#\s*)?{_ONE}(?![\w%])",
    re.IGNORECASE,
)
# Words of other languages, each with a number, which follows directly in languages without spaces.
_FOREIGN: dict[PlaceKind, str] = {
    "table": "tabellen?|tableaux?|tablas?|tabelas?|tabelle|tabella|tabel|tabell|tabela|таблиц\\w{0,3}|табл\\.|表|표",
    "figure": "abbildung(?:en)?|abb\\.|figura|figuras|figuur|figur|рисун\\w{2,4}|рис\\.|图|圖|図|그림",
    "section": "abschnitt(?:en?|s)?|kapitel|secci[óo]n|se[çc][ãa]o|sezione|sectie|avsnitt|раздел\\w{0,3}",
    "equation": "gleichung(?:en)?|[ée]quation|ecuaci[óo]n|equa[çc][ãa]o|equazione|уравнени\\w{1,2}",
    "appendix": "anhang|annexe|ap[ée]ndice|appendice|приложени\\w{1,2}",
    "page": "seiten?|p[áa]ginas?|pagina|стр\\.|страниц[аеы]",
    "line": "zeilen?|lignes?|l[íi]neas?|linhas?|righe|строк[аеи]",
}
_FOREIGN_MENTION = re.compile(
    "|".join(
        rf"(?<![^\W一-鿿가-힯ぁ-ヿ])(?P<{kind}>{words})\s*(?:n[ºo°]\.?\s*)?(?P<{kind}_number>[A-Z]?\d{{1,4}}(?:\.\d{{1,3}})*)(?![\d%])"
        for kind, words in _FOREIGN.items()
    )
    + r"|第?\s*(?P<nth>\d{1,3}(?:\.\d{1,3})*|[一二三四五六七八九十](?![一二三四五六七八九十]))\s*"
    r"(?P<of>节|節|章|절|장|页|頁|ページ|쪽)",
    re.IGNORECASE,
)
# Short words name a place only before a number, and never in a comparison ("p = 5", "p < 0.05").
_CAREFUL = frozenset({"p", "l", "ll", "pp", "pg", "pgs", "app", "prop", "props", "def", "defs"})
_BARE = frozenset({"page", "pages", "p", "pp", "pg", "pgs", "line", "lines", "l", "ll"})
_NEXT = re.compile(
    rf"\s*(?P<glue>,?\s*(?:and|or|&|as well as)\s+|,\s*|/\s*|\s*(?:[-–—]|\bto\b|\bthrough\b)\s*){_ONE}(?![\w%])"
)
# After a singular ("Table 2, 5 of the ...") a further number is another place only if nothing countable follows it.
_COUNTING = re.compile(
    r"\s+(?!(?:and|or|are|is|was|were|do|does|show|shows|report|reports|present|presents|should|could|would|can|may|must"
    r"|have|has|had|in|on|to|for|with|give|gives|list|lists|suggest|suggests|indicate|indicates|both|also|but|as|at|by"
    r"|from|not|look|looks|need|needs|use|uses|because|which|that|seem|seems|appear|appears)\b)[a-z]"
)
_ROWS = re.compile(r"\s*(?:[-–—]|\bto\b|\bthrough\b)\s*")
TITLES = (
    "abstract|introduction|background|related works?|prior work|previous work|preliminaries|problem (?:statement"
    "|formulation|setup)|methods?|methodology|materials and methods|methods and materials|approach|model|experiments?"
    "|experimental (?:setup|results?|evaluation)|evaluation|results?|results and discussion|analysis|ablation"
    "(?: stud(?:y|ies))?|discussion|limitations?|conclusions?|future work|broader impact|ethics statement|data"
    "|datasets?|acknowledge?ments?|supplementary materials?|references|bibliography"
)
_NAMED = re.compile(
    rf"\bsection\s+(?:on\s+|titled\s+|called\s+|named\s+)?[“\"‘'](?P<quoted>[^“”\"‘’'\n]{{3,100}})[”\"’']"
    rf"|[“\"‘'](?P<before>[^“”\"‘’'\n]{{3,100}})[”\"’']\s+(?:sub)?section\b"
    rf"|\b(?:the|your|their|an?)\s+(?P<plain>{TITLES})\s+(?:sub)?section\b"
    rf"|\b(?:in|of)\s+the\s+(?P<only>abstract|introduction|conclusions?)\b"
    rf"|\b(?:in|under)\s+the\s+(?P<within>discussion|limitations)(?=,|\s+(?:they|we|it|the\s+authors?|one)\b)"
    rf"|\bthe\s+(?P<says>abstract|introduction|discussion|conclusions?|appendix)(?=\s+(?:also\s+|only\s+|correctly\s+|even\s+)?"
    rf"(?:says?|states?|claims?|reports?|mentions?|writes?|notes?|reads?|argues?|describes?|gives?|lists?|promises?"
    rf"|concludes?|explains?|shows?|warns?|admits?|discuss(?:es)?|recommends?|does|do|contains?|presents?|summari[sz]es?"
    rf"|introduces?)\b)"
    rf"|\bsection\s+(?P<titled>(?:{TITLES}))\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"“(?P<a>[^“”]{2,1200})”|„(?P<b>[^„“”]{2,1200})[“”]|«(?P<c>[^«»]{2,1200})»"
    r"|(?<![\w\"])\"(?P<d>(?=\S)[^\"]{2,1200}?(?<=\S))\"(?![\w\"])|``(?P<e>[^`']{2,1200})''"
    r"|「(?P<g>[^「」]{2,1200})」|『(?P<h>[^『』]{2,1200})』|»(?P<i>[^«»]{2,1200})«|”(?P<j>[^“”]{2,1200})”"
    r"|(?<![\w'’‘])[‘](?P<f>[^‘’]{2,400}(?:[’](?=\w)[^‘’]*)*)[’](?!\w)"
)
_LINE_FIRST = re.compile(
    r"\W*(?P<number>\d{2,4})(?:\s*[-–]\s*(?P<last>\d{2,4})(?=\W*\s[A-Z])|(?=:\s)"
    r"|(?<=\d{3})(?<!\b(?:19|20)\d\d)(?=\s+[A-Z“\"])(?!\s+(?:[kKMGT]?B|[kMG]?(?:Hz|W|V)|K)\b))"
)
"""The numbers of lines at the beginning of a comment: "186 Could ...", "203-206: What ...\"."""
_CITING = re.compile(r"(?:\d ?\(\d{1,3}\)|\b(?:19|20)\d\d\b[\d\s,();:]*),\s*$")
"""What precedes the pages of a cited work: its volume and issue, or its year ("2018, 14 (10), pp. 12-20")."""
_LONGEST_RANGE = 20


def find_references(text: str) -> tuple[Reference, ...]:
    """Returns the places that a text names, in text order.

    A list ("Tables 2 and 3", "Figs. 1-3") gives one reference per number; a range of pages or lines one with ``last``.
    Everything in quotation marks is a quotation; the caller decides whether it quotes a paper.
    """
    found = [*_mentions(text), *_foreign(text), *_titles(text), *_quotations(text)]
    if line := _LINE_FIRST.match(text):
        found.append(Reference("line", line["number"], line.start("number"), line.end(), last=line["last"] or ""))
    inside = [(r.start, r.end) for r in found if r.kind == "quote"]
    named = [(r.start, r.end) for r in found if r.kind == "section" and not r.number]

    def kept(reference: Reference) -> bool:
        if reference.kind == "quote":
            return not any(a < reference.end and reference.start < b for a, b in named)
        return not any(a <= reference.start and reference.end <= b for a, b in inside)

    return tuple(sorted(filter(kept, found), key=lambda r: (r.start, r.end)))


def _mentions(text: str) -> Iterator[Reference]:
    position = 0
    while (match := _MENTION.search(text, position)) is not None:
        position = match.end("word") if match["word"] else match.end("sign")
        word = (match["word"] or "§").lower()
        number = match["number"]
        if not _fits(word, number, match):
            continue
        supplement = bool(match["supplement"])
        end = match.end("part") if match["part"] else match.end("number")
        if end < len(text) and text[end] == ")" and "(" in text[match.end("word") if match["word"] else 0 : end]:
            end += 1
        kind = _kind(word)
        if kind == "page" and _CITING.search(text[max(0, match.start() - 30) : match.start()]):
            continue
        title = _STATEMENTS.get(word[:3], "") if kind == "statement" else ""
        start, part = match.start(), match["part"] or ""
        if kind == "appendix" and number[0].isdigit() and "." not in number:
            supplement = False
        if kind in ("page", "line"):
            reach = re.compile(rf"{_ROWS.pattern}(?P<last>\d{{1,4}})(?![\w%])").match(text, end)
            last = reach["last"] if reach else ""
            end = reach.end() if reach else end
            if last and int(last) < int(number):
                last = number[: max(0, len(number) - len(last))] + last  # "lines 120-35"
            yield Reference(kind, number, start, end, last=last)
        else:
            yield Reference(kind, _canonical(number), start, end, title=title, part=part.lower(), supplement=supplement)
        while (further := _NEXT.match(text, end)) is not None and _alike(number, further["number"]):
            stop = further.end("part") if further["part"] else further.end("number")
            if not word.endswith(("s", "ses", "ces", "§§")) and (
                further["glue"].strip() == "," or _COUNTING.match(text, stop)
            ):
                break
            at = further.start("number")
            if kind in ("page", "line"):
                if not further["number"].isdigit():
                    break
                yield Reference(kind, further["number"], at, stop)
            else:
                if _ROWS.fullmatch(further["glue"]):
                    for between in _between(number, further["number"]):
                        yield Reference(kind, between, at, stop, title=title, supplement=supplement)
                yield Reference(
                    kind,
                    _canonical(further["number"]),
                    at,
                    stop,
                    title=title,
                    part=(further["part"] or "").lower(),
                    supplement=supplement,
                )
            number, end = further["number"], stop
        position = max(position, end)


def _fits(word: str, number: str, match: re.Match[str]) -> bool:
    """Returns whether word and number name a place, not a word before a capital ("table A is", "section I think")."""
    digits = any(c.isdigit() for c in number)
    if word in _BARE and not number.isdigit():
        return False
    if word in _CAREFUL and not (digits or word == "app"):
        return False
    # A word directly before its number is usually a name ("fig2" is a place, but "p53" a gene and "APPS" a benchmark).
    glued = bool(match["word"]) and match.end("word") == match.start("number")
    if word in ("p", "l") and not match["stop"] and not match["word"].islower() and not (glued and word == "l"):
        return False
    if digits:
        line = (
            glued and word == "l" and (len(number) > 2 or re.search(r"(?:^|[(\[#\n])$", match.string[: match.start()]))
        )
        return not (glued and word in ("p", "l", "app", "eq")) or bool(line and number.isdigit() and len(number) > 1)
    if glued or number.islower():
        return False
    after = match.string[match.end() : match.end() + 12]
    if match["stop"] or (match["word"] in ("Table", "Figure") and number == "I" and re.match(r"\s+[a-z]+s\b", after)):
        return True  # "Tab. I", "Table I shows"
    return not (number in ("I", "A") and word not in ("appendix", "app") and re.match(r"\s+[a-z]", after))


def _kind(word: str) -> PlaceKind:
    for length in (3, 2, 1):
        if word[:length] in _KINDS and (length == 3 or len(word) <= 3 or word[:2] == "eq"):
            return _KINDS[word[:length]]
    raise ValueError(f"no kind of place is called {word!r}")


def _canonical(number: str) -> str:
    return number.upper().strip(".") if number[0].isalpha() else number.strip(".")


def _alike(first: str, second: str) -> bool:
    """Returns whether two numbers may form a list: both start with a digit, or both with a letter."""
    return first[0].isdigit() == second[0].isdigit()


def _between(first: str, last: str) -> tuple[str, ...]:
    """Returns the whole numbers between the ends of a range, with their letter prefix; empty for other numberings."""
    head = re.fullmatch(r"([A-Z]*)(\d+)", first)
    tail = re.fullmatch(r"([A-Z]*)(\d+)", last)
    if head is None or tail is None or (tail[1] and tail[1] != head[1]):
        return ()
    low, high = int(head[2]), int(tail[2])
    if not 1 < high - low <= _LONGEST_RANGE:
        return ()
    return tuple(f"{head[1]}{n}" for n in range(low + 1, high))


def _foreign(text: str) -> Iterator[Reference]:
    for match in _FOREIGN_MENTION.finditer(text):
        kind = next(
            (kind for kind in _FOREIGN if match[kind]), "section" if (match["of"] or "") in "节節章절장" else "page"
        )
        number = match["nth"] or match[f"{kind}_number"]
        digits = str("一二三四五六七八九十".find(number) + 1) if number in "一二三四五六七八九十" else number
        yield Reference(kind, _canonical(digits), match.start(), match.end())


def _titles(text: str) -> Iterator[Reference]:
    for match in _NAMED.finditer(text):
        group = next(name for name in ("quoted", "before", "plain", "only", "within", "says", "titled") if match[name])
        title = match[group].strip()
        own = title.lower() == "appendix"  # may be a separate file
        yield Reference("section", "", match.start(), match.end(), title=title, supplement=own)


def _quotations(text: str) -> Iterator[Reference]:
    for match in _QUOTED.finditer(text):
        words = next(group for group in match.groups() if group is not None)
        yield Reference("quote", "", match.start(), match.end(), title=words.strip())


_HEADING = re.compile(
    r"^(?:section\s+)?(?P<number>\d+(?:\.\d+)*|[A-Z](?:\.\d+)*)[.:]?\s+(?P<title>\S.*)$", re.IGNORECASE
)


def section_name(path: str) -> str:
    """Formats a section for use in a sentence: “Section 4.2”, “Appendix B”, “Section “Error Measure””; "" if there is
    none."""
    title = path.rpartition(" > ")[2].strip()
    if title.casefold() in ("", "abstract"):
        return title and "the abstract"
    numbered = _HEADING.match(title)
    if numbered is None:
        return title if title.casefold().startswith(("section", "appendix")) else f"Section “{title}”"
    number = numbered["number"]
    return f"Appendix {number.upper()}" if number[0].isalpha() else f"Section {number}"
