import test, { type ExecutionContext } from 'ava'
import * as runs from '../../../api/runs.ts'
import * as vault from '../../../api/vault.ts'
import { openStage } from '../../crash/stage.ts'
import { call } from '../../helpers/client.ts'
import { startCollector } from '../../helpers/collector.ts'
import { eventually } from '../../helpers/eventually.ts'
import { customer, deliver, ended, webhookAgent } from '../../helpers/people.ts'
import { startToolsSite } from '../../helpers/tools-site.ts'

const stranger = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const token = 'a-token-of-the-site'

/** An API and a worker as processes of their own, a collector, a site, and an owner who has connected it. */
async function scene(t: ExecutionContext) {
  const [collector, site] = await Promise.all([startCollector(t), startToolsSite(t, [look])])
  const stage = await openStage(t)
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20me' }
  const [api, worker] = await Promise.all([stage.startApi(env), stage.startWorker(env)])
  const owner = { ...(await customer(stage.platform)), url: api.url }
  const entry = (await call(owner, vault.addToVault, { body: { url: site.origin, token } })).body
  return { collector, site, stage, api, worker, owner, entry }
}

const look = { name: 'look', input_schema: { type: 'object', properties: { at: { type: 'string' } } } }
const systemPrompt = '[[call look {"at":"an-argument-of-the-call"}]]'

test('a delivery is one trace from its request to the call at the site, over the processes that it passes', async (t) => {
  const { collector, site, api, worker, owner, entry } = await scene(t)
  const agent = await webhookAgent(owner, { name: 'Watcher', systemPrompt, sites: [{ vaultEntryId: entry.id }] })
  const traceparent = `00-${stranger.traceId}-${stranger.spanId}-00`
  const { runId } = (await deliver(owner, agent, { secret: 'a-text-of-the-payload' }, { traceparent })).body
  t.is((await ended(owner, runId)).status, 'completed')

  const ofRun = (span: { attributes: Record<string, unknown> }) => span.attributes['switchyard.run.id'] === runId
  const run = await collector.span('invoke_agent Watcher', ofRun)
  const { traceId } = run
  const inTrace = (span: { traceId: string }) => span.traceId === traceId
  const request = await collector.span('POST /api/webhooks/agent/{agentId}', inTrace)
  const tool = await collector.span('execute_tool look', inTrace)
  const exchange = await collector.span('POST', (span) => inTrace(span) && span.parentSpanId === tool.spanId)
  await eventually(20, 'both chats are exported', () => {
    return collector.spans().filter((span) => span.name === 'chat demo' && inTrace(span)).length === 2 || undefined
  })

  t.is(request.parentSpanId, undefined, 'a stranger is no parent, and does not decide what is sampled')
  t.deepEqual(request.links, [`${stranger.traceId}-${stranger.spanId}`])
  t.is(run.parentSpanId, request.spanId)
  for (const span of collector.spans().filter((one) => inTrace(one) && one.name === 'chat demo'))
    t.is(span.parentSpanId, run.spanId)
  t.is(tool.parentSpanId, run.spanId)
  t.deepEqual([request.pid, tool.pid, exchange.pid].map(Number), [api.pid, worker.pid, worker.pid])
  t.is(site.received.at(-1)?.traceparent, `00-${traceId}-${exchange.spanId}-01`)
  t.is(collector.spans().filter(ofRun).length, 1, 'the span of the run is recorded once')
  t.like(run.attributes, {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': agent.id,
    'gen_ai.agent.version': '1',
    'gen_ai.request.model': 'demo',
    'switchyard.run.status': 'completed',
  })
  t.true(Number(run.attributes['gen_ai.usage.input_tokens']) > 0)
  t.true(run.end >= tool.start, 'the run covers what happens in it')
  t.true(collector.authorizations().every((value) => value === 'Bearer me'))

  const sent = collector.sent()
  for (const text of [
    'an-argument-of-the-call',
    'a-text-of-the-payload',
    token,
    agent.webhookSecret ?? '',
    systemPrompt,
  ])
    t.false(sent.includes(text), `traces contain ${text}`)
})

test('a replay is a trace that links to its original, and an owner keeps traceparent from a site', async (t) => {
  const { collector, site, owner, entry } = await scene(t)
  const agent = await webhookAgent(owner, { name: 'Again', systemPrompt, sites: [{ vaultEntryId: entry.id }] })
  const { runId } = (await deliver(owner, agent, {})).body
  await ended(owner, runId)
  const original = await collector.span('invoke_agent Again')
  const changed = await call(owner, vault.replaceVaultToken, {
    params: { entryId: entry.id },
    body: { traceContext: false },
  })
  t.false(changed.body?.traceContext)
  const replayed = (await call(owner, runs.replayRun, { params: { runId } })).body
  t.is((await ended(owner, replayed?.id ?? '')).status, 'completed')
  const replay = await collector.span('invoke_agent Again', (span) => span.spanId !== original.spanId)
  t.deepEqual(replay.links, [`${original.traceId}-${original.spanId}`])
  t.not(replay.traceId, original.traceId)
  t.is(replay.parentSpanId, (await collector.span('POST /runs/{runId}/replay')).spanId)
  t.deepEqual(
    site.received.slice(-2).map(({ traceparent }) => traceparent !== undefined),
    [true, false],
  )
})

test('without a collector, nothing of OpenTelemetry is loaded', async (t) => {
  const collector = await startCollector(t)
  const stage = await openStage(t)
  const watch = `import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) {
      if (url.includes('/@opentelemetry/sdk-trace/')) console.log('loads the SDK')
      return next(url, context)
    } })`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watch)}` }
  const loads = ({ logs }: { logs: string[] }) => logs.includes('loads the SDK')
  const without = await stage.startApi(env)
  t.false(loads(without))
  await without.stop()
  t.true(loads(await stage.startApi({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })))
})
