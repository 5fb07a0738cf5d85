"""Dumps of segments and raft snapshots: inputs on which Kafka's tool is wrong or dies, and every option."""

import gzip
import struct
from pathlib import Path

import pytest

from kafkafmt.cli.dump import batch_text
from kafkafmt.codec import java_text
from tests.bad_data.make_files import FILES
from tests.cli.dump.running import Run, dump
from tests.reference.builder import CONTROL, R, batch, message, with_size, wrapper

NAME = "00000000000000000000.log"


def dumped(directory: Path, *content: bytes, name: str = NAME, options: tuple[str, ...] = ("--print-data-log",)) -> Run:
    path = directory / name
    path.write_bytes(b"".join(content))
    return dump(*options, "--files", path)


def bad(directory: Path, name: str, *options: str) -> Run:
    return dumped(directory, (FILES / name).read_bytes(), options=options or ("--print-data-log",))


def test_a_batch_and_its_records(tmp_path: Path) -> None:
    records = [R(0, 0, b"k", b"v"), R(1, 5, None, b"", headers=[(b"a", b"x"), (b"b", None)]), R(2, 6, b"", None)]
    run = dumped(tmp_path, batch(records, base_offset=7, producer_id=3, producer_epoch=1, base_sequence=4))
    path = tmp_path / NAME
    assert run == Run(0, run.out, b"")
    assert run.lines == [
        f"Dumping {path}",
        "Log starting offset: 0",
        (
            "baseOffset: 7 lastOffset: 9 count: 3 baseSequence: 4 lastSequence: 6 producerId: 3 producerEpoch: 1 "
            "partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty "
            "position: 0 CreateTime: 2000 size: 91 magic: 2 compresscodec: none "
            f"crc: {int.from_bytes(path.read_bytes()[17:21], 'big')} isvalid: true"
        ),
        "| offset: 7 CreateTime: 1000 keySize: 1 valueSize: 1 sequence: 4 headerKeys: [] key: k payload: v",
        "| offset: 8 CreateTime: 1005 keySize: -1 valueSize: 0 sequence: 5 headerKeys: [a,b] payload: ",
        "| offset: 9 CreateTime: 1006 keySize: 0 valueSize: -1 sequence: 6 headerKeys: [] key: ",
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), []),
        (("--deep-iteration",), ["| offset: 0 CreateTime: 1000 keySize: 1 valueSize: 1 sequence: -1 headerKeys: []"]),
        (("--deep-iteration", "--skip-record-metadata"), [""]),
        (("--print-data-log", "--skip-record-metadata"), ["| key: k payload: v"]),
        (("--skip-record-metadata",), []),
    ],
)
def test_what_is_printed_of_a_record(tmp_path: Path, options: tuple[str, ...], expected: list[str]) -> None:
    assert dumped(tmp_path, batch([R(key=b"k")]), options=options).lines[3:] == expected


def test_a_null_key_and_value_without_metadata_leave_an_empty_line(tmp_path: Path) -> None:
    run = dumped(tmp_path, batch([R(value=None), R(1)]), options=("--print-data-log", "--skip-record-metadata"))
    assert run.lines[3:] == ["", "| payload: v"]


def test_keys_and_values_are_text_as_java_has_it(tmp_path: Path) -> None:
    run = dumped(tmp_path, batch([R(key=b"\xed\xa0\x80", value="Grüße\x1b[31m\n".encode())]))
    assert run.out.endswith("key: \ufffd payload: Grüße\x1b[31m\n\n".encode())


def test_messages_and_wrappers(tmp_path: Path) -> None:
    inner = message(0, b"v", b"k") + message(1, None, None, crc=5)
    run = dumped(tmp_path, message(3, b"x", None, magic=0), wrapper(5, inner))
    assert run.lines[2].startswith(
        "offset: 3 position: 0 NoTimestampType: -1 size: 27 magic: 0 compresscodec: none crc: "
    )
    assert run.lines[3].startswith("| offset: 3 NoTimestampType: -1 keySize: -1 valueSize: 1 isValid: true crc: ")
    assert run.lines[4].startswith("offset: 5 position: 27 CreateTime: 1000 size: ")
    assert run.lines[6] == "| offset: 5 CreateTime: 1000 keySize: -1 valueSize: -1 isValid: false crc: 5"
    assert run.status == 1
    assert "position 27: inner message, offset 5: CRC mismatch" in run.complaints[0]


