"""Reads and writes links as W3C Web Annotations (JSON-LD): https://www.w3.org/TR/annotation-model/

A link is an annotation with the motivation ``linking`` and these targets: the words of the comment in the review, and
the paragraphs of the edit in each version of the paper that has any. IRIs are the same in every export: they contain
the project's keys of texts, comments and edits, and the SHA-256 of versions' files. A decision on a comment is an
annotation with the motivation ``assessing``. Positions count code points; those of a paper refer to its paragraphs
joined by empty lines.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args
from urllib.parse import quote, unquote

from engine.documents.records import Paragraph
from engine.errors import not_imported
from engine.exchange.jsontext import parse_json, text_of
from engine.exchange.records import Export, ExportFile, Linking, OutsideLink, OutsideLinks, Version
from engine.reviews.records import Comment, SourceText
from engine.revision.records import CommentJudgement, CommentState, Edit, Link
from engine.shown import counted, left_out

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
PDF_FRAGMENT = "http://tools.ietf.org/rfc/rfc3778"
AROUND = 32
"""Length of prefix and suffix in code points."""

_COMMENT = "urn:rejoinder:comment:"
_EDIT = "urn:rejoinder:edit:"
_TEXT = "urn:rejoinder:text:"
_DOCUMENT = "urn:rejoinder:document:"
_SIDES = {"source": "submitted", "target": "revised"}
_SEPARATOR = "\n\n"


def write_links(linking: Linking, name: str = "links.jsonld") -> Export:
    """Returns the links and decisions of a revision as one annotation page."""
    comments = {c.id: c for c in linking.comments}
    edits = {e.id: e for e in linking.edits}
    texts = {t.id: t for t in linking.texts}
    versions = {"source": _Places(linking.source), "target": _Places(linking.target)}
    scattered = 0
    items: list[dict[str, Any]] = []
    for link in linking.links:
        if link.comment_id not in comments or link.edit_id not in edits:
            continue
        comment, edit = comments[link.comment_id], edits[link.edit_id]
        targets, whole = _edit_targets(edit, versions)
        scattered += not whole
        items.append(
            {
                "id": f"urn:uuid:{link.id}",
                "type": "Annotation",
                "motivation": "linking",
                "creator": _person(linking, link.annotator_id),
                **_bodies(link, passage=edit.passage),
                "target": [_comment_target(comment, texts.get(comment.source_id)), *targets],
            }
        )
    for state in linking.states:
        if state.comment_id in comments:
            comment = comments[state.comment_id]
            items.append(_assessment(state, _comment_target(comment, texts.get(comment.source_id))))
    page = {"@context": CONTEXT, "type": "AnnotationPage", "items": items}
    content = (json.dumps(page, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
    return Export((ExportFile(name, content),), _loss(linking, scattered))


class _Places:
    """The positions of a version's paragraphs in its text."""

    def __init__(self, version: Version) -> None:
        self.iri = _DOCUMENT + (version.sha256 or quote(version.name, safe=""))
        self.paragraphs: dict[str, tuple[int, int, Paragraph]] = {}
        position = 0
        for number, paragraph in enumerate(version.paragraphs):
            self.paragraphs[paragraph.id] = (number, position, paragraph)
            position += len(paragraph.text) + len(_SEPARATOR)
        self.text = _SEPARATOR.join(p.text for p in version.paragraphs)


def _quote(text: str, start: int, end: int) -> list[dict[str, Any]]:
    return [
        {
            "type": "TextQuoteSelector",
            "exact": text[start:end],
            "prefix": text[max(0, start - AROUND) : start],
            "suffix": text[end : end + AROUND],
        },
        {"type": "TextPositionSelector", "start": start, "end": end},
    ]


def _comment_target(comment: Comment, text: SourceText | None) -> dict[str, Any]:
    if text is None or not comment.spans:
        selector: list[dict[str, Any]] = [{"type": "TextQuoteSelector", "exact": comment.comment}]
    else:
        selector = [s for span in comment.spans for s in _quote(text.text, span.start, span.end)]
    return {
        "id": _iri(_COMMENT, comment.id),
        "type": "SpecificResource",
        "source": _iri(_TEXT, comment.source_id),
        "selector": selector,
    }


