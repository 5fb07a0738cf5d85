"""Dumps of producer snapshots, transaction indexes, checkpoints and the other small files."""

import struct
from pathlib import Path

import pytest

from kafkafmt.codec.checksum import crc32c
from tests.cli.dump.running import Run, dump

TXNINDEX = struct.Struct(">hqqqq")
TOPIC_ID = "AAAAAAAAAAAAAAAAAAAAAQ"


def dumped(directory: Path, name: str, content: bytes | str) -> Run:
    path = directory / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    run = dump(path)
    assert run.lines[0] == f"Dumping {path}"
    return run


def snapshot(*producers: tuple[int, ...], trailing: bytes = b"") -> bytes:
    covered = struct.pack(">i", len(producers))
    covered += b"".join(struct.pack(">qhiqiqiq", *producer) for producer in producers) + trailing
    return struct.pack(">hI", 1, crc32c(covered)) + covered


def test_producer_snapshot(tmp_path: Path) -> None:
    run = dumped(
        tmp_path, "00000000000000000009.snapshot", snapshot((1, 2, 7, 8, 3, 1000, 4, -1), (5, 0, -1, -1, 0, 9, 6, 33))
    )
    assert (run.status, run.err) == (0, b"")
    assert run.lines[1:] == [
        (
            "producerId: 1 producerEpoch: 2 coordinatorEpoch: 4 currentTxnFirstOffset: OptionalLong.empty "
            "lastTimestamp: 1000 firstSequence: 4 lastSequence: 7 lastOffset: 8 offsetDelta: 3 timestamp: 1000"
        ),
        ("producerId: 5 producerEpoch: 0 coordinatorEpoch: 6 currentTxnFirstOffset: OptionalLong[33] lastTimestamp: 9"),
    ]


def test_a_damaged_producer_snapshot_is_a_finding(tmp_path: Path) -> None:
    run = dumped(tmp_path, "0.snapshot", snapshot()[:-1] + b"\1")
    assert (len(run.lines), run.status) == (1, 1)
    run = dumped(tmp_path, "0.snapshot", snapshot(trailing=b"more"))
    assert "bytes follow the last producer (found 4 bytes)" in run.complaints[0]
    assert run.status == 1


def test_transaction_index(tmp_path: Path) -> None:
    entries = TXNINDEX.pack(0, 1, 2, 13, 4) + TXNINDEX.pack(0, 5, 6, 17, 8)
    run = dumped(tmp_path, "00000000000000000010.txnindex", entries)
    assert (run.status, run.err) == (0, b"")
    assert run.lines[1:] == [
        "version: 0 producerId: 1 firstOffset: 2 lastOffset: 13 lastStableOffset: 4",
        "version: 0 producerId: 5 firstOffset: 6 lastOffset: 17 lastStableOffset: 8",
    ]


@pytest.mark.parametrize(
    ("content", "printed", "complaint"),
    [
        (TXNINDEX.pack(0, 1, 2, 13, 4) + TXNINDEX.pack(1, 5, 6, 17, 8), 1, "unknown version"),
        (TXNINDEX.pack(0, 1, 2, 13, 4) + b"more", 1, "ends inside an entry"),
        (TXNINDEX.pack(0, 1, 2, 9, 4), 1, "is below the base offset"),
    ],
)
def test_a_damaged_transaction_index_is_printed_as_far_as_it_goes(
    tmp_path: Path, content: bytes, printed: int, complaint: str
) -> None:
    run = dumped(tmp_path, "00000000000000000010.txnindex", content)
    assert len(run.lines) == 1 + printed
    assert complaint in run.complaints[0]
    assert run.status == 1


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("leader-epoch-checkpoint", "0\n2\n0 0\n3 17\n", ["epoch: 0 startOffset: 0", "epoch: 3 startOffset: 17"]),
        ("recovery-point-offset-checkpoint", "0\n1\norders 0 5\n", ["topic: orders partition: 0 offset: 5"]),
        ("replication-offset-checkpoint", "0\n1\norders 0 5\n", ["topic: orders partition: 0 offset: 5"]),
        ("log-start-offset-checkpoint", "0\n1\norders 0 5\n", ["topic: orders partition: 0 offset: 5"]),
        ("cleaner-offset-checkpoint", "0\n1\norders 0 5\n", ["topic: orders partition: 0 offset: 5"]),
        ("partition.metadata", f"version: 0\ntopic_id: {TOPIC_ID}", [f"version: 0 topic_id: {TOPIC_ID}"]),
        ("meta.properties", "#x\nversion=1\nnode.id=3\ncluster.id=a b\n", ["version: 1 node.id: 3 cluster.id: a b"]),
        (
            "quorum-state",
            '{"leaderId":1,"votedId":-1,"leaderEpoch":2,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAQ","data_version":1}',
            [f"leaderId: 1 votedId: -1 leaderEpoch: 2 votedDirectoryId: {TOPIC_ID} data_version: 1"],
        ),
        (
            "quorum-state",
            (
                '{"data_version":0,"clusterId":"","leaderId":1,"leaderEpoch":2,"votedId":-1,"appliedOffset":0,'
                '"currentVoters":[{"voterId":1}],"\\u00e9\\ud800":"a\\u001fb"}'
            ),
            [
                (
                    "data_version: 0 clusterId:  leaderId: 1 leaderEpoch: 2 votedId: -1 appliedOffset: 0 "
                    'currentVoters: [{"voterId":1}] é\ufffd: a\x1fb'
                )
            ],
        ),
        (".kafka_cleanshutdown", '{"version":0,"brokerEpoch":12}', ["version: 0 brokerEpoch: 12"]),
    ],
)
def test_small_files(tmp_path: Path, name: str, content: str, lines: list[str]) -> None:
    run = dumped(tmp_path, name, content)
    assert run.out.decode().split("\n")[1:-1] == lines
    assert (run.status, run.err) == (0, b"")


@pytest.mark.parametrize("name", ["leader-epoch-checkpoint", "cleaner-offset-checkpoint", ".kafka_cleanshutdown"])
def test_small_files_without_content(tmp_path: Path, name: str) -> None:
    run = dumped(tmp_path, name, "")
    assert (run.lines[1:], run.status) == ([f"{tmp_path / name} is empty."], 0)


@pytest.mark.parametrize(
    "name", ["leader-epoch-checkpoint", "partition.metadata", "quorum-state", "meta.properties", "x-offset-checkpoint"]
)
def test_damaged_small_files_are_findings(tmp_path: Path, name: str) -> None:
    run = dumped(tmp_path, name, "version: none\x1b[31m")
    assert (len(run.lines), run.status) == (1, 1)
    assert run.complaints[0].startswith(f"kafkafmt: {tmp_path / name}: ")
    assert b"\x1b" not in run.err


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_json_nested_as_deeply_as_can_be_read_is_printed(tmp_path: Path, opening: str, closing: str) -> None:
    start = f'{{"leaderId":1,"votedId":-1,"leaderEpoch":2,"votedDirectoryId":"{TOPIC_ID}","data_version":1,"more":'
    for depth in range(900, 1000, 3):
        run = dumped(tmp_path, "quorum-state", f"{start}{opening * depth}1{closing * depth}}}")
        assert run.status == 0 or "the JSON cannot be read" in run.complaints[0]
