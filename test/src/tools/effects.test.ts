import test, { type ExecutionContext } from 'ava'
import * as admin from '../../../api/admin.ts'
import * as notifications from '../../../api/notifications.ts'
import * as vault from '../../../api/vault.ts'
import { startChangingSite } from '../../helpers/changing-site.ts'
import { call } from '../../helpers/client.ts'
import { connectChanging, reaching, withTools } from '../../helpers/manifests.ts'
import { agentOf, connectTracker, customer, ended, person, timelineOf, type Person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { dataOf, openScripts, start, waiting } from '../../helpers/runs.ts'

interface Expected {
  /** How often the site was reached, each time with the same Idempotency-Key. */
  sent: number
  status: 'succeeded' | 'failed' | 'unknown'
  httpStatus: number | null | undefined
  /** What the model is told. */
  told: RegExp
}

type Scripts = Awaited<ReturnType<typeof openScripts>>

/** Has one call made by a run, and compares what the site saw, what is on record and what the model was told. */
async function check(t: ExecutionContext, { follow }: Scripts, toolCall: string, expected: Expected): Promise<void> {
  const { run, timeline, sent, outcomes } = await follow(`[[call ${toolCall}]]`)
  t.is(run.status, 'completed', `${toolCall}: a failed call does not fail the run`)
  t.is(sent.length, expected.sent, `${toolCall}: how often the site was reached`)
  t.deepEqual([...new Set(sent.map(({ idempotencyKey }) => idempotencyKey))], [`${run.id}:1:0`], toolCall)
  t.is(outcomes.length, 1, toolCall)
  const outcome = { ...outcomes[0] }
  t.is(outcome['status'], expected.status, toolCall)
  if (expected.httpStatus !== undefined) t.is(outcome['httpStatus'], expected.httpStatus, toolCall)
  t.is(outcome['attempts'], expected.sent, toolCall)
  t.regex(String(outcome['result']), expected.told, toolCall)
  t.is(dataOf(timeline, 'tool.started').length, expected.sent, toolCall)
  t.is(dataOf(timeline, 'tool.failed').length, expected.sent - 1, toolCall)
  const answer = String(dataOf(timeline, 'step.finished')[1]?.['text'])
  const words = { succeeded: /which answered/, failed: /which failed/, unknown: /it is unknown whether/ }
  t.regex(answer, words[expected.status], `${toolCall}: the next prompt says how it ended`)
}

// Each test has a platform of its own: what that learns of a site (it wants a pause, it is suspended) is not for others.
// Those that mostly wait do so at the same time; the others come first, one by one.
test.serial('a call that the site answers is sent once', async (t) => {
  const scripts = await openScripts(t)
  await check(t, scripts, 'slow_once {"seconds":0}', { sent: 1, status: 'succeeded', httpStatus: 200, told: /waited/ })
  await check(t, scripts, 'echo_text {"text":"hello"}', {
    sent: 1,
    status: 'succeeded',
    httpStatus: 200,
    told: /hello/,
  })
})

test.serial('a tool that must run once is not repeated after a failure that leaves its effect in doubt', async (t) => {
  const scripts = await openScripts(t, { SITE_TIMEOUT_SECONDS: '1' })
  const unknown = { sent: 1, status: 'unknown' } as const
  await check(t, scripts, 'fail {}', { ...unknown, httpStatus: 500, told: /status 500.*on fire/ })
  await check(t, scripts, 'reset {}', { ...unknown, httpStatus: null, told: /closed the connection/ })
  await check(t, scripts, 'hang {}', { ...unknown, httpStatus: null, told: /did not answer in time/ })
  await check(t, scripts, 'slow_once {"seconds":3}', { ...unknown, httpStatus: null, told: /did not answer in time/ })
})

test('a tool that only reads is repeated after a failure, with the same key, and may succeed', async (t) => {
  const scripts = await openScripts(t)
  const flaky = { status: 'succeeded', httpStatus: 200 } as const
  await check(t, scripts, 'flaky_read {"failures":1}', { ...flaky, sent: 2, told: /"attempts":2/ })
  await check(t, scripts, 'flaky_read {"failures":2,"how":"cut"}', { ...flaky, sent: 3, told: /"attempts":3/ })
  const spent = { sent: 3, status: 'failed', httpStatus: 500, told: /status 500.*Failure 3 of 9/ } as const
  await check(t, scripts, 'flaky_read {"failures":9}', spent)
})

test('a tool that may be repeated is sent three times when it is too slow; then its outcome depends on its effect', async (t) => {
  const scripts = await openScripts(t, { SITE_TIMEOUT_SECONDS: '1' })
  const late = { sent: 3, httpStatus: null, told: /did not answer in time/ }
  await check(t, scripts, 'slow_read {"seconds":3}', { ...late, status: 'failed' })
  await check(t, scripts, 'slow_idempotent {"seconds":3}', { ...late, status: 'unknown' })
})

test.serial('an answer that cannot be used leaves the effect in doubt, and is not asked for again', async (t) => {
  const scripts = await openScripts(t, { SITE_TIMEOUT_SECONDS: '5' })
  const unknown = { sent: 1, status: 'unknown', httpStatus: 200 } as const
  await check(t, scripts, 'not_object {}', { ...unknown, told: /not a JSON object/ })
  await check(t, scripts, 'not_json {}', { ...unknown, told: /not valid JSON/ })
  await check(t, scripts, 'not_utf8 {}', { ...unknown, told: /not valid UTF-8/ })
  await check(t, scripts, 'too_large {}', { ...unknown, httpStatus: null, told: /too large/ })
  await check(t, scripts, 'compressed_bomb {}', { ...unknown, httpStatus: null, told: /too large/ })
  await check(t, scripts, 'endless {}', { ...unknown, httpStatus: undefined, told: /too large|in time/ })
})

test.serial('a refusal proves that nothing happened: the call has failed and is sent once', async (t) => {
  const scripts = await openScripts(t)
  await check(t, scripts, 'refuse {}', {
    sent: 1,
    status: 'failed',
    httpStatus: 403,
    told: /does not permit.*You may not use this tool/,
  })
})

const use = (someone: Person, entryId: string, toolName: string, body: Record<string, unknown> = {}) =>
  call(someone, vault.callTool, { params: { entryId, toolName }, body })

test.serial(
  'a token that the site does not accept parks the run with its call, and its owner is told once',
  async (t) => {
    const { sites, someone, vaultEntryId: entryId, scripted } = await openScripts(t, { SWEEP_SECONDS: '1' })
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
      t.regex(failure.error, /has to be renewed by its owner. The site does not accept the token/)
    }
    t.is(sites.badTools.requests().length, 1, 'a credential that is known to be dead is not tried again')
    const { items } = (await call(someone, notifications.listNotifications)).body
    t.deepEqual(
      items.map(({ kind, subjectId }) => [kind, subjectId]),
      [['credential_dead', entryId]],
    )
    t.is(items.filter(({ message }) => message.includes('bad-token')).length, 0)

    await replace('good-token')
    t.is((await ended(someone, id)).status, 'completed')
    const timeline = await timelineOf(someone, id)
    t.regex(String(dataOf(timeline, 'tool.failed')[0]?.['message']), /does not accept the token any more/)
    t.like(dataOf(timeline, 'tool.finished'), { 0: { status: 'succeeded', attempts: 2 }, length: 1 })
    t.deepEqual(
      sites.badTools.requests().map(({ idempotencyKey, status }) => [idempotencyKey, status]),
      [
        [`${id}:1:0`, 401],
        [`${id}:1:0`, 200],
      ],
    )
  },
)

