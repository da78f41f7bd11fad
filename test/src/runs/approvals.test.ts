import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import * as why from '../../../api/why.ts'
import { approvalsOf, asked, askingAgent, decide } from '../../helpers/approvals.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { ended, runOf, timelineOf } from '../../helpers/people.ts'
import { cancel, dataOf, happened, openStage, scriptsOn, start, waiting, type Scripts } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const stage = forWholeFile(test, 'approvals', (t) => openStage(t, { env: { RECONCILE_SECONDS: '1' } }))
const impatient = forWholeFile(test, 'expiring approvals', (t) =>
  openStage(t, { env: { RECONCILE_SECONDS: '1', RUN_WAIT_SECONDS: '4' } }),
)

/** A run that waits for somebody to approve its only call; each has an owner of its own. */
async function asking(script = '[[call slow_once {"seconds":0}]]', askFirst?: string[], opened = stage) {
  const scripts = await scriptsOn(await opened())
  const agent = await askingAgent(scripts, script, askFirst)
  const { id } = (await start(scripts.someone, agent)).body
  await waiting(scripts.someone, id)
  const [approval] = await asked(scripts.someone)
  if (!approval) throw new Error('nobody was asked')
  return { ...scripts, agent, id, approval }
}

/** What the site was asked to do for the run. */
const requestsOf = ({ sent }: Pick<Scripts, 'sent'>, runId: string) => sent(runId).map(({ tool }) => tool)

/** The run goes on without its call, and the model is told why. */
async function goesOnWithout(t: ExecutionContext, run: Awaited<ReturnType<typeof asking>>, told: RegExp) {
  t.like(await ended(run.someone, run.id), { status: 'completed', steps: 2 })
  t.deepEqual(requestsOf(run, run.id), [])
  const timeline = await timelineOf(run.someone, run.id)
  const [outcome, ...others] = dataOf(timeline, 'tool.finished')
  t.like(outcome, { status: 'failed', attempts: 0 })
  t.deepEqual(others, [])
  t.regex(String(outcome?.['result']), told)
  t.regex(String(dataOf(timeline, 'step.finished')[1]?.['text']), told, 'the model has read it')
  return timeline
}

// @promise approvals
test('a call that asks first is sent once its owner approves it, once and with exactly the arguments shown', async (t) => {
  const run = await asking('[[call slow_once { "seconds" : 0.50 }]]')
  const { someone, id, approval, sites } = run
  t.like(await runOf(someone, id), { waitingCause: 'approval', waitingFor: sites.badTools.origin })
  t.like(approval, { tool: 'slow_once', siteOrigin: sites.badTools.origin, runId: id, agentId: run.agent.id })
  t.like(approval, { status: 'pending', sessionId: null, answerId: null, decidedAt: null, note: null })
  t.deepEqual(requestsOf(run, id), [], 'nothing was sent before')
  const decidedAt = Date.now()
  const { body } = await decide(someone, approval.id, 'approve', { argumentsHash: approval.argumentsHash })
  t.is(body.status, 'approved')
  await happened(someone, id, 'tool.started')
  t.true(Date.now() - decidedAt < 20_000, 'it goes on at once, and not when it would have expired')
  t.like(await ended(someone, id), { status: 'completed', steps: 2 })
  t.is(requestsOf(run, id).length, 1)
  const timeline = await timelineOf(someone, id)
  const [requested] = dataOf(timeline, 'approval.requested')
  t.like(requested, { approvalId: approval.id, tool: 'slow_once', expiresAt: approval.expiresAt })
  t.deepEqual(approval.arguments, JSON.parse(String(requested?.['arguments'])))
  t.like(dataOf(timeline, 'tool.finished')[0], {
    status: 'succeeded',
    attempts: 1,
    arguments: requested?.['arguments'],
  })
  t.like(dataOf(timeline, 'approval.decided'), { 0: { status: 'approved', approvalId: approval.id }, length: 1 })
  const [wait, ...others] = dataOf(timeline, 'wait.started')
  t.is(wait?.['cause'], 'approval')
  t.true(Math.abs(Date.parse(String(wait?.['until'])) - Date.parse(approval.expiresAt)) < 1000)
  t.deepEqual(others, [])
  t.is(dataOf(timeline, 'wait.ended').length, 1)
})

