"""Import and export formats: one list for the command line and the window."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.agreement.store import AgreementStore
from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.exchange import aries, links_csv, plain_text, web_annotation
from engine.exchange.data_card import LEFT_OUT, described, write_dataset
from engine.exchange.expertise_data import import_release, release_study
from engine.exchange.io import frame_file
from engine.exchange.labelled_folders import read_labelled_folder, write_disapere, write_peer_review_analyze
from engine.exchange.openreview_expertise import (
    import_openreview_expertise,
    of_gold_standard,
    write_openreview_expertise,
)
from engine.exchange.preference_study import TASK, collection_of_project
from engine.exchange.preferences import clusters_of_project, import_into
from engine.exchange.publications import Style, read_publications, write_publications
from engine.exchange.records import Export, Linking
from engine.exchange.studies import Studies
from engine.expertise.store import SurveyStore
from engine.frames import FRAMES
from engine.operations.aries_papers import import_aries
from engine.operations.marked import Tool, import_marked, with_reviews, write_marked
from engine.operations.papers import chosen_paper
from engine.operations.targets import find
from engine.papers.store import LibraryStore, PaperStore
from engine.project import Project
from engine.reviews.labels.store import LabelStore
from engine.shown import counted

if TYPE_CHECKING:
    from engine.exchange.rebuttal_forms import Form
    from engine.exchange.rebuttals import Rebuttal, Rebuttals


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to export: the name of the file, and the key or title of a paper ("" for the only one)."""

    name: str
    paper: str = ""
    annotator: str = ""
    """Key of the annotator whose work is exported; "" for the acting one."""


@dataclass(frozen=True, slots=True)
class Writer:
    """An export format: its title, the ending of its file ("" for files in a folder), how it is made, whether it
    contains annotators' links, and whether it contains claims, of which the ``unfounded`` ones are confirmed first."""

    title: str
    ending: str
    make: Callable[[Project, Wanted], Export]
    links: bool = False
    claims: bool = False


@dataclass(frozen=True, slots=True)
class Imported:
    sentences: tuple[str, ...]
    problems: tuple[str, ...] = ()


_Read = Callable[[Project, Sequence[Path]], Imported]


@dataclass(frozen=True, slots=True)
class Reader:
    """An import format, read in one step. ``endings`` are the suffixes of its files; empty for a folder."""

    title: str
    endings: tuple[str, ...]
    read: _Read


def linkings(project: Project, wanted: Wanted) -> tuple[Linking, ...]:
    """Returns the linking of a paper, or of all papers with compared versions. Raises BadInput if there is no such
    paper or nothing was compared."""
    studies = Studies(project)
    key = find(project, "paper", wanted.paper).id if wanted.paper else ""
    found = [paper.id for paper, *_ in studies.compared() if key in {"", paper.id}]
    if not found:
        raise BadInput(
            "There are no links to export, because no versions have been compared.", "Nothing was written.",
            "Add the submitted and the revised PDF of the paper and compare them.",
        )  # fmt: skip
    return tuple(studies.linking(studies.study(one, wanted.annotator, suggestions=False)) for one in found)


def _one(make: Callable[[Linking, str], Export]) -> Callable[[Project, Wanted], Export]:
    def write(project: Project, wanted: Wanted) -> Export:
        found = linkings(project, wanted)
        if len(found) > 1:
            names = ", ".join(linking.paper for linking in found[:8])
            raise BadInput(
                f"The project has {len(found)} papers.", "Nothing was written.", f"Choose one with --paper: {names}."
            )
        return make(found[0], wanted.name)

    return write


def _read_rebuttal(project: Project, wanted: Wanted) -> "tuple[Rebuttals, Rebuttal]":
    from engine.exchange.rebuttals import Rebuttals

    reader = Rebuttals(project)
    paper = chosen_paper(reader.papers.papers(), wanted.paper)
    desk = reader.read(paper.id if paper else None)
    if not desk.outline.rows:
        raise BadInput("There are no comments to answer.", "Nothing was written.", "Add the reviews first.")
    return reader, desk


def unfounded(project: Project, wanted: Wanted) -> tuple[str, ...]:
    """Returns the claims of a rebuttal that are contradicted or not found and that nobody confirmed, in words."""
    reader, desk = _read_rebuttal(project, wanted)
    with DocumentService() as service:
        return tuple(f"{row.label}, {one.verdict}: {one.said}" for row, one in reader.matrix(desk, service).unfounded)


