"""Reads and writes ARIES files: paper_edits.jsonl, review_comments.jsonl, edit_labels_*.jsonl, and parsed papers (S2ORC
JSON), one file per version.

A file that is read and written again is the same, byte for byte: unknown fields, their order and each line's formatting
are kept. Empty ``negative_edits`` mean that the other edits are unknown, not that they are linked.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from engine.errors import not_imported, not_read
from engine.exchange.encoding import file_in, read_text
from engine.exchange.jsontext import json_lines, layout, parse_json, text_of
from engine.exchange.records import Export, ExportFile, Linking, OutsideLink, OutsideLinks, Version
from engine.reviews.records import ActionClass, Comment, ReviewBundle, SourceText, Span
from engine.revision.groups import doubts
from engine.revision.records import CommentState, Edit
from engine.shown import counted

RAW = "aries"
"""Name of a comment's extra field with its line as read."""

_FIT = re.compile(r"[^\w.-]+|\.{2,}|^\.+")
"""Characters that aren't allowed in file names on all systems."""

FileKind = Literal["edits", "comments", "labels"]
_STATES: dict[str, CommentState] = {
    "edits": "linked",
    "response_only": "answered",
    "visual_only": "visual_only",
    "not_addressed": "not_addressed",
    "no_edit_found": "no_edit_found",
    "undecided": "undecided",
}
_NAMES = {state: name for name, state in _STATES.items()}


@dataclass(frozen=True, slots=True)
class Line:
    """A line as read; ``values`` is None for an empty one."""

    raw: str
    values: Mapping[str, Any] | None

    def with_values(self, changes: Mapping[str, Any]) -> "Line":
        """Returns the line with some values changed; order, other fields and formatting are kept. Without changes,
        returns the line itself."""
        old = dict(self.values or {})
        new = {**old, **changes}
        if new == old and list(new) == list(old):
            return self
        # Whether an ASCII line escapes other characters is only known if it contains an escape.
        return Line(json.dumps(new, ensure_ascii="\\u" in self.raw), new)


