"""``reproduce alignment`` and ``train-aligner`` on a small corpus, and what ``align`` takes besides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.revision.aligners import lexical
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.revision.papers import PAPERS
from tests.engine.revision.test_aligners import WordVectors


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(rejoinder, [str(argument) for argument in arguments])


def write_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small papers as files."""
    root = tmp_path_factory.mktemp("corpus")
    (root / "s2orc").mkdir()
    edits, comments, labels = [], [], []
    for paper in PAPERS:
        sides: dict[str, list[dict[str, str]]] = {"old": [], "new": []}
        listed = []
        for candidate in paper.candidates:
            places = {}
            for side, text in (("old", lexical.pre_revision(candidate)), ("new", lexical.post_revision(candidate))):
                places[side] = [len(sides[side])] if text else []
                if text:
                    sides[side].append({"text": text, "section": candidate.section})
            listed.append({"edit_id": candidate.edit_id, "source_idxs": places["old"], "target_idxs": places["new"]})
        for side, paragraphs in sides.items():
            content = {"paper_id": f"{paper.id}-{side}", "pdf_parse": {"body_text": paragraphs}}
            (root / "s2orc" / f"{paper.id}-{side}.json").write_text(json.dumps(content), encoding="utf-8")
        edits.append(
            {
                "doc_id": paper.id,
                "source_pdf_id": f"{paper.id}-old",
                "target_pdf_id": f"{paper.id}-new",
                "edits": listed,
            }
        )
        for query, positives in zip(paper.queries, paper.positives, strict=True):
            key = {"doc_id": paper.id, "comment_id": query.comment_id}
            comments.append({**key, "comment": query.comment, "comment_context": "", "response": query.response})
            labels.append({**key, "positive_edits": sorted(positives), "negative_edits": [], "state": "edits"})
    write_lines(root / "paper_edits.jsonl", edits)
    write_lines(root / "review_comments.jsonl", comments)
    write_lines(root / "edit_labels.jsonl", labels)
    return root


@pytest.fixture(autouse=True)
def small_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.models.load_encoder", lambda *_args, **_options: WordVectors())


def test_reproduce_prints_all_that_can_run(corpus: Path) -> None:
    result = run("reproduce", "alignment", "--data", corpus, "--links", corpus / "edit_labels.jsonl", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    rows = {(row["strategy"], row["responses"], row["least_characters"]): row for row in document["rows"]}
    assert set(rows) == {
        *((name, responses, least) for name in ("fused", "bm25", "encoder") for responses in (False, True)
          for least in (0, 100)),
        ("random", False, 100), ("human", False, 0), ("human", False, 100),
    }  # fmt: skip
    human = rows["human", False, 0]
    assert human["f1"] == human["recall_at_5"] == human["exact"] == 1.0 and human["published"]["f1"] == pytest.approx(
        0.707
    )
    for row in rows.values():
        assert row["f1_low"] <= row["f1_high"] and row["recall_at_5"] <= row["recall_at_5_possible"]
        assert set(row["by_paper"]) == {paper.id for paper in PAPERS}
    assert [row["kind"] for row in document["silver"]] == ["quoted text", "quoted comment", "reply", "all"]
    assert document["source_alignment"]["comments"] == 6 and document["filter"][0]["recall"] == 1.0
    assert document["papers"][0] == {"paper": "bees", "comments": 4, "edits": 5, "links": 4}


def test_reproduce_prints_a_table_for_people(corpus: Path) -> None:
    result = run("reproduce", "alignment", "--data", corpus, "--strategies", "bm25,random", "--least-characters", "0")
    assert result.exit_code == 0, result.output
    names = [line.strip() for line in result.stdout.splitlines() if line.startswith("  ")]
    assert names[1].startswith("BM25  ") and names[2].startswith("BM25, with responses  ")
    assert names[3].startswith("Chance  ") and names[4].startswith("printed: BM25  ")
    assert "Silver labels against the gold links" in result.stdout


def test_table_2_is_printed_beside_these_in_its_own_columns(corpus: Path) -> None:
    arguments = ("--data", corpus, "--strategies", "bm25,bm25-generated,random", "--generated")
    generated = write_lines(corpus / "generated.jsonl", [{"comment_id": "bees-a", "edit": "The hive was measured."}])
    document = json.loads(run("reproduce", "alignment", *arguments, generated, "--json").stdout)
    printed = {row["title"]: row for row in document["table_2"]}
    assert len(printed) == 12 and printed["GPT-4 multi-edit"]["f1"] == pytest.approx(0.27)
    assert printed["BM25"]["addition_macro_f1"] == pytest.approx(0.48)
    assert "f1" not in printed["GPT-4 cross-encoder 1-shot"]
    by_strategy = {row["strategy"]: row for row in document["rows"]}
    (source,) = document["source_rows"]
    assert source["strategy"] == "bm25" and len(document["table_8"]) == 6
    assert document["table_8"][0]["macro_f1"] == pytest.approx(0.262)
    assert by_strategy["bm25"]["published"]["f1"] == pytest.approx(0.113)
    assert by_strategy["bm25-generated"]["published"]["recall"] == pytest.approx(0.403)
    for row in document["rows"]:
        assert set(row) > set(printed["BM25"]) - {"title", "strategy"}, "every column of the table is measured here"
        assert row["addition_macro_f1_low"] <= row["addition_macro_f1"] <= row["addition_macro_f1_high"]
    assert len(by_strategy["random"]["trials"]) == 3 and len(by_strategy["bm25"]["trials"]) == 1
    assert by_strategy["random"]["f1"] == pytest.approx(sum(by_strategy["random"]["trials"]) / 3)
    text = run("reproduce", "alignment", *arguments, generated).stdout
    (line,) = [line for line in text.splitlines() if "GPT-4 multi-edit" in line]
    printed_line = "36.2 [22.0, 53.4] 24.2 30.4 27.0 [18.2, 39.4] 50.6 [40.5, 60.8] 31.6 28.2 26.3 [19.4, 33.2]"
    assert " ".join(line.split()) == f"printed: GPT-4 multi-edit {printed_line}"


def test_trials_of_a_trained_model_are_averaged(corpus: Path, tmp_path: Path) -> None:
    folders = [make_tiny_encoder(tmp_path / f"tiny-{seed}", seed=seed) for seed in (0, 1)]
    arguments = ("--data", corpus, "--strategies", "bi-encoder", "--least-characters", "0", "--model", folders[0])
    arguments += tuple(part for folder in folders[1:] for part in ("--trial", folder))
    row = json.loads(run("reproduce", "alignment", *arguments, "--json").stdout)["rows"][0]
    alone = []
    for folder in folders:
        own = run("reproduce", "alignment", *arguments[:6], "--model", folder, "--json").stdout
        alone.append(json.loads(own)["rows"][0])
    assert row["trials"] == pytest.approx([one["f1"] for one in alone]) and len(set(row["trials"])) > 1
    for name in ("f1", "macro_f1", "addition_macro_f1", "recall_at_5"):
        assert row[name] == pytest.approx(sum(one[name] for one in alone) / 2)
    paper = PAPERS[0].id
    assert row["by_paper"][paper] == pytest.approx(sum(one["by_paper"][paper] for one in alone) / 2)


def test_reproduce_names_what_is_wrong(corpus: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("--data", corpus, "--strategies", "magic"), "no strategy named"),
        (("--data", corpus, "--strategies", "bi-encoder"), "needs the folder"),
        (("--data", tmp_path), "no annotated revisions"),
        (("--data", corpus, "--generated", corpus / "none.jsonl"), "There is no file"),
        (("--data", corpus, "--language-model", "nobody"), "nobody"),
    ):
        result = run("reproduce", "alignment", *arguments)
        assert isinstance(result.exception, BadInput) and words in str(result.exception), result.exception


