"""What pages share: the store, its frames, and one way to tell of errors. Drafts and filters are each session's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

import geopandas as gpd
import pandas as pd
import streamlit as st

from geodata.boundaries import Policy
from geodata.errors import GeodataError
from incidents.dashboard.style import escape_markdown
from incidents.errors import IncidentsError
from incidents.settings import Settings
from incidents.store import Store

__all__ = ["WHO_KEY", "get_policy", "get_settings", "get_store", "load_claims", "load_frame", "page", "tell_errors"]

WHO_KEY = "who"


def get_settings() -> Settings:
    """Return the settings: file and environment, read again on each full run (they are small)."""
    return Settings.load()


def get_policy() -> Policy:
    """Return whose an occupied area is drawn as."""
    return "de_facto" if get_settings().boundaries_policy == "de_facto" else "un"


@st.cache_resource(show_spinner=False, max_entries=4)
def _open_store(url: str) -> Store:
    return Store.open(url)


def get_store() -> Store:
    """Return the one open store of this server."""
    return _open_store(get_settings().database_url)


@st.cache_resource(show_spinner="Loading incidents …", max_entries=2)
def _load_frame(_store: Store, url: str, version: str) -> gpd.GeoDataFrame:  # noqa: ARG001  # url and version are the cache's key
    return _store.load()


def load_frame() -> gpd.GeoDataFrame:
    """Return all incidents, loaded again when anything in the store has changed. Shared: never change it."""
    store = get_store()
    return _load_frame(store, get_settings().database_url, store.get_version())


def load_claims(incident_ids: list[str]) -> pd.DataFrame:
    """Return the claims of some incidents."""
    return get_store().load_claims(incident_ids)


@contextmanager
def tell_errors() -> Iterator[None]:
    """Show our own errors as one line; anything else is a bug and goes on to the log."""
    try:
        yield
    except (IncidentsError, GeodataError) as error:
        st.error(escape_markdown(error), icon=":material/error:")


def page(show: Callable[[], None]) -> Callable[[], None]:
    """Make a page tell its errors in one line instead of stopping with a traceback."""

    @wraps(show)
    def shown() -> None:
        with tell_errors():
            show()

    return shown