def test_the_first_offset_is_no_gap_but_gaps_are_told(tmp_path: Path) -> None:
    run = dumped(tmp_path, batch([R(0), R(3)], base_offset=5), batch(base_offset=20))
    assert run.complaints == [
        f"Non-consecutive offsets in {tmp_path / NAME}",
        "  5 is followed by 8",
        "  8 is followed by 20",
    ]
    assert run.status == 0


def test_offsets_that_go_back_are_a_finding(tmp_path: Path) -> None:
    run = dumped(tmp_path, batch(base_offset=5), batch(base_offset=5))
    assert run.complaints[1:] == ["  5 is followed by 5", f"kafkafmt: {tmp_path / NAME}: offsets go back or repeat"]
    assert run.status == 1


def test_the_records_of_a_batch_with_a_wrong_crc_are_printed_and_it_is_a_finding(tmp_path: Path) -> None:
    run = bad(tmp_path, "crc-v2.log")
    assert [line.rpartition(" ")[2] for line in run.lines if line.startswith("baseOffset")] == ["true", "false", "true"]
    assert sum(line.startswith("| ") for line in run.lines) == 3
    assert run.status == 1
    assert "position 69: CRC mismatch" in run.complaints[0]


@pytest.mark.parametrize(
    ("name", "end"),
    [("size-13.log", 117), ("size-huge.log", 138), ("zero-hole.log", 169), ("garbage.log", 119)],
)
def test_what_lies_beyond_a_bad_length_goes_to_stderr(tmp_path: Path, name: str, end: int) -> None:
    run = bad(tmp_path, name)
    size = (tmp_path / NAME).stat().st_size
    assert run.lines[4:] == [f"Found {size - 69} invalid bytes at the end of {NAME}"]
    assert run.status == 1
    assert run.complaints[0].startswith(f"kafkafmt: {tmp_path / NAME}: position 69: ")
    found = next(
        number for number, line in enumerate(run.complaints) if "entry found by a search after the damage" in line
    )
    assert f"position {end}: " in run.complaints[found]
    assert run.complaints[found + 1].startswith("baseOffset: 9 ")
    assert run.complaints[found + 2].startswith("| offset: 9 ")


def test_an_entry_is_found_although_the_size_before_it_leads_past_it(tmp_path: Path) -> None:
    sound = batch(base_offset=9)
    wrong = with_size(batch(base_offset=5), len(sound) - 12 + 30)
    run = dumped(tmp_path, batch(), wrong, sound, sound[:30], options=())
    assert [line.split()[1] for line in run.lines if line.startswith("baseOffset")] == ["0", "5"]
    assert run.complaints[-1].startswith("baseOffset: 9 ")
    assert run.status == 1


def test_neighbours_that_were_missed_are_announced_once(tmp_path: Path) -> None:
    content = [batch(), with_size(batch(base_offset=1), 3), batch(base_offset=2), batch(base_offset=3)]
    run = dumped(tmp_path, *content, options=())
    assert [line[:20] for line in run.complaints if not line.startswith("kafkafmt")] == [
        "baseOffset: 2 lastOf",
        "baseOffset: 3 lastOf",
    ]
    assert sum("entry found by a search after the damage" in line for line in run.complaints) == 1


@pytest.mark.parametrize(
    ("name", "size"), [("tail-200-zeros.log", 200), ("tail-in-records.log", 66), ("tail-1-byte.log", 1)]
)
def test_an_unfinished_end_is_told_and_no_finding(tmp_path: Path, name: str, size: int) -> None:
    run = bad(tmp_path, name)
    assert run == Run(0, run.out, b"")
    assert run.lines[-1] == f"Found {size} invalid bytes at the end of {NAME}"


def test_records_before_a_broken_one_are_printed_as_kafka_does(tmp_path: Path) -> None:
    run = dumped(tmp_path, batch([R(), b"\x06\xff\xff\xff"], count=2), batch(base_offset=9))
    assert [line.split()[:3] for line in run.lines[3:]] == [
        ["|", "offset:", "0"],
        ["baseOffset:", "9", "lastOffset:"],
        ["|", "offset:", "9"],
    ]
    assert run.status == 1
    assert "position 0: record 1 of 2" in run.complaints[0]


def test_inner_messages_before_a_broken_one_are_printed(tmp_path: Path) -> None:
    run = dumped(tmp_path, wrapper(1, message(0) + wrapper(1, message(0))))
    assert [line[:12] for line in run.lines[3:]] == ["| offset: 0 "]
    assert "inner message 1, offset 1: an inner message is compressed" in run.complaints[0]
    assert run.status == 1


