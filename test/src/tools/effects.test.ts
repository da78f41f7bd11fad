import test, { type ExecutionContext } from 'ava'
import * as admin from '../../../api/admin.ts'
import * as notifications from '../../../api/notifications.ts'
import * as vault from '../../../api/vault.ts'
import { adminOf } from '../../helpers/admins.ts'
import { call } from '../../helpers/client.ts'
import { ended, timelineOf, type Person } from '../../helpers/people.ts'
import { dataOf, openStage, ownScripts, scriptsOn, start, waiting, type Scripts } from '../../helpers/runs.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const working = sharedPlatform(test)
const hasty = forWholeFile(test, 'effects in time', (t) => openStage(t, { env: { SITE_TIMEOUT_SECONDS: '1.5' } }))

/** Somebody with a site of this test's own: what the platform learns of a host (it wants a pause, it is suspended) is for all. */
const scripts = async (t: ExecutionContext) => ownScripts(t, await working())
const hastyScripts = async () => scriptsOn(await hasty())

interface Expected {
  /** How often the site was reached, each time with the same Idempotency-Key. */
  sent: number
  status: 'succeeded' | 'failed' | 'unknown'
  httpStatus: number | null | undefined
  /** What the model is told. */
  told: RegExp
}

/** How the next prompt says that a call has ended, as the demo model repeats it. */
const words = {
  succeeded: 'which returned:',
  failed: 'which failed:',
  unknown: 'it is unknown whether the call took effect:',
}

/** Has calls made by one step of a run, and compares what the site saw, what is on record and what the model was told. */
async function check(t: ExecutionContext, { follow }: Scripts, calls: [string, Expected][]): Promise<void> {
  const { run, timeline, sent, outcomes } = await follow(calls.map(([toolCall]) => `[[call ${toolCall}]]`).join(' '))
  t.is(run.status, 'completed', 'a failed call does not fail the run')
  const answer = String(dataOf(timeline, 'step.finished')[1]?.['text'])
  t.deepEqual(
    [...answer.matchAll(new RegExp(Object.values(words).join('|'), 'g'))].map(([ending]) => ending),
    calls.map(([, { status }]) => words[status]),
    'the next prompt says how each ended',
  )
  t.is(outcomes.length, calls.length)
  t.is(
    sent.length,
    calls.map(([, expected]) => expected.sent).reduce((sum, count) => sum + count),
  )
  for (const [position, [toolCall, expected]] of calls.entries()) {
    const key = `${run.id}:1:${position}`
    const outcome = { ...outcomes.find(({ idempotencyKey }) => idempotencyKey === key) }
    const events = (kind: string) => dataOf(timeline, kind).filter(({ callId }) => callId === outcome['callId'])
    t.is(sent.filter(({ idempotencyKey }) => idempotencyKey === key).length, expected.sent, `${toolCall}: sent`)
    t.like(outcome, { status: expected.status, attempts: expected.sent }, toolCall)
    if (expected.httpStatus !== undefined) t.is(outcome['siteStatus'], expected.httpStatus, toolCall)
    t.regex(JSON.stringify(outcome['result'] ?? outcome['note']), expected.told, toolCall)
    t.is(events('tool.started').length, expected.sent, toolCall)
    t.is(events('tool.failed').length, expected.sent - 1, toolCall)
  }
}

// @promise once
test('a tool that must run once is not repeated after a failure that leaves its effect in doubt', async (t) => {
  const unknown = { sent: 1, status: 'unknown' } as const
  const answered = { sent: 1, status: 'succeeded', httpStatus: 200 } as const
  await check(t, await scripts(t), [
    ['slow_once {"seconds":0}', { ...answered, told: /waited/ }],
    ['not_json {}', { ...answered, told: /The site performed the call/ }],
    ['compressed_bomb {}', { ...answered, told: /The site performed the call/ }],
    ['fail {}', { ...unknown, httpStatus: 500, told: /status 500.*on fire/ }],
    ['reset {}', { ...unknown, httpStatus: null, told: /closed the connection/ }],
  ])
  await check(t, await hastyScripts(), [
    ['hang {}', { ...unknown, httpStatus: null, told: /did not respond in time/ }],
    ['slow_once {"seconds":5}', { ...unknown, httpStatus: null, told: /did not respond in time/ }],
  ])
})

