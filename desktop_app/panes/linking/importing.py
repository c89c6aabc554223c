"""Files that a person adds to the linking pane: told apart by what is in them, taken over by store verbs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.panes.linking.reader import StudyReader
from desktop_app.panes.linking.study import Study
from desktop_app.panes.linking.terms import STATES
from engine.errors import BadInput, EnvironmentProblem
from engine.papers.records import Paper
from engine.papers.store import REVISED, SUBMITTED

if TYPE_CHECKING:
    from engine.exchange.aries import AriesFile
    from engine.exchange.records import OutsideLinks
    from engine.exchange.sniff import Sniffed
    from engine.reviews.records import ReviewBundle

_REVISED_WORDS = ("revis", "camera", "final", "accepted", "resubmi", "v2", "version2", "new", "r1")
_SUBMITTED_WORDS = ("submit", "submission", "original", "initial", "v1", "version1", "old", "preprint")


@dataclass
class Added:
    """What came of adding files: sentences on what was not taken over, and on what to look at."""

    problems: list[EnvironmentProblem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    count: int = 0


def add_files(reader: StudyReader, study: Study, paths: Sequence[Path], added: Added) -> None:
    """Adds files to the paper that is shown (a new one where there is none), all in one undo step.

    PDFs become the submitted and the revised version, by their names where these tell, else in order; further ones are
    kept as versions that can be compared in the place of these. Reviews, letters, OpenReview notes and ARIES comments
    become reviews with their comments. Links come from ARIES labels, Web Annotations and tables; those whose ends are
    not found are counted in the warnings.
    """
    kinds = {path: found for path in paths if (found := _sniffed(added, path)) is not None}
    pdfs = [path for path, found in kinds.items() if found.kind == "pdf"]
    for path in pdfs:  # files are kept outside of the act: they are large, and undo has no use for them
        _tried(added, partial(_keep, reader, path), counts=False)
    texts = sorted((path for path in kinds if path not in pdfs), key=lambda path: _ORDER.index(kinds[path].kind))
    title = f"Add {paths[0].name}" if len(paths) == 1 else f"Add {len(paths)} files"
    with reader.project.action(title):
        paper_id = study.paper.id if study.paper else _new_paper(reader, paths, pdfs)
        paper = next(one for one in reader.papers.papers() if one.id == paper_id)
        for path, label in _labelled(pdfs, study):
            _tried(added, partial(_add_version, reader, paper_id, path, label, added))
        for path in texts:
            _tried(added, partial(_add_text, reader, replace(study, paper=paper), path, kinds[path], added))


_ORDER: tuple[str, ...] = (
    "letter", "openreview", "aries-comments", "review", "aries-labels", "links-csv", "web-annotation", "aries-edits",
    "s2orc",
)  # fmt: skip
"""Letters before reviews, since their comments come with the answers; links last, when their comments are there."""


def _sniffed(added: Added, path: Path) -> Sniffed | None:
    from engine.exchange.sniff import sniff

    try:
        return sniff(path)
    except EnvironmentProblem as problem:
        added.problems.append(problem)
        return None


def _tried(added: Added, step: Callable[[], object], *, counts: bool = True) -> None:
    try:
        step()
    except EnvironmentProblem as problem:
        if problem.what not in {known.what for known in added.problems}:
            added.problems.append(problem)
    else:
        added.count += counts


def _new_paper(reader: StudyReader, paths: Sequence[Path], pdfs: Sequence[Path]) -> str:
    """A paper named after its file, or after the folder where the file's name only says which version it is."""
    first = (pdfs or paths)[0]
    name = first.stem
    if any(name.lower().startswith(word) for word in (*_REVISED_WORDS, *_SUBMITTED_WORDS, "review", "response")):
        name = first.absolute().parent.name or name
    return reader.papers.add_paper(name.replace("_", " ").strip() or "Paper")


def _labelled(pdfs: Sequence[Path], study: Study) -> list[tuple[Path, str]]:
    """Which PDF is which version: by the words of its name, else the first free place."""
    free = [label for label, version in ((SUBMITTED, study.source), (REVISED, study.target)) if version is None]
    found: list[tuple[Path, str]] = []
    unknown: list[Path] = []
    for path in pdfs:
        name = path.stem.lower().replace("_", "").replace("-", "")
        label = next((at for at, ws in _NAMES if any(word in name for word in ws)), "")
        if label and label in free:
            free.remove(label)
            found.append((path, label))
        else:
            unknown.append(path)
    for path in unknown:
        found.append((path, free.pop(0) if free else ""))
    return found


_NAMES = ((REVISED, _REVISED_WORDS), (SUBMITTED, _SUBMITTED_WORDS))


def _add_version(reader: StudyReader, paper_id: str, path: Path, label: str, added: Added) -> None:
    versions = reader.papers.versions(paper_id)
    document = reader.documents.add_document(_bytes(path), path.name)
    known = next((version for version in versions if version.document_id == document), None)
    if known is not None and not label:
        added.warnings.append(f"{path.name} is here already, as {known.filename}; nothing was added twice.")
        return
    if not label:
        taken = {version.label for version in versions}
        label = next(name for number in count(len(versions) + 1) if (name := f"version {number}") not in taken)
        added.warnings.append(
            f"{path.name} is kept as a further version. What is shown did not change: choose which versions are "
            "compared in the menus above the pages."
        )
    reader.papers.add_version(paper_id, document, label)


