from __future__ import annotations

from datetime import date
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from incidents import folding, schema
from incidents.errors import FilterError
from incidents.filters import Filter, apply_filter, read_area
from incidents.taxonomy import TYPES

BOX = "POLYGON ((30 45, 36 45, 36 50, 30 50, 30 45))"


def make_frame(**columns: object) -> gpd.GeoDataFrame:
    count = len(next(iter(columns.values())))  # type: ignore[arg-type] # lists
    points = columns.pop("geometry", [None] * count)
    precision = ["unknown" if p is None else "settlement" for p in points]  # type: ignore[attr-defined] # a list
    base = {"incident_id": [f"i{n}" for n in range(count)], "location_precision": precision}
    return schema.conform(gpd.GeoDataFrame(base | columns, geometry=points, crs="EPSG:4326"))


def kept(frame: gpd.GeoDataFrame, chosen: Filter) -> list[int]:
    return apply_filter(frame, chosen).index.tolist()


def test_the_empty_filter_keeps_all_but_background() -> None:
    frame = make_frame(current=[True, False])
    assert kept(frame, Filter()) == [0]
    assert kept(frame, Filter(background=True)) == [0, 1]
    assert Filter().describe() == []
    assert Filter().to_query() == {}


def test_filtering_leaves_the_frame_alone_and_gives_a_new_one() -> None:
    frame = make_frame(killed_min=[1, None], title=["a", "b"])
    before = frame.copy(deep=True)
    result = apply_filter(frame, Filter(killed_min=1))
    result["title"] = "changed"
    pd.testing.assert_frame_equal(pd.DataFrame(frame), pd.DataFrame(before))
    assert result.crs == frame.crs
    assert result.dtypes.equals(frame.dtypes)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        # rows: 0 = 3, 1 = none, 2 = not stated, 3 = 50 or more, 4 = up to 5, 5 = 8 to 12
        (Filter(killed_min=10), [2, 3, 5]),
        (Filter(killed_min=10, killed_unstated=False), [3, 5]),
        (Filter(killed_max=0, killed_unstated=False), [1, 4]),
        (Filter(killed_min=1, killed_max=4, killed_unstated=False), [0, 4]),
        (Filter(killed_min=60, killed_max=70, killed_unstated=False), [3]),
        (Filter(killed_min=0, killed_unstated=False), [0, 1, 3, 4, 5]),
        (Filter(killed_unstated=False), [0, 1, 3, 4, 5]),
    ],
)
def test_figures_are_ranges_and_not_stated_is_not_zero(chosen: Filter, expected: list[int]) -> None:
    frame = make_frame(killed_min=[3, 0, None, 50, None, 8], killed_max=[3, 0, None, None, 5, 12])
    assert kept(frame, chosen) == expected


def test_injured_are_filtered_like_killed() -> None:
    frame = make_frame(injured_min=[3, None], killed_min=[None, 9])
    assert kept(frame, Filter(injured_min=2, injured_unstated=False)) == [0]


def test_dates_overlap_and_undated_is_a_choice() -> None:
    start = pd.Series(["2022-04-01", "2022-04-08", None])
    frame = make_frame(date_start=start, date_end=pd.Series(["2022-04-05", None, None]))
    assert kept(frame, Filter(date_from=date(2022, 4, 5), date_to=date(2022, 4, 7))) == [0, 2]
    assert kept(frame, Filter(date_from=date(2022, 4, 6), undated=False)) == [1]
    assert kept(frame, Filter(date_to=date(2022, 4, 8), undated=False)) == [0, 1]
    assert kept(frame, Filter(undated=False)) == [0, 1]


def test_words_of_lists() -> None:
    frame = make_frame(
        type=["shelling", "riot"],
        country=["UA", None],
        admin1=["Kyiv", "Lviv"],
        review_status=["confirmed", "rejected"],
        contested=[True, False],
        confidence=[0.9, None],
    )
    for chosen in (
        Filter(types=frozenset({"shelling"})),
        Filter(countries=frozenset({"UA", "SD"})),
        Filter(admin1=frozenset({"Kyiv"})),
        Filter(review_statuses=frozenset({"confirmed"})),
        Filter(contested=True),
        Filter(min_confidence=0.5),
    ):
        assert kept(frame, chosen) == [0], chosen
    assert kept(frame, Filter(contested=False)) == [1]


