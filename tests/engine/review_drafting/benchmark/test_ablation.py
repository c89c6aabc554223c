"""Stages left out and exchanged over several papers: what differs, what is kept, and how a run goes on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from engine.errors import BadInput, EnvironmentProblem
from engine.models.language import Completion, LanguageModelInfo, Prompt
from engine.review_drafting.benchmark.ablation import Judging, Scored, ablate, configurations
from engine.review_drafting.benchmark.published import published
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview
from engine.review_drafting.benchmark.text_paper import read_text_paper
from engine.review_drafting.crews import deterministic_crew, language_crew
from engine.review_drafting.pipeline import RunSettings
from engine.review_drafting.records import STAGES, LibraryEntry, PaperReading, Review
from engine.review_drafting.rubrics import meta_rubrics
from tests.engine.review_drafting.benchmark.test_checks_of_reviews import PAPER
from tests.engine.review_drafting.test_language_stages import ScriptedModel

RICH = f"""{PAPER}
# 6 Discussion

We assume that the levels of the hierarchy are independent. The accuracy rose from 80 to 90, an increase of 15 %.
"""
LIBRARY = tuple(
    LibraryEntry(id=str(n), title=f"Nested sampling {n}", abstract="Annealed importance sampling of the evidence.")
    for n in range(4)
)


def _papers(*texts: str) -> list[BenchmarkPaper]:
    return [
        BenchmarkPaper(id=f"p{n}", title=f"P{n}", text=text, external_id=hashlib.sha256(text.encode()).hexdigest())
        for n, text in enumerate(texts)
    ]


class Reads:
    """Reads papers from their text, and keeps which."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, paper: BenchmarkPaper) -> PaperReading:
        self.asked.append(paper.id)
        if not paper.text:
            raise BadInput("The file is empty.", "Nothing.")
        return read_text_paper(paper.title, paper.text)


def test_each_agent_is_left_out_and_the_drafter_is_alone(tmp_path: Path) -> None:
    wanted = configurations(deterministic_crew(), RunSettings(), tops=(1, 20), reranking=True)
    assert [one.name for one in wanted] == [
        "full", "without literature", "without insight", "without results", "drafter only", "top 1", "top 20",
        "without reranking",
    ]  # fmt: skip
    assert wanted[1].settings.on == frozenset(STAGES) - {"literature"} and wanted[4].settings.on == {"drafter"}
    found = ablate(_papers(RICH, RICH + "\nMore."), Reads(), wanted, tmp_path, library=LIBRARY)
    assert [(one.paper, one.configuration) for one in found.scored] == [
        (paper, one.name) for paper in ("p0", "p1") for one in wanted
    ]
    of = {one.configuration: one.review for one in found.scored if one.paper == "p0"}
    assert len(of["drafter only"].questions) < len(of["full"].questions)
    assert of["full"] not in [of[f"without {stage}"] for stage in ("literature", "insight", "results")]
    asked = {name: sum("A search outside the paper" in question for question in of[name].questions) for name in of}
    assert asked["full"] > asked["without literature"] == asked["drafter only"] == 0
    assert [one.settings.search.top for one in wanted[5:7]] == [1, 20] and not wanted[7].settings.search.reranked
    assert all({given.dimension for given in one.judgements} == {meta.id for meta in meta_rubrics()}
               for one in found.scored)  # fmt: skip
    rubrics = json.loads(next(tmp_path.glob("p0-*/rubrics.json")).read_text())["rubrics"]
    assert len(rubrics) == 8, "one set of rubrics for all drafts of a paper"


