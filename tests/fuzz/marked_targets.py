"""Targets that read marked texts of annotation tools, and open bundles."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

from tests.engine.renaming import rename_paper
from tests.fuzz.seeds import Files
from tests.fuzz.target import Context, one, target

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
        rename_paper(project, paper, "Another")
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
