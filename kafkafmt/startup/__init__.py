"""A simulated start of a broker on log directories: whether it starts, and what it cuts, deletes and rebuilds.

The simulation follows Kafka 4.x in KRaft mode and writes nothing. `startup.node` judges the log directories of a node,
`startup.log_load` loads one log, `startup.segment` reads a segment as Kafka's classes do.
"""
