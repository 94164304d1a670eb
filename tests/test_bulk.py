from __future__ import annotations

import io
import json
import os
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geodata.place import Candidate, Place, Resolution
from incidents.bulk import LINE_BYTES, encode_record, iter_lines, read_batch, read_line, run_batch
from incidents.errors import ExportError, SourceUnavailable
from incidents.reading.records import Claim, Mention, ReadIncident, Reading
from incidents.report import Report

INCIDENT_KEYS = [
    "place", "country", "lat", "lon", "precision", "type", "killed_min", "killed_max", "injured_min", "injured_max",
    "date", "date_end", "date_precision", "current", "contested", "attributed_to", "evidence", "evidence_start",
    "evidence_end", "confidence", "claims",
]  # fmt: skip
TOPONYM_KEYS = ["start", "end", "text", "lat", "lon", "geonameid", "kind", "country", "literal"]


class FakeReader:
    """Reads one incident where a text names Nova; breaks, or ends its process, where a text asks for it."""

    def read(self, report: Report) -> Reading:
        text = report.text
        if "raise" in text:
            raise ZeroDivisionError("as asked")
        if "die" in text:
            os._exit(7)
        start = text.find("Nova")
        if start < 0:
            return Reading(report)
        place = Place("Nova", "settlement", 48.5, 37.5, "settlement", country="UA", geonameid=7)
        known = "unlisted" not in text
        best = Candidate(place, "Nova", "primary") if known else None
        found = Resolution("Nova", best, (best,) if best else (), False, "as the test says")
        mention = Mention(start, start + 4, "Nova", "settlement", True, found)
        incident = ReadIncident(
            type="shelling", type_certainty="stated", title="Shelling", place="Nova", place_detail=None,
            mention=mention, precision="settlement", date_start=report.publication_day, date_end=report.publication_day,
            date_precision="day", evidence=text, evidence_start=0, evidence_end=len(text), confidence=1 / 3,
            killed_min=2,
            claims=(Claim("killed", 2, None, claimant="governor", evidence=text, end=len(text)),),
        )  # fmt: skip
        return Reading(report, incidents=(incident,), mentions=(mention,))


def make_lines(*records: object) -> list[bytes]:
    return [json.dumps(r).encode() + b"\n" for r in records]


def read_one(record: object) -> dict[str, object]:
    return read_line(json.dumps(record).encode(), reader=FakeReader(), number=1)


def test_a_line_in_and_out() -> None:
    found = read_one({"id": "a", "text": "Two killed in Nova.", "publication_date": "2024-04-18"})
    assert list(found) == ["id", "incidents", "toponyms"]
    (incident,) = found["incidents"]  # type: ignore[misc]
    assert list(incident) == INCIDENT_KEYS
    assert (incident["lat"], incident["lon"], incident["country"]) == (48.5, 37.5, "UA")
    assert (incident["killed_min"], incident["killed_max"], incident["injured_min"]) == (2, None, None)
    assert incident["date"] == incident["date_end"] == date(2024, 4, 18).isoformat()
    assert incident["claims"][0]["claimant"] == "governor"
    (toponym,) = found["toponyms"]  # type: ignore[misc]
    assert list(toponym) == TOPONYM_KEYS
    assert (toponym["start"], toponym["end"], toponym["text"], toponym["geonameid"]) == (14, 18, "Nova", 7)


def test_an_unresolved_place_has_its_name_and_no_point() -> None:
    found = read_one({"id": 1, "text": "Two killed in unlisted Nova."})
    (incident,) = found["incidents"]  # type: ignore[misc]
    assert (incident["place"], incident["lat"], incident["lon"], incident["precision"]) == (
        "Nova",
        None,
        None,
        "unknown",
    )
    assert found["toponyms"][0]["lat"] is None  # type: ignore[index]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"{", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"id": 5}', 'no "text"'),
        (b'{"id": 5, "text": 3}', 'no "text"'),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"id": 5, "text": "raise"}', "ZeroDivisionError: as asked"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_bad_line_gives_an_error_line(line: bytes, expected: str) -> None:
    found = read_line(line, reader=FakeReader(), number=3)
    assert set(found) == {"id", "error"}
    assert expected in str(found["error"])
    assert found["id"] == (5 if b'"id": 5' in line else None)


@pytest.mark.parametrize("stated", ["Friday", "16 Decembe", "12:01 PM", "04/05/2016", "0001-01-01", "2016-10"])
def test_a_doubtful_publication_date_never_costs_the_article(stated: str) -> None:
    found = read_one({"id": 5, "text": "Two killed in Nova.", "publication_date": stated})
    assert list(found) == ["id", "incidents", "toponyms", "warning"]
    assert stated in str(found["warning"])
    assert found["incidents"][0]["date"] is None  # type: ignore[index]


