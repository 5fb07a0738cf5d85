"""Space by topic, segment, codec, producer, hour and key, and the effect of other producer settings."""

from kafkafmt.sizing.disk_use import DiskUse, disk_use
from kafkafmt.sizing.grouping import DIMENSIONS
from kafkafmt.sizing.space import SpaceUse, space

__all__ = ["DIMENSIONS", "DiskUse", "SpaceUse", "disk_use", "space"]
