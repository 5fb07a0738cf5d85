"""The Python that Spark's workers run; tests/spark/test_data_source_modes.py has a job that depends on it."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import SparkSession

from pyspark_kafkafmt import KafkafmtDataSource, worker


class Session:
    """A session that records what is registered."""

    def __init__(self, master: str) -> None:
        self.sparkContext = SimpleNamespace(master=master, pythonExec="python3")
        self.registered: list[object] = []
        self.dataSource = SimpleNamespace(register=self.registered.append)


@pytest.fixture(autouse=True)
def other_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`python3` is not the running Python, and no variable is set."""
    for name in worker._SETTLED_BY:
        monkeypatch.setenv(name, "so that it is restored")
        monkeypatch.delenv(name)
    (tmp_path / "python3").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)


def test_before_the_session_it_is_the_python_of_the_driver() -> None:
    worker.use_python_of_driver()
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


@pytest.mark.parametrize("name", worker._SETTLED_BY)
def test_what_the_user_set_stays(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "/of/the/user")
    before = dict(os.environ)
    worker.use_python_of_driver()
    assert dict(os.environ) == before


def test_nothing_is_done_where_python3_is_this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable))
    worker.use_python_of_driver()
    assert "PYSPARK_PYTHON" not in os.environ


@pytest.mark.parametrize(
    ("master", "is_changed"), [("local", True), ("local[*]", True), ("local-cluster[2,1,1024]", False), ("yarn", False)]
)
def test_a_session_that_is_there_gets_it_if_all_runs_here(
    monkeypatch: pytest.MonkeyPatch, master: str, is_changed: bool
) -> None:
    session = Session(master)
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: session)
    worker.use_python_of_driver()
    assert session.registered == ([KafkafmtDataSource] if is_changed else [])
    assert session.sparkContext.pythonExec == (sys.executable if is_changed else "python3")
    assert "PYSPARK_PYTHON" not in os.environ
