"""Helpers for `isolation_level="read_committed"`: reading, a sample log, and damaging it."""

from typing import Any

import pytest

import kafkafmt
from tests.transactions import Appended, Log


def committed(source: Any, **wanted: Any) -> kafkafmt.Scan:
    wanted = {"columns": ["offset"], **wanted}
    return kafkafmt.scan(source, isolation_level="read_committed", **wanted)


def offsets(source: Any, **wanted: Any) -> list[int]:
    found: list[int] = committed(source, **wanted).to_table().column("offset").to_pylist()
    return found


def told(scan: kafkafmt.Scan) -> list[Any]:
    return [(each.file, each.position, each.length, each.reason, str(each.error)) for each in scan.damage]


def story() -> Log:
    """One transaction of each kind, some interleaved; committed records have names."""
    log = Log()
    log.data()  # 0
    log.data(1, 2)  # 1, 2: committed at 5
    log.data(2, 2)  # 3, 4: aborted at 8
    log.commit(1)  # 5
    log.data(1)  # 6: aborted at 9
    log.idempotent(2)  # 7: by a producer in a transaction, but not part of it
    log.abort(2)  # 8
    log.abort(1)  # 9
    log.data(2)  # 10: committed at 13
    log.data()  # 11
    log.data(3)  # 12: open
    log.commit(2)  # 13
    log.data()  # 14
    return log


COMMITTED = [0, 1, 2, 7, 10, 11]


def with_bit_flipped(content: bytes, position: int, bit: int = 1) -> bytes:
    return content[:position] + bytes([content[position] ^ bit]) + content[position + 1 :]


PRODUCER_ID = 50  # its last byte, in a batch
LAST = -1


def damaged(log: Log, number: int, position: int, bit: int = 1) -> Log:
    one = log.batches[number]
    position %= len(one.content)
    log.batches[number] = Appended(with_bit_flipped(one.content, position, bit), one.first, one.last, one.producer_id)
    return log


def before_and_error(scan: kafkafmt.Scan) -> tuple[list[int], kafkafmt.KafkafmtError]:
    found: list[int] = []

    def read() -> None:
        for batch in scan.to_reader():
            found.extend(batch.column("offset").to_pylist())

    with pytest.raises(kafkafmt.KafkafmtError) as error:
        read()
    return found, error.value


def position_of(log: Log, number: int) -> int:
    return sum(len(each.content) for each in log.batches[:number])
