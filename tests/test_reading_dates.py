"""Dates: each wording against a day of publication, and without one."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.reading.dates import DateRef, find_dates
from incidents.reading.sentences import split_sentences
from incidents.reading.toponyms import find_dateline_end

TODAY = date(2024, 3, 20)  # a Wednesday


def find(text: str, today: date | None = TODAY) -> list[DateRef]:
    (sentence,) = split_sentences(text)
    return find_dates(sentence, today, dateline_end=find_dateline_end(sentence))


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("on Monday", "2024-03-18"),
        ("on Wednesday", "2024-03-20"),
        ("last Wednesday", "2024-03-13"),
        ("on Thursday", "2024-03-14"),
        ("late on Tuesday", "2024-03-19"),
        ("early Tuesday morning", "2024-03-19"),
        ("yesterday", "2024-03-19"),
        ("last night", "2024-03-19"),
        ("today", "2024-03-20"),
        ("this morning", "2024-03-20"),
        ("overnight", "2024-03-20"),
        ("overnight into Tuesday", "2024-03-19"),
        ("on the night of Monday to Tuesday", "2024-03-19"),
        ("on March 5", "2024-03-05"),
        ("on 5 March", "2024-03-05"),
        ("on March 5th", "2024-03-05"),
        ("on 5 March 2022", "2022-03-05"),
        ("on March 5, 2022", "2022-03-05"),
        ("on 25 December", "2023-12-25"),
        ("on Feb. 3", "2024-02-03"),
        ("on 29 February", "2024-02-29"),
        ("on 2023-11-30", "2023-11-30"),
        ("on 30.11.2023", "2023-11-30"),
        ("three days ago", "2024-03-17"),
    ],
)
def test_days(words: str, day: str) -> None:
    (found,) = find(f"A shell fell {words} near the well.")
    assert (str(found.first), str(found.last), found.precision, found.role) == (day, day, "day", "event")


@pytest.mark.parametrize(
    ("words", "first", "last", "precision"),
    [
        ("from 5 to 8 March", "2024-03-05", "2024-03-08", "day"),
        ("between March 5 and 8", "2024-03-05", "2024-03-08", "day"),
        ("at the weekend", "2024-03-16", "2024-03-17", "day"),
        ("last week", "2024-03-11", "2024-03-17", "week"),
        ("this week", "2024-03-18", "2024-03-20", "week"),
        ("last month", "2024-02-01", "2024-02-29", "month"),
        ("in January", "2024-01-01", "2024-01-31", "month"),
        ("in November", "2023-11-01", "2023-11-30", "month"),
        ("in March", "2024-03-01", "2024-03-20", "month"),
        ("in May 2021", "2021-05-01", "2021-05-31", "month"),
        ("in 2019", "2019-01-01", "2019-12-31", "year"),
        ("last year", "2023-01-01", "2023-12-31", "year"),
    ],
)
def test_stretches_keep_their_precision(words: str, first: str, last: str, precision: str) -> None:
    (found,) = find(f"A shell fell {words} near the well.")
    assert (str(found.first), str(found.last), found.precision) == (first, last, precision)


@pytest.mark.parametrize(
    ("words", "offset", "precision"),
    [
        ("a week earlier", -7, "week"),
        ("two days earlier", -2, "day"),
        ("the day before", -1, "day"),
        ("the same day", 0, "day"),
        ("the next day", 1, "day"),
        ("two days later", 2, "day"),
    ],
)
def test_words_that_lean_on_another_event(words: str, offset: int, precision: str) -> None:
    (found,) = find(f"A shell fell {words} near the well.")
    assert found.first is None
    assert (found.anchored, found.offset, found.precision) == (True, offset, precision)


def test_a_stretch_that_ends_at_publication_is_a_span() -> None:
    (found,) = find("Ten shells fell in the past two days.")
    assert (found.role, str(found.first), str(found.last)) == ("span", "2024-03-18", "2024-03-20")


@pytest.mark.parametrize(
    "text",
    [
        "The mayor said on Monday that a shell fell.",
        "It came at two o'clock (2230 GMT on 8 March).",
        "RIVERTON, March 5 (Wire) - A shell fell.",
    ],
)
def test_when_somebody_spoke_is_not_when_it_happened(text: str) -> None:
    assert [d.role for d in find(text)] == ["statement"]


def test_a_possessive_day_is_the_events() -> None:
    (found,) = find("The mayor said Monday's shell fell far off.")
    assert found.role == "event"


@pytest.mark.parametrize(
    "text",
    [
        "It may take 12 people a day.",
        "They march 3 km.",
        "It fell on 31/02/2023.",
        "They meet next Monday.",
        "They hope to end it in 2031.",
        "Room 2019 was empty.",
        "No day is told here.",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize("words", ["on Monday", "yesterday", "on March 5", "last week", "three days ago", "in January"])
def test_without_a_day_of_publication_nothing_is_guessed(words: str) -> None:
    assert all(d.first is None and d.last is None for d in find(f"A shell fell {words}.", None))


@pytest.mark.parametrize("words", ["on 5 March 2022", "on March 5, 2022", "on 2022-03-05"])
def test_full_dates_need_no_day_of_publication(words: str) -> None:
    (found,) = find(f"A shell fell {words}.", None)
    assert found.first == date(2022, 3, 5)


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2035, 12, 31)), st.integers(min_value=0, max_value=6))
def test_a_weekday_is_the_nearest_on_or_before_publication(today: date, weekday: int) -> None:
    name = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()[weekday]
    (found,) = find(f"A shell fell on {name}.", today)
    assert found.first is not None
    assert found.first.weekday() == weekday
    assert timedelta(0) <= today - found.first < timedelta(days=7)


@given(st.dates(min_value=date(1950, 1, 1), max_value=date(2049, 12, 31)))
def test_written_dates_round_trip(day: date) -> None:
    for words in (
        day.isoformat(),
        f"{day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day:%d.%m.%Y}",
    ):
        (found,) = find(f"A shell fell on {words} near the well.", None)
        assert (found.first, found.last) == (day, day), words
