from __future__ import annotations

import csv
import io
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.errors import SourceFormatError
from incidents.sources import Limits, SourceResult, identify, read_bytes
from incidents.sources.base import Item
from incidents.sources.columns import map_columns


def read(text: str, encoding: str = "utf-8", **options: object) -> SourceResult:
    return read_bytes(text.encode(encoding), name="t.csv", **options)  # type: ignore[arg-type]


def test_a_plain_table_by_the_contracts_names() -> None:
    result = read(
        "place_name,country,latitude,longitude,date_start,type,killed_min,killed_max\n"
        "Nova,UA,48.5,37.9,2022-07-15,shelling,3,\n"
    )
    assert result.source == "table"
    assert dict(result[0].fields) == {
        "place_name": "Nova",
        "country": "UA",
        "latitude": 48.5,
        "longitude": 37.9,
        "date_start": date(2022, 7, 15),
        "date_end": date(2022, 7, 15),
        "date_precision": "day",
        "type": "shelling",
        "type_certainty": "stated",
        "killed_min": 3,
    }
    assert result[0].source_values["place_name"] == "Nova"


def test_common_names_counts_and_blanks() -> None:
    result = read(
        "Event Date ,City,LATITUDE, Longitude,Fatalities,Wounded,Event Type\n"
        '08-April-2022,Nova,48.7,37.5,"1,200",5+,Shelling/artillery/missile attack\n'
        "09 April 2022,Stara,n/a,n/a,2-4,unknown,\n"
    )
    first, second = (r.fields for r in result)
    assert (first["killed_min"], first["killed_max"]) == (1200, 1200)
    assert (first["injured_min"], first["injured_max"]) == (5, None)
    assert (first["type"], first["type_certainty"]) == ("shelling", "coarse")
    assert (second["killed_min"], second["killed_max"]) == (2, 4)
    assert "injured_min" not in second
    assert "latitude" not in second
    assert second["type"] == "unknown"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1251"])
@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_encodings_and_separators_are_found(encoding: str, separator: str) -> None:
    rows = [["Дата події", "Населений пункт", "Широта", "Довгота", "Загинуло"]]
    rows += [["02.02.2017", "Авдіївка, місто", "48,145278", "37,745000", "0–2"]] * 3
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(rows)
    result = read(out.getvalue(), encoding)
    assert len(result) == 3
    fields = result[0].fields
    assert (fields["latitude"], fields["longitude"]) == (48.145278, 37.745)
    assert fields["place_name"] == "Авдіївка, місто"
    assert (fields["killed_min"], fields["killed_max"]) == (0, 2)
    assert fields["date_start"] == date(2017, 2, 2)


def test_in_a_file_with_decimal_commas_a_point_marks_thousands() -> None:
    result = read("date;place;lat;lon;killed\n15/07/2022;Nova;48,594;37,999;1.204\n")
    assert result[0].fields["killed_min"] == 1204


def test_the_column_shows_the_order_of_its_dates() -> None:
    result = read("id,date,place\n1,2022-04-03,a\n2,13/04/2022,b\n3,03.05.2022,c\n4,20220506,d\n5,03/05/2022,e\n")
    days = [r.fields["date_start"] for r in result]
    assert days == [date(2022, 4, 3), date(2022, 4, 13), date(2022, 5, 3), date(2022, 5, 6), date(2022, 5, 3)]


def test_an_order_that_is_not_shown_is_asked_for() -> None:
    text = "date,place,killed\n03/04/2022,a,1\n05/06/2022,b,2\n"
    with pytest.raises(SourceFormatError, match=r"column 'date': '03/04/2022' can be read .*--date-order"):
        read(text)
    assert read(text, date_order="mdy")[0].fields["date_start"] == date(2022, 3, 4)
    assert read(text, date_order="dmy")[0].fields["date_start"] == date(2022, 4, 3)


