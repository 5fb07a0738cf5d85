"""`kafkafmt inspect` as a command: the output in each form, stderr, and the exit status."""

import csv
import io
import json
import re
import struct
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Answer, Call, on_terminal
from tests.golden_cases import GOLDEN
from tests.reference.builder import CONTROL, R, batch, message, with_size

LOG = "00000000000000000010.log"
FIRST = batch([R(0, key=b"k\x1b[31m", value="žluť\n".encode()), R(1, value=b"\xff\xfe")], base_offset=10)
SECOND = batch([R(number, value=bytes(40)) for number in range(9)], base_offset=20, attributes=1)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / LOG
    path.write_bytes(FIRST + SECOND)
    return path


def rows_of(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.lines]


class TestForms:
    def test_jsonl_has_a_line_for_each_field(self, kafkafmt: Call, log: Path) -> None:
        answer = kafkafmt("inspect", log, "--output", "jsonl")
        rows = {row["field"]: row for row in rows_of(answer)}
        assert answer.status == 0
        assert answer.stderr == ""
        assert rows["body.magic"] == {
            "field": "body.magic",
            "decompressedFrom": None,
            "position": 16,
            "size": 1,
            "bits": None,
            "type": "s1",
            "isStructure": False,
            "hex": "02",
            "value": "2",
            "note": None,
            "meaning": "Number of the message format",
            "error": None,
        }
        assert rows["body.attributes.compression"]["bits"] == "2..0"
        assert rows["body.attributes.is_control"]["bits"] == "5"
        assert rows["body.attributes.is_control"]["value"] == "false"
        assert rows["body.attributes.compression"]["value"] == "none"
        assert re.fullmatch("0x[0-9a-f]{8}", rows["body.crc"]["value"])
        assert rows["body.records[0]"]["hex"] is None
        assert rows["body.records[0].body.value"]["value"] == "žluť\n"
        assert rows["body.records[1].body.value"]["value"] is None
        assert rows["body.records[1].body.value"]["hex"] == "fffe"

    @pytest.mark.parametrize(("form", "value"), [("hex", "fffe"), ("base64", "//4="), ("utf8", "\ufffd\ufffd")])
    def test_bytes_are_written_as_asked(self, kafkafmt: Call, log: Path, form: str, value: str) -> None:
        answer = kafkafmt("inspect", log, "-o", "jsonl", "--bytes", form)
        assert [row["value"] for row in rows_of(answer) if row["field"] == "body.records[1].body.value"] == [value]

    def test_hex_in_jsonl_is_whole_and_what_was_decompressed_says_so(self, kafkafmt: Call, log: Path) -> None:
        answer = kafkafmt("inspect", log, "--offset", 25, "-o", "jsonl", "--records", 1)
        rows = rows_of(answer)
        inner = [row for row in rows if row["decompressedFrom"] == "body.compressed_records"]
        assert [row["hex"] for row in inner if row["field"].endswith("records[5].body.value")] == ["00" * 40]
        assert inner[0]["field"] == "body.compressed_records.records[0 to 4]"
        assert inner[0]["position"] == 0

    @pytest.mark.parametrize("made", [batch, lambda records: message(value=bytes(next(iter(records)).value))])
    def test_of_a_large_field_the_beginning_is_shown(self, made: Any, kafkafmt: Call, tmp_path: Path) -> None:
        path = tmp_path / "00000000000000000000.log"
        value = ("€" * (1 << 20)).encode()
        path.write_bytes(made([R(0, value=value)]))
        rows = rows_of(kafkafmt("inspect", path, "--output", "jsonl"))
        row = next(row for row in rows if row["field"].endswith(".value"))
        most = (1 << 20) // 3 * 3
        assert row["size"] == len(value)
        assert bytes.fromhex(row["hex"]) == value[:most]
        assert row["value"].encode() == value[:most]
        assert row["note"].endswith(f"only the first {most} bytes are shown")

    def test_csv_has_the_same_cells(self, kafkafmt: Call, log: Path) -> None:
        rows = list(csv.DictReader(io.StringIO(kafkafmt("inspect", log, "-o", "csv").text)))
        assert [row["field"] for row in rows if row["type"] == "u4"] == ["body.crc"]
        assert len(rows) == len(kafkafmt("inspect", log, "-o", "csv", "--no-header").lines) - len(
            [row for row in rows if "\n" in row["value"]]
        )

    def test_parquet_goes_to_a_file(
        self, kafkafmt: Call, log: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        assert kafkafmt("inspect", log, "--out", tmp_path / "rows.parquet").status == 2  # among Kafka's own files
        target = tmp_path_factory.mktemp("elsewhere") / "rows.parquet"
        assert kafkafmt("inspect", log, "--out", target).status == 0
        assert pq.read_table(target).column("field")[0].as_py() == "base_offset"

    def test_lines_in_a_pipe_are_aligned_and_have_whole_paths(self, kafkafmt: Call, log: Path) -> None:
        lines = kafkafmt("inspect", log).lines
        assert lines[0] == str(log)
        assert lines[1].endswith(
            f"bytes 0 to {len(FIRST) - 1} of {len(FIRST + SECOND)}: record batch, format 2, 2 records, offsets 10 to 11"
        )
        at = lines[3].index("meaning")
        assert lines[3].split() == ["position", "size", "bytes", "field", "type", "value", "meaning"]
        assert all(line[at - 2 : at] == "  " for line in lines[4:] if len(line) > at)
        value = next(line for line in lines if "records[0].body.value " in line)
        assert '"žluť\\n"' in value
        key = next(line for line in lines if "records[0].body.key " in line)
        assert '"k\\x1b[31m"' in key
        assert "\x1b" not in "".join(lines)

    def test_without_header_only_rows_are_left(self, kafkafmt: Call, log: Path) -> None:
        lines = kafkafmt("inspect", log, "--no-header").lines
        assert lines[0].split()[:2] == ["0", "8"]

    def test_long_values_and_bytes_are_cut_in_lines(self, kafkafmt: Call, tmp_path: Path) -> None:
        path = tmp_path / LOG
        path.write_bytes(batch([R(value=b"long " * 100), R(1, value=bytes(100))]))
        lines = kafkafmt("inspect", path).lines
        value = next(line for line in lines if "records[0].body.value " in line)
        assert "6c 6f 6e 67 20 6c 6f 6e 67 20 6c 6f 6e 67 20 6c ..." in value
        assert f'"{"long " * 12}"...' in value
        assert "(no text)" in next(line for line in lines if "records[1].body.value " in line)

    @pytest.mark.parametrize(("form", "shown"), [(None, "(no UTF-8)"), ("hex", '"ff61"'), ("utf8", '"\ufffda"')])
    def test_what_is_no_text_is_said_to_be_none(
        self, kafkafmt: Call, tmp_path: Path, form: str | None, shown: str
    ) -> None:
        path = tmp_path / LOG
        path.write_bytes(batch([R(value=b"\xffa")]))
        lines = kafkafmt("inspect", path, *([] if form is None else ["--bytes", form])).lines
        assert shown in next(line for line in lines if "records[0].body.value " in line)

    def test_a_long_value_is_not_cut_within_a_character(self, kafkafmt: Call, tmp_path: Path) -> None:
        path = tmp_path / LOG
        path.write_bytes(batch([R(value=b"a" + "€".encode() * 200)]))
        lines = kafkafmt("inspect", path).lines
        assert f'"a{"€" * 59}"...' in next(line for line in lines if "records[0].body.value " in line)


class TestTerminal:
    @pytest.mark.slow
    @pytest.mark.parametrize("columns", [60, 80, 120, 170])
    def test_no_line_is_wider_than_the_terminal(self, log: Path, columns: int) -> None:
        answer = on_terminal("inspect", log, "--offset", 22, columns=columns)
        plain = COLOURS.sub("", answer.text)
        assert answer.status == 0
        assert max(map(len, plain.split("\n"))) <= columns
        for word in ("base_offset", "compressed_records", "len_body", "zigzag", "decompressed:"):
            assert word in plain

    @pytest.mark.slow
    def test_one_of_a_few_columns_gets_lines_that_can_be_read(self, log: Path) -> None:
        plain = COLOURS.sub("", on_terminal("inspect", log, columns=30).text)
        assert re.search(r"base_offset = 10  s8 *\n +Offset of the first", plain)

    @pytest.mark.slow
    def test_a_narrow_one_has_value_and_meaning_below_the_field(self, log: Path) -> None:
        plain = COLOURS.sub("", on_terminal("inspect", log).text)
        assert re.search(
            r"^ +0  00 00 00 00 00 00 00 0a  base_offset = 10  s8 *\n +Offset of the first", plain, re.MULTILINE
        )
        assert re.search(r"^ +22  \.\.\.\. \.000 +compression = none \(0\)  b3", plain, re.MULTILINE)
        assert re.search(r'^ +\d+  6b 1b 5b 33 31 6d +key = "k\\x1b\[31m"  bytes', plain, re.MULTILINE)
        assert plain.count("Size of the key in bytes") == 1
        assert plain.count("kafka_varint: Signed 32-bit") == 1

    @pytest.mark.slow
    def test_colours_are_ours_alone(self, log: Path) -> None:
        assert "\x1b[31mk" not in on_terminal("inspect", log).text

    def test_the_byte_that_was_asked_for_is_marked(self, log: Path) -> None:
        plain = COLOURS.sub("", on_terminal("inspect", log, "--position", 18, columns=130).text)
        assert "position 18 is byte 18 of the entry at 0" in plain
        assert re.search(r"crc +0x[0-9a-f]{8} +HERE is position 18", plain)

    def test_errors_stand_where_parsing_stops(self, tmp_path: Path) -> None:
        path = tmp_path / LOG
        path.write_bytes(batch([b"\x0c\0\0\0\1\x28v"]))
        answer = on_terminal("inspect", path, "--no-header", columns=100)
        plain = COLOURS.sub("", answer.text)
        assert answer.status == 1
        assert re.search(r"67  76 +value.*\n.*ERROR: the data ends before its declared size \(expected 20", plain)


class TestChoice:
    def test_by_offset(self, kafkafmt: Call, log: Path) -> None:
        answer = kafkafmt("inspect", log, "--offset", 15)
        assert answer.status == 0
        assert answer.lines[2] == "no entry holds offset 15: this is the next one, where a fetch at that offset begins"

    def test_forms_for_programs_say_it_on_stderr(self, kafkafmt: Call, log: Path) -> None:
        answer = kafkafmt("inspect", log, "--position", 3, "-o", "jsonl")
        assert answer.stderr == "kafkafmt: note: position 3 is byte 3 of the entry at 0\n"

    def test_exact(self, kafkafmt: Call, log: Path) -> None:
        answer = kafkafmt("inspect", log, "--position", 8, "--exact")
        assert answer.status == 1
        assert answer.lines[4].split()[0] == "8"

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--position", "1", "--offset", "1"], "--position and --offset both choose an entry: give only one"),
            (["--exact"], "--exact needs --position"),
            (["--position", "100000"], "position 100000 is beyond the end of the file, which has"),
            (["--position", "-1"], "--position"),
            (["--offset", "99"], "no entry holds offset 99 or a higher one: the highest one is 28."),
            (["--records", "some"], "'some' is neither a number nor 'all'."),
            (["--as", "kafka_record"], "--as"),
        ],
        ids=lambda value: value[0] if isinstance(value, list) else "",
    )
    def test_what_makes_no_sense(self, kafkafmt: Call, log: Path, arguments: list[str], words: str) -> None:
        answer = kafkafmt("inspect", log, *arguments)
        assert (answer.status, answer.stdout) == (2, b"")
        assert words in answer.stderr

    def test_a_name_that_tells_nothing_needs_as(self, kafkafmt: Call, tmp_path: Path) -> None:
        path = tmp_path / "rescued.bin"
        path.write_bytes(FIRST)
        answer = kafkafmt("inspect", path)
        assert answer.status == 2
        assert "rescued.bin: not named like a Kafka file; say what it is with --as" in answer.stderr
        assert kafkafmt("inspect", path, "--as", "kafka_log_segment", "--records", "all").status == 0
        assert "relative_offset" in kafkafmt("inspect", path, "--as", "kafka_offset_index").text

    def test_a_missing_file_is_unreadable(self, kafkafmt: Call, tmp_path: Path) -> None:
        assert kafkafmt("inspect", tmp_path / LOG).status == 3
        assert kafkafmt("inspect", tmp_path).status == 3

    def test_a_directory_is_told_from_a_file(self, kafkafmt: Call, tmp_path: Path) -> None:
        answer = kafkafmt("inspect", tmp_path)
        assert (answer.status, answer.stdout) == (3, b"")
        assert "this is a directory: name a file in it (kafkafmt ls lists them)" in answer.stderr

    def test_more_records_than_python_can_count_are_all(self, kafkafmt: Call, log: Path) -> None:
        assert kafkafmt("inspect", log, "--records", "9" * 5000) == kafkafmt("inspect", log, "--records", "all")

    def test_an_empty_file_has_no_entry(self, kafkafmt: Call, tmp_path: Path) -> None:
        path = tmp_path / "00000000000000000000.index"
        path.touch()
        answer = kafkafmt("inspect", path)
        assert (answer.status, answer.stdout) == (0, b"")
        assert answer.stderr == f"kafkafmt: note: {path} is empty: it has no entry to show.\n"
        assert kafkafmt("inspect", path, "--position", 0).status == 2

    def test_an_undecodable_name_is_printed_all_the_same(self, kafkafmt: Call, tmp_path: Path) -> None:
        path = tmp_path / "\udcff.log"
        path.write_bytes(FIRST)
        answer = kafkafmt("inspect", path)
        assert answer.status == 0
        assert "\\udcff.log" in answer.lines[0]


