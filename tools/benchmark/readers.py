"""How each Python program reads a segment from its first record to its last: what a worker measures.

A reader takes a path and returns how many records it saw. All check every CRC; libraries are imported by their own
reader, so that none pays for another.
"""

from collections.abc import Callable, Iterator

KEY_VALUE_OFFSET = ("offset", "key", "value")

_FETCH_BYTES = 1 << 22
_OVERHEAD = 12
"""Bytes of an entry before what its size counts: base offset and size."""

Reader = Callable[[str], int]


def reader(program: str) -> Reader:
    """Make the reader of a program of `programs.PROGRAMS` that is written in Python."""
    if program == "aiokafka":
        return _aiokafka()
    if program == "kafka-python":
        return _kafka_python()
    if program.startswith("floor"):
        from benchmark import floor

        return floor.mapped() if program == "floor-mapped" else floor.streamed()
    return _kafkafmt(program.removeprefix("kafkafmt-"))


def first_row(path: str, engine: str) -> int:
    """Read the first record batch with kafkafmt; returns the number of its records."""
    import kafkafmt

    for batch in kafkafmt.scan(path, engine=engine).to_reader():  # type: ignore[arg-type]
        return int(batch.num_rows)
    return 0


def _kafkafmt(what: str) -> Reader:
    import kafkafmt

    if what == "count":
        return lambda path: kafkafmt.scan(path).count()
    if what == "batches":
        return lambda path: sum(batch.count or 0 for batch in kafkafmt.Segment(path).batches())
    options: dict[str, dict[str, object]] = {
        "1": {"engine": "columnar", "threads": 1},
        "2": {"engine": "columnar", "threads": 2},
        "key-value-offset": {"engine": "columnar", "threads": 1, "columns": KEY_VALUE_OFFSET},
        "reference": {"engine": "reference"},
    }

    def read(path: str) -> int:
        return sum(batch.num_rows for batch in kafkafmt.scan(path, **options[what]).to_reader())  # type: ignore[arg-type]

    return read


def _aiokafka() -> Reader:
    from aiokafka.record import MemoryRecords

    return lambda path: sum(_touch_all(MemoryRecords(data)) for data in _fetches(path))


def _kafka_python() -> Reader:
    from kafka.record import MemoryRecords

    return lambda path: sum(_touch_all(MemoryRecords(data)) for data in _fetches(path))


def _touch_all(fetched: object) -> int:
    # Both libraries share these names.
    records = 0
    while fetched.has_next():  # type: ignore[attr-defined]
        batch = fetched.next_batch()  # type: ignore[attr-defined]
        if not batch.validate_crc():
            raise ValueError("wrong CRC")
        for record in batch:
            record.offset, record.timestamp, record.key, record.value, record.headers  # noqa: B018 - reading is the work
            records += 1
    return records


def _fetches(path: str) -> Iterator[bytes]:
    """Cut a segment into what a consumer would fetch: whole entries, a few MB at a time."""
    with open(path, "rb", buffering=0) as file:
        rest = b""
        while data := file.read(_FETCH_BYTES):
            data = rest + data if rest else data
            end = whole_entries(data)
            if end:
                yield data[:end]
            rest = data[end:]


def whole_entries(data: bytes) -> int:
    """Tell where the last whole entry ends in data that begins with one."""
    end = 0
    while end + _OVERHEAD <= len(data):
        following = end + _OVERHEAD + int.from_bytes(data[end + 8 : end + _OVERHEAD], "big")
        if following > len(data):
            break
        end = following
    return end
