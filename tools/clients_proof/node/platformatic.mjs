// The tasks of clients_proof/driver.py, done by @platformatic/kafka.

import { Admin, Consumer, Producer } from '@platformatic/kafka'
import { Goal, main, recordLine } from './tasks.mjs'

const READ_UNCOMMITTED = 0
const READ_COMMITTED = 1

function base(bootstrap) {
  return { clientId: 'matrix', bootstrapBrokers: [bootstrap], retries: 3 }
}

async function consume(bootstrap, group, topics, count, isolationLevel, commits, more = {}) {
  const consumer = new Consumer({ ...base(bootstrap), groupId: group, ...more })
  const goal = new Goal(Number(count))
  const next = new Map()
  const stream = await consumer.consume({
    topics: topics.split(','),
    autocommit: false,
    mode: 'committed',
    fallbackMode: 'earliest',
    isolationLevel
  })
  let failure
  stream.on('error', error => (failure = error))
  stream.on('data', ({ topic, partition, offset, timestamp, key, value, headers }) => {
    goal.add(recordLine(topic, partition, offset, timestamp, key, value, [...headers]))
    next.set(`${topic}\t${partition}`, { topic, partition, offset: offset + 1n, leaderEpoch: 0 })
  })
  await goal.reached()
  if (commits) await consumer.commit({ offsets: [...next.values()] })
  await stream.close()
  await consumer.close()
  if (failure) throw failure
  return goal.lines
}

async function closing(client, act) {
  try {
    return await act(client)
  } finally {
    await client.close()
  }
}

await main({
  read: (bootstrap, level, topics, count) => {
    const isolation = level === 'read_committed' ? READ_COMMITTED : READ_UNCOMMITTED
    return consume(bootstrap, `reader-${Math.random()}`, topics, count, isolation, false)
  },
  subscribe: (bootstrap, protocol, group, topics, count, end) => {
    return consume(bootstrap, group, topics, count, READ_UNCOMMITTED, end === 'commit', { groupProtocol: protocol })
  },
  committed: (bootstrap, group, topics) =>
    closing(new Admin(base(bootstrap)), async admin => {
      const wanted = new Set(topics.split(','))
      const found = await admin.listConsumerGroupOffsets({ groups: [group] })
      return found[0].topics
        .filter(each => wanted.has(each.name))
        .flatMap(({ name, partitions }) =>
          partitions
            .filter(each => each.committedOffset >= 0n)
            .map(each => `${name}\t${each.partitionIndex}\t${each.committedOffset}`)
        )
    }),
  produce: (bootstrap, topic) =>
    closing(new Producer(base(bootstrap)), async producer => {
      await producer.send({ messages: [{ topic, partition: 0, value: Buffer.from([1]) }] })
      return []
    }),
  create: (bootstrap, topic) =>
    closing(new Admin(base(bootstrap)), async admin => {
      await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 })
      return []
    })
})
