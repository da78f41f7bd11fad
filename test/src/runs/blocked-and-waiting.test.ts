import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import * as billing from '../../../api/billing.ts'
import * as notifications from '../../../api/notifications.ts'
import * as runs from '../../../api/runs.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { agentOf, deliver, ended, runOf, timelineOf, webhookAgent, type Person } from '../../helpers/people.ts'
import type { Platform } from '../../helpers/platform.ts'
import { cancel, dataOf, happened, ownScripts, spendAllBut, start, waiting } from '../../helpers/runs.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test)

const pause = (someone: Person, agent: { id: string }) =>
  call(someone, agents.pauseAgent, { params: { agentId: agent.id } }).then(({ body }) => body)
const resume = (someone: Person, agent: { id: string }) =>
  call(someone, agents.resumeAgent, { params: { agentId: agent.id } }).then(({ body }) => body)
const skip = (someone: Person, runId: string) => call(someone, runs.skipRun, { params: { runId } })

/** Gives an owner credits again, as the beginning of a month would: nobody can wait for it here. */
const grant = ({ services }: Platform, agentId: string, credits: number) =>
  services.database.raw('update accounts set balance = ? where owner_id = (select owner_id from agents where id = ?)', [
    credits,
    agentId,
  ])

const queueOf = async ({ services }: Platform, agentId: string) =>
  (await services.database('agent_queues').where({ agentId }).first()) as { blockedCause: string | null }

const blocked = (platform: Platform, agentId: string, cause: string) =>
  eventually(20, `the queue is blocked by ${cause}`, async () =>
    (await queueOf(platform, agentId)).blockedCause === cause ? true : undefined,
  )

/** What somebody was told of queues and runs that wait for what has to be paid, newest first. */
const toldOfBlocks = async (someone: Person) =>
  (await call(someone, notifications.listNotifications, { query: { kind: 'queue_blocked' } })).body.items

async function ends(t: ExecutionContext, someone: Person, runId: string, expected: Record<string, unknown>) {
  t.like(await ended(someone, runId), expected)
}

// @promise pause
test('a paused agent starts nothing, keeps what arrives in order, and goes on when it is resumed', async (t) => {
  const { platform, someone } = await ownScripts(t, await platformOf())
  const agent = await webhookAgent(someone, { systemPrompt: '[[say done]]' })
  t.truthy((await pause(someone, agent)).pausedAt)
  const first = await pause(someone, agent)
  t.is((await pause(someone, agent)).pausedAt, first.pausedAt, 'pausing twice changes nothing')
  const delivered: string[] = []
  for (const number of [1, 2, 3]) delivered.push((await deliver(platform, agent, { number })).body.runId)
  await blocked(platform, agent.id, 'paused')
  for (const runId of delivered) t.is((await runOf(someone, runId)).status, 'queued')

  t.is((await resume(someone, agent)).pausedAt, null)
  const done = await Promise.all(delivered.map((runId) => ended(someone, runId)))
  t.deepEqual(
    done.map(({ status, sequence }) => [status, sequence]),
    [1, 2, 3].map((sequence) => ['completed', sequence]),
  )
  t.is((await queueOf(platform, agent.id)).blockedCause, null)
})

test('a queue that was emptied while it was blocked is woken by the next delivery', async (t) => {
  const { platform, someone } = await ownScripts(t, await platformOf())
  const agent = await webhookAgent(someone, { systemPrompt: '[[say done]]' })
  await pause(someone, agent)
  const given = await Promise.all([1, 2].map(async (number) => (await deliver(platform, agent, { number })).body.runId))
  await blocked(platform, agent.id, 'paused')
  await skip(someone, given[0] ?? '')
  t.is((await queueOf(platform, agent.id)).blockedCause, 'paused')
  await skip(someone, given[1] ?? '')
  t.is((await queueOf(platform, agent.id)).blockedCause, null)
  await resume(someone, agent)
  await deliver(platform, agent, { number: 3 })
  t.like(await platform.services.database('agent_queues').where({ agentId: agent.id }).first(), { awake: true })
})

