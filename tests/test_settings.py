from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incidents.errors import SettingsError
from incidents.settings import DEFAULT_DATABASE_URL, Settings, hide_password


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_defaults_need_nothing() -> None:
    settings = Settings.load(environ={})
    assert settings.database_url == DEFAULT_DATABASE_URL
    assert settings.online is False
    assert settings == Settings()


def test_each_layer_overrules_the_one_before(tmp_path: Path) -> None:
    (tmp_path / "incidents.toml").write_text('database_url = "sqlite:///a.db"\nwho = "toml"\nmax_upload_mb = 5\n')
    environ = {"INCIDENTS_DATABASE_URL": "sqlite:///b.db", "INCIDENTS_WHO": "environment", "PATH": "/bin"}
    settings = Settings.load(None, environ, who="flag", online=None)
    assert (settings.database_url, settings.who, settings.max_upload_mb) == ("sqlite:///b.db", "flag", 5)


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml: cannot be read"):
        Settings.load(tmp_path / "nowhere.toml", {})
    other = tmp_path / "other.toml"
    other.write_text("online = true")
    assert Settings.load(None, {"INCIDENTS_CONFIG": str(other)}).online is True


@pytest.mark.parametrize(
    ("toml", "environ", "flags", "expected"),
    [
        ("databse_url = 'x'", {}, {}, r"incidents\.toml, setting databse_url: no such setting; known are database_url"),
        ("", {"INCIDENTS_ONLIN": "1"}, {}, "environment variable INCIDENTS_ONLIN: no such setting"),
        ("", {}, {"colour": "red"}, "command line, setting colour: no such setting"),
        ("online = 'maybe'", {}, {}, "neither true nor false"),
        ("max_upload_mb = -1", {}, {}, "whole number above 0"),
        ("max_upload_mb = true", {}, {}, "whole number above 0"),
        ("boundaries_policy = 'mine'", {}, {}, "not one of un, de_facto"),
        ("database_url = 'incidents.db'", {}, {}, "not a database address"),
        ("database_url = ['a']", {}, {}, "is not a text"),
        ("online = ", {}, {}, "not a TOML file"),
        ('contact = "a\\r\\nX-Header: b"', {}, {}, "control character"),
    ],
)
def test_faults_say_where_they_stand(
    tmp_path: Path, toml: str, environ: dict[str, str], flags: dict[str, str], expected: str
) -> None:
    (tmp_path / "incidents.toml").write_text(toml)
    with pytest.raises(SettingsError, match=expected):
        Settings.load(None, environ, **flags)


def test_no_password_in_repr_or_errors() -> None:
    settings = Settings.load(environ={"INCIDENTS_DATABASE_URL": "postgresql://me:hunter2@db.example/x?sslpassword=s3"})
    assert "hunter2" not in repr(settings)
    assert "s3" not in repr(settings)
    assert "me:***@db.example" in repr(settings)


def test_hide_password_leaves_the_rest() -> None:
    assert hide_password("sqlite:///a/b.db") == "sqlite:///a/b.db"
    assert hide_password("postgresql+psycopg://u:p%40ss@h:5432/d") == "postgresql+psycopg://u:***@h:5432/d"


@given(st.dictionaries(st.sampled_from(["online", "max_upload_mb", "who", "database_url"]), st.text(max_size=20)))
def test_any_environment_gives_settings_or_our_error(values: dict[str, str]) -> None:
    environ = {f"INCIDENTS_{k.upper()}": v for k, v in values.items()}
    try:
        Settings.load(Path("/dev/null"), environ)
    except SettingsError:
        return
