"""`replay`: sends records of disks back into a live cluster, exactly once, by Kafka's own transactions."""
