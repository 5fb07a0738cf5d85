"""Operations: the next actions of a broker on the logs of these disks, and the reasons for them.

`configs` finds the configs in force, of those in `known_configs`; `log_question` is shared by `retention` and
`compaction`. `retention` uses Kafka's rules in `deletion` and the times in `segment_times`, and takes the reasons from
`retention_reasons`. `compaction` uses `cleanable`, the range that the cleaner would clean, and `cleaner`, one pass: a
`record_filter` over `stored_batches`; the `compactor` makes such a pass over each log, and writes the result.
`comparison` compares copies of partitions: `stretches` finds the same batches, `contents` the records that differ, and
`logdir.truncation` says where a follower cuts its log.
"""

from kafkafmt.operations.compaction import Compaction, compaction
from kafkafmt.operations.compared_copies import ComparedCopies
from kafkafmt.operations.comparison import compare
from kafkafmt.operations.retention import Retention, retention

__all__ = ["Compaction", "ComparedCopies", "Retention", "compaction", "compare", "retention"]
