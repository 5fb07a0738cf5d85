"""verify: its findings, levels and tables, and the command."""

import re
import shutil
from itertools import chain
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.codec.checksum import crc32c
from kafkafmt.io.source import locate
from kafkafmt.startup.log_load import load_log
from kafkafmt.startup.outcome import InvalidOffsetError
from kafkafmt.startup.segment import LoadedSegment
from tests.bad_data.cases import LOGS
from tests.golden_cases import cluster_case, tier_case
from tests.logdir.builders import batch, segment
from tests.startup.test_golden_starts import CASES, unpack
from tests.unprivileged import readable_directory, run_as_nobody

DOCUMENT = (Path(__file__).parents[2] / "docs" / "verify.md").read_text()
KINDS = set(re.findall(r"^\| `([^`]+)` \|", DOCUMENT.partition("## Kinds of findings")[2], re.MULTILINE))
# Not on the disks: a broker recreates these, or learns them from the quorum.
HARMLESS = {
    *("01-clean", "02-killed", "03-no-marker", "38-epoch-empty-d1", "50-partition-metadata-version"),
    "71-metadata-quorum-state",
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_what_was_changed_is_found_and_each_kind_is_documented(case: str, tmp_path: Path) -> None:
    unpack(case, tmp_path)
    answer = kafkafmt.open([path for path in (tmp_path / "d0", tmp_path / "d1") if path.exists()]).verify(node_id=1)
    rows = answer.findings.to_pylist()
    assert {row["kind"] for row in rows} <= KINDS
    assert any(row["level"] == "finding" for row in rows) == (case not in HARMLESS)
    assert all(row["message"] and row["path"] for row in rows)


def test_a_start_that_fails_names_the_file_and_what_to_do(tmp_path: Path) -> None:
    unpack("75-clean-zero-tail", tmp_path)
    answer = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"]).verify()
    (blocker,) = [row for row in answer.findings.to_pylist() if row["kind"] == "does not start"]
    assert blocker["path"] == str(tmp_path / "d1/orders-3/00000000000000000067.log")
    assert blocker["position"] == 1935
    assert ".kafka_cleanshutdown" in blocker["advice"]
    (tmp_path / "d1/.kafka_cleanshutdown").unlink()
    verdict = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"]).verify().verdict
    assert verdict["starts"].to_pylist() == [True, True]
    assert verdict["truncated"].to_pylist() == [0, 1]


def test_lost_records_are_counted(tmp_path: Path) -> None:
    unpack("79-killed-many", tmp_path)
    answer = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"]).verify()
    (events,) = [row for row in answer.partitions.to_pylist() if (row["topic"], row["partition"]) == ("events", 1)]
    assert (events["truncateFrom"], events["logEndOffset"], events["logEndOffsetOnDisk"]) == (128, 128, 181)
    assert (events["lostRecords"], events["firstLostOffset"]) == (66, 115)
    assert sum(answer.verdict["lostRecords"].to_pylist()) == 102


def test_strays_are_not_judged_without_metadata(tmp_path: Path) -> None:
    unpack("47-strays", tmp_path)
    alone = kafkafmt.open(tmp_path / "d1").verify()
    assert alone.verdict["stray"].to_pylist() == [2]  # directories of that name
    assert any("strays is not judged" in note or "strays" in note for note in alone.notes)
    named = kafkafmt.open(tmp_path / "d1").verify(metadata=tmp_path / "d0")
    assert named.verdict["stray"].to_pylist() == [4]
    assert named.notes == ()


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7, 8, 9, 11])
def test_a_tier_has_a_row_for_each_partition(number: int) -> None:
    case = tier_case(number)
    sources = [case.tier] if number % 2 else [case.log_dir, case.tier]  # alone, and beside log directories
    disks = kafkafmt.open(sources, decryption_keys=case.keys)
    rows = disks.verify(level="headers").partitions.to_pylist()
    found = {}
    for row in (row for row in rows if Path(row["path"]).is_relative_to(case.tier)):
        offsets = (row.pop("logStartOffset"), row.pop("logEndOffset"))
        topic, partition, path, end = (row.pop(name) for name in ("topic", "partition", "path", "logEndOffsetOnDisk"))
        assert (topic, partition) not in found
        assert end == offsets[1]
        assert set(row.values()) == {None}, path
        found[topic, partition] = offsets
    read: dict[tuple[str, int], list[int]] = {}
    for line in case.jsonl("tier_view.jsonl"):
        read.setdefault((line["topic"], line["partition"]), []).extend(chain.from_iterable(line["offsets"]))
    assert found == {place: (min(offsets), max(offsets) + 1) for place, offsets in read.items()}


