"""Loading: `kafkafmt.load` appends what is new in a log to a table, with the offsets in the same commit."""
