import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../../api/agents.ts'
import * as notifications from '../../../../api/notifications.ts'
import * as runs from '../../../../api/runs.ts'
import * as vault from '../../../../api/vault.ts'
import { call } from '../../../helpers/client.ts'
import { eventually } from '../../../helpers/eventually.ts'
import {
  agentOf,
  connectTracker,
  customer,
  deliver,
  ended,
  runOf,
  timelineOf,
  webhookAgent,
  type Person,
} from '../../../helpers/people.ts'
import { dataOf, happened, ownScripts, spendAllBut, start, waiting } from '../../../helpers/runs.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'
import { startIssueTracker } from '../../../../examples/sites/issue-tracker/server.ts'
import { temporaryCertificates } from '../../../helpers/https-server.ts'
import { startPlatform, type Platform } from '../../../helpers/platform.ts'

const platformOf = sharedPlatform(test)
const waitSeconds = 3
const impatience = { RUN_WAIT_SECONDS: String(waitSeconds), QUEUE_BLOCKED_SECONDS: '3', RECONCILE_SECONDS: '1' }
const impatient = forWholeFile(test, 'waits in vain', (t) => startPlatform(t, { worker: true, env: impatience }))

const dayMs = 24 * 60 * 60 * 1000

/** Somebody whose site does not accept the token any more, which nobody has noticed yet. */
async function openDead(t: ExecutionContext, given?: Platform) {
  const opened = await ownScripts(t, given ?? (await platformOf()))
  const { someone, vaultEntryId: entryId, sites } = opened
  const replaceToken = async (token: string) =>
    t.is((await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } })).status, 200)
  await replaceToken('bad-token')
  const told = async () => (await call(someone, notifications.listNotifications)).body.items
  const hooked = (systemPrompt: string) =>
    webhookAgent(someone, { systemPrompt, sites: [{ vaultEntryId: entryId }], allowActionOverride: true })
  /** The answers that calls got from the site, by their key. */
  const statuses = (key: string) =>
    sites.badTools.requests().flatMap(({ idempotencyKey, status }) => (idempotencyKey === key ? [status] : []))
  return { ...opened, entryId, replaceToken, told, hooked, statuses }
}

const statusOf = async (someone: Person, runId: string) => (await runOf(someone, runId)).status

/** The issue tracker, for this test alone. */
async function startTracker(t: ExecutionContext) {
  const limits = { perToken: 1_000_000, perAddress: 1_000_000 }
  const tracker = await startIssueTracker({ port: 0, tls: await temporaryCertificates(), limits })
  t.teardown(tracker.close)
  return tracker
}

