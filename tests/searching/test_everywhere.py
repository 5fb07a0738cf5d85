"""`grep_everywhere`: a text is found at every place of a log directory, and unreadable files are named."""

import gzip
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.codec.compression import Compression
from kafkafmt.io.base import MemoryFile
from kafkafmt.searching import raw_bytes as raw
from kafkafmt.searching import raw_log
from kafkafmt.searching.everywhere import Everywhere
from kafkafmt.searching.pattern import Pattern
from kafkafmt.searching.raw_bytes import has_anchors, spans_in
from tests.codec.compression.compressors import compress
from tests.golden_cases import field_case, tier_case
from tests.logdir.builders import segment
from tests.reference.builder import BATCH_OVERHEAD, R, batch, message, wrapper
from tests.transactions import ABORT, COMMIT, data, marker
from tests.varints import write_varint

NEEDLE = b"jane@example.com"
HEX = "0123456789abcdef0123456789abcdef"


def value(offset: int, codec: int = 0, needle: bytes = b"<jane@example.com>", **fields: Any) -> bytes:
    """A batch with the needle in the second of two records."""
    records = [R(value=b"before"), R(offset_delta=1, value=needle)]
    return batch(records, base_offset=offset, attributes=codec, **fields)


def with_offset(entry: bytes, offset: int) -> bytes:
    """An entry at another offset, which no CRC covers."""
    return entry if entry == HIDING else offset.to_bytes(8, "big") + entry[8:]


def hidden(log_dir: Path) -> dict[tuple[str, int | None], tuple[str, str, bool, bool]]:
    """Write a log directory; gives by file and offset where a hit is expected, in what, of what, and who sees it."""
    t0 = log_dir / "t-0"
    of_header = batch([R(headers=[(b"h", b"jane@")])], base_offset=12)
    log = [
        value(0, Compression.GZIP),
        batch([R(key=NEEDLE, headers=[(NEEDLE, NEEDLE)])], base_offset=2),
        value(3, crc=1),
        value(5, Compression.GZIP, crc=1),
        value(7, Compression.LZ4),
        message(9, magic=1, key=NEEDLE),
        wrapper(11, message(0, magic=1) + message(1, NEEDLE, magic=1), magic=1),
        of_header,
        b"example.com garbage" + bytes(range(255, 100, -1)),
        batch(base_offset=13),
    ]
    segment(t0, 0, *log)
    t0.joinpath("00000000000000000000.index").write_bytes(bytes(64) + NEEDLE)
    segment(t0, 100, value(100, Compression.SNAPPY), suffix=".deleted")
    segment(t0, 0, value(0), suffix=".cleaned")
    segment(t0, 0, value(0, Compression.ZSTD), suffix=".swap")
    (log_dir / "log-start-offset-checkpoint").write_text("0\n1\nt 0 2\n")
    for number, state in enumerate(("delete", "stray", "future"), 1):
        segment(log_dir / f"t-{number}.{HEX}-{state}", 0, value(0, Compression.ZSTD))
    segment(
        log_dir / "t-4",
        0,
        data(0, 7, value=NEEDLE),
        marker(1, 7, ABORT),
        data(2, 7, value=NEEDLE),
        marker(3, 7, COMMIT),
        data(4, 8, value=NEEDLE),
    )
    segment(log_dir / "replica" / "t-4", 0, data(0, 7, value=NEEDLE))
    (log_dir / "remote-log-index-cache").mkdir()
    (log_dir / "remote-log-index-cache" / "x.index").write_bytes(NEEDLE)
    (log_dir / "notes.txt").write_bytes(b"x" * 1000 + NEEDLE)
    (log_dir / "saved").write_bytes(value(0, Compression.ZSTD))
    zero = "t-0/00000000000000000000.log"
    one = "00000000000000000000.log"
    return {
        (zero, 1): ("value", "below log start", False, False),
        (zero, 2): ("key headerName headerValue", "log", True, True),
        (zero, None): ("bytes", "damage", False, False),
        (zero, 6): ("value", "damage", False, False),
        (zero, 8): ("value", "log", True, True),
        (zero, 9): ("key", "log", True, True),
        (zero, 11): ("value", "log", True, True),
        ("t-0/00000000000000000000.index", None): ("bytes", "index", False, False),
        ("t-0/00000000000000000100.log.deleted", 101): ("value", "deleted", False, False),
        ("t-0/00000000000000000000.log.cleaned", 1): ("value", "cleaned", False, False),
        ("t-0/00000000000000000000.log.swap", 1): ("value", "swap", False, False),
        (f"t-1.{HEX}-delete/{one}", 1): ("value", "delete", False, False),
        (f"t-2.{HEX}-stray/{one}", 1): ("value", "stray", False, False),
        (f"t-3.{HEX}-future/{one}", 1): ("value", "future", False, False),
        (f"t-4/{one}", 0): ("value", "log", True, False),
        (f"t-4/{one}", 2): ("value", "log", True, True),
        (f"t-4/{one}", 4): ("value", "log", True, False),
        (f"replica/t-4/{one}", 0): ("value", "other replica", False, False),
        ("remote-log-index-cache/x.index", None): ("bytes", "index", False, False),
        ("notes.txt", None): ("bytes", "other", False, False),
        ("saved", 1): ("value", "other", False, False),
    }


