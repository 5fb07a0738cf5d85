// Does the tasks of clients_proof/driver.py, whatever the client.

import { readFileSync, writeFileSync } from 'node:fs'

const IDLE_MS = 30_000
const GRACE_MS = 500

/** A record as a line. Headers are pairs of name and bytes. */
export function recordLine(topic, partition, offset, timestamp, key, value, headers) {
  const named = headers.map(([name, content]) => `${text(Buffer.from(name))}:${text(content)}`).join(',')
  return [topic, partition, offset, timestamp, text(key), text(value), named].join('\t')
}

/** Gathers lines until there are `count`, or none for a minute, and then for a moment more. */
export class Goal {
  lines = []

  constructor(count) {
    this.count = count
    this.latest = Date.now()
  }

  add(line) {
    this.lines.push(line)
    this.latest = Date.now()
  }

  async reached() {
    for (;;) {
      const idle = Date.now() - this.latest
      if (idle > IDLE_MS || (this.lines.length >= this.count && idle > GRACE_MS)) return
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}

/** Does the tasks of the file that the command line names. */
export async function main(actions) {
  for (const line of readFileSync(process.argv[2], 'utf8').trimEnd().split('\n')) {
    const [kind, out, ...fields] = line.split('\t')
    let lines
    try {
      lines = await actions[kind](...fields)
    } catch (error) {
      lines = [`#error\t${error.name}: ${messages(error).join(' ')}`]
    }
    writeFileSync(out, lines.map(each => `${each.replaceAll('\n', ' ')}\n`).join(''))
  }
  process.exit(0)
}

function messages(error) {
  return [error.message, ...(error.errors ?? []).flatMap(messages)]
}

function text(content) {
  return content === null || content === undefined ? '-' : Buffer.from(content).toString('base64')
}