def _rebuttal(form: "Form") -> Callable[[Project, Wanted], Export]:
    def write(project: Project, wanted: Wanted) -> Export:
        from engine.exchange.rebuttal_forms import Leaving, make

        _, desk = _read_rebuttal(project, wanted)
        with DocumentService() as service:
            return make(form, Leaving(desk.outline, desk.limit, desk.plan.quoting), wanted.name, service)

    return write


def _dataset(project: Project, _wanted: Wanted) -> Export:
    frames = {name: described(make(project), make.__doc__ or "") for name, make in FRAMES.items()}
    return write_dataset(project.title, frames)


def _tables(project: Project, _wanted: Wanted) -> Export:
    frames = {name: make(project) for name, make in FRAMES.items()}
    files = tuple(frame_file(f"{name}.csv", frame) for name, frame in frames.items() if len(frame))
    return Export(files, LEFT_OUT)


def _labelled_out(data_set: str) -> Callable[[Project, Wanted], Export]:
    def write(project: Project, _wanted: Wanted) -> Export:
        reviews = LabelStore(project).labelled_reviews()
        if not reviews:
            raise BadInput("No review has labelled sentences.", "Nothing was written.", "Label some first.")
        if data_set == "disapere":
            return write_disapere(reviews, {paper.id: paper.title for paper in PaperStore(project).papers()})
        return write_peer_review_analyze(reviews)

    return write


def _library(style: Style) -> Callable[[Project, Wanted], Export]:
    def write(project: Project, wanted: Wanted) -> Export:
        papers = [paper for paper in LibraryStore(project).papers() if paper.title]
        if not papers:
            raise BadInput("The library has no papers.", "Nothing was written.", "Import publications first.")
        return write_publications(papers, style, wanted.name)

    return write


def _marked(tool: Tool) -> Callable[[Project, Wanted], Export]:
    def write(project: Project, wanted: Wanted) -> Export:
        paper = find(project, "paper", wanted.paper).id if wanted.paper else ""
        return write_marked(project, tool, with_reviews(project, paper, wanted.annotator))

    return write


def _marked_in(tool: Tool) -> _Read:
    def read(project: Project, paths: Sequence[Path]) -> Imported:
        with project.action("Import annotated texts"):
            found = [import_marked(project, path, tool) for path in paths]
        said = tuple(one.sentence(path.name) for path, one in zip(paths, found, strict=True))
        return Imported(said, tuple(warning for one in found for warning in one.warnings))

    return read


def _aries_in(project: Project, paths: Sequence[Path]) -> Imported:
    with DocumentService() as service:
        found = [import_aries(project, path, service) for path in paths]
    said = tuple(f"{path.name}: {one.sentence}" for path, one in zip(paths, found, strict=True))
    return Imported(said, tuple(warning for one in found for warning in one.warnings))


def _publications(project: Project, paths: Sequence[Path]) -> Imported:
    read = [(path, read_publications(path)) for path in paths]
    with project.action("Import publications"):
        for path, found in read:
            LibraryStore(project).add_all(found.papers, origin=f"import:{path.name}")
    said = tuple(
        f"{path.name}: {counted(len(found.papers), 'paper is', 'papers are')} in the library." for path, found in read
    )
    return Imported(said, tuple(warning for _, found in read for warning in found.warnings))


def _clusters_in(project: Project, paths: Sequence[Path]) -> Imported:
    with project.action("Import clusters or judgements"):
        found = [import_into(project, path) for path in paths]
    return Imported(tuple(one.words for one in found), tuple(warning for one in found for warning in one.warnings))


def _labelled(project: Project, paths: Sequence[Path]) -> Imported:
    read = [(path, read_labelled_folder(path)) for path in paths]
    with project.action("Import annotated reviews"):
        for path, found in read:
            LabelStore(project).import_reviews(found.reviews, path.name)
    said = [f"{path.name}: {found.sentence}" for path, found in read]
    loss = (sentence for _, found in read for sentence in found.loss)
    return Imported((*said, *loss), tuple(problem for _, found in read for problem in found.problems))


def _study(read: Callable[[Project, Path], str]) -> _Read:
    def into(project: Project, paths: Sequence[Path]) -> Imported:
        for path in paths:
            read(project, path)
        return Imported(tuple(f"{path.name} becomes its own study." for path in paths))

    return into


