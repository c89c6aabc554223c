"""``rejoinder similarity``: every input layout, both outputs, resuming, training, words that help."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.expertise.records import PaperText
from tests.engine.expertise.invented_papers import PROFILES, SUBMISSIONS, invented_papers
from tests.engine.models.tiny_encoder import make_tiny_encoder

PAPERS = invented_papers()


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["rejoinder", "similarity", *map(str, arguments)])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def simple(paper: PaperText) -> dict[str, str]:
    return {"id": paper.id, "title": paper.title, "abstract": paper.abstract}


def note(paper: PaperText) -> dict[str, object]:
    return {"id": paper.id, "content": {"title": {"value": paper.title}, "abstract": paper.abstract}}


def lines(path: Path, records: list[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def table(path: Path, header: str, rows: list[tuple[str, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([tuple(header.split(",")), *rows])
    return path


@pytest.fixture(params=["openreview", "folder", "json lines", "csv"])
def venue(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    submitted = [PAPERS[key] for key in SUBMISSIONS]
    own = {reviewer: [PAPERS[key] for key in keys] for reviewer, keys in PROFILES.items()}
    if request.param in ("openreview", "folder"):
        for reviewer, papers in own.items():
            lines(tmp_path / "venue" / "archives" / f"{reviewer}.jsonl", [note(paper) for paper in papers])
        at = lines(tmp_path / "venue" / "submissions.jsonl", [note(paper) for paper in submitted])
        folder = tmp_path / "venue"
        return (folder, folder) if request.param == "folder" else (at, folder / "archives")
    if request.param == "json lines":
        people = [{"reviewer": name, "papers": [simple(paper) for paper in papers]} for name, papers in own.items()]
        return (
            lines(tmp_path / "papers.jsonl", [simple(paper) for paper in submitted]),
            lines(tmp_path / "people.jsonl", people),  # type: ignore[arg-type]
        )
    rows = [(name, p.id, p.title, p.abstract) for name, papers in own.items() for p in papers]
    return (
        table(tmp_path / "papers.csv", "id,title,abstract", [(p.id, p.title, p.abstract) for p in submitted]),
        table(tmp_path / "people.csv", "reviewer,id,title,abstract", rows),
    )


def given(venue: tuple[Path, Path]) -> tuple[object, ...]:
    return ("score", "--submissions", venue[0], "--profiles", venue[1], "--algorithm", "tpms", "--json", "--out")


def test_scores_of_every_layout(
    venue: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "scores.csv"
    assert call(monkeypatch, *given(venue), out) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["pairs"] == 8 and document["seconds"] > 0
    rows = list(csv.reader(out.read_text(encoding="utf-8").splitlines()))
    assert {(paper, reviewer) for paper, reviewer, _ in rows} == {(p, r) for p in SUBMISSIONS for r in PROFILES}
    by_pair = {(paper, reviewer): float(score) for paper, reviewer, score in rows}
    assert by_pair["b3", "ornithologist"] > by_pair["b3", "engineer"]
    assert by_pair["s3", "engineer"] > by_pair["s3", "ornithologist"]
    assert not (tmp_path / "scores.csv.parts").exists()


@pytest.mark.parametrize("venue", ["json lines"], indirect=True)
def test_parquet_and_the_best_only(
    venue: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pyarrow.parquet import read_table

    out = tmp_path / "scores.parquet"
    assert call(monkeypatch, *given(venue), out, "--top-k", 1, "--workers", 2) == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == 4
    found = read_table(out).to_pydict()
    assert list(found) == ["paper", "reviewer", "score"]
    assert dict(zip(found["paper"], found["reviewer"], strict=True)) == {
        key: "ornithologist" if key.startswith("b") else "engineer" for key in SUBMISSIONS
    }


@pytest.mark.parametrize("venue", ["json lines"], indirect=True)
def test_resumed_after_the_output_could_not_be_written(
    venue: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "scores.csv"
    out.mkdir()  # nothing can be put in its place
    assert call(monkeypatch, *given(venue), out) == 2
    out.rmdir()
    monkeypatch.setattr("engine.exchange.io.csv_text", _full)
    assert call(monkeypatch, *given(venue), out) == 2
    assert "--resume" in capsys.readouterr().err and not out.exists()
    parts = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "scores.csv.parts").glob("block-*")}
    assert parts
    monkeypatch.undo()
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path / "home"))
    assert call(monkeypatch, *given(venue), out, "--resume") == 0
    assert len(out.read_text().splitlines()) == 8 and not (tmp_path / "scores.csv.parts").exists()


def _full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("venue", ["json lines"], indirect=True)
def test_full_texts_are_read_where_they_are_given(
    venue: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = lines(tmp_path / "texts.jsonl", [{"id": key, "text": "steel bridges " * 40} for key in ("b0", "b3")])
    assert call(monkeypatch, *given(venue), tmp_path / "with.csv", "--texts", texts) == 0
    assert json.loads(capsys.readouterr().out)["representation"] == "full text"
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "b0.txt").write_text("steel bridges " * 40)
    assert call(monkeypatch, *given(venue), tmp_path / "folder.csv", "--texts", tmp_path / "texts") == 0
    assert call(monkeypatch, *given(venue), tmp_path / "without.csv") == 0
    assert (tmp_path / "with.csv").read_text() != (tmp_path / "without.csv").read_text()


@pytest.mark.parametrize("venue", ["json lines"], indirect=True)
def test_a_model_of_ones_own_trained_and_used(
    venue: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    abstracts = lines(tmp_path / "all.jsonl", [simple(paper) for paper in PAPERS.values()])
    small = ("--dimension", 8, "--pieces", 120, "--epochs", 2)
    assert call(monkeypatch, "train", "acl", "--abstracts", abstracts, "--out", tmp_path / "acl", *small, "--json") == 0
    card = json.loads(capsys.readouterr().out)
    assert card["abstracts"] == 10 and card["dimension"] == 8
    model = ("--algorithm", "acl", "--model", tmp_path / "acl")
    assert call(monkeypatch, *given(venue)[:-4], *model, "--out", tmp_path / "a.csv") == 0
    encoder = make_tiny_encoder(tmp_path / "tiny")
    model = ("--algorithm", "encoder", "--model", encoder)
    assert call(monkeypatch, *given(venue)[:-4], *model, "--out", tmp_path / "b.csv") == 0
    assert (tmp_path / "a.csv").read_text() != (tmp_path / "b.csv").read_text()


@pytest.mark.parametrize("venue", ["json lines"], indirect=True)
def test_precision_is_half_where_there_is_one_and_single_when_asked(
    venue: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.models.embedders.has_bfloat16", lambda device: True)
    model = ("--algorithm", "encoder", "--model", make_tiny_encoder(tmp_path / "tiny"))
    written = {}
    for name, options in (("default", ()), ("half", ("--precision", "half")), ("single", ("--precision", "single"))):
        out = tmp_path / f"{name}.csv"
        assert call(monkeypatch, *given(venue)[:-4], *model, *options, "--out", out) == 0
        written[name] = out.read_text()
    assert written["default"] == written["half"] != written["single"]


def test_the_list_of_algorithms(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, "algorithms", "--json") == 0
    found = {entry["id"]: entry["needs"] for entry in json.loads(capsys.readouterr().out)["algorithms"]}
    assert found["elmo"] == "folder" and found["fusion"] == "encoder" and found["tpms"] == "nothing"
    assert call(monkeypatch, "algorithms") == 0
    assert "needs --model" in capsys.readouterr().out


@pytest.mark.parametrize("venue", ["json lines"], indirect=True)
def test_what_was_left_out_is_said_and_exit_1(
    venue: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    people = lines(
        tmp_path / "more.jsonl",
        [{"reviewer": "a", "papers": ["b3", "unknown"]}, {"reviewer": "b", "papers": []},
         {"reviewer": "c", "papers": [simple(PAPERS["b0"])]}],
    )  # fmt: skip
    assert call(monkeypatch, *given((venue[0], people)), tmp_path / "out.csv") == 1
    printed = capsys.readouterr()
    assert "1 paper of profiles is not described anywhere" in printed.err and "no publications" in printed.err
    assert json.loads(printed.out)["pairs"] == 7, "for b3 nothing but itself stands in the profile of a"


@pytest.mark.parametrize(
    ("venue", "name", "before", "after", "said"),
    [
        ("openreview", "archives/engineer.jsonl", "{broken\n", "[1]\n", "engineer.jsonl, line 1 isn't valid JSON"),
        ("folder", "archives/engineer.jsonl", "", '{"content": {"title": "no id"}}\n', "1 entry without an id"),
        ("folder", "archives/nobody.jsonl", "\x00\x01\x02binary", "", "nobody.jsonl isn't a text file. It was left"),
        ("openreview", "submissions.jsonl", "{broken\n", "", "submissions.jsonl, line 1 isn't valid JSON"),
        ("json lines", "papers.jsonl", "", '{"title": "no id"}\n', "papers.jsonl has a paper without an id"),
        ("json lines", "papers.jsonl", "{broken\n", "3\n", "papers.jsonl, line 1 isn't valid JSON"),
        ("json lines", "people.jsonl", '{"reviewer": "a"}\n', '"', "Line 1 of people.jsonl has no reviewer or no list"),
        ("json lines", "people.jsonl", "", '{"reviewer": "b", "papers": [{"title": "x"}]}\n', "a paper without an id"),
        ("csv", "papers.csv", "", ",no id,none\n", "papers.csv has a paper without an id"),
        ("csv", "papers.csv", "", "b3,again,none\n", "1 submission is listed more than once"),
        ("csv", "people.csv", "", ",b0,T,A\n", "people.csv has no reviewer"),
    ],
    indirect=["venue"],
)
def test_a_bad_line_is_named_and_stops_no_venue(
    venue: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    before: str,
    after: str,
    said: str,
) -> None:
    root = tmp_path / "venue" if (tmp_path / "venue").is_dir() else tmp_path
    whole = (root / name).read_text(encoding="utf-8") if (root / name).exists() else ""
    first, _, rest = whole.partition("\n")
    head = f"{first}\n{before}" if name.endswith("csv") else f"{before}{first}\n"
    (root / name).write_text(f"{head}{rest}{after}", encoding="utf-8")
    assert call(monkeypatch, *given(venue), tmp_path / "out.csv") == 1
    printed = capsys.readouterr()
    assert said in printed.err and json.loads(printed.out)["pairs"] >= 8


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"--out": "scores.txt"}, "doesn't end in"),
        ({"--algorithm": "magic"}, "no similarity algorithm"),
        ({"--algorithm": "specter"}, "needs a model folder"),
        ({"--workers": "many"}, "isn't a valid choice of workers"),
        ({"--submissions": "gone.jsonl"}, "no file"),
        ({"--model": "nowhere", "--algorithm": "acl"}, "no acl model"),
        ({"--algorithm": "elmo", "--model": "nowhere"}, "contains no ELMo model"),
    ],
)
@pytest.mark.parametrize("venue", ["json lines"], indirect=True)
def test_wrong_calls_are_exit_2_with_one_line(
    venue: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, str],
    word: str,
) -> None:
    options = {"--submissions": str(venue[0]), "--profiles": str(venue[1]), "--algorithm": "tpms"}
    options |= {"--out": str(tmp_path / "scores.csv")} | change
    assert call(monkeypatch, "score", *(part for pair in options.items() for part in pair), "--json") == 2
    printed = capsys.readouterr()
    assert printed.out == "" and word in printed.err and printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("papers.jsonl", '{"title": "x"}', "without an id"),
        ("papers.jsonl", "{", "line 1"),
        ("papers.csv", "paper,title\n1,x\n", "has no column"),
        ("papers.csv", "id,title\n", "a CSV file with id, title and abstract"),
        ("people.jsonl", '{"reviewer": "a"}', "no list of papers"),
        ("people.csv", "reviewer,id\n", "no profiles"),
    ],
)
@pytest.mark.parametrize("venue", ["json lines"], indirect=True)
def test_files_that_follow_no_layout(
    venue: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str,
    word: str,
) -> None:
    wrong = tmp_path / f"wrong-{name}"
    wrong.write_text(content)
    files = (wrong, venue[1]) if name.startswith("papers") else (venue[0], wrong)
    assert call(monkeypatch, *given(files), tmp_path / "out.csv") == 2
    assert word in capsys.readouterr().err


@pytest.mark.parametrize("venue", ["json lines"], indirect=True)
def test_parameters_are_listed_taken_and_refused(
    venue: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "algorithms", "--json") == 0
    listed = {entry["id"]: entry for entry in json.loads(capsys.readouterr().out)["algorithms"]}
    assert "Robertson" in listed["bm25"]["citation"] and listed["tpms"]["parameters"] == []
    assert {"name": "b", "default": "0.75", "choices": ["0.4", "0.75", "1"], "range": [0.0, 1.0]} in listed["bm25"][
        "parameters"
    ]
    assert call(monkeypatch, "algorithms") == 0
    assert "k1=1.5  (0 to 10)" in capsys.readouterr().out
    asked = ("score", "--submissions", venue[0], "--profiles", venue[1], "--algorithm", "bm25", "--out")
    scores = []
    for number, more in enumerate(((), ("--parameter", "k1=0.2", "--parameter", "pooling=max"))):
        out = tmp_path / f"{number}.csv"
        assert call(monkeypatch, *asked, out, *more) == 0
        scores.append(out.read_text(encoding="utf-8"))
    assert scores[0] != scores[1]
    for wrong, words in (("k1", "NAME=VALUE"), ("k1=x", "from 0 to 10"), ("depth=3", "no parameter")):
        capsys.readouterr()
        assert call(monkeypatch, *asked, tmp_path / "x.csv", "--parameter", wrong) == 2
        assert words in capsys.readouterr().err