def test_align_reads_generated_edits_and_sections_of_paragraphs(corpus: Path, tmp_path: Path) -> None:
    edits = write_lines(
        tmp_path / "e.jsonl", [{"edit_id": f"e{n}", "source_ids": [], "target_ids": [f"T{n}"]} for n in (0, 1)]
    )
    target = write_lines(
        tmp_path / "t.jsonl",
        [
            {"id": "T0", "text": "The hives were weighed.", "section": "Methods > Weighing"},
            {"id": "T1", "text": "The river was measured.", "section": "Methods > Gauging"},
        ],
    )
    source = write_lines(tmp_path / "s.jsonl", [])
    comments = write_lines(tmp_path / "c.jsonl", [{"comment_id": "c", "comment": "Why?", "response": "See Gauging."}])
    generated = write_lines(tmp_path / "g.jsonl", [{"comment_id": "c", "edit": "The river was measured twice."}])
    files = ("--edits", edits, "--source-paragraphs", source, "--target-paragraphs", target, "--comments", comments)
    result = run(
        "align", *files, "--strategy", "bm25-generated", "--generated", generated, "--least-characters", "0", "--json"
    )
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["comments"][0]["edits"][0]["edit_id"] == "e1"
    result = run("align", *files, "--strategy", "bm25-generated", "--generated", generated, "--json")
    assert "left out: a short edit" in json.loads(result.stdout)["comments"][0]["edits"][0]["reasons"]


def test_train_aligner_trains_and_tells(corpus: Path, tmp_path: Path) -> None:
    base = make_tiny_encoder(tmp_path / "tiny")
    settings = ("--steps", "2", "--batch", "4", "--look-every", "1", "--least-characters", "0", "--device", "cpu")
    result = run(
        "train-aligner", "--kind", "bi-encoder", "--data", corpus, "--base", base, "--out", tmp_path / "out",
        *settings, "--learning-rate", "0.01", "--development", "looms", "--json",
    )  # fmt: skip
    assert result.exit_code in (0, 1), result.output
    document = json.loads(result.stdout)
    assert document["steps"] == 2 and document["device"].startswith("CPU") and document["peak_memory"] > 0
    assert (tmp_path / "out" / "rejoinder-alignment.json").is_file()
    assert (result.exit_code == 1) == (document["best_step"] == 0)
    wrong = run(
        "train-aligner", "--kind", "bi-encoder", "--data", corpus, "--base", base, "--out", tmp_path / "out",
        "--development", "nobody",
    )  # fmt: skip
    assert isinstance(wrong.exception, BadInput) and "no paper named nobody" in str(wrong.exception)


@pytest.mark.data
def test_the_fused_aligner_keeps_its_quality(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures of docs/methods-alignment.md, less a margin for rounding on other machines."""
    monkeypatch.undo()
    result = run("reproduce", "alignment", "--data", data_folder, "--strategies", "fused", "--json")
    rows = {(row["responses"], row["least_characters"]): row for row in json.loads(result.stdout)["rows"]}
    assert rows[True, 0]["f1"] >= 0.60 and rows[True, 0]["recall_at_5"] >= 0.76
    assert rows[False, 0]["f1"] >= 0.27 and rows[False, 0]["recall_at_5"] >= 0.64
