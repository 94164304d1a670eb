"""The import rule: one way, and three libraries only where they belong."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Lowest first. A module may import its own layer's and lower ones, never a higher one (design section 2).
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors", "settings", "__init__", "words"}),
    frozenset({"schema", "taxonomy", "report", "columns", "coerce", "checks", "symbols"}),
    frozenset({"reading", "sources"}),
    frozenset(
        {
            *("summary", "filters", "areas", "locate", "merge", "redact", "samples", "tabular"),
            *("store", "database", "tables", "rows", "queries", "intake", "migrations"),
        }
    ),
    frozenset({"pipeline", "map", "map_base", "exporters", "briefing", "bulk"}),
    frozenset({"cli", "commands", "dashboard", "doctor", "__main__"}),
)

ONLY_IN = {
    "streamlit": ("app.py", "incidents/dashboard/"),
    "streamlit_folium": ("app.py", "incidents/dashboard/"),
    "folium": ("incidents/map.py",),
    "geopy": ("geodata/nominatim.py",),
}


def iter_files() -> Iterator[Path]:
    yield from sorted((ROOT / "incidents").rglob("*.py"))
    yield from sorted((ROOT / "geodata").rglob("*.py"))
    if (ROOT / "app.py").exists():
        yield ROOT / "app.py"


def list_imports(path: Path) -> list[tuple[int, str]]:
    """Return (line, module) of every import, also those inside functions."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            module = node.module or ""
            # "from incidents import map_base" imports a module, "from incidents import __version__" does not
            whole = module in {"incidents", "geodata"}
            found += [(node.lineno, f"{module}.{alias.name}" if whole else module) for alias in node.names]
    return found


@cache
def find_layer(name: str) -> int:
    """Return the layer of a module; a helper that is not listed stands as high as the highest that it imports."""
    listed = next((n for n, layer in enumerate(LAYERS) if name in layer), None)
    if listed is not None:
        return listed
    path = ROOT / "incidents" / f"{name}.py"
    assert path.is_file(), f"the package {name} stands in no layer: add it to LAYERS where it belongs"
    used = [m.split(".")[1] for _, m in list_imports(path) if m.startswith("incidents.") and "__" not in m]
    return max((find_layer(other) for other in used), default=0)


FILES = list(iter_files())


@pytest.mark.parametrize("path", FILES, ids=[str(p.relative_to(ROOT)) for p in FILES])
def test_imports_run_one_way(path: Path) -> None:
    parts = path.relative_to(ROOT).parts
    for line, module in list_imports(path):
        package, _, rest = module.partition(".")
        where = f"{path.relative_to(ROOT)}:{line} imports {module}"
        if parts[0] == "geodata":
            assert package != "incidents", f"{where}: geodata knows nothing of incidents"
            continue
        if package != "incidents" or parts[0] == "app.py":
            continue
        if not rest or rest.startswith("__"):
            continue  # the package itself, for its version
        own, other = find_layer(parts[1].removesuffix(".py")), find_layer(rest.partition(".")[0])
        assert other <= own, f"{where}: layer {own} may not use layer {other}"


@pytest.mark.parametrize("library", sorted(ONLY_IN))
def test_libraries_stay_where_they_belong(library: str) -> None:
    for path in FILES:
        name = str(path.relative_to(ROOT))
        if name.startswith(ONLY_IN[library]):
            continue
        for line, module in list_imports(path):
            assert module.partition(".")[0] != library, f"{name}:{line} imports {library}"


def test_the_rule_looks_at_something() -> None:
    assert len(FILES) > 30
    assert (4, "incidents.map") in list_imports_of("\n\n\nimport incidents.map\n")
    assert (1, "incidents.map_base") in list_imports_of("from incidents import map_base")


def list_imports_of(source: str) -> list[tuple[int, str]]:
    class _Text:
        def read_text(self, **_options: object) -> str:
            return source

    return list_imports(_Text())  # type: ignore[arg-type]