class TestKinds:
    def test_indexes(self, kafkafmt: Call, tmp_path: Path) -> None:
        path = tmp_path / "00000000000000000100.index"
        path.write_bytes(struct.pack(">iiii", 5, 0, 9, 4096))
        answer = kafkafmt("inspect", path, "--offset", 107, "-o", "jsonl")
        first, second = rows_of(answer)
        assert (first["field"], first["value"], first["note"]) == ("relative_offset", "5", "offset 105")
        assert (second["field"], second["position"]) == ("ofs_entry", 4)
        assert "entry 0 of the index, the last one at or below offset 107" in answer.stderr

    def test_time_indexes(self, kafkafmt: Call, tmp_path: Path) -> None:
        path = tmp_path / "00000000000000000100.timeindex.deleted"
        path.write_bytes(struct.pack(">qiqi", 1000, 5, 2000, 9) + b"odd")
        rows = rows_of(kafkafmt("inspect", path, "--offset", 109, "-o", "jsonl"))
        assert [(row["value"], row["note"]) for row in rows] == [
            ("2000", "1970-01-01T00:00:02.000Z"),
            ("9", "offset 109"),
        ]
        answer = kafkafmt("inspect", path, "--position", 25)
        assert answer.status == 1
        assert "position 24: the entry is incomplete (expected 12 bytes, found 3 bytes)" in answer.stderr

    def test_transaction_indexes(self, kafkafmt: Call, tmp_path: Path) -> None:
        path = tmp_path / "00000000000000000000.txnindex"
        path.write_bytes(struct.pack(">hqqqqhqqqq", 0, 1, 5, 9, 5, 1, 2, 8, 12, 8))
        assert kafkafmt("inspect", path).status == 0
        assert kafkafmt("inspect", path, "--offset", 7).status == 1  # an entry of a later version
        answer = kafkafmt("inspect", path, "--position", 40)
        assert "position 34: the format rules this value out (expected at most 0, found 1)" in answer.stderr

    def test_producer_snapshots(self, kafkafmt: Call) -> None:
        path = GOLDEN / "modern/04-transactions-4.3.1/log-dir/tx-0/00000000000000000154.snapshot"
        rows = rows_of(kafkafmt("inspect", path, "-o", "jsonl", "--position", 60, "--records", 1))
        assert [row["field"] for row in rows if row["type"] in ("producer", "producer[]")] == [
            "producers[0]",
            "producers[1]",
            "producers[2 to 3]",
        ]
        every = rows_of(kafkafmt("inspect", path, "-o", "jsonl", "--records", "all"))
        written = [int(row["value"]) for row in every if row["field"].endswith(".last_offset") and row["value"] != "-1"]
        found = rows_of(kafkafmt("inspect", path, "-o", "jsonl", "--offset", written[-1], "--records", 1))
        assert [row["value"] for row in found if row["field"].endswith(".last_offset")] == [str(written[-1])]
        answer = kafkafmt("inspect", path, "--offset", 123456)
        assert answer.status == 2
        assert "no producer of this snapshot wrote offset 123456 in its last batch" in answer.stderr

    def test_snapshots_of_the_metadata_log(self, kafkafmt: Call) -> None:
        path = GOLDEN / "modern/10-cluster-metadata-4.3.1/log-dir/bootstrap.checkpoint"
        answer = kafkafmt("inspect", path)
        assert answer.status == 0
        assert "last_contained_log_timestamp" in answer.text

    def test_old_messages(self, kafkafmt: Call, tmp_path: Path) -> None:
        path = tmp_path / LOG
        path.write_bytes(message(3, magic=0))
        assert kafkafmt("inspect", path).lines[1].endswith(": message, format 0, offset 3")