// @promise once
test('a tool that only reads is repeated after a failure, with the same key, and may succeed', async (t) => {
  const flaky = { status: 'succeeded', httpStatus: 200 } as const
  const spent = { sent: 3, status: 'failed', httpStatus: 500, told: /status 500.*Failure 3 of 9/ } as const
  await check(t, await scripts(t), [
    ['flaky_read {"failures":1}', { ...flaky, sent: 2, told: /"attempts":2/ }],
    ['flaky_read {"failures":2,"how":"cut"}', { ...flaky, sent: 3, told: /"attempts":3/ }],
    ['flaky_read {"failures":9}', spent],
  ])
})

test('a tool that may be repeated is sent three times when it is too slow; then its outcome depends on its effect', async (t) => {
  const late = { sent: 3, httpStatus: null, told: /did not respond in time/ }
  await check(t, await hastyScripts(), [
    ['slow_read {"seconds":5}', { ...late, status: 'failed' }],
    ['slow_idempotent {"seconds":5}', { ...late, status: 'unknown' }],
  ])
})

const use = (someone: Person, entryId: string, toolName: string, body: Record<string, unknown> = {}) =>
  call(someone, vault.callTool, { params: { entryId, toolName }, body })

test('a token that the site does not accept parks the run with its call, and its owner is told once', async (t) => {
  const { sites, someone, vaultEntryId: entryId, scripted } = await scripts(t)
  const replace = (token: string) =>
    call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } }).then(({ status }) =>
      t.is(status, 200),
    )
  await replace('bad-token')
  const { id } = (await start(someone, await scripted('[[call slow_once {"seconds":0}]]'))).body
  const run = await waiting(someone, id)
  t.like(run, { waitingCause: 'credential', waitingFor: sites.badTools.origin, endedAt: null })
  t.like((await call(someone, vault.getVaultEntry, { params: { entryId } })).body, { status: 'needs_reauth' })
  for (let number = 0; number < 2; number += 1) {
    const { failure } = await use(someone, entryId, 'echo_text', { text: 'hello' })
    t.is(failure.code, 'TOOL_EXECUTION_ERROR')
    t.regex(failure.error, /owner must reconnect the site\. The site rejected the token\./)
  }
  t.is(sites.badTools.requests().length, 1, 'a credential that is known to be dead is not tried again')
  const { items } = (await call(someone, notifications.listNotifications)).body
  const consolePage = `/console/sites/${entryId}`
  t.like(items, { 0: { kind: 'credential_dead', subjectId: entryId, consolePage }, length: 1 })
  t.false(JSON.stringify(items).includes('bad-token'))

  await replace('good-token')
  t.is((await ended(someone, id)).status, 'completed')
  const timeline = await timelineOf(someone, id)
  t.regex(String(dataOf(timeline, 'tool.failed')[0]?.['message']), /^The site rejected the token\. /)
  t.like(dataOf(timeline, 'tool.finished'), { 0: { status: 'succeeded', attempts: 2 }, length: 1 })
  t.deepEqual(
    sites.badTools.requests().map(({ idempotencyKey, status }) => [idempotencyKey, status]),
    [
      [`${id}:1:0`, 401],
      [`${id}:1:0`, 200],
    ],
  )
})

test('a site that asks for a pause until a date is left alone for so long, and then called again', async (t) => {
  const { sites, follow } = await scripts(t)
  const { run, timeline, sent, outcomes } = await follow('[[call limit_first {"refusals":2,"seconds":3,"how":"date"}]]')
  t.like(run, { status: 'completed', waitingCause: null, waitingFor: null, waitingUntil: null })
  const key = `${run.id}:1:0`
  t.deepEqual(
    sent.map(({ idempotencyKey, status }) => [idempotencyKey, status]),
    [429, 429, 200].map((status) => [key, status]),
  )
  t.like(outcomes, { 0: { status: 'succeeded', attempts: 3 }, length: 1 })
  const at = sent.map((request) => Date.parse(request.at))
  // A date has no fractions of a second.
  for (const gap of [at[1]! - at[0]!, at[2]! - at[1]!]) t.true(gap >= 2000, `${gap} ms between calls`)
  t.regex(String(dataOf(timeline, 'tool.failed')[0]?.['message']), /rate limit has been exceeded.*Too many requests/)
  const waits = dataOf(timeline, 'wait.started')
  t.like(waits, { 0: { cause: 'rate_limit', site: sites.badTools.origin, calls: 1 } })
  t.is(dataOf(timeline, 'wait.ended').length, waits.length)
})

