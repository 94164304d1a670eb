"""The commands of ``incidents …``, one module a family; heavy libraries load inside the command that needs them."""

from __future__ import annotations
