"""The data set of decisions: complete, its sums hold, without names unless wanted, and nothing is decided by itself."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping

import pytest

from engine.agreement.compared import Decision, followed
from engine.agreement.records import NO_COMPETENCE
from engine.exchange.adjudicated import Decided, data_set, decided, fields

NAMES = {"a": "Ann Archer", "b": "Ben Bold", "c": "Cem Can"}
SHOWN = {"a": True, "b": False, "c": None}
RULED = {("", "u0"): "no", ("", "u9"): "yes"}


def made(people: str = "abc", units: int = 30, ruled: Mapping[tuple[str, str], str] | None = None) -> Decided:
    """Each differs from the others on every seventh unit, at another place; u0 is disputed."""
    found = [
        Decision(
            "",
            f"u{n}",
            f"p{n // 3}",
            who,
            "yes" if (n % 2 == 1) == ((n + at) % 7 > 0) else "no",
            "2026-01-01",
            words=f"=unit {n}",
        )
        for n in range(units)
        for at, who in enumerate(people)
    ]
    taken = followed(("", who, shown, f"p{n}", n < 6) for who, shown in SHOWN.items() for n in range(8))
    return decided("states", tuple(found), RULED if ruled is None else ruled, ((), taken), NAMES)


def rows(found: Decided, name: str, **how: bool) -> list[dict[str, str]]:
    (file,) = (file for file in data_set(found, **how).files if file.name == name)
    return list(csv.DictReader(io.StringIO(file.content.decode("utf-8-sig"))))


def test_every_decision_is_there_and_what_holds_is_agreed_or_was_decided() -> None:
    found = made()
    kept = rows(found, "decisions.csv", names=True)
    assert [(one["unit"], one["annotator"], one["value"]) for one in kept] == [
        (one.unit, NAMES[one.annotator], one.value) for one in found.decisions
    ]
    held = {one["unit"]: one for one in rows(found, "adjudicated.csv")}
    said: dict[str, set[str]] = {}
    for one in found.decisions:
        said.setdefault(one.unit, set()).add(one.value)
    assert held.keys() == said.keys()
    for unit, one in held.items():
        expected = ("agreed", next(iter(said[unit]))) if len(said[unit]) == 1 else ("open", "")
        if ("", unit) in RULED:
            expected = ("adjudicated", RULED["", unit])
        assert (one["how"], one["value"]) == expected, unit
        assert one["majority"] in said[unit] and float(one["majority_chance"]) >= 2 / 3
        assert one["mace"] and one["dawid-skene"] and 0.5 < float(one["mace_chance"]) <= 1
    assert {one["how"] for one in held.values()} == {"agreed", "adjudicated", "open"}, "a proposal settles nothing"


@pytest.mark.parametrize("names", [True, False])
def test_sums_and_names(names: bool) -> None:
    export = data_set(made(), names=names, version="0.0.1")
    files = {file.name: file.content for file in export.files}
    sums = dict(reversed(line.split("  ")) for line in files.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    assert all((b"Archer" in content) == names for name, content in files.items() if name != "adjudicated.csv")
    assert bool(export.loss) != names
    statement = files["DATA_STATEMENT.md"].decode()
    assert "90 decisions on 30 units of 10 papers" in statement
    assert "decided as suggested, suggestions not shown: 0.75 [" in statement
    assert "not recorded whether shown: 0.75 [" in statement
    measured = list(csv.DictReader(io.StringIO(files["agreement.csv"].decode("utf-8-sig"))))
    rates = {one["measure"]: (one["value"], one["units"]) for one in measured if one["measure"].startswith("suggested")}
    assert rates == dict.fromkeys(("suggested_shown", "suggested_not_shown", "suggested_not_recorded"), ("0.75", "8"))
    assert NO_COMPETENCE not in statement


def test_two_people_have_no_competence_and_a_ruling_on_what_one_did_is_not_shown() -> None:
    two = made("ab")
    assert NO_COMPETENCE in data_set(two).files[3].content.decode()
    assert {one["mace"] for one in rows(two, "adjudicated.csv")} == {""}
    assert fields(two)["parts"][0]["competence"] == {}  # type: ignore[index]
    alone = made("a")
    assert {(one.how, one.value) for one in alone.outcomes} == {("one annotator", "")}
    assert fields(alone)["parts"][0]["measures"] == {}  # type: ignore[index]


def test_of_numbers_median_and_mean_are_proposed_and_nobody_has_a_competence() -> None:
    found = [
        Decision("S", f"i{n}", f"i{n}", who, str(n % 4 + off), number=float(n % 4 + off))
        for n in range(8)
        for who, off in (("a", 0), ("b", 0), ("c", n % 4 == 3))
    ]
    (made,) = decided("scores", tuple(found), {}, ((), ()), {}).proposals
    assert set(made.by_method) == {"median", "mean"} and made.competence == {}
    assert [value for value, _ in made.by_method["median"]] == [str(n % 4) for n in range(8)]
    spread = [spread for _, spread in made.by_method["mean"]]
    assert [one > 0 for one in spread] == [n % 4 == 3 for n in range(8)]
    agreeing = decided("scores", tuple(one for one in found if one.annotator != "c"), {}, ((), ()), {})
    assert fields(agreeing)["parts"][0]["measures"]["interval"]["value"] == 1  # type: ignore[index]
