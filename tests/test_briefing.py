from __future__ import annotations

import io
import itertools
import json
import random
import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pypdf
import pytest
from PIL import Image
from shapely.geometry import Point

from incidents.briefing import PAPERS, build_briefing, get_page_path, render_briefing, render_pages, write_briefing
from incidents.briefing.model import Briefing, join_numbers
from incidents.briefing.page import draw_pages
from incidents.errors import ExportError, UnknownName
from incidents.filters import Filter
from incidents.schema import conform

AS_OF = datetime(2026, 12, 1, 14, 5, tzinfo=UTC)
TYPES = ("missile_strike", "ground_assault", "shooting", "riot", "protest", "looting", "other", "unknown")
LONG_TITLE = ("Очевидці повідомляють про обстріл житлових кварталів, лікарні та двох шкіл; " * 3)[:200]


def make_frame(rows: list[dict[str, object]]) -> gpd.GeoDataFrame:
    made = []
    for number, row in enumerate(rows):
        values: dict[str, object] = {
            "incident_id": f"i{number:05d}",
            "title": "Strike on a market",
            "type": "missile_strike",
            "type_certainty": "stated",
            "date_start": date(2024, 5, 1),
            "date_end": date(2024, 5, 1),
            "date_precision": "day",
            "location_precision": "settlement",
            "contested": False,
            "current": True,
            "review_status": "unreviewed",
            "attributed_to": [],
            "denied_by": [],
            "report_ids": [],
            "source_names": ["The Daily Example"],
            "source_urls": [f"https://example.org/{number % 5}"],
        }
        values.update(row)
        lon, lat = values.pop("lon", None), values.pop("lat", None)
        values["geometry"] = None if lon is None else Point(lon, lat)  # type: ignore[arg-type]
        if lon is None:
            values["location_precision"] = "unknown"
        made.append(values)
    if not made:
        made.append({"geometry": None})
    frame = gpd.GeoDataFrame(made, geometry="geometry", crs="EPSG:4326")
    return conform(frame.iloc[: len(rows)])


def make_cloud(count: int, *, seed: int = 7) -> gpd.GeoDataFrame:
    dice = random.Random(seed)  # noqa: S311 - made-up incidents, not secrets
    rows = []
    for number in range(count):
        killed = dice.choice([None, 0, 1, 4, 12, 60])
        rows.append(
            {
                "title": f"Event number {number} in the town",
                "type": dice.choice(TYPES),
                "date_start": date(2024, 3, 1) + timedelta(days=dice.randrange(80)),
                "date_end": date(2024, 6, 1),
                "place_name": dice.choice(["Nowhere", "Somewhere", "Elsewhere"]),
                "country": "UA",
                "lon": dice.uniform(30, 39),
                "lat": dice.uniform(46.6, 51),
                "killed_min": killed,
                "killed_max": killed,
            }
        )
    return make_frame(rows)


def sample() -> gpd.GeoDataFrame:
    spot = {"lon": 37.5, "lat": 48.7, "country": "UA", "admin1": "Donetsk", "place_name": "Bakhmut"}
    return make_frame(
        [
            {**spot, "killed_min": 50, "killed_max": None, "contested": True, "place_detail": "train station"},
            {
                **spot,
                "type": "shelling",
                "killed_min": 3,
                "killed_max": 5,
                "date_start": date(2024, 5, 2),
                "date_end": date(2024, 5, 3),
            },
            {
                "place_name": "Kherson region",
                "country": "UA",
                "admin1": "Kherson",
                "area_id": "admin1:UA.08",
                "location_precision": "region",
                "lon": 33.5,
                "lat": 46.6,
                "type": "abduction",
                "date_start": date(2024, 5, 1),
                "date_precision": "month",
                "date_end": date(2024, 5, 31),
            },
            {
                "place_name": "an unnamed village",
                "killed_min": 0,
                "killed_max": 0,
                "date_start": None,
                "date_end": None,
                "date_precision": "unknown",
                "source_names": ["Agency"],
                "source_urls": [],
            },
        ]
    )


