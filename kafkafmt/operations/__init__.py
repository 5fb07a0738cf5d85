"""Operations: what a broker would do next with the logs on these disks, and why.

`configs` are those in force of `known_configs`; `log_question` has what `retention` and `compaction` ask alike.
`retention` goes by `deletion`, Kafka's rules, and `segment_times`, and says why in `retention_reasons`. `compaction`
goes by `cleanable`, what of a log the cleaner takes, and `cleaner`, one pass of it: a `record_filter` over
`stored_batches`; the `compactor` makes such a pass over each log, and writes the log that is left. `comparison`
compares copies of partitions: `stretches` finds the same batches, `contents` the records that differ, and
`logdir.truncation` says where a follower cuts its log.
"""

from kafkafmt.operations.compaction import Compaction, compaction
from kafkafmt.operations.compared_copies import ComparedCopies
from kafkafmt.operations.comparison import compare
from kafkafmt.operations.retention import Retention, retention

__all__ = ["Compaction", "ComparedCopies", "Retention", "compaction", "compare", "retention"]
