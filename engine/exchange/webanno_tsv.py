r"""Reads and writes WebAnno TSV 3.3, the format of INCEpTION with one line per token and one column per feature.

https://inception-project.github.io/releases/38.0/docs/user-guide.html#sect_webannotsv

Offsets in the file count UTF-16 code units. A mark over several tokens has a number, ``value[3]``; marks of the same
token are separated by ``|``; ``*`` is a mark without a value, ``_`` no mark. ``\ [ ] | _ -> ; *``, tabs and line ends
are escaped. Text between sentences isn't in the file; it is filled with a line end and blanks.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from engine.errors import not_imported
from engine.exchange.marked_texts import FEATURES, ID, Mark, MarkedDocument, MarkedTexts, gathered, segmented
from engine.exchange.records import ExportFile
from engine.reviews.records import Span

_HEAD = "#FORMAT=WebAnno TSV 3"
_PREFIX = "webanno.custom."
_CONTROLS = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f", "\b": "\\b"}
_BACK = {code[1]: character for character, code in _CONTROLS.items()}
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_NUMBERED = re.compile(r"((?:\\.|[^\\])*)\[(\d{1,9})\]", re.DOTALL)
_PLACE = re.compile(r"(\d{1,9})-(\d{1,9})(\.\d{1,9})?")
_WIDEST_GAP = 100_000
_OFFSETS = re.compile(r"(\d{1,12})-(\d{1,12})")


def write_tsv(documents: Sequence[MarkedDocument]) -> tuple[ExportFile, ...]:
    """Returns one file per document. Whitespace at the ends of marks and sentences is left out."""
    return tuple(
        ExportFile(f"{document.name}.tsv", _text(document).encode("utf-8", "replace")) for document in documents
    )


def _text(document: MarkedDocument) -> str:
    text = document.text
    layers = {layer: (ID, *names) for layer, names in FEATURES.items()}
    for mark in document.marks:
        names = layers.setdefault(mark.layer, (ID,))
        layers[mark.layer] = (*names, *(name for name, _ in mark.features if name not in names))
    used = [layer for layer in layers if any(mark.layer == layer for mark in document.marks)]
    pieces = [(number, mark, span) for number, (mark, span) in enumerate(_flat(document), start=1)]
    sentences = segmented(text, {place for _, _, span in pieces for place in (span.start, span.end)})
    units = _units(text)
    lines = [f"{_HEAD}.3"]
    lines += [f"#T_SP={_PREFIX}{layer}|{'|'.join(layers[layer])}" for layer in used]
    waiting, open_ = sorted(pieces, key=lambda piece: piece[2].start)[::-1], []  # not started yet, in reverse
    for number, (sentence, tokens) in enumerate(sentences, start=1):
        lines += ["", "#Text=" + _controls(text[sentence.start : sentence.end].replace("\\", "\\\\"))]
        for place, token in enumerate(tokens, start=1):
            while waiting and waiting[-1][2].start < token.end:
                open_.append(waiting.pop())
            open_ = [piece for piece in open_ if piece[2].end > token.start]
            here = sorted(open_, key=lambda piece: piece[0])
            cells = [
                "|".join(f"{_value(mark, name)}[{key}]" for key, mark, _ in here if mark.layer == layer) or "_"
                for layer in used
                for name in layers[layer]
            ]
            word = _escaped(text[token.start : token.end])
            lines.append("\t".join((f"{number}-{place}", f"{units[token.start]}-{units[token.end]}", word, *cells, "")))
    return "\n".join([lines[0], *lines[1 : 1 + len(used)], "", *lines[1 + len(used) :]]) + "\n"


def _flat(document: MarkedDocument) -> Iterator[tuple[Mark, Span]]:
    """Yields each span of each mark without surrounding whitespace; spans of whitespace only are skipped."""
    for mark in document.marks:
        for span in mark.spans:
            words = document.text[span.start : span.end]
            start = span.start + len(words) - len(words.lstrip())
            if words.strip():
                yield mark, Span(start, start + len(words.strip()))


def _value(mark: Mark, name: str) -> str:
    value = mark.id if name == ID else dict(mark.features).get(name, "")
    return _escaped(value) if value else "*"


def _escaped(value: str) -> str:
    marked = re.sub(r"->|[\\\[\]|_;*]", lambda found: f"\\{found[0]}", value)
    return _controls(marked)


def _controls(value: str) -> str:
    return "".join(_CONTROLS.get(character, character) for character in value)


def _plain(value: str) -> str:
    return _ESCAPED.sub(lambda found: _BACK.get(found[1], found[1]), value)


def _units(text: str) -> list[int]:
    """Returns the UTF-16 offset of every code point and of the end of the text."""
    found = [0]
    for character in text:
        found.append(found[-1] + 1 + (ord(character) > 0xFFFF))
    return found


def read_tsv(name: str, content: str) -> MarkedTexts:
    """Parses a file into one document. Relations, chains and slots are left out and counted in a warning. Raises
    BadInput if the file isn't WebAnno TSV 3 or a token line is malformed, out of order or outside the text."""
    lines = content.replace("\r\n", "\n").split("\n")
    if not lines[0].startswith(_HEAD):
        raise not_imported(f"{name} isn't WebAnno TSV 3.", "Export it as WebAnno TSV 3.3.")
    columns, other = _columns(lines)
    text, tokens, empty = _tokens(lines, name)
    marks = gathered(_marks(columns, tokens, len(text)))
    left_out = {"layers of relations, chains or slots": other, "marks without words": empty}
    warnings = tuple(f"{name}: {n} {words} were left out." for words, n in left_out.items() if n)
    return MarkedTexts((MarkedDocument(name, text, marks),), warnings)


