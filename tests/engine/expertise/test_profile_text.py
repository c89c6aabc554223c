"""RATE and MERIT on tiny models: what is read, what is compared, and which folders are refused."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.cli.main import main
from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.exchange.expertise_data import read_gold_standard
from engine.expertise.algorithms.profile_text import Merit, Rate, embedding_model
from engine.expertise.algorithms.registry import make_algorithm
from engine.expertise.laboratory import Choice, Data, Laboratory, Setup
from engine.expertise.records import PaperText
from engine.jobs import QuietReport, Report
from engine.models import SentenceTransformerEmbedder, local_encoder, shared_encoder
from engine.models.language import Completion, LanguageModelInfo, OnText, Prompt, UnusableAnswer
from engine.models.library import ModelLibrary
from tests.engine.expertise.gold import write_gold_folder
from tests.engine.expertise.invented_papers import PROFILES, SUBMISSIONS, invented_papers
from tests.engine.expertise.word_embedder import WordEmbedder
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.models.tiny_language_model import make_tiny_language_model

QUIET = QuietReport()
PROMPTS = ("Instruct: find the expert\nQuery:", "")


class Writer:
    """A language model that answers with the first long words of a text; unusably about what matches ``silent``."""

    def __init__(self, silent: str = "(nobody)") -> None:
        self.silent = silent
        self.info = LanguageModelInfo("writer", "Writer", "transformers", silent, 4096)
        self.asked: list[str] = []

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report | None = None) -> Completion:
        text = prompt.messages[1].content.split("\n")[2]
        self.asked.append(text)
        words = [] if re.search(self.silent, text) else list(dict.fromkeys(re.findall(r"\w{5,}", text)))[:5]
        return Completion(json.dumps({"keywords": words}), "stop", 9, 9, 0.0)


class Stop(QuietReport):
    def progress(self, fraction: float, detail: str = "") -> None:
        raise Cancelled


def vector(embedder: WordEmbedder, text: str) -> np.ndarray:
    return embedder.encode([text])[0]


def test_rate_compares_with_the_keywords_of_all_papers_but_the_submission() -> None:
    papers, embedder, writer = invented_papers(), WordEmbedder(), Writer()
    scorer = Rate(embedder, PROMPTS, writer).read(papers, "title+abstract", report=QUIET)
    profiles = {**PROFILES, "author": ("b0", "b3")}
    scores = scorer.score(profiles, SUBMISSIONS, report=QUIET)
    read = {key for own in profiles.values() for key in own}
    assert sorted(writer.asked) == sorted(f"{papers[key].title}. {papers[key].abstract}" for key in read), "no others"
    of_b0, of_b3 = "Songbirds, learn, their, melodies, tutors", "chorus, begins, earlier, towns"
    assert f"{of_b0}, {of_b3}" in embedder.seen, "equal keywords once, in the order of the papers"
    submission = vector(embedder, f"{PROMPTS[0]}Eggs. {papers['b4'].abstract}")
    assert scores[2, 1] == pytest.approx(submission @ vector(embedder, f"{of_b0}, {of_b3}"), abs=1e-6)
    left = vector(embedder, f"{PROMPTS[0]}Dawn. {papers['b3'].abstract}") @ vector(embedder, of_b0)
    assert scores[2, 0] == pytest.approx(left, abs=1e-6), "the author's own submission is left out"
    assert (scores[0, :2] > scores[1, :2]).all() and (scores[1, 2:] > scores[0, 2:]).all()
    first, *others = scorer.explain(PROFILES["ornithologist"], "b3")
    assert sum(one.share for one in (first, *others)) == pytest.approx(1) and len(first.words) == 5
    assert {one.paper for one in others} < set(PROFILES["ornithologist"])


def test_a_paper_that_the_model_cannot_read_is_there_with_its_title() -> None:
    embedder = WordEmbedder()
    scorer = Rate(embedder, PROMPTS, Writer("Rust|Routes|Nests")).read(
        invented_papers(), "title+abstract", report=QUIET
    )
    scorer.score({"one": ("s1", "b1", "b0")}, SUBMISSIONS, report=QUIET)
    assert "Rust, Routes, Songbirds, learn, their, melodies, tutors" in embedder.seen
    scorer.score({"one": ("b2", "s1")}, SUBMISSIONS, report=QUIET)
    assert "Nests, Rust" in embedder.seen, "others were read before"
    silent = Rate(embedder, PROMPTS, Writer("")).read(invented_papers(), "title+abstract", report=QUIET)
    with pytest.raises(UnusableAnswer, match="none of 2"):
        silent.score({"one": ("s1", "b1")}, SUBMISSIONS, report=QUIET)


def test_merit_compares_with_the_papers_closest_to_each_submission() -> None:
    papers, embedder = invented_papers(), WordEmbedder()
    texts = {key: f"{paper.title}. {paper.abstract}" for key, paper in papers.items()}
    everything = tuple(papers)
    scorer = Merit(embedder, PROMPTS, 2).read(papers, "title+abstract", report=QUIET)
    scores = scorer.score({"all": everything}, ["b3"], report=QUIET)
    submission = vector(embedder, PROMPTS[0] + texts["b3"])
    best = sorted((key for key in papers if key != "b3"), key=lambda key: -(submission @ vector(embedder, texts[key])))
    together = vector(embedder, f"{texts[best[0]]}\n\n{texts[best[1]]}")
    assert scores[0, 0] == pytest.approx(submission @ together, abs=1e-6)
    first, second = scorer.explain(everything, "b3")
    assert (first.paper, second.paper) == tuple(best[:2]) and first.share > second.share and first.passages


@pytest.mark.parametrize(
    "make", [lambda e: Rate(e, PROMPTS, Writer()), lambda e: Merit(e, PROMPTS)], ids=["rate", "merit"]
)
def test_what_has_no_text_is_no_part_of_a_profile_and_like_nothing(
    make: Callable[[WordEmbedder], Rate | Merit],
) -> None:
    papers = {**invented_papers(), "empty": PaperText("empty", " ")}
    scorer = make(WordEmbedder()).read(papers, "title+abstract", report=QUIET)
    profiles = {"one": ("b0", "empty"), "same": ("b0",), "nothing": ("empty",), "nobody": (), "own": ("b1",)}
    scores = scorer.score(profiles, ["b1", "empty"], report=QUIET)
    assert scores[0].tolist() == scores[1].tolist() and scores[0, 1] == 0 and np.isnan(scores[2:4]).all()
    assert np.isnan(scores[4, 0]) and scores[4, 1] == 0, "the only paper is the submission"
    assert scorer.explain(("empty",), "b1") == () == scorer.explain(("b1",), "b1")
    with pytest.raises(KeyError):
        scorer.score({"one": ("unknown",)}, ["b1"], report=QUIET)
    with pytest.raises(Cancelled):
        scorer.score(profiles, ["b1"], report=Stop())
    with pytest.raises(Cancelled):
        make(WordEmbedder()).read(papers, "title+abstract", report=Stop())


# --- folders --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder with mean pooling, a language model, and a decoder whose last token is the vector."""
    folder = tmp_path_factory.mktemp("models")
    make_tiny_encoder(folder / "mean")
    make_tiny_language_model(folder / "writer", seed=6, context=2048)  # a seed of short answers
    last = make_tiny_language_model(folder / "last", seed=2)
    (last / "1_Pooling").mkdir()
    parts = {
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ],
        "1_Pooling/config.json": {
            "word_embedding_dimension": 32, "pooling_mode_mean_tokens": False, "pooling_mode_lasttoken": True,
        },
        "config_sentence_transformers.json": {"prompts": {"query": PROMPTS[0], "document": ""}},
    }  # fmt: skip
    for name, content in parts.items():
        (last / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_the_folder_says_how_tokens_are_pooled_and_what_is_put_before_a_query(models: Path) -> None:
    import torch
    from transformers import AutoTokenizer, LlamaModel

    embedder, prompts = embedding_model(models / "last")
    assert prompts == PROMPTS and embedding_model(models / "mean")[1] == ("", "")
    tokens = AutoTokenizer.from_pretrained(models / "last")(prompts[0] + "sound", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        state = LlamaModel.from_pretrained(models / "last")(tokens).last_hidden_state[0, -1].numpy()
    texts = [prompts[0] + "sound", "a much longer text, so that the shorter one is filled up"]
    assert np.allclose(embedder.encode(texts)[0], state / np.linalg.norm(state), atol=1e-5)


def test_a_prompt_that_the_model_puts_before_everything_is_not_put_twice(models: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(models / "mean", tmp_path / "mean")
    file = folder / "config_sentence_transformers.json"
    file.write_text(json.dumps({"prompts": {"query": "q: "}, "default_prompt_name": "query"}), encoding="utf-8")
    assert embedding_model(folder)[1] == ("", "")
    file.write_text("[", encoding="utf-8")
    with pytest.raises(BadInput, match=r"config_sentence_transformers\.json"):
        embedding_model(folder)


def _only_a_pickle(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def _weights_of_an_adapter_alone(folder: Path) -> None:
    (folder / "adapter").mkdir()
    shutil.copy(folder / "model.safetensors", folder / "adapter" / "adapter_model.safetensors")
    _only_a_pickle(folder)


def _own_code(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"auto_map": {"AutoModel": "mine.Mine"}}))


def _missing_shard(folder: Path) -> None:
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "model-00002.safetensors"}}))


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("mean", shutil.rmtree, "isn't a folder"),
        ("mean", lambda folder: (folder / "config.json").unlink(), r"config\.json is missing"),
        ("mean", lambda folder: (folder / "model.safetensors").unlink(), "no weights"),
        ("mean", lambda folder: (folder / "model.safetensors").write_bytes(b"cut"), "damaged or cut off"),
        ("mean", _missing_shard, "lacks model-00002"),
        ("mean", _only_a_pickle, "Python pickle"),
        ("mean", _weights_of_an_adapter_alone, "not an embedding model as safetensors"),
        ("mean", _own_code, "contains its own program code"),
        ("writer", lambda _folder: None, "contains a language model"),
    ],
)
def test_other_folders_are_refused_before_anything_is_loaded(
    models: Path, tmp_path: Path, kind: str, change: Callable[[Path], None], words: str
) -> None:
    folder = shutil.copytree(models / kind, tmp_path / "given")
    change(folder)
    for key in ("rate", "merit"):
        with pytest.raises(BadInput, match=words) as problem:
            make_algorithm(key, folder=folder)
        assert problem.value.means == "Nothing was computed."
    with pytest.raises(BadInput, match="needs a model folder"):
        make_algorithm("merit")


