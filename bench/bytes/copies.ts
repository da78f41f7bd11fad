import { Client } from 'pg'
import { from } from 'pg-copy-streams'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { escaped } from '../fill/copies.ts'
import { createIds, createRandom } from '../fill/ids.ts'
import type { RunRecord } from './record.ts'

/** How far apart the copies are, in milliseconds. */
const apartMs = 50

/** Writes the run many times, each time with other identifiers, everywhere in its rows. */
export async function copyRun(
  connectionString: string,
  record: RunRecord,
  { copies, agents }: { copies: number; agents: number },
): Promise<void> {
  const newId = createIds(createRandom())
  const now = Date.now()
  const people = Array.from({ length: agents }, () => ({ agentId: newId(now), ownerId: newId(now) }))
  const known = idsOf(record)
  const streams = await Promise.all(record.tables.map(({ name, columns }) => open(connectionString, name, columns)))
  for (let copy = 0; copy < copies; copy += 1) {
    const { agentId = '', ownerId = '' } = people[copy % agents] ?? {}
    const ids = new Map(known.map((id) => [id, newId(now + copy * apartMs)]))
    ids.set(record.agentId, agentId).set(record.ownerId, ownerId)
    for (const [index, { columns, rows }] of record.tables.entries()) {
      const { stream } = streams[index] as (typeof streams)[number]
      const lines = rows.map((row) =>
        row.map((value, at) => changed(columns[at] ?? '', value, { copy, ids })).join('\t'),
      )
      if (!stream.write(`${lines.join('\n')}\n`)) await once(stream, 'drain')
    }
  }
  for (const { stream, client } of streams) {
    stream.end()
    await finished(stream)
    await client.end()
  }
}

/** The identifiers of the run's own rows. */
function idsOf({ runId, tables }: RunRecord): string[] {
  const own = tables.flatMap(({ columns, rows }) => rows.map((row) => row[columns.indexOf('id')] ?? runId))
  return [...new Set([runId, ...own])]
}

/** What must be another value in each copy is one of the same length. */
function changed(column: string, value: string | null, { copy, ids }: { copy: number; ids: Map<string, string> }) {
  if (value === null) return '\\N'
  if (column === 'sequence') return String(copy + 1)
  // One that a sender chose; others are made of the run's identifier.
  const isChosen = /^(idempotency_)?key$/.test(column) && ![...ids.keys()].some((id) => value.includes(id))
  if (isChosen) return `${value.slice(0, -5)}${String(copy).padStart(5, '0')}`
  let text = value
  for (const [old, other] of ids) text = text.replaceAll(old, other)
  return escaped(text)
}

/** As if it came from the product, but without the people: no foreign key is checked. */
async function open(connectionString: string, table: string, columns: string[]) {
  const client = new Client({ connectionString })
  await client.connect()
  await client.query('set session_replication_role = replica')
  return { client, stream: client.query(from(`copy ${table} (${columns.join(', ')}) from stdin`)) }
}