for (const how of ['seconds', 'date']) {
  test(`a site that asks for a pause in ${how} is left alone for so long, and then called again`, async (t) => {
    const scripts = await openScripts(t)
    const { run, timeline, sent, outcomes } = await scripts.follow(
      `[[call limit_first {"refusals":2,"seconds":2,"how":"${how}"}]]`,
    )
    t.is(run.status, 'completed')
    t.like(run, { waitingCause: null, waitingFor: null, waitingUntil: null })
    t.deepEqual([...new Set(sent.map(({ idempotencyKey }) => idempotencyKey))], [`${run.id}:1:0`])
    t.deepEqual(
      sent.map(({ status }) => status),
      [429, 429, 200],
    )
    t.like(outcomes, { 0: { status: 'succeeded', attempts: 3 }, length: 1 })
    const at = sent.map((request) => Date.parse(request.at))
    // A date has no fractions of a second.
    for (const gap of [at[1]! - at[0]!, at[2]! - at[1]!]) t.true(gap >= 1000 && gap < 10_000, `${gap} ms between calls`)
    t.regex(String(dataOf(timeline, 'tool.failed')[0]?.['message']), /rate limit is exceeded.*Too many requests/)
    const waits = dataOf(timeline, 'wait.started')
    t.like(waits, { 0: { cause: 'rate_limit', site: scripts.sites.badTools.origin, calls: 1 } })
    t.is(dataOf(timeline, 'wait.ended').length, waits.length)
  })
}

