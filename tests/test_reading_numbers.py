"""Quantities: every wording of the design's table of numbers, and what is no count."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.reading.numbers import Quantity, find_quantities, parse_count
from incidents.reading.sentences import tokenise


def find(text: str) -> list[Quantity]:
    return find_quantities(tokenise(text))


def ends(text: str) -> list[tuple[int | None, int | None]]:
    return [(q.minimum, q.maximum) for q in find(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("seven men", 7),
        ("twenty-one men", 21),
        ("twenty one men", 21),
        ("a hundred men", 100),
        ("two hundred and six men", 206),
        ("three hundred fifty men", 350),
        ("a thousand men", 1_000),
        ("four thousand two hundred men", 4_200),
        ("a dozen men", 12),
        ("two dozen men", 24),
        ("half a dozen men", 6),
        ("1,204 men", 1_204),
        ("22 000 men", 22_000),
        ("1.5 million people", 1_500_000),
        ("3 million people", 3_000_000),
        ("twenty-odd men", 20),
        ("0 men", 0),
        ("nineteen men", 19),
    ],
)
def test_words_and_figures_are_read(text: str, value: int) -> None:
    assert ends(text) == [(value, value)]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("at least 8 men", 8, None),
        ("no fewer than eight men", 8, None),
        ("8 men or more", 8, 8),  # the noun parts them; the casualty rules take it in
        ("8 or more men", 8, None),
        ("upwards of 30 men", 30, None),
        ("more than 30 men", 31, None),
        ("over thirty men", 31, None),
        ("up to 30 men", None, 30),
        ("as many as 30 men", None, 30),
        ("no more than 30 men", None, 30),
        ("fewer than 30 men", None, 29),
        ("about 30 men", 30, 30),
        ("30 or so men", 30, 30),
        ("between 10 and 15 men", 10, 15),
        ("from 10 to 15 men", 10, 15),
        ("10 to 15 men", 10, 15),
        ("10-15 men", 10, 15),
        ("ten or eleven men", 10, 11),
        ("dozens of men", 24, None),
        ("scores of men", 40, None),
        ("hundreds of men", 200, None),
        ("thousands of men", 2_000, None),
        ("tens of thousands of men", 20_000, None),
        ("hundreds of thousands of men", 200_000, None),
        ("several men", 3, None),
        ("a couple of men", 2, 2),
        ("a handful of men", 3, None),
        ("40+ men", 40, None),
    ],
)
def test_ranges_follow_the_design(text: str, low: int | None, high: int | None) -> None:
    assert ends(text) == [(low, high)]


@pytest.mark.parametrize("text", ["another five men", "a further five men", "five more men", "an additional five men"])
def test_further_figures_are_marked(text: str) -> None:
    (quantity,) = find(text)
    assert quantity.further
    assert (quantity.minimum, quantity.maximum) == (5, 5)


@pytest.mark.parametrize(
    "text",
    [
        "a 155-mm gun",
        "a 57-year-old baker",
        "a girl aged 9",
        "apartment 12",
        "resolution 2401",
        "it cost $300",
        "at 36.2°",
        "many as they were",
        "no numbers at all",
        "",
    ],
)
def test_what_is_no_count_is_left(text: str) -> None:
    assert [e for e in ends(text) if e != (3, None)] == []


@pytest.mark.parametrize("text", ["40 percent of homes", "40% of homes", "40 per cent of homes"])
def test_shares_are_marked(text: str) -> None:
    assert [q.percent for q in find(text)] == [True]


def test_vague_and_approximate_are_told_apart() -> None:
    (vague,) = find("dozens of men")
    (about,) = find("nearly 50 men")
    assert (vague.vague, vague.approximate) == (True, False)
    assert (about.vague, about.approximate) == (False, True)


def test_several_numbers_do_not_overlap() -> None:
    found = find("Of 40 prisoners, at least twelve escaped and between two and four were caught.")
    assert [(q.minimum, q.maximum) for q in found] == [(40, 40), (12, None), (2, 4)]
    assert all(a.last <= b.first for a, b in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("12", (12, 12)), ("at least 4", (4, None)), ("3-5", (3, 5)), ("dozens", (24, None)), ("none", None), ("", None)],
)
def test_a_whole_cell_is_one_count(text: str, expected: tuple[int | None, int | None] | None) -> None:
    assert parse_count(text) == expected


def test_two_numbers_are_no_count() -> None:
    assert parse_count("4 men and 7 women") is None


@given(st.integers(min_value=0, max_value=10**9))
def test_plain_figures_round_trip(value: int) -> None:
    assert ends(f"{value} men") == [(value, value)]
    assert ends(f"{value:,} men") == [(value, value)]


@given(st.integers(min_value=0, max_value=10**40))
def test_huge_figures_are_no_counts_but_never_errors(value: int) -> None:
    assert all(q.minimum is None or q.minimum <= 10**10 for q in find(f"{value} men, {value:,} women"))


@given(st.integers(min_value=1, max_value=500), st.integers(min_value=1, max_value=500))
def test_pairs_are_ranges_only_upwards(first: int, second: int) -> None:
    found = ends(f"between {first} and {second} men")
    assert found == ([(first, second)] if first < second else [(first, first), (second, second)])
