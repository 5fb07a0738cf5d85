"""Limits: bounds on a decoder's memory, passed to every decoding call."""

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that are checked before anything is allocated; exceeding one raises `LimitExceededError`.

    Attributes:
        max_batch_bytes: largest entry (batch, wrapper or message) as stored in a file, in bytes.
        max_decompressed_bytes: largest batch once decompressed, in bytes. A scan holds a single record of that size
            only once, besides the 0.25 GB of the kernels: 0.35 GB for one of 100 MB in format 2, 0.5 GB in formats 0
            and 1. A batch of 100 MB of small records takes 0.7 GB, and so does one with 45 million headers.
        max_records_per_batch: most records that one batch may declare or hold.
        zstd_window_log: largest zstd window, as the base-2 logarithm of bytes (10 to 31).
        max_headers_per_record: most headers in one record; each takes far more memory than its bytes, which may be two.
        max_fields_per_value: most fields and items of a key or value that `decode` makes typed, including those that
            its schema adds; 64 letters of a name or default count as a field. Each takes about 64 bytes.
        max_state_bytes: most memory, in estimated bytes, for the state of an internal topic's records
            (`kafkafmt.topics.groups`, `transactions` and `metadata`), plus 32 bytes for each byte of the
            files read: the state of a large cluster may take more than that of a small file. `Disks.space` holds as
            many groups as fit, and drops the lightest.

    Raises:
        ValueError: a bound is not a positive int, or `zstd_window_log` is outside 10 to 31.
    """

    max_batch_bytes: int = 128 * _MIB
    max_decompressed_bytes: int = 100 * _MIB
    max_records_per_batch: int = 10_000_000
    zstd_window_log: int = 27
    max_headers_per_record: int = 100_000
    max_fields_per_value: int = 2_000_000
    max_state_bytes: int = 64 * _MIB

    def __post_init__(self) -> None:
        """Reject invalid bounds where they are given, not where they are used."""
        for name in self.__slots__:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
                raise ValueError(f"Limits.{name} must be a positive int, not {value!r}")
        if not 10 <= self.zstd_window_log <= 31:
            raise ValueError(f"Limits.zstd_window_log must be from 10 to 31, not {self.zstd_window_log}")


def option_name(field: str) -> str:
    """Name of a field of Limits as it follows `--max` on the command line: `state-bytes` for `max_state_bytes`."""
    return field.replace("_", "-").removeprefix("max-")