def test_a_directory_is_of_the_node_that_registered_it(tmp_path: Path) -> None:
    unpack("59-meta-node", tmp_path)
    both = [tmp_path / "d0", tmp_path / "d1"]
    assert kafkafmt.open(both).verify().verdict["starts"].to_pylist() == [False, False]
    assert kafkafmt.open(both).verify(node_id=1).verdict["starts"].to_pylist() == [False, False]
    unknown = kafkafmt.open(both).verify(cluster_id="another").verdict
    assert unknown["starts"].to_pylist() == [False, False]
    assert all("another" in " ".join(blockers) for blockers in unknown["blockers"].to_pylist())


@pytest.mark.slow
def test_records_are_read_where_asked(tmp_path: Path) -> None:
    unpack("02-killed", tmp_path)
    shutil.rmtree(tmp_path / "d1")
    log = min((tmp_path / "d0/orders-0").glob("*.log"))
    for level in ("headers", "checksums", "records"):
        answer = kafkafmt.open(tmp_path / "d0").verify(level=level)
        assert not answer.has_findings
    data = bytearray(log.read_bytes())
    data[70] ^= 1
    log.write_bytes(data)
    assert not kafkafmt.open(tmp_path / "d0").verify(level="headers").has_findings  # it is below the recovery point
    assert kafkafmt.open(tmp_path / "d0").verify(level="checksums").has_findings


@pytest.mark.slow
def test_a_transaction_index_is_held_to_the_log(tmp_path: Path) -> None:
    unpack("01-clean", tmp_path)
    index = next(path for path in sorted(tmp_path.rglob("*.txnindex")) if path.stat().st_size)
    sound = index.read_bytes()
    disks = [tmp_path / "d0", tmp_path / "d1"]
    for position, bit, changed in ((9, 1, "no such"), (10, 128, "begins at"), (17, 1, "begins at"), (25, 1, "no such")):
        data = bytearray(sound)
        data[position] ^= bit
        index.write_bytes(data)
        rows = [row for row in kafkafmt.open(disks).verify().findings.to_pylist() if row["level"] == "finding"]
        assert {(row["kind"], row["path"]) for row in rows} == {("index", str(index))}
        assert any(changed in row["message"] for row in rows)
    index.write_bytes(b"")
    rows = [row for row in kafkafmt.open(disks).verify().findings.to_pylist() if row["level"] == "finding"]
    (row,) = rows  # one finding per file, however many entries are missing
    assert "missing from the transaction index: read_committed consumers get aborted records" in row["message"]
    index.with_suffix(".index").unlink()  # then Kafka recovers the segment, and rebuilds both
    assert not kafkafmt.open(disks).verify().has_findings


def test_a_producer_snapshot_is_held_to_the_log(tmp_path: Path) -> None:
    unpack("01-clean", tmp_path)
    snapshot = max((tmp_path / "d0/clicks-1").glob("*.snapshot"))
    data = bytearray(snapshot.read_bytes())
    data[19] ^= 1  # the last sequence of its first producer
    data[2:6] = crc32c(bytes(data[6:])).to_bytes(4, "big")
    snapshot.write_bytes(data)
    rows = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"]).verify().findings.to_pylist()
    assert [(row["kind"], row["path"]) for row in rows if row["level"] == "finding"] == [("snapshot", str(snapshot))]


def test_a_segment_whose_offset_cannot_be_indexed_counts_as_recovered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpack("02-killed", tmp_path)

    def refuse(*_: object) -> None:
        raise InvalidOffsetError("offset below the last one of the index", "x.log")

    monkeypatch.setattr(LoadedSegment, "recover", refuse)  # as a broker did for a flipped bit in lastOffsetDelta
    (log_directory,) = (tmp_path / "d0").glob("orders-0")
    recovery_point = max(int(path.stem) for path in log_directory.glob("*.log"))
    log = load_log(
        locate(str(log_directory)).list(), recovery_point=recovery_point, log_start_offset=0, clean_shutdown=False
    )
    assert (log.walked, log.truncate_from, log.log_end_offset) == ([recovery_point], recovery_point, recovery_point)


