"""Verdicts of a judge on statements with known truth: shares supported, contradicted and other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar


class Judged(Protocol):
    """A statement with known truth."""

    @property
    def paper(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def true(self) -> bool: ...


S = TypeVar("S", bound=Judged)


@dataclass(frozen=True, slots=True)
class Shares:
    """Verdicts on some statements."""

    count: int
    supported: int
    contradicted: int

    @property
    def other(self) -> int:
        return self.count - self.supported - self.contradicted

    def share(self, verdict: str) -> float:
        """Returns a share from 0 to 1; 0 without statements."""
        return float(getattr(self, verdict)) / self.count if self.count else 0.0


@dataclass(frozen=True, slots=True)
class Rates:
    """Verdicts by truth, by kind and truth, by paper and truth; ``wrong``: statements judged the wrong way."""

    by_truth: dict[bool, Shares]
    by_kind: dict[tuple[str, bool], Shares]
    by_paper: dict[tuple[str, bool], Shares]
    wrong: tuple[tuple[Judged, str], ...]

    def worst(self, truth: bool, least: int = 10) -> tuple[str, Shares] | None:
        """Returns the paper with the smallest share judged right, among those with at least ``least`` statements."""
        right = "supported" if truth else "contradicted"
        papers = [(s.share(right), p, s) for (p, t), s in self.by_paper.items() if t is truth and s.count >= least]
        return min(papers)[1:] if papers else None

    def lines(self) -> Iterator[str]:
        """Yields the figures as text."""
        for truth, name in ((True, "true"), (False, "false")):
            yield _line(name, self.by_truth.get(truth, Shares(0, 0, 0)))
            for (kind, t), shares in sorted(self.by_kind.items()):
                if t is truth:
                    yield _line(f"  {kind}", shares)
            worst = self.worst(truth)
            if worst:
                yield _line(f"  worst paper: {worst[0]}", worst[1])


def _line(name: str, shares: Shares) -> str:
    figures = "  ".join(f"{v} {100 * shares.share(v):5.1f} %" for v in ("supported", "contradicted", "other"))
    return f"{name:<40} {shares.count:5}  {figures}"


def rates(judge: Callable[[S], str], statements: Iterable[S]) -> Rates:
    """Collects the verdicts of ``judge``: "supported", "contradicted", or anything else."""
    groups: dict[tuple[str, str, bool], Counter[str]] = defaultdict(Counter)
    wrong: list[tuple[Judged, str]] = []
    for statement in statements:
        verdict = judge(statement)
        for name, value in (("truth", ""), ("kind", statement.kind), ("paper", statement.paper)):
            groups[name, value, statement.true][verdict] += 1
        if verdict == ("contradicted" if statement.true else "supported"):
            wrong.append((statement, verdict))
    shares = {key: Shares(c.total(), c["supported"], c["contradicted"]) for key, c in groups.items()}
    return Rates(
        {truth: s for (name, _, truth), s in shares.items() if name == "truth"},
        {(value, truth): s for (name, value, truth), s in shares.items() if name == "kind"},
        {(value, truth): s for (name, value, truth), s in shares.items() if name == "paper"},
        tuple(wrong),
    )
