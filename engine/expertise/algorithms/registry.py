"""The similarity algorithms by name, for command line, laboratory and notebooks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from engine.errors import not_computed
from engine.expertise.algorithms.base import SimilarityAlgorithm
from engine.expertise.algorithms.encoder import ELMO, FAMILIES, Encoder, encoder_in
from engine.expertise.algorithms.fusion import Fusion, FusionParameters
from engine.expertise.algorithms.lexical import Bm25, Trivial
from engine.expertise.algorithms.mfr import SINGLE_SHARE, SpecterMfr, mfr_in
from engine.expertise.algorithms.pooling import POOLINGS, Pooling
from engine.expertise.algorithms.profile_text import Merit, Rate, embedding_model, keyword_writer
from engine.expertise.algorithms.tpms import Tpms
from engine.models import CachedEmbedder, Embedder, EmbeddingCache, load_encoder

Needs = Literal["nothing", "encoder", "folder"]
Options = Mapping[str, str]
DEFAULT = "fusion"
FOLDER = "folder"
"""The key, in a run's parameters, of the name of the model folder that was used."""


@dataclass(frozen=True, slots=True)
class Models:
    """The models an algorithm is made from; ``fast`` and ``cache`` apply to loading from ``folder``. ``beside_window``:
    encoders and language models run in separate processes."""

    embedder: Embedder | None = None
    folder: Path | None = None
    fast: bool = False
    cache: EmbeddingCache | None = None
    beside_window: bool = False

    @property
    def loading(self) -> dict[str, Any]:
        """The arguments for loading an encoder from the folder."""
        return {"fast": self.fast, "cache": self.cache, "beside_window": self.beside_window}


Make = Callable[[Models, Options], SimilarityAlgorithm]


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter that users can change. ``choices`` are suggestions, including the default; a number can be any value
    within ``span``."""

    name: str
    title: str
    default: str
    choices: tuple[str, ...]
    span: tuple[float, float] | None = None

    def takes(self, value: str) -> bool:
        """Returns whether the value is valid; if the bounds are ``int``, it must be a whole number."""
        if self.span is None:
            return value in self.choices
        try:
            number = type(self.span[0])(value)
        except ValueError:
            return False
        return self.span[0] <= number <= self.span[1]


@dataclass(frozen=True, slots=True)
class Entry:
    """An algorithm. ``make`` receives the bundled encoder or the user's folder, as it ``needs``, and a value for each
    of ``options``. Algorithms that were published without parameters have none. ``takes_folder``: a folder can replace
    the bundled encoder."""

    id: str
    title: str
    citation: str
    needs: Needs
    make: Make
    options: tuple[Option, ...] = ()
    takes_folder: bool = False


def pooling_option(default: str) -> Option:
    """Returns the option for combining a profile's papers into one score."""
    return Option("pooling", "Pooling", default, POOLINGS)


def _fusion(models: Models, options: Options) -> SimilarityAlgorithm:
    assert models.embedder is not None
    parts = FusionParameters(int(options["neighbours"]), int(options["passages"]), float(options["words"]))
    return Fusion(models.embedder, parts, Pooling(options["pooling"]))


def _acl(models: Models, options: Options) -> SimilarityAlgorithm:
    from engine.expertise.algorithms.acl import Acl, load_acl

    assert models.folder is not None
    return Acl(load_acl(models.folder), Pooling(options["pooling"]))


def _specter_mfr(models: Models, options: Options) -> SimilarityAlgorithm:
    share = float(options["share"])
    if models.folder is not None:
        return mfr_in(models.folder, share=share, **models.loading)
    assert models.embedder is not None
    return SpecterMfr(models.embedder, share=share)


def _elmo(models: Models, options: Options) -> SimilarityAlgorithm:
    from engine.expertise.algorithms.elmo_model import ElmoEmbedder

    assert models.folder is not None
    embedder = CachedEmbedder(ElmoEmbedder(models.folder), models.cache)
    return Encoder(embedder, ELMO, Pooling(options["pooling"]))


def _embedding(models: Models) -> tuple[Embedder, tuple[str, str]]:
    assert models.folder is not None
    return embedding_model(models.folder, **models.loading)


def _of_family(key: str, models: Models, options: Options) -> SimilarityAlgorithm:
    pooling = Pooling(options["pooling"])
    if models.folder is not None:
        return encoder_in(models.folder, key, pooling, **models.loading)
    assert models.embedder is not None
    return Encoder(models.embedder, FAMILIES[key], pooling)


def _family_entry(key: str) -> Entry:
    family = FAMILIES[key]
    needs: Needs = "encoder" if key == "encoder" else "folder"
    make, options = partial(_of_family, key), (pooling_option(family.pooling),)
    return Entry(key, family.title, family.citation, needs, make, options, True)


