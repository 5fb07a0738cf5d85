"""Rewords our text, which is that of 4.3.1, line by line as older releases of Kafka's tool print it.

All output of a release is compared; what it does not print yet is removed here.
"""

import re
from collections.abc import Callable

Fields = dict[bytes, bytes]
"""The values of our line by their labels; a record also has those of its batch, prefixed with `batch `."""

Reword = Callable[[bytes], bytes]
"""Rewords our text of a record's key and value (` key: ... payload: ...`) as an older release prints it."""

_PAIR = re.compile(rb"(\w+): (\S+)")
_TIMESTAMP_TYPES = (b"NoTimestampType", b"CreateTime", b"LogAppendTime")
_RECORD = re.compile(
    rb"\| offset: (?P<offset>\S+) (?P<type>\w+): (?P<timestamp>\S+) keySize: (?P<keySize>\S+) valueSize: "
    rb"(?P<valueSize>\S+)(?: sequence: (?P<sequence>\S+) headerKeys: (?P<headerKeys>\[.*?\])"
    rb"| isValid: (?P<isValid>\S+) crc: (?P<crc>\S+))(?P<rest>.*)",
    re.DOTALL,
)
_BATCH = re.compile(rb"(baseOffset|offset): \S+ .*position: \d+ \w+: .*isvalid: (true|false)")
_LEADER_CHANGE = re.compile(rb" LeaderChange: \{.*\}$")


def as_it_is(contents: bytes) -> bytes:
    """Return the text of a key and a value unchanged."""
    return contents


def in_the_words_of(version: str, text: bytes, reword: Reword = as_it_is) -> list[bytes]:
    """Reword our dump of a file with all records as an older release prints it."""
    of_record = _RECORDS[version]
    of_batch = _BATCHES.get(version)
    lines = []
    batch: Fields = {}
    for line in text.split(b"\n"):
        record = _RECORD.fullmatch(line)
        if record:
            fields = {**_as_fields(record), **batch}
            fields[b"rest"] = reword(fields[b"rest"])
            lines.append(of_record(fields))
        elif _BATCH.fullmatch(line):
            batch = _batch_fields(line)
            if of_batch:
                lines.append(of_batch(line))
        else:
            lines.append(_other_line(version, line))
    return lines


def _other_line(version: str, line: bytes) -> bytes:
    if version < "3":
        line = line.replace(b"Log starting offset", b"Starting offset")
        if line.startswith(b"producerId: "):
            line = re.sub(rb" lastTimestamp: \S+", b"", line).replace(b"OptionalLong.empty", b"None")
            line = re.sub(rb"OptionalLong\[(\d+)\]", rb"Some(\1)", line)
    return line


def _as_fields(record: re.Match[bytes]) -> Fields:
    return {name.encode(): value or b"" for name, value in record.groupdict().items()}


def _batch_fields(line: bytes) -> Fields:
    fields = {b"batch " + name: value for name, value in _PAIR.findall(line)}
    fields.setdefault(b"batch baseOffset", b"?")
    fields[b"batch codec"] = fields[b"batch compresscodec"].upper()
    return fields


def _message(fields: Fields, timestamp: bytes, codec: bytes) -> bytes:
    key = b"" if fields[b"keySize"] == b"-1" else b" keysize: %(keySize)b" % fields
    return (
        b"offset: %(offset)b position: %(batch position)b" % fields
        + timestamp
        + b" isvalid: %(isValid)b payloadsize: %(valueSize)b magic: %(batch magic)b" % fields
        + b" compresscodec: " + codec + b" crc: %(crc)b" % fields
        + key
    )  # fmt: skip


def _contents(fields: Fields) -> bytes:
    """From 0.9 to 1.1 the key of a record without a value is not printed."""
    return b"" if fields[b"valueSize"] == b"-1" else fields[b"rest"]


def _of_0_8(fields: Fields) -> bytes:
    null = b" payload: null" if fields[b"valueSize"] == b"-1" else b""
    return _message(fields, b"", b"NoCompressionCodec") + fields[b"rest"] + null


def _of_0_9(fields: Fields) -> bytes:
    return _message(fields, b"", b"NoCompressionCodec") + _contents(fields)


def _of_0_10_2(fields: Fields) -> bytes:
    return _message(fields, b" %(type)b: %(timestamp)b" % fields, b"NONE") + _contents(fields)


