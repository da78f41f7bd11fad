import test from 'ava'
import { ended, timelineOf } from '../../helpers/people.ts'
import { dataOf, happened, openScripts, start } from '../../helpers/runs.ts'

const twoCalls = '[[call echo_text {"text":"one"}]] [[then]] [[call echo_text {"text":"two"}]] [[then]] [[say done]]'

// One after the other: each has a platform of its own.
test.serial(
  'a run may use all the steps of its budget, and ends with BUDGET_STEPS when it wants another',
  async (t) => {
    const { follow } = await openScripts(t, { RUN_STEPS: '2' })
    const { run, timeline, sent } = await follow(twoCalls)
    t.like(run, { status: 'failed', reason: 'BUDGET_STEPS', steps: 2, toolCalls: 2 })
    t.is(run.error, 'The run used up its budget of steps.')
    t.like(dataOf(timeline, 'ended')[0], { status: 'failed', reason: 'BUDGET_STEPS' })
    t.is(sent.length, 2, 'what was asked for within the budget was done')
    const enough = await follow('[[call echo_text {"text":"one"}]] [[then]] [[say done]]')
    t.like(enough.run, { status: 'completed', steps: 2 })
  },
)

test.serial(
  'a run that asks for more tool calls than its budget has ends with BUDGET_TOOL_CALLS, and none of them is sent',
  async (t) => {
    const { follow } = await openScripts(t, { RUN_TOOL_CALLS: '2' })
    const three = ['one', 'two', 'three'].map((text) => `[[call echo_text {"text":"${text}"}]]`).join(' ')
    const { run, sent, outcomes } = await follow(three)
    t.like(run, { status: 'failed', reason: 'BUDGET_TOOL_CALLS' })
    t.is(sent.length, 0)
    t.is(outcomes.length, 3, 'the timeline tells what became of each')
    for (const outcome of outcomes)
      t.like(outcome, { status: 'failed', note: 'The run ended before this call was sent.' })
    t.is((await follow(twoCalls)).run.status, 'completed')
  },
)

test.serial('a run that used more tokens than its budget has ends with BUDGET_TOKENS', async (t) => {
  const { follow } = await openScripts(t, { RUN_TOKENS: '10' })
  const { run, sent } = await follow(twoCalls)
  t.like(run, { status: 'failed', reason: 'BUDGET_TOKENS', steps: 1 })
  t.is(sent.length, 0)
  t.is((await follow('[[say done]]')).run.status, 'completed', 'an answer that is there is not thrown away')
})

test.serial('a run that used more credits than its budget has ends with BUDGET_CREDITS', async (t) => {
  const { follow } = await openScripts(t, { RUN_CREDITS: '1' })
  const { run, sent } = await follow(twoCalls)
  t.like(run, { status: 'failed', reason: 'BUDGET_CREDITS', credits: 2, steps: 2 })
  t.is(sent.length, 1)
})

test.serial('a run that takes longer than its budget of minutes ends with BUDGET_TIME', async (t) => {
  const { platform, someone, scripted } = await openScripts(t, { RUN_MINUTES: '1' })
  const agent = await scripted('[[sleep 2]] [[call echo_text {"text":"one"}]]')
  const { id } = (await start(someone, agent)).body
  await happened(someone, id, 'step.started')
  // As if it had been started two minutes ago.
  await platform.services
    .database('runs')
    .where({ id })
    .update({ started_at: new Date(Date.now() - 120_000) })
  t.like(await ended(someone, id), { status: 'failed', reason: 'BUDGET_TIME' })
  t.like(dataOf(await timelineOf(someone, id), 'tool.finished')[0], { status: 'failed' })
})

test.serial(
  'a provider that refuses ends the run with MODEL_ERROR at once, and one that fails is asked four times',
  async (t) => {
    const { follow } = await openScripts(t)
    const refused = await follow('[[fail 400]]')
    t.like(refused.run, { status: 'failed', reason: 'MODEL_ERROR', credits: 0 })
    t.is(dataOf(refused.timeline, 'step.started').length, 1)
    const failing = await follow('[[fail 500]]')
    t.like(failing.run, { status: 'failed', reason: 'MODEL_ERROR', credits: 0 })
    t.deepEqual(
      dataOf(failing.timeline, 'step.failed').map(({ attempt, willRetry }) => [attempt, willRetry]),
      [
        [1, true],
        [2, true],
        [3, true],
        [4, false],
      ],
    )
  },
)