CASES = {
    "sample": sample,
    "none": lambda: make_frame([]),
    "unlocated": lambda: make_frame([{"place_name": "Here", "killed_min": 2, "killed_max": 2}] * 3),
    "one point": lambda: make_frame([{"place_name": "Goma", "country": "CD", "lon": 29.22, "lat": -1.68}]),
    "sixty": lambda: make_cloud(60),
    "world": lambda: make_frame(
        [
            {"lon": lon, "lat": lat, "place_name": name, "country": country}
            for lon, lat, name, country in [
                (2.35, 48.85, "Paris", "FR"),
                (-99.1, 19.4, "México", "MX"),
                (147, -9.4, "Port Moresby", "PG"),
            ]
        ]
    ),
    "antimeridian": lambda: make_frame(
        [
            {"lon": 178.44, "lat": -18.14, "place_name": "Suva", "country": "FJ"},
            {"lon": -171.76, "lat": -13.83, "place_name": "Apia", "country": "WS"},
        ]
    ),
    "pole": lambda: make_frame(
        [
            {"lon": 15.6, "lat": 78.2, "place_name": "Longyearbyen"},
            {"lon": -160.0, "lat": 86.0, "place_name": "Station"},
        ]
    ),
    "arabic": lambda: make_frame(
        [{"title": "قصف على سوق ومقتل 12 شخصا", "place_name": "أم درمان", "country": "SD", "lon": 32.48, "lat": 15.64}]
    ),
    "long": lambda: make_frame(
        [{"title": LONG_TITLE, "place_name": "Llan" + "fair" * 40, "country": "UA", "lon": 38.0, "lat": 48.6}]
    ),
    "same point": lambda: make_frame([{"lon": 30.0, "lat": 50.0, "place_name": "Town", "country": "UA"}] * 40),
}


def read_pdf(data: bytes) -> str:
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)


def test_page_model_of_the_sample() -> None:
    briefing = build_briefing(sample(), as_of=AS_OF, handling="Internal", total=9)
    assert briefing.title == "Incident briefing: Ukraine"
    assert briefing.period == "1–31 May 2024"
    assert briefing.as_of == "1 December 2026, 14:05 UTC"
    assert [(h.value, h.label) for h in briefing.headlines] == [
        ("4", "incidents"),
        ("at least 53", "killed, as reported"),
        ("not stated", "injured, as reported"),
        ("1", "with claims that disagree"),
        ("1", "without a location"),
    ]
    assert briefing.headlines[0].note == "of 9 recorded"
    assert briefing.headlines[1].note == "not stated for 1 of 4"
    assert [(r.number, r.place, r.killed, r.injured, r.contested, r.located, r.sources) for r in briefing.rows] == [
        (1, "Bakhmut (train station)", "50 or more", "not stated", True, True, (1,)),
        (2, "Kherson region", "not stated", "not stated", False, True, (2,)),
        (3, "Bakhmut", "3–5", "not stated", False, True, (3,)),
        (4, "an unnamed village", "none", "not stated", False, False, (4,)),
    ]
    assert [r.date for r in briefing.rows] == ["1 May 2024", "May 2024", "2–3 May 2024", "date not stated"]
    assert [s.numbers for s in briefing.symbols] == [(1, 3)]
    assert [(a.numbers, a.area_id) for a in briefing.areas] == [((2,), "admin1:UA.08")]
    assert (briefing.sources[3].name, briefing.sources[3].url) == ("Agency", "")
    assert any("not verified" in note for note in briefing.notes)
    assert any("1 incident has no location" in note for note in briefing.notes)


def test_null_is_never_counted_as_none() -> None:
    frame = make_frame([{"killed_min": 3, "killed_max": 3}, {}, {"killed_min": 0, "killed_max": 0}])
    killed = build_briefing(frame, as_of=AS_OF).headlines[1]
    assert (killed.value, killed.note) == ("at least 3", "not stated for 1 of 3")