@dataclass(frozen=True, slots=True)
class AriesFile:
    lines: tuple[Line, ...]
    mark: bytes = b""
    """The byte order mark, if there was one."""

    def records(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(line.values for line in self.lines if line.values is not None)

    def content(self) -> bytes:
        return self.mark + "\n".join(line.raw for line in self.lines).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class AriesEdit:
    """An edit with the indices of its paragraphs in the versions (see ``S2orcParagraph``)."""

    edit_id: str
    source_idxs: tuple[int, ...]
    target_idxs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PaperEdits:
    doc_id: str
    source_pdf_id: str
    target_pdf_id: str
    edits: tuple[AriesEdit, ...]


@dataclass(frozen=True, slots=True)
class EditLabels:
    """The links of one comment; ``negatives`` is None if nothing is known of the other edits."""

    doc_id: str
    comment_id: str
    positives: tuple[str, ...]
    negatives: tuple[str, ...] | None
    state: CommentState | None = None


def read_file(data: bytes, name: str) -> AriesFile:
    """Reads any ARIES file. Raises BadInput that names the unreadable line."""
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    try:
        text = data[len(mark) :].decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_imported(f"{name} isn't UTF-8 (byte {error.start}).") from error
    read = {number: record for number, _, record in json_lines(text, name)}
    lines = tuple(Line(raw, read.get(number)) for number, raw in enumerate(text.split("\n"), start=1))
    return AriesFile(lines, mark)


def kind_of(record: Mapping[str, Any]) -> FileKind | None:
    """Returns which of the three files a line belongs to; None if none."""
    if "positive_edits" in record:
        return "labels"
    if "edits" in record and "source_pdf_id" in record:
        return "edits"
    return "comments" if "comment" in record and "comment_id" in record else None


def paper_edits(file: AriesFile) -> tuple[PaperEdits, ...]:
    found = []
    for record in file.records():
        with layout("A line", "the edits of a paper in ARIES"):
            edits = tuple(
                AriesEdit(text_of(edit["edit_id"]), _whole(edit["source_idxs"]), _whole(edit["target_idxs"]))
                for edit in record["edits"]
            )
            doc_id, source, target = (text_of(record[key]) for key in ("doc_id", "source_pdf_id", "target_pdf_id"))
            found.append(PaperEdits(doc_id, source, target, edits))
    return tuple(found)


def edit_labels(file: AriesFile) -> tuple[EditLabels, ...]:
    found = []
    for record in file.records():
        with layout("A line", "the labels of a comment in ARIES"):
            positives = tuple(map(text_of, record["positive_edits"]))
            negatives = tuple(map(text_of, record.get("negative_edits") or ()))
            found.append(
                EditLabels(
                    doc_id=text_of(record["doc_id"]),
                    comment_id=text_of(record["comment_id"]),
                    positives=positives,
                    negatives=negatives or None,
                    state=_STATES.get(text_of(record.get("state"))) or ("linked" if positives else None),
                )
            )
    return tuple(found)


def outside_links(labels: Iterable[EditLabels], doc_id: str | None = None) -> OutsideLinks:
    """Converts labels to links that ``resolve`` finds in a project; ``doc_id`` selects one paper."""
    links: list[OutsideLink] = []
    for label in labels:
        if doc_id is not None and label.doc_id != doc_id:
            continue
        if not label.positives:
            links.append(OutsideLink(label.comment_id, "", state=label.state))
        links.extend(OutsideLink(label.comment_id, edit, state=label.state) for edit in label.positives)
    return OutsideLinks(tuple(links))


def review_comments(file: AriesFile, *, doc_id: str | None = None) -> ReviewBundle:
    """Returns the comments of a review_comments.jsonl; ``doc_id`` selects one paper. ARIES doesn't include the reviews,
    so each paper's text is made of the contexts."""
    texts: list[SourceText] = []
    comments: list[Comment] = []
    papers: dict[str, list[Line]] = {}
    for line in file.lines:
        if line.values is not None:
            with layout("A line", "a comment of ARIES"):
                papers.setdefault(text_of(line.values["doc_id"]), []).append(line)
                text_of(line.values["comment_id"]), text_of(line.values["comment"])
    for paper, own in papers.items():
        if doc_id is not None and paper != doc_id:
            continue
        text, places = _joined_contexts(own)
        texts.append(SourceText(paper, paper, text, "text/plain"))
        comments += [_quoting(line, paper, text, place) for line, place in zip(own, places, strict=True)]
    seen = Counter(comment.id for comment in comments)
    # comment_id is only unique within a paper.
    unique = tuple(c if seen[c.id] == 1 else replace(c, id=f"{c.source_id}/{c.id}") for c in comments)
    return ReviewBundle(tuple(texts), unique)


def _joined_contexts(lines: Sequence[Line]) -> tuple[str, list[int]]:
    """Joins the distinct contexts, and returns the text with the start of each line's context."""
    starts: dict[str, int] = {}
    text = ""
    for line in lines:
        context = _context(line)
        if context not in starts:
            text += "\n\n" if text else ""
            starts[context] = len(text)
            text += context
    return text, [starts[_context(line)] for line in lines]


def _context(line: Line) -> str:
    values = line.values or {}
    return text_of(values.get("comment_context")) or text_of(values.get("comment"))


def _base(line: Line, source_id: str) -> Comment:
    values = line.values or {}
    action = values.get("action")
    return Comment(
        id=text_of(values["comment_id"]),
        source_id=source_id,
        reviewer=text_of(values.get("reviewer")),
        comment=text_of(values["comment"]),
        context=text_of(values.get("comment_context")),
        response=text_of(values.get("response")),
        action=action if action in list(get_args(ActionClass)) else None,
        extra=((RAW, line.raw),),
        external_id=text_of(values["comment_id"]),
    )


def _quoting(line: Line, source_id: str, text: str, start: int) -> Comment:
    """Returns a comment with the positions of its words in its context; several spans are separated by ``[...]``."""
    comment = _base(line, source_id)
    end = start + len(_context(line))
    spans = []
    position = start
    for piece in comment.comment.split("[...]"):
        words = piece.strip()
        at = text.find(words, position, end) if words else -1
        if at >= 0:
            spans.append(Span(at, at + len(words)))
            position = at + len(words)
    return replace(comment, spans=tuple(spans), context_spans=(Span(start, end),) if end > start else ())


def _whole(value: Any) -> tuple[int, ...]:
    """Returns paragraph indices. Raises ValueError for anything else."""
    if not isinstance(value, list) or not all(isinstance(at, int) for at in value):
        raise ValueError(f"{text_of(value)[:40]} isn't a list of paragraphs")
    return tuple(value)


def comment_line(comment: Comment, doc_id: str, name: str = "") -> Line:
    """Returns a comment as a line of review_comments.jsonl. A comment that was read from such a file keeps its line
    except for changed values. ``name`` is its id in the file, by default its external id or key."""
    raw = dict(comment.extra).get(RAW)
    name = name or comment.external_id or comment.id
    ids = {"doc_id": doc_id, "comment_id": name}
    if raw is None:
        own = {"reviewer": comment.reviewer, "response": comment.response}
        values = ids | {"comment": comment.comment, "comment_context": comment.context}
        values |= {key: value for key, value in own.items() if value}
        return Line(json.dumps(values, ensure_ascii=False), values)
    known = json.loads(raw)
    line = Line(raw, known)
    old = _base(line, comment.source_id)
    changes: dict[str, Any] = {key: value for key, value in ids.items() if text_of(known[key]) != value}
    for field, key in (("comment", "comment"), ("context", "comment_context"), ("reviewer", "reviewer"),
                       ("response", "response")):  # fmt: skip
        if getattr(comment, field) != getattr(old, field):
            changes[key] = getattr(comment, field)
    return line.with_values(changes)


def comment_names(comments: Sequence[Comment]) -> dict[str, str]:
    """Maps a paper's comments to ids in files: the external id if it is unique, otherwise the key."""
    outside = Counter(comment.external_id for comment in comments)
    return {c.id: c.external_id if c.external_id and outside[c.external_id] == 1 else c.id for c in comments}


def edit_names(edits: Sequence[Edit]) -> dict[str, str]:
    """Maps edits to ids in files: labels if all edits have one and they are unique, otherwise keys."""
    labels = [e.label for e in edits]
    named = all(labels) and len(set(labels)) == len(labels)
    return {e.id: e.label if named else e.id for e in edits}


def write_linking(linking: Linking) -> Export:
    return write_linkings([linking])


def write_linkings(linkings: Sequence[Linking]) -> Export:
    """Writes the three files for some papers, and a parsed paper for each version in ``s2orc``. Comments without a
    decision or a link aren't among the labels. Ids of papers and versions are unique overall, ids of comments and edits
    within a paper."""
    papers = _unique([linking.paper for linking in linkings], [linking.target.sha256 for linking in linkings])
    versions = [version for linking in linkings for version in (linking.source, linking.target)]
    pdfs = _unique([_FIT.sub("-", version.name)[:80] for version in versions], [one.sha256 for one in versions])
    edits, comments, labels, parsed = [], [], [], []
    losses: dict[str, None] = {}
    for number, (linking, doc_id) in enumerate(zip(linkings, papers, strict=True)):
        pair = pdfs[2 * number], pdfs[2 * number + 1]
        names = comment_names(linking.comments)
        found = _labels(linking, doc_id, names)
        edits.append(_edits(linking, doc_id, pair))
        comments += [comment_line(comment, doc_id, names[comment.id]) for comment in linking.comments]
        labels += found
        parsed += [(pdf, _s2orc(pdf, version)) for pdf, version in zip(pair, versions[2 * number :], strict=False)]
        losses |= dict.fromkeys(_loss(linking, len(found)))
    files = {
        "paper_edits.jsonl": _file(edits),
        "review_comments.jsonl": AriesFile((*comments, Line("", None))),
        "edit_labels.jsonl": _file(labels),
    }
    return Export(
        (
            *(ExportFile(name, file.content()) for name, file in files.items()),
            *(ExportFile(f"s2orc/{pdf}.json", content) for pdf, content in dict(parsed).items()),
        ),
        tuple(losses),
    )


def _unique(names: Sequence[str], hashes: Sequence[str]) -> list[str]:
    """Returns the names, with the start of the hash, or a number, appended to ambiguous ones."""
    meant: dict[str, set[str]] = {}
    for name, sha256 in zip(names, hashes, strict=True):
        meant.setdefault(name.lower(), set()).add(sha256)
    known: Counter[tuple[str, str]] = Counter()
    found = []
    for name, sha256 in zip(names, hashes, strict=True):
        alone = name and (len(meant[name.lower()]) == 1 and (sha256 or names.count(name) == 1))
        known[name, sha256] += not sha256
        found.append(name if alone else f"{name}-{sha256[:12] or known[name, sha256]}")
    return found


def _edits(linking: Linking, doc_id: str, pdfs: tuple[str, str]) -> dict[str, Any]:
    names = edit_names(linking.edits)
    return {
        "doc_id": doc_id,
        "source_pdf_id": pdfs[0],
        "target_pdf_id": pdfs[1],
        "edits": [
            {
                "edit_id": names[e.id],
                "source_idxs": _indices(e.source_ids, linking.source.paragraphs),
                "target_idxs": _indices(e.target_ids, linking.target.paragraphs),
                "kind": e.sort,
                "group": e.group,
            }
            for e in linking.edits
        ],
    }


def _labels(linking: Linking, doc_id: str, comments: Mapping[str, str]) -> list[dict[str, Any]]:
    names = edit_names(linking.edits)
    decided = {s.comment_id: s.state for s in linking.states if s.state != "undecided"}
    labels: list[dict[str, Any]] = []
    for comment in linking.comments:
        linked = {link.edit_id for link in linking.links if link.comment_id == comment.id}
        positives = [names[e.id] for e in linking.edits if e.id in linked]
        state = decided.get(comment.id, "linked" if positives else None)
        if state is None:
            continue
        values: dict[str, Any] = {
            "doc_id": doc_id,
            "comment_id": comments[comment.id],
            "positive_edits": positives,
            # A decision covers all edits; without one the others are unknown. Passages are only ever shown for the
            # comment that they were linked to.
            "negative_edits": [names[e.id] for e in linking.edits if e.id not in linked and not e.passage]
            if comment.id in decided
            else [],
            "state": _NAMES[state],
        }
        if comment.action:
            values["action"] = comment.action
        labels.append(values)
    return labels


def _s2orc(pdf_id: str, version: Version) -> bytes:
    """Returns a version in the format of S2ORC; edits refer to indices in its ``body_text``."""
    body = [{"text": p.text, "section": p.section, "cite_spans": [], "ref_spans": []} for p in version.paragraphs]
    parse = {"paper_id": pdf_id, "body_text": body, "back_matter": []}
    document = {"paper_id": pdf_id, "pdf_hash": version.sha256, "pdf_parse": parse}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def _indices(ids: Sequence[str], paragraphs: Sequence[Any]) -> list[int]:
    positions = {p.id: number for number, p in enumerate(paragraphs)}
    return [positions[key] for key in ids if key in positions]


def _file(records: Iterable[Mapping[str, Any]]) -> AriesFile:
    lines = [Line(json.dumps(r, ensure_ascii=False), r) for r in records]
    return AriesFile((*lines, Line("", None)))


def _loss(linking: Linking, labelled: int) -> tuple[str, ...]:
    sentences = ["The ARIES files contain comments and their contexts but not the full reviews."]
    if any(p.boxes for version in (linking.source, linking.target) for p in version.paragraphs):
        sentences.append("The papers' paragraphs are written without their positions on the pages.")
    if len({link.annotator_id for link in linking.links}) > 1:
        sentences.append("Links of several annotators are written as one set.")
    if any(link.confidence is not None for link in linking.links):
        sentences.append("Confidence of links is left out.")
    if any(link.note for link in linking.links) or any(s.note for s in linking.states):
        sentences.append("Notes are left out.")
    if any(e.passage for e in linking.edits):
        sentences.append("Passages are written as edits of the kind “passage”, with whole paragraphs.")
    if doubted := doubts(linking.edits, linking.source, linking.target):
        names = edit_names(linking.edits)
        said = counted(len(doubted), "edit was", "edits were")
        sentences.append(
            f"{said} read from doubtful pages, which the files don't say: {', '.join(names[key] for key in doubted)}."
        )
    if labelled < len(linking.comments):
        left = counted(len(linking.comments) - labelled, "undecided comment is", "undecided comments are")
        sentences.append(f"{left} left out of edit_labels.jsonl.")
    silent = sum(not c.actionable for c in linking.comments)
    if silent:
        requesting = counted(silent, "comment requests nothing and is", "comments request nothing and are")
        sentences.append(f"{requesting} written like all others.")
    return tuple(sentences)


@dataclass(frozen=True, slots=True)
class S2orcParagraph:
    """A paragraph; ``index`` counts from 0 through body and back matter, like edit indices."""

    index: int
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class S2orcDocument:
    paper_id: str
    paragraphs: tuple[S2orcParagraph, ...]


def read_s2orc(text: str, name: str) -> S2orcDocument:
    """Reads a paper from S2ORC JSON, with the parse at the top level or in ``pdf_parse``. Raises BadInput."""
    record = parse_json(text, name)
    parse = record.get("pdf_parse", record) if isinstance(record, dict) else None
    if not isinstance(parse, dict) or not isinstance(parse.get("body_text"), list):
        raise not_imported(f"{name} isn't an S2ORC parse: it has no body_text.")
    paragraphs: list[S2orcParagraph] = []
    for key in ("body_text", "back_matter"):
        found = parse.get(key) or []
        if not isinstance(found, list):
            raise not_imported(f"{name} has no list of paragraphs in {key}.", "Export it again.")
        for entry in found:
            if not isinstance(entry, dict):
                raise not_imported(f"{name} has a paragraph in {key} that isn't an object.", "Export it again.")
            section, words = text_of(entry.get("section")), text_of(entry.get("text"))
            paragraphs.append(S2orcParagraph(len(paragraphs), section, words))
    return S2orcDocument(text_of(record.get("paper_id") or parse.get("paper_id")), tuple(paragraphs))


def root_of(folder: Path) -> Path:
    """Returns the folder with the ARIES files: this one, or its subfolder ``revisions``. Raises BadInput."""
    for place in (folder, folder / "revisions"):
        if (place / "paper_edits.jsonl").is_file():
            return place
    raise not_read(
        f"There are no annotated revisions in {folder}.",
        "Choose the folder with paper_edits.jsonl, review_comments.jsonl, edit_labels.jsonl and s2orc/.",
    )


def read_version(root: Path, pdf_id: str) -> S2orcDocument:
    """Reads a version of a paper by its id. Raises BadInput if its file is missing or has another format."""
    path = file_in(root / "s2orc", f"{pdf_id}.json")
    if path is None:
        raise not_read(f"The parsed paper {pdf_id[:80]} is missing.", "Extract s2orc.tar.gz next to the other files.")
    return read_s2orc(read_text(path).text, path.name)


def check_places(edit_id: str, indices: tuple[int, ...], paper_id: str, count: int) -> None:
    """Raises BadInput if an edit refers to a paragraph that its paper, of ``count`` paragraphs, lacks."""
    beyond = [at for at in indices if not 0 <= at < count]
    if beyond:
        raise not_read(
            f"Edit {edit_id} names paragraph {beyond[0]}, but {paper_id} has {count}.",
            "Check that edits and parsed papers belong together.",
        )