def test_a_stray_in_a_directory_that_is_offline_ends_the_start(tmp_path: Path) -> None:
    """Seen by tools/proof startup (seed 906): the broker renames it, and the directory refuses."""
    unpack("83-killed-log-start-garbage", tmp_path)
    disks = [tmp_path / "d0", tmp_path / "d1"]
    assert kafkafmt.open(disks).verify().verdict["starts"].to_pylist() == [True, True]
    metadata = tmp_path / "d1/orders-1/partition.metadata"
    metadata.write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAFw")
    assert kafkafmt.open(disks).verify().verdict["starts"].to_pylist() == [False, False]


@pytest.mark.slow
@pytest.mark.parametrize("bulk", [True, False])
def test_the_timestamp_that_a_batch_states_is_held_to_its_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bulk: bool
) -> None:
    unpack("01-clean", tmp_path)
    if bulk:
        monkeypatch.setattr("kafkafmt.scanning.decoders._LOADING_TIME", 0)
    log = min((tmp_path / "d0/orders-0").glob("*.log"))
    data = bytearray(log.read_bytes())
    size = 12 + int.from_bytes(data[8:12], "big")
    data[35:43] = (int.from_bytes(data[35:43], "big") - 1).to_bytes(8, "big")
    data[17:21] = crc32c(bytes(data[21:size])).to_bytes(4, "big")
    log.write_bytes(data)
    disks = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"])
    (row,) = [row for row in disks.verify(level="records").findings.to_pylist() if row["kind"] == "timestamp"]
    assert (row["path"], row["position"], row["firstOffset"]) == (str(log), 0, 0)
    assert not [row for row in disks.verify(level="headers").findings.to_pylist() if row["kind"] == "timestamp"]


@pytest.mark.volume
def test_every_damage_of_bad_data_is_found(tmp_path: Path) -> None:
    damaged = [case for case in LOGS if case.damage and not case.limits]
    assert len(damaged) > 40
    for case in damaged:
        directory = tmp_path / case.name / "t-0"
        directory.mkdir(parents=True)
        (directory / "00000000000000000000.log").write_bytes(case.data)
        (tmp_path / case.name / ".kafka_cleanshutdown").touch()
        answer = kafkafmt.open(tmp_path / case.name).verify(level="records")
        kinds = {row["kind"] for row in answer.findings.to_pylist() if row["level"] == "finding"}
        assert kinds, case.name
        assert kinds <= KINDS


def test_the_metadata_of_another_cluster_make_no_strays(tmp_path: Path) -> None:
    unpack("01-clean", tmp_path)
    properties = tmp_path / "d1/meta.properties"
    text = properties.read_text().replace("node.id=1", "node.id=2").replace("KpyxEAkjLq_Og-eo_QsU8A", "another")
    properties.write_text(text)
    answer = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"]).verify()
    assert answer.verdict["stray"].to_pylist() == [0, 0]
    assert any("which partitions are strays is not judged" in note for note in answer.notes)


def test_a_foreign_file_beside_a_cut_metadata_log_is_no_snapshot(tmp_path: Path) -> None:
    unpack("66-metadata-last-batch", tmp_path)
    (tmp_path / "d0/__cluster_metadata-0/x.checkpoint").write_bytes(b"x")
    answer = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"]).verify()
    assert answer.verdict["starts"].to_pylist() == [True, True]


