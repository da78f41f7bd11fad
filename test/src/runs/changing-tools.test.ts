// @promise removals manifests
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import * as vault from '../../../api/vault.ts'
import { startChangingSite, type ChangingSite } from '../../helpers/changing-site.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { hold, untilBlocked } from '../../helpers/hold.ts'
import { connectChanging, withTools } from '../../helpers/manifests.ts'
import { agentOf, customer, ended, timelineOf, type Person } from '../../helpers/people.ts'
import { dataOf, happened, openStage, scriptsOn, start, waiting, type Scripts } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { never, openLate, planned } from './open-late.ts'

/** Each test that changes a site has one of its own. */
const stage = forWholeFile(test, 'changing tools', async (t) => {
  const changing = await Promise.all(Array.from({ length: 4 }, () => startChangingSite(t)))
  const allow = changing.flatMap((site) => site.allow)
  return { ...(await openStage(t, { env: { RECONCILE_SECONDS: '1' }, allow })), changing }
})
/** Without a worker, so that a test can act in its place. */
const workerless = forWholeFile(test, 'removed tools', (t) => openLate(t))

type Choice = { vaultEntryId: string; tools?: string[] }

const removed = 'The call was not made because the owner removed the tool or its site from the agent.'

const leave = (someone: Person, { id }: { id: string }, sites: Choice[]) =>
  call(someone, agents.updateAgent, { params: { agentId: id }, body: { sites } }).then((answer) => answer.body)

/** How the run's only call ended, once the run has; how often it was sent, and that the model was told. */
async function outcomeOf(t: ExecutionContext, { someone, sent }: Scripts, runId: string) {
  t.like(await ended(someone, runId), { status: 'completed', steps: 2 })
  const timeline = await timelineOf(someone, runId)
  const outcomes = dataOf(timeline, 'tool.finished')
  t.is(outcomes.length, 1)
  t.regex(String(dataOf(timeline, 'step.finished')[1]?.['text']), /which failed: .*removed the tool or its site/)
  return { ...outcomes[0], statuses: sent(runId).map(({ status }) => status) }
}

test('a run that was paused calls nothing that was removed from its agent meanwhile', async (t) => {
  const opened = await scriptsOn(await stage())
  const { someone, scripted } = opened
  const agent = await scripted('[[sleep 2]] [[call slow_once {"seconds":0}]]')
  const { id } = (await start(someone, agent)).body
  const params = { agentId: agent.id }
  await happened(someone, id, 'step.started')
  await call(someone, agents.pauseAgent, { params }).then((answer) => answer.body)
  await waiting(someone, id)
  await leave(someone, agent, [])
  await call(someone, agents.resumeAgent, { params }).then((answer) => answer.body)
  const outcome = await outcomeOf(t, opened, id)
  t.like(outcome, { status: 'failed', attempts: 0, note: removed, result: removed, statuses: [] })
})

/** Planned calls, which the test makes in a worker's place. */
async function openPlanned() {
  const late = await workerless()
  const { services, sites } = late
  async function plan(tool: string) {
    const { someone, vaultEntryId, run, callId } = await planned(late, tool)
    const finished = async () => dataOf(await timelineOf(someone, run.runId), 'tool.finished')
    const leaveWith = (choices: Choice[]) => leave(someone, { id: run.agentId }, choices)
    const perform = () => services.runs.calls.perform(run, callId, never)
    return { vaultEntryId, callId, finished, leave: leaveWith, perform }
  }
  return { sites, database: services.database, plan }
}

test.serial('a tool that is removed while a call waits to be let through is not called', async (t) => {
  const { sites, database, plan } = await openPlanned()
  const { finished, perform, leave } = await plan('slow_once')
  const { host } = new URL(sites.badTools.origin)
  await database.raw('insert into outgoing_hosts (host) values (?) on conflict do nothing', [host])
  const lock = 'select 1 from outgoing_hosts where host = ? for update'
  const release = await hold(database, (trx) => trx.raw(lock, [host]))
  const performed = perform()
  await untilBlocked(database)
  await leave([])
  await release()
  await performed
  t.like(await finished(), { 0: { status: 'failed', attempts: 0, note: removed }, length: 1 })
  t.is(sites.badTools.requests().length, 0)
  t.deepEqual(await database('outgoing_slots').where({ host }), [])
})

