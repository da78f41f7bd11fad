import test from 'ava'
import { idAt } from '../../../src/ids.ts'
import type { AgentState } from '../../../src/needs/agent-state.ts'
import { readDeliveries, readEndings } from '../../../src/needs/read-agents.ts'
import { onServer } from '../../helpers/database.ts'
import { newOwner } from '../../helpers/owner.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { looksAt } from '../database/looks.ts'

/** Of this file's own: what its queries look at is counted. */
const platformOf = forWholeFile(test, 'reading of needs', (t) => startPlatform(t))

const hour = 3_600_000
const perHour = 6

/** A webhook agent with deliveries every ten minutes for three weeks, the last one seven hours ago. */
async function quietAgent(t: Parameters<typeof newOwner>[0], { services: { database } }: Platform) {
  const owner = await newOwner(t, await platformOf())
  const agent = await owner.webhookAgent()
  const last = Date.now() - 7 * hour
  const count = 3 * 7 * 24 * perHour
  const rows = Array.from({ length: count }, (_, index) => {
    const at = new Date(last - (count - 1 - index) * (hour / perHour))
    const of = { id: idAt(at), agentId: agent.id, ownerId: agent.ownerId, sequence: index + 1, requestId: 'r' }
    const times = { acceptedAt: at, progressedAt: at, endedAt: at }
    return { ...of, ...times, status: 'completed', trigger: 'webhook' }
  })
  for (let from = 0; from < count; from += 1000) await database('runs').insert(rows.slice(from, from + 1000))
  await database('agent_queues').where({ agentId: agent.id }).update({ lastSequence: count })
  await database.raw('analyze runs')
  return { agent, count }
}

test.serial('however many runs an agent has, few of them are read', async (t) => {
  const platform = await platformOf()
  const { database } = platform.services
  const { agent, count } = await quietAgent(t, platform)
  const state = { ...agent, movedSequence: null, lastSequence: count, first: null } as unknown as AgentState
  const looks = await looksAt(database, 'runs', async () => {
    t.is((await readEndings(database as never, [state], new Date())).get(agent.id)?.length, 10)
    const found = (await readDeliveries(database as never, [state], new Date())).get(agent.id)
    // Seven hours, with both ends.
    t.is(found?.oneWeekBefore.length, 7 * perHour + 1)
    t.is(found?.twoWeeksBefore.length, 7 * perHour + 1)
  })
  t.true(looks < 300, `${looks} of ${count} rows`)
})

interface Sent {
  sql: string
  bindings: unknown[]
}

test.serial('every statement of an answer finds its rows by an index', async (t) => {
  const platform = await platformOf()
  const { database, needs } = platform.services
  const { agent } = await quietAgent(t, platform)
  const sent: Sent[] = []
  const note = ({ sql, bindings }: Sent) => void sent.push({ sql, bindings })
  database.on('query', note)
  await needs.of(agent.ownerId, 'accounts').finally(() => database.off('query', note))
  const read = sent.filter(({ sql }) => /^\s*(select|with)\b/i.test(sql))
  t.true(read.length >= 10, `${read.length} statements`)
  await onServer(platform.config.database.url, async (client) => {
    await client.query('set enable_seqscan = off')
    for (const { sql, bindings } of read) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, bindings)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      t.notRegex(plan, /Seq Scan/, sql)
    }
  })
})
