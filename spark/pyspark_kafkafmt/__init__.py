"""Kafka's files in Spark 4.0 and later: the data source "kafkafmt", and functions for rows of "binaryFile".

Importing this is cheap, as Spark imports it in every session that uses a data source in Python: the decoders are loaded
when a file is read. The data source need not be registered where this package is installed. On the driver the import
lets Spark's workers run the driver's own Python, if nothing else is set (`worker`).
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING

if importlib.util.find_spec("pyspark") is None:
    raise ImportError("pyspark_kafkafmt needs Spark: pip install 'kafkafmt[spark]'")

from pyspark_kafkafmt.disks import space, verify_log_dirs
from pyspark_kafkafmt.frames import compacted, count_records, read_log_dirs
from pyspark_kafkafmt.incremental import offsets_since
from pyspark_kafkafmt.lag import Lag, lag
from pyspark_kafkafmt.typed_udfs import decode_value
from pyspark_kafkafmt.udfs import parse_index, parse_segment, register
from pyspark_kafkafmt.worker import use_python_of_driver

if TYPE_CHECKING:
    from pyspark_kafkafmt.datasource import KafkafmtDataSource
    from pyspark_kafkafmt.internal_topics import groups, metadata, producers, read_internal_topic, transactions

__all__ = [
    "KafkafmtDataSource",
    "Lag",
    "compacted",
    "count_records",
    "decode_value",
    "groups",
    "lag",
    "metadata",
    "offsets_since",
    "parse_index",
    "parse_segment",
    "producers",
    "read_internal_topic",
    "read_log_dirs",
    "register",
    "space",
    "transactions",
    "verify_log_dirs",
]

_OF_INTERNAL_TOPICS = ("groups", "metadata", "producers", "read_internal_topic", "transactions")


def __getattr__(name: str) -> object:
    # Not imported above: the functions say themselves that a Spark without data sources in Python is too old for them.
    if name in ("KafkafmtDataSource", "DefaultSource"):
        from pyspark_kafkafmt.udfs import require_spark

        require_spark()
        from pyspark_kafkafmt.datasource import KafkafmtDataSource

        return KafkafmtDataSource
    if name in _OF_INTERNAL_TOPICS:
        return getattr(importlib.import_module("pyspark_kafkafmt.internal_topics"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


use_python_of_driver()
