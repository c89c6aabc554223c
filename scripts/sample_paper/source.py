"""Reads paper.txt into the two versions of the paper: blocks in order, with results and numbers filled in."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from sample_paper.simulation import CLASSES, PRIOR_WEIGHT, TARGETS_PER_REPEAT, Study

VersionName = Literal["submitted", "revised"]


@dataclass(frozen=True, slots=True)
class Block:
    """A block of one version. ``text`` includes results, but citations and references to floats are still keys."""

    id: str
    kind: str
    text: str
    sources: tuple[str, ...]
    options: Mapping[str, str]
    section: str = ""
    number: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the paper, ready for typesetting. ``numbers`` maps ids to their numbers in the paper."""

    name: VersionName
    blocks: tuple[Block, ...]
    numbers: Mapping[str, str] = field(repr=False)
    study: Study = field(repr=False)

    def printed(self, text: str) -> str:
        """Returns the text with printed citations and references; emphasis and formulas are still marked up."""

        def cite(match: re.Match[str]) -> str:
            keys = [key.strip().removeprefix("@") for key in match[1].split(";")]
            return "[" + ", ".join(sorted((self.numbers[key] for key in keys), key=int)) + "]"

        text = re.sub(r"\[(@[^\]]+)\]", cite, text)
        names = {"fig": "Figure", "tab": "Table", "eq": "Equation", "sec": "Section"}
        return re.sub(
            r"\{(fig|tab|eq|sec):([\w-]+)\}", lambda m: f"{names[m[1]]} {self.numbers[f'{m[1]}-{m[2]}']}", text
        )


def _fillers(study: Study) -> dict[str, Callable[[list[str]], str]]:
    """Returns the functions allowed in braces in the source, which format the results."""

    def cell(words: list[str]) -> tuple[float, float]:
        found = study.by_counters[words[0], int(words[1])]
        return found.mean, found.half_width

    def shown(value: float) -> float:
        return float(f"{value:.1f}")  # differences are computed from the rounded figures in the text

    return {
        "err": lambda words: f"{cell(words)[0]:.1f}",
        "low": lambda words: f"{cell(words)[0] - cell(words)[1]:.1f}",
        "high": lambda words: f"{cell(words)[0] + cell(words)[1]:.1f}",
        "gap": lambda _: f"{shown(cell(['pooled', '4'])[0]) - shown(cell(['blended', '4'])[0]):.1f}",
        "class": lambda words: f"{study.by_class[words[0], words[1]].mean:.1f}",
        "loss": lambda _: f"{shown(study.by_fault['blended', 20].mean) - shown(study.by_fault['blended', 0].mean):.1f}",
        "winter": lambda _: f"{max(study.by_period['blended', period].mean for period in (0, 11, 12)):.0f}",
        "spring": lambda _: f"{max(study.by_period['plain', period].mean for period in (3, 9)) + 0.5:.0f}",
        "busiest": lambda _: f"{max(street.mean for street in study.streets):,.0f}",
        "quietest": lambda _: f"{min(street.mean for street in study.streets):.0f}",
        "repeats": lambda _: str(study.repeats),
        "targets": lambda _: str(TARGETS_PER_REPEAT),
        "prior": lambda _: str(PRIOR_WEIGHT),
        "streets": lambda _: str(sum(group.streets for group in CLASSES)),
    }


def _read_raw(path: Path) -> list[tuple[list[str], str]]:
    raw: list[tuple[list[str], list[str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("@ "):
            raw.append((line[2:].split(), []))
        elif raw and line.strip():
            raw[-1][1].append(line.strip())
    return [(head, "\n".join(body)) for head, body in raw]


def read_version(path: Path, name: VersionName, study: Study) -> Version:
    """Reads one version from the common source.

    Raises ValueError if a paragraph occurs twice in one version.
    """
    fillers = _fillers(study)

    def fill(match: re.Match[str]) -> str:
        words = match[1].split()
        return fillers[words[0]](words[1:])

    raw = _read_raw(path)
    # "same" repeats a paragraph of the submitted version, which may also belong to both versions.
    first_text: dict[str, str] = {}
    for head, body in raw:
        if "revised" not in head:
            first_text.setdefault(head[0], body)
    names = "|".join(fillers)
    blocks: list[Block] = []
    for head, body in raw:
        words = head[2:]
        if name not in words and ({"submitted", "revised"} & set(words)):
            continue
        options = dict(word.split("=", 1) for word in words if "=" in word)
        text = first_text[head[0]] if "same" in words else body
        text = re.sub(rf"\{{((?:{names})(?: [\w ]+)?)\}}", fill, text)
        sources = tuple(options.pop("from", head[0]).split(","))
        if "unnumbered" in words:
            options["unnumbered"] = "yes"
        blocks.append(Block(head[0], head[1], text, sources, options))
    if len({block.id for block in blocks}) != len(blocks):
        raise ValueError(f"A paragraph occurs twice in the {name} version.")
    return _numbered(name, blocks, study)


def _numbered(name: VersionName, blocks: list[Block], study: Study) -> Version:
    numbers: dict[str, str] = {}
    counts = {"figure": 0, "table": 0, "equation": 0, "reference": 0}
    sections = [0, 0]
    section = ""
    done: list[Block] = []
    for block in blocks:
        number = ""
        if block.kind == "heading":
            if "unnumbered" not in block.options:
                if block.options.get("level") == "2":
                    sections[1] += 1
                    number = f"{sections[0]}.{sections[1]}"
                else:
                    sections = [sections[0] + 1, 0]
                    number = str(sections[0])
            section = block.text
        elif block.kind in counts:
            counts[block.kind] += 1
            number = str(counts[block.kind])
        numbers[block.id] = number
        inside = {"abstract": "Abstract", "reference": "References"}.get(block.kind, section)
        done.append(replace(block, number=number, section=inside))
    return Version(name, tuple(done), numbers, study)