@pytest.mark.slow
def test_what_this_user_may_not_read_is_not_judged() -> None:
    """Kafka's user may be able to read it: this is neither a broken file nor a failed start."""
    with readable_directory() as root:
        unpack("02-killed", root)
        disks = [str(root / "d0"), str(root / "d1")]
        for name in (
            "d1/meta.properties",
            "d1/*-point-offset-checkpoint",
            "d1/repl*",
            "d1/orders-1",
            "d0/orders-0/*.log",
        ):
            (closed,) = sorted(root.glob(name))[:1]
            mode = closed.stat().st_mode
            closed.chmod(0o700 if closed.is_dir() else 0o600)
            done = run_as_nobody(
                "answer = kafkafmt.open(sys.argv[1:]).verify(level='headers')\n"
                "print(answer.verdict['starts'].to_pylist(), answer.headlines)\n"
                "print([row['action'] for row in answer.partitions.to_pylist() if row['path'] == sys.argv[-1]])",
                *disks,
                before=f"import sys, kafkafmt; kafkafmt.open({disks!r}).verify(level='headers').verdict.to_pylist()",
            )
            closed.chmod(mode)
            assert done.stdout.startswith('[None, None] ["Node 1 cannot be judged: this user may not read all'), (
                name,
                done,
            )


def test_of_copied_partitions_nobody_knows_whether_a_node_starts(tmp_path: Path) -> None:
    segment(tmp_path / "orders-0", 0, batch(0))
    answer = kafkafmt.open(tmp_path).verify()
    (said,) = answer.headlines
    known = "has no meta.properties, so whether it starts is not known (copied partitions, or a Kafka before 0.9)"
    assert said == f"The node on {tmp_path} {known}."
    assert [row["starts"] for row in answer.to_table("verdict").to_pylist()] == [None]


def test_directories_set_aside_and_what_a_stray_costs(tmp_path: Path) -> None:
    unpack("47-strays", tmp_path)
    rows = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"]).verify(level="headers").findings.to_pylist()
    strays = [row for row in rows if row["kind"] == "stray"]
    aside = [row for row in strays if row["path"].endswith("-stray")]
    assert aside
    assert all(row["level"] == "note" and "never deletes it" in row["message"] for row in aside)
    # A broker created new, empty logs for those with a wrong id or none (README of the cases, fact 20).
    anew = {Path(row["path"]).name for row in strays if "empty log leads" in row["advice"]}
    assert len(anew) == 2


def test_a_log_directory_that_is_not_below_the_path_is_missed(tmp_path: Path) -> None:
    nodes = cluster_case(4).unpack(tmp_path)
    shutil.rmtree(nodes[3][1])
    below = kafkafmt.open(tmp_path / "n3").verify(level="headers")
    (found,) = [row for row in below.findings.to_pylist() if row["kind"] == "log directory"]
    assert "the metadata log has 3 log directories of node 3, and 2 of them are here" in found["message"]
    assert "lacks 1 log directory that the metadata log has" in below.headlines[0]
    one_by_one = kafkafmt.open([nodes[3][0], nodes[3][2]]).verify(level="headers")  # d1 is not in log.dirs
    assert "log directory" not in one_by_one.findings["kind"].to_pylist()


@pytest.mark.slow
def test_copies_are_named_apart(tmp_path: Path) -> None:
    nodes = cluster_case(6).unpack(tmp_path)
    both = kafkafmt.open(tmp_path / "n2").verify(level="headers")
    assert both.verdict["starts"].to_pylist() == [False, False]
    assert any("the same directory id and different partitions" in note for note in both.notes)
    for name in ("monday", "tuesday"):
        shutil.copytree(nodes[1][0], tmp_path / "snapshots" / name / "d0")
    alike = kafkafmt.open(tmp_path / "snapshots").verify(level="headers")
    assert alike.verdict["starts"].to_pylist() == [True, True]
    assert any("share partitions: judged as copies" in note for note in alike.notes)
    shutil.rmtree(tmp_path / "snapshots")
    for name, log_dir in zip(("a", "b"), nodes[2], strict=True):
        shutil.copytree(log_dir, tmp_path / "snapshots" / name / "d")
    source, metadata = kafkafmt.open(tmp_path / "snapshots"), nodes[1][0]
    assert source.verify(level="headers", metadata=metadata).verdict["starts"].to_pylist() == [False, False]
    copies = [tmp_path / "snapshots" / "a", tmp_path / "snapshots" / "b"]
    apart = source.verify(level="headers", metadata=metadata, copies=copies)
    assert apart.verdict["starts"].to_pylist() == [True, True]
    with pytest.raises(kafkafmt.SourceError, match="nowhere: is not a directory of copies"):
        source.verify(copies=tmp_path / "nowhere")
