from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geodata.boundaries import load_admin1
from geodata.gazetteer import Gazetteer
from geodata.labels import find_label_towns, name_areas, shorten_area_names, weigh_town


@pytest.fixture(scope="module")
def gazetteer():
    with Gazetteer.open() as opened:
        yield opened


def test_areas_have_the_names_of_the_index(gazetteer):
    frame = load_admin1()
    before = frame["name"].tolist()
    named = dict(zip(frame["area_id"], name_areas(frame, gazetteer), strict=True))
    assert named["admin1:UA.13"] == "Kyiv"
    assert named["admin1:UA.17"] == "Odesa"
    assert named["admin1:UA.08"] == "Kherson"
    assert frame["name"].tolist() == before


def test_without_an_index_natural_earth_names_the_areas():
    frame = load_admin1()
    assert len(name_areas(frame, None)) == len(frame)
    assert all(name_areas(frame, None))


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["Kherson Oblast", "Chernihiv"], ["Kherson", "Chernihiv"]),
        (["Moscow", "Moscow Oblast"], ["Moscow", "Moscow Oblast"]),
        (["Eastern Province", "Kigali"], ["Eastern Province", "Kigali"]),
        (["North-Western Province", "Lusaka Province"], ["North-Western Province", "Lusaka"]),
        (["Free State", "Altai Krai"], ["Free State", "Altai Krai"]),
    ],
)
def test_a_country_has_one_style(names, shown):
    assert [shorten_area_names(names)[name] for name in names] == shown


_NAMES = st.tuples(st.text(alphabet="abC", min_size=1, max_size=3), st.sampled_from(["", " Oblast", " Region"]))


@given(st.lists(_NAMES.map("".join), unique_by=str.casefold))
def test_no_two_areas_of_a_country_get_one_name(names):
    short = shorten_area_names(names)
    assert list(short) == names
    assert len({value.casefold() for value in short.values()}) == len(names)


def test_a_quarter_does_not_hide_its_town(gazetteer):
    towns = find_label_towns(gazetteer, (37.3, 46.9, 37.9, 47.3), limit=5)
    assert towns[0][0].name == "Mariupol"
    weights = [weight for _, weight in towns]
    assert weights == sorted(weights, reverse=True)
    assert all(weigh_town(place) == weight for place, weight in towns)
