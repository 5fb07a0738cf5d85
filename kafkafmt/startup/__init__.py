"""The start of a broker on these log directories: whether it starts, what it cuts, deletes and rebuilds.

It follows Kafka 4.x in KRaft mode, and writes nothing. `startup.node` judges the log directories of a node,
`startup.log_load` loads one log, `startup.segment` reads a segment as Kafka's classes do.
"""