def test_headers_are_read_at_fixed_places_whatever_follows(tmp_path: Path) -> None:
    entries = [batch(count=-7), message(4, b"x", b"key", magic=0), message(5, b"x", b"key"), batch(base_offset=6)]
    broken = [entries[0], _with_key_size(entries[1], 18), _with_key_size(entries[2], 26), entries[3]]
    run = dumped(tmp_path, *broken, options=())
    assert [line.split(" position:")[0][:60] for line in run.lines[2:]] == [
        "baseOffset: 0 lastOffset: 0 count: -7 baseSequence: -1 lastS",
        "offset: 4",
        "offset: 5",
        "baseOffset: 6 lastOffset: 6 count: 1 baseSequence: -1 lastSe",
    ]
    assert run.status == 1


def _with_key_size(entry: bytes, place: int) -> bytes:
    return entry[:place] + struct.pack(">i", 1000) + entry[place + 4 :]


def test_an_entry_too_small_for_its_header_at_the_end_of_the_file(tmp_path: Path) -> None:
    run = dumped(tmp_path, with_size(batch()[:40], 28), options=())
    assert len(run.lines) == 2
    assert "too small" in run.complaints[0] or "ends before" in run.complaints[0]
    assert run.status == 1


def test_a_negative_magic_without_room_for_a_header(tmp_path: Path) -> None:
    run = dumped(tmp_path, message(3, None, magic=0)[:16] + b"\x80" + message(3, None, magic=0)[17:], options=())
    assert run.status == 1


def test_a_newer_format_is_printed_as_format_2_and_a_finding(tmp_path: Path) -> None:
    run = bad(tmp_path, "magic-9.log")
    assert "magic: 9 compresscodec: none" in run.lines[4]
    assert run.lines[5].startswith("| offset: 5 ")
    assert run.status == 1
    assert "an unknown message format, printed as format 2 (expected magic 0 to 2, found 9)" in run.complaints[0]


def test_a_negative_format_is_printed_as_format_1_and_a_finding(tmp_path: Path) -> None:
    run = bad(tmp_path, "magic-minus-1.log")
    assert run.status == 1
    assert "printed as format 1" in run.complaints[0]


@pytest.mark.parametrize("options", [(), ("--deep-iteration",)])
def test_an_unknown_codec_is_one_finding(tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / NAME
    path.write_bytes((FILES / "codec-5-v2.log").read_bytes())
    run = dump(*options, path)
    assert "compresscodec: unknown" in run.out.decode()
    assert len([line for line in run.complaints if line.startswith("kafkafmt")]) == 1
    assert run.status == 1


@pytest.mark.parametrize(("bound", "batches"), [(0, 0), (16, 0), (68, 0), (69, 1), (137, 1), (138, 2), (10**9, 3)])
def test_max_bytes_takes_the_batches_that_lie_within(tmp_path: Path, bound: int, batches: int) -> None:
    content = [batch(base_offset=number) for number in range(3)]
    assert {len(each) for each in content} == {69}
    run = dumped(tmp_path, *content, b"rest", options=("--max-bytes", str(bound)))
    assert len(run.lines) == 2 + batches
    assert run.status == 0


def test_max_bytes_keeps_from_looking_beyond(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes((FILES / "size-13.log").read_bytes())
    assert dump("--max-bytes", "69", path).status == 0
    assert dump("--max-bytes", "100", path).status == 1


def test_control_records(tmp_path: Path) -> None:
    def marker(key: bytes | None, value: bytes | None) -> bytes:
        return batch([R(key=key, value=value)], attributes=CONTROL, producer_id=1)

    commit = struct.pack(">hhhi", 0, 1, 0, 42)
    content = [
        marker(commit[:4], commit[4:]),
        marker(struct.pack(">hh", 0, 77), b"?"),
        marker(b"\0", b""),
        marker(None, b""),
        marker(commit[:4], b"\0"),
        marker(struct.pack(">hh", 0, 6), b"\0\0"),
    ]
    run = dumped(tmp_path, *content)
    assert [line.partition("headerKeys: []")[2] for line in run.lines if line.startswith("|")] == [
        " endTxnMarker: COMMIT coordinatorEpoch: 42",
        " controlType: UNKNOWN(77)",
        " controlType: UNKNOWN(None)",
        " controlType: UNKNOWN(None)",
        " controlType: COMMIT(1)",
        " controlType: KRAFT_VOTERS(6)",
    ]
    assert sum("control record" in line for line in run.complaints) == 2
    assert run.status == 1


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("00000000000000000042.log", "Log starting offset: 42"),
        ("7.log", "Log starting offset: 7"),
        ("00000000000000000042.log.deleted", "Log starting offset: 42"),
        ("00000000000000000042.log.swap", "Log starting offset: 42"),
        ("00000000000000000123-0000000045.checkpoint", "Snapshot end offset: 123, epoch: 45"),
        ("00000000000000000123-0000000045.checkpoint.deleted", "Snapshot end offset: 123, epoch: 45"),
        ("bootstrap.checkpoint", "KRaft bootstrap snapshot"),
        ("some.log", None),
        ("99999999999999999999.log", None),
        ("some.checkpoint", None),
        ("99999999999999999999-0000000045.checkpoint", None),
    ],
)
def test_titles(tmp_path: Path, name: str, title: str | None) -> None:
    run = dumped(tmp_path, batch(), name=name, options=())
    assert run.lines[1:-1] == ([] if title is None else [title])
    assert run.lines[-1].startswith("baseOffset: 0 ")


