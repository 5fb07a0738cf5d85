"""`kafkafmt warm-up`: compiles all kernels now, for an image or before the first use."""

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

_RECORDS: Final = 4000
_SMALL: Final[dict[str, Any]] = {"batch_bytes": 1024, "segment_bytes": 100_000}


@click.command(
    epilog="""\b
Examples:
  kafkafmt warm-up
  NUMBA_CACHE_DIR=/opt/kafkafmt-cache kafkafmt warm-up       # in an image, see docs/running_on_a_cluster.md
"""
)
def command() -> None:
    """Compile all kernels now, instead of in the first commands that need them.

    Kernels are compiled for this kind of processor, and kept on disk: in NUMBA_CACHE_DIR, beside the package, or in the
    user's cache directory. The first run takes half a minute, a second one a second.
    """
    from kafkafmt.columnar import kernels
    from kafkafmt.columnar.object_code import Kernel

    with tempfile.TemporaryDirectory(prefix="kafkafmt-warm-up-") as directory:
        for step in _steps(Path(directory)):
            step()
    ready = [each for each in vars(kernels).values() if isinstance(each, Kernel) and each.is_loaded]
    places = {str(each.kept_at.parent) for each in ready if each.kept_at is not None}
    compiled = sum(each.kept_at is not None for each in ready)
    where = f", kept in {', '.join(sorted(places))}" if places else ""
    click.echo(f"{len(ready)} kernels are ready; {compiled} were compiled now{where}")


def _steps(directory: Path) -> "Iterator[Callable[[], object]]":
    """Calls that together use all kernels: records of all formats, written, read in every way, sized and compacted."""
    import kafkafmt
    from kafkafmt.values.avro import bulk as avro
    from kafkafmt.values.json import bulk as json
    from kafkafmt.values.protobuf import bulk as protobuf

    for message_format, compression in ((0, "gzip"), (1, "none"), (1, "lz4"), (2, "none"), (2, "lz4")):
        out = directory / f"{message_format}-{compression}"
        rows = _rows(message_format)
        yield partial(
            kafkafmt.write, rows, out, message_format=message_format, compression=compression, partitions=2, **_SMALL
        )
        scan = kafkafmt.scan(out)
        yield from (scan.to_table, scan.count, scan.containing([b"key-1"]).to_table)
        yield kafkafmt.scan(out, start_offset=5, key=b"key-1").to_table
        yield kafkafmt.scan(out, compacted=True).to_table
        disks = kafkafmt.open(out)
        yield from (partial(disks.space, by) for by in ("key", "header:name", "codec"))
        compacted = directory / f"{out.name}-compacted"
        yield partial(disks.compaction, out=compacted, config={"cleanup.policy": "compact"})
        yield partial(disks.repair, directory / f"{out.name}-repaired")
    yield avro.load_kernels
    yield json.load_kernels
    yield protobuf.load_kernels


def _rows(message_format: int) -> "pa.Table":
    import pyarrow as pa

    numbers = range(_RECORDS)
    header = pa.struct([("key", pa.string()), ("value", pa.binary())])
    columns = {
        "topic": ["warm-up"] * _RECORDS,
        "key": [b"key-%d" % (number % 50) for number in numbers],
        "value": [b"a value of some length" * (number % 7) for number in numbers],
        "timestamp": pa.array(numbers, pa.timestamp("ms", "UTC")),
        "headers": pa.array([[{"key": "name", "value": b"value"}]] * _RECORDS, pa.list_(header)),
    }
    return pa.table(dict([*columns.items()][: 3 + message_format]))
