"""Reads Peer-Review-Analyze (Ghosal et al. 2022): reviews with labels embedded in the text after each sentence.

A file is one line: the review, escaped like a JSON string though seldom valid JSON, with a mark after each sentence:
``[[SECTION-POLARITY, ...], [ASPECT-POLARITY, ...]]``, ``null`` if there is no aspect. Brackets, separators and case
vary, the closing quote may come early, and a mark may split an escape sequence, so parsing is tolerant. What looks like
a mark but can't be parsed is removed from the text and reported in a warning.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from engine.errors import not_read
from engine.exchange.encoding import read_text
from engine.reviews.labels.records import LabelledReview, LabelledSentence, Layer
from engine.reviews.labels.taxonomy import by_code
from engine.reviews.records import SourceText, Span

DATA_SET = "peer_review_analyze"

_SECTIONS = "INT|RWK|PDI|DAT|MET|EXP|RES|TNF|ANA|FWK|OAL|BIB|EXT|ABS|CNT"
_ASPECTS = "APR|NOV|IMP|CMP|PNF|REC|EMP|SUB|CLA|CNT"
# All quantifiers are bounded and mostly possessive: a mark has a few dozen labels, and a long run of other characters
# must not cause quadratic backtracking.
_DIVIDER = r"\s{0,3}[-_<>–—:.~=+ ]?\s{0,3}"
_BETWEEN = r"[\s,;.<'\"]{0,20}+"
_END = r"[\]})]{1,8}+"
_HALVES = r"[\]})]{0,8}+\s{0,20}+,{0,4}+\s{0,20}+[\[{(]{0,8}+\s{0,20}+"
# A label or another code: a layer of the full data set that isn't in this release, or a typing error.
_ANY = rf"(?:[a-z]{{3}}(?:{_DIVIDER}(?:POS|NEG|NEU|null))?|null)(?![a-z]){_BETWEEN}"
_SURE = rf"(?:{_SECTIONS}|{_ASPECTS})(?:{_DIVIDER})(?:POS|NEG|NEU)(?![a-z]){_BETWEEN}"
_MARK = re.compile(
    # the full form [[...], [...]], possibly without the middle bracket or the second half
    rf"\[\[\s{{0,20}}+(?P<sections>(?:{_ANY}){{1,60}}+)"
    rf"(?:{_HALVES}(?P<aspects>(?:{_ANY}){{0,60}}+){_END}|{_END})"
    # other brackets, or none at the start, if the first label is unambiguous
    rf"|(?<![a-z])[\[{{(,]{{0,8}}+\s{{0,20}}+(?P<loose>{_SURE}(?:{_ANY}){{0,60}}+)"
    rf"(?:{_HALVES}(?P<rest>(?:{_ANY}){{0,60}}+){_END}|{_END})"
    # only the second half
    r"|,\s*\[(?P<stray>[A-Z]{3}(?:,[A-Z]{3})*)\]\]",
    re.IGNORECASE,
)
_UNREADABLE = re.compile(r"\[\[(?=[^\]]{0,240}[A-Z]{3})[^\[\]]{1,120}\]?\s{0,20}+,?\s{0,20}+\[?[^\[\]]{0,120}\]\]")
_LABEL = re.compile(rf"({_SECTIONS}|{_ASPECTS})(?:{_DIVIDER}(POS|NEG|NEU))?(?![a-z])", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[nrtbf\"'\\/])")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_CLOSING = re.compile(r"[.!?…,;:\"”’')\]]{1,20}(?=\s|$)")


def read_peer_review_analyze(folder: Path) -> tuple[LabelledReview, ...]:
    """Returns all reviews of the released layout, ``<decision>/<forum>/<review>_annotated.txt``, sorted by paper and
    name. Raises BadInput if the folder contains no such file."""
    files = sorted(folder.rglob("*_annotated.txt"), key=lambda file: (file.parent.name, file.name))
    if not files:
        raise not_read(
            f"There are no annotated reviews in {folder}.",
            "Choose the Peer-Review-Analyze folder that contains the decision folders with the papers.",
        )
    return tuple(
        read_review(read_text(file, empty=True).text, name=file.stem, paper=file.parent.name) for file in files
    )


def read_review(raw: str, *, name: str, paper: str = "") -> LabelledReview:
    """Parses one annotated review. Text after the last mark stays in the text but belongs to no sentence."""
    pieces, warnings = _pieces(_without_quotes(raw), name)
    text: list[str] = []
    length = begin = 0
    sentences: list[LabelledSentence] = []
    cuts: list[tuple[int, dict[Layer, tuple[str, ...]] | None]] = []
    for content, labels in pieces:
        text.append(content)
        length += len(content)
        cuts.append((length, labels))
    whole = "".join(text)
    for cut, labels in cuts:
        if labels is None:
            continue
        closing = _CLOSING.match(whole, cut)
        end = closing.end() if closing else cut
        start = begin
        while start < end and whole[start].isspace():
            start += 1
        stop = end
        while stop > start and whole[stop - 1].isspace():
            stop -= 1
        if start < stop:
            sentences.append(LabelledSentence(Span(start, stop), labels))
        begin = max(end, begin)
    record = SourceText(name, name, whole, media_type="text/plain", reviewer=name.removesuffix("_annotated"))
    return LabelledReview(paper or name, record, tuple(sentences), tuple(warnings))


def sentence_polarity(polarities: Sequence[str]) -> str:
    """Combines the polarities of sections and aspects (codes) into one: the majority of POS and NEG, NEG for a tie
    (praise with a "but"), and NEU if there is neither."""
    counts = Counter(polarities)
    if not counts["POS"] and not counts["NEG"]:
        return "NEU"
    return "POS" if counts["POS"] > counts["NEG"] else "NEG"


def _without_quotes(raw: str) -> str:
    body = raw.strip("\ufeff \t\r\n")
    if not body.startswith('"'):
        return body
    body = body[1:]
    loose = [m.start() for m in re.finditer(r'(?<!\\)(?:\\\\)*"', body)]
    if len(loose) == 1 or (loose and not _MARK.sub("", body[loose[-1] + 1 :]).strip()):
        at = body.index('"', loose[-1])
        body = body[:at] + body[at + 1 :]
    return body


def _pieces(body: str, name: str) -> tuple[list[tuple[str, dict[Layer, tuple[str, ...]] | None]], list[str]]:
    """Returns the unescaped text between marks, each piece with the following mark's labels, and warnings."""
    pieces: list[tuple[str, dict[Layer, tuple[str, ...]] | None]] = []
    warnings: list[str] = []
    carried = ""
    for raw, mark in _raw_pieces(body):
        readable = mark is not None and mark.re is _MARK and not mark["stray"]
        chunk, carried = carried + raw, ""
        if mark is not None and (len(chunk) - len(chunk.rstrip("\\"))) % 2 == 1:
            chunk, carried = chunk[:-1], "\\"
        pieces.append((_unescaped(chunk), _labels(mark) if mark is not None and readable else None))
        if mark is not None and not readable:
            shown = mark.group()[:60].lstrip(", ")
            warnings.append(f"{name}: the mark {shown} can't be read, so its sentence was joined with the next one.")
    return pieces, warnings


