"""Jars other than Kafka's own that proofs and benchmarks fetch by Maven."""

from pathlib import Path

from class_path import TOOLS, fetched_jars, kafka_class_path, kafka_tools_class_path

CONNECTOR = "spark-sql-kafka-0-10_2.13"


def connector_jars(program: str = "spark_proof") -> list[Path]:
    """Find the jars of Spark's own kafka source.

    Args:
        program: which names its release: `spark_proof` the oldest that kafkafmt supports, `benchmark` the newest.

    Raises:
        ToolError: Maven could not bring them.
    """
    return sorted(fetched_jars(TOOLS / program / "connector", CONNECTOR).glob("*.jar"))


def sink_jars() -> list[Path]:
    """Find the jars of Delta Lake and Iceberg for Spark.

    Raises:
        ToolError: Maven could not bring them.
    """
    return sorted(fetched_jars(TOOLS / "spark_sinks", "delta-spark_2.13").glob("*.jar"))


def fetch_for_spark() -> None:
    """Bring the jars of the proof "spark"."""
    kafka_class_path()
    connector_jars()


def fetch_for_streaming() -> None:
    """Bring those of the proof "streaming"."""
    kafka_class_path()
    connector_jars("benchmark")


def fetch_for_kills() -> None:
    """Bring those of the proof "streaming-kills"."""
    fetch_for_spark()
    sink_jars()


def fetch_for_loads() -> None:
    """Bring those of the proof "load"."""
    sink_jars()
    fetch_for_resets()
    fetched_jars(TOOLS / "clients_proof" / "connect", "connect-runtime")


def fetch_for_resets() -> None:
    """Bring those of the proof "resets"."""
    kafka_class_path()
    kafka_tools_class_path()
