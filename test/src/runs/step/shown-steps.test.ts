import test from 'ava'
import type { Database } from '../../../../src/database/database.ts'
import { newId } from '../../../../src/ids.ts'
import { Step } from '../../../../src/loop/step.ts'
import { Run } from '../../../../src/runs/run.ts'
import { readLeftOut } from '../../../../src/runs/step/left-out.ts'
import { createShownSteps } from '../../../../src/runs/step/shown-steps.ts'
import { agentOf, person } from '../../../helpers/people.ts'
import { start } from '../../../helpers/runs.ts'
import { ToolCall } from '../../../../src/tools/tool-call.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'

/** Without a worker: the tests write the record themselves. */
const platformOf = sharedPlatform(test, 'idle')

async function recordStep(database: Database, runId: string, step: number): Promise<void> {
  const usage = { inputTokens: 1, outputTokens: 1, credits: 1, latencyMs: 1 }
  const recordedAt = new Date()
  await Step.query(database).insert({
    subjectId: runId,
    step,
    model: 'demo',
    answer: `step ${step}`,
    finish: 'tool-calls',
    ...usage,
    recordedAt,
  })
  await ToolCall.query(database).insert({
    id: newId(),
    subjectId: runId,
    step,
    position: 0,
    name: 'read_page',
    effect: 'read',
    arguments: '{}',
    status: 'succeeded',
    result: `result ${step}`.padEnd(1000, '.'),
    plannedAt: recordedAt,
    endedAt: recordedAt,
  })
}

/** A run with two recorded steps. */
async function runOfTwoSteps() {
  const platform = await platformOf()
  const { database } = platform.services
  const someone = await person(platform)
  const { id } = (await start(someone, await agentOf(someone))).body
  await recordStep(database, id, 1)
  await recordStep(database, id, 2)
  await Run.query(database).findById(id).patch({ steps: 2 })
  const run = await Run.query(database).findById(id).throwIfNotFound()
  return { database, run, shownSteps: createShownSteps({ database }) }
}

const resultBytes = 10_000
const texts = (steps: { text: string }[]) => steps.map(({ text }) => text)

test('a worker reads a recorded step once, and those that came since', async (t) => {
  const { database, run, shownSteps } = await runOfTwoSteps()
  const before = await shownSteps(run, resultBytes)
  t.deepEqual(texts(before), ['step 1', 'step 2'])

  // Nobody else changes what is recorded, so this shows what was read.
  await Step.query(database).where({ subjectId: run.id, step: 1 }).patch({ answer: 'changed' })
  await recordStep(database, run.id, 3)
  t.deepEqual(texts(await shownSteps(run, resultBytes)), ['step 1', 'step 2'], 'its calls may not be recorded yet')
  await Run.query(database).findById(run.id).patch({ steps: 3 })
  const later = await Run.query(database).findById(run.id).throwIfNotFound()
  const after = await shownSteps(later, resultBytes)
  t.deepEqual(texts(after), ['step 1', 'step 2', 'step 3'])
  t.is(after[0], before[0])
  t.like(after[2], { step: 3, calls: [{ name: 'read_page', outcome: { status: 'succeeded' } }] })
})

test('once results are shortened or steps left out, all is read as it is shown from then on', async (t) => {
  const { run, shownSteps } = await runOfTwoSteps()
  const resultsOf = async (cuts: object) => {
    const steps = await shownSteps(Object.assign(run.$clone(), cuts), resultBytes)
    return steps.map(({ step, calls }) => [step, calls[0]?.outcome.text.length])
  }
  t.deepEqual(await resultsOf({}), [
    [1, 1000],
    [2, 1000],
  ])
  t.deepEqual(await resultsOf({ shortenedThrough: 1 }), [
    [1, 300],
    [2, 1000],
  ])
  t.deepEqual(await resultsOf({ leftOutThrough: 1 }), [[2, 1000]])
  t.deepEqual(await resultsOf({}), [
    [1, 1000],
    [2, 1000],
  ])
})

test('a run that is resumed is read anew', async (t) => {
  const { database, run, shownSteps } = await runOfTwoSteps()
  await shownSteps(run, resultBytes)
  await Step.query(database).where({ subjectId: run.id, step: 1 }).patch({ answer: 'changed' })
  const resumed = Object.assign(run.$clone(), { epoch: run.epoch + 1 })
  t.deepEqual(texts(await shownSteps(resumed, resultBytes)), ['changed', 'step 2'])
})

test('what is left out is counted without summaries, and the newest summary that says something stands for it', async (t) => {
  const { database, run } = await runOfTwoSteps()
  for (const step of [3, 4, 5]) await recordStep(database, run.id, step)
  for (const [step, answer] of [
    [2, 'The first.'],
    [4, 'The second.'],
    [5, ''],
  ] as const)
    await Step.query(database).where({ subjectId: run.id, step }).patch({ answer, outcome: 'summary' })
  const left = (leftOutThrough: number | null, summarizes = true, most = 100) =>
    readLeftOut(database, { id: run.id, leftOutThrough }, { summarizes, resultBytes: most })
  t.is(await left(null), undefined)
  t.deepEqual(await left(3), { steps: 2, summary: 'The second.' })
  t.deepEqual(await left(4, true, 7), { steps: 2, summary: 'The sec' }, 'models do not keep to a length')
  t.deepEqual(await left(3, false), { steps: 3 })
})
