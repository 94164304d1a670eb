"""Serves the map's files: Leaflet from its package, our script, and the base layer. Nothing comes from elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import streamlit as st
import streamlit.components.v1 as components
from xstatic.pkg import leaflet

from geodata.boundaries import Policy
from incidents import map_base
from incidents.dashboard.state import get_policy
from incidents.map import ASSETS, MapAssets

__all__ = ["get_area_url", "get_assets"]


@st.cache_resource(show_spinner="Preparing the base map (once) …")
def _serve(policy: Policy) -> tuple[MapAssets, Path]:
    """Register the three folders with Streamlit's own server and return where the browser finds them.

    Components are declared for their files only: `<module>.<name>` is served under ``/component/``. The addresses
    are relative to the map's frame, so they hold under any base path.
    """
    folder = map_base.ensure_base(policy=policy)
    digest = hashlib.sha256()
    for file in sorted(ASSETS.iterdir()):
        digest.update(file.read_bytes())
    paths = {"leaflet": Path(leaflet.BASE_DIR), "own": ASSETS, f"base_{policy}": folder}
    prefixes = {}
    for name, path in paths.items():
        component = components.declare_component(f"atlas_{name}", path=str(path))
        prefixes[name.partition("_")[0]] = f"../{component.name}/"
    return MapAssets(**prefixes, version=digest.hexdigest()[:10]), folder


def get_assets() -> MapAssets:
    """Return the addresses of the map's files, relative to the map's frame."""
    return _serve(get_policy())[0]


def get_area_url() -> Callable[[str], str | None]:
    """Return the function that gives the outline of an area, relative to the base layer's address."""
    policy = get_policy()
    folder = _serve(policy)[1]
    return lambda area_id: map_base.ensure_area(folder, area_id, policy=policy)
