"""ArrowRecords: the methods that all streams of records share (`to_table`, ..); each call starts a new pass."""

from abc import abstractmethod
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kafkafmt.libraries import pa
from kafkafmt.public import Public

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped]

    from kafkafmt.scanning.batching import Reader


class ArrowRecords(Public):
    """Records as an Arrow stream: all at once, or batch by batch."""

    @abstractmethod
    def to_reader(self) -> "Reader":
        """Start a pass."""

    def to_batches(self) -> "Iterator[pa.RecordBatch]":
        """Start a pass and give its record batches one by one, as `to_reader` does.

        Raises:
            KafkafmtError: from the iterator, as for `to_reader`.
        """
        return self.to_reader()

    def to_table(self) -> "pa.Table":
        """Read everything into one table.

        Raises:
            KafkafmtError: at damage (`on_damage="raise"`), or when a file cannot be read.
        """
        return self.to_reader().read_all()

    def to_pandas(self) -> "DataFrame":
        """Read everything into a pandas DataFrame, with the types of `pyarrow.Table.to_pandas`.

        Raises:
            ImportError: pandas is not installed.
            KafkafmtError: as for `to_table`.
        """
        if find_spec("pandas") is None:
            raise ImportError("to_pandas needs pandas: pip install pandas")
        return self.to_table().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export a fresh pass by the Arrow C stream interface; its consumer raises its own error with our text."""
        return self.to_reader().__arrow_c_stream__(requested_schema)


def require_a_count(count: int) -> None:
    """Check a number of records.

    Raises:
        ValueError: it is negative.
    """
    if count < 0:
        raise ValueError(f"count must be 0 or more, not {count}")
