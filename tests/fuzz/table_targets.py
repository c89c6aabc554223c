"""Targets that read tables, papers and surveys."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.seeds import dumped, lines
from tests.fuzz.target import Context, one, target

# --- tables -----------------------------------------------------------------------------------------------------------


@target(
    "scores",
    one("s.csv", seeds.SCORES),
    one("s.tsv", seeds.SCORES.replace(",", "\t")),
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
    "tables", one("s.csv", "sep=;\n# by hand\npaper;score\np1;1,5\n#2;3\n"), lambda: one("s.parquet", seeds.parquet())
)
def _tables(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.io import read_table

    table = read_table(path)
    mark, _ = table.decimal_mark(table.columns)
    for name in table.columns:
        for cell in table.column(name):
            table.number(cell, mark)


@target(
    "assignment",
    one("s.csv", "paper,reviewer,score\np1,ann,0.5\np2,bob,-1\n"),
    one("l.csv", "ann,2\nbob,1\n"),
    one("b.csv", "p1,ann,yes\np2,bob,-0.5\n"),
)
def _assignment(folder: Path, path: Path, _context: Context) -> None:
    from engine.errors import BadInput
    from engine.exchange.venue import read_problem

    scores, loads = folder / "known.csv", folder / "loads.csv"
    scores.write_text("p1,ann,0.5\np2,bob,1\n")
    loads.write_text("ann,2\nbob,1\n")
    for files in ((path, loads), (scores, path), (scores, loads, path), (scores, loads, None, path)):
        with suppress(BadInput):
            read_problem(*files)


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
    from engine.exchange.preferences import import_into, read_clusters

    with context.importing() as project:
        import_into(project, path)
    read_clusters(read_text(path).text, path.name)


@target("jitsupeer", seeds.JITSU)
def _jitsupeer(folder: Path, _path: Path, context: Context) -> None:
    from engine.errors import BadInput
    from engine.exchange import jitsupeer
    from engine.exchange.preferences import import_into
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
    from engine.exchange.expertise_data import import_release, read_gold_standard, read_predictions
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


@target("work results", lambda: one("ann.rejoinder-results", _results()))
def _work_results(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.package_file import read_results

    _rehash(path)
    read_results(path)


@target("work package", lambda: one("ann.rejoinder-package", _package()))
def _work_package(folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.package_file import read_manifest, unpack

    read_manifest(path)
    made = folder / "made.rejoinder"
    try:
        unpack(path, made)
    except BaseException:
        assert not made.exists()
        raise
    finally:
        made.unlink(missing_ok=True)


def _results() -> bytes:
    from engine.exchange.package_file import Results, results_file
    from engine.packages.merging import Entry

    stamp = "2026-05-01T10:00:00.000000Z"
    row = {
        "id": "a",
        "revision_id": "r",
        "comment_id": "c",
        "state": "linked",
        "note": "",
        "suggested": None,
        "created_at": stamp,
    }
    entries = (Entry("comment_state", '["r","c"]', stamp, row), Entry("edit_link", '["c","e"]', stamp, None))
    return results_file(Results("p", "project", "reviews", "annotator", stamp, entries, ""))


def _package() -> bytes:
    from tempfile import TemporaryDirectory

    from engine.exchange.package_file import write_package
    from engine.packages.records import Package, Round, Settings

    made = Round("r", "Round", "reviews", "# Read all", (), Settings(), "lead", "2026-05-01")
    with TemporaryDirectory() as name:
        content, target = Path(name) / "content", Path(name) / "ann.rejoinder-package"
        content.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 4)
        package = Package("p", "r", "annotator", ("one", "two"), "ann")
        write_package(target, content, made, package, person="Ann", project="project", written_at="2026-05-01")
        return target.read_bytes()


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

    from engine.exchange.checksummed import hash_of

    try:
        document = json.loads(path.read_bytes())
        document["hash"] = hash_of(document)
        path.write_bytes(dumped(document))
    except (ValueError, TypeError, RecursionError):
        pass
