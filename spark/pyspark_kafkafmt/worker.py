"""Python in Spark's workers: the interpreter, the work between tasks, and errors without a traceback.

Spark starts its Python workers, and the one that looks up data sources by name, as the first `python3` on PATH. If a
script runs with the Python of a virtual environment, but without `activate`, that is another Python, without kafkafmt:
Spark then finds no data source "kafkafmt".

The work of Spark's workers between two tasks can take longer than a small task. Before each task, some versions make
Python invalidate its caches; up to 3.12, Python's importer of archives then reads the whole directory of pyspark.zip,
once for each package that was imported from it: 16 times in a worker that does nothing. After each task, the worker
collects garbage among all objects, including those of loaded modules: this takes about 0.1 s of CPU once the kernels
are loaded. `freeze` avoids both.
"""

import gc
import os
import shutil
import sys
import zipimport
from typing import Final, TypeVar

from pyspark.sql import SparkSession

E = TypeVar("E", bound=Exception)


def plainly(error: E) -> E:
    """The same error without a traceback, because its text has all that a user needs."""
    error.__cause__ = None
    return error.with_traceback(None)


# Each says which Python to take, or that Spark belongs to a cluster, whose machines need not have this Python.
_SETTLED_BY: Final = (
    "HADOOP_CONF_DIR",
    "PYSPARK_DRIVER_PYTHON",
    "PYSPARK_GATEWAY_PORT",
    "PYSPARK_PYTHON",
    "SPARK_CONF_DIR",
    "SPARK_HOME",
    "SPARK_REMOTE",
    "YARN_CONF_DIR",
)


def use_python_of_driver() -> None:
    """Make Spark's workers on this machine run the current Python.

    Before a session exists, this sets PYSPARK_PYTHON, which both Spark's JVM and PySpark read. In an existing session,
    if its master is `local`, it registers the data source "kafkafmt" and sets the Python of the workers instead. It
    does nothing if one of the variables above is set, as in Spark's workers, or if `python3` is already this Python.
    """
    if any(os.environ.get(name) for name in _SETTLED_BY) or not sys.executable:
        return
    if os.path.dirname(shutil.which("python3") or "") == os.path.dirname(sys.executable):
        return
    session = SparkSession.getActiveSession()
    if session is None:
        os.environ["PYSPARK_PYTHON"] = sys.executable
        return
    context = getattr(session, "sparkContext", None)  # Spark Connect has none
    if context is not None and (context.master == "local" or context.master.startswith("local[")):
        from pyspark_kafkafmt.datasource import KafkafmtDataSource

        context.pythonExec = sys.executable
        session.dataSource.register(KafkafmtDataSource)


_IS_WORKER: Final = len(sys.argv) > 1 and sys.argv[1].startswith("pyspark.")
"""Whether Spark's daemon has forked this process: the arguments of the daemon include the module of its workers."""
_modules = 0


def freeze() -> None:
    """Reduce the work between tasks in one of Spark's workers; to be called at the end of each task.

    Importers of archives are dropped: a new one, made when needed, reads the directory only once. After a task that
    loaded modules, as the first one does, garbage is collected, and the remaining objects are exempt from later
    collections.
    """
    global _modules  # noqa: PLW0603 - of the process, as what it counts
    if not _IS_WORKER:
        return
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimport.zipimporter):
            del sys.path_importer_cache[path]
    if len(sys.modules) != _modules:
        _modules = len(sys.modules)
        gc.collect()
        gc.freeze()