def _raw_pieces(body: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    marks = list(_MARK.finditer(body))
    unreadable: list[re.Match[str]] = []
    starts = [m.start() for m in marks]  # sorted and disjoint, so only the nearest can overlap
    for m in _UNREADABLE.finditer(body):
        before = bisect_left(starts, m.end())
        if not before or marks[before - 1].end() <= m.start():
            unreadable.append(m)
    at = 0
    for mark in sorted([*marks, *unreadable], key=lambda m: m.start()):
        yield body[at : mark.start()], mark
        at = mark.end()
        # The annotation tool put a space after each mark; removing it restores the original text.
        if body[at : at + 1] == " ":
            at += 1
    yield body[at:], None


def _unescaped(chunk: str) -> str:
    def plain(match: re.Match[str]) -> str:
        code = match.group(1)
        return chr(int(code[1:], 16)) if code[0] == "u" else _PLAIN.get(code, code)

    text = _ESCAPE.sub(plain, chunk)
    # Characters outside the Basic Multilingual Plane are escaped as surrogate pairs.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _labels(mark: re.Match[str]) -> dict[Layer, tuple[str, ...]]:
    themes, aspects = by_code("theme", DATA_SET), by_code("aspect", DATA_SET)
    # Both halves are searched for both kinds, since the bracket between them may be missing.
    found = _LABEL.findall(" ".join(filter(None, mark.groups())))
    polarity = sentence_polarity([sign.upper() for _, sign in found])
    return {
        "theme": _known([code.upper() for code, _ in found], themes),
        "aspect": _known([code.upper() for code, _ in found], aspects),
        "polarity": (by_code("polarity", DATA_SET)[polarity],),
    }


def _known(found: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names[code] for code in found if code in names))
