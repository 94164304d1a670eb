"""Trigger words: each kind of incident by its words, with exact spans."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.reading.sentences import split_sentences
from incidents.reading.triggers import GENERIC, Trigger, find_triggers
from incidents.taxonomy import TYPES


def find(text: str) -> list[Trigger]:
    return [t for sentence in split_sentences(text) for t in find_triggers(sentence)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Shells fell on the town.", "shelling"),
        ("Artillery fire hit homes.", "shelling"),
        ("A missile hit a school.", "missile_strike"),
        ("Drones struck the port.", "drone_strike"),
        ("Kamikaze drones attacked the depot.", "drone_strike"),
        ("Warplanes bombed the market.", "air_strike"),
        ("An air strike hit a house.", "air_strike"),
        ("A car bomb exploded.", "explosion"),
        ("A landmine killed a shepherd.", "explosion"),
        ("A suicide bomber blew himself up.", "explosion"),
        ("Troops stormed the village.", "ground_assault"),
        ("Rebels captured the town.", "ground_assault"),
        ("Gunmen opened fire on a bus.", "shooting"),
        ("Soldiers executed ten men.", "execution"),
        ("A mass grave was found.", "bodies_found"),
        ("Women were raped by soldiers.", "sexual_violence"),
        ("Armed men kidnapped a priest.", "abduction"),
        ("Rioters set cars alight.", "riot"),
        ("Thousands protested in the square.", "protest"),
        ("Families fled the town.", "displacement"),
        ("Men looted the store.", "looting"),
        ("The army withdrew from the hill.", "strategic"),
        ("A guard was stabbed.", "other"),
    ],
)
def test_each_kind_has_its_words(text: str, kind: str) -> None:
    assert kind in {t.type for t in find(text)}


@pytest.mark.parametrize("text", ["The price hit a record.", "Two were killed.", "There was an attack."])
def test_words_that_say_no_kind_are_generic(text: str) -> None:
    assert {t.type for t in find(text)} == {GENERIC}


@pytest.mark.parametrize("text", ["The striker scored twice.", "Rain is likely.", "A shellfish dish", ""])
def test_ordinary_words_trigger_nothing(text: str) -> None:
    assert find(text) == []


def test_the_longest_words_win() -> None:
    assert next(t.text for t in find("A car bomb went off.")) == "car bomb"


def test_case_does_not_matter() -> None:
    assert [t.type for t in find("SHELLING KILLS TWO")] == [t.type for t in find("shelling kills two")]


WORDS = (
    "shells missile drones bombed car bomb exploded stormed gunmen opened fire executed mass "
    "grave raped kidnapped protested fled looted hit the a of in by"
).split()


@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_triggers_are_in_order_exact_and_apart(words: list[str]) -> None:
    text = " ".join(words)
    found = find(text)
    for trigger in found:
        assert text[trigger.start : trigger.end] == trigger.text
        assert trigger.type in {*TYPES, GENERIC}
        assert 1 <= trigger.weight <= 3
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