def test_a_run_that_ended_goes_on_where_it_was(tmp_path: Path) -> None:
    wanted = configurations(deterministic_crew(), RunSettings())
    papers = _papers(PAPER, PAPER + "\nMore.")

    def stop(scored: Scored) -> None:
        if (scored.paper, scored.configuration) == ("p1", "full"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ablate(papers, Reads(), wanted, tmp_path, on_scored=stop)
    reads, heard = Reads(), list[str]()
    found = ablate(
        papers, reads, wanted, tmp_path, on_scored=lambda one: heard.append(f"{one.paper} {one.configuration}")
    )
    assert found.resumed == 6 and len(found.scored) == 10
    assert heard == [f"p1 {one.name}" for one in wanted[1:]]
    assert reads.asked == ["p1"], "what is done is not read again"
    again = ablate(papers, Reads(), wanted, tmp_path)
    assert again.resumed == 10 and again.scored == found.scored
    changed = ablate(_papers(PAPER + "\nOther.", papers[1].text), Reads(), wanted, tmp_path)
    assert changed.resumed == 5, "another file of the same name is another paper"
    humans = [BenchmarkReview(id="h", paper_id="p1", source="human", role="human", review=Review(weaknesses=("W",)))]
    assert ablate(papers, Reads(), wanted, tmp_path, humans=humans).resumed == 0, "other rubrics"
    assert ablate(papers, Reads(), configurations(deterministic_crew(), RunSettings(seed=9)), tmp_path).resumed == 0


def test_a_file_that_was_spoilt_is_made_again(tmp_path: Path) -> None:
    wanted = configurations(deterministic_crew(), RunSettings())[:1]
    ablate(_papers(PAPER), Reads(), wanted, tmp_path)
    path = next(tmp_path.glob("p0-*/full-*.json"))
    path.write_bytes(path.read_bytes()[:50])
    assert ablate(_papers(PAPER), Reads(), wanted, tmp_path).resumed == 0
    assert Scored.model_validate_json(path.read_bytes()).configuration == "full"


def test_a_draft_of_which_a_stage_failed_is_made_again(tmp_path: Path) -> None:
    wanted = configurations(deterministic_crew(), RunSettings())[:2]
    ablate(_papers(PAPER), Reads(), wanted, tmp_path)
    path = next(tmp_path.glob("p0-*/full-*.json"))
    failed = Scored.model_validate_json(path.read_bytes()).model_copy(update={"problems": ("The server was gone.",)})
    path.write_text(failed.model_dump_json(), encoding="utf-8")
    assert ablate(_papers(PAPER), Reads(), wanted, tmp_path).resumed == 1
    assert not Scored.model_validate_json(path.read_bytes()).problems


def test_a_paper_that_cannot_be_read_is_skipped(tmp_path: Path) -> None:
    wanted = configurations(deterministic_crew(), RunSettings())[:1]
    found = ablate(_papers("", PAPER), Reads(), wanted, tmp_path)
    assert [one.paper for one in found.scored] == ["p1"] and found.skipped == ("P0: The file is empty.",)


class Judge:
    """Scores everything with 1, the pitfall with -1; makes no rubrics."""

    info = LanguageModelInfo("judge", "Judge", "server", "1", 32_000)

    def __init__(self) -> None:
        self.asked = 0

    def complete(self, prompt: Prompt, *, on_text: object = None, report: object = None) -> Completion:
        self.asked += 1
        if "prepare the evaluation" in prompt.messages[0].content:
            point = {"text": "Speaks of it.", "evidence": "Section 3"}
            said: object = {
                meta.id.replace("-", "_"): {"description": "D", "key_points": [point]} for meta in meta_rubrics()
            }
        else:
            said = {
                meta.id.replace("-", "_"): {"score": -1 if meta.kind == "pitfall" else 1, "rationale": "R"}
                for meta in meta_rubrics()
                if f'"{meta.id.replace("-", "_")}"' in prompt.messages[1].content
            }
        return Completion(json.dumps(said), "stop", 1, 1, 0.0)


def test_any_model_drafts_judges_or_does_one_stage(tmp_path: Path) -> None:
    model, other, judge = ScriptedModel(), ScriptedModel(), Judge()
    other.info = LanguageModelInfo("small", "Small", "server", "v1", 32_000)
    wanted = configurations(
        language_crew(model), RunSettings(temperature=0.4),
        exchanged=[("results", language_crew(other)), ("drafter", deterministic_crew())],
    )  # fmt: skip
    found = ablate(_papers(PAPER), Reads(), wanted, tmp_path, judging=Judging(judge, by="rules"))
    assert [one.configuration for one in found.scored][-2:] == ["results by small", "drafter by rules"]
    assert {given.score for one in found.scored for given in one.judgements} == {1, -1}
    drafts_apart = {one.review.model_dump_json() for one in found.scored}
    assert judge.asked == 1 + 8 * len(drafts_apart), "rubrics once, eight questions a draft that differs"
    assert len(other.prompts) == 1 and all(prompt.temperature == 0.4 for prompt in model.prompts)
    drafts = [prompt for prompt in model.prompts if prompt.messages[0].content == model.prompts[0].messages[0].content]
    assert len(drafts) == 1, "what was asked once is not asked again for another configuration"


def test_a_model_that_fails_ends_the_run_and_keeps_what_was_done(tmp_path: Path) -> None:
    def fails(system: str, user: str) -> str:
        raise EnvironmentProblem("The server is gone.", "Nothing was written.")

    crew = deterministic_crew()
    wanted = configurations(crew, RunSettings(), exchanged=[("results", language_crew(ScriptedModel(fails)))])
    with pytest.raises(EnvironmentProblem):
        ablate(_papers(PAPER), Reads(), wanted, tmp_path)
    assert ablate(_papers(PAPER), Reads(), configurations(crew, RunSettings()), tmp_path).resumed == 5


def test_the_published_tables_add_up() -> None:
    tables = published()
    assert tables["table-1"]["ReviewGrounder (Phi-4-14B)"]["overall"] == 10.7699
    assert tables["table-2"]["ReviewGrounder (Phi-4-14B)"] == {
        "accuracy": 0.6939, "f1": 0.6699, "mse": 1.1607, "mae": 0.8597,
    }  # fmt: skip
    names = [*(meta.id for meta in meta_rubrics()), "overall"]
    off = {
        (table, name)
        for table, rows in tables.items()
        for name, row in rows.items()
        if list(row) == names and abs(sum(list(row.values())[:8]) - row["overall"]) > 0.006
    }
    # In these rows of the paper "overall" is not the sum of the dimensions; they are kept as printed.
    agents = ("AgentReview", "AI Scientist")
    assert off == {("table-1", f"{agent} ({model})") for agent in agents for model in ("GPT-4o", "GPT-4.1")}
