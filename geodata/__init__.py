"""Where things are: an offline place index, boundaries, coordinates and geocoders. Knows nothing of incidents.

The usual way in::

    from geodata.gazetteer import Gazetteer
    from geodata.resolve import Context, resolve_name

    gazetteer = Gazetteer.open()
    resolve_name("Lyman", gazetteer=gazetteer, context=Context(countries={"UA": 3.0}))

Modules: `geodata.gazetteer` (names to places), `geodata.resolve` (a name in its context), `geodata.regions` (parts by
compass), `geodata.countries`, `geodata.boundaries` (polygons, areas of a point), `geodata.coordinates`,
`geodata.distance`, `geodata.geocode` and `geodata.nominatim` (online, off by default). They are imported one by one, so
that reading a coordinate does not load the polygons.
"""

from __future__ import annotations

from geodata.errors import GeodataError
from geodata.place import Candidate, LocationPrecision, Place, Resolution

__all__ = ["Candidate", "GeodataError", "LocationPrecision", "Place", "Resolution"]
