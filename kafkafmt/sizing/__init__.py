"""What takes the space: figures by topic, segment, codec, producer, hour and key; and what other settings give."""

from kafkafmt.sizing.grouping import DIMENSIONS
from kafkafmt.sizing.space import SpaceUse, space

__all__ = ["DIMENSIONS", "SpaceUse", "space"]
