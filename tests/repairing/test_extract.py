"""Extract: selected records with all their fields, in a log directory on which a broker starts; redacted or not."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import kafkafmt
from kafkafmt import DataError, SourceError
from kafkafmt.repairing.redaction import Part
from tests.cli.conftest import Call
from tests.cli.conftest import kafkafmt as command

__all__ = ["command"]

GOLDEN = Path(__file__).parent.parent / "golden" / "modern"
LEGACY = GOLDEN.parent / "legacy"
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
KEPT = [
    *("topic", "partition", "offset", "timestamp", "timestampType", "key", "value", "headers", "partitionLeaderEpoch"),
    *("producerId", "producerEpoch", "sequence", "isTransactional", "isControl", "controlType", "magic", "compression"),
]


def rows(path: Path, **arguments: Any) -> pa.Table:
    table = kafkafmt.scan(path, control_records=True, on_damage="skip", columns=[*KEPT, "baseOffset"], **arguments)
    return table.to_table().sort_by([("topic", "ascending"), ("partition", "ascending"), ("offset", "ascending")])


def is_clean(path: Path) -> None:
    answer = kafkafmt.open(path).verify(level="records")
    assert answer.findings.filter(pc.equal(answer.findings["level"], "finding")).to_pylist() == []
    assert answer.verdict["starts"].to_pylist() == [True]


@pytest.mark.parametrize("case", CASES)
def test_all_of_a_log_directory(case: str, tmp_path: Path) -> None:
    wanted = rows(GOLDEN / case)
    wanted = wanted.filter(pc.invert(pc.starts_with(wanted["topic"], "__")))
    # Offsets there go back, and an epoch is wrong; both are kept.
    wanted = wanted.filter(pc.invert(pc.is_in(wanted["topic"], pa.array(["crash-flip-offset", "crash-flip-epoch"]))))
    names = sorted(set(wanted["topic"].to_pylist()))
    assert names
    written = kafkafmt.extract(GOLDEN / case, tmp_path / "out", topics=names, on_damage="skip")
    assert rows(tmp_path / "out").equals(wanted)
    assert sum(written.partitions["records"].to_pylist()) == wanted.num_rows
    is_clean(tmp_path / "out")


@pytest.mark.parametrize(
    "case", ["01-codecs-4.3.1", "03-idempotent-4.3.1", "04-transactions-4.3.1", "02-timestamps-4.3.1"]
)
@pytest.mark.parametrize("start", [1, 7])
def test_part_of_each_batch(case: str, start: int, tmp_path: Path) -> None:
    wanted = rows(GOLDEN / case, start_offset=start, end_offset=start + 12)
    wanted = wanted.filter(pc.invert(pc.starts_with(wanted["topic"], "__")))
    kafkafmt.extract(GOLDEN / case, tmp_path / "out", start_offset=start, end_offset=start + 12)
    found = rows(tmp_path / "out")
    assert found.num_rows > 12
    assert found.equals(wanted)
    is_clean(tmp_path / "out")


def test_whole_batches_stay_byte_for_byte(tmp_path: Path) -> None:
    source = GOLDEN / "01-codecs-4.3.1" / "log-dir"
    kafkafmt.extract(source, tmp_path / "out", topics="codec-zstd")
    logs = sorted((source / "codec-zstd-0").glob("*.log"))
    copies = sorted((tmp_path / "out" / "codec-zstd-0").glob("*.log"))
    assert b"".join(path.read_bytes() for path in copies) == b"".join(path.read_bytes() for path in logs)
    assert len(copies[0].read_bytes()) > 1000
    metadata = Path("codec-zstd-0", "partition.metadata")
    assert (tmp_path / "out" / metadata).read_bytes() == (source / metadata).read_bytes()


def test_a_key_and_the_markers_around(tmp_path: Path) -> None:
    source = GOLDEN / "04-transactions-4.3.1"
    table = rows(source)
    data = table.filter(pc.and_(pc.invert(table["isControl"]), pc.invert(pc.starts_with(table["topic"], "__"))))
    key = next(key for key in data["key"].to_pylist() if key)
    kafkafmt.extract(source, tmp_path / "out", key=key)
    found = rows(tmp_path / "out")
    assert found.filter(pc.invert(found["isControl"])).equals(data.filter(pc.equal(data["key"], key)))
    assert found["isControl"].to_pylist().count(True) > 0
    answer = kafkafmt.open(tmp_path / "out").producers()
    assert answer.to_table()["currentTransactionStartOffset"].null_count == len(answer.to_table())


@pytest.mark.slow
@pytest.mark.parametrize("case", ["01-codecs-4.3.1", "13-names-4.3.1"])
def test_redacted_records_keep_sizes_and_equality(case: str, tmp_path: Path) -> None:
    parts: tuple[Part, ...] = ("keys", "values", "headers")
    written = kafkafmt.extract(GOLDEN / case, tmp_path / "one", redact=parts, salt="a")
    kafkafmt.extract(GOLDEN / case, tmp_path / "two", redact=parts, salt="a")
    kafkafmt.extract(GOLDEN / case, tmp_path / "three", redact=parts)
    original = rows(GOLDEN / case)
    original = original.filter(pc.invert(pc.starts_with(original["topic"], "__")))
    one, two, three = (rows(tmp_path / name) for name in ("one", "two", "three"))
    assert one.equals(two)
    assert not one.equals(three)
    same = [name for name in KEPT if name not in ("key", "value", "headers")]
    assert one.select(same).equals(original.select(same))
    met: dict[bytes, bytes] = {}
    for name in ("key", "value"):
        for before, after in zip(original[name].to_pylist(), one[name].to_pylist(), strict=True):
            assert (before is None) == (after is None)
            if before:
                assert len(after) == len(before)
                assert after != before or len(before) < 3
                assert met.setdefault(before, after) == after
            elif before is not None:
                assert after == b""
    long = {before: after for before, after in met.items() if len(before) >= 8}
    assert len(set(long.values())) == len(long) > 20
    for before, after in zip(original["headers"].to_pylist(), one["headers"].to_pylist(), strict=True):
        assert [(each["key"], each["value"] and len(each["value"])) for each in before or ()] == [
            (each["key"], each["value"] and len(each["value"])) for each in after or ()
        ]
    raw = b"".join(path.read_bytes() for path in (tmp_path / "one").rglob("*.log"))
    assert not [before for before in met if len(set(before)) > 12 and before in raw]
    assert any("may have become equal" in note for note in written.notes)
    is_clean(tmp_path / "one")


def test_values_alone(tmp_path: Path) -> None:
    source = GOLDEN / "01-codecs-4.3.1"
    kafkafmt.extract(source, tmp_path / "out", topics="codec-none", redact="values")
    original, found = rows(source, topics="codec-none"), rows(tmp_path / "out")
    for name in ("key", "headers"):
        assert found[name].equals(original[name])
    assert not found["value"].equals(original["value"])
    size = sum(path.stat().st_size for path in (source / "log-dir" / "codec-none-0").glob("*.log"))
    assert sum(path.stat().st_size for path in (tmp_path / "out" / "codec-none-0").glob("*.log")) == size


@pytest.mark.slow
def test_formats_0_and_1(tmp_path: Path) -> None:
    # Wrappers that Kafka never writes can be read, but not rebuilt.
    cases = sorted(path for path in LEGACY.iterdir() if path.is_dir() and path.name != "crafted-odd-wrappers")
    compared = 0
    for case in cases:
        wanted = rows(case)
        names = sorted({name for name in wanted["topic"].to_pylist() if name and not name.startswith("__")})
        if not names:
            continue
        wanted = rows(case, topics=names, start_offset=2, end_offset=40)
        out = tmp_path / case.name
        written = kafkafmt.extract(case, out, topics=names, start_offset=2, end_offset=40, on_damage="skip")
        same = [name for name in KEPT if name != "partitionLeaderEpoch"]
        # A log cannot hold offsets that go back.
        falling = {name for name in names for note in written.notes if "go back" in note and f"{name}-0/" in note}
        assert falling <= {"plain.flip-offset", "m0.offsets-go-back", "m1.offsets-go-back"}
        wanted = wanted.filter(pc.invert(pc.is_in(wanted["topic"], pa.array(sorted(falling), pa.string()))))
        found = rows(out, topics=sorted(set(names) - falling), missing="note")
        assert found.select(same).equals(wanted.select(same)), case
        with pytest.raises(DataError) if falling else nullcontext():
            kafkafmt.extract(case, tmp_path / f"{case.name}-strict", topics=min(falling or names))
        compared += wanted.filter(pc.less(wanted["magic"], 2)).num_rows
    assert compared > 100


def test_wrong_use(tmp_path: Path) -> None:
    source = GOLDEN / "08-consumer-groups-4.3.1"
    with pytest.raises(ValueError, match="internal topics cannot be redacted"):
        kafkafmt.extract(source, tmp_path / "out", topics="__consumer_offsets", redact="keys")
    with pytest.raises(ValueError, match="redact must be some of"):
        kafkafmt.extract(source, tmp_path / "out", redact="names")
    with pytest.raises(ValueError, match="columns is not an argument"):
        kafkafmt.extract(source, tmp_path / "out", columns=["key"])
    with pytest.raises(SourceError, match=r"exists already|is inside a source"):
        kafkafmt.extract(source, tmp_path)
    assert list(tmp_path.iterdir()) == []
    written = kafkafmt.extract(source, tmp_path / "out", topics="__consumer_offsets")
    assert set(written.partitions["topic"].to_pylist()) == {"__consumer_offsets"}
    groups = kafkafmt.open(tmp_path / "out").groups().to_table()
    assert groups.num_rows > 0
    assert groups.num_rows == kafkafmt.open(source).groups().to_table().num_rows


def test_command(tmp_path: Path, command: Call) -> None:
    source = GOLDEN / "01-codecs-4.3.1"
    answer = command(
        *("extract", source, "--topic", "codec-lz4", "--start-offset", 3, "--end-offset", 9),
        *("--redact", "keys,values", "--salt", "s", "--out", tmp_path / "out", "-o", "csv"),
    )
    assert answer.status == 0
    assert answer.lines[0] == "topic,partition,records,sizeInBytes,logStartOffset,logEndOffset"
    assert answer.lines[1].startswith("codec-lz4,0,6,")
    assert answer.stderr.splitlines()[-1] == f"  kafkafmt cat {tmp_path / 'out'}"
    for arguments, status, message in (
        (("--redact", "names"), 2, "some of keys, values, headers, value:FIELD or key:FIELD, not 'names'; or none."),
        (("--topic", "nowhere"), 3, "nowhere"),
        (("--start-offset", 9, "--end-offset", 3), 2, "after"),
    ):
        refused = command("extract", source, "--out", tmp_path / "other", *arguments)
        assert refused.status == status
        assert message in refused.stderr
    assert command("extract", source).status == 2
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_salt_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="salt without redact replaces nothing"):
        kafkafmt.extract(GOLDEN / "04-transactions-4.3.1/log-dir", tmp_path / "out", salt="abc")


def test_nothing_selected_is_said(tmp_path: Path) -> None:
    log_dir = GOLDEN / "04-transactions-4.3.1/log-dir"
    written = kafkafmt.extract(log_dir, tmp_path / "out", topics="tx", start_offset=100_000)
    assert any("nothing is selected" in str(note) for note in written.notes)


def test_an_open_end_is_a_note(tmp_path: Path, command: Call) -> None:
    """A running broker leaves an open end, so the copy of its disk has all records."""
    source = GOLDEN / "14-running-4.3.1/log-dir"
    answer = command("extract", source, "--topic", "prealloc", "--out", tmp_path / "out")
    place = f"{source}/prealloc-0/00000000000000000000.log: position 6512"
    assert answer.stderr.startswith(f"kafkafmt: note: {place}: zeros to the end of the file")
    assert answer.status == 0


def test_several_copies_of_a_partition_are_refused(tmp_path: Path, command: Call) -> None:
    source = GOLDEN / "07-three-nodes-diverged-4.3.1/log-dir"
    answer = command("extract", source, "--topic", "rep", "--replica", "all", "--out", tmp_path / "out")
    assert answer.status == 2
    assert "an extract has one log of a partition, and rep-0 has 3 copies: name the directory of one" in answer.stderr
    assert list(tmp_path.iterdir()) == []
    alone = command("extract", source / "node-2", "--topic", "rep", "--replica", "all", "--out", tmp_path / "out")
    assert alone.status == 0


def test_ids_are_those_of_the_copy_that_is_read(tmp_path: Path, command: Call) -> None:
    source = GOLDEN / "07b-three-nodes-reconciled-4.3.1/log-dir"
    answer = command("extract", source, "--topic", "rep", "--partition", 0, "--out", tmp_path / "out")
    read = kafkafmt.scan(source, topics="rep", partitions=0, columns=["file"]).to_table()["file"].unique().to_pylist()
    (node,) = {file.partition("/")[0] for file in read}
    ids = [
        {line for line in (path / "meta.properties").read_text().splitlines() if line.partition("=")[0].endswith(".id")}
        for path in (source / node, tmp_path / "out")
    ]
    assert node != "node-1"
    assert ids[0] == ids[1]
    assert "of several nodes" not in answer.stderr
    assert f"other copies of these partitions were not read: {source}/node-1/rep-0" in answer.stderr
    assert answer.status == 0
