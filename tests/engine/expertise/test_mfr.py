"""Facets: clusters, the reviewer's vector, the ensemble, and the published checkpoint with tiny random weights."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import BadInput
from engine.expertise.algorithms.mfr import MfrScorer, SpecterMfr, cluster_facets, mfr_in, spherical_clusters
from engine.expertise.algorithms.mfr_model import PLACES, MfrModel, tokens
from engine.expertise.algorithms.registry import make_algorithm
from engine.expertise.records import PaperText
from engine.jobs import QuietReport
from tests.engine.expertise.invented_papers import PROFILES, SUBMISSIONS, invented_papers
from tests.engine.expertise.test_encoder_algorithm import Recording
from tests.engine.models.tiny_encoder import make_tiny_encoder

WORDS = ("[null]", "<unk>", "<eos>", "<sep>", "birds", "sing", "steel", "cracks")
HIDDEN, TARGET, FACETS = 20, 10, 2


def write_checkpoint(folder: Path, *, words: tuple[str, ...] = WORDS, prefix: str = "") -> dict[str, Any]:
    """encoder.pt, decoder.pt and dictionary_index as published, one layer each."""
    import torch

    generator = torch.Generator().manual_seed(5)

    def dense(into: dict[str, Any], stem: str, outputs: int, inputs: int) -> None:
        into[f"{stem}.weight"] = torch.randn(outputs, inputs, generator=generator) / inputs**0.5
        into[f"{stem}.bias"] = torch.randn(outputs, generator=generator) / 10

    def norm(into: dict[str, Any], stem: str) -> None:
        into[f"{stem}.weight"] = 1 + torch.randn(HIDDEN, generator=generator) / 10
        into[f"{stem}.bias"] = torch.randn(HIDDEN, generator=generator) / 10

    def attention(into: dict[str, Any], stem: str) -> None:
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            dense(into, f"{stem}.{name}", HIDDEN, HIDDEN)
        norm(into, f"{stem}.output.LayerNorm")

    def feed_forward(into: dict[str, Any], stem: str) -> None:
        dense(into, f"{stem}.intermediate.dense", 4 * HIDDEN, HIDDEN)
        dense(into, f"{stem}.output.dense", HIDDEN, 4 * HIDDEN)
        norm(into, f"{stem}.output.LayerNorm")

    encoder: dict[str, Any] = OrderedDict()
    encoder["encoder.weight"] = torch.randn(len(WORDS), 12, generator=generator)
    dense(encoder, "seq_summarizer.linear_trans_dim", HIDDEN, 12)
    stem = "seq_summarizer.encoder_array.0"
    encoder[f"{stem}.emb_layer.position_embeddings.weight"] = torch.randn(PLACES, HIDDEN, generator=generator)
    encoder[f"{stem}.emb_layer.token_type_embeddings.weight"] = torch.randn(6, HIDDEN, generator=generator)
    norm(encoder, f"{stem}.emb_layer.LayerNorm")
    attention(encoder, f"{stem}.layer.0.attention")
    feed_forward(encoder, f"{stem}.layer.0")
    decoder: dict[str, Any] = OrderedDict()
    for at in range(FACETS):
        dense(decoder, f"init_linear_arr.{at}", HIDDEN, HIDDEN)
        dense(decoder, f"out_linear_arr.{at}", TARGET, HIDDEN)
    stem = "dep_learner.decoder_array.0"
    norm(decoder, f"{stem}.emb_layer.LayerNorm")
    attention(decoder, f"{stem}.layer.0.self_attention")
    attention(decoder, f"{stem}.layer.0.memory_attention")
    feed_forward(decoder, f"{stem}.layer.0")
    folder.mkdir(parents=True, exist_ok=True)
    for name, state in (("encoder", encoder), ("decoder", decoder)):
        torch.save(OrderedDict((prefix + key, value) for key, value in state.items()), folder / f"{name}.pt")
    lines = [f"{word}\t{9 - at}\t{at}" for at, word in enumerate(words)]
    (folder / "dictionary_index").write_text("\n".join([*lines[:3], "rare\t1\t0\tnull", *lines[3:]]) + "\n")
    return {**encoder, **{f"d.{key}": value for key, value in decoder.items()}}


def by_layers_of_torch(state: dict[str, Any], words: list[int], types: list[int]) -> np.ndarray:
    """The same network from torch's own transformer layers: an independent way to the facets."""
    import torch

    def mine(stem: str, kind: Any, self_name: str, memory_name: str = "") -> Any:
        layer = kind(HIDDEN, 10, 4 * HIDDEN, 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True)
        names = {"self_attn": self_name} | ({"multihead_attn": memory_name} if memory_name else {})
        loaded = {}
        for mine_name, name in names.items():
            parts = [f"{stem}.{name}.self.{part}" for part in ("query", "key", "value")]
            loaded[f"{mine_name}.in_proj_weight"] = torch.cat([state[f"{part}.weight"] for part in parts])
            loaded[f"{mine_name}.in_proj_bias"] = torch.cat([state[f"{part}.bias"] for part in parts])
        pairs = [(f"{mine_name}.out_proj", f"{name}.output.dense") for mine_name, name in names.items()]
        pairs += [(f"norm{at}", f"{name}.output.LayerNorm") for at, name in enumerate(names.values(), start=1)]
        pairs += [("linear1", "intermediate.dense"), ("linear2", "output.dense")]
        pairs += [(f"norm{len(names) + 1}", "output.LayerNorm")]
        for mine_name, name in pairs:
            for part in ("weight", "bias"):
                loaded[f"{mine_name}.{part}"] = state[f"{stem}.{name}.{part}"]
        layer.load_state_dict(loaded)
        return layer.eval()

    def normed(stem: str, hidden: Any) -> Any:
        return torch.nn.functional.layer_norm(hidden, (HIDDEN,), state[f"{stem}.weight"], state[f"{stem}.bias"], 1e-12)

    stem = "seq_summarizer.encoder_array.0"
    with torch.no_grad():
        hidden = state["encoder.weight"][words] @ state["seq_summarizer.linear_trans_dim.weight"].T
        hidden = hidden + state["seq_summarizer.linear_trans_dim.bias"]
        hidden = hidden + state[f"{stem}.emb_layer.position_embeddings.weight"]
        hidden = hidden + state[f"{stem}.emb_layer.token_type_embeddings.weight"][types]
        hidden = normed(f"{stem}.emb_layer.LayerNorm", hidden)[None]
        hidden = mine(f"{stem}.layer.0", torch.nn.TransformerEncoderLayer, "attention")(hidden)
        last = hidden[0, -1]
        facets = torch.stack(
            [
                state[f"d.init_linear_arr.{at}.weight"] @ last + state[f"d.init_linear_arr.{at}.bias"]
                for at in range(FACETS)
            ]
        )
        stem = "d.dep_learner.decoder_array.0"
        facets = normed(f"{stem}.emb_layer.LayerNorm", facets)[None]
        layer = mine(f"{stem}.layer.0", torch.nn.TransformerDecoderLayer, "self_attention", "memory_attention")
        facets = layer(facets, hidden)[0]
        made = [
            state[f"d.out_linear_arr.{at}.weight"] @ facets[at] + state[f"d.out_linear_arr.{at}.bias"]
            for at in range(FACETS)
        ]
        return torch.nn.functional.normalize(torch.stack(made), dim=-1).numpy()


