"""Where things are: an offline place index, boundaries, coordinates and geocoders. Knows nothing of incidents."""

from __future__ import annotations