class TestFindings:
    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (FIRST[:20] + bytes([FIRST[20] ^ 1]) + FIRST[21:], "position 0: CRC mismatch"),
            (FIRST[:30], "the entry is incomplete"),
            (bytes(40), "zeros: space that a broker has preallocated"),
            (with_size(FIRST, 5), "the size is too small (expected at least 14, found 5)"),
            (with_size(FIRST, 2**31 - 1), "the entry is larger than "),
            (batch([R(key=b"\0", value=b"")], attributes=CONTROL), "the data ends before its declared size"),
        ],
        ids=["crc", "incomplete", "zeros", "small", "large", "control"],
    )
    def test_what_is_wrong_is_said_and_told_by_the_status(
        self, kafkafmt: Call, tmp_path: Path, data: bytes, words: str
    ) -> None:
        path = tmp_path / LOG
        path.write_bytes(data)
        answer = kafkafmt("inspect", path)
        assert answer.status == 1
        assert words in answer.stderr
        assert f"ERROR: {words.removeprefix('position 0: ')}" in answer.text
        assert f"{path}: position " in answer.stderr


def test_bad_files_of_all_kinds_never_end_in_a_stack_trace(kafkafmt: Call) -> None:
    for path in sorted((Path(__file__).parents[2] / "bad_data" / "files").iterdir()):
        if path.suffix in (".index", ".timeindex", ".txnindex", ".snapshot", ".log"):
            answer = kafkafmt("inspect", path, "--position", 0, "-o", "jsonl")
            assert answer.status in ((0, 1) if path.stat().st_size else (2,)), path


def test_help_has_examples_and_names_the_specs(kafkafmt: Call) -> None:
    answer = kafkafmt("inspect", "--help")
    assert answer.status == 0
    assert "kafkafmt inspect 00000000000000000000.index --offset 4711" in answer.text
    assert "kafka_producer_snapshot" in answer.text
