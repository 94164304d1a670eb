from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.sources.values import find_date_order, map_type, parse_bool, parse_count, parse_day
from incidents.taxonomy import CERTAINTIES, TYPES


@pytest.mark.parametrize(
    ("cell", "low", "high"),
    [
        ("3", 3, 3),
        ("0", 0, 0),
        ("1,200", 1200, 1200),
        ("1 500", 1500, 1500),
        ("7\u202f300", 7300, 7300),
        ("12'400", 12400, 12400),
        ("5.0", 5, 5),
        ("5+", 5, None),
        ("50 or more", 50, None),
        (">3", 4, None),
        (">=3", 3, None),
        ("at least 4", 4, None),
        ("At Least Twelve", 12, None),
        ("more than 1,000", 1001, None),
        ("up to 40", None, 40),
        ("<5", None, 4),
        ("less than 1", None, 0),
        ("2-4", 2, 4),
        ("0–2", 0, 2),
        ("3 to 5", 3, 5),
        ("~400", 400, 400),
        ("about 20", 20, 20),
        ("dozens", 24, None),
        ("several", 3, None),
        ("3 killed", 3, 3),
        ("no casualties", 0, 0),
        ("No deaths", 0, 0),
        ("", None, None),
        ("n/a", None, None),
        ("None", None, None),
        ("unknown", None, None),
        ("-", None, None),
        ("(pending)", None, None),
        ("NaN", None, None),
        ("no", 0, 0),
    ],
)
def test_counts(cell: str, low: int | None, high: int | None) -> None:
    count = parse_count(cell)
    assert (count.minimum, count.maximum) == (low, high)


@pytest.mark.parametrize("cell", ["-3", "3.5", "1.204", "five or so", "5-2", "=1+1", "12/5", "1e9", "999999999999"])
def test_what_is_no_count_is_said(cell: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parse_count(cell)


def test_the_point_is_a_thousands_mark_where_the_comma_is_decimal() -> None:
    assert parse_count("1.204", decimal_comma=True).minimum == 1204
    assert parse_count("1.204.000", decimal_comma=True).minimum == 1_204_000
    assert parse_count("5,0", decimal_comma=True).minimum == 5
    with pytest.raises(ValueError, match="thousands"):
        parse_count("1,204", decimal_comma=True)


@given(st.integers(0, 10**7), st.sampled_from(["{}", "{:,}", " {} ", "{}.0", "{} people"]))
def test_every_way_to_write_a_number_gives_it_back(number: int, form: str) -> None:
    count = parse_count(form.format(number))
    assert (count.minimum, count.maximum) == (number, number)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from("-–—"))
def test_ranges_keep_their_ends(a: int, b: int, mark: str) -> None:
    low, high = sorted((a, b))
    count = parse_count(f"{low}{mark}{high}")
    assert (count.minimum, count.maximum) == (low, high)


@given(st.text(max_size=40), st.booleans())
def test_any_text_is_a_count_or_a_value_error(text: str, decimal_comma: bool) -> None:
    try:
        count = parse_count(text, decimal_comma=decimal_comma)
    except ValueError:
        return
    if count.minimum is not None and count.maximum is not None:
        assert 0 <= count.minimum <= count.maximum


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("2022-04-03", date(2022, 4, 3)),
        ("2022/04/03", date(2022, 4, 3)),
        ("20220506", date(2022, 5, 6)),
        ("03.05.2022", date(2022, 5, 3)),
        ("13/04/2022", date(2022, 4, 13)),
        ("08-April-2022", date(2022, 4, 8)),
        ("08 April 2022", date(2022, 4, 8)),
        ("30-Apr-19", date(2019, 4, 30)),
        ("Friday, June 18, 2004", date(2004, 6, 18)),
        ("Sunday, May 08, 2005", date(2005, 5, 8)),
        ("1st of May 2020", date(2020, 5, 1)),
        ("2022-04-08T00:30+03:00", date(2022, 4, 8)),
        ("2022-04-08T22:30:00Z", date(2022, 4, 8)),
        ("2014-01-22 00:00:00.000", date(2014, 1, 22)),
        ("08/04/2022 5:30 PM", date(2022, 4, 8)),
    ],
)
def test_days(cell: str, expected: date) -> None:
    day = parse_day(cell, order="dmy")
    assert day is not None
    assert (day.start, day.end, day.precision) == (expected, expected, "day")


