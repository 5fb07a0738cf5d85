"""Consumer, share and streams groups, from `__consumer_offsets` and `__share_group_state`, in AdminClient's terms.

>>> import kafkafmt.topics
>>> kafkafmt.topics.groups("/var/lib/kafka/data").offsets.to_pandas()
"""

from kafkafmt.topics.consumer_groups.answer import CommittedOffset, Group, Groups, Member, Tasks, TopicPartitions
from kafkafmt.topics.consumer_groups.catalog import home_partition, java_hash
from kafkafmt.topics.consumer_groups.reading import groups

__all__ = [
    "CommittedOffset",
    "Group",
    "Groups",
    "Member",
    "Tasks",
    "TopicPartitions",
    "groups",
    "home_partition",
    "java_hash",
]
