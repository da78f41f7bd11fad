import test from 'ava'
import * as admin from '../../api/admin.ts'
import * as agents from '../../api/agents.ts'
import * as vault from '../../api/vault.ts'
import * as why from '../../api/why.ts'
import type { CauseCode } from '../../src/why/cause.ts'
import { adminOf } from '../helpers/admins.ts'
import { asked, decide } from '../helpers/approvals.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { newOwner, type Owner } from '../helpers/owner.ts'
import { cancel, spendAllBut } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'

/* What each cause says is tested with the rules; here is that what happens is found. */

const working = sharedPlatform(test)
const cutOff = sharedPlatform(test, 'cutOff')

const ofAgent = async (owner: Owner, { id: agentId }: { id: string }) =>
  (await call(owner, why.whyAgent, { params: { agentId } })).body
const ofRun = async (owner: Owner, runId: string) => (await call(owner, why.whyRun, { params: { runId } })).body

type Answer = Awaited<ReturnType<typeof ofRun>>
const told = ({ state, causes }: Answer) => [state, ...causes.map(({ code }) => code)].join(' ')
const causeIn = ({ causes }: Answer, code: CauseCode) => causes.find((cause) => cause.code === code)

/** Asks again and again until the answer names the cause. */
const untilCause = (ask: () => Promise<Answer>, code: CauseCode) =>
  eventually(20, `the answer names ${code}`, async () => {
    const answer = await ask()
    const cause = causeIn(answer, code)
    return cause && { answer, cause }
  })

const pause = (owner: Owner, { id: agentId }: { id: string }) =>
  call(owner, agents.pauseAgent, { params: { agentId } }).then(({ body }) => body)
const resume = (owner: Owner, { id: agentId }: { id: string }) =>
  call(owner, agents.resumeAgent, { params: { agentId } }).then(({ body }) => body)

// @promise why
test('a run that works says with what, and runs behind it say which one is ahead', async (t) => {
  const owner = await newOwner(t, await working())
  const site = await owner.site()
  const agent = await owner.webhookAgent({
    sites: [site].map(({ vaultEntryId }) => ({ vaultEntryId })),
    allowActionOverride: true,
  })
  const idle = await ofAgent(owner, agent)
  t.is(told(idle), 'idle IDLE')
  t.regex(idle.causes[0]!.action, new RegExp(`POST /agents/${agent.id}/runs`))

  const action = '[[call slow_read {"seconds":3}]] [[then]] [[sleep 60]]'
  const elsewhere = await owner.webhookAgent({ allowActionOverride: true })
  const { runId: ofAnother } = (await owner.deliver(elsewhere, { action: '[[sleep 60]]' })).body
  const { runId: first } = (await owner.deliver(agent, { action })).body
  const { runId: second } = (await owner.deliver(agent, { action: '[[say two]]' })).body
  await owner.happened(first, 'tool.started')
  const calling = await ofRun(owner, first)
  t.is(told(calling), 'running WORKING')
  t.like(calling.causes[0], { runId: first, sequence: 1, step: 1, site: site.origin })
  t.true(calling.causes[0]!.message.includes('slow_read'))
  await owner.happened(first, 'step.finished')
  const behind = await eventually(20, 'the run ahead asks the model', async () => {
    const answer = await ofRun(owner, second)
    return causeIn(answer, 'RUN_AHEAD')?.step === 2 ? answer : undefined
  })
  t.is(told(behind), 'queued RUN_AHEAD WORKING')
  t.like(behind.causes[0], { runId: first, sequence: 1, step: 2, site: null, until: null })
  t.true(behind.causes[0]!.message.startsWith('1 run is ahead of run 2. '))
  t.regex(behind.causes[0]!.action, new RegExp(`POST /runs/${first}/cancel`))
  t.is(told(await ofAgent(owner, agent)), 'running RUN_AHEAD WORKING')

  await cancel(owner, first)
  await cancel(owner, ofAnother)
  await owner.ended(second)
  t.is(told(await ofRun(owner, first)), 'ended ENDED')
  t.is(told(await ofAgent(owner, agent)), 'idle IDLE')
})

