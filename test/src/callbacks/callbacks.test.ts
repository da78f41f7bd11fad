// @promise callbacks
import test from 'ava'
import * as agents from '../../../api/agents.ts'
import * as agentSecrets from '../../../api/agent-secrets.ts'
import * as callbacks from '../../../api/callbacks.ts'
import * as runs from '../../../api/runs.ts'
import { newId } from '../../../src/ids.ts'
import { answerOf } from '../../../src/callbacks/callback-body.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { agentOf, customer, deliver, ended, person, runOf, timelineOf, webhookAgent } from '../../helpers/people.ts'
import { cancel, start } from '../../helpers/runs.ts'
import { startReceiver, verified, type Posted } from './open-callbacks.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test)

test('each ending of a run is posted once, signed, and says what became of the run', async (t) => {
  const platform = await platformOf()
  const receiver = await startReceiver(t)
  const someone = await customer(platform)
  const callbackUrl = receiver.url
  const speaking = await agentOf(someone, { callbackUrl, systemPrompt: '[[say It is mended. 👍]]' })
  const failing = await agentOf(someone, { callbackUrl, systemPrompt: '[[fail 400]]' })
  const paused = await webhookAgent(someone, { callbackUrl })
  const silent = await agentOf(someone)
  await call(someone, agents.pauseAgent, { params: { agentId: paused.id } })

  const completed = (await start(someone, speaking)).body.id
  const failed = (await start(someone, failing)).body.id
  const unheard = (await start(someone, silent)).body.id
  const [cancelled = '', skipped = ''] = await Promise.all(
    [1, 2].map(async (number) => (await deliver(platform, paused, { number })).body.runId),
  )
  await cancel(someone, cancelled)
  const fire = { agentId: paused.id, trigger: 'scheduled', requestId: newId(), skipUnlessIdle: true } as const
  const { receipt } = await platform.services.database.transaction((trx) =>
    platform.services.runs.accept.within(trx, fire),
  )
  await call(someone, runs.skipRun, { params: { runId: skipped } })

  const secretBy = new Map([speaking, failing, paused].map(({ id, callbackSecret }) => [id, callbackSecret]))
  const expected = { completed, failed, cancelled, skipped, overlapped: receipt.runId }
  for (const [name, runId] of Object.entries(expected)) {
    const run = await ended(someone, runId)
    const callback = await eventually(20, `${name} is delivered`, async () => {
      const { body } = await call(someone, callbacks.getCallback, { params: { runId } })
      return body.status === 'delivered' ? body : undefined
    })
    const posts = receiver.posted.filter(({ headers }) => headers['webhook-id'] === callback.id)
    t.is(posts.length, 1, name)
    const [post] = posts as [Posted]
    const ending = verified(secretBy.get(run.agentId) ?? '', post)
    const { agentId, sequence, trigger, status, reason, error, replayOf, acceptedAt, startedAt, endedAt } = run
    const { steps, toolCalls, credits } = run
    const said = (await timelineOf(someone, runId)).find(({ kind }) => kind === 'step.finished')?.data['text']
    if (name === 'completed') t.regex(String(said), /It is mended\. 👍/)
    const answer = name === 'completed' ? said : null
    const about = { runId, agentId, sequence, trigger, status, reason, error, replayOf, acceptedAt, startedAt, endedAt }
    t.deepEqual(ending.data, { ...about, steps, toolCalls, credits, answer, answerCut: false, output: null })
    t.deepEqual([ending.type, ending.timestamp], [`run.${name === 'overlapped' ? 'skipped' : name}`, run.endedAt ?? ''])
    t.is(post.headers['content-type'], 'application/json')
    t.regex(post.headers['user-agent'] ?? '', /^Switchyard\//)
    t.throws(() => verified(secretBy.get(run.agentId) ?? '', { ...post, body: post.body.replace(runId, newId()) }))
    t.like(callback, { runId, agentId, url: callbackUrl, attempts: 1, nextAt: null })
    t.like(callback.log, { 0: { attempt: 1, httpStatus: 204, outcome: 'The receiver responded with 204.' }, length: 1 })
  }
  t.is((await runOf(someone, receipt.runId)).reason, 'OVERLAP')
  t.is(receiver.posted.length, 5)

  await ended(someone, unheard)
  t.is((await call(someone, callbacks.getCallback, { params: { runId: unheard } })).failure.code, 'NOT_FOUND')
  const strange = await call(await person(platform), callbacks.getCallback, { params: { runId: failed } })
  t.is(strange.failure.code, 'RUN_NOT_FOUND')

  const secrets = [...secretBy.values()].map(String)
  t.false(platform.logs.some((line) => line.includes('mended') || secrets.some((secret) => line.includes(secret))))
})

test('the secret of callbacks comes with the first address, is shown with one, and is changed on demand', async (t) => {
  const platform = await platformOf()
  const someone = await customer(platform)
  const agent = await agentOf(someone)
  t.like(agent, { callbackUrl: null, callbackSecret: null })
  const params = { agentId: agent.id }
  const change = (callbackUrl: string | null) =>
    call(someone, agents.updateAgent, { params, body: { callbackUrl } }).then(({ body }) => body)
  const rotate = () => call(someone, agentSecrets.rotateCallbackSecret, { params })
  t.is((await rotate()).failure.code, 'VALIDATION_ERROR')

  const { callbackUrl, callbackSecret } = await change('https://Hooks.example.com/a?key=b')
  t.is(callbackUrl, 'https://hooks.example.com/a?key=b')
  t.regex(callbackSecret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.is((await change('https://hooks.example.com/other')).callbackSecret, callbackSecret)
  t.like(await change(null), { callbackUrl: null, callbackSecret: null })
  t.is((await change('https://hooks.example.com/again')).callbackSecret, callbackSecret)
  const renamed = await call(someone, agents.updateAgent, { params, body: { name: 'New' } })
  t.like(renamed.body, { callbackUrl: 'https://hooks.example.com/again', callbackSecret })
  const rotated = (await rotate()).body.callbackSecret
  t.regex(rotated ?? '', /^whsec_/)
  t.not(rotated, callbackSecret)
  t.is((await call(someone, agents.getAgent, { params })).body.callbackSecret, rotated)
  const row = await platform.services.database('agents').where({ id: agent.id }).first()
  t.false(JSON.stringify(row).includes(rotated ?? ''), 'it is sealed')

  for (const url of ['http://hooks.example.com', 'https://u:p@hooks.example.com', 'https://10.0.0.1/']) {
    const changed = await call(someone, agents.updateAgent, { params, body: { callbackUrl: url } })
    const body = { name: 'n', systemPrompt: 'p', trigger: 'manual', callbackUrl: url } as const
    const created = await call(someone, agents.createAgent, { body })
    t.deepEqual([changed.failure.code, created.failure.code], ['INVALID_URL', 'INVALID_URL'], url)
  }
})

test('an answer is cut at 32 KiB, between characters', (t) => {
  t.deepEqual(answerOf(), { answer: null, answerCut: false })
  t.deepEqual(answerOf('x'.repeat(32 * 1024)), { answer: 'x'.repeat(32 * 1024), answerCut: false })
  t.deepEqual(answerOf('x'.repeat(32 * 1024 + 1)), { answer: 'x'.repeat(32 * 1024), answerCut: true })
  t.deepEqual(answerOf(`x${'👍'.repeat(8 * 1024)}`), { answer: `x${'👍'.repeat(8 * 1024 - 1)}`, answerCut: true })
})