test.serial('a call in doubt whose tool was removed ends as one that must not be repeated', async (t) => {
  const { sites, database, plan } = await openPlanned()
  const lost = { status: 'started', attempts: 1 }
  const refusedThen = { status: 'planned', attempts: 2, refused_attempts: 1, in_doubt: true }
  const cases = [
    ['slow_idempotent', lost, 'unknown'],
    ['slow_idempotent', refusedThen, 'unknown'],
    ['slow_read', lost, 'failed'],
  ] as const
  for (const [tool, state, status] of cases) {
    const { vaultEntryId, callId, finished, perform, leave } = await plan(tool)
    await database('tool_calls').where({ id: callId }).update(state)
    await leave([{ vaultEntryId, tools: ['echo_text'] }])
    await perform()
    t.like(await finished(), { 0: { status, attempts: state.attempts }, length: 1 }, tool)
    t.regex(
      String((await finished())[0]?.['note']),
      /^An earlier attempt .* was not retried because .* removed the tool/,
    )
  }
  t.is(sites.badTools.requests().length, 0)
})

/** Somebody who has connected a site that this test alone changes. */
async function openChanging() {
  const { platform, changing } = await stage()
  const site = changing.pop()
  if (!site) throw new Error('The stage has no changing site left')
  const someone = await customer(platform)
  return { platform, site, someone, ...(await connectChanging(someone, site)) }
}

/**
 * An agent that runs while its site changes. It tries both tools and waits, three times: before the site has changed,
 * after the change was found, and after it was accepted (where that is needed).
 */
async function runThrough(members: (site: ChangingSite) => Record<string, unknown>) {
  const { site, someone, entryId, refresh, accept } = await openChanging()
  const trying = (n: number) => `[[call get_one {"n": ${n}}]] [[call get_new {"n": ${n}}]] [[then]]`
  const stopping = (n: number) => `[[call wait_here {"n": ${n}}]] [[then]]`
  const systemPrompt = `${trying(1)} ${stopping(1)} ${trying(2)} ${stopping(2)} ${trying(3)} [[say Done.]]`
  const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId: entryId }] })
  const runId = (await start(someone, agent)).body.id
  const since = () => {
    const seen = site.calls().length
    return () =>
      site
        .calls()
        .slice(seen)
        .map((address) => address.replace(site.origin, 'first').replace(site.otherOrigin, 'second'))
        .toSorted()
  }
  const stopped = (what: string) =>
    eventually(30, `the run waits at its site ${what}`, () => (site.waiting() > 0 ? true : undefined))
  const startOfRun = since()
  await stopped('before the change')
  const before = startOfRun()

  site.change(members(site))
  const found = await refresh()
  const afterRefresh = since()
  site.release()
  await stopped('after the change')
  const whileFound = afterRefresh()
  const elsewhere = site.requests.filter(({ origin }) => origin === site.otherOrigin).length

  const otherHost = new URL(site.otherOrigin).host
  if (found.status === 'pending') await accept(found.fingerprint, [otherHost]).then((answer) => answer.body)
  const afterAccepting = since()
  site.release()
  const run = await ended(someone, runId, 45)
  return { found, before, whileFound, elsewhere, afterwards: afterAccepting(), run, site }
}

const one = 'first/v1/tools/get_one'
const added = 'first/v1/tools/get_new'

test('a running agent uses a tool that was added at its next step, without anybody being asked', async (t) => {
  const seen = await runThrough(() => withTools('get_one', 'get_two', 'wait_here', 'get_new'))
  t.like(seen.found, { class: 'compatible', status: 'adopted' })
  t.deepEqual([seen.before, seen.whileFound, seen.afterwards], [[one], [added, one], [added, one]])
  t.is(seen.run.status, 'completed')
})

test('a running agent keeps the tools of the pinned manifest until a breaking change was accepted', async (t) => {
  const seen = await runThrough(() => withTools('get_new', 'get_two', 'wait_here'))
  t.like(seen.found, { class: 'breaking', status: 'pending' })
  t.deepEqual([seen.before, seen.whileFound, seen.afterwards], [[one], [one], [added]])
  t.is(seen.run.status, 'completed')
})

test('a running agent keeps to the pinned address until the other one was accepted', async (t) => {
  const seen = await runThrough(({ otherOrigin }) => ({ server: { url: `${otherOrigin}/v2` } }))
  t.like(seen.found, { class: 'changed_address', status: 'pending' })
  t.deepEqual([seen.before, seen.whileFound, seen.elsewhere], [[one], [one], 0])
  t.deepEqual(seen.afterwards, ['second/v2/tools/get_one'])
  t.true(seen.site.requests.every(({ authorized }) => authorized))
  t.is(seen.run.status, 'completed')
})

test('a call that was planned for a tool that the site has given up meanwhile is not sent', async (t) => {
  const { platform, site, someone, entryId, refresh, accept } = await openChanging()
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
  t.regex(String(outcomeOf('get_one')?.['result']), /site no longer offers this tool/)
  t.deepEqual(dataOf(timeline, 'tool.failed'), [], 'nothing is said to be tried again')
  t.like(outcomeOf('get_two'), { status: 'succeeded' })
  t.deepEqual(
    site.calls().map((address) => address.split('/').at(-1)),
    ['get_two'],
  )
})
