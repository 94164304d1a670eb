"""``python -m incidents`` is the same as ``incidents``."""

from __future__ import annotations

from incidents.cli import main

if __name__ == "__main__":
    main()
