"""Tables of each kind in a test directory, and independent readers of them."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyiceberg.utils.config import Config

KINDS = ("directory", "delta", "iceberg")


def catalog_of(place: Path) -> dict[str, str]:
    """Environment variables by which pyiceberg finds a catalog of this name."""
    prefix = "PYICEBERG_CATALOG__TEST__"
    return {
        f"{prefix}TYPE": "sql",
        f"{prefix}URI": f"sqlite:///{place}/catalog.db",
        f"{prefix}WAREHOUSE": f"file://{place}/warehouse",
    }


@dataclass
class Lake:
    """A location of tables.

    Attributes:
        place: the directory.
        kind: kind of its tables.
    """

    place: Path
    kind: str

    def to(self, name: str = "t") -> str:
        """A table, as `load` names it."""
        return {
            "directory": str(self.place / name),
            "delta": f"delta:{self.place / name}",
            "iceberg": f"iceberg:test.db.{name}",
        }[self.kind]

    def table(self, name: str = "t") -> pa.Table:
        """Its rows, by another reader; no columns if it does not exist."""
        if self.kind == "directory":
            place = self.place / name
            return (
                ds.dataset(place, format="parquet", partitioning="hive").to_table() if place.exists() else pa.table({})
            )
        if self.kind == "delta":
            from deltalake import DeltaTable

            place = self.place / name
            return DeltaTable(place).to_pyarrow_table() if DeltaTable.is_deltatable(str(place)) else pa.table({})
        from pyiceberg.catalog import load_catalog

        catalog = load_catalog("test")
        if not catalog.namespace_exists("db") or not catalog.table_exists(f"db.{name}"):
            return pa.table({})
        return catalog.load_table(f"db.{name}").scan().to_arrow()

    def places(self, name: str = "t") -> list[tuple[str, int, int]]:
        """Topic, partition and offset of each row, sorted."""
        table = self.table(name)
        if not table.num_columns:
            return []
        return sorted(zip(*(table.column(each).to_pylist() for each in ("topic", "partition", "offset")), strict=True))

    def offsets(self, name: str = "t") -> dict[tuple[str, int], list[int]]:
        """Offsets by partition, duplicates included."""
        found: dict[tuple[str, int], list[int]] = {}
        for topic, partition, offset in self.places(name):
            found.setdefault((topic, partition), []).append(offset)
        return found

    def twice(self, name: str = "t") -> list[Any]:
        """Rows that occur more than once."""
        return [place for place, count in Counter(self.places(name)).items() if count > 1]


@pytest.fixture(params=KINDS)
def lake(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """A place for tables of each kind."""
    return make_lake(request.param, tmp_path / "lake", monkeypatch)


def make_lake(kind: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    place.mkdir()
    (place / "warehouse").mkdir()
    for name, value in catalog_of(place).items():
        monkeypatch.setenv(name, value)
    # A process reads its environment once.
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", Config())
    return Lake(place, kind)
