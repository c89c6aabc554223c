"""Imports files of one paper: versions, reviews, letters and links, each with its own reader."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from engine.documents.store import DocumentStore
from engine.errors import BadInput, EnvironmentProblem
from engine.exchange import aries, links_csv, openreview, plain_text, sniff, web_annotation
from engine.exchange.aries import AriesFile
from engine.exchange.links_csv import Resolved, resolve_links
from engine.exchange.records import OutsideLinks
from engine.exchange.response_letter import quoted_comments
from engine.operations.incoming import (
    REVISED_WORDS,
    SUBMITTED_WORDS,
    Added,
    Incoming,
    Proposal,
    adopt_texts,
    file_bytes,
    is_there,
)
from engine.operations.removing import remove
from engine.operations.targets import Target
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.letter import read_letter
from engine.reviews.records import SAME_RESPONSE, Comment, ReviewBundle
from engine.reviews.store import ReviewStore
from engine.revision.store import RevisionStore
from engine.shown import counted, unread_by_models

_ORDER: tuple[str, ...] = (
    "pdf", "letter", "openreview", "aries-comments", "review", "aries-labels", "links-csv", "web-annotation",
    "aries-edits", "s2orc",
)  # fmt: skip
"""Letters come before reviews, since they contain the comments with their responses; links last, when their comments
exist."""
_UNANSWERED = (
    "was read as a review: each paragraph is a comment. If it contains your responses, remove it, add it again and "
    "choose how to read it."
)
_NAMES = ((REVISED, REVISED_WORDS), (SUBMITTED, SUBMITTED_WORDS))


class Importing:
    """Imports files into one paper, inside an open action; problems are added to ``added``."""

    def __init__(self, project: Project, paper_id: str, added: Added) -> None:
        self.project, self.added = project, added
        self.papers, self.documents = PaperStore(project), DocumentStore(project)
        self.reviews, self.revisions = ReviewStore(project), RevisionStore(project)
        self.paper = next(one for one in self.papers.papers() if one.id == paper_id)

    def take_in(self, files: Sequence[Incoming], kept: Mapping[Path, bytes]) -> None:
        """Imports the files; ``kept`` is the content of the PDFs that could be read."""
        new = [one for one in files if one.path in kept and not is_there(self.project, one, self.paper.id)]
        labels = self._labels([one.path for one in new])
        for one in sorted(files, key=lambda one: _ORDER.index(one.found.kind)):
            try:
                if one.found.kind != "pdf":
                    self._add_text(one)
                elif one.path in kept:
                    self._add_version(one, kept[one.path], labels.get(one.path, ""))
                else:
                    continue
            except EnvironmentProblem as problem:
                self.added.problem(problem)
            else:
                self.added.count += 1

    def _labels(self, pdfs: Sequence[Path]) -> dict[Path, str]:
        """Decides which PDF becomes which version: by words in its name, otherwise the first unused label; "" for
        additional ones. Names that differ only in numbers are sorted by these."""
        if len({re.sub(r"\d+", "", path.stem) for path in pdfs}) == 1:
            pdfs = sorted(pdfs, key=lambda path: [int(number) for number in re.findall(r"\d+", path.stem)])
        taken = {version.label for version in self.papers.versions(self.paper.id)}
        free = [label for label in (SUBMITTED, REVISED) if label not in taken]
        found: dict[Path, str] = {}
        for path in pdfs:
            name = path.stem.lower().replace("_", "").replace("-", "")
            label = next((at for at, words in _NAMES if any(word in name for word in words)), "")
            if label in free:
                free.remove(label)
                found[path] = label
        for path in pdfs:
            if path not in found:
                found[path] = free.pop(0) if free else ""
        return found

    def _add_version(self, one: Incoming, content: bytes, label: str) -> None:
        versions, name = self.papers.versions(self.paper.id), one.path.name
        document = self.documents.add_document(content, name, title=one.title)
        if one.packed is not None:
            self.documents.save_packed(document, one.packed)
        known = next((version for version in versions if version.document_id == document), None)
        if known is not None:
            self.added.warnings.append(
                f"{name} is already in the project as {known.filename}, so it wasn't added again."
            )
            return
        if not label:
            taken = {version.label for version in versions}
            label = next(words for n in count(len(versions) + 1) if (words := f"version {n}") not in taken)
            self.added.warnings.append(
                f"{name} was added as another version. The versions shown haven't changed. Choose which versions to "
                "compare in the menus above the pages."
            )
        self.papers.add_version(self.paper.id, document, label)
        self.added.warn(name, one.remarks)

    def _add_text(self, one: Incoming) -> None:
        path, kind, text = one.path, one.found.kind, one.found.text or ""
        self.added.warn(path.name, one.found.warnings)
        if kind in ("letter", "openreview", "aries-comments", "review"):
            self._add_reviews(self._bundle(one, text), one)
        elif kind == "aries-labels":
            file = aries.read_file(text.encode(), path.name)
            self._add_links(path, aries.outside_links(aries.edit_labels(file), self._of_paper(path, file)))
        elif kind == "links-csv":
            self._add_links(path, links_csv.read_links(text, path.name))
        elif kind == "web-annotation":
            self._add_links(path, web_annotation.read_links(text, path.name))
        else:
            raise BadInput(
                f"{path.name} contains {sniff.TITLES[kind]}, but edits and paragraphs come from the PDFs here.",
                "It was not added.",
                "Add the two PDFs together with the comments and labels, or import the whole folder as “ARIES”.",
            )

    def _add_reviews(self, bundle: ReviewBundle, one: Incoming) -> None:
        path = one.path
        self.added.warn(path.name, bundle.warnings)
        self.added.warn(path.name, (said for one in bundle.texts for said in unread_by_models(one.text, path.name)))
        alone = len(self.papers.papers()) == 1
        if any(text.kind == "letter" for text in bundle.texts):
            bundle = self._answering(bundle)
        elif (left := self._unanswered(bundle, path.name)) != bundle:
            bundle = left
        elif one.found.kind == "review":
            bundle = self._apart(bundle)
        change, left_out, met, answered = self.reviews.import_new(
            bundle, path.name, paper_id=self.paper.id, everywhere=alone
        )
        if bundle.reading is not None:
            self.added.letters |= {text.id: replace(one, reading=bundle.reading) for text in change.texts}
        if left_out and not change.texts:
            self.added.warnings.append(f"{path.name} is already in the project, so it wasn't added again.")
        elif met:
            known = f"{counted(met, 'comment')} of {path.name} {'was' if met == 1 else 'were'} already in the project."
            new = "A new response was added to it." if met == 1 else "New responses were added to them."
            some = f"New responses were added to {answered} of them." if answered < met else new
            self.added.warnings.append(f"{known} {some}" if answered else known)

    def _bundle(self, one: Incoming, text: str) -> ReviewBundle:
        path = one.path
        if one.found.kind == "openreview":
            return openreview.read_openreview(text, path.name)
        if one.found.kind == "aries-comments":
            file = aries.read_file(text.encode(), path.name)
            return aries.review_comments(file, doc_id=self._of_paper(path, file))
        if one.found.kind == "letter" or (one.reading is not None and one.reading.rest != "review"):
            return read_letter(one.found.read or text, title=path.stem.replace("_", " "), reading=one.reading)
        bundle = plain_text.read_review(
            text, path.name, media_type="text/markdown" if one.found.markdown else "text/plain"
        )
        if one.reading is None and one.found.unsure:
            bundle = replace(bundle, warnings=(*bundle.warnings, f"{path.name} {_UNANSWERED}"))
        return bundle

    def _unanswered(self, bundle: ReviewBundle, name: str) -> ReviewBundle:
        """Leaves out the comments that the paper's letters quote: they come from there, with their responses."""
        quotes = [one for one in self._comments() if one.source_id in self._letters()]
        quoted = {
            among[n].id
            for quote in quotes
            for among in [_of(quote.reviewer, bundle.comments)]
            for n in quoted_comments(quote.comment, [one.comment for one in among])
        }
        kept = tuple(one for one in bundle.comments if one.response or one.id not in quoted)
        if left := len(bundle.comments) - len(kept):
            are = "is" if left == 1 else "are"
            self.added.warnings.append(f"{counted(left, 'comment')} of {name} {are} also in the response letter.")
        return replace(bundle, comments=kept)

    def _answering(self, bundle: ReviewBundle) -> ReviewBundle:
        """Gives the responses of a letter to the comments of reviews of which it quotes a part or several together."""
        letters = self._letters()
        known = [one for one in self._comments() if one.source_id not in letters]
        found: dict[str, Comment] = {}
        for comment in bundle.comments:
            among = _of(comment.reviewer, known)
            at = quoted_comments(comment.comment, [one.comment for one in among])
            shared = comment.same_response or (comment.id if len(at) > 1 else "")
            for there in [among[n] for n in at]:
                met = found.get(there.id)
                said = [one.response for one in (met, comment) if one is not None and one.response]
                extra = dict(comment.extra) | ({SAME_RESPONSE: shared} if shared and met is None else {})
                found[there.id] = replace(
                    met or comment, comment=there.comment, response="\n\n".join(dict.fromkeys(said)),
                    extra=tuple(extra.items()),
                )  # fmt: skip
            if not at:
                found[comment.id] = comment
        return replace(bundle, comments=tuple(found.values()))

    def _comments(self) -> tuple[Comment, ...]:
        alone = len(self.papers.papers()) == 1  # reviews imported before the paper belong to it
        return self.reviews.comments(paper_id=None if alone else self.paper.id)

    def _letters(self) -> set[str]:
        return {text.id for text in self.reviews.texts() if text.kind == "letter"}

    def _apart(self, bundle: ReviewBundle) -> ReviewBundle:
        """Numbers the reviewer of a review without a name if the paper has comments of another one: they are two."""
        known = {comment.reviewer for comment in self.reviews.comments(paper_id=self.paper.id)}
        if "" not in known or any(comment.reviewer for comment in bundle.comments):
            return bundle
        name = next(words for n in count(2) if (words := f"Reviewer {n}") not in known)
        texts = tuple(replace(text, reviewer=name) for text in bundle.texts)
        return replace(bundle, texts=texts, comments=tuple(replace(one, reviewer=name) for one in bundle.comments))

    def _of_paper(self, path: Path, file: AriesFile) -> str | None:
        """Returns this paper's id in an ARIES file; None if the file has fewer than two papers. Raises BadInput if none
        or several match."""
        ids = sorted({str(record.get("doc_id", "")) for record in file.records()})
        if len(ids) < 2:
            return None
        names = {_slug(name) for name in (self.paper.external_id, self.paper.title, self.project.title) if name}
        found = [key for key in ids if _slug(key) in names]
        if len(found) != 1:
            raise BadInput(
                f"{path.name} contains {len(ids)} papers, but none with the name of this one.",
                "It was not added.",
                f"Rename the paper to match one of: {', '.join(ids[:8])}.",
            )
        return found[0]

    def _add_links(self, path: Path, links: OutsideLinks) -> None:
        labels = {version.label: version.document_id for version in self.papers.versions(self.paper.id)}
        revision = self.revisions.revision_of(labels.get(SUBMITTED, ""), labels.get(REVISED, ""))
        if revision is None:
            raise BadInput(
                f"The links in {path.name} need the edits between both versions.",
                "They were not added.",
                "Add both PDFs first, then add the links once the edits are listed.",
            )
        alone = len(self.papers.papers()) == 1
        comments = self.reviews.comments(paper_id=None if alone else self.paper.id)
        self.added.warn(path.name, keep_links(self.revisions, revision.id, comments, links, path.name).warnings)


