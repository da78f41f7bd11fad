import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as billing from '../../api/billing.ts'
import { getAgentStatement } from '../../api/statements.ts'
import { whyRun } from '../../api/why.ts'
import { monthOf } from '../../src/billing/ledger/forecast.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, ended, person, timelineOf, type Person } from '../helpers/people.ts'
import { cancel, dataOf, happened, start } from '../helpers/runs.ts'
import { watch } from '../helpers/watch.ts'
import { events, status } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { openProvider, runOnce } from './stage-of-provider.ts'
import { anthropic, chat } from './wire.ts'

/* Calls that are made again, or given up: when, and who pays for them. */

const stage = sharedModels(test)

/** Starts a run with a model that does not end its answer, and waits until somebody has read its words. */
async function speaking(someone: Person, model: string, words: string): Promise<string> {
  const { id } = (await start(someone, await agentOf(someone, { model }))).body
  const stream = await watch(someone, id)
  await eventually(30, 'the words are seen', () => JSON.stringify(stream.words).includes(words) || undefined)
  stream.cut()
  return id
}

const chargesOf = async (someone: Person, id: string) =>
  (await call(someone, billing.listLedger, {})).body.items.filter(({ runId }) => runId === id)

test('after a restart of the worker a provider is asked again, but not before the time that it has named', async (t) => {
  const { provider, platform } = await openProvider(t, [{ models: ['overloaded', 'silent'] }], {
    env: { STREAM_POLL_MS: '100' },
  })
  const someone = await person(platform)
  provider.play('silent', [events(chat.begin('Half of it is said.'), 'hang'), events(chat.all('Done.'))])
  const givenUp = await speaking(someone, 'silent', 'Half of it is said.')
  provider.play('overloaded', [status(429, { 'retry-after': '12' }), events(chat.all('Done.'))])
  const { id } = (await start(someone, await agentOf(someone, { model: 'overloaded' }))).body
  const failed = await happened(someone, id, 'step.failed')
  const retryAt = Date.parse(String(failed.data['retryAt']))
  t.is(retryAt, Date.parse(failed.at) + 12_000)
  // A worker reports itself every second, and may have failed sooner.
  const present = async () => (await platform.services.workers.presence()).present || undefined
  await eventually(5, 'the worker is present', present)
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

  // What the stopping worker gave up is charged, estimated because nothing was stated.
  t.like(await ended(someone, givenUp, 150), { status: 'completed', steps: 1 })
  const [attempt] = dataOf(await timelineOf(someone, givenUp), 'step.failed')
  t.like(attempt, { attempt: 1, willRetry: true, outputTokens: 5, credits: 1 })
  t.true(Number(attempt?.['inputTokens']) > 50, 'the prompt is estimated')
  t.deepEqual((await chargesOf(someone, givenUp)).map(({ kind }) => kind).toSorted(), ['failed_step', 'step'])
})

test('a run that is cancelled during an answer pays for what its provider has said that it used', async (t) => {
  const { platform, play } = await stage()
  const someone = await person(platform)
  const model = play([events(anthropic.begin('I have nearly done it.'), 'hang')], 'anthropic')
  const id = await speaking(someone, model, 'nearly done it.')
  await cancel(someone, id)
  t.is((await ended(someone, id, 60)).status, 'cancelled')
  const [entry, ...others] = await eventually(20, 'it is charged', async () => {
    const found = await chargesOf(someone, id)
    return found.length > 0 ? found : undefined
  })
  t.deepEqual(others, [])
  t.like(entry, { kind: 'failed_step', step: 1 })
  t.like(await ended(someone, id, 5), { inputTokens: 2000, credits: -entry!.credits })
})

test('a model that says nothing in time has failed and its connection is closed, and what it had read is charged', async (t) => {
  const plans = [{ models: ['silent'] }, { protocol: 'anthropic' as const, models: ['stuck'] }]
  const { provider, platform } = await openProvider(t, plans, { env: { MODEL_TIMEOUT_SECONDS: '2' } })
  let closed = false
  provider.play('silent', [(response) => void response.on('close', () => (closed = true)), events(chat.all('Done.'))])
  provider.play('stuck', [events(anthropic.begin(), 'hang'), events(anthropic.all('Done.'))])
  const someone = await person(platform)
  const [silent, stuck] = await Promise.all(['silent', 'stuck'].map((model) => runOnce(someone, { model })))
  t.is(silent?.run.status, 'completed')
  const message = 'The AI provider did not respond within the time limit of 2 s.'
  t.like(silent?.failures, [{ message, willRetry: true }])
  t.is(provider.requestsOf('silent').length, 2)
  await eventually(5, 'the connection is closed', () => closed || undefined)
  t.like(stuck?.run, { status: 'completed', steps: 1, inputTokens: 4000, credits: 2 })
  t.like(stuck?.failures, [{ inputTokens: 2000, outputTokens: 1, credits: 1 }])
})

test('what a failed call has cost counts toward the cap of its agent, and is on the statement of the agent', async (t) => {
  const { platform, play } = await stage()
  const someone = await person(platform)
  const model = play([events(anthropic.begin()), events(anthropic.all('Done.'))], 'anthropic')
  const agent = await agentOf(someone, { model, creditsPerMonth: 10 })
  t.like(await ended(someone, (await start(someone, agent)).body.id), { status: 'completed', credits: 2 })
  const params = { agentId: agent.id }
  t.like((await call(someone, agents.getAgent, { params })).body.usage, { used: 2, cap: 10 })
  const { lines } = (await call(someone, getAgentStatement, { params: { ...params, month: monthOf(new Date()) } })).body
  t.deepEqual(lines.map(({ kind, credits }) => `${kind} ${credits}`).toSorted(), ['failed_step -1', 'step -1'])
})
