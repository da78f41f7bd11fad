import test from 'ava'
import * as agents from '../../../../api/agents.ts'
import * as vault from '../../../../api/vault.ts'
import * as webhooks from '../../../../api/webhooks.ts'
import { newId } from '../../../../src/ids.ts'
import { call } from '../../../helpers/client.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { agentOf, customer, deliver, ended, runOf, timelineOf, webhookAgent } from '../../../helpers/people.ts'
import { type Platform } from '../../../helpers/platform.ts'
import { cancel, dataOf, happened, ownScripts, start, waiting } from '../../../helpers/runs.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'

const working = sharedPlatform(test)
/** Without a worker, and without Temporal. */
const cutOff = sharedPlatform(test, 'cutOff')

async function open() {
  const platform = await working()
  return { platform, someone: await customer(platform) }
}

/** From the request to the end, as the record has it. */
const secondsToEnd = (run: { cancelRequestedAt: string | null; endedAt: string | null }): number =>
  (Date.parse(run.endedAt ?? '') - Date.parse(run.cancelRequestedAt ?? '')) / 1000

/** As a process that is killed in the middle of deleting leaves it. */
const removeOnly = async ({ services }: Platform, id: string) =>
  services.agents.remove(await services.agents.forSender(id))

/** Has so many runs of the agent queued, without anybody being asked for each. */
const queueUp = ({ services }: Platform, agentId: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, () => services.runs.accept.one({ agentId, trigger: 'manual', requestId: newId() })),
  )

const unfinishedOf = async ({ services }: Platform, agentId: string) =>
  ((await services.database('agent_queues').where({ agentId }).first()) as { unfinished: number }).unfinished

// @promise removals
test('very many runs of a deleted agent are cancelled a hundred at a time', async (t) => {
  const platform = await cutOff()
  const { runs } = platform.services
  const someone = await customer(platform)
  const [deep, claimed] = [await agentOf(someone), await agentOf(someone)]
  for (const { id } of [deep, claimed]) await queueUp(platform, id, 110)

  t.is((await call(someone, agents.deleteAgent, { params: { agentId: deep.id } })).status, 204)
  t.is(await unfinishedOf(platform, deep.id), 10)
  await removeOnly(platform, claimed.id)
  t.is(await runs.queue.claimNext(claimed.id), null)
  t.is(await unfinishedOf(platform, claimed.id), 10, 'a claim has not the time for more')

  for (const { id } of [deep, claimed]) {
    await runs.reconciler.reconcileNow(id)
    t.is(await unfinishedOf(platform, id), 0)
  }
})

test('what a deletion that was cut short has left is cancelled by the reconciler, also while Temporal is away', async (t) => {
  const platform = await cutOff()
  const { runs } = platform.services
  const someone = await customer(platform)
  const [paused, begun] = [await webhookAgent(someone), await webhookAgent(someone)]
  await call(someone, agents.pauseAgent, { params: { agentId: paused.id } })
  const ids: string[] = []
  for (const agent of [paused, begun, begun]) ids.push((await deliver(platform, agent, { number: 1 })).body.runId)
  for (const { id } of [paused, begun]) await runs.queue.claimNext(id)
  for (const { id } of [paused, begun]) await removeOnly(platform, id)
  for (const { id } of [paused, begun]) await runs.reconciler.reconcileNow(id)

  const queuedOnes = [ids[0]!, ids[2]!]
  for (const id of queuedOnes) {
    t.like(await ended(someone, id), { status: 'cancelled', reason: 'AGENT_DELETED' })
    t.deepEqual(dataOf(await timelineOf(someone, id), 'cancel.requested'), [{ by: 'deletion' }])
  }
  t.truthy((await runOf(someone, ids[1]!)).cancelRequestedAt, 'the run that has begun is asked to end')
  await runs.reconciler.reconcileNow(begun.id)
  t.is(dataOf(await timelineOf(someone, ids[1]!), 'cancel.requested').length, 1)
})

test('a queued run is cancelled at once, without a worker and while Temporal is away, and the timeline says who asked', async (t) => {
  const platform = await cutOff()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  const { runId } = (await deliver(platform, agent, { number: 1 })).body
  const { runId: next } = (await deliver(platform, agent, { number: 2 })).body

  const { status, body } = await cancel(someone, runId)
  t.is(status, 200)
  t.like(body, { status: 'cancelled', reason: 'CANCELLED_BY_OWNER', startedAt: null })
  t.deepEqual(dataOf(await timelineOf(someone, runId), 'cancel.requested'), [{ by: 'owner' }])
  const headers = { 'x-webhook-secret': agent.webhookSecret }
  const receipt = await call(platform, webhooks.getDelivery, { params: { agentId: agent.id, runId: next }, headers })
  t.like(receipt.body, { ahead: 0 }, 'nothing is in front of the next one any more')
})

