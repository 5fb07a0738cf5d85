"""Which spec a file follows, by its name. No more is imported here than --help needs."""

SPECS = {
    "kafka_log_segment": ("log", "checkpoint"),
    "kafka_offset_index": ("index",),
    "kafka_time_index": ("timeindex",),
    "kafka_transaction_index": ("txnindex",),
    "kafka_producer_snapshot": ("snapshot",),
}
"""The specs of whole binary files, by their ids, with the extensions of such files."""

TEXTS = {
    "offset-checkpoint": "offsets",
    "leader-epoch-checkpoint": "leader_epochs",
    "meta.properties": "meta_properties",
    "partition.metadata": "partition_metadata",
    "quorum-state": "quorum_state",
    ".kafka_cleanshutdown": "clean_shutdown",
}
"""Text files as --as names them, and the kinds of `kafkafmt.cli.dump.names`."""


def spec_of(name: str) -> str | None:
    """Tell the spec of a file from its name or URI, whatever suffixes (`.deleted`, `.swap`) follow; None for others.

    The text files `leader-epoch-checkpoint`, `replication-offset-checkpoint` and their like have no such extension.
    """
    base_name = name.partition("?")[0].replace("\\", "/").rpartition("/")[2]
    for part in reversed(base_name.split(".")[1:]):
        for spec, extensions in SPECS.items():
            if part in extensions:
                return spec
    return None