// @promise why
test('a run that waits for a credential, for an approval or for a site says so, and what to do', async (t) => {
  const owner = await newOwner(t, await working())
  const site = await owner.site()
  const sites = [{ vaultEntryId: site.vaultEntryId }]
  const params = { entryId: site.vaultEntryId }
  const replace = (token: string) => call(owner, vault.replaceVaultToken, { params, body: { token } })
  await replace('bad-token')
  const hook = await owner.webhookAgent({ systemPrompt: '[[call slow_once {"seconds":0}]]', sites })
  const [one, two] = [(await owner.deliver(hook, {})).body.runId, (await owner.deliver(hook, {})).body.runId]
  const run = await owner.waiting(one)
  const refused = await ofRun(owner, one)
  t.is(told(refused), 'waiting CREDENTIAL')
  t.like(refused.causes[0], { runId: one, sequence: 1, step: 1, site: site.origin, until: run.waitingUntil })
  t.regex(refused.causes[0]!.action, new RegExp(`PATCH /vault/${params.entryId} \\(this loses nothing`))
  const behind = await ofRun(owner, two)
  t.is(told(behind), 'queued CREDENTIAL RUN_AHEAD')
  t.regex(causeIn(behind, 'RUN_AHEAD')!.action, new RegExp(`POST /runs/${one}/skip`))
  await replace('good-token')
  await owner.ended(two)

  const asking = {
    systemPrompt: '[[call slow_once {"seconds":0}]]',
    sites: [{ ...sites[0]!, askFirst: ['slow_once'] }],
  }
  const runId = (await owner.start(await owner.agent(asking))).body.id
  await owner.waiting(runId)
  const [pending] = await asked(owner)
  const waits = await ofRun(owner, runId)
  t.is(told(waits), 'waiting APPROVAL')
  t.like(waits.causes[0], { since: pending?.requestedAt, until: pending?.expiresAt })
  t.true(waits.causes[0]!.action.includes(`POST /approvals/${pending?.id}`))
  await decide(owner, pending?.id ?? '', 'refuse')
  await owner.ended(runId)

  const limited = (await owner.start(await owner.agent({ systemPrompt: '[[call limit {}]]', sites }))).body.id
  await owner.waiting(limited)
  const held = await ofRun(owner, limited)
  t.is(told(held), 'waiting RATE_LIMIT')
  t.is(held.causes[0]?.site, site.origin)
  t.regex(held.causes[0]?.message ?? '', /has requested a pause/)
  await cancel(owner, limited)
})

// @promise why
test('a paused agent, an account that is not paid, and credits that are used up are named', async (t) => {
  const platform = await working()
  const { database } = platform.services
  const owner = await newOwner(t, platform)
  const agent = await owner.webhookAgent({ systemPrompt: '[[say done]]' })
  const { pausedAt } = await pause(owner, agent)
  const { runId } = (await owner.deliver(agent, {})).body
  const stays = await ofRun(owner, runId)
  t.is(told(stays), 'queued PAUSED')
  t.like(stays.causes[0], { since: pausedAt, until: null, runId, sequence: 1 })
  t.regex(stays.causes[0]!.action, new RegExp(`POST /agents/${agent.id}/resume`))

  // What only time can do to an account is done to its row.
  const account = () =>
    database('accounts').whereIn('ownerId', database('users').select('id').where({ email: owner.email }))
  const changes = [
    ['PAST_DUE', { subscriptionStatus: 'past_due' }],
    ['TIER', { subscriptionStatus: 'active', tier: 'free', currentPeriodEnd: null }],
  ] as const
  for (const [code, change] of changes) {
    await account().update(change)
    await resume(owner, agent)
    const { answer } = await untilCause(() => ofRun(owner, runId), code)
    t.is(told(answer), `queued ${code}`)
    t.regex(answer.causes[0]!.action, /POST \/billing\/subscription/)
    await pause(owner, agent)
  }

  const poor = await newOwner(t, platform)
  const spent = (
    await poor.start(await poor.agent({ systemPrompt: '[[sleep 3]] [[call nothing {}]] [[then]] [[say x]]' }))
  ).body.id
  await poor.happened(spent, 'step.started')
  await spendAllBut(platform, spent, 0)
  const { answer } = await untilCause(() => ofRun(poor, spent), 'CREDITS')
  t.is(told(answer), 'waiting CREDITS')
  t.is(answer.causes[0]?.until, (await poor.run(spent)).waitingUntil)
  await cancel(poor, spent)
})

// @promise why
test('a schedule, a model that fails, and the workers there are can be read', async (t) => {
  const platform = await working()
  const owner = await newOwner(t, platform)
  const scheduled = await owner.agent({ trigger: 'scheduled', cron: '0 9 1 1 *', timeZone: 'Europe/Berlin' })
  const { answer, cause } = await untilCause(() => ofAgent(owner, scheduled), 'SCHEDULE')
  t.is(answer.state, 'idle')
  t.regex(cause.until ?? '', /-01-01T08:00:00\.000Z$/)
  const { id } = (await owner.start(await owner.agent({ systemPrompt: '[[fail 500]]' }))).body
  const retried = await untilCause(() => ofRun(owner, id), 'MODEL_RETRY')
  t.is(retried.answer.state, 'running')
  t.true(retried.cause.message.includes('status 500'))
  await owner.waiting(id)
  t.is((await untilCause(() => ofRun(owner, id), 'MODEL_UNAVAILABLE')).answer.state, 'waiting')
  await cancel(owner, id)
  const { items } = (await call(await adminOf(platform), admin.listWorkers)).body
  t.like(items, { 0: { present: true, polling: true, taskQueue: platform.config.temporal.taskQueue }, length: 1 })
})

// @promise why
test('while Temporal is away the answer says so', async (t) => {
  const owner = await newOwner(t, await cutOff())
  const agent = await owner.webhookAgent()
  t.is(told(await ofAgent(owner, agent)), 'idle IDLE', 'there is nothing that it would be needed for')
  const { runId } = (await owner.deliver(agent, {})).body
  t.is(told(await ofRun(owner, runId)), 'queued TEMPORAL_AWAY NO_WORKER WAKE_PENDING')
  const scheduled = await owner.agent({ trigger: 'scheduled', cron: '0 9 * * *', timeZone: 'UTC' })
  t.is(told(await ofAgent(owner, scheduled)), 'idle TEMPORAL_AWAY NO_WORKER SCHEDULE_NOT_IN_STEP SCHEDULE')
})