// @promise reconnect
test('a dead credential parks every run that needs it, whatever started it, and reconnecting resumes the same step of each', async (t) => {
  const { platform, sites, someone, entryId, replaceToken, told, hooked, statuses } = await openDead(t)
  const tracker = await startTracker(t)
  const dead = { vaultEntryId: entryId }
  const alive = { vaultEntryId: await connectTracker(someone, { tracker }) }
  const mixed = await agentOf(someone, {
    systemPrompt:
      '[[call slow_once {"seconds":0}]] [[call issues.createIssue {"title":"A","content":"B"}]] [[then]] [[say done]]',
    sites: [dead, alive],
  })
  const several = await agentOf(someone, {
    systemPrompt: '[[call echo_text {"text":"one"}]] [[call slow_idempotent {"seconds":0}]]',
    sites: [dead],
  })
  const webhook = await hooked('[[call slow_once {"seconds":0}]]')
  const deliveries = await Promise.all([1, 2, 3].map((number) => deliver(platform, webhook, { number })))
  const queue = deliveries.map(({ body }) => body).toSorted((one, other) => one.sequence - other.sequence)
  const [first = '', second = '', third = ''] = queue.map(({ runId }) => runId)
  const mixedId = (await start(someone, mixed)).body.id
  const severalId = (await start(someone, several)).body.id
  const parked = [first, mixedId, severalId]
  const atTracker = () => tracker.requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith(mixedId))

  for (const runId of parked) {
    const run = await waiting(someone, runId)
    t.like(run, { steps: 1, waitingCause: 'credential', waitingFor: sites.badTools.origin, endedAt: null })
    const left = Date.parse(run.waitingUntil ?? '') - Date.now()
    t.true(left > dayMs - 60_000 && left <= dayMs)
  }
  const { items } = (await call(someone, runs.listRuns, { query: { status: 'waiting' } })).body
  t.deepEqual(items.map(({ id }) => id).toSorted(), parked.toSorted())
  t.deepEqual([await statusOf(someone, second), await statusOf(someone, third)], ['queued', 'queued'])
  t.is((await start(someone, mixed)).failure.code, 'AGENT_ALREADY_RUNNING')
  const shown = await told()
  t.deepEqual(
    shown.map(({ kind, subjectId }) => [kind, subjectId]),
    [['credential_dead', entryId]],
    'the owner is told once, not for each run',
  )

  // What could be done without the credential was done first.
  const before = await timelineOf(someone, mixedId)
  t.like(dataOf(before, 'tool.finished'), { 0: { tool: 'issues.createIssue', status: 'succeeded' }, length: 1 })
  t.is(before.at(-1)?.kind, 'wait.started')
  t.like(before.at(-1)?.data, { cause: 'credential', site: sites.badTools.origin, calls: 1 })
  t.like(dataOf(await timelineOf(someone, severalId), 'wait.started'), { 0: { calls: 2 }, length: 1 })
  t.is(atTracker().length, 1)

  const patched = Date.now()
  await replaceToken('good-token')
  const done = await Promise.all([...parked, second, third].map((runId) => ended(someone, runId)))
  for (const run of done) t.like(run, { status: 'completed', steps: 2, waitingCause: null, waitingUntil: null })
  for (const { endedAt } of done.slice(0, 3)) t.true(Date.parse(endedAt ?? '') - patched < 10_000)
  const [one, , , two, three] = done
  t.true(one!.endedAt! <= two!.startedAt! && two!.endedAt! <= three!.startedAt!, 'in the order of their arrival')

  for (const key of [`${first}:1:0`, `${mixedId}:1:0`, `${severalId}:1:0`, `${severalId}:1:1`, `${second}:1:0`]) {
    const answers = statuses(key)
    t.is(answers.at(-1), 200, key)
    t.deepEqual([...new Set(answers.slice(0, -1))], answers.length > 1 ? [401] : [], key)
    t.true(answers.length <= 2, key)
  }
  t.is(atTracker().length, 1)
  for (const runId of parked) {
    const timeline = await timelineOf(someone, runId)
    const overs = dataOf(timeline, 'wait.ended')
    t.like(overs, { 0: { cause: 'credential' }, length: 1 }, 'it is one wait')
    t.is(dataOf(timeline, 'wait.started').length, 1)
    t.true(Number(overs[0]?.['ms']) > 0)
    t.is(dataOf(timeline, 'step.started').length, 2, 'no step is made twice')
  }
  t.is((await told()).length, 1)
})

test('when the vault entry is deleted a run that waits for it goes on, and its model is told', async (t) => {
  const { someone, entryId, scripted, statuses } = await openDead(t)
  const { id } = (await start(someone, await scripted('[[call slow_once {"seconds":0}]]'))).body
  await waiting(someone, id)
  t.is((await call(someone, vault.removeFromVault, { params: { entryId }, query: { force: 'true' } })).status, 204)
  const run = await ended(someone, id, 15)
  t.like(run, { status: 'completed', steps: 2 })
  const timeline = await timelineOf(someone, id)
  t.like(dataOf(timeline, 'tool.finished'), { 0: { status: 'failed', attempts: 1 }, length: 1 })
  t.regex(String(dataOf(timeline, 'step.finished')[1]?.['text']), /slow_once, which failed: .*no longer connected/)
  t.deepEqual(statuses(`${id}:1:0`), [401])
})

test('when its site is taken from the agent a run that waits for it goes on, and its model is told', async (t) => {
  const { someone, scripted, statuses } = await openDead(t)
  const agent = await scripted('[[call slow_once {"seconds":0}]]')
  const { id } = (await start(someone, agent)).body
  await waiting(someone, id)
  const params = { agentId: agent.id }
  t.is((await call(someone, agents.updateAgent, { params, body: { sites: [] } })).status, 200)
  t.like(await ended(someone, id, 15), { status: 'completed', steps: 2 })
  t.regex(String(dataOf(await timelineOf(someone, id), 'tool.finished')[0]?.['result']), /removed the tool or its site/)
  t.deepEqual(statuses(`${id}:1:0`), [401])
})