test('what the site gets is what was shown', async (t) => {
  const { someone, id, approval } = await asking('[[call echo_text { "text" : "exactly this" }]]', ['echo_text'])
  t.deepEqual(approval.arguments, { text: 'exactly this' })
  await decide(someone, approval.id, 'approve')
  await ended(someone, id)
  const [outcome] = dataOf(await timelineOf(someone, id), 'tool.finished')
  t.is(outcome?.['arguments'], '{ "text" : "exactly this" }')
  t.is(outcome?.['result'], '{"text":"exactly this"}')
})

// @promise decisions
test('a refused call is not made, and the model is told so with the note of the owner', async (t) => {
  const run = await asking()
  const note = 'Ask the customer first.'
  t.like((await decide(run.someone, run.approval.id, 'refuse', { note })).body, { status: 'refused', note })
  const timeline = await goesOnWithout(t, run, /refused this call.*They say: Ask the customer first\./)
  t.like(dataOf(timeline, 'approval.decided'), { 0: { status: 'refused', note }, length: 1 })
})

// @promise decisions
test('a call that nobody approves in time is not made, and the run goes on without it', async (t) => {
  const run = await asking(undefined, undefined, impatient)
  const timeline = await goesOnWithout(t, run, /Nobody approved this call in time/)
  t.like(dataOf(timeline, 'approval.decided'), { 0: { status: 'expired' }, length: 1 })
  t.like(await approvalsOf(run.someone), { 0: { status: 'expired' }, length: 1 })
  t.is((await decide(run.someone, run.approval.id, 'approve')).failure.code, 'VALIDATION_ERROR')
})

test('a run that has no time left to wait asks nobody, and its model is told so', async (t) => {
  const { someone, id, sent } = await asking(
    '[[call slow_once {"seconds":0}]] [[then]] [[call slow_once {"seconds":0.1}]]',
    undefined,
    impatient,
  )
  t.like(await ended(someone, id), { status: 'completed', steps: 3 })
  t.is((await approvalsOf(someone)).length, 1)
  const outcomes = dataOf(await timelineOf(someone, id), 'tool.finished')
  t.regex(String(outcomes[1]?.['result']), /no time left to wait/)
  t.deepEqual(sent(id), [])
})

test('the other calls of a step are made while one waits, and two approvals are decided one by one', async (t) => {
  const scripts = await scriptsOn(await stage())
  const { someone } = scripts
  const calls = '[[call slow_once {"seconds":0}]][[call slow_idempotent {"seconds":0}]][[call slow_read {"seconds":0}]]'
  const agent = await askingAgent(scripts, calls, ['slow_once', 'slow_read'])
  const { id } = (await start(someone, agent)).body
  const [first, second] = await asked(someone, 2)
  await waiting(someone, id)
  t.is(scripts.sent(id).length, 1, 'the one that needs no approval')
  await decide(someone, second?.id ?? '', 'approve')
  await eventually(20, 'the approved one is sent', async () => (scripts.sent(id).length === 2 ? true : undefined))
  await waiting(someone, id)
  await decide(someone, first?.id ?? '', 'refuse')
  t.like(await ended(someone, id), { status: 'completed', steps: 2 })
  t.is(scripts.sent(id).length, 2)
})

test('nobody is asked about calls that are refused anyway: of unknown tools, with wrong arguments, or repeated', async (t) => {
  const scripts = await scriptsOn(await stage())
  const same = '[[call echo_text {"text":"same"}]]'
  const script = `[[call fly {}]][[call slow_once {"seconds":"many"}]] [[then]] ${same}${same}${same}`
  const agent = await askingAgent(scripts, script, ['slow_once', 'echo_text'])
  const { id } = (await start(scripts.someone, agent)).body
  const approvals = await asked(scripts.someone, 2)
  t.deepEqual(
    approvals.map(({ tool }) => tool),
    ['echo_text', 'echo_text'],
  )
  for (const { id: approvalId } of approvals) await decide(scripts.someone, approvalId, 'approve')
  t.is((await ended(scripts.someone, id)).status, 'completed')
  t.is(scripts.sent(id).length, 2)
})

