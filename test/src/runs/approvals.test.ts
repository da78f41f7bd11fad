import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import { approvalsOf, asked, askingAgent, decide } from '../../helpers/approvals.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { ended, runOf, timelineOf } from '../../helpers/people.ts'
import { dataOf, happened, ownScripts, start, waiting, type Scripts } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { startPlatform } from '../../helpers/platform.ts'

const platformOf = sharedPlatform(test)
const impatient = forWholeFile(test, 'expiring approvals', (t) =>
  startPlatform(t, { worker: true, env: { RECONCILE_SECONDS: '1', RUN_WAIT_SECONDS: '4' } }),
)

/** A run that waits for somebody to approve its only call; each has an owner of its own. */
async function asking(t: ExecutionContext, script = '[[call slow_once {"seconds":0}]]', opened = platformOf) {
  const scripts = await ownScripts(t, await opened())
  const agent = await askingAgent(scripts, script)
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
  const run = await asking(t, '[[call slow_once { "seconds" : 0.50 }]]')
  const { someone, id, approval, sites } = run
  t.like(await runOf(someone, id), { waitingCause: 'approval', waitingFor: sites.badTools.origin })
  t.like(approval, { tool: 'slow_once', siteOrigin: sites.badTools.origin, runId: id, agentId: run.agent.id })
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
  t.deepEqual(approval.arguments, requested?.['arguments'])
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

// @promise decisions
test('a call that nobody approves in time is not made, and then its run has no time left to ask about another', async (t) => {
  const script = '[[call slow_once {"seconds":0}]] [[then]] [[call slow_once {"seconds":0.1}]]'
  const { someone, id, sent, approval } = await asking(t, script, impatient)
  t.like(await ended(someone, id), { status: 'completed', steps: 3 })
  const timeline = await timelineOf(someone, id)
  t.like(dataOf(timeline, 'approval.decided'), { 0: { status: 'expired' }, length: 1 })
  t.like(await approvalsOf(someone), { 0: { status: 'expired' }, length: 1 })
  t.is((await decide(someone, approval.id, 'approve')).failure.code, 'VALIDATION_ERROR')
  const results = dataOf(timeline, 'tool.finished').map(({ result }) => String(result))
  t.regex(results[0] ?? '', /nobody approved it in time/)
  t.regex(results[1] ?? '', /no time left to wait/)
  t.deepEqual(sent(id), [])
})

test('the other calls of a step are made while one waits, and two approvals are decided one by one', async (t) => {
  const scripts = await ownScripts(t, await platformOf())
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

// @promise decisions
test('a tool that is taken from its agent while a call waits is not called, and nobody need decide', async (t) => {
  const run = await asking(t)
  const { someone, agent, vaultEntryId } = run
  const sites = [{ vaultEntryId, tools: ['echo_text'] }]
  await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { sites } }).then(({ body }) => body)
  await goesOnWithout(t, run, /removed the tool or its site from the agent/)
  t.like(await approvalsOf(someone), { 0: { status: 'withdrawn' }, length: 1 })
})