def test_place() -> None:
    points = [shapely.Point(31, 46), shapely.Point(36, 50), shapely.Point(40, 46), None, shapely.Point(179.5, -17)]
    frame = make_frame(geometry=points)
    assert kept(frame, Filter(bbox=(30, 45, 36, 50))) == [0, 1]
    assert kept(frame, Filter(within=BOX)) == [0, 1]
    assert kept(frame, Filter(bbox=(179, -20, -179, -10))) == [4]
    assert kept(frame, Filter(bbox=(30, 45, 36, 50), within="POLYGON ((35 49, 41 49, 41 51, 35 49))")) == []


def test_precision_at_least() -> None:
    points = [shapely.Point(31, 46), shapely.Point(32, 46), None]
    frame = make_frame(geometry=points).assign()
    frame["location_precision"] = pd.Categorical(
        ["exact", "region", "unknown"], dtype=frame["location_precision"].dtype
    )
    assert kept(frame, Filter(precision_at_least="settlement")) == [0]
    assert kept(frame, Filter(precision_at_least="region")) == [0, 1]
    assert kept(frame, Filter(precision_at_least="unknown")) == [0, 1, 2]


@pytest.mark.parametrize(
    ("wanted", "written"),
    [
        ("lodz", "Łódź"),
        ("ŁÓDŹ", "lodz"),
        ("малии", "Малий"),
        ("ЇЖАК", "їжак"),
        ("ام درمان", "أُمّ درمان"),
        ("القاهره", "القاهرة"),
        ("strasse", "Große Straße"),
        ("αθηνα", "Αθήνα"),
        ("istanbul", "İstanbul"),
        ("d'ivoire", "Côte d’Ivoire"),
        ("كابل", "کابل"),
        ("mines train", "Train over mines"),
        ("कीव", "कीव शहर"),
    ],
)
def test_text_search_folds_case_and_accents(wanted: str, written: str) -> None:
    frame = make_frame(title=[written, "something else", "plain"], evidence=[None, None, "x"])
    assert kept(frame, Filter(text=wanted)) == [0]
    assert kept(make_frame(place_name=[None, written]), Filter(text=wanted)) == [1]


def test_every_word_must_occur_somewhere_and_signs_are_not_a_pattern() -> None:
    frame = make_frame(title=["Shelling in Irpin", "Shelling"], place_name=["Irpin", "Bucha"], evidence=["a.b", "axb"])
    assert kept(frame, Filter(text="shelling  irpin")) == [0]
    assert kept(frame, Filter(text="a.b")) == [0]
    assert kept(frame, Filter(text="(")) == []
    assert kept(frame, Filter(text="   ")) == [0, 1]


def test_vowel_signs_of_other_scripts_are_letters() -> None:
    assert kept(make_frame(title=["कि", "कु"]), Filter(text="कि")) == [0]


def test_large_columns_are_folded_once_and_never_mixed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "_LARGE", 2)
    first = make_frame(title=["Łódź", "x", "y"])
    second = make_frame(title=["x", "Łódź", "y"])
    for _ in range(2):
        assert kept(first, Filter(text="lodz")) == [0]
        assert kept(second, Filter(text="lodz")) == [1]
        assert kept(second[1:], Filter(text="lodz")) == [1]


def test_filtering_to_nothing_and_an_empty_frame() -> None:
    chosen = Filter(
        types=frozenset({"riot"}),
        killed_min=3,
        date_from=date(1900, 1, 1),
        undated=False,
        bbox=(0, 0, 1, 1),
        within=BOX,
        text="x",
    )
    result = apply_filter(schema.empty(), chosen)
    schema.validate(result)
    assert len(apply_filter(make_frame(title=["a"]), chosen)) == 0


def test_description_in_words() -> None:
    chosen = Filter(
        types=frozenset({"air_strike"}),
        killed_min=10,
        killed_unstated=False,
        injured_max=5,
        date_from=date(2022, 4, 1),
        date_to=date(2022, 4, 30),
        text="station",
        contested=True,
        precision_at_least="settlement",
    )
    assert chosen.describe() == [
        "type: Air strike",
        "killed: 10 or more, not stated left out",
        "injured: up to 5, or not stated",
        "date: 2022-04-01 to 2022-04-30, or undated",
        "text: station",
        "contested only",
        "location: settlement or finer",
    ]
    assert Filter(killed_unstated=False).describe() == ["killed: not stated left out"]


