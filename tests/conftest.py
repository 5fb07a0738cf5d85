"""Hypothesis profiles, the choice of the scan engine, and one Spark session shared by all tests that need it.

HYPOTHESIS_PROFILE selects the profile: `dev` (default) is quick, `ci` is thorough.
"""

import atexit
import functools
import gc
import os
import re
import signal
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.engines import ENGINES, Engine, load_kernels

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[1]

settings.register_profile("dev", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_configure() -> None:
    """Restore SIGINT handling, which a shell ignores in background jobs: tests send it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_MEASURED_PARAMETERS = 3
ALL_MEASURED = (  # their coverage must be complete
    "tests/codec/",
    "tests/reference/",
    "tests/test_column_tables.py",
    "tests/cli/test_names.py",
    "tests/test_readme.py::test_links_between_documents_lead_somewhere",
    "tests/tools/test_docs_site.py::test_links_lead_to_pages",
    "tests/formats/test_positions.py::test_each_type_and_field_has_a_doc",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Freeze the million objects of test collection, so that later garbage collections skip them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        atexit.register(gc.unfreeze)  # some libraries complain about objects left over at exit


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Skip generating `further` parameters if -m excludes them: they are two thirds of all tests."""
    yield
    if leaves_out("further", metafunc.config.option.markexpr) and not _is_all_measured(metafunc.definition):
        metafunc._calls[:] = metafunc._calls[:: _step(len(metafunc._calls))]


_OF_ALL = re.compile(rb"^pytestmark = \[?pytest\.mark\.(slow|volume)\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import a module whose tests are all excluded, unless it is named."""
    if collection_path.suffix != ".py" or any(collection_path.name in argument for argument in config.args):
        return None
    marked = _OF_ALL.search(collection_path.read_bytes())
    return True if marked and leaves_out(marked[1].decode(), config.option.markexpr) else None


@functools.cache
def leaves_out(mark: str, expression: str) -> bool:
    """Whether -m excludes every test with this mark, whatever its other marks are."""
    names = sorted({*re.findall(r"\w+", expression)} - {"and", "or", "not"})
    if mark not in names or not re.fullmatch(r"[\w\s()]+", expression):
        return False
    marks = (dict(zip(names, values, strict=True)) for values in product((False, True), repeat=len(names)))
    return not any(eval(expression, {}, chosen) for chosen in marks if chosen[mark])


def _step(parameters: int) -> int:
    return max(1, -(-parameters // _MEASURED_PARAMETERS))


def _is_all_measured(node: pytest.Item) -> bool:
    return node.nodeid.startswith(ALL_MEASURED)


@pytest.hookimpl(tryfirst=True)  # before -m is applied
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `further` all but a few parameters, evenly spread, of a test that has many, such as every golden case.

    Tests that need a Spark session are `slow`: the session and its first worker take 40 s. One worker has the S3
    server.
    """
    by_test: dict[str, list[pytest.Item]] = {}
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")
        if "s3_port" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("s3"))
        by_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for same in by_test.values():
        if _is_all_measured(same[0]):
            continue
        for number, item in enumerate(same):
            if number % _step(len(same)):
                item.add_marker("further")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Run a test once with each engine as the default of all scans; `usefixtures("engine")` does so for a module."""
    from kafkafmt.scanning import scan, scan_bytes

    chosen: Engine = request.param
    if chosen == "columnar":
        load_kernels()
    for entrance in (scan, scan_bytes):
        defaults: dict[str, Any] = entrance.__kwdefaults__ or {}
        monkeypatch.setitem(defaults, "engine", chosen)
    return chosen


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[SparkSession]":
    """A quiet local session whose workers import this checkout; its tests form the xdist group `spark`."""
    from pyspark.sql import SparkSession

    scratch = tmp_path_factory.mktemp("spark")
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(scratch),
        "spark.log.level": "OFF",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(str(ROOT / part) for part in (".", "generated", "spark", "tools")))
        # Spark kills its workers, and truncated coverage data would break the report.
        for name in [name for name in os.environ if name.startswith("COVERAGE_")]:
            patch.delenv(name)
        session = SparkSession.builder.master("local[2]").appName("tests").config(map=settings).getOrCreate()
        yield session
        session.stop()
