"""Jars other than Kafka's that proofs and benchmarks fetch with Maven."""

import os
from pathlib import Path

import java
from class_path import TOOLS, ToolError, fetched_artifact, fetched_jars, kafka_class_path, kafka_tools_class_path

CONNECTOR = "spark-sql-kafka-0-10_2.13"

REGISTRIES = {17: "3.0.9", 21: "3.3.3"}
"""Versions of Apicurio Registry by the oldest Java that they run on."""


def connector_jars(program: str = "spark_proof") -> list[Path]:
    """Find the jars of Spark's own kafka source.

    Args:
        program: directory whose pom names the release: `spark_proof` the oldest supported one, `benchmark` the newest.

    Raises:
        ToolError: Maven could not fetch the jars.
    """
    return sorted(fetched_jars(TOOLS / program / "connector", CONNECTOR).glob("*.jar"))


def sink_jars() -> list[Path]:
    """Find the jars of Delta Lake and Iceberg for Spark.

    Raises:
        ToolError: Maven could not fetch the jars.
    """
    return sorted(fetched_jars(TOOLS / "spark_sinks", "delta-spark_2.13").glob("*.jar"))


def fetch_for_spark() -> None:
    """Fetch the jars of the proof "spark"."""
    kafka_class_path()
    connector_jars()


def fetch_for_streaming() -> None:
    """Fetch the jars of the proof "streaming"."""
    kafka_class_path()
    connector_jars("benchmark")


def fetch_for_kills() -> None:
    """Fetch the jars of the proof "streaming-kills"."""
    fetch_for_spark()
    sink_jars()


def fetch_for_loads() -> None:
    """Fetch the jars of the proof "load"."""
    sink_jars()
    fetch_for_resets()
    fetched_jars(TOOLS / "clients_proof" / "connect", "connect-runtime")


def fetch_for_resets() -> None:
    """Fetch the jars of the proof "resets"."""
    kafka_class_path()
    kafka_tools_class_path()


def fetch_for_registry() -> None:
    """Fetch the server of the proof "registry"."""
    registry_server()


def registry_server() -> tuple[Path, Path]:
    """Find the newest Apicurio Registry that runs on the Java of JAVA_HOME or PATH.

    Returns:
        The `java` for it, and the packed server.

    Raises:
        ToolError: there is no Java 17, or Maven could not fetch the server.
    """
    found, refused = java.find(os.environ)
    if found is None:
        raise ToolError("; ".join(refused) or "there is no java")
    version = REGISTRIES[max(each for each in REGISTRIES if each <= found.version)]
    packed = fetched_artifact(TOOLS / "registry_proof", f"io.apicurio:apicurio-registry-app:{version}:tar.gz:all")
    return found.home / "bin" / "java", packed
