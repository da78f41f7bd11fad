import { createDatabase, type Database } from '../../src/database/database.ts'
import { createLogger } from '../../src/logger.ts'
import { migrate } from '../../src/database/migrate.ts'
import { migrations } from '../../migrations/index.ts'
import { ensurePartitions } from '../../src/runs/retention/partitions.ts'
import { onServer } from '../../test/helpers/database.ts'
import { chooseAgent, makeAgents, type FilledAgent } from './agents.ts'
import { createSideRows } from './side-rows.ts'
import { openCopies } from './copies.ts'
import { createIds, createRandom } from './ids.ts'
import { writePeople } from './people.ts'
import { createRunRows } from './runs.ts'
import type { Size } from './size.ts'
import { createTimelines } from './timelines.ts'

const day = 86_400_000

/** The runs of the last hour have not ended; all earlier runs have. */
const hour = 3_600_000

/** The number of rows between two checks of how much the server has taken. */
const between = 500

type Say = (text: string) => void

/** Migrates an empty database and fills it. Throws if the database has users, because it may be in use. */
export async function fill(url: string, size: Size, say: Say): Promise<void> {
  const began = performance.now()
  const now = Date.now()
  const since = now - size.months * 30 * day
  await prepare(url, new Date(now), new Date(since), say)
  await write(url, size, { since, now }, say)
  await vacuum(url, say)
  say(`Filled in ${Math.round((performance.now() - began) / 1000)} s: ${await databaseSize(url)}.`)
}

async function prepare(url: string, now: Date, since: Date, say: Say): Promise<void> {
  const logger = createLogger('warn', 'bench')
  const database: Database = createDatabase({ database: { url, pool: 4 } }, logger, { deadlines: false })
  try {
    await migrate(database, migrations, say)
    const { rows } = await database.raw<{ rows: unknown[] }>('select from users limit 1')
    if (rows.length > 0) throw new Error('The database has users already; only an empty one is filled.')
    await ensurePartitions(database, now, since)
  } finally {
    await database.destroy()
  }
}

/** One pass over all runs, oldest first, so that pages and indexes look as they would after real use. */
async function write(url: string, size: Size, span: { since: number; now: number }, say: Say): Promise<void> {
  const random = createRandom()
  const newId = createIds(random)
  const { add, drained, close } = await openCopies(url)
  const agents = makeAgents(size, newId, span.since)
  const rows = createRunRows({ add, newId, random, timelines: createTimelines(add, newId) })
  const sideRows = createSideRows({ add, newId, from: span.now - (span.now - span.since) / 5 })
  const report = reporter(size.runs, say)
  const last = span.now - hour
  const step = (last - span.since) / size.runs
  for (let number = 0, owed = 0; number < size.runs; number += 1) {
    const at = Math.floor(span.since + number * step)
    sideRows.grant(at, agents)
    owed += size.full / size.runs
    const ended = rows.ended(chooseAgent(agents, random, number / size.runs), number, at, owed >= 1)
    if (ended.hasTimeline) {
      owed -= 1
      sideRows.charge(ended.run, 1)
      sideRows.charge(ended.run, 2)
    }
    sideRows.key(ended.run)
    sideRows.ended(ended.run, ended.past, ended.end)
    if (number % between > 0) continue
    report(number)
    await drained()
  }
  for (const agent of agents) await writeOpen(agent, size, { rows, sideRows, last, drained })
  writePeople(add, agents, sideRows.balances, span)
  await close()
}

interface Parts {
  rows: ReturnType<typeof createRunRows>
  sideRows: ReturnType<typeof createSideRows>
  last: number
  drained: () => Promise<void>
}

/** The waiting runs of an agent. */
async function writeOpen(agent: FilledAgent, size: Size, { rows, sideRows, last, drained }: Parts): Promise<void> {
  let number = size.runs + agent.number * 10_000
  let at = last
  if (agent.role === 'running') rows.running(agent, number, at)
  if (agent.role === 'waiting') sideRows.charge(rows.waiting(agent, number, at, last + 12 * hour), 1)
  const queued = { 'long queue': size.queued, 'paused queue': size.queued, 'short queue': 20, waiting: 3 } as const
  const count = (queued as Partial<Record<FilledAgent['role'], number>>)[agent.role] ?? 0
  for (let index = 0; index < count; index += 1) {
    number += 1
    at += hour / (count + 1)
    sideRows.key(rows.queued(agent, number, Math.floor(at)))
    if (index % between === 0) await drained()
  }
}

/** Reports progress every few seconds. */
function reporter(runs: number, say: Say): (number: number) => void {
  const began = performance.now()
  let saidAt = began
  return (number) => {
    const now = performance.now()
    if (now - saidAt < 5000) return
    saidAt = now
    const rate = Math.round(number / ((now - began) / 1000))
    say(`${number.toLocaleString('en')} of ${runs.toLocaleString('en')} runs, ${rate.toLocaleString('en')} a second`)
  }
}

/** Does the work of autovacuum: statistics, and the map of pages that all transactions can see. */
async function vacuum(url: string, say: Say): Promise<void> {
  say('VACUUM and ANALYZE, as autovacuum would have done by then')
  await onServer(url, (client) => client.query('vacuum (analyze)'))
}

async function databaseSize(url: string): Promise<string> {
  const { rows } = await onServer(url, (client) =>
    client.query<{ size: string; runs: string }>(
      `select pg_size_pretty(pg_database_size(current_database())) as size, (select count(*) from runs) as runs`,
    ),
  )
  return `${Number(rows[0]?.runs).toLocaleString('en')} runs, ${rows[0]?.size ?? ''}`
}