def test_modules_of_the_folder_are_not_run(models: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(models / "mean", tmp_path / "given")
    ran = tmp_path / "ran"
    (folder / "mine.py").write_text(f"open({str(ran)!r}, 'w')\nclass Mine: pass\n")
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(
        json.dumps([*modules, {"idx": 2, "name": "2", "path": "", "type": "mine.Mine"}])
    )
    scorer = make_algorithm("merit", folder=folder).read(invented_papers(), "title+abstract", report=QUIET)
    with pytest.raises(EnvironmentProblem, match="can't be loaded"):
        scorer.score(PROFILES, SUBMISSIONS, report=QUIET)
    assert not ran.exists()


def test_rate_asks_for_a_language_model_and_uses_the_chosen_one(models: Path) -> None:
    with pytest.raises(BadInput, match="needs a language model"):
        make_algorithm("rate", folder=models / "mean")
    ModelLibrary().add_folder(models / "writer")
    algorithm = make_algorithm("rate", folder=models / "mean")
    assert dict(algorithm.info.parameters)["language model"].startswith("writer ")
    some = {key: paper for key, paper in invented_papers().items() if key in ("b0", "s0")}
    scorer = algorithm.read(some, "title", report=QUIET)
    (one,) = scorer.explain(("b0",), "s0")
    assert one.words and all(3 <= len(word) <= 50 for word in one.words), "random weights write what the schema allows"
    assert scorer.score({"one": ("b0",)}, ["s0"], report=QUIET)[0, 0] != 0


@pytest.mark.parametrize("key", ["rate", "merit"])
def test_a_venue_is_scored_on_the_command_line(
    key: str, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.expertise.algorithms.registry.keyword_writer", lambda **_: Writer())
    papers = invented_papers()
    rows = {key: {"id": key, "title": paper.title, "abstract": paper.abstract} for key, paper in papers.items()}
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(rows[key]) + "\n" for key in SUBMISSIONS))
    profiles = [{"reviewer": who, "papers": [rows[key] for key in own]} for who, own in PROFILES.items()]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(profile) + "\n" for profile in profiles))
    arguments = ("--submissions", "s.jsonl", "--profiles", "p.jsonl", "--out", "o.csv", "--model", models / "last")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["rejoinder", "similarity", "score", "--algorithm", key, *map(str, arguments)])
    main()
    lines = (tmp_path / "o.csv").read_text().splitlines()
    assert len(lines) == len(SUBMISSIONS) * len(PROFILES) and len({line.split(",")[2] for line in lines}) > 4


