"""The tasks of `driver`, done by kafka-python."""

from collections.abc import Iterator
from contextlib import closing

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from kafka.errors import KafkaError

from clients_proof import driver

_POLL_MS = 300


def _read(bootstrap: str, level: str, topics: str, count: str) -> list[str]:
    with closing(_consumer(bootstrap, None, level)) as consumer:
        consumer.assign(_partitions(consumer, topics))
        return _poll(consumer, int(count))


def _subscribe(bootstrap: str, _: str, group: str, topics: str, count: str, end: str) -> list[str]:
    with closing(_consumer(bootstrap, group)) as consumer:
        consumer.subscribe(topics.split(","))
        lines = _poll(consumer, int(count))
        if end == "commit":
            consumer.commit()
        return lines


def _committed(bootstrap: str, group: str, topics: str) -> Iterator[str]:
    with closing(_consumer(bootstrap, group)) as consumer:
        for each in _partitions(consumer, topics):
            offset = consumer.committed(each)
            if offset is not None:
                yield driver.committed_line(each.topic, each.partition, offset)


def _produce(bootstrap: str, topic: str) -> list[str]:
    with closing(KafkaProducer(bootstrap_servers=bootstrap, enable_idempotence=False)) as producer:
        producer.send(topic, b"\1", partition=0).get(40)
    return []


def _create(bootstrap: str, topic: str) -> list[str]:
    with closing(KafkaAdminClient(bootstrap_servers=bootstrap)) as admin:
        admin.create_topics([NewTopic(topic, 1, 1)])
    return []


def _consumer(bootstrap: str, group: str | None, level: str = "read_uncommitted") -> KafkaConsumer:
    return KafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=group,
        isolation_level=level,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        **driver.settings(),
    )


def _partitions(consumer: KafkaConsumer, topics: str) -> list[TopicPartition]:
    return [
        TopicPartition(topic, partition)
        for topic in topics.split(",")
        for partition in sorted(consumer.partitions_for_topic(topic))
    ]


def _poll(consumer: KafkaConsumer, count: int) -> list[str]:
    goal = driver.Goal(count)
    while True:
        found = [
            driver.record_line(
                partition.topic, partition.partition, each.offset, each.timestamp, each.key, each.value, each.headers
            )
            for partition, records in consumer.poll(_POLL_MS).items()
            for each in records
        ]
        if goal.is_reached(found, is_assigned=bool(consumer.assignment())):
            return goal.lines


if __name__ == "__main__":
    actions: dict[str, driver.Action] = {
        "read": _read,
        "subscribe": _subscribe,
        "committed": _committed,
        "produce": _produce,
        "create": _create,
    }
    driver.main(actions, KafkaError)
