"""Consumer groups and their like: what `__consumer_offsets` and `__share_group_state` hold, as AdminClient tells it.

>>> import kafkafmt.topics
>>> kafkafmt.topics.groups("/var/lib/kafka/data").offsets.to_pandas()
"""

from kafkafmt.topics.consumer_groups.home import home_partition, java_hash
from kafkafmt.topics.consumer_groups.model import CommittedOffset, Group, Member, Tasks, TopicPartitions
from kafkafmt.topics.consumer_groups.reading import groups
from kafkafmt.topics.consumer_groups.result import Groups

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