// @promise approvals
test('two who approve at once, and again, make one call', async (t) => {
  const run = await asking()
  const { someone, id, approval } = run
  const answers = await Promise.all([1, 2, 3].map(() => decide(someone, approval.id, 'approve')))
  await ended(someone, id)
  answers.push(await decide(someone, approval.id, 'approve'))
  t.deepEqual(
    answers.map(({ body }) => body.decidedAt),
    answers.map(() => answers[0]?.body.decidedAt),
  )
  t.is(requestsOf(run, id).length, 1)
  t.is(dataOf(await timelineOf(someone, id), 'approval.decided').length, 1)
})

// @promise decisions
test('a run that is cancelled while it waits withdraws what it asked, and nothing is sent', async (t) => {
  const run = await asking()
  const { someone, id, approval } = run
  t.is((await cancel(someone, id)).body.status, 'cancelled')
  t.like(await approvalsOf(someone), { 0: { status: 'withdrawn' }, length: 1 })
  t.regex((await decide(someone, approval.id, 'approve')).failure.error, /what asked for it has ended/)
  t.deepEqual(requestsOf(run, id), [])
})

test('a call that is approved while its agent is paused is sent when that is resumed', async (t) => {
  const run = await asking()
  const { someone, id, approval, agent } = run
  const params = { agentId: agent.id }
  await call(someone, agents.pauseAgent, { params }).then(({ body }) => body)
  await decide(someone, approval.id, 'approve')
  await eventually(20, 'the run waits for its agent', async () =>
    (await runOf(someone, id)).waitingCause === 'paused' ? true : undefined,
  )
  t.deepEqual(requestsOf(run, id), [])
  await call(someone, agents.resumeAgent, { params }).then(({ body }) => body)
  t.is((await ended(someone, id)).status, 'completed')
  t.is(requestsOf(run, id).length, 1)
})

// @promise decisions
test('a tool that is taken from its agent while a call waits is not called, and nobody need decide', async (t) => {
  const run = await asking()
  const { someone, agent, vaultEntryId } = run
  const sites = [{ vaultEntryId, tools: ['echo_text'] }]
  await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { sites } }).then(({ body }) => body)
  await goesOnWithout(t, run, /removed it, or its site, from the agent/)
  t.like(await approvalsOf(someone), { 0: { status: 'withdrawn' }, length: 1 })
})

// @promise approvals
test('a call is not sent if it is not the one that was approved', async (t) => {
  const changes = [{ arguments: '{"seconds":9}' }, { tool: 'slow_read' }, { siteOrigin: 'https://other.example.com' }]
  for (const change of changes) {
    const run = await asking()
    await run.platform.services.database('runToolCalls').where({ runId: run.id }).update(change)
    await decide(run.someone, run.approval.id, 'approve')
    await goesOnWithout(t, run, /it is not the one that was approved/)
  }
})

// @promise approvals
test('an approval that was decided by hand in the database is noticed', async (t) => {
  const run = await asking()
  const { database, due } = run.platform.services
  await database.raw(
    `update approvals set status = 'refused', decided_at = now(), decided_by = owner_id where id = ?`,
    [run.approval.id],
  )
  await due.agent(database, run.agent.id)
  await goesOnWithout(t, run, /refused this call/)
})

// @promise decisions
test('why names the call that must be approved, and how to decide it', async (t) => {
  const { someone, id, approval } = await asking()
  const { causes, summary } = (await call(someone, why.whyRun, { params: { runId: id } })).body
  t.like(causes[0], { code: 'APPROVAL', runId: id, step: 1, until: approval.expiresAt, since: approval.requestedAt })
  t.regex(summary, /slow_once/)
  t.true(causes[0]?.action.includes(`POST /approvals/${approval.id}`))
  t.is(causes.length, 1)
  await cancel(someone, id)
})
