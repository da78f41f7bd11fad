import test from 'ava'
import * as vault from '../../../api/vault.ts'
import { newId } from '../../../src/ids.ts'
import { openSession, partsOf, send } from '../../chat/stage.ts'
import { approvalsOf, asked, decide } from '../../helpers/approvals.ts'
import { call } from '../../helpers/client.ts'
import { startCollector, type CollectedSpan } from '../../helpers/collector.ts'
import { agentOf, customer, ended } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { scheduledAgent } from '../../helpers/schedules.ts'
import { runsOf, start } from '../../helpers/runs.ts'
import { startToolsSite } from '../../helpers/tools-site.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const token = 'the-token-of-the-site-0123456789'
const look = { name: 'look', input_schema: { type: 'object', properties: { at: { type: 'string' } } } }

/** A platform that traces with contents, and somebody who has connected a site. */
const world = forWholeFile(test, 'traces', async (t) => {
  const [collector, site] = await Promise.all([startCollector(t), startToolsSite(t, [look], '{"said":"seen"}')])
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    RECONCILE_SECONDS: '1',
  }
  const platform = await startPlatform(t, { worker: true, env })
  await platform.services.tracing.start()
  const owner = await customer(platform)
  const entry = (await call(owner, vault.addToVault, { body: { url: site.origin, token } })).body
  return { collector, platform, owner, entry, sites: [{ vaultEntryId: entry.id }] }
})

const ofRun = (runId: string) => (span: CollectedSpan) => span.attributes['switchyard.run.id'] === runId

test('contents are kept if the operator asks for them, without the secrets in them', async (t) => {
  const { collector, owner, entry } = await world()
  const params = { entryId: entry.id, toolName: 'look' }
  await call(owner, vault.callTool, { params, body: { at: `behind ${token} and "${token}"` } }).then((a) => a.body)
  const { attributes } = await collector.span('execute_tool look', ({ attributes: of }) =>
    String(of['gen_ai.tool.call.arguments']).includes('behind'),
  )
  t.regex(String(attributes['gen_ai.tool.call.arguments']), /^\{"at":"behind \[.+\] and \\"\[.+\]\\""\}$/)
  t.is(attributes['gen_ai.tool.call.result'], '{"said":"seen"}')
  t.false(collector.sent().includes(token))
})

test('a long content is cut', async (t) => {
  const { collector, owner, entry } = await world()
  const params = { entryId: entry.id, toolName: 'look' }
  await call(owner, vault.callTool, { params, body: { at: 'far '.repeat(10_000) } }).then((a) => a.body)
  const { attributes } = await collector.span('execute_tool look', ({ attributes: of }) =>
    String(of['gen_ai.tool.call.arguments']).includes('far far'),
  )
  t.is(String(attributes['gen_ai.tool.call.arguments']).length, 16 * 1024 + 1)
})

test('an answer of a chat has its steps and calls below the request that asked for it', async (t) => {
  const { collector, owner, sites } = await world()
  const session = await openSession(owner, { sites })
  const text = '[[call look {"at":"a chat"}]]'
  const parts = await partsOf(
    t,
    await send(session, { messages: [{ id: newId(), role: 'user', parts: [{ type: 'text', text }] }] }),
  )
  t.is(parts.at(-1)?.type, 'finish')
  const answer = await collector.span('invoke_agent', (span) => {
    return span.attributes['gen_ai.conversation.id'] === session.id
  })
  const within = (span: CollectedSpan) => span.parentSpanId === answer.spanId
  const tool = await collector.span('execute_tool look', within)
  const chat = await collector.span('chat demo', within)
  const request = await collector.span('POST /chat/messages', ({ spanId }) => spanId === answer.parentSpanId)
  t.deepEqual(new Set([request, answer, tool, chat].map(({ traceId }) => traceId)).size, 1)
  t.true(String(chat.attributes['gen_ai.input.messages']).includes('a chat'))
})

test('a wait is a span of its own from its beginning to its end', async (t) => {
  const {
    collector,
    owner,
    sites: [site],
  } = await world()
  const fields = { name: 'Asks', systemPrompt: '[[call look {"at":"once asked"}]]' }
  const agent = await agentOf(owner, { ...fields, sites: [{ ...site!, askFirst: ['look'] }] })
  const { id } = (await start(owner, agent)).body
  const [approval] = await asked(owner)
  await decide(owner, approval?.id ?? '', 'approve')
  await ended(owner, id)
  t.is((await approvalsOf(owner, { status: 'pending' })).length, 0)
  const run = await collector.span('invoke_agent Asks', ofRun(id))
  const wait = await collector.span('wait approval', ({ traceId }) => traceId === run.traceId)
  const queue = await collector.span('wait queue', ({ traceId }) => traceId === run.traceId)
  t.deepEqual([wait.parentSpanId, queue.parentSpanId], [run.spanId, run.spanId])
  t.true(wait.start > queue.end && wait.end < run.end)
  t.is((await collector.span('POST /agents/{agentId}/runs', ({ spanId }) => spanId === run.parentSpanId)).kind, 2)
})

test('a fire of a schedule begins a trace, and a run that fails has its reason', async (t) => {
  const { collector, platform, owner } = await world()
  const agent = await scheduledAgent(owner, { name: 'Fails', cron: '* * * * *', systemPrompt: '[[fail 400]]' })
  const nominalAt = new Date(Math.ceil(Date.now() / 60_000) * 60_000)
  const [{ generation }] = (await platform.services.database('schedules').where({ agentId: agent.id })) as [
    { generation: number },
  ]
  await platform.services.fires.recordFire({ agentId: agent.id, generation, nominalAt, requestId: 'a fire' })
  const [made] = await runsOf(owner, agent)
  t.is((await ended(owner, made?.id ?? '')).status, 'failed')
  const run = await collector.span('invoke_agent Fails', ofRun(made?.id ?? ''))
  t.is(run.status, 2)
  t.is(run.attributes['error.type'], 'MODEL_ERROR')
  const fire = await collector.span('fire schedule', ({ spanId }) => spanId === run.parentSpanId)
  t.is(fire.parentSpanId, undefined)
})
