"""Which Python Spark's workers run: the driver's own, unless something else is set.

Spark starts its Python workers, also the one that looks up data sources by name, as the first `python3` on PATH. For a
script that the Python of a virtual environment runs, without `activate`, that is another Python, without kafkafmt:
Spark then finds no data source "kafkafmt".
"""

import os
import shutil
import sys
from typing import Final

from pyspark.sql import SparkSession

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
    """Let Spark's workers on this machine run the Python that runs this.

    Before a session exists this sets PYSPARK_PYTHON, which both Spark's JVM and PySpark read. An existing session gets
    the data source "kafkafmt" registered instead, if its master is `local`. Nothing is done where one of the variables
    above is set, as in Spark's workers, nor where `python3` is this Python.
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
        from pyspark_kafkafmt.source import KafkafmtDataSource

        context.pythonExec = sys.executable
        session.dataSource.register(KafkafmtDataSource)
