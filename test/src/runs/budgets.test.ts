// @promise budgets
import test from 'ava'
import * as agents from '../../../api/agents.ts'
import * as billing from '../../../api/billing.ts'
import { call } from '../../helpers/client.ts'
import { ended } from '../../helpers/people.ts'
import { dataOf, openStage, scriptsOn, start } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const stage = forWholeFile(test, 'budgets', (t) => openStage(t, { env: { RUN_STEPS: '6', RUN_TOOL_CALLS: '6' } }))

/** Somebody whose runs do not meet: each has an agent of its own. */
const open = forWholeFile(test, 'somebody with budgets', async () => scriptsOn(await stage()))

/** Has a run follow a script as if it had used something up before. */
async function followAfter(used: { credits?: number; inputTokens?: number }, script: string) {
  const { platform, someone, scripted, sent } = await open()
  const agent = await scripted(script)
  const params = { agentId: agent.id }
  await call(someone, agents.pauseAgent, { params }).then(({ body }) => body)
  const { id } = (await start(someone, agent)).body
  await platform.services.database('runs').where({ id }).update(used)
  await call(someone, agents.resumeAgent, { params }).then(({ body }) => body)
  return { run: await ended(someone, id), sent: sent(id) }
}

const echo = (text: string) => `[[call echo_text {"text":"${text}"}]]`
const oneByOne = (...calls: string[]) => calls.join(' [[then]] ')
const twoCalls = oneByOne(echo('one'), echo('two'), '[[say done]]')
const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

test('a run may use all the steps of its budget, and ends with BUDGET_STEPS when it wants another', async (t) => {
  const { follow } = await open()
  const { run, sent } = await follow(oneByOne(...letters.slice(0, 6).map(echo), '[[say done]]'))
  t.like(run, { status: 'failed', reason: 'BUDGET_STEPS', steps: 6, toolCalls: 6 })
  t.is(sent.length, 6, 'what was asked for within the budget was done')
})

test('a run that asks for more tool calls than its budget has ends with BUDGET_TOOL_CALLS, and none of them is sent', async (t) => {
  const { follow } = await open()
  const { run, sent, outcomes } = await follow(letters.map(echo).join(' '))
  t.like(run, { status: 'failed', reason: 'BUDGET_TOOL_CALLS' })
  t.is(sent.length, 0)
  t.is(outcomes.length, 7, 'the timeline tells what became of each')
  for (const outcome of outcomes)
    t.like(outcome, { status: 'failed', note: 'The run ended before this call was sent.' })
})

test('a run that used more tokens or credits than its budget has ends with BUDGET_TOKENS or BUDGET_CREDITS', async (t) => {
  const tokens = await followAfter({ inputTokens: 1_000_000 }, twoCalls)
  t.like(tokens.run, { status: 'failed', reason: 'BUDGET_TOKENS', steps: 1 })
  t.is(tokens.sent.length, 0)
  const credits = await followAfter({ credits: 499 }, twoCalls)
  t.like(credits.run, { status: 'failed', reason: 'BUDGET_CREDITS', credits: 501, steps: 2 })
  t.is(credits.sent.length, 1)
})

// @promise charges
test('each step of a run is debited once, and the ledger, the run and the timeline agree', async (t) => {
  const { someone, follow } = await scriptsOn(await stage())
  const before = (await call(someone, billing.getBilling)).body.balance
  const { run, timeline } = await follow(oneByOne(echo('one'), '[[say done]]'))
  t.like(run, { status: 'completed', steps: 2 })
  t.true(run.credits >= 2, 'a step costs one credit at least')

  const { items } = (await call(someone, billing.listLedger, { query: { limit: '100' } })).body
  const debits = items.filter(({ runId }) => runId === run.id)
  t.deepEqual(
    debits.map(({ step }) => step).toSorted((a, b) => Number(a) - Number(b)),
    [1, 2],
  )
  const charged = debits.reduce((sum, { credits }) => sum - credits, 0)
  t.is(charged, run.credits)
  t.is((await call(someone, billing.getBilling)).body.balance, before - charged)
  const steps = dataOf(timeline, 'step.finished')
  const sum = (name: string) => steps.reduce((total, data) => total + Number(data[name]), 0)
  t.is(sum('credits'), charged)
  t.like(run, { inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') })
})
