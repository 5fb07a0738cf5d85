"""What takes bytes from outside: a call for each part, with one seeded `random.Random`.

Each call generates one input, passes it on, and checks the contract: an answer or a KafkafmtError, and the same from
both readers if there are two. `tools/fuzz` runs a million inputs, `test_targets.py` a few.
"""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

from kafkafmt_specs.kafka_exchanges import KafkaExchanges
from kaitaistruct import KaitaiStructError

from kafkafmt.codec.compression import CODECS, Compression, decompress
from kafkafmt.codec.compression.buffer import Buffer
from kafkafmt.errors import CorruptError, DataError, KafkafmtError
from kafkafmt.files import rsm_manifest
from kafkafmt.limits import Limits
from kafkafmt.protocol.codec import message
from kafkafmt.protocol.frames import read_request
from kafkafmt.protocol.message_bytes import MessageReader, MessageWriter
from kafkafmt.protocol.schemas import is_flexible
from kafkafmt.values.registry import Schemas
from kafkafmt.values.registry_log import RegistryLog
from tests.codec.compression.compressors import compress
from tests.golden_cases import GOLDEN, tier_case
from tests.hostile import law
from tests.hostile.changed_command_lines import check_command
from tests.hostile.changed_files import check_directory, check_log
from tests.hostile.changed_tiers import check_tier
from tests.hostile.corpus import SMALL, Sample, samples
from tests.hostile.hostile_requests import broken_bytes, broken_values, without_views
from tests.hostile.hostile_sessions import check_session
from tests.hostile.liars import lying_log
from tests.hostile.mutations import entries, mutate, scramble
from tests.hostile.repaired_directories import check_repair
from tests.reference.messages import generated
from tests.reference.messages.test_law import generated_parsers_agree, obeys_the_law
from tests.reference.messages.vectors import vectors
from tests.values import test_avro_bulk as avro_values
from tests.values import test_changed_values as changed_values
from tests.values.golden_values import raw, rows
from tests.values.random_avro import mutated
from tests.values.test_changed_values import CASES

_AT_ONCE = 100
_MOST_BYTES = 2500
_PIECES = 16
_RECORDS = 12
_FULLY = 16
_VALUES_EVERY = 30  # some inputs take as long as hundreds of others
_FEW = Limits(max_decompressed_bytes=16 * 1024 * 1024)


@cache
def _logs() -> tuple[Sample, ...]:
    return tuple(sample for sample in samples() if sample.is_log)


@cache
def _small() -> tuple[tuple[Callable[[bytes], Any], Sample], ...]:
    found = [(SMALL[sample.kind], sample) for sample in samples() if not sample.is_log]
    for number in (1, 2, 3, 4):
        path = min(tier_case(number).tier.rglob("*.rsm-manifest"))
        found.append(
            (lambda data: [rsm_manifest.parse(data).to_table()], Sample("rsm-manifest", path, path.read_bytes()))
        )
    return tuple(found)


def small_files(rnd: random.Random) -> int:
    """Indexes, checkpoints, snapshots and the other small files, each read completely."""
    read, sample = rnd.choice(_small())
    tables = law.obeys(lambda: read(mutate(rnd, sample, right_crc=rnd.random() < 0.5)))
    if not isinstance(tables, KafkafmtError):
        for table in tables:
            table.validate(full=True)
    return 1


def _log(rnd: random.Random) -> bytes:
    """A few entries, most of them of a golden log: of many the readers of one record at a time take long."""
    if rnd.random() < 0.05:
        return lying_log(rnd)
    sample = rnd.choice(_logs())
    found = [each for each in _entries(sample) if each[1] - each[0] <= _MOST_BYTES]
    if found:
        first = rnd.randrange(len(found))
        begin, end = found[first]
        for following in found[first + 1 : first + rnd.choice((1, 2, 4))]:
            end = following[1] if following[0] == end and following[1] - begin <= _MOST_BYTES else end
        sample = replace(sample, data=sample.data[begin:end])
    return mutate(rnd, sample, right_crc=rnd.random() < 0.5)


@cache
def _entries(sample: Sample) -> tuple[tuple[int, int], ...]:
    return tuple((begin, end) for begin, end, _ in entries(sample.data))


def logs(rnd: random.Random) -> int:
    """Logs, by both engines, with damage skipped and raised."""
    law.check_walk(_log(rnd), verify=rnd.random() < 0.5, may_end_open=rnd.random() < 0.5)
    return 1


def files(rnd: random.Random) -> int:
    """Log files and log directories, by both engines."""
    if rnd.random() < 0.8:
        check_log(rnd, _log(rnd))
    else:
        check_directory(rnd)
    return 1


