"""A batch without records that leads clients to the end of a partition if no sound batch is left before the end.

Kafka's cleaner keeps such batches, too. Without one, clients would ask for the same offset again and again, and those
that stop at the end (`kcat -e`, Spark) would never get there.
"""

from typing import Final

from kafkafmt.reference.layout import RECORD_BATCH_OVERHEAD
from kafkafmt.serving.api import ABSENT
from kafkafmt.serving.log_reader import Stretch
from kafkafmt.writing.encoding import batch_header

GAP_SIZE: Final = RECORD_BATCH_OVERHEAD
"""Size of the batch in bytes."""
_NOWHERE = -1


def gap(end: int) -> Stretch:
    """The batch before an end: as after compaction, clients continue from any offset at the next existing batch."""
    batch = batch_header(
        base_offset=end - 1,
        partition_leader_epoch=ABSENT,
        last_offset_delta=0,
        base_timestamp=ABSENT,
        max_timestamp=ABSENT,
        count=0,
        records=b"",
        attributes=0,
        producer_id=ABSENT,
        producer_epoch=ABSENT,
        base_sequence=ABSENT,
    )
    return Stretch([memoryview(batch)], GAP_SIZE, end, GAP_SIZE, (_NOWHERE, 0), _NOWHERE)
