"""``python -m incidents.samples``: fill the database of the settings with the sample incidents."""

from __future__ import annotations

import os
import sys

from incidents.errors import IncidentsError
from incidents.samples import load_samples
from incidents.store import DEFAULT_URL, Store


def main() -> int:
    """Load the sample and say what was added; 1 and one line where the database cannot be used."""
    try:
        with Store.open(os.environ.get("INCIDENTS_DATABASE_URL", DEFAULT_URL)) as store:
            added = load_samples(store)
    except IncidentsError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stderr.write(f"{added} sample incidents added.\n" if added else "The sample incidents are already there.\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