def test_it_is_found_in_each_place_where_it_can_be_hidden(tmp_path: Path) -> None:
    expected = hidden(tmp_path)
    everywhere = kafkafmt.open(tmp_path).grep_everywhere("jane@example.com", fixed=True)
    rows = everywhere.to_table().to_pylist()
    found = {
        (os.path.relpath(row["file"], tmp_path), row["offset"]): (
            " ".join(row["matchedIn"]),
            row["partOf"],
            row["visible"],
            row["visibleCommitted"],
        )
        for row in rows
    }
    assert found == expected
    log = (tmp_path / "t-0" / "00000000000000000000.log").read_bytes()
    raw_hits = [row["position"] for row in rows if row["partOf"] == "damage" and row["offset"] is None]
    # In the batch with a wrong CRC, and over the end of a sound batch; that of a compressed one is in a record.
    assert [log[position : position + len(NEEDLE)] for position in raw_hits] == [NEEDLE, NEEDLE]
    assert len(rows) == len(expected) + 1
    assert {row["topic"] for row in rows if row["partOf"] == "log"} == {"t"}
    assert everywhere.verdict == "found"
    assert [(each.file, each.reason) for each in everywhere.unread] == [
        (str(tmp_path / "t-0" / "00000000000000000000.log"), "not a batch of a known format (found magic 97)")
    ]


HIDING = b"<" + NEEDLE + b">"


def with_gzip_fields(content: bytes, **fields: bytes) -> bytes:
    """A gzip member with a name, a comment or extra bytes in its header (RFC 1952)."""
    member = gzip.compress(content, mtime=0)
    flags = {"extra": 0x04, "name": 0x08, "comment": 0x10}
    head = member[:3] + bytes([sum(flags[name] for name in fields)]) + member[4:10]
    extra = fields.get("extra")
    more = b"" if extra is None else len(extra).to_bytes(2, "little") + extra
    return head + more + b"".join(fields[name] + b"\0" for name in ("name", "comment") if name in fields) + member[10:]


RECORD = bytes(R(value=b"another"))
SKIPPABLE = b"\x50\x2a\x4d\x18" + len(HIDING).to_bytes(4, "little") + HIDING

