"""Hypothesis profiles, and the engine that scans take.

Profiles: `dev` (default) for a quick answer, `ci` for a thorough one; HYPOTHESIS_PROFILE chooses.
"""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.engines import ENGINES, Engine, load_kernels

settings.register_profile("dev", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Run a test once with each engine as the default of all scans; of a whole module by `usefixtures("engine")`."""
    from kafkafmt.scanning import scan, scan_bytes

    chosen: Engine = request.param
    if chosen == "columnar":
        load_kernels()
    for entrance in (scan, scan_bytes):
        defaults: dict[str, Any] = entrance.__kwdefaults__ or {}
        monkeypatch.setitem(defaults, "engine", chosen)
    return chosen
