"""Three readers of the same records: Spark's own kafka source, kafkafmt's Spark data source, and kafkafmt.scan."""

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import kafkafmt
import proof_jars

_ENDING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def session(scratch: Path, program: str = "spark_proof") -> Iterator[SparkSession]:
    """A quiet Spark session with the kafka source, which ends with the block.

    Args:
        scratch: directory for files that Spark writes.
        program: directory whose pom names the release of the kafka source, as for `proof_jars.connector_jars`.

    Raises:
        ToolError: Maven could not fetch the kafka source.
    """
    jars = list(map(str, proof_jars.connector_jars(program)))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraClassPath": os.pathsep.join(jars),
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(scratch),
        "spark.log.level": "OFF",
        "spark.python.authenticate.socketTimeout": "120s",  # many queries begin at the same time on a busy machine
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("spark_proof").config(map=settings)
    with _signals_held() as held:
        spark = builder.getOrCreate()
    try:
        for number in held:
            signal.raise_signal(number)
        yield spark
    finally:
        spark.stop()


@contextmanager
def _signals_held() -> Iterator[list[int]]:
    """Collect signals that would end the process: ending it half-way would leave Spark's Java running."""
    held: list[int] = []
    before = {number: signal.signal(number, lambda number, _: held.append(number)) for number in _ENDING}
    try:
        yield held
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def official(spark: SparkSession, servers: str, options: Mapping[str, str]) -> DataFrame:
    """Rows that Spark's own source reads from a running broker."""
    connection = {
        "kafka.bootstrap.servers": servers,
        "fetchOffset.numRetries": "1",
        "kafkaConsumer.pollTimeoutMs": "30000",
    }
    return spark.read.format("kafka").options(**connection).options(**options).load()


def ours(spark: SparkSession, log_dirs: Sequence[Path], options: Mapping[str, str]) -> DataFrame:
    """Rows that kafkafmt's data source reads from the disk of a stopped broker."""
    return spark.read.format("kafkafmt").options(**options).load([str(log_dir) for log_dir in log_dirs])


def scan(log_dirs: Sequence[Path], topics: Sequence[str], like: pa.Schema, *, committed: bool) -> pa.Table:
    """Rows that kafkafmt.scan reads from such a disk.

    Args:
        log_dirs: log directories of one broker.
        topics: names of the topics.
        like: schema of the result, with Spark's column types.
        committed: whether to read with read_committed.

    Raises:
        KafkafmtError: the log directories cannot be read.
    """
    found = kafkafmt.scan(
        [str(log_dir) for log_dir in log_dirs],
        topics=topics,
        isolation_level="read_committed" if committed else "read_uncommitted",
        columns=like.names,
    )
    return found.to_table().cast(like)
