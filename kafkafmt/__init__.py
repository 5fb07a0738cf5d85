"""kafkafmt: offline reader of everything Apache Kafka keeps on disk."""