IN_BYTES: dict[str, bytes] = {
    "behind an lz4 frame": batch(attributes=3, payload=compress(Compression.LZ4, RECORD) + HIDING),
    "behind a gzip member": batch(attributes=1, payload=compress(Compression.GZIP, RECORD) + HIDING),
    "in the name of a gzip member": batch(attributes=1, payload=with_gzip_fields(RECORD, name=HIDING)),
    "in the comment of a gzip member": batch(attributes=1, payload=with_gzip_fields(RECORD, comment=HIDING)),
    "in extra bytes of a gzip member": batch(attributes=1, payload=with_gzip_fields(RECORD, extra=HIDING)),
    "in a skippable frame": batch(attributes=4, payload=SKIPPABLE + compress(Compression.ZSTD, RECORD)),
    "in a second lz4 frame": batch(
        attributes=3, payload=compress(Compression.LZ4, RECORD) + compress(Compression.LZ4, b"a" * 90 + HIDING)
    ),
    "in a batch of count 0": batch([], payload=HIDING),
    "in a compressed batch of count 0": batch(
        [], attributes=1, payload=compress(Compression.GZIP, b"ab" * 90 + HIDING)
    ),
    "after the last record": batch([RECORD + HIDING]),
    "after the last record, compressed": batch([RECORD + b"ab" * 90 + HIDING], attributes=1),
    "after the last record, compressed by lz4": batch([RECORD + HIDING], attributes=3),
    "in a record that is longer than its fields": batch([write_varint(len(HIDING) + 8) + bytes(R())[1:] + HIDING]),
    "in the key of a wrapper": wrapper(0, message(0, b"another"), key=HIDING),
    "in a torn message of a wrapper": wrapper(0, message(0, b"another") + message(1, HIDING)[:-1]),
    "in a wrapper of a wrapper": wrapper(0, wrapper(0, message(0, HIDING), codec=Compression.SNAPPY)),
    "in a batch that counts too many records": batch([RECORD, RECORD + HIDING], attributes=1, count=3),
    "between batches": HIDING,
}
"""Entries with the text in no record that Kafka reads."""


@pytest.mark.parametrize("name", IN_BYTES)
@pytest.mark.parametrize("arguments", [{"fixed": True}, {"ignore_case": True}], ids=["text", "expression"])
def test_it_is_found_in_bytes_that_nobody_decodes(name: str, arguments: dict[str, Any], tmp_path: Path) -> None:
    before, after = batch(base_offset=0), batch(base_offset=90)
    log = segment(tmp_path / "t-0", 0, before, with_offset(IN_BYTES[name], 1), after)
    everywhere = kafkafmt.open(tmp_path).grep_everywhere("jane@example.com", **arguments)
    (row,) = everywhere.to_table().to_pylist()
    assert (row["matchedIn"], row["offset"], row["visible"]) == (["bytes"], None, False)
    position = log.read_bytes().find(NEEDLE)
    # What is decompressed has no place of its own in the file.
    is_packed = position < 0 or "compressed" in name or "second" in name
    assert row["position"] == (len(before) if is_packed else position)
    assert row["partOf"] in ("log", "damage")
    assert everywhere.verdict == "found"
    log.write_bytes(before + after)
    assert verdict(tmp_path) == ("not found", [])


@pytest.mark.parametrize("codec", Compression)
@pytest.mark.parametrize(
    "record",
    [R(value=HIDING), R(key=HIDING, value=None), R(headers=[(NEEDLE, b"x")]), R(headers=[(b"x", HIDING)])],
    ids=["value", "key", "header name", "header value"],
)
def test_what_a_record_gives_is_not_found_twice_in_its_bytes(codec: Compression, record: R, tmp_path: Path) -> None:
    """Codecs may store a text as it is."""
    segment(tmp_path / "t-0", 0, batch([R(), record, R(offset_delta=2)], attributes=codec))
    each: list[dict[str, Any]] = [{"fixed": True}, {}, {"ignore_case": True}]
    for arguments in each:
        for pattern in ("jane@example.com", *([] if arguments.get("fixed") else ["jane.*com", ".*example[.]com.*"])):
            (row,) = kafkafmt.open(tmp_path).grep_everywhere(pattern, **arguments).to_table().to_pylist()
            assert row["offset"] is not None
    # Beside a record that matches it is found all the same.
    segment(tmp_path / "t-0", 0, batch([record], attributes=codec), batch([], payload=HIDING, base_offset=1))
    assert kafkafmt.open(tmp_path).grep_everywhere("jane@example.com", fixed=True).to_table().num_rows == 2


