"""Checks before a rebuttal is sent: too long, unanswered, not in the paper, or identifying its authors."""

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from engine.documents.places import Places
from engine.documents.records import Paragraph
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.documents.tasks import read_visible
from engine.rebuttal.budget import shortenings
from engine.rebuttal.claims import Checked, check_claims
from engine.rebuttal.letter import excesses, posts, shortened
from engine.rebuttal.matrix import Flag, Matrix, MatrixRow
from engine.rebuttal.points import Outline, said
from engine.rebuttal.records import Quoting
from engine.rebuttal.slots import find_slots
from engine.reviews.anonymity import Identifying
from engine.reviews.limits import Limit, page_count
from engine.reviews.preview import preview
from engine.reviews.records import Comment
from engine.reviews.spans import unmarked
from engine.reviews.wording import check_wording
from engine.revision.records import Edit
from engine.shown import counted

Weight = Literal["fix", "look"]
_NAMED = 6
_APART = 2
"""Up to this many responses with generated sentences are listed individually."""


def _listed(lines: Sequence[MatrixRow]) -> str:
    """Returns the labels of the first rows, and how many more there are."""
    more = f" and {len(lines) - _NAMED} more" if len(lines) > _NAMED else ""
    return ", ".join(line.row.label for line in lines[:_NAMED]) + more


def _owner(link: str) -> str:
    """Returns the site of a link with its first folder, which on hosting sites identifies the owner."""
    parts = link.partition("//")[2].split("/") if "//" in link else link.split("/")
    return "/".join(part for part in parts[:2] if part)


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. Weight ``fix``: it shouldn't be sent like this. ``comment_id``, or ``kind`` and ``reviewer`` of an
    opening or closing, say what it is about; all are "" for the whole rebuttal."""

    weight: Weight
    words: str
    detail: str = ""
    comment_id: str = ""
    kind: str = ""
    reviewer: str = ""


def findings(
    outline: Outline,
    matrix: Matrix,
    limit: Limit,
    quoting: Quoting,
    *,
    names: Collection[str] = (),
    metadata: Sequence[Identifying] = (),
    pages: float | None = None,
    remarks: Sequence[Comment] = (),
) -> tuple[Finding, ...]:
    """Returns all findings, those to fix first. ``names`` must not occur in the text; ``metadata`` is what attached
    files reveal about their authors; ``pages`` is the rebuttal's length if it was laid out; ``remarks`` are comments
    outside of the matrix that may be criticism. Generated sentences that aren't accepted and open slots are findings,
    too."""
    # One of several posts to a reviewer may be too long because of another response than their longest.
    several = {one.reviewer for one in outline if len(posts(one, limit, quoting)) > 1}
    found = [
        Finding(
            "fix",
            one.sentence(limit.unit),
            shortenings(
                outline,
                limit,
                quoting,
                one.whose,
                excess=inf if one.scope == "reply" and one.whose in several else one.spent - one.allowed,
            ),
        )
        for one in excesses(outline, limit, quoting)
        if one.scope != "total" or limit.pages is None or pages is None
    ]
    if limit.pages is not None and pages is not None and pages > limit.pages:
        many = counted(limit.pages, "page is", "pages are")
        found.append(
            Finding(
                "fix",
                f"The rebuttal is too long: it fills {page_count(pages)} pages, and {many} allowed.",
                shortenings(outline, limit, quoting),
            )
        )
    missing = matrix.unanswered
    if missing:
        whose = counted(len(missing), "comment has", "comments have")
        found.append(Finding("fix", f"{whose} no response", _listed(missing), missing[0].row.comment.id))
    waiting = [line for line in matrix.answers if line.row.point.generated]
    merged = len(waiting) > _APART
    if merged:
        number = sum(len(line.row.point.generated) for line in waiting)
        words = f"{number} generated sentences in {len(waiting)} responses haven't been accepted yet"
        found.append(Finding("look", words, _listed(waiting), waiting[0].row.comment.id))
    if remarks:
        words = counted(len(remarks), "other comment") + " may be criticism without a response"
        shown = "; ".join(f"“{shortened(' '.join(unmarked(one.comment).split()), 60)}”" for one in remarks[:_APART])
        found.append(Finding("look", words, shown, remarks[0].id))
    flagged: dict[tuple[tuple[str, str], Flag], list[MatrixRow]] = {}
    for line in matrix.rows:
        for flag in line.flags:
            if flag.cell != "length" and not (merged and flag.by == "accept"):
                flagged.setdefault((line.row.answer, flag), []).append(line)
    for (_, flag), lines in flagged.items():
        weight: Weight = "fix" if flag.grave or flag.by == "slots" else "look"
        comment = lines[0].row.comment
        words = " ".join(unmarked(comment.comment).split())
        found.append(Finding(weight, f"{_listed(lines)}: {flag.sentence}", words, comment.id))
    links: dict[str, list[Finding]] = {}
    for section in outline:
        labels_of = {row.comment.id: row.label for row in section.rows}
        again = {row.comment.id for row in section.rows} - {line.row.comment.id for line in matrix.answers}
        for point in section.points:
            if point.comment_id in again:
                continue
            where = labels_of.get(point.comment_id) or f"{point.kind.capitalize()} to {section.reviewer}"
            end = ("", "") if point.kind == "reply" else (point.kind, section.reviewer)
            if point.kind != "reply":
                if slots := find_slots(said(point.text)):
                    names_of = ", ".join(dict.fromkeys("{" + slot.name + "}" for slot in slots))
                    found.append(Finding("fix", f"{where}: open slots: {names_of}", "", "", *end))
                if point.generated:
                    found.append(Finding("look", f"{where}: generated text hasn't been accepted yet", "", "", *end))
            if said(point.text).strip():
                troubles = preview(said(point.text)).troubles
                found += [Finding("look", f"{where}: {one.sentence}", "", point.comment_id, *end) for one in troubles]
            wording = check_wording(said(point.text), "author", names)
            found += [
                Finding("look", f"{where}: “{one.words}”", one.why, point.comment_id, *end) for one in wording.tone
            ]
            for one in wording.identity:
                finding = Finding(
                    "fix" if one.sure else "look", f"{where}: “{one.words}”", one.why, point.comment_id, *end
                )
                if one.kind == "link":
                    links.setdefault(_owner(one.words), []).append(finding)
                else:
                    found.append(finding)
    for owner, own in links.items():
        first = own[0]
        found.append(
            first if len(own) == 1 else replace(first, words=f"{len(own)} links to {owner}, first {first.words}")
        )
    found += [Finding("look", one.words, one.why) for one in metadata]
    return tuple(sorted(found, key=lambda one: one.weight != "fix"))


# Caches the contents of the two versions, so that replies can be checked repeatedly while they are written.


@dataclass(frozen=True, slots=True)
class ToCheck:
    """The current text of a reply."""

    comment_id: str
    text: str
    confirmed: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    """Its sentences that aren't accepted yet."""


