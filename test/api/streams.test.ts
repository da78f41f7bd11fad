import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as auth from '../../api/auth.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as vault from '../../api/vault.ts'
import { append } from '../../src/runs/timeline.ts'
import { startPlatform } from '../helpers/platform.ts'
import { startChangingSite } from '../helpers/changing-site.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, deliver, ended, person, runOf, timelineOf, webhookAgent } from '../helpers/people.ts'
import type { Person } from '../helpers/people.ts'
import { cancel, happened, start } from '../helpers/runs.ts'
import { watch, type Received, type Watch } from '../helpers/watch.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

/** As many as one reader may watch at once; one test does. */
const limit = 20

/** A platform with a worker, somebody with a site connected, and a way to start an API as a process of its own. */
const open = forWholeFile(test, 'streams', async (t) => {
  const site = await startChangingSite(t)
  const seconds = { STREAM_CHECK_SECONDS: '1', STREAM_KEEP_ALIVE_SECONDS: '1', STREAM_STALL_SECONDS: '4' }
  const env = { ...seconds, STREAM_POLL_MS: '100', STREAM_LIMIT: String(2 * limit) }
  const platform = await startPlatform(t, { worker: true, env })
  const someone = await customer(platform, 'enterprise')
  const { body } = await call(someone, vault.addToVault, { body: { url: site.origin, token: 'a-token' } })
  return { site, platform, someone, vaultEntryId: body.id }
})

const dataOf = (events: Received[]): unknown[] => events.map(({ data }) => data)

/** Starts a run of the script, and returns its id. */
async function started(someone: Person, systemPrompt: string, sites: { vaultEntryId: string }[] = []): Promise<string> {
  return (await start(someone, await agentOf(someone, { systemPrompt, sites }))).body.id
}

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('')

/** Waits until the stream has so many events. */
const has = (stream: Watch, count: number) =>
  eventually(60, `${count} events arrive`, () => (stream.events.length >= count ? true : undefined))

// @promise timeline
test('a client that is cut off again and again during a run has the timeline that JSON shows', async (t) => {
  const { site, someone, vaultEntryId } = await open()
  // The last call is answered only after the cuts.
  const script = `${times(5, () => '[[call get_one]][[call get_two]][[sleep 0.1]]')}[[call wait_here]]`
  const runId = await started(someone, script, [{ vaultEntryId }])
  const seen: Received[] = []
  for (let cuts = 0; cuts < 15; cuts += 1) {
    const lastEventId = seen.at(-1)?.id
    const stream = await watch(someone, runId, lastEventId === undefined ? {} : { lastEventId })
    // One event each time; what else is on its way is lost.
    await has(stream, 1)
    seen.push(...stream.events.slice(0, 1))
    stream.cut()
  }
  const rest = await watch(someone, runId, { lastEventId: seen.at(-1)?.id ?? '' })
  await eventually(20, 'the last call has come', () => site.waiting() || undefined)
  site.release()
  t.is(await rest.ended, 'ended')
  seen.push(...rest.events)
  const timeline = await timelineOf(someone, runId)
  t.deepEqual(dataOf(seen), timeline)
  t.deepEqual(
    seen.map(({ id, event }) => ({ id, event })),
    timeline.map(({ number, kind }) => ({ id: String(number), event: kind })),
  )
})

test('a run that has ended is streamed from where the client says, and then the client is told not to come back', async (t) => {
  const { platform, someone } = await open()
  const run = await ended(
    someone,
    await started(someone, '[[call nothing {"text":"a\\nb \u2028"}]][[say Line\nand line]]'),
  )
  const timeline = await timelineOf(someone, run.id)
  const last = String(timeline.length)

  const whole = await watch(someone, run.id)
  t.is(await whole.ended, 'ended')
  t.is(whole.status, 200)
  t.like(whole.headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    vary: 'Accept',
  })
  t.deepEqual(dataOf(whole.events), timeline)
  t.is(whole.lastEventId(), last)
  for (const options of [{ lastEventId: last }, { lastEventId: '', after: last }]) {
    const none = await watch(someone, run.id, options)
    t.is(none.status, 204)
    await none.ended
    t.is(none.text(), '')
  }

  const rest = timeline.slice(3)
  for (const options of [
    { after: '3' },
    { lastEventId: '3', after: '1' },
    { lastEventIdInQuery: '3', after: '1' },
    { lastEventId: '3', lastEventIdInQuery: '1' },
  ]) {
    const some = await watch(someone, run.id, options)
    t.is(await some.ended, 'ended')
    t.deepEqual(dataOf(some.events), rest)
  }
  const tail = await watch(someone, run.id, { lastEventId: String(timeline.length - 1) })
  t.is(await tail.ended, 'ended')
  t.is(tail.status, 200)
  t.deepEqual(dataOf(tail.events), timeline.slice(-1))
  const zero = await watch(someone, run.id, { lastEventId: '0', after: last })
  await zero.ended
  t.deepEqual(dataOf(zero.events), timeline)

  const refused = await watch(someone, run.id, { lastEventId: '-1' })
  await refused.ended
  t.like(refused.failure(), { code: 'VALIDATION_ERROR', details: [{ path: 'Last-Event-ID' }] })
  const json = await watch(someone, run.id, { accept: 'application/json, text/event-stream' })
  await json.ended
  t.deepEqual((JSON.parse(json.text()) as { items: unknown }).items, timeline)
  const head = await watch(someone, run.id, { method: 'HEAD' })
  await head.ended
  t.is(head.headers['content-type'], 'text/event-stream')

  const stranger = await watch(await person(platform), run.id)
  await stranger.ended
  t.is(stranger.failure().code, 'RUN_NOT_FOUND')
  const nobody = await watch({ ...someone, token: 'nonsense' }, run.id)
  await nobody.ended
  t.is(nobody.failure().code, 'INVALID_TOKEN')
})

