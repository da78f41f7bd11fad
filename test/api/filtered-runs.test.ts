// @promise lists
import test from 'ava'
import * as agentRuns from '../../api/agent-runs.ts'
import * as runs from '../../api/runs.ts'
import { newId } from '../../src/ids.ts'
import { triggers } from '../../src/runs/run.ts'
import { runStatuses } from '../../src/runs/states.ts'
import { call } from '../helpers/client.ts'
import { agentOf, person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'

/** Those that many runs of an agent may have at a time. */
const statuses = runStatuses.filter((status) => status !== 'running' && status !== 'waiting')

/** Each combination of trigger and status three times, in an order in which neighbours differ. */
const kinds = triggers.flatMap((trigger) => statuses.map((status) => ({ trigger, status })))
const all = Array.from({ length: 3 * kinds.length }, (_, index) => kinds[(7 * index) % kinds.length]!)

const filters = [
  {},
  ...triggers.map((trigger) => ({ trigger })),
  ...statuses.map((status) => ({ status })),
  ...kinds,
] as { trigger?: (typeof triggers)[number]; status?: (typeof runStatuses)[number] }[]

test('every filter of runs has the runs that it names in the order of the whole list, page by page', async (t) => {
  const platform = await startPlatform(t)
  const someone = await person(platform)
  const agent = await agentOf(someone)
  const { database } = platform.services
  const { ownerId } = (await database('agents').where({ id: agent.id }).first('ownerId')) as { ownerId: string }
  const at = new Date()
  const base = { agentId: agent.id, ownerId, requestId: 'r', acceptedAt: at, progressedAt: at, startedAt: at }
  const made = all.map((kind, index) => ({ ...base, ...kind, id: newId(), sequence: index + 1, endedAt: endOf(kind) }))
  await database('runs').insert(made)

  for (const filter of filters) {
    const expected = made
      .filter(({ status, trigger }) => (filter.status ?? status) === status && (filter.trigger ?? trigger) === trigger)
      .map(({ id }) => id)
      .toReversed()
    t.true(expected.length >= 3)
    const ofOwner = (query: Query) => call(someone, runs.listRuns, { query })
    const ofOneAgent = (query: Query) => call(someone, runs.listRuns, { query: { ...query, agentId: agent.id } })
    const ofAgent = (query: Query) => call(someone, agentRuns.listAgentRuns, { params: { agentId: agent.id }, query })
    for (const list of [ofOwner, ofOneAgent, ofAgent]) {
      t.deepEqual(await walk(list, filter), expected, JSON.stringify(filter))
    }
  }
})

const endOf = ({ status }: { status: string }): Date | null => (status === 'queued' ? null : new Date())

type Query = Record<string, string>
type Listed = Promise<{ body: { items: { id: string }[]; nextCursor: string | null } }>

/** The ids of all pages. */
async function walk(list: (query: Query) => Listed, filter: Query): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { body } = await list({ ...filter, limit: '7', ...(cursor !== undefined && { cursor }) })
    ids.push(...body.items.map(({ id }) => id))
    cursor = body.nextCursor
  }
  return ids
}