def to_check(outline: Outline) -> list[ToCheck]:
    return [
        ToCheck(row.comment.id, row.point.text, row.point.confirmed, tuple(g.sentence for g in row.point.generated))
        for row in outline.rows
    ]


class ClaimChecker:
    """Reads the text of each version once, at the first check. Can be used on any thread."""

    def __init__(self, documents: DocumentStore, source_document_id: str = "", target_document_id: str = "") -> None:
        self._documents = documents
        self._ids = (source_document_id, target_document_id)
        self._lock = threading.Lock()
        self._places: tuple[Places | None, Places | None] | None = None

    def check(
        self, replies: Sequence[ToCheck], edits: Sequence[Edit], service: DocumentService
    ) -> dict[str, tuple[Checked, ...]]:
        """Checks the claims of each reply against the revised version, by comment; empty if it hasn't been read yet."""
        with self._lock:
            submitted, revised = self._read(service)
            if revised is None:
                return {}
            return {
                r.comment_id: check_claims(r.text, revised, submitted, edits, r.confirmed, generated=r.generated)
                for r in replies
            }

    def revised_paragraphs(self, service: DocumentService) -> Mapping[str, Paragraph]:
        """Returns the paragraphs of the revised version by id; empty if it hasn't been read yet."""
        with self._lock:
            revised = self._read(service)[1]
            return {p.id: p for p in revised.document.paragraphs} if revised is not None else {}

    def _read(self, service: DocumentService) -> tuple[Places | None, Places | None]:
        if self._places is None:
            source, target = self._ids
            revised = self._shown(target, service)
            if revised is None:
                return None, None  # it may be read later
            self._places = self._shown(source, service), revised
        return self._places

    def _shown(self, document_id: str, service: DocumentService) -> Places | None:
        read = read_visible(self._documents, service, document_id) if document_id else None
        return Places(read[0]) if read is not None else None