// @promise cancel
test('a run that waits for the model is cancelled within ten seconds, and the next one starts', async (t) => {
  const { platform, someone } = await open()
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 60]]', allowActionOverride: true })
  const { runId } = (await deliver(platform, agent, { number: 1 })).body
  const { runId: next } = (await deliver(platform, agent, { action: '[[say done]]' })).body
  await happened(someone, runId, 'step.started')

  const asked = await Promise.all([cancel(someone, runId), cancel(someone, runId)])
  for (const { body } of asked) t.is(body.cancelRequestedAt, asked[0].body.cancelRequestedAt, 'twice is once')
  const run = await ended(someone, runId)
  t.like(run, { status: 'cancelled', reason: 'CANCELLED_BY_OWNER', steps: 0, credits: 0 })
  t.is((await cancel(someone, runId)).failure.code, 'RUN_NOT_CANCELLABLE')
  t.true(secondsToEnd(run) < 10, `it took ${secondsToEnd(run)} s`)
  t.deepEqual(
    (await timelineOf(someone, runId)).map(({ kind }) => kind),
    ['accepted', 'started', 'step.started', 'cancel.requested', 'ended'],
  )
  const following = await ended(someone, next)
  t.is(following.status, 'completed')
  t.true(Date.parse(following.startedAt ?? '') >= Date.parse(run.endedAt ?? ''))
})

test('a run whose tool call hangs is cancelled within ten seconds: the call’s outcome is unknown, and the next run starts', async (t) => {
  const { platform, someone, vaultEntryId, sent } = await ownScripts(t, await working())
  const agent = await webhookAgent(someone, {
    systemPrompt: '[[call hang {}]] [[call slow_read {"seconds":60}]]',
    sites: [{ vaultEntryId }],
    allowActionOverride: true,
  })
  const { runId } = (await deliver(platform, agent, { number: 1 })).body
  const { runId: next } = (await deliver(platform, agent, { action: '[[say done]]' })).body
  await eventually(20, 'both calls reach the site', () => sent(runId).length === 2 || undefined)

  await cancel(someone, runId)
  const run = await ended(someone, runId)
  t.like(run, { status: 'cancelled', reason: 'CANCELLED_BY_OWNER' })
  t.true(secondsToEnd(run) < 10, `it took ${secondsToEnd(run)} s`)
  const outcomes = dataOf(await timelineOf(someone, runId), 'tool.finished')
  t.is(outcomes.length, 2)
  for (const outcome of outcomes) {
    // Of a tool that only reads it may also be said that it failed.
    const honest = outcome['tool'] === 'hang' ? ['unknown'] : ['unknown', 'failed']
    t.true(honest.includes(String(outcome['status'])), String(outcome['status']))
    t.regex(String(outcome['note']), /while this call was in progress/)
  }
  t.is((await ended(someone, next)).status, 'completed')
  t.is(sent(runId).length, 2, 'nothing was sent again')
})

test('deleting an agent cancels its running and its queued runs, and nothing is accepted for it any more', async (t) => {
  const { platform, someone } = await open()
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 60]]' })
  const ids: string[] = []
  for (let number = 1; number <= 3; number += 1) ids.push((await deliver(platform, agent, { number })).body.runId)
  await happened(someone, ids[0]!, 'step.started')

  t.is((await call(someone, agents.deleteAgent, { params: { agentId: agent.id } })).status, 204)
  t.is((await deliver(platform, agent, { number: 4 })).failure.code, 'AGENT_NOT_FOUND')
  for (const id of ids) {
    const run = await ended(someone, id)
    t.like(run, { status: 'cancelled', reason: 'AGENT_DELETED' })
    t.true(secondsToEnd(run) < 10)
    t.deepEqual(dataOf(await timelineOf(someone, id), 'cancel.requested'), [{ by: 'deletion' }])
  }
})

test('calls that wait for their turn at a host leave the queue when their run is cancelled', async (t) => {
  const { platform, sites, someone, vaultEntryId: entryId, scripted } = await ownScripts(t, await working())
  const { host } = new URL(sites.badTools.origin)
  const queued = async () => (await platform.services.database('outgoing_waits').where({ host })).length
  // The host asks for a pause, which is for everybody, and longer than this test may take.
  const body = { refusals: 1, seconds: 300 }
  await call(someone, vault.callTool, { params: { entryId, toolName: 'limit_first' }, body })
  const one = '[[call slow_read {"seconds":0}]]'
  const first = (await start(someone, await scripted(one))).body
  await waiting(someone, first.id)
  const second = (await start(someone, await scripted(`${one} ${one}`))).body
  await waiting(someone, second.id)
  t.is(await queued(), 3, 'one of the first, both of the second')

  await cancel(someone, second.id)
  t.is((await ended(someone, second.id)).status, 'cancelled')
  t.is(await queued(), 1, 'the other run keeps its place')
  await cancel(someone, first.id)
  t.is((await ended(someone, first.id)).status, 'cancelled')
  t.is(await queued(), 0)
})