PAPER = PaperText("a", "Birds sing", "Steel cracks!")


@pytest.mark.parametrize("prefix", ["", "module."])
def test_the_published_checkpoint_is_read_and_computed(tmp_path: Path, prefix: str) -> None:
    state = write_checkpoint(tmp_path, prefix=prefix)
    model = MfrModel(tmp_path)
    assert (model.facets, model.dimension) == (FACETS, TARGET)
    found = model.encode([PAPER, PaperText("b", "")], True, QuietReport())
    assert np.allclose(found[0], by_layers_of_torch(state, *model.places(PAPER)), atol=1e-4)
    assert not found[1].any()


def test_words_stand_at_the_right_and_types_one_place_further(tmp_path: Path) -> None:
    write_checkpoint(tmp_path)
    model = MfrModel(tmp_path)
    words, types = model.places(PAPER)
    assert words[-8:] == [4, 5, 3, 6, 7, 1, 3, 2] and words[: PLACES - 8] == [0] * (PLACES - 8)
    assert types[-8:] == [0, 1, 1, 1, 2, 2, 2, 2] and len(types) == PLACES
    words, types = model.places(PaperText("a", "birds", "steel " * 700))
    assert len(words) == PLACES and (words[0], words[-2], words[-1]) == (4, 6, 2) and types[-1] == 2 and types[0] == 1
    assert model.places(PAPER, with_abstract=False)[0][-5:] == [4, 5, 3, 3, 2]
    assert tokens("Don't use C-3's!") == ["do", "n't", "use", "c", "-", "3", "'s", "!"]


