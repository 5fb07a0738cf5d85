"""The process that forks Spark's Python workers, with their modules imported, warm and frozen before the fork.

For `spark.python.daemon.module`: Spark runs it as `python -m pyspark_kafkafmt.daemon`, in place of `pyspark.daemon`.
Each worker then starts with kafkafmt, pyarrow and the kernels already loaded, in memory that all workers share, and
does not search those objects for garbage after each task.
"""

import base64
import importlib
import os
import sys
from typing import Final

from pyspark import daemon

from pyspark_kafkafmt import worker

_MODULES: Final = (
    "cramjam",
    "kafkafmt.columnar.decoder",
    "kafkafmt.scanning.splits",
    "lz4.frame",
    "pyspark.worker",
    "pyspark_kafkafmt.datasource",
    "pyspark_kafkafmt.frames",
    "pyspark_kafkafmt.planning",
    "pyspark_kafkafmt.reader",
    "pyspark_kafkafmt.stream_tasks",
    "pyspark_kafkafmt.streaming",
    "zstandard",
)
# A batch of format 2 with one record: decoding it loads all kernels of a scan.
_BATCH: Final = base64.b64decode(
    "AAAAAAAAAAAAAAA+AAAAAAKVilQAAAAAAAAAAAAAAAAAA+gAAAAAAAAD6P//////////////////AAAAARgAAAACawJ2AgJoAmg="
)


def prepare() -> None:
    """Import, warm up and freeze, without starting threads of Python or numpy: a fork loses threads and their state."""
    for name in _MODULES:
        importlib.import_module(name)
    from kafkafmt.scanning.api import scan_bytes

    scan_bytes(_BATCH, file="warm-up")
    if len(sys.argv) > 1 and sys.argv[1].startswith("pyspark."):
        importlib.import_module(sys.argv[1])
    worker.freeze()


if __name__ == "__main__":
    # numpy's BLAS starts threads when it is loaded, and a fork loses them; several workers share a machine anyway.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    prepare()
    daemon.manager()
