"""Invariants for the rows of any entry, and the golden files whose entries are tested."""

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

from kafkafmt.cli.inspect import choosing
from kafkafmt.cli.inspect.choosing import RecordChoice
from kafkafmt.cli.inspect.log_entry import rows_of_entry
from kafkafmt.cli.inspect.rows import Row
from kafkafmt.files.kinds import kind_by_extension
from kafkafmt.io.base import File
from kafkafmt.limits import Limits
from tests.golden_cases import GOLDEN

ALL = RecordChoice()


def assert_tiled(rows: list[Row]) -> None:
    """Require that each space's leaves cover its bits in order, without gap or overlap, structures before fields."""
    for _, within in groupby(rows, key=lambda row: id(row.space)):
        done = 0
        some = list(within)
        for row in some:
            if row.is_group:
                assert row.begin * 8 == done, row
            elif row.bits is not None:
                assert row.begin == done // 8, row
                done += row.bits[0] - row.bits[1] + 1
                assert row.end == -(-done // 8), row
            else:
                assert row.begin * 8 == done, row
                done = row.end * 8
        assert done == len(some[0].space.data) * 8, some[-1]


@cache
def golden_files(spec: str, step: int) -> list[Path]:
    """Every n-th non-empty golden file of a kind."""
    found = ((kind_by_extension(path.name), path) for path in GOLDEN.glob("*/*/log-dir/**/*"))
    paths = sorted(path for kind, path in found if kind is not None and kind.spec == spec and path.is_file())
    return [path for path in paths if path.stat().st_size][::step]


def entries(
    file: File, wanted: RecordChoice = ALL, limits: Limits | None = None, topic: str | None = None
) -> Iterator[tuple[choosing.Chosen, list[Row]]]:
    """The entries of a log in order, until one does not show where the next begins."""
    limits = limits or Limits()
    position = 0
    while position < file.size:
        chosen = choosing.log_entry_at(file, position, exact=True, limits=limits)
        yield chosen, rows_of_entry(chosen.data, file.name, position, wanted=wanted, limits=limits, topic=topic)
        position = file.size if chosen.error else position + len(chosen.data)


def row_of(rows: list[Row], field: str) -> Row:
    (row,) = [row for row in rows if row.field == field]
    return row


def errors_of(rows: list[Row]) -> list[tuple[str, str]]:
    return [(row.field, row.error.message) for row in rows if row.error is not None]