def test_the_local_day_stays_the_day() -> None:
    result = read("id,when,place\n1,2022-04-08T00:30+03:00,a\n2,2022-04-08T22:30:00Z,b\n")
    assert [r.fields["date_start"] for r in result] == [date(2022, 4, 8)] * 2


def test_bad_rows_are_rejected_with_their_reason_and_the_rest_go_on() -> None:
    result = read(
        "place,date,killed,date_end\n"
        "a,2022-04-08,3,\n"
        "b,2022-04-31,1,\n"
        "c,2022-04-08,minus two,\n"
        "\n"
        "d,2022-04-08,1,2022-04-01\n"
        "e,2022-04-08,1,,extra\n"
        "f,2022-04-08,-4,\n"
        "g\n"
    )
    assert [r.fields["place_name"] for r in result] == ["a", "g"]
    assert result.rows == (1, 8)
    assert result.rows_read == 7
    assert [(r.row, r.column, r.value) for r in result.rejected] == [
        (2, "date", "2022-04-31"),
        (3, "killed", "minus two"),
        (5, "date_end", "2022-04-01"),
        (6, None, "extra"),
        (7, "killed", "-4"),
    ]
    assert all(r.reason for r in result.rejected)


def test_coordinates_that_cannot_be_used_leave_the_row_unlocated_with_a_warning() -> None:
    result = read(
        "place,lat,lon,date\n"
        "filler,0,0,2023-01-01\n"
        "equator,0.0,36.9,2023-01-01\n"
        "meridian,5.6,0,2023-01-01\n"
        "infinite,inf,37,2023-01-01\n"
        "half,48.8,N/A,2023-01-01\n"
        "swapped,120.98,14.60,2023-01-01\n"
        "metres,5540600,303400,2023-01-01\n"
        "words,somewhere,near,2023-01-01\n"
        "none,,,2023-01-01\n"
    )
    located = {r.fields["place_name"] for r in result if "latitude" in r.fields}
    assert located == {"equator", "meridian"}
    assert len(result) == 9
    assert result.rejected == ()
    assert len(result.warnings) == 6
    told = " ".join(result.warnings)
    assert "row 6" in told
    assert "swapped" in told
    assert "metres of a map projection" in told
    reasons = [r.fields.get("location_reason") for r in result if "latitude" not in r.fields]
    assert sum(bool(reason) for reason in reasons) == 6


def test_degrees_minutes_seconds_and_pairs() -> None:
    result = read('place,lat,lon\nNova,"48°35\'40""N","37°59\'57""E"\nSur,"0°13\'00""S","78°31\'00""W"\n')
    assert result[1].fields["latitude"] == pytest.approx(-0.21667, abs=1e-4)
    pairs = read('Place,Estimated Coordinates,Date\nSea,"19.93, 39.06",30-Apr-19\n')
    assert (pairs[0].fields["latitude"], pairs[0].fields["longitude"]) == (19.93, 39.06)


def test_a_table_of_articles_is_for_the_reader() -> None:
    result = read(
        'title,text,published,url\nA,"Two killed in Nova, they said.\nOne hurt.",2024-04-18,https://x.example/1\n'
        "B,,2024-04-18,\nC,One hurt.,,javascript:alert(1)\n"
    )
    assert [r.source for r in result] == ["article", "article"]
    assert result[0].fields == {}
    assert result[0].text == "Two killed in Nova, they said.\nOne hurt."
    assert result[0].published_on == date(2024, 4, 18)
    assert result[1].url is None
    assert [(r.row, r.column) for r in result.rejected] == [(2, "text")]
    assert "1 articles without a publication date" in result.warnings[0]