def replace_version(reader: StudyReader, study: Study, label: str, path: Path) -> None:
    """Puts another PDF under ``label`` (submitted or revised) of the paper that is shown."""
    assert study.paper is not None
    version = study.source if label == SUBMITTED else study.target
    with reader.project.action(f"Choose {label} version"):
        document = reader.documents.add_document(_bytes(path), path.name)
        if version is None:
            reader.papers.add_version(study.paper.id, document, label)
        else:
            reader.papers.replace_version(version.id, document)


def _keep(reader: StudyReader, path: Path) -> None:
    reader.project.put_blob(_bytes(path), "application/pdf")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(
            f"{path.name} could not be read: {error.strerror}.", "It was not added.", "Check the file and its folder."
        ) from error


def _add_text(reader: StudyReader, study: Study, path: Path, found: Sniffed, added: Added) -> None:
    from engine.exchange import aries, links_csv, sniff, web_annotation

    assert study.paper is not None
    added.warnings += found.warnings
    text = found.text or ""
    if found.kind in ("letter", "openreview", "aries-comments", "review"):
        bundle = _bundle(reader, study.paper, path, found)
        added.warnings += bundle.warnings
        alone = len(reader.papers.papers()) == 1  # reviews that came before the paper are its own
        change, left_out, met = reader.reviews.import_new(bundle, path.name, paper_id=study.paper.id, everywhere=alone)
        if left_out and not change.texts:
            added.warnings.append(f"{path.name} is here already; nothing was added twice.")
        elif met:
            added.warnings.append(
                f"{met} comment{'' if met == 1 else 's'} of {path.name} {'was' if met == 1 else 'were'} here already; "
                "new responses were added to them."
            )
    elif found.kind == "aries-labels":
        file = aries.read_file(text.encode(), path.name)
        labels = aries.edit_labels(file)
        _add_links(reader, study, path, aries.outside_links(labels, _of_paper(reader, study.paper, path, file)), added)
    elif found.kind == "links-csv":
        _add_links(reader, study, path, links_csv.read_links(text, path.name), added)
    elif found.kind == "web-annotation":
        _add_links(reader, study, path, web_annotation.read_links(text, path.name), added)
    else:
        raise BadInput(
            f"{path.name} holds {sniff.TITLES[found.kind]}; here, edits and paragraphs come from the PDFs.",
            "It was not added.",
            "Add the two PDFs, and the comments and labels beside them.",
        )


def _bundle(reader: StudyReader, paper: Paper, path: Path, found: Sniffed) -> ReviewBundle:
    from engine.exchange import aries, openreview, plain_text
    from engine.reviews.letter import read_letter

    text = found.text or ""
    if found.kind == "openreview":
        return openreview.read_openreview(text, path.name)
    if found.kind == "aries-comments":
        file = aries.read_file(text.encode(), path.name)
        return aries.review_comments(file, doc_id=_of_paper(reader, paper, path, file))
    if found.kind == "letter":
        return read_letter(text, title=path.stem.replace("_", " "))
    bundle = plain_text.read_review(text, path.name, media_type="text/markdown" if found.markdown else "text/plain")
    if any(known.kind == "letter" for known in reader.reviews.texts(paper.id)):
        said = f"The comments of {path.name} are those of the response letter; further ones can be marked in Reviews."
        return replace(bundle, comments=(), warnings=(*bundle.warnings, said))
    return bundle


def _of_paper(reader: StudyReader, paper: Paper, path: Path, file: AriesFile) -> str | None:
    """The id under which an ARIES file of several papers knows this one."""
    ids = sorted({str(record.get("doc_id", "")) for record in file.records()})
    if len(ids) < 2:
        return None
    names = {_slug(name) for name in (paper.external_id, paper.title, reader.project.title) if name}
    found = [one for one in ids if _slug(one) in names]
    if len(found) != 1:
        raise BadInput(
            f"{path.name} holds {len(ids)} papers, and none of them has the name of this one.",
            "It was not added.",
            f"Name the paper as the file does, one of: {', '.join(ids[:8])}.",
        )
    return found[0]


def _slug(name: str) -> str:
    return "".join(ch for ch in name.casefold() if ch.isalnum())


def _add_links(reader: StudyReader, study: Study, path: Path, links: OutsideLinks, added: Added) -> None:
    from engine.exchange.resolve import resolve_links

    if study.revision is None:
        raise BadInput(
            f"The links of {path.name} need the edits between both versions.",
            "They were not added.",
            "Add both PDFs first, and the links when the edits are listed.",
        )
    assert study.paper is not None
    comments = reader.reviews.comments(paper_id=study.paper.id)
    found = resolve_links(links.links, comments, study.edits)
    added.warnings += (*links.warnings, *found.warnings)
    reader.revisions.import_links(found.links, path.name)
    for state in STATES:
        decided = [judgement.comment_id for judgement in found.states if judgement.state == state]
        if decided and state not in ("linked", "undecided"):
            reader.revisions.set_comment_state(study.revision.id, decided, state)
