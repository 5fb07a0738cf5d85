"""The proof "load": kills loads at random times, reads their tables with Spark, and lets Connect take over."""

import argparse
import importlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

import environment
import kafkafmt
import proof_frame
import proof_jars
import proofs
from kafkafmt.loading.load import offsets_of
from load_proof import hand_over
from proof_frame import DIFFERS, ProofError

if TYPE_CHECKING:
    from pyiceberg.table import Table

RECORDS = 30_000
PARTITIONS = 5
CATALOG = "proof"
_DAY = 20_776  # 2026-11-19
KINDS = ("delta", "iceberg", "directory")
_EARLY = 0.15


@dataclass(frozen=True)
class Lake:
    """The place of the tables.

    Attributes:
        place: directory of all tables.
        variables: environment variables by which pyiceberg finds its catalog.
    """

    place: Path
    variables: dict[str, str]

    def to(self, kind: str, name: str) -> str:
        """The name of a table for `kafkafmt load`."""
        names = {"delta": f"delta:{self.place / name}", "iceberg": f"iceberg:{CATALOG}.db.{name}"}
        return names.get(kind, str(self.place / name))

    def rows(self, kind: str, name: str) -> pa.Table:
        """Partitions and offsets of the rows of a table."""
        columns = ["partition", "offset"]
        if kind == "delta":
            return DeltaTable(self.place / name).to_pyarrow_table(columns=columns)
        if kind == "iceberg":
            return self.iceberg(name).scan(selected_fields=tuple(columns)).to_arrow()
        return ds.dataset(self.place / name, format="parquet").to_table(columns=columns)

    def iceberg(self, name: str) -> "Table":
        """Open an Iceberg table."""
        # Imported here, as the library reads the environment variables when it is imported.
        table: Table = importlib.import_module("pyiceberg.catalog").load_catalog(CATALOG).load_table(f"db.{name}")
        return table


def main(arguments: list[str]) -> int:
    """Kill loads, and compare; returns the exit status."""
    return proof_frame.run(arguments, _prove)


def _prove(options: argparse.Namespace, home: Path) -> int:
    lake = _lake(home)
    source = _source(home)
    kills = _kills(lake, source, options.kills, options.seed)
    differences = [*kills, *_reads(lake, source, home), *hand_over.ask(home / "hand-over")]
    for difference in differences:
        print(difference)
    print(f"{options.kills} kills of each of {len(KINDS)} kinds of tables, {len(differences)} differences")
    return DIFFERS if differences else 0


def _lake(home: Path) -> Lake:
    place = home / "lake"
    (place / "warehouse").mkdir(parents=True)
    prefix = f"PYICEBERG_CATALOG__{CATALOG.upper()}__"
    variables = {
        f"{prefix}TYPE": "sql",
        f"{prefix}URI": f"sqlite:///{place}/catalog.db",
        f"{prefix}WAREHOUSE": f"file://{place}/warehouse",
    }
    os.environ.update(variables)
    return Lake(place, variables)


def _source(home: Path) -> Path:
    """Write a log directory that takes several commits to load."""
    random_bytes = np.random.default_rng(1)
    rows = pa.table(
        {
            "key": [f"k{number % 977}".encode() for number in range(RECORDS)],
            "value": pa.array([random_bytes.bytes(900) for _ in range(RECORDS)], pa.binary()),
            "partition": pa.array([number % PARTITIONS for number in range(RECORDS)], pa.int32()),
            "timestamp": pa.array(
                [1_795_000_000_000 + 4000 * number for number in range(RECORDS)], pa.timestamp("ms", "UTC")
            ),
        }
    )
    kafkafmt.write(rows, home / "source", topic="orders", partitions=PARTITIONS)
    return home / "source"


