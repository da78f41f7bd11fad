import test, { type ExecutionContext } from 'ava'
import * as vault from '../../../api/vault.ts'
import { call } from '../../helpers/client.ts'
import { agentOf, connectTracker, ended, timelineOf } from '../../helpers/people.ts'
import { dataOf, openScripts, start } from '../../helpers/runs.ts'

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

// Each test has a platform of its own, so that none meets the limit of calls per site and minute.
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

test.serial('a tool that only reads is repeated after a failure, with the same key, and may succeed', async (t) => {
  const scripts = await openScripts(t)
  const flaky = { status: 'succeeded', httpStatus: 200 } as const
  await check(t, scripts, 'flaky_read {"failures":1}', { ...flaky, sent: 2, told: /"attempts":2/ })
  await check(t, scripts, 'flaky_read {"failures":2,"how":"cut"}', { ...flaky, sent: 3, told: /"attempts":3/ })
  const spent = { sent: 3, status: 'failed', httpStatus: 500, told: /status 500.*Failure 3 of 9/ } as const
  await check(t, scripts, 'flaky_read {"failures":9}', spent)
})

test.serial(
  'a tool that may be repeated is sent three times when it is too slow; then its outcome depends on its effect',
  async (t) => {
    const scripts = await openScripts(t, { SITE_TIMEOUT_SECONDS: '1' })
    const late = { sent: 3, httpStatus: null, told: /did not answer in time/ }
    await check(t, scripts, 'slow_read {"seconds":3}', { ...late, status: 'failed' })
    await check(t, scripts, 'slow_idempotent {"seconds":3}', { ...late, status: 'unknown' })
  },
)

test.serial('an answer that cannot be used leaves the effect in doubt, and is not asked for again', async (t) => {
  const scripts = await openScripts(t, { SITE_TIMEOUT_SECONDS: '5' })
  const unknown = { sent: 1, status: 'unknown', httpStatus: 200 } as const
  await check(t, scripts, 'not_object {}', { ...unknown, told: /not a JSON object/ })
  await check(t, scripts, 'not_json {}', { ...unknown, told: /not valid JSON/ })
  await check(t, scripts, 'not_utf8 {}', { ...unknown, told: /not valid UTF-8/ })
  await check(t, scripts, 'too_large {}', { ...unknown, httpStatus: null, told: /too large/ })
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

test.serial('a token that the site does not accept fails the call, which is sent once', async (t) => {
  const scripts = await openScripts(t)
  const params = { entryId: scripts.vaultEntryId }
  await call(scripts.someone, vault.replaceVaultToken, { params, body: { token: 'bad-token' } })
  await check(t, scripts, 'echo_text {"text":"hello"}', {
    sent: 1,
    status: 'failed',
    httpStatus: 401,
    told: /does not accept the token any more.*The token is not valid/,
  })
})

test.serial('a site that is called too often fails the call, which is sent once', async (t) => {
  const scripts = await openScripts(t)
  await check(t, scripts, 'limit {}', {
    sent: 1,
    status: 'failed',
    httpStatus: 429,
    told: /rate limit is exceeded.*Wait 30 seconds/,
  })
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

test.serial(
  'a site that cannot be reached has done nothing: the call is tried three times and has failed',
  async (t) => {
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
  },
)

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

test.serial('the calls of one step are made side by side', async (t) => {
  const { follow } = await openScripts(t)
  const { run, timeline, sent } = await follow('[[call slow_read {"seconds":2}]] [[call slow_once {"seconds":2}]]')
  t.is(run.status, 'completed')
  t.is(sent.length, 2)
  const at = (kind: string) => timeline.filter((event) => event.kind === kind).map((event) => Date.parse(event.at))
  t.true(Math.max(...at('tool.started')) < Math.min(...at('tool.finished')))
})
