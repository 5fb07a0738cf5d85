// The tasks of clients_proof/driver.py, done by KafkaJS.

import kafkajs from 'kafkajs'
import { Goal, main, recordLine } from './tasks.mjs'

const { Kafka, logLevel } = kafkajs

function kafka(bootstrap) {
  return new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING, retry: { retries: 3 } })
}

async function consume(bootstrap, group, topics, count, isCommitted, commits) {
  const consumer = kafka(bootstrap).consumer({ groupId: group, readUncommitted: !isCommitted })
  const goal = new Goal(Number(count))
  const next = new Map()
  await consumer.connect()
  await consumer.subscribe({ topics: topics.split(','), fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ topic, partition, message }) => {
      const headers = Object.entries(message.headers).flatMap(([name, content]) =>
        (Array.isArray(content) ? content : [content]).map(each => [name, each])
      )
      const { offset, timestamp, key, value } = message
      goal.add(recordLine(topic, partition, offset, timestamp, key, value, headers))
      next.set(`${topic}\t${partition}`, { topic, partition, offset: String(BigInt(offset) + 1n) })
    }
  })
  await goal.reached()
  if (commits) await consumer.commitOffsets([...next.values()])
  await consumer.disconnect()
  return goal.lines
}

async function asAdmin(bootstrap, act) {
  const admin = kafka(bootstrap).admin()
  await admin.connect()
  try {
    return await act(admin)
  } finally {
    await admin.disconnect()
  }
}

await main({
  read: (bootstrap, level, topics, count) =>
    consume(bootstrap, `reader-${Math.random()}`, topics, count, level === 'read_committed', false),
  subscribe: (bootstrap, _, group, topics, count, end) =>
    consume(bootstrap, group, topics, count, false, end === 'commit'),
  committed: (bootstrap, group, topics) =>
    asAdmin(bootstrap, async admin => {
      const found = await admin.fetchOffsets({ groupId: group, topics: topics.split(',') })
      return found.flatMap(({ topic, partitions }) =>
        partitions.filter(each => each.offset >= 0).map(each => `${topic}\t${each.partition}\t${each.offset}`)
      )
    }),
  produce: async (bootstrap, topic) => {
    const producer = kafka(bootstrap).producer()
    await producer.connect()
    try {
      await producer.send({ topic, messages: [{ value: Buffer.from([1]), partition: 0 }] })
      return []
    } finally {
      await producer.disconnect()
    }
  },
  create: (bootstrap, topic) =>
    asAdmin(bootstrap, async admin => {
      await admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 1 }] })
      return []
    })
})