def kernels(rnd: random.Random) -> int:
    """Pieces of logs, some in one file, by the columnar engine; a part of them compared with the reference engine."""
    data = b"".join(_log(rnd) for _ in range(_PIECES))
    how: dict[str, Any] = {"verify": rnd.random() < 0.5, "may_end_open": rnd.random() < 0.5}
    if rnd.randrange(_FULLY) == 0:
        law.check_walk(data, **how)
    else:
        found = law.obeys(lambda: law.columnar(data, "skip", **how))
        assert not isinstance(found, KafkafmtError)
        assert found.error is None
    return _PIECES


def messages(rnd: random.Random) -> int:
    """Records of internal topics: by the readers, and by the parsers that the specs give."""
    vector = rnd.choice(vectors())
    obeys_the_law(vector, scramble(rnd, vector.data))
    payload = bytearray(vector.payload)
    first = 2 if vector.payload is vector.data else 0  # of the same version
    if len(payload) > first:
        for _ in range(rnd.randrange(1, 3)):
            payload[rnd.randrange(first, len(payload))] = rnd.choice((0, 1, 2, 0x7F, 0x80, 0xFF, rnd.randrange(256)))
        generated_parsers_agree(vector, bytes(payload))
    return 1


@cache
def _responses() -> tuple[tuple[str, int, bytes], ...]:
    """API, version and bytes of golden responses."""
    found = []
    for path in sorted((GOLDEN / "protocol").glob("*.exchanges")):
        for each in KafkaExchanges.from_bytes(path.read_bytes()).exchanges:
            request = read_request(memoryview(bytes(each.request._raw_message)))
            if each.has_response and request.body is not None:
                found.append((request.api, request.version, bytes(each.response._raw_message)))
    return tuple(found)


def protocol(rnd: random.Random) -> int:
    """Requests and responses; a decoded message is encoded, and must decode to the same."""
    if rnd.random() < 0.6:
        data = (broken_values if rnd.randrange(_VALUES_EVERY) == 0 else broken_bytes)(rnd)
        request = law.obeys(lambda: read_request(memoryview(data)))
        if not isinstance(request, KafkafmtError) and request.body is not None:
            _again(f"{request.api}Request", request.version, request.body)
        return 1
    api, version, data = rnd.choice(_responses())
    source = MessageReader(memoryview(scramble(rnd, data)))
    has_tags = api != "ApiVersions" and is_flexible(api, version)

    def read() -> dict[str, Any]:
        message("ResponseHeader", int(has_tags)).decode(source)
        return message(f"{api}Response", version).decode(source)

    body = law.obeys(read)
    if not isinstance(body, KafkafmtError):
        _again(f"{api}Response", version, body)
    return 1


def _again(name: str, version: int, body: dict[str, Any]) -> None:
    out = MessageWriter()
    message(name, version).encode(out, body)
    written = out.joined()
    read_again = message(name, version).decode(MessageReader(memoryview(written)))
    assert repr(without_views(read_again)) == repr(without_views(body))  # NaN is not equal to itself


@cache
def _content() -> tuple[bytes, ...]:
    return (
        b"",
        b"a",
        bytes(70_000),
        b"abcabcabd" * 500,
        random.Random(0).randbytes(3000),
        b"x" * 40 + bytes(range(256)),
    )


def codecs(rnd: random.Random) -> int:
    """Compressed bytes; the quick way of a codec gives the same as the careful one, or leaves them to it."""
    codec, magic = rnd.choice(list(Compression)[1:]), rnd.choice((0, 1, 2))
    data = scramble(rnd, compress(codec, rnd.choice(_content())))
    found = law.obeys(lambda: decompress(codec, data, magic=magic, limits=_FEW))
    target = Buffer()
    size = law.obeys(lambda: CODECS[codec].decompress_ordinary(data, target, _FEW, magic))
    if isinstance(size, int):
        assert bytes(target.buffer[:size]) == found
    elif isinstance(size, KafkafmtError):
        assert isinstance(found, KafkafmtError)
    return 1


_PARSERS = {
    ".log": "kafka_log_segment",
    ".checkpoint": "kafka_log_segment",
    ".index": "kafka_offset_index",
    ".timeindex": "kafka_time_index",
    ".txnindex": "kafka_transaction_index",
    ".snapshot": "kafka_producer_snapshot",
}


def parsers(rnd: random.Random) -> int:
    """The generated parsers themselves: an object, or the errors that Kaitai Struct's runtime documents."""
    sample = rnd.choice([each for each in samples() if each.path.suffix in _PARSERS])
    parser = generated.parser(_PARSERS[sample.path.suffix])
    data = mutate(rnd, sample, right_crc=False)
    with suppress(KaitaiStructError, ValueError, EOFError):
        parser.from_bytes(data)
    with suppress(KaitaiStructError, ValueError, EOFError):
        KafkaExchanges.from_bytes(scramble(rnd, rnd.choice(_exchanges())))
    return 2