def test_what_is_wrong_with_a_checkpoint_is_named(tmp_path: Path) -> None:
    import torch

    with pytest.raises(BadInput, match=r"encoder.pt is missing"):
        MfrModel(tmp_path)
    write_checkpoint(tmp_path, words=(*WORDS, "one-too-many"))
    with pytest.raises(BadInput, match="don't belong together"):
        MfrModel(tmp_path)
    torch.save({"other": torch.zeros(1)}, tmp_path / "encoder.pt")
    with pytest.raises(BadInput, match="is not among the weights"):
        MfrModel(tmp_path)
    (tmp_path / "decoder.pt").write_bytes(b"PK nothing")
    with pytest.raises(BadInput, match="can't be read"):
        MfrModel(tmp_path)


def test_clusters_find_the_groups_and_are_seeded() -> None:
    chance = np.random.default_rng(0)
    poles = np.eye(5, dtype=np.float32)[:3]
    vectors = np.repeat(poles, (6, 4, 2), axis=0) + 0.05 * chance.normal(size=(12, 5)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    centres = spherical_clusters(vectors, 3, np.random.default_rng(1))
    assert (centres @ poles.T).argmax(axis=1).tolist() == [0, 1, 2], "the largest first"
    assert np.allclose(np.linalg.norm(centres, axis=1), 1, atol=1e-5)
    assert np.array_equal(centres, spherical_clusters(vectors, 3, np.random.default_rng(1)))
    assert len(spherical_clusters(vectors[[0, 0, 0]], 3, chance)) == 1, "copies are one"
    assert len(spherical_clusters(vectors[:0], 3, chance)) == 0


def test_a_papers_facets_do_not_depend_on_the_others() -> None:
    passages = [("one short", "another passage", "third"), (), ("s" * 9,)]
    facets = cluster_facets(Recording(), passages, 2, 0, QuietReport())
    assert facets.shape == (3, 2, 3) and not facets[1].any() and not facets[2, 1].any() and facets[2, 0].any()
    assert np.allclose(cluster_facets(Recording(), passages[:1], 2, 0, QuietReport())[0], facets[0])


def test_the_score_is_the_ensemble_of_the_nearest_paper_and_the_nearest_facet() -> None:
    def unit(*angles: float) -> np.ndarray:
        return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], dtype=np.float32)

    single = unit(0.0, 0.4, 1.0, 0.1)
    facets = np.stack([unit(0.0, 2.0), unit(0.2, 3.0), unit(1.0, 1.2), unit(0.3, 2.5)])
    scorer = MfrScorer(("a", "b", "c", "s"), single, facets, 0.8)
    scores = scorer.score({"r": ("a", "b"), "own": ("a", "s"), "none": ()}, ["s", "c"], report=QuietReport())
    centre = 0.1  # of the facets at 0.0 and 0.2, the nearest ones
    assert scores[0, 0] == pytest.approx(0.8 * np.cos(0.1) + 0.2 * (2 * np.cos(0.3 - centre) - 1), abs=1e-4)
    alone = scorer.score({"r": ("a",)}, ["s"], report=QuietReport())[0, 0]
    assert scores[1, 0] == pytest.approx(alone) and np.isnan(scores[2]).all()
    evidence = scorer.explain(("a", "b", "c"), "s")
    assert sum(part.share for part in evidence) == pytest.approx(1.0)
    assert evidence[0].paper == "a" and scorer.explain((), "s") == ()


def test_as_an_algorithm(tmp_path: Path) -> None:
    algorithm = make_algorithm("specter+mfr", embedder=Recording())
    assert dict(algorithm.info.parameters)["share"] == "0.8"
    papers = {**invented_papers(), "bare": PaperText("bare", "Only a title"), "none": PaperText("none", "")}
    scorer = algorithm.read(papers, "title+abstract", report=QuietReport())
    scores = scorer.score({**PROFILES, "x": ("bare", "none")}, (*SUBMISSIONS, "none"), report=QuietReport())
    assert np.isfinite(scores).all()
    assert scores[2, -1] == pytest.approx(-0.2), "nothing is like a paper without text"
    folder = make_tiny_encoder(tmp_path / "specter")
    write_checkpoint(folder / "mfr")
    info = mfr_in(folder).info
    assert dict(info.parameters)["facets"] == "2" and "full text" not in info.representations
    read = mfr_in(folder).read(invented_papers(), "title+abstract", report=QuietReport())
    assert np.isfinite(read.score(PROFILES, SUBMISSIONS, report=QuietReport())).all()
    with pytest.raises(ValueError, match="a share"):
        SpecterMfr(Recording(), share=1.5)
