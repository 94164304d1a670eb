from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geodata.gazetteer import Gazetteer
from incidents.reading.places import Located, locate_mentions
from incidents.reading.sentences import split_sentences
from incidents.reading.toponyms import RawMention, find_mentions


@lru_cache(maxsize=1)
def get_gazetteer() -> Gazetteer:
    return Gazetteer.open()


def find(text: str) -> list[RawMention]:
    return find_mentions(split_sentences(text), get_gazetteer())


def names(text: str) -> list[str]:
    return [m.text for m in find(text)]


def locate(text: str) -> dict[str, Located]:
    """Give the last mention of each name, located."""
    return {x.raw.text: x for x in locate_mentions(find(text), get_gazetteer())}


def area(item: Located) -> tuple[str | None, str | None]:
    assert item.place is not None, item.resolution.reason
    return item.place.kind, item.place.admin1_code or item.place.country


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In Beijing, the ministry spoke.", ["Beijing"]),
        ("Residents fled from Lyman's outskirts.", ["Lyman"]),
        ("I've said that we'll go, and they can't.", []),
        ("At 41 he was mayor.", []),
        ("The trip cost US$10,000.", []),
        ("A study at the University of the city.", []),
        ("She told the Washington Post.", []),
        ("An Island was seen.", []),
        ("Alberta Premier Jane Doe spoke.", ["Alberta"]),
        ("A flight to Kansas City International was late.", ["Kansas City"]),
        ("He came in March and left on Monday.", []),
    ],
)
def test_what_is_a_name(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_parts_of_hyphenated_words() -> None:
    found = find("A Tbilisi-based channel reported on US-Russia talks and anti-Russian marches.")
    assert [(m.text, m.kind, m.literal) for m in found] == [
        ("Tbilisi", "name", False),
        ("US", "country", False),
        ("Russia", "country", False),
        ("Russian", "demonym", False),
    ]


@pytest.mark.parametrize(
    ("text", "name", "code"),
    [
        ("He was born in Lexington, Ky., in May.", "Ky.", "US.KY"),
        ("They drove to Santa Fe, N. Mex., by night.", "N. Mex.", "US.NM"),
        ("She lives in Cincinnati, OH with a dog.", "OH", "US.OH"),
        ("Police in Vancouver, B.C. spoke.", "B.C.", "CA.02"),
    ],
)
def test_abbreviations_are_states(text: str, name: str, code: str) -> None:
    assert area(locate(text)[name]) == ("admin1", code)


def test_abbreviations_need_a_town_where_they_are_other_words() -> None:
    assert "Miss." not in names("He called her Miss. Then he left.")


def test_a_persons_surname_is_no_place() -> None:
    assert "Welch" not in names("Police held Trey Welch. Witnesses said that Welch ran. They followed Welch home.")


def test_a_large_town_stays_one_beside_a_longer_name() -> None:
    assert "Dublin" in names("Buses left Historic Dublin late. They were back in Dublin by noon; Dublin slept.")


def test_demonyms_and_governments_are_not_literal() -> None:
    by_name = {m.text: m for m in find("The Ukrainian army left. Moscow said nothing. Shells fell in Kharkiv.")}
    assert (by_name["Ukrainian"].kind, by_name["Ukrainian"].literal) == ("demonym", False)
    assert not by_name["Moscow"].literal
    assert by_name["Kharkiv"].literal


def test_regions_from_the_words_around() -> None:
    found = locate("Shells hit the Donetsk and Kherson regions on Friday.")
    assert area(found["Donetsk"]) == ("admin1", "UA.05")
    assert area(found["Kherson"]) == ("admin1", "UA.08")


def test_districts_in_the_plural_belong_to_their_state() -> None:
    found = locate("Ten Kentucky counties flooded.")
    assert area(found["Kentucky"]) == ("admin1", "US.KY")


def test_a_town_is_found_without_a_country_named() -> None:
    found = locate("Two people died in the town of Kostiantynivka. Druzhkivka was hit too, the regional governor said.")
    assert found["Kostiantynivka"].admin1 == "UA.05"


def test_company_decides_among_villages() -> None:
    found = locate("Shelling hit Novoselivka near Lyman. In Kramatorsk it was quiet, and in Sloviansk.")
    place = found["Novoselivka"].place
    assert place is not None
    assert place.admin1_code == "UA.05"


def test_a_quarter_is_no_far_region() -> None:
    found = locate("Officials in the Kirov district of the city said that shells fell in Donetsk.")
    assert found["Kirov"].place is None
    assert found["Donetsk"].country == "UA"


def test_states_in_lists_and_after_towns() -> None:
    found = locate("Cases were counted in New Mexico, New York, Ohio, Oregon and Tennessee.")
    assert area(found["New York"]) == ("admin1", "US.NY")
    found = locate("A girl from Buffalo, New York, was ill.")
    assert area(found["New York"]) == ("admin1", "US.NY")
    assert found["Buffalo"].admin1 == "US.NY"


def test_a_countrys_name_may_be_a_towns() -> None:
    local = "Palestine police held two men. Deputies from Tyler, Texas, and from Crockett joined them near Elkhart."
    assert locate(local)["Palestine"].admin1 == "US.TX"
    assert area(locate("The president of Palestine met envoys of Texas.")["Palestine"]) == ("country", "PS")
    assert area(locate("Soldiers crossed into Jordan at night.")["Jordan"]) == ("country", "JO")


def test_a_name_is_no_company_for_itself() -> None:
    found = locate("The Paris council met in Paris. Roads from Bonham, Sherman and Sulphur Springs, Texas, were shut.")
    assert found["Paris"].admin1 == "US.TX"


def test_a_famous_capital_needs_no_context() -> None:
    found = locate("Washington condemned the strike on the port of Odesa, while Moscow kept silent.")
    assert (found["Odesa"].country, found["Moscow"].country) == ("UA", "RU")


def test_an_area_beside_a_known_place_does_not_hide_it() -> None:
    found = locate("The base lies far south of Algiers in Ouargla.")
    assert found["Algiers"].country == "DZ"
    assert found["Algiers"].place is not None


def test_chance_namesakes_are_dropped() -> None:
    names_ = {
        x.raw.text
        for x in locate_mentions(find("Sudan was calm. Sudanese shops sold Mansfield shirts."), get_gazetteer())
    }
    assert "Mansfield" not in names_
    assert "Sudan" in names_


_words = st.sampled_from(
    "In in the The of and near Kyiv Donetsk US-Russia Ky. N. Mex. , . ' - Welch St. Paul's region New York İstanbul "
    "ﬁ \u2028 \n\n \U0001f600 Київ القاهرة A. B.C. (Reuters) — KHARKIV, O'Brien's al-Bab".split(" ")
)


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.text(max_size=120), st.lists(_words, max_size=40).map(" ".join)))
def test_offsets_are_exact_whatever_the_text(text: str) -> None:
    mentions = find(text)
    for mention in mentions:
        assert 0 <= mention.start < mention.end <= len(text)
        if not any(note.startswith(("capital", "site")) for note in mention.notes):
            assert text[mention.start : mention.end] == mention.text
    for one, other in pairwise(mentions):
        assert one.end <= other.start
    assert len(locate_mentions(mentions, get_gazetteer())) <= len(mentions)