def test_the_frame_is_not_changed() -> None:
    frame = sample()
    before = frame.copy(deep=True)
    build_briefing(frame, as_of=AS_OF)
    pd.testing.assert_frame_equal(pd.DataFrame(frame), pd.DataFrame(before))


def test_a_coarse_place_is_never_a_symbol() -> None:
    frame = make_frame(
        [
            {"lon": 33.0, "lat": 47.0, "location_precision": precision, "country": "UA", "area_id": area}
            for precision, area in [
                ("district", None),
                ("region", "admin1:UA.08"),
                ("macro_region", None),
                ("country", "country:UA"),
            ]
        ]
    )
    briefing = build_briefing(frame, as_of=AS_OF)
    assert briefing.symbols == ()
    assert sum(area.incidents for area in briefing.areas) == 4


def test_of_five_thousand_the_deadliest_are_listed() -> None:
    briefing = build_briefing(make_cloud(5000), as_of=AS_OF)
    assert len(briefing.rows) == 120
    assert briefing.more_rows == 4880
    assert {row.killed for row in briefing.rows} == {"60"}
    assert sum(symbol.incidents for symbol in briefing.symbols) == 5000
    assert any("4,880 more" in note for note in briefing.notes)
    assert sorted(n for s in briefing.symbols for n in s.numbers) == list(range(1, 121))


def test_claims_that_disagree_are_listed_side_by_side() -> None:
    claims = pd.DataFrame(
        [
            {
                "incident_id": "i00000",
                "claimant": "Ministry",
                "measure": "killed",
                "group": "all",
                "min": 50,
                "max": None,
                "stance": "asserts",
            },
            {
                "incident_id": "i00000",
                "claimant": None,
                "measure": "killed",
                "group": "children",
                "min": 4,
                "max": 4,
                "stance": "denies",
            },
            {
                "incident_id": "i00001",
                "claimant": "Other",
                "measure": "killed",
                "group": "all",
                "min": 1,
                "max": 1,
                "stance": "asserts",
            },
        ]
    )
    briefing = build_briefing(sample(), as_of=AS_OF, claims=claims)
    assert briefing.rows[0].claims == "killed: 50 or more (Ministry), 4 children (not named denies)"
    assert all(not row.claims for row in briefing.rows[1:])
    assert "50 or more (Ministry)" in read_pdf(render_pages(briefing, fmt="pdf")[0])


def test_the_filters_stand_on_the_page_in_words() -> None:
    chosen = Filter(killed_min=10, killed_unstated=False, date_from=date(2024, 5, 1))
    briefing = build_briefing(sample(), as_of=AS_OF, filter=chosen)
    assert briefing.filters == tuple(chosen.describe())
    text = read_pdf(render_pages(briefing, fmt="pdf")[0])
    assert "killed: 10 or more" in text


def test_numbers_are_joined_as_people_write_them() -> None:
    assert join_numbers((7, 3, 5, 6)) == "3, 5–7"
    assert join_numbers((2, 1, 1)) == "1, 2"
    assert join_numbers(()) == ""


def find_overlaps(briefing: Briefing) -> list[tuple[str, str]]:
    paper = PAPERS["a4"]
    found = []
    for sheet in draw_pages(briefing, paper):
        for first, second in itertools.combinations(sheet.lines, 2):
            if first.box.overlaps(second.box, gap=-0.05):
                found.append((first.text, second.text))
        for line in sheet.lines:
            inside = (
                line.box.left >= 0
                and line.box.right <= paper.width
                and line.box.low >= 0
                and line.box.high <= paper.height
            )
            if not inside:
                found.append((line.text, "the edge of the page"))
    return found


@pytest.mark.parametrize("case", CASES)
def test_no_text_lies_on_another_or_leaves_the_page(case: str) -> None:
    handling = "Restricted: for the members of the working group only, do not forward or quote without leave"
    title = LONG_TITLE if case == "long" else None
    assert find_overlaps(build_briefing(CASES[case](), as_of=AS_OF, title=title, handling=handling)) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_other_papers_hold_the_same_page(paper: str) -> None:
    for sheet in draw_pages(build_briefing(sample(), as_of=AS_OF), PAPERS[paper]):
        assert all(line.box.right <= PAPERS[paper].width - 8 for line in sheet.lines)


