"""Encodes parsed documents as compact bytes, for the store and for transfer from the worker process, and back."""

import json
import zlib
from itertools import pairwise
from typing import Any

from engine.documents.records import Box, DoubtfulPage, MarginLine, PageSize, Paragraph, ParsedDocument, Word
from engine.errors import BadInput
from engine.lasting import lasting

_FORMAT = 1
_PARAGRAPHS = '"paragraphs":['


def encode(parsed: ParsedDocument) -> bytes:
    """Returns the document as zlib-compressed JSON; ``decode(encode(d)) == d`` for every document."""
    content = {
        "format": _FORMAT,
        "sha256": parsed.sha256,
        "parser": parsed.parser,
        "seconds": parsed.seconds,
        "title": parsed.title,
        "warnings": parsed.warnings,
        "pages": [[p.number, p.width, p.height, p.rotation] for p in parsed.pages],
        "paragraphs": [_pack(p) for p in parsed.paragraphs],
        "lines": [[n.number, n.box.page, n.box.x0, n.box.y0, n.box.x1, n.box.y1] for n in parsed.lines],
        "doubtful": [[d.page, d.reason, d.share] for d in parsed.doubtful],
        "rules": parsed.rules,
        "bold": parsed.bold,
    }
    return zlib.compress(json.dumps(content, separators=(",", ":")).encode("ascii"), level=3)


def decode(data: bytes) -> ParsedDocument:
    """Decodes what ``encode`` returned. Raises BadInput if the bytes are damaged or in another format version."""
    try:
        with lasting():
            return _decoded(zlib.decompress(data).decode("ascii"))
    except (zlib.error, ValueError, KeyError, TypeError, IndexError) as error:
        raise BadInput(
            "The stored text of this document is damaged.",
            "Its paragraphs can't be shown. The PDF itself isn't affected.",
            "Read the PDF again.",
        ) from error


def _decoded(text: str) -> ParsedDocument:
    head, begun, rest = text.partition(_PARAGRAPHS)
    content: dict[str, Any] = json.loads(f"{head}{begun}]}}" if begun else head)
    if content["format"] != _FORMAT:
        raise BadInput(
            "The stored text of this document was written by a newer version.",
            "It can't be shown here.",
            "Read the PDF again, or open the project with the newer version.",
        )
    # Paragraph by paragraph: decoding a long paper in one call would hold the GIL for 50 ms or more.
    read, paragraphs, at = json.JSONDecoder().raw_decode, [], 0
    while rest[at] != "]":
        row, at = read(rest, at + (rest[at] == ","))
        paragraphs.append(_unpack(row))
    content |= json.loads("{" + rest[at + 1 :].removeprefix(","))
    return ParsedDocument(
        sha256=content["sha256"],
        pages=tuple(PageSize(*page) for page in content["pages"]),
        paragraphs=tuple(paragraphs),
        parser=content["parser"],
        seconds=content["seconds"],
        warnings=tuple(content["warnings"]),
        title=content["title"],
        # Documents stored before line numbers, doubts, rules and bold numbers were added have none.
        lines=tuple(MarginLine(number, Box(*box)) for number, *box in content.get("lines", ())),
        doubtful=tuple(DoubtfulPage(*doubt) for doubt in content.get("doubtful", ())),
        rules=tuple(Box(*rule) for rule in content.get("rules", ())),
        bold=tuple(Box(*place) for place in content.get("bold", ())),
    )


def _pack(p: Paragraph) -> list[Any]:
    # Most offsets grow by one: only other steps are stored, as flat pairs of index and step.
    steps: list[int] = [p.offsets[0]] if p.offsets else []
    for index, (a, b) in enumerate(pairwise(p.offsets), start=1):
        if b - a != 1:
            steps += (index, b - a)
    words = [v for w in p.words for v in (w.start, w.end, w.box.page, w.box.x0, w.box.y0, w.box.x1, w.box.y1)]
    boxes = [v for b in p.boxes for v in (b.page, b.x0, b.y0, b.x1, b.y1)]
    raw = None if p.raw == p.text else p.raw
    return [p.id, p.index, p.section, p.kind, p.text, raw, len(p.offsets), steps, p.page, boxes, words]


def _unpack(row: list[Any]) -> Paragraph:
    identity, index, section, kind, text, raw, count, steps, page, boxes, words = row
    offsets: list[int] = []
    if count:
        jumps = (*zip(steps[1::2], steps[2::2], strict=True), (count, 0))
        position = steps[0]
        for at, step in jumps:
            offsets.extend(range(position, position + at - len(offsets)))
            position = offsets[-1] + step
    return Paragraph(
        id=identity,
        index=index,
        section=section,
        kind=kind,
        text=text,
        raw=text if raw is None else raw,
        offsets=tuple(offsets),
        page=page,
        boxes=tuple(Box(*boxes[i : i + 5]) for i in range(0, len(boxes), 5)),
        words=tuple(Word(words[i], words[i + 1], Box(*words[i + 2 : i + 7])) for i in range(0, len(words), 7)),
    )