test('a run whose owner has no credits left waits for some, and goes on where it is when there are', async (t) => {
  const { platform, someone, scripted } = await ownScripts(t, await platformOf())
  const agent = await scripted('[[call echo_text {"text":"one"}]] [[then]] [[say done]]')
  await pause(someone, agent)
  const { id } = (await start(someone, agent)).body
  await spendAllBut(platform, id, 1)
  await resume(someone, agent)
  t.like(await waiting(someone, id), { waitingCause: 'credits', steps: 1 })
  const [told, ...others] = await toldOfBlocks(someone)
  t.like(told, {
    subjectId: agent.id,
    consolePage: `/console/runs/${id}`,
    title: `A run is waiting: agent “${agent.name}”`,
  })
  const before = await timelineOf(someone, id)
  t.is(dataOf(before, 'tool.finished').length, 1, 'a call that was asked for costs nothing more')
  const [{ until } = {}] = dataOf(before, 'wait.started')
  const last = String(until).slice(0, 19).replace('T', ' ')
  t.regex(told?.message ?? '', /^You have no credits left\. .+ Run 1 of the agent .+ will resume automatically when/)
  t.true(told?.message.endsWith(`fail if none are available by ${last} UTC. See GET /runs/${id}/why.`), told?.message)
  t.deepEqual(others, [])
  t.is((await start(someone, await agentOf(someone))).failure.code, 'NO_CREDITS')
  await grant(platform, agent.id, 5)
  await ends(t, someone, id, { status: 'completed', steps: 2 })
  t.is(dataOf(await timelineOf(someone, id), 'step.started').length, 2, 'no step is made twice')

  await grant(platform, agent.id, 1)
  const poor = (await start(someone, agent)).body
  await waiting(someone, poor.id)
  const titles = (await toldOfBlocks(someone)).map(({ title }) => title)
  t.deepEqual(titles, [told?.title, told?.title], 'once for each wait')
  await cancel(someone, poor.id)
})

// @promise replays
test('the head of a queue that waits can be skipped: the next run goes on, and the skipped one can be replayed', async (t) => {
  const { platform, someone, vaultEntryId } = await ownScripts(t, await platformOf())
  const systemPrompt = '[[call limit_first {"refusals":1,"seconds":300}]]'
  const sites = [{ vaultEntryId }]
  const agent = await webhookAgent(someone, { systemPrompt, sites, allowActionOverride: true })
  const head = (await deliver(platform, agent, { number: 1 })).body.runId
  const working = (await deliver(platform, agent, { action: '[[sleep 5]] [[say done]]' })).body.runId
  const last = (await deliver(platform, agent, { action: '[[say last]]' })).body.runId
  await waiting(someone, head)
  const began = Date.now()
  t.like((await skip(someone, head)).body, { status: 'skipped', reason: 'SKIPPED_BY_OWNER' })
  await happened(someone, working, 'step.started')
  t.true(Date.now() - began < 10_000)
  t.is((await skip(someone, working)).failure.code, 'RUN_NOT_CANCELLABLE', 'one that works cannot be skipped')
  t.is((await skip(someone, last)).body.status, 'skipped')
  t.is((await skip(someone, head)).failure.code, 'RUN_NOT_CANCELLABLE')
  await ends(t, someone, working, { status: 'completed' })

  const params = { runId: last }
  const headers = { 'idempotency-key': 'once' }
  const again = (await call(someone, runs.replayRun, { params, headers })).body
  t.like(again, { replayOf: last, trigger: 'webhook', sequence: 4 })
  t.is((await call(someone, runs.replayRun, { params, headers })).body.id, again.id)
  await ends(t, someone, again.id, { status: 'completed' })
  const payload = async (id: string) => dataOf(await timelineOf(someone, id), 'accepted')[0]?.['payload']
  t.deepEqual(await payload(again.id), await payload(last))

  await spendAllBut(platform, again.id, 0)
  t.is((await call(someone, runs.replayRun, { params, headers })).body.id, again.id, 'it is repeated, not paid again')
  const anew = { 'idempotency-key': 'twice' }
  t.is((await call(someone, runs.replayRun, { params, headers: anew })).failure.code, 'NO_CREDITS')
})

test('a run that has not ended cannot be replayed, and a manual one only while its agent is idle', async (t) => {
  const { someone, scripted } = await ownScripts(t, await platformOf())
  const agent = await scripted('[[sleep 4]] [[say done]]')
  const { id } = (await start(someone, agent)).body
  const replay = (runId: string) => call(someone, runs.replayRun, { params: { runId } })
  t.is((await replay(id)).failure.code, 'AGENT_ALREADY_RUNNING')
  await ended(someone, id)
  const again = (await replay(id)).body
  t.is((await replay(id)).failure.code, 'AGENT_ALREADY_RUNNING')
  await ends(t, someone, again.id, { status: 'completed', replayOf: id })
  await call(someone, agents.deleteAgent, { params: { agentId: agent.id } })
  t.is((await replay(id)).failure.code, 'AGENT_NOT_FOUND')
  t.is((await call(someone, billing.getBilling)).status, 200)
})
