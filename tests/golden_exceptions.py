"""The only permitted differences from Kafka's golden answers, by case and file, with reasons."""

BAD_MAGIC = "magic 9: the broker's file iterator delivers the batch, a consumer fails at it, and so do we"
FLIPPED_OFFSET = (
    "a flipped base offset, which no CRC covers: Kafka's consumer loses what lies behind the jump; we do not"
)

NOT_DELIVERED = {
    ("12-crash-3.9.1", "damaged/crash-bad-magic-0/00000000000000000048.log"): BAD_MAGIC,
    ("12-crash-3.9.1", "recovered/crash-bad-magic-0/00000000000000000048.log"): BAD_MAGIC,
    ("12-crash-4.3.1", "damaged/crash-bad-magic-0/00000000000000000048.log"): BAD_MAGIC,
    ("12-crash-4.3.1", "recovered/crash-bad-magic-0/00000000000000000048.log"): BAD_MAGIC,
}
"""Files in which Kafka's iterator delivers one batch that we report as unsupported."""

BEYOND_THE_CONSUMER = {
    ("12-crash-3.9.1", "crash-bad-magic"): BAD_MAGIC,
    ("12-crash-4.3.1", "crash-bad-magic"): BAD_MAGIC,
    ("12-crash-3.9.1", "crash-flip-offset"): FLIPPED_OFFSET,
}
"""Topics from which `on_damage="skip"` delivers more than the real consumer got before it failed or jumped."""

NO_TIMESTAMP_TYPE_OF_THEIR_OWN = (
    "m0.inner-mixed-magic-0",
    "m0.inner-other-magic-0",
    "m1.inner-mixed-magic-0",
    "m1.inner-other-magic-0",
)
"""Crafted partitions with inner messages of another magic; golden answers give the timestamp type of wrappers only."""

LATER_RECORDS = "asked while the broker ran; the last shutdown or commit added records that the directory holds"
SWAP = "Kafka was asked about the .log file; the default view finishes the swap, and so reads the .swap file"

LOOKUPS = {
    ("05-compacted-3.9.1", "listOffsets", "comp-both-0"): LATER_RECORDS,
    ("05-compacted-3.9.1", "listOffsets", "comp-txn-0"): LATER_RECORDS,
    ("05-compacted-4.3.1", "listOffsets", "comp-both-0"): LATER_RECORDS,
    ("05-compacted-4.3.1", "listOffsets", "comp-expire-0"): LATER_RECORDS,
    ("05-compacted-4.3.1", "listOffsets", "comp-plain-0"): LATER_RECORDS,
    ("05c-swap-4.3.1", "offset", "stop-2/slow-0"): SWAP,
    ("05c-swap-4.3.1", "segmentTimestamp", "stop-2/slow-0"): SWAP,
    ("12-crash-3.9.1", "listOffsets", "crash-flip-offset-0"): FLIPPED_OFFSET,
    ("12-crash-3.9.1", "offset", "damaged/crash-flip-offset-0"): FLIPPED_OFFSET,
    ("12-crash-4.3.1", "offset", "damaged/crash-flip-offset-0"): FLIPPED_OFFSET,
}
"""Partitions whose look-ups differ from Kafka's golden answers, by case, kind of look-up and partition."""

RAISED_LOOKUPS = {
    ("12-crash-3.9.1", "listOffsets", "crash-bad-magic-0"),
    ("12-crash-3.9.1", "segmentTimestamp", "damaged/crash-bad-magic-0"),
    ("12-crash-3.9.1", "segmentTimestamp", "recovered/crash-bad-magic-0"),
    ("12-crash-4.3.1", "listOffsets", "crash-bad-magic-0"),
    ("12-crash-4.3.1", "segmentTimestamp", "damaged/crash-bad-magic-0"),
    ("12-crash-4.3.1", "segmentTimestamp", "recovered/crash-bad-magic-0"),
    ("crafted-odd-wrappers", "legacy", "m0.magic-5-0"),
    ("crafted-odd-wrappers", "legacy", "m1.magic-5-0"),
    ("crafted-odd-wrappers", "legacy", "m1.key-size-minus-2-0"),
    ("crafted-odd-wrappers", "legacy", "m1.key-size-too-big-0"),
    ("damaged-m0-0.9.0.1", "legacy", "plain.size-too-big-0"),
    ("damaged-m1-0.10.2.2", "legacy", "plain.size-too-big-0"),
}
"""Partitions where a look-up raises on damage; Kafka stops silently there, or continues by the declared sizes."""


def lookup_differs(case: str, kind: str, partition: str, found: object) -> bool:
    """Whether a difference is listed; in `RAISED_LOOKUPS` only an error is allowed."""
    if (case, kind, partition) in LOOKUPS:
        return True
    return (case, kind, partition) in RAISED_LOOKUPS and isinstance(found, str)


DAMAGED = (
    "12-crash-3.9.1",
    "12-crash-4.3.1",
    "crafted-odd-wrappers",
    "damaged-m0-0.8.2.2",
    "damaged-m0-0.9.0.1",
    "damaged-m1-0.10.2.2",
    "damaged-mixed-1.1.1",
)
"""Cases with files that were deliberately damaged or made odd."""

LONE_EPOCHS = ("16-storage-library-4.3.1",)
"""Cases without damage in which the leader epoch of a single batch is a finding: the maximum, which nothing
confirms."""

EXTRA_RECORDS = {
    "12-crash-3.9.1": 6,
    "12-crash-4.3.1": 8,
    "crafted-odd-wrappers": 4,
    "damaged-m0-0.8.2.2": 15,
    "damaged-m0-0.9.0.1": 6,
    "damaged-m1-0.10.2.2": 6,
}
"""Records that we deliver after damage at which Kafka stops reading the file, by case."""

NO_COMMON_OFFSETS = {("compare-crafted-4.3.1", "behind-0"), ("compare-crafted-4.3.1", "empty-0")}
"""Partitions whose two copies have no offsets in common: the golden `relation` is not compared, ours is null."""

GAP_CAUSES = {("compactedtx", 3, 4): "aborted and cleaned"}
"""Offset gaps of case producers-gaps, by topic, first and last offset, which we explain better than by a cleaning: the
transaction index has the aborted transaction that contained them."""

_FLIPPED = {("crash-flip-offset-0", "offset gap", "unexplained")}
_TORN = {
    ("crash-bad-magic-0", "offset gap", "damage"),
    ("crash-flip-length-0", "offset gap", "damage"),  # the batch at 635, whose CRC DumpLogSegments also finds wrong
    ("crash-trunc-header-0", "offset gap", "damage"),
    ("crash-trunc-header-0", "sequence gap", None),
}
CHECKED = {
    "08-failed-upload-3.9.1": {("orders-1", "offset gap", "damage")},
    "12-crash-3.9.1": _FLIPPED | _TORN,
    "12-crash-4.3.1": _FLIPPED | _TORN,
}
"""Losses in partitions of brokers, by case: directory, finding and cause; damage done on purpose, or segments expected
in remote storage that are not there."""

OTHER_COMPRESSORS = {
    ("compaction-random-round-4-4.3.1", ("any", 0)),
    ("compaction-small-map-round-1-4.3.1", ("many", 0)),
    ("compaction-small-map-round-4-4.3.1", ("many", 0)),
}
"""Logs whose cleaning recompresses batches with lz4 or snappy: Java's libraries produce other sizes than ours."""