def test_decoders(tmp_path: Path) -> None:
    numbers = batch([R(key=b"\0\0\0\x05", value=b"\xff" * 8), R(1, key=b"abc", value=b"\0" * 9)])
    options = ("--key-decoder-class", "Integer", "--value-decoder-class", "kafka.serializer.LongDecoder")
    run = dumped(tmp_path, numbers, options=options)
    assert [line.partition("[] ")[2] for line in run.lines[3:]] == ["key: 5 payload: -1", "key: 616263 payload: 0"]
    assert run.complaints == [
        f"kafkafmt: {tmp_path / NAME}: 1 keys are too short for the decoder, and are printed in hexadecimal"
    ]
    assert run.status == 1


def test_an_entry_above_the_limit_is_a_finding_and_what_follows_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import kafkafmt.cli.dump.log as module
    from kafkafmt.limits import Limits

    monkeypatch.setattr(module, "Limits", lambda: Limits(max_batch_bytes=100))
    run = dumped(tmp_path, batch([R(value=b"v" * 200)]), batch(base_offset=4), options=())
    assert "max_batch_bytes" in run.complaints[0]
    assert run.complaints[-1].startswith("baseOffset: 4 ")


def test_missed_entries_are_printed_whatever_is_wrong_inside_them(tmp_path: Path) -> None:
    content = [batch(), with_size(batch(), 3), batch(base_offset=1), batch(base_offset=2, count=-1)]
    run = dumped(tmp_path, *content, batch([b"\x06\xff\xff\xff"], base_offset=3), batch(magic=9, base_offset=4))
    batches = [line for line in run.complaints if line.startswith("baseOffset: ")]
    assert [line.split()[1] for line in batches] == ["1", "2", "3", "4"]
    assert "magic: 9 " in batches[3]
    assert [line[:12] for line in run.complaints if line.startswith("|")] == ["| offset: 1 ", "| offset: 4 "]


def test_a_packed_backup_is_named_and_not_dumped(tmp_path: Path) -> None:
    run = dumped(tmp_path, gzip.compress(batch([R()])))
    assert (run.status, run.lines) == (3, [f"Dumping {tmp_path / NAME}"])
    assert "gzip" in run.err.decode()


@pytest.mark.parametrize("decoder", ["String", "Bytes", "Integer"])
def test_a_long_line_in_pieces_is_the_line(decoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    malformed = "é\u20ac\U0001f600\n".encode() * 5 + b"\xed\xa0\x80\x80\x80\x80\xf0\x90" * 4
    records = [R(0, value=malformed), R(1, key=malformed, value=None), R(2, key=b"k" * 30, value=b"vv"), R(3)]
    options = ("--print-data-log", "--value-decoder-class", decoder, "--skip-record-metadata")
    for content in (batch(records), batch(records, attributes=1), message(value=malformed, key=malformed)):
        expected = dumped(tmp_path, content, options=options)
        with monkeypatch.context() as patched:
            patched.setattr(batch_text, "LARGE", 20)
            patched.setattr(batch_text, "PIECE", 12)
            patched.setattr(java_text, "PIECE", 12)
            assert dumped(tmp_path, content, options=options) == expected
