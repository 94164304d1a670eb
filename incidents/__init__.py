"""Reads conflict incidents out of articles and tables, places them offline, and maps them with their evidence."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
