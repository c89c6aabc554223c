"""Coefficients of any number of annotators against other libraries, on generated tables with missing decisions."""

from __future__ import annotations

import warnings
from itertools import combinations
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.measures.annotators import MISSING, Scale, Table, by_class, coefficients, cohen, with_others


def table(rows: object, papers: object = None, scale: Scale = "nominal") -> Table:
    codes = np.array(rows, dtype=np.int64)
    names, codes_used = np.unique(codes[codes != MISSING], return_inverse=True)
    packed = np.full(codes.shape, MISSING)
    packed[codes != MISSING] = codes_used
    where = np.arange(len(codes)) if papers is None else np.array(papers)
    people = tuple("abcdefgh"[: codes.shape[1]])
    return Table(packed, where, tuple(map(str, names)), people, scale, tuple(float(n) for n in names))


@st.composite
def tables(draw: st.DrawFn, missing: bool = True) -> np.ndarray:
    units, people = draw(st.integers(2, 18)), draw(st.integers(2, 5))
    cells = st.integers(-1 if missing else 0, 3)
    return np.array(draw(st.lists(st.lists(cells, min_size=people, max_size=people), min_size=units, max_size=units)))


def alike(value: float, peer: float) -> None:
    assert (isnan(value) and not np.isfinite(peer)) or value == pytest.approx(peer, abs=1e-5)


@given(tables(), st.sampled_from(["nominal", "ordinal", "interval"]))
@settings(max_examples=100)
def test_alpha_is_that_of_the_library_krippendorff(rows: np.ndarray, scale: Scale) -> None:
    import krippendorff

    found = coefficients(table(rows, scale="interval"))
    data = np.where(rows == MISSING, np.nan, rows.astype(float)).T
    shared = rows[(rows != MISSING).sum(1) > 1]
    if len(np.unique(shared[shared != MISSING])) < 2 or len(shared) < 6:
        assert not found or isnan(found["alpha"].value), "one class alone, or under six units, says nothing"
        return
    peer = krippendorff.alpha(reliability_data=data, level_of_measurement=scale)
    alike(found["alpha" if scale == "nominal" else scale].value, float(peer))


@given(tables(missing=False))
@settings(max_examples=60)
def test_fleiss_of_full_tables_is_that_of_statsmodels(rows: np.ndarray) -> None:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore")
        peer = float(fleiss_kappa(aggregate_raters(rows)[0]))
    if len(rows) < 6:
        assert isnan(coefficients(table(rows))["fleiss"].value)
    elif len(np.unique(rows)) > 1:
        alike(coefficients(table(rows))["fleiss"].value, peer)


@given(tables())
@settings(max_examples=60)
def test_cohen_is_the_mean_of_scikit_learns_over_pairs_of_annotators(rows: np.ndarray) -> None:
    from sklearn.metrics import cohen_kappa_score

    peers = []
    for one, two in combinations(range(rows.shape[1]), 2):
        both = rows[(rows[:, [one, two]] != MISSING).all(1)][:, [one, two]]
        if len(both) >= 6 and len(np.unique(both)) > 1:
            peers.append(cohen_kappa_score(both[:, 0], both[:, 1]))
    value = cohen(table(rows)).value
    assert (isnan(value) and not peers) or value == pytest.approx(np.mean(peers))


# What irrCAC 0.4.4 gives (Fleiss, AC1, alpha, observed agreement, to five digits) for generated tables: a word is an
# annotator, a letter a unit, "*" missing. Classes are named
# to it, since with pandas 3 it counts "missing" as one. It requires scipy 1.12 exactly, hence written down.
PEER = [
    ("422553*25122 45453*4**125 45*52141*122 521543424154", 0.26558, 0.29363, 0.30865, 0.43056),
    ("12*****3**1****113* **3**2**231*1231*31 2*3332231*331*11*31", 0.49143, 0.50418, 0.5, 0.66667),
    ("22*141*3213**44 *2*4*1*4*1424** 4*34*2122*321*4 *2*441**2113*** 4232***121*2143",
     0.46291, 0.4763, 0.42061, 0.60476),
    ("111111221 222111111", -0.38462, 0.07216, -0.30769, 0.44444),
    ("*2**3*2******12*2*2*1*2******* ***33****233**1**2*2****21*321 *21*3*2*22*3*321*2*31**32***3* "
     "13******2**3****2*21*2*3**2*21 ******22**2*112*****12***12321 *2**31****33*33**2***2***1***3",
     0.67905, 0.69652, 0.59007, 0.79394),
    ("111111*** 1112**21* 11*211211", 0.72386, 0.88065, 0.7, 0.91667),
]  # fmt: skip


