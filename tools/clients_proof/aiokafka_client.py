"""The tasks of `driver`, done by aiokafka."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError
from aiokafka.helpers import create_ssl_context

from clients_proof import driver

_POLL_MS = 300


async def _read(bootstrap: str, level: str, topics: str, count: str) -> list[str]:
    async with _consumer(bootstrap, None, level) as consumer:
        found = await _partitions(consumer, topics)
        consumer.assign(found)
        await consumer.seek_to_beginning(*found)
        return await _poll(consumer, int(count))


async def _subscribe(bootstrap: str, _: str, group: str, topics: str, count: str, end: str) -> list[str]:
    async with _consumer(bootstrap, group) as consumer:
        consumer.subscribe(topics.split(","))
        lines = await _poll(consumer, int(count))
        if end == "commit":
            await consumer.commit()
        return lines


async def _committed(bootstrap: str, group: str, topics: str) -> list[str]:
    async with _consumer(bootstrap, group) as consumer:
        offsets = {each: await consumer.committed(each) for each in await _partitions(consumer, topics)}
    found = ((each.topic, each.partition, offset) for each, offset in offsets.items() if offset is not None)
    return [driver.committed_line(*each) for each in found]


async def _produce(bootstrap: str, topic: str) -> list[str]:
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap)
    await producer.start()
    try:
        await producer.send_and_wait(topic, b"\1", partition=0)
    finally:
        await producer.stop()
    return []


async def _create(bootstrap: str, topic: str) -> list[str]:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    try:
        answer = await admin.create_topics([NewTopic(topic, 1, 1)])
    finally:
        await admin.close()
    return [f"#error\t{code}: {text}" for _, code, text in answer.topic_errors]


@asynccontextmanager
async def _consumer(
    bootstrap: str, group: str | None, level: str = "read_uncommitted"
) -> AsyncIterator[AIOKafkaConsumer]:
    more: dict[str, object] = {**driver.settings()}
    if "ssl_cafile" in more:
        more["ssl_context"] = create_ssl_context(cafile=more.pop("ssl_cafile"))
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=group,
        isolation_level=level,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        **more,
    )
    await consumer.start()
    try:
        yield consumer
    finally:
        await consumer.stop()


async def _partitions(consumer: AIOKafkaConsumer, topics: str) -> list[TopicPartition]:
    client = consumer._client  # noqa: SLF001 - a consumer without subscription has no other way to learn its partitions
    names = topics.split(",")
    client.set_topics(names)
    await client.force_metadata_update()
    return [TopicPartition(topic, partition) for topic in names for partition in consumer.partitions_for_topic(topic)]


async def _poll(consumer: AIOKafkaConsumer, count: int) -> list[str]:
    goal = driver.Goal(count)
    while True:
        found = [
            driver.record_line(
                partition.topic, partition.partition, each.offset, each.timestamp, each.key, each.value, each.headers
            )
            for partition, records in (await consumer.getmany(timeout_ms=_POLL_MS)).items()
            for each in records
        ]
        if goal.is_reached(found, is_assigned=bool(consumer.assignment())):
            return goal.lines


def _waited(action: Callable[..., Awaitable[list[str]]]) -> driver.Action:
    async def act(fields: tuple[str, ...]) -> list[str]:
        return await action(*fields)

    return lambda *fields: asyncio.run(act(fields))


if __name__ == "__main__":
    actions: dict[str, Callable[..., Awaitable[list[str]]]] = {
        "read": _read,
        "subscribe": _subscribe,
        "committed": _committed,
        "produce": _produce,
        "create": _create,
    }
    driver.main({kind: _waited(action) for kind, action in actions.items()}, KafkaError)