@cache
def _exchanges() -> tuple[bytes, ...]:
    paths = sorted((GOLDEN / "protocol").glob("*.exchanges"))
    return tuple(path.read_bytes() for path in sorted(paths, key=lambda path: path.stat().st_size)[:5])


Formats = tuple[tuple[Any, tuple[bytes, ...]], ...]


@cache
def _formats(case: str) -> Formats:
    """The format of each subject and message of a golden case, and the values that it has."""
    known = Schemas(changed_values.stored(case), {}, {})
    groups: dict[tuple[str, str | None], list[bytes]] = {}
    for row in rows(case, "values"):
        if row["part"] == "value" and row.get("framing") == "confluent" and "written" in row:
            groups.setdefault((row["subject"], row.get("message")), []).append(raw(row))
    made = []
    for (subject, name), values in groups.items():
        with suppress(DataError):  # the latest schema does not have each message
            made.append((changed_values.format_of(case, known, subject, name), tuple(values)))
    return tuple(made)


def values(rnd: random.Random) -> int:
    """Values of Avro, Protobuf and JSON: many at once by the kernels give what each gives by itself."""
    if rnd.random() < 0.4:
        if (made := avro_values.format_of(rnd)) is not None:
            avro_values.compare(made[0], avro_values.values_of(rnd, made[1], _AT_ONCE, change=True))
        return _AT_ONCE
    form, golden = rnd.choice(_formats(rnd.choice(tuple(CASES))))
    changed_values.compared(form, [data[:5] + mutated(rnd, data[5:]) for data in rnd.choices(golden, k=_AT_ONCE)])
    return _AT_ONCE


def schemas(rnd: random.Random) -> int:
    """Schema texts of Avro, Protobuf and JSON, and a value of each accepted one."""
    changed_values.check_schema(rnd, rnd.choice(tuple(CASES)))
    return 1


@cache
def _registries() -> tuple[tuple[tuple[bytes, bytes | None], ...], ...]:
    """The records of the golden cases' `_schemas`."""
    cases = ("avro", "damaged", "framings", "json-schema", "protobuf", "registry")
    return tuple(
        tuple((row["key"].encode(), row["value"] and row["value"].encode()) for row in rows(case, "schemas-topic"))
        for case in cases
    )


def registry_log(rnd: random.Random) -> int:
    """Records of `_schemas`, some changed or moved: a state of bounded memory that answers, or an error of a record."""
    records = [*rnd.choice(_registries())]
    if rnd.random() < 0.8:
        begin = rnd.randrange(len(records))
        records = records[begin : begin + _RECORDS]
    for _ in range(rnd.randrange(1, 6)):
        at = rnd.randrange(len(records))
        key, value = records[at]
        match rnd.randrange(4):
            case 0:
                records[at] = mutated(rnd, key), value
            case 1 if value is not None:
                records[at] = key, mutated(rnd, value)
            case 2:
                records[at] = key, rnd.choice(records)[1]
            case _:
                records.insert(rnd.randrange(len(records)), records.pop(at))
    log = RegistryLog(lambda _: None)
    for offset, (key, value) in enumerate(records):
        with suppress(CorruptError):
            log.see(offset, key, value)
    size = sum(len(key) + len(value or b"") for key, value in records)
    if log.memory() > 2 * size + 2000 * len(records):
        raise AssertionError(f"{log.memory()} bytes of state, of {size} in records")
    known = Schemas(tuple(log.schemas()), log.configs, log.modes)
    for each in known.all[:: max(1, len(known.all) // 10)]:
        with suppress(KafkafmtError):
            known.references(each)
        known.latest(each.subject)
        known.by_id(each.schema_id or 0, each.subject)
        known.by_guid(each.guid)
    return 1


def guarded_logs_and_values(rnd: random.Random) -> int:
    """Logs and values, read by kernels whose arrays lie between inaccessible pages."""
    from tests.hostile.guard_pages import guarded

    with guarded():
        return values(rnd) if rnd.randrange(_AT_ONCE) == 0 else kernels(rnd)


Target = Callable[[random.Random], int]

TARGETS: dict[str, Target] = {
    "small": small_files,
    "logs": logs,
    "kernels": kernels,
    "messages": messages,
    "protocol": protocol,
    "codecs": codecs,
    "parsers": parsers,
    "values": values,
    "schemas": schemas,
    "registry": registry_log,
    "guard": guarded_logs_and_values,
    "serve": check_session,
    "files": files,
    "tiers": check_tier,
    "repair": check_repair,
    "commands": check_command,
}