def of_words(words: str) -> Table:
    return table(
        [[MISSING if cell == "*" else int(cell) for cell in unit] for unit in zip(*words.split(), strict=True)]
    )


@pytest.mark.parametrize(("words", "fleiss", "ac1", "alpha", "observed"), PEER)
def test_unequal_numbers_of_decisions_as_in_irrcac(
    words: str, fleiss: float, ac1: float, alpha: float, observed: float
) -> None:
    found = coefficients(of_words(words))
    got = [found[name].value for name in ("fleiss", "ac1", "alpha", "observed")]  # type: ignore[index]
    assert got == pytest.approx([fleiss, ac1, alpha, observed], abs=2e-5)


def test_krippendorffs_example() -> None:
    """Krippendorff (2011), section C: four observers, twelve units, holes: 0.743, ordinal 0.815, interval 0.849."""
    words = "123321412*** 1233224125*3 *3332342251* 1233244125*1".replace("5*1", "51*")
    found = coefficients(of_words(words))
    assert found["alpha"].value == pytest.approx(0.743, abs=5e-4)
    scaled = coefficients(table(of_words(words).codes, scale="interval"))
    assert scaled["ordinal"].value == pytest.approx(0.815, abs=5e-4)
    assert scaled["interval"].value == pytest.approx(0.849, abs=5e-4)


def test_intervals_come_from_papers_and_need_six() -> None:
    """Units of a paper that all say the same widen the interval; five papers have none, however many units."""
    rng = np.random.default_rng(4)
    kinds = rng.integers(0, 4, 40)
    rows = np.array([(0, 0), (0, 1), (1, 1), (1, 0)])[kinds].repeat(10, axis=0)
    apart, together = table(rows), table(rows, np.arange(40).repeat(10))
    narrow, wide = (coefficients(one)["alpha"] for one in (apart, together))
    assert narrow.value == pytest.approx(wide.value) and narrow.n == wide.n == 400
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
    few = coefficients(table(rows, np.arange(40).repeat(10) % 5))
    assert all(isnan(one.low) and not isnan(one.value) for one in few.values())
    assert coefficients(table(rows, np.arange(40).repeat(10) % 6))["alpha"].span()


def test_five_units_have_a_share_and_no_coefficient() -> None:
    """Also where there are more units, but two annotators share five and a class occurs on five."""
    rows = [(0, 0), (1, 1), (0, 1), (1, 1), (0, 0), (0, 0)]
    found, enough = coefficients(table(rows[:5], scale="interval")), coefficients(table(rows, scale="interval"))
    assert found["observed"].value == pytest.approx(4 / 5) and found["alpha"].shown() == "fewer than 6 units"
    assert {name for name, one in found.items() if one.known} == {"observed"}
    assert all(one.known for one in enough.values())
    of_three = table(
        [*((0, 0, MISSING),) * 5, (1, 1, MISSING), *((1, MISSING, 1), (0, MISSING, 0)) * 2, (1, MISSING, 0)]
    )
    assert cohen(of_three, 0).value == pytest.approx(1) and isnan(cohen(of_three, 2).value)
    assert [one[1].known for one in by_class(table([(0, 0)] * 9 + [(1, 1)])).values()] == [True, False]


@given(tables())
@settings(max_examples=60)
def test_by_class_and_by_person(rows: np.ndarray) -> None:
    """Specific agreement counted pair by pair, and the share of a person's pairs that are the same."""
    made = table(rows)
    pairs = [
        (unit[i], unit[j], len([1 for cell in unit if cell != MISSING]) - 1, i, j)
        for unit in rows
        for i in range(rows.shape[1])
        for j in range(rows.shape[1])
        if i != j and MISSING not in (unit[i], unit[j])
    ]
    for name, (specific, _) in by_class(made).items():
        own = [(1 / m, b) for a, b, m, _, _ in pairs if a == int(name)]
        alike(specific.value, sum(w for w, b in own if b == int(name)) / sum(w for w, _ in own) if own else np.nan)
    for person in range(rows.shape[1]):
        mine = [a == b for a, b, _, i, _ in pairs if i == person]
        alike(with_others(made, person).value, float(np.mean(mine)) if mine else np.nan)


def test_scores_with_decimals_have_the_interval_alpha_alone() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(5, 2, 80)
    values = np.round(truth[:, None] + rng.normal(0, 1, (80, 2)), 3)
    names, codes = np.unique(values, return_inverse=True)
    made = Table(
        codes.reshape(values.shape), np.arange(80), tuple(map(str, names)), ("a", "b"), "interval", tuple(names)
    )
    found = coefficients(made)
    assert set(found) == {"observed", "interval"} and 0.6 < found["interval"].value < 0.95 and by_class(made) == {}
    assert coefficients(table([[0, MISSING], [MISSING, 1]])) == {}
