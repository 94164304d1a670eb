"""Fetching a GeoNames file, only on a person's explicit command.

Besides the geocoder this is the one module of `geodata` that uses the network. The server is slow and its files are
replaced daily under the same address, so a download that broke off goes on where it stopped (``Range``), but only if
the file is still the same (``If-Range``).
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import certifi

from geodata.countries import load_country_table
from geodata.errors import GazetteerError
from geodata.index import get_cache_dir
from geodata.locks import hold_lock

__all__ = ["DEFAULT_URL", "Download", "download_table"]

DEFAULT_URL = "https://download.geonames.org/export/dump"
_USER_AGENT = "incident-atlas (place names, on a person's command)"
_MAX_BYTES = 2_000_000_000  # nearly five times allCountries.zip
_CHUNK = 1 << 16
_LONGEST_PAUSE = 60.0  # seconds

Progress = Callable[[int, int], None]
"""Called with (bytes so far, bytes in all or 0 where the server does not say)."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file that was fetched whole.

    Attributes
    ----------
    path : Path
        Where it lies; the caller's to delete.
    url : str
        Where it came from.
    size : int
        Bytes.
    last_modified : str
        As the server said it; empty where it did not.
    """

    path: Path
    url: str
    size: int
    last_modified: str


class _Broken(Exception):
    """The connection broke or the server is busy; trying again may work."""

    def __init__(self, message: str, *, pause: float | None = None) -> None:
        super().__init__(message)
        self.pause = pause


class _SameOrSafer(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but never from https to something open."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if urlsplit(newurl).scheme not in {"https", urlsplit(req.full_url).scheme}:
            raise GazetteerError(
                f"{urlsplit(req.full_url).hostname} redirects to an unsafe address; nothing was fetched."
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download_table(
    country: str,
    *,
    names: bool = False,
    base_url: str = DEFAULT_URL,
    folder: Path | None = None,
    progress: Progress | None = None,
    attempts: int = 5,
    timeout: float = 30.0,
    sleep: Callable[[float], None] = time.sleep,
) -> Download:
    """Fetch a country's dump, or its table of alternate names.

    Parameters
    ----------
    country : str
        ISO 3166-1 alpha-2.
    names : bool
        The alternate names (``alternatenames/BF.zip``) rather than the places (``BF.zip``).
    base_url : str
        GeoNames' server, or a mirror of it.
    folder : Path, optional
        Where files go, also half ones until the next try. Default: ``downloads`` in the cache directory.
    progress : callable, optional
        Called with (bytes so far, bytes in all).
    attempts : int
        So many tries in a row that bring nothing new end it.
    timeout : float
        Seconds to wait for the server's next word.
    sleep : callable
        Waits; replaced in tests.

    Returns
    -------
    Download

    Raises
    ------
    GazetteerError
        No such country, no such file, no answer, or no room. What has come so far is kept, and the next call goes on.
    """
    code = country.strip().upper()
    if code not in load_country_table():
        raise GazetteerError(f"{country!r} is no country; write its two-letter code, like BF for Burkina Faso.")
    if urlsplit(base_url).scheme not in {"http", "https"} or not urlsplit(base_url).hostname:
        raise GazetteerError(f"{base_url!r} is no web address to download from (setting geonames_url).")
    url = f"{base_url.rstrip('/')}/{'alternatenames/' if names else ''}{code}.zip"
    folder = folder or get_cache_dir() / "downloads"
    target = folder / f"{code}{'-names' if names else ''}.zip"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with hold_lock(target.with_suffix(".lock")):
            job = _Job(url, target, progress or (lambda _done, _total: None), timeout)
            return job.run(attempts, sleep)
    except OSError as error:
        if isinstance(error, GazetteerError):
            raise
        raise GazetteerError(f"The download cannot be written to {folder}: {error.strerror or error}.") from error


class _Job:
    """One file, in as many tries as it takes."""

    def __init__(self, url: str, target: Path, progress: Progress, timeout: float) -> None:
        self.url = url
        self.host = urlsplit(url).hostname or url
        self.target = target
        self.part = target.with_suffix(".part")
        self.note = target.with_suffix(".json")
        self.progress = progress
        self.timeout = timeout
        context = ssl.create_default_context()
        context.load_verify_locations(certifi.where())  # some systems have no certificates of their own
        self.opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), _SameOrSafer)

    def run(self, attempts: int, sleep: Callable[[float], None]) -> Download:
        failures = 0
        while True:
            before = self.get_size()
            try:
                return self.fetch()
            except _Broken as error:
                failures = 1 if self.get_size() > before else failures + 1
                if failures >= attempts:
                    kept = f" {self.get_size():,} bytes are kept: the same command goes on from there."
                    raise GazetteerError(f"{self.host}: {error}.{kept if self.get_size() else ''}") from error
                pause = error.pause if error.pause is not None else float(2**failures)
                if pause > _LONGEST_PAUSE:
                    raise GazetteerError(f"{self.host}: asks to be left alone for {pause:.0f} seconds.") from error
                sleep(pause)

    def get_size(self) -> int:
        try:
            return self.part.stat().st_size
        except FileNotFoundError:
            return 0

    def read_note(self) -> dict[str, Any]:
        """Read what is known of the half file; nothing where that is not of this address."""
        try:
            note = json.loads(self.note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return note if isinstance(note, dict) and note.get("url") == self.url else {}

    def forget(self) -> None:
        for path in (self.part, self.note):
            path.unlink(missing_ok=True)

    def fetch(self) -> Download:
        note, have = self.read_note(), self.get_size()
        headers = {"User-Agent": _USER_AGENT, "Accept-Encoding": "identity"}
        validator = str(note.get("validator") or "")
        if have and validator:
            headers |= {"Range": f"bytes={have}-", "If-Range": validator}
        elif have:
            self.forget()
            have = 0
        try:
            request = urllib.request.Request(self.url, headers=headers)  # noqa: S310 - the scheme is checked above
            with self.opener.open(request, timeout=self.timeout) as answer:
                return self.take(answer, have, note)
        except urllib.error.HTTPError as error:
            with error:
                return self.refuse(error, have, note)
        except urllib.error.URLError as error:
            reason = error.reason
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise GazetteerError(f"{self.host}: its certificate is not valid; nothing was fetched.") from error
            raise _Broken(f"cannot be reached ({reason})") from error
        except (http.client.HTTPException, TimeoutError, ConnectionError, ssl.SSLError) as error:
            raise _Broken(f"the connection broke ({type(error).__name__})") from error

    def refuse(self, error: urllib.error.HTTPError, have: int, note: dict[str, Any]) -> Download:
        """Act on an answer that is no file."""
        if error.code == 416:
            # either the half file was whole, or the file has become shorter: then from the start
            if re.fullmatch(rf"bytes \*/{have}", error.headers.get("Content-Range", "")) and note.get("size") == have:
                return self.finish(note)
            self.forget()
            raise _Broken("the file has changed")
        if error.code == 404:
            raise GazetteerError(f"{self.host}: has no file {urlsplit(self.url).path} (404).")
        if error.code == 429 or error.code >= 500:
            after = error.headers.get("Retry-After", "")
            raise _Broken(f"is busy ({error.code})", pause=float(after) if after.isdigit() else None)
        raise GazetteerError(f"{self.host}: refuses the file ({error.code}).")

    def take(self, answer: Any, have: int, note: dict[str, Any]) -> Download:
        """Write an answer to the half file, from where it stopped or from the start."""
        headers: Message = answer.headers
        length = headers.get("Content-Length", "")
        if answer.status == 206:
            found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", headers.get("Content-Range", ""))
            if not found or int(found[1]) != have:
                self.forget()
                raise _Broken("sent another part than the one asked for")
            total = int(found[2]) if found[2] != "*" else int(note.get("size") or 0)
        else:
            have = 0
            total = int(length) if length.isdigit() else 0
            etag = headers.get("ETag", "")
            modified = headers.get("Last-Modified", "")
            # a weak tag may stay the same while bytes change, so it is no ground to go on from
            validator = etag if etag.startswith('"') else modified
            note = {"url": self.url, "size": total, "last_modified": modified, "validator": validator}
            self.part.unlink(missing_ok=True)
            self.note.write_text(json.dumps(note), encoding="utf-8")
        if total > _MAX_BYTES:
            raise GazetteerError(f"{self.host}: the file has {total:,} bytes, more than the limit of {_MAX_BYTES:,}.")
        with self.part.open("ab") as file:
            self.progress(have, total)
            while chunk := answer.read(_CHUNK):
                file.write(chunk)
                have += len(chunk)
                self.progress(have, total)
                if have > _MAX_BYTES or (total and have > total):
                    break
        if total and have < total:
            raise _Broken(f"the connection broke after {have:,} of {total:,} bytes")
        if have > _MAX_BYTES or (total and have > total):
            self.forget()
            raise GazetteerError(f"{self.host}: sends more bytes than it said.")
        return self.finish(note)

    def finish(self, note: dict[str, Any]) -> Download:
        size = self.get_size()
        with contextlib.suppress(FileNotFoundError):
            self.note.unlink()
        with self.part.open("rb+") as file:
            os.fsync(file.fileno())
        self.part.replace(self.target)
        return Download(self.target, self.url, size, str(note.get("last_modified") or ""))
