"""An article by its address, on a person's explicit command: public http(s) only, small, once, within a time.

An address is hostile input: it may point into the machine or the network this runs in (server-side request
forgery). So the name is resolved once, every address it resolves to must be public, the connection goes to exactly
the address that was checked (a second look-up could answer differently), and every redirect starts over.
Refused: loopback, private, link-local (cloud metadata), carrier-grade NAT, multicast, reserved and documentation
ranges, IPv4 inside IPv6 (mapped, 6to4, Teredo, NAT64), numeric spellings such as ``0x7f000001`` or ``127.1``,
user names in addresses, and ports other than 80 and 443. Proxies of the environment are not used.
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

import certifi

from incidents import __version__
from incidents.errors import SourceFormatError, SourceUnavailable
from incidents.sources.base import Item, Limits, sanitise_name

__all__ = ["FetchPolicy", "fetch_item", "is_address", "is_public_address", "resolve_host"]

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_NEVER = tuple(
    ipaddress.ip_network(n)
    for n in (
        # IANA special-purpose registries (RFC 6890 and updates), beside what `is_global` already refuses
        "100.64.0.0/10",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        # IPv6 forms that carry an IPv4 address: NAT64, local-use NAT64, Teredo, ORCHID, 6to4, and SRv6
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2001::/23",
        "2002::/16",
        "5f00::/16",
        "::/96",
    )
)
_TYPES = {
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
_REDIRECTS = {301, 302, 303, 307, 308}
_REFUSED = "refused: only public http and https addresses are fetched"


def is_address(location: str) -> bool:
    """Return whether a location given by a person is an address (``scheme://…``) and not a file."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.\-]*://", location) is not None


def is_public_address(address: IPAddress) -> bool:
    """Return whether an IP address belongs to the public internet, and to nothing else."""
    if address.version == 6 and address.ipv4_mapped is not None:
        return False
    if any(address.version == network.version and address in network for network in _NEVER):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def resolve_host(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host name, in the system's order."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """What may be fetched, and how.

    Attributes
    ----------
    max_bytes : int
        Size of the page, unpacked.
    timeout_s : float
        Seconds for everything, the redirects included.
    redirects : int
        How many are followed.
    ports : frozenset of int
    contact : str or None
        Shown to the server in the user agent.
    resolve, is_allowed : callable
        How names become addresses, and which addresses may be connected to.
    """

    max_bytes: int = Limits().article_bytes
    timeout_s: float = 20.0
    redirects: int = 5
    ports: frozenset[int] = frozenset({80, 443})
    contact: str | None = None
    resolve: Callable[[str, int], list[str]] = resolve_host
    is_allowed: Callable[[IPAddress], bool] = is_public_address

    @property
    def user_agent(self) -> str:
        """The user agent: who we are and, where set, whom to write to."""
        contact = re.sub(r"[^\x21-\x7e ]", "", self.contact or "")[:200]
        return f"IncidentAtlas/{__version__}" + (f" ({contact})" if contact else "")


@dataclass(frozen=True, slots=True)
class _Target:
    scheme: str
    host: str
    port: int
    path: str


def fetch_item(url: str, *, policy: FetchPolicy | None = None) -> Item:
    """Fetch one article by its address.

    Parameters
    ----------
    url : str
        An http or https address.
    policy : FetchPolicy, optional

    Returns
    -------
    Item
        The page's bytes, with the address it was finally found at.

    Raises
    ------
    SourceUnavailable
        The address is refused, cannot be reached, or answers with an error.
    SourceFormatError
        The answer is too large, or nothing that is read as an article.
    """
    policy = policy or FetchPolicy()
    deadline = time.monotonic() + policy.timeout_s
    current = url.strip()
    for _ in range(policy.redirects + 1):
        target = _parse_target(current, policy)
        addresses = _check_addresses(target, policy)
        answer = _ask(target, addresses, policy=policy, deadline=deadline)
        if isinstance(answer, str):
            current = urljoin(current, answer)
            continue
        data, charset = answer
        name = sanitise_name(urlsplit(current).path) if urlsplit(current).path.strip("/") else target.host
        return Item.from_bytes(data, name=name, url=current, charset=charset)
    raise SourceUnavailable(f"{target.host}: more than {policy.redirects} redirects")


def _parse_target(url: str, policy: FetchPolicy) -> _Target:
    shown = "".join(c if c.isprintable() else "?" for c in url[:200])
    if len(url) > 4000 or re.search(r"[\x00-\x20\x7f\\]", url):
        raise SourceUnavailable(f"{shown}: not an address ({_REFUSED})")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise SourceUnavailable(f"{shown}: not an address ({_REFUSED})") from error
    scheme = parts.scheme.lower()
    if scheme not in {"http", "https"} or not host or "@" in parts.netloc:
        raise SourceUnavailable(f"{shown}: {_REFUSED}")
    port = port or (443 if scheme == "https" else 80)
    if port not in policy.ports:
        raise SourceUnavailable(f"{shown}: port {port} is {_REFUSED}")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (
        "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~-._?") if parts.query else ""
    )
    return _Target(scheme, _normalise_host(host, shown), port, path)


def _normalise_host(host: str, shown: str) -> str:
    if ":" in host:
        try:
            return str(ipaddress.IPv6Address(host))  # a zone ("%eth0") is refused here or by the check of the address
        except ValueError as error:
            raise SourceUnavailable(f"{shown}: {_REFUSED}") from error
    try:
        # IDNA also folds full-width digits and dots, which must not slip past the test below
        host = host.encode("idna").decode("ascii").lower().rstrip(".")
    except UnicodeError as error:
        raise SourceUnavailable(f"{shown}: not a host name") from error
    if not re.fullmatch(r"[a-z0-9_](?:[a-z0-9_.\-]*[a-z0-9_])?", host):
        raise SourceUnavailable(f"{shown}: not a host name")
    if re.fullmatch(r"0x[0-9a-f]*|[0-9]+", host.rsplit(".", maxsplit=1)[-1]):
        # WHATWG URL: a host whose last label is a number is an IPv4 address; only the plain spelling passes
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError as error:
            raise SourceUnavailable(f"{shown}: {_REFUSED}") from error
    return host


def _check_addresses(target: _Target, policy: FetchPolicy) -> list[str]:
    try:
        found = [str(ipaddress.ip_address(target.host))]
    except ValueError:
        try:
            found = policy.resolve(target.host, target.port)
        except (OSError, UnicodeError) as error:
            raise SourceUnavailable(f"{target.host}: no such host, or no network") from error
    for address in found:
        try:
            allowed = policy.is_allowed(ipaddress.ip_address(address))
        except ValueError:
            allowed = False
        if not allowed:
            raise SourceUnavailable(f"{target.host}: {_REFUSED}")
    if not found:
        raise SourceUnavailable(f"{target.host}: no such host")
    return found


def _ask(
    target: _Target, addresses: list[str], *, policy: FetchPolicy, deadline: float
) -> str | tuple[bytes, str | None]:
    """Ask once; return where it redirects to, or the body and its stated encoding."""
    channel = _connect(target, addresses, deadline=deadline)
    # A server that sends a byte now and then never lets a socket time out: the clock closes it.
    clock = threading.Timer(max(0.0, deadline - time.monotonic()), _shut, args=(channel,))
    clock.daemon = True
    clock.start()
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.sock = channel
    try:
        headers = {
            "User-Agent": policy.user_agent,
            "Accept": ", ".join(sorted(_TYPES)),
            "Accept-Encoding": "identity",
            "Connection": "close",
        }
        if target.port == (443 if target.scheme == "https" else 80):
            # http.client knows of plain http only and would write ":443"
            headers["Host"] = f"[{target.host}]" if ":" in target.host else target.host
        connection.request("GET", target.path, headers=headers)
        response = connection.getresponse()
        if response.status in _REDIRECTS:
            return _read_location(response, target)
        if response.status != 200:
            raise SourceUnavailable(
                f"{target.host}: answered {response.status} {http.client.responses.get(response.status, '')}"
            )
        return _read_body(response, target, policy, deadline=deadline)
    except (OSError, http.client.HTTPException, zlib.error) as error:
        if isinstance(error, SourceUnavailable):
            raise
        if time.monotonic() >= deadline:
            raise SourceUnavailable(f"{target.host}: no complete answer within {policy.timeout_s:g} seconds") from error
        raise SourceUnavailable(f"{target.host}: the answer broke off ({type(error).__name__})") from error
    finally:
        clock.cancel()
        connection.close()


def _connect(target: _Target, addresses: list[str], *, deadline: float) -> socket.socket:
    last: OSError | None = None
    for address in addresses[:4]:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        try:
            plain = socket.create_connection((address, target.port), timeout=left)
        except OSError as error:
            last = error
            continue
        if target.scheme == "http":
            return plain
        try:
            context = ssl.create_default_context(cafile=certifi.where())
            return context.wrap_socket(plain, server_hostname=target.host)
        except OSError as error:
            plain.close()
            last = error
    words = "its certificate is not valid" if isinstance(last, ssl.SSLCertVerificationError) else "cannot be reached"
    raise SourceUnavailable(f"{target.host}: {words}") from last


def _shut(channel: socket.socket) -> None:
    try:
        channel.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # already closed: nothing left to stop


def _read_location(response: http.client.HTTPResponse, target: _Target) -> str:
    location = response.getheader("Location")
    if not location:
        raise SourceUnavailable(f"{target.host}: redirects to nowhere")
    # header bytes arrive as Latin-1; what was UTF-8 becomes itself again and is quoted
    return quote(location.encode("latin-1", "replace"), safe="/%:@!$&'()*+,;=~-._?#[]")


def _read_body(
    response: http.client.HTTPResponse, target: _Target, policy: FetchPolicy, *, deadline: float
) -> tuple[bytes, str | None]:
    kind = response.headers.get_content_type() if response.getheader("Content-Type") else "text/html"
    if kind not in _TYPES:
        shown = "".join(c for c in kind if c.isprintable())[:60]
        raise SourceFormatError(f"{target.host}: the answer is {shown}, not a page, a text, a PDF or a Word document")
    too_large = SourceFormatError(
        f"{target.host}: the page is larger than the limit of {policy.max_bytes / 1e6:.0f} MB"
    )
    stated = response.getheader("Content-Length") or ""
    if stated.isdigit() and int(stated) > policy.max_bytes:
        raise too_large
    encoding = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if encoding not in {"identity", "gzip", "x-gzip", "deflate"}:
        raise SourceFormatError(f"{target.host}: sends the page packed in a way we did not ask for")
    data = response.read(policy.max_bytes + 1)
    if stated.isdigit() and len(data) < int(stated):
        raise http.client.IncompleteRead(b"")
    if time.monotonic() >= deadline:
        # the clock closed the connection, which looks like the end of a page without a stated length
        raise TimeoutError
    if encoding != "identity":
        # 32: gzip or zlib by its own header; the limit stops a bomb while it unpacks
        data = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32).decompress(data, policy.max_bytes + 1)
    if len(data) > policy.max_bytes:
        raise too_large
    return data, response.headers.get_content_charset()