test('whoever says to have more events than the run has is told how many there are, and not left without a word', async (t) => {
  const { someone } = await open()
  const run = await ended(someone, await started(someone, '[[say done]]'))
  const live = await started(someone, '[[sleep 60]]')
  await happened(someone, live, 'step.started')
  for (const runId of [run.id, live]) {
    const { events } = await runOf(someone, runId)
    const json = 'application/json'
    for (const [path, options] of [
      ['Last-Event-ID', { lastEventId: String(events + 1) }],
      ['after', { after: String(events + 1) }],
      ['after', { after: String(events + 1), accept: json }],
    ] as const) {
      const refused = await watch(someone, runId, options)
      await refused.ended
      t.is(refused.status, 400)
      t.like(refused.failure(), { code: 'VALIDATION_ERROR', details: [{ path, message: `must be at most ${events}` }] })
    }
    const page = await watch(someone, runId, { after: String(events), accept: json })
    await page.ended
    t.deepEqual(JSON.parse(page.text()), { items: [], more: false }, 'the last event is a place to go on from')
  }

  const { events } = await runOf(someone, live)
  const rest = await watch(someone, live, { lastEventId: String(events) })
  t.is(rest.status, 200)
  await cancel(someone, live)
  t.is(await rest.ended, 'ended')
  t.deepEqual(dataOf(rest.events), (await timelineOf(someone, live)).slice(events))
  t.is(rest.events.at(-1)?.event, 'ended')
})

// @promise timeline
test('a reader who comes back with what was sent this very moment is never refused', async (t) => {
  const { someone, vaultEntryId } = await open()
  const script = times(20, () => '[[call get_one]]')
  const runId = await started(someone, script, [{ vaultEntryId }])
  const returning: Promise<number>[] = []
  const comeBack = async (lastEventId: string) => {
    const stream = await watch(someone, runId, { lastEventId })
    stream.cut()
    return stream.status
  }
  const stream = await watch(someone, runId, { onEvent: ({ id }) => void returning.push(comeBack(id)) })
  t.is(await stream.ended, 'ended')
  const statuses = await Promise.all(returning)
  t.is(statuses.length, (await runOf(someone, runId)).events)
  t.true(statuses.every((status) => status === 200 || status === 204))
})