def test_a_field_that_was_not_asked_for_is_bytes(tmp_path: Path) -> None:
    for codec in (0, Compression.GZIP):
        log = segment(
            tmp_path / f"t-{int(codec)}", 0, batch([R(key=b"jane@example.com", value=HIDING)], attributes=codec)
        )
        everywhere = kafkafmt.open(log.parent).grep_everywhere("jane@example.com", fixed=True, parts=["key"])
        assert [row["matchedIn"] for row in everywhere.to_table().to_pylist()] == [["key"], ["bytes"]]


def test_an_expression_is_found_beyond_the_field_that_it_began_in(tmp_path: Path) -> None:
    segment(
        tmp_path / "t-0", 0, batch([bytes(R(value=b"jane 1")) + b"jane 2"]), batch([R(value=b"jane 3")], base_offset=1)
    )
    rows = kafkafmt.open(tmp_path).grep_everywhere(r"jane.*\d").to_table().to_pylist()
    assert [(row["offset"], row["matchedIn"]) for row in rows] == [(1, ["value"]), (None, ["bytes"])]


def test_it_is_found_across_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw, "_WINDOW", 50)
    monkeypatch.setattr(raw_log, "_WINDOW_BYTES", 100)
    for shift in range(60):
        log = segment(tmp_path / "t-0", 0, batch([R(value=b"x" * shift)]), batch([], payload=HIDING, base_offset=1))
        (row,) = kafkafmt.open(tmp_path).grep_everywhere("jane@example.com", fixed=True).to_table().to_pylist()
        assert row["position"] == log.read_bytes().index(NEEDLE)


@pytest.mark.parametrize("name", ["erasure-outside-behind-lz4-frame", "erasure-outside-count-zero"])
def test_public_reports(name: str) -> None:
    (path,) = field_case(name).input.glob("t-0/*.log")
    everywhere = kafkafmt.open(field_case(name).input).grep_everywhere("SECRET4711", fixed=True)
    (row,) = everywhere.to_table().to_pylist()
    assert (row["position"], row["matchedIn"]) == (path.read_bytes().index(b"SECRET4711"), ["bytes"])


@pytest.mark.parametrize("offset", [-5, 2**63 - 1])
def test_offsets_that_only_damage_makes(offset: int, tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch([R(value=HIDING)], base_offset=offset))
    (row,) = kafkafmt.open(tmp_path).grep_everywhere("jane@example.com", fixed=True).to_table().to_pylist()
    assert (row["offset"], row["visible"]) == (offset, offset > 0)


