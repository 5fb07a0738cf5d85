"""Kafka's files in Spark 4.0 and later: the data source "kafkafmt", and functions for rows of "binaryFile".

Importing this is cheap, since Spark imports it in every session that uses a Python data source, and again in processes
that plan: each name is loaded when it is first used, the decoders when a file is read. The data source need not be
registered where this package is installed. On the driver, the import makes Spark's workers run the driver's own Python,
unless something else is configured (`worker`).
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING

if importlib.util.find_spec("pyspark") is None:
    raise ImportError("pyspark_kafkafmt needs Spark: pip install 'kafkafmt[spark]'")

from pyspark_kafkafmt.worker import use_python_of_driver

if TYPE_CHECKING:
    from pyspark_kafkafmt.datasource import KafkafmtDataSource
    from pyspark_kafkafmt.disks import space, verify_log_dirs
    from pyspark_kafkafmt.frames import compacted, count_records, read_log_dirs
    from pyspark_kafkafmt.incremental import offsets_since
    from pyspark_kafkafmt.internal_topics import groups, metadata, producers, read_internal_topic, transactions
    from pyspark_kafkafmt.query_lag import Lag, lag
    from pyspark_kafkafmt.typed_udfs import decode_value
    from pyspark_kafkafmt.udfs import parse_index, parse_segment, register

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

_MODULES = {
    **dict.fromkeys(("space", "verify_log_dirs"), "disks"),
    **dict.fromkeys(("compacted", "count_records", "read_log_dirs"), "frames"),
    "offsets_since": "incremental",
    **dict.fromkeys(("groups", "metadata", "producers", "read_internal_topic", "transactions"), "internal_topics"),
    **dict.fromkeys(("Lag", "lag"), "query_lag"),
    "decode_value": "typed_udfs",
    **dict.fromkeys(("parse_index", "parse_segment", "register"), "udfs"),
}


def __getattr__(name: str) -> object:
    if name in ("KafkafmtDataSource", "DefaultSource"):
        from pyspark_kafkafmt.udfs import require_spark

        # A Spark without Python data sources is too old for the functions too, and they report that themselves.
        require_spark()
        from pyspark_kafkafmt.datasource import KafkafmtDataSource

        return KafkafmtDataSource
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


use_python_of_driver()