def _jitsupeer(project: Project, _wanted: Wanted) -> Export:
    return collection_of_project(project, partial(AgreementStore(project).visible, task=TASK))


def _only_study(project: Project) -> str:
    studies = SurveyStore(project).studies("organiser")
    if len(studies) != 1:
        raise BadInput(
            f"The project contains {len(studies)} studies.", "Nothing was written.",
            "Use `rejoinder survey export --study`." if studies else "Create a study first.",
        )  # fmt: skip
    return studies[0].id


def _openreview_out(project: Project, _wanted: Wanted) -> Export:
    gold = SurveyStore(project).gold_standard(_only_study(project), agreed_only=True)
    return write_openreview_expertise(of_gold_standard(gold))


WRITERS: Mapping[str, Writer] = {
    "aries": Writer("ARIES", "", lambda project, wanted: aries.write_linkings(linkings(project, wanted)), True),
    "w3c": Writer("Web Annotations", ".jsonld", _one(web_annotation.write_links), True),
    "links": Writer("Table of links", ".csv", _one(links_csv.write_links), True),
    "comments": Writer(
        "Comments, Markdown",
        ".md",
        _one(lambda linking, name: plain_text.write_markdown_comments(linking.comments, name)),
    ),
    "rebuttal-markdown": Writer("Rebuttal, Markdown", ".md", _rebuttal("letter"), claims=True),
    "rebuttal-latex": Writer("Rebuttal, LaTeX", ".tex", _rebuttal("latex"), claims=True),
    "rebuttal-docx": Writer("Rebuttal, Word", ".docx", _rebuttal("docx"), claims=True),
    "openreview": Writer("OpenReview notes", ".json", _rebuttal("notes"), claims=True),
    "csv": Writer("Tables, CSV", "", _tables),
    "parquet": Writer("Data set, Parquet", "", _dataset),
    "bibtex": Writer("Library, BibTeX", ".bib", _library("bibtex")),
    "ris": Writer("Library, RIS", ".ris", _library("ris")),
    "csl": Writer("Library, CSL-JSON", ".json", _library("csl")),
    "disapere": Writer("DISAPERE", "", _labelled_out("disapere")),
    "peer-review-analyze": Writer("Peer-Review-Analyze", "", _labelled_out("peer-review-analyze")),
    "brat": Writer("brat", "", _marked("brat"), True),
    "webanno-tsv": Writer("WebAnno TSV 3.3", "", _marked("webanno-tsv"), True),
    "cas-json": Writer("UIMA CAS JSON", "", _marked("cas-json"), True),
    "cas-xmi": Writer("UIMA CAS XMI", "", _marked("cas-xmi"), True),
    "jitsupeer": Writer("JitsuPeer", "", _jitsupeer),
    "expertise": Writer("Expertise data set", "", lambda project, _: release_study(project, _only_study(project))),
    "openreview-expertise": Writer("OpenReview expertise", "", _openreview_out),
    "clusters": Writer(
        "Clusters", ".csv", lambda project, wanted: Export((clusters_of_project(project, wanted.name),))
    ),
}
"""Export formats other than the bundle, by their name on the command line."""


READERS: Mapping[str, Reader] = {
    "publications": Reader("Publications: BibTeX, RIS, CSL-JSON, CSV", ("bib", "ris", "json", "csv"), _publications),
    "clusters": Reader("Clusters or judgements: CSV or a folder of JitsuPeer", ("csv",), _clusters_in),
    "aries": Reader("A folder of ARIES, with its parsed papers", (), _aries_in),
    "brat": Reader("brat standoff, the .ann files", ("ann",), _marked_in("brat")),
    "webanno-tsv": Reader("WebAnno TSV 3.3", ("tsv",), _marked_in("webanno-tsv")),
    "cas-json": Reader("UIMA CAS JSON", ("json",), _marked_in("cas-json")),
    "cas-xmi": Reader("UIMA CAS XMI", ("xmi",), _marked_in("cas-xmi")),
    "annotated-reviews": Reader("A folder of DISAPERE or Peer-Review-Analyze", (), _labelled),
    "expertise": Reader("A folder of the released expertise data", (), _study(import_release)),
    "openreview-expertise": Reader("A folder of OpenReview's expertise data", (), _study(import_openreview_expertise)),
}
"""Import formats other than the bundle and the files of a paper."""