// @promise host-limit
test('a site that asks one caller for a pause is left alone by everybody', async (t) => {
  const { sites, someone, vaultEntryId, scripted } = await scripts(t)
  const { id } = (await start(someone, await scripted('[[call limit_first {"refusals":1,"seconds":300}]]'))).body
  t.like(await waiting(someone, id), { waitingCause: 'rate_limit', waitingFor: sites.badTools.origin })
  const { id: otherId } = (await start(someone, await scripted('[[call echo_text {"text":"hello"}]]'))).body
  const { waitingUntil } = await waiting(someone, otherId)
  t.true(Date.parse(waitingUntil ?? '') - Date.now() > 150_000)
  const { failure, headers } = await use(someone, vaultEntryId, 'echo_text', { text: 'hello' })
  t.like(failure, { code: 'OUTGOING_RATE_LIMITED', statusCode: 429 })
  const seconds = Number(headers.get('retry-after'))
  t.true(seconds > 150 && seconds <= 300, `Retry-After is ${seconds}`)
  t.like(sites.badTools.requests(), { 0: { tool: 'limit_first' }, length: 1 })
})

// @promise host-limit
test('a host that is suspended is called by nobody, and everybody is told so', async (t) => {
  const { sites, platform, someone, vaultEntryId, follow } = await scripts(t)
  const root = await adminOf(platform)
  const params = { host: new URL(sites.badTools.origin).host }
  t.is((await call(root, admin.suspendHost, { params, body: { reason: 'Abuse of Mallory' } })).status, 200)
  const { run, timeline, outcomes } = await follow('[[call slow_once {"seconds":0}]]')
  t.is(run.status, 'completed')
  t.like(outcomes, { 0: { status: 'failed', siteStatus: null, attempts: 0 }, length: 1 })
  t.deepEqual(dataOf(timeline, 'tool.failed'), [], 'nothing is said to be tried again')
  t.regex(String(outcomes[0]?.['result']), /platform operator has suspended calls/)
  t.regex(String(dataOf(timeline, 'step.finished')[1]?.['text']), /which failed/)
  const { failure } = await use(someone, vaultEntryId, 'echo_text', { text: 'hello' })
  t.is(failure.code, 'SITE_UNAVAILABLE')
  t.regex(failure.error, /suspended/)
  t.notRegex(failure.error, /Mallory/)
  t.is(sites.badTools.requests().length, 0)

  t.is((await call(root, admin.liftHost, { params })).status, 204)
  t.is((await use(someone, vaultEntryId, 'echo_text', { text: 'hello' })).status, 200)
})

test('a site that cannot be reached has done nothing: the call is tried three times and has failed', async (t) => {
  const { sites, follow } = await scripts(t)
  await sites.badTools.close()
  const { run, timeline, outcomes } = await follow('[[call slow_once {"seconds":0}]]')
  t.is(run.status, 'completed')
  t.is(dataOf(timeline, 'tool.started').length, 3)
  t.like(outcomes[0], { status: 'failed', attempts: 3, siteStatus: null })
})

test('the calls of one step are made side by side', async (t) => {
  const { follow } = await scripts(t)
  const { run, timeline, sent } = await follow('[[call slow_read {"seconds":1}]] [[call slow_once {"seconds":1}]]')
  t.deepEqual([run.status, sent.length], ['completed', 2])
  const at = (kind: string) => timeline.filter((event) => event.kind === kind).map((event) => Date.parse(event.at))
  t.true(Math.max(...at('tool.started')) < Math.min(...at('tool.finished')))
})
