# ruff: noqa: E501 - tables of cases are easier to read in long lines
"""The online geocoder against a local server that answers as Nominatim does; nothing leaves the machine."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from geodata.errors import GazetteerError, GeocoderRateLimited, GeocoderRefused, GeocoderUnavailable, UnknownGeocoder
from geodata.gazetteer import Gazetteer
from geodata.geocode import Geocoder, get_geocoder, list_geocoders, register_geocoder, resolve_online
from geodata.nominatim import AnswerCache, NominatimGeocoder
from geodata.resolve import Context

PLACE = {
    "lat": "13.38", "lon": "0.45", "name": "Nowhereville", "display_name": "Nowhereville, Sahel, Somewhere", "class": "place", "type": "village",
    "addresstype": "village", "importance": 0.3, "address": {"country_code": "bf", "state": "Sahel"},
}  # fmt: skip


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, str, dict[str, str], float]] = []
        self.requests: list[tuple[str, dict[str, list[str]], str]] = []

    def plan(
        self, status: int, body: object = "", *, headers: dict[str, str] | None = None, delay: float = 0.0
    ) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self.answers.append((status, text, headers or {}, delay))


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        self.server.requests.append((address.path, parse_qs(address.query), self.headers.get("User-Agent", "")))
        status, text, headers, delay = self.server.answers.pop(0) if self.server.answers else (500, "", {}, 0.0)
        time.sleep(delay)
        data = text.encode()
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(BrokenPipeError):  # the client has given up: a test of that
            self.wfile.write(data)

    def log_message(self, *_arguments: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()


def make(server: Server, tmp_path: Path, **options: Any) -> tuple[NominatimGeocoder, list[float]]:
    waits: list[float] = []
    options = {"interval": 0.0, "timeout": 5.0, **options}
    geocoder = NominatimGeocoder(
        contact="desk@example.org",
        domain=f"127.0.0.1:{server.server_address[1]}",
        scheme="http",
        cache_path=tmp_path / "answers.sqlite",
        sleep=waits.append,
        **options,
    )
    return geocoder, waits


def test_an_answer_becomes_a_candidate(server: Server, tmp_path: Path) -> None:
    server.plan(200, [PLACE])
    geocoder, _ = make(server, tmp_path)
    (found,) = geocoder.geocode("Nowhereville", countries=("BF",))
    assert (found.place.lat, found.place.lon, found.place.country, found.place.admin1) == (13.38, 0.45, "BF", "Sahel")
    assert (found.place.kind, found.place.source) == ("settlement", "nominatim")
    _path, query, agent = server.requests[0]
    assert query["countrycodes"] == ["bf"]
    assert agent == "incident-atlas desk@example.org"


def test_the_same_name_is_asked_once_also_when_nothing_was_found(server: Server, tmp_path: Path) -> None:
    server.plan(200, [PLACE])
    server.plan(200, [])
    for _ in range(2):
        geocoder, _waits = make(server, tmp_path)
        assert len(geocoder.geocode("Nowhereville")) == 1
        assert geocoder.geocode("Atlantis") == ()
    assert len(server.requests) == 2


def test_old_answers_are_asked_again(tmp_path: Path) -> None:
    now = [1000.0]
    cache = AnswerCache(
        tmp_path / "a.sqlite", found_age=timedelta(seconds=10), missing_age=timedelta(seconds=5), clock=lambda: now[0]
    )
    cache.put("x", [{"lat": "1"}])
    cache.put("y", [])
    now[0] += 7
    assert cache.get("x") == [{"lat": "1"}]
    assert cache.get("y") is None
    now[0] += 7
    assert cache.get("x") is None


def test_a_refusal_stops_at_once(server: Server, tmp_path: Path) -> None:
    server.plan(403, "Forbidden")
    geocoder, waits = make(server, tmp_path)
    with pytest.raises(GeocoderRefused):
        geocoder.geocode("Nowhereville")
    assert len(server.requests) == 1
    assert waits == []


def test_slow_down_is_obeyed_then_told(server: Server, tmp_path: Path) -> None:
    server.plan(429, "", headers={"Retry-After": "7"})
    server.plan(200, [PLACE])
    geocoder, waits = make(server, tmp_path)
    assert len(geocoder.geocode("Nowhereville")) == 1
    assert waits == [7.0]
    for _ in range(3):
        server.plan(429)
    with pytest.raises(GeocoderRateLimited):
        geocoder.geocode("Elsewhere")


def test_errors_of_the_server_are_tried_again_a_few_times(server: Server, tmp_path: Path) -> None:
    server.plan(503)
    server.plan(200, [PLACE])
    geocoder, waits = make(server, tmp_path)
    assert len(geocoder.geocode("Nowhereville")) == 1
    for _ in range(3):
        server.plan(503)
    with pytest.raises(GeocoderUnavailable):
        geocoder.geocode("Elsewhere")
    assert len(server.requests) == 5
    assert waits == [1.0, 1.0, 2.0]


def test_no_answer_in_time(server: Server, tmp_path: Path) -> None:
    for _ in range(2):
        server.plan(200, [PLACE], delay=1.0)
    geocoder, _ = make(server, tmp_path, timeout=0.1, attempts=2)
    with pytest.raises(GeocoderUnavailable):
        geocoder.geocode("Nowhereville")
    server.plan(200, [PLACE])


def test_no_server(tmp_path: Path) -> None:
    closed = Server()
    port = closed.server_address[1]
    closed.server_close()
    geocoder = NominatimGeocoder(
        domain=f"127.0.0.1:{port}",
        scheme="http",
        interval=0.0,
        sleep=lambda _s: None,
        attempts=2,
        cache_path=tmp_path / "a.sqlite",
    )
    with pytest.raises(GeocoderUnavailable):
        geocoder.geocode("Nowhere at all")


@pytest.mark.parametrize(
    "body",
    [
        "<html>maintenance</html>",
        '{"error": "x"}',
        "[1, 2]",
        "null",
        '[{"lat": "abc", "lon": "1", "display_name": "x"}]',
    ],
)
def test_garbage_is_no_place(server: Server, tmp_path: Path, body: str) -> None:
    server.plan(200, body)
    geocoder, _ = make(server, tmp_path, attempts=1)
    with contextlib.suppress(GeocoderUnavailable):
        assert geocoder.geocode("Nowhereville") == ()


def test_points_out_of_range_are_no_place(server: Server, tmp_path: Path) -> None:
    server.plan(200, [PLACE | {"lat": "95"}])
    server.plan(200, [PLACE | {"importance": "high"}])
    geocoder, _ = make(server, tmp_path)
    with pytest.raises(GeocoderUnavailable, match="cannot be read"):
        geocoder.geocode("Nowhereville")
    assert geocoder.geocode("Nowhereville")[0].score == 0


def test_requests_keep_their_distance_and_end_at_the_limit(server: Server, tmp_path: Path) -> None:
    for _ in range(3):
        server.plan(200, [])
    geocoder, waits = make(server, tmp_path, interval=100.0, limit_requests=3)
    for name in ("A-town", "B-town", "C-town"):
        geocoder.geocode(name)
    assert [round(w, -1) for w in waits] == [100, 200]
    with pytest.raises(GeocoderRefused, match="limit"):
        geocoder.geocode("D-town")
    assert geocoder.geocode("A-town") == ()


def test_the_public_server_is_asked_once_a_second_at_most(tmp_path: Path) -> None:
    assert NominatimGeocoder(interval=0.0, cache_path=tmp_path / "a.sqlite")._interval == 1.0


def test_an_unusable_cache_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(GazetteerError, match="cannot be kept"):
        NominatimGeocoder(cache_path=tmp_path / "file" / "answers.sqlite")


def test_the_registry(tmp_path: Path) -> None:
    assert {"gazetteer", "nominatim"} <= set(list_geocoders())
    assert isinstance(get_geocoder("nominatim", cache_path=tmp_path / "a.sqlite"), Geocoder)
    assert get_geocoder("gazetteer").geocode("Kramatorsk", countries=("UA",))[0].place.name == "Kramatorsk"
    with pytest.raises(UnknownGeocoder, match="gazetteer"):
        get_geocoder("crystal-ball")
    register_geocoder("mine", lambda: get_geocoder("gazetteer"))
    assert get_geocoder("mine").name == "gazetteer"


@lru_cache(maxsize=1)
def get_gazetteer() -> Gazetteer:
    return Gazetteer.open()


SERVICES: list[tuple[str, object, dict[str, list[str]]]] = [
    (
        "photon",
        {"features": [{"geometry": {"coordinates": [0.45, 13.38]}, "properties": {"name": "Nowhereville", "countrycode": "BF", "state": "Sahel", "type": "city"}},
                      {"geometry": {"coordinates": [9.9, 9.9]}, "properties": {"name": "Nowhereville", "countrycode": "NG", "type": "city"}}]},
        {"q": ["Nowhereville"], "limit": ["5"], "lang": ["en"]},
    ),
    (
        "pelias",
        {"features": [{"geometry": {"coordinates": [0.45, 13.38]}, "properties": {"name": "Nowhereville", "country_a": "BFA", "region": "Sahel", "layer": "locality", "confidence": 0.9}}]},
        {"text": ["Nowhereville"], "boundary.country": ["bf"], "lang": ["en"], "api_key": ["secret"]},
    ),
    (
        "arcgis",
        {"candidates": [{"address": "Nowhereville, Sahel", "location": {"x": 0.45, "y": 13.38}, "score": 95,
                         "attributes": {"Country": "BFA", "Region": "Sahel", "Addr_type": "Locality", "Type": "City"}}]},
        {"singleLine": ["Nowhereville"], "f": ["json"]},
    ),
    (
        "geonames",
        {"geonames": [{"lat": "13.38", "lng": "0.45", "name": "Nowhereville", "countryCode": "BF", "countryName": "Burkina Faso", "adminName1": "Sahel", "fcl": "P", "fcode": "PPL"}]},
        {"q": ["Nowhereville"], "username": ["secret"], "country": ["BF"]},
    ),
]  # fmt: skip


def make_other(server: Server, tmp_path: Path, name: str, **options: Any) -> Geocoder:
    options = {"key": "secret", "interval": 0.0, "sleep": lambda _s: None, **options}
    domain = f"127.0.0.1:{server.server_address[1]}"
    return get_geocoder(name, domain=domain, scheme="http", cache_path=tmp_path / "other.sqlite", **options)


@pytest.mark.parametrize(("name", "answer", "query"), SERVICES, ids=[s[0] for s in SERVICES])
def test_other_services_are_asked_in_their_own_way(
    server: Server, tmp_path: Path, name: str, answer: object, query: dict[str, list[str]]
) -> None:
    server.plan(200, answer)
    geocoder = make_other(server, tmp_path, name)
    for _ in range(2):
        (found,) = geocoder.geocode("Nowhereville", countries=("BF",))
        place = found.place
        assert (place.name, place.lat, place.lon, place.country) == ("Nowhereville", 13.38, 0.45, "BF")
        assert (place.kind, place.admin1, place.source) == ("settlement", "Sahel", name)
    assert len(server.requests) == 1
    asked = server.requests[0][1]
    assert {key: asked.get(key) for key in query} == query


@pytest.mark.parametrize("name", [s[0] for s in SERVICES])
@pytest.mark.parametrize(
    "body", ["{}", "[]", '{"features": [{}], "candidates": [{}], "geonames": [{}]}', "<html>", "null"]
)
def test_garbage_of_other_services_is_no_place(server: Server, tmp_path: Path, name: str, body: str) -> None:
    server.plan(200, body)
    geocoder = make_other(server, tmp_path, name)
    with contextlib.suppress(GeocoderUnavailable):
        assert geocoder.geocode("Nowhereville") == ()


@pytest.mark.parametrize("name", [s[0] for s in SERVICES])
def test_other_services_refuse_and_fail_as_nominatim_does(server: Server, tmp_path: Path, name: str) -> None:
    server.plan(403, "")
    with pytest.raises(GeocoderRefused):
        make_other(server, tmp_path, name).geocode("Nowhereville")
    server.plan(429, "")
    server.plan(503, "")
    with pytest.raises(GeocoderUnavailable):
        make_other(server, tmp_path, name, attempts=2).geocode("Nowhereville")
    assert len(server.requests) == 3


def test_a_missing_key_or_server_is_told(tmp_path: Path) -> None:
    with pytest.raises(GeocoderRefused, match="geocoder_key"):
        get_geocoder("geonames", cache_path=tmp_path / "a.sqlite")
    with pytest.raises(GeocoderRefused, match="geocoder_domain"):
        get_geocoder("pelias", cache_path=tmp_path / "a.sqlite")


def test_the_network_comes_last_and_only_when_given(server: Server, tmp_path: Path) -> None:
    gazetteer, context = get_gazetteer(), Context(countries={"BF": 1.0})
    assert resolve_online("Nowhereville", gazetteer=gazetteer, context=context).best is None
    geocoder, _ = make(server, tmp_path)
    assert resolve_online("Ouagadougou", gazetteer=gazetteer, context=context, online=geocoder).best is not None
    assert server.requests == []
    server.plan(200, [PLACE])
    found = resolve_online("Nowhereville", gazetteer=gazetteer, context=context, online=geocoder)
    assert found.best is not None
    assert found.best.place.source == "nominatim"
    assert "online" in found.reason
