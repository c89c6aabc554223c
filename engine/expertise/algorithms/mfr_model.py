"""The multi-facet recommender's network, read from its published checkpoint.

After Chang et al. (2021), iesl/Multi_facet_recommendation, and the copy in openreview/openreview-expertise
(``multifacet_recommender``). A folder contains ``encoder.pt`` and ``decoder.pt`` (state dictionaries) and the
vocabulary ``dictionary_index`` (tab-separated word, frequency, number; 0 is padding, 1 unknown, 2 the end). All sizes
are taken from the weights. Details of the published code that are reproduced here:

- title and abstract in lower case, ``<sep>`` after each, the end mark last; put at the right end of 512 places, padding
  before it, and no place is masked;
- types 1 (title) and 2 (abstract) stand one place further right than their words, since the end mark has no type;
- the text is the last place; each facet is a linear image of it, decoded with attention to all places.
"""

import hashlib
import pickle
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from engine.errors import BadInput, not_computed
from engine.expertise.algorithms.base import Vectors
from engine.expertise.records import PaperText
from engine.jobs import Report
from engine.models import choose_device

PLACES = 512
UNKNOWN, END = 1, 2
SEPARATOR = "<sep>"
BATCH = 8
_WORD = re.compile(r"n't|'(?:s|m|re|ve|ll|d)\b|\w+(?=n't)|\w+|[^\w\s]", re.IGNORECASE)


class MfrModel:
    """Computes facets of papers. Weights are loaded at creation; nothing in the files is executed."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        """Raises BadInput if the folder doesn't have the published layout."""
        files = {name: folder / name for name in ("encoder.pt", "decoder.pt", "dictionary_index")}
        missing = [name for name, file in files.items() if not file.is_file()]
        if missing:
            raise _wrong(folder, f"{missing[0]} is missing")
        self._device = choose_device(device).name
        self._encoder = {key: value.to(self._device) for key, value in _state(files["encoder.pt"]).items()}
        self._decoder = {key: value.to(self._device) for key, value in _state(files["decoder.pt"]).items()}
        self._words = _dictionary(files["dictionary_index"])
        whole = hashlib.sha256()
        for file in files.values():
            whole.update(file.read_bytes())
        self.fingerprint = whole.hexdigest()[:16]
        try:
            self.facets = sum(re.fullmatch(r"init_linear_arr\.\d+\.weight", key) is not None for key in self._decoder)
            self._types = len(self._encoder[f"{_ENCODER}.emb_layer.token_type_embeddings.weight"])
            self.dimension = self._decoder["out_linear_arr.0.weight"].shape[0]
            count = len(self._encoder["encoder.weight"])
        except KeyError as error:
            raise _wrong(folder, f"{error.args[0]} is not among the weights") from error
        if not self.facets or max(self._words.values(), default=0) >= count:
            raise _wrong(folder, f"vocabulary ({len(self._words)}) and weights ({count}) don't belong together")

    def encode(self, papers: Sequence[PaperText], with_abstract: bool, report: Report) -> Vectors:
        """Returns facets, (papers, facets, d), each of length 1; 0 for a paper without text. Raises Cancelled."""
        vectors: Vectors = np.zeros((len(papers), self.facets, self.dimension), dtype=np.float32)
        there = [at for at, paper in enumerate(papers) if paper.title.strip() or (with_abstract and paper.abstract)]
        for start in range(0, len(there), BATCH):
            report.progress(start / len(there), f"Finding facets of {len(there)} papers")
            batch = there[start : start + BATCH]
            words, types = zip(*(self.places(papers[at], with_abstract) for at in batch), strict=True)
            with torch.no_grad():
                found = self._facets(torch.tensor(words), torch.tensor(types))
            vectors[batch] = torch.nn.functional.normalize(found, dim=-1).cpu().numpy()
        report.progress(1.0)
        return vectors

    def places(self, paper: PaperText, with_abstract: bool = True) -> tuple[list[int], list[int]]:
        """Returns word and type numbers of the 512 positions."""
        title = [*tokens(paper.title), SEPARATOR]
        abstract = [*(tokens(paper.abstract) if with_abstract else ()), SEPARATOR]
        ids = [self._words.get(word, UNKNOWN) for word in (*title, *abstract)] + [END]
        types = [1] * len(title) + [2] * len(abstract)
        if len(ids) > PLACES:
            ids, types = [*ids[: PLACES - 1], END], [*types[: PLACES - 1], types[-1]]
        return [0] * (PLACES - len(ids)) + ids, [0] * (PLACES - len(types)) + types

    def _facets(self, words: Any, types: Any) -> Any:
        encoder, decoder = self._encoder, self._decoder
        linear = torch.nn.functional.linear
        hidden = torch.nn.functional.embedding(words.to(self._device), encoder["encoder.weight"])
        if (widening := "seq_summarizer.linear_trans_dim") + ".weight" in encoder:
            hidden = linear(hidden, encoder[f"{widening}.weight"], encoder[f"{widening}.bias"])
        hidden = hidden + encoder[f"{_ENCODER}.emb_layer.position_embeddings.weight"][:PLACES]
        hidden = hidden + torch.nn.functional.embedding(
            types.to(self._device).clamp(max=self._types - 1),
            encoder[f"{_ENCODER}.emb_layer.token_type_embeddings.weight"],
        )
        hidden = _norm(encoder, f"{_ENCODER}.emb_layer.LayerNorm", hidden)
        for at in range(_layers(encoder, _ENCODER)):
            stem = f"{_ENCODER}.layer.{at}"
            hidden = _feed_forward(encoder, stem, _attend(encoder, f"{stem}.attention", hidden, hidden))
        last = hidden[:, -1]
        facets = torch.stack(
            [
                linear(last, decoder[f"init_linear_arr.{at}.weight"], decoder[f"init_linear_arr.{at}.bias"])
                for at in range(self.facets)
            ],
            dim=1,
        )
        facets = _norm(decoder, f"{_DECODER}.emb_layer.LayerNorm", facets)
        for at in range(_layers(decoder, _DECODER)):
            stem = f"{_DECODER}.layer.{at}"
            facets = _attend(decoder, f"{stem}.self_attention", facets, facets)
            facets = _attend(decoder, f"{stem}.memory_attention", facets, hidden)
            facets = _feed_forward(decoder, stem, facets)
        return torch.stack(
            [
                linear(facets[:, at], decoder[f"out_linear_arr.{at}.weight"], decoder[f"out_linear_arr.{at}.bias"])
                for at in range(self.facets)
            ],
            dim=1,
        )


