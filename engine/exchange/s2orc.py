"""S2ORC parses: the paragraphs of a paper as the ARIES code counts them (body_text, then back_matter)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.documents.records import Paragraph
from engine.errors import BadInput
from engine.exchange.jsontext import parse_json, text_of
from engine.exchange.records import Export, ExportFile, LossReport


@dataclass(frozen=True, slots=True)
class S2orcParagraph:
    """A paragraph; ``index`` from 0 runs on from the body through the back matter, as edit indices do."""

    index: int
    section: str
    text: str
    part: Literal["body", "back"] = "body"


@dataclass(frozen=True, slots=True)
class S2orcDocument:
    """A parsed paper."""

    paper_id: str
    title: str
    abstract: str
    paragraphs: tuple[S2orcParagraph, ...]


def read_s2orc(text: str, name: str) -> S2orcDocument:
    """A paper from S2ORC JSON, with its parse at the top or under ``pdf_parse``. Raises BadInput for other JSON."""
    record = parse_json(text, name)
    parse = record.get("pdf_parse", record) if isinstance(record, dict) else None
    if not isinstance(parse, dict) or not isinstance(parse.get("body_text"), list):
        raise BadInput(f"{name} is no S2ORC parse: it has no body_text.", "Nothing was imported.")
    paragraphs: list[S2orcParagraph] = []
    parts: tuple[tuple[str, Literal["body", "back"]], ...] = (("body_text", "body"), ("back_matter", "back"))
    for key, part in parts:
        found = parse.get(key) or []
        if not isinstance(found, list):
            raise BadInput(f"{name} has no list of paragraphs in {key}.", "Nothing was imported.", "Export it again.")
        for entry in found:
            if not isinstance(entry, dict):
                raise BadInput(
                    f"{name} has a paragraph in {key} that is no object.", "Nothing was imported.", "Export it again."
                )
            paragraphs.append(
                S2orcParagraph(len(paragraphs), text_of(entry.get("section")), text_of(entry.get("text")), part)
            )
    return S2orcDocument(
        paper_id=text_of(record.get("paper_id") or parse.get("paper_id")),
        title=text_of(record.get("title")),
        abstract=_abstract(record.get("abstract", parse.get("abstract"))),
        paragraphs=tuple(paragraphs),
    )


def _abstract(value: Any) -> str:
    if isinstance(value, list):
        return "\n\n".join(text_of(v.get("text")) if isinstance(v, dict) else text_of(v) for v in value)
    return text_of(value)


def write_s2orc(paper_id: str, title: str, paragraphs: Sequence[Paragraph], abstract: str = "") -> Export:
    """Paragraphs in the shape that the ARIES code reads; ``body_text[i]`` is ``paragraphs[i]``."""
    record = {
        "paper_id": paper_id,
        "title": title,
        "abstract": abstract,
        "pdf_parse": {
            "paper_id": paper_id,
            "abstract": [{"text": abstract, "section": "Abstract"}] if abstract else [],
            "body_text": [{"text": p.text, "section": p.section} for p in paragraphs],
            "back_matter": [],
        },
    }
    content = (json.dumps(record, ensure_ascii=False) + "\n").encode()
    loss = LossReport(
        ("Pages, places on the page and kinds of paragraphs are left out; the format holds text and section.",)
        if paragraphs
        else ()
    )
    return Export((ExportFile(f"{paper_id}.json", content, "application/json"),), loss)