def _iri(prefix: str, key: str) -> str:
    return prefix + quote(key, safe="")


def _edit_targets(edit: Edit, versions: Mapping[str, _Places]) -> tuple[list[dict[str, Any]], bool]:
    """Returns the edit's places in the submitted and revised paper, and whether each is one contiguous run."""
    found = [
        _edit_target(edit, side, versions[side], ids, text)
        for side, ids, text in (
            ("source", edit.source_ids, edit.source_text), ("target", edit.target_ids, edit.target_text),
        )
        if ids or text
    ]  # fmt: skip
    return [target for target, _ in found], all(whole for _, whole in found)


def _edit_target(edit: Edit, side: str, places: _Places, ids: Sequence[str], text: str) -> tuple[dict[str, Any], bool]:
    found = sorted((places.paragraphs[i] for i in ids if i in places.paragraphs), key=lambda place: place[0])
    key = f"{_iri(_EDIT, edit.id)}:{_SIDES[side]}"
    target: dict[str, Any] = {"id": key, "type": "SpecificResource", "source": places.iri}
    if not found:
        return {**target, "selector": [{"type": "TextQuoteSelector", "exact": text}]}, True
    if edit.passage and (at := places.text.find(edit.target_text, found[0][1])) >= 0:
        return {**target, "selector": [*_quote(places.text, at, at + len(edit.target_text)), _page(found[0])]}, True
    run = [found[0]]
    for place in found[1:]:
        if place[0] != run[-1][0] + 1:
            break
        run.append(place)
    start, end = run[0][1], run[-1][1] + len(run[-1][2].text)
    return {**target, "selector": [*_quote(places.text, start, end), _page(run[0])]}, len(run) == len(found)


def _page(place: tuple[int, int, Paragraph]) -> dict[str, str]:
    return {"type": "FragmentSelector", "conformsTo": PDF_FRAGMENT, "value": f"page={place[2].page}"}


def _bodies(link: Link, *, passage: bool) -> dict[str, Any]:
    bodies = [{"type": "TextualBody", "purpose": "classifying", "value": "passage"}] if passage else []
    if link.note:
        bodies.append({"type": "TextualBody", "purpose": "commenting", "value": link.note})
    if link.confidence is not None:
        bodies.append({"type": "TextualBody", "purpose": "assessing", "value": repr(link.confidence)})
    return {"body": bodies} if bodies else {}


def _assessment(state: CommentJudgement, target: dict[str, Any]) -> dict[str, Any]:
    bodies = [{"type": "TextualBody", "purpose": "tagging", "value": state.state}]
    if state.note:
        bodies.append({"type": "TextualBody", "purpose": "commenting", "value": state.note})
    return {
        "id": _iri("urn:rejoinder:state:", state.comment_id),
        "type": "Annotation",
        "motivation": "assessing",
        "body": bodies,
        "target": target,
    }


def _person(linking: Linking, key: str) -> dict[str, str]:
    return {"id": f"urn:uuid:{key}", "type": "Person", "name": linking.annotator_name(key)}


def _loss(linking: Linking, scattered: int) -> tuple[str, ...]:
    sentences = []
    if scattered:
        cover = counted(scattered, "edit covers", "edits cover")
        sentences.append(f"{cover} several places in the paper. The first is used as the target.")
    silent = {c.id for c in linking.comments} - {link.comment_id for link in linking.links}
    silent -= {s.comment_id for s in linking.states}
    if silent:
        sentences.append(f"{counted(len(silent), 'comment')} without a link or decision left out.")
    if any(c.response for c in linking.comments):
        sentences.append("Responses are left out.")
    return tuple(sentences)