_ENCODER = "seq_summarizer.encoder_array.0"
_DECODER = "dep_learner.decoder_array.0"


def tokens(text: str) -> list[str]:
    """Splits words and punctuation in lower case and separates contractions; similar but not identical to the training
    tokenizer."""
    return [word.lower() for word in _WORD.findall(text)]


def _layers(state: Mapping[str, Any], stem: str) -> int:
    pattern = re.compile(re.escape(stem) + r"\.layer\.(\d+)\.")
    return len({found[1] for key in state if (found := pattern.match(key))})


def _norm(state: Mapping[str, Any], stem: str, hidden: Any) -> Any:
    return torch.nn.functional.layer_norm(
        hidden, hidden.shape[-1:], state[f"{stem}.weight"], state[f"{stem}.bias"], eps=1e-12
    )


def _dense(state: Mapping[str, Any], stem: str, hidden: Any) -> Any:
    return torch.nn.functional.linear(hidden, state[f"{stem}.weight"], state[f"{stem}.bias"])


def _attend(state: Mapping[str, Any], stem: str, asking: Any, memory: Any) -> Any:
    """Computes attention to all of the memory, then residual and norm."""
    heads = 12 if asking.shape[-1] == 768 else 10

    def split(name: str, source: Any) -> Any:
        made = _dense(state, f"{stem}.self.{name}", source)
        return made.view(*made.shape[:2], heads, -1).transpose(1, 2)

    mixed = torch.nn.functional.scaled_dot_product_attention(
        split("query", asking), split("key", memory), split("value", memory)
    )
    mixed = mixed.transpose(1, 2).flatten(2)
    return _norm(state, f"{stem}.output.LayerNorm", _dense(state, f"{stem}.output.dense", mixed) + asking)


def _feed_forward(state: Mapping[str, Any], stem: str, hidden: Any) -> Any:
    wide = torch.nn.functional.gelu(_dense(state, f"{stem}.intermediate.dense", hidden))
    return _norm(state, f"{stem}.output.LayerNorm", _dense(state, f"{stem}.output.dense", wide) + hidden)


def _state(file: Path) -> dict[str, Any]:
    try:
        # ``weights_only`` loads tensors without executing anything.
        state = torch.load(file, map_location="cpu", weights_only=True)
    except (OSError, ValueError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise _wrong(file.parent, f"{file.name} can't be read ({type(error).__name__})") from error
    if not isinstance(state, dict):
        raise _wrong(file.parent, f"{file.name} contains no named weights")
    # Names saved from several GPUs begin with "module.".
    return {str(key).removeprefix("module."): value.float() for key, value in state.items() if torch.is_tensor(value)}


def _dictionary(file: Path) -> dict[str, int]:
    words = {}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        fields = line.rstrip().split("\t")
        if len(fields) == 3 and fields[2].isdigit():
            words[fields[0]] = int(fields[2])
    return words


def _wrong(folder: Path, what: str) -> BadInput:
    return not_computed(
        f"{folder.name} isn't a checkpoint of the multi-facet recommender: {what}.",
        "Choose the folder with encoder.pt, decoder.pt and dictionary_index.",
    )
