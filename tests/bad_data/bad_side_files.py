"""Bad files other than logs."""

import struct

from tests.bad_data import pieces
from tests.bad_data.case import (
    CHECKSUM,
    CORRUPT,
    TRUNCATED,
    UNSUPPORTED,
    SmallCase,
)


def bad_side_files() -> list[SmallCase]:
    index = struct.pack(">iiii", 1, 0, 5, 4096)
    times = struct.pack(">qiqi", 1000, 1, 2000, 5)
    aborted = struct.pack(">hqqqq", 0, 4000, 1, 5, 6)
    snapshot = pieces.snapshot()
    meta = b"#\n#Thu Jan 01 00:00:00 UTC 2026\ncluster.id=abc\nversion=1\nnode.id=1\n"
    v1 = b"version=1\nnode.id=1\n"
    quorum = b'{"leaderId":1,"leaderEpoch":2,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}'
    return [
        SmallCase(
            "odd-size.index",
            "offset_index",
            "a copy cut inside an entry: Kafka complains, and reads what is whole",
            index + b"\0\0\0",
            entries=2,
            sanity=(CORRUPT, 16),
        ),
        SmallCase(
            "goes-below-base.index",
            "offset_index",
            "the last entry lies below the base offset",
            index + struct.pack(">ii", -1, 9),
            entries=3,
            sanity=(CORRUPT, 16),
        ),
        SmallCase("padded.index", "offset_index", "preallocated zeros are no entries", index + bytes(80), entries=2),
        SmallCase(
            "odd-size.timeindex",
            "time_index",
            "a copy cut inside an entry",
            times + bytes(5),
            entries=2,
            sanity=(CORRUPT, 24),
        ),
        SmallCase(
            "goes-back.timeindex",
            "time_index",
            "the last timestamp lies below the first",
            times + struct.pack(">qi", 500, 9),
            entries=3,
            sanity=(CORRUPT, 24),
        ),
        SmallCase(
            "cut.txnindex", "transaction_index", "a last entry cut short is ignored", aborted + aborted[:20], entries=1
        ),
        SmallCase(
            "version-1.txnindex",
            "transaction_index",
            "a newer version in the second entry",
            aborted + b"\0\1" + aborted[2:],
            (UNSUPPORTED, 34),
        ),
        SmallCase("crc.snapshot", "producer_snapshot", "a wrong CRC-32C", pieces.snapshot(wrong_crc=1), (CHECKSUM, 2)),
        SmallCase(
            "version-2.snapshot", "producer_snapshot", "a newer version", pieces.snapshot(version=2), (UNSUPPORTED, 0)
        ),
        SmallCase(
            "cut.snapshot",
            "producer_snapshot",
            "a snapshot cut inside an entry",
            snapshot[:-1],
            (TRUNCATED, len(snapshot) - 1),
        ),
        SmallCase(
            "cut-in-header.snapshot",
            "producer_snapshot",
            "a snapshot cut inside its header",
            snapshot[:5],
            (TRUNCATED, 5),
        ),
        SmallCase("empty.snapshot", "producer_snapshot", "a snapshot that was never written", b"", (TRUNCATED, 0)),
        SmallCase(
            "count-too-big.snapshot",
            "producer_snapshot",
            "more producers than bytes, under the right CRC",
            pieces.snapshot(count=2**31 - 1),
            (TRUNCATED, len(snapshot)),
        ),
        SmallCase(
            "count-negative.snapshot",
            "producer_snapshot",
            "a negative count, under the right CRC",
            pieces.snapshot(count=-1),
            (CORRUPT, 6),
        ),
        SmallCase(
            "version-1.leader-epoch-checkpoint",
            "leader_epoch_checkpoint",
            "a newer version",
            b"1\n1\n0 0\n",
            (UNSUPPORTED, 0),
        ),
        SmallCase(
            "too-few.leader-epoch-checkpoint",
            "leader_epoch_checkpoint",
            "fewer lines than declared",
            b"0\n2\n0 0\n",
            (TRUNCATED, 8),
        ),
        SmallCase(
            "too-many.leader-epoch-checkpoint",
            "leader_epoch_checkpoint",
            "more lines than declared",
            b"0\n1\n0 0\n1 5\n",
            (CORRUPT, 8),
        ),
        SmallCase(
            "three-fields.leader-epoch-checkpoint",
            "leader_epoch_checkpoint",
            "a line of three fields",
            b"0\n1\n0 0 0\n",
            (CORRUPT, 4),
        ),
        SmallCase(
            "no-number.leader-epoch-checkpoint",
            "leader_epoch_checkpoint",
            "an epoch that is no number",
            b"0\n1\nx 0\n",
            (CORRUPT, 4),
        ),
        SmallCase("empty.leader-epoch-checkpoint", "leader_epoch_checkpoint", "0 bytes are normal", b"", entries=0),
        SmallCase(
            "zeros.replication-offset-checkpoint",
            "offset_checkpoint",
            "a file of zeros, after a power failure",
            bytes(20),
            (CORRUPT, 0),
        ),
        SmallCase(
            "count-huge.replication-offset-checkpoint",
            "offset_checkpoint",
            "a count far beyond the file",
            b"0\n2147483647\na 0 1\n",
            (TRUNCATED, 19),
        ),
        SmallCase(
            "count-negative.replication-offset-checkpoint",
            "offset_checkpoint",
            "a negative count",
            b"0\n-1\n",
            (CORRUPT, 2),
        ),
        SmallCase(
            "overflow.replication-offset-checkpoint",
            "offset_checkpoint",
            "an offset of more than 64 bits",
            b"0\n1\na 0 9223372036854775808\n",
            (CORRUPT, 4),
        ),
        SmallCase(
            "not-utf8.replication-offset-checkpoint",
            "offset_checkpoint",
            "bytes that are no text",
            b"0\n1\n\xff 0 1\n",
            (CORRUPT, 4),
        ),
        SmallCase("ok.meta.properties", "meta_properties", "what the others are made from", meta, entries=3),
        SmallCase("version-3.meta.properties", "meta_properties", "a newer version", b"version=3\n", (UNSUPPORTED, 0)),
        SmallCase(
            "no-cluster-id.meta.properties", "meta_properties", "version 1 demands a cluster.id", v1, (CORRUPT, len(v1))
        ),
        SmallCase(
            "bad-node-id.meta.properties",
            "meta_properties",
            "a node.id that is no number",
            b"cluster.id=a\nversion=1\nnode.id=x\n",
            (CORRUPT, 23),
        ),
        SmallCase(
            "bad-escape.meta.properties",
            "meta_properties",
            "a malformed escape",
            b"version=1\ncluster.id=\\u00g0\n",
            (CORRUPT, 10),
        ),
        SmallCase(
            "no-topic-id.partition.metadata",
            "partition_metadata",
            "a file cut after its version",
            b"version: 0\n",
            (TRUNCATED, 11),
        ),
        SmallCase(
            "zero-topic-id.partition.metadata",
            "partition_metadata",
            "the topic id that stands for none",
            b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA",
            (CORRUPT, 21),
        ),
        SmallCase(
            "bad-topic-id.partition.metadata",
            "partition_metadata",
            "a topic id cut short",
            b"version: 0\ntopic_id: AAAA",
            (CORRUPT, 21),
        ),
        SmallCase(
            "no-colon.partition.metadata",
            "partition_metadata",
            "a line without its separator",
            b"version 0\n",
            (CORRUPT, 0),
        ),
        SmallCase(
            "negative.partition.metadata",
            "partition_metadata",
            "a negative version",
            b"version: -1\ntopic_id: abc",
            (UNSUPPORTED, 9),
        ),
        SmallCase("cut.quorum-state", "quorum_state", "JSON cut short", quorum[:-1], (CORRUPT, len(quorum) - 1)),
        SmallCase("array.quorum-state", "quorum_state", "JSON, but no object", b"[]", (CORRUPT, 0)),
        SmallCase(
            "version-2.quorum-state", "quorum_state", "a newer version", quorum[:-2] + b"2}", (UNSUPPORTED, None)
        ),
        SmallCase(
            "no-leader.quorum-state",
            "quorum_state",
            "a field is missing",
            quorum.replace(b"leaderId", b"leaderIt"),
            (CORRUPT, None),
        ),
        SmallCase(
            "text-for-number.quorum-state",
            "quorum_state",
            "a text for a number",
            quorum.replace(b"-1", b'"-1"'),
            (CORRUPT, None),
        ),
        SmallCase("brackets.quorum-state", "quorum_state", "brackets without end", b"[" * 5000, (CORRUPT, 0)),
        SmallCase("not-json.kafka_cleanshutdown", "clean_shutdown", "bytes that are no JSON", b"\0\0\0", (CORRUPT, 0)),
        SmallCase(
            "too-large.kafka_cleanshutdown",
            "clean_shutdown",
            "an epoch of more than 64 bits",
            b'{"version":0,"brokerEpoch":9223372036854775808}',
            (CORRUPT, None),
        ),
    ]