@pytest.mark.parametrize("case", ["sample", "none", "antimeridian", "arabic"])
def test_pdf_can_be_searched(case: str) -> None:
    frame = CASES[case]()
    data = render_briefing(frame, fmt="pdf", title="Weekly overview", as_of=AS_OF)
    text = read_pdf(data)
    assert "Weekly overview" in text
    assert "1 December 2026, 14:05 UTC" in text
    assert "GeoNames" in text
    assert "Natural Earth" in text
    if case in {"sample", "antimeridian"}:
        for place in frame["place_name"]:
            assert place in text


def test_pdf_tells_its_title_and_language_and_embeds_truetype() -> None:
    reader = pypdf.PdfReader(io.BytesIO(render_briefing(sample(), fmt="pdf", title="Добірка", as_of=AS_OF)))
    assert reader.metadata is not None
    assert reader.metadata.title == "Добірка"
    assert reader.trailer["/Root"]["/Lang"] == "en"
    fonts = reader.pages[0]["/Resources"]["/Font"].get_object()
    kinds = {font.get_object()["/DescendantFonts"][0].get_object()["/Subtype"] for font in fonts.values()}
    assert kinds == {"/CIDFontType2"}


def test_dollar_signs_are_never_mathematics() -> None:
    frame = make_frame([{"title": r"Cost $\frac{1}{0}$ and $x$", "place_name": "$y^2", "lon": 30.0, "lat": 50.0}])
    text = read_pdf(render_briefing(frame, fmt="pdf", title="$x$ _{a}", as_of=AS_OF))
    assert "$x$ _{a}" in text
    assert "$y^2" in text
    assert r"$\frac{1}{0}$" in text


def test_png_has_300_dpi_and_a_file_a_page(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    path = write_briefing(make_cloud(60), tmp_path / "week.png", as_of=AS_OF, progress=lambda a, b: seen.append((a, b)))
    assert path == tmp_path / "week.png"
    pages = seen[-1][1]
    assert seen == [(number, pages) for number in range(1, pages + 1)]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        get_page_path(path, n).name for n in range(1, pages + 1)
    )
    with Image.open(path) as picture:
        assert picture.size == (3508, 2480)
        assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        assert picture.info["Title"].startswith("Incident briefing: Ukraine")


def test_the_same_data_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for fmt in ("png", "pdf"):
        assert render_briefing(sample(), fmt=fmt) == render_briefing(sample(), fmt=fmt)
    assert build_briefing(sample()).as_of == "14 November 2023, 22:13 UTC"


def test_threads_do_not_disturb_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    alone = render_briefing(sample(), fmt="pdf")
    made: list[bytes] = []
    threads = [threading.Thread(target=lambda: made.append(render_briefing(sample(), fmt="pdf"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [alone] * 2


def test_unknown_formats_and_folders_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="pdf, png"):
        write_briefing(sample(), tmp_path / "a.gif")
    with pytest.raises(UnknownName, match="without an ending"):
        write_briefing(sample(), tmp_path / "a")
    with pytest.raises(UnknownName, match="a4"):
        render_briefing(sample(), paper="a9")
    with pytest.raises(ExportError, match="does not exist"):
        write_briefing(sample(), tmp_path / "missing" / "a.png")
    (tmp_path / "taken.pdf").mkdir()
    with pytest.raises(ExportError, match=r"taken\.pdf"):
        write_briefing(sample(), tmp_path / "taken.pdf")
    assert [p.name for p in tmp_path.iterdir()] == ["taken.pdf"]


def test_the_page_model_is_plain_data() -> None:
    from dataclasses import asdict

    said = asdict(build_briefing(sample(), as_of=AS_OF))
    said["countries"] = sorted(said["countries"])
    assert json.loads(json.dumps(said))["rows"][0]["place"] == "Bakhmut (train station)"