test.serial('a site that asks one caller for a pause is left alone by everybody', async (t) => {
  const { sites, someone, vaultEntryId, scripted } = await openScripts(t)
  const { id } = (await start(someone, await scripted('[[call limit {}]]'))).body
  t.like(await waiting(someone, id), { waitingCause: 'rate_limit', waitingFor: sites.badTools.origin })
  const { id: otherId } = (await start(someone, await scripted('[[call echo_text {"text":"hello"}]]'))).body
  const { waitingUntil } = await waiting(someone, otherId)
  t.true(Date.parse(waitingUntil ?? '') - Date.now() > 15_000)
  const { failure, headers } = await use(someone, vaultEntryId, 'echo_text', { text: 'hello' })
  t.like(failure, { code: 'OUTGOING_RATE_LIMITED', statusCode: 429 })
  const seconds = Number(headers.get('retry-after'))
  t.true(seconds > 15 && seconds <= 30, `Retry-After is ${seconds}`)
  t.deepEqual(
    sites.badTools.requests().map(({ tool }) => tool),
    ['limit'],
  )
})

test.serial('a host that is suspended is called by nobody, and everybody is told so', async (t) => {
  const scripts = await openScripts(t, { ADMIN_EMAILS: 'root@example.com' })
  const { sites, platform, someone, vaultEntryId } = scripts
  const root = await person(platform, 'root@example.com')
  const params = { host: new URL(sites.badTools.origin).host }
  t.is((await call(root, admin.suspendHost, { params, body: { reason: 'Abuse of Mallory' } })).status, 200)
  const { run, timeline, outcomes } = await scripts.follow('[[call slow_once {"seconds":0}]]')
  t.is(run.status, 'completed')
  t.like(outcomes, { 0: { status: 'failed', httpStatus: null, attempts: 0 }, length: 1 })
  t.deepEqual(dataOf(timeline, 'tool.failed'), [], 'nothing is said to be tried again')
  t.regex(String(outcomes[0]?.['result']), /operator of this platform has suspended calls to the site/)
  t.regex(String(dataOf(timeline, 'step.finished')[1]?.['text']), /which failed/)
  const { failure } = await use(someone, vaultEntryId, 'echo_text', { text: 'hello' })
  t.is(failure.code, 'SITE_UNAVAILABLE')
  t.regex(failure.error, /suspended/)
  t.notRegex(failure.error, /Mallory/)
  t.is(sites.badTools.requests().length, 0)

  t.is((await call(root, admin.liftHost, { params })).status, 204)
  t.is((await use(someone, vaultEntryId, 'echo_text', { text: 'hello' })).status, 200)
})