def _of_0_11(fields: Fields) -> bytes:
    """The tool reports records of format 2 as valid, whatever the batch's CRC."""
    line = (
        b"offset: %(offset)b position: %(batch position)b %(type)b: %(timestamp)b isvalid: " % fields
        + (fields[b"isValid"] or b"true")
        + b" keysize: %(keySize)b valuesize: %(valueSize)b magic: %(batch magic)b" % fields
        + b" compresscodec: %(batch codec)b" % fields
    )
    if fields[b"crc"]:
        return line + b" crc: %(crc)b" % fields + _contents(fields)
    return (
        line
        + b" producerId: %(batch producerId)b producerEpoch: %(batch producerEpoch)b sequence: %(sequence)b" % fields
        + b" isTransactional: %(batch isTransactional)b headerKeys: %(headerKeys)b" % fields
        + _contents(fields)
    )


def _of_2_4(fields: Fields) -> bytes:
    return (
        b"| offset: %(offset)b %(type)b: %(timestamp)b keysize: %(keySize)b valuesize: %(valueSize)b" % fields
        + b" sequence: %(sequence)b headerKeys: %(headerKeys)b%(rest)b" % fields
    )


def _of_2_8(fields: Fields) -> bytes:
    """The batch's offsets are omitted: 4.3.1 does not print them for a wrapper."""
    line = (
        b"| offset: %(offset)b isValid: " % fields
        + (fields[b"isValid"] or b"true")
        + b" crc: " + (fields[b"crc"] or b"null")
        + b" keySize: %(keySize)b valueSize: %(valueSize)b %(type)b: %(timestamp)b" % fields
        + b" batchSize: %(batch size)b magic: %(batch magic)b compressType: %(batch codec)b" % fields
        + b" position: %(batch position)b" % fields
    )  # fmt: skip
    if fields[b"crc"]:
        return line + b" crc: %(crc)b isvalid: %(isValid)b%(rest)b" % fields
    return line + b" sequence: %(sequence)b headerKeys: %(headerKeys)b%(rest)b" % fields


def _of_3_9(fields: Fields) -> bytes:
    rest = _LEADER_CHANGE.sub(b" controlType: LEADER_CHANGE(2)", fields[b"rest"])
    line = b"| offset: %(offset)b %(type)b: %(timestamp)b keySize: %(keySize)b valueSize: %(valueSize)b" % fields
    if fields[b"crc"]:
        return line + b" isValid: %(isValid)b crc: %(crc)b}" % fields + rest
    return line + b" sequence: %(sequence)b headerKeys: %(headerKeys)b" % fields + rest


def _batch_of_2(line: bytes) -> bytes:
    line = re.sub(rb" deleteHorizonMs: \S+", b"", line)
    return re.sub(rb"compresscodec: \w+", lambda match: b"compresscodec: " + match[0].split()[1].upper(), line)


_RECORDS: dict[str, Callable[[Fields], bytes]] = {
    "0.8.1.1": _of_0_8,
    "0.8.2.2": _of_0_8,
    "0.9.0.1": _of_0_9,
    "0.10.0.1": _of_0_9,
    "0.10.2.2": _of_0_10_2,
    "0.11.0.3": _of_0_11,
    "1.1.1": _of_0_11,
    "2.4.1": _of_2_4,
    "2.8.2": _of_2_8,
    "3.9.1": _of_3_9,
}
_BATCHES: dict[str, Callable[[bytes], bytes]] = {
    "2.4.1": _batch_of_2,
    "2.8.2": _batch_of_2,
    "3.9.1": bytes,
}
_BATCH_OFFSETS_OF_2_8 = re.compile(
    rb" baseOffset: \S+ lastOffset: \S+ baseSequence: \S+ lastSequence: \S+ producerEpoch: \S+"
    rb" partitionLeaderEpoch: \S+(?= batchSize: )"
)


def comparable(version: str, text: bytes) -> list[bytes]:
    """The lines of an older release's dump, without details that ours lacks."""
    if version == "2.8.2":
        text = _BATCH_OFFSETS_OF_2_8.sub(b"", text)
    # An older release's line for a producer without a batch ends in a blank.
    return [line.rstrip(b" ") if line.startswith(b"producerId: ") else line for line in text.split(b"\n")]
