"""Loading: `kafkafmt.load` appends the new records of a log to a table, with the offsets in the same commit."""

from kafkafmt.loading.answer import Loaded
from kafkafmt.loading.load import load, offsets_of

__all__ = ["Loaded", "load", "offsets_of"]
