"""DuckDB: the content of the disks as relations of a connection, read as far as a query needs them.

>>> import duckdb, kafkafmt.duckdb
>>> connection = duckdb.connect()
>>> kafkafmt.duckdb.register(connection, "/var/lib/kafka/data")
>>> connection.sql("select topic, count(*) from records join 'orders.parquet' using (offset) group by topic")
"""

from typing import TYPE_CHECKING, Unpack

from kafkafmt.keywords import ScanKeywords

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from kafkafmt.logdir.sources import Searchable

_DATASET = "_kafkafmt_"


def register(
    connection: "DuckDBPyConnection", source: "Searchable", *, prefix: str = "", **arguments: Unpack[ScanKeywords]
) -> list[str]:
    """Make the relations of `kafkafmt sql` in a connection: records, batches, segments, partitions and so on.

    Each is a temporary view that is read when a query names it: of records only the columns that it needs, and only the
    segments and batches that its conditions leave. `as_text` of docs/sql.md is included, the rewriting of `kafkafmt
    sql` is not: compare bytes with `as_text(key) = 'a'` or `key = 'a'::blob`.

    Args:
        connection: of DuckDB.
        source: as for `kafkafmt.scan`.
        prefix: before the name of each view.
        arguments: of `kafkafmt.scan`, for records; `on_damage` and `limits` hold for the others too.

    Returns:
        The names of the views.

    Raises:
        KafkafmtError, TypeError, ValueError: as for `kafkafmt.scan`. Damage that a query meets is an error of DuckDB.
    """
    from kafkafmt.logdir.sources import search  # noqa: PLC0415 - it loads Arrow
    from kafkafmt.querying.relations import NAMES, Relations  # noqa: PLC0415 - it loads Arrow
    from kafkafmt.querying.text import AS_TEXT, add_as_text  # noqa: PLC0415 - it loads Arrow

    relations = Relations(search(source), arguments)
    known = {name for (name,) in connection.execute("select distinct function_name from duckdb_functions()").fetchall()}
    if AS_TEXT not in known:
        add_as_text(connection)
    views = []
    for name in NAMES:
        dataset = f"{_DATASET}{prefix}{name}"
        connection.register(dataset, relations.dataset(name))
        quoted, view = ('"' + each.replace('"', '""') + '"' for each in (dataset, prefix + name))
        connection.execute(f"create or replace temp view {view} as select * exclude (_) from {quoted}")  # noqa: S608 - quoted
        views.append(prefix + name)
    return views
