"""Reads and writes brat standoff: a text (``.txt``) and its marks (``.ann``). https://brat.nlplab.org/standoff.html

A mark is a line ``T1<tab>Layer 0 5;9 12<tab>words``. brat spans can't contain line breaks, so a span over several lines
is written in pieces and merged on reading. Features with fixed values are attributes, which can be edited in brat;
other features are JSON in a note.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from engine.errors import not_imported
from engine.exchange.jsontext import text_of, try_json
from engine.exchange.marked_texts import ACTIONS, FEATURES, ID, STATES, Mark, MarkedDocument, MarkedTexts, checked
from engine.exchange.records import ExportFile
from engine.reviews.labels.records import LAYERS
from engine.reviews.records import Span
from engine.shown import left_out, visible_line

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "state": STATES,
    "actionable": ("yes", "no"),
    "action": ACTIONS,
    "layer": LAYERS,
}
_MARK = re.compile(r"(T\S*)\t(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)\t(.*)")
_ATTRIBUTE = re.compile(r"[AM]\S*\t(\S+) (\S+)(?: (.*))?")
_NOTE = re.compile(r"#\S*\tAnnotatorNotes (\S+)\t(.*)")


def write_brat(documents: Sequence[MarkedDocument]) -> tuple[ExportFile, ...]:
    """Returns two files per document, and ``annotation.conf``, which brat needs to show them."""
    files = [ExportFile("annotation.conf", _configuration().encode())]
    for document in documents:
        text, lines = document.text.encode("utf-8", "replace"), "".join(f"{line}\n" for line in _lines(document))
        files.append(ExportFile(f"{document.name}.txt", text))
        files.append(ExportFile(f"{document.name}.ann", lines.encode("utf-8", "replace")))
    return tuple(files)


def _configuration() -> str:
    entities = "\n".join(FEATURES)
    attributes = "\n".join(
        f"{name.capitalize()}\tArg:{'|'.join(layer for layer, own in FEATURES.items() if name in own)},"
        f" Value:{'|'.join(values)}"
        for name, values in _CHOICES.items()
    )
    return f"[entities]\n{entities}\n\n[relations]\n\n[events]\n\n[attributes]\n{attributes}\n"


def _lines(document: MarkedDocument) -> Iterator[str]:
    attributes = 0
    for number, mark in enumerate(document.marks, start=1):
        pieces = [piece for span in mark.spans for piece in _pieces(document.text, span)]
        if not pieces:
            continue  # only line ends
        places = ";".join(f"{piece.start} {piece.end}" for piece in pieces)
        words = re.sub(r"[^\S ]", " ", " ".join(document.text[piece.start : piece.end] for piece in pieces))
        yield f"T{number}\t{mark.layer} {places}\t{words}"
        features = dict(mark.features)
        for name, values in _CHOICES.items():
            if features.get(name) in values:
                attributes += 1
                yield f"A{attributes}\t{name.capitalize()} T{number} {features.pop(name)}"
        yield f"#{number}\tAnnotatorNotes T{number}\t{json.dumps({ID: mark.id} | features, ensure_ascii=True)}"


def _pieces(text: str, span: Span) -> Iterator[Span]:
    for piece in re.compile(r"[^\r\n]+").finditer(text, span.start, span.end):
        yield Span(piece.start(), piece.end())


def read_brat(name: str, text: str, annotations: str) -> MarkedTexts:
    """Reads a document. Relations, events and normalisations are left out and counted in a warning. Raises BadInput if
    a line can't be read, its span is outside the text, or its words differ from the text's."""
    marks: dict[str, Mark] = {}
    notes: dict[str, dict[str, str]] = {}
    other = 0
    for number, line in enumerate(annotations.replace("\r\n", "\n").split("\n"), start=1):
        where = f"{name}.ann, line {number}"
        if line.startswith("T"):
            found = _MARK.fullmatch(line)
            if found is None:
                raise not_imported(f"{where} isn't a brat mark.", "Check the file.")
            marks[found[1]] = Mark("", found[2], _spans(text, found[3], found[4], where))
        elif found := _ATTRIBUTE.fullmatch(line):
            notes.setdefault(found[2], {})[found[1].lower()] = found[3] or "yes"
        elif found := _NOTE.fullmatch(line):
            content = try_json(found[2]) if found[2].startswith("{") else None
            given = {key: text_of(value) for key, value in content.items()} if isinstance(content, dict) else None
            notes[found[1]] = (given if given is not None else {"note": found[2]}) | notes.get(found[1], {})
        elif line.strip():
            other += 1
    read = [_with(mark, notes.get(key, {})) for key, mark in marks.items()]
    warnings = left_out(other, "line of another kind", "lines of other kinds", f"{name}.ann: ")
    return MarkedTexts((MarkedDocument(name, text, tuple(read)),), warnings)


def _with(mark: Mark, features: dict[str, str]) -> Mark:
    key = features.pop(ID, "")
    order = [name for name in FEATURES.get(mark.layer, ()) if name in features]
    names = [*order, *(name for name in features if name not in order)]
    return replace(mark, id=key, features=tuple((name, features[name]) for name in names))


def _spans(text: str, places: str, words: str, where: str) -> tuple[Span, ...]:
    pairs = [place.split() for place in places.split(";")]
    pieces = [checked(text, int(start), int(end), where) for start, end in pairs]
    there = " ".join(text[piece.start : piece.end] for piece in pieces)
    if "".join(there.split()) != "".join(words.split()):
        raise not_imported(
            f"{where} says “{visible_line(words[:40])}”, but the text has “{visible_line(there[:40])}” there.",
            "Import the text that the annotations belong to.",
        )
    joined: list[Span] = []
    for piece in sorted(pieces, key=lambda one: (one.start, one.end)):
        between = text[joined[-1].end : piece.start] if joined else "-"
        if joined and between and not between.strip("\r\n"):
            joined[-1] = Span(joined[-1].start, piece.end)
        else:
            joined.append(piece)
    return tuple(joined)
