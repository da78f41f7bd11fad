import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { AnyRoute } from '../../api/route/route.ts'
import type { Database } from '../../src/database/database.ts'
import { eventually } from '../helpers/eventually.ts'

/** A request of which the server has everything but the rest of its body. */
export interface Held {
  name: string
  /** Sends the rest, and returns the answer. */
  finish: () => Promise<{ status: number; code: string | undefined }>
}

interface HeldRequest {
  params: Record<string, string>
  headers: Record<string, string>
  body: object
}

/** Sends the head of a request and the first byte of its body. */
export function holdBack(url: string, route: AnyRoute, { params, headers, body }: HeldRequest): Held {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const chunks: Buffer[] = []
  const closed = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => socket.destroy())
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
  const text = JSON.stringify(body)
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const lines = Object.entries({
    ...headers,
    host: `${hostname}:${port}`,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
  }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`${[`${route.method.toUpperCase()} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')}${text[0]}`)
  return {
    name: route.name,
    async finish() {
      socket.write(text.slice(1))
      const answer = await closed
      const code = /"code":"(\w+)"/.exec(answer)?.[1]
      return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0), code }
    },
  }
}

/** What knex tells of a query. */
interface Query {
  sql: string
  __knexQueryUid: string
}

/** Statements whose end knex does not report. The loops of the platform begin and end transactions, too. */
const controls = /^(begin|commit|rollback|savepoint|release)\b/i

/**
 * Counts the questions that admit somebody: `admitted` waits until there were so many, and until no query is under way any
 * more, since what the path names is looked for next. The platform must be the test's own, and idle otherwise.
 */
export function watchAdmissions(database: Database, question: RegExp) {
  let asked = 0
  // By their ids, because a query that began earlier may end now.
  const underWay = new Set<string>()
  const begun = ({ __knexQueryUid: id, sql }: Query) => void (controls.test(sql) || underWay.add(id))
  const over = (_: unknown, { sql, __knexQueryUid: id }: Query) => {
    underWay.delete(id)
    if (question.test(sql)) asked += 1
  }
  database.on('query', begun)
  database.on('query-response', over).on('query-error', over)
  return async (count: number): Promise<void> => {
    await eventually(20, `${count} requests are admitted`, () => asked >= count || undefined)
    for (let quiet = 0; quiet < 5; quiet = underWay.size === 0 ? quiet + 1 : 0) await delay(20)
    database.removeListener('query', begun)
    database.removeListener('query-response', over)
    database.removeListener('query-error', over)
  }
}
