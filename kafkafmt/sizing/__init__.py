"""What takes the space: figures by topic, segment, codec, producer, hour and key; and what other settings give."""

from kafkafmt.sizing.disk_use import DiskUse, disk_use
from kafkafmt.sizing.grouping import DIMENSIONS
from kafkafmt.sizing.space import SpaceUse, space

__all__ = ["DIMENSIONS", "DiskUse", "SpaceUse", "disk_use", "space"]
