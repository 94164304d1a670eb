from __future__ import annotations

from functools import lru_cache

import pytest

from geodata.gazetteer import Gazetteer
from geodata.place import Place
from geodata.regions import parse_direction, resolve_compass
from geodata.resolve import Context, resolve_name, share_prior

UKRAINE = Context(countries={"UA": 5.0, "RU": 2.0})


@lru_cache(maxsize=1)
def get_gazetteer() -> Gazetteer:
    return Gazetteer.open()


def resolve(name: str, **options: object):
    return resolve_name(name, gazetteer=get_gazetteer(), **options)  # type: ignore[arg-type]


def best(name: str, **options: object) -> Place:
    found = resolve(name, **options)
    assert found.best is not None, found.reason
    return found.best.place


def test_company_and_region_choose_among_namesakes() -> None:
    donetsk = Context(countries={"UA": 5.0}, admin1={"UA.05": 1.0}, near=((48.73, 37.57),))
    kharkiv = Context(countries={"UA": 5.0}, admin1={"UA.07": 2.0}, near=((49.37, 36.21),))
    assert best("Lyman", context=donetsk).admin1_code == "UA.05"
    assert best("Lyman", context=kharkiv).admin1_code == "UA.07"


def test_a_close_choice_is_left_to_a_person() -> None:
    found = resolve("Lyman", context=UKRAINE)
    assert found.ambiguous
    assert found.runner_up is not None
    assert "Please choose" in found.reason
    assert resolve("Novoselivka", context=UKRAINE).ambiguous


def test_the_container_decides() -> None:
    district = best("Kramatorsk district", context=UKRAINE)
    assert (district.kind, district.precision) == ("admin2", "district")
    village = best("Oleksandrivka", context=UKRAINE, container=district)
    assert village.name == "Oleksandrivka"
    assert village.admin2 == district.name
    assert best("Tripoli", container=best("Lebanon")).country == "LB"
    assert best("Paris", container=best("Texas")).country == "US"
    assert best("Bucha", context=UKRAINE, container=best("Kyiv region")).admin1_code == "UA.13"


def test_no_namesake_outside_the_container() -> None:
    found = resolve("Bucha", container=best("Lebanon"))
    assert found.best is None
    assert found.candidates
    assert "namesake" in found.reason


def test_no_far_namesake() -> None:
    found = resolve("Mansfield", context=Context(countries={"SD": 4.0}))
    assert found.best is None
    assert "namesake" in found.reason


def test_large_cities_and_border_towns_are_believed() -> None:
    only_ukraine = Context(countries={"UA": 5.0})
    assert best("Warsaw", context=only_ukraine).country == "PL"
    assert best("Belgorod", context=only_ukraine).country == "RU"
    assert best("Shebekino", context=only_ukraine).country == "RU"


@pytest.mark.parametrize(
    ("name", "country", "current"),
    [
        ("Artemivsk", "UA", "Bakhmut"),
        ("Kirovograd", "UA", "Kropyvnytskyi"),
        ("Dnipropetrovsk", "UA", "Dnipro"),
        ("Saigon", "VN", "Ho Chi Minh City"),
    ],
)
def test_old_and_new_names_are_one_place(name: str, country: str, current: str) -> None:
    place = best(name)
    assert (place.name, place.country) == (current, country)
    assert best(current).geonameid == place.geonameid


def test_old_names_give_way_to_current_ones() -> None:
    assert best("Pokrovsk").country == "UA"


@pytest.mark.parametrize(
    ("name", "kind", "precision", "area"),
    [
        ("Donetsk region", "admin1", "region", "admin1:UA.05"),
        ("Kherson Oblast", "admin1", "region", "admin1:UA.08"),
        ("Київська область", "admin1", "region", "admin1:UA.13"),
        ("Donbas", "macro_region", "macro_region", "macro:donbas"),
        ("Gaza", "macro_region", "macro_region", "macro:gaza-strip"),
        ("eastern Ukraine", "macro_region", "macro_region", "compass:east:country:UA"),
        ("southern Gaza", "macro_region", "macro_region", "compass:south:macro:gaza-strip"),
        ("the north of Mali", "macro_region", "macro_region", "compass:north:country:ML"),
        ("South Sudan", "country", "country", "country:SS"),
        ("North Korea", "country", "country", "country:KP"),
        ("Georgia", "country", "country", "country:GE"),
    ],
)
def test_coarse_places_stay_coarse(name: str, kind: str, precision: str, area: str) -> None:
    place = best(name)
    assert (place.kind, place.precision, place.area_id) == (kind, precision, area)


def test_hints_choose_between_town_and_region() -> None:
    assert best("Kherson").kind == "settlement"
    assert best("Kherson", kind_hint="region").kind == "admin1"
    assert best("Gaza", kind_hint="settlement").kind == "settlement"
    assert best("Gaza", kind_hint="region").country == "PS"
    assert best("Gaza", kind_hint="region", context=Context(countries={"MZ": 2.0})).country == "MZ"


def test_a_state_beats_the_country_of_its_name_at_home() -> None:
    assert best("Georgia", context=Context(countries={"US": 9.0})).admin1_code == "US.GA"


def test_sahel_follows_the_country() -> None:
    assert best("Sahel").kind == "macro_region"
    assert best("Sahel", context=Context(countries={"BF": 3.0})).admin1_code == "BF.12"


def test_scores_are_shares() -> None:
    found = resolve("Lyman", context=UKRAINE)
    scores = [c.score for c in found.candidates]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) <= 1.001
    assert found.best is not None
    assert found.best.reasons


def test_unknown_names_say_so() -> None:
    found = resolve("Xyzzyville")
    assert found.best is None
    assert found.candidates == ()
    assert "Xyzzyville" in found.reason


@pytest.mark.parametrize("text", ["", "   ", "\ud800", "'; DROP TABLE place; --", "A" * 10_000, "purple north of"])
def test_odd_names_are_no_error(text: str) -> None:
    assert resolve(text).best is None


def test_directions() -> None:
    assert parse_direction("north-eastern") == "northeast"
    assert parse_direction("the south of") == "south"
    assert parse_direction("Eastern") == "east"
    assert parse_direction("central") == "central"
    assert parse_direction("purple") is None


def test_compass_needs_an_area() -> None:
    assert resolve_compass("east", best("Bucha", context=UKRAINE)) is None


def test_a_state_is_known_by_its_own_name() -> None:
    assert best("California").kind == "admin1"
    assert best("Oregon", context=Context(countries={"US": 2.0})).kind == "admin1"
    assert best("Donetsk").kind == "settlement"  # its town bears the name too


def test_one_vague_vote_names_no_country() -> None:
    faint = Context(countries={"US": 0.3})
    assert best("Odesa", context=faint).country == "UA"
    assert best("Odessa", context=Context(countries={"US": 3.0}, admin1={"US.TX": 2.0})).admin1_code == "US.TX"


def test_a_spelling_gives_way_to_the_city_of_that_name() -> None:
    assert best("Cancun", context=Context(countries={"US": 2.0})).country == "MX"


def test_votes_are_shared_by_likelihood() -> None:
    votes = share_prior("Paris", gazetteer=get_gazetteer())
    assert votes[0][1].country == "FR"
    assert votes[0][0] > 0.5
    assert sum(share for share, _ in votes) <= 1.0001
    assert share_prior("Xyzzyville", gazetteer=get_gazetteer()) == []