test.serial('a call that was planned for a tool that the site has given up meanwhile is not sent', async (t) => {
  const site = await startChangingSite(t)
  const platform = await startPlatform(t, { worker: true, env: { ...reaching(site), SWEEP_SECONDS: '1' } })
  const someone = await customer(platform)
  const { entryId, refresh, accept } = await connectChanging(someone, site)
  // In this state the site's 401 would leave it.
  await platform.services.database('vault_entries').where({ id: entryId }).update({ status: 'needs_reauth' })
  const agent = await agentOf(someone, {
    systemPrompt: '[[call get_one {}]] [[call get_two {}]]',
    sites: [{ vaultEntryId: entryId }],
  })
  const { id } = (await start(someone, agent)).body
  await waiting(someone, id)
  site.change(withTools('get_two'))
  t.is((await accept((await refresh()).fingerprint)).status, 200)
  await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: 'another' } })
  t.is((await ended(someone, id)).status, 'completed')
  const timeline = await timelineOf(someone, id)
  const outcomes = dataOf(timeline, 'tool.finished')
  const outcomeOf = (tool: string) => outcomes.find((outcome) => outcome['tool'] === tool)
  t.like(outcomeOf('get_one'), { status: 'failed', attempts: 0 })
  t.regex(String(outcomeOf('get_one')?.['result']), /the site does not offer it/)
  t.deepEqual(dataOf(timeline, 'tool.failed'), [], 'nothing is said to be tried again')
  t.like(outcomeOf('get_two'), { status: 'succeeded' })
  t.deepEqual(
    site.calls().map((address) => address.split('/').at(-1)),
    ['get_two'],
  )
})

test.serial('a redirect is not followed, because the token would go with it', async (t) => {
  const scripts = await openScripts(t)
  const location = `${scripts.sites.tracker.origin}/api/tools/issues.searchIssues`
  const { run, outcomes, sent } = await scripts.follow(`[[call redirect {"location":"${location}"}]]`)
  t.is(run.status, 'completed')
  t.is(sent.length, 1)
  t.regex(String(outcomes[0]?.['result']), /redirect/)
  t.not(outcomes[0]?.['status'], 'succeeded')
  t.is(scripts.sites.tracker.requests().length, 0)
})

test('a site that cannot be reached has done nothing: the call is tried three times and has failed', async (t) => {
  const { sites, someone } = await openScripts(t)
  const vaultEntryId = await connectTracker(someone, sites)
  const agent = await agentOf(someone, {
    systemPrompt: '[[call issues.createIssue {"title":"A","content":"B"}]]',
    sites: [{ vaultEntryId }],
  })
  await sites.tracker.close()
  const { id } = (await start(someone, agent)).body
  t.is((await ended(someone, id)).status, 'completed')
  const timeline = await timelineOf(someone, id)
  t.is(dataOf(timeline, 'tool.started').length, 3)
  t.like(dataOf(timeline, 'tool.finished')[0], { status: 'failed', attempts: 3, httpStatus: null })
})

test.serial('a call to a site whose vault entry was deleted meanwhile is answered to the model', async (t) => {
  const { someone, vaultEntryId, scripted, sites } = await openScripts(t)
  const agent = await scripted('[[call slow_read {"seconds":2}]] [[then]] [[call echo_text {"text":"hello"}]]')
  const { id } = (await start(someone, agent)).body
  await call(someone, vault.removeFromVault, { params: { entryId: vaultEntryId } }).then(({ status }) =>
    t.is(status, 204),
  )
  const run = await ended(someone, id)
  t.is(run.status, 'completed')
  t.is(sites.badTools.requests().filter(({ tool }) => tool === 'echo_text').length, 0)
})

test('the calls of one step are made side by side', async (t) => {
  const { follow } = await openScripts(t)
  const { run, timeline, sent } = await follow('[[call slow_read {"seconds":2}]] [[call slow_once {"seconds":2}]]')
  t.is(run.status, 'completed')
  t.is(sent.length, 2)
  const at = (kind: string) => timeline.filter((event) => event.kind === kind).map((event) => Date.parse(event.at))
  t.true(Math.max(...at('tool.started')) < Math.min(...at('tool.finished')))
})
