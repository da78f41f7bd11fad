import test from 'ava'
import { isCoded } from '../../../src/errors.ts'
import { Run } from '../../../src/runs/run.ts'
import { RunStep } from '../../../src/runs/run-step.ts'
import { agentOf, person, timelineOf } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { start } from '../../helpers/runs.ts'

/** A claimed run that no worker carries out, so that the test can act in the place of several. */
async function claimed(t: Parameters<typeof startPlatform>[0], systemPrompt: string) {
  const { services, ...platform } = await startPlatform(t)
  const someone = await person(platform)
  const agent = await agentOf(someone, { systemPrompt })
  await start(someone, agent)
  const run = await services.runs.claimNext(agent.id)
  if (!run) throw new Error('there was nothing to claim')
  return { services, someone, run }
}

const never = new AbortController().signal

test('an attempt that comes when the step is on record already begins nothing', async (t) => {
  const { services, someone, run } = await claimed(t, '[[say hello]]')
  const { database } = services
  const trx = await database.transaction()
  await Run.query(trx).findById(run.runId).forUpdate()
  const late = services.runs.advance(run, never)
  const recorded = { model: 'demo', answer: { text: 'Done.' }, finish: 'stop' as const, recordedAt: new Date() }
  const used = { inputTokens: 1, outputTokens: 1, credits: 1, latencyMs: 1 }
  await RunStep.query(trx).insert({ runId: run.runId, step: 1, ...recorded, ...used })
  await Run.query(trx).findById(run.runId).patch({ steps: 1 })
  await trx.commit()

  t.deepEqual(await late, { kind: 'end', status: 'completed', reason: null })
  const kinds = (await timelineOf(someone, run.runId)).map(({ kind }) => kind)
  t.false(kinds.includes('step.started'))
})

test('an attempt that fails after the run has ended adds nothing to its timeline', async (t) => {
  const { services, someone, run } = await claimed(t, '[[sleep 1]][[fail 500]]')
  const failing = services.runs.advance(run, never)
  await services.runs.endRun(run, { status: 'failed', reason: 'TERMINATED' })
  await failing.catch((error: unknown) => t.true(isCoded(error, 'MODEL_ERROR')))
  const timeline = await timelineOf(someone, run.runId)
  t.is(timeline.at(-1)?.kind, 'ended')
})

test('an attempt that succeeds after the run has ended is neither recorded nor charged', async (t) => {
  const { services, someone, run } = await claimed(t, '[[sleep 1]][[say late]]')
  const answering = services.runs.advance(run, never)
  await services.runs.endRun(run, { status: 'failed', reason: 'TERMINATED' })
  t.like(await answering, { kind: 'end', status: 'failed', reason: 'TERMINATED' })
  const { steps, credits } = await Run.query(services.database).findById(run.runId).throwIfNotFound()
  t.deepEqual({ steps, credits }, { steps: 0, credits: 0 })
  t.is((await timelineOf(someone, run.runId)).at(-1)?.kind, 'ended')
})
