// @promise overdraft
import test, { type ExecutionContext } from 'ava'
import * as billing from '../../api/billing.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { hold, untilBlocked } from '../helpers/hold.ts'
import { agentOf, ended, timelineOf } from '../helpers/people.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { events, startFailingProvider, type Act } from '../models/failing-provider.ts'
import { modelsEnvironment } from '../models/stage.ts'
import { chat } from '../models/wire.ts'
import { courseOf, requestsOf } from './record.ts'
import { connected, openStage } from './stage.ts'

/*
 * kill -9 during the second model call of a run, which comes after a tool call that must not be repeated: while the
 * provider works, and after it has answered but before the answer is on record.
 */

const asking: Act = events(chat.asking([{ id: 'a', name: 'slow_once', arguments: '{"seconds":0}' }]))
const done: Act = events(chat.all('Done.'))

async function openKilling(t: ExecutionContext) {
  const provider = await startFailingProvider(t)
  const models = [{ id: 'real', price: { input: 1, output: 2 } }]
  const env = modelsEnvironment([{ name: 'real', kind: 'openai-compatible', baseUrl: provider.url, models }])
  const stage = await openStage(t, { sites: true, env })
  const { someone, sites } = await connected(stage)
  const agent = await agentOf(someone, { model: 'real', sites })
  return { provider, stage, someone, agent, worker: await stage.startWorker() }
}

type Killing = Awaited<ReturnType<typeof openKilling>>

/** Another worker goes on: the step is asked again once, paid for once, and the tool is not called again. */
async function goesOn(t: ExecutionContext, { provider, stage, someone }: Killing, runId: string) {
  await stage.platform.startWorker()
  t.like(await ended(someone, runId, 60), { status: 'completed', steps: 2, toolCalls: 1, credits: 2 })
  const timeline = await timelineOf(someone, runId)
  t.is(provider.requestsOf('real').length, 3, 'one for the first step, two for the second')
  const [, second, third] = provider.requestsOf('real')
  t.deepEqual(third?.body, second?.body, 'the same is asked')
  t.deepEqual(
    courseOf(timeline).filter((event) => event.startsWith('step.started')),
    ['step.started 1 1', 'step.started 2 1', 'step.started 2 2'],
  )
  t.regex(String(dataOf(timeline, 'step.started').at(-1)?.['note']), /its worker failed or was stopped/)
  t.is(dataOf(timeline, 'step.finished').length, 2)
  const { items } = (await call(someone, billing.listLedger, { query: { limit: '100' } })).body
  const charges = items.filter((entry) => entry.runId === runId)
  t.deepEqual(
    charges.map(({ kind, step }) => `${kind} ${step}`).toSorted((one, other) => (one < other ? -1 : 1)),
    ['step 1', 'step 2'],
  )
  t.is(await stage.platform.services.database('credit_holds').where({ subjectId: runId }).first(), undefined)
  t.is(requestsOf(stage, runId).length, 1)
}

const untilAsked = ({ provider }: Killing, times: number) =>
  eventually(60, `the provider is asked ${times} times`, () => provider.requestsOf('real').length >= times || undefined)

test('a worker that is killed with an answer that is not on record yet: the step is asked again once', async (t) => {
  const killing = await openKilling(t)
  const { database } = killing.stage.platform.services
  const answer = Promise.withResolvers<void>()
  const whenAllowed: Act = async (response, request) => {
    await answer.promise
    await done(response, request)
  }
  killing.provider.play('real', [asking, whenAllowed, done])
  const { id } = (await start(killing.someone, killing.agent)).body
  await untilAsked(killing, 2)
  const release = await hold(database, (trx) => trx('runs').where({ id }).forUpdate().select('id'))
  answer.resolve()
  await untilBlocked(database)
  await killing.worker.kill()
  await release()
  await goesOn(t, killing, id)
})
