"""Settings shared by all tests."""

from __future__ import annotations

import hypothesis

# How long one example takes says nothing on a busy machine; tests are never timed.
hypothesis.settings.register_profile("atlas", deadline=None)
hypothesis.settings.load_profile("atlas")
