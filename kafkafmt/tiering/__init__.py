"""What a cluster has put into remote storage, held against what `__remote_log_metadata` says of it."""

from kafkafmt.tiering.answer import STATES, TieredSegments, tiers

__all__ = ["STATES", "TieredSegments", "tiers"]
