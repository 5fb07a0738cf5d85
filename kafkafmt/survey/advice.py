"""Advice on a broken file beside a log. Each text was tried with Kafka's classes: tests/golden/advice.

Kafka 4.x rebuilds all indexes of a segment if its `.index` is missing, or if it recovers the segment after a kill.
"""

from collections.abc import Mapping
from types import MappingProxyType

from kafkafmt.files import clean_shutdown
from kafkafmt.logdir.checkpoints import CLEANER_CHECKPOINT, LOG_START_OFFSET_CHECKPOINT, RECOVERY_POINT_CHECKPOINT

FILL = "kafkafmt repair --from OTHER_NODE fills it from a replica"
"""The beginning of the advice for damage that another copy can fill."""

INDEX = "delete the .index of the segment while the broker is stopped: Kafka then rebuilds all its indexes"
"""Advice for any index of a segment. If only `.timeindex` or `.txnindex` is missing, Kafka makes an empty one."""

PADDED_TIME_INDEX = (
    "Kafka reads 1970 as the newest time of the segment, and retention deletes it once it is the oldest: delete the "
    ".timeindex and the .index while the broker is stopped, and Kafka rebuilds both"
)
INDEX_OF_DAMAGE = (
    "the log is damaged too, so the index may be right, and without its .index Kafka cuts the segment there: keep it "
    "until the log is repaired"
)
INDEX_OF_WRONG_OFFSETS = (
    "offsets of the log are wrong too, so the index may be right: keep it until the log is repaired"
)
INDEX_RECOVERED = (
    "Kafka recovers this segment when it starts, and rebuilds its indexes, unless it cuts the log before the segment"
)
INDEX_MISSING = "Kafka rebuilds the indexes of the segment when it starts"
TIME_INDEX_MISSING = (
    "unless Kafka recovers the segment when it starts, it makes an empty one, and retention uses the time of the .log "
    "file for its newest record: delete the .index too while the broker is stopped, and Kafka rebuilds both"
)
INDEX_BEYOND_END = f"the end of the log was lost, or the index was copied after the log; {INDEX_RECOVERED}"
DIRECTORY = "move it out of the partition directory while the broker is stopped"
LOST_END = "the end of the log is missing, or the checkpoint was copied after the log"
LOG_END = f"new records will get these offsets again: {INDEX}"

SNAPSHOT = (
    "delete the snapshot while the broker is stopped: Kafka then reads the log from the previous one; if it is the "
    f"only one, delete {clean_shutdown.FILE_NAME} of the log directory too, or Kafka forgets all producers"
)
BROKEN_SNAPSHOT = "leave it: Kafka deletes it, and reads the log instead"

LEADER_EPOCHS = (
    "replace it with the one that kafkafmt repair --only checkpoints writes, while the broker is stopped: if it is "
    "only deleted, Kafka has the epochs of the segments that it recovers after a kill, and none after a clean shutdown"
)
RECOVER_IT = (
    f"delete {clean_shutdown.FILE_NAME} of the log directory while the broker is stopped: Kafka then recovers its "
    "logs, and cuts this one there"
)

METADATA_TOPIC_ID = "delete it while the node is stopped: the node writes it again"
BOOTSTRAP = "delete it while the node is stopped: a node that has a metadata log starts without it"

_SMALL_FILES: Mapping[str, str] = MappingProxyType(
    {
        "leader-epoch-checkpoint": LEADER_EPOCHS,
        "snapshot": BROKEN_SNAPSHOT,
        "quorum-state": "delete it while the node is stopped: the next election writes it; a voter among several "
        "needs that of kafkafmt repair, as it might vote twice",
        "partition.metadata": "write the topic id of the metadata log into it; without the file it becomes a stray",
    }
)
_COST_OF_CHECKPOINT = {
    RECOVERY_POINT_CHECKPOINT: "; after a kill it recovers all logs then",
    LOG_START_OFFSET_CHECKPOINT: "; records that DeleteRecords removed return if their segment exists",
    CLEANER_CHECKPOINT: "; the cleaner starts over",
}


def of_small_file(kind: str) -> str:
    """Advice on an unreadable file with this kind of finding; "" if there is none."""
    return _SMALL_FILES.get(kind, "")


def of_checkpoint(name: str) -> str:
    """Advice on an unreadable offset checkpoint."""
    cost = _COST_OF_CHECKPOINT.get(name, "")
    return f"delete it while the broker is stopped: Kafka starts without it, and writes a new one{cost}"
