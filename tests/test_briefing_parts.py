from __future__ import annotations

import itertools
import sqlite3
import unicodedata
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

from geodata.gazetteer import Gazetteer
from geodata.index import KINDS
from incidents.briefing.labels import Box, Obstacles, place_labels
from incidents.briefing.projection import choose_view, clip_shapes, project_shapes, unwrap_lons
from incidents.briefing.text import FAMILY, clean_text, fit_text, make_drawable, measure_text, wrap_text
from incidents.briefing.towns import find_towns
from incidents.briefing.words import describe_period, describe_total, format_as_of
from incidents.symbols import KILLED_CLASSES, PARENT_STYLES, get_killed_class, get_style
from incidents.taxonomy import PARENTS, TYPES

FRAME = Box(0.0, 0.0, 150.0, 120.0)
points = st.tuples(st.floats(5, 145), st.floats(5, 115))
lons = st.floats(-180, 180, allow_nan=False)
lats = st.floats(-85, 85, allow_nan=False)


@given(st.lists(points, max_size=60), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_labels_never_lie_on_labels_symbols_or_the_frame(places: list[tuple[float, float]], blocked: int) -> None:
    anchors = [Box.around(x, y, 2.0, 2.0) for x, y in places]
    furniture = [Box.around(20.0 * n, 30.0, 15.0, 8.0) for n in range(blocked)]
    labels = place_labels(
        anchors, [(4.0 + n % 7, 2.6) for n in range(len(anchors))], frame=FRAME, taken=Obstacles(furniture)
    )
    placed = [label.box for label in labels if label is not None]
    for box in placed:
        assert min(box.left, box.low) >= 0
        assert box.right <= 150
        assert box.high <= 120
        assert not any(box.overlaps(other) for other in [*anchors, *furniture])
    assert not any(a.overlaps(b) for a, b in itertools.combinations(placed, 2))


def test_labels_of_a_crowd_find_room_with_leaders() -> None:
    anchors = [Box.around(75 + 3.2 * (n % 5), 60 + 3.2 * (n // 5), 2.0, 2.0) for n in range(25)]
    labels = place_labels(anchors, [(4.5, 2.6)] * 25, frame=FRAME, taken=Obstacles())
    assert all(label is not None for label in labels)
    assert any(label is not None and label.leader is not None for label in labels)


@pytest.mark.parametrize(
    ("given_lons", "expected"),
    [
        ([10.0, 20.0], (10.0, 20.0)),
        ([178.0, -172.0], (178.0, 188.0)),
        ([-170.0], (-170.0, -170.0)),
        ([180.0, -180.0], (-180.0, -180.0)),
        ([-179.0, 0.0, 30.0], (0.0, 181.0)),
    ],
)
def test_longitudes_are_taken_together_the_short_way(given_lons: list[float], expected: tuple[float, float]) -> None:
    assert unwrap_lons(np.array(given_lons)) == expected


@given(st.lists(st.tuples(lons, lats), min_size=1, max_size=12), st.floats(0.8, 2.0))
@settings(max_examples=80, deadline=None)
def test_every_point_lies_in_the_view(places: list[tuple[float, float]], aspect: float) -> None:
    view = choose_view([p[0] for p in places], [p[1] for p in places], aspect=aspect)
    xy = view.project([p[0] for p in places], [p[1] for p in places])
    assert np.isfinite(xy).all()
    low, high = np.array([view.xlim[0], view.ylim[0]]), np.array([view.xlim[1], view.ylim[1]])
    assert ((xy >= low) & (xy <= high)).all()
    assert (view.xlim[1] - view.xlim[0]) / (view.ylim[1] - view.ylim[0]) == pytest.approx(aspect)
    west, south, east, north = view.box
    for lon, lat in places:
        assert south <= lat <= north
        assert any(west <= lon + turn <= east for turn in (-360, 0, 360))


def test_projection_fits_the_extent() -> None:
    assert choose_view([30.0, 38.0], [46.0, 51.0], aspect=1.3).name == "Lambert conformal conic"
    assert choose_view([10.0, 40.0], [-10.0, 15.0], aspect=1.3).name == "Lambert azimuthal equal-area"
    assert choose_view([15.0, -160.0], [80.0, 86.0], aspect=1.3).is_world
    assert choose_view([], [], aspect=1.3).is_world
    assert choose_view([179.0, -178.0], [-18.0, -16.0], aspect=1.3).width_km < 700


def test_north_is_up_and_one_point_has_surroundings() -> None:
    view = choose_view([37.58], [48.74], aspect=1.3)
    south, north = view.project([37.58, 37.58], [48.0, 49.0])
    assert north[1] > south[1]
    assert abs(north[0] - south[0]) < 100.0
    assert 200 < view.width_km < 500


def test_shapes_across_the_antimeridian_are_joined() -> None:
    halves = np.array(
        [shapely.MultiPolygon([shapely.box(175, -20, 180, -10), shapely.box(-180, -20, -175, -10)])], dtype=object
    )
    joined = clip_shapes(halves, (170.0, -30.0, 190.0, 0.0))[0]
    assert joined.geom_type == "Polygon"
    assert joined.area == pytest.approx(100.0, abs=0.01)
    assert joined.bounds == pytest.approx((175, -20, 185, -10), abs=0.001)
    view = choose_view([176.0, -176.0], [-19.0, -11.0], aspect=1.0)
    assert project_shapes(np.array([joined], dtype=object), view)[0].area == pytest.approx(1.2e12, rel=0.1)


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_text_becomes_one_harmless_line(text: str) -> None:
    clean = clean_text(text)
    assert not any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in clean)
    assert not set(clean) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    shown, _ = make_drawable(text)
    for line in wrap_text(shown, 30.0, 6.2, max_lines=3):
        assert measure_text(line, 6.2) <= 30.0 or len(line) <= 2


@pytest.mark.parametrize("null", [None, float("nan"), 3])
def test_what_is_not_text_is_an_empty_line(null: object) -> None:
    assert clean_text(null) == ""


def test_long_texts_are_wrapped_and_cut_with_an_ellipsis() -> None:
    text = "слово " * 60
    lines = wrap_text(text, 40.0, 6.2, max_lines=2)
    assert len(lines) == 2
    assert lines[1].endswith("…")
    assert all(measure_text(line, 6.2) <= 40.0 for line in lines)
    assert "".join(wrap_text("a" * 200, 40.0, 6.2)) == "a" * 200
    assert fit_text("short", 40.0, 6.2) == "short"
    assert wrap_text("", 40.0, 6.2) == ()


def test_an_endless_word_is_measured_only_as_far_as_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []

    def count(text: str, size: float, *, bold: bool = False) -> float:
        measured.append(len(text))
        return measure_text(text, size, bold=bold)

    monkeypatch.setattr("incidents.briefing.text.measure_text", count)
    lines = wrap_text("W" * 1_000_000, 40.0, 6.2, max_lines=2)
    assert len(lines) == 2
    assert lines[1].endswith("…")
    assert fit_text("W" * 1_000_000, 40.0, 6.2).endswith("…")
    assert max(measured) <= 400
    assert len(measured) < 100


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize(
    "text", ["Kramatorsk 12–600", "Миколаївська область", "Évêché à l’aube", "أم درمان ومقتل 12 شخصا"]
)
def test_text_is_as_wide_as_it_was_measured(text: str, *, bold: bool) -> None:
    with mpl.rc_context({"text.hinting": "no_hinting"}):
        font = FontProperties(family=[FAMILY], size=6.2, weight="bold" if bold else "normal")
        width = RendererAgg(10, 10, 300).get_text_width_height_descent(text, font, ismath=False)[0]
    assert measure_text(text, 6.2, bold=bold) == pytest.approx(width / 300 * 25.4, rel=0.02)


def test_arabic_is_joined() -> None:
    # joined letters are narrower than the same letters on their own
    assert measure_text("مستشفى", 10.0) < 0.9 * sum(measure_text(letter, 10.0) for letter in "مستشفى")


def test_scripts_without_a_font_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("incidents.briefing.text._find_fallback", lambda _char: None)
    make_drawable.cache_clear()
    try:
        assert make_drawable("Town ရန်ကုန် (北京)") == (
            "Town [Myanmar] ([Chinese characters])",
            frozenset({"Myanmar", "Chinese characters"}),
        )
        assert make_drawable("Бахмут أم درمان")[1] == frozenset()
    finally:
        make_drawable.cache_clear()


@pytest.mark.parametrize(
    ("low", "high", "unstated", "incidents", "expected"),
    [
        (None, None, 0, 0, ("–", "")),
        (None, None, 3, 3, ("not stated", "")),
        (3, 3, 0, 2, ("3", "")),
        (0, 0, 0, 2, ("none", "")),
        (3, 5, 0, 2, ("3–5", "")),
        (3, None, 0, 2, ("at least 3", "")),
        (3, 5, 1, 3, ("at least 3", "not stated for 1 of 3")),
        (0, 40, 1, 2, ("up to 40 stated", "not stated for 1 of 2")),
        (0, None, 0, 1, ("not known", "")),
        (0, 0, 1, 2, ("none stated", "not stated for 1 of 2")),
        (1200, 1200, 0, 9, ("1,200", "")),
    ],
)
def test_sums_are_ranges_in_words(
    low: int | None, high: int | None, unstated: int, incidents: int, expected: tuple[str, str]
) -> None:
    assert describe_total(low, high, unstated=unstated, incidents=incidents) == expected


def test_moments_are_converted_to_utc() -> None:
    moment = datetime(2022, 4, 8, 1, 30, tzinfo=timezone(timedelta(hours=3)))
    assert format_as_of(moment) == "7 April 2022, 22:30 UTC"
    assert format_as_of(datetime(2022, 4, 8, 1, 30, tzinfo=UTC)) == "8 April 2022, 01:30 UTC"
    assert describe_period(None, None) == "Dates not stated"
    assert describe_period(date(2022, 4, 8), date(2022, 4, 9)) == "8–9 April 2022"


def test_every_type_has_a_style_of_its_own() -> None:
    assert tuple(PARENT_STYLES) == PARENTS
    for quality in ("colour", "shape", "marker"):
        assert len({getattr(style, quality) for style in PARENT_STYLES.values()}) == len(PARENTS)
    assert all(get_style(name) in PARENT_STYLES.values() for name in [*TYPES, "something new"])


@pytest.mark.parametrize(
    ("low", "high", "label"),
    [
        (None, None, "not stated"),
        (0, 0, "none"),
        (1, None, "1–9"),
        (9, 90, "1–9"),
        (None, 12, "10–49"),
        (50, None, "50 or more"),
        (7000, 7000, "50 or more"),
    ],
)
def test_symbols_grow_with_the_killed(low: int | None, high: int | None, label: str) -> None:
    assert get_killed_class(low, high).label == label
    diameters = [killed.diameter_mm for killed in KILLED_CLASSES]
    assert diameters == sorted(diameters)


def test_towns_are_left_out_where_the_index_is_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCIDENTS_CACHE_DIR", str(tmp_path))
    assert find_towns((22.0, 44.0, 40.0, 52.0), limit=5) == ()
    assert list(tmp_path.iterdir()) == []


def test_towns_are_the_largest_of_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = "id, name, kind, lat, lon, cc, a1, a2, pop, fcode, gid, area, source"
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE place ({columns})")
    connection.execute("CREATE TABLE admin1 (code, name, pid)")
    towns = [
        ("Suva", -18.1, 178.4, 90),
        ("Apia", -13.8, -171.8, 40),
        ("Hamlet", -17.0, 179.0, 0),
        ("Far", 50.0, 30.0, 900),
    ]
    for number, (name, lat, lon, people) in enumerate(towns):
        row = (number, name, KINDS.index("settlement"), lat, lon, "XX", None, None, people, "PPL", number, None, 0)
        connection.execute("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    gazetteer = Gazetteer(Path("unused.sqlite"))
    monkeypatch.setattr(gazetteer, "_connect", lambda: connection)
    assert [place.name for place in gazetteer.find_largest((170.0, -30.0, 195.0, 0.0), limit=9)] == ["Suva", "Apia"]
    assert [place.name for place in gazetteer.find_largest((170.0, -30.0, 195.0, 0.0), limit=1)] == ["Suva"]
    connection.close()
