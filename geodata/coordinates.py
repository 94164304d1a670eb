# ruff: noqa: E501 - patterns and embedded scripts are easier to check unbroken
"""Reading and checking latitudes and longitudes as people and tables write them.

Everything here is WGS84 degrees. What cannot be read is an error that says why; what can be read but looks wrong
(swapped, metres, the filler 0,0) is told by `find_problem` with an offered repair and never repaired silently.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass

from geodata.errors import CoordinateError

__all__ = ["CoordinateProblem", "check_coordinate", "find_problem", "parse_coordinate", "parse_point"]

_NUMBER = r"\d+(?:[.]\d+)?|[.]\d+"
_DEGREES, _MINUTES, _SECONDS = r"(?:°|deg(?:rees?)?|d)", r"(?:'|m(?:in(?:utes?)?)?)", r"(?:\"|''|s(?:ec(?:onds?)?)?)"
_ANGLE = re.compile(
    rf"""^\s*(?P<before>[NSEW])?\s*(?P<sign>[+-])?\s*(?P<d>{_NUMBER})\s*(?:{_DEGREES}|:)?
    (?:\s*(?P<m>{_NUMBER})\s*(?:{_MINUTES}|:)?)?(?:\s*(?P<s>{_NUMBER})\s*{_SECONDS}?)?\s*(?P<after>[NSEW])?\s*$""",
    re.VERBOSE | re.IGNORECASE,
)
_WKT = re.compile(
    r"^\s*(?:SRID=4326;)?\s*POINT\s*(?:Z|M|ZM)?\s*\(\s*(\S+)\s+(\S+)(?:\s+\S+){0,2}\s*\)\s*$", re.IGNORECASE
)
_PLAIN = re.compile(rf"[+-]?(?:{_NUMBER})(?:e[+-]?\d+)?", re.IGNORECASE)
_COMMA_PAIR = re.compile(r"^\s*([+-]?\d+,\d+)\s*(?:[;|/\s]|,\s)\s*([+-]?\d+,\d+)\s*$")
_LONGEST = 200
_CHARACTERS = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "º": "°", "˚": "°", "′": "'", "’": "'", "‘": "'", "ʹ": "'", "`": "'", "´": "'",
     "″": '"', "”": '"', "“": '"', "ʺ": '"', "٫": ".", "٬": "", "\u00a0": " ", "\u200e": "", "\u200f": "", "\ufeff": ""}
)  # fmt: skip


def _clean(text: str) -> str:
    if len(text) > _LONGEST:
        raise CoordinateError(f"A coordinate has at most {_LONGEST} characters, this text has {len(text)}.")
    # digits of every script to 0-9, before NFKC turns "º" into "o"
    text = text.translate(_CHARACTERS)
    return "".join(str(unicodedata.decimal(c, None) if unicodedata.decimal(c, None) is not None else c) for c in text)


def check_coordinate(lat: float, lon: float) -> None:
    """Check that a point is finite and in range.

    Parameters
    ----------
    lat, lon : float
        Degrees; latitude -90 to 90, longitude -180 to 180.

    Raises
    ------
    CoordinateError
        Naming the value and the rule.
    """
    for name, value, limit in (("latitude", lat, 90), ("longitude", lon, 180)):
        if not math.isfinite(value):
            raise CoordinateError(f"The {name} {value} is not a number.")
        if abs(value) > limit:
            raise CoordinateError(f"The {name} {value:g} is outside -{limit} to {limit}.")


def parse_coordinate(text: str | float, *, axis: str | None = None) -> float:
    """Read one latitude or longitude.

    Parameters
    ----------
    text : str or float
        ``48.5944``, ``48,5944``, ``48°35'40"N``, ``N48.99``, ``7 42 04 N``, ``-0 13 00``; digits of any script.
    axis : {"lat", "lon"}, optional
        What it must be; range and hemisphere letter are then checked.

    Returns
    -------
    float
        Degrees; south and west negative.

    Raises
    ------
    CoordinateError
        Unreadable, out of range, or contradictory (a sign and a hemisphere letter, ``E`` in a latitude).
    """
    if isinstance(text, int | float) and not isinstance(text, bool):
        value, letter = float(text), ""
    else:
        value, letter = _parse_angle(str(text))
    if not math.isfinite(value):
        raise CoordinateError(f"The coordinate {text!r} is not a number.")
    if letter and axis and (letter in "NS") != (axis == "lat"):
        raise CoordinateError(
            f"{text!r} is marked {letter}, so it is not a {'latitude' if axis == 'lat' else 'longitude'}."
        )
    limit = 90 if axis == "lat" or letter in {"N", "S"} else 180
    if axis and abs(value) > limit:
        raise CoordinateError(
            f"The {'latitude' if axis == 'lat' else 'longitude'} {text!r} is outside -{limit} to {limit}."
        )
    if letter and abs(value) > limit:
        raise CoordinateError(f"The coordinate {text!r} is outside -{limit} to {limit}.")
    return value


def _parse_angle(text: str) -> tuple[float, str]:
    cleaned = _clean(text).strip()
    if _PLAIN.fullmatch(cleaned):
        return float(cleaned), ""
    if re.fullmatch(r"[^,]*\d,\d+[^,]*", cleaned):  # one comma between digits is a decimal comma
        cleaned = cleaned.replace(",", ".")
    found = _ANGLE.match(cleaned)
    if not found:
        raise CoordinateError(f"{text!r} is not a coordinate. Write it like 48.5944 or 48°35'40\"N.")
    before, after = (found["before"] or "").upper(), (found["after"] or "").upper()
    if before and after:
        raise CoordinateError(f"{text!r} has two hemisphere letters.")
    letter = before or after
    if letter and found["sign"]:
        raise CoordinateError(f"{text!r} has both a sign and a hemisphere letter; leave one out.")
    parts = [found["d"], found["m"], found["s"]]
    given = [part for part in parts if part is not None]
    if any("." in part for part in given[:-1]):
        raise CoordinateError(f"{text!r}: only the last of degrees, minutes and seconds may have decimals.")
    degrees, minutes, seconds = (float(part or 0) for part in parts)
    if minutes >= 60 or seconds >= 60:
        raise CoordinateError(f"{text!r}: minutes and seconds are below 60.")
    value = degrees + minutes / 60 + seconds / 3600
    # the sign stands before the degrees, so it also counts where they are 0
    return (-value if found["sign"] == "-" or letter in {"S", "W"} else value), letter


def parse_point(text: str) -> tuple[float, float]:
    """Read a point written in one text.

    Parameters
    ----------
    text : str
        ``48.59, 37.99``; ``48,59; 37,99``; ``48°35'40"N 37°59'57"E``; ``E037.808 N48.990``; ``POINT (37.99 48.59)``
        (WKT: longitude first); ``48.59 37.99 120 5`` (latitude, longitude, altitude, accuracy).

    Returns
    -------
    tuple of float
        Latitude and longitude in degrees.

    Raises
    ------
    CoordinateError
        Unreadable, ambiguous or out of range.
    """
    cleaned = _clean(text).strip()
    wkt = _WKT.match(cleaned)
    if wkt:
        return _pair(wkt[2], wkt[1], text)
    commas = _COMMA_PAIR.match(cleaned)
    if commas:
        return _pair(commas[1], commas[2], text)
    numbers = re.split(r"\s*[,;|]\s*|\s+", cleaned)
    if 2 <= len(numbers) <= 4 and all(_PLAIN.fullmatch(n) for n in numbers):
        separators = set(re.findall(r"[,;|]", cleaned))
        if len(numbers) != 2 and separators:
            raise CoordinateError(
                f"{text!r} can be read in several ways. Separate the two with a semicolon or a space."
            )
        return _pair(numbers[0], numbers[1], text)
    for left, right in _splits(cleaned):
        try:
            first, second = _parse_angle(left), _parse_angle(right)
        except CoordinateError:
            continue
        if not (first[1] or second[1]) and not re.search(r"[°'\"]|deg", cleaned, re.IGNORECASE):
            continue  # bare numbers were read above; splitting six of them is a guess
        if first[1] in {"E", "W"} or second[1] in {"N", "S"}:
            left, right = right, left  # noqa: PLW2901 - longitude was written first, and says so
        return _pair(left, right, text)
    raise CoordinateError(f"{text!r} is not a point. Write it like 48.5944, 37.9992.")


def _splits(text: str) -> list[tuple[str, str]]:
    """List the ways to cut a text in two, most telling first: at separators, after letters, before letters."""
    cuts = [m.span() for m in re.finditer(r"\s*[,;|/]\s*", text)]
    cuts += [(m.end(), m.end()) for m in re.finditer(r"(?<=[\d\"'°\s])[NSEW](?=\s*[\d+-])", text, re.IGNORECASE)]
    cuts += [(m.start(), m.start()) for m in re.finditer(r"(?<=[\d\"'°\s])[NSEW](?=\s*\d)", text, re.IGNORECASE)]
    cuts += [m.span() for m in re.finditer(r"\s+", text)]
    return [(text[:a], text[b:]) for a, b in cuts if text[:a].strip() and text[b:].strip()]


def _pair(lat: str, lon: str, text: str) -> tuple[float, float]:
    try:
        return parse_coordinate(lat, axis="lat"), parse_coordinate(lon, axis="lon")
    except CoordinateError as error:
        raise CoordinateError(f"{text!r}: {error}") from error


@dataclass(frozen=True, slots=True)
class CoordinateProblem:
    """What looks wrong with a point.

    Attributes
    ----------
    kind : str
        ``not_finite``, ``null_island``, ``out_of_range``, ``swapped`` or ``projected``.
    message : str
        One plain sentence with the values.
    suggestion : tuple of float or None
        The offered point (latitude, longitude); for a person to accept.
    """

    kind: str
    message: str
    suggestion: tuple[float, float] | None = None


def find_problem(lat: float, lon: float, *, country: str | None = None) -> CoordinateProblem | None:
    """Find what looks wrong with a point; None when nothing does.

    Parameters
    ----------
    lat, lon : float
        As read; degrees are expected.
    country : str, optional
        ISO 3166-1 alpha-2 code of the country the row names. A point outside it that falls inside when latitude and
        longitude change places is called swapped.

    Returns
    -------
    CoordinateProblem or None
        A latitude or longitude of 0 alone is an ordinary value; only both at once are the filler of missing points.
    """
    if not (math.isfinite(lat) and math.isfinite(lon)):
        return CoordinateProblem("not_finite", f"{lat}, {lon} is not a point.")
    if lat == 0 and lon == 0:
        return CoordinateProblem(
            "null_island", "0, 0 stands for a missing location, not for a place in the Gulf of Guinea."
        )
    if abs(lat) > 90 or abs(lon) > 180:
        if max(abs(lat), abs(lon)) > 1000:
            message = (
                f"{lat:g}, {lon:g} look like metres of a map projection, not degrees. Tell which one (its EPSG code)."
            )
            return CoordinateProblem("projected", message)
        if abs(lon) <= 90 and abs(lat) <= 180:
            message = f"Latitude and longitude look swapped: {lat:g} is no latitude; {lon:g}, {lat:g} would be a point."
            return CoordinateProblem("swapped", message, (lon, lat))
        return CoordinateProblem(
            "out_of_range", f"{lat:g}, {lon:g} is outside latitude -90 to 90, longitude -180 to 180."
        )
    if country and abs(lon) <= 90:
        from geodata.boundaries import find_area  # noqa: PLC0415 - boundaries checks its points with this module

        here, there = find_area(lat, lon), find_area(lon, lat)
        if (here is None or here.country != country) and there is not None and there.country == country:
            message = f"Latitude and longitude look swapped: {lat:g}, {lon:g} is not in {country}, {lon:g}, {lat:g} is."
            return CoordinateProblem("swapped", message, (lon, lat))
    return None