def keep_links(
    revisions: RevisionStore, revision_id: str, comments: Sequence[Comment], links: OutsideLinks, filename: str
) -> Resolved:
    """Imports the links and states of a file whose comments and edits are found; returns these."""
    found = resolve_links(links.links, comments, revisions.targets(revision_id))
    revisions.import_links(found.links, filename)
    for state in sorted({judgement.state for judgement in found.states} - {"linked", "undecided"}):
        decided = [judgement.comment_id for judgement in found.states if judgement.state == state]
        revisions.set_comment_state(revision_id, decided, state)
    return replace(found, warnings=(*links.warnings, *found.warnings))


def _of(reviewer: str, comments: Sequence[Comment]) -> Sequence[Comment]:
    """Returns the comments of a reviewer; all if there are none, since files name reviewers differently."""
    return [one for one in comments if one.reviewer == reviewer] or comments


def _slug(name: str) -> str:
    return "".join(ch for ch in name.casefold() if ch.isalnum())


def take_in(project: Project, proposal: Proposal) -> Added:
    """Imports the files into the papers given in the proposal, in one undo step.

    Files that can't be imported are listed in ``problems``; the others are imported anyway. PDFs become the submitted
    and revised version, by their names if possible, otherwise in order; additional ones become further versions. Links
    whose comment or edit isn't found are mentioned in the warnings.
    """
    added = Added(list(proposal.problems))
    if not proposal.files:
        return added
    kept: dict[Path, bytes] = {}
    for one in proposal.files:  # stored outside the action: files are large, and undo doesn't need them
        if one.found.kind == "pdf":
            try:
                kept[one.path] = file_bytes(one.path)
                project.put_blob(kept[one.path], "application/pdf")
            except EnvironmentProblem as problem:
                added.problem(problem)
    first = proposal.files[0].path.name
    title = f"Add {first}" if len(proposal.files) == 1 else f"Add {len(proposal.files)} files"
    with project.action(title):
        made: dict[str, str] = {}
        for one in proposal.files:
            place = one.place
            if not place.paper_id and place.title not in made:
                adopt_texts(project)
                made[place.title] = PaperStore(project).add_paper(place.title)
            added.papers[one.path] = place.paper_id or made[place.title]
        for paper_id in dict.fromkeys(added.papers.values()):
            own = [one for one in proposal.files if added.papers[one.path] == paper_id]
            Importing(project, paper_id, added).take_in(own, kept)
    return added


def swap_roles(project: Project, text_id: str, letter: Incoming) -> Added:
    """Imports a letter again with comments and responses swapped, in one undo step. ``letter`` is the text's entry in
    ``Added.letters``. Raises BadInput if other annotators linked or labelled the comments."""
    assert letter.reading is not None
    text = ReviewStore(project).text(text_id)
    paper = next(row[0] for row in project.query("SELECT paper_id FROM source_text WHERE id = ?", (text_id,)))
    added = Added()
    with project.action(f"Swap comments and responses of {letter.path.name}"):
        remove(project, Target("review", text_id, text.title))
        swapped = replace(letter, reading=letter.reading.swap())
        Importing(project, paper, added).take_in([swapped], {})
    added.papers[letter.path] = paper
    return added
