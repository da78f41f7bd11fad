import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import * as vault from '../../../api/vault.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { hold } from '../../helpers/hold.ts'
import { agentOf, connectBadTools, customer, ended, timelineOf, type Person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { dataOf, happened, openScripts, start, waiting } from '../../helpers/runs.ts'
import { startSites } from '../../helpers/sites.ts'

type Choice = { vaultEntryId: string; tools?: string[] }

const taken = "The tool cannot be called any more: the agent's owner has taken it, or its site, from the agent."
const never = new AbortController().signal

const leave = (someone: Person, { id }: { id: string }, sites: Choice[]) =>
  call(someone, agents.updateAgent, { params: { agentId: id }, body: { sites } }).then((answer) => answer.body)

type Opened = Awaited<ReturnType<typeof openScripts>>

/** How the run's only call ended, once the run has; how often it was sent, and that the model was told. */
async function outcomeOf(t: ExecutionContext, { sites }: Opened, someone: Person, runId: string) {
  t.like(await ended(someone, runId), { status: 'completed', steps: 2 })
  const timeline = await timelineOf(someone, runId)
  const outcomes = dataOf(timeline, 'tool.finished')
  t.is(outcomes.length, 1)
  t.regex(String(dataOf(timeline, 'step.finished')[1]?.['text']), /which failed: .*has taken it, or its site/)
  const statuses = sites.badTools
    .requests()
    .filter(({ idempotencyKey }) => idempotencyKey === `${runId}:1:0`)
    .map(({ status }) => status)
  return { ...outcomes[0], statuses }
}

test('a run that waited calls nothing that was taken from its agent meanwhile, whatever it has waited for', async (t) => {
  const opened = await openScripts(t, { SWEEP_SECONDS: '1' })
  await Promise.all([whilePaused(t, opened), whileParked(t, opened)])
  await whileLimited(t, opened)
})

async function whilePaused(t: ExecutionContext, opened: Opened) {
  const { someone, scripted } = opened
  const agent = await scripted('[[sleep 1]] [[call slow_once {"seconds":0}]]')
  const { id } = (await start(someone, agent)).body
  const params = { agentId: agent.id }
  await happened(someone, id, 'step.started')
  await call(someone, agents.pauseAgent, { params }).then((answer) => answer.body)
  await waiting(someone, id)
  await leave(someone, agent, [])
  await call(someone, agents.resumeAgent, { params }).then((answer) => answer.body)
  const outcome = await outcomeOf(t, opened, someone, id)
  t.like(outcome, { status: 'failed', attempts: 0, note: taken, result: taken, statuses: [] })
}

async function whileParked(t: ExecutionContext, opened: Opened) {
  const someone = await customer(opened.platform)
  const entryId = await connectBadTools(someone, opened.sites)
  await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: 'bad-token' } }).then(
    (a) => a.body,
  )
  const systemPrompt = '[[call slow_once {"seconds":0}]]'
  const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId: entryId }] })
  const { id } = (await start(someone, agent)).body
  t.like(await waiting(someone, id), { waitingCause: 'credential' })
  await leave(someone, agent, [{ vaultEntryId: entryId, tools: ['echo_text'] }])
  t.like(await outcomeOf(t, opened, someone, id), { status: 'failed', attempts: 1, note: taken, statuses: [401] })
}

async function whileLimited(t: ExecutionContext, opened: Opened) {
  const { someone, scripted, vaultEntryId, platform } = opened
  const agent = await scripted('[[call limit_first {"refusals":1,"seconds":2}]]')
  const { id } = (await start(someone, agent)).body
  t.like(await waiting(someone, id), { waitingCause: 'rate_limit' })
  await leave(someone, agent, [{ vaultEntryId, tools: ['echo_text'] }])
  t.like(await outcomeOf(t, opened, someone, id), { status: 'failed', attempts: 1, note: taken, statuses: [429] })
  t.deepEqual(await platform.services.database('outgoing_waits'), [], 'it has no place at the host any more')
}

/** Runs that no worker carries out, each with a planned call, so that the test can act in the worker's place. */
async function openPlanned(t: ExecutionContext) {
  const sites = await startSites(t)
  const { services, ...platform } = await startPlatform(t, { sites })
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  async function planned(tool: string) {
    const systemPrompt = `[[call ${tool} {"seconds":0}]]`
    const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId }] })
    await start(someone, agent)
    const run = await services.runs.claimNext(agent.id)
    if (!run) throw new Error('there was nothing to claim')
    const move = await services.runs.advance(run, never)
    const [{ callId } = { callId: '' }] = move.kind === 'tools' ? move.calls : []
    const finished = async () => dataOf(await timelineOf(someone, run.runId), 'tool.finished')
    return { agent, run, callId, finished, perform: () => services.runs.performCall(run, callId, never) }
  }
  return { sites, database: services.database, someone, vaultEntryId, planned }
}

test('a tool that is taken from its agent while a call waits to be let through is not called, and costs no slot', async (t) => {
  const { sites, database, someone, planned } = await openPlanned(t)
  const { agent, finished, perform } = await planned('slow_once')
  const { host } = new URL(sites.badTools.origin)
  await database.raw('insert into outgoing_hosts (host) values (?) on conflict do nothing', [host])
  const lock = 'select 1 from outgoing_hosts where host = ? for update'
  const release = await hold(database, (trx) => trx.raw(lock, [host]))
  const performed = perform()
  await eventually(10, 'the call waits for the lock', async () => {
    const blocked = { wait_event_type: 'Lock' }
    const waits = await database('pg_stat_activity').whereRaw('datname = current_database()').where(blocked)
    return waits.length === 1 || undefined
  })
  await leave(someone, agent, [])
  await release()
  await performed
  t.like(await finished(), { 0: { status: 'failed', attempts: 0, note: taken }, length: 1 })
  t.is(sites.badTools.requests().length, 0)
  t.deepEqual(await database('outgoing_slots'), [])
})

test('a call in doubt whose tool was taken from its agent ends as one that must not be repeated', async (t) => {
  const { sites, database, someone, vaultEntryId, planned } = await openPlanned(t)
  const lost = { status: 'started', attempts: 1 }
  const refusedThen = { status: 'planned', attempts: 2, harmless: 1, in_doubt: true }
  const cases = [
    ['slow_idempotent', lost, 'unknown'],
    ['slow_idempotent', refusedThen, 'unknown'],
    ['slow_read', lost, 'failed'],
  ] as const
  for (const [tool, state, status] of cases) {
    const { agent, callId, finished, perform } = await planned(tool)
    await database('tool_calls').where({ id: callId }).update(state)
    await leave(someone, agent, [{ vaultEntryId, tools: ['echo_text'] }])
    await perform()
    t.like(await finished(), { 0: { status, attempts: state.attempts }, length: 1 }, tool)
    t.regex(String((await finished())[0]?.['note']), /^An attempt before .* was not called again: .* has taken it/)
  }
  t.is(sites.badTools.requests().length, 0)
})

test('a tool that its agent still has is called, however its sites were written anew', async (t) => {
  const { sites, someone, vaultEntryId, planned } = await openPlanned(t)
  for (const choice of [{ vaultEntryId }, { vaultEntryId, tools: ['echo_text', 'slow_once'] }]) {
    const { agent, finished, perform } = await planned('slow_once')
    await leave(someone, agent, [choice])
    await perform()
    t.like(await finished(), { 0: { status: 'succeeded', attempts: 1 }, length: 1 })
  }
  t.is(sites.badTools.requests().length, 2)
})
