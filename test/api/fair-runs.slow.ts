import test from 'ava'
import * as why from '../../api/why.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, connectBadTools, customer, ended, person, timelineOf, type Person } from '../helpers/people.ts'
import { openStage, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

/** A worker in which one owner alone may have two model calls and two tool calls going. */
const stage = forWholeFile(test, 'fair runs', (t) => openStage(t, { env: { WORKER_ACTIVITIES: '2' } }))

/** Starts runs of as many agents of the owner, who may have three. */
const startRuns = (someone: Person, count: number, fields: Parameters<typeof agentOf>[1]) =>
  Promise.all(Array.from({ length: count }, async () => (await start(someone, await agentOf(someone, fields))).body.id))

const begunAt = async (someone: Person, runId: string) =>
  (await timelineOf(someone, runId)).find(({ kind }) => kind === 'step.started')?.at

/** How many of the runs have begun a model call. */
const begun = async (someone: Person, runs: string[]): Promise<number> =>
  (await Promise.all(runs.map((id) => begunAt(someone, id)))).filter((at) => at !== undefined).length

test('an owner’s runs take their share of a worker, the run of somebody else begins at once, and all end', async (t) => {
  const { platform } = await stage()
  const [busy, other] = [await person(platform), await person(platform)]
  const slow = await startRuns(busy, 3, { systemPrompt: '[[sleep 5]]' })
  await eventually(
    10,
    'two of the runs are calling the model',
    async () => (await begun(busy, slow)) === 2 || undefined,
  )
  const [quick = ''] = await startRuns(other, 1, { systemPrompt: '[[say done]]' })
  t.is((await ended(other, quick)).status, 'completed')
  t.is(await begun(busy, slow), 2, 'the third still waits for a place')
  const waiting = slow[(await Promise.all(slow.map((id) => begunAt(busy, id)))).indexOf(undefined)]
  const told = await eventually(12, 'why names the place', async () => {
    const { body } = await call(busy, why.whyRun, { params: { runId: waiting! } })
    return body.causes[0]?.code === 'NO_PLACE' ? body : undefined
  })
  t.regex(told.summary, /is running\. It has been waiting for a worker since .* because the run's owner/)
  for (const id of slow) t.is((await ended(busy, id)).status, 'completed')
})

test('tool calls of slow sites leave the models’ places alone', async (t) => {
  const { platform, sites } = await stage()
  const busy = await customer(platform)
  const vaultEntryId = await connectBadTools(busy, sites)
  const fields = { systemPrompt: '[[call hang {}]]', sites: [{ vaultEntryId }] }
  const hanging = await startRuns(busy, 3, fields)
  await eventually(10, 'two calls hang, and the third has no place', async () => {
    const kinds = await Promise.all(hanging.map((id) => timelineOf(busy, id)))
    return kinds.filter((events) => events.some(({ kind }) => kind === 'tool.started')).length === 2 || undefined
  })
  const [quick = ''] = await startRuns(busy, 1, { systemPrompt: '[[say done]]' })
  t.is((await ended(busy, quick)).status, 'completed', 'although it is the same owner’s')
  const { body } = await eventually(12, 'why names the place', async () => {
    const answers = await Promise.all(hanging.map((runId) => call(busy, why.whyRun, { params: { runId } })))
    return answers.find(({ body }) => body.causes.some(({ code }) => code === 'NO_PLACE'))
  })
  t.is(body.state, 'running')
})
