"""Facts that Admin does not return but that follow from its answers: lags, open transactions, hanging transactions."""

from typing import Any

Json = dict[str, Any]

ONGOING = "Ongoing"
METADATA_OFFSET = "metadataOffset"
"""End offset of the metadata log that the broker's answers cover; not an answer of the disks."""


def complete(answers: Json) -> Json:
    """Add these facts to Admin's answers, and remove empty facts."""
    ends = {
        (name, partition["partition"]): partition["end"]
        for name, topic in answers["topics"].items()
        for partition in topic["partitions"]
    }
    for group in answers["groups"]:
        for offset in group.get("offsets", ()):
            end = ends.get((offset["topic"], offset["partition"]))
            offset["lag"] = None if end is None else end - offset["offset"]
    producers = {name: found for name, found in answers["producers"].items() if found}
    cluster = {name: value for name, value in answers["cluster"].items() if name != METADATA_OFFSET}
    return answers | {
        "cluster": cluster,
        "producers": producers,
        "openTransactions": _open_transactions(answers),
        "complaints": [],
    }


def _open_transactions(answers: Json) -> list[Json]:
    """Open transactions by DescribeProducers; those that no coordinator knows hang, as in kafka-transactions.sh."""
    known = {
        (transaction["producerId"], name)
        for transaction in answers["transactions"]
        if transaction["state"] == ONGOING
        for name in transaction["topicPartitions"]
    }
    return [
        {
            "partition": name,
            "producerId": producer["producerId"],
            "firstOffset": producer["currentTransactionStartOffset"],
            "isHanging": (producer["producerId"], name) not in known,
        }
        for name, producers in answers["producers"].items()
        for producer in producers
        if producer["currentTransactionStartOffset"] is not None
    ]