def test_any_bytes_end(tmp_path: Path) -> None:
    """A flipped bit anywhere in entries of all kinds: a verdict, and no other exception."""
    entries = [batch([R(), R(value=HIDING, offset_delta=1)], attributes=codec) for codec in Compression]
    entries += [wrapper(9, message(0, HIDING, magic=magic), magic=magic) for magic in (0, 1)]
    for entry in entries:
        for bit in range(5, 8 * len(entry), 61):
            changed = bytearray(entry)
            changed[bit // 8] ^= 1 << bit % 8
            segment(tmp_path / "t-0", 0, bytes(changed))
            everywhere = kafkafmt.open(tmp_path).grep_everywhere("jane@example.com", fixed=True)
            assert len(list(everywhere.hits())) == everywhere.found
            assert everywhere.verdict in ("found", "not proved", "not found")


def test_an_expression_and_case_find_the_same(tmp_path: Path) -> None:
    expected = hidden(tmp_path)
    disks = kafkafmt.open(tmp_path)
    for arguments in (
        {"pattern": "j[a]ne@example.com"},
        {"pattern": "JANE@example.com", "fixed": True, "ignore_case": True},
    ):
        rows = disks.grep_everywhere(**arguments).to_table().to_pylist()
        assert len(rows) == len(expected) + 1


def test_a_scan_with_defaults_gives_what_is_visible(tmp_path: Path) -> None:
    hidden(tmp_path)
    disks = kafkafmt.open(tmp_path)
    rows = disks.grep_everywhere("jane@example.com", fixed=True).to_table().to_pylist()
    levels: list[tuple[Any, str]] = [("read_uncommitted", "visible"), ("read_committed", "visibleCommitted")]
    for level, name in levels:
        matches = disks.grep("jane@example.com", fixed=True, on_damage="skip", isolation_level=level)
        consumed = {(row["topic"], row["partition"], row["offset"]) for row in matches.to_table().to_pylist()}
        assert {(row["topic"], row["partition"], row["offset"]) for row in rows if row[name]} == consumed


def clean(tmp_path: Path) -> Path:
    segment(tmp_path / "t-0", 0, value(0, Compression.ZSTD, b"somebody else"), batch(base_offset=2))
    return tmp_path / "t-0" / "00000000000000000000.log"


def verdict(path: Path) -> tuple[str, list[str]]:
    everywhere = kafkafmt.open(path).grep_everywhere("jane@example.com", fixed=True)
    assert not list(everywhere.hits())
    return everywhere.verdict, [str(each).replace(str(path), "") for each in everywhere.unread]


def test_nothing_is_left(tmp_path: Path) -> None:
    clean(tmp_path)
    (tmp_path / "t-0" / "partition.metadata").write_text("version: 0\ntopic_id: x\n")
    assert verdict(tmp_path) == ("not found", [])


def test_the_open_end_of_a_log_hides_nothing(tmp_path: Path) -> None:
    log = clean(tmp_path)
    content = log.read_bytes()
    log.write_bytes(content + bytes(5000))
    assert verdict(tmp_path) == ("not found", [])
    log.write_bytes(content + batch(base_offset=3)[:-1])
    assert verdict(tmp_path) == ("not found", [])


@pytest.mark.parametrize(
    ("added", "reason"),
    [
        (value(3, Compression.GZIP)[:-1], "a batch compressed with gzip is cut off"),
        (value(3, Compression.ZSTD, crc=1)[: BATCH_OVERHEAD + 6] + bytes(30) + batch(base_offset=9), "zstd"),
        (batch(base_offset=3, magic=5), "not a batch of a known format (found magic 5)"),
        (batch(base_offset=3, attributes=7, payload=b"123"), "unknown codec"),
        (batch(base_offset=3, attributes=Compression.GZIP, payload=gzip.compress(b"x")[:-3]), "gzip"),
    ],
    ids=["cut off", "damaged", "magic", "codec", "no gzip"],
)
def test_what_cannot_be_read_proves_nothing(tmp_path: Path, added: bytes, reason: str) -> None:
    log = clean(tmp_path)
    position = log.stat().st_size
    log.write_bytes(log.read_bytes() + added)
    found, unread = verdict(tmp_path)
    assert found == "not proved"
    assert len(unread) == 1
    assert unread[0].startswith(f"/t-0/{log.name} at {position}: ")
    assert reason in unread[0]


def test_a_link_to_nothing_proves_nothing_once(tmp_path: Path) -> None:
    clean(tmp_path)
    (tmp_path / "t-1").symlink_to(tmp_path / "nowhere")
    found, unread = verdict(tmp_path)
    assert found == "not proved"
    assert [each.partition(":")[0] for each in unread] == ["/t-1"]


def test_packed_files_prove_nothing(tmp_path: Path) -> None:
    clean(tmp_path)
    (tmp_path / "t-0" / "00000000000000000007.log").write_bytes(gzip.compress(NEEDLE))
    (tmp_path / "backup.gz").write_bytes(gzip.compress(NEEDLE))
    found, unread = verdict(tmp_path)
    assert found == "not proved"
    assert [each.partition(":")[0] for each in unread] == ["/backup.gz", "/t-0/00000000000000000007.log"]


def test_a_file_that_vanishes_proves_nothing(tmp_path: Path) -> None:
    log = clean(tmp_path)
    everywhere = kafkafmt.open(tmp_path).grep_everywhere("x", fixed=True)
    assert len(everywhere.places) == 1
    log.unlink()
    assert not list(everywhere.hits())
    assert everywhere.verdict == "not proved"


def test_uploads_are_searched_whether_they_are_the_log_or_not() -> None:
    case = tier_case(5)
    rows = kafkafmt.open(case.tier).grep_everywhere("o", fixed=True).to_table().to_pylist()
    objects = {str(path) for path in case.tier.rglob("*.log")}
    assert {row["file"] for row in rows if row["matchedIn"] != ["bytes"]} <= objects
    assert {row["partOf"] for row in rows if row["matchedIn"] != ["bytes"]} == {"log", "delete"}
    # An o among the numbers of a header is a match in bytes.
    log = [row for row in rows if row["partOf"] == "log" and row["matchedIn"] != ["bytes"]]
    assert log
    assert all(row["visible"] for row in log)


def test_encrypted_uploads_need_their_keys() -> None:
    case = tier_case(3)
    without = kafkafmt.open(case.tier).grep_everywhere("o", fixed=True)
    assert not [hit for hit in without.hits() if hit.matched_in != ("bytes",)]
    objects = [path for path in case.tier.rglob("*") if path.suffix in (".log", ".indexes")]
    assert {each.file for each in without.unread} == {str(path) for path in objects}
    keys = {name: str(path) for name, path in case.keys.items()}
    read = kafkafmt.open(case.tier, decryption_keys=keys)
    found = read.grep_everywhere("o", fixed=True)
    hits = {(hit.topic, hit.partition, hit.offset) for hit in found.hits() if hit.matched_in != ("bytes",)}
    assert not found.unread
    matches = read.grep("o", fixed=True, control_records=True, columns=["topic", "partition", "offset"]).to_table()
    assert hits >= {tuple(row.values()) for row in matches.to_pylist()}


def test_the_bytes_of_an_encrypted_object_are_searched_as_they_are(tmp_path: Path) -> None:
    case = tier_case(3)
    tier = Path(shutil.copytree(case.tier, tmp_path / "tier"))
    log = min(tier.rglob("*.log"))
    log.write_bytes(log.read_bytes() + NEEDLE)
    keys = {name: str(path) for name, path in case.keys.items()}
    (hit,) = kafkafmt.open(tier, decryption_keys=keys).grep_everywhere("jane@example.com", fixed=True).hits()
    assert (hit.file, hit.position, hit.matched_in) == (str(log), log.stat().st_size - len(NEEDLE), ("bytes",))


@pytest.mark.parametrize("pattern", ["^jane", "jane$", r"\bjane", r"jane\z", "j*", ""])
def test_what_means_nothing_in_bytes_is_refused(tmp_path: Path, pattern: str) -> None:
    clean(tmp_path)
    with pytest.raises(ValueError, match=r"nothing|everything"):
        kafkafmt.open(tmp_path).grep_everywhere(pattern)


def test_signs_that_are_no_anchors() -> None:
    assert not any(map(has_anchors, [r"\^a", "[$^]", r"a\$", "[]^]", r"\d", "[[:alpha:]$]"]))


def test_windows_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw, "_WINDOW", 10)
    text = b"".join(b"%02d" % number + NEEDLE for number in range(20))
    expected = [(2 + 18 * number, 18 + 18 * number) for number in range(20)]
    for pattern in (Pattern("jane@example.com", fixed=True), Pattern("jane@[a-z.]+")):
        for shift in range(11):
            file = MemoryFile("f", bytes(shift) + text)
            moved = [(begin + shift, end + shift) for begin, end in expected]
            assert list(spans_in(file, 0, file.size, pattern)) == moved
            assert list(spans_in(file, moved[3][0] + 5, moved[5][0], pattern)) == moved[3:5]


def test_the_answer_counts_its_files(tmp_path: Path) -> None:
    hidden(tmp_path)
    everywhere = kafkafmt.open(tmp_path).grep_everywhere("jane@example.com", fixed=True)
    assert isinstance(everywhere, Everywhere)
    read: list[int] = []
    hits = list(everywhere.hits(read.append))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(everywhere.files) == len(files)
    assert sum(each.hits for each in everywhere.files) == len(hits) == everywhere.found
    assert sum(read) == sum(path.stat().st_size for path in files)
