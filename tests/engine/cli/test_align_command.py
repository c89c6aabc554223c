"""``rejoinder align``: the contract's fields, both input forms, exit codes, and words that help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main
from engine.jobs import Report
from engine.models.language import Completion, LanguageModelInfo, OnText, Prompt
from engine.models.library import ModelLibrary
from engine.models.server_address import Server
from tests.engine.models.scripted_server import Script, scripted_server
from tests.engine.revision.test_tasks_of_revisions import pdf

OLD = "The corpus was divided into training and test sets. The optimiser ran for days on one machine."
NEW = "The corpus was divided into training and test sets by manuscript. The optimiser ran for days on one machine."
LIMIT = "A limitation of the study is its language, since every manuscript was written in English."


def lines(path: Path, items: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {
        "--edits": lines(
            tmp_path / "e.jsonl",
            [
                {"edit_id": "e1", "source_ids": ["S1"], "target_ids": ["T1"]},
                {"edit_id": "e2", "source_ids": [], "target_ids": ["T2"], "kind": "added", "target_section": "Limits"},
            ],
        ),
        "--source-paragraphs": lines(tmp_path / "s.jsonl", [{"id": "S1", "idx": 0, "text": OLD}]),
        "--target-paragraphs": lines(
            tmp_path / "t.jsonl", [{"id": "T1", "idx": 0, "text": NEW}, {"id": "T2", "idx": 1, "text": LIMIT}]
        ),
        "--comments": lines(
            tmp_path / "c.jsonl",
            [
                {"comment_id": "c1", "comment": "Discuss that only English is covered.", "response": "We did."},
                {"comment_id": 2, "comment": "How was the division made?", "response": "It is by manuscript now."},
            ],
        ),
    }


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["rejoinder", "align", *arguments])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def flat(files: dict[str, str]) -> list[str]:
    return [part for pair in files.items() for part in pair]


def test_all_edits_ranked_for_each_comment(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, *flat(files), "--strategy", "bm25", "--use-responses", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["strategy"], set(document)) == ("bm25", {"strategy", "seconds", "comments"})
    assert [comment["comment_id"] for comment in document["comments"]] == ["c1", "2"]
    assert [[edit["edit_id"] for edit in comment["edits"]] for comment in document["comments"]] == [
        ["e2", "e1"],
        ["e1", "e2"],
    ]
    first = document["comments"][0]["edits"][0]
    assert isinstance(first["linked"], bool) and first["score"] > 0 and first["reasons"]


def test_one_record_a_paper_with_indices(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    edits = [
        {"edit_id": "a", "source_idxs": [0], "target_idxs": [0]},
        {"edit_id": "b", "source_idxs": [], "target_idxs": [1]},
    ]
    files["--edits"] = lines(tmp_path / "paper.jsonl", [{"doc_id": "p", "edits": edits}])
    assert call(monkeypatch, *flat(files), "--strategy", "bm25", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [edit["edit_id"] for edit in document["comments"][0]["edits"]] == ["b", "a"]


def test_from_pdfs(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pymupdf

    for name, paragraphs in (("old.pdf", [OLD]), ("new.pdf", [NEW, LIMIT])):
        document = pymupdf.open()
        page = document.new_page()
        for at, text in enumerate(paragraphs):
            page.insert_textbox((72, 72 + 90 * at, 520, 150 + 90 * at), text, fontsize=11)
        document.save(tmp_path / name)
        document.close()
    pair = ["--source", str(tmp_path / "old.pdf"), "--target", str(tmp_path / "new.pdf")]
    assert call(monkeypatch, *pair, "--comments", files["--comments"], "--strategy", "bm25", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [len(comment["edits"]) for comment in document["comments"]] == [2, 2]


def test_for_people(files: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, *flat(files), "--strategy", "bm25") == 0
    assert "e2" in capsys.readouterr().out


def test_nothing_to_rank_is_exit_1(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files["--edits"] = lines(tmp_path / "none.jsonl", [])
    assert call(monkeypatch, *flat(files), "--json") == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["comments"][0] == {"comment_id": "c1", "edits": []}
    assert "no edits" in printed.err


def test_missing_responses_are_remarked(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files["--comments"] = lines(tmp_path / "bare.jsonl", [{"comment_id": "c1", "comment": "Which split?"}])
    assert call(monkeypatch, *flat(files), "--strategy", "bm25", "--use-responses", "--json") == 0
    assert "No comment has a response" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "content", "word"),
    [
        ("--comments", '{"comment_id": "c1"}\n', "line 1: the field “comment” is missing"),
        ("--comments", '{"comment_id": "c", "comment": "x"}\n\n{"comment_id": "c", "comment": "y"}', "is used twice"),
        ("--comments", "{broken", "line 1 isn't valid JSON"),
        ("--comments", "[1]", "isn't a JSON object"),
        ("--comments", b"\xff\xfe\x00", "breaks off at byte 2"),
        ("--edits", '{"edit_id": "e1", "source_ids": ["S77"], "target_ids": []}', "“S77” is not in the list"),
        ("--edits", '{"edit_id": "e1", "source_idxs": [5], "target_idxs": []}', "“5” is not in the list"),
        ("--target-paragraphs", None, "There is no file"),
    ],
)
def test_wrong_input_is_exit_2_with_one_line(
    files: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    content: str | bytes | None,
    word: str,
) -> None:
    wrong = tmp_path / "wrong.jsonl"
    if content is not None:
        wrong.write_bytes(content if isinstance(content, bytes) else content.encode())
    files[option] = str(wrong)
    assert call(monkeypatch, *flat(files), "--json") == 2
    printed = capsys.readouterr()
    assert printed.out == "" and word in printed.err and printed.err.count("\n") == 1


def test_half_a_call_is_exit_2(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "--comments", files["--comments"], "--source", "old.pdf") == 2
    assert "Give --source and --target" in capsys.readouterr().err


class Watched:
    """A language model that keeps what it is asked."""

    info = LanguageModelInfo("watched", "Watched", "server", "1", 8000)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report | None = None) -> Completion:
        self.asked.append(prompt.messages[-1].content)
        text = "\n".join(json.dumps({"comment_id": number, "edit_ids": []}) for number in range(1, 9))
        return Completion(text, "stop", None, None, 0.0)


@pytest.mark.parametrize("form", ["lines", "pdfs"])
def test_the_question_about_all_edits_holds_the_rest_of_the_paper(
    form: str, files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = "This paragraph stands in both versions, word for word, so that nobody would call it an edit at all."
    model = Watched()
    monkeypatch.setattr("engine.models.library.ModelLibrary.find", lambda *_: None)
    monkeypatch.setattr("engine.cli.models.load_language_model", lambda *_: model)
    arguments = flat(files)
    if form == "pdfs":
        for name, texts in (("old", [kept]), ("new", [kept, LIMIT])):
            pdf(tmp_path / f"{name}.pdf", texts)
        pair = ("--source", str(tmp_path / "old.pdf"), "--target", str(tmp_path / "new.pdf"))
        arguments = [*pair, "--comments", files["--comments"]]
    else:
        items = [json.loads(line) for line in Path(files["--target-paragraphs"]).read_text().splitlines()]
        lines(Path(files["--target-paragraphs"]), [{"id": "T0", "text": kept, "section": "Aims"}, *items])
    options = ("--strategy", "llm-multi-edit", "--language-model", "m", "--least-characters", "0", "--json")
    assert call(monkeypatch, *arguments, *options) == 0
    (asked,) = model.asked
    paragraphs = asked.split("Paragraphs:")[1]
    assert paragraphs.index(kept) < paragraphs.index("[+ A limitation of the study")
    assert form == "pdfs" or "1. (section: Aims) This paragraph" in paragraphs


@pytest.mark.loopback
@pytest.mark.parametrize("stops", [True, False], ids=["reasoning that ends", "reasoning that never ends"])
def test_a_reasoning_model_decides_or_says_that_it_did_not(
    stops: bool, files: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(text: str) -> str:
        return json.dumps({"answer": "yes" if "English" in text.split("Edit:", maxsplit=1)[0] else "no"})

    script = Script(answer, style="tags", reasoning=300 if stops else 50_000, can_stop_reasoning=False)
    with scripted_server(script) as server:
        ModelLibrary().add_server(Server(server.url), "scripted", "m", 32_768)
        options = ("--strategy", "llm-pairwise", "--language-model", "m", "--least-characters", "0", "--json")
        code = call(monkeypatch, *flat(files), *options)
    said = capsys.readouterr()
    assert "4 requests, about" in said.err and "tokens to read" in said.err, "said before the first request"
    if stops:
        linked = {(c["comment_id"], e["edit_id"]) for c in json.loads(said.out)["comments"] for e in c["edits"]
                  if e["linked"]}  # fmt: skip
        assert code == 0 and linked == {("c1", "e1"), ("c1", "e2")}
    else:
        assert code == 2 and said.out == "" and "none of 4 could be read" in said.err


@pytest.mark.loopback
def test_what_got_no_answer_is_listed_and_the_exit_code_says_so(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(text: str) -> str:
        unsure = "A limitation" in text or "can't be used" in text
        return "Who knows?" if unsure else json.dumps({"answer": "no"})

    with scripted_server(Script(answer)) as server:
        ModelLibrary().add_server(Server(server.url), "scripted", "m", 32_768)
        options = ("--strategy", "llm-pairwise", "--language-model", "m", "--least-characters", "0", "--json")
        assert call(monkeypatch, *flat(files), *options) == 1
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert "2 of 4 questions got no usable answer" in document["remarks"][0] and document["remarks"][0] in said.err
    assert [[edit["edit_id"] for edit in comment["edits"]] for comment in document["comments"]] == [["e1"], ["e1"]]