def _kills(lake: Lake, source: Path, kills: int, seed: int) -> Iterator[str]:
    _load(lake, source, "directory", "directory_first")  # the first load on a machine compiles kernels
    for kind in KINDS:
        chosen = random.Random(f"{seed} {kind}")
        began = time.monotonic()
        _load(lake, source, kind, f"{kind}_whole")
        lasts = time.monotonic() - began
        alive, between = 0, 0
        for number in range(kills):
            name = f"{kind}_{number}"
            with _started(lake, source, kind, name) as process:
                # The time of the kill is a number of written rows, so it does not depend on the machine's load;
                # sometimes it is before the first row.
                _wait_for(process, 0 if chosen.random() < _EARLY else chosen.randrange(1, RECORDS + 1))
                time.sleep(chosen.uniform(0, lasts / 5))
                process.kill()
            alive += process.returncode == 0
            ends = _ends(lake, kind, name)
            between += 0 < sum(ends.values()) < RECORDS
            yield from _compare(lake, kind, name, ends)
            _load(lake, source, kind, name)
            yield from _compare(lake, kind, name, dict.fromkeys(range(PARTITIONS), RECORDS // PARTITIONS))
        print(
            f"{kind}: {kills} kills, {between} between commits, {alive} after the end ({lasts:.1f} s a load)",
            flush=True,
        )


def _load(lake: Lake, source: Path, kind: str, name: str) -> None:
    with _started(lake, source, kind, name) as process:
        _wait_for(process, sys.maxsize)
    if process.returncode:
        raise ProofError(f"a load into {name} has failed")


def _started(lake: Lake, source: Path, kind: str, name: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "load_proof.one_load", str(source), lake.to(kind, name)]
    variables = {**os.environ, **lake.variables}
    return subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _wait_for(process: "subprocess.Popen[bytes]", rows: int) -> None:
    """Wait until a load has written `rows` rows, or has ended."""
    if rows and process.stdout is not None:
        for line in process.stdout:
            if int(line) >= rows:
                return


def _ends(lake: Lake, kind: str, name: str) -> dict[int, int]:
    """The offsets in a table; empty if the table was not created, or has no commit."""
    try:
        return {partition: offset for (_, partition), offset in offsets_of(lake.to(kind, name)).items()}
    except kafkafmt.SourceError:
        return {}


def _compare(lake: Lake, kind: str, name: str, ends: dict[int, int]) -> Iterator[str]:
    """Compare the rows of a table with its offsets: all rows below them, none above."""
    if not ends:
        return
    rows = lake.rows(kind, name)
    partitions, offsets = (rows.column(each).to_numpy() for each in ("partition", "offset"))
    for partition in range(PARTITIONS):
        found = np.sort(offsets[partitions == partition])
        end = ends.get(partition, 0)
        if len(found) != end or not np.array_equal(found, np.arange(end)):
            counted = f"{len(found)} rows, {len(np.unique(found))} of them different"
            yield f"{name}: orders-{partition} has {counted}; {end} are loaded"


def _reads(lake: Lake, source: Path, home: Path) -> Iterator[str]:
    """Read partitioned tables with Spark, and compare."""
    names = {}
    for kind in KINDS:
        names[kind] = f"{kind}_read"
        kafkafmt.load(source, lake.to(kind, names[kind]), partition_by=["topic", "day"], commit_bytes=4 << 20)
    spec = {
        "delta": str(lake.place / names["delta"]),
        "iceberg": _as_hadoop_has_it(lake.iceberg(names["iceberg"])),
        "directory": str(lake.place / names["directory"]),
        "jars": list(map(str, proof_jars.sink_jars())),
        "home": str(home),
    }
    spark = environment.prepare("spark_proof", directory=proofs.SPARK_ENVIRONMENT)
    program = Path(__file__).with_name("spark_reads.py")
    answer = subprocess.run(
        [spark.python, program, json.dumps(spec)], env=spark.variables, stdout=subprocess.PIPE, check=False
    )
    if answer.returncode:
        raise ProofError("Spark does not read the tables")
    expected = _expected(source)
    for kind, found in json.loads(answer.stdout.splitlines()[-1]).items():
        print(f"Spark reads from {kind}: {found}")
        if found != expected:
            yield f"{kind}: Spark reads {found}, expected {expected}"


def _as_hadoop_has_it(table: "Table") -> str:
    """The path of an Iceberg table, which from now on can be read without its catalog."""
    metadata = Path(table.metadata_location.removeprefix("file://"))
    shutil.copy(metadata, metadata.with_name("v1.metadata.json"))
    metadata.with_name("version-hint.text").write_text("1")
    return str(metadata.parent.parent)


def _expected(source: Path) -> dict[str, int]:
    table = kafkafmt.scan(source, columns=["topic", "partition", "offset", "timestamp", "key", "value"]).to_table()
    sums: dict[str, Callable[[], int]] = {
        "rows": lambda: table.num_rows,
        "places": lambda: len(set(zip(table["partition"].to_pylist(), table["offset"].to_pylist(), strict=True))),
        "timestamps": lambda: sum(table["timestamp"].cast(pa.int64()).to_pylist()),
        "values": lambda: sum(zlib.crc32(each) for each in table["value"].to_pylist()),
        "of_a_day": lambda: sum(
            each == _DAY for each in (table["timestamp"].cast(pa.int64()).to_numpy() // 86_400_000)
        ),
    }
    return {name: int(made()) for name, made in sums.items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