def test_partial_dates_keep_their_precision() -> None:
    month, year = parse_day("Feb 2024"), parse_day("2021")
    assert month is not None
    assert year is not None
    assert (month.start, month.end, month.precision) == (date(2024, 2, 1), date(2024, 2, 29), "month")
    assert (year.start, year.end, year.precision) == (date(2021, 1, 1), date(2021, 12, 31), "year")
    assert parse_day("n/a") is None


@pytest.mark.parametrize("cell", ["31.02.2022", "2022-13-01", "44659", "0202-01-01", "yesterday", "12", "1/2/3/4", "٣"])
def test_what_is_no_day_is_said(cell: str) -> None:
    with pytest.raises(ValueError, match=r"not a date|no such day|cannot be right"):
        parse_day(cell)


def test_the_whole_column_shows_the_order() -> None:
    assert find_date_order(["2022-04-03", "13/04/2022", "03/05/2022"]) == "dmy"
    assert find_date_order(["02/25/2016", "06/12/2016"]) == "mdy"
    assert find_date_order(["2022-04-03", "03.05.2022", "05/05/2022", ""]) is None


def test_an_order_that_the_column_does_not_show_is_asked_for() -> None:
    with pytest.raises(ValueError, match="day first or month first"):
        find_date_order(["03/04/2022", "05/06/2022"])
    with pytest.raises(ValueError, match=r"'13/04/2022' \(day first\) and '04/13/2022' \(month first\)"):
        find_date_order(["13/04/2022", "04/13/2022"])


def test_dots_are_day_first_whatever_the_other_dates_say() -> None:
    day = parse_day("03.05.2022", order="mdy")
    assert day is not None
    assert day.start == date(2022, 5, 3)


@given(
    st.dates(date(1900, 1, 1), date(2199, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%Y%m%d"]),
)
def test_written_days_come_back(day: date, form: str) -> None:
    found = parse_day(day.strftime(form))
    assert found is not None
    assert found.start == found.end == day


@given(st.text(max_size=40))
def test_any_text_is_a_day_or_a_value_error(text: str) -> None:
    try:
        found = parse_day(text)
    except ValueError:
        return
    assert found is None or found.start <= found.end


@pytest.mark.parametrize(
    ("cell", "kind", "certainty"),
    [
        ("missile_strike", "missile_strike", "stated"),
        ("Drone strike", "drone_strike", "stated"),
        ("Shelling/artillery/missile attack", "shelling", "coarse"),
        ("Explosions/Remote violence", "explosion", "coarse"),
        ("Armed clash", "ground_assault", "stated"),
        ("explosions/sabotage", "explosion", "stated"),
        ("Kidnapping", "abduction", "stated"),
        ("Airstrike", "air_strike", "stated"),
        ("", "unknown", "coarse"),
        ("Бойове зіткнення", "other", "coarse"),
    ],
)
def test_types(cell: str, kind: str, certainty: str) -> None:
    assert map_type(cell)[:2] == (kind, certainty)


@given(st.text(max_size=60))
def test_any_type_word_gives_one_of_ours(text: str) -> None:
    kind, certainty, rule = map_type(text)
    assert kind in TYPES
    assert certainty in CERTAINTIES
    assert rule


def test_yes_and_no() -> None:
    assert [parse_bool(c) for c in ("Yes", "0", "", "n/a")] == [True, False, None, None]
    with pytest.raises(ValueError, match="neither"):
        parse_bool("maybe")


def test_a_number_of_thousands_of_digits_is_told_in_our_words() -> None:
    with pytest.raises(ValueError, match="more people than any incident has"):
        parse_count("9" * 5000)
    assert parse_count("0" * 5000 + "7").minimum == 7
