"""Figures on people: each wording ties the right number to the right harm."""

from __future__ import annotations

import pytest

from incidents.reading.casualties import Casualty, find_casualties
from incidents.reading.sentences import split_sentences


def find(text: str) -> list[Casualty]:
    return [c for sentence in split_sentences(text) for c in find_casualties(sentence)]


def say(text: str) -> list[tuple[str, str, int | None, int | None]]:
    """Return measure, group and both ends of the figures that are no parts of others."""
    return [(c.measure, c.group, c.minimum, c.maximum) for c in find(text) if not c.subset]


def parts(text: str) -> list[tuple[str, str, int | None, int | None]]:
    return [(c.measure, c.group, c.minimum, c.maximum) for c in find(text) if c.subset]


@pytest.mark.parametrize(
    ("text", "killed", "injured"),
    [
        ("Gunmen killed four people and wounded eleven.", 4, 11),
        ("Six people were killed and 20 others injured.", 6, 20),
        ("The blast left three dead and 14 wounded.", 3, 14),
        ("Two men and three women were killed.", 5, None),
        ("Shelling killed 40 men, nine women and six children.", 55, None),
        ("The strike killed three people and a doctor.", 4, None),
        ("Five civilians and two soldiers were killed, and nine people were hurt.", 7, 9),
        ("A man died.", 1, None),
        ("Eleven villagers lost their lives.", 11, None),
        ("Five people were shot dead.", 5, None),
        ("Attackers shot three farmers dead.", 3, None),
        ("Soldier killed, two hurt", 1, 2),
        ("The bodies of eight men were found in a well.", 8, None),
        ("15 casualties, four of them fatal, were brought in.", 4, 11),
        ("Of the nine people shot, four died.", 4, 5),
        ("A teacher was killed and his wife was wounded.", 1, 1),
        ("Killed: 2", 2, None),
        ("Wounded: 5", None, 5),
        ("12 people were killed and 12 were injured in 12 attacks.", 12, 12),
        ("Officials said 12 people, mostly women and children, were killed.", 12, None),
        ("Three people were killed by two gunmen.", 3, None),
        ("The bomber killed himself and three guards.", 3, None),
        ("No one was hurt.", 0, 0),
        ("Nobody was killed or injured.", 0, 0),
        ("There were no casualties.", 0, 0),
    ],
)
def test_killed_and_injured(text: str, killed: int | None, injured: int | None) -> None:
    found = {measure: (low, high) for measure, _, low, high in say(text)}
    assert found.get("killed", (None, None)) == (killed, killed)
    assert found.get("injured", (None, None)) == (injured, injured)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Four people are missing.", ("missing", "all", 4, 4)),
        ("Gunmen abducted 30 pupils.", ("abducted", "children", 30, 30)),
        ("Some 4,000 people fled their homes.", ("displaced", "all", 4_000, 4_000)),
        ("Scores of residents were displaced.", ("displaced", "all", 40, None)),
        ("Police arrested 18 protesters.", ("arrested", "all", 18, 18)),
        ("Hundreds were arrested.", ("arrested", "all", 200, None)),
    ],
)
def test_other_measures_stay_apart(text: str, expected: tuple[str, str, int | None, int | None]) -> None:
    assert say(text) == [expected]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("At least seven people were killed.", 7, None),
        ("More than 100 died.", 101, None),
        ("Up to 20 people were killed.", None, 20),
        ("Between five and eight people were killed.", 5, 8),
        ("Dozens of people were killed.", 24, None),
        ("46 people were killed at the least.", 46, None),
    ],
)
def test_ends_stay_open_where_the_text_leaves_them_open(text: str, low: int | None, high: int | None) -> None:
    assert say(text) == [("killed", "all", low, high)]


@pytest.mark.parametrize(
    ("text", "group", "count"),
    [
        ("Ten people were killed, including three children.", "children", 3),
        ("Ten people, among them two women, were killed.", "women", 2),
        ("Ten people died, five of whom were children.", "children", 5),
        ("Ten people died, four children among them.", "children", 4),
        ("Ten people, including a child, died.", "children", 1),
        ("Ten people died, including six soldiers.", "combatants", 6),
    ],
)
def test_parts_are_parts_and_never_added(text: str, group: str, count: int) -> None:
    assert say(text) == [("killed", "all", 10, 10)]
    assert parts(text) == [("killed", group, count, count)]


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("Seven fighters were killed.", "combatants"),
        ("Three police officers were killed.", "combatants"),
        ("Eight villagers were killed.", "civilians"),
        ("Two boys were killed.", "children"),
        ("Two women were killed.", "women"),
        ("Two men were killed.", "all"),
    ],
)
def test_groups(text: str, group: str) -> None:
    assert [g for _, g, _, _ in say(text)] == [group]