/** How long the run has waited, in seconds. */
const waited = async (someone: Person, runId: string) =>
  Number(dataOf(await timelineOf(someone, runId), 'wait.ended')[0]?.['ms']) / 1000

// @promise waits
test('a run waits for its owner, or for its turn at a site, for no longer than it may, and says so', async (t) => {
  const { platform, someone, hooked } = await openDead(t, await impatient())
  const agent = await hooked('[[call slow_once {"seconds":0}]]')
  const { runId } = (await deliver(platform, agent, { number: 1 })).body
  const { runId: next } = (await deliver(platform, agent, { action: '[[say done]]' })).body
  const other = await ownScripts(t, platform)
  const { id } = (await start(other.someone, await other.scripted('[[call limit {}]]'))).body
  t.like(await ended(someone, runId), { status: 'failed', reason: 'SITE_NOT_RECONNECTED' })
  t.true((await waited(someone, runId)) >= waitSeconds)
  t.is((await ended(someone, next)).status, 'completed')
  t.like(await ended(other.someone, id), { status: 'failed', reason: 'WAITED_TOO_LONG' })
})

const pause = (someone: Person, agentId: string) => call(someone, agents.pauseAgent, { params: { agentId } })
const resume = (someone: Person, agentId: string) => call(someone, agents.resumeAgent, { params: { agentId } })

test('a run whose owner has no credits left fails with NO_CREDITS when none come in time', async (t) => {
  const { platform, someone, scripted } = await ownScripts(t, await impatient())
  const agent = await scripted('[[call echo_text {"text":"one"}]] [[then]] [[say done]]')
  await pause(someone, agent.id)
  const { id } = (await start(someone, agent)).body
  await spendAllBut(platform, id, 1)
  await resume(someone, agent.id)
  t.like(await ended(someone, id), { status: 'failed', reason: 'NO_CREDITS', steps: 1 })
  t.true((await waited(someone, id)) >= waitSeconds)
  t.is(dataOf(await timelineOf(someone, id), 'step.started').length, 1, 'the model is not asked')
})

// @promise pause
test('a run that has begun goes on after a pause that is longer than a run may wait, and may still wait as long', async (t) => {
  const { platform, someone, scripted } = await ownScripts(t, await impatient())
  const agent = await scripted('[[sleep 2]] [[call echo_text {"text":"one"}]] [[then]] [[say done]]')
  const { id } = (await start(someone, agent)).body
  await happened(someone, id, 'step.started')
  await pause(someone, agent.id)
  const until = (await waiting(someone, id)).waitingUntil ?? ''
  await eventually(20, 'it has waited as long as a run may, and waits on', async () => {
    const run = await runOf(someone, id)
    return (run.status === 'waiting' && (run.waitingUntil ?? '') > until) || undefined
  })
  await resume(someone, agent.id)
  t.is((await ended(someone, id)).status, 'completed')
  const { waitedMs, outageMs } = await platform.services.database('runs').where({ id }).first('waitedMs', 'outageMs')
  t.true(Number(waitedMs) >= waitSeconds * 1000)
  t.is(outageMs, waitedMs)
})

// @promise waits
test('a queued run fails when nobody has paid for it in time, and later ones are carried out', async (t) => {
  const platform = await impatient()
  const { database } = platform.services
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[say done]]' })
  const account = database('accounts').whereRaw('owner_id = (select owner_id from agents where id = ?)', [agent.id])
  const { tier, currentPeriodEnd } = (await account.clone().first()) as Record<string, unknown>
  await pause(someone, agent.id)
  const { runId } = (await deliver(platform, agent, {})).body
  await account.clone().update({ tier: 'free', currentPeriodEnd: null })
  await resume(someone, agent.id)
  await eventually(20, 'the queue is blocked', async () => {
    const queue = (await database('agent_queues').where({ agentId: agent.id }).first()) as { blockedCause: string }
    return queue.blockedCause === 'tier' || undefined
  })
  t.like(await ended(someone, runId), { status: 'failed', reason: 'TIER_REQUIRED', startedAt: null })
  await account.clone().update({ tier, currentPeriodEnd })
  t.is((await ended(someone, (await deliver(platform, agent, {})).body.runId)).status, 'completed')
})