// @promise timeline
test('a stream goes on while nothing happens, and ends when its token does or when its run is no longer to be seen', async (t) => {
  const { platform } = await open()
  const someone = await customer(platform)
  const stranger = await person(platform)
  const credentials = { email: someone.email, password: someone.password }
  const login = async (ttlSeconds?: number) => {
    const body = { ...credentials, ...(ttlSeconds !== undefined && { ttlSeconds }) }
    return { ...someone, token: (await call(someone, auth.login, { body })).body.accessToken }
  }
  const runId = await started(someone, '[[sleep 60]]')
  const other = await started(someone, '[[sleep 60]]')
  const leaving = await login()
  const { body: key } = await call(someone, apiKeys.createApiKey, { body: { name: 'Reader', scopes: ['read'] } })

  const staying = await watch(someone, runId)
  const revoked = await watch(leaving, runId)
  const expired = await watch(await login(4), runId)
  const deleted = await watch({ ...someone, token: key.key }, runId)
  const hidden = await watch(someone, other)
  await Promise.all([staying, revoked, expired, deleted, hidden].map((stream) => has(stream, 1)))

  await call(leaving, auth.logout)
  await call(someone, apiKeys.deleteApiKey, { params: { apiKeyId: key.id } })
  const { id: userId } = (await call(someone, auth.me)).body
  const { id: strangerId } = (await call(stranger, auth.me)).body
  // Nobody can give a run away yet; who may see one will change with workspaces.
  await platform.services.database('runs').where({ id: other }).update({ owner_id: strangerId })
  const causes = { TOKEN_REVOKED: [revoked, deleted], TOKEN_EXPIRED: [expired], RUN_NOT_FOUND: [hidden] }
  for (const [code, streams] of Object.entries(causes)) {
    for (const stream of streams) {
      t.is(await stream.ended, 'ended')
      const last = stream.events.at(-1)
      t.like(last, { event: 'error', data: { code } })
      // What an EventSource comes back with is the last event of the run.
      t.is(last?.id, stream.events.at(-2)?.id)
    }
  }

  await eventually(10, 'comments arrive', () => (staying.comments >= 2 ? true : undefined))
  await cancel(someone, runId)
  await ended(someone, runId)
  t.is(await staying.ended, 'ended')
  t.deepEqual(dataOf(staying.events), await timelineOf(someone, runId))
  const lines = platform.logs.map((line) => JSON.parse(line) as Record<string, unknown>)
  const own = lines.filter((line) => line['msg'] === 'request' && line['userId'] === userId)
  const streamed = own.filter(({ route, code }) => route === '/runs/:runId/events' && code)
  t.deepEqual(streamed.map(({ code }) => String(code)).toSorted(), [
    'RUN_NOT_FOUND',
    'TOKEN_EXPIRED',
    'TOKEN_REVOKED',
    'TOKEN_REVOKED',
  ])
})

// @promise timeline
test('a reader who takes nothing is cut off, and neither it nor another watcher of the run misses anything', async (t) => {
  const { platform, someone } = await open()
  const agent = await webhookAgent(someone)
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  const { runId } = (await deliver(platform, agent, {})).body
  const quick = await watch(someone, runId)
  const slow = await watch(someone, runId, { paused: true })
  // Six events of 2 MiB are more than the buffers of a connection hold.
  for (let step = 1; step <= 6; step += 1) {
    const data = {
      step,
      attempt: 1,
      model: 'demo',
      code: 'MODEL_ERROR',
      message: 'x'.repeat(2 * 1024 * 1024),
      willRetry: true,
    }
    await platform.services.database.transaction((trx) =>
      append(trx, runId, new Date(), [{ kind: 'step.failed', data }]),
    )
  }
  const requestId = String(slow.headers['x-request-id'])
  await eventually(20, 'the slow reader is cut off', () =>
    platform.logs.some((line) => line.includes('reader stopped reading') && line.includes(requestId))
      ? true
      : undefined,
  )
  await cancel(someone, runId)
  t.is(await quick.ended, 'ended')
  const timeline = await timelineOf(someone, runId)
  t.deepEqual(dataOf(quick.events), timeline)
  slow.resume()
  t.is(await slow.ended, 'cut off')
  t.true(slow.events.length < timeline.length)
  const again = await watch(someone, runId, { lastEventId: slow.lastEventId() })
  t.is(await again.ended, 'ended')
  t.deepEqual(dataOf([...slow.events, ...again.events]), timeline)
})

// By itself: half of what it costs is the clients, and the other tests would wait for them.
test.serial('20 watchers of a run in one process all have its whole timeline, which is read as for one', async (t) => {
  const { platform, someone, vaultEntryId } = await open()
  const script = times(3, () => '[[call get_one]][[sleep 0.2]]')
  const runId = await started(someone, `[[sleep 5]]${script}`, [{ vaultEntryId }])
  const asked = { timeline: 0, polls: 0 }
  const count = ({ sql }: { sql: string }) => {
    if (/^select .* from "run_events"/.test(sql)) asked.timeline += 1
    if (/^\s*select r\.id, r\.events/.test(sql)) asked.polls += 1
  }
  platform.services.database.on('query', count)
  t.teardown(() => void platform.services.database.off('query', count))
  const began = Date.now()
  const streams = await Promise.all(Array.from({ length: limit }, () => watch(someone, runId)))
  const oneMore = await watch(someone, runId)
  await oneMore.ended
  t.is(oneMore.failure().code, 'RATE_LIMITED')
  t.regex(oneMore.headers['retry-after'] ?? '', /^\d+$/)

  t.deepEqual([...new Set(await Promise.all(streams.map((stream) => stream.ended)))], ['ended'])
  const took = Date.now() - began
  const { pollMs } = platform.config.streams
  t.true(asked.timeline <= 10 + (2 * took) / pollMs)
  t.true(asked.polls <= 1 + took / pollMs)
  const timeline = await timelineOf(someone, runId)
  t.true(timeline.length > 15)
  const texts = new Set(streams.map(({ events }) => JSON.stringify(dataOf(events))))
  t.deepEqual([...texts], [JSON.stringify(timeline)])
})