def read_links(text: str, name: str) -> OutsideLinks:
    """Reads linking and assessing annotations: one, a list, a page, or a collection that includes its first page. Other
    motivations are counted in a warning. Raises BadInput if the JSON isn't a Web Annotation."""
    annotations = _annotations(parse_json(text, name))
    if annotations is None:
        raise not_imported(f"{name} contains no Web Annotations.", "Choose a JSON-LD file.")
    links: list[OutsideLink] = []
    other = 0
    for annotation in annotations:
        motivations = _list(annotation.get("motivation"))
        targets = [t if isinstance(t, dict) else {"id": text_of(t)} for t in _list(annotation.get("target"))]
        own = len(targets) == 3 and sum(text_of(t.get("id")).startswith(_EDIT) for t in targets) == 2
        if "linking" in motivations and (own or len(targets) == 2):
            links.append(_link(annotation, *_ordered(targets)))
        elif "assessing" in motivations and len(targets) == 1:
            state = _body(annotation, "tagging")
            known: CommentState | None = state if state in get_args(CommentState) else None  # type: ignore[assignment]
            links.append(
                OutsideLink(
                    _key(targets[0], _COMMENT),
                    "",
                    _exact(targets[0]),
                    note=_body(annotation, "commenting"),
                    state=known,
                )
            )
        else:
            other += 1
    warnings = left_out(other, "annotation without two places", "annotations without two places")
    return OutsideLinks(tuple(links), warnings)


def is_web_annotation(record: object) -> bool:
    """Returns whether a JSON document is an annotation or a set of them."""
    return _annotations(record) is not None


def _annotations(record: Any) -> list[dict[str, Any]] | None:
    if isinstance(record, dict):
        kind = _list(record.get("type")) + _list(record.get("@type"))
        if "Annotation" in kind or "oa:Annotation" in kind:
            return [record]
        if "AnnotationPage" in kind:
            return [a for a in _list(record.get("items")) if isinstance(a, dict)]
        if "AnnotationCollection" in kind:
            return _annotations(record.get("first")) if isinstance(record.get("first"), dict) else []
        return None
    if isinstance(record, list) and record:
        nested = [_annotations(item) for item in record]
        return None if any(n is None for n in nested) else [a for n in nested for a in n or []]
    return None


def _link(annotation: dict[str, Any], comment: dict[str, Any], edit: dict[str, Any]) -> OutsideLink:
    confidence = _body(annotation, "assessing")
    try:
        number = float(confidence) if confidence else None
    except ValueError:
        number = None
    return OutsideLink(
        comment_id=_key(comment, _COMMENT),
        edit_id=_key(edit, _EDIT),
        comment_quote=_exact(comment),
        edit_quote=_exact(edit),
        confidence=number,
        note=_body(annotation, "commenting"),
    )


def _ordered(targets: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns comment and edit (in the revised version, if it is there) from targets in any order."""
    if len(targets) == 3:
        comment = next(t for t in targets if not text_of(t.get("id")).startswith(_EDIT))
        edits = sorted((t for t in targets if t is not comment), key=lambda t: text_of(t.get("id")))
        return comment, next((t for t in edits if text_of(t.get("id")).endswith(f":{_SIDES['target']}")), edits[0])
    first, second = targets
    if text_of(first.get("id")).startswith(_EDIT) or text_of(second.get("id")).startswith(_COMMENT):
        return second, first
    return first, second


def _key(target: Mapping[str, Any], prefix: str) -> str:
    key = text_of(target.get("id"))
    if not key.startswith(prefix):
        return key
    for side in _SIDES.values():
        key = key.removesuffix(f":{side}")
    return unquote(key.removeprefix(prefix))


def _exact(target: Mapping[str, Any]) -> str:
    quotes = [
        text_of(s.get("exact"))
        for s in _list(target.get("selector"))
        if isinstance(s, dict) and s.get("type") == "TextQuoteSelector"
    ]
    return " [...] ".join(quotes)


def _body(annotation: Mapping[str, Any], purpose: str) -> str:
    for body in _list(annotation.get("body")):
        if isinstance(body, dict) and body.get("purpose") == purpose:
            return text_of(body.get("value"))
    return ""


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