@pytest.mark.parametrize(
    "text",
    [
        "Nine Ukrainian drones were destroyed.",
        "34 houses were damaged.",
        "It killed 40 percent of the herd.",
        "Half of the town was destroyed.",
        "Twenty people were buried under the rubble.",
        "Ivan Koval, 69, spoke.",
        "The army has 40,000 soldiers.",
        "No casualties were reported so far.",
        "",
    ],
)
def test_what_is_no_toll(text: str) -> None:
    assert say(text) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A man aged 56 was killed.", 1),
        ("A 12-year-old girl was killed.", 1),
        ("A mother of four was killed.", 1),
        ("It happened on 5 March and killed 3.", 3),
    ],
)
def test_ages_and_dates_are_no_tolls(text: str, count: int) -> None:
    assert [(low, high) for measure, _, low, high in say(text) if measure == "killed"] == [(count, count)]


@pytest.mark.parametrize(
    ("text", "count", "end"),
    [
        ("The toll rose to 14 from nine.", 14, 14),
        ("The death toll climbed to at least 31.", 31, None),
    ],
)
def test_a_risen_toll_is_an_update(text: str, count: int, end: int | None) -> None:
    (toll,) = find(text)
    assert (toll.measure, toll.minimum, toll.maximum, toll.update) == ("killed", count, end, True)


def test_a_toll_by_a_source_is_no_update() -> None:
    (toll,) = find("Police put the death toll at 22.")
    assert (toll.minimum, toll.maximum, toll.update) == (22, 22, False)


@pytest.mark.parametrize("text", ["Another five people were killed.", "Five more bodies were found."])
def test_further_victims_are_marked(text: str) -> None:
    (figure,) = find(text)
    assert (figure.minimum, figure.further) == (5, True)


def test_attackers_own_dead_are_marked() -> None:
    (figure,) = find("The two attackers were shot dead.")
    assert (figure.attackers, figure.group, figure.minimum) == (True, "combatants", 2)


def test_places_share_the_harm_word() -> None:
    found = find("Eight people were killed in Damboa and four in Bama.")
    assert [(c.minimum, c.rule) for c in found] == [(8, "subject of a passive"), (4, "share of a place")]


def test_hospital_is_weak_evidence_of_injury() -> None:
    (figure,) = find("Seventeen wounded people were taken to hospital.")
    assert (figure.measure, figure.minimum, figure.weak) == ("injured", 17, True)


def test_spans_lie_in_the_sentence_and_hold_the_number() -> None:
    text = "It was quiet. Then shells killed nine people near the well."
    (figure,) = find(text)
    assert text[figure.start : figure.end] == "killed nine people"


@pytest.mark.parametrize(
    "harm", ["killed people.", "killed many residents.", "injured 7 men.", "killed 99999999999 people."]
)
@pytest.mark.parametrize(
    "when",
    [
        "on 8 April 2022",
        "on April 8, 2022",
        "on April 8 2022",
        "in April 2022",
        "in Sept. 2022",
        "in 2022",
        "in late 2022",
        "in the spring of 2022",
    ],
)
def test_a_year_before_the_harm_word_is_no_toll(when: str, harm: str) -> None:
    assert 2022 not in {
        figure for c in find(f"A missile strike on the town {when} {harm}") for figure in (c.minimum, c.maximum)
    }
    assert 2022 not in {c.minimum for c in find(f"The strike {when} {harm}")}


@pytest.mark.parametrize(
    "text",
    [
        "The flood killed 2022 people.",
        "In all, 2022 people were killed.",
        "In the camps 2022 were killed.",
        "The quake left 2022 dead.",
    ],
)
def test_a_toll_may_look_like_a_year(text: str) -> None:
    assert [c.minimum for c in find(text)] == [2022]