def _columns(lines: Sequence[str]) -> tuple[list[tuple[str, str] | None], int]:
    """Returns the layer and feature of each column, None for ignored columns, and the number of ignored layers."""
    found: list[tuple[str, str] | None] = []
    other = 0
    for line in lines:
        if not line.startswith("#T_"):
            continue
        kind, _, rest = line[3:].partition("=")
        layer, *names = rest.split("|")
        plain = layer.removeprefix(_PREFIX).rsplit(".", 1)[-1]
        if kind == "SP" and not any(part.startswith("ROLE_") for part in names):
            found += [(plain, name) for name in names] or [(plain, "")]
        else:
            other += 1
            found += [None] * max(len(names), 1)
    return found, other


_Token = tuple[Span, list[str]]


def _tokens(lines: Sequence[str], name: str) -> tuple[str, list[_Token], int]:
    """Returns the text reconstructed from the file, the tokens with their cells, and the number of empty tokens."""
    text, units, waiting, empty = "", [0], "", 0
    found: list[_Token] = []
    for number, line in enumerate(lines, start=1):
        if line.startswith("#Text="):
            waiting += ("\n" if waiting else "") + _plain(line[6:])
            continue
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        offsets = _OFFSETS.fullmatch(cells[1]) if len(cells) > 2 else None
        if offsets is None or _PLACE.fullmatch(cells[0]) is None:
            raise not_imported(f"{name}, line {number} isn't a token.", "Export it again.")
        start, end = int(offsets[1]), int(offsets[2])
        if waiting:
            gap = start - units[-1]
            if not 0 <= gap <= _WIDEST_GAP:
                raise not_imported(f"{name}, line {number} is out of order.", "Export it again.")
            added = ("\n" * bool(text)).ljust(gap)[:gap] + waiting
            text, waiting = text + added, ""
            units += [units[-1] + unit for unit in _units(added)[1:]]
        span = Span(_place(units, start), _place(units, end))
        if 0 <= span.start == span.end:
            empty += 1
            continue
        if not 0 <= span.start < span.end:
            raise not_imported(f"{name}, line {number} isn't in the text.", "Export it again.")
        found.append((span, cells[3:]))
    return text, found, empty


def _place(units: list[int], unit: int) -> int:
    """Converts a UTF-16 offset to a code point offset; -1 if no code point starts there."""
    at = bisect_left(units, unit)
    return at if at < len(units) and units[at] == unit else -1


def _marks(columns: Sequence[tuple[str, str] | None], tokens: Sequence[_Token], end: int) -> Iterator[Mark]:
    """Yields a mark for each number and each unnumbered cell of a layer; a numbered mark covers all its tokens."""
    found: dict[tuple[str, str], tuple[int, int, dict[str, str]]] = {}
    for at, (span, cells) in enumerate(tokens):
        for column, cell in zip(columns, cells, strict=False):
            if column is None or cell in {"", "_"}:
                continue
            layer, feature = column
            # Split at unescaped bars
            for place, part in enumerate(re.findall(r"(?:\\.|[^|\\])+", cell)):
                numbered = _NUMBERED.fullmatch(part)
                key = (layer, numbered[2] if numbered else f"{at}.{place}")
                start, until, features = found.get(key, (end, 0, {}))
                value = numbered[1] if numbered else part
                if feature and value != "*":
                    features.setdefault(feature, _plain(value))
                found[key] = (min(start, span.start), max(until, span.end), features)
    for (layer, _), (start, until, features) in found.items():
        yield Mark(features.pop(ID, ""), layer, (Span(start, until),), tuple(features.items()))