def test_columns_can_be_named_by_the_person() -> None:
    text = "ort,tote,wann,killed\nNova,3,2022-04-08,9\n"
    result = read(text, mapping={"ort": "place_name", "tote": "killed", "wann": "date", "killed": ""})
    assert result[0].fields["killed_min"] == 3
    with pytest.raises(SourceFormatError, match="there is no column 'orte'; the columns are ort, tote"):
        read(text, mapping={"orte": "place_name"})
    with pytest.raises(SourceFormatError, match="'plaice' is not a field; known are"):
        read(text, mapping={"ort": "plaice"})


def test_a_table_without_a_known_column_says_so() -> None:
    with pytest.raises(SourceFormatError, match=r"none of the columns \(red, green, blue\).*--map"):
        read("red,green,blue\n1,2,3\n4,5,6\n7,8,9\n")


def test_two_columns_for_one_field_are_told() -> None:
    columns = map_columns(["Region", "admin1", "Fatalities", "Fatalities"])
    assert columns.positions == {"admin1": 1, "killed": 2}
    assert columns.headers[3] == "Fatalities (2)"
    assert len(columns.warnings) == 2


def test_a_row_of_hxl_tags_is_no_data() -> None:
    result = read("place,killed,date\n#loc+name,#affected+killed,#date\nNova,3,2022-01-01\n")
    assert (len(result), result.rows_read, result.rejected) == (1, 1, ())


def test_prose_and_data_are_not_taken_for_tables_or_articles() -> None:
    prose = "Nova, Stara, and Mala were shelled on Friday, officials said, killing two.\nMore, it said, may come.\n"
    assert identify(Item.from_bytes(prose.encode(), name="x.csv")).name == "article"
    table = b"lat,lon,killed\n1,2,3\n"
    assert identify(Item.from_bytes(table, name="x.txt")).name == "table"
    with pytest.raises(SourceFormatError, match="GeoJSON"):
        read_bytes(b'{"type": "FeatureCollection", "features": []}')
    with pytest.raises(SourceFormatError, match="XML"):
        read_bytes(b'<?xml version="1.0"?><kml></kml>')


def test_limits_of_columns() -> None:
    with pytest.raises(SourceFormatError, match="columns, the limit is 2"):
        read("place,killed,date\na,1,2022-01-01\n", limits=Limits(columns=2))


def test_formula_cells_stay_text_and_foreign_apostrophes_too() -> None:
    result = read('place,title,date\nNova,"=HYPERLINK(""x"")",2022-01-01\nNova,\'=1+1,2022-01-01\n')
    assert [r.fields["title"] for r in result] == ['=HYPERLINK("x")', "'=1+1"]


def test_the_same_row_is_the_same_report_and_another_is_not() -> None:
    a = read("place,date,killed\nNova,2022-01-01,1\nNova,2022-01-01,2\n")
    b = read("place,date,killed\nNova,2022-01-01,1\n")
    assert a[0].report_id == b[0].report_id != a[1].report_id


def test_namibia_is_no_missing_country() -> None:
    result = read("place,country,date\nGobabis,NA,2022-01-01\nNova,n/a,2022-01-01\n")
    assert result[0].fields["country"] == "NA"
    assert "country" not in result[1].fields


CELL = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=15)


@given(st.lists(st.tuples(CELL, CELL, CELL, CELL), max_size=5))
def test_any_cells_are_read_or_rejected_and_none_is_lost(rows: list[tuple[str, ...]]) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([("place", "lat", "lon", "killed"), *rows])
    result = read(out.getvalue(), source="table")
    assert len(result) + len(result.rejected) == result.rows_read <= len(rows)
    assert len(result.rows) == len(result)


@given(st.text(max_size=200))
def test_any_text_as_a_table_is_read_or_refused(text: str) -> None:
    try:
        read_bytes(text.encode("utf-8", "replace"), source="table")
    except SourceFormatError:
        return


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_way_to_end_a_row_is_still_a_table(newline: str) -> None:
    text = newline.join(["date,place,killed", "2022-04-08,Lyman,5", "2022-04-09,Izium,2", ""])
    result = read(text)
    assert result.source == "table"
    assert len(result) == 2