ALGORITHMS: dict[str, Entry] = {
    entry.id: entry
    for entry in (
        Entry("fusion", "Meaning and words together", "Rejoinder's own; encoder of Reimers and Gurevych 2019",
              "encoder", _fusion,
              (Option("neighbours", "Neighbours", "10", ("0", "5", "10", "20"), (0, 1000)),
               Option("passages", "Passages", "3", ("0", "1", "2", "3", "4", "8"), (0, 1000)),
               Option("words", "Words", "1", ("0", "0.5", "1", "2"), (0.0, 100.0)), pooling_option("top-3"))),
        *map(_family_entry, FAMILIES),
        Entry("specter+mfr", "SPECTER+MFR", "Cohan et al. 2020; Chang et al. 2021; Stelmakh et al. 2023", "encoder",
              _specter_mfr,
              (Option("share", "Share of single vectors", f"{SINGLE_SHARE:g}", ("0.5", "0.6", "0.7", "0.8", "0.9"),
                      (0.0, 1.0)),), True),
        Entry("acl", "ACL", "Neubig et al. 2020; training after Wieting et al. 2019", "folder", _acl,
              (pooling_option("acl"),), True),
        Entry("elmo", ELMO.title, ELMO.citation, "folder", _elmo, (pooling_option(ELMO.pooling),), True),
        Entry("rate", "RATE (reimplemented)", "after the abstract of Liu et al. 2026", "folder",
              lambda given, _: Rate(*_embedding(given), keyword_writer(beside_window=given.beside_window)), (), True),
        Entry("merit", "MERIT retriever (reimplemented)", "after the abstract and README files of Yang et al. 2026",
              "folder", lambda models, options: Merit(*_embedding(models), int(options["papers"])),
              (Option("papers", "Papers chosen", "3", ("1", "2", "3", "5", "10"), (1, 1000)),), True),
        Entry("tpms", "TPMS", "Charlin and Zemel 2013; implementation of Xu et al. 2019", "nothing",
              lambda _models, _options: Tpms()),
        Entry("bm25", "BM25", "Robertson and Walker 1994; Kamphuis et al. 2020 (Lucene)", "nothing",
              lambda _models, given: Bm25(float(given["k1"]), float(given["b"]), Pooling(given["pooling"])),
              (Option("k1", "k1", "1.5", ("0.9", "1.2", "1.5", "2"), (0.0, 10.0)),
               Option("b", "b", "0.75", ("0.4", "0.75", "1"), (0.0, 1.0)), pooling_option("top-3"))),
        Entry("trivial", "Trivial", "Stelmakh et al. 2023, section 5.2", "nothing", lambda _models, _o: Trivial()),
    )
}  # fmt: skip


def complete_options(key: str, options: Options) -> dict[str, str]:
    """Returns a value for every option of an algorithm: the given one or its default. Raises BadInput for an unknown
    name or an invalid value."""
    entry = ALGORITHMS[key]
    known = {option.name: option for option in entry.options}
    for name, value in options.items():
        if name not in known:
            raise not_computed(
                f"{entry.title} has no parameter “{name}”.",
                f"It has {', '.join(known)}." if known else "It has no parameters.",
            )
        option = known[name]
        if not option.takes(value):
            between = f"a number from {option.span[0]:g} to {option.span[1]:g}" if option.span is not None else ""
            raise not_computed(
                f"{option.title} of {entry.title} can't be “{value}”.",
                f"Give {between or 'one of ' + ', '.join(option.choices)}.",
            )
    return {**{name: option.default for name, option in known.items()}, **options}


def changed_options(key: str, parameters: Options) -> tuple[tuple[str, str], ...]:
    """Returns the parameters that differ from the defaults, in the registry's order, then the model's folder; other
    ``parameters`` (from the algorithm's own info) are ignored."""
    entry = ALGORITHMS.get(key)
    changed = tuple(
        (option.name, parameters[option.name])
        for option in (entry.options if entry is not None else ())
        if parameters.get(option.name, option.default) != option.default
    )
    return (*changed, (FOLDER, parameters[FOLDER])) if FOLDER in parameters else changed


def label(key: str, options: tuple[tuple[str, str], ...] = ()) -> str:
    """Returns an algorithm's title with its changed parameters; its id if the algorithm is unknown."""
    entry = ALGORITHMS.get(key)
    title = entry.title if entry is not None else key
    listed = ", ".join(f"{name} {value}".rstrip() for name, value in options)
    return f"{title} ({listed})" if options else title


def make_algorithm(
    key: str = DEFAULT,
    *,
    embedder: Embedder | None = None,
    folder: Path | None = None,
    options: Options | None = None,
    fast: bool = False,
    cache: EmbeddingCache | None = None,
    beside_window: bool = False,
) -> SimilarityAlgorithm:
    """Creates the algorithm of that name with its ``options`` (``Entry.options``; defaults for missing ones).
    ``embedder`` replaces the bundled encoder; ``folder`` is loaded with ``fast`` (half precision) and ``cache``;
    ``beside_window``: encoders and language models run in separate processes. Raises BadInput if there is no such
    algorithm or parameter, or if a required folder is missing or contains another kind of model; EnvironmentProblem if
    the bundled encoder is missing."""
    if (entry := ALGORITHMS.get(key)) is None:
        raise not_computed(f"There's no similarity algorithm “{key}”.", f"Choose one of {', '.join(ALGORITHMS)}.")
    chosen = complete_options(key, options or {})
    if entry.needs == "folder" and folder is None:
        raise not_computed(f"{entry.title} needs a model folder.", "Give its model folder.")
    if entry.needs == "encoder" and embedder is None and not (folder is not None and entry.takes_folder):
        embedder = load_encoder()
    return entry.make(Models(embedder, folder, fast, cache, beside_window), chosen)
