import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'

/** Sends requests with autocannon and prints what was accepted as JSON. */

interface Result {
  start: Date
  finish: Date
  latency: { p99: number }
}

// It comes without types.
const autocannon = createRequire(import.meta.url)('autocannon') as (options: object) => Promise<Result>

interface Target {
  path: string
  headers: Record<string, string>
  body: string
}

const [url, targets, connections, seconds] = JSON.parse(process.argv[2] ?? '') as [string, Target[], number, number]
const prefix = randomUUID()
let number = 0
let accepted = 0
const refused: string[] = []

const next = (): object => {
  number += 1
  const { path, headers, body } = targets[number % targets.length] as Target
  const filled = Object.entries(headers).map(([name, value]) => [name, value.replace('{n}', `${prefix}-${number}`)])
  return { method: 'POST', path, headers: Object.fromEntries(filled) as Record<string, string>, body }
}

const onResponse = (status: number, body: string): void => {
  if (status === 202) accepted += 1
  else refused.push(`${status} ${body}`)
}

const request = { setupRequest: (given: object) => ({ ...given, ...next() }), onResponse }
const result = await autocannon({ url, connections, duration: seconds, requests: [request] })
if (refused.length > 0) throw new Error(`not accepted: ${refused[0]}`)
const rate = accepted / ((result.finish.getTime() - result.start.getTime()) / 1000)
console.log(JSON.stringify({ rate, accepted, p99: result.latency.p99 }))
