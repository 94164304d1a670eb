"""Settings: frozen, and read in one order: defaults, a TOML file, the environment, flags.

Every field can be set in ``incidents.toml`` (under its own name), in the environment (``INCIDENTS_`` and the name in
capitals) or by a flag. A key that does not exist is an error that names where it stands: a misspelt setting must
not be silently without effect.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from incidents.errors import SettingsError

__all__ = ["BOUNDARY_POLICIES", "CONFIG_NAME", "DEFAULT_DATABASE_URL", "Settings", "hide_password"]

CONFIG_NAME = "incidents.toml"
DEFAULT_DATABASE_URL = "sqlite:///incidents.db"
BOUNDARY_POLICIES: tuple[str, ...] = ("un", "de_facto")

_PREFIX = "INCIDENTS_"
_CONFIG_VARIABLE = "INCIDENTS_CONFIG"
# read where they are used, by geodata too, which knows no settings
_OTHER_VARIABLES = frozenset({_CONFIG_VARIABLE, "INCIDENTS_CACHE_DIR"})
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def hide_password(url: str) -> str:
    """Return a database address with its password, and secrets in its query, replaced by ``***``."""
    masked = re.sub(r"(?<=://)([^/?#@]*?):[^/?#]*@", r"\1:***@", url)
    return re.sub(r"(?i)([?&](?:password|passwd|pwd|token|key|secret|sslpassword)=)[^&#]*", r"\1***", masked)


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """Everything that can be set.

    Attributes
    ----------
    database_url : str
        SQLAlchemy address of the book of incidents.
    online : bool
        Whether network geocoding is allowed without asking each time. Off by default.
    geocoder : str
        The network geocoder's name in `geodata.geocode`: nominatim, photon, pelias, arcgis or geonames.
    geocoder_domain : str or None
        Its server, where it is not the usual one (``nominatim.example.org``).
    geocoder_key : str or None
        Its key; for geonames the name of the account.
    gazetteer_path : Path or None
        The place index; None for the one in the user's cache directory.
    geonames_url : str
        Where ``gazetteer download`` fetches from: GeoNames' server, or a mirror of it.
    boundaries_policy : str
        ``un`` draws Crimea and Sevastopol as ISO 3166-2 has them; ``de_facto`` as Natural Earth has them.
    max_upload_mb : int
        Largest article that is read, megabytes.
    max_table_mb : int
        Largest table that is read, megabytes.
    fetch : bool
        Whether an article may be fetched by its address on a person's command.
    fetch_timeout_s : float
        Seconds that fetching one article may take in all.
    contact : str or None
        Address of the person responsible, shown to servers in our user agent.
    who : str
        The name written into the history; the login name where empty.
    """

    database_url: str = DEFAULT_DATABASE_URL
    online: bool = False
    geocoder: str = "nominatim"
    geocoder_domain: str | None = None
    geocoder_key: str | None = None
    gazetteer_path: Path | None = None
    geonames_url: str = "https://download.geonames.org/export/dump"
    boundaries_policy: str = "un"
    max_upload_mb: int = 20
    max_table_mb: int = 1024
    fetch: bool = True
    fetch_timeout_s: float = 20.0
    contact: str | None = None
    who: str = ""

    def __repr__(self) -> str:
        """Return the settings with passwords hidden."""
        shown = (f"{f.name}={_show(f.name, getattr(self, f.name))}" for f in fields(self))
        return f"Settings({', '.join(shown)})"

    @classmethod
    def load(cls, path: Path | None = None, environ: Mapping[str, str] | None = None, **flags: object) -> Settings:
        """Read the settings: defaults < TOML < environment < flags.

        Parameters
        ----------
        path : Path, optional
            The TOML file. By default the one named by ``INCIDENTS_CONFIG``, else ``incidents.toml`` in the working
            directory where there is one.
        environ : mapping, optional
            The environment; by default the process's own.
        **flags
            Values from the command line by field name; None means "not given".

        Raises
        ------
        SettingsError
            An unknown key, or a value that cannot be used, with the place where it stands.
        """
        environ = os.environ if environ is None else environ
        values: dict[str, object] = {}
        for origin, found in (
            _read_toml(path, environ),
            ("environment", _read_environment(environ)),
            ("command line", {k: v for k, v in flags.items() if v is not None}),
        ):
            for key, value in found.items():
                values[key] = _convert(key, value, where=_locate(origin, key))
        return replace(cls(), **values)  # type: ignore[arg-type]  # each value was converted to its field's type


def _show(name: str, value: object) -> str:
    if name == "geocoder_key" and value:
        return "***"
    return repr(hide_password(value)) if name == "database_url" and isinstance(value, str) else repr(value)


def _locate(origin: str, key: str) -> str:
    if origin == "environment":
        return f"environment variable {_PREFIX}{key.upper()}"
    return f"{origin}, setting {key}"


def _read_toml(path: Path | None, environ: Mapping[str, str]) -> tuple[str, dict[str, object]]:
    named = path or (Path(environ[_CONFIG_VARIABLE]) if environ.get(_CONFIG_VARIABLE) else None)
    chosen = named or Path(CONFIG_NAME)
    try:
        if named is None and not chosen.is_file():
            return str(chosen), {}
        return str(chosen), tomllib.loads(chosen.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError(f"{chosen}: cannot be read ({error.strerror or error})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{chosen}: not a TOML file ({error})") from error


# Read elsewhere: the settings file's own name, and where the place index lives (`geodata.index`).
_OTHER_VARIABLES = frozenset({_CONFIG_VARIABLE, "INCIDENTS_CACHE_DIR"})


def _read_environment(environ: Mapping[str, str]) -> dict[str, object]:
    return {
        name.removeprefix(_PREFIX).lower(): value
        for name, value in environ.items()
        if name.startswith(_PREFIX) and name not in _OTHER_VARIABLES and value != ""
    }


def _convert(key: str, value: object, *, where: str) -> object:
    known = {f.name: f for f in fields(Settings)}
    if key not in known:
        raise SettingsError(f"{where}: no such setting; known are {', '.join(known)}")
    kind = str(known[key].type)
    if kind == "bool":
        return _convert_bool(value, where=where)
    if kind in {"int", "float"}:
        return _convert_number(value, whole=kind == "int", where=where)
    if not isinstance(value, (str, Path)):
        raise SettingsError(f"{where}: {value!r} is not a text")
    if kind.startswith("Path"):
        return Path(value).expanduser()
    text = str(value)
    if key == "boundaries_policy" and text not in BOUNDARY_POLICIES:
        raise SettingsError(f"{where}: {text!r} is not one of {', '.join(BOUNDARY_POLICIES)}")
    if key == "database_url" and "://" not in text:
        raise SettingsError(f"{where}: not a database address; write for example {DEFAULT_DATABASE_URL}")
    if any(ord(c) < 32 for c in text):
        raise SettingsError(f"{where}: contains a control character")
    return text


def _convert_bool(value: object, *, where: str) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().casefold()
    if word in _TRUE | _FALSE:
        return word in _TRUE
    raise SettingsError(f"{where}: {value!r} is neither true nor false")


def _convert_number(value: object, *, whole: bool, where: str) -> int | float:
    if not isinstance(value, bool):
        try:
            number = int(str(value)) if whole else float(str(value))
        except ValueError:
            number = 0
        if 0 < number < 1_000_000:
            return number
    raise SettingsError(f"{where}: {value!r} is not a {'whole ' if whole else ''}number above 0")