def test_the_laboratory_runs_models_of_folders_in_processes_of_their_own(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "engine.expertise.algorithms.registry.keyword_writer", lambda beside_window: Writer() if beside_window else None
    )
    mean, plain = models / "mean", shutil.copytree(models / "mean", tmp_path / "plain")
    (plain / "modules.json").unlink()
    gold = read_gold_standard(write_gold_folder(tmp_path / "gold"))
    laboratory = Laboratory(Data("d", "Made up", gold), lambda: pytest.fail("the folder is used"))
    try:
        with monkeypatch.context() as patched:
            patched.setattr("engine.models.embedders.load_sentence_transformer", lambda *_: pytest.fail("loaded here"))
            for key, folder in (("rate", mean), ("merit", mean), ("specter", plain), ("specter+mfr", plain)):
                outcome = laboratory.run(Choice(key, folder), Setup(draws=1), QUIET)
                assert outcome.evaluation.participants == 4 and outcome.run.label.endswith(f"(folder {folder.name})")
            with pytest.raises(BadInput, match="can't read the full text"):
                laboratory.run(Choice("merit", mean), Setup("full text", draws=1), QUIET)
        first = SentenceTransformerEmbedder(plain, "", token_pooling="cls").encode(["one text"])
        assert np.allclose(shared_encoder(local_encoder(plain), "cls").encode(["one text"]), first, atol=1e-5)
    finally:
        for folder, pooling in ((mean, None), (plain, "cls")):
            shared_encoder(local_encoder(folder), pooling)._embedder.close()  # type: ignore[attr-defined]
        shared_encoder.cache_clear()