@pytest.mark.parametrize(
    "values",
    [
        {"types": frozenset({"earthquake"})},
        {"killed_min": -1},
        {"killed_min": 5, "killed_max": 4},
        {"date_from": date(2022, 2, 1), "date_to": date(2022, 1, 1)},
        {"bbox": (0, 50, 1, 40)},
        {"bbox": (0, 0, float("nan"), 1)},
        {"min_confidence": 2.0},
        {"precision_at_least": "pixel"},
    ],
)
def test_unusable_filters_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(FilterError):
        Filter(**values)  # type: ignore[arg-type] # wrong on purpose


@pytest.mark.parametrize(
    "query",
    [
        {"killed_min": ["many"]},
        {"killed_min": ["٣"]},
        {"date_from": ["yesterday"]},
        {"bbox": ["1,2,3"]},
        {"undated": ["maybe"]},
        {"types": ["'; DROP TABLE"]},
        {"within": ["/etc/passwd"]},
        {"within": ["/vsicurl/http://example.org/x.geojson"]},
        {"within": ["POINT (1 2)"]},
        {"min_confidence": ["nan"]},
    ],
)
def test_a_link_with_unusable_values_is_refused_in_one_line(query: dict[str, list[str]]) -> None:
    with pytest.raises(FilterError) as caught:
        Filter.from_query(query)
    assert "\n" not in str(caught.value)


def test_a_link_keeps_parameters_of_others_apart() -> None:
    assert Filter.from_query({"page": ["map"], "killed_min": "10", "types": []}) == Filter(killed_min=10)


counts = st.none() | st.integers(0, 10**6)
filters = st.builds(
    Filter,
    types=st.frozensets(st.sampled_from(TYPES)),
    killed_min=counts,
    killed_unstated=st.booleans(),
    injured_max=counts,
    injured_unstated=st.booleans(),
    date_from=st.none() | st.dates(),
    undated=st.booleans(),
    countries=st.frozensets(st.from_regex("[A-Z]{2}", fullmatch=True)),
    admin1=st.frozensets(st.text(min_size=1)),
    bbox=st.none() | st.tuples(st.floats(-180, 180), st.floats(-90, 0), st.floats(-180, 180), st.floats(0, 90)),
    within=st.sampled_from([None, BOX]),
    text=st.text(),
    contested=st.none() | st.booleans(),
    min_confidence=st.none() | st.floats(0, 1),
    precision_at_least=st.sampled_from([None, "exact", "region", "unknown"]),
    background=st.booleans(),
)


@given(filters)
def test_a_link_restores_the_filter(chosen: Filter) -> None:
    assert Filter.from_query(chosen.to_query()) == chosen


SOME = make_frame(
    killed_min=[3, 0, None, 50],
    date_start=pd.Series(["2022-04-01", None, "2023-01-01", "1999-01-01"]),
    type=["shelling", "riot", "air_strike", "unknown"],
    geometry=[shapely.Point(31, 46), None, shapely.Point(36, 50), shapely.Point(-70, -10)],
    title=["Łódź", "0", "a", "b c"],
    confidence=[0.1, None, 0.5, 1.0],
)


@given(filters)
def test_filtering_twice_is_filtering_once(chosen: Filter) -> None:
    once = apply_filter(SOME, chosen)
    pd.testing.assert_frame_equal(pd.DataFrame(apply_filter(once, chosen)), pd.DataFrame(once))


def test_polygons_out_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "area.geojson"
    gpd.GeoDataFrame(geometry=[shapely.from_wkt(BOX)], crs="EPSG:4326").to_crs("EPSG:3857").to_file(
        tmp_path / "area.gpkg"
    )
    path.write_text(
        f'{{"type": "Feature", "properties": {{}}, "geometry": {shapely.to_geojson(shapely.box(30, 45, 36, 50))}}}',
        encoding="utf-8",
    )
    frame = make_frame(geometry=[shapely.Point(31, 46), shapely.Point(40, 46)])
    for name in ("area.geojson", "area.gpkg"):
        assert kept(frame, Filter(within=str(tmp_path / name))) == [0]
    chosen = Filter(within=read_area(path))
    assert kept(frame, chosen) == [0]
    assert Filter.from_query(Filter(within=str(path)).to_query()) == chosen
    with pytest.raises(FilterError, match="neither"):
        apply_filter(frame, Filter(within=str(tmp_path / "gone.geojson")))
    (tmp_path / "broken.geojson").write_text("{", encoding="utf-8")
    with pytest.raises(FilterError, match="cannot be read"):
        apply_filter(frame, Filter(within=str(tmp_path / "broken.geojson")))