@pytest.mark.parametrize("stated", ["Dec 17, 2016", "Sat, 17 Dec 2016 09:00:00 GMT", "17.12.2016", "20161217"])
def test_a_whole_date_in_words_is_read(stated: str) -> None:
    found = read_one({"id": 5, "text": "Two killed in Nova.", "publication_date": stated})
    assert found["incidents"][0]["date"] == "2016-12-17"  # type: ignore[index]


def test_an_empty_text_has_no_incidents() -> None:
    assert read_one({"id": 1, "text": " \n"}) == {"id": 1, "incidents": [], "toponyms": []}


def test_lone_surrogates_and_controls_keep_the_offsets() -> None:
    text = "\ud800\x00\x07 Two killed in Nova\x85."
    found = read_one({"id": "\udfff", "text": text})
    incident, toponym = found["incidents"][0], found["toponyms"][0]  # type: ignore[index]
    assert incident["evidence"] == text[incident["evidence_start"] : incident["evidence_end"]] == text
    assert text[toponym["start"] : toponym["end"]] == toponym["text"] == "Nova"
    assert json.loads(encode_record(found)) == found


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_any_json_is_a_result_or_an_error(value: object) -> None:
    for record in (
        value,
        {"id": 1, "text": value},
        {"id": value, "text": "Nova", "publication_date": value, "url": value},
    ):
        found = read_line(json.dumps(record).encode(), reader=FakeReader(), number=1)
        assert "error" in found or "incidents" in found
        assert encode_record(found).endswith(b"\n")


def test_the_order_is_kept_over_processes() -> None:
    lines = make_lines(
        *({"id": n, "text": f"{'Nova' if n % 3 else ''} {n} {'raise' if n == 20 else ''}"} for n in range(75))
    )
    one = list(read_batch(lines, reader=FakeReader))
    two = list(read_batch(lines, reader=FakeReader, workers=2))
    assert one == two
    assert [r["id"] for r in two] == list(range(75))
    assert [r["id"] for r in two if "error" in r] == [20]


def test_an_article_that_ends_its_process_is_found_and_the_rest_go_on() -> None:
    lines = make_lines(*({"id": n, "text": "die" if n == 18 else "Nova"} for n in range(40)))
    found = list(read_batch(lines, reader=FakeReader, workers=2))
    assert [r["id"] for r in found] == list(range(40))
    assert [r["id"] for r in found if "error" in r] == [18]
    assert "ended its process" in str(found[18]["error"])


class NoReader:
    """A reader that cannot be loaded."""

    def __init__(self) -> None:
        raise SourceUnavailable("the model is not installed")


def test_a_reader_that_does_not_load_is_one_error_not_many() -> None:
    with pytest.raises(SourceUnavailable, match="the model is not installed"):
        list(read_batch(make_lines({"id": 1, "text": "Nova"}), reader=NoReader, workers=2))  # type: ignore[arg-type]


def test_lines_are_read_as_they_are_needed() -> None:
    taken: list[int] = []

    def produce() -> object:
        for n in range(10_000):
            taken.append(n)
            yield json.dumps({"id": n, "text": ""}).encode()

    stream = read_batch(produce(), reader=FakeReader)  # type: ignore[arg-type]
    for _ in range(5):
        next(stream)
    assert len(taken) == 5


def test_files_in_and_out(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"\xef\xbb\xbf" + b"".join(make_lines({"id": 1, "text": "Nova"}, {"id": 2})) + b"\n\n")
    seen: list[int] = []
    counts = run_batch(source, target, reader=FakeReader, progress=seen.append)
    assert (counts.lines, counts.errors, counts.incidents, seen) == (2, 1, 1, [1, 2])
    assert [json.loads(line)["id"] for line in target.read_text().splitlines()] == [1, 2]
    source.write_bytes(b"")
    assert run_batch(source, target, reader=FakeReader).lines == 0
    assert target.read_bytes() == b""


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    with pytest.raises(SourceUnavailable, match="cannot be read"):
        run_batch(source, tmp_path / "out", reader=FakeReader)
    source.write_bytes(b"")
    with pytest.raises(ExportError, match="cannot be written"):
        run_batch(source, tmp_path / "no" / "out", reader=FakeReader)
    with pytest.raises(ExportError, match="is the input itself"):
        run_batch(source, source, reader=FakeReader)


def test_a_line_beyond_the_limit_does_not_fill_the_memory() -> None:
    stream = io.BytesIO(b"x" * (LINE_BYTES + 10) + b"\nshort\n")
    lengths = [len(line) for line in iter_lines(stream)]
    assert lengths == [LINE_BYTES + 1, 6]
    stream.seek(0)
    found = [read_line(line, reader=FakeReader(), number=1) for line in iter_lines(stream)]
    assert "longer than the limit" in str(found[0]["error"])
