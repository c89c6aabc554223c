"""What is fuzzed: each target reads a folder of files as the program would. What reads a single file gets it by the
first name. ``project`` is an open project whose rows are compared after an import that failed."""

from __future__ import annotations

import importlib.util
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.fuzz import seeds
from tests.fuzz.seeds import Files, dumped, lines

if TYPE_CHECKING:
    from engine.documents.service import DocumentService
    from engine.project import Project


class Context:
    """What inputs share within one process: a document service and a project, made when they are first used."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._service: DocumentService | None = None
        self._project: Project | None = None

    @property
    def service(self) -> DocumentService:
        """A running document service."""
        from engine.documents.service import DocumentService

        if self._service is None:
            self._service = DocumentService()
            self._service.__enter__()
        return self._service

    @property
    def project(self) -> Project:
        """An open project."""
        from engine.project import Project

        if self._project is None:
            self._project = Project.create(self.place / "fuzz.rejoinder", "Fuzz", "Ada")
        return self._project

    @contextmanager
    def importing(self) -> Iterator[Project]:
        """The project, for an import that must leave all rows as they were where it fails."""
        before = self._rows()
        try:
            yield self.project
        except BaseException as error:
            after = self._rows()
            changed = [name for name in after if after[name] != before[name]]
            assert not changed, f"half imported into {changed}: {error!r}"
            raise

    def _rows(self) -> dict[str, int]:
        tables = self.project.query("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {name: self.project.query(f'SELECT count(*) FROM "{name}"')[0][0] for (name,) in tables}

    def close(self) -> None:
        """Ends what was started."""
        if self._service is not None:
            self._service.__exit__(None, None, None)
        if self._project is not None:
            self._project.close()


Read = Callable[[Path, Path, Context], Any]
"""The folder, the file of the first name in it, and what inputs share."""


@dataclass(frozen=True)
class Target:
    """``make`` gives valid inputs; ``read`` raises nothing but our errors on whatever became of them."""

    name: str
    make: Callable[[], list[Files]]
    read: Read
    data: tuple[str, ...] = field(default=())
    """Patterns of further seeds in the measuring data, where it is present; single files only."""


TARGETS: dict[str, Target] = {}


def target(name: str, *made: Files | Callable[[], Files], data: tuple[str, ...] = ()) -> Callable[[Read], Read]:
    """Registers a reader with its valid inputs."""

    def register(read: Read) -> Read:
        TARGETS[name] = Target(name, lambda: [one() if callable(one) else one for one in made], read, data)
        return read

    return register


def one(name: str, content: bytes | str) -> Files:
    """A folder of one file."""
    return {name: content.encode() if isinstance(content, str) else content}


# --- letters and reviews ----------------------------------------------------------------------------------------------


@target(
    "letter",
    one("l.md", seeds.LETTER),
    one("l.tex", seeds.TEX),
    lambda: one("l.docx", seeds.docx()),
    one("n.json", dumped(seeds.NOTES)),
    lambda: one("l.pdf", seeds.pdf()),
    data=("**/*.tex", "**/*.docx"),
)
def _letter(_folder: Path, path: Path, context: Context) -> None:
    from engine.exchange.response_letter import read_replies
    from engine.exchange.response_reading import read_letter_file
    from engine.reviews.letter import read_letter
    from engine.reviews.store import ReviewStore
    from tests.engine.rebuttal.outlines import make_outline

    text = read_letter_file(path, context.service).text
    with context.importing() as project:
        ReviewStore(project).import_bundle(read_letter(text), path.name)
    read_replies(text, make_outline(["", "One."]))


@target("docx", lambda: one("l.docx", seeds.docx()))
def _docx(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.docx_text import docx_text, is_docx

    data = path.read_bytes()
    is_docx(data)
    docx_text(data, path.name)


@target("latex", one("l.tex", seeds.TEX))
def _latex(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.latex_text import is_latex, latex_text

    text = read_text(path).text
    is_latex(text)
    latex_text(text, path.name)


@target("markup", one("l.html", seeds.HTML), one("l.org", seeds.ORG))
def _markup(folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.html_text import html_text
    from engine.exchange.org_text import org_text
    from engine.exchange.response_reading import markup_text

    read = read_text(path)
    markup_text(read, path.name, folder)
    html_text(read.text)
    org_text(read.text)


@target("review", one("r.txt", seeds.REVIEW), one("r.md", seeds.LETTER))
def _review(_folder: Path, path: Path, context: Context) -> None:

    from engine.exchange.encoding import read_text
    from engine.exchange.plain_text import read_review
    from engine.exchange.review_markdown import read_review as read_fields
    from engine.reviews.sentences import split_sentences
    from engine.reviews.store import ReviewStore

    text = read_text(path).text
    read_review(text, path.name)
    bundle = read_review(text, path.name, media_type="text/markdown")
    with context.importing() as project:
        ReviewStore(project).import_bundle(bundle, path.name)
    read_fields(text)
    split_sentences(text)


@target(
    "sniff",
    one("a.jsonl", seeds.EDITS),
    one("b.json", dumped(seeds.S2ORC)),
    one("c.json", dumped(seeds.ANNOTATIONS)),
    one("d.csv", "comment_id,edit_id\nc1,e1\n"),
    one("e.md", seeds.LETTER),
    lambda: one("f.docx", seeds.docx()),
    one("g.json", dumped(seeds.NOTES)),
    one("h.tex", seeds.TEX),
)
def _sniff(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.sniff import sniff

    sniff(path)


@target("openreview", one("n.json", dumped(seeds.NOTES)), one("n.jsonl", lines(*seeds.NOTES["notes"])))
def _openreview(_folder: Path, path: Path, context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.openreview import read_notes, read_openreview
    from engine.reviews.store import ReviewStore

    text = read_text(path).text
    read_notes(text, path.name)
    with context.importing() as project:
        ReviewStore(project).import_bundle(read_openreview(text, path.name), path.name)


@target(
    "form", one("f.json", dumped(seeds.FORM)), one("n.json", dumped({"summary": "s", "rating": 2, "drop": ["2: yes"]}))
)
def _form(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.review_form import read_form

    text = read_text(path).text
    read_form(text, path.name)


@target(
    "review sets",
    one("s.json", dumped(seeds.SETS)),
    one("o.jsonl", lines(seeds.OWN_SET)),
    one("n.json", dumped(seeds.NOTES)),
    one("m.md", seeds.LETTER),
)
def _review_sets(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.review_sets import read_review_set

    read_review_set(read_text(path).text, path.name)


@target("annotated", {"d/f/r_annotated.txt": seeds.ANNOTATED.encode()}, {"train/r.json": dumped(seeds.PAIR)})
def _annotated(folder: Path, _path: Path, context: Context) -> None:
    from engine.exchange.labelled_folders import read_labelled_folder
    from engine.reviews.labels.store import LabelStore

    with context.importing() as project:
        LabelStore(project).import_reviews(read_labelled_folder(folder).reviews, "folder")


@target("labelled folder", {"d/f/r_annotated.txt": seeds.ANNOTATED.encode()})
def _labelled_task(folder: Path, _path: Path, context: Context) -> None:
    from engine.exchange.labelled_folders import import_folder_task
    from engine.jobs import QuietReport

    with context.importing() as project:
        task = import_folder_task(project, folder)
        task.run(task.params, QuietReport())


# --- revisions --------------------------------------------------------------------------------------------------------


@target("aries", one("e.jsonl", seeds.EDITS), one("c.jsonl", seeds.COMMENTS), one("l.jsonl", seeds.LABELS))
def _aries(_folder: Path, path: Path, context: Context) -> None:
    from engine.exchange import aries
    from engine.reviews.store import ReviewStore

    file = aries.read_file(path.read_bytes(), path.name)
    kinds = {aries.kind_of(record) for record in file.records()}
    if "edits" in kinds:
        aries.paper_edits(file)
    if "labels" in kinds:
        aries.outside_links(aries.edit_labels(file))
    if "comments" in kinds:
        bundle = aries.review_comments(file, letters={"d": "Say why."})
        with context.importing() as project:
            ReviewStore(project).import_bundle(bundle, path.name)
        [aries.comment_line(comment, "d") for comment in bundle.comments]


@target(
    "corpus",
    {
        "paper_edits.jsonl": seeds.EDITS,
        "review_comments.jsonl": seeds.COMMENTS,
        "edit_labels.jsonl": seeds.LABELS,
        "s2orc/old.json": dumped(seeds.S2ORC),
        "s2orc/new.json": dumped({**seeds.S2ORC, "paper_id": "new"}),
    },
)
def _corpus(folder: Path, _path: Path, _context: Context) -> None:
    from engine.research.alignment.corpus import read_papers

    read_papers(folder)


@target("s2orc", one("s.json", dumped(seeds.S2ORC)))
def _s2orc(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.research.alignment.corpus import read_s2orc

    read_s2orc(read_text(path).text, path.name)


@target("web annotation", one("a.jsonld", dumped(seeds.ANNOTATIONS)))
def _annotations(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.links_csv import resolve_links
    from engine.exchange.web_annotation import read_links

    resolve_links(read_links(read_text(path).text, path.name).links, (), ())


@target(
    "links", one("l.csv", 'comment_id,edit_id,state,confidence,comment,target_text\nc1,e1,linked,0.5,\'=x,"y\nz"\n')
)
def _links(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.links_csv import read_links

    read_links(read_text(path).text, path.name)


_MARKED = 'T1\tComment 0 3;5 8\tSay why\nA1\tState T1 answered\n#1\tAnnotatorNotes T1\t{"identifier": "c"}\n'
_TSV = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Comment|identifier|state\n\n\n#Text=Say why.\n"
    "1-1\t0-3\tSay\tc[1]\tanswered[1]\t\n1-2\t4-7\twhy\tc[1]|*[2]\tanswered[1]|*[2]\t\n1-3\t7-8\t.\t_\t_\t\n"
)


@target("brat", {"r.ann": _MARKED.encode(), "r.txt": b"Say, why."})
def _brat(_folder: Path, path: Path, context: Context) -> None:
    from engine.operations.marked import import_marked

    with context.importing() as project:
        import_marked(project, path, "brat")


@target("webanno tsv", one("r.tsv", _TSV))
def _tsv(_folder: Path, path: Path, context: Context) -> None:
    from engine.operations.marked import import_marked

    with context.importing() as project:
        import_marked(project, path, "webanno-tsv")


def _cas(form: str) -> Callable[[], Files]:
    def make() -> Files:
        from engine.exchange.uima_cas import write_cas
        from engine.exchange.webanno_tsv import read_tsv

        files = write_cas(read_tsv("r", _TSV).documents, "json" if form == "json" else "xmi")
        return {file.name: file.content for file in files}

    return make


if importlib.util.find_spec("cassis"):

    @target("cas json", _cas("json"))
    def _cas_json(_folder: Path, path: Path, context: Context) -> None:
        from engine.operations.marked import import_marked

        with context.importing() as project:
            import_marked(project, path, "cas-json")

    @target("cas xmi", _cas("xmi"))
    def _cas_xmi(_folder: Path, path: Path, context: Context) -> None:
        from engine.operations.marked import import_marked

        with context.importing() as project:
            import_marked(project, path, "cas-xmi")


def _bundle() -> Files:
    from tempfile import TemporaryDirectory

    from engine.operations.bundle import write_bundle
    from engine.papers.store import PaperStore
    from engine.project import Project

    with TemporaryDirectory() as name, Project.create(Path(name) / "p.rejoinder", "Fuzz", "Ada") as project:
        paper = PaperStore(project).add_paper("A paper", abstract="Say why.")
        project.put_blob(b"%PDF-1.7", "application/pdf")
        PaperStore(project).rename_paper(paper, "Another")
        write_bundle(project, Path(name) / "b", history=True)
        files = {
            path.relative_to(Path(name) / "b").as_posix(): path.read_bytes()
            for path in sorted((Path(name) / "b").rglob("*"))
            if path.is_file() and path.stat().st_size and path.name != "README.md"
        }
    return {name: files[name] for name in sorted(files, key=lambda name: name != "datapackage.json")}


@target("bundle", _bundle)
def _read_bundle(folder: Path, _path: Path, _context: Context) -> None:
    from engine.operations.bundle import read_bundle

    made = folder / "made.rejoinder"
    try:
        read_bundle(folder, made)
    except BaseException:
        assert not made.exists()
        raise
    finally:
        made.unlink(missing_ok=True)


# --- tables -----------------------------------------------------------------------------------------------------------

_SCORES = "paper,reviewer,score,confidence\np1,Ann,6,3\np1,Bob,7: good,\np2,Ann,5.5,4\np1,Ann,6,3\n"


@target(
    "scores",
    one("s.csv", _SCORES),
    one("s.tsv", _SCORES.replace(",", "\t")),
    lambda: one("s.xlsx", seeds.xlsx()),
    one("n.json", dumped(seeds.NOTES)),
)
def _scores(_folder: Path, path: Path, context: Context) -> None:
    from engine.calibration.store import CalibrationStore
    from engine.exchange.scores import plan_scores, read_score_table, read_scores

    plan = plan_scores(read_score_table(path))
    if not plan.missing:
        found = read_scores(plan)
        with context.importing() as project:
            CalibrationStore(project).add_table("t", found.rows, origin="fuzz", problems=found.problems)


@target(
    "tables",
    one("s.csv", "sep=;\n# by hand\npaper;score\np1;1,5\n#2;3\n"),
    lambda: one("s.parquet", seeds.parquet()),
)
def _tables(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.io import read_table

    read_table(path).frame()


@target("workbook", lambda: one("s.xlsx", seeds.xlsx()))
def _workbook(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.io import read_workbook

    list(read_workbook(path.read_bytes(), path.name))


@target(
    "preferences",
    one("p.csv", "item_a,item_b,winner,annotator,repeat,milliseconds\nx,y,x,ada,,12\ny,z,tie,bob,1,\n"),
    one("c.csv", "worker;left;right;label\nada;x;y;x\n"),
)
def _preferences(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.preferences import read_preferences

    read_preferences(read_text(path).text, path.name).comparisons()


@target(
    "clusters",
    one("c.csv", "root,theme,action,kind,text\nr,t,a,sentence,Weak.\nr,t,a,candidate,Done.\n"),
    one("p.csv", "item_a,item_b,winner,annotator\nx,y,x,ada\n"),
    {"x/Arg_other/review/EXP.txt": b"Weak.\n"},
)
def _clusters(_folder: Path, path: Path, context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.preference_clusters import import_into, read_clusters

    with context.importing() as project:
        import_into(project, path)
    read_clusters(read_text(path).text, path.name)


@target("jitsupeer", seeds.JITSU)
def _jitsupeer(folder: Path, _path: Path, context: Context) -> None:
    from engine.errors import BadInput
    from engine.exchange import jitsupeer
    from engine.exchange.preference_clusters import import_into
    from engine.exchange.template_files import read_templates

    for read in (jitsupeer.read_scoring, jitsupeer.read_descriptions, jitsupeer.read_answers):
        with suppress(BadInput):
            read(folder, "train")
    read_templates(folder, "mine")
    jitsupeer.read_collection(folder)
    with context.importing() as project:
        import_into(project, folder)


@target(
    "templates",
    one("t.jsonl", lines(seeds.TEMPLATE)),
    one("t.csv", "id,action,text,roots,version\ndone-1,task_done,We did.,,1\n"),
    one("t.toml", 'format = 1\n[[template]]\nid = "done-1"\naction = "task_done"\ntext = "We did."\n'),
)
def _templates(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.template_files import library_files, read_csv, read_jsonl, read_templates

    for file in library_files(path):
        read_templates(file, "mine")
    (read_csv if path.suffix == ".csv" else read_jsonl)(read_text(path).text, path.name, "mine")


# --- papers and surveys -----------------------------------------------------------------------------------------------


@target(
    "publications",
    one("p.bib", seeds.BIB),
    one("p.ris", seeds.RIS),
    one("p.json", dumped(seeds.CSL)),
    one("q.json", dumped(seeds.AUTHOR)),
    one("p.csv", "title,authors,year\nOn bridges,A. Example and B. B,2020\n"),
)
def _publications(folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.paper_folder import read_paper_files, read_paper_folder
    from engine.exchange.publications import (
        read_publications,
        read_publications_csv,
        read_publications_text,
        recognise_paper,
    )

    found = read_publications(path)
    recognise_paper(read_text(path).text)
    read_publications_text(read_text(path).text, path.name)
    if found.papers:
        read_paper_files([path])
        read_paper_folder(folder)
    read_publications_csv(read_text(path).text, path.name)


@target("bibtex", one("p.bib", seeds.BIB))
def _bibtex(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.bibtex import read_bibtex
    from engine.exchange.encoding import read_text

    read_bibtex(read_text(path).text, path.name)


@target("ris", one("p.ris", seeds.RIS))
def _ris(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.publications import read_ris

    read_ris(read_text(path).text, path.name)


@target("csl", one("p.json", dumped(seeds.CSL)), one("q.json", dumped(seeds.AUTHOR)))
def _csl(_folder: Path, path: Path, _context: Context) -> None:
    from engine.errors import BadInput
    from engine.exchange.encoding import read_text
    from engine.exchange.publications import read_csl, read_semantic_scholar

    text = read_text(path).text
    with suppress(BadInput):
        read_csl(text, path.name)
    read_semantic_scholar(text, path.name)


@target("expertise", seeds.EXPERTISE)
def _expertise(folder: Path, _path: Path, context: Context) -> None:
    from engine.exchange.expertise_data import read_gold_standard, read_predictions
    from engine.exchange.expertise_release import import_release
    from engine.exchange.paper_folder import read_paper_folder

    read_gold_standard(folder)
    with context.importing() as project:
        import_release(project, folder)
    read_paper_folder(folder)
    read_predictions(folder)


@target("expertise in OpenReview's layout", seeds.OPENREVIEW)
def _openreview_expertise(folder: Path, _path: Path, context: Context) -> None:
    from engine.exchange.openreview_expertise import import_openreview_expertise, read_openreview_expertise

    read_openreview_expertise(folder)
    with context.importing() as project:
        import_openreview_expertise(project, folder)


@target("venue", seeds.VENUE)
def _venue(folder: Path, _path: Path, _context: Context) -> None:
    from engine.exchange.venue import read_abstracts, read_venue

    list(read_abstracts(folder / "papers.jsonl"))
    read_venue(folder / "papers.jsonl", folder / "profiles.csv", folder / "texts.jsonl")


@target("survey files", lambda: one("s.rejoinder-study", _study()), lambda: one("a.rejoinder-answers", _answers()))
def _survey(_folder: Path, path: Path, _context: Context) -> None:
    from engine.errors import BadInput
    from engine.exchange.study_file import content_hash_of, read_answers_file, read_study_file

    content_hash_of(path.read_bytes())
    _rehash(path)  # a changed file is refused by its hash: what lies behind it is to be reached, too
    with suppress(BadInput):
        read_study_file(path)
    read_answers_file(path)


def _study() -> bytes:
    from engine.exchange.study_file import study_file
    from engine.expertise.records import Question, Study

    return study_file(Study("", "k", "organiser", "Study", questions=(Question("q", "Who?", ("a", "b")),))).content


def _answers() -> bytes:
    paper = {"title": "On bridges", "year": 2020, "authors": ["Ada"]}
    return dumped(
        {
            "format": "rejoinder-answers",
            "version": 1,
            "written_at": "2026-01-01",
            "papers": {"p": paper},
            "profile": ["p"],
            "study": {"key": "k", "title": "Study", "hash": "x"},
            "ratings": [{"paper": "p", "value": 4.0}],
            "participant": {"key": "ada", "name": "Ada", "consented_at": "2026-01-01", "answers": {"q": "a"}},
        }
    )


def _rehash(path: Path) -> None:
    import json

    from engine.exchange import study_file

    try:
        document = json.loads(path.read_bytes())
        document["hash"] = study_file._hash(document)
        path.write_bytes(dumped(document))
    except (ValueError, TypeError, RecursionError):
        pass


# --- PDFs, models, projects, commands ---------------------------------------------------------------------------------


@target("pdf", lambda: one("p.pdf", seeds.pdf()))
def _pdf(_folder: Path, path: Path, context: Context) -> None:
    from engine.errors import EnvironmentProblem

    for read in (context.service.parse, context.service.inspect):
        with suppress(EnvironmentProblem):
            read(path)


@target("model folder", seeds.MODEL)
def _model(folder: Path, _path: Path, _context: Context) -> None:
    from engine.errors import EnvironmentProblem
    from engine.models.folders import inspect_folder
    from engine.reviews.labels.classifier import card_learnt, card_targets, read_card
    from engine.revision.aligners.trained import card_of

    for read in (read_card, card_targets, card_learnt, card_of):
        with suppress(EnvironmentProblem):
            read(folder)
    inspect_folder(folder)


@target("project file", lambda: one("p.rejoinder", _project()))
def _project_file(folder: Path, path: Path, _context: Context) -> None:
    """Opened, looked at, undone, and merged into another; SQL is tried by ``mutate.sql``."""
    from engine.errors import EnvironmentProblem
    from engine.project import Project
    from engine.project.merge import merge_into
    from engine.reviews.store import ReviewStore

    with Project.create(folder / "other.rejoinder", "Other", "Bob") as other:
        before = len(ReviewStore(other).texts())
        try:
            merge_into(other, path)
        except EnvironmentProblem:
            assert len(ReviewStore(other).texts()) == before
    with Project.open(path) as opened:
        opened.history()
        ReviewStore(opened).texts()
        opened.undo()
        opened.redo()


_made: list[bytes] = []


def _project() -> bytes:
    import tempfile

    from engine.project import Project
    from engine.reviews.letter import read_letter
    from engine.reviews.store import ReviewStore

    if not _made:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "p.rejoinder"
            with Project.create(path, "P", "Ada") as project:
                ReviewStore(project).import_bundle(read_letter(seeds.LETTER), "l.md")
            with sqlite3.connect(path) as plain:
                plain.execute("PRAGMA journal_mode = DELETE")
            plain.close()
            _made.append(path.read_bytes())
    return _made[0]


@target(
    "commands",
    one("s.csv", _SCORES),
    lambda: one("s.xlsx", seeds.xlsx()),
    one("l.md", seeds.LETTER),
    one("l.tex", seeds.TEX),
    lambda: one("l.docx", seeds.docx()),
    lambda: one("p.pdf", seeds.pdf()),
    one("e.jsonl", seeds.EDITS),
    one("p.csv", "item_a,item_b,winner,annotator\nx,y,x,ada\ny,z,z,ada\n"),
)
def _commands(folder: Path, path: Path, _context: Context) -> None:
    file = str(path)
    calls = {
        ".pdf": [("inspect", file), ("paragraphs", file)],
        ".csv": [("calibrate", file, "--method", "mean"), ("rank", file)],
        ".xlsx": [("calibrate", file, "--method", "mean")],
        ".jsonl": [
            ("align", "--comments", file, "--edits", file, "--source-paragraphs", file, "--target-paragraphs", file)
        ],
    }.get(path.suffix, [("letter", file)])
    for call in calls:
        with _command(call):
            from engine.cli.main import main

            main()


@contextmanager
def _command(arguments: tuple[str, ...]) -> Iterator[None]:
    before = sys.argv
    sys.argv = ["rejoinder", *arguments]
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
            yield
    except SystemExit as stop:
        if stop.code not in (0, 1, 2) or "Traceback" in said.getvalue():
            raise RuntimeError(f"{arguments} ended with {stop.code}: {said.getvalue()}") from stop
    finally:
        sys.argv = before
