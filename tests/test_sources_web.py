from __future__ import annotations

import gzip
import ipaddress
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.errors import SourceError, SourceFormatError, SourceUnavailable
from incidents.sources import FetchPolicy, read_source
from incidents.sources.web import IPAddress, fetch_item, is_address, is_public_address

PAGE = b"<html><head><title>Nova</title></head><body><article><p>Two were killed in Nova.</p></article></body></html>"


class _Server:
    """A local server that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append((self.path, dict(self.headers)))
                outer.answer(self)

            def log_message(self, *_args: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = handler.path
        if path.startswith("/to/"):
            handler.send_response(302)
            handler.send_header("Location", path.removeprefix("/to/"))
            handler.end_headers()
        elif path == "/loop":
            handler.send_response(301)
            handler.send_header("Location", "/loop")
            handler.end_headers()
        elif path == "/large":
            handler.send_response(200)
            handler.send_header("Content-Type", "text/html")
            handler.end_headers()
            for _ in range(40):
                handler.wfile.write(b"x" * 1000)
        elif path == "/bomb":
            self.send(handler, gzip.compress(b"0" * 5_000_000), "text/html", encoding="gzip")
        elif path == "/gzip":
            self.send(handler, gzip.compress(PAGE), "text/html", encoding="gzip")
        elif path == "/video":
            self.send(handler, b"....", "video/mp4")
        elif path == "/short":
            handler.send_response(200)
            handler.send_header("Content-Type", "text/html")
            handler.send_header("Content-Length", "5000")
            handler.end_headers()
            handler.wfile.write(PAGE)
        elif path == "/drip":
            handler.send_response(200)
            handler.send_header("Content-Type", "text/html")
            handler.end_headers()
            for _ in range(200):
                try:
                    handler.wfile.write(b"<p>")
                    handler.wfile.flush()
                except OSError:
                    return
                time.sleep(0.05)
        elif path == "/missing":
            handler.send_error(404)
        elif path == "/cyrillic":
            self.send(handler, "<p>Троє загиблих</p>".encode("cp1251"), "text/html; charset=windows-1251")
        else:
            self.send(handler, PAGE, "text/html; charset=utf-8")

    @staticmethod
    def send(handler: BaseHTTPRequestHandler, data: bytes, kind: str, *, encoding: str | None = None) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(data)))
        if encoding:
            handler.send_header("Content-Encoding", encoding)
        handler.end_headers()
        handler.wfile.write(data)


@pytest.fixture(scope="module")
def _server() -> Iterator[_Server]:
    server = _Server()
    yield server
    server.server.shutdown()


@pytest.fixture
def server(_server: _Server) -> _Server:
    _server.asked.clear()
    return _server


def make_policy(server: _Server, **changes: object) -> FetchPolicy:
    """Return a policy under which ``news.example`` is the local server, and only that."""

    def resolve(host: str, _port: int) -> list[str]:
        if host.endswith("news.example"):
            return ["127.0.0.1"]
        if host == "inside.example":
            return ["10.0.0.5"]
        if host == "half.example":
            return ["127.0.0.1", "192.168.1.1"]
        raise OSError("no such host")

    def is_allowed(address: IPAddress) -> bool:
        return address == ipaddress.ip_address("127.0.0.1")

    values: dict[str, object] = {
        "ports": frozenset({server.port}),
        "resolve": resolve,
        "is_allowed": is_allowed,
        "timeout_s": 10.0,
    }
    return FetchPolicy(**(values | changes))  # type: ignore[arg-type]


def test_an_article_by_its_address(server: _Server) -> None:
    policy = make_policy(server, contact="me@example.org")
    (report,) = read_source(f"http://news.example:{server.port}/a-b?q=ä", policy=policy)
    assert "Two were killed in Nova." in report.text
    assert report.url == f"http://news.example:{server.port}/a-b?q=ä"
    path, headers = server.asked[0]
    assert headers["Host"] == f"news.example:{server.port}"
    assert headers["User-Agent"].startswith("IncidentAtlas/")
    assert "me@example.org" in headers["User-Agent"]
    assert "Cookie" not in headers
    assert path == "/a-b?q=%C3%A4"


def test_redirects_are_followed_and_the_last_address_kept(server: _Server) -> None:
    base = f"http://news.example:{server.port}"
    item = fetch_item(f"{base}/to/http://www.news.example:{server.port}/x", policy=make_policy(server))
    assert item.url == f"http://www.news.example:{server.port}/x"
    assert item.name == "x"


def test_the_servers_charset_is_believed(server: _Server) -> None:
    (report,) = read_source(f"http://news.example:{server.port}/cyrillic", policy=make_policy(server))
    assert "Троє загиблих" in report.text


def test_packed_answers_are_unpacked_within_the_limit(server: _Server) -> None:
    base = f"http://news.example:{server.port}"
    assert fetch_item(f"{base}/gzip", policy=make_policy(server)).data == PAGE
    with pytest.raises(SourceFormatError, match="larger than the limit"):
        fetch_item(f"{base}/bomb", policy=make_policy(server, max_bytes=1_000_000))


@pytest.mark.parametrize(
    ("path", "changes", "error", "expected"),
    [
        ("/large", {"max_bytes": 10_000}, SourceFormatError, "larger than the limit"),
        ("/video", {}, SourceFormatError, "video/mp4"),
        ("/short", {}, SourceUnavailable, "broke off"),
        ("/drip", {"timeout_s": 0.5}, SourceUnavailable, "within 0.5 seconds"),
        ("/loop", {}, SourceUnavailable, "more than 5 redirects"),
        ("/missing", {}, SourceUnavailable, "answered 404"),
    ],
)
def test_bad_answers_have_a_line(
    server: _Server, path: str, changes: dict[str, object], error: type[SourceError], expected: str
) -> None:
    with pytest.raises(error, match=expected):
        fetch_item(f"http://news.example:{server.port}{path}", policy=make_policy(server, **changes))


@pytest.mark.parametrize(
    "target",
    [
        "http://inside.example:{port}/",
        "http://half.example:{port}/",
        "http://10.0.0.5:{port}/",
        "http://169.254.169.254:{port}/latest/",
        "http://news.example:22/",
        "file:///etc/hostname",
        "ftp://news.example/",
        "//inside.example:{port}/",
    ],
)
def test_each_redirect_is_checked_again(server: _Server, target: str) -> None:
    address = f"http://news.example:{server.port}/to/{target.format(port=server.port)}"
    with pytest.raises(SourceUnavailable, match="refused: only public"):
        fetch_item(address, policy=make_policy(server))
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8501/",
        "http://127.0.0.1/",
        "http://localhost/",
        "http://169.254.169.254/latest/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[fe80::1%25eth0]/",
        "http://[fd00::1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://127.0.0.1./",
        "http://１２７.０.０.１/",
        "http://100.100.100.200/",
        "http://10.1.2.3/",
        "http://172.16.0.1/",
        "http://192.168.0.1/",
        "http://0.0.0.0/",
        "http://255.255.255.255/",
        "http://224.0.0.1/",
        "http://user:pw@example.com/",
        "http://example.com\\@127.0.0.1/",
        "http://example.com:22/",
        "http://exam ple.com/",
        "http://example.com/\r\nHost: x",
        "http://%31%32%37.0.0.1/",
        "http:///etc/hostname",
        "file:///etc/hostname",
        "gopher://example.com/",
        "javascript://example.com/",
        "http://[::1",
        "http://example.com:99999/",
    ],
)
def test_addresses_that_are_refused_without_a_connection(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a connection was made")

    def look_up(host: str, *_args: object, **_kwargs: object) -> list[tuple[object, ...]]:
        known = {"localhost": "127.0.0.1"}
        return [(0, 0, 0, "", (known[host], 0))]

    monkeypatch.setattr("socket.create_connection", connect)
    monkeypatch.setattr("socket.getaddrinfo", look_up)
    with pytest.raises(SourceUnavailable, match=r"refused|not a host name"):
        fetch_item(address)


def test_the_connection_goes_to_the_address_that_was_checked(server: _Server) -> None:
    answers = [["127.0.0.1"], ["10.0.0.5"]]  # a name that changes between the check and the connection
    policy = make_policy(server, resolve=lambda _host, _port: answers.pop(0))
    assert fetch_item(f"http://news.example:{server.port}/", policy=policy).data == PAGE
    assert len(answers) == 1


def test_no_network_is_said(server: _Server) -> None:
    with pytest.raises(SourceUnavailable, match="no such host, or no network"):
        fetch_item(f"http://nowhere.test:{server.port}/", policy=make_policy(server))


@pytest.mark.parametrize("address", ["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111"])
def test_public_addresses(address: str) -> None:
    assert is_public_address(ipaddress.ip_address(address))


@given(st.ip_addresses(v=4, network="127.0.0.0/8") | st.ip_addresses(v=4, network="10.0.0.0/8"))
def test_no_inner_address_passes_in_any_ipv6_dress(address: ipaddress.IPv4Address) -> None:
    assert not is_public_address(address)
    for dressed in (f"::ffff:{address}", f"64:ff9b::{address}", f"::{address}"):
        assert not is_public_address(ipaddress.ip_address(dressed))
    six_to_four = ipaddress.IPv6Address((0x2002 << 112) | (int(address) << 80))
    assert not is_public_address(six_to_four)


def test_what_is_an_address_and_what_a_file() -> None:
    assert is_address("https://news.example/a")
    assert is_address("file:///etc/passwd")
    assert not is_address("article.html")
    assert not is_address("C:\\reports\\a.txt")


@given(st.text(max_size=60))
def test_any_address_is_refused_or_unreachable(text: str) -> None:
    policy = FetchPolicy(resolve=lambda _host, _port: [])
    with pytest.raises(SourceUnavailable):
        fetch_item(f"http://{text}", policy=policy)
