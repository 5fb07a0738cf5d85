"""The tasks of `driver`, done by confluent-kafka, the Python client on librdkafka."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from clients_proof import driver

_POLL_SECONDS = 0.3
_BATCH = 1000
_NO_TIMESTAMP = 0


def _read(bootstrap: str, level: str, topics: str, count: str) -> list[str]:
    with _consumer(bootstrap, "reader", **{"isolation.level": level}) as consumer:
        found = [TopicPartition(each.topic, each.partition, 0) for each in _partitions(consumer, topics)]
        consumer.assign(found)
        return _poll(consumer, int(count), lambda: True)


def _subscribe(bootstrap: str, protocol: str, group: str, topics: str, count: str, end: str) -> list[str]:
    with _consumer(bootstrap, group, **{"group.protocol": protocol}) as consumer:
        consumer.subscribe(topics.split(","))
        lines = _poll(consumer, int(count), lambda: bool(consumer.assignment()))
        if end == "commit":
            consumer.commit(asynchronous=False)
        return lines


def _committed(bootstrap: str, group: str, topics: str) -> Iterator[str]:
    with _consumer(bootstrap, group) as consumer:
        for each in consumer.committed(_partitions(consumer, topics), timeout=30):
            if each.offset >= 0:
                yield driver.committed_line(each.topic, each.partition, each.offset)


def _produce(bootstrap: str, topic: str) -> list[str]:
    said: list[str] = []

    def deliver(error: object, _: Message) -> None:
        said.extend([] if error is None else [driver.error_line(error)])

    producer = Producer({"bootstrap.servers": bootstrap, "message.timeout.ms": 30_000})
    producer.produce(topic, b"\1", partition=0, on_delivery=deliver)
    producer.flush(40)
    return said


def _create(bootstrap: str, topic: str) -> list[str]:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.create_topics([NewTopic(topic, 1, 1)]).values():
        future.result(40)
    return []


def _consumer(bootstrap: str, group: str, **more: str) -> closing[Consumer]:
    settings = {"bootstrap.servers": bootstrap, "group.id": group, "isolation.level": "read_uncommitted"} | more
    beginning = {"auto.offset.reset": "earliest", "enable.auto.commit": False}
    return closing(Consumer({**settings, **beginning, **driver.settings()}))


def _partitions(consumer: Consumer, topics: str) -> list[TopicPartition]:
    found = (consumer.list_topics(topic, timeout=30).topics[topic] for topic in topics.split(","))
    return [TopicPartition(each.topic, partition) for each in found for partition in each.partitions]


def _poll(consumer: Consumer, count: int, is_assigned: Callable[[], bool]) -> list[str]:
    goal = driver.Goal(count)
    while not goal.is_reached(list(_lines(consumer.consume(_BATCH, _POLL_SECONDS))), is_assigned=is_assigned()):
        pass
    return goal.lines


def _lines(messages: list[Any]) -> Iterator[str]:
    for each in messages:
        if each.error() is not None:
            raise KafkaException(each.error())
        kind, timestamp = each.timestamp()
        place = each.topic(), each.partition(), each.offset(), timestamp if kind != _NO_TIMESTAMP else -1
        yield driver.record_line(*place, each.key(), each.value(), each.headers() or ())


if __name__ == "__main__":
    actions: dict[str, driver.Action] = {
        "read": _read,
        "subscribe": _subscribe,
        "committed": _committed,
        "produce": _produce,
        "create": _create,
    }
    driver.main(actions, KafkaException)
