import test from 'ava'
import * as agents from '../../api/agents.ts'
import { getAgentStatement } from '../../api/statements.ts'
import { whyRun } from '../../api/why.ts'
import { monthOf } from '../../src/billing/ledger/forecast.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, ended, person, timelineOf } from '../helpers/people.ts'
import { dataOf, happened, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events, status } from './failing-provider.ts'
import { openProvider, runOnce } from './stage-of-provider.ts'
import { anthropic, chat } from './wire.ts'

const stage = forWholeFile(test, 'late models', (t) =>
  openProvider(t, [{ models: ['silent'] }, { protocol: 'anthropic', models: ['stuck', 'costly'] }], {
    env: { MODEL_TIMEOUT_SECONDS: '2' },
  }),
)

test('an overloaded provider is not asked again before the time that it has named, also by the next worker', async (t) => {
  const { provider, platform } = await openProvider(t, [{ models: ['overloaded'] }])
  const someone = await person(platform)
  provider.play('overloaded', [status(429, { 'retry-after': '12' }), events(chat.all('Done.'))])
  const agent = await agentOf(someone, { model: 'overloaded' })
  const { id } = (await start(someone, agent)).body
  const failed = await happened(someone, id, 'step.failed')
  const retryAt = Date.parse(String(failed.data['retryAt']))
  t.is(retryAt, Date.parse(failed.at) + 12_000)
  // A worker reports itself every second, and may have failed sooner.
  await eventually(
    5,
    'the worker is present',
    async () => (await platform.services.workers.presence()).present || undefined,
  )
  const { causes } = (await call(someone, whyRun, { params: { runId: id } })).body
  t.like(causes, [{ code: 'MODEL_RETRY', until: failed.data['retryAt'] }])
  await platform.stopWorker()
  await platform.startWorker()
  t.true(Date.now() < retryAt, 'the worker was stopped within the pause')
  t.like(await ended(someone, id, 150), { status: 'completed', steps: 1 })
  const requests = provider.requestsOf('overloaded')
  t.is(requests.length, 2)
  t.true(requests[1]!.at >= retryAt)
  t.is(dataOf(await timelineOf(someone, id), 'step.failed').length, 1)
})

test('a model that says nothing within MODEL_TIMEOUT_SECONDS has failed, and its connection is closed', async (t) => {
  const { provider, platform } = await stage()
  let closed = false
  provider.play('silent', [(response) => void response.on('close', () => (closed = true)), events(chat.all('Done.'))])
  const { run, failures } = await runOnce(await person(platform), { model: 'silent' })
  t.is(run.status, 'completed')
  t.like(failures, [{ message: 'The AI provider did not answer within the limit of 2 s.', willRetry: true }])
  t.is(provider.requestsOf('silent').length, 2)
  await eventually(5, 'the connection is closed', () => closed || undefined)
})

test('a model that gets stuck in its answer has failed, and what it had read by then is charged', async (t) => {
  const { provider, platform } = await stage()
  provider.play('stuck', [events(anthropic.begin(), 'hang'), events(anthropic.all('Done.'))])
  const { run, failures } = await runOnce(await person(platform), { model: 'stuck' })
  t.like(run, { status: 'completed', steps: 1, inputTokens: 4000, credits: 2 })
  t.like(failures, [{ inputTokens: 2000, outputTokens: 1, credits: 1 }])
})

test('what a failed call has cost counts toward the cap of its agent, and is on the statement of the agent', async (t) => {
  const { provider, platform } = await stage()
  const someone = await person(platform)
  provider.play('costly', [events(anthropic.begin()), events(anthropic.all('Done.'))])
  const agent = await agentOf(someone, { model: 'costly', creditsPerMonth: 10 })
  t.like(await ended(someone, (await start(someone, agent)).body.id), { status: 'completed', credits: 2 })
  const params = { agentId: agent.id }
  t.like((await call(someone, agents.getAgent, { params })).body.usage, { used: 2, cap: 10 })
  const { lines } = (await call(someone, getAgentStatement, { params: { ...params, month: monthOf(new Date()) } })).body
  t.deepEqual(lines.map(({ kind, credits }) => `${kind} ${credits}`).toSorted(), ['failed_step -1', 'step -1'])
})
