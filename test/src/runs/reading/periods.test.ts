// @promise lists
import test from 'ava'
import { v7 } from 'uuid'
import { agentOf, person } from '../../../helpers/people.ts'
import { startPlatform, type Platform } from '../../../helpers/platform.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'
import { looksAt } from '../../database/looks.ts'

/** Of this file's own: what its queries look at is counted. */
const platformOf = forWholeFile(test, 'periods', (t) => startPlatform(t))

const second = 1000
const minute = 60 * second
const begin = Date.parse('2026-03-01T00:00:00Z')

/** Numbers that look like chance, the same in every run. */
const spread = (index: number, width: number): number => ((index * 7919) % (2 * width + 1)) - width

/**
 * Runs of an agent, one every ten seconds, every third one purged. Ids and times are made by clocks that differ by up to
 * 25 seconds, so neither is quite in the order of the sequences.
 */
async function agentWithRuns(platform: Platform, count: number) {
  const { database } = platform.services
  const agent = await agentOf(await person(platform))
  const { ownerId } = (await database('agents').where({ id: agent.id }).first('ownerId')) as { ownerId: string }
  const made = Array.from({ length: count }, (_, index) => {
    const at = begin + index * 10 * second
    const acceptedAt = new Date(at + spread(index, 12_500))
    const kind = { trigger: index % 5 === 0 ? 'manual' : 'webhook', status: index % 7 === 0 ? 'failed' : 'completed' }
    const id = v7({ msecs: at + spread(index + 1, 12_500) })
    return { id, ...kind, agentId: agent.id, ownerId, sequence: index + 40, acceptedAt }
  }).filter((_, index) => index % 3 !== 0)
  const more = { requestId: 'r', progressedAt: new Date(begin), endedAt: new Date(begin) }
  for (let from = 0; from < made.length; from += 1000)
    await database('runs').insert(made.slice(from, from + 1000).map((run) => ({ ...run, ...more })))
  return { agentId: agent.id, ownerId, made }
}

test.serial('a period of runs is exact, with filters, gaps and clocks that differ', async (t) => {
  const platform = await platformOf()
  const { reading } = platform.services.runs
  const { agentId, ownerId, made } = await agentWithRuns(platform, 300)
  const edges = [-1, 0, 10, 601, 1500, 2990, 4000].map((at) => new Date(begin + at * second))
  const periods = edges.flatMap((since) => [
    { since },
    { until: since },
    { since, until: new Date(since.getTime() + 95 * second) },
    { since, until: since },
  ])
  const filters = [{}, { status: 'failed' }, { trigger: 'manual' }, { status: 'failed', trigger: 'manual' }] as const
  for (const period of periods)
    for (const filter of filters) {
      const expected = made.filter(
        (run) =>
          (!period.since || run.acceptedAt >= period.since) &&
          (!period.until || run.acceptedAt < period.until) &&
          Object.entries(filter).every(([name, value]) => run[name as 'status'] === value),
      )
      const ofOwner = await reading.list(ownerId, { ...period, ...filter, limit: 1000 })
      const ofAgent = await reading.list(ownerId, { agentId, ...period, ...filter, limit: 1000 })
      const what = JSON.stringify({ ...period, ...filter })
      const ids = (runs: { id: string }[]) => runs.map(({ id }) => id)
      t.deepEqual(ids(ofOwner.items), ids(expected).toSorted().toReversed(), what)
      t.deepEqual(ids(ofAgent.items), ids(expected).toReversed(), what)
    }
})

test.serial('a page of a period reads little more than the page, however many runs are outside', async (t) => {
  const platform = await platformOf()
  const { database, runs } = platform.services
  const { agentId, ownerId } = await agentWithRuns(platform, 20_000)
  await database.raw('analyze runs')
  const middle = new Date(begin + 100_000 * second)
  const hour = { since: middle, until: new Date(middle.getTime() + 60 * minute) }
  for (const filter of [{}, { status: 'failed' as const }, { agentId }, { agentId, trigger: 'manual' as const }])
    for (const period of [hour, { until: middle }, { since: new Date(begin + 199_000 * second) }]) {
      const looks = await looksAt(database, 'runs', async () => {
        const { items } = await runs.reading.list(ownerId, { ...filter, ...period, limit: 20 })
        t.true(items.length > 5)
      })
      // A minute on either side has up to six runs for each pair of state and trigger.
      t.true(looks < 300, `${JSON.stringify({ ...filter, ...period })} looked at ${looks} rows`)
    }
})
